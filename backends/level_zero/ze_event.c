/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ze_event.c - events: their pools, state and times, and waiting for them.
 *
 * zeEventHostSynchronize() with a timeout of 0 tells whether an event is
 * complete.  zeEventQueryStatus() is not used: with some drivers its answer
 * never changes.
 */
#include "ze_objects.h"

/* How long a wait polls before it sleeps. */
#define LOOK_NS 50000u

/* --- Pools --- */

static void free_event(dprp_event *event)
{
	dprp_instance *instance = event->driver->instance;

	if (event->ze && !event->foreign)
		instance->ze.zeEventDestroy(event->ze);
	if (event->pins != event->few)
		dprh_free(instance->host, event->pins);
}

static void free_pool(dprp_instance *instance, struct ze_pool *pool)
{
	uint32_t i;

	for (i = 0; pool->events && i < ZE_POOL_EVENTS; i++)
		if (pool->events[i].driver)
			free_event(&pool->events[i]);
	if (pool->ze)
		instance->ze.zeEventPoolDestroy(pool->ze);
	dprh_free(instance->host, pool->events);
	dprh_free(instance->host, pool);
}

/* Make the driver's pool; all devices of the driver can use its events. */
static dprp_rc make_ze_pool(dprp_device *device, ze_context_handle_t context,
			    enum ze_event_kind kind,
			    ze_event_pool_handle_t *out)
{
	const struct ze_newer_counter_events counters = {
		.stype = ZE_NEWER_COUNTER_EVENTS_STYPE,
		.flags = ZE_NEWER_COUNTER_EVENTS_IMMEDIATE,
	};
	const ze_event_pool_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
		.pNext = kind == ZE_EVENT_COUNTER ? &counters : NULL,
		.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE |
			 (kind == ZE_EVENT_TIMED
				  ? ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP
				  : 0),
		.count = ZE_POOL_EVENTS,
	};

	return ZE_TRY_ON(device, zeEventPoolCreate, context, &desc, 0, NULL,
			 out);
}

static dprp_rc make_events(struct ze_driver *driver, dprp_device *device,
			   struct ze_pool *pool, enum ze_event_kind kind)
{
	/* The data that a command has written is visible to the host and to
	   waiting devices. */
	ze_event_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
				 .signal = ZE_EVENT_SCOPE_FLAG_HOST,
				 .wait = ZE_EVENT_SCOPE_FLAG_DEVICE };
	dprp_rc rc = DPR_RC_OK;
	dprp_event *event;

	for (; desc.index < ZE_POOL_EVENTS && !rc; desc.index++) {
		event = &pool->events[desc.index];
		event->driver = driver;
		event->kind = kind;
		event->pins = event->few;
		event->max_pins = ZE_FEW;
		rc = ZE_TRY_ON(device, zeEventCreate, pool->ze, &desc,
			       &event->ze);
	}
	return rc;
}

/* Make a pool, and put its events into the list of idle ones. */
static dprp_rc make_pool(dprp_device *device, ze_context_handle_t context,
			 enum ze_event_kind kind)
{
	struct ze_driver *driver = device->driver;
	const dprp_host *host = driver->instance->host;
	struct ze_pool *pool = dprh_alloc(host, 1, sizeof(*pool));
	uint32_t i;
	dprp_rc rc;

	if (!pool)
		return dprh_no_memory(host, "events");
	pool->events = dprh_alloc(host, ZE_POOL_EVENTS, sizeof(*pool->events));
	if (!pool->events)
		rc = dprh_no_memory(host, "events");
	else
		rc = make_ze_pool(device, context, kind, &pool->ze);
	if (!rc)
		rc = make_events(driver, device, pool, kind);
	if (rc) {
		free_pool(driver->instance, pool);
		return rc;
	}
	pthread_mutex_lock(&driver->pool_lock);
	pool->next = driver->pools;
	driver->pools = pool;
	for (i = 0; i < ZE_POOL_EVENTS; i++) {
		pool->events[i].next = driver->idle[kind];
		driver->idle[kind] = &pool->events[i];
	}
	pthread_mutex_unlock(&driver->pool_lock);
	return DPR_RC_OK;
}

void ze_event_free_all(struct ze_driver *driver)
{
	struct ze_pool *pool;

	while ((pool = driver->pools)) {
		driver->pools = pool->next;
		free_pool(driver->instance, pool);
	}
	memset(driver->idle, 0, sizeof(driver->idle));
}

