/* SPDX-License-Identifier: Apache-2.0 */
/* index_calls.h - indexing by arrays in expressions. */
#ifndef ARRAY_INDEX_CALLS_H
#define ARRAY_INDEX_CALLS_H

#include "core/array/expression/builtins.h"

/* The built-in functions take() and take_along_axis(). */
dpr_status index_calls_take(struct function_call *call);
dpr_status index_calls_take_along_axis(struct function_call *call);

/* x[...], with arrays or numbers among the indices. */
struct index_calls_view {
	struct fusion *fusion;
	struct place place; /* the place of the brackets in the text */
	/* arguments[0] is x.  The index k with reserved = i > 0 is
	   arguments[i].  The arguments are borrowed. */
	struct value *arguments;
	const dpr_index *indices;
	size_t n_indices;
};

/* Index an array, and set @out to the result.  It is deferred where possible.
   Fails as dpr_array_index_arrays() does with DPR_BOUNDS_WRAP. */
dpr_status index_calls_run_view(const struct index_calls_view *view,
				struct value *out);

#endif
