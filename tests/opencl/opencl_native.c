/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl_native.c - native kernels on a CPU's OpenCL driver, without libdpr:
 * ranges, arguments, memory of every path, order, failures, floating-point
 * state, and which threads run them.
 */
#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "opencl_support.h"

static const char *const paths[] = { "usm", "svm-fine", "svm-coarse",
				     "buffer" };
enum { N_PATHS = 4, MOST_THREADS = 256 };
static struct bench bench;
static dprp_module *module;

/* --- The kernels --- */

static uint64_t item_of(const uint64_t global[3], const uint64_t local[3],
			const uint64_t group[3], const uint64_t in[3])
{
	return ((group[2] * local[2] + in[2]) * global[1] +
		group[1] * local[1] + in[1]) *
		       global[0] +
	       group[0] * local[0] + in[0];
}

static uint32_t unaligned; /* values that are not aligned to 16 bytes */

/* Add a number of two bytes, a float and one of eight bytes to each element of
   x, and write the work-item's number into y.  Parameters: x, y, the three. */
static void add(const void *const *args, const uint64_t global[3],
		const uint64_t local[3], const uint64_t group[3])
{
	uint32_t *x = *(uint32_t *const *)args[0];
	uint32_t *y = *(uint32_t *const *)args[1];
	uint64_t in[3], at;

	ck_assert_uint_eq(
		((uintptr_t)args[2] | (uintptr_t)args[3] | (uintptr_t)args[4]) %
			16,
		0);
	for (in[2] = 0; in[2] < local[2]; in[2]++)
		for (in[1] = 0; in[1] < local[1]; in[1]++)
			for (in[0] = 0; in[0] < local[0]; in[0]++) {
				at = item_of(global, local, group, in);
				x[at] += (uint32_t)(*(const uint16_t *)args[2] +
						    *(const float *)args[3] +
						    *(const uint64_t *)args[4]);
				y[at] = (uint32_t)at;
			}
}

static uint32_t local_faults;

/* Fill local memory with the group's number, and see that it stays so. */
static void keep(const void *const *args, const uint64_t global[3],
		 const uint64_t local[3], const uint64_t group[3])
{
	uint32_t *out = *(uint32_t *const *)args[0];
	volatile uint32_t *mine = *(volatile uint32_t *const *)args[1];
	const char *more = *(const char *const *)args[2];
	uint32_t i, k, wrong = 0;

	(void)global, (void)local;
	wrong += (uintptr_t)mine % 64 != 0 || (uintptr_t)more % 64 != 0;
	for (k = 0; k < 20; k++) {
		for (i = 0; i < 250; i++)
			mine[i] = (uint32_t)group[0] + k;
		for (i = 0; i < 250; i++)
			wrong += mine[i] != group[0] + k;
	}
	out[group[0]] = (uint32_t)group[0] + 1;
	__atomic_fetch_add(&local_faults, wrong, __ATOMIC_RELAXED);
}

/* The threads that ran groups. */
static pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t seen[MOST_THREADS];
static unsigned n_seen, n_expected;
static int seen_rounding;
/* 1 / 25 is rounded down to the nearest float. */
static volatile float dividend = 1, divisor = 25;
static float nearest;

/* Whether a test expects another thread, which has not come yet. */
static bool is_alone(void)
{
	bool alone;

	pthread_mutex_lock(&seen_lock);
	alone = n_seen < n_expected;
	pthread_mutex_unlock(&seen_lock);
	return alone;
}

static void note(const void *const *args, const uint64_t global[3],
		 const uint64_t local[3], const uint64_t group[3])
{
	const pthread_t self = pthread_self();
	unsigned i = 0;

	(void)args, (void)global, (void)local, (void)group;
	usleep(200);
	pthread_mutex_lock(&seen_lock);
	while (i < n_seen && !pthread_equal(seen[i], self))
		i++;
	if (i == n_seen && n_seen < MOST_THREADS)
		seen[n_seen++] = self;
	seen_rounding |= 1 << (dividend / divisor > nearest);
	pthread_mutex_unlock(&seen_lock);
	for (i = 0; i < 10000 && is_alone(); i++)
		usleep(1000);
}

