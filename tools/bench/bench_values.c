/* SPDX-License-Identifier: Apache-2.0 */
/* bench_values.c - the elements of the operands, and whether results are right.
 */
#include "tools/bench/bench_values.h"

#include <math.h>
#include <stdlib.h>

float *bench_values_new(size_t n, float (*value)(size_t),
			struct message *message)
{
	float *values = malloc(n * sizeof(*values));
	size_t i;

	if (!values) {
		message_record(message, "no memory for %zu elements", n);
		return NULL;
	}
	for (i = 0; i < n; i++)
		values[i] = value(i);
	return values;
}

bool bench_values_check_add(const float *sum, size_t n, size_t columns,
			    const char *who, struct message *message)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const size_t j =
			columns ? i % columns * columns + i / columns : i;
		const float want = bench_values_x(i) + bench_values_y(j);

		if (sum[i] != want)
			return message_set(message,
					   "%s: element %zu is %g, not %g: the "
					   "result is wrong",
					   who, i, (double)sum[i],
					   (double)want);
	}
	return true;
}

bool bench_values_check_sum(double sum, size_t n, const char *who,
			    struct message *message)
{
	double want = 0;
	size_t i;

	for (i = 0; i < n; i++)
		want += (double)bench_values_x(i);
	/* In float32, however it is cut. */
	if (!(fabs(sum - want) <= 1e-5 * want))
		return message_set(message,
				   "%s: the sum is %g, not %g: it is wrong",
				   who, sum, want);
	return true;
}
