/* SPDX-License-Identifier: Apache-2.0 */
/* bench_show.c - how rows of dpr bench are shown, with their goals. */
#include "tools/bench/bench_show.h"

#include <stdio.h>
#include <string.h>

struct bench_target bench_show_target(const struct bench_row *row, bool on_cuda)
{
	struct bench_target goal = { row->goal, row->limit };

	if (on_cuda && row->cuda_goal)
		goal = (struct bench_target){ row->cuda_goal, row->cuda_limit };
	return goal;
}

static void print_goal(struct bench_target goal, char *out, size_t room)
{
	static const char *const forms[] = {
		[BENCH_NO_GOAL] = "",
		[BENCH_RATIO_AT_LEAST] = "ratio >= ",
		[BENCH_RATIO_AT_MOST] = "ratio <= ",
		[BENCH_VALUE_AT_MOST] = "value <= ",
	};

	snprintf(out, room, goal.kind ? "%s%g" : "%s", forms[goal.kind],
		 goal.limit);
}

void bench_show_list(void)
{
	char goal[32], cuda[32];
	size_t i;

	for (i = 0; i < bench_rows_count; i++) {
		const struct bench_row *row = &bench_rows[i];

		print_goal(bench_show_target(row, false), goal, sizeof(goal));
		print_goal(bench_show_target(row, true), cuda, sizeof(cuda));
		printf("%-18s %s%s%s%s%s\n", row->name, row->text,
		       *goal ? "; " : "", goal,
		       row->cuda_goal ? "; on CUDA " : "",
		       row->cuda_goal ? cuda : "");
	}
}

static const char *unit_name(enum bench_unit unit)
{
	static const char *const names[] = { "GB/s", "ms", "us", "ns" };

	return names[unit];
}

void bench_show_head(void)
{
	printf("%-18s %-14s %8s %-4s %8s %6s  %-13s %s\n", "name", "device",
	       "value", "unit", "baseline", "ratio", "goal", "met");
}

/* Print a number with four digits. */
static void print_number(char *out, size_t room, double value)
{
	int digits = value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;

	snprintf(out, room, "%.*f", digits, value);
}

/* Print a text of several lines, indented. */
static void print_lines(const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n)
			printf("    %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static void show_details(const struct bench_result *r)
{
	const struct bench_figures *f = &r->figures;

	printf("    %s; quartiles of %d: %.4g to %.4g\n", r->row->text,
	       f->rounds, f->value.low, f->value.high);
	if (r->baseline.run)
		printf("    baseline: %s, %.4g to %.4g\n", r->baseline.name,
		       f->baseline.low, f->baseline.high);
	else
		printf("    no baseline\n");
}

void bench_show_text(const struct bench_result *r, bool verbose)
{
	const struct bench_figures *f = &r->figures;
	char value[32] = "-", baseline[32] = "-", ratio[32] = "-",
	     goal[32] = "";

	if (r->ours.run && !r->error)
		print_number(value, sizeof(value), f->value.median);
	if (r->baseline.run && !r->error) {
		print_number(baseline, sizeof(baseline), f->baseline.median);
		snprintf(ratio, sizeof(ratio), "%.2f", f->ratio);
	}
	if (r->has_goal)
		print_goal(r->goal, goal, sizeof(goal));
	printf("%-18s %-14s %8s %-4s %8s %6s  %-13s %s\n", r->row->name,
	       dpr_device_selector(r->bench->device), value,
	       unit_name(r->row->unit), baseline, ratio, goal,
	       !r->has_goal || r->error || !r->ours.run ? ""
	       : r->met                                 ? "yes"
							: "NO");
	if (r->error)
		print_lines(r->error);
	else if (!r->ours.run)
		printf("    not measured: %s\n", r->ours.name);
	else if (verbose)
		show_details(r);
	fflush(stdout);
}

static void json_spread(struct json *json, const char *low, const char *high,
			const struct bench_spread *spread, bool is_there)
{
	if (is_there) {
		json_real(json, low, spread->low);
		json_real(json, high, spread->high);
	} else {
		json_string(json, low, NULL);
		json_string(json, high, NULL);
	}
}

static void json_maybe(struct json *json, const char *name, double value,
		       bool is_there)
{
	if (is_there)
		json_real(json, name, value);
	else
		json_string(json, name, NULL);
}

void bench_show_json(struct json *json, const struct bench_result *r)
{
	const struct bench_figures *f = &r->figures;
	const bool is_there = r->ours.run && !r->error;
	const bool has_baseline = is_there && r->baseline.run;
	char goal[32];

	json_open(json, NULL, '{');
	json_string(json, "name", r->row->name);
	json_string(json, "device", dpr_device_selector(r->bench->device));
	json_maybe(json, "value", f->value.median, is_there);
	json_string(json, "unit", unit_name(r->row->unit));
	json_maybe(json, "baseline", f->baseline.median, has_baseline);
	json_maybe(json, "ratio", f->ratio, has_baseline);
	print_goal(r->goal, goal, sizeof(goal));
	json_string(json, "goal", r->has_goal ? goal : NULL);
	if (r->has_goal && is_there)
		json_bool(json, "met", r->met);
	else
		json_string(json, "met", NULL);
	json_spread(json, "value_low", "value_high", &f->value, is_there);
	json_spread(json, "baseline_low", "baseline_high", &f->baseline,
		    has_baseline);
	json_string(json, "baseline_is",
		    *r->baseline.name ? r->baseline.name : NULL);
	json_number(json, "rounds", (uint64_t)f->rounds);
	json_string(json, "note",
		    r->error       ? r->error
		    : !r->ours.run ? r->ours.name
				   : NULL);
	json_close(json, '}');
	fflush(stdout);
}
