/* SPDX-License-Identifier: Apache-2.0 */
/* bench_calls.c - our side of the rows on single calls. */
#include "tools/bench/bench_calls.h"

#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tools/bench/bench_measure.h"
#include "tools/bench/bench_values.h"

const char bench_calls_source[] =
	"kernel void add(global const float *x, global const float *y,\n"
	"		global float *out, int n)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"\n"
	"	if (i < n)\n"
	"		out[i] = x[i] + y[i];\n"
	"}\n";

struct calls {
	dpr_queue *queue;
	dpr_device *device;
	const char *selector;
	int count; /* calls of a run */
	dpr_array *x, *y, *out;
	dpr_kernel *kernel;
};

static void close_calls(void *state)
{
	struct calls *c = state;

	if (!c)
		return;
	dpr_array_release(c->x);
	dpr_array_release(c->y);
	dpr_array_release(c->out);
	dpr_kernel_release(c->kernel);
	free(c);
}

static struct calls *open_calls(struct bench *bench, int count,
				struct bench_side *side,
				struct message *message)
{
	struct calls *c = calloc(1, sizeof(*c));

	if (!c) {
		message_record(message, "no memory for a row");
		return NULL;
	}
	c->queue = bench->queue;
	c->device = bench->device;
	c->selector = dpr_device_selector(bench->device);
	c->count = count;
	side->work = count;
	side->state = c;
	side->close = close_calls;
	return c;
}

/* With three arrays of BENCH_CALLS_SMALL elements. */
static struct calls *open_small(struct bench *bench, int count,
				struct bench_side *side,
				struct message *message)
{
	struct calls *c = open_calls(bench, count, side, message);
	float x[BENCH_CALLS_SMALL], y[BENCH_CALLS_SMALL];

	if (!c)
		return NULL;
	for (size_t i = 0; i < BENCH_CALLS_SMALL; i++) {
		x[i] = bench_values_x(i);
		y[i] = bench_values_y(i);
	}
	if (dpr_array_from_memory(x, DPR_SHAPE(BENCH_CALLS_SMALL), NULL,
				  DPR_FLOAT32, c->queue, &c->x) ||
	    dpr_array_from_memory(y, DPR_SHAPE(BENCH_CALLS_SMALL), NULL,
				  DPR_FLOAT32, c->queue, &c->y) ||
	    dpr_zeros(DPR_SHAPE(BENCH_CALLS_SMALL), DPR_FLOAT32, c->queue,
		      &c->out)) {
		bench_side_failed(message);
		return NULL;
	}
	return c;
}

static bool small_check(void *state, struct message *message)
{
	struct calls *c = state;
	float out[BENCH_CALLS_SMALL];

	if (dpr_array_to_memory(c->out, out, NULL))
		return bench_side_failed(message);
	return bench_values_check_add(out, BENCH_CALLS_SMALL, 0,
				      "the small add", message);
}

static bool small_add_run(void *state, struct message *message)
{
	struct calls *c = state;

	for (int i = 0; i < c->count; i++)
		if (dpr_add_into(c->x, c->y, c->out))
			return bench_side_failed(message);
	return dpr_queue_wait(c->queue) ? bench_side_failed(message) : true;
}

bool bench_calls_small_add(struct bench *bench, struct bench_side *side,
			   struct message *message)
{
	side->run = small_add_run;
	side->check = small_check;
	return open_small(bench, BENCH_CALLS_QUEUED, side, message) != NULL;
}

static bool launch_wait_run(void *state, struct message *message)
{
	struct calls *c = state;

	for (int i = 0; i < c->count; i++)
		if (dpr_add_into(c->x, c->y, c->out) ||
		    dpr_queue_wait(c->queue))
			return bench_side_failed(message);
	return true;
}

bool bench_calls_launch_wait(struct bench *bench, struct bench_side *side,
			     struct message *message)
{
	side->run = launch_wait_run;
	side->check = small_check;
	return open_small(bench, bench->quick ? 10 : 100, side, message) !=
	       NULL;
}

