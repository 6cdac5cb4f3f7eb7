/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lapack_routines.h - tests of LAPACK's routines as kernels, for programs that
 * run them on a device: their values, for each dtype, in batches with and
 * without gaps; and wrong arguments.
 */
#ifndef TESTS_LAPACK_ROUTINES_H
#define TESTS_LAPACK_ROUTINES_H

#include "tests/functions/lapack_job.h"

static const int sizes[] = { 1, 2, 5, 33, 70 };
#define SIZES ((int)(sizeof(sizes) / sizeof(sizes[0])))

/* The extent in iteration @i of a test.  Loops in C take long for the largest. */
static int64_t extent_of(int i)
{
	const int64_t n = sizes[i / DTYPES];

	return n > 64 && getenv("DPR_TEST_SMALL") ? 40 : n;
}

/* Many of small matrices, so that the batch is divided. */
static int64_t count_for(int64_t n)
{
	return n < 10 ? 40 : 2;
}

/* --- Factors and solutions ------------------------------------------------ */

/* Keep a triangle of a matrix. */
static void keep_triangle(struct matrix *x, bool upper)
{
	for (int64_t j = 0; j < x->columns; j++)
		for (int64_t i = 0; i < x->rows; i++)
			if (upper ? i > j : i < j)
				x->at[i + j * x->rows] = 0;
}

START_TEST(cholesky)
{
	const int64_t n = extent_of(_i);
	struct matrix before, after, left;
	struct job job;

	for (int upper = 0; upper < 2; upper++) {
		begin(&job, _i % DTYPES, 0, n, 0, count_for(n));
		job.v.flags = upper ? DPRP_LAPACK_UPPER : 0;
		fill(&job, add(&job, own_kind(&job), n, n, true));
		make_definite(&job.args[0]);
		add(&job, 'i', 1, 1, false);
		before = matrix_of(&job.args[0], job.count - 1);
		solve(&job, "potrf");
		after = matrix_of(&job.args[0], job.count - 1);
		for (int64_t j = 0; j < n; j++)
			for (int64_t i = 0; i < n; i++)
				if ((upper ? i > j : i < j) &&
				    after.at[i + j * n] != before.at[i + j * n])
					ck_abort_msg("the other triangle was "
						     "touched");
		keep_triangle(&after, upper);
		left = matrix_new(n, n);
		for (int64_t j = 0; j < n; j++)
			for (int64_t i = 0; i < n; i++)
				left.at[i + j * n] = conj(after.at[j + i * n]);
		check_near(&job,
			   upper ? difference(&left, false, &after, n, &before)
				 : difference(&after, false, &left, n, &before),
			   "potrf");
		free(left.at);
		free(before.at);
		free(after.at);
		end(&job);
	}
}
END_TEST

/* Exchange rows as the pivots say. */
static void exchange(struct matrix *x, const struct arg *pivots, int64_t b)
{
	for (int64_t i = 0; i < pivots->rows; i++) {
		const int64_t k = (int64_t)creal(get(pivots, b, i, 0)) - 1;

		ck_assert(k >= i && k < x->rows);
		for (int64_t j = 0; j < x->columns; j++) {
			const double complex kept = x->at[i + j * x->rows];

			x->at[i + j * x->rows] = x->at[k + j * x->rows];
			x->at[k + j * x->rows] = kept;
		}
	}
}

/* The shapes of matrices that need not be square. */
static void shape_of(int64_t n, int shape, int64_t *rows, int64_t *columns)
{
	*rows = n + (shape == 1 ? 3 : 0);
	*columns = n + (shape == 2 ? 3 : 0);
}

