/* SPDX-License-Identifier: Apache-2.0 */
/* join.c - joins arrays along an existing axis, as dpr_concat() does, or along a
   new one, as dpr_stack() does. */
#include <string.h>

#include <dpr/creation.h>
#include <dpr/shapes.h>

#include "core/array/launch/cast.h"
#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/array/object/execution.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* The axis, dtype, kind of memory, queue and shape of the result. */
struct joint {
	const char *what;
	int axis;
	dpr_dtype dtype;
	dpr_usm_kind kind;
	dpr_queue *queue;
	int rank;
	int64_t dim[DPR_MAX_RANK];
};

/* Begin a function that joins arrays: check the arguments, and find dtype, kind
   and queue of the result. */
static dpr_status join_begin(struct joint *joint,
			     const dpr_array *const *arrays, size_t count,
			     dpr_array **out)
{
	dpr_status status;

	if (out)
		*out = NULL;
	if (!out || !arrays || !count)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: %s", joint->what,
			    out ? "there are no arrays" : "out is NULL");
	for (size_t i = 0; i < count; i++)
		if (!arrays[i])
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "%s: x%zu is NULL", joint->what, i + 1);
	status = execution_queue(joint->what, arrays, NULL, count, 0,
				 &joint->queue);
	joint->dtype = arrays[0]->dtype;
	joint->kind = array_result_kind(arrays, count);
	for (size_t i = 1; !status && i < count; i++)
		status = dpr_dtype_promote(joint->dtype, arrays[i]->dtype,
					   &joint->dtype);
	return status;
}

/* Add @more to the extent of the joint axis. */
static dpr_status lengthen(struct joint *joint, int64_t more)
{
	int64_t *extent = &joint->dim[joint->axis];

	if (__builtin_add_overflow(*extent, more, extent))
		return fail(DPR_ERROR_OVERFLOW,
			    "%s: the joint extent does not fit in 64 bits",
			    joint->what);
	return DPR_OK;
}

static dpr_status concat_one(struct joint *joint, const dpr_array *first,
			     const dpr_array *x, size_t i)
{
	if (x->rank != first->rank)
		return fail(DPR_ERROR_SHAPE,
			    "concat: x1 has %d axes, x%zu has %d", first->rank,
			    i + 1, x->rank);
	for (int k = 0; k < x->rank; k++)
		if (k != joint->axis && x->dim[k] != first->dim[k])
			return fail(DPR_ERROR_SHAPE,
				    "concat: axis %d has the extent %lld in x1 "
				    "and %lld in x%zu",
				    k, (long long)first->dim[k],
				    (long long)x->dim[k], i + 1);
	return lengthen(joint, x->dim[joint->axis]);
}

/* Find the shape of the result of dpr_concat(). */
static dpr_status concat_plan(struct joint *joint,
			      const dpr_array *const *arrays, size_t count,
			      int axis)
{
	const dpr_array *first = arrays[0];
	dpr_status status;

	if (!first->rank)
		return fail(DPR_ERROR_SHAPE,
			    "concat: x1 has no axis to join along; give it one "
			    "with dpr_expand_dims()");
	status = array_axis("concat", first, axis, &joint->axis);
	if (status)
		return status;
	joint->rank = first->rank;
	memcpy(joint->dim, first->dim,
	       (size_t)first->rank * sizeof(joint->dim[0]));
	for (size_t i = 1; !status && i < count; i++)
		status = concat_one(joint, first, arrays[i], i);
	return status;
}

/* Find the shape of the result of dpr_concat() without an axis. */
static dpr_status flat_plan(struct joint *joint, const dpr_array *const *arrays,
			    size_t count)
{
	dpr_status status = DPR_OK;

	joint->axis = 0;
	joint->rank = 1;
	joint->dim[0] = 0;
	for (size_t i = 0; !status && i < count; i++)
		status = lengthen(joint, arrays[i]->size);
	return status;
}

/* Copy @x into the part of @whole that has the layout @part. */
static dpr_status place(const dpr_array *x, const struct layout *part,
			const dpr_array *whole)
{
	dpr_array *view;
	dpr_status status;

	if (!x->size)
		return DPR_OK;
	status = array_view(whole, part, &view);
	if (status)
		return status;
	status = cast_into(x, view);
	dpr_array_release(view);
	return status;
}

