/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zecpu_engine.c - threads that run commands in any legal order.
 *
 * Two commands run in order only because of an event, an in-order queue, a
 * barrier, or AppendWaitOnEvents, which later commands of its list wait for.
 * All others may overlap; with ZECPU_REVERSE the newest starts first.
 */
#include "zecpu_impl.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_WORKERS 16
#define REVERSE_US 300   /* a burst of commands ends after such a pause */
#define REVERSE_MOST 256 /* collect at most this many commands */
#define LOOK_AHEAD 32    /* look at this many commands of a queue */

static struct {
	bool started;
	unsigned idle;       /* workers without a command */
	unsigned running;    /* commands that are running */
	unsigned paused;     /* not 0: nothing may start */
	unsigned host_waits; /* waiting threads of the program */
	bool held;
	uint64_t steps; /* commands that may start while held */
	uint64_t pending, numbers;
	struct engine_counts counts;
	uint64_t appended; /* when the last command was appended, in ns */
	uint64_t random;
	bool losses;          /* a command was lost; others may wait for it */
	struct queue *queues; /* the queues that have commands */
	struct command *unused;
} engine;

struct command *zecpu_engine_new(enum command_type type)
{
	struct command *command = engine.unused, keep;

	if (command)
		engine.unused = command->next;
	else
		command = calloc(1, sizeof(*command));
	if (!command)
		return NULL;
	/* Keep the memory that an earlier command allocated here. */
	keep = *command;
	memset(command, 0, sizeof(*command));
	command->memory = keep.memory;
	command->room_for_memory = keep.room_for_memory;
	command->launch.values = keep.launch.values;
	command->launch.room = keep.launch.room;
	command->waits = command->few;
	command->room_for_waits = ZECPU_FEW;
	command->type = type;
	command->name = zecpu_entry_name();
	return command;
}

void zecpu_engine_free(struct command *command)
{
	if (command->waits != command->few)
		free(command->waits);
	command->next = engine.unused;
	engine.unused = command;
}

struct command *zecpu_engine_clone(const struct command *from)
{
	struct command *to = zecpu_engine_new(from->type);
	struct wait *waits;
	unsigned char *values;
	struct command keep;
	unsigned i;

	if (!to)
		return NULL;
	keep = *to;
	*to = *from;
	to->memory = keep.memory;
	to->room_for_memory = keep.room_for_memory;
	to->n_memory = 0;
	to->waits = to->few;
	to->room_for_waits = ZECPU_FEW;
	to->launch.values = keep.launch.values;
	to->launch.room = keep.launch.room;
	for (i = 0; i < from->n_memory; i++)
		if (!zecpu_memory_note(to, from->memory[i]))
			goto err;
	if (from->n_waits > ZECPU_FEW) {
		waits = malloc(from->room_for_waits * sizeof(*waits));
		if (!waits)
			goto err;
		memcpy(waits, from->waits, from->n_waits * sizeof(*waits));
		to->waits = waits;
		to->room_for_waits = from->room_for_waits;
	}
	if (to->launch.room < from->launch.used) {
		values = realloc(to->launch.values, from->launch.used);
		if (!values)
			goto err;
		to->launch.values = values;
		to->launch.room = from->launch.used;
	}
	if (from->launch.used)
		memcpy(to->launch.values, from->launch.values,
		       from->launch.used);
	return to;
err:
	zecpu_engine_free(to);
	return NULL;
}

/* --- which command starts ------------------------------------------------- */

enum readiness { READY, BLOCKED, LOST };

static enum readiness readiness(const struct command *command)
{
	enum readiness answer = READY;
	const struct wait *wait;
	unsigned i;

	for (i = 0; i < command->n_waits; i++) {
		wait = &command->waits[i];
		if (zecpu_event_done(wait->event, wait->target))
			continue;
		if (wait->event->lost)
			return LOST;
		answer = BLOCKED;
	}
	return answer;
}

/* The choice of the next command to start, among the ready commands. */
struct choice {
	struct command *best;
	unsigned n;      /* commands that were compared */
	uint64_t oldest; /* the number of the oldest ready command */
};

