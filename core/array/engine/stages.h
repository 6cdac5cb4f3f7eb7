/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stages.h - computing rows with reductions in between, in one launch or two.
 *
 * A graph with GRAPH_REDUCE goes over a shape whose last axes are reduced: what
 * these have is a row.  A step has an element for each of the row, or one for
 * the row.  Values are those of the functions called one after the other.  So
 * each reduction must go over a row in the order in which it would do so alone;
 * if it cannot, there is no such kernel.
 */
#ifndef ARRAY_STAGES_H
#define ARRAY_STAGES_H

#include "core/array/engine/engine.h"

/* A graph and its operands, in the order of their numbers.  All arrays are on
   one queue. */
struct stages_call {
	const char *what; /* begins the text of an error */
	const struct graph *graph;
	const dpr_array *const *inputs;
	const struct engine_scalar *scalars;
	/* The shape, and which axes of it are reduced: the last ones. */
	int rank;
	const int64_t *shape;
	const bool *reduced;
	/*
	 * An operand is broadcast to the shape.  Bit k, first of the results,
	 * then of the inputs: it is without the axes that are reduced.  A
	 * result has the whole shape, or one element for each row.  It shares
	 * memory with an input only if they have the same layout and the same
	 * of these bits.
	 */
	uint32_t narrow;
	dpr_array *const *results;
};

/*
 * Compute @call.  Does not wait for it, but builds the kernels if this is their
 * first use.  DPR_ERROR_UNSUPPORTED: it must be computed in another way.  Other
 * errors are those of building and launching.
 */
dpr_status stages_run(const struct stages_call *call);

#endif
