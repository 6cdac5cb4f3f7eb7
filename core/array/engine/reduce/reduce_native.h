/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_native.h - plans a pass of a reduction in native code (vmcode.h). */
#ifndef ARRAY_REDUCE_NATIVE_H
#define ARRAY_REDUCE_NATIVE_H

#include "core/array/engine/reduce/reduce_pass.h"

/* Choose the schedule and the parts of @p.  All layouts of @p must be set.
   DPR_ERROR_UNSUPPORTED: there are too many axes. */
dpr_status reduce_native_plan(struct pass *p);

/* Whether @p combines the elements of each row in the order of the row, as
   kernels of vm_rows.h do.  Only the layouts of the values and of the result
   must be set.  Sets the number and the length of the rows, and the parts. */
bool reduce_native_foresee(struct pass *p);

/* Fill the words (schedule.h) of a launch that writes @out.  @elements is the
   divisor of a mean. */
void reduce_native_words(struct pass *p, const dpr_array *out,
			 int64_t elements);

#endif
