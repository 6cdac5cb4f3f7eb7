/* SPDX-License-Identifier: Apache-2.0 */
/* walk.h - launching kernels that go over the elements of arrays. */
#ifndef ARRAY_WALK_H
#define ARRAY_WALK_H

#include "core/array/launch/modules.h"
#include "core/array/object/array.h"

#define WALK_RANK 8
#define WALK_OPERANDS 4 /* the result and up to three more */

/* The bytes of a scalar, as the kernel computes with it. */
struct walk_scalar {
	_Alignas(16) unsigned char bytes[16];
};

/* One launch over all elements of @out. */
struct walk_call {
	const char *what; /* begins the text of an error */
	enum images_family family;
	unsigned type;
	/* kernel _c, or MODULES_KERNELS if it has none; kernel _s */
	enum modules_kernel flat, strided;
	int operation;
	uint32_t flags;
	dpr_array *out;
	int64_t whole; /* elements of a result that @out is a part of, or 0 */
	bool rest;     /* another launch has begun to write that result */
	int n;         /* operands beside the result */
	/* NULL stands for the scalar.  The launch broadcasts them to out's
	   shape. */
	const dpr_array *x[WALK_OPERANDS - 1];
	struct walk_scalar value[WALK_OPERANDS - 1];
};

/* Launch it on @out's queue; does nothing without elements.  Does not wait. */
dpr_status walk_launch(const struct walk_call *call);

/* The extents of the blocks in which transposed elements of @x's dtype are
   copied. */
int64_t walk_tile(const dpr_array *x);

/* Tests only: results of @size bytes and more go past the caches of a CPU; 0
   restores the default. */
void walk_stream_from(int64_t size);

/* For iota: flags that kernels know (kernels/iota.cl). */
#define WALK_LAST 4u

#endif
