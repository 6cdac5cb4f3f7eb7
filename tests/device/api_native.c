/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_native.c - handles of the driver, taken out of dpr and put in: what the
 * public functions refuse, on the mock; what OpenCL itself says about the
 * handles, on OpenCL devices.
 */
#include <dlfcn.h>
#include <time.h>

#include "tests/support/runtime_test.h"

#define N 64

/* The parts of OpenCL 1.2 used here, so that no vendor's header is needed. */
static struct {
	void *(*clCreateContext)(const intptr_t *, uint32_t, void *const *,
				 void *, void *, int32_t *);
	void *(*clCreateCommandQueue)(void *, void *, uint64_t, int32_t *);
	void *(*clCreateUserEvent)(void *, int32_t *);
	int32_t (*clEnqueueMarkerWithWaitList)(void *, uint32_t, void *const *,
					       void **);
	int32_t (*clFinish)(void *);
	int32_t (*clGetCommandQueueInfo)(void *, uint32_t, size_t, void *,
					 size_t *);
	int32_t (*clGetEventInfo)(void *, uint32_t, size_t, void *, size_t *);
	int32_t (*clGetKernelInfo)(void *, uint32_t, size_t, void *, size_t *);
	int32_t (*clGetProgramInfo)(void *, uint32_t, size_t, void *, size_t *);
	int32_t (*clReleaseCommandQueue)(void *);
	int32_t (*clReleaseContext)(void *);
	int32_t (*clReleaseEvent)(void *);
	int32_t (*clRetainCommandQueue)(void *);
	int32_t (*clRetainEvent)(void *);
	int32_t (*clSetUserEventStatus)(void *, int32_t);
} cl;

enum {
	CL_QUEUE_REFERENCE_COUNT = 0x1092,
	CL_PROGRAM_KERNEL_NAMES = 0x1168,
	CL_KERNEL_FUNCTION_NAME = 0x1190,
	CL_EVENT_COMMAND_QUEUE = 0x11d0,
	CL_EVENT_REFERENCE_COUNT = 0x11d2,
	CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11d3
};

static int load_opencl(void)
{
	void *file = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!file) {
		printf("skipped: %s\n", dlerror());
		return 0;
	}
#define LOAD(name)                                               \
	do {                                                     \
		*(void **)(void *)&cl.name = dlsym(file, #name); \
		if (!cl.name) {                                  \
			printf("skipped: no %s\n", #name);       \
			return 0;                                \
		}                                                \
	} while (0)
	LOAD(clCreateContext);
	LOAD(clCreateCommandQueue);
	LOAD(clCreateUserEvent);
	LOAD(clEnqueueMarkerWithWaitList);
	LOAD(clFinish);
	LOAD(clGetCommandQueueInfo);
	LOAD(clGetEventInfo);
	LOAD(clGetKernelInfo);
	LOAD(clGetProgramInfo);
	LOAD(clReleaseCommandQueue);
	LOAD(clReleaseContext);
	LOAD(clReleaseEvent);
	LOAD(clRetainCommandQueue);
	LOAD(clRetainEvent);
	LOAD(clSetUserEventStatus);
#undef LOAD
	return 1;
}

/* The handles of the mock are its own objects. */
START_TEST(handles_of_the_mock)
{
	dpr_kernel *kernel = mock_kernel(q1, "sleep_ms");
	dpr_image image = { "mock", NULL, "copy fail", 9 };
	uintptr_t one = 0, two = 0;
	dpr_program *program;
	dpr_event *event;

	CHECK_OK(dpr_program_from_images(q1, &image, 1, NULL, &program));
	CHECK_OK(dpr_program_native(program, &one));
	CHECK_OK(dpr_kernel_native(kernel, &two));
	ck_assert_uint_ne(one, 0);
	ck_assert_uint_ne(two, 0);
	ck_assert_uint_ne(one, two);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	CHECK_OK(dpr_event_native(event, &one));
	ck_assert_uint_ne(one, 0);
	CHECK_OK(dpr_event_wait(event));
	dpr_event_release(event);
	/* An error of the backend is passed on, and the handle is set to 0. */
	mock->fail(MOCK_native_get, 1, 2, DPR_RC_UNSUPPORTED, 0);
	one = two = 1;
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_program_native(program, &one));
	CHECK_TEXT("the backend mock has no such handle");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_kernel_native(kernel, &two));
	ck_assert_uint_eq(one, 0);
	ck_assert_uint_eq(two, 0);
	dpr_program_release(program);
	dpr_kernel_release(kernel);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A submission that the core still holds has no handle. */
