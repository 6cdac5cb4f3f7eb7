/* SPDX-License-Identifier: Apache-2.0 */
/* inner_arguments.c - arguments and results of the functions in this folder. */
#include "core/array/expression/inner/inner_arguments.h"

#include <dpr/creation.h>

#include "core/array/expression/calls/arguments.h"
#include "core/array/expression/fusion.h"
#include "core/array/object/array.h"

dpr_status inner_arguments_shape(struct function_call *call, int i,
				 const dpr_array **out)
{
	dpr_operand x;
	dpr_array *made;
	dpr_status status;

	if (value_operand(&call->arguments[i], &x) &&
	    x.kind == DPR_OPERAND_ARRAY) {
		*out = x.as.array;
		return DPR_OK;
	}
	status = arguments_array(call, i, &made);
	*out = made;
	return status;
}

dpr_status inner_arguments_reduced(struct function_call *call,
				   const dpr_array **x,
				   struct reduce_outcome *out)
{
	struct arguments_reduction given;
	dpr_status status;

	if ((status = inner_arguments_shape(call, 0, x)) ||
	    (status = arguments_reduced(call, false, &given)))
		return status;
	return reduce_shape(call->function->signature.name, *x, given.list,
			    out);
}

dpr_status inner_arguments_dtype(struct function_call *call, dpr_dtype dtype)
{
	call->result.kind = VALUE_DTYPE;
	call->result.dtype = dtype;
	return DPR_OK;
}

dpr_status inner_arguments_cast(struct function_call *call, const dpr_array *x,
				dpr_dtype dtype)
{
	const struct value *value = &call->arguments[0];
	const struct fusion_call cast = { .kind = FUSION_CAST,
					  .dtype = dtype,
					  .place = call->place };

	if (value->kind != VALUE_SCALAR && x->dtype == dtype) {
		call->result = value_share(value);
		return DPR_OK;
	}
	if (value->kind == VALUE_SCALAR || !call->fusion->format)
		return arguments_result(
			call, dpr_astype(x, dtype, &call->result.array));
	return inner_arguments_defer(call, &cast, x);
}

dpr_status inner_arguments_defer(struct function_call *call,
				 const struct fusion_call *later,
				 const dpr_array *x)
{
	const struct fusion_operand operand = { call->arguments[0].node,
						dpr_operand_array(x) };
	dpr_status status =
		fusion_add(call->fusion, later, &operand, &call->result.node);

	if (!status)
		call->result.kind = VALUE_NODE;
	return status;
}
