/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - comparisons of integers that have no integer dtype in common. */
#include "core/array/functions/compare.h"

#include "core/array/element/scalar.h"
#include "core/array/engine/graph.h"
#include "core/array/functions/elementwise.h"
#include "core/array/launch/cast.h"

static bool is_comparison(int op)
{
	switch (op) {
	case OPERATION__equal:
	case OPERATION__not_equal:
	case OPERATION__less:
	case OPERATION__less_equal:
	case OPERATION__greater:
	case OPERATION__greater_equal: return true;
	}
	return false;
}

static bool is_signed(const dpr_array *x)
{
	return dpr_dtype_kind(x->dtype) == 'i';
}

bool compare_is_mixed(int op, const dpr_operand *operands)
{
	const dpr_array *a, *b;

	if (!is_comparison(op) || operands[0].kind != DPR_OPERAND_ARRAY ||
	    operands[1].kind != DPR_OPERAND_ARRAY)
		return false;
	a = operands[0].as.array;
	b = operands[1].as.array;
	return (is_signed(a) && b->dtype == DPR_UINT64) ||
	       (a->dtype == DPR_UINT64 && is_signed(b));
}

dpr_status compare_apart(int op, const dpr_array *const *x, dpr_array *out)
{
	const int s = is_signed(x[0]) ? 0 : 1;
	const bool below = graph_compare_below((unsigned)op, s);
	dpr_operand sign[] = { dpr_operand_array(x[s]), dpr_operand_int(0) };
	dpr_operand values[] = { dpr_operand_array(x[0]),
				 dpr_operand_array(x[1]) };
	dpr_operand parts[2];
	dpr_array *whole = NULL, *first = NULL, *second = NULL;
	dpr_status status;

	status = cast_new(operations_table[op].name, x[s], DPR_UINT64,
			  DPR_USM_DEVICE, &whole);
	values[s] = dpr_operand_array(whole);
	if (!status)
		status = elementwise_run(below ? OPERATION__less
					       : OPERATION__greater_equal,
					 sign, &first);
	if (!status)
		status = elementwise_run(op, values, &second);
	parts[0] = dpr_operand_array(first);
	parts[1] = dpr_operand_array(second);
	if (!status)
		status = elementwise_run_into(below ? OPERATION__bitwise_or
						    : OPERATION__bitwise_and,
					      parts, out);
	dpr_array_release(whole);
	dpr_array_release(first);
	dpr_array_release(second);
	return status;
}

/* Whether the comparison holds with a number at place @at that is above all
   elements, or below them. */
static bool holds(int op, int at, bool above)
{
	switch (op) {
	case OPERATION__not_equal: return true;
	case OPERATION__less:
	case OPERATION__less_equal: return above == (at == 1);
	case OPERATION__greater:
	case OPERATION__greater_equal: return above == (at == 0);
	}
	return false;
}

bool compare_shorten(int *op, dpr_operand *operands, dpr_dtype dtype)
{
	dpr_operand number;
	bool above;
	int at;

	if (!is_comparison(*op))
		return false;
	at = operands[0].kind == DPR_OPERAND_ARRAY;
	number = operands[at];
	if (!scalar_is_outside(number, dtype))
		return false;
	operands[0] = operands[!at];
	above = number.kind == DPR_OPERAND_UINT || number.as.i > 0;
	/* Every integer is finite, and none is NaN. */
	*op = holds(*op, at, above) ? OPERATION__isfinite : OPERATION__isnan;
	return true;
}
