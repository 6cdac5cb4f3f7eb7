/* SPDX-License-Identifier: Apache-2.0 */
/* fake_cusolver.c - the entries of cuSOLVER that the CUDA backend uses (see
   fake_cublas.h). */
#include "tests/cuda/calls/fake_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY(result, name, parameters) FAKE_EXPORT result name parameters;
CUDA_SOLVER_ENTRIES(ENTRY)
CUDA_SOLVER_NEW_ENTRIES(ENTRY)
#undef ENTRY
#define ENTRY(member, s, d, c, z, parameters) \
	FAKE_EXPORT int s parameters;         \
	FAKE_EXPORT int d parameters;         \
	FAKE_EXPORT int c parameters;         \
	FAKE_EXPORT int z parameters;
CUDA_SOLVER_TYPED_ENTRIES(ENTRY)
#undef ENTRY
FAKE_EXPORT int cusolverDnCreate(void **handle);
FAKE_EXPORT int cusolverDnDestroy(void *handle);
FAKE_EXPORT int cusolverDnSetStream(void *handle, CUstream stream);
FAKE_EXPORT int cusolverGetProperty(int property, int *value);

#define INVALID_VALUE 3
#define INTERNAL_ERROR 7
#define PARAMS 0x9a4au
#define JACOBI 0x7acbu

/* --- Handles -------------------------------------------------------------- */

int cusolverDnCreate(void **out)
{
	return fake_create(out, FAKE_SOLVER, __func__);
}

int cusolverDnDestroy(void *out)
{
	return fake_destroy(out, FAKE_SOLVER);
}

int cusolverDnSetStream(void *out, CUstream stream)
{
	return fake_set_stream(out, stream, FAKE_SOLVER, __func__);
}

int cusolverGetProperty(int property, int *value)
{
	if (property < 0 || property > 2)
		return INVALID_VALUE;
	*value = fake_cublas.solver_version[property];
	return 0;
}

/* All params and all infos.  Those of a context that was reset are here, too,
   although the program will not destroy them. */
static unsigned all_params[256], all_infos[256];

static int make_object(int result, unsigned *all, unsigned value, void **out)
{
	size_t i = 0;

	while (i < 255 && all[i])
		i++;
	*out = result ? NULL : &all[i];
	if (!result)
		all[i] = value;
	return result;
}

int cusolverDnCreateParams(void **out)
{
	const int result =
		make_object(fake_answer(__func__), all_params, PARAMS, out);

	atomic_fetch_add(&fake_cublas.params, !result);
	return result;
}

int cusolverDnDestroyParams(void *params)
{
	*(unsigned *)params = 0;
	atomic_fetch_sub(&fake_cublas.params, 1);
	return 0;
}

int cusolverDnCreateGesvdjInfo(void **out)
{
	const int result =
		make_object(fake_answer(__func__), all_infos, JACOBI, out);

	atomic_fetch_add(&fake_cublas.jacobi, !result);
	return result;
}

int cusolverDnDestroyGesvdjInfo(void *info)
{
	*(unsigned *)info = 0;
	atomic_fetch_sub(&fake_cublas.jacobi, 1);
	return 0;
}

/* --- Calls ---------------------------------------------------------------- */

/* A call for one matrix, or for `count` packed ones. */
struct call {
	int uplo, vectors, type; /* uplo: of getrs, the operation */
	signed char job;
	int64_t m, n, k, lda, ldb, ldc, count;
	unsigned char *a, *b, *c, *d; /* the arguments in their order */
	int64_t *pivots;
	void *device;
	_Atomic(CUstream) *host; /* begins with the number of the stream */
	size_t device_size, host_size;
	int *info;
	void (*compute)(const struct call *call, double complex *a);
	CUstream stream;
};

/* The real dtype of a type. */
static int real_type(int type)
{
	return type == 5 ? 1 : type == 4 ? 0 : type;
}

static bool is_real(int type)
{
	return type == 0 || type == 1;
}

static struct fake_matrix matrix_of(unsigned char *at, int type, int64_t rows,
				    int64_t columns, int64_t leading)
{
	return (struct fake_matrix){ at, type, rows, columns, leading };
}

