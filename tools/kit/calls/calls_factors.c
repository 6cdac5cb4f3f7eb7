/* SPDX-License-Identifier: Apache-2.0 */
/* calls_factors.c - LAPACK's routines for factors and solutions. */
#include <math.h>

#include "tools/kit/calls/calls_job.h"

/* In a batch, let matrix 1 have no result.  Returns its number, or -1. */
static int64_t spoil(struct calls_job *job, int64_t info)
{
	if (job->at->count > 1) {
		job->bad = 1;
		job->bad_info = info;
	}
	return job->bad;
}

/* --- potrf ---------------------------------------------------------------- */

/* Only the named triangle is written. */
static void prepare_potrf(struct calls_job *job, int way)
{
	const int64_t n = job->v.n;
	const bool upper = way == 1;
	struct calls_matrix b, a;
	int64_t bad;

	job->v.flags = upper ? DPRP_LAPACK_UPPER : 0;
	calls_add(job, calls_own(job), n, n);
	for (int64_t p = 0; p < job->at->count; p++) {
		calls_fill(job, &b, n, n);
		calls_product(&b, false, &b, true, &a);
		for (int64_t j = 0; j < n; j++)
			for (int64_t i = upper ? 0 : j; i < (upper ? j + 1 : n);
			     i++)
				calls_put_one(
					job, 0, p, i, j,
					i == j ? 1 + creal(*calls_at(&a, i, i))
					       : *calls_at(&a, i, j));
	}
	bad = spoil(job, n / 2 + 1);
	if (bad >= 0)
		calls_put_one(job, 0, bad, n / 2, n / 2, -1);
}

/* The other triangle of a has NaN, before and after. */
static void check_potrf(struct calls_job *job, int64_t problem)
{
	const bool upper = job->v.flags & DPRP_LAPACK_UPPER;
	struct calls_matrix a, f, product;

	calls_before(job, 0, problem, &a);
	calls_get(job, 0, problem, &f);
	for (int64_t j = 0; j < a.columns; j++)
		for (int64_t i = 0; i < a.rows; i++)
			if (upper ? i > j : i < j) {
				if (!isnan(creal(*calls_at(&f, i, j))))
					calls_bad(job,
						  "only the named triangle "
						  "is written",
						  "element (%d, %d) was "
						  "written",
						  (int)i, (int)j);
				*calls_at(&a, i, j) = conj(*calls_at(&a, j, i));
			}
	for (int64_t i = 0; i < a.rows; i++)
		if (!(creal(*calls_at(&f, i, i)) > 0))
			calls_bad(job, "a diagonal above 0", "%g in row %d",
				  creal(*calls_at(&f, i, i)), (int)i);
	calls_clear_triangle(&f, !upper);
	calls_product(&f, upper, &f, !upper, &product);
	calls_compare(job, &product, &a,
		      upper ? "the matrix as U^H U" : "the matrix as L L^H");
}

const struct calls_routine calls_potrf_routine = {
	.name = "potrf",
	.flags = DPRP_LAPACK_UPPER,
	.ways = 2,
	.fits = calls_is_square,
	.prepare = prepare_potrf,
	.check = check_potrf,
};

/* --- getrf ---------------------------------------------------------------- */

/* The pivots are in other rows than those of the diagonal, and large enough for
   a matrix far from singular.  A singular matrix has a column of zeros. */
static void fill_general(struct calls_job *job, int64_t rows, int64_t columns)
{
	const int64_t column = calls_smaller(rows, columns) / 2;
	const int64_t bad = spoil(job, column + 1);
	const double more = 2 + 2 * sqrt((double)columns);
	struct calls_matrix a;

	for (int64_t p = 0; p < job->at->count; p++) {
		calls_fill(job, &a, rows, columns);
		for (int64_t j = 0; j < columns; j++)
			*calls_at(&a, (j + 1) % rows, j) += more;
		if (rows > 1)
			a.at[0] = 0;
		for (int64_t i = 0; p == bad && i < rows; i++)
			*calls_at(&a, i, column) = 0;
		calls_put(job, 0, p, &a);
	}
}

static void prepare_getrf(struct calls_job *job, int way)
{
	const int64_t m = job->at->m, n = job->at->n;

	(void)way;
	job->v.m = m;
	calls_add(job, calls_own(job), m, n);
	calls_add(job, 'p', calls_smaller(m, n), 1);
	fill_general(job, m, n);
}

