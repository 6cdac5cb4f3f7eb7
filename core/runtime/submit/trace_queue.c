/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_queue.c - what runs on queues, for the layer "trace".
 *
 * In the file each device is a process and each queue a thread of it, or
 * several if its submissions overlap.  The times of a submission are the
 * driver's, on the host's clock.  The argument "estimated" is "position" if the
 * two clocks cannot be compared, and "times" if the driver gave no times: then
 * the span is the time in which, as far as the host knows, the submission has
 * run.
 */
#include "core/runtime/submit/trace_queue.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/memory/pool.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/program/kernel.h"

/* The most submissions that are remembered; further ones are not written. */
#define MOST 65536
/* One look polls until it has met this many unfinished events. */
#define ASKED 32
/* If a look leaves n submissions unfinished, the next n / LOOK_PART looks are
   left out, unless the program has waited since. */
#define LOOK_PART 16
#define LANES 16
/* Higher than any process or thread number of the system. */
#define FIRST_NUMBER ((uint64_t)1 << 30)
#define MOST_TRACKS 1024

/* A submission whose span is not written yet. */
struct traced {
	struct traced *next;
	dpr_event *event; /* with a reference */
	struct track *track;
	enum operation_kind kind;
	uint64_t bytes, global[3];
	char kernel[64]; /* a launch's kernel; the event may be called otherwise
			  */
	uint64_t made;   /* the time when the program submitted the work */
	uint64_t seen;   /* the time when the work was known to have ended */
	uint64_t flow;   /* the number of the arrow in the file */
	int thread;      /* the thread that submitted the work */
	/* the work has ended, or is to be written although it has not */
	bool over;
};

/* A queue in the file.  Never freed; used only by the thread that has set
   `busy`. */
