/* SPDX-License-Identifier: Apache-2.0 */
/* zecpu_device.c - root devices, their tiles and their properties.  Where
   values of real devices are unusual, so are these. */
#include "zecpu_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VENDOR 0x7a65 /* no PCI vendor has this number */
#define TICKS_PER_SECOND 12000000
#define TIMESTAMP_BITS 36
#define KERNEL_TIMESTAMP_BITS ZECPU_KERNEL_TIMESTAMP_BITS
#define MAX_GROUP 256

static uint64_t clock_start;

static uint64_t bits(unsigned n)
{
	return (UINT64_C(1) << n) - 1;
}

static int64_t within(int64_t value, int64_t least, int64_t most)
{
	return value < least ? least : value > most ? most : value;
}

static struct device *device_new(unsigned number, int tile)
{
	struct device *device = zecpu_object_new(sizeof(*device), KIND_DEVICE);

	if (!device)
		return NULL;
	device->number = number;
	device->tile = tile;
	device->root = device;
	device->fp64 = zecpu_knob(KNOB_FP64) >> number & 1;
	device->memory = (uint64_t)zecpu_knob(KNOB_MEMORY_MB) << 20;
	return device;
}

/* Make a device and its tiles or, with ZECPU_FLAT, its tiles as devices. */
static bool start_device(unsigned number)
{
	unsigned t, tiles = (unsigned)within(
			    zecpu_knob(number ? KNOB_SUBDEVICES_REST
					      : KNOB_SUBDEVICES),
			    0, ZECPU_MAX_TILES);
	bool flat = tiles > 0 && zecpu_knob(KNOB_FLAT);
	struct device *root = NULL, *tile;

	if (!flat) {
		root = device_new(number, -1);
		if (!root)
			return false;
		zecpu.devices[zecpu.n_devices++] = root;
	}
	for (t = 0; t < tiles; t++) {
		tile = device_new(number, (int)t);
		if (!tile)
			return false;
		tile->memory /= tiles;
		if (flat) {
			zecpu.devices[zecpu.n_devices++] = tile;
		} else {
			tile->root = root;
			root->tiles[root->n_tiles++] = tile;
		}
	}
	return true;
}

bool zecpu_device_start(void)
{
	unsigned i, n = (unsigned)within(zecpu_knob(KNOB_DEVICES), 0,
					 ZECPU_MAX_DEVICES);

	clock_start = zecpu_now_ns();
	for (i = 0; i < n; i++)
		if (!start_device(i))
			return false;
	return true;
}

uint64_t zecpu_device_ticks(void)
{
	uint64_t ns = zecpu_now_ns() - clock_start;

	/* Ticks of 83.3 ns. */
	return (uint64_t)zecpu_knob(KNOB_TICKS) + ns / 1000 * 12 +
	       ns % 1000 * 12 / 1000;
}

uint64_t zecpu_device_largest(const struct device *device)
{
	return device->memory / 4;
}

void zecpu_device_lose(unsigned number)
{
	struct device *device;
	unsigned i;

	if (number >= zecpu.n_devices)
		return;
	device = zecpu.devices[number];
	pthread_mutex_lock(&zecpu.lock);
	atomic_store(&device->lost, true);
	for (i = 0; i < device->n_tiles; i++)
		atomic_store(&device->tiles[i]->lost, true);
	zecpu_engine_discard();
	zecpu_engine_wake();
	/* Commands that are running end soon: wait for them. */
	while (zecpu_engine_runs(device)) {
		pthread_mutex_unlock(&zecpu.lock);
		zecpu_sleep_us(100);
		pthread_mutex_lock(&zecpu.lock);
	}
	pthread_mutex_unlock(&zecpu.lock);
}

/* Answer a call for the number of devices, or for the devices. */
static ze_result_t put_devices(uint32_t *count, ze_device_handle_t *out,
			       struct device *const *devices, uint32_t n)
{
	ze_result_t result;
	uint32_t i;

