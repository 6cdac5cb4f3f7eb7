/* SPDX-License-Identifier: Apache-2.0 */
/* The values of the keys of info.h: a table of keys that take one query, and
   functions for the other keys. */
#include <stdio.h>
#include <string.h>

#include "ocl.h"

/* Numbers of vendors' extensions, which some versions of the headers lack. */
enum {
	OCL_INTEL_SUB_GROUP_SIZES = 0x4108,
	OCL_INTEL_DEVICE_ID = 0x4251,
	OCL_NV_WARP_SIZE = 0x4003,
	OCL_NV_PCI_BUS = 0x4008,
	OCL_NV_PCI_SLOT = 0x4009,
	OCL_NV_PCI_DOMAIN = 0x400a,
	OCL_AMD_PCIE_ID = 0x4034,
	OCL_AMD_TOPOLOGY = 0x4037,
	OCL_AMD_FREE_MEMORY = 0x4039,
	OCL_AMD_WAVEFRONT_WIDTH = 0x4043,
	OCL_KHR_UUID = 0x106a,
	OCL_KHR_PCI_BUS_INFO = 0x410f
};

/* The type of the value that OpenCL gives.  All types but strings become
   uint64_t. */
enum ocl_form { OCL_UINT, OCL_ULONG, OCL_SIZE, OCL_BOOL, OCL_STRING };

/* Keys that take one query.  Keys about images exist only if the device has
   images. */
