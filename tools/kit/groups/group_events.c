/* SPDX-License-Identifier: Apache-2.0 */
/* group_events.c - events: states, times, waits and notifications. */
#include <pthread.h>
#include <time.h>

#include "core/runtime/layer/rules/times.h"
#include "tools/kit/groups/groups.h"
#include "tools/kit/samples.h"
#include "tools/kit/work.h"

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Look at the state until it is final.  It never goes back. */
static void watch(struct kit *kit, dprp_event *event, dprp_event_state *state)
{
	uint32_t last = 0, s;
	int i = 0;

	do {
		s = work_state(kit, event, state);
		if (s < last)
			note_bad("N1", "a state that never decreases",
				 "the state %u (%s) after %u (%s)", s,
				 note_state_name(s), last,
				 note_state_name(last));
		last = s;
		/* An event that never moves is the limit's to find. */
		if (++i > 1000)
			kit_sleep_ms(1);
	} while (s < DPRP_EVENT_DONE);
	for (i = 0; i < 50; i++) {
		s = work_state(kit, event, state);
		if (s != last) {
			note_bad("N1", "the same state once it is final",
				 "the state %u (%s) after %u (%s)", s,
				 note_state_name(s), last,
				 note_state_name(last));
			return;
		}
	}
}

static void check_times(struct kit *kit, const dprp_event_state *s,
			uint64_t begin)
{
	const dprp_device_ops *ops = kit->plugin->device;
	uint64_t device_ns, host_ns;

	note_step("event->status", "of a write that is done, with profiling");
	if (!times_in_order(s))
		note_bad("N2", "0 < t_queued <= t_submit <= t_start <= t_end",
			 "%llu, %llu, %llu, %llu", ULL(s->t_queued),
			 ULL(s->t_submit), ULL(s->t_start), ULL(s->t_end));
	if (!DPRP_HAS(ops, dprp_device_ops, clocks) ||
	    NOTE_CALL(ops->clocks(kit->device, &device_ns, &host_ns),
		      "device->clocks", "%s", ""))
		return;
	/* On the host's clock, the work ran since @begin. */
	note_step("event->status", "of a write that is done, with profiling");
	if (!times_on_clock(s, device_ns, host_ns, begin, now()))
		note_bad("N2", "times of the clock that device->clocks reads",
			 "t_queued %lld ns after the call, t_end %lld ns after "
			 "now",
			 (long long)(s->t_queued - device_ns + host_ns - begin),
			 (long long)(s->t_end - device_ns + host_ns - now()));
}

static void states(struct kit *kit)
{
	const uint64_t size = UINT64_C(4) << 20;
	uint64_t begin = now();
	dprp_mem *mem = work_mem(kit, size);
	struct work_bytes data = work_bytes(kit, size);
	dprp_event *event = NOTE_POISON;
	dprp_event_state state;

	note_need("Q8", NOTE_CALL(kit->plugin->queue->write(kit->queue, mem, 0,
							    data.at, size, NULL,
							    &event),
				  "queue->write", "size=4 MiB"));
	note_handle(event);
	work_flush(kit, kit->queue);
	watch(kit, event, &state);
	if (state.state != DPRP_EVENT_DONE || state.rc)
		note_bad("N1", "DPRP_EVENT_DONE, rc OK",
			 "the state %u (%s), rc %s", state.state,
			 note_state_name(state.state), note_rc_name(state.rc));
	if (kit->got_flags & DPRP_QUEUE_PROFILING)
		check_times(kit, &state, begin);
	else
		note_tell("queues have no times: PROFILING was not granted");
	work_destroy(kit, event);
	work_free(kit, mem);
	work_bytes_free(kit, &data);
}

