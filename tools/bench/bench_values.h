/* SPDX-License-Identifier: Apache-2.0 */
/* bench_values.h - the elements of the operands, and right results. */
#ifndef TOOLS_BENCH_VALUES_H
#define TOOLS_BENCH_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/shared/message.h"

/* Element @i of the first and of the second operand: exact in float32, and so
   are their sums. */
static inline float bench_values_x(size_t i)
{
	return (float)(i % 1021);
}

static inline float bench_values_y(size_t i)
{
	return (float)(i % 509) * 0.25f;
}

/* Allocate host memory with these elements.  NULL with a message. */
float *bench_values_new(size_t n, float (*value)(size_t),
			struct message *message);

/* Whether @sum is x + y, or x + transposed y with @columns > 0.  @who names the
   side in the message. */
bool bench_values_check_add(const float *sum, size_t n, size_t columns,
			    const char *who, struct message *message);

/* Whether @sum is the sum of x. */
bool bench_values_check_sum(double sum, size_t n, const char *who,
			    struct message *message);

#endif
