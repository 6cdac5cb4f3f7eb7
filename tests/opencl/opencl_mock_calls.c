/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl_mock_calls.c - routines of a CPU's libraries on the mock driver:
 * options, stacks, wrong values, refused and failed commands, and what is left
 * behind.  The library is tests/functions/fake_cblas.c.
 */
#include <pthread.h>

#include "tests/opencl/opencl_mock.h"

static struct bench bench;
static dprp_module *module;
static dprp_kernel *kernel;
static dprp_mem *a, *pivots, *info;
enum { N = 3 };

/* Column by column: the first pivot is in row 2, the second in row 3. */
static const double values[N * N] = { 2, 4, 1, 1, 2, 5, 3, 1, 1 };
static const int64_t wanted[N] = { 2, 3, 3 };

static const struct {
	enum mock_native place;
	const char *path;
} places[] = {
	{ MOCK_NATIVE_THREAD, "svm-fine" }, { MOCK_NATIVE_THREAD, "buffer" },
	{ MOCK_NATIVE_SMALL, "svm-fine" },  { MOCK_NATIVE_SMALL, "buffer" },
	{ MOCK_NATIVE_CALLER, "svm-fine" }, { MOCK_NATIVE_CALLER, "buffer" },
};
enum { N_PLACES = sizeof(places) / sizeof(places[0]) };

static const char *fake_library(void)
{
	static char path[4096];
	const char *build = getenv("top_builddir");

	snprintf(path, sizeof(path), "%s/tests/functions/.libs/fake_cblas.so",
		 build ? build : ".");
	return path;
}

static dprp_rc build(const char *name, struct host_table_text *log,
		     dprp_module **out)
{
	return bench_build(&bench, DPRP_CALLS_FORMAT, name, strlen(name), NULL,
			   log, out);
}

/* Open the plugin on the CPU of the mock, which runs native kernels in this
   place.  Libraries that are opened later are the fake one. */
static void open_bench(enum mock_native place, const char *path)
{
	report->native = place;
	report->fine = true;
	bench = open_on(path, "Portable Computing Language");
	host_table_driver(bench.table, fake_library());
}

static void close_bench(void)
{
	close_all(&bench);
	report->native = MOCK_NATIVE_NONE;
	report->fine = false;
}

static void put_values(void)
{
	bench_put(&bench, a, 0, values, sizeof(values));
}

static void open_getrf(enum mock_native place, const char *path)
{
	open_bench(place, path);
	OK(build("getrf float64", NULL, &module));
	kernel = bench_kernel(&bench, module, "getrf");
	a = bench_alloc(&bench, DPRP_MEM_DEVICE, sizeof(values));
	pivots = bench_alloc(&bench, DPRP_MEM_DEVICE, sizeof(wanted));
	info = bench_alloc(&bench, DPRP_MEM_DEVICE, sizeof(int32_t));
	put_values();
}

static void close_getrf(void)
{
	bench.plugin->mem->free(info);
	bench.plugin->mem->free(pivots);
	bench.plugin->mem->free(a);
	bench.plugin->module->kernel_destroy(kernel);
	bench.plugin->module->destroy(module);
	close_bench();
}

static dprp_rc launch_with(const dprp_lapack *v, uint64_t flags,
			   dprp_event *after, dprp_event **event)
{
	const dprp_arg args[] = { arg_mem(a, 0), arg_mem(pivots, 0),
				  arg_mem(info, 0), arg_value(v, sizeof(*v)) };
	const dprp_launch what = { .struct_size = sizeof(what),
				   .dims = 1,
				   .n_args = 4,
				   .global = { 1, 1, 1 },
				   .args = args,
				   .flags = flags };
	const dprp_deps deps = { .struct_size = sizeof(deps),
				 .count = 1,
				 .events = &after };

	return bench.plugin->queue->launch(bench.queue, kernel, &what,
					   after ? &deps : NULL, event);
}

static const dprp_lapack good = {
	.m = N, .n = N, .count = 1, .leading = { N, 1, 1 }
};

