/* SPDX-License-Identifier: Apache-2.0 */
/* atleast.c - views with at least one, two or three axes. */
#include <dpr/shapes.h>

#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* Make a view of @x with at least @rank axes.  @before[r]: how many new axes
   come before those of an array of r axes.  The others come behind. */
static dpr_status view_atleast(const char *what, const dpr_array *x, int rank,
			       const int *before, dpr_array **out)
{
	dpr_status status = array_check_call(what, x, out);
	struct layout from, to;

	if (status)
		return status;
	array_layout(x, &from);
	if (from.rank >= rank)
		return array_view(x, &from, out);
	to.rank = rank;
	to.offset = from.offset;
	for (int k = 0; k < rank; k++) {
		const int old = k - before[from.rank];
		const bool is_new = old < 0 || old >= from.rank;

		to.dim[k] = is_new ? 1 : from.dim[old];
		to.stride[k] = is_new ? 0 : from.stride[old];
	}
	return array_view(x, &to, out);
}

dpr_status dpr_atleast_1d(const dpr_array *x, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	static const int before[] = { 1 };

	return view_atleast("atleast 1d", x, 1, before, out);
}

dpr_status dpr_atleast_2d(const dpr_array *x, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	static const int before[] = { 2, 1 };

	return view_atleast("atleast 2d", x, 2, before, out);
}

dpr_status dpr_atleast_3d(const dpr_array *x, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	static const int before[] = { 3, 1, 0 };

	return view_atleast("atleast 3d", x, 3, before, out);
}
