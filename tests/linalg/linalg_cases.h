/* SPDX-License-Identifier: Apache-2.0 */
/* linalg_cases.h - cases of linear algebra: shapes, dtypes and layouts; and
   checks of results. */
#ifndef TESTS_LINALG_CASES_H
#define TESTS_LINALG_CASES_H

#include "tests/linalg/matrices.h"

/* --- Cases ---------------------------------------------------------------- */

/* Sizes are a number of matrices, rows and columns.  Each size is run in four
   dtypes, of which each gets another layout.  From LARGE on, one dtype is run.
 */
#define LARGE 513

static const int64_t linalg_squares[][3] = {
	{ 1, 3, 3 }, { 6, 7, 7 }, { 1, 1, 1 },         { 6, 2, 2 },
	{ 6, 0, 0 }, { 1, 0, 0 }, { 2, 64, 64 },       { 1, 100, 100 },
	{ 6, 1, 1 }, { 0, 3, 3 }, { 1, LARGE, LARGE },
};
static const int64_t linalg_others[][3] = {
	{ 6, 7, 3 },   { 1, 3, 7 },       { 1, 4, 4 },       { 6, 2, 5 },
	{ 1, 1, 9 },   { 1, 9, 1 },       { 1, 100, 64 },    { 1, 64, 100 },
	{ 6, 0, 3 },   { 1, 3, 0 },       { 6, 0, 0 },       { 0, 2, 3 },
	{ 2, 64, 64 }, { 1, LARGE, 100 }, { 1, 100, LARGE },
};
#define LINALG_SQUARES \
	(4 * (int)(sizeof(linalg_squares) / sizeof(linalg_squares[0])))
#define LINALG_OTHERS \
	(4 * (int)(sizeof(linalg_others) / sizeof(linalg_others[0])))

static const dpr_dtype linalg_dtypes[] = { DPR_FLOAT64, DPR_COMPLEX64,
					   DPR_FLOAT32, DPR_COMPLEX128 };

/* A case: matrices, and an array of them. */
struct linalg_case {
	int64_t count, m, n, min;
	dpr_dtype dtype;
	int layout;
	struct matrices x;
	dpr_array *a;
	/* Makes an array of matrices; NULL: with this layout. */
	dpr_array *(*make)(const struct linalg_case *c,
			   const struct matrices *x);
};

/* Begin case @i of a list of sizes, with random matrices.  @test is a number of
   the caller, for another dtype of large matrices.  Returns false if the case
   is left out. */
static inline bool linalg_begin(struct linalg_case *c,
				const int64_t (*sizes)[3], int i, int test)
{
	const int64_t *size = sizes[i / 4];
	const int64_t most = size[1] > size[2] ? size[1] : size[2];

	*c = (struct linalg_case){
		.count = size[0],
		.m = size[1],
		.n = size[2],
		.min = size[1] < size[2] ? size[1] : size[2],
		.dtype = linalg_dtypes[i % 4],
		.layout = (i / 4 + i % 4) % LAYOUTS,
	};
	if (!dpr_dtype_computes(test_device, c->dtype) || leaves_out(i, 7))
		return false;
	/* Loops in C take long for large matrices. */
	if (most > 64 && (getenv("DPR_TEST_SMALL") || takes_few()))
		return false;
	if (most >= LARGE && (i + test + test_again) % 4)
		return false;
	c->x = matrices_of(c->count, c->m, c->n, c->dtype);
	return true;
}

/* Make an array of matrices, in the dtype of the case. */
static inline dpr_array *linalg_array(const struct linalg_case *c,
				      const struct matrices *x)
{
	return c->make ? c->make(c, x) : matrices_array(x, c->dtype, c->layout);
}

static inline dpr_dtype linalg_real(dpr_dtype dtype)
{
	return dtype == DPR_COMPLEX64    ? DPR_FLOAT32
	       : dtype == DPR_COMPLEX128 ? DPR_FLOAT64
					 : dtype;
}

static inline dpr_dtype linalg_complex(dpr_dtype dtype)
{
	return linalg_real(dtype) == DPR_FLOAT64 ? DPR_COMPLEX128
						 : DPR_COMPLEX64;
}

/* --- Matrices ------------------------------------------------------------- */

/* Make the matrices Hermitian, of numbers that float32 holds.  With @definite
   they become positive definite. */
static inline void linalg_hermitian(struct matrices *x, bool definite)
{
	for (int64_t i = 0; i < x->count; i++) {
		double complex *v = matrix_at(x, i);

		for (int64_t r = 0; r < x->n; r++) {
			for (int64_t c = 0; c < r; c++)
				v[c * x->n + r] = conj(v[r * x->n + c]);
			v[r * x->n + r] =
				(double)(float)(creal(v[r * x->n + r]) +
						(definite ? 2. * (double)x->n
							  : 0));
		}
	}
}

