/* SPDX-License-Identifier: Apache-2.0 */
/* cast.h - casts, copies and fills of arrays by the device. */
#ifndef ARRAY_CAST_H
#define ARRAY_CAST_H

#include "core/array/object/array.h"

/*
 * out[...] = x, cast to out's dtype: same queue, shapes equal (broadcast before
 * with strides of 0), any layouts, no overlap.  Complex to real takes the real
 * part.  Same dtype and both contiguous: a plain copy by the driver.
 */
dpr_status cast_into(const dpr_array *x, dpr_array *out);

/* out[...] = value, which fits out's dtype (a scalar operand). */
dpr_status cast_fill(dpr_array *out, dpr_operand value);

/* DPR_ERROR_UNSUPPORTED, with a text that begins with @what, if @x's device
   does not compute in @dtype. */
dpr_status cast_check_computes(const char *what, const dpr_array *x,
			       dpr_dtype dtype);

#endif