/* Multiply by three and add one, which shows the order of launches. */
static void step(const void *const *args, const uint64_t global[3],
		 const uint64_t local[3], const uint64_t group[3])
{
	uint32_t *x = *(uint32_t *const *)args[0];

	(void)global, (void)local, (void)group;
	*x = *x * 3 + *(const uint32_t *)args[1];
}

static const dprp_param add_params[] = { { DPRP_ARG_MEM, 0, 8 },
					 { DPRP_ARG_MEM, 0, 8 },
					 { DPRP_ARG_VALUE, 0, 2 },
					 { DPRP_ARG_VALUE, 0, 4 },
					 { DPRP_ARG_VALUE, 0, 8 } };
static const dprp_param keep_params[] = { { DPRP_ARG_MEM, 0, 8 },
					  { DPRP_ARG_LOCAL, 0, 0 },
					  { DPRP_ARG_LOCAL, 0, 0 } };
static const dprp_param step_params[] = { { DPRP_ARG_MEM, 0, 8 },
					  { DPRP_ARG_VALUE, 0, 4 } };
static const dprp_native_kernel native_kernels[] = {
	{ "add", add, 5, 0, add_params },
	{ "keep", keep, 3, 0, keep_params },
	{ "note", note, 0, 0, NULL },
	{ "step", step, 2, 0, step_params },
};
static const dprp_native_module native = { .struct_size = sizeof(native),
					   .n_kernels = 4,
					   .kernels = native_kernels };

/* --- What the tests share --- */

/* Open the plugin with a memory path and build the module, if the driver has
   that path and native kernels. */
static bool open_on(int path)
{
	const char *why = NULL;
	char *formats;
	bool has;

	if (!bench_open(&bench, paths[path], bench_platform(), &why))
		return false;
	formats = bench_text(&bench, bench.device, DPR_INFO_FORMATS);
	has = strcmp(formats, DPRP_NATIVE_FORMAT) == 0;
	free(formats);
	ck_assert(has || !bench_is_pocl());
	if (has)
		OK(bench_build(&bench, DPRP_NATIVE_FORMAT, &native,
			       sizeof(native), NULL, NULL, &module));
	else
		bench_close(&bench);
	return has;
}

static void close_bench(void)
{
	bench.plugin->module->destroy(module);
	bench_close(&bench);
}

static dprp_kernel *kernel_named(const char *name)
{
	return bench_kernel(&bench, module, name);
}

static void destroy(dprp_kernel *kernel)
{
	bench.plugin->module->kernel_destroy(kernel);
}

static dprp_mem *zeros(size_t size)
{
	dprp_mem *mem = bench_alloc(&bench, DPRP_MEM_DEVICE, size);
	void *none = calloc(1, size);

	ck_assert_ptr_nonnull(none);
	bench_put(&bench, mem, 0, none, size);
	free(none);
	return mem;
}

/* --- Tests --- */

/* Launch "add" on a range, with memory @x and @y.  Returns how many elements
   are wrong. */
static unsigned wrong_of(const uint64_t global[3], const uint64_t local[3],
			 dprp_mem *x, dprp_mem *y)
{
	const uint64_t n = global[0] * global[1] * global[2];
	uint32_t *found = malloc(n * 4);
	dprp_kernel *kernel = kernel_named("add");
	const uint16_t two = 100;
	const float four = 20;
	const uint64_t eight = 3;
	const dprp_arg args[] = { arg_mem(x, 0), arg_mem(y, 0),
				  arg_value(&two, 2), arg_value(&four, 4),
				  arg_value(&eight, 8) };
	dprp_launch launch = { .struct_size = sizeof(launch),
			       .dims = 3,
			       .n_args = 5,
			       .args = args };
	dprp_event *event = NULL;
	unsigned wrong = 0;
	uint64_t i;

	ck_assert_ptr_nonnull(found);
	memcpy(launch.global, global, sizeof(launch.global));
	memcpy(launch.local, local, sizeof(launch.local));
	OK(bench.plugin->queue->launch(bench.queue, kernel, &launch, NULL,
				       &event));
	bench_done(&bench, event);
	bench_get(&bench, x, 0, found, n * 4);
	for (i = 0; i < n; i++)
		wrong += found[i] != 123;
	bench_get(&bench, y, 0, found, n * 4);
	for (i = 0; i < n; i++)
		wrong += found[i] != i;
	free(found);
	destroy(kernel);
	return wrong + __atomic_load_n(&unaligned, __ATOMIC_RELAXED);
}

