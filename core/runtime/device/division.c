/* SPDX-License-Identifier: Apache-2.0 */
/* division.c - sub-devices: made once per division, kept for ever. */
#include "core/runtime/device/division.h"

#include <string.h>

#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/base/trace.h"
#include "core/runtime/device/device.h"
#include "core/runtime/device/info.h"
#include "core/runtime/device/selector.h"

#define MAX_SUB_DEVICES 65536

static bool is_same_how(const dprp_partition *a, const dprp_partition *b)
{
	return a->how == b->how && a->domain == b->domain &&
	       a->n_counts == b->n_counts &&
	       (!a->n_counts || !memcmp(a->counts, b->counts,
					a->n_counts * sizeof(*a->counts)));
}

/* Append "/equally:2", "/counts:2+6" or "/domain:numa"; nothing for the natural
   partition. */
static void print_how(struct text *text, const dprp_partition *how)
{
	uint32_t i;

	switch (how->how) {
	case DPR_PARTITION_EQUALLY:
		text_print(text, "/equally:%llu",
			   (unsigned long long)how->counts[0]);
		break;
	case DPR_PARTITION_COUNTS:
		for (i = 0; i < how->n_counts; i++)
			text_print(text, "%s%llu", i ? "+" : "/counts:",
				   (unsigned long long)how->counts[i]);
		break;
	case DPR_PARTITION_DOMAIN:
		if (how->domain != DPR_DOMAIN_NEXT)
			text_print(text, "/domain:%s",
				   selector_domain(how->domain));
		break;
	}
}

/* Make the sub-device number @index of @parent. */
static dpr_device *make_part(dpr_device *parent, dprp_device *handle,
			     const dprp_partition *how, size_t index)
{
	dpr_device *device = mem_alloc(sizeof(*device));
	struct text selector = { 0 };

	text_print(&selector, "%s", parent->selector);
	print_how(&selector, how);
	text_print(&selector, ".%zu", index);
	if (!device) {
		text_fini(&selector);
		return NULL;
	}
	*device = (dpr_device){
		.plugin = parent->plugin,
		.handle = handle,
		.parent = parent,
		.root = parent->root,
		.name = parent->name,
		.selector = text_take(&selector),
		.type = parent->type,
		.index = parent->index,
		.max_alloc = parent->max_alloc,
		.offset_align = parent->offset_align,
		.local_memory = parent->local_memory,
		.partition_unit = parent->partition_unit,
		.has_fp64 = parent->has_fp64,
		.has_addresses = parent->has_addresses,
		.has_host_memory = parent->has_host_memory,
		.is_host_memory = parent->is_host_memory,
		.has_guards = parent->has_guards,
		.copy_threads = parent->copy_threads,
	};
	memcpy(device->max_groups, parent->max_groups,
	       sizeof(device->max_groups));
	memcpy(device->max_items, parent->max_items, sizeof(device->max_items));
	memcpy(device->max_local, parent->max_local, sizeof(device->max_local));
	device->max_group = parent->max_group;
	pthread_mutex_init(&device->lock, NULL);
	pthread_cond_init(&device->made, NULL);
	if (device->selector) {
		handles_add_lasting(HANDLE_DEVICE, device);
		return device;
	}
	mem_free(device);
	return NULL;
}

static void division_drop(struct device_division *division)
{
	size_t i;

	for (i = 0; i < division->n; i++)
		mem_free((void *)division->devices[i]->selector);
	for (i = 0; i < division->n; i++)
		handles_free(division->devices[i], mem_free);
	mem_free(division->devices);
	mem_free((void *)division->how.counts);
	mem_free(division);
}

static uint64_t ask_number(const dpr_device *device, enum dpr_info key)
{
	uint64_t value = 0;
	size_t need;

	if (info_ask(device->plugin, device->handle, (uint32_t)key, &value,
		     sizeof(value), &need))
		return 0;
	return value;
}

static dpr_status fail_units(const dpr_device *device, uint64_t requested,
			     uint64_t units)
{
	if (device->partition_unit == 1)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"partition of %s: %llu compute units are requested, "
			"but the device has %llu",
			device->selector, (unsigned long long)requested,
			(unsigned long long)units);
	return fail(DPR_ERROR_INVALID_ARGUMENT,
		    "partition of %s: each count is rounded up to a multiple "
		    "of %llu (PARTITION_UNIT), which makes %llu compute units, "
		    "but the device has %llu",
		    device->selector,
		    (unsigned long long)device->partition_unit,
		    (unsigned long long)requested, (unsigned long long)units);
}

/* Check a request, whose counts are rounded already, before asking the
   driver. */
