/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cpu.h - baselines without any library, on all CPUs. */
#ifndef TOOLS_BENCH_CPU_H
#define TOOLS_BENCH_CPU_H

#include "tools/bench/bench_side.h"

/* Each function opens a side of the row that it is named after; see
   bench_open. */
bool bench_cpu_add(struct bench *bench, struct bench_side *side,
		   struct message *message);
bool bench_cpu_sum(struct bench *bench, struct bench_side *side,
		   struct message *message);
bool bench_cpu_copy(struct bench *bench, struct bench_side *side,
		    struct message *message);
bool bench_cpu_device_copy(struct bench *bench, struct bench_side *side,
			   struct message *message);
bool bench_cpu_transfer(struct bench *bench, struct bench_side *side,
			struct message *message);
bool bench_cpu_alloc(struct bench *bench, struct bench_side *side,
		     struct message *message);

#endif
