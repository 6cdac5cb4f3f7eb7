/* SPDX-License-Identifier: Apache-2.0 */
/* copy.h - the checks of dpr_astype(). */
#ifndef ARRAY_COPY_H
#define ARRAY_COPY_H

#include "core/array/object/array.h"

/* Fail where dpr_astype() would fail to cast @x to @dtype.  The memory of @x is
   not read. */
dpr_status copy_check_astype(const dpr_array *x, dpr_dtype dtype);

#endif
