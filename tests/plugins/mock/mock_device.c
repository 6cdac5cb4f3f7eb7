/* SPDX-License-Identifier: Apache-2.0 */
/* mock_device.c - devices, sub-devices and contexts. */
#include "tests/plugins/mock/mock_impl.h"

#include <stdio.h>
#include <string.h>

dprp_rc mock_answer(dprp_instance *instance, const void *value, size_t size,
		    void *buffer, size_t capacity, size_t *need)
{
	*need = size;
	if (!buffer)
		return DPR_RC_OK;
	if (capacity < size)
		return mock_fail(instance, DPR_RC_INVALID,
				 MOCK_NAME
				 ": info: %zu bytes do not fit into %zu",
				 size, capacity);
	memcpy(buffer, value, size);
	return DPR_RC_OK;
}

dprp_rc mock_device_check(dprp_device *device, const char *what)
{
	bool lost;

	pthread_mutex_lock(&mock_lock);
	lost = device->root->lost;
	pthread_mutex_unlock(&mock_lock);
	if (lost)
		return mock_fail(device->instance, DPR_RC_DEVICE_LOST,
				 MOCK_NAME ": %s: the device is lost", what);
	return DPR_RC_OK;
}

static dprp_rc mock_device_count(dprp_instance *instance, uint32_t *n)
{
	MOCK_ENTER(instance, MOCK_device_count);
	*n = instance->options.devices;
	return DPR_RC_OK;
}

static dprp_rc mock_device_get(dprp_instance *instance, uint32_t index,
			       dprp_device **out)
{
	*out = NULL;
	MOCK_ENTER(instance, MOCK_device_get);
	if (index >= instance->options.devices)
		return mock_fail(
			instance, DPR_RC_INVALID,
			MOCK_NAME ": device get: there is no device %u", index);
	*out = &instance->roots[index];
	return DPR_RC_OK;
}

/* Copy word @n of a comma-separated list, or its last word if it has fewer.
   Returns the size. */
static size_t mock_info_word(const char *list, uint32_t n, char *text,
			     size_t capacity)
{
	const char *comma;

	for (; n && (comma = strchr(list, ',')); n--)
		list = comma + 1;
	return 1 + (size_t)snprintf(text, capacity, "%.*s",
				    (int)strcspn(list, ","), list);
}

/* Answer a key that has a text.  Returns the answer's size, 0: the key has
   none. */
static size_t mock_info_text(dprp_device *device, uint32_t key, char *text,
			     size_t capacity)
{
	const struct mock_options *o = &device->instance->options;
	size_t size = 0;
	uint32_t i;

	switch (key) {
	case DPR_INFO_NAME:
		return 1 + (size_t)snprintf(text, capacity,
					    device->parent
						    ? "%s device %u, part %u"
						    : "%s device %u",
					    MOCK_NAME, device->root->index,
					    device->index);
	case DPR_INFO_VENDOR:
		return 1 + (size_t)snprintf(text, capacity, "the tests");
	case DPR_INFO_DRIVER_VERSION:
	case DPR_INFO_VERSION:
	case DPR_INFO_PLATFORM_VERSION:
		return 1 + (size_t)snprintf(text, capacity, "1.0");
	case DPR_INFO_PLATFORM_NAME:
		return 1 + (size_t)snprintf(text, capacity, "%s", MOCK_NAME);
	case DPR_INFO_MEMORY_PATH:
		return 1 + (size_t)snprintf(text, capacity, "malloc");
	case DPR_INFO_BINARY_TARGET:
		return o->targets
			       ? mock_info_word(o->targets, device->root->index,
						text, capacity)
			       : 0;
	case DPR_INFO_PCI_ADDRESS:
		if (!o->has_pci)
			return 0;
		return 1 + (size_t)snprintf(text, capacity, "%04x:%02x:%02x.%x",
					    o->pci[0],
					    o->pci[1] + device->root->index,
					    o->pci[2], o->pci[3]);
	case DPR_INFO_FORMATS:
		for (i = 0; i < o->n_formats; i++)
			size += 1 + (size_t)snprintf(text + size,
						     capacity - size, "%s",
						     o->formats[i]);
		return size;
	default: return 0;
	}
}

static uint64_t mock_partitions(const dprp_device *device)
{
	const struct mock_options *o = &device->instance->options;
	uint64_t how = 0;

	if (o->optional && device->units > 1)
		how = 1u << DPR_PARTITION_EQUALLY | 1u << DPR_PARTITION_COUNTS;
	if (how && !device->parent && o->domains > 1)
		how |= 1u << DPR_PARTITION_DOMAIN;
	return how;
}

