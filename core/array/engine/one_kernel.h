/* SPDX-License-Identifier: Apache-2.0 */
/* one_kernel.h - decides whether rows are computed in one kernel. */
#ifndef ARRAY_ONE_KERNEL_H
#define ARRAY_ONE_KERNEL_H

#include "core/array/engine/launch_plan.h"
#include "core/array/engine/reduce/reduce_launch.h"

enum one_kernel {
	ONE_KERNEL_WHOLE, /* one kernel can compute all rows */
	/* a kernel may reduce parts of rows, and a second one reduces these */
	ONE_KERNEL_CUT,
	ONE_KERNEL_DIFFERS
};

/* Whether all reductions of @call go over rows in the same way.  If so, *@out
   describes this way.  A pack of 0 there means that any pack will do. */
enum one_kernel one_kernel_find_shape(const struct stages_call *call,
				      struct reduce_shape *out);

/* Check the operands and the number of rows.  DPR_ERROR_UNSUPPORTED: several
   kernels are faster than one. */
dpr_status one_kernel_check(const struct launch_plan *p);

/* Fail with DPR_ERROR_UNSUPPORTED, and say why. */
dpr_status one_kernel_refuse(const char *what, const char *why);

#endif
