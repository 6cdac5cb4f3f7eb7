/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_tile.h - writes kernels that transpose operands in local memory:
   SCHEDULE_TILE. */
#ifndef ARRAY_GPU_TILE_H
#define ARRAY_GPU_TILE_H

#include "core/array/engine/gpu/machine.h"

void gpu_tile_add(struct machine *m);

#endif
