/* SPDX-License-Identifier: Apache-2.0 */
/* The mock driver's contexts, memory, programs, kernels, queues and events.
   Commands are executed by the call that enqueues them. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock_icd.h"

enum { MOCK_ARGS = 2 };

struct _cl_context {
	struct mock_object object;
};

struct _cl_mem {
	struct mock_object object;
	cl_context context;
	cl_mem parent;
	char *bytes;
	size_t size;
};

struct _cl_program {
	struct mock_object object;
	cl_context context;
	char *source;
	const char *log;
};

struct _cl_kernel {
	struct mock_object object;
	cl_program program;
	char name[16];
	char *memory; /* argument 0 */
	cl_uint value; /* argument 1 */
	bool set[MOCK_ARGS];
};

struct _cl_command_queue {
	struct mock_object object;
	cl_context context;
	cl_device_id device;
	cl_command_queue_properties flags;
	cl_int failed; /* since the last marker */
	unsigned long sent, flushed; /* commands, and how many went out */
	cl_event calls; /* whose callbacks wait for a flush */
};

struct _cl_event {
	struct mock_object object;
	cl_context context;
	cl_command_queue queue; /* NULL: a user event */
	cl_command_type type;
	cl_int status;
	unsigned long number; /* of the command on its queue */
	cl_event next; /* in queue->calls */
	void(CL_CALLBACK *call)(cl_event, cl_int, void *);
	void *user;
};

/* --- Objects ---------------------------------------------------------------- */

static void *object_new(const void *like, size_t size)
{
	struct mock_object *object = calloc(1, size);

	if (!object)
		abort();
	memcpy(&object->dispatch, like, sizeof(object->dispatch));
	object->refs = 1;
	__atomic_add_fetch(&mock_report.live, 1, __ATOMIC_SEQ_CST);
	return object;
}

/* Whether that was the last reference. */
static bool object_put(void *of)
{
	struct mock_object *object = of;

	if (__atomic_sub_fetch(&object->refs, 1, __ATOMIC_SEQ_CST))
		return false;
	__atomic_sub_fetch(&mock_report.live, 1, __ATOMIC_SEQ_CST);
	return true;
}

static void *object_get(void *of)
{
	struct mock_object *object = of;

	__atomic_add_fetch(&object->refs, 1, __ATOMIC_SEQ_CST);
	return of;
}

