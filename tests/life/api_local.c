/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_local.c - programs that are not linked to dpr.  They open dpr with
 * RTLD_LOCAL, or use two libraries that both use dpr without knowing each
 * other.
 */
#include <check.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dpr/backend.h>
#include <dpr/device.h>
#include <dpr/runtime.h>

#include "tests/life/local_user.h"

static char *in_build(const char *name)
{
	const char *top = getenv("top_builddir");
	char *path;

	ck_assert_ptr_nonnull(top);
	ck_assert_int_ge(asprintf(&path, "%s/%s", top, name), 0);
	return path;
}

/* Open a file so that its symbols stay hidden from other files. */
static void *open_local(const char *name)
{
	char *path = in_build(name);
	void *file = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	ck_assert_msg(file != NULL, "%s", dlerror());
	free(path);
	return file;
}

static const struct local_user *user_of(void *file)
{
	const struct local_user *user = dlsym(file, LOCAL_USER_SYMBOL);

	ck_assert_msg(user != NULL, "%s", dlerror());
	return user;
}

/* Count the files named libdpr.so in this process. */
static int count_file(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	*(int *)data += strstr(info->dlpi_name, "/libdpr.so") != NULL;
	return 0;
}

static int count_libraries(void)
{
	int n = 0;

	dl_iterate_phdr(count_file, &n);
	return n;
}

static void use_backend(const char *name)
{
	const char *mocks = getenv("DPR_TEST_PLUGIN_DIR");
	const char *plugins = getenv("DPR_PLUGIN_PATH");
	char file[4096];

	snprintf(file, sizeof(file), "%s/libdpr-%s.so",
		 strcmp(name, "mock") == 0 ? mocks : plugins, name);
	setenv("DPR_PLUGINS", file, 1);
	setenv("DPR_OPTION_MOCK_FORMATS", DPRP_NATIVE_FORMAT, 1);
	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
}

static const char *const backends[] = { "mock", "host", "opencl" };

/* Choose the backend of round @i.  Returns NULL if it was not built. */
static const char *backend_of(int i)
{
	const char *plugins = getenv("DPR_PLUGIN_PATH");
	char file[4096];

	ck_assert_int_eq(count_libraries(), 0);
	snprintf(file, sizeof(file), "%s/libdpr-%s.so", plugins, backends[i]);
	if (i && access(file, R_OK)) {
		printf("skipped: no plugin %s\n", backends[i]);
		return NULL;
	}
	use_backend(backends[i]);
	return backends[i];
}

/* Open the library, use it and close it, twice; then the process ends. */
START_TEST(opened_by_hand)
{
	dpr_status (*enumerate)(const char *, dpr_device **, size_t, size_t *);
	const char *(*text)(void);
	const char *name = backend_of(_i);
	dpr_device *before = NULL, *after = NULL;
	size_t n = 0, i;
	void *file;

	for (i = 0; name && i < 2; i++) {
		file = open_local(".libs/libdpr.so");
		*(void **)&enumerate = dlsym(file, "dpr_device_enumerate");
		*(void **)&text = dlsym(file, "dpr_last_error");
		ck_assert_ptr_nonnull(enumerate);
		ck_assert_ptr_nonnull(text);
		ck_assert_msg(enumerate(NULL, i ? &after : &before, 1, &n) ==
				      DPR_OK,
			      "%s", text());
		/* A library that was used stays loaded: its threads and exit
		   handlers still have to run. */
		ck_assert_int_eq(dlclose(file), 0);
		ck_assert_int_eq(count_libraries(), 1);
	}
	ck_assert_ptr_eq(before, after);
	ck_assert_ptr_null(dlsym(RTLD_DEFAULT, "dpr_device_enumerate"));
}
END_TEST

/* Two libraries share one dpr: objects made through one can be used through the
   other, and neither can shut dpr down while the other uses it. */
START_TEST(used_by_two)
{
	const struct local_user *one, *two;
	const char *name = backend_of(_i);
	void *first, *second, *array;

	if (!name)
		return;
	first = open_local("tests/life/.libs/local_one.so");
	second = open_local("tests/life/.libs/local_two.so");
	one = user_of(first);
	two = user_of(second);
	ck_assert_ptr_ne(one, two);
	ck_assert_int_eq(count_libraries(), 1);
	if (!one->device(NULL)) {
		printf("skipped: %s\n", one->error());
		return;
	}
	ck_assert_ptr_eq(one->device(NULL), two->device(NULL));
	ck_assert_ptr_eq(one->queue(name), two->queue(name));
	array = one->make(name);
	ck_assert_ptr_nonnull(array);
	ck_assert_int_eq(two->sum(array), 500500);
	ck_assert_int_eq(one->sum(array), 501500);
	ck_assert_int_eq(two->finalize(), DPR_ERROR_BUSY);
	ck_assert_ptr_nonnull(strstr(two->error(), "1 allocations"));
	/* The second library is closed; its array can still be used. */
	ck_assert_int_eq(dlclose(second), 0);
	ck_assert_int_eq(one->sum(array), 502500);
	one->drop();
	ck_assert_int_eq(one->finalize(), DPR_OK);
	ck_assert_ptr_null(one->make(name));
	ck_assert_int_eq(dlclose(first), 0);
}
END_TEST

/* The last library that used dpr is closed while work is queued and threads
   run. */
START_TEST(closed_at_work)
{
	const struct local_user *one;
	const char *name = backend_of(_i);
	void *file;

	if (!name)
		return;
	file = open_local("tests/life/.libs/local_one.so");
	one = user_of(file);
	if (!one->device(NULL)) {
		printf("skipped: %s\n", one->error());
		return;
	}
	ck_assert_ptr_nonnull(one->make(name));
	one->drop();
	ck_assert_int_eq(dlclose(file), 0);
	ck_assert_int_eq(count_libraries(), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("local");
	TCase *tcase = tcase_create("local");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, opened_by_hand, 0, 3);
	tcase_add_loop_test(tcase, used_by_two, 0, 3);
	tcase_add_loop_test(tcase, closed_at_work, 0, 3);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
