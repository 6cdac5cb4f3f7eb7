/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl_clblast.c - products by CLBlast on a real driver, PoCL by default: by
 * each path to memory, in order with other work, from many threads.  Most tests
 * have a library in place of CLBlast.
 */
#include <pthread.h>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include "tests/opencl/calls/clblast_test.h"

static const char *const paths[] = { "svm-fine", "svm-coarse", "buffer" };
#define PATHS ((int)(sizeof(paths) / sizeof(paths[0])))

/* Open the plugin on a device that runs no functions of this process.  Returns
   why there is none, or NULL. */
static const char *try_start(const char *path, const char *library)
{
	const char *const options[] = { "MEMORY", path,    "NATIVE", "no",
					"BLAS",   library, NULL };
	const char *why = NULL;

	if (!bench_open_list(&bench, options, bench_platform(), &why))
		return why;
	return NULL;
}

/* Whether the device can have the routine.  If not, says why and closes the
   bench. */
static bool has_routine(const char *name)
{
	dprp_module *module = NULL;
	const dprp_rc rc = try_routine(name, NULL, &module);

	if (!rc)
		bench.plugin->module->destroy(module);
	else
		printf("without %s: %s\n", name, host_table_error());
	ck_assert(!rc || strstr(host_table_error(), "PoCL 4 and 5") ||
		  strstr(host_table_error(), "DPR_OPTION_OPENCL_MEMORY") ||
		  strstr(host_table_error(), "this is no library"));
	if (rc)
		bench_close(&bench);
	return !rc;
}

static bool start(const char *path)
{
	const char *why = try_start(path, fake_path);

	if (why)
		printf("without %s: %s\n", path, why);
	return !why && has_routine("gemm float32");
}

static void stop(void)
{
	bench_close(&bench);
	check_misuses();
}

/* --- Values --------------------------------------------------------------- */

START_TEST(values)
{
	dprp_kernel *kernel;
	dprp_event *event;
	struct operands o;

	if (!start(paths[_i % PATHS]))
		return;
	kernel = new_gemm(routines[_i / PATHS].name);
	make_operands(routines[_i / PATHS].dtype, &o);
	OK(try_gemm(bench.queue, kernel, &o, &blas_batch, NULL, &event));
	bench_done(&bench, event);
	check_result(&o, &blas_batch);
	fill_operands(&o);
	OK(try_gemm(bench.queue, kernel, &o, &blas_plain, NULL, NULL));
	check_result(&o, &blas_plain);
	drop_operands(&o);
	drop_kernel(kernel);
	stop();
}
END_TEST

/* --- Order ---------------------------------------------------------------- */

/* Writes @p after a while: the sum of many squares is 0 in 32 bits only if @v
   is. */
static const char slow[] = "kernel void slow(global float *p, uint v)\n"
			   "{\n"
			   "	uint x = v;\n"
			   "	for (uint i = 0; i < 50000000u; i++)\n"
			   "		x = x * x + i * v;\n"
			   "	for (uint i = 0; i < 1024; i++)\n"
			   "		p[i] = x ? 2.0f : 1.0f;\n"
			   "}\n";

/* A product waits for work of another queue, and later work on the product's
   queue waits for the product. */
