/* SPDX-License-Identifier: Apache-2.0 */
/* zecpu_test.h - what tests of the software driver have in common: they reach
   it through the real loader. */
#ifndef TESTS_ZECPU_ZECPU_TEST_H
#define TESTS_ZECPU_ZECPU_TEST_H

#include <check.h>
#include <dlfcn.h>
#include <level_zero/ze_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/zecpu/zecpu.h"

#define OK(call) ck_assert_int_eq((int)(call), 0)
#define IS(code, call) ck_assert_int_eq((int)(call), (int)(code))

static const struct zecpu_control *control;
static ze_driver_handle_t driver;
static ze_device_handle_t devices[8];
static uint32_t n_devices;
static ze_context_handle_t context;

static inline const char *zecpu_library(void)
{
	static char path[512];
	const char *top = getenv("top_builddir");

	snprintf(path, sizeof(path), "%s/tests/zecpu/driver/.libs/libzecpu.so",
		 top ? top : ".");
	return path;
}

/* Have the loader take this driver, unless a path is set already.  "none" is
   what tests/local.mk sets. */
static inline void zecpu_choose(void)
{
	const char *set = getenv("ZE_ENABLE_ALT_DRIVERS");

	setenv("ZE_ENABLE_ALT_DRIVERS", zecpu_library(),
	       set && strcmp(set, "none") == 0);
}

/* Load the driver through the loader.  Set knobs in the environment before. */
static inline void zecpu_start(void)
{
	ze_context_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC };
	zecpu_control_function function;
	uint32_t n = 1;

	zecpu_choose();
	OK(zeInit(0));
	OK(zeDriverGet(&n, &driver));
	OK(zeDriverGetExtensionFunctionAddress(driver, ZECPU_CONTROL,
					       (void **)&function));
	control = function();
	n_devices = 8;
	OK(zeDeviceGet(driver, &n_devices, devices));
	OK(zeContextCreate(driver, &desc, &context));
}

/* Do the same with two drivers, which are two copies of the library.  The
   globals refer to the first one. */
static inline void zecpu_start_two(ze_driver_handle_t both[2])
{
	char folder[] = "/tmp/zecpu-test-XXXXXX", command[2048], list[1024];
	uint32_t n = 2;

	ck_assert(mkdtemp(folder) != NULL);
	snprintf(command, sizeof(command), "cp '%s' %s/second.so",
		 zecpu_library(), folder);
	ck_assert_int_eq(system(command), 0);
	snprintf(list, sizeof(list), "%s,%s/second.so", zecpu_library(),
		 folder);
	setenv("ZE_ENABLE_ALT_DRIVERS", list, 1);
	zecpu_start();
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
	OK(zeDriverGet(&n, both));
	ck_assert_uint_eq(n, 2);
}

/* End a test: check that no object is left and no misuse was counted. */
static inline void zecpu_stop(void)
{
	int kind;

	OK(zeContextDestroy(context));
	ck_assert_msg(control->violations() == 0, "%s", control->violation(0));
	for (kind = 0; kind < ZECPU_N_OBJECTS; kind++)
		ck_assert_msg(control->live((enum zecpu_object)kind) == 0,
			      "objects of kind %d live", kind);
}

/* --- objects --- */

static inline void *new_device_memory(size_t size)
{
	ze_device_mem_alloc_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC
	};
	void *out;

	OK(zeMemAllocDevice(context, &desc, size, 64, devices[0], &out));
	return out;
}

static inline void *new_host_memory(size_t size)
{
	ze_host_mem_alloc_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC
	};
	void *out;

	OK(zeMemAllocHost(context, &desc, size, 64, &out));
	return out;
}

static inline ze_command_list_handle_t new_list(uint32_t ordinal,
						ze_command_queue_mode_t mode,
						ze_command_queue_flags_t flags)
{
	ze_command_queue_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
		.ordinal = ordinal,
		.flags = flags,
		.mode = mode,
	};
	ze_command_list_handle_t out;

	OK(zeCommandListCreateImmediate(context, devices[0], &desc, &out));
	return out;
}

static inline ze_event_pool_handle_t new_pool(uint32_t count, bool times,
					      const void *next)
{
	ze_event_pool_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
		.pNext = next,
		.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
		.count = count,
	};
	ze_event_pool_handle_t out;

	if (times)
		desc.flags |= ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
	OK(zeEventPoolCreate(context, &desc, 0, NULL, &out));
	return out;
}

static inline ze_event_handle_t new_event(ze_event_pool_handle_t pool,
					  uint32_t index)
{
	ze_event_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
		.index = index,
		.signal = ZE_EVENT_SCOPE_FLAG_HOST,
		.wait = ZE_EVENT_SCOPE_FLAG_HOST,
	};
	ze_event_handle_t out;

	OK(zeEventCreate(pool, &desc, &out));
	return out;
}

/* --- kernels --- */

