/* SPDX-License-Identifier: Apache-2.0 */
/* spirv_stages.h - FRAME_STAGES as SPIR-V. */
#ifndef ARRAY_SPIRV_STAGES_H
#define ARRAY_SPIRV_STAGES_H

#include "core/array/engine/spirv/spirv_steps.h"

/* Append the body of a kernel that computes a row in stages. */
void spirv_stages_add(struct spirv_steps *e);

#endif
