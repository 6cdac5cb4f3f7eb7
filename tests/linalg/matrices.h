/* SPDX-License-Identifier: Apache-2.0 */
/* matrices.h - batches of matrices in host memory, beside arrays, and products
   of them by loops. */
#ifndef TESTS_MATRICES_H
#define TESTS_MATRICES_H

#include <complex.h>
#include <math.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

/* Check that the text of the last error has @text in it. */
static inline void expect_error(const char *text)
{
	ck_assert_msg(strstr(dpr_last_error(), text), "'%s', not '%s'",
		      dpr_last_error(), text);
}

/* A batch of matrices in C order. */
struct matrices {
	int64_t count, m, n;
	double complex *v;
};

static inline struct matrices matrices_new(int64_t count, int64_t m, int64_t n)
{
	struct matrices x = { count, m, n, NULL };

	x.v = calloc((size_t)(count * m * n) + 1, sizeof(*x.v));
	ck_assert_ptr_nonnull(x.v);
	return x;
}

static inline double complex *matrix_at(const struct matrices *x, int64_t i)
{
	return x->v + i * x->m * x->n;
}

/* Where the random numbers are: not 0. */
static uint64_t matrices_seed = 88172645463325252u;

/* A number from -1 to 1, another one with each call. */
static inline double matrices_random(void)
{
	matrices_seed ^= matrices_seed << 13;
	matrices_seed ^= matrices_seed >> 7;
	matrices_seed ^= matrices_seed << 17;
	return (double)(matrices_seed >> 11) / (double)(1ull << 52) - 1;
}

/* Fill with random numbers that every dtype holds. */
static inline struct matrices matrices_of(int64_t count, int64_t m, int64_t n,
					  dpr_dtype dtype)
{
	struct matrices x = matrices_new(count, m, n);
	const bool parts = dpr_dtype_kind(dtype) == 'c';

	for (int64_t i = 0; i < count * m * n; i++) {
		const double re = (double)(float)matrices_random();

		x.v[i] = parts ? re + I * (double)(float)matrices_random() : re;
	}
	return x;
}

/* The product of matrices, of which each may be the conjugate transposed. */
static inline struct matrices matrices_product(const struct matrices *a,
					       bool a_transposed,
					       const struct matrices *b,
					       bool b_transposed)
{
	const int64_t m = a_transposed ? a->n : a->m,
		      k = a_transposed ? a->m : a->n;
	const int64_t n = b_transposed ? b->m : b->n;
	struct matrices c = matrices_new(a->count, m, n);

	ck_assert_int_eq(k, b_transposed ? b->n : b->m);
	for (int64_t i = 0; i < a->count; i++) {
		const double complex *x = matrix_at(a, i);
		const double complex *y = matrix_at(b, i);
		double complex *z = matrix_at(&c, i);

		for (int64_t r = 0; r < m; r++)
			for (int64_t p = 0; p < k; p++) {
				const double complex f =
					a_transposed ? conj(x[p * a->n + r])
						 : x[r * a->n + p];

				for (int64_t q = 0; q < n; q++)
					z[r * n + q] +=
						f *
						(b_transposed
							 ? conj(y[q * b->n + p])
							 : y[p * b->n + q]);
			}
	}
	return c;
}

static inline struct matrices matrices_identity(int64_t count, int64_t n)
{
	struct matrices x = matrices_new(count, n, n);

	for (int64_t i = 0; i < count; i++)
		for (int64_t k = 0; k < n; k++)
			matrix_at(&x, i)[k * n + k] = 1;
	return x;
}

/* The largest absolute value.  NaN counts as infinity. */
static inline double matrices_largest(const struct matrices *x)
{
	double most = 0;

	for (int64_t i = 0; i < x->count * x->m * x->n; i++)
		if (!(cabs(x->v[i]) <= most))
			most = isnan(cabs(x->v[i])) ? INFINITY : cabs(x->v[i]);
	return most;
}

/* How far a result may be off, for matrices of @n rows with numbers of the size
   of 1. */
static inline double matrices_near(dpr_dtype dtype, int64_t n)
{
	const bool wide = dtype == DPR_FLOAT64 || dtype == DPR_COMPLEX128;

	return (wide ? 2e-15 : 1e-6) * (double)(n + 10);
}

/* Check that @a and @b differ by no more than @allowed times the largest
   number, or 1, and free @a. */