static dprp_rc launch(uint64_t flags, dprp_event *after, dprp_event **event)
{
	return launch_with(&good, flags, after, event);
}

/* Launch, wait, and check the pivots. */
static void factor(uint64_t flags)
{
	int64_t found[N] = { 0 };
	dprp_event *event = NULL;
	int32_t number = -1;

	put_values();
	OK(launch(flags, NULL, &event));
	bench_done(&bench, event);
	bench_get(&bench, pivots, 0, found, sizeof(found));
	bench_get(&bench, info, 0, &number, sizeof(number));
	if (memcmp(found, wanted, sizeof(found)) || number)
		ck_abort_msg("the pivots are wrong");
}

/* --- Options ---------------------------------------------------------------
 */

/* Whether the device lists the format, with an option of the plugin. */
static bool lists_calls(const char *option, const char *value)
{
	const char *why = NULL;
	char *formats, *at;
	bool found = false;

	report->native = MOCK_NATIVE_THREAD;
	if (!bench_open_with(&bench, option, value,
			     "Portable Computing Language", &why))
		ck_abort_msg("%s", why);
	formats = bench_text(&bench, bench.device, DPR_INFO_FORMATS);
	/* Strings one after the other; the last one is this format. */
	for (at = formats; *at && !found; at += strlen(at) + 1)
		found = !strcmp(at, DPRP_CALLS_FORMAT);
	free(formats);
	return found;
}

START_TEST(options)
{
	dprp_module *none = NULL;

	ck_assert(lists_calls("BLAS", NULL));
	/* No library is opened before the first routine. */
	host_table_driver(bench.table, "/no/such/library.so");
	FAILS(build("gemm float32", NULL, &none), DPR_RC_UNSUPPORTED,
	      "name a library in DPR_OPTION_OPENCL_BLAS");
	ck_assert_ptr_null(none);
	close_bench();

	ck_assert(lists_calls("BLAS", "none"));
	FAILS(build("gemm float32", NULL, &none), DPR_RC_UNSUPPORTED,
	      "DPR_OPTION_OPENCL_BLAS=none");
	close_bench();

	ck_assert(lists_calls("LAPACK", "/no/such/library.so"));
	FAILS(build("potrf float32", NULL, &none), DPR_RC_UNSUPPORTED,
	      "DPR_OPTION_OPENCL_LAPACK=/no/such/library.so: this is no "
	      "library");
	close_bench();

	/* Without functions of the process there is CLBlast at most. */
	ck_assert(lists_calls("NATIVE", "no"));
	FAILS(build("gemm float32", NULL, &none), DPR_RC_UNSUPPORTED,
	      "CLBlast is used only if ");
	close_bench();
}
END_TEST

START_TEST(names)
{
	struct host_table_text text = { 0 };
	dprp_module *found = NULL;

	open_bench(MOCK_NATIVE_THREAD, "svm-fine");
	OK(build("gemm float32", &text, &found));
	ck_assert_ptr_nonnull(strstr(text.text, "a fake CBLAS"));
	ck_assert_ptr_nonnull(strstr(text.text, "64-bit integers"));
	free(text.text);
	FAILS(bench.plugin->module->kernel(found, "potrf", &kernel),
	      DPR_RC_INVALID, "gemm");
	FAILS(bench.plugin->module->binary(
		      found, host_table_sink(&(struct host_table_text){ 0 })),
	      DPR_RC_UNSUPPORTED, "no binary");
	bench.plugin->module->destroy(found);
	FAILS(build("gemm int32", NULL, &found), DPR_RC_UNSUPPORTED,
	      "no routine \"gemm int32\"");
	FAILS(build("gesdd float32", NULL, &found), DPR_RC_UNSUPPORTED,
	      "no gesdd");
	FAILS(bench_build_flags(&bench, DPRP_CALLS_FORMAT, "gemm float32", 12,
				NULL, DPRP_BUILD_ROUNDED, NULL, &found),
	      DPR_RC_UNSUPPORTED, "build flags");
	close_bench();
}
END_TEST

/* --- Launches --------------------------------------------------------------
 */

