/* SPDX-License-Identifier: Apache-2.0 */
/* gather.h - reads the elements that arrays of indices name. */
#ifndef ARRAY_GATHER_H
#define ARRAY_GATHER_H

#include "core/array/indexing/indexing.h"

/* Read elements of @x into @out, which has the shape of @indexing, and a dtype
   to which the elements can be cast.  @out shares no memory with @x and the
   index arrays.  Afterwards @indexing may have other index arrays.  Does not
   test the indices: no place is outside of @x. */
dpr_status gather_into(struct indexing *indexing, const dpr_array *x,
		       dpr_array *out);

/* The kind of memory of a result that is read from @x. */
dpr_usm_kind gather_kind(const struct indexing *indexing, const dpr_array *x);

#endif
