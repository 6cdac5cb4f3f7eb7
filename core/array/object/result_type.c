/* SPDX-License-Identifier: Apache-2.0 */
/* result_type.c - the dtype of a result of arrays and scalars. */
#include <dpr/creation.h>
#include <dpr/queue.h>

#include "core/array/element/dtype.h"
#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* The level of a weak scalar: bool < integer < float < complex. */
static int operand_level(uint32_t kind)
{
	switch (kind) {
	case DPR_OPERAND_BOOL: return 0;
	case DPR_OPERAND_INT:
	case DPR_OPERAND_UINT: return 1;
	case DPR_OPERAND_FLOAT: return 2;
	case DPR_OPERAND_COMPLEX: return 3;
	}
	return -1;
}

/* The dtype of a result of arrays of @dtype and a scalar of level @level. */
static dpr_dtype raise_dtype(dpr_dtype dtype, int level,
			     const dpr_device *device)
{
	if (level <= dtype_level(dtype))
		return dtype;
	if (level == 1)
		return DPR_INT64;
	if (level == 2)
		return dpr_dtype_default(device, 'f');
	if (dpr_dtype_kind(dtype) == 'f')
		return dtype_promote(dtype, DPR_COMPLEX64);
	return dpr_dtype_default(device, 'c');
}

dpr_status dpr_result_type(const dpr_operand *operands, size_t count,
			   dpr_dtype *out)
{
	TRACE_CALL;
	HANDLES(handle_operands(operands, count));
	const dpr_array *first = NULL;
	dpr_dtype dtype = DPR_DTYPE_DEFAULT;
	int level = 0;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "result type: out is NULL");
	*out = DPR_DTYPE_DEFAULT;
	for (size_t i = 0; operands && i < count; i++) {
		const dpr_array *x = operands[i].as.array;
		int scalar = operand_level(operands[i].kind);

		if (scalar >= 0) {
			level = scalar > level ? scalar : level;
			continue;
		}
		if (operands[i].kind != DPR_OPERAND_ARRAY || !x)
			return fail(
				DPR_ERROR_INVALID_ARGUMENT,
				"result type: operand x%zu is %s", i + 1,
				operands[i].kind == DPR_OPERAND_NONE
					? "None, which bounds of dpr_clip() "
					  "may be"
				: x ? "of an unknown kind"
				    : "NULL");
		dtype = first ? dtype_promote(dtype, x->dtype) : x->dtype;
		if (!first)
			first = x;
	}
	if (!first)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"result type: none of the operands is an array; make "
			"an array from a number with dpr_full()");
	*out = raise_dtype(dtype, level, dpr_queue_device(first->queue));
	return DPR_OK;
}
