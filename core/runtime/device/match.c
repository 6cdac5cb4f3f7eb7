/* SPDX-License-Identifier: Apache-2.0 */
/* match.c - which devices a selector matches. */
#include "core/runtime/device/match.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/runtime/device/device.h"
#include "core/runtime/device/division.h"
#include "core/runtime/device/info.h"

/* The most bytes of notes: a selector may have any number of terms without a
   match, and the first few tell enough. */
#define MAX_NOTES 2048

/* Whether the term names a backend and nothing else. */
static bool is_backend_only(const struct selector_term *term)
{
	return term->backend && !term->type && !term->has_index &&
	       !term->n_aspects;
}

bool match_wants(const void *user, const char *backend)
{
	const struct selector *selector = user;
	bool wanted = false, has_positive = false;
	size_t i;

	for (i = 0; i < selector->n; i++) {
		const struct selector_term *term = &selector->terms[i];
		bool same = !term->backend || !strcmp(term->backend, backend);

		if (term->removes && same && is_backend_only(term))
			return false;
		if (term->removes)
			continue;
		has_positive = true;
		wanted = wanted || same;
	}
	return wanted || !has_positive;
}

bool match_fits(const struct selector_term *term, const dpr_device *device)
{
	if (term->backend && strcmp(term->backend, device->plugin->name))
		return false;
	if (term->type && term->type != device->type)
		return false;
	if (term->has_pci && (!device->has_pci || memcmp(term->pci, device->pci,
							 sizeof(term->pci))))
		return false;
	if (term->has_uuid &&
	    (!device->has_uuid ||
	     memcmp(term->uuid, device->uuid, sizeof(term->uuid))))
		return false;
	return true;
}

static bool has_aspects(const struct selector_term *term,
			const dpr_device *device)
{
	size_t i;

	for (i = 0; i < term->n_aspects; i++) {
		if (info_has_aspect(device, term->aspects[i].key) !=
		    term->aspects[i].wanted)
			return false;
	}
	return true;
}

/* The device with number term->index among those that match_fits() accepts.
   Within a backend they are numbered in the driver's order; without one each
   physical device counts once. */
static dpr_device *find_by_index(const struct selector_term *term,
				 const struct device_list *list)
{
	uint64_t place = 0;
	size_t i, j;

	for (i = 0; i < list->n; i++) {
		dpr_device *d = list->devices[i];

		if (!match_fits(term, d))
			continue;
		if (term->backend) {
			place = 0;
			for (j = 0; j < list->n; j++)
				place += match_fits(term, list->devices[j]) &&
					 list->devices[j]->index < d->index;
			if (place == term->index)
				return d;
			continue;
		}
		for (j = 0; j < i; j++) {
			if (match_fits(term, list->devices[j]) &&
			    device_list_same(list->devices[j], d, list))
				break;
		}
		if (j < i)
			continue;
		if (place++ == term->index)
			return d;
	}
	return NULL;
}

static dpr_status divide_naturally(dpr_device *device,
				   const struct device_division **out)
{
	dprp_partition how = { .struct_size = sizeof(how),
			       .how = DPR_PARTITION_DOMAIN,
			       .domain = DPR_DOMAIN_NEXT };
	dpr_status status = division_get(device, &how, out);

	if (status != DPR_ERROR_UNSUPPORTED)
		return status;
	how.domain = DPR_DOMAIN_NUMA;
	return division_get(device, &how, out);
}

/* Go from *@device to one of its sub-devices.  If that does not exist,
   sets *@device to NULL, and @out says why. */
static dpr_status step_down(dpr_device **device,
			    const struct selector_step *step,
			    struct matches *out)
{
	const struct device_division *division = NULL;
	dprp_partition how = { .struct_size = sizeof(how),
			       .how = step->how,
			       .n_counts = (uint32_t)step->n_counts,
			       .counts = step->counts,
			       .domain = (uint32_t)step->domain };
	dpr_status status;

	if (step->how)
		status = division_get(*device, &how, &division);
	else
		status = divide_naturally(*device, &division);
	if (status == DPR_ERROR_OUT_OF_MEMORY)
		return status;
	if (!status && step->index < division->n) {
		*device = division->devices[step->index];
		return DPR_OK;
	}
	if (status)
		out->refused = status;
	if (status && out->notes.size < MAX_NOTES)
		text_print(&out->notes, "\n  %s", dpr_last_error());
	else if (out->notes.size < MAX_NOTES)
		text_print(&out->notes,
			   "\n  %s has no sub-device %llu in this division, "
			   "only %zu",
			   (*device)->selector, (unsigned long long)step->index,
			   division->n);
	*device = NULL;
	return DPR_OK;
}

static dpr_status add_match(struct matches *out, dpr_device *device,
			    size_t term)
{
	struct match *match;
	size_t i;

	for (i = 0; i < out->n; i++) {
		if (out->list[i].device == device)
			return DPR_OK;
	}
	match = mem_append(&out->list, &out->n);
	if (!match)
		return fail_memory("selecting devices");
	*match = (struct match){ device, term };
	return DPR_OK;
}

/* Add the devices that term number @at of @selector matches. */
static dpr_status evaluate_term(const struct selector *selector, size_t at,
				const struct device_list *list,
				struct matches *out)
{
	const struct selector_term *term = &selector->terms[at];
	dpr_status status = DPR_OK;
	dpr_device *device;
	size_t i;

	if (term->has_index) {
		device = find_by_index(term, list);
		for (i = 0; device && i < term->n_steps && !status; i++)
			status = step_down(&device, &term->steps[i], out);
		if (!status && device && has_aspects(term, device))
			status = add_match(out, device, at);
		return status;
	}
	for (i = 0; i < list->n && !status; i++) {
		device = list->devices[i];
		if (match_fits(term, device) && has_aspects(term, device))
			status = add_match(out, device, at);
	}
	return status;
}

/* Whether @device is @other or a sub-device of it. */
static bool is_within(const dpr_device *device, const dpr_device *other)
{
	for (; device; device = device->parent) {
		if (device == other)
			return true;
	}
	return false;
}

/* Remove the devices in @removed, with their sub-devices. */
static void subtract_matches(struct matches *from,
			     const struct matches *removed)
{
	size_t i, j, kept = 0;

	for (i = 0; i < from->n; i++) {
		for (j = 0; j < removed->n; j++) {
			if (is_within(from->list[i].device,
				      removed->list[j].device))
				break;
		}
		if (j == removed->n)
			from->list[kept++] = from->list[i];
	}
	from->n = kept;
}

dpr_status match_selector(const struct selector *selector,
			  const struct device_list *list, struct matches *out)
{
	struct matches removed = { 0 };
	dpr_status status = DPR_OK;
	bool has_positive = false;
	size_t i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < selector->n && !status; i++) {
		has_positive |= !selector->terms[i].removes;
		status = evaluate_term(selector, i, list,
				       selector->terms[i].removes ? &removed
								  : out);
	}
	for (i = 0; i < list->n && !has_positive && !status; i++)
		status = add_match(out, list->devices[i], selector->n);
	if (!status)
		subtract_matches(out, &removed);
	else
		match_drop(out);
	match_drop(&removed);
	return status;
}

void match_drop(struct matches *matches)
{
	mem_free(matches->list);
	text_fini(&matches->notes);
	memset(matches, 0, sizeof(*matches));
}
