/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_teams.h - plans for reductions in which teams of work-items reduce
   rows or columns.  Such kernels are built by a driver, or are in files. */
#ifndef ARRAY_REDUCE_TEAMS_H
#define ARRAY_REDUCE_TEAMS_H

#include "core/array/engine/reduce/reduce_pass.h"

/* The work-items of a row of @length elements: 2 to this power. */
int reduce_teams_bits(int64_t length, int pack);

/* Members of formats.h, for kernels that a driver builds. */
dpr_status reduce_teams_plan(struct pass *p);
bool reduce_teams_foresee(struct pass *p);
void reduce_teams_words(struct pass *p, const dpr_array *out, int64_t elements);

/* Members of formats.h, for kernels in files. */
dpr_status reduce_teams_plan_file(struct pass *p);
void reduce_teams_file_words(struct pass *p, const dpr_array *out,
			     int64_t elements);

#endif
