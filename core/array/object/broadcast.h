/* SPDX-License-Identifier: Apache-2.0 */
/* broadcast.h - the shape that operands broadcast to. */
#ifndef ARRAY_BROADCAST_H
#define ARRAY_BROADCAST_H

#include <stddef.h>
#include <stdint.h>

#include <dpr/array.h>

/* Get the shape that @n operands broadcast to.  DPR_ERROR_SHAPE: two do not
   match; the text names them.  @shape has room for DPR_MAX_RANK. */
dpr_status broadcast_shapes(const char *what, const dpr_array *const *operands,
			    size_t n, int *rank, int64_t *shape);

#endif