static inline void matrices_expect(struct matrices a, const struct matrices *b,
				   double allowed, const char *what)
{
	const double most = fmax(1, matrices_largest(b));
	double far = 0;

	ck_assert_int_eq(a.count, b->count);
	ck_assert_int_eq(a.m, b->m);
	ck_assert_int_eq(a.n, b->n);
	for (int64_t i = 0; i < a.count * a.m * a.n; i++) {
		const double d = cabs(a.v[i] - b->v[i]);

		if (!(d <= far))
			far = isnan(d) ? INFINITY : d;
	}
	ck_assert_msg(far <= allowed * most, "%s, %lld x %lld: off by %g", what,
		      (long long)a.m, (long long)a.n, far / most);
	free(a.v);
}

/* Get the elements of @x: matrices, or with @rank 1 vectors, which become
   matrices of one column.  Checks the dtype, and releases @x. */
static inline struct matrices matrices_take(dpr_array *x, dpr_dtype dtype,
					    int rank, const char *what)
{
	const int own = dpr_array_rank(x);
	const int64_t *shape = dpr_array_shape(x);
	struct matrices y;
	int64_t count = 1;
	float *single;
	dpr_array *all;

	ck_assert_msg(dpr_array_dtype(x) == dtype, "%s: %s", what,
		      dpr_dtype_name(dpr_array_dtype(x)));
	ck_assert_int_ge(own, rank);
	for (int d = 0; d < own - rank; d++)
		count *= shape[d];
	y = matrices_new(count, rank ? shape[own - rank] : 1,
			 rank > 1 ? shape[own - 1] : 1);
	if (dtype == DPR_FLOAT64 || dtype == DPR_COMPLEX128) {
		double *wide = malloc(dpr_array_nbytes(x) + 1);
		const int step = dtype == DPR_COMPLEX128 ? 2 : 1;

		ck_assert_ptr_nonnull(wide);
		CHECK_OK(dpr_copy(x, &all));
		CHECK_OK(dpr_array_to_memory(all, wide, dpr_array_nbytes(all),
					     NULL));
		for (int64_t i = 0; i < dpr_array_size(x); i++)
			y.v[i] = step > 1 ? wide[2 * i] + I * wide[2 * i + 1]
					  : wide[i];
		free(wide);
	} else {
		single = malloc((size_t)dpr_array_size(x) * 8 + 1);
		ck_assert_ptr_nonnull(single);
		CHECK_OK(dpr_astype(x, DPR_COMPLEX64, &all));
		CHECK_OK(dpr_array_to_memory(all, single, dpr_array_nbytes(all),
					     NULL));
		for (int64_t i = 0; i < dpr_array_size(x); i++)
			y.v[i] = (double)single[2 * i] +
				 I * (double)single[2 * i + 1];
		free(single);
	}
	dpr_array_release(all);
	dpr_array_release(x);
	return y;
}

/* The layouts of operands. */
enum { PACKED, COLUMNS, SPACED, LAYOUTS };

/* An array of @dtype with the elements of @x, in a layout.  A batch of one has
   no axis, a batch of 6 has two. */
static inline dpr_array *matrices_array(const struct matrices *x,
					dpr_dtype dtype, int layout)
{
	const bool columns = layout == COLUMNS;
	const int64_t gap = layout == SPACED ? 2 : 1;
	int64_t shape[4], m = columns ? x->n : x->m, n = columns ? x->m : x->n;
	float *v = calloc((size_t)(x->count * m * n * gap) + 1, 8);
	dpr_array *made, *view;
	int rank = 0;

	ck_assert_ptr_nonnull(v);
	for (int64_t i = 0; i < x->count * m * n; i++) {
		const int64_t at = i / (m * n), r = i / n % m, c = i % n;
		const double complex z =
			matrix_at(x, at)[columns ? c * x->n + r : i % (m * n)];

		v[2 * gap * i] = (float)creal(z);
		v[2 * gap * i + 1] = (float)cimag(z);
	}
	if (x->count == 6) {
		shape[rank++] = 2;
		shape[rank++] = 3;
	} else if (x->count != 1) {
		shape[rank++] = x->count;
	}
	shape[rank++] = m;
	shape[rank++] = n * gap;
	CHECK_OK(dpr_array_from_memory(v, dpr_shape_of(rank, shape), NULL,
				       DPR_COMPLEX64, test_queue, &view));
	free(v);
	if (dpr_dtype_kind(dtype) != 'c') {
		CHECK_OK(dpr_real(view, &made));
		dpr_array_release(view);
		view = made;
	}
	CHECK_OK(dpr_astype(view, dtype, &made));
	dpr_array_release(view);
	if (layout == PACKED)
		return made;
	if (columns)
		CHECK_OK(dpr_matrix_transpose(made, &view));
	else
		CHECK_OK(dpr_array_view(made, &view, DPR_ELLIPSIS,
					DPR_SLICE(DPR_OPEN, DPR_OPEN, 2)));
	dpr_array_release(made);
	return view;
}

#endif
