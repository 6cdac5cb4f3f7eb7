/* SPDX-License-Identifier: Apache-2.0 */
/* Figures that "dpr bench" computes from times, and its checks of results. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench_measure.h"
#include "tools/bench/bench_values.h"

/* A side of a comparison.  Its runs take the times in a list. */
struct list {
	const double *seconds;
	int n, at, checks;
	bool fails;
};

static bool list_run(void *state, struct message *message)
{
	struct list *list = state;

	list->at++;
	return list->fails && list->at > 2 ? message_set(message, "it failed")
					   : true;
}

static double list_took(void *state)
{
	struct list *list = state;

	return list->seconds[(list->at - 1) % list->n];
}

static bool list_check(void *state, struct message *message)
{
	struct list *list = state;

	(void)message;
	list->checks++;
	return true;
}

static struct bench_side side_of(struct list *list, double work)
{
	struct bench_side side = { .work = work,
				   .state = list,
				   .run = list_run,
				   .took = list_took,
				   .check = list_check };

	return side;
}

/* With --quick, each side first makes one run that is not counted. */
static struct bench quick_bench(int rounds)
{
	struct bench bench = { .rounds = rounds, .quick = true };

	return bench;
}

START_TEST(test_medians)
{
	static const double ours[] = { 9, 1, 2, 3, 4 };
	static const double baseline[] = { 9, 2, 2, 2, 16 };
	struct list a = { ours, 5, 0, 0, false },
		    b = { baseline, 5, 0, 0, false };
	struct bench_side sides[] = { side_of(&a, 1), side_of(&b, 1) };
	struct bench bench = quick_bench(4);
	struct message message = MESSAGE_NONE;
	struct bench_figures f;

	ck_assert(bench_measure(&bench, BENCH_MS, &sides[0], &sides[1], &f,
				&message));
	ck_assert_int_eq(f.rounds, 4);
	ck_assert_double_eq_tol(f.value.median, 2500, 1e-9);
	ck_assert_double_eq_tol(f.value.low, 2000, 1e-9);
	ck_assert_double_eq_tol(f.value.high, 3000, 1e-9);
	ck_assert_double_eq_tol(f.baseline.median, 2000, 1e-9);
	/* The median of the ratios 0.5, 1, 1.5 and 0.25, not the ratio of the
	   medians. */
	ck_assert_double_eq_tol(f.ratio, 0.75, 1e-9);
	ck_assert_int_eq(a.checks, 1);
	ck_assert_int_eq(b.checks, 1);
}
END_TEST

