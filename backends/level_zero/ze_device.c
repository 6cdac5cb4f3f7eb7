/* SPDX-License-Identifier: Apache-2.0 */
/* ze_device.c - finding drivers and their devices, without making a context. */
#include "ze_objects.h"

/* --- Drivers --- */

/* Read the names of the driver's extensions. */
static dprp_rc read_extensions(struct ze_driver *driver)
{
	dprp_instance *instance = driver->instance;
	ze_driver_extension_properties_t *list;
	uint32_t n = 0, i;
	size_t length;
	dprp_rc rc = ZE_TRY(instance, zeDriverGetExtensionProperties,
			    driver->ze, &n, NULL);

	if (rc || !n)
		return rc;
	list = dprh_alloc(instance->host, n, sizeof(*list));
	driver->extensions = dprh_alloc(instance->host, n, sizeof(list->name));
	if (!list || !driver->extensions)
		rc = dprh_no_memory(instance->host, "extensions");
	else
		rc = ZE_TRY(instance, zeDriverGetExtensionProperties,
			    driver->ze, &n, list);
	for (i = 0; i < n && !rc; i++) {
		length = strnlen(list[i].name, sizeof(list[i].name) - 1);
		memcpy(driver->extensions + driver->extensions_size,
		       list[i].name, length);
		driver->extensions_size += length + 1;
	}
	dprh_free(instance->host, list);
	return rc;
}

static bool has_extension(const struct ze_driver *driver, const char *name)
{
	const char *at = driver->extensions;
	const char *end = at + driver->extensions_size;

	for (; at < end; at += strlen(at) + 1)
		if (!strcmp(at, name))
			return true;
	return false;
}

/* Find the driver's functions that import host memory of the program. */
static void find_import(struct ze_driver *driver)
{
	const struct ze_api *ze = &driver->instance->ze;
	void *import = NULL, *release = NULL, *behind = driver->ze;

	if (ze->zeDriverGetExtensionFunctionAddress(driver->ze, ZE_NEWER_IMPORT,
						    &import) ||
	    ze->zeDriverGetExtensionFunctionAddress(
		    driver->ze, ZE_NEWER_RELEASE, &release) ||
	    ze->zelLoaderTranslateHandle(ZEL_HANDLE_DRIVER, driver->ze,
					 &behind) ||
	    !import || !release || !behind)
		return;
	memcpy(&driver->import, &import, sizeof(import));
	memcpy(&driver->release, &release, sizeof(release));
	driver->behind = behind;
}

static dprp_rc read_driver(struct ze_driver *driver)
{
	dprp_instance *instance = driver->instance;
	ze_driver_ipc_properties_t ipc = {
		.stype = ZE_STRUCTURE_TYPE_DRIVER_IPC_PROPERTIES
	};
	dprp_rc rc = ZE_TRY(instance, zeDriverGetApiVersion, driver->ze,
			    &driver->version);

	if (!rc && ZE_MAJOR_VERSION(driver->version) != 1)
		rc = dprh_fail(
			instance->host, DPR_RC_UNSUPPORTED, 0,
			"the driver implements Level Zero %u.%u, but the "
			"plugin needs 1.x",
			(unsigned)ZE_MAJOR_VERSION(driver->version),
			(unsigned)ZE_MINOR_VERSION(driver->version));
	driver->properties.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES;
	if (!rc)
		rc = ZE_TRY(instance, zeDriverGetProperties, driver->ze,
			    &driver->properties);
	if (!rc)
		rc = read_extensions(driver);
	if (rc)
		return rc;
	driver->ipc =
		!instance->ze.zeDriverGetIpcProperties(driver->ze, &ipc) &&
		ipc.flags & ZE_IPC_PROPERTY_FLAG_MEMORY;
	find_import(driver);
	driver->relaxed =
		has_extension(driver, ZE_RELAXED_ALLOCATION_LIMITS_EXP_NAME);
	driver->kernel_group = has_extension(driver, ZE_NEWER_KERNEL_GROUP);
	atomic_init(&driver->counters,
		    has_extension(driver, ZE_NEWER_COUNTER_EVENTS));
	atomic_init(&driver->in_order,
		    driver->version >= ZE_NEWER_IN_ORDER_VERSION ||
			    driver->counters);
	return DPR_RC_OK;
}