START_TEST(held_work_has_no_handle)
{
	dpr_event *gate, *held;
	uintptr_t handle = 1;

	mock->hold(1);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &gate));
	CHECK_OK(dpr_queue_barrier(q2, DPR_AFTER(gate), &held));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_event_native(held, &handle));
	CHECK_TEXT("has not been handed to the driver");
	ck_assert_uint_eq(handle, 0);
	mock->hold(0);
	CHECK_OK(dpr_event_wait_for(held, 5 * SECOND));
	CHECK_OK(dpr_event_native(held, &handle));
	ck_assert_uint_ne(handle, 0);
	dpr_event_release(gate);
	dpr_event_release(held);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(null_has_no_handle)
{
	dpr_kernel *kernel = mock_kernel(q1, "copy");
	uintptr_t handle = 1;
	dpr_event *event;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_event_native(NULL, &handle));
	ck_assert_uint_eq(handle, 0);
	handle = 1;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_program_native(NULL, &handle));
	ck_assert_uint_eq(handle, 0);
	handle = 1;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_native(NULL, &handle));
	ck_assert_uint_eq(handle, 0);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_native(kernel, NULL));
	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_event_native(event, NULL));
	dpr_event_release(event);
	dpr_kernel_release(kernel);
	CHECK_OK(dpr_finalize());
}
END_TEST

#define NOTHING ((void *)1)

START_TEST(mock_takes_no_handles)
{
	dpr_device *device = dpr_queue_device(q1);
	dpr_queue *queue = NOTHING;
	dpr_event *event = NOTHING;

	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_queue_from_native(device, 1, 1, &queue));
	CHECK_TEXT("the backend mock does not support such handles");
	ck_assert_ptr_null(queue);
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_event_from_native(device, 1, 0, &event));
	ck_assert_ptr_null(event);
	ck_assert_uint_eq(mock->calls(MOCK_native_wrap), 2);
	mock->fail(MOCK_native_wrap, 1, 2, DPR_RC_INVALID, -36);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_queue_from_native(device, 1, 0, &queue));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_event_from_native(device, 1, 0, &event));
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(nothing_is_not_wrapped)
{
	dpr_device *device = dpr_queue_device(q1);
	dpr_queue *queue = NOTHING;
	dpr_event *event = NOTHING;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_queue_from_native(device, 0, 0, &queue));
	CHECK_TEXT("the handle is 0");
	ck_assert_ptr_null(queue);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_event_from_native(device, 0, 0, &event));
	ck_assert_ptr_null(event);
	queue = NOTHING;
	event = NOTHING;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_queue_from_native(NULL, 1, 0, &queue));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_event_from_native(NULL, 1, 0, &event));
	ck_assert_ptr_null(queue);
	ck_assert_ptr_null(event);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_queue_from_native(device, 1, 0, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_event_from_native(device, 1, 0, NULL));
	/* None of these calls reached the backend. */
	ck_assert_uint_eq(mock->calls(MOCK_native_wrap), 0);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The last release destroys an object, and no earlier one does.  A kernel keeps
   its program alive. */
