/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl_mock_native.c - native kernels on the mock driver: drivers that run
 * them in other places, refused and failed commands, and what is left behind.
 */
#include <pthread.h>

#include "tests/opencl/opencl_mock.h"

static unsigned small_stacks, groups_run;

/* Add one to each element of x, and count the threads whose stack is small. */
static void increase(const void *const *args, const uint64_t global[3],
		     const uint64_t local[3], const uint64_t group[3])
{
	uint32_t *x = *(uint32_t *const *)args[0];
	const uint32_t *y = *(const uint32_t *const *)args[1];
	pthread_attr_t attr;
	size_t stack = 0;

	(void)global;
	if (!pthread_getattr_np(pthread_self(), &attr)) {
		pthread_attr_getstacksize(&attr, &stack);
		pthread_attr_destroy(&attr);
	}
	if (stack < (size_t)2 << 20)
		__atomic_fetch_add(&small_stacks, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&groups_run, 1, __ATOMIC_RELAXED);
	x[group[0] * local[0]] += 1 + y[0];
}

static const dprp_param params[] = { { DPRP_ARG_MEM, 0, 8 },
				     { DPRP_ARG_MEM, 0, 8 } };

/* Write the argument's number into each of 20 memories. */
enum { MANY = 20 };
static void number(const void *const *args, const uint64_t global[3],
		   const uint64_t local[3], const uint64_t group[3])
{
	uint32_t i;

	(void)global, (void)local, (void)group;
	for (i = 0; i < MANY; i++)
		**(uint32_t *const *)args[i] = i + 1;
}

static const dprp_param many_params[MANY] = {
	{ DPRP_ARG_MEM, 0, 8 }, { DPRP_ARG_MEM, 0, 8 }, { DPRP_ARG_MEM, 0, 8 },
	{ DPRP_ARG_MEM, 0, 8 }, { DPRP_ARG_MEM, 0, 8 }, { DPRP_ARG_MEM, 0, 8 },
	{ DPRP_ARG_MEM, 0, 8 }, { DPRP_ARG_MEM, 0, 8 }, { DPRP_ARG_MEM, 0, 8 },
	{ DPRP_ARG_MEM, 0, 8 }, { DPRP_ARG_MEM, 0, 8 }, { DPRP_ARG_MEM, 0, 8 },
	{ DPRP_ARG_MEM, 0, 8 }, { DPRP_ARG_MEM, 0, 8 }, { DPRP_ARG_MEM, 0, 8 },
	{ DPRP_ARG_MEM, 0, 8 }, { DPRP_ARG_MEM, 0, 8 }, { DPRP_ARG_MEM, 0, 8 },
	{ DPRP_ARG_MEM, 0, 8 }, { DPRP_ARG_MEM, 0, 8 },
};
static const dprp_native_kernel kernels[] = {
	{ "increase", increase, 2, 0, params },
	{ "number", number, MANY, 0, many_params },
};
static const dprp_native_module native = { .struct_size = sizeof(native),
					   .n_kernels = 2,
					   .kernels = kernels };

static struct bench bench;
static dprp_module *module;
static dprp_kernel *kernel;
static dprp_mem *x;
enum { GROUPS = 40 };

/* Open the plugin on the CPU of the mock, which runs native kernels in this
   place, with memory of @path. */
static void open_native(enum mock_native place, const char *path)
{
	const uint32_t none[2 * GROUPS] = { 0 };

	report->native = place;
	report->fine = true;
	bench = open_on(path, "Portable Computing Language");
	OK(bench_build(&bench, DPRP_NATIVE_FORMAT, &native, sizeof(native),
		       NULL, NULL, &module));
	kernel = bench_kernel(&bench, module, "increase");
	x = bench_alloc(&bench, DPRP_MEM_DEVICE, sizeof(none));
	bench_put(&bench, x, 0, none, sizeof(none));
	small_stacks = groups_run = 0;
}

static void close_native(void)
{
	bench.plugin->mem->free(x);
	bench.plugin->module->kernel_destroy(kernel);
	bench.plugin->module->destroy(module);
	close_all(&bench);
	report->native = MOCK_NATIVE_NONE;
	report->fine = false;
}

static dprp_rc launch(uint64_t flags, dprp_event *after, dprp_event **event)
{
	const dprp_arg args[] = { arg_mem(x, 0), arg_mem(x, 4) };
	const dprp_launch what = { .struct_size = sizeof(what),
				   .dims = 1,
				   .n_args = 2,
				   .global = { 2 * GROUPS, 1, 1 },
				   .local = { 2, 1, 1 },
				   .args = args,
				   .flags = flags };
	const dprp_deps deps = { .struct_size = sizeof(deps),
				 .count = 1,
				 .events = &after };

	return bench.plugin->queue->launch(bench.queue, kernel, &what,
					   after ? &deps : NULL, event);
}