static void free_driver(struct ze_driver *driver)
{
	dprh_free(driver->instance->host, driver->extensions);
	pthread_mutex_destroy(&driver->context_lock);
	pthread_mutex_destroy(&driver->leaving_lock);
	pthread_mutex_destroy(&driver->pool_lock);
}

/* --- Devices --- */

static dprp_rc read_properties(dprp_device *device)
{
	dprp_instance *instance = device->instance;
	dprp_rc rc;

	device->properties.stype =
		device->driver->version >= ZE_API_VERSION_1_2
			? ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2
			: ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
	device->compute.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES;
	device->module.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES;
	device->access.stype =
		ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES;
	rc = ZE_TRY(instance, zeDeviceGetProperties, device->ze,
		    &device->properties);
	if (!rc && device->properties.type == ZE_DEVICE_TYPE_VPU)
		return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
				 "%s is an NPU, which cannot run "
				 "SPIR-V kernels",
				 device->properties.name);
	if (!rc)
		rc = ZE_TRY(instance, zeDeviceGetComputeProperties, device->ze,
			    &device->compute);
	if (!rc)
		rc = ZE_TRY(instance, zeDeviceGetModuleProperties, device->ze,
			    &device->module);
	if (!rc)
		rc = ZE_TRY(instance, zeDeviceGetMemoryAccessProperties,
			    device->ze, &device->access);
	device->properties.name[sizeof(device->properties.name) - 1] = '\0';
	device->units = device->properties.numSlices *
			device->properties.numSubslicesPerSlice *
			device->properties.numEUsPerSubslice;
	return rc;
}

/* Find the groups of engines: the first group that runs kernels, and the first
   group that only copies. */
static dprp_rc read_groups(dprp_device *device)
{
	dprp_instance *instance = device->instance;
	ze_command_queue_group_properties_t *list;
	struct ze_group *group;
	uint32_t n = 0, i;
	dprp_rc rc = ZE_TRY(instance, zeDeviceGetCommandQueueGroupProperties,
			    device->ze, &n, NULL);

	if (rc)
		return rc;
	list = dprh_alloc(instance->host, n, sizeof(*list));
	if (!list)
		return dprh_no_memory(instance->host, "engines");
	for (i = 0; i < n; i++)
		list[i].stype =
			ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
	rc = ZE_TRY(instance, zeDeviceGetCommandQueueGroupProperties,
		    device->ze, &n, list);
	for (i = 0; i < n && !rc; i++) {
		if (list[i].flags &
		    ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE)
			group = &device->groups[ZE_ENGINE_COMPUTE];
		else if (list[i].flags &
			 ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY)
			group = &device->groups[ZE_ENGINE_COPY];
		else
			continue;
		if (group->n_queues)
			continue;
		group->ordinal = i;
		group->n_queues = list[i].numQueues;
		group->max_fill = list[i].maxMemoryFillPatternSize;
	}
	dprh_free(instance->host, list);
	if (!rc && !device->groups[ZE_ENGINE_COMPUTE].n_queues)
		rc = dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
			       "%s has no engine that runs kernels",
			       device->properties.name);
	return rc;
}

