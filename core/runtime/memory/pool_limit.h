/* SPDX-License-Identifier: Apache-2.0 */
/* pool_limit.h - what DPR_POOL_LIMIT means for a device. */
#ifndef RUNTIME_POOL_LIMIT_H
#define RUNTIME_POOL_LIMIT_H

#include <stdint.h>

#include <dpr/device.h>

/* The initial limit, in bytes, of the pools of @root; UINT64_MAX: no limit. */
uint64_t pool_limit_default(dpr_device *root);

#endif