/* Workspaces have odd sizes.  A program that rounds the sizes down fails. */
static size_t device_size_of(const struct call *c)
{
	return (size_t)(17 + c->m + 3 * c->n) * fake_item(c->type) +
	       fake_cublas.more_device;
}

static size_t host_size_of(const struct call *c)
{
	return (c->n > 3 ? (size_t)c->n + 21 : 0) + fake_cublas.more_host;
}

static int tell_sizes(const char *entry, void *handle, const struct call *c,
		      size_t *device, size_t *host)
{
	const int result = fake_answer(entry);

	if (result)
		return result;
	if (!handle || c->m < 1 || c->n < 1 || c->lda < c->m)
		return fake_misuse(INVALID_VALUE, "an extent");
	*device = device_size_of(c);
	*host = host_size_of(c);
	return 0;
}

static void run_call(const void *user)
{
	const struct call *c = user;
	const int64_t step = c->lda * c->n * (int64_t)fake_item(c->type);
	struct call one = *c;

	/* The contents of the program's workspace are lost, except for the
	   number at its beginning. */
	memset(c->device, 0xa5, c->device_size);
	if (c->host_size >= sizeof(c->stream)) {
		if (*c->host != c->stream)
			fake_misuse(0, "two streams share the host's workspace");
		memset(c->host + 1, 0xa5, c->host_size - sizeof(c->stream));
	}
	for (int64_t i = 0; i < c->count; i++) {
		const struct fake_matrix x =
			matrix_of(one.a, c->type, c->m, c->n, c->lda);
		double complex *a = fake_take(&x);

		c->compute(&one, a);
		free(a);
		one.a += step;
		one.b += c->n * (int64_t)fake_item(real_type(c->type));
		one.info++;
	}
}

/* NVIDIA's geev fails at once for such a matrix, so the library must not get
   it.  The program has waited for the matrix. */
static bool is_finite(const struct call *c)
{
	const struct fake_matrix x =
		matrix_of(c->a, c->type, c->m, c->n, c->lda);
	double complex *a = fake_take(&x);
	bool good = true;

	for (int64_t i = 0; i < c->m * c->n; i++)
		good &= isfinite(creal(a[i])) && isfinite(cimag(a[i]));
	free(a);
	return good;
}

/* The library writes to the host's workspace at once, and reads it later. */
static int submit_filled(const char *entry, void *handle, const struct call *c)
{
	struct call filled = *c;

	filled.stream = ((const struct fake_handle *)handle)->stream;
	if (c->host_size >= sizeof(filled.stream))
		*c->host = filled.stream;
	return fake_submit(handle, FAKE_SOLVER, entry, run_call, &filled,
			   sizeof(filled));
}

static int submit(const char *entry, void *handle, const void *params,
		  const struct call *c)
{
	const size_t device = device_size_of(c), host = host_size_of(c);

	if (*(const unsigned *)params != PARAMS)
		return fake_misuse(INVALID_VALUE, "no params");
	if (c->device_size < device || c->host_size < host || !c->device ||
	    (host && !c->host))
		return fake_misuse(INVALID_VALUE, "a small workspace");
	if (c->m < 1 || c->n < 1 || c->lda < c->m || c->count < 1)
		return fake_misuse(INVALID_VALUE, "an extent");
	if (c->count > 1)
		atomic_fetch_add(&fake_cublas.batch_calls, 1);
	else
		atomic_fetch_add(&fake_cublas.singles, 1);
	return submit_filled(entry, handle, c);
}

#define SPACE                                                       \
	.device = device, .device_size = device_size, .host = host, \
	.host_size = host_size, .info = info

/* --- Factors -------------------------------------------------------------- */

static void give_a(const struct call *c, const double complex *a)
{
	const struct fake_matrix x =
		matrix_of(c->a, c->type, c->m, c->n, c->lda);

	fake_give(&x, a);
}

static void compute_potrf(const struct call *c, double complex *a)
{
	*c->info = fake_potrf(a, c->n, c->uplo == 1);
	give_a(c, a);
}

static void compute_getrf(const struct call *c, double complex *a)
{
	*c->info = fake_getrf(a, c->m, c->n, c->pivots);
	give_a(c, a);
}

