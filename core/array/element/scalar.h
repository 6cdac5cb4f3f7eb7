/* SPDX-License-Identifier: Apache-2.0 */
/* scalar.h - single elements on the host: reading, writing and casting. */
#ifndef ARRAY_SCALAR_H
#define ARRAY_SCALAR_H

#include <stdbool.h>

#include <dpr/dtype.h>
#include <dpr/operand.h>
#include <dpr/status.h>

/* Convert from and to the bits of a float16 or bfloat16.  Rounds to the
   nearest, halves to even. */
double scalar_from_half(uint16_t bits);
uint16_t scalar_to_half(double value);
double scalar_from_bfloat16(uint16_t bits);
uint16_t scalar_to_bfloat16(double value);

/* Read the element at @bytes, which need not be aligned, as an operand. */
dpr_operand scalar_load(const void *bytes, dpr_dtype dtype);

/*
 * Cast the scalar @value to an element of @dtype, and store it at @bytes.  The
 * rules are those of C.  A bool is true if the value is not 0.  float16 and
 * bfloat16 round to the nearest, halves to even.
 *
 * DPR_ERROR_OVERFLOW: the value is NaN or outside the range of the integer
 * dtype.  DPR_ERROR_DTYPE: complex into a real dtype.
 */
dpr_status scalar_store(const char *what, dpr_operand value, dpr_dtype dtype,
			void *bytes);

/* Whether @value is an integer that does not fit into the integer dtype
   @dtype. */
bool scalar_is_outside(dpr_operand value, dpr_dtype dtype);

/* Store @value as kernels compute @dtype: a 16-bit float is rounded, and stored
   as a float.  Fails as scalar_store() does. */
dpr_status scalar_store_computed(const char *what, dpr_operand value,
				 dpr_dtype dtype, unsigned char bytes[16]);

#endif
