/* SPDX-License-Identifier: Apache-2.0 */
/* bench_values.c - the elements of the operands, and checks of results. */
#include "tools/bench/bench_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

float *bench_values_new(size_t n, float (*value)(size_t),
			struct message *message)
{
	const size_t period = n < BENCH_VALUES_PERIOD ? n : BENCH_VALUES_PERIOD;
	float *values = malloc(n * sizeof(*values));
	size_t i;

	if (!values) {
		message_record(message, "no memory for %zu elements", n);
		return NULL;
	}
	for (i = 0; i < period; i++)
		values[i] = value(i);
	for (; i < n; i += period)
		memcpy(values + i, values,
		       (n - i < period ? n - i : period) * sizeof(*values));
	return values;
}

static float sum_of(size_t i)
{
	return bench_values_x(i) + bench_values_y(i);
}

static float multiply_add_of(size_t i)
{
	return bench_values_x(i) * bench_values_y(i) + bench_values_y(i);
}

static bool is_wrong(const char *who, size_t i, float is, float want,
		     struct message *message)
{
	return message_set(message,
			   "%s: element %zu is %g, not %g: the result is wrong",
			   who, i, (double)is, (double)want);
}

/* Whether element i equals @value(i).  The first period is checked, and the
   rest compared with it. */
static bool check_values(const float *values, size_t n, float (*value)(size_t),
			 const char *who, struct message *message)
{
	const size_t period = BENCH_VALUES_PERIOD;
	size_t i, k, part;

	for (i = 0; i < n && i < period; i++)
		if (values[i] != value(i))
			return is_wrong(who, i, values[i], value(i), message);
	for (; i < n; i += part) {
		part = n - i < period ? n - i : period;
		if (!memcmp(values + i, values, part * sizeof(*values)))
			continue;
		for (k = i; k < i + part; k++)
			if (values[k] != value(k))
				return is_wrong(who, k, values[k], value(k),
						message);
	}
	return true;
}

bool bench_values_check_add(const float *sum, size_t n, size_t columns,
			    const char *who, struct message *message)
{
	size_t i;

	if (!columns)
		return check_values(sum, n, sum_of, who, message);
	for (i = 0; i < n; i++) {
		const size_t j = i % columns * columns + i / columns;
		const float want = bench_values_x(i) + bench_values_y(j);

		if (sum[i] != want)
			return is_wrong(who, i, sum[i], want, message);
	}
	return true;
}

bool bench_values_check_multiply_add(const float *out, size_t n,
				     const char *who, struct message *message)
{
	return check_values(out, n, multiply_add_of, who, message);
}

bool bench_values_check_x(const float *values, size_t n, const char *who,
			  struct message *message)
{
	return check_values(values, n, bench_values_x, who, message);
}

bool bench_values_check_sum(double sum, size_t n, const char *who,
			    struct message *message)
{
	const size_t period = BENCH_VALUES_PERIOD;
	double whole = 0, rest = 0, want;
	size_t i;

	for (i = 0; i < period; i++) {
		whole += (double)bench_values_x(i);
		if (i < n % period)
			rest += (double)bench_values_x(i);
	}
	want = (double)(n / period) * whole + rest;
	/* Sums in float32 stay within this bound, in whichever order the
	   elements are added. */
	if (!(fabs(sum - want) <= 1e-5 * want))
		return message_set(
			message,
			"%s: the sum is %g, not %g: the result is wrong", who,
			sum, want);
	return true;
}
