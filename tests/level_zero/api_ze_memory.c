/* SPDX-License-Identifier: Apache-2.0 */
/* api_ze_memory.c - memory of the Level Zero backend: its kinds, copies between
   devices and drivers, other processes, native handles. */
#include <semaphore.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <level_zero/ze_api.h>

#include "tests/level_zero/level_zero_test.h"

#define N 5000

START_TEST(kinds)
{
	dpr_queue *queue;
	int kind, *at, i;
	dpr_usm *usm;

	use_backends(NULL);
	queue = queue_of(get_device("level_zero:0"));
	for (kind = 1; kind <= 3; kind++) {
		usm = new_ints(queue, (dpr_usm_kind)kind, N, 7 * kind);
		CHECK_OK(dpr_usm_prefetch(queue, usm, 0, 4 * N, NULL, NULL));
		for (i = 0; i < 4; i++)
			CHECK_OK(dpr_usm_advise(queue, usm, 0, 4 * N,
						(enum dpr_usm_advice)i));
		CHECK_OK(dpr_queue_wait(queue));
		at = dpr_usm_address(usm);
		for (i = 0; kind != DPR_USM_DEVICE && i < N; i++)
			ck_assert_int_eq(at[i], 7 * kind);
		ck_assert_int_eq(get_int(queue, usm, N - 1), 7 * kind);
		dpr_usm_release(usm);
	}
	finish_all();
}
END_TEST

/* A prefetch and advice use the memory, so it is freed only after them, in
   whatever order the driver runs commands that nothing orders. */
START_TEST(hints_use_the_memory)
{
	dpr_event *done;
	dpr_queue *queue;
	dpr_usm *usm;
	int i, value = 3;

	ck_assert(zecpu->set("SEED", 5) && zecpu->set("WORKERS", 1) &&
		  zecpu->set("DELAY_US", 1000));
	use_backends(NULL);
	queue = queue_of(get_device("level_zero:0"));
	for (i = 0; i < 20; i++) {
		CHECK_OK(dpr_driver_alloc(queue, DPR_USM_SHARED, 64, 0, &usm));
		CHECK_OK(
			dpr_usm_fill(queue, usm, 0, &value, 4, 64, NULL, NULL));
		CHECK_OK(dpr_usm_prefetch(queue, usm, 0, 64, NULL, &done));
		CHECK_OK(dpr_event_wait(done));
		dpr_event_release(done);
		if (i % 2)
			CHECK_OK(dpr_usm_advise(queue, usm, 0, 64,
						DPR_ADVICE_READ_MOSTLY));
		dpr_usm_release(usm);
	}
	finish_all();
}
END_TEST

/* The driver takes a prefetch, and refuses the barrier after it.  The prefetch
   still uses the memory, so the call waits for it: the queue is then idle, and
   the memory is freed at once. */
static void refuse_barrier(uint32_t flags, uint64_t which)
{
	dpr_event *done = NULL;
	dpr_queue *queue;
	dpr_usm *usm;
	int value = 3;

	use_backends(NULL);
	CHECK_OK(dpr_queue_create(get_device("level_zero:0"), flags, &queue));
	CHECK_OK(dpr_driver_alloc(queue, DPR_USM_SHARED, 64, 0, &usm));
	CHECK_OK(dpr_usm_fill(queue, usm, 0, &value, 4, 64, NULL, NULL));
	if (which == 1)
		CHECK_OK(dpr_queue_wait(queue));
	ck_assert(zecpu->set("DELAY_US", 50000));
	ck_assert(zecpu->fail("zeCommandListAppendBarrier", which, 0x7ffffffe));
	ck_assert_int_eq(dpr_usm_prefetch(queue, usm, 0, 64, NULL, &done),
			 DPR_ERROR_DRIVER);
	ck_assert_ptr_nonnull(
		strstr(dpr_last_error(), "zeCommandListAppendBarrier"));
	ck_assert_ptr_null(done);
	CHECK_OK(dpr_queue_wait(queue));
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish_all();
}

START_TEST(a_prefetch_without_its_barrier)
{
	refuse_barrier(0, 1);
}
END_TEST

