/* SPDX-License-Identifier: Apache-2.0 */
/* where.h - the outcome of a choice, before it is computed. */
#ifndef ARRAY_WHERE_H
#define ARRAY_WHERE_H

#include "core/array/functions/elementwise.h"

/* Find the outcome of dpr_where() with the two @values, without reading the
   operands' memory.  Fails where dpr_where() would fail.  The member `op` is
   not set. */
dpr_status where_foresee(const dpr_array *condition, const dpr_operand *values,
			 struct elementwise_outcome *out);

#endif