START_TEST(order)
{
	const uint64_t flags = _i / PATHS ? DPRP_QUEUE_OUT_OF_ORDER : 0;
	const dprp_gemm v = blas_plain;
	const uint32_t zero = 0;
	dprp_module *module;
	dprp_kernel *kernel, *before;
	dprp_event *written, *done, *copied;
	dprp_queue *queue;
	struct operands o;
	float have[12];

	if (!start(paths[_i % PATHS]))
		return;
	kernel = new_gemm("gemm float32");
	module = bench_source(&bench, slow);
	before = bench_kernel(&bench, module, "slow");
	make_operands(DPR_FLOAT32, &o);
	queue = bench_queue(&bench, bench.device, flags);
	OK(bench_launch(&bench, bench.queue, before, 1, 1,
			(const dprp_arg[]){ arg_mem(o.x[0], 0),
					    arg_value(&zero, sizeof(zero)) },
			2, NULL, &written));
	OK(try_gemm(queue, kernel, &o, &v, written, &done));
	OK(bench.plugin->queue->copy(
		queue, o.x[0], 0, o.x[2], 0, sizeof(have),
		&(const dprp_deps){ .struct_size = sizeof(dprp_deps),
				    .count = 1,
				    .events = &done },
		&copied));
	bench_done(&bench, copied);
	bench_done(&bench, done);
	bench_done(&bench, written);
	bench_get(&bench, o.x[0], 0, have, sizeof(have));
	for (int64_t i = 0; i < v.m * v.n; i++) {
		double complex sum = 0;

		for (int64_t p = 0; p < v.k; p++)
			sum += element(DPR_FLOAT32, p * v.ldb + i % v.n, 1);
		ck_assert_msg(have[i] == (float)creal(sum), "element %d: %g",
			      (int)i, (double)have[i]);
	}
	bench.plugin->queue->destroy(queue);
	drop_operands(&o);
	drop_kernel(before);
	drop_kernel(kernel);
	bench.plugin->module->destroy(module);
	stop();
}
END_TEST

/* Whether the command of an event is a barrier, which waits for all products so
   far. */
static bool is_barrier(dprp_event *event)
{
	cl_int (*info)(cl_event, cl_event_info, size_t, void *, size_t *);
	void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_NOLOAD);
	cl_command_type type = 0;
	uintptr_t native = 0;

	ck_assert_ptr_nonnull(loader);
	*(void **)&info = dlsym(loader, "clGetEventInfo");
	OK(bench.plugin->native_get(bench.instance, DPRP_NATIVE_EVENT, event, 0,
				    &native));
	ck_assert(!info((cl_event)native, CL_EVENT_COMMAND_TYPE, sizeof(type),
			&type, NULL));
	dlclose(loader);
	return type == CL_COMMAND_BARRIER;
}

/* The event of a batch on an out-of-order queue is that of all its products,
   and its times are those of a command. */
START_TEST(events)
{
	dprp_event_state state = { .struct_size = sizeof(state) };
	dprp_queue *queue;
	dprp_kernel *kernel;
	dprp_event *event;
	struct operands o;

	if (!start(paths[_i]))
		return;
	kernel = new_gemm("gemm float32");
	make_operands(DPR_FLOAT32, &o);
	queue = bench_queue(&bench, bench.device,
			    DPRP_QUEUE_OUT_OF_ORDER | DPRP_QUEUE_PROFILING);
	OK(try_gemm(queue, kernel, &o, &blas_batch, NULL, &event));
	ck_assert(is_barrier(event));
	OK(bench.plugin->event->wait(&event, 1, UINT64_MAX));
	check_result(&o, &blas_batch);
	ck_assert_uint_eq(bench_state(&bench, event, &state, NULL),
			  DPRP_EVENT_DONE);
	ck_assert_uint_le(state.t_queued, state.t_submit);
	ck_assert_uint_le(state.t_submit, state.t_start);
	ck_assert_uint_le(state.t_start, state.t_end);
	bench.plugin->event->destroy(event);
	bench.plugin->queue->destroy(queue);
	drop_operands(&o);
	drop_kernel(kernel);
	stop();
}
END_TEST

/* A launch may fail after it has submitted some work.  It then waits for the
   whole queue. */