START_TEST(references_are_counted)
{
	dpr_image image = { "mock", NULL, "copy fail", 9 };
	dpr_program *program;
	dpr_kernel *kernel;

	CHECK_OK(dpr_program_from_images(q1, &image, 1, NULL, &program));
	ck_assert_ptr_eq(dpr_program_device(program), dpr_queue_device(q1));
	ck_assert_str_eq(dpr_program_log(program), "");
	ck_assert_ptr_eq(dpr_program_retain(program), program);
	CHECK_OK(dpr_kernel_create(program, "copy", &kernel));
	ck_assert_ptr_eq(dpr_kernel_retain(kernel), kernel);
	dpr_kernel_release(kernel);
	ck_assert_uint_eq(mock->calls(MOCK_module_kernel_destroy), 0);
	ck_assert_str_eq(dpr_kernel_name(kernel), "copy");
	dpr_kernel_release(kernel);
	ck_assert_uint_eq(mock->calls(MOCK_module_kernel_destroy), 1);
	dpr_program_release(program);
	ck_assert_uint_eq(mock->calls(MOCK_module_destroy), 0);
	CHECK_OK(dpr_kernel_create(program, "fail", &kernel));
	dpr_program_release(program);
	ck_assert_uint_eq(mock->calls(MOCK_module_destroy), 0);
	dpr_kernel_release(kernel);
	ck_assert_uint_eq(mock->calls(MOCK_module_destroy), 1);
	ck_assert_ptr_null(dpr_program_retain(NULL));
	ck_assert_ptr_null(dpr_kernel_retain(NULL));
	ck_assert_ptr_null(dpr_program_device(NULL));
	ck_assert_str_eq(dpr_program_log(NULL), "");
	CHECK_OK(dpr_finalize());
}
END_TEST

static void *native_of(enum dpr_native_what what)
{
	uintptr_t handle = 0;

	CHECK_OK(dpr_device_native(test_device, what, &handle));
	ck_assert_uint_ne(handle, 0);
	return (void *)handle;
}

static void *new_cl_queue(uint64_t properties)
{
	int32_t err = 1;
	void *queue = cl.clCreateCommandQueue(native_of(DPR_NATIVE_CONTEXT),
					      native_of(DPR_NATIVE_DEVICE),
					      properties, &err);

	ck_assert_int_eq(err, 0);
	return queue;
}

static void *new_user_event(void)
{
	int32_t err = 1;
	void *event = cl.clCreateUserEvent(native_of(DPR_NATIVE_CONTEXT), &err);

	ck_assert_int_eq(err, 0);
	return event;
}

static uint32_t queue_refs(void *queue)
{
	uint32_t refs = 0;

	ck_assert_int_eq(cl.clGetCommandQueueInfo(queue,
						  CL_QUEUE_REFERENCE_COUNT,
						  sizeof(refs), &refs, NULL),
			 0);
	return refs;
}

static uint32_t event_refs(void *event)
{
	uint32_t refs = 0;

	ck_assert_int_eq(cl.clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT,
					   sizeof(refs), &refs, NULL),
			 0);
	return refs;
}

static int32_t event_status(void *event)
{
	int32_t status = -1;

	ck_assert_int_eq(cl.clGetEventInfo(event,
					   CL_EVENT_COMMAND_EXECUTION_STATUS,
					   sizeof(status), &status, NULL),
			 0);
	return status;
}

static void fill(dpr_queue *queue, dpr_usm *usm, int value,
		 const dpr_events *after, dpr_event **done)
{
	CHECK_OK(dpr_usm_fill(queue, usm, 0, &value, sizeof(value),
			      N * sizeof(value), after, done));
}

/* Work from dpr and work from the driver's API run in one order on the
   queue. */
