/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_cache.h - kernels from source, built once per device. */
#ifndef RUNTIME_KERNEL_CACHE_H
#define RUNTIME_KERNEL_CACHE_H

#include <dpr/device.h>

/*
 * Drop the kernels that dpr_kernel_from_source() has kept for @device, so that
 * dpr_finalize() counts only what the program holds.
 */
void kernel_cache_clear(dpr_device *device);

#endif