START_TEST(lu)
{
	const int64_t n = extent_of(_i);
	struct matrix *before, lower, upper;
	struct job job;
	int64_t m, k;

	for (int shape = 0; shape < 3; shape++) {
		shape_of(n, shape, &m, &k);
		begin(&job, _i % DTYPES, m, k, 0, count_for(n));
		fill(&job, add(&job, own_kind(&job), m, k, false));
		add(&job, 'p', n, 1, true);
		add(&job, 'i', 1, 1, true);
		before = calloc((size_t)job.count, sizeof(*before));
		ck_assert_ptr_nonnull(before);
		for (int64_t b = 0; b < job.count; b++)
			before[b] = matrix_of(&job.args[0], b);
		solve(&job, "getrf");
		/* The pivots of each come from the workspace of its part. */
		for (int64_t b = 0; b < job.count; b++) {
			exchange(&before[b], &job.args[1], b);
			lower = matrix_of(&job.args[0], b);
			upper = matrix_of(&job.args[0], b);
			keep_triangle(&upper, true);
			keep_triangle(&lower, false);
			for (int64_t i = 0; i < n; i++)
				lower.at[i + i * m] = 1;
			check_near(&job,
				   difference(&lower, false, &upper, n,
					      &before[b]),
				   "getrf");
			free(before[b].at);
			free(lower.at);
			free(upper.at);
		}
		free(before);
		end(&job);
	}
}
END_TEST

START_TEST(solutions)
{
	const int64_t n = extent_of(_i), k = 3;
	struct matrix a, b, x;
	struct job job;

	for (int transposed = 0; transposed < 2; transposed++) {
		begin(&job, _i % DTYPES, 0, n, k, count_for(n));
		job.v.flags = transposed ? DPRP_LAPACK_TRANSPOSED : 0;
		fill(&job, add(&job, own_kind(&job), n, n, true));
		/* Rows are exchanged. */
		for (int64_t p = 0; p < job.count; p++)
			for (int64_t j = 0; j < n; j++)
				set(&job.args[0], p, (j + 1) % n, j,
				    2. * (double)n);
		fill(&job, add(&job, own_kind(&job), n, k, false));
		add(&job, 'i', 1, 1, false);
		a = matrix_of(&job.args[0], job.count - 1);
		b = matrix_of(&job.args[1], job.count - 1);
		/* difference() also conjugates what it transposes. */
		for (int64_t i = 0; transposed && i < n * n; i++)
			a.at[i] = conj(a.at[i]);
		solve(&job, "gesv");
		x = matrix_of(&job.args[1], job.count - 1);
		check_near(&job, difference(&a, transposed, &x, n, &b), "gesv");
		free(a.at);
		free(b.at);
		free(x.at);
		end(&job);
	}
}
END_TEST

/* The matrix that the flags of trtrs stand for. */
static struct matrix triangle_of(const struct job *job, int64_t b)
{
	const int64_t n = job->v.n, flags = job->v.flags;
	struct matrix a = matrix_of(&job->args[0], b), y = matrix_new(n, n);
	const bool turns =
		flags & (DPRP_LAPACK_TRANSPOSED | DPRP_LAPACK_CONJUGATED);

	keep_triangle(&a, flags & DPRP_LAPACK_UPPER);
	for (int64_t i = 0; flags & DPRP_LAPACK_UNIT && i < n; i++)
		a.at[i + i * n] = 1;
	for (int64_t j = 0; j < n; j++)
		for (int64_t i = 0; i < n; i++) {
			const double complex z =
				a.at[turns ? j + i * n : i + j * n];

			y.at[i + j * n] =
				flags & DPRP_LAPACK_CONJUGATED ? conj(z) : z;
		}
	free(a.at);
	return y;
}

START_TEST(triangles)
{
	static const int64_t ways[] = { 0, DPRP_LAPACK_TRANSPOSED,
					DPRP_LAPACK_CONJUGATED };
	const int64_t n = extent_of(_i), k = 2;
	struct matrix a, b, x;
	struct job job;

	for (int way = 0; way < 12; way++) {
		begin(&job, _i % DTYPES, 0, n, k, count_for(n));
		job.v.flags = ways[way % 3] |
			      (way / 3 % 2 ? DPRP_LAPACK_UPPER : 0) |
			      (way / 6 ? DPRP_LAPACK_UNIT : 0);
		add(&job, own_kind(&job), n, n, false);
		job.args[0].count = 1;
		fill(&job, &job.args[0]);
		make_definite(&job.args[0]);
		/* With 1 on the diagonal, solutions grow if these are large. */
		for (int64_t j = 0; j < n; j++)
			for (int64_t i = 0; i < n; i++)
				set(&job.args[0], 0, i, j,
				    get(&job.args[0], 0, i, j) / (double)n);
		/* All problems have one matrix. */
		job.v.stride[0] = 0;
		fill(&job, add(&job, own_kind(&job), n, k, true));
		add(&job, 'i', 1, 1, false);
		a = triangle_of(&job, 0);
		b = matrix_of(&job.args[1], job.count - 1);
		solve(&job, "trtrs");
		x = matrix_of(&job.args[1], job.count - 1);
		check_near(&job, difference(&a, false, &x, n, &b), "trtrs");
		free(a.at);
		free(b.at);
		free(x.at);
		end(&job);
	}
}
END_TEST

