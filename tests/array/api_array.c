/* SPDX-License-Identifier: Apache-2.0 */
/* api_array.c - array objects: their properties, and wrong calls. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

START_TEST(values_passed_by_value_keep_their_sizes)
{
	ck_assert_uint_eq(sizeof(dpr_shape), 16);
	ck_assert_uint_eq(sizeof(dpr_operand), 24);
	ck_assert_uint_eq(sizeof(dpr_index), 32);
	ck_assert_uint_eq(sizeof(dpr_events), 16);
	ck_assert_uint_eq(sizeof(dpr_arg), 32);
	ck_assert_uint_eq(sizeof(dpr_range), 56);
	ck_assert_uint_eq(sizeof(dpr_strided), 144);
	ck_assert_uint_eq(sizeof(dpr_status), 4);
	ck_assert_uint_eq(sizeof(dpr_dtype), 4);
}
END_TEST

START_TEST(an_array_knows_what_it_is)
{
	dpr_array *x, *y;

	CHECK_OK(dpr_empty(DPR_SHAPE(2, 3, 4), DPR_INT16, test_queue, &x));
	ck_assert_int_eq(dpr_array_dtype(x), DPR_INT16);
	ck_assert_int_eq(dpr_array_rank(x), 3);
	ck_assert_int_eq(dpr_array_shape(x)[0], 2);
	ck_assert_int_eq(dpr_array_shape(x)[2], 4);
	ck_assert_int_eq(dpr_array_strides(x)[0], 12);
	ck_assert_int_eq(dpr_array_strides(x)[2], 1);
	ck_assert_int_eq(dpr_array_offset(x), 0);
	ck_assert_int_eq(dpr_array_size(x), 24);
	ck_assert_uint_eq(dpr_array_itemsize(x), 2);
	ck_assert(dpr_array_is_contiguous(x));
	ck_assert_ptr_nonnull(dpr_array_usm(x));
	ck_assert_uint_ge(dpr_usm_size(dpr_array_usm(x)), 48);
	ck_assert_ptr_eq(dpr_array_queue(x), test_queue);
	ck_assert_ptr_eq(dpr_array_device(x), test_device);
	ck_assert_int_eq(dpr_array_kind(x), DPR_USM_DEVICE);
	CHECK_OK(dpr_array_wait(x));
	ck_assert_ptr_eq(dpr_array_retain(x), x);
	dpr_array_release(x);
	CHECK_OK(dpr_empty_like(x, DPR_DTYPE_DEFAULT, &y));
	ck_assert_int_eq(dpr_array_dtype(y), DPR_INT16);
	ck_assert_ptr_ne(dpr_array_usm(y), dpr_array_usm(x));
	dpr_array_release(y);
	dpr_array_release(x);
	dpr_array_release(NULL);
}
END_TEST

START_TEST(null_has_no_properties)
{
	ck_assert_int_eq(dpr_array_rank(NULL), 0);
	ck_assert_int_eq(dpr_array_size(NULL), 0);
	ck_assert_ptr_null(dpr_array_shape(NULL));
	ck_assert_ptr_null(dpr_array_usm(NULL));
	ck_assert_ptr_null(dpr_array_queue(NULL));
	ck_assert_ptr_null(dpr_array_device(NULL));
	ck_assert_ptr_null(dpr_array_retain(NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_array_wait(NULL));
}
END_TEST

START_TEST(nothing_needs_no_memory)
{
	dpr_array *x, *y;
	dpr_operand item;

	CHECK_OK(dpr_empty(DPR_SHAPE(0, INT64_MAX, INT64_MAX), DPR_FLOAT64,
			   test_queue, &x));
	ck_assert_int_eq(dpr_array_size(x), 0);
	ck_assert_ptr_null(dpr_array_usm(x));
	ck_assert(dpr_array_is_contiguous(x));
	CHECK_OK(dpr_array_wait(x));
	CHECK_OK(dpr_array_to_memory(x, NULL, 0, NULL));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_array_item(x, &item));
	CHECK_OK(dpr_copy(x, &y));
	CHECK_OK(dpr_copy_into(y, x));
	CHECK_OK(dpr_copy_into(y, 1));
	dpr_array_release(y);
	dpr_array_release(x);
	CHECK_OK(dpr_array_from_memory(NULL, DPR_SHAPE(3, 0), NULL, DPR_INT8,
				       test_queue, &x));
	dpr_array_release(x);
}
END_TEST

START_TEST(kinds_are_what_was_asked_for)
{
	static const struct {
		dpr_usm_kind kind;
		const char *aspect;
	} kinds[] = { { DPR_USM_DEVICE, "usm_device" },
		      { DPR_USM_SHARED, "usm_shared" },
		      { DPR_USM_HOST, "usm_host" } };
	const int32_t values[] = { 1, 2, 3 };
	dpr_array *x, *y;
	int32_t back[3];

	for (size_t i = 0; i < 3; i++) {
		dpr_status status = dpr_array_from_memory_on(
			values, DPR_SHAPE(3), NULL, DPR_INT32, test_queue,
			kinds[i].kind, &x);

		if (!dpr_device_has(test_device, kinds[i].aspect)) {
			ck_assert_int_eq(status, DPR_ERROR_UNSUPPORTED);
			ck_assert_ptr_null(x);
			continue;
		}
		CHECK_OK(status);
		ck_assert_int_eq(dpr_array_kind(x), kinds[i].kind);
		CHECK_OK(dpr_copy(x, &y));
		ck_assert_int_eq(dpr_array_kind(y), kinds[i].kind);
		CHECK_OK(dpr_array_to_memory(y, back, sizeof(back), NULL));
		ck_assert_mem_eq(back, values, sizeof(back));
		dpr_array_release(y);
		dpr_array_release(x);
	}
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_empty_on(DPR_SHAPE(3), DPR_INT8, test_queue,
				 (dpr_usm_kind)9, &x));
}
END_TEST

enum creation { ZEROS, ONES, ARANGE, LINSPACE, EYE, CREATIONS };

/* Make 12 elements with the function that @how names: the *_on() form, with
   memory of kind @kind. */
