/* SPDX-License-Identifier: Apache-2.0 */
/* unit_faults_shapes.c - the functions of shapes.h and indexing.h with
   faults. */
#include "tests/support/faults.h"

/* Check that @x has @n elements, begins with @first and ends with @last.  Then
   release @x. */
static dpr_status ends(dpr_status status, dpr_array *x, int64_t n,
		       int32_t first, int32_t last)
{
	int32_t have[256] = { 0 };

	MADE(status, x);
	if (!status)
		status = dpr_array_to_memory(x, have, sizeof(have), NULL);
	if (!status) {
		ck_assert_int_eq(dpr_array_size(x), n);
		ck_assert_int_eq(have[0], first);
		ck_assert_int_eq(have[n - 1], last);
	}
	dpr_array_release(x);
	return status;
}

static dpr_status try_flip(void)
{
	dpr_array *x, *y = NULL;
	dpr_status status = dpr_flip(matrix, NULL, &x);

	MADE(status, x);
	if (!status)
		status = dpr_rot90(x, 2, NULL, &y);
	dpr_array_release(x);
	return ends(status, y, 42, 0, 41);
}

static dpr_status try_axes(void)
{
	dpr_array *x, *y = NULL, *z = NULL;
	dpr_status status = dpr_moveaxis(matrix, DPR_AXES(0), DPR_AXES(1), &x);

	MADE(status, x);
	if (!status) {
		status = dpr_swapaxes(x, 0, 1, &y);
		MADE(status, y);
	}
	dpr_array_release(x);
	if (!status) {
		status = dpr_atleast_3d(y, &z);
		MADE(status, z);
	}
	dpr_array_release(y);
	if (status)
		return status;
	status = dpr_squeeze(z, DPR_AXES(2), &y);
	dpr_array_release(z);
	return ends(status, y, 42, 0, 41);
}

static dpr_status try_atleast(void)
{
	dpr_array *x, *y = NULL;
	dpr_status status = dpr_atleast_1d(matrix, &x);

	MADE(status, x);
	if (!status)
		status = dpr_atleast_2d(x, &y);
	dpr_array_release(x);
	return ends(status, y, 42, 0, 41);
}

static dpr_status try_diagonal(void)
{
	dpr_array *x;
	dpr_status status = dpr_diagonal(matrix, 1, &x);

	return ends(status, x, 6, 1, 41);
}

/* Roll four axes, which takes two passes. */
static dpr_status try_roll(void)
{
	const int64_t shift[] = { 1, 1, 1, 1 };
	dpr_array *x, *y = NULL;
	dpr_status status = dpr_array_view(matrix, &x, DPR_SLICE(0, 2, 1),
					   DPR_SLICE(0, 6, 1));

	if (!status)
		status = dpr_reshape(x, DPR_SHAPE(2, 1, 2, 3), &y);
	dpr_array_release(x);
	if (status)
		return status;
	status = dpr_roll(y, shift, DPR_AXES(0, 1, 2, 3), &x);
	dpr_array_release(y);
	return ends(status, x, 12, 12, 1);
}

/* Roll all elements in C order.  The array is copied for this. */
static dpr_status try_roll_flat(void)
{
	const int64_t shift = -1;
	dpr_array *x;
	dpr_status status = dpr_roll(transposed, &shift, NULL, &x);

	return ends(status, x, 42, 7, 0);
}

static dpr_status try_tile(void)
{
	dpr_array *x;
	dpr_status status = dpr_tile(matrix, DPR_SHAPE(2, 2), &x);

	return ends(status, x, 168, 0, 41);
}

static dpr_status try_repeat(void)
{
	dpr_array *x;
	dpr_status status = dpr_repeat(transposed, 3, DPR_AXIS_NONE, &x);

	return ends(status, x, 126, 0, 41);
}

static dpr_status try_pad(void)
{
	const dpr_shape width = DPR_SHAPE(1, 0, 0, 2);
	dpr_array *x;
	dpr_status status = dpr_pad(matrix, width, DPR_PAD_CONSTANT, 3, &x);

	status = ends(status, x, 63, 3, 3);
	if (status)
		return status;
	status = dpr_pad(transposed, width, DPR_PAD_REFLECT, 0, &x);
	return ends(status, x, 64, 1, 27);
}

