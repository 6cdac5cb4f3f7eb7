/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_target.c - the format that a device's array kernels are made in.  A CPU
 * gets native code if it takes native code, and else the text for GPUs.
 */
#include "tests/support/runtime_test.h"

#include <dpr/backend.h>

#include "core/array/engine/kernel_store.h"

static const struct {
	const char *type, *formats, *format;
} devices[] = {
	{ "cpu", "opencl-c", "opencl-c" },
	{ "cpu", DPRP_NATIVE_FORMAT ",opencl-c", DPRP_NATIVE_FORMAT },
	{ "cpu", "opencl-c," DPRP_NATIVE_FORMAT, DPRP_NATIVE_FORMAT },
	{ "cpu", "spirv,opencl-c", "opencl-c" },
	{ "gpu", "opencl-c", "opencl-c" },
	{ "gpu", DPRP_NATIVE_FORMAT ",opencl-c", DPRP_NATIVE_FORMAT },
	{ "gpu", "opencl-c," DPRP_NATIVE_FORMAT, "opencl-c" },
	{ "cpu", DPRP_NATIVE_FORMAT, DPRP_NATIVE_FORMAT },
};
#define DEVICES (int)(sizeof(devices) / sizeof(devices[0]))

START_TEST(format_of_a_device)
{
	const struct target *target;

	setenv("DPR_OPTION_MOCK_TYPE", devices[_i].type, 1);
	setenv("DPR_OPTION_MOCK_FORMATS", devices[_i].formats, 1);
	start_mocks();
	target = target_of(dpr_queue_device(q1));
	ck_assert_str_eq(target->format_name, devices[_i].format);
	ck_assert_int_eq(target->format->is_native,
			 !strcmp(devices[_i].format, DPRP_NATIVE_FORMAT));
	ck_assert_int_eq(target->takes_text, _i != DEVICES - 1);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Routines are text where the driver has the compiler: where OpenCL C comes
   before other formats. */
START_TEST(text_is_preferred)
{
	static const char first[] = "own\0opencl-c\0spirv",
			  last[] = "ptx\0opencl-c", none[] = "spirv\0own";

	ck_assert(formats_prefers_text(first, sizeof(first)));
	ck_assert(!formats_prefers_text(last, sizeof(last)));
	ck_assert(!formats_prefers_text(none, sizeof(none)));
	ck_assert(!formats_prefers_text(first, 0));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target");
	TCase *tcase = tcase_create("target");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tcase, format_of_a_device, 0, DEVICES);
	tcase_add_test(tcase, text_is_preferred);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
