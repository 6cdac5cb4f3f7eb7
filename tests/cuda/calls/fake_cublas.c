/* SPDX-License-Identifier: Apache-2.0 */
/* fake_cublas.c - the entries of cuBLAS that the CUDA backend uses (see
   fake_cublas.h). */
#include "tests/cuda/calls/fake_impl.h"

#include <stdlib.h>

#define ENTRY(result, name, parameters) FAKE_EXPORT result name parameters;
CUDA_BLAS_ENTRIES(ENTRY)
CUDA_BLAS_WIDE_ENTRIES(ENTRY)
#undef ENTRY
#define ENTRY(member, s, d, c, z, parameters) \
	FAKE_EXPORT int s parameters;         \
	FAKE_EXPORT int d parameters;         \
	FAKE_EXPORT int c parameters;         \
	FAKE_EXPORT int z parameters;
CUDA_BLAS_TYPED_ENTRIES(ENTRY)
#undef ENTRY
FAKE_EXPORT int cublasCreate_v2(void **handle);
FAKE_EXPORT int cublasDestroy_v2(void *handle);
FAKE_EXPORT int cublasSetStream_v2(void *handle, CUstream stream);
FAKE_EXPORT int cublasGetProperty(int property, int *value);

enum { /* results of cuBLAS */
       NOT_INITIALIZED = 1,
       ALLOC_FAILED = 3,
       INVALID_VALUE = 7,
       EXECUTION_FAILED = 13,
       INTERNAL_ERROR = 14,
       NOT_SUPPORTED = 15
};

/* --- Handles -------------------------------------------------------------- */

int cublasCreate_v2(void **out)
{
	return fake_create(out, FAKE_BLAS, __func__);
}

int cublasDestroy_v2(void *out)
{
	return fake_destroy(out, FAKE_BLAS);
}

int cublasSetStream_v2(void *out, CUstream stream)
{
	return fake_set_stream(out, stream, FAKE_BLAS, __func__);
}

int cublasSetMathMode(void *out, int mode)
{
	struct fake_handle *handle = out;
	int result = fake_answer(__func__);

	handle->mode = mode;
	return result;
}

int cublasGetProperty(int property, int *value)
{
	if (property < 0 || property > 2)
		return INVALID_VALUE;
	*value = fake_cublas.version[property];
	return fake_answer(__func__);
}

const char *cublasGetStatusName(int status)
{
	switch (status) {
	case NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
	case ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
	case EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
	case INTERNAL_ERROR: return "CUBLAS_STATUS_INTERNAL_ERROR";
	case NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
	default: return NULL;
	}
}

/* --- Products ------------------------------------------------------------- */

/* c = op(a) op(b), all in columns. */
struct job {
	int op_a, op_b, type;
	int64_t m, n, k, lda, ldb, ldc, stride_a, stride_b, stride_c, count;
	const unsigned char *a, *b;
	unsigned char *c;
};

static void compute(const struct job *j, int64_t index)
{
	const size_t item = fake_item(j->type);
	const unsigned char *a = j->a + index * j->stride_a * (int64_t)item;
	const unsigned char *b = j->b + index * j->stride_b * (int64_t)item;
	unsigned char *c = j->c + index * j->stride_c * (int64_t)item;

	for (int64_t row = 0; row < j->m; row++)
		for (int64_t column = 0; column < j->n; column++) {
			double complex sum = 0;

			for (int64_t p = 0; p < j->k; p++) {
				const int64_t at = j->op_a ? row * j->lda + p
							   : p * j->lda + row;
				const int64_t bt =
					j->op_b ? p * j->ldb + column
						: column * j->ldb + p;

				sum += fake_load(a + at * (int64_t)item,
						 j->type) *
				       fake_load(b + bt * (int64_t)item,
						 j->type);
			}
			fake_store(c + (column * j->ldc + row) * (int64_t)item,
				   j->type, sum);
		}
}

static void run_products(const void *user)
{
	const struct job *job = user;

	for (int64_t i = 0; i < job->count; i++)
		compute(job, i);
}

/* Whether the factors are 1 and 0, in the type that @compute asks for. */
static bool has_factors(int type, int compute_type, const void *alpha,
			const void *beta)
{
	const bool is_complex = type == 4 || type == 5;
	const float *a = alpha, *b = beta;
	const double *da = alpha, *db = beta;

	if (compute_type == 68) /* CUBLAS_COMPUTE_32F */
		return (type == 0 || type == 2 || type == 4 || type == 14) &&
		       a[0] == 1 && b[0] == 0 &&
		       (!is_complex || (a[1] == 0 && b[1] == 0));
	return compute_type == 70 && (type == 1 || type == 5) && da[0] == 1 &&
	       db[0] == 0 && (!is_complex || (da[1] == 0 && db[1] == 0));
}

