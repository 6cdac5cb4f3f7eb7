/* SPDX-License-Identifier: Apache-2.0 */
/* bench_values.h - the elements of the operands, and checks of results. */
#ifndef TOOLS_BENCH_VALUES_H
#define TOOLS_BENCH_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/shared/message.h"

/* Element @i of the first and of the second operand: exact in float32, and so
   are their sums and products. */
static inline float bench_values_x(size_t i)
{
	return (float)(i % 1021);
}

static inline float bench_values_y(size_t i)
{
	return (float)(i % 509) * 0.25f;
}

/* The elements of both operands repeat after this many. */
#define BENCH_VALUES_PERIOD ((size_t)1021 * 509)

/* Allocate host memory with these elements.  NULL with a message. */
float *bench_values_new(size_t n, float (*value)(size_t),
			struct message *message);

/* Whether @sum is x + y or, if @columns > 0, x + transposed y.  A message names
   the side as @who. */
bool bench_values_check_add(const float *sum, size_t n, size_t columns,
			    const char *who, struct message *message);

/* Whether @out is x * y + y. */
bool bench_values_check_multiply_add(const float *out, size_t n,
				     const char *who, struct message *message);

/* Whether @values are the elements of x. */
bool bench_values_check_x(const float *values, size_t n, const char *who,
			  struct message *message);

/* Whether @sum is the sum of x. */
bool bench_values_check_sum(double sum, size_t n, const char *who,
			    struct message *message);

#endif
