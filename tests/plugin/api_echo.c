/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Very long texts from a user: messages that quote them cut them short.  Each
 * test runs in a process of its own.
 */
#include "tests/support/device_select.h"

#include <dpr/kernel.h>
#include <dpr/launch.h>
#include <dpr/program.h>
#include <dpr/queue.h>

#define LENGTH 20000
/* The largest size of a message, with all of its lists. */
#define MOST 3000

static char *longer;

/* @start, followed by LENGTH letters that repeat @unit; kept in `longer`. */
static const char *make_long(const char *start, const char *unit)
{
	size_t n = strlen(unit), head = strlen(start), i;

	free(longer);
	longer = malloc(head + LENGTH + n + 1);
	ck_assert_ptr_nonnull(longer);
	memcpy(longer, start, head);
	for (i = 0; i < LENGTH; i += n)
		memcpy(longer + head + i, unit, n);
	longer[head + i] = '\0';
	return longer;
}

static void check_text(const char *text)
{
	ck_assert_msg(strlen(text) < MOST, "%zu bytes: %.200s", strlen(text),
		      text);
}

/* Check that the last error is short, and shows that something was left out. */
static void check_error(dpr_status status, dpr_status wanted)
{
	ck_assert_msg(status == wanted, "%s: %.300s", dpr_status_name(status),
		      dpr_last_error());
	check_text(dpr_last_error());
	ck_assert_msg(strstr(dpr_last_error(), "...") != NULL, "%s",
		      dpr_last_error());
}

static void setup(void)
{
	files_setup();
	files_copy("libdpr-mock.so", "libdpr-mock.so", 0755);
	files_copy("libdpr-mock2.so", "libdpr-mock2.so", 0755);
	files_search();
}

static void teardown(void)
{
	free(longer);
	longer = NULL;
	files_teardown();
}

/* --- Variables -------------------------------------------------------------
 */

static const struct {
	const char *name, *start, *unit;
	dpr_status status;
} variables[] = {
	{ "DPR_BACKEND", "", "b", DPR_ERROR_ENVIRONMENT },
	{ "DPR_BACKEND", "", "+", DPR_ERROR_ENVIRONMENT },
	{ "DPR_BACKEND", "mock", ",b", DPR_ERROR_ENVIRONMENT },
	{ "DPR_DEVICE", "", "b", DPR_ERROR_ENVIRONMENT },
	{ "DPR_DEVICE", "gpu+", "b", DPR_ERROR_ENVIRONMENT },
	{ "DPR_DEVICE", "cpu", ",cpu", DPR_ERROR_NOT_FOUND },
	{ "DPR_LOG", "", "b", DPR_ERROR_ENVIRONMENT },
	{ "DPR_LOG", "debug:", "b", DPR_ERROR_ENVIRONMENT },
	{ "DPR_LOG", "debug:/", "b", DPR_ERROR_ENVIRONMENT },
	{ "DPR_LAYERS", "", "b", DPR_ERROR_ENVIRONMENT },
	{ "DPR_TRACE", "", "b", DPR_ERROR_ENVIRONMENT },
	{ "DPR_POOL_LIMIT", "", "9", DPR_ERROR_ENVIRONMENT },
	{ "DPR_CACHE_DIR", "", "b", DPR_ERROR_ENVIRONMENT },
	{ "DPR_CACHE_LIMIT", "", "9", DPR_ERROR_ENVIRONMENT },
	{ "DPR_PLUGIN_PATH", "", "b", DPR_ERROR_ENVIRONMENT },
	{ "DPR_PLUGIN_PATH", "/", "b", DPR_ERROR_NOT_FOUND },
	{ "DPR_PLUGIN_PATH", "", "/b:", DPR_ERROR_NOT_FOUND },
	{ "DPR_PLUGINS", "", "b", DPR_ERROR_ENVIRONMENT },
	{ "DPR_PLUGINS", "/", "b", DPR_ERROR_PLUGIN },
};
#define N_VARIABLES (int)(sizeof(variables) / sizeof(*variables))

START_TEST(variable)
{
	dpr_variable *list;
	dpr_device *device;
	size_t n, i;

	setenv(variables[_i].name,
	       make_long(variables[_i].start, variables[_i].unit), 1);
	/* With the layer on, a bad value is an error. */
	if (!strcmp(variables[_i].name, "DPR_TRACE"))
		setenv("DPR_LAYERS", "trace", 1);
	check_error(dpr_device_select(NULL, &device), variables[_i].status);
	ck_assert_int_eq(dpr_variables(&list, &n), DPR_OK);
	for (i = 0; i < n; i++)
		check_text(list[i].effect);
	dpr_free(list);
}
END_TEST

START_TEST(name_of_an_option)
{
	dpr_device *device;

	setenv(make_long("DPR_OPTION_MOCK_", "B"), "1", 1);
	check_error(dpr_device_select(NULL, &device), DPR_ERROR_ENVIRONMENT);
}
END_TEST

