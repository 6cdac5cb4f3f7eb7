/* SPDX-License-Identifier: Apache-2.0 */
/*
 * product_call.c - a product of matrices by a routine of a library.
 *
 * Operands whose rows or columns are contiguous are passed as they are. Others,
 * and those of another dtype than the result, are copied first.
 */
#include "core/array/products/product.h"

#include <string.h>

#include "core/array/launch/cast.h"
#include "core/array/layout/layout.h"
#include "core/array/products/routines.h"
#include "core/base/call_stack.h"
#include "core/base/status.h"
#include "kernels/libraries.h"

/* A product of at most BRIEF multiplications takes a microsecond or two. */
#define BRIEF 16384

/* With fewer rows or columns, casts to float32 would take longer than the sums
   that the routine saves. */
#define WORTH_CASTS 16

/* A call under construction.  The members may describe the transposed product
   instead: b^T a^T, which is c^T. */
struct gemm_call {
	struct product p; /* with the copies that were made */
	struct product_operand c;
	dpr_array *made[2]; /* the copies of a and b */
	dprp_gemm values;
};

/* --- Choice --------------------------------------------------------------- */

/* The routine for the product, or NULL. */
static const char *routine_name(const struct product *p)
{
	switch (p->dtype) {
	case DPR_FLOAT32: return "gemm float32";
	case DPR_FLOAT64: return "gemm float64";
	case DPR_COMPLEX64: return "gemm complex64";
	case DPR_COMPLEX128: return "gemm complex128";
	case DPR_FLOAT16: return "gemm float16";
	case DPR_BFLOAT16: return "gemm bfloat16";
	default: return NULL;
	}
}

/* Whether the product has work for a routine. */
bool product_call_may(const struct product *p)
{
	int64_t size;

	return routine_name(p) && p->k &&
	       layout_count(p->rank, p->shape, &size) && size;
}

/* --- Matrices ------------------------------------------------------------- */

/* Find the leading dimension of a matrix.  *@transposed: columns are
   contiguous, not rows.  Returns false if neither are. */
static bool find_leading(const struct product_operand *x, int64_t rows,
			 int64_t columns, int64_t *leading, bool *transposed)
{
	*transposed = false;
	if ((x->column == 1 || columns == 1) &&
	    (x->row >= columns || rows == 1)) {
		*leading = rows == 1 ? columns : x->row;
		return true;
	}
	*transposed = true;
	*leading = columns == 1 ? rows : x->column;
	return (x->row == 1 || rows == 1) &&
	       (x->column >= rows || columns == 1);
}

/* Whether a routine takes operand @right as it is. */
static bool is_taken(const struct product *p, bool right)
{
	const struct product_operand *x = right ? &p->b : &p->a;
	int64_t leading;
	bool transposed;

	return x->x->dtype == p->dtype &&
	       find_leading(x, right ? p->k : p->m, right ? p->n : p->k,
			    &leading, &transposed);
}

static dpr_status copy_operand(struct gemm_call *c, bool right)
{
	const struct product_operand *x = right ? &c->p.b : &c->p.a;
	dpr_status status;

	if (is_taken(&c->p, right))
		return DPR_OK;
	status = cast_new(c->p.what, x->x, c->p.dtype, c->p.kind,
			  &c->made[right]);
	if (!status)
		product_take(&c->p, right, c->made[right]);
	return status;
}

/* Describe the result as matrices.  Returns false if a routine cannot write
   them, because neither rows nor columns are contiguous. */
static bool take_result(struct gemm_call *c, const dpr_array *out)
{
	const int64_t *stride = array_strides(out);
	int d = c->p.n_batch;
	int64_t leading;
	bool transposed;

	c->c = (struct product_operand){ .x = out, .offset = out->offset };
	memcpy(c->c.batch, stride, (size_t)d * sizeof(stride[0]));
	if (c->p.has_m)
		c->c.row = stride[d++];
	if (c->p.has_n)
		c->c.column = stride[d];
	return find_leading(&c->c, c->p.m, c->p.n, &leading, &transposed);
}

static void swap_numbers(int64_t *a, int64_t *b)
{
	const int64_t before = *a;

	*a = *b;
	*b = before;
}

/* Compute the transposed result, from the transposed operands in the other
   order. */
static void transpose(struct gemm_call *c)
{
	const struct product_operand a = c->p.a;

	c->p.a = c->p.b;
	c->p.b = a;
	swap_numbers(&c->p.a.row, &c->p.a.column);
	swap_numbers(&c->p.b.row, &c->p.b.column);
	swap_numbers(&c->c.row, &c->c.column);
	swap_numbers(&c->p.m, &c->p.n);
}

/* Set the extents and the leading dimensions.  The operands and the result must
   be as find_leading() takes them. */
static void set_matrices(struct gemm_call *c)
{
	dprp_gemm *v = &c->values;
	bool transposed;

	(void)find_leading(&c->c, c->p.m, c->p.n, &v->ldc, &transposed);
	if (transposed) {
		transpose(c);
		(void)find_leading(&c->c, c->p.m, c->p.n, &v->ldc, &transposed);
	}
	(void)find_leading(&c->p.a, c->p.m, c->p.k, &v->lda, &transposed);
	v->flags = transposed ? DPRP_GEMM_A_TRANSPOSED : 0;
	(void)find_leading(&c->p.b, c->p.k, c->p.n, &v->ldb, &transposed);
	v->flags |= transposed ? DPRP_GEMM_B_TRANSPOSED : 0;
	v->m = c->p.m;
	v->n = c->p.n;
	v->k = c->p.k;
	v->offset_a = c->p.a.offset;
	v->offset_b = c->p.b.offset;
	v->offset_c = c->c.offset;
}