START_TEST(ranges)
{
	static const uint64_t shapes[][2][3] = {
		{ { 1, 1, 1 }, { 1, 1, 1 } },
		{ { 1000, 1, 1 }, { 10, 1, 1 } },
		{ { 30, 20, 1 }, { 5, 4, 1 } },
		{ { 6, 10, 14 }, { 3, 5, 7 } },
		{ { 65536, 1, 1 }, { 64, 1, 1 } },
	};
	unsigned i, wrong = 0;

	if (!open_on(_i))
		return;
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		dprp_mem *a = zeros(300000), *b = zeros(300000);
		dprp_mem *c = zeros(300000);

		/* Drivers may take buffers in the order in which they were
		   made. */
		wrong += wrong_of(shapes[i][0], shapes[i][1], a, b);
		wrong += wrong_of(shapes[i][0], shapes[i][1], c, b);
		bench.plugin->mem->free(a);
		bench.plugin->mem->free(b);
		bench.plugin->mem->free(c);
	}
	ck_assert_uint_eq(wrong, 0);
	close_bench();
}
END_TEST

/* The same memory comes twice, at two offsets. */
START_TEST(one_memory_twice)
{
	dprp_arg args[5];
	const uint16_t two = 7;
	const float four = 0;
	const uint64_t eight = 0;
	uint32_t found[2];
	dprp_kernel *kernel;
	uint64_t step_size;
	dprp_event *event;
	dprp_mem *x;

	if (!open_on(_i))
		return;
	step_size = bench_u64(&bench, bench.device, DPR_INFO_SUB_BUFFER_ALIGN);
	step_size = step_size < 4 ? 4 : step_size;
	x = zeros(4096);
	kernel = kernel_named("add");
	args[0] = arg_mem(x, 2 * step_size);
	args[1] = arg_mem(x, step_size);
	args[2] = arg_value(&two, 2);
	args[3] = arg_value(&four, 4);
	args[4] = arg_value(&eight, 8);
	found[0] = 1;
	bench_put(&bench, x, step_size, found, 4);
	OK(bench_launch(&bench, bench.queue, kernel, 1, 1, args, 5, NULL,
			&event));
	bench_done(&bench, event);
	bench_get(&bench, x, 2 * step_size, &found[0], 4);
	bench_get(&bench, x, step_size, &found[1], 4);
	ck_assert_uint_eq(found[0], 7);
	ck_assert_uint_eq(found[1], 0);
	destroy(kernel);
	bench.plugin->mem->free(x);
	close_bench();
}
END_TEST

/* A sub-buffer of the program's begins where it says. */
START_TEST(wrapped_sub_buffer)
{
	const struct {
		size_t origin, size;
	} region = { 4096, 8192 };
	static const uint64_t global[3] = { 1000, 1, 1 },
			      local[3] = { 8, 1, 1 };
	void *(*sub)(void *, uint64_t, uint32_t, const void *, int32_t *);
	void *loader = dlopen("libOpenCL.so.1", RTLD_NOW);
	dprp_mem *whole, *other, *part = NULL;
	uint32_t found = 1;
	uintptr_t handle;
	uint64_t flags;
	int32_t err = 0;
	void *cl;

	if (!open_on(N_PATHS - 1))
		return;
	*(void **)&sub = dlsym(loader, "clCreateSubBuffer");
	ck_assert_ptr_nonnull(sub);
	whole = zeros(65536);
	OK(bench.plugin->native_get(bench.instance, DPRP_NATIVE_MEMORY, whole,
				    0, &handle));
	cl = sub((void *)handle, 0, 0x1220, &region, &err);
	ck_assert_int_eq(err, 0);
	OK(bench.plugin->native_wrap(bench.instance, DPRP_NATIVE_MEMORY,
				     bench.context, bench.device, (uintptr_t)cl,
				     8192, 1, &flags, (void **)&part));
	other = zeros(8192);
	ck_assert_uint_eq(wrong_of(global, local, part, other), 0);
	bench.plugin->mem->free(other);
	bench_get(&bench, whole, 0, &found, 4);
	ck_assert_uint_eq(found, 0);
	bench_get(&bench, whole, 4096, &found, 4);
	ck_assert_uint_eq(found, 123);
	bench.plugin->mem->free(part);
	bench.plugin->mem->free(whole);
	close_bench();
}
END_TEST

