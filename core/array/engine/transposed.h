/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transposed.h - decides how a kernel reads transposed operands.  A transposed
 * operand is contiguous along an axis other than the last.
 */
#ifndef ARRAY_TRANSPOSED_H
#define ARRAY_TRANSPOSED_H

#include "core/array/engine/launch_plan.h"

/* Whether an input of @p is transposed, and so large that a kernel should
   transpose squares of it.  If so, move the input's contiguous axis next to the
   innermost axis: native code then computes squares (kernels/vm.c).  The
   axes of @p begin with @first. */
bool transposed_bring_inwards(struct launch_plan *p, int first);

/* For GPUs: do the same, and choose SCHEDULE_TILE.  The schedule says which
   operands go through local memory. */
bool transposed_choose_squares(struct launch_plan *p, int first);

/* Whether a reduction reads @x about as fast as a contiguous array. */
bool transposed_reads_well(const dpr_array *x);

#endif
