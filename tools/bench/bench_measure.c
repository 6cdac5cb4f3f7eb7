/* SPDX-License-Identifier: Apache-2.0 */
/* bench_measure.c - timing two sides in turns, and comparing the times. */
#include "tools/bench/bench_measure.h"
#include "tools/shared/seconds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_RUNS = 3, LEAST_ROUNDS = 5, TRIAL_RUNS = 7 };

/* After LEAST_ROUNDS rounds, a row ends once it has taken this many seconds. */
#define LONGEST 20.0

static int compare_times(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Get the median and the quartiles.  Sorts @values. */
static struct bench_spread spread_of(double *values, int n)
{
	struct bench_spread s;

	qsort(values, (size_t)n, sizeof(*values), compare_times);
	s.median =
		n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
	s.low = values[n / 4];
	s.high = values[n - 1 - n / 4];
	return s;
}

static bool time_run(const struct bench_side *side, double *seconds,
		     struct message *message)
{
	double start = seconds_now();

	if (!side->run(side->state, message))
		return false;
	*seconds = seconds_now() - start;
	if (side->took)
		*seconds = side->took(side->state);
	/* The clock has steps: the time may be 0. */
	if (*seconds < 1e-9)
		*seconds = 1e-9;
	return true;
}

static double in_unit(enum bench_unit unit, double seconds, double work)
{
	switch (unit) {
	case BENCH_GBPS: return work / seconds * 1e-9;
	case BENCH_MS: return seconds / work * 1e3;
	case BENCH_US: return seconds / work * 1e6;
	case BENCH_NS: break;
	}
	return seconds / work * 1e9;
}

static bool warm_side(const struct bench *bench, const struct bench_side *side,
		      struct message *message)
{
	int i, runs = bench->quick ? 1 : WARM_RUNS;

	for (i = 0; i < runs; i++)
		if (!side->run(side->state, message))
			return false;
	return !side->check || side->check(side->state, message);
}

bool bench_measure(const struct bench *bench, enum bench_unit unit,
		   const struct bench_side *ours,
		   const struct bench_side *baseline, struct bench_figures *out,
		   struct message *message)
{
	const struct bench_side *sides[2] = { ours, baseline };
	const int n_sides = baseline->run ? 2 : 1;
	const double begin = seconds_now();
	size_t room = (size_t)bench->rounds;
	double *values = calloc(room, 3 * sizeof(*values));
	double seconds;
	bool ok = values != NULL;
	int i, k, s;

	memset(out, 0, sizeof(*out));
	if (!values)
		return message_set(message, "no memory for the times");
	for (s = 0; s < n_sides && ok; s++)
		ok = warm_side(bench, sides[s], message);
	for (i = 0; i < bench->rounds && ok; i++) {
		if (i >= LEAST_ROUNDS && seconds_now() - begin > LONGEST)
			break;
		/* Which side runs first may matter, so the sides take turns. */
		for (k = 0; k < n_sides && ok; k++) {
			s = n_sides == 2 ? (i + k) % 2 : 0;
			ok = time_run(sides[s], &seconds, message);
			values[(size_t)s * room + (size_t)i] =
				in_unit(unit, seconds, sides[s]->work);
		}
		if (n_sides == 2)
			values[2 * room + (size_t)i] =
				values[i] / values[room + (size_t)i];
	}
	out->rounds = i;
	if (ok && i) {
		out->value = spread_of(values, i);
		out->baseline = spread_of(values + room, i);
		out->ratio = spread_of(values + 2 * room, i).median;
	}
	free(values);
	return ok;
}

bool bench_measure_choose(const struct bench *bench,
			  const struct bench_side *side, int n, int *slot,
			  struct message *message)
{
	const int runs = bench->quick ? 1 : TRIAL_RUNS;
	double *values = calloc((size_t)n, (size_t)runs * sizeof(*values));
	double best = HUGE_VAL, median;
	int i, k, chosen = 0;

	if (!values)
		return message_set(message, "no memory for the times");
	/* The first run of each side builds its kernels. */
	for (i = -1; i < runs; i++)
		for (k = 0; k < n; k++) {
			double seconds;

			*slot = k;
			if (!time_run(side, &seconds, message)) {
				free(values);
				return false;
			}
			if (i >= 0)
				values[k * runs + i] = seconds;
		}
	for (k = 0; k < n; k++) {
		median = spread_of(values + k * runs, runs).median;
		if (median < best) {
			best = median;
			chosen = k;
		}
	}
	*slot = chosen;
	free(values);
	return true;
}

double bench_measure_as_half(double work, uint64_t units, uint64_t part)
{
	return work * (double)units / (2.0 * (double)part);
}
