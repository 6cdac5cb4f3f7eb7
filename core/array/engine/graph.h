/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.h - what a kernel computes for each element: a list of steps.
 *
 * A step is an operand, a number, an operation of kernels/operations.def, a
 * where(), a cast, the bits of a value as another dtype, an element whose place
 * is computed, a reduction, or the place of a result.  The value of a step has
 * a dtype, and is rounded as if it were stored in an array of this dtype.  So a
 * result has the same bits as if the functions were called one after the other.
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
	GRAPH_INPUT, /* an element of input `at` */
	/* the position of an element in input `at`, as an int64: the input's
	   offset plus, for each axis, index times stride.  The input has no
	   memory */
	GRAPH_INDEX,
	GRAPH_SCALAR,    /* scalar `at`, passed by a launch */
	GRAPH_OPERATION, /* operation `at` of the table, on the n values x */
	GRAPH_WHERE,     /* x[0], a bool, chooses x[1] or x[2] */
	GRAPH_CAST,      /* x[0], of dtype `compute`, cast to `dtype` */
	/* reduction `at` of x[0] over a row, accumulated in dtype `compute`;
	   only in kernels of stages.h */
	GRAPH_REDUCE,
	/* the bits of x[0], of dtype `compute`, read as a value of `dtype`.
	   Both dtypes are integers or real floats of the same size */
	GRAPH_BITS,
	/* the element of input `at` whose place is x[0], an int64.  A place
	   counts elements, from the first element of the input's array on.  The
	   input is a source: a kernel reads it anywhere, not along its axes.
	   Not in kernels that reduce */
	GRAPH_GATHER,
	/* the value x[0], to be stored in a result.  Each element has a place
	   in the result by its layout, and is stored x[1] elements behind this
	   place.  x[1] is an int64; if it is negative, nothing is stored.
	   Where several elements reach one place, one of them is stored.  The
	   step must be a result, and no other step may use it.  Only in kernels
	   of SCHEDULE_FLAT and SCHEDULE_STRIDED */
	GRAPH_PUT
};

/* A step.  The struct has no padding, so that graphs can be compared as
   bytes. */
struct graph_step {
	uint8_t kind, n;
	uint8_t dtype; /* the dtype of the value */
	/* the dtype of the operands.  GRAPH_REDUCE: the dtype in which the
	   reduction accumulates.  Steps without operands: the same as
	   `dtype`. */
	uint8_t compute;
	/* what enum graph_kind calls `at`; 0 for kinds without `at` */
	uint16_t at;
	/* the numbers of the steps that are the operands; unused entries are
	   0 */
	uint16_t x[3];
};
_Static_assert(sizeof(struct graph_step) == 12, "no padding");

/* A graph.  Every step is used by a later step or is a result.  Inputs and
   scalars are numbered in the order of their steps.  A zeroed graph is
   empty. */
struct graph {
	uint16_t n_steps, n_inputs, n_scalars, n_results;
	uint16_t result[GRAPH_RESULTS]; /* the steps that are results */
	struct graph_step step[GRAPH_STEPS];
};

/* The functions from graph_input() to graph_like() add a step.  They return the
   number of the new step, or of an equal step that the graph has already; -1:
   the graph has no room.  Operands must be earlier steps.  Some operations
   return operands of some dtypes unchanged (`identity` in operations.h).  Such
   an operation has no kernel of these dtypes, and must not be added. */
int graph_input(struct graph *graph, unsigned dtype);
int graph_index(struct graph *graph);
int graph_scalar(struct graph *graph, unsigned dtype);
/* Add a power of step @x, a real float: pass @root = true for pow(x, 0.5),
   false for x * x * x. */
int graph_power(struct graph *graph, unsigned dtype, int x, bool root);
/* Add an exact comparison of x[0] with x[1].  One of the two must be of a
   signed integer dtype, and the other must be uint64. */
int graph_compare(struct graph *graph, unsigned operation, const int *x);
/* Add a comparison with 0 of step @x, an integer or a bool: pass @below = true
   for x < 0, false for x >= 0. */
