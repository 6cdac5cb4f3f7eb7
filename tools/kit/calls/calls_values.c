/* SPDX-License-Identifier: Apache-2.0 */
/* calls_values.c - LAPACK's routines for eigenvalues and singular values.  The
   matrices are made from values, which are then expected. */
#include <math.h>

#include "tools/kit/calls/calls_job.h"

/* Multiply the columns of @x with the elements of a vector. */
static void scale_columns(struct calls_matrix *x, const struct calls_matrix *w)
{
	for (int64_t j = 0; j < x->columns; j++)
		for (int64_t i = 0; i < x->rows; i++)
			*calls_at(x, i, j) *= w->at[j];
}

/* --- syevd ---------------------------------------------------------------- */

/* The eigenvalues, of which some are below 0. */
static void hermitian_values(struct calls_matrix *w, int64_t n)
{
	calls_zeros(w, n, 1);
	for (int64_t i = 0; i < n; i++)
		w->at[i] = (double)i * 0.75 - (double)n / 4;
}

/* Only the named triangle is written. */
static void prepare_syevd(struct calls_job *job, int way)
{
	const int64_t n = job->v.n;
	const bool upper = way / 2;
	struct calls_matrix q, scaled, w, a;

	job->v.flags = (way % 2 ? DPRP_LAPACK_VECTORS : 0) |
		       (upper ? DPRP_LAPACK_UPPER : 0);
	calls_add(job, calls_own(job), n, n);
	hermitian_values(&w, n);
	for (int64_t p = 0; p < job->at->count; p++) {
		calls_unitary(job, &q, n);
		scaled = q;
		scale_columns(&scaled, &w);
		calls_product(&scaled, false, &q, true, &a);
		for (int64_t j = 0; j < n; j++)
			for (int64_t i = upper ? 0 : j; i < (upper ? j + 1 : n);
			     i++)
				calls_put_one(
					job, 0, p, i, j,
					i == j ? creal(*calls_at(&a, i, i))
					       : *calls_at(&a, i, j));
	}
	calls_add(job, calls_real(job), n, 1);
}

/* Check that a v and v w are near. */
static void check_vectors(const struct calls_job *job,
			  const struct calls_matrix *a, struct calls_matrix *v,
			  const struct calls_matrix *w)
{
	struct calls_matrix product;

	calls_product(a, false, v, false, &product);
	scale_columns(v, w);
	calls_compare(job, &product, v, "vectors for which a v = v w");
}

static void check_syevd(struct calls_job *job, int64_t problem)
{
	const bool upper = job->v.flags & DPRP_LAPACK_UPPER;
	struct calls_matrix a, v, w, want;

	calls_get(job, 1, problem, &w);
	hermitian_values(&want, job->v.n);
	calls_compare(job, &w, &want, "the eigenvalues in ascending order");
	if (!(job->v.flags & DPRP_LAPACK_VECTORS))
		return;
	calls_before(job, 0, problem, &a);
	for (int64_t j = 0; j < a.columns; j++)
		for (int64_t i = 0; i < a.rows; i++)
			if (upper ? i > j : i < j)
				*calls_at(&a, i, j) = conj(*calls_at(&a, j, i));
	calls_get(job, 0, problem, &v);
	calls_orthonormal(job, &v, false, "orthonormal vectors");
	check_vectors(job, &a, &v, &w);
}

const struct calls_routine calls_syevd_routine = {
	.name = "syevd",
	.flags = DPRP_LAPACK_UPPER | DPRP_LAPACK_VECTORS,
	.ways = 4,
	.fits = calls_is_square,
	.prepare = prepare_syevd,
	.check = check_syevd,
};

/* --- geev ----------------------------------------------------------------- */

/* Make an upper triangular matrix, or for real dtypes one with blocks of two
   rows on its diagonal, and its eigenvalues. */
static void triangular(struct calls_job *job, struct calls_matrix *t,
		       struct calls_matrix *w)
{
	const int64_t n = job->v.n;

	calls_fill(job, t, n, n);
	calls_zeros(w, n, 1);
	for (int64_t i = 0; i < n * n; i++)
		t->at[i] /= (double)(n + 2);
	calls_clear_triangle(t, false);
	for (int64_t i = 0; i < n; i++) {
		const double x = 1 + (double)i / 2, y = 0.5 + (double)(i % 3);

		w->at[i] = job->type->parts == 2 ? x + I * y : x;
		*calls_at(t, i, i) = w->at[i];
		if (job->type->parts == 2 || i + 1 == n || i % 3 == 0)
			continue;
		w->at[i] = x + I * y;
		w->at[i + 1] = x - I * y;
		*calls_at(t, i, i + 1) = y;
		*calls_at(t, i + 1, i) = -y;
		*calls_at(t, i + 1, i + 1) = x;
		i++;
	}
}

static void prepare_geev(struct calls_job *job, int way)
{
	const int64_t n = job->v.n;
	struct calls_matrix q, t, w, half, a;

	job->v.flags = way ? DPRP_LAPACK_VECTORS : 0;
	calls_add(job, calls_own(job), n, n);
	for (int64_t p = 0; p < job->at->count; p++) {
		calls_unitary(job, &q, n);
		triangular(job, &t, &w);
		calls_product(&q, false, &t, false, &half);
		calls_product(&half, false, &q, true, &a);
		calls_put(job, 0, p, &a);
	}
	calls_add(job, calls_complex(job), n, 1);
	calls_add(job, calls_complex(job), n, n)->is_idle = !way;
}

