/* SPDX-License-Identifier: Apache-2.0 */
/* gpu.h - writes the body of a kernel for GPUs, in all formats but PTX. */
#ifndef ARRAY_GPU_H
#define ARRAY_GPU_H

#include "core/array/engine/gpu/machine.h"

/* Append a kernel's body.  The code before it must define the values of the
   scalars.  Returns false if the kernel would be too long. */
bool gpu_add(struct machine *m);

#endif