START_TEST(wraps_a_queue)
{
	void *native = new_cl_queue(0), *gate = new_user_event();
	uint32_t refs = queue_refs(native);
	uintptr_t handle = 0;
	dpr_queue *queue;
	dpr_event *done;
	dpr_usm *usm;

	CHECK_OK(dpr_queue_from_native(test_device, (uintptr_t)native, 0,
				       &queue));
	ck_assert_ptr_eq(dpr_queue_device(queue), test_device);
	ck_assert_uint_eq(dpr_queue_get_flags(queue), DPR_QUEUE_IN_ORDER);
	ck_assert(!dpr_queue_is_canonical(queue));
	CHECK_OK(dpr_queue_native(queue, &handle));
	ck_assert_uint_eq(handle, (uintptr_t)native);
	usm = new_ints(queue, N, 1);
	ck_assert_int_eq(first_int(queue, usm), 1);
	/* Work of dpr waits for an earlier command of the driver. */
	ck_assert_int_eq(cl.clEnqueueMarkerWithWaitList(native, 1, &gate, NULL),
			 0);
	fill(queue, usm, 2, NULL, &done);
	CHECK_OK(dpr_queue_flush(queue));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(done, 20 * MS));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_queue_wait_for(queue, 20 * MS));
	ck_assert_int_eq(cl.clSetUserEventStatus(gate, 0), 0);
	/* When the driver's queue is finished, the wrapped queue is, too. */
	ck_assert_int_eq(cl.clFinish(native), 0);
	CHECK_OK(dpr_event_wait_for(done, 0));
	ck_assert_int_eq(first_int(queue, usm), 2);
	dpr_event_release(done);
	/* Releasing the queue does not stop its work. */
	fill(queue, usm, 3, NULL, &done);
	dpr_queue_release(queue);
	CHECK_OK(dpr_event_wait(done));
	dpr_event_release(done);
	/* PoCL keeps the last event that used an allocation, and so the event's
	   queue. PoCL 6 keeps it even after unified shared memory is freed. */
	fill(test_queue, usm, 4, NULL, NULL);
	dpr_usm_release(usm);
	/* A queue that was released while busy is freed by a later call. */
	CHECK_OK(dpr_queue_wait(test_queue));
	EVENTUALLY(queue_refs(native) == refs);
	/* Only the caller's reference is left. */
	ck_assert_int_eq(cl.clFinish(native), 0);
	ck_assert_int_eq(cl.clReleaseCommandQueue(native), 0);
	ck_assert_int_eq(cl.clReleaseEvent(gate), 0);
}
END_TEST

START_TEST(takes_a_queue_over)
{
	void *native = new_cl_queue(0);
	uint32_t refs = queue_refs(native);
	dpr_queue *queue;

	ck_assert_int_eq(cl.clRetainCommandQueue(native), 0);
	CHECK_OK(dpr_queue_from_native(test_device, (uintptr_t)native, 1,
				       &queue));
	ck_assert_uint_eq(queue_refs(native), refs + 1);
	dpr_queue_release(queue);
	EVENTUALLY(queue_refs(native) == refs);
	ck_assert_int_eq(cl.clReleaseCommandQueue(native), 0);
}
END_TEST

START_TEST(refuses_another_context)
{
	void *id = native_of(DPR_NATIVE_DEVICE), *context, *native, *user;
	dpr_queue *queue = NOTHING;
	dpr_event *event = NOTHING;
	int32_t err = 1;

	context = cl.clCreateContext(NULL, 1, &id, NULL, NULL, &err);
	ck_assert_int_eq(err, 0);
	native = cl.clCreateCommandQueue(context, id, 0, &err);
	ck_assert_int_eq(err, 0);
	user = cl.clCreateUserEvent(context, &err);
	ck_assert_int_eq(err, 0);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_queue_from_native(test_device, (uintptr_t)native, 0,
					  &queue));
	CHECK_TEXT("another cl_context");
	ck_assert_ptr_null(queue);
	CHECK_FAILS(
		DPR_ERROR_INVALID_ARGUMENT,
		dpr_event_from_native(test_device, (uintptr_t)user, 0, &event));
	CHECK_TEXT("another cl_context");
	ck_assert_ptr_null(event);
	ck_assert_int_eq(cl.clSetUserEventStatus(user, 0), 0);
	ck_assert_int_eq(cl.clReleaseEvent(user), 0);
	ck_assert_int_eq(cl.clReleaseCommandQueue(native), 0);
	ck_assert_int_eq(cl.clReleaseContext(context), 0);
}
END_TEST

