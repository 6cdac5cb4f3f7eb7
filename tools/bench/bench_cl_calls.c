/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cl_calls.c - the OpenCL driver's own calls: the baselines of the rows
   on single calls and on copies. */
#include "tools/bench/bench_cl_calls.h"

#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench_calls.h"
#include "tools/bench/bench_cl.h"
#include "tools/bench/bench_cpu.h"
#include "tools/bench/bench_values.h"
#include "tools/shared/seconds.h"

struct baseline_calls {
	struct bench_cl *cl;
	int count;
	size_t size;
	struct cl_memory x, y, out;
	void *program, *kernel;
	float *host;
	double seconds; /* how long the last run's submissions took */
};

static void close_calls(void *state)
{
	struct baseline_calls *f = state;

	if (!f)
		return;
	if (f->kernel)
		f->cl->cl.clReleaseKernel(f->kernel);
	if (f->program)
		f->cl->cl.clReleaseProgram(f->program);
	bench_cl_free(f->cl, &f->x);
	bench_cl_free(f->cl, &f->y);
	bench_cl_free(f->cl, &f->out);
	free(f->host);
	free(f);
}

static struct baseline_calls *open_calls(struct bench *bench, int count,
					 const char *name,
					 struct bench_side *side,
					 struct message *message)
{
	struct baseline_calls *f = calloc(1, sizeof(*f));

	if (!f) {
		message_record(message, "no memory for a baseline");
		return NULL;
	}
	side->state = f;
	side->close = close_calls;
	side->work = count;
	strncpy(side->name, name, sizeof(side->name) - 1);
	f->cl = bench->cl;
	f->count = count;
	return f;
}

/* --- Launches of 16 elements ------------------------------------------------
 */

static bool open_small(struct bench *bench, int count, const char *name,
		       struct bench_side *side, struct message *message)
{
	struct baseline_calls *f =
		open_calls(bench, count, name, side, message);
	float x[BENCH_CALLS_SMALL], y[BENCH_CALLS_SMALL];
	int32_t code;

	if (!f)
		return false;
	for (size_t i = 0; i < BENCH_CALLS_SMALL; i++) {
		x[i] = bench_values_x(i);
		y[i] = bench_values_y(i);
	}
	if (!bench_cl_alloc(f->cl, sizeof(x), &f->x, message) ||
	    !bench_cl_alloc(f->cl, sizeof(y), &f->y, message) ||
	    !bench_cl_alloc(f->cl, sizeof(x), &f->out, message) ||
	    !bench_cl_write(f->cl, &f->x, x, sizeof(x), message) ||
	    !bench_cl_write(f->cl, &f->y, y, sizeof(y), message))
		return false;
	f->program = bench_cl_build(f->cl, bench_calls_source, "-cl-std=CL1.2",
				    message);
	if (!f->program)
		return false;
	f->kernel = f->cl->cl.clCreateKernel(f->program, "add", &code);
	return f->kernel ? true
			 : bench_cl_failed(message, "clCreateKernel", code);
}

static bool small_check(void *state, struct message *message)
{
	struct baseline_calls *f = state;
	float out[BENCH_CALLS_SMALL];

	return bench_cl_read(f->cl, out, &f->out, sizeof(out), message) &&
	       bench_values_check_add(out, BENCH_CALLS_SMALL, 0,
				      "the baseline's small add", message);
}

/* Set every argument and enqueue the kernel: a program whose arguments change
   must do both. */
static inline int32_t launch(struct baseline_calls *f)
{
	static const size_t range = BENCH_CALLS_SMALL;
	static const int n = BENCH_CALLS_SMALL;
	int32_t code = bench_cl_set_memory(f->cl, f->kernel, 0, &f->x);

	code |= bench_cl_set_memory(f->cl, f->kernel, 1, &f->y);
	code |= bench_cl_set_memory(f->cl, f->kernel, 2, &f->out);
	code |= f->cl->cl.clSetKernelArg(f->kernel, 3, sizeof(n), &n);
	if (code)
		return code;
	return f->cl->cl.clEnqueueNDRangeKernel(f->cl->queue, f->kernel, 1,
						NULL, &range, &range, 0, NULL,
						NULL);
}

static bool small_add_run(void *state, struct message *message)
{
	struct baseline_calls *f = state;
	const double begin = seconds_now();
	int32_t code = 0;

	for (int i = 0; i < f->count && !code; i++)
		code = launch(f);
	f->seconds = seconds_now() - begin;
	code = code ? code : f->cl->cl.clFinish(f->cl->queue);
	return code ? bench_cl_failed(message, "launch", code) : true;
}

static double submissions_took(void *state)
{
	return ((struct baseline_calls *)state)->seconds;
}

bool bench_cl_calls_small_add(struct bench *bench, struct bench_side *side,
			      struct message *message)
{
	side->run = small_add_run;
	side->took = bench->is_cpu ? NULL : submissions_took;
	side->check = small_check;
	return open_small(bench, BENCH_CALLS_QUEUED,
			  "four arguments, clEnqueueNDRangeKernel", side,
			  message);
}

static bool launch_wait_run(void *state, struct message *message)
{
	struct baseline_calls *f = state;
	int32_t code = 0;

	for (int i = 0; i < f->count && !code; i++) {
		code = launch(f);
		code = code ? code : f->cl->cl.clFinish(f->cl->queue);
	}
	return code ? bench_cl_failed(message, "launch", code) : true;
}

bool bench_cl_calls_launch_wait(struct bench *bench, struct bench_side *side,
				struct message *message)
{
	side->run = launch_wait_run;
	side->check = small_check;
	return open_small(bench, bench->quick ? 10 : 100,
			  "clEnqueueNDRangeKernel, clFinish", side, message);
}

