/* SPDX-License-Identifier: Apache-2.0 */
/*
 * level_zero_test.h - shared by the tests of the Level Zero backend: the
 * software driver, which is loaded before the loader looks for it.  Each test
 * runs in a process of its own.
 */
#ifndef TESTS_LEVEL_ZERO_TEST_H
#define TESTS_LEVEL_ZERO_TEST_H

#include <check.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/driver_test.h"
#include "tests/zecpu/zecpu.h"

/* Check still defines fail, and the driver's control has a member of that
   name. */
#undef fail

/* Controls of the two drivers.  The second driver is a copy of the first one's
   file. */
static const struct zecpu_control *zecpu, *zecpu2;

static inline const char *in_build(char *path, size_t size, const char *name)
{
	const char *build = getenv("top_builddir");

	snprintf(path, size, "%s/%s", build ? build : ".", name);
	return path;
}

static inline const struct zecpu_control *load_driver(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	zecpu_control_function function;

	ck_assert_msg(library != NULL, "%s", dlerror());
	*(void **)&function = dlsym(library, ZECPU_CONTROL);
	ck_assert(function != NULL);
	return function();
}

/* Load the driver.  Call this before the first call of dpr. */
static inline void open_driver(void)
{
	char path[4096];

	in_build(path, sizeof(path), "tests/zecpu/driver/.libs/libzecpu.so");
	zecpu = load_driver(path);
	setenv("ZE_ENABLE_ALT_DRIVERS", path, 1);
}

static inline void copy_file(const char *from, const char *to)
{
	FILE *in = fopen(from, "re"), *out = fopen(to, "we");
	static char bytes[65536];
	size_t n;

	ck_assert(in && out);
	while ((n = fread(bytes, 1, sizeof(bytes), in)) > 0)
		ck_assert_uint_eq(fwrite(bytes, 1, n, out), n);
	ck_assert_int_eq(fclose(out), 0);
	fclose(in);
}

/* The path of the second driver, a copy of the file, with a state of its
   own. */
static char second_driver[4096];

static inline void open_second_driver(void)
{
	char first[4096], name[64], both[8200];

	in_build(first, sizeof(first), "tests/cache");
	mkdir(first, 0755);
	in_build(first, sizeof(first), "tests/zecpu/driver/.libs/libzecpu.so");
	snprintf(name, sizeof(name), "tests/cache/zecpu-%d.so", (int)getpid());
	in_build(second_driver, sizeof(second_driver), name);
	copy_file(first, second_driver);
	zecpu2 = load_driver(second_driver);
	snprintf(both, sizeof(both), "%s,%s", first, second_driver);
	setenv("ZE_ENABLE_ALT_DRIVERS", both, 1);
}

/* Use only the Level Zero backend and those in the list @with, such as
   "opencl,host".  Call this before the first call of dpr. */
static inline void use_backends(const char *with)
{
	const char *dir = getenv("DPR_PLUGIN_PATH");
	char files[8192], names[64], list[64], *rest = list, *name;
	int n;

	dir = dir ? dir : ".";
	n = snprintf(files, sizeof(files), "%s/libdpr-level_zero.so", dir);
	snprintf(names, sizeof(names), "level_zero%s%s", with ? "," : "",
		 with ? with : "");
	snprintf(list, sizeof(list), "%s", with ? with : "");
	while (with && (name = strsep(&rest, ",")))
		n += snprintf(files + n, sizeof(files) - (size_t)n,
			      ":%s/libdpr-%s.so", dir, name);
	setenv("DPR_PLUGINS", files, 1);
	setenv("DPR_BACKEND", names, 1);
	setenv("DPR_CACHE_DIR", "off", 0);
}

static inline void check_driver(const struct zecpu_control *driver)
{
	static const char *const names[] = {
		"contexts", "allocations", "pools",   "events",  "queues",
		"lists",    "fences",      "modules", "kernels", "logs"
	};
	int i;

	ck_assert_msg(!driver->violations(), "%s", driver->violation(0));
	for (i = 0; i < ZECPU_N_OBJECTS; i++)
		ck_assert_msg(
			!driver->live((enum zecpu_object)i), "%d %s are left",
			(int)driver->live((enum zecpu_object)i), names[i]);
}

/* Finalize the library, and check that the driver saw no misuse and has no
   objects left. */