static int submit(struct fake_handle *handle, const struct job *like,
		  const char *entry)
{
	if (handle && handle->mode != 16)
		return fake_misuse(INVALID_VALUE, "another math mode");
	if (like->lda < (like->op_a ? like->k : like->m) ||
	    like->ldb < (like->op_b ? like->n : like->k) || like->ldc < like->m)
		return fake_misuse(INVALID_VALUE, "a leading dimension");
	if (like->m < 1 || like->n < 1 || like->k < 1 || like->count < 1)
		return fake_misuse(INVALID_VALUE, "an extent");
	return fake_submit(handle, FAKE_BLAS, entry, run_products, like,
			   sizeof(*like));
}

#define CHECK_TYPES                                               \
	if (type_a != type_b || type_a != type_c || algo != -1 || \
	    !has_factors(type_a, compute, alpha, beta))           \
		return fake_misuse(INVALID_VALUE, "types or factors");

#define PRODUCT(name, I, is_wide)                              \
	int name CUDA_BLAS_GEMM(I)                             \
	{                                                      \
		const struct job job = {                       \
			op_a, op_b, type_a, m, n, k, lda, ldb, \
			ldc,  0,    0,      0, 1, a, b,   c    \
		};                                             \
                                                               \
		CHECK_TYPES                                    \
		atomic_fetch_add(&fake_cublas.products, 1);    \
		atomic_fetch_add(&fake_cublas.wide, is_wide);  \
		return submit(handle, &job, #name);            \
	}
#define BATCH(name, I, is_wide)                                               \
	int name CUDA_BLAS_GEMMS(I)                                           \
	{                                                                     \
		const struct job job = { op_a,  op_b,     type_a,   m,        \
					 n,     k,        lda,      ldb,      \
					 ldc,   stride_a, stride_b, stride_c, \
					 count, a,        b,        c };      \
                                                                              \
		CHECK_TYPES                                                   \
		atomic_fetch_add(&fake_cublas.batches, 1);                    \
		atomic_fetch_add(&fake_cublas.wide, is_wide);                 \
		fake_cublas.count = count;                                    \
		return submit(handle, &job, #name);                           \
	}

PRODUCT(cublasGemmEx, int, 0)
PRODUCT(cublasGemmEx_64, int64_t, 1)
BATCH(cublasGemmStridedBatchedEx, int, 0)
BATCH(cublasGemmStridedBatchedEx_64, int64_t, 1)

/* --- Factors and solutions of batches ------------------------------------- */

/* A call for `count` matrices.  a and b are lists of addresses. */
struct batch {
	int type, uplo, op, unit, n, k, lda, ldb, count;
	void *const *a, *const *b;
	int *pivots, *info;
};

static struct fake_matrix matrix_of(void *at, int type, int64_t rows,
				    int64_t columns, int64_t leading)
{
	return (struct fake_matrix){ at, type, rows, columns, leading };
}

static void run_getrf(const void *user)
{
	const struct batch *j = user;
	int64_t *wide = calloc((size_t)j->n, sizeof(*wide));

	for (int p = 0; wide && p < j->count; p++) {
		const struct fake_matrix x =
			matrix_of(j->a[p], j->type, j->n, j->n, j->lda);
		double complex *a = fake_take(&x);

		j->info[p] = fake_getrf(a, j->n, j->n, wide);
		for (int i = 0; i < j->n; i++)
			j->pivots[p * j->n + i] = (int)wide[i];
		fake_give(&x, a);
		free(a);
	}
	free(wide);
}

static void run_getrs(const void *user)
{
	const struct batch *j = user;
	int64_t *wide = calloc((size_t)j->n, sizeof(*wide));

	for (int p = 0; wide && p < j->count; p++) {
		const struct fake_matrix x =
			matrix_of(j->a[p], j->type, j->n, j->n, j->lda);
		const struct fake_matrix y =
			matrix_of(j->b[p], j->type, j->n, j->k, j->ldb);
		double complex *a = fake_take(&x), *b = fake_take(&y);

		for (int i = 0; i < j->n; i++)
			wide[i] = j->pivots[p * j->n + i];
		fake_getrs(a, j->n, j->op, wide, b, j->k);
		fake_give(&y, b);
		free(a);
		free(b);
	}
	free(wide);
}

static void solve_triangle(const struct batch *j, void *at, void *to)
{
	const struct fake_matrix x = matrix_of(at, j->type, j->n, j->n, j->lda);
	const struct fake_matrix y = matrix_of(to, j->type, j->n, j->k, j->ldb);
	double complex *a = fake_take(&x), *b = fake_take(&y);

	fake_trsm(a, j->n, j->uplo == 1, j->op, j->unit == 1, b, j->k);
	fake_give(&y, b);
	free(a);
	free(b);
}

static void run_trsm(const void *user)
{
	const struct batch *j = user;

	solve_triangle(j, (void *)(uintptr_t)j->a, (void *)(uintptr_t)j->b);
}

static void run_trsms(const void *user)
{
	const struct batch *j = user;

	for (int p = 0; p < j->count; p++)
		solve_triangle(j, j->a[p], j->b[p]);
}

static int submit_batch(void *handle, const char *entry, const struct batch *j,
			void (*run)(const void *job))
{
	if (j->n < 1 || j->k < 1 || j->count < 1 || j->lda < j->n ||
	    (j->b && j->ldb < j->n))
		return fake_misuse(INVALID_VALUE, "an extent");
	atomic_fetch_add(&fake_cublas.batch_calls, run != run_trsm);
	return fake_submit(handle, FAKE_BLAS, entry, run, j, sizeof(*j));
}

#define TYPED(t, type_)                                                        \
	int cublas##t##getrfBatched(void *handle, int n, void *const *a,       \
				    int lda, int *pivots, int *info,           \
				    int count)                                 \
	{                                                                      \
		const struct batch j = { .type = type_,                        \
					 .n = n,                               \
					 .k = 1,                               \
					 .lda = lda,                           \
					 .count = count,                       \
					 .a = a,                               \
					 .pivots = pivots,                     \
					 .info = info };                       \
                                                                               \
		return submit_batch(handle, __func__, &j, run_getrf);          \
	}                                                                      \
	int cublas##t##getrsBatched(void *handle, int trans, int n, int k,     \
				    const void *const *a, int lda,             \
				    const int *pivots, void *const *b,         \
				    int ldb, int *info, int count)             \
	{                                                                      \
		const struct batch j = { .type = type_,                        \
					 .op = trans,                          \
					 .n = n,                               \
					 .k = k,                               \
					 .lda = lda,                           \
					 .ldb = ldb,                           \
					 .count = count,                       \
					 .a = (void *const *)a,                \
					 .b = b,                               \
					 .pivots = (int *)(uintptr_t)pivots }; \
                                                                               \
		*info = 0;                                                     \
		if (trans > 1)                                                 \
			return fake_misuse(INVALID_VALUE, "an operation");     \
		return submit_batch(handle, __func__, &j, run_getrs);          \
	}                                                                      \
	int cublas##t##trsm_v2(void *handle, int side, int uplo, int trans,    \
			       int diag, int m, int n, const void *alpha,      \
			       const void *a, int lda, void *b, int ldb)       \
	{                                                                      \
		const struct batch j = { .type = type_,                        \
					 .uplo = uplo,                         \
					 .op = trans,                          \
					 .unit = diag,                         \
					 .n = m,                               \
					 .k = n,                               \
					 .lda = lda,                           \
					 .ldb = ldb,                           \
					 .count = 1,                           \
					 .a = (void *const *)(uintptr_t)a,     \
					 .b = b };                             \
                                                                               \
		if (side || creal(fake_load(alpha, type_)) != 1)               \
			return fake_misuse(INVALID_VALUE, "a side, a factor"); \
		return submit_batch(handle, __func__, &j, run_trsm);           \
	}                                                                      \
	int cublas##t##trsmBatched(                                            \
		void *handle, int side, int uplo, int trans, int diag, int m,  \
		int n, const void *alpha, const void *const *a, int lda,       \
		void *const *b, int ldb, int count)                            \
	{                                                                      \
		const struct batch j = { .type = type_,                        \
					 .uplo = uplo,                         \
					 .op = trans,                          \
					 .unit = diag,                         \
					 .n = m,                               \
					 .k = n,                               \
					 .lda = lda,                           \
					 .ldb = ldb,                           \
					 .count = count,                       \
					 .a = (void *const *)a,                \
					 .b = b };                             \
                                                                               \
		if (side || creal(fake_load(alpha, type_)) != 1)               \
			return fake_misuse(INVALID_VALUE, "a side, a factor"); \
		return submit_batch(handle, __func__, &j, run_trsms);          \
	}

TYPED(S, 0)
TYPED(D, 1)
TYPED(C, 4)
TYPED(Z, 5)