static void compute_geqrf(const struct call *c, double complex *a)
{
	const int64_t min = c->m < c->n ? c->m : c->n;
	const struct fake_matrix t = matrix_of(c->b, c->type, min, 1, min);
	double complex *tau = calloc((size_t)min, sizeof(*tau));

	fake_geqrf(a, c->m, c->n, tau);
	fake_give(&t, tau);
	free(tau);
	give_a(c, a);
	*c->info = 0;
}

int cusolverDnXpotrf_bufferSize(CUDA_SOLVER_POTRF, CUDA_SOLVER_SIZES)
{
	const struct call c = { .type = type, .m = n, .n = n, .lda = lda };

	(void)params, (void)uplo, (void)a, (void)compute;
	return tell_sizes(__func__, handle, &c, device_size, host_size);
}

int cusolverDnXpotrf(CUDA_SOLVER_POTRF, CUDA_SOLVER_SPACE)
{
	const struct call c = { .uplo = uplo,
				.type = type,
				.m = n,
				.n = n,
				.lda = lda,
				.count = 1,
				.a = a,
				.compute = compute_potrf,
				SPACE };

	if (compute != type)
		return fake_misuse(INVALID_VALUE, "a type");
	return submit(__func__, handle, params, &c);
}

int cusolverDnXgetrf_bufferSize(CUDA_SOLVER_GETRF, int compute,
				CUDA_SOLVER_SIZES)
{
	const struct call c = { .type = type, .m = m, .n = n, .lda = lda };

	(void)params, (void)a, (void)compute;
	return tell_sizes(__func__, handle, &c, device_size, host_size);
}

int cusolverDnXgetrf(CUDA_SOLVER_GETRF, int64_t *pivots, int compute,
		     CUDA_SOLVER_SPACE)
{
	const struct call c = { .type = type,
				.m = m,
				.n = n,
				.lda = lda,
				.count = 1,
				.a = a,
				.pivots = pivots,
				.compute = compute_getrf,
				SPACE };

	if (compute != type)
		return fake_misuse(INVALID_VALUE, "a type");
	return submit(__func__, handle, params, &c);
}

static void run_getrs(const void *user)
{
	const struct call *c = user;
	const struct fake_matrix x =
		matrix_of(c->a, c->type, c->n, c->n, c->lda);
	const struct fake_matrix y =
		matrix_of(c->b, c->type, c->n, c->k, c->ldb);
	double complex *a = fake_take(&x), *b = fake_take(&y);

	fake_getrs(a, c->n, c->uplo, c->pivots, b, c->k);
	fake_give(&y, b);
	*c->info = 0;
	free(a);
	free(b);
}

int cusolverDnXgetrs(void *handle, void *params, int trans, int64_t n,
		     int64_t k, int type, const void *a, int64_t lda,
		     const int64_t *pivots, int b_type, void *b, int64_t ldb,
		     int *info)
{
	const struct call c = { .type = type,
				.uplo = trans,
				.n = n,
				.k = k,
				.lda = lda,
				.ldb = ldb,
				.a = (unsigned char *)(uintptr_t)a,
				.b = b,
				.pivots = (int64_t *)(uintptr_t)pivots,
				.info = info };

	if (*(unsigned *)params != PARAMS || trans > 1 || b_type != type || n < 1 ||
	    k < 1 || lda < n || ldb < n)
		return fake_misuse(INVALID_VALUE, "an argument of getrs");
	return fake_submit(handle, FAKE_SOLVER, __func__, run_getrs, &c,
			   sizeof(c));
}

int cusolverDnXgeqrf_bufferSize(CUDA_SOLVER_GEQRF, CUDA_SOLVER_SIZES)
{
	const struct call c = { .type = type, .m = m, .n = n, .lda = lda };

	(void)params, (void)a, (void)tau_type, (void)tau, (void)compute;
	return tell_sizes(__func__, handle, &c, device_size, host_size);
}

