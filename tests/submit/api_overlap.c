/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_overlap.c - independent work on an out-of-order queue runs at the same
 * time, if the backend can do that, and dependent work does not.  The times of
 * events show it.  If the device's clock cannot be compared with the host's,
 * the durations show it: added up, they are longer than the total time.
 */
#include <unistd.h>

#include "tests/support/runtime_test.h"

#define LAUNCHES 4
#define SOURCE                                                          \
	"kernel void busy(global uint *x, uint n)"                      \
	"{"                                                             \
	"	uint v = x[0];"                                               \
	"	for (uint i = 0; i < n; i++) v = v * 1664525u + 1013904223u;" \
	"	x[0] = v;"                                                    \
	"}"

static uint64_t started[LAUNCHES], ended[LAUNCHES]; /* 0: unknown */
static uint64_t durations[LAUNCHES], elapsed;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static dpr_queue *timed_queue(dpr_device *device)
{
	dpr_queue *queue = NULL;

	if (dpr_queue_create(device,
			     DPR_QUEUE_OUT_OF_ORDER | DPR_QUEUE_PROFILING,
			     &queue))
		return NULL;
	if (dpr_queue_get_flags(queue) & DPR_QUEUE_OUT_OF_ORDER)
		return queue;
	dpr_queue_release(queue);
	return NULL;
}

/* Launch each kernel on an allocation of its own, or all on one if @shared.
   Store the times. */
static dpr_status time_launches(dpr_queue *queue, dpr_kernel *kernel,
				uint32_t n, int shared)
{
	dpr_usm *usm[LAUNCHES];
	dpr_event *done[LAUNCHES];
	dpr_status status = DPR_OK;
	dpr_times times;
	int i;

	for (i = 0; i < LAUNCHES; i++)
		usm[i] = new_ints(queue, 16, i);
	CHECK_OK(dpr_queue_wait(queue));
	elapsed = now();
	for (i = 0; i < LAUNCHES; i++) {
		dpr_arg args[] = { DPR_USM_READ_WRITE(usm[shared ? 0 : i], 0),
				   DPR_ARG(n) };

		CHECK_OK(dpr_kernel_launch_usm(queue, kernel, DPR_RANGE1(1),
					       NULL, &done[i], args, 2));
	}
	CHECK_OK(dpr_queue_wait(queue));
	elapsed = now() - elapsed;
	for (i = 0; i < LAUNCHES; i++) {
		started[i] = ended[i] = 0;
		if (!status)
			status = dpr_event_duration(done[i], &durations[i]);
		if (!status && !dpr_event_times(done[i], &times)) {
			started[i] = times.started;
			ended[i] = times.ended;
		}
		dpr_event_release(done[i]);
		dpr_usm_release(usm[i]);
	}
	return status;
}

/* Whether any launches ran at the same time. */
static int overlap(void)
{
	uint64_t sum = 0;
	int i, j, n = 0;

	for (i = 0; i < LAUNCHES; i++) {
		sum += durations[i];
		for (j = 0; j < i; j++)
			n += started[i] < ended[j] && started[j] < ended[i];
	}
	return ended[0] ? n > 0 : sum > elapsed;
}

