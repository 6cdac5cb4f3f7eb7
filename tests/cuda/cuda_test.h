/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_test.h - what the tests of the CUDA backend share: the mock of NVIDIA's
 * driver, which is loaded before the plugin looks for a driver.  Each test runs
 * in its own process.
 */
#ifndef TESTS_CUDA_TEST_H
#define TESTS_CUDA_TEST_H

#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Check defines fail as a macro; struct cumock has a member of that name. */
#undef fail

#include "tests/cuda/cumock.h"

static void *mock_library;
static const struct cumock *mock;

/* Load the mock, even in a process that runs no test, where Check's macros
   cannot be used.  Returns false if it cannot be loaded. */
static inline bool load_mock(void)
{
	const char *build = getenv("top_builddir");
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/cuda/driver/.libs/libcuda.so.1",
		 build ? build : ".");
	mock_library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	mock = mock_library ? dlsym(mock_library, CUMOCK_SYMBOL) : NULL;
	return mock != NULL;
}

/* Load the mock.  Call this before any function of dpr.  A test on NVIDIA's
   driver does not call it: `mock` is NULL then. */
static inline void open_mock(void)
{
	bool loaded = load_mock();

	ck_assert_msg(loaded, "%s", dlerror());
}

/* Nothing may be misused or left. */
static inline void check_mock(void)
{
	static const char *const names[] = {
		"retained contexts", "streams", "events",        "memory",
		"libraries",         "links",   "green contexts"
	};
	char text[512];
	int i;

	ck_assert_msg(!mock->misuse(text, sizeof(text)), "%s", text);
	for (i = 0; i < CUMOCK_N_OBJECTS; i++)
		ck_assert_msg(!mock->live((enum cumock_object)i),
			      "%d %s are left",
			      (int)mock->live((enum cumock_object)i), names[i]);
}

/* Make a runner whose only case is *@tcase.  Each test that is added to it runs
   in its own process, with the mock loaded. */
static inline SRunner *new_runner(const char *name, TCase **tcase)
{
	Suite *suite = suite_create(name);

	*tcase = tcase_create(name);
	tcase_add_checked_fixture(*tcase, open_mock, NULL);
	tcase_set_timeout(*tcase, 120);
	suite_add_tcase(suite, *tcase);
	return srunner_create(suite);
}

/* Run the tests and free them.  Returns what main() returns. */
static inline int run_all(SRunner *runner)
{
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline int run_tests(const char *name, const TTest *const *tests,
			    size_t n)
{
	TCase *tcase;
	SRunner *runner = new_runner(name, &tcase);
	size_t i;

	for (i = 0; i < n; i++)
		tcase_add_test(tcase, tests[i]);
	return run_all(runner);
}

#endif
