/* SPDX-License-Identifier: Apache-2.0 */
/* emit_reduce.h - the accumulated values of OpenCL C kernels that reduce. */
#ifndef ARRAY_EMIT_REDUCE_H
#define ARRAY_EMIT_REDUCE_H

#include "core/array/engine/text/emit_steps.h"

/* Write the value with which the reduction begins, in dtype @sum. */
void emit_reduce_first(const struct emission *e, unsigned sum);

/* Combine the value of the step that is reduced with accumulated value @at. */
void emit_reduce_add(const struct emission *e, struct machine_index at);

/* Combine each of @n values, the first at @at, with the value @n places
   further.  Neighbours are @apart values apart. */
void emit_reduce_halves(const struct emission *e, unsigned n, unsigned apart,
			struct machine_index at);

/* Combine values 0 of the work-items of each team in local memory; see
   machine.h. */
void emit_reduce_join(struct emission *e, unsigned team, uint32_t item,
		      uint32_t member);

/* Declare the divisor of a mean. */
void emit_reduce_divisor(const struct emission *e);

/* Write the stored form of the result, from accumulated value @at. */
void emit_reduce_finish(const struct emission *e, struct machine_index at);

#endif