/* Copy the matrices into others with another number of columns. */
static void copy_columns(const struct arg *from, struct arg *to)
{
	for (int64_t b = 0; b < from->count; b++)
		for (int64_t j = 0; j < from->columns && j < to->columns; j++)
			for (int64_t i = 0; i < from->rows; i++)
				set(to, b, i, j, get(from, b, i, j));
}

START_TEST(qr)
{
	const int64_t n = extent_of(_i);
	struct job job, q;
	int64_t m, k;

	/* The last one is the complete Q of a tall matrix. */
	for (int way = 0; way < 4; way++) {
		const bool is_complete = way == 3;
		struct matrix before, r, made;
		const int64_t last = count_for(n) - 1;

		shape_of(n, is_complete ? 1 : way, &m, &k);
		begin(&job, _i % DTYPES, m, k, 0, count_for(n));
		fill(&job, add(&job, own_kind(&job), m, k, false));
		add(&job, own_kind(&job), n, 1, true);
		add(&job, 'i', 1, 1, false);
		before = matrix_of(&job.args[0], last);
		solve(&job, "geqrf");
		begin(&q, _i % DTYPES, m, is_complete ? m : n, n, last + 1);
		add(&q, own_kind(&q), m, q.v.n, true);
		copy_columns(&job.args[0], &q.args[0]);
		add(&q, own_kind(&q), n, 1, false);
		copy_columns(&job.args[1], &q.args[1]);
		add(&q, 'i', 1, 1, false);
		solve(&q, "orgqr");
		made = matrix_of(&q.args[0], last);
		r = matrix_of(&job.args[0], last);
		keep_triangle(&r, true);
		check_near(&job, difference(&made, true, &made, m, NULL),
			   "Q of orgqr");
		check_near(&job, difference(&made, false, &r, n, &before),
			   "Q R of orgqr");
		free(before.at);
		free(made.at);
		free(r.at);
		end(&q);
		end(&job);
	}
}
END_TEST

/* --- Values and vectors --------------------------------------------------- */

/* The largest difference between a v and v w. */
static double away_from_eigen(const struct matrix *a, const struct matrix *v,
			      const struct matrix *w)
{
	struct matrix scaled = matrix_new(v->rows, v->columns);
	double away;

	for (int64_t j = 0; j < v->columns; j++)
		for (int64_t i = 0; i < v->rows; i++)
			scaled.at[i + j * v->rows] =
				v->at[i + j * v->rows] * w->at[j];
	away = difference(a, false, v, a->columns, &scaled);
	free(scaled.at);
	return away;
}

START_TEST(hermitian)
{
	const int64_t n = extent_of(_i), last = count_for(n) - 1;
	struct matrix a, v, w, values = { 0 };
	struct job job;

	for (int way = 0; way < 4; way++) {
		const bool has_vectors = way % 2, upper = way / 2;

		begin(&job, _i % DTYPES, 0, n, 0, last + 1);
		job.v.flags = (has_vectors ? DPRP_LAPACK_VECTORS : 0) |
			      (upper ? DPRP_LAPACK_UPPER : 0);
		fill(&job, add(&job, own_kind(&job), n, n, true));
		make_definite(&job.args[0]);
		a = matrix_of(&job.args[0], last);
		/* The other triangle does not count. */
		if (n > 1)
			set(&job.args[0], last, upper, !upper, NAN);
		add(&job, real_kind(&job), n, 1, false);
		add(&job, 'i', 1, 1, false);
		solve(&job, "syevd");
		v = matrix_of(&job.args[0], last);
		w = matrix_of(&job.args[1], last);
		for (int64_t i = 1; i < n; i++)
			ck_assert(creal(w.at[i - 1]) <= creal(w.at[i]));
		if (has_vectors) {
			check_near(&job, away_from_eigen(&a, &v, &w), "syevd");
			check_near(&job, difference(&v, true, &v, n, NULL),
				   "vectors of syevd");
			for (int64_t i = 0; i < n; i++)
				check_near(&job, cabs(w.at[i] - values.at[i]),
					   "values of syevd");
			free(values.at);
			free(w.at);
		} else {
			values = w;
		}
		free(a.at);
		free(v.at);
		end(&job);
	}
}
END_TEST

