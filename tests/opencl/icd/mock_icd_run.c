/* SPDX-License-Identifier: Apache-2.0 */
/* The mock driver's contexts, memory, queues, copies and events.
   Commands are executed by the call that enqueues them. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mock_objects.h"

/* --- Objects ---------------------------------------------------------------- */

void *mock_new(const void *like, size_t size)
{
	struct mock_object *object = calloc(1, size);

	if (!object)
		abort();
	memcpy(&object->dispatch, like, sizeof(object->dispatch));
	object->refs = 1;
	__atomic_add_fetch(&mock_report.live, 1, __ATOMIC_SEQ_CST);
	return object;
}

/* Drop a reference.  Returns whether it was the last one. */
bool mock_put_object(void *of)
{
	struct mock_object *object = of;

	if (__atomic_sub_fetch(&object->refs, 1, __ATOMIC_SEQ_CST))
		return false;
	__atomic_sub_fetch(&mock_report.live, 1, __ATOMIC_SEQ_CST);
	return true;
}

void *mock_get(void *of)
{
	struct mock_object *object = of;

	__atomic_add_fetch(&object->refs, 1, __ATOMIC_SEQ_CST);
	return of;
}

static cl_int CL_API_CALL release_plain(void *of)
{
	if (mock_put_object(of))
		free(of);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL retain(void *of)
{
	mock_get(of);
	return CL_SUCCESS;
}

cl_int CL_API_CALL mock_release_context(cl_context context)
{
	return release_plain(context);
}

static cl_int CL_API_CALL release_mem(cl_mem mem)
{
	if (!mock_put_object(mem))
		return CL_SUCCESS;
	if (mem->parent)
		release_mem(mem->parent);
	else if (!mem->borrowed)
		free(mem->bytes);
	mock_release_context(mem->context);
	free(mem);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL release_queue(cl_command_queue queue)
{
	if (!mock_put_object(queue))
		return CL_SUCCESS;
	if (queue->flushed < queue->sent) {
		mock_report.forbidden++;
		mock_note("forbidden: work that is never flushed\n");
	}
	mock_release_context(queue->context);
	free(queue);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL release_event(cl_event event)
{
	if (!mock_put_object(event))
		return CL_SUCCESS;
	if (event->queue)
		release_queue(event->queue);
	mock_release_context(event->context);
	free(event);
	return CL_SUCCESS;
}

static cl_context CL_API_CALL create_context(const cl_context_properties *list,
	cl_uint n, const cl_device_id *ids,
	void(CL_CALLBACK *told)(const char *, const void *, size_t, void *),
	void *user, cl_int *err)
{
	(void)list;
	(void)n;
	(void)told;
	(void)user;
	*err = CL_SUCCESS;
	return mock_new(ids[0], sizeof(struct _cl_context));
}

/* --- Memory ----------------------------------------------------------------- */

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags,
	size_t size, void *host, cl_int *err)
{
	cl_mem mem;

	*err = size > 1 << 20 ? CL_INVALID_BUFFER_SIZE : CL_SUCCESS;
	if (flags & CL_MEM_USE_HOST_PTR && !mock_report.over)
		*err = CL_INVALID_HOST_PTR;
	if (*err)
		return NULL;
	mem = mock_new(context, sizeof(*mem));
	mem->context = mock_get(context);
	mem->borrowed = host && mock_report.over == MOCK_OVER_SAME;
	mem->bytes = mem->borrowed ? host : calloc(1, size);
	mem->size = size;
	return mem;
}

static cl_mem CL_API_CALL create_sub_buffer(cl_mem parent, cl_mem_flags flags,
	cl_buffer_create_type type, const void *info, cl_int *err)
{
	const cl_buffer_region *region = info;
	cl_mem mem;

	(void)flags;
	(void)type;
	*err = region->origin % 512 ? CL_MISALIGNED_SUB_BUFFER_OFFSET :
				      CL_SUCCESS;
	if (*err)
		return NULL;
	mem = mock_new(parent, sizeof(*mem));
	mem->context = mock_get(parent->context);
	mem->parent = mock_get(parent);
	mem->bytes = parent->bytes + region->origin;
	mem->size = region->size;
	return mem;
}

static cl_int CL_API_CALL get_mem_info(cl_mem mem, cl_mem_info key, size_t room,
	void *out, size_t *ret)
{
	if (key == CL_MEM_CONTEXT)
		return mock_put(&mem->context, sizeof(mem->context), room, out,
			ret);
	if (key == CL_MEM_SIZE)
		return mock_put(&mem->size, sizeof(mem->size), room, out, ret);
	if (key == CL_MEM_ASSOCIATED_MEMOBJECT)
		return mock_put(&mem->parent, sizeof(mem->parent), room, out,
			ret);
	if (key == CL_MEM_OFFSET) {
		size_t offset = mem->parent ?
			(size_t)(mem->bytes - mem->parent->bytes) :
			0;

		return mock_put(&offset, sizeof(offset), room, out, ret);
	}
	return CL_INVALID_VALUE;
}

static void *CL_API_CALL svm_alloc(cl_context context, cl_svm_mem_flags flags,
	size_t size, cl_uint align)
{
	(void)context;
	(void)align;
	mock_note("clSVMAlloc %s\n",
		flags & CL_MEM_SVM_FINE_GRAIN_BUFFER ? "fine" : "coarse");
	return size > 1 << 20 ? NULL : calloc(1, size);
}

static void CL_API_CALL svm_free(cl_context context, void *address)
{
	(void)context;
	mock_note("clSVMFree\n");
	free(address);
}

static void *usm_alloc(const char *kind, size_t size, cl_int *err)
{
	mock_note("usm %s\n", kind);
	*err = size > 1 << 20 ? CL_INVALID_BUFFER_SIZE : CL_SUCCESS;
	return *err ? NULL : calloc(1, size);
}

static void *CL_API_CALL usm_host(cl_context context,
	const cl_mem_properties_intel *list, size_t size, cl_uint align,
	cl_int *err)
{
	(void)context;
	(void)list;
	(void)align;
	return usm_alloc("host", size, err);
}

static void *CL_API_CALL usm_device(cl_context context, cl_device_id device,
	const cl_mem_properties_intel *list, size_t size, cl_uint align,
	cl_int *err)
{
	(void)context;
	(void)device;
	(void)list;
	(void)align;
	return usm_alloc("device", size, err);
}

static void *CL_API_CALL usm_shared(cl_context context, cl_device_id device,
	const cl_mem_properties_intel *list, size_t size, cl_uint align,
	cl_int *err)
{
	(void)context;
	(void)device;
	(void)list;
	(void)align;
	return usm_alloc("shared", size, err);
}

static cl_int CL_API_CALL usm_free(cl_context context, void *address)
{
	(void)context;
	mock_note("usm free\n");
	free(address);
	return CL_SUCCESS;
}

/* --- Queues and events ------------------------------------------------------- */

static cl_command_queue queue_new(cl_context context, cl_device_id device,
	cl_command_queue_properties flags)
{
	cl_command_queue queue = mock_new(context, sizeof(*queue));

	queue->context = mock_get(context);
	queue->device = device;
	queue->flags = flags;
	return queue;
}

static cl_command_queue CL_API_CALL create_queue(cl_context context,
	cl_device_id device, cl_command_queue_properties flags, cl_int *err)
{
	mock_note("clCreateCommandQueue\n");
	*err = CL_SUCCESS;
	return queue_new(context, device, flags);
}

static cl_command_queue CL_API_CALL create_queue_with(cl_context context,
	cl_device_id device, const cl_queue_properties *list, cl_int *err)
{
	cl_command_queue_properties flags = 0;

	*err = CL_SUCCESS;
	for (; list && list[0]; list += 2) {
		if (list[0] == CL_QUEUE_PROPERTIES)
			flags = list[1];
		else if (list[0] == CL_QUEUE_PRIORITY_KHR)
			mock_note("priority %u\n", (unsigned)list[1]);
		else
			*err = CL_INVALID_PROPERTY;
	}
	return *err ? NULL : queue_new(context, device, flags);
}

static cl_int CL_API_CALL get_queue_info(cl_command_queue queue,
	cl_command_queue_info key, size_t room, void *out, size_t *ret)
{
	switch (key) {
	case CL_QUEUE_CONTEXT:
		return mock_put(&queue->context, sizeof(queue->context), room,
			out, ret);
	case CL_QUEUE_DEVICE:
		return mock_put(&queue->device, sizeof(queue->device), room,
			out, ret);
	case CL_QUEUE_PROPERTIES:
		return mock_put(&queue->flags, sizeof(queue->flags), room, out,
			ret);
	default: return CL_INVALID_VALUE;
	}
}

/* Whether the command of @event counts as started: only a flush of its queue
   starts it. */
static bool sent_out(cl_event event)
{
	return !event->queue || event->number <= event->queue->flushed;
}

static cl_int CL_API_CALL flush(cl_command_queue queue)
{
	cl_event event;

	queue->flushed = queue->sent;
	while ((event = queue->calls)) {
		queue->calls = event->next;
		event->call(event, event->status, event->user);
		release_event(event);
	}
	return CL_SUCCESS;
}

cl_int mock_command(cl_command_queue queue, cl_command_type type, cl_uint n,
	const cl_event *list, cl_event *out, cl_int status)
{
	cl_event event;
	cl_uint i;

	mock_report.enqueues++;
	queue->sent++;
	for (i = 0; i < n; i++) {
		if (list[i]->queue != queue && !sent_out(list[i])) {
			mock_report.forbidden++;
			mock_note("forbidden: waits for work not flushed\n");
		}
		if (list[i]->context != queue->context)
			return CL_INVALID_CONTEXT;
		if (list[i]->status < 0)
			status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	}
	if (type == CL_COMMAND_MARKER && !n && queue->failed) {
		status = queue->failed;
		queue->failed = 0;
	} else if (status < 0 && !queue->failed) {
		queue->failed = status;
	}
	if (!out)
		return CL_SUCCESS;
	event = mock_new(queue, sizeof(*event));
	event->context = mock_get(queue->context);
	event->queue = mock_get(queue);
	event->type = type;
	event->status = status;
	event->number = queue->sent;
	*out = event;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL marker(cl_command_queue queue, cl_uint n,
	const cl_event *list, cl_event *event)
{
	return mock_command(queue, CL_COMMAND_MARKER, n, list, event, CL_COMPLETE);
}

static cl_int CL_API_CALL barrier(cl_command_queue queue, cl_uint n,
	const cl_event *list, cl_event *event)
{
	mock_note("barrier after %u\n", n);
	return mock_command(queue, CL_COMMAND_BARRIER, n, list, event, CL_COMPLETE);
}

static cl_int CL_API_CALL get_event_info(cl_event event, cl_event_info key,
	size_t room, void *out, size_t *ret)
{
	cl_int status = sent_out(event) ? event->status : CL_QUEUED;

	switch (key) {
	case CL_EVENT_COMMAND_EXECUTION_STATUS:
		return mock_put(&status, sizeof(status), room, out, ret);
	case CL_EVENT_COMMAND_TYPE:
		return mock_put(&event->type, sizeof(event->type), room, out,
			ret);
	case CL_EVENT_CONTEXT:
		return mock_put(&event->context, sizeof(event->context), room,
			out, ret);
	case CL_EVENT_COMMAND_QUEUE:
		return mock_put(&event->queue, sizeof(event->queue), room, out,
			ret);
	default: return CL_INVALID_VALUE;
	}
}

static cl_int CL_API_CALL wait_for(cl_uint n, const cl_event *list)
{
	cl_uint i;

	for (i = 0; i < n; i++)
		if (list[i]->queue)
			flush(list[i]->queue);
	for (i = 0; i < n; i++)
		if (list[i]->status < 0)
			return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL set_callback(cl_event event, cl_int when,
	void(CL_CALLBACK *call)(cl_event, cl_int, void *), void *user)
{
	(void)when;
	if (sent_out(event)) {
		call(event, event->status, user);
		return CL_SUCCESS;
	}
	event->call = call;
	event->user = user;
	event->next = event->queue->calls;
	event->queue->calls = mock_get(event);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL get_times(cl_event event, cl_profiling_info key,
	size_t room, void *out, size_t *ret)
{
	cl_ulong time = 1000 + key - CL_PROFILING_COMMAND_QUEUED;

	if (!event->queue || !(event->queue->flags & CL_QUEUE_PROFILING_ENABLE))
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	return mock_put(&time, sizeof(time), room, out, ret);
}

/* --- Copies ------------------------------------------------------------------ */

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem mem,
	cl_bool block, size_t at, size_t size, void *to, cl_uint n,
	const cl_event *list, cl_event *event)
{
	(void)block;
	memcpy(to, mem->bytes + at, size);
	return mock_command(queue, CL_COMMAND_READ_BUFFER, n, list, event, 0);
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem mem,
	cl_bool block, size_t at, size_t size, const void *from, cl_uint n,
	const cl_event *list, cl_event *event)
{
	(void)block;
	memcpy(mem->bytes + at, from, size);
	return mock_command(queue, CL_COMMAND_WRITE_BUFFER, n, list, event, 0);
}

static cl_int CL_API_CALL svm_memcpy(cl_command_queue queue, cl_bool block,
	void *to, const void *from, size_t size, cl_uint n,
	const cl_event *list, cl_event *event)
{
	(void)block;
	mock_note("clEnqueueSVMMemcpy\n");
	memcpy(to, from, size);
	return mock_command(queue, CL_COMMAND_SVM_MEMCPY, n, list, event, 0);
}

static cl_int CL_API_CALL usm_memcpy(cl_command_queue queue, cl_bool block,
	void *to, const void *from, size_t size, cl_uint n,
	const cl_event *list, cl_event *event)
{
	(void)block;
	mock_note("clEnqueueMemcpyINTEL\n");
	memcpy(to, from, size);
	return mock_command(queue, CL_COMMAND_MEMCPY_INTEL, n, list, event, 0);
}

static void fill(char *to, const void *pattern, size_t length, size_t size)
{
	size_t at;

	for (at = 0; at < size; at += length)
		memcpy(to + at, pattern, length);
}

static cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem mem,
	const void *pattern, size_t length, size_t at, size_t size, cl_uint n,
	const cl_event *list, cl_event *event)
{
	fill(mem->bytes + at, pattern, length, size);
	return mock_command(queue, CL_COMMAND_FILL_BUFFER, n, list, event, 0);
}

static cl_int CL_API_CALL svm_fill(cl_command_queue queue, void *to,
	const void *pattern, size_t length, size_t size, cl_uint n,
	const cl_event *list, cl_event *event)
{
	mock_note("clEnqueueSVMMemFill\n");
	fill(to, pattern, length, size);
	return mock_command(queue, CL_COMMAND_SVM_MEMFILL, n, list, event, 0);
}

static cl_int CL_API_CALL usm_fill(cl_command_queue queue, void *to,
	const void *pattern, size_t length, size_t size, cl_uint n,
	const cl_event *list, cl_event *event)
{
	mock_note("clEnqueueMemFillINTEL\n");
	fill(to, pattern, length, size);
	return mock_command(queue, CL_COMMAND_MEMFILL_INTEL, n, list, event, 0);
}

static cl_int CL_API_CALL usm_migrate(cl_command_queue queue,
	const void *address, size_t size, cl_mem_migration_flags flags,
	cl_uint n, const cl_event *list, cl_event *event)
{
	(void)address;
	(void)size;
	(void)flags;
	mock_note("clEnqueueMigrateMemINTEL\n");
	return mock_command(queue, CL_COMMAND_MIGRATEMEM_INTEL, n, list, event, 0);
}

static cl_int CL_API_CALL svm_migrate(cl_command_queue queue, cl_uint count,
	const void **addresses, const size_t *sizes,
	cl_mem_migration_flags flags, cl_uint n, const cl_event *list,
	cl_event *event)
{
	(void)count;
	(void)addresses;
	(void)sizes;
	(void)flags;
	mock_note("clEnqueueSVMMigrateMem\n");
	return mock_command(queue, CL_COMMAND_SVM_MIGRATE_MEM, n, list, event, 0);
}

/* --- Native kernels ---------------------------------------------------------- */

struct native_call {
	void(CL_CALLBACK *run)(void *);
	void *args;
};

static void *native_thread(void *of)
{
	struct native_call *call = of;

	call->run(call->args);
	return NULL;
}

/* Run the function where the test wants it, and wait. */
static void native_run(struct native_call *call)
{
	const size_t stacks[] = { [MOCK_NATIVE_THREAD] = (size_t)4 << 20,
		[MOCK_NATIVE_SMALL] = (size_t)128 << 10 };
	pthread_attr_t attr;
	pthread_t thread;
	pid_t child;

	switch (mock_report.native) {
	case MOCK_NATIVE_NONE: break;
	case MOCK_NATIVE_CALLER: call->run(call->args); break;
	case MOCK_NATIVE_THREAD:
	case MOCK_NATIVE_SMALL:
		pthread_attr_init(&attr);
		pthread_attr_setstacksize(&attr, stacks[mock_report.native]);
		if (pthread_create(&thread, &attr, native_thread, call))
			abort();
		pthread_join(thread, NULL);
		pthread_attr_destroy(&attr);
		break;
	case MOCK_NATIVE_ELSEWHERE:
		child = fork();
		if (!child) {
			call->run(call->args);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		break;
	}
}

/* Fill in the addresses of buffers as PoCL 3.1 does.  PoCL replaces a part of a
   buffer by the whole buffer, sorts the list, drops duplicates, and fills the
   places in their order. */
static void native_addresses(char *copy, const char *args, cl_uint n,
	const cl_mem *mems, const void **places)
{
	cl_mem whole, sorted[64];
	cl_uint i, k, n_sorted = 0;

	for (i = 0; i < n; i++) {
		whole = mems[i]->parent ? mems[i]->parent : mems[i];
		for (k = n_sorted; k && sorted[k - 1] > whole; k--)
			;
		if (k && sorted[k - 1] == whole)
			continue;
		memmove(sorted + k + 1, sorted + k,
			(n_sorted - k) * sizeof(*sorted));
		sorted[k] = whole;
		n_sorted++;
	}
	for (i = 0; i < n_sorted; i++)
		memcpy(copy + ((const char *)places[i] - args),
			&sorted[i]->bytes, sizeof(sorted[i]->bytes));
}

static cl_int CL_API_CALL native_kernel(cl_command_queue queue,
	void(CL_CALLBACK *run)(void *), void *args, size_t size, cl_uint n_mems,
	const cl_mem *mems, const void **places, cl_uint n,
	const cl_event *list, cl_event *event)
{
	struct native_call call = { run, NULL };
	cl_int refused = mock_report.refuse_native;
	bool waits_in_vain = false;
	cl_uint i;

	mock_note("clEnqueueNativeKernel %u\n", n_mems);
	mock_report.refuse_native = CL_SUCCESS;
	if (!mock_report.native || !n_mems != !mems || !n_mems != !places)
		return CL_INVALID_OPERATION;
	if (refused)
		return refused;
	for (i = 0; i < n; i++)
		waits_in_vain |= list[i]->status < 0;
	if (!waits_in_vain) {
		call.args = malloc(size);
		if (!call.args)
			abort();
		memcpy(call.args, args, size);
		native_addresses(call.args, args, n_mems, mems, places);
		native_run(&call);
		free(call.args);
	}
	return mock_command(
		queue, CL_COMMAND_NATIVE_KERNEL, n, list, event, CL_COMPLETE);
}

/* Stands for every function that a persona must not be asked for. */
static long CL_API_CALL forbidden(void)
{
	mock_report.forbidden++;
	mock_note("forbidden\n");
	return 0;
}

static void set(void *slot, void *function)
{
	memcpy(slot, &function, sizeof(function));
}

static void forbid_svm(cl_icd_dispatch *table)
{
	set(&table->clSVMAlloc, (void *)forbidden);
	set(&table->clSVMFree, (void *)forbidden);
	set(&table->clSetKernelArgSVMPointer, (void *)forbidden);
	set(&table->clEnqueueSVMMemcpy, (void *)forbidden);
	set(&table->clEnqueueSVMMemFill, (void *)forbidden);
	set(&table->clEnqueueSVMMigrateMem, (void *)forbidden);
}

static void fill_objects(cl_icd_dispatch *table)
{
	table->clCreateContext = create_context;
	table->clReleaseContext = mock_release_context;
	set(&table->clRetainContext, (void *)retain);
	set(&table->clRetainMemObject, (void *)retain);
	set(&table->clRetainProgram, (void *)retain);
	set(&table->clRetainKernel, (void *)retain);
	set(&table->clRetainCommandQueue, (void *)retain);
	set(&table->clRetainEvent, (void *)retain);
	table->clReleaseMemObject = release_mem;
	table->clReleaseCommandQueue = release_queue;
	table->clReleaseEvent = release_event;
	table->clCreateBuffer = create_buffer;
	table->clCreateSubBuffer = create_sub_buffer;
	table->clGetMemObjectInfo = get_mem_info;
	table->clCreateCommandQueue = create_queue;
	table->clGetCommandQueueInfo = get_queue_info;
	table->clGetEventInfo = get_event_info;
	table->clWaitForEvents = wait_for;
	table->clSetEventCallback = set_callback;
	table->clGetEventProfilingInfo = get_times;
	table->clFlush = flush;
	table->clFinish = flush;
}

void mock_fill_run(cl_icd_dispatch *table, enum mock_persona persona)
{
	fill_objects(table);
	mock_fill_kernels(table);
	table->clEnqueueNativeKernel = native_kernel;
	table->clEnqueueReadBuffer = read_buffer;
	table->clEnqueueWriteBuffer = write_buffer;
	table->clEnqueueFillBuffer = fill_buffer;
	table->clEnqueueMarkerWithWaitList = marker;
	table->clEnqueueBarrierWithWaitList = barrier;

	table->clCreateCommandQueueWithProperties = create_queue_with;
	table->clSVMAlloc = svm_alloc;
	table->clSVMFree = svm_free;
	table->clSetKernelArgSVMPointer = mock_set_address;
	table->clEnqueueSVMMemcpy = svm_memcpy;
	table->clEnqueueSVMMemFill = svm_fill;
	table->clEnqueueSVMMigrateMem = svm_migrate;
	table->clCreateProgramWithIL = mock_create_il;
	table->clSetProgramSpecializationConstant = mock_set_constant;
	if (persona == MOCK_USM || persona == MOCK_OLD ||
		persona == MOCK_PLAIN)
		forbid_svm(table);
	if (persona == MOCK_OLD || persona == MOCK_PLAIN) {
		set(&table->clCreateCommandQueueWithProperties,
			(void *)forbidden);
		set(&table->clCreateProgramWithIL, (void *)forbidden);
		set(&table->clGetDeviceAndHostTimer, (void *)forbidden);
		set(&table->clGetKernelSubGroupInfo, (void *)forbidden);
		set(&table->clSetProgramSpecializationConstant,
			(void *)forbidden);
	}
}

void *mock_extension(enum mock_persona persona, const char *name)
{
	static const struct {
		const char *name;
		void *function;
	} list[] = {
		{ "clHostMemAllocINTEL", (void *)usm_host },
		{ "clDeviceMemAllocINTEL", (void *)usm_device },
		{ "clSharedMemAllocINTEL", (void *)usm_shared },
		{ "clMemFreeINTEL", (void *)usm_free },
		{ "clSetKernelArgMemPointerINTEL", (void *)mock_set_address },
		{ "clEnqueueMemcpyINTEL", (void *)usm_memcpy },
		{ "clEnqueueMemFillINTEL", (void *)usm_fill },
		{ "clEnqueueMigrateMemINTEL", (void *)usm_migrate },
	};
	size_t i;

	if (persona != MOCK_USM && persona != MOCK_POCL)
		return NULL;
	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (strcmp(name, list[i].name) == 0)
			return list[i].function;
	return NULL;
}
