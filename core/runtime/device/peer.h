/* SPDX-License-Identifier: Apache-2.0 */
/* peer.h - what one root device can do with the memory of another. */
#ifndef RUNTIME_PEER_H
#define RUNTIME_PEER_H

#include "core/runtime/device/device.h"

/*
 * What the root device of @from can do with memory of the root device of @to:
 * bits DPRP_PEER_*.  The roots must differ.  Returns 0 if the backends differ.
 * The first call for a pair asks the plugin, which may take long; hold no lock.
 */
uint32_t peer_caps(dpr_device *from, dpr_device *to);

#endif
