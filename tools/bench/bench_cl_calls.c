/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cl_calls.c - the driver's own calls, as floors of single calls and of
   copies. */
#include "tools/bench/bench_cl_calls.h"

#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench_calls.h"
#include "tools/bench/bench_cl.h"
#include "tools/bench/bench_cpu.h"
#include "tools/bench/bench_values.h"

struct floor_calls {
	struct bench_cl *cl;
	int count;
	size_t size;
	struct cl_memory x, y, out;
	void *program, *kernel;
	float *host;
};

static void close_calls(void *state)
{
	struct floor_calls *f = state;

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

static struct floor_calls *open_calls(struct bench *bench, int count,
				      const char *name, struct bench_side *side,
				      struct message *message)
{
	struct floor_calls *f = calloc(1, sizeof(*f));

	if (!f) {
		message_record(message, "no memory for a floor");
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
	struct floor_calls *f = open_calls(bench, count, name, side, message);
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
	struct floor_calls *f = state;
	float out[BENCH_CALLS_SMALL];

	return bench_cl_read(f->cl, out, &f->out, sizeof(out), message) &&
	       bench_values_check_add(out, BENCH_CALLS_SMALL, 0,
				      "the floor's small add", message);
}

/* Set every argument and enqueue, as a program with changing ones must. */
static inline int32_t launch(struct floor_calls *f)
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
	struct floor_calls *f = state;
	int32_t code = 0;

	for (int i = 0; i < f->count && !code; i++)
		code = launch(f);
	code = code ? code : f->cl->cl.clFinish(f->cl->queue);
	return code ? bench_cl_failed(message, "launch", code) : true;
}

bool bench_cl_calls_small_add(struct bench *bench, struct bench_side *side,
			      struct message *message)
{
	side->run = small_add_run;
	side->check = small_check;
	return open_small(bench, BENCH_CALLS_QUEUED,
			  "four arguments, clEnqueueNDRangeKernel", side,
			  message);
}

static bool launch_wait_run(void *state, struct message *message)
{
	struct floor_calls *f = state;
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
	struct floor_calls *f = state;
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
	struct floor_calls *f = state;

	for (int i = 0; i < f->count; i++) {
		if (!bench_cl_alloc(f->cl, 1 << 20, &f->out, message))
			return false;
		bench_cl_free(f->cl, &f->out);
	}
	return true;
}

bool bench_cl_calls_alloc(struct bench *bench, struct bench_side *side,
			  struct message *message)
{
	side->run = alloc_run;
	return open_calls(bench, bench->quick ? 10 : 1000,
			  bench->cl->path == CL_BUFFERS
				  ? "clCreateBuffer, clReleaseMemObject"
				  : "clSVMAlloc, clSVMFree",
			  side, message) != NULL;
}

static bool write_run(void *state, struct message *message)
{
	struct floor_calls *f = state;

	return bench_cl_write(f->cl, &f->x, f->host, f->size, message);
}

static bool read_run(void *state, struct message *message)
{
	struct floor_calls *f = state;

	return bench_cl_read(f->cl, f->host, &f->x, f->size, message);
}

static bool copy_run(void *state, struct message *message)
{
	struct floor_calls *f = state;
	const struct cl_entries *cl = &f->cl->cl;
	int32_t code;

	if (f->x.svm)
		code = cl->clEnqueueSVMMemcpy(f->cl->queue, 1, f->out.svm,
					      f->x.svm, f->size, 0, NULL, NULL);
	else
		code = cl->clEnqueueCopyBuffer(f->cl->queue, f->x.buffer,
					       f->out.buffer, 0, 0, f->size, 0,
					       NULL, NULL);
	code = code ? code : cl->clFinish(f->cl->queue);
	return code ? bench_cl_failed(message, "copy", code) : true;
}

static bool transfer_run(void *state, struct message *message)
{
	return write_run(state, message) && read_run(state, message);
}

/* Host memory, and the device's with the same in it. */
static struct floor_calls *open_copies(struct bench *bench, size_t size,
				       const char *svm, const char *buffer,
				       struct bench_side *side,
				       struct message *message)
{
	struct floor_calls *f = open_calls(
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
	struct floor_calls *f =
		open_copies(bench, bench->bytes, "clEnqueueSVMMemcpy",
			    "clEnqueueCopyBuffer", side, message);

	if (!f)
		return false;
	side->run = copy_run;
	side->work *= 2;
	return bench_cl_alloc(f->cl, f->size, &f->out, message);
}

bool bench_cl_calls_transfer(struct bench *bench, struct bench_side *side,
			     struct message *message)
{
	/* Where device and host share memory, copying is the CPU's work. */
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
