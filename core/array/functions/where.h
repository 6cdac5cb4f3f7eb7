/* SPDX-License-Identifier: Apache-2.0 */
/* where.h - what a choice gives, before it is computed. */
#ifndef ARRAY_WHERE_H
#define ARRAY_WHERE_H

#include "core/array/functions/elementwise.h"

/* Find the outcome of dpr_where() with the two @values, in which `op` has no
   meaning.  Fails where dpr_where() would fail.  The operands' memory is not
   looked at. */
dpr_status where_foresee(const dpr_array *condition, const dpr_operand *values,
			 struct elementwise_outcome *out);

#endif