static dpr_status create_on(enum creation how, dpr_queue *queue,
			    dpr_usm_kind kind, dpr_array **out)
{
	switch (how) {
	case ZEROS:
		return dpr_zeros_on(DPR_SHAPE(3, 4), DPR_INT32, queue, kind,
				    out);
	case ONES:
		return dpr_ones_on(DPR_SHAPE(3, 4), DPR_INT32, queue, kind,
				   out);
	case ARANGE:
		return dpr_arange_on(5, 29, 2, DPR_INT32, queue, kind, out);
	case LINSPACE:
		return dpr_linspace_on(-1, 10, 12, true, DPR_FLOAT32, queue, kind,
				       out);
	default: return dpr_eye_on(3, 4, 1, DPR_INT32, queue, kind, out);
	}
}

static dpr_status create(enum creation how, dpr_queue *queue, dpr_array **out)
{
	switch (how) {
	case ZEROS: return dpr_zeros(DPR_SHAPE(3, 4), DPR_INT32, queue, out);
	case ONES: return dpr_ones(DPR_SHAPE(3, 4), DPR_INT32, queue, out);
	case ARANGE: return dpr_arange(5, 29, 2, DPR_INT32, queue, out);
	case LINSPACE: return dpr_linspace(-1, 10, 12, DPR_FLOAT32, queue, out);
	default: return dpr_eye(3, 4, 1, DPR_INT32, queue, out);
	}
}

/* The value that element @i of such an array must have. */
static int created(enum creation how, int i)
{
	switch (how) {
	case ZEROS: return 0;
	case ONES: return 1;
	case ARANGE: return 5 + 2 * i;
	case LINSPACE: return i - 1;
	default: return i % 4 == i / 4 + 1;
	}
}

/* Check that @x equals what create() makes but is on @queue and of @kind.
   Releases @x. */
static void check_created(enum creation how, dpr_array *x, dpr_queue *queue,
			  dpr_usm_kind kind)
{
	union {
		int32_t whole[12];
		float real[12];
	} all, same;
	dpr_array *y;

	CHECK_OK(create(how, test_queue, &y));
	ck_assert_int_eq(dpr_array_kind(y), DPR_USM_DEVICE);
	ck_assert_int_eq(dpr_array_kind(x), kind);
	ck_assert_ptr_eq(dpr_array_queue(x), queue);
	ck_assert_int_eq(dpr_array_dtype(x), dpr_array_dtype(y));
	ck_assert_int_eq(dpr_array_rank(x), dpr_array_rank(y));
	ck_assert_mem_eq(dpr_array_shape(x), dpr_array_shape(y),
			 (size_t)dpr_array_rank(x) * sizeof(int64_t));
	ck_assert_int_eq(dpr_array_size(x), 12);
	memset(&all, 0xaa, sizeof(all));
	CHECK_OK(dpr_array_to_memory(x, &all, sizeof(all), NULL));
	CHECK_OK(dpr_array_to_memory(y, &same, sizeof(same), NULL));
	ck_assert_mem_eq(&all, &same, sizeof(all));
	for (int i = 0; i < 12; i++)
		ck_assert(how == LINSPACE
				  ? fabsf(all.real[i] -
					  (float)created(how, i)) < 1e-5f
				  : all.whole[i] == created(how, i));
	dpr_array_release(y);
	dpr_array_release(x);
}

