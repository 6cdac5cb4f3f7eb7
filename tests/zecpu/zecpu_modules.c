/* SPDX-License-Identifier: Apache-2.0 */
/* zecpu_modules.c - the inputs from which the software driver builds
   modules. */
#include "zecpu_test.h"

static const char kernels[] =
	"__attribute__((overloadable)) int __spirv_SpecConstant(int, int);\n"
	"__attribute__((overloadable)) float __spirv_SpecConstant(int, float);\n"
	"__attribute__((overloadable)) long __spirv_SpecConstant(int, long);\n"
	"__kernel void constants(__global long *p)\n"
	"{\n"
	"	p[0] = __spirv_SpecConstant(7, 3);\n"
	"	p[1] = (long)(__spirv_SpecConstant(9, 1.5f) * 10);\n"
	"	p[2] = __spirv_SpecConstant(11, 4L);\n"
	"}\n";

static ze_module_handle_t module;

START_TEST(specialization_constants_are_heeded)
{
	static const uint32_t ids[] = { 7, 9, 11 };
	int seven = -8;
	float nine = 2.5F;
	int64_t eleven = (int64_t)1 << 40;
	const void *values[] = { &seven, &nine, &eleven };
	ze_module_constants_t constants = { 3, ids, values };
	ze_module_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
		.format = ZE_MODULE_FORMAT_IL_SPIRV,
	};
	ze_command_list_handle_t list;
	ze_kernel_handle_t kernel;
	unsigned char *code;
	int64_t *memory;

	zecpu_start();
	code = zecpu_compile(kernels, &desc.inputSize);
	desc.pInputModule = code;
	list = new_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, 0);
	memory = new_host_memory(64);
	module = new_module(code, desc.inputSize);
	kernel = new_kernel(module, "constants");
	set_pointer(kernel, 0, memory);
	launch_one(list, kernel, NULL, 0, NULL);
	ck_assert_int_eq(memory[0], 3);
	ck_assert_int_eq(memory[1], 15);
	ck_assert_int_eq(memory[2], 4);
	OK(zeKernelDestroy(kernel));
	OK(zeModuleDestroy(module));
	desc.pConstants = &constants;
	OK(zeModuleCreate(context, devices[0], &desc, &module, NULL));
	kernel = new_kernel(module, "constants");
	set_pointer(kernel, 0, memory);
	launch_one(list, kernel, NULL, 0, NULL);
	ck_assert_int_eq(memory[0], -8);
	ck_assert_int_eq(memory[1], 25);
	ck_assert_int_eq(memory[2], eleven);
	OK(zeKernelDestroy(kernel));
	OK(zeModuleDestroy(module));
	constants.pConstantIds = (const uint32_t[]){ 7, 9, 12 };
	IS(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
	   zeModuleCreate(context, devices[0], &desc, &module, NULL));
	free(code);
	OK(zeMemFree(context, memory));
	OK(zeCommandListDestroy(list));
	zecpu_stop();
}
END_TEST

START_TEST(source_can_be_built)
{
	static const char wrong[] = "__kernel void f(__global int *p) { q; }";
	ze_module_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
		.format = (ze_module_format_t)ZECPU_FORMAT_SOURCE,
		.inputSize = sizeof(kernels) - 1,
		.pInputModule = (const uint8_t *)kernels,
	};
	ze_module_build_log_handle_t log;
	char text[4096];
	size_t size = sizeof(text);

	zecpu_start();
	IS(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
	   zeModuleCreate(context, devices[0], &desc, &module, NULL));
	control->set("SOURCE", 1);
	OK(zeModuleCreate(context, devices[0], &desc, &module, NULL));
	OK(zeKernelDestroy(new_kernel(module, "constants")));
	OK(zeModuleDestroy(module));
	desc.pInputModule = (const uint8_t *)wrong;
	desc.inputSize = sizeof(wrong) - 1;
	IS(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
	   zeModuleCreate(context, devices[0], &desc, &module, &log));
	OK(zeModuleBuildLogGetString(log, &size, text));
	ck_assert_msg(strstr(text, "undeclared identifier 'q'"), "%s", text);
	OK(zeModuleBuildLogDestroy(log));
	zecpu_stop();
}
END_TEST

START_TEST(tools_can_be_missing)
{
	ze_module_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
		.format = ZE_MODULE_FORMAT_IL_SPIRV,
	};
	ze_module_build_log_handle_t log;
	char text[4096], folder[] = "/tmp/zecpu-test-XXXXXX";
	unsigned char *code;
	size_t size = sizeof(text);

	code = zecpu_compile(kernels, &desc.inputSize);
	desc.pInputModule = code;
	ck_assert(mkdtemp(folder) != NULL);
	setenv("ZECPU_CACHE", folder, 1);
	setenv("PATH", folder, 1);
	zecpu_start();
	ck_assert_str_eq(control->unable(),
			 "llvm-spirv-" ZECPU_LLVM_TEXT " is not installed");
	IS(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
	   zeModuleCreate(context, devices[0], &desc, &module, &log));
	OK(zeModuleBuildLogGetString(log, &size, text));
	ck_assert_str_eq(text, "error: zecpu: llvm-spirv-" ZECPU_LLVM_TEXT
			       " is not installed\n");
	OK(zeModuleBuildLogDestroy(log));
	ck_assert_int_eq(rmdir(folder), 0);
	free(code);
	zecpu_stop();
}
END_TEST

/* PoCL may come from a newer LLVM than the tools. */
START_TEST(pocl_of_another_llvm)
{
	char file[] = "/tmp/zecpu-test-XXXXXX",
	     folder[] = "/tmp/zecpu-test-XXXXXX";
	int fd = mkstemp(file);

	ck_assert_int_eq(write(fd, "not bitcode\n", 12), 12);
	close(fd);
	ck_assert(mkdtemp(folder) != NULL);
	setenv("ZECPU_CACHE", folder, 1);
	setenv("ZECPU_BUILT_INS", file, 1);
	zecpu_start();
	ck_assert_ptr_nonnull(control->unable());
	ck_assert_msg(strstr(control->unable(), "cannot read PoCL's functions"),
		      "%s", control->unable());
	ck_assert_ptr_nonnull(strstr(control->unable(), file));
	ck_assert_int_eq(rmdir(folder), 0);
	unlink(file);
	zecpu_stop();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		specialization_constants_are_heeded,
		source_can_be_built,
		tools_can_be_missing,
		pocl_of_another_llvm,
	};
	Suite *suite;

	if (!zecpu_able())
		return 77;
	suite = suite_create("zecpu modules");
	suite_add_tcase(suite, zecpu_case("modules", tests,
					  sizeof(tests) / sizeof(*tests)));
	return zecpu_run_suite(suite, true);
}
