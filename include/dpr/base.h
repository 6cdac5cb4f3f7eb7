/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.h - attributes and the object types that every other header names.
 *
 * The headers are for C from C11 on and for C++ from C++11 on.
 *
 * Rules that hold for the whole API:
 *
 * - A function that can fail returns dpr_status; DPR_OK is 0, so
 *   `if ((status = f(...)))` reads "if it failed".  After a failure
 *   dpr_last_error() has a sentence for this thread, and every output
 *   parameter that is a pointer to an object is NULL.
 * - A function named create, retain, or with an output parameter `out` of a
 *   reference counted type gives the caller one reference, to be dropped with
 *   the type's release function.  release(NULL) does nothing.
 * - A getter that returns a pointer lends it: it lives as long as the object
 *   that it was got from.
 * - Every function may be called from any thread at any time, except that an
 *   object must not be used while another thread drops its last reference.
 * - Sizes in bytes are size_t; shapes, strides, element counts and element
 *   offsets are int64_t; numbers of work-items are uint64_t; times are
 *   nanoseconds in uint64_t.
 * - The library never prints, aborts or exits.
 *
 * Errors that the single functions do not list again:
 *
 * - DPR_ERROR_INVALID_ARGUMENT: NULL for an object or an output that is not
 *   said to be optional, or a dpr_events with a count but no list.
 * - Of functions that work with devices, queues or what belongs to them:
 *   DPR_ERROR_SHUTDOWN after dpr_finalize() or during exit(), and
 *   DPR_ERROR_FORKED in a child of a process that had a driver open.
 * - DPR_ERROR_BUSY: a function that would have to wait was called in an event's
 *   callback, on the library's own thread.
 * - DPR_ERROR_OUT_OF_MEMORY: the host has no memory for what has to be kept.
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

/* A root device or a sub-device of one backend.  Borrowed; lives until the
   process ends; the same device is always the same pointer. */
typedef struct dpr_device dpr_device;
/* Where work runs: an ordered or unordered stream of submissions to one
   device.  Reference counted; canonical queues are borrowed. */
typedef struct dpr_queue dpr_queue;
/* The completion of one submission, its error and its times.  Reference
   counted; outlives its queue. */
typedef struct dpr_event dpr_event;
/* One allocation of unified shared memory.  Reference counted. */
typedef struct dpr_usm dpr_usm;
/* Built code for one device.  Reference counted. */
typedef struct dpr_program dpr_program;
/* An entry point of a program.  Holds no argument state, so that one kernel
   may be launched from many threads.  Reference counted. */
typedef struct dpr_kernel dpr_kernel;
/* An n-d view of an allocation.  Its metadata never changes.  Reference
   counted; views share the allocation. */
typedef struct dpr_array dpr_array;

/* No limit, for the functions that take a time to wait. */
#define DPR_FOREVER UINT64_MAX

/*
 * The events that a submission waits for, borrowed for the call.  Any event of
 * any queue of any backend will do; an entry that is NULL counts as complete.
 * NULL instead of a pointer to this struct: nothing to wait for.
 */
typedef struct dpr_events {
	size_t count;
	dpr_event *const *list;
} dpr_events;

DPR_BEGIN_DECLS

/* Free a text or a list that a function gave to the caller, where its comment
   says so.  NULL does nothing. */
DPR_API void dpr_free(void *block);

DPR_END_DECLS

#endif
