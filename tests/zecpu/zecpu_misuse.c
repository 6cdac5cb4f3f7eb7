/* SPDX-License-Identifier: Apache-2.0 */
/* zecpu_misuse.c - check that each misuse of the driver is counted, with a text
   about it. */
#include <pthread.h>
#include <signal.h>

#include "zecpu_test.h"

static const char kernels[] =
	"struct big { long a[4]; };\n"
	"__kernel void use(__global int *p, int v, __local int *l,\n"
	"		   struct big s)\n"
	"{\n"
	"	l[get_local_id(0)] = v + (int)s.a[0];\n"
	"	p[get_global_id(0)] = l[get_local_id(0)];\n"
	"}\n"
	"__kernel __attribute__((reqd_work_group_size(8, 1, 1)))\n"
	"void eight(__global int *p)\n"
	"{\n"
	"	p[get_global_id(0)] = 8;\n"
	"}\n"
	"__kernel void part(__global int *p)\n"
	"{\n"
	"	if (get_local_id(0) < 3)\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	p[get_global_id(0)] = 1;\n"
	"}\n";

#define DEFAULT ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS

/* Check that exactly one misuse was counted since the last call, and that its
   text contains @part. */
static void caught(const char *part)
{
	ck_assert_msg(control->violations() == 1,
		      "%d misuses instead of \"%s\"",
		      (int)control->violations(), part);
	ck_assert_msg(strstr(control->violation(0), part) != NULL,
		      "no \"%s\" in \"%s\"", part, control->violation(0));
	control->forget_violations();
}

static void start(void)
{
	setenv("ZECPU_QUIET", "1", 0);
	zecpu_start();
}

START_TEST(handles)
{
	ze_command_list_handle_t list;
	ze_event_pool_handle_t pool;
	ze_event_handle_t event;
	uint64_t nothing[8] = { 0 };

	start();
	IS(ZE_RESULT_ERROR_INVALID_NULL_HANDLE,
	   zeCommandListAppendBarrier(NULL, NULL, 0, NULL));
	caught("the command list is NULL");
	pool = new_pool(1, false, NULL);
	event = new_event(pool, 0);
	zeCommandListAppendBarrier((ze_command_list_handle_t)event, NULL, 0,
				   NULL);
	caught("is not a valid command list handle");
	zeEventQueryStatus((ze_event_handle_t)nothing);
	caught("is not a valid event handle");
	OK(zeEventDestroy(event));
	zeEventQueryStatus(event);
	caught("was destroyed");
	zeEventDestroy(event);
	caught("was destroyed");
	list = new_list(0, DEFAULT, 0);
	OK(zeCommandListDestroy(list));
	zeCommandListAppendBarrier(list, NULL, 0, NULL);
	caught("was destroyed");
	OK(zeEventPoolDestroy(pool));
	zecpu_stop();
}
END_TEST

START_TEST(structures)
{
	ze_command_queue_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC
	};
	ze_command_list_handle_t list;
	ze_device_properties_t properties = {
		.stype = ZE_STRUCTURE_TYPE_FORCE_UINT32
	};

	start();
	IS(ZE_RESULT_ERROR_INVALID_ARGUMENT,
	   zeCommandListCreateImmediate(context, devices[0], &desc, &list));
	caught("stype is 0xf but must be 0xe");
	zeDeviceGetProperties(devices[0], &properties);
	caught("stype is");
	desc.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
	IS(ZE_RESULT_ERROR_INVALID_NULL_POINTER,
	   zeCommandListCreateImmediate(context, devices[0], &desc, NULL));
	caught("is NULL");
	desc.ordinal = 3;
	zeCommandListCreateImmediate(context, devices[0], &desc, &list);
	caught("no queue group 3");
	desc.ordinal = 2;
	desc.index = 7;
	zeCommandListCreateImmediate(context, devices[0], &desc, &list);
	caught("no queue 7 in group 2");
	desc.index = 0;
	desc.flags = 64;
	zeCommandListCreateImmediate(context, devices[0], &desc, &list);
	caught("unknown flags 0x40");
	/* A refusal, not a misuse: a program may try this. */
	desc.flags = ZECPU_QUEUE_FLAG_IN_ORDER;
	IS(ZE_RESULT_ERROR_INVALID_ENUMERATION,
	   zeCommandListCreateImmediate(context, devices[0], &desc, &list));
	zecpu_stop();
}
END_TEST