static dprp_event *take_idle(struct ze_driver *driver, enum ze_event_kind kind)
{
	dprp_event *event;

	pthread_mutex_lock(&driver->pool_lock);
	event = driver->idle[kind];
	if (event)
		driver->idle[kind] = event->next;
	pthread_mutex_unlock(&driver->pool_lock);
	return event;
}

static void put_idle(dprp_event *event)
{
	struct ze_driver *driver = event->driver;

	pthread_mutex_lock(&driver->pool_lock);
	event->next = driver->idle[event->kind];
	driver->idle[event->kind] = event;
	pthread_mutex_unlock(&driver->pool_lock);
}

dprp_rc ze_event_take(dprp_device *device, ze_context_handle_t context,
		      enum ze_event_kind kind, dprp_event **out)
{
	dprp_event *event;
	dprp_rc rc;

	*out = NULL;
	while (!(event = take_idle(device->driver, kind))) {
		rc = make_pool(device, context, kind);
		if (rc == DPR_RC_UNSUPPORTED && kind == ZE_EVENT_COUNTER) {
			atomic_store(&device->driver->counters, false);
			kind = ZE_EVENT_PLAIN;
		} else if (rc) {
			return rc;
		}
	}
	if (event->used && kind != ZE_EVENT_COUNTER) {
		rc = ZE_TRY_ON(device, zeEventHostReset, event->ze);
		if (rc) {
			put_idle(event);
			return rc;
		}
	}
	event->used = false;
	event->next = NULL;
	event->device = device;
	atomic_store_explicit(&event->refs, 1, memory_order_relaxed);
	atomic_store_explicit(&event->result, ZE_RESULT_NOT_READY,
			      memory_order_relaxed);
	*out = event;
	return DPR_RC_OK;
}

void ze_event_release(dprp_event *event)
{
	if (!event || atomic_fetch_sub(&event->refs, 1) != 1)
		return;
	if (!event->wrapped) {
		put_idle(event);
		return;
	}
	free_event(event);
	dprh_free(event->driver->instance->host, event);
}

void ze_event_destroy(dprp_event *event)
{
	ze_event_release(event);
}

dprp_rc ze_event_pin(dprp_event *event, dprp_event *pin)
{
	const dprp_host *host = event->driver->instance->host;
	dprp_event **more;

	if (event->n_pins == event->max_pins) {
		more = dprh_alloc(host, 2 * (size_t)event->max_pins,
				  sizeof(*more));
		if (!more)
			return dprh_no_memory(host, "a wait list");
		memcpy(more, event->pins, event->n_pins * sizeof(*more));
		if (event->pins != event->few)
			dprh_free(host, event->pins);
		event->pins = more;
		event->max_pins *= 2;
	}
	event->pins[event->n_pins++] = ze_event_retain(pin);
	return DPR_RC_OK;
}

void ze_event_unpin(dprp_event *event)
{
	while (event->n_pins)
		ze_event_release(event->pins[--event->n_pins]);
}

dprp_rc ze_event_over(dprp_context *context, ze_event_handle_t ze, bool own,
		      dprp_event **out)
{
	const dprp_host *host = context->instance->host;
	dprp_event *event = dprh_alloc(host, 1, sizeof(*event));

	if (!event)
		return dprh_no_memory(host, "an event");
	event->driver = context->driver;
	event->device = context->root;
	event->ze = ze;
	event->wrapped = true;
	event->foreign = !own;
	event->pins = event->few;
	event->max_pins = ZE_FEW;
	atomic_init(&event->refs, 1);
	atomic_init(&event->result, ZE_RESULT_NOT_READY);
	*out = event;
	return DPR_RC_OK;
}

/* --- State --- */

/* How often a device is asked for its state while work does not end. */
#define STATUS_NS 500000000u

/* Whether the device is lost.  The driver is asked for that, because it need
   not report the loss when a call does not wait. */
static bool is_lost(dprp_device *device)
{
	dprp_device *root = device->root;
	uint64_t now = dprh_now(), asked = atomic_load(&root->asked);

	if (!atomic_load(&root->lost) && now - asked >= STATUS_NS &&
	    atomic_compare_exchange_strong(&root->asked, &asked, now) && asked)
		ze_error_is_lost(device);
	return atomic_load(&root->lost);
}

