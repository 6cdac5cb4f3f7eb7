/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library_lapack_call.c - calls of LAPACK's routines, whose language is
 * Fortran.
 *
 * All arguments are pointers.  Behind them come the lengths of the texts.
 */
#include "backends/library/library.h"

#include <math.h>

/* A number in the library's size is passed by its address. */
typedef const union library_integer *number;
typedef union library_integer *result;

static bool is_complex(const struct library_problem *p)
{
	return p->call->dtype >= LIBRARY_COMPLEX64;
}

static bool is_double(const struct library_problem *p)
{
	return p->call->dtype == LIBRARY_FLOAT64 ||
	       p->call->dtype == LIBRARY_COMPLEX128;
}

static const char *triangle(const struct library_problem *p)
{
	return p->v->flags & DPRP_LAPACK_UPPER ? "U" : "L";
}

static const char *vectors(const struct library_problem *p)
{
	return p->v->flags & DPRP_LAPACK_VECTORS ? "V" : "N";
}

union library_integer library_lapack_call_integer(const struct library *library,
						  int64_t n)
{
	return library->is_wide
		       ? (union library_integer){ .wide = n }
		       : (union library_integer){ .narrow = (int32_t)n };
}

int64_t library_lapack_call_value(const struct library *library,
				  union library_integer n)
{
	return library->is_wide ? n.wide : n.narrow;
}

/* --- Factors and solutions ------------------------------------------------ */

static void call_potrf(struct library_problem *p)
{
	typedef void (*function)(const char *uplo, number n, void *a,
				 number lda, result info, size_t uplo_size);

	((function)p->call->function)(triangle(p), &p->n, p->arg[0],
				      &p->leading[0], &p->info, 1);
}

static void call_getrf(struct library_problem *p)
{
	typedef void (*function)(number m, number n, void *a, number lda,
				 void *pivots, result info);
	const struct library *library = p->call->library;
	const int64_t min = p->v->m < p->v->n ? p->v->m : p->v->n;
	int64_t *pivots = p->arg[1];

	((function)p->call->function)(&p->m, &p->n, p->arg[0], &p->leading[0],
				      p->integers, &p->info);
	for (int64_t i = 0; i < min; i++)
		pivots[i] = library->is_wide
				    ? ((const int64_t *)p->integers)[i]
				    : ((const int32_t *)p->integers)[i];
}

/* A pivot that is no row would let the library write anywhere: then there is no
   result. */
static void call_getri(struct library_problem *p)
{
	typedef void (*function)(number n, void *a, number lda,
				 const void *pivots, void *work,
				 number work_size, result info);
	const struct library *library = p->call->library;
	const int64_t n = p->v->n, *pivots = p->arg[1];

	for (int64_t i = 0; !p->is_query && i < n; i++) {
		if (pivots[i] <= i || pivots[i] > n) {
			p->info = library_lapack_call_integer(library, n);
			return;
		}
		if (library->is_wide)
			((int64_t *)p->integers)[i] = pivots[i];
		else
			((int32_t *)p->integers)[i] = (int32_t)pivots[i];
	}
	((function)p->call->function)(&p->n, p->arg[0], &p->leading[0],
				      p->integers, p->work, &p->work_size,
				      &p->info);
}

/* OpenBLAS 0.3.21 uses threads in gesv, however small the matrices are, but not
   in getrf and getrs.  These two routines together are gesv. */
static void call_gesv(struct library_problem *p)
{
	typedef void (*getrf)(number m, number n, void *a, number lda,
			      void *pivots, result info);
	typedef void (*getrs)(const char *trans, number n, number k,
			      const void *a, number lda, const void *pivots,
			      void *b, number ldb, result info,
			      size_t trans_size);

	((getrf)p->call->function)(&p->n, &p->n, p->arg[0], &p->leading[0],
				   p->integers, &p->info);
	if (library_lapack_call_value(p->call->library, p->info) == 0)
		((getrs)p->call->getrs)(p->v->flags & DPRP_LAPACK_TRANSPOSED
						? "T"
						: "N",
					&p->n, &p->k, p->arg[0],
					&p->leading[0], p->integers, p->arg[1],
					&p->leading[1], &p->info, 1);
}

static void call_trtrs(struct library_problem *p)
{
	typedef void (*function)(const char *uplo, const char *trans,
				 const char *diag, number n, number k,
				 const void *a, number lda, void *b, number ldb,
				 result info, size_t uplo_size,
				 size_t trans_size, size_t diag_size);
	const int64_t flags = p->v->flags;
	const char *trans = flags & DPRP_LAPACK_CONJUGATED   ? "C"
			    : flags & DPRP_LAPACK_TRANSPOSED ? "T"
							     : "N";

	((function)p->call->function)(
		triangle(p), trans, flags & DPRP_LAPACK_UNIT ? "U" : "N", &p->n,
		&p->k, p->arg[0], &p->leading[0], p->arg[1], &p->leading[1],
		&p->info, 1, 1, 1);
}

