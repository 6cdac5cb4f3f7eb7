/* SPDX-License-Identifier: Apache-2.0 */
/* api_ze_cache.c - programs of the Level Zero backend in the cache on disk,
   with the software driver: the next process passes the native binary to the
   driver, and no SPIR-V.  Another driver, version or device gets no binary of
   this one. */
#include "tests/level_zero/level_zero_test.h"
#include "tests/support/cache_files.h"
#include "tests/support/spirv_constants.h"

/* Values of ze_module_format_t. */
#define SPIRV 0
#define NATIVE 1

static const char source[] =
	"struct pair { int a; long b; };\n"
	"kernel void mix(global int *x, struct pair p, uchar c, ulong n)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	if (i < n)\n"
	"		x[i] += p.a + (int)p.b + c;\n"
	"}\n";

struct pair {
	int32_t a, pad;
	int64_t b;
};

static const char *selector = "level_zero:0";

static dpr_queue *start(void)
{
	use_backends(NULL);
	return queue_of(get_device(selector));
}

/* A kernel from a cached program must know its parameters, too. */
static void use_source(dpr_queue *queue)
{
	const struct pair p = { 10, 0, 100 };
	dpr_kernel_info info;
	dpr_kernel *kernel;
	dpr_usm *x;

	CHECK_OK(dpr_kernel_from_source(queue, source, "mix", &kernel));
	CHECK_OK(dpr_kernel_get_info(kernel, &info));
	ck_assert_uint_eq(info.n_args, 4);
	x = new_ints(queue, DPR_USM_DEVICE, 20, 1000);
	{
		const dpr_arg args[] = { dpr_arg_usm_use(x, 0, DPR_READ_WRITE),
					 dpr_arg_bytes(&p, sizeof(p)),
					 dpr_arg_u8(7), dpr_arg_u64(20) };

		CHECK_OK(dpr_kernel_launch_usm(queue, kernel, dpr_range1(20),
					       NULL, NULL, args, 4));
	}
	ck_assert_int_eq(get_int(queue, x, 19), 1117);
	dpr_usm_release(x);
	dpr_kernel_release(kernel);
}

/* Use a program of SPIR-V with @value for its constant. */
static void use_constant(dpr_queue *queue, int value)
{
	const dpr_image image = { "spirv", NULL, spirv_constants,
				  sizeof(spirv_constants) };
	const dpr_spec spec = { 3, 4, &value };
	const dpr_build_options options = { .struct_size = sizeof(options),
					    .spec = &spec,
					    .n_spec = 1 };
	dpr_usm *x = new_ints(queue, DPR_USM_DEVICE, 1, 0);
	const dpr_arg arg = dpr_arg_usm_use(x, 0, DPR_WRITE);
	dpr_program *program;
	dpr_kernel *kernel;

	CHECK_OK(dpr_program_build(queue, &image, 1, &options, &program));
	CHECK_OK(dpr_kernel_create(program, "add_one", &kernel));
	CHECK_OK(dpr_kernel_launch_usm(queue, kernel, dpr_range1(1), NULL, NULL,
				       &arg, 1));
	ck_assert_int_eq(get_int(queue, x, 0), value);
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	dpr_usm_release(x);
}

static void use_arrays(dpr_queue *queue)
{
	const float a[] = { 1, 2, 3 };
	float sum[3];
	dpr_array *x, *y;

	CHECK_OK(dpr_array_from_memory(a, DPR_SHAPE(3), NULL, DPR_FLOAT32,
				       queue, &x));
	CHECK_OK(dpr_add(x, x, &y));
	CHECK_OK(dpr_array_to_memory(y, sum, sizeof(sum), NULL));
	ck_assert_float_eq(sum[2], 6);
	dpr_array_release(x);
	dpr_array_release(y);
}

static void use_three(void)
{
	dpr_queue *queue = start();

	use_source(queue);
	use_constant(queue, 30);
	use_arrays(queue);
}

/* Check how many modules of each format the driver was given. */
static void check_modules(int spirv, int native)
{
	ck_assert_int_eq((int)zecpu->modules(SPIRV), spirv);
	ck_assert_int_eq((int)zecpu->modules(NATIVE), native);
	ck_assert_int_eq((int)zecpu->calls("zeModuleCreate"), spirv + native);
	finish_all();
}

/* --- What processes do ------------------------------------------------------
 */

static void build_three(void)
{
	use_three();
	CHECK_CACHE(0, 3, 3, 0, 3);
	check_modules(3, 0);
}

static void find_three(void)
{
	use_three();
	CHECK_CACHE(3, 0, 0, 0, 0);
	check_modules(0, 3);
}

