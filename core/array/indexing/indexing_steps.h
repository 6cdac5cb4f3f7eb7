/* SPDX-License-Identifier: Apache-2.0 */
/* indexing_steps.h - the places of indexed elements as steps of a graph. */
#ifndef ARRAY_INDEXING_STEPS_H
#define ARRAY_INDEXING_STEPS_H

#include "core/array/engine/call.h"
#include "core/array/indexing/indexing.h"

/* The most index arrays of a graph, the most numbers that their steps need, and
   the most steps, without inputs and numbers. */
#define INDEXING_ARRAYS 3
#define INDEXING_NUMBERS (3 * INDEXING_ARRAYS)
#define INDEXING_STEPS (8 * INDEXING_ARRAYS)

/* A number that the steps need as a scalar of the graph. */
struct indexing_number {
	dpr_dtype dtype; /* DPR_INT64 or DPR_UINT64 */
	int64_t value;   /* for DPR_UINT64: not negative */
};

/* Get the numbers, and return how many there are.  The indexing must have at
   most INDEXING_ARRAYS arrays. */
int indexing_steps_numbers(const struct indexing *indexing,
			   struct indexing_number *numbers);

/* Whether the steps need a position: a GRAPH_INDEX whose array has the layout
   indexing->place. */
bool indexing_steps_has_position(const struct indexing *indexing);

/*
 * Add steps for the place of an indexed element, in elements of x from the
 * first one on.  @arrays: the steps of the index arrays, in the dtypes of the
 * arrays.  @numbers: the steps of the numbers.  @position: the step of the
 * position, unless the steps need none.  No place is outside of x, whatever the
 * indices are.  Returns the step, of dtype int64; -1: the graph has no room.
 */
int indexing_steps_add(const struct indexing *indexing, struct graph *graph,
		       const int *arrays, const int *numbers, int position);

/* A graph with its operands.  owned: the operands to release at the end. */
struct indexing_call {
	struct graph graph;
	struct engine_scalar scalars[GRAPH_SCALARS];
	const dpr_array *inputs[GRAPH_INPUTS];
	dpr_array *owned[INDEXING_ARRAYS + 1];
	int n_owned;
};

/* Begin a graph with the step of the place: *@place.  The caller adds the steps
   that use the place, and ends @call with indexing_steps_end(), also after a
   failure. */
dpr_status indexing_steps_begin(const struct indexing *indexing,
				struct indexing_call *call, int *place);
void indexing_steps_end(struct indexing_call *call);

/* Replace index arrays by an array of their places.  This is done as long as
   there are more than INDEXING_ARRAYS arrays.  It is also done where each index
   is used for many elements, so that the index is brought into range only once.
   Call this after indexing_check(). */
dpr_status indexing_steps_fit(struct indexing *indexing);

#endif
