/* SPDX-License-Identifier: Apache-2.0 */
/* zecpu_knobs.c - each knob of the software driver does what README.md says. */
#include <signal.h>
#include <sys/wait.h>

#include "zecpu_test.h"

static const char kernels[] = "__kernel void write(__global int *p, int at)\n"
			      "{\n"
			      "	p[at] = 5;\n"
			      "}\n"
			      "__kernel void follow(__global long *p)\n"
			      "{\n"
			      "	*(__global int *)p[0] = 7;\n"
			      "}\n"
			      "__kernel void append(__global int *p, int v)\n"
			      "{\n"
			      "	p[++p[0]] = v;\n"
			      "}\n";

#define ASYNC ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS
#define SYNC ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS

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

/* --- order --- */

/* Launch four kernels without any order between them; launch k appends k to a
   list in memory.  Get the order in which they ran. */
static void order_of_four(ze_command_list_handle_t list, int order[4])
{
	ze_kernel_handle_t kernel = new_kernel(module, "append");
	ze_event_pool_handle_t pool = new_pool(4, false, NULL);
	ze_event_handle_t events[4];
	int *memory = new_host_memory(64), i;

	memory[0] = 0;
	set_pointer(kernel, 0, memory);
	for (i = 0; i < 4; i++) {
		int v = i + 1;

		events[i] = new_event(pool, (uint32_t)i);
		OK(zeKernelSetArgumentValue(kernel, 1, sizeof(v), &v));
		launch_one(list, kernel, events[i], 0, NULL);
	}
	for (i = 0; i < 4; i++) {
		OK(zeEventHostSynchronize(events[i], UINT64_MAX));
		OK(zeEventDestroy(events[i]));
	}
	memcpy(order, memory + 1, 4 * sizeof(*order));
	OK(zeKernelDestroy(kernel));
	OK(zeEventPoolDestroy(pool));
	OK(zeMemFree(context, memory));
}

START_TEST(reverse_runs_the_last_first)
{
	ze_command_list_handle_t list;
	int order[4], i;

	setenv("ZECPU_REVERSE", "100000", 1);
	setenv("ZECPU_WORKERS", "1", 1);
	start_module();
	list = new_list(0, ASYNC, 0);
	order_of_four(list, order);
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(order[i], 4 - i);
	OK(zeCommandListDestroy(list));
	stop_module();
}
END_TEST

START_TEST(a_seed_gives_other_orders)
{
	static const int usual[4] = { 1, 2, 3, 4 };
	ze_command_list_handle_t list;
	int order[4], i, others = 0;

	setenv("ZECPU_SEED", "17", 1);
	setenv("ZECPU_WORKERS", "1", 1);
	start_module();
	list = new_list(0, ASYNC, 0);
	for (i = 0; i < 8; i++) {
		/* All four are submitted before one starts. */
		control->set("REVERSE", 100000);
		order_of_four(list, order);
		others += memcmp(order, usual, sizeof(usual)) != 0;
	}
	ck_assert_int_gt(others, 2);
	OK(zeCommandListDestroy(list));
	stop_module();
}
END_TEST

START_TEST(lists_can_be_in_order)
{
	ze_command_list_handle_t list;
	ze_api_version_t version;
	int order[4], i;

	setenv("ZECPU_REVERSE", "1", 1);
	setenv("ZECPU_IN_ORDER", "1", 1);
	start_module();
	OK(zeDriverGetApiVersion(driver, &version));
	ck_assert_uint_ge(version, ZE_MAKE_VERSION(1, 6));
	list = new_list(0, ASYNC, ZECPU_QUEUE_FLAG_IN_ORDER);
	order_of_four(list, order);
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(order[i], i + 1);
	OK(zeCommandListDestroy(list));
	stop_module();
}
END_TEST

