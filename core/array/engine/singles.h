/* SPDX-License-Identifier: Apache-2.0 */
/*
 * singles.h - recognises graphs of a single operation of
 * kernels/operations.def.
 *
 * A graph is a single if it has one result and if operand k of its operation is
 * step k.  Each operand is an input or a scalar of the dtype in which the
 * operation computes.  There is at least one input, and at most
 * SINGLES_OPERANDS operands.
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
