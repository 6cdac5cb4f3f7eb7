/* SPDX-License-Identifier: Apache-2.0 */
/* bench_strided.h - our side and the baseline of the rows on strided
   host memory. */
#ifndef TOOLS_BENCH_STRIDED_H
#define TOOLS_BENCH_STRIDED_H

#include "tools/bench/bench_side.h"

/* Each function opens a side of the row that it is named after; see
   bench_open. */
bool bench_strided_baseline(struct bench *bench, struct bench_side *side,
			    struct message *message);
bool bench_strided_ours(struct bench *bench, struct bench_side *side,
			struct message *message);

#endif
