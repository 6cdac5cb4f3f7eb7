/* SPDX-License-Identifier: Apache-2.0 */
/* indexing_bits.h - elements moved bit by bit, in whole or in halves. */
#ifndef ARRAY_INDEXING_BITS_H
#define ARRAY_INDEXING_BITS_H

#include "core/array/indexing/indexing.h"

/* An element is moved as `parts` elements of `dtype`, an unsigned integer.
   Elements of 16 bytes are moved as complex128, or, if the device does not
   compute in complex128, in two halves. */
struct indexing_bits {
	dpr_dtype dtype;
	int parts;
};
struct indexing_bits indexing_bits_of(const dpr_array *x);

/* Make an array of part number @part of each element of @x. */
dpr_status indexing_bits_view(const dpr_array *x, struct indexing_bits bits,
			      int part, dpr_array **out);

/* The same indexing with places that count parts of elements.  The caller ends
   it with indexing_end().  Call this before indexing_steps_fit(). */
struct indexing indexing_bits_places(const struct indexing *indexing,
				     struct indexing_bits bits);

#endif
