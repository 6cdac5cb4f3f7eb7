/* SPDX-License-Identifier: Apache-2.0 */
/* fold.h - reducing axes of an array on its device. */
#ifndef ARRAY_FOLD_H
#define ARRAY_FOLD_H

#include "core/array/object/array.h"

/* The operations of kernels/reduce.cl. */
enum fold_operation { FOLD_SUM, FOLD_MIN, FOLD_MAX, FOLD_ANY, FOLD_ALL };

/*
 * Reduce the axes of @x that @reduced marks, which have at least one element,
 * into @out, which has the other axes of @x (or all, the reduced ones with
 * extent 1), is C-contiguous and of the operation's own dtype: for sums int64
 * or uint64 of integers and bool, else x's; bool for any and all.  @count:
 * divide a sum of floats by it, 0: do not.  Does not wait; @out may overlap @x.
 */
dpr_status fold_launch(const char *what, enum fold_operation operation,
		       const dpr_array *x, const bool *reduced, int64_t count,
		       dpr_array *out);

#endif