/* With this option, the mock runs two commands at a time. */
START_TEST(on_the_mock)
{
	dpr_kernel *kernel;
	dpr_queue *queue;
	int tries = 0;

	setenv("DPR_OPTION_MOCK_OVERLAP", "1", 1);
	start_mocks();
	queue = timed_queue(dpr_queue_device(q1));
	ck_assert_ptr_nonnull(queue);
	kernel = mock_kernel(q1, "sleep_on");
	/* On a loaded machine the second thread may get no time, so try
	   again. */
	do
		CHECK_OK(time_launches(queue, kernel, 5, 0));
	while (!overlap() && tries++ < 50);
	ck_assert_int_ne(overlap(), 0);
	CHECK_OK(time_launches(queue, kernel, 5, 1));
	ck_assert_int_eq(overlap(), 0);
	dpr_kernel_release(kernel);
	dpr_queue_release(queue);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Choose *@n so that the loop takes about 20 ms: some devices are
   simulators. */
static dpr_status choose_length(dpr_queue *queue, dpr_kernel *kernel,
				uint32_t *n)
{
	dpr_status status = time_launches(queue, kernel, 1000, 0);
	double each;

	if (status)
		return status;
	/* The first launch may include building the kernel, so take the last
	   one. */
	each = (double)durations[LAUNCHES - 1] / 1000;
	*n = each * 1000000 < 20e6 ? 1000000 : (uint32_t)(20e6 / each) + 1;
	status = time_launches(queue, kernel, *n, 0);
	each = (double)durations[LAUNCHES - 1] / *n;
	if (each > 0 && 20e6 / each < 1e9)
		*n = (uint32_t)(20e6 / each) + 1;
	return status;
}

static int shown; /* number of devices that overlapped */

/* Whether launches must overlap on @device.  On a CPU, PoCL's threads run any
   command that is ready on an out-of-order queue, so with two processors two
   launches run at once.  Other drivers may run such a queue in order. */
static int must_overlap(dpr_device *device)
{
	const char *platform =
		dpr_device_info_string(device, DPR_INFO_PLATFORM_NAME);
	uint64_t units = 0;

	return dpr_device_get_type(device) == DPR_DEVICE_CPU && platform &&
	       strstr(platform, "Portable Computing Language") &&
	       !dpr_device_info_u64(device, DPR_INFO_COMPUTE_UNITS, &units) &&
	       units >= 2 && sysconf(_SC_NPROCESSORS_ONLN) >= 2;
}

/* On a loaded machine the other threads may get no time: make each try
   longer. */
static void look_for_overlap(dpr_queue *queue, dpr_kernel *kernel,
			     uint32_t length)
{
	int tries;

	for (tries = 0; !overlap() && tries < 10; tries++) {
		CHECK_OK(time_launches(queue, kernel, length, 0));
		if (length < UINT32_MAX / 4 * 3)
			length += length / 3;
	}
}

static void on_device(dpr_device *device)
{
	const char *selector = dpr_device_selector(device);
	dpr_queue *queue = timed_queue(device);
	dpr_kernel *kernel = NULL;
	uint32_t length = 0;

	if (!queue) {
		printf("%s: no out-of-order queues with times\n", selector);
		return;
	}
	if (dpr_kernel_from_source(queue, SOURCE, "busy", &kernel)) {
		printf("%s: no kernels from source\n", selector);
		dpr_queue_release(queue);
		return;
	}
	CHECK_OK(choose_length(queue, kernel, &length));
	look_for_overlap(queue, kernel, length);
	if (overlap()) {
		printf("%s: independent work overlaps\n", selector);
		shown++;
	} else {
		printf("%s: the events' times show that the driver runs an "
		       "out-of-order queue in order\n",
		       selector);
		fflush(stdout);
		ck_assert(!must_overlap(device));
	}
	CHECK_OK(time_launches(queue, kernel, length, 1));
	ck_assert_int_eq(overlap(), 0);
	dpr_kernel_release(kernel);
	dpr_queue_release(queue);
}

START_TEST(on_what_there_is)
{
	dpr_device *devices[MAX_DEVICES];
	size_t n, i;

	CHECK_OK(dpr_device_enumerate(NULL, devices, MAX_DEVICES, &n));
	for (i = 0; i < n; i++)
		on_device(devices[i]);
	if (!shown)
		printf("shown on the mock only\n");
	fflush(stdout);
	CHECK_OK(dpr_finalize());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("overlap");
	TCase *tcase = tcase_create("overlap");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, on_the_mock);
	tcase_add_test(tcase, on_what_there_is);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
