/* SPDX-License-Identifier: Apache-2.0 */
/* matmul.c - dpr_matmul(). */
#include <dpr/products.h>

#include "core/array/launch/cast.h"
#include "core/array/object/execution.h"
#include "core/array/products/product.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* Compute the product in the fastest way, into a new array. */
static dpr_status compute(const struct product *p, dpr_array **out)
{
	dpr_array *made;
	dpr_status status;

	if (!product_call_may(p))
		return product_sum(p, out);
	status = array_new(p->what, p->dtype, p->rank, p->shape, p->queue,
			   p->kind, &made);
	if (status)
		return status;
	if (product_call(p, made, &status))
		return array_finish(status, made, out);
	dpr_array_release(made);
	return product_sum(p, out);
}

dpr_status dpr_matmul(const dpr_array *x1, const dpr_array *x2, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x1, x2, out);
	struct product product;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "matmul: out is NULL");
	*out = NULL;
	status = product_begin("matmul", x1, x2, &product);
	return status ? status : compute(&product, out);
}

/* Check the result of @p. */
static dpr_status check_out(const struct product *p, const dpr_array *out)
{
	const dpr_array *operands[] = { p->a.x, p->b.x, out };
	static const char *const names[] = { "x1", "x2", "out" };
	dpr_queue *queue;
	dpr_status status =
		execution_queue(p->what, operands, names, 3, 1, &queue);

	return status ? status
		      : array_check_result(p->what, out, p->rank, p->shape,
					   p->dtype);
}

dpr_status dpr_matmul_into(const dpr_array *x1, const dpr_array *x2,
			   dpr_array *out)
{
	TRACE_CALL;
	HANDLES(x1, x2, out);
	struct product p;
	dpr_array *made;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "matmul: out is NULL");
	status = product_begin("matmul", x1, x2, &p);
	if (!status)
		status = check_out(&p, out);
	if (status)
		return status;
	/* A routine reads operands after it has begun to write. */
	if (product_call_may(&p) && out->dtype == p.dtype &&
	    !array_may_overlap(x1, out) && !array_may_overlap(x2, out) &&
	    product_call(&p, out, &status))
		return status;
	status = compute(&p, &made);
	if (status)
		return status;
	status = cast_into(made, out);
	if (status)
		status_rename(p.what);
	dpr_array_release(made);
	return status;
}
