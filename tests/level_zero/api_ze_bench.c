/* SPDX-License-Identifier: Apache-2.0 */
/* The baselines of dpr bench on Level Zero run, do the work that they claim,
   and leave nothing behind.  Their times are not tested. */
#include "tests/level_zero/level_zero_test.h"

#include "tools/bench/bench_side.h"
#include "tools/bench/level_zero/bench_ze.h"
#include "tools/bench/level_zero/bench_ze_baselines.h"

#define APPEND "zeCommandListAppendLaunchKernel"
/* ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY */
#define CODE 0x70000003

static const struct {
	bench_open open;
	unsigned calls;
} baselines[] = {
	{ bench_ze_baselines_small_add, 1000 },
	{ bench_ze_baselines_kernel, 1000 },
	{ bench_ze_baselines_launch_wait, 10 },
	{ bench_ze_baselines_launch, 1000 },
};
enum { N_BASELINES = sizeof(baselines) / sizeof(baselines[0]) };

/* _i 0: on a device; 1: with lists that the driver's flag keeps in order; 2: on
   a tile. */
static void open_bench(struct bench *bench, int i)
{
	struct message message = MESSAGE_NONE;

	zecpu->set("IN_ORDER", i == 1);
	zecpu->set("REVERSE", 1);
	use_backends(NULL);
	memset(bench, 0, sizeof(*bench));
	bench->device = get_device(i == 2 ? "level_zero:0.1" : "level_zero:0");
	bench->quick = true;
	CHECK_OK(dpr_device_queue(bench->device, &bench->queue));
	bench->ze = bench_ze_open(bench->device, &message);
	ck_assert_msg(bench->ze != NULL, "%s", message_text(&message));
	ck_assert(bench->ze->in_order == (i == 1));
}

static void close_bench(struct bench *bench)
{
	bench_ze_close(bench->ze);
	finish_all();
}

/* Run each baseline three times, so that events are used again. */
START_TEST(baselines_do_their_work)
{
	struct message message = MESSAGE_NONE;
	struct bench_side side;
	struct bench bench;
	uint64_t before;
	int run;

	open_bench(&bench, _i);
	for (size_t i = 0; i < N_BASELINES; i++) {
		memset(&side, 0, sizeof(side));
		ck_assert_msg(baselines[i].open(&bench, &side, &message), "%s",
			      message_text(&message));
		ck_assert(*side.name);
		ck_assert_double_eq(side.work, baselines[i].calls);
		for (run = 0; run < 3; run++) {
			before = zecpu->calls(APPEND);
			ck_assert_msg(side.run(side.state, &message), "%s",
				      message_text(&message));
			ck_assert_uint_eq(zecpu->calls(APPEND) - before,
					  baselines[i].calls);
			if (side.check)
				ck_assert_msg(side.check(side.state, &message),
					      "%s", message_text(&message));
		}
		side.close(side.state);
	}
	close_bench(&bench);
}
END_TEST

/* If a call of the driver fails while a baseline is opened (the first n_open
   entries) or run (the others), the baseline's message names the call, and
   nothing is left behind. */
START_TEST(baselines_report_failures)
{
	static const char *const entries[] = {
		"zeKernelCreate", "zeEventPoolCreate",
		"zeEventCreate",  "zeKernelSetGroupSize",
		APPEND,           "zeEventHostReset",
	};
	const size_t n_open = 4, n = sizeof(entries) / sizeof(entries[0]);
	struct message message = MESSAGE_NONE;
	struct bench_side side;
	struct bench bench;
	char text[100];
	bool ok;

	open_bench(&bench, 0);
	for (size_t i = 0; i < N_BASELINES; i++)
		for (size_t k = 0; k < n; k++) {
			memset(&side, 0, sizeof(side));
			if (k < n_open)
				zecpu->fail(entries[k], 1, CODE);
			ok = baselines[i].open(&bench, &side, &message);
			ck_assert(ok == (k >= n_open));
			if (ok)
				zecpu->fail(entries[k], 1, CODE);
			ck_assert(!ok || !side.run(side.state, &message));
			snprintf(text, sizeof(text),
				 "the baseline's %s failed (0x70000003)",
				 entries[k]);
			ck_assert_str_eq(message_text(&message), text);
			zecpu->fail(NULL, 0, 0);
			side.close(side.state);
			message_clear(&message);
		}
	close_bench(&bench);
}
END_TEST

/* The check of a baseline notices that it has computed nothing. */
START_TEST(wrong_baselines_are_found)
{
	struct message message = MESSAGE_NONE;
	struct bench_side side;
	struct bench bench;

	open_bench(&bench, 0);
	for (size_t i = 0; i < 3; i++) {
		memset(&side, 0, sizeof(side));
		ck_assert(baselines[i].open(&bench, &side, &message));
		ck_assert(!side.check(side.state, &message));
		ck_assert_msg(strstr(message_text(&message), "element") != NULL,
			      "%s", message_text(&message));
		side.close(side.state);
		message_clear(&message);
	}
	close_bench(&bench);
}
END_TEST

int main(void)
{
	const struct test_times tests[] = {
		{ baselines_do_their_work, 3 },
		{ baselines_report_failures, 1 },
		{ wrong_baselines_are_found, 1 },
	};
	const int missing = find_missing();

	if (missing)
		return missing;
	return run_tests_times("api_ze_bench", tests,
			       sizeof(tests) / sizeof(tests[0]));
}
