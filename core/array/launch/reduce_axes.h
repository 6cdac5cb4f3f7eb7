/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_axes.h - reduces axes of an array on its device: in one launch, in
   several, or from a copy. */
#ifndef ARRAY_REDUCE_AXES_H
#define ARRAY_REDUCE_AXES_H

#include "core/array/engine/reduce_table.h"
#include "core/array/object/array.h"

/*
 * Reduce the axes of @x that are marked in @reduced, and write the results to
 * @out.  Does not wait.  Each reduced axis must have at least one element.
 *
 * @as is the dtype to which elements are cast first.  Where engine_casts() is
 * false, @as must be the dtype of @x.  The dtype of @out must be
 * reduce_table_dtype(@reduction, @as).  @out has the kept axes of @x.  It may
 * also have the reduced axes, with extent 1.  @out is C-contiguous and may
 * overlap @x.
 */
dpr_status reduce_axes_launch(const char *what, enum reduction reduction,
			      const dpr_array *x, dpr_dtype as,
			      const bool *reduced, dpr_array *out);

#endif
