/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_calls.h - routines of libraries as kernels (DPRP_CALLS_FORMAT), and the
   library that has them: cuBLAS, opened at run time. */
#ifndef CUDA_CALLS_H
#define CUDA_CALLS_H

#include "backends/cuda/cuda_objects.h"

/* --- cuda_blas.c --- */

/* The arguments of products, with integers of the type I. */
#define CUDA_BLAS_GEMM(I)                                                    \
	(void *handle, int op_a, int op_b, I m, I n, I k, const void *alpha, \
	 const void *a, int type_a, I lda, const void *b, int type_b, I ldb, \
	 const void *beta, void *c, int type_c, I ldc, int compute, int algo)
#define CUDA_BLAS_GEMMS(I)                                                    \
	(void *handle, int op_a, int op_b, I m, I n, I k, const void *alpha,  \
	 const void *a, int type_a, I lda, long long stride_a, const void *b, \
	 int type_b, I ldb, long long stride_b, const void *beta, void *c,    \
	 int type_c, I ldc, long long stride_c, I count, int compute,         \
	 int algo)

/* The entries of cuBLAS: X(result, name, parameters). */
#define CUDA_BLAS_ENTRIES(X)                                        \
	X(int, cublasCreate_v2, (void **handle))                    \
	X(int, cublasDestroy_v2, (void *handle))                    \
	X(int, cublasSetStream_v2, (void *handle, CUstream stream)) \
	X(int, cublasSetMathMode, (void *handle, int mode))         \
	X(int, cublasGetProperty, (int property, int *value))       \
	X(const char *, cublasGetStatusName, (int status))          \
	X(int, cublasGemmEx, CUDA_BLAS_GEMM(int))                   \
	X(int, cublasGemmStridedBatchedEx, CUDA_BLAS_GEMMS(int))
/* Entries that may be missing. */
#define CUDA_BLAS_WIDE_ENTRIES(X)                        \
	X(int, cublasGemmEx_64, CUDA_BLAS_GEMM(int64_t)) \
	X(int, cublasGemmStridedBatchedEx_64, CUDA_BLAS_GEMMS(int64_t))

struct cuda_blas {
#define CUDA_BLAS_ENTRY(result, name, parameters) result(*name) parameters;
	CUDA_BLAS_ENTRIES(CUDA_BLAS_ENTRY)
	CUDA_BLAS_WIDE_ENTRIES(CUDA_BLAS_ENTRY)
#undef CUDA_BLAS_ENTRY
	bool works;
	char name[40];  /* "cuBLAS 13.1.0" */
	char text[512]; /* the name and the file, or why there is none */
};

/* A handle of cuBLAS, which one thread may use at a time.  It belongs to a
   context, and has a workspace in the device's memory. */
struct cuda_blas_handle {
	struct cuda_blas_handle *next;
	void *cu;
	uint64_t stream; /* the id of the stream that was set; 0: none */
};

/* Get cuBLAS, which is opened when it is first needed.  UNSUPPORTED, with a
   text, if there is none. */
dprp_rc cuda_blas_get(dprp_instance *instance, const struct cuda_blas **out);
/* Make sure that the scope has a handle.  UNSUPPORTED: cuBLAS does not work
   with this driver or device. */
dprp_rc cuda_blas_start(struct cuda_scope *scope, const struct cuda_blas *blas);
/* Take a handle for a stream, if possible its last one.  The scope's context
   must be current. */
dprp_rc cuda_blas_take(struct cuda_scope *scope, const struct cuda_blas *blas,
		       const struct cuda_stream *stream,
		       struct cuda_blas_handle **out);
void cuda_blas_put(struct cuda_scope *scope, struct cuda_blas_handle *handle);
/* Detach the handles from a stream that is destroyed next. */
void cuda_blas_forget(struct cuda_scope *scope,
		      const struct cuda_stream *stream);
/* Destroy the handles of a scope. */
void cuda_blas_free_all(struct cuda_scope *scope);
/* Report that @call has failed with @status.  The scope's context must be
   current. */
dprp_rc cuda_blas_failed(const struct cuda_scope *scope,
			 const struct cuda_blas *blas, int status,
			 const char *call);
void cuda_blas_close(dprp_instance *instance);

/* --- cuda_calls.c --- */

struct cuda_routine;

/* A routine and the library that has it.  NULL and NULL: an ordinary kernel. */
struct cuda_call {
	const struct cuda_routine *routine;
	const struct cuda_blas *blas;
};

/* Find the routine that the image names, for a device with this scope. */
dprp_rc cuda_calls_find(struct cuda_scope *scope, dprp_device *device,
			const dprp_image *image, struct cuda_call *out);
/* The name of the module's kernel, and its parameters. */
#define CUDA_CALLS_NAME "gemm"
#define CUDA_CALLS_PARAMS 4u
extern const dprp_param cuda_calls_params[CUDA_CALLS_PARAMS];

/* Submit a launch.  The launch must not be empty, and must have
   CUDA_CALLS_PARAMS arguments. */
dprp_rc cuda_calls_launch(dprp_queue *queue, const struct cuda_call *call,
			  const dprp_launch *launch, const dprp_deps *deps,
			  dprp_event **event);

#endif
