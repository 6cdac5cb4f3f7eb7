/* SPDX-License-Identifier: Apache-2.0 */
/* api_cuda_faults.c - tests of the CUDA backend in which each call of the
   driver fails in turn, a device is lost, or eight threads use it. */
#include <sys/wait.h>

#include "tests/cuda/cuda_api.h"
#include "tests/support/driver_faults.h"
#include "tests/support/random.h"

static dpr_kernel *mix;
static dpr_ipc exported; /* memory of another process */

/* Threads of the library may submit work meanwhile. */
static void delay_work(int us)
{
	__atomic_store_n(&mock->settings->delay, us, __ATOMIC_RELAXED);
}

/* --- More attempts -------------------------------------------------------- */

/* Check that no work writes to memory of kind HOST any more. */
static void check_unused(const dpr_usm *host, size_t size)
{
	unsigned char *at = dpr_usm_address(host);
	size_t i;

	memset(at, 9, size);
	usleep(2 * LATE_US);
	for (i = 0; i < size && at[i] == 9; i++)
		;
	ck_assert_uint_eq(i, size);
}

static dpr_status try_copy(void)
{
	dpr_usm *pinned;
	dpr_event *done = NULL;
	dpr_status status = dpr_usm_alloc(queue, DPR_USM_HOST, 64, &pinned);

	if (!status)
		status =
			dpr_usm_copy(queue, pinned, 0, usm, 0, 32, NULL, &done);
	if (pinned)
		status = finish(status, done);
	done = NULL;
	if (!status) {
		status = dpr_usm_copy(queue, pinned, 32, pinned, 0, 32, NULL,
				      &done);
		if (status)
			check_unused(pinned, 64);
		status = finish(status, done);
	}
	dpr_usm_release(pinned);
	return status;
}

static dpr_status try_program(void)
{
	dpr_image image = { "ptx", NULL, test_ptx, sizeof(test_ptx) };
	dpr_program *program;
	dpr_kernel *kernel = NULL;
	dpr_status status =
		dpr_program_from_images(queue, &image, 1, NULL, &program);

	if (!status)
		status = dpr_kernel_create(program, "mix", &kernel);
	if (!status)
		status = try_launch(queue, kernel, usm, 1, NULL);
	if (!status)
		status = dpr_queue_wait(queue);
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	return status;
}

static dpr_status try_launches(void)
{
	dpr_event *done = NULL;
	dpr_status status = try_launch(queue, mix, usm, 1, NULL);

	if (status)
		return status;
	status = try_launch(queue, mix, usm, 2, &done);
	return finish(status, done);
}

static int told;

static void tell(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
	__atomic_fetch_add(&told, 1, __ATOMIC_RELAXED);
}

static dpr_status try_callback(void)
{
	dpr_event *done = NULL;
	int before = __atomic_load_n(&told, __ATOMIC_RELAXED), i;
	dpr_status status = try_launch(queue, mix, usm, 1, &done);

	if (!status)
		status = dpr_event_on_end(done, tell, NULL);
	if (!status)
		for (i = 0; i < 5000 &&
			    __atomic_load_n(&told, __ATOMIC_RELAXED) == before;
		     i++)
			usleep(1000);
	if (!status)
		ck_assert_int_gt(__atomic_load_n(&told, __ATOMIC_RELAXED),
				 before);
	if (done)
		status = finish(DPR_OK, done);
	return status;
}

static dpr_status try_part(void)
{
	dpr_device *parts[2] = { NULL };
	size_t n;
	dpr_status status = dpr_device_partition_equally(
		dpr_queue_device(queue), 40, parts, 2, &n);

	return try_on_part(status, parts[0]);
}

/* --- Wrapped handles, other processes --------------------------------------
 */

static dpr_status try_wrapped_queue(void)
{
	dpr_queue *made = NULL;
	uintptr_t stream;
	dpr_status status = dpr_queue_native(queue, &stream);

	if (!status)
		status = dpr_queue_from_native(dpr_queue_device(queue), stream,
					       0, &made);
	if (!status)
		status = try_launch(made, mix, usm, 1, NULL);
	if (!status)
		status = dpr_queue_wait(made);
	dpr_queue_release(made);
	return status;
}

