/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_info.c - information about devices. */
#include <stdio.h>

#include "cuda_programs.h"

/* The threads of a warp. */
#define WARP 32u

/* Keys whose value is an attribute that the driver reports. */
static const struct {
	uint32_t key;
	CUdevice_attribute ask;
} attributes[] = {
#define K(key, ask)                                       \
	{                                                 \
		DPR_INFO_##key, CU_DEVICE_ATTRIBUTE_##ask \
	}
	K(MAX_WORK_GROUP_SIZE, MAX_THREADS_PER_BLOCK),
	K(GLOBAL_CACHE_SIZE, L2_CACHE_SIZE),
	K(ERROR_CORRECTION, ECC_ENABLED),
	K(UNIFIED_MEMORY, INTEGRATED),
	K(ASPECT_USM_SHARED, CONCURRENT_MANAGED_ACCESS),
	K(ASPECT_USM_ATOMIC_SHARED, CONCURRENT_MANAGED_ACCESS),
	K(ASPECT_USM_SYSTEM, PAGEABLE_MEMORY_ACCESS),
	K(ASPECT_USM_ATOMIC_HOST, HOST_NATIVE_ATOMIC_SUPPORTED),
#undef K
};

/* Keys that have one value on every device of this driver. */
static const struct {
	uint32_t key;
	uint64_t value;
} constants[] = {
#define K(key, value)                 \
	{                             \
		DPR_INFO_##key, value \
	}
	K(VENDOR_ID, 0x10de),
	K(TYPE, DPR_DEVICE_GPU),
	K(MAX_WORK_ITEM_DIMS, 3),
	K(ADDRESS_BITS, 64),
	/* A larger size needs a newer device, driver and version of PTX. */
	K(MAX_PARAMETER_SIZE, 4096),
	/* The best resolution of cuEventElapsedTime. */
	K(TIMER_RESOLUTION, 500),
	/* A work-item computes one value at a time. */
	K(PREFERRED_VECTOR_CHAR, 1),
	K(PREFERRED_VECTOR_SHORT, 1),
	K(PREFERRED_VECTOR_INT, 1),
	K(PREFERRED_VECTOR_LONG, 1),
	K(PREFERRED_VECTOR_FLOAT, 1),
	K(PREFERRED_VECTOR_DOUBLE, 1),
	K(NATIVE_VECTOR_CHAR, 1),
	K(NATIVE_VECTOR_SHORT, 1),
	K(NATIVE_VECTOR_INT, 1),
	K(NATIVE_VECTOR_LONG, 1),
	K(NATIVE_VECTOR_FLOAT, 1),
	K(NATIVE_VECTOR_DOUBLE, 1),
	K(LOCAL_MEM_TYPE, 1),
	K(MEM_BASE_ALIGN, 256),
	K(GLOBAL_CACHE_TYPE, 2),
	K(GLOBAL_CACHE_LINE, 128),
	K(SUB_BUFFER_ALIGN, 1),
	K(SINGLE_FP_CONFIG,
	  DPR_FP_DENORM | DPR_FP_INF_NAN | DPR_FP_ROUND_TO_NEAREST |
		  DPR_FP_ROUND_TO_ZERO | DPR_FP_ROUND_TO_INF | DPR_FP_FMA |
		  DPR_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT),
	K(DOUBLE_FP_CONFIG,
	  DPR_FP_DENORM | DPR_FP_INF_NAN | DPR_FP_ROUND_TO_NEAREST |
		  DPR_FP_ROUND_TO_ZERO | DPR_FP_ROUND_TO_INF | DPR_FP_FMA),
	K(PARTITION_DOMAINS, 0),
	K(ASPECT_FP64, 1),
	K(ASPECT_ATOMIC64, 1),
	/* The plugin does not support images. */
	K(ASPECT_IMAGE, 0),
	K(ASPECT_ONLINE_LINKER, 0),
	K(ASPECT_QUEUE_PROFILING, 1),
	K(ASPECT_USM_DEVICE, 1),
	K(ASPECT_USM_HOST, 1),
	K(ASPECT_HOST_DEBUGGABLE, 0),
	K(ASPECT_EMULATED, 0),
	K(ASPECT_COMPONENT, 0),
	K(ASPECT_COMPOSITE, 0),
	K(ASPECT_IPC_MEMORY, 1),
	K(ASPECT_OUT_OF_ORDER, 1),
	K(ASPECT_ADDRESSES, 1),
	K(ASPECT_HOST_MEMORY, 0),
	K(BINARIES, DPR_BINARIES_FIRST),
#undef K
};

