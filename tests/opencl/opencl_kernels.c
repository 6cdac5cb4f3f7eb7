/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the OpenCL plugin without libdpr: builds, kernels, arguments,
   launches from many threads, native handles. */
#include <pthread.h>
#include <stdio.h>

#include "opencl_support.h"

static const char *const paths[] = { "usm", "svm-fine", "svm-coarse",
				     "buffer" };
enum { N_PATHS = 4, COUNT = 1024 };
static struct bench benches[N_PATHS];

/* Each kernel is a program of its own: if a compiler cannot build one, only its
   tests fail. */
enum { PUT, GRAB, WHERE, STRICT, NONE, N_KERNELS };
static const struct {
	const char *name, *source;
} kernels[N_KERNELS] = {
	[PUT] = { "put", "kernel void put(global uint *p, uint v) {\n"
			 "	p[get_global_id(0)] = v;\n"
			 "}\n" },
	[GRAB] = { "grab",
		   "typedef struct { long offset; int rank, pad;\n"
		   "	long shape[8], stride[8]; char more[128]; } big;\n"
		   "kernel void grab(global ulong *o, uchar a, ushort b,\n"
		   "	uint c, ulong d, float4 e, big f, local ulong *t,\n"
		   "	constant uint *k, NUMBER g) {\n"
		   "	size_t l = get_local_id(0);\n"
		   "	t[l] = (ulong)a + b + c + d + (ulong)e.x +\n"
		   "		(ulong)e.w + (ulong)f.offset +\n"
		   "		(ulong)f.shape[7] + (ulong)f.more[127] +\n"
		   "		k[3] + (ulong)g + l;\n"
		   "	barrier(CLK_LOCAL_MEM_FENCE);\n"
		   "	o[get_global_id(0)] = t[get_local_size(0) - 1 - l];\n"
		   "}\n" },
	[WHERE] = { "where",
		    "kernel void where(global uint *p, uint w) {\n"
		    "	if (get_global_id(0) < w)\n"
		    "		p[get_global_id(1) * w + get_global_id(0)] =\n"
		    "			(uint)(get_local_size(0) * 1000 +\n"
		    "			get_local_size(1));\n"
		    "}\n" },
	[STRICT] = { "strict",
		     "kernel __attribute__((reqd_work_group_size(32, 1, 1)))\n"
		     "void strict(global uint *p) {\n"
		     "	p[get_global_id(0)] = (uint)get_local_size(0);\n"
		     "}\n" },
	[NONE] = { "none", "kernel void none(void) {}\n" },
};
static dprp_module *modules[N_PATHS][N_KERNELS];

struct big {
	int64_t offset;
	int32_t rank, pad;
	int64_t shape[8], stride[8];
	char more[128];
};

#define BENCH(i)                                 \
	const struct bench *bench = &benches[i]; \
	if (!bench->instance)                    \
	return

/* Whether the device supports double, which is optional in OpenCL C 1.2. */
static bool has_double(const struct bench *bench)
{
	uint64_t config = 0;
	size_t need;

	return !bench->plugin->device->info(bench->device,
					    DPR_INFO_DOUBLE_FP_CONFIG, &config,
					    sizeof(config), &need) &&
	       config;
}

/* A kernel's program, built at the first call.  Do not destroy it. */
static dprp_module *program(const struct bench *bench, int kernel)
{
	dprp_module **module = &modules[bench - benches][kernel];
	const char *options =
		has_double(bench) ? "-DNUMBER=double" : "-DNUMBER=ulong";
	struct host_table_text log = { 0 };

	if (!*module &&
	    bench_build(bench, "opencl-c", kernels[kernel].source,
			strlen(kernels[kernel].source), options, &log, module))
		ck_abort_msg("%s: %s\n%s", kernels[kernel].name,
			     host_table_error(), log.text ? log.text : "");
	free(log.text);
	return *module;
}

static dprp_kernel *kernel_of(const struct bench *bench, int kernel)
{
	return bench_kernel(bench, program(bench, kernel),
			    kernels[kernel].name);
}

