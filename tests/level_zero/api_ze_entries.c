/* SPDX-License-Identifier: Apache-2.0 */
/* api_ze_entries.c - each entry of the loader that the plugin uses fails once,
   in its first call or in a later one, while a tour uses every feature of the
   plugin.  The error must name the call, no call may be misused, nothing may be
   left in the driver, and work that has not failed must be right. */
#include <sys/mman.h>

#include <level_zero/ze_api.h>

#include "tests/level_zero/level_zero_test.h"
#include "tests/support/spirv_constants.h"

#define N 1000
/* Large enough for the engine that only copies. */
#define LARGE ((1u << 20) + 4096)

/* Codes that the calls return. */
#define LOST 0x70000001
#define NO_HOST_MEMORY 0x70000002
#define NO_DEVICE_MEMORY 0x70000003
#define UNSUPPORTED 0x78000003
#define UNKNOWN 0x7ffffffe

static const char *const entries[] = {
#define ZE_ENTRY(name) #name,
#include "backends/level_zero/ze_entries.def"
#undef ZE_ENTRY
	/* Entries of the driver itself. */
	"zexDriverImportExternalPointer",
	"zexDriverReleaseImportedPointer",
};
#define ENTRIES (sizeof(entries) / sizeof(entries[0]))

/* An entry of the loader itself, which calls no driver. */
#define OF_THE_LOADER "zelLoaderTranslateHandle"
/* Called only after a loss or during long work: api_ze_faults tests that. */
#define OF_A_LOSS "zeDeviceGetStatus"

/* Entries that are called but never fail here: if one failed, its object would
   stay in the driver, whatever the plugin does. */
static const char *const ends[] = {
	"zeContextDestroy",   "zeCommandListDestroy",
	"zeEventPoolDestroy", "zeEventDestroy",
	"zeMemFree",          "zeMemCloseIpcHandle",
	"zeModuleDestroy",    "zeModuleBuildLogDestroy",
	"zeKernelDestroy",    "zexDriverReleaseImportedPointer",
};

static dpr_queue *queue; /* in order */
static dpr_queue *wild;  /* out of order, with times */
static dpr_queue *tile, *far_queue;
static void *loader;

/* An entry of the loader, for calls of the program beside dpr. */
#define ZE(name) ((__typeof__(name) *)(uintptr_t)dlsym(loader, #name))

/* The call that fails, the result it returns, and whether the failure is
   over. */
static const char *call;
static int result;
static bool over;

/* Whether @status only means a missing feature.  The plugin starts without a
   feature if the call for it fails. */
static bool is_absent(dpr_status status, const char *text)
{
	if (result == UNSUPPORTED && strstr(text, "has no memory of kind"))
		return true;
	return status == DPR_ERROR_UNSUPPORTED &&
	       !strcmp(call, "zeDriverGetIpcProperties");
}

/* If @status is a failure, check that there is a cause, and that the text names
   the call.  After the loss of a device, all calls report the loss. */
static void check_failure(const char *where, dpr_status status)
{
	const char *text = dpr_last_error();

	if (!status || (over && is_absent(status, text)))
		return;
	/* At the end, dpr_finalize() reports failures that nothing has
	   reported. */
	ck_assert_msg(call && (zecpu->failed() || !strcmp(where, "end")),
		      "%s fails by itself: %s: %s", where,
		      dpr_status_name(status), text);
	ck_assert_msg(
		strstr(text, call) || is_absent(status, text) ||
			(status == DPR_ERROR_DEVICE_LOST && result == LOST),
		"%s: no \"%s\" in: %s: %s", where, call,
		dpr_status_name(status), text);
}

/* Whether @text says that zeInit failed, because the loader itself calls the
   drivers there: 1.20 does, and 1.8 does not. */
static bool is_of_loader(const char *text)
{
	return strstr(text, "zeInit: ") && (!strncmp(call, "zeDriverGet", 11) ||
					    !strncmp(call, "zeDeviceGet", 11));
}