/* Compare values in any order.  The matrix is not normal, so they may be
   further off than a residual. */
static void check_values(const struct calls_job *job, struct calls_matrix *w,
			 const struct calls_matrix *want)
{
	const double allowed = 8 * calls_allowed(job) * (double)w->rows;

	for (int64_t i = 0; i < want->rows; i++) {
		int64_t near = 0;

		for (int64_t k = 0; k < w->rows; k++)
			if (cabs(w->at[k] - want->at[i]) <
			    cabs(w->at[near] - want->at[i]))
				near = k;
		if (!(cabs(w->at[near] - want->at[i]) <= allowed)) {
			calls_bad(job, "the eigenvalues", "none near %g%+gi",
				  creal(want->at[i]), cimag(want->at[i]));
			return;
		}
		w->at[near] = INFINITY;
	}
}

static void check_geev(struct calls_job *job, int64_t problem)
{
	struct calls_matrix a, v, w, want, found;

	triangular(job, &a, &want);
	calls_get(job, 1, problem, &w);
	found = w;
	check_values(job, &found, &want);
	if (!(job->v.flags & DPRP_LAPACK_VECTORS))
		return;
	calls_before(job, 0, problem, &a);
	calls_get(job, 2, problem, &v);
	for (int64_t j = 0; j < v.columns; j++) {
		double norm = 0;

		for (int64_t i = 0; i < v.rows; i++)
			norm += pow(cabs(*calls_at(&v, i, j)), 2);
		if (!(fabs(norm - 1) <= calls_allowed(job)))
			calls_bad(job, "vectors of norm 1",
				  "vector %d of norm %g", (int)j, sqrt(norm));
	}
	check_vectors(job, &a, &v, &w);
}

const struct calls_routine calls_geev_routine = {
	.name = "geev",
	.flags = DPRP_LAPACK_VECTORS,
	.ways = 2,
	.fits = calls_is_square,
	.prepare = prepare_geev,
	.check = check_geev,
};

/* --- gesdd ---------------------------------------------------------------- */

static void singular_values(struct calls_matrix *s, int64_t min)
{
	calls_zeros(s, min, 1);
	for (int64_t i = 0; i < min; i++)
		s->at[i] = 0.5 + (double)(min - 1 - i) * 0.75;
}

/* Keep the first columns. */
static void keep_columns(struct calls_matrix *x, int64_t columns)
{
	x->columns = columns;
}

static void prepare_gesdd(struct calls_job *job, int way)
{
	static const int64_t flags[] = {
		0, DPRP_LAPACK_VECTORS, DPRP_LAPACK_VECTORS | DPRP_LAPACK_FULL
	};
	const int64_t m = job->at->m, n = job->at->n, min = calls_smaller(m, n);
	struct calls_matrix u, v, s, a;

	job->v.m = m;
	job->v.flags = flags[way];
	calls_add(job, calls_own(job), m, n);
	singular_values(&s, min);
	for (int64_t p = 0; p < job->at->count; p++) {
		calls_unitary(job, &u, m);
		calls_unitary(job, &v, n);
		keep_columns(&u, min);
		keep_columns(&v, min);
		scale_columns(&u, &s);
		calls_product(&u, false, &v, true, &a);
		calls_put(job, 0, p, &a);
	}
	calls_add(job, calls_real(job), min, 1);
	calls_add(job, calls_own(job), m, way == 2 ? m : min)->is_idle = !way;
	calls_add(job, calls_own(job), way == 2 ? n : min, n)->is_idle = !way;
}

static void check_gesdd(struct calls_job *job, int64_t problem)
{
	const int64_t m = job->at->m, n = job->at->n, min = calls_smaller(m, n);
	struct calls_matrix a, u, s, vh, want, first, product;

	calls_get(job, 1, problem, &s);
	singular_values(&want, min);
	calls_compare(job, &s, &want,
		      "the singular values in descending order");
	if (!(job->v.flags & DPRP_LAPACK_VECTORS))
		return;
	calls_before(job, 0, problem, &a);
	calls_get(job, 2, problem, &u);
	calls_get(job, 3, problem, &vh);
	calls_orthonormal(job, &u, false, "u with orthonormal columns");
	calls_orthonormal(job, &vh, true, "vh with orthonormal rows");
	keep_columns(&u, min);
	scale_columns(&u, &s);
	calls_zeros(&first, min, n);
	for (int64_t j = 0; j < n; j++)
		for (int64_t i = 0; i < min; i++)
			*calls_at(&first, i, j) = *calls_at(&vh, i, j);
	calls_product(&u, false, &first, false, &product);
	calls_compare(job, &product, &a, "the matrix as u diag(s) vh");
}

const struct calls_routine calls_gesdd_routine = {
	.name = "gesdd",
	.flags = DPRP_LAPACK_VECTORS | DPRP_LAPACK_FULL,
	.ways = 3,
	.fits = calls_is_any,
	.prepare = prepare_gesdd,
	.check = check_gesdd,
};