START_TEST(counter_based_events_need_no_reset)
{
	struct zecpu_counter_pool_desc desc = {
		.stype = ZECPU_STYPE_COUNTER_POOL_DESC,
		.flags = ZECPU_COUNTER_IMMEDIATE,
	};
	ze_command_list_handle_t list, other;
	ze_event_pool_handle_t pool;
	ze_event_handle_t event;
	uint32_t pattern = 1;
	char *memory;

	setenv("ZECPU_COUNTER", "1", 1);
	setenv("ZECPU_IN_ORDER", "1", 1);
	zecpu_start();
	list = new_list(0, ASYNC, ZECPU_QUEUE_FLAG_IN_ORDER);
	other = new_list(0, ASYNC, 0);
	pool = new_pool(1, false, &desc);
	event = new_event(pool, 0);
	memory = new_host_memory(64);
	control->hold(true);
	OK(zeCommandListAppendMemoryFill(list, memory, &pattern, 1, 1, event, 0,
					 NULL));
	OK(zeCommandListAppendMemoryFill(other, memory + 1, &pattern, 1, 1,
					 NULL, 1, &event));
	OK(zeCommandListAppendMemoryFill(list, memory + 2, &pattern, 1, 1,
					 event, 0, NULL));
	/* The other list waits only for the first signal. */
	ck_assert_uint_eq(control->step(1), 1);
	IS(ZE_RESULT_NOT_READY, zeEventHostSynchronize(event, 0));
	ck_assert_uint_eq(control->step(2), 2);
	ck_assert_int_eq(memory[1], 1);
	OK(zeEventHostSynchronize(event, 0));
	control->hold(false);
	OK(zeEventDestroy(event));
	OK(zeEventPoolDestroy(pool));
	OK(zeMemFree(context, memory));
	OK(zeCommandListDestroy(list));
	OK(zeCommandListDestroy(other));
	zecpu_stop();
}
END_TEST

/* --- memory --- */

START_TEST(the_host_cannot_touch_device_memory)
{
	volatile char *memory;

	signal(SIGSEGV, SIG_DFL); /* no sanitizer's handler */
	setenv("ZECPU_PROTECT", "1", 1);
	zecpu_start();
	memory = new_device_memory(64);
	memory[0] = 1;
}
END_TEST

START_TEST(a_kernel_cannot_touch_what_it_was_not_given)
{
	ze_kernel_handle_t kernel;
	ze_command_list_handle_t list;
	void **p, *memory;

	signal(SIGSEGV, SIG_DFL); /* no sanitizer's handler */
	setenv("ZECPU_PROTECT", "1", 1);
	start_module();
	list = new_list(0, SYNC, 0);
	memory = new_device_memory(64);
	p = new_host_memory(64);
	p[0] = memory;
	kernel = new_kernel(module, "follow");
	set_pointer(kernel, 0, p);
	/* With the flag, the kernel may access the memory. */
	OK(zeKernelSetIndirectAccess(kernel,
				     ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE));
	launch_one(list, kernel, NULL, 0, NULL);
	OK(zeKernelSetIndirectAccess(kernel, 0));
	launch_one(list, kernel, NULL, 0, NULL);
}
END_TEST

START_TEST(protected_memory_serves_commands)
{
	ze_kernel_handle_t kernel;
	ze_command_list_handle_t list;
	int *memory, at = 3, host[4];

	setenv("ZECPU_PROTECT", "1", 1);
	setenv("ZECPU_GUARD", "1", 1);
	start_module();
	list = new_list(0, SYNC, 0);
	memory = new_device_memory(16);
	kernel = new_kernel(module, "write");
	set_pointer(kernel, 0, memory);
	OK(zeKernelSetArgumentValue(kernel, 1, sizeof(at), &at));
	launch_one(list, kernel, NULL, 0, NULL);
	OK(zeCommandListAppendMemoryCopy(list, host, memory, 16, NULL, 0,
					 NULL));
	ck_assert_int_eq(host[3], 5);
	OK(zeKernelDestroy(kernel));
	OK(zeMemFree(context, memory));
	OK(zeCommandListDestroy(list));
	stop_module();
}
END_TEST

START_TEST(a_kernel_cannot_write_past_the_end)
{
	ze_kernel_handle_t kernel;
	ze_command_list_handle_t list;
	int *memory, at = 16;

	signal(SIGSEGV, SIG_DFL); /* no sanitizer's handler */
	setenv("ZECPU_GUARD", "1", 1);
	start_module();
	list = new_list(0, SYNC, 0);
	memory = new_device_memory(64);
	kernel = new_kernel(module, "write");
	set_pointer(kernel, 0, memory);
	OK(zeKernelSetArgumentValue(kernel, 1, sizeof(at), &at));
	launch_one(list, kernel, NULL, 0, NULL);
}
END_TEST

