/* SPDX-License-Identifier: Apache-2.0 */
/* zecpu_list.c - command lists, immediate and regular. */
#include "zecpu_impl.h"

#include <stdlib.h>
#include <string.h>

/* Check the flags with which a list or a queue is created. */
bool zecpu_list_flags(uint32_t flags, uint32_t known, uint32_t in_order,
		      bool *out, ze_result_t *result)
{
	*out = flags & in_order;
	*result = ZE_RESULT_SUCCESS;
	if (*out && !zecpu_knob(KNOB_IN_ORDER))
		*result = ZE_RESULT_ERROR_INVALID_ENUMERATION;
	else if (flags & ~(known | in_order))
		*result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_ENUMERATION,
				       "unknown flags %#x", flags);
	return *result == ZE_RESULT_SUCCESS;
}

bool zecpu_list_place(const void *context, const void *device, unsigned group,
		      unsigned index, ze_result_t *result)
{
	ze_command_queue_group_properties_t properties;

	if (!zecpu_object_is(context, KIND_CONTEXT, result) ||
	    !zecpu_object_is(device, KIND_DEVICE, result))
		return false;
	if (!zecpu_context_has(context, device))
		*result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				       "the device is not in the context");
	else if (!zecpu_device_group(group, &properties))
		*result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				       "no queue group %u", group);
	else if (index >= properties.numQueues)
		*result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				       "no queue %u in group %u", index, group);
	else if (atomic_load(&((const struct device *)device)->lost))
		*result = ZE_RESULT_ERROR_DEVICE_LOST;
	return *result == ZE_RESULT_SUCCESS;
}

static struct list *list_new(void *context, void *device, unsigned group)
{
	struct list *list = zecpu_object_new(sizeof(*list), KIND_LIST);

	if (!list)
		return NULL;
	list->context = context;
	list->device = list->queue.device = device;
	list->group = list->queue.group = group;
	pthread_mutex_lock(&zecpu.lock);
	list->context->live++;
	pthread_mutex_unlock(&zecpu.lock);
	return list;
}

enum { N_PRIORITIES = ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH + 1 };
/* Immediate lists by priority. */
static _Atomic uint64_t n_lists[N_PRIORITIES];

uint64_t zecpu_list_count(int priority)
{
	return (unsigned)priority < N_PRIORITIES
		       ? atomic_load(&n_lists[priority])
		       : 0;
}

ze_result_t ZE_APICALL zecpu_zeCommandListCreateImmediate(
	ze_context_handle_t context, ze_device_handle_t device,
	const ze_command_queue_desc_t *desc, ze_command_list_handle_t *out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeCommandListCreateImmediate);
	struct list *list;
	bool in_order;

	if (result ||
	    !zecpu_check_type(desc, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
			      &result) ||
	    !zecpu_check_pointer(out, "phCommandList", &result) ||
	    !zecpu_list_flags(desc->flags, ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY,
			      ZECPU_QUEUE_FLAG_IN_ORDER, &in_order, &result) ||
	    !zecpu_list_place(context, device, desc->ordinal, desc->index,
			      &result))
		return result;
	list = list_new(context, device, desc->ordinal);
	if (!list)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	list->immediate = true;
	if ((unsigned)desc->priority < N_PRIORITIES)
		atomic_fetch_add(&n_lists[desc->priority], 1);
	list->in_order = list->queue.in_order = in_order;
	list->queue.synchronous =
		desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
	*out = (ze_command_list_handle_t)list;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeCommandListCreate(
	ze_context_handle_t context, ze_device_handle_t device,
	const ze_command_list_desc_t *desc, ze_command_list_handle_t *out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeCommandListCreate);
	struct list *list;
	bool in_order;

	if (result ||
	    !zecpu_check_type(desc, ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
			      &result) ||
	    !zecpu_check_pointer(out, "phCommandList", &result) ||
	    !zecpu_list_flags(desc->flags, 7, ZECPU_LIST_FLAG_IN_ORDER,
			      &in_order, &result) ||
	    !zecpu_list_place(context, device, desc->commandQueueGroupOrdinal,
			      0, &result))
		return result;
	list = list_new(context, device, desc->commandQueueGroupOrdinal);
	if (!list)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	list->in_order = in_order;
	*out = (ze_command_list_handle_t)list;
	return ZE_RESULT_SUCCESS;
}