START_TEST(creation_takes_a_kind_and_a_queue)
{
	static const struct {
		dpr_usm_kind kind;
		const char *aspect;
	} kinds[] = { { DPR_USM_DEVICE, "usm_device" },
		      { DPR_USM_SHARED, "usm_shared" },
		      { DPR_USM_HOST, "usm_host" } };
	enum creation how = (enum creation)_i;
	dpr_queue *queue;
	dpr_array *x;

	CHECK_OK(dpr_queue_create(test_device, 0, &queue));
	for (size_t i = 0; i < 3; i++) {
		dpr_status status =
			create_on(how, test_queue, kinds[i].kind, &x);

		if (!dpr_device_has(test_device, kinds[i].aspect)) {
			ck_assert_int_eq(status, DPR_ERROR_UNSUPPORTED);
			ck_assert_ptr_null(x);
			continue;
		}
		CHECK_OK(status);
		check_created(how, x, test_queue, kinds[i].kind);
		CHECK_OK(create_on(how, queue, kinds[i].kind, &x));
		check_created(how, x, queue, kinds[i].kind);
	}
	x = (dpr_array *)test_queue;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    create_on(how, queue, (dpr_usm_kind)9, &x));
	ck_assert_ptr_null(x);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    create_on(how, queue, DPR_USM_DEVICE, NULL));
	dpr_queue_release(queue);
}
END_TEST

START_TEST(bad_shapes_and_dtypes_are_refused)
{
	int64_t many[33];
	dpr_array *x;

	for (int i = 0; i < 33; i++)
		many[i] = 1;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_empty(DPR_SHAPE(2, -1), DPR_INT8, test_queue, &x));
	ck_assert_str_eq(dpr_last_error(),
			 "empty: axis 1 has the negative extent -1");
	CHECK_FAILS(
		DPR_ERROR_INVALID_ARGUMENT,
		dpr_empty(dpr_shape_of(33, many), DPR_INT8, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_empty(dpr_shape_of(1, NULL), DPR_INT8, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_OVERFLOW, dpr_empty(DPR_SHAPE(INT64_MAX, 2),
						  DPR_INT8, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_OVERFLOW, dpr_empty(DPR_SHAPE(INT64_MAX / 2),
						  DPR_INT32, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_DTYPE,
		    dpr_empty(DPR_SHAPE(2), (dpr_dtype)99, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_empty(DPR_SHAPE(2), DPR_INT8, test_queue, NULL));
	CHECK_OK(dpr_empty(dpr_shape_of(32, many), DPR_INT8, test_queue, &x));
	dpr_array_release(x);
	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_empty(DPR_SHAPE(INT64_C(1) << 50), DPR_INT8, test_queue,
			      &x));
	ck_assert_ptr_null(x);
}
END_TEST

START_TEST(arrays_over_memory_one_has)
{
	const int64_t transposed[] = { 1, 3 }, back[] = { -1 }, far[] = { 4 };
	const int64_t huge[] = { INT64_MAX, INT64_MIN, INT64_MAX / 2,
				 INT64_MIN / 2 };
	const int32_t values[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	int32_t have[6];
	dpr_array *x;
	dpr_usm *usm;

	CHECK_OK(dpr_usm_alloc(test_queue, DPR_USM_DEVICE, sizeof(values),
			       &usm));
	CHECK_OK(dpr_usm_write(test_queue, usm, 0, values, sizeof(values), NULL,
			       NULL));
	CHECK_OK(dpr_array_over(usm, 2, DPR_SHAPE(3, 2), transposed, DPR_INT32,
				&x));
	ck_assert_ptr_eq(dpr_array_usm(x), usm);
	ck_assert_int_eq(dpr_array_offset(x), 2);
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, ((int32_t[]){ 2, 5, 3, 6, 4, 7 }), sizeof(have));
	dpr_array_release(x);
	CHECK_OK(dpr_array_over(usm, 3, DPR_SHAPE(4), back, DPR_INT32, &x));
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, ((int32_t[]){ 3, 2, 1, 0 }), 16);
	dpr_array_release(x);
	/* View the same bytes as another dtype. */
	CHECK_OK(dpr_array_over(usm, 4, DPR_SHAPE(2), NULL, DPR_INT16, &x));
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	ck_assert_int_eq(have[0], 2);
	dpr_array_release(x);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_over(usm, 0, DPR_SHAPE(9), NULL, DPR_INT32, &x));
	ck_assert_str_eq(dpr_last_error(),
			 "array over: the array takes elements 0 to 8, but "
			 "the allocation holds only 8, from 0 on");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_over(usm, 2, DPR_SHAPE(4), back, DPR_INT32, &x));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_over(usm, 0, DPR_SHAPE(3), far, DPR_INT32, &x));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_over(usm, -1, DPR_SHAPE(1), NULL, DPR_INT32, &x));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_over(usm, INT64_MAX, DPR_SHAPE(2), NULL,
				   DPR_INT32, &x));
	/* Offsets that do not fit in 64 bits are out of range as well. */
	for (size_t i = 0; i < sizeof(huge) / sizeof(*huge); i++) {
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
			    dpr_array_over(usm, 1, DPR_SHAPE(3), &huge[i],
					   DPR_INT32, &x));
		CHECK_OK(dpr_array_over(usm, INT64_MIN, DPR_SHAPE(0), &huge[i],
					DPR_INT32, &x));
		dpr_array_release(x);
	}
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_over(NULL, 0, DPR_SHAPE(1), NULL, DPR_INT32, &x));
	/* A view of no elements may have any offset. */
	CHECK_OK(dpr_array_over(usm, 99, DPR_SHAPE(0), NULL, DPR_INT32, &x));
	ck_assert_ptr_null(dpr_array_usm(x));
	dpr_array_release(x);
	dpr_usm_release(usm);
}
END_TEST

