/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_fold.h - kernels that reduce an axis: SCHEDULE_FOLD_*. */
#ifndef ARRAY_GPU_FOLD_H
#define ARRAY_GPU_FOLD_H

#include "core/array/engine/gpu/machine.h"

void gpu_fold_add(struct machine *m);

#endif