static const struct ocl_key {
	uint32_t key;
	cl_device_info ask;
	enum ocl_form form;
	unsigned version;
	bool images;
	const char *extension;
} ocl_keys[] = {
#define K(key, ask, form)                                               \
	{                                                               \
		DPR_INFO_##key, CL_DEVICE_##ask, form, 120, false, NULL \
	}
#define I(key, ask, form)                                              \
	{                                                              \
		DPR_INFO_##key, CL_DEVICE_##ask, form, 120, true, NULL \
	}
	K(NAME, NAME, OCL_STRING),
	K(VENDOR, VENDOR, OCL_STRING),
	K(VENDOR_ID, VENDOR_ID, OCL_UINT),
	K(VERSION, VERSION, OCL_STRING),
	{ DPR_INFO_DRIVER_VERSION, CL_DRIVER_VERSION, OCL_STRING, 120, false,
	  NULL },
	K(AVAILABLE, AVAILABLE, OCL_BOOL),
	K(COMPUTE_UNITS, MAX_COMPUTE_UNITS, OCL_UINT),
	K(MAX_WORK_ITEM_DIMS, MAX_WORK_ITEM_DIMENSIONS, OCL_UINT),
	K(MAX_WORK_GROUP_SIZE, MAX_WORK_GROUP_SIZE, OCL_SIZE),
	K(MAX_CLOCK_FREQUENCY, MAX_CLOCK_FREQUENCY, OCL_UINT),
	K(ADDRESS_BITS, ADDRESS_BITS, OCL_UINT),
	K(MAX_PARAMETER_SIZE, MAX_PARAMETER_SIZE, OCL_SIZE),
	K(TIMER_RESOLUTION, PROFILING_TIMER_RESOLUTION, OCL_SIZE),
	K(PREFERRED_VECTOR_CHAR, PREFERRED_VECTOR_WIDTH_CHAR, OCL_UINT),
	K(PREFERRED_VECTOR_SHORT, PREFERRED_VECTOR_WIDTH_SHORT, OCL_UINT),
	K(PREFERRED_VECTOR_INT, PREFERRED_VECTOR_WIDTH_INT, OCL_UINT),
	K(PREFERRED_VECTOR_LONG, PREFERRED_VECTOR_WIDTH_LONG, OCL_UINT),
	K(PREFERRED_VECTOR_FLOAT, PREFERRED_VECTOR_WIDTH_FLOAT, OCL_UINT),
	K(PREFERRED_VECTOR_DOUBLE, PREFERRED_VECTOR_WIDTH_DOUBLE, OCL_UINT),
	K(PREFERRED_VECTOR_HALF, PREFERRED_VECTOR_WIDTH_HALF, OCL_UINT),
	K(NATIVE_VECTOR_CHAR, NATIVE_VECTOR_WIDTH_CHAR, OCL_UINT),
	K(NATIVE_VECTOR_SHORT, NATIVE_VECTOR_WIDTH_SHORT, OCL_UINT),
	K(NATIVE_VECTOR_INT, NATIVE_VECTOR_WIDTH_INT, OCL_UINT),
	K(NATIVE_VECTOR_LONG, NATIVE_VECTOR_WIDTH_LONG, OCL_UINT),
	K(NATIVE_VECTOR_FLOAT, NATIVE_VECTOR_WIDTH_FLOAT, OCL_UINT),
	K(NATIVE_VECTOR_DOUBLE, NATIVE_VECTOR_WIDTH_DOUBLE, OCL_UINT),
	K(NATIVE_VECTOR_HALF, NATIVE_VECTOR_WIDTH_HALF, OCL_UINT),
	K(GLOBAL_MEM_SIZE, GLOBAL_MEM_SIZE, OCL_ULONG),
	K(LOCAL_MEM_SIZE, LOCAL_MEM_SIZE, OCL_ULONG),
	K(LOCAL_MEM_TYPE, LOCAL_MEM_TYPE, OCL_UINT),
	K(MAX_ALLOC_SIZE, MAX_MEM_ALLOC_SIZE, OCL_ULONG),
	K(GLOBAL_CACHE_TYPE, GLOBAL_MEM_CACHE_TYPE, OCL_UINT),
	K(GLOBAL_CACHE_SIZE, GLOBAL_MEM_CACHE_SIZE, OCL_ULONG),
	K(GLOBAL_CACHE_LINE, GLOBAL_MEM_CACHELINE_SIZE, OCL_UINT),
	K(ERROR_CORRECTION, ERROR_CORRECTION_SUPPORT, OCL_BOOL),
	K(UNIFIED_MEMORY, HOST_UNIFIED_MEMORY, OCL_BOOL),
	I(IMAGE_2D_MAX_WIDTH, IMAGE2D_MAX_WIDTH, OCL_SIZE),
	I(IMAGE_2D_MAX_HEIGHT, IMAGE2D_MAX_HEIGHT, OCL_SIZE),
	I(IMAGE_3D_MAX_WIDTH, IMAGE3D_MAX_WIDTH, OCL_SIZE),
	I(IMAGE_3D_MAX_HEIGHT, IMAGE3D_MAX_HEIGHT, OCL_SIZE),
	I(IMAGE_3D_MAX_DEPTH, IMAGE3D_MAX_DEPTH, OCL_SIZE),
	I(IMAGE_MAX_BUFFER_SIZE, IMAGE_MAX_BUFFER_SIZE, OCL_SIZE),
	I(MAX_SAMPLERS, MAX_SAMPLERS, OCL_UINT),
	I(MAX_READ_IMAGE_ARGS, MAX_READ_IMAGE_ARGS, OCL_UINT),
	I(MAX_WRITE_IMAGE_ARGS, MAX_WRITE_IMAGE_ARGS, OCL_UINT),
	K(PARTITION_MAX_SUB_DEVICES, PARTITION_MAX_SUB_DEVICES, OCL_UINT),
	K(ASPECT_IMAGE, IMAGE_SUPPORT, OCL_BOOL),
	K(ASPECT_ONLINE_COMPILER, COMPILER_AVAILABLE, OCL_BOOL),
	K(ASPECT_ONLINE_LINKER, LINKER_AVAILABLE, OCL_BOOL),
#undef K
#undef I
	{ DPR_INFO_DEVICE_ID, OCL_INTEL_DEVICE_ID, OCL_UINT, 120, false,
	  "cl_intel_device_attribute_query" },
	{ DPR_INFO_DEVICE_ID, OCL_AMD_PCIE_ID, OCL_UINT, 120, false,
	  "cl_amd_device_attribute_query" },
};

/* A query in progress, and where the answer goes. */
struct ocl_answer {
	dprp_device *device;
	const dprp_host *host;
	uint32_t key;
	void *buffer;
	size_t capacity, *need;
};

static dprp_rc ocl_silent(const struct ocl_answer *to)
{
	return dprh_fail(to->host, DPR_RC_UNSUPPORTED, 0,
			 "the driver does not answer key %u", to->key);
}

static dprp_rc ocl_put_u64(const struct ocl_answer *to, uint64_t value)
{
	return dprh_answer(to->host, &value, sizeof(value), to->buffer,
			   to->capacity, to->need);
}

