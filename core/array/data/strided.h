/* SPDX-License-Identifier: Apache-2.0 */
/* strided.h - copies within host memory, between any layouts. */
#ifndef ARRAY_STRIDED_H
#define ARRAY_STRIDED_H

#include <stddef.h>
#include <stdint.h>

/*
 * Copy elements of 1, 2, 4, 8 or 16 bytes.  Strides are counted in elements.
 * The two sides must not overlap.  If several elements of the target share
 * memory, one of them is stored.  Large copies use several threads, which end
 * before this function returns.
 */
void strided_copy(int rank, const int64_t *dim, size_t item, char *to,
		  const int64_t *to_stride, const char *from,
		  const int64_t *from_stride);

#endif
