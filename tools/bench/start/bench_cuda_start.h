/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cuda_start.h - programs that use NVIDIA's driver alone: the baselines
   of rows in which each run is a process. */
#ifndef TOOLS_BENCH_CUDA_START_H
#define TOOLS_BENCH_CUDA_START_H

#include "tools/bench/bench_side.h"

/* Each opens a side, see bench_open.  cubin: a program that gets a first result
   from a cubin; init: a program that only starts the driver. */
bool bench_cuda_start_cubin(struct bench *bench, struct bench_side *side,
			    struct message *message);
bool bench_cuda_start_init(struct bench *bench, struct bench_side *side,
			   struct message *message);

/* The programs of the children: child_cubin has the cubin on standard input,
   child_init takes any argument.  Each returns the exit status. */
int bench_cuda_start_child_cubin(const char *device, int fd);
int bench_cuda_start_child_init(const char *argument, int fd);

#endif
