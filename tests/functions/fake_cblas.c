/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_cblas.c - a CBLAS with integers of 64 bits, in plain loops, and two
 * routines of LAPACK.  It remembers its last call for api_matmul.c.
 */
#include <complex.h>
#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "tests/functions/fake_cblas.h"

FAKE_EXPORT struct fake_cblas fake_cblas;

static _Thread_local int threads = 8;

FAKE_EXPORT int openblas_get_num_threads(void);
FAKE_EXPORT int openblas_set_num_threads_local(int n);
FAKE_EXPORT int MKL_Set_Num_Threads_Local(int n);
FAKE_EXPORT const char *openblas_get_config(void);
FAKE_EXPORT float cblas_sdot(int64_t n, const float *x, int64_t x_step,
			     const float *y, int64_t y_step);

FAKE_EXPORT int openblas_get_num_threads(void)
{
	return threads;
}

/* It sets the number for the whole process in some builds, so nobody calls
   it. */
FAKE_EXPORT int openblas_set_num_threads_local(int n)
{
	atomic_fetch_add(&fake_cblas.faults, 1);
	return n;
}

FAKE_EXPORT int MKL_Set_Num_Threads_Local(int n)
{
	const int before = threads;

	threads = n;
	return before;
}

FAKE_EXPORT const char *openblas_get_config(void)
{
	return "a fake CBLAS";
}

FAKE_EXPORT float cblas_sdot(int64_t n, const float *x, int64_t x_step,
			     const float *y, int64_t y_step)
{
	float sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += x[i * x_step] * y[i * y_step];
	return sum;
}

/* Calls that are under way.  exit() must not come to the destructors before
   they are over: some libraries hang then. */
static atomic_int under_way;

__attribute__((destructor)) static void ends(void)
{
	if (atomic_load(&under_way))
		_exit(FAKE_ENDED_EARLY);
}

static void note(int a, int b, int64_t lda, int64_t ldb)
{
	atomic_fetch_add(&fake_cblas.calls, 1);
	atomic_store(&fake_cblas.a_transposed, a == 112);
	atomic_store(&fake_cblas.b_transposed, b == 112);
	atomic_store(&fake_cblas.lda, lda);
	atomic_store(&fake_cblas.ldb, ldb);
	atomic_store(&fake_cblas.threads, threads);
}

/* FACTOR: the type of the factors, which must be 1 and 0. */
#define GEMM(name, T, FACTOR, IS_ONE)                                          \
	FAKE_EXPORT void name(int, int, int, int64_t, int64_t, int64_t,        \
			      FACTOR, const void *, int64_t, const void *,     \
			      int64_t, FACTOR, void *, int64_t);               \
	FAKE_EXPORT void name(int order, int at, int bt, int64_t m, int64_t n, \
			      int64_t k, FACTOR alpha, const void *a_,         \
			      int64_t lda, const void *b_, int64_t ldb,        \
			      FACTOR beta, void *c_, int64_t ldc)              \
	{                                                                      \
		const T *a = a_, *b = b_;                                      \
		T *c = c_;                                                     \
                                                                               \
		atomic_fetch_add(&under_way, 1);                               \
		note(at, bt, lda, ldb);                                        \
		if (order != 101 || !(IS_ONE(alpha)) || IS_ONE(beta) ||        \
		    lda < (at == 112 ? m : k) || ldb < (bt == 112 ? k : n) ||  \
		    ldc < n)                                                   \
			atomic_fetch_add(&fake_cblas.faults, 1);               \
		for (int64_t i = 0; i < m; i++)                                \
			for (int64_t j = 0; j < n; j++) {                      \
				T sum = 0;                                     \
                                                                               \
				for (int64_t p = 0; p < k; p++)                \
					sum += a[at == 112 ? p * lda + i       \
							   : i * lda + p] *    \
					       b[bt == 112 ? j * ldb + p       \
							   : p * ldb + j];     \
				c[i * ldc + j] = sum;                          \
			}                                                      \
		atomic_fetch_sub(&under_way, 1);                               \
	}

