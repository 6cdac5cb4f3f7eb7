/* SPDX-License-Identifier: Apache-2.0 */
/* api_cuda_native.c - the CUDA backend beside another library in the process.
   This library has its own streams, events and memory, makes contexts current
   and resets them.  Also memory of another process. */
#include <pthread.h>
#include <sys/wait.h>

#include <dpr/dlpack.h>

#include "tests/cuda/cuda_api.h"
#include "tests/cuda/driver/cumock_types.h"
#include "tests/plugins/mock_control.h"

#define N 64

/* The driver's entries, as the other library calls them. */
static struct {
#define CUDA_ENTRY(since, name, version) PFN_##name##_v##version name;
#include "backends/cuda/cuda_entries.def"
#undef CUDA_ENTRY
} other;
static CUcontext contexts[2];

#define OK(call) ck_assert_int_eq((int)(call), 0)

/* Start the other library: it retains a context of each device, and makes none
   current. */
static void start(void)
{
	PFN_cuGetProcAddress_v12000 get;
	CUdriverProcAddressQueryResult result;
	int i;

	use_backends(NULL);
	*(void **)&get = dlsym(mock_library, "cuGetProcAddress_v2");
#define CUDA_ENTRY(since, name, version) \
	OK(get(#name, (void **)&other.name, version, 0, &result));
#include "backends/cuda/cuda_entries.def"
#undef CUDA_ENTRY
	OK(other.cuInit(0));
	for (i = 0; i < 2; i++)
		OK(other.cuDevicePrimaryCtxRetain(&contexts[i], i));
}

static void stop(void)
{
	OK(other.cuDevicePrimaryCtxRelease(0));
	OK(other.cuDevicePrimaryCtxRelease(1));
	finish_all();
}

static CUstream new_stream(CUcontext context)
{
	CUcontext was;
	CUstream stream;

	OK(other.cuCtxPushCurrent(context));
	OK(other.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING,
					    0));
	OK(other.cuCtxPopCurrent(&was));
	return stream;
}

static CUdeviceptr new_memory(CUcontext context, size_t size)
{
	CUdeviceptr memory;
	CUcontext was;

	OK(other.cuCtxPushCurrent(context));
	OK(other.cuMemAlloc(&memory, size));
	OK(other.cuCtxPopCurrent(&was));
	return memory;
}

static dpr_queue *wrap(dpr_device *device, CUstream stream, int own)
{
	dpr_queue *queue = NULL;

	CHECK_OK(dpr_queue_from_native(device, (uintptr_t)stream, own, &queue));
	ck_assert_uint_eq(dpr_queue_get_flags(queue), DPR_QUEUE_IN_ORDER);
	return queue;
}

/* --- Streams --- */

/* Work of dpr and of the other library on one stream runs in order, without an
   event for each submission. */
START_TEST(streams_are_wrapped)
{
	dpr_device *device;
	dpr_kernel *mix;
	dpr_queue *queue;
	CUstream stream;
	uintptr_t handle;
	dpr_usm *usm;
	int i;

	start();
	device = get_device("cuda:0");
	stream = new_stream(contexts[0]);
	queue = wrap(device, stream, 0);
	CHECK_OK(dpr_queue_native(queue, &handle));
	ck_assert_uint_eq(handle, (uintptr_t)stream);
	mix = new_kernel(queue, "mix");
	usm = new_ints(queue, DPR_USM_DEVICE, N, 1);
	CHECK_OK(dpr_queue_wait(queue));
	mock->forget_calls();
	mock->hold(true);
	for (i = 0; i < 10; i++)
		launch(queue, mix, usm, 1);
	OK(other.cuMemsetD32Async((CUdeviceptr)(uintptr_t)dpr_usm_address(usm),
				  5, 1, stream));
	launch(queue, mix, usm, 2);
	ck_assert_uint_eq(mock->calls("cuEventRecord"), 0);
	ck_assert_uint_eq(mock->calls("cuStreamWaitEvent"), 0);
	mock->hold(false);
	ck_assert_int_eq(get_int(queue, usm, 0), 17);
	dpr_usm_release(usm);
	dpr_kernel_release(mix);
	dpr_queue_release(queue);
	/* The stream still belongs to the program: wrap it again, now owned by
	   the queue. */
	dpr_queue_release(wrap(device, stream, 1));
	stop();
}
END_TEST

/* Use CU_STREAM_LEGACY while @current is the current context: it means another
   stream in each context. */
static void use_legacy(CUcontext current)
{
	dpr_device *device = get_device("cuda:0");
	dpr_queue *queue, *far = queue_of(get_device("cuda:1"));
	dpr_event *done = NULL;
	dpr_kernel *mix;
	dpr_usm *usm, *from;
	CUcontext was;

	if (current)
		OK(other.cuCtxPushCurrent(current));
	queue = wrap(device, CU_STREAM_LEGACY, 0);
	mix = new_kernel(queue, "mix");
	from = new_ints(far, DPR_USM_DEVICE, N, 7);
	usm = new_ints(queue_of(device), DPR_USM_DEVICE, N, 3);
	/* The launch waits for the queue that wrote its memory. */
	launch(queue, mix, usm, 1);
	CHECK_OK(dpr_usm_fill(queue, usm, 4, "\1\0\0", 4, 4, NULL, &done));
	CHECK_OK(dpr_event_wait(done));
	dpr_event_release(done);
	CHECK_OK(dpr_usm_copy(queue, usm, 8, from, 0, 4, NULL, NULL));
	CHECK_OK(dpr_queue_barrier(queue, NULL, &done));
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_int_eq(get_int(queue, usm, 0), 10);
	ck_assert_int_eq(get_int(queue, usm, 1), 1);
	ck_assert_int_eq(get_int(queue, usm, 2), 7);
	ck_assert_uint_eq(mock->depth(), current != NULL);
	dpr_event_release(done);
	dpr_usm_release(usm);
	dpr_usm_release(from);
	dpr_kernel_release(mix);
	dpr_queue_release(queue);
	if (current)
		OK(other.cuCtxPopCurrent(&was));
}

START_TEST(the_legacy_stream)
{
	start();
	use_legacy(_i ? contexts[_i - 1] : NULL);
	stop();
}
END_TEST

/* Held work on CU_STREAM_LEGACY is submitted by a thread of the library. */
START_TEST(the_legacy_stream_of_another_thread)
{
	const struct mock_control *plugin;
	dpr_queue *queue, *others;
	dpr_kernel *mix;
	dpr_event *gate;
	dpr_usm *usm, *theirs;

	use_backends("mock");
	plugin = mock_control_open("mock", NULL, 0);
	ck_assert_ptr_nonnull(plugin);
	queue = wrap(get_device("cuda:0"), CU_STREAM_LEGACY, 0);
	CHECK_OK(dpr_canonical_queue("mock", &others));
	mix = new_kernel(queue, "mix");
	usm = new_ints(queue, DPR_USM_DEVICE, N, 3);
	plugin->hold(1);
	theirs = new_ints(others, DPR_USM_DEVICE, N, 4);
	CHECK_OK(dpr_queue_barrier(others, NULL, &gate));
	CHECK_OK(dpr_queue_barrier(queue, DPR_AFTER(gate), NULL));
	launch(queue, mix, usm, 1);
	ck_assert_uint_eq(mock->calls("cuLaunchKernel"), 0);
	plugin->hold(0);
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_int_eq(get_int(queue, usm, 0), 10);
	dpr_event_release(gate);
	dpr_usm_release(usm);
	dpr_usm_release(theirs);
	dpr_kernel_release(mix);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

static void refuse_stream(dpr_device *device, uintptr_t stream,
			  const char *part)
{
	dpr_queue *queue = NULL;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_queue_from_native(device, stream, 0, &queue));
	ck_assert_ptr_null(queue);
	CHECK_TEXT(part);
}

START_TEST(streams_are_refused)
{
	dpr_device *device, *parts[4], *smaller[4];
	dpr_queue *whole, *part;
	uintptr_t of_whole, of_part;
	size_t n;

	start();
	device = get_device("cuda:0");
	CHECK_OK(dpr_device_partition_equally(device, 64, parts, 4, &n));
	CHECK_OK(dpr_device_partition_equally(parts[0], 16, smaller, 4, &n));
	whole = new_queue(device, 0);
	part = new_queue(parts[0], 0);
	CHECK_OK(dpr_queue_native(whole, &of_whole));
	CHECK_OK(dpr_queue_native(part, &of_part));
	refuse_stream(device, (uintptr_t)CU_STREAM_PER_THREAD,
		      "CU_STREAM_PER_THREAD");
	refuse_stream(get_device("cuda:1"), of_whole,
		      "does not belong to the context of");
	refuse_stream(device, of_part, "does not belong to the context of");
	refuse_stream(parts[0], of_whole, "does not belong to the context of");
	refuse_stream(parts[0], (uintptr_t)CU_STREAM_LEGACY,
		      "does not belong to the context of");
	refuse_stream(parts[1], of_part, "does not belong to the context of");
	refuse_stream(smaller[0], of_part, "does not belong to the context of");
	mock->capture_stream((void *)of_whole);
	refuse_stream(device, of_whole, "is capturing a graph");
	mock->capture_stream(NULL);
	dpr_queue_release(wrap(device, (CUstream)of_whole, 0));
	dpr_queue_release(wrap(parts[0], (CUstream)of_part, 0));
	dpr_queue_release(whole);
	dpr_queue_release(part);
	stop();
}
END_TEST

/* --- Events and memory --- */

START_TEST(events_are_wrapped)
{
	dpr_event *event = NULL;
	dpr_kernel *mix;
	dpr_queue *queue;
	CUstream stream;
	CUcontext was;
	CUevent theirs;
	dpr_usm *usm;

	mock->settings->order = CUMOCK_NEWEST;
	start();
	queue = new_queue(get_device("cuda:0"), 0);
	mix = new_kernel(queue, "mix");
	usm = new_ints(queue, DPR_USM_DEVICE, N, 1);
	stream = new_stream(contexts[0]);
	OK(other.cuCtxPushCurrent(contexts[0]));
	OK(other.cuEventCreate(&theirs, CU_EVENT_DISABLE_TIMING));
	OK(other.cuCtxPopCurrent(&was));
	CHECK_OK(dpr_queue_wait(queue));
	mock->hold(true);
	OK(other.cuMemsetD32Async((CUdeviceptr)(uintptr_t)dpr_usm_address(usm),
				  5, 1, stream));
	OK(other.cuEventRecord(theirs, stream));
	CHECK_OK(dpr_event_from_native(get_device("cuda:0"), (uintptr_t)theirs,
				       1, &event));
	CHECK_OK(dpr_queue_barrier(queue, DPR_AFTER(event), NULL));
	launch(queue, mix, usm, 2);
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(event, 0));
	mock->hold(false);
	CHECK_OK(dpr_event_wait(event));
	ck_assert_int_eq(get_int(queue, usm, 0), 17);
	dpr_event_release(event);
	OK(other.cuStreamDestroy(stream));
	dpr_usm_release(usm);
	dpr_kernel_release(mix);
	dpr_queue_release(queue);
	stop();
}
END_TEST

