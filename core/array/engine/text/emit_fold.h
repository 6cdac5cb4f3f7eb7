/* SPDX-License-Identifier: Apache-2.0 */
/* emit_fold.h - the accumulated values of OpenCL C kernels that reduce. */
#ifndef ARRAY_EMIT_FOLD_H
#define ARRAY_EMIT_FOLD_H

#include "core/array/engine/text/emit_steps.h"

/* The dtype of the kernel's result. */
unsigned emit_fold_result(const struct frame *frame);

/* Declare the element of input @k, which all reduced elements share. */
void emit_fold_once(const struct emission *e, int k);

/* Write the first value of the reduction, in dtype @sum. */
void emit_fold_first(const struct emission *e, unsigned sum);

/* Write @what, of dtype @from, cast to dtype @to. */
void emit_fold_cast(const struct emission *e, unsigned from, unsigned to,
		    const char *what);

/* Write "to = " and the combination of @from and @to, in dtype @sum. */
void emit_fold_combine(const struct emission *e, unsigned sum, const char *to,
		       const char *from);

/* Declare the divisor of a mean. */
void emit_fold_divisor(const struct emission *e);

/* Write the stored form of the result, from the accumulated value @what. */
void emit_fold_finish(const struct emission *e, const char *what);

#endif