/* A copy of @x, with 77 above the diagonal, or below it. */
static inline struct matrices linalg_spoiled(const struct matrices *x,
					     bool above)
{
	struct matrices y = matrices_new(x->count, x->m, x->n);

	for (int64_t i = 0; i < x->count * x->m * x->n; i++) {
		const int64_t r = i / x->n % x->m, c = i % x->n;

		y.v[i] = (above ? c > r : c < r) ? 77 : x->v[i];
	}
	return y;
}

/* Multiply the columns of @v with the values @w. */
static inline struct matrices linalg_scaled(const struct matrices *v,
					    const struct matrices *w)
{
	struct matrices y = matrices_new(v->count, v->m, v->n);

	for (int64_t i = 0; i < v->count * v->m * v->n; i++)
		y.v[i] = v->v[i] * w->v[i / (v->m * v->n) * w->m + i % v->n];
	return y;
}

/* The first rows and columns. */
static inline struct matrices linalg_part(const struct matrices *x, int64_t m,
					  int64_t n)
{
	struct matrices y = matrices_new(x->count, m, n);

	for (int64_t i = 0; i < x->count; i++)
		for (int64_t r = 0; r < m; r++)
			for (int64_t c = 0; c < n; c++)
				matrix_at(&y, i)[r * n + c] =
					matrix_at(x, i)[r * x->n + c];
	return y;
}

/* --- Checks --------------------------------------------------------------- */

/* Check that the product of @a and @b is @want.  Of large matrices, compare the
   products with a few random vectors: a wrong column cannot hide in them. */
static inline void linalg_expect_product(const struct matrices *a,
					 bool a_transposed,
					 const struct matrices *b,
					 bool b_transposed,
					 const struct matrices *want,
					 double allowed, const char *what)
{
	struct matrices vectors, first, right;

	if (want->m * want->n * (a_transposed ? a->m : a->n) <= 2000000) {
		matrices_expect(
			matrices_product(a, a_transposed, b, b_transposed),
			want, allowed, what);
		return;
	}
	vectors = matrices_of(want->count, want->n, 3, DPR_COMPLEX128);
	first = matrices_product(b, b_transposed, &vectors, false);
	right = matrices_product(want, false, &vectors, false);
	matrices_expect(matrices_product(a, a_transposed, &first, false),
			&right, allowed, what);
	free(vectors.v);
	free(first.v);
	free(right.v);
}

/* Check that the elements above the diagonal, or below it, are 0. */
static inline void linalg_expect_triangle(const struct matrices *x, bool lower,
					  const char *what)
{
	for (int64_t i = 0; i < x->count * x->m * x->n; i++) {
		const int64_t r = i / x->n % x->m, c = i % x->n;

		if ((lower ? c > r : c < r) && x->v[i] != 0)
			ck_abort_msg("%s: element %lld is not 0", what,
				     (long long)i);
	}
}

/* Check that columns, or with @rows rows, are orthonormal. */
static inline void linalg_expect_orthonormal(const struct matrices *x,
					     bool rows, dpr_dtype dtype,
					     const char *what)
{
	struct matrices one = matrices_identity(x->count, rows ? x->m : x->n);

	linalg_expect_product(x, !rows, x, rows, &one,
			      matrices_near(dtype, x->m + x->n), what);
	free(one.v);
}

/* Check that values are in ascending order, or with @sign -1 in descending. */
static inline void linalg_expect_ordered(const struct matrices *w, double sign)
{
	for (int64_t i = 0; i < w->count * w->m; i++)
		if (i % w->m)
			ck_assert(sign * creal(w->v[i]) >=
				  sign * creal(w->v[i - 1]));
}

/* --- A library ------------------------------------------------------------ */

/* Whether there is a LAPACK: without one there is nothing to test. */
static inline bool linalg_has_lapack(void)
{
	dpr_queue *queue;
	dpr_array *one = NULL, *y = NULL;
	dpr_status status = dpr_canonical_queue(NULL, &queue);

	if (!status)
		status = dpr_ones(DPR_SHAPE(1, 1), DPR_FLOAT32, queue, &one);
	if (!status)
		status = dpr_inv(one, &y);
	if (status)
		printf("skipped: %s\n", dpr_last_error());
	dpr_array_release(one);
	dpr_array_release(y);
	return status != DPR_ERROR_UNSUPPORTED;
}

/* Run a suite on every device, and end. */
static inline int linalg_run(Suite *(*suite)(const char *name))
{
	int failed;

	if (!linalg_has_lapack())
		return 77;
	failed = run_on_selected(suite, NULL);
	if (!failed && dpr_finalize()) {
		printf("finalize: %s\n", dpr_last_error());
		failed = EXIT_FAILURE;
	}
	return failed;
}

#endif
