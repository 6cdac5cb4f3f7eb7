/* SPDX-License-Identifier: Apache-2.0 */
/* reduce.h - reductions of what a graph computes. */
#ifndef ARRAY_REDUCE_H
#define ARRAY_REDUCE_H

#include <dpr/reduce.h>

#include "core/array/engine/reduction.h"

/* Values that are computed while they are reduced. */
struct reduce_source {
	const struct graph *graph; /* with one result */
	const dpr_array *const *inputs;
	const struct engine_scalar *scalars;
	/* An array without memory: the values' dtype, shape, queue, and the
	   kind of memory of a result. */
	const dpr_array *like;
};

/* What a reduction would give. */
struct reduce_outcome {
	dpr_dtype cast;  /* elements are cast to this dtype, */
	dpr_dtype sum;   /* and their result has this one, */
	dpr_dtype dtype; /* which is cast to this */
	int rank;
	int64_t shape[DPR_MAX_RANK];
	bool reduced[DPR_MAX_RANK]; /* axes of the argument; else false */
};

/* Find the outcome for an argument like @x, which may be without memory.  Fails
   as the function would; DPR_ERROR_UNSUPPORTED: it is not known. */
dpr_status reduce_foresee(enum reduction reduction, const dpr_array *x,
			  const dpr_axes *axes, dpr_dtype as,
			  struct reduce_outcome *out);

/* The public function of @reduction; with @as its form dpr_NAME_as(), such as
   dpr_sum_as(). */
dpr_status reduce_array(enum reduction reduction, const dpr_array *x,
			const dpr_axes *axes, dpr_dtype as, dpr_array **out);

/*
 * The same as reduce_array(), of the values of @source.  DPR_ERROR_UNSUPPORTED
 * and DPR_ERROR_BUILD: no kernel does that; reduce an array of the values.
 */
dpr_status reduce_source(enum reduction reduction,
			 const struct reduce_source *source,
			 const dpr_axes *axes, dpr_dtype as, dpr_array **out);

#endif