/* Whether @times launches have run. */
static bool has_run(uint32_t times)
{
	uint32_t found[2 * GROUPS], i;

	bench_get(&bench, x, 0, found, sizeof(found));
	for (i = 0; i < 2 * GROUPS; i++)
		if (found[i] != (i % 2 ? 0 : times))
			return false;
	return groups_run == times * GROUPS;
}

static const struct {
	enum mock_native place;
	const char *path;
} places[] = {
	{ MOCK_NATIVE_THREAD, "svm-fine" }, { MOCK_NATIVE_THREAD, "buffer" },
	{ MOCK_NATIVE_SMALL, "svm-fine" },  { MOCK_NATIVE_SMALL, "buffer" },
	{ MOCK_NATIVE_CALLER, "svm-fine" }, { MOCK_NATIVE_CALLER, "buffer" },
};
enum { N_PLACES = sizeof(places) / sizeof(places[0]) };

static void *launch_twice(void *unused)
{
	dprp_event *event = NULL;

	(void)unused;
	OK(launch(0, NULL, &event));
	bench_done(&bench, event);
	OK(launch(0, NULL, NULL));
	return NULL;
}

/* Wherever the driver runs the command, kernels get stacks that are large
   enough; the thread that submits has a small one here. */
START_TEST(stacks)
{
	pthread_attr_t attr;
	pthread_t thread;

	open_native(places[_i].place, places[_i].path);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)128 << 10);
	ck_assert_int_eq(pthread_create(&thread, &attr, launch_twice, NULL), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	ck_assert(has_run(2));
	ck_assert_uint_eq(small_stacks, 0);
	ck_assert(traced(strcmp(places[_i].path, "buffer")
				 ? "clEnqueueNativeKernel 0\n"
				 : "clEnqueueNativeKernel 2\n"));
	close_native();
}
END_TEST

/* Work that is brief needs little stack, so the driver's thread does it. */
START_TEST(brief)
{
	dprp_event *event = NULL;

	open_native(places[_i].place, places[_i].path);
	OK(launch(DPRP_LAUNCH_BRIEF, NULL, &event));
	bench_done(&bench, event);
	ck_assert(has_run(1));
	close_native();
}
END_TEST

/* The device's functions run in another process: it gets text. */
START_TEST(elsewhere)
{
	char *formats;

	report->native = MOCK_NATIVE_ELSEWHERE;
	bench = open_on(NULL, "Portable Computing Language");
	formats = bench_text(&bench, bench.device, DPR_INFO_FORMATS);
	ck_assert_str_eq(formats, "opencl-c");
	free(formats);
	FAILS(bench_build(&bench, DPRP_NATIVE_FORMAT, &native, sizeof(native),
			  NULL, NULL, &module),
	      DPR_RC_UNSUPPORTED, "native");
	close_all(&bench);
	report->native = MOCK_NATIVE_NONE;
}
END_TEST

START_TEST(refused)
{
	dprp_event *event = NULL;

	open_native(places[_i].place, places[_i].path);
	report->refuse_native = CL_OUT_OF_RESOURCES;
	host_table_clear();
	ck_assert_int_ne(launch(0, NULL, &event), DPR_RC_OK);
	ck_assert_ptr_null(event);
	ck_assert_msg(strstr(host_table_error(), "clEnqueueNativeKernel"), "%s",
		      host_table_error());
	OK(launch(0, NULL, &event));
	bench_done(&bench, event);
	ck_assert(has_run(1));
	close_native();
}
END_TEST

/* A launch whose dependency has failed does not run, and leaves nothing. */
START_TEST(failed_dependency)
{
	dprp_event *bad = NULL, *event = NULL;
	struct host_table_text text = { 0 };
	const uint32_t value = 1;
	dprp_module *source;
	dprp_kernel *fails;

	open_native(places[_i].place, places[_i].path);
	source = bench_source(&bench, "kernel");
	fails = bench_kernel(&bench, source, "fail");
	{
		const dprp_arg args[] = { arg_mem(x, 0), arg_value(&value, 4) };

		OK(bench_launch(&bench, bench.queue, fails, 1, 1, args, 2, NULL,
				&bad));
	}
	OK(launch(0, bad, &event));
	OK(bench.plugin->event->wait(&event, 1, UINT64_MAX));
	ck_assert_uint_eq(bench_state(&bench, event, NULL, &text),
			  DPRP_EVENT_FAILED);
	ck_assert_msg(strstr(text.text, "a kernel failed"), "%s", text.text);
	free(text.text);
	bench.plugin->event->destroy(bad);
	bench.plugin->event->destroy(event);
	bench.plugin->module->kernel_destroy(fails);
	bench.plugin->module->destroy(source);
	ck_assert_uint_eq(groups_run, 0);
	close_native();
}
END_TEST

