/* SPDX-License-Identifier: Apache-2.0 */
/* bench_baselines.c - the baselines on drivers, by the interface of
   bench_driver.h. */
#include "tools/bench/bench_baselines.h"

#include <stdio.h>
#include <stdlib.h>

#include <dpr/dpr.h>

#include "tools/bench/bench_calls.h"
#include "tools/bench/bench_cl.h"
#include "tools/bench/bench_copies.h"
#include "tools/bench/bench_cpu.h"
#include "tools/bench/bench_values.h"

/* Bytes that a work-group of a sum takes at a time: 16 elements each. */
#define SUM_BYTES (256 * 16 * sizeof(float))
#define SUM_GROUPS 2048
/* Size and number of the chunks of a copy between drivers, as in dpr. */
#define CHUNK ((size_t)4 << 20)
#define CHUNKS 4

struct baseline {
	struct bench_driver *driver;
	const struct bench_driver_calls *calls;
	int count; /* calls per run */
	size_t size;
	/* The operands.  `copied` is what a copy's check() reads. */
	struct bench_memory x, y, out;
	const struct bench_memory *copied;
	void *launch;
	double seconds; /* how long the last run's submissions took */
	struct bench_hop *hops;
	size_t n_hops;
	struct bench_cl *cl; /* the driver that `out` belongs to, or NULL */
};

static void close_baseline(void *state)
{
	struct baseline *b = state;

	if (b->launch)
		b->calls->unload(b->launch);
	bench_driver_free(b->driver, &b->x);
	bench_driver_free(b->driver, &b->y);
	bench_driver_free(b->cl ? &b->cl->driver : b->driver, &b->out);
	bench_cl_close(b->cl);
	free(b->hops);
	free(b);
}

/* --- Launches ----------------------------------------------------------------
 */

static bool many_run(void *state, struct message *message)
{
	struct baseline *b = state;

	return b->calls->launch_many(b->launch, b->count, &b->seconds, message);
}

static double submissions_took(void *state)
{
	return ((struct baseline *)state)->seconds;
}

static bool wait_run(void *state, struct message *message)
{
	struct baseline *b = state;

	return b->calls->launch_wait(b->launch, b->count, message);
}

static bool small_check(void *state, struct message *message)
{
	struct baseline *b = state;
	float out[BENCH_CALLS_SMALL];

	return bench_driver_read(b->driver, &b->out, out, sizeof(out),
				 message) &&
	       bench_values_check_add(out, BENCH_CALLS_SMALL, 0,
				      "the baseline's small add", message);
}

static bool sum_check(void *state, struct message *message)
{
	struct baseline *b = state;
	float sum = 0;

	return bench_driver_read(b->driver, &b->out, &sum, sizeof(sum),
				 message) &&
	       bench_values_check_sum(sum, b->size / sizeof(float),
				      "the baseline's sum", message);
}

static float zero(size_t i)
{
	(void)i;
	return 0;
}

/* Allocate memory of the device and fill it. */
static bool new_operand(struct baseline *b, struct bench *bench, size_t size,
			float (*value)(size_t), struct bench_memory *memory,
			struct message *message)
{
	return bench_driver_alloc(b->driver, bench->queue, false, size, memory,
				  message) &&
	       bench_driver_fill(b->driver, memory, value, message);
}

/* Open launches on 16 elements, or of the empty kernel. */
static bool open_launch(struct baseline *b, enum bench_kernel kernel,
			struct bench *bench, struct bench_side *side,
			struct message *message)
{
	const struct bench_work work = { .kernel = kernel,
					 .x = &b->x,
					 .y = &b->y,
					 .out = &b->out,
					 .n = BENCH_CALLS_SMALL,
					 .groups = 1 };

	const size_t size = BENCH_CALLS_SMALL * sizeof(float);

	side->work = b->count;
	if (kernel != KERNEL_NOTHING) {
		side->check = small_check;
		if (!new_operand(b, bench, size, bench_values_x, &b->x,
				 message) ||
		    !new_operand(b, bench, size, bench_values_y, &b->y,
				 message) ||
		    !new_operand(b, bench, size, zero, &b->out, message))
			return false;
	}
	return b->calls->load(b->driver, &work, &b->launch, message);
}

static bool open_many(struct baseline *b, enum bench_kernel kernel,
		      struct bench *bench, struct bench_side *side,
		      struct message *message)
{
	b->count = BENCH_CALLS_QUEUED;
	side->run = many_run;
	/* On a CPU the row counts the work too, but for the empty kernel. */
	if (!bench->is_cpu || kernel == KERNEL_NOTHING)
		side->took = submissions_took;
	return open_launch(b, kernel, bench, side, message);
}

static bool open_launch_wait(struct baseline *b, struct bench *bench,
			     struct bench_side *side, struct message *message)
{
	b->count = bench->quick ? 10 : 100;
	side->run = wait_run;
	return open_launch(b, KERNEL_DPR_ADD, bench, side, message);
}

