/* SPDX-License-Identifier: Apache-2.0 */
/*
 * singles.h - graphs of a single operation of the table, each operand of which
 * is an input or a number of its own, in their order.  All are of the dtype in
 * which it is computed.
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

#endif
