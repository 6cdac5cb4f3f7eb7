/* SPDX-License-Identifier: Apache-2.0 */
/* vmcode_reduce.h - the reductions of programs (kernels/vm_program.h). */
#ifndef ARRAY_VMCODE_REDUCE_H
#define ARRAY_VMCODE_REDUCE_H

#include <dpr/launch.h>

#include "core/array/engine/schedule.h"
#include "kernels/vm_program.h"

/* Whether a program of @schedule ends in a reduction. */
static inline bool vmcode_reduce_is_end(const struct schedule *schedule)
{
	return schedule->kind == SCHEDULE_REDUCE_ROWS ||
	       schedule->kind == SCHEDULE_REDUCE_COLUMNS;
}

/* The dtype of the elements that a program of @graph reduces at its end.
   16-bit floats are cast to float32 before. */
unsigned vmcode_reduce_dtype(const struct graph *graph);

/* Describe the reduction at the end of a program of @graph and @schedule. */
struct vm_reducing vmcode_reduce_kind(const struct graph *graph,
				      const struct schedule *schedule);

/* Describe the reduction of rows @step, a GRAPH_REDUCE, whose operand has
   @dtype. */
struct vm_reducing vmcode_reduce_of_rows(const struct graph_step *step,
					 unsigned dtype);

/* The range of a launch of the program @code on a device with @cores cores.
   @code must end with the words of the launch.  In native code a team is a
   single work-item. */
dpr_range vmcode_reduce_range(const struct vm_code *code, uint64_t cores);

#endif