/* The first memory path that the driver has. */
static int best(void)
{
	int i = 0;

	while (i < N_PATHS - 1 && !benches[i].instance)
		i++;
	return i;
}

static dprp_mem *zeros(const struct bench *bench, size_t size)
{
	dprp_mem *mem = bench_alloc(bench, DPRP_MEM_DEVICE, size);
	void *none = calloc(1, size);

	ck_assert_ptr_nonnull(none);
	bench_put(bench, mem, 0, none, size);
	free(none);
	return mem;
}

START_TEST(build_errors_have_the_log)
{
	BENCH(best());
	static const char bad[] =
		"kernel void f(global int *p) {\n\n\tp[0] = nosuchname;\n}\n";
	struct host_table_text log = { 0 };
	dprp_module *made = NULL;

	FAILS(bench_build(bench, "opencl-c", bad, strlen(bad), NULL, &log,
			  &made),
	      DPR_RC_BUILD, "clBuildProgram");
	ck_assert_ptr_null(made);
	ck_assert_ptr_nonnull(log.text);
	ck_assert_msg(strstr(log.text, "nosuchname"), "%s", log.text);
	free(log.text);
}
END_TEST

START_TEST(formats)
{
	BENCH(best());
	dprp_image images[3] = {
		{ .struct_size = sizeof(dprp_image), .format = "ptx" },
		{ .struct_size = sizeof(dprp_image),
		  .format = "opencl-binary" },
		{ .struct_size = sizeof(dprp_image), .format = "opencl-c" },
	};
	const dprp_image *list[] = { &images[0], &images[1], &images[2] };
	dprp_module *made = NULL;
	uint32_t choice = 9;

	OK(bench->plugin->module->pick(bench->device, list, 3, &choice));
	ck_assert_uint_eq(choice, 2);
	OK(bench->plugin->module->pick(bench->device, list, 2, &choice));
	ck_assert_uint_eq(choice, 1);
	FAILS(bench->plugin->module->pick(bench->device, list, 1, &choice),
	      DPR_RC_UNSUPPORTED, "no image has a format of this device");
	FAILS(bench_build(bench, "ptx", "x", 1, NULL, NULL, &made),
	      DPR_RC_UNSUPPORTED, "ptx");
	host_table_clear();
	ck_assert_int_ne(bench_build(bench, "opencl-binary", "not a binary", 12,
				     NULL, NULL, &made),
			 DPR_RC_OK);
	ck_assert_str_ne(host_table_error(), "");
	ck_assert_ptr_null(made);
}
END_TEST

START_TEST(binaries_come_back)
{
	BENCH(best());
	struct host_table_text binary = { 0 };
	dprp_mem *mem = zeros(bench, COUNT * 4);
	dprp_module *made = NULL;
	dprp_kernel *kernel;
	uint32_t value = 77, out[2];
	dprp_arg args[] = { arg_mem(mem, 0), arg_value(&value, 4) };

	OK(bench->plugin->module->binary(program(bench, PUT),
					 host_table_sink(&binary)));
	ck_assert_uint_gt(binary.size, 0);
	OK(bench_build(bench, "opencl-binary", binary.text, binary.size, NULL,
		       NULL, &made));
	kernel = bench_kernel(bench, made, "put");
	OK(bench_launch(bench, bench->queue, kernel, COUNT, 0, args, 2, NULL,
			NULL));
	bench_get(bench, mem, 0, out, sizeof(out));
	ck_assert_uint_eq(out[1], 77);
	bench->plugin->module->kernel_destroy(kernel);
	bench->plugin->module->destroy(made);
	bench->plugin->mem->free(mem);
	free(binary.text);
}
END_TEST

START_TEST(unknown_kernel)
{
	BENCH(best());
	dprp_kernel *kernel = NULL;

	FAILS(bench->plugin->module->kernel(program(bench, PUT), "nosuchkernel",
					    &kernel),
	      DPR_RC_INVALID, "nosuchkernel");
	ck_assert_ptr_null(kernel);
}
END_TEST