/* A kernel would read such elements whole, which some processors refuse. */
START_TEST(arrays_over_odd_addresses)
{
	static _Alignas(16) char memory[64];
	dpr_array *x;
	dpr_usm *usm;

	if (strcmp(dpr_device_backend(test_device), "host") != 0)
		return;
	CHECK_OK(dpr_usm_borrow(test_queue, (uintptr_t)memory + 8, 48, 0, NULL,
				NULL, &usm));
	CHECK_FAILS(DPR_ERROR_LAYOUT, dpr_array_over(usm, 0, DPR_SHAPE(3), NULL,
						     DPR_COMPLEX128, &x));
	ck_assert_ptr_null(x);
	CHECK_OK(
		dpr_array_over(usm, 0, DPR_SHAPE(0), NULL, DPR_COMPLEX128, &x));
	dpr_array_release(x);
	CHECK_OK(dpr_array_over(usm, 0, DPR_SHAPE(6), NULL, DPR_FLOAT64, &x));
	dpr_array_release(x);
	dpr_usm_release(usm);
}
END_TEST

START_TEST(items_are_numbers)
{
	const uint64_t big = UINT64_MAX;
	const double parts[] = { 1.5, -2 };
	const uint16_t half = 0xc100;
	const uint8_t yes = 1;
	dpr_operand item;
	dpr_array *x;

#define ITEM(data, dtype)                                                      \
	CHECK_OK(dpr_array_from_memory((data), DPR_SHAPE(1, 1), NULL, (dtype), \
				       test_queue, &x));                       \
	CHECK_OK(dpr_array_item(x, &item));                                    \
	dpr_array_release(x)
	ITEM(&big, DPR_UINT64);
	ck_assert_uint_eq(item.kind, DPR_OPERAND_UINT);
	ck_assert_uint_eq(item.as.u, UINT64_MAX);
	ITEM(&big, DPR_INT64);
	ck_assert_uint_eq(item.kind, DPR_OPERAND_INT);
	ck_assert_int_eq(item.as.i, -1);
	ITEM(&half, DPR_FLOAT16);
	ck_assert_uint_eq(item.kind, DPR_OPERAND_FLOAT);
	ck_assert(item.as.f == -2.5);
	ITEM(&yes, DPR_BOOL);
	ck_assert_uint_eq(item.kind, DPR_OPERAND_BOOL);
	ITEM(parts, DPR_COMPLEX128);
	ck_assert_uint_eq(item.kind, DPR_OPERAND_COMPLEX);
	ck_assert(item.as.c[0] == 1.5 && item.as.c[1] == -2);
	CHECK_OK(dpr_array_from_memory(parts, DPR_SHAPE(2), NULL, DPR_FLOAT64,
				       test_queue, &x));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_array_item(x, &item));
	dpr_array_release(x);
}
END_TEST

