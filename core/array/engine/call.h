/* SPDX-License-Identifier: Apache-2.0 */
/* call.h - what to compute: the arguments of engine_run(), reduce_launch_run()
   and stages_run(). */
#ifndef ARRAY_CALL_H
#define ARRAY_CALL_H

#include "core/array/engine/graph.h"
#include "core/array/engine/reduce_table.h"
#include "core/array/object/array.h"

/* The value of a scalar operand.  A 16-bit float is passed as a float32.
   Values of all other dtypes are passed as an array stores them. */
struct engine_scalar {
	_Alignas(16) unsigned char bytes[16];
};

/* A graph and its operands: entry k of `results`, `inputs` and `scalars` is
   result, input and scalar k of the graph.  All arrays are on one queue.  The
   results have one shape, to which the inputs are broadcast.  An input that
   shares memory with a result must have the layout of that result.  The array
   of a GRAPH_INDEX has no allocation.  It only has an offset and strides, which
   give the position of each element (graph.h).  The array of a GRAPH_GATHER has
   any shape, and shares no memory with a result.  Its strides are not used: the
   places count its elements.  No input may share memory with a result that is a
   GRAPH_PUT.  The array of such a result has the shape of all results, and
   usually some strides of 0. */
struct engine_call {
	const char *what; /* begins the text of an error */
	const struct graph *graph;
	dpr_array *const *results;
	const dpr_array *const *inputs;
	const struct engine_scalar *scalars;
	/* whole: if this call computes only a part of the result, the number of
	   elements of the whole result; otherwise 0.  rest: set if an earlier
	   call has written another part of the same result. */
	int64_t whole;
	bool rest;
};

/* A reduction of the values that a graph computes.  Entry k of `inputs` and
   `scalars` is input and scalar k of the graph.  All arrays are on one queue.
   */
struct reduce_call {
	const char *what; /* begins the text of an error */
	enum reduction reduction;
	const struct graph *graph; /* has one result */
	const dpr_array *const *inputs;
	const struct engine_scalar *scalars;
	/* The shape to which the inputs are broadcast.  reduced[d] is set if
	   axis d is reduced.  No extent is 0. */
	int rank;
	const int64_t *shape;
	const bool *reduced;
	/* the divisor of a mean; 0: the number of elements that are reduced to
	   one result */
	int64_t elements;
	/* The result, a C-contiguous array.  It has the kept axes.  It may also
	   have the reduced axes, with extent 1.  The result may overlap the
	   inputs. */
	dpr_array *out;
};

/* A graph with GRAPH_REDUCE steps.  Entry k of `inputs`, `scalars` and
   `results` is input, scalar and result k of the graph. */
struct stages_call {
	const char *what; /* begins the text of an error */
	const struct graph *graph;
	const dpr_array *const *inputs;
	const struct engine_scalar *scalars;
	/* The shape of the graph's elements.  reduced[d] is set if axis d is
	   reduced.  The reduced axes are the last axes. */
	int rank;
	const int64_t *shape;
	const bool *reduced;
	/*
	 * The operands are broadcast to the shape, and numbered from 0: first
	 * results, then inputs.  Bit k of `narrow` is set if operand k has only
	 * the axes that are not reduced.  A result whose bit is set has one
	 * element for each row; any other result has the whole shape.  A result
	 * and an input may share memory only if their layouts and their bits of
	 * `narrow` are the same.
	 */
	uint32_t narrow;
	dpr_array *const *results;
};

#endif
