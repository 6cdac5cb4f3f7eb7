/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.h - programs and kernels inside. */
#ifndef RUNTIME_KERNEL_H
#define RUNTIME_KERNEL_H

#include <stdatomic.h>

#include <dpr/kernel.h>

#include "core/runtime/device.h"

struct dpr_program {
	atomic_uint refs;
	dpr_device *device;
	dprp_module *handle;
	char *log;
	char *binary_format;
};

struct dpr_kernel {
	atomic_uint refs;
	dpr_program *program; /* holds a reference */
	dprp_kernel *handle;
	char *name;
	/* Bytes of local memory without what arguments ask for; 0 where the
	   driver does not tell. */
	uint64_t local_size;
	int params_known;
	uint32_t n_params;
	dprp_param *params;
};

/*
 * Drop what dpr_kernel_from_source() has kept for @device, so that
 * dpr_finalize() counts only what its callers hold.
 */
void kernel_cache_clear(dpr_device *device);

#endif
