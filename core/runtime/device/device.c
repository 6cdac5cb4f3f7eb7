/* SPDX-License-Identifier: Apache-2.0 */
/* device.c - the device object. */
#include "core/runtime/device/device.h"

#include <string.h>

#include <dpr/runtime.h>

#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/settings.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/base/trace.h"
#include "core/runtime/device/info.h"
#include "core/runtime/device/pci.h"
#include "core/runtime/plugin/host_table.h"

/* Longer names and addresses are ignored. */
#define MAX_STRING 65536

/* --- Objects ---------------------------------------------------------------
 */

static const char *type_name(enum dpr_device_type type)
{
	switch (type) {
	case DPR_DEVICE_CPU: return "cpu";
	case DPR_DEVICE_GPU: return "gpu";
	case DPR_DEVICE_ACCELERATOR: return "accelerator";
	case DPR_DEVICE_CUSTOM: break;
	}
	return "custom";
}

/* Ask the plugin for the value of @key of a new device.  Sets *@no_memory if
   memory ran out, which is not the same as no answer.  Bytes that are not a
   valid value count as no answer, and the load report mentions them. */
static dprp_rc ask_value(const dpr_device *device, enum dpr_info key,
			 void *value, size_t capacity, size_t *need,
			 bool *no_memory)
{
	dprp_rc rc = info_ask(device->plugin, device->handle, (uint32_t)key,
			      value, capacity, need);
	struct text text = { 0 };

	*no_memory |= rc == DPR_RC_OOM_HOST;
	if (rc == DPR_RC_ABI) {
		text_print(&text,
			   "device->info returned %zu bytes that are not a "
			   "valid %s of device %u" PLUGIN_AGAINST("V6"),
			   *need, info_key_name((uint32_t)key),
			   (unsigned)device->index);
		host_table_warn(device->plugin, text_get(&text));
		text_fini(&text);
	}
	return rc;
}

static uint64_t ask_number(const dpr_device *device, enum dpr_info key,
			   uint64_t otherwise, bool *no_memory)
{
	uint64_t value = 0;
	size_t need = 0;

	if (ask_value(device, key, &value, sizeof(value), &need, no_memory))
		return otherwise;
	return value;
}

static char *ask_string(const dpr_device *device, enum dpr_info key,
			bool *no_memory)
{
	size_t need = 0;
	char *string;

	if (ask_value(device, key, NULL, 0, &need, no_memory) || !need ||
	    need > MAX_STRING)
		return NULL;
	string = mem_alloc(need + 1);
	if (!string)
		*no_memory = true;
	else if (!ask_value(device, key, string, need, &need, no_memory))
		return string;
	mem_free(string);
	return NULL;
}

static void ask_identity(dpr_device *device, bool *no_memory)
{
	char *address = ask_string(device, DPR_INFO_PCI_ADDRESS, no_memory);
	size_t need = 0, i;

	device->has_pci =
		address && pci_parse(address, strlen(address), device->pci);
	mem_free(address);
	if (ask_value(device, DPR_INFO_UUID, device->uuid, sizeof(device->uuid),
		      &need, no_memory))
		return;
	/* Some drivers give zeros for "none". */
	for (i = 0; i < sizeof(device->uuid); i++)
		device->has_uuid |= device->uuid[i] != 0;
}

/* Get three limits, one per dimension.  UINT64_MAX: not reported. */
static void ask_limits(const dpr_device *device, enum dpr_info key,
		       uint64_t limits[3], bool *no_memory)
{
	uint64_t list[3] = { 0 };
	size_t need = 0, i;

	if (ask_value(device, key, list, sizeof(list), &need, no_memory) ||
	    need != sizeof(list))
		memset(list, 0, sizeof(list));
	for (i = 0; i < 3; i++)
		limits[i] = list[i] ? list[i] : UINT64_MAX;
}

