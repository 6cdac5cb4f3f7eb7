/* SPDX-License-Identifier: Apache-2.0 */
/* positions.c - arrays whose elements are their own positions. */
#include "core/array/expression/inner/positions.h"

#include <dpr/creation.h>

#include "core/array/layout/layout.h"

/* Make an array of @shape with the positions 0 to @count - 1 along the counted
   axes.  @line is @shape, but with extent 1 along the axes that are not
   counted. */
static dpr_status make(dpr_queue *queue, int64_t count, const int64_t *line,
		       dpr_shape shape, dpr_usm_kind kind, dpr_array **out)
{
	dpr_array *all = NULL, *apart = NULL;
	dpr_status status =
		dpr_arange_on(0, count, 1, DPR_INT64, queue, kind, &all);

	if (!status)
		status = dpr_reshape(all, dpr_shape_of(shape.rank, line),
				     &apart);
	if (!status)
		status = dpr_broadcast_to(apart, shape, out);
	dpr_array_release(all);
	dpr_array_release(apart);
	return status;
}

dpr_status positions_new(struct fusion *fusion, dpr_queue *queue,
			 struct place place, int rank, const int64_t *dim,
			 const bool *counted, dpr_usm_kind kind,
			 struct value *out)
{
	struct layout index = { .rank = rank };
	int64_t line[DPR_MAX_RANK], count = 1;
	dpr_status status;

	for (int k = rank - 1; k >= 0; k--) {
		index.dim[k] = dim[k];
		index.stride[k] = counted[k] ? count : 0;
		line[k] = counted[k] ? dim[k] : 1;
		/* The product can overflow only if there are no elements. */
		if (__builtin_mul_overflow(count, line[k], &count))
			count = 0;
	}
	if (fusion->format)
		status = fusion_index(place, &index, queue, kind, &out->node);
	else
		status = make(queue, count, line, dpr_shape_of(rank, dim), kind,
			      &out->array);
	if (!status)
		out->kind = fusion->format ? VALUE_NODE : VALUE_ARRAY;
	return status;
}