struct track {
	struct track *next;
	dpr_device *device;
	char *name;
	uint64_t process, thread;
	unsigned n_lanes;
	uint64_t end[LANES]; /* the end of the last span of each lane */
	uint64_t seen;       /* used by bound_ends() */
	/* the difference from the device's clock to the host's */
	uint64_t shift;
	bool shifts;   /* `shift` is known */
	int64_t guess; /* an upper bound of the shift, if `shift` is unknown */
	uint64_t guessed; /* the time when `guess` was made; 0: never */
	/* the value of n_looks when the shift was last requested */
	uint64_t look;
	/* Bytes of each kind of memory, as last written to the file; for a
	   device's first queue only. */
	uint64_t used[POOL_KINDS], held[POOL_KINDS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
/* Guards the variables below, down to `closed`. */
static struct traced *first, **last_next = &first;
static size_t n_pending;
/* the number of submissions that had not ended at the last look */
static size_t n_kept;
static size_t n_turns; /* the number of looks that were skipped since then */
static uint64_t n_flows;
static bool busy;   /* a thread has taken the list */
static bool closed; /* no thread may take the list any more */

static struct track *tracks;
static uint64_t n_tracks, n_looks;

static const char *const categories[] = {
	[OPERATION_BARRIER] = "barrier",   [OPERATION_WRITE] = "write",
	[OPERATION_READ] = "read",         [OPERATION_COPY] = "copy",
	[OPERATION_FILL] = "fill",         [OPERATION_LAUNCH] = "kernel",
	[OPERATION_PREFETCH] = "prefetch",
};

void trace_queue_add(dpr_event *event, const struct operation *operation)
{
	struct traced *work = mem_alloc(sizeof(*work));
	const int is_launch = operation->kind == OPERATION_LAUNCH;
	const int is_move = !is_launch && operation->kind != OPERATION_BARRIER;

	trace_set_worker(trace_queue_look);
	call_stack_submitted(is_move ? operation->u.move.size : 0);
	call_stack_note(true, "queue", event->queue->name);
	if (is_launch)
		call_stack_note(true, "kernel",
				operation->u.launch.kernel->name);
	pthread_mutex_lock(&lock);
	if (!work || n_pending >= MOST) {
		pthread_mutex_unlock(&lock);
		mem_free(work);
		return;
	}
	work->event = dpr_event_retain(event);
	work->kind = operation->kind;
	if (is_move)
		work->bytes = operation->u.move.size;
	if (is_launch) {
		memcpy(work->global, operation->u.launch.launch.global,
		       sizeof(work->global));
		snprintf(work->kernel, sizeof(work->kernel), "%s",
			 operation->u.launch.kernel->name);
	}
	work->thread = trace_thread();
	work->made = clock_now();
	work->flow = ++n_flows;
	*last_next = work;
	last_next = &work->next;
	n_pending++;
	pthread_mutex_unlock(&lock);
}

/* --- Tracks ----------------------------------------------------------------
 */

static struct track *make_track(const dpr_queue *queue)
{
	struct track *track, *other = tracks;
	struct track *made = mem_alloc(sizeof(*made));
	char *name = mem_string(queue->name);

	if (!made || !name) {
		mem_free(made);
		mem_free(name);
		return NULL;
	}
	made->name = name;
	made->device = queue->device;
	made->thread = FIRST_NUMBER + n_tracks++ * LANES;
	made->process = made->thread;
	for (track = other; track; track = track->next)
		if (track->device == queue->device)
			made->process = track->process;
	if (made->process == made->thread)
		trace_file_name("process_name", made->process, made->thread,
				queue->device->selector);
	made->next = tracks;
	tracks = made;
	return made;
}

/* Find or make the track of @queue.  NULL: no memory, or too many. */
static struct track *find_track(const dpr_queue *queue)
{
	struct track *track;

	/* No two queues have the same name. */
	for (track = tracks; track; track = track->next)
		if (track->device == queue->device &&
		    !strcmp(track->name, queue->name))
			return track;
	return n_tracks < MOST_TRACKS ? make_track(queue) : NULL;
}

/* Find how far the host's clock is ahead of the device's. */
static void compare_clocks(struct track *track)
{
	const dpr_device *device = track->device;
	uint64_t device_ns, host_ns;

	if (track->look == n_looks)
		return;
	track->look = n_looks;
	if (device->plugin->device.clocks(device->root->handle, &device_ns,
					  &host_ns))
		return;
	track->shift = host_ns - device_ns;
	track->shifts = true;
}

/*
 * Guess the shift where clocks cannot be compared.  The driver accepted a
 * submission before the host was told so, and the submission ended before the
 * host saw that.  Each gives an upper bound; clocks drift apart by up to
 * 1/2000.
 */
static void guess_shift(struct track *track, const struct traced *work)
{
	const dpr_event *event = work->event;
	int64_t most = (int64_t)(work->seen - event->t_end);
	int64_t guess = (int64_t)(event->sent - event->t_queued);

	if (track->guessed) {
		int64_t old = track->guess;

		old += (int64_t)((event->sent - track->guessed) / 2000);
		guess = guess < old ? guess : old;
	}
	track->guess = guess < most ? guess : most;
	track->guessed = event->sent;
}

/* Find or make a lane that is free from @start on; -1: all are taken. */
static int find_free_lane(struct track *track, uint64_t start)
{
	char name[200];
	unsigned i;

	for (i = 0; i < track->n_lanes; i++)
		if (track->end[i] <= start)
			return (int)i;
	if (i == LANES)
		return -1;
	if (i)
		snprintf(name, sizeof(name), "%s, %u", track->name, i + 1);
	else
		snprintf(name, sizeof(name), "%s", track->name);
	trace_file_name("thread_name", track->process, track->thread + i, name);
	return (int)track->n_lanes++;
}

/* --- Spans -----------------------------------------------------------------
 */

static void add_details(struct trace_line *line, const struct traced *work)
{
	const dpr_event *event = work->event;
	char text[80];

	trace_line_number(line, "ticket", event->ticket);
	if (work->kind == OPERATION_LAUNCH) {
		snprintf(text, sizeof(text), "%llu x %llu x %llu",
			 (unsigned long long)work->global[0],
			 (unsigned long long)work->global[1],
			 (unsigned long long)work->global[2]);
		trace_line_text(line, "global", text);
		if (strncmp(event->name, work->kernel,
			    sizeof(work->kernel) - 1))
			trace_line_text(line, "kernel", work->kernel);
	} else if (work->kind != OPERATION_BARRIER) {
		trace_line_number(line, "bytes", work->bytes);
	}
	if (event_state(event) == DPR_EVENT_FAILED) {
		trace_line_text(line, "status", dpr_status_name(event->status));
		trace_line_text(line, "error", event_text(event));
	} else if (!event_final(event)) {
		trace_line_true(line, "unfinished");
	}
}

/* Write a span that may overlap others. */
static void write_apart(const struct traced *work, const char *category,
			uint64_t start, uint64_t end)
{
	const struct track *track = work->track;
	struct trace_line line;
	char phase;

	for (phase = 'b';; phase = 'e') {
		trace_line_begin(&line, phase, track->process, track->thread,
				 phase == 'b' ? start : end);
		trace_line_text(&line, "cat", category);
		trace_line_number(&line, "id", work->flow);
		trace_line_text(&line, "name", work->event->name);
		trace_line_args(&line, NULL, NULL);
		if (phase == 'b') {
			trace_line_text(&line, "queue", track->name);
			add_details(&line, work);
		}
		trace_line_args_end(&line);
		trace_file_put(&line);
		if (phase == 'e')
			return;
	}
}

/* Write one end of the arrow that goes from the submitting call to the span of
   the work.  @phase is 's' for its start, 'f' for its head. */
static void write_arrow(const struct traced *work, char phase, uint64_t process,
			uint64_t thread, uint64_t time)
{
	struct trace_line line;

	trace_line_begin(&line, phase, process, thread, time);
	trace_line_text(&line, "cat", "submission");
	trace_line_text(&line, "name", "submission");
	trace_line_number(&line, "id", work->flow);
	if (phase == 'f')
		trace_line_text(&line, "bp", "e");
	trace_file_put(&line);
}

static void write_run(const struct traced *work, uint64_t start, uint64_t end,
		      const char *estimated)
{
	struct track *track = work->track;
	const int lane = find_free_lane(track, start);
	struct trace_line line;
	uint64_t thread;

	if (lane < 0) {
		write_apart(work, categories[work->kind], start, end);
		return;
	}
	track->end[lane] = end;
	thread = track->thread + (uint64_t)lane;
	trace_line_begin(&line, 'X', track->process, thread, start);
	trace_line_time(&line, "dur", end - start);
	trace_line_text(&line, "cat", categories[work->kind]);
	trace_line_text(&line, "name", work->event->name);
	trace_line_args(&line, NULL, NULL);
	add_details(&line, work);
	if (estimated)
		trace_line_text(&line, "estimated", estimated);
	trace_line_args_end(&line);
	trace_file_put(&line);
	write_arrow(work, 's', (uint64_t)getpid(), (uint64_t)work->thread,
		    work->made);
	write_arrow(work, 'f', track->process, thread, start);
}

static uint64_t latest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void write_traced(const struct traced *work)
{
	const dpr_event *event = work->event;
	const struct track *track = work->track;
	uint64_t start = latest(work->made, event->sent), end = work->seen;
	/* The work began neither before it was submitted nor, on an in-order
	   queue, before its predecessor ended. */
	uint64_t least = work->made;
	const char *estimated = "times";

	if (!event->sent) {
		write_apart(work, "held", work->made, work->seen);
		return;
	}
	if (event->queue->in_order && track->n_lanes)
		least = latest(least, track->end[0]);
	if (event->t_end && event_final(event)) {
		const uint64_t shift =
			track->shifts ? track->shift : (uint64_t)track->guess;

		estimated = track->shifts ? NULL : "position";
		start = event->t_start + shift;
		end = earliest(event->t_end + shift, work->seen);
	}
	start = latest(start, least);
	/* When `sent` was taken, the driver may already have started the
	   work. */
	if (event->was_held)
		write_apart(work, "held", work->made,
			    earliest(event->sent, start));
	write_run(work, start, latest(start, end), estimated);
}

/* --- Memory ----------------------------------------------------------------
 */

/* Write how much memory @pool has, if that has changed. */
static void count_pool(struct track *track, struct pool *pool, unsigned kind)
{
	struct trace_line line;
	char name[40];
	uint64_t used, held;

	pthread_mutex_lock(&pool->lock);
	used = pool->heap.used;
	held = pool->heap.held;
	pthread_mutex_unlock(&pool->lock);
	if (used == track->used[kind] && held == track->held[kind])
		return;
	track->used[kind] = used;
	track->held[kind] = held;
	snprintf(name, sizeof(name), "%s memory", usm_kind_name(pool->kind));
	trace_line_begin(&line, 'C', track->process, track->process,
			 clock_now());
	trace_line_text(&line, "name", name);
	trace_line_args(&line, NULL, NULL);
	trace_line_number(&line, "used", used);
	trace_line_number(&line, "kept", held - used);
	trace_line_args_end(&line);
	trace_file_put(&line);
}

/* Write how much memory the pools of all devices in the file have now. */
static void count_memory(void)
{
	struct track *track;
	struct pool *pool;
	unsigned kind;

	for (track = tracks; track; track = track->next)
		for (kind = 0; kind < POOL_KINDS; kind++) {
			pool = pool_of(track->device, (dpr_usm_kind)(kind + 1),
				       0);
			if (pool && track->process == track->thread)
				count_pool(track, pool, kind);
		}
}

/* --- Looking ---------------------------------------------------------------
 */

/* Queues with a submission that has not ended.  If such a queue is in order,
   none of its later submissions has ended. */
struct waiting {
	const dpr_queue *waits[ASKED];
	int n;
};

static bool queue_waits(const struct waiting *look, const dpr_queue *queue)
{
	int i;

	for (i = 0; i < look->n; i++)
		if (queue->in_order && look->waits[i] == queue)
			return true;
	return false;
}

/* Whether the event is final; polls it if need be. */
static bool has_ended(struct waiting *look, dpr_event *event)
{
	if (event_final(event))
		return true;
	if (look->n == ASKED || queue_waits(look, event->queue))
		return false;
	if (event_poll(event) >= DPR_EVENT_COMPLETE)
		return true;
	look->waits[look->n++] = event->queue;
	return false;
}

/* Whether the submission of @event failed at once: then only this list has a
   reference. */
static bool is_abandoned(const dpr_event *event)
{
	return event_state(event) == DPR_EVENT_HELD && !event->was_held &&
	       refs_count(&event->refs) == 1;
}

static struct traced *reverse_list(struct traced *list)
{
	struct traced *out = NULL, *next;

	for (; list; list = next) {
		next = list->next;
		list->next = out;
		out = list;
	}
	return out;
}

/*
 * Set the time when each submission was seen to end.  On an in-order queue a
 * submission has ended when a later submission has, even if the later one was
 * polled first.
 */
static struct traced *bound_ends(struct traced *list, uint64_t now)
{
	struct traced *work;
	struct track *track;

	for (track = tracks; track; track = track->next)
		track->seen = UINT64_MAX;
	list = reverse_list(list);
	for (work = list; work; work = work->next) {
		const dpr_event *event = work->event;

		if (!work->over || !work->track)
			continue;
		track = work->track;
		work->seen =
			event_final(event) && event->seen ? event->seen : now;
		/* A submission that failed in the core does not count in the
		   order. */
		if (!event->queue->in_order || !event->sent)
			continue;
		track->seen = work->seen = earliest(work->seen, track->seen);
	}
	return reverse_list(list);
}

/* Decide which submissions are to be written, and find their tracks. */
static void mark_ended(struct traced *list, bool all, bool last)
{
	struct waiting look = { .n = 0 };
	struct traced *work;

	for (work = list; work; work = work->next) {
		work->over = all || has_ended(&look, work->event) ||
			     is_abandoned(work->event);
		if (!work->track)
			work->track = find_track(work->event->queue);
		/* Compare the clocks at least once, while plugins may be
		   called. */
		if (work->track && !last &&
		    (work->over || !work->track->shifts))
			compare_clocks(work->track);
	}
}

/* Write and drop the submissions that have ended.  Returns the others. */
static struct traced *write_ended(struct traced *list)
{
	struct traced *keep = NULL, **end = &keep, *next, *work;

	/* Guess from all submissions before any is written. */
	for (work = list; work; work = work->next)
		if (work->over && work->track && !work->track->shifts &&
		    work->event->t_end)
			guess_shift(work->track, work);

	for (; list; list = next) {
		next = list->next;
		if (!list->over) {
			*end = list;
			end = &list->next;
			continue;
		}
		if (list->track && !is_abandoned(list->event))
			write_traced(list);
		dpr_event_release(list->event);
		mem_free(list);
	}
	*end = NULL;
	return keep;
}

/*
 * Take the list, and set `busy`.  Returns false if another thread has the list,
 * or if it is too early to look again, since a look takes as long as the list.
 * With @wait it is never too early, and the other thread is waited for, at most
 * 1 s.
 */
static bool take_list(bool wait, struct traced **list)
{
	struct timespec until;
	bool early, mine;
	int rc = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	pthread_mutex_lock(&lock);
	while (wait && busy && !closed && !rc)
		rc = pthread_cond_clockwait(&idle, &lock, CLOCK_MONOTONIC,
					    &until);
	early = n_turns++ < n_kept / LOOK_PART && !wait &&
		!atomic_load_explicit(&trace_due, memory_order_relaxed);
	mine = !busy && !closed && !early;
	if (mine) {
		busy = true;
		n_turns = 0;
		atomic_store_explicit(&trace_due, 0, memory_order_relaxed);
		*list = first;
		first = NULL;
		last_next = &first;
	}
	pthread_mutex_unlock(&lock);
	return mine;
}

static void return_list(struct traced *list)
{
	struct traced **end = &list, *work;
	size_t n = 0;

	for (; *end; end = &(*end)->next)
		n++;
	pthread_mutex_lock(&lock);
	n_kept = n;
	if (first) {
		for (work = first; work; work = work->next)
			n++;
		*end = first;
	} else {
		last_next = end;
	}
	first = list;
	if (!list)
		last_next = &first;
	n_pending = n;
	busy = false;
	pthread_cond_broadcast(&idle);
	pthread_mutex_unlock(&lock);
}

static void look_at_all(bool all, bool last)
{
	struct traced *list;
	char *text;

	if (!take_list(all, &list))
		return;
	/* Keep the last error: the program may still read the text of its
	   call's failure. */
	text = status_keep();
	n_looks++;
	mark_ended(list, all && last, last);
	if (all && !last)
		mark_ended(list, true, false);
	list = write_ended(bound_ends(list, clock_now()));
	count_memory();
	status_restore(text);
	return_list(list);
}

void trace_queue_look(bool last)
{
	if (last || process_alive())
		look_at_all(last, last);
}

void trace_queue_finish(void)
{
	if (trace_on())
		look_at_all(true, false);
}

void trace_queue_close(void)
{
	struct traced *list;

	if (!trace_on() || !take_list(true, &list))
		return;
	/* `busy` stays set; wake the threads that wait for it. */
	pthread_mutex_lock(&lock);
	closed = true;
	pthread_cond_broadcast(&idle);
	pthread_mutex_unlock(&lock);
}
