/* SPDX-License-Identifier: Apache-2.0 */
/* linalg_checks.h - checks of the functions of linear algebra by residuals.
   Each takes a case with random matrices, may change these, and fails the test
   where a result is wrong. */
#ifndef TESTS_LINALG_CHECKS_H
#define TESTS_LINALG_CHECKS_H

#include "tests/linalg/linalg_cases.h"

/* --- Cholesky ------------------------------------------------------------- */

static inline void linalg_check_cholesky(struct linalg_case *c)
{
	struct matrices f, half;
	dpr_array *y;

	linalg_hermitian(&c->x, true);
	for (int upper = 0; upper < 2; upper++) {
		half = linalg_spoiled(&c->x, !upper);
		c->a = linalg_array(c, &half);
		CHECK_OK(dpr_cholesky(c->a, upper, &y));
		f = matrices_take(y, c->dtype, 2, "cholesky");
		linalg_expect_triangle(&f, !upper, "cholesky");
		linalg_expect_product(&f, upper, &f, !upper, &c->x,
				      matrices_near(c->dtype, c->n),
				      "cholesky");
		dpr_array_release(c->a);
		free(f.v);
		free(half.v);
	}
}

/* --- Solutions ------------------------------------------------------------ */

/* Make the matrices far from singular: the largest element of a row is not on
   the diagonal, but behind it. */
static inline void linalg_make_regular(struct matrices *x)
{
	for (int64_t i = 0; i < x->count; i++)
		for (int64_t k = 0; k < x->n; k++)
			matrix_at(x, i)[k * x->n + (k + 1) % x->n] =
				(double)(float)(2 + 2 * sqrt((double)x->n));
}

/* Solutions, inverses and negative powers. */
static inline void linalg_check_solutions(struct linalg_case *c)
{
	struct matrices b, y;
	dpr_array *right, *out;

	linalg_make_regular(&c->x);
	c->a = linalg_array(c, &c->x);
	b = matrices_of(c->count, c->n, 3, c->dtype);
	c->layout = (c->layout + 1) % LAYOUTS;
	right = linalg_array(c, &b);
	CHECK_OK(dpr_solve(c->a, right, &out));
	y = matrices_take(out, c->dtype, 2, "solve");
	linalg_expect_product(&c->x, false, &y, false, &b,
			      30 * matrices_near(c->dtype, c->n), "solve");
	free(y.v);
	free(b.v);
	CHECK_OK(dpr_inv(c->a, &out));
	y = matrices_take(out, c->dtype, 2, "inv");
	b = matrices_identity(c->count, c->n);
	linalg_expect_product(&c->x, false, &y, false, &b,
			      100 * matrices_near(c->dtype, c->n), "inv");
	free(y.v);
	CHECK_OK(dpr_matrix_power(c->a, -1, &out));
	y = matrices_take(out, c->dtype, 2, "matrix_power");
	linalg_expect_product(&c->x, false, &y, false, &b,
			      100 * matrices_near(c->dtype, c->n),
			      "matrix_power");
	dpr_array_release(right);
	free(b.v);
	free(y.v);
	dpr_array_release(c->a);
}

/* Make triangular matrices: @x gets 55 in the other triangle.  Returns them
   with zeros there. */
static inline struct matrices linalg_make_triangles(struct matrices *x,
						    bool upper)
{
	struct matrices half = matrices_new(x->count, x->n, x->n);

	for (int64_t i = 0; i < x->count * x->n * x->n; i++) {
		const int64_t r = i / x->n % x->n, p = i % x->n;

		x->v[i] = (double)(float)matrices_random();
		half.v[i] = r == p                    ? 3
			    : (upper ? p > r : p < r) ? x->v[i] / 16
						      : 0;
		x->v[i] = half.v[i] != 0 ? half.v[i] : 55;
	}
	return half;
}

static inline void linalg_check_triangular(struct linalg_case *c)
{
	struct matrices b, y, half;
	dpr_array *right, *out;

	b = matrices_of(c->count, c->n, 2, c->dtype);
	right = linalg_array(c, &b);
	for (int way = 0; way < 4; way++) {
		const int upper = way & 1, unit = way >> 1;

		half = linalg_make_triangles(&c->x, upper);
		c->layout = (c->layout + 1) % LAYOUTS;
		c->a = linalg_array(c, &c->x);
		CHECK_OK(dpr_solve_triangular(c->a, right, upper, unit, &out));
		y = matrices_take(out, c->dtype, 2, "solve_triangular");
		for (int64_t i = 0; unit && i < c->count; i++)
			for (int64_t k = 0; k < c->n; k++)
				matrix_at(&half, i)[k * c->n + k] = 1;
		linalg_expect_product(&half, false, &y, false, &b,
				      1000 * matrices_near(c->dtype, c->n),
				      "solve_triangular");
		dpr_array_release(c->a);
		free(y.v);
		free(half.v);
	}
	dpr_array_release(right);
	free(b.v);
}