static void drop_commands(struct list *list)
{
	struct command *command;

	while ((command = list->first) != NULL) {
		list->first = command->next;
		zecpu_engine_free(command);
	}
	list->last = NULL;
}

/* Report a misuse if the list has commands that are not over. */
static bool is_idle(const struct list *list, const char *what)
{
	uint64_t n = list->immediate ? list->queue.length : list->in_flight;

	if (n)
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "the list is %s while %llu commands of it are not "
			     "over",
			     what, (unsigned long long)n);
	return n == 0;
}

ze_result_t ZE_APICALL
zecpu_zeCommandListDestroy(ze_command_list_handle_t handle)
{
	ze_result_t result = zecpu_enter(ENTRY_zeCommandListDestroy);
	struct list *list = (struct list *)handle;

	if (result || !zecpu_object_is(list, KIND_LIST, &result))
		return result;
	zecpu_object_hold(list);
	pthread_mutex_lock(&zecpu.lock);
	is_idle(list, "destroyed");
	drop_commands(list);
	list->context->live--;
	zecpu_object_end(list);
	pthread_mutex_unlock(&zecpu.lock);
	zecpu_object_drop(list);
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeCommandListClose(ze_command_list_handle_t handle)
{
	ze_result_t result = zecpu_enter(ENTRY_zeCommandListClose);
	struct list *list = (struct list *)handle;

	if (result || !zecpu_object_is(list, KIND_LIST, &result))
		return result;
	if (list->immediate || list->closed)
		return zecpu_misuse(
			ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list is %s",
			list->immediate ? "immediate" : "closed already");
	zecpu_object_hold(list);
	list->closed = true;
	zecpu_object_drop(list);
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeCommandListReset(ze_command_list_handle_t handle)
{
	ze_result_t result = zecpu_enter(ENTRY_zeCommandListReset);
	struct list *list = (struct list *)handle;

	if (result || !zecpu_object_is(list, KIND_LIST, &result))
		return result;
	if (list->immediate)
		return zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				    "the list is immediate");
	zecpu_object_hold(list);
	pthread_mutex_lock(&zecpu.lock);
	is_idle(list, "reset");
	drop_commands(list);
	list->closed = false;
	pthread_mutex_unlock(&zecpu.lock);
	zecpu_object_drop(list);
	return ZE_RESULT_SUCCESS;
}

/* --- appending --- */

/* Begin to use the list, and make a command for it.  Returns NULL and sets the
   result after a failure. */
static struct command *begin(ze_command_list_handle_t handle,
			     enum command_type type, ze_result_t *result)
{
	struct list *list = (struct list *)handle;
	struct command *command;

	if (!zecpu_object_is(list, KIND_LIST, result))
		return NULL;
	if (list->closed) {
		*result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				       "the list is closed");
		return NULL;
	}
	if (atomic_load(&list->device->lost)) {
		*result = ZE_RESULT_ERROR_DEVICE_LOST;
		return NULL;
	}
	zecpu_object_hold(list);
	pthread_mutex_lock(&zecpu.lock);
	command = zecpu_engine_new(type);
	if (command) {
		command->queue = &list->queue;
		command->context = list->context;
		return command;
	}
	pthread_mutex_unlock(&zecpu.lock);
	zecpu_object_drop(list);
	*result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	return NULL;
}

static void record(struct list *list, struct command *command)
{
	command->list = list;
	command->prev = list->last;
	command->next = NULL;
	if (list->last)
		list->last->next = command;
	else
		list->first = command;
	list->last = command;
}

