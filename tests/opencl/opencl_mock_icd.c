/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the OpenCL plugin on a mock driver behind the real ICD loader: many
   platforms, broken ones, and features that this machine's devices lack. */
#include <unistd.h>

#include "opencl_mock.h"

START_TEST(broken_platforms_hide_nothing)
{
	struct bench bench = open_on(NULL, NULL);
	const char *log = host_table_log(bench.table);
	unsigned many = 0, others = 0;
	uint32_t i, n = 0;

	/* 17 platforms: one with 17 devices, one of them broken; 4 with one
	   device; 3 without a usable device; 9 plain platforms. */
	OK(bench.plugin->device->count(bench.instance, &n));
	ck_assert_uint_eq(n, 16 + 4 + 9);
	for (i = 0; i < n; i++) {
		dprp_device *device;
		char *name;

		OK(bench.plugin->device->get(bench.instance, i, &device));
		name = bench_text(&bench, device, DPR_INFO_NAME);
		ck_assert_str_ne(name, "mock 0.4");
		ck_assert_msg(strncmp(name, "mock ", 5) == 0, "\"%s\"", name);
		if (strncmp(name, "mock 0.", 7) == 0)
			many++;
		else
			others++;
		free(name);
	}
	ck_assert_uint_eq(many, 16);
	ck_assert_uint_eq(others, 13);
	ck_assert_ptr_nonnull(strstr(log,
				     "Mock broken is left out: clGetDeviceIDs: "
				     "CL_OUT_OF_HOST_MEMORY (-6)"));
	ck_assert_ptr_nonnull(strstr(log, "Mock ancient is left out: it is "
					  "older than OpenCL 1.2"));
	ck_assert_ptr_nonnull(strstr(log, "Mock empty is left out: it has no "
					  "device"));
	ck_assert_ptr_nonnull(strstr(log, "does not report its version"));
	close_all(&bench);
}
END_TEST

START_TEST(no_device_tells_every_reason)
{
	struct host_table *table = host_table_new();
	const dprp_plugin *plugin = host_table_plugin("opencl", NULL);
	dprp_instance *instance = NULL;

	host_table_option(table, "MEMORY", "svm-fine");
	FAILS(plugin->open(host_table_host(table), &instance), DPR_RC_NO_DEVICE,
	      "mock 16.0: it lacks the memory path");
	ck_assert_ptr_nonnull(strstr(host_table_error(), "Mock broken"));
	host_table_free(table);
}
END_TEST

/* Allocate, copy, fill, and launch with remembered arguments. */
static void use_memory(const struct bench *bench, uint32_t kind)
{
	const dprp_plugin *plugin = bench->plugin;
	dprp_module *module = bench_source(bench, "kernel");
	dprp_kernel *kernel = bench_kernel(bench, module, "add");
	dprp_mem *mem = bench_alloc(bench, kind, 4096);
	uint32_t value = 5, other = 6, out[100], zeros[100] = { 0 };
	dprp_arg args[] = { arg_mem(mem, 0), arg_value(&value, 4) };
	unsigned sets, enqueues;

	bench_put(bench, mem, 0, zeros, sizeof(zeros));
	OK(bench_launch(bench, bench->queue, kernel, 100, 0, args, 2, NULL,
			NULL));
	/* The kernel can run 64 work-items per group. */
	ck_assert(traced("launch 128 by 64\n"));
	sets = report->set_args;
	enqueues = report->enqueues;
	OK(bench_launch(bench, bench->queue, kernel, 100, 0, args, 2, NULL,
			NULL));
	ck_assert_uint_eq(report->set_args, sets);
	ck_assert_uint_eq(report->enqueues, enqueues + 1);
	args[1] = arg_value(&other, 4);
	OK(bench_launch(bench, bench->queue, kernel, 100, 0, args, 2, NULL,
			NULL));
	ck_assert_uint_eq(report->set_args, sets + 1);
	args[0] = arg_mem(mem, 512);
	OK(bench_launch(bench, bench->queue, kernel, 64, 64, args, 2, NULL,
			NULL));
	ck_assert_uint_eq(report->set_args, sets + 2);
	bench_get(bench, mem, 0, out, sizeof(out));
	ck_assert_uint_eq(out[0], 16);
	ck_assert_uint_eq(out[99], 16);
	bench_get(bench, mem, 512, out, 4);
	ck_assert_uint_eq(out[0], 6);
	plugin->mem->free(mem);
	plugin->module->kernel_destroy(kernel);
	plugin->module->destroy(module);
}

