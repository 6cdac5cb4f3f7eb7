/* SPDX-License-Identifier: Apache-2.0 */
/* cast.h - casts, copies and fills of arrays on the device. */
#ifndef ARRAY_CAST_H
#define ARRAY_CAST_H

#include "core/array/object/array.h"

/*
 * Copy @x into @out, and cast to the dtype of @out.  @x and @out must be on one
 * queue, have the same shape (a broadcast axis has stride 0), and not overlap;
 * their layouts may differ.  A cast from complex to real takes the real part.
 * If the dtypes are the same and both arrays are contiguous, the driver copies
 * the bytes.
 */
dpr_status cast_into(const dpr_array *x, dpr_array *out);

/* Copy the part of @x that has the layout @from into the part of @out that has
   the layout @to, as cast_into() copies arrays. */
dpr_status cast_part(const dpr_array *x, const struct layout *from,
		     const dpr_array *out, const struct layout *to);

/* Fail if cast_into() would fail for @x and an output of @dtype with the shape
   of @x. */
dpr_status cast_check(const dpr_array *x, dpr_dtype dtype);

/* Make a new C-contiguous array in memory of @kind, with the elements of @x
   cast to @dtype.  @what begins the text of an error. */
dpr_status cast_new(const char *what, const dpr_array *x, dpr_dtype dtype,
		    dpr_usm_kind kind, dpr_array **out);

/* Fill @out with @value, a scalar that fits @out's dtype. */
dpr_status cast_fill(dpr_array *out, dpr_operand value);

/* Check that the device of @x can compute in @dtype.  Fails with
   DPR_ERROR_UNSUPPORTED if the device cannot; the error text begins with @what.
   */
dpr_status cast_check_computes(const char *what, const dpr_array *x,
			       dpr_dtype dtype);

#endif
