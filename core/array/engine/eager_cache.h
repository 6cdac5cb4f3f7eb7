/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eager_cache.h - the kernels of single operations on contiguous arrays of one
 * shape.  They are found without a lock and without a graph.
 *
 * The first launch of such a graph makes a slot, which holds the kernel until
 * dpr_finalize().  There is room for a few hundred operations.
 */
#ifndef ARRAY_EAGER_CACHE_H
#define ARRAY_EAGER_CACHE_H

#include "core/array/engine/call.h"
#include "core/array/engine/kernel_store.h"
#include "core/array/engine/schedule.h"
#include "core/array/engine/singles.h"
#include "core/array/engine/target.h"

#define SLOTS_OPERANDS SINGLES_OPERANDS

/* A slot.  Only eager_cache.c changes it. */
struct eager_kernel {
	const dpr_device *device;
	const struct target *target;
	uint32_t key;
	dpr_dtype result;
	/* the words of each scalar */
	uint8_t n_arrays, n_scalars, scalar_words;
	uint8_t pack;
	uint8_t size, result_size; /* bytes of an element */
	/* made[1] is for schedules with gpu.aligned or cpu.stream. */
	const struct kernel_store_kernel *_Atomic made[2];
};

/* Find the slot of @operation, computed in @dtype.  Bit k of @scalars is set if
   operand k is a number.  NULL: there is no slot. */
const struct eager_kernel *eager_cache_find(const dpr_device *device,
					    unsigned operation, unsigned dtype,
					    unsigned scalars);

/*
 * Compute the operation of the slot into @out.  @what is the operation's name.
 * The arrays among the operands are @x, and have the dtype of the slot; @out
 * has the dtype of the slot's result.  All arrays are contiguous, of one shape
 * and on one queue, and are not empty.  An array that shares memory with @out
 * begins where @out does, and its elements have the same size.
 *
 * Returns false, and does nothing, if the slot has no kernel for these arrays.
 * Otherwise *@status is the status of the launch.
 */
bool eager_cache_launch(const char *what, const struct eager_kernel *slot,
			dpr_array *out, const dpr_array *const *x,
			const struct engine_scalar *scalars,
			dpr_status *status);

/* Make a slot for @made, the kernel of @graph and @schedule on the target's
   device.  The caller has a reference to @made.  Does nothing if the graph is
   no single operation, if the slot exists, or if there is no room. */
void eager_cache_add(const dpr_device *device, const struct target *target,
		     const struct graph *graph, const struct schedule *schedule,
		     const struct kernel_store_kernel *made);

#endif