START_TEST(result_types_follow_the_standard)
{
	dpr_array *b, *i8, *f16, *c64;
	dpr_operand list[2];
	dpr_dtype t;

	CHECK_OK(dpr_empty(DPR_SHAPE(1), DPR_BOOL, test_queue, &b));
	CHECK_OK(dpr_empty(DPR_SHAPE(1), DPR_INT8, test_queue, &i8));
	CHECK_OK(dpr_empty(DPR_SHAPE(1), DPR_FLOAT16, test_queue, &f16));
	CHECK_OK(dpr_empty(DPR_SHAPE(1), DPR_COMPLEX64, test_queue, &c64));
#define TYPE(a, b, want)                        \
	list[0] = DPR_OPERAND(a);               \
	list[1] = DPR_OPERAND(b);               \
	CHECK_OK(dpr_result_type(list, 2, &t)); \
	ck_assert_int_eq(t, want)
	TYPE(b, (bool)1, DPR_BOOL);
	TYPE(b, 1, DPR_INT64);
	TYPE(b, 1.0, dpr_dtype_default(test_device, 'f'));
	TYPE(i8, 1000, DPR_INT8);
	TYPE(0.5f, i8, dpr_dtype_default(test_device, 'f'));
	TYPE(f16, 1e30, DPR_FLOAT16);
	TYPE(f16, i8, DPR_FLOAT16);
	TYPE(f16, dpr_operand_complex_parts(0, 1), DPR_COMPLEX64);
	TYPE(i8, dpr_operand_complex_parts(0, 1),
	     dpr_dtype_default(test_device, 'c'));
	TYPE(c64, 2.5, DPR_COMPLEX64);
	list[0] = DPR_OPERAND(1);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_result_type(list, 1, &t));
	dpr_array_release(c64);
	dpr_array_release(f16);
	dpr_array_release(i8);
	dpr_array_release(b);
}
END_TEST

START_TEST(casts_go_where_they_may)
{
	const double values[] = { -1.75, 0, 2.5 };
	dpr_array *x, *y, *z;
	double back[3];
	float single[3];
	int8_t small[3];

	if (!dpr_dtype_computes(test_device, DPR_FLOAT64))
		return;
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(3), NULL, DPR_FLOAT64,
				       test_queue, &x));
	CHECK_OK(dpr_astype(x, DPR_FLOAT32, &y));
	CHECK_OK(dpr_array_to_memory(y, single, sizeof(single), NULL));
	ck_assert(single[0] == -1.75f && single[2] == 2.5f);
	dpr_array_release(y);
	CHECK_OK(dpr_astype(x, DPR_INT8, &y));
	CHECK_OK(dpr_array_to_memory(y, small, sizeof(small), NULL));
	ck_assert_int_eq(small[0], -1);
	ck_assert_int_eq(small[2], 2);
	dpr_array_release(y);
	CHECK_OK(dpr_astype(x, DPR_COMPLEX128, &y));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_astype(y, DPR_FLOAT64, &z));
	ck_assert_ptr_null(z);
	dpr_array_release(y);
	/* A cast to the same dtype still makes a copy. */
	CHECK_OK(dpr_astype(x, DPR_FLOAT64, &y));
	ck_assert_ptr_ne(dpr_array_usm(y), dpr_array_usm(x));
	CHECK_OK(dpr_array_to_memory(y, back, sizeof(back), NULL));
	ck_assert_mem_eq(back, values, sizeof(back));
	dpr_array_release(y);
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_astype(x, (dpr_dtype)55, &y));
	dpr_array_release(x);
}
END_TEST

START_TEST(asarray_copies_when_it_has_to)
{
	dpr_array *x, *y;

	CHECK_OK(dpr_empty(DPR_SHAPE(4), DPR_INT32, test_queue, &x));
	CHECK_OK(dpr_copy_into(x, 7));
	CHECK_OK(dpr_asarray(x, DPR_DTYPE_DEFAULT, DPR_COPY_NEVER, &y));
	ck_assert_ptr_eq(x, y);
	dpr_array_release(y);
	CHECK_OK(dpr_asarray(x, DPR_INT32, DPR_COPY_ALWAYS, &y));
	ck_assert_ptr_ne(dpr_array_usm(x), dpr_array_usm(y));
	dpr_array_release(y);
	CHECK_OK(dpr_asarray(x, DPR_INT64, DPR_COPY_IF_NEEDED, &y));
	ck_assert_int_eq(dpr_array_dtype(y), DPR_INT64);
	dpr_array_release(y);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_asarray(x, DPR_INT64, DPR_COPY_NEVER, &y));
	dpr_array_release(x);
}
END_TEST

