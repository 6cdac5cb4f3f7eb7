/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cl_calls.h - the driver's baselines of single calls and copies. */
#ifndef TOOLS_BENCH_CL_CALLS_H
#define TOOLS_BENCH_CL_CALLS_H

#include "tools/bench/bench_side.h"

/* Each function opens a side of the row that it is named after; see
   bench_open. */
bool bench_cl_calls_small_add(struct bench *bench, struct bench_side *side,
			      struct message *message);
bool bench_cl_calls_launch_wait(struct bench *bench, struct bench_side *side,
				struct message *message);
bool bench_cl_calls_event_wait(struct bench *bench, struct bench_side *side,
			       struct message *message);
bool bench_cl_calls_alloc(struct bench *bench, struct bench_side *side,
			  struct message *message);
bool bench_cl_calls_alloc_large(struct bench *bench, struct bench_side *side,
				struct message *message);
bool bench_cl_calls_write(struct bench *bench, struct bench_side *side,
			  struct message *message);
bool bench_cl_calls_read(struct bench *bench, struct bench_side *side,
			 struct message *message);
bool bench_cl_calls_device_copy(struct bench *bench, struct bench_side *side,
				struct message *message);
bool bench_cl_calls_transfer(struct bench *bench, struct bench_side *side,
			     struct message *message);

#endif