/* The start failed: the backend or a device is missing.  Check that the report
   names the call. */
static void check_start(dpr_status status)
{
	dpr_plugin_report *list = NULL;
	size_t n, i;

	ck_assert_msg(zecpu->failed() != NULL,
		      "the start fails by itself: %s: %s",
		      dpr_status_name(status), dpr_last_error());
	if (status == DPR_ERROR_OUT_OF_MEMORY && result == NO_HOST_MEMORY)
		return;
	CHECK_OK(dpr_plugins(1, &list, &n));
	for (i = 0; i < n; i++)
		if (!strcmp(list[i].name, "level_zero"))
			break;
	ck_assert_msg(i < n && (strstr(list[i].text, call) ||
				is_of_loader(list[i].text)),
		      "no \"%s\" in: %s", call, i < n ? list[i].text : "");
	dpr_free(list);
}

/* --- The tour --- */

/* Make an allocation of @n ints, all of them @value. */
static dpr_status make_ints(dpr_queue *on, dpr_usm_kind kind, size_t n,
			    int value, dpr_usm **out)
{
	dpr_status status = dpr_driver_alloc(on, kind, n * 4, 0, out);

	ck_assert(!status == (*out != NULL));
	if (!status)
		status =
			dpr_usm_fill(on, *out, 0, &value, 4, n * 4, NULL, NULL);
	return status;
}

/* Check that the last of @n ints is @value. */
static dpr_status check_ints(dpr_queue *on, dpr_usm *usm, size_t n, int value)
{
	int got = ~value;
	dpr_status status =
		dpr_usm_read(on, &got, usm, (n - 1) * 4, 4, NULL, NULL);

	ck_assert_msg(status || got == value, "%d, not %d", got, value);
	return status;
}

/* Find the devices and make the queues.  Returns false after a failure. */
static bool open_queues(void)
{
	dpr_device *first, *second, *parts[2];
	size_t n;
	dpr_status status = dpr_device_select("level_zero:0", &first);

	if (!status)
		status = dpr_device_select("level_zero:1", &second);
	if (status) {
		check_start(status);
		return false;
	}
	status = dpr_device_partition_domain(first, DPR_DOMAIN_NUMA, parts, 2,
					     &n);
	if (!status)
		status = dpr_queue_create(first, 0, &queue);
	if (!status)
		status = dpr_queue_create(
			first, DPR_QUEUE_OUT_OF_ORDER | DPR_QUEUE_PROFILING,
			&wild);
	if (!status)
		status = dpr_queue_create(parts[1], DPR_QUEUE_PRIORITY_HIGH,
					  &tile);
	if (!status)
		status = dpr_queue_create(second, 0, &far_queue);
	check_failure("open", status);
	return !status;
}

/* Information that the driver refuses is absent; other calls do not fail. */
static dpr_status try_info(void)
{
	dpr_device *device = dpr_queue_device(queue);
	char text[64];
	uint64_t size;
	size_t need;

	if (dpr_device_info(device, DPR_INFO_PCI_ADDRESS, text, sizeof(text),
			    &need) ||
	    dpr_device_info(device, DPR_INFO_GLOBAL_CACHE_SIZE, &size,
			    sizeof(size), &need))
		ck_assert(zecpu->failed() != NULL);
	return DPR_OK;
}

static dpr_status try_kinds(void)
{
	dpr_status status = DPR_OK;
	dpr_usm *usm;
	int kind, i;

	for (kind = 1; kind <= 3 && !status; kind++) {
		status = make_ints(queue, (dpr_usm_kind)kind, N, kind, &usm);
		if (!status)
			status = dpr_usm_prefetch(queue, usm, 0, 4 * N, NULL,
						  NULL);
		for (i = 0; i < 4 && !status; i++)
			status = dpr_usm_advise(queue, usm, 0, 4 * N,
						(enum dpr_usm_advice)i);
		if (!status)
			status = check_ints(queue, usm, N, kind);
		dpr_usm_release(usm);
	}
	return status;
}

