/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cl_arrays.h - the driver's baselines of the rows on large arrays. */
#ifndef TOOLS_BENCH_CL_ARRAYS_H
#define TOOLS_BENCH_CL_ARRAYS_H

#include "tools/bench/bench_side.h"

/* Each function opens a side of the row that it is named after; see
   bench_open. */
bool bench_cl_arrays_add(struct bench *bench, struct bench_side *side,
			 struct message *message);
bool bench_cl_arrays_sum(struct bench *bench, struct bench_side *side,
			 struct message *message);

#endif
