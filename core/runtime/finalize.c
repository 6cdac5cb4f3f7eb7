/* SPDX-License-Identifier: Apache-2.0 */
/* finalize.c - dpr_finalize(): ending all parts of the library, in order. */
#include <pthread.h>

#include <dpr/runtime.h>

#include "core/base/handles/handles.h"
#include "core/base/live.h"
#include "core/base/process.h"
#include "core/base/trace.h"
#include "core/runtime/device/device_list.h"
#include "core/runtime/device/division.h"
#include "core/runtime/device/registry.h"
#include "core/runtime/memory/pool.h"
#include "core/runtime/memory/pool_slabs.h"
#include "core/runtime/program/kernel_cache.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/finish.h"
#include "core/runtime/queue/progress.h"
#include "core/runtime/queue/queue.h"
#include "core/runtime/queue/queue_close.h"
#include "core/runtime/queue/queue_list.h"
#include "core/runtime/queue/reap.h"
#include "core/runtime/submit/trace_queue.h"
#include "core/runtime/transfer/helpers.h"
#include "core/runtime/transfer/staging.h"

/* Wait for @queue.  Ignores failures: a queue of a lost device cannot be waited
   for, and must not keep the rest from closing. */
static void drain_one(dpr_queue *queue)
{
	if (!finish_may_be_gone(queue))
		(void)!finish_queue(queue, DPR_FOREVER);
}

/* Drop the cached kernels of @device and its sub-devices. */
static void clear_kernels(dpr_device *device)
{
	struct device_division *division;
	size_t i;

	kernel_cache_clear(device);
	pthread_mutex_lock(&device->lock);
	division = device->divisions;
	pthread_mutex_unlock(&device->lock);
	/* Needs no lock: divisions are never freed, and new ones are added in
	   front. */
	for (; division; division = division->next)
		for (i = 0; i < division->n; i++)
			clear_kernels(division->devices[i]);
}

static void clear_all_kernels(void)
{
	const struct device_list *list = device_list_get();
	size_t i;

	for (i = 0; i < list->n; i++)
		clear_kernels(list->devices[i]);
}

static dpr_status finalize(void)
{
	dpr_status status = process_check("finalize");

	if (status)
		return status;
	queue_list_each(drain_one);
	helpers_quiesce();
	progress_quiesce();
	reap_all();
	/* The reaper may have placed markers on queues since they were
	   drained. */
	queue_list_each(drain_one);
	trace_queue_finish();
	staging_finish();
	clear_all_kernels();
	handles_log_kept();
	status = live_check();
	if (status)
		return status;
	process_drop_kept();
	process_shutdown();
	trace_queue_close();
	progress_stop(DPR_FOREVER);
	helpers_stop();
	queue_close_all();
	pool_slabs_close_all();
	registry_close();
	handles_end();
	return live_take_failure();
}

dpr_status dpr_finalize(void)
{
	TRACE_CALL;
	/* Only one thread at a time finalizes. */
	static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
	dpr_status status;

	status = process_check("finalize");
	/* Check this before locking: the thread that has the lock may be
	   waiting for this one. */
	if (!status)
		status = progress_may_wait("finalize");
	if (status)
		return status;
	pthread_mutex_lock(&turn);
	status = finalize();
	pthread_mutex_unlock(&turn);
	return status;
}