static dprp_rc read_memory(dprp_device *device)
{
	dprp_instance *instance = device->instance;
	ze_device_memory_properties_t *list;
	uint32_t n = 0, i;
	dprp_rc rc = ZE_TRY(instance, zeDeviceGetMemoryProperties, device->ze,
			    &n, NULL);

	if (rc)
		return rc;
	list = dprh_alloc(instance->host, n, sizeof(*list));
	if (!list)
		return dprh_no_memory(instance->host, "memories");
	for (i = 0; i < n; i++)
		list[i].stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES;
	rc = ZE_TRY(instance, zeDeviceGetMemoryProperties, device->ze, &n,
		    list);
	for (i = 0; i < n && !rc; i++)
		device->memory += list[i].totalSize;
	dprh_free(instance->host, list);
	return rc;
}

/* Find the driver's sub-devices, and check whether they are equal. */
static dprp_rc read_tiles(dprp_device *device)
{
	dprp_instance *instance = device->instance;
	ze_device_properties_t properties = { 0 };
	uint32_t n = 0, i, units;
	dprp_rc rc =
		ZE_TRY(instance, zeDeviceGetSubDevices, device->ze, &n, NULL);

	if (rc || !n)
		return rc;
	device->tiles = dprh_alloc(instance->host, n, sizeof(*device->tiles));
	if (!device->tiles)
		return dprh_no_memory(instance->host, "sub-devices");
	rc = ZE_TRY(instance, zeDeviceGetSubDevices, device->ze, &n,
		    device->tiles);
	device->n_tiles = rc ? 0 : n;
	for (i = 0; i < device->n_tiles && !rc; i++) {
		properties.stype = device->properties.stype;
		rc = ZE_TRY(instance, zeDeviceGetProperties, device->tiles[i],
			    &properties);
		units = properties.numSlices * properties.numSubslicesPerSlice *
			properties.numEUsPerSubslice;
		if (!i)
			device->tile_units = units;
		else if (units != device->tile_units)
			device->tile_units = 0;
	}
	return rc;
}

dprp_rc ze_device_make(struct ze_driver *driver, dprp_device *parent,
		       ze_device_handle_t ze, dprp_device **out)
{
	dprp_instance *instance = driver->instance;
	dprp_device *device = dprh_alloc(instance->host, 1, sizeof(*device));
	dprp_rc rc;

	if (!device)
		return dprh_no_memory(instance->host, "a device");
	device->instance = instance;
	device->driver = driver;
	device->parent = parent;
	device->root = parent ? parent->root : device;
	device->number = device->root->number;
	device->ze = ze;
	atomic_init(&device->n_lists, 0);
	atomic_init(&device->lost, false);
	atomic_init(&device->asked, 0);
	rc = read_properties(device);
	if (!rc)
		rc = read_groups(device);
	if (!rc)
		rc = read_memory(device);
	if (!rc)
		rc = read_tiles(device);
	ze_clock_init(device);
	if (!rc)
		*out = device;
	else
		ze_device_free(device);
	return rc;
}

void ze_device_free(dprp_device *device)
{
	ze_clock_fini(device);
	dprh_free(device->instance->host, device->tiles);
	dprh_free(device->instance->host, device);
}

/* --- Finding all --- */

/* The drivers and devices that cannot be used. */
struct left_out {
	uint32_t n;
	bool no_memory;
	const char *failed; /* the last call that failed, or NULL */
	ze_result_t failed_with;
};

/* Record and log that a driver or device cannot be used. */
static void leave_out(dprp_instance *instance, struct left_out *out,
		      const char *what, uint32_t number, dprp_rc rc)
{
	const char *why = "it cannot run SPIR-V kernels (NPUs cannot), or its "
			  "version of Level Zero is not 1.x";

	out->n++;
	out->no_memory |= rc == DPR_RC_OOM_HOST;
	if (instance->failed) {
		out->failed = instance->failed;
		out->failed_with = instance->failed_with;
		instance->failed = NULL;
		dprh_log(instance->host, 2,
			 "Level Zero %s %u is left out: %s: %s", what,
			 (unsigned)number, out->failed,
			 ze_error_name(out->failed_with));
		return;
	}
	if (rc == DPR_RC_OOM_HOST)
		why = "the host has no memory left";
	dprh_log(instance->host, 2, "Level Zero %s %u is left out: %s", what,
		 (unsigned)number, why);
}

