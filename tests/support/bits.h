/* SPDX-License-Identifier: Apache-2.0 */
/* bits.h - comparing the bits of two arrays. */
#ifndef TESTS_BITS_H
#define TESTS_BITS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/array.h>
#include <dpr/runtime.h>

/* Whether the element of @size bytes at @p, the part of a float @dtype, is NaN.
 */
static inline bool bits_is_nan(dpr_dtype dtype, const unsigned char *p)
{
	uint16_t half;
	double wide;
	float single;

	switch (dtype) {
	case DPR_FLOAT64:
	case DPR_COMPLEX128: memcpy(&wide, p, 8); return wide != wide;
	case DPR_FLOAT32:
	case DPR_COMPLEX64: memcpy(&single, p, 4); return single != single;
	case DPR_FLOAT16: memcpy(&half, p, 2); return (half & 0x7fff) > 0x7c00;
	case DPR_BFLOAT16: memcpy(&half, p, 2); return (half & 0x7fff) > 0x7f80;
	default: return false;
	}
}

/* The bytes of the elements, for free(); NULL: none, or a failure. */
static inline unsigned char *bits_of(const dpr_array *x, size_t size)
{
	unsigned char *bytes = malloc(size + 1);

	if (bytes && !dpr_array_to_memory(x, bytes, dpr_array_nbytes(x), NULL))
		return bytes;
	free(bytes);
	return NULL;
}

/* Whether two arrays have the same dtype, number of elements and bits, where a
   NaN equals every NaN. */
static inline bool bits_equal(const dpr_array *a, const dpr_array *b)
{
	const dpr_dtype dtype = dpr_array_dtype(a);
	const size_t item = dpr_dtype_size(dtype);
	const size_t size = (size_t)dpr_array_size(a) * item;
	const size_t part = dpr_dtype_kind(dtype) == 'c' ? item / 2 : item;
	unsigned char *x, *y;
	bool same, whole;

	if (dtype != dpr_array_dtype(b) ||
	    dpr_array_size(a) != dpr_array_size(b))
		return false;
	x = bits_of(a, size);
	y = bits_of(b, size);
	same = x && y;
	whole = same && !memcmp(x, y, size);
	for (size_t i = 0; same && !whole && i < size; i += part)
		same = !memcmp(x + i, y + i, part) ||
		       (bits_is_nan(dtype, x + i) && bits_is_nan(dtype, y + i));
	free(x);
	free(y);
	return same;
}

#endif
