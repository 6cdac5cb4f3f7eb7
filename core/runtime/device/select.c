/* SPDX-License-Identifier: Apache-2.0 */
/* select.c - finding devices: dpr_device_select() and its relatives. */
#include <string.h>

#include <dpr/device.h>

#include "core/base/env.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/base/trace.h"
#include "core/runtime/device/device.h"
#include "core/runtime/device/device_list.h"
#include "core/runtime/device/info.h"
#include "core/runtime/device/match.h"
#include "core/runtime/device/registry.h"
#include "core/runtime/device/report.h"
#include "core/runtime/device/selector.h"
#include "core/runtime/device/start.h"

/* The default device; NULL until it is first asked for (release, pairs with
   acquire). */
static _Atomic(dpr_device *) default_device;

/* Open the backends that the selector @text needs, and find its matches. */
static dpr_status find_matches(const char *what, const char *text,
			       struct selector **selector,
			       struct matches *matches)
{
	dpr_status status;

	*selector = NULL;
	status = start_library(what);
	if (!status)
		status = selector_parse(text, selector);
	if (!status)
		status = registry_open(what, match_wants, *selector);
	if (!status)
		status = match_selector(*selector, device_list_get(), matches);
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
	status = find_matches("device enumerate", selector, &parsed, &matches);
	if (status)
		return status;
	*count = matches.n;
	for (i = 0; i < matches.n && i < capacity; i++)
		out[i] = matches.list[i].device;
	match_drop(&matches);
	selector_drop(parsed);
	return DPR_OK;
}

/* Fail with @status and the text @what, followed by the devices that exist and
   the plugins that did not start.  Frees @what. */
static dpr_status fail_select(dpr_status status, struct text *what)
{
	const struct device_list *list = device_list_get();
	size_t i;

	for (i = 0; i < list->n; i++)
		text_print(what, "%s%s (%s)", i ? ", " : "\n  available: ",
			   list->devices[i]->selector, list->devices[i]->name);
	report_explain(what);
	if (env_get("DPR_PLUGINS"))
		text_print(what, "\n  no other plugin is looked for, since "
				 "DPR_PLUGINS is set; DPR_PLUGIN_PATH adds to "
				 "the search");
	if (what->failed)
		status = fail_memory("device select");
	else
		status_record("%s", text_get(what));
	text_fini(what);
	return status;
}

static bool is_lost(const dpr_device *device)
{
	return atomic_load_explicit(&device->root->lost, memory_order_relaxed);
}

/* The first match that is not lost; if all are lost, the first. */
static dpr_device *best_match(const struct matches *matches)
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

	status = find_matches("device select", selector, &parsed, &matches);
	if (status)
		return status;
	/* The error for DPR_DEVICE lists all devices, so open all backends.  A
	   selector of the program's own starts only the drivers that it
	   names. */
	if (!matches.n && *variable &&
	    registry_open("device select", NULL, NULL) ==
		    DPR_ERROR_OUT_OF_MEMORY) {
		status = DPR_ERROR_OUT_OF_MEMORY;
	} else if (matches.n) {
		*out = best_match(&matches);
	} else {
		struct text what = { 0 };

		text_print(&what, "device select: no device matches %s\"%s\"%s",
			   variable, text_quote(selector).bytes,
			   text_get(&matches.notes));
		status = fail_select(matches.refused ? matches.refused
						     : DPR_ERROR_NOT_FOUND,
				     &what);
	}
	match_drop(&matches);
	selector_drop(parsed);
	return status;
}

/* The first device with these aspects that is not lost; if all are lost, the
   first; NULL: there is none. */
static dpr_device *find_where(const enum dpr_info *keys, size_t n_required,
			      size_t n)
{
	const struct device_list *list = device_list_get();
	dpr_device *lost = NULL;
	size_t i, j;

	for (i = 0; i < list->n; i++) {
		for (j = 0; j < n; j++) {
			if (info_has_aspect(list->devices[i], keys[j]) !=
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
	dpr_device *device, *none = NULL;
	struct text what = { 0 };
	const char *variable;
	dpr_status status;

	device = atomic_load_explicit(&default_device, memory_order_acquire);
	if (device) {
		status = process_check("device select");
		if (!status)
			*out = device;
		return status;
	}
	status = start_library("device select");
	if (status)
		return status;
	variable = env_get("DPR_DEVICE");
	if (variable) {
		status = select_one(variable, "DPR_DEVICE=", &device);
	} else {
		status = registry_open("device select", NULL, NULL);
		if (!status && !device_list_get()->n) {
			text_print(&what, "device select: no device was found");
			status = fail_select(DPR_ERROR_NOT_FOUND, &what);
		}
		if (!status)
			device = find_where(NULL, 0, 0);
	}
	if (status)
		return status;
	/* Two threads may get here at the same time: the first one decides. */
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

/* Look up the names of aspects; the keys go into @keys. */
static dpr_status read_aspects(const char *const *names, size_t n,
			       enum dpr_info *keys)
{
	size_t i;

	for (i = 0; i < n; i++) {
		keys[i] = names[i] ? info_aspect(names[i], strlen(names[i]))
				   : (enum dpr_info)0;
		if (!keys[i])
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "device select: \"%s\" is not an aspect",
				    names[i] ? text_quote(names[i]).bytes
					     : "(NULL)");
	}
	return DPR_OK;
}

static dpr_status fail_where(const char *const *required, size_t n_required,
			     const char *const *excluded, size_t n_excluded)
{
	struct text aspects = { 0 }, what = { 0 };
	size_t i;

	for (i = 0; i < n_required; i++)
		text_print(&aspects, "+%s", required[i]);
	for (i = 0; i < n_excluded; i++)
		text_print(&aspects, "-%s", excluded[i]);
	text_print(&what, "device select: no device has these aspects: %s",
		   text_quote(text_get(&aspects)).bytes);
	text_fini(&aspects);
	return fail_select(DPR_ERROR_NOT_FOUND, &what);
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
	status = start_library("device select");
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
		status = fail_where(required, n_required, excluded, n_excluded);
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

		if (term->removes && match_fits(term, device)) {
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
	/* Open all backends, so that devices that the selector does not name
	   are explained, too. */
	status = start_library("device explain");
	if (!status)
		status = registry_open("device explain", NULL, NULL);
	if (!status)
		status = find_matches("device explain", selector, &parsed,
				      &matches);
	if (status)
		return status;
	list = device_list_get();
	for (i = 0; i < list->n; i++)
		explain_device(&text, parsed, &matches, list->devices[i]);
	for (i = 0; i < matches.n; i++) {
		if (matches.list[i].device->parent)
			explain_device(&text, parsed, &matches,
				       matches.list[i].device);
	}
	if (matches.notes.size)
		text_print(&text, "%s\n", text_get(&matches.notes) + 1);
	match_drop(&matches);
	selector_drop(parsed);
	*out = text_take(&text);
	return *out ? DPR_OK : fail_memory("device explain");
}