	if (!zecpu_check_pointer(count, "pCount", &result))
		return result;
	if (out)
		for (i = 0; i < n && i < *count; i++)
			out[i] = (ze_device_handle_t)devices[i];
	if (*count == 0 || *count > n)
		*count = n;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeDeviceGet(ze_driver_handle_t driver,
					 uint32_t *count,
					 ze_device_handle_t *devices)
{
	ze_result_t result = zecpu_enter(ENTRY_zeDeviceGet);

	if (result || !zecpu_object_is(driver, KIND_DRIVER, &result))
		return result;
	return put_devices(count, devices, zecpu.devices, zecpu.n_devices);
}

ze_result_t ZE_APICALL zecpu_zeDeviceGetSubDevices(ze_device_handle_t handle,
						   uint32_t *count,
						   ze_device_handle_t *out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeDeviceGetSubDevices);
	struct device *device = (struct device *)handle;

	if (result || !zecpu_object_is(device, KIND_DEVICE, &result))
		return result;
	return put_devices(count, out, device->tiles, device->n_tiles);
}

static void put_uuid(const struct device *device, uint8_t *uuid)
{
	memset(uuid, 0, ZE_MAX_DEVICE_UUID_SIZE);
	memcpy(uuid, "zecpu", 5);
	uuid[8] = (uint8_t)device->number;
	uuid[15] = (uint8_t)(device->tile + 1);
}

