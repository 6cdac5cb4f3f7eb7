/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_calls.c - routines of cuBLAS as kernels (DPRP_CALLS_FORMAT).
 *
 * cuBLAS reads a matrix by columns.  So it takes our matrices for their
 * transposes, and gets b before a: the product of these is the transpose of c.
 */
#include "backends/cuda/calls/cuda_calls.h"

enum { /* values of cuBLAS */
       OP_PLAIN = 0,
       OP_TRANSPOSED = 1,
       TYPE_FLOAT32 = 0,
       TYPE_FLOAT64 = 1,
       TYPE_FLOAT16 = 2,
       TYPE_COMPLEX64 = 4,
       TYPE_COMPLEX128 = 5,
       TYPE_BFLOAT16 = 14,
       COMPUTE_32F = 68,
       COMPUTE_64F = 70,
       ALGO_DEFAULT = -1
};

/* --- Routines ------------------------------------------------------------- */

struct cuda_routine {
	const char *name;
	int type, compute;
	int64_t item;           /* bytes of an element */
	const void *one, *zero; /* in the type of the factors */
};

/* A real factor is the first of two numbers. */
static const float one_32[2] = { 1, 0 }, zero_32[2];
static const double one_64[2] = { 1, 0 }, zero_64[2];

static const struct cuda_routine routines[] = {
	{ "gemm float32", TYPE_FLOAT32, COMPUTE_32F, 4, one_32, zero_32 },
	{ "gemm float64", TYPE_FLOAT64, COMPUTE_64F, 8, one_64, zero_64 },
	{ "gemm complex64", TYPE_COMPLEX64, COMPUTE_32F, 8, one_32, zero_32 },
	{ "gemm complex128", TYPE_COMPLEX128, COMPUTE_64F, 16, one_64,
	  zero_64 },
	{ "gemm float16", TYPE_FLOAT16, COMPUTE_32F, 2, one_32, zero_32 },
	{ "gemm bfloat16", TYPE_BFLOAT16, COMPUTE_32F, 2, one_32, zero_32 },
};
#define ROUTINES (sizeof(routines) / sizeof(routines[0]))

const dprp_param cuda_calls_params[CUDA_CALLS_PARAMS] = {
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_VALUE, 0, sizeof(dprp_gemm) },
};

/* cuBLAS works in the context that is current.  A part of a device has a
   context of its own, for which cuBLAS was not made. */
static dprp_rc refuse_part(const dprp_instance *instance)
{
	return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
			 "cuBLAS is not used on a part of a device");
}

dprp_rc cuda_calls_find(struct cuda_scope *scope, dprp_device *device,
			const dprp_image *image, struct cuda_call *out)
{
	dprp_instance *instance = device->instance;
	size_t i = 0;
	dprp_rc rc;

	while (i < ROUTINES &&
	       (strlen(routines[i].name) != image->size ||
		memcmp(routines[i].name, image->data, (size_t)image->size)))
		i++;
	if (i == ROUTINES)
		return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
				 "there is no routine \"%.*s\"",
				 image->size < 40 ? (int)image->size : 40,
				 (const char *)image->data);
	if (device != device->root)
		return refuse_part(instance);
	rc = cuda_blas_get(instance, &out->blas);
	if (!rc)
		rc = cuda_blas_start(scope, out->blas);
	if (!rc)
		out->routine = &routines[i];
	return rc;
}

/* --- Arguments ------------------------------------------------------------ */

/* The products of a launch.  If `strided` is set, one call computes `count`
   products, along an axis of the batch.  Their matrices are stride_a, stride_b
   and stride_c elements apart, and v.batch[] is 1 for this axis. */
struct gemm {
	const struct cuda_call *call;
	uintptr_t a, b, c; /* addresses */
	dprp_gemm v;
	bool strided;
	bool wide; /* a number has more than 32 bits */
	int64_t count, stride_a, stride_b, stride_c;
};

