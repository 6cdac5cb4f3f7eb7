/* SPDX-License-Identifier: Apache-2.0 */
/* float_calls.c - floats in the texts of kernels/derived.def and of
   kernels/composed.def: their real dtype, their bits. */
#include "core/array/expression/inner/float_calls.h"

#include <math.h>

#include <dpr/queue.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/compound.h"
#include "core/array/engine/operations.h"
#include "core/array/expression/calls/arguments.h"
#include "core/array/expression/fusion.h"
#include "core/array/expression/inner/inner.h"
#include "core/array/expression/inner/inner_arguments.h"
#include "core/array/functions/elementwise.h"
#include "core/array/object/array.h"
#include "core/base/status.h"

static dpr_status run_real_dtype(struct function_call *call)
{
	const dpr_array *x;
	dpr_status status = inner_arguments_shape(call, 0, &x);

	if (status)
		return status;
	return inner_arguments_dtype(
		call, (dpr_dtype)operations_dtype(OPERATION__abs, x->dtype));
}

/* The result is argument 0, or of complex numbers its absolute value. */
static dpr_status run_squared(struct function_call *call)
{
	const struct fusion_call later = { .kind = FUSION_OPERATION,
					   .op = OPERATION__abs,
					   .place = call->place };
	dpr_operand operand;
	const dpr_array *x;
	dpr_status status = inner_arguments_shape(call, 0, &x);

	if (status)
		return status;
	if (dtype_level(x->dtype) < 3) {
		call->result = value_share(&call->arguments[0]);
		return DPR_OK;
	}
	operand = dpr_operand_array(x);
	if (!call->fusion->format)
		return arguments_result(
			call, elementwise_run(OPERATION__abs, &operand,
					      &call->result.array));
	return inner_arguments_defer(call, &later, x);
}

static dpr_status run_real_floats(struct function_call *call)
{
	const dpr_array *x;
	dpr_dtype dtype;
	dpr_status status = inner_arguments_shape(call, 0, &x);

	if (status)
		return status;
	dtype = x->dtype;
	if (dtype_level(dtype) > 2)
		return fail(DPR_ERROR_DTYPE, "real_floats: does not take %s",
			    dpr_dtype_name(dtype));
	if (dtype_level(dtype) < 2)
		dtype = dpr_dtype_default(dpr_queue_device(call->queue), 'f');
	return inner_arguments_cast(call, x, dtype);
}

static dpr_status run_bits(struct function_call *call)
{
	struct fusion_call later = { .kind = FUSION_BITS,
				     .place = call->place };
	const dpr_array *x;
	dpr_status status;

	if ((status = inner_arguments_shape(call, 0, &x)) ||
	    (status = arguments_dtype(call, 1, &later.dtype)))
		return status;
	if (!call->fusion->format)
		return arguments_result(
			call,
			array_bits(x, later.dtype, &call->result.array));
	return inner_arguments_defer(call, &later, x);
}

static dpr_status run_integer_of(struct function_call *call)
{
	const dpr_array *x;
	dpr_status status = inner_arguments_shape(call, 0, &x);

	return status ? status
		      : inner_arguments_dtype(call, compound_integer(x->dtype));
}

/* The number of bits of the fraction, or the largest exponent. */
static dpr_status set_bits(struct function_call *call, bool exponent)
{
	dpr_float_limits limits;
	const dpr_array *x;
	int fraction;
	dpr_status status = inner_arguments_shape(call, 0, &x);

	if (!status)
		status = dpr_finfo(x->dtype, &limits);
	if (status)
		return status;
	fraction = -ilogb(limits.eps);
	call->result.kind = VALUE_SCALAR;
	call->result.scalar = dpr_operand_int(
		exponent ? (1 << ((int)limits.bits - 1 - fraction)) - 1
			 : fraction);
	return DPR_OK;
}

static dpr_status run_fraction_bits(struct function_call *call)
{
	return set_bits(call, false);
}

static dpr_status run_largest_exponent(struct function_call *call)
{
	return set_bits(call, true);
}

const struct function float_calls_parts[] = {
	INNER_FUNCTION(bits, 2, SHAPES, "x", "dtype"),
	INNER_FUNCTION(fraction_bits, 1, SHAPES, "x"),
	INNER_FUNCTION(integer_of, 1, SHAPES, "x"),
	INNER_FUNCTION(largest_exponent, 1, SHAPES, "x"),
	INNER_FUNCTION(real_dtype, 1, SHAPES, "x"),
	INNER_FUNCTION(real_floats, 1, SHAPES, "x"),
	INNER_FUNCTION(squared, 1, SHAPES, "x"),
};
const size_t float_calls_count =
	sizeof(float_calls_parts) / sizeof(float_calls_parts[0]);
