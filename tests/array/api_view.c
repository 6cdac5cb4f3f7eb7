/* SPDX-License-Identifier: Apache-2.0 */
/* Views: the elements that they show, the memory that they share with the
   array, and wrong indices. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

/* Make an int32 array of @shape with elements 0, 1, 2, ... */
static dpr_array *count_up(dpr_shape shape)
{
	int32_t values[256];
	dpr_array *x;

	for (int i = 0; i < 256; i++)
		values[i] = i;
	CHECK_OK(dpr_array_from_memory(values, shape, NULL, DPR_INT32,
				       test_queue, &x));
	return x;
}

static void check_values(const dpr_array *x, size_t n, const int32_t *want)
{
	int32_t have[256] = { 0 };

	ck_assert_int_eq(dpr_array_size(x), (int64_t)n);
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, want, n * sizeof(*have));
}

#define VALUES(x, ...)                                                     \
	check_values((x),                                                  \
		     sizeof((int32_t[]){ __VA_ARGS__ }) / sizeof(int32_t), \
		     (int32_t[]){ __VA_ARGS__ })

static void check_shape(const dpr_array *x, int rank, const int64_t *dim)
{
	ck_assert_int_eq(dpr_array_rank(x), rank);
	for (int k = 0; k < rank; k++)
		ck_assert_int_eq(dpr_array_shape(x)[k], dim[k]);
}

#define SHAPE(x, ...)                                                          \
	check_shape((x), sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), \
		    (int64_t[]){ __VA_ARGS__ })