/* Wait for an event, and check the order of its times. */
static void check_order(struct kit *kit, dprp_event *event, const char *of)
{
	dprp_event_state s;

	work_wait(kit, event);
	work_state(kit, event, &s);
	note_step("event->status", "of a %s that is done, with profiling", of);
	if (!times_in_order(&s))
		note_bad("N2", "0 < t_queued <= t_submit <= t_start <= t_end",
			 "%llu, %llu, %llu, %llu", ULL(s.t_queued),
			 ULL(s.t_submit), ULL(s.t_start), ULL(s.t_end));
	work_destroy(kit, event);
}

/* The times of a launch, if there is a kernel. */
static void times_of_launch(struct kit *kit, dprp_mem *mem)
{
	dprp_kernel *kernel = samples_try(kit, "add_one");
	dprp_event *event;

	if (!kernel)
		return;
	samples_add_one(kit, kit->queue, kernel, mem, 64, &event);
	check_order(kit, event, "launch");
	samples_drop(kit, kernel);
}

/* Times of each kind of submission. */
static void all_times(struct kit *kit)
{
	const dprp_queue_ops *ops = kit->plugin->queue;
	struct work_bytes bytes = work_bytes(kit, 4096);
	dprp_mem *mem = work_mem(kit, 4096);
	dprp_event *event = NOTE_POISON;
	dprp_rc rc;

	if (!(kit->got_flags & DPRP_QUEUE_PROFILING))
		note_skip("queues have no times: PROFILING was not granted");
	work_barrier(kit, kit->queue, NULL, 0, &event);
	check_order(kit, event, "barrier");
	work_copy(kit, kit->queue, mem, 0, mem, 2048, 1024, NULL, 0, &event);
	check_order(kit, event, "copy");
	note_need("Q8", NOTE_CALL(ops->read(kit->queue, mem, 0, bytes.at, 4096,
					    NULL, &event),
				  "queue->read", "size=4096"));
	check_order(kit, event, "read");
	rc = DPRP_HAS(ops, dprp_queue_ops, fill)
		     ? NOTE_CALL(ops->fill(kit->queue, mem, 0, 4096, "\1", 1,
					   NULL, &event),
				 "queue->fill", "size=4096")
		     : DPR_RC_NO_PATH;
	if (!rc)
		check_order(kit, event, "fill");
	rc = DPRP_HAS(ops, dprp_queue_ops, prefetch)
		     ? NOTE_CALL(ops->prefetch(kit->queue, mem, 0, 4096, NULL,
					       &event),
				 "queue->prefetch", "size=4096")
		     : DPR_RC_NO_PATH;
	if (!rc)
		check_order(kit, event, "prefetch");
	times_of_launch(kit, mem);
	work_free(kit, mem);
	work_bytes_free(kit, &bytes);
}

/* What status calls done has its effect, without a wait. */
static void effect(struct kit *kit)
{
	struct work_long work = work_long(kit);
	struct work_bytes bytes = work_bytes(kit, 4096);
	dprp_mem *mem = work_mem(kit, 4096);
	dprp_event *event = NOTE_POISON;

	work_set(kit, mem, 1024, 4711);
	work_long_begin(kit, &work, kit->queue, NULL);
	note_need("Q8", NOTE_CALL(kit->plugin->queue->read(kit->queue, mem, 0,
							   bytes.at, 4096, NULL,
							   &event),
				  "queue->read", "size=4096"));
	note_handle(event);
	work_flush(kit, kit->queue);
	while (work_state(kit, event, NULL) < DPRP_EVENT_DONE)
		;
	if (((const int32_t *)bytes.at)[1023] != 4711)
		note_bad("N6", "DONE once the bytes are there",
			 "DONE before the bytes of a read are there");
	work_finish(kit, kit->queue);
	work_destroy(kit, event);
	work_free(kit, mem);
	work_bytes_free(kit, &bytes);
	work_long_end(kit, &work);
}

