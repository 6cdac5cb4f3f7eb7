/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roll.c - moves elements along axes, and those that leave at an end to the
 * other end.
 *
 * An axis that is rolled is cut into two pieces, which change places.  So n
 * axes are 2^n boxes, with a copy each.  With many axes a few are rolled at a
 * time.
 */
#include <dpr/shapes.h>

#include "core/array/launch/cast.h"
#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/array/object/axis_list.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* The most axes that are rolled at a time. */
#define ROLL_AXES 3

/* The axes that are rolled, and by how much: at least 1, and less than the
   extent. */
struct rolled {
	int n;
	int axis[DPR_MAX_RANK];
	int64_t shift[DPR_MAX_RANK];
};

/* Cut axis @axis of both layouts.  With @end, the last @shift elements go to
   the beginning; else the others go behind these. */
static void cut(struct layout *from, struct layout *to, int axis, int64_t shift,
		bool end)
{
	const int64_t rest = from->dim[axis] - shift;

	if (end)
		from->offset += rest * from->stride[axis];
	else
		to->offset += shift * to->stride[axis];
	from->dim[axis] = to->dim[axis] = end ? shift : rest;
}

/* Copy @from to @out, with @n of the axes rolled, from number @first on. */
static dpr_status roll_some(const struct rolled *r, int first, int n,
			    const dpr_array *from, dpr_array *out)
{
	dpr_status status = DPR_OK;
	struct layout a, b;

	for (unsigned box = 0; !status && box < 1u << n; box++) {
		array_layout(from, &a);
		array_layout(out, &b);
		for (int i = 0; i < n; i++)
			cut(&a, &b, r->axis[first + i], r->shift[first + i],
			    box >> i & 1);
		status = cast_part(from, &a, out, &b);
	}
	return status;
}

static dpr_status roll_new(const struct rolled *r, const dpr_array *x,
			   dpr_array **out)
{
	dpr_array *done = NULL, *next;
	dpr_status status;
	int first = 0;

	do {
		const int left = r->n - first;
		const int n = left < ROLL_AXES ? left : ROLL_AXES;

		status = array_new("roll", x->dtype, x->rank, array_shape(x),
				   x->queue, x->kind, &next);
		if (!status && x->size)
			status = roll_some(r, first, n, done ? done : x, next);
		dpr_array_release(done);
		done = next;
		first += n;
	} while (!status && first < r->n);
	return array_finish(status, done, out);
}

/* Add an axis of extent @extent that is rolled by @shift. */
static void add_axis(struct rolled *r, int axis, int64_t extent, int64_t shift)
{
	if (extent < 2 || shift % extent == 0)
		return;
	shift %= extent;
	r->axis[r->n] = axis;
	r->shift[r->n++] = shift < 0 ? shift + extent : shift;
}

/* Roll the elements in C order, as if @x had one axis. */
static dpr_status roll_flat(const dpr_array *x, int64_t shift, dpr_array **out)
{
	dpr_array *flat = NULL, *rolled = NULL;
	struct rolled r = { 0 };
	dpr_status status = dpr_reshape(x, DPR_SHAPE(x->size), &flat);

	add_axis(&r, 0, x->size, shift);
	if (!status)
		status = roll_new(&r, flat, &rolled);
	if (!status)
		status = dpr_reshape(
			rolled, dpr_shape_of(x->rank, array_shape(x)), out);
	dpr_array_release(flat);
	dpr_array_release(rolled);
	return status;
}

dpr_status dpr_roll(const dpr_array *x, const int64_t *shift,
		    const dpr_axes *axis, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	struct rolled r = { 0 };
	struct axis_list list;
	dpr_status status;

	status = array_check_call("roll", x, out);
	if (!status && axis)
		status = axis_list_get("roll", x, axis, &list);
	if (status)
		return status;
	if (!shift && (!axis || list.n))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "roll: the shift is NULL");
	for (int i = 0; axis && i < list.n; i++)
		add_axis(&r, list.axis[i], x->dim[list.axis[i]], shift[i]);
	status = axis ? roll_new(&r, x, out) : roll_flat(x, shift[0], out);
	if (status)
		status_rename("roll");
	return status;
}