static dprp_rc ocl_put_text(const struct ocl_answer *to, const char *text)
{
	if (!text || !*text)
		return ocl_silent(to);
	return dprh_answer(to->host, text, strlen(text) + 1, to->buffer,
			   to->capacity, to->need);
}

/* Query a value of fixed size.  Returns false if the driver does not answer. */
static bool ocl_get(const dprp_device *device, cl_device_info ask, void *value,
		    size_t size)
{
	return device->instance->cl.clGetDeviceInfo(device->id, ask, size,
						    value, NULL) == CL_SUCCESS;
}

/* Query a list of items of @size bytes; NULL if the driver does not answer.
   The caller frees it with dprh_free(). */
static void *ocl_get_list(const dprp_device *device, cl_device_info ask,
			  size_t size, size_t *n)
{
	dprp_instance *instance = device->instance;
	size_t bytes = 0;
	void *list;

	if (instance->cl.clGetDeviceInfo(device->id, ask, 0, NULL, &bytes) ||
	    bytes < size)
		return NULL;
	list = dprh_alloc(instance->host, bytes, 1);
	if (list &&
	    instance->cl.clGetDeviceInfo(device->id, ask, bytes, list, NULL)) {
		dprh_free(instance->host, list);
		return NULL;
	}
	*n = bytes / size;
	return list;
}

static dprp_rc ocl_info_string(const struct ocl_answer *to, cl_device_info ask)
{
	char *text =
		ocl_facts_string(to->device->instance, to->device->id, ask);
	dprp_rc rc = ocl_put_text(to, text);

	dprh_free(to->host, text);
	return rc;
}

static dprp_rc ocl_info_plain(const struct ocl_answer *to,
			      const struct ocl_key *key)
{
	dprp_device *device = to->device;
	cl_bool images = CL_FALSE;
	union {
		cl_uint u;
		cl_ulong l;
		size_t s;
	} value;

	if (!ocl_device_has(device, key->version))
		return ocl_silent(to);
	if (key->images && (!ocl_get(device, CL_DEVICE_IMAGE_SUPPORT, &images,
				     sizeof(images)) ||
			    !images))
		return ocl_silent(to);
	switch (key->form) {
	case OCL_STRING: return ocl_info_string(to, key->ask);
	case OCL_UINT:
	case OCL_BOOL:
		if (!ocl_get(device, key->ask, &value.u, sizeof(value.u)))
			return ocl_silent(to);
		return ocl_put_u64(to, key->form == OCL_BOOL ? value.u != 0
							     : value.u);
	case OCL_SIZE:
		if (!ocl_get(device, key->ask, &value.s, sizeof(value.s)))
			return ocl_silent(to);
		return ocl_put_u64(to, value.s);
	default:
		if (!ocl_get(device, key->ask, &value.l, sizeof(value.l)))
			return ocl_silent(to);
		return ocl_put_u64(to, value.l);
	}
}

static dprp_rc ocl_info_uuid(const struct ocl_answer *to)
{
	unsigned char uuid[16];

	if (!ocl_facts_extension(to->device, "cl_khr_device_uuid") ||
	    !ocl_get(to->device, OCL_KHR_UUID, uuid, sizeof(uuid)))
		return ocl_silent(to);
	return dprh_answer(to->host, uuid, sizeof(uuid), to->buffer,
			   to->capacity, to->need);
}

static dprp_rc ocl_put_pci(const struct ocl_answer *to, unsigned domain,
			   unsigned bus, unsigned dev, unsigned function)
{
	char text[64];

	snprintf(text, sizeof(text), "%04x:%02x:%02x.%x", domain, bus, dev,
		 function);
	return ocl_put_text(to, text);
}