static void call_geqrf(struct library_problem *p)
{
	typedef void (*function)(number m, number n, void *a, number lda,
				 void *tau, void *work, number work_size,
				 result info);

	((function)p->call->function)(&p->m, &p->n, p->arg[0], &p->leading[0],
				      p->arg[1], p->work, &p->work_size,
				      &p->info);
}

static void call_orgqr(struct library_problem *p)
{
	typedef void (*function)(number m, number n, number k, void *a,
				 number lda, const void *tau, void *work,
				 number work_size, result info);

	((function)p->call->function)(&p->m, &p->n, &p->k, p->arg[0],
				      &p->leading[0], p->arg[1], p->work,
				      &p->work_size, &p->info);
}

/* --- Eigenvalues ---------------------------------------------------------- */

static void call_syevd(struct library_problem *p)
{
	typedef void (*real)(const char *jobz, const char *uplo, number n,
			     void *a, number lda, void *w, void *work,
			     number work_size, void *integers,
			     number integers_size, result info,
			     size_t jobz_size, size_t uplo_size);
	typedef void (*complex)(
		const char *jobz, const char *uplo, number n, void *a,
		number lda, void *w, void *work, number work_size, void *rwork,
		number rwork_size, void *integers, number integers_size,
		result info, size_t jobz_size, size_t uplo_size);

	if (is_complex(p))
		((complex)p->call->function)(
			vectors(p), triangle(p), &p->n, p->arg[0],
			&p->leading[0], p->arg[1], p->work, &p->work_size,
			p->real, &p->real_size, p->integers, &p->integers_size,
			&p->info, 1, 1);
	else
		((real)p->call->function)(vectors(p), triangle(p), &p->n,
					  p->arg[0], &p->leading[0], p->arg[1],
					  p->work, &p->work_size, p->integers,
					  &p->integers_size, &p->info, 1, 1);
}

/*
 * Make complex values and vectors of real ones.  LAPACK returns the parts of
 * the values apart.  A pair of conjugated values has one vector, whose parts
 * are in two columns.  The real numbers of a column of v are at the start of
 * the room for its complex numbers: so they are spread from the end.
 */
#define SPREAD(name, T)                                                      \
	static void name(struct library_problem *p)                          \
	{                                                                    \
		const int64_t n = p->v->n, step = 2 * p->v->leading[2];      \
		const T *re = p->real, *im = re + n;                         \
		T *w = p->arg[1], *v = p->arg[2];                            \
                                                                             \
		for (int64_t j = 0; j < n; j++) {                            \
			w[2 * j] = re[j];                                    \
			w[2 * j + 1] = im[j];                                \
		}                                                            \
		if (!(p->v->flags & DPRP_LAPACK_VECTORS))                    \
			return;                                              \
		for (int64_t j = 0; j < n; j++, v += step) {                 \
			const bool is_pair = im[j] != 0 && j + 1 < n;        \
			T *next = v + (is_pair ? step : 0);                  \
                                                                             \
			for (int64_t i = n - 1; i >= 0; i--) {               \
				const T a = v[i], b = is_pair ? next[i] : 0; \
                                                                             \
				if (is_pair) {                               \
					next[2 * i] = a;                     \
					next[2 * i + 1] = -b;                \
				}                                            \
				v[2 * i] = a;                                \
				v[2 * i + 1] = b;                            \
			}                                                    \
			if (is_pair) {                                       \
				j++;                                         \
				v += step;                                   \
			}                                                    \
		}                                                            \
	}

SPREAD(spread_float32, float)
SPREAD(spread_float64, double)

static void call_real_geev(struct library_problem *p)
{
	typedef void (*function)(const char *left, const char *right, number n,
				 void *a, number lda, void *re, void *im,
				 void *vl, number ldvl, void *vr, number ldvr,
				 void *work, number work_size, result info,
				 size_t left_size, size_t right_size);
	const struct library *library = p->call->library;
	const bool has_vectors = p->v->flags & DPRP_LAPACK_VECTORS;
	const union library_integer one =
		library_lapack_call_integer(library, 1);
	const union library_integer step = library_lapack_call_integer(
		library, has_vectors ? 2 * p->v->leading[2] : 1);
	void *im = (unsigned char *)p->real +
		   (p->is_query ? 0 : p->v->n * (is_double(p) ? 8 : 4));
	double none;

	((function)p->call->function)("N", vectors(p), &p->n, p->arg[0],
				      &p->leading[0], p->real, im, &none, &one,
				      has_vectors ? p->arg[2] : &none, &step,
				      p->work, &p->work_size, &p->info, 1, 1);
	if (p->is_query)
		return;
	if (is_double(p))
		spread_float64(p);
	else
		spread_float32(p);
}