/* The device that is asked, and where its answer goes. */
struct cuda_answer {
	dprp_device *device;
	void *buffer;
	size_t capacity, *need;
};

static dprp_rc give(const struct cuda_answer *to, const void *value,
		    size_t size)
{
	return dprh_answer(to->device->instance->host, value, size, to->buffer,
			   to->capacity, to->need);
}

static dprp_rc give_text(const struct cuda_answer *to, const char *text)
{
	return give(to, text, strlen(text) + 1);
}

static dprp_rc give_number(const struct cuda_answer *to, uint64_t value)
{
	return give(to, &value, sizeof(value));
}

static dprp_rc give_sizes(const struct cuda_answer *to, const int sizes[3])
{
	const uint64_t list[3] = { (uint64_t)sizes[0], (uint64_t)sizes[1],
				   (uint64_t)sizes[2] };

	return give(to, list, sizeof(list));
}

static dprp_rc refuse(const struct cuda_answer *to, uint32_t key)
{
	return dprh_unknown(to->device->instance->host, "device", key);
}

/* Give the device types kDLCUDA, kDLCUDAManaged and kDLCUDAHost. */
static dprp_rc give_dlpack(const struct cuda_answer *to)
{
	const dprp_device *device = to->device;
	const uint64_t list[6] = { 2,
				   device->number,
				   device->managed ? 13 : 0,
				   device->managed ? device->number : 0,
				   3,
				   0 };

	return give(to, list, sizeof(list));
}

/* Give the version of NVIDIA's driver as the kernel reports it, or else the
   version of CUDA. */
static dprp_rc give_driver_version(const struct cuda_answer *to)
{
	int version = to->device->instance->cu.version;
	FILE *file = fopen("/sys/module/nvidia/version", "re");
	char text[64];

	snprintf(text, sizeof(text), "%d.%d", version / 1000,
		 version % 1000 / 10);
	if (file) {
		if (fgets(text, sizeof(text), file))
			text[strcspn(text, "\n")] = '\0';
		fclose(file);
	}
	return give_text(to, text);
}

/* Give the free memory if the device has an active context: without one the
   driver does not report it, and none is made just to ask. */
static dprp_rc give_free_memory(const struct cuda_answer *to)
{
	const dprp_device *root = to->device->root;
	const struct cuda_api *cu = &root->instance->cu;
	size_t unused = 0, total = 0;
	unsigned flags = 0;
	int active = 0;
	CUcontext context;
	CUresult error;
	bool entered;

	if (cu->cuDevicePrimaryCtxGetState(root->id, &flags, &active) ||
	    !active || cu->cuDevicePrimaryCtxRetain(&context, root->id))
		return refuse(to, DPR_INFO_FREE_MEMORY);
	error = cuda_context_enter(cu, context, &entered);
	if (!error)
		error = cu->cuMemGetInfo(&unused, &total);
	cuda_context_leave(cu, entered);
	cu->cuDevicePrimaryCtxRelease(root->id);
	return error ? refuse(to, DPR_INFO_FREE_MEMORY)
		     : give_number(to, unused);
}

/* Give an answer that follows from the compute capability. */
static dprp_rc give_by_capability(const struct cuda_answer *to, uint32_t key)
{
	const dprp_device *device = to->device;
	bool volta = device->major >= 7;

	switch (key) {
	case DPR_INFO_ATOMIC_MEMORY_ORDERS:
	case DPR_INFO_ATOMIC_FENCE_ORDERS:
		return give_number(to, volta ? 1 | 2 | 4 | 8 | 16 : 1);
	case DPR_INFO_ATOMIC_MEMORY_SCOPES:
	case DPR_INFO_ATOMIC_FENCE_SCOPES:
		return give_number(to, 1 | 2 | 4 | 8 | 16);
	case DPR_INFO_ASPECT_FP16:
		return give_number(to, device->major > 5 || device->minor >= 3);
	case DPR_INFO_HALF_FP_CONFIG:
		return give_number(to, DPR_FP_DENORM | DPR_FP_INF_NAN |
					       DPR_FP_ROUND_TO_NEAREST |
					       DPR_FP_FMA);
	default: return refuse(to, key);
	}
}

static dprp_rc give_partition(const struct cuda_answer *to, uint32_t key)
{
	dprp_device *device = to->device;
	uint32_t unit = cuda_part_unit(device->root);

	switch (key) {
	case DPR_INFO_PARTITION_MAX_SUB_DEVICES:
		return give_number(to, unit ? device->units / unit : 0);
	case DPR_INFO_PARTITION_PROPERTIES:
		return give_number(to,
				   unit && device->units >= 2 * unit
					   ? 1u << DPR_PARTITION_EQUALLY |
						     1u << DPR_PARTITION_COUNTS
					   : 0);
	case DPR_INFO_PARTITION_UNIT:
		return unit ? give_number(to, unit) : refuse(to, key);
	default: return refuse(to, key);
	}
}