START_TEST(memory_is_wrapped)
{
	CUdeviceptr near, far;
	dpr_queue *queue;
	dpr_usm *usm = NULL;
	int seven = 7;

	start();
	near = new_memory(contexts[0], N * sizeof(int));
	far = new_memory(contexts[1], N * sizeof(int));
	queue = new_queue(get_device("cuda:0"), 0);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_from_native(queue, (uintptr_t)far, 4, 0, &usm));
	CHECK_TEXT("belongs to CUDA device 1");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_from_native(queue, (uintptr_t)near,
					(N + 1) * sizeof(int), 0, &usm));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_from_native(queue, (uintptr_t)&seven, 4, 0, &usm));
	CHECK_OK(dpr_usm_from_native(queue, (uintptr_t)near + 4,
				     (N - 1) * sizeof(int), 0, &usm));
	ck_assert_int_eq(dpr_usm_get_kind(usm), DPR_USM_DEVICE);
	CHECK_OK(dpr_usm_fill(queue, usm, 0, &seven, 4, 8, NULL, NULL));
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_int_eq(((int *)(uintptr_t)near)[2], 7);
	dpr_usm_release(usm);
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_int_eq(mock->live(CUMOCK_MEMORY) > 1, true);
	CHECK_OK(dpr_usm_from_native(queue, (uintptr_t)near, 4, 1, &usm));
	dpr_usm_release(usm);
	OK(other.cuMemFree(far));
	dpr_queue_release(queue);
	stop();
}
END_TEST

