/* SPDX-License-Identifier: Apache-2.0 */
/* devices.h - the devices that tests of the public API run on. */
#ifndef TESTS_DEVICES_H
#define TESTS_DEVICES_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/array_kernels.h>
#include <dpr/device.h>
#include <dpr/queue.h>
#include <dpr/runtime.h>

#include "tests/support/exact.h"

/* CHECK_OK: the call must succeed.  CHECK_FAILS: it must fail with @status. */
#define CHECK_OK(call)                                                     \
	do {                                                               \
		dpr_status status_ = (call);                               \
		ck_assert_msg(status_ == DPR_OK, "%s: %s: %s", #call,      \
			      dpr_status_name(status_), dpr_last_error()); \
	} while (0)
#define CHECK_FAILS(status, call)                                         \
	do {                                                              \
		dpr_status status_ = (call);                              \
		ck_assert_msg(status_ == (status), "%s: %s (%s), not %s", \
			      #call, dpr_status_name(status_),            \
			      dpr_last_error(), dpr_status_name(status)); \
	} while (0)

#define MAX_DEVICES 16

/* The device that the suite is now run on, and its canonical queue. */
static dpr_device *test_device;
static dpr_queue *test_queue;

/* Have the mock backends found, too.  Call this before any function of dpr. */
static inline void use_mock_devices(void)
{
	const char *path = getenv("DPR_PLUGIN_PATH");
	const char *mocks = getenv("DPR_TEST_PLUGIN_DIR");
	char both[8192];

	if (!path || !mocks)
		return;
	snprintf(both, sizeof(both), "%s:%s", path, mocks);
	setenv("DPR_PLUGIN_PATH", both, 1);
}

static inline dpr_queue *queue_of(dpr_device *device)
{
	dpr_queue *queue = NULL;

	CHECK_OK(dpr_device_queue(device, &queue));
	return queue;
}

/* Whether a test takes few of its cases: where a driver compiles the kernels of
   array functions, which takes long.  With DPR_TEST_ALL it takes all. */
static inline bool takes_few(void)
{
	const char *format = dpr_array_kernel_format(test_device);

	return !getenv("DPR_TEST_ALL") && format &&
	       (!strcmp(format, "opencl-c") || !strcmp(format, "spirv"));
}

/* Set on a device that runs the same native code as an earlier device of this
   program.  Tests of values alone then take a sample: only the launch differs. */
static bool test_again;

static inline void note_native(void)
{
	static char native[64]; /* the format of an earlier device */
	const char *format = dpr_array_kernel_format(test_device);

	test_again = false;
	if (!format || strncmp(format, "native-", strlen("native-")))
		return;
	test_again = !getenv("DPR_TEST_ALL") && !strcmp(native, format);
	snprintf(native, sizeof(native), "%s", format);
}

/* Whether to leave out case @i: where few are taken, all but one of @many. */
static inline bool leaves_out(int i, int many)
{
	return i % many && takes_few();
}

/* Host memory where the test device has it, else device memory: for tests that
   ask for a kind of memory. */
static inline dpr_usm_kind host_or_device(void)
{
	return dpr_device_has(test_device, "usm_host") ? DPR_USM_HOST
						       : DPR_USM_DEVICE;
}

/* Run @suite once for each of @devices, in this process because drivers do not
   survive fork().  Without devices, return 77 (skipped). */
static inline int run_on_devices(Suite *(*suite)(const char *name),
				 dpr_device *const *devices, size_t count)
{
	int failed = 0;

	for (size_t i = 0; i < count; i++) {
		SRunner *runner;

		test_device = devices[i];
		if (exact_memory(test_device) ||
		    dpr_device_queue(test_device, &test_queue)) {
			printf("%s\n", dpr_last_error());
			return EXIT_FAILURE;
		}
		note_native();
		runner = srunner_create(suite(dpr_device_selector(devices[i])));
		srunner_set_fork_status(runner, CK_NOFORK);
		srunner_run_all(runner, CK_NORMAL);
		failed += srunner_ntests_failed(runner);
		srunner_free(runner);
		/* Wait: PoCL 3.1 crashes if a process exits while it
		   compiles. */
		if (dpr_queue_wait(test_queue))
			printf("%s\n", dpr_last_error());
	}
	if (!count)
		printf("skipped: no device\n");
	return failed ? EXIT_FAILURE : count ? EXIT_SUCCESS : 77;
}

/* Run @suite once for each device that @selector matches. */
static inline int run_on_selected(Suite *(*suite)(const char *name),
				  const char *selector)
{
	dpr_device *devices[MAX_DEVICES];
	size_t count;

	if (dpr_device_enumerate(selector, devices, MAX_DEVICES, &count)) {
		printf("cannot list the devices: %s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	return run_on_devices(suite, devices,
			      count < MAX_DEVICES ? count : MAX_DEVICES);
}

/* Run @suite once for each device, mocks included, then call dpr_finalize(). */
static inline int run_on_all(Suite *(*suite)(const char *name))
{
	int failed;

	use_mock_devices();
	failed = run_on_selected(suite, NULL);
	if (!failed && dpr_finalize()) {
		printf("%s\n", dpr_last_error());
		failed = 1;
	}
	return failed;
}

#endif
