/* SPDX-License-Identifier: Apache-2.0 */
/* compare.h - comparisons of integers that have no integer dtype in common. */
#ifndef ARRAY_COMPARE_H
#define ARRAY_COMPARE_H

#include <stdbool.h>

#include <dpr/array.h>

/* Whether operation @op compares an array of a signed integer dtype with one of
   uint64.  Both would be rounded as float64, so graph_compare() computes the
   result.  @operands are checked. */
bool compare_is_mixed(int op, const dpr_operand *operands);

/*
 * Whether operation @op compares an array, in the integer @dtype, with an
 * integer that @dtype cannot hold.  Then every element compares alike: @op
 * becomes an operation that gives the result for any integer, and the array
 * becomes its only operand.
 */
bool compare_shorten(int *op, dpr_operand *operands, dpr_dtype dtype);

#endif
