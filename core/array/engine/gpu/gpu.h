/* SPDX-License-Identifier: Apache-2.0 */
/* gpu.h - how kernels of GPUs go over their elements, in all formats but PTX.
 */
#ifndef ARRAY_GPU_H
#define ARRAY_GPU_H

#include "core/array/engine/gpu/machine.h"

/* Append a kernel's body.  The values of its scalars must be there already.
   Returns false if the kernel would be too long. */
bool gpu_add(struct machine *m);

#endif
