/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_ze.h - Level Zero without dpr, for the baselines: its loader opened at
 * run time as the backend opens it, and an immediate list in dpr's own context.
 *
 * Vendors' headers belong to the backends, and a tool must build without them:
 * what the baselines need of Level Zero's ABI is declared here.
 */
#ifndef TOOLS_BENCH_ZE_H
#define TOOLS_BENCH_ZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/device.h>
#include <dpr/queue.h>
#include <dpr/usm.h>

#include "tools/bench/bench_driver.h"
#include "tools/shared/message.h"

/* Constants of Level Zero's ABI. */
#define ZE_STYPE_GROUP_PROPERTIES 0x6
#define ZE_STYPE_CONTEXT_DESC 0xd
#define ZE_STYPE_QUEUE_DESC 0xe
#define ZE_STYPE_POOL_DESC 0x10
#define ZE_STYPE_EVENT_DESC 0x11
#define ZE_STYPE_MEMORY_DESC 0x15
#define ZE_STYPE_MODULE_DESC 0x1b
#define ZE_STYPE_KERNEL_DESC 0x1d
#define ZE_GROUP_COMPUTE 1u
#define ZE_QUEUE_IN_ORDER 2u /* from version 1.9 on */
#define ZE_QUEUE_ASYNCHRONOUS 2
#define ZE_POOL_HOST_VISIBLE 1u
#define ZE_SCOPE_HOST 4u
#define ZE_FORMAT_SPIRV 0
#define ZE_FORMAT_NATIVE 1
#define ZE_VERSION_1_9 0x10009u

struct ze_head {
	int stype;
	const void *next;
};

struct ze_group_properties {
	struct ze_head head;
	uint32_t flags;
	size_t max_fill;
	uint32_t n_queues;
};

struct ze_context_desc {
	struct ze_head head;
	uint32_t flags;
};

struct ze_queue_desc {
	struct ze_head head;
	uint32_t ordinal, index, flags;
	int mode, priority;
};

struct ze_pool_desc {
	struct ze_head head;
	uint32_t flags, count;
};

struct ze_event_desc {
	struct ze_head head;
	uint32_t index, signal, wait;
};

struct ze_memory_desc {
	struct ze_head head;
	uint32_t flags, ordinal;
};

struct ze_module_desc {
	struct ze_head head;
	int format;
	size_t size;
	const void *input;
	const char *flags;
	const void *constants;
};

struct ze_kernel_desc {
	struct ze_head head;
	uint32_t flags;
	const char *name;
};

struct ze_groups {
	uint32_t x, y, z;
};

/* X(name, parameters) */
#define ZE_ENTRIES(X)                                                         \
	X(zeInit, (uint32_t))                                                 \
	X(zeDriverGet, (uint32_t *, void **))                                 \
	X(zeDriverGetApiVersion, (void *, uint32_t *))                        \
	X(zeDeviceGet, (void *, uint32_t *, void **))                         \
	X(zeDeviceGetCommandQueueGroupProperties,                             \
	  (void *, uint32_t *, struct ze_group_properties *))                 \
	X(zeContextCreate, (void *, const struct ze_context_desc *, void **)) \
	X(zeContextDestroy, (void *))                                         \
	X(zeCommandListCreateImmediate,                                       \
	  (void *, void *, const struct ze_queue_desc *, void **))            \
	X(zeCommandListDestroy, (void *))                                     \
	X(zeCommandListAppendLaunchKernel,                                    \
	  (void *, void *, const struct ze_groups *, void *, uint32_t,        \
	   void **))                                                          \
	X(zeCommandListAppendBarrier, (void *, void *, uint32_t, void **))    \
	X(zeCommandListAppendMemoryCopy,                                      \
	  (void *, void *, const void *, size_t, void *, uint32_t, void **))  \
	X(zeEventPoolCreate,                                                  \
	  (void *, const struct ze_pool_desc *, uint32_t, void **, void **))  \
	X(zeEventPoolDestroy, (void *))                                       \
	X(zeEventCreate, (void *, const struct ze_event_desc *, void **))     \
	X(zeEventDestroy, (void *))                                           \
	X(zeEventHostSynchronize, (void *, uint64_t))                         \
	X(zeEventHostReset, (void *))                                         \
	X(zeModuleCreate,                                                     \
	  (void *, void *, const struct ze_module_desc *, void **, void **))  \
	X(zeModuleDestroy, (void *))                                          \
	X(zeModuleGetNativeBinary, (void *, size_t *, unsigned char *))       \
	X(zeKernelCreate, (void *, const struct ze_kernel_desc *, void **))   \
	X(zeKernelDestroy, (void *))                                          \
	X(zeKernelSetGroupSize, (void *, uint32_t, uint32_t, uint32_t))       \
	X(zeKernelSetArgumentValue, (void *, uint32_t, size_t, const void *)) \
	X(zeMemAllocDevice, (void *, const struct ze_memory_desc *, size_t,   \
			     size_t, void *, void **))                        \
	X(zeMemFree, (void *, void *))

struct ze_entries {
#define ZE__X(name, parameters) int(*name) parameters;
	ZE_ENTRIES(ZE__X)
#undef ZE__X
};

/* A device that is used without dpr.  Only the handles of device and context
   come from dpr. */
struct bench_ze {
	struct bench_driver driver;
	dpr_queue *queue; /* dpr's */
	struct ze_entries ze;
	unsigned driver_index, index;
	void *handle, *device, *context; /* handle: the driver */
	void *list; /* immediate, on the first engine group that can compute */
	bool in_order; /* the list is; else each command waits for an event */
	void *module;  /* the kernels of bench_ze_spirv */
	bool is_part;  /* the device is a tile of a root device */
	/* Events for the commands between two waits, and another one for the
	   wait after a failure. */
	void *pool, *events[BENCH_DRIVER_QUEUED + 1];
};

/* Set the message to the name and the code of a failed call.  Returns false. */
bool bench_ze_failed(struct message *message, const char *call, int code);

/* Open the loader and find its entries. */
bool bench_ze_load(struct ze_entries *ze, struct message *message);

/* Find the device at these indexes in the loader's lists. */
bool bench_ze_find(struct bench_ze *b, unsigned driver, unsigned index,
		   struct message *message);

/* Make the list, for the device and the context in *@b. */
bool bench_ze_make_list(struct bench_ze *b, struct message *message);

/* Load a module. */
bool bench_ze_make_module(struct bench_ze *b, int format, const void *input,
			  size_t size, struct message *message);

/* Open dpr's device and context, with a list and a module of our own.  NULL
   with a message. */
struct bench_ze *bench_ze_open(dpr_device *device, dpr_queue *queue,
			       struct message *message);
void bench_ze_close(struct bench_ze *b);

/* Get a kernel of the module.  NULL with a message. */
void *bench_ze_kernel(const struct bench_ze *b, const char *name,
		      struct message *message);

/* Make @n events, and a pool for them.  False with a message. */
bool bench_ze_make_events(const struct bench_ze *b, void **pool, void **events,
			  unsigned n, struct message *message);
void bench_ze_drop_events(const struct bench_ze *b, void *pool, void **events,
			  unsigned n);

#endif
