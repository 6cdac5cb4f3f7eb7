/* SPDX-License-Identifier: Apache-2.0 */
/* indexing_bits.h - elements moved bit by bit: in parts, one by one, or several
   together. */
#ifndef ARRAY_INDEXING_BITS_H
#define ARRAY_INDEXING_BITS_H

#include "core/array/indexing/indexing.h"

/* How elements are moved: as `parts` elements of the smaller dtype `dtype`, or
   `together` neighbours as one element of the larger dtype.  At least one of
   these numbers is 1. */
struct indexing_bits {
	dpr_dtype dtype;
	int parts, together;
};

/*
 * Choose how elements of @x are moved to or from elements of @other, which has
 * the same dtype.  An element has up to 16 bytes (complex128), or up to 8 if
 * the device does not compute in complex128.  Neighbours along the last axis
 * are moved together if they are neighbours in both arrays and always aligned.
 * @other may be NULL: then elements are moved one by one.
 */
struct indexing_bits indexing_bits_of(const struct indexing *indexing,
				      const dpr_array *x,
				      const dpr_array *other);

/* Make an array of part number @part of the elements of @other, as
   indexing_bits_of() knows it.  indexing_bits_first(): make an array without
   axes that begins at this part of the first element of @x.  Places count from
   there. */
dpr_status indexing_bits_view(const dpr_array *other, struct indexing_bits bits,
			      int part, dpr_array **out);
dpr_status indexing_bits_first(const dpr_array *x, struct indexing_bits bits,
			       int part, dpr_array **out);

/* A copy of @indexing whose places count moved elements.  The caller ends the
   copy with indexing_end().  Call this before indexing_steps_fit(). */
struct indexing indexing_bits_places(const struct indexing *indexing,
				     struct indexing_bits bits);

#endif