START_TEST(indexing_gives_views)
{
	dpr_array *x = count_up(DPR_SHAPE(3, 4)), *y;

	CHECK_OK(dpr_array_view(x, &y, DPR_AT(-1), DPR_SLICE(0, 4, 2)));
	SHAPE(y, 2);
	VALUES(y, 8, 10);
	ck_assert_ptr_eq(dpr_array_usm(y), dpr_array_usm(x));
	ck_assert_ptr_eq(dpr_array_queue(y), test_queue);
	ck_assert_int_eq(dpr_array_offset(y), 8);
	ck_assert_int_eq(dpr_array_strides(y)[0], 2);
	ck_assert(!dpr_array_is_contiguous(y));
	dpr_array_release(y);
	CHECK_OK(dpr_array_view(x, &y, DPR_ELLIPSIS,
				DPR_SLICE(DPR_OPEN, DPR_OPEN, -1)));
	VALUES(y, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8);
	dpr_array_release(y);
	CHECK_OK(dpr_array_view(x, &y, DPR_NEW_AXIS, DPR_AT(1), DPR_AT(2)));
	SHAPE(y, 1);
	VALUES(y, 6);
	dpr_array_release(y);
	/* A view of no elements has no allocation. */
	CHECK_OK(dpr_array_view(x, &y, DPR_SLICE(2, 1, 1)));
	SHAPE(y, 0, 4);
	ck_assert_ptr_null(dpr_array_usm(y));
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

START_TEST(views_keep_the_memory_alive)
{
	dpr_array *x = count_up(DPR_SHAPE(2, 3)), *y, *z;

	CHECK_OK(dpr_array_view(x, &y, DPR_AT(1)));
	dpr_array_release(x);
	CHECK_OK(dpr_array_view(y, &z, DPR_SLICE(1, 3, 1)));
	dpr_array_release(y);
	VALUES(z, 4, 5);
	dpr_array_release(z);
}
END_TEST

START_TEST(views_of_views_and_of_scalars)
{
	dpr_array *x = count_up(DPR_SHAPE(5, 6)), *y, *z, *s;

	CHECK_OK(dpr_array_view(x, &y, DPR_SLICE(4, DPR_OPEN, -2),
				DPR_SLICE(1, DPR_OPEN, 2)));
	VALUES(y, 25, 27, 29, 13, 15, 17, 1, 3, 5);
	CHECK_OK(dpr_array_view(y, &z, DPR_SLICE(DPR_OPEN, DPR_OPEN, -2),
				DPR_AT(1)));
	VALUES(z, 3, 27);
	CHECK_OK(dpr_array_view(z, &s, DPR_AT(0)));
	ck_assert_int_eq(dpr_array_rank(s), 0);
	VALUES(s, 3);
	dpr_array_release(z);
	CHECK_OK(dpr_array_index(s, NULL, 0, &z));
	VALUES(z, 3);
	dpr_array_release(z);
	CHECK_OK(dpr_array_view(s, &z, DPR_ELLIPSIS, DPR_NEW_AXIS));
	SHAPE(z, 1);
	dpr_array_release(z);
	dpr_array_release(s);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

START_TEST(bad_indices_are_refused)
{
	dpr_array *x = count_up(DPR_SHAPE(3, 4)), *y = x;

	CHECK_FAILS(DPR_ERROR_INDEX, dpr_array_view(x, &y, DPR_AT(3)));
	ck_assert_ptr_null(y);
	ck_assert_str_eq(dpr_last_error(),
			 "index: 3 is out of range for axis 0 of extent 3");
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_array_view(x, &y, DPR_SLICE(0, 1, 0)));
	CHECK_FAILS(DPR_ERROR_INDEX,
		    dpr_array_view(x, &y, DPR_ALL, DPR_ALL, DPR_ALL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_index(x, NULL, 2, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_view(NULL, &y, DPR_ALL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_view(x, NULL, DPR_ALL));
	dpr_array_release(x);
}
END_TEST

START_TEST(reshape_views_or_copies)
{
	dpr_array *x = count_up(DPR_SHAPE(2, 6)), *y, *t;

	CHECK_OK(dpr_reshape(x, DPR_SHAPE(3, -1), &y));
	SHAPE(y, 3, 4);
	ck_assert_ptr_eq(dpr_array_usm(y), dpr_array_usm(x));
	VALUES(y, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
	dpr_array_release(y);
	CHECK_OK(dpr_matrix_transpose(x, &t));
	CHECK_OK(dpr_reshape(t, DPR_SHAPE(2, 3, 2), &y));
	ck_assert_ptr_eq(dpr_array_usm(y), dpr_array_usm(x));
	VALUES(y, 0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11);
	dpr_array_release(y);
	CHECK_OK(dpr_reshape(t, DPR_SHAPE(4, 3), &y));
	ck_assert_ptr_ne(dpr_array_usm(y), dpr_array_usm(x));
	ck_assert(dpr_array_is_contiguous(y));
	VALUES(y, 0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11);
	dpr_array_release(y);
	dpr_array_release(t);
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_reshape(x, DPR_SHAPE(5), &y));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_reshape(x, DPR_SHAPE(5, -1), &y));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_reshape(x, DPR_SHAPE(-1, -1), &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_reshape(x, DPR_SHAPE(-2, -6), &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_reshape(x, dpr_shape_of(33, NULL), &y));
	dpr_array_release(x);
}
END_TEST

START_TEST(reshape_copies_on_demand)
{
	dpr_array *x = count_up(DPR_SHAPE(2, 6)), *y = x, *t;

	CHECK_OK(dpr_reshape_copy(x, DPR_SHAPE(3, -1), DPR_COPY_ALWAYS, &y));
	SHAPE(y, 3, 4);
	ck_assert_ptr_ne(dpr_array_usm(y), dpr_array_usm(x));
	VALUES(y, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
	dpr_array_release(y);
	CHECK_OK(dpr_reshape_copy(x, DPR_SHAPE(3, -1), DPR_COPY_NEVER, &y));
	ck_assert_ptr_eq(dpr_array_usm(y), dpr_array_usm(x));
	dpr_array_release(y);
	CHECK_OK(dpr_matrix_transpose(x, &t));
	y = x;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_reshape_copy(t, DPR_SHAPE(4, 3), DPR_COPY_NEVER, &y));
	ck_assert_ptr_null(y);
	ck_assert_str_eq(dpr_last_error(),
			 "reshape: the strides of the array do not allow a "
			 "view of this shape; allow a copy");
	CHECK_OK(dpr_reshape_copy(t, DPR_SHAPE(4, 3), DPR_COPY_IF_NEEDED, &y));
	VALUES(y, 0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11);
	dpr_array_release(y);
	y = x;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_reshape_copy(x, DPR_SHAPE(12), (dpr_copy_mode)7, &y));
	ck_assert_ptr_null(y);
	CHECK_FAILS(DPR_ERROR_SHAPE,
		    dpr_reshape_copy(x, DPR_SHAPE(5), DPR_COPY_NEVER, &y));
	dpr_array_release(t);
	dpr_array_release(x);
}
END_TEST

START_TEST(reshape_of_nothing_and_of_one)
{
	dpr_array *x = count_up(DPR_SHAPE(0, 6)), *y;

	CHECK_OK(dpr_reshape(x, DPR_SHAPE(3, -1), &y));
	SHAPE(y, 3, 0);
	dpr_array_release(y);
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_reshape(x, DPR_SHAPE(0, -1), &y));
	dpr_array_release(x);
	x = count_up(DPR_SHAPE(1, 1));
	CHECK_OK(dpr_reshape(x, DPR_SCALAR_SHAPE, &y));
	ck_assert_int_eq(dpr_array_rank(y), 0);
	VALUES(y, 0);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

START_TEST(axes_are_permuted)
{
	const int order[] = { 2, 0, -2 }, twice[] = { 0, 1, 0 };
	const int far[] = { 0, 1, 3 };
	dpr_array *x = count_up(DPR_SHAPE(2, 3, 4)), *y;

	CHECK_OK(dpr_permute_dims(x, order, &y));
	SHAPE(y, 4, 2, 3);
	ck_assert_int_eq(dpr_array_strides(y)[0], 1);
	ck_assert_int_eq(dpr_array_strides(y)[1], 12);
	ck_assert_int_eq(dpr_array_strides(y)[2], 4);
	dpr_array_release(y);
	CHECK_OK(dpr_permute_dims(x, NULL, &y));
	SHAPE(y, 4, 3, 2);
	dpr_array_release(y);
	CHECK_OK(dpr_matrix_transpose(x, &y));
	SHAPE(y, 2, 4, 3);
	dpr_array_release(y);
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_permute_dims(x, twice, &y));
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_permute_dims(x, far, &y));
	CHECK_OK(dpr_array_view(x, &y, DPR_AT(0), DPR_AT(0)));
	dpr_array_release(x);
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_matrix_transpose(y, &x));
	dpr_array_release(y);
}
END_TEST

