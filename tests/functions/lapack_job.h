/* SPDX-License-Identifier: Apache-2.0 */
/* lapack_job.h - launches of LAPACK's routines for tests, with matrices in
   memory that has gaps. */
#ifndef TESTS_LAPACK_JOB_H
#define TESTS_LAPACK_JOB_H

#include <complex.h>
#include <math.h>
#include <stdbool.h>

#include <dpr/backend.h>
#include <dpr/dpr.h>

#include "tests/support/devices.h"

#define DTYPES 4
#define GAP 77 /* in memory that no routine may touch */

static const char *const lapack_dtypes[DTYPES] = { "float32", "float64",
						   "complex64", "complex128" };
/* --- Arguments ------------------------------------------------------------ */

/* A MEM argument: a batch of matrices.  kind: f float32, d float64, c
   complex64, z complex128, i int32, p int64. */
struct arg {
	char kind;
	int64_t rows, columns, count, offset, leading, stride, size;
	dpr_usm *usm;
	void *data;
};

/* A launch, and how its numbers are. */
struct job {
	int dtype;
	int64_t count;
	dprp_lapack v;
	struct arg args[DPRP_LAPACK_ARGS];
	int n_args;
};

static inline double complex get_at(const struct arg *x, int64_t i)
{
	switch (x->kind) {
	case 'f': return ((const float *)x->data)[i];
	case 'd': return ((const double *)x->data)[i];
	case 'c': return ((const float complex *)x->data)[i];
	case 'z': return ((const double complex *)x->data)[i];
	case 'i': return ((const int32_t *)x->data)[i];
	default: return (double)((const int64_t *)x->data)[i];
	}
}

static inline void set_at(struct arg *x, int64_t i, double complex value)
{
	switch (x->kind) {
	case 'f': ((float *)x->data)[i] = (float)creal(value); break;
	case 'd': ((double *)x->data)[i] = creal(value); break;
	case 'c': ((float complex *)x->data)[i] = (float complex)value; break;
	case 'z': ((double complex *)x->data)[i] = value; break;
	case 'i': ((int32_t *)x->data)[i] = (int32_t)creal(value); break;
	default: ((int64_t *)x->data)[i] = (int64_t)creal(value); break;
	}
}

static inline int64_t place(const struct arg *x, int64_t b, int64_t i,
			    int64_t j)
{
	return x->offset + b * x->stride + i + j * x->leading;
}

static inline double complex get(const struct arg *x, int64_t b, int64_t i,
				 int64_t j)
{
	return get_at(x, place(x, b, i, j));
}

static inline void set(struct arg *x, int64_t b, int64_t i, int64_t j,
		       double complex value)
{
	set_at(x, place(x, b, i, j), value);
}

static inline bool is_double(const struct job *job)
{
	return job->dtype % 2;
}

static inline bool is_complex(const struct job *job)
{
	return job->dtype >= 2;
}

static inline char own_kind(const struct job *job)
{
	return "fdcz"[job->dtype];
}

static inline char real_kind(const struct job *job)
{
	return is_double(job) ? 'd' : 'f';
}

/* The memory of arguments, which the host must be able to use. */
static dpr_usm_kind lapack_kind = DPR_USM_HOST;
/* Whether the matrices of a batch lie one behind the other, without gaps. */
static bool lapack_is_packed;

/* Add an argument.  Unless the batch is packed, matrices have gaps between
   columns, all have some between one problem and the next, and those of `back`
   lie in the other order. */
static inline struct arg *add(struct job *job, char kind, int64_t rows,
			      int64_t columns, bool back)
{
	const size_t item = kind == 'f' || kind == 'i' ? 4
			    : kind == 'z'              ? 16
						       : 8;
	struct arg *x = &job->args[job->n_args];

	*x = (struct arg){ .kind = kind,
			   .rows = rows,
			   .columns = columns,
			   .count = job->count };
	x->leading = columns > 1 && !lapack_is_packed ? rows + 2 : rows;
	x->stride = x->leading * columns + (lapack_is_packed ? 0 : 3);
	x->offset = 5;
	x->size = x->offset + x->stride * job->count;
	if (back && !lapack_is_packed) {
		x->offset += x->stride * (job->count - 1);
		x->stride = -x->stride;
	}
	CHECK_OK(dpr_usm_alloc(test_queue, lapack_kind, (size_t)x->size * item,
			       &x->usm));
	x->data = dpr_usm_address(x->usm);
	for (int64_t i = 0; i < x->size; i++)
		set_at(x, i, GAP);
	job->v.offset[job->n_args] = x->offset;
	job->v.stride[job->n_args] = x->stride;
	job->v.leading[job->n_args] = x->leading;
	job->n_args++;
	return x;
}

static inline void begin(struct job *job, int dtype, int64_t m, int64_t n,
			 int64_t k, int64_t count)
{
	*job = (struct job){ .dtype = dtype, .count = count };
	job->v = (dprp_lapack){ .m = m, .n = n, .k = k, .count = count };
}

static inline void end(struct job *job)
{
	for (int i = 0; i < job->n_args; i++)
		dpr_usm_release(job->args[i].usm);
}

/* Check that the memory between the matrices has not changed. */
static inline void check_gaps(const struct job *job)
{
	for (int a = 0; a < job->n_args; a++) {
		const struct arg *x = &job->args[a];
		bool *used = calloc((size_t)x->size, sizeof(*used));

		ck_assert_ptr_nonnull(used);
		for (int64_t b = 0; b < x->count; b++)
			for (int64_t j = 0; j < x->columns; j++)
				for (int64_t i = 0; i < x->rows; i++)
					used[place(x, b, i, j)] = true;
		for (int64_t i = 0; i < x->size; i++)
			if (!used[i] && get_at(x, i) != GAP)
				ck_abort_msg("argument %d: number %lld was "
					     "touched",
					     a, (long long)i);
		free(used);
	}
}