START_TEST(a_prefetch_without_its_second_barrier)
{
	refuse_barrier(0, 2);
}
END_TEST

START_TEST(a_prefetch_without_its_barrier_out_of_order)
{
	refuse_barrier(DPR_QUEUE_OUT_OF_ORDER, 1);
}
END_TEST

START_TEST(a_prefetch_without_its_barrier_with_the_flag)
{
	ck_assert(zecpu->set("IN_ORDER", 1) && zecpu->set("COUNTER", 1));
	refuse_barrier(0, 1);
}
END_TEST

/* Patterns of all sizes at all alignments.  The driver supports some of them,
   the core does the others. */
START_TEST(fills)
{
	unsigned char pattern[40], bytes[4096], want;
	dpr_queue *queue;
	size_t size, at, i, n;
	dpr_usm *usm;

	use_backends(NULL);
	queue = queue_of(get_device("level_zero:0"));
	CHECK_OK(dpr_usm_alloc(queue, DPR_USM_DEVICE, sizeof(bytes), &usm));
	for (i = 0; i < sizeof(pattern); i++)
		pattern[i] = (unsigned char)(i * 7 + 1);
	for (size = 1; size <= sizeof(pattern); size++)
		for (at = 0; at < 8; at++) {
			n = 50 * size;
			CHECK_OK(dpr_usm_fill(queue, usm, 0, "\0", 1,
					      sizeof(bytes), NULL, NULL));
			CHECK_OK(dpr_usm_fill(queue, usm, at, pattern, size, n,
					      NULL, NULL));
			CHECK_OK(dpr_usm_read(queue, bytes, usm, 0,
					      sizeof(bytes), NULL, NULL));
			for (i = 0; i < sizeof(bytes); i++) {
				want = i < at || i >= at + n
					       ? 0
					       : pattern[(i - at) % size];
				ck_assert_uint_eq(bytes[i], want);
			}
		}
	dpr_usm_release(usm);
	finish_all();
}
END_TEST

/* An allocation above the driver's maxMemAllocSize needs its relaxed limits. */
START_TEST(a_large_allocation)
{
	uint64_t most = 0;
	dpr_device *device;
	dpr_usm *usm;
	size_t need;

	ck_assert(zecpu->set("MEMORY_MB", 512));
	use_backends(NULL);
	device = get_device("level_zero:1");
	CHECK_OK(dpr_device_info(device, DPR_INFO_MAX_ALLOC_SIZE, &most,
				 sizeof(most), &need));
	ck_assert_uint_eq(most, UINT64_C(512) << 20);
	CHECK_OK(dpr_usm_alloc(queue_of(device), DPR_USM_DEVICE, 400 << 20,
			       &usm));
	dpr_usm_release(usm);
	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_usm_alloc(queue_of(device), DPR_USM_DEVICE,
				  (size_t)1 << 40, &usm));
	finish_all();
}
END_TEST

/* Copy between two devices.  Count the driver's allocations of host memory in
 *@hosts, and its copies in *@copies. */
static void copy_between(const char *one, const char *two, uint64_t *hosts,
			 uint64_t *copies)
{
	dpr_queue *here, *there;
	dpr_usm *from, *to;

	here = queue_of(get_device(one));
	there = queue_of(get_device(two));
	from = new_ints(here, DPR_USM_DEVICE, N, 4711);
	to = new_ints(there, DPR_USM_DEVICE, N, 1);
	CHECK_OK(dpr_queue_wait(here));
	CHECK_OK(dpr_queue_wait(there));
	*hosts = zecpu->calls("zeMemAllocHost");
	*copies = zecpu->calls("zeCommandListAppendMemoryCopy");
	CHECK_OK(dpr_usm_copy(there, to, 0, from, 0, 4 * N, NULL, NULL));
	CHECK_OK(dpr_queue_wait(there));
	*hosts = zecpu->calls("zeMemAllocHost") - *hosts;
	*copies = zecpu->calls("zeCommandListAppendMemoryCopy") - *copies;
	ck_assert_int_eq(get_int(there, to, N - 1), 4711);
	dpr_usm_release(from);
	dpr_usm_release(to);
	finish_all();
}