static void *factor_twice(void *unused)
{
	(void)unused;
	factor(0);
	factor(DPRP_LAUNCH_BRIEF);
	return NULL;
}

/* The fake routine needs 6 MiB of stack.  Brief launches get them, too. */
START_TEST(stacks)
{
	pthread_attr_t attr;
	pthread_t thread;

	open_getrf(places[_i].place, places[_i].path);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)128 << 10);
	ck_assert_int_eq(pthread_create(&thread, &attr, factor_twice, NULL), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	ck_assert(traced(strcmp(places[_i].path, "buffer")
				 ? "clEnqueueNativeKernel 0\n"
				 : "clEnqueueNativeKernel 3\n"));
	close_getrf();
}
END_TEST

/* A batch of small matrices, which the team divides. */
START_TEST(batch)
{
	enum { COUNT = 37 };
	dprp_lapack v = good;
	int64_t found[COUNT * N];
	dprp_event *event = NULL;
	int32_t numbers[COUNT];
	unsigned wrong = 0;

	open_getrf(places[_i].place, places[_i].path);
	bench.plugin->mem->free(info);
	bench.plugin->mem->free(pivots);
	bench.plugin->mem->free(a);
	a = bench_alloc(&bench, DPRP_MEM_DEVICE, COUNT * sizeof(values));
	pivots = bench_alloc(&bench, DPRP_MEM_DEVICE, sizeof(found));
	info = bench_alloc(&bench, DPRP_MEM_DEVICE, sizeof(numbers));
	memset(numbers, 1, sizeof(numbers));
	bench_put(&bench, info, 0, numbers, sizeof(numbers));
	for (uint64_t i = 0; i < COUNT; i++)
		bench_put(&bench, a, i * sizeof(values), values,
			  sizeof(values));
	v.count = COUNT;
	v.stride[0] = N * N;
	v.stride[1] = N;
	v.stride[2] = 1;
	OK(launch_with(&v, 0, NULL, &event));
	bench_done(&bench, event);
	bench_get(&bench, pivots, 0, found, sizeof(found));
	bench_get(&bench, info, 0, numbers, sizeof(numbers));
	for (int i = 0; i < COUNT; i++)
		wrong += numbers[i] != 0 ||
			 memcmp(&found[i * N], wanted, sizeof(wanted)) != 0;
	ck_assert_uint_eq(wrong, 0);
	close_getrf();
}
END_TEST

START_TEST(wrong_values)
{
	dprp_lapack v = good;
	dprp_event *event = NULL;

	open_getrf(MOCK_NATIVE_THREAD, "svm-fine");
	v.leading[0] = N - 1;
	FAILS(launch_with(&v, 0, NULL, &event), DPR_RC_INVALID,
	      "getrf: an extent or the count is below 1");
	ck_assert_ptr_null(event);
	v = good;
	v.flags = DPRP_LAPACK_UPPER;
	FAILS(launch_with(&v, 0, NULL, NULL), DPR_RC_INVALID, "a flag");
	factor(0);
	close_getrf();
}
END_TEST

START_TEST(refused)
{
	dprp_event *event = NULL;
	long blocks;

	open_getrf(places[_i].place, places[_i].path);
	factor(0);
	OK(launch(0, NULL, NULL));
	bench.plugin->queue->finish(bench.queue);
	report->refuse_native = CL_OUT_OF_RESOURCES;
	ck_assert_int_ne(launch(0, NULL, &event), DPR_RC_OK);
	ck_assert_ptr_null(event);
	/* The first of these has freed what the launches before had. */
	blocks = host_table_blocks(bench.table);
	report->refuse_native = CL_OUT_OF_RESOURCES;
	ck_assert_int_ne(launch(0, NULL, NULL), DPR_RC_OK);
	ck_assert_int_eq(host_table_blocks(bench.table), blocks);
	factor(0);
	close_getrf();
}
END_TEST