START_TEST(parameters)
{
	BENCH(best());
	static const struct {
		uint32_t kind;
		uint64_t size;
	} want[] = { { DPRP_ARG_MEM, 0 },   { DPRP_ARG_VALUE, 1 },
		     { DPRP_ARG_VALUE, 2 }, { DPRP_ARG_VALUE, 4 },
		     { DPRP_ARG_VALUE, 8 }, { DPRP_ARG_VALUE, 16 },
		     { DPRP_ARG_VALUE, 0 }, { DPRP_ARG_LOCAL, 0 },
		     { DPRP_ARG_MEM, 0 },   { DPRP_ARG_VALUE, 8 } };
	enum { N = sizeof(want) / sizeof(want[0]) };
	dprp_kernel *kernel = kernel_of(bench, GRAB);
	dprp_param params[N];
	size_t need = 0, i;

	OK(bench->plugin->module->kernel_info(
		kernel, bench->device, DPRP_KERNEL_PARAMS, NULL, 0, &need));
	ck_assert_uint_eq(need, sizeof(params));
	FAILS(bench->plugin->module->kernel_info(kernel, bench->device,
						 DPRP_KERNEL_PARAMS, params, 1,
						 &need),
	      DPR_RC_INVALID, "bytes");
	OK(bench->plugin->module->kernel_info(kernel, bench->device,
					      DPRP_KERNEL_PARAMS, params,
					      sizeof(params), &need));
	for (i = 0; i < N; i++) {
		ck_assert_msg(params[i].kind == want[i].kind,
			      "parameter %zu is of kind %u", i, params[i].kind);
		ck_assert_msg(params[i].size == want[i].size,
			      "parameter %zu has %llu bytes", i,
			      (unsigned long long)params[i].size);
	}
	bench->plugin->module->kernel_destroy(kernel);

	kernel = kernel_of(bench, NONE);
	OK(bench->plugin->module->kernel_info(
		kernel, bench->device, DPRP_KERNEL_PARAMS, NULL, 0, &need));
	ck_assert_uint_eq(need, 0);
	OK(bench_launch(bench, bench->queue, kernel, 1, 0, NULL, 0, NULL,
			NULL));
	OK(bench->plugin->queue->finish(bench->queue));
	bench->plugin->module->kernel_destroy(kernel);
}
END_TEST

START_TEST(kernel_facts)
{
	BENCH(best());
	dprp_kernel *kernel = kernel_of(bench, STRICT);
	uint64_t three[3], one = 0;
	uint32_t key;
	size_t need = 0;

	OK(bench->plugin->module->kernel_info(kernel, bench->device,
					      DPRP_KERNEL_REQUIRED_LOCAL, three,
					      sizeof(three), &need));
	ck_assert_uint_eq(three[0], 32);
	OK(bench->plugin->module->kernel_info(kernel, bench->device,
					      DPRP_KERNEL_MAX_WORK_GROUP, &one,
					      8, &need));
	ck_assert_uint_ge(one, 32);
	for (key = DPRP_KERNEL_PREFERRED_MULTIPLE;
	     key <= DPRP_KERNEL_LOCAL_SIZE; key++)
		OK(bench->plugin->module->kernel_info(kernel, bench->device,
						      key, &one, 8, &need));
	FAILS(bench->plugin->module->kernel_info(kernel, bench->device, 999,
						 &one, 8, &need),
	      DPR_RC_UNSUPPORTED, "999");
	bench->plugin->module->kernel_destroy(kernel);
}
END_TEST

