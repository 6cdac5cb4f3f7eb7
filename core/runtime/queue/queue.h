/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - the struct of a queue: references, and the progress of its work.
 *
 * Every submission has a ticket, a number that counts from 1 on its queue.  On
 * an in-order queue everything up to `done` is known complete.  If a submission
 * waits for an event for which the backend cannot wait, the core holds the
 * submission.  On an in-order queue the core then holds everything after it,
 * too.  The progress thread sends held submissions out later, in order.
 */
#ifndef RUNTIME_QUEUE_H
#define RUNTIME_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <dpr/event.h>
#include <dpr/queue.h>

#include "core/base/refs.h"
#include "core/base/small_list.h"
#include "core/runtime/device/device.h"
#include "core/runtime/queue/reap.h"
#include "core/runtime/queue/spoil.h"

/* An object that is dropped when a submission has completed. */
struct pin {
	uint64_t ticket;
	void *object;
	void (*drop)(void *object);
};

#define QUEUE_NAMES 32

/* The name of a recent submission, cut short if need be. */
struct queue_name {
	uint64_t ticket;
	char text[40];
};

struct held;
struct held_entry;

/*
 * There are two counts.  `refs` counts the holders that may submit: the
 * program, allocations of the queue, held submissions.  When `refs` drops to 0,
 * the driver's queue is closed as soon as its work is done.  `weak` counts the
 * holders that only need the struct: events, records of uses, and one for all
 * of `refs`.  When `weak` drops to 0, the struct is freed.  With only a weak
 * reference, call queue_visit() before any use of the driver's queue.
 */
struct dpr_queue {
	struct refs refs, weak;
	atomic_int visitors; /* -1: the queue is shut; see queue_visit() */
	dpr_device *device;
	struct plugin *plugin;
	dprp_queue *handle;
	uint32_t flags;
	bool in_order; /* the queue is known to run its submissions in order */
	bool canonical;
	/* The program has the handle, and may submit work that dpr does not
	   know of. */
	atomic_bool shared;
	bool lent; /* the program owns the handle; see finish_may_be_gone() */
	char *name;
	atomic_bool unflushed; /* work was submitted since the last flush */
	/* tickets_reserve() has to make room; written with `lock` held. */
	atomic_bool cramped;
	/* All tickets up to this one are known complete.  Only grows. */
	_Atomic uint64_t done;

	/* Held from before the plugin's `finish` until a failure that `finish`
	   reports is recorded, since each failure is reported only once.  Taken
	   before `submit`. */
	pthread_mutex_t telling;
	/*
	 * Held while the plugin's enqueue entries run, or `finish` on an idle
	 * queue, and while nothing else runs that may wait.  The `submit` of
	 * another queue is never taken under it.  Order of locks: `submit`,
	 * then those of allocations by address, then `lock`.
	 */
	pthread_mutex_t submit;
	/* The fields down to `n_held_barriers` are written with `submit` and
	   `lock` held, and may be read with either. */
	/* the ticket of the last submission that was sent out or held */
	uint64_t last;
	struct held_entry *held, *held_last; /* the oldest entry comes first */
	size_t n_held, n_held_barriers;
	struct held *again; /* see held.c; used by the progress thread only */

	/* A leaf: no other lock is taken and no plugin is called under it. */
	pthread_mutex_t lock;
	/* Guards the fields below. */
	/* the oldest entry that held.c has not seen */
	struct held_entry *unseen;
	/* Submissions that the core has carried out.  The progress thread frees
	   them and looks again at what waits for them. */
	struct held *carried;
	bool closed; /* the driver's queue is gone */
	/* Events whose completion advances `done`, by ticket; each a reference.
	   Out of order, every submission not known complete has one. */
	struct {
		SMALL_LIST(dpr_event *, 16);
	} tracked;
	size_t reap_at;
	struct {
		SMALL_LIST(struct pin, 8);
	} pins;
	/* The first failure since the last wait. */
	struct {
		dpr_status status;
		char *text;           /* NULL: the text of `root` */
		struct failure *root; /* with a reference */
	} failure;
	/* the name for each ticket, at ticket % QUEUE_NAMES */
	struct queue_name names[QUEUE_NAMES];
	struct spoil spoil;

	/* Written under the lock of its device's pool. */
	_Atomic(struct lane *) lane;

	/* the list of all queues; see queue_list.c */
	dpr_queue *next, *previous;
	struct reap_node reaped;
	dpr_queue *progress_next; /* see progress.c */
	bool in_progress;
	struct helper_job *jobs, **jobs_end; /* see helpers.c */
	dpr_queue *helper_next;
	bool in_helpers;
};

/* Make a queue with one reference and no driver queue.  Returns NULL if memory
   runs out. */
dpr_queue *queue_new(dpr_device *device, bool canonical);
/* Free the struct.  The driver's queue must have been destroyed, or never
   made. */
void queue_free(dpr_queue *queue);

/* Retain a queue that may be losing its last reference.  Returns false if it
   has none left. */
bool queue_try_retain(dpr_queue *queue);
void queue_weak_retain(dpr_queue *queue);
void queue_weak_release(dpr_queue *queue);

/*
 * Keep the driver's queue open until queue_leave(), even without a reference.
 * The caller has a weak reference and leaves soon.  Takes no lock.  Returns
 * false if the queue is shut: all its submissions are done, and `done` says so.
 */
bool queue_visit(dpr_queue *queue);
void queue_leave(dpr_queue *queue);

/*
 * Refuse visitors from now on, and set `done` to the last ticket.  Call it only
 * when the queue has no references and its work is over.  Returns false if
 * there is a visitor: try again later.
 */
bool queue_shut(dpr_queue *queue);

/* The ticket up to which submissions are known complete. */
static inline uint64_t queue_done(const dpr_queue *queue)
{
	return atomic_load_explicit(&queue->done, memory_order_acquire);
}

/* Whether submission @ticket is known complete. */
static inline bool queue_is_done(const dpr_queue *queue, uint64_t ticket)
{
	return queue_done(queue) >= ticket;
}

/* Record that all submissions up to @ticket are done.  The caller holds
   `lock`. */
void queue_raise_done_locked(dpr_queue *queue, uint64_t ticket);

/* Whether each submission up to @ticket is known to have succeeded or to be
   spoiled.  Takes no lock. */
static inline bool queue_is_sound(const dpr_queue *queue, uint64_t ticket)
{
	return ticket <=
	       atomic_load_explicit(&queue->spoil.sound, memory_order_acquire);
}

/* Flush the driver's queue, if anything was submitted since the last flush. */
dpr_status queue_flush(dpr_queue *queue);

/* Returns DPR_ERROR_INVALID_ARGUMENT if @queue is NULL, else what
   process_check() returns. */
dpr_status queue_check(const char *what, const dpr_queue *queue);

/* The owner of `lane`, the memory that is kept for later work of the queue. */
struct lane_owner {
	/* The program has waited for the queue. */
	void (*settle)(dpr_queue *queue);
	/* The queue will get no more work. */
	void (*closed)(dpr_queue *queue);
};

void queue_set_lane_owner(const struct lane_owner *owner);

/* Call settle() or closed() of the owner if the queue has a lane. */
void queue_settle_lane(dpr_queue *queue);
void queue_close_lane(dpr_queue *queue);

#endif