static dprp_rc find_devices(struct ze_driver *driver, struct left_out *out)
{
	dprp_instance *instance = driver->instance;
	const dprp_host *host = instance->host;
	ze_device_handle_t *list;
	dprp_device **all;
	uint32_t n = 0, i;
	dprp_rc rc = ZE_TRY(instance, zeDeviceGet, driver->ze, &n, NULL), one;

	if (rc || !n)
		return rc;
	list = dprh_alloc(host, n, sizeof(*list));
	all = dprh_alloc(host, (size_t)instance->n_devices + n, sizeof(*all));
	if (!list || !all)
		rc = dprh_no_memory(host, "the devices");
	else
		rc = ZE_TRY(instance, zeDeviceGet, driver->ze, &n, list);
	if (rc) {
		dprh_free(host, all);
		dprh_free(host, list);
		return rc;
	}
	if (instance->n_devices)
		memcpy(all, instance->devices,
		       instance->n_devices * sizeof(*all));
	dprh_free(host, instance->devices);
	instance->devices = all;
	for (i = 0; i < n; i++) {
		one = ze_device_make(driver, NULL, list[i],
				     &all[instance->n_devices]);
		if (one) {
			leave_out(instance, out, "device", i, one);
			continue;
		}
		all[instance->n_devices]->number = i;
		instance->n_devices++;
	}
	dprh_free(host, list);
	return DPR_RC_OK;
}

static dprp_rc start_drivers(dprp_instance *instance)
{
	const dprp_host *host = instance->host;
	ze_result_t result = instance->ze.zeInit(0);

	switch (result) {
	case ZE_RESULT_SUCCESS: return DPR_RC_OK;
	case ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY:
		return ze_error_check(instance, result, "zeInit");
	case ZE_RESULT_ERROR_UNINITIALIZED:
		return dprh_fail(
			host, DPR_RC_NO_DEVICE, (int64_t)result,
			"zeInit: ZE_RESULT_ERROR_UNINITIALIZED: the loader "
			"finds no driver that has a device; either no driver "
			"is installed, or there is no device that this user "
			"may open");
	default:
		return dprh_fail(
			host, DPR_RC_NO_DEVICE, (int64_t)result,
			"zeInit: %s (%#x): the drivers failed to start",
			ze_error_name(result), (unsigned)result);
	}
}

/* List the drivers whose properties can be read. */
static dprp_rc find_drivers(dprp_instance *instance, struct left_out *out)
{
	const dprp_host *host = instance->host;
	ze_driver_handle_t *list;
	struct ze_driver *driver;
	uint32_t n = 0, i;
	dprp_rc rc = ZE_TRY(instance, zeDriverGet, &n, NULL);

	if (!rc && !n)
		return dprh_fail(host, DPR_RC_NO_DRIVER, 0,
				 "the Level Zero loader lists no driver");
	if (rc)
		return rc;
	list = dprh_alloc(host, n, sizeof(*list));
	instance->drivers = dprh_alloc(host, n, sizeof(*instance->drivers));
	if (!list || !instance->drivers)
		rc = dprh_no_memory(host, "the drivers");
	else
		rc = ZE_TRY(instance, zeDriverGet, &n, list);
	for (i = 0; i < n && !rc; i++) {
		driver = &instance->drivers[instance->n_drivers];
		memset(driver, 0, sizeof(*driver));
		driver->instance = instance;
		driver->ze = list[i];
		driver->number = i;
		pthread_mutex_init(&driver->context_lock, NULL);
		pthread_mutex_init(&driver->leaving_lock, NULL);
		pthread_mutex_init(&driver->pool_lock, NULL);
		rc = read_driver(driver);
		if (!rc) {
			instance->n_drivers++;
			continue;
		}
		leave_out(instance, out, "driver", i, rc);
		free_driver(driver);
		rc = DPR_RC_OK;
	}
	dprh_free(host, list);
	return rc;
}