START_TEST(arguments_of_all_sizes)
{
	BENCH(_i);
	dprp_kernel *kernel = kernel_of(bench, GRAB);
	dprp_mem *out = zeros(bench, COUNT * 8);
	dprp_mem *table = zeros(bench, 64);
	uint32_t entries[4] = { 0, 0, 0, 4000 };
	uint8_t a = 1;
	uint16_t b = 20;
	uint32_t c = 300;
	uint64_t d = 5000000000, values[COUNT], sum;
	float e[4] = { 6, 0, 0, 7 };
	double number = 8;
	uint64_t whole = 8;
	const void *g = has_double(bench) ? (void *)&number : &whole;
	struct big f = { .offset = 9, .shape = { [7] = 10 } };
	dprp_arg args[] = { arg_mem(out, 0),          arg_value(&a, 1),
			    arg_value(&b, 2),         arg_value(&c, 4),
			    arg_value(&d, 8),         arg_value(e, 16),
			    arg_value(&f, sizeof(f)), arg_local(64 * 8),
			    arg_mem(table, 0),        arg_value(g, 8) };
	unsigned round, i;

	f.more[127] = 11;
	bench_put(bench, table, 0, entries, sizeof(entries));
	/* Launch again with one changed argument: the plugin must not use the
	   remembered one. */
	for (round = 0; round < 5; round++) {
		if (round == 1)
			c = 301;
		if (round == 2)
			f.shape[7] = 12;
		if (round == 3)
			e[3] = 70;
		if (round == 4)
			args[7] = arg_local(128 * 8);
		OK(bench_launch(bench, bench->queue, kernel, COUNT, 64, args,
				10, NULL, NULL));
		bench_get(bench, out, 0, values, sizeof(values));
		sum = a + b + c + d + (uint64_t)e[0] + (uint64_t)e[3] + 9 +
		      (uint64_t)f.shape[7] + 11 + 4000 + 8;
		for (i = 0; i < COUNT; i++)
			ck_assert_uint_eq(values[i], sum + 63 - i % 64);
	}
	bench->plugin->module->kernel_destroy(kernel);
	bench->plugin->mem->free(out);
	bench->plugin->mem->free(table);
}
END_TEST

START_TEST(offsets)
{
	BENCH(_i);
	dprp_kernel *kernel = kernel_of(bench, PUT);
	uint64_t align =
		bench_u64(bench, bench->device, DPR_INFO_SUB_BUFFER_ALIGN);
	uint64_t step = align < 128 ? 128 : align;
	dprp_mem *mem = zeros(bench, step * 100 + 1024);
	unsigned i;

	/* Use more offsets than the plugin remembers, each twice. */
	for (i = 0; i < 200; i++) {
		uint32_t value = i % 100 + 1;
		dprp_arg args[] = { arg_mem(mem, (i % 100) * step),
				    arg_value(&value, 4) };

		OK(bench_launch(bench, bench->queue, kernel, 1, 1, args, 2,
				NULL, NULL));
	}
	for (i = 0; i < 100; i++) {
		uint32_t value;

		bench_get(bench, mem, i * step, &value, 4);
		ck_assert_uint_eq(value, i + 1);
	}
	if (align > 1) {
		uint32_t value = 1;
		dprp_arg args[] = { arg_mem(mem, 4), arg_value(&value, 4) };

		FAILS(bench_launch(bench, bench->queue, kernel, 1, 1, args, 2,
				   NULL, NULL),
		      DPR_RC_INVALID, "MEM_BASE_ALIGN");
	} else {
		uint32_t value = 4711;
		dprp_arg args[] = { arg_mem(mem, 4), arg_value(&value, 4) };

		OK(bench_launch(bench, bench->queue, kernel, 1, 1, args, 2,
				NULL, NULL));
		bench_get(bench, mem, 4, &value, 4);
		ck_assert_uint_eq(value, 4711);
	}
	bench->plugin->module->kernel_destroy(kernel);
	bench->plugin->mem->free(mem);
}
END_TEST

/* New memory at the address of freed memory must not count as the same
   argument. */
START_TEST(memory_that_comes_again)
{
	BENCH(_i);
	dprp_kernel *kernel = kernel_of(bench, PUT);
	uint32_t i;

	for (i = 1; i < 50; i++) {
		dprp_mem *mem = zeros(bench, 4096);
		dprp_arg args[] = { arg_mem(mem, 0), arg_value(&i, 4) };
		uint32_t value = 0;

		OK(bench_launch(bench, bench->queue, kernel, 256, 0, args, 2,
				NULL, NULL));
		bench_get(bench, mem, 1020, &value, 4);
		ck_assert_uint_eq(value, i);
		bench->plugin->mem->free(mem);
	}
	bench->plugin->module->kernel_destroy(kernel);
}
END_TEST

