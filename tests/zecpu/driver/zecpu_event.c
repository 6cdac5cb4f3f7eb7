/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zecpu_event.c - event pools and events.
 *
 * A plain event is signalled or not; a command that waits for the event checks
 * this when its turn comes.  A counter-based event counts the commands that
 * signal it.  A command waits for the signals of such an event that were
 * submitted before the command.
 */
#include "zecpu_impl.h"

#include <stdlib.h>
#include <string.h>

static ze_result_t pool_counter(const ze_event_pool_desc_t *desc, bool *counter)
{
	const struct zecpu_counter_pool_desc *next =
		zecpu_check_next(desc, ZECPU_STYPE_COUNTER_POOL_DESC);

	*counter = next != NULL;
	if (next && !zecpu_knob(KNOB_COUNTER))
		return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
	if (next && next->flags & ~(ZECPU_COUNTER_IMMEDIATE |
				    ZECPU_COUNTER_NON_IMMEDIATE))
		return zecpu_misuse(ZE_RESULT_ERROR_INVALID_ENUMERATION,
				    "unknown flags %#x", next->flags);
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeEventPoolCreate(ze_context_handle_t context,
					       const ze_event_pool_desc_t *desc,
					       uint32_t n,
					       ze_device_handle_t *devices,
					       ze_event_pool_handle_t *out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeEventPoolCreate);
	struct pool *pool;
	bool counter;
	uint32_t i;

	if (result || !zecpu_object_is(context, KIND_CONTEXT, &result) ||
	    !zecpu_check_type(desc, ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
			      &result) ||
	    !zecpu_check_pointer(out, "phEventPool", &result))
		return result;
	for (i = 0; i < n; i++)
		if (!zecpu_object_is(devices[i], KIND_DEVICE, &result))
			return result;
	result = pool_counter(desc, &counter);
	if (result)
		return result;
	if (desc->flags & ~7u)
		return ZE_RESULT_ERROR_INVALID_ENUMERATION;
	if (desc->count == 0)
		return zecpu_misuse(ZE_RESULT_ERROR_INVALID_SIZE,
				    "a pool of no events");
	pool = zecpu_object_new(sizeof(*pool), KIND_POOL);
	if (!pool)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	pool->events = calloc(desc->count, sizeof(struct event *));
	if (!pool->events) {
		zecpu_object_end(pool);
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	}
	pool->context = (struct context *)context;
	pool->count = desc->count;
	pool->counter = counter;
	pool->timestamps = desc->flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
	pool->host_visible = desc->flags & ZE_EVENT_POOL_FLAG_HOST_VISIBLE;
	pthread_mutex_lock(&zecpu.lock);
	pool->context->live++;
	pthread_mutex_unlock(&zecpu.lock);
	*out = (ze_event_pool_handle_t)pool;
	return ZE_RESULT_SUCCESS;
}

/* Report a misuse if commands still wait for the event or will signal it. */
static void check_unused(const struct event *event, const char *what)
{
	if (event->waiters)
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "the event %p %s while %u commands wait for it",
			     (const void *)event, what, event->waiters);
	if (event->signals)
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "the event %p %s while %u commands will signal it",
			     (const void *)event, what, event->signals);
}

ze_result_t ZE_APICALL zecpu_zeEventPoolDestroy(ze_event_pool_handle_t handle)
{
	ze_result_t result = zecpu_enter(ENTRY_zeEventPoolDestroy);
	struct pool *pool = (struct pool *)handle;
	uint32_t i;

	if (result || !zecpu_object_is(pool, KIND_POOL, &result))
		return result;
	pthread_mutex_lock(&zecpu.lock);
	for (i = 0; i < pool->count; i++)
		if (pool->events[i])
			check_unused(pool->events[i], "loses its pool");
	if (pool->live > 0)
		result = zecpu_misuse(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE,
				      "the pool still has %lld events",
				      (long long)pool->live);
	zecpu_object_end(pool);
	pool->context->live--;
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}

