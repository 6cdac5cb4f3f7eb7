/* SPDX-License-Identifier: Apache-2.0 */
/* fake_cublas.c - a library with the entries of cuBLAS that the CUDA backend
   uses (see fake_cublas.h). */
#include "tests/cuda/calls/fake_cublas.h"

#include <complex.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/calls/cuda_calls.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT struct fake_cublas fake_cublas = { .version = { 13, 1, 2 } };

#define ENTRY(result, name, parameters) EXPORT result name parameters;
CUDA_BLAS_ENTRIES(ENTRY)
CUDA_BLAS_WIDE_ENTRIES(ENTRY)
#undef ENTRY

enum { /* results of cuBLAS */
       NOT_INITIALIZED = 1,
       ALLOC_FAILED = 3,
       INVALID_VALUE = 7,
       EXECUTION_FAILED = 13,
       INTERNAL_ERROR = 14,
       NOT_SUPPORTED = 15
};

#define WORKSPACE 64

struct handle {
	struct handle *next; /* in the list of handles */
	uint32_t magic;
	atomic_bool busy; /* a thread is in a call with it */
	CUcontext context;
	CUstream stream;
	CUdeviceptr workspace;
	int mode;
};
#define MAGIC 0xb1a5u

/* All handles: those that a program gives up, too, so that no tool takes them
   for memory that was lost. */
static struct handle *handles;
static pthread_mutex_t handles_lock = PTHREAD_MUTEX_INITIALIZER;

/* Entries of the driver. */
static struct {
	PFN_cuCtxGetCurrent_v4000 cuCtxGetCurrent;
	PFN_cuStreamGetCtx_v9020 cuStreamGetCtx;
	PFN_cuLaunchHostFunc_v10000 cuLaunchHostFunc;
	PFN_cuMemAlloc_v3020 cuMemAlloc;
	PFN_cuMemFree_v3020 cuMemFree;
} cu;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_driver(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	CUdriverProcAddressQueryResult result;
	PFN_cuGetProcAddress_v12000 get;

	*(void **)&get = dlsym(library, "cuGetProcAddress_v2");
#define FIND(name, version) get(#name, (void **)&cu.name, version, 0, &result)
	FIND(cuCtxGetCurrent, 4000);
	FIND(cuStreamGetCtx, 9020);
	FIND(cuLaunchHostFunc, 10000);
	FIND(cuMemAlloc, 3020);
	FIND(cuMemFree, 3020);
#undef FIND
}

/* Count a misuse.  Returns @status. */
static int misuse(int status, const char *text)
{
	atomic_fetch_add(&fake_cublas.faults, 1);
	fake_cublas.fault = text;
	return status;
}

/* The result of an entry. */
static int answer(const char *entry)
{
	if (fake_cublas.fail && !strcmp(fake_cublas.fail, entry))
		return fake_cublas.result;
	if (fake_cublas.after && atomic_fetch_sub(&fake_cublas.after, 1) == 1) {
		fake_cublas.failed = entry;
		return fake_cublas.result;
	}
	return 0;
}

/* --- Handles -------------------------------------------------------------- */

/* Begin a call with a handle: in its context, and by one thread at a time. */
static int handle_begin(struct handle *handle)
{
	CUcontext now = NULL;

	if (!handle || handle->magic != MAGIC)
		return misuse(NOT_INITIALIZED, "no handle");
	if (atomic_exchange(&handle->busy, true))
		return misuse(INTERNAL_ERROR, "a handle in use");
	if (cu.cuCtxGetCurrent(&now) || now != handle->context) {
		handle->busy = false;
		return misuse(INTERNAL_ERROR, "not the handle's context");
	}
	return 0;
}

static void handle_end(struct handle *handle)
{
	handle->busy = false;
}

int cublasCreate_v2(void **out)
{
	struct handle *handle;
	CUcontext now = NULL;
	int result = answer(__func__);

	*out = NULL;
	if (result)
		return result;
	pthread_once(&once, find_driver);
	if (cu.cuCtxGetCurrent(&now) || !now)
		return misuse(NOT_INITIALIZED, "no context");
	handle = calloc(1, sizeof(*handle));
	if (!handle || cu.cuMemAlloc(&handle->workspace, WORKSPACE)) {
		free(handle);
		return ALLOC_FAILED;
	}
	handle->magic = MAGIC;
	handle->context = now;
	pthread_mutex_lock(&handles_lock);
	handle->next = handles;
	handles = handle;
	pthread_mutex_unlock(&handles_lock);
	atomic_fetch_add(&fake_cublas.handles, 1);
	atomic_fetch_add(&fake_cublas.made, 1);
	*out = handle;
	return 0;
}

int cublasDestroy_v2(void *out)
{
	struct handle *handle = out, **at = &handles;
	int result = handle_begin(handle);

	if (result)
		return result;
	/* The queues are gone by now, and their streams. */
	if (handle->stream)
		misuse(0, "a handle with a stream that is gone");
	cu.cuMemFree(handle->workspace);
	pthread_mutex_lock(&handles_lock);
	while (*at != handle)
		at = &(*at)->next;
	*at = handle->next;
	pthread_mutex_unlock(&handles_lock);
	handle->magic = 0;
	free(handle);
	atomic_fetch_sub(&fake_cublas.handles, 1);
	return 0;
}