/* --- Determinants --------------------------------------------------------- */

/* The determinant, by elimination in place with the largest pivots. */
static inline double complex linalg_determinant(double complex *v, int64_t n)
{
	double complex det = 1;

	for (int64_t k = 0; k < n; k++) {
		int64_t at = k;

		for (int64_t r = k; r < n; r++)
			if (cabs(v[r * n + k]) > cabs(v[at * n + k]))
				at = r;
		if (v[at * n + k] == 0)
			return 0;
		for (int64_t c = 0; at != k && c < n; c++) {
			const double complex z = v[k * n + c];

			v[k * n + c] = v[at * n + c];
			v[at * n + c] = z;
		}
		det *= at == k ? v[k * n + k] : -v[k * n + k];
		for (int64_t r = k + 1; r < n; r++) {
			const double complex f = v[r * n + k] / v[k * n + k];

			for (int64_t c = k; c < n; c++)
				v[r * n + c] -= f * v[k * n + c];
		}
	}
	return det;
}

/* Make matrices whose determinants are near 1: float32 holds no others. */
static inline void linalg_make_unimodular(struct matrices *x)
{
	const double by = 1 / (2 + 2 * sqrt((double)x->n));

	linalg_make_regular(x);
	for (int64_t i = 0; i < x->count * x->n * x->n; i++)
		x->v[i] = (double)(float)(by * creal(x->v[i])) +
			  I * (double)(float)(by * cimag(x->v[i]));
}

static inline void linalg_check_determinants(struct linalg_case *c)
{
	struct matrices y, s, l, want;
	dpr_array *out, *logarithm;

	linalg_make_unimodular(&c->x);
	c->a = linalg_array(c, &c->x);
	CHECK_OK(dpr_det(c->a, &out));
	y = matrices_take(out, c->dtype, 0, "det");
	CHECK_OK(dpr_slogdet(c->a, &out, &logarithm));
	s = matrices_take(out, c->dtype, 0, "slogdet");
	l = matrices_take(logarithm, linalg_real(c->dtype), 0, "slogdet");
	want = matrices_new(c->count, 1, 1);
	for (int64_t i = 0; i < c->count; i++) {
		want.v[i] = linalg_determinant(matrix_at(&c->x, i), c->n);
		y.v[i] /= cabs(want.v[i]);
		s.v[i] *= exp(creal(l.v[i]) - log(cabs(want.v[i])));
		want.v[i] /= cabs(want.v[i]);
	}
	matrices_expect(y, &want, 300 * matrices_near(c->dtype, c->n), "det");
	matrices_expect(s, &want, 300 * matrices_near(c->dtype, c->n),
			"slogdet");
	free(want.v);
	free(l.v);
	dpr_array_release(c->a);
}

/* --- Eigenvalues ---------------------------------------------------------- */

static inline void linalg_check_eigh(struct linalg_case *c)
{
	struct matrices half, w, v, vw;
	dpr_array *out[2];

	linalg_hermitian(&c->x, false);
	for (int upper = 0; upper < 2; upper++) {
		half = linalg_spoiled(&c->x, !upper);
		c->a = linalg_array(c, &half);
		CHECK_OK(dpr_eigh(c->a, upper, &out[0], &out[1]));
		w = matrices_take(out[0], linalg_real(c->dtype), 1, "eigh");
		v = matrices_take(out[1], c->dtype, 2, "eigh");
		linalg_expect_ordered(&w, 1);
		linalg_expect_orthonormal(&v, false, c->dtype, "eigenvectors");
		vw = linalg_scaled(&v, &w);
		linalg_expect_product(&c->x, false, &v, false, &vw,
				      4 * matrices_near(c->dtype, c->n),
				      "eigh");
		CHECK_OK(dpr_eigvalsh(c->a, upper, &out[0]));
		matrices_expect(matrices_take(out[0], linalg_real(c->dtype), 1,
					      "eigvalsh"),
				&w, 4 * matrices_near(c->dtype, c->n),
				"eigvalsh");
		dpr_array_release(c->a);
		free(half.v);
		free(w.v);
		free(v.v);
		free(vw.v);
	}
}

