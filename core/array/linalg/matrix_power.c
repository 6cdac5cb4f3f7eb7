/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_power.c - dpr_matrix_power(). */
#include <dpr/products.h>

#include <dpr/creation.h>

#include "core/array/layout/layout.h"
#include "core/array/linalg/solve.h"
#include "core/array/object/array.h"
#include "core/array/object/execution.h"
#include "core/array/products/product.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

#define NAME "matrix_power"

static dpr_status check_call(const dpr_array *x)
{
	char shape[160];
	dpr_queue *queue;
	dpr_dtype dtype;
	dpr_status status = execution_queue(NAME, &x, NULL, 1, 0, &queue);

	if (status)
		return status;
	array_trace(x->dtype, x->rank, array_shape(x));
	if (x->rank < 2 || x->dim[x->rank - 1] != x->dim[x->rank - 2])
		return fail(DPR_ERROR_SHAPE,
			    NAME ": the shape of x is %s; its last two axes "
				 "must be equally long",
			    layout_shape_text(shape, sizeof(shape), x->rank,
					      x->dim));
	return product_dtype(NAME, &x, 1, &dtype);
}

/* Power 0: the identity for each matrix of the batch. */
static dpr_status make_identity(const dpr_array *x, dpr_array **out)
{
	const int64_t n = x->dim[x->rank - 1];
	dpr_array *one, *all = NULL;
	dpr_status status =
		dpr_eye_on(n, n, 0, x->dtype, x->queue, x->kind, &one);

	if (status)
		return status;
	status = dpr_broadcast_to(one, dpr_shape_of(x->rank, x->dim), &all);
	if (!status)
		status = dpr_copy(all, out);
	dpr_array_release(all);
	dpr_array_release(one);
	return status;
}

/* Multiply *@x by @y. */
static dpr_status multiply_by(dpr_array **x, const dpr_array *y)
{
	dpr_array *made;
	dpr_status status = product_compute_as(NAME, *x, y, y->dtype, &made);

	if (status)
		return status;
	dpr_array_release(*x);
	*x = made;
	return DPR_OK;
}

/* Compute power @n >= 1: the product of x, x**2, x**4 and so on, as far as @n
   has their bits. */
static dpr_status multiply(const dpr_array *x, uint64_t n, dpr_array **out)
{
	dpr_array *square = dpr_array_retain((dpr_array *)(uintptr_t)x);
	dpr_array *power = NULL;
	dpr_status status = DPR_OK;

	for (;;) {
		if (n & 1 && power)
			status = multiply_by(&power, square);
		else if (n & 1)
			power = dpr_array_retain(square);
		n >>= 1;
		if (status || !n)
			break;
		status = multiply_by(&square, square);
		if (status)
			break;
	}
	dpr_array_release(square);
	return array_finish(status, power, out);
}

/* Compute power @n < 0: a power of the inverse matrices. */
static dpr_status multiply_inverse(const dpr_array *x, int64_t n,
				   dpr_array **out)
{
	dpr_array *inverse;
	dpr_status status = solve_inv(NAME, x, &inverse);

	if (status)
		return status;
	/* The least number has no counterpart in int64. */
	status = multiply(inverse, -(uint64_t)n, out);
	dpr_array_release(inverse);
	return status;
}

dpr_status dpr_matrix_power(const dpr_array *x, int64_t n, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	dpr_status status = array_check_call(NAME, x, out);

	if (!status)
		status = check_call(x);
	if (status)
		return status;
	if (!n)
		status = make_identity(x, out);
	else if (n == 1)
		status = dpr_copy(x, out);
	else if (n > 1)
		status = multiply(x, (uint64_t)n, out);
	else
		status = multiply_inverse(x, n, out);
	if (status)
		status_rename(NAME);
	return status;
}
