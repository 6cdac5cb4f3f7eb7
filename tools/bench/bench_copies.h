/* SPDX-License-Identifier: Apache-2.0 */
/* bench_copies.h - our side of the rows on copies. */
#ifndef TOOLS_BENCH_COPIES_H
#define TOOLS_BENCH_COPIES_H

#include "tools/bench/bench_side.h"

/* Each opens a side of the row that its name tells, see bench_open. */
bool bench_copies_write(struct bench *bench, struct bench_side *side,
			struct message *message);
bool bench_copies_read(struct bench *bench, struct bench_side *side,
		       struct message *message);
bool bench_copies_device_copy(struct bench *bench, struct bench_side *side,
			      struct message *message);
bool bench_copies_transfer(struct bench *bench, struct bench_side *side,
			   struct message *message);

#endif
