/* SPDX-License-Identifier: Apache-2.0 */
/* emit_fold.h - what is accumulated by kernels as OpenCL C that reduce. */
#ifndef ARRAY_EMIT_FOLD_H
#define ARRAY_EMIT_FOLD_H

#include "core/array/engine/text/emit_steps.h"

/* The dtype of the values that are reduced, and that of the kernel's result. */
unsigned emit_fold_value(const struct graph *graph);
unsigned emit_fold_result(const struct frame *frame);

/* Whether values are added, and whether that rounds. */
bool emit_fold_adds(const struct frame *frame);
bool emit_fold_rounds(const struct frame *frame);

/* Whether the result is divided: a mean. */
bool emit_fold_divides(const struct frame *frame);

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

/* Write the function careful(), which adds numbers of @dtype and collects what
   rounding lost. */
void emit_fold_careful(struct text *out, unsigned dtype);

/* --- On a CPU --------------------------------------------------------------
 * Lanes accumulate a block of elements; then totals take what they have.
 */

/* Elements of a lane in a block of a sum that rounds. */
#define EMIT_FOLD_BLOCK 128

/* The lanes of a line, as a power of two, of each of @near neighbours that are
   accumulated in dtype @sum. */
int emit_fold_line(unsigned sum, int near);
/* The most bits of a line's lanes.  A line with fewer has less than
   EMIT_FOLD_SHORT elements, and so one block; with 0 it has less than
   EMIT_FOLD_LEAST. */
#define EMIT_FOLD_LONG 9
#define EMIT_FOLD_SHORT 1024
#define EMIT_FOLD_LEAST 32

/* The elements of a lane in a block of any reduction. */
int emit_fold_block(const struct frame *frame);

/* The dtype in which lanes accumulate values of dtype @value: that of @frame,
   or a smaller one. */
unsigned emit_fold_lane(const struct frame *frame, unsigned value);

/* How to begin a loop over @n elements of @dtype of which nothing is left but
   its vectors. */
#define EMIT_FOLD_LOOP 24
void emit_fold_straight(char loop[EMIT_FOLD_LOOP], unsigned dtype, int n);

/* Let the first @n of `what` be what there is before the first element. */
void emit_fold_fill(const struct emission *e, const char *what, const char *n,
		    unsigned dtype);

/* Declare @n totals, and let the first @n begin. */
void emit_fold_totals(const struct emission *e, int n);
void emit_fold_begin(const struct emission *e, const char *n);

/* Combine @width lanes of @dtype until @near are left. */
void emit_fold_halves(const struct emission *e, unsigned dtype, int width,
		      int near);

/* Let the first @n totals take what their lanes of @dtype have. */
void emit_fold_empty(const struct emission *e, unsigned dtype, const char *n);

/* Let total[j] have what rounding lost of it. */
void emit_fold_join(const struct emission *e);

/* --- Results ---------------------------------------------------------------
 */

/* Declare what a mean divides by. */
void emit_fold_divisor(const struct emission *e);

/* Write the result, as it is stored, of what was accumulated in @what. */
void emit_fold_finish(const struct emission *e, const char *what);

#endif
