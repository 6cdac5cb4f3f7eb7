/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.h - attributes, and the object types that every other header names.
 *
 * The headers are for C11 and later, and for C++11 and later.
 *
 * Rules for the whole API:
 *
 * - A function that can fail returns dpr_status; DPR_OK is 0, so `if ((status =
 *   f(...)))` reads "if it failed".  After a failure dpr_last_error() has a
 *   sentence for this thread, and every output parameter for an object is NULL.
 * - A function named create or retain, or with an output parameter `out` of a
 *   reference counted type, gives the caller one reference.  The caller drops
 *   it with the type's release function. release(NULL) does nothing.
 * - Arguments come in one order: the object or the queue; what is written, each
 *   with its offset; what is read; numbers and sizes; options; a callback with
 *   its `user`; the events to wait for (`after`) and the event (`done`);
 *   outputs.  Last of all come arguments of any number: `args` of a launch,
 *   names and values of dpr_evaluate().
 * - An object is const where the call changes nothing that a program can see:
 *   getters, waits, and memory that is only read.  A wait takes the failure of
 *   a queue, so there the queue is not const.
 * - A getter is dpr_X_property(x), or dpr_X_get_property(x) if there is a type
 *   of the shorter name, or a dpr_X_set_property().  Its comment says the
 *   answer for NULL.  A getter of an enum always answers one of its values.
 * - Every struct and enum is a typedef of the same name.  Flags are ORed in
 *   uint32_t or uint64_t.
 * - A getter that returns a pointer lends it: the pointer is valid as long as
 *   the object passed to the getter.
 * - DPR_LAYERS=handles logs calls that break these rules; see dpr(1).
 * - Every function may be called from any thread at any time.  The one
 *   exception: an object must not be used while another thread drops its last
 *   reference.
 * - dpr_X_wait(x) waits until work is over, and returns its error.
 *   dpr_X_wait_for(x, nanoseconds) does the same within a limit: DPR_FOREVER
 *   means no limit, and 0 asks without waiting.  Past the limit it returns
 *   DPR_ERROR_TIMEOUT, and a later call still reports what failed.  There are
 *   both for events, lists of events, queues, allocations and arrays.  In an
 *   event's callback only dpr_X_wait_for(x, 0) is allowed; the others return
 *   DPR_ERROR_BUSY.
 * - An event or list of events that is NULL counts as complete: in a wait, in
 *   `after`, and as an entry of a list.  No queue, allocation or array that is
 *   waited for may be NULL.
 * - Sizes in bytes are size_t; shapes, strides, element counts and element
 *   offsets are int64_t; numbers of work-items are uint64_t; times are
 *   nanoseconds in uint64_t.
 * - The library never prints, aborts or exits.
 *
 * Errors that the comments of functions do not repeat:
 *
 * - DPR_ERROR_INVALID_ARGUMENT: an object or a required output is NULL, or a
 *   dpr_events has a count but no list.
 * - DPR_ERROR_SHUTDOWN: a function that works with devices, queues or their
 *   objects was called after dpr_finalize() or during exit().
 * - DPR_ERROR_FORKED: such a function was called in a child process whose
 *   parent had opened a driver before fork().
 * - DPR_ERROR_BUSY: a function that would have to wait was called in an event's
 *   callback, which runs on a thread of the library.
 * - DPR_ERROR_OUT_OF_MEMORY: the host has no memory for the library's own data.
 */
#ifndef DPR_BASE_H
#define DPR_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define DPR_API __attribute__((visibility("default")))
#define DPR_CHECK __attribute__((warn_unused_result))
#define DPR_PRINTF(text, first) \
	__attribute__((__format__(__printf__, text, first)))
#else
#define DPR_API
#define DPR_CHECK
#define DPR_PRINTF(text, first)
#endif

#ifdef __cplusplus
#define DPR_BEGIN_DECLS extern "C" {
#define DPR_END_DECLS }
#else
#define DPR_BEGIN_DECLS
#define DPR_END_DECLS
#endif

/* A root device or a sub-device of one backend.  Borrowed, and valid until the
   process ends; the same device is always the same pointer. */
typedef struct dpr_device dpr_device;
/* Where work runs: an ordered or unordered stream of submissions to one
   device.  Reference counted; canonical queues are borrowed. */
typedef struct dpr_queue dpr_queue;
/* The completion of one submission, with its error and times.  Reference
   counted; may outlive its queue. */
typedef struct dpr_event dpr_event;
/* One allocation of unified shared memory.  Reference counted. */
typedef struct dpr_usm dpr_usm;
/* Built code for one device.  Reference counted. */
typedef struct dpr_program dpr_program;
/* An entry point of a program.  It holds no argument state, so several threads
   may launch one kernel at the same time.  Reference counted. */
typedef struct dpr_kernel dpr_kernel;
/* An n-d view of an allocation.  Its metadata never changes.  Reference
   counted; views share the allocation. */
typedef struct dpr_array dpr_array;

/* No limit, for functions that take a time limit. */
#define DPR_FOREVER UINT64_MAX

/*
 * The events that a submission waits for, borrowed for the call.  They may be
 * of any queue and any backend; an entry that is NULL counts as complete.  To
 * wait for nothing, pass NULL instead of a pointer to this struct.
 */
typedef struct dpr_events {
	size_t count; /* the number of events */
	dpr_event *const *list; /* the events */
} dpr_events;

DPR_BEGIN_DECLS

/* Free a text or list from a function whose comment says to use dpr_free().
   dpr_free(NULL) does nothing. */
DPR_API void dpr_free(void *block);

DPR_END_DECLS

#endif
