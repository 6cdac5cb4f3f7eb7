/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pad.c - puts elements around an array.
 *
 * The array is copied into the middle of the result.  Then the margins are
 * written, axis by axis.  The margins of an axis cover the full extents of the
 * earlier axes, and the middle of the later axes.
 */
#include <dpr/shapes.h>

#include "core/array/element/scalar.h"
#include "core/array/launch/cast.h"
#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

struct padding {
	const dpr_array *x;
	const int64_t *width; /* two for each axis: before and behind */
	dpr_pad_mode mode;
	dpr_operand value;
	dpr_array *whole; /* the result */
};

/* The positions @from to @to of an axis. */
struct pad_span {
	int64_t from, to;
};

/* Get the part of the result that is at the positions @span of axis @axis.  It
   has all positions of the axes before, and the middle of the axes behind. */
static void get_part(const struct padding *p, int axis, struct pad_span span,
		     struct layout *part)
{
	array_layout(p->whole, part);
	for (int k = axis; k < part->rank; k++) {
		const int64_t from = k == axis ? span.from : p->width[2 * k];

		part->dim[k] = k == axis ? span.to - span.from : p->x->dim[k];
		if (part->dim[k])
			part->offset += from * part->stride[k];
	}
}

/* --- Modes --------------------------------------------------------------- */

/* Set the positions @span of axis @axis to the value. */
static dpr_status put_value(const struct padding *p, int axis,
			    struct pad_span span)
{
	struct layout part;
	dpr_array *view;
	dpr_status status;

	get_part(p, axis, span, &part);
	status = array_view(p->whole, &part, &view);
	if (status)
		return status;
	status = cast_fill(view, p->value);
	dpr_array_release(view);
	return status;
}

/* Copy position @from of axis @axis, which is filled already, to the positions
   @span, with a step of @step in the source. */
static dpr_status put_copies(const struct padding *p, int axis, int64_t from,
			     int64_t step, struct pad_span span)
{
	struct layout source, target;

	get_part(p, axis, (struct pad_span){ from, from + 1 }, &source);
	get_part(p, axis, span, &target);
	source.dim[axis] = target.dim[axis];
	source.stride[axis] *= step;
	return cast_part(p->whole, &source, p->whole, &target);
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Fill the margins of axis @axis by reflecting the elements in the span @there
   at its ends.  Each reflection makes the span longer, so that more can be
   reflected.  A reflected end must be an end of the array.  So each reflection
   but the last adds whole lengths of the array. */
static dpr_status reflect(const struct padding *p, int axis,
			  struct pad_span there)
{
	const int64_t end = p->whole->dim[axis],
		      one = there.to - there.from - 1;
	dpr_status status = DPR_OK;

	while (!status && there.from > 0) {
		const int64_t n = least(there.from, there.to - there.from - 1);

		status = put_copies(
			p, axis, there.from + n, -1,
			(struct pad_span){ there.from - n, there.from });
		there.from -= n;
	}
	while (!status && there.to < end) {
		const int64_t most = (there.to - there.from - 1) / one * one;
		const int64_t n = least(end - there.to, most);

		status =
			put_copies(p, axis, there.to - 2, -1,
				   (struct pad_span){ there.to, there.to + n });
		there.to += n;
	}
	return status;
}

/* Repeat what is there, at @there of axis @axis, on both sides.  Each time
   there are more periods to repeat. */
static dpr_status wrap(const struct padding *p, int axis, struct pad_span there)
{
	const int64_t end = p->whole->dim[axis], one = there.to - there.from;
	dpr_status status = DPR_OK;

	while (!status && there.from > 0) {
		const int64_t period = there.to - there.from;
		const int64_t n = least(there.from, period);

		status = put_copies(
			p, axis, there.from - n + period, 1,
			(struct pad_span){ there.from - n, there.from });
		there.from -= n;
	}
	while (!status && there.to < end) {
		const int64_t period = (there.to - there.from) / one * one;
		const int64_t n = least(end - there.to, period);

		status =
			put_copies(p, axis, there.to - period, 1,
				   (struct pad_span){ there.to, there.to + n });
		there.to += n;
	}
	return status;
}

/* Write the margins of axis @axis. */
static dpr_status put_margins(const struct padding *p, int axis)
{
	const int64_t end = p->whole->dim[axis], n = p->x->dim[axis];
	const struct pad_span there = { p->width[2 * axis],
					p->width[2 * axis] + n };
	const struct pad_span before = { 0, there.from },
			      behind = { there.to, end };
	const bool fills = p->mode == DPR_PAD_CONSTANT;
	dpr_status status = DPR_OK;

	if (p->mode == DPR_PAD_WRAP)
		return wrap(p, axis, there);
	if (p->mode == DPR_PAD_REFLECT && n > 1)
		return reflect(p, axis, there);
	if (before.to)
		status = fills ? put_value(p, axis, before)
			       : put_copies(p, axis, there.from, 0, before);
	if (!status && end > behind.from)
		status = fills ? put_value(p, axis, behind)
			       : put_copies(p, axis, there.to - 1, 0, behind);
	return status;
}

/* --- Calls --------------------------------------------------------------- */

/* Check the arguments, and find the shape of the result.  @n: how many widths
   there are. */
static dpr_status pad_plan(const struct padding *p, int n, int64_t *dim)
{
	if (p->mode != DPR_PAD_CONSTANT && p->mode != DPR_PAD_EDGE &&
	    p->mode != DPR_PAD_REFLECT && p->mode != DPR_PAD_WRAP)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "pad: %d is not a mode (DPR_PAD_CONSTANT, _EDGE, "
			    "_REFLECT, _WRAP)",
			    (int)p->mode);
	if (n != 2 * p->x->rank || (n && !p->width))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "pad: the list of widths is NULL, or has %d "
			    "numbers for %d axes; give two for each",
			    n, p->x->rank);
	for (int k = 0; k < p->x->rank; k++) {
		const int64_t *width = &p->width[2 * k];

		if (width[0] < 0 || width[1] < 0)
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "pad: the widths of axis %d are %lld and "
				    "%lld; give 0 or more",
				    k, (long long)width[0],
				    (long long)width[1]);
		if (!p->x->dim[k] && (width[0] || width[1]) &&
		    p->mode != DPR_PAD_CONSTANT)
			return fail(DPR_ERROR_SHAPE,
				    "pad: axis %d has no elements to repeat; "
				    "use DPR_PAD_CONSTANT",
				    k);
		if (__builtin_add_overflow(p->x->dim[k], width[0], &dim[k]) ||
		    __builtin_add_overflow(dim[k], width[1], &dim[k]))
			return fail(DPR_ERROR_OVERFLOW,
				    "pad: the extent of axis %d does not fit "
				    "in 64 bits",
				    k);
	}
	return DPR_OK;
}