/* Check that the sums of the values are the traces. */
static inline void linalg_expect_traces(const struct linalg_case *c,
					const struct matrices *w)
{
	struct matrices sum = matrices_new(c->count, 1, 1);
	struct matrices traces = matrices_new(c->count, 1, 1);

	for (int64_t i = 0; i < c->count * c->n; i++) {
		sum.v[i / c->n] += w->v[i];
		traces.v[i / c->n] +=
			matrix_at(&c->x, i / c->n)[(i % c->n) * (c->n + 1)];
	}
	matrices_expect(sum, &traces, 20 * matrices_near(c->dtype, c->n),
			"eigvals");
	free(traces.v);
}

static inline void linalg_check_eig(struct linalg_case *c)
{
	struct matrices w, v, vw;
	dpr_array *out[2];

	c->a = linalg_array(c, &c->x);
	CHECK_OK(dpr_eig(c->a, &out[0], &out[1]));
	w = matrices_take(out[0], linalg_complex(c->dtype), 1, "eig");
	v = matrices_take(out[1], linalg_complex(c->dtype), 2, "eig");
	vw = linalg_scaled(&v, &w);
	linalg_expect_product(&c->x, false, &v, false, &vw,
			      20 * matrices_near(c->dtype, c->n), "eig");
	for (int64_t i = 0; i < c->count * c->n; i++) {
		const double complex *at = matrix_at(&v, i / c->n);
		double norm = 0;

		for (int64_t k = 0; k < c->n; k++)
			norm += pow(cabs(at[k * c->n + i % c->n]), 2);
		ck_assert(fabs(norm - 1) < 1e-5);
	}
	free(w.v);
	CHECK_OK(dpr_eigvals(c->a, &out[0]));
	w = matrices_take(out[0], linalg_complex(c->dtype), 1, "eigvals");
	linalg_expect_traces(c, &w);
	free(w.v);
	free(v.v);
	free(vw.v);
	dpr_array_release(c->a);
}

/* --- Factors -------------------------------------------------------------- */

static inline void linalg_check_lu(struct linalg_case *c)
{
	struct matrices p, l, u, one, product;
	dpr_array *out[3];

	c->a = linalg_array(c, &c->x);
	CHECK_OK(dpr_lu(c->a, &out[0], &out[1], &out[2]));
	p = matrices_take(out[0], c->dtype, 2, "lu");
	l = matrices_take(out[1], c->dtype, 2, "lu");
	u = matrices_take(out[2], c->dtype, 2, "lu");
	linalg_expect_triangle(&l, true, "l");
	linalg_expect_triangle(&u, false, "u");
	for (int64_t i = 0; i < c->count; i++)
		for (int64_t k = 0; k < c->min; k++)
			ck_assert(matrix_at(&l, i)[k * c->min + k] == 1);
	one = matrices_identity(c->count, c->m);
	linalg_expect_product(&p, true, &p, false, &one,
			      c->m < LARGE ? 0 : 1e-9, "p");
	for (int64_t i = 0; i < c->count * c->m * c->m; i++)
		ck_assert(p.v[i] == 0 || p.v[i] == 1);
	product = matrices_product(&p, false, &l, false);
	linalg_expect_product(&product, false, &u, false, &c->x,
			      matrices_near(c->dtype, c->m + c->n), "p l u");
	free(product.v);
	free(one.v);
	free(p.v);
	free(l.v);
	free(u.v);
	dpr_array_release(c->a);
}

static inline void linalg_check_qr(struct linalg_case *c)
{
	struct matrices q, r;
	dpr_array *out[2];

	c->a = linalg_array(c, &c->x);
	for (int mode = 0; mode < 2; mode++) {
		CHECK_OK(dpr_qr(c->a, (dpr_qr_mode)mode, &out[0], &out[1]));
		q = matrices_take(out[0], c->dtype, 2, "q");
		r = matrices_take(out[1], c->dtype, 2, "r");
		ck_assert_int_eq(q.n, mode ? c->m : c->min);
		linalg_expect_triangle(&r, false, "r");
		linalg_expect_orthonormal(&q, false, c->dtype, "q");
		linalg_expect_product(&q, false, &r, false, &c->x,
				      matrices_near(c->dtype, c->m + c->n),
				      "q r");
		free(q.v);
		free(r.v);
	}
	dpr_array_release(c->a);
}

/* --- Singular values ------------------------------------------------------ */