ze_result_t ze_event_ask(dprp_event *event)
{
	const struct ze_api *ze = &event->driver->instance->ze;
	ze_result_t result = (ze_result_t)atomic_load_explicit(
		&event->result, memory_order_acquire);

	if (result != ZE_RESULT_NOT_READY)
		return result;
	result = ze->zeEventHostSynchronize(event->ze, 0);
	/* Work of a lost device never completes by itself. */
	if (result == ZE_RESULT_NOT_READY && is_lost(event->device))
		result = ZE_RESULT_ERROR_DEVICE_LOST;
	if (result == ZE_RESULT_SUCCESS ||
	    ze_error_rc(result) == DPR_RC_DEVICE_LOST)
		atomic_store_explicit(&event->result, result,
				      memory_order_release);
	return result;
}

ze_result_t ze_event_await(dprp_event *event, uint64_t timeout_ns)
{
	uint64_t begin = dprh_now(), passed;
	ze_result_t result = ze_event_ask(event);

	/* Sleep between polls: the driver's own wait would keep a processor
	   busy. */
	while (result == ZE_RESULT_NOT_READY) {
		passed = dprh_now() - begin;
		if (passed >= timeout_ns)
			return result;
		if (passed >= LOOK_NS)
			dprh_nap(passed, timeout_ns - passed);
		result = ze_event_ask(event);
	}
	return result;
}

/* Get the times of the command, if the driver has them.  The host's and the
   device's clocks are compared with an error of some microseconds, so the start
   may seem to be before the queueing.  It then gets the time of the
   queueing. */
static void put_times(dprp_event *event, dprp_event_state *state)
{
	const struct ze_api *ze = &event->driver->instance->ze;
	dprp_device *device = event->device;
	ze_kernel_timestamp_result_t times;
	uint64_t least, start, end;

	if (ze->zeEventQueryKernelTimestamp(event->ze, &times))
		return;
	least = ze_clock_before(device, event->queued);
	start = ze_clock_unwrap(device, times.global.kernelStart, least);
	end = ze_clock_unwrap(device, times.global.kernelEnd, start);
	if (start < event->queued)
		start = event->queued;
	if (end < start)
		end = start;
	state->t_queued = state->t_submit =
		ze_clock_to_ns(device, event->queued ? event->queued : start);
	state->t_start = ze_clock_to_ns(device, start);
	state->t_end = ze_clock_to_ns(device, end);
}

dprp_rc ze_event_status(dprp_event *event, dprp_event_state *state,
			dprp_sink text)
{
	dprp_event_state now = { .struct_size = sizeof(now) };
	ze_result_t result = ze_event_ask(event);
	const char *name = ze_error_name(result);

	switch (ze_error_rc(result)) {
	case DPR_RC_OK:
		now.state = DPRP_EVENT_DONE;
		if (event->kind == ZE_EVENT_TIMED)
			put_times(event, &now);
		break;
	case DPR_RC_TIMEOUT: now.state = DPRP_EVENT_SUBMITTED; break;
	case DPR_RC_DEVICE_LOST:
		now.state = DPRP_EVENT_FAILED;
		now.rc = ze_error_check_device(event->device, result,
					       "zeEventHostSynchronize");
		now.native = (int64_t)result;
		if (text.write)
			text.write(text.user, name, strlen(name));
		break;
	default:
		return ze_error_check(event->driver->instance, result,
				      "zeEventHostSynchronize");
	}
	dprh_give(state, &now, sizeof(now));
	return DPR_RC_OK;
}

dprp_rc ze_event_wait(dprp_event *const *events, uint32_t n,
		      uint64_t timeout_ns)
{
	uint64_t begin = dprh_now(), passed, left = timeout_ns;
	dprp_instance *instance;
	ze_result_t result;
	uint32_t i;

	for (i = 0; i < n; i++) {
		instance = events[i]->driver->instance;
		result = ze_event_await(events[i], left);
		if (result == ZE_RESULT_NOT_READY)
			return dprh_fail(
				instance->host, DPR_RC_TIMEOUT, 0,
				"the event did not complete within %llu ns",
				(unsigned long long)timeout_ns);
		/* An event that has failed is complete, too; its state has the
		   error. */
		if (result && ze_error_rc(result) != DPR_RC_DEVICE_LOST)
			return ze_error_check(instance, result,
					      "zeEventHostSynchronize");
		if (timeout_ns == UINT64_MAX)
			continue;
		passed = dprh_now() - begin;
		left = passed < timeout_ns ? timeout_ns - passed : 0;
	}
	return DPR_RC_OK;
}
