/* SPDX-License-Identifier: Apache-2.0 */
/* zecpu_client.c - check through the real loader that the software Level Zero
   driver behaves like a driver. */
#include "zecpu_test.h"

static const char kernels[] =
	"struct big { long a[128]; int k; };\n"
	"__kernel void add(__global const float *a, __global const float *b,\n"
	"		   __global float *c, uint n)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	if (i < n)\n"
	"		c[i] = a[i] + b[i];\n"
	"}\n"
	"__kernel void big(__global long *o, struct big s, float4 v, char c)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	o[i] = s.a[i] + s.k + (long)v.w + c;\n"
	"}\n"
	"__kernel void sum(__global const int *in, __global int *out,\n"
	"		   __local int *part)\n"
	"{\n"
	"	size_t i = get_local_id(0), n = get_local_size(0), h;\n"
	"	part[i] = in[get_global_id(0)];\n"
	"	for (h = n / 2; h > 0; h /= 2) {\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		if (i < h)\n"
	"			part[i] += part[i + h];\n"
	"	}\n"
	"	if (i == 0)\n"
	"		out[get_group_id(0)] = part[0];\n"
	"}\n"
	"__kernel __attribute__((reqd_work_group_size(4, 2, 1)))\n"
	"void turn(__global int *o)\n"
	"{\n"
	"	__local int x[8];\n"
	"	uint i = get_local_id(0) + 4 * get_local_id(1);\n"
	"	x[i] = get_group_id(1) * 100 + i;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	o[get_group_id(1) * 8 + i] = x[7 - i];\n"
	"}\n"
	"__kernel void ids(__global uint *o)\n"
	"{\n"
	"	uint x = get_global_id(0), y = get_global_id(1);\n"
	"	o[y * get_global_size(0) + x - get_global_offset(0)] =\n"
	"		x * 1000 + y * 10 + get_work_dim();\n"
	"}\n"
	"__kernel void count(__global int *n)\n"
	"{\n"
	"	atomic_add(n, (int)sqrt(4.0f));\n"
	"}\n";

static const char fp64_kernel[] =
	"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
	"__kernel void twice(__global double *x)\n"
	"{\n"
	"	x[get_global_id(0)] *= 2;\n"
	"}\n";

static ze_module_handle_t module;

static void start_module(void)
{
	zecpu_start();
	module = compile_module(kernels);
}

static void stop_module(void)
{
	OK(zeModuleDestroy(module));
	zecpu_stop();
}

/* Launch a kernel on a synchronous list. */
static void launch(ze_kernel_handle_t kernel, uint32_t x, uint32_t y)
{
	ze_command_list_handle_t list =
		new_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, 0);
	ze_group_count_t groups = { x, y, 1 };

	OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0,
					   NULL));
	OK(zeCommandListDestroy(list));
}

START_TEST(devices_say_what_they_are)
{
	ze_device_properties_t p = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES
	};
	ze_device_module_properties_t m = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES
	};
	ze_device_handle_t tiles[4];
	uint32_t n = 4;

	zecpu_start();
	ck_assert_uint_eq(n_devices, 2);
	OK(zeDeviceGetProperties(devices[0], &p));
	ck_assert_str_eq(p.name, "zecpu device 0");
	ck_assert_uint_eq(p.timerResolution, 83);
	ck_assert_uint_eq(p.numSlices, 2);
	OK(zeDeviceGetModuleProperties(devices[0], &m));
	ck_assert(m.flags & ZE_DEVICE_MODULE_FLAG_FP64);
	OK(zeDeviceGetModuleProperties(devices[1], &m));
	ck_assert(!(m.flags & ZE_DEVICE_MODULE_FLAG_FP64));
	OK(zeDeviceGetSubDevices(devices[0], &n, tiles));
	ck_assert_uint_eq(n, 2);
	OK(zeDeviceGetProperties(tiles[1], &p));
	ck_assert(p.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE);
	ck_assert_uint_eq(p.subdeviceId, 1);
	ck_assert_uint_eq(p.numSlices, 1);
	n = 0;
	OK(zeDeviceGetSubDevices(devices[1], &n, NULL));
	ck_assert_uint_eq(n, 0);
	zecpu_stop();
}
END_TEST

