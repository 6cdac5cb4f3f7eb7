/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_device.c - finding devices, without making a context. */
#include "cuda_objects.h"

/* Read the attributes that are kept in @device. */
static dprp_rc read_attributes(dprp_device *device)
{
	int prohibited = 0, managed = 0, units = 0;
	const struct {
		CUdevice_attribute key;
		int *to;
	} list[] = {
		{ CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
		  &device->major },
		{ CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
		  &device->minor },
		{ CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &units },
		{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
		  &device->max_threads },
		{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
		  &device->max_shared },
		{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
		  &device->max_shared_optin },
		{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &device->max_grid[0] },
		{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, &device->max_grid[1] },
		{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, &device->max_grid[2] },
		{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &device->max_block[0] },
		{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, &device->max_block[1] },
		{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, &device->max_block[2] },
		{ CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, &managed },
		{ CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, &prohibited },
	};
	size_t i;
	dprp_rc rc;

	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		rc = CUDA_TRY(device->instance, cuDeviceGetAttribute,
			      list[i].to, list[i].key, device->id);
		if (rc)
			return rc;
	}
	device->units = (uint32_t)units;
	device->managed = managed;
	device->prohibited = prohibited == CU_COMPUTEMODE_PROHIBITED;
	/* Devices without opt-in memory report 0. */
	if (device->max_shared_optin < device->max_shared)
		device->max_shared_optin = device->max_shared;
	return DPR_RC_OK;
}

static dprp_rc read_device(dprp_instance *instance, uint32_t number,
			   dprp_device *device)
{
	size_t memory = 0;
	dprp_rc rc;

	memset(device, 0, sizeof(*device));
	device->instance = instance;
	device->root = device;
	device->number = number;
	rc = CUDA_TRY(instance, cuDeviceGet, &device->id, (int)number);
	if (!rc)
		rc = CUDA_TRY(instance, cuDeviceGetName, device->name,
			      (int)sizeof(device->name), device->id);
	if (!rc)
		rc = CUDA_TRY(instance, cuDeviceGetUuid, &device->uuid,
			      device->id);
	if (!rc)
		rc = CUDA_TRY(instance, cuDeviceTotalMem, &memory, device->id);
	if (!rc)
		rc = read_attributes(device);
	device->memory = memory;
	device->name[sizeof(device->name) - 1] = '\0';
	/* An instance (MIG) of a divided card may have no address of its
	   own. */
	if (!rc && instance->cu.cuDeviceGetPCIBusId(
			   device->pci, (int)sizeof(device->pci), device->id))
		device->pci[0] = '\0';
	return rc;
}

/* Start the driver, and explain each error that means that no device can be
   used. */
static dprp_rc start_driver(dprp_instance *instance)
{
	const dprp_host *host = instance->host;
	CUresult error = instance->cu.cuInit(0);

	switch (error) {
	case CUDA_SUCCESS: return DPR_RC_OK;
	case CUDA_ERROR_NO_DEVICE:
		return dprh_fail(host, DPR_RC_NO_DEVICE, error,
				 "cuInit: CUDA_ERROR_NO_DEVICE: the "
				 "driver finds no NVIDIA GPU");
	case CUDA_ERROR_STUB_LIBRARY:
		return dprh_fail(host, DPR_RC_NO_DRIVER, error,
				 "cuInit: CUDA_ERROR_STUB_LIBRARY: "
				 "libcuda.so.1 is a stub to link with, "
				 "not NVIDIA's driver");
	case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
	case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
		return dprh_fail(
			host, DPR_RC_NO_DRIVER, error,
			"cuInit: %s (%d): libcuda.so.1 does not match the "
			"driver in the kernel; after an update of the "
			"driver, restart the machine",
			cuda_error_name(instance, error), (int)error);
	default:
		/* The kernel module is not loaded, or the user has no access to
		   it. */
		cuda_error_check(instance, error, "cuInit");
		return dprh_fail(
			host, DPR_RC_NO_DEVICE, error,
			"cuInit: %s (%d): check whether nvidia-smi works and "
			"whether this user may open /dev/nvidia*",
			cuda_error_name(instance, error), (int)error);
	}
}

dprp_rc cuda_device_find_all(dprp_instance *instance)
{
	const dprp_host *host = instance->host;
	int n = 0;
	uint32_t i;
	dprp_rc rc = start_driver(instance);

	if (!rc)
		rc = CUDA_TRY(instance, cuDeviceGetCount, &n);
	if (rc)
		return rc;
	if (n < 1)
		return dprh_fail(host, DPR_RC_NO_DEVICE, 0,
				 "the driver lists no device (is "
				 "CUDA_VISIBLE_DEVICES set?)");
	instance->devices =
		dprh_alloc(host, (size_t)n, sizeof(*instance->devices));
	if (!instance->devices)
		return dprh_no_memory(host, "the devices");
	for (i = 0; i < (uint32_t)n; i++) {
		rc = read_device(instance, i,
				 &instance->devices[instance->n_devices]);
		if (!rc)
			instance->n_devices++;
		else
			dprh_log(host, 2,
				 "CUDA device %u is left out: its "
				 "properties cannot be read",
				 (unsigned)i);
	}
	return instance->n_devices ? DPR_RC_OK : rc;
}

void cuda_device_free_all(dprp_instance *instance)
{
	const dprp_host *host = instance->host;
	dprp_device *part;

	while ((part = instance->parts)) {
		instance->parts = part->next;
		cuda_part_free(part);
	}
	dprh_free(host, instance->devices);
	instance->devices = NULL;
	instance->n_devices = 0;
}

dprp_rc cuda_device_count(dprp_instance *instance, uint32_t *n)
{
	*n = instance->n_devices;
	return DPR_RC_OK;
}

dprp_rc cuda_device_get(dprp_instance *instance, uint32_t index,
			dprp_device **out)
{
	*out = NULL;
	if (index >= instance->n_devices)
		return dprh_fail(instance->host, DPR_RC_INVALID, 0,
				 "there is no CUDA device %u", (unsigned)index);
	*out = &instance->devices[index];
	return DPR_RC_OK;
}

/* Event times are given on the host's clock already, so both readings are
   equal. */
dprp_rc cuda_device_clocks(dprp_device *device, uint64_t *device_ns,
			   uint64_t *host_ns)
{
	(void)device;
	*device_ns = *host_ns = dprh_now();
	return DPR_RC_OK;
}