static const double exponents[] = { -1, 0.5, 1, 2, 3 };

/* pow() with a number as exponent may choose a cheaper operation.  It must give
   the same as with an array of that exponent: float32 within a few ulps, with
   the same infinities, NaN and signs of zero. */
START_TEST(powers_of_simple_exponents)
{
	static const float values[] = { 0,      -0.0f, 1,        -1,
					2.5f,   -2.5f, 1e-30f,   1e30f,
					-1e30f, 3,     INFINITY, -INFINITY,
					NAN,    1e-40f };
	enum { N = sizeof(values) / sizeof(values[0]) };
	dpr_array *x, *e, *quick, *slow, *into;
	float have[N], want[N], written[N];

	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(N), NULL, DPR_FLOAT32,
				       test_queue, &x));
	CHECK_OK(dpr_full(DPR_SHAPE(1), exponents[_i], DPR_FLOAT32, test_queue,
			  &e));
	CHECK_OK(dpr_pow(x, exponents[_i], &quick));
	CHECK_OK(dpr_pow(x, e, &slow));
	CHECK_OK(dpr_empty_like(x, DPR_DTYPE_DEFAULT, &into));
	CHECK_OK(dpr_pow_into(x, exponents[_i], into));
	CHECK_OK(dpr_array_to_memory(quick, have, sizeof(have), NULL));
	CHECK_OK(dpr_array_to_memory(slow, want, sizeof(want), NULL));
	CHECK_OK(dpr_array_to_memory(into, written, sizeof(written), NULL));
	ck_assert_int_eq(dpr_array_dtype(quick), DPR_FLOAT32);
	/* Skip the last value: it is denormal, and devices may flush it to
	   0. */
	for (int i = 0; i < N - 1; i++) {
		ck_assert_msg(isnan(want[i])
				      ? isnan(have[i])
				      : have[i] == want[i] ||
						fabsf(have[i] - want[i]) <=
							4e-7f * fabsf(want[i]),
			      "%g ** %g: %g, not %g", (double)values[i],
			      exponents[_i], (double)have[i], (double)want[i]);
		ck_assert_msg(isnan(want[i]) ||
				      signbit(have[i]) == signbit(want[i]),
			      "%g ** %g: %g, not %g", (double)values[i],
			      exponents[_i], (double)have[i], (double)want[i]);
		ck_assert(isnan(have[i]) ? isnan(written[i])
					 : have[i] == written[i]);
	}
	dpr_array_release(x);
	dpr_array_release(e);
	dpr_array_release(quick);
	dpr_array_release(slow);
	dpr_array_release(into);
}
END_TEST

/* Integers wrap around; a bool base or a float exponent gives another dtype. */
START_TEST(powers_of_integers)
{
	static const int32_t values[] = { 0,  1,     -1,    7,
					  -7, 65536, 99999, INT32_MIN };
	enum { N = sizeof(values) / sizeof(values[0]) };
	const dpr_dtype floats = dpr_dtype_default(test_device, 'f');
	dpr_array *x, *e, *quick, *slow, *truth;
	int32_t have[N], want[N];

	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(N), NULL, DPR_INT32,
				       test_queue, &x));
	for (int exponent = -1; exponent <= 3; exponent++) {
		CHECK_OK(dpr_full(DPR_SHAPE(1), exponent, DPR_INT32, test_queue,
				  &e));
		CHECK_OK(dpr_pow(x, exponent, &quick));
		CHECK_OK(dpr_pow(x, e, &slow));
		CHECK_OK(dpr_array_to_memory(quick, have, sizeof(have), NULL));
		CHECK_OK(dpr_array_to_memory(slow, want, sizeof(want), NULL));
		ck_assert(!memcmp(have, want, sizeof(have)));
		dpr_array_release(e);
		dpr_array_release(quick);
		dpr_array_release(slow);
	}
	CHECK_OK(dpr_pow(x, 2.0, &quick));
	ck_assert_int_eq(dpr_array_dtype(quick), floats);
	dpr_array_release(quick);
	CHECK_OK(dpr_not_equal(x, 0, &truth));
	CHECK_OK(dpr_pow(truth, 2, &quick));
	ck_assert_int_eq(dpr_array_dtype(quick), DPR_INT64);
	dpr_array_release(quick);
	dpr_array_release(truth);
	dpr_array_release(x);
}
END_TEST