/* An option that llvm-spirv needs before version 17. */
#if ZECPU_LLVM < 17
#define ZECPU_TYPED "-opaque-pointers=0 "
#else
#define ZECPU_TYPED
#endif
#define SPIRV_COMMAND                                                        \
	"cd %s && clang-" ZECPU_LLVM_TEXT                                    \
	" -x cl -cl-std=CL1.2 -target spir64-unknown-unknown "               \
	"-Xclang -finclude-default-header -O2 -Xclang -disable-llvm-passes " \
	"-emit-llvm -c k.cl -o 0.bc && opt-" ZECPU_LLVM_TEXT " " ZECPU_TYPED \
	"-passes='function(sroa,early-cse)' 0.bc -o 1.bc && "                \
	"llvm-spirv-" ZECPU_LLVM_TEXT " --spirv-max-version=1.2 1.bc -o k.spv"

/* Whether kernels can be compiled on this machine; if not, prints the
   reason. */
static inline bool zecpu_able(void)
{
	void *library = dlopen(zecpu_library(), RTLD_NOW);
	zecpu_control_function function;
	const char *unable;

	*(void **)&function = library ? dlsym(library, ZECPU_CONTROL) : NULL;
	if (!function) {
		printf("%s\n", dlerror());
		exit(1);
	}
	unable = function()->unable();
	if (!unable &&
	    system("clang-" ZECPU_LLVM_TEXT " --version >/dev/null 2>&1") != 0)
		unable = "clang-" ZECPU_LLVM_TEXT " is not installed";
	if (unable)
		printf("no kernels: %s\n", unable);
	return !unable;
}

/* Compile OpenCL C to SPIR-V, to be freed. */
static inline unsigned char *zecpu_compile(const char *source, size_t *size)
{
	char folder[] = "/tmp/zecpu-test-XXXXXX", path[64], command[1024];
	unsigned char *out;
	struct stat status;
	FILE *file;

	ck_assert(mkdtemp(folder) != NULL);
	snprintf(path, sizeof(path), "%s/k.cl", folder);
	file = fopen(path, "w");
	ck_assert(file != NULL);
	fputs(source, file);
	fclose(file);
	snprintf(command, sizeof(command), SPIRV_COMMAND, folder);
	ck_assert_int_eq(system(command), 0);
	snprintf(path, sizeof(path), "%s/k.spv", folder);
	ck_assert_int_eq(stat(path, &status), 0);
	*size = (size_t)status.st_size;
	out = malloc(*size);
	file = fopen(path, "r");
	ck_assert(out && file);
	ck_assert_uint_eq(fread(out, 1, *size, file), *size);
	fclose(file);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
	return out;
}

static inline ze_module_handle_t new_module(const void *code, size_t size)
{
	ze_module_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
		.format = ZE_MODULE_FORMAT_IL_SPIRV,
		.inputSize = size,
		.pInputModule = code,
	};
	ze_module_build_log_handle_t log;
	ze_module_handle_t out;
	ze_result_t result;
	char text[4096];
	size_t length = sizeof(text);

	result = zeModuleCreate(context, devices[0], &desc, &out, &log);
	OK(zeModuleBuildLogGetString(log, &length, text));
	ck_assert_msg(result == 0, "%#x %s", (unsigned)result, text);
	OK(zeModuleBuildLogDestroy(log));
	return out;
}

/* Compile OpenCL C and make a module of it. */
static inline ze_module_handle_t compile_module(const char *source)
{
	size_t size;
	unsigned char *code = zecpu_compile(source, &size);
	ze_module_handle_t out = new_module(code, size);

	free(code);
	return out;
}

static inline ze_kernel_handle_t new_kernel(ze_module_handle_t module,
					    const char *name)
{
	ze_kernel_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
				  .pKernelName = name };
	ze_kernel_handle_t out;

	OK(zeKernelCreate(module, &desc, &out));
	return out;
}

static inline void set_pointer(ze_kernel_handle_t kernel, uint32_t index,
			       void *value)
{
	OK(zeKernelSetArgumentValue(kernel, index, sizeof(value), &value));
}

/* Launch one work-item, which waits for @n events. */
static inline void launch_one(ze_command_list_handle_t list,
			      ze_kernel_handle_t kernel,
			      ze_event_handle_t signal, uint32_t n,
			      ze_event_handle_t *wait)
{
	ze_group_count_t groups = { 1, 1, 1 };

	OK(zeKernelSetGroupSize(kernel, 1, 1, 1));
	OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, signal, n,
					   wait));
}

/* --- programs --- */

static inline TCase *zecpu_case(const char *name, const TTest *const *tests,
				size_t n)
{
	TCase *tcase = tcase_create(name);
	size_t i;

	tcase_set_timeout(tcase, 120);
	for (i = 0; i < n; i++)
		tcase_add_test(tcase, tests[i]);
	return tcase;
}

/* Run the suite.  Returns what main() must return: 77 if @able is false, so
   that tests with kernels were left out. */
static inline int zecpu_run_suite(Suite *suite, bool able)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : able ? EXIT_SUCCESS : 77;
}

#endif
