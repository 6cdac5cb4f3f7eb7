/* SPDX-License-Identifier: Apache-2.0 */
/* solve.h - inverse matrices for other functions. */
#ifndef ARRAY_SOLVE_H
#define ARRAY_SOLVE_H

#include <dpr/array.h>

/* Compute dpr_inv() for the function @what, which errors name. */
dpr_status solve_inv(const char *what, const dpr_array *x, dpr_array **out);

#endif
