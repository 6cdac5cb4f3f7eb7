/* SPDX-License-Identifier: Apache-2.0 */
/* division.h - sub-devices: made once for each division, kept for ever. */
#ifndef RUNTIME_DIVISION_H
#define RUNTIME_DIVISION_H

#include <stdbool.h>

#include "core/runtime/device/device.h"

/* The sub-devices of one division; never changes once it is in its device's
   list. */
struct device_division {
	struct device_division *next;
	dprp_partition how;
	dpr_device **devices;
	size_t n;
};

/* Divide @device, or find the division that was made before; counts are rounded
   up to multiples of its partition_unit, but the last one at most to what the
   others leave of the device.  Blocks while another thread divides it. */
dpr_status division_get(dpr_device *device, const dprp_partition *how,
			const struct device_division **out);

/* Whether @handle belongs to the device or to one of its sub-devices. */
bool division_has_handle(dpr_device *device, const dprp_device *handle);

#endif
