/* SPDX-License-Identifier: Apache-2.0 */
/* bench_sweep.h - dpr bench --sweep: rates over the size of the operands. */
#ifndef TOOLS_BENCH_SWEEP_H
#define TOOLS_BENCH_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tools/bench/bench_side.h"

/* The smallest operand, in bytes.  Sizes are multiples of it. */
#define BENCH_SWEEP_LEAST ((size_t)4096)

/* The sizes of an operand, in bytes: from, 2 from, 4 from, ... up to `to`. */
struct bench_sweep_range {
	size_t from, to;
};

struct bench_sweep {
	struct bench_sweep_range range;
	const char *rows; /* patterns; NULL: add, sum and copy */
	FILE *to;         /* gets tab-separated values */
	int errors;       /* the number of figures that could not be measured */
};

/* Whether one of the rows that @patterns match has a rate. */
bool bench_sweep_has_rows(const char *patterns);

/* Write the lines in front of all devices. */
void bench_sweep_head(struct bench_sweep *sweep, unsigned cpus, double load);

/* Measure the rows on a device.  @other: the device whose times are the
   baselines, or NULL. */
bool bench_sweep_run(struct bench_sweep *sweep, const struct bench *bench,
		     const struct bench *other, struct message *message);

#endif