START_TEST(chosen_work_groups)
{
	BENCH(_i);
	enum { W = 37, H = 21 };
	dprp_kernel *where = kernel_of(bench, WHERE);
	dprp_kernel *strict = kernel_of(bench, STRICT);
	dprp_mem *mem = zeros(bench, 64 * 64 * 4);
	uint32_t width = W, out[W * H];
	dprp_arg args[] = { arg_mem(mem, 0), arg_value(&width, 4) };
	dprp_launch launch = { .struct_size = sizeof(launch),
			       .dims = 2,
			       .n_args = 2,
			       .global = { W, H, 1 },
			       .args = args };
	dprp_event *event = NULL;
	unsigned i;

	OK(bench->plugin->queue->launch(bench->queue, where, &launch, NULL,
					&event));
	bench_done(bench, event);
	bench_get(bench, mem, 0, out, sizeof(out));
	for (i = 0; i < W * H; i++)
		ck_assert_uint_eq(out[i], 16016);

	OK(bench_launch(bench, bench->queue, strict, 33, 0, args, 1, NULL,
			NULL));
	bench_get(bench, mem, 0, out, 65 * 4);
	for (i = 0; i < 64; i++)
		ck_assert_uint_eq(out[i], 32);
	ck_assert_uint_eq(out[64], 16016);
	FAILS(bench_launch(bench, bench->queue, strict, 64, 16, args, 1, NULL,
			   NULL),
	      DPR_RC_INVALID,
	      "clEnqueueNDRangeKernel: CL_INVALID_WORK_GROUP_SIZE (-54)");
	ck_assert_int_eq(host_table_error_native(), -54);
	/* An empty range runs nothing, but its event is in order. */
	OK(bench_launch(bench, bench->queue, strict, 0, 0, args, 1, NULL,
			&event));
	bench_done(bench, event);
	FAILS(bench_launch(bench, bench->queue, strict, UINT64_MAX, 0, args, 1,
			   NULL, NULL),
	      DPR_RC_INVALID, "rounded up");
	launch.dims = 4;
	FAILS(bench->plugin->queue->launch(bench->queue, where, &launch, NULL,
					   NULL),
	      DPR_RC_INVALID, "dimensions");
	bench->plugin->module->kernel_destroy(where);
	bench->plugin->module->kernel_destroy(strict);
	bench->plugin->mem->free(mem);
}
END_TEST

START_TEST(wrong_arguments)
{
	BENCH(_i);
	dprp_kernel *kernel = kernel_of(bench, PUT);
	dprp_mem *mem = zeros(bench, 64);
	uint64_t value = 5;
	dprp_arg args[] = { arg_mem(mem, 0), arg_value(&value, 8) };
	dprp_event *event = NULL;

	FAILS(bench_launch(bench, bench->queue, kernel, 1, 0, args, 1, NULL,
			   &event),
	      DPR_RC_INVALID, "put has 2 parameters, not 1");
	FAILS(bench_launch(bench, bench->queue, kernel, 1, 0, args, 2, NULL,
			   &event),
	      DPR_RC_INVALID, "CL_INVALID_ARG_SIZE");
	ck_assert_ptr_null(event);
	args[1].kind = 99;
	FAILS(bench_launch(bench, bench->queue, kernel, 1, 0, args, 2, NULL,
			   &event),
	      DPR_RC_UNSUPPORTED, "kind 99");
	args[0] = arg_mem(mem, 65);
	FAILS(bench_launch(bench, bench->queue, kernel, 1, 0, args, 2, NULL,
			   &event),
	      DPR_RC_INVALID, "outside");
	bench->plugin->module->kernel_destroy(kernel);
	bench->plugin->mem->free(mem);
}
END_TEST

