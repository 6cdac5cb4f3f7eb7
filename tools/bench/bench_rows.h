/* SPDX-License-Identifier: Apache-2.0 */
/* bench_rows.h - the rows of "dpr bench", their baselines and their goals. */
#ifndef TOOLS_BENCH_ROWS_H
#define TOOLS_BENCH_ROWS_H

#include "tools/bench/bench_driver.h"
#include "tools/bench/bench_measure.h"
#include "tools/bench/bench_side.h"

/* What a row should reach. */
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
	bool everywhere; /* the goal is not only for CPUs through OpenCL */
	bench_open ours;
	/* The baseline on each driver, where none of those below is set. */
	enum bench_baseline baseline;
	/* The baseline on all devices; on those of OpenCL, CUDA or Level Zero;
	   on the CPU without a driver. */
	bench_open any, cl, cuda, ze, cpu;
	/* The goal on CUDA.  Without one, .goal counts there if it is for every
	   device. */
	enum bench_goal cuda_goal;
	double cuda_limit;
	const struct bench_layout *layout;
	bool is_process; /* each run is a process */
};

/* All rows, in the order in which they are shown. */
extern const struct bench_row bench_rows[];
extern const size_t bench_rows_count;

/* Choose the baseline of a row on a device: its driver's, the CPU's, or that of
   another device, @other (NULL: none).  The baseline may have no run(). */
bool bench_rows_open_baseline(const struct bench_row *row, struct bench *bench,
			      struct bench *other, struct bench_side *side,
			      struct message *message);

#endif