START_TEST(memory_is_known_by_its_address)
{
	ze_memory_allocation_properties_t p = {
		.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES
	};
	ze_device_handle_t device;
	unsigned char *a;
	size_t size;
	void *start;

	zecpu_start();
	a = new_device_memory(100000);
	/* Host and device share addresses here, and new memory is not zero. */
	ck_assert_int_eq(a[77777], 0xa5);
	OK(zeMemGetAllocProperties(context, a + 5, &p, &device));
	ck_assert_int_eq(p.type, ZE_MEMORY_TYPE_DEVICE);
	ck_assert(device == devices[0]);
	OK(zeMemGetAddressRange(context, a + 99999, &start, &size));
	ck_assert(start == a);
	ck_assert_uint_eq(size, 100000);
	OK(zeMemFree(context, a));
	a = new_device_memory((64 << 20) + 3);
	ck_assert_int_eq(a[0], 0xa5);
	ck_assert_int_eq(a[(64 << 20) + 2], 0xa5);
	OK(zeMemFree(context, a));
	OK(zeMemGetAllocProperties(context, &size, &p, NULL));
	ck_assert_int_eq(p.type, ZE_MEMORY_TYPE_UNKNOWN);
	zecpu_stop();
}
END_TEST

START_TEST(limits_are_refused)
{
	ze_relaxed_allocation_limits_exp_desc_t relaxed = {
		.stype = ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC,
		.flags = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE,
	};
	ze_device_mem_alloc_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC
	};
	void *out, *more;

	zecpu_start();
	IS(ZE_RESULT_ERROR_UNSUPPORTED_SIZE,
	   zeMemAllocDevice(context, &desc, (size_t)1500 << 20, 0, devices[0],
			    &out));
	desc.pNext = &relaxed;
	OK(zeMemAllocDevice(context, &desc, (size_t)1500 << 20, 0, devices[0],
			    &out));
	IS(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
	   zeMemAllocDevice(context, &desc, (size_t)3000 << 20, 0, devices[0],
			    &more));
	OK(zeMemFree(context, out));
	zecpu_stop();
}
END_TEST

START_TEST(copies_and_fills_move_bytes)
{
	ze_copy_region_t region = { .width = 8, .height = 4, .depth = 1 };
	ze_command_list_handle_t list;
	unsigned char host[256], *a;
	uint32_t pattern = 0x01020304;
	int i;

	zecpu_start();
	list = new_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, 0);
	a = new_device_memory(256);
	OK(zeCommandListAppendMemoryFill(list, a, &pattern, 4, 256, NULL, 0,
					 NULL));
	OK(zeCommandListAppendMemoryCopy(list, host, a, 256, NULL, 0, NULL));
	for (i = 0; i < 256; i++)
		ck_assert_int_eq(host[i], 4 - i % 4);
	for (i = 0; i < 256; i++)
		host[i] = (unsigned char)i;
	OK(zeCommandListAppendMemoryCopyRegion(list, a, &region, 8, 0, host,
					       &region, 16, 0, NULL, 0, NULL));
	ck_assert_int_eq(a[8], 16);
	ck_assert_int_eq(a[31], 55);
	ck_assert_int_eq(a[32], 4);
	OK(zeMemFree(context, a));
	OK(zeCommandListDestroy(list));
	zecpu_stop();
}
END_TEST

START_TEST(events_order_what_nothing_else_does)
{
	ze_command_list_handle_t first, second;
	ze_event_pool_handle_t pool;
	ze_event_handle_t a, b;
	int *memory, host[2] = { 1, 2 };

	setenv("ZECPU_REVERSE", "1", 1);
	zecpu_start();
	first = new_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, 0);
	second = new_list(1, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, 0);
	pool = new_pool(2, false, NULL);
	a = new_event(pool, 0);
	b = new_event(pool, 1);
	memory = new_host_memory(64);
	control->hold(true);
	OK(zeCommandListAppendMemoryCopy(first, memory, &host[0], 4, a, 0,
					 NULL));
	OK(zeCommandListAppendMemoryCopy(second, memory, &host[1], 4, b, 1,
					 &a));
	IS(ZE_RESULT_NOT_READY, zeEventHostSynchronize(b, 1000000));
	ck_assert_uint_eq(control->pending(), 2);
	control->hold(false);
	OK(zeEventHostSynchronize(b, UINT64_MAX));
	ck_assert_int_eq(memory[0], 2);
	OK(zeEventQueryStatus(a));
	OK(zeEventHostReset(a));
	IS(ZE_RESULT_NOT_READY, zeEventQueryStatus(a));
	OK(zeEventDestroy(a));
	OK(zeEventDestroy(b));
	OK(zeEventPoolDestroy(pool));
	OK(zeMemFree(context, memory));
	OK(zeCommandListDestroy(first));
	OK(zeCommandListDestroy(second));
	zecpu_stop();
}
END_TEST