static dprp_rc ocl_info_pci(const struct ocl_answer *to)
{
	const dprp_device *device = to->device;
	cl_uint khr[4], domain = 0, bus, slot;
	struct {
		cl_uint type;
		cl_uchar unused[17], bus, device, function;
	} amd;

	if (ocl_facts_extension(device, "cl_khr_pci_bus_info") &&
	    ocl_get(device, OCL_KHR_PCI_BUS_INFO, khr, sizeof(khr)))
		return ocl_put_pci(to, khr[0], khr[1], khr[2], khr[3]);
	if (ocl_facts_extension(device, "cl_nv_device_attribute_query") &&
	    ocl_get(device, OCL_NV_PCI_BUS, &bus, sizeof(bus)) &&
	    ocl_get(device, OCL_NV_PCI_SLOT, &slot, sizeof(slot))) {
		ocl_get(device, OCL_NV_PCI_DOMAIN, &domain, sizeof(domain));
		return ocl_put_pci(to, domain, bus, slot >> 3, slot & 7);
	}
	if (ocl_facts_extension(device, "cl_amd_device_attribute_query") &&
	    ocl_get(device, OCL_AMD_TOPOLOGY, &amd, sizeof(amd)) &&
	    amd.type == 1)
		return ocl_put_pci(to, 0, amd.bus, amd.device, amd.function);
	return ocl_silent(to);
}

/* Give words that are separated by blanks as a list of strings. */
static dprp_rc ocl_put_words(const struct ocl_answer *to, const char *words)
{
	size_t length = strlen(words), at = 0, i;
	char *strings = dprh_alloc(to->host, length + 1, 1);
	dprp_rc rc;

	if (!strings)
		return dprh_no_memory(to->host, "a list of words");
	for (i = 0; i < length; i++) {
		if (words[i] != ' ')
			strings[at++] = words[i];
		else if (at && strings[at - 1])
			strings[at++] = 0;
	}
	if (at && strings[at - 1])
		strings[at++] = 0;
	rc = dprh_answer(to->host, strings, at, to->buffer, to->capacity,
			 to->need);
	dprh_free(to->host, strings);
	return rc;
}

static dprp_rc ocl_info_formats(const struct ocl_answer *to)
{
	const char *formats[OCL_FORMATS];
	char words[96];
	size_t i, at = 0;

	ocl_offers_formats(to->device, formats);
	for (i = 0; formats[i] && at < sizeof(words); i++)
		at += (size_t)snprintf(words + at, sizeof(words) - at, "%s ",
				       formats[i]);
	return ocl_put_words(to, words);
}

static dprp_rc ocl_put_list(const struct ocl_answer *to, const size_t *sizes,
			    size_t n)
{
	uint64_t *list = dprh_alloc(to->host, n, sizeof(*list));
	size_t i;
	dprp_rc rc;

	if (!list)
		return dprh_no_memory(to->host, "a list");
	for (i = 0; i < n; i++)
		list[i] = sizes[i];
	rc = dprh_answer(to->host, list, n * sizeof(*list), to->buffer,
			 to->capacity, to->need);
	dprh_free(to->host, list);
	return rc;
}

static dprp_rc ocl_info_sizes(const struct ocl_answer *to, cl_device_info ask)
{
	size_t n = 0,
	       *sizes = ocl_get_list(to->device, ask, sizeof(*sizes), &n);
	dprp_rc rc;

	if (!sizes)
		return ocl_silent(to);
	rc = ocl_put_list(to, sizes, n);
	dprh_free(to->host, sizes);
	return rc;
}

static dprp_rc ocl_info_sub_groups(const struct ocl_answer *to)
{
	const dprp_device *device = to->device;
	cl_uint width = 0;

	if (ocl_facts_extension(device, "cl_intel_required_subgroup_size"))
		return ocl_info_sizes(to, OCL_INTEL_SUB_GROUP_SIZES);
	if (ocl_facts_extension(device, "cl_nv_device_attribute_query"))
		ocl_get(device, OCL_NV_WARP_SIZE, &width, sizeof(width));
	else if (ocl_facts_extension(device, "cl_amd_device_attribute_query"))
		ocl_get(device, OCL_AMD_WAVEFRONT_WIDTH, &width, sizeof(width));
	if (!width)
		return ocl_silent(to);
	return ocl_put_list(to, &(size_t){ width }, 1);
}

static dprp_rc ocl_info_max_sub_groups(const struct ocl_answer *to)
{
	cl_uint n = 0;

	if (!ocl_device_has(to->device, 210) ||
	    !ocl_get(to->device, CL_DEVICE_MAX_NUM_SUB_GROUPS, &n, sizeof(n)) ||
	    !n)
		return ocl_silent(to);
	return ocl_put_u64(to, n);
}

