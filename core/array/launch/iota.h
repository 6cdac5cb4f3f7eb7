/* SPDX-License-Identifier: Apache-2.0 */
/* iota.h - arrays of evenly spaced numbers. */
#ifndef ARRAY_IOTA_H
#define ARRAY_IOTA_H

#include "core/array/object/array.h"

/*
 * The numbers of an array: element i is start + i * step.  If has_last is set,
 * the last element is `last` instead.  Integers are computed modulo 2^64, and
 * float64 in float64.  All other floats are computed in float32; the rounding
 * errors are summed separately and added at the end.  No intermediate number
 * overflows.  If start or step is not finite, the first element is start, and
 * all later elements are start + step.
 */
struct iota {
	double start, step, last; /* for floats */
	/* For float64: what the doubles above lack of a start and a step that
	   need more bits.  Other floats round this away. */
	double start_low, step_low;
	uint64_t whole_start, whole_step; /* for integers */
	/* For integers: the remainder of the step, and its divisor.  Element i
	   is larger by i * whole_rest / whole_parts, rounded down.  0: none. */
	int64_t whole_rest, whole_parts;
	bool has_last;
};

/* Write the values to @out, which has one axis.  Does nothing if @out has no
   elements.  Does not wait. */
dpr_status iota_launch(const char *what, const struct iota *iota,
		       dpr_array *out);

/* Write to each element of @out, an int64 array, the position of the same
   element of @index: the sum of the offset and, for each axis, index times
   stride.  @index has the shape of @out, and no memory.  Does not wait. */
dpr_status iota_index(const char *what, const dpr_array *index, dpr_array *out);

#endif
