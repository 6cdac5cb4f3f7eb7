/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the OpenCL plugin on Oclgrind, an OpenCL 1.2 device without SVM that
   checks every access: the buffer path, and whether planted faults are
   reported. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opencl_support.h"

static struct bench bench;
static char log_path[4200];

static const char source[] =
	"kernel void add(global uint *p, uint v, uint n) {\n"
	"	if (get_global_id(0) < n) p[get_global_id(0)] += v;\n"
	"}\n";

/* With optimisation, Oclgrind stops at the inlined function. */
static const char inlined[] =
	"static void one(global uint *restrict p, global const uint *restrict q,\n"
	"	uint n) { for (uint i = 0; i < n; i++) p[i] = q[i] + 1; }\n"
	"kernel void copy(global uint *p, global uint *q, uint n) {\n"
	"	one(p, q, n);\n"
	"}\n";

enum { COUNT = 100 };

/* Let the ICD loader find only Oclgrind.  Returns false if it is not
   installed. */
static bool use_oclgrind(void)
{
	static const char *const files[] = {
		"/usr/lib/oclgrind/liboclgrind-rt-icd.so",
		"/usr/lib/x86_64-linux-gnu/oclgrind/liboclgrind-rt-icd.so",
		"/usr/local/lib/oclgrind/liboclgrind-rt-icd.so",
	};
	char dir[4096];
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (access(files[i], R_OK) == 0)
			break;
	if (i == sizeof(files) / sizeof(files[0]) ||
	    !bench_use_driver(files[i], "oclgrind_vendors", dir))
		return false;
	snprintf(log_path, sizeof(log_path), "%s/log", dir);
	unlink(log_path);
	setenv("OCLGRIND_LOG", log_path, 1);
	return true;
}

static long log_size(void)
{
	struct stat st;

	return stat(log_path, &st) == 0 ? (long)st.st_size : -1;
}

START_TEST(buffers_by_themselves)
{
	char *path = bench_text(&bench, bench.device, DPR_INFO_MEMORY_PATH);
	char *platform =
		bench_text(&bench, bench.device, DPR_INFO_PLATFORM_NAME);

	ck_assert_str_eq(platform, "Oclgrind");
	ck_assert_str_eq(path, "buffer");
	ck_assert_uint_eq(
		bench_u64(&bench, bench.device, DPR_INFO_ASPECT_ADDRESSES), 0);
	ck_assert_uint_eq(
		bench_u64(&bench, bench.device, DPR_INFO_ASPECT_USM_SHARED), 0);
	free(path);
	free(platform);
}
END_TEST

START_TEST(a_sound_program)
{
	const dprp_plugin *plugin = bench.plugin;
	uint64_t align =
		bench_u64(&bench, bench.device, DPR_INFO_SUB_BUFFER_ALIGN);
	dprp_module *module = bench_source(&bench, source);
	dprp_kernel *kernel = bench_kernel(&bench, module, "add");
	dprp_mem *a = bench_alloc(&bench, DPRP_MEM_DEVICE, align + COUNT * 4);
	dprp_mem *b = bench_alloc(&bench, DPRP_MEM_DEVICE, COUNT * 4);
	uint32_t value = 3, n = COUNT, pattern = 40, out[COUNT];
	dprp_arg args[] = { arg_mem(a, align), arg_value(&value, 4),
			    arg_value(&n, 4) };
	dprp_queue *queue = bench_queue(&bench, bench.device, 0);
	dprp_event *event = NULL;
	unsigned i;

	OK(plugin->queue->fill(queue, a, 0, align + COUNT * 4, &pattern, 4,
			       NULL, NULL));
	/* 100 is not a multiple of the work-group's size: the plugin rounds
	   up. */
	OK(bench_launch(&bench, queue, kernel, COUNT, 0, args, 3, NULL, NULL));
	OK(plugin->queue->copy(queue, b, 0, a, align, COUNT * 4, NULL, &event));
	bench_done(&bench, event);
	bench_get(&bench, b, 0, out, sizeof(out));
	for (i = 0; i < COUNT; i++)
		ck_assert_uint_eq(out[i], 43);
	bench_get(&bench, a, align - 4, out, 4);
	ck_assert_uint_eq(out[0], 40);
	plugin->queue->destroy(queue);
	plugin->mem->free(a);
	plugin->mem->free(b);
	plugin->module->kernel_destroy(kernel);
	plugin->module->destroy(module);
	ck_assert_int_le(log_size(), 0);
}
END_TEST

START_TEST(inlined_code_runs)
{
	dprp_module *module = bench_source(&bench, inlined);
	dprp_kernel *kernel = bench_kernel(&bench, module, "copy");
	dprp_mem *a = bench_alloc(&bench, DPRP_MEM_DEVICE, 64);
	dprp_mem *b = bench_alloc(&bench, DPRP_MEM_DEVICE, 64);
	uint32_t n = 16, bytes[16] = { [15] = 41 };
	dprp_arg args[] = { arg_mem(a, 0), arg_mem(b, 0), arg_value(&n, 4) };

	bench_put(&bench, b, 0, bytes, sizeof(bytes));
	OK(bench_launch(&bench, bench.queue, kernel, 1, 1, args, 3, NULL,
			NULL));
	bench_get(&bench, a, 0, bytes, sizeof(bytes));
	ck_assert_uint_eq(bytes[15], 42);
	bench.plugin->mem->free(a);
	bench.plugin->mem->free(b);
	bench.plugin->module->kernel_destroy(kernel);
	bench.plugin->module->destroy(module);
	ck_assert_int_le(log_size(), 0);
}
END_TEST

START_TEST(seeded_error_is_reported)
{
	dprp_module *module = bench_source(&bench, source);
	dprp_kernel *kernel = bench_kernel(&bench, module, "add");
	dprp_mem *mem = bench_alloc(&bench, DPRP_MEM_DEVICE, 64);
	uint32_t value = 1, n = 17, zeros[16] = { 0 };
	dprp_arg args[] = { arg_mem(mem, 0), arg_value(&value, 4),
			    arg_value(&n, 4) };

	bench_put(&bench, mem, 0, zeros, sizeof(zeros));
	ck_assert_int_le(log_size(), 0);
	OK(bench_launch(&bench, bench.queue, kernel, 32, 32, args, 3, NULL,
			NULL));
	OK(bench.plugin->queue->finish(bench.queue));
	ck_assert_int_gt(log_size(), 0);
	bench.plugin->mem->free(mem);
	bench.plugin->module->kernel_destroy(kernel);
	bench.plugin->module->destroy(module);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *tcase;
	const char *why = NULL;
	int rc;

	if (!use_oclgrind()) {
		printf("needs oclgrind\n");
		return 77;
	}
	if (!bench_open(&bench, NULL, "Oclgrind", &why)) {
		printf("needs an ICD loader that reads OCL_ICD_VENDORS: %s\n",
		       why);
		return 77;
	}
	suite = suite_create("opencl oclgrind");
	tcase = tcase_create("oclgrind");
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, buffers_by_themselves);
	tcase_add_test(tcase, a_sound_program);
	tcase_add_test(tcase, inlined_code_runs);
	tcase_add_test(tcase, seeded_error_is_reported);
	suite_add_tcase(suite, tcase);
	rc = bench_run(suite);
	bench_close(&bench);
	return rc;
}
