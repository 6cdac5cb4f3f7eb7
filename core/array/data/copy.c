/* SPDX-License-Identifier: Apache-2.0 */
/* copy.c - copies, casts and assignments. */
#include "core/array/data/copy.h"

#include <string.h>

#include <dpr/creation.h>
#include <dpr/queue.h>

#include "core/array/element/scalar.h"
#include "core/array/launch/cast.h"
#include "core/array/object/array.h"
#include "core/array/object/execution.h"
#include "core/base/handles/handles.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"

dpr_status copy_check_cast(const char *what, dpr_dtype from, dpr_dtype to)
{
	if (!dpr_dtype_size(to))
		return fail(DPR_ERROR_DTYPE, "%s: %d is not a dtype", what,
			    (int)to);
	if (dpr_dtype_kind(from) == 'c' && dpr_dtype_kind(to) != 'c')
		return fail(DPR_ERROR_DTYPE,
			    "%s: %s cannot be cast to %s; take the real "
			    "part with dpr_real()",
			    what, dpr_dtype_name(from), dpr_dtype_name(to));
	return DPR_OK;
}

dpr_status copy_check_mode(const char *what, dpr_copy_mode mode)
{
	if ((unsigned)mode <= DPR_COPY_NEVER)
		return DPR_OK;
	return fail(DPR_ERROR_INVALID_ARGUMENT,
		    "%s: copy is %d, which is not a value of dpr_copy_mode",
		    what, (int)mode);
}

dpr_status copy_check_astype(const dpr_array *x, dpr_dtype dtype)
{
	dpr_status status = copy_check_cast("astype", x->dtype, dtype);

	if (status)
		return status;
	status = cast_check(x, dtype);
	if (status)
		status_prefix("astype");
	return status;
}

dpr_status dpr_astype(const dpr_array *x, dpr_dtype dtype, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	dpr_status status;

	status = array_check_call("astype", x, out);
	if (!status)
		status = copy_check_cast("astype", x->dtype, dtype);
	return status ? status : cast_new("astype", x, dtype, x->kind, out);
}

dpr_status dpr_copy(const dpr_array *x, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	dpr_status status = array_check_call("copy", x, out);

	return status ? status : cast_new("copy", x, x->dtype, x->kind, out);
}

dpr_status copy_assign(dpr_array *view, const dpr_array *value)
{
	dpr_shape shape = dpr_shape_of(view->rank, array_shape(view));
	dpr_array *wide, *apart = NULL;
	dpr_status status;

	if (array_same_layout(view, value) && view->dtype == value->dtype)
		return DPR_OK;
	status = dpr_broadcast_to(value, shape, &wide);
	if (status || !view->size)
		goto out;
	if (array_may_overlap(wide, view)) {
		/* The two overlap, so @value is copied first.  @value has fewer
		   elements before it is broadcast. */
		status = cast_new("copy into", value, view->dtype, value->kind,
				  &apart);
		if (status)
			goto out;
		dpr_array_release(wide);
		status = dpr_broadcast_to(apart, shape, &wide);
		if (status)
			goto out;
	}
	status = cast_into(wide, view);
out:
	dpr_array_release(apart);
	dpr_array_release(wide);
	return status;
}

static dpr_status assign_array(dpr_array *view, const dpr_array *value)
{
	const dpr_array *operands[] = { value, view };
	static const char *const names[] = { "value", "view" };
	dpr_queue *queue;
	dpr_status status;

	if (!value)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "copy into: the value is NULL");
	status = execution_queue("copy into", operands, names, 2, 1, &queue);
	if (status == DPR_ERROR_EXECUTION_PLACEMENT)
		status_append("; or write across devices with "
			      "dpr_array_copy_to(view, value)");
	if (status)
		return status;
	status = copy_check_cast("copy into", value->dtype, view->dtype);
	return status ? status : copy_assign(view, value);
}

dpr_status(dpr_copy_into)(dpr_array *view, dpr_operand value)
{
	TRACE_CALL;
	HANDLES(view, value);
	unsigned char element[16];
	dpr_status status;

	if (!view)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "copy into: the view is NULL");
	status = array_check_output("copy into", view);
	if (status)
		return status;
	if (value.kind == DPR_OPERAND_ARRAY)
		return assign_array(view, value.as.array);
	/* First convert the number to the dtype: cast_fill() needs a value that
	   fits. */
	status = scalar_store("copy into", value, view->dtype, element);
	if (!status && !view->size)
		status = process_check("copy into");
	if (status || !view->size)
		return status;
	return cast_fill(view, scalar_load(element, view->dtype));
}