START_TEST(peers)
{
	uint64_t hosts, copies;

	use_backends(NULL);
	copy_between("level_zero:0", "level_zero:1", &hosts, &copies);
	ck_assert_uint_eq(copies, 1);
	ck_assert_uint_eq(hosts, 0);
}
END_TEST

START_TEST(devices_that_are_no_peers)
{
	uint64_t hosts, copies;

	ck_assert(zecpu->set("PEER", 0));
	use_backends(NULL);
	copy_between("level_zero:0", "level_zero:1", &hosts, &copies);
	ck_assert_uint_gt(hosts, 0);
}
END_TEST

START_TEST(devices_of_two_drivers)
{
	uint64_t hosts, copies;

	open_second_driver();
	use_backends(NULL);
	copy_between("level_zero:1", "level_zero:3", &hosts, &copies);
	ck_assert_uint_gt(hosts, 0);
	ck_assert_uint_ge(copies, 1);
	ck_assert_uint_ge(zecpu2->calls("zeCommandListAppendMemoryCopy"), 1);
}
END_TEST

/* An event of one driver holds back work of the other driver. */
START_TEST(waiting_for_the_other_driver)
{
	dpr_queue *here, *there;
	dpr_event *first, *second;
	dpr_events after = { 1, &first };
	dpr_usm *a, *b;
	int value = 5;

	open_second_driver();
	use_backends(NULL);
	here = queue_of(get_device("level_zero:0"));
	there = queue_of(get_device("level_zero:2"));
	a = new_ints(here, DPR_USM_DEVICE, 4, 1);
	b = new_ints(there, DPR_USM_DEVICE, 4, 1);
	CHECK_OK(dpr_queue_wait(here));
	CHECK_OK(dpr_queue_wait(there));
	zecpu->hold(true);
	CHECK_OK(dpr_usm_fill(here, a, 0, &value, 4, 16, NULL, &first));
	CHECK_OK(dpr_usm_fill(there, b, 0, &value, 4, 16, &after, &second));
	usleep(20000);
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(second, 0));
	zecpu->hold(false);
	CHECK_OK(dpr_event_wait(second));
	CHECK_OK(dpr_event_wait_for(first, 0));
	dpr_event_release(first);
	dpr_event_release(second);
	dpr_usm_release(a);
	dpr_usm_release(b);
	finish_all();
}
END_TEST

/* Write and read ordinary host memory.  The driver imports it if it can;
   otherwise the bytes go through memory of kind HOST. */
static uint64_t transfer(const char *selector)
{
	const size_t size = 20000000;
	unsigned char *from = malloc(size), *to = malloc(size);
	uint64_t before = zecpu->calls("zexDriverImportExternalPointer");
	dpr_queue *queue = queue_of(get_device(selector));
	dpr_usm *usm;
	size_t i;

	ck_assert(from && to);
	for (i = 0; i < size; i++)
		from[i] = (unsigned char)(i * 7 + i / 4096);
	CHECK_OK(dpr_usm_alloc(queue, DPR_USM_DEVICE, size, &usm));
	CHECK_OK(dpr_usm_write(queue, usm, 0, from, size, NULL, NULL));
	CHECK_OK(dpr_usm_read(queue, to, usm, 0, size, NULL, NULL));
	ck_assert(!memcmp(from, to, size));
	dpr_usm_release(usm);
	free(from);
	free(to);
	finish_all();
	return zecpu->calls("zexDriverImportExternalPointer") - before;
}

START_TEST(memory_that_is_staged)
{
	use_backends(NULL);
	ck_assert_uint_eq(transfer("level_zero:0"), 0);
}
END_TEST

START_TEST(memory_that_is_imported)
{
	ck_assert(zecpu->set("IMPORT", 1));
	use_backends(NULL);
	ck_assert_uint_ge(transfer("level_zero:0"), 4);
}
END_TEST

/* With two drivers, the loader's handles differ from the drivers' own. */
START_TEST(memory_that_one_of_two_drivers_imports)
{
	open_second_driver();
	ck_assert(zecpu->set("IMPORT", 1));
	use_backends(NULL);
	ck_assert_uint_ge(transfer("level_zero:0"), 4);
}
END_TEST