static bool event_wait_run(void *state, struct message *message)
{
	struct calls *c = state;

	for (int i = 0; i < c->count; i++) {
		dpr_event *event;
		dpr_status status = dpr_queue_barrier(c->queue, NULL, &event);

		if (!status)
			status = dpr_event_wait(event, DPR_FOREVER);
		dpr_event_release(event);
		if (status)
			return bench_side_failed(message);
	}
	return true;
}

bool bench_calls_event_wait(struct bench *bench, struct bench_side *side,
			    struct message *message)
{
	side->run = event_wait_run;
	return open_calls(bench, bench->quick ? 10 : 100, side, message) !=
	       NULL;
}

static bool kernel_run(void *state, struct message *message)
{
	struct calls *c = state;
	const dpr_range range = dpr_range_local(DPR_RANGE1(BENCH_CALLS_SMALL),
						BENCH_CALLS_SMALL, 1, 1);

	for (int i = 0; i < c->count; i++)
		if (dpr_kernel_launch(c->queue, c->kernel, range, NULL, NULL,
				      DPR_ARG(c->x), DPR_ARG(c->y),
				      DPR_ARG(c->out),
				      DPR_ARG(BENCH_CALLS_SMALL)))
			return bench_side_failed(message);
	return dpr_queue_wait(c->queue) ? bench_side_failed(message) : true;
}

bool bench_calls_kernel(struct bench *bench, struct bench_side *side,
			struct message *message)
{
	struct calls *c = open_small(bench, BENCH_CALLS_QUEUED, side, message);
	dpr_status status;

	if (!c)
		return false;
	side->run = kernel_run;
	side->check = small_check;
	status = dpr_kernel_from_source(c->queue, bench_calls_source, "add",
					&c->kernel);
	if (status == DPR_ERROR_UNSUPPORTED)
		return bench_side_none(side, "the device takes no source");
	return status ? bench_side_failed(message) : true;
}

static bool by_device_run(void *state, struct message *message)
{
	struct calls *c = state;

	for (int i = 0; i < c->count; i++) {
		dpr_queue *queue;

		if (dpr_device_queue(c->device, &queue))
			return bench_side_failed(message);
		if (queue != c->queue)
			return message_set(message,
					   "dpr_device_queue gives another "
					   "queue");
	}
	return true;
}

bool bench_calls_queue_by_device(struct bench *bench, struct bench_side *side,
				 struct message *message)
{
	side->run = by_device_run;
	return open_calls(bench, bench->quick ? 1000 : 100000, side, message) !=
	       NULL;
}

static bool by_selector_run(void *state, struct message *message)
{
	struct calls *c = state;

	for (int i = 0; i < c->count; i++) {
		dpr_queue *queue;

		if (dpr_canonical_queue(c->selector, &queue))
			return bench_side_failed(message);
		if (queue != c->queue)
			return message_set(message,
					   "dpr_canonical_queue gives another "
					   "queue");
	}
	return true;
}

bool bench_calls_queue_by_selector(struct bench *bench, struct bench_side *side,
				   struct message *message)
{
	side->run = by_selector_run;
	return open_calls(bench, bench->quick ? 100 : 10000, side, message) !=
	       NULL;
}

static bool alloc_run(void *state, struct message *message)
{
	struct calls *c = state;

	for (int i = 0; i < c->count; i++) {
		dpr_array *x;

		if (dpr_empty(DPR_SHAPE(1 << 18), DPR_FLOAT32, c->queue, &x))
			return bench_side_failed(message);
		dpr_array_release(x);
	}
	return true;
}

bool bench_calls_alloc(struct bench *bench, struct bench_side *side,
		       struct message *message)
{
	side->run = alloc_run;
	return open_calls(bench, bench->quick ? 10 : 1000, side, message) !=
	       NULL;
}
