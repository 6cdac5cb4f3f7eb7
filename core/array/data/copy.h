/* SPDX-License-Identifier: Apache-2.0 */
/* copy.h - the checks of casts, and assignments of arrays. */
#ifndef ARRAY_COPY_H
#define ARRAY_COPY_H

#include <dpr/creation.h>

#include "core/array/object/array.h"

/* Fail where dpr_astype() would fail to cast @x to @dtype.  The memory of @x is
   not read. */
dpr_status copy_check_astype(const dpr_array *x, dpr_dtype dtype);

/* DPR_ERROR_DTYPE: @from cannot be cast to @to, or @to is no dtype. */
dpr_status copy_check_cast(const char *what, dpr_dtype from, dpr_dtype to);

/* DPR_ERROR_INVALID_ARGUMENT: @mode is not a value of dpr_copy_mode.  @what
   begins the text. */
dpr_status copy_check_mode(const char *what, dpr_copy_mode mode);

/* Copy @value into @view as dpr_copy_into() does.  Both are on one queue, and
   the cast and the write are allowed. */
dpr_status copy_assign(dpr_array *view, const dpr_array *value);

#endif
