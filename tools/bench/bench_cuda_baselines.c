/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cuda_baselines.c - the baselines on NVIDIA's driver: its own calls, and
   kernels written by hand. */
#include "tools/bench/bench_cuda_baselines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tools/bench/bench_calls.h"
#include "tools/bench/bench_cl.h"
#include "tools/bench/bench_copies.h"
#include "tools/bench/bench_cuda.h"
#include "tools/bench/bench_values.h"
#include "tools/shared/seconds.h"

/* Work-items per group, as in dpr's elementwise kernels. */
#define GROUP 256
/* Elements that a work-item of the sum takes at a time. */
#define SUM_ELEMENTS 16
/* Size and number of the chunks of a copy between drivers, as in dpr. */
#define CHUNK ((size_t)4 << 20)
#define CHUNKS 4

struct baseline {
	struct bench_cuda *cuda;
	int count; /* calls per run */
	size_t size;
	dpr_usm *from, *more, *to;
	uint64_t from_at, more_at, to_at;
	unsigned groups, group;
	void *kernel;
	int n;
	void *arguments[4];
	double seconds; /* how long the last run's submissions took */
	/* for copies to another device */
	struct bench_cl *cl;
	struct cl_memory memory;
	void *far_context;
};

static void close_baseline(void *state)
{
	struct baseline *f = state;

	if (!f)
		return;
	dpr_usm_release(f->from);
	dpr_usm_release(f->more);
	dpr_usm_release(f->to);
	if (f->cl)
		bench_cl_free(f->cl, &f->memory);
	bench_cl_close(f->cl);
	free(f);
}

static struct baseline *open_baseline(struct bench *bench, int count,
				      size_t size, const char *name,
				      struct bench_side *side,
				      struct message *message)
{
	struct baseline *f = calloc(1, sizeof(*f));

	if (!f) {
		message_record(message, "no memory for a baseline");
		return NULL;
	}
	side->state = f;
	side->close = close_baseline;
	side->work = count;
	snprintf(side->name, sizeof(side->name), "%s", name);
	f->cuda = bench->cuda;
	f->count = count;
	f->size = size;
	return f;
}

/* Allocate memory with dpr; *@at is its address for the driver. */
static bool alloc(dpr_queue *queue, dpr_usm_kind kind, size_t size,
		  dpr_usm **usm, uint64_t *at, struct message *message)
{
	if (dpr_usm_alloc(queue, kind, size, usm))
		return bench_side_failed(message);
	*at = bench_cuda_address(*usm, message);
	return *at != 0;
}

/* Allocate memory with alloc(), and fill it with the elements of @value. */
static bool alloc_values(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			 float (*value)(size_t), dpr_usm **usm, uint64_t *at,
			 struct message *message)
{
	float *values = bench_values_new(size / sizeof(float), value, message);
	bool ok = values && alloc(queue, kind, size, usm, at, message);

	if (ok && (dpr_usm_write(queue, *usm, 0, values, size, NULL, NULL) ||
		   dpr_queue_wait(queue)))
		ok = bench_side_failed(message);
	free(values);
	return ok;
}

static bool wait_stream(struct baseline *f, int code, const char *call,
			struct message *message)
{
	if (code)
		return bench_cuda_failed(message, call, code);
	code = f->cuda->cu.cuStreamSynchronize(f->cuda->stream);
	return code ? bench_cuda_failed(message, "cuStreamSynchronize", code)
		    : true;
}

/* Check that @usm holds the elements of bench_values_x(). */
static bool check_memory(const struct baseline *f, dpr_usm *usm,
			 struct message *message)
{
	float *values = malloc(f->size);
	bool ok = values != NULL;

	if (!ok)
		message_record(message, "no memory for a result");
	else if (dpr_usm_read(dpr_usm_queue(usm), values, usm, 0, f->size, NULL,
			      NULL))
		ok = bench_side_failed(message);
	else
		ok = bench_values_check_x(values, f->size / sizeof(float),
					  "the baseline's copy", message);
	free(values);
	return ok;
}

/* --- Copies ------------------------------------------------------------------
 */

