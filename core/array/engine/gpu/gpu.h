/* SPDX-License-Identifier: Apache-2.0 */
/* gpu.h - writes the body of a kernel for GPUs, in OpenCL C or SPIR-V. */
#ifndef ARRAY_GPU_H
#define ARRAY_GPU_H

#include "core/array/engine/gpu/machine.h"

/* Append the body of the kernel @m.  Code before the body must define the
   values of the scalars.  Returns false if the kernel would be too long
   (stages_plan_is_long()). */
bool gpu_add(struct machine *m);

#endif