static bool is_valid(const dprp_gemm *v)
{
	const int64_t flags = DPRP_GEMM_A_TRANSPOSED | DPRP_GEMM_B_TRANSPOSED;
	int64_t count = 1;

	for (int d = 0; d < DPRP_GEMM_BATCHES; d++)
		if (v->batch[d] < 1 ||
		    __builtin_mul_overflow(count, v->batch[d], &count))
			return false;
	return v->m > 0 && v->n > 0 && v->k > 0 && !(v->flags & ~flags) &&
	       v->lda >= (v->flags & DPRP_GEMM_A_TRANSPOSED ? v->m : v->k) &&
	       v->ldb >= (v->flags & DPRP_GEMM_B_TRANSPOSED ? v->k : v->n) &&
	       v->ldc >= v->n;
}

/* Have one call compute all products along the longest axis of the batch along
   which no stride is negative. */
static void choose_axis(struct gemm *g)
{
	dprp_gemm *v = &g->v;
	int best = -1;

	for (int d = 0; d < DPRP_GEMM_BATCHES; d++)
		if (v->batch[d] > 1 && v->stride_a[d] >= 0 &&
		    v->stride_b[d] >= 0 && v->stride_c[d] >= 0 &&
		    (best < 0 || v->batch[d] > v->batch[best]))
			best = d;
	g->strided = best >= 0;
	g->count = 1;
	if (!g->strided)
		return;
	g->count = v->batch[best];
	g->stride_a = v->stride_a[best];
	g->stride_b = v->stride_b[best];
	g->stride_c = v->stride_c[best];
	v->batch[best] = 1;
}

static bool is_wide(const struct gemm *g)
{
	const int64_t numbers[] = { g->v.m,   g->v.n,   g->v.k,  g->v.lda,
				    g->v.ldb, g->v.ldc, g->count };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i] > INT32_MAX)
			return true;
	return false;
}

/* Get the address of argument @index of a launch.  Returns 0 if it is no
   memory. */
static uintptr_t address_of(const dprp_launch *launch, uint32_t index)
{
	const dprp_arg *arg = &launch->args[index];

	if (arg->kind != DPRP_ARG_MEM || !arg->u.m.mem)
		return 0;
	return (uintptr_t)(arg->u.m.mem->address + arg->u.m.offset);
}

static dprp_rc take_args(struct gemm *g, const dprp_host *host,
			 const dprp_launch *launch)
{
	const dprp_arg *value = &launch->args[CUDA_CALLS_PARAMS - 1];

	g->a = address_of(launch, 0);
	g->b = address_of(launch, 1);
	g->c = address_of(launch, 2);
	if (!g->a || !g->b || !g->c || value->kind != DPRP_ARG_VALUE ||
	    value->size != sizeof(g->v))
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "gemm: the arguments must be three memory "
				 "objects and a dprp_gemm");
	memcpy(&g->v, value->u.value, sizeof(g->v));
	if (!is_valid(&g->v))
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "gemm: an extent is below 1, a leading "
				 "dimension too small, or a flag unknown");
	choose_axis(g);
	g->wide = is_wide(g);
	if (!g->wide || (g->call->blas->cublasGemmEx_64 &&
			 g->call->blas->cublasGemmStridedBatchedEx_64))
		return DPR_RC_OK;
	return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			 "gemm: a number is above 2147483647, the most that %s "
			 "takes",
			 g->call->blas->name);
}

/* --- Calls ---------------------------------------------------------------- */

static int64_t count_batch(const dprp_gemm *v)
{
	int64_t count = 1;

	for (int d = 0; d < DPRP_GEMM_BATCHES; d++)
		count *= v->batch[d];
	return count;
}

/* The address of matrix @i of the batch. */
static void *place(const struct gemm *g, uintptr_t base, const int64_t *stride,
		   int64_t offset, int64_t i)
{
	for (int d = DPRP_GEMM_BATCHES - 1; d >= 0; d--) {
		offset += i % g->v.batch[d] * stride[d];
		i /= g->v.batch[d];
	}
	/* Offsets may be negative: the sum is right as an unsigned number. */
	base += (uintptr_t)(offset * g->call->routine->item);
	return (void *)base;
}

static int transposed(const dprp_gemm *v, int64_t flag)
{
	return v->flags & flag ? OP_TRANSPOSED : OP_PLAIN;
}

