/* SPDX-License-Identifier: Apache-2.0 */
/* bench_arrays.h - dpr's side of the rows on large arrays. */
#ifndef TOOLS_BENCH_ARRAYS_H
#define TOOLS_BENCH_ARRAYS_H

#include "tools/bench/bench_side.h"

/* Each function opens a side of the row that it is named after; see
   bench_open. */
bool bench_arrays_add(struct bench *bench, struct bench_side *side,
		      struct message *message);
bool bench_arrays_add_new(struct bench *bench, struct bench_side *side,
			  struct message *message);
bool bench_arrays_add_transposed(struct bench *bench, struct bench_side *side,
				 struct message *message);
bool bench_arrays_multiply_add(struct bench *bench, struct bench_side *side,
			       struct message *message);
bool bench_arrays_sum(struct bench *bench, struct bench_side *side,
		      struct message *message);

#endif