static void no_times(struct kit *kit)
{
	dprp_queue *queue = kit_queue(kit, 0, NULL);
	dprp_event_state s;
	dprp_event *event;

	work_barrier(kit, queue, NULL, 0, &event);
	work_wait(kit, event);
	work_state(kit, event, &s);
	if (s.t_queued | s.t_submit | s.t_start | s.t_end)
		note_bad("N3", "zeros", "%llu, %llu, %llu, %llu",
			 ULL(s.t_queued), ULL(s.t_submit), ULL(s.t_start),
			 ULL(s.t_end));
	work_destroy(kit, event);
	work_drop_queue(kit, queue);
}

/* --- Waits ------------------------------------------------------------------
 */

/* Wait for a limited time. */
static dprp_rc limited(struct kit *kit, dprp_event *event, uint64_t ns)
{
	dprp_rc rc = NOTE_CALL(kit->plugin->event->wait(&event, 1, ns),
			       "event->wait", "n=1, timeout=%llu", ULL(ns));

	if (rc && rc != DPR_RC_TIMEOUT)
		note_bad("N7", "OK or TIMEOUT", "%s", note_rc_name(rc));
	if (!rc && work_state(kit, event, NULL) < DPRP_EVENT_DONE)
		note_bad("N6", "TIMEOUT, or an event that is over",
			 "OK for an event that is not over");
	return rc;
}

static void waits(struct kit *kit)
{
	struct work_long work = work_long(kit);
	dprp_event *events[2];
	dprp_rc rc;

	work_long_begin(kit, &work, kit->queue, &events[0]);
	rc = limited(kit, events[0], 0);
	if (!rc)
		note_tell("the work was over before it could be waited for");
	limited(kit, events[0], 1000);
	work_barrier(kit, kit->queue, NULL, 0, &events[1]);
	rc = NOTE_CALL(
		kit->plugin->event->wait(events, 2, UINT64_C(60000000000)),
		"event->wait", "n=2, timeout=60 s");
	note_want("N6", rc, DPR_RC_OK);
	work_wait(kit, events[0]);
	work_wait(kit, events[1]);
	note_want("N6", limited(kit, events[0], 0), DPR_RC_OK);
	note_want("N6",
		  NOTE_CALL(kit->plugin->event->wait(events, 0, UINT64_MAX),
			    "event->wait", "n=0, timeout=UINT64_MAX"),
		  DPR_RC_OK);
	work_destroy(kit, events[0]);
	work_destroy(kit, events[1]);
	work_long_end(kit, &work);
}

/* A wait with a limit does not wait for the whole of long work: it returns, in
   time or late, and says which. */
static void no_wait(struct kit *kit)
{
	struct work_long work = work_long(kit);
	dprp_event *event;
	unsigned long timeouts = 0;

	work_long_begin(kit, &work, kit->queue, &event);
	while (limited(kit, event, 0) && !note_found())
		timeouts++;
	work_wait(kit, event);
	if (!timeouts)
		note_tell("wait with timeout 0 never saw work under way");
	work_destroy(kit, event);
	work_long_end(kit, &work);
}

struct waiter {
	struct kit *kit;
	dprp_event *event;
};

static void *wait_for(void *arg)
{
	struct waiter *waiter = arg;

	work_wait(waiter->kit, waiter->event);
	return NULL;
}

