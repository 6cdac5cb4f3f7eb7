/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_first.c - how much longer the first call of an array function takes
 * than its second.  The calls are made by a child of this program, which has a
 * queue and has called another array function before.  Each call is waited
 * for.
 */
#include "tools/bench/start/bench_first.h"

#include <unistd.h>

#include <dpr/dpr.h>

#include "tools/bench/start/bench_start.h"
#include "tools/shared/seconds.h"

#define N 4096

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
#define COMPUTED(name, text)                                          \
	static dpr_status run_##name(dpr_array **out)                 \
	{                                                             \
		return dpr_evaluate(text, NULL, out, "x", x, "y", y); \
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

#define ENTRY(function, ...) { run_##function },
static const struct function {
	dpr_status (*run)(dpr_array **out);
} functions[] = { FUNCTIONS(ENTRY, ENTRY, ENTRY, ENTRY) };
#define COUNT (sizeof(functions) / sizeof(functions[0]))

/* Call @f, and add the time that it takes to @seconds. */
static bool call(const struct function *f, double *seconds,
		 struct message *message)
{
	const double start = seconds_now();
	dpr_array *out = NULL;
	bool ok = !f->run(&out) && !dpr_array_wait(out);

	if (!ok)
		ok = bench_side_failed(message);
	*seconds += seconds_now() - start;
	dpr_array_release(out);
	return ok;
}

/* Make the operands, and add two of them. */
static bool prepare(const char *selector, struct message *message)
{
	dpr_queue *queue;
	dpr_array *sum = NULL;
	const bool ok = !dpr_canonical_queue(selector, &queue) &&
			!dpr_full(DPR_SHAPE(N), 1.5, DPR_FLOAT32, queue, &x) &&
			!dpr_full(DPR_SHAPE(N), 2.5, DPR_FLOAT32, queue, &y) &&
			!dpr_full(DPR_SHAPE(N / 64, 64), 0.5, DPR_FLOAT32,
				  queue, &table) &&
			!dpr_add(x, y, &sum) && !dpr_array_wait(sum);

	dpr_array_release(sum);
	return ok || bench_side_failed(message);
}

int bench_first_child(const char *selector, int fd)
{
	struct message message = MESSAGE_NONE;
	double most = 0;
	bool ok = prepare(selector, &message);

	for (size_t i = 0; ok && i < COUNT; i++) {
		double first = 0, second = 0;

		ok = call(&functions[i], &first, &message) &&
		     call(&functions[i], &second, &message);
		if (first - second > most)
			most = first - second;
	}
	dpr_array_release(table);
	dpr_array_release(y);
	dpr_array_release(x);
	return bench_start_report(ok, most, fd, &message);
}

bool bench_first_ours(struct bench *bench, struct bench_side *side,
		      struct message *message)
{
	return bench_start_open(
		&(struct bench_child){
			.words = { "bench", "--first-call",
				   dpr_device_selector(bench->device) },
			.input = -1,
			.reports = true,
			.cold = true },
		side, message);
}