static inline void linalg_check_svd(struct linalg_case *c)
{
	struct matrices u, s, vh, us, first;
	dpr_array *out[3];

	c->a = linalg_array(c, &c->x);
	for (int full = 0; full < 2; full++) {
		CHECK_OK(dpr_svd(c->a, full, &out[0], &out[1], &out[2]));
		u = matrices_take(out[0], c->dtype, 2, "u");
		s = matrices_take(out[1], linalg_real(c->dtype), 1, "s");
		vh = matrices_take(out[2], c->dtype, 2, "vh");
		ck_assert_int_eq(u.n, full ? c->m : c->min);
		ck_assert_int_eq(vh.m, full ? c->n : c->min);
		ck_assert_int_eq(s.m, c->min);
		linalg_expect_ordered(&s, -1);
		linalg_expect_orthonormal(&u, false, c->dtype, "u");
		linalg_expect_orthonormal(&vh, true, c->dtype, "vh");
		first = linalg_part(&u, c->m, c->min);
		us = linalg_scaled(&first, &s);
		free(first.v);
		first = linalg_part(&vh, c->min, c->n);
		linalg_expect_product(&us, false, &first, false, &c->x,
				      matrices_near(c->dtype, c->m + c->n),
				      "u s vh");
		CHECK_OK(dpr_svdvals(c->a, &out[0]));
		matrices_expect(matrices_take(out[0], linalg_real(c->dtype), 1,
					      "svdvals"),
				&s, matrices_near(c->dtype, c->m), "svdvals");
		free(first.v);
		free(us.v);
		free(u.v);
		free(s.v);
		free(vh.v);
	}
	dpr_array_release(c->a);
}

/* Fill with small integers. */
static inline void linalg_fill_integers(struct matrices *x, dpr_dtype dtype)
{
	const bool parts = dpr_dtype_kind(dtype) == 'c';

	for (int64_t i = 0; i < x->count * x->m * x->n; i++) {
		const double re = (double)(int)(matrices_random() * 8);

		x->v[i] = parts ? re + I * (double)(int)(matrices_random() * 8)
				: re;
	}
}

/* Matrices of a rank, of integers, so that float32 holds them. */
static inline struct matrices linalg_of_rank(const struct linalg_case *c,
					     int64_t rank)
{
	struct matrices p = matrices_new(c->count, c->m, rank), x;
	struct matrices q = matrices_new(c->count, rank, c->n);

	linalg_fill_integers(&p, c->dtype);
	linalg_fill_integers(&q, c->dtype);
	for (int64_t i = 0; i < c->count; i++)
		for (int64_t k = 0; k < rank; k++) {
			matrix_at(&p, i)[k * rank + k] += 60;
			matrix_at(&q, i)[k * c->n + k] += 60;
		}
	x = matrices_product(&p, false, &q, false);
	free(p.v);
	free(q.v);
	return x;
}

/* Check that all elements of an int64 array are @rank. */
static inline void linalg_expect_rank(dpr_array *out, int64_t rank,
				      const char *what)
{
	struct matrices y = matrices_take(out, DPR_INT64, 0, what);

	for (int64_t i = 0; i < y.count; i++)
		ck_assert_msg(creal(y.v[i]) == (double)rank, "%s: %g", what,
			      creal(y.v[i]));
	free(y.v);
}

/* Matrices of a rank, which is 2 at most for more than 64 rows. */
static inline void linalg_check_pinv_and_lstsq(struct linalg_case *c,
					       int64_t rank)
{
	struct matrices p, xp, y, b, want;
	dpr_array *right, *out[3];
	double near;

	free(c->x.v);
	c->x = linalg_of_rank(c, rank);
	c->a = linalg_array(c, &c->x);
	CHECK_OK(dpr_matrix_rank(c->a, dpr_operand_none(), &out[0]));
	linalg_expect_rank(out[0], rank, "matrix_rank");
	near = 100 * matrices_near(c->dtype, c->m + c->n);
	CHECK_OK(dpr_pinv(c->a, dpr_operand_none(), &out[0]));
	p = matrices_take(out[0], c->dtype, 2, "pinv");
	xp = matrices_product(&c->x, false, &p, false);
	linalg_expect_product(&xp, false, &c->x, false, &c->x, near, "x p x");
	free(xp.v);
	xp = matrices_product(&p, false, &c->x, false);
	linalg_expect_product(&xp, false, &p, false, &p, near, "p x p");
	free(xp.v);
	b = matrices_of(c->count, c->m, 2, c->dtype);
	right = linalg_array(c, &b);
	want = matrices_product(&p, false, &b, false);
	CHECK_OK(dpr_lstsq(c->a, right, dpr_operand_none(), &out[0], &out[1],
			   &out[2]));
	matrices_expect(matrices_take(out[0], c->dtype, 2, "lstsq"), &want,
			near, "lstsq");
	linalg_expect_rank(out[1], rank, "lstsq");
	y = matrices_take(out[2], linalg_real(c->dtype), 1, "lstsq");
	ck_assert_int_eq(y.m, c->min);
	free(y.v);
	free(want.v);
	free(b.v);
	free(p.v);
	dpr_array_release(right);
	dpr_array_release(c->a);
}

