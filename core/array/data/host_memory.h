/* SPDX-License-Identifier: Apache-2.0 */
/* host_memory.h - copying elements between arrays and host memory. */
#ifndef ARRAY_HOST_MEMORY_H
#define ARRAY_HOST_MEMORY_H

#include "core/array/object/array.h"

/*
 * Get @x's elements in C order on its own queue: @x itself with another
 * reference if it is C-contiguous; otherwise a kernel packs them into a new
 * array in DEVICE memory.  Packing fails rather than wait for memory.
 */
dpr_status host_memory_pack(const dpr_array *x, dpr_array **out);

/* Whether @status of host_memory_pack() means that the device cannot run the
   library's kernels or has no free memory for the packed array.  Then use
   host_memory_move(). */
bool host_memory_cannot_pack(dpr_status status);

/* Copy @x's elements into @to, which is C-contiguous and of the same shape and
   dtype, piece by piece through HOST_MEMORY_STAGING bytes of host memory at
   most. Waits. */
dpr_status host_memory_move(const dpr_array *x, const dpr_array *to);
#define HOST_MEMORY_STAGING ((size_t)8 << 20)

#endif