/* The bytes of @x; the caller frees them. */
static void *bytes_of(dpr_array *x)
{
	void *bytes = malloc((size_t)dpr_array_size(x) * dpr_array_itemsize(x));

	ck_assert_ptr_nonnull(bytes);
	CHECK_OK(dpr_array_to_memory(x, bytes, dpr_array_nbytes(x), NULL));
	return bytes;
}

static void check_same_bytes(dpr_array *have, dpr_array *want)
{
	void *a = bytes_of(have), *b = bytes_of(want);

	ck_assert_int_eq(dpr_array_dtype(have), dpr_array_dtype(want));
	ck_assert(!memcmp(
		a, b, (size_t)dpr_array_size(want) * dpr_array_itemsize(want)));
	free(a);
	free(b);
	dpr_array_release(have);
}

static const dpr_dtype cubes[] = { DPR_FLOAT32, DPR_BFLOAT16, DPR_FLOAT64,
				   DPR_FLOAT16, DPR_UINT16,   DPR_INT64,
				   DPR_INT8 };
#define CUBES ((int)(sizeof(cubes) / sizeof(cubes[0])))

/* With the exponent 3 pow() is two products, each rounded to the dtype: in a
   call, into an array, and in an expression of several steps. */
START_TEST(cubes_are_products)
{
	dpr_array *numbers, *x, *square, *want, *have;

	if (leaves_out(_i, 3) || !dpr_dtype_computes(test_device, cubes[_i]))
		return;
	CHECK_OK(dpr_arange(-150.0, 150.0, 0.37, DPR_FLOAT32, test_queue,
			    &numbers));
	CHECK_OK(dpr_astype(numbers, cubes[_i], &x));
	CHECK_OK(dpr_multiply(x, x, &square));
	CHECK_OK(dpr_multiply(square, x, &want));
	CHECK_OK(dpr_pow(x, 3, &have));
	check_same_bytes(have, want);
	CHECK_OK(dpr_empty_like(x, DPR_DTYPE_DEFAULT, &have));
	CHECK_OK(dpr_pow_into(x, 3, have));
	check_same_bytes(have, want);
	CHECK_OK(dpr_evaluate("x**3", NULL, &have, "x", x));
	check_same_bytes(have, want);
	CHECK_OK(dpr_subtract_into(want, x, want));
	CHECK_OK(dpr_evaluate("x**3 - x", NULL, &have, "x", x));
	check_same_bytes(have, want);
	dpr_array_release(numbers);
	dpr_array_release(x);
	dpr_array_release(square);
	dpr_array_release(want);
}
END_TEST

/* With the exponent 0.5 pow() of floats is sqrt(), except for -0 and -infinity:
   in a call, into an array, and in an expression. */
