/* SPDX-License-Identifier: Apache-2.0 */
/* elementwise.h - the dtypes of element-wise operations. */
#ifndef ARRAY_ELEMENTWISE_H
#define ARRAY_ELEMENTWISE_H

#include "core/array/engine/operations.h"
#include "core/array/launch/walk.h"
#include "core/array/object/array.h"

/*
 * Get the dtype that operation @op computes in for @operands, and the dtype of
 * its result.  Fails where the operation would fail.
 */
dpr_status elementwise_dtypes(int op, const dpr_operand *operands,
			      dpr_dtype *compute, dpr_dtype *result);

#endif
