/* SPDX-License-Identifier: Apache-2.0 */
/* dtype.h - promotion of dtypes, and the parts of complex dtypes. */
#ifndef ARRAY_DTYPE_H
#define ARRAY_DTYPE_H

#include <dpr/dtype.h>

/* The dtype to which two valid dtypes promote, as in dpr_dtype_promote(). */
dpr_dtype dtype_promote(dpr_dtype a, dpr_dtype b);

/* The kind of a dtype as a number: 0 bool, 1 integer, 2 float, 3 complex. */
int dtype_level(dpr_dtype dtype);

/* The float dtype of a complex dtype's parts.  Any other dtype is unchanged. */
dpr_dtype dtype_part(dpr_dtype dtype);

#endif
