/* SPDX-License-Identifier: Apache-2.0 */
/* view.c - views: other shapes over the same elements. */
#include <string.h>

#include <dpr/creation.h>
#include <dpr/shapes.h>

#include "core/array/data/copy.h"
#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

dpr_status dpr_array_index(const dpr_array *x, const dpr_index *indices,
			   size_t n_indices, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	struct layout from, to;
	dpr_status status;

	status = array_check_call("index", x, out);
	if (status)
		return status;
	if (n_indices && !indices)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "index: the list of indices is NULL");
	array_layout(x, &from);
	status = layout_index(&from, indices, n_indices, &to);
	return status ? status : array_view(x, &to, out);
}

/* Copy the requested @shape to @dim, and replace the extent -1 by the extent
   that fits. */
static dpr_status complete_shape(const dpr_array *x, dpr_shape shape,
				 int64_t *dim)
{
	int open = -1;
	int64_t count, rest = 1;
	dpr_status status;

	if (shape.rank < 0 || shape.rank > DPR_MAX_RANK ||
	    (shape.rank && !shape.dim))
		return array_count("reshape", shape.rank, shape.dim, 1, &count);
	for (int k = 0; k < shape.rank; k++) {
		dim[k] = shape.dim[k];
		if (dim[k] != -1)
			continue;
		if (open >= 0)
			return fail(DPR_ERROR_SHAPE,
				    "reshape: more than one extent is -1");
		open = k;
		dim[k] = 1;
	}
	status = array_count("reshape", shape.rank, dim, 1, &rest);
	if (status)
		return status;
	if (open >= 0) {
		if (!rest || x->size % rest)
			return fail(DPR_ERROR_SHAPE,
				    "reshape: no extent of axis %d gives %lld "
				    "elements; the product of the other "
				    "extents is %lld",
				    open, (long long)x->size, (long long)rest);
		dim[open] = x->size / rest;
		rest = x->size;
	}
	if (rest != x->size)
		return fail(DPR_ERROR_SHAPE,
			    "reshape: the array has %lld elements, but the "
			    "shape has %lld",
			    (long long)x->size, (long long)rest);
	return DPR_OK;
}

/* Make a view of @x in the shape @to.  Returns false if the layout of @x does
   not allow this. */
static bool view_reshaped(const dpr_array *x, struct layout *to,
			  dpr_array **out, dpr_status *status)
{
	struct layout from;

	if (x->contiguous) {
		*status = array_make(x->dtype, to->rank, to->dim, NULL,
				     x->offset, x->usm, x->queue, x->kind, out);
		return true;
	}
	array_layout(x, &from);
	to->offset = from.offset;
	if (!layout_reshape(&from, to->rank, to->dim, to->stride))
		return false;
	*status = array_view(x, to, out);
	return true;
}

static dpr_status reshape(const dpr_array *x, dpr_shape shape,
			  dpr_copy_mode mode, dpr_array **out)
{
	struct layout to = { 0 };
	dpr_array *copy;
	dpr_status status;

	status = array_check_call("reshape", x, out);
	if (!status)
		status = complete_shape(x, shape, to.dim);
	if (status)
		return status;
	to.rank = shape.rank;
	if (mode != DPR_COPY_ALWAYS && view_reshaped(x, &to, out, &status))
		return status;
	if (mode == DPR_COPY_NEVER)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "reshape: the strides of the array do not allow a "
			    "view of this shape; allow a copy");
	status = dpr_copy(x, &copy);
	if (status)
		return status;
	status = array_make(x->dtype, to.rank, to.dim, NULL, 0, copy->usm,
			    copy->queue, copy->kind, out);
	dpr_array_release(copy);
	return status;
}

dpr_status dpr_reshape(const dpr_array *x, dpr_shape shape, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);

	return reshape(x, shape, DPR_COPY_IF_NEEDED, out);
}

dpr_status dpr_reshape_copy(const dpr_array *x, dpr_shape shape,
			    dpr_copy_mode copy, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	dpr_status status;

	if (out)
		*out = NULL;
	status = copy_check_mode("reshape", copy);
	return status ? status : reshape(x, shape, copy, out);
}

dpr_status dpr_permute_dims(const dpr_array *x, const int *axes,
			    dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	struct layout from, to;
	uint32_t seen = 0;
	dpr_status status;

	status = array_check_call("permute dims", x, out);
	if (status)
		return status;
	array_layout(x, &from);
	to.rank = from.rank;
	to.offset = from.offset;
	for (int k = 0; k < from.rank; k++) {
		int axis;

		status = array_axis("permute dims", x,
				    axes ? axes[k] : from.rank - 1 - k, &axis);
		if (status)
			return status;
		if (seen & UINT32_C(1) << axis)
			return fail(DPR_ERROR_INDEX,
				    "permute dims: axis %d is named twice",
				    axis);
		seen |= UINT32_C(1) << axis;
		to.dim[k] = from.dim[axis];
		to.stride[k] = from.stride[axis];
	}
	return array_view(x, &to, out);
}

dpr_status dpr_matrix_transpose(const dpr_array *x, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	struct layout to;
	dpr_status status;

	status = array_check_call("matrix transpose", x, out);
	if (status)
		return status;
	if (x->rank < 2)
		return fail(DPR_ERROR_SHAPE,
			    "matrix transpose: the array has %d axes; a matrix "
			    "has 2",
			    x->rank);
	array_layout(x, &to);
	layout_swap(&to, to.rank - 2, to.rank - 1);
	return array_view(x, &to, out);
}

dpr_status dpr_expand_dims(const dpr_array *x, int axis, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	struct layout from, to;
	dpr_status status;
	int at;

	status = array_check_call("expand dims", x, out);
	if (status)
		return status;
	at = axis < 0 ? axis + x->rank + 1 : axis;
	if (at < 0 || at > x->rank)
		return fail(
			DPR_ERROR_INDEX,
			"expand dims: axis %d is out of range for a result of "
			"%d axes",
			axis, x->rank + 1);
	if (x->rank == DPR_MAX_RANK)
		return fail(DPR_ERROR_SHAPE,
			    "expand dims: the array has %d axes already",
			    DPR_MAX_RANK);
	array_layout(x, &from);
	to.rank = from.rank + 1;
	to.offset = from.offset;
	for (int k = 0; k < to.rank; k++) {
		int old = k - (k > at);

		to.dim[k] = k == at ? 1 : from.dim[old];
		to.stride[k] = k == at ? 0 : from.stride[old];
	}
	return array_view(x, &to, out);
}
