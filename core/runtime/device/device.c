/* SPDX-License-Identifier: Apache-2.0 */
/* device.c - device objects, and finding them. */
#include "core/runtime/device/device.h"

#include <stdio.h>
#include <string.h>

#include "core/base/env.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/device/info.h"
#include "core/runtime/device/registry.h"
#include "core/runtime/device/selector.h"
#include "core/runtime/plugin/host_table.h"

/* Nothing longer is a name or an address. */
#define MAX_STRING 65536

/* The default device, once it was asked for (release, pairs with acquire). */
static _Atomic(dpr_device *) default_device;

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

/* A key of a new device.  Want of memory is not the same as no answer: it goes
   into *@no_memory.  What is no value of the key counts as no answer, and the
   load report says so. */
static dprp_rc ask(const dpr_device *device, enum dpr_info key, void *value,
		   size_t capacity, size_t *need, int *no_memory)
{
	dprp_rc rc = info_ask(device->plugin, device->handle, (uint32_t)key,
			      value, capacity, need);
	struct text text = { 0 };

	*no_memory |= rc == DPR_RC_OOM_HOST;
	if (rc == DPR_RC_ABI) {
		text_print(&text,
			   "device->info gave %zu bytes that are no value of "
			   "%s of device %u",
			   *need, info_key_name((uint32_t)key),
			   (unsigned)device->index);
		host_warn(device->plugin, text_get(&text));
		text_fini(&text);
	}
	return rc;
}

static uint64_t ask_number(const dpr_device *device, enum dpr_info key,
			   uint64_t otherwise, int *no_memory)
{
	uint64_t value = 0;
	size_t need = 0;

	if (ask(device, key, &value, sizeof(value), &need, no_memory))
		return otherwise;
	return value;
}

static char *ask_string(const dpr_device *device, enum dpr_info key,
			int *no_memory)
{
	size_t need = 0;
	char *string;

	if (ask(device, key, NULL, 0, &need, no_memory) || !need ||
	    need > MAX_STRING)
		return NULL;
	string = mem_alloc(need + 1);
	if (!string)
		*no_memory = 1;
	else if (!ask(device, key, string, need, &need, no_memory))
		return string;
	mem_free(string);
	return NULL;
}

static void ask_identity(dpr_device *device, int *no_memory)
{
	char *address = ask_string(device, DPR_INFO_PCI_ADDRESS, no_memory);
	size_t need = 0, i;

	device->has_pci =
		address && selector_pci(address, strlen(address), device->pci);
	mem_free(address);
	if (ask(device, DPR_INFO_UUID, device->uuid, sizeof(device->uuid),
		&need, no_memory))
		return;
	/* Some drivers give zeros for "none". */
	for (i = 0; i < sizeof(device->uuid); i++)
		device->has_uuid |= device->uuid[i] != 0;
}

/* What the driver says of the device, and cannot change. */
static void ask_properties(dpr_device *device, int *no_memory)
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
	struct text selector = { 0 };
	uint32_t i, place = 0;
	int no_memory = 0;

	if (!device)
		return NULL;
	device->plugin = plugin;
	device->handle = handle;
	device->root = device;
	device->index = index;
	ask_properties(device, &no_memory);
	for (i = 0; i < index; i++)
		place += before[i]->type == device->type;
	text_print(&selector, "%s:%s:%u", plugin->name, type_name(device->type),
		   (unsigned)place);
	device->selector = text_take(&selector);
	pthread_mutex_init(&device->lock, NULL);
	pthread_cond_init(&device->divided, NULL);
	if (!no_memory && device->name && device->selector)
		return device;
	device_drop(device);
	return NULL;
}

void device_drop(dpr_device *device)
{
	if (!device)
		return;
	mem_free((void *)device->name);
	mem_free((void *)device->selector);
	failure_release(
		atomic_load_explicit(&device->loss, memory_order_relaxed));
	mem_free(device);
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
		/* Another thread may have been first: its context counts. */
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
	return device_told(device,
			   fail(DPR_ERROR_DEVICE_LOST,
				"%s: the device %s does not answer any more",
				what, device->selector));
}

/* --- Order and twins -------------------------------------------------------
 */

static int type_order(enum dpr_device_type type)
{
	switch (type) {
	case DPR_DEVICE_GPU: return 0;
	case DPR_DEVICE_ACCELERATOR: return 1;
	case DPR_DEVICE_CPU: return 2;
	case DPR_DEVICE_CUSTOM: break;
	}
	return 3;
}