static dpr_status try_wrapped_memory(void)
{
	dpr_usm *made = NULL;
	dpr_event *done = NULL;
	uintptr_t address;
	dpr_status status = dpr_usm_native(usm, &address, NULL);

	if (!status)
		status = dpr_usm_from_native(queue, address, 64, 0, &made);
	if (!status) {
		status = dpr_usm_fill(queue, made, 0, "\7\0\0", 4, 4, NULL,
				      &done);
		status = finish(status, done);
	}
	dpr_usm_release(made);
	return status;
}

static dpr_status try_wrapped_event(void)
{
	dpr_event *first = NULL, *made = NULL, *done = NULL;
	uintptr_t handle;
	dpr_status status = try_launch(queue, mix, usm, 1, &first);

	if (!status)
		status = dpr_event_native(first, &handle);
	if (!status)
		status = dpr_event_from_native(dpr_queue_device(queue), handle,
					       0, &made);
	if (!status) {
		status = dpr_queue_barrier(far_queue, DPR_AFTER(made), &done);
		status = finish(status, done);
	}
	if (!status)
		status = dpr_event_wait(made);
	dpr_event_release(made);
	if (!status)
		return finish(status, first);
	dpr_event_release(first);
	return status;
}

static dpr_status try_export(void)
{
	dpr_ipc ipc;

	return dpr_usm_export(usm, &ipc);
}

static dpr_status try_import(void)
{
	dpr_usm *made = NULL;
	dpr_event *done = NULL;
	dpr_status status = dpr_usm_import(queue, &exported, &made);

	ck_assert(!status == (made != NULL));
	if (!status) {
		status = dpr_usm_copy(queue, usm, 0, made, 0, 32, NULL, &done);
		status = finish(status, done);
	}
	dpr_usm_release(made);
	return status;
}

/* Export memory to the process that reads from @to.  Keep the memory until the
   process has closed @until. */
static int export_memory(int to, int until)
{
	dpr_queue *mine;
	dpr_usm *memory;
	dpr_ipc ipc;
	char byte;

	if (dpr_canonical_queue("cuda:0", &mine) ||
	    dpr_usm_alloc(mine, DPR_USM_DEVICE, 64, &memory) ||
	    dpr_usm_export(memory, &ipc) ||
	    write(to, &ipc, sizeof(ipc)) != sizeof(ipc))
		return 1;
	return read(until, &byte, 1) ? 2 : 0;
}

/* Start a process that exports memory.  It ends when *@until is closed. */
static pid_t start_exporter(int *until)
{
	int there[2], back[2];
	pid_t child;

	mock->settings->ipc = true;
	ck_assert(!pipe(there) && !pipe(back));
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		close(back[1]);
		_exit(export_memory(there[1], back[0]));
	}
	close(there[1]);
	close(back[0]);
	ck_assert_int_eq(read(there[0], &exported, sizeof(exported)),
			 sizeof(exported));
	close(there[0]);
	*until = back[1];
	return child;
}

/* --- Large copies, times, advice, binaries ---------------------------------
 */

/* More than one chunk of a copy through HOST memory. */
#define LARGE ((size_t)512 << 10)

static unsigned char ordinary[2 * LARGE];

/* Allocate memory for the copies.  The work begins at once: each of their many
   waits would ask the driver a hundred times for work that begins late. */
static dpr_status begin_large(dpr_usm **made)
{
	delay_work(0);
	return dpr_usm_alloc(queue, DPR_USM_DEVICE, 2 * LARGE, made);
}

/* Copy ordinary memory to the device, without an event and with one. */
static dpr_status try_large_writes(void)
{
	dpr_event *done = NULL;
	dpr_usm *made = NULL;
	dpr_status status = begin_large(&made);

	if (!status)
		status = dpr_usm_write(queue, made, 0, ordinary, LARGE, NULL,
				       NULL);
	if (!status) {
		status = dpr_usm_write(queue, made, LARGE, ordinary, LARGE,
				       NULL, &done);
		status = finish(status, done);
	}
	dpr_usm_release(made);
	return status;
}

