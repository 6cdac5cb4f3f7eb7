/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cuda_baselines.h - the baselines on NVIDIA's driver, in dpr's context
   and stream, and in memory that dpr has allocated. */
#ifndef TOOLS_BENCH_CUDA_BASELINES_H
#define TOOLS_BENCH_CUDA_BASELINES_H

#include "tools/bench/bench_side.h"

/* Each function opens a side; see bench_open.  The first copies within the
   device; it is also the baseline of other rows that read and write as much
   memory. */
bool bench_cuda_baselines_copy(struct bench *bench, struct bench_side *side,
			       struct message *message);
bool bench_cuda_baselines_sum(struct bench *bench, struct bench_side *side,
			      struct message *message);

/* Copies from or to pinned memory, or there and back. */
bool bench_cuda_baselines_write(struct bench *bench, struct bench_side *side,
				struct message *message);
bool bench_cuda_baselines_read(struct bench *bench, struct bench_side *side,
			       struct message *message);
bool bench_cuda_baselines_transfer(struct bench *bench, struct bench_side *side,
				   struct message *message);
/* A read of the bytes that a transfer moves. */
bool bench_cuda_baselines_to_cpu(struct bench *bench, struct bench_side *side,
				 struct message *message);
/* to_opencl: a write by the OpenCL driver from NVIDIA's pinned memory.  peer: a
   copy by NVIDIA's driver to another GPU. */
bool bench_cuda_baselines_to_opencl(struct bench *bench,
				    struct bench_side *side,
				    struct message *message);
bool bench_cuda_baselines_peer(struct bench *bench, struct bench_side *side,
			       struct message *message);

/* A kernel with the arguments of dpr's own kernel (small_add), or with those of
   the user's kernel. */
bool bench_cuda_baselines_small_add(struct bench *bench,
				    struct bench_side *side,
				    struct message *message);
bool bench_cuda_baselines_kernel(struct bench *bench, struct bench_side *side,
				 struct message *message);
bool bench_cuda_baselines_launch_wait(struct bench *bench,
				      struct bench_side *side,
				      struct message *message);
bool bench_cuda_baselines_launch(struct bench *bench, struct bench_side *side,
				 struct message *message);
bool bench_cuda_baselines_event_wait(struct bench *bench,
				     struct bench_side *side,
				     struct message *message);

/* An allocation from the driver's own pool, as large as that of the row. */
bool bench_cuda_baselines_alloc(struct bench *bench, struct bench_side *side,
				struct message *message);
bool bench_cuda_baselines_alloc_large(struct bench *bench,
				      struct bench_side *side,
				      struct message *message);

#endif