static bool open_sum(struct baseline *b, struct bench *bench,
		     struct bench_side *side, struct message *message)
{
	struct bench_work work = { .kernel = KERNEL_SUM,
				   .x = &b->x,
				   .out = &b->out,
				   .n = (int)(bench->bytes / sizeof(float)),
				   .groups = SUM_GROUPS };

	if (bench->bytes % SUM_BYTES)
		return bench_side_none(side, "the kernel by hand takes a "
					     "multiple of 16 KiB");
	b->size = bench->bytes;
	b->count = bench->batch;
	side->run = many_run;
	side->check = sum_check;
	side->work = (double)b->count * (double)b->size;
	/* Every work-item takes the same number of elements, at least 16. */
	while (b->size % (work.groups * SUM_BYTES))
		work.groups /= 2;
	return new_operand(b, bench, b->size, bench_values_x, &b->x, message) &&
	       new_operand(b, bench, sizeof(float), zero, &b->out, message) &&
	       b->calls->load(b->driver, &work, &b->launch, message);
}

/* --- Events and allocations --------------------------------------------------
 */

static bool event_run(void *state, struct message *message)
{
	struct baseline *b = state;

	return b->calls->event_wait(b->driver, b->count, message);
}

static bool open_event_wait(struct baseline *b, struct bench *bench,
			    struct bench_side *side)
{
	if (b->driver->no_events)
		return bench_side_none(side, b->driver->no_events);
	side->run = event_run;
	side->work = b->count = bench->quick ? 10 : 100;
	return true;
}

static bool alloc_run(void *state, struct message *message)
{
	struct baseline *b = state;

	return b->calls->alloc(b->driver, b->size, b->count, message);
}

static bool open_alloc(struct baseline *b, size_t size, struct bench *bench,
		       struct bench_side *side)
{
	side->run = alloc_run;
	side->work = b->count = bench->quick ? 10 : 1000;
	b->size = size;
	return true;
}

/* --- Copies ------------------------------------------------------------------
 */

static bool copy_run(void *state, struct message *message)
{
	struct baseline *b = state;

	return b->calls->copy(b->driver, b->hops, b->n_hops, b->count, message);
}

/* The last copy has the elements of the first one's source. */
static bool copy_check(void *state, struct message *message)
{
	struct baseline *b = state;
	float *values = malloc(b->size);
	bool ok;

	if (!values)
		return message_set(message, "no memory for a result");
	ok = bench_driver_read(b->driver, b->copied, values, b->size,
			       message) &&
	     bench_values_check_x(values, b->size / sizeof(float),
				  "the baseline's copy", message);
	free(values);
	return ok;
}

/* Make room for @n copies. */
static bool new_hops(struct baseline *b, size_t n, struct message *message)
{
	b->n_hops = n;
	b->hops = calloc(n, sizeof(*b->hops));
	return b->hops || message_set(message, "no memory for a baseline");
}

/* Open copies of @size bytes from x. */
static bool open_source(struct baseline *b, bool is_host, size_t size,
			struct bench *bench, struct bench_side *side,
			struct message *message)
{
	side->run = copy_run;
	side->check = copy_check;
	side->work = (double)size;
	b->count = 1;
	b->size = size;
	return bench_driver_alloc(b->driver, bench->queue, is_host, size, &b->x,
				  message) &&
	       bench_driver_fill(b->driver, &b->x, bench_values_x, message);
}

/* Open a copy between host memory and the device, or within the device. */
static bool open_copy(struct baseline *b, bool from_host, bool to_host,
		      size_t size, struct bench *bench, struct bench_side *side,
		      struct message *message)
{
	if (!open_source(b, from_host, size, bench, side, message) ||
	    !bench_driver_alloc(b->driver, bench->queue, to_host, size, &b->out,
				message) ||
	    !new_hops(b, 1, message))
		return false;
	b->hops[0] = (struct bench_hop){ &b->out, &b->x, 0, 0, size };
	b->copied = &b->out;
	if (from_host || to_host)
		return true;
	b->count = bench->batch;
	side->work = 2.0 * b->count * (double)size;
	return true;
}

static bool open_transfer(struct baseline *b, struct bench *bench,
			  struct bench_side *side, struct message *message)
{
	const size_t size = bench->transfer_bytes;

	if (!open_source(b, true, size, bench, side, message) ||
	    !bench_driver_alloc(b->driver, bench->queue, false, size, &b->y,
				message) ||
	    !bench_driver_alloc(b->driver, bench->queue, true, size, &b->out,
				message) ||
	    !new_hops(b, 2, message))
		return false;
	b->hops[0] = (struct bench_hop){ &b->y, &b->x, 0, 0, size };
	b->hops[1] = (struct bench_hop){ &b->out, &b->y, 0, 0, size };
	b->copied = &b->out;
	side->work *= 2;
	return true;
}

