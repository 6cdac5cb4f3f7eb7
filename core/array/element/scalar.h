/* SPDX-License-Identifier: Apache-2.0 */
/* scalar.h - single elements on the host: their bytes, and their casts. */
#ifndef ARRAY_SCALAR_H
#define ARRAY_SCALAR_H

#include <dpr/dtype.h>
#include <dpr/operand.h>
#include <dpr/status.h>

/* float16 and bfloat16 by their bits; the way down rounds to nearest even. */
double scalar_from_half(uint16_t bits);
uint16_t scalar_to_half(double value);
double scalar_from_bfloat16(uint16_t bits);
uint16_t scalar_to_bfloat16(double value);

/* The element at @bytes, which need not be aligned, as a scalar operand. */
dpr_operand scalar_load(const void *bytes, dpr_dtype dtype);

/*
 * The scalar @value cast to an element of @dtype, into @bytes: C's rules, where
 * a bool is whether it is not 0 and float16 and bfloat16 round to nearest even.
 * DPR_ERROR_OVERFLOW: outside the range of an integer dtype, or NaN.
 * DPR_ERROR_DTYPE: complex into a real dtype.
 */
dpr_status scalar_store(const char *what, dpr_operand value, dpr_dtype dtype,
			void *bytes);

#endif
