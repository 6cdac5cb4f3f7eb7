/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transposed.h - decides how a kernel reads transposed operands.  A transposed
 * operand is contiguous along an axis other than the last.
 */
#ifndef ARRAY_TRANSPOSED_H
#define ARRAY_TRANSPOSED_H

#include "core/array/engine/launch_plan.h"

/* Whether an input of @p is transposed, and so large that a kernel should
   transpose it tile by tile (a tile is a small square).  If so, move the axis
   along which the input is contiguous next to the innermost axis.  The kernel
   goes over the axes of @p from @first on.  Native code decides when it runs
   whether it computes tiles (vm_cut() in kernels/vm_program.h). */
bool transposed_bring_inwards(struct launch_plan *p, int first);

/* For GPUs: do the same as transposed_bring_inwards(), and then choose
   SCHEDULE_TILE.  The schedule says which operands go through local memory. */
bool transposed_choose_squares(struct launch_plan *p, int first);

/* Whether a reduction reads @x about as fast as a contiguous array. */
bool transposed_reads_well(const dpr_array *x);

#endif
