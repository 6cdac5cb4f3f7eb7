/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_shapes.c - kernels in OpenCL C for GPUs give the same results on a CPU
 * as the host backend does.  gpu-shape.sh runs this test, and has the device
 * take text.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include <dpr/dpr.h>

#include "core/array/engine/engine.h"
#include "tests/support/devices.h"

#define COUNT 2053

/* All results of one device, stored one after the other. */
struct results {
	unsigned char bytes[600000];
	size_t size;
};

static void keep(struct results *r, dpr_array *x)
{
	const size_t size = (size_t)dpr_array_size(x) * dpr_array_itemsize(x);

	ck_assert(r->size + size <= sizeof(r->bytes));
	CHECK_OK(dpr_array_to_memory(x, r->bytes + r->size, dpr_array_nbytes(x),
				     NULL));
	r->size += size;
	dpr_array_release(x);
}

static dpr_array *numbers(dpr_queue *queue, dpr_dtype dtype)
{
	dpr_array *x;

	CHECK_OK(dpr_arange(-1000, COUNT - 1000, 1, dtype, queue, &x));
	return x;
}

/* Rows of whole packs, where one operand is a row or a column, and other
   rows. */
static void row_results(struct results *r, dpr_queue *queue)
{
	dpr_array *x = numbers(queue, DPR_FLOAT32), *all, *matrix, *row;
	dpr_array *column, *part, *y;

	CHECK_OK(dpr_array_view(x, &all, DPR_SLICE(0, 2048, 1)));
	CHECK_OK(dpr_reshape(all, DPR_SHAPE(16, 128), &matrix));
	CHECK_OK(dpr_array_view(matrix, &row, DPR_AT(2)));
	CHECK_OK(dpr_array_view(matrix, &column, DPR_ALL, DPR_SLICE(3, 4, 1)));
	CHECK_OK(dpr_array_view(matrix, &part, DPR_ALL, DPR_SLICE(1, 8, 1)));
	CHECK_OK(dpr_add(matrix, row, &y));
	keep(r, y);
	CHECK_OK(dpr_multiply(column, matrix, &y));
	keep(r, y);
	CHECK_OK(dpr_less(column, row, &y));
	keep(r, y);
	CHECK_OK(dpr_subtract(part, column, &y));
	keep(r, y);
	dpr_array_release(part);
	dpr_array_release(column);
	dpr_array_release(row);
	dpr_array_release(matrix);
	dpr_array_release(all);
	dpr_array_release(x);
}

/* Run each kind of elementwise kernel, on aligned, unaligned and strided
   arrays. */
static void elementwise_results(struct results *r, dpr_queue *queue)
{
	dpr_array *x = numbers(queue, DPR_FLOAT32), *odd, *even, *y;

	CHECK_OK(dpr_array_view(x, &odd, DPR_SLICE(1, DPR_OPEN, 1)));
	CHECK_OK(dpr_array_view(x, &even, DPR_SLICE(DPR_OPEN, 1, -2)));
	CHECK_OK(dpr_add(x, x, &y));
	keep(r, y);
	CHECK_OK(dpr_subtract(3, odd, &y));
	keep(r, y);
	CHECK_OK(dpr_multiply(even, 0.5, &y));
	keep(r, y);
	CHECK_OK(dpr_multiply_add(x, 2, x, &y));
	keep(r, y);
	CHECK_OK(dpr_multiply_add(odd, odd, 1, &y));
	keep(r, y);
	CHECK_OK(dpr_abs(odd, &y));
	keep(r, y);
	CHECK_OK(dpr_negative(x, &y));
	keep(r, y);
	CHECK_OK(dpr_sin(x, &y));
	keep(r, y);
	CHECK_OK(dpr_less(x, 17, &y));
	keep(r, y);
	CHECK_OK(dpr_equal(odd, odd, &y));
	keep(r, y);
	dpr_array_release(odd);
	dpr_array_release(even);
	row_results(r, queue);
	/* For complex128, pow is the only operation of its kernel.  An integer
	   power is computed by multiplications. */
	CHECK_OK(dpr_astype(x, DPR_COMPLEX128, &odd));
	CHECK_OK(dpr_pow(odd, 2, &y));
	keep(r, y);
	dpr_array_release(odd);
	dpr_array_release(x);
}

/* Kernels that read @t, which lies along another axis than its copy @y. */
static void transposed_results(struct results *r, dpr_array *t, dpr_array *y)
{
	dpr_array *low, *z;

	CHECK_OK(dpr_add(t, y, &z));
	keep(r, z);
	CHECK_OK(dpr_sin(t, &z));
	keep(r, z);
	CHECK_OK(dpr_less(t, 1000, &low));
	CHECK_OK(dpr_where(low, t, 0.5, &z));
	keep(r, z);
	dpr_array_release(low);
	CHECK_OK(dpr_astype(t, DPR_INT16, &z));
	keep(r, z);
}

