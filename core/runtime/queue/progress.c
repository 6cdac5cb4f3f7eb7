/* SPDX-License-Identifier: Apache-2.0 */
/* progress.c - the library's background thread. */
#include "core/runtime/queue/progress.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/base/call_stack.h"
#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/runtime/plugin/host_table.h"
#include "core/runtime/queue/callback_thread.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/held_list.h"
#include "core/runtime/queue/queue.h"
#include "core/runtime/queue/reap.h"
#include "core/base/worker.h"

/* Pauses between polls, in nanoseconds.  They double while nothing happens.
   Events whose plugin notifies are polled too, but only every PAUSE_NOTIFY:
   there may be thousands. */
#define PAUSE_LEAST UINT64_C(20000)
#define PAUSE_POLL UINT64_C(1000000)
#define PAUSE_NOTIFY UINT64_C(20000000)
/* The log warns of a wait that has lasted this long. */
#define WAIT_LONG UINT64_C(5000000000)
/* The pause between looks for such waits, if nothing else is watched. */
#define PAUSE_WAIT UINT64_C(1000000000)
/* How long exit() waits for the thread. */
#define EXIT_PATIENCE UINT64_C(100000000)

enum mode {
	MODE_FREE = 0,
	MODE_NEW, /* the plugin was not asked to notify yet */
	MODE_POLL,
	MODE_NOTIFY,
	MODE_DONE /* the plugin has notified */
};

/* An event that is watched.  Its place is its index in `watches`.  Its token
   has the generation in the high half, and the place plus 1 in the low half. */
struct watch {
	dpr_event *event; /* a reference */
	uint32_t generation;
	enum mode mode;
	uint32_t free_next; /* the number of the next free place, plus 1 */
	uint32_t due_next; /* the number of the next place to look at, plus 1 */
	bool due;          /* the place is in the list of places to look at */
};

/* A wait of which the log may warn.  Not on the stack of the waiting thread,
   which may be cancelled. */