START_TEST(contexts)
{
	ze_context_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC };
	ze_context_handle_t first, only;
	ze_command_list_handle_t list;
	ze_event_pool_handle_t pool;
	ze_device_mem_alloc_desc_t memory = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC
	};
	ze_event_handle_t event;
	char host[8];
	void *a;

	start();
	first = context;
	OK(zeContextCreate(driver, &desc, &context));
	pool = new_pool(1, false, NULL);
	event = new_event(pool, 0);
	a = new_device_memory(64);
	zeContextDestroy(context);
	caught("the context still has 2 objects");
	list = NULL;
	only = context;
	context = first;
	list = new_list(0, DEFAULT, 0);
	IS(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
	   zeCommandListAppendBarrier(list, event, 0, NULL));
	caught("is of another context");
	zeCommandListAppendBarrier(list, NULL, 1, &event);
	caught("is of another context");
	zeCommandListAppendMemoryCopy(list, host, a, 8, NULL, 0, NULL);
	caught("is memory of another context");
	zeMemFree(first, a);
	caught("is not an allocation of this context");
	OK(zeEventDestroy(event));
	OK(zeEventPoolDestroy(pool));
	/* The context is destroyed, though its memory is not. */
	zeMemFree(only, a);
	caught("was destroyed");
	OK(zeContextCreateEx(driver, &desc, 1, &devices[1], &only));
	IS(ZE_RESULT_ERROR_INVALID_ARGUMENT,
	   zeMemAllocDevice(only, &memory, 64, 0, devices[0], &a));
	caught("the device is not in the context");
	OK(zeContextDestroy(only));
	OK(zeCommandListDestroy(list));
	OK(zeContextDestroy(context));
}
END_TEST

START_TEST(memory)
{
	ze_memory_free_ext_desc_t later = {
		.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
		.freePolicy = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE,
	};
	ze_command_list_handle_t list;
	unsigned char host[128] = { 0 }, *a;
	ze_ipc_mem_handle_t handle = { { 0 } };
	void *out;

	start();
	list = new_list(0, DEFAULT, 0);
	a = new_device_memory(64);
	zeCommandListAppendMemoryCopy(list, a + 8, host, 64, NULL, 0, NULL);
	caught("64 bytes at");
	zeCommandListAppendMemoryCopy(list, host, a, 65, NULL, 0, NULL);
	caught("go past an allocation of 64");
	zeCommandListAppendMemoryFill(list, host, host, 1, 8, NULL, 0, NULL);
	caught("is not memory that the device can use");
	zeMemFree(context, a + 1);
	caught("is not an allocation of this context");
	zeMemFree(context, host);
	caught("is not an allocation of this context");
	zeMemGetIpcHandle(context, a + 1, &handle);
	caught("is not an allocation of a device");
	zeMemOpenIpcHandle(context, devices[0], handle, 0, &out);
	caught("this is not a handle for memory");
	zeMemCloseIpcHandle(context, a);
	caught("was not opened by a handle");
	zeContextMakeMemoryResident(context, devices[0], a, 65);
	caught("are not one allocation");
	control->set("SYSTEM_COPY", 0);
	zeCommandListAppendMemoryCopy(list, a, host, 64, NULL, 0, NULL);
	caught("srcptr");
	control->set("SYSTEM_COPY", 1);
	control->hold(true);
	OK(zeCommandListAppendMemoryCopy(list, a, host, 64, NULL, 0, NULL));
	OK(zeMemFree(context, a));
	caught("is freed while 1 commands use it");
	a = new_device_memory(64);
	OK(zeCommandListAppendMemoryCopy(list, a, host, 64, NULL, 0, NULL));
	OK(zeMemFreeExt(context, &later, a));
	ck_assert_int_eq(control->live(ZECPU_MEMORY), 2);
	ck_assert_uint_eq(control->step(2), 2);
	ck_assert_int_eq(control->live(ZECPU_MEMORY), 0);
	OK(zeCommandListDestroy(list));
	zecpu_stop();
}
END_TEST

START_TEST(peers)
{
	ze_device_mem_alloc_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC
	};
	ze_command_list_handle_t list;
	ze_bool_t can;
	char host[8];
	void *a;

	setenv("ZECPU_PEER", "0", 1);
	start();
	list = new_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, 0);
	OK(zeDeviceCanAccessPeer(devices[0], devices[1], &can));
	ck_assert(!can);
	OK(zeMemAllocDevice(context, &desc, 64, 0, devices[1], &a));
	zeCommandListAppendMemoryCopy(list, host, a, 8, NULL, 0, NULL);
	caught("is memory of a device that is not a peer");
	control->set("PEER", 1);
	OK(zeCommandListAppendMemoryCopy(list, host, a, 8, NULL, 0, NULL));
	OK(zeMemFree(context, a));
	OK(zeCommandListDestroy(list));
	zecpu_stop();
}
END_TEST