struct worker {
	pthread_t thread;
	const struct bench *bench;
	dprp_kernel *kernel;
	unsigned id;
	const char *failed;
};

/* Launch one kernel with different arguments each time. */
static void *work(void *data)
{
	struct worker *worker = data;
	const struct bench *bench = worker->bench;
	dprp_queue_desc qd = { .struct_size = sizeof(qd) };
	dprp_mem_desc md = { .struct_size = sizeof(md),
			     .kind = DPRP_MEM_DEVICE,
			     .size = 1024 };
	dprp_queue *queue = NULL;
	dprp_mem *mem = NULL;
	uint64_t got;
	uint32_t i, out[256];

	worker->failed = "queue or memory";
	if (bench->plugin->queue->create(bench->context, bench->device, &qd,
					 &got, &queue) ||
	    bench->plugin->mem->alloc(bench->context, bench->device, &md, &mem))
		return NULL;
	worker->failed = NULL;
	for (i = 0; i < 100 && !worker->failed; i++) {
		uint32_t value = worker->id * 1000 + i;
		dprp_arg args[] = { arg_mem(mem, 0), arg_value(&value, 4) };
		dprp_event *event = NULL;

		if (bench_launch(bench, queue, worker->kernel, 256, 0, args, 2,
				 NULL, NULL) ||
		    bench->plugin->queue->read(queue, mem, 0, out, sizeof(out),
					       NULL, &event) ||
		    bench->plugin->event->wait(&event, 1, UINT64_MAX))
			worker->failed = "submission";
		else if (out[0] != value || out[255] != value)
			worker->failed = "another thread's argument";
		if (event)
			bench->plugin->event->destroy(event);
	}
	bench->plugin->mem->free(mem);
	bench->plugin->queue->destroy(queue);
	return NULL;
}

START_TEST(one_kernel_from_eight_threads)
{
	BENCH(_i);
	struct worker workers[8];
	dprp_kernel *kernel = kernel_of(bench, PUT);
	unsigned i;

	for (i = 0; i < 8; i++) {
		workers[i] = (struct worker){ .bench = bench,
					      .kernel = kernel,
					      .id = i };
		ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work,
						&workers[i]),
				 0);
	}
	for (i = 0; i < 8; i++)
		pthread_join(workers[i].thread, NULL);
	for (i = 0; i < 8; i++)
		ck_assert_msg(!workers[i].failed, "thread %u: %s", i,
			      workers[i].failed);
	bench->plugin->module->kernel_destroy(kernel);
}
END_TEST

START_TEST(launch_survives_missing_memory)
{
	BENCH(_i);
	dprp_kernel *kernel;
	dprp_mem *mem = zeros(bench, 1024);
	uint32_t value = 3;
	dprp_arg args[] = { arg_mem(mem, 0), arg_value(&value, 4) };
	dprp_event *event;
	unsigned long nth;
	dprp_rc rc = DPR_RC_OOM_HOST;

	for (nth = 1; nth < 100 && rc != DPR_RC_OK; nth++) {
		event = NULL;
		kernel = kernel_of(bench, PUT);
		host_table_fail_alloc(bench->table, nth);
		rc = bench_launch(bench, bench->queue, kernel, 256, 0, args, 2,
				  NULL, &event);
		host_table_fail_alloc(bench->table, 0);
		ck_assert(rc == DPR_RC_OK || rc == DPR_RC_OOM_HOST);
		ck_assert_int_eq(rc == DPR_RC_OK, event != NULL);
		if (event)
			bench_done(bench, event);
		bench->plugin->module->kernel_destroy(kernel);
	}
	ck_assert_uint_lt(nth, 100);
	ck_assert_uint_gt(nth, 2);
	bench->plugin->mem->free(mem);
}
END_TEST