START_TEST(memory_of_the_program_can_be_imported)
{
	ze_result_t (*import)(ze_driver_handle_t, void *, size_t);
	ze_result_t (*release)(ze_driver_handle_t, void *);
	ze_kernel_handle_t kernel;
	ze_command_list_handle_t list;
	int memory[16] = { 0 }, at = 15;

	start_module();
	IS(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
	   zeDriverGetExtensionFunctionAddress(
		   driver, "zexDriverImportExternalPointer", (void **)&import));
	control->set("IMPORT", 1);
	OK(zeDriverGetExtensionFunctionAddress(
		driver, "zexDriverImportExternalPointer", (void **)&import));
	OK(zeDriverGetExtensionFunctionAddress(
		driver, "zexDriverReleaseImportedPointer", (void **)&release));
	OK(import(driver, memory, sizeof(memory)));
	list = new_list(0, SYNC, 0);
	kernel = new_kernel(module, "write");
	set_pointer(kernel, 0, memory);
	OK(zeKernelSetArgumentValue(kernel, 1, sizeof(at), &at));
	launch_one(list, kernel, NULL, 0, NULL);
	ck_assert_int_eq(memory[15], 5);
	control->set("QUIET", 1);
	zeMemFree(context, memory);
	ck_assert_uint_eq(control->violations(), 1);
	control->forget_violations();
	OK(release(driver, memory));
	OK(zeKernelDestroy(kernel));
	OK(zeCommandListDestroy(list));
	stop_module();
}
END_TEST

/* Use a handle in the other process. */
static void use_handle(const ze_ipc_mem_handle_t *handle)
{
	unsigned char *memory;
	void *opened;

	zecpu_start();
	OK(zeMemOpenIpcHandle(context, devices[0], *handle, 0, &opened));
	memory = opened;
	ck_assert_int_eq(memory[99], 33);
	memory[0] = 44;
	OK(zeMemCloseIpcHandle(context, memory));
	zecpu_stop();
}

START_TEST(processes_share_memory)
{
	ze_command_list_handle_t list;
	ze_ipc_mem_handle_t handle;
	unsigned char *memory, byte = 33;
	int way[2], status;
	pid_t child;

	ck_assert_int_eq(pipe(way), 0);
	child = fork();
	if (child == 0) {
		ck_assert_int_eq(read(way[0], &handle, sizeof(handle)),
				 sizeof(handle));
		use_handle(&handle);
		_exit(0);
	}
	zecpu_start();
	memory = new_device_memory(100);
	list = new_list(0, SYNC, 0);
	OK(zeCommandListAppendMemoryFill(list, memory, &byte, 1, 100, NULL, 0,
					 NULL));
	OK(zeMemGetIpcHandle(context, memory, &handle));
	ck_assert_int_eq(write(way[1], &handle, sizeof(handle)),
			 sizeof(handle));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(memory[0], 44);
	OK(zeMemFree(context, memory));
	OK(zeCommandListDestroy(list));
	zecpu_stop();
}
END_TEST

/* --- the devices --- */

START_TEST(devices_are_as_many_as_asked_for)
{
	ze_device_handle_t tiles[4];
	ze_device_properties_t properties = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES
	};
	uint32_t n = 4, groups = 0;

	setenv("ZECPU_DEVICES", "3", 1);
	setenv("ZECPU_SUBDEVICES", "0", 1);
	setenv("ZECPU_SUBDEVICES_REST", "4", 1);
	setenv("ZECPU_COPY_GROUPS", "0", 1);
	setenv("ZECPU_TYPE", "5", 1);
	zecpu_start();
	OK(zeDeviceGetProperties(devices[0], &properties));
	ck_assert_int_eq((int)properties.type, 5);
	ck_assert_uint_eq(n_devices, 3);
	OK(zeDeviceGetSubDevices(devices[2], &n, tiles));
	ck_assert_uint_eq(n, 4);
	OK(zeDeviceGetCommandQueueGroupProperties(devices[2], &groups, NULL));
	ck_assert_uint_eq(groups, 1);
	zecpu_stop();
}
END_TEST