START_TEST(broadcasting_repeats_without_memory)
{
	dpr_array *x = count_up(DPR_SHAPE(3, 1)), *y;

	CHECK_OK(dpr_broadcast_to(x, DPR_SHAPE(2, 3, 2), &y));
	ck_assert_ptr_eq(dpr_array_usm(y), dpr_array_usm(x));
	VALUES(y, 0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2);
	dpr_array_release(y);
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_broadcast_to(x, DPR_SHAPE(2, 2), &y));
	ck_assert_str_eq(dpr_last_error(), "broadcast to: shape (3, 1) does "
					   "not broadcast to (2, 2)");
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_broadcast_to(x, DPR_SHAPE(3), &y));
	CHECK_FAILS(DPR_ERROR_OVERFLOW,
		    dpr_broadcast_to(x, DPR_SHAPE(INT64_MAX, 3, 2), &y));
	dpr_array_release(x);
}
END_TEST

START_TEST(axes_of_extent_one_come_and_go)
{
	dpr_array *x = count_up(DPR_SHAPE(2, 3)), *y, *z;

	CHECK_OK(dpr_expand_dims(x, 1, &y));
	SHAPE(y, 2, 1, 3);
	CHECK_OK(dpr_squeeze(y, DPR_AXES(-2), &z));
	SHAPE(z, 2, 3);
	VALUES(z, 0, 1, 2, 3, 4, 5);
	dpr_array_release(z);
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_squeeze(y, DPR_AXES(0), &z));
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_squeeze(y, DPR_AXES(3), &z));
	dpr_array_release(y);
	CHECK_OK(dpr_expand_dims(x, -1, &y));
	SHAPE(y, 2, 3, 1);
	dpr_array_release(y);
	CHECK_OK(dpr_expand_dims(x, -3, &y));
	SHAPE(y, 1, 2, 3);
	dpr_array_release(y);
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_expand_dims(x, 3, &y));
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_expand_dims(x, -4, &y));
	dpr_array_release(x);
}
END_TEST

