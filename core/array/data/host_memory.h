/* SPDX-License-Identifier: Apache-2.0 */
/* host_memory.h - elements between arrays and host memory. */
#ifndef ARRAY_HOST_MEMORY_H
#define ARRAY_HOST_MEMORY_H

#include "core/array/object/array.h"

/*
 * @x's elements in C order on its own queue: @x itself with one more reference
 * if it is C-contiguous, else a new array in DEVICE memory that is there at
 * once, packed by a kernel.
 */
dpr_status host_memory_pack(const dpr_array *x, dpr_array **out);

/* Whether host_memory_pack() failed with @status since the device runs no
   kernels of ours or has no memory to pack into at once: then
   host_memory_move() does it. */
bool host_memory_cannot_pack(dpr_status status);

/* Whether @device takes any format that our kernels are in. */
bool host_memory_may_pack(dpr_device *device);

/* Copy @x's elements into @to, which is C-contiguous and of the same shape and
   dtype, piece by piece through HOST_MEMORY_STAGING bytes of host memory at
   most. Waits. */
dpr_status host_memory_move(const dpr_array *x, const dpr_array *to);
#define HOST_MEMORY_STAGING ((size_t)8 << 20)

#endif
