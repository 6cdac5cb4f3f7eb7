/* SPDX-License-Identifier: Apache-2.0 */
/* product_calls.c - the functions of dpr/products.h in expressions. */
#include "core/array/expression/calls/product_calls.h"

#include <limits.h>

#include <dpr/products.h>

#include "core/array/expression/calls/arguments.h"
#include "core/base/mem.h"
#include "core/base/status.h"

typedef dpr_status (*multiplying)(const dpr_array *, const dpr_array *,
				  dpr_array **);

static dpr_status multiply(struct function_call *call, multiplying function)
{
	dpr_array *x1, *x2;
	dpr_status status;

	if ((status = arguments_array(call, 0, &x1)) ||
	    (status = arguments_array(call, 1, &x2)))
		return status;
	return arguments_result(call, function(x1, x2, &call->result.array));
}

dpr_status product_calls_matmul(struct function_call *call)
{
	return multiply(call, dpr_matmul);
}

dpr_status product_calls_matvec(struct function_call *call)
{
	return multiply(call, dpr_matvec);
}

dpr_status product_calls_vecmat(struct function_call *call)
{
	return multiply(call, dpr_vecmat);
}

dpr_status product_calls_kron(struct function_call *call)
{
	return multiply(call, dpr_kron);
}

dpr_status product_calls_tensordot(struct function_call *call)
{
	dpr_array *x1, *x2;
	int64_t axes = 2;
	dpr_status status;

	if ((status = arguments_array(call, 0, &x1)) ||
	    (status = arguments_array(call, 1, &x2)) ||
	    (arguments_given(call, 2) &&
	     (status = arguments_integer(call, 2, &axes))))
		return status;
	if (axes < 0 || axes > INT_MAX)
		return arguments_fail(call, 2, "not a number of axes");
	return arguments_result(
		call, dpr_tensordot(x1, x2, (int)axes, &call->result.array));
}

dpr_status product_calls_matrix_power(struct function_call *call)
{
	dpr_array *x;
	int64_t n;
	dpr_status status;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = arguments_integer(call, 1, &n)))
		return status;
	return arguments_result(call,
				dpr_matrix_power(x, n, &call->result.array));
}

dpr_status product_calls_multi_dot(struct function_call *call)
{
	const struct value *list = &call->arguments[0];
	const dpr_array **arrays;
	dpr_status status;

	if (list->kind != VALUE_TUPLE)
		return arguments_fail(call, 0,
				      "not a tuple of arrays such as (x, y)");
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].kind != VALUE_ARRAY)
			return arguments_fail(call, 0, "not a tuple of arrays");
	arrays = mem_array(list->count, sizeof(*arrays));
	if (!arrays)
		return fail_memory("multi_dot");
	for (size_t i = 0; i < list->count; i++)
		arrays[i] = list->items[i].array;
	status = dpr_multi_dot(arrays, list->count, &call->result.array);
	mem_free(arrays);
	return arguments_result(call, status);
}