/* Exchange rows of @a.  Returns whether the pivots are rows. */
static bool exchange(const struct calls_job *job, struct calls_matrix *a,
		     const struct calls_matrix *pivots)
{
	for (int64_t i = 0; i < pivots->rows; i++) {
		const double row = creal(pivots->at[i]);

		if (row < (double)(i + 1) || row > (double)a->rows) {
			calls_bad(job,
				  "a pivot from its own row, counted from 1, "
				  "to the last",
				  "%g for row %d", row, (int)i + 1);
			return false;
		}
		for (int64_t j = 0; j < a->columns; j++) {
			double complex *x = calls_at(a, i, j);
			double complex *y = calls_at(a, (int64_t)row - 1, j);
			const double complex kept = *x;

			*x = *y;
			*y = kept;
		}
	}
	return true;
}

/* Take @f apart into L, whose diagonal is 1, and U. */
static void take_apart(struct calls_matrix *f, struct calls_matrix *l,
		       struct calls_matrix *u)
{
	const int64_t min = calls_smaller(f->rows, f->columns);

	calls_identity(l, f->rows, min);
	calls_zeros(u, min, f->columns);
	for (int64_t j = 0; j < f->columns; j++)
		for (int64_t i = 0; i < f->rows; i++)
			*(i <= j ? calls_at(u, i, j) : calls_at(l, i, j)) =
				*calls_at(f, i, j);
}

static void check_getrf(struct calls_job *job, int64_t problem)
{
	struct calls_matrix a, f, pivots, l, u, product;

	calls_before(job, 0, problem, &a);
	calls_get(job, 0, problem, &f);
	calls_get(job, 1, problem, &pivots);
	if (!exchange(job, &a, &pivots))
		return;
	take_apart(&f, &l, &u);
	/* A complex pivot is the largest by the sum of its parts. */
	for (int64_t j = 0; j < l.columns; j++)
		for (int64_t i = j + 1; i < l.rows; i++)
			if (cabs(*calls_at(&l, i, j)) > 1.5)
				calls_bad(job,
					  "the largest pivots, so that no "
					  "element of L is above 1",
					  "%g in row %d",
					  cabs(*calls_at(&l, i, j)), (int)i);
	calls_product(&l, false, &u, false, &product);
	calls_compare(job, &product, &a, "the matrix as P L U");
}

const struct calls_routine calls_getrf_routine = {
	.name = "getrf",
	.ways = 1,
	.has_factors = true,
	.fits = calls_is_any,
	.prepare = prepare_getrf,
	.check = check_getrf,
};

/* --- getri ---------------------------------------------------------------- */

/* Factors with a diagonal far from 0, and any pivots.  Matrices that interlock
   have the same pivots, whose stride is 0. */
static void prepare_getri(struct calls_job *job, int way)
{
	const int64_t n = job->v.n, bad = spoil(job, n / 2 + 1);
	const bool is_single = job->at->layout == CALLS_INTERLOCK;
	struct calls_matrix a, pivots;

	(void)way;
	calls_add(job, calls_own(job), n, n);
	calls_add(job, 'p', n, 1)->is_read = true;
	if (is_single)
		job->v.stride[1] = job->args[1].stride = 0;
	for (int64_t p = 0; p < job->at->count; p++) {
		calls_fill(job, &a, n, n);
		calls_zeros(&pivots, n, 1);
		for (int64_t j = 0; j < n; j++) {
			for (int64_t i = 0; i < n; i++)
				*calls_at(&a, i, j) /= (double)n;
			*calls_at(&a, j, j) += 2;
			pivots.at[j] =
				(double)(j + 1 + calls_draw(job, n - j));
		}
		if (p == bad)
			*calls_at(&a, n / 2, n / 2) = 0;
		calls_put(job, 0, p, &a);
		if (!is_single || p == 0)
			calls_put(job, 1, p, &pivots);
	}
}

static void check_getri(struct calls_job *job, int64_t problem)
{
	struct calls_matrix f, pivots, l, u, a, x, one, product;

	calls_before(job, 0, problem, &f);
	calls_before(job, 1, problem, &pivots);
	calls_get(job, 0, problem, &x);
	take_apart(&f, &l, &u);
	calls_product(&l, false, &u, false, &a);
	for (int64_t i = a.rows - 1; i >= 0; i--) {
		const int64_t row = (int64_t)creal(pivots.at[i]) - 1;

		for (int64_t j = 0; j < a.columns; j++) {
			const double complex kept = *calls_at(&a, i, j);

			*calls_at(&a, i, j) = *calls_at(&a, row, j);
			*calls_at(&a, row, j) = kept;
		}
	}
	calls_identity(&one, a.rows, a.rows);
	calls_product(&a, false, &x, false, &product);
	calls_compare(job, &product, &one, "the inverse x, so that a x = 1");
}

