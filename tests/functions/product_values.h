/* SPDX-License-Identifier: Apache-2.0 */
/* product_values.h - operands of products, whose sums are exact, and the
   elements of results. */
#ifndef TESTS_PRODUCT_VALUES_H
#define TESTS_PRODUCT_VALUES_H

#include <complex.h>

#include "tests/support/real_arrays.h"

static inline bool is_on(const char *backend)
{
	return !strcmp(dpr_device_backend(test_device), backend);
}

/* Element @i of an operand: a small integer, so that sums are exact. */
static inline double number(int64_t i, int seed)
{
	return (double)((i * 7 + seed * 5) % 11 - 3);
}

/* An array of @dtype with these elements.  Those of complex arrays have as
   imaginary parts the numbers of @seed + 1. */
static inline dpr_array *numbers(dpr_shape shape, dpr_dtype dtype, int seed)
{
	dpr_array *x, *out;
	int64_t n = 1;
	float *v;

	for (int d = 0; d < shape.rank; d++)
		n *= shape.dim[d];
	v = malloc((size_t)(2 * n + 2) * sizeof(*v));
	ck_assert_ptr_nonnull(v);
	if (dpr_dtype_kind(dtype) == 'c') {
		for (int64_t i = 0; i < n; i++) {
			v[2 * i] = (float)number(i, seed);
			v[2 * i + 1] = (float)number(i, seed + 1);
		}
		CHECK_OK(dpr_array_from_memory(v, shape, NULL, DPR_COMPLEX64,
					       test_queue, &x));
	} else {
		for (int64_t i = 0; i < n; i++)
			v[i] = (float)(number(i, seed) +
				       (dpr_dtype_kind(dtype) == 'u' ? 3 : 0));
		CHECK_OK(dpr_array_from_memory(v, shape, NULL, DPR_FLOAT32,
					       test_queue, &x));
	}
	free(v);
	CHECK_OK(dpr_astype(x, dtype, &out));
	dpr_array_release(x);
	return out;
}

/* Get all elements in C order, as complex64; the caller frees them. */
static inline float complex *elements(const dpr_array *x)
{
	float complex *out = malloc(
		dpr_array_size(x) ? (size_t)dpr_array_size(x) * sizeof(*out)
				  : 1);
	dpr_array *all;

	ck_assert_ptr_nonnull(out);
	CHECK_OK(dpr_astype(x, DPR_COMPLEX64, &all));
	CHECK_OK(dpr_array_to_memory(all, out, dpr_array_nbytes(all), NULL));
	dpr_array_release(all);
	return out;
}

/* Reduce a sum of integers to the range of @dtype. */
static inline float complex wrapped(double complex x, dpr_dtype dtype)
{
	const int64_t i = (int64_t)creal(x);

	switch (dtype) {
	case DPR_INT8: return (float)(int8_t)i;
	case DPR_UINT8: return (float)(uint8_t)i;
	case DPR_INT16: return (float)(int16_t)i;
	case DPR_UINT16: return (float)(uint16_t)i;
	default: return (float complex)x;
	}
}

/* Check @y, the product of matrices of these extents, for each of @batch
   matrices; @a_step, @b_step: 0 if all have the same operand. */
static inline void check_product(dpr_array *y, const dpr_array *a,
				 const dpr_array *b, const int64_t extent[3],
				 int64_t batch, int a_step, int b_step,
				 const char *what)
{
	const int64_t m = extent[0], k = extent[1], n = extent[2];
	float complex *va = elements(a), *vb = elements(b), *vy = elements(y);
	const dpr_dtype dtype = dpr_array_dtype(y);
	int64_t wrong = -1;

	ck_assert_int_eq(dpr_array_size(y), batch * m * n);
	for (int64_t i = 0; i < batch * m * n; i++) {
		const int64_t at = i / (m * n), r = i / n % m, c = i % n;
		double complex sum = 0;
		float complex want;

		for (int64_t p = 0; p < k; p++)
			sum += (double complex)
				       va[at * a_step * m * k + r * k + p] *
			       vb[at * b_step * k * n + p * n + c];
		want = wrapped(sum, dtype);
		if (!(cabsf(vy[i] - want) <=
		      (float)near_of(dtype) * (1 + cabsf(want))))
			wrong = i;
	}
	ck_assert_msg(wrong < 0, "%s, %s: element %lld of %lld x %lld x %lld",
		      what, dpr_dtype_name(dtype), (long long)wrong,
		      (long long)m, (long long)k, (long long)n);
	free(va);
	free(vb);
	free(vy);
}

#endif
