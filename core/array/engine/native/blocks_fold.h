/* SPDX-License-Identifier: Apache-2.0 */
/* blocks_fold.h - the parts of programs that are special to reductions. */
#ifndef ARRAY_BLOCKS_FOLD_H
#define ARRAY_BLOCKS_FOLD_H

#include <dpr/launch.h>

#include "core/array/engine/schedule.h"
#include "kernels/block_program.h"

/* Whether a program of @schedule ends in a reduction. */
static inline bool blocks_fold_is_end(const struct schedule *schedule)
{
	return schedule->kind == SCHEDULE_FOLD_ROWS ||
	       schedule->kind == SCHEDULE_FOLD_COLUMNS;
}

/* The dtype of the elements in the register that is reduced.  16-bit floats are
   cast to float32. */
unsigned blocks_fold_dtype(const struct graph *graph);

/* How a program of @graph and @schedule reduces. */
struct block_folding blocks_fold_kind(const struct graph *graph,
				      const struct schedule *schedule);

/* How @step, a GRAPH_REDUCE, reduces rows of @dtype. */
struct block_folding blocks_fold_of_rows(const struct graph_step *step,
					 unsigned dtype);

/* The range of a launch on a device with @cores cores.  Each work-item is a
   team. */
dpr_range blocks_fold_range(const struct block_code *code, uint64_t cores);

#endif
