/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_device.h - the entries of devices and contexts. */
#ifndef RUNTIME_WRAP_DEVICE_H
#define RUNTIME_WRAP_DEVICE_H

#include "core/runtime/layer/passage.h"

/* Put wrappers in place of the plugin's entries. */
void wrap_device_install(struct layer *layer, dprp_device_ops *device,
			 dprp_context_ops *context);

#endif
