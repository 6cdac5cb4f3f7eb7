/* SPDX-License-Identifier: Apache-2.0 */
/*
 * singles.h - recognises graphs of a single operation of
 * kernels/operations.def.
 *
 * The operands must be the graph's inputs or scalars, in the order of their
 * steps, and each must be used once.  All must have the dtype in which the
 * operation computes.
 */
#ifndef ARRAY_SINGLES_H
#define ARRAY_SINGLES_H

#include "core/array/engine/graph.h"

#define SINGLES_OPERANDS 3

struct single {
	unsigned operation, dtype;
	unsigned numbers; /* bit k is set if operand k is a scalar */
};

/* Whether @graph is a single operation; then *@out describes the operation. */
bool singles_find(const struct graph *graph, struct single *out);

#endif
