/* SPDX-License-Identifier: Apache-2.0 */
/* info.h - properties of devices: the keys of dpr/info.h, and aspects. */
#ifndef RUNTIME_INFO_H
#define RUNTIME_INFO_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/device.h>
#include <dpr/info.h>

#include "core/runtime/plugin/plugin.h"

/* The key of the aspect @name, which has @length letters in any case; 0:
   none. */
enum dpr_info info_aspect(const char *name, size_t length);

/* The name of aspect number @i, in lower case; NULL after the last one. */
const char *info_aspect_name(size_t i);

/*
 * Call device->info of @plugin.  Returns DPR_RC_ABI if the answer is not a
 * valid value of @key; *@need is then its size.  If @value is NULL, asks for
 * the size alone, and checks it.
 */
dprp_rc info_ask(const struct plugin *plugin, dprp_device *device, uint32_t key,
		 void *value, size_t capacity, size_t *need);

/* The name of a key, or NULL if the key does not exist. */
const char *info_key_name(uint32_t key);

/* Whether @device has the aspect; false if the driver does not report it. */
bool info_has_aspect(const dpr_device *device, enum dpr_info key);

#endif