/* Small and large copies use two command lists: copy on each queue, and then on
   the next queue. */
static dpr_status try_copies(void)
{
	dpr_queue *const queues[] = { queue, wild, tile };
	dpr_usm *from = NULL, *to = NULL;
	dpr_event *done[2] = { NULL, NULL };
	dpr_events after = { 1, &done[0] };
	dpr_status status =
		make_ints(queue, DPR_USM_DEVICE, LARGE / 4, 5, &from);
	size_t i;

	if (!status)
		status = make_ints(queue, DPR_USM_DEVICE, LARGE / 4, 6, &to);
	for (i = 0; i < 3 && !status; i++) {
		status = dpr_usm_copy(queues[i], to, 0, from, 0, 64, NULL,
				      &done[0]);
		if (!status)
			status = dpr_queue_barrier(queues[i], NULL, NULL);
		if (!status)
			status = dpr_usm_copy(queues[(i + 1) % 3], to, 0, from,
					      0, LARGE, &after, &done[1]);
		if (!status)
			status = dpr_queue_barrier(queues[(i + 1) % 3], NULL,
						   NULL);
		if (!status)
			status = dpr_event_wait(done[1]);
		dpr_event_release(done[0]);
		dpr_event_release(done[1]);
		done[0] = done[1] = NULL;
	}
	if (!status)
		status = check_ints(wild, to, LARGE / 4, 5);
	dpr_usm_release(from);
	dpr_usm_release(to);
	return status;
}

/* The times of a command, and of one that runs nothing. */
static dpr_status try_times(void)
{
	dpr_event *done = NULL, *marker = NULL;
	dpr_usm *usm;
	dpr_times times;
	dpr_status status = make_ints(wild, DPR_USM_DEVICE, N, 1, &usm);

	if (!status)
		status =
			dpr_usm_fill(wild, usm, 0, "\7\0\0", 4, 4, NULL, &done);
	if (!status)
		status = dpr_event_wait(done);
	if (!status)
		status = dpr_usm_prefetch(wild, usm, 0, 4, NULL, &marker);
	if (!status)
		status = dpr_event_wait(marker);
	/* The driver may have failed to report the time. */
	if (!status && dpr_event_times(done, &times))
		ck_assert(zecpu->failed() != NULL);
	dpr_event_release(done);
	dpr_event_release(marker);
	dpr_usm_release(usm);
	return status;
}

/* Write from memory that is unknown to the driver, and from memory that is
   known. */
static dpr_status try_transfers(void)
{
	/* Whole pages, which the driver can import. */
	static _Alignas(4096) char bytes[2][LARGE];
	dpr_usm *pinned = NULL, *made = NULL;
	dpr_status status =
		dpr_driver_alloc(queue, DPR_USM_DEVICE, LARGE, 0, &made);

	memset(bytes[0], 7, LARGE);
	memset(bytes[1], 8, LARGE);
	if (!status)
		status = dpr_usm_write(queue, made, 0, bytes[0], LARGE, NULL,
				       NULL);
	if (!status)
		status = dpr_usm_read(queue, bytes[1], made, 0, LARGE, NULL,
				      NULL);
	if (!status)
		ck_assert(!memcmp(bytes[0], bytes[1], LARGE));
	if (!status)
		status = make_ints(queue, DPR_USM_HOST, N, 9, &pinned);
	if (!status)
		status = dpr_queue_wait(queue);
	if (!status)
		status = dpr_usm_write(queue, made, 0, dpr_usm_address(pinned),
				       4 * N, NULL, NULL);
	if (!status)
		status = check_ints(queue, made, N, 9);
	dpr_usm_release(pinned);
	dpr_usm_release(made);
	return status;
}