/* Write twice to one place, with a barrier between the writes if @barrier is
   set.  Returns what is there then. */
static int last_write(ze_command_list_handle_t list, bool barrier)
{
	int *memory = new_host_memory(64);
	int host[2] = { 1, 2 };
	ze_event_pool_handle_t pool = new_pool(1, false, NULL);
	ze_event_handle_t over = new_event(pool, 0);
	int out;

	control->hold(true);
	OK(zeCommandListAppendMemoryCopy(list, memory, &host[0], 4, NULL, 0,
					 NULL));
	if (barrier)
		OK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
	OK(zeCommandListAppendMemoryCopy(list, memory, &host[1], 4, NULL, 0,
					 NULL));
	OK(zeCommandListAppendBarrier(list, over, 0, NULL));
	ck_assert_uint_eq(control->step(8), barrier ? 4 : 3);
	control->hold(false);
	OK(zeEventHostSynchronize(over, UINT64_MAX));
	out = memory[0];
	OK(zeMemFree(context, memory));
	OK(zeEventDestroy(over));
	OK(zeEventPoolDestroy(pool));
	return out;
}

START_TEST(immediate_lists_reverse_but_not_over_barriers)
{
	ze_command_list_handle_t list;

	setenv("ZECPU_REVERSE", "1", 1);
	zecpu_start();
	list = new_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, 0);
	ck_assert_int_eq(last_write(list, false), 1);
	ck_assert_int_eq(last_write(list, true), 2);
	ck_assert(control->set("REVERSE", 0));
	ck_assert_int_eq(last_write(list, false), 2);
	OK(zeCommandListDestroy(list));
	zecpu_stop();
}
END_TEST

START_TEST(a_barrier_with_events_waits_for_these_alone)
{
	ze_command_list_handle_t list;
	ze_event_pool_handle_t pool;
	ze_event_handle_t a, b, c;

	zecpu_start();
	list = new_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, 0);
	pool = new_pool(3, false, NULL);
	a = new_event(pool, 0);
	b = new_event(pool, 1);
	c = new_event(pool, 2);
	/* WaitOnEvents for c delays the signal of b, which follows it. */
	OK(zeCommandListAppendBarrier(list, a, 0, NULL));
	OK(zeEventHostSynchronize(a, UINT64_MAX));
	OK(zeCommandListAppendWaitOnEvents(list, 1, &c));
	OK(zeCommandListAppendSignalEvent(list, b));
	IS(ZE_RESULT_NOT_READY, zeEventHostSynchronize(b, 2000000));
	OK(zeEventHostSignal(c));
	OK(zeEventHostSynchronize(b, UINT64_MAX));
	OK(zeEventDestroy(a));
	OK(zeEventDestroy(b));
	OK(zeEventDestroy(c));
	OK(zeEventPoolDestroy(pool));
	OK(zeCommandListDestroy(list));
	zecpu_stop();
}
END_TEST

START_TEST(timestamps_are_of_the_devices_clock)
{
	ze_kernel_timestamp_result_t times;
	ze_command_list_handle_t list;
	ze_event_pool_handle_t pool;
	uint64_t host, before, after;
	ze_event_handle_t event;

	setenv("ZECPU_DELAY_US", "2000", 1);
	zecpu_start();
	list = new_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, 0);
	pool = new_pool(1, true, NULL);
	event = new_event(pool, 0);
	OK(zeDeviceGetGlobalTimestamps(devices[0], &host, &before));
	OK(zeCommandListAppendBarrier(list, event, 0, NULL));
	OK(zeEventHostSynchronize(event, UINT64_MAX));
	OK(zeDeviceGetGlobalTimestamps(devices[0], &host, &after));
	OK(zeEventQueryKernelTimestamp(event, &times));
	ck_assert_uint_ge(times.global.kernelStart, before);
	ck_assert_uint_le(times.global.kernelEnd, after);
	/* 2 ms are 24000 ticks. */
	ck_assert_uint_ge(times.global.kernelEnd - times.global.kernelStart,
			  23900);
	OK(zeEventDestroy(event));
	OK(zeEventPoolDestroy(pool));
	OK(zeCommandListDestroy(list));
	zecpu_stop();
}
END_TEST

