/* SPDX-License-Identifier: Apache-2.0 */
/* bench_ze.c - a Level Zero device, without dpr. */
#include "tools/bench/level_zero/bench_ze.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/runtime.h>

#include "tools/bench/bench_calls.h"
#include "tools/bench/bench_side.h"
#include "tools/bench/level_zero/bench_ze_spirv.h"
#include "tools/shared/seconds.h"

enum { N_EVENTS = BENCH_DRIVER_QUEUED + 1 };
enum { MOST_DRIVERS = 8, MOST_DEVICES = 64, MOST_GROUPS = 16 };

bool bench_ze_failed(struct message *message, const char *call, int code)
{
	return message_set(message, "the baseline's %s failed (%#x)", call,
			   (unsigned)code);
}

bool bench_ze_load(struct ze_entries *ze, struct message *message)
{
	/* Never close the library, because dpr uses it, too. */
	void *library = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
	void *entry;

	if (!library)
		return message_set(message, "%s", dlerror());
#define ZE__X(name, parameters)                                        \
	entry = dlsym(library, #name);                                 \
	if (!entry)                                                    \
		return message_set(message,                            \
				   "libze_loader.so.1 has no " #name); \
	memcpy(&ze->name, &entry, sizeof(entry));
	ZE_ENTRIES(ZE__X)
#undef ZE__X
	return true;
}

/* --- Finding the device --------------------------------------------------- */

/* List the devices of a driver.  Returns how many there are. */
static uint32_t list_devices(const struct bench_ze *b, void *driver,
			     void **devices)
{
	uint32_t n = MOST_DEVICES;

	return b->ze.zeDeviceGet(driver, &n, devices) ? 0 : n;
}

static uint32_t list_drivers(const struct bench_ze *b, void **drivers)
{
	uint32_t n = MOST_DRIVERS;

	return b->ze.zeDriverGet(&n, drivers) ? 0 : n;
}

bool bench_ze_find(struct bench_ze *b, unsigned driver, unsigned index,
		   struct message *message)
{
	void *drivers[MOST_DRIVERS], *devices[MOST_DEVICES];

	if (driver >= list_drivers(b, drivers) ||
	    index >= list_devices(b, drivers[driver], devices))
		return message_set(message,
				   "there is no device %u of driver %u", index,
				   driver);
	b->driver_index = driver;
	b->index = index;
	b->handle = drivers[driver];
	b->device = devices[index];
	return true;
}

/* Find the root device with this handle, and its indexes in the driver's
   lists. */
static bool find_handle(struct bench_ze *b, void *handle,
			struct message *message)
{
	void *drivers[MOST_DRIVERS], *devices[MOST_DEVICES];
	uint32_t n = list_drivers(b, drivers), n_devices, i, k;

	for (i = 0; i < n; i++) {
		n_devices = list_devices(b, drivers[i], devices);
		for (k = 0; k < n_devices; k++)
			if (devices[k] == handle)
				return bench_ze_find(b, i, k, message);
	}
	return message_set(message, "the driver does not list dpr's device");
}

/* --- List and module ------------------------------------------------------ */

/* The ordinal of the first group of engines that can compute. */
static uint32_t find_group(const struct bench_ze *b)
{
	struct ze_group_properties groups[MOST_GROUPS];
	uint32_t n = MOST_GROUPS, i;

	memset(groups, 0, sizeof(groups));
	for (i = 0; i < MOST_GROUPS; i++)
		groups[i].head.stype = ZE_STYPE_GROUP_PROPERTIES;
	if (b->ze.zeDeviceGetCommandQueueGroupProperties(b->device, &n, groups))
		return 0;
	for (i = 0; i < n; i++)
		if (groups[i].flags & ZE_GROUP_COMPUTE)
			return i;
	return 0;
}

bool bench_ze_make_list(struct bench_ze *b, struct message *message)
{
	struct ze_queue_desc desc = { .head = { ZE_STYPE_QUEUE_DESC, NULL },
				      .ordinal = find_group(b),
				      .mode = ZE_QUEUE_ASYNCHRONOUS };
	uint32_t version = 0;
	int code = 1;

	if (!b->ze.zeDriverGetApiVersion(b->handle, &version) &&
	    version >= ZE_VERSION_1_9) {
		desc.flags = ZE_QUEUE_IN_ORDER;
		code = b->ze.zeCommandListCreateImmediate(b->context, b->device,
							  &desc, &b->list);
	}
	b->in_order = !code;
	desc.flags = 0;
	if (code)
		code = b->ze.zeCommandListCreateImmediate(b->context, b->device,
							  &desc, &b->list);
	if (!code)
		return true;
	b->list = NULL;
	return bench_ze_failed(message, "zeCommandListCreateImmediate", code);
}

bool bench_ze_make_module(struct bench_ze *b, int format, const void *input,
			  size_t size, struct message *message)
{
	const struct ze_module_desc desc = {
		.head = { ZE_STYPE_MODULE_DESC, NULL },
		.format = format,
		.size = size,
		.input = input,
	};
	int code = b->ze.zeModuleCreate(b->context, b->device, &desc,
					&b->module, NULL);

	if (!code)
		return true;
	b->module = NULL;
	return bench_ze_failed(message, "zeModuleCreate", code);
}

static bool open_device(struct bench_ze *b, dpr_device *device,
			struct message *message)
{
	uintptr_t root, own, context;

	if (dpr_device_native(dpr_device_root(device), DPR_NATIVE_DEVICE,
			      &root) ||
	    dpr_device_native(device, DPR_NATIVE_DEVICE, &own) ||
	    dpr_device_native(device, DPR_NATIVE_CONTEXT, &context))
		return bench_side_failed(message);
	if (!find_handle(b, (void *)root, message))
		return false;
	b->device = (void *)own;
	b->context = (void *)context;
	return bench_ze_make_list(b, message) &&
	       bench_ze_make_module(b, ZE_FORMAT_SPIRV, bench_ze_spirv,
				    bench_ze_spirv_size, message) &&
	       bench_ze_make_events(b, &b->pool, b->events, N_EVENTS, message);
}

/* At the end of this file. */
static void set_driver(struct bench_ze *b);

struct bench_ze *bench_ze_open(dpr_device *device, dpr_queue *queue,
			       struct message *message)
{
	struct bench_ze *b = calloc(1, sizeof(*b));

	if (!b) {
		message_record(message, "no memory for a driver");
		return NULL;
	}
	b->queue = queue;
	b->is_part = dpr_device_root(device) != device;
	set_driver(b);
	if (bench_ze_load(&b->ze, message) && open_device(b, device, message))
		return b;
	bench_ze_close(b);
	return NULL;
}

void bench_ze_close(struct bench_ze *b)
{
	if (!b)
		return;
	bench_ze_drop_events(b, b->pool, b->events, N_EVENTS);
	if (b->module)
		b->ze.zeModuleDestroy(b->module);
	if (b->list)
		b->ze.zeCommandListDestroy(b->list);
	free(b);
}

void *bench_ze_kernel(const struct bench_ze *b, const char *name,
		      struct message *message)
{
	const struct ze_kernel_desc desc = {
		.head = { ZE_STYPE_KERNEL_DESC, NULL }, .name = name
	};
	void *kernel = NULL;
	int code = b->ze.zeKernelCreate(b->module, &desc, &kernel);

	if (!code)
		return kernel;
	bench_ze_failed(message, "zeKernelCreate", code);
	return NULL;
}

/* --- Events -----------------------------------------------------------------
 */

bool bench_ze_make_events(const struct bench_ze *b, void **pool, void **events,
			  unsigned n, struct message *message)
{
	const struct ze_pool_desc desc = { .head = { ZE_STYPE_POOL_DESC, NULL },
					   .flags = ZE_POOL_HOST_VISIBLE,
					   .count = n };
	struct ze_event_desc event = { .head = { ZE_STYPE_EVENT_DESC, NULL },
				       .signal = ZE_SCOPE_HOST,
				       .wait = ZE_SCOPE_HOST };
	int code = b->ze.zeEventPoolCreate(b->context, &desc, 0, NULL, pool);

	memset(events, 0, n * sizeof(*events));
	if (code) {
		*pool = NULL;
		return bench_ze_failed(message, "zeEventPoolCreate", code);
	}
	for (; event.index < n && !code; event.index++)
		code = b->ze.zeEventCreate(*pool, &event, &events[event.index]);
	return code ? bench_ze_failed(message, "zeEventCreate", code) : true;
}

void bench_ze_drop_events(const struct bench_ze *b, void *pool, void **events,
			  unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (events[i])
			b->ze.zeEventDestroy(events[i]);
	if (pool)
		b->ze.zeEventPoolDestroy(pool);
}

/* --- The interface of baselines ----------------------------------------------
 *
 * Commands run in order: by the list's flag, or each command waits for the
 * event of the previous command.
 */

/* The argument of dpr's elementwise kernels beside the pointers: 432 bytes. */
struct walk_like {
	int64_t before[3], count, behind[50];
};

/* The event that command @i of @n signals, or NULL. */
static inline void *signal_of(const struct bench_ze *b, unsigned i, unsigned n)
{
	return b->in_order && i + 1 < n ? NULL : b->events[i];
}

static inline unsigned count_waits(const struct bench_ze *b, unsigned i)
{
	return i && !b->in_order;
}

/* The events that command @i waits for. */
static inline void **waits_of(struct bench_ze *b, unsigned i)
{
	return count_waits(b, i) ? &b->events[i - 1] : NULL;
}

/* A command failed.  Wait for those before, and make new events: some may be
   signalled.  Sets the message and returns false. */
static bool command_failed(struct bench_ze *b, const char *call, int code,
			   struct message *message)
{
	struct message ignored = MESSAGE_NONE;
	void *last = b->events[BENCH_DRIVER_QUEUED];

	if (last && !b->ze.zeCommandListAppendBarrier(b->list, last, 0, NULL))
		b->ze.zeEventHostSynchronize(last, UINT64_MAX);
	bench_ze_drop_events(b, b->pool, b->events, N_EVENTS);
	bench_ze_make_events(b, &b->pool, b->events, N_EVENTS, &ignored);
	message_clear(&ignored);
	return bench_ze_failed(message, call, code);
}

/* Wait for the last of @n commands, and reset their events. */
static bool finish(struct bench_ze *b, unsigned n, struct message *message)
{
	int code = b->ze.zeEventHostSynchronize(b->events[n - 1], UINT64_MAX);

	if (code)
		return command_failed(b, "zeEventHostSynchronize", code,
				      message);
	for (unsigned i = b->in_order ? n - 1 : 0; i < n && !code; i++)
		code = b->ze.zeEventHostReset(b->events[i]);
	return code ? command_failed(b, "zeEventHostReset", code, message)
		    : true;
}

/* A launch: of one kernel, or of two kernels for a sum. */
struct launch {
	struct bench_ze *b;
	void *kernels[2];
	struct ze_groups groups[2];
	unsigned n;
	struct bench_memory parts; /* the sums of the groups */
};

static void unload(void *launch)
{
	struct launch *l = launch;

	for (unsigned i = 0; i < 2; i++)
		if (l->kernels[i])
			l->b->ze.zeKernelDestroy(l->kernels[i]);
	bench_driver_free(&l->b->driver, &l->parts);
	free(l);
}

/* Add a kernel with these memories as its first arguments, and @last as its
   last argument. */
static bool add_kernel(struct launch *l, enum bench_kernel kernel,
		       unsigned groups,
		       const struct bench_memory *const memory[3],
		       const void *last, size_t size, struct message *message)
{
	static const char *const names[] = { [KERNEL_DPR_ADD] = "add_walk",
					     [KERNEL_ADD] = "add",
					     [KERNEL_NOTHING] = "nothing",
					     [KERNEL_SUM] = "sum" };
	const struct ze_entries *ze = &l->b->ze;
	void *made = bench_ze_kernel(l->b, names[kernel], message);
	uint32_t i = 0;
	int code;

	if (!made)
		return false;
	l->groups[l->n] = (struct ze_groups){ groups, 1, 1 };
	l->kernels[l->n++] = made;
	code = ze->zeKernelSetGroupSize(made, bench_driver_group(kernel), 1, 1);
	if (code)
		return bench_ze_failed(message, "zeKernelSetGroupSize", code);
	for (; i < 3 && memory[i] && !code; i++)
		code = ze->zeKernelSetArgumentValue(
			made, i, sizeof(memory[i]->at), &memory[i]->at);
	if (size && !code)
		code = ze->zeKernelSetArgumentValue(made, i, size, last);
	return code ? bench_ze_failed(message, "zeKernelSetArgumentValue", code)
		    : true;
}

/* The sum of each group, and the sum of these by one group. */
static bool add_sums(struct launch *l, const struct bench_work *work,
		     struct message *message)
{
	const struct bench_memory *first[3] = { work->x, &l->parts, NULL };
	const struct bench_memory *second[3] = { &l->parts, work->out, NULL };

	return bench_driver_alloc(&l->b->driver, l->b->queue, false,
				  work->groups * sizeof(float), &l->parts,
				  message) &&
	       add_kernel(l, KERNEL_SUM, work->groups, first, &work->n,
			  sizeof(work->n), message) &&
	       add_kernel(l, KERNEL_SUM, 1, second, &work->groups,
			  sizeof(work->groups), message);
}

static bool load(struct bench_driver *driver, const struct bench_work *work,
		 void **launch, struct message *message)
{
	const struct walk_like walk = { .count = work->n };
	const struct bench_memory *none[3] = { NULL, NULL, NULL };
	const struct bench_memory *dpr[3] = { work->out, work->x, work->y };
	const struct bench_memory *user[3] = { work->x, work->y, work->out };
	struct launch *l = calloc(1, sizeof(*l));

	*launch = l;
	if (!l)
		return message_set(message, "no memory for a baseline");
	l->b = (struct bench_ze *)driver;
	switch (work->kernel) {
	case KERNEL_DPR_ADD:
		return add_kernel(l, work->kernel, 1, dpr, &walk, sizeof(walk),
				  message);
	case KERNEL_ADD:
		return add_kernel(l, work->kernel, 1, user, &work->n,
				  sizeof(work->n), message);
	case KERNEL_NOTHING:
		return add_kernel(l, work->kernel, 1, none, NULL, 0, message);
	case KERNEL_SUM: break;
	}
	return add_sums(l, work, message);
}

/* Append kernel @k as command @i of @n. */
static inline int append(const struct launch *l, unsigned k, unsigned i,
			 unsigned n)
{
	return l->b->ze.zeCommandListAppendLaunchKernel(
		l->b->list, l->kernels[k], &l->groups[k], signal_of(l->b, i, n),
		count_waits(l->b, i), waits_of(l->b, i));
}

static bool launch_many(void *launch, int count, double *seconds,
			struct message *message)
{
	struct launch *l = launch;
	const unsigned n = (unsigned)count * l->n;
	const double begin = seconds_now();
	int code = 0;

	for (unsigned i = 0, k = 0; i < n && !code; i++) {
		code = append(l, k, i, n);
		k = k + 1 < l->n ? k + 1 : 0;
	}
	*seconds = seconds_now() - begin;
	if (code)
		return command_failed(l->b, "zeCommandListAppendLaunchKernel",
				      code, message);
	return finish(l->b, n, message);
}

static bool launch_wait(void *launch, int count, struct message *message)
{
	struct launch *l = launch;
	int code;

	for (int i = 0; i < count; i++) {
		code = append(l, 0, 0, 1);
		if (code)
			return command_failed(l->b,
					      "zeCommandListAppendLaunchKernel",
					      code, message);
		if (!finish(l->b, 1, message))
			return false;
	}
	return true;
}

static bool event_wait(struct bench_driver *driver, int count,
		       struct message *message)
{
	struct bench_ze *b = (struct bench_ze *)driver;
	int code;

	for (int i = 0; i < count; i++) {
		code = b->ze.zeCommandListAppendBarrier(b->list, b->events[0],
							0, NULL);
		if (code)
			return command_failed(b, "zeCommandListAppendBarrier",
					      code, message);
		if (!finish(b, 1, message))
			return false;
	}
	return true;
}

static bool alloc(struct bench_driver *driver, size_t size, int count,
		  struct message *message)
{
	const struct ze_memory_desc desc = { .head = { ZE_STYPE_MEMORY_DESC,
						       NULL } };
	struct bench_ze *b = (struct bench_ze *)driver;
	void *memory;
	int code = 0;

	for (int i = 0; i < count && !code; i++) {
		code = b->ze.zeMemAllocDevice(b->context, &desc, size, 64,
					      b->device, &memory);
		code = code ? code : b->ze.zeMemFree(b->context, memory);
	}
	return code ? bench_ze_failed(message, "zeMemAllocDevice", code) : true;
}

static bool copy(struct bench_driver *driver, const struct bench_hop *hops,
		 size_t n_hops, int count, struct message *message)
{
	struct bench_ze *b = (struct bench_ze *)driver;
	const unsigned n = (unsigned)count * (unsigned)n_hops;
	int code = 0;

	for (unsigned i = 0; i < n && !code; i++) {
		const struct bench_hop *hop = &hops[i % n_hops];

		code = b->ze.zeCommandListAppendMemoryCopy(
			b->list, (char *)hop->to->at + hop->to_at,
			(const char *)hop->from->at + hop->from_at, hop->size,
			signal_of(b, i, n), count_waits(b, i), waits_of(b, i));
	}
	if (code)
		return command_failed(b, "zeCommandListAppendMemoryCopy", code,
				      message);
	return finish(b, n, message);
}

static void close_driver(struct bench_driver *driver)
{
	bench_ze_close((struct bench_ze *)driver);
}

static void set_driver(struct bench_ze *b)
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
		[BASELINE_SMALL_ADD] = "appended launches with the same "
				       "arguments",
		[BASELINE_KERNEL] = "appended launches of the same kernel",
		[BASELINE_LAUNCH] = "appended launches of it",
		[BASELINE_LAUNCH_WAIT] = "a launch, and a wait for its event",
		[BASELINE_EVENT_WAIT] = "a barrier, and a wait for its event",
		[BASELINE_ALLOC] = "zeMemAllocDevice, zeMemFree",
		[BASELINE_ALLOC_LARGE] = "zeMemAllocDevice, zeMemFree",
		[BASELINE_SUM] = "two kernels in groups of 256",
		[BASELINE_COPY] = "an appended copy within the device",
		[BASELINE_WRITE] = "an appended copy from pinned memory",
		[BASELINE_READ] = "an appended copy to pinned memory",
		[BASELINE_TRANSFER] = "pinned memory there and back",
		[BASELINE_TO_CPU] = "an appended copy to pinned memory",
		[BASELINE_TO_OPENCL] = "clEnqueueWriteBuffer from the same "
				       "chunks",
		[BASELINE_PEER] = "an appended copy to the other device",
	};

	b->driver.calls = &calls;
	b->driver.names = names;
}
