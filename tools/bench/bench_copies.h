/* SPDX-License-Identifier: Apache-2.0 */
/* bench_copies.h - dpr's side of the rows on copies. */
#ifndef TOOLS_BENCH_COPIES_H
#define TOOLS_BENCH_COPIES_H

#include "tools/bench/bench_side.h"

/* Each function opens a side of the row that it is named after; see
   bench_open. */
bool bench_copies_write(struct bench *bench, struct bench_side *side,
			struct message *message);
bool bench_copies_read(struct bench *bench, struct bench_side *side,
		       struct message *message);
bool bench_copies_device_copy(struct bench *bench, struct bench_side *side,
			      struct message *message);
bool bench_copies_transfer(struct bench *bench, struct bench_side *side,
			   struct message *message);
/* Copy an array to another device: to a CPU or a GPU through OpenCL, or to
   another device of the same backend. */
bool bench_copies_to_cpu(struct bench *bench, struct bench_side *side,
			 struct message *message);
bool bench_copies_to_opencl(struct bench *bench, struct bench_side *side,
			    struct message *message);
bool bench_copies_peer(struct bench *bench, struct bench_side *side,
		       struct message *message);

/* The device to which the row "peer" copies, or NULL. */
dpr_device *bench_copies_other(const dpr_device *device);

#endif