/* Copy memory of the device to ordinary memory, without an event and with
   one. */
static dpr_status try_large_reads(void)
{
	dpr_event *done = NULL;
	dpr_usm *made = NULL;
	dpr_status status = begin_large(&made);
	size_t i;

	memset(ordinary, 0, sizeof(ordinary));
	if (!status)
		status = dpr_usm_fill(queue, made, 0, "\5", 1, 2 * LARGE, NULL,
				      NULL);
	if (!status)
		status = dpr_usm_read(queue, ordinary, made, 0, LARGE, NULL,
				      NULL);
	if (!status) {
		status = dpr_usm_read(queue, ordinary + LARGE, made, LARGE,
				      LARGE, NULL, &done);
		status = finish(status, done);
	}
	/* The bytes of a read with an event are valid only after this. */
	if (!status)
		status = dpr_usm_wait(made);
	for (i = 0; i < 2 * LARGE && ordinary[i] == 5; i++)
		;
	if (!status)
		ck_assert_uint_eq(i, 2 * LARGE);
	dpr_usm_release(made);
	return status;
}

/* If the clock of the device cannot be read, only the times are missing. */
static dpr_status try_times(void)
{
	dpr_event *done = NULL;
	dpr_queue *made = NULL;
	dpr_times times;
	dpr_status status = dpr_queue_create(dpr_queue_device(queue),
					     DPR_QUEUE_PROFILING, &made);

	if (!status)
		status = try_launch(made, mix, usm, 1, &done);
	if (!status)
		status = dpr_event_wait(done);
	if (!status)
		status = dpr_event_times(done, &times);
	if (!status)
		ck_assert(times.queued && times.queued <= times.started &&
			  times.started <= times.ended);
	/* A failure that is found after the queue has been released is told
	   only to dpr_finalize().  So wait before that. */
	if (!status)
		status = dpr_queue_wait(made);
	dpr_event_release(done);
	dpr_queue_release(made);
	return status;
}

static dpr_status try_hints(void)
{
	dpr_event *done = NULL;
	dpr_usm *made = NULL;
	dpr_status status = dpr_usm_alloc(queue, DPR_USM_SHARED, 4096, &made);
	int advice;

	if (!status) {
		status = dpr_usm_prefetch(queue, made, 0, 4096, NULL, &done);
		status = finish(status, done);
	}
	for (advice = 0; advice < 4 && !status; advice++)
		status = dpr_usm_advise(queue, made, 0, 4096,
					(enum dpr_usm_advice)advice);
	dpr_usm_release(made);
	return status;
}

/* Build a program from another one's binary. */
static dpr_status try_binary(void)
{
	static char bytes[4096];
	dpr_image image = { "ptx", NULL, test_ptx, sizeof(test_ptx) };
	dpr_program *program = NULL;
	dpr_kernel *kernel = NULL;
	dpr_status status =
		dpr_program_from_images(queue, &image, 1, NULL, &program);

	if (!status)
		status = dpr_program_binary(program, bytes, sizeof(bytes),
					    &image.size);
	dpr_program_release(program);
	program = NULL;
	image.format = "cuda-binary";
	image.data = bytes;
	if (!status)
		status = dpr_program_from_images(queue, &image, 1, NULL,
						 &program);
	if (!status)
		status = dpr_kernel_create(program, "mix", &kernel);
	if (!status)
		status = try_launch(queue, kernel, usm, 1, NULL);
	if (!status)
		status = dpr_queue_wait(queue);
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	return status;
}