/* Check that missing handles and too small ones are refused. */
static void refuse_handles(const struct bench *b, dprp_mem *mem, uintptr_t h)
{
	const dprp_plugin *p = b->plugin;
	uint64_t flags = 0;
	void *out = NULL;

	FAILS(p->native_wrap(b->instance, DPRP_NATIVE_MEMORY, b->context,
			     b->device, h, 8192, 0, &flags, &out),
	      DPR_RC_INVALID, "4096");
	FAILS(p->native_get(b->instance, 99, mem, 0, &h), DPR_RC_UNSUPPORTED,
	      "native");
	FAILS(p->native_wrap(b->instance, DPRP_NATIVE_DEVICE, NULL, NULL, 1, 0,
			     0, &flags, &out),
	      DPR_RC_INVALID, "cl_device_id");
}

START_TEST(native_handles)
{
	BENCH(_i);
	const dprp_plugin *p = bench->plugin;
	dprp_instance *in = bench->instance;
	dprp_kernel *kernel = kernel_of(bench, PUT), *wk = NULL;
	dprp_module *wm = NULL;
	dprp_mem *mem = zeros(bench, 4096), *wmem = NULL;
	dprp_queue *wq = NULL;
	dprp_device *wd = NULL;
	dprp_event *event = NULL, *we = NULL;
	uintptr_t h = 0, memory = 0;
	uint64_t flags = 0;
	uint32_t value = 31, out = 0;
	dprp_arg args[2];

	OK(p->native_get(in, DPRP_NATIVE_PLATFORM, bench->device, 0, &h));
	ck_assert_uint_ne(h, 0);
	OK(p->native_get(in, DPRP_NATIVE_DEVICE, bench->device, 0, &h));
	OK(p->native_wrap(in, DPRP_NATIVE_DEVICE, NULL, NULL, h, 0, 0, &flags,
			  (void **)&wd));
	ck_assert_ptr_eq(wd, bench->device);
	OK(p->native_get(in, DPRP_NATIVE_CONTEXT, bench->context, 0, &h));
	ck_assert_uint_ne(h, 0);
	/* Some drivers cannot make a cl_mem of shared virtual memory. */
	if (p->native_get(in, DPRP_NATIVE_MEMORY, mem, 0, &memory)) {
		ck_assert_int_eq(host_table_error_rc(), DPR_RC_UNSUPPORTED);
		ck_assert(!bench_is_pocl());
		p->module->kernel_destroy(kernel);
		p->mem->free(mem);
		return;
	}
	OK(p->native_wrap(in, DPRP_NATIVE_MEMORY, bench->context, bench->device,
			  memory, 4096, 0, &flags, (void **)&wmem));
	OK(p->native_get(in, DPRP_NATIVE_QUEUE, bench->queue, 0, &h));
	OK(p->native_wrap(in, DPRP_NATIVE_QUEUE, bench->context, bench->device,
			  h, 0, 0, &flags, (void **)&wq));
	OK(p->native_get(in, DPRP_NATIVE_PROGRAM, program(bench, PUT), 0, &h));
	OK(p->native_wrap(in, DPRP_NATIVE_PROGRAM, bench->context,
			  bench->device, h, 0, 0, &flags, (void **)&wm));
	OK(p->native_get(in, DPRP_NATIVE_KERNEL, kernel, 0, &h));
	OK(p->native_wrap(in, DPRP_NATIVE_KERNEL, bench->context, bench->device,
			  h, 0, 0, &flags, (void **)&wk));

	/* Use all wrapped objects: the write must be seen in the first. */
	args[0] = arg_mem(wmem, 0);
	args[1] = arg_value(&value, 4);
	OK(bench_launch(bench, wq, wk, 256, 0, args, 2, NULL, &event));
	OK(p->native_get(in, DPRP_NATIVE_EVENT, event, 0, &h));
	OK(p->native_wrap(in, DPRP_NATIVE_EVENT, bench->context, bench->device,
			  h, 0, 0, &flags, (void **)&we));
	bench_done(bench, we);
	bench_done(bench, event);
	bench_get(bench, mem, 1020, &out, 4);
	ck_assert_uint_eq(out, 31);
	refuse_handles(bench, mem, memory);
	p->module->kernel_destroy(wk);
	p->module->kernel_destroy(kernel);
	p->module->destroy(wm);
	p->queue->destroy(wq);
	p->mem->free(wmem);
	p->mem->free(mem);
}
END_TEST

