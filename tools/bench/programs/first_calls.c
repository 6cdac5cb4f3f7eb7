/* SPDX-License-Identifier: Apache-2.0 */
/*
 * first_calls.c - how much longer the first call of an array function takes
 * than its second, in one process, once a queue exists and another array
 * function has run.  Each call is waited for.
 *
 *	bench/programs/first_calls [SELECTOR]
 *
 * It prints the five functions whose first calls take the longest beside the
 * second, in microseconds.
 */
#include <stdio.h>
#include <stdlib.h>

#include <dpr/dpr.h>

#include "tools/shared/seconds.h"

#define N 4096
#define SHOWN 5

static dpr_array *x, *y, *table;

#define ONE(function)                                     \
	static dpr_status run_##function(dpr_array **out) \
	{                                                 \
		return dpr_##function(x, out);            \
	}
#define TWO(function)                                     \
	static dpr_status run_##function(dpr_array **out) \
	{                                                 \
		return dpr_##function(x, y, out);         \
	}
#define REDUCED(function)                                 \
	static dpr_status run_##function(dpr_array **out) \
	{                                                 \
		return dpr_##function(table, NULL, out);  \
	}
#define COMPUTED(name, text)                                    \
	static dpr_status run_##name(dpr_array **out)           \
	{                                                       \
		return dpr_evaluate(text, out, "x", x, "y", y); \
	}
/* clang-format off */
#define FUNCTIONS(one, two, reduced, computed) \
	one(abs) one(negative) one(sqrt) one(square) one(exp) one(log) \
	one(sin) one(cos) one(tanh) one(floor) one(ceil) one(sign) \
	one(isnan) one(isfinite) one(copy) two(subtract) two(multiply) \
	two(divide) two(pow) two(maximum) two(minimum) two(atan2) two(hypot) \
	two(remainder) two(floor_divide) two(equal) two(less) \
	two(greater_equal) two(not_equal) two(logical_and) reduced(sum) \
	reduced(mean) reduced(max) reduced(min) reduced(any) reduced(all) \
	computed(norm, "sqrt(x*x + y*y)") \
	computed(softmax, "exp(x - max(x)) / sum(exp(y))") \
	computed(chosen, "where(x > y, exp(x), log(y + 1))") \
	computed(narrowed, "astype(x, int16) + astype(y, int8)")
/* clang-format on */

FUNCTIONS(ONE, TWO, REDUCED, COMPUTED)

#define ENTRY(function, ...) { #function, run_##function, 0, 0 },
static struct function {
	const char *name;
	dpr_status (*run)(dpr_array **out);
	double first, second; /* microseconds */
} functions[] = { FUNCTIONS(ENTRY, ENTRY, ENTRY, ENTRY) };
#define COUNT (sizeof(functions) / sizeof(functions[0]))

/* The first failure ends the program. */
static void must(dpr_status status)
{
	if (!status)
		return;
	fprintf(stderr, "first_calls: %s\n", dpr_last_error());
	exit(1);
}

static double microseconds_of(const struct function *f)
{
	const double start = seconds_now();
	dpr_array *out;

	must(f->run(&out));
	must(dpr_array_wait(out));
	dpr_array_release(out);
	return (seconds_now() - start) * 1e6;
}

/* The larger difference comes first. */
static int order(const void *a, const void *b)
{
	const struct function *f = a, *g = b;
	const double more = (f->first - f->second) - (g->first - g->second);

	return more > 0 ? -1 : more < 0;
}

int main(int argc, char **argv)
{
	dpr_queue *queue;
	dpr_array *sum;

	must(dpr_canonical_queue(argc > 1 ? argv[1] : NULL, &queue));
	must(dpr_full(DPR_SHAPE(N), 1.5, DPR_FLOAT32, queue, &x));
	must(dpr_full(DPR_SHAPE(N), 2.5, DPR_FLOAT32, queue, &y));
	must(dpr_full(DPR_SHAPE(N / 64, 64), 0.5, DPR_FLOAT32, queue, &table));
	must(dpr_add(x, y, &sum));
	must(dpr_array_wait(sum));
	for (size_t i = 0; i < COUNT; i++) {
		functions[i].first = microseconds_of(&functions[i]);
		functions[i].second = microseconds_of(&functions[i]);
	}
	qsort(functions, COUNT, sizeof(functions[0]), order);
	printf("%s, %d functions of %d float32, us:\n%-16s %10s %10s\n",
	       dpr_queue_name(queue), (int)COUNT, N, "", "first", "second");
	for (size_t i = 0; i < SHOWN; i++)
		printf("%-16s %10.1f %10.1f\n", functions[i].name,
		       functions[i].first, functions[i].second);
	dpr_array_release(sum);
	dpr_array_release(table);
	dpr_array_release(y);
	dpr_array_release(x);
	return 0;
}
