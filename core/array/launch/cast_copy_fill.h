/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cast_copy_fill.h - casts, copies, fills and where() as kernels of the engine.
 * No function here waits.  A result without elements needs no launch.
 */
#ifndef ARRAY_CAST_COPY_FILL_H
#define ARRAY_CAST_COPY_FILL_H

#include "core/array/launch/apply.h"

/* Whether the device of @x has a kernel that copies @x.  The kernel may still
   fail to build. */
bool cast_copy_fill_can_copy(const dpr_array *x);

/* Cast @x to the dtype of @out.  The launch broadcasts @x to the shape of
   @out. */
dpr_status cast_copy_fill_cast(const dpr_array *x, dpr_array *out);

/* Copy the bits of @x to @out.  The elements of both have the same size. */
dpr_status cast_copy_fill_copy(const dpr_array *x, dpr_array *out);

/*
 * Copy the bits of @x to @out where @index has a position of at least 0, and
 * set the other elements to 0.  @index has the shape of @out, and no memory:
 * the position of an element is the sum of the offset and, for each axis, index
 * times stride.  DPR_ERROR_UNSUPPORTED: the device has no kernel of this kind;
 * nothing was launched.
 */
dpr_status cast_copy_fill_keep(const char *what, const dpr_array *x,
			       const dpr_array *index, dpr_array *out);

/* Set each element of @out to the bits @bits. */
dpr_status cast_copy_fill_fill(dpr_array *out,
			       const struct engine_scalar *bits);

/*
 * Launch where().  call->x[0] is the condition, call->x[1] and call->x[2] are
 * the values to choose from.  Arrays of other dtypes than @dtype are cast to
 * @dtype first, and the result is cast to the dtype of call->out.  A scalar has
 * the bits of an element of @dtype.  call->operation and the dtypes of @call
 * are not used.
 */
dpr_status cast_copy_fill_where(const struct apply_call *call, dpr_dtype dtype);

#endif