enum { GROUPS = 400 };

/* Launch "keep" with @size bytes of local memory for each group.  Whether that
   was refused for want of memory; else the results must be right. */
static bool lacks_memory(dprp_kernel *kernel, dprp_mem *x, uint64_t size)
{
	const dprp_arg args[3] = { arg_mem(x, 0), arg_local(size),
				   arg_local(3) };
	uint32_t found[GROUPS];
	dprp_event *event;
	unsigned wrong = 0;
	const dprp_rc rc = bench_launch(&bench, bench.queue, kernel, GROUPS, 1,
					args, 3, NULL, &event);

	if (rc == DPR_RC_OOM_HOST)
		return true;
	OK(rc);
	bench_done(&bench, event);
	host_table_fail_alloc(bench.table, 0);
	bench_get(&bench, x, 0, found, sizeof(found));
	for (unsigned i = 0; i < GROUPS; i++)
		wrong += found[i] != i + 1;
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_eq(local_faults, 0);
	return false;
}

/* Little local memory travels with the command, much is allocated by it. */
START_TEST(local_memory)
{
	enum { LITTLE = 1000, MUCH = 100000 };
	dprp_kernel *kernel;
	dprp_arg args[3];
	dprp_mem *x;

	if (!open_on(_i))
		return;
	x = zeros(GROUPS * sizeof(uint32_t));
	kernel = kernel_named("keep");
	ck_assert(!lacks_memory(kernel, x, LITTLE));
	ck_assert(!lacks_memory(kernel, x, MUCH));
	/* A launch allocates less often than that. */
	for (unsigned long nth = 1; nth <= 8; nth++) {
		host_table_fail_alloc(bench.table, nth);
		lacks_memory(kernel, x, MUCH);
	}
	host_table_fail_alloc(bench.table, 0);
	args[0] = arg_mem(x, 0);
	args[1] = arg_local(
		bench_u64(&bench, bench.device, DPR_INFO_LOCAL_MEM_SIZE) + 1);
	args[2] = arg_local(3);
	FAILS(bench_launch(&bench, bench.queue, kernel, GROUPS, 1, args, 3,
			   NULL, NULL),
	      DPR_RC_INVALID, "local memory");
	destroy(kernel);
	bench.plugin->mem->free(x);
	close_bench();
}
END_TEST

static void take_steps(dprp_queue *queue, bool chained)
{
	dprp_kernel *kernel = kernel_named("step");
	dprp_mem *x = zeros(4);
	dprp_event *last = NULL, *event;
	uint32_t i, want = 0, found = 0;

	for (i = 0; i < 500; i++) {
		const dprp_arg args[] = { arg_mem(x, 0), arg_value(&i, 4) };

		want = want * 3 + i;
		OK(bench_launch(&bench, queue, kernel, 1, 1, args, 2,
				chained ? last : NULL, &event));
		if (last)
			bench.plugin->event->destroy(last);
		last = event;
	}
	bench_done(&bench, last);
	bench_get(&bench, x, 0, &found, 4);
	ck_assert_uint_eq(found, want);
	destroy(kernel);
	bench.plugin->mem->free(x);
}

