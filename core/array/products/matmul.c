/* SPDX-License-Identifier: Apache-2.0 */
/* matmul.c - dpr_matmul(), dpr_matvec() and dpr_vecmat(). */
#include <dpr/products.h>

#include <dpr/elementwise.h>

#include "core/array/launch/cast.h"
#include "core/array/object/execution.h"
#include "core/array/products/product.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* The operands of one of the functions, and their product. */
struct operands {
	struct product p;
	const dpr_array *x1, *x2;
	dpr_array *conjugate; /* conj(x1); NULL if x1 itself is multiplied */
};

/* Check the operands, and @out unless it is NULL. */
static dpr_status begin(const char *what, enum product_form form,
			const dpr_array *out, struct operands *given)
{
	const dpr_array *operands[] = { given->x1, given->x2, out };
	static const char *const names[] = { "x1", "x2", "out" };
	dpr_status status =
		product_begin(what, form, given->x1, given->x2, &given->p);
	dpr_queue *queue;

	if (!status && out)
		status = execution_queue(what, operands, names, 3, 1, &queue);
	if (!status && out)
		status = array_check_result(what, out, given->p.rank,
					    given->p.shape, given->p.dtype);
	if (status || form != PRODUCT_VECMAT ||
	    dpr_dtype_kind(given->x1->dtype) != 'c')
		return status;
	status = (dpr_conj)(dpr_operand_array(given->x1), &given->conjugate);
	if (status)
		status_rename(what);
	else
		product_take(&given->p, false, given->conjugate);
	return status;
}

static dpr_status run(const char *what, enum product_form form,
		      struct operands *given, dpr_array **out)
{
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: out is NULL",
			    what);
	*out = NULL;
	status = begin(what, form, NULL, given);
	if (!status)
		status = product_compute(&given->p, out);
	dpr_array_release(given->conjugate);
	return status;
}

/* Compute a new array, and cast it into @out. */
static dpr_status compute_and_cast(const struct product *p, dpr_array *out)
{
	dpr_array *made;
	dpr_status status = product_compute(p, &made);

	if (status)
		return status;
	status = cast_into(made, out);
	if (status)
		status_rename(p->what);
	dpr_array_release(made);
	return status;
}

static dpr_status run_into(const char *what, enum product_form form,
			   struct operands *given, dpr_array *out)
{
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: out is NULL",
			    what);
	status = begin(what, form, out, given);
	/* A routine reads operands after it has begun to write. */
	if (!status &&
	    !(out->dtype == given->p.dtype &&
	      !array_may_overlap(given->x1, out) &&
	      !array_may_overlap(given->x2, out) &&
	      product_compute_into(&given->p, out, &status)))
		status = compute_and_cast(&given->p, out);
	dpr_array_release(given->conjugate);
	return status;
}

#define FUNCTION(name, form)                                                   \
	dpr_status dpr_##name(const dpr_array *x1, const dpr_array *x2,        \
			      dpr_array **out)                                 \
	{                                                                      \
		TRACE_CALL;                                                    \
		HANDLES(x1, x2, out);                                          \
		struct operands given = { .x1 = x1, .x2 = x2 };                \
                                                                               \
		return run(#name, form, &given, out);                          \
	}                                                                      \
	dpr_status dpr_##name##_into(const dpr_array *x1, const dpr_array *x2, \
				     dpr_array *out)                           \
	{                                                                      \
		TRACE_CALL;                                                    \
		HANDLES(x1, x2, out);                                          \
		struct operands given = { .x1 = x1, .x2 = x2 };                \
                                                                               \
		return run_into(#name, form, &given, out);                     \
	}

FUNCTION(matmul, PRODUCT_MATMUL)
FUNCTION(matvec, PRODUCT_MATVEC)
FUNCTION(vecmat, PRODUCT_VECMAT)