int graph_sign(struct graph *graph, bool below, int x);
int graph_operation(struct graph *graph, unsigned operation, unsigned compute,
		    unsigned dtype, int n, const int *x);
int graph_where(struct graph *graph, unsigned dtype, const int *x);
int graph_cast(struct graph *graph, unsigned dtype, int x);
int graph_reduce(struct graph *graph, unsigned reduction, unsigned sum,
		 unsigned dtype, int x);
int graph_bits(struct graph *graph, unsigned dtype, int x);
/* Add an input of @dtype, and the step that reads this input at place @x. */
int graph_gather(struct graph *graph, unsigned dtype, int x);
int graph_put(struct graph *graph, int x, int place);
/* Add a copy of @step, a step of any graph, with the operands @x.  A copied
   input or scalar gets the next number of @graph, and so does the input of a
   GRAPH_GATHER. */
int graph_like(struct graph *graph, const struct graph_step *step,
	       const int *x);

/* The constant result of comparison @operation if operand @at (0 or 1) is a
   negative integer, and the other operand is unsigned. */
bool graph_compare_below(unsigned operation, int at);

/* graph_is_input(): whether a step is an input.  graph_is_leaf(): whether a
   step is an input or a scalar, and so computes nothing.  graph_reads_input():
   whether `at` of a step is the number of an input. */
static inline bool graph_is_input(const struct graph_step *step)
{
	return step->kind == GRAPH_INPUT || step->kind == GRAPH_INDEX;
}
static inline bool graph_is_leaf(const struct graph_step *step)
{
	return graph_is_input(step) || step->kind == GRAPH_SCALAR;
}
static inline bool graph_reads_input(const struct graph_step *step)
{
	return graph_is_input(step) || step->kind == GRAPH_GATHER;
}

/* Make @step a result.  Returns false if the graph has no room for another
   result. */
bool graph_result(struct graph *graph, int step);

/* graph_stored(): the step whose value is stored as result @k.  graph_place():
   if result @k is a GRAPH_PUT, the step x[1], which says how far behind its
   place an element is stored; -1: the result is no GRAPH_PUT.  graph_puts():
   whether any result is a GRAPH_PUT. */
static inline int graph_stored(const struct graph *graph, int k)
{
	const struct graph_step *step = &graph->step[graph->result[k]];

	return step->kind == GRAPH_PUT ? step->x[0] : graph->result[k];
}
static inline int graph_place(const struct graph *graph, int k)
{
	const struct graph_step *step = &graph->step[graph->result[k]];

	return step->kind == GRAPH_PUT ? step->x[1] : -1;
}
bool graph_puts(const struct graph *graph);

/* Whether a step needs double precision: not every device has it. */
bool graph_is_double(const struct graph_step *step);

/* The number of bytes in use at the beginning of @graph, up to its last
   step. */
size_t graph_size(const struct graph *graph);

/* graph_reduces(): whether any step is a reduction.  graph_gathers(): whether
   any step is a GRAPH_GATHER. */
bool graph_reduces(const struct graph *graph);
bool graph_gathers(const struct graph *graph);

/* Whether a kernel has to keep the stored 16 bits of step @i's value beside the
   float32 in which the value is computed.  This is so in graphs with GRAPH_BITS
   or steps whose places are computed, because a conversion to float32 and back
   may change the bits of a NaN.  The value of an operation is never kept: the
   kernel converts it to 16 bits where its bits are needed. */
bool graph_keeps_stored(const struct graph *graph, int i);

/* Whether any step uses @dtype, for operands or its value. */
bool graph_uses(const struct graph *graph, unsigned dtype);

/* Write the name of the graph's kernel, a C name of at most GRAPH_NAME - 1
   bytes.  A graph with one operation, and perhaps casts, gets the operation's
   name and dtype ("add_float32").  A graph without operations gets "cast_",
   "copy_", "fill_", "index_", "bits_", "gather_" or "put_" and the dtype.  Any
   other graph gets "fused_" and a hash. */
#define GRAPH_NAME 48
void graph_name(const struct graph *graph, char name[GRAPH_NAME]);

#endif