START_TEST(general)
{
	const int64_t n = extent_of(_i), last = count_for(n) - 1;
	struct matrix a, v, w;
	struct job job;

	for (int has_vectors = 0; has_vectors < 2; has_vectors++) {
		const char kind =
			is_double(&(struct job){ .dtype = _i % DTYPES }) ? 'z'
									 : 'c';
		double complex trace = 0;

		begin(&job, _i % DTYPES, 0, n, 0, last + 1);
		job.v.flags = has_vectors ? DPRP_LAPACK_VECTORS : 0;
		fill(&job, add(&job, own_kind(&job), n, n, false));
		add(&job, kind, n, 1, true);
		add(&job, kind, n, n, true);
		if (!has_vectors)
			job.args[2].count = 0;
		add(&job, 'i', 1, 1, false);
		a = matrix_of(&job.args[0], last);
		solve(&job, "geev");
		w = matrix_of(&job.args[1], last);
		for (int64_t i = 0; i < n; i++)
			trace += a.at[i + i * n] - w.at[i];
		check_near(&job, cabs(trace), "the trace of geev");
		if (has_vectors) {
			v = matrix_of(&job.args[2], last);
			check_near(&job, away_from_eigen(&a, &v, &w), "geev");
			for (int64_t j = 0; j < n; j++) {
				double norm = 0;

				for (int64_t i = 0; i < n; i++)
					norm += pow(cabs(v.at[i + j * n]), 2);
				check_near(&job, fabs(norm - 1), "norm");
			}
			free(v.at);
		}
		free(a.at);
		free(w.at);
		end(&job);
	}
}
END_TEST

START_TEST(singular_values)
{
	static const int64_t ways[] = {
		0, DPRP_LAPACK_VECTORS, DPRP_LAPACK_VECTORS | DPRP_LAPACK_FULL
	};
	const int64_t n = extent_of(_i), last = count_for(n) - 1;
	struct job job;
	int64_t m, k;

	for (int way = 0; way < 9; way++) {
		const bool has_vectors = way / 3, is_full = way / 3 == 2;
		struct matrix a, u, s, vh;

		shape_of(n, way % 3, &m, &k);
		begin(&job, _i % DTYPES, m, k, 0, last + 1);
		job.v.flags = ways[way / 3];
		fill(&job, add(&job, own_kind(&job), m, k, true));
		add(&job, real_kind(&job), n, 1, false);
		add(&job, own_kind(&job), m, is_full ? m : n, false);
		add(&job, own_kind(&job), is_full ? k : n, k, true);
		if (!has_vectors)
			job.args[2].count = job.args[3].count = 0;
		add(&job, 'i', 1, 1, false);
		a = matrix_of(&job.args[0], last);
		solve(&job, "gesdd");
		s = matrix_of(&job.args[1], last);
		for (int64_t i = 1; i < n; i++)
			ck_assert(creal(s.at[i - 1]) >= creal(s.at[i]));
		ck_assert(creal(s.at[n - 1]) >= 0);
		if (has_vectors) {
			u = matrix_of(&job.args[2], last);
			vh = matrix_of(&job.args[3], last);
			check_near(&job, difference(&u, true, &u, m, NULL),
				   "u of gesdd");
			for (int64_t j = 0; j < n; j++)
				for (int64_t i = 0; i < m; i++)
					u.at[i + j * m] *= s.at[j];
			check_near(&job, difference(&u, false, &vh, n, &a),
				   "gesdd");
			free(u.at);
			free(vh.at);
		}
		free(a.at);
		free(s.at);
		end(&job);
	}
}
END_TEST