int device_before(const dpr_device *a, const dpr_device *b)
{
	int difference = type_order(a->type) - type_order(b->type);

	if (difference)
		return difference < 0;
	if (a->plugin->rank != b->plugin->rank)
		return a->plugin->rank < b->plugin->rank;
	return a->index < b->index;
}

static int same_pci(const dpr_device *a, const dpr_device *b)
{
	return a->has_pci && b->has_pci &&
	       !memcmp(a->pci, b->pci, sizeof(a->pci));
}

/* Whether no other device of the same backend has the same PCI address: the
   tiles of one card may share it. */
static int alone_at_pci(const dpr_device *device,
			const struct device_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		const dpr_device *other = list->devices[i];

		if (other != device && other->plugin == device->plugin &&
		    same_pci(other, device))
			return 0;
	}
	return 1;
}

int device_same(const dpr_device *a, const dpr_device *b,
		const struct device_list *list)
{
	if (a->plugin == b->plugin)
		return a == b;
	if (a->has_uuid && b->has_uuid &&
	    !memcmp(a->uuid, b->uuid, sizeof(a->uuid)))
		return 1;
	return same_pci(a, b) && alone_at_pci(a, list) && alone_at_pci(b, list);
}

void device_match_twins(const struct device_list *list)
{
	size_t i, j;

	for (i = 0; i < list->n; i++) {
		dpr_device *twin = NULL;

		for (j = 0; j < list->n && !twin; j++) {
			if (i != j && device_same(list->devices[i],
						  list->devices[j], list))
				twin = list->devices[j];
		}
		atomic_store_explicit(&list->devices[i]->twin, twin,
				      memory_order_release);
	}
}

/* --- Finding ---------------------------------------------------------------
 */

/* Start what @selector needs and see what it matches. */
static dpr_status match(const char *what, const char *text,
			struct selector **selector, struct matches *matches)
{
	dpr_status status;

	*selector = NULL;
	status = registry_start(what);
	if (!status)
		status = selector_parse(text, selector);
	if (!status)
		status = registry_open(what, selector_wants, *selector);
	if (!status)
		status = selector_evaluate(*selector, registry_snapshot(),
					   matches);
	if (!status)
		return DPR_OK;
	selector_drop(*selector);
	*selector = NULL;
	return status;
}

dpr_status dpr_device_enumerate(const char *selector, dpr_device **out,
				size_t capacity, size_t *count)
{
	TRACE_CALL;
	struct matches matches = { 0 };
	struct selector *parsed;
	dpr_status status;
	size_t i;

	for (i = 0; out && i < capacity; i++)
		out[i] = NULL;
	if (count)
		*count = 0;
	if (!count || (capacity && !out))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "device enumerate: count and out must not be NULL");
	status = match("device enumerate", selector, &parsed, &matches);
	if (status)
		return status;
	*count = matches.n;
	for (i = 0; i < matches.n && i < capacity; i++)
		out[i] = matches.list[i].device;
	matches_drop(&matches);
	selector_drop(parsed);
	return DPR_OK;
}

/* A failed selection: what there is, and which plugins did not come up. */
static dpr_status nothing(dpr_status status, const char *what,
			  const struct text *notes)
{
	const struct device_list *list = registry_snapshot();
	struct text text = { 0 };
	size_t i;

	text_print(&text, "%s%s", what, text_get(notes));
	for (i = 0; i < list->n; i++)
		text_print(&text, "%s%s (%s)", i ? ", " : "\n  there is: ",
			   list->devices[i]->selector, list->devices[i]->name);
	registry_explain(&text);
	if (text.failed) {
		text_fini(&text);
		return fail_memory("device select");
	}
	status_record("%s", text_get(&text));
	text_fini(&text);
	return status;
}

static int is_lost(const dpr_device *device)
{
	return atomic_load_explicit(&device->root->lost, memory_order_relaxed);
}

/* The first match that is not lost, else the first. */
static dpr_device *best_of(const struct matches *matches)
{
	size_t i;

	for (i = 0; i < matches->n; i++)
		if (!is_lost(matches->list[i].device))
			return matches->list[i].device;
	return matches->list[0].device;
}