START_TEST(events)
{
	ze_event_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
				 .index = 2 };
	ze_kernel_timestamp_result_t times;
	ze_command_list_handle_t list;
	ze_event_handle_t a, b, other;
	ze_event_pool_handle_t pool;

	start();
	list = new_list(0, DEFAULT, 0);
	pool = new_pool(2, false, NULL);
	a = new_event(pool, 0);
	b = new_event(pool, 1);
	zeEventCreate(pool, &desc, &other);
	caught("index 2 in a pool of 2 events");
	desc.index = 1;
	zeEventCreate(pool, &desc, &other);
	caught("index 1 of the pool is in use");
	zeEventQueryKernelTimestamp(a, &times);
	caught("has no timestamps");
	zeCommandListAppendQueryKernelTimestamps(list, 1, &a, &times, NULL,
						 NULL, 0, NULL);
	caught("has no timestamps");
	control->hold(true);
	OK(zeCommandListAppendBarrier(list, a, 0, NULL));
	OK(zeEventHostReset(a));
	caught("is reset while 1 commands will signal it");
	OK(zeCommandListAppendBarrier(list, b, 1, &a));
	OK(zeEventHostReset(a));
	ck_assert_uint_eq(control->violations(), 2);
	ck_assert(strstr(control->violation(0),
			 "is reset while 1 commands wait for it"));
	control->forget_violations();
	OK(zeCommandListAppendSignalEvent(list, b));
	caught("another command will signal the event");
	ck_assert_uint_eq(control->step(2), 2);
	control->forget_violations();
	ck_assert_uint_eq(control->step(2), 1);
	caught("was signalled before and not reset");
	OK(zeEventHostReset(b));
	OK(zeCommandListAppendBarrier(list, b, 1, &b));
	caught("waits for the event that it signals");
	OK(zeEventDestroy(a));
	IS(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, zeEventPoolDestroy(pool));
	ck_assert_uint_eq(control->violations(), 3);
	ck_assert(strstr(control->violation(0),
			 "loses its pool while 1 commands wait for it"));
	ck_assert(strstr(control->violation(2), "the pool still has 1 events"));
	control->forget_violations();
	zeEventDestroy(b);
	ck_assert_uint_eq(control->violations(), 2);
	ck_assert(strstr(control->violation(1),
			 "is destroyed while 1 commands will signal it"));
	control->forget_violations();
	zeCommandListDestroy(list);
	caught("the list is destroyed while 1 commands");
}
END_TEST

START_TEST(pools)
{
	ze_event_pool_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
	};
	ze_event_desc_t event_desc = { .stype = ZE_STRUCTURE_TYPE_EVENT_DESC };
	struct zecpu_counter_pool_desc counter = {
		.stype = ZECPU_STYPE_COUNTER_POOL_DESC,
		.flags = ZECPU_COUNTER_IMMEDIATE,
	};
	ze_event_pool_handle_t pool;
	ze_command_list_handle_t list;
	ze_event_handle_t event;

	start();
	zeEventPoolCreate(context, &desc, 0, NULL, &pool);
	caught("a pool of no events");
	desc.count = 1;
	OK(zeEventPoolCreate(context, &desc, 0, NULL, &pool));
	OK(zeEventCreate(pool, &event_desc, &event));
	zeEventQueryStatus(event);
	caught("not visible to the host");
	OK(zeEventDestroy(event));
	OK(zeEventPoolDestroy(pool));
	desc.pNext = &counter;
	desc.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE;
	IS(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
	   zeEventPoolCreate(context, &desc, 0, NULL, &pool));
	control->set("COUNTER", 1);
	counter.flags = 8;
	zeEventPoolCreate(context, &desc, 0, NULL, &pool);
	caught("unknown flags 0x8");
	counter.flags = ZECPU_COUNTER_IMMEDIATE;
	pool = new_pool(1, false, &counter);
	event = new_event(pool, 0);
	zeEventHostReset(event);
	caught("a counter-based event cannot be reset");
	zeEventHostSignal(event);
	caught("the host cannot signal a counter-based event");
	list = new_list(0, DEFAULT, 0);
	zeCommandListAppendEventReset(list, event);
	caught("a counter-based event cannot be reset");
	OK(zeCommandListAppendBarrier(list, event, 0, NULL));
	caught("takes a list that is in order");
	OK(zeEventHostSynchronize(event, UINT64_MAX));
	OK(zeEventDestroy(event));
	OK(zeEventPoolDestroy(pool));
	OK(zeCommandListDestroy(list));
	zecpu_stop();
}
END_TEST