static void fill_and_prefetch(const struct bench *bench)
{
	dprp_mem *mem = bench_alloc(bench, DPRP_MEM_DEVICE, 64);
	uint64_t value = 0x0123456789abcdef, out[8];

	OK(bench->plugin->queue->fill(bench->queue, mem, 0, 64, &value, 8, NULL,
				      NULL));
	OK(bench->plugin->queue->prefetch(bench->queue, mem, 0, 64, NULL,
					  NULL));
	bench_get(bench, mem, 0, out, 64);
	ck_assert_uint_eq(out[7], value);
	bench->plugin->mem->free(mem);
}

START_TEST(usm_path)
{
	struct bench bench = open_on(NULL, "Mock usm");
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = DPRP_MEM_DEVICE,
			       .size = 2 << 20 };
	char *path = bench_text(&bench, bench.device, DPR_INFO_MEMORY_PATH);
	dprp_mem *mem = NULL;

	ck_assert_str_eq(path, "usm");
	free(path);
	use_memory(&bench, DPRP_MEM_DEVICE);
	use_memory(&bench, DPRP_MEM_HOST);
	use_memory(&bench, DPRP_MEM_SHARED);
	fill_and_prefetch(&bench);
	ck_assert(traced("usm device\n"));
	ck_assert(traced("usm host\n"));
	ck_assert(traced("usm shared\n"));
	ck_assert(traced("usm free\n"));
	ck_assert(traced("clEnqueueMemcpyINTEL\n"));
	ck_assert(traced("clEnqueueMemFillINTEL\n"));
	ck_assert(traced("clEnqueueMigrateMemINTEL\n"));
	FAILS(bench.plugin->mem->alloc(bench.context, bench.device, &desc,
				       &mem),
	      DPR_RC_OOM_DEVICE, "1048576");
	ck_assert_uint_eq(bench_u64(&bench, bench.device,
				    DPR_INFO_ASPECT_USM_ATOMIC_HOST),
			  1);
	ck_assert_uint_eq(bench_u64(&bench, bench.device,
				    DPR_INFO_ASPECT_USM_ATOMIC_SHARED),
			  0);
	close_all(&bench);
}
END_TEST

/* How many launches in the trace waited for others. */
static unsigned count_barriers(void)
{
	const char *at = report->trace;
	unsigned n = 0;

	while ((at = strstr(at, "barrier after 1\n"))) {
		at++;
		n++;
	}
	report->trace[0] = 0;
	return n;
}

/* Device memory is host memory if the device is this machine's CPU. */
START_TEST(memory_of_cpus)
{
	static const char *const platforms[] = { "Portable", "Portable",
						 "Mock usm" };
	struct bench bench;

	report->fine = _i != 0;
	bench = open_on(NULL, platforms[_i]);
	ck_assert_uint_eq(
		bench_u64(&bench, bench.device, DPR_INFO_ASPECT_HOST_MEMORY),
		_i == 1);
	close_all(&bench);
	report->fine = false;
}
END_TEST