/* Launch a kernel of many arguments, all of them parts of one memory but the
   last. */
static dprp_rc launch_many(dprp_mem *last)
{
	const dprp_plugin *plugin = bench.plugin;
	dprp_module *mine = NULL;
	dprp_kernel *many = NULL;
	dprp_event *event = NULL;
	dprp_arg args[MANY];
	uint32_t i;
	dprp_rc rc;

	for (i = 0; i < MANY; i++)
		args[i] = arg_mem(i < MANY - 1 ? x : last, 4 * i);
	rc = bench_build(&bench, DPRP_NATIVE_FORMAT, &native, sizeof(native),
			 NULL, NULL, &mine);
	if (!rc)
		rc = plugin->module->kernel(mine, "number", &many);
	if (!rc)
		rc = bench_launch(&bench, bench.queue, many, 1, 1, args, MANY,
				  NULL, &event);
	if (event)
		bench_done(&bench, event);
	if (many)
		plugin->module->kernel_destroy(many);
	if (mine)
		plugin->module->destroy(mine);
	return rc;
}

/* The first launch that succeeds has made the team of threads, which stays. */
START_TEST(every_allocation_may_fail)
{
	unsigned long nth, failed = 0;
	dprp_rc rc = DPR_RC_INTERNAL;
	uint32_t found[MANY], i;
	dprp_mem *last;
	int live;

	open_native(places[_i].place, places[_i].path);
	last = bench_alloc(&bench, DPRP_MEM_DEVICE, 4 * MANY);
	live = report->live;
	for (nth = 1; nth < 100 && rc != DPR_RC_OK; nth++) {
		host_table_fail_alloc(bench.table, nth);
		rc = launch_many(last);
		host_table_fail_alloc(bench.table, 0);
		ck_assert_msg(rc == DPR_RC_OK || rc == DPR_RC_OOM_HOST,
			      "allocation %lu: %d", nth, (int)rc);
		failed += rc != DPR_RC_OK;
		ck_assert_int_eq(report->live, live);
	}
	ck_assert_int_eq(rc, DPR_RC_OK);
	ck_assert_uint_gt(failed, 6);
	bench_get(&bench, x, 0, found, sizeof(found));
	bench_get(&bench, last, 4 * (MANY - 1), &found[MANY - 1], 4);
	for (i = 0; i < MANY && found[i] == i + 1; i++)
		;
	ck_assert_uint_eq(i, MANY);
	bench.plugin->mem->free(last);
	close_native();
}
END_TEST

/* Memory of another context is refused. */
START_TEST(memory_of_another_context)
{
	dprp_context *other = NULL;
	dprp_mem *theirs;
	struct bench second;

	open_native(places[_i].place, places[_i].path);
	second = bench;
	OK(bench.plugin->context->create(bench.instance, bench.device, NULL,
					 &other));
	second.context = other;
	theirs = bench_alloc(&second, DPRP_MEM_DEVICE, 64);
	{
		const dprp_arg args[] = { arg_mem(x, 0), arg_mem(theirs, 0) };

		FAILS(bench_launch(&bench, bench.queue, kernel, 4, 2, args, 2,
				   NULL, NULL),
		      DPR_RC_INVALID, "another context");
	}
	bench.plugin->mem->free(theirs);
	bench.plugin->context->destroy(other);
	close_native();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("opencl mock native");
	TCase *t = tcase_create("native");

	if (!is_mock_there())
		return 77;
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, stacks, 0, N_PLACES);
	tcase_add_loop_test(t, brief, 0, N_PLACES);
	tcase_add_test(t, elsewhere);
	tcase_add_loop_test(t, refused, 0, N_PLACES);
	tcase_add_loop_test(t, failed_dependency, 0, N_PLACES);
	tcase_add_loop_test(t, every_allocation_may_fail, 0, N_PLACES);
	tcase_add_loop_test(t, memory_of_another_context, 0, N_PLACES);
	suite_add_tcase(suite, t);
	return bench_run(suite);
}
