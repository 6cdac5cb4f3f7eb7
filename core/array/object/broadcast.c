/* SPDX-License-Identifier: Apache-2.0 */
/* broadcast.c - finds the common shape of arrays. */
#include "core/array/object/broadcast.h"

#include <string.h>

#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

static dpr_status fail_shape(const char *what, const dpr_array *x,
			     dpr_shape shape)
{
	char have[160], want[160];

	return fail(
		DPR_ERROR_SHAPE, "%s: shape %s does not broadcast to %s", what,
		layout_shape_text(have, sizeof(have), x->rank, x->dim),
		layout_shape_text(want, sizeof(want), shape.rank, shape.dim));
}

/* Whether the extents of @x and @other along axis @axis differ, and neither is
   1.  The result has @rank axes. */
static bool disagrees(const dpr_array *x, const dpr_array *other, int rank,
		      int axis)
{
	const int k = axis - (rank - x->rank);
	const int own = axis - (rank - other->rank);

	return k >= 0 && x->dim[k] != 1 && x->dim[k] != other->dim[own];
}

dpr_status broadcast_shapes(const char *what, const dpr_array *const *operands,
			    size_t n, int *rank, int64_t *shape)
{
	char have[160], given[160];
	size_t same = 1;
	int axis;

	/* Usually there is nothing to broadcast. */
	while (same < n && array_same_shape(operands[0], operands[same]))
		same++;
	*rank = n ? operands[0]->rank : 0;
	for (int k = 0; k < *rank; k++)
		shape[k] = operands[0]->dim[k];
	for (size_t i = same; i < n; i++) {
		const dpr_array *x = operands[i];
		size_t j = 0;

		if (layout_broadcast(rank, shape, x->rank, x->dim, &axis))
			continue;
		/* Find the earlier operand that gave @shape its extent on this
		   axis. */
		while (!disagrees(operands[j], x, *rank, axis))
			j++;
		return fail(DPR_ERROR_SHAPE,
			    "%s: x%zu of shape %s and x%zu of shape %s do not "
			    "broadcast (axis %d of the result)",
			    what, j + 1,
			    layout_shape_text(have, sizeof(have),
					      operands[j]->rank,
					      operands[j]->dim),
			    i + 1,
			    layout_shape_text(given, sizeof(given), x->rank,
					      x->dim),
			    axis);
	}
	return DPR_OK;
}

dpr_status dpr_broadcast_to(const dpr_array *x, dpr_shape shape,
			    dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	struct layout from, to;
	dpr_status status;
	int64_t count;

	status = array_check_call("broadcast to", x, out);
	if (status)
		return status;
	status = array_count("broadcast to", shape.rank, shape.dim,
			     dpr_dtype_size(x->dtype), &count);
	if (status)
		return status;
	array_layout(x, &from);
	to.rank = shape.rank;
	to.offset = from.offset;
	if (!layout_expand(&from, to.rank, shape.dim, to.stride))
		return fail_shape("broadcast to", x, shape);
	if (to.rank)
		memcpy(to.dim, shape.dim, (size_t)to.rank * sizeof(to.dim[0]));
	return array_view(x, &to, out);
}