static dprp_rc ocl_info_fp(const struct ocl_answer *to)
{
	static const struct {
		cl_device_fp_config theirs;
		uint64_t ours;
	} bits[] = {
		{ CL_FP_DENORM, DPR_FP_DENORM },
		{ CL_FP_INF_NAN, DPR_FP_INF_NAN },
		{ CL_FP_ROUND_TO_NEAREST, DPR_FP_ROUND_TO_NEAREST },
		{ CL_FP_ROUND_TO_ZERO, DPR_FP_ROUND_TO_ZERO },
		{ CL_FP_ROUND_TO_INF, DPR_FP_ROUND_TO_INF },
		{ CL_FP_FMA, DPR_FP_FMA },
		{ CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
		  DPR_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT },
		{ CL_FP_SOFT_FLOAT, DPR_FP_SOFT_FLOAT },
	};
	cl_device_fp_config config = 0;
	cl_device_info ask = CL_DEVICE_SINGLE_FP_CONFIG;
	uint64_t value = 0;
	size_t i;

	if (to->key == DPR_INFO_DOUBLE_FP_CONFIG)
		ask = CL_DEVICE_DOUBLE_FP_CONFIG;
	if (to->key == DPR_INFO_HALF_FP_CONFIG) {
		if (!ocl_facts_extension(to->device, "cl_khr_fp16"))
			return ocl_put_u64(to, 0);
		ask = CL_DEVICE_HALF_FP_CONFIG;
	}
	if (!ocl_get(to->device, ask, &config, sizeof(config)))
		return ocl_silent(to);
	for (i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		if (config & bits[i].theirs)
			value |= bits[i].ours;
	return ocl_put_u64(to, value);
}

/* The bits of memory orders: relaxed 1, acquire 2, release 4, acq_rel 8,
   seq_cst 16. */
static uint64_t ocl_orders(cl_bitfield caps)
{
	return (caps & CL_DEVICE_ATOMIC_ORDER_RELAXED ? 1 : 0) |
	       (caps & CL_DEVICE_ATOMIC_ORDER_ACQ_REL ? 2 | 4 | 8 : 0) |
	       (caps & CL_DEVICE_ATOMIC_ORDER_SEQ_CST ? 16 : 0);
}

/* The bits of memory scopes: work-item 1, sub-group 2, work-group 4, device 8,
   system 16. */
static uint64_t ocl_scopes(cl_bitfield caps)
{
	return (caps & CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM ? 1 : 0) |
	       (caps & CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP ? 4 : 0) |
	       (caps & CL_DEVICE_ATOMIC_SCOPE_DEVICE ? 8 : 0) |
	       (caps & CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES ? 16 : 0);
}

static dprp_rc ocl_info_atomics(const struct ocl_answer *to)
{
	bool fence = to->key == DPR_INFO_ATOMIC_FENCE_ORDERS ||
		     to->key == DPR_INFO_ATOMIC_FENCE_SCOPES;
	cl_bitfield caps = 0;

	if (!ocl_device_has(to->device, 300) ||
	    !ocl_get(to->device,
		     fence ? CL_DEVICE_ATOMIC_FENCE_CAPABILITIES
			   : CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
		     &caps, sizeof(caps)))
		return ocl_silent(to);
	if (to->key == DPR_INFO_ATOMIC_MEMORY_ORDERS ||
	    to->key == DPR_INFO_ATOMIC_FENCE_ORDERS)
		return ocl_put_u64(to, ocl_orders(caps));
	return ocl_put_u64(to, ocl_scopes(caps));
}

static dprp_rc ocl_info_partition_ways(const struct ocl_answer *to)
{
	size_t i, n = 0;
	uint64_t ways = 0;
	cl_device_partition_property *list = ocl_get_list(
		to->device, CL_DEVICE_PARTITION_PROPERTIES, sizeof(*list), &n);

	for (i = 0; list && i < n; i++) {
		if (list[i] == CL_DEVICE_PARTITION_EQUALLY)
			ways |= 1u << DPR_PARTITION_EQUALLY;
		if (list[i] == CL_DEVICE_PARTITION_BY_COUNTS)
			ways |= 1u << DPR_PARTITION_COUNTS;
		if (list[i] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN)
			ways |= 1u << DPR_PARTITION_DOMAIN;
	}
	dprh_free(to->host, list);
	return list ? ocl_put_u64(to, ways) : ocl_silent(to);
}

static dprp_rc ocl_info_partition_domains(const struct ocl_answer *to)
{
	static const struct {
		cl_device_affinity_domain theirs;
		unsigned ours;
	} bits[] = {
		{ CL_DEVICE_AFFINITY_DOMAIN_NUMA, DPR_DOMAIN_NUMA },
		{ CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, DPR_DOMAIN_L4 },
		{ CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, DPR_DOMAIN_L3 },
		{ CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, DPR_DOMAIN_L2 },
		{ CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, DPR_DOMAIN_L1 },
		{ CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE,
		  DPR_DOMAIN_NEXT },
	};
	cl_device_affinity_domain domain = 0;
	uint64_t value = 0;
	size_t i;

	if (!ocl_get(to->device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, &domain,
		     sizeof(domain)))
		return ocl_silent(to);
	for (i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		if (domain & bits[i].theirs)
			value |= 1u << bits[i].ours;
	return ocl_put_u64(to, value);
}

static bool ocl_has_fp64(const dprp_device *device)
{
	cl_device_fp_config config = 0;

	return ocl_get(device, CL_DEVICE_DOUBLE_FP_CONFIG, &config,
		       sizeof(config)) &&
	       config;
}

/* Whether the device has an aspect that needs no query of its own; -1: @key is
   not such an aspect. */
static int ocl_aspect(const dprp_device *device, uint32_t key)
{
	bool fine = device->path == OCL_PATH_SVM_FINE;
	bool usm = device->path == OCL_PATH_USM;

	switch (key) {
	case DPR_INFO_ASPECT_CPU:
		return ocl_facts_type(device) == DPR_DEVICE_CPU;
	case DPR_INFO_ASPECT_GPU:
		return ocl_facts_type(device) == DPR_DEVICE_GPU;
	case DPR_INFO_ASPECT_ACCELERATOR:
		return ocl_facts_type(device) == DPR_DEVICE_ACCELERATOR;
	case DPR_INFO_ASPECT_CUSTOM:
		return ocl_facts_type(device) == DPR_DEVICE_CUSTOM;
	case DPR_INFO_ASPECT_FP16:
		return ocl_facts_extension(device, "cl_khr_fp16");
	case DPR_INFO_ASPECT_FP64: return ocl_has_fp64(device);
	case DPR_INFO_ASPECT_ATOMIC64:
		return ocl_facts_extension(device,
					   "cl_khr_int64_base_atomics") &&
		       ocl_facts_extension(device,
					   "cl_khr_int64_extended_atomics");
	case DPR_INFO_ASPECT_QUEUE_PROFILING:
		return (device->queue_flags & CL_QUEUE_PROFILING_ENABLE) != 0;
	case DPR_INFO_ASPECT_OUT_OF_ORDER:
		return (device->queue_flags &
			CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
	case DPR_INFO_ASPECT_USM_DEVICE:
		return ocl_facts_kind(device, DPRP_MEM_DEVICE);
	case DPR_INFO_ASPECT_USM_HOST:
		return ocl_facts_kind(device, DPRP_MEM_HOST);
	case DPR_INFO_ASPECT_USM_SHARED:
		return ocl_facts_kind(device, DPRP_MEM_SHARED);
	case DPR_INFO_ASPECT_USM_SYSTEM:
		return (usm && device->usm_system) ||
		       (fine && device->svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM);
	case DPR_INFO_ASPECT_USM_ATOMIC_HOST:
		return (usm &&
			device->usm_host &
				CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL) ||
		       (fine && device->svm & CL_DEVICE_SVM_ATOMICS);
	case DPR_INFO_ASPECT_USM_ATOMIC_SHARED:
		return (usm &&
			device->usm_shared &
				CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL) ||
		       (fine && device->svm & CL_DEVICE_SVM_ATOMICS);
	case DPR_INFO_ASPECT_IPC_MEMORY: return 0;
	case DPR_INFO_ASPECT_ADDRESSES: return device->path != OCL_PATH_BUFFER;
	case DPR_INFO_ASPECT_HOST_MEMORY: return ocl_facts_on_host(device);
	default: return -1;
	}
}

/* Answer a key that takes one query. */
static dprp_rc ocl_info_key(const struct ocl_answer *to)
{
	size_t i;

	for (i = 0; i < sizeof(ocl_keys) / sizeof(ocl_keys[0]); i++)
		if (ocl_keys[i].key == to->key &&
		    (!ocl_keys[i].extension ||
		     ocl_facts_extension(to->device, ocl_keys[i].extension)))
			return ocl_info_plain(to, &ocl_keys[i]);
	return ocl_silent(to);
}

dprp_rc ocl_info_get(dprp_device *device, uint32_t key, void *buffer,
		     size_t capacity, size_t *need)
{
	const struct ocl_answer to = { device,   device->instance->host,
				       key,      buffer,
				       capacity, need };
	cl_ulong free_kib[2] = { 0, 0 };
	int aspect = ocl_aspect(device, key);

	*need = 0;
	if (aspect >= 0)
		return ocl_put_u64(&to, (uint64_t)aspect);
	switch (key) {
	case DPR_INFO_TYPE: return ocl_put_u64(&to, ocl_facts_type(device));
	case DPR_INFO_PLATFORM_NAME:
		return ocl_put_text(&to, device->platform->name);
	case DPR_INFO_PLATFORM_VERSION:
		return ocl_put_text(&to, device->platform->version_text);
	case DPR_INFO_UUID: return ocl_info_uuid(&to);
	case DPR_INFO_PCI_ADDRESS: return ocl_info_pci(&to);
	case DPR_INFO_EXTENSIONS: return ocl_put_words(&to, device->extensions);
	case DPR_INFO_FORMATS: return ocl_info_formats(&to);
	case DPR_INFO_MAX_WORK_ITEM_SIZES:
		return ocl_info_sizes(&to, CL_DEVICE_MAX_WORK_ITEM_SIZES);
	case DPR_INFO_SUB_GROUP_SIZES: return ocl_info_sub_groups(&to);
	case DPR_INFO_MAX_SUB_GROUPS: return ocl_info_max_sub_groups(&to);
	case DPR_INFO_MEM_BASE_ALIGN:
		return ocl_put_u64(&to, device->base_align);
	case DPR_INFO_SUB_BUFFER_ALIGN:
		return ocl_put_u64(&to, device->path == OCL_PATH_BUFFER
						? device->base_align
						: 1);
	case DPR_INFO_MAX_NATIVE_PARAMETER_SIZE:
		return ocl_trial_runs_here(device)
			       ? ocl_put_u64(&to, OCL_CPU_PARAMETERS)
			       : dprh_unknown(to.host, "device", key);
	case DPR_INFO_BINARIES:
		return ocl_put_u64(&to, device->platform->binaries);
	case DPR_INFO_MEMORY_PATH:
		return ocl_put_text(&to, ocl_options_path_name(device->path));
	case DPR_INFO_FREE_MEMORY:
		if (!ocl_facts_extension(device,
					 "cl_amd_device_attribute_query") ||
		    !ocl_get(device, OCL_AMD_FREE_MEMORY, free_kib,
			     sizeof(free_kib)))
			return ocl_silent(&to);
		return ocl_put_u64(&to, free_kib[0] * 1024);
	case DPR_INFO_HALF_FP_CONFIG:
	case DPR_INFO_SINGLE_FP_CONFIG:
	case DPR_INFO_DOUBLE_FP_CONFIG: return ocl_info_fp(&to);
	case DPR_INFO_ATOMIC_MEMORY_ORDERS:
	case DPR_INFO_ATOMIC_FENCE_ORDERS:
	case DPR_INFO_ATOMIC_MEMORY_SCOPES:
	case DPR_INFO_ATOMIC_FENCE_SCOPES: return ocl_info_atomics(&to);
	case DPR_INFO_PARTITION_PROPERTIES: return ocl_info_partition_ways(&to);
	case DPR_INFO_PARTITION_DOMAINS: return ocl_info_partition_domains(&to);
	case DPR_INFO_PARTITION_TYPE: return ocl_put_u64(&to, device->made_how);
	case DPR_INFO_PARTITION_TYPE_DOMAIN:
		if (!device->made_domain)
			return ocl_silent(&to);
		return ocl_put_u64(&to, device->made_domain);
	default: return ocl_info_key(&to);
	}
}
