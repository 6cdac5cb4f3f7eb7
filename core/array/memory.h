/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - elements between arrays and host memory. */
#ifndef ARRAY_MEMORY_H
#define ARRAY_MEMORY_H

#include "core/array/array.h"

/*
 * @x's elements in C order on its own queue: @x itself with one more reference
 * if it is C-contiguous, else a new array in DEVICE memory, packed there by a
 * kernel, or through host memory if the device runs none of ours.
 */
dpr_status memory_pack(const dpr_array *x, dpr_array **out);

#endif
