/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_reduce.h - writes kernels that reduce an axis: SCHEDULE_REDUCE_*. */
#ifndef ARRAY_GPU_REDUCE_H
#define ARRAY_GPU_REDUCE_H

#include "core/array/engine/gpu/machine.h"

void gpu_reduce_add(struct machine *m);

#endif
