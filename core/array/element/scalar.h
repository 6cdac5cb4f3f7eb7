/* SPDX-License-Identifier: Apache-2.0 */
/* scalar.h - single elements on the host: their bytes, and their casts. */
#ifndef ARRAY_SCALAR_H
#define ARRAY_SCALAR_H

#include <stdbool.h>

#include <dpr/dtype.h>
#include <dpr/operand.h>
#include <dpr/status.h>

/* Convert from and to the bits of a float16 or bfloat16, rounding to nearest
   even. */
double scalar_from_half(uint16_t bits);
uint16_t scalar_to_half(double value);
double scalar_from_bfloat16(uint16_t bits);
uint16_t scalar_to_bfloat16(double value);

/* The element at @bytes, which need not be aligned, as a scalar operand. */
dpr_operand scalar_load(const void *bytes, dpr_dtype dtype);

/*
 * Cast the scalar @value to an element of @dtype and store it at @bytes.
 * Follows the rules of C; a bool is true if the value is not 0, and float16 and
 * bfloat16 round to nearest even.
 * DPR_ERROR_OVERFLOW: the value is NaN or outside the range of the integer
 * dtype.  DPR_ERROR_DTYPE: complex into a real dtype.
 */
dpr_status scalar_store(const char *what, dpr_operand value, dpr_dtype dtype,
			void *bytes);

/* Whether @value is an integer that @dtype, another integer dtype, cannot
   hold. */
bool scalar_is_outside(dpr_operand value, dpr_dtype dtype);

/* Store @value as the kernels compute @dtype: a 16-bit float, rounded, as a
   float.  Fails as scalar_store() does. */
dpr_status scalar_store_computed(const char *what, dpr_operand value,
				 dpr_dtype dtype, unsigned char bytes[16]);

#endif
