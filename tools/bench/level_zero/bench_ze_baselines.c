/* SPDX-License-Identifier: Apache-2.0 */
/* bench_ze_baselines.c - launches with Level Zero alone, as in a program that
   needs each launch to run after the previous one. */
#include "tools/bench/level_zero/bench_ze_baselines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tools/bench/bench_calls.h"
#include "tools/bench/bench_values.h"
#include "tools/bench/level_zero/bench_ze.h"
#include "tools/shared/seconds.h"

/* Work-items per group of the elementwise kernels, as in dpr. */
#define GROUP 256

/* The argument of dpr's elementwise kernels beside the pointers: 432 bytes. */
struct walk_like {
	int64_t before[3], count, behind[50];
};

struct baseline {
	struct bench_ze *b;
	dpr_queue *queue;
	unsigned count; /* launches per run */
	dpr_usm *from, *more, *to;
	void *kernel, *pool;
	void **events;  /* one for each launch of a run */
	double seconds; /* how long the last run's submissions took */
};

static void close_baseline(void *state)
{
	struct baseline *f = state;

	if (!f)
		return;
	if (f->kernel)
		f->b->ze.zeKernelDestroy(f->kernel);
	if (f->events)
		bench_ze_drop_events(f->b, f->pool, f->events, f->count);
	free(f->events);
	dpr_usm_release(f->from);
	dpr_usm_release(f->more);
	dpr_usm_release(f->to);
	free(f);
}

/* Open a side that launches a kernel in groups of @group work-items. */
static struct baseline *open_baseline(struct bench *bench, unsigned count,
				      const char *kernel, uint32_t group,
				      struct bench_side *side,
				      struct message *message)
{
	struct baseline *f = calloc(1, sizeof(*f));
	int code;

	if (!f) {
		message_record(message, "no memory for a baseline");
		return NULL;
	}
	side->state = f;
	side->close = close_baseline;
	side->work = count;
	f->b = bench->ze;
	f->queue = bench->queue;
	f->count = count;
	f->events = calloc(count, sizeof(*f->events));
	if (!f->events) {
		message_record(message, "no memory for a baseline");
		return NULL;
	}
	f->kernel = bench_ze_kernel(f->b, kernel, message);
	if (!f->kernel ||
	    !bench_ze_make_events(f->b, &f->pool, f->events, count, message))
		return NULL;
	code = f->b->ze.zeKernelSetGroupSize(f->kernel, group, 1, 1);
	if (!code)
		return f;
	bench_ze_failed(message, "zeKernelSetGroupSize", code);
	return NULL;
}

/* Submit launch @i of a run. */
static inline int launch(const struct baseline *f, unsigned i, bool last)
{
	static const struct ze_groups one = { 1, 1, 1 };
	const bool in_order = f->b->in_order;

	return f->b->ze.zeCommandListAppendLaunchKernel(
		f->b->list, f->kernel, &one,
		in_order && !last ? NULL : f->events[i], i && !in_order,
		i && !in_order ? &f->events[i - 1] : NULL);
}

/* Wait for launch @i. */
static bool wait_launch(const struct baseline *f, unsigned i,
			struct message *message)
{
	const int code =
		f->b->ze.zeEventHostSynchronize(f->events[i], UINT64_MAX);

	return code ? bench_ze_failed(message, "zeEventHostSynchronize", code)
		    : true;
}

static bool launches_run(void *state, struct message *message)
{
	struct baseline *f = state;
	const double begin = seconds_now();
	int code = 0;

	for (unsigned i = 0; i < f->count && !code; i++)
		code = launch(f, i, i + 1 == f->count);
	f->seconds = seconds_now() - begin;
	if (code)
		return bench_ze_failed(message,
				       "zeCommandListAppendLaunchKernel", code);
	if (!wait_launch(f, f->count - 1, message))
		return false;
	for (unsigned i = 0; i < f->count && !code; i++)
		code = f->b->ze.zeEventHostReset(f->events[i]);
	return code ? bench_ze_failed(message, "zeEventHostReset", code) : true;
}

static double submissions_took(void *state)
{
	return ((struct baseline *)state)->seconds;
}

static bool launch_wait_run(void *state, struct message *message)
{
	struct baseline *f = state;
	int code;

	for (unsigned i = 0; i < f->count; i++) {
		code = launch(f, 0, true);
		if (code)
			return bench_ze_failed(
				message, "zeCommandListAppendLaunchKernel",
				code);
		if (!wait_launch(f, 0, message))
			return false;
		code = f->b->ze.zeEventHostReset(f->events[0]);
		if (code)
			return bench_ze_failed(message, "zeEventHostReset",
					       code);
	}
	return true;
}