const struct calls_routine calls_getri_routine = {
	.name = "getri",
	.ways = 1,
	.fits = calls_is_square,
	.prepare = prepare_getri,
	.check = check_getri,
};

/* --- gesv ----------------------------------------------------------------- */

static void prepare_gesv(struct calls_job *job, int way)
{
	const int64_t n = job->v.n, k = job->at->k;
	struct calls_matrix b;

	job->v.flags = way ? DPRP_LAPACK_TRANSPOSED : 0;
	job->v.k = k;
	calls_add(job, calls_own(job), n, n);
	fill_general(job, n, n);
	calls_add(job, calls_own(job), n, k);
	for (int64_t p = 0; p < job->at->count; p++) {
		calls_fill(job, &b, n, k);
		calls_put(job, 1, p, &b);
	}
}

/* Look at the residual: a x near b. */
static void check_solution(struct calls_job *job, int64_t problem,
			   const struct calls_matrix *a)
{
	struct calls_matrix b, x, product;

	calls_before(job, 1, problem, &b);
	calls_get(job, 1, problem, &x);
	calls_product(a, false, &x, false, &product);
	calls_compare(job, &product, &b, "a solution x of a x = b");
}

/* Set @out to the matrix that the flags stand for. */
static void turn(const struct calls_job *job, struct calls_matrix *a,
		 struct calls_matrix *out)
{
	const int64_t flags = job->v.flags;

	*out = *a;
	for (int64_t j = 0; j < a->rows; j++)
		for (int64_t i = 0; i < a->rows; i++)
			if (flags & DPRP_LAPACK_TRANSPOSED)
				*calls_at(out, i, j) = *calls_at(a, j, i);
			else if (flags & DPRP_LAPACK_CONJUGATED)
				*calls_at(out, i, j) = conj(*calls_at(a, j, i));
}

static void check_gesv(struct calls_job *job, int64_t problem)
{
	struct calls_matrix a, turned;

	calls_before(job, 0, problem, &a);
	turn(job, &a, &turned);
	check_solution(job, problem, &turned);
}

const struct calls_routine calls_gesv_routine = {
	.name = "gesv",
	.flags = DPRP_LAPACK_TRANSPOSED,
	.ways = 2,
	.fits = calls_is_square,
	.prepare = prepare_gesv,
	.check = check_gesv,
};

/* --- trtrs ---------------------------------------------------------------- */

/* Only the named triangle is written, and no diagonal of ones.  Matrices that
   interlock are replaced by a single one, whose stride is 0. */
static void prepare_trtrs(struct calls_job *job, int way)
{
	static const int64_t transposed[] = { 0, DPRP_LAPACK_TRANSPOSED,
					      DPRP_LAPACK_CONJUGATED };
	const int64_t n = job->v.n, k = job->at->k;
	const bool is_single = job->at->layout == CALLS_INTERLOCK;
	const bool upper = way / 3 % 2, unit = way / 6;
	struct calls_matrix a;

	job->v.flags = transposed[way % 3] | (upper ? DPRP_LAPACK_UPPER : 0) |
		       (unit ? DPRP_LAPACK_UNIT : 0);
	job->v.k = k;
	calls_add(job, calls_own(job), n, n)->is_read = true;
	if (is_single)
		job->v.stride[0] = job->args[0].stride = 0;
	for (int64_t p = 0; p < job->at->count; p++) {
		calls_fill(job, &a, n, n);
		for (int64_t j = 0; j < n; j++)
			for (int64_t i = 0; i < n; i++)
				if (i == j ? !unit : upper ? i < j : i > j)
					calls_put_one(
						job, 0, p, i, j,
						i == j ? 3 + *calls_at(&a, i, j)
						       : *calls_at(&a, i, j) /
								 (double)n);
		/* A diagonal of ones is not read. */
		if (unit)
			calls_put_one(job, 0, p, n / 2, n / 2, 0);
	}
	if (!unit && !is_single && spoil(job, n / 2 + 1) >= 0)
		calls_put_one(job, 0, job->bad, n / 2, n / 2, 0);
	calls_add(job, calls_own(job), n, k);
	for (int64_t p = 0; p < job->at->count; p++) {
		calls_fill(job, &a, n, k);
		calls_put(job, 1, p, &a);
	}
}