START_TEST(lists)
{
	ze_copy_region_t region = { .width = 8, .height = 4, .depth = 1 };
	ze_copy_region_t other = { .width = 8, .height = 3, .depth = 1 };
	ze_result_t (*synchronize)(ze_command_list_handle_t, uint64_t);
	ze_command_list_handle_t list, copies, regular;
	ze_command_list_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC
	};
	char *a, *b;

	start();
	list = new_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, 0);
	copies = new_list(1, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, 0);
	a = new_host_memory(256);
	b = new_host_memory(256);
	IS(ZE_RESULT_ERROR_INVALID_SIZE,
	   zeCommandListAppendMemoryFill(copies, a, b, 4, 256, NULL, 0, NULL));
	caught("a pattern of 4 bytes, and the engine takes at most 1");
	zeCommandListAppendMemoryFill(list, a, b, 3, 255, NULL, 0, NULL);
	caught("a pattern of 3 bytes");
	zeCommandListAppendMemoryFill(list, a, b, 8, 250, NULL, 0, NULL);
	caught("not a multiple of the pattern's 8");
	zeCommandListAppendMemoryCopyRegion(list, a, &region, 4, 0, b, &region,
					    8, 0, NULL, 0, NULL);
	caught("a region of 8 x 4 x 1 with pitches 4 and 0");
	zeCommandListAppendMemoryCopyRegion(list, a, &region, 8, 0, b, &other,
					    8, 0, NULL, 0, NULL);
	caught("the two regions differ in size");
	zeCommandListClose(list);
	caught("the list is immediate");
	zeCommandListReset(list);
	caught("the list is immediate");
	OK(zeCommandListCreate(context, devices[0], &desc, &regular));
	OK(zeCommandListClose(regular));
	zeCommandListClose(regular);
	caught("the list is closed already");
	zeCommandListAppendBarrier(regular, NULL, 0, NULL);
	caught("the list is closed");
	control->set("HOST_SYNC", 1);
	OK(zeDriverGetExtensionFunctionAddress(
		driver, "zeCommandListHostSynchronize", (void **)&synchronize));
	synchronize(regular, 0);
	caught("the list is not immediate");
	OK(zeCommandListDestroy(regular));
	OK(zeCommandListDestroy(copies));
	OK(zeCommandListDestroy(list));
	OK(zeMemFree(context, a));
	OK(zeMemFree(context, b));
	zecpu_stop();
}
END_TEST

START_TEST(queues)
{
	ze_command_queue_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC
	};
	ze_fence_desc_t fence_desc = { .stype = ZE_STRUCTURE_TYPE_FENCE_DESC };
	ze_command_list_desc_t list_desc = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC
	};
	ze_command_list_handle_t list, copies;
	ze_command_queue_handle_t queue, second;
	ze_fence_handle_t fence;

	start();
	OK(zeCommandQueueCreate(context, devices[0], &desc, &queue));
	OK(zeCommandQueueCreate(context, devices[0], &desc, &second));
	OK(zeFenceCreate(queue, &fence_desc, &fence));
	OK(zeCommandListCreate(context, devices[0], &list_desc, &list));
	list_desc.commandQueueGroupOrdinal = 1;
	OK(zeCommandListCreate(context, devices[0], &list_desc, &copies));
	OK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
	zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL);
	caught("the list is not closed");
	OK(zeCommandListClose(list));
	OK(zeCommandListClose(copies));
	zeCommandQueueExecuteCommandLists(queue, 1, &copies, NULL);
	caught("is of another device or queue group");
	zeCommandQueueExecuteCommandLists(second, 1, &list, fence);
	caught("the fence is of another queue");
	control->hold(true);
	OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
	IS(ZE_RESULT_NOT_READY, zeFenceQueryStatus(fence));
	zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL);
	caught("its last execution is not over");
	OK(zeCommandListReset(list));
	caught("the list is reset while 1 commands");
	zeFenceReset(fence);
	caught("the fence is reset before it is signalled");
	control->hold(false);
	OK(zeCommandQueueSynchronize(queue, UINT64_MAX));
	OK(zeFenceHostSynchronize(fence, UINT64_MAX));
	OK(zeFenceReset(fence));
	OK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
	OK(zeCommandListClose(list));
	OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
	OK(zeFenceHostSynchronize(fence, UINT64_MAX));
	zeCommandQueueExecuteCommandLists(queue, 1, &list, fence);
	caught("the fence was used before and not reset");
	control->hold(true);
	OK(zeFenceReset(fence));
	OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
	OK(zeFenceDestroy(fence));
	caught("the fence is destroyed before it is signalled");
	OK(zeFenceCreate(second, &fence_desc, &fence));
	OK(zeCommandQueueDestroy(second));
	caught("the queue still has fences");
	OK(zeCommandQueueDestroy(queue));
	caught("the queue is destroyed while 1 commands");
	OK(zeFenceDestroy(fence));
	control->hold(false);
}
END_TEST

