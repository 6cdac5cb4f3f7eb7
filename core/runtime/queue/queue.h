/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - queues inside: tickets, held submissions, and how work goes out.
 *
 * Every submission has a ticket, a number that counts from 1 on its queue.  On
 * an in-order queue everything up to `done` is known complete.  A submission
 * that waits for an event which the backend cannot wait for itself is held in
 * the core: it and, on an in-order queue, everything after it go out later, in
 * order, from the progress thread.
 */
#ifndef RUNTIME_QUEUE_H
#define RUNTIME_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include <dpr/event.h>
#include <dpr/kernel.h>
#include <dpr/launch.h>
#include <dpr/queue.h>
#include <dpr/usm.h>

#include "core/runtime/device/device.h"
#include "core/runtime/queue/reap.h"
#include "core/runtime/queue/spoil.h"

/* What a submission does with an allocation: enum dpr_access, and these.
   Without DPR_READ and DPR_WRITE it is pinned, but not ordered. */
enum use_access {
	USE_WHOLE = DPR_WRITE_ALL & ~DPR_WRITE,
	USE_RAW = 8,    /* it may read and write it, the program orders it */
	USE_ORIGIN = 16 /* what it writes comes from there by another way */
};

struct use {
	dpr_usm *usm;
	uint32_t access;
	/* Whose results of its own queue it uses, for spoil.h; 0: none. */
	uint64_t first, last;
};

/* Whether a failure of the old contents concerns a use: one that reads them, or
   may. */
static inline int use_reads(uint32_t access)
{
	return (access & (DPR_READ | USE_RAW | USE_ORIGIN)) != 0;
}

/* Whether the old contents are gone after it. */
static inline int use_replaces(uint32_t access)
{
	return (access & USE_WHOLE) && !use_reads(access);
}

