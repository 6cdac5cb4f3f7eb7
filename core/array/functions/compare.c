/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - comparisons of integers that no integer dtype holds together. */
#include "core/array/functions/compare.h"

#include "core/array/element/scalar.h"
#include "core/array/engine/operations.h"
#include "core/array/object/array.h"

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

bool compare_is_mixed(int op, const dpr_operand *operands)
{
	const dpr_array *a, *b;

	if (!is_comparison(op) || operands[0].kind != DPR_OPERAND_ARRAY ||
	    operands[1].kind != DPR_OPERAND_ARRAY)
		return false;
	a = operands[0].as.array;
	b = operands[1].as.array;
	return (dpr_dtype_kind(a->dtype) == 'i' && b->dtype == DPR_UINT64) ||
	       (a->dtype == DPR_UINT64 && dpr_dtype_kind(b->dtype) == 'i');
}

/* Whether comparison @op holds if operand @at (0 or 1) is a number outside the
   range of all elements.  @above = true: the number is above all elements, and
   otherwise below. */
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
