/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_blas.c - what is special to cuBLAS: its names, its statuses, and how a
   handle is set up. */
#include "backends/cuda/calls/cuda_blas.h"

enum { /* results of cuBLAS */
       BLAS_ALLOC_FAILED = 3,
       BLAS_ARCH_MISMATCH = 8,
       BLAS_NOT_SUPPORTED = 15
};

/* MATH_MODE keeps the sums of 16-bit floats in float32 until they are complete.
   float32 is never rounded to TF32, because TF32 needs another flag. */
#define MATH_MODE 16 /* CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION */

static const struct cuda_vendor_entry entries[] = {
#define ENTRY(result, name, parameters) \
	{ #name, offsetof(struct cuda_blas, name), false },
	CUDA_BLAS_ENTRIES(ENTRY)
#undef ENTRY
#define ENTRY(result, name, parameters) \
	{ #name, offsetof(struct cuda_blas, name), true },
		CUDA_BLAS_WIDE_ENTRIES(ENTRY)
#undef ENTRY
#define ENTRY(member, s, d, c, z, parameters)                         \
	{ #s, offsetof(struct cuda_blas, member[0]), false },         \
		{ #d, offsetof(struct cuda_blas, member[1]), false }, \
		{ #c, offsetof(struct cuda_blas, member[2]), false }, \
		{ #z, offsetof(struct cuda_blas, member[3]), false },
			CUDA_BLAS_TYPED_ENTRIES(ENTRY)
#undef ENTRY
};

static const struct cuda_blas *blas_of(
	const struct cuda_vendor_library *library)
{
	return (const struct cuda_blas *)library;
}

static const char *status_name(const struct cuda_vendor_library *library,
			       int status)
{
	return blas_of(library)->cublasGetStatusName(status);
}

static dprp_rc code_of(int status)
{
	switch (status) {
	case BLAS_ALLOC_FAILED: return DPR_RC_OOM_DEVICE;
	case CUDA_VENDOR_NOT_INITIALIZED:
	case BLAS_ARCH_MISMATCH:
	case BLAS_NOT_SUPPORTED: return DPR_RC_UNSUPPORTED;
	default: return DPR_RC_NATIVE;
	}
}

static dprp_rc prepare(struct cuda_scope *scope,
		       const struct cuda_vendor_library *library,
		       struct cuda_handle *handle)
{
	const int status =
		blas_of(library)->cublasSetMathMode(handle->cu, MATH_MODE);

	return status ? cuda_vendor_failed(scope, library, status,
					   "cublasSetMathMode")
		      : DPR_RC_OK;
}

const struct cuda_vendor cuda_blas_vendor = {
	.id = CUDA_BLAS,
	.size = sizeof(struct cuda_blas),
	.name = "cuBLAS",
	.option = "DPR_OPTION_CUDA_BLAS",
	.files = { "libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.13",
		   "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so.12" },
	.file = "libcublas",
	.package = "libcublas",
	.wheel = "nvidia-cublas",
	.numbers = { "12", "13" },
	.entry = { "cublasCreate_v2", "cublasDestroy_v2", "cublasSetStream_v2",
		   "cublasGetProperty" },
	.entries = entries,
	.n_entries = sizeof(entries) / sizeof(entries[0]),
	.status_name = status_name,
	.code_of = code_of,
	.prepare = prepare,
};