/* --- two threads --- */

static void *append_barrier(void *list)
{
	zeCommandListAppendBarrier(list, NULL, 0, NULL);
	return NULL;
}

static void in_two_threads(void *(*function)(void *), void *argument)
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, function, argument), 0);
	function(argument);
	pthread_join(thread, NULL);
}

START_TEST(two_threads_on_a_list)
{
	ze_command_list_handle_t list;

	setenv("ZECPU_SLOW_US", "200000", 1);
	start();
	list = new_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, 0);
	in_two_threads(append_barrier, list);
	caught("another thread uses the command list");
	OK(zeCommandListDestroy(list));
	zecpu_stop();
}
END_TEST

static void *set_size(void *kernel)
{
	zeKernelSetGroupSize(kernel, 8, 1, 1);
	return NULL;
}

/* --- kernels --- */

START_TEST(two_threads_on_a_kernel)
{
	ze_module_handle_t module;
	ze_kernel_handle_t kernel;

	setenv("ZECPU_SLOW_US", "200000", 1);
	start();
	module = compile_module(kernels);
	kernel = new_kernel(module, "use");
	in_two_threads(set_size, kernel);
	caught("another thread uses the kernel");
	OK(zeKernelDestroy(kernel));
	OK(zeModuleDestroy(module));
	zecpu_stop();
}
END_TEST

static void wrong_arguments(ze_kernel_handle_t kernel)
{
	uint64_t s[4] = { 0 };
	char outside;
	void *p = &outside;

	IS(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
	   zeKernelSetArgumentValue(kernel, 4, 4, s));
	caught("kernel use has 4 arguments, and 4 is given");
	IS(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
	   zeKernelSetArgumentValue(kernel, 1, 8, s));
	caught("argument 1 of use has 4 bytes, not 8");
	IS(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
	   zeKernelSetArgumentValue(kernel, 3, 8, s));
	caught("argument 3 of use has 32 bytes, not 8");
	zeKernelSetArgumentValue(kernel, 1, 4, NULL);
	caught("argument 1 is a value, and NULL is given");
	zeKernelSetArgumentValue(kernel, 0, 8, &p);
	caught("is not USM");
	zeKernelSetArgumentValue(kernel, 2, 64, s);
	caught("argument 2 is local memory");
	zeKernelSetIndirectAccess(kernel, 8);
	caught("unknown flags 0x8");
}

START_TEST(arguments)
{
	ze_group_count_t groups = { 1, 1, 1 }, none = { 1, 0, 1 };
	ze_command_list_handle_t list, copies;
	ze_module_handle_t module;
	ze_kernel_handle_t kernel;
	uint64_t s[4] = { 0 };
	uint32_t x, y, z;
	void *p;
	int v = 5;

	start();
	module = compile_module(kernels);
	kernel = new_kernel(module, "use");
	list = new_list(0, DEFAULT, 0);
	copies = new_list(2, DEFAULT, 0);
	wrong_arguments(kernel);
	p = new_device_memory(64);
	OK(zeKernelSetArgumentValue(kernel, 0, 8, &p));
	OK(zeKernelSetArgumentValue(kernel, 1, 4, &v));
	OK(zeKernelSetArgumentValue(kernel, 2, 64, NULL));
	zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL);
	caught("argument 3 of kernel use was never set");
	OK(zeKernelSetArgumentValue(kernel, 3, 32, s));
	zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL);
	caught("the group size of kernel use was never set");
	zeKernelSetGroupSize(kernel, 16, 32, 1);
	caught("a group of 16 x 32 x 1 work-items");
	zeKernelSuggestGroupSize(kernel, 0, 1, 1, &x, &y, &z);
	caught("a range of 0 x 1 x 1");
	OK(zeKernelSetGroupSize(kernel, 16, 1, 1));
	zeCommandListAppendLaunchKernel(list, kernel, &none, NULL, 0, NULL);
	caught("1 x 0 x 1 work-groups");
	zeCommandListAppendLaunchKernel(copies, kernel, &groups, NULL, 0, NULL);
	caught("a launch on an engine that only copies");
	control->hold(true);
	OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0,
					   NULL));
	OK(zeMemFree(context, p));
	caught("is freed while 1 commands use it");
	OK(zeKernelDestroy(kernel));
	caught("the kernel use is destroyed while 1 launches");
	ck_assert_uint_eq(control->step(1), 1);
	control->hold(false);
	OK(zeCommandListDestroy(list));
	OK(zeCommandListDestroy(copies));
	OK(zeModuleDestroy(module));
	zecpu_stop();
}
END_TEST