static void other_results(struct results *r, dpr_queue *queue)
{
	dpr_array *x = numbers(queue, DPR_FLOAT32), *flag, *y, *square, *t;

	CHECK_OK(dpr_astype(x, DPR_INT8, &y));
	keep(r, y);
	CHECK_OK(dpr_astype(x, DPR_FLOAT16, &y));
	keep(r, y);
	CHECK_OK(dpr_greater(x, 0, &flag));
	CHECK_OK(dpr_where(flag, x, 5, &y));
	keep(r, y);
	dpr_array_release(flag);
	CHECK_OK(dpr_sum(x, NULL, &y));
	keep(r, y);
	CHECK_OK(dpr_max(x, NULL, &y));
	keep(r, y);
	CHECK_OK(dpr_any(x, NULL, &y));
	keep(r, y);
	dpr_array_release(x);
	CHECK_OK(dpr_arange(0, 4800, 1, DPR_FLOAT32, queue, &x));
	CHECK_OK(dpr_reshape(x, DPR_SHAPE(80, 60), &square));
	CHECK_OK(dpr_matrix_transpose(square, &t));
	CHECK_OK(dpr_copy(t, &y));
	transposed_results(r, t, y);
	keep(r, y);
	CHECK_OK(dpr_sum(square, DPR_AXES(0), &y));
	keep(r, y);
	CHECK_OK(dpr_sum(square, DPR_AXES(1), &y));
	keep(r, y);
	CHECK_OK(dpr_min(t, DPR_AXES(1), &y));
	keep(r, y);
	dpr_array_release(t);
	dpr_array_release(square);
	dpr_array_release(x);
	CHECK_OK(dpr_linspace(0, 1, 1001, DPR_FLOAT32, queue, &y));
	keep(r, y);
	CHECK_OK(dpr_eye(30, 40, 2, DPR_FLOAT32, queue, &y));
	keep(r, y);
}

/* Reductions with many partial results: a GPU combines them in work-groups. */
static void many_parts(struct results *r, dpr_queue *queue)
{
	static const dpr_dtype dtypes[] = { DPR_INT16, DPR_FLOAT32,
					    DPR_COMPLEX64 };
	dpr_array *x, *low, *tall, *typed, *y;

	CHECK_OK(dpr_arange(0, 9 * 20011, 1, DPR_INT32, queue, &x));
	CHECK_OK(dpr_bitwise_and(x, 31, &low));
	CHECK_OK(dpr_reshape(low, DPR_SHAPE(20011, 9), &tall));
	for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++) {
		CHECK_OK(dpr_astype(tall, dtypes[i], &typed));
		CHECK_OK(dpr_sum(typed, DPR_AXES(0), &y));
		keep(r, y);
		CHECK_OK(dpr_any(typed, DPR_AXES(0), &y));
		keep(r, y);
		CHECK_OK(dpr_all(typed, DPR_AXES(0), &y));
		keep(r, y);
		if (dtypes[i] != DPR_COMPLEX64) {
			CHECK_OK(dpr_max(typed, DPR_AXES(0), &y));
			keep(r, y);
			CHECK_OK(dpr_min(typed, DPR_AXES(0), &y));
			keep(r, y);
		}
		if (dtypes[i] != DPR_INT16) {
			CHECK_OK(dpr_mean(typed, DPR_AXES(0), &y));
			keep(r, y);
		}
		dpr_array_release(typed);
	}
	dpr_array_release(tall);
	dpr_array_release(low);
	dpr_array_release(x);
}

static dpr_queue *host;

START_TEST(shapes_give_the_same)
{
	struct results *own = calloc(1, sizeof(*own));
	struct results *other = calloc(1, sizeof(*other));

	ck_assert(own && other);
	ck_assert_str_eq(engine_format(test_device), "opencl-c");
	elementwise_results(other, test_queue);
	other_results(other, test_queue);
	many_parts(other, test_queue);
	elementwise_results(own, host);
	other_results(own, host);
	many_parts(own, host);
	ck_assert_uint_eq(own->size, other->size);
	for (size_t i = 0; i < own->size; i++)
		ck_assert_msg(own->bytes[i] == other->bytes[i],
			      "byte %zu of the results differs", i);
	free(own);
	free(other);
}
END_TEST

static Suite *shapes_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("shapes");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, shapes_give_the_same);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	if (dpr_canonical_queue("host:cpu", &host)) {
		printf("skipped: needs the host backend\n");
		return 77;
	}
	return run_on_selected(shapes_suite, "opencl:cpu");
}
