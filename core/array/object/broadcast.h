/* SPDX-License-Identifier: Apache-2.0 */
/* broadcast.h - finds the common shape of arrays. */
#ifndef ARRAY_BROADCAST_H
#define ARRAY_BROADCAST_H

#include <stddef.h>
#include <stdint.h>

#include <dpr/array.h>

/* Get the shape to which @n operands broadcast.  @shape has room for
   DPR_MAX_RANK extents.  DPR_ERROR_SHAPE: two operands do not match, and the
   text names them. */
dpr_status broadcast_shapes(const char *what, const dpr_array *const *operands,
			    size_t n, int *rank, int64_t *shape);

#endif