static void ask_groups(dpr_device *device, bool *no_memory)
{
	size_t i;

	ask_limits(device, DPR_INFO_MAX_WORK_GROUPS, device->max_groups,
		   no_memory);
	ask_limits(device, DPR_INFO_MAX_WORK_ITEM_SIZES, device->max_local,
		   no_memory);
	device->max_group =
		ask_number(device, DPR_INFO_MAX_WORK_GROUP_SIZE, 0, no_memory);
	if (!device->max_group)
		device->max_group = UINT64_MAX;
	for (i = 0; i < 3; i++)
		if (__builtin_mul_overflow(device->max_groups[i],
					   device->max_group,
					   &device->max_items[i]))
			device->max_items[i] = UINT64_MAX;
}

/* Ask the driver for properties that do not change. */
static void ask_properties(dpr_device *device, bool *no_memory)
{
	uint64_t type =
		ask_number(device, DPR_INFO_TYPE, DPR_DEVICE_CUSTOM, no_memory);

	device->type = type >= DPR_DEVICE_CPU && type <= DPR_DEVICE_CUSTOM
			       ? (enum dpr_device_type)type
			       : DPR_DEVICE_CUSTOM;
	device->max_alloc =
		ask_number(device, DPR_INFO_MAX_ALLOC_SIZE, 0, no_memory);
	device->offset_align =
		ask_number(device, DPR_INFO_SUB_BUFFER_ALIGN, 1, no_memory);
	if (!device->offset_align)
		device->offset_align = 1;
	device->local_memory = ask_number(device, DPR_INFO_LOCAL_MEM_SIZE,
					  UINT64_MAX, no_memory);
	device->partition_unit =
		ask_number(device, DPR_INFO_PARTITION_UNIT, 1, no_memory);
	if (!device->partition_unit)
		device->partition_unit = 1;
	ask_groups(device, no_memory);
	device->has_fp64 =
		ask_number(device, DPR_INFO_ASPECT_FP64, 0, no_memory) != 0;
	device->has_addresses = ask_number(device, DPR_INFO_ASPECT_ADDRESSES, 0,
					   no_memory) != 0;
	device->has_host_memory =
		device->has_addresses &&
		ask_number(device, DPR_INFO_ASPECT_USM_HOST, 0, no_memory);
	device->is_host_memory =
		device->has_addresses &&
		ask_number(device, DPR_INFO_ASPECT_HOST_MEMORY, 0, no_memory);
	device->has_guards = device->is_host_memory && settings_check();
	device->copy_threads =
		ask_number(device, DPR_INFO_COPY_THREADS, 1, no_memory);
	ask_identity(device, no_memory);
	device->name = ask_string(device, DPR_INFO_NAME, no_memory);
	if (!device->name)
		device->name = mem_string(device->plugin->name);
}

dpr_device *device_make(struct plugin *plugin, dprp_device *handle,
			uint32_t index, const dpr_device *const *before)
{
	dpr_device *device = mem_alloc(sizeof(*device));
	uint32_t i, place = 0;
	bool no_memory = false;

	if (!device)
		return NULL;
	device->plugin = plugin;
	device->handle = handle;
	device->root = device;
	device->index = index;
	ask_properties(device, &no_memory);
	for (i = 0; i < index; i++)
		place += before[i]->type == device->type;
	device->selector =
		text_format("%s:%s:%u", plugin->name, type_name(device->type),
			    (unsigned)place);
	pthread_mutex_init(&device->lock, NULL);
	pthread_cond_init(&device->made, NULL);
	if (!no_memory && device->name && device->selector) {
		handles_add_lasting(HANDLE_DEVICE, device);
		return device;
	}
	device_drop(device);
	return NULL;
}

void device_drop(dpr_device *device)
{
	if (!device)
		return;
	mem_free((void *)device->name);
	mem_free((void *)device->selector);
	mem_free(atomic_load_explicit(&device->suspects, memory_order_relaxed));
	failure_release(
		atomic_load_explicit(&device->loss, memory_order_relaxed));
	handles_free(device, mem_free);
}