ze_result_t ZE_APICALL zecpu_zeEventCreate(ze_event_pool_handle_t handle,
					   const ze_event_desc_t *desc,
					   ze_event_handle_t *out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeEventCreate);
	struct pool *pool = (struct pool *)handle;
	struct event *event = NULL;

	if (result || !zecpu_object_is(pool, KIND_POOL, &result) ||
	    !zecpu_check_type(desc, ZE_STRUCTURE_TYPE_EVENT_DESC, &result) ||
	    !zecpu_check_pointer(out, "phEvent", &result))
		return result;
	zecpu_object_hold(pool);
	pthread_mutex_lock(&zecpu.lock);
	if (desc->index >= pool->count)
		result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				      "index %u in a pool of %u events",
				      desc->index, pool->count);
	else if (pool->events[desc->index])
		result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				      "index %u of the pool is in use",
				      desc->index);
	else
		event = zecpu_object_new(sizeof(*event), KIND_EVENT);
	if (event) {
		event->pool = pool;
		event->index = desc->index;
		pool->events[desc->index] = event;
		pool->live++;
		*out = (ze_event_handle_t)event;
	} else if (!result) {
		result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	}
	pthread_mutex_unlock(&zecpu.lock);
	zecpu_object_drop(pool);
	return result;
}

ze_result_t ZE_APICALL zecpu_zeEventDestroy(ze_event_handle_t handle)
{
	ze_result_t result = zecpu_enter(ENTRY_zeEventDestroy);
	struct event *event = (struct event *)handle;

	if (result || !zecpu_object_is(event, KIND_EVENT, &result))
		return result;
	pthread_mutex_lock(&zecpu.lock);
	check_unused(event, "is destroyed");
	zecpu_object_end(event);
	event->pool->events[event->index] = NULL;
	event->pool->live--;
	pthread_mutex_unlock(&zecpu.lock);
	return ZE_RESULT_SUCCESS;
}

/* --- the host --- */

/* Check that the host may use this event. */
static bool is_visible(const struct event *event, ze_result_t *result)
{
	if (!zecpu_object_is(event, KIND_EVENT, result))
		return false;
	if (!event->pool->host_visible)
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "the event's pool is not visible to the host");
	return true;
}

ze_result_t ZE_APICALL zecpu_zeEventHostSignal(ze_event_handle_t handle)
{
	ze_result_t result = zecpu_enter(ENTRY_zeEventHostSignal);
	struct event *event = (struct event *)handle;

	if (result || !is_visible(event, &result))
		return result;
	if (event->pool->counter)
		return zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				    "the host cannot signal a counter-based "
				    "event");
	pthread_mutex_lock(&zecpu.lock);
	event->signaled = true;
	zecpu_engine_wake();
	pthread_mutex_unlock(&zecpu.lock);
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeEventHostReset(ze_event_handle_t handle)
{
	ze_result_t result = zecpu_enter(ENTRY_zeEventHostReset);
	struct event *event = (struct event *)handle;

	if (result || !is_visible(event, &result))
		return result;
	if (event->pool->counter)
		return zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				    "a counter-based event cannot be reset");
	pthread_mutex_lock(&zecpu.lock);
	check_unused(event, "is reset");
	event->signaled = false;
	event->lost = false;
	event->timed = false;
	pthread_mutex_unlock(&zecpu.lock);
	return ZE_RESULT_SUCCESS;
}

bool zecpu_event_done(const struct event *event, uint64_t target)
{
	return event->pool->counter ? event->done >= target : event->signaled;
}

static bool host_done(const void *what)
{
	const struct event *event = what;

	return event->lost || zecpu_event_done(event, event->submitted);
}

static ze_result_t state_of(const struct event *event)
{
	if (zecpu_event_done(event, event->submitted))
		return ZE_RESULT_SUCCESS;
	return event->lost ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_NOT_READY;
}

ze_result_t ZE_APICALL zecpu_zeEventHostSynchronize(ze_event_handle_t handle,
						    uint64_t timeout)
{
	ze_result_t result = zecpu_enter(ENTRY_zeEventHostSynchronize);
	struct event *event = (struct event *)handle;

	if (result || !is_visible(event, &result))
		return result;
	pthread_mutex_lock(&zecpu.lock);
	zecpu_engine_wait(host_done, event, timeout);
	result = state_of(event);
	if (result == ZE_RESULT_ERROR_DEVICE_LOST && !timeout &&
	    zecpu_knob(KNOB_LOST_QUIET))
		result = ZE_RESULT_NOT_READY;
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}

ze_result_t ZE_APICALL zecpu_zeEventQueryStatus(ze_event_handle_t handle)
{
	ze_result_t result = zecpu_enter(ENTRY_zeEventQueryStatus);
	struct event *event = (struct event *)handle;

	if (result || !is_visible(event, &result))
		return result;
	if (zecpu_knob(KNOB_QUERY_STUCK))
		return ZE_RESULT_NOT_READY;
	pthread_mutex_lock(&zecpu.lock);
	result = state_of(event);
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}

