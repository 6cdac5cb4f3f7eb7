/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rearranged.h - compares arrays that have elements of another array with a
 * loop over their positions.
 */
#ifndef TESTS_REARRANGED_H
#define TESTS_REARRANGED_H

#include <dpr/dpr.h>

#include "tests/support/devices.h"
#include "tests/support/layouts.h"

/* The elements of an array in C order. */
struct plain {
	int rank;
	int64_t dim[DPR_MAX_RANK];
	size_t item;
	unsigned char *bytes;
};

static inline struct plain plain_of(const dpr_array *x)
{
	const size_t size = dpr_array_nbytes(x);
	struct plain p = { .rank = dpr_array_rank(x),
			   .item = dpr_array_itemsize(x),
			   .bytes = malloc(size + 1) };

	ck_assert(p.bytes != NULL);
	for (int k = 0; k < p.rank; k++)
		p.dim[k] = dpr_array_shape(x)[k];
	CHECK_OK(dpr_array_to_memory(x, p.bytes, size, NULL));
	return p;
}

static inline void plain_free(struct plain *p)
{
	free(p->bytes);
}

/* The element at the position @at. */
static inline const unsigned char *plain_at(const struct plain *p,
					    const int64_t *at)
{
	bool inside = true;
	int64_t flat = 0;

	for (int k = 0; k < p->rank; k++) {
		inside &= at[k] >= 0 && at[k] < p->dim[k];
		flat = flat * p->dim[k] + at[k];
	}
	if (!inside)
		ck_abort_msg("a position is outside");
	return p->bytes + (size_t)flat * p->item;
}

/* Step to the next position in C order. */
static inline void next_position(int rank, const int64_t *dim, int64_t *at)
{
	for (int k = rank - 1; k >= 0; k--) {
		if (++at[k] < dim[k])
			return;
		at[k] = 0;
	}
}

/* Find the position in the source that the element at @at comes from.  Returns
   false if the element is 0. */
typedef bool (*where_from)(const void *how, const struct plain *source,
			   const int64_t *at, int64_t *from);

/* Check that @y has this shape, and the elements that @from says.  Releases
   @y. */
static inline void check_rearranged(dpr_array *y, const struct plain *source,
				    int rank, const int64_t *dim,
				    where_from from, const void *how)
{
	static const unsigned char zeros[16];
	struct plain have = plain_of(y);
	int64_t at[DPR_MAX_RANK] = { 0 }, origin[DPR_MAX_RANK] = { 0 };
	int64_t bad = -1;

	ck_assert_int_eq(have.rank, rank);
	for (int k = 0; k < rank; k++)
		ck_assert_int_eq(have.dim[k], dim[k]);
	ck_assert_uint_eq(have.item, source->item);
	for (int64_t i = 0; i < dpr_array_size(y) && bad < 0; i++) {
		const unsigned char *want = from(how, source, at, origin)
						    ? plain_at(source, origin)
						    : zeros;

		if (memcmp(want, plain_at(&have, at), have.item))
			bad = i;
		next_position(rank, dim, at);
	}
	ck_assert_msg(bad < 0, "element %lld is wrong", (long long)bad);
	plain_free(&have);
	dpr_array_release(y);
}

/* The arrays that are rearranged: every layout of layouts.h, an array of nine
   axes in another order with some reversed, and an array of 32 axes. */
#define SOURCES_COUNT (LAYOUTS_COUNT + 2)

/* A C-contiguous array of elements that differ. */
static inline dpr_array *numbered(dpr_shape shape, dpr_dtype dtype)
{
	const size_t item = dpr_dtype_size(dtype);
	dpr_array *x;
	unsigned char *bytes;
	size_t n = 1;

	for (int k = 0; k < shape.rank; k++)
		n *= (size_t)shape.dim[k];
	bytes = malloc(n * item + 1);
	ck_assert(bytes != NULL);
	for (size_t i = 0; i < n * item; i++)
		bytes[i] = (unsigned char)(i / item * 7 + i % item * 41 + 1);
	CHECK_OK(dpr_array_from_memory(bytes, shape, NULL, dtype, test_queue,
				       &x));
	free(bytes);
	return x;
}

static inline dpr_array *sources_make(int which, dpr_dtype dtype)
{
	static const int order[] = { 3, 8, 1, 0, 2, 7, 6, 5, 4 };
	int64_t many[DPR_MAX_RANK];
	dpr_array *x, *y, *z;

	for (int k = 0; k < DPR_MAX_RANK; k++)
		many[k] = k % 7 == 2 ? 2 : 1;
	if (which == LAYOUTS_COUNT + 1)
		return numbered(dpr_shape_of(DPR_MAX_RANK, many), dtype);
	if (which < LAYOUTS_COUNT) {
		x = numbered(DPR_SHAPE(4, 5, 6), dtype);
		y = layouts_make(x, which);
	} else {
		x = numbered(DPR_SHAPE(2, 1, 3, 2, 1, 2, 2, 3, 2), dtype);
		CHECK_OK(dpr_permute_dims(x, order, &z));
		CHECK_OK(dpr_array_view(z, &y, DPR_SLICE(1, DPR_OPEN, -1),
					DPR_ALL, DPR_ALL,
					DPR_SLICE(1, DPR_OPEN, -1)));
		dpr_array_release(z);
	}
	dpr_array_release(x);
	return y;
}

/* Dtypes with elements of 1, 2, 4, 8 and 16 bytes. */
static const dpr_dtype sizes_dtype[] = { DPR_UINT8, DPR_INT16, DPR_FLOAT32,
					 DPR_INT64, DPR_COMPLEX128 };
#define SIZES_COUNT 5

#endif