static bool queue_empty(const void *queue)
{
	return ((const struct queue *)queue)->length == 0;
}

/* Put the command into its list or, after a failure, drop it. */
static ze_result_t end(ze_command_list_handle_t handle, struct command *command,
		       ze_result_t result, ze_event_handle_t signal,
		       uint32_t n_waits, ze_event_handle_t *waits)
{
	struct list *list = (struct list *)handle;

	if (!result)
		result = zecpu_event_note(command, list->context, signal,
					  n_waits, waits);
	if (result)
		zecpu_engine_free(command);
	else if (list->immediate)
		zecpu_engine_submit(&list->queue, command);
	else
		record(list, command);
	if (!result && list->immediate && list->queue.synchronous) {
		zecpu_engine_wait(queue_empty, &list->queue, UINT64_MAX);
		if (list->queue.lost)
			result = ZE_RESULT_ERROR_DEVICE_LOST;
	}
	pthread_mutex_unlock(&zecpu.lock);
	zecpu_object_drop(list);
	return result;
}

static bool use(struct command *command, const void *address, size_t size,
		bool system, const char *what)
{
	return zecpu_memory_use(command, command->queue->device, address, size,
				system, what);
}

static ze_result_t append_copy(ze_command_list_handle_t list, void *to,
			       struct context *context, const void *from,
			       size_t size, ze_event_handle_t signal,
			       uint32_t n_waits, ze_event_handle_t *waits)
{
	struct command *command;
	ze_result_t result;

	if (!zecpu_check_pointer(to, "dstptr", &result) ||
	    !zecpu_check_pointer(from, "srcptr", &result))
		return result;
	command = begin(list, COMMAND_COPY, &result);
	if (!command)
		return result;
	command->copy.to = to;
	command->copy.from = from;
	command->copy.width = size;
	command->copy.rows = command->copy.slices = 1;
	if (size && !use(command, to, size, true, "dstptr"))
		result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
	/* The source may belong to another context. */
	if (context)
		command->context = context;
	if (size && !result && !use(command, from, size, true, "srcptr"))
		result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
	return end(list, command, result, signal, n_waits, waits);
}

ze_result_t ZE_APICALL zecpu_zeCommandListAppendMemoryCopy(
	ze_command_list_handle_t list, void *to, const void *from, size_t size,
	ze_event_handle_t signal, uint32_t n_waits, ze_event_handle_t *waits)
{
	ze_result_t result = zecpu_enter(ENTRY_zeCommandListAppendMemoryCopy);

	return result ? result
		      : append_copy(list, to, NULL, from, size, signal, n_waits,
				    waits);
}

ze_result_t ZE_APICALL zecpu_zeCommandListAppendMemoryCopyFromContext(
	ze_command_list_handle_t list, void *to, ze_context_handle_t context,
	const void *from, size_t size, ze_event_handle_t signal,
	uint32_t n_waits, ze_event_handle_t *waits)
{
	ze_result_t result =
		zecpu_enter(ENTRY_zeCommandListAppendMemoryCopyFromContext);

	if (result || !zecpu_object_is(context, KIND_CONTEXT, &result))
		return result;
	return append_copy(list, to, (struct context *)context, from, size,
			   signal, n_waits, waits);
}

static size_t region_bytes(const ze_copy_region_t *r, size_t pitch,
			   size_t slice)
{
	return (r->depth - 1) * slice + (r->height - 1) * pitch + r->width;
}

static size_t region_start(const ze_copy_region_t *r, size_t pitch,
			   size_t slice)
{
	return r->originZ * slice + r->originY * pitch + r->originX;
}