/* --- No result, and no launch --------------------------------------------- */

/* Begin a launch of routine @name on square matrices of 4 rows. */
static void begin_square(struct job *job, const char *name, int dtype)
{
	const int64_t n = 4;

	begin(job, dtype, n, n, n, 2);
	fill(job, add(job, own_kind(job), n, n, false));
	make_definite(&job->args[0]);
	if (!strcmp(name, "getrf"))
		add(job, 'p', n, 1, false);
	if (!strcmp(name, "gesv") || !strcmp(name, "trtrs"))
		fill(job, add(job, own_kind(job), n, n, false));
	if (!strcmp(name, "geqrf") || !strcmp(name, "orgqr"))
		fill(job, add(job, own_kind(job), n, 1, false));
	if (!strcmp(name, "syevd") || !strcmp(name, "gesdd"))
		add(job, real_kind(job), n, 1, false);
	if (!strcmp(name, "gesdd"))
		for (int i = 0; i < 2; i++)
			add(job, own_kind(job), n, n, false);
	if (!strcmp(name, "geev"))
		for (int i = 0; i < 2; i++)
			add(job, is_double(job) ? 'z' : 'c', n, i ? n : 1,
			    false);
	add(job, 'i', 1, 1, false);
	if (!strcmp(name, "syevd") || !strcmp(name, "gesdd") ||
	    !strcmp(name, "geev"))
		job->v.flags = DPRP_LAPACK_VECTORS;
}

static const char *const names[] = { "potrf", "getrf", "gesv", "trtrs", "geqrf",
				     "orgqr", "syevd", "geev", "gesdd" };
#define NAMES ((int)(sizeof(names) / sizeof(names[0])))

/* A matrix with NaN has no finite solution. */
START_TEST(solve_nan)
{
	struct job job;

	begin_square(&job, "gesv", _i);
	set(&job.args[0], 0, 2, 1, NAN);
	CHECK_OK(launch_job(&job, "gesv"));
	for (int64_t i = 0; i < job.v.k; i++) {
		bool is_nan = false;

		for (int64_t j = 0; j < job.v.n; j++)
			is_nan |= isnan(creal(get(&job.args[1], 0, j, i))) ||
				  isnan(cimag(get(&job.args[1], 0, j, i)));
		ck_assert_msg(is_nan || info_of(&job, 0) > 0, "column %d",
			      (int)i);
	}
	ck_assert_int_eq(info_of(&job, 1), 0);
	end(&job);
}
END_TEST

/* NaN and infinity end no process, and other problems have their results. */
START_TEST(not_finite)
{
	static const double bad[] = { NAN, INFINITY, -INFINITY };
	struct job job;

	for (int i = 0; i < 3 * NAMES; i++) {
		begin_square(&job, names[i / 3], _i);
		set(&job.args[0], 0, 2, 1, bad[i % 3]);
		set(&job.args[0], 0, 1, 2, bad[i % 3]);
		CHECK_OK(launch_job(&job, names[i / 3]));
		check_gaps(&job);
		ck_assert_int_ge(info_of(&job, 0), 0);
		ck_assert_int_eq(info_of(&job, 1), 0);
		end(&job);
	}
}
END_TEST

START_TEST(no_result)
{
	struct job job;

	begin_square(&job, "potrf", _i);
	set(&job.args[0], 1, 2, 2, -1);
	CHECK_OK(launch_job(&job, "potrf"));
	ck_assert_int_eq(info_of(&job, 0), 0);
	ck_assert_int_eq(info_of(&job, 1), 3);
	end(&job);
	begin_square(&job, "gesv", _i);
	for (int64_t i = 0; i < 4; i++)
		set(&job.args[0], 0, i, 1, 0);
	CHECK_OK(launch_job(&job, "gesv"));
	ck_assert_int_eq(info_of(&job, 0), 2);
	ck_assert_int_eq(info_of(&job, 1), 0);
	end(&job);
	begin_square(&job, "trtrs", _i);
	set(&job.args[0], 1, 3, 3, 0);
	CHECK_OK(launch_job(&job, "trtrs"));
	ck_assert_int_eq(info_of(&job, 0), 0);
	ck_assert_int_eq(info_of(&job, 1), 4);
	end(&job);
	/* A diagonal of ones is not read. */
	begin_square(&job, "trtrs", _i);
	job.v.flags |= DPRP_LAPACK_UNIT;
	set(&job.args[0], 1, 3, 3, 0);
	CHECK_OK(launch_job(&job, "trtrs"));
	ck_assert_int_eq(info_of(&job, 0), 0);
	ck_assert_int_eq(info_of(&job, 1), 0);
	end(&job);
}
END_TEST