START_TEST(test_units)
{
	static const double second[] = { 0.5 };
	const struct {
		enum bench_unit unit;
		double value;
	} cases[] = { { BENCH_GBPS, 4e-8 },
		      { BENCH_MS, 25 },
		      { BENCH_US, 25e3 },
		      { BENCH_NS, 25e6 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct list a = { second, 1, 0, 0, false };
		struct bench_side ours = side_of(&a, 20), none = { .work = 0 };
		struct bench bench = quick_bench(1);
		struct message message = MESSAGE_NONE;
		struct bench_figures f;

		ck_assert(bench_measure(&bench, cases[i].unit, &ours, &none, &f,
					&message));
		ck_assert_double_eq_tol(f.value.median, cases[i].value,
					1e-9 * cases[i].value);
	}
}
END_TEST

/* A part that is not exactly half of a device. */
START_TEST(test_halves)
{
	ck_assert_double_eq(bench_measure_as_half(4, 2, 1), 4);
	/* A third takes half as long again as half of the device. */
	ck_assert_double_eq(bench_measure_as_half(4, 3, 1), 6);
	ck_assert_double_eq(bench_measure_as_half(4, 120, 80), 3);
}
END_TEST

START_TEST(test_failing_side)
{
	static const double second[] = { 1 };
	struct list a = { second, 1, 0, 0, true };
	struct bench_side ours = side_of(&a, 1), none = { .work = 0 };
	struct bench bench = quick_bench(9);
	struct message message = MESSAGE_NONE;
	struct bench_figures f;

	ck_assert(!bench_measure(&bench, BENCH_NS, &ours, &none, &f, &message));
	ck_assert_str_eq(message_text(&message), "it failed");
	message_clear(&message);
}
END_TEST

static int chosen;

static double chosen_took(void *state)
{
	static const double seconds[] = { 3, 1, 2 };

	(void)state;
	return seconds[chosen];
}

START_TEST(test_choose)
{
	struct list a = { NULL, 1, 0, 0, false };
	struct bench_side side = side_of(&a, 1);
	struct bench bench = { .rounds = 1 };
	struct message message = MESSAGE_NONE;

	side.took = chosen_took;
	ck_assert(bench_measure_choose(&bench, &side, 3, &chosen, &message));
	ck_assert_int_eq(chosen, 1);
	/* Each choice was run. */
	ck_assert_int_ge(a.at, 6);
}
END_TEST

START_TEST(test_results)
{
	enum { COLUMNS = 37, N = COLUMNS * COLUMNS };
	struct message message = MESSAGE_NONE;
	float sum[N], turned[N];
	double total = 0;

	for (size_t i = 0; i < N; i++) {
		sum[i] = bench_values_x(i) + bench_values_y(i);
		turned[i] = bench_values_x(i) +
			    bench_values_y(i % COLUMNS * COLUMNS + i / COLUMNS);
		total += (double)bench_values_x(i);
	}
	ck_assert(bench_values_check_add(sum, N, 0, "x", &message));
	ck_assert(bench_values_check_add(turned, N, COLUMNS, "x", &message));
	ck_assert(!bench_values_check_add(turned, N, 0, "x", &message));
	ck_assert(!bench_values_check_add(sum, N, COLUMNS, "x", &message));
	sum[N - 1] += 0.25f;
	ck_assert(!bench_values_check_add(sum, N, 0, "x", &message));
	ck_assert(bench_values_check_sum(total, N, "x", &message));
	ck_assert(!bench_values_check_sum(total * 1.001, N, "x", &message));
	ck_assert(!bench_values_check_sum(0.0 / 0.0, N, "x", &message));
	message_clear(&message);
}
END_TEST

/* The values of large operands repeat, and the checks of results know that. */
START_TEST(test_periods)
{
	const size_t n = 2 * BENCH_VALUES_PERIOD + 100;
	struct message message = MESSAGE_NONE;
	float *x = bench_values_new(n, bench_values_x, &message);
	float *y = bench_values_new(n, bench_values_y, &message);
	size_t wrong = 0;
	double total = 0;

	ck_assert(x && y);
	for (size_t i = 0; i < n; i++) {
		wrong += x[i] != bench_values_x(i);
		wrong += y[i] != bench_values_y(i);
		total += (double)x[i];
	}
	ck_assert_uint_eq(wrong, 0);
	ck_assert(bench_values_check_x(x, n, "x", &message));
	ck_assert(bench_values_check_sum(total, n, "x", &message));
	ck_assert(!bench_values_check_sum(total * 1.001, n, "x", &message));
	for (size_t i = 0; i < n; i++)
		y[i] += x[i] * y[i];
	ck_assert(bench_values_check_multiply_add(y, n, "y", &message));
	y[BENCH_VALUES_PERIOD + 1] += 1;
	ck_assert(!bench_values_check_multiply_add(y, n, "y", &message));
	ck_assert_msg(strstr(message_text(&message), "y: element 519690 is"),
		      "%s", message_text(&message));
	x[n - 1] += 1;
	ck_assert(!bench_values_check_x(x, n, "x", &message));
	free(x);
	free(y);
	message_clear(&message);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bench");
	TCase *tc = tcase_create("bench");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, test_medians);
	tcase_add_test(tc, test_units);
	tcase_add_test(tc, test_halves);
	tcase_add_test(tc, test_failing_side);
	tcase_add_test(tc, test_choose);
	tcase_add_test(tc, test_results);
	tcase_add_test(tc, test_periods);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