static void check_trtrs(struct calls_job *job, int64_t problem)
{
	const int64_t flags = job->v.flags;
	const bool upper = flags & DPRP_LAPACK_UPPER;
	struct calls_matrix a, turned;

	calls_before(job, 0, problem, &a);
	calls_clear_triangle(&a, !upper);
	for (int64_t i = 0; flags & DPRP_LAPACK_UNIT && i < a.rows; i++)
		*calls_at(&a, i, i) = 1;
	turn(job, &a, &turned);
	check_solution(job, problem, &turned);
}

const struct calls_routine calls_trtrs_routine = {
	.name = "trtrs",
	.flags = DPRP_LAPACK_UPPER | DPRP_LAPACK_UNIT | DPRP_LAPACK_TRANSPOSED |
		 DPRP_LAPACK_CONJUGATED,
	.ways = 12,
	.fits = calls_is_square,
	.prepare = prepare_trtrs,
	.check = check_trtrs,
};

/* --- geqrf ---------------------------------------------------------------- */

static void prepare_geqrf(struct calls_job *job, int way)
{
	const int64_t m = job->at->m, n = job->at->n;
	struct calls_matrix a;

	(void)way;
	job->v.m = m;
	calls_add(job, calls_own(job), m, n);
	for (int64_t p = 0; p < job->at->count; p++) {
		calls_fill(job, &a, m, n);
		calls_put(job, 0, p, &a);
	}
	calls_add(job, calls_own(job), calls_smaller(m, n), 1);
}

/* Q is the product of the reflections, in their order. */
static void check_geqrf(struct calls_job *job, int64_t problem)
{
	struct calls_matrix a, f, tau, r;

	calls_before(job, 0, problem, &a);
	calls_get(job, 0, problem, &f);
	calls_get(job, 1, problem, &tau);
	r = f;
	calls_clear_triangle(&r, false);
	for (int64_t i = tau.rows - 1; i >= 0; i--)
		calls_reflect(&f, i, tau.at[i], &r);
	calls_compare(job, &r, &a, "the matrix as Q R");
}

const struct calls_routine calls_geqrf_routine = {
	.name = "geqrf",
	.ways = 1,
	.fits = calls_is_any,
	.prepare = prepare_geqrf,
	.check = check_geqrf,
};

/* --- orgqr ---------------------------------------------------------------- */

/* Make the tau of column @i, of norm 1 for a complex matrix: a reflection is
   unitary if |tau|^2 |v|^2 is twice the real part of tau. */
static double complex tau_for(struct calls_job *job,
			      const struct calls_matrix *v, int64_t column)
{
	const double angle = job->type->parts == 2 ? 1 + calls_random(job) : 0;
	double norm = 1;

	for (int64_t i = column + 1; i < v->rows; i++)
		norm += pow(cabs(v->at[i + column * v->rows]), 2);
	return (1 + cos(angle) + I * sin(angle)) / norm;
}

/* Matrices that interlock have the same reflections, and so one tau, whose
   stride is 0.  Columns behind those are of no meaning. */
static void prepare_orgqr(struct calls_job *job, int way)
{
	const int64_t m = job->at->m, n = job->at->n;
	const int64_t k = calls_smaller(job->at->k, n);
	const bool is_single = job->at->layout == CALLS_INTERLOCK;
	struct calls_matrix a, tau;

	(void)way;
	job->v.m = m;
	job->v.k = k;
	calls_add(job, calls_own(job), m, n);
	calls_add(job, calls_own(job), k, 1)->is_read = true;
	if (is_single)
		job->v.stride[1] = job->args[1].stride = 0;
	for (int64_t p = 0; p < job->at->count; p++) {
		if (!is_single || p == 0) {
			calls_fill(job, &a, m, n);
			calls_zeros(&tau, k, 1);
			for (int64_t i = 0; i < k; i++)
				tau.at[i] = tau_for(job, &a, i);
			calls_put(job, 1, p, &tau);
		}
		calls_put(job, 0, p, &a);
	}
}

static void check_orgqr(struct calls_job *job, int64_t problem)
{
	struct calls_matrix a, tau, q, got;

	calls_before(job, 0, problem, &a);
	calls_before(job, 1, problem, &tau);
	calls_get(job, 0, problem, &got);
	calls_identity(&q, a.rows, a.columns);
	for (int64_t i = tau.rows - 1; i >= 0; i--)
		calls_reflect(&a, i, tau.at[i], &q);
	calls_orthonormal(job, &got, false, "Q^H Q = 1");
	calls_compare(job, &got, &q, "Q, the product of the reflections");
}

const struct calls_routine calls_orgqr_routine = {
	.name = "orgqr",
	.ways = 1,
	.fits = calls_is_tall,
	.prepare = prepare_orgqr,
	.check = check_orgqr,
};
