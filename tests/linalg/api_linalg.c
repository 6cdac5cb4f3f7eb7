/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_linalg.c - factors, solutions, eigenvalues and singular values on all
 * devices: by residuals, in every size and dtype, in batches and layouts.
 */
#include "tests/linalg/matrices.h"

static const dpr_dtype dtypes[] = { DPR_FLOAT64, DPR_COMPLEX64, DPR_FLOAT32,
				    DPR_COMPLEX128 };

/* The cases of square matrices: the number of matrices, and their size. */
static const int64_t squares[][2] = {
	{ 1, 3 }, { 6, 7 }, { 1, 1 }, { 6, 2 }, { 1, 64 }, { 1, 100 },
};
#define SQUARES ((int)(sizeof(squares) / sizeof(squares[0])))

/* The cases of other matrices. */
static const int64_t others[][3] = {
	{ 6, 7, 3 }, { 1, 3, 7 }, { 1, 4, 4 },    { 6, 2, 5 },
	{ 1, 1, 9 }, { 1, 9, 1 }, { 1, 100, 64 }, { 1, 64, 100 },
};
#define OTHERS ((int)(sizeof(others) / sizeof(others[0])))

/* Each case has one dtype and one layout, so that all meet. */
static bool choose(int i, const int64_t *size, int n, dpr_dtype *dtype,
		   int *layout)
{
	int64_t most = 0;

	for (int k = 0; k < n; k++)
		most = size[k] > most ? size[k] : most;
	*dtype = dtypes[i % 4];
	*layout = (i + i / 4) % LAYOUTS;
	/* Loops in C take long for large matrices. */
	return dpr_dtype_computes(test_device, *dtype) && !leaves_out(i, 7) &&
	       !(getenv("DPR_TEST_SMALL") && most > 64);
}

static dpr_dtype real_of(dpr_dtype dtype)
{
	return dtype == DPR_COMPLEX64    ? DPR_FLOAT32
	       : dtype == DPR_COMPLEX128 ? DPR_FLOAT64
					 : dtype;
}

static dpr_dtype complex_of(dpr_dtype dtype)
{
	return real_of(dtype) == DPR_FLOAT64 ? DPR_COMPLEX128 : DPR_COMPLEX64;
}

/* Hermitian matrices, which are positive definite with @definite, of numbers
   that float32 holds. */
static struct matrices hermitian(int64_t count, int64_t n, dpr_dtype dtype,
				 bool definite)
{
	struct matrices b = matrices_of(count, n, n, dtype), x;

	x = definite ? matrices_product(&b, false, &b, true)
		     : matrices_new(count, n, n);
	for (int64_t i = 0; i < count; i++) {
		double complex *v = matrix_at(&x, i), *w = matrix_at(&b, i);

		for (int64_t r = 0; r < n; r++)
			for (int64_t c = 0; c <= r; c++) {
				double complex z =
					definite ? v[r * n + c] : w[r * n + c];

				if (definite && c == r)
					z += 1;
				z = (double)(float)creal(z) +
				    (c < r ? I * (double)(float)cimag(z) : 0);
				v[r * n + c] = z;
				v[c * n + r] = conj(z);
			}
	}
	free(b.v);
	return x;
}

/* A copy of @x, with 77 above the diagonal, or below it. */
static struct matrices spoiled(const struct matrices *x, bool above)
{
	struct matrices y = matrices_new(x->count, x->m, x->n);

	for (int64_t i = 0; i < x->count * x->m * x->n; i++) {
		const int64_t r = i / x->n % x->m, c = i % x->n;

		y.v[i] = (above ? c > r : c < r) ? 77 : x->v[i];
	}
	return y;
}