static bool copy_run(void *state, struct message *message)
{
	struct baseline *f = state;
	int code = 0;

	for (int i = 0; i < f->count && !code; i++)
		code = f->cuda->cu.cuMemcpyAsync(f->to_at, f->from_at, f->size,
						 f->cuda->stream);
	return wait_stream(f, code, "cuMemcpyAsync", message);
}

static bool copy_check(void *state, struct message *message)
{
	struct baseline *f = state;

	return check_memory(f, f->to, message);
}

/* Open a copy between two kinds of memory. */
static struct baseline *open_copy(struct bench *bench, int count, size_t size,
				  const char *name, dpr_usm_kind from,
				  dpr_usm_kind to, struct bench_side *side,
				  struct message *message)
{
	struct baseline *f =
		open_baseline(bench, count, size, name, side, message);

	side->run = copy_run;
	side->check = copy_check;
	side->work = (double)count * (double)size;
	if (f &&
	    alloc_values(bench->queue, from, size, bench_values_x, &f->from,
			 &f->from_at, message) &&
	    alloc(bench->queue, to, size, &f->to, &f->to_at, message))
		return f;
	return NULL;
}

bool bench_cuda_baselines_copy(struct bench *bench, struct bench_side *side,
			       struct message *message)
{
	if (!open_copy(bench, bench->batch, bench->bytes,
		       "cuMemcpyAsync within the device", DPR_USM_DEVICE,
		       DPR_USM_DEVICE, side, message))
		return false;
	side->work *= 2;
	return true;
}

bool bench_cuda_baselines_write(struct bench *bench, struct bench_side *side,
				struct message *message)
{
	return open_copy(bench, 1, bench->bytes,
			 "cuMemcpyAsync from pinned memory", DPR_USM_HOST,
			 DPR_USM_DEVICE, side, message) != NULL;
}

bool bench_cuda_baselines_read(struct bench *bench, struct bench_side *side,
			       struct message *message)
{
	return open_copy(bench, 1, bench->bytes,
			 "cuMemcpyAsync to pinned memory", DPR_USM_DEVICE,
			 DPR_USM_HOST, side, message) != NULL;
}

bool bench_cuda_baselines_to_cpu(struct bench *bench, struct bench_side *side,
				 struct message *message)
{
	return open_copy(bench, 1, bench->transfer_bytes,
			 "cuMemcpyAsync to pinned memory", DPR_USM_DEVICE,
			 DPR_USM_HOST, side, message) != NULL;
}

static bool transfer_run(void *state, struct message *message)
{
	struct baseline *f = state;
	const struct cuda_entries *cu = &f->cuda->cu;
	int code;

	code = cu->cuMemcpyAsync(f->to_at, f->from_at, f->size,
				 f->cuda->stream);
	code = code ? code
		    : cu->cuMemcpyAsync(f->more_at, f->to_at, f->size,
					f->cuda->stream);
	return wait_stream(f, code, "cuMemcpyAsync", message);
}

static bool transfer_check(void *state, struct message *message)
{
	struct baseline *f = state;

	return check_memory(f, f->more, message);
}

bool bench_cuda_baselines_transfer(struct bench *bench, struct bench_side *side,
				   struct message *message)
{
	struct baseline *f = open_copy(
		bench, 1, bench->transfer_bytes, "pinned memory there and back",
		DPR_USM_HOST, DPR_USM_DEVICE, side, message);

	if (!f)
		return false;
	side->run = transfer_run;
	side->check = transfer_check;
	side->work *= 2;
	return alloc(bench->queue, DPR_USM_HOST, f->size, &f->more, &f->more_at,
		     message);
}

/* --- Copies to other devices -------------------------------------------------
 */

static bool peer_run(void *state, struct message *message)
{
	struct baseline *f = state;
	int code = f->cuda->cu.cuMemcpyPeerAsync(f->to_at, f->far_context,
						 f->from_at, f->cuda->context,
						 f->size, f->cuda->stream);

	return wait_stream(f, code, "cuMemcpyPeerAsync", message);
}

