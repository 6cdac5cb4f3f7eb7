/* SPDX-License-Identifier: Apache-2.0 */
/* event.h - the completion of one submission, its error and its times. */
#ifndef DPR_EVENT_H
#define DPR_EVENT_H

#include <dpr/base.h>
#include <dpr/status.h>

DPR_BEGIN_DECLS

/*
 * A list of events for a parameter `after`: DPR_AFTER(a, b).  Write it in the
 * call, as in `again ? DPR_AFTER(a) : NULL`: the list is valid in C until the
 * end of the enclosing block, in C++ until the end of the full expression.  To
 * keep the list to the end of a block in C++, keep its object: `const auto
 * after = DPR_AFTER(a, b);`.
 */
#ifdef __cplusplus
DPR_END_DECLS
template <size_t N> struct dpr_events_of {
	dpr_event *list[N];
	dpr_events head;
	template <class... E>
	explicit dpr_events_of(dpr_event *first, E... e)
	    : list{ first, e... }, head{ N, list }
	{
	}
	/* No list, for the other side of a condition. */
	dpr_events_of(decltype(nullptr)) : list{}, head{ 0, nullptr }
	{
	}
	/* C++11 copies what a function returns: a copy has its own list. */
	dpr_events_of(const dpr_events_of &other)
	    : head{ other.head.count, other.head.list ? list : nullptr }
	{
		for (size_t i = 0; i < N; i++)
			list[i] = other.list[i];
	}
	dpr_events_of &operator=(const dpr_events_of &) = delete;
	operator const dpr_events *() const
	{
		return head.list ? &head : nullptr;
	}
};
template <class... E>
static inline dpr_events_of<sizeof...(E)> dpr_after(E... e)
{
	return dpr_events_of<sizeof...(E)>(e...);
}
#define DPR_AFTER(...) dpr_after(__VA_ARGS__)
DPR_BEGIN_DECLS
#else
#define DPR_AFTER(...)                                                      \
	(&(const dpr_events){ sizeof((dpr_event *const[]){ __VA_ARGS__ }) / \
				      sizeof(dpr_event *),                  \
		(dpr_event *const[]){ __VA_ARGS__ } })
#endif

/* How far a submission has got. */
typedef enum dpr_event_state {
	DPR_EVENT_HELD = 0, /* kept by the core: the driver cannot wait for a
			       dependency, or an earlier submission is HELD */
	DPR_EVENT_QUEUED = 1, /* handed to the driver */
	DPR_EVENT_RUNNING = 2,
	DPR_EVENT_COMPLETE = 3,
	DPR_EVENT_FAILED = 4
} dpr_event_state;

/* Times in nanoseconds: dpr_event_times() gives them on the host's
   CLOCK_MONOTONIC, dpr_event_device_times() on the device's clock. */
typedef struct dpr_times {
	uint64_t queued; /* the program submitted the work */
	uint64_t submitted; /* the driver handed the work to the device */
	uint64_t started; /* the work began */
	uint64_t ended; /* the work was done */
} dpr_times;

/* Called on a thread of the library, with no lock held, when the event has
   completed (@status DPR_OK) or failed (@status says how).  It may submit work;
   it must not wait for any.  Other callbacks run after it, on the same thread.
 */
typedef void (*dpr_event_callback)(
	dpr_event *event, dpr_status status, void *user);

/* Add one reference and return @event. */
DPR_API dpr_event *dpr_event_retain(dpr_event *event);
/* Release one reference.  Never waits. */
DPR_API void dpr_event_release(dpr_event *event);

/*
 * Wait until @event has completed or failed.  For a failed submission this
 * returns its status.  If it failed because another submission failed, the
 * status is that of the other submission.  NULL counts as complete.
 * DPR_ERROR_BUSY: in an event's callback, even if @event is complete.
 */
DPR_API DPR_CHECK dpr_status dpr_event_wait(const dpr_event *event);

/*
 * Wait as dpr_event_wait(), but for @nanoseconds at most (DPR_FOREVER: no
 * limit; 0: do not wait).
 * DPR_ERROR_TIMEOUT: the event has neither completed nor failed yet.
 * DPR_ERROR_BUSY: in an event's callback, unless @nanoseconds is 0.
 */
DPR_API DPR_CHECK dpr_status dpr_event_wait_for(
	const dpr_event *event, uint64_t nanoseconds);

