/* SPDX-License-Identifier: Apache-2.0 */
/* fold.h - reducing axes of an array on its device. */
#ifndef ARRAY_FOLD_H
#define ARRAY_FOLD_H

#include "core/array/engine/reductions.h"
#include "core/array/object/array.h"

/*
 * Reduce the axes of @x that @reduced marks into @out.  The reduced axes must
 * have at least one element.  @out must be C-contiguous and have the other axes
 * of @x, or all, the reduced ones with extent 1.  Its dtype must be bool for
 * any and all, int64 or uint64 for sums of integers and bool, else @as.
 * @as: the dtype that elements are cast to first; @x's if engine_casts() says
 * no.  Does not wait; @out may overlap @x.
 */
dpr_status fold_launch(const char *what, enum reduction reduction,
		       const dpr_array *x, dpr_dtype as, const bool *reduced,
		       dpr_array *out);

#endif
