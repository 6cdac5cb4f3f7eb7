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

/* Divide @device, or find the same division if it was made before.  Counts are
   rounded up to multiples of the device's partition_unit.  The last count gets
   at most the units that the others leave.  Blocks while another thread divides
   the device. */
dpr_status division_get(dpr_device *device, const dprp_partition *how,
			const struct device_division **out);

/* Whether @handle belongs to the device or to one of its sub-devices. */
bool division_has_handle(dpr_device *device, const dprp_device *handle);

#endif
