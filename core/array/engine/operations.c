/* SPDX-License-Identifier: Apache-2.0 */
/* operations.c - the table of elementwise operations. */
#include "core/array/engine/operations.h"

#include <string.h>

#include "core/array/element/dtype.h"

const struct operations_entry operations_table[] = {
#define OPERATIONS__X(name, n, family, result, classes, identity, guarded) \
	{ #name,   n,        IMAGES_##family, OPERATIONS_##result,         \
	  classes, identity, guarded },
	OPERATION_MAP(OPERATIONS__X)
#undef OPERATIONS__X
};

bool operations_is_guarded(unsigned op, unsigned dtype)
{
	return strchr(operations_table[op].guarded,
		      dpr_dtype_kind((dpr_dtype)dtype)) != NULL;
}
