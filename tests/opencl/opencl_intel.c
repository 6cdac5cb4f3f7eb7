/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the OpenCL plugin on Intel's driver without a GPU, which compiles
   but runs nothing: SPIR-V and its specialization constants. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl_support.h"
#include "tests/support/spirv_constants.h"

/* The file in which the package names the driver's library. */
#define DRIVER "/etc/OpenCL/vendors/intel.icd"

static struct bench bench;

/* Let the driver only record what it would send to a GPU.  Returns false if
   this cannot work: the driver needs RTLD_DEEPBIND, which sanitizers refuse. */
static bool use_intel(void)
{
	const char *sanitizers = getenv("dpr_sanitizers");
	char dir[4096], so[4096] = "";
	FILE *file = fopen(DRIVER, "r");

	if (!file)
		return false;
	if (sanitizers && strcmp(sanitizers, "none") != 0) {
		fclose(file);
		return false;
	}
	if (fgets(so, sizeof(so), file))
		so[strcspn(so, "\n")] = '\0';
	fclose(file);
	setenv("NEOReadDebugKeys", "1", 1);
	setenv("SetCommandStreamReceiver", "1", 1);
	setenv("AUBDumpCaptureFileName", "/dev/null", 1);
	setenv("ProductFamilyOverride", "skl", 1);
	return *so && bench_use_driver(so, "intel_vendors", dir);
}

/* Build the module with constant 3 = @value, and get the driver's code. */
static struct host_table_text code_for(uint32_t value)
{
	const dprp_spec spec = { 3, sizeof(value), &value };
	struct host_table_text text = { 0 };
	dprp_module *module = NULL;

	OK(bench_build_spec(&bench, "spirv", spirv_constants,
			    sizeof(spirv_constants), &spec, 1, &module));
	OK(bench.plugin->module->binary(module, host_table_sink(&text)));
	bench.plugin->module->destroy(module);
	return text;
}

START_TEST(constants_change_the_code)
{
	struct host_table_text seven = code_for(7), again = code_for(7);
	struct host_table_text eight = code_for(8);

	ck_assert_uint_gt(seven.size, 0);
	ck_assert_uint_eq(seven.size, again.size);
	ck_assert_mem_eq(seven.text, again.text, seven.size);
	ck_assert(seven.size != eight.size ||
		  memcmp(seven.text, eight.text, seven.size) != 0);
	free(seven.text);
	free(again.text);
	free(eight.text);
}
END_TEST

START_TEST(constants_of_each_size)
{
	const dprp_spec spec[] = {
		{ 1, 1, "\0" },
		{ 3, 4, "\7\0\0" },
		{ 9, 8, "\7\0\0\0\0\0\0" },
		{ 200, 2, "\7" },
	};
	dprp_module *module = NULL;
	dprp_kernel *kernel;

	OK(bench_build_spec(&bench, "spirv", spirv_constants,
			    sizeof(spirv_constants), spec, 4, &module));
	kernel = bench_kernel(&bench, module, "add_one");
	bench.plugin->module->kernel_destroy(kernel);
	bench.plugin->module->destroy(module);
}
END_TEST

int main(void)
{
	const char *why = NULL;
	Suite *suite;
	TCase *tcase;
	int rc;

	if (!use_intel() || !bench_open(&bench, NULL, "Intel", &why)) {
		printf("skipped: %s: install intel-opencl-icd\n",
		       why ? why : "no OpenCL driver for Intel's GPUs");
		return 77;
	}
	suite = suite_create("opencl_intel");
	tcase = tcase_create("constants");
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, constants_change_the_code);
	tcase_add_test(tcase, constants_of_each_size);
	suite_add_tcase(suite, tcase);
	rc = bench_run(suite);
	bench_close(&bench);
	return rc;
}