START_TEST(failure)
{
	const uint32_t zero = 0;
	dprp_module *module;
	dprp_kernel *kernel, *before;
	dprp_event *written;
	struct operands o;

	if (!start(paths[_i]))
		return;
	kernel = new_gemm("gemm float32");
	module = bench_source(&bench, slow);
	before = bench_kernel(&bench, module, "slow");
	make_operands(DPR_FLOAT32, &o);
	OK(bench_launch(&bench, bench.queue, before, 1, 1,
			(const dprp_arg[]){ arg_mem(o.x[0], 0),
					    arg_value(&zero, sizeof(zero)) },
			2, NULL, &written));
	fake->result = CL_OUT_OF_RESOURCES;
	fake->after = 1;
	FAILS(try_gemm(bench.queue, kernel, &o, &blas_plain, NULL, NULL),
	      DPR_RC_NATIVE, "CL_OUT_OF_RESOURCES");
	ck_assert_uint_eq(bench_state(&bench, written, NULL, NULL),
			  DPRP_EVENT_DONE);
	bench.plugin->event->destroy(written);
	drop_operands(&o);
	drop_kernel(before);
	drop_kernel(kernel);
	bench.plugin->module->destroy(module);
	stop();
}
END_TEST

/* --- Threads -------------------------------------------------------------- */

enum { THREADS = 8 };

static dprp_kernel *shared;
static struct operands of_thread[THREADS];
static atomic_int failures;

static void *compute_often(void *number)
{
	const struct operands *o = &of_thread[(uintptr_t)number];
	dprp_queue *queue = bench_queue(&bench, bench.device, 0);

	for (int i = 0; i < 20; i++)
		if (try_gemm(queue, shared, o, &blas_batch, NULL, NULL))
			failures++;
	if (bench.plugin->queue->finish(queue))
		failures++;
	bench.plugin->queue->destroy(queue);
	return NULL;
}

START_TEST(threads)
{
	pthread_t list[THREADS];

	if (!start(paths[_i]))
		return;
	shared = new_gemm("gemm float32");
	for (int i = 0; i < THREADS; i++)
		make_operands(DPR_FLOAT32, &of_thread[i]);
	for (uintptr_t i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&list[i], NULL, compute_often,
						(void *)i),
				 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(list[i], NULL);
	ck_assert_int_eq(failures, 0);
	for (int i = 0; i < THREADS; i++) {
		check_result(&of_thread[i], &blas_batch);
		drop_operands(&of_thread[i]);
	}
	drop_kernel(shared);
	stop();
}
END_TEST

/* --- CLBlast -------------------------------------------------------------- */

/* CLBlast itself, in one dtype, and with DPR_TEST_ALL in all: PoCL compiles for
   each. */
START_TEST(clblast)
{
	const char *all = getenv("DPR_TEST_ALL");
	const int n = all && *all ? ROUTINES : 1;
	struct operands o;
	dprp_kernel *kernel;

	ck_assert_ptr_null(try_start(paths[_i], "libclblast.so.1"));
	if (!has_routine("gemm float32"))
		return;
	for (int r = 0; r < n; r++) {
		kernel = new_gemm(routines[r].name);
		make_operands(routines[r].dtype, &o);
		OK(try_gemm(bench.queue, kernel, &o, &blas_plain, NULL, NULL));
		check_result(&o, &blas_plain);
		fill_operands(&o);
		OK(try_gemm(bench.queue, kernel, &o, &blas_batch, NULL, NULL));
		check_result(&o, &blas_batch);
		drop_operands(&o);
		drop_kernel(kernel);
	}
	stop();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("opencl_clblast");
	TCase *tcase = tcase_create("all");
	const char *why;

	if (!load_fake()) {
		printf("needs %s\n", fake_path);
		return 1;
	}
	why = try_start(NULL, fake_path);
	if (why) {
		printf("needs the plugin and %s: %s\n", bench_platform(), why);
		return 77;
	}
	bench_close(&bench);
	tcase_set_timeout(tcase, 600);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, values, 0, PATHS * ROUTINES);
	tcase_add_loop_test(tcase, order, 0, 2 * PATHS);
	tcase_add_loop_test(tcase, events, 0, PATHS);
	tcase_add_loop_test(tcase, failure, 0, PATHS);
	tcase_add_loop_test(tcase, threads, 0, PATHS);
	tcase_add_loop_test(tcase, clblast, 0, PATHS);
	return bench_run(suite);
}