START_TEST(shows_an_event)
{
	uintptr_t handle = 0, queue = 0;
	void *native = NULL;
	dpr_event *done;
	dpr_usm *usm = new_ints(test_queue, N, 1);

	CHECK_OK(dpr_queue_native(test_queue, &queue));
	fill(test_queue, usm, 2, NULL, &done);
	CHECK_OK(dpr_event_native(done, &handle));
	ck_assert_uint_ne(handle, 0);
	ck_assert_int_eq(cl.clGetEventInfo((void *)handle,
					   CL_EVENT_COMMAND_QUEUE,
					   sizeof(native), &native, NULL),
			 0);
	ck_assert_uint_eq((uintptr_t)native, queue);
	CHECK_OK(dpr_event_wait(done));
	ck_assert_int_eq(event_status((void *)handle), 0);
	dpr_event_release(done);
	dpr_usm_release(usm);
}
END_TEST

START_TEST(waits_for_a_user_event)
{
	void *user = new_user_event();
	uint32_t refs = event_refs(user);
	dpr_usm *usm = new_ints(test_queue, N, 1);
	dpr_event *event, *done;
	uintptr_t handle = 0;

	CHECK_OK(
		dpr_event_from_native(test_device, (uintptr_t)user, 0, &event));
	CHECK_OK(dpr_event_native(event, &handle));
	ck_assert_uint_eq(handle, (uintptr_t)user);
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(event, 0));
	fill(test_queue, usm, 2, DPR_AFTER(event), &done);
	CHECK_OK(dpr_queue_flush(test_queue));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(done, 20 * MS));
	ck_assert_int_eq(cl.clSetUserEventStatus(user, 0), 0);
	CHECK_OK(dpr_event_wait(done));
	CHECK_OK(dpr_event_wait(event));
	ck_assert_int_eq(dpr_event_get_state(event), DPR_EVENT_COMPLETE);
	ck_assert_int_eq(first_int(test_queue, usm), 2);
	dpr_event_release(done);
	dpr_event_release(event);
	dpr_usm_release(usm);
	CHECK_OK(dpr_queue_wait(test_queue));
	EVENTUALLY(event_refs(user) == refs);
	ck_assert_int_eq(cl.clReleaseEvent(user), 0);
}
END_TEST

START_TEST(fails_with_a_user_event)
{
	void *user = new_user_event();
	dpr_queue *queue = NULL;
	dpr_event *event, *done;
	dpr_status status;
	dpr_usm *usm;

	CHECK_OK(dpr_queue_create(test_device, 0, &queue));
	usm = new_ints(queue, N, 1);
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_int_eq(cl.clRetainEvent(user), 0);
	CHECK_OK(
		dpr_event_from_native(test_device, (uintptr_t)user, 1, &event));
	fill(queue, usm, 2, DPR_AFTER(event), &done);
	CHECK_OK(dpr_queue_flush(queue));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(done, 20 * MS));
	ck_assert_int_eq(cl.clSetUserEventStatus(user, -5), 0);
	status = dpr_event_wait(event);
	ck_assert_int_ne(status, DPR_OK);
	status = dpr_event_wait(done);
	ck_assert_int_ne(status, DPR_OK);
	ck_assert_int_eq(dpr_event_get_state(done), DPR_EVENT_FAILED);
	ck_assert_int_eq(dpr_event_get_state(event), DPR_EVENT_FAILED);
	/* The queue reports the failure once; the memory reports it each
	   time. */
	(void)!dpr_queue_wait(queue);
	check_spoiled(queue, usm, status);
	check_spoiled(queue, usm, status);
	set_ints(queue, usm, N, 3);
	ck_assert_int_eq(first_int(queue, usm), 3);
	dpr_event_release(done);
	dpr_event_release(event);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	EVENTUALLY(event_refs(user) == 1);
	ck_assert_int_eq(cl.clReleaseEvent(user), 0);
}
END_TEST