/* Tell the host why there is no device. */
static dprp_rc tell_absence(dprp_instance *instance, const struct left_out *out)
{
	const dprp_host *host = instance->host;

	if (out->no_memory)
		return dprh_no_memory(host, "the devices");
	if (out->failed)
		return dprh_fail(host, DPR_RC_NO_DEVICE,
				 (int64_t)out->failed_with,
				 "none of the drivers' devices can be "
				 "used: %s: %s",
				 out->failed, ze_error_name(out->failed_with));
	if (out->n)
		return dprh_fail(
			host, DPR_RC_NO_DEVICE, 0,
			"none of the drivers' devices can run SPIR-V kernels; "
			"NPUs cannot");
	return dprh_fail(host, DPR_RC_NO_DEVICE, 0,
			 "the drivers list no device (is "
			 "ZE_AFFINITY_MASK set?)");
}

static dprp_rc find_all(dprp_instance *instance)
{
	struct left_out out = { 0 };
	uint32_t i;
	dprp_rc rc = start_drivers(instance);

	if (!rc)
		rc = find_drivers(instance, &out);
	for (i = 0; i < instance->n_drivers && !rc; i++) {
		rc = find_devices(&instance->drivers[i], &out);
		if (rc && rc != DPR_RC_OOM_HOST) {
			leave_out(instance, &out, "driver",
				  instance->drivers[i].number, rc);
			rc = DPR_RC_OK;
		}
	}
	return rc || instance->n_devices ? rc : tell_absence(instance, &out);
}

dprp_rc ze_device_find_all(dprp_instance *instance)
{
	dprp_rc rc;

	instance->starting = true;
	rc = find_all(instance);
	instance->starting = false;
	return rc;
}

void ze_device_free_all(dprp_instance *instance)
{
	const dprp_host *host = instance->host;
	dprp_device *part;
	uint32_t i;

	while ((part = instance->parts)) {
		instance->parts = part->next;
		ze_device_free(part);
	}
	for (i = 0; i < instance->n_devices; i++)
		ze_device_free(instance->devices[i]);
	for (i = 0; i < instance->n_drivers; i++)
		free_driver(&instance->drivers[i]);
	dprh_free(host, instance->devices);
	dprh_free(host, instance->drivers);
	instance->devices = NULL;
	instance->drivers = NULL;
	instance->n_devices = instance->n_drivers = 0;
}

dprp_rc ze_device_count(dprp_instance *instance, uint32_t *n)
{
	*n = instance->n_devices;
	return DPR_RC_OK;
}

dprp_rc ze_device_get(dprp_instance *instance, uint32_t index,
		      dprp_device **out)
{
	*out = NULL;
	if (index >= instance->n_devices)
		return dprh_fail(instance->host, DPR_RC_INVALID, 0,
				 "there is no Level Zero device %u",
				 (unsigned)index);
	*out = instance->devices[index];
	return DPR_RC_OK;
}

/* Whether two devices can copy between each other.  Copies run on queues of
   either device, so each must be able to access the other's memory.  Devices of
   two drivers share no context. */
dprp_rc ze_device_peer(dprp_device *from, dprp_device *to, uint32_t *caps)
{
	ze_bool_t there = false, back = false;
	dprp_rc rc;

	*caps = 0;
	if (from->driver != to->driver)
		return DPR_RC_OK;
	rc = ZE_TRY_ON(from, zeDeviceCanAccessPeer, from->ze, to->ze, &there);
	if (!rc)
		rc = ZE_TRY_ON(from, zeDeviceCanAccessPeer, to->ze, from->ze,
			       &back);
	if (rc)
		return rc;
	if (there && back)
		*caps |= DPRP_PEER_COPY;
	return DPR_RC_OK;
}
