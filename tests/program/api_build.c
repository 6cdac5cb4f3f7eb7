/* SPDX-License-Identifier: Apache-2.0 */
/* api_build.c - the options and flags that reach the plugin, for each kind of
   image. */
#include "tests/support/cache_files.h"
#include "tests/support/runtime_test.h"

static const char text[] = "kernel void add_one(int *x, ulong n);";
static const dpr_image source = { "opencl-c", NULL, text, sizeof(text) - 1 };
static const dpr_image names = { "mock", NULL, "add_one", 7 };

static dpr_status build(const dpr_image *images, size_t n, const char *compiler,
			uint64_t flags)
{
	dpr_build_options options = { .struct_size = sizeof(options),
				      .compiler = compiler,
				      .flags = flags };
	dpr_program *program;
	dpr_status status;

	status = dpr_program_build(q1, images, n, &options, &program);
	ck_assert_int_eq(!program, !!status);
	dpr_program_release(program);
	return status;
}

/* Check the last call of module->create().  @options is NULL if it had none. */
static void check_created(const char *format, const char *options,
			  uint64_t flags)
{
	struct mock_create seen;

	ck_assert(mock->created(&seen));
	ck_assert_str_eq(seen.format, format);
	ck_assert_int_eq(seen.has_options, options != NULL);
	ck_assert_str_eq(seen.options, options ? options : "");
	ck_assert_uint_eq(seen.flags, flags);
}

START_TEST(options_for_source_alone)
{
	dpr_image both[] = { names, source };
	dpr_program *program;

	start_mocks();
	CHECK_OK(build(&source, 1, "-DX=1", 0));
	check_created("opencl-c", "-DX=1", 0);
	CHECK_OK(build(&names, 1, NULL, 0));
	check_created("mock", NULL, 0);
	/* The mock prefers source to its own format. */
	CHECK_OK(build(both, 2, "-DX=1", 0));
	check_created("opencl-c", "-DX=1", 0);
	CHECK_OK(dpr_program_from_images(q1, both, 2, "-DX=2", &program));
	check_created("opencl-c", "-DX=2", 0);
	dpr_program_release(program);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, build(&names, 1, "-DX=1", 0));
	CHECK_TEXT("the options \"-DX=1\" are for a compiler, but no image is "
		   "source (the first is mock)");
	CHECK_OK(build(&names, 1, "", 0));
	check_created("mock", NULL, 0);
}
END_TEST

START_TEST(options_of_what_is_not_picked)
{
	dpr_image both[] = { source, names };

	setenv("DPR_OPTION_MOCK_FORMATS", "mock,opencl-c", 1);
	start_mocks();
	CHECK_OK(build(both, 2, "-DX=1", DPR_BUILD_ROUNDED));
	check_created("mock", NULL, DPR_BUILD_ROUNDED);
}
END_TEST

START_TEST(flags_for_every_format)
{
	start_mocks();
	CHECK_OK(build(&source, 1, "-w", DPR_BUILD_ROUNDED));
	check_created("opencl-c", "-w", DPR_BUILD_ROUNDED);
	CHECK_OK(build(&names, 1, NULL, DPR_BUILD_ROUNDED | DPR_BUILD_LARGE));
	check_created("mock", NULL, DPR_BUILD_ROUNDED | DPR_BUILD_LARGE);
}
END_TEST

START_TEST(flags_that_cannot_be)
{
	dpr_build_options options = { 0 };
	dpr_program *program;

	setenv("DPR_OPTION_MOCK_BUILD", "1", 1);
	start_mocks();
	CHECK_OK(build(&source, 1, NULL, DPR_BUILD_ROUNDED));
	CHECK_FAILS(
		DPR_ERROR_UNSUPPORTED,
		build(&source, 1, NULL, DPR_BUILD_ROUNDED | DPR_BUILD_LARGE));
	CHECK_TEXT("flags 0x2");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, build(&source, 1, NULL, 12));
	CHECK_TEXT("0xc");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_program_build(q1, &source, 1, &options, &program));
	CHECK_TEXT("struct_size");
	ck_assert_ptr_null(program);
	CHECK_OK(dpr_program_build(q1, &source, 1, NULL, &program));
	check_created("opencl-c", NULL, 0);
	dpr_program_release(program);
}
END_TEST

