/* SPDX-License-Identifier: Apache-2.0 */
/* bench_measure.h - timing two sides in turns, and comparing the times. */
#ifndef TOOLS_BENCH_MEASURE_H
#define TOOLS_BENCH_MEASURE_H

#include <stdint.h>

#include "tools/bench/bench_side.h"

enum bench_unit { BENCH_GBPS, BENCH_MS, BENCH_US, BENCH_NS };

/* Medians and quartiles of a side, in the row's unit. */
struct bench_spread {
	double median, low, high;
};

struct bench_figures {
	struct bench_spread value, baseline;
	double ratio; /* the median of the pairs' ratios */
	int rounds;
};

/* Warm up both sides, check their results, and time them in turns.  @baseline
   may have no run(). */
bool bench_measure(const struct bench *bench, enum bench_unit unit,
		   const struct bench_side *ours,
		   const struct bench_side *baseline, struct bench_figures *out,
		   struct message *message);

/* @side runs the variant whose number is in *@slot.  Try the numbers below @n,
   and leave the fastest in *@slot. */
bool bench_measure_choose(const struct bench *bench,
			  const struct bench_side *side, int n, int *slot,
			  struct message *message);

/* The work that half of a device with @units would have done in the time in
   which a part with @part units did @work. */
double bench_measure_as_half(double work, uint64_t units, uint64_t part);

#endif