/* Answer a key that has a number.  False: the key has none. */
static bool mock_info_number(dprp_device *device, uint32_t key, uint64_t *v)
{
	const struct mock_options *o = &device->instance->options;

	switch (key) {
	case DPR_INFO_TYPE: *v = o->type; break;
	case DPR_INFO_AVAILABLE: *v = 1; break;
	case DPR_INFO_COMPUTE_UNITS: *v = device->units; break;
	case DPR_INFO_COPY_THREADS: *v = o->copy_threads; break;
	case DPR_INFO_MAX_WORK_ITEM_DIMS: *v = 3; break;
	case DPR_INFO_MAX_WORK_GROUP_SIZE: *v = 1024; break;
	case DPR_INFO_ADDRESS_BITS: *v = 64; break;
	case DPR_INFO_MAX_PARAMETER_SIZE: *v = 1024; break;
	case DPR_INFO_TIMER_RESOLUTION: *v = 1; break;
	case DPR_INFO_GLOBAL_MEM_SIZE: *v = o->memory; break;
	case DPR_INFO_MAX_ALLOC_SIZE: *v = o->max_alloc; break;
	case DPR_INFO_LOCAL_MEM_SIZE: *v = 65536; break;
	case DPR_INFO_LOCAL_MEM_TYPE: *v = 2; break;
	case DPR_INFO_SINGLE_FP_CONFIG:
		*v = o->single_fp;
		return o->single_fp != 0;
	case DPR_INFO_MEM_BASE_ALIGN: *v = MOCK_ALIGN; break;
	case DPR_INFO_SUB_BUFFER_ALIGN: *v = o->offset_align; break;
	case DPR_INFO_UNIFIED_MEMORY: *v = 0; break;
	case DPR_INFO_FREE_MEMORY:
		pthread_mutex_lock(&mock_lock);
		*v = o->memory - device->root->used;
		pthread_mutex_unlock(&mock_lock);
		break;
	case DPR_INFO_PARTITION_MAX_SUB_DEVICES: *v = device->units; break;
	case DPR_INFO_PARTITION_PROPERTIES: *v = mock_partitions(device); break;
	case DPR_INFO_PARTITION_DOMAINS:
		*v = mock_partitions(device) & 1u << DPR_PARTITION_DOMAIN
			     ? 1u << DPR_DOMAIN_NUMA | 1u << DPR_DOMAIN_NEXT
			     : 0;
		break;
	case DPR_INFO_PARTITION_TYPE: *v = device->how; break;
	case DPR_INFO_PARTITION_UNIT:
		if (!o->unit)
			return false;
		*v = o->unit;
		break;
	case DPR_INFO_PARTITION_TYPE_DOMAIN:
		if (device->how != DPR_PARTITION_DOMAIN)
			return false;
		*v = DPR_DOMAIN_NUMA;
		break;
	default: return false;
	}
	return true;
}

static bool mock_info_aspect(dprp_device *device, uint32_t key, uint64_t *v)
{
	const struct mock_options *o = &device->instance->options;
	uint32_t kinds = o->kinds;

	switch (key) {
	case DPR_INFO_ASPECT_CPU: *v = o->type == DPR_DEVICE_CPU; break;
	case DPR_INFO_ASPECT_GPU: *v = o->type == DPR_DEVICE_GPU; break;
	case DPR_INFO_ASPECT_ACCELERATOR:
		*v = o->type == DPR_DEVICE_ACCELERATOR;
		break;
	case DPR_INFO_ASPECT_CUSTOM: *v = o->type == DPR_DEVICE_CUSTOM; break;
	case DPR_INFO_ASPECT_FP16: *v = o->fp16; break;
	case DPR_INFO_ASPECT_FP64: *v = o->fp64; break;
	case DPR_INFO_ASPECT_ONLINE_COMPILER: *v = 1; break;
	case DPR_INFO_ASPECT_QUEUE_PROFILING: *v = o->profiling; break;
	case DPR_INFO_ASPECT_USM_DEVICE:
		*v = kinds >> DPRP_MEM_DEVICE & 1;
		break;
	case DPR_INFO_ASPECT_USM_SHARED:
		*v = kinds >> DPRP_MEM_SHARED & 1;
		break;
	case DPR_INFO_ASPECT_USM_HOST: *v = kinds >> DPRP_MEM_HOST & 1; break;
	case DPR_INFO_ASPECT_USM_SYSTEM: *v = 1; break;
	case DPR_INFO_ASPECT_EMULATED: *v = 1; break;
	case DPR_INFO_ASPECT_OUT_OF_ORDER: *v = o->out_of_order; break;
	case DPR_INFO_ASPECT_ADDRESSES: *v = o->addresses; break;
	case DPR_INFO_ASPECT_HOST_MEMORY: *v = o->host_memory; break;
	case DPR_INFO_ASPECT_IMAGE:
	case DPR_INFO_ASPECT_ONLINE_LINKER:
	case DPR_INFO_ASPECT_ATOMIC64: *v = 0; break;
	case DPR_INFO_ASPECT_IPC_MEMORY: *v = o->ipc != MOCK_IPC_NONE; break;
	default: return false;
	}
	return true;
}

