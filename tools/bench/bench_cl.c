/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cl.c - the driver of an OpenCL device, without dpr. */
#include "tools/bench/bench_cl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/runtime.h>

#include "tools/bench/bench_side.h"

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
