/* SPDX-License-Identifier: Apache-2.0 */
/* info.h - properties of devices: the keys of dpr/info.h, and aspects. */
#ifndef RUNTIME_INFO_H
#define RUNTIME_INFO_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/device.h>
#include <dpr/info.h>

#include "core/runtime/plugin/plugin.h"

/* The key of the aspect @name, of @length letters in any case, or 0. */
enum dpr_info info_aspect(const char *name, size_t length);

/* The name of aspect number @i, in lower case, or NULL behind the last. */
const char *info_aspect_name(size_t i);

/*
 * Call device->info of @plugin.  Returns DPR_RC_ABI if the answer does not have
 * the form of the key; *@need is its size then.  With @value NULL it asks only
 * for the size, and checks that.
 */
dprp_rc info_ask(const struct plugin *plugin, dprp_device *device, uint32_t key,
		 void *value, size_t capacity, size_t *need);

/* The name of a key, or NULL if the key does not exist. */
const char *info_key_name(uint32_t key);

/* Whether @device has the aspect; false if the driver does not report it. */
bool info_has_aspect(const dpr_device *device, enum dpr_info key);

#endif