static void many_waiters(struct kit *kit)
{
	struct work_long work = work_long(kit);
	struct waiter waiter = { kit, NULL };
	pthread_t threads[8];
	size_t i, made = 0;

	work_long_begin(kit, &work, kit->queue, &waiter.event);
	for (i = 0; i < KIT_COUNT(threads); i++)
		made += !pthread_create(&threads[made], NULL, wait_for,
					&waiter);
	for (i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	work_done(kit, waiter.event);
	work_long_end(kit, &work);
}

/* --- Notifications ----------------------------------------------------------
 */

/* Ask for a notification.  False: the plugin has none. */
static bool ask(struct kit *kit, dprp_event *event, uint64_t token)
{
	dprp_rc rc = NOTE_CALL(kit->plugin->event->notify(event, token),
			       "event->notify", "token=%llu", ULL(token));

	return rc == DPR_RC_OK;
}

static void must_be_told(struct kit *kit, uint64_t token, const char *when)
{
	unsigned told = kit_host_told(&kit->host, token, 1, kit->limit / 2);

	note_step("event->notify", "%s", when);
	if (told != 1)
		note_bad("N9", "one call of event_done()", "%u calls", told);
	if (!told)
		note_end();
	if (kit->host.told_rc[token])
		note_bad("N9", "the status OK", "%s",
			 note_rc_name(kit->host.told_rc[token]));
}

static void notify(struct kit *kit)
{
	struct work_long work = work_long(kit);
	dprp_event *event;
	uint64_t token;

	if (!DPRP_HAS(kit->plugin->event, dprp_event_ops, notify))
		note_skip("there is no entry event->notify: dpr polls");
	work_long_begin(kit, &work, kit->queue, &event);
	if (!ask(kit, event, 1))
		note_skip("notify answers: %s", note_error_text());
	must_be_told(kit, 1, "before the event is over");
	note_step("event->status", "of an event of which event_done() told");
	if (work_state(kit, event, NULL) < DPRP_EVENT_DONE)
		note_bad("N9", "a final state by the time of event_done()",
			 "the event is not over");
	work_destroy(kit, event);
	/* Of an event that is over. */
	work_barrier(kit, kit->queue, NULL, 0, &event);
	work_wait(kit, event);
	if (ask(kit, event, 2))
		must_be_told(kit, 2, "after the event is over");
	work_destroy(kit, event);
	/* Destroyed before it is over: told once, or not. */
	work_long_begin(kit, &work, kit->queue, &event);
	ask(kit, event, 3);
	work_destroy(kit, event);
	work_finish(kit, kit->queue);
	for (token = 1; token <= 3; token++)
		if (kit_host_told(&kit->host, token, 2, 0.02) > 1) {
			note_step("event->notify", "token=%llu", ULL(token));
			note_bad("N9", "one call of event_done()",
				 "more than one");
		}
	work_long_end(kit, &work);
}

/* While event_done() runs, another thread uses the plugin. */
struct visit {
	struct kit *kit;
	dprp_event *event;
	dprp_queue *queue; /* another one */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool called, ended, locked;
};

static void *use_meanwhile(void *arg)
{
	struct visit *visit = arg;
	dprp_event *event;

	pthread_mutex_lock(&visit->lock);
	while (!visit->called)
		pthread_cond_wait(&visit->changed, &visit->lock);
	pthread_mutex_unlock(&visit->lock);
	work_state(visit->kit, visit->event, NULL);
	work_barrier(visit->kit, visit->queue, NULL, 0, &event);
	work_flush(visit->kit, visit->queue);
	work_destroy(visit->kit, event);
	kit_u64(visit->kit, visit->kit->device, DPR_INFO_TYPE, 0);
	pthread_mutex_lock(&visit->lock);
	visit->ended = true;
	pthread_cond_broadcast(&visit->changed);
	pthread_mutex_unlock(&visit->lock);
	return NULL;
}

/* In event_done(): wait until the other thread has done its work, or for a
   while. */
static void in_event_done(void *user, uint64_t token)
{
	struct visit *visit = user;
	struct timespec until;
	long ms = (long)(visit->kit->limit * 1000 / 6);

	if (token != 9)
		return;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += ms % 1000 * 1000000;
	until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&visit->lock);
	if (visit->called) {
		pthread_mutex_unlock(&visit->lock);
		return; /* it is called once more */
	}
	visit->called = true;
	pthread_cond_broadcast(&visit->changed);
	while (!visit->ended && !visit->locked)
		visit->locked =
			pthread_cond_timedwait(&visit->changed, &visit->lock,
					       &until) != 0;
	pthread_mutex_unlock(&visit->lock);
}