static bool open_peer(struct baseline *b, struct bench *bench,
		      struct bench_side *side, struct message *message)
{
	dpr_device *far = bench_copies_other(bench->device);
	uintptr_t context;
	dpr_queue *queue;

	if (!far)
		return bench_side_none(side, "there is no other device");
	if (!open_source(b, false, bench->transfer_bytes, bench, side, message))
		return false;
	if (dpr_device_queue(far, &queue) ||
	    dpr_device_native(far, DPR_NATIVE_CONTEXT, &context))
		return bench_side_failed(message);
	if (!bench_driver_alloc(b->driver, queue, false, b->size, &b->out,
				message) ||
	    !new_hops(b, 1, message))
		return false;
	b->out.context = (void *)context;
	b->hops[0] = (struct bench_hop){ &b->out, &b->x, 0, 0, b->size };
	b->copied = &b->out;
	return true;
}

/* The OpenCL driver writes from a few chunks of the other driver's pinned
   memory, as dpr does. */
static bool to_opencl_run(void *state, struct message *message)
{
	struct baseline *b = state;
	struct bench_driver *cl = &b->cl->driver;

	return cl->calls->copy(cl, b->hops, b->n_hops, 1, message);
}

static bool open_to_opencl(struct baseline *b, struct bench *bench,
			   struct bench_side *side, struct message *message)
{
	dpr_device *device;
	size_t i, left;

	if (dpr_device_select("opencl:gpu", &device))
		return bench_side_none(side, "there is no opencl:gpu");
	side->run = to_opencl_run;
	b->size = bench->transfer_bytes;
	side->work = (double)b->size;
	if (!bench_driver_alloc(b->driver, bench->queue, true, CHUNKS * CHUNK,
				&b->x, message))
		return false;
	b->cl = bench_cl_open(device, message);
	if (!b->cl)
		return false;
	b->cl->path = CL_BUFFERS;
	if (!bench_driver_alloc(&b->cl->driver, NULL, false, b->size, &b->out,
				message) ||
	    !new_hops(b, (b->size + CHUNK - 1) / CHUNK, message))
		return false;
	for (i = 0; i < b->n_hops; i++) {
		left = b->size - i * CHUNK;
		b->hops[i] = (struct bench_hop){ &b->out, &b->x, i * CHUNK,
						 i % CHUNKS * CHUNK,
						 left < CHUNK ? left : CHUNK };
	}
	return true;
}

/* --- All ---------------------------------------------------------------------
 */

static bool open_kind(struct baseline *b, enum bench_baseline kind,
		      struct bench *bench, struct bench_side *side,
		      struct message *m)
{
	const size_t size = bench->bytes;

	switch (kind) {
	case BASELINE_SMALL_ADD:
		return open_many(b, KERNEL_DPR_ADD, bench, side, m);
	case BASELINE_KERNEL: return open_many(b, KERNEL_ADD, bench, side, m);
	case BASELINE_LAUNCH:
		return open_many(b, KERNEL_NOTHING, bench, side, m);
	case BASELINE_LAUNCH_WAIT: return open_launch_wait(b, bench, side, m);
	case BASELINE_EVENT_WAIT: return open_event_wait(b, bench, side);
	case BASELINE_ALLOC:
		return open_alloc(b, BENCH_CALLS_ALLOC, bench, side);
	case BASELINE_ALLOC_LARGE:
		return open_alloc(b, BENCH_CALLS_ALLOC_LARGE, bench, side);
	case BASELINE_SUM: return open_sum(b, bench, side, m);
	case BASELINE_COPY:
		return open_copy(b, false, false, size, bench, side, m);
	case BASELINE_WRITE:
		return open_copy(b, true, false, size, bench, side, m);
	case BASELINE_READ:
		return open_copy(b, false, true, size, bench, side, m);
	case BASELINE_TRANSFER: return open_transfer(b, bench, side, m);
	case BASELINE_TO_CPU:
		return open_copy(b, false, true, bench->transfer_bytes, bench,
				 side, m);
	case BASELINE_TO_OPENCL: return open_to_opencl(b, bench, side, m);
	case BASELINE_PEER: return open_peer(b, bench, side, m);
	case BASELINE_NONE:
	case BASELINES: break;
	}
	return true;
}

bool bench_baselines_open(enum bench_baseline kind, struct bench *bench,
			  struct bench_side *side, struct message *message)
{
	struct baseline *b;

	/* Where the device and the host share memory, the CPU does the
	   copies. */
	if (kind == BASELINE_TRANSFER && bench->is_cpu)
		return bench_cpu_transfer(bench, side, message);
	if (!bench->driver->names[kind])
		return true;
	b = calloc(1, sizeof(*b));
	if (!b)
		return message_set(message, "no memory for a baseline");
	side->state = b;
	side->close = close_baseline;
	snprintf(side->name, sizeof(side->name), "%s",
		 bench->driver->names[kind]);
	b->driver = bench->driver;
	b->calls = bench->driver->calls;
	return open_kind(b, kind, bench, side, message);
}
