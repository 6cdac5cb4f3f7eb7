/* SPDX-License-Identifier: Apache-2.0 */
/*
 * singles.h - graphs of a single operation of the table, each operand of which
 * is an input or a number of its own, in their order.  All are of the dtype in
 * which it is computed.  And graphs of a single cast.
 */
#ifndef ARRAY_SINGLES_H
#define ARRAY_SINGLES_H

#include "core/array/engine/graph.h"

#define SINGLES_OPERANDS 3

struct single {
	unsigned operation, dtype;
	unsigned numbers; /* bit k: operand k is a number */
};

/* Whether @graph is such a graph, and which one. */
bool singles_find(const struct graph *graph, struct single *out);

/* Write the graph of @single.  False: its operation does not take its dtype, or
   only returns its operand, or no operand is an input. */
bool singles_graph(const struct single *single, struct graph *graph);

/* Go to the next one of @dtype that has a graph with @n inputs, or any if @n is
   0, and write that graph.  Begin with one that is zero-initialised; false:
   there is none. */
struct singles_walk {
	unsigned next;
	struct single single;
	struct graph graph;
};
bool singles_next(struct singles_walk *walk, unsigned dtype, int n);

/* Write the name of its kernel, which no other one has: graph_name(), and which
   operands are numbers ("add_float32_number2"). */
void singles_name(const struct single *single, char name[GRAPH_NAME]);

/* Write the graph that casts an array of @from to @to.  False: they are the
   same, or one cannot be cast so; or only @to is computed with double
   precision, which not every device has. */
bool singles_cast(unsigned from, unsigned to, struct graph *graph);

/* Whether @graph is such a graph; then write the name of its kernel, which no
   other one has. */
bool singles_find_cast(const struct graph *graph, char name[GRAPH_NAME]);

#endif
