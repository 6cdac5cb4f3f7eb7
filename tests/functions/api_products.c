/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_products.c - dpr_prod() of integers, which wrap, of floats with special
 * values, and of complex numbers, on every device.
 */
#include <math.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"
#include "tests/support/elements.h"

/* The product of @n float32. */
static float product_of(const float *data, int64_t n)
{
	dpr_array *x = array_of(data, n, DPR_FLOAT32), *y;
	float out;

	CHECK_OK(dpr_prod(x, NULL, &y));
	CHECK_OK(dpr_array_to_memory(y, &out, sizeof(out), NULL));
	dpr_array_release(y);
	dpr_array_release(x);
	return out;
}

/* Integers wrap in 64 bits. */
START_TEST(products_of_integers)
{
	dpr_array *x = array_of((const int8_t[]){ -128, 3, 127 }, 3, DPR_INT8);
	uint64_t wide = 1;
	int32_t odd[300];
	dpr_array *y;

	CHECK_OK(dpr_prod(x, NULL, &y));
	expect(y, DPR_INT64, (const int64_t[]){ -128 * 3 * 127 }, 1);
	CHECK_OK(dpr_prod_as(x, NULL, DPR_INT8, &y));
	expect(y, DPR_INT8, (const int8_t[]){ -128 }, 1);
	dpr_array_release(x);
	for (int i = 0; i < 300; i++) {
		odd[i] = i % 2 ? 2 * i + 1 : -2 * i - 1;
		wide *= (uint64_t)odd[i];
	}
	x = array_of(odd, 300, DPR_INT32);
	CHECK_OK(dpr_prod(x, NULL, &y));
	expect(y, DPR_INT64, &wide, 1);
	dpr_array_release(x);
	if (takes_few())
		return;
	x = array_of((const uint64_t[]){ UINT64_MAX, 3, 5 }, 3, DPR_UINT64);
	CHECK_OK(dpr_prod(x, NULL, &y));
	expect(y, DPR_UINT64, (const uint64_t[]){ UINT64_C(0) - 15 }, 1);
	dpr_array_release(x);
	x = array_of("\1\1\0", 3, DPR_BOOL);
	CHECK_OK(dpr_prod(x, NULL, &y));
	expect(y, DPR_INT64, (const int64_t[]){ 0 }, 1);
	dpr_array_release(x);
}
END_TEST

START_TEST(products_of_floats)
{
	const float large[] = { 3e38f, 1e9f, -2 }, tiny[] = { 1e-38f, 1e-38f };
	const float zeros[] = { 3, -0.0f, 5 }, none[] = { INFINITY, 1, 0 };
	const float some[] = { -INFINITY, 2, -INFINITY, -1 };
	const float nan[] = { 0, NAN, 0 };
	float many[100];

	for (int i = 0; i < 100; i++)
		many[i] = i % 2 ? 4 : -0.25f;
	ck_assert(product_of(large, 3) == -INFINITY);
	ck_assert(product_of(tiny, 2) == 0);
	ck_assert(product_of(zeros, 3) == 0);
	ck_assert(signbit(product_of(zeros, 3)));
	ck_assert(!signbit(product_of(zeros + 2, 1)));
	ck_assert(signbit(product_of(zeros + 1, 1)));
	ck_assert(isnan(product_of(none, 3)));
	ck_assert(product_of(none, 2) == INFINITY);
	ck_assert(product_of(some, 4) == -INFINITY);
	ck_assert(isnan(product_of(nan, 3)));
	ck_assert(product_of(many, 100) == 1);
	ck_assert(product_of(many, 99) == 0.25f);
}
END_TEST

/* The powers of 1 + i, and a 0-d array. */
START_TEST(products_of_complex_numbers)
{
	float data[2 * 96];
	dpr_array *x, *y, *z;

	for (int i = 0; i < 2 * 96; i++)
		data[i] = 1;
	x = array_of(data, 96, DPR_COMPLEX64);
	CHECK_OK(dpr_reshape(x, DPR_SHAPE(32, 3), &y));
	dpr_array_release(x);
	CHECK_OK(dpr_prod(y, DPR_AXES(1), &x));
	CHECK_OK(dpr_prod(x, NULL, &z));
	dpr_array_release(x);
	CHECK_OK(dpr_array_to_memory(z, data, dpr_array_nbytes(z), NULL));
	dpr_array_release(z);
	/* (1 + i) ** 96 == (2 i) ** 48 == 2 ** 48 */
	ck_assert(data[0] == 0x1p48f && data[1] == 0);
	CHECK_OK(dpr_prod(y, DPR_AXES(0), &x));
	CHECK_OK(dpr_array_to_memory(x, data, dpr_array_nbytes(x), NULL));
	for (int i = 0; i < 3; i++) {
		/* (1 + i) ** 32 */
		ck_assert(data[2 * i] == 65536);
		ck_assert(data[2 * i + 1] == 0);
	}
	dpr_array_release(x);
	dpr_array_release(y);
	data[0] = 3;
	data[1] = -4;
	CHECK_OK(dpr_array_from_memory(data, DPR_SCALAR_SHAPE, NULL,
				       DPR_COMPLEX64, test_queue, &x));
	CHECK_OK(dpr_prod(x, NULL, &y));
	expect(y, DPR_COMPLEX64, data, 1);
	dpr_array_release(x);
}
END_TEST

/* Long enough for several parts and passes, along each axis. */
START_TEST(products_of_many)
{
	static float data[300000];
	const int64_t n = takes_few() ? 30000 : 300000;
	dpr_array *x, *y, *z;
	float all, rows[3];

	for (int64_t i = 0; i < n; i++)
		data[i] = 1;
	for (int i = 0; i < 40; i++)
		data[i * 7919 % n] = i % 2 ? 0.5f : 2;
	for (int i = 0; i < 3; i++)
		data[n / 3 * i + 1] = 6;
	CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(3, n / 3), NULL,
				       DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_prod(x, NULL, &y));
	CHECK_OK(dpr_array_to_memory(y, &all, sizeof(all), NULL));
	ck_assert(all == 216);
	dpr_array_release(y);
	CHECK_OK(dpr_prod(x, DPR_AXES(-1), &y));
	CHECK_OK(dpr_array_to_memory(y, rows, sizeof(rows), NULL));
	ck_assert(rows[0] * rows[1] * rows[2] == 216);
	for (int i = 0; i < 3; i++) {
		int exponent;

		ck_assert(frexpf(rows[i], &exponent) == 0.75f);
	}
	dpr_array_release(y);
	CHECK_OK(dpr_prod(x, DPR_AXES_KEPT(0), &y));
	CHECK_OK(dpr_prod(y, NULL, &z));
	CHECK_OK(dpr_array_to_memory(z, &all, sizeof(all), NULL));
	ck_assert(all == 216);
	dpr_array_release(z);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

static Suite *products(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("products");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, products_of_integers);
	tcase_add_test(tcase, products_of_floats);
	tcase_add_test(tcase, products_of_complex_numbers);
	tcase_add_test(tcase, products_of_many);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(products, NULL);
}