START_TEST(modules)
{
	ze_module_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
				  .pInputModule = (const uint8_t *)"" };
	ze_group_count_t groups = { 1, 1, 1 };
	ze_command_queue_desc_t queue = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC
	};
	ze_module_build_log_handle_t log;
	ze_command_list_handle_t list;
	ze_module_handle_t module;
	ze_kernel_handle_t kernel;
	char text[4];
	uint8_t few[4];
	size_t size = 4;
	void *p;

	start();
	zeModuleCreate(context, devices[0], &desc, &module, NULL);
	caught("a module of no bytes");
	desc.inputSize = 20;
	desc.pInputModule = (const uint8_t *)"this is not SPIR-V..";
	IS(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
	   zeModuleCreate(context, devices[0], &desc, &module, &log));
	zeModuleBuildLogGetString(log, &size, text);
	caught("4 bytes for a text of");
	OK(zeModuleBuildLogDestroy(log));
	module = compile_module(kernels);
	zeModuleGetNativeBinary(module, &size, few);
	caught("4 bytes for a binary of");
	kernel = new_kernel(module, "eight");
	zeKernelSetGroupSize(kernel, 16, 1, 1);
	caught("kernel eight takes groups of 8 x 1 x 1");
	p = new_host_memory(64);
	OK(zeKernelSetArgumentValue(kernel, 0, 8, &p));
	OK(zeCommandListCreateImmediate(context, devices[1], &queue, &list));
	zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL);
	caught("the kernel's module is of another device");
	IS(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, zeModuleDestroy(module));
	caught("the module still has 1 kernels");
	OK(zeKernelDestroy(kernel));
	OK(zeMemFree(context, p));
	OK(zeCommandListDestroy(list));
	zecpu_stop();
}
END_TEST

START_TEST(barriers_that_not_all_reach)
{
	ze_group_count_t groups = { 1, 1, 1 };
	ze_command_list_handle_t list;
	ze_module_handle_t module;
	ze_kernel_handle_t kernel;
	void *p;

	start();
	module = compile_module(kernels);
	kernel = new_kernel(module, "part");
	list = new_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, 0);
	p = new_host_memory(64);
	OK(zeKernelSetArgumentValue(kernel, 0, 8, &p));
	OK(zeKernelSetGroupSize(kernel, 8, 1, 1));
	OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0,
					   NULL));
	caught("kernel part: 3 work-items wait at a barrier, 5 have ended");
	OK(zeKernelDestroy(kernel));
	OK(zeModuleDestroy(module));
	OK(zeMemFree(context, p));
	OK(zeCommandListDestroy(list));
	zecpu_stop();
}
END_TEST

START_TEST(strict_aborts)
{
	setenv("ZECPU_STRICT", "1", 1);
	start();
	zeEventQueryStatus(NULL);
}
END_TEST

static Suite *make_suite(bool able)
{
	const TTest *const calls[] = {
		handles, structures, contexts, memory, peers,
		events,  pools,      lists,    queues, two_threads_on_a_list,
	};
	const TTest *const launches[] = {
		two_threads_on_a_kernel,
		arguments,
		modules,
		barriers_that_not_all_reach,
	};
	Suite *suite = suite_create("zecpu misuse");
	TCase *tcase =
		zecpu_case("calls", calls, sizeof(calls) / sizeof(*calls));

	tcase_add_test_raise_signal(tcase, strict_aborts, SIGABRT);
	suite_add_tcase(suite, tcase);
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