static bool check_region(const ze_copy_region_t *r, size_t pitch, size_t slice,
			 ze_result_t *result)
{
	*result = ZE_RESULT_SUCCESS;
	if (r->width == 0 || r->height == 0 ||
	    (r->height > 1 && pitch < r->width) ||
	    (r->depth > 1 && slice < (size_t)r->height * pitch))
		*result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_SIZE,
				       "a region of %u x %u x %u with pitches "
				       "%zu and %zu",
				       r->width, r->height, r->depth, pitch,
				       slice);
	return *result == ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeCommandListAppendMemoryCopyRegion(
	ze_command_list_handle_t list, void *to,
	const ze_copy_region_t *to_region, uint32_t to_pitch, uint32_t to_slice,
	const void *from, const ze_copy_region_t *from_region,
	uint32_t from_pitch, uint32_t from_slice, ze_event_handle_t signal,
	uint32_t n_waits, ze_event_handle_t *waits)
{
	ze_result_t result =
		zecpu_enter(ENTRY_zeCommandListAppendMemoryCopyRegion);
	ze_copy_region_t t, f;
	struct command *command;
	struct copy *copy;

	if (result || !zecpu_check_pointer(to, "dstptr", &result) ||
	    !zecpu_check_pointer(from, "srcptr", &result) ||
	    !zecpu_check_pointer(to_region, "dstRegion", &result) ||
	    !zecpu_check_pointer(from_region, "srcRegion", &result))
		return result;
	t = *to_region;
	f = *from_region;
	/* A flat region may have depth 0 or 1. */
	t.depth += t.depth == 0;
	f.depth += f.depth == 0;
	if (t.width != f.width || t.height != f.height || t.depth != f.depth)
		return zecpu_misuse(ZE_RESULT_ERROR_INVALID_SIZE,
				    "the two regions differ in size");
	if (!check_region(&t, to_pitch, to_slice, &result) ||
	    !check_region(&f, from_pitch, from_slice, &result))
		return result;
	command = begin(list, COMMAND_COPY, &result);
	if (!command)
		return result;
	copy = &command->copy;
	copy->to = (unsigned char *)to + region_start(&t, to_pitch, to_slice);
	copy->from = (const unsigned char *)from +
		     region_start(&f, from_pitch, from_slice);
	copy->width = t.width;
	copy->rows = t.height;
	copy->slices = t.depth;
	copy->to_pitch = to_pitch;
	copy->to_slice = to_slice;
	copy->from_pitch = from_pitch;
	copy->from_slice = from_slice;
	if (!use(command, copy->to, region_bytes(&t, to_pitch, to_slice), true,
		 "dstptr") ||
	    !use(command, copy->from, region_bytes(&f, from_pitch, from_slice),
		 true, "srcptr"))
		result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
	return end(list, command, result, signal, n_waits, waits);
}

