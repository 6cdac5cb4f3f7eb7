/* SPDX-License-Identifier: Apache-2.0 */
/* api_ze_intel.c - how Intel's driver applies our build flags and constants;
   run by intel-level-zero.sh.  Nothing is executed: the machine code is
   compared. */
#include <stdio.h>
#include <stdlib.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"
#include "tests/support/spirv_constants.h"

struct binary {
	char *bytes;
	size_t size;
};

static dpr_queue *queue;

static void start(void)
{
	dpr_device *device;

	CHECK_OK(dpr_device_select("level_zero:0", &device));
	CHECK_OK(dpr_queue_create(device, 0, &queue));
}

static void stop(void)
{
	dpr_queue_release(queue);
	CHECK_OK(dpr_finalize());
}

static struct binary take_binary(dpr_program *program)
{
	struct binary out;

	CHECK_OK(dpr_program_binary(program, NULL, 0, &out.size));
	out.bytes = malloc(out.size);
	ck_assert(out.bytes != NULL);
	CHECK_OK(dpr_program_binary(program, out.bytes, out.size, &out.size));
	dpr_program_release(program);
	return out;
}

static bool are_equal(const struct binary *a, const struct binary *b)
{
	return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static struct binary code_for(uint32_t value)
{
	const dpr_image image = { "spirv", NULL, spirv_constants,
				  sizeof(spirv_constants) };
	const dpr_spec spec[] = { { 3, 4, &value },
				  { 1, 1, "" },
				  { 9, 8, "\1\0\0\0\0\0\0" },
				  { 200, 2, "\1" } };
	const dpr_build_options options = { .struct_size = sizeof(options),
					    .spec = spec,
					    .n_spec = 4 };
	dpr_program *program;

	CHECK_OK(dpr_program_build(queue, &image, 1, &options, &program));
	return take_binary(program);
}

START_TEST(constants_change_the_code)
{
	struct binary seven, again, eight;
	dpr_program *program;
	dpr_image image = { "level_zero-binary", NULL, NULL, 0 };
	dpr_kernel *kernel;

	start();
	seven = code_for(7);
	again = code_for(7);
	eight = code_for(8);
	ck_assert(are_equal(&seven, &again));
	ck_assert(!are_equal(&seven, &eight));
	/* The driver accepts its own binary. */
	image.data = seven.bytes;
	image.size = seven.size;
	CHECK_OK(dpr_program_from_images(queue, &image, 1, NULL, &program));
	CHECK_OK(dpr_kernel_create(program, "add_one", &kernel));
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	free(seven.bytes);
	free(again.bytes);
	free(eight.bytes);
	stop();
}
END_TEST

static dpr_status build_division(uint64_t flags, dpr_program **out)
{
	static const char text[] =
		"kernel void f(global float *x) { x[0] = x[1] / x[2]; }\n";
	const dpr_image image = { "opencl-c", NULL, text, sizeof(text) - 1 };
	const dpr_build_options options = { .struct_size = sizeof(options),
					    .flags = flags };

	return dpr_program_build(queue, &image, 1, &options, out);
}

START_TEST(flags_reach_the_compiler)
{
	struct binary plain, rounded;
	uint64_t config = 0, largest = 0;
	dpr_program *program;
	dpr_device *device;

	start();
	device = dpr_queue_device(queue);
	CHECK_OK(dpr_device_info_u64(device, DPR_INFO_SINGLE_FP_CONFIG,
				     &config));
	CHECK_OK(
		dpr_device_info_u64(device, DPR_INFO_MAX_ALLOC_SIZE, &largest));
	CHECK_OK(build_division(0, &program));
	plain = take_binary(program);
	if (config & DPR_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) {
		CHECK_OK(build_division(DPR_BUILD_ROUNDED, &program));
		rounded = take_binary(program);
		/* The sizes differ: not only the stored flags, but also the
		   code. */
		ck_assert_uint_ne(plain.size, rounded.size);
		free(rounded.bytes);
	} else {
		CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
			    build_division(DPR_BUILD_ROUNDED, &program));
	}
	if (largest >= UINT64_C(1) << 32) {
		CHECK_OK(build_division(DPR_BUILD_LARGE, &program));
		dpr_program_release(program);
	}
	printf("rounded %d, large %d\n",
	       (config & DPR_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0,
	       largest >= UINT64_C(1) << 32);
	free(plain.bytes);
	stop();
}
END_TEST

/* With _i 1 the compiler is ocloc, which is installed with the driver; clang
   must not step in. */
START_TEST(launches_are_taken)
{
	static const char text[] =
		"kernel void f(global float *x, float y, local float *t)\n"
		"{ t[0] = y; x[get_global_id(0)] = t[0]; }\n";
	dpr_kernel *kernel;
	dpr_usm *x;
	int i;

	if (_i)
		setenv("DPR_OPTION_LEVEL_ZERO_COMPILER", "ocloc", 1);
	start();
	CHECK_OK(dpr_kernel_from_source(queue, text, "f", &kernel));
	CHECK_OK(dpr_usm_alloc(queue, DPR_USM_DEVICE, 4096, &x));
	for (i = 0; i < 3; i++) {
		const dpr_arg args[] = { dpr_arg_usm_use(x, 0, DPR_WRITE),
					 dpr_arg_f32((float)i),
					 dpr_arg_local(64) };

		CHECK_OK(dpr_kernel_launch_usm(queue, kernel, dpr_range1(1000),
					       NULL, NULL, args, 3));
	}
	CHECK_OK(dpr_queue_wait(queue));
	dpr_usm_release(x);
	dpr_kernel_release(kernel);
	CHECK_FAILS(DPR_ERROR_BUILD,
		    dpr_kernel_from_source(
			    queue, "kernel void f(global int *x) { *x = y; }",
			    "f", &kernel));
	ck_assert_msg(strstr(dpr_last_error(), "undeclared identifier 'y'"),
		      "%s", dpr_last_error());
	stop();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("api_ze_intel");
	TCase *tcase = tcase_create("programs");
	SRunner *runner = srunner_create(suite);
	int failed, last = 1;

	setenv("DPR_CACHE_DIR", "off", 0);
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, constants_change_the_code);
	tcase_add_test(tcase, flags_reach_the_compiler);
	if (system("command -v ocloc >/dev/null") != 0)
		printf("without ocloc, which is not installed\n");
	else
		last = 2;
	tcase_add_loop_test(tcase, launches_are_taken, 0, last);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
