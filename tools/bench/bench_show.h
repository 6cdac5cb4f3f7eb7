/* SPDX-License-Identifier: Apache-2.0 */
/* bench_show.h - how rows of dpr bench are shown, with their goals. */
#ifndef TOOLS_BENCH_SHOW_H
#define TOOLS_BENCH_SHOW_H

#include "tools/bench/bench_measure.h"
#include "tools/bench/bench_rows.h"
#include "tools/shared/json.h"

/* What a row should reach on some device. */
struct bench_target {
	enum bench_goal kind;
	double limit;
};

/* What there is to show of a row on a device. */
struct bench_result {
	const struct bench_row *row;
	const struct bench *bench;
	struct bench_side ours, baseline;
	struct bench_figures figures;
	const char *error;
	struct bench_target goal;
	bool has_goal, met;
};

/* The goal of a row.  CUDA may have a goal of its own. */
struct bench_target bench_show_target(const struct bench_row *row,
				      bool on_cuda);

/* Print all rows with what they measure and their goals. */
void bench_show_list(void);

/* Print the names of the columns. */
void bench_show_head(void);

/* Print a result.  @verbose: with quartiles, and what the baseline is. */
void bench_show_text(const struct bench_result *r, bool verbose);
void bench_show_json(struct json *json, const struct bench_result *r);

#endif
