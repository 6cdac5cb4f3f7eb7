/* SPDX-License-Identifier: Apache-2.0 */
/* diagonal.c - views of diagonals. */
#include <dpr/shapes.h>

#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

dpr_status dpr_diagonal(const dpr_array *x, int64_t offset, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	int64_t rows, columns, row = 0, column = 0;
	struct layout layout;
	dpr_status status;
	int last;

	status = array_check_call("diagonal", x, out);
	if (status)
		return status;
	if (x->rank < 2)
		return fail(DPR_ERROR_SHAPE,
			    "diagonal: the array has %d axes; a matrix has 2",
			    x->rank);
	array_layout(x, &layout);
	last = layout.rank - 1;
	rows = layout.dim[last - 1];
	columns = layout.dim[last];
	layout.rank = last;
	if (offset <= -rows || offset >= columns) {
		layout.dim[last - 1] = 0;
		return array_view(x, &layout, out);
	}
	if (offset < 0)
		row = -offset;
	else
		column = offset;
	layout.dim[last - 1] =
		rows - row < columns - column ? rows - row : columns - column;
	if (x->size)
		layout.offset += row * layout.stride[last - 1] +
				 column * layout.stride[last];
	layout.stride[last - 1] += layout.stride[last];
	return array_view(x, &layout, out);
}