/* Whether the list's engine can fill with a pattern of this size. */
static ze_result_t check_pattern(const struct list *list, size_t pattern_size,
				 size_t size)
{
	ze_command_queue_group_properties_t group;

	zecpu_device_group(list->group, &group);
	if (pattern_size == 0 || (pattern_size & (pattern_size - 1)) ||
	    pattern_size > group.maxMemoryFillPatternSize)
		return zecpu_misuse(
			ZE_RESULT_ERROR_INVALID_SIZE,
			"a pattern of %zu bytes, and the engine takes at most "
			"%zu",
			pattern_size, group.maxMemoryFillPatternSize);
	if (size % pattern_size)
		return zecpu_misuse(ZE_RESULT_ERROR_INVALID_SIZE,
				    "%zu bytes are not a multiple of the "
				    "pattern's %zu",
				    size, pattern_size);
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeCommandListAppendMemoryFill(
	ze_command_list_handle_t list, void *to, const void *pattern,
	size_t pattern_size, size_t size, ze_event_handle_t signal,
	uint32_t n_waits, ze_event_handle_t *waits)
{
	ze_result_t result = zecpu_enter(ENTRY_zeCommandListAppendMemoryFill);
	struct command *command;

	if (result || !zecpu_check_pointer(to, "ptr", &result) ||
	    !zecpu_check_pointer(pattern, "pattern", &result))
		return result;
	command = begin(list, COMMAND_FILL, &result);
	if (!command)
		return result;
	result = check_pattern((struct list *)list, pattern_size, size);
	if (!result) {
		command->fill.to = to;
		command->fill.size = size;
		command->fill.pattern_size = pattern_size;
		memcpy(command->fill.pattern, pattern, pattern_size);
		if (size && !use(command, to, size, false, "ptr"))
			result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
	}
	return end(list, command, result, signal, n_waits, waits);
}

/* Append a hint; it only checks that the memory is known. */
static ze_result_t hint(ze_command_list_handle_t handle, const void *pointer,
			size_t size)
{
	struct command *command;
	ze_result_t result;

	if (!zecpu_check_pointer(pointer, "ptr", &result))
		return result;
	command = begin(handle, COMMAND_NOTHING, &result);
	if (!command)
		return result;
	if (!use(command, pointer, size, false, "ptr"))
		result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
	return end(handle, command, result, NULL, 0, NULL);
}

ze_result_t ZE_APICALL zecpu_zeCommandListAppendMemoryPrefetch(
	ze_command_list_handle_t list, const void *pointer, size_t size)
{
	ze_result_t result =
		zecpu_enter(ENTRY_zeCommandListAppendMemoryPrefetch);

	return result ? result : hint(list, pointer, size);
}

ze_result_t ZE_APICALL zecpu_zeCommandListAppendMemAdvise(
	ze_command_list_handle_t list, ze_device_handle_t device,
	const void *pointer, size_t size, ze_memory_advice_t advice)
{
	ze_result_t result = zecpu_enter(ENTRY_zeCommandListAppendMemAdvise);

	(void)advice;
	if (result || !zecpu_object_is(device, KIND_DEVICE, &result))
		return result;
	return hint(list, pointer, size);
}

/* --- order --- */

static ze_result_t append_barrier(ze_command_list_handle_t list,
				  ze_event_handle_t signal, uint32_t n_waits,
				  ze_event_handle_t *waits)
{
	ze_result_t result = ZE_RESULT_SUCCESS;
	struct command *command = begin(list, COMMAND_NOTHING, &result);

	if (!command)
		return result;
	/* A barrier that is given events waits for these alone. */
	command->after_all = n_waits == 0;
	command->before_all = true;
	return end(list, command, result, signal, n_waits, waits);
}

ze_result_t ZE_APICALL zecpu_zeCommandListAppendBarrier(
	ze_command_list_handle_t list, ze_event_handle_t signal,
	uint32_t n_waits, ze_event_handle_t *waits)
{
	ze_result_t result = zecpu_enter(ENTRY_zeCommandListAppendBarrier);

	return result ? result : append_barrier(list, signal, n_waits, waits);
}

ze_result_t ZE_APICALL zecpu_zeCommandListAppendMemoryRangesBarrier(
	ze_command_list_handle_t list, uint32_t n, const size_t *sizes,
	const void **ranges, ze_event_handle_t signal, uint32_t n_waits,
	ze_event_handle_t *waits)
{
	ze_result_t result =
		zecpu_enter(ENTRY_zeCommandListAppendMemoryRangesBarrier);

	if (result ||
	    (n &&
	     (!zecpu_check_pointer(sizes, "pRangeSizes", &result) ||
	      !zecpu_check_pointer((const void *)ranges, "pRanges", &result))))
		return result;
	return append_barrier(list, signal, n_waits, waits);
}

ze_result_t ZE_APICALL zecpu_zeCommandListAppendWaitOnEvents(
	ze_command_list_handle_t list, uint32_t n_waits,
	ze_event_handle_t *waits)
{
	ze_result_t result = zecpu_enter(ENTRY_zeCommandListAppendWaitOnEvents);
	struct command *command;

	if (result || !zecpu_check_pointer(waits, "phEvents", &result))
		return result;
	command = begin(list, COMMAND_NOTHING, &result);
	if (!command)
		return result;
	command->before_all = true;
	return end(list, command, result, NULL, n_waits, waits);
}

ze_result_t ZE_APICALL zecpu_zeCommandListAppendSignalEvent(
	ze_command_list_handle_t list, ze_event_handle_t event)
{
	ze_result_t result = zecpu_enter(ENTRY_zeCommandListAppendSignalEvent);
	struct command *command;

	if (result || !zecpu_object_is(event, KIND_EVENT, &result))
		return result;
	command = begin(list, COMMAND_NOTHING, &result);
	if (!command)
		return result;
	return end(list, command, result, event, 0, NULL);
}

ze_result_t ZE_APICALL zecpu_zeCommandListAppendEventReset(
	ze_command_list_handle_t list, ze_event_handle_t event)
{
	ze_result_t result = zecpu_enter(ENTRY_zeCommandListAppendEventReset);
	struct command *command;

	if (result || !zecpu_object_is(event, KIND_EVENT, &result))
		return result;
	if (((struct event *)event)->pool->counter)
		return zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				    "a counter-based event cannot be reset");
	command = begin(list, COMMAND_RESET, &result);
	if (!command)
		return result;
	command->reset = (struct event *)event;
	return end(list, command, result, NULL, 0, NULL);
}