static dpr_status try_peer(void)
{
	dpr_usm *from, *to = NULL;
	dpr_status status = make_ints(queue, DPR_USM_DEVICE, N, 3, &from);

	if (!status)
		status = make_ints(far_queue, DPR_USM_DEVICE, N, 4, &to);
	if (!status)
		status = dpr_usm_copy(far_queue, to, 0, from, 0, 4 * N, NULL,
				      NULL);
	if (!status)
		status = check_ints(far_queue, to, N, 3);
	dpr_usm_release(from);
	dpr_usm_release(to);
	return status;
}

static dpr_status try_ipc(void)
{
	dpr_usm *theirs, *ours = NULL;
	dpr_ipc ipc = { .fd = -1 };
	dpr_status status = make_ints(queue, DPR_USM_DEVICE, N, 11, &theirs);

	if (!status)
		status = dpr_queue_wait(queue);
	if (!status)
		status = dpr_usm_export(theirs, &ipc);
	if (!status)
		status = dpr_usm_import(queue, &ipc, &ours);
	if (!status)
		status = check_ints(queue, ours, N, 11);
	if (ipc.fd >= 0)
		close(ipc.fd);
	dpr_usm_release(ours);
	dpr_usm_release(theirs);
	return status;
}

/* Launch the program's kernel, and check that it stores @constant. */
static dpr_status launch_program(dpr_program *program, int constant)
{
	dpr_kernel *kernel;
	dpr_usm *usm = NULL;
	uintptr_t native;
	dpr_arg arg;
	int i;
	dpr_status status = dpr_kernel_create(program, "add_one", &kernel);

	if (!status)
		status = make_ints(queue, DPR_USM_DEVICE, 1, 0, &usm);
	for (i = 0; i < 3 && !status; i++) {
		arg = dpr_arg_usm_use(usm, 0, DPR_WRITE);
		status = dpr_kernel_launch_usm(i == 1 ? wild : queue, kernel,
					       dpr_range1(1), NULL, NULL, &arg,
					       1);
	}
	if (!status)
		status = check_ints(queue, usm, 1, constant);
	if (!status)
		status = dpr_kernel_native(kernel, &native);
	if (!status)
		status = dpr_program_native(program, &native);
	dpr_usm_release(usm);
	dpr_kernel_release(kernel);
	return status;
}

/* Build SPIR-V with a value for its constant, then build the resulting
   binary. */
static dpr_status try_program(void)
{
	const uint32_t value = 77;
	const dpr_spec spec = { 3, 4, &value };
	const dpr_build_options options = { .struct_size = sizeof(options),
					    .spec = &spec,
					    .n_spec = 1 };
	const dpr_image spirv = { "spirv", NULL, spirv_constants,
				  sizeof(spirv_constants) };
	static char bytes[100000];
	dpr_image binary = { "level_zero-binary", NULL, bytes, 0 };
	dpr_program *program, *again = NULL;
	dpr_status status =
		dpr_program_build(queue, &spirv, 1, &options, &program);

	if (!status)
		status = launch_program(program, 77);
	if (!status)
		status = dpr_program_binary(program, bytes, sizeof(bytes),
					    &binary.size);
	if (!status)
		status = dpr_program_from_images(queue, &binary, 1, NULL,
						 &again);
	if (!status)
		status = launch_program(again, 77);
	dpr_program_release(program);
	dpr_program_release(again);
	return status;
}

/* A list, memory and an event that the program has made, and handles from
   dpr. */
struct natives {
	ze_context_handle_t context;
	ze_device_handle_t device;
	ze_command_list_handle_t list;
	ze_event_pool_handle_t pool;
	ze_event_handle_t event;
	void *memory;
};

/* Returns false if one of the program's own calls has failed. */
static bool make_natives(struct natives *all)
{
	const ze_device_mem_alloc_desc_t memory = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC
	};
	const ze_command_queue_desc_t list = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
		.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
	};
	const ze_event_pool_desc_t pool = {
		.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
		.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
		.count = 1,
	};
	const ze_event_desc_t event = { .stype = ZE_STRUCTURE_TYPE_EVENT_DESC };

	return !ZE(zeCommandListCreateImmediate)(all->context, all->device,
						 &list, &all->list) &&
	       !ZE(zeMemAllocDevice)(all->context, &memory, 4 * N, 64,
				     all->device, &all->memory) &&
	       !ZE(zeEventPoolCreate)(all->context, &pool, 0, NULL,
				      &all->pool) &&
	       !ZE(zeEventCreate)(all->pool, &event, &all->event) &&
	       !ZE(zeEventHostSignal)(all->event);
}

