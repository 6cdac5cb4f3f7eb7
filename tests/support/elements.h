/* SPDX-License-Identifier: Apache-2.0 */
/* elements.h - arrays of given elements, on the test device. */
#ifndef TESTS_ELEMENTS_H
#define TESTS_ELEMENTS_H

#include <dpr/dpr.h>

#include "tests/support/devices.h"

/* An array of the @n elements at @data. */
static inline dpr_array *array_of(const void *data, int64_t n, dpr_dtype dtype)
{
	dpr_array *out;

	CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(n), NULL, dtype,
				       test_queue, &out));
	return out;
}

/* @x in another dtype.  @x is released. */
static inline dpr_array *cast(dpr_array *x, dpr_dtype dtype)
{
	dpr_array *out;

	CHECK_OK(dpr_astype(x, dtype, &out));
	dpr_array_release(x);
	return out;
}

/* Check that @x has this dtype and these elements, and release it. */
static inline void expect(dpr_array *x, dpr_dtype dtype, const void *data,
			  int64_t n)
{
	size_t size = dpr_dtype_size(dtype) * (size_t)n;
	unsigned char *found = malloc(size + 1);

	ck_assert(found != NULL);
	ck_assert_str_eq(dpr_dtype_name(dpr_array_dtype(x)),
			 dpr_dtype_name(dtype));
	ck_assert_int_eq(dpr_array_size(x), n);
	CHECK_OK(dpr_array_to_memory(x, found, dpr_array_nbytes(x), NULL));
	ck_assert_mem_eq(found, data, size);
	free(found);
	dpr_array_release(x);
}

#endif
