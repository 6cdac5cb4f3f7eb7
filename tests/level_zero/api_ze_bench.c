/* SPDX-License-Identifier: Apache-2.0 */
/* The baselines of dpr bench on Level Zero run, do the work that they claim,
   and leave nothing behind.  Their times are not tested. */
#include "tests/level_zero/level_zero_test.h"

#include "tools/bench/bench_baselines.h"
#include "tools/bench/level_zero/bench_ze.h"

#define APPEND "zeCommandListAppendLaunchKernel"
#define COPY "zeCommandListAppendMemoryCopy"
/* ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY */
#define CODE 0x70000003

static const struct {
	enum bench_baseline kind;
	const char *entry; /* a run calls this entry `calls` times */
	unsigned calls;
	double work;
	bool has_kernel, has_arguments, has_event;
} baselines[] = {
	{ BASELINE_SMALL_ADD, APPEND, 1000, 1000, true, true, true },
	{ BASELINE_KERNEL, APPEND, 1000, 1000, true, true, true },
	{ BASELINE_LAUNCH_WAIT, APPEND, 10, 10, true, true, true },
	{ BASELINE_LAUNCH, APPEND, 1000, 1000, true, false, true },
	{ BASELINE_EVENT_WAIT, "zeCommandListAppendBarrier", 10, 10, false,
	  false, true },
	{ BASELINE_ALLOC, "zeMemAllocDevice", 10, 10, false, false, false },
	{ BASELINE_ALLOC_LARGE, "zeMemAllocDevice", 10, 10, false, false,
	  false },
	{ BASELINE_SUM, APPEND, 4, 2 << 20, true, true, true },
	{ BASELINE_COPY, COPY, 2, 4 << 20, false, false, true },
	{ BASELINE_WRITE, COPY, 1, 1 << 20, false, false, true },
	{ BASELINE_READ, COPY, 1, 1 << 20, false, false, true },
	{ BASELINE_TRANSFER, COPY, 2, 2 << 20, false, false, true },
	{ BASELINE_TO_CPU, COPY, 1, 1 << 20, false, false, true },
	{ BASELINE_PEER, COPY, 1, 1 << 20, false, false, true },
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
	bench->bytes = bench->transfer_bytes = 1 << 20;
	bench->batch = 2;
	CHECK_OK(dpr_device_queue(bench->device, &bench->queue));
	bench->ze = bench_ze_open(bench->device, bench->queue, &message);
	ck_assert_msg(bench->ze != NULL, "%s", message_text(&message));
	ck_assert(bench->ze->in_order == (i == 1));
	bench->driver = &bench->ze->driver;
}

static void close_bench(struct bench *bench)
{
	bench->driver->calls->close(bench->driver);
	finish_all();
}

static void open_side(struct bench *bench, size_t i, struct bench_side *side)
{
	struct message message = MESSAGE_NONE;

	memset(side, 0, sizeof(*side));
	ck_assert_msg(
		bench_baselines_open(baselines[i].kind, bench, side, &message),
		"baseline %zu: %s", i, message_text(&message));
	ck_assert_msg(side->run != NULL, "baseline %zu: %s", i, side->name);
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
		open_side(&bench, i, &side);
		ck_assert(*side.name);
		ck_assert_double_eq(side.work, baselines[i].work);
		for (run = 0; run < 3; run++) {
			before = zecpu->calls(baselines[i].entry);
			ck_assert_msg(side.run(side.state, &message), "%s",
				      message_text(&message));
			ck_assert_msg(zecpu->calls(baselines[i].entry) -
						      before ==
					      baselines[i].calls,
				      "baseline %zu", i);
			if (side.check)
				ck_assert_msg(side.check(side.state, &message),
					      "baseline %zu: %s", i,
					      message_text(&message));
		}
		side.close(side.state);
	}
	close_bench(&bench);
}
END_TEST

