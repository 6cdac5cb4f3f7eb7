/* SPDX-License-Identifier: Apache-2.0 */
/* ze_info.c - information about devices. */
#include "ze_programs.h"

/* The driver's flags have the values of enum dpr_fp_config. */
_Static_assert((int)ZE_DEVICE_FP_FLAG_DENORM == DPR_FP_DENORM &&
		       (int)ZE_DEVICE_FP_FLAG_INF_NAN == DPR_FP_INF_NAN &&
		       (int)ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST ==
			       DPR_FP_ROUND_TO_NEAREST &&
		       (int)ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO ==
			       DPR_FP_ROUND_TO_ZERO &&
		       (int)ZE_DEVICE_FP_FLAG_ROUND_TO_INF ==
			       DPR_FP_ROUND_TO_INF &&
		       (int)ZE_DEVICE_FP_FLAG_FMA == DPR_FP_FMA &&
		       (int)ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT ==
			       DPR_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT &&
		       (int)ZE_DEVICE_FP_FLAG_SOFT_FLOAT == DPR_FP_SOFT_FLOAT,
	       "the two lists of flags differ");

#define INTEL 0x8086u

/* Keys that have one value on every device. */
static const struct {
	uint32_t key;
	uint64_t value;
} constants[] = {
#define K(key, value)                 \
	{                             \
		DPR_INFO_##key, value \
	}
	K(MAX_WORK_ITEM_DIMS, 3),
	K(ADDRESS_BITS, 64),
	K(MEM_BASE_ALIGN, ZE_ALIGN),
	K(SUB_BUFFER_ALIGN, 1),
	/* The plugin does not support images. */
	K(ASPECT_IMAGE, 0),
	K(ASPECT_ONLINE_LINKER, 0),
	K(ASPECT_QUEUE_PROFILING, 1),
	K(ASPECT_HOST_DEBUGGABLE, 0),
	K(ASPECT_EMULATED, 0),
	K(ASPECT_OUT_OF_ORDER, 1),
	K(ASPECT_ADDRESSES, 1),
	K(ASPECT_HOST_MEMORY, 0),
	K(BINARIES, DPR_BINARIES_FIRST),
#undef K
};

/* The device that is asked, and where its answer goes. */
struct ze_answer {
	dprp_device *device;
	void *buffer;
	size_t capacity, *need;
};

static dprp_rc give(const struct ze_answer *to, const void *value, size_t size)
{
	return dprh_answer(to->device->instance->host, value, size, to->buffer,
			   to->capacity, to->need);
}

static dprp_rc give_text(const struct ze_answer *to, const char *text)
{
	return give(to, text, strlen(text) + 1);
}

static dprp_rc give_number(const struct ze_answer *to, uint64_t value)
{
	return give(to, &value, sizeof(value));
}

static dprp_rc give_sizes(const struct ze_answer *to, uint64_t x, uint64_t y,
			  uint64_t z)
{
	const uint64_t list[3] = { x, y, z };

	return give(to, list, sizeof(list));
}

static dprp_rc refuse(const struct ze_answer *to, uint32_t key)
{
	return dprh_unknown(to->device->instance->host, "device", key);
}

/* Give a number.  0 means that the driver does not know it: refuse. */
static dprp_rc give_known(const struct ze_answer *to, uint32_t key,
			  uint64_t value)
{
	return value ? give_number(to, value) : refuse(to, key);
}

/* --- Identity --- */

static dprp_rc give_type(const struct ze_answer *to)
{
	switch (to->device->root->properties.type) {
	case ZE_DEVICE_TYPE_GPU: return give_number(to, DPR_DEVICE_GPU);
	case ZE_DEVICE_TYPE_CPU: return give_number(to, DPR_DEVICE_CPU);
	case ZE_DEVICE_TYPE_FPGA:
	case ZE_DEVICE_TYPE_MCA: return give_number(to, DPR_DEVICE_ACCELERATOR);
	default: return give_number(to, DPR_DEVICE_CUSTOM);
	}
}

static dprp_rc give_pci_address(const struct ze_answer *to)
{
	const struct ze_api *ze = &to->device->instance->ze;
	ze_pci_ext_properties_t pci = {
		.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES
	};
	char text[48];

	if (ze->zeDevicePciGetPropertiesExt(to->device->ze, &pci))
		return refuse(to, DPR_INFO_PCI_ADDRESS);
	snprintf(text, sizeof(text), "%04x:%02x:%02x.%x",
		 (unsigned)pci.address.domain, (unsigned)pci.address.bus,
		 (unsigned)pci.address.device, (unsigned)pci.address.function);
	return give_text(to, text);
}

