/* SPDX-License-Identifier: Apache-2.0 */
/* iota.h - arrays of equal steps. */
#ifndef ARRAY_IOTA_H
#define ARRAY_IOTA_H

#include "core/array/object/array.h"

/*
 * The values start + i * step, and `last` as the last one if it `has_last`.
 * Integers are computed modulo 2^64, and float64 in float64.  float32 and the
 * 16-bit floats are computed in float32; the errors of its operations are added
 * at the end.  No number on the way overflows.  Behind an infinite start or
 * step all elements are start + step.
 */
struct iota {
	double start, step, last;         /* floats */
	uint64_t whole_start, whole_step; /* integers */
	bool has_last;
};

/* Write them to @out, which has one axis.  Does nothing if it has no elements.
   Does not wait. */
dpr_status iota_launch(const char *what, const struct iota *iota,
		       dpr_array *out);

/* Write to @out, of int64, where the elements of @index would be, an array of
   its shape without memory.  Does not wait. */
dpr_status iota_index(const char *what, const dpr_array *index, dpr_array *out);

#endif