static void *let_go_later(void *unused)
{
	struct timespec some = { 0, 300000000 };

	(void)unused;
	nanosleep(&some, NULL);
	mock->hold(false);
	return NULL;
}

/* To free memory, the driver waits until the device is idle.  The release of
   memory that was taken over or is not from a pool must not wait for this. */
START_TEST(a_release_does_not_wait)
{
	struct cumock_wait waits[64];
	dpr_usm *usm = NULL, *busy;
	CUdeviceptr theirs;
	pthread_t thread;
	dpr_queue *queue;
	size_t i, n;

	start();
	theirs = new_memory(contexts[0], N * sizeof(int));
	queue = new_queue(get_device("cuda:0"), 0);
	busy = new_ints(queue, DPR_USM_DEVICE, N, 1);
	if (_i) {
		CHECK_OK(dpr_driver_alloc(queue, DPR_USM_DEVICE, 64, 0, &usm));
		OK(other.cuMemFree(theirs));
	} else {
		CHECK_OK(dpr_usm_from_native(queue, (uintptr_t)theirs, 4, 1,
					     &usm));
	}
	CHECK_OK(dpr_queue_wait(queue));
	mock->waits(NULL, 0);
	mock->hold(true);
	CHECK_OK(dpr_usm_fill(queue, busy, 0, "\1\0\0", 4, 4, NULL, NULL));
	ck_assert(!pthread_create(&thread, NULL, let_go_later, NULL));
	dpr_usm_release(usm);
	n = mock->waits(waits, 64);
	for (i = 0; i < n && i < 64; i++)
		ck_assert_msg(waits[i].thread !=
				      (uint64_t)(uintptr_t)pthread_self(),
			      "the release has waited in %s", waits[i].entry);
	pthread_join(thread, NULL);
	dpr_usm_release(busy);
	dpr_queue_release(queue);
	stop();
}
END_TEST

