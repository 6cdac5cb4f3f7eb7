/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cuda.c - the driver of a CUDA device, without dpr. */
#include "tools/bench/bench_cuda.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/runtime.h>

#include "tools/bench/bench_calls.h"
#include "tools/bench/bench_side.h"

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

void *bench_cuda_kernel(const struct bench_cuda *cuda, const char *name,
			struct message *message)
{
	void *kernel = NULL;
	int code = cuda->cu.cuLibraryGetKernel(&kernel, cuda->library, name);

	if (!code)
		return kernel;
	bench_cuda_failed(message, "cuLibraryGetKernel", code);
	return NULL;
}

uint64_t bench_cuda_address(const dpr_usm *usm, struct message *message)
{
	uintptr_t base;
	size_t offset;

	if (!dpr_usm_native(usm, &base, &offset))
		return base + offset;
	bench_side_failed(message);
	return 0;
}