static bool better(const struct command *a, struct choice *choice)
{
	if (!choice->best)
		return true;
	if (zecpu_knob(KNOB_SEED)) {
		engine.random = engine.random * 6364136223846793005 +
				1442695040888963407;
		return (engine.random >> 33) % ++choice->n == 0;
	}
	return zecpu_knob(KNOB_REVERSE) ? a->number > choice->best->number
					: a->number < choice->best->number;
}

/* Choose among the first @most commands of a queue and the earlier choice. */
static void choose(const struct queue *queue, struct choice *choice,
		   unsigned most)
{
	bool any_order = zecpu_knob(KNOB_REVERSE) || zecpu_knob(KNOB_SEED);
	struct command *command;
	bool blocks;

	for (command = queue->first; command && most > 0;
	     command = command->next, most--) {
		blocks = command->before_all || queue->in_order;
		if (command->running) {
			if (blocks)
				break;
			continue;
		}
		if ((command->after_all || queue->in_order) &&
		    command != queue->first)
			break;
		if (readiness(command) == READY) {
			if (command->number < choice->oldest)
				choice->oldest = command->number;
			if (better(command, choice)) {
				choice->best = command;
				if (!any_order)
					break;
			}
		}
		if (blocks)
			break;
	}
}

/* With ZECPU_REVERSE, whether a burst of commands may still go on.  *@until is
   when it ends. */
static bool still_collecting(uint64_t *until)
{
	int64_t us = zecpu_knob(KNOB_REVERSE);
	uint64_t now;

	if (us == 0 || engine.host_waits || engine.held ||
	    engine.pending > REVERSE_MOST)
		return false;
	now = zecpu_now_ns();
	*until = engine.appended + (uint64_t)(us > 1 ? us : REVERSE_US) * 1000;
	return now < *until;
}

static struct choice choose_of_all(unsigned most)
{
	struct choice choice = { .n = 1, .oldest = UINT64_MAX };
	struct queue *queue;

	for (queue = engine.queues; queue; queue = queue->next)
		choose(queue, &choice, most);
	return choice;
}

static struct command *pick(uint64_t *until)
{
	struct choice choice;

	*until = 0;
	if (engine.paused || engine.pending == engine.running ||
	    (engine.held && (engine.steps == 0 || engine.running)) ||
	    still_collecting(until))
		return NULL;
	if (!engine.random)
		engine.random = (uint64_t)zecpu_knob(KNOB_SEED);
	choice = choose_of_all(zecpu_knob(KNOB_REVERSE) ? REVERSE_MOST
							: LOOK_AHEAD);
	if (!choice.best && engine.running == 0)
		choice = choose_of_all(UINT_MAX);
	if (choice.best && choice.best->number > choice.oldest)
		engine.counts.overtook++;
	return choice.best;
}

/* --- the end of a command --- */

static void queue_remove(struct command *command)
{
	struct queue *queue = command->queue, **place;

	if (command->prev)
		command->prev->next = command->next;
	else
		queue->first = command->next;
	if (command->next)
		command->next->prev = command->prev;
	else
		queue->last = command->prev;
	queue->length--;
	if (queue->first)
		return;
	for (place = &engine.queues; *place != queue;)
		place = &(*place)->next;
	*place = queue->next;
	queue->active = false;
}

static void finish(struct command *command, bool lost)
{
	struct fence *fence = command->fence;

	if (lost)
		command->queue->lost = engine.losses = true;
	if (!lost && command->type == COMMAND_RESET) {
		command->reset->signaled = false;
		command->reset->timed = false;
	}
	zecpu_event_end(command, lost);
	zecpu_memory_end(command);
	if (command->list)
		command->list->in_flight--;
	if (command->kernel)
		command->kernel->users--;
	if (fence) {
		fence->lost |= lost;
		if (--fence->left == 0 && !fence->lost)
			fence->signaled = true;
	}
	queue_remove(command);
	engine.pending--;
	if (!lost) {
		engine.counts.executed++;
		engine.counts.kernels += command->type == COMMAND_KERNEL;
	}
	zecpu_engine_free(command);
	if (engine.host_waits || engine.paused)
		pthread_cond_broadcast(&zecpu.over);
}