/* PoCL 5 must not run launches at once that differ only in their width. */
START_TEST(pocl_5)
{
	struct bench bench = open_on(NULL, "Portable");
	dprp_module *module = bench_source(&bench, "kernel");
	dprp_kernel *add = bench_kernel(&bench, module, "add");
	dprp_kernel *mystery = bench_kernel(&bench, module, "mystery");
	dprp_mem *mem = bench_alloc(&bench, DPRP_MEM_DEVICE, 4096);
	dprp_queue *other = bench_queue(&bench, bench.device, 0);
	uint32_t value = 5;
	dprp_arg args[] = { arg_mem(mem, 0), arg_value(&value, 4) };
	const struct {
		dprp_queue *queue;
		dprp_kernel *kernel;
		uint64_t global, local;
		unsigned waits;
	} rows[] = {
		{ bench.queue, add, 128, 64, 0 },
		{ bench.queue, add, 256, 64, 0 }, /* in order without a wait */
		{ other, mystery, 512, 64, 0 },
		{ other, add, 128, 32, 0 },
		{ other, add, 256, 64, 1 }, /* after that of 128 */
		{ bench.queue, add, 256, 64, 0 },
		{ other, add, 512, 64, 1 },       /* after the second of 256 */
		{ bench.queue, add, 512, 64, 1 }, /* after the other's 256 */
	};
	size_t i;
	int k;

	report->trace[0] = 0;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OK(bench_launch(&bench, rows[i].queue, rows[i].kernel,
				rows[i].global, rows[i].local, args, 2, NULL,
				NULL));
		ck_assert_msg(count_barriers() == rows[i].waits, "row %zu", i);
	}
	/* Launches that are over are forgotten. */
	k = report->live;
	for (i = 0; i < 1000; i++) {
		OK(bench_launch(&bench, other, add, 64 * (1 + i % 10), 64, args,
				2, NULL, NULL));
		OK(bench.plugin->queue->finish(other));
	}
	ck_assert_int_le(report->live, k + 200);
	bench.plugin->queue->destroy(other);
	bench.plugin->mem->free(mem);
	bench.plugin->module->kernel_destroy(mystery);
	bench.plugin->module->kernel_destroy(add);
	bench.plugin->module->destroy(module);
	close_all(&bench);
}
END_TEST

START_TEST(coarse_path)
{
	struct bench bench = open_on(NULL, "Mock coarse");
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = DPRP_MEM_SHARED,
			       .size = 64 };
	dprp_mem *mem = NULL;

	use_memory(&bench, DPRP_MEM_DEVICE);
	fill_and_prefetch(&bench);
	ck_assert(traced("clSVMAlloc coarse\n"));
	ck_assert(!traced("clSVMAlloc fine\n"));
	ck_assert(traced("clEnqueueSVMMemcpy\n"));
	ck_assert(traced("clEnqueueSVMMemFill\n"));
	ck_assert(traced("clEnqueueSVMMigrateMem\n"));
	FAILS(bench.plugin->mem->alloc(bench.context, bench.device, &desc,
				       &mem),
	      DPR_RC_UNSUPPORTED, "shared");
	ck_assert_uint_eq(
		bench_u64(&bench, bench.device, DPR_INFO_ASPECT_USM_HOST), 0);
	ck_assert_uint_eq(
		bench_u64(&bench, bench.device, DPR_INFO_ASPECT_ADDRESSES), 1);
	close_all(&bench);
}
END_TEST

/* NVIDIA's driver refuses a buffer for an argument that was an address. */
START_TEST(buffers_after_addresses)
{
	void *(*create)(void *, uint64_t, size_t, void *, int32_t *);
	void *opencl = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
	struct bench bench = open_on(NULL, "Mock coarse");
	const dprp_plugin *p = bench.plugin;
	dprp_module *module = bench_source(&bench, "kernel");
	dprp_kernel *kernel = bench_kernel(&bench, module, "add");
	dprp_mem *mem[2] = { bench_alloc(&bench, DPRP_MEM_DEVICE, 1024) };
	uint32_t value = 5, out = 0;
	dprp_arg args[2] = { { 0 }, arg_value(&value, 4) };
	uintptr_t context = 0;
	uint64_t flags = 0;
	void *buffer;
	int32_t err;
	int i;

	*(void **)(void *)&create = dlsym(opencl, "clCreateBuffer");
	OK(p->native_get(bench.instance, DPRP_NATIVE_CONTEXT, bench.context, 0,
			 &context));
	buffer = create((void *)context, 0, 1024, NULL, &err);
	ck_assert_int_eq(err, 0);
	OK(p->native_wrap(bench.instance, DPRP_NATIVE_MEMORY, bench.context,
			  bench.device, (uintptr_t)buffer, 0, 1, &flags,
			  (void **)&mem[1]));
	for (i = 0; i < 2; i++)
		bench_put(&bench, mem[i], 0, &out, 4);
	for (i = 0; i < 6; i++) {
		args[0] = arg_mem(mem[i % 2], 0);
		OK(bench_launch(&bench, bench.queue, kernel, 1, 1, args, 2,
				NULL, NULL));
	}
	for (i = 0; i < 2; i++) {
		bench_get(&bench, mem[i], 0, &out, 4);
		ck_assert_uint_eq(out, 15);
		p->mem->free(mem[i]);
	}
	p->module->kernel_destroy(kernel);
	p->module->destroy(module);
	close_all(&bench);
	dlclose(opencl);
}
END_TEST

