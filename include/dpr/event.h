/* SPDX-License-Identifier: Apache-2.0 */
/* event.h - the completion of one submission, its error and its times. */
#ifndef DPR_EVENT_H
#define DPR_EVENT_H

#include <dpr/base.h>
#include <dpr/status.h>

DPR_BEGIN_DECLS

/*
 * A list of events for a parameter `after`: DPR_AFTER(a, b).  Lives as long as
 * the full expression in C++, the enclosing block in C.
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
	/* C++11 copies what a function returns: a copy has its own list. */
	dpr_events_of(const dpr_events_of &other) : head{ N, list }
	{
		for (size_t i = 0; i < N; i++)
			list[i] = other.list[i];
	}
	dpr_events_of &operator=(const dpr_events_of &) = delete;
	operator const dpr_events *() const
	{
		return &head;
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

/* How far a submission came. */
enum dpr_event_state {
	DPR_EVENT_HELD = 0, /* waits in the core, for an event that the driver
			       cannot wait for or behind one that does */
	DPR_EVENT_QUEUED = 1, /* handed to the driver */
	DPR_EVENT_RUNNING = 2,
	DPR_EVENT_COMPLETE = 3,
	DPR_EVENT_FAILED = 4
};

/* Times in nanoseconds on the host's CLOCK_MONOTONIC. */
typedef struct dpr_times {
	uint64_t queued, submitted, started, ended;
} dpr_times;

/* Called on the library's own thread, with no lock held, when the event has
   completed (or failed: @status).  May submit work; must not wait for any. */
typedef void (*dpr_event_callback)(
	dpr_event *event, dpr_status status, void *user);

/* Add one reference and return @event. */
DPR_API dpr_event *dpr_event_retain(dpr_event *event);
/* Release one reference.  Never waits. */
DPR_API void dpr_event_release(dpr_event *event);

/*
 * Wait until @event has completed, @timeout nanoseconds at most (DPR_FOREVER:
 * no limit; 0: only look).  A failed submission gives its status, and that of
 * the submission that it failed for.
 * DPR_ERROR_TIMEOUT: not yet.  DPR_ERROR_BUSY: in an event's callback, unless
 * @timeout is 0; also when @event is complete.
 */
DPR_API DPR_CHECK dpr_status dpr_event_wait(dpr_event *event, uint64_t timeout);

/* The same for all of @events, within one @timeout; the first failure in the
   list counts.  NULL, and entries that are NULL, count as complete.  Errors as
   dpr_event_wait(). */
DPR_API DPR_CHECK dpr_status dpr_events_wait(
	const dpr_events *events, uint64_t timeout);

/* How far it came; COMPLETE for NULL.  Asks the driver, and hands it what is
   not flushed.  Does not wait; never fails. */
DPR_API enum dpr_event_state dpr_event_get_state(dpr_event *event);

/*
 * The error of a failed submission: *status and *text (either may be NULL).
 * DPR_OK and "" while it has not failed, and for NULL.  The text is lent as
 * long as the event.  Asks the driver, as dpr_event_get_state().
 */
DPR_API void dpr_event_error(
	dpr_event *event, dpr_status *status, const char **text);

/*
 * The times of a completed submission; waits for it first.
 * DPR_ERROR_UNSUPPORTED: the queue was made without DPR_QUEUE_PROFILING, the
 * driver keeps no times of this submission, or its clock cannot be compared
 * with the host's.  DPR_ERROR_PLUGIN: the plugin gave an end that is before the
 * start.  DPR_ERROR_BUSY: in an event's callback, when it is not complete.
 * Else, of a failed submission, its status.
 */
DPR_API DPR_CHECK dpr_status dpr_event_times(dpr_event *event, dpr_times *out);

/*
 * How long it ran (ended less started), also where only durations are known.
 * Waits first.  DPR_ERROR_UNSUPPORTED: no profiling, or no times of this
 * submission.  The other errors are those of dpr_event_times().
 */
DPR_API DPR_CHECK dpr_status dpr_event_duration(
	dpr_event *event, uint64_t *nanoseconds);

/*
 * Have @callback called once when @event completes or fails, on the library's
 * own thread, soon also if that has happened already.  Does not wait.  The
 * caller may release @event at once; the callback's `event` is lent until it
 * returns, and to keep it longer takes a reference.
 * DPR_ERROR_OUT_OF_MEMORY: no memory for it, or the library's thread cannot be
 * started.  After a failure @callback is not called.
 */
DPR_API DPR_CHECK dpr_status dpr_event_on_complete(
	dpr_event *event, dpr_event_callback callback, void *user);

/* What was submitted ("copy", a kernel's name); "" for NULL.  Lent as long as
   the event. */
DPR_API const char *dpr_event_name(const dpr_event *event);
/* The queue it was submitted to; NULL if all references to that have gone, of
   an event from dpr_event_from_native(), and for NULL.  Lent. */
DPR_API dpr_queue *dpr_event_queue(const dpr_event *event);

DPR_END_DECLS

#endif