void zecpu_engine_discard(void)
{
	struct command *command;
	struct queue *queue;
	bool again;

	do {
		again = false;
		for (queue = engine.queues; queue && !again;
		     queue = queue->next)
			for (command = queue->first; command && !again;
			     command = command->next)
				if (!command->running &&
				    (atomic_load(&queue->device->lost) ||
				     readiness(command) == LOST)) {
					zecpu_event_begin(command);
					finish(command, true);
					again = true;
				}
	} while (again);
}

bool zecpu_engine_runs(const struct device *root)
{
	const struct command *command;
	const struct queue *queue;

	for (queue = engine.queues; queue; queue = queue->next)
		for (command = queue->first; command; command = command->next)
			if (command->running &&
			    queue->device->root == root->root)
				return true;
	return false;
}

/* --- the work --- */

static void do_copy(const struct copy *copy)
{
	size_t row, slice;

	for (slice = 0; slice < copy->slices; slice++)
		for (row = 0; row < copy->rows; row++)
			memmove(copy->to + slice * copy->to_slice +
					row * copy->to_pitch,
				copy->from + slice * copy->from_slice +
					row * copy->from_pitch,
				copy->width);
}

static void do_fill(const struct fill *fill)
{
	size_t at;

	if (fill->pattern_size == 1) {
		memset(fill->to, fill->pattern[0], fill->size);
		return;
	}
	for (at = 0; at + fill->pattern_size <= fill->size;
	     at += fill->pattern_size)
		memcpy(fill->to + at, fill->pattern, fill->pattern_size);
}

/* Do the command's work.  Called without the lock. */
static void do_work(struct command *command)
{
	zecpu_sleep_us(zecpu_knob(KNOB_DELAY_US));
	switch (command->type) {
	case COMMAND_NOTHING:
	case COMMAND_RESET:
	case COMMAND_TIMESTAMPS: break;
	case COMMAND_COPY: do_copy(&command->copy); break;
	case COMMAND_FILL: do_fill(&command->fill); break;
	case COMMAND_KERNEL: zecpu_run(&command->launch); break;
	case COMMAND_CLOCK: *command->clock.to = zecpu_device_ticks(); break;
	}
}

/* Write the timestamps of a query.  Called with the lock, since it reads
   events. */
static void write_timestamps(const struct command *command)
{
	unsigned i, n = command->timestamps.n;
	struct event **events = (struct event **)(void *)command->launch.values;
	const size_t *offsets = (const size_t *)(const void *)(events + n);
	ze_kernel_timestamp_result_t times;

	for (i = 0; i < n; i++) {
		times = zecpu_event_times(events[i]);
		memcpy(command->timestamps.to + offsets[i], &times,
		       sizeof(times));
	}
}

static void execute(struct command *command)
{
	zecpu_event_begin(command);
	zecpu_memory_begin(command);
	engine.running++;
	if (engine.held && engine.steps)
		engine.steps--;
	if (engine.idle && engine.pending > engine.running)
		pthread_cond_signal(&zecpu.work);
	command->start = zecpu_device_ticks();
	pthread_mutex_unlock(&zecpu.lock);
	do_work(command);
	pthread_mutex_lock(&zecpu.lock);
	if (command->type == COMMAND_TIMESTAMPS)
		write_timestamps(command);
	engine.running--;
	finish(command, atomic_load(&command->queue->device->lost));
	if (engine.losses)
		zecpu_engine_discard();
}

static struct timespec time_of(uint64_t ns)
{
	struct timespec time = { (time_t)(ns / 1000000000),
				 (long)(ns % 1000000000) };

	return time;
}

static void *worker(void *unused)
{
	struct command *command;
	struct timespec time;
	uint64_t until;

	pthread_mutex_lock(&zecpu.lock);
	for (;;) {
		command = pick(&until);
		if (command) {
			execute(command);
			continue;
		}
		engine.idle++;
		if (until) {
			time = time_of(until);
			pthread_cond_timedwait(&zecpu.work, &zecpu.lock, &time);
		} else {
			pthread_cond_wait(&zecpu.work, &zecpu.lock);
		}
		engine.idle--;
	}
	return unused;
}

