/* SPDX-License-Identifier: Apache-2.0 */
/* one_kernel.h - decides whether one kernel computes a graph that reduces rows
   and goes on with the results, such as softmax (stages.h). */
#ifndef ARRAY_ONE_KERNEL_H
#define ARRAY_ONE_KERNEL_H

#include "core/array/engine/launch_plan.h"
#include "core/array/engine/reduce/reduce_launch.h"

enum one_kernel {
	ONE_KERNEL_WHOLE, /* one kernel can compute all rows */
	/* a reduction cuts rows into parts: one kernel may reduce the parts,
	   and another may reduce the results of the parts and compute the rest
	   of the graph */
	ONE_KERNEL_CUT,
	ONE_KERNEL_DIFFERS
};

/* Find out how the reductions of @call go over rows.  ONE_KERNEL_WHOLE: all
   reductions go over rows in the same way, described by *@out.  If out->pack is
   0, the kernel may use packs of any size.  ONE_KERNEL_DIFFERS: the reductions
   go over rows in different ways, or a CPU would cut a row into parts. */
enum one_kernel one_kernel_find_shape(const struct stages_call *call,
				      struct reduce_shape *out);

/* Fail with DPR_ERROR_UNSUPPORTED if the layout of the operands or the number
   of rows makes several kernels faster than one. */
dpr_status one_kernel_check(const struct launch_plan *p);

/* Fail with DPR_ERROR_UNSUPPORTED.  @why is the reason, such as "the rows are
   too long". */
dpr_status one_kernel_refuse(const char *what, const char *why);

#endif
