/* SPDX-License-Identifier: Apache-2.0 */
/* axis_list.c - checks a list of axes. */
#include "core/array/object/axis_list.h"

#include "core/array/object/array.h"
#include "core/base/status.h"

dpr_status axis_list_get(const char *what, const dpr_array *x,
			 const dpr_axes *axes, struct axis_list *out)
{
	uint32_t seen = 0;

	out->n = 0;
	if (axes && (axes->where || axis_list_has_initial(axes)))
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: does not take %s",
			    what,
			    axes->where ? "a mask; axis->where must be NULL"
					: "an initial number; axis->initial "
					  "must be zeros");
	if (axes && (axes->count < 0 || (axes->count && !axes->axis)))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: the list of axes is NULL or has a negative "
			    "count",
			    what);
	if (!axes || !axes->axis) {
		while (out->n < x->rank) {
			out->axis[out->n] = out->n;
			out->n++;
		}
		return DPR_OK;
	}
	for (int32_t i = 0; i < axes->count; i++) {
		int axis;
		dpr_status status = array_axis(what, x, axes->axis[i], &axis);

		if (status)
			return status;
		if (seen & UINT32_C(1) << axis)
			return fail(DPR_ERROR_INDEX,
				    "%s: axis %d is named twice", what,
				    axes->axis[i]);
		seen |= UINT32_C(1) << axis;
		out->axis[out->n++] = axis;
	}
	return DPR_OK;
}