/* Get the value of DLPACK_DEVICE.  False: the device has none. */
static bool mock_info_dlpack(dprp_device *device, uint64_t pairs[6])
{
	const struct mock_options *o = &device->instance->options;
	int kind;

	for (kind = 0; kind < 3; kind++) {
		bool told = kind || o->host_memory;

		pairs[2 * kind] = told ? o->dlpack : 0;
		pairs[2 * kind + 1] = told ? device->root->index : 0;
	}
	return o->dlpack != 0;
}

static dprp_rc mock_device_info(dprp_device *device, uint32_t key, void *buffer,
				size_t capacity, size_t *need)
{
	static const uint64_t sizes[3] = { 1024, 1024, 1024 };
	dprp_instance *instance = device->instance;
	unsigned char uuid[16];
	char text[512];
	size_t size;
	uint64_t v, pairs[6];

	MOCK_ENTER(instance, MOCK_device_info);
	if (key == DPR_INFO_DLPACK_DEVICE && mock_info_dlpack(device, pairs))
		return mock_answer(instance, pairs, sizeof(pairs), buffer,
				   capacity, need);
	if (mock_info_number(device, key, &v) ||
	    mock_info_aspect(device, key, &v))
		return mock_answer(instance, &v,
				   key == instance->options.cut ? sizeof(v) / 2
								: sizeof(v),
				   buffer, capacity, need);
	size = mock_info_text(device, key, text, sizeof(text));
	if (size)
		return mock_answer(instance, text,
				   size - (key == instance->options.cut),
				   buffer, capacity, need);
	if (key == DPR_INFO_MAX_WORK_ITEM_SIZES)
		return mock_answer(instance, sizes, sizeof(sizes), buffer,
				   capacity, need);
	if (key == DPR_INFO_MAX_WORK_GROUPS && instance->options.groups[0])
		return mock_answer(instance, instance->options.groups,
				   sizeof(instance->options.groups), buffer,
				   capacity, need);
	if (key == DPR_INFO_UUID && instance->options.has_uuid) {
		memcpy(uuid, instance->options.uuid, 16);
		uuid[15] = (unsigned char)(uuid[15] + device->root->index);
		return mock_answer(instance, uuid, 16, buffer, capacity, need);
	}
	return mock_fail(instance, DPR_RC_UNSUPPORTED,
			 MOCK_NAME ": device info: no key %u", key);
}

#ifndef MOCK_BARE
/* Make one part of @device.  Parts are kept in the instance's list. */
static dprp_device *mock_part(dprp_device *device, uint32_t index,
			      uint32_t units, uint32_t how)
{
	dprp_device *part = mock_alloc(device->instance, sizeof(*part));

	if (!part)
		return NULL;
	part->instance = device->instance;
	part->root = device->root;
	part->parent = device;
	part->index = index;
	part->units = units;
	part->how = how;
	pthread_mutex_lock(&mock_lock);
	part->next = device->instance->subs;
	device->instance->subs = part;
	pthread_mutex_unlock(&mock_lock);
	return part;
}

/* The number of parts, or 0 if the device cannot be divided in this way.  All
   counts must be multiples of UNIT.  The last count may be another number if it
   is exactly what the others leave. */