int cusolverDnXgeqrf(CUDA_SOLVER_GEQRF, CUDA_SOLVER_SPACE)
{
	const struct call c = { .type = type,
				.m = m,
				.n = n,
				.lda = lda,
				.count = 1,
				.a = a,
				.b = tau,
				.compute = compute_geqrf,
				SPACE };

	if (compute != type || tau_type != type)
		return fake_misuse(INVALID_VALUE, "a type");
	return submit(__func__, handle, params, &c);
}

static void run_orgqr(const void *user)
{
	const struct call *c = user;
	const struct fake_matrix x =
		matrix_of(c->a, c->type, c->m, c->n, c->lda);
	const struct fake_matrix t = matrix_of(c->b, c->type, c->k, 1, c->k);
	double complex *a = fake_take(&x), *tau = fake_take(&t);

	memset(c->device, 0xa5, c->device_size);
	fake_orgqr(a, c->m, c->n, c->k, tau);
	fake_give(&x, a);
	*c->info = 0;
	free(a);
	free(tau);
}

static int submit_orgqr(const char *entry, void *handle, const struct call *c)
{
	if (c->m < c->n || c->n < c->k || c->k < 1 || c->lda < c->m ||
	    c->device_size < (size_t)c->n * fake_item(c->type))
		return fake_misuse(INVALID_VALUE, "an argument of orgqr");
	return fake_submit(handle, FAKE_SOLVER, entry, run_orgqr, c,
			   sizeof(*c));
}

/* The entry for a batch destroys the other triangle. */
static void run_potrfs(const void *user)
{
	const struct call *c = user;
	void *const *list = (void *const *)(uintptr_t)c->a;

	for (int64_t p = 0; p < c->count; p++) {
		const struct fake_matrix x =
			matrix_of(list[p], c->type, c->n, c->n, c->lda);
		double complex *a = fake_take(&x);

		c->info[p] = fake_potrf(a, c->n, c->uplo == 1);
		for (int64_t i = 0; i < c->n * c->n; i++)
			if (c->uplo == 1 ? i % c->n > i / c->n
					 : i % c->n < i / c->n)
				a[i] = -99;
		fake_give(&x, a);
		free(a);
	}
}

static int submit_potrfs(const char *entry, void *handle, const struct call *c)
{
	if (c->n < 1 || c->lda < c->n || c->count < 1)
		return fake_misuse(INVALID_VALUE, "an extent");
	atomic_fetch_add(&fake_cublas.batch_calls, 1);
	return fake_submit(handle, FAKE_SOLVER, entry, run_potrfs, c,
			   sizeof(*c));
}

#define TYPED(potrfs, orgqr, orgqr_size, type_)                               \
	int potrfs(void *handle, int uplo, int n, void *const *a, int lda,    \
		   int *info, int count)                                      \
	{                                                                     \
		const struct call c = { .type = type_,                        \
					.uplo = uplo,                         \
					.n = n,                               \
					.lda = lda,                           \
					.count = count,                       \
					.a = (unsigned char *)(uintptr_t)a,   \
					.info = info };                       \
                                                                              \
		return submit_potrfs(__func__, handle, &c);                   \
	}                                                                     \
	int orgqr(void *handle, int m, int n, int k, void *a, int lda,        \
		  const void *tau, void *work, int size, int *info)           \
	{                                                                     \
		const struct call c = { .type = type_,                        \
					.m = m,                               \
					.n = n,                               \
					.k = k,                               \
					.lda = lda,                           \
					.a = a,                               \
					.b = (unsigned char *)(uintptr_t)tau, \
					.device = work,                       \
					.device_size = (size_t)size *         \
						       fake_item(type_),      \
					.info = info };                       \
                                                                              \
		return submit_orgqr(__func__, handle, &c);                    \
	}                                                                     \
	int orgqr_size(void *handle, int m, int n, int k, const void *a,      \
		       int lda, const void *tau, int *size)                   \
	{                                                                     \
		(void)m, (void)k, (void)a, (void)lda, (void)tau;              \
		*size = n;                                                    \
		return handle ? fake_answer(__func__) : INVALID_VALUE;        \
	}