/* --- Rows -------------------------------------------------------------------
 */

static bool small_check(void *state, struct message *message)
{
	struct baseline *f = state;
	float out[BENCH_CALLS_SMALL];

	if (dpr_usm_read(f->queue, out, f->to, 0, sizeof(out), NULL, NULL))
		return bench_side_failed(message);
	return bench_values_check_add(out, BENCH_CALLS_SMALL, 0,
				      "the baseline's small add", message);
}

/* Allocate an operand and fill it with the elements of @value; NULL: the
   result, not filled. */
static bool alloc(struct baseline *f, float (*value)(size_t), dpr_usm **usm,
		  struct message *message)
{
	float values[BENCH_CALLS_SMALL] = { 0 };

	for (size_t i = 0; value && i < BENCH_CALLS_SMALL; i++)
		values[i] = value(i);
	if (dpr_usm_alloc(f->queue, DPR_USM_DEVICE, sizeof(values), usm) ||
	    dpr_usm_write(f->queue, *usm, 0, values, sizeof(values), NULL,
			  NULL) ||
	    dpr_queue_wait(f->queue))
		return bench_side_failed(message);
	return true;
}

/* Set the arguments of "add_walk" (out, x, y, walk) or of "add" (x, y, out,
   n). */
static bool set_arguments(const struct baseline *f, bool is_walk,
			  struct message *message)
{
	const struct walk_like walk = { .count = BENCH_CALLS_SMALL };
	const int n = BENCH_CALLS_SMALL;
	void *const from = dpr_usm_address(f->from);
	void *const more = dpr_usm_address(f->more);
	void *const to = dpr_usm_address(f->to);
	void *const pointers[3] = { is_walk ? to : from, is_walk ? from : more,
				    is_walk ? more : to };
	int code = 0;

	for (uint32_t i = 0; i < 3 && !code; i++)
		code = f->b->ze.zeKernelSetArgumentValue(
			f->kernel, i, sizeof(pointers[i]), &pointers[i]);
	if (!code)
		code = f->b->ze.zeKernelSetArgumentValue(
			f->kernel, 3, is_walk ? sizeof(walk) : sizeof(n),
			is_walk ? (const void *)&walk : &n);
	return code ? bench_ze_failed(message, "zeKernelSetArgumentValue", code)
		    : true;
}

static bool open_small(struct bench *bench, unsigned count, const char *kernel,
		       const char *name, struct bench_side *side,
		       struct message *message)
{
	const bool is_walk = !strcmp(kernel, "add_walk");
	struct baseline *f = open_baseline(bench, count, kernel,
					   is_walk ? GROUP : BENCH_CALLS_SMALL,
					   side, message);

	if (!f)
		return false;
	snprintf(side->name, sizeof(side->name), "%s", name);
	side->check = small_check;
	return alloc(f, bench_values_x, &f->from, message) &&
	       alloc(f, bench_values_y, &f->more, message) &&
	       alloc(f, NULL, &f->to, message) &&
	       set_arguments(f, is_walk, message);
}

bool bench_ze_baselines_small_add(struct bench *bench, struct bench_side *side,
				  struct message *message)
{
	side->run = launches_run;
	side->took = submissions_took;
	return open_small(bench, BENCH_CALLS_QUEUED, "add_walk",
			  "appended launches with the same arguments", side,
			  message);
}

bool bench_ze_baselines_kernel(struct bench *bench, struct bench_side *side,
			       struct message *message)
{
	side->run = launches_run;
	side->took = submissions_took;
	return open_small(bench, BENCH_CALLS_QUEUED, "add",
			  "appended launches of the same kernel", side,
			  message);
}

bool bench_ze_baselines_launch_wait(struct bench *bench,
				    struct bench_side *side,
				    struct message *message)
{
	side->run = launch_wait_run;
	return open_small(bench, bench->quick ? 10 : 100, "add_walk",
			  "a launch, and a wait for its event", side, message);
}

bool bench_ze_baselines_launch(struct bench *bench, struct bench_side *side,
			       struct message *message)
{
	side->run = launches_run;
	side->took = submissions_took;
	strcpy(side->name, "appended launches of it");
	return open_baseline(bench, BENCH_CALLS_QUEUED, "nothing",
			     BENCH_CALLS_SMALL, side, message) != NULL;
}
