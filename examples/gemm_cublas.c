/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemm_cublas.c - how an extension calls a vendor's library: C = A B with
 * NVIDIA's cuBLAS, through the native handles of the queue and the memory.
 *
 * cuBLAS is opened at run time, so that the program builds without CUDA.  It
 * reads dpr's row-major matrices as their transposes.  So it gets B and A, in
 * this order, and writes the transpose of C, which is C in dpr's order.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

#include <dpr/dpr.h>

/* Values of cublasOperation_t and cublasMath_t. */
enum { OP_N = 0, PEDANTIC_MATH = 2 };

static struct {
	int (*create)(void **handle);
	int (*destroy)(void *handle);
	int (*set_stream)(void *handle, void *stream);
	int (*set_math_mode)(void *handle, int mode);
	int (*sgemm)(void *handle, int op_a, int op_b, int m, int n, int k,
		     const float *alpha, const float *a, int lda,
		     const float *b, int ldb, const float *beta, float *c,
		     int ldc);
	int (*dgemm)(void *handle, int op_a, int op_b, int m, int n, int k,
		     const double *alpha, const double *a, int lda,
		     const double *b, int ldb, const double *beta, double *c,
		     int ldc);
	int (*sgemm_batched)(void *handle, int op_a, int op_b, int m, int n,
			     int k, const float *alpha, const float *a, int lda,
			     long long stride_a, const float *b, int ldb,
			     long long stride_b, const float *beta, float *c,
			     int ldc, long long stride_c, int count);
	int (*push_context)(void *context);
	int (*pop_context)(void **context);
} lib;

/* Find the functions.  Returns NULL, or the name of what is missing. */
static const char *open_libraries(void)
{
	static const char *const names[] = { "libcublas.so.13",
					     "libcublas.so.12" };
	const struct {
		const char *name;
		void *slot;
	} entries[] = {
		{ "cublasCreate_v2", &lib.create },
		{ "cublasDestroy_v2", &lib.destroy },
		{ "cublasSetStream_v2", &lib.set_stream },
		{ "cublasSetMathMode", &lib.set_math_mode },
		{ "cublasSgemm_v2", &lib.sgemm },
		{ "cublasDgemm_v2", &lib.dgemm },
		{ "cublasSgemmStridedBatched", &lib.sgemm_batched },
		{ "cuCtxPushCurrent_v2", &lib.push_context },
		{ "cuCtxPopCurrent_v2", &lib.pop_context },
	};
	void *cublas = dlopen(names[0], RTLD_NOW);
	void *cuda = dlopen("libcuda.so.1", RTLD_NOW);

	if (!cublas)
		cublas = dlopen(names[1], RTLD_NOW);
	if (!cublas || !cuda)
		return cublas ? "libcuda.so.1" : names[0];
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		void **slot = entries[i].slot;

		*slot = dlsym(i < 7 ? cublas : cuda, entries[i].name);
		if (!*slot)
			return entries[i].name;
	}
	return NULL;
}

/* Get the device address of the first element of @x. */
static dpr_status address_of(const dpr_array *x, char **out)
{
	uintptr_t base;
	size_t bytes;
	dpr_status status = dpr_usm_native(dpr_array_usm(x), &base, &bytes);

	/* Wait: dpr may not have submitted the work that computes x yet. */
	if (!status)
		status = dpr_array_wait(x);
	if (!status)
		*out = (char *)base + bytes +
		       (size_t)dpr_array_offset(x) *
			       dpr_dtype_size(dpr_array_dtype(x));
	return status;
}

/* The work runs after all earlier work of the queue, and before all work that
   dpr submits later. */
static dpr_status gemm(void *cublas, const dpr_array *a, const dpr_array *b,
		       dpr_array *c)
{
	const dpr_array *operands[] = { a, b, c };
	int rank = dpr_array_rank(c);
	const int64_t *shape = dpr_array_shape(c);
	int m = (int)shape[rank - 2], n = (int)shape[rank - 1];
	int k = (int)dpr_array_shape(a)[rank - 1], count, error;
	const float one = 1, zero = 0;
	const double one64 = 1, zero64 = 0;
	char *at[3];
	uintptr_t stream;
	dpr_queue *queue;
	dpr_status status;

	if ((status = dpr_execution_queue(operands, 3, &queue)) ||
	    (status = dpr_queue_native(queue, &stream)))
		return status;
	for (int i = 0; i < 3; i++)
		if ((status = address_of(operands[i], &at[i])))
			return status;
	count = rank > 2 ? (int)shape[0] : 1;
	error = lib.set_stream(cublas, (void *)stream);
	if (error)
		return DPR_ERROR_DRIVER;
	if (dpr_array_dtype(c) == DPR_FLOAT64)
		error = lib.dgemm(cublas, OP_N, OP_N, n, m, k, &one64,
				  (double *)(void *)at[1], n,
				  (double *)(void *)at[0], k, &zero64,
				  (double *)(void *)at[2], n);
	else if (count == 1)
		error = lib.sgemm(cublas, OP_N, OP_N, n, m, k, &one,
				  (float *)(void *)at[1], n,
				  (float *)(void *)at[0], k, &zero,
				  (float *)(void *)at[2], n);
	else
		error = lib.sgemm_batched(
			cublas, OP_N, OP_N, n, m, k, &one,
			(float *)(void *)at[1], n, (long long)k * n,
			(float *)(void *)at[0], k, (long long)m * k, &zero,
			(float *)(void *)at[2], n, (long long)m * n, count);
	return error ? DPR_ERROR_DRIVER : DPR_OK;
}