START_TEST(assignment_reaches_the_viewed_elements)
{
	dpr_array *x = count_up(DPR_SHAPE(3, 4)), *y, *z;

	CHECK_OK(dpr_array_view(x, &y, DPR_ALL, DPR_SLICE(1, 3, 1)));
	CHECK_OK(dpr_copy_into(y, -1));
	VALUES(x, 0, -1, -1, 3, 4, -1, -1, 7, 8, -1, -1, 11);
	dpr_array_release(y);
	/* Copy one row into all rows, then a row into itself reversed. */
	CHECK_OK(dpr_array_view(x, &y, DPR_AT(2)));
	CHECK_OK(dpr_copy_into(x, y));
	VALUES(x, 8, -1, -1, 11, 8, -1, -1, 11, 8, -1, -1, 11);
	CHECK_OK(dpr_array_view(y, &z, DPR_SLICE(DPR_OPEN, DPR_OPEN, -1)));
	CHECK_OK(dpr_copy_into(y, z));
	VALUES(y, 11, -1, -1, 8);
	CHECK_OK(dpr_copy_into(y, y));
	VALUES(y, 11, -1, -1, 8);
	dpr_array_release(z);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

START_TEST(bad_assignments_are_refused)
{
	dpr_array *x = count_up(DPR_SHAPE(2, 3)), *wide, *small;
	float pair[] = { 1, 2 };

	CHECK_OK(dpr_broadcast_to(x, DPR_SHAPE(4, 2, 3), &wide));
	CHECK_FAILS(DPR_ERROR_LAYOUT, dpr_copy_into(wide, 1));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_copy_into(x, wide));
	CHECK_FAILS(DPR_ERROR_OVERFLOW, dpr_copy_into(x, 1LL << 31));
	CHECK_FAILS(DPR_ERROR_DTYPE,
		    dpr_copy_into(x, dpr_operand_complex_parts(1, 0)));
	CHECK_OK(dpr_array_from_memory(pair, DPR_SCALAR_SHAPE, NULL,
				       DPR_COMPLEX64, test_queue, &small));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_copy_into(x, small));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_copy_into(NULL, 1));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_copy_into(x, (dpr_array *)NULL));
	VALUES(x, 0, 1, 2, 3, 4, 5);
	dpr_array_release(small);
	dpr_array_release(wide);
	dpr_array_release(x);
}
END_TEST

START_TEST(concat_joins_along_an_axis)
{
	dpr_array *x = count_up(DPR_SHAPE(2, 2)), *y, *t, *none, *bytes;
	const dpr_array *list[3] = { x };
	const int8_t small[] = { -1, -2 };

	CHECK_OK(dpr_matrix_transpose(x, &t));
	CHECK_OK(dpr_array_view(x, &none, DPR_ALL, DPR_SLICE(0, 0, 1)));
	list[1] = none;
	list[2] = t;
	CHECK_OK(dpr_concat(list, 3, -1, &y));
	SHAPE(y, 2, 4);
	VALUES(y, 0, 1, 0, 2, 2, 3, 1, 3);
	dpr_array_release(y);
	list[1] = t;
	CHECK_OK(dpr_concat(list, 2, 0, &y));
	SHAPE(y, 4, 2);
	VALUES(y, 0, 1, 2, 3, 0, 2, 1, 3);
	dpr_array_release(y);
	/* Inputs of different dtypes are promoted. */
	CHECK_OK(dpr_array_from_memory(small, DPR_SHAPE(1, 2), NULL, DPR_INT8,
				       test_queue, &bytes));
	list[0] = bytes;
	CHECK_OK(dpr_concat(list, 2, 0, &y));
	ck_assert_int_eq(dpr_array_dtype(y), DPR_INT32);
	VALUES(y, -1, -2, 0, 2, 1, 3);
	dpr_array_release(y);
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_concat(list, 2, 1, &y));
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_concat(list, 2, 2, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_concat(list, 0, 0, &y));
	dpr_array_release(bytes);
	dpr_array_release(none);
	dpr_array_release(t);
	dpr_array_release(x);
}
END_TEST

static Suite *view_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("view");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, indexing_gives_views);
	tcase_add_test(tcase, views_keep_the_memory_alive);
	tcase_add_test(tcase, views_of_views_and_of_scalars);
	tcase_add_test(tcase, bad_indices_are_refused);
	tcase_add_test(tcase, reshape_views_or_copies);
	tcase_add_test(tcase, reshape_copies_on_demand);
	tcase_add_test(tcase, reshape_of_nothing_and_of_one);
	tcase_add_test(tcase, axes_are_permuted);
	tcase_add_test(tcase, broadcasting_repeats_without_memory);
	tcase_add_test(tcase, axes_of_extent_one_come_and_go);
	tcase_add_test(tcase, assignment_reaches_the_viewed_elements);
	tcase_add_test(tcase, bad_assignments_are_refused);
	tcase_add_test(tcase, concat_joins_along_an_axis);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(view_suite, NULL);
}