static void drop_natives(struct natives *all)
{
	if (all->event)
		ZE(zeEventDestroy)(all->event);
	if (all->pool)
		ZE(zeEventPoolDestroy)(all->pool);
	if (all->memory)
		ZE(zeMemFree)(all->context, all->memory);
	if (all->list)
		ZE(zeCommandListDestroy)(all->list);
}

/* Wrap the handles.  dpr then destroys the list. */
static void use_natives(struct natives *all)
{
	dpr_device *device = dpr_queue_device(queue);
	dpr_queue *wrapped;
	dpr_usm *usm = NULL;
	dpr_event *event = NULL;
	dpr_events after = { 1, &event };
	int value = 21, i;
	dpr_status status = dpr_queue_from_native(device, (uintptr_t)all->list,
						  1, &wrapped);

	if (!status)
		all->list = NULL;
	if (!status)
		status = dpr_usm_from_native(wrapped, (uintptr_t)all->memory,
					     4 * N, 0, &usm);
	if (!status)
		status = dpr_event_from_native(device, (uintptr_t)all->event, 0,
					       &event);
	if (!status)
		status = dpr_usm_fill(wrapped, usm, 0, &value, 4, 4 * N, &after,
				      NULL);
	if (!status)
		status = dpr_queue_wait(wrapped);
	if (!status)
		status = check_ints(wrapped, usm, N, 21);
	check_failure("natives", status);
	/* Wait until no work uses the program's objects any more. */
	for (i = 0; wrapped && dpr_queue_wait(wrapped); i++)
		if (result == LOST)
			break;
		else
			ck_assert_int_lt(i, 20);
	dpr_event_release(event);
	dpr_usm_release(usm);
	dpr_queue_release(wrapped);
}

static dpr_status try_natives(void)
{
	struct natives all = { 0 };
	uintptr_t context, device;
	dpr_status status = dpr_device_native(dpr_queue_device(queue),
					      DPR_NATIVE_CONTEXT, &context);

	if (!status)
		status = dpr_device_native(dpr_queue_device(queue),
					   DPR_NATIVE_DEVICE, &device);
	if (status)
		return status;
	all.context = (ze_context_handle_t)context;
	all.device = (ze_device_handle_t)device;
	if (make_natives(&all))
		use_natives(&all);
	drop_natives(&all);
	return DPR_OK;
}

/* Use a queue whose list the program has asked for. */
static dpr_status try_shared(void)
{
	dpr_queue *shared;
	uintptr_t native;
	dpr_usm *usm = NULL;
	dpr_status status =
		dpr_queue_create(dpr_queue_device(queue), 0, &shared);

	if (!status)
		status = dpr_queue_native(shared, &native);
	if (!status)
		status = make_ints(shared, DPR_USM_DEVICE, N, 31, &usm);
	if (!status)
		status = check_ints(shared, usm, N, 31);
	dpr_usm_release(usm);
	dpr_queue_release(shared);
	return status;
}

static const struct {
	const char *name;
	dpr_status (*run)(void);
} stops[] = {
	{ "info", try_info },
	{ "kinds", try_kinds },
	{ "copies", try_copies },
	{ "times", try_times },
	{ "transfers", try_transfers },
	{ "peer", try_peer },
	{ "ipc", try_ipc },
	{ "program", try_program },
	{ "natives", try_natives },
	{ "shared", try_shared },
};

/* --- Failures --- */

/* Which call of an entry fails, and with what.  Each is tried for each
   entry. */
