/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_values.h - for tests of the routine gemm: operands of small whole
   numbers, and the products that are expected. */
#ifndef TESTS_SUPPORT_GEMM_VALUES_H
#define TESTS_SUPPORT_GEMM_VALUES_H

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <dpr/backend.h>
#include <dpr/dpr.h>

#define ROOM 1024 /* elements of each operand */
#define UNTOUCHED 77

/* Element @i of operand @k: small whole numbers, so that sums are exact. */
static inline double complex element(dpr_dtype dtype, int64_t i, int k)
{
	const double re = (double)((i * 7 + k * 3) % 5 - 2);
	const double im = (double)((i * 3 + k) % 5 - 2);

	return dpr_dtype_kind(dtype) == 'c' ? re + im * I : re;
}

static inline uint16_t half_of(float x)
{
	int exponent, bits = 0;
	const float part = frexpf(fabsf(x), &exponent);

	if (x != 0)
		bits = ((exponent + 14) << 10) + (int)((2 * part - 1) * 1024);
	return (uint16_t)(bits | (x < 0 ? 0x8000 : 0));
}

/* Write number @z as element @i of an array. */
static inline void put(void *to, int64_t i, dpr_dtype dtype, double complex z)
{
	const double d[2] = { creal(z), cimag(z) };
	const float f[2] = { (float)d[0], (float)d[1] };
	const size_t item = dpr_dtype_size(dtype);
	const void *from = f;
	uint16_t narrow;
	uint32_t bits;

	memcpy(&bits, f, sizeof(bits));
	narrow = dtype == DPR_FLOAT16 ? half_of(f[0]) : (uint16_t)(bits >> 16);
	if (dtype == DPR_FLOAT64 || dtype == DPR_COMPLEX128)
		from = d;
	else if (item == sizeof(narrow))
		from = &narrow;
	memcpy((char *)to + (size_t)i * item, from, item);
}

/* Write the product whose matrices begin at these places. */
static inline void multiply(const dprp_gemm *v, const int64_t from[3],
			    dpr_dtype dtype, void *c)
{
	const bool at = v->flags & DPRP_GEMM_A_TRANSPOSED;
	const bool bt = v->flags & DPRP_GEMM_B_TRANSPOSED;

	for (int64_t i = 0; i < v->m; i++)
		for (int64_t j = 0; j < v->n; j++) {
			double complex sum = 0;

			for (int64_t p = 0; p < v->k; p++) {
				const int64_t a =
					at ? i + p * v->lda : i * v->lda + p;
				const int64_t b =
					bt ? p + j * v->ldb : p * v->ldb + j;

				sum += element(dtype, from[0] + a, 0) *
				       element(dtype, from[1] + b, 1);
			}
			put(c, from[2] + i * v->ldc + j, dtype, sum);
		}
}

/* Write what c has to be after the products of @v, if it was UNTOUCHED. */
static inline void expect_products(const dprp_gemm *v, dpr_dtype dtype,
				   void *want)
{
	const int64_t count =
		v->batch[0] * v->batch[1] * v->batch[2] * v->batch[3];

	for (int64_t i = 0; i < ROOM; i++)
		put(want, i, dtype, UNTOUCHED);
	for (int64_t n = 0; n < count; n++) {
		int64_t from[3] = { v->offset_a, v->offset_b, v->offset_c };
		int64_t rest = n;

		for (int d = 3; d >= 0; rest /= v->batch[d--]) {
			from[0] += rest % v->batch[d] * v->stride_a[d];
			from[1] += rest % v->batch[d] * v->stride_b[d];
			from[2] += rest % v->batch[d] * v->stride_c[d];
		}
		multiply(v, from, dtype, want);
	}
}

/* One product, and a batch that takes several calls. */
static const dprp_gemm blas_plain = { .m = 3,
				      .n = 4,
				      .k = 5,
				      .lda = 5,
				      .ldb = 4,
				      .ldc = 4,
				      .batch = { 1, 1, 1, 1 } };
static const dprp_gemm blas_batch = { .m = 2,
				      .n = 2,
				      .k = 2,
				      .lda = 2,
				      .ldb = 2,
				      .ldc = 2,
				      .batch = { 2, 5, 1, 3 },
				      .stride_a = { 60, 12, 0, 4 },
				      .stride_b = { 0, 4, 0, 20 },
				      .stride_c = { 4, 8, 0, 40 } };

#endif
