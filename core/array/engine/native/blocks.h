/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocks.h - kernels for devices that take native code: no compiler, but a
 * program for the kernels of kernels/block.h, which the launch passes.
 */
#ifndef ARRAY_BLOCKS_H
#define ARRAY_BLOCKS_H

#include <dpr/launch.h>

#include "core/array/engine/frame.h"
#include "core/base/text.h"
#include "kernels/images.h"

/* The module with the kernels of all graphs, in images_native_format(). */
struct image blocks_image(void);

/* Write the name of @graph's kernel in that module.  Its parameters are the
   pointers of frame.h, and the bytes of a program. */
#define BLOCKS_NAME 16
void blocks_name(const struct graph *graph, char name[BLOCKS_NAME]);

/*
 * Append the program of @graph and @frame with the @words of a launch (NULL:
 * all 0) to @out, which is empty.  The words are its last bytes, 8 for each of
 * frame_words(): another launch needs only other words.  Returns false if
 * memory runs out, which @out tells, or a reduction computes too many values at
 * a time.
 */
bool blocks_program(const struct graph *graph, const struct frame *frame,
		    const uint64_t *words, struct text *out);

/* The longest row that a program of FRAME_STAGES may have. */
int64_t blocks_longest_row(const void *program);

/* The range of a launch of @program, with its words, on a device of @cores. */
dpr_range blocks_range(const void *program, uint64_t cores);

#endif
