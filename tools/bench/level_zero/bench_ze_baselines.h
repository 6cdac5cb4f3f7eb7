/* SPDX-License-Identifier: Apache-2.0 */
/* bench_ze_baselines.h - the baselines with Level Zero alone, in dpr's context
   and in memory that dpr has allocated. */
#ifndef TOOLS_BENCH_ZE_BASELINES_H
#define TOOLS_BENCH_ZE_BASELINES_H

#include "tools/bench/bench_side.h"

/* Each function opens a side; see bench_open.  small_add: a kernel with the
   arguments of dpr's own kernel; kernel: with those of the user's kernel.  Each
   launch runs after the previous one. */
bool bench_ze_baselines_small_add(struct bench *bench, struct bench_side *side,
				  struct message *message);
bool bench_ze_baselines_kernel(struct bench *bench, struct bench_side *side,
			       struct message *message);
bool bench_ze_baselines_launch_wait(struct bench *bench,
				    struct bench_side *side,
				    struct message *message);
bool bench_ze_baselines_launch(struct bench *bench, struct bench_side *side,
			       struct message *message);

#endif
