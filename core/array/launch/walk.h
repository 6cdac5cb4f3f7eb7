/* SPDX-License-Identifier: Apache-2.0 */
/* walk.h - launching kernels that go over the elements of arrays. */
#ifndef ARRAY_WALK_H
#define ARRAY_WALK_H

#include "core/array/engine/engine.h"
#include "core/array/launch/modules.h"
#include "core/array/object/array.h"

#define WALK_RANK 8
#define WALK_OPERANDS 4 /* the result and up to three operands */

/* One launch over all elements of @out. */
struct walk_call {
	const char *what; /* begins the text of an error */
	/* `operation` is one of the table, computed in dtype `type`: a graph.
	   Else the next ones choose the kernel of a module. */
	bool is_operation;
	enum images_family family;
	unsigned type;
	/* `flat`: kernel _c; MODULES_KERNELS: there is none.  `strided`: kernel
	   _s. */
	enum modules_kernel flat, strided;
	int operation;
	uint32_t flags;
	/* Where engine_casts(), the operands and `out` of an operation of
	   the table may have other dtypes than `type` and `result`: they are
	   cast. */
	dpr_dtype result;
	dpr_array *out;
	int64_t whole; /* elements of the whole result; 0: @out is all of it */
	/* an earlier launch has written a part of the whole result */
	bool rest;
	int n; /* operands, not counting the result */
	/* The operands, which the launch broadcasts to out's shape.  NULL: a
	   scalar, which is in `value`. */
	const dpr_array *x[WALK_OPERANDS - 1];
	struct engine_scalar value[WALK_OPERANDS - 1];
};

/* Launch @call on its result's queue; does nothing if that has no elements.
   Does not wait. */
dpr_status walk_launch(const struct walk_call *call);

/* Whether the kernel may write @out while it reads the operands: each operand
   is either @out's elements in the same places, or does not overlap it. */
bool walk_can_write(const struct walk_call *call, const dpr_array *out);

/* Whether walk_launch() reads operands that are contiguous along another axis
   than the result about as fast as others. */
bool walk_reads_turned(const struct walk_call *call);

/* The extent of the square blocks in which transposed elements of @x's dtype
   are copied. */
int64_t walk_tile(const dpr_array *x);

/* A flag of walk_call that kernels/iota.cl knows. */
#define WALK_LAST 4u

#endif
