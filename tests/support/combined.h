/* SPDX-License-Identifier: Apache-2.0 */
/* combined.h - what reductions combine, for tests with loops of their own. */
#ifndef TESTS_COMBINED_H
#define TESTS_COMBINED_H

#include <stdio.h>
#include <stdlib.h>

#include "core/array/engine/operations.h"

/* What the combining operation @op makes of @a and @v. */
static inline double combined(unsigned op, double a, double v)
{
	switch (op) {
	case OPERATION__add: return a + v;
	case OPERATION__minimum:
	case OPERATION__bitwise_and: return v < a ? v : a;
	case OPERATION__maximum:
	case OPERATION__bitwise_or: return v > a ? v : a;
	}
	printf("operation %u is not known here\n", op);
	exit(1);
}

#endif
