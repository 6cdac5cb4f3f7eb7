/* SPDX-License-Identifier: Apache-2.0 */
/* indexing_source.h - an array that is read by arrays of indices, for calls
   that are deferred. */
#ifndef ARRAY_INDEXING_SOURCE_H
#define ARRAY_INDEXING_SOURCE_H

#include "core/array/indexing/indexing_steps.h"

struct indexing_source {
	dpr_array *x; /* with a reference */
	/* an array without memory, for a GRAPH_INDEX; NULL if the steps need no
	   position (indexing_steps_has_position()) */
	dpr_array *position;
	struct indexing indexing;
};

/* Make a source that owns @indexing, which becomes empty, and a reference to
   @x.  The caller ends it with indexing_source_free(). */
dpr_status indexing_source_new(const dpr_array *x, struct indexing *indexing,
			       struct indexing_source **out);

/* Make a source of the elements that basic indices select among those of
   @from.  arrays[i] stands in place of index array i.  Fails as
   dpr_array_index() does. */
dpr_status indexing_source_index(const struct indexing_source *from,
				 const dpr_index *indices, size_t n_indices,
				 const dpr_array *const *arrays,
				 struct indexing_source **out);
void indexing_source_free(struct indexing_source *source);

/* Drop the references to all arrays, once the elements are read. */
void indexing_source_drop(struct indexing_source *source);

/* Read the elements into @out, by the index arrays @arrays.  @out has the dtype
   and the shape of the elements, and shares no memory with the arrays. */
dpr_status indexing_source_read(const struct indexing_source *source,
				const dpr_array *const *arrays, dpr_array *out);

#endif
