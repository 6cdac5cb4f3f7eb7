/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_calls.c - the table of routines, and how one is found. */
#include "backends/cuda/calls/cuda_calls.h"

enum { /* values of cuBLAS, which cuSOLVER uses too */
       TYPE_FLOAT32 = 0,
       TYPE_FLOAT64 = 1,
       TYPE_FLOAT16 = 2,
       TYPE_COMPLEX64 = 4,
       TYPE_COMPLEX128 = 5,
       TYPE_BFLOAT16 = 14,
       COMPUTE_32F = 68,
       COMPUTE_64F = 70
};

/* --- Routines ------------------------------------------------------------- */

/* A real factor is the first of two numbers. */
static const float one_32[2] = { 1, 0 }, zero_32[2];
static const double one_64[2] = { 1, 0 }, zero_64[2];

static const struct cuda_dtype dtypes[] = {
	{ "float32", TYPE_FLOAT32, TYPE_FLOAT32, COMPUTE_32F, 0, 4, 4, one_32,
	  zero_32 },
	{ "float64", TYPE_FLOAT64, TYPE_FLOAT64, COMPUTE_64F, 1, 8, 8, one_64,
	  zero_64 },
	{ "complex64", TYPE_COMPLEX64, TYPE_FLOAT32, COMPUTE_32F, 2, 8, 4,
	  one_32, zero_32 },
	{ "complex128", TYPE_COMPLEX128, TYPE_FLOAT64, COMPUTE_64F, 3, 16, 8,
	  one_64, zero_64 },
	{ "float16", TYPE_FLOAT16, TYPE_FLOAT16, COMPUTE_32F, -1, 2, 2, one_32,
	  zero_32 },
	{ "bfloat16", TYPE_BFLOAT16, TYPE_BFLOAT16, COMPUTE_32F, -1, 2, 2,
	  one_32, zero_32 },
};

#define LAPACK(name, n, NAME, blas)                                            \
	{                                                                      \
		name, "cuSOLVER", n, cuda_lapack_launch, LIBRARY_##NAME, blas, \
	}

static const struct cuda_routine routines[] = {
	{ "gemm", "cuBLAS", 3, cuda_gemm_launch, 0, true },
	LAPACK("potrf", 2, POTRF, false),
	LAPACK("getrf", 3, GETRF, true),
	LAPACK("gesv", 3, GESV, true),
	LAPACK("trtrs", 3, TRTRS, true),
	LAPACK("geqrf", 3, GEQRF, false),
	LAPACK("orgqr", 3, ORGQR, false),
	LAPACK("syevd", 3, SYEVD, false),
	LAPACK("geev", 4, GEEV, false),
	LAPACK("gesdd", 5, GESDD, false),
};

const char *const cuda_calls_help[CUDA_HELPS] = {
	[CUDA_HELP_ADDRESSES] = "dpr_addresses",
	[CUDA_HELP_WIDEN] = "dpr_widen",
	[CUDA_HELP_DIAGONAL] = "dpr_diagonal",
	[CUDA_HELP_COPY] = "dpr_copy",
	[CUDA_HELP_SPREAD] = "dpr_spread",
	[CUDA_HELP_MARK] = "dpr_mark",
	[CUDA_HELP_SPOIL] = "dpr_spoil",
};

/* A kernel with n arguments in memory has the last n + 1 of these. */
static const dprp_param gemm_params[] = {
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_VALUE, 0, sizeof(dprp_gemm) },
};
static const dprp_param lapack_params[] = {
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_VALUE, 0, sizeof(dprp_lapack) },
};

static bool is_gemm(const struct cuda_routine *routine)
{
	return routine->launch == cuda_gemm_launch;
}

const dprp_param *cuda_calls_params(const struct cuda_routine *routine,
				    uint32_t *n)
{
	*n = routine->n_mem + 1;
	return is_gemm(routine)
		       ? gemm_params
		       : lapack_params + DPRP_LAPACK_ARGS - routine->n_mem;
}

/* Whether @text, which has @size bytes and no end, is "routine dtype". */
static bool is_named(const char *text, uint64_t size, const char *routine,
		     const char *dtype)
{
	const size_t n = strlen(routine);

	return size == n + 1 + strlen(dtype) && !memcmp(text, routine, n) &&
	       text[n] == ' ' && !memcmp(text + n + 1, dtype, strlen(dtype));
}

/* Set the routine and the dtype; NULL: there is no such routine. */
static void find_routine(const dprp_image *image, struct cuda_call *out)
{
	for (size_t r = 0; r < sizeof(routines) / sizeof(routines[0]); r++)
		for (size_t t = 0; t < sizeof(dtypes) / sizeof(dtypes[0]); t++)
			if (is_named(image->data, image->size, routines[r].name,
				     dtypes[t].name) &&
			    (is_gemm(&routines[r]) || dtypes[t].index >= 0)) {
				out->routine = &routines[r];
				out->dtype = &dtypes[t];
			}
}

static dprp_rc open_library(struct cuda_scope *scope,
			    const struct cuda_vendor *vendor,
			    const struct cuda_vendor_library **out)
{
	const dprp_rc rc =
		cuda_vendor_get(scope->context->instance, vendor, out);

	return rc ? rc : cuda_vendor_start(scope, *out);
}

/* Open cuBLAS if the routine uses it and, for a routine of LAPACK, cuSOLVER. */
static dprp_rc open_libraries(struct cuda_scope *scope, struct cuda_call *call)
{
	const dprp_instance *instance = scope->context->instance;
	const struct cuda_vendor_library *library;
	dprp_rc rc = DPR_RC_OK;

	if (call->routine->uses_blas) {
		rc = open_library(scope, &cuda_blas_vendor, &library);
		if (rc)
			return rc;
		call->blas = (const struct cuda_blas *)library;
	}
	if (is_gemm(call->routine))
		return DPR_RC_OK;
	rc = open_library(scope, &cuda_solver_vendor, &library);
	if (rc)
		return rc;
	call->solver = (const struct cuda_solver *)library;
	if (cuda_lapack_is_there(call->solver, call->routine->lapack))
		return DPR_RC_OK;
	return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
			 "%s has no %s: CUDA 12.6 and newer have it",
			 library->name, call->routine->name);
}

dprp_rc cuda_calls_find(struct cuda_scope *scope, dprp_device *device,
			const dprp_image *image, struct cuda_call *out)
{
	dprp_instance *instance = device->instance;
	struct cuda_call found = { NULL };
	dprp_rc rc;

	find_routine(image, &found);
	if (!found.routine)
		return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
				 "there is no routine \"%.*s\"",
				 image->size < 40 ? (int)image->size : 40,
				 (const char *)image->data);
	if (device != device->root)
		return cuda_work_refuse_part(instance, found.routine);
	rc = open_libraries(scope, &found);
	if (!rc)
		*out = found;
	return rc;
}

const char *cuda_calls_text(const struct cuda_call *call)
{
	return call->solver ? call->solver->base.text : call->blas->base.text;
}