/* Check that the elements above the diagonal, or below it, are 0. */
static void expect_triangle(const struct matrices *x, bool lower,
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
static void expect_orthonormal(const struct matrices *x, bool rows,
			       dpr_dtype dtype, const char *what)
{
	const int64_t n = rows ? x->m : x->n;
	struct matrices one = matrices_identity(x->count, n);

	matrices_expect(matrices_product(x, !rows, x, rows), &one,
			matrices_near(dtype, x->m + x->n), what);
	free(one.v);
}

/* --- Cholesky ------------------------------------------------------------- */

START_TEST(cholesky)
{
	const int64_t *size = squares[_i / 4];
	struct matrices x, f, half;
	dpr_dtype dtype;
	dpr_array *a, *y;
	int layout;

	if (!choose(_i + _i / 4, size, 2, &dtype, &layout))
		return;
	x = hermitian(size[0], size[1], dtype, true);
	for (int upper = 0; upper < 2; upper++) {
		half = spoiled(&x, !upper);
		a = matrices_array(&half, dtype, layout);
		CHECK_OK(dpr_cholesky(a, upper, &y));
		f = matrices_take(y, dtype, 2, "cholesky");
		expect_triangle(&f, !upper, "cholesky");
		matrices_expect(matrices_product(&f, upper, &f, !upper), &x,
				matrices_near(dtype, size[1]), "cholesky");
		dpr_array_release(a);
		free(f.v);
		free(half.v);
	}
	free(x.v);
}
END_TEST

/* --- Solutions ------------------------------------------------------------ */

START_TEST(solve)
{
	const int64_t *size = squares[_i / 4];
	struct matrices x, b, y;
	dpr_dtype dtype;
	dpr_array *a, *c, *out;
	int layout;

	if (!choose(_i + _i / 4, size, 2, &dtype, &layout))
		return;
	x = matrices_of(size[0], size[1], size[1], dtype);
	b = matrices_of(size[0], size[1], 3, dtype);
	for (int64_t i = 0; i < size[0]; i++)
		for (int64_t k = 0; k < size[1]; k++)
			matrix_at(&x, i)[k * size[1] + k] = 2;
	a = matrices_array(&x, dtype, layout);
	c = matrices_array(&b, dtype, (layout + 1) % LAYOUTS);
	CHECK_OK(dpr_solve(a, c, &out));
	y = matrices_take(out, dtype, 2, "solve");
	matrices_expect(matrices_product(&x, false, &y, false), &b,
			30 * matrices_near(dtype, size[1]), "solve");
	free(y.v);
	CHECK_OK(dpr_inv(a, &out));
	y = matrices_take(out, dtype, 2, "inv");
	free(b.v);
	b = matrices_identity(size[0], size[1]);
	matrices_expect(matrices_product(&x, false, &y, false), &b,
			100 * matrices_near(dtype, size[1]), "inv");
	dpr_array_release(a);
	dpr_array_release(c);
	free(x.v);
	free(b.v);
	free(y.v);
}
END_TEST

START_TEST(solve_triangular)
{
	const int64_t *size = squares[_i / 4];
	struct matrices x, b, y, half;
	dpr_dtype dtype;
	dpr_array *a, *c, *out;
	int layout;

	if (!choose(_i + _i / 4, size, 2, &dtype, &layout))
		return;
	x = matrices_of(size[0], size[1], size[1], dtype);
	b = matrices_of(size[0], size[1], 2, dtype);
	c = matrices_array(&b, dtype, layout);
	for (int way = 0; way < 4; way++) {
		const int upper = way & 1, unit = way >> 1;

		half = matrices_new(size[0], size[1], size[1]);
		for (int64_t i = 0; i < size[0] * size[1] * size[1]; i++) {
			const int64_t r = i / size[1] % size[1];
			const int64_t p = i % size[1];

			half.v[i] = r == p                    ? 3
				    : (upper ? p > r : p < r) ? x.v[i] / 16
							      : 0;
		}
		for (int64_t i = 0; i < size[0] * size[1] * size[1]; i++)
			x.v[i] = half.v[i] != 0 ? half.v[i] : 55;
		a = matrices_array(&x, dtype, (layout + way) % LAYOUTS);
		CHECK_OK(dpr_solve_triangular(a, c, upper, unit, &out));
		y = matrices_take(out, dtype, 2, "solve_triangular");
		for (int64_t i = 0; unit && i < size[0] * size[1] * size[1];
		     i++)
			if (i / size[1] % size[1] == i % size[1])
				half.v[i] = 1;
		matrices_expect(matrices_product(&half, false, &y, false), &b,
				1000 * matrices_near(dtype, size[1]),
				"solve_triangular");
		for (int64_t i = 0; i < size[0] * size[1] * size[1]; i++)
			x.v[i] = (double)(float)matrices_random();
		dpr_array_release(a);
		free(y.v);
		free(half.v);
	}
	dpr_array_release(c);
	free(x.v);
	free(b.v);
}
END_TEST

/* --- LU and determinants -------------------------------------------------- */

/* The determinant, by elimination in place with the largest pivots. */
static double complex eliminate(double complex *v, int64_t n)
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

START_TEST(determinants)
{
	const int64_t *size = squares[_i / 4];
	struct matrices x, y, s, l, want;
	dpr_dtype dtype;
	dpr_array *a, *out, *logarithm;
	int layout;

	if (!choose(_i + _i / 4, size, 2, &dtype, &layout))
		return;
	x = matrices_of(size[0], size[1], size[1], dtype);
	/* Determinants of many rows are too large for float32 otherwise. */
	for (int64_t i = 0; size[1] > 7 && i < size[0] * size[1] * size[1]; i++)
		x.v[i] /= 4;
	a = matrices_array(&x, dtype, layout);
	CHECK_OK(dpr_det(a, &out));
	y = matrices_take(out, dtype, 0, "det");
	CHECK_OK(dpr_slogdet(a, &out, &logarithm));
	s = matrices_take(out, dtype, 0, "slogdet");
	l = matrices_take(logarithm, real_of(dtype), 0, "slogdet");
	want = matrices_new(size[0], 1, 1);
	for (int64_t i = 0; i < size[0]; i++) {
		want.v[i] = eliminate(matrix_at(&x, i), size[1]);
		y.v[i] /= cabs(want.v[i]);
		s.v[i] *= exp(creal(l.v[i]) - log(cabs(want.v[i])));
		want.v[i] /= cabs(want.v[i]);
	}
	matrices_expect(y, &want, 300 * matrices_near(dtype, size[1]), "det");
	matrices_expect(s, &want, 300 * matrices_near(dtype, size[1]),
			"slogdet");
	dpr_array_release(a);
	free(want.v);
	free(l.v);
	free(x.v);
}
END_TEST

START_TEST(lu)
{
	const int64_t *size = others[_i / 4];
	const int64_t n = size[1] < size[2] ? size[1] : size[2];
	struct matrices x, p, l, u, one, product;
	dpr_array *a, *out[3];
	dpr_dtype dtype;
	int layout;

	if (!choose(_i + _i / 4, size, 3, &dtype, &layout))
		return;
	x = matrices_of(size[0], size[1], size[2], dtype);
	a = matrices_array(&x, dtype, layout);
	CHECK_OK(dpr_lu(a, &out[0], &out[1], &out[2]));
	p = matrices_take(out[0], dtype, 2, "lu");
	l = matrices_take(out[1], dtype, 2, "lu");
	u = matrices_take(out[2], dtype, 2, "lu");
	expect_triangle(&l, true, "l");
	expect_triangle(&u, false, "u");
	for (int64_t i = 0; i < size[0]; i++)
		for (int64_t k = 0; k < n; k++)
			ck_assert(matrix_at(&l, i)[k * n + k] == 1);
	one = matrices_identity(size[0], size[1]);
	matrices_expect(matrices_product(&p, true, &p, false), &one, 0, "p");
	for (int64_t i = 0; i < size[0] * size[1] * size[1]; i++)
		ck_assert(p.v[i] == 0 || p.v[i] == 1);
	product = matrices_product(&p, false, &l, false);
	matrices_expect(matrices_product(&product, false, &u, false), &x,
			matrices_near(dtype, size[1] + size[2]), "p l u");
	dpr_array_release(a);
	free(product.v);
	free(one.v);
	free(p.v);
	free(l.v);
	free(u.v);
	free(x.v);
}
END_TEST

/* --- QR ------------------------------------------------------------------- */

START_TEST(qr)
{
	const int64_t *size = others[_i / 4];
	struct matrices x, q, r;
	dpr_array *a, *out[2];
	dpr_dtype dtype;
	int layout;

	if (!choose(_i + _i / 4, size, 3, &dtype, &layout))
		return;
	x = matrices_of(size[0], size[1], size[2], dtype);
	a = matrices_array(&x, dtype, layout);
	for (int mode = 0; mode < 2; mode++) {
		CHECK_OK(dpr_qr(a, (dpr_qr_mode)mode, &out[0], &out[1]));
		q = matrices_take(out[0], dtype, 2, "q");
		r = matrices_take(out[1], dtype, 2, "r");
		ck_assert_int_eq(q.n,
				 mode || size[1] < size[2] ? size[1] : size[2]);
		expect_triangle(&r, false, "r");
		expect_orthonormal(&q, false, dtype, "q");
		matrices_expect(matrices_product(&q, false, &r, false), &x,
				matrices_near(dtype, size[1] + size[2]), "q r");
		free(q.v);
		free(r.v);
	}
	dpr_array_release(a);
	free(x.v);
}
END_TEST

/* --- Eigenvalues ---------------------------------------------------------- */

/* Multiply the columns of @v with the values @w. */
static struct matrices scaled(const struct matrices *v,
			      const struct matrices *w)
{
	struct matrices y = matrices_new(v->count, v->m, v->n);

	for (int64_t i = 0; i < v->count * v->m * v->n; i++)
		y.v[i] = v->v[i] * w->v[i / (v->m * v->n) * w->m + i % v->n];
	return y;
}

static void expect_ordered(const struct matrices *w, double sign)
{
	for (int64_t i = 0; i < w->count * w->m; i++)
		if (i % w->m)
			ck_assert(sign * creal(w->v[i]) >=
				  sign * creal(w->v[i - 1]));
}

START_TEST(eigh)
{
	const int64_t *size = squares[_i / 4];
	struct matrices x, half, w, v, vw;
	dpr_array *a, *out[2];
	dpr_dtype dtype;
	int layout;

	if (!choose(_i + _i / 4, size, 2, &dtype, &layout))
		return;
	x = hermitian(size[0], size[1], dtype, false);
	for (int upper = 0; upper < 2; upper++) {
		half = spoiled(&x, !upper);
		a = matrices_array(&half, dtype, layout);
		CHECK_OK(dpr_eigh(a, upper, &out[0], &out[1]));
		w = matrices_take(out[0], real_of(dtype), 1, "eigh");
		v = matrices_take(out[1], dtype, 2, "eigh");
		expect_ordered(&w, 1);
		expect_orthonormal(&v, false, dtype, "eigenvectors");
		vw = scaled(&v, &w);
		matrices_expect(matrices_product(&x, false, &v, false), &vw,
				4 * matrices_near(dtype, size[1]), "eigh");
		CHECK_OK(dpr_eigvalsh(a, upper, &out[0]));
		matrices_expect(
			matrices_take(out[0], real_of(dtype), 1, "eigvalsh"),
			&w, 4 * matrices_near(dtype, size[1]), "eigvalsh");
		dpr_array_release(a);
		free(half.v);
		free(w.v);
		free(v.v);
		free(vw.v);
	}
	free(x.v);
}
END_TEST

START_TEST(eig)
{
	const int64_t *size = squares[_i / 4];
	struct matrices x, w, v, vw, sum, traces;
	dpr_array *a, *out[2];
	dpr_dtype dtype;
	int layout;

	if (!choose(_i + _i / 4, size, 2, &dtype, &layout))
		return;
	x = matrices_of(size[0], size[1], size[1], dtype);
	a = matrices_array(&x, dtype, layout);
	CHECK_OK(dpr_eig(a, &out[0], &out[1]));
	w = matrices_take(out[0], complex_of(dtype), 1, "eig");
	v = matrices_take(out[1], complex_of(dtype), 2, "eig");
	vw = scaled(&v, &w);
	matrices_expect(matrices_product(&x, false, &v, false), &vw,
			20 * matrices_near(dtype, size[1]), "eig");
	for (int64_t i = 0; i < size[0] * size[1]; i++) {
		const double complex *at = matrix_at(&v, i / size[1]);
		double norm = 0;

		for (int64_t k = 0; k < size[1]; k++)
			norm += pow(cabs(at[k * size[1] + i % size[1]]), 2);
		ck_assert(fabs(norm - 1) < 1e-5);
	}
	CHECK_OK(dpr_eigvals(a, &out[0]));
	free(w.v);
	w = matrices_take(out[0], complex_of(dtype), 1, "eigvals");
	sum = matrices_new(size[0], 1, 1);
	traces = matrices_new(size[0], 1, 1);
	for (int64_t i = 0; i < size[0] * size[1]; i++) {
		sum.v[i / size[1]] += w.v[i];
		traces.v[i / size[1]] += matrix_at(
			&x, i / size[1])[(i % size[1]) * (size[1] + 1)];
	}
	matrices_expect(sum, &traces, 20 * matrices_near(dtype, size[1]),
			"eigvals");
	dpr_array_release(a);
	free(traces.v);
	free(w.v);
	free(v.v);
	free(vw.v);
	free(x.v);
}
END_TEST

/* --- Singular values ------------------------------------------------------ */

START_TEST(svd)
{
	const int64_t *size = others[_i / 4];
	const int64_t n = size[1] < size[2] ? size[1] : size[2];
	struct matrices x, u, s, vh, us, first;
	dpr_array *a, *out[3];
	dpr_dtype dtype;
	int layout;

	if (!choose(_i + _i / 4, size, 3, &dtype, &layout))
		return;
	x = matrices_of(size[0], size[1], size[2], dtype);
	a = matrices_array(&x, dtype, layout);
	for (int full = 0; full < 2; full++) {
		CHECK_OK(dpr_svd(a, full, &out[0], &out[1], &out[2]));
		u = matrices_take(out[0], dtype, 2, "u");
		s = matrices_take(out[1], real_of(dtype), 1, "s");
		vh = matrices_take(out[2], dtype, 2, "vh");
		ck_assert_int_eq(u.n, full ? size[1] : n);
		ck_assert_int_eq(vh.m, full ? size[2] : n);
		ck_assert_int_eq(s.m, n);
		expect_ordered(&s, -1);
		expect_orthonormal(&u, false, dtype, "u");
		expect_orthonormal(&vh, true, dtype, "vh");
		/* The first columns of u, times s. */
		first = matrices_new(size[0], size[1], n);
		for (int64_t i = 0; i < size[0] * size[1] * n; i++)
			first.v[i] = u.v[i / n * u.n + i % n];
		us = scaled(&first, &s);
		free(first.v);
		first = matrices_new(size[0], n, size[2]);
		for (int64_t i = 0; i < size[0]; i++)
			memcpy(matrix_at(&first, i), matrix_at(&vh, i),
			       (size_t)(n * size[2]) * sizeof(*vh.v));
		matrices_expect(matrices_product(&us, false, &first, false), &x,
				matrices_near(dtype, size[1] + size[2]),
				"u s vh");
		CHECK_OK(dpr_svdvals(a, &out[0]));
		matrices_expect(
			matrices_take(out[0], real_of(dtype), 1, "svdvals"), &s,
			matrices_near(dtype, size[1]), "svdvals");
		free(first.v);
		free(us.v);
		free(u.v);
		free(s.v);
		free(vh.v);
	}
	dpr_array_release(a);
	free(x.v);
}
END_TEST

/* Matrices of a rank, of small integers, so that float32 holds them. */
static struct matrices of_rank(const int64_t size[3], int64_t rank)
{
	struct matrices p = matrices_new(size[0], size[1], rank), x;
	struct matrices q = matrices_new(size[0], rank, size[2]);

	for (int64_t i = 0; i < size[0] * size[1] * rank; i++)
		p.v[i] = (double)(int)(matrices_random() * 8);
	for (int64_t i = 0; i < size[0] * size[2] * rank; i++)
		q.v[i] = (double)(int)(matrices_random() * 8);
	for (int64_t i = 0; i < size[0]; i++)
		for (int64_t k = 0; k < rank; k++) {
			matrix_at(&p, i)[k * rank + k] += 40;
			matrix_at(&q, i)[k * size[2] + k] += 40;
		}
	x = matrices_product(&p, false, &q, false);
	free(p.v);
	free(q.v);
	return x;
}

/* Matrices of the rank 2, and of full rank. */
START_TEST(pinv_and_lstsq)
{
	const int64_t *size = others[_i / 4];
	const int64_t n = size[1] < size[2] ? size[1] : size[2];
	const int64_t rank = _i % 2 && n > 2 ? 2 : n;
	struct matrices x, p, xp, y, b, want;
	dpr_array *a, *c, *out[3];
	dpr_dtype dtype;
	double near;
	int layout;

	if (!choose(_i + _i / 4, size, 3, &dtype, &layout))
		return;
	x = of_rank(size, rank);
	a = matrices_array(&x, dtype, layout);
	CHECK_OK(dpr_matrix_rank(a, dpr_operand_none(), &out[0]));
	y = matrices_take(out[0], DPR_INT64, 0, "matrix_rank");
	for (int64_t i = 0; i < size[0]; i++)
		ck_assert(creal(y.v[i]) == (double)rank);
	free(y.v);
	near = 100 * matrices_near(dtype, size[1] + size[2]);
	CHECK_OK(dpr_pinv(a, dpr_operand_none(), &out[0]));
	p = matrices_take(out[0], dtype, 2, "pinv");
	xp = matrices_product(&x, false, &p, false);
	matrices_expect(matrices_product(&xp, false, &x, false), &x, near,
			"x p x");
	free(xp.v);
	xp = matrices_product(&p, false, &x, false);
	matrices_expect(matrices_product(&xp, false, &p, false), &p, near,
			"p x p");
	free(xp.v);
	b = matrices_of(size[0], size[1], 2, dtype);
	c = matrices_array(&b, dtype, PACKED);
	want = matrices_product(&p, false, &b, false);
	CHECK_OK(
		dpr_lstsq(a, c, dpr_operand_none(), &out[0], &out[1], &out[2]));
	matrices_expect(matrices_take(out[0], dtype, 2, "lstsq"), &want, near,
			"lstsq");
	y = matrices_take(out[1], DPR_INT64, 0, "lstsq");
	ck_assert(creal(y.v[size[0] - 1]) == (double)rank);
	free(y.v);
	y = matrices_take(out[2], real_of(dtype), 1, "lstsq");
	ck_assert_int_eq(y.m, n);
	free(y.v);
	free(want.v);
	free(b.v);
	free(p.v);
	free(x.v);
	dpr_array_release(a);
	dpr_array_release(c);
}
END_TEST

/* --- A large matrix ------------------------------------------------------- */

/* Loops over 513 rows take a second, so this is one product: x y and x times
   the vectors of an eigenvalue problem. */
START_TEST(large)
{
	struct matrices x, b, y, vw, w;
	dpr_array *a, *c, *out[2];

	if (getenv("DPR_TEST_SMALL") || takes_few() ||
	    !dpr_dtype_computes(test_device, DPR_FLOAT64))
		return;
	x = hermitian(1, 513, DPR_FLOAT64, false);
	b = matrices_of(1, 513, 1, DPR_FLOAT64);
	a = matrices_array(&x, DPR_FLOAT64, PACKED);
	c = matrices_array(&b, DPR_FLOAT64, PACKED);
	CHECK_OK(dpr_solve(a, c, &out[0]));
	y = matrices_take(out[0], DPR_FLOAT64, 2, "solve");
	matrices_expect(matrices_product(&x, false, &y, false), &b, 1e-9,
			"solve");
	free(y.v);
	CHECK_OK(dpr_eigh(a, 0, &out[0], &out[1]));
	w = matrices_take(out[0], DPR_FLOAT64, 1, "eigh");
	y = matrices_take(out[1], DPR_FLOAT64, 2, "eigh");
	vw = scaled(&y, &w);
	matrices_expect(matrices_product(&x, false, &y, false), &vw, 1e-11,
			"eigh");
	dpr_array_release(a);
	dpr_array_release(c);
	free(vw.v);
	free(w.v);
	free(y.v);
	free(x.v);
	free(b.v);
}
END_TEST

/* Explain an expression of x, and check that the text has @path or, with NULL,
   nothing about a LAPACK. */
static void check_path(const char *expression, const dpr_array *x,
		       const char *path)
{
	const dpr_binding binding = { "x", dpr_operand_array(x) };
	dpr_expression *e;
	char *text;

	CHECK_OK(dpr_expression_create(expression, &e));
	CHECK_OK(dpr_expression_explain(e, &binding, 1, NULL, &text));
	ck_assert_msg(path ? strstr(text, path) != NULL
			   : strstr(text, "LAPACK") == NULL,
		      "%s", text);
	dpr_free(text);
	dpr_expression_release(e);
}

/* An explanation says where the library computes: on the device, or in host
   memory if the device does not have the routine. */
START_TEST(explained)
{
	static const struct {
		const char *expression, *routine;
	} cases[] = { { "inv(x) * 2", "gesv float32" },
		      { "w, v = eigh(x); v + 1", "syevd float32" } };
	dpr_array *x;

	CHECK_OK(dpr_eye(3, 3, 0, DPR_FLOAT32, test_queue, &x));
	for (int i = 0; i < 2; i++) {
		const char *name = cases[i].routine;
		const dpr_image image = { "calls-1", NULL, name, strlen(name) };
		dpr_program *program = NULL;
		const bool away = dpr_program_build(test_queue, &image, 1, NULL,
						    &program);

		dpr_program_release(program);
		check_path(cases[i].expression, x,
			   away ? "eager, LAPACK through host memory\n"
				: "eager, LAPACK\n");
	}
	check_path("x @ x + 1", x, NULL);
	dpr_array_release(x);
}
END_TEST

static Suite *linear_algebra(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("linalg");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, cholesky, 0, 4 * SQUARES);
	tcase_add_loop_test(tcase, solve, 0, 4 * SQUARES);
	tcase_add_loop_test(tcase, solve_triangular, 0, 4 * SQUARES);
	tcase_add_loop_test(tcase, determinants, 0, 4 * SQUARES);
	tcase_add_loop_test(tcase, lu, 0, 4 * OTHERS);
	tcase_add_loop_test(tcase, qr, 0, 4 * OTHERS);
	tcase_add_loop_test(tcase, eigh, 0, 4 * SQUARES);
	tcase_add_loop_test(tcase, eig, 0, 4 * SQUARES);
	tcase_add_loop_test(tcase, svd, 0, 4 * OTHERS);
	tcase_add_loop_test(tcase, pinv_and_lstsq, 0, 4 * OTHERS);
	tcase_add_test(tcase, large);
	tcase_add_test(tcase, explained);
	suite_add_tcase(suite, tcase);
	return suite;
}

/* Whether there is a LAPACK: without one there is nothing to test. */
static bool has_lapack(void)
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

int main(void)
{
	int failed;

	if (!has_lapack())
		return 77;
	failed = run_on_selected(linear_algebra, NULL);
	if (!failed && dpr_finalize()) {
		printf("finalize: %s\n", dpr_last_error());
		failed = EXIT_FAILURE;
	}
	return failed;
}
