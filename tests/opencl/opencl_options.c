/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the OpenCL plugin without libdpr: compiler options, and the options
   that are needed when a binary is loaded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl_support.h"

static struct bench bench;

START_TEST(options_reach_the_compiler)
{
	static const char text[] =
		"#if __OPENCL_C_VERSION__ != WANTED\n#error wrong version\n"
		"#endif\nkernel void f(global int *p) { p[0] = 1; }\n";
	dprp_module *made = NULL;

	OK(bench_build(&bench, "opencl-c", text, strlen(text), "-DWANTED=120",
		       NULL, &made));
	bench.plugin->module->destroy(made);
	OK(bench_build(&bench, "opencl-c", text, strlen(text),
		       "-cl-std=CL1.1 -DWANTED=110", NULL, &made));
	bench.plugin->module->destroy(made);
	host_table_clear();
	ck_assert_int_eq(bench_build(&bench, "opencl-c", text, strlen(text),
				     "--no-such-option", NULL, &made),
			 DPR_RC_BUILD);
	ck_assert_str_ne(host_table_error(), "");
}
END_TEST

/* A binary begins with the options that are needed to load it. */
START_TEST(binaries_have_their_options)
{
	static const char put[] =
		"kernel void put(global uint *to, uint v) { to[0] = v; }\n";
	struct host_table_text first = { 0 }, again = { 0 };
	dprp_module *made = NULL;
	const dprp_module_ops *ops = bench.plugin->module;

	OK(bench_build(&bench, "opencl-c", put, strlen(put),
		       "-DX -cl-denorms-are-zero -cl-std=CL1.2 "
		       "-cl-mad-enable",
		       NULL, &made));
	OK(ops->binary(made, host_table_sink(&first)));
	ops->destroy(made);
	ck_assert_uint_gt(first.size, 64);
	ck_assert_mem_eq(first.text,
			 "dpr-opt\n -cl-denorms-are-zero -cl-mad-enable", 45);
	OK(bench_build(&bench, "opencl-binary", first.text, first.size, NULL,
		       NULL, &made));
	bench.plugin->module->kernel_destroy(bench_kernel(&bench, made, "put"));
	OK(ops->binary(made, host_table_sink(&again)));
	ck_assert_mem_eq(again.text, first.text, 48);
	ops->destroy(made);
	FAILS(bench_build(&bench, "opencl-binary", first.text, 40, NULL, NULL,
			  &made),
	      DPR_RC_INVALID, "cut off");
	FAILS(bench_build(&bench, "opencl-binary", first.text, 48, NULL, NULL,
			  &made),
	      DPR_RC_INVALID, "cut off");
	free(first.text);
	free(again.text);
}
END_TEST

int main(void)
{
	const char *why = NULL;
	TCase *tcase;
	Suite *suite;
	int rc;

	if (!bench_open(&bench, NULL, bench_platform(), &why)) {
		printf("needs %s: %s\n", bench_platform(), why);
		return 77;
	}
	suite = suite_create("opencl options");
	tcase = tcase_create("options");
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, options_reach_the_compiler);
	tcase_add_test(tcase, binaries_have_their_options);
	suite_add_tcase(suite, tcase);
	rc = bench_run(suite);
	bench_close(&bench);
	return rc;
}
