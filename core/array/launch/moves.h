/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moves.h - casts, copies, fills and choices as kernels of the engine.  Each
 * does nothing if its result has no elements, and does not wait.
 */
#ifndef ARRAY_MOVES_H
#define ARRAY_MOVES_H

#include "core/array/launch/apply.h"

/* Whether the device of @x has the kernel that copies it.  It may still fail to
   build. */
bool moves_can_copy(const dpr_array *x);

/* Cast @x, which the launch broadcasts to the shape of @out, to the dtype of
   @out. */
dpr_status moves_cast(const dpr_array *x, dpr_array *out);

/* Copy the bits of @x, whose elements have the size of those of @out. */
dpr_status moves_copy(const dpr_array *x, dpr_array *out);

/* Set each element of @out to these bits. */
dpr_status moves_fill(dpr_array *out, const struct engine_scalar *bits);

/*
 * Choose between two values: call->x[0] is the condition, and @dtype the dtype
 * of the choice, in which scalars are given, as an element is stored.  Values
 * and result may have other dtypes, to and from which they are cast.  The
 * operation and its dtypes are not used.
 */
dpr_status moves_where(const struct apply_call *call, dpr_dtype dtype);

#endif