/* Wait for all of @events.  Returns the first failure in the order of the list.
   NULL, and entries that are NULL, count as complete.  Errors as
   dpr_event_wait(). */
DPR_API DPR_CHECK dpr_status dpr_events_wait(const dpr_events *events);

/* Wait as dpr_events_wait(), but for @nanoseconds at most for the whole list
   (DPR_FOREVER: no limit; 0: do not wait).  Errors as dpr_event_wait_for(). */
DPR_API DPR_CHECK dpr_status dpr_events_wait_for(
	const dpr_events *events, uint64_t nanoseconds);

/* How far the submission has got; COMPLETE for NULL.  Asks the driver, and
   flushes the submission to it first.  Does not wait; never fails. */
DPR_API dpr_event_state dpr_event_get_state(const dpr_event *event);

/*
 * The error of a failed submission, in *@status and *@text (either may be
 * NULL).  DPR_OK and "" while it has not failed, and for NULL.  The text is
 * lent as long as the event.  Asks the driver, as dpr_event_get_state().
 */
DPR_API void dpr_event_error(
	const dpr_event *event, dpr_status *status, const char **text);

/*
 * The times of a submission.  Waits for it first.
 * DPR_ERROR_UNSUPPORTED: the queue was made without DPR_QUEUE_PROFILING, the
 * driver keeps no times of this submission, or its clock cannot be compared
 * with the host's.
 * DPR_ERROR_PLUGIN: the plugin reported an end before the start.
 * DPR_ERROR_BUSY: in an event's callback, when the event is not complete.
 * Otherwise, for a failed submission, its status.
 */
DPR_API DPR_CHECK dpr_status dpr_event_times(
	const dpr_event *event, dpr_times *out);

/*
 * The times of a submission by the device's own clock, in nanoseconds.  They
 * can be compared with those of every other submission to the same root device
 * (dpr_device_root()), on any of its queues, but not with the host's clock.
 * Works where dpr_event_times() cannot, as with PoCL.  Waits for the submission
 * first.
 * DPR_ERROR_UNSUPPORTED: no profiling, or no times of this submission.
 * Other errors as dpr_event_times().
 */
DPR_API DPR_CHECK dpr_status dpr_event_device_times(
	const dpr_event *event, dpr_times *out);

/*
 * How long the submission ran, from start to end.  Works even where the
 * device's clock cannot be compared with the host's.  Waits for the submission
 * first.
 *
 * Of several kernels, as an expression may have, this is the time of one.  To
 * time them all, subtract the end of the event before them from the end of the
 * last one's event, both from dpr_event_device_times().
 *
 * DPR_ERROR_UNSUPPORTED: no profiling, or no times of this submission.
 * Other errors as dpr_event_times().
 */
DPR_API DPR_CHECK dpr_status dpr_event_duration(
	const dpr_event *event, uint64_t *nanoseconds);

/*
 * Have a thread of the library call @callback once, when @event completes or
 * fails; if it already has, soon.  Does not wait.  The caller
 * may release @event at once.  The callback's `event` is lent until the
 * callback returns; to keep it longer, retain it.
 * DPR_ERROR_OUT_OF_MEMORY: the host has no memory, or a thread of the
 * library cannot be started.
 * After a failure @callback is not called.
 */
DPR_API DPR_CHECK dpr_status dpr_event_on_end(
	dpr_event *event, dpr_event_callback callback, void *user);

/* What was submitted: "copy", a kernel's name, or for the kernels of array
   functions the function ("add") or the text of the expression; "" for NULL.
   Lent as long as the event. */
DPR_API const char *dpr_event_name(const dpr_event *event);
/* The queue that the work was submitted to.  Lent.  NULL if all references to
   the queue are gone, for an event from dpr_event_from_native(), and for
   NULL. */
DPR_API dpr_queue *dpr_event_queue(const dpr_event *event);
/* The queue of @event with a new reference, which the caller releases with
   dpr_queue_release(); NULL where dpr_event_queue() returns NULL.  Does not
   wait.  Other threads may release the queue at the same time: then the caller
   gets the queue whole, or NULL.  dpr_queue_retain() of a lent queue is too
   late there. */
DPR_API dpr_queue *dpr_event_retain_queue(const dpr_event *event);

DPR_END_DECLS

#endif
