/* SPDX-License-Identifier: Apache-2.0 */
/* grid.c - views of several arrays in one shape. */
#include <stddef.h>

#include <dpr/shapes.h>

#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/array/object/broadcast.h"
#include "core/array/object/execution.h"
#include "core/array/shapes/results.h"
#include "core/base/handles/handles.h"
#include "core/base/trace.h"

/* Begin a function of a list of arrays on one queue, which gives as many. */
static dpr_status grid_begin(const char *what, const dpr_array *const *arrays,
			     size_t count, dpr_array **out)
{
	dpr_queue *queue;

	results_clear(out, count);
	if (!count)
		return DPR_OK;
	if (!out || !arrays)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", what,
			    out ? "the list of arrays" : "out");
	for (size_t i = 0; i < count; i++)
		if (!arrays[i])
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "%s: x%zu is NULL", what, i + 1);
	return execution_queue(what, arrays, NULL, count, 0, &queue);
}

dpr_status dpr_broadcast_arrays(const dpr_array *const *arrays, size_t count,
				dpr_array **out)
{
	TRACE_CALL;
	HANDLES(handle_arrays(arrays, count), handle_arrays_out(out, count));
	struct layout from, to;
	dpr_status status;

	status = grid_begin("broadcast arrays", arrays, count, out);
	if (!status)
		status = broadcast_shapes("broadcast arrays", arrays, count,
					  &to.rank, to.dim);
	if (status)
		return status;
	for (size_t i = 0; !status && i < count; i++) {
		array_layout(arrays[i], &from);
		to.offset = from.offset;
		layout_expand(&from, to.rank, to.dim, to.stride);
		status = array_view(arrays[i], &to, &out[i]);
	}
	return results_finish("broadcast arrays", status, out, count);
}

/* Get the axis of the grid along which array @i varies. */
static size_t grid_axis(size_t i, size_t count, dpr_indexing indexing)
{
	return indexing == DPR_INDEXING_XY && count > 1 && i < 2 ? 1 - i : i;
}

static dpr_status check_grid(const dpr_array *const *arrays, size_t count,
			     dpr_indexing indexing)
{
	if (indexing != DPR_INDEXING_XY && indexing != DPR_INDEXING_IJ)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "meshgrid: %d is not an indexing "
			    "(DPR_INDEXING_XY, _IJ)",
			    (int)indexing);
	if (count > DPR_MAX_RANK)
		return fail(
			DPR_ERROR_SHAPE,
			"meshgrid: the grid of %zu arrays would have an axis "
			"for each; an array has at most %d axes",
			count, DPR_MAX_RANK);
	for (size_t i = 0; i < count; i++)
		if (arrays[i]->rank > 1)
			return fail(DPR_ERROR_SHAPE,
				    "meshgrid: x%zu has %d axes, but must have "
				    "1; give its elements one axis with "
				    "dpr_reshape()",
				    i + 1, arrays[i]->rank);
	return DPR_OK;
}

dpr_status dpr_meshgrid(const dpr_array *const *arrays, size_t count,
			dpr_indexing indexing, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(handle_arrays(arrays, count), handle_arrays_out(out, count));
	struct layout grid = { .rank = (int)count };
	dpr_status status;

	status = grid_begin("meshgrid", arrays, count, out);
	if (!status)
		status = check_grid(arrays, count, indexing);
	if (status)
		return status;
	for (size_t i = 0; i < count; i++)
		grid.dim[grid_axis(i, count, indexing)] = arrays[i]->size;
	for (size_t i = 0; !status && i < count; i++) {
		const dpr_array *x = arrays[i];
		int64_t *stride = &grid.stride[grid_axis(i, count, indexing)];

		grid.offset = x->offset;
		*stride = x->rank ? array_strides(x)[0] : 0;
		status = array_view(x, &grid, &out[i]);
		*stride = 0;
	}
	return results_finish("meshgrid", status, out, count);
}