/* Give the target of a binary.  A binary fits only the driver that made it
   (there may be several drivers) and the kind of device. */
static dprp_rc give_binary_target(const struct ze_answer *to)
{
	const dprp_device *device = to->device;
	const ze_driver_uuid_t *uuid = &device->driver->properties.uuid;
	char text[2 * sizeof(uuid->id) + 40];
	size_t i, at = 0;

	for (i = 0; i < sizeof(uuid->id); i++, at += 2)
		snprintf(text + at, sizeof(text) - at, "%02x", uuid->id[i]);
	snprintf(text + at, sizeof(text) - at, " %04x:%04x",
		 (unsigned)device->properties.vendorId,
		 (unsigned)device->properties.deviceId);
	return give_text(to, text);
}

static dprp_rc give_api_version(const struct ze_answer *to, const char *before)
{
	ze_api_version_t version = to->device->driver->version;
	char text[48];

	snprintf(text, sizeof(text), "%s%u.%u", before,
		 (unsigned)ZE_MAJOR_VERSION(version),
		 (unsigned)ZE_MINOR_VERSION(version));
	return give_text(to, text);
}

static dprp_rc give_driver_version(const struct ze_answer *to)
{
	uint32_t version = to->device->driver->properties.driverVersion;
	char text[40];

	snprintf(text, sizeof(text), "%u.%u.%u", (unsigned)(version >> 24),
		 (unsigned)(version >> 16 & 0xff),
		 (unsigned)(version & 0xffff));
	return give_text(to, text);
}

static dprp_rc give_identity(const struct ze_answer *to, uint32_t key)
{
	const dprp_device *device = to->device;
	const ze_device_properties_t *properties = &device->properties;
	const struct ze_driver *driver = device->driver;

	switch (key) {
	case DPR_INFO_NAME: return give_text(to, properties->name);
	case DPR_INFO_VENDOR:
		return properties->vendorId == INTEL
			       ? give_text(to, "Intel(R) Corporation")
			       : refuse(to, key);
	case DPR_INFO_VENDOR_ID: return give_number(to, properties->vendorId);
	case DPR_INFO_DEVICE_ID: return give_number(to, properties->deviceId);
	case DPR_INFO_DRIVER_VERSION: return give_driver_version(to);
	case DPR_INFO_VERSION: return give_api_version(to, "Level Zero ");
	case DPR_INFO_PLATFORM_NAME: return give_text(to, "Level Zero");
	case DPR_INFO_PLATFORM_VERSION: return give_api_version(to, "");
	case DPR_INFO_TYPE: return give_type(to);
	case DPR_INFO_UUID:
		return give(to, properties->uuid.id,
			    sizeof(properties->uuid.id));
	case DPR_INFO_PCI_ADDRESS: return give_pci_address(to);
	case DPR_INFO_AVAILABLE:
		return give_number(to, !atomic_load(&device->root->lost));
	case DPR_INFO_EXTENSIONS:
		return driver->extensions_size ? give(to, driver->extensions,
						      driver->extensions_size)
					       : refuse(to, key);
	case DPR_INFO_BINARY_TARGET: return give_binary_target(to);
	default: return refuse(to, key);
	}
}

/* --- Sub-devices --- */

static dprp_rc give_partition(const struct ze_answer *to, uint32_t key)
{
	const dprp_device *device = to->device;
	uint64_t numbers = device->tile_units
				   ? 1u << DPR_PARTITION_EQUALLY |
					     1u << DPR_PARTITION_COUNTS
				   : 0;

	switch (key) {
	case DPR_INFO_PARTITION_MAX_SUB_DEVICES:
		return give_number(to, device->n_tiles);
	case DPR_INFO_PARTITION_PROPERTIES:
		return give_number(
			to, device->n_tiles
				    ? numbers | 1u << DPR_PARTITION_DOMAIN
				    : 0);
	case DPR_INFO_PARTITION_DOMAINS:
		return give_number(to, device->n_tiles
					       ? 1u << DPR_DOMAIN_NUMA |
							 1u << DPR_DOMAIN_NEXT
					       : 0);
	case DPR_INFO_PARTITION_TYPE: return give_number(to, device->made_how);
	case DPR_INFO_PARTITION_TYPE_DOMAIN:
		return give_known(to, key, device->made_domain);
	case DPR_INFO_PARTITION_UNIT:
		return give_known(to, key, device->root->tile_units);
	case DPR_INFO_ASPECT_COMPONENT:
		return give_number(
			to, device->properties.flags &
					    ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE
				    ? 1
				    : 0);
	case DPR_INFO_ASPECT_COMPOSITE:
		return give_number(to, device->n_tiles > 0);
	default: return give_identity(to, key);
	}
}