static dpr_status select_one(const char *selector, const char *variable,
			     dpr_device **out)
{
	struct matches matches = { 0 };
	struct selector *parsed;
	dpr_status status;

	status = match("device select", selector, &parsed, &matches);
	if (status)
		return status;
	/* Who has set the variable sees all that there is; a program that goes
	   on with another selector starts no driver that it did not ask for. */
	if (!matches.n && *variable &&
	    registry_open("device select", NULL, NULL) ==
		    DPR_ERROR_OUT_OF_MEMORY) {
		status = DPR_ERROR_OUT_OF_MEMORY;
	} else if (matches.n) {
		*out = best_of(&matches);
	} else {
		struct text what = { 0 };

		text_print(&what, "device select: no device matches %s\"%s\"",
			   variable, text_quote(selector).bytes);
		status = nothing(matches.refused ? matches.refused
						 : DPR_ERROR_NOT_FOUND,
				 text_get(&what), &matches.notes);
		text_fini(&what);
	}
	matches_drop(&matches);
	selector_drop(parsed);
	return status;
}

/* The first device with these aspects that is not lost, else the first. */
static dpr_device *find_where(const enum dpr_info *keys, size_t n_required,
			      size_t n)
{
	const struct device_list *list = registry_snapshot();
	dpr_device *lost = NULL;
	size_t i, j;

	for (i = 0; i < list->n; i++) {
		for (j = 0; j < n; j++) {
			if (device_has_aspect(list->devices[i], keys[j]) !=
			    (j < n_required))
				break;
		}
		if (j < n)
			continue;
		if (!is_lost(list->devices[i]))
			return list->devices[i];
		if (!lost)
			lost = list->devices[i];
	}
	return lost;
}

static dpr_status select_default(dpr_device **out)
{
	const struct text no_notes = { 0 };
	dpr_device *device, *none = NULL;
	const char *variable;
	dpr_status status;

	device = atomic_load_explicit(&default_device, memory_order_acquire);
	if (device) {
		status = runtime_check("device select");
		if (!status)
			*out = device;
		return status;
	}
	status = registry_start("device select");
	if (status)
		return status;
	variable = env_get("DPR_DEVICE");
	if (variable) {
		status = select_one(variable, "DPR_DEVICE=", &device);
	} else {
		status = registry_open("device select", NULL, NULL);
		if (!status && !registry_snapshot()->n)
			status = nothing(DPR_ERROR_NOT_FOUND,
					 "device select: there is no device",
					 &no_notes);
		if (!status)
			device = find_where(NULL, 0, 0);
	}
	if (status)
		return status;
	/* Two threads may come here at once: the first one decides. */
	if (!atomic_compare_exchange_strong(&default_device, &none, device))
		device = none;
	*out = device;
	return DPR_OK;
}

dpr_status dpr_device_select(const char *selector, dpr_device **out)
{
	TRACE_CALL;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "device select: out is NULL");
	*out = NULL;
	if (!selector || !*selector)
		return select_default(out);
	return select_one(selector, "", out);
}

/* Read names of aspects; the keys go into @keys. */
static dpr_status read_aspects(const char *const *names, size_t n,
			       enum dpr_info *keys)
{
	size_t i;

	for (i = 0; i < n; i++) {
		keys[i] = names[i] ? info_aspect(names[i], strlen(names[i]))
				   : (enum dpr_info)0;
		if (!keys[i])
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "device select: \"%s\" is no aspect",
				    names[i] ? text_quote(names[i]).bytes
					     : "(NULL)");
	}
	return DPR_OK;
}

static dpr_status nothing_where(const char *const *required, size_t n_required,
				const char *const *excluded, size_t n_excluded)
{
	const struct text no_notes = { 0 };
	struct text aspects = { 0 }, what = { 0 };
	dpr_status status;
	size_t i;

	for (i = 0; i < n_required; i++)
		text_print(&aspects, "+%s", required[i]);
	for (i = 0; i < n_excluded; i++)
		text_print(&aspects, "-%s", excluded[i]);
	text_print(&what, "device select: no device has these aspects: %s",
		   text_quote(text_get(&aspects)).bytes);
	status = nothing(DPR_ERROR_NOT_FOUND, text_get(&what), &no_notes);
	text_fini(&aspects);
	text_fini(&what);
	return status;
}