/* --- Another process --- */

static void send_ipc(int socket, const dpr_ipc *ipc)
{
	char room[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec bytes = { (void *)(uintptr_t)ipc, sizeof(*ipc) };
	struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };
	struct cmsghdr *head;

	if (ipc->fd >= 0) {
		message.msg_control = room;
		message.msg_controllen = sizeof(room);
		head = CMSG_FIRSTHDR(&message);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(head), &ipc->fd, sizeof(int));
	}
	ck_assert_int_eq(sendmsg(socket, &message, 0), (int)sizeof(*ipc));
}

static bool receive_ipc(int socket, dpr_ipc *ipc)
{
	char room[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec bytes = { ipc, sizeof(*ipc) };
	struct msghdr message = { .msg_iov = &bytes,
				  .msg_iovlen = 1,
				  .msg_control = room,
				  .msg_controllen = sizeof(room) };
	struct cmsghdr *head;

	if (recvmsg(socket, &message, 0) != sizeof(*ipc))
		return false;
	head = CMSG_FIRSTHDR(&message);
	if (head)
		memcpy(&ipc->fd, CMSG_DATA(head), sizeof(int));
	return true;
}

/* Runs in the other process: adds 1 to each value. */
static int run_importer(int socket)
{
	int values[N], i;
	dpr_queue *queue;
	dpr_usm *usm;
	dpr_ipc ipc;

	if (!receive_ipc(socket, &ipc))
		return 2;
	if (dpr_canonical_queue("level_zero:0", &queue) ||
	    dpr_usm_import(queue, &ipc, &usm)) {
		printf("%s\n", dpr_last_error());
		return 3;
	}
	if (ipc.fd >= 0)
		close(ipc.fd);
	if (dpr_usm_read(queue, values, usm, 0, sizeof(values), NULL, NULL))
		return 4;
	for (i = 0; i < N; i++)
		values[i]++;
	if (dpr_usm_write(queue, usm, 0, values, sizeof(values), NULL, NULL) ||
	    dpr_queue_wait(queue))
		return 5;
	dpr_usm_release(usm);
	return dpr_finalize() ? 6 : 0;
}

START_TEST(another_process)
{
	char self[4096], number[16];
	int sockets[2], status;
	dpr_queue *queue;
	ssize_t length;
	dpr_usm *usm;
	dpr_ipc ipc;
	pid_t child;

	use_backends(NULL);
	length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	ck_assert_int_gt(length, 0);
	self[length] = '\0';
	queue = queue_of(get_device("level_zero:0"));
	usm = new_ints(queue, DPR_USM_DEVICE, N, 41);
	CHECK_OK(dpr_queue_wait(queue));
	CHECK_OK(dpr_usm_export(usm, &ipc));
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets), 0);
	snprintf(number, sizeof(number), "%d", sockets[1]);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		execl(self, self, "import", number, (char *)NULL);
		_exit(9);
	}
	send_ipc(sockets[0], &ipc);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status) && !WEXITSTATUS(status),
		      "the other process ended with %#x", (unsigned)status);
	ck_assert_int_eq(get_int(queue, usm, 0), 42);
	ck_assert_int_eq(get_int(queue, usm, N - 1), 42);
	close(sockets[0]);
	close(sockets[1]);
	if (ipc.fd >= 0)
		close(ipc.fd);
	dpr_usm_release(usm);
	finish_all();
}
END_TEST

/* --- Native handles --- */

static void *loader;

#define ZE(name) ((__typeof__(name) *)(uintptr_t)dlsym(loader, #name))

static uintptr_t native(dpr_device *device, enum dpr_native_what what)
{
	uintptr_t out = 0;

	CHECK_OK(dpr_device_native(device, what, &out));
	ck_assert(out != 0);
	return out;
}