/* A platform 1.2 gets no newer call, even if its device could take it. */
START_TEST(old_platform_gets_no_new_call)
{
	struct bench bench = open_on(NULL, "Mock old");
	dprp_queue_desc desc = { .struct_size = sizeof(desc), .priority = 1 };
	uint64_t a, b, got;
	dprp_queue *queue = NULL;
	size_t i, need;

	use_memory(&bench, DPRP_MEM_DEVICE);
	ck_assert(traced("clCreateCommandQueue\n"));
	for (i = 0; i < 900; i++)
		bench.plugin->device->info(bench.device, (uint32_t)i, NULL, 0,
					   &need);
	ck_assert_int_eq(bench.plugin->device->clocks(bench.device, &a, &b),
			 DPR_RC_UNSUPPORTED);
	FAILS(bench.plugin->queue->create(bench.context, bench.device, &desc,
					  &got, &queue),
	      DPR_RC_UNSUPPORTED, "priorities");
	ck_assert(!traced("forbidden"));
	close_all(&bench);
}
END_TEST

START_TEST(priorities)
{
	struct bench bench = open_on(NULL, "Mock usm");
	dprp_queue_desc desc = { .struct_size = sizeof(desc),
				 .priority = 1,
				 .flags = DPRP_QUEUE_OUT_OF_ORDER };
	dprp_queue *high = NULL, *low = NULL, *wrong = NULL;
	uint64_t got = 99;

	OK(bench.plugin->queue->create(bench.context, bench.device, &desc, &got,
				       &high));
	/* This device has no out-of-order queues: an in-order one is allowed,
	   too. */
	ck_assert_uint_eq(got, 0);
	ck_assert(traced("priority 1\n"));
	desc.priority = -1;
	OK(bench.plugin->queue->create(bench.context, bench.device, &desc, &got,
				       &low));
	ck_assert(traced("priority 4\n"));
	desc.priority = 2;
	FAILS(bench.plugin->queue->create(bench.context, bench.device, &desc,
					  &got, &wrong),
	      DPR_RC_UNSUPPORTED, "priority 2");
	bench.plugin->queue->destroy(high);
	bench.plugin->queue->destroy(low);
	close_all(&bench);
}
END_TEST

START_TEST(failed_commands)
{
	struct bench bench = open_on(NULL, "Mock coarse");
	const dprp_plugin *plugin = bench.plugin;
	dprp_module *module = bench_source(&bench, "kernel");
	dprp_kernel *kernel = bench_kernel(&bench, module, "fail");
	dprp_mem *mem = bench_alloc(&bench, DPRP_MEM_DEVICE, 1024);
	uint32_t value = 1;
	dprp_arg args[] = { arg_mem(mem, 0), arg_value(&value, 4) };
	struct host_table_text text = { 0 };
	dprp_event_state state;
	dprp_event *event = NULL, *after = NULL;
	dprp_deps deps = { .struct_size = sizeof(deps),
			   .count = 1,
			   .events = &event };
	dprp_rc status = DPR_RC_OK;

	OK(bench_launch(&bench, bench.queue, kernel, 64, 64, args, 2, NULL,
			&event));
	OK(plugin->event->wait(&event, 1, UINT64_MAX));
	OK(plugin->event->wait(&event, 1, 1000));
	ck_assert_uint_eq(bench_state(&bench, event, &state, &text),
			  DPRP_EVENT_FAILED);
	ck_assert_int_eq(state.native, CL_OUT_OF_RESOURCES);
	ck_assert_int_eq(state.rc, DPR_RC_NATIVE);
	ck_assert_str_eq(text.text,
			 "a kernel failed with CL_OUT_OF_RESOURCES (-5)");
	free(text.text);
	OK(plugin->event->notify(event, 5));
	ck_assert_uint_eq(host_table_done(bench.table, 5, &status), 1);
	ck_assert_int_eq(status, DPR_RC_NATIVE);
	OK(plugin->queue->barrier(bench.queue, &deps, &after));
	OK(plugin->event->wait(&after, 1, UINT64_MAX));
	ck_assert_uint_eq(bench_state(&bench, after, &state, NULL),
			  DPRP_EVENT_FAILED);
	ck_assert_int_eq(state.rc, DPR_RC_DEP_FAILED);
	/* clFinish of this driver returns 0 after a failure, as PoCL's does. */
	FAILS(plugin->queue->finish(bench.queue), DPR_RC_NATIVE,
	      "CL_OUT_OF_RESOURCES (-5)");
	OK(plugin->queue->finish(bench.queue));
	plugin->event->destroy(event);
	plugin->event->destroy(after);
	plugin->mem->free(mem);
	plugin->module->kernel_destroy(kernel);
	plugin->module->destroy(module);
	close_all(&bench);
}
END_TEST