/* The programs that do not depend on the device's memory.  Those of arrays
   differ if an allocation cannot have 4 GiB. */
static void find_two(void)
{
	dpr_queue *queue = start();

	use_source(queue);
	use_constant(queue, 30);
	CHECK_CACHE(2, 0, 0, 0, 0);
	check_modules(0, 2);
}

START_TEST(second_process_builds_nothing)
{
	in_process(build_three);
	ck_assert_int_eq(cache_dir_files(".bin"), 3);
	in_process(find_three);
	in_process(find_three);
	ck_assert_int_eq(cache_dir_files(".bin"), 3);
}
END_TEST

/* A binary is not even shown to a driver of another version. */
START_TEST(another_version)
{
	in_process(build_three);
	ck_assert(zecpu->set("VERSION", 2));
	in_process(build_three);
	ck_assert_int_eq(cache_dir_files(".bin"), 6);
	in_process(find_three);
	ck_assert(zecpu->set("VERSION", 1));
	in_process(find_three);
}
END_TEST

START_TEST(another_device)
{
	in_process(build_three);
	selector = "level_zero:1";
	in_process(build_three);
	in_process(find_three);
	selector = "level_zero:0";
	in_process(find_three);
	/* A tile counts as the same kind of device. */
	selector = "level_zero:0.1";
	in_process(find_two);
	ck_assert_int_eq(cache_dir_files(".bin"), 6);
}
END_TEST

/* Use the first device of the second driver.  Both devices have the same
   name. */
static void use_second_driver(void)
{
	selector = "level_zero:2";
	zecpu = zecpu2;
}

static void build_on_second(void)
{
	use_second_driver();
	build_three();
}

static void find_on_second(void)
{
	use_second_driver();
	find_three();
}

START_TEST(another_driver)
{
	in_process(build_three);
	open_second_driver();
	in_process(build_on_second);
	/* The process has removed the copy of the driver: make it again. */
	open_second_driver();
	in_process(find_on_second);
	ck_assert_int_eq(cache_dir_files(".bin"), 6);
}
END_TEST

/* --- Other programs ---------------------------------------------------------
 */

static void build_constant(void)
{
	use_constant(start(), 31);
	CHECK_CACHE(0, 1, 1, 0, 1);
	check_modules(1, 0);
}

static void find_constant(void)
{
	use_constant(start(), 31);
	CHECK_CACHE(1, 0, 0, 0, 0);
	check_modules(0, 1);
}

START_TEST(another_value)
{
	in_process(build_three);
	in_process(build_constant);
	in_process(find_constant);
	in_process(find_three);
}
END_TEST

/* --- Binaries that cannot be used --------------------------------------------
 */

static void refused_one(void)
{
	dpr_queue *queue = start();

	/* ZE_RESULT_ERROR_INVALID_NATIVE_BINARY */
	zecpu->fail("zeModuleCreate", 1, 0x7800000f);
	use_source(queue);
	ck_assert_str_eq(zecpu->failed(), "zeModuleCreate");
	CHECK_CACHE(0, 0, 1, 1, 1);
	ck_assert_uint_eq(zecpu->modules(SPIRV), 1);
	ck_assert_uint_eq(zecpu->modules(NATIVE), 0);
	finish_all();
}

static void damaged_three(void)
{
	use_three();
	CHECK_CACHE(0, 3, 3, 3, 3);
	check_modules(3, 0);
}

START_TEST(the_driver_refuses)
{
	in_process(build_three);
	in_process(refused_one);
	in_process(find_three);
	cut_files();
	in_process(damaged_three);
	in_process(find_three);
}
END_TEST

START_TEST(no_cache)
{
	in_process(build_three);
	setenv("DPR_CACHE_DIR", "off", 1);
	use_three();
	CHECK_CACHE(0, 0, 0, 0, 3);
	check_modules(3, 0);
}
END_TEST

static void set_up(void)
{
	open_driver();
	cache_dir_setup();
}

int main(void)
{
	const TTest *const tests[] = {
		second_process_builds_nothing,
		another_version,
		another_device,
		another_driver,
		another_value,
		the_driver_refuses,
		no_cache,
	};
	const int missing = find_missing();
	Suite *suite = suite_create("api_ze_cache");
	TCase *tcase = tcase_create("api_ze_cache");
	SRunner *runner = srunner_create(suite);
	size_t i;
	int failed;

	if (missing)
		return missing;
	tcase_add_checked_fixture(tcase, set_up, cache_dir_teardown);
	tcase_set_timeout(tcase, 120);
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
