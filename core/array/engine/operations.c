/* SPDX-License-Identifier: Apache-2.0 */
/* operations.c - the table of elementwise operations. */
#include "core/array/engine/operations.h"

#include <string.h>

#include "core/array/element/dtype.h"

const struct operations_entry operations_table[] = {
#define OPERATIONS__X(name, n, family, result, classes, identity, guarded)     \
	{ #name,    n,      OPERATIONS_##family, OPERATIONS_##result, classes, \
	  identity, guarded },
	OPERATION_MAP(OPERATIONS__X)
#undef OPERATIONS__X
};

unsigned operations_dtype(unsigned op, unsigned dtype)
{
	switch (operations_table[op].result) {
	case OPERATIONS_BOOL: return DPR_BOOL;
	case OPERATIONS_REAL:
	case OPERATIONS_PART: return dtype_part((dpr_dtype)dtype);
	case OPERATIONS_SAME:
	case OPERATIONS_FLOAT:
	case OPERATIONS_COMPLEX:
	case OPERATIONS_FIRST: break;
	}
	return dtype;
}

bool operations_is_guarded(unsigned op, unsigned dtype)
{
	return strchr(operations_table[op].guarded,
		      dpr_dtype_kind((dpr_dtype)dtype)) != NULL;
}
