/* SPDX-License-Identifier: Apache-2.0 */
/*
 * product_sum.c - sums of products of elements, and a product of matrices as
 * such sums.
 *
 * One kernel multiplies the elements of two views, and adds the results.  The
 * products are not stored.  The views of matrices are broadcast to all axes of
 * their product.
 */
#include "core/array/products/product.h"

#include <string.h>

#include <dpr/creation.h>
#include <dpr/elementwise.h>

#include "core/array/engine/operations.h"
#include "core/array/functions/reduce.h"
#include "core/array/launch/cast.h"
#include "core/array/layout/layout.h"
#include "core/base/status.h"

/* --- Products of elements ------------------------------------------------- */

/* The dtype in which products are computed and added. */
static dpr_dtype computes_in(const struct product_elements *e)
{
	return dpr_dtype_kind(e->dtype) == 'f' && dpr_dtype_size(e->dtype) == 2
		       ? DPR_FLOAT32
		       : e->dtype;
}

/* Add the products of one kernel. */
static dpr_status sum_at_once(const struct product_elements *e, dpr_array **out)
{
	const dpr_dtype compute = computes_in(e);
	const dpr_array *x0 = e->x[0];
	struct graph graph = { .n_steps = 0 };
	struct reduce_source source = { .graph = &graph, .inputs = e->x };
	dpr_array *like = NULL;
	dpr_status status;
	int x[2];

	for (int i = 0; i < 2; i++)
		x[i] = graph_input(&graph, e->x[i]->dtype);
	for (int i = 0; i < 2; i++)
		if (e->x[i]->dtype != compute)
			x[i] = graph_cast(&graph, compute, x[i]);
	graph_result(&graph, graph_operation(&graph, OPERATION__multiply,
					     compute, compute, 2, x));
	status = array_make(compute, x0->rank, array_shape(x0), NULL, 0, NULL,
			    x0->queue, e->kind, &like);
	if (status)
		return status;
	source.like = like;
	status = reduce_source(REDUCTION__sum, &source, e->axes, compute, out);
	dpr_array_release(like);
	return status;
}

/* Store the products in memory, and then add them up.  This is for devices
   whose kernels compute a single step. */
static dpr_status sum_in_memory(const struct product_elements *e,
				dpr_array **out)
{
	const dpr_dtype compute = computes_in(e);
	dpr_array *x[2] = { NULL, NULL }, *products = NULL;
	dpr_status status = DPR_OK;

	for (int i = 0; !status && i < 2; i++)
		status = dpr_asarray(e->x[i], compute, DPR_COPY_IF_NEEDED,
				     &x[i]);
	if (!status)
		status = (dpr_multiply)(dpr_operand_array(x[0]),
					dpr_operand_array(x[1]), &products);
	if (!status)
		status = reduce_array(REDUCTION__sum, products, e->axes,
				      compute, out);
	dpr_array_release(products);
	dpr_array_release(x[0]);
	dpr_array_release(x[1]);
	return status;
}

dpr_status product_sum_elements(const struct product_elements *e,
				dpr_array **out)
{
	dpr_array *sum = NULL;
	dpr_status status = sum_at_once(e, &sum);

	*out = NULL;
	if (status == DPR_ERROR_UNSUPPORTED || status == DPR_ERROR_BUILD)
		status = sum_in_memory(e, &sum);
	if (!status && sum->dtype == e->dtype) {
		*out = sum;
		return DPR_OK;
	}
	if (!status)
		status = cast_new(e->what, sum, e->dtype, e->kind, out);
	else
		status_rename(e->what);
	dpr_array_release(sum);
	return status;
}

/* --- Matrices ------------------------------------------------------------- */

/* The operands as views with all axes of the product: the axes of the batch,
   then m, k and n, as far as they exist.  So rows of x2 are added up, which is
   fast if they are contiguous.  If the columns of x2 are contiguous instead, k
   is the last axis. */
struct views {
	int axis; /* k */
	int rank;
	int64_t dim[DPR_MAX_RANK];
	dpr_array *x[2];
};

static dpr_status make_view(const struct product *p, const struct views *v,
			    bool right, dpr_array **out)
{
	const struct product_operand *from = right ? &p->b : &p->a;
	struct layout layout = { .rank = v->rank, .offset = from->offset };
	int d = p->n_batch;

	memcpy(layout.dim, v->dim, (size_t)v->rank * sizeof(int64_t));
	memcpy(layout.stride, from->batch, (size_t)d * sizeof(int64_t));
	if (p->has_m)
		layout.stride[d++] = right ? 0 : from->row;
	if (p->has_n)
		layout.stride[v->axis == d ? d + 1 : d] =
			right ? from->column : 0;
	layout.stride[v->axis] = right ? from->row : from->column;
	return array_view(from->x, &layout, out);
}

static dpr_status make_views(const struct product *p, struct views *v)
{
	dpr_status status;

	memset(v->x, 0, sizeof(v->x));
	memcpy(v->dim, p->shape, (size_t)p->rank * sizeof(int64_t));
	v->rank = p->rank + 1;
	v->axis = p->rank;
	if (p->has_n && (p->b.row != 1 || p->b.column == 1))
		v->axis--;
	v->dim[p->rank] = p->n;
	v->dim[v->axis] = p->k;
	status = make_view(p, v, false, &v->x[0]);
	if (!status)
		status = make_view(p, v, true, &v->x[1]);
	return status;
}

dpr_status product_sum(const struct product *p, dpr_array **out)
{
	struct views v;
	const dpr_axes k = { .count = 1, .axis = &v.axis };
	dpr_status status = make_views(p, &v);

	*out = NULL;
	if (!status)
		status = product_sum_elements(
			&(struct product_elements){ .what = p->what,
						    .kind = p->kind,
						    .dtype = p->dtype,
						    .x = { v.x[0], v.x[1] },
						    .axes = &k },
			out);
	else
		status_rename(p->what);
	dpr_array_release(v.x[0]);
	dpr_array_release(v.x[1]);
	return status;
}