/* --- DLPack --- */

/* Work that a consumer enqueues on its default stream runs after dpr's work. */
START_TEST(a_consumer_follows)
{
	dpr_dlpack_options options = { .struct_size = sizeof(options),
				       .version = { 1, 1 },
				       .order = DPR_DLPACK_STREAM,
				       .stream = (uintptr_t)CU_STREAM_LEGACY };
	const int64_t size = N;
	dpr_array *x = NULL;
	CUdeviceptr theirs;
	dpr_dlpack tensor;
	dpr_queue *queue;
	int seven = 7;
	CUcontext was;

	mock->settings->order = CUMOCK_NEWEST;
	start();
	queue = queue_of(get_device("cuda:0"));
	theirs = new_memory(contexts[0], N * sizeof(int));
	CHECK_OK(dpr_empty(dpr_shape_of(1, &size), DPR_INT32, queue, &x));
	CHECK_OK(dpr_queue_wait(queue));
	if (_i)
		OK(other.cuCtxPushCurrent(contexts[0]));
	mock->hold(true);
	CHECK_OK(dpr_usm_fill(queue, dpr_array_usm(x), 0, &seven, sizeof(seven),
			      N * sizeof(int), NULL, NULL));
	CHECK_OK(dpr_array_to_dlpack(x, &options, &tensor));
	ck_assert_int_eq(tensor.versioned->tensor.device.type, DPR_DL_CUDA);
	ck_assert_int_eq(tensor.versioned->tensor.device.id, 0);
	if (!_i)
		OK(other.cuCtxPushCurrent(contexts[0]));
	OK(other.cuMemcpyAsync(
		theirs, (CUdeviceptr)(uintptr_t)tensor.versioned->tensor.data,
		N * sizeof(int), CU_STREAM_LEGACY));
	mock->hold(false);
	OK(other.cuStreamSynchronize(CU_STREAM_LEGACY));
	OK(other.cuCtxPopCurrent(&was));
	ck_assert_int_eq(((int *)(uintptr_t)theirs)[N - 1], 7);
	dpr_dlpack_release(&tensor);
	dpr_array_release(x);
	OK(other.cuMemFree(theirs));
	stop();
}
END_TEST

static int deleted;

static void delete (dpr_dl_versioned *self)
{
	(void)self;
	deleted++;
}

/* Check that memory is refused if its DLPack device type does not match its
   kind. */
