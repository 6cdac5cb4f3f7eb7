/* SPDX-License-Identifier: Apache-2.0 */
/* compare.h - comparisons of integers that no integer dtype holds together. */
#ifndef ARRAY_COMPARE_H
#define ARRAY_COMPARE_H

#include <stdbool.h>

#include <dpr/array.h>

/* Whether operation @op compares an array of a signed integer dtype with an
   array of uint64.  Both would be rounded in float64, so graph_compare()
   computes the result.  @operands have been checked. */
bool compare_is_mixed(int op, const dpr_operand *operands);

/*
 * Whether operation @op compares an array in the integer @dtype with an integer
 * that does not fit into @dtype.  Then the result is the same for every
 * element: @op becomes an operation with this result for any integer, and the
 * array becomes its only operand.
 */
bool compare_shorten(int *op, dpr_operand *operands, dpr_dtype dtype);

#endif
