/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_native.h - plans for reductions in native code (vmcode.h). */
#ifndef ARRAY_REDUCE_NATIVE_H
#define ARRAY_REDUCE_NATIVE_H

#include "core/array/engine/reduce/reduce_pass.h"

/* Choose the schedule and the parts of @p, whose layouts are described.
   DPR_ERROR_UNSUPPORTED: there are too many axes. */
dpr_status reduce_native_plan(struct pass *p);

/* Whether @p reduces rows element by element in their order, as vm_rows.h
   does.  Only values and results of @p are described.  Sets the number and the
   length of the rows, and the parts. */
bool reduce_native_foresee(struct pass *p);

/* Fill the words of a launch that computes @out. */
void reduce_native_words(struct pass *p, const dpr_array *out,
			 int64_t elements);

#endif