static const struct failure {
	uint64_t n;
	int result;
} failures[] = {
	{ 1, UNKNOWN },        { 3, LOST },        { 7, NO_DEVICE_MEMORY },
	{ 1, NO_HOST_MEMORY }, { 1, UNSUPPORTED }, { 1, LOST },
	{ 2, UNKNOWN },
};
#define FAILURES (sizeof(failures) / sizeof(failures[0]))
/* How many of them, from the start, are also tried with the in-order flag. */
#define FLAG_FAILURES 3

static bool is_spared(const char *entry)
{
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!strcmp(ends[i], entry))
			return true;
	return !strcmp(entry, OF_THE_LOADER) || !strcmp(entry, OF_A_LOSS);
}

/* Returns false if the queues could not be made. */
static bool take_tour(void)
{
	bool open = open_queues();
	size_t i;

	for (i = 0; open && i < sizeof(stops) / sizeof(stops[0]); i++) {
		check_failure(stops[i].name, stops[i].run());
		ck_assert_msg(!zecpu->violations(), "%s: %s", stops[i].name,
			      zecpu->violation(0));
	}
	dpr_queue_release(queue);
	dpr_queue_release(wild);
	dpr_queue_release(tile);
	dpr_queue_release(far_queue);
	queue = wild = tile = far_queue = NULL;
	return open;
}

static void start(bool flags)
{
	loader = dlopen("libze_loader.so.1", RTLD_NOW);
	ck_assert(zecpu->set("IMPORT", 1));
	ck_assert(zecpu->set("IN_ORDER", flags) &&
		  zecpu->set("COUNTER", flags));
	use_backends(NULL);
}

/* How often a tour calls each entry, without [0] and with [1] the in-order
   flag. Shared by all processes of the test, and set by the first ones. */
static uint64_t (*counts)[ENTRIES];

/* Each entry must be called, so that each can fail. */
START_TEST(the_tour_calls_each)
{
	size_t i;

	start(_i);
	ck_assert(take_tour());
	finish_all();
	for (i = 0; i < ENTRIES; i++) {
		counts[_i][i] = zecpu->calls(entries[i]);
		ck_assert_msg(counts[_i][i] || !strcmp(entries[i], OF_A_LOSS) ||
				      !strcmp(entries[i], OF_THE_LOADER),
			      "the tour does not call %s", entries[i]);
	}
}
END_TEST

static void fail_once(size_t entry, const struct failure *failure, bool flags)
{
	bool met, open;

	call = entries[entry];
	if (is_spared(call) || counts[flags][entry] < failure->n)
		return;
	result = failure->result;
	ck_assert(zecpu->fail(call, failure->n, result));
	start(flags);
	open = take_tour();
	met = zecpu->failed() != NULL;
	/* The number of calls varies, so a later call may not be reached. */
	ck_assert(met || failure->n > 1);
	/* After the failure, everything works again. */
	if (open && met && result != LOST) {
		ck_assert(zecpu->fail(NULL, 0, 0));
		over = true;
		take_tour();
	}
	check_failure("end", dpr_finalize());
	check_driver(zecpu);
}

START_TEST(each_fails)
{
	fail_once((size_t)_i / FAILURES, &failures[(size_t)_i % FAILURES],
		  false);
}
END_TEST

START_TEST(each_fails_with_the_in_order_flag)
{
	fail_once((size_t)_i / FLAG_FAILURES, &failures[_i % FLAG_FAILURES],
		  true);
}
END_TEST

int main(void)
{
	const struct test_times tests[] = {
		{ the_tour_calls_each, 2 },
		{ each_fails, ENTRIES * FAILURES },
		{ each_fails_with_the_in_order_flag, ENTRIES * FLAG_FAILURES },
	};

	if (!is_able())
		return 77;
	counts = mmap(NULL, 2 * sizeof(*counts), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		return EXIT_FAILURE;
	return run_tests_times("api_ze_entries", tests,
			       sizeof(tests) / sizeof(tests[0]));
}
