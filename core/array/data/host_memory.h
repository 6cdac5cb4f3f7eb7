/* SPDX-License-Identifier: Apache-2.0 */
/* host_memory.h - copies elements between arrays and host memory. */
#ifndef ARRAY_HOST_MEMORY_H
#define ARRAY_HOST_MEMORY_H

#include "core/array/object/array.h"

/*
 * Get the elements of @x in C order on its queue.  If @x is C-contiguous, this
 * is @x with another reference.  Otherwise a kernel packs the elements into a
 * new array in DEVICE memory.  Packing fails instead of waiting for memory.
 */
dpr_status host_memory_pack(const dpr_array *x, dpr_array **out);

/* Whether @status of host_memory_pack() means that the device cannot run the
   library's kernels, or has no memory for the packed array.  Then use
   host_memory_move(). */
bool host_memory_cannot_pack(dpr_status status);

/* The address of the first element of @x if the host uses the memory without
   moving it, else NULL. */
char *host_memory_address(const dpr_array *x);

/* Make a C-contiguous array in DEVICE memory with the dtype, shape and queue of
   @x.  host_memory_packed() also copies the elements of @x into the array.
   Both fail instead of waiting for memory. */
dpr_status host_memory_packed(const dpr_array *x, dpr_array **out);
dpr_status host_memory_room(const dpr_array *x, dpr_array **out);

/* Begin to write @view in several submissions: if they write all of its
   allocation, make contents valid that failed work has left invalid. */
dpr_status host_memory_begin(const dpr_array *view);

/* Copy the elements of @x into @to, which is C-contiguous and has the same
   shape and dtype.  The elements go through at most HOST_MEMORY_STAGING bytes
   of host memory.  Waits. */
dpr_status host_memory_move(const dpr_array *x, const dpr_array *to);
#define HOST_MEMORY_STAGING ((size_t)8 << 20)

#endif