bool bench_cuda_baselines_peer(struct bench *bench, struct bench_side *side,
			       struct message *message)
{
	dpr_device *far = bench_copies_other(bench->device);
	uintptr_t context;
	dpr_queue *queue;
	struct baseline *f;

	if (!far)
		return bench_side_none(side, "there is no other device");
	f = open_baseline(bench, 1, bench->transfer_bytes, "cuMemcpyPeerAsync",
			  side, message);
	if (!f)
		return false;
	side->run = peer_run;
	side->check = copy_check;
	side->work = (double)f->size;
	if (dpr_device_queue(far, &queue) ||
	    dpr_device_native(far, DPR_NATIVE_CONTEXT, &context))
		return bench_side_failed(message);
	f->far_context = (void *)context;
	return alloc_values(bench->queue, DPR_USM_DEVICE, f->size,
			    bench_values_x, &f->from, &f->from_at, message) &&
	       alloc(queue, DPR_USM_DEVICE, f->size, &f->to, &f->to_at,
		     message);
}

static bool to_opencl_run(void *state, struct message *message)
{
	struct baseline *f = state;
	const struct cl_entries *cl = &f->cl->cl;
	const unsigned char *chunks = dpr_usm_address(f->from);
	int32_t code = 0;

	for (size_t at = 0; at < f->size && !code; at += CHUNK) {
		const size_t left = f->size - at;

		code = cl->clEnqueueWriteBuffer(
			f->cl->queue, f->memory.buffer, 0, at,
			left < CHUNK ? left : CHUNK,
			chunks + at / CHUNK % CHUNKS * CHUNK, 0, NULL, NULL);
	}
	code = code ? code : cl->clFinish(f->cl->queue);
	return code ? bench_cl_failed(message, "clEnqueueWriteBuffer", code)
		    : true;
}

bool bench_cuda_baselines_to_opencl(struct bench *bench,
				    struct bench_side *side,
				    struct message *message)
{
	dpr_device *device;
	struct baseline *f;

	if (dpr_device_select("opencl:gpu", &device))
		return bench_side_none(side, "there is no opencl:gpu");
	f = open_baseline(bench, 1, bench->transfer_bytes,
			  "clEnqueueWriteBuffer from the same chunks", side,
			  message);
	if (!f)
		return false;
	side->run = to_opencl_run;
	side->work = (double)f->size;
	f->cl = bench_cl_open(device, message);
	if (!f->cl)
		return false;
	f->cl->path = CL_BUFFERS;
	return bench_cl_alloc(f->cl, f->size, &f->memory, message) &&
	       alloc(bench->queue, DPR_USM_HOST, CHUNKS * CHUNK, &f->from,
		     &f->from_at, message);
}

/* --- Sum ---------------------------------------------------------------------
 */

static bool sum_run(void *state, struct message *message)
{
	struct baseline *f = state;
	const struct cuda_entries *cu = &f->cuda->cu;
	int code = 0;

	for (int i = 0; i < f->count && !code; i++) {
		code = cu->cuMemsetD32Async(f->to_at, 0, 1, f->cuda->stream);
		code = code ? code
			    : cu->cuLaunchKernel(
				      f->kernel, f->groups, 1, 1, GROUP, 1, 1,
				      0, f->cuda->stream, f->arguments, NULL);
	}
	return wait_stream(f, code, "sum", message);
}

static bool sum_check(void *state, struct message *message)
{
	struct baseline *f = state;
	float sum = 0;

	if (dpr_usm_read(f->cuda->queue, &sum, f->to, 0, sizeof(sum), NULL,
			 NULL))
		return bench_side_failed(message);
	return bench_values_check_sum(sum, f->size / sizeof(float),
				      "the baseline's sum", message);
}

bool bench_cuda_baselines_sum(struct bench *bench, struct bench_side *side,
			      struct message *message)
{
	const size_t least = GROUP * SUM_ELEMENTS * sizeof(float);
	struct baseline *f;