/* The backend's own message also quotes only a part of the value. */
START_TEST(value_of_an_option)
{
	const char *top = getenv("top_builddir");
	dpr_device *device;
	char *path;

	ck_assert_int_ge(asprintf(&path, "%s/backends/.libs/libdpr-%s.so",
				  top ? top : ".", _i ? "opencl" : "host"),
			 0);
	if (!access(path, R_OK)) {
		setenv("DPR_PLUGINS", path, 1);
		setenv(_i ? "DPR_OPTION_OPENCL_MEMORY"
			  : "DPR_OPTION_HOST_THREADS",
		       make_long("", "b"), 1);
		check_error(dpr_device_select(NULL, &device),
			    DPR_ERROR_ENVIRONMENT);
	}
	free(path);
}
END_TEST

/* --- Arguments -------------------------------------------------------------
 */

static const struct {
	const char *start, *unit;
	dpr_status status;
} selectors[] = {
	{ "", "b", DPR_ERROR_SELECTOR },
	{ "gpu,", "b", DPR_ERROR_SELECTOR },
	{ "gpu+", "b", DPR_ERROR_SELECTOR },
	{ "pci:", "0", DPR_ERROR_SELECTOR },
	{ "uuid:", "0", DPR_ERROR_SELECTOR },
	{ "gpu:0/", "b", DPR_ERROR_SELECTOR },
	{ "gpu:0/domain:", "b", DPR_ERROR_SELECTOR },
	{ "gpu:", "9", DPR_ERROR_SELECTOR },
	{ "cpu", ",cpu", DPR_ERROR_NOT_FOUND },
	{ "cpu", "+fp64", DPR_ERROR_NOT_FOUND },
	{ "mock:0.99", ",mock:0.99", DPR_ERROR_NOT_FOUND },
	{ "mock:0/equally:1.99", ",mock:0/equally:1.99", DPR_ERROR_NOT_FOUND },
	{ "mock,!mock", ",!mock", DPR_ERROR_NOT_FOUND },
};
#define N_SELECTORS (int)(sizeof(selectors) / sizeof(*selectors))

START_TEST(selector)
{
	dpr_device *device;

	make_long(selectors[_i].start, selectors[_i].unit);
	check_error(dpr_device_select(longer, &device), selectors[_i].status);
}
END_TEST

START_TEST(explained)
{
	char *text;

	make_long(_i ? "!mock" : "mock", "-cpu");
	ck_assert_int_eq(dpr_device_explain(longer, &text), DPR_OK);
	check_text(text);
	ck_assert_ptr_nonnull(strstr(text, _i ? "dropped by \"!mock-cpu"
					      : "taken by \"mock-cpu"));
	ck_assert_ptr_nonnull(strstr(text, "..."));
	dpr_free(text);
}
END_TEST

START_TEST(aspects)
{
	static const char *list[LENGTH / 10];
	dpr_device *device;
	size_t i;

	list[0] = make_long("", "b");
	check_error(dpr_device_select_where(list, 1, NULL, 0, &device),
		    DPR_ERROR_INVALID_ARGUMENT);
	for (i = 0; i < LENGTH / 10; i++)
		list[i] = "cpu";
	check_error(
		dpr_device_select_where(list, LENGTH / 10, NULL, 0, &device),
		DPR_ERROR_NOT_FOUND);
}
END_TEST

START_TEST(plugin_files)
{
	dpr_device *device;

	check_error(dpr_plugin_add(make_long("", "b")),
		    DPR_ERROR_INVALID_ARGUMENT);
	if (_i)
		ck_assert_int_eq(dpr_device_select(NULL, &device), DPR_OK);
	make_long("/", "b");
	if (_i) {
		check_error(dpr_plugin_add(longer), DPR_ERROR_BUSY);
		return;
	}
	ck_assert_int_eq(dpr_plugin_add(longer), DPR_OK);
	check_error(dpr_device_select(NULL, &device), DPR_ERROR_PLUGIN);
}
END_TEST

START_TEST(kernels)
{
	dpr_image image = { NULL, NULL, "x", 1 };
	dpr_program *program;
	dpr_kernel *kernel;
	dpr_queue *queue;

	ck_assert_int_eq(dpr_canonical_queue("mock", &queue), DPR_OK);
	ck_assert_int_eq(dpr_program_from_source(queue, "kernel void add_one(",
						 NULL, &program),
			 DPR_OK);
	check_error(dpr_kernel_create(program, make_long("", "b"), &kernel),
		    DPR_ERROR_NOT_FOUND);
	dpr_program_release(program);
	image.format = longer;
	check_error(dpr_program_from_images(queue, &image, 1, NULL, &program),
		    DPR_ERROR_UNSUPPORTED);
	dpr_queue_release(queue);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("echo");
	TCase *tcase = tcase_create("echo");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, variable, 0, N_VARIABLES);
	tcase_add_test(tcase, name_of_an_option);
	tcase_add_loop_test(tcase, value_of_an_option, 0, 2);
	tcase_add_loop_test(tcase, selector, 0, N_SELECTORS);
	tcase_add_loop_test(tcase, explained, 0, 2);
	tcase_add_test(tcase, aspects);
	tcase_add_loop_test(tcase, plugin_files, 0, 2);
	tcase_add_test(tcase, kernels);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