TYPED(cusolverDnSpotrfBatched, cusolverDnSorgqr, cusolverDnSorgqr_bufferSize, 0)
TYPED(cusolverDnDpotrfBatched, cusolverDnDorgqr, cusolverDnDorgqr_bufferSize, 1)
TYPED(cusolverDnCpotrfBatched, cusolverDnCungqr, cusolverDnCungqr_bufferSize, 4)
TYPED(cusolverDnZpotrfBatched, cusolverDnZungqr, cusolverDnZungqr_bufferSize, 5)

/* --- Eigenvalues ---------------------------------------------------------- */

static void give_numbers(unsigned char *to, int type, const double *from,
			 int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		fake_store(to + i * (int64_t)fake_item(type), type, from[i]);
}

static void compute_syev(const struct call *c, double complex *a)
{
	double *w = calloc((size_t)c->n, sizeof(*w));

	*c->info = fake_syev(a, c->n, c->uplo == 1, w);
	give_numbers(c->b, real_type(c->type), w, c->n);
	/* Without vectors the matrix is destroyed. */
	for (int64_t i = 0; !c->vectors && i < c->n * c->n; i++)
		a[i] = -99;
	give_a(c, a);
	free(w);
}

#define SYEV_CALL(count_)                                               \
	{                                                               \
		.uplo = uplo, .vectors = vectors, .type = type, .m = n, \
		.n = n, .lda = lda, .count = count_, .a = a, .b = w,    \
		.compute = compute_syev, SPACE                          \
	}

int cusolverDnXsyevd_bufferSize(CUDA_SOLVER_SYEV, CUDA_SOLVER_SIZES)
{
	const struct call c = { .type = type, .m = n, .n = n, .lda = lda };

	(void)params, (void)vectors, (void)uplo, (void)a, (void)w_type, (void)w;
	(void)compute;
	return tell_sizes(__func__, handle, &c, device_size, host_size);
}

int cusolverDnXsyevBatched_bufferSize(CUDA_SOLVER_SYEV, CUDA_SOLVER_SIZES,
				      int64_t count)
{
	const struct call c = { .type = type, .m = n, .n = n, .lda = lda };

	(void)params, (void)vectors, (void)uplo, (void)a, (void)w_type, (void)w;
	(void)compute, (void)count;
	return tell_sizes(__func__, handle, &c, device_size, host_size);
}

int cusolverDnXsyevd(CUDA_SOLVER_SYEV, CUDA_SOLVER_SPACE)
{
	const struct call c = SYEV_CALL(1);

	if (compute != type || w_type != real_type(type))
		return fake_misuse(INVALID_VALUE, "a type");
	return submit(__func__, handle, params, &c);
}

int cusolverDnXsyevBatched(CUDA_SOLVER_SYEV, CUDA_SOLVER_SPACE, int64_t count)
{
	const struct call c = SYEV_CALL(count);

	if (compute != type || w_type != real_type(type))
		return fake_misuse(INVALID_VALUE, "a type");
	return submit(__func__, handle, params, &c);
}

/* Write the vectors: those of a pair as their real and imaginary parts. */
static void give_vectors(const struct call *c, const double complex *w,
			 double complex *v)
{
	const struct fake_matrix x =
		matrix_of(c->c, c->type, c->n, c->n, c->ldc);

	for (int64_t j = 0; is_real(c->type) && j + 1 < c->n; j++)
		for (int64_t i = 0; cimag(w[j]) > 0 && i < c->n; i++)
			v[i + (j + 1) * c->n] = cimag(v[i + j * c->n]);
	fake_give(&x, v);
}

static void compute_geev(const struct call *c, double complex *a)
{
	const int type = real_type(c->type) ? 5 : 4;
	const struct fake_matrix values = matrix_of(c->b, type, c->n, 1, c->n);
	double complex *w = calloc((size_t)c->n, sizeof(*w));
	double complex *v = calloc((size_t)(c->n * c->n), sizeof(*v));

	*c->info = fake_geev(a, c->n, is_real(c->type), w, v);
	fake_give(&values, w);
	if (c->vectors)
		give_vectors(c, w, v);
	free(w);
	free(v);
}

