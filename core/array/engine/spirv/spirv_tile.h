/* SPDX-License-Identifier: Apache-2.0 */
/* spirv_tile.h - FRAME_TILE as SPIR-V. */
#ifndef ARRAY_SPIRV_TILE_H
#define ARRAY_SPIRV_TILE_H

#include "core/array/engine/spirv/spirv_steps.h"

/* Append the body of a kernel that turns operands in local memory. */
void spirv_tile_add(struct spirv_steps *e);

#endif
