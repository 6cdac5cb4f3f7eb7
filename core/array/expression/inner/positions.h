/* SPDX-License-Identifier: Apache-2.0 */
/* positions.h - arrays whose elements are their own positions. */
#ifndef ARRAY_POSITIONS_H
#define ARRAY_POSITIONS_H

#include "core/array/expression/value.h"

/* Make an array of shape @dim whose elements are their positions in row-major
   order.  Only the axes with @counted set are counted.  If the device can, the
   array is deferred, and then needs no memory.  @kind is the kind of memory. */
dpr_status positions_new(struct fusion *fusion, dpr_queue *queue,
			 struct place place, int rank, const int64_t *dim,
			 const bool *counted, dpr_usm_kind kind,
			 struct value *out);

#endif