static dpr_status check_request(const dpr_device *device,
				const dprp_partition *how)
{
	uint64_t units = ask_number(device, DPR_INFO_COMPUTE_UNITS), sum = 0;
	uint64_t hows = ask_number(device, DPR_INFO_PARTITION_PROPERTIES);
	uint32_t i;

	if (how->how == DPR_PARTITION_DOMAIN &&
	    (how->domain < DPR_DOMAIN_NUMA || how->domain > DPR_DOMAIN_NEXT))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "partition of %s: %u is not a value of enum "
			    "dpr_domain",
			    device->selector, (unsigned)how->domain);
	if (how->how != DPR_PARTITION_DOMAIN && !how->n_counts)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "partition of %s: the list of counts is empty",
			    device->selector);
	for (i = 0; i < how->n_counts; i++) {
		if (!how->counts[i])
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "partition of %s: a sub-device must have "
				    "at least 1 compute unit",
				    device->selector);
		if (__builtin_add_overflow(sum, how->counts[i], &sum))
			sum = UINT64_MAX;
	}
	if (units && sum > units)
		return fail_units(device, sum, units);
	if (hows && !(hows >> how->how & 1))
		return fail(DPR_ERROR_UNSUPPORTED,
			    "partition of %s: the device cannot be divided %s",
			    device->selector,
			    how->how == DPR_PARTITION_EQUALLY  ? "equally"
			    : how->how == DPR_PARTITION_COUNTS ? "by counts"
							       : "by domain");
	return DPR_OK;
}

/* The largest number of sub-devices to expect. */
static uint32_t expect_parts(const dpr_device *device,
			     const dprp_partition *how)
{
	uint64_t units = ask_number(device, DPR_INFO_COMPUTE_UNITS);
	uint64_t most = ask_number(device, DPR_INFO_PARTITION_MAX_SUB_DEVICES);

	if (how->how == DPR_PARTITION_COUNTS)
		return how->n_counts;
	if (how->how == DPR_PARTITION_EQUALLY && units)
		return (uint32_t)(units / how->counts[0]);
	most = most > units ? most : units;
	return most && most < 256 ? (uint32_t)most : 256;
}

/* Ask the plugin for the sub-devices.  Puts their handles into *@out, which the
   caller frees. */
static dpr_status ask_plugin(dpr_device *device, const dprp_partition *how,
			     dprp_device ***out, uint32_t *n)
{
	uint32_t room = expect_parts(device, how), i;
	dprp_device **handles;
	dprp_rc rc;

	for (;;) {
		*n = 0;
		handles = mem_array(room, sizeof(*handles));
		if (!handles)
			return fail_memory("partition");
		rc = device->plugin->device.partition(device->handle, how,
						      handles, room, n);
		rc = plugin_checked(device->plugin, "device->partition", rc);
		if (rc || *n <= room || *n > MAX_SUB_DEVICES)
			break;
		mem_free(handles);
		room = *n;
	}
	for (i = 0; !rc && *n <= room && i < *n; i++) {
		if (!handles[i])
			rc = plugin_broke(
				device->plugin, "V7",
				"device->partition gave %u sub-devices, but "
				"number %u is NULL",
				(unsigned)*n, (unsigned)i);
	}
	if (!rc && *n && *n <= room) {
		*out = handles;
		return DPR_OK;
	}
	mem_free(handles);
	if (!rc)
		rc = *n ? plugin_broke(
				  device->plugin, "V7",
				  "device->partition reports %u sub-devices, "
				  "which are too many",
				  (unsigned)*n)
			: DPR_RC_UNSUPPORTED;
	return plugin_status(device->plugin, rc, "partition of %s",
			     device->selector);
}

static dpr_status make_division(dpr_device *device, const dprp_partition *how,
				struct device_division **out)
{
	struct device_division *division;
	dprp_device **handles = NULL;
	dpr_status status;
	uint32_t n = 0;

	status = check_request(device, how);
	if (!status)
		status = ask_plugin(device, how, &handles, &n);
	if (status)
		return status;
	division = mem_alloc(sizeof(*division));
	if (division) {
		division->how = *how;
		division->how.counts = mem_copy(
			how->counts, how->n_counts * sizeof(*how->counts));
		division->devices = mem_array(n, sizeof(*division->devices));
	}
	while (division && division->how.counts && division->devices &&
	       division->n < n) {
		dpr_device *part = make_part(device, handles[division->n], how,
					     division->n);

		if (!part)
			break;
		division->devices[division->n++] = part;
	}
	mem_free(handles);
	if (division && division->n == n) {
		*out = division;
		return DPR_OK;
	}
	if (division)
		division_drop(division);
	return fail_memory("partition");
}

/* Find a division that was made before.  The caller holds the lock. */
static struct device_division *find_division(const dpr_device *device,
					     const dprp_partition *how)
{
	struct device_division *d = device->divisions;

	while (d && !is_same_how(&d->how, how))
		d = d->next;
	return d;
}

