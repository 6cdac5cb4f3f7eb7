/* SPDX-License-Identifier: Apache-2.0 */
/* blocks_rows.h - programs of blocks.h that compute rows (FRAME_STAGES). */
#ifndef ARRAY_BLOCKS_ROWS_H
#define ARRAY_BLOCKS_ROWS_H

#include <dpr/launch.h>

#include "core/array/engine/native/blocks_orders.h"

/* Find the values that belong to rows. */
void blocks_rows_mark(struct maker *m);

/* Put the orders into sections (kernels/block_rows.h), and give their values
   registers.  Returns false if there are too many of anything. */
bool blocks_rows_arrange(struct maker *m);

/* The range of a launch of @code, with its words, on a device of @cores. */
dpr_range blocks_rows_range(const struct block_code *code, uint64_t cores);

#endif
