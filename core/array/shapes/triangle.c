/* SPDX-License-Identifier: Apache-2.0 */
/*
 * triangle.c - copies of matrices in which a triangle is set to 0.
 *
 * The sign of row - column + k says whether an element is kept.  One kernel
 * computes this number from the position of the element, compares and copies.
 */
#include <dpr/elementwise.h>
#include <dpr/shapes.h>

#include "core/array/launch/cast_copy_fill.h"
#include "core/array/launch/iota.h"
#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* The elements with row - column + k >= 0 are kept.  If `upper` is set, those
   with row - column + k <= 0 are kept instead. */
struct triangle {
	const char *what;
	bool upper;
	int64_t k;
};

/* Make the array without memory whose elements are row - column + k, or for an
   upper triangle the negative of that.  It has the last @rank axes of @x. */
static dpr_status make_index(const struct triangle *t, const dpr_array *x,
			     int rank, dpr_array **out)
{
	int64_t stride[DPR_MAX_RANK] = { 0 };

	stride[rank - 2] = t->upper ? -1 : 1;
	stride[rank - 1] = t->upper ? 1 : -1;
	return array_make(DPR_INT64, rank, array_shape(x) + x->rank - rank,
			  stride, t->upper ? -t->k : t->k, NULL, x->queue,
			  x->kind, out);
}

/* Make a mask of the elements that are kept, for one matrix of @x. */
static dpr_status make_mask(const struct triangle *t, const dpr_array *x,
			    dpr_array **out)
{
	dpr_array *index = NULL, *position = NULL;
	dpr_status status = make_index(t, x, 2, &index);

	*out = NULL;
	if (!status)
		status = array_new(t->what, DPR_INT64, 2, array_shape(index),
				   x->queue, x->kind, &position);
	if (!status)
		status = iota_index(t->what, index, position);
	if (!status)
		status = dpr_greater_equal(position, 0, out);
	dpr_array_release(index);
	dpr_array_release(position);
	return status;
}

/* Choose by a mask, on devices that have no kernel of the whole. */
static dpr_status choose(const struct triangle *t, const dpr_array *x,
			 dpr_array *out)
{
	struct apply_call call = { .what = t->what, .out = out, .n = 3 };
	dpr_array *mask;
	dpr_status status = make_mask(t, x, &mask);

	call.x[0] = mask;
	call.x[1] = x;
	if (!status)
		status = cast_copy_fill_where(&call, x->dtype);
	dpr_array_release(mask);
	return status;
}

static dpr_status keep(const struct triangle *t, const dpr_array *x,
		       dpr_array *out)
{
	dpr_array *index;
	dpr_status status = make_index(t, x, x->rank, &index);

	if (status)
		return status;
	status = cast_copy_fill_keep(t->what, x, index, out);
	dpr_array_release(index);
	return status == DPR_ERROR_UNSUPPORTED ? choose(t, x, out) : status;
}

static dpr_status triangle_new(struct triangle *t, const dpr_array *x,
			       dpr_array **out)
{
	dpr_status status = array_check_call(t->what, x, out);
	int64_t rows, columns;
	dpr_array *made;

	if (status)
		return status;
	if (x->rank < 2)
		return fail(DPR_ERROR_SHAPE,
			    "%s: the array has %d axes; a matrix has 2",
			    t->what, x->rank);
	status = array_new(t->what, x->dtype, x->rank, array_shape(x), x->queue,
			   x->kind, &made);
	if (status || !made->size)
		return array_finish(status, made, out);
	/* Beyond the corners, k changes nothing. */
	rows = x->dim[x->rank - 2];
	columns = x->dim[x->rank - 1];
	if (t->k < -rows)
		t->k = -rows;
	if (t->k > columns)
		t->k = columns;
	status = keep(t, x, made);
	if (status)
		status_rename(t->what);
	return array_finish(status, made, out);
}

dpr_status dpr_tril(const dpr_array *x, int64_t k, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);

	return triangle_new(
		&(struct triangle){ .what = "tril", .upper = false, .k = k }, x,
		out);
}

dpr_status dpr_triu(const dpr_array *x, int64_t k, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);

	return triangle_new(
		&(struct triangle){ .what = "triu", .upper = true, .k = k }, x,
		out);
}