static void call_geev(struct library_problem *p)
{
	typedef void (*function)(const char *left, const char *right, number n,
				 void *a, number lda, void *w, void *vl,
				 number ldvl, void *vr, number ldvr, void *work,
				 number work_size, void *rwork, result info,
				 size_t left_size, size_t right_size);
	const bool has_vectors = p->v->flags & DPRP_LAPACK_VECTORS;
	const union library_integer one =
		library_lapack_call_integer(p->call->library, 1);
	double none[2];

	if (!is_complex(p)) {
		call_real_geev(p);
		return;
	}
	((function)p->call->function)(
		"N", vectors(p), &p->n, p->arg[0], &p->leading[0], p->arg[1],
		none, &one, has_vectors ? p->arg[2] : none,
		has_vectors ? &p->leading[2] : &one, p->work, &p->work_size,
		p->real, &p->info, 1, 1);
}

/* --- Singular values ------------------------------------------------------ */

static void call_gesdd(struct library_problem *p)
{
	typedef void (*real)(const char *jobz, number m, number n, void *a,
			     number lda, void *s, void *u, number ldu, void *vh,
			     number ldvh, void *work, number work_size,
			     void *integers, result info, size_t jobz_size);
	typedef void (*complex)(const char *jobz, number m, number n, void *a,
				number lda, void *s, void *u, number ldu,
				void *vh, number ldvh, void *work,
				number work_size, void *rwork, void *integers,
				result info, size_t jobz_size);
	const bool has_vectors = p->v->flags & DPRP_LAPACK_VECTORS;
	const char *jobz = !has_vectors                     ? "N"
			   : p->v->flags & DPRP_LAPACK_FULL ? "A"
							    : "S";
	const union library_integer one =
		library_lapack_call_integer(p->call->library, 1);
	const union library_integer *ldu = has_vectors ? &p->leading[2] : &one;
	const union library_integer *ldvh = has_vectors ? &p->leading[3] : &one;
	double none[2];
	void *u = has_vectors ? p->arg[2] : none;
	void *vh = has_vectors ? p->arg[3] : none;

	if (is_complex(p))
		((complex)p->call->function)(jobz, &p->m, &p->n, p->arg[0],
					     &p->leading[0], p->arg[1], u, ldu,
					     vh, ldvh, p->work, &p->work_size,
					     p->real, p->integers, &p->info, 1);
	else
		((real)p->call->function)(jobz, &p->m, &p->n, p->arg[0],
					  &p->leading[0], p->arg[1], u, ldu, vh,
					  ldvh, p->work, &p->work_size,
					  p->integers, &p->info, 1);
}

void (*const library_lapack_call_list[LIBRARY_LAPACK_ROUTINES])(
	struct library_problem *p) = {
	[LIBRARY_POTRF] = call_potrf, [LIBRARY_GETRF] = call_getrf,
	[LIBRARY_GETRI] = call_getri, [LIBRARY_GESV] = call_gesv,
	[LIBRARY_TRTRS] = call_trtrs, [LIBRARY_GEQRF] = call_geqrf,
	[LIBRARY_ORGQR] = call_orgqr, [LIBRARY_SYEVD] = call_syevd,
	[LIBRARY_GEEV] = call_geev,   [LIBRARY_GESDD] = call_gesdd,
};

/* --- Input ---------------------------------------------------------------- */

#define IS_FINITE(name, T)                          \
	static bool name(const T *x, int64_t n)     \
	{                                           \
		while (n > 0 && isfinite(x[n - 1])) \
			n--;                        \
		return n <= 0;                      \
	}

IS_FINITE(are_floats_finite, float)
IS_FINITE(are_doubles_finite, double)

bool library_lapack_call_is_finite(const struct library_problem *p,
				   int64_t rows, int64_t columns,
				   bool has_triangle)
{
	const int64_t item = library_item[p->call->dtype];
	const int parts = is_complex(p) ? 2 : 1;
	const bool upper = p->v->flags & DPRP_LAPACK_UPPER;
	bool good = true;

	for (int64_t j = 0; good && j < columns; j++) {
		const int64_t from = has_triangle && !upper ? j : 0;
		const int64_t to = has_triangle && upper ? j + 1 : rows;
		const void *x = (const unsigned char *)p->arg[0] +
				(from + j * p->v->leading[0]) * item;

		good = is_double(p) ? are_doubles_finite(x, (to - from) * parts)
				    : are_floats_finite(x, (to - from) * parts);
	}
	return good;
}
