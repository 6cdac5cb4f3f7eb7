/* SPDX-License-Identifier: Apache-2.0 */
/* move_axes.c - views with the axes in other places, or without some. */
#include <stddef.h>

#include <dpr/shapes.h>

#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/array/object/axis_list.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* Find the order of the axes of @x after axis from->axis[i] has become axis
   to->axis[i].  The others keep their order. */
static void order_moved(const dpr_array *x, const struct axis_list *from,
			const struct axis_list *to, int *order)
{
	uint32_t taken = 0;
	int other = 0;

	for (int k = 0; k < x->rank; k++)
		order[k] = -1;
	for (int i = 0; i < from->n; i++) {
		order[to->axis[i]] = from->axis[i];
		taken |= UINT32_C(1) << from->axis[i];
	}
	for (int k = 0; k < x->rank; k++) {
		if (order[k] >= 0)
			continue;
		while (taken & UINT32_C(1) << other)
			other++;
		order[k] = other++;
	}
}

dpr_status dpr_moveaxis(const dpr_array *x, const dpr_axes *source,
			const dpr_axes *destination, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	struct axis_list from, to;
	int order[DPR_MAX_RANK];
	dpr_status status;

	status = array_check_call("moveaxis", x, out);
	if (status)
		return status;
	if (!source || !destination)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "moveaxis: the %s is NULL",
			    source ? "destination" : "source");
	status = axis_list_get("moveaxis: source", x, source, &from);
	if (!status)
		status = axis_list_get("moveaxis: destination", x, destination,
				       &to);
	if (status)
		return status;
	if (from.n != to.n)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "moveaxis: the source names %d axes, and the "
			    "destination %d; name equally many",
			    from.n, to.n);
	order_moved(x, &from, &to, order);
	return dpr_permute_dims(x, order, out);
}

dpr_status dpr_swapaxes(const dpr_array *x, int axis1, int axis2,
			dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	struct layout layout;
	dpr_status status;
	int a, b;

	status = array_check_call("swapaxes", x, out);
	if (!status)
		status = array_axis("swapaxes", x, axis1, &a);
	if (!status)
		status = array_axis("swapaxes", x, axis2, &b);
	if (status)
		return status;
	array_layout(x, &layout);
	layout_swap(&layout, a, b);
	return array_view(x, &layout, out);
}

/* Find the axes that dpr_squeeze() takes away, as bits. */
static dpr_status find_squeezed(const dpr_array *x, const dpr_axes *axis,
				uint32_t *gone)
{
	struct axis_list list;
	dpr_status status = axis_list_get("squeeze", x, axis, &list);

	*gone = 0;
	for (int i = 0; !status && i < list.n; i++) {
		const int k = list.axis[i];

		if (x->dim[k] == 1)
			*gone |= UINT32_C(1) << k;
		else if (axis && axis->axis)
			return fail(
				DPR_ERROR_SHAPE,
				"squeeze: axis %d has the extent %lld, not 1",
				axis->axis[i], (long long)x->dim[k]);
	}
	return status;
}

dpr_status dpr_squeeze(const dpr_array *x, const dpr_axes *axis,
		       dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	struct layout layout;
	dpr_status status;
	uint32_t gone;
	int rank = 0;

	status = array_check_call("squeeze", x, out);
	if (!status)
		status = find_squeezed(x, axis, &gone);
	if (status)
		return status;
	array_layout(x, &layout);
	for (int k = 0; k < layout.rank; k++) {
		if (gone & UINT32_C(1) << k)
			continue;
		layout.dim[rank] = layout.dim[k];
		layout.stride[rank++] = layout.stride[k];
	}
	layout.rank = rank;
	return array_view(x, &layout, out);
}
