/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_routines.c - routines, kernels written as a whole, on all devices.  Each
 * kernel is built from a module in the format of the device, or else from text,
 * and a second call gives the same kernel.
 */
#include <stdio.h>
#include <string.h>

#include <dpr/dpr.h>

#include "core/array/launch/whole.h"
#include "kernels/images.h"
#include "kernels/routine_matmul.h"
#include "tests/support/devices.h"

static const dpr_dtype dtypes[] = {
	DPR_FLOAT32, DPR_UINT8,   DPR_UINT16,   DPR_UINT32,    DPR_UINT64,
	DPR_FLOAT16, DPR_FLOAT64, DPR_BFLOAT16, DPR_COMPLEX64, DPR_COMPLEX128,
};
#define DTYPES ((int)(sizeof(dtypes) / sizeof(dtypes[0])))

static bool computes(dpr_dtype dtype)
{
	return (dtype != DPR_FLOAT64 && dtype != DPR_COMPLEX128) ||
	       dpr_device_has(test_device, "fp64");
}

static void check_kernel(dpr_dtype dtype, int variant)
{
	dpr_kernel *kernel, *again;
	dpr_kernel_info info;

	CHECK_OK(whole_get(test_queue, WHOLE_MATMUL, dtype, variant, &kernel));
	ck_assert_msg(kernel != NULL, "matmul_%s, variant %d",
		      dpr_dtype_name(dtype), variant);
	CHECK_OK(dpr_kernel_get_info(kernel, &info));
	ck_assert(!info.max_work_group_size || !variant ||
		  info.max_work_group_size >= ROUTINE_MATMUL_GROUP);
	CHECK_OK(whole_get(test_queue, WHOLE_MATMUL, dtype, variant, &again));
	ck_assert_ptr_eq(kernel, again);
}

/* A variant of 8 is for elements of up to 4 bytes, and for float64 in PTX.
   SPIR-V has none. */
START_TEST(kernels)
{
	const struct target *target = target_of(test_device);
	const dpr_dtype dtype = dtypes[_i];
	const bool is_ptx = target->format == &formats_ptx;
	const bool is_spirv = target->format == &formats_spirv;

	if (target->format == &formats_none || target->format->in_files ||
	    !computes(dtype))
		return;
	ck_assert(whole_has_format(target));
	if (target->format->is_native) {
		check_kernel(dtype, 0);
		return;
	}
	for (int variant = 2; variant <= 8; variant *= 2)
		if ((variant < 8 ||
		     (!is_spirv && (dpr_dtype_size(dtype) <= 4 ||
				    (is_ptx && dtype == DPR_FLOAT64)))) &&
		    !leaves_out(3 * _i + variant / 4, 7))
			check_kernel(dtype, variant);
}
END_TEST

/* The library has a module for what a device with that format asks for, and for
   nothing else. */
START_TEST(modules)
{
	static const char *const formats[] = { "ptx", "spirv" };
	struct image image;

	for (int i = 0; i < 2; i++) {
		CHECK_OK(
			images_routine(formats[i], "matmul_float32_4", &image));
		ck_assert_int_eq(image.data != NULL, images_have_spirv());
		ck_assert(!image.data || image.size > 1000);
		CHECK_OK(
			images_routine(formats[i], "matmul_float32_3", &image));
		ck_assert_ptr_null(image.data);
	}
	CHECK_OK(images_routine("opencl-c", "matmul_float32_8", &image));
	ck_assert_ptr_null(image.data);
}
END_TEST

static Suite *routines(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("routines");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, kernels, 0, DTYPES);
	tcase_add_test(tcase, modules);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_all(routines);
}
