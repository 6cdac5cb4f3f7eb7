/* SPDX-License-Identifier: Apache-2.0 */
/* kron.c - dpr_kron(). */
#include <dpr/products.h>

#include <dpr/elementwise.h>

#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/array/object/execution.h"
#include "core/array/products/product.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* The operands as views, whose elements are multiplied.  For each axis of the
   result the views have an axis of x1 and then an axis of x2.  Axes of extent 1
   are left out. */
struct pieces {
	struct layout first, second;
	int rank; /* the rank of the result */
	int64_t dim[DPR_MAX_RANK];
};

static dpr_status fail_axes(void)
{
	return fail(DPR_ERROR_SHAPE,
		    "kron: the operands have more than 32 axes that are longer "
		    "than 1; join some with dpr_reshape()");
}

/* Add an axis of @extent, along which @own has the stride @stride, and the
   other operand is broadcast. */
static dpr_status add_axis(struct layout *own, struct layout *other,
			   int64_t extent, int64_t stride)
{
	const int d = own->rank;

	if (extent == 1)
		return DPR_OK;
	if (d == DPR_MAX_RANK)
		return fail_axes();
	own->dim[d] = other->dim[d] = extent;
	own->stride[d] = stride;
	other->stride[d] = 0;
	own->rank = other->rank = d + 1;
	return DPR_OK;
}

/* Add the axes for axis @d of the result. */
static dpr_status add_axes(struct pieces *p, const dpr_array *x1,
			   const dpr_array *x2, int d)
{
	const int a = d - (p->rank - x1->rank);
	const int b = d - (p->rank - x2->rank);
	const int64_t m = a < 0 ? 1 : x1->dim[a], n = b < 0 ? 1 : x2->dim[b];
	dpr_status status = DPR_OK;

	if (__builtin_mul_overflow(m, n, &p->dim[d]))
		return fail(DPR_ERROR_OVERFLOW,
			    "kron: the extents %lld and %lld are too large",
			    (long long)m, (long long)n);
	if (a >= 0)
		status = add_axis(&p->first, &p->second, m,
				  array_strides(x1)[a]);
	if (!status && b >= 0)
		status = add_axis(&p->second, &p->first, n,
				  array_strides(x2)[b]);
	return status;
}

static dpr_status multiply(const struct pieces *p, const dpr_array *x1,
			   const dpr_array *x2, dpr_array **out)
{
	dpr_array *a = NULL, *b = NULL, *made = NULL;
	dpr_status status = array_view(x1, &p->first, &a);

	if (!status)
		status = array_view(x2, &p->second, &b);
	if (!status)
		status = (dpr_multiply)(dpr_operand_array(a),
					dpr_operand_array(b), &made);
	if (!status)
		status = dpr_reshape(made, dpr_shape_of(p->rank, p->dim), out);
	dpr_array_release(made);
	dpr_array_release(a);
	dpr_array_release(b);
	if (status)
		status_rename("kron");
	return status;
}

/* Check the operands, but for their shapes. */
static dpr_status check_call(const dpr_array *x1, const dpr_array *x2)
{
	const dpr_array *const operands[] = { x1, x2 };
	dpr_dtype dtype;
	dpr_queue *queue;
	dpr_status status;

	if (!x1 || !x2)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "kron: %s is NULL",
			    x1 ? "x2" : "x1");
	array_trace(x1->dtype, x1->rank, array_shape(x1));
	status = execution_queue("kron", operands, NULL, 2, 0, &queue);
	return status ? status : product_dtype("kron", operands, 2, &dtype);
}

dpr_status dpr_kron(const dpr_array *x1, const dpr_array *x2, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x1, x2, out);
	struct pieces p = { .rank = 0 };
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "kron: out is NULL");
	*out = NULL;
	status = check_call(x1, x2);
	if (status)
		return status;
	p.first.offset = x1->offset;
	p.second.offset = x2->offset;
	p.rank = x1->rank > x2->rank ? x1->rank : x2->rank;
	for (int d = 0; !status && d < p.rank; d++)
		status = add_axes(&p, x1, x2, d);
	return status ? status : multiply(&p, x1, x2, out);
}