dpr_status device_context(dpr_device *device, dprp_context **out)
{
	dpr_device *root = device->root;
	struct plugin *plugin = root->plugin;
	dprp_context *context, *extra = NULL;
	dpr_status status;
	dprp_rc rc;

	pthread_mutex_lock(&root->lock);
	context = root->context;
	pthread_mutex_unlock(&root->lock);
	if (!context) {
		status = device_check(root, "context");
		if (status)
			return status;
		rc = plugin->context.create(plugin->instance, root->handle,
					    NULL, &context);
		rc = plugin_made(plugin, "context->create", rc, context);
		if (rc)
			return plugin_status(plugin, rc, "context of %s",
					     root->selector);
		/* Use the context of another thread that was faster, if there
		   is one. */
		pthread_mutex_lock(&root->lock);
		if (root->context) {
			extra = context;
			context = root->context;
		} else {
			root->context = context;
		}
		pthread_mutex_unlock(&root->lock);
	}
	if (extra)
		plugin->context.destroy(extra);
	*out = context;
	return DPR_OK;
}

void device_close(dpr_device *device)
{
	dprp_context *context;

	pthread_mutex_lock(&device->lock);
	context = device->context;
	device->context = NULL;
	pthread_mutex_unlock(&device->lock);
	if (context)
		device->plugin->context.destroy(context);
}

struct failure *device_loss(const dpr_device *device, const char *text)
{
	dpr_device *root = device->root;
	struct failure *loss, *none = NULL;

	loss = atomic_load_explicit(&root->loss, memory_order_acquire);
	if (loss || !text)
		return failure_retain(loss);
	loss = failure_new(DPR_ERROR_DEVICE_LOST, text);
	if (!atomic_compare_exchange_strong(&root->loss, &none, loss)) {
		failure_release(loss);
		loss = none;
	}
	return failure_retain(loss);
}

dpr_status device_told(const dpr_device *device, dpr_status status)
{
	struct failure *loss;

	if (status == DPR_ERROR_DEVICE_LOST) {
		loss = device_loss(device, dpr_last_error());
		failure_tell(loss);
		failure_release(loss);
	}
	return status;
}

dpr_status device_check(const dpr_device *device, const char *what)
{
	if (!atomic_load_explicit(&device->root->lost, memory_order_relaxed))
		return DPR_OK;
	return device_told(device, fail(DPR_ERROR_DEVICE_LOST,
					"%s: the device %s no longer responds",
					what, device->selector));
}

/* --- Getters ---------------------------------------------------------------
 */

const char *dpr_device_name(const dpr_device *device)
{
	HANDLES_GET(device);
	return device ? device->name : NULL;
}

const char *dpr_device_backend(const dpr_device *device)
{
	HANDLES_GET(device);
	return device ? device->plugin->name : NULL;
}

const char *dpr_device_selector(const dpr_device *device)
{
	HANDLES_GET(device);
	return device ? device->selector : NULL;
}

enum dpr_device_type dpr_device_get_type(const dpr_device *device)
{
	HANDLES_GET(device);
	return device ? device->type : DPR_DEVICE_CUSTOM;
}

dpr_device *dpr_device_parent(const dpr_device *device)
{
	HANDLES_GET(device);
	return device ? device->parent : NULL;
}

dpr_device *dpr_device_root(const dpr_device *device)
{
	HANDLES_GET(device);
	return device ? device->root : NULL;
}

dpr_device *dpr_device_twin(const dpr_device *device)
{
	HANDLES_GET(device);
	return device ? atomic_load_explicit(&device->twin,
					     memory_order_acquire)
		      : NULL;
}

dpr_status dpr_device_native(const dpr_device *device,
			     enum dpr_native_what what, uintptr_t *out)
{
	TRACE_CALL;
	HANDLES(device);
	dprp_context *context = NULL;
	void *handle = NULL;
	dpr_status status;

	if (!device || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "device native: device and out must not be NULL");
	*out = 0;
	status = process_check("device native");
	if (status)
		return status;
	switch (what) {
	case DPR_NATIVE_PLATFORM:
	case DPR_NATIVE_DEVICE: handle = device->handle; break;
	case DPR_NATIVE_CONTEXT:
		status = device_context((dpr_device *)device, &context);
		if (status)
			return status;
		handle = context;
		break;
	default:
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "device native: %d is not a handle of a device; "
			    "use DPR_NATIVE_PLATFORM, _DEVICE or _CONTEXT",
			    (int)what);
	}
	return plugin_status(
		device->plugin,
		plugin_checked(device->plugin, "native_get",
			       plugin_native_get(device->plugin, (uint32_t)what,
						 handle, out)),
		"device native of %s", device->selector);
}
