/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_gemm.c - products of matrices by cuBLAS.
 *
 * cuBLAS reads a matrix by columns.  So it takes our matrices for their
 * transposes, and gets b before a: the product of these is the transpose of c.
 */
#include "backends/cuda/calls/cuda_calls.h"

enum { /* values of cuBLAS */
       OP_PLAIN = 0,
       OP_TRANSPOSED = 1,
       ALGO_DEFAULT = -1
};

/* --- Arguments ------------------------------------------------------------ */

/* The products of a launch.  If `strided` is set, one call computes `count`
   products, along an axis of the batch.  Their matrices are stride_a, stride_b
   and stride_c elements apart, and v.batch[] is 1 for this axis. */
struct cuda_gemm {
	const struct cuda_call *call;
	uintptr_t a, b, c; /* addresses */
	dprp_gemm v;
	bool strided;
	bool wide; /* a number has more than 32 bits */
	int64_t count, stride_a, stride_b, stride_c;
};

/* Have one call compute all products along the longest axis of the batch along
   which no stride is negative. */
static void choose_axis(struct cuda_gemm *g)
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

static bool is_wide(const struct cuda_gemm *g)
{
	const int64_t numbers[] = { g->v.m,   g->v.n,   g->v.k,  g->v.lda,
				    g->v.ldb, g->v.ldc, g->count };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i] > INT32_MAX)
			return true;
	return false;
}

static dprp_rc take_args(struct cuda_gemm *g, const dprp_host *host,
			 const dprp_launch *launch)
{
	const dprp_arg *value = &launch->args[launch->n_args - 1];

	g->a = cuda_work_address(launch, 0);
	g->b = cuda_work_address(launch, 1);
	g->c = cuda_work_address(launch, 2);
	if (!g->a || !g->b || !g->c || value->kind != DPRP_ARG_VALUE ||
	    value->size != sizeof(g->v))
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "gemm: the arguments must be three memory "
				 "objects and a dprp_gemm");
	memcpy(&g->v, value->u.value, sizeof(g->v));
	if (!library_gemm_is_valid(&g->v))
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
			 g->call->blas->base.name);
}

/* --- Calls ---------------------------------------------------------------- */

/* The address of matrix @i of the batch. */
static void *place(const struct cuda_gemm *g, uintptr_t base,
		   const int64_t *stride, int64_t offset, int64_t i)
{
	offset = library_gemm_place(&g->v, stride, offset, i);
	/* Offsets may be negative: the sum is right as an unsigned number. */
	base += (uintptr_t)(offset * g->call->dtype->item);
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
	static int function(const struct cuda_gemm *g, void *handle,           \
			    int64_t i, const char **call)                      \
	{                                                                      \
		const dprp_gemm *v = &g->v;                                    \
		const struct cuda_blas *blas = g->call->blas;                  \
		const struct cuda_dtype *r = g->call->dtype;                   \
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

static dprp_rc submit_products(void *work, struct cuda_scope *scope,
			       const struct cuda_stream *stream)
{
	const struct cuda_gemm *g = work;
	const struct cuda_vendor_library *blas = &g->call->blas->base;
	const int64_t n = library_gemm_count(&g->v);
	struct cuda_handle *handle;
	const char *call = "";
	int status = 0;
	dprp_rc rc = cuda_vendor_take(scope, blas, stream, &handle);

	if (rc)
		return rc;
	for (int64_t i = 0; i < n && !status; i++)
		status = g->wide ? gemm_wide(g, handle->cu, i, &call)
				 : gemm_narrow(g, handle->cu, i, &call);
	cuda_vendor_put(scope, blas, handle);
	if (!status)
		return DPR_RC_OK;
	/* Some of the products may be in the stream, although the submission
	   fails.  Wait for them, because the core takes their memory for
	   unused. */
	cuda_stream_settle(&scope->context->instance->cu, stream->cu);
	return cuda_vendor_failed(scope, blas, status, call);
}

dprp_rc cuda_gemm_launch(dprp_queue *queue, const struct cuda_call *call,
			 const dprp_launch *launch, const dprp_deps *deps,
			 dprp_event **event)
{
	struct cuda_gemm g = { .call = call };
	const dprp_rc rc = take_args(&g, queue->instance->host, launch);

	return rc ? rc
		  : cuda_work_run(queue, call->routine, submit_products, &g,
				  deps, event);
}