static dpr_status try_triangles(void)
{
	dpr_array *x;
	dpr_status status = dpr_tril(matrix, 0, &x);

	status = ends(status, x, 42, 0, 0);
	if (status)
		return status;
	status = dpr_triu(matrix, 0, &x);
	return ends(status, x, 42, 0, 41);
}

static dpr_status try_stack(void)
{
	const dpr_array *two[] = { matrix, matrix };
	dpr_array *x;
	dpr_status status = dpr_stack(two, 2, 1, &x);

	return ends(status, x, 84, 0, 41);
}

static dpr_status try_concat_flat(void)
{
	const dpr_array *two[] = { transposed, matrix };
	dpr_array *x;
	dpr_status status = dpr_concat(two, 2, DPR_AXIS_NONE, &x);

	return ends(status, x, 84, 0, 41);
}

/* Drop two results.  After a failure both are NULL. */
static dpr_status dropped(dpr_status status, dpr_array *const *out)
{
	for (int i = 0; i < 2; i++) {
		MADE(status, out[i]);
		dpr_array_release(out[i]);
	}
	return status;
}

static dpr_status try_lists(void)
{
	dpr_array *out[2] = { matrix, matrix }, *x, *line = NULL;
	const dpr_array *two[2];
	dpr_status status = dropped(dpr_split(matrix, 0, NULL, out, 2), out);

	if (!status)
		status = dpr_array_view(matrix, &x, DPR_SLICE(0, 2, 1));
	if (status)
		return status;
	status = dropped(dpr_unstack(x, 0, out, 2), out);
	dpr_array_release(x);
	if (!status)
		status = dpr_array_view(matrix, &line, DPR_AT(0));
	two[0] = two[1] = line;
	if (!status)
		status = dropped(dpr_meshgrid(two, 2, DPR_INDEXING_XY, out),
				 out);
	two[1] = matrix;
	if (!status)
		status = dropped(dpr_broadcast_arrays(two, 2, out), out);
	dpr_array_release(line);
	return status;
}

/* Check that @x begins with @first and ends with @last, of @n elements.  Then
   release @x and @indices. */
static dpr_status took(dpr_status status, dpr_array *x, dpr_array *indices,
		       int64_t n, int32_t first, int32_t last)
{
	status = ends(status, x, n, first, last);
	dpr_array_release(indices);
	return status;
}

/* Check that @x, a copy of the matrix that a function has written to, begins
   with @first and ends with @last.  Then release @x and @indices. */
static dpr_status written(dpr_status status, dpr_array *x, dpr_array *indices,
			  int32_t first, int32_t last)
{
	if (!status)
		return took(status, x, indices, 42, first, last);
	dpr_array_release(x);
	dpr_array_release(indices);
	return status;
}

/* An index out of range is found by a reduction. */
static dpr_status try_take(void)
{
	const int16_t list[] = { -1, 0 };
	dpr_array *i, *x = NULL;
	dpr_status status = dpr_array_from_memory(list, DPR_SHAPE(2), NULL,
						  DPR_INT16, q1, &i);

	if (status)
		return status;
	status = dpr_take(matrix, i, 1, DPR_BOUNDS_CHECK, &x);
	return took(status, x, i, 12, 6, 35);
}

static dpr_status try_take_wrong(void)
{
	const int16_t list[] = { 6, 7 };
	dpr_array *i, *x = NULL;
	dpr_status status = dpr_array_from_memory(list, DPR_SHAPE(2), NULL,
						  DPR_INT16, q1, &i);

	if (status)
		return status;
	status = dpr_take(matrix, i, 1, DPR_BOUNDS_CHECK, &x);
	dpr_array_release(i);
	ck_assert_int_ne(status, DPR_OK);
	return status == DPR_ERROR_INDEX ? DPR_OK : status;
}

