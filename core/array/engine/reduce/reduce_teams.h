/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_teams.h - plans for reductions in which teams of work-items reduce
   rows or columns.  The kernels are built by a driver, or come in files of a
   device's own format (kernel_files.h). */
#ifndef ARRAY_REDUCE_TEAMS_H
#define ARRAY_REDUCE_TEAMS_H

#include "core/array/engine/reduce/reduce_pass.h"

/* The binary logarithm of the number of work-items in a team that reduces rows
   of @length elements in packs of @pack elements. */
int reduce_teams_bits(int64_t length, int pack);

/* These functions become members of struct kernel_format (formats.h), for
   formats whose kernels a driver builds. */
dpr_status reduce_teams_plan(struct pass *p);
bool reduce_teams_foresee(struct pass *p);
void reduce_teams_words(struct pass *p, const dpr_array *out, int64_t elements);

/* These functions become members of struct kernel_format (formats.h), for
   formats whose kernels come in files. */
dpr_status reduce_teams_plan_file(struct pass *p);
void reduce_teams_file_words(struct pass *p, const dpr_array *out,
			     int64_t elements);

#endif