/* A and B hold small whole numbers, so that every product is exact. */
static double element(int which, int64_t i)
{
	return (double)((i * 7 + which * 3) % 11 - 5);
}

static dpr_status make(dpr_queue *queue, dpr_dtype dtype, int which, int rank,
		       const int64_t *shape, dpr_array **out)
{
	int64_t n = 1, i;
	dpr_status status;
	double *values;
	dpr_array *wide = NULL;

	for (i = 0; i < rank; i++)
		n *= shape[i];
	values = malloc((size_t)n * sizeof(*values));
	if (!values)
		return DPR_ERROR_OUT_OF_MEMORY;
	for (i = 0; i < n; i++)
		values[i] = element(which, i);
	status = dpr_array_from_memory(values, dpr_shape_of(rank, shape), NULL,
				       DPR_FLOAT64, queue, &wide);
	if (!status)
		status = dpr_astype(wide, dtype, out);
	dpr_array_release(wide);
	free(values);
	return status;
}

/* Multiply a batch, and compare the result with sums in plain C. */
static dpr_status check(dpr_queue *queue, void *cublas, dpr_dtype dtype,
			int batch)
{
	enum { M = 5, N = 7, K = 300 };
	const int64_t shape_a[] = { batch, M, K }, shape_b[] = { batch, K, N },
		      shape_c[] = { batch, M, N };
	int skip = batch == 1, rank = 3 - skip;
	dpr_array *a = NULL, *b = NULL, *c = NULL, *wide = NULL;
	double got[4 * M * N], want, worst = 0;
	dpr_status status;

	if ((status = make(queue, dtype, 1, rank, shape_a + skip, &a)) ||
	    (status = make(queue, dtype, 2, rank, shape_b + skip, &b)) ||
	    (status = make(queue, dtype, 0, rank, shape_c + skip, &c)) ||
	    (status = gemm(cublas, a, b, c)) ||
	    (status = dpr_astype(c, DPR_FLOAT64, &wide)) ||
	    (status = dpr_array_to_memory(wide, got, sizeof(got), NULL)))
		fprintf(stderr, "gemm: %s: %s\n", dpr_status_text(status),
			dpr_last_error());
	for (int64_t i = 0; i < batch * M * N && !status; i++) {
		want = 0;
		for (int64_t k = 0; k < K; k++)
			want += element(1, i / N * K + k) *
				element(2, (i / (M * N) * K + k) * N + i % N);
		worst = fmax(worst, fabs(got[i] - want));
	}
	dpr_array_release(wide);
	dpr_array_release(c);
	dpr_array_release(b);
	dpr_array_release(a);
	if (!status)
		printf("%s, %d at a time: off by %g\n", dpr_dtype_name(dtype),
		       batch, worst);
	return status ? status : worst != 0 ? DPR_ERROR_INTERNAL : DPR_OK;
}

int main(void)
{
	void *cublas = NULL, *was;
	uintptr_t context;
	const char *missing;
	dpr_queue *queue;
	int failed;

	if (dpr_canonical_queue("cuda", &queue)) {
		printf("skipped: %s\n", dpr_last_error());
		return 77;
	}
	missing = open_libraries();
	if (missing) {
		printf("skipped: there is no %s\n", missing);
		return 77;
	}
	/* cuBLAS uses the current context. */
	if (dpr_device_native(dpr_queue_device(queue), DPR_NATIVE_CONTEXT,
			      &context) ||
	    lib.push_context((void *)context) || lib.create(&cublas)) {
		fprintf(stderr, "gemm: cuBLAS does not start\n");
		return 1;
	}
	/* Do not use TF32, which keeps only 10 of the 23 bits of a float32. */
	failed = lib.set_math_mode(cublas, PEDANTIC_MATH) ||
		 check(queue, cublas, DPR_FLOAT32, 1) ||
		 check(queue, cublas, DPR_FLOAT64, 1) ||
		 check(queue, cublas, DPR_FLOAT32, 4);
	lib.destroy(cublas);
	lib.pop_context(&was);
	return failed;
}
