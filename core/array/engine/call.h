/* SPDX-License-Identifier: Apache-2.0 */
/* call.h - the calls of engine.h, reduce_launch.h and stages.h. */
#ifndef ARRAY_CALL_H
#define ARRAY_CALL_H

#include "core/array/engine/graph.h"
#include "core/array/engine/reduce_table.h"
#include "core/array/object/array.h"

/* The bytes of a scalar, in the type in which its dtype is computed. */
struct engine_scalar {
	_Alignas(16) unsigned char bytes[16];
};

/*
 * A graph and its operands, in the order of their numbers.  All arrays are on
 * one queue.  The results have one shape, to which the inputs are broadcast.
 * An input that shares memory with a result has the same layout.  The array of
 * a GRAPH_INDEX has no allocation: its offset and strides make the values.
 */
struct engine_call {
	const char *what; /* begins the text of an error */
	const struct graph *graph;
	dpr_array *const *results;
	const dpr_array *const *inputs;
	const struct engine_scalar *scalars;
	/* The number of elements of the whole results, if several calls compute
	   a part each; otherwise 0.  `rest` is set if an earlier call has
	   computed a part. */
	int64_t whole;
	bool rest;
};

/* A reduction and its operands, in the order of their numbers.  All arrays are
   on one queue. */
struct reduce_call {
	const char *what; /* begins the text of an error */
	enum reduction reduction;
	const struct graph *graph; /* has one result */
	const dpr_array *const *inputs;
	const struct engine_scalar *scalars;
	/* The shape to which the inputs are broadcast, and its reduced axes.
	   No extent is 0. */
	int rank;
	const int64_t *shape;
	const bool *reduced;
	/* the divisor of a mean; 0: the number of elements reduced to a
	   result */
	int64_t elements;
	/* The result, C-contiguous.  It has the other axes, or all axes, the
	   reduced ones with extent 1.  It may overlap the inputs. */
	dpr_array *out;
};

/* A graph with GRAPH_REDUCE and its operands, in the order of their numbers. */
struct stages_call {
	const char *what; /* begins the text of an error */
	const struct graph *graph;
	const dpr_array *const *inputs;
	const struct engine_scalar *scalars;
	/* The shape, and its reduced axes.  The reduced axes come last. */
	int rank;
	const int64_t *shape;
	const bool *reduced;
	/*
	 * The operands are broadcast to the shape.  Bit k of `narrow` is set if
	 * operand k lacks the reduced axes: results come first, then inputs.  A
	 * result has the whole shape, or one element for each row.  A result
	 * and an input share memory only if their layouts and their bits are
	 * the same.
	 */
	uint32_t narrow;
	dpr_array *const *results;
};

#endif
