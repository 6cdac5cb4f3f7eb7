/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repeat.c - repeats elements, or whole arrays.
 *
 * The result is written by one copy.  Its source is a view of the array that
 * has an axis of stride 0 for each repetition.
 */
#include <dpr/creation.h>
#include <dpr/shapes.h>

#include "core/array/launch/cast.h"
#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* The source and the target of the copy, which have the same extents. */
struct spread {
	struct layout from, to;
};

/* Add an axis inside those that were added.  False: there are too many axes. */
static bool spread_add(struct spread *s, int64_t dim, int64_t from, int64_t to)
{
	const int at = s->from.rank;

	if (dim == 1)
		return true;
	if (at == DPR_MAX_RANK)
		return false;
	s->from.dim[at] = s->to.dim[at] = dim;
	s->from.stride[at] = from;
	s->to.stride[at] = to;
	s->from.rank = s->to.rank = at + 1;
	return true;
}

static dpr_status fail_axes(const char *what)
{
	return fail(DPR_ERROR_SHAPE,
		    "%s: more than %d axes are longer than 1, counting "
		    "repeated axes twice; join some with dpr_reshape()",
		    what, DPR_MAX_RANK);
}

/* Set *@out to the product of an extent and how often it is repeated. */
static dpr_status multiply(const char *what, int64_t dim, int64_t times,
			   int64_t *out)
{
	if (times < 0)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: %lld repetitions are asked for; give 0 or "
			    "more",
			    what, (long long)times);
	if (__builtin_mul_overflow(dim, times, out))
		return fail(DPR_ERROR_OVERFLOW,
			    "%s: the size of the array does not fit in 64 bits",
			    what);
	return DPR_OK;
}

/* Whether there are elements to copy.  If the number does not fit, spread_new()
   fails. */
static bool can_copy(const struct layout *to)
{
	int64_t count;

	return layout_count(to->rank, to->dim, &count) && count;
}

/* Make an array of the shape @rank, @dim, and copy the elements of @x into it.
 */
static dpr_status spread_new(const char *what, const dpr_array *x,
			     struct spread *s, int rank, const int64_t *dim,
			     dpr_array **out)
{
	dpr_array *made;
	dpr_status status =
		array_new(what, x->dtype, rank, dim, x->queue, x->kind, &made);

	if (status || !made->size)
		return array_finish(status, made, out);
	s->from.offset = x->offset;
	s->to.offset = made->offset;
	status = cast_part(x, &s->from, made, &s->to);
	if (status)
		status_rename(what);
	return array_finish(status, made, out);
}

/* Find the axes of dpr_tile().  @to is the layout of the result. */
static dpr_status tile_plan(const dpr_array *x, dpr_shape repetitions,
			    struct layout *to, struct spread *s)
{
	const int more = repetitions.rank - x->rank;
	int64_t dim[DPR_MAX_RANK], times[DPR_MAX_RANK];
	dpr_status status;

	to->rank = more > 0 ? repetitions.rank : x->rank;
	for (int k = 0; k < to->rank; k++) {
		const int own = k - (to->rank - x->rank);
		const int given = k - (to->rank - repetitions.rank);

		dim[k] = own < 0 ? 1 : x->dim[own];
		times[k] = given < 0 ? 1 : repetitions.dim[given];
		status = multiply("tile", dim[k], times[k], &to->dim[k]);
		if (status)
			return status;
	}
	if (!can_copy(to))
		return DPR_OK;
	layout_c_strides(to->rank, to->dim, to->stride);
	for (int k = 0; k < to->rank; k++) {
		const int own = k - (to->rank - x->rank);
		const int64_t stride = to->stride[k];

		if (!spread_add(s, times[k], 0, dim[k] * stride) ||
		    !spread_add(s, dim[k], own < 0 ? 0 : array_strides(x)[own],
				stride))
			return fail_axes("tile");
	}
	return DPR_OK;
}

dpr_status dpr_tile(const dpr_array *x, dpr_shape repetitions, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	struct spread s = { 0 };
	struct layout to;
	dpr_status status;

	status = array_check_call("tile", x, out);
	if (status)
		return status;
	if (repetitions.rank < 0 || repetitions.rank > DPR_MAX_RANK ||
	    (repetitions.rank && !repetitions.dim))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "tile: the list of repetitions is NULL, or is for "
			    "%d axes; there may be 0 to %d",
			    repetitions.rank, DPR_MAX_RANK);
	status = tile_plan(x, repetitions, &to, &s);
	return status ? status
		      : spread_new("tile", x, &s, to.rank, to.dim, out);
}

/* Find the axes of dpr_repeat().  @axis DPR_AXIS_NONE: the elements are counted
   in C order.  @to is the layout of the result. */
static dpr_status repeat_plan(const dpr_array *x, int64_t repeats, int axis,
			      struct layout *to, struct spread *s)
{
	const bool flat = axis == DPR_AXIS_NONE;
	const int last = x->rank - 1;
	struct layout whole = { 0 };
	dpr_status status;
	bool fits = true;

	array_layout(x, to);
	if (flat) {
		to->rank = 1;
		to->dim[0] = x->size;
	}
	status = multiply("repeat", to->dim[flat ? 0 : axis], repeats,
			  &to->dim[flat ? 0 : axis]);
	if (status || !can_copy(to))
		return status;
	array_layout(x, &whole);
	if (!flat)
		whole.dim[axis] = to->dim[axis];
	layout_c_strides(x->rank, whole.dim, whole.stride);
	for (int k = 0; fits && k <= last; k++) {
		const bool times = flat || k == axis;

		fits = spread_add(s, x->dim[k], array_strides(x)[k],
				  times ? whole.stride[k] * repeats
					: whole.stride[k]);
		if (fits && k == axis)
			fits = spread_add(s, repeats, 0, whole.stride[k]);
	}
	if (fits && flat)
		fits = spread_add(s, repeats, 0, 1);
	return fits ? DPR_OK : fail_axes("repeat");
}

dpr_status dpr_repeat(const dpr_array *x, int64_t repeats, int axis,
		      dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	struct spread s = { 0 };
	struct layout to;
	dpr_status status;

	status = array_check_call("repeat", x, out);
	if (!status && axis != DPR_AXIS_NONE)
		status = array_axis("repeat", x, axis, &axis);
	if (!status)
		status = repeat_plan(x, repeats, axis, &to, &s);
	return status ? status
		      : spread_new("repeat", x, &s, to.rank, to.dim, out);
}