/* The core learns that the device is lost from whoever sees it first: finish,
   or the state of an event. */
START_TEST(lost_device)
{
	struct bench bench = open_on(NULL, "Mock coarse");
	const dprp_plugin *plugin = bench.plugin;
	dprp_module *module = bench_source(&bench, "kernel");
	dprp_kernel *kernel = bench_kernel(&bench, module, "lose");
	dprp_mem *mem = bench_alloc(&bench, DPRP_MEM_DEVICE, 1024);
	uint32_t value = 1;
	dprp_arg args[] = { arg_mem(mem, 0), arg_value(&value, 4) };
	dprp_event_state state;
	dprp_event *event = NULL;

	OK(bench_launch(&bench, bench.queue, kernel, 64, 64, args, 2, NULL,
			&event));
	ck_assert_ptr_null(strstr(host_table_log(bench.table),
				  "CL_DEVICE_NOT_AVAILABLE"));
	OK(plugin->queue->flush(bench.queue));
	if (_i)
		FAILS(plugin->queue->finish(bench.queue), DPR_RC_DEVICE_LOST,
		      "CL_DEVICE_NOT_AVAILABLE");
	else
		ck_assert_uint_eq(bench_state(&bench, event, &state, NULL),
				  DPRP_EVENT_FAILED);
	ck_assert_ptr_nonnull(strstr(host_table_log(bench.table),
				     "CL_DEVICE_NOT_AVAILABLE"));
	plugin->event->destroy(event);
	plugin->mem->free(mem);
	plugin->module->kernel_destroy(kernel);
	plugin->module->destroy(module);
	close_all(&bench);
}
END_TEST

/* A program never has to flush before it waits, in whichever way it waits. */
START_TEST(nobody_has_to_flush)
{
	struct bench bench = open_on(NULL, "Mock plain");
	const dprp_plugin *plugin = bench.plugin;
	dprp_queue *other = bench_queue(&bench, bench.device, 0);
	dprp_event *event = NULL, *after = NULL;
	dprp_deps deps = { .struct_size = sizeof(deps),
			   .count = 1,
			   .events = &event };

	/* Asking for the state flushes the queue. */
	OK(plugin->queue->barrier(bench.queue, NULL, &event));
	ck_assert_uint_eq(bench_state(&bench, event, NULL, NULL),
			  DPRP_EVENT_QUEUED);
	ck_assert_uint_eq(bench_state(&bench, event, NULL, NULL),
			  DPRP_EVENT_DONE);
	plugin->event->destroy(event);
	OK(plugin->queue->barrier(bench.queue, NULL, &event));
	OK(plugin->event->wait(&event, 1, 1000000000));
	plugin->event->destroy(event);
	OK(plugin->queue->barrier(bench.queue, NULL, &event));
	OK(plugin->event->notify(event, 3));
	ck_assert_uint_eq(host_table_done(bench.table, 3, NULL), 1);
	plugin->event->destroy(event);
	/* The driver forbids a wait for a command that was not flushed. */
	OK(plugin->queue->barrier(bench.queue, NULL, &event));
	OK(plugin->queue->barrier(other, &deps, &after));
	plugin->event->destroy(event);
	plugin->queue->destroy(other);
	bench_done(&bench, after);
	/* It forbids to destroy a queue before its work is flushed. */
	other = bench_queue(&bench, bench.device, 0);
	OK(plugin->queue->barrier(other, NULL, NULL));
	plugin->queue->destroy(other);
	close_all(&bench);
}
END_TEST

