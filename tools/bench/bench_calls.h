/* SPDX-License-Identifier: Apache-2.0 */
/* bench_calls.h - our side of the rows on single calls. */
#ifndef TOOLS_BENCH_CALLS_H
#define TOOLS_BENCH_CALLS_H

#include "tools/bench/bench_side.h"

/* Each opens a side of the row that its name tells, see bench_open. */
bool bench_calls_small_add(struct bench *bench, struct bench_side *side,
			   struct message *message);
bool bench_calls_launch_wait(struct bench *bench, struct bench_side *side,
			     struct message *message);
bool bench_calls_event_wait(struct bench *bench, struct bench_side *side,
			    struct message *message);
bool bench_calls_kernel(struct bench *bench, struct bench_side *side,
			struct message *message);
bool bench_calls_queue_by_device(struct bench *bench, struct bench_side *side,
				 struct message *message);
bool bench_calls_queue_by_selector(struct bench *bench, struct bench_side *side,
				   struct message *message);
bool bench_calls_alloc(struct bench *bench, struct bench_side *side,
		       struct message *message);

/* The kernel of the small rows, for users' launches and for the driver's. */
extern const char bench_calls_source[];

/* Elements of the small rows, and calls that are queued. */
enum { BENCH_CALLS_SMALL = 16, BENCH_CALLS_QUEUED = 1000 };

#endif