static dpr_status try_take_over(void)
{
	dpr_array *i, *x = NULL;
	dpr_status status = dpr_ones(DPR_SHAPE(6, 7), DPR_UINT8, q1, &i);

	if (status)
		return status;
	status = dpr_copy(matrix, &x);
	MADE(status, x);
	if (!status)
		status = dpr_take_along_axis_into(x, i, -1, DPR_BOUNDS_CLIP, x);
	return written(status, x, i, 1, 36);
}

static dpr_status try_along(void)
{
	dpr_array *i, *x = NULL;
	dpr_status status = dpr_ones(DPR_SHAPE(6, 1), DPR_UINT8, q1, &i);

	if (status)
		return status;
	status = dpr_take_along_axis(matrix, i, 1, DPR_BOUNDS_CHECK, &x);
	return took(status, x, i, 6, 1, 36);
}

/* Five arrays take two launches. */
static dpr_status try_index_arrays(void)
{
	const dpr_index all[] = { DPR_ALL, DPR_ALL, DPR_ALL, DPR_ALL, DPR_ALL };
	dpr_array *i, *five = NULL, *x = NULL;
	dpr_status status = dpr_zeros(DPR_SHAPE(3), DPR_INT64, q1, &i);
	const dpr_array *arrays[] = { i, i, i, i, i };

	if (status)
		return status;
	status = dpr_reshape(matrix, DPR_SHAPE(2, 3, 1, 7, 1), &five);
	if (!status)
		status = dpr_array_index_arrays(five, all, arrays, 5,
						DPR_BOUNDS_WRAP, &x);
	dpr_array_release(five);
	return took(status, x, i, 3, 0, 0);
}

static dpr_status try_put(void)
{
	const int16_t list[] = { -1, 0 };
	dpr_array *i, *x = NULL;
	dpr_status status = dpr_array_from_memory(list, DPR_SHAPE(2), NULL,
						  DPR_INT16, q1, &i);

	if (status)
		return status;
	status = dpr_copy(matrix, &x);
	MADE(status, x);
	if (!status)
		status = dpr_put(x, i, 77, 1, DPR_BOUNDS_CHECK);
	return written(status, x, i, 77, 77);
}

/* The values are elements of the array itself. */
static dpr_status try_put_over(void)
{
	dpr_array *i, *x = NULL, *last = NULL;
	dpr_status status = dpr_zeros(DPR_SHAPE(6, 1), DPR_UINT8, q1, &i);

	if (status)
		return status;
	status = dpr_copy(matrix, &x);
	MADE(status, x);
	if (!status)
		status = dpr_array_view(x, &last, DPR_ALL, DPR_SLICE(6, 7, 1));
	if (!status)
		status = dpr_put_along_axis(x, i, last, -1, DPR_BOUNDS_CLIP);
	dpr_array_release(last);
	return written(status, x, i, 6, 41);
}

static dpr_status try_set_mask(void)
{
	dpr_array *i, *x = NULL;
	dpr_status status = dpr_ones(DPR_SHAPE(6), DPR_BOOL, q1, &i);

	if (status)
		return status;
	status = dpr_copy(matrix, &x);
	MADE(status, x);
	if (!status)
		status = dpr_array_set_mask(x, i, 5);
	return written(status, x, i, 5, 5);
}

static const struct attempt list[] = {
	{ "flip", try_flip },
	{ "axes", try_axes },
	{ "atleast", try_atleast },
	{ "diagonal", try_diagonal },
	{ "roll", try_roll },
	{ "roll flat", try_roll_flat },
	{ "tile", try_tile },
	{ "repeat", try_repeat },
	{ "pad", try_pad },
	{ "triangles", try_triangles },
	{ "stack", try_stack },
	{ "concat flat", try_concat_flat },
	{ "lists", try_lists },
	{ "take", try_take },
	{ "take wrong", try_take_wrong },
	{ "take over", try_take_over },
	{ "along", try_along },
	{ "index arrays", try_index_arrays },
	{ "put", try_put },
	{ "put over", try_put_over },
	{ "set mask", try_set_mask },
};

int main(void)
{
	return run_faults(list, sizeof(list) / sizeof(*list), NULL);
}