static bool event_wait_run(void *state, struct message *message)
{
	struct baseline_calls *f = state;
	const struct cl_entries *cl = &f->cl->cl;
	int32_t code = 0;

	for (int i = 0; i < f->count && !code; i++) {
		void *event = NULL;

		code = cl->clEnqueueMarkerWithWaitList(f->cl->queue, 0, NULL,
						       &event);
		if (code)
			break;
		code = cl->clWaitForEvents(1, &event);
		cl->clReleaseEvent(event);
	}
	return code ? bench_cl_failed(message, "marker or clWaitForEvents",
				      code)
		    : true;
}

bool bench_cl_calls_event_wait(struct bench *bench, struct bench_side *side,
			       struct message *message)
{
	side->run = event_wait_run;
	return open_calls(bench, bench->quick ? 10 : 100,
			  "a marker, clWaitForEvents", side, message) != NULL;
}

/* --- Memory ------------------------------------------------------------------
 */

static bool alloc_run(void *state, struct message *message)
{
	struct baseline_calls *f = state;

	for (int i = 0; i < f->count; i++) {
		if (!bench_cl_alloc(f->cl, f->size, &f->out, message))
			return false;
		bench_cl_free(f->cl, &f->out);
	}
	return true;
}

static bool open_alloc(struct bench *bench, size_t size,
		       struct bench_side *side, struct message *message)
{
	struct baseline_calls *f =
		open_calls(bench, bench->quick ? 10 : 1000,
			   bench->cl->path == CL_BUFFERS
				   ? "clCreateBuffer, clReleaseMemObject"
				   : "clSVMAlloc, clSVMFree",
			   side, message);

	if (!f)
		return false;
	side->run = alloc_run;
	f->size = size;
	return true;
}

bool bench_cl_calls_alloc(struct bench *bench, struct bench_side *side,
			  struct message *message)
{
	return open_alloc(bench, BENCH_CALLS_ALLOC, side, message);
}

bool bench_cl_calls_alloc_large(struct bench *bench, struct bench_side *side,
				struct message *message)
{
	return open_alloc(bench, BENCH_CALLS_ALLOC_LARGE, side, message);
}

static bool write_run(void *state, struct message *message)
{
	struct baseline_calls *f = state;

	return bench_cl_write(f->cl, &f->x, f->host, f->size, message);
}

static bool read_run(void *state, struct message *message)
{
	struct baseline_calls *f = state;

	return bench_cl_read(f->cl, f->host, &f->x, f->size, message);
}

static bool copy_run(void *state, struct message *message)
{
	struct baseline_calls *f = state;
	const struct cl_entries *cl = &f->cl->cl;
	int32_t code = 0;

	for (int i = 0; i < f->count && !code; i++)
		code = f->x.svm ? cl->clEnqueueSVMMemcpy(f->cl->queue,
							 f->cl->is_cpu,
							 f->out.svm, f->x.svm,
							 f->size, 0, NULL, NULL)
				: cl->clEnqueueCopyBuffer(
					  f->cl->queue, f->x.buffer,
					  f->out.buffer, 0, 0, f->size, 0, NULL,
					  NULL);
	code = code ? code : cl->clFinish(f->cl->queue);
	return code ? bench_cl_failed(message, "copy", code) : true;
}

static bool transfer_run(void *state, struct message *message)
{
	return write_run(state, message) && read_run(state, message);
}

/* Allocate host memory, and memory of the device with the same contents. */
static struct baseline_calls *open_copies(struct bench *bench, size_t size,
					  const char *svm, const char *buffer,
					  struct bench_side *side,
					  struct message *message)
{
	struct baseline_calls *f = open_calls(
		bench, 1, bench->cl->path == CL_BUFFERS ? buffer : svm, side,
		message);

	if (!f)
		return NULL;
	f->size = size;
	side->work = (double)size;
	f->host =
		bench_values_new(size / sizeof(float), bench_values_x, message);
	if (!f->host || !bench_cl_alloc(f->cl, size, &f->x, message) ||
	    !write_run(f, message))
		return NULL;
	return f;
}

bool bench_cl_calls_write(struct bench *bench, struct bench_side *side,
			  struct message *message)
{
	side->run = write_run;
	return open_copies(bench, bench->bytes, "clEnqueueSVMMemcpy",
			   "clEnqueueWriteBuffer", side, message) != NULL;
}

bool bench_cl_calls_read(struct bench *bench, struct bench_side *side,
			 struct message *message)
{
	side->run = read_run;
	return open_copies(bench, bench->bytes, "clEnqueueSVMMemcpy",
			   "clEnqueueReadBuffer", side, message) != NULL;
}

bool bench_cl_calls_device_copy(struct bench *bench, struct bench_side *side,
				struct message *message)
{
	struct baseline_calls *f =
		open_copies(bench, bench->bytes, "clEnqueueSVMMemcpy",
			    "clEnqueueCopyBuffer", side, message);

	if (!f)
		return false;
	side->run = copy_run;
	side->work *= 2.0 * bench->batch;
	f->count = bench->batch;
	return bench_cl_alloc(f->cl, f->size, &f->out, message);
}

bool bench_cl_calls_transfer(struct bench *bench, struct bench_side *side,
			     struct message *message)
{
	/* Where the device and the host share memory, the CPU does the
	   copies. */
	if (bench->is_cpu)
		return bench_cpu_transfer(bench, side, message);
	if (!open_copies(bench, bench->transfer_bytes,
			 "clEnqueueSVMMemcpy there and back",
			 "clEnqueueWriteBuffer, clEnqueueReadBuffer", side,
			 message))
		return false;
	side->run = transfer_run;
	side->work *= 2;
	return true;
}