/* Wrap memory and a list that the program has made. */
START_TEST(native_handles_in)
{
	const ze_device_mem_alloc_desc_t memory = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC
	};
	const ze_command_queue_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
		.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
	};
	ze_command_list_handle_t list;
	ze_context_handle_t context;
	ze_device_handle_t ze;
	dpr_device *device;
	dpr_queue *queue;
	int value = 8, own;
	void *address;
	dpr_usm *usm;

	loader = dlopen("libze_loader.so.1", RTLD_NOW);
	use_backends(NULL);
	device = get_device("level_zero:0");
	dpr_usm_release(new_ints(queue_of(device), DPR_USM_DEVICE, 4, 1));
	context = (ze_context_handle_t)native(device, DPR_NATIVE_CONTEXT);
	ze = (ze_device_handle_t)native(device, DPR_NATIVE_DEVICE);
	native(device, DPR_NATIVE_PLATFORM);
	for (own = 0; own < 2; own++) {
		ck_assert_int_eq(ZE(zeCommandListCreateImmediate)(context, ze,
								  &desc, &list),
				 0);
		ck_assert_int_eq(ZE(zeMemAllocDevice)(context, &memory, 64, 64,
						      ze, &address),
				 0);
		CHECK_OK(dpr_queue_from_native(device, (uintptr_t)list, own,
					       &queue));
		CHECK_OK(dpr_usm_from_native(queue, (uintptr_t)address, 64, own,
					     &usm));
		CHECK_OK(
			dpr_usm_fill(queue, usm, 0, &value, 4, 64, NULL, NULL));
		CHECK_OK(dpr_queue_wait(queue));
		ck_assert_int_eq(get_int(queue, usm, 15), 8);
		dpr_usm_release(usm);
		dpr_queue_release(queue);
		if (own)
			continue;
		ck_assert_int_eq(ZE(zeMemFree)(context, address), 0);
		ck_assert_int_eq(ZE(zeCommandListDestroy)(list), 0);
	}
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_from_native(queue_of(device), (uintptr_t)&value, 4,
					0, &usm));
	CHECK_TEXT("4 bytes, is not of the queue's ze_context");
	finish_all();
}
END_TEST

/* Work waits for an event that the program signals, and the program waits for
   an event of dpr by its native handle. */
START_TEST(native_events)
{
	const ze_event_pool_desc_t pool_desc = {
		.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
		.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
		.count = 1,
	};
	const ze_event_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_EVENT_DESC };
	dpr_event *event, *done;
	dpr_events after = { 1, &event };
	ze_event_pool_handle_t pool;
	ze_context_handle_t context;
	ze_event_handle_t ze;
	uintptr_t handle;
	dpr_queue *queue;
	int value = 9;
	dpr_usm *x;

	loader = dlopen("libze_loader.so.1", RTLD_NOW);
	use_backends(NULL);
	queue = new_queue(get_device("level_zero:0"), 0);
	x = new_ints(queue, DPR_USM_DEVICE, 4, 1);
	context = (ze_context_handle_t)native(dpr_queue_device(queue),
					      DPR_NATIVE_CONTEXT);
	ck_assert_int_eq(
		ZE(zeEventPoolCreate)(context, &pool_desc, 0, NULL, &pool), 0);
	ck_assert_int_eq(ZE(zeEventCreate)(pool, &desc, &ze), 0);
	CHECK_OK(dpr_event_from_native(dpr_queue_device(queue), (uintptr_t)ze,
				       0, &event));
	CHECK_OK(dpr_usm_fill(queue, x, 0, &value, 4, 16, &after, &done));
	usleep(50000);
	ck_assert_int_ne(dpr_event_get_state(done), DPR_EVENT_COMPLETE);
	CHECK_OK(dpr_event_native(done, &handle));
	ck_assert_int_eq(
		ZE(zeEventHostSynchronize)((ze_event_handle_t)handle, 0),
		ZE_RESULT_NOT_READY);
	ck_assert_int_eq(ZE(zeEventHostSignal)(ze), 0);
	ck_assert_int_eq(ZE(zeEventHostSynchronize)((ze_event_handle_t)handle,
						    UINT64_MAX),
			 0);
	ck_assert_int_eq(get_int(queue, x, 3), 9);
	dpr_event_release(event);
	dpr_event_release(done);
	dpr_usm_release(x);
	dpr_queue_release(queue);
	ck_assert_int_eq(ZE(zeEventDestroy)(ze), 0);
	ck_assert_int_eq(ZE(zeEventPoolDestroy)(pool), 0);
	finish_all();
}
END_TEST