static inline void finish_all(void)
{
	CHECK_OK(dpr_finalize());
	check_driver(zecpu);
	if (!zecpu2)
		return;
	check_driver(zecpu2);
	unlink(second_driver);
}

static inline int get_int(dpr_queue *queue, dpr_usm *usm, size_t index)
{
	int value;

	CHECK_OK(dpr_usm_read(queue, &value, usm, index * sizeof(value),
			      sizeof(value), NULL, NULL));
	return value;
}

/* Whether there are a driver and a loader.  Prints what is missing. */
static inline bool is_there(void)
{
	char path[4096];

	if (access(in_build(path, sizeof(path),
			    "tests/zecpu/driver/.libs/libzecpu.so"),
		   R_OK)) {
		printf("needs the software Level Zero driver of tests/zecpu, "
		       "which was not built\n");
		return false;
	}
	if (!dlopen("libze_loader.so.1", RTLD_LAZY)) {
		printf("needs the Level Zero loader (libze1)\n");
		return false;
	}
	return true;
}

/* Whether the driver can run kernels here.  Prints what is missing.  The driver
   stays loaded, but is not started. */
static inline bool is_able(void)
{
	zecpu_control_function function = NULL;
	const char *why;
	char path[4096];
	void *library;

	if (!is_there())
		return false;
	library = dlopen(in_build(path, sizeof(path),
				  "tests/zecpu/driver/.libs/libzecpu.so"),
			 RTLD_NOW | RTLD_LOCAL);
	if (library)
		*(void **)&function = dlsym(library, ZECPU_CONTROL);
	why = function ? function()->unable() : dlerror();
	if (why)
		printf("no kernels: %s\n", why);
	return !why;
}

/* Whether the backend compiles OpenCL C for the driver.  Returns what
   find_missing() returns. */
static inline int find_compiler(void)
{
	dpr_device *device;
	char formats[200];
	size_t size, at;

	use_backends(NULL);
	if (dpr_device_select("level_zero:0", &device) ||
	    dpr_device_info(device, DPR_INFO_FORMATS, formats, sizeof(formats),
			    &size)) {
		printf("%s\n", dpr_last_error());
		return 1;
	}
	for (at = 0; at < size; at += strlen(formats + at) + 1)
		if (!strcmp(formats + at, "opencl-c"))
			return 0;
	printf("needs a compiler of OpenCL C: ocloc, or clang and "
	       "llvm-spirv\n");
	return 77;
}

/* Returns 0 if programs can be built and run here; 77 if not, and prints what
   is missing; 1 if something is wrong. */
static inline int find_missing(void)
{
	char path[4096];
	pid_t child;
	int status;

	if (!is_able())
		return 77;
	/* This process must not start the library: each test does that in its
	   own. */
	fflush(stdout);
	child = fork();
	if (!child) {
		in_build(path, sizeof(path),
			 "tests/zecpu/driver/.libs/libzecpu.so");
		setenv("ZE_ENABLE_ALT_DRIVERS", path, 1);
		status = find_compiler();
		fflush(stdout);
		_exit(status);
	}
	if (child < 0 || waitpid(child, &status, 0) != child ||
	    !WIFEXITED(status))
		return 1;
	return WEXITSTATUS(status);
}

/* A test, and how often it runs, with _i from 0 on. */
struct test_times {
	const TTest *test;
	size_t times;
};

/* Run each test in a process with the driver loaded.  Returns 77 if the driver
   was not built. */
static inline int run_tests_times(const char *name,
				  const struct test_times *tests, size_t n)
{
	SRunner *runner;
	Suite *suite;
	TCase *tcase;
	size_t i;
	int failed;

	if (!is_there())
		return 77;
	suite = suite_create(name);
	tcase = tcase_create(name);
	runner = srunner_create(suite);
	tcase_add_checked_fixture(tcase, open_driver, NULL);
	tcase_set_timeout(tcase, 300);
	for (i = 0; i < n; i++)
		tcase_add_loop_test(tcase, tests[i].test, 0,
				    (int)tests[i].times);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Do the same as run_tests_times(), but run each test once. */
static inline int run_tests(const char *name, const TTest *const *tests,
			    size_t n)
{
	struct test_times list[32];
	size_t i;

	for (i = 0; i < n && i < 32; i++)
		list[i] = (struct test_times){ tests[i], 1 };
	return run_tests_times(name, list, n < 32 ? n : 32);
}

#endif
