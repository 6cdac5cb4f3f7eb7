/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_tile.h - writes kernels in PTX that transpose operands in local
   memory. */
#ifndef ARRAY_PTX_TILE_H
#define ARRAY_PTX_TILE_H

#include "core/array/engine/ptx/ptx.h"

/* Write the body of a kernel of SCHEDULE_TILE. */
void ptx_tile(struct ptx *e);

#endif
