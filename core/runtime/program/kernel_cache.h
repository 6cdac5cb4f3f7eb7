/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_cache.h - kernels from source, built once per device. */
#ifndef RUNTIME_KERNEL_CACHE_H
#define RUNTIME_KERNEL_CACHE_H

#include <dpr/device.h>

/*
 * Release the kernels of @device that dpr_kernel_from_source() has cached.
 * Then dpr_finalize() reports only kernels that the user has not released.
 */
void kernel_cache_clear(dpr_device *device);

#endif