START_TEST(tiles_can_be_devices)
{
	ze_device_properties_t properties = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES
	};
	uint32_t n = 0;

	setenv("ZE_FLAT_DEVICE_HIERARCHY", "FLAT", 1);
	zecpu_start();
	ck_assert_uint_eq(n_devices, 3);
	OK(zeDeviceGetProperties(devices[1], &properties));
	ck_assert_str_eq(properties.name, "zecpu device 0 tile 1");
	ck_assert(!(properties.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE));
	OK(zeDeviceGetSubDevices(devices[1], &n, NULL));
	ck_assert_uint_eq(n, 0);
	OK(zeMemFree(context, new_device_memory(64)));
	zecpu_stop();
}
END_TEST

START_TEST(zeinit_can_fail)
{
	setenv("ZECPU_INIT", "0x78000001", 1);
	zecpu_choose();
	IS(ZE_RESULT_ERROR_UNINITIALIZED, zeInit(0));
}
END_TEST

START_TEST(clocks_wrap)
{
	ze_kernel_timestamp_result_t times;
	ze_command_list_handle_t list;
	ze_event_pool_handle_t pool;
	ze_event_handle_t event;
	uint64_t host, ticks;

	/* Start the clock 83 us before its 36 bits overflow, and so the 32 of
	   kernel timestamps. */
	setenv("ZECPU_TICKS", "68719475736", 1);
	setenv("ZECPU_DELAY_US", "20000", 1);
	zecpu_start();
	list = new_list(0, ASYNC, 0);
	pool = new_pool(1, true, NULL);
	event = new_event(pool, 0);
	OK(zeCommandListAppendBarrier(list, event, 0, NULL));
	OK(zeEventHostSynchronize(event, UINT64_MAX));
	OK(zeEventQueryKernelTimestamp(event, &times));
	OK(zeDeviceGetGlobalTimestamps(devices[0], &host, &ticks));
	ck_assert_uint_lt(ticks, (uint64_t)1 << 35);
	ck_assert_uint_lt(times.global.kernelEnd, (uint64_t)1 << 31);
	ck_assert_uint_ge((times.global.kernelEnd - times.global.kernelStart) &
				  UINT32_MAX,
			  239000);
	OK(zeEventDestroy(event));
	OK(zeEventPoolDestroy(pool));
	OK(zeCommandListDestroy(list));
	zecpu_stop();
}
END_TEST

START_TEST(a_query_can_be_stuck)
{
	ze_command_list_handle_t list;
	ze_event_pool_handle_t pool;
	ze_event_handle_t event;

	zecpu_start();
	list = new_list(0, ASYNC, 0);
	pool = new_pool(1, false, NULL);
	event = new_event(pool, 0);
	OK(zeCommandListAppendBarrier(list, event, 0, NULL));
	OK(zeEventHostSynchronize(event, UINT64_MAX));
	OK(zeEventQueryStatus(event));
	ck_assert(control->set("QUERY_STUCK", 1));
	ck_assert_int_eq(control->get("QUERY_STUCK"), 1);
	ck_assert(!control->set("NONSENSE", 1));
	IS(ZE_RESULT_NOT_READY, zeEventQueryStatus(event));
	OK(zeEventHostSynchronize(event, 0));
	OK(zeEventDestroy(event));
	OK(zeEventPoolDestroy(pool));
	OK(zeCommandListDestroy(list));
	zecpu_stop();
}
END_TEST

/* In the table that the driver fills for a loader of version 1.@minor, get the
   field behind the last field of version 1.4. */
static void *field_after(uint32_t minor)
{
	void *fields[64] = { NULL }, *library;
	ze_result_t (*get)(uint32_t version, void *table);

	library = dlopen(zecpu_library(), RTLD_NOW);
	ck_assert(library != NULL);
	*(void **)&get = dlsym(library, "zeGetCommandListProcAddrTable");
	ck_assert(get != NULL);
	OK(get(ZE_MAKE_VERSION(1, minor), fields));
	ck_assert(fields[0] != NULL);
	ck_assert(fields[29] == NULL);
	return fields[28];
}