START_TEST(halves_are_roots)
{
	static const dpr_dtype dtypes[] = { DPR_FLOAT32, DPR_FLOAT64,
					    DPR_FLOAT16 };
	static const float special[] = { 0,   -0.0f, INFINITY, -INFINITY,
					 NAN, -4,    2,        6.25f };
	enum { N = sizeof(special) / sizeof(special[0]) };
	dpr_array *wide, *x, *root, *have[4];
	float want[N], got[N];

	if (leaves_out(_i, 3) || !dpr_dtype_computes(test_device, dtypes[_i]))
		return;
	/* Exactly that of sqrt(): pow() may have another last bit. */
	CHECK_OK(dpr_arange(0.0, 1500.0, 0.37, DPR_FLOAT32, test_queue, &wide));
	CHECK_OK(dpr_astype(wide, dtypes[_i], &x));
	CHECK_OK(dpr_sqrt(x, &root));
	CHECK_OK(dpr_pow(x, 0.5, &have[0]));
	check_same_bytes(have[0], root);
	dpr_array_release(root);
	dpr_array_release(x);
	dpr_array_release(wide);
	CHECK_OK(dpr_array_from_memory(special, DPR_SHAPE(N), NULL, DPR_FLOAT32,
				       test_queue, &wide));
	CHECK_OK(dpr_astype(wide, dtypes[_i], &x));
	dpr_array_release(wide);
	CHECK_OK(dpr_sqrt(x, &root));
	CHECK_OK(dpr_astype(root, DPR_FLOAT32, &wide));
	CHECK_OK(dpr_array_to_memory(wide, want, sizeof(want), NULL));
	dpr_array_release(wide);
	dpr_array_release(root);
	want[1] = 0;
	want[3] = INFINITY;
	CHECK_OK(dpr_pow(x, 0.5, &have[0]));
	CHECK_OK(dpr_empty_like(x, DPR_DTYPE_DEFAULT, &have[1]));
	CHECK_OK(dpr_pow_into(x, 0.5, have[1]));
	CHECK_OK(dpr_evaluate("x**0.5", NULL, &have[2], "x", x));
	CHECK_OK(dpr_evaluate("abs(x**0.5)", NULL, &have[3], "x", x));
	for (int k = 0; k < 4; k++) {
		CHECK_OK(dpr_astype(have[k], DPR_FLOAT32, &wide));
		CHECK_OK(dpr_array_to_memory(wide, got, sizeof(got), NULL));
		for (int i = 0; i < N; i++)
			ck_assert_msg(isnan(want[i]) ? isnan(got[i])
						     : got[i] == want[i] &&
							       !signbit(got[i]),
				      "%g**0.5 is %g, not %g",
				      (double)special[i], (double)got[i],
				      (double)want[i]);
		dpr_array_release(wide);
		dpr_array_release(have[k]);
	}
	dpr_array_release(x);
}
END_TEST

START_TEST(arange_fits_its_dtype)
{
	const uint64_t beyond = (uint64_t)INT64_MAX + 1;
	dpr_array *x;
	uint64_t have[2];

	/* Neither int64 nor uint64 has both -1 and the last number. */
	CHECK_FAILS(DPR_ERROR_OVERFLOW,
		    dpr_arange(-1, UINT64_MAX, INT64_C(1) << 62,
			       DPR_DTYPE_DEFAULT, test_queue, &x));
	CHECK_OK(dpr_arange(INT64_MAX, beyond + 1, 1, DPR_DTYPE_DEFAULT,
			    test_queue, &x));
	ck_assert_int_eq(dpr_array_dtype(x), DPR_UINT64);
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	ck_assert_uint_eq(have[1], beyond);
	dpr_array_release(x);
	CHECK_OK(dpr_arange(INT64_MAX - 1, beyond, 1, DPR_DTYPE_DEFAULT,
			    test_queue, &x));
	ck_assert_int_eq(dpr_array_size(x), 2);
	dpr_array_release(x);
	CHECK_OK(dpr_arange(beyond, beyond, 1, DPR_DTYPE_DEFAULT, test_queue,
			    &x));
	ck_assert_int_eq(dpr_array_size(x), 0);
	dpr_array_release(x);
	CHECK_OK(dpr_arange(beyond, beyond + 2, 1, DPR_UINT64, test_queue, &x));
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	ck_assert_uint_eq(have[1], beyond + 1);
	dpr_array_release(x);
}
END_TEST

static Suite *array_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("array");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, values_passed_by_value_keep_their_sizes);
	tcase_add_test(tcase, an_array_knows_what_it_is);
	tcase_add_test(tcase, null_has_no_properties);
	tcase_add_loop_test(tcase, powers_of_simple_exponents, 0, 5);
	tcase_add_loop_test(tcase, cubes_are_products, 0, CUBES);
	tcase_add_loop_test(tcase, halves_are_roots, 0, 3);
	tcase_add_test(tcase, powers_of_integers);
	tcase_add_test(tcase, nothing_needs_no_memory);
	tcase_add_test(tcase, kinds_are_what_was_asked_for);
	tcase_add_loop_test(tcase, creation_takes_a_kind_and_a_queue, 0,
			    CREATIONS);
	tcase_add_test(tcase, bad_shapes_and_dtypes_are_refused);
	tcase_add_test(tcase, arrays_over_memory_one_has);
	tcase_add_test(tcase, arrays_over_odd_addresses);
	tcase_add_test(tcase, items_are_numbers);
	tcase_add_test(tcase, result_types_follow_the_standard);
	tcase_add_test(tcase, arange_fits_its_dtype);
	tcase_add_test(tcase, casts_go_where_they_may);
	tcase_add_test(tcase, asarray_copies_when_it_has_to);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(array_suite, NULL);
}
