/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eager_cache.h - finds the kernels of single operations on contiguous arrays
 * of one shape, without a lock and without a graph.
 *
 * A slot of the cache holds the kernels of one operation in one dtype until
 * dpr_finalize().  The first launch through engine.c fills the slot.  There is
 * room for a few hundred slots.
 */
#ifndef ARRAY_EAGER_CACHE_H
#define ARRAY_EAGER_CACHE_H

#include "core/array/engine/call.h"
#include "core/array/engine/kernel_store.h"
#include "core/array/engine/schedule.h"
#include "core/array/engine/singles.h"
#include "core/array/engine/target.h"

#define SLOTS_OPERANDS SINGLES_OPERANDS

/* A slot of the cache.  Only eager_cache.c changes a slot. */
struct eager_kernel {
	const dpr_device *device;
	const struct target *target;
	uint32_t key;
	dpr_dtype result;
	/* scalar_words: the number of words (schedule.h) that a scalar takes */
	uint8_t n_arrays, n_scalars, scalar_words;
	uint8_t pack;
	/* the number of packs that a work-item of made[1] takes */
	uint8_t packs;
	/* size: the bytes of an element of an operand.  result_size: the bytes
	   of an element of the result. */
	uint8_t size, result_size;
	/* The kernels, or NULL for a kernel that is not made yet.  made[1]: its
	   schedule has gpu.aligned or cpu.stream set.  made[0]: its schedule
	   has neither. */
	const struct kernel_store_kernel *_Atomic made[2];
};

/* Find the slot of @operation, computed in @dtype.  Bit k of @scalars is set if
   operand k is a number.  NULL: the cache has no such slot. */
const struct eager_kernel *eager_cache_find(const dpr_device *device,
					    unsigned operation, unsigned dtype,
					    unsigned scalars);

/*
 * Compute the slot's operation into @out.  @what is the operation's name.  @x
 * are the arrays among the operands, and @scalars the numbers.  The arrays @x
 * must have the dtype of the slot, and @out the dtype of the slot's result.
 * All arrays must be contiguous, of one shape, on one queue, and not empty.  An
 * array that shares memory with @out must begin where @out does, and have
 * elements of the same size.
 *
 * Returns false and launches nothing if the slot has no kernel for these
 * arrays.  Otherwise *@status is the status of the launch.
 */
bool eager_cache_launch(const char *what, const struct eager_kernel *slot,
			dpr_array *out, const dpr_array *const *x,
			const struct engine_scalar *scalars,
			dpr_status *status);

/* Add @made, the kernel of @graph and @schedule on @device, to the cache.  The
   caller must have a reference to @made.  Does nothing if the graph is not a
   single operation (singles.h), if the cache has this kernel already, or if the
   cache is full. */
void eager_cache_add(const dpr_device *device, const struct target *target,
		     const struct graph *graph, const struct schedule *schedule,
		     const struct kernel_store_kernel *made);

#endif
