/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.c - the arguments of built-in functions in expressions. */
#include "core/array/expression/calls/arguments.h"

#include <limits.h>

#include <dpr/creation.h>

dpr_status arguments_fail(struct function_call *call, int i, const char *what)
{
	*call->fault = call->places[i];
	return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: %s is %s",
		    call->function->signature.name,
		    call->function->signature.parameters[i], what);
}

bool arguments_given(const struct function_call *call, int i)
{
	return call->arguments[i].kind != VALUE_EMPTY;
}

dpr_status arguments_array(struct function_call *call, int i, dpr_array **out)
{
	const struct value *value = &call->arguments[i];
	dpr_status status;

	*out = value->array;
	if (value->kind == VALUE_ARRAY)
		return DPR_OK;
	if (value->kind != VALUE_SCALAR)
		return arguments_fail(call, i, "not an array");
	status = dpr_full(DPR_SCALAR_SHAPE, value->scalar, DPR_DTYPE_DEFAULT,
			  call->queue, &call->made[i]);
	*out = call->made[i];
	return status;
}

dpr_status arguments_operand(struct function_call *call, int i,
			     dpr_operand *out)
{
	return value_operand(&call->arguments[i], out)
		       ? DPR_OK
		       : arguments_fail(call, i, "not an array or number");
}

bool arguments_as_integer(const struct value *value, int64_t *out)
{
	const dpr_operand *scalar = &value->scalar;

	if (value->kind != VALUE_SCALAR ||
	    (scalar->kind != DPR_OPERAND_INT &&
	     (scalar->kind != DPR_OPERAND_UINT || scalar->as.u > INT64_MAX)))
		return false;
	*out = scalar->kind == DPR_OPERAND_INT ? scalar->as.i
					       : (int64_t)scalar->as.u;
	return true;
}

bool arguments_as_double(const struct value *value, double *out)
{
	const dpr_operand *scalar = &value->scalar;

	if (value->kind != VALUE_SCALAR || scalar->kind == DPR_OPERAND_ARRAY ||
	    scalar->kind == DPR_OPERAND_COMPLEX)
		return false;
	*out = scalar->kind == DPR_OPERAND_FLOAT ? scalar->as.f
	       : scalar->kind == DPR_OPERAND_INT ? (double)scalar->as.i
						 : (double)scalar->as.u;
	return true;
}

dpr_status arguments_integer(struct function_call *call, int i, int64_t *out)
{
	return arguments_as_integer(&call->arguments[i], out)
		       ? DPR_OK
		       : arguments_fail(call, i, "not an integer");
}

dpr_status arguments_bool(struct function_call *call, int i, bool *out)
{
	const struct value *value = &call->arguments[i];

	*out = false;
	if (value->kind == VALUE_EMPTY)
		return DPR_OK;
	if (value->kind != VALUE_SCALAR ||
	    value->scalar.kind != DPR_OPERAND_BOOL)
		return arguments_fail(call, i, "neither True nor False");
	*out = value->scalar.as.u != 0;
	return DPR_OK;
}

dpr_status arguments_dtype(struct function_call *call, int i, dpr_dtype *out)
{
	const struct value *value = &call->arguments[i];

	*out = DPR_DTYPE_DEFAULT;
	if (value->kind == VALUE_EMPTY || value->kind == VALUE_NONE)
		return DPR_OK;
	if (value->kind != VALUE_DTYPE)
		return arguments_fail(call, i, "not a dtype such as float32");
	*out = value->dtype;
	return DPR_OK;
}

dpr_status arguments_integers(struct function_call *call, int i,
			      int64_t out[DPR_MAX_RANK], int *count)
{
	const struct value *value = &call->arguments[i];
	size_t n;

	*count = 1;
	if (arguments_as_integer(value, &out[0]))
		return DPR_OK;
	if (value->kind != VALUE_TUPLE)
		return arguments_fail(call, i,
				      "neither an integer nor a tuple of "
				      "integers");
	if (value->count > DPR_MAX_RANK)
		return arguments_fail(call, i,
				      "longer than 32, the most axes of an "
				      "array");
	for (n = 0; n < value->count; n++)
		if (!arguments_as_integer(&value->items[n], &out[n]))
			return arguments_fail(call, i,
					      "not a tuple of integers");
	*count = (int)value->count;
	return DPR_OK;
}

dpr_status arguments_axes(struct function_call *call, int i,
			  int out[DPR_MAX_RANK], int *count)
{
	int64_t axes[DPR_MAX_RANK];
	dpr_status status = arguments_integers(call, i, axes, count);

	for (int n = 0; !status && n < *count; n++) {
		if (axes[n] < INT_MIN || axes[n] > INT_MAX)
			return arguments_fail(call, i, "out of range");
		out[n] = (int)axes[n];
	}
	return status;
}

dpr_status arguments_axis(struct function_call *call, int i, int *out)
{
	int axes[DPR_MAX_RANK], count;
	dpr_status status = arguments_axes(call, i, axes, &count);

	if (!status && count != 1)
		return arguments_fail(call, i, "not one integer");
	if (!status)
		*out = axes[0];
	return status;
}

dpr_status arguments_result(struct function_call *call, dpr_status status)
{
	if (!status)
		call->result.kind = VALUE_ARRAY;
	return status;
}

dpr_status arguments_reduced(struct function_call *call, bool keepdims,
			     struct arguments_reduction *to)
{
	const struct value *value = &call->arguments[1];
	int count = 0;
	dpr_status status;

	to->axes = (dpr_axes){ .keepdims = keepdims };
	to->list = keepdims ? &to->axes : NULL;
	if (value->kind == VALUE_EMPTY || value->kind == VALUE_NONE)
		return DPR_OK;
	to->list = &to->axes;
	if (value->kind == VALUE_AXES) {
		to->axes.count = value->axes->count;
		to->axes.axis = value->axes->axis;
		return DPR_OK;
	}
	status = arguments_axes(call, 1, to->axis, &count);
	to->axes.count = count;
	to->axes.axis = to->axis;
	return status;
}

dpr_status arguments_double(struct function_call *call, int i, double *out)
{
	const struct value *value = &call->arguments[i];

	*out = 0;
	return value->scalar.kind != DPR_OPERAND_BOOL &&
			       arguments_as_double(value, out)
		       ? DPR_OK
		       : arguments_fail(call, i, "not a real number");
}