/* --- The cache on disk -----------------------------------------------------
 */

static void build_rounded(void)
{
	start_mocks();
	CHECK_OK(build(&source, 1, "-DX=1", DPR_BUILD_ROUNDED));
	check_created("opencl-c", "-DX=1", DPR_BUILD_ROUNDED);
}

static void find_rounded(void)
{
	start_mocks();
	CHECK_OK(build(&source, 1, "-DX=1", DPR_BUILD_ROUNDED));
	check_created("mock-binary", NULL, DPR_BUILD_ROUNDED);
}

static void build_large(void)
{
	start_mocks();
	CHECK_OK(build(&source, 1, "-DX=1", DPR_BUILD_LARGE));
	check_created("opencl-c", "-DX=1", DPR_BUILD_LARGE);
}

START_TEST(kept_with_flags)
{
	cache_dir_setup();
	in_process(build_rounded);
	in_process(find_rounded);
	in_process(build_large);
	in_process(find_rounded);
	cache_dir_teardown();
}
END_TEST

/* --- Arrays ----------------------------------------------------------------
 */

static dpr_status add_arrays(void)
{
	const float values[4] = { 1, 2, 3, 4 };
	dpr_array *x, *z = NULL;
	dpr_status status;

	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(4), NULL, DPR_FLOAT32,
				       q1, &x));
	status = dpr_add(x, x, &z);
	dpr_array_release(z);
	dpr_array_release(x);
	return status;
}

/* Native code is given flags, but no options. */
START_TEST(arrays_of_native_code)
{
	struct mock_create seen;

	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	setenv("DPR_OPTION_MOCK_SINGLE_FP", "64", 1);
	setenv("DPR_OPTION_MOCK_MEMORY", "0x200000000", 1);
	start_mocks();
	CHECK_OK(add_arrays());
	ck_assert(mock->created(&seen));
	ck_assert_int_eq(strncmp(seen.format, "native-", 7), 0);
	ck_assert(!seen.has_options);
	ck_assert_uint_eq(seen.flags, DPR_BUILD_ROUNDED | DPR_BUILD_LARGE);
}
END_TEST

/* The mock cannot build our source, but it records the request. */
START_TEST(arrays_of_source)
{
	struct mock_create seen;

	setenv("DPR_OPTION_MOCK_FORMATS", "opencl-c", 1);
	setenv("DPR_OPTION_MOCK_SINGLE_FP", _i ? "64" : "63", 1);
	start_mocks();
	CHECK_FAILS(DPR_ERROR_BUILD, add_arrays());
	ck_assert(mock->created(&seen));
	ck_assert_str_eq(seen.format, "opencl-c");
	ck_assert_ptr_nonnull(strstr(seen.options, "-cl-std=CL1.2"));
	ck_assert_ptr_null(strstr(seen.options, "-cl-fp32"));
	ck_assert_uint_eq(seen.flags, _i ? DPR_BUILD_ROUNDED : 0);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("build");
	Suite *suite = suite_create("build");
	SRunner *runner;
	int failed;

	tcase_add_test(tcase, options_for_source_alone);
	tcase_add_test(tcase, options_of_what_is_not_picked);
	tcase_add_test(tcase, flags_for_every_format);
	tcase_add_test(tcase, flags_that_cannot_be);
	/* The test runs four processes, one after the other. */
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, kept_with_flags);
	tcase_add_test(tcase, arrays_of_native_code);
	tcase_add_loop_test(tcase, arrays_of_source, 0, 2);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