struct lent {
	dpr_queue *queue;
	sem_t released;
};

static void release_lent(dpr_event *event, dpr_status status, void *user)
{
	struct lent *lent = user;

	(void)event;
	(void)status;
	dpr_queue_release(lent->queue);
	sem_post(&lent->released);
}

/* The program owns its list again once the queue is released and its work is
   done.  A release in a callback leaves the rest to dpr_finalize(). */
START_TEST(a_list_that_is_gone)
{
	const ze_command_queue_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
		.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
	};
	ze_command_list_handle_t list;
	dpr_device *device;
	dpr_event *event;
	struct lent lent;

	loader = dlopen("libze_loader.so.1", RTLD_NOW);
	use_backends(NULL);
	device = get_device("level_zero:0");
	ck_assert_int_eq(
		ZE(zeCommandListCreateImmediate)(
			(ze_context_handle_t)native(device, DPR_NATIVE_CONTEXT),
			(ze_device_handle_t)native(device, DPR_NATIVE_DEVICE),
			&desc, &list),
		0);
	CHECK_OK(
		dpr_queue_from_native(device, (uintptr_t)list, 0, &lent.queue));
	CHECK_OK(dpr_queue_barrier(lent.queue, NULL, &event));
	CHECK_OK(dpr_event_wait(event));
	sem_init(&lent.released, 0, 0);
	CHECK_OK(dpr_event_on_end(event, release_lent, &lent));
	sem_wait(&lent.released);
	sem_destroy(&lent.released);
	ck_assert_int_eq(ZE(zeCommandListDestroy)(list), 0);
	dpr_event_release(event);
	finish_all();
}
END_TEST

/* Commands that the program appends to the list of an in-order queue run in the
   queue's order, with the driver's flag and without it. */
static void append_to_native(void)
{
	ze_command_list_handle_t list;
	dpr_queue *queue;
	uintptr_t out;
	dpr_usm *usm;
	int i, value;

	loader = dlopen("libze_loader.so.1", RTLD_NOW);
	ck_assert(zecpu->set("REVERSE", 1));
	use_backends(NULL);
	queue = new_queue(get_device("level_zero:0"), 0);
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 1);
	CHECK_OK(dpr_queue_native(queue, &out));
	list = (ze_command_list_handle_t)out;
	zecpu->hold(true);
	for (i = 0; i < 20; i++) {
		value = i % 2 ? i : -1;
		CHECK_OK(
			dpr_usm_fill(queue, usm, 0, &value, 4, 16, NULL, NULL));
		value = i % 2 ? -1 : i;
		if (i % 2 == 0)
			ck_assert_int_eq(ZE(zeCommandListAppendMemoryFill)(
						 list, dpr_usm_address(usm),
						 &value, 4, 16, NULL, 0, NULL),
					 0);
	}
	ck_assert_int_eq(
		ZE(zeCommandListAppendMemoryFill)(list, dpr_usm_address(usm),
						  &i, 4, 16, NULL, 0, NULL),
		0);
	zecpu->hold(false);
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_int_eq(get_int(queue, usm, 0), 20);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish_all();
}

/* Work submitted before the program asked for the list runs before the
   program's commands. */
static void append_after_work(void)
{
	const int seven = 7, nine = 9;
	dpr_queue *queue;
	uintptr_t list;
	dpr_usm *usm;

	loader = dlopen("libze_loader.so.1", RTLD_NOW);
	ck_assert(zecpu->set("REVERSE", 1));
	use_backends(NULL);
	queue = new_queue(get_device("level_zero:0"), 0);
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 1);
	CHECK_OK(dpr_queue_wait(queue));
	zecpu->hold(true);
	CHECK_OK(dpr_usm_fill(queue, usm, 0, &seven, 4, 16, NULL, NULL));
	CHECK_OK(dpr_queue_native(queue, &list));
	ck_assert_int_eq(ZE(zeCommandListAppendMemoryFill)(
				 (ze_command_list_handle_t)list,
				 dpr_usm_address(usm), &nine, 4, 16, NULL, 0,
				 NULL),
			 0);
	zecpu->hold(false);
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_int_eq(get_int(queue, usm, 0), 9);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish_all();
}