/* In a context that is made after the division, programs are built for the
   sub-devices. */
START_TEST(sub_device_of_a_new_context)
{
	BENCH(best());
	const uint64_t one[] = { 1 };
	dprp_partition how = { .struct_size = sizeof(how),
			       .how = DPR_PARTITION_EQUALLY,
			       .n_counts = 1,
			       .counts = one };
	struct bench other = *bench;
	dprp_device *sub = NULL;
	dprp_module *made;
	dprp_kernel *kernel;
	dprp_queue *queue;
	dprp_mem *mem;
	uint32_t n, value = 13, out[256];
	dprp_arg args[2];
	dprp_event *event = NULL;

	if (!bench_divides(bench) ||
	    bench_u64(bench, bench->device, DPR_INFO_COMPUTE_UNITS) < 2)
		return;
	OK(bench->plugin->device->partition(bench->device, &how, &sub, 1, &n));
	other.context = NULL;
	other.queue = NULL;
	bench_use(&other, bench->device);
	made = bench_source(&other, kernels[PUT].source);
	kernel = bench_kernel(&other, made, "put");
	mem = zeros(&other, 1024);
	queue = bench_queue(&other, sub, 0);
	args[0] = arg_mem(mem, 0);
	args[1] = arg_value(&value, 4);
	OK(bench_launch(&other, queue, kernel, 256, 0, args, 2, NULL, &event));
	bench_done(&other, event);
	bench_get(&other, mem, 0, out, sizeof(out));
	ck_assert_uint_eq(out[255], 13);
	bench->plugin->mem->free(mem);
	bench->plugin->module->kernel_destroy(kernel);
	bench->plugin->module->destroy(made);
	bench->plugin->queue->destroy(queue);
	bench->plugin->queue->destroy(other.queue);
	bench->plugin->context->destroy(other.context);
}
END_TEST

static TCase *tests(void)
{
	TCase *tcase = tcase_create("kernels");

	tcase_set_timeout(tcase, 180);
	tcase_add_test(tcase, build_errors_have_the_log);
	tcase_add_test(tcase, formats);
	tcase_add_test(tcase, binaries_come_back);
	tcase_add_test(tcase, unknown_kernel);
	tcase_add_test(tcase, parameters);
	tcase_add_test(tcase, kernel_facts);
	tcase_add_loop_test(tcase, arguments_of_all_sizes, 0, N_PATHS);
	tcase_add_loop_test(tcase, offsets, 0, N_PATHS);
	tcase_add_loop_test(tcase, memory_that_comes_again, 0, N_PATHS);
	tcase_add_loop_test(tcase, chosen_work_groups, 0, N_PATHS);
	tcase_add_loop_test(tcase, wrong_arguments, 0, N_PATHS);
	tcase_add_loop_test(tcase, one_kernel_from_eight_threads, 0, N_PATHS);
	tcase_add_loop_test(tcase, launch_survives_missing_memory, 0, N_PATHS);
	tcase_add_loop_test(tcase, native_handles, 0, N_PATHS);
	tcase_add_test(tcase, sub_device_of_a_new_context);
	return tcase;
}

int main(void)
{
	const char *why = NULL;
	int i, k, rc, open = 0;
	Suite *suite;

	for (i = 0; i < N_PATHS; i++) {
		if (bench_open(&benches[i], paths[i], bench_platform(), &why))
			open++;
		else
			printf("path %s: %.80s\n", paths[i], why);
	}
	if (!open) {
		printf("needs %s\n", bench_platform());
		return 77;
	}
	suite = suite_create("opencl kernels");
	suite_add_tcase(suite, tests());
	rc = bench_run(suite);
	for (i = 0; i < N_PATHS; i++) {
		if (!benches[i].instance)
			continue;
		for (k = 0; k < N_KERNELS; k++)
			benches[i].plugin->module->destroy(modules[i][k]);
		bench_close(&benches[i]);
	}
	return rc;
}