static const char source[] =
	"#warning a word of the compiler\n"
	"kernel void seven(global int *x) { x[get_global_id(0)] = 7; }\n";

/* Tracked memory keeps its work in order even on an out-of-order queue. */
START_TEST(wraps_a_queue_without_order)
{
	void *native = new_cl_queue(1), *gate = new_user_event();
	dpr_event *open, *first, *second;
	dpr_kernel *kernel;
	dpr_queue *queue;
	dpr_usm *usm;

	CHECK_OK(dpr_queue_from_native(test_device, (uintptr_t)native, 1,
				       &queue));
	CHECK_OK(dpr_event_from_native(test_device, (uintptr_t)gate, 0, &open));
	CHECK_OK(dpr_kernel_from_source(queue, source, "seven", &kernel));
	usm = new_ints(queue, N, 1);
	CHECK_OK(dpr_queue_wait(queue));
	{
		dpr_arg args[] = { DPR_USM_READ_WRITE(usm, 0) };

		CHECK_OK(dpr_kernel_launch_usm(queue, kernel, DPR_RANGE1(N),
					       DPR_AFTER(open), &first, args,
					       1));
		CHECK_OK(dpr_kernel_launch_usm(queue, kernel, DPR_RANGE1(N),
					       NULL, &second, args, 1));
	}
	CHECK_OK(dpr_queue_flush(queue));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(second, 20 * MS));
	ck_assert_int_eq(cl.clSetUserEventStatus(gate, 0), 0);
	CHECK_OK(dpr_event_wait(second));
	CHECK_OK(dpr_event_wait_for(first, 0));
	ck_assert_int_eq(first_int(queue, usm), 7);
	dpr_event_release(first);
	dpr_event_release(second);
	dpr_event_release(open);
	dpr_kernel_release(kernel);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	ck_assert_int_eq(cl.clReleaseEvent(gate), 0);
}
END_TEST

START_TEST(shows_programs_and_kernels)
{
	char names[64] = "", name[64] = "", fresh[200];
	uintptr_t handle = 0;
	struct timespec now;
	dpr_program *program;
	dpr_kernel *kernel;

	/* PoCL has no build log for a program from its cache, so make
	   the source unique. */
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(fresh, sizeof(fresh), "%s/* %lld.%09ld */\n", source,
		 (long long)now.tv_sec, now.tv_nsec);
	CHECK_OK(dpr_program_from_source(test_queue, fresh, NULL, &program));
	ck_assert_ptr_eq(dpr_program_device(program), test_device);
	/* Some drivers drop the log of their compiler; those of CPUs do not. */
	if (dpr_device_get_type(test_device) == DPR_DEVICE_CPU)
		ck_assert_msg(strstr(dpr_program_log(program),
				     "a word of the compiler") != NULL,
			      "the log: %s", dpr_program_log(program));
	CHECK_OK(dpr_program_native(program, &handle));
	ck_assert_int_eq(cl.clGetProgramInfo((void *)handle,
					     CL_PROGRAM_KERNEL_NAMES,
					     sizeof(names), names, NULL),
			 0);
	ck_assert_str_eq(names, "seven");
	CHECK_OK(dpr_kernel_create(program, "seven", &kernel));
	CHECK_OK(dpr_kernel_native(kernel, &handle));
	ck_assert_int_eq(cl.clGetKernelInfo((void *)handle,
					    CL_KERNEL_FUNCTION_NAME,
					    sizeof(name), name, NULL),
			 0);
	ck_assert_str_eq(name, "seven");
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	program = NOTHING;
	CHECK_FAILS(DPR_ERROR_BUILD,
		    dpr_program_from_source(test_queue, "#error no such word\n",
					    NULL, &program));
	CHECK_TEXT("no such word");
	ck_assert_ptr_null(program);
}
END_TEST

/* Whether the driver really lets later commands overtake on this queue. */
static int overtakes(dpr_queue *queue)
{
	const char *platform =
		dpr_device_info_string(test_device, DPR_INFO_PLATFORM_NAME);

	return dpr_queue_get_flags(queue) & DPR_QUEUE_OUT_OF_ORDER &&
	       platform && strstr(platform, "Portable Computing Language");
}