/* Define a function that computes product @i or, if `strided` is set, the
   products from product @i on along the strided axis.  INT is the type of the
   integers. */
#define GEMM(function, one_call, strided_call, INT)                            \
	static int function(const struct gemm *g, void *handle, int64_t i,     \
			    const char **call)                                 \
	{                                                                      \
		const dprp_gemm *v = &g->v;                                    \
		const struct cuda_blas *blas = g->call->blas;                  \
		const struct cuda_routine *r = g->call->routine;               \
		const int op_a = transposed(v, DPRP_GEMM_A_TRANSPOSED);        \
		const int op_b = transposed(v, DPRP_GEMM_B_TRANSPOSED);        \
		const void *a = place(g, g->a, v->stride_a, v->offset_a, i);   \
		const void *b = place(g, g->b, v->stride_b, v->offset_b, i);   \
		void *c = place(g, g->c, v->stride_c, v->offset_c, i);         \
                                                                               \
		*call = g->strided ? #strided_call : #one_call;                \
		if (!g->strided)                                               \
			return blas->one_call(                                 \
				handle, op_b, op_a, (INT)v->n, (INT)v->m,      \
				(INT)v->k, r->one, b, r->type, (INT)v->ldb, a, \
				r->type, (INT)v->lda, r->zero, c, r->type,     \
				(INT)v->ldc, r->compute, ALGO_DEFAULT);        \
		return blas->strided_call(                                     \
			handle, op_b, op_a, (INT)v->n, (INT)v->m, (INT)v->k,   \
			r->one, b, r->type, (INT)v->ldb, g->stride_b, a,       \
			r->type, (INT)v->lda, g->stride_a, r->zero, c,         \
			r->type, (INT)v->ldc, g->stride_c, (INT)g->count,      \
			r->compute, ALGO_DEFAULT);                             \
	}

GEMM(gemm_narrow, cublasGemmEx, cublasGemmStridedBatchedEx, int)
GEMM(gemm_wide, cublasGemmEx_64, cublasGemmStridedBatchedEx_64, int64_t)

/* Submit the products to a stream.  The scope's context must be current. */
static dprp_rc submit_products(const struct gemm *g, struct cuda_scope *scope,
			       const struct cuda_stream *stream)
{
	const struct cuda_blas *blas = g->call->blas;
	const int64_t n = count_batch(&g->v);
	struct cuda_blas_handle *handle;
	const char *call = "";
	int status = 0;
	dprp_rc rc = cuda_blas_take(scope, blas, stream, &handle);

	if (rc)
		return rc;
	for (int64_t i = 0; i < n && !status; i++)
		status = g->wide ? gemm_wide(g, handle->cu, i, &call)
				 : gemm_narrow(g, handle->cu, i, &call);
	cuda_blas_put(scope, handle);
	if (!status)
		return DPR_RC_OK;
	/* Some of the products may be in the stream, although the submission
	   fails.  Wait for them, because the core takes their memory for
	   unused. */
	cuda_stream_settle(&scope->context->instance->cu, stream->cu);
	return cuda_blas_failed(scope, blas, status, call);
}

dprp_rc cuda_calls_launch(dprp_queue *queue, const struct cuda_call *call,
			  const dprp_launch *launch, const dprp_deps *deps,
			  dprp_event **event)
{
	const struct cuda_api *cu = &queue->instance->cu;
	struct gemm g = { .call = call };
	struct cuda_submit submit;
	CUresult error;
	bool entered;
	dprp_rc rc;

	if (queue->scope->green)
		return refuse_part(queue->instance);
	rc = take_args(&g, queue->instance->host, launch);
	if (!rc)
		rc = cuda_submit_begin(&submit, queue, deps, event);
	if (rc)
		return rc;
	error = cuda_context_enter(cu, queue->scope->cu, &entered);
	rc = error ? cuda_error_check_device(queue->device, error,
					     "cuCtxPushCurrent")
		   : submit_products(&g, queue->scope, submit.stream);
	cuda_context_leave(cu, entered);
	if (!rc)
		return cuda_submit_end(&submit, CUDA_SUCCESS, "gemm");
	cuda_submit_drop(&submit);
	return rc;
}
