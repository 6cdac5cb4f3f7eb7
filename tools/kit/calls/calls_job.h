/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls_job.h - launches of LAPACK's routines: matrices in memory with gaps,
 * and arithmetic of the kit's own to look at results.
 */
#ifndef TOOLS_CALLS_JOB_H
#define TOOLS_CALLS_JOB_H

#include <complex.h>

#include "tools/kit/calls/calls_format.h"

/* --- Matrices ------------------------------------------------------------- */

/* The most rows and columns. */
enum { CALLS_MOST = 40 };

struct calls_matrix {
	int64_t rows, columns;
	double complex at[CALLS_MOST * CALLS_MOST]; /* column by column */
};

static inline double complex *calls_at(struct calls_matrix *x, int64_t i,
				       int64_t j)
{
	return &x->at[i + j * x->rows];
}

void calls_zeros(struct calls_matrix *x, int64_t rows, int64_t columns);
void calls_identity(struct calls_matrix *x, int64_t rows, int64_t columns);
/* out = a b, where each may be conjugated and transposed. */
void calls_product(const struct calls_matrix *a, bool turn_a,
		   const struct calls_matrix *b, bool turn_b,
		   struct calls_matrix *out);
/* Set the elements above the diagonal, or else those below it, to 0. */
void calls_clear_triangle(struct calls_matrix *x, bool above);
/* x = (1 - tau v v^H) x.  v has zeros, a 1 in row @column, and then the
   elements of @reflectors below the diagonal of this column. */
void calls_reflect(const struct calls_matrix *reflectors, int64_t column,
		   double complex tau, struct calls_matrix *x);

/* --- Jobs ----------------------------------------------------------------- */

/* How the matrices of an argument lie in memory. */
enum calls_layout {
	CALLS_TIGHT,     /* one behind the other */
	CALLS_GAPS,      /* with gaps behind columns and matrices */
	CALLS_BACK,      /* the same, with strides below 0 */
	CALLS_INTERLOCK, /* columns of one lie between those of another */
	CALLS_DRAWN      /* any of these, for each argument, with any gaps */
};

/* When the launch runs. */
enum calls_time {
	CALLS_ALONE,
	CALLS_LATE,  /* between copies, on a queue that is busy */
	CALLS_BESIDE /* while the same launch runs on another queue */
};

struct calls_case {
	const char *about;
	int64_t m, n, k, count;
	enum calls_layout layout;
	enum calls_time time;
	uint64_t seed; /* of the numbers */
};

/* An argument in memory.  kind: f float32, d float64, c complex64, z
   complex128, i int32, p int64. */
struct calls_arg {
	char kind;
	bool is_read; /* and never written */
	bool is_idle; /* neither read nor written: the launch has no vectors */
	int64_t rows, columns, offset, stride, leading, size;
	size_t item;
	unsigned char *before, *bytes; /* all elements before and after */
	dprp_mem *mem;
};

struct calls_job {
	struct kit *kit;
	const char *routine;
	const struct calls_type *type;
	const struct calls_case *at;
	dprp_lapack v;
	struct calls_arg args[DPRP_LAPACK_ARGS];
	int n_args;
	/* The problem that has no result, or -1; its info, or -1: any. */
	int64_t bad, bad_info;
	const char *rule; /* that a wrong result breaks */
	uint64_t seed;
};

/* A routine of LAPACK, and what is tried. */
struct calls_routine {
	const char *name;
	int64_t flags; /* that it has */
	int ways;      /* how many sets of flags are tried */
	/* Whether a matrix without a result has factors, which are looked at.
	 */
	bool has_factors;
	/* Whether the routine has matrices of this shape. */
	bool (*fits)(const struct calls_case *at);
	/* Add arguments with numbers, and set flags.  The last argument, info,
	   is added by the caller. */
	void (*prepare)(struct calls_job *job, int way);
	/* Look at the result of a problem. */
	void (*check)(struct calls_job *job, int64_t problem);
};

extern const struct calls_routine calls_potrf_routine, calls_getrf_routine,
	calls_getri_routine, calls_gesv_routine, calls_trtrs_routine,
	calls_geqrf_routine, calls_orgqr_routine, calls_syevd_routine,
	calls_geev_routine, calls_gesdd_routine;

/* Shapes that fit. */
bool calls_is_square(const struct calls_case *at);
bool calls_is_tall(const struct calls_case *at);
bool calls_is_any(const struct calls_case *at);

void calls_begin(struct calls_job *job, struct kit *kit,
		 const struct calls_routine *routine,
		 const struct calls_type *type, const struct calls_case *at);
void calls_end(struct calls_job *job);

/* The kinds of the job's dtype, of its real parts, and the complex kind of
   these. */
char calls_own(const struct calls_job *job);
char calls_real(const struct calls_job *job);
char calls_complex(const struct calls_job *job);

/* Add an argument whose elements have all bits set: NaN, or -1.  Vectors have
   one column and no leading dimension. */
struct calls_arg *calls_add(struct calls_job *job, char kind, int64_t rows,
			    int64_t columns);
/* The elements of an argument for a problem, before the launch and after it. */
void calls_put(struct calls_job *job, int arg, int64_t problem,
	       const struct calls_matrix *x);
void calls_put_one(struct calls_job *job, int arg, int64_t problem, int64_t i,
		   int64_t j, double complex value);
void calls_before(const struct calls_job *job, int arg, int64_t problem,
		  struct calls_matrix *out);
void calls_get(const struct calls_job *job, int arg, int64_t problem,
	       struct calls_matrix *out);

static inline int64_t calls_smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* A number from -1 to 1 that float32 holds. */
double calls_random(struct calls_job *job);
/* A whole number from 0 to below @below. */
int64_t calls_draw(struct calls_job *job, int64_t below);
/* A number of the job's dtype, from such numbers. */
double complex calls_number(struct calls_job *job);
void calls_fill(struct calls_job *job, struct calls_matrix *x, int64_t rows,
		int64_t columns);
/* A unitary matrix that has no zeros. */
void calls_unitary(struct calls_job *job, struct calls_matrix *x, int64_t n);

/* Launch, and wait.  Checks info, and that nothing else was written.  Returns
   false, with nothing written, if the plugin does not take these values. */
bool calls_run(struct calls_job *job);
/* Launch, for a code: nothing may be written. */
void calls_refused(struct calls_job *job, dprp_rc want, const char *rule);

/* Compare a result with what it has to be, within calls_allowed(). */
void calls_compare(const struct calls_job *job, const struct calls_matrix *got,
		   const struct calls_matrix *want, const char *what);
/* The same with a matrix whose columns, or with @rows rows, are
   orthonormal. */
void calls_orthonormal(const struct calls_job *job,
		       const struct calls_matrix *x, bool rows,
		       const char *what);
/* How far numbers may be off, beside 1. */
double calls_allowed(const struct calls_job *job);
void calls_bad(const struct calls_job *job, const char *expected,
	       const char *got, ...) __attribute__((format(printf, 3, 4)));

#endif
