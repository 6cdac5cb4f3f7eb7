/* SPDX-License-Identifier: Apache-2.0 */
/* bench_calls.h - dpr's side of the rows on single calls. */
#ifndef TOOLS_BENCH_CALLS_H
#define TOOLS_BENCH_CALLS_H

#include "tools/bench/bench_side.h"

/* Each function opens a side of the row that it is named after; see
   bench_open. */
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

bool bench_calls_alloc_large(struct bench *bench, struct bench_side *side,
			     struct message *message);
/* Submit launches of an empty kernel: to the device, or to half of it
   (_part). */
bool bench_calls_launch(struct bench *bench, struct bench_side *side,
			struct message *message);
bool bench_calls_launch_part(struct bench *bench, struct bench_side *side,
			     struct message *message);

/* Compute on the device, or on half of it.  The part that is used for half may
   have some units more or fewer; its time is scaled to half. */
bool bench_calls_whole(struct bench *bench, struct bench_side *side,
		       struct message *message);
bool bench_calls_half(struct bench *bench, struct bench_side *side,
		      struct message *message);

/* The kernels "add" and "nothing" of the small rows, in OpenCL C and in PTX.
   Both sides launch the same ones.  The PTX also has "sum", for a baseline. */
extern const char bench_calls_source[];
extern const char bench_calls_ptx[];

/* Elements of the small rows, calls queued before a wait, and bytes of the
   allocations. */
enum {
	BENCH_CALLS_SMALL = 16,
	BENCH_CALLS_QUEUED = 1000,
	BENCH_CALLS_ALLOC = 1 << 20,
	BENCH_CALLS_ALLOC_LARGE = 64 << 20
};

#endif