static dpr_status find_or_make(dpr_device *device, const dprp_partition *how,
			       const struct device_division **out)
{
	struct device_division *division;
	dpr_status status = DPR_OK;

	/* The plugin is asked without the lock, but by one thread at a time:
	   two would get two sets of handles. */
	pthread_mutex_lock(&device->lock);
	while (device->dividing && !find_division(device, how))
		pthread_cond_wait(&device->made, &device->lock);
	division = find_division(device, how);
	if (!division)
		device->dividing = true;
	pthread_mutex_unlock(&device->lock);
	if (division) {
		*out = division;
		return DPR_OK;
	}
	status = device_check(device, "partition");
	if (!status)
		status = make_division(device, how, &division);
	pthread_mutex_lock(&device->lock);
	if (!status) {
		division->next = device->divisions;
		device->divisions = division;
		*out = division;
	}
	device->dividing = false;
	pthread_cond_broadcast(&device->made);
	pthread_mutex_unlock(&device->lock);
	return status;
}

/* Round each count up to a multiple of the device's unit.  A count that is too
   large for rounding stays unchanged: no device has so many units.  If only the
   rounding exceeds the device, the last part gets the units that are left. */
static void round_counts(const dpr_device *device, uint64_t *counts, size_t n)
{
	uint64_t left = ask_number(device, DPR_INFO_COMPUTE_UNITS), rest, asked;
	const uint64_t unit = device->partition_unit;
	size_t i;

	for (i = 0; i < n; i++) {
		asked = counts[i];
		rest = asked % unit;
		if (rest && asked <= UINT64_MAX - (unit - rest))
			counts[i] += unit - rest;
		if (i == n - 1 && asked <= left && counts[i] > left)
			counts[i] = left;
		left = counts[i] < left ? left - counts[i] : 0;
	}
}

dpr_status division_get(dpr_device *device, const dprp_partition *how,
			const struct device_division **out)
{
	dprp_partition rounded = *how;
	uint64_t *counts;
	dpr_status status;

	*out = NULL;
	status = process_check("partition");
	if (status)
		return status;
	if (device->partition_unit == 1 || !how->n_counts)
		return find_or_make(device, how, out);
	counts = mem_copy(how->counts, how->n_counts * sizeof(*counts));
	if (!counts)
		return fail_memory("partition");
	round_counts(device, counts, how->n_counts);
	rounded.counts = counts;
	status = find_or_make(device, &rounded, out);
	mem_free(counts);
	return status;
}

bool division_has_handle(dpr_device *device, const dprp_device *handle)
{
	const struct device_division *d;
	bool found = device->handle == handle;
	size_t i;

	if (found)
		return true;
	pthread_mutex_lock(&device->lock);
	d = device->divisions;
	pthread_mutex_unlock(&device->lock);
	/* Needs no lock: divisions in the list never change. */
	for (; d && !found; d = d->next) {
		for (i = 0; i < d->n && !found; i++)
			found = division_has_handle(d->devices[i], handle);
	}
	return found;
}

/* --- The public calls ------------------------------------------------------
 */

static dpr_status partition(dpr_device *device, const dprp_partition *how,
			    dpr_device **out, size_t capacity, size_t *count)
{
	const struct device_division *division;
	dpr_status status;
	size_t i;

	for (i = 0; out && i < capacity; i++)
		out[i] = NULL;
	if (count)
		*count = 0;
	if (!device || !count || (capacity && !out))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "partition: device and count must not be NULL, nor "
			    "out, unless capacity is 0");
	status = division_get(device, how, &division);
	if (status)
		return status;
	*count = division->n;
	for (i = 0; i < division->n && i < capacity; i++)
		out[i] = division->devices[i];
	return DPR_OK;
}

dpr_status dpr_device_partition_equally(dpr_device *device, uint64_t units,
					dpr_device **out, size_t capacity,
					size_t *count)
{
	TRACE_CALL;
	HANDLES(device);
	dprp_partition how = { .struct_size = sizeof(how),
			       .how = DPR_PARTITION_EQUALLY,
			       .n_counts = 1,
			       .counts = &units };

	return partition(device, &how, out, capacity, count);
}

dpr_status dpr_device_partition_counts(dpr_device *device,
				       const uint64_t *counts, size_t n_counts,
				       dpr_device **out, size_t capacity,
				       size_t *count)
{
	TRACE_CALL;
	HANDLES(device);
	dprp_partition how = { .struct_size = sizeof(how),
			       .how = DPR_PARTITION_COUNTS,
			       .n_counts = (uint32_t)n_counts,
			       .counts = counts };

	if (n_counts > MAX_SUB_DEVICES || (n_counts && !counts)) {
		if (count)
			*count = 0;
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    counts ? "partition: the list of %zu counts is too "
				     "long"
				   : "partition: the list of counts is NULL, "
				     "but its length is %zu",
			    n_counts);
	}
	return partition(device, &how, out, capacity, count);
}

dpr_status dpr_device_partition_domain(dpr_device *device,
				       enum dpr_domain domain, dpr_device **out,
				       size_t capacity, size_t *count)
{
	TRACE_CALL;
	HANDLES(device);
	dprp_partition how = { .struct_size = sizeof(how),
			       .how = DPR_PARTITION_DOMAIN,
			       .domain = (uint32_t)domain };

	return partition(device, &how, out, capacity, count);
}