/* Get the value in the dtype of the array. */
static dpr_status get_value(struct padding *p)
{
	unsigned char element[16];
	dpr_status status;

	if (p->mode != DPR_PAD_CONSTANT)
		return DPR_OK;
	if (p->value.kind == DPR_OPERAND_ARRAY)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "pad: the value is an array, but must be a number");
	status = scalar_store("pad", p->value, p->x->dtype, element);
	if (!status)
		p->value = scalar_load(element, p->x->dtype);
	return status;
}

/* Write the elements of the result. */
static dpr_status put_all(const struct padding *p)
{
	struct layout all, middle;
	dpr_status status = DPR_OK;

	array_layout(p->x, &all);
	array_layout(p->whole, &middle);
	for (int k = 0; k < middle.rank; k++) {
		middle.dim[k] = all.dim[k];
		middle.offset += p->width[2 * k] * middle.stride[k];
	}
	if (p->x->size)
		status = cast_part(p->x, &all, p->whole, &middle);
	for (int k = 0; !status && k < middle.rank; k++)
		status = put_margins(p, k);
	return status;
}

dpr_status(dpr_pad)(const dpr_array *x, dpr_shape width, dpr_pad_mode mode,
		    dpr_operand value, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, value, out);
	struct padding p = {
		.x = x, .width = width.dim, .mode = mode, .value = value
	};
	int64_t dim[DPR_MAX_RANK];
	dpr_status status;

	status = array_check_call("pad", x, out);
	if (!status)
		status = pad_plan(&p, width.rank, dim);
	if (!status)
		status = get_value(&p);
	if (status)
		return status;
	status = array_new("pad", x->dtype, x->rank, dim, x->queue, x->kind,
			   &p.whole);
	if (status || !p.whole->size)
		return array_finish(status, p.whole, out);
	status = put_all(&p);
	if (status)
		status_rename("pad");
	return array_finish(status, p.whole, out);
}
