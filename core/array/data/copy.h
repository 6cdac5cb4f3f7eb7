/* SPDX-License-Identifier: Apache-2.0 */
/* copy.h - what dpr_astype() checks before it casts. */
#ifndef ARRAY_COPY_H
#define ARRAY_COPY_H

#include "core/array/object/array.h"

/* Fail where dpr_astype() would fail to cast @x to @dtype.  The memory of @x is
   not looked at. */
dpr_status copy_check_astype(const dpr_array *x, dpr_dtype dtype);

#endif
