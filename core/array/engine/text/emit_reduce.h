/* SPDX-License-Identifier: Apache-2.0 */
/* emit_reduce.h - writes the code that combines values in reductions, in OpenCL
   C.  An accumulator is a value with which a work-item combines one element
   after another. */
#ifndef ARRAY_EMIT_REDUCE_H
#define ARRAY_EMIT_REDUCE_H

#include "core/array/engine/text/emit_steps.h"

/* Write the value with which the reduction begins, such as 0 for a sum, in
   dtype @sum. */
void emit_reduce_first(const struct emission *e, unsigned sum);

/* Write code that combines accumulator @at with the value of e->summed, the
   step that is reduced. */
void emit_reduce_add(const struct emission *e, struct machine_index at);

/* Write one level of a binary tree.  For each i from 0 to @n - 1, accumulator
   @at + i * @apart is combined with accumulator @at + (i + @n) * @apart. */
void emit_reduce_halves(const struct emission *e, unsigned n, unsigned apart,
			struct machine_index at);

/* Write code that combines accumulator 0 of all work-items of each team, in
   local memory.  join() of machine.h has the same parameters. */
void emit_reduce_join(struct emission *e, unsigned team, uint32_t item,
		      uint32_t member);

/* If the reduction is a mean, declare its divisor, the number of elements. */
void emit_reduce_divisor(const struct emission *e);

/* Write an expression for the result: accumulator @at, divided if the reduction
   is a mean, and cast to the dtype of the results. */
void emit_reduce_finish(const struct emission *e, struct machine_index at);

#endif