/* Values that no routine may see. */
START_TEST(refused)
{
	static const int64_t wide = INT64_C(1) << 33;
	struct job job;

	for (int i = 0; i < 9 * NAMES; i++) {
		const char *name = names[i / 9];

		begin_square(&job, name, 1);
		switch (i % 9) {
		case 0: job.v.count = 0; break;
		case 1: job.v.n = 0; break;
		case 2: job.v.n = -1; break;
		case 3: job.v.leading[0] = 3; break;
		case 4: job.v.flags |= 64; break;
		case 5:
			job.v.flags |=
				DPRP_LAPACK_TRANSPOSED | DPRP_LAPACK_CONJUGATED;
			break;
		case 6: job.v.flags |= DPRP_LAPACK_FULL << 8; break;
		default: /* a product of extents that overflows, or not */
			job.v.m = job.v.n = INT64_C(1)
					    << (i % 9 == 7 ? 40 : 26);
			job.v.leading[0] = job.v.leading[1] = job.v.leading[2] =
				job.v.leading[3] = job.v.n;
			break;
		}
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, launch_job(&job, name));
		ck_assert_ptr_nonnull(strstr(dpr_last_error(), name));
		end(&job);
	}
	begin_square(&job, "orgqr", 1);
	job.v.k = job.v.n + 1;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, launch_job(&job, "orgqr"));
	end(&job);
	begin_square(&job, "potrf", 1);
	job.v.leading[0] = wide;
	job.v.count = 1;
	job.v.n = 1;
	if (launch_job(&job, "potrf")) {
		CHECK_FAILS(DPR_ERROR_UNSUPPORTED, launch_job(&job, "potrf"));
		ck_assert_ptr_nonnull(strstr(dpr_last_error(), "2147483647"));
		ck_assert_int_eq(info_of(&job, 0), GAP);
		end(&job);
		/* The workspace of so many vectors has too many numbers. */
		begin_square(&job, "syevd", 1);
		job.v.n = job.v.leading[0] = 40000;
		CHECK_FAILS(DPR_ERROR_UNSUPPORTED, launch_job(&job, "syevd"));
		end(&job);
		begin_square(&job, "gesdd", 1);
		job.v.m = job.v.n = 40000;
		for (int i = 0; i < 4; i++)
			job.v.leading[i] = 40000;
		CHECK_FAILS(DPR_ERROR_UNSUPPORTED, launch_job(&job, "gesdd"));
	}
	end(&job);
}
END_TEST

/* Add all tests to a case. */
static inline void add_routines(TCase *tcase)
{
	const int all = SIZES * DTYPES;

	tcase_add_loop_test(tcase, cholesky, 0, all);
	tcase_add_loop_test(tcase, lu, 0, all);
	tcase_add_loop_test(tcase, solutions, 0, all);
	tcase_add_loop_test(tcase, triangles, 0, all);
	tcase_add_loop_test(tcase, qr, 0, all);
	tcase_add_loop_test(tcase, hermitian, 0, all);
	tcase_add_loop_test(tcase, general, 0, all);
	tcase_add_loop_test(tcase, singular_values, 0, all);
	tcase_add_loop_test(tcase, solve_nan, 0, DTYPES);
	tcase_add_loop_test(tcase, not_finite, 0, DTYPES);
	tcase_add_loop_test(tcase, no_result, 0, DTYPES);
	tcase_add_test(tcase, refused);
}

#endif
