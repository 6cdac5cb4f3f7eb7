/* SPDX-License-Identifier: Apache-2.0 */
/* vmcode_reduce.h - what only programs that reduce have. */
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

/* The dtype of the elements in the register that is reduced.  16-bit floats are
   cast to float32. */
unsigned vmcode_reduce_dtype(const struct graph *graph);

/* How a program of @graph and @schedule, which ends in a reduction, reduces. */
struct vm_reducing vmcode_reduce_kind(const struct graph *graph,
				      const struct schedule *schedule);

/* How @step, a GRAPH_REDUCE, reduces rows of @dtype. */
struct vm_reducing vmcode_reduce_of_rows(const struct graph_step *step,
					 unsigned dtype);

/* The range of a launch of @code, which must end with its words, on a device
   with @cores cores.  A team of schedule.h is a single work-item here. */
dpr_range vmcode_reduce_range(const struct vm_code *code, uint64_t cores);

#endif
