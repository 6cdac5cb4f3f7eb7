/* SPDX-License-Identifier: Apache-2.0 */
/* indexing_source.c - arrays that are read by arrays of indices. */
#include "core/array/indexing/indexing_source.h"

#include "core/array/indexing/gather.h"
#include "core/base/mem.h"
#include "core/base/status.h"

dpr_status indexing_source_new(const dpr_array *x, struct indexing *indexing,
			       struct indexing_source **out)
{
	struct indexing_source *source = mem_alloc(sizeof(*source));
	const struct layout *place = &indexing->place;
	dpr_status status = DPR_OK;

	*out = NULL;
	if (!source)
		return fail_memory(indexing->what);
	source->x = dpr_array_retain((dpr_array *)(uintptr_t)x);
	source->indexing = *indexing;
	indexing->n = 0;
	if (indexing_steps_has_position(&source->indexing))
		status =
			array_make(DPR_INT64, place->rank, place->dim,
				   place->stride, place->offset, NULL,
				   indexing->queue, x->kind, &source->position);
	if (status)
		indexing_source_free(source);
	else
		*out = source;
	return status;
}

/* Copy @from with the index arrays @arrays. */
static struct indexing with_arrays(const struct indexing *from,
				   const dpr_array *const *arrays)
{
	struct indexing to = *from;

	for (int i = 0; i < to.n; i++)
		to.array[i].array =
			dpr_array_retain((dpr_array *)(uintptr_t)arrays[i]);
	return to;
}

dpr_status indexing_source_index(const struct indexing_source *from,
				 const dpr_index *indices, size_t n_indices,
				 const dpr_array *const *arrays,
				 struct indexing_source **out)
{
	struct indexing to;
	dpr_status status;

	*out = NULL;
	to = with_arrays(&from->indexing, arrays);
	status = layout_index(&from->indexing.place, indices, n_indices,
			      &to.place);
	if (!status)
		status = indexing_source_new(from->x, &to, out);
	indexing_end(&to);
	return status;
}

void indexing_source_free(struct indexing_source *source)
{
	if (!source)
		return;
	indexing_source_drop(source);
	mem_free(source);
}

void indexing_source_drop(struct indexing_source *source)
{
	indexing_end(&source->indexing);
	dpr_array_release(source->position);
	dpr_array_release(source->x);
	source->position = source->x = NULL;
}

dpr_status indexing_source_read(const struct indexing_source *source,
				const dpr_array *const *arrays, dpr_array *out)
{
	struct indexing indexing = with_arrays(&source->indexing, arrays);
	const dpr_status status = gather_into(&indexing, source->x, out);

	indexing_end(&indexing);
	return status;
}