/* Join the last axis of the batch with the rows of a, so that one product takes
   the place of many.  Along this axis b must stay the same, and the first row
   of the next a (or c) must follow the last row of this one.  Returns false if
   the axis cannot be joined. */
static bool join_rows(dprp_gemm *v, int64_t extent, const int64_t stride[3])
{
	const int64_t lda = v->m == 1 ? stride[1] : v->lda;
	const int64_t ldc = v->m == 1 ? stride[0] : v->ldc;
	int64_t rows;

	if (v->flags & DPRP_GEMM_A_TRANSPOSED || stride[2] || lda < v->k ||
	    ldc < v->n || __builtin_mul_overflow(v->m, extent, &rows) ||
	    stride[1] != v->m * lda || stride[0] != v->m * ldc)
		return false;
	v->m = rows;
	v->lda = lda;
	v->ldc = ldc;
	return true;
}

/* Set the batch.  Returns false if it has too many axes. */
static bool set_batch(struct gemm_call *c)
{
	const struct product_operand *const x[] = { &c->c, &c->p.a, &c->p.b };
	int64_t dim[DPR_MAX_RANK], stride[3][DPR_MAX_RANK], offset[3] = { 0 };
	dprp_gemm *v = &c->values;
	int rank = c->p.n_batch;

	memcpy(dim, c->p.batch, sizeof(dim));
	for (int i = 0; i < 3; i++)
		memcpy(stride[i], x[i]->batch, sizeof(stride[i]));
	rank = layout_collapse(3, rank, dim, stride, offset, false);
	while (rank && join_rows(v, dim[rank - 1],
				 (const int64_t[]){ stride[0][rank - 1],
						    stride[1][rank - 1],
						    stride[2][rank - 1] }))
		rank--;
	if (rank > DPRP_GEMM_BATCHES)
		return false;
	for (int d = 0; d < DPRP_GEMM_BATCHES; d++) {
		const bool has = d < rank;

		v->batch[d] = has ? dim[d] : 1;
		v->stride_c[d] = has ? stride[0][d] : 0;
		v->stride_a[d] = has ? stride[1][d] : 0;
		v->stride_b[d] = has ? stride[2][d] : 0;
	}
	return true;
}

/* --- Launch --------------------------------------------------------------- */

/* Whether the work takes a few microseconds. */
static bool is_brief(const struct product *p)
{
	int64_t work, size;

	return layout_count(p->rank, p->shape, &size) &&
	       !__builtin_mul_overflow(size, p->k, &work) && work <= BRIEF;
}

static dpr_status launch(const struct gemm_call *c, dpr_kernel *kernel)
{
	const dpr_array *out = c->c.x;
	const dpr_arg args[] = {
		dpr_arg_usm_use(c->p.a.x->usm, 0, DPR_READ),
		dpr_arg_usm_use(c->p.b.x->usm, 0, DPR_READ),
		dpr_arg_usm_use(out->usm, 0,
				array_write_access(out, out->size)),
		dpr_arg_bytes(&c->values, sizeof(c->values)),
	};
	dpr_range range = dpr_range1(1);
	dpr_status status;
	bool titled;

	if (is_brief(&c->p))
		range.flags |= DPR_RANGE_BRIEF;
	titled = call_stack_title_begin(c->p.what);
	status = dpr_kernel_launch_usm(c->p.queue, kernel, range, NULL, NULL,
				       args, 4);
	call_stack_title_end(titled);
	return status;
}

/* Compute the product by the routine @kernel.  Returns as product_call()
   does. */
static bool call_routine(const struct product *product, dpr_kernel *kernel,
			 dpr_array *out, dpr_status *status)
{
	struct gemm_call c = { .p = *product };
	bool done = true;

	*status = DPR_OK;
	if (!take_result(&c, out))
		return false;
	for (int right = 0; !*status && right < 2; right++)
		*status = copy_operand(&c, right);
	if (!*status) {
		set_matrices(&c);
		done = set_batch(&c);
	}
	if (!*status && done)
		*status = launch(&c, kernel);
	if (*status == DPR_ERROR_UNSUPPORTED)
		done = false;
	if (*status)
		status_rename(product->what);
	dpr_array_release(c.made[0]);
	dpr_array_release(c.made[1]);
	return done;
}

/* Whether the product of 16-bit floats is faster with casts to float32. */
static bool is_worth_casts(const struct product *p)
{
	return dpr_dtype_kind(p->dtype) == 'f' &&
	       dpr_dtype_size(p->dtype) == 2 && p->m >= WORTH_CASTS &&
	       p->n >= WORTH_CASTS && !is_brief(p);
}

/* Compute the product of 16-bit floats by the routine for float32, and cast the
   result.  Returns as product_call() does. */
static bool call_with_casts(const struct product *product, dpr_array *out,
			    dpr_status *status)
{
	struct product wide = *product;
	dpr_kernel *kernel;
	dpr_array *made;
	bool done;

	wide.dtype = DPR_FLOAT32;
	*status = routines_get(wide.queue, routine_name(&wide), &kernel);
	if (*status || !kernel)
		return *status != DPR_OK;
	*status = array_new(wide.what, wide.dtype, wide.rank, wide.shape,
			    wide.queue, wide.kind, &made);
	if (*status)
		return true;
	done = call_routine(&wide, kernel, made, status);
	if (done && !*status)
		*status = cast_into(made, out);
	if (done && *status)
		status_rename(wide.what);
	dpr_array_release(made);
	return done;
}

bool product_call(const struct product *product, dpr_array *out,
		  dpr_status *status)
{
	dpr_kernel *kernel;

	*status = routines_get(product->queue, routine_name(product), &kernel);
	if (*status)
		return true;
	if (kernel)
		return call_routine(product, kernel, out, status);
	return is_worth_casts(product) && call_with_casts(product, out, status);
}
