/* SPDX-License-Identifier: Apache-2.0 */
/* spirv_fold.h - FRAME_FOLD_ROWS and FRAME_FOLD_COLUMNS as SPIR-V. */
#ifndef ARRAY_SPIRV_FOLD_H
#define ARRAY_SPIRV_FOLD_H

#include "core/array/engine/spirv/spirv_steps.h"

/* Append the body of a kernel that reduces an axis. */
void spirv_fold_add(struct spirv_steps *e);

#endif