/* On an out-of-order queue, a launch of an empty range waits for its list of
   events, and not for earlier work. */
START_TEST(empty_launches_wait_for_their_list)
{
	void *gates[2] = { new_user_event(), new_user_event() };
	dpr_event *open[2], *stuck, *empty;
	dpr_kernel *kernel;
	dpr_queue *queue;
	dpr_usm *usm;
	int i;

	CHECK_OK(dpr_queue_create(test_device, DPR_QUEUE_OUT_OF_ORDER, &queue));
	CHECK_OK(dpr_kernel_from_source(queue, source, "seven", &kernel));
	usm = new_ints(queue, N, 1);
	for (i = 0; i < 2; i++)
		CHECK_OK(dpr_event_from_native(test_device, (uintptr_t)gates[i],
					       0, &open[i]));
	fill(queue, usm, 2, DPR_AFTER(open[0]), &stuck);
	{
		dpr_arg args[] = { DPR_USM_AT(usm, 0) };

		CHECK_OK(dpr_kernel_launch_usm(queue, kernel, DPR_RANGE1(0),
					       DPR_AFTER(open[1]), &empty, args,
					       1));
	}
	CHECK_OK(dpr_queue_flush(queue));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(empty, 20 * MS));
	ck_assert_int_eq(cl.clSetUserEventStatus(gates[1], 0), 0);
	if (overtakes(queue)) {
		CHECK_OK(dpr_event_wait_for(empty, 10 * SECOND));
		ck_assert_int_lt(dpr_event_get_state(stuck),
				 DPR_EVENT_COMPLETE);
	}
	ck_assert_int_eq(cl.clSetUserEventStatus(gates[0], 0), 0);
	CHECK_OK(dpr_event_wait(empty));
	CHECK_OK(dpr_event_wait(stuck));
	ck_assert_int_eq(first_int(queue, usm), 2);
	dpr_event_release(stuck);
	dpr_event_release(empty);
	for (i = 0; i < 2; i++) {
		dpr_event_release(open[i]);
		ck_assert_int_eq(cl.clReleaseEvent(gates[i]), 0);
	}
	dpr_kernel_release(kernel);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
}
END_TEST

static Suite *opencl_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("opencl");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, wraps_a_queue);
	tcase_add_test(tcase, wraps_a_queue_without_order);
	tcase_add_test(tcase, takes_a_queue_over);
	tcase_add_test(tcase, refuses_another_context);
	tcase_add_test(tcase, shows_an_event);
	tcase_add_test(tcase, waits_for_a_user_event);
	tcase_add_test(tcase, fails_with_a_user_event);
	tcase_add_test(tcase, shows_programs_and_kernels);
	tcase_add_test(tcase, empty_launches_wait_for_their_list);
	suite_add_tcase(suite, tcase);
	return suite;
}

/* Each test runs in a child process, before this process starts a driver. */
static int run_on_mock(void)
{
	Suite *suite = suite_create("mock");
	TCase *tcase = tcase_create("mock");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, handles_of_the_mock);
	tcase_add_test(tcase, held_work_has_no_handle);
	tcase_add_test(tcase, null_has_no_handle);
	tcase_add_test(tcase, mock_takes_no_handles);
	tcase_add_test(tcase, nothing_is_not_wrapped);
	tcase_add_test(tcase, references_are_counted);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}

int main(void)
{
	dpr_device *devices[MAX_DEVICES];
	size_t count;

	if (run_on_mock())
		return EXIT_FAILURE;
	if (!load_opencl())
		return 77;
	if (dpr_device_enumerate("opencl", devices, MAX_DEVICES, &count)) {
		printf("skipped: %s\n", dpr_last_error());
		return 77;
	}
	return run_on_devices(opencl_suite, devices,
			      count < MAX_DEVICES ? count : MAX_DEVICES);
}
