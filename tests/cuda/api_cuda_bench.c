/* SPDX-License-Identifier: Apache-2.0 */
/* Check that the baselines of dpr bench on CUDA run, do the work that they
   claim, and leave nothing behind.  No figure is checked. */
#include "tests/cuda/cuda_api.h"

#include "tools/bench/bench_baselines.h"
#include "tools/bench/bench_cuda.h"
#include "tools/bench/bench_measure.h"

static void open_bench(struct bench *bench)
{
	struct message message = MESSAGE_NONE;

	memset(bench, 0, sizeof(*bench));
	bench->device = get_device("cuda:gpu:0");
	bench->quick = true;
	bench->bytes = bench->transfer_bytes = 1 << 20;
	bench->rounds = 1;
	bench->batch = 2;
	CHECK_OK(dpr_device_queue(bench->device, &bench->queue));
	bench->cuda = bench_cuda_open(bench->device, bench->queue, &message);
	ck_assert_msg(bench->cuda != NULL, "%s", message_text(&message));
	bench->driver = &bench->cuda->driver;
}

static void close_bench(struct bench *bench)
{
	bench->driver->calls->close(bench->driver);
	finish_all();
}

/* Open a baseline, run it, check its results and close it.  *@calls is how
   often the run called @entry.  Returns false and sets the message after a
   failure. */
static bool run_baseline(struct bench *bench, enum bench_baseline kind,
			 const char *entry, uint64_t *calls, double *work,
			 struct message *message)
{
	struct bench_side side;
	bool ok;

	memset(&side, 0, sizeof(side));
	ok = bench_baselines_open(kind, bench, &side, message);
	if (ok) {
		ck_assert(side.run != NULL);
		ck_assert(*side.name);
		mock->forget_calls();
		ok = side.run(side.state, message);
	}
	*calls = mock->calls(entry);
	*work = side.work;
	if (ok && side.check)
		ok = side.check(side.state, message);
	if (side.close)
		side.close(side.state);
	return ok;
}

static const struct {
	const char *entry; /* an entry of the driver that a run calls `calls`
			      times */
	enum bench_baseline kind;
	uint64_t calls;
	double work;
} baselines[] = {
	{ "cuMemcpyAsync", BASELINE_COPY, 2, 4 << 20 },
	{ "cuMemcpyAsync", BASELINE_WRITE, 1, 1 << 20 },
	{ "cuMemcpyAsync", BASELINE_READ, 1, 1 << 20 },
	{ "cuMemcpyAsync", BASELINE_TRANSFER, 2, 2 << 20 },
	{ "cuMemcpyAsync", BASELINE_TO_CPU, 1, 1 << 20 },
	{ "cuMemcpyPeerAsync", BASELINE_PEER, 1, 1 << 20 },
	{ "cuLaunchKernel", BASELINE_SUM, 2, 2 << 20 },
	{ "cuLaunchKernel", BASELINE_SMALL_ADD, 1000, 1000 },
	{ "cuLaunchKernel", BASELINE_KERNEL, 1000, 1000 },
	{ "cuLaunchKernel", BASELINE_LAUNCH_WAIT, 10, 10 },
	{ "cuLaunchKernel", BASELINE_LAUNCH, 1000, 1000 },
	{ "cuEventRecord", BASELINE_EVENT_WAIT, 10, 10 },
	{ "cuMemAllocAsync", BASELINE_ALLOC, 10, 10 },
	{ "cuMemAllocAsync", BASELINE_ALLOC_LARGE, 10, 10 },
};
enum { N_BASELINES = sizeof(baselines) / sizeof(baselines[0]) };

START_TEST(baselines_do_their_work)
{
	struct message message = MESSAGE_NONE;
	struct bench bench;
	uint64_t calls;
	double work;

	use_backends(NULL);
	open_bench(&bench);
	for (size_t i = 0; i < N_BASELINES; i++) {
		ck_assert_msg(run_baseline(&bench, baselines[i].kind,
					   baselines[i].entry, &calls, &work,
					   &message),
			      "baseline %zu: %s", i, message_text(&message));
		ck_assert_double_eq(work, baselines[i].work);
		ck_assert_msg(calls == baselines[i].calls,
			      "baseline %zu: %d calls of %s", i, (int)calls,
			      baselines[i].entry);
	}
	ck_assert_uint_eq(mock->depth(), 0);
	close_bench(&bench);
}
END_TEST

/* The kernel of the sum takes a number of elements that small operands do not
   have. */
START_TEST(small_operands_have_no_sum)
{
	struct message message = MESSAGE_NONE;
	struct bench bench;
	struct bench_side side = { .work = 0 };

	use_backends(NULL);
	open_bench(&bench);
	bench.bytes = 4096;
	ck_assert(bench_baselines_open(BASELINE_SUM, &bench, &side, &message));
	ck_assert(side.run == NULL);
	ck_assert_msg(strstr(side.name, "16 KiB"), "%s", side.name);
	side.close(side.state);
	close_bench(&bench);
}
END_TEST

/* If a call of the driver fails in a baseline, the baseline reports it and
   leaves nothing behind. */
START_TEST(baselines_report_failures)
{
	struct message message = MESSAGE_NONE;
	struct bench bench;
	struct bench_side side;

	use_backends(NULL);
	open_bench(&bench);
	for (size_t i = 0; i < N_BASELINES; i++) {
		memset(&side, 0, sizeof(side));
		ck_assert(bench_baselines_open(baselines[i].kind, &bench, &side,
					       &message));
		mock->fail(baselines[i].entry, 1, 2);
		ck_assert_msg(!side.run(side.state, &message), "baseline %zu",
			      i);
		ck_assert_msg(
			strstr(message_text(&message), "the baseline's ") &&
				strstr(message_text(&message), "(2)"),
			"baseline %zu: %s", i, message_text(&message));
		mock->fail(NULL, 0, 0);
		side.close(side.state);
		message_clear(&message);
	}
	ck_assert_uint_eq(mock->depth(), 0);
	close_bench(&bench);
}
END_TEST

/* A kernel with a wrong result, which the check must notice. */
static int wrong_sum(const struct cumock_run *run)
{
	float *out, one = 1;

	memcpy(&out, run->params + 8, sizeof(out));
	memcpy(out, &one, sizeof(one));
	return 0;
}

static int does_nothing(const struct cumock_run *run)
{
	(void)run;
	return 0;
}

START_TEST(wrong_baselines_are_found)
{
	struct message message = MESSAGE_NONE;
	struct bench bench;
	uint64_t calls;
	double work;

	use_backends(NULL);
	mock->kernel("sum", wrong_sum);
	mock->kernel("add", does_nothing);
	open_bench(&bench);
	ck_assert(!run_baseline(&bench, BASELINE_SUM, "cuLaunchKernel", &calls,
				&work, &message));
	ck_assert_msg(strstr(message_text(&message), "the sum is 1") != NULL,
		      "%s", message_text(&message));
	message_clear(&message);
	ck_assert(!run_baseline(&bench, BASELINE_SMALL_ADD, "cuLaunchKernel",
				&calls, &work, &message));
	ck_assert_msg(strstr(message_text(&message), "element") != NULL, "%s",
		      message_text(&message));
	message_clear(&message);
	close_bench(&bench);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		baselines_do_their_work,
		small_operands_have_no_sum,
		baselines_report_failures,
		wrong_baselines_are_found,
	};

	return run_tests("api_cuda_bench", tests,
			 sizeof(tests) / sizeof(tests[0]));
}