START_TEST(times_can_be_written)
{
	ze_kernel_timestamp_result_t *times, same;
	ze_command_list_handle_t list;
	ze_event_pool_handle_t pool;
	ze_event_handle_t events[2];
	size_t offsets[2] = { 64, 0 };
	uint64_t *clock;

	zecpu_start();
	list = new_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, 0);
	pool = new_pool(2, true, NULL);
	events[0] = new_event(pool, 0);
	events[1] = new_event(pool, 1);
	clock = new_host_memory(16);
	times = new_host_memory(128);
	OK(zeCommandListAppendWriteGlobalTimestamp(list, clock, events[0], 0,
						   NULL));
	OK(zeCommandListAppendWriteGlobalTimestamp(list, clock + 1, events[1],
						   0, NULL));
	ck_assert_uint_ge(clock[1], clock[0]);
	OK(zeCommandListAppendQueryKernelTimestamps(list, 2, events, times,
						    offsets, NULL, 0, NULL));
	OK(zeEventQueryKernelTimestamp(events[0], &same));
	ck_assert_mem_eq(&same, (char *)times + 64, sizeof(same));
	OK(zeEventQueryKernelTimestamp(events[1], &same));
	ck_assert_mem_eq(&same, times, sizeof(same));
	OK(zeEventDestroy(events[0]));
	OK(zeEventDestroy(events[1]));
	OK(zeEventPoolDestroy(pool));
	OK(zeMemFree(context, clock));
	OK(zeMemFree(context, times));
	OK(zeCommandListDestroy(list));
	zecpu_stop();
}
END_TEST

START_TEST(hints_and_resets_are_commands)
{
	ze_device_mem_alloc_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC
	};
	ze_host_mem_alloc_desc_t host = {
		.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC
	};
	ze_command_list_handle_t list;
	ze_event_pool_handle_t pool;
	ze_event_handle_t event;
	const void *ranges[1];
	size_t size = 64;
	void *shared;

	zecpu_start();
	list = new_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, 0);
	pool = new_pool(1, false, NULL);
	event = new_event(pool, 0);
	OK(zeMemAllocShared(context, &desc, &host, 64, 0, devices[0], &shared));
	memset(shared, 1, 64);
	ranges[0] = shared;
	OK(zeCommandListAppendMemoryPrefetch(list, shared, 64));
	OK(zeCommandListAppendMemAdvise(list, devices[0], shared, 64,
					ZE_MEMORY_ADVICE_SET_READ_MOSTLY));
	OK(zeCommandListAppendMemoryRangesBarrier(list, 1, &size, ranges, event,
						  0, NULL));
	OK(zeEventQueryStatus(event));
	OK(zeCommandListAppendEventReset(list, event));
	IS(ZE_RESULT_NOT_READY, zeEventQueryStatus(event));
	OK(zeContextMakeMemoryResident(context, devices[0], shared, 64));
	OK(zeContextEvictMemory(context, devices[0], shared, 64));
	OK(zeContextSystemBarrier(context, devices[0]));
	OK(zeEventDestroy(event));
	OK(zeEventPoolDestroy(pool));
	OK(zeMemFree(context, shared));
	OK(zeCommandListDestroy(list));
	zecpu_stop();
}
END_TEST

