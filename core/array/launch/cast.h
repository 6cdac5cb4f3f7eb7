/* SPDX-License-Identifier: Apache-2.0 */
/* cast.h - casts, copies and fills of arrays on the device. */
#ifndef ARRAY_CAST_H
#define ARRAY_CAST_H

#include "core/array/object/array.h"

/*
 * Copy @x into @out, cast to @out's dtype.  They must be on one queue, have the
 * same shape (a broadcast axis has stride 0), and not overlap; layouts may
 * differ.  Complex to real takes the real part.  If the dtypes are the same and
 * both are contiguous, the driver makes a plain copy.
 */
dpr_status cast_into(const dpr_array *x, dpr_array *out);

/* Fail where cast_into() would, for an output of @dtype and @x's shape. */
dpr_status cast_check(const dpr_array *x, dpr_dtype dtype);

/* Make a new C-contiguous array with the elements of @x cast to @dtype, in
   memory of @kind; @what begins the text of an error. */
dpr_status cast_new(const char *what, const dpr_array *x, dpr_dtype dtype,
		    dpr_usm_kind kind, dpr_array **out);

/* Fill @out with @value, a scalar that fits @out's dtype. */
dpr_status cast_fill(dpr_array *out, dpr_operand value);

/* Check that @x's device can compute in @dtype.  DPR_ERROR_UNSUPPORTED: it
   cannot; the text begins with @what. */
dpr_status cast_check_computes(const char *what, const dpr_array *x,
			       dpr_dtype dtype);

#endif