	if (bench->bytes % least)
		return bench_side_none(side, "the kernel by hand takes a "
					     "multiple of 16 KiB");
	f = open_baseline(bench, bench->batch, bench->bytes, "", side, message);
	if (!f)
		return false;
	side->run = sum_run;
	side->check = sum_check;
	side->work = (double)bench->batch * (double)bench->bytes;
	f->n = (int)(f->size / sizeof(float));
	/* Every work-item takes the same number of elements, at least 16. */
	f->groups = 2048;
	while ((unsigned)f->n % (f->groups * GROUP * SUM_ELEMENTS))
		f->groups /= 2;
	snprintf(side->name, sizeof(side->name), "a kernel of %u groups of %d",
		 f->groups, GROUP);
	f->arguments[0] = &f->from_at;
	f->arguments[1] = &f->to_at;
	f->arguments[2] = &f->n;
	f->kernel = bench_cuda_kernel(f->cuda, "sum", message);
	return f->kernel &&
	       alloc_values(bench->queue, DPR_USM_DEVICE, f->size,
			    bench_values_x, &f->from, &f->from_at, message) &&
	       alloc(bench->queue, DPR_USM_DEVICE, sizeof(float), &f->to,
		     &f->to_at, message);
}

/* --- Launches ----------------------------------------------------------------
 */

static inline int launch(const struct baseline *f)
{
	return f->cuda->cu.cuLaunchKernel(
		f->kernel, 1, 1, 1, f->group, 1, 1, 0, f->cuda->stream,
		(void **)(uintptr_t)f->arguments, NULL);
}

static bool small_check(void *state, struct message *message)
{
	struct baseline *f = state;
	float out[BENCH_CALLS_SMALL];

	if (dpr_usm_read(f->cuda->queue, out, f->to, 0, sizeof(out), NULL,
			 NULL))
		return bench_side_failed(message);
	return bench_values_check_add(out, BENCH_CALLS_SMALL, 0,
				      "the baseline's small add", message);
}

static bool launches_run(void *state, struct message *message)
{
	struct baseline *f = state;
	const double begin = seconds_now();
	int code = 0;

	for (int i = 0; i < f->count && !code; i++)
		code = launch(f);
	f->seconds = seconds_now() - begin;
	return wait_stream(f, code, "cuLaunchKernel", message);
}

static double submissions_took(void *state)
{
	return ((struct baseline *)state)->seconds;
}

/* Open launches of "add" (x, y, out, n) on 16 elements, in one group of @group
   work-items. */
static bool open_small(struct bench *bench, int count, unsigned group,
		       const char *name, struct bench_side *side,
		       struct message *message)
{
	const size_t size = BENCH_CALLS_SMALL * sizeof(float);
	struct baseline *f =
		open_baseline(bench, count, size, name, side, message);

	if (!f)
		return false;
	side->check = small_check;
	f->n = BENCH_CALLS_SMALL;
	f->group = group;
	f->arguments[0] = &f->from_at;
	f->arguments[1] = &f->more_at;
	f->arguments[2] = &f->to_at;
	f->arguments[3] = &f->n;
	f->kernel = bench_cuda_kernel(f->cuda, "add", message);
	return f->kernel &&
	       alloc_values(bench->queue, DPR_USM_DEVICE, size, bench_values_x,
			    &f->from, &f->from_at, message) &&
	       alloc_values(bench->queue, DPR_USM_DEVICE, size, bench_values_y,
			    &f->more, &f->more_at, message) &&
	       alloc(bench->queue, DPR_USM_DEVICE, size, &f->to, &f->to_at,
		     message);
}

bool bench_cuda_baselines_small_add(struct bench *bench,
				    struct bench_side *side,
				    struct message *message)
{
	side->run = launches_run;
	side->took = submissions_took;
	return open_small(bench, BENCH_CALLS_QUEUED, GROUP,
			  "cuLaunchKernel with the same arguments", side,
			  message);
}

bool bench_cuda_baselines_kernel(struct bench *bench, struct bench_side *side,
				 struct message *message)
{
	side->run = launches_run;
	side->took = submissions_took;
	return open_small(bench, BENCH_CALLS_QUEUED, BENCH_CALLS_SMALL,
			  "cuLaunchKernel of the same kernel", side, message);
}