/* --- time --- */

ze_result_t ZE_APICALL zecpu_zeCommandListAppendWriteGlobalTimestamp(
	ze_command_list_handle_t list, uint64_t *to, ze_event_handle_t signal,
	uint32_t n_waits, ze_event_handle_t *waits)
{
	ze_result_t result =
		zecpu_enter(ENTRY_zeCommandListAppendWriteGlobalTimestamp);
	struct command *command;

	if (result || !zecpu_check_pointer(to, "dstptr", &result))
		return result;
	command = begin(list, COMMAND_CLOCK, &result);
	if (!command)
		return result;
	command->clock.to = to;
	if (!use(command, to, sizeof(*to), false, "dstptr"))
		result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
	return end(list, command, result, signal, n_waits, waits);
}

/* Copy the program's arrays, which need not live until the command runs. */
static bool keep_events(struct command *command, uint32_t n,
			ze_event_handle_t *events, const size_t *offsets)
{
	size_t one = sizeof(struct event *) + sizeof(size_t);
	unsigned char *room = realloc(command->launch.values, n * one + 1);
	size_t *to;
	uint32_t i;

	if (!room)
		return false;
	command->launch.values = room;
	command->launch.room = command->launch.used = n * one;
	command->timestamps.n = n;
	memcpy(room, events, n * sizeof(struct event *));
	to = (size_t *)(void *)(room + n * sizeof(struct event *));
	for (i = 0; i < n; i++)
		to[i] = offsets ? offsets[i]
				: i * sizeof(ze_kernel_timestamp_result_t);
	return true;
}

ze_result_t ZE_APICALL zecpu_zeCommandListAppendQueryKernelTimestamps(
	ze_command_list_handle_t list, uint32_t n, ze_event_handle_t *events,
	void *to, const size_t *offsets, ze_event_handle_t signal,
	uint32_t n_waits, ze_event_handle_t *waits)
{
	ze_result_t result =
		zecpu_enter(ENTRY_zeCommandListAppendQueryKernelTimestamps);
	struct command *command;
	size_t at;
	uint32_t i;

	if (result || !zecpu_check_pointer(events, "phEvents", &result) ||
	    !zecpu_check_pointer(to, "dstptr", &result))
		return result;
	for (i = 0; i < n; i++)
		if (!zecpu_object_is(events[i], KIND_EVENT, &result))
			return result;
	command = begin(list, COMMAND_TIMESTAMPS, &result);
	if (!command)
		return result;
	if (!keep_events(command, n, events, offsets))
		result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	command->timestamps.to = to;
	for (i = 0; i < n && !result; i++) {
		at = offsets ? offsets[i]
			     : i * sizeof(ze_kernel_timestamp_result_t);
		if (!((struct event *)events[i])->pool->timestamps)
			result = zecpu_misuse(
				ZE_RESULT_ERROR_INVALID_ARGUMENT,
				"the event's pool has no timestamps");
		else if (!use(command, (unsigned char *)to + at,
			      sizeof(ze_kernel_timestamp_result_t), false,
			      "dstptr"))
			result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
	}
	return end(list, command, result, signal, n_waits, waits);
}

