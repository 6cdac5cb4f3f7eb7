/* SPDX-License-Identifier: Apache-2.0 */
/* bench_moves.h - our side of the rows on casts, choices and puts. */
#ifndef TOOLS_BENCH_MOVES_H
#define TOOLS_BENCH_MOVES_H

#include "tools/bench/bench_side.h"

/* Each function opens our side of the row that it is named after; see
   bench_open. */
bool bench_moves_cast_int8(struct bench *bench, struct bench_side *side,
			   struct message *message);
bool bench_moves_cast_float64(struct bench *bench, struct bench_side *side,
			      struct message *message);
bool bench_moves_where(struct bench *bench, struct bench_side *side,
		       struct message *message);
bool bench_moves_put(struct bench *bench, struct bench_side *side,
		     struct message *message);

#endif