/* --- Memory --- */

static dprp_rc give_cache_size(const struct ze_answer *to)
{
	const struct ze_api *ze = &to->device->instance->ze;
	ze_device_cache_properties_t list[8] = { 0 };
	uint32_t n = sizeof(list) / sizeof(list[0]), i;
	uint64_t size = 0;

	for (i = 0; i < n; i++)
		list[i].stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES;
	if (ze->zeDeviceGetCacheProperties(to->device->ze, &n, list))
		n = 0;
	for (i = 0; i < n; i++)
		if (list[i].cacheSize > size)
			size = list[i].cacheSize;
	return give_known(to, DPR_INFO_GLOBAL_CACHE_SIZE, size);
}

/* Give whether memory of a kind is available, or whether host and device may
   use one atomic variable in it at the same time. */
static dprp_rc give_access(const struct ze_answer *to, uint32_t key)
{
	const ze_device_memory_access_properties_t *access =
		&to->device->access;
	const uint32_t there = ZE_MEMORY_ACCESS_CAP_FLAG_RW;
	const uint32_t atomic = ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC;
	uint32_t flags;

	switch (key) {
	case DPR_INFO_ASPECT_USM_DEVICE:
		flags = access->deviceAllocCapabilities & there;
		break;
	case DPR_INFO_ASPECT_USM_HOST:
		flags = access->hostAllocCapabilities & there;
		break;
	case DPR_INFO_ASPECT_USM_SHARED:
		flags = access->sharedSingleDeviceAllocCapabilities & there;
		break;
	case DPR_INFO_ASPECT_USM_SYSTEM:
		flags = access->sharedSystemAllocCapabilities & there;
		break;
	case DPR_INFO_ASPECT_USM_ATOMIC_HOST:
		flags = access->hostAllocCapabilities & atomic;
		break;
	case DPR_INFO_ASPECT_USM_ATOMIC_SHARED:
		flags = access->sharedSingleDeviceAllocCapabilities & atomic;
		break;
	default: return give_partition(to, key);
	}
	return give_number(to, flags ? 1 : 0);
}

static dprp_rc give_memory(const struct ze_answer *to, uint32_t key)
{
	const dprp_device *device = to->device;
	const ze_device_properties_t *properties = &device->properties;

	switch (key) {
	case DPR_INFO_GLOBAL_MEM_SIZE:
		return give_known(to, key, device->memory);
	case DPR_INFO_MAX_ALLOC_SIZE:
		return give_known(
			to, key,
			device->driver->relaxed &&
					device->memory >
						properties->maxMemAllocSize
				? device->memory
				: properties->maxMemAllocSize);
	case DPR_INFO_LOCAL_MEM_SIZE:
		return give_number(to, device->compute.maxSharedLocalMemory);
	case DPR_INFO_LOCAL_MEM_TYPE:
		return give_number(to,
				   device->compute.maxSharedLocalMemory > 0);
	case DPR_INFO_GLOBAL_CACHE_SIZE: return give_cache_size(to);
	case DPR_INFO_ERROR_CORRECTION:
		return give_number(
			to, properties->flags & ZE_DEVICE_PROPERTY_FLAG_ECC
				    ? 1
				    : 0);
	case DPR_INFO_UNIFIED_MEMORY:
		return give_number(
			to,
			properties->flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED
				? 1
				: 0);
	case DPR_INFO_ASPECT_IPC_MEMORY:
		return give_number(to, device->driver->ipc);
	default: return give_access(to, key);
	}
}

/* --- Computing --- */