/* --- kernels --- */

static ze_result_t append_kernel(ze_command_list_handle_t list,
				 ze_kernel_handle_t handle,
				 const ze_group_count_t *groups,
				 ze_event_handle_t signal, uint32_t n_waits,
				 ze_event_handle_t *waits)
{
	struct kernel *kernel = (struct kernel *)handle;
	ze_command_queue_group_properties_t group;
	struct command *command;
	ze_result_t result;

	if (!zecpu_object_is(kernel, KIND_KERNEL, &result) ||
	    !zecpu_check_pointer(groups, "pLaunchFuncArgs", &result))
		return result;
	zecpu_object_hold(kernel);
	command = begin(list, COMMAND_KERNEL, &result);
	if (command) {
		zecpu_device_group(command->queue->group, &group);
		if (!(group.flags &
		      ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE))
			result = zecpu_misuse(
				ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
				"a launch on an engine that only copies");
		else
			result = zecpu_kernel_note(command,
						   command->queue->device,
						   kernel, groups);
		result = end(list, command, result, signal, n_waits, waits);
	}
	zecpu_object_drop(kernel);
	return result;
}

ze_result_t ZE_APICALL zecpu_zeCommandListAppendLaunchKernel(
	ze_command_list_handle_t list, ze_kernel_handle_t kernel,
	const ze_group_count_t *groups, ze_event_handle_t signal,
	uint32_t n_waits, ze_event_handle_t *waits)
{
	ze_result_t result = zecpu_enter(ENTRY_zeCommandListAppendLaunchKernel);

	return result ? result
		      : append_kernel(list, kernel, groups, signal, n_waits,
				      waits);
}

ze_result_t ZE_APICALL zecpu_zeCommandListAppendLaunchCooperativeKernel(
	ze_command_list_handle_t list, ze_kernel_handle_t kernel,
	const ze_group_count_t *groups, ze_event_handle_t signal,
	uint32_t n_waits, ze_event_handle_t *waits)
{
	ze_result_t result =
		zecpu_enter(ENTRY_zeCommandListAppendLaunchCooperativeKernel);

	if (result || !zecpu_check_pointer(groups, "pLaunchFuncArgs", &result))
		return result;
	/* Cooperative groups wait for each other, but groups run one after the
	   other here: more than one would never end. */
	if ((uint64_t)groups->groupCountX * groups->groupCountY *
		    groups->groupCountZ >
	    1)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	return append_kernel(list, kernel, groups, signal, n_waits, waits);
}

/* --- the host waits --- */

ze_result_t ZE_APICALL zecpu_zeCommandListHostSynchronize(
	ze_command_list_handle_t handle, uint64_t timeout)
{
	ze_result_t result = zecpu_enter(ENTRY_zeCommandListHostSynchronize);
	struct list *list = (struct list *)handle;

	if (result || !zecpu_object_is(list, KIND_LIST, &result))
		return result;
	if (!list->immediate)
		return zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				    "the list is not immediate");
	pthread_mutex_lock(&zecpu.lock);
	if (!zecpu_engine_wait(queue_empty, &list->queue, timeout))
		result = ZE_RESULT_NOT_READY;
	else if (list->queue.lost)
		result = ZE_RESULT_ERROR_DEVICE_LOST;
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}
