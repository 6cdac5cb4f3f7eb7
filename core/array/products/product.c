/* SPDX-License-Identifier: Apache-2.0 */
/* product.c - the operands of a product of matrices. */
#include "core/array/products/product.h"

#include <string.h>

#include "core/array/launch/cast.h"
#include "core/array/layout/layout.h"
#include "core/array/object/execution.h"
#include "core/base/status.h"

/* The most axes of a batch.  With the three axes of a product, all of them are
   axes of one reduction. */
#define MOST_BATCH (DPR_MAX_RANK - 3)

/* --- Shapes --------------------------------------------------------------- */

static dpr_status fail_shapes(const struct product *p, const dpr_array *x1,
			      const dpr_array *x2, const char *why)
{
	char first[160], second[160];

	return fail(DPR_ERROR_SHAPE,
		    "%s: x1 of shape %s and x2 of shape %s: %s", p->what,
		    layout_shape_text(first, sizeof(first), x1->rank,
				      array_shape(x1)),
		    layout_shape_text(second, sizeof(second), x2->rank,
				      array_shape(x2)),
		    why);
}

/* The number of axes of @x that are a batch.  @matrices: it has matrices, not
   vectors. */
static int batch_rank(const dpr_array *x, bool matrices)
{
	return x->rank - (matrices ? 2 : 1);
}

static dpr_status set_batch(struct product *p, const dpr_array *x1,
			    const dpr_array *x2)
{
	int axis;

	p->n_batch = batch_rank(x1, p->has_m);
	memcpy(p->batch, array_shape(x1),
	       (size_t)p->n_batch * sizeof(p->batch[0]));
	if (!layout_broadcast(&p->n_batch, p->batch, batch_rank(x2, p->has_n),
			      array_shape(x2), &axis))
		return fail_shapes(p, x1, x2,
				   p->has_m && p->has_n
					   ? "the axes before the last two do "
					     "not broadcast"
					   : "the axes before those of "
					     "matrices and vectors do not "
					     "broadcast");
	if (p->n_batch > MOST_BATCH)
		return fail_shapes(p, x1, x2,
				   "a product takes up to 29 axes before the "
				   "last two; join some with dpr_reshape()");
	return DPR_OK;
}

/* Find out which operands are matrices. */
static dpr_status set_form(struct product *p, enum product_form form,
			   const dpr_array *x1, const dpr_array *x2)
{
	if (!x1->rank || !x2->rank)
		return fail_shapes(p, x1, x2,
				   "an operand has one axis at least");
	p->has_m = form != PRODUCT_VECMAT && x1->rank > 1;
	p->has_n = form != PRODUCT_MATVEC && x2->rank > 1;
	if (form == PRODUCT_MATVEC && !p->has_m)
		return fail_shapes(p, x1, x2, "x1 has two axes at least");
	if (form == PRODUCT_VECMAT && !p->has_n)
		return fail_shapes(p, x1, x2, "x2 has two axes at least");
	return DPR_OK;
}

static dpr_status set_shape(struct product *p, enum product_form form,
			    const dpr_array *x1, const dpr_array *x2)
{
	dpr_status status = set_form(p, form, x1, x2);

	if (status)
		return status;
	p->m = p->has_m ? x1->dim[x1->rank - 2] : 1;
	p->n = p->has_n ? x2->dim[x2->rank - 1] : 1;
	p->k = x1->dim[x1->rank - 1];
	if (p->k != x2->dim[x2->rank - (p->has_n ? 2 : 1)])
		return fail_shapes(p, x1, x2,
				   p->has_n
					   ? "the last axis of x1 must be as "
					     "long as the axis before the last "
					     "of x2"
					   : "the last axes must be equally "
					     "long");
	status = set_batch(p, x1, x2);
	if (status)
		return status;
	p->rank = p->n_batch;
	memcpy(p->shape, p->batch, (size_t)p->n_batch * sizeof(p->batch[0]));
	if (p->has_m)
		p->shape[p->rank++] = p->m;
	if (p->has_n)
		p->shape[p->rank++] = p->n;
	return DPR_OK;
}

/* --- Operands ------------------------------------------------------------- */

void product_take(struct product *p, bool right, const dpr_array *x)
{
	struct product_operand *to = right ? &p->b : &p->a;
	const bool matrices = right ? p->has_n : p->has_m;
	struct layout batch = { .rank = batch_rank(x, matrices) };
	const int64_t *stride = array_strides(x);
	const int64_t last = stride[x->rank - 1];

	memcpy(batch.dim, array_shape(x), (size_t)batch.rank * sizeof(int64_t));
	memcpy(batch.stride, stride, (size_t)batch.rank * sizeof(int64_t));
	to->x = x;
	to->offset = x->offset;
	if (!matrices) {
		to->row = right ? last : 0;
		to->column = right ? 0 : last;
	} else {
		to->row = stride[x->rank - 2];
		to->column = last;
	}
	(void)layout_expand(&batch, p->n_batch, p->batch, to->batch);
}

dpr_status product_dtype(const char *what, const dpr_array *const *x, int n,
			 dpr_dtype *out)
{
	dpr_status status = DPR_OK;

	*out = x[0]->dtype;
	for (int i = 1; !status && i < n; i++)
		status = dpr_dtype_promote(*out, x[i]->dtype, out);
	if (!status && *out == DPR_BOOL)
		return fail(
			DPR_ERROR_DTYPE,
			"%s: does not take bool; cast it to an integer with "
			"dpr_astype()",
			what);
	for (int i = 0; !status && i < n; i++)
		status = cast_check_computes(what, x[0], x[i]->dtype);
	return status ? status : cast_check_computes(what, x[0], *out);
}

/* Describe the product but for its dtype. */
static dpr_status begin(const char *what, enum product_form form,
			const dpr_array *x1, const dpr_array *x2,
			struct product *p)
{
	const dpr_array *const operands[] = { x1, x2 };
	dpr_status status;

	p->what = what;
	if (!x1 || !x2)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", what,
			    x1 ? "x2" : "x1");
	array_trace(x1->dtype, x1->rank, array_shape(x1));
	status = execution_queue(what, operands, NULL, 2, 0, &p->queue);
	if (!status)
		status = set_shape(p, form, x1, x2);
	if (status)
		return status;
	p->kind = array_result_kind(operands, 2);
	product_take(p, false, x1);
	product_take(p, true, x2);
	return DPR_OK;
}

dpr_status product_begin(const char *what, enum product_form form,
			 const dpr_array *x1, const dpr_array *x2,
			 struct product *p)
{
	const dpr_array *const operands[] = { x1, x2 };
	const dpr_status status = begin(what, form, x1, x2, p);

	return status ? status : product_dtype(what, operands, 2, &p->dtype);
}

dpr_status product_begin_as(const char *what, const dpr_array *x1,
			    const dpr_array *x2, dpr_dtype dtype,
			    struct product *p)
{
	p->dtype = dtype;
	return begin(what, PRODUCT_MATMUL, x1, x2, p);
}