dpr_status dpr_device_select_where(const char *const *required,
				   size_t n_required,
				   const char *const *excluded,
				   size_t n_excluded, dpr_device **out)
{
	TRACE_CALL;
	enum dpr_info *keys;
	dpr_status status;
	size_t n;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "device select: out is NULL");
	*out = NULL;
	if ((n_required && !required) || (n_excluded && !excluded) ||
	    __builtin_add_overflow(n_required, n_excluded, &n))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "device select: a list of aspects is NULL");
	status = registry_start("device select");
	if (status)
		return status;
	keys = mem_array(n, sizeof(*keys));
	if (!keys)
		return fail_memory("device select");
	status = read_aspects(required, n_required, keys);
	if (!status)
		status = read_aspects(excluded, n_excluded, keys + n_required);
	if (!status)
		status = registry_open("device select", NULL, NULL);
	if (!status)
		*out = find_where(keys, n_required, n);
	mem_free(keys);
	if (!status && !*out)
		status = nothing_where(required, n_required, excluded,
				       n_excluded);
	return status;
}

/* --- Explaining ------------------------------------------------------------
 */

static struct quoted quote_term(const struct selector *selector, size_t term)
{
	return text_quote_part(selector->text + selector->terms[term].at,
			       selector->terms[term].length);
}

static void explain_device(struct text *text, const struct selector *selector,
			   const struct matches *matches,
			   const dpr_device *device)
{
	size_t i;

	text_print(text, "%s (%s): ", device->selector, device->name);
	for (i = 0; i < matches->n; i++) {
		const struct match *m = &matches->list[i];

		if (m->device != device)
			continue;
		if (m->term < selector->n)
			text_print(text, "number %zu, taken by \"%s\"\n", i,
				   quote_term(selector, m->term).bytes);
		else
			text_print(text, "number %zu\n", i);
		return;
	}
	for (i = 0; i < selector->n; i++) {
		const struct selector_term *term = &selector->terms[i];

		if (term->removes && selector_fits(term, device)) {
			text_print(text, "dropped by \"%s\"\n",
				   quote_term(selector, i).bytes);
			return;
		}
	}
	text_print(text, "no term matches it\n");
}

dpr_status dpr_device_explain(const char *selector, char **out)
{
	TRACE_CALL;
	const struct device_list *list;
	struct matches matches = { 0 };
	struct selector *parsed;
	struct text text = { 0 };
	dpr_status status;
	size_t i;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "device explain: text is NULL");
	*out = NULL;
	/* All backends: those that the selector does not name are explained
	   too. */
	status = registry_start("device explain");
	if (!status)
		status = registry_open("device explain", NULL, NULL);
	if (!status)
		status = match("device explain", selector, &parsed, &matches);
	if (status)
		return status;
	list = registry_snapshot();
	for (i = 0; i < list->n; i++)
		explain_device(&text, parsed, &matches, list->devices[i]);
	for (i = 0; i < matches.n; i++) {
		if (matches.list[i].device->parent)
			explain_device(&text, parsed, &matches,
				       matches.list[i].device);
	}
	if (matches.notes.size)
		text_print(&text, "%s\n", text_get(&matches.notes) + 1);
	matches_drop(&matches);
	selector_drop(parsed);
	*out = text_take(&text);
	return *out ? DPR_OK : fail_memory("device explain");
}

/* --- Getters ---------------------------------------------------------------
 */

const char *dpr_device_name(const dpr_device *device)
{
	return device ? device->name : NULL;
}

const char *dpr_device_backend(const dpr_device *device)
{
	return device ? device->plugin->name : NULL;
}

const char *dpr_device_selector(const dpr_device *device)
{
	return device ? device->selector : NULL;
}

enum dpr_device_type dpr_device_get_type(const dpr_device *device)
{
	return device ? device->type : (enum dpr_device_type)0;
}

dpr_device *dpr_device_parent(const dpr_device *device)
{
	return device ? device->parent : NULL;
}

dpr_device *dpr_device_root(const dpr_device *device)
{
	return device ? device->root : NULL;
}

dpr_device *dpr_device_twin(const dpr_device *device)
{
	return device ? atomic_load_explicit(&device->twin,
					     memory_order_acquire)
		      : NULL;
}

dpr_status dpr_device_native(const dpr_device *device,
			     enum dpr_native_what what, uintptr_t *out)
{
	TRACE_CALL;
	dprp_context *context = NULL;
	void *handle = NULL;
	dpr_status status;

	if (!device || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "device native: device and out must not be NULL");
	*out = 0;
	status = runtime_check("device native");
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
			    "device native: a device has a platform, a device "
			    "and a context, nothing with number %d",
			    (int)what);
	}
	return plugin_status(
		device->plugin,
		plugin_native_get(device->plugin, (uint32_t)what, handle, out),
		"device native of %s", device->selector);
}
