/* SPDX-License-Identifier: Apache-2.0 */
/* bench_start.h - both sides of the row "start", and its children. */
#ifndef TOOLS_BENCH_START_H
#define TOOLS_BENCH_START_H

#include "tools/bench/bench_side.h"

/* Each opens a side of the row that its name tells, see bench_open. */
bool bench_start_ours(struct bench *bench, struct bench_side *side,
		      struct message *message);
bool bench_start_driver(struct bench *bench, struct bench_side *side,
			struct message *message);

/* Copy the environment for the children of the row "start", before a driver is
   opened: ocl-icd cuts OCL_ICD_FILENAMES at its first colon.  False: no
   memory. */
bool bench_start_prepare(void);

/* What the children run.  Returns their exit status. */
int bench_start_child_ours(const char *selector, int fd);
int bench_start_child_driver(const char *place, int fd);

#endif
