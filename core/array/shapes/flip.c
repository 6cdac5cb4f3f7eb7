/* SPDX-License-Identifier: Apache-2.0 */
/* flip.c - views in which axes run backwards. */
#include <dpr/shapes.h>

#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/array/object/axis_list.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* Reverse axis @axis of @layout, the layout of an array that has elements. */
static void flip_axis(struct layout *layout, int axis)
{
	layout->offset += (layout->dim[axis] - 1) * layout->stride[axis];
	layout->stride[axis] = -layout->stride[axis];
}

dpr_status dpr_flip(const dpr_array *x, const dpr_axes *axis, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	struct axis_list list;
	struct layout layout;
	dpr_status status;

	status = array_check_call("flip", x, out);
	if (!status)
		status = axis_list_get("flip", x, axis, &list);
	if (status)
		return status;
	array_layout(x, &layout);
	for (int i = 0; x->size && i < list.n; i++)
		flip_axis(&layout, list.axis[i]);
	return array_view(x, &layout, out);
}

/* Get the two axes of the plane to rotate. */
static dpr_status get_plane(const dpr_array *x, const dpr_axes *axes,
			    struct axis_list *plane)
{
	static const int first[] = { 0, 1 };
	static const dpr_axes two = { .count = 2, .axis = first };
	dpr_status status;

	if (x->rank < 2)
		return fail(DPR_ERROR_SHAPE,
			    "rot90: the array has %d axes; a plane has 2",
			    x->rank);
	status = axis_list_get("rot90", x, axes ? axes : &two, plane);
	if (!status && plane->n != 2)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "rot90: %d axes are named; a plane has 2",
			    plane->n);
	return status;
}

dpr_status dpr_rot90(const dpr_array *x, int64_t k, const dpr_axes *axes,
		     dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	const unsigned turns = (unsigned)((uint64_t)k % 4);
	struct axis_list plane;
	struct layout layout;
	dpr_status status;

	status = array_check_call("rot90", x, out);
	if (!status)
		status = get_plane(x, axes, &plane);
	if (status)
		return status;
	array_layout(x, &layout);
	/* A quarter turn reverses the second axis, then swaps the two. */
	for (unsigned i = 0; i < turns; i++) {
		if (x->size)
			flip_axis(&layout, plane.axis[1]);
		layout_swap(&layout, plane.axis[0], plane.axis[1]);
	}
	return array_view(x, &layout, out);
}
