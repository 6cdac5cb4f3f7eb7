/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.h - what one kernel computes for each element: a list of steps.
 *
 * A step is an operand, a number, an operation of the table, a choice or a
 * cast.  Its value has a dtype, and is what an array of that dtype would hold:
 * 16-bit floats are rounded after each step.  So the result has the same bits
 * as calls of the functions one after the other.
 */
#ifndef ARRAY_GRAPH_H
#define ARRAY_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/text.h"

#define GRAPH_INPUTS 16
#define GRAPH_SCALARS 16
#define GRAPH_RESULTS 4
#define GRAPH_STEPS 64

enum graph_kind {
	GRAPH_INPUT,     /* an element of input `at` */
	GRAPH_INDEX,     /* where input `at` would have its element if it had
			    memory: offset and strides alone make this int64 */
	GRAPH_SCALAR,    /* scalar `at`, which a launch passes */
	GRAPH_OPERATION, /* operation `at` of the table, on n values x */
	GRAPH_WHERE,     /* x[0], a bool, picks x[1] or x[2] */
	GRAPH_CAST,      /* x[0], of dtype `compute` */
	GRAPH_REDUCE     /* reduction `at` of x[0] over a row, accumulated in
			    dtype `compute`: only in stages.h */
};

/* No padding, so that graphs can be compared as bytes. */
struct graph_step {
	uint8_t kind, n;
	uint8_t dtype;   /* of the value */
	uint8_t compute; /* the dtype of the operands; that of the value if
			    there are none */
	uint16_t at;
	uint16_t x[3]; /* earlier steps; those that are not used are 0 */
};
_Static_assert(sizeof(struct graph_step) == 12, "no padding");

/* Every step is used by a later one or is a result, and inputs and scalars are
   numbered in the order of their steps.  Empty if zero-initialised. */
struct graph {
	uint16_t n_steps, n_inputs, n_scalars, n_results;
	uint16_t result[GRAPH_RESULTS]; /* steps */
	struct graph_step step[GRAPH_STEPS];
};

/*
 * Add a step.  Return its number, or that of an equal step that is there; -1:
 * there is no room.  Operands are earlier steps.  An operation that only
 * returns its operand's value (elementwise.h) has no kernels and must not be
 * added.
 */
int graph_input(struct graph *graph, unsigned dtype);
int graph_index(struct graph *graph);
int graph_scalar(struct graph *graph, unsigned dtype);
/* x * x * x.  With @root: x to the power of one half, of real floats. */
int graph_power(struct graph *graph, unsigned dtype, int x, bool root);
/* Compare x[0] with x[1] exactly: the values of a signed integer dtype and of
   uint64, in either order. */
int graph_compare(struct graph *graph, unsigned operation, const int *x);
int graph_operation(struct graph *graph, unsigned operation, unsigned compute,
		    unsigned dtype, int n, const int *x);
int graph_where(struct graph *graph, unsigned dtype, const int *x);
int graph_cast(struct graph *graph, unsigned dtype, int x);
int graph_reduce(struct graph *graph, unsigned reduction, unsigned sum,
		 unsigned dtype, int x);
/* A step like @step of any graph, on the values @x.  An input or a scalar is
   the next one of this graph. */
int graph_like(struct graph *graph, const struct graph_step *step,
	       const int *x);

/* Whether comparison @operation holds for a negative integer at place @at (0 or
   1) and an unsigned one at the other. */
bool graph_compare_below(unsigned operation, int at);

/* Whether the step is an input, and whether it computes nothing. */
static inline bool graph_is_input(const struct graph_step *step)
{
	return step->kind == GRAPH_INPUT || step->kind == GRAPH_INDEX;
}
static inline bool graph_is_leaf(const struct graph_step *step)
{
	return graph_is_input(step) || step->kind == GRAPH_SCALAR;
}

/* Make @step a result.  Returns false if there is no room. */
bool graph_result(struct graph *graph, int step);

/* The step's dtype is computed with double precision. */
bool graph_is_double(const struct graph_step *step);

/* The number of bytes of the graph, from its first on, that say all. */
size_t graph_size(const struct graph *graph);

/* Whether a step is a reduction. */
bool graph_reduces(const struct graph *graph);

/* Whether any step uses @dtype, as operand or value. */
bool graph_uses(const struct graph *graph, unsigned dtype);

/*
 * Write the name of the graph's kernel: that of its operation and its dtype
 * ("add_float32") if there is just one beside casts, "cast_", "copy_", "fill_"
 * or "index_" and the dtype if there is none, else "fused_" and a hash.  It is
 * a name of C, of at most GRAPH_NAME - 1 bytes.
 */
#define GRAPH_NAME 48
void graph_name(const struct graph *graph, char name[GRAPH_NAME]);

#endif