static const struct attempt attempts[] = {
	{ "queue", try_queue },
	{ "alloc", try_alloc },
	{ "fill", try_fill },
	{ "copy", try_copy },
	{ "peer copy", try_peer_copy },
	{ "program", try_program },
	{ "launches", try_launches },
	{ "callback", try_callback },
	{ "part", try_part },
	{ "wrapped queue", try_wrapped_queue },
	{ "wrapped memory", try_wrapped_memory },
	{ "wrapped event", try_wrapped_event },
	{ "export", try_export },
	{ "import", try_import },
	{ "large writes", try_large_writes },
	{ "large reads", try_large_reads },
	{ "times", try_times },
	{ "hints", try_hints },
	{ "binary", try_binary },
	{ "take", try_take },
};
#define ATTEMPTS (sizeof(attempts) / sizeof(attempts[0]))

/* --- Each call fails --- */

static void fail_call(uint64_t n, int code)
{
	mock->fail(NULL, n, code);
}

static const char *failed_call(void)
{
	return mock->failed();
}

static const struct faulty_driver driver = {
	.near = "cuda:0",
	.far = "cuda:1",
	.codes = { 999, 2 }, /* UNKNOWN, OUT_OF_MEMORY */
	.fail = fail_call,
	.failed = failed_call,
	.delay = delay_work,
};

static void set_up(void)
{
	use_backends(NULL);
	faults_begin(&driver);
	mix = new_kernel(queue, "mix");
}

static void tear_down(void)
{
	dpr_kernel_release(mix);
	faults_end();
}

/* The kernel of try_take(). */
static int read_nothing(const struct cumock_run *run)
{
	(void)run;
	return 0;
}

/* Whether kernels in PTX were built.  A child asks, because the test begins
   with a process that has no kernel. */
static bool has_kernels(void)
{
	const pid_t child = fork();
	int status = -1;

	if (!child) {
		set_up();
		mock->kernel(NULL, read_nothing);
		_exit(try_take() == DPR_ERROR_UNSUPPORTED);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	return !WEXITSTATUS(status);
}

START_TEST(calls_fail)
{
	const bool imports = attempts[_i].run == try_import;
	int until = -1, ended = 1;
	pid_t exporter;

	use_backends(NULL);
	if (attempts[_i].run == try_take && !has_kernels())
		return;
	exporter = imports ? start_exporter(&until) : 0;
	set_up();
	if (attempts[_i].run == try_take)
		mock->kernel(NULL, read_nothing);
	faults_try_all(&driver, &attempts[_i]);
	tear_down();
	finish_all();
	if (!imports)
		return;
	close(until);
	ck_assert_int_eq(waitpid(exporter, &ended, 0), exporter);
	ck_assert_int_eq(ended, 0);
}
END_TEST

/* A barrier for which no event can be made fails with the driver's error. */
START_TEST(barrier_without_an_event)
{
	dpr_status status;
	int i;

	set_up();
	dpr_queue_release(queue);
	queue = new_queue(get_device("cuda:0"), DPR_QUEUE_OUT_OF_ORDER);
	for (i = 0; i < 6; i++)
		launch(queue, mix, usm, 1);
	mock->fail("cuEventCreate", (uint64_t)_i + 1, 999);
	status = dpr_queue_barrier(queue, NULL, NULL);
	/* For _i 0, an event must be made; for others, the pool may have
	   enough. */
	ck_assert(_i || mock->failed());
	ck_assert_int_eq(status, mock->failed() ? DPR_ERROR_DRIVER : DPR_OK);
	if (status)
		CHECK_TEXT("cuEventCreate: CUDA_ERROR_UNKNOWN");
	faults_calm(&driver, "a barrier");
	CHECK_OK(dpr_queue_barrier(queue, NULL, NULL));
	tear_down();
	finish_all();
}
END_TEST

/* The driver fails while it is initialized, or while a context is made. */
START_TEST(starting_fails)
{
	dpr_device *device;
	dpr_queue *made = NULL;
	dpr_status status;
	char text[64] = "nothing";

	use_backends(NULL);
	mock->fail(NULL, (uint64_t)_i + 1, 999);
	status = dpr_device_select("cuda:0", &device);
	if (!status)
		status = dpr_queue_create(device, 0, &made);
	if (status)
		ck_assert(*dpr_last_error());
	dpr_queue_release(made);
	if (mock->failed())
		snprintf(text, sizeof(text), "%s", mock->failed());
	mock->fail(NULL, 0, 0);
	CHECK_OK(dpr_finalize());
	ck_assert_msg(!mock->live(CUMOCK_RETAINS), "a context is left after %s",
		      text);
	check_mock();
}
END_TEST

/* --- A lost device --- */

START_TEST(an_illegal_address)
{
	dpr_kernel *fault;
	dpr_event *done = NULL;
	dpr_queue *others;
	dpr_status status;
	dpr_usm *mine, *theirs;
	dpr_arg args[1];

	use_backends("mock");
	queue = new_queue(get_device("cuda:0"), 0);
	far_queue = new_queue(get_device("cuda:1"), 0);
	CHECK_OK(dpr_canonical_queue("mock", &others));
	fault = new_kernel(queue, "fault");
	mix = new_kernel(far_queue, "mix");
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 1);
	far_usm = new_ints(far_queue, DPR_USM_DEVICE, 4, 1);
	theirs = new_ints(others, DPR_USM_DEVICE, 4, 1);
	args[0] = DPR_USM_READ_WRITE(usm, 0);
	CHECK_OK(dpr_queue_wait(queue));
	mock->hold(true);
	CHECK_OK(dpr_kernel_launch_usm(queue, fault, DPR_RANGE1(1), NULL, &done,
				       args, 1));
	mock->hold(false);
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST, dpr_event_wait(done));
	CHECK_TEXT("CUDA_ERROR_ILLEGAL_ADDRESS");
	/* Later calls report this at once. */
	mine = NULL;
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST,
		    dpr_usm_alloc(queue, DPR_USM_DEVICE, 64 << 20, &mine));
	status = dpr_usm_fill(queue, usm, 0, "\0\0\0", 4, 4, NULL, NULL);
	if (!status)
		status = dpr_queue_wait(queue);
	ck_assert_int_eq(status, DPR_ERROR_DEVICE_LOST);
	/* The other device still works. */
	launch(far_queue, mix, far_usm, 4);
	ck_assert_int_eq(get_int(far_queue, far_usm, 0), 7);
	CHECK_OK(dpr_usm_wait(theirs));
	dpr_event_release(done);
	dpr_usm_release(usm);
	dpr_usm_release(far_usm);
	dpr_usm_release(theirs);
	dpr_kernel_release(fault);
	dpr_kernel_release(mix);
	dpr_queue_release(queue);
	dpr_queue_release(far_queue);
	/* It may fail, since the device was lost. */
	(void)!dpr_finalize();
	check_mock();
}
END_TEST