START_TEST(addresses_of_devices)
{
	struct bench bench = open_on(NULL, "Mock usm");
	char *pci = bench_text(&bench, bench.device, DPR_INFO_PCI_ADDRESS);
	unsigned char uuid[16];
	uint64_t warp = 0;
	size_t need;

	ck_assert_str_eq(pci, "0001:3b:02.3");
	free(pci);
	OK(bench.plugin->device->info(bench.device, DPR_INFO_UUID, uuid, 16,
				      &need));
	ck_assert_uint_eq(uuid[0], 0xd0);
	ck_assert_uint_eq(uuid[15], 0x0d);
	close_all(&bench);

	bench = open_on(NULL, "Mock coarse");
	pci = bench_text(&bench, bench.device, DPR_INFO_PCI_ADDRESS);
	ck_assert_str_eq(pci, "0002:18:0d.1");
	free(pci);
	OK(bench.plugin->device->info(bench.device, DPR_INFO_SUB_GROUP_SIZES,
				      &warp, 8, &need));
	ck_assert_uint_eq(warp, 32);
	/* An extension whose name only begins like another is not that
	   extension. */
	ck_assert_uint_eq(bench_u64(&bench, bench.device, DPR_INFO_ASPECT_FP16),
			  0);
	FAILS(bench.plugin->device->info(bench.device, DPR_INFO_UUID, uuid, 16,
					 &need),
	      DPR_RC_UNSUPPORTED, "key 9");
	close_all(&bench);
}
END_TEST

START_TEST(references_of_wrapped_handles)
{
	struct bench bench = open_on(NULL, "Mock plain");
	const dprp_plugin *p = bench.plugin;
	dprp_mem *mem = bench_alloc(&bench, DPRP_MEM_DEVICE, 1024);
	dprp_mem *wrapped = NULL;
	dprp_context *context = NULL;
	dprp_event *event = NULL, *again = NULL;
	uintptr_t handle = 0;
	uint64_t flags = 0;
	int live = report->live;

	OK(p->native_get(bench.instance, DPRP_NATIVE_MEMORY, mem, 0, &handle));
	OK(p->native_wrap(bench.instance, DPRP_NATIVE_MEMORY, bench.context,
			  bench.device, handle, 0, 0, &flags,
			  (void **)&wrapped));
	/* The memory and its wrapper can be freed in either order. */
	p->mem->free(mem);
	bench_get(&bench, wrapped, 0, &(uint32_t){ 0 }, 4);
	p->mem->free(wrapped);
	ck_assert_int_lt(report->live, live);

	OK(p->native_get(bench.instance, DPRP_NATIVE_CONTEXT, bench.context, 0,
			 &handle));
	OK(p->native_wrap(bench.instance, DPRP_NATIVE_CONTEXT, NULL,
			  bench.device, handle, 0, 0, &flags,
			  (void **)&context));
	OK(p->queue->barrier(bench.queue, NULL, &event));
	OK(p->native_get(bench.instance, DPRP_NATIVE_EVENT, event, 0, &handle));
	OK(p->native_wrap(bench.instance, DPRP_NATIVE_EVENT, context,
			  bench.device, handle, 0, 0, &flags, (void **)&again));
	p->event->destroy(event);
	bench_done(&bench, again);
	p->context->destroy(context);
	close_all(&bench);
}
END_TEST

/* Launch @kernel once. */
static dprp_rc launch_one(const struct bench *bench, dprp_queue *queue,
			  dprp_kernel *kernel, dprp_mem *mem)
{
	uint32_t value = 1;
	dprp_arg args[] = { arg_mem(mem, 512), arg_value(&value, 4) };

	return bench_launch(bench, queue, kernel, 64, 0, args, 2, NULL, NULL);
}

