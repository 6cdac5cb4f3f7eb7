/* SPDX-License-Identifier: Apache-2.0 */
/* device_list.h - the root devices in order, twins in two backends, and lost
   devices. */
#ifndef RUNTIME_DEVICE_LIST_H
#define RUNTIME_DEVICE_LIST_H

#include <stdbool.h>

#include "core/runtime/device/device.h"

/* A snapshot of the root devices of all open backends, the best first.  It
   never changes and is never freed. */
struct device_list {
	const struct device_list *older;
	size_t n;
	dpr_device *devices[];
};

/* The latest snapshot. */
const struct device_list *device_list_get(void);

/* Make a snapshot that includes the root devices of one more backend, and find
   the twins in it.  The caller must have the baton of plugins.h.
   DPR_ERROR_OUT_OF_MEMORY. */
dpr_status device_list_add(dpr_device *const *devices, size_t n);

/* Whether @a and @b are the same physical device, as far as the devices in
   @list show that. */
bool device_list_same(const dpr_device *a, const dpr_device *b,
		      const struct device_list *list);

/* Mark the root of @device as lost, because its plugin reports that.  @why: the
   reason, or NULL. */
void device_list_lose(struct plugin *plugin, const dprp_device *device,
		      const char *why);

#endif
