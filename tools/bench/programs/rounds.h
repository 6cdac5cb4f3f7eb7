/* SPDX-License-Identifier: Apache-2.0 */
/* rounds.h - the times of several rounds, for programs that measure. */
#ifndef TOOLS_BENCH_ROUNDS_H
#define TOOLS_BENCH_ROUNDS_H

#include <stdlib.h>

static int rounds_compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sort the times of @n rounds, and return the one at @quantile: 0.5 is the
   median. */
static inline double rounds_time(double *times, int n, double quantile)
{
	qsort(times, (size_t)n, sizeof(*times), rounds_compare);
	return times[(int)(quantile * (n - 1))];
}

#endif
