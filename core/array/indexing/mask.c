/* SPDX-License-Identifier: Apache-2.0 */
/* mask.c - assigns to the elements where a mask is true, as a where(). */
#include <dpr/creation.h>
#include <dpr/indexing.h>

#include "core/array/data/copy.h"
#include "core/array/element/scalar.h"
#include "core/array/launch/cast.h"
#include "core/array/launch/cast_copy_fill.h"
#include "core/array/layout/layout.h"
#include "core/array/object/execution.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

#define WHAT "set mask"

/* --- Checks --------------------------------------------------------------- */

/* Check that the axes of @mask are the first of @x. */
static dpr_status check_mask(const dpr_array *x, const dpr_array *mask)
{
	char have[160], want[160];
	bool fits = mask->rank <= x->rank;

	if (mask->dtype != DPR_BOOL)
		return fail(DPR_ERROR_DTYPE,
			    WHAT ": the mask is %s but must be bool; use "
				 "dpr_not_equal() to compare it with 0",
			    dpr_dtype_name(mask->dtype));
	for (int d = 0; fits && d < mask->rank; d++)
		fits = array_shape(mask)[d] == array_shape(x)[d];
	if (fits)
		return DPR_OK;
	return fail(
		DPR_ERROR_SHAPE,
		WHAT ": the axes of a mask are the first axes of the "
		     "array, but the mask has the shape %s and the array "
		     "%s",
		layout_shape_text(have, sizeof(have), mask->rank,
				  array_shape(mask)),
		layout_shape_text(want, sizeof(want), x->rank, array_shape(x)));
}

/* Check that @value broadcasts to the axes of @x that the mask lacks.  One more
   axis may come before, with the extent 1.  So @value does not depend on the
   number of true elements in the mask. */
static dpr_status check_value(const dpr_array *x, const dpr_array *mask,
			      const dpr_array *value)
{
	const int rest = x->rank - mask->rank;
	const bool more = value->rank == rest + 1;
	int64_t stride[DPR_MAX_RANK];
	char have[160], want[160];
	struct layout layout;
	dpr_status status;

	status = copy_check_cast(WHAT, value->dtype, x->dtype);
	if (status)
		return status;
	status = cast_check(value, x->dtype);
	if (status) {
		status_prefix(WHAT);
		return status;
	}
	array_layout(value, &layout);
	if (more && mask->rank && layout.dim[0] != 1)
		return fail(DPR_ERROR_UNSUPPORTED,
			    WHAT ": a value for each element of the mask that "
				 "is true, as numpy.place() takes, is not "
				 "supported yet; choose with dpr_where_into() "
				 "from values of the array's shape");
	if ((value->rank <= rest || (more && mask->rank)) &&
	    layout_expand(&layout, x->rank, array_shape(x), stride))
		return DPR_OK;
	return fail(DPR_ERROR_SHAPE,
		    WHAT ": a value of shape %s does not broadcast to %s, the "
			 "axes that the mask lacks",
		    layout_shape_text(have, sizeof(have), value->rank,
				      array_shape(value)),
		    layout_shape_text(want, sizeof(want), rest,
				      array_shape(x) + mask->rank));
}

static dpr_status check_call(const dpr_array *x, const dpr_array *mask,
			     dpr_operand value)
{
	const bool is_array = value.kind == DPR_OPERAND_ARRAY;
	const dpr_array *operands[] = { mask, NULL, x };
	static const char *const names[] = { "mask", "value", "x" };
	dpr_queue *queue;
	dpr_status status;

	if (!x || !mask || (is_array && !value.as.array))
		return fail(DPR_ERROR_INVALID_ARGUMENT, WHAT ": %s is NULL",
			    !x      ? "x"
			    : !mask ? "the mask"
				    : "the value");
	status = array_check_output(WHAT, x);
	if (status)
		return status;
	if (is_array)
		operands[1] = value.as.array;
	status = execution_queue(WHAT, operands, names, 3, 1, &queue);
	if (!status)
		status = check_mask(x, mask);
	if (!status && is_array)
		status = check_value(x, mask, value.as.array);
	return status;
}

/* --- The assignment ------------------------------------------------------- */

/* Make a view of @mask with the axes of @x. */
static dpr_status widen(const dpr_array *x, const dpr_array *mask,
			dpr_array **out)
{
	struct layout layout;

	array_layout(mask, &layout);
	for (; layout.rank < x->rank; layout.rank++) {
		layout.dim[layout.rank] = 1;
		layout.stride[layout.rank] = 0;
	}
	return array_view(mask, &layout, out);
}

/* Let @call read a copy of operand @k, cast to @dtype, if the operand has
   another dtype, or cannot be read while @x is written.  *@copy: the copy. */
static dpr_status take_apart(struct apply_call *call, int k, dpr_dtype dtype,
			     const dpr_array *x, dpr_array **copy)
{
	const dpr_array *operand = call->x[k];
	dpr_status status;

	*copy = NULL;
	if (!operand ||
	    (operand->dtype == dtype &&
	     (array_same_layout(operand, x) || !array_may_overlap(operand, x))))
		return DPR_OK;
	status = cast_new(WHAT, operand, dtype, DPR_USM_DEVICE, copy);
	call->x[k] = *copy;
	return status;
}

static dpr_status assign(struct apply_call *call)
{
	dpr_array *x = call->out, *mask = NULL, *value = NULL;
	dpr_status status = take_apart(call, 0, DPR_BOOL, x, &mask);

	if (!status)
		status = take_apart(call, 1, x->dtype, x, &value);
	if (!status)
		status = cast_copy_fill_where(call, x->dtype);
	dpr_array_release(mask);
	dpr_array_release(value);
	return status;
}

dpr_status(dpr_array_set_mask)(dpr_array *x, const dpr_array *mask,
			       dpr_operand value)
{
	TRACE_CALL;
	HANDLES(x, mask, value);
	struct apply_call call = { .what = WHAT, .out = x, .n = 3 };
	dpr_array *wide = NULL;
	dpr_status status = check_call(x, mask, value);

	if (!status && value.kind != DPR_OPERAND_ARRAY)
		status = scalar_store(WHAT, value, x->dtype,
				      call.value[1].bytes);
	if (status)
		return status;
	if (!x->size)
		return DPR_OK;
	status = widen(x, mask, &wide);
	if (!status) {
		call.x[0] = wide;
		call.x[1] =
			value.kind == DPR_OPERAND_ARRAY ? value.as.array : NULL;
		call.x[2] = x;
		status = assign(&call);
	}
	dpr_array_release(wide);
	return status;
}
