/* SPDX-License-Identifier: Apache-2.0 */
/* rounds.h - arguments and the times of several rounds, for programs that
   measure. */
#ifndef TOOLS_BENCH_ROUNDS_H
#define TOOLS_BENCH_ROUNDS_H

#include <stdbool.h>
#include <stdio.h>
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

/* Run each of @n kernels @tries times, and return the fastest.  @run runs
   kernel
   @which and gets the seconds; the first time of each is not counted.  *@failed
   stays 0, or is what @run returned when it failed. */
static inline int rounds_fastest(int (*run)(void *context, int which,
					    double *seconds),
				 void *context, int n, int tries, int *failed)
{
	double least = 0, seconds;
	int best = 0;

	for (int i = 0; i < tries; i++)
		for (int k = 0; !*failed && k < n; k++) {
			*failed = run(context, k, &seconds);
			if (i && (least == 0 || seconds < least)) {
				least = seconds;
				best = k;
			}
		}
	return best;
}

/* What the user of a program chooses. */
struct rounds_choice {
	const char *selector;
	size_t numbers; /* of float32, a multiple of `step` */
	int rounds;
	double quantile;
};

/* Take [SELECTOR [MEGABYTES [ROUNDS [QUANTILE]]]] for what is in @choice, with
   @most rounds.  Returns false and prints the usage of @program if one is
   wrong. */
static inline bool rounds_choose(int argc, char **argv, const char *program,
				 size_t step, int most,
				 struct rounds_choice *choice)
{
	const size_t megabytes =
		argc > 2 ? strtoul(argv[2], NULL, 10) : (size_t)64;

	if (argc > 1)
		choice->selector = argv[1];
	choice->numbers = megabytes * 1000000 / 4 / step * step;
	choice->rounds = argc > 3 ? atoi(argv[3]) : 21;
	choice->quantile = argc > 4 ? strtod(argv[4], NULL) : 0.5;
	if (choice->numbers && choice->rounds >= 1 && choice->rounds <= most &&
	    choice->quantile >= 0 && choice->quantile <= 1)
		return true;
	fprintf(stderr,
		"usage: measure %s [SELECTOR [MEGABYTES [ROUNDS [QUANTILE]]]]\n",
		program);
	return false;
}

#endif
