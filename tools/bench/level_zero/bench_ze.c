/* SPDX-License-Identifier: Apache-2.0 */
/* bench_ze.c - a Level Zero device, without dpr. */
#include "tools/bench/level_zero/bench_ze.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/runtime.h>

#include "tools/bench/bench_side.h"
#include "tools/bench/level_zero/bench_ze_spirv.h"

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
	b->driver = drivers[driver];
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

	if (!b->ze.zeDriverGetApiVersion(b->driver, &version) &&
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
				    bench_ze_spirv_size, message);
}

struct bench_ze *bench_ze_open(dpr_device *device, struct message *message)
{
	struct bench_ze *b = calloc(1, sizeof(*b));

	if (!b) {
		message_record(message, "no memory for a driver");
		return NULL;
	}
	b->is_part = dpr_device_root(device) != device;
	if (bench_ze_load(&b->ze, message) && open_device(b, device, message))
		return b;
	bench_ze_close(b);
	return NULL;
}

void bench_ze_close(struct bench_ze *b)
{
	if (!b)
		return;
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
