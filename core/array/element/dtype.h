/* SPDX-License-Identifier: Apache-2.0 */
/* dtype.h - promotion of dtypes, and the parts of complex ones. */
#ifndef ARRAY_DTYPE_H
#define ARRAY_DTYPE_H

#include <dpr/dtype.h>

/* The dtype that two valid ones promote to, as dpr_dtype_promote() says. */
dpr_dtype dtype_promote(dpr_dtype a, dpr_dtype b);

/* The float dtype of a complex dtype's parts; other dtypes are their own. */
dpr_dtype dtype_part(dpr_dtype dtype);

#endif