START_TEST(lists_can_be_waited_for)
{
	ze_result_t (*synchronize)(ze_command_list_handle_t, uint64_t);
	ze_command_list_handle_t list;

	zecpu_start();
	IS(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
	   zeDriverGetExtensionFunctionAddress(driver,
					       "zeCommandListHostSynchronize",
					       (void **)&synchronize));
	ck_assert(field_after(9) == NULL);
	control->set("HOST_SYNC", 1);
	OK(zeDriverGetExtensionFunctionAddress(
		driver, "zeCommandListHostSynchronize", (void **)&synchronize));
	ck_assert(field_after(4) == NULL);
	ck_assert(field_after(9) == *(void **)&synchronize);
	list = new_list(0, ASYNC, 0);
	control->hold(true);
	OK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
	IS(ZE_RESULT_NOT_READY, synchronize(list, 1000));
	control->hold(false);
	OK(synchronize(list, UINT64_MAX));
	OK(zeCommandListDestroy(list));
	zecpu_stop();
}
END_TEST

START_TEST(a_lost_device_fails_its_work)
{
	ze_command_list_handle_t list, other;
	ze_command_queue_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC
	};
	ze_event_pool_handle_t pool;
	ze_event_handle_t a, b;

	zecpu_start();
	list = new_list(0, ASYNC, 0);
	OK(zeCommandListCreateImmediate(context, devices[1], &desc, &other));
	pool = new_pool(2, false, NULL);
	a = new_event(pool, 0);
	b = new_event(pool, 1);
	control->hold(true);
	OK(zeCommandListAppendBarrier(list, a, 0, NULL));
	OK(zeCommandListAppendBarrier(other, b, 1, &a));
	control->lose(0);
	IS(ZE_RESULT_ERROR_DEVICE_LOST, zeEventHostSynchronize(a, UINT64_MAX));
	IS(ZE_RESULT_ERROR_DEVICE_LOST, zeEventHostSynchronize(b, UINT64_MAX));
	IS(ZE_RESULT_ERROR_DEVICE_LOST, zeDeviceGetStatus(devices[0]));
	OK(zeDeviceGetStatus(devices[1]));
	IS(ZE_RESULT_ERROR_DEVICE_LOST,
	   zeCommandListAppendBarrier(list, NULL, 0, NULL));
	OK(zeCommandListAppendBarrier(other, NULL, 0, NULL));
	ck_assert_uint_eq(control->step(1), 1);
	control->hold(false);
	/* A later command that waits for the lost event is lost, too. */
	OK(zeEventHostReset(b));
	OK(zeCommandListAppendBarrier(other, b, 1, &a));
	IS(ZE_RESULT_ERROR_DEVICE_LOST, zeEventHostSynchronize(b, UINT64_MAX));
	OK(zeEventDestroy(a));
	OK(zeEventDestroy(b));
	OK(zeEventPoolDestroy(pool));
	OK(zeCommandListDestroy(list));
	OK(zeCommandListDestroy(other));
	zecpu_stop();
}
END_TEST

/* --- queues --- */

START_TEST(queues_execute_closed_lists)
{
	ze_command_queue_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC
	};
	ze_fence_desc_t fence_desc = { .stype = ZE_STRUCTURE_TYPE_FENCE_DESC };
	ze_command_list_desc_t list_desc = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC
	};
	ze_command_queue_handle_t queue;
	ze_command_list_handle_t list;
	ze_kernel_handle_t kernel;
	ze_fence_handle_t fence;
	int *memory, i;

	start_module();
	memory = new_host_memory(64);
	memory[0] = 0;
	kernel = new_kernel(module, "append");
	set_pointer(kernel, 0, memory);
	OK(zeCommandQueueCreate(context, devices[0], &desc, &queue));
	OK(zeFenceCreate(queue, &fence_desc, &fence));
	OK(zeCommandListCreate(context, devices[0], &list_desc, &list));
	for (i = 1; i < 4; i++) {
		OK(zeKernelSetArgumentValue(kernel, 1, sizeof(i), &i));
		launch_one(list, kernel, NULL, 0, NULL);
		OK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
	}
	OK(zeCommandListClose(list));
	ck_assert_int_eq(memory[0], 0);
	for (i = 0; i < 2; i++) {
		OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
		OK(zeFenceHostSynchronize(fence, UINT64_MAX));
		OK(zeFenceReset(fence));
	}
	ck_assert_int_eq(memory[0], 6);
	for (i = 0; i < 6; i++)
		ck_assert_int_eq(memory[i + 1], i % 3 + 1);
	OK(zeCommandQueueSynchronize(queue, UINT64_MAX));
	OK(zeFenceDestroy(fence));
	OK(zeCommandListDestroy(list));
	OK(zeCommandQueueDestroy(queue));
	OK(zeKernelDestroy(kernel));
	OK(zeMemFree(context, memory));
	stop_module();
}
END_TEST

