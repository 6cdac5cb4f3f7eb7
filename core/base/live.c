/* SPDX-License-Identifier: Apache-2.0 */
/* live.c - counts objects that the program still holds, and records failures
   that were not reported to the program. */
#include "core/base/live.h"

#include <pthread.h>
#include <stdatomic.h>

#include "core/base/process.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"

static atomic_llong counts[LIVE_KINDS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guards the variables below. */
static struct failure *failure; /* holds a reference */
static char *failure_text;      /* NULL: the text of `failure` */

void live_add(enum live_kind kind)
{
	atomic_fetch_add_explicit(&counts[kind], 1, memory_order_relaxed);
}

void live_drop(enum live_kind kind)
{
	atomic_fetch_sub_explicit(&counts[kind], 1, memory_order_relaxed);
}

void live_failure(const char *text, struct failure *root)
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

dpr_status live_take_failure(void)
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

dpr_status live_check(void)
{
	static const char *const names[LIVE_KINDS] = { "queues", "events",
						       "allocations",
						       "programs", "kernels" };
	size_t kept[LIVE_KINDS] = { 0 };
	struct text text = { 0 };
	int i;

	process_count_kept(&kept[LIVE_PROGRAM], &kept[LIVE_KERNEL]);
	for (i = 0; i < LIVE_KINDS; i++) {
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
