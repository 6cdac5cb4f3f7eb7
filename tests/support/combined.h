/* SPDX-License-Identifier: Apache-2.0 */
/* combined.h - what reductions combine, for tests with loops of their own. */
#ifndef TESTS_COMBINED_H
#define TESTS_COMBINED_H

#include <stdio.h>
#include <stdlib.h>

#include "core/array/engine/operations.h"
#include "tests/support/random.h"

/* Fill @numbers with @n elements of a dtype of @kind for a product.  Most of
   them are 1 or -1, so that floats have the product of any of them, in each
   order, without rounding.  Complex numbers are positive, so that no part of a
   product is -0. */
static inline void combined_factors(struct random *rng, char kind,
				    int8_t *numbers, int64_t n)
{
	static const int8_t factors[] = { 2, 2, 2, 2, 2, 3, 5, 7 };

	for (int64_t i = 0; i < n; i++)
		numbers[i] =
			kind == 'i' || kind == 'f'
				? (int8_t)(1 - 2 * random_between(rng, 0, 1))
				: 1;
	for (size_t i = 0; i < sizeof(factors); i++)
		numbers[random_between(rng, 0, n - 1)] =
			kind == 'b' ? 0 : factors[i];
}

/* The result of the combining operation @op for @a and @v. */
static inline double combined(unsigned op, double a, double v)
{
	switch (op) {
	case OPERATION__add: return a + v;
	case OPERATION__multiply: return a * v;
	case OPERATION__minimum:
	case OPERATION__bitwise_and: return v < a ? v : a;
	case OPERATION__maximum:
	case OPERATION__bitwise_or: return v > a ? v : a;
	}
	printf("operation %u is not known here\n", op);
	exit(1);
}

#endif
