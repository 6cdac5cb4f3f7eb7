/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_cuda.h - NVIDIA's driver without dpr, for the baselines: its library
 * opened at run time as the backend opens it, in dpr's own context and stream.
 * With a context of its own, the card would switch contexts between the two
 * sides.
 *
 * Vendors' headers belong to the backends, and a tool must build without them:
 * what the baselines need of CUDA's ABI is declared here.
 */
#ifndef TOOLS_BENCH_CUDA_H
#define TOOLS_BENCH_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/device.h>
#include <dpr/queue.h>

#include "tools/bench/bench_driver.h"
#include "tools/shared/message.h"

/* X(name, the version of CUDA that introduced this signature, parameters) */
#define CUDA_ENTRIES(X)                                                        \
	X(cuInit, 2000, (unsigned))                                            \
	X(cuDeviceGet, 2000, (int *, int))                                     \
	X(cuDevicePrimaryCtxRetain, 7000, (void **, int))                      \
	X(cuDevicePrimaryCtxRelease, 11000, (int))                             \
	X(cuCtxPushCurrent, 4000, (void *))                                    \
	X(cuCtxPopCurrent, 4000, (void **))                                    \
	X(cuMemAlloc, 3020, (uint64_t *, size_t))                              \
	X(cuMemFree, 3020, (uint64_t))                                         \
	X(cuMemAllocAsync, 11020, (uint64_t *, size_t, void *))                \
	X(cuMemFreeAsync, 11020, (uint64_t, void *))                           \
	X(cuMemcpyAsync, 4000, (uint64_t, uint64_t, size_t, void *))           \
	X(cuMemcpyPeerAsync, 4000,                                             \
	  (uint64_t, void *, uint64_t, void *, size_t, void *))                \
	X(cuMemsetD32Async, 3020, (uint64_t, unsigned, size_t, void *))        \
	X(cuStreamCreateWithPriority, 5050, (void **, unsigned, int))          \
	X(cuStreamDestroy, 4000, (void *))                                     \
	X(cuStreamSynchronize, 2000, (void *))                                 \
	X(cuEventCreate, 2000, (void **, unsigned))                            \
	X(cuEventRecord, 2000, (void *, void *))                               \
	X(cuEventSynchronize, 2000, (void *))                                  \
	X(cuEventDestroy, 4000, (void *))                                      \
	X(cuLinkCreate, 6050, (unsigned, int *, void **, void **))             \
	X(cuLinkAddData, 6050,                                                 \
	  (void *, int, void *, size_t, const char *, unsigned, int *,         \
	   void **))                                                           \
	X(cuLinkComplete, 5050, (void *, void **, size_t *))                   \
	X(cuLinkDestroy, 5050, (void *))                                       \
	X(cuLibraryLoadData, 12000,                                            \
	  (void **, const void *, int *, void **, unsigned, int *, void **,    \
	   unsigned))                                                          \
	X(cuLibraryUnload, 12000, (void *))                                    \
	X(cuLibraryGetKernel, 12000, (void **, void *, const char *))          \
	X(cuLaunchKernel, 4000,                                                \
	  (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
	   unsigned, void *, void **, void **))

struct cuda_entries {
#define CUDA__X(name, version, parameters) int(*name) parameters;
	CUDA_ENTRIES(CUDA__X)
#undef CUDA__X
};

/* Constants of CUDA's ABI. */
#define CUDA_STREAM_NON_BLOCKING 1
#define CUDA_EVENT_DISABLE_TIMING 2
#define CUDA_JIT_INPUT_PTX 1

struct bench_cuda {
	struct bench_driver driver;
	struct cuda_entries cu;
	dpr_queue *queue;
	int device;             /* CUdevice */
	void *context, *stream; /* those of dpr */
	void *library;          /* the kernels of bench_calls_ptx */
	bool is_part;           /* the device is a part of a card */
};

/* Set the message to the name and the code of a failed call.  Returns false. */
bool bench_cuda_failed(struct message *message, const char *call, int code);

/* Open the driver's library and find its entries. */
bool bench_cuda_load(struct cuda_entries *cu, struct message *message);

/* Open the driver for dpr's device, with the context and stream of @queue.
   NULL with a message. */
struct bench_cuda *bench_cuda_open(dpr_device *device, dpr_queue *queue,
				   struct message *message);
void bench_cuda_close(struct bench_cuda *cuda);

#endif