#define IS_NUMBER(x) ((x) == 1)
#define IS_FLOATS(x) (*(const float *)(x) == 1)
#define IS_DOUBLES(x) (*(const double *)(x) == 1)

GEMM(cblas_sgemm, float, float, IS_NUMBER)
GEMM(cblas_dgemm, double, double, IS_NUMBER)
GEMM(cblas_cgemm, float complex, const void *, IS_FLOATS)
GEMM(cblas_zgemm, double complex, const void *, IS_DOUBLES)

/* --- LAPACK --------------------------------------------------------------- */

FAKE_EXPORT void spotrf_(const char *uplo, const int64_t *n, float *a,
			 const int64_t *lda, int64_t *info, size_t uplo_size);
FAKE_EXPORT void cpotrf_(const char *uplo, const int64_t *n, float complex *a,
			 const int64_t *lda, int64_t *info, size_t uplo_size);
FAKE_EXPORT void dgetrf_(const int64_t *m, const int64_t *n, double *a,
			 const int64_t *lda, int64_t *pivots, int64_t *info);

/* Element (i, j) of the lower factor, also where the upper one is asked for. */
#define POTRF(name, T, CONJ, SQRT)                                            \
	FAKE_EXPORT void name(const char *uplo, const int64_t *n, T *a,       \
			      const int64_t *lda, int64_t *info, size_t size) \
	{                                                                     \
		const int64_t down = *uplo == 'U' ? *lda : 1;                 \
		const int64_t right = *uplo == 'U' ? 1 : *lda;                \
                                                                              \
		*info = size != 1;                                            \
		for (int64_t j = 0; j < *n; j++)                              \
			for (int64_t i = j; i < *n; i++) {                    \
				T *to = &a[i * down + j * right], sum = *to;  \
                                                                              \
				for (int64_t p = 0; p < j; p++)               \
					sum -= a[i * down + p * right] *      \
					       CONJ(a[j * down + p * right]); \
				*to = i == j ? SQRT(sum)                      \
					     : sum / a[j * down + j * right]; \
			}                                                     \
	}

#define SAME(x) (x)

POTRF(spotrf_, float, SAME, sqrtf)
POTRF(cpotrf_, float complex, conjf, csqrtf)

/* Exchange two rows. */
static void exchange(double *a, int64_t lda, int64_t n, int64_t i, int64_t k)
{
	for (int64_t j = 0; j < n; j++) {
		const double kept = a[i + j * lda];

		a[i + j * lda] = a[k + j * lda];
		a[k + j * lda] = kept;
	}
}

/* Use as much stack as a library may need, from one page to the next. */
static void use_stack(void)
{
	volatile char room[6 << 20];

	for (size_t i = sizeof(room); i > 0; i -= 4096)
		room[i - 1] = 1;
}

FAKE_EXPORT void dgetrf_(const int64_t *m, const int64_t *n, double *a,
			 const int64_t *lda, int64_t *pivots, int64_t *info)
{
	const struct timespec while_others = { 0, 100000 };

	use_stack();
	*info = 0;
	for (int64_t p = 0; p < *m && p < *n; p++) {
		int64_t best = p;

		for (int64_t i = p; i < *m; i++)
			if (fabs(a[i + p * *lda]) > fabs(a[best + p * *lda]))
				best = i;
		pivots[p] = best + 1;
		exchange(a, *lda, *n, p, best);
		for (int64_t i = p + 1; i < *m; i++) {
			a[i + p * *lda] /= a[p + p * *lda];
			for (int64_t j = p + 1; j < *n; j++)
				a[i + j * *lda] -=
					a[i + p * *lda] * a[p + j * *lda];
		}
	} /* Another thread works meanwhile. */
	nanosleep(&while_others, NULL);
}
