/* SPDX-License-Identifier: Apache-2.0 */
/* holders.h - the largest holders of memory, for error texts. */
#ifndef RUNTIME_HOLDERS_H
#define RUNTIME_HOLDERS_H

#include <dpr/device.h>

#include "core/base/text.h"

/* Append how much memory of the device @root this process holds, and its
   largest allocations. */
void holders_print(const dpr_device *root, struct text *text);

#endif
