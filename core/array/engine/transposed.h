/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transposed.h - decides how a kernel reads transposed operands.  A transposed
 * operand is contiguous along an axis other than the last.
 */
#ifndef ARRAY_TRANSPOSED_H
#define ARRAY_TRANSPOSED_H

#include "core/array/engine/launch_plan.h"

/* Prepare @p for a kernel that transposes an input tile by tile.  (A tile is a
   small square.)  If an input is transposed, and the kernel computes many
   elements, the axis along which the input is contiguous is moved next to the
   innermost axis, and true is returned.  Otherwise returns false.  The kernel
   goes over the axes of @p from axis @first on.  In native code the kernel
   decides at run time whether it uses tiles (vm_cut() in kernels/vm_program.h).
   */
bool transposed_bring_inwards(struct launch_plan *p, int first);

/* For GPUs: call transposed_bring_inwards().  If that function returns true,
   choose SCHEDULE_TILE and return true.  The schedule says which inputs are
   transposed in local memory. */
bool transposed_choose_squares(struct launch_plan *p, int first);

/* Whether a reduction reads @x about as fast as it reads a contiguous array. */
bool transposed_reads_well(const dpr_array *x);

#endif