int cublasSetStream_v2(void *out, CUstream stream)
{
	struct handle *handle = out;
	CUcontext owner = NULL;
	int result = handle_begin(handle);

	if (result)
		return result;
	result = stream ? answer(__func__) : 0;
	if (!result && stream && cu.cuStreamGetCtx(stream, &owner))
		result = INTERNAL_ERROR;
	if (!result && stream && owner != handle->context)
		result = misuse(INVALID_VALUE, "a stream of another context");
	if (!result)
		handle->stream = stream;
	handle_end(handle);
	return result;
}

int cublasSetMathMode(void *out, int mode)
{
	struct handle *handle = out;
	int result = answer(__func__);

	handle->mode = mode;
	return result;
}

int cublasGetProperty(int property, int *value)
{
	if (property < 0 || property > 2)
		return INVALID_VALUE;
	*value = fake_cublas.version[property];
	return answer(__func__);
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

/* --- Numbers -------------------------------------------------------------- */

/* The value of a number of 16 bits whose exponent has 5 or 8 bits.  Tests use
   no NaN, no infinity and no subnormal number. */
static float narrow_value(uint16_t bits, bool is_bfloat)
{
	const uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
	uint32_t wide = (uint32_t)bits << 16;
	float value;

	if (!is_bfloat)
		wide = bits & 0x7fff
			       ? sign | (((uint32_t)(bits & 0x7fff) << 13) +
					 (112u << 23))
			       : sign;
	memcpy(&value, &wide, sizeof(value));
	return value;
}

/* The reverse, for numbers that have no more bits. */
static uint16_t narrow_bits(float value, bool is_bfloat)
{
	uint16_t bits;
	uint32_t wide;

	memcpy(&wide, &value, sizeof(wide));
	bits = (uint16_t)(wide >> 16);
	if (!is_bfloat && value != 0)
		bits = (uint16_t)((wide >> 16 & 0x8000) |
				  ((wide & 0x7fffffff) - (112u << 23)) >> 13);
	if (narrow_value(bits, is_bfloat) != value)
		misuse(0, "a result was rounded");
	return bits;
}

static size_t item_of(int type)
{
	switch (type) {
	case 0: return 4;
	case 5: return 16;
	case 2:
	case 14: return 2;
	default: return 8;
	}
}

static double complex load(const unsigned char *at, int type)
{
	double complex z;
	float complex c;
	uint16_t bits;
	double d;
	float f;

	switch (type) {
	case 0: memcpy(&f, at, sizeof(f)); return (double)f;
	case 1: memcpy(&d, at, sizeof(d)); return d;
	case 4: memcpy(&c, at, sizeof(c)); return c;
	case 5: memcpy(&z, at, sizeof(z)); return z;
	default:
		memcpy(&bits, at, sizeof(bits));
		return (double)narrow_value(bits, type == 14);
	}
}

static void store(unsigned char *at, int type, double complex z)
{
	const float complex c = (float complex)z;
	const double d = creal(z);
	const float f = (float)d;
	uint16_t bits;

	switch (type) {
	case 0: memcpy(at, &f, sizeof(f)); break;
	case 1: memcpy(at, &d, sizeof(d)); break;
	case 4: memcpy(at, &c, sizeof(c)); break;
	case 5: memcpy(at, &z, sizeof(z)); break;
	default:
		bits = narrow_bits(f, type == 14);
		memcpy(at, &bits, sizeof(bits));
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
	const size_t item = item_of(j->type);
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

				sum += load(a + at * (int64_t)item, j->type) *
				       load(b + bt * (int64_t)item, j->type);
			}
			store(c + (column * j->ldc + row) * (int64_t)item,
			      j->type, sum);
		}
}

static void run_job(void *user)
{
	struct job *job = user;

	for (int64_t i = 0; i < job->count; i++)
		compute(job, i);
	free(job);
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

static int submit(struct handle *handle, const struct job *like,
		  const char *entry)
{
	struct job *job;
	int result = handle_begin(handle);

	if (result)
		return result;
	result = answer(entry);
	if (!result && !handle->stream)
		result = misuse(INVALID_VALUE, "the default stream");
	if (!result && handle->mode != 16)
		result = misuse(INVALID_VALUE, "another math mode");
	if (!result && (like->lda < (like->op_a ? like->k : like->m) ||
			like->ldb < (like->op_b ? like->n : like->k) ||
			like->ldc < like->m))
		result = misuse(INVALID_VALUE, "a leading dimension");
	if (!result &&
	    (like->m < 1 || like->n < 1 || like->k < 1 || like->count < 1))
		result = misuse(INVALID_VALUE, "an extent");
	if (!result) {
		job = malloc(sizeof(*job));
		if (job)
			*job = *like;
		if (!job || cu.cuLaunchHostFunc(handle->stream, run_job, job)) {
			free(job);
			result = EXECUTION_FAILED;
		}
	}
	handle_end(handle);
	return result;
}

#define CHECK_TYPES                                               \
	if (type_a != type_b || type_a != type_c || algo != -1 || \
	    !has_factors(type_a, compute, alpha, beta))           \
		return misuse(INVALID_VALUE, "types or factors");

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