START_TEST(native_lists_after_work)
{
	append_after_work();
}
END_TEST

START_TEST(native_lists_after_work_with_the_flag)
{
	ck_assert(zecpu->set("IN_ORDER", 1));
	append_after_work();
}
END_TEST

START_TEST(native_lists_out)
{
	append_to_native();
}
END_TEST

START_TEST(native_lists_out_with_the_flag)
{
	ck_assert(zecpu->set("IN_ORDER", 1));
	append_to_native();
}
END_TEST

/* Release a queue with slow work, whose list the program has asked for.  The
   list is destroyed when the last command of the queue is done. */
START_TEST(a_native_list_leaves)
{
	dpr_device *device;
	dpr_queue *queue;
	uintptr_t out;
	dpr_usm *usm;
	int i;

	ck_assert(zecpu->set("DELAY_US", 5000));
	use_backends(NULL);
	device = get_device("level_zero:0");
	for (i = 0; i < 4; i++) {
		queue = new_queue(device, 0);
		CHECK_OK(dpr_queue_native(queue, &out));
		usm = new_ints(queue, DPR_USM_DEVICE, 4, i);
		ck_assert_int_eq(get_int(queue, usm, 3), i);
		dpr_usm_release(usm);
		if (i % 2)
			CHECK_OK(dpr_queue_wait(queue));
		dpr_queue_release(queue);
	}
	finish_all();
}
END_TEST

/* The driver refuses the barrier that orders the program's commands after
   dpr's.  The next wait reports that, once. */
START_TEST(a_native_list_without_order)
{
	dpr_queue *queue;
	uintptr_t out;
	dpr_usm *usm;

	use_backends(NULL);
	queue = new_queue(get_device("level_zero:0"), 0);
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 1);
	CHECK_OK(dpr_queue_native(queue, &out));
	/* The first barrier is appended before the fill, the second after
	   it. */
	ck_assert(zecpu->fail("zeCommandListAppendBarrier", 2, 0x7ffffffe));
	CHECK_OK(dpr_usm_fill(queue, usm, 0, "\5\0\0", 4, 16, NULL, NULL));
	ck_assert_ptr_nonnull(zecpu->failed());
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(queue));
	CHECK_TEXT("zeCommandListAppendBarrier: ZE_RESULT_ERROR_UNKNOWN");
	CHECK_OK(dpr_queue_wait(queue));
	/* Results of work under way are not trusted, so write them again. */
	CHECK_OK(dpr_usm_fill(queue, usm, 0, "\6\0\0", 4, 16, NULL, NULL));
	ck_assert_int_eq(get_int(queue, usm, 3), 6);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

int main(int argc, char **argv)
{
	const TTest *const tests[] = {
		kinds,
		hints_use_the_memory,
		a_prefetch_without_its_barrier,
		a_prefetch_without_its_second_barrier,
		a_prefetch_without_its_barrier_out_of_order,
		a_prefetch_without_its_barrier_with_the_flag,
		fills,
		a_large_allocation,
		peers,
		devices_that_are_no_peers,
		devices_of_two_drivers,
		waiting_for_the_other_driver,
		memory_that_is_staged,
		memory_that_is_imported,
		memory_that_one_of_two_drivers_imports,
		another_process,
		native_handles_in,
		native_events,
		a_list_that_is_gone,
		native_lists_after_work,
		native_lists_after_work_with_the_flag,
		native_lists_out,
		native_lists_out_with_the_flag,
		a_native_list_leaves,
		a_native_list_without_order,
	};

	if (argc == 3 && !strcmp(argv[1], "import"))
		return run_importer(atoi(argv[2]));
	return run_tests("api_ze_memory", tests,
			 sizeof(tests) / sizeof(tests[0]));
}