int cusolverDnXgeev_bufferSize(CUDA_SOLVER_GEEV, CUDA_SOLVER_SIZES)
{
	const struct call c = { .type = type, .m = n, .n = n, .lda = lda };

	(void)params, (void)left, (void)right, (void)a, (void)w_type, (void)w;
	(void)vl_type, (void)vl, (void)ldvl, (void)vr_type, (void)vr;
	(void)ldvr, (void)compute;
	return tell_sizes(__func__, handle, &c, device_size, host_size);
}

int cusolverDnXgeev(CUDA_SOLVER_GEEV, CUDA_SOLVER_SPACE)
{
	const struct call c = { .vectors = right,
				.type = type,
				.m = n,
				.n = n,
				.lda = lda,
				.ldc = ldvr,
				.count = 1,
				.a = a,
				.b = w,
				.c = vr,
				.compute = compute_geev,
				SPACE };

	(void)vl, (void)ldvl;
	if (left || compute != type || w_type != (real_type(type) ? 5 : 4) ||
	    vl_type != type || vr_type != type || (right && ldvr < n))
		return fake_misuse(INVALID_VALUE, "an argument of geev");
	if (!is_finite(&c))
		return INTERNAL_ERROR;
	return submit(__func__, handle, params, &c);
}

/* --- Singular values ------------------------------------------------------ */

static void compute_gesvd(const struct call *c, double complex *a)
{
	const struct fake_matrix u = matrix_of(
		c->c, c->type, c->m, c->job == 'A' ? c->m : c->n, c->ldb);
	const struct fake_matrix vh =
		matrix_of(c->d, c->type, c->n, c->n, c->ldc);
	double *s = calloc((size_t)c->n, sizeof(*s));
	double complex *x = calloc((size_t)(c->m * c->m), sizeof(*x));
	double complex *y = calloc((size_t)(c->n * c->n), sizeof(*y));

	*c->info = fake_gesvd(a, c->m, c->n, s, x, y);
	give_numbers(c->b, real_type(c->type), s, c->n);
	if (c->job != 'N') {
		fake_give(&u, x);
		fake_give(&vh, y);
	}
	free(s);
	free(x);
	free(y);
}

int cusolverDnXgesvd_bufferSize(CUDA_SOLVER_GESVD, CUDA_SOLVER_SIZES)
{
	const struct call c = { .type = type, .m = m, .n = n, .lda = lda };

	(void)params, (void)job_u, (void)job_vh, (void)a, (void)s_type, (void)s;
	(void)u_type, (void)u, (void)ldu, (void)vh_type, (void)vh;
	(void)ldvh, (void)compute;
	return tell_sizes(__func__, handle, &c, device_size, host_size);
}

int cusolverDnXgesvd(CUDA_SOLVER_GESVD, CUDA_SOLVER_SPACE)
{
	const struct call c = { .type = type,
				.job = job_u,
				.m = m,
				.n = n,
				.lda = lda,
				.ldb = ldu,
				.ldc = ldvh,
				.count = 1,
				.a = a,
				.b = s,
				.c = u,
				.d = vh,
				.compute = compute_gesvd,
				SPACE };

	if (job_u != job_vh || !strchr("NSA", job_u) || compute != type ||
	    s_type != real_type(type) || u_type != type || vh_type != type ||
	    m < n || ldu < m || ldvh < n)
		return fake_misuse(INVALID_VALUE, "an argument of gesvd");
	return submit(__func__, handle, params, &c);
}

/* --- Singular values of a batch ------------------------------------------- */

/* out = x, conjugated and transposed. */
static void turn(const double complex *x, int64_t rows, int64_t columns,
		 double complex *out)
{
	for (int64_t i = 0; i < rows; i++)
		for (int64_t j = 0; j < columns; j++)
			out[j + i * columns] = conj(x[i + j * rows]);
}

/* Decompose one matrix: a = u s v^H.  fake_gesvd() wants many rows.  The library
   says nothing of NaN, so info is 0 then. */
static int decompose(double complex *a, int64_t m, int64_t n, double *s,
		     double complex *u, double complex *v)
{
	const int64_t most = m > n ? m : n;
	double complex *x = calloc((size_t)(most * most), sizeof(*x));
	int info;

	if (m >= n) {
		info = fake_gesvd(a, m, n, s, u, x);
		turn(x, n, n, v);
	} else {
		double complex *other = calloc((size_t)(m * n), sizeof(*x));

		turn(a, m, n, other);
		info = fake_gesvd(other, n, m, s, v, x);
		turn(x, m, m, u);
		free(other);
	}
	for (int64_t i = 0; i < m * n; i++)
		if (isnan(creal(a[i])))
			info = 0;
	free(x);
	return info;
}

