/* SPDX-License-Identifier: Apache-2.0 */
/* reduction_text.h - how kernels in OpenCL C go over what they reduce on a CPU:
   as native code does, with words and lanes of their own. */
#ifndef ARRAY_REDUCTION_TEXT_H
#define ARRAY_REDUCTION_TEXT_H

#include <dpr/launch.h>

#include "core/array/engine/reduction_pass.h"

/* Choose the frame, the parts, and how inputs are read. */
dpr_status reduction_text_plan(struct pass *p);

/* Let the pass store what is accumulated of the parts. */
void reduction_text_cut(struct pass *p);

/* Fill the words of a launch, and return how many there are. */
int reduction_text_words(struct pass *p, const dpr_array *out,
			 int64_t elements);

/* The most lanes of each of @count rows of @length elements, as a power of two:
   a reduction has those of emit_fold_line(), if these are less. */
uint8_t reduction_text_rows(int64_t count, int64_t length);

/* How many of @count teams or rows, of @size elements each, a work-item takes.
 */
uint64_t reduction_text_each(int64_t count, int64_t size);

/* The range for these words. */
dpr_range reduction_text_range(const struct pass *p);

#endif