/* --- the report --- */

/* Run four kernels and end the process, as well as a child that it forks. */
static void run_four_and_end(void)
{
	ze_command_list_handle_t list;
	int order[4];
	pid_t pid;

	start_module();
	list = new_list(0, ASYNC, 0);
	order_of_four(list, order);
	pid = fork();
	if (pid == 0)
		exit(0);
	waitpid(pid, NULL, 0);
	OK(zeCommandListDestroy(list));
	stop_module();
	exit(0);
}

START_TEST(a_process_reports_what_it_did)
{
	char path[] = "/tmp/zecpu-test-XXXXXX", text[200] = "";
	int file = mkstemp(path), status;
	pid_t pid;

	ck_assert_int_ge(file, 0);
	setenv("ZECPU_REPORT", path, 1);
	setenv("ZECPU_REVERSE", "100000", 1);
	setenv("ZECPU_WORKERS", "1", 1);
	pid = fork();
	if (pid == 0)
		run_four_and_end();
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_int_gt(read(file, text, sizeof(text) - 1), 0);
	ck_assert_str_eq(text, "libzecpu.so commands 4 kernels 4 overtook 3 "
			       "misuses 0 left 0\n");
	close(file);
	unlink(path);
}
END_TEST

/* --- two drivers --- */

START_TEST(objects_of_another_driver_are_refused)
{
	ze_device_mem_alloc_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC
	};
	ze_driver_handle_t drivers[2];
	ze_device_handle_t foreign;
	uint32_t n = 1;
	void *out;

	setenv("ZECPU_QUIET", "1", 1);
	zecpu_start_two(drivers);
	OK(zeDeviceGet(drivers[1], &n, &foreign));
	OK(zeMemAllocDevice(context, &desc, 64, 0, devices[0], &out));
	OK(zeMemFree(context, out));
	IS(ZE_RESULT_ERROR_INVALID_ARGUMENT,
	   zeMemAllocDevice(context, &desc, 64, 0, foreign, &out));
	ck_assert_uint_eq(control->violations(), 1);
	ck_assert(strstr(control->violation(0), "is of another driver"));
	control->forget_violations();
	zecpu_stop();
}
END_TEST

static Suite *make_suite(bool able)
{
	const TTest *const calls[] = {
		counter_based_events_need_no_reset,
		processes_share_memory,
		devices_are_as_many_as_asked_for,
		tiles_can_be_devices,
		zeinit_can_fail,
		clocks_wrap,
		a_query_can_be_stuck,
		lists_can_be_waited_for,
		a_lost_device_fails_its_work,
		objects_of_another_driver_are_refused,
	};
	const TTest *const launches[] = {
		reverse_runs_the_last_first,
		a_seed_gives_other_orders,
		lists_can_be_in_order,
		protected_memory_serves_commands,
		memory_of_the_program_can_be_imported,
		queues_execute_closed_lists,
		a_process_reports_what_it_did,
	};
	Suite *suite = suite_create("zecpu knobs");
	TCase *tcase =
		zecpu_case("calls", calls, sizeof(calls) / sizeof(*calls));

	tcase_add_test_raise_signal(tcase, the_host_cannot_touch_device_memory,
				    SIGSEGV);
	suite_add_tcase(suite, tcase);
	if (!able)
		return suite;
	tcase = zecpu_case("launches", launches,
			   sizeof(launches) / sizeof(*launches));
	tcase_add_test_raise_signal(
		tcase, a_kernel_cannot_touch_what_it_was_not_given, SIGSEGV);
	tcase_add_test_raise_signal(tcase, a_kernel_cannot_write_past_the_end,
				    SIGSEGV);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	bool able = zecpu_able();

	return zecpu_run_suite(make_suite(able), able);
}