/* Give an answer that is a text, a list or an identity. */
static dprp_rc give_other(const struct cuda_answer *to, uint32_t key)
{
	static const char formats[] =
		"cubin\0ptx\0opencl-c\0" DPRP_CALLS_FORMAT;
	dprp_device *device = to->device;
	char text[64];

	switch (key) {
	case DPR_INFO_NAME: return give_text(to, device->name);
	case DPR_INFO_VENDOR: return give_text(to, "NVIDIA Corporation");
	case DPR_INFO_PLATFORM_NAME: return give_text(to, "NVIDIA CUDA");
	case DPR_INFO_DRIVER_VERSION: return give_driver_version(to);
	case DPR_INFO_VERSION:
		snprintf(text, sizeof(text), "compute capability %d.%d",
			 device->major, device->minor);
		return give_text(to, text);
	case DPR_INFO_PLATFORM_VERSION:
		snprintf(text, sizeof(text), "%d.%d",
			 device->instance->cu.version / 1000,
			 device->instance->cu.version % 1000 / 10);
		return give_text(to, text);
	case DPR_INFO_UUID:
		return give(to, device->uuid.bytes, sizeof(device->uuid.bytes));
	case DPR_INFO_PCI_ADDRESS:
		return *device->pci ? give_text(to, device->pci)
				    : refuse(to, key);
	case DPR_INFO_BINARY_TARGET:
		snprintf(text, sizeof(text), "sm_%d%d", device->major,
			 device->minor);
		return give_text(to, text);
	/* Sources need NVRTC, and calls cuBLAS or cuSOLVER.  These are looked for only
	   when a source is built or a routine called. */
	case DPR_INFO_FORMATS: return give(to, formats, sizeof(formats));
	case DPR_INFO_SUB_GROUP_SIZES: return give_number(to, WARP);
	case DPR_INFO_MAX_WORK_ITEM_SIZES:
		return give_sizes(to, device->max_block);
	case DPR_INFO_MAX_WORK_GROUPS: return give_sizes(to, device->max_grid);
	case DPR_INFO_FREE_MEMORY: return give_free_memory(to);
	case DPR_INFO_DLPACK_DEVICE: return give_dlpack(to);
	default: return give_by_capability(to, key);
	}
}

static dprp_rc give_computed(const struct cuda_answer *to, uint32_t key)
{
	dprp_device *device = to->device;
	int value = 0;

	switch (key) {
	case DPR_INFO_COMPUTE_UNITS: return give_number(to, device->units);
	case DPR_INFO_AVAILABLE: return give_number(to, !device->prohibited);
	case DPR_INFO_GLOBAL_MEM_SIZE:
	case DPR_INFO_MAX_ALLOC_SIZE: return give_number(to, device->memory);
	case DPR_INFO_LOCAL_MEM_SIZE:
		return give_number(to, (uint64_t)device->max_shared_optin);
	case DPR_INFO_MAX_SUB_GROUPS:
		return give_number(to, (uint64_t)device->max_threads / WARP);
	case DPR_INFO_ASPECT_ONLINE_COMPILER:
		return give_number(to, cuda_compile_is_there(device->instance));
	case DPR_INFO_MAX_CLOCK_FREQUENCY:
		if (device->instance->cu.cuDeviceGetAttribute(
			    &value, CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
			    device->id) ||
		    value <= 0)
			return refuse(to, key);
		return give_number(to, (uint64_t)value / 1000);
	case DPR_INFO_PARTITION_TYPE: return give_number(to, device->made_how);
	case DPR_INFO_PARTITION_UNIT:
	case DPR_INFO_PARTITION_MAX_SUB_DEVICES:
	case DPR_INFO_PARTITION_PROPERTIES: return give_partition(to, key);
	default: return give_other(to, key);
	}
}

dprp_rc cuda_info_get(dprp_device *device, uint32_t key, void *buffer,
		      size_t capacity, size_t *need)
{
	const struct cuda_answer to = { device, buffer, capacity, need };
	int value = 0;
	size_t i;

	for (i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
		if (constants[i].key == key)
			return give_number(&to, constants[i].value);
	for (i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		if (attributes[i].key != key)
			continue;
		if (device->instance->cu.cuDeviceGetAttribute(
			    &value, attributes[i].ask, device->id) ||
		    value < 0)
			return refuse(&to, key);
		return give_number(&to, (uint64_t)value);
	}
	return give_computed(&to, key);
}