static bool launch_wait_run(void *state, struct message *message)
{
	struct baseline *f = state;

	for (int i = 0; i < f->count; i++)
		if (!wait_stream(f, launch(f), "cuLaunchKernel", message))
			return false;
	return true;
}

bool bench_cuda_baselines_launch_wait(struct bench *bench,
				      struct bench_side *side,
				      struct message *message)
{
	side->run = launch_wait_run;
	return open_small(bench, bench->quick ? 10 : 100, GROUP,
			  "cuLaunchKernel, cuStreamSynchronize", side, message);
}

bool bench_cuda_baselines_launch(struct bench *bench, struct bench_side *side,
				 struct message *message)
{
	struct baseline *f =
		open_baseline(bench, BENCH_CALLS_QUEUED, 0,
			      "cuLaunchKernel of it", side, message);

	if (!f)
		return false;
	side->run = launches_run;
	side->took = submissions_took;
	f->group = BENCH_CALLS_SMALL;
	f->kernel = bench_cuda_kernel(f->cuda, "nothing", message);
	return f->kernel != NULL;
}

static bool event_wait_run(void *state, struct message *message)
{
	struct baseline *f = state;
	const struct cuda_entries *cu = &f->cuda->cu;
	void *event, *was;
	int code = cu->cuCtxPushCurrent(f->cuda->context);

	if (code)
		return bench_cuda_failed(message, "cuCtxPushCurrent", code);
	code = cu->cuEventCreate(&event, CUDA_EVENT_DISABLE_TIMING);
	cu->cuCtxPopCurrent(&was);
	if (code)
		return bench_cuda_failed(message, "cuEventCreate", code);
	for (int i = 0; i < f->count && !code; i++) {
		code = cu->cuEventRecord(event, f->cuda->stream);
		code = code ? code : cu->cuEventSynchronize(event);
	}
	cu->cuEventDestroy(event);
	return code ? bench_cuda_failed(message, "event", code) : true;
}

bool bench_cuda_baselines_event_wait(struct bench *bench,
				     struct bench_side *side,
				     struct message *message)
{
	/* An event belongs to one context, and a part of a card has another
	   context than the card. */
	if (bench->cuda->is_part)
		return bench_side_none(side, "a part of a device");
	side->run = event_wait_run;
	return open_baseline(bench, bench->quick ? 10 : 100, 0,
			     "cuEventRecord, cuEventSynchronize", side,
			     message) != NULL;
}

/* --- Memory ------------------------------------------------------------------
 */

static bool alloc_run(void *state, struct message *message)
{
	struct baseline *f = state;
	const struct cuda_entries *cu = &f->cuda->cu;
	uint64_t memory;
	void *was;
	int code = cu->cuCtxPushCurrent(f->cuda->context);

	if (code)
		return bench_cuda_failed(message, "cuCtxPushCurrent", code);
	for (int i = 0; i < f->count && !code; i++) {
		code = cu->cuMemAllocAsync(&memory, f->size, f->cuda->stream);
		code = code ? code
			    : cu->cuMemFreeAsync(memory, f->cuda->stream);
	}
	cu->cuCtxPopCurrent(&was);
	return code ? bench_cuda_failed(message, "cuMemAllocAsync", code)
		    : true;
}

static bool open_alloc(struct bench *bench, size_t size,
		       struct bench_side *side, struct message *message)
{
	side->run = alloc_run;
	return open_baseline(bench, bench->quick ? 10 : 1000, size,
			     "cuMemAllocAsync, cuMemFreeAsync", side,
			     message) != NULL;
}

bool bench_cuda_baselines_alloc(struct bench *bench, struct bench_side *side,
				struct message *message)
{
	return open_alloc(bench, BENCH_CALLS_ALLOC, side, message);
}

bool bench_cuda_baselines_alloc_large(struct bench *bench,
				      struct bench_side *side,
				      struct message *message)
{
	return open_alloc(bench, BENCH_CALLS_ALLOC_LARGE, side, message);
}
