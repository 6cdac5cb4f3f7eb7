/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - the thread of the layer "check", which notices missing progress.
 *
 * The thread reports events whose state has not changed, finished events that a
 * plugin did not report, and entries that have not returned.  Each is reported
 * once.
 */
#include "core/runtime/layer/watch.h"

#include <stdbool.h>

#include <dpr/base.h>

#include "core/base/clock.h"
#include "core/base/process.h"
#include "core/base/settings.h"
#include "core/base/worker.h"
#include "core/runtime/layer/passage.h"
#include "core/runtime/layer/wrap_event.h"

/* The most events that one look reports. */
#define MOST 16
/* How often it looks, in nanoseconds, and how long exit() waits for it. */
#define PAUSE UINT64_C(250000000)
#define EXIT_PATIENCE UINT64_C(100000000)

static uint64_t limit(void)
{
	return settings_check_seconds() * UINT64_C(1000000000);
}

static bool is_late(uint64_t since, uint64_t now)
{
	return since < now && now - since > limit();
}

/* --- Entries ----------------------------------------------------------------
 */

static bool look_at_call(void *user, struct layer *layer, enum entry entry,
			 uint64_t since)
{
	const uint64_t *now = user;

	/* Its events are looked at. */
	if (entry == ENTRY_event_wait || !is_late(since, *now))
		return false;
	finding_post(layer, entry, DPR_LOG_WARN,
		     entry == ENTRY_queue_finish ? "Q4" : "W1",
		     "a return once there is nothing to wait for",
		     "a call that has not returned for %llu s",
		     (unsigned long long)settings_check_seconds());
	return true;
}

/* --- Events -----------------------------------------------------------------
 */

struct late {
	struct layer *layer;
	uintptr_t number;
	struct tag_event event; /* a copy of the event's tag */
};

struct late_list {
	uint64_t now;
	struct late list[MOST];
	size_t n;
};

static void look_at_event(void *user, struct tag *tag)
{
	struct tag_event *event = &tag->u.event;
	bool over = event->state >= DPRP_EVENT_DONE;
	struct late_list *late = user;

	if (event->stuck || late->n == MOST ||
	    (over && (!event->asked || event->told)) ||
	    !is_late(event->since, late->now))
		return;
	event->stuck = true;
	late->list[late->n++] =
		(struct late){ tag->layer, tag->number, *event };
}

/* Report an event of which event_done() did not come. */
static void report_untold(const struct late *late)
{
	finding_post(late->layer, ENTRY_event_notify, DPR_LOG_ERROR, "N9",
		     "a call of event_done() when the event is over",
		     "none for %llu s, for an event in the state %s",
		     (unsigned long long)settings_check_seconds(),
		     wrap_event_state_name(late->event.state));
}

/* Ask for the state of an event that did not seem to move. */
static void look_again(const struct late *late)
{
	dprp_event_state state = { .struct_size = sizeof(state) };
	dprp_event *real = tag_pin(TAG_EVENT, late->number);
	struct tag *tag;
	bool moved;
	dprp_rc rc;

	if (!real)
		return;
	rc = wrap_event_ask(late->layer, late->number, real, &state,
			    (dprp_sink){ 0 });
	tag_unpin(TAG_EVENT, late->number);
	moved = !rc && state.state != late->event.state;
	tag = moved ? tag_get(TAG_EVENT, late->number) : NULL;
	if (tag) {
		tag->u.event.stuck = false;
		tag_put();
	}
	if (!moved)
		finding_post(late->layer, late->event.entry, DPR_LOG_WARN, "Q3",
			     "an end; or the work waits for other work, or for "
			     "a flush",
			     "an event of submission %llu of its queue that "
			     "has not moved for %llu s; its last state is %s",
			     (unsigned long long)late->event.nth,
			     (unsigned long long)settings_check_seconds(),
			     wrap_event_state_name(late->event.state));
}

static uint64_t look(void)
{
	struct late_list late = { .now = clock_now() };
	size_t i;

	if (!process_alive())
		return DPR_FOREVER;
	passage_each(look_at_call, &late.now);
	tag_each(TAG_EVENT, look_at_event, &late);
	for (i = 0; i < late.n && process_alive(); i++) {
		if (late.list[i].event.state >= DPRP_EVENT_DONE)
			report_untold(&late.list[i]);
		else
			look_again(&late.list[i]);
	}
	log_flush();
	return PAUSE;
}

static struct worker watcher = WORKER_INIT(look);

/* --- The process ------------------------------------------------------------
 */

static void before_fork(void)
{
	passage_lock();
	tag_lock();
}

static void after_fork(void)
{
	tag_unlock();
	passage_unlock();
}

static bool in_child(void)
{
	after_fork();
	return false;
}

static void at_exit(void)
{
	worker_stop(&watcher, clock_deadline(EXIT_PATIENCE));
}

void watch_prepare(void)
{
	static struct process_hook hook = { .before_fork = before_fork,
					    .after_fork = after_fork,
					    .in_child = in_child,
					    .at_exit = at_exit };

	process_add(&hook);
}

void watch_start(void)
{
	if (settings_check() && settings_check_seconds())
		(void)worker_wake(&watcher);
}
