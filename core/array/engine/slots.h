/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots.h - the kernels of single operations on contiguous arrays of one shape,
 * found without a lock and without a graph.
 *
 * The first launch of such a graph makes a slot, which holds the kernel until
 * dpr_finalize().  A few hundred operations get one.
 */
#ifndef ARRAY_SLOTS_H
#define ARRAY_SLOTS_H

#include "core/array/engine/call.h"
#include "core/array/engine/frame.h"
#include "core/array/engine/kernel_store.h"
#include "core/array/engine/singles.h"
#include "core/array/engine/target.h"

#define SLOTS_OPERANDS SINGLES_OPERANDS

/* Only slots.c changes it. */
struct slot {
	const dpr_device *device;
	const struct target *target;
	uint32_t key;
	dpr_dtype result;
	uint8_t n_arrays, n_scalars, scalar_words; /* words of each scalar */
	uint8_t pack;
	uint8_t size, result_size; /* of an element */
	/* made[1] is for frames with gpu.aligned or cpu.stream. */
	const struct kernel_store_kernel *_Atomic made[2];
};

/* Find the slot of @operation, computed in @dtype; bit k of @scalars: operand k
   is a number.  NULL: there is none. */
const struct slot *slots_find(const dpr_device *device, unsigned operation,
			      unsigned dtype, unsigned scalars);

/*
 * Compute the operation, which is called @what, into @out.  The arrays among
 * its operands, @x, have the dtype of the slot; @out has that of its result.
 * All are contiguous, of one shape and on one queue, and have elements.  An
 * array that shares memory with
 * @out begins where @out does, and its elements have the same size.  Returns
 * false, and does nothing, if the slot has no kernel for these; else *@status
 * is that of the launch.
 */
bool slots_launch(const char *what, const struct slot *slot, dpr_array *out,
		  const dpr_array *const *x,
		  const struct engine_scalar *scalars, dpr_status *status);

/* Make a slot of @made, the kernel of @graph and @frame on the target's device,
   which the caller has.  Does nothing if that is no single operation, if there
   is a slot, or if there is no room. */
void slots_add(const dpr_device *device, const struct target *target,
	       const struct graph *graph, const struct frame *frame,
	       const struct kernel_store_kernel *made);

#endif