START_TEST(order)
{
	dprp_queue *any;

	if (!open_on(_i))
		return;
	take_steps(bench.queue, false);
	any = bench_queue(&bench, bench.device, DPRP_QUEUE_OUT_OF_ORDER);
	take_steps(any, true);
	bench.plugin->queue->destroy(any);
	close_bench();
}
END_TEST

/* Kernel, module and queue may go while a launch of theirs runs. */
START_TEST(all_gone)
{
	dprp_queue *queue;
	dprp_kernel *kernel;
	dprp_event *event;

	if (!open_on(_i))
		return;
	queue = bench_queue(&bench, bench.device, 0);
	kernel = kernel_named("note");
	n_seen = n_expected = 0;
	OK(bench_launch(&bench, queue, kernel, 200, 1, NULL, 0, NULL, &event));
	destroy(kernel);
	bench.plugin->module->destroy(module);
	bench.plugin->queue->destroy(queue);
	bench_done(&bench, event);
	ck_assert_uint_ge(n_seen, 1);
	bench_close(&bench);
}
END_TEST

/* A launch has times.  The kernel does not compile late, and there is no binary
   and no native handle. */
START_TEST(what_is_known)
{
	dprp_event_state state = { .struct_size = sizeof(state) };
	dprp_kernel *kernel;
	struct host_table_text text = { 0 };
	dprp_event *event;
	uint64_t late = 1;
	uintptr_t handle;
	size_t need;

	if (!open_on(_i))
		return;
	kernel = kernel_named("note");
	OK(bench_launch(&bench, bench.queue, kernel, 4, 1, NULL, 0, NULL,
			&event));
	OK(bench.plugin->event->wait(&event, 1, UINT64_MAX));
	ck_assert_uint_eq(bench_state(&bench, event, &state, NULL),
			  DPRP_EVENT_DONE);
	ck_assert_uint_ge(state.t_end, state.t_start + 200000);
	bench.plugin->event->destroy(event);
	OK(bench.plugin->module->kernel_info(kernel, bench.device,
					     DPRP_KERNEL_COMPILES_LATE, &late,
					     sizeof(late), &need));
	ck_assert_uint_eq(late, 0);
	FAILS(bench.plugin->module->binary(module, host_table_sink(&text)),
	      DPR_RC_UNSUPPORTED, "no binary");
	FAILS(bench.plugin->native_get(bench.instance, DPRP_NATIVE_KERNEL,
				       kernel, 0, &handle),
	      DPR_RC_UNSUPPORTED, "a function of this process");
	FAILS(bench.plugin->native_get(bench.instance, DPRP_NATIVE_PROGRAM,
				       module, 0, &handle),
	      DPR_RC_UNSUPPORTED, "a function of this process");
	destroy(kernel);
	close_bench();
}
END_TEST

/* Launch "note" and count the threads. */
static unsigned threads_of(dprp_queue *queue, uint64_t flags)
{
	dprp_kernel *kernel = kernel_named("note");
	dprp_launch launch = { .struct_size = sizeof(launch),
			       .dims = 1,
			       .global = { 64, 1, 1 },
			       .local = { 1, 1, 1 },
			       .flags = flags };
	dprp_event *event;

	n_seen = 0;
	seen_rounding = 0;
	OK(bench.plugin->queue->launch(queue, kernel, &launch, NULL, &event));
	bench_done(&bench, event);
	destroy(kernel);
	return n_seen;
}

START_TEST(threads)
{
	cpu_set_t cpus;
	uint64_t units;

	if (!open_on(_i))
		return;
	ck_assert_int_eq(sched_getaffinity(getpid(), sizeof(cpus), &cpus), 0);
	units = bench_u64(&bench, bench.device, DPR_INFO_COMPUTE_UNITS);
	if (units > 1 && CPU_COUNT(&cpus) > 1)
		n_expected = 2;
	ck_assert_uint_le(threads_of(bench.queue, 0), units);
	ck_assert_uint_ge(n_seen, n_expected);
	n_expected = 0;
	ck_assert_uint_eq(threads_of(bench.queue, DPRP_LAUNCH_BRIEF), 1);
	close_bench();
}
END_TEST