/* One device waits for work of the other, and device @lost fails.  If @ours,
   the waiting submission is to @lost and must fail at once, else it is to the
   other device. */
static void lose_with_a_dependency(int lost, bool ours)
{
	dpr_queue *there;
	dpr_event *gate = NULL, *done = NULL;
	dpr_queue *more;
	dpr_status status;
	dpr_usm *memory;

	set_up();
	there = ours == !lost ? queue : far_queue;
	memory = there == queue ? usm : far_usm;
	CHECK_OK(dpr_queue_wait(queue));
	CHECK_OK(dpr_queue_wait(far_queue));
	mock->hold(true);
	if (there == queue)
		CHECK_OK(dpr_usm_fill(far_queue, far_usm, 0, "\1\0\0", 4, 4,
				      NULL, &gate));
	else
		CHECK_OK(dpr_usm_fill(queue, usm, 0, "\1\0\0", 4, 4, NULL,
				      &gate));
	mock->lose(lost, 719); /* CUDA_ERROR_LAUNCH_FAILED */
	status = dpr_usm_fill(there, memory, 4, "\1\0\0", 4, 4, DPR_AFTER(gate),
			      &done);
	if (ours) {
		ck_assert_int_eq(status, DPR_ERROR_DEVICE_LOST);
		CHECK_TEXT("CUDA_ERROR_LAUNCH_FAILED");
		ck_assert_msg(!strstr(dpr_last_error(), "on Mock H200"), "%s",
			      dpr_last_error());
	}
	mock->hold(false);
	if (!status)
		status = dpr_event_wait(done);
	ck_assert_int_ne(status, DPR_OK);
	status = dpr_queue_create(dpr_queue_device(there), 0, &more);
	ck_assert_int_eq(status, ours ? DPR_ERROR_DEVICE_LOST : DPR_OK);
	dpr_queue_release(more);
	dpr_event_release(done);
	dpr_event_release(gate);
	tear_down();
	(void)!dpr_finalize();
	check_mock();
}

