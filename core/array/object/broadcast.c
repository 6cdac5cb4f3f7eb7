/* SPDX-License-Identifier: Apache-2.0 */
/* broadcast.c - arrays of other shapes as ones of a common shape. */
#include "core/array/object/broadcast.h"

#include <stdio.h>
#include <string.h>

#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* "(2, 3)", cut short where it does not fit. */
static const char *shape_text(char *text, size_t room, int rank,
			      const int64_t *dim)
{
	size_t at = 0;

	text[at++] = '(';
	for (int k = 0; k < rank && at + 24 < room; k++)
		at += (size_t)snprintf(text + at, room - at, "%s%lld",
				       k ? ", " : "", (long long)dim[k]);
	snprintf(text + at, room - at, rank == 1 ? ",)" : ")");
	return text;
}

static dpr_status fail_shape(const char *what, const dpr_array *x,
			     dpr_shape shape)
{
	char have[160], want[160];

	return fail(DPR_ERROR_SHAPE, "%s: shape %s does not broadcast to %s",
		    what, shape_text(have, sizeof(have), x->rank, x->dim),
		    shape_text(want, sizeof(want), shape.rank, shape.dim));
}

dpr_status broadcast_shapes(const char *what, const dpr_array *const *operands,
			    size_t n, int *rank, int64_t *shape)
{
	char have[160], given[160];
	size_t same = 1;
	int axis;

	/* Mostly there is nothing to broadcast. */
	while (same < n && array_same_shape(operands[0], operands[same]))
		same++;
	*rank = n ? operands[0]->rank : 0;
	for (int k = 0; k < *rank; k++)
		shape[k] = operands[0]->dim[k];
	for (size_t i = same; i < n; i++) {
		int before = *rank;

		if (layout_broadcast(rank, shape, operands[i]->rank,
				     array_shape(operands[i]), &axis))
			continue;
		/* @shape may have been changed by this operand: name the one
		   before it that disagrees. */
		for (size_t j = 0; before && j < i; j++) {
			const dpr_array *x = operands[j];
			int k = axis - (*rank - x->rank);
			int own = axis - (*rank - operands[i]->rank);

			if (k < 0 || x->dim[k] == 1 ||
			    x->dim[k] == operands[i]->dim[own])
				continue;
			return fail(
				DPR_ERROR_SHAPE,
				"%s: x%zu of shape %s and x%zu of shape %s "
				"do not broadcast (axis %d of the result)",
				what, j + 1,
				shape_text(have, sizeof(have), x->rank, x->dim),
				i + 1,
				shape_text(given, sizeof(given),
					   operands[i]->rank, operands[i]->dim),
				axis);
		}
		return fail(DPR_ERROR_SHAPE, "%s: the shapes do not broadcast",
			    what);
	}
	return DPR_OK;
}

dpr_status dpr_broadcast_to(const dpr_array *x, dpr_shape shape,
			    dpr_array **out)
{
	TRACE_CALL;
	struct layout from, to;
	dpr_status status;
	int64_t count;

	if (out)
		*out = NULL;
	if (!x || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "broadcast to: %s is NULL",
			    x ? "out" : "the array");
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