static void refuse_wrong_kinds(const dpr_dlpack *managed, dpr_queue *queue)
{
	static const struct {
		dpr_usm_kind kind;
		int type;
		const char *text;
	} wrong[] = {
		{ DPR_USM_HOST, DPR_DL_CUDA,
		  "device 2:0, but its memory is on 3:0" },
		{ DPR_USM_SHARED, DPR_DL_CUDA,
		  "device 2:0, but its memory is on 13:0" },
		{ DPR_USM_DEVICE, DPR_DL_CUDA_HOST,
		  "device 3:0, but its memory is on 2:0" },
	};
	dpr_array *x = NULL;
	dpr_usm *usm;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		usm = new_ints(queue, wrong[i].kind, N, 1);
		managed->versioned->tensor.data = dpr_usm_address(usm);
		managed->versioned->tensor.device.type = wrong[i].type;
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
			    dpr_array_from_dlpack(managed, queue,
						  DPR_COPY_ALWAYS, &x));
		CHECK_TEXT(wrong[i].text);
		ck_assert_ptr_null(x);
		ck_assert_int_eq(deleted, 0);
		dpr_usm_release(usm);
	}
}

/* A producer's memory is used without a copy, and given back once. */
START_TEST(a_producers_memory)
{
	int64_t size = N;
	dpr_dl_versioned tensor = { .version = { 1, 0 },
				    .deleter = delete,
				    .tensor = { .device = { DPR_DL_CUDA, 0 },
						.ndim = 1,
						.dtype = { DPR_DL_INT, 32, 1 },
						.shape = &size } };
	dpr_dlpack managed = { &tensor, NULL };
	dpr_array *x = NULL;
	CUdeviceptr theirs;
	dpr_queue *queue;
	int seven = 7;

	start();
	queue = new_queue(get_device("cuda:0"), 0);
	theirs = new_memory(contexts[0], N * sizeof(int));
	tensor.tensor.data = &size;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_from_dlpack(&managed, queue, DPR_COPY_NEVER, &x));
	tensor.tensor.data = (void *)(uintptr_t)theirs;
	tensor.tensor.device.id = 1;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_from_dlpack(&managed, queue, DPR_COPY_NEVER, &x));
	tensor.tensor.device.id = 0;
	refuse_wrong_kinds(&managed, queue);
	tensor.tensor.data = (void *)(uintptr_t)theirs;
	tensor.tensor.device.type = DPR_DL_CUDA;
	CHECK_OK(dpr_array_from_dlpack(&managed, queue, DPR_COPY_NEVER, &x));
	ck_assert_ptr_eq(dpr_usm_address(dpr_array_usm(x)), tensor.tensor.data);
	CHECK_OK(dpr_usm_fill(queue, dpr_array_usm(x), 0, &seven, 4, 4, NULL,
			      NULL));
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_int_eq(*(int *)tensor.tensor.data, 7);
	ck_assert_int_eq(deleted, 0);
	dpr_array_release(x);
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_int_eq(deleted, 1);
	OK(other.cuMemFree(theirs));
	dpr_queue_release(queue);
	stop();
}
END_TEST

/* --- Contexts --- */

/* No call of dpr runs in the context that another library has made current. */
START_TEST(a_context_that_is_gone)
{
	CUcontext was;
	dpr_queue *queue;
	dpr_usm *usm = NULL;

	start();
	queue = new_queue(get_device("cuda:0"), 0);
	OK(other.cuCtxPushCurrent(contexts[1]));
	mock->fail("cuCtxPushCurrent", 1, CUDA_ERROR_CONTEXT_IS_DESTROYED);
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST,
		    dpr_usm_alloc(queue, DPR_USM_DEVICE, 8 << 20, &usm));
	CHECK_TEXT("CUDA_ERROR_CONTEXT_IS_DESTROYED");
	ck_assert_int_eq(mock->live(CUMOCK_MEMORY), 0);
	OK(other.cuCtxPopCurrent(&was));
	dpr_queue_release(queue);
	OK(other.cuDevicePrimaryCtxRelease(0));
	OK(other.cuDevicePrimaryCtxRelease(1));
	(void)!dpr_finalize();
	check_mock();
}
END_TEST

/* Another library resets the context and makes new objects, which may get the
   addresses and handles that dpr's objects had. */
