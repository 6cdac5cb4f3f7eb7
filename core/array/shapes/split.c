/* SPDX-License-Identifier: Apache-2.0 */
/* split.c - views of the parts of an array along an axis. */
#include <stddef.h>

#include <dpr/shapes.h>

#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/array/shapes/results.h"
#include "core/base/handles/handles.h"
#include "core/base/trace.h"

/* Begin a function that makes @count views of @x along axis @axis: *@at is the
   axis, not negative. */
static dpr_status split_begin(const char *what, const dpr_array *x, int axis,
			      dpr_array **out, size_t count, int *at)
{
	results_clear(out, count);
	if (!x || (!out && count))
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", what,
			    x ? "out" : "the array");
	return array_axis(what, x, axis, at);
}

dpr_status dpr_unstack(const dpr_array *x, int axis, dpr_array **out,
		       size_t count)
{
	TRACE_CALL;
	HANDLES(x, handle_arrays_out(out, count));
	struct layout layout;
	dpr_status status;
	int64_t stride;
	int at;

	status = split_begin("unstack", x, axis, out, count, &at);
	if (status)
		return status;
	if ((uint64_t)x->dim[at] != count)
		return fail(DPR_ERROR_SHAPE,
			    "unstack: axis %d has the extent %lld, and out has "
			    "room for %zu arrays; give as many",
			    axis, (long long)x->dim[at], count);
	array_layout(x, &layout);
	stride = layout.stride[at];
	layout.rank--;
	for (int k = at; k < layout.rank; k++) {
		layout.dim[k] = layout.dim[k + 1];
		layout.stride[k] = layout.stride[k + 1];
	}
	for (size_t i = 0; !status && i < count; i++) {
		status = array_view(x, &layout, &out[i]);
		if (i + 1 < count && x->size)
			layout.offset += stride;
	}
	return results_finish("unstack", status, out, count);
}

/* Check that the positions @at divide an axis of extent @extent into @count
   parts. */
static dpr_status check_cuts(int64_t extent, int axis, const int64_t *at,
			     size_t count)
{
	int64_t last = 0;

	if (!count)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "split: the number of parts is 0");
	if (!at && (uint64_t)extent % count)
		return fail(
			DPR_ERROR_SHAPE,
			"split: axis %d has the extent %lld, which does not "
			"divide into %zu equal parts; pass positions",
			axis, (long long)extent, count);
	for (size_t i = 0; at && i + 1 < count; i++) {
		if (at[i] < last || at[i] > extent)
			return fail(DPR_ERROR_INDEX,
				    "split: position %zu is %lld, but must be "
				    "%lld to %lld",
				    i, (long long)at[i], (long long)last,
				    (long long)extent);
		last = at[i];
	}
	return DPR_OK;
}

dpr_status dpr_split(const dpr_array *x, int axis, const int64_t *at,
		     dpr_array **out, size_t count)
{
	TRACE_CALL;
	HANDLES(x, handle_arrays_out(out, count));
	struct layout whole, part;
	int64_t begin = 0, end;
	dpr_status status;
	int k;

	status = split_begin("split", x, axis, out, count, &k);
	if (!status)
		status = check_cuts(x->dim[k], axis, at, count);
	if (status)
		return status;
	array_layout(x, &whole);
	part = whole;
	for (size_t i = 0; !status && i < count; i++, begin = end) {
		end = i + 1 == count ? whole.dim[k]
		      : at           ? at[i]
				     : begin + whole.dim[k] / (int64_t)count;
		part.dim[k] = end - begin;
		/* A view without elements has no offset. */
		if (x->size && end > begin)
			part.offset = whole.offset + begin * whole.stride[k];
		status = array_view(x, &part, &out[i]);
	}
	return results_finish("split", status, out, count);
}
