/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cuda.c - the driver of a CUDA device, without dpr. */
#include "tools/bench/bench_cuda.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/runtime.h>

#include "tools/bench/bench_calls.h"
#include "tools/bench/bench_side.h"
#include "tools/shared/seconds.h"

/* A flag of cuGetProcAddress(). */
#define LEGACY_STREAM 1

typedef int get_entry(const char *name, void **out, int version, uint64_t flags,
		      int *result);

bool bench_cuda_failed(struct message *message, const char *call, int code)
{
	return message_set(message, "the baseline's %s failed (%d)", call,
			   code);
}

bool bench_cuda_load(struct cuda_entries *cu, struct message *message)
{
	/* Never close the library, because dpr uses it, too. */
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	void *entry;
	get_entry *get;

	if (!library)
		return message_set(message, "%s", dlerror());
	entry = dlsym(library, "cuGetProcAddress_v2");
	if (!entry)
		return message_set(message, "libcuda.so.1 has no "
					    "cuGetProcAddress_v2");
	memcpy(&get, &entry, sizeof(entry));
#define CUDA__X(name, version, parameters)                                 \
	entry = NULL;                                                      \
	if (get(#name, &entry, version, LEGACY_STREAM, NULL) || !entry)    \
		return message_set(message, "libcuda.so.1 has no " #name); \
	memcpy(&cu->name, &entry, sizeof(entry));
	CUDA_ENTRIES(CUDA__X)
#undef CUDA__X
	return true;
}

static bool open_handles(struct bench_cuda *cuda, dpr_device *device,
			 struct message *message)
{
	uintptr_t id, context, stream;
	int code;

	if (dpr_device_native(device, DPR_NATIVE_DEVICE, &id) ||
	    dpr_device_native(device, DPR_NATIVE_CONTEXT, &context) ||
	    dpr_queue_native(cuda->queue, &stream))
		return bench_side_failed(message);
	cuda->device = (int)id;
	cuda->context = (void *)context;
	cuda->stream = (void *)stream;
	code = cuda->cu.cuLibraryLoadData(&cuda->library, bench_calls_ptx, NULL,
					  NULL, 0, NULL, NULL, 0);
	return code ? bench_cuda_failed(message, "cuLibraryLoadData", code)
		    : true;
}

/* At the end of this file. */
static void set_driver(struct bench_cuda *cuda);

struct bench_cuda *bench_cuda_open(dpr_device *device, dpr_queue *queue,
				   struct message *message)
{
	struct bench_cuda *cuda = calloc(1, sizeof(*cuda));

	if (!cuda) {
		message_record(message, "no memory for a driver");
		return NULL;
	}
	cuda->queue = queue;
	cuda->is_part = dpr_device_root(device) != device;
	set_driver(cuda);
	if (bench_cuda_load(&cuda->cu, message) &&
	    open_handles(cuda, device, message))
		return cuda;
	bench_cuda_close(cuda);
	return NULL;
}

void bench_cuda_close(struct bench_cuda *cuda)
{
	if (!cuda)
		return;
	if (cuda->library)
		cuda->cu.cuLibraryUnload(cuda->library);
	free(cuda);
}

/* --- The interface of baselines ----------------------------------------------
 */

struct launch {
	struct bench_cuda *cuda;
	void *kernel;
	unsigned groups, group;
	uint64_t x, y, out;
	int n;
	bool is_sum; /* the kernel adds to `out`, so that this begins with 0 */
	void *arguments[4];
};

static void unload(void *launch)
{
	free(launch);
}

/* Set the arguments: x, y, out and n; without y for a sum. */
static void set_arguments(struct launch *l, const struct bench_work *work)
{
	void **next = l->arguments;

	l->x = (uintptr_t)work->x->at;
	l->out = (uintptr_t)work->out->at;
	l->n = work->n;
	*next++ = &l->x;
	if (work->y) {
		l->y = (uintptr_t)work->y->at;
		*next++ = &l->y;
	}
	*next++ = &l->out;
	*next = &l->n;
}

static bool load(struct bench_driver *driver, const struct bench_work *work,
		 void **launch, struct message *message)
{
	static const char *const names[] = { [KERNEL_DPR_ADD] = "add",
					     [KERNEL_ADD] = "add",
					     [KERNEL_NOTHING] = "nothing",
					     [KERNEL_SUM] = "sum" };
	struct bench_cuda *cuda = (struct bench_cuda *)driver;
	struct launch *l = calloc(1, sizeof(*l));
	int code;

	*launch = l;
	if (!l)
		return message_set(message, "no memory for a baseline");
	l->cuda = cuda;
	l->is_sum = work->kernel == KERNEL_SUM;
	l->groups = work->groups;
	l->group = bench_driver_group(work->kernel);
	set_arguments(l, work);
	code = cuda->cu.cuLibraryGetKernel(&l->kernel, cuda->library,
					   names[work->kernel]);
	return code ? bench_cuda_failed(message, "cuLibraryGetKernel", code)
		    : true;
}

static inline int launch_once(struct launch *l)
{
	const struct cuda_entries *cu = &l->cuda->cu;
	int code = l->is_sum
			   ? cu->cuMemsetD32Async(l->out, 0, 1, l->cuda->stream)
			   : 0;

	return code ? code
		    : cu->cuLaunchKernel(l->kernel, l->groups, 1, 1, l->group,
					 1, 1, 0, l->cuda->stream, l->arguments,
					 NULL);
}

static bool wait_stream(const struct bench_cuda *cuda, int code,
			const char *call, struct message *message)
{
	if (code)
		return bench_cuda_failed(message, call, code);
	code = cuda->cu.cuStreamSynchronize(cuda->stream);
	return code ? bench_cuda_failed(message, "cuStreamSynchronize", code)
		    : true;
}

static bool launch_many(void *launch, int count, double *seconds,
			struct message *message)
{
	struct launch *l = launch;
	const double begin = seconds_now();
	int code = 0;

	for (int i = 0; i < count && !code; i++)
		code = launch_once(l);
	*seconds = seconds_now() - begin;
	return wait_stream(l->cuda, code, "launch", message);
}

static bool launch_wait(void *launch, int count, struct message *message)
{
	struct launch *l = launch;

	for (int i = 0; i < count; i++)
		if (!wait_stream(l->cuda, launch_once(l), "launch", message))
			return false;
	return true;
}

static bool event_wait(struct bench_driver *driver, int count,
		       struct message *message)
{
	struct bench_cuda *cuda = (struct bench_cuda *)driver;
	const struct cuda_entries *cu = &cuda->cu;
	void *event, *was;
	int code = cu->cuCtxPushCurrent(cuda->context);

	if (code)
		return bench_cuda_failed(message, "cuCtxPushCurrent", code);
	code = cu->cuEventCreate(&event, CUDA_EVENT_DISABLE_TIMING);
	cu->cuCtxPopCurrent(&was);
	if (code)
		return bench_cuda_failed(message, "cuEventCreate", code);
	for (int i = 0; i < count && !code; i++) {
		code = cu->cuEventRecord(event, cuda->stream);
		code = code ? code : cu->cuEventSynchronize(event);
	}
	cu->cuEventDestroy(event);
	return code ? bench_cuda_failed(message, "event", code) : true;
}

/* Allocate from the driver's own pool. */
static bool alloc(struct bench_driver *driver, size_t size, int count,
		  struct message *message)
{
	struct bench_cuda *cuda = (struct bench_cuda *)driver;
	const struct cuda_entries *cu = &cuda->cu;
	uint64_t memory;
	void *was;
	int code = cu->cuCtxPushCurrent(cuda->context);

	if (code)
		return bench_cuda_failed(message, "cuCtxPushCurrent", code);
	for (int i = 0; i < count && !code; i++) {
		code = cu->cuMemAllocAsync(&memory, size, cuda->stream);
		code = code ? code : cu->cuMemFreeAsync(memory, cuda->stream);
	}
	cu->cuCtxPopCurrent(&was);
	return code ? bench_cuda_failed(message, "cuMemAllocAsync", code)
		    : true;
}

static int copy_once(const struct bench_cuda *cuda, const struct bench_hop *hop)
{
	const uint64_t to = (uintptr_t)hop->to->at + hop->to_at;
	const uint64_t from = (uintptr_t)hop->from->at + hop->from_at;

	if (hop->to->context)
		return cuda->cu.cuMemcpyPeerAsync(to, hop->to->context, from,
						  cuda->context, hop->size,
						  cuda->stream);
	return cuda->cu.cuMemcpyAsync(to, from, hop->size, cuda->stream);
}

static bool copy(struct bench_driver *driver, const struct bench_hop *hops,
		 size_t n, int count, struct message *message)
{
	struct bench_cuda *cuda = (struct bench_cuda *)driver;
	int code = 0;

	for (int i = 0; i < count && !code; i++)
		for (size_t k = 0; k < n && !code; k++)
			code = copy_once(cuda, &hops[k]);
	return wait_stream(cuda, code, "copy", message);
}

static void close_driver(struct bench_driver *driver)
{
	bench_cuda_close((struct bench_cuda *)driver);
}

static void set_driver(struct bench_cuda *cuda)
{
	static const struct bench_driver_calls calls = {
		.load = load,
		.unload = unload,
		.launch_many = launch_many,
		.launch_wait = launch_wait,
		.event_wait = event_wait,
		.alloc = alloc,
		.copy = copy,
		.close = close_driver,
	};
	static const char *const names[BASELINES] = {
		[BASELINE_SMALL_ADD] = "cuLaunchKernel with the same arguments",
		[BASELINE_KERNEL] = "cuLaunchKernel of the same kernel",
		[BASELINE_LAUNCH] = "cuLaunchKernel of it",
		[BASELINE_LAUNCH_WAIT] = "cuLaunchKernel, cuStreamSynchronize",
		[BASELINE_EVENT_WAIT] = "cuEventRecord, cuEventSynchronize",
		[BASELINE_ALLOC] = "cuMemAllocAsync, cuMemFreeAsync",
		[BASELINE_ALLOC_LARGE] = "cuMemAllocAsync, cuMemFreeAsync",
		[BASELINE_SUM] = "a kernel in groups of 256",
		[BASELINE_COPY] = "cuMemcpyAsync within the device",
		[BASELINE_WRITE] = "cuMemcpyAsync from pinned memory",
		[BASELINE_READ] = "cuMemcpyAsync to pinned memory",
		[BASELINE_TRANSFER] = "pinned memory there and back",
		[BASELINE_TO_CPU] = "cuMemcpyAsync to pinned memory",
		[BASELINE_TO_OPENCL] = "clEnqueueWriteBuffer from the same "
				       "chunks",
		[BASELINE_PEER] = "cuMemcpyPeerAsync",
	};

	cuda->driver.calls = &calls;
	cuda->driver.names = names;
	/* An event belongs to one context, and a part of a card has another
	   context than the card. */
	if (cuda->is_part)
		cuda->driver.no_events = "a part of a device";
}