START_TEST(a_context_that_was_reset)
{
	enum { SIZE = 96 << 20, TRIES = 8 };
	CUdeviceptr ours, theirs = 0;
	dpr_event *done;
	dpr_queue *queue;
	dpr_usm *usm;
	int i;

	start();
	queue = new_queue(get_device("cuda:0"), DPR_QUEUE_PROFILING);
	CHECK_OK(dpr_usm_alloc(queue, DPR_USM_DEVICE, SIZE, &usm));
	CHECK_OK(dpr_usm_fill(queue, usm, 0, "\1\0\0", 4, 4, NULL, &done));
	CHECK_OK(dpr_event_wait(done));
	dpr_event_release(done);
	ours = (CUdeviceptr)(uintptr_t)dpr_usm_address(usm);
	mock->reset_context(0);
	OK(other.cuDevicePrimaryCtxRetain(&contexts[0], 0));
	for (i = 0; i < TRIES && theirs != ours; i++)
		theirs = new_memory(contexts[0], SIZE);
	mock->forget_calls();
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	(void)!dpr_finalize();
	ck_assert_int_eq(mock->live(CUMOCK_MEMORY), i);
	ck_assert_uint_eq(mock->calls("cuMemFree"), 0);
	ck_assert_uint_eq(mock->calls("cuStreamDestroy"), 0);
	ck_assert_uint_eq(mock->calls("cuEventDestroy"), 0);
	ck_assert_uint_eq(mock->calls("cuDevicePrimaryCtxRelease"), 0);
}
END_TEST

static int told;

static void tell(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
	__atomic_fetch_add(&told, 1, __ATOMIC_RELAXED);
}

/* Finalize the library, and only then end the capture. */
static void stop_in_capture(void)
{
	OK(other.cuDevicePrimaryCtxRelease(0));
	OK(other.cuDevicePrimaryCtxRelease(1));
	CHECK_OK(dpr_finalize());
	mock->capture(false);
	check_mock();
}

/* While another library captures a graph, dpr's calls on any thread neither
   break the graph nor fail. */
START_TEST(a_graph_of_another_library)
{
	enum { EVENTS = 12 }; /* more than the plugin has streams to notify */
	dpr_event *events[EVENTS];
	dpr_kernel *mix, *more;
	dpr_usm *usm, *large;
	dpr_queue *queue;
	int i;

	start();
	queue = new_queue(get_device("cuda:0"), _i ? DPR_QUEUE_PROFILING : 0);
	mix = new_kernel(queue, "mix");
	usm = new_ints(queue, DPR_USM_DEVICE, N, 1);
	CHECK_OK(dpr_queue_wait(queue));
	mock->capture(true);
	mock->hold(true);
	for (i = 0; i < EVENTS; i++) {
		CHECK_OK(try_launch(queue, mix, usm, 1, &events[i]));
		CHECK_OK(dpr_event_on_end(events[i], tell, NULL));
	}
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(events[0], 3000000));
	large = new_ints(queue, DPR_USM_DEVICE, 8 << 20, 1);
	mock->hold(false);
	for (i = 0; i < EVENTS; i++) {
		CHECK_OK(dpr_event_wait(events[i]));
		dpr_event_release(events[i]);
	}
	for (i = 0;
	     i < 5000 && __atomic_load_n(&told, __ATOMIC_RELAXED) < EVENTS; i++)
		usleep(1000);
	ck_assert_int_eq(__atomic_load_n(&told, __ATOMIC_RELAXED), EVENTS);
	more = new_kernel(queue, "append");
	CHECK_OK(dpr_queue_wait(queue));
	dpr_usm_release(large);
	CHECK_OK(dpr_pool_trim(get_device("cuda:0"), 0, NULL));
	ck_assert_int_eq(get_int(queue, usm, 0), 797161);
	dpr_kernel_release(more);
	dpr_kernel_release(mix);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	stop_in_capture();
}
END_TEST

/* During the capture, the program's event is wrapped, and a submission fails
   after the driver has taken its command, so that the call waits for it. */
START_TEST(events_during_a_graph)
{
	dpr_event *event, *none = NULL;
	CUevent theirs;
	CUcontext was;
	dpr_queue *queue;
	dpr_usm *usm;
	int value = 5;

	start();
	queue = new_queue(get_device("cuda:0"), 0);
	usm = new_ints(queue, DPR_USM_DEVICE, N, 1);
	OK(other.cuCtxPushCurrent(contexts[0]));
	OK(other.cuEventCreate(&theirs, CU_EVENT_DISABLE_TIMING));
	OK(other.cuCtxPopCurrent(&was));
	CHECK_OK(dpr_queue_wait(queue));
	mock->capture(true);
	CHECK_OK(dpr_event_from_native(get_device("cuda:0"), (uintptr_t)theirs,
				       1, &event));
	CHECK_OK(dpr_event_wait(event));
	mock->fail("cuEventRecord", 1, 999);
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_usm_fill(queue, usm, 0, &value, 4, 4 * N, NULL, &none));
	ck_assert_str_eq(mock->failed(), "cuEventRecord");
	ck_assert_uint_eq(mock->pending(), 0);
	dpr_event_release(event);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	stop_in_capture();
}
END_TEST

