/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cl.c - the driver of an OpenCL device, without dpr. */
#include "tools/bench/bench_cl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/runtime.h>

#include "tools/bench/bench_calls.h"
#include "tools/bench/bench_side.h"
#include "tools/shared/seconds.h"

/* Search at most this many platforms, and devices per platform. */
enum { MOST = 64 };

/* Constants of OpenCL's ABI. */
#define DEVICE_TYPE_ALL 0xFFFFFFFFu
#define DEVICE_MAX_WORK_GROUP_SIZE 0x1004
#define MEM_READ_WRITE 1
#define MEM_SVM_FINE_GRAIN_BUFFER (1u << 10)

bool bench_cl_failed(struct message *message, const char *call, int32_t code)
{
	return message_set(message, "the baseline's %s failed (%d)", call,
			   (int)code);
}

static bool load_entries(struct cl_entries *cl, struct message *message)
{
	/* Never close the library: drivers crash if it is closed. */
	void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
	void *symbol;

	if (!library)
		return message_set(message, "%s", dlerror());
#define CL__X(type, name, parameters)   \
	symbol = dlsym(library, #name); \
	memcpy(&cl->name, &symbol, sizeof(symbol));
	CL_ENTRIES_2(CL__X)
#undef CL__X
#define CL__X(type, name, parameters)               \
	symbol = dlsym(library, #name);             \
	memcpy(&cl->name, &symbol, sizeof(symbol)); \
	if (!symbol)                                \
		return message_set(message, "libOpenCL.so.1 has no " #name);
	CL_ENTRIES(CL__X)
#undef CL__X
	return true;
}

/* Find the indexes of the platform and of the device in OpenCL's lists. */
static void find_index(struct bench_cl *cl)
{
	void *platforms[MOST], *devices[MOST];
	uint32_t n_platforms = 0, n_devices, p, d;

	cl->platform = cl->index = -1;
	if (cl->cl.clGetPlatformIDs(MOST, platforms, &n_platforms))
		return;
	for (p = 0; p < n_platforms && p < MOST; p++) {
		n_devices = 0;
		if (cl->cl.clGetDeviceIDs(platforms[p], DEVICE_TYPE_ALL, MOST,
					  devices, &n_devices))
			continue;
		for (d = 0; d < n_devices && d < MOST; d++)
			if (devices[d] == cl->device) {
				cl->platform = (int)p;
				cl->index = (int)d;
			}
	}
}

static bool open_queue(struct bench_cl *cl, struct message *message)
{
	int32_t code = 0;

	if (!cl->context)
		cl->context = cl->cl.clCreateContext(NULL, 1, &cl->device, NULL,
						     NULL, &code);
	if (!cl->context)
		return bench_cl_failed(message, "clCreateContext", code);
	cl->queue =
		cl->cl.clCreateCommandQueue(cl->context, cl->device, 0, &code);
	if (!cl->queue)
		return bench_cl_failed(message, "clCreateCommandQueue", code);
	code = cl->cl.clGetDeviceInfo(cl->device, DEVICE_MAX_WORK_GROUP_SIZE,
				      sizeof(cl->max_local), &cl->max_local,
				      NULL);
	return code ? bench_cl_failed(message, "clGetDeviceInfo", code) : true;
}

/* At the end of this file. */
static void set_driver(struct bench_cl *cl);

struct bench_cl *bench_cl_open(dpr_device *device, struct message *message)
{
	const char *path = dpr_device_info_string(device, DPR_INFO_MEMORY_PATH);
	struct bench_cl *cl = calloc(1, sizeof(*cl));
	uintptr_t native;

	if (!cl) {
		message_record(message, "no memory for a driver");
		return NULL;
	}
	if (dpr_device_native(device, DPR_NATIVE_DEVICE, &native)) {
		bench_side_failed(message);
		free(cl);
		return NULL;
	}
	cl->device = (void *)native;
	cl->is_cpu = dpr_device_get_type(device) == DPR_DEVICE_CPU;
	if (!cl->is_cpu &&
	    !dpr_device_native(device, DPR_NATIVE_CONTEXT, &native)) {
		cl->context = (void *)native;
		cl->shares_context = true;
	}
	if (!load_entries(&cl->cl, message) || !open_queue(cl, message)) {
		bench_cl_close(cl);
		return NULL;
	}
	find_index(cl);
	if (cl->cl.clSVMAlloc && cl->cl.clSVMFree &&
	    cl->cl.clSetKernelArgSVMPointer && cl->cl.clEnqueueSVMMemcpy &&
	    path)
		cl->path = !strcmp(path, "svm-fine")     ? CL_SVM_FINE
			   : !strcmp(path, "svm-coarse") ? CL_SVM_COARSE
							 : CL_BUFFERS;
	set_driver(cl);
	return cl;
}

struct bench_cl *bench_cl_open_at(int platform, int index,
				  struct message *message)
{
	void *platforms[MOST], *devices[MOST];
	struct bench_cl *cl = calloc(1, sizeof(*cl));
	uint32_t n_platforms = 0, n_devices = 0;
	int32_t code = 0;
	bool ok = false;

	if (!cl) {
		message_record(message, "no memory for a driver");
		return NULL;
	}
	if (load_entries(&cl->cl, message)) {
		code = cl->cl.clGetPlatformIDs(MOST, platforms, &n_platforms);
		if (!code && platform >= 0 && (uint32_t)platform < n_platforms)
			code = cl->cl.clGetDeviceIDs(platforms[platform],
						     DEVICE_TYPE_ALL, MOST,
						     devices, &n_devices);
		if (!code && index >= 0 && (uint32_t)index < n_devices) {
			cl->device = devices[index];
			ok = open_queue(cl, message);
		} else {
			bench_cl_failed(message, "search for the device", code);
		}
	}
	if (ok)
		return cl;
	bench_cl_close(cl);
	return NULL;
}

void bench_cl_close(struct bench_cl *cl)
{
	if (!cl)
		return;
	if (cl->queue)
		cl->cl.clReleaseCommandQueue(cl->queue);
	if (cl->context && !cl->shares_context)
		cl->cl.clReleaseContext(cl->context);
	free(cl);
}

bool bench_cl_alloc(struct bench_cl *cl, size_t size, struct cl_memory *out,
		    struct message *message)
{
	int32_t code = 0;

	if (cl->path == CL_BUFFERS) {
		out->buffer = cl->cl.clCreateBuffer(cl->context, MEM_READ_WRITE,
						    size, NULL, &code);
		return out->buffer ? true
				   : bench_cl_failed(message, "clCreateBuffer",
						     code);
	}
	out->svm = cl->cl.clSVMAlloc(
		cl->context,
		MEM_READ_WRITE |
			(cl->path == CL_SVM_FINE ? MEM_SVM_FINE_GRAIN_BUFFER
						 : 0),
		size, 0);
	return out->svm ? true
			: message_set(message,
				      "the baseline's clSVMAlloc of %zu "
				      "bytes failed",
				      size);
}

void bench_cl_free(struct bench_cl *cl, struct cl_memory *memory)
{
	if (memory->buffer)
		cl->cl.clReleaseMemObject(memory->buffer);
	if (memory->svm)
		cl->cl.clSVMFree(cl->context, memory->svm);
	memory->buffer = memory->svm = NULL;
}

bool bench_cl_write(struct bench_cl *cl, struct cl_memory *to, const void *from,
		    size_t size, struct message *message)
{
	int32_t code;

	if (to->svm)
		code = cl->cl.clEnqueueSVMMemcpy(cl->queue, 1, to->svm, from,
						 size, 0, NULL, NULL);
	else
		code = cl->cl.clEnqueueWriteBuffer(cl->queue, to->buffer, 1, 0,
						   size, from, 0, NULL, NULL);
	return code ? bench_cl_failed(message, "copy to the device", code)
		    : true;
}

bool bench_cl_read(struct bench_cl *cl, void *to, struct cl_memory *from,
		   size_t size, struct message *message)
{
	int32_t code;

	if (from->svm)
		code = cl->cl.clEnqueueSVMMemcpy(cl->queue, 1, to, from->svm,
						 size, 0, NULL, NULL);
	else
		code = cl->cl.clEnqueueReadBuffer(cl->queue, from->buffer, 1, 0,
						  size, to, 0, NULL, NULL);
	return code ? bench_cl_failed(message, "copy to the host", code) : true;
}

void *bench_cl_build(struct bench_cl *cl, const char *source,
		     const char *options, struct message *message)
{
	int32_t code = 0;
	void *program = cl->cl.clCreateProgramWithSource(cl->context, 1,
							 &source, NULL, &code);

	if (!program) {
		bench_cl_failed(message, "clCreateProgramWithSource", code);
		return NULL;
	}
	code = cl->cl.clBuildProgram(program, 1, &cl->device, options, NULL,
				     NULL);
	if (!code)
		return program;
	cl->cl.clReleaseProgram(program);
	bench_cl_failed(message, "clBuildProgram", code);
	return NULL;
}

int32_t bench_cl_set_memory(const struct bench_cl *cl, void *kernel,
			    uint32_t index, struct cl_memory *memory)
{
	if (memory->svm)
		return cl->cl.clSetKernelArgSVMPointer(kernel, index,
						       memory->svm);
	return cl->cl.clSetKernelArg(kernel, index, sizeof(void *),
				     &memory->buffer);
}

/* --- The interface of baselines ----------------------------------------------
 */

static struct cl_memory as_cl(const struct bench_cl *cl,
			      const struct bench_memory *memory)
{
	return cl->path == CL_BUFFERS ? (struct cl_memory){ NULL, memory->at }
				      : (struct cl_memory){ memory->at, NULL };
}

static bool new_memory(struct bench_driver *driver, struct bench_memory *memory,
		       struct message *message)
{
	struct bench_cl *cl = (struct bench_cl *)driver;
	struct cl_memory made = { NULL, NULL };

	if (memory->is_host) {
		memory->at = malloc(memory->size);
		return memory->at ||
		       message_set(message, "no memory for a baseline");
	}
	if (!bench_cl_alloc(cl, memory->size, &made, message))
		return false;
	memory->at = made.svm ? made.svm : made.buffer;
	return true;
}

static void free_memory(struct bench_driver *driver,
			struct bench_memory *memory)
{
	struct bench_cl *cl = (struct bench_cl *)driver;
	struct cl_memory made = as_cl(cl, memory);

	if (memory->is_host)
		free(memory->at);
	else
		bench_cl_free(cl, &made);
}

struct launch {
	struct bench_cl *cl;
	void *program, *kernel;
	struct cl_memory x, y, out;
	int n;
};

static void unload(void *launch)
{
	struct launch *l = launch;

	if (l->kernel)
		l->cl->cl.clReleaseKernel(l->kernel);
	if (l->program)
		l->cl->cl.clReleaseProgram(l->program);
	free(l);
}

/* dpr's kernel and the user's have the same arguments here. */
static bool load(struct bench_driver *driver, const struct bench_work *work,
		 void **launch, struct message *message)
{
	struct bench_cl *cl = (struct bench_cl *)driver;
	struct launch *l = calloc(1, sizeof(*l));
	int32_t code = 0;

	*launch = l;
	if (!l)
		return message_set(message, "no memory for a baseline");
	l->cl = cl;
	l->x = as_cl(cl, work->x);
	l->y = as_cl(cl, work->y);
	l->out = as_cl(cl, work->out);
	l->n = work->n;
	l->program = bench_cl_build(cl, bench_calls_source, "-cl-std=CL1.2",
				    message);
	if (!l->program)
		return false;
	l->kernel = cl->cl.clCreateKernel(l->program, "add", &code);
	return l->kernel ? true
			 : bench_cl_failed(message, "clCreateKernel", code);
}

/* Set every argument and enqueue the kernel: a program whose arguments change
   must do both. */
static inline int32_t launch_once(struct launch *l)
{
	const size_t range = (size_t)l->n;
	int32_t code = bench_cl_set_memory(l->cl, l->kernel, 0, &l->x);

	code |= bench_cl_set_memory(l->cl, l->kernel, 1, &l->y);
	code |= bench_cl_set_memory(l->cl, l->kernel, 2, &l->out);
	code |= l->cl->cl.clSetKernelArg(l->kernel, 3, sizeof(l->n), &l->n);
	if (code)
		return code;
	return l->cl->cl.clEnqueueNDRangeKernel(l->cl->queue, l->kernel, 1,
						NULL, &range, &range, 0, NULL,
						NULL);
}

static bool launch_many(void *launch, int count, double *seconds,
			struct message *message)
{
	struct launch *l = launch;
	const double begin = seconds_now();
	int32_t code = 0;

	for (int i = 0; i < count && !code; i++)
		code = launch_once(l);
	*seconds = seconds_now() - begin;
	code = code ? code : l->cl->cl.clFinish(l->cl->queue);
	return code ? bench_cl_failed(message, "launch", code) : true;
}

static bool launch_wait(void *launch, int count, struct message *message)
{
	struct launch *l = launch;
	int32_t code = 0;

	for (int i = 0; i < count && !code; i++) {
		code = launch_once(l);
		code = code ? code : l->cl->cl.clFinish(l->cl->queue);
	}
	return code ? bench_cl_failed(message, "launch", code) : true;
}

static bool event_wait(struct bench_driver *driver, int count,
		       struct message *message)
{
	struct bench_cl *b = (struct bench_cl *)driver;
	const struct cl_entries *cl = &b->cl;
	int32_t code = 0;

	for (int i = 0; i < count && !code; i++) {
		void *event = NULL;

		code = cl->clEnqueueMarkerWithWaitList(b->queue, 0, NULL,
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

static bool alloc(struct bench_driver *driver, size_t size, int count,
		  struct message *message)
{
	struct bench_cl *cl = (struct bench_cl *)driver;
	struct cl_memory made = { NULL, NULL };

	for (int i = 0; i < count; i++) {
		if (!bench_cl_alloc(cl, size, &made, message))
			return false;
		bench_cl_free(cl, &made);
	}
	return true;
}

static bool is_ordinary(const struct bench_memory *memory)
{
	return memory->is_host && !memory->usm;
}

/* Enqueue a copy.  *@waited: the call has waited, as a program would have it do
   with ordinary host memory. */
static int32_t copy_once(struct bench_cl *b, const struct bench_hop *hop,
			 bool *waited)
{
	const bool ordinary = is_ordinary(hop->to) || is_ordinary(hop->from);
	const struct cl_entries *cl = &b->cl;
	char *to = hop->to->at, *from = hop->from->at;

	*waited = ordinary || (b->path != CL_BUFFERS && b->is_cpu);
	if (b->path != CL_BUFFERS)
		return cl->clEnqueueSVMMemcpy(
			b->queue, *waited, to + hop->to_at, from + hop->from_at,
			hop->size, 0, NULL, NULL);
	if (hop->from->is_host)
		return cl->clEnqueueWriteBuffer(
			b->queue, to, *waited, hop->to_at, hop->size,
			from + hop->from_at, 0, NULL, NULL);
	if (hop->to->is_host)
		return cl->clEnqueueReadBuffer(b->queue, from, *waited,
					       hop->from_at, hop->size,
					       to + hop->to_at, 0, NULL, NULL);
	return cl->clEnqueueCopyBuffer(b->queue, from, to, hop->from_at,
				       hop->to_at, hop->size, 0, NULL, NULL);
}

static bool copy(struct bench_driver *driver, const struct bench_hop *hops,
		 size_t n, int count, struct message *message)
{
	struct bench_cl *cl = (struct bench_cl *)driver;
	bool waited = false;
	int32_t code = 0;

	for (int i = 0; i < count && !code; i++)
		for (size_t k = 0; k < n && !code; k++)
			code = copy_once(cl, &hops[k], &waited);
	if (!code && !waited)
		code = cl->cl.clFinish(cl->queue);
	return code ? bench_cl_failed(message, "copy", code) : true;
}

static void close_driver(struct bench_driver *driver)
{
	bench_cl_close((struct bench_cl *)driver);
}

#define LAUNCH_NAMES                                                     \
	[BASELINE_SMALL_ADD] = "four arguments, clEnqueueNDRangeKernel", \
	[BASELINE_KERNEL] = "four arguments, clEnqueueNDRangeKernel",    \
	[BASELINE_LAUNCH_WAIT] = "clEnqueueNDRangeKernel, clFinish",     \
	[BASELINE_EVENT_WAIT] = "a marker, clWaitForEvents"

static void set_driver(struct bench_cl *cl)
{
	static const struct bench_driver_calls calls = {
		.new_memory = new_memory,
		.free_memory = free_memory,
		.load = load,
		.unload = unload,
		.launch_many = launch_many,
		.launch_wait = launch_wait,
		.event_wait = event_wait,
		.alloc = alloc,
		.copy = copy,
		.close = close_driver,
	};
	static const char *const buffers[BASELINES] = {
		LAUNCH_NAMES,
		[BASELINE_ALLOC] = "clCreateBuffer, clReleaseMemObject",
		[BASELINE_ALLOC_LARGE] = "clCreateBuffer, clReleaseMemObject",
		[BASELINE_COPY] = "clEnqueueCopyBuffer",
		[BASELINE_WRITE] = "clEnqueueWriteBuffer",
		[BASELINE_READ] = "clEnqueueReadBuffer",
		[BASELINE_TRANSFER] = "clEnqueueWriteBuffer, "
				      "clEnqueueReadBuffer",
	};
	static const char *const svm[BASELINES] = {
		LAUNCH_NAMES,
		[BASELINE_ALLOC] = "clSVMAlloc, clSVMFree",
		[BASELINE_ALLOC_LARGE] = "clSVMAlloc, clSVMFree",
		[BASELINE_COPY] = "clEnqueueSVMMemcpy",
		[BASELINE_WRITE] = "clEnqueueSVMMemcpy",
		[BASELINE_READ] = "clEnqueueSVMMemcpy",
		[BASELINE_TRANSFER] = "clEnqueueSVMMemcpy there and back",
	};

	cl->driver.calls = &calls;
	cl->driver.names = cl->path == CL_BUFFERS ? buffers : svm;
}
