/* SPDX-License-Identifier: Apache-2.0 */
/* blocks_rows.h - the parts of programs that are special to rows
   (SCHEDULE_STAGES). */
#ifndef ARRAY_BLOCKS_ROWS_H
#define ARRAY_BLOCKS_ROWS_H

#include <dpr/launch.h>

#include "core/array/engine/native/blocks_orders.h"

/* Put the orders into sections (kernels/block_rows.h), make chains and pairs of
   them, and assign registers to their values.  Returns false if a limit of the
   program is exceeded. */
bool blocks_rows_arrange(struct maker *m);

/* The range of a launch of @code, which ends with its words, on a device with
   @cores cores. */
dpr_range blocks_rows_range(const struct block_code *code, uint64_t cores);

#endif
