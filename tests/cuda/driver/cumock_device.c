/* SPDX-License-Identifier: Apache-2.0 */
/* cumock_device.c - the properties of devices. */
#include "cumock_impl.h"

#include <stdio.h>
#include <string.h>

CUresult cumock_cuDeviceGetCount(int *n)
{
	CUresult error = cumock_begin(CUMOCK_cuDeviceGetCount);

	if (!error)
		*n = cumock_settings.n_devices;
	return cumock_end(error);
}

CUresult cumock_cuDeviceGet(CUdevice *out, int ordinal)
{
	CUresult error = cumock_begin(CUMOCK_cuDeviceGet);

	if (cumock_context_device(ordinal, &error))
		*out = ordinal;
	return cumock_end(error);
}

CUresult cumock_cuDeviceGetName(char *name, int size, CUdevice number)
{
	CUresult error = cumock_begin(CUMOCK_cuDeviceGetName);
	struct device *device = cumock_context_device(number, &error);

	if (device && device->settings->undescribed)
		error = CUDA_ERROR_UNKNOWN;
	else if (device)
		snprintf(name, (size_t)size, "%s", device->settings->name);
	return cumock_end(error);
}

CUresult cumock_cuDeviceGetUuid(CUuuid *uuid, CUdevice number)
{
	CUresult error = cumock_begin(CUMOCK_cuDeviceGetUuid);
	struct device *device = cumock_context_device(number, &error);

	if (device)
		memcpy(uuid->bytes, device->settings->uuid,
		       sizeof(uuid->bytes));
	return cumock_end(error);
}

CUresult cumock_cuDeviceTotalMem(size_t *bytes, CUdevice number)
{
	CUresult error = cumock_begin(CUMOCK_cuDeviceTotalMem);
	struct device *device = cumock_context_device(number, &error);

	if (device)
		*bytes = device->settings->memory;
	return cumock_end(error);
}

CUresult cumock_cuDeviceGetPCIBusId(char *text, int size, CUdevice number)
{
	CUresult error = cumock_begin(CUMOCK_cuDeviceGetPCIBusId);
	struct device *device = cumock_context_device(number, &error);

	if (device && device->settings->instance)
		error = CUDA_ERROR_NOT_SUPPORTED;
	else if (device && size < 13)
		error = CUDA_ERROR_INVALID_VALUE;
	else if (device)
		snprintf(text, (size_t)size, "%04x:%02x:%02x.0",
			 device->settings->pci_domain,
			 device->settings->pci_bus,
			 device->settings->pci_device);
	return cumock_end(error);
}

/* Attributes that are the same for all devices. */
static const struct {
	int key, value;
} fixed[] = {
	{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024 },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024 },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024 },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64 },
	{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647 },
	{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535 },
	{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535 },
	{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152 },
	{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448 },
	{ 10, 32 }, /* WARP_SIZE */
	{ CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000 },
	{ CU_DEVICE_ATTRIBUTE_INTEGRATED, 0 },
	{ CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 1 },
	{ 36, 3201000 }, /* MEMORY_CLOCK_RATE */
	{ 37, 6144 },    /* GLOBAL_MEMORY_BUS_WIDTH */
	{ CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 62914560 },
	{ 41, 1 }, /* UNIFIED_ADDRESSING */
	{ 78, 1 }, /* STREAM_PRIORITIES_SUPPORTED */
	{ 83, 1 }, /* MANAGED_MEMORY */
	{ CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, 0 },
	{ CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 0 },
};

static CUresult attribute(const struct cumock_device_settings *set,
			  CUdevice_attribute key, int *value)
{
	size_t i;

	switch ((int)key) {
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
		*value = set->major;
		return CUDA_SUCCESS;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
		*value = set->minor;
		return CUDA_SUCCESS;
	case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
		*value = set->units;
		return CUDA_SUCCESS;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
		*value = set->mode;
		return CUDA_SUCCESS;
	case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
		*value = set->managed;
		return CUDA_SUCCESS;
	default: break;
	}
	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		if (fixed[i].key != (int)key)
			continue;
		*value = fixed[i].value;
		return CUDA_SUCCESS;
	}
	return cumock_misuse(CUDA_ERROR_INVALID_VALUE,
			     "the mock does not know attribute %d", (int)key);
}

CUresult cumock_cuDeviceGetAttribute(int *value, CUdevice_attribute key,
				     CUdevice number)
{
	CUresult error = cumock_begin(CUMOCK_cuDeviceGetAttribute);
	struct device *device = cumock_context_device(number, &error);

	if (device)
		error = attribute(device->settings, key, value);
	return cumock_end(error);
}

/* --- Peers --- */

static bool can_reach(const struct device *device, CUdevice to)
{
	return device->settings->peers[to] && !device->settings->instance &&
	       !cumock_settings.devices[to].instance;
}

CUresult cumock_cuDeviceCanAccessPeer(int *can, CUdevice from, CUdevice to)
{
	CUresult error = cumock_begin(CUMOCK_cuDeviceCanAccessPeer);
	struct device *device = cumock_context_device(from, &error);

	if (cumock_context_device(to, &error) && device)
		*can = from != to && can_reach(device, to);
	return cumock_end(error);
}

CUresult cumock_cuCtxEnablePeerAccess(CUcontext handle, unsigned flags)
{
	CUresult error = cumock_begin(CUMOCK_cuCtxEnablePeerAccess);
	struct context *from = cumock_context_current(&error);
	struct context *to = cumock_handle_get(handle, MAGIC_CONTEXT, &error);
	struct device *device;

	if (error || flags)
		return cumock_end(error ? error : CUDA_ERROR_INVALID_VALUE);
	device = from->device;
	if (device == to->device || !to->active)
		error = CUDA_ERROR_INVALID_CONTEXT;
	else if (!can_reach(device, to->device->number))
		error = CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
	else if (device->enabled[to->device->number])
		error = CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
	else
		device->enabled[to->device->number] = true;
	return cumock_end(error);
}