/* @over: of an event that is over when the call is asked for. */
static void visit_done(struct kit *kit, bool over)
{
	struct work_long work = work_long(kit);
	struct visit visit = { .kit = kit, .queue = kit_queue(kit, 0, NULL) };
	pthread_t thread;

	if (!DPRP_HAS(kit->plugin->event, dprp_event_ops, notify))
		note_skip("there is no entry event->notify: dpr polls");
	pthread_mutex_init(&visit.lock, NULL);
	pthread_cond_init(&visit.changed, NULL);
	kit->host.on_done = in_event_done;
	kit->host.on_done_user = &visit;
	work_long_begin(kit, &work, kit->queue, &visit.event);
	if (over)
		work_wait(kit, visit.event);
	if (pthread_create(&thread, NULL, use_meanwhile, &visit))
		note_skip("no thread could be made");
	if (!ask(kit, visit.event, 9))
		note_skip("notify answers: %s", note_error_text());
	kit_host_told(&kit->host, 9, 1, kit->limit / 2);
	note_step("event->notify",
		  "event_done()%s while another thread calls status, info, "
		  "barrier and flush",
		  over ? ", of an event that is over," : "");
	if (visit.locked)
		note_bad("N10", "entries that return during event_done()",
			 "they did not return for %.1f s", kit->limit / 6);
	if (visit.called)
		pthread_join(thread, NULL);
	work_done(kit, visit.event);
	work_drop_queue(kit, visit.queue);
	work_long_end(kit, &work);
}

static void notify_lock(struct kit *kit)
{
	visit_done(kit, false);
}

static void notify_lock_over(struct kit *kit)
{
	visit_done(kit, true);
}

/* --- Lives ------------------------------------------------------------------
 */

static void outlives(struct kit *kit)
{
	dprp_queue *queue = kit_queue(kit, 0, NULL);
	dprp_event *event[2];

	work_barrier(kit, queue, NULL, 0, &event[0]);
	work_barrier(kit, queue, NULL, 0, &event[1]);
	work_wait(kit, event[0]);
	note_step("queue->destroy", "%s", "");
	kit->plugin->queue->destroy(queue);
	queue = kit_queue(kit, 0, NULL);
	if (work_state(kit, event[0], NULL) != DPRP_EVENT_DONE)
		note_bad("L1", "DPRP_EVENT_DONE, as before", "another state");
	work_done(kit, event[1]);
	work_destroy(kit, event[0]);
	work_drop_queue(kit, queue);
}

static void destroyed(struct kit *kit)
{
	struct work_long work = work_long(kit);
	dprp_event *event;
	int i;

	note_rule("N8");
	work_long_begin(kit, &work, kit->queue, &event);
	note_step("event->destroy", "of an event that is not over");
	kit->plugin->event->destroy(event);
	for (i = 0; i < 100; i++) {
		work_barrier(kit, kit->queue, NULL, 0, &event);
		note_step("event->destroy", "of an event that is not over");
		kit->plugin->event->destroy(event);
	}
	work_finish(kit, kit->queue);
	work_long_end(kit, &work);
}

static const struct kit_check checks[] = {
	{ "states", states, 0 },
	{ "effect", effect, 0 },
	{ "all_times", all_times, 0 },
	{ "no_times", no_times, 0 },
	{ "waits", waits, 0 },
	{ "no_wait", no_wait, 0 },
	{ "many_waiters", many_waiters, 0 },
	{ "notify", notify, 0 },
	{ "notify_lock", notify_lock, 0 },
	{ "notify_lock_over", notify_lock_over, 0 },
	{ "outlives", outlives, 0 },
	{ "destroyed", destroyed, 0 },
};

const struct kit_group group_events = {
	"events", "events: states, times, waits and notifications", checks,
	KIT_COUNT(checks)
};
