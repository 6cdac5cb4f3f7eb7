/* SPDX-License-Identifier: Apache-2.0 */
/* modules.h - the array kernels on a device, loaded when first used. */
#ifndef ARRAY_MODULES_H
#define ARRAY_MODULES_H

#include <stdbool.h>

#include <dpr/kernel.h>
#include <dpr/launch.h>
#include <dpr/program.h>
#include <dpr/queue.h>

#include "core/array/engine/kernel_files.h"
#include "core/array/engine/target.h"
#include "kernels/images.h"

/* The kernels that core/array launches, by their names in kernels/. */
#define MODULES_KERNEL_MAP(X) X(iota)

enum modules_kernel {
#define MODULES__X(name) MODULES_##name,
	MODULES_KERNEL_MAP(MODULES__X)
#undef MODULES__X
		MODULES_KERNELS
};

/* The name that kernel @kernel of a module of dtype @type has where kernels
   come in files. */
void modules_name(enum modules_kernel kernel, unsigned type,
		  char name[KERNEL_FILES_NAME]);

/*
 * Get the kernel of module (@family, @type) on @queue's device, built if this
 * is its first use; valid until dpr_finalize().  Blocks while it builds.  A
 * failure is not remembered: the next call tries again.
 */
dpr_status modules_kernel(dpr_queue *queue, enum images_family family,
			  unsigned type, enum modules_kernel kernel,
			  dpr_kernel **out);

#endif
