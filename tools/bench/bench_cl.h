/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_cl.h - OpenCL without dpr, for the baselines: the ICD loader opened at
 * run time, one device, a context and a queue of our own.
 *
 * Vendors' headers belong to the backends, and a tool must build without them:
 * what the baselines need of OpenCL's ABI is declared here.
 */
#ifndef TOOLS_BENCH_CL_H
#define TOOLS_BENCH_CL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/device.h>

#include "tools/bench/bench_driver.h"
#include "tools/shared/message.h"

/* X(return type, name, parameters) */
#define CL_ENTRIES(X)                                                          \
	X(int32_t, clGetPlatformIDs, (uint32_t, void **, uint32_t *))          \
	X(int32_t, clGetDeviceIDs,                                             \
	  (void *, uint64_t, uint32_t, void **, uint32_t *))                   \
	X(int32_t, clGetDeviceInfo,                                            \
	  (void *, uint32_t, size_t, void *, size_t *))                        \
	X(void *, clCreateContext,                                             \
	  (const intptr_t *, uint32_t, void *const *, void *, void *,          \
	   int32_t *))                                                         \
	X(int32_t, clReleaseContext, (void *))                                 \
	X(void *, clCreateCommandQueue, (void *, void *, uint64_t, int32_t *)) \
	X(int32_t, clReleaseCommandQueue, (void *))                            \
	X(void *, clCreateBuffer,                                              \
	  (void *, uint64_t, size_t, void *, int32_t *))                       \
	X(int32_t, clReleaseMemObject, (void *))                               \
	X(void *, clCreateProgramWithSource,                                   \
	  (void *, uint32_t, const char **, const size_t *, int32_t *))        \
	X(int32_t, clBuildProgram,                                             \
	  (void *, uint32_t, void *const *, const char *, void *, void *))     \
	X(int32_t, clReleaseProgram, (void *))                                 \
	X(void *, clCreateKernel, (void *, const char *, int32_t *))           \
	X(int32_t, clReleaseKernel, (void *))                                  \
	X(int32_t, clSetKernelArg, (void *, uint32_t, size_t, const void *))   \
	X(int32_t, clEnqueueNDRangeKernel,                                     \
	  (void *, void *, uint32_t, const size_t *, const size_t *,           \
	   const size_t *, uint32_t, void *const *, void **))                  \
	X(int32_t, clEnqueueReadBuffer,                                        \
	  (void *, void *, uint32_t, size_t, size_t, void *, uint32_t,         \
	   void *const *, void **))                                            \
	X(int32_t, clEnqueueWriteBuffer,                                       \
	  (void *, void *, uint32_t, size_t, size_t, const void *, uint32_t,   \
	   void *const *, void **))                                            \
	X(int32_t, clEnqueueCopyBuffer,                                        \
	  (void *, void *, void *, size_t, size_t, size_t, uint32_t,           \
	   void *const *, void **))                                            \
	X(int32_t, clEnqueueMarkerWithWaitList,                                \
	  (void *, uint32_t, void *const *, void **))                          \
	X(int32_t, clWaitForEvents, (uint32_t, void *const *))                 \
	X(int32_t, clReleaseEvent, (void *))                                   \
	X(int32_t, clFinish, (void *))
/* Entries that OpenCL 1.2 does not have. */
#define CL_ENTRIES_2(X)                                                        \
	X(void *, clSVMAlloc, (void *, uint64_t, size_t, uint32_t))            \
	X(void, clSVMFree, (void *, void *))                                   \
	X(int32_t, clSetKernelArgSVMPointer, (void *, uint32_t, const void *)) \
	X(int32_t, clEnqueueSVMMemcpy,                                         \
	  (void *, uint32_t, void *, const void *, size_t, uint32_t,           \
	   void *const *, void **))

struct cl_entries {
#define CL__X(type, name, parameters) type(*name) parameters;
	CL_ENTRIES(CL__X)
	CL_ENTRIES_2(CL__X)
#undef CL__X
};

struct bench_cl {
	struct bench_driver driver;
	struct cl_entries cl;
	void *device, *context, *queue;
	bool shares_context; /* the context is dpr's */
	bool is_cpu;
	enum { CL_BUFFERS, CL_SVM_COARSE, CL_SVM_FINE } path; /* as in dpr */
	size_t max_local;
	int platform, index; /* in OpenCL's lists; -1: not a root device */
};

/* Set the message to the name and the code of a failed call.  Returns false. */
bool bench_cl_failed(struct message *message, const char *call, int32_t code);

/* Open a queue of the driver for dpr's device.  On a GPU it uses dpr's context,
   so that the GPU need not switch contexts between the two sides.  NULL with a
   message. */
struct bench_cl *bench_cl_open(dpr_device *device, struct message *message);

/* Open a queue without dpr, for device @index of platform @platform.  Its
   memory is buffers.  NULL with a message. */
struct bench_cl *bench_cl_open_at(int platform, int index,
				  struct message *message);
void bench_cl_close(struct bench_cl *cl);

/* Memory of the kind that dpr uses on the device. */
struct cl_memory {
	void *svm, *buffer; /* exactly one is set */
};

bool bench_cl_alloc(struct bench_cl *cl, size_t size, struct cl_memory *out,
		    struct message *message);
void bench_cl_free(struct bench_cl *cl, struct cl_memory *memory);

/* Copy to or from device memory, and wait. */
bool bench_cl_write(struct bench_cl *cl, struct cl_memory *to, const void *from,
		    size_t size, struct message *message);
bool bench_cl_read(struct bench_cl *cl, void *to, struct cl_memory *from,
		   size_t size, struct message *message);

/* Build a program.  NULL with a message. */
void *bench_cl_build(struct bench_cl *cl, const char *source,
		     const char *options, struct message *message);
int32_t bench_cl_set_memory(const struct bench_cl *cl, void *kernel,
			    uint32_t index, struct cl_memory *memory);

#endif