static uint64_t mock_parts(dprp_device *device, const dprp_partition *how)
{
	uint64_t unit = device->instance->options.unit, sum = 0;
	uint32_t i;

	for (i = 0; unit && i < how->n_counts; i++) {
		sum += how->counts[i];
		if (how->counts[i] % unit &&
		    (i + 1 < how->n_counts || sum != device->units))
			return 0;
	}
	sum = 0;
	switch (how->how) {
	case DPR_PARTITION_EQUALLY:
		return how->n_counts == 1 && how->counts[0]
			       ? device->units / how->counts[0]
			       : 0;
	case DPR_PARTITION_COUNTS:
		for (i = 0; i < how->n_counts; i++) {
			if (!how->counts[i] ||
			    how->counts[i] > device->units - sum)
				return 0;
			sum += how->counts[i];
		}
		return how->n_counts;
	case DPR_PARTITION_DOMAIN:
		if (how->domain != DPR_DOMAIN_NUMA &&
		    how->domain != DPR_DOMAIN_NEXT)
			return 0;
		return device->instance->options.domains;
	default: return 0;
	}
}

static dprp_rc mock_device_partition(dprp_device *device,
				     const dprp_partition *how,
				     dprp_device **out, uint32_t capacity,
				     uint32_t *n)
{
	dprp_instance *instance = device->instance;
	uint64_t parts, units;
	uint32_t i;

	MOCK_ENTER(instance, MOCK_device_partition);
	MOCK_KNOWN(instance, how);
	if (how->how > 31 || !(mock_partitions(device) & 1u << how->how))
		return mock_fail(
			instance, DPR_RC_UNSUPPORTED,
			MOCK_NAME
			": partition: the device cannot be so divided");
	parts = mock_parts(device, how);
	if (!parts)
		return mock_fail(
			instance, DPR_RC_INVALID,
			MOCK_NAME
			": partition: %u compute units cannot be so divided",
			device->units);
	for (i = 0; i < parts && i < capacity; i++) {
		units = how->how == DPR_PARTITION_EQUALLY ? how->counts[0]
			: how->how == DPR_PARTITION_COUNTS
				? how->counts[i]
				: device->units / parts;
		out[i] = mock_part(device, i, (uint32_t)units, how->how);
		if (!out[i])
			return DPR_RC_OOM_HOST;
	}
	*n = (uint32_t)parts;
	return DPR_RC_OK;
}

static dprp_rc mock_device_peer(dprp_device *from, dprp_device *to,
				uint32_t *caps)
{
	const struct mock_options *o = &from->instance->options;

	MOCK_ENTER(from->instance, MOCK_device_peer);
	if (!o->optional)
		return mock_fail(from->instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME ": peer: OPTIONAL=0");
	*caps = from->root == to->root ? DPRP_PEER_COPY : o->peer;
	return DPR_RC_OK;
}

static dprp_rc mock_device_clocks(dprp_device *device, uint64_t *device_ns,
				  uint64_t *host_ns)
{
	MOCK_ENTER(device->instance, MOCK_device_clocks);
	if (!device->instance->options.optional)
		return mock_fail(device->instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME ": clocks: OPTIONAL=0");
	*host_ns = mock_now();
	*device_ns = *host_ns + MOCK_CLOCK_OFFSET;
	return DPR_RC_OK;
}
#endif

static dprp_rc mock_context_create(dprp_instance *instance, dprp_device *root,
				   const dprp_ext *ext, dprp_context **out)
{
	dprp_context *context;

	*out = NULL;
	MOCK_ENTER(instance, MOCK_context_create);
	if (ext)
		return mock_fail(instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME ": context: unknown extension");
	context = mock_alloc(instance, sizeof(*context));
	if (!context)
		return DPR_RC_OOM_HOST;
	context->instance = instance;
	context->root = root;
	mock_born(MOCK_CONTEXT, 1);
	*out = context;
	return DPR_RC_OK;
}

static void mock_context_destroy(dprp_context *context)
{
	mock_count(MOCK_context_destroy);
	mock_born(MOCK_CONTEXT, -1);
	mock_free(context->instance, context);
}

const dprp_device_ops mock_device_ops = {
	.struct_size = sizeof(dprp_device_ops),
	.count = mock_device_count,
	.get = mock_device_get,
	.info = mock_device_info,
#ifndef MOCK_BARE
	.partition = mock_device_partition,
	.peer = mock_device_peer,
	.clocks = mock_device_clocks,
#endif
};

const dprp_context_ops mock_context_ops = {
	.struct_size = sizeof(dprp_context_ops),
	.create = mock_context_create,
	.destroy = mock_context_destroy,
};