/* Copy the arrays into @whole, one behind the other along the joint axis. */
static dpr_status place_parts(const struct joint *joint, bool flat,
			      const dpr_array *const *arrays, size_t count,
			      const dpr_array *whole)
{
	dpr_status status = DPR_OK;
	struct layout part;

	array_layout(whole, &part);
	for (size_t i = 0; !status && i < count; i++) {
		const dpr_array *x = arrays[i];
		const int64_t extent = flat ? x->size : x->dim[joint->axis];
		struct layout to = part;

		to.dim[joint->axis] = extent;
		if (flat) {
			array_layout(x, &to);
			layout_c_strides(to.rank, to.dim, to.stride);
			to.offset = part.offset;
		}
		status = place(x, &to, whole);
		part.offset += extent * part.stride[joint->axis];
	}
	return status;
}

dpr_status dpr_concat(const dpr_array *const *arrays, size_t count, int axis,
		      dpr_array **out)
{
	TRACE_CALL;
	HANDLES(handle_arrays(arrays, count), out);
	struct joint joint = { .what = "concat" };
	const bool flat = axis == DPR_AXIS_NONE;
	dpr_array *whole;
	dpr_status status;

	status = join_begin(&joint, arrays, count, out);
	if (!status)
		status = flat ? flat_plan(&joint, arrays, count)
			      : concat_plan(&joint, arrays, count, axis);
	if (status)
		return status;
	status = array_new("concat", joint.dtype, joint.rank, joint.dim,
			   joint.queue, joint.kind, &whole);
	if (!status)
		status = place_parts(&joint, flat, arrays, count, whole);
	return array_finish(status, whole, out);
}

/* Find the shape of the result of dpr_stack(). */
static dpr_status stack_plan(struct joint *joint,
			     const dpr_array *const *arrays, size_t count,
			     int axis)
{
	const dpr_array *first = arrays[0];
	char have[160], given[160];

	for (size_t i = 1; i < count; i++)
		if (!array_same_shape(first, arrays[i]))
			return fail(DPR_ERROR_SHAPE,
				    "stack: x1 has the shape %s and x%zu %s; "
				    "all must have the same",
				    layout_shape_text(have, sizeof(have),
						      first->rank, first->dim),
				    i + 1,
				    layout_shape_text(given, sizeof(given),
						      arrays[i]->rank,
						      arrays[i]->dim));
	joint->axis = axis < 0 ? axis + first->rank + 1 : axis;
	if (joint->axis < 0 || joint->axis > first->rank)
		return fail(DPR_ERROR_INDEX,
			    "stack: axis %d is out of range for a result of "
			    "%d axes",
			    axis, first->rank + 1);
	if (first->rank == DPR_MAX_RANK)
		return fail(DPR_ERROR_SHAPE,
			    "stack: the arrays have %d axes already",
			    DPR_MAX_RANK);
	joint->rank = first->rank + 1;
	for (int k = 0; k < joint->rank; k++)
		joint->dim[k] = k == joint->axis
					? (int64_t)count
					: first->dim[k - (k > joint->axis)];
	return DPR_OK;
}

/* Copy each array into @whole, at its position along the joint axis. */
static dpr_status stack_parts(const struct joint *joint,
			      const dpr_array *const *arrays, size_t count,
			      const dpr_array *whole)
{
	dpr_status status = DPR_OK;
	struct layout all, part;

	array_layout(whole, &all);
	part.rank = all.rank - 1;
	part.offset = all.offset;
	for (int k = 0; k < part.rank; k++) {
		part.dim[k] = all.dim[k + (k >= joint->axis)];
		part.stride[k] = all.stride[k + (k >= joint->axis)];
	}
	for (size_t i = 0; !status && i < count; i++) {
		status = place(arrays[i], &part, whole);
		part.offset += all.stride[joint->axis];
	}
	return status;
}

dpr_status dpr_stack(const dpr_array *const *arrays, size_t count, int axis,
		     dpr_array **out)
{
	TRACE_CALL;
	HANDLES(handle_arrays(arrays, count), out);
	struct joint joint = { .what = "stack" };
	dpr_array *whole;
	dpr_status status;

	status = join_begin(&joint, arrays, count, out);
	if (!status)
		status = stack_plan(&joint, arrays, count, axis);
	if (status)
		return status;
	status = array_new("stack", joint.dtype, joint.rank, joint.dim,
			   joint.queue, joint.kind, &whole);
	if (!status && whole->size)
		status = stack_parts(&joint, arrays, count, whole);
	return array_finish(status, whole, out);
}