ze_kernel_timestamp_result_t zecpu_event_times(const struct event *event)
{
	uint64_t mask = (UINT64_C(1) << ZECPU_KERNEL_TIMESTAMP_BITS) - 1;
	ze_kernel_timestamp_result_t out;

	out.global.kernelStart = event->start & mask;
	out.global.kernelEnd = event->end & mask;
	/* The clock of the context differs, because it runs only while the
	   context does. */
	out.context.kernelStart = (event->start + 12345) & mask;
	out.context.kernelEnd = (event->end + 12345) & mask;
	return out;
}

ze_result_t ZE_APICALL zecpu_zeEventQueryKernelTimestamp(
	ze_event_handle_t handle, ze_kernel_timestamp_result_t *out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeEventQueryKernelTimestamp);
	struct event *event = (struct event *)handle;

	if (result || !zecpu_object_is(event, KIND_EVENT, &result) ||
	    !zecpu_check_pointer(out, "dstptr", &result))
		return result;
	if (!event->pool->timestamps)
		return zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				    "the event's pool has no timestamps");
	pthread_mutex_lock(&zecpu.lock);
	result = state_of(event);
	if (!result && !event->timed)
		result = ZE_RESULT_NOT_READY;
	if (!result)
		*out = zecpu_event_times(event);
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}

/* --- commands --- */

static bool add_wait(struct command *command, struct event *event)
{
	unsigned room = command->room_for_waits;
	struct wait *grown;

	if (command->n_waits == room) {
		grown = malloc((room * 2) * sizeof(*grown));
		if (!grown)
			return false;
		memcpy(grown, command->waits, room * sizeof(*grown));
		if (command->waits != command->few)
			free(command->waits);
		command->waits = grown;
		command->room_for_waits = room * 2;
	}
	command->waits[command->n_waits++].event = event;
	return true;
}

/* Check that commands of this context can use the event. */
static bool is_usable(const struct event *event, const struct context *context,
		      ze_result_t *result)
{
	if (!zecpu_object_is(event, KIND_EVENT, result))
		return false;
	if (event->pool->context != context)
		*result = zecpu_misuse(
			ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
			"the event %p is of another context",
			(const void *)event);
	return *result == ZE_RESULT_SUCCESS;
}

ze_result_t zecpu_event_note(struct command *command,
			     const struct context *context,
			     ze_event_handle_t signal, uint32_t n_waits,
			     ze_event_handle_t *waits)
{
	struct event *event = (struct event *)signal;
	ze_result_t result;
	uint32_t i;

	if (n_waits && !zecpu_check_pointer(waits, "phWaitEvents", &result))
		return result;
	for (i = 0; i < n_waits; i++) {
		if (!is_usable((struct event *)waits[i], context, &result))
			return result;
		if (waits[i] == signal)
			zecpu_misuse(ZE_RESULT_SUCCESS,
				     "a command waits for the event that it "
				     "signals");
		if (!add_wait(command, (struct event *)waits[i]))
			return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	}
	if (event && !is_usable(event, context, &result))
		return result;
	command->signal = event;
	return ZE_RESULT_SUCCESS;
}

void zecpu_event_submit(struct command *command)
{
	struct event *event = command->signal;
	unsigned i;

	for (i = 0; i < command->n_waits; i++) {
		command->waits[i].event->waiters++;
		command->waits[i].target = command->waits[i].event->submitted;
	}
	if (!event)
		return;
	if (event->pool->counter && !command->queue->in_order)
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "a counter-based event takes a list that is in "
			     "order");
	if (!event->pool->counter && event->signals)
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "another command will signal the event %p too",
			     (void *)event);
	event->signals++;
	command->signal_target = ++event->submitted;
}

void zecpu_event_begin(struct command *command)
{
	unsigned i;

	for (i = 0; i < command->n_waits; i++)
		command->waits[i].event->waiters--;
}

void zecpu_event_end(struct command *command, bool lost)
{
	struct event *event = command->signal;

	if (!event)
		return;
	event->signals--;
	event->start = command->start;
	event->end = zecpu_device_ticks();
	event->timed = !lost;
	if (lost)
		event->lost = true;
	else if (event->pool->counter && event->done < command->signal_target)
		event->done = command->signal_target;
	if (!lost && !event->pool->counter && event->signaled)
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "a command appended by %s signals the event %p, "
			     "which was signalled before and not reset",
			     command->name, (void *)event);
	if (!lost)
		event->signaled = true;
}
