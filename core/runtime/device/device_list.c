/* SPDX-License-Identifier: Apache-2.0 */
/* device_list.c - the root devices in order, twins in two backends, and lost
   devices. */
#include "core/runtime/device/device_list.h"

#include <string.h>

#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/runtime/device/division.h"

static const struct device_list no_devices;
static _Atomic(const struct device_list *) snapshot = &no_devices;

const struct device_list *device_list_get(void)
{
	return atomic_load_explicit(&snapshot, memory_order_acquire);
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

/* Whether @a is preferred to @b as the default device. */
static bool comes_before(const dpr_device *a, const dpr_device *b)
{
	int difference = type_order(a->type) - type_order(b->type);

	if (difference)
		return difference < 0;
	if (a->plugin->rank != b->plugin->rank)
		return a->plugin->rank < b->plugin->rank;
	return a->index < b->index;
}

static bool is_same_pci(const dpr_device *a, const dpr_device *b)
{
	return a->has_pci && b->has_pci &&
	       !memcmp(a->pci, b->pci, sizeof(a->pci));
}

/* Whether no other device of the same backend has the same PCI address: the
   tiles of one card may share it. */
static bool is_alone_at_pci(const dpr_device *device,
			    const struct device_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		const dpr_device *other = list->devices[i];

		if (other != device && other->plugin == device->plugin &&
		    is_same_pci(other, device))
			return false;
	}
	return true;
}

bool device_list_same(const dpr_device *a, const dpr_device *b,
		      const struct device_list *list)
{
	if (a->plugin == b->plugin)
		return a == b;
	if (a->has_uuid && b->has_uuid &&
	    !memcmp(a->uuid, b->uuid, sizeof(a->uuid)))
		return true;
	return is_same_pci(a, b) && is_alone_at_pci(a, list) &&
	       is_alone_at_pci(b, list);
}

static void match_twins(const struct device_list *list)
{
	size_t i, j;

	for (i = 0; i < list->n; i++) {
		dpr_device *twin = NULL;

		for (j = 0; j < list->n && !twin; j++) {
			if (i != j && device_list_same(list->devices[i],
						       list->devices[j], list))
				twin = list->devices[j];
		}
		atomic_store_explicit(&list->devices[i]->twin, twin,
				      memory_order_release);
	}
}

dpr_status device_list_add(dpr_device *const *devices, size_t n)
{
	const struct device_list *old =
		atomic_load_explicit(&snapshot, memory_order_relaxed);
	struct device_list *list;
	size_t i;

	list = mem_alloc(sizeof(*list) + (old->n + n) * sizeof(dpr_device *));
	if (!list)
		return fail_memory("opening a backend");
	list->older = old;
	list->n = old->n;
	if (old->n)
		memcpy(list->devices, old->devices,
		       old->n * sizeof(*list->devices));
	for (i = 0; i < n; i++) {
		size_t at = list->n++;

		for (; at && comes_before(devices[i], list->devices[at - 1]);
		     at--)
			list->devices[at] = list->devices[at - 1];
		list->devices[at] = devices[i];
	}
	match_twins(list);
	atomic_store_explicit(&snapshot, list, memory_order_release);
	return DPR_OK;
}

/* --- Lost devices ----------------------------------------------------------
 */

static void set_loss(dpr_device *device, const char *why)
{
	struct text text = { 0 };

	text_print(&text, "the device %s is lost: %s", device->selector, why);
	failure_release(device_loss(device, text_get(&text)));
	text_fini(&text);
}

void device_list_lose(struct plugin *plugin, const dprp_device *device,
		      const char *why)
{
	const struct device_list *list = device_list_get();
	size_t i;

	if (!why)
		why = "the plugin gives no reason";
	for (i = 0; i < list->n; i++) {
		dpr_device *d = list->devices[i];

		if (d->plugin != plugin || !division_has_handle(d, device))
			continue;
		set_loss(d, why);
		atomic_store(&d->lost, true);
		atomic_store(&plugin->has_lost, true);
		log_post(DPR_LOG_ERROR, "device %s is lost: %s", d->selector,
			 why);
	}
}
