/* SPDX-License-Identifier: Apache-2.0 */
/* life.c - what is alive, and the end of it all. */
#include "core/runtime/life.h"

#include <pthread.h>
#include <stdatomic.h>

#include <dpr/runtime.h>

#include "core/base/hooks.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/base/trace.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/program/kernel.h"
#include "core/runtime/process.h"
#include "core/runtime/queue/progress.h"
#include "core/runtime/queue/queue.h"
#include "core/runtime/queue/reap.h"
#include "core/runtime/submit/trace_queue.h"
#include "core/runtime/transfer/staging.h"

static atomic_llong counts[LIFE_KINDS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guards the fields below. */
static struct failure *failure; /* a reference */
static char *failure_text;      /* NULL: that of `failure` */

void life_add(enum life_kind kind)
{
	atomic_fetch_add_explicit(&counts[kind], 1, memory_order_relaxed);
}

void life_drop(enum life_kind kind)
{
	atomic_fetch_sub_explicit(&counts[kind], 1, memory_order_relaxed);
}

void life_failure(const char *text, struct failure *root)
{
	char *before = text ? mem_string(text) : NULL;
	struct failure *other = failure_retain(root);

	pthread_mutex_lock(&lock);
	if (!failure || failure_told(failure)) {
		char *last_text = failure_text;
		struct failure *last = failure;

		failure = other;
		failure_text = before;
		other = last;
		before = last_text;
	}
	pthread_mutex_unlock(&lock);
	mem_free(before);
	failure_release(other);
}

/* The first failure that the program was not told of, which nothing else will
   tell it. */
static dpr_status take_failure(void)
{
	dpr_status status = DPR_OK;

	pthread_mutex_lock(&lock);
	if (failure && !failure_told(failure)) {
		status = failure->status;
		status_record("finalize: an earlier failure was never checked: "
			      "%s",
			      failure_text ? failure_text : failure->text);
	}
	mem_free(failure_text);
	failure_release(failure);
	failure_text = NULL;
	failure = NULL;
	pthread_mutex_unlock(&lock);
	return status;
}

/* One that cannot be waited for, since its device is lost, must not keep the
   rest from closing. */
static void drain_one(dpr_queue *queue)
{
	(void)!queue_finish(queue, DPR_FOREVER);
}

/* Forget the cached kernels of @device and its parts. */
static void clear_kernels(dpr_device *device)
{
	struct device_division *division;
	size_t i;

	kernel_cache_clear(device);
	pthread_mutex_lock(&device->lock);
	division = device->divisions;
	pthread_mutex_unlock(&device->lock);
	/* Divisions are never freed, and new ones come before the others. */
	for (; division; division = division->next)
		for (i = 0; i < division->n; i++)
			clear_kernels(division->devices[i]);
}

/* DPR_ERROR_BUSY with the numbers of what is alive, if anything is but what the
   library keeps for itself. */
static dpr_status check_counts(void)
{
	static const char *const names[LIFE_KINDS] = { "queues", "events",
						       "allocations",
						       "programs", "kernels" };
	size_t kept[LIFE_KINDS] = { 0 };
	struct text text = { 0 };
	int i;

	hooks_count(&kept[LIFE_PROGRAM], &kept[LIFE_KERNEL]);
	for (i = 0; i < LIFE_KINDS; i++) {
		long long n = atomic_load(&counts[i]) - (long long)kept[i];

		if (n > 0)
			text_print(&text, "%s%lld %s", text.size ? ", " : "", n,
				   names[i]);
	}
	if (!text.size)
		return DPR_OK;
	status_record(
		"finalize: still alive: %s; release them first (arrays hold "
		"allocations)",
		text_get(&text));
	text_fini(&text);
	return DPR_ERROR_BUSY;
}

static dpr_status clear_all_kernels(void)
{
	size_t n = registry_devices(NULL, 0), i;
	dpr_device **list = mem_array(n, sizeof(dpr_device *));

	if (!list)
		return fail_memory("finalize");
	n = registry_devices(list, n);
	for (i = 0; i < n; i++)
		clear_kernels(list[i]);
	mem_free(list);
	return DPR_OK;
}

static dpr_status finalize(void)
{
	dpr_status status = runtime_check("finalize");

	if (status)
		return status;
	queue_each(drain_one);
	progress_quiesce();
	reap_all();
	work_finish();
	staging_trim(NULL);
	status = clear_all_kernels();
	if (status)
		return status;
	status = check_counts();
	if (status)
		return status;
	hooks_drop();
	process_shutdown();
	work_close();
	progress_stop(DPR_FOREVER);
	queue_close_all();
	registry_close();
	return take_failure();
}

dpr_status dpr_finalize(void)
{
	TRACE_CALL;
	/* Of threads that do it at once, one does it. */
	static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
	dpr_status status;

	status = runtime_check("finalize");
	/* Before the lock: the thread whose turn it is may wait for this one.
	 */
	if (!status)
		status = progress_may_wait("finalize");
	if (status)
		return status;
	pthread_mutex_lock(&turn);
	status = finalize();
	pthread_mutex_unlock(&turn);
	return status;
}
