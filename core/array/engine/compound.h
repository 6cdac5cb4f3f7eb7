/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compound.h - operations that a graph computes in several steps: the family
 * `steps` of kernels/operations.def.
 *
 * Such an operation has no function in kernels/, and no kernel of its own.
 */
#ifndef ARRAY_COMPOUND_H
#define ARRAY_COMPOUND_H

#include <dpr/dtype.h>
#include <dpr/operand.h>

#include "core/array/engine/graph.h"
#include "core/array/engine/operations.h"

static inline bool compound_is(unsigned op)
{
	return operations_table[op].family == OPERATIONS_STEPS;
}

/* The most steps that operation @op adds to a graph, besides its operands.  0:
   @op is not an operation of the family `steps`. */
int compound_steps(unsigned op);

/* The signed integer dtype that has the size of @dtype, a real float. */
dpr_dtype compound_integer(dpr_dtype dtype);

/* The most constants that an operation needs (compound_number()). */
#define COMPOUND_NUMBERS 3

/* Some operations need constants as further operands.  Get constant @i (from 0
   on) and its dtype, for operation @op computed in dtype @compute.  Returns
   false if the operation has no constant @i. */
bool compound_number(unsigned op, dpr_dtype compute, int i, dpr_operand *number,
		     dpr_dtype *dtype);

/* Add the steps of operation @op.  @x lists the steps of its operands, then the
   steps of the constants of compound_number().  Returns the number of the last
   step; -1: the graph has no room. */
int compound_add(struct graph *graph, unsigned op, const int *x);

#endif
