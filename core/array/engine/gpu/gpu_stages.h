/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_stages.h - writes kernels that compute rows in stages:
   SCHEDULE_STAGES. */
#ifndef ARRAY_GPU_STAGES_H
#define ARRAY_GPU_STAGES_H

#include "core/array/engine/gpu/machine.h"

void gpu_stages_add(struct machine *m);

#endif