/* A part of the device has a team of its own. */
START_TEST(threads_of_a_part)
{
	const uint64_t unit = 1;
	const dprp_partition one = { .struct_size = sizeof(one),
				     .how = DPR_PARTITION_EQUALLY,
				     .n_counts = 1,
				     .counts = &unit };
	dprp_device *parts[MOST_THREADS];
	dprp_queue *queue;
	uint32_t n = 0;

	if (!open_on(_i))
		return;
	if (bench_divides(&bench)) {
		OK(bench.plugin->device->partition(bench.device, &one, parts,
						   MOST_THREADS, &n));
		queue = bench_queue(&bench, parts[0], 0);
		ck_assert_uint_eq(threads_of(queue, 0), 1);
		bench.plugin->queue->destroy(queue);
	}
	close_bench();
}
END_TEST

/* Where the process may use one CPU, one thread does the work. */
START_TEST(threads_of_one_cpu)
{
	cpu_set_t all, one;
	int cpu = 0;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (!open_on(_i))
		return;
	ck_assert_int_eq(sched_setaffinity(getpid(), sizeof(one), &one), 0);
	ck_assert_uint_eq(threads_of(bench.queue, 0), 1);
	sched_setaffinity(getpid(), sizeof(all), &all);
	close_bench();
}
END_TEST

/* All groups compute as the thread that made the queue did then. */
START_TEST(rounding)
{
	dprp_queue *upward;

	if (!open_on(_i))
		return;
	nearest = dividend / divisor;
	fesetround(FE_UPWARD);
	upward = bench_queue(&bench, bench.device, 0);
	fesetround(FE_TONEAREST);
	threads_of(upward, 0);
	ck_assert_int_eq(seen_rounding, 2);
	threads_of(bench.queue, 0);
	ck_assert_int_eq(seen_rounding, 1);
	threads_of(upward, DPRP_LAUNCH_BRIEF);
	ck_assert_int_eq(seen_rounding, 2);
	threads_of(bench.queue, DPRP_LAUNCH_BRIEF);
	ck_assert_int_eq(seen_rounding, 1);
	bench.plugin->queue->destroy(upward);
	close_bench();
}
END_TEST

/* With the option NATIVE=no the device takes text first, and no native code. */
START_TEST(left_out)
{
	const char *why = NULL;
	char *formats;

	ck_assert_msg(
		bench_open_with(&bench, "NATIVE", "no", bench_platform(), &why),
		"%s", why);
	formats = bench_text(&bench, bench.device, DPR_INFO_FORMATS);
	ck_assert_str_eq(formats, "opencl-c");
	free(formats);
	FAILS(bench_build(&bench, DPRP_NATIVE_FORMAT, &native, sizeof(native),
			  NULL, NULL, &module),
	      DPR_RC_UNSUPPORTED, "native");
	bench_close(&bench);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("opencl native");
	TCase *t = tcase_create("native");
	const char *why = NULL;

	if (!bench_open(&bench, NULL, bench_platform(), &why)) {
		printf("%s\n", why);
		return 77;
	}
	bench_close(&bench);
	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, ranges, 0, N_PATHS);
	tcase_add_loop_test(t, one_memory_twice, 0, N_PATHS);
	tcase_add_test(t, wrapped_sub_buffer);
	tcase_add_loop_test(t, local_memory, 0, N_PATHS);
	tcase_add_loop_test(t, order, 0, N_PATHS);
	tcase_add_loop_test(t, all_gone, 0, N_PATHS);
	tcase_add_loop_test(t, what_is_known, 0, N_PATHS);
	tcase_add_loop_test(t, threads, 0, N_PATHS);
	tcase_add_loop_test(t, threads_of_a_part, 0, N_PATHS);
	tcase_add_loop_test(t, threads_of_one_cpu, 0, N_PATHS);
	tcase_add_loop_test(t, rounding, 0, N_PATHS);
	tcase_add_test(t, left_out);
	suite_add_tcase(suite, t);
	return bench_run(suite);
}