ze_result_t ZE_APICALL zecpu_zeDeviceGetProperties(ze_device_handle_t handle,
						   ze_device_properties_t *p)
{
	ze_result_t result = zecpu_enter(ENTRY_zeDeviceGetProperties);
	struct device *device = (struct device *)handle;
	bool newer;

	if (result || !zecpu_object_is(device, KIND_DEVICE, &result) ||
	    !zecpu_check_pointer(p, "pDeviceProperties", &result))
		return result;
	newer = p->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
	if (!newer &&
	    !zecpu_check_type(p, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, &result))
		return result;
	p->type = (ze_device_type_t)zecpu_knob(KNOB_TYPE);
	p->vendorId = VENDOR;
	p->deviceId = 0x100 + device->number;
	p->flags =
		device->root != device ? ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE : 0;
	p->subdeviceId = device->root != device ? (uint32_t)device->tile : 0;
	p->coreClockRate = 1300;
	p->maxMemAllocSize = zecpu_device_largest(device);
	p->maxHardwareContexts = 65536;
	p->maxCommandQueuePriority = 0;
	p->numThreadsPerEU = 7;
	p->physicalEUSimdWidth = 8;
	p->numEUsPerSubslice = 8;
	p->numSubslicesPerSlice = 3;
	/* A root device has the units of all its tiles. */
	p->numSlices = device->n_tiles ? device->n_tiles : 1;
	p->timerResolution = newer ? TICKS_PER_SECOND : 83;
	p->timestampValidBits = TIMESTAMP_BITS;
	p->kernelTimestampValidBits = KERNEL_TIMESTAMP_BITS;
	put_uuid(device, p->uuid.id);
	if (device->tile >= 0)
		snprintf(p->name, sizeof(p->name), "zecpu device %u tile %d",
			 device->number, device->tile);
	else
		snprintf(p->name, sizeof(p->name), "zecpu device %u",
			 device->number);
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeDeviceGetComputeProperties(
	ze_device_handle_t device, ze_device_compute_properties_t *p)
{
	ze_result_t result = zecpu_enter(ENTRY_zeDeviceGetComputeProperties);
	static const uint32_t sizes[] = { 8, 16, 32 };

	if (result || !zecpu_object_is(device, KIND_DEVICE, &result) ||
	    !zecpu_check_type(p, ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES,
			      &result))
		return result;
	p->maxTotalGroupSize = MAX_GROUP;
	p->maxGroupSizeX = p->maxGroupSizeY = p->maxGroupSizeZ = MAX_GROUP;
	p->maxGroupCountX = UINT32_MAX;
	p->maxGroupCountY = p->maxGroupCountZ = UINT32_MAX;
	p->maxSharedLocalMemory = (uint32_t)zecpu_knob(KNOB_LOCAL);
	p->numSubGroupSizes = 3;
	memset(p->subGroupSizes, 0, sizeof(p->subGroupSizes));
	memcpy(p->subGroupSizes, sizes, sizeof(sizes));
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeDeviceGetModuleProperties(
	ze_device_handle_t handle, ze_device_module_properties_t *p)
{
	ze_result_t result = zecpu_enter(ENTRY_zeDeviceGetModuleProperties);
	struct device *device = (struct device *)handle;
	ze_device_fp_flags_t all =
		ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN |
		ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST | ZE_DEVICE_FP_FLAG_FMA;

	if (result || !zecpu_object_is(device, KIND_DEVICE, &result) ||
	    !zecpu_check_type(p, ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES,
			      &result))
		return result;
	p->spirvVersionSupported = ZE_MAKE_VERSION(1, 2);
	p->flags = zecpu_knob(KNOB_INT64_ATOMICS)
			   ? ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS
			   : 0;
	p->fp16flags = 0;
	p->fp32flags = all | ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT;
	p->fp64flags = 0;
	if (device->fp64) {
		p->flags |= ZE_DEVICE_MODULE_FLAG_FP64;
		p->fp64flags = all;
	}
	p->maxArgumentsSize = (uint32_t)zecpu_knob(KNOB_MAX_ARGUMENTS);
	p->printfBufferSize = 4 << 20;
	memset(&p->nativeKernelSupported, 0, sizeof(p->nativeKernelSupported));
	memcpy(p->nativeKernelSupported.id, "zecpu native", 12);
	return ZE_RESULT_SUCCESS;
}

bool zecpu_device_group(unsigned group, ze_command_queue_group_properties_t *p)
{
	unsigned copies = (unsigned)within(zecpu_knob(KNOB_COPY_GROUPS), 0, 2);

	if (group > copies)
		return false;
	if (group == 0) {
		p->flags =
			ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE |
			ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY |
			ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS;
		p->maxMemoryFillPatternSize = 128;
		p->numQueues = 1;
	} else {
		p->flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
		p->maxMemoryFillPatternSize = 1;
		p->numQueues = group == 1 ? 1 : 7;
	}
	return true;
}

ze_result_t ZE_APICALL zecpu_zeDeviceGetCommandQueueGroupProperties(
	ze_device_handle_t device, uint32_t *count,
	ze_command_queue_group_properties_t *out)
{
	ze_result_t result =
		zecpu_enter(ENTRY_zeDeviceGetCommandQueueGroupProperties);
	ze_command_queue_group_properties_t group;
	uint32_t n;

	if (result || !zecpu_object_is(device, KIND_DEVICE, &result) ||
	    !zecpu_check_pointer(count, "pCount", &result))
		return result;
	for (n = 0; zecpu_device_group(n, &group); n++) {
		if (!out || n >= *count)
			continue;
		if (!zecpu_check_type(
			    &out[n],
			    ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES,
			    &result))
			return result;
		zecpu_device_group(n, &out[n]);
	}
	if (*count == 0 || *count > n)
		*count = n;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL
zecpu_zeDeviceGetMemoryProperties(ze_device_handle_t handle, uint32_t *count,
				  ze_device_memory_properties_t *p)
{
	ze_result_t result = zecpu_enter(ENTRY_zeDeviceGetMemoryProperties);
	struct device *device = (struct device *)handle;

	if (result || !zecpu_object_is(device, KIND_DEVICE, &result) ||
	    !zecpu_check_pointer(count, "pCount", &result))
		return result;
	if (*count > 0 && p) {
		if (!zecpu_check_type(
			    p, ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES,
			    &result))
			return result;
		p->flags = 0;
		p->maxClockRate = 0;
		p->maxBusWidth = 64;
		p->totalSize = device->memory;
		strcpy(p->name, "DDR");
	}
	*count = 1;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeDeviceGetMemoryAccessProperties(
	ze_device_handle_t device, ze_device_memory_access_properties_t *p)
{
	ze_result_t result =
		zecpu_enter(ENTRY_zeDeviceGetMemoryAccessProperties);
	ze_memory_access_cap_flags_t usual =
		ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC;

	if (result || !zecpu_object_is(device, KIND_DEVICE, &result) ||
	    !zecpu_check_type(p,
			      ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES,
			      &result))
		return result;
	p->hostAllocCapabilities = usual;
	p->deviceAllocCapabilities = usual;
	p->sharedSingleDeviceAllocCapabilities = usual;
	p->sharedCrossDeviceAllocCapabilities = 0;
	p->sharedSystemAllocCapabilities = 0;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL
zecpu_zeDeviceGetCacheProperties(ze_device_handle_t device, uint32_t *count,
				 ze_device_cache_properties_t *p)
{
	ze_result_t result = zecpu_enter(ENTRY_zeDeviceGetCacheProperties);

	if (result || !zecpu_object_is(device, KIND_DEVICE, &result) ||
	    !zecpu_check_pointer(count, "pCount", &result))
		return result;
	if (*count > 0 && p) {
		if (!zecpu_check_type(p,
				      ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES,
				      &result))
			return result;
		p->flags = 0;
		p->cacheSize = 3 << 18;
	}
	*count = 1;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeDeviceGetExternalMemoryProperties(
	ze_device_handle_t device, ze_device_external_memory_properties_t *p)
{
	ze_result_t result =
		zecpu_enter(ENTRY_zeDeviceGetExternalMemoryProperties);

	if (result || !zecpu_object_is(device, KIND_DEVICE, &result) ||
	    !zecpu_check_type(
		    p, ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES,
		    &result))
		return result;
	p->memoryAllocationImportTypes = 0;
	p->memoryAllocationExportTypes = 0;
	p->imageImportTypes = 0;
	p->imageExportTypes = 0;
	return ZE_RESULT_SUCCESS;
}

/* Tiles of one device always reach each other. */
static bool reaches(const struct device *a, const struct device *b)
{
	return a->root == b->root || zecpu_knob(KNOB_PEER);
}

ze_result_t ZE_APICALL zecpu_zeDeviceGetP2PProperties(
	ze_device_handle_t device, ze_device_handle_t peer,
	ze_device_p2p_properties_t *p)
{
	ze_result_t result = zecpu_enter(ENTRY_zeDeviceGetP2PProperties);

	if (result || !zecpu_object_is(device, KIND_DEVICE, &result) ||
	    !zecpu_object_is(peer, KIND_DEVICE, &result) ||
	    !zecpu_check_type(p, ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES,
			      &result))
		return result;
	p->flags = reaches((struct device *)device, (struct device *)peer)
			   ? ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS
			   : 0;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeDeviceCanAccessPeer(ze_device_handle_t device,
						   ze_device_handle_t peer,
						   ze_bool_t *value)
{
	ze_result_t result = zecpu_enter(ENTRY_zeDeviceCanAccessPeer);

	if (result || !zecpu_object_is(device, KIND_DEVICE, &result) ||
	    !zecpu_object_is(peer, KIND_DEVICE, &result) ||
	    !zecpu_check_pointer(value, "value", &result))
		return result;
	*value = reaches((struct device *)device, (struct device *)peer);
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeDeviceGetStatus(ze_device_handle_t handle)
{
	ze_result_t result = zecpu_enter(ENTRY_zeDeviceGetStatus);
	struct device *device = (struct device *)handle;

	if (result || !zecpu_object_is(device, KIND_DEVICE, &result))
		return result;
	return atomic_load(&device->lost) ? ZE_RESULT_ERROR_DEVICE_LOST
					  : ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeDeviceGetGlobalTimestamps(
	ze_device_handle_t device, uint64_t *host, uint64_t *ticks)
{
	ze_result_t result = zecpu_enter(ENTRY_zeDeviceGetGlobalTimestamps);
	struct timespec now;

	if (result || !zecpu_object_is(device, KIND_DEVICE, &result) ||
	    !zecpu_check_pointer(host, "hostTimestamp", &result) ||
	    !zecpu_check_pointer(ticks, "deviceTimestamp", &result))
		return result;
	/* As in Intel's driver: CLOCK_MONOTONIC_RAW, and all bits of the
	   counter, though only the lower ones are valid. */
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	*host = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	*ticks = zecpu_device_ticks() & bits(TIMESTAMP_BITS);
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeDevicePciGetPropertiesExt(
	ze_device_handle_t handle, ze_pci_ext_properties_t *p)
{
	ze_result_t result = zecpu_enter(ENTRY_zeDevicePciGetPropertiesExt);
	struct device *device = (struct device *)handle;

	if (result || !zecpu_object_is(device, KIND_DEVICE, &result) ||
	    !zecpu_check_type(p, ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES, &result))
		return result;
	p->address.domain = 0;
	p->address.bus = 0x20 + device->number;
	p->address.device = 0;
	p->address.function = 0;
	p->maxSpeed.genVersion = -1;
	p->maxSpeed.width = -1;
	p->maxSpeed.maxBandwidth = -1;
	return ZE_RESULT_SUCCESS;
}