static dprp_rc give_sub_groups(const struct ze_answer *to)
{
	const ze_device_compute_properties_t *compute = &to->device->compute;
	uint64_t list[ZE_SUBGROUPSIZE_COUNT];
	uint32_t n = compute->numSubGroupSizes, i;

	if (n > ZE_SUBGROUPSIZE_COUNT)
		n = ZE_SUBGROUPSIZE_COUNT;
	for (i = 0; i < n; i++)
		list[i] = compute->subGroupSizes[i];
	return n ? give(to, list, n * sizeof(list[0]))
		 : refuse(to, DPR_INFO_SUB_GROUP_SIZES);
}

/* Give the largest number of sub-groups of a work-group, which the smallest
   size of sub-groups allows. */
static dprp_rc give_max_sub_groups(const struct ze_answer *to)
{
	const ze_device_compute_properties_t *compute = &to->device->compute;
	uint32_t least = 0, i;

	for (i = 0; i < compute->numSubGroupSizes && i < ZE_SUBGROUPSIZE_COUNT;
	     i++)
		if (!least || compute->subGroupSizes[i] < least)
			least = compute->subGroupSizes[i];
	return least ? give_number(to, compute->maxTotalGroupSize / least)
		     : refuse(to, DPR_INFO_MAX_SUB_GROUPS);
}

static dprp_rc give_arithmetic(const struct ze_answer *to, uint32_t key)
{
	const ze_device_module_properties_t *module = &to->device->module;
	bool half = module->flags & ZE_DEVICE_MODULE_FLAG_FP16;
	bool twice = module->flags & ZE_DEVICE_MODULE_FLAG_FP64;

	switch (key) {
	case DPR_INFO_HALF_FP_CONFIG:
		return half ? give_number(to, module->fp16flags)
			    : refuse(to, key);
	case DPR_INFO_SINGLE_FP_CONFIG:
		return give_number(to, module->fp32flags);
	case DPR_INFO_DOUBLE_FP_CONFIG:
		return twice ? give_number(to, module->fp64flags)
			     : refuse(to, key);
	case DPR_INFO_ASPECT_FP16: return give_number(to, half);
	case DPR_INFO_ASPECT_FP64: return give_number(to, twice);
	case DPR_INFO_ASPECT_ATOMIC64:
		return give_number(
			to, module->flags & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS
				    ? 1
				    : 0);
	default: return give_memory(to, key);
	}
}

static dprp_rc give_compute(const struct ze_answer *to, uint32_t key)
{
	dprp_device *device = to->device;
	const ze_device_compute_properties_t *compute = &device->compute;
	const char *formats;
	uint64_t step;
	size_t size;

	switch (key) {
	case DPR_INFO_FORMATS:
		formats = ze_module_formats(device, &size);
		return give(to, formats, size);
	case DPR_INFO_ASPECT_ONLINE_COMPILER:
		return give_number(to, ze_module_takes_source(device));
	case DPR_INFO_COMPUTE_UNITS: return give_known(to, key, device->units);
	case DPR_INFO_MAX_WORK_ITEM_SIZES:
		return give_sizes(to, compute->maxGroupSizeX,
				  compute->maxGroupSizeY,
				  compute->maxGroupSizeZ);
	case DPR_INFO_MAX_WORK_GROUP_SIZE:
		return give_number(to, compute->maxTotalGroupSize);
	case DPR_INFO_MAX_WORK_GROUPS:
		return give_sizes(to, compute->maxGroupCountX,
				  compute->maxGroupCountY,
				  compute->maxGroupCountZ);
	case DPR_INFO_SUB_GROUP_SIZES: return give_sub_groups(to);
	case DPR_INFO_MAX_SUB_GROUPS: return give_max_sub_groups(to);
	case DPR_INFO_MAX_CLOCK_FREQUENCY:
		return give_known(to, key, device->properties.coreClockRate);
	case DPR_INFO_MAX_PARAMETER_SIZE:
		return give_known(to, key, device->module.maxArgumentsSize);
	case DPR_INFO_TIMER_RESOLUTION:
		step = ze_clock_to_ns(device, 1);
		return give_number(to, step ? step : 1);
	default: return give_arithmetic(to, key);
	}
}

dprp_rc ze_info_get(dprp_device *device, uint32_t key, void *buffer,
		    size_t capacity, size_t *need)
{
	const struct ze_answer to = { device, buffer, capacity, need };
	size_t i;

	for (i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
		if (constants[i].key == key)
			return give_number(&to, constants[i].value);
	return give_compute(&to, key);
}
