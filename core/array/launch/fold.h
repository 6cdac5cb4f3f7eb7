/* SPDX-License-Identifier: Apache-2.0 */
/* fold.h - reducing axes of an array on its device. */
#ifndef ARRAY_FOLD_H
#define ARRAY_FOLD_H

#include "core/array/object/array.h"

/* The operations of kernels/reduce.cl. */
enum fold_operation { FOLD_SUM, FOLD_MIN, FOLD_MAX, FOLD_ANY, FOLD_ALL };

/*
 * Reduce the axes of @x that @reduced marks into @out.  The reduced axes must
 * have at least one element.  @out must be C-contiguous and have the other axes
 * of @x, or all, the reduced ones with extent 1.  Its dtype must be bool for
 * any and all, int64 or uint64 for sums of integers and bool, else @x's.
 * @as: another dtype that elements are cast to first, if fold_casts().
 * @count: divide a sum of floats by this number; 0: do not divide.  Does not
 * wait; @out may overlap @x.
 */
dpr_status fold_launch(const char *what, enum fold_operation operation,
		       const dpr_array *x, dpr_dtype as, const bool *reduced,
		       int64_t count, dpr_array *out);

/* Whether kernels on @device cast elements before they reduce them. */
bool fold_casts(dpr_device *device);

#endif