/* The error is reported only for the device that was lost. */
START_TEST(whose_fault_it_is)
{
	lose_with_a_dependency(_i & 1, _i & 2);
}
END_TEST

/* Callbacks are called for work that was pending on a lost device. */
START_TEST(callbacks_of_a_lost_device)
{
	dpr_event *events[12];
	int i;

	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), 0);
	mix = new_kernel(queue, "mix");
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 1);
	CHECK_OK(dpr_queue_wait(queue));
	mock->hold(true);
	for (i = 0; i < 12; i++) {
		CHECK_OK(try_launch(queue, mix, usm, 1, &events[i]));
		CHECK_OK(dpr_event_on_end(events[i], tell, NULL));
	}
	mock->lose(0, 719); /* CUDA_ERROR_LAUNCH_FAILED */
	mock->hold(false);
	for (i = 0; i < 5000 && __atomic_load_n(&told, __ATOMIC_RELAXED) < 12;
	     i++)
		usleep(1000);
	ck_assert_int_eq(__atomic_load_n(&told, __ATOMIC_RELAXED), 12);
	for (i = 0; i < 12; i++) {
		CHECK_FAILS(DPR_ERROR_DEVICE_LOST, dpr_event_wait(events[i]));
		dpr_event_release(events[i]);
	}
	dpr_kernel_release(mix);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	(void)!dpr_finalize();
	check_mock();
}
END_TEST

/* --- Threads --- */

static void *use_all(void *number)
{
	struct random numbers = { (uint64_t)(uintptr_t)number + 1 };
	dpr_queue *q = new_queue(
		get_device(random_next(&numbers) & 1 ? "cuda:1" : "cuda:0"),
		random_next(&numbers) & DPR_QUEUE_OUT_OF_ORDER);
	dpr_kernel *kernel = new_kernel(q, "mix");
	int round, rounds = getenv("DPR_TEST_SMALL") ? 30 : 150;
	uint32_t value, expected;
	dpr_event *done;
	dpr_usm *mine;

	for (round = 0; round < rounds; round++) {
		mine = new_ints(q, (dpr_usm_kind)(1 + round % 3), 256, round);
		expected = (uint32_t)round;
		for (value = 0; value < 4; value++) {
			CHECK_OK(try_launch(q, kernel, mine, value, &done));
			expected = expected * 3 + value;
			if (value == 2)
				CHECK_OK(dpr_event_on_end(done, tell, NULL));
			dpr_event_release(done);
		}
		ck_assert_uint_eq((uint32_t)get_int(q, mine, 0), expected);
		dpr_usm_release(mine);
	}
	CHECK_OK(dpr_queue_wait(q));
	dpr_kernel_release(kernel);
	dpr_queue_release(q);
	return NULL;
}

START_TEST(eight_threads)
{
	mock->settings->order = CUMOCK_RANDOM;
	use_backends(NULL);
	run_on_eight_threads(use_all);
	finish_all();
}
END_TEST

int main(void)
{
	TCase *tcase;
	SRunner *runner = new_runner("api_cuda_faults", &tcase);

	use_backends(NULL);
	tcase_add_loop_test(tcase, calls_fail, 0, (int)ATTEMPTS);
	tcase_add_loop_test(tcase, starting_fails, 0, 60);
	tcase_add_loop_test(tcase, barrier_without_an_event, 0, 4);
	tcase_add_test(tcase, an_illegal_address);
	tcase_add_loop_test(tcase, whose_fault_it_is, 0, 4);
	tcase_add_test(tcase, callbacks_of_a_lost_device);
	tcase_add_test(tcase, eight_threads);
	return run_all(runner);
}