/* Numbers between -1 and 1, the same in each run. */
static inline double real_of(uint64_t seed)
{
	seed = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
	seed = (seed ^ seed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return (double)(seed >> 40) / (1 << 23) - 1;
}

static inline double complex number_of(const struct job *job, uint64_t seed)
{
	const double a = real_of(2 * seed);

	return is_complex(job) ? a + real_of(2 * seed + 1) * I : a;
}

static inline void fill(const struct job *job, struct arg *x)
{
	for (int64_t b = 0; b < x->count; b++)
		for (int64_t j = 0; j < x->columns; j++)
			for (int64_t i = 0; i < x->rows; i++)
				set(x, b, i, j,
				    number_of(job, (uint64_t)(i + 100 * j +
							      10000 * b)));
}

/* Make the matrices Hermitian, and positive definite. */
static inline void make_definite(struct arg *x)
{
	for (int64_t b = 0; b < x->count; b++)
		for (int64_t j = 0; j < x->columns; j++) {
			for (int64_t i = 0; i < j; i++)
				set(x, b, j, i, conj(get(x, b, i, j)));
			set(x, b, j, j,
			    creal(get(x, b, j, j)) + 2. * (double)x->rows);
		}
}

/* --- Copies, products ----------------------------------------------------- */

/* A matrix of this test. */
struct matrix {
	int64_t rows, columns;
	double complex *at; /* column by column */
};

static inline struct matrix matrix_new(int64_t rows, int64_t columns)
{
	struct matrix x = { rows, columns,
			    calloc((size_t)(rows * columns),
				   sizeof(double complex)) };

	ck_assert_ptr_nonnull(x.at);
	return x;
}

static inline struct matrix matrix_of(const struct arg *x, int64_t b)
{
	struct matrix y = matrix_new(x->rows, x->columns);

	for (int64_t j = 0; j < x->columns; j++)
		for (int64_t i = 0; i < x->rows; i++)
			y.at[i + j * x->rows] = get(x, b, i, j);
	return y;
}

static inline double complex element(const struct matrix *x, bool transposed,
				     int64_t i, int64_t j)
{
	return transposed ? conj(x->at[j + i * x->rows])
			  : x->at[i + j * x->rows];
}

/* The largest difference between a b and c, where a may be conjugated and
   transposed.  columns: how many of a to use.  c NULL: the identity. */
static inline double difference(const struct matrix *a, bool transposed,
				const struct matrix *b, int64_t inner,
				const struct matrix *c)
{
	const int64_t rows = transposed ? a->columns : a->rows;
	double most = 0;

	for (int64_t j = 0; j < b->columns; j++)
		for (int64_t i = 0; i < rows; i++) {
			double complex sum =
				c ? -c->at[i + j * c->rows] : -(i == j);
			double away;

			for (int64_t p = 0; p < inner; p++)
				sum += element(a, transposed, i, p) *
				       element(b, false, p, j);
			away = cabs(sum);
			most = away > most || isnan(away) ? away : most;
		}
	return most;
}

static inline void check_near(const struct job *job, double difference,
			      const char *what)
{
	const double n = (double)(job->v.m > job->v.n ? job->v.m : job->v.n);

	ck_assert_msg(difference <= (is_double(job) ? 1e-14 : 1e-5) * (n + 4) *
					    (n + 4),
		      "%s, %s, %lld x %lld: %g", what,
		      lapack_dtypes[job->dtype], (long long)job->v.m,
		      (long long)job->v.n, difference);
}

/* --- Launches ------------------------------------------------------------- */

static inline dpr_status build(const char *name, int dtype,
			       dpr_program **program)
{
	char text[40];
	dpr_image image = { "calls-1", NULL, text, 0 };

	snprintf(text, sizeof(text), "%s %s", name, lapack_dtypes[dtype]);
	image.size = strlen(text);
	return dpr_program_build(test_queue, &image, 1, NULL, program);
}

/* Launch a routine over the job's arguments, and wait. */
static inline dpr_status launch_job(struct job *job, const char *name)
{
	dpr_arg args[DPRP_LAPACK_ARGS + 1];
	dpr_program *program;
	dpr_kernel *kernel;
	dpr_status status;

	CHECK_OK(build(name, job->dtype, &program));
	CHECK_OK(dpr_kernel_create(program, name, &kernel));
	for (int i = 0; i < job->n_args; i++)
		args[i] = dpr_arg_usm_use(job->args[i].usm, 0, DPR_READ_WRITE);
	args[job->n_args] = dpr_arg_bytes(&job->v, sizeof(job->v));
	status = dpr_kernel_launch_usm(test_queue, kernel, dpr_range1(1), NULL,
				       NULL, args, (size_t)job->n_args + 1);
	if (!status)
		status = dpr_queue_wait(test_queue);
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	return status;
}

static inline int64_t info_of(const struct job *job, int64_t b)
{
	return (int64_t)creal(get(&job->args[job->n_args - 1], b, 0, 0));
}

/* Launch a routine whose problems all have a result. */
static inline void solve(struct job *job, const char *name)
{
	CHECK_OK(launch_job(job, name));
	check_gaps(job);
	for (int64_t b = 0; b < job->count; b++)
		ck_assert_msg(info_of(job, b) == 0, "%s: info %lld", name,
			      (long long)info_of(job, b));
}

#endif
