/* SPDX-License-Identifier: Apache-2.0 */
/* reduce.h - reductions of arrays, and of values that a graph computes. */
#ifndef ARRAY_REDUCE_H
#define ARRAY_REDUCE_H

#include <dpr/reduce.h>

#include "core/array/engine/reduce/reduce_launch.h"

/* Values that are computed while they are reduced. */
struct reduce_source {
	const struct graph *graph; /* a graph with one result */
	const dpr_array *const *inputs;
	const struct engine_scalar *scalars;
	/* An array without memory that has the dtype, shape and queue of the
	   values, and the kind of memory of a result. */
	const dpr_array *like;
};

/* The outcome of a reduction, before it is computed. */
struct reduce_outcome {
	dpr_dtype cast;  /* the dtype to which elements are cast first */
	dpr_dtype sum;   /* the dtype of the accumulated value */
	dpr_dtype dtype; /* the dtype of the result */
	int rank;
	int64_t shape[DPR_MAX_RANK];
	/* the reduced axes of the argument; all others are false */
	bool reduced[DPR_MAX_RANK];
	int64_t length; /* the number of elements reduced to each result */
};

/* Find the shape of a reduction of @x by function @what, which is in error
   texts.  Sets rank, shape, reduced and length. */
dpr_status reduce_shape(const char *what, const dpr_array *x,
			const dpr_axes *axes, struct reduce_outcome *out);

/* Find the outcome of @reduction for an argument like @x, which may have no
   memory.  Fails as the function of @reduction would.  DPR_ERROR_UNSUPPORTED:
   the outcome is not known. */
dpr_status reduce_foresee(enum reduction reduction, const dpr_array *x,
			  const dpr_axes *axes, dpr_dtype as,
			  struct reduce_outcome *out);

/* Reduce @x as the public functions do, without a mask or an initial number.
   @as: the dtype for dpr_NAME_as(), such as dpr_sum_as(), or DEFAULT. */
dpr_status reduce_array(enum reduction reduction, const dpr_array *x,
			const dpr_axes *axes, dpr_dtype as, dpr_array **out);
dpr_status reduce_array_into(enum reduction reduction, const dpr_array *x,
			     const dpr_axes *axes, dpr_array *out);

/*
 * Like reduce_array(), for the values of @source.  DPR_ERROR_UNSUPPORTED and
 * DPR_ERROR_BUILD: no kernel does this, so the values must be computed into an
 * array first.
 */
dpr_status reduce_source(enum reduction reduction,
			 const struct reduce_source *source,
			 const dpr_axes *axes, dpr_dtype as, dpr_array **out);

#endif
