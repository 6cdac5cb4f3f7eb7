/* SPDX-License-Identifier: Apache-2.0 */
/* reduction_blocks.h - plans for reductions in native code (blocks.h). */
#ifndef ARRAY_REDUCTION_BLOCKS_H
#define ARRAY_REDUCTION_BLOCKS_H

#include "core/array/engine/reduction/reduction_pass.h"

/* Choose the schedule and the parts of @p, whose layouts are described.
   DPR_ERROR_UNSUPPORTED: there are too many axes. */
dpr_status reduction_blocks_plan(struct pass *p);

/* Whether @p reduces rows element by element in their order, as block_rows.h
   does.  Only values and results of @p are described.  Sets the number and the
   length of the rows, and the parts. */
bool reduction_blocks_foresee(struct pass *p);

/* Fill the words of a launch that computes @out. */
void reduction_blocks_words(struct pass *p, const dpr_array *out,
			    int64_t elements);

#endif