START_TEST(a_kernel_adds)
{
	enum { N = 1000 };
	float *a, *b, *c;
	ze_kernel_handle_t kernel;
	uint32_t n = N, i;

	start_module();
	a = new_host_memory(N * sizeof(*a));
	b = new_host_memory(N * sizeof(*a));
	c = new_host_memory(N * sizeof(*a));
	for (i = 0; i < N; i++) {
		a[i] = (float)i;
		b[i] = (float)i / 2;
	}
	kernel = new_kernel(module, "add");
	set_pointer(kernel, 0, a);
	set_pointer(kernel, 1, b);
	set_pointer(kernel, 2, c);
	OK(zeKernelSetArgumentValue(kernel, 3, sizeof(n), &n));
	OK(zeKernelSetGroupSize(kernel, 64, 1, 1));
	launch(kernel, (N + 63) / 64, 1);
	for (i = 0; i < N; i++)
		ck_assert(c[i] == (float)i * 1.5F);
	OK(zeKernelDestroy(kernel));
	OK(zeMemFree(context, a));
	OK(zeMemFree(context, b));
	OK(zeMemFree(context, c));
	stop_module();
}
END_TEST

START_TEST(large_structures_go_by_value)
{
	struct {
		int64_t a[128];
		int k;
	} s;
	float v[4] = { 0, 0, 0, 1000 };
	ze_kernel_handle_t kernel;
	int64_t *out;
	char c = -3;
	int i;

	start_module();
	out = new_host_memory(128 * sizeof(*out));
	for (i = 0; i < 128; i++)
		s.a[i] = i * 7;
	s.k = 5;
	kernel = new_kernel(module, "big");
	set_pointer(kernel, 0, out);
	OK(zeKernelSetArgumentValue(kernel, 1, sizeof(s), &s));
	OK(zeKernelSetArgumentValue(kernel, 2, sizeof(v), v));
	OK(zeKernelSetArgumentValue(kernel, 3, 1, &c));
	OK(zeKernelSetGroupSize(kernel, 128, 1, 1));
	launch(kernel, 1, 1);
	for (i = 0; i < 128; i++)
		ck_assert_int_eq(out[i], i * 7 + 5 + 1000 - 3);
	OK(zeKernelDestroy(kernel));
	OK(zeMemFree(context, out));
	stop_module();
}
END_TEST

START_TEST(work_items_wait_at_barriers)
{
	ze_kernel_handle_t kernel;
	int *in, *out, i, n;

	start_module();
	in = new_host_memory(1024 * sizeof(*in));
	out = new_host_memory(1024 * sizeof(*out));
	for (i = 0; i < 1024; i++)
		in[i] = i;
	kernel = new_kernel(module, "sum");
	set_pointer(kernel, 0, in);
	set_pointer(kernel, 1, out);
	OK(zeKernelSetArgumentValue(kernel, 2, 256 * sizeof(int), NULL));
	OK(zeKernelSetGroupSize(kernel, 256, 1, 1));
	launch(kernel, 4, 1);
	for (n = i = 0; i < 4; i++)
		n += out[i];
	ck_assert_int_eq(n, 1023 * 1024 / 2);
	OK(zeKernelDestroy(kernel));
	kernel = new_kernel(module, "turn");
	set_pointer(kernel, 0, out);
	launch(kernel, 1, 3);
	for (i = 0; i < 24; i++)
		ck_assert_int_eq(out[i], i / 8 * 100 + 7 - i % 8);
	OK(zeKernelDestroy(kernel));
	OK(zeMemFree(context, in));
	OK(zeMemFree(context, out));
	stop_module();
}
END_TEST

START_TEST(ids_and_offsets_are_right)
{
	ze_kernel_handle_t kernel;
	uint32_t *out, x, y;

	start_module();
	out = new_host_memory(64 * sizeof(*out));
	kernel = new_kernel(module, "ids");
	set_pointer(kernel, 0, out);
	OK(zeKernelSetGroupSize(kernel, 4, 2, 1));
	OK(zeKernelSetGlobalOffsetExp(kernel, 5, 0, 0));
	launch(kernel, 2, 3);
	for (y = 0; y < 6; y++)
		for (x = 0; x < 8; x++)
			ck_assert_uint_eq(out[y * 8 + x],
					  (x + 5) * 1000 + y * 10 + 2);
	OK(zeKernelDestroy(kernel));
	OK(zeMemFree(context, out));
	stop_module();
}
END_TEST