/* --- Another process --- */

/* Run the other process: import memory, check it and answer.  Returns 0 if it
   was right.  Check's macros work only in tests. */
static int import_memory(int from)
{
	int values[N], i;
	dpr_queue *queue;
	dpr_usm *usm;
	dpr_ipc ipc;

	if (read(from, &ipc, sizeof(ipc)) != sizeof(ipc))
		return 2;
	if (dpr_canonical_queue("cuda:0", &queue) ||
	    dpr_usm_import(queue, &ipc, &usm))
		return 3;
	if (dpr_usm_size(usm) != sizeof(values) ||
	    dpr_usm_read(queue, values, usm, 0, sizeof(values), NULL, NULL))
		return 4;
	for (i = 0; i < N; i++) {
		if (values[i] != i * 3)
			return 5;
		values[i] = i * 5;
	}
	if (dpr_usm_write(queue, usm, 0, values, sizeof(values), NULL, NULL))
		return 6;
	ipc.offset += UINT64_C(1) << 40;
	if (dpr_usm_import(queue, &ipc, &usm) != DPR_ERROR_INVALID_ARGUMENT)
		return 7;
	return 0;
}

START_TEST(memory_of_another_process)
{
	dpr_usm *before, *usm, *same = NULL;
	int values[N], i, pipes[2], status = 1;
	dpr_queue *queue;
	dpr_ipc ipc;
	pid_t child;

	mock->settings->ipc = true;
	use_backends(NULL);
	ck_assert_int_eq(pipe(pipes), 0);
	child = fork();
	if (!child)
		_exit(import_memory(pipes[0]));
	queue = queue_of(get_device("cuda:0"));
	/* Use memory that does not begin at the start of a driver's
	   allocation. */
	before = new_ints(queue, DPR_USM_DEVICE, N, 1);
	CHECK_OK(dpr_usm_alloc(queue, DPR_USM_DEVICE, sizeof(values), &usm));
	for (i = 0; i < N; i++)
		values[i] = i * 3;
	CHECK_OK(dpr_usm_write(queue, usm, 0, values, sizeof(values), NULL,
			       NULL));
	CHECK_OK(dpr_usm_export(usm, &ipc));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_import(queue, &ipc, &same));
	CHECK_TEXT("from another process");
	ck_assert_int_eq(write(pipes[1], &ipc, sizeof(ipc)), sizeof(ipc));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	CHECK_OK(dpr_usm_read(queue, values, usm, 0, sizeof(values), NULL,
			      NULL));
	for (i = 0; i < N; i++)
		ck_assert_int_eq(values[i], i * 5);
	dpr_usm_release(before);
	dpr_usm_release(usm);
	finish_all();
}
END_TEST

int main(void)
{
	TCase *tcase;
	SRunner *runner = new_runner("api_cuda_native", &tcase);

	use_backends(NULL);
	tcase_add_test(tcase, streams_are_wrapped);
	tcase_add_loop_test(tcase, the_legacy_stream, 0, 3);
	tcase_add_test(tcase, the_legacy_stream_of_another_thread);
	tcase_add_test(tcase, streams_are_refused);
	tcase_add_test(tcase, events_are_wrapped);
	tcase_add_test(tcase, memory_is_wrapped);
	tcase_add_loop_test(tcase, a_release_does_not_wait, 0, 2);
	tcase_add_loop_test(tcase, a_consumer_follows, 0, 2);
	tcase_add_test(tcase, a_producers_memory);
	tcase_add_test(tcase, a_context_that_is_gone);
	tcase_add_test(tcase, a_context_that_was_reset);
	tcase_add_loop_test(tcase, a_graph_of_another_library, 0, 2);
	tcase_add_test(tcase, events_during_a_graph);
	tcase_add_test(tcase, memory_of_another_process);
	return run_all(runner);
}
