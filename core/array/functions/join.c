/* SPDX-License-Identifier: Apache-2.0 */
/* join.c - dpr_concat() joins arrays along an axis. */
#include <string.h>

#include <dpr/creation.h>

#include "core/array/launch/cast.h"
#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/array/object/execution.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* The axis, dtype, kind of memory, queue and shape of the result. */
struct joint {
	int axis;
	dpr_dtype dtype;
	dpr_usm_kind kind;
	dpr_queue *queue;
	int64_t dim[DPR_MAX_RANK];
};

static dpr_status join_one(struct joint *joint, const dpr_array *first,
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
	if (__builtin_add_overflow(joint->dim[joint->axis], x->dim[joint->axis],
				   &joint->dim[joint->axis]))
		return fail(DPR_ERROR_OVERFLOW,
			    "concat: the joint extent does not fit in 64 bits");
	return dpr_dtype_promote(joint->dtype, x->dtype, &joint->dtype);
}

static dpr_status join_plan(struct joint *joint, const dpr_array *const *arrays,
			    size_t count, int axis)
{
	const dpr_array *first = arrays[0];
	dpr_status status;

	if (!first->rank)
		return fail(DPR_ERROR_SHAPE,
			    "concat: x1 has no axis to join along; give it one "
			    "with dpr_expand_dims()");
	status = array_axis("concat", first, axis, &joint->axis);
	if (!status)
		status = execution_queue("concat", arrays, NULL, count, 0,
					 &joint->queue);
	if (status)
		return status;
	joint->dtype = first->dtype;
	joint->kind = array_result_kind(arrays, count);
	memcpy(joint->dim, first->dim,
	       (size_t)first->rank * sizeof(joint->dim[0]));
	for (size_t i = 1; i < count; i++) {
		status = join_one(joint, first, arrays[i], i);
		if (status)
			return status;
	}
	return DPR_OK;
}

/* Copy @x into @whole, beginning at position @start along @axis. */
static dpr_status place_part(const dpr_array *x, int axis, int64_t start,
			     dpr_array *whole)
{
	struct layout layout;
	dpr_array *part;
	dpr_status status;

	array_layout(whole, &layout);
	layout.offset += start * layout.stride[axis];
	layout.dim[axis] = x->dim[axis];
	status = array_view(whole, &layout, &part);
	if (status)
		return status;
	status = cast_into(x, part);
	dpr_array_release(part);
	return status;
}

dpr_status dpr_concat(const dpr_array *const *arrays, size_t count, int axis,
		      dpr_array **out)
{
	TRACE_CALL;
	HANDLES(handle_arrays(arrays, count), out);
	struct joint joint;
	dpr_array *whole;
	dpr_status status;
	int64_t start = 0;

	if (out)
		*out = NULL;
	if (!out || !arrays || !count)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "concat: %s",
			    out ? "there are no arrays" : "out is NULL");
	for (size_t i = 0; i < count; i++)
		if (!arrays[i])
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "concat: x%zu is NULL", i + 1);
	status = join_plan(&joint, arrays, count, axis);
	if (status)
		return status;
	status = array_new("concat", joint.dtype, arrays[0]->rank, joint.dim,
			   joint.queue, joint.kind, &whole);
	for (size_t i = 0; !status && i < count; i++) {
		if (arrays[i]->size)
			status =
				place_part(arrays[i], joint.axis, start, whole);
		start += arrays[i]->dim[joint.axis];
	}
	return array_finish(status, whole, out);
}