static void check_failure(struct message *message, const char *entry, size_t i)
{
	char text[100];

	snprintf(text, sizeof(text), "the baseline's %s failed (0x70000003)",
		 entry);
	ck_assert_msg(!strcmp(message_text(message), text),
		      "baseline %zu: %s, not %s", i, message_text(message),
		      text);
	zecpu->fail(NULL, 0, 0);
	message_clear(message);
}

/* Open a baseline while a call of the driver fails. */
static void fail_open(struct bench *bench, size_t i, const char *entry)
{
	struct message message = MESSAGE_NONE;
	struct bench_side side = { .work = 0 };

	zecpu->fail(entry, 1, CODE);
	ck_assert_msg(!bench_baselines_open(baselines[i].kind, bench, &side,
					    &message),
		      "baseline %zu opens without %s", i, entry);
	check_failure(&message, entry, i);
	side.close(side.state);
}

/* Run a baseline while the @n-th call of an entry fails. */
static void fail_run(struct bench *bench, size_t i, const char *entry,
		     unsigned n)
{
	struct message message = MESSAGE_NONE;
	struct bench_side side;

	open_side(bench, i, &side);
	zecpu->fail(entry, n, CODE);
	ck_assert_msg(!side.run(side.state, &message),
		      "baseline %zu runs without %s", i, entry);
	check_failure(&message, entry, i);
	side.close(side.state);
}

/* If a call of the driver fails while a baseline is opened or run, the message
   names the call, and nothing is left behind. */
START_TEST(baselines_report_failures)
{
	struct bench bench;

	open_bench(&bench, 0);
	for (size_t i = 0; i < N_BASELINES; i++) {
		if (baselines[i].has_kernel) {
			fail_open(&bench, i, "zeKernelCreate");
			fail_open(&bench, i, "zeKernelSetGroupSize");
		}
		if (baselines[i].has_arguments)
			fail_open(&bench, i, "zeKernelSetArgumentValue");
		fail_run(&bench, i, baselines[i].entry, 1);
		/* Some commands are under way. */
		if (baselines[i].calls > 1)
			fail_run(&bench, i, baselines[i].entry,
				 baselines[i].calls);
		if (baselines[i].has_event)
			fail_run(&bench, i, "zeEventHostReset", 1);
	}
	close_bench(&bench);
}
END_TEST

/* So does a driver that cannot be opened. */
START_TEST(drivers_report_failures)
{
	static const char *const entries[] = { "zeCommandListCreateImmediate",
					       "zeModuleCreate",
					       "zeEventPoolCreate",
					       "zeEventCreate" };
	struct message message = MESSAGE_NONE;
	dpr_device *device;
	dpr_queue *queue;

	/* A list that cannot be in order is made without the flag. */
	zecpu->set("IN_ORDER", 0);
	use_backends(NULL);
	device = get_device("level_zero:0");
	CHECK_OK(dpr_device_queue(device, &queue));
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		zecpu->fail(entries[i], 1, CODE);
		ck_assert(!bench_ze_open(device, queue, &message));
		check_failure(&message, entries[i], i);
	}
	finish_all();
}
END_TEST

/* The check of a baseline notices that nothing was computed or copied. */
START_TEST(wrong_baselines_are_found)
{
	struct message message = MESSAGE_NONE;
	struct bench_side side;
	struct bench bench;

	open_bench(&bench, 0);
	for (size_t i = 0; i < N_BASELINES; i++) {
		open_side(&bench, i, &side);
		if (baselines[i].has_arguments) {
			ck_assert(!side.check(side.state, &message));
			ck_assert_msg(strstr(message_text(&message), "wrong"),
				      "%s", message_text(&message));
			message_clear(&message);
		}
		side.close(side.state);
	}
	close_bench(&bench);
}
END_TEST

int main(void)
{
	const struct test_times tests[] = {
		{ baselines_do_their_work, 3 },
		{ baselines_report_failures, 1 },
		{ drivers_report_failures, 1 },
		{ wrong_baselines_are_found, 1 },
	};
	const int missing = find_missing();

	if (missing)
		return missing;
	return run_tests_times("api_ze_bench", tests,
			       sizeof(tests) / sizeof(tests[0]));
}
