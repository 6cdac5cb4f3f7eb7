/* SPDX-License-Identifier: Apache-2.0 */
/* modules.h - the array kernels on a device, loaded when first used. */
#ifndef ARRAY_MODULES_H
#define ARRAY_MODULES_H

#include <stdbool.h>

#include <dpr/kernel.h>
#include <dpr/launch.h>
#include <dpr/program.h>
#include <dpr/queue.h>

#include "kernels/images.h"

/* The kernels that core/array launches, by their names in kernels/. */
/* clang-format off */
#define MODULES_KERNEL_MAP(X) \
	X(arith1t_c) X(arith1t_s) X(arith1t_p) \
	X(arith1r_c) X(arith1r_s) X(arith1r_p) \
	X(arith2t_c) X(arith2t_s) X(arith2t_p) X(arith2t_n) \
	X(arith3t_c) X(arith3t_s) \
	X(math1t_c) X(math1t_s) X(math1t_p) \
	X(math2t_c) X(math2t_s) X(math2t_p) \
	X(compare1b_c) X(compare1b_s) X(compare1b_p) \
	X(compare2b_c) X(compare2b_s) X(compare2b_p) \
	X(fold_rows) X(fold_columns) X(fold_last) X(fold_many) \
	X(cast_c) X(cast_s) X(iota) \
	X(copy_c) X(copy_s) X(copy_t) X(fill_s) X(where_s)
/* clang-format on */

enum modules_kernel {
#define MODULES__X(name) MODULES_##name,
	MODULES_KERNEL_MAP(MODULES__X)
#undef MODULES__X
		MODULES_KERNELS
};

/*
 * Whether kernels for @device are built in their CPU shape: a run of elements
 * per work-item.  True on CPUs that take text or native code.
 */
bool modules_is_cpu(dpr_device *device);

/* Whether they are in the CPU shape and there are kernels _p: on devices whose
   driver compiles source. */
bool modules_has_plain(dpr_device *device);

/* Whether a kernel's pointer may point anywhere into an allocation on @device
   that has an address; otherwise it must point to its first byte. */
bool modules_binds_anywhere(dpr_device *device);

/* How many of its cores share the work. */
uint64_t modules_cores(dpr_device *device);

/* Whether @device takes a format of the kernels.  They may still fail to
   build. */
bool modules_takes(dpr_device *device);

/*
 * Tests only: true builds kernels in the other shape, for devices that are
 * first used from now on; false restores their own shape.
 */
void modules_swap_shape(bool swap);

/*
 * The kernel of module (@family, @type) on @queue's device, built if this is
 * its first use; lent until dpr_finalize().  Blocks while it builds.  A
 * failure is not remembered: the next call tries again.
 */
dpr_status modules_kernel(dpr_queue *queue, enum images_family family,
			  unsigned type, enum modules_kernel kernel,
			  dpr_kernel **out);

#endif
