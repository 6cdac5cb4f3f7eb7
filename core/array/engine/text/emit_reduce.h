/* SPDX-License-Identifier: Apache-2.0 */
/* emit_reduce.h - the accumulated values of OpenCL C kernels that reduce. */
#ifndef ARRAY_EMIT_REDUCE_H
#define ARRAY_EMIT_REDUCE_H

#include "core/array/engine/text/emit_steps.h"

/* Write the first value of the reduction, in dtype @sum. */
void emit_reduce_first(const struct emission *e, unsigned sum);

/* Combine the value of the accumulated step with value @at. */
void emit_reduce_add(const struct emission *e, struct machine_index at);

/* Combine @n values, the first at @at, with the values @n places further.
   Neighbours have distance @apart. */
void emit_reduce_halves(const struct emission *e, unsigned n, unsigned apart,
			struct machine_index at);

/* Combine values 0 of teams in local memory; see machine.h. */
void emit_reduce_join(struct emission *e, unsigned team, uint32_t item,
		      uint32_t member);

/* Declare the divisor of a mean. */
void emit_reduce_divisor(const struct emission *e);

/* Write the stored form of the result, from accumulated value @at. */
void emit_reduce_finish(const struct emission *e, struct machine_index at);

#endif
