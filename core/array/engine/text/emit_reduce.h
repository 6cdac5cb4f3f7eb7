/* SPDX-License-Identifier: Apache-2.0 */
/* emit_reduce.h - writes the code that combines values in reductions, in OpenCL
   C.  An accumulator is a value with which a work-item combines one element
   after another. */
#ifndef ARRAY_EMIT_REDUCE_H
#define ARRAY_EMIT_REDUCE_H

#include "core/array/engine/text/emit_steps.h"

/* Write the value with which the reduction begins, in dtype @sum. */
void emit_reduce_first(const struct emission *e, unsigned sum);

/* Combine the value of the step that is reduced with accumulator @at. */
void emit_reduce_add(const struct emission *e, struct machine_index at);

/* Combine each of @n accumulators, the first at @at, with the accumulator @n
   places further.  A place is @apart accumulators. */
void emit_reduce_halves(const struct emission *e, unsigned n, unsigned apart,
			struct machine_index at);

/* Combine accumulator 0 of all work-items of each team, in local memory; see
   machine.h. */
void emit_reduce_join(struct emission *e, unsigned team, uint32_t item,
		      uint32_t member);

/* Declare the divisor of a mean. */
void emit_reduce_divisor(const struct emission *e);

/* Write the result that accumulator @at gives, as it is stored. */
void emit_reduce_finish(const struct emission *e, struct machine_index at);

#endif
