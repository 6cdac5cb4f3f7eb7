/* SPDX-License-Identifier: Apache-2.0 */
/* same_arrays.h - comparing two arrays in all that a user sees. */
#ifndef TESTS_SAME_ARRAYS_H
#define TESTS_SAME_ARRAYS_H

#include <stdlib.h>
#include <string.h>

#include "tests/support/devices.h"

/* Check that @a and @b have the same dtype, shape, queue, kind of memory and
   bytes.  Releases both. */
static inline void check_same(dpr_array *a, dpr_array *b)
{
	const size_t bytes = (size_t)dpr_array_size(b) * dpr_array_itemsize(b);
	void *have = malloc(bytes + 1), *want = malloc(bytes + 1);

	ck_assert_str_eq(dpr_dtype_name(dpr_array_dtype(a)),
			 dpr_dtype_name(dpr_array_dtype(b)));
	ck_assert_int_eq(dpr_array_rank(a), dpr_array_rank(b));
	for (int k = 0; k < dpr_array_rank(a); k++)
		ck_assert_int_eq(dpr_array_shape(a)[k], dpr_array_shape(b)[k]);
	ck_assert_ptr_eq(dpr_array_queue(a), dpr_array_queue(b));
	ck_assert_int_eq(dpr_array_kind(a), dpr_array_kind(b));
	CHECK_OK(dpr_array_to_memory(a, have, dpr_array_nbytes(a), NULL));
	CHECK_OK(dpr_array_to_memory(b, want, dpr_array_nbytes(b), NULL));
	ck_assert(!memcmp(have, want, bytes));
	free(have);
	free(want);
	dpr_array_release(a);
	dpr_array_release(b);
}

#endif
