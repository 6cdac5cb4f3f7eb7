/* SPDX-License-Identifier: Apache-2.0 */
/* bench_rows.h - the rows of "dpr bench", their floors and their goals. */
#ifndef TOOLS_BENCH_ROWS_H
#define TOOLS_BENCH_ROWS_H

#include "tools/bench/bench_measure.h"
#include "tools/bench/bench_side.h"

/* What a row should reach: on every device, or on a CPU through OpenCL. */
enum bench_goal {
	BENCH_NO_GOAL,
	BENCH_RATIO_AT_LEAST,
	BENCH_RATIO_AT_MOST,
	BENCH_VALUE_AT_MOST
};

struct bench_row {
	const char *name, *text;
	enum bench_unit unit;
	enum bench_goal goal;
	double limit;
	bool everywhere; /* the goal */
	bench_open ours;
	/* Floors: by the driver, by the CPU; NULL: none. */
	bench_open driver, cpu;
	const struct bench_layout *layout;
};

/* All rows, in the order in which they are shown. */
extern const struct bench_row bench_rows[];
extern const size_t bench_rows_count;

#endif