static cl_int CL_API_CALL release_plain(void *of)
{
	if (object_put(of))
		free(of);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL retain(void *of)
{
	object_get(of);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL release_context(cl_context context)
{
	return release_plain(context);
}

static cl_int CL_API_CALL release_mem(cl_mem mem)
{
	if (!object_put(mem))
		return CL_SUCCESS;
	if (mem->parent)
		release_mem(mem->parent);
	else
		free(mem->bytes);
	release_context(mem->context);
	free(mem);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL release_program(cl_program program)
{
	if (!object_put(program))
		return CL_SUCCESS;
	release_context(program->context);
	free(program->source);
	free(program);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL release_kernel(cl_kernel kernel)
{
	if (!object_put(kernel))
		return CL_SUCCESS;
	release_program(kernel->program);
	free(kernel);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL release_queue(cl_command_queue queue)
{
	if (!object_put(queue))
		return CL_SUCCESS;
	if (queue->flushed < queue->sent) {
		mock_report.forbidden++;
		mock_note("forbidden: work that is never flushed\n");
	}
	release_context(queue->context);
	free(queue);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL release_event(cl_event event)
{
	if (!object_put(event))
		return CL_SUCCESS;
	if (event->queue)
		release_queue(event->queue);
	release_context(event->context);
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
	return object_new(ids[0], sizeof(struct _cl_context));
}

/* --- Memory ----------------------------------------------------------------- */

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags,
	size_t size, void *host, cl_int *err)
{
	cl_mem mem;

	*err = size > 1 << 20 ? CL_INVALID_BUFFER_SIZE : CL_SUCCESS;
	if (*err || flags & CL_MEM_USE_HOST_PTR) {
		*err = *err ? *err : CL_INVALID_HOST_PTR;
		return NULL;
	}
	(void)host;
	mem = object_new(context, sizeof(*mem));
	mem->context = object_get(context);
	mem->bytes = calloc(1, size);
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
	mem = object_new(parent, sizeof(*mem));
	mem->context = object_get(parent->context);
	mem->parent = object_get(parent);
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
	cl_command_queue queue = object_new(context, sizeof(*queue));

	queue->context = object_get(context);
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

/* Commands are seen to run only once somebody has flushed their queue. */
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

/* Record a command that has run with @status, or did not run because one of its
   dependencies has failed. */
static cl_int command(cl_command_queue queue, cl_command_type type, cl_uint n,
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
	event = object_new(queue, sizeof(*event));
	event->context = object_get(queue->context);
	event->queue = object_get(queue);
	event->type = type;
	event->status = status;
	event->number = queue->sent;
	*out = event;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL marker(cl_command_queue queue, cl_uint n,
	const cl_event *list, cl_event *event)
{
	return command(queue, CL_COMMAND_MARKER, n, list, event, CL_COMPLETE);
}

static cl_int CL_API_CALL barrier(cl_command_queue queue, cl_uint n,
	const cl_event *list, cl_event *event)
{
	return command(queue, CL_COMMAND_BARRIER, n, list, event, CL_COMPLETE);
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
	event->queue->calls = object_get(event);
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
	return command(queue, CL_COMMAND_READ_BUFFER, n, list, event, 0);
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem mem,
	cl_bool block, size_t at, size_t size, const void *from, cl_uint n,
	const cl_event *list, cl_event *event)
{
	(void)block;
	memcpy(mem->bytes + at, from, size);
	return command(queue, CL_COMMAND_WRITE_BUFFER, n, list, event, 0);
}

static cl_int CL_API_CALL svm_memcpy(cl_command_queue queue, cl_bool block,
	void *to, const void *from, size_t size, cl_uint n,
	const cl_event *list, cl_event *event)
{
	(void)block;
	mock_note("clEnqueueSVMMemcpy\n");
	memcpy(to, from, size);
	return command(queue, CL_COMMAND_SVM_MEMCPY, n, list, event, 0);
}

static cl_int CL_API_CALL usm_memcpy(cl_command_queue queue, cl_bool block,
	void *to, const void *from, size_t size, cl_uint n,
	const cl_event *list, cl_event *event)
{
	(void)block;
	mock_note("clEnqueueMemcpyINTEL\n");
	memcpy(to, from, size);
	return command(queue, CL_COMMAND_MEMCPY_INTEL, n, list, event, 0);
}

static void fill(char *to, const void *pattern, size_t length, size_t size)
{
	size_t at;

	for (at = 0; at < size; at += length)
		memcpy(to + at, pattern, length);
}

static cl_int CL_API_CALL svm_fill(cl_command_queue queue, void *to,
	const void *pattern, size_t length, size_t size, cl_uint n,
	const cl_event *list, cl_event *event)
{
	mock_note("clEnqueueSVMMemFill\n");
	fill(to, pattern, length, size);
	return command(queue, CL_COMMAND_SVM_MEMFILL, n, list, event, 0);
}

static cl_int CL_API_CALL usm_fill(cl_command_queue queue, void *to,
	const void *pattern, size_t length, size_t size, cl_uint n,
	const cl_event *list, cl_event *event)
{
	mock_note("clEnqueueMemFillINTEL\n");
	fill(to, pattern, length, size);
	return command(queue, CL_COMMAND_MEMFILL_INTEL, n, list, event, 0);
}

static cl_int CL_API_CALL usm_migrate(cl_command_queue queue,
	const void *address, size_t size, cl_mem_migration_flags flags,
	cl_uint n, const cl_event *list, cl_event *event)
{
	(void)address;
	(void)size;
	(void)flags;
	mock_note("clEnqueueMigrateMemINTEL\n");
	return command(queue, CL_COMMAND_MIGRATEMEM_INTEL, n, list, event, 0);
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
	return command(queue, CL_COMMAND_SVM_MIGRATE_MEM, n, list, event, 0);
}

/* --- Programs and kernels ----------------------------------------------------- */

static cl_program program_new(cl_context context, const char *text, size_t size)
{
	cl_program program = object_new(context, sizeof(*program));

	program->context = object_get(context);
	program->source = calloc(1, size + 1);
	if (!program->source)
		abort();
	memcpy(program->source, text, size);
	return program;
}

static cl_program CL_API_CALL create_source(cl_context context, cl_uint n,
	const char **texts, const size_t *sizes, cl_int *err)
{
	(void)n;
	*err = CL_SUCCESS;
	return program_new(context, texts[0], sizes[0]);
}

static cl_program CL_API_CALL create_il(cl_context context, const void *il,
	size_t size, cl_int *err)
{
	mock_note("clCreateProgramWithIL\n");
	*err = CL_SUCCESS;
	return program_new(context, il, size);
}

static cl_int CL_API_CALL build(cl_program program, cl_uint n,
	const cl_device_id *ids, const char *options,
	void(CL_CALLBACK *done)(cl_program, void *), void *user)
{
	(void)n;
	(void)ids;
	(void)done;
	(void)user;
	mock_note("build [%s]\n", options);
	/* A driver that takes no options with SPIR-V. */
	if (program->source[0] == 3 && options[0])
		return CL_INVALID_BUILD_OPTIONS;
	program->log = strstr(program->source, "#error") ?
		"mock: line 1: #error\n\n" : "\n";
	return program->log[0] == 'm' ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

static cl_int CL_API_CALL get_build_info(cl_program program, cl_device_id id,
	cl_program_build_info key, size_t room, void *out, size_t *ret)
{
	const char *log = program->log ? program->log : "";

	(void)id;
	if (key != CL_PROGRAM_BUILD_LOG)
		return CL_INVALID_VALUE;
	return mock_put(log, strlen(log) + 1, room, out, ret);
}

static cl_int CL_API_CALL get_program_info(cl_program program,
	cl_program_info key, size_t room, void *out, size_t *ret)
{
	if (key == CL_PROGRAM_CONTEXT)
		return mock_put(&program->context, sizeof(program->context),
			room, out, ret);
	return CL_INVALID_VALUE;
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name,
	cl_int *err)
{
	cl_kernel kernel;

	*err = CL_INVALID_KERNEL_NAME;
	if (strcmp(name, "add") != 0 && strcmp(name, "fail") != 0 &&
		strcmp(name, "mystery") != 0)
		return NULL;
	*err = CL_SUCCESS;
	kernel = object_new(program, sizeof(*kernel));
	kernel->program = object_get(program);
	snprintf(kernel->name, sizeof(kernel->name), "%s", name);
	return kernel;
}

static cl_int CL_API_CALL get_kernel_info(cl_kernel kernel, cl_kernel_info key,
	size_t room, void *out, size_t *ret)
{
	cl_uint n = MOCK_ARGS;

	switch (key) {
	case CL_KERNEL_NUM_ARGS: return mock_put(&n, sizeof(n), room, out, ret);
	case CL_KERNEL_PROGRAM:
		return mock_put(&kernel->program, sizeof(kernel->program), room,
			out, ret);
	case CL_KERNEL_CONTEXT:
		return mock_put(&kernel->program->context, sizeof(cl_context),
			room, out, ret);
	case CL_KERNEL_FUNCTION_NAME:
		return mock_put(kernel->name, strlen(kernel->name) + 1, room,
			out, ret);
	default: return CL_INVALID_VALUE;
	}
}

static cl_int CL_API_CALL get_arg_info(cl_kernel kernel, cl_uint index,
	cl_kernel_arg_info key, size_t room, void *out, size_t *ret)
{
	cl_kernel_arg_address_qualifier space = index ?
		CL_KERNEL_ARG_ADDRESS_PRIVATE : CL_KERNEL_ARG_ADDRESS_GLOBAL;
	const char *type = index ? "uint" : "uint*";

	if (kernel->name[0] == 'm')
		return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
	if (key == CL_KERNEL_ARG_ADDRESS_QUALIFIER)
		return mock_put(&space, sizeof(space), room, out, ret);
	return mock_put(type, strlen(type) + 1, room, out, ret);
}

static cl_int CL_API_CALL get_group_info(cl_kernel kernel, cl_device_id id,
	cl_kernel_work_group_info key, size_t room, void *out, size_t *ret)
{
	size_t most = 64, none[3] = { 0, 0, 0 };

	(void)kernel;
	(void)id;
	if (key == CL_KERNEL_WORK_GROUP_SIZE)
		return mock_put(&most, sizeof(most), room, out, ret);
	if (key == CL_KERNEL_COMPILE_WORK_GROUP_SIZE)
		return mock_put(none, sizeof(none), room, out, ret);
	return CL_INVALID_VALUE;
}

static cl_int CL_API_CALL set_arg(cl_kernel kernel, cl_uint index, size_t size,
	const void *value)
{
	mock_report.set_args++;
	kernel->set[index] = true;
	if (index == 0) {
		cl_mem mem = NULL;

		if (value)
			memcpy(&mem, value, sizeof(mem));
		kernel->memory = mem ? mem->bytes : NULL;
		return CL_SUCCESS;
	}
	if (size != sizeof(kernel->value))
		return CL_INVALID_ARG_SIZE;
	memcpy(&kernel->value, value, size);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL set_arg_address(cl_kernel kernel, cl_uint index,
	const void *address)
{
	mock_report.set_args++;
	kernel->set[index] = true;
	memcpy(&kernel->memory, &address, sizeof(address));
	return index ? CL_INVALID_ARG_INDEX : CL_SUCCESS;
}

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel,
	cl_uint dims, const size_t *offset, const size_t *global,
	const size_t *local, cl_uint n, const cl_event *list, cl_event *event)
{
	cl_int status = CL_COMPLETE;
	size_t i;

	(void)dims;
	(void)offset;
	if (!kernel->set[0] || !kernel->set[1])
		return CL_INVALID_KERNEL_ARGS;
	if (local && (local[0] > 64 || global[0] % local[0]))
		return CL_INVALID_WORK_GROUP_SIZE;
	mock_note("launch %zu by %zu\n", global[0], local ? local[0] : 0);
	if (kernel->name[0] == 'f')
		status = CL_OUT_OF_RESOURCES;
	for (i = 0; status == CL_COMPLETE && i < global[0]; i++)
		((cl_uint *)(void *)kernel->memory)[i] += kernel->value;
	return command(queue, CL_COMMAND_NDRANGE_KERNEL, n, list, event,
		status);
}

/* What a persona must never be asked. */
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
	table->clReleaseContext = release_context;
	set(&table->clRetainContext, (void *)retain);
	set(&table->clRetainMemObject, (void *)retain);
	set(&table->clRetainProgram, (void *)retain);
	set(&table->clRetainKernel, (void *)retain);
	set(&table->clRetainCommandQueue, (void *)retain);
	set(&table->clRetainEvent, (void *)retain);
	table->clReleaseMemObject = release_mem;
	table->clReleaseProgram = release_program;
	table->clReleaseKernel = release_kernel;
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
	table->clCreateProgramWithSource = create_source;
	table->clBuildProgram = build;
	table->clGetProgramInfo = get_program_info;
	table->clGetProgramBuildInfo = get_build_info;
	table->clCreateKernel = create_kernel;
	table->clGetKernelInfo = get_kernel_info;
	table->clGetKernelArgInfo = get_arg_info;
	table->clGetKernelWorkGroupInfo = get_group_info;
	table->clSetKernelArg = set_arg;
	table->clEnqueueNDRangeKernel = launch;
	table->clEnqueueReadBuffer = read_buffer;
	table->clEnqueueWriteBuffer = write_buffer;
	table->clEnqueueMarkerWithWaitList = marker;
	table->clEnqueueBarrierWithWaitList = barrier;

	table->clCreateCommandQueueWithProperties = create_queue_with;
	table->clSVMAlloc = svm_alloc;
	table->clSVMFree = svm_free;
	table->clSetKernelArgSVMPointer = set_arg_address;
	table->clEnqueueSVMMemcpy = svm_memcpy;
	table->clEnqueueSVMMemFill = svm_fill;
	table->clEnqueueSVMMigrateMem = svm_migrate;
	table->clCreateProgramWithIL = create_il;
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
		{ "clSetKernelArgMemPointerINTEL", (void *)set_arg_address },
		{ "clEnqueueMemcpyINTEL", (void *)usm_memcpy },
		{ "clEnqueueMemFillINTEL", (void *)usm_fill },
		{ "clEnqueueMigrateMemINTEL", (void *)usm_migrate },
	};
	size_t i;

	for (i = 0; persona == MOCK_USM && i < sizeof(list) / sizeof(list[0]);
		i++)
		if (strcmp(name, list[i].name) == 0)
			return list[i].function;
	return NULL;
}