START_TEST(fp64_is_refused_where_there_is_none)
{
	ze_module_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
		.format = ZE_MODULE_FORMAT_IL_SPIRV,
	};
	ze_module_build_log_handle_t log;
	unsigned char *code;
	bool wrapped = getenv("ZECPU_TEST_WRAPPED") != NULL;
	char text[256];
	size_t size = sizeof(text);

	zecpu_start();
	code = zecpu_compile(fp64_kernel, &desc.inputSize);
	desc.pInputModule = code;
	module = new_module(code, desc.inputSize);
	OK(zeModuleDestroy(module));
	IS(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
	   zeModuleCreate(context, devices[1], &desc, &module,
			  wrapped ? NULL : &log));
	if (!wrapped) {
		OK(zeModuleBuildLogGetString(log, &size, text));
		ck_assert_msg(strstr(text, "Double type is not supported"),
			      "%s", text);
		OK(zeModuleBuildLogDestroy(log));
	}
	free(code);
	zecpu_stop();
}
END_TEST

START_TEST(modules_are_compiled_once)
{
	ze_module_handle_t again;
	unsigned char *code, *native;
	ze_module_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
		.format = ZE_MODULE_FORMAT_NATIVE,
	};
	const char *names[8];
	char flags[64];
	uint32_t n = 8;
	size_t size;

	zecpu_start();
	code = zecpu_compile(kernels, &size);
	module = new_module(code, size);
	control->forget_calls();
	again = new_module(code, size);
	ck_assert_uint_le(control->compiled(), 1);
	ck_assert_uint_eq(control->calls("zeModuleCreate"), 1);
	OK(zeModuleGetKernelNames(again, &n, names));
	ck_assert_uint_eq(n, 6);
	ck_assert_str_eq(names[0], "add");
	OK(zeModuleGetNativeBinary(module, &desc.inputSize, NULL));
	native = malloc(desc.inputSize);
	OK(zeModuleGetNativeBinary(module, &desc.inputSize, native));
	OK(zeModuleDestroy(again));
	desc.pInputModule = native;
	desc.pBuildFlags = "-ze-opt-greater-than-4GB-buffer-required";
	OK(zeModuleCreate(context, devices[0], &desc, &again, NULL));
	ck_assert_uint_eq(control->build_flags(flags, sizeof(flags)),
			  strlen(desc.pBuildFlags));
	ck_assert_str_eq(flags, desc.pBuildFlags);
	OK(zeModuleDestroy(again));
	native[desc.inputSize - 1] ^= 1;
	IS(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY,
	   zeModuleCreate(context, devices[0], &desc, &again, NULL));
	free(native);
	free(code);
	stop_module();
}
END_TEST

START_TEST(calls_fail_on_demand)
{
	ze_device_mem_alloc_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC
	};
	void *out;

	setenv("ZECPU_FAIL", "zeMemAllocDevice:2:0x70000003", 1);
	zecpu_start();
	out = new_device_memory(64);
	OK(zeMemFree(context, out));
	IS(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
	   zeMemAllocDevice(context, &desc, 64, 64, devices[0], &out));
	ck_assert_str_eq(control->failed(), "zeMemAllocDevice");
	out = new_device_memory(64);
	OK(zeMemFree(context, out));
	zecpu_stop();
}
END_TEST

static Suite *make_suite(bool able)
{
	const TTest *const calls[] = {
		devices_say_what_they_are,
		memory_is_known_by_its_address,
		limits_are_refused,
		copies_and_fills_move_bytes,
		events_order_what_nothing_else_does,
		immediate_lists_reverse_but_not_over_barriers,
		a_barrier_with_events_waits_for_these_alone,
		timestamps_are_of_the_devices_clock,
		times_can_be_written,
		hints_and_resets_are_commands,
		calls_fail_on_demand,
	};
	const TTest *const launches[] = {
		a_kernel_adds,
		large_structures_go_by_value,
		work_items_wait_at_barriers,
		ids_and_offsets_are_right,
		fp64_is_refused_where_there_is_none,
		modules_are_compiled_once,
	};
	Suite *suite = suite_create("zecpu");

	suite_add_tcase(suite, zecpu_case("calls", calls,
					  sizeof(calls) / sizeof(*calls)));
	if (able)
		suite_add_tcase(suite, zecpu_case("launches", launches,
						  sizeof(launches) /
							  sizeof(*launches)));
	return suite;
}

int main(void)
{
	bool able = zecpu_able();

	return zecpu_run_suite(make_suite(able), able);
}
