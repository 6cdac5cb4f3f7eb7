/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transposed.h - decides how a kernel reads transposed operands: their elements
 * lie side by side along another axis than the last.
 */
#ifndef ARRAY_TRANSPOSED_H
#define ARRAY_TRANSPOSED_H

#include "core/array/engine/launch_plan.h"

/* Whether an input of @p is transposed and so large that a kernel should turn
   squares of it.  If so, move the axis along which the input lies next to the
   innermost: native code then turns squares (kernels/block.c).  @p has axes
   from @first on. */
bool transposed_bring_inwards(struct launch_plan *p, int first);

/* The same for a GPU, with the frame: FRAME_TILE, and of each operand whether
   it goes through local memory. */
bool transposed_choose_squares(struct launch_plan *p, int first);

/* Whether a reduction reads @x about as fast as a contiguous array. */
bool transposed_reads_well(const dpr_array *x);

#endif
