/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime_test.h - what the tests of queues, events and memory share: the mock
 * backends and their controls.  Check runs each test in its own process.
 */
#ifndef TESTS_RUNTIME_TEST_H
#define TESTS_RUNTIME_TEST_H

#include <string.h>
#include <time.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

/* Check has a macro of this name, struct mock_control a member. */
#undef fail

#include "tests/plugins/mock_control.h"

#define SECOND UINT64_C(1000000000)
#define MS UINT64_C(1000000)

static const struct mock_control *mock, *mock2;
static dpr_queue *q1, *q2; /* the canonical queues of mock and mock2 */

/* The last error must contain @part. */
#define CHECK_TEXT(part)                                        \
	ck_assert_msg(strstr(dpr_last_error(), (part)) != NULL, \
		      "no \"%s\" in: %s", (part), dpr_last_error())

static inline const struct mock_control *control_of(const char *name)
{
	const struct mock_control *control = mock_control_open(name, NULL, 0);

	ck_assert_msg(control != NULL, "mock plugin %s has no control table",
		      name);
	return control;
}

/* Another plugin file to load, behind a colon, or "". */
static const char *beside_mocks = "";

/* Start the library with the mock plugins, and the one above. */
static inline void start_mocks(void)
{
	const char *dir = getenv("DPR_TEST_PLUGIN_DIR");
	char files[8192];

	ck_assert_ptr_nonnull(dir);
	snprintf(files, sizeof(files),
		 "%s/libdpr-mock.so:%s/libdpr-mock2.so:%s/libdpr-mock_bare.so%s",
		 dir, dir, dir, beside_mocks);
	setenv("DPR_PLUGINS", files, 1);
	/* Keep the value that a test of the cache has set. */
	setenv("DPR_CACHE_DIR", "off", 0);
	mock = control_of("mock");
	mock2 = control_of("mock2");
	CHECK_OK(dpr_canonical_queue("mock", &q1));
	CHECK_OK(dpr_canonical_queue("mock2", &q2));
}

/* A pressure callback that must not be called. */
static inline int not_asked(dpr_device *device, size_t size, void *user)
{
	(void)device;
	(void)user;
	ck_abort_msg("the pressure callback was called for %zu bytes", size);
	return 0;
}

static inline dpr_usm *new_usm(dpr_queue *queue, dpr_usm_kind kind, size_t size)
{
	dpr_usm *usm = NULL;

	CHECK_OK(dpr_usm_alloc(queue, kind, size, &usm));
	return usm;
}

/* Set all @n ints of an allocation to @value. */
static inline void set_ints(dpr_queue *queue, dpr_usm *usm, size_t n, int value)
{
	CHECK_OK(dpr_usm_fill(queue, usm, 0, &value, sizeof(value),
			      n * sizeof(int), NULL, NULL));
}

/* Allocate @n ints and set them all to @value. */
static inline dpr_usm *new_ints(dpr_queue *queue, size_t n, int value)
{
	dpr_usm *usm = new_usm(queue, DPR_USM_DEVICE, n * sizeof(int));

	set_ints(queue, usm, n, value);
	return usm;
}

/* Memory that failed work should have written must not be readable. */
static inline void check_spoiled(dpr_queue *queue, dpr_usm *usm,
				 dpr_status status)
{
	int value;

	CHECK_FAILS(status, dpr_usm_read(queue, &value, usm, 0, sizeof(value),
					 NULL, NULL));
	CHECK_TEXT("has no valid contents");
}

static inline int first_int(dpr_queue *queue, dpr_usm *usm)
{
	int value = -1;

	CHECK_OK(
		dpr_usm_read(queue, &value, usm, 0, sizeof(value), NULL, NULL));
	return value;
}

static inline dpr_kernel *mock_kernel(dpr_queue *queue, const char *name)
{
	static const char all[] = "add_one axpy copy fail fill_index local_sum "
				  "sleep_ms sleep_on store";
	dpr_image image = { "mock", NULL, all, sizeof(all) - 1 };
	dpr_program *program = NULL;
	dpr_kernel *kernel = NULL;

	CHECK_OK(dpr_program_from_images(queue, &image, 1, NULL, &program));
	CHECK_OK(dpr_kernel_create(program, name, &kernel));
	dpr_program_release(program);
	return kernel;
}

/* Launch x[i] += 1 for @n ints of @usm.  The access is declared, so it is
   ordered. */
static inline void add_one(dpr_queue *queue, dpr_kernel *kernel, dpr_usm *usm,
			   uint64_t n, const dpr_events *after,
			   dpr_event **done)
{
	dpr_arg args[2] = { DPR_USM_READ_WRITE(usm, 0), DPR_ARG(n) };

	CHECK_OK(dpr_kernel_launch_usm(queue, kernel, DPR_RANGE1(n), after,
				       done, args, 2));
}

static inline void pause_ns(uint64_t ns)
{
	struct timespec time = { (time_t)(ns / SECOND), (long)(ns % SECOND) };

	nanosleep(&time, NULL);
}

/* Wait until @condition is true, for at most five seconds. */
#define EVENTUALLY(condition)                                                  \
	do {                                                                   \
		int tries_ = 0;                                                \
		while (!(condition) && tries_++ < 5000)                        \
			pause_ns(MS);                                          \
		ck_assert_msg((condition), "not true within five seconds: %s", \
			      #condition);                                     \
	} while (0)

#endif
