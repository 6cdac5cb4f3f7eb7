/* SPDX-License-Identifier: Apache-2.0 */
/* call.h - what engine.h, reduction.h and stages.h are asked to compute. */
#ifndef ARRAY_CALL_H
#define ARRAY_CALL_H

#include "core/array/engine/graph.h"
#include "core/array/engine/reductions.h"
#include "core/array/object/array.h"

/* The bytes of a scalar, in the type in which its dtype is computed. */
struct engine_scalar {
	_Alignas(16) unsigned char bytes[16];
};

/*
 * A graph and its operands, in the order of their numbers.  All arrays are on
 * one queue.  The results have one shape, to which the inputs are broadcast.
 * An input that shares memory with a result has the layout of this result.  The
 * input of a GRAPH_INDEX is an array without an allocation, whose offset and
 * strides make the values.
 */
struct engine_call {
	const char *what; /* begins the text of an error */
	const struct graph *graph;
	dpr_array *const *results;
	const dpr_array *const *inputs;
	const struct engine_scalar *scalars;
	/* The elements of the whole results if several calls compute a part
	   each, or 0.  `rest`: an earlier call has computed a part. */
	int64_t whole;
	bool rest;
};

/* A reduction and its operands, in the order of their numbers.  All arrays are
   on one queue. */
struct reduction_call {
	const char *what; /* begins the text of an error */
	enum reduction reduction;
	const struct graph *graph; /* with one result */
	const dpr_array *const *inputs;
	const struct engine_scalar *scalars;
	/* The inputs are broadcast to this shape, without an extent of 0.
	   reduced[d]: axis d of the shape is reduced. */
	int rank;
	const int64_t *shape;
	const bool *reduced;
	int64_t elements; /* a mean divides by this number; 0: by the number of
			     elements reduced to a result */
	/* C-contiguous, with the other axes, or all, the reduced ones with
	   extent 1.  It may overlap the inputs. */
	dpr_array *out;
};

/* The same of a graph with GRAPH_REDUCE. */
struct stages_call {
	const char *what; /* begins the text of an error */
	const struct graph *graph;
	const dpr_array *const *inputs;
	const struct engine_scalar *scalars;
	/* The shape, and whether each axis is reduced: the last axes are. */
	int rank;
	const int64_t *shape;
	const bool *reduced;
	/*
	 * An operand is broadcast to the shape.  Bit k: operand k, first the
	 * results, then the inputs, is without the reduced axes.  A result has
	 * the whole shape, or one element for each row.  A result and an input
	 * that share memory have the same layout and the same of these bits.
	 */
	uint32_t narrow;
	dpr_array *const *results;
};

#endif