struct progress_wait {
	struct progress_wait *next, *previous;
	uint64_t since;
	bool told;
	char what[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
/* Guards the variables below, and `token` of events, `progress_next` and
   `in_progress` of queues. */
static bool running, stopping;
static bool kicked;  /* there is something to look at */
static int thorough; /* how many threads want all events polled, even those that
			will be notified of */
static uint64_t passes; /* how many passes over everything have ended */
static struct watch *watches;
static uint32_t n_watches, room, n_polled, n_used;
/* Two lists of places, each stored plus 1: the free places, and the places of
   events that are new or have moved on.  A pass looks only at the second list
   and at the events to poll, because there may be thousands of events. */
static uint32_t free_first, due_first, due_last;
static struct progress_wait *waits; /* the newest wait comes first */
static bool waits_watched;          /* there has been a wait */
/* queues with held submissions, each with a reference */
static dpr_queue *queues;

static _Thread_local bool self;
/* What the thread does with held submissions; set before there are any. */
static _Atomic(size_t (*)(dpr_queue *queue)) release_held;
static _Atomic(void (*)(dpr_event *event)) unpark_held;

static pthread_once_t watched = PTHREAD_ONCE_INIT;

void progress_set_held_jobs(size_t (*release)(dpr_queue *queue),
			    void (*unpark)(dpr_event *event))
{
	atomic_store(&release_held, release);
	atomic_store(&unpark_held, unpark);
}

bool progress_self(void)
{
	return self || worker_self();
}

dpr_status progress_may_wait(const char *what)
{
	if (!progress_self())
		return DPR_OK;
	return fail(
		DPR_ERROR_BUSY,
		"%s: an event's callback must not wait, because it holds "
		"up all others; submit work that depends on an event instead",
		what);
}

static void kick_locked(void)
{
	kicked = true;
	pthread_cond_signal(&wake);
}

static void add_due_locked(uint32_t place)
{
	if (watches[place].due)
		return;
	watches[place].due = true;
	watches[place].due_next = 0;
	if (due_last)
		watches[due_last - 1].due_next = place + 1;
	else
		due_first = place + 1;
	due_last = place + 1;
}

/* Find a free place, or make one.  Returns false if memory runs out. */
static bool take_place_locked(uint32_t *place)
{
	struct watch *grown;

	if (free_first) {
		*place = free_first - 1;
		free_first = watches[*place].free_next;
		return true;
	}
	if (n_watches == room) {
		grown = mem_grow(watches, room ? room * 2 : 16, sizeof(*grown));
		if (!grown)
			return false;
		watches = grown;
		room = room ? room * 2 : 16;
	}
	*place = n_watches++;
	memset(&watches[*place], 0, sizeof(watches[*place]));
	return true;
}

dpr_status progress_watch(dpr_event *event)
{
	uint32_t i;

	pthread_mutex_lock(&lock);
	if (event->token) {
		/* The thread itself calls this for each held submission that
		   still waits.  If each such call kicked it, it would
		   never sleep. */
		if (!self)
			kick_locked();
		pthread_mutex_unlock(&lock);
		return DPR_OK;
	}
	if (!take_place_locked(&i)) {
		pthread_mutex_unlock(&lock);
		return fail_memory("watching an event");
	}
	n_used++;
	watches[i].generation++;
	watches[i].mode = MODE_NEW;
	watches[i].event = dpr_event_retain(event);
	event->token = (uint64_t)watches[i].generation << 32 | (i + 1);
	add_due_locked(i);
	kick_locked();
	pthread_mutex_unlock(&lock);
	return DPR_OK;
}

void progress_moved(const dpr_event *event)
{
	pthread_mutex_lock(&lock);
	if (event->token) {
		add_due_locked((uint32_t)event->token - 1);
		kick_locked();
	}
	pthread_mutex_unlock(&lock);
}

void progress_queue(dpr_queue *queue)
{
	pthread_mutex_lock(&lock);
	if (!queue->in_progress) {
		queue->in_progress = true;
		queue->progress_next = queues;
		queues = dpr_queue_retain(queue);
	}
	kick_locked();
	pthread_mutex_unlock(&lock);
}

/* The plugin calls this, in any thread, when the event with this token has
   completed.  It only marks the event and wakes the progress thread. */
static void event_done(uint64_t token, dprp_rc status)
{
	uint32_t place = (uint32_t)token - 1;

	/* Polling the event tells more than @status. */
	(void)status;
	pthread_mutex_lock(&lock);
	if (place < n_watches && watches[place].mode == MODE_NOTIFY &&
	    watches[place].generation == token >> 32) {
		watches[place].mode = MODE_DONE;
		add_due_locked(place);
		kick_locked();
	}
	pthread_mutex_unlock(&lock);
}

static void set_mode(uint32_t place, enum mode from, enum mode to)
{
	pthread_mutex_lock(&lock);
	if (watches[place].mode == from) {
		n_polled += (to == MODE_POLL) - (from == MODE_POLL);
		watches[place].mode = to;
	}
	pthread_mutex_unlock(&lock);
}

/* Stop watching an event that is final, and have its callbacks run. */
static void unwatch(uint32_t place, dpr_event *event)
{
	bool is_called;

	pthread_mutex_lock(&lock);
	n_polled -= watches[place].mode == MODE_POLL;
	watches[place].mode = MODE_FREE;
	watches[place].event = NULL;
	watches[place].free_next = free_first;
	free_first = place + 1;
	event->token = 0;
	n_used--;
	pthread_mutex_unlock(&lock);
	if (event->parked)
		atomic_load (&unpark_held)(event);
	/* A callback added from now on finds no token, and has the event
	   watched again.  A callback added earlier is in the list. */
	pthread_mutex_lock(&event->lock);
	is_called = event->callbacks != NULL;
	pthread_mutex_unlock(&event->lock);
	if (is_called)
		callback_thread_add(event);
	dpr_event_release(event);
}

/* Ask the plugin to notify when the event ends.  Poll the event if it
   cannot. */
static void arrange_notice(uint32_t place, dpr_event *event, uint64_t token)
{
	dprp_event *handle =
		atomic_load_explicit(&event->handle, memory_order_acquire);

	event_flush(event);
	/* Set before the call, because the plugin may notify within it. */
	set_mode(place, MODE_NEW,
		 event->plugin->has_notify ? MODE_NOTIFY : MODE_POLL);
	if (event->plugin->has_notify &&
	    event->plugin->event.notify(handle, token))
		set_mode(place, MODE_NOTIFY, MODE_POLL);
}

/* Look at the event at one place; with @all, also if a notification is
   expected.  Returns whether the event has ended. */
static bool look_at(uint32_t place, bool all)
{
	enum dpr_event_state state;
	enum mode mode = MODE_FREE;
	dpr_event *event = NULL;
	uint64_t token = 0;

	pthread_mutex_lock(&lock);
	if (place < n_watches) {
		mode = watches[place].mode;
		event = watches[place].event;
		token = event ? event->token : 0;
	}
	pthread_mutex_unlock(&lock);
	/* Only this thread removes events, so this one stays valid. */
	if (mode == MODE_FREE || (mode == MODE_NOTIFY && !all))
		return false;
	state = event_poll(event);
	if (state >= DPR_EVENT_COMPLETE) {
		unwatch(place, event);
		return true;
	}
	if (mode == MODE_NEW && state != DPR_EVENT_HELD)
		arrange_notice(place, event, token);
	/* The plugin notified too early: poll from now on. */
	if (mode == MODE_DONE)
		set_mode(place, MODE_DONE, MODE_POLL);
	return false;
}

/* Look at the events that are new or have moved on. */
static bool look_at_due(void)
{
	uint32_t next, place;
	bool changed = false;

	pthread_mutex_lock(&lock);
	next = due_first;
	due_first = due_last = 0;
	pthread_mutex_unlock(&lock);
	while (next) {
		place = next - 1;
		pthread_mutex_lock(&lock);
		next = watches[place].due_next;
		watches[place].due = false;
		pthread_mutex_unlock(&lock);
		changed |= look_at(place, true);
	}
	return changed;
}

/* The first place from @place on that has to be polled, or UINT32_MAX. */
static uint32_t next_polled(uint32_t place, bool all)
{
	pthread_mutex_lock(&lock);
	if (!all && !n_polled)
		place = n_watches;
	while (place < n_watches && watches[place].mode != MODE_POLL &&
	       (!all || watches[place].mode == MODE_FREE))
		place++;
	if (place == n_watches)
		place = UINT32_MAX;
	pthread_mutex_unlock(&lock);
	return place;
}

static bool look_at_all_watched(bool all)
{
	bool changed = look_at_due();
	uint32_t i;

	for (i = next_polled(0, all); i < UINT32_MAX;
	     i = next_polled(i + 1, all))
		changed |= look_at(i, all);
	return changed;
}

/* Send out the held submissions that are ready.  Returns whether there were
   any. */
static bool release_all_held(void)
{
	dpr_queue *list, *next;
	bool changed = false, more;

	pthread_mutex_lock(&lock);
	list = queues;
	queues = NULL;
	pthread_mutex_unlock(&lock);
	for (; list; list = next) {
		pthread_mutex_lock(&lock);
		next = list->progress_next;
		/* From here on a new held submission puts the queue into the
		   list again. */
		list->in_progress = false;
		pthread_mutex_unlock(&lock);
		changed |= atomic_load(&release_held)(list) > 0;
		pthread_mutex_lock(&list->lock);
		more = held_list_first(list) != 0;
		pthread_mutex_unlock(&list->lock);
		pthread_mutex_lock(&lock);
		if (more && !list->in_progress) {
			list->in_progress = true;
			list->progress_next = queues;
			queues = dpr_queue_retain(list);
		}
		pthread_mutex_unlock(&lock);
		dpr_queue_release(list);
	}
	return changed;
}

/* Warn in the log of waits that take long, once for each.  Returns whether
   there were any. */
static bool tell_waits_locked(void)
{
	uint64_t now = waits ? clock_now() : 0;
	struct progress_wait *wait;
	struct timespec at;
	char since[32];
	struct tm tm;
	bool told = false;

	for (wait = waits; wait; wait = wait->next) {
		if (wait->told || now - wait->since < WAIT_LONG)
			continue;
		wait->told = told = true;
		clock_gettime(CLOCK_REALTIME, &at);
		at.tv_sec -= (time_t)((now - wait->since) / 1000000000u);
		if (!gmtime_r(&at.tv_sec, &tm) ||
		    !strftime(since, sizeof(since), "%FT%TZ", &tm))
			*since = '\0';
		log_post(DPR_LOG_WARN,
			 "%s: still not done, waiting since %s: the device "
			 "is busy or has stopped responding",
			 wait->what, since);
	}
	return told;
}

struct progress_wait *progress_wait_begin(const char *what, const char *queue)
{
	struct progress_wait *wait;
	size_t size;
	char *text;

	if (!log_wants(DPR_LOG_WARN) || progress_self())
		return NULL;
	size = strlen(what) + strlen(queue) + sizeof(" on ");
	wait = mem_alloc(sizeof(*wait) + size);
	text = status_keep();
	if (wait && progress_start(what)) {
		mem_free(wait);
		wait = NULL;
	}
	status_restore(text);
	if (!wait)
		return NULL;
	snprintf(wait->what, size, "%s on %s", what, queue);
	wait->since = clock_now();
	pthread_mutex_lock(&lock);
	wait->next = waits;
	if (waits)
		waits->previous = wait;
	waits = wait;
	/* From now on the thread wakes up from time to time to check waits. */
	if (!waits_watched)
		kick_locked();
	waits_watched = true;
	pthread_mutex_unlock(&lock);
	return wait;
}

void progress_wait_end(struct progress_wait *wait)
{
	if (!wait)
		return;
	pthread_mutex_lock(&lock);
	if (wait->previous)
		wait->previous->next = wait->next;
	else
		waits = wait->next;
	if (wait->next)
		wait->next->previous = wait->previous;
	pthread_mutex_unlock(&lock);
	mem_free(wait);
}

/* Sleep until a kick, or until it is time to look again.  Returns whether there
   was a kick. */
static bool sleep_locked(uint64_t *pause)
{
	bool idle = !n_used && !queues;
	uint64_t most = idle       ? PAUSE_WAIT
			: n_polled ? PAUSE_POLL
				   : PAUSE_NOTIFY;
	uint64_t until;
	struct timespec at;
	bool was;

	if (!kicked && !stopping) {
		if (idle && !waits_watched) {
			pthread_cond_wait(&wake, &lock);
		} else {
			if (*pause > most || idle)
				*pause = most;
			until = clock_deadline(*pause);
			at.tv_sec = (time_t)(until / 1000000000u);
			at.tv_nsec = (long)(until % 1000000000u);
			pthread_cond_clockwait(&wake, &lock, CLOCK_MONOTONIC,
					       &at);
			*pause *= 2;
		}
	}
	was = kicked;
	kicked = false;
	return was;
}

static void *progress_main(void *nothing)
{
	uint64_t pause = PAUSE_LEAST, looked = 0;
	bool changed, all;

	(void)nothing;
	(void)call_stack_go_in();
	self = true;
	reap_not_here();
	pthread_mutex_lock(&lock);
	while (!stopping) {
		all = thorough || clock_now() - looked >= PAUSE_NOTIFY;
		pthread_mutex_unlock(&lock);
		/* If anything changes, pass again: the end of an event, or of a
		   hold, may let other work go. */
		changed = look_at_all_watched(all);
		if (all)
			looked = clock_now();
		changed |= release_all_held();
		reap_wake();
		pthread_mutex_lock(&lock);
		passes++;
		pthread_cond_broadcast(&passed);
		if (tell_waits_locked()) {
			pthread_mutex_unlock(&lock);
			log_flush();
			pthread_mutex_lock(&lock);
		}
		if (changed) {
			kicked = true;
			pause = PAUSE_LEAST;
		}
		if (sleep_locked(&pause))
			pause = PAUSE_LEAST;
	}
	running = false;
	pthread_cond_broadcast(&passed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

void progress_stop(uint64_t timeout)
{
	uint64_t until = clock_deadline(timeout);
	struct timespec at = { .tv_sec = (time_t)(until / 1000000000u),
			       .tv_nsec = (long)(until % 1000000000u) };
	int rc = 0;

	pthread_mutex_lock(&lock);
	stopping = true;
	pthread_cond_signal(&wake);
	while (running && !self && !rc) {
		if (until == DPR_FOREVER)
			rc = pthread_cond_wait(&passed, &lock);
		else
			rc = pthread_cond_clockwait(&passed, &lock,
						    CLOCK_MONOTONIC, &at);
	}
	pthread_mutex_unlock(&lock);
	callback_thread_stop(until);
	reap_stop(until);
}

void progress_exit(void)
{
	progress_stop(EXIT_PATIENCE);
}

/* Only this flag matters in a forked child: process_check() refuses all calls
   there. */
static bool in_child(void)
{
	self = false;
	return 0;
}

static void add_hooks(void)
{
	static struct process_hook hook = { .in_child = in_child,
					    .at_exit = progress_exit };

	host_table_set_event_done(event_done);
	process_add(&hook);
}

dpr_status progress_start(const char *what)
{
	int rc = 0;

	pthread_once(&watched, add_hooks);
	pthread_mutex_lock(&lock);
	if (!running && !stopping) {
		rc = process_thread(progress_main, NULL);
		running = !rc;
	}
	pthread_mutex_unlock(&lock);
	if (rc)
		return fail(
			DPR_ERROR_OUT_OF_MEMORY,
			"%s: cannot start the thread for held work and events: %s",
			what, strerror(rc));
	return DPR_OK;
}

/* Wait until the thread has passed over everything. */
static void wait_passes(void)
{
	uint64_t until;

	pthread_mutex_lock(&lock);
	/* The pass under way may have begun before this call; the next two have
	   not. */
	until = passes + 3;
	thorough++;
	while (running && !stopping && passes < until) {
		kick_locked();
		pthread_cond_wait(&passed, &lock);
	}
	thorough--;
	pthread_mutex_unlock(&lock);
}

void progress_quiesce(void)
{
	wait_passes();
	callback_thread_drain();
	/* Callbacks may have submitted work and released events. */
	wait_passes();
}
