/* SPDX-License-Identifier: Apache-2.0 */
/* one_kernel.h - decides whether rows are computed in one kernel. */
#ifndef ARRAY_ONE_KERNEL_H
#define ARRAY_ONE_KERNEL_H

#include "core/array/engine/launch_plan.h"
#include "core/array/engine/reduction/reduction.h"

enum one_kernel {
	ONE_KERNEL_WHOLE, /* one kernel can compute all rows */
	ONE_KERNEL_CUT,   /* not one, but a kernel may reduce parts of rows, and
			     another one the rest */
	ONE_KERNEL_DIFFERS
};

/* Whether all reductions of @call go over rows in the same way, which @out then
   is.  The pack is 0 if any will do. */
enum one_kernel one_kernel_find_shape(const struct stages_call *call,
				      struct reduction_shape *out);

/* DPR_ERROR_UNSUPPORTED: several kernels are faster than one, because of where
   the operands lie, or because there are few rows. */
dpr_status one_kernel_check(const struct launch_plan *p);

/* Fail with DPR_ERROR_UNSUPPORTED and say why. */
dpr_status one_kernel_refuse(const char *what, const char *why);

#endif