/* How a kind of object is kept. */
struct pin_kind {
	void (*retain)(void *object);
	void (*drop)(void *object);
};

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
 * Two counts: `refs` are those who submit or may have to (the user, allocations
 * that belong to it, held submissions); when the last goes, the driver's queue
 * goes once its work is done.  `weak` are those who only look (events, the
 * records of an allocation's uses), plus one for all of `refs`; the struct goes
 * with the last.  Who has a weak reference and needs the driver's queue visits.
 */
struct dpr_queue {
	atomic_uint refs, weak;
	atomic_int visitors; /* -1: it is shut; queue_visit() */
	dpr_device *device;
	struct plugin *plugin;
	dprp_queue *handle;
	uint32_t flags;
	int in_order; /* the driver runs it in order, and says so */
	int canonical;
	int wrapped; /* made over a handle of the user's */
	/* The user has the handle: there may be work that we do not know of. */
	atomic_int shared;
	char *name;
	atomic_int unflushed; /* something went out since the last flush */
	/* The room for tracked events or pins has run out; written with `lock`
	   held. */
	atomic_int cramped;
	/* All tickets up to this one are known complete.  Only grows. */
	_Atomic uint64_t done;

	/* Held from the plugin's `finish`, which tells of a failure once, until
	   what it told is noted.  Comes before `submit`. */
	pthread_mutex_t telling;
	/*
	 * Held over enqueue entries of the plugin and the finish of a queue
	 * that has nothing to do, and nothing else that waits; no other queue's
	 * is taken under it.  Order: submit, then the locks of allocations by
	 * address, then lock.
	 */
	pthread_mutex_t submit;
	/* The five below are written with both `submit` and `lock` held, so
	   that either will do for reading. */
	uint64_t last; /* the last ticket that was sent out or held */
	struct held_entry *held, *held_last; /* oldest first */
	size_t n_held, n_held_barriers;
	struct held *again; /* the progress thread's alone; held.c */

	/* A leaf: nothing is taken or called under it. */
	pthread_mutex_t lock;
	/* Guards the fields below. */
	struct held_entry *unseen; /* the oldest not looked at; held.c */
	int closed;                /* queue_close() was here */
	/* Events whose completion advances `done`, by ticket; each a reference.
	   Out of order: those of all submissions not known complete. */
	dpr_event **tracked;
	size_t n_tracked, tracked_room, reap_at;
	struct pin *pins;
	size_t n_pins, pins_room;
	/* The first failure since the last wait. */
	struct {
		dpr_status status;
		char *text;           /* NULL: that of `root` */
		struct failure *root; /* a reference */
	} failure;
	struct queue_name names[QUEUE_NAMES]; /* by ticket modulo */
	struct spoil spoil;

	/* Written under the lock of its device's pool. */
	_Atomic(struct lane *) lane;

	dpr_queue *next, *previous; /* all queues; queue.c */
	struct reap_node reaped;
	dpr_queue *progress_next; /* progress.c */
	int in_progress;
};

/*
 * Make room for one submission's event and pins, before it is under way.
 * Called with `submit` held.  0: no memory.
 */
int queue_reserve(dpr_queue *queue);

/* What queue_publish() notes of a submission. */
struct published {
	const char *name;
	const struct use *uses; /* as access_enter() left them */
	size_t n_uses;
	dpr_event *event; /* is tracked; may be NULL */
	/* Is kept until the submission is done, with a reference of its own;
	   may be NULL. */
	void *pin;
	const struct pin_kind *pin_kind;
};

/*
 * Give out @ticket.  Called with `submit` held and, the second, with `lock`
 * too.  Returns whether so much is tracked that queue_poll() pays.
 */
int queue_publish(dpr_queue *queue, uint64_t ticket,
		  const struct published *published);
int queue_publish_locked(dpr_queue *queue, uint64_t ticket,
			 const struct published *published);

/*
 * Track @handle, which it takes over, as what is under way of submission
 * @ticket although that has failed.  Called with `submit` held and after
 * queue_reserve().
 */
void queue_track_rest(dpr_queue *queue, uint64_t ticket, dprp_event *handle);

/* One more reference to a queue that may be losing its last; 0 if it has. */
int queue_try_retain(dpr_queue *queue);
/*
 * Keep the driver's queue until queue_leave(), also when the last reference
 * has gone.  For a moment, with a weak reference; takes no lock.  0: it is
 * shut: all its submissions are done, and `done` says so.
 */
int queue_visit(dpr_queue *queue);
void queue_leave(dpr_queue *queue);
/*
 * Of a queue without references, of which nothing is in use any more: have
 * `done` say so, and let nobody visit it.  0: somebody does, try another time.
 */
int queue_shut(dpr_queue *queue);
void queue_weak_retain(dpr_queue *queue);
void queue_weak_release(dpr_queue *queue);

/*
 * A queue over a handle of the user's: made before that is wrapped, so that
 * nothing can fail afterwards.  NULL: no memory.  Then queue_wrapped() gives it
 * @handle, or queue_free() takes it back.
 */
dpr_queue *queue_to_wrap(dpr_device *device);
void queue_wrapped(dpr_queue *queue, dprp_queue *handle);
/* Free the object; the driver's queue is gone, or was never there. */
void queue_free(dpr_queue *queue);

/*
 * Close the driver's queue once all its work is done.  Called by queue.c and
 * reap.c, once; also for canonical queues at the end.
 */
void queue_close(dpr_queue *queue);
/* Close the canonical queues, and what could not be closed before:
   dpr_finalize(). */
void queue_close_all(void);

/*
 * Keep @object until submission @ticket is done, then drop(object).  Takes over
 * the caller's reference.  The same object with the same drop is kept once, for
 * the higher ticket.  0: no memory; the reference stays the caller's, who must
 * not drop it while the work is under way.
 */
int queue_pin(dpr_queue *queue, uint64_t ticket, void *object,
	      void (*drop)(void *object));

/*
 * Look which of the tracked events have completed, advance `done` and drop the
 * pins behind it.  Calls the driver; does not wait.
 */
void queue_poll(dpr_queue *queue);
/* Drop all pins and tracked events: nothing of the queue is under way. */
void queue_forget(dpr_queue *queue);
/* All submissions up to @ticket are done.  Called with `lock` held. */
void queue_raise_done_locked(dpr_queue *queue, uint64_t ticket);
/* @event of @queue is final: advance `done` if that says something. */
void queue_advance(dpr_queue *queue, const dpr_event *event, dpr_status status);

struct event_list;

#define COVER_MARKER 2

/*
 * Events that cover submission @ticket: it is complete when they are.  Adds
 * them to @list; none if it is known complete.  @many: everything up to @ticket
 * has to be covered, on an out-of-order queue too; COVER_MARKER: by a marker,
 * which does not fail when a submission does.  May submit a marker; holds
 * no lock afterwards.
 */
dpr_status queue_cover(dpr_queue *queue, uint64_t ticket, int many,
		       struct event_list *list);

/* What is known of a failure, ORed. */
enum failure_flags {
	FAILURE_DRIVER = 1, /* the driver has told of it, and may once more */
	FAILURE_VAGUE = 2,  /* it may be that of any submission up to it */
	FAILURE_OTHER = 4   /* it is not that of a submission with results */
};

/*
 * Submission @ticket has failed: spoil its results, and note the failure for
 * the next wait unless an earlier one is noted.  @text NULL: that of @root.
 * Takes over the reference to @root, and returns one to the failure that the
 * ticket has: another one if `finish` has told of it already, which is not told
 * again.
 */
struct failure *queue_note_failure(dpr_queue *queue, uint64_t ticket,
				   unsigned flags, dpr_status status,
				   const char *text, struct failure *root);
/* The same for one that was refused, of which the caller is told at once. */
void queue_note_refused(dpr_queue *queue, uint64_t ticket, dpr_status status,
			const char *text);

/* Hand what was submitted to the driver, if anything was since last time. */
dpr_status queue_flush(dpr_queue *queue);

/*
 * The event, with a reference, of a launch that may have the driver compile and
 * is not known to be over; NULL if there is none.  Takes locks of queues, calls
 * nothing.
 */
dpr_event *queue_compiling(void);

/* DPR_ERROR_INVALID_ARGUMENT for NULL, and what runtime_check() says. */
dpr_status queue_check(const char *what, const dpr_queue *queue);

/* What keeps memory for later work of queues in `lane`.  It is told when the
   program has waited for a queue, and when a queue will get no more work. */
struct lane_owner {
	void (*settle)(dpr_queue *queue);
	void (*closed)(dpr_queue *queue);
};

void queue_set_lane_owner(const struct lane_owner *owner);

/* Call @call for every queue there is, with a reference held meanwhile. */
void queue_each(void (*call)(dpr_queue *queue));

/* Wait until what is submitted now is done, and note what failed. */
dpr_status queue_finish(dpr_queue *queue, uint64_t deadline);
/*
 * See that @ticket gets known complete, until @deadline (0: only look; then it
 * is once the driver says so).  Of a queue that has lost its device nothing is
 * in use: then too it returns 1.
 */
int queue_reach(dpr_queue *queue, uint64_t ticket, uint64_t deadline);
/* Whether @ticket is known complete. */
int queue_is_done(const dpr_queue *queue, uint64_t ticket);
/* Take the noted failure as this thread's error. */
dpr_status queue_take_failure(dpr_queue *queue);

#endif