/* Call many functions of the plugin until one fails; free what they made. */
static dprp_rc try_everything(const struct bench *bench)
{
	const dprp_plugin *p = bench->plugin;
	dprp_queue_desc qd = { .struct_size = sizeof(qd) };
	dprp_mem_desc md = { .struct_size = sizeof(md),
			     .size = 4096,
			     .kind = DPRP_MEM_DEVICE };
	dprp_context *context = NULL;
	dprp_queue *queue = NULL;
	dprp_mem *mem = NULL, *wrapped = NULL;
	dprp_module *module = NULL;
	dprp_kernel *kernel = NULL;
	dprp_event *events[20] = { NULL };
	dprp_deps deps = { .struct_size = sizeof(deps),
			   .count = 19,
			   .events = events };
	struct bench mine = *bench;
	uintptr_t h = 0;
	uint64_t got, flags;
	unsigned i;
	dprp_rc rc = p->context->create(bench->instance, bench->device, NULL,
					&context);

	mine.context = context;
	rc = rc ? rc
		: p->queue->create(context, bench->device, &qd, &got, &queue);
	rc = rc ? rc : p->mem->alloc(context, bench->device, &md, &mem);
	rc = rc ? rc
		: bench_build(&mine, "opencl-c", "kernel", 6, NULL, NULL,
			      &module);
	rc = rc ? rc : p->module->kernel(module, "add", &kernel);
	rc = rc ? rc : launch_one(&mine, queue, kernel, mem);
	for (i = 0; i < 19; i++)
		rc = rc ? rc : p->queue->barrier(queue, NULL, &events[i]);
	rc = rc ? rc : p->queue->barrier(queue, &deps, &events[19]);
	rc = rc ? rc : p->event->notify(events[19], 77);
	rc = rc ? rc
		: p->native_get(bench->instance, DPRP_NATIVE_MEMORY, mem, 0,
				&h);
	rc = rc ? rc
		: p->native_wrap(bench->instance, DPRP_NATIVE_MEMORY, context,
				 bench->device, h, 4096, 0, &flags,
				 (void **)&wrapped);
	/* The driver keeps the notification until the event is over. */
	if (queue)
		p->queue->flush(queue);
	for (i = 0; i < 20; i++)
		if (events[i])
			p->event->destroy(events[i]);
	if (wrapped)
		p->mem->free(wrapped);
	if (kernel)
		p->module->kernel_destroy(kernel);
	if (module)
		p->module->destroy(module);
	if (mem)
		p->mem->free(mem);
	if (queue)
		p->queue->destroy(queue);
	if (context)
		p->context->destroy(context);
	return rc;
}

START_TEST(every_allocation_may_fail)
{
	struct bench bench = open_on(NULL, "Mock plain");
	int live = report->live;
	long blocks = host_table_blocks(bench.table);
	unsigned long nth, failed = 0;
	dprp_rc rc = DPR_RC_INTERNAL;

	/* Without memory, a build only has no log.  So a success does not end
	   this loop. */
	for (nth = 1; nth < 100; nth++) {
		host_table_fail_alloc(bench.table, nth);
		rc = try_everything(&bench);
		host_table_fail_alloc(bench.table, 0);
		ck_assert_msg(rc == DPR_RC_OK || rc == DPR_RC_OOM_HOST,
			      "allocation %lu: %d", nth, (int)rc);
		failed += rc != DPR_RC_OK;
		ck_assert_int_eq(report->live, live);
		ck_assert_int_eq(host_table_blocks(bench.table), blocks);
	}
	ck_assert_int_eq(rc, DPR_RC_OK);
	ck_assert_uint_gt(failed, 30);
	close_all(&bench);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *tcase;

	if (!is_mock_there())
		return 77;
	suite = suite_create("opencl mock driver");
	tcase = tcase_create("mock");
	tcase_add_test(tcase, broken_platforms_hide_nothing);
	tcase_add_test(tcase, no_device_tells_every_reason);
	tcase_add_test(tcase, usm_path);
	tcase_add_loop_test(tcase, memory_of_cpus, 0, 3);
	tcase_add_test(tcase, pocl_5);
	tcase_add_test(tcase, coarse_path);
	tcase_add_test(tcase, old_platform_gets_no_new_call);
	tcase_add_test(tcase, priorities);
	tcase_add_test(tcase, failed_commands);
	tcase_add_loop_test(tcase, lost_device, 0, 2);
	tcase_add_test(tcase, nobody_has_to_flush);
	tcase_add_test(tcase, addresses_of_devices);
	tcase_add_test(tcase, buffers_after_addresses);
	tcase_add_test(tcase, references_of_wrapped_handles);
	tcase_add_test(tcase, every_allocation_may_fail);
	suite_add_tcase(suite, tcase);
	return bench_run(suite);
}