/* --- Norms ---------------------------------------------------------------- */

/* The largest or the least sum of a row, or of a column. */
static inline double linalg_sum_of(const struct linalg_case *c, int64_t i,
				   bool columns, bool least)
{
	const double complex *v = matrix_at(&c->x, i);
	double found = least ? INFINITY : 0;

	for (int64_t a = 0; a < (columns ? c->n : c->m); a++) {
		double sum = 0;

		for (int64_t b = 0; b < (columns ? c->m : c->n); b++)
			sum += cabs(v[columns ? b * c->n + a : a * c->n + b]);
		found = least ? fmin(found, sum) : fmax(found, sum);
	}
	return found;
}

/* A norm of matrix @i, whose singular values are @s. */
static inline double linalg_norm_of(const struct linalg_case *c,
				    const struct matrices *s, int64_t i,
				    dpr_norm ord)
{
	const double complex *v = matrix_at(&c->x, i), *w = matrix_at(s, i);
	double sum = 0;

	switch (ord) {
	case DPR_NORM_FRO:
		for (int64_t k = 0; k < c->m * c->n; k++)
			sum += pow(cabs(v[k]), 2);
		return sqrt(sum);
	case DPR_NORM_NUC:
		for (int64_t k = 0; k < c->min; k++)
			sum += creal(w[k]);
		return sum;
	case DPR_NORM_2: return creal(w[0]);
	case DPR_NORM_MINUS_2: return creal(w[c->min - 1]);
	case DPR_NORM_1: return linalg_sum_of(c, i, true, false);
	case DPR_NORM_MINUS_1: return linalg_sum_of(c, i, true, true);
	case DPR_NORM_INF: return linalg_sum_of(c, i, false, false);
	case DPR_NORM_MINUS_INF: return linalg_sum_of(c, i, false, true);
	}
	return NAN;
}

/* Check the condition: the quotient of the largest and the least value. */
static inline void linalg_expect_condition(const struct linalg_case *c,
					   const struct matrices *s)
{
	struct matrices one = matrices_new(c->count, 1, 1), y;
	dpr_array *out;

	CHECK_OK(dpr_cond(c->a, DPR_NORM_2, &out));
	y = matrices_take(out, linalg_real(c->dtype), 0, "cond");
	for (int64_t i = 0; i < c->count; i++) {
		one.v[i] = 1;
		y.v[i] *= matrix_at(s, i)[c->min - 1] / matrix_at(s, i)[0];
	}
	matrices_expect(y, &one, matrices_near(c->dtype, c->m + c->n), "cond");
	free(one.v);
}

static inline void linalg_check_norms(struct linalg_case *c)
{
	struct matrices s, want;
	dpr_array *out;

	c->a = linalg_array(c, &c->x);
	if (c->min == 0) {
		dpr_array_release(c->a);
		return;
	}
	CHECK_OK(dpr_svdvals(c->a, &out));
	s = matrices_take(out, linalg_real(c->dtype), 1, "svdvals");
	want = matrices_new(c->count, 1, 1);
	for (int ord = DPR_NORM_FRO; ord <= DPR_NORM_MINUS_INF; ord++) {
		for (int64_t i = 0; i < c->count; i++)
			want.v[i] = linalg_norm_of(c, &s, i, (dpr_norm)ord);
		CHECK_OK(dpr_matrix_norm(c->a, (dpr_norm)ord, 0, &out));
		matrices_expect(matrices_take(out, linalg_real(c->dtype), 0,
					      "matrix_norm"),
				&want, matrices_near(c->dtype, c->m + c->n),
				"matrix_norm");
	}
	linalg_expect_condition(c, &s);
	free(want.v);
	free(s.v);
	dpr_array_release(c->a);
}

#endif