/* Launch a kernel that fails. */
static dprp_event *fail_before(void)
{
	dprp_module *source = bench_source(&bench, "kernel");
	dprp_kernel *fails = bench_kernel(&bench, source, "fail");
	const uint32_t value = 1;
	const dprp_arg args[] = { arg_mem(info, 0), arg_value(&value, 4) };
	dprp_event *bad = NULL;

	OK(bench_launch(&bench, bench.queue, fails, 1, 1, args, 2, NULL, &bad));
	bench.plugin->module->kernel_destroy(fails);
	bench.plugin->module->destroy(source);
	return bad;
}

/* A launch whose dependency has failed does not run.  Its workspace is freed by
   the next launch, or when the plugin is closed. */
START_TEST(failed_dependency)
{
	int64_t found[N] = { 7, 7, 7 };
	struct host_table_text text = { 0 };
	dprp_event *bad, *event = NULL;
	long blocks;

	open_getrf(places[_i].place, places[_i].path);
	bench.plugin->event->destroy(fail_before());
	factor(0);
	blocks = host_table_blocks(bench.table);
	bench_put(&bench, pivots, 0, found, sizeof(found));
	for (int i = 0; i < 10; i++) {
		bad = fail_before();
		OK(launch(0, bad, &event));
		OK(bench.plugin->event->wait(&event, 1, UINT64_MAX));
		ck_assert_uint_eq(bench_state(&bench, event, NULL, &text),
				  DPRP_EVENT_FAILED);
		bench.plugin->event->destroy(bad);
		bench.plugin->event->destroy(event);
	}
	ck_assert_msg(strstr(text.text, "a kernel failed"), "%s", text.text);
	free(text.text);
	bench_get(&bench, pivots, 0, found, sizeof(found));
	ck_assert_int_eq(found[0], 7);
	/* One more block than before is the workspace of the last of them. */
	ck_assert_int_le(host_table_blocks(bench.table), blocks + 1);
	factor(0);
	ck_assert_int_le(host_table_blocks(bench.table), blocks);
	bad = fail_before();
	OK(launch(0, bad, NULL));
	bench.plugin->event->destroy(bad);
	bench.plugin->queue->finish(bench.queue);
	close_getrf();
}
END_TEST

START_TEST(every_allocation_may_fail)
{
	unsigned long nth, failed = 0;
	dprp_rc rc = DPR_RC_INTERNAL;
	dprp_module *mine = NULL;
	dprp_kernel *found;
	dprp_event *event;

	open_getrf(places[_i].place, places[_i].path);
	for (nth = 1; nth < 100 && rc; nth++) {
		event = NULL;
		host_table_fail_alloc(bench.table, nth);
		rc = build("getrf float64", NULL, &mine);
		if (!rc) {
			rc = bench.plugin->module->kernel(mine, "getrf",
							  &found);
			if (!rc)
				bench.plugin->module->kernel_destroy(found);
			bench.plugin->module->destroy(mine);
		}
		if (!rc)
			rc = launch(0, NULL, &event);
		host_table_fail_alloc(bench.table, 0);
		ck_assert_msg(rc == DPR_RC_OK || rc == DPR_RC_OOM_HOST,
			      "allocation %lu: %d", nth, (int)rc);
		ck_assert(!rc == (event != NULL));
		failed += rc != DPR_RC_OK;
		if (event)
			bench_done(&bench, event);
	}
	ck_assert_int_eq(rc, DPR_RC_OK);
	ck_assert_uint_gt(failed, 6);
	factor(0);
	close_getrf();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("opencl mock calls");
	TCase *t = tcase_create("calls");

	if (!is_mock_there())
		return 77;
	tcase_set_timeout(t, 120);
	tcase_add_test(t, options);
	tcase_add_test(t, names);
	tcase_add_loop_test(t, stacks, 0, N_PLACES);
	tcase_add_loop_test(t, batch, 0, N_PLACES);
	tcase_add_test(t, wrong_values);
	tcase_add_loop_test(t, refused, 0, N_PLACES);
	tcase_add_loop_test(t, failed_dependency, 0, N_PLACES);
	tcase_add_loop_test(t, every_allocation_may_fail, 0, N_PLACES);
	suite_add_tcase(suite, t);
	return bench_run(suite);
}