static void run_gesvdjs(const void *user)
{
	const struct call *c = user;
	const int64_t m = c->m, n = c->n, min = m < n ? m : n;
	const int64_t item = (int64_t)fake_item(c->type);
	double complex *u = calloc((size_t)(m * m), sizeof(*u));
	double complex *v = calloc((size_t)(n * n), sizeof(*v));
	double *s = calloc((size_t)min, sizeof(*s));

	memset(c->device, 0xa5, c->device_size);
	for (int64_t p = 0; p < c->count; p++) {
		const struct fake_matrix x = matrix_of(
			c->a + p * c->lda * n * item, c->type, m, n, c->lda);
		const struct fake_matrix y = matrix_of(
			c->c + p * c->ldb * m * item, c->type, m, m, c->ldb);
		const struct fake_matrix z = matrix_of(
			c->d + p * c->ldc * n * item, c->type, n, n, c->ldc);
		double complex *a = fake_take(&x);

		c->info[p] = decompose(a, m, n, s, u, v);
		give_numbers(c->b + p * min * (int64_t)fake_item(
						       real_type(c->type)),
			     real_type(c->type), s, min);
		if (c->vectors) {
			fake_give(&y, u);
			fake_give(&z, v);
		}
		free(a);
	}
	free(s);
	free(u);
	free(v);
}

static int submit_gesvdjs(const char *entry, void *handle, const void *jacobi,
			  const struct call *c)
{
	if (!jacobi || *(const unsigned *)jacobi != JACOBI || c->m < 1 ||
	    c->n < 1 || c->m > 32 || c->n > 32 || c->lda < c->m ||
	    c->ldb < c->m || c->ldc < c->n || c->count < 1 ||
	    c->device_size < (size_t)(c->m + 3) * fake_item(c->type))
		return fake_misuse(INVALID_VALUE, "an argument of gesvdj");
	atomic_fetch_add(&fake_cublas.batch_calls, 1);
	return fake_submit(handle, FAKE_SOLVER, entry, run_gesvdjs, c,
			   sizeof(*c));
}

#define GESVDJ(name, type_)                                                    \
	int name##_bufferSize(void *handle, int vectors, int m, int n,         \
			      const void *a, int lda, const void *s,           \
			      const void *u, int ldu, const void *v, int ldv,  \
			      int *size, void *jacobi, int count)              \
	{                                                                      \
		(void)vectors, (void)n, (void)a, (void)lda, (void)s, (void)u;  \
		(void)ldu, (void)v, (void)ldv, (void)count;                    \
		*size = m + 3;                                                 \
		return handle && jacobi ? fake_answer(__func__)                \
					: INVALID_VALUE;                       \
	}                                                                      \
	int name(void *handle, int vectors, int m, int n, void *a, int lda,    \
		 void *s, void *u, int ldu, void *v, int ldv, void *work,      \
		 int size, int *info, void *jacobi, int count)                 \
	{                                                                      \
		const struct call c = { .type = type_,                         \
					.vectors = vectors,                    \
					.m = m,                                \
					.n = n,                                \
					.lda = lda,                            \
					.ldb = ldu,                            \
					.ldc = ldv,                            \
					.count = count,                        \
					.a = a,                                \
					.b = s,                                \
					.c = u,                                \
					.d = v,                                \
					.device = work,                        \
					.device_size = (size_t)size *          \
						       fake_item(type_),       \
					.info = info };                        \
                                                                               \
		return submit_gesvdjs(__func__, handle, jacobi, &c);           \
	}

GESVDJ(cusolverDnSgesvdjBatched, 0)
GESVDJ(cusolverDnDgesvdjBatched, 1)
GESVDJ(cusolverDnCgesvdjBatched, 4)
GESVDJ(cusolverDnZgesvdjBatched, 5)