static void start_workers(void)
{
	int64_t n = zecpu_knob(KNOB_WORKERS);
	pthread_attr_t detached;
	pthread_t thread;

	engine.started = true;
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (n = n < 1 ? 1 : n > MAX_WORKERS ? MAX_WORKERS : n; n > 0; n--)
		pthread_create(&thread, &detached, worker, NULL);
	pthread_attr_destroy(&detached);
}

void zecpu_engine_submit(struct queue *queue, struct command *command)
{
	if (!engine.started)
		start_workers();
	command->queue = queue;
	command->number = ++engine.numbers;
	zecpu_event_submit(command);
	zecpu_memory_submit(command);
	if (command->kernel)
		command->kernel->users++;
	command->prev = queue->last;
	command->next = NULL;
	if (queue->last)
		queue->last->next = command;
	else
		queue->first = command;
	queue->last = command;
	queue->length++;
	if (!queue->active) {
		queue->active = true;
		queue->next = engine.queues;
		engine.queues = queue;
	}
	engine.pending++;
	if (zecpu_knob(KNOB_REVERSE))
		engine.appended = zecpu_now_ns();
	if (engine.losses)
		zecpu_engine_discard();
	if (engine.idle)
		pthread_cond_signal(&zecpu.work);
}

/* --- the host --- */

bool zecpu_engine_wait(bool (*done)(const void *what), const void *what,
		       uint64_t timeout)
{
	struct timespec time;
	uint64_t now;
	bool over = done(what);

	if (over || timeout == 0)
		return over;
	now = zecpu_now_ns();
	engine.host_waits++;
	if (zecpu_knob(KNOB_REVERSE) && engine.idle)
		pthread_cond_broadcast(&zecpu.work);
	if (timeout > UINT64_MAX / 4) {
		while (!done(what))
			pthread_cond_wait(&zecpu.over, &zecpu.lock);
	} else {
		time = time_of(now + timeout);
		while (!done(what) &&
		       pthread_cond_timedwait(&zecpu.over, &zecpu.lock,
					      &time) == 0)
			;
	}
	engine.host_waits--;
	return done(what);
}

void zecpu_engine_wake(void)
{
	zecpu_engine_discard();
	pthread_cond_broadcast(&zecpu.work);
	pthread_cond_broadcast(&zecpu.over);
}

void zecpu_engine_pause(void)
{
	engine.paused++;
	while (engine.running)
		pthread_cond_wait(&zecpu.over, &zecpu.lock);
}

void zecpu_engine_resume(void)
{
	engine.paused--;
	pthread_cond_broadcast(&zecpu.work);
}

void zecpu_engine_hold(bool on)
{
	pthread_mutex_lock(&zecpu.lock);
	engine.held = on;
	engine.steps = 0;
	zecpu_engine_wake();
	pthread_mutex_unlock(&zecpu.lock);
}

static bool step_over(const void *unused)
{
	(void)unused;
	return engine.running == 0 &&
	       (engine.steps == 0 || !choose_of_all(UINT_MAX).best);
}

uint64_t zecpu_engine_step(uint64_t n)
{
	uint64_t before, after;

	pthread_mutex_lock(&zecpu.lock);
	before = engine.counts.executed;
	engine.steps = n;
	pthread_cond_broadcast(&zecpu.work);
	zecpu_engine_wait(step_over, NULL, UINT64_MAX);
	engine.steps = 0;
	after = engine.counts.executed;
	pthread_mutex_unlock(&zecpu.lock);
	return after - before;
}

uint64_t zecpu_engine_pending(void)
{
	uint64_t n;

	pthread_mutex_lock(&zecpu.lock);
	n = engine.pending;
	pthread_mutex_unlock(&zecpu.lock);
	return n;
}

uint64_t zecpu_engine_executed(void)
{
	uint64_t n;

	pthread_mutex_lock(&zecpu.lock);
	n = engine.counts.executed;
	pthread_mutex_unlock(&zecpu.lock);
	return n;
}

struct engine_counts zecpu_engine_counts(void)
{
	struct engine_counts counts;

	pthread_mutex_lock(&zecpu.lock);
	counts = engine.counts;
	pthread_mutex_unlock(&zecpu.lock);
	return counts;
}
