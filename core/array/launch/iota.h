/* SPDX-License-Identifier: Apache-2.0 */
/* iota.h - arrays of equal steps. */
#ifndef ARRAY_IOTA_H
#define ARRAY_IOTA_H

#include "core/array/object/array.h"

/*
 * The values start + i * step; if has_last is set, the last value is `last`.
 * Integers are computed modulo 2^64, and float64 in float64. float32 and the
 * 16-bit floats are computed in float32, and the rounding errors are added at
 * the end.  No intermediate number overflows.  After an infinite start or step
 * all elements are start + step.
 */
struct iota {
	double start, step, last;         /* for floats */
	uint64_t whole_start, whole_step; /* for integers */
	bool has_last;
};

/* Write the values to @out, which has one axis.  Does nothing if @out has no
   elements.  Does not wait. */
dpr_status iota_launch(const char *what, const struct iota *iota,
		       dpr_array *out);

/* Write the positions of the elements of @index to @out, an int64 array of the
   same shape.  @index has no memory.  Does not wait. */
dpr_status iota_index(const char *what, const dpr_array *index, dpr_array *out);

#endif
