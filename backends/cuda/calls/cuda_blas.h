/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_blas.h - the entries of cuBLAS that the plugin calls. */
#ifndef CUDA_BLAS_H
#define CUDA_BLAS_H

#include "backends/cuda/calls/cuda_vendor.h"

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

/* Entries: X(result, name, parameters). */
#define CUDA_BLAS_ENTRIES(X)                                \
	X(int, cublasSetMathMode, (void *handle, int mode)) \
	X(const char *, cublasGetStatusName, (int status))  \
	X(int, cublasGemmEx, CUDA_BLAS_GEMM(int))           \
	X(int, cublasGemmStridedBatchedEx, CUDA_BLAS_GEMMS(int))
/* Entries that may be missing. */
#define CUDA_BLAS_WIDE_ENTRIES(X)                        \
	X(int, cublasGemmEx_64, CUDA_BLAS_GEMM(int64_t)) \
	X(int, cublasGemmStridedBatchedEx_64, CUDA_BLAS_GEMMS(int64_t))
/* Entries for float32, float64, complex64 and complex128: X(member, four names,
   parameters). */
#define CUDA_BLAS_TYPED_ENTRIES(X)                                           \
	X(getrf, cublasSgetrfBatched, cublasDgetrfBatched,                   \
	  cublasCgetrfBatched, cublasZgetrfBatched,                          \
	  (void *handle, int n, void *const *a, int lda, int *pivots,        \
	   int *info, int count))                                            \
	X(getrs, cublasSgetrsBatched, cublasDgetrsBatched,                   \
	  cublasCgetrsBatched, cublasZgetrsBatched,                          \
	  (void *handle, int trans, int n, int k, const void *const *a,      \
	   int lda, const int *pivots, void *const *b, int ldb, int *info,   \
	   int count))                                                       \
	X(trsm, cublasStrsm_v2, cublasDtrsm_v2, cublasCtrsm_v2,              \
	  cublasZtrsm_v2,                                                    \
	  (void *handle, int side, int uplo, int trans, int diag, int m,     \
	   int n, const void *alpha, const void *a, int lda, void *b,        \
	   int ldb))                                                         \
	X(trsms, cublasStrsmBatched, cublasDtrsmBatched, cublasCtrsmBatched, \
	  cublasZtrsmBatched,                                                \
	  (void *handle, int side, int uplo, int trans, int diag, int m,     \
	   int n, const void *alpha, const void *const *a, int lda,          \
	   void *const *b, int ldb, int count))

struct cuda_blas {
	struct cuda_vendor_library base;
#define CUDA_BLAS_ENTRY(result, name, parameters) result(*name) parameters;
	CUDA_BLAS_ENTRIES(CUDA_BLAS_ENTRY)
	CUDA_BLAS_WIDE_ENTRIES(CUDA_BLAS_ENTRY)
#undef CUDA_BLAS_ENTRY
#define CUDA_BLAS_ENTRY(member, s, d, c, z, parameters) \
	int(*member[4]) parameters;
	CUDA_BLAS_TYPED_ENTRIES(CUDA_BLAS_ENTRY)
#undef CUDA_BLAS_ENTRY
};

extern const struct cuda_vendor cuda_blas_vendor;

#endif
