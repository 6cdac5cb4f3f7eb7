/* SPDX-License-Identifier: Apache-2.0 */
/* emit_fold.h - what is accumulated by kernels as OpenCL C that reduce. */
#ifndef ARRAY_EMIT_FOLD_H
#define ARRAY_EMIT_FOLD_H

#include "core/array/engine/text/emit_steps.h"

/* The dtype of the kernel's result. */
unsigned emit_fold_result(const struct frame *frame);

/* Declare the element of input @k that is the same for all that is reduced. */
void emit_fold_once(const struct emission *e, int k);

/* Write what there is before the first element, in dtype @sum. */
void emit_fold_first(const struct emission *e, unsigned sum);

/* Write @what, of dtype @from, as dtype @to. */
void emit_fold_cast(const struct emission *e, unsigned from, unsigned to,
		    const char *what);

/* Write "to = " and the combination of @from and @to, in dtype @sum. */
void emit_fold_combine(const struct emission *e, unsigned sum, const char *to,
		       const char *from);

/* Declare what a mean divides by. */
void emit_fold_divisor(const struct emission *e);

/* Write the result, as it is stored, of what was accumulated in @what. */
void emit_fold_finish(const struct emission *e, const char *what);

#endif
