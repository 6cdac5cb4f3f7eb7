/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the OpenCL plugin on the mock driver: how programs are built, with
   compilers that refuse some flags. */
#include "opencl_mock.h"

START_TEST(spirv_and_logs)
{
	struct bench bench = open_on(NULL, "Mock usm");
	struct host_table_text log = { 0 };
	char *formats = bench_text(&bench, bench.device, DPR_INFO_FORMATS);
	const dprp_spec spec = { 3, 4, "\7\0\0" };
	dprp_module *module = NULL;

	ck_assert_mem_eq(formats, "opencl-c\0spirv\0opencl-binary", 28);
	free(formats);
	/* The build is repeated without the option that this driver does not
	   know. */
	OK(bench_build(&bench, "spirv", "\3\2#\7", 4, "-ignored", &log,
		       &module));
	ck_assert(traced("clCreateProgramWithIL\nbuild [-cl-kernel-arg-info]\n"
			 "build []\n"));
	ck_assert_ptr_null(log.text);
	bench.plugin->module->destroy(module);
	OK(bench_build_spec(&bench, "spirv", "\3\2#\7", 4, &spec, 1, &module));
	ck_assert(traced("constant 3 of 4 bytes: 7\nbuild ["));
	bench.plugin->module->destroy(module);
	FAILS(bench_build_spec(&bench, "opencl-c", "kernel", 6, &spec, 1,
			       &module),
	      DPR_RC_UNSUPPORTED, "opencl-c, which has no specialization");
	FAILS(bench_build(&bench, "opencl-c", "#error", 6, "-DX", &log,
			  &module),
	      DPR_RC_BUILD, "CL_BUILD_PROGRAM_FAILURE (-11)");
	ck_assert(traced("build [-cl-kernel-arg-info -cl-std=CL1.2 -DX]\n"));
	ck_assert_str_eq(log.text, "mock: line 1: #error\n");
	free(log.text);
	close_all(&bench);

	bench = open_on(NULL, "Mock plain");
	FAILS(bench_build(&bench, "spirv", "\3\2#\7", 4, NULL, NULL, &module),
	      DPR_RC_UNSUPPORTED, "spirv");
	close_all(&bench);
}
END_TEST

/* The source is built again without the flag that this compiler cannot have for
   a kernel without arguments, and only then. */
START_TEST(kernels_without_arguments)
{
	struct bench bench = open_on(NULL, "Mock plain");
	struct host_table_text log = { 0 };
	dprp_module *module;

	OK(bench_build(&bench, "opencl-c", "add", 3, NULL, NULL, &module));
	ck_assert(!traced("build [ "));
	bench.plugin->module->destroy(module);
	OK(bench_build(&bench, "opencl-c", "add(void)", 9, "-DX", &log,
		       &module));
	ck_assert(traced("build [-cl-kernel-arg-info -cl-std=CL1.2 -DX]\n"
			 "build [ -cl-std=CL1.2 -DX]\n"));
	ck_assert_ptr_null(log.text);
	bench.plugin->module->destroy(module);
	close_all(&bench);
}
END_TEST

START_TEST(flags_become_options)
{
	struct bench bench = open_on(NULL, "Mock usm");
	const uint64_t rounded = DPRP_BUILD_ROUNDED, large = DPRP_BUILD_LARGE;
	dprp_module *made;

	OK(bench_build_flags(&bench, "opencl-c", "kernel", 6, "-DX",
			     rounded | large, NULL, &made));
	ck_assert(traced("build [-cl-kernel-arg-info -cl-std=CL1.2 "
			 "-cl-fp32-correctly-rounded-divide-sqrt -DX]\n"));
	bench.plugin->module->destroy(made);
	/* This driver refuses options with SPIR-V, so it cannot be told to
	   round correctly. */
	FAILS(bench_build_flags(&bench, "spirv", "\3\2#\7", 4, NULL, rounded,
				NULL, &made),
	      DPR_RC_UNSUPPORTED, "for SPIR-V");
	close_all(&bench);
	bench = open_on(NULL, "Mock plain");
	FAILS(bench_build_flags(&bench, "opencl-c", "kernel", 6, NULL, rounded,
				NULL, &made),
	      DPR_RC_UNSUPPORTED, "does not round");
	close_all(&bench);
}
END_TEST

START_TEST(parameters_that_nobody_tells)
{
	struct bench bench = open_on(NULL, "Mock plain");
	dprp_module *module = bench_source(&bench, "kernel");
	dprp_kernel *kernel = bench_kernel(&bench, module, "mystery");
	dprp_param params[2];
	size_t need = 0;

	OK(bench.plugin->module->kernel_info(kernel, bench.device,
					     DPRP_KERNEL_PARAMS, params,
					     sizeof(params), &need));
	ck_assert_uint_eq(params[0].kind, DPRP_ARG_UNKNOWN);
	ck_assert_uint_eq(params[1].kind, DPRP_ARG_UNKNOWN);
	bench.plugin->module->kernel_destroy(kernel);
	bench.plugin->module->destroy(module);
	close_all(&bench);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *tcase;

	if (!is_mock_there())
		return 77;
	suite = suite_create("opencl mock driver, programs");
	tcase = tcase_create("mock");
	tcase_add_test(tcase, spirv_and_logs);
	tcase_add_test(tcase, kernels_without_arguments);
	tcase_add_test(tcase, flags_become_options);
	tcase_add_test(tcase, parameters_that_nobody_tells);
	suite_add_tcase(suite, tcase);
	return bench_run(suite);
}
