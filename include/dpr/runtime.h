/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime.h - the library as a whole: the plugins and why some did not load,
 * the environment, the log, native handles, the end.
 */
#ifndef DPR_RUNTIME_H
#define DPR_RUNTIME_H

#include <stdio.h>

#include <dpr/base.h>
#include <dpr/status.h>

DPR_BEGIN_DECLS

/* How far the library got with a plugin file. */
typedef enum dpr_plugin_stage {
	DPR_PLUGIN_FOUND = 1, /* a candidate that was not opened */
	DPR_PLUGIN_SHADOWED =
		2, /* another file of the same plugin came first */
	DPR_PLUGIN_EXCLUDED = 3, /* DPR_BACKEND leaves it out */
	DPR_PLUGIN_REFUSED = 4, /* the file must not be used: missing, writable
				   by others, replaced while it was opened; or
				   a directory that a variable names has no
				   plugin */
	DPR_PLUGIN_BROKEN = 5, /* damaged, or dlopen failed */
	DPR_PLUGIN_REJECTED = 6, /* not a plugin of this ABI, or malformed */
	DPR_PLUGIN_LOADED = 7, /* valid; its driver was not started */
	DPR_PLUGIN_ABSENT = 8, /* no driver or no device: not an error */
	DPR_PLUGIN_FAILED = 9, /* its driver failed to start */
	DPR_PLUGIN_READY = 10 /* open, with devices */
} dpr_plugin_stage;

/* One line of the load report.  Strings are lent as long as the report. */
typedef struct dpr_plugin_report {
	const char *file; /* absolute path */
	const char *name; /* of the backend; "" if not known */
	const char *version; /* of the plugin; "" if not known */
	const char *origin; /* where the file was found: "DPR_PLUGINS", ... */
	dpr_plugin_stage stage; /* how far the plugin got */
	uint32_t devices; /* root devices */
	uint64_t nanoseconds; /* time spent on the file */
	const char *text; /* why the plugin got no further; if READY, the
			     unused parts of its driver and the reasons; else
			     "" */
	const char *advice; /* what the user can do, "" if nothing */
} dpr_plugin_report;

/*
 * List every plugin file that was tried, in order.  With @open not 0, first
 * open every backend that may be opened; that starts drivers, and may block
 * while they start.  *@list is one block, to be freed with dpr_free().
 * If a variable or a requested file is wrong, so that no device is available,
 * the call still succeeds with the report, and dpr_last_error() says what is
 * wrong.
 */
DPR_API DPR_CHECK dpr_status dpr_plugins(
	int open, dpr_plugin_report **list, size_t *count);

/* The name of a stage: "found", "ready", ...  Static text. */
DPR_API const char *dpr_plugin_stage_name(dpr_plugin_stage stage);

/*
 * Also use the plugin in this file, ahead of those that are found by search.
 * Call it before the first call that needs devices.
 * DPR_ERROR_INVALID_ARGUMENT: @file is not an absolute path.
 * DPR_ERROR_BUSY: an earlier call has needed devices.
 */
DPR_API DPR_CHECK dpr_status dpr_plugin_add(const char *file);

/* One environment variable that dpr reads. */
typedef struct dpr_variable {
	const char *name; /* DPR_BACKEND, ... */
	const char *value; /* NULL: not set */
	const char *effect; /* its effect, or the fault of its value */
	const char *nearest; /* for an unknown DPR_* name: the nearest known */
	int known; /* whether dpr knows the name */
	int ignored; /* set, but this program is setuid */
} dpr_variable;

/* All variables that dpr knows, and every other DPR_* variable that is set.
 *@list is one block, to be freed with dpr_free().  Starts no driver. */
DPR_API DPR_CHECK dpr_status dpr_variables(dpr_variable **list, size_t *count);

/* Levels of the log; DPR_LOG takes their names in lower case. */
typedef enum dpr_log_level {
	DPR_LOG_ERROR = 1,
	DPR_LOG_WARN = 2,
	DPR_LOG_INFO = 3,
	DPR_LOG_DEBUG = 4,
	DPR_LOG_TRACE = 5
} dpr_log_level;

/* Called for each message up to the chosen level, from any thread, with no lock
   of the library held.  It must not call the library. */
typedef void (*dpr_log_sink)(
	void *user, dpr_log_level level, const char *message);

/*
 * Send messages to @sink.  NULL drops them; that is also the initial state,
 * unless DPR_LOG names a level and a file: "debug:/path".  @level is the least
 * urgent level that @sink gets; if DPR_LOG is a level without a file, and less
 * urgent, it replaces @level.  @user is passed to @sink.
 * The previous sink may still get a message that another thread is delivering.
 */
DPR_API void dpr_log_set(dpr_log_level level, dpr_log_sink sink, void *user);

/* The kinds of native handles.  Each comment gives the types of OpenCL / CUDA /
   Level Zero. */
typedef enum dpr_native_what {
	DPR_NATIVE_PLATFORM = 1, /* cl_platform_id / - / ze_driver_handle_t */
	DPR_NATIVE_DEVICE =
		2, /* cl_device_id / CUdevice / ze_device_handle_t */
	DPR_NATIVE_CONTEXT =
		3, /* cl_context / CUcontext / ze_context_handle_t */
	DPR_NATIVE_QUEUE = 4, /* cl_command_queue / CUstream / command list */
	DPR_NATIVE_EVENT = 5, /* cl_event / CUevent / ze_event_handle_t */
	DPR_NATIVE_MEMORY = 6, /* cl_mem or address / CUdeviceptr / address */
	DPR_NATIVE_PROGRAM = 7, /* cl_program / CUmodule / ze_module_handle_t */
	DPR_NATIVE_KERNEL = 8 /* cl_kernel / CUfunction / ze_kernel_handle_t */
} dpr_native_what;

/*
 * The driver's own handle of an object. dpr keeps it, and it is valid as long
 * as the object.  *@out is 0 after a failure.
 * A list of Level Zero must not be used by two threads at once.  While a
 * program appends to the list of a queue, no other thread may call dpr with the
 * queue, nor with a queue made of the program's own list.
 * One driver handle may hold many allocations, so dpr_usm_native() also gives
 * the byte offset at which this one begins (@offset may be NULL).  It waits
 * until queued work of the memory's previous owners is done; the other
 * functions do not wait.  Work that is enqueued without dpr must be over when
 * the allocation is released, because the memory may be reused at once.
 * DPR_ERROR_INVALID_ARGUMENT: dpr_device_native() was asked for something other
 * than a PLATFORM, DEVICE or CONTEXT.
 * DPR_ERROR_UNSUPPORTED: the backend has no such handle; or the event's
 * submission has not been handed to the driver yet, or never will be, because
 * the core does it itself (a read in pieces, where the driver does not take the
 * host memory).
 * DPR_ERROR_BUSY: dpr_usm_native() would have to wait, in an event's callback.
 */
DPR_API DPR_CHECK dpr_status dpr_device_native(
	const dpr_device *device, dpr_native_what what, uintptr_t *out);
DPR_API DPR_CHECK dpr_status dpr_queue_native(dpr_queue *queue, uintptr_t *out);
DPR_API DPR_CHECK dpr_status dpr_event_native(
	const dpr_event *event, uintptr_t *out);
DPR_API DPR_CHECK dpr_status dpr_usm_native(
	const dpr_usm *usm, uintptr_t *out, size_t *offset);
DPR_API DPR_CHECK dpr_status dpr_program_native(
	const dpr_program *program, uintptr_t *out);
DPR_API DPR_CHECK dpr_status dpr_kernel_native(
	const dpr_kernel *kernel, uintptr_t *out);

/*
 * Make a dpr object over a handle that was made with the driver itself, for
 * @device's platform and context.  With @own not 0, dpr releases the handle
 * with the object.  Otherwise the caller keeps the handle alive until the
 * object and everything made on it are released, and submitted work is over.
 * After a failure the handle is the caller's, even with @own.  A queue has the
 * order and the profiling of its handle; if the driver does not report the
 * order, the queue counts as out of order. dpr_queue_get_flags() returns both.
 * @size is how many bytes of the memory may be used, from its beginning.
 * Memory without an address begins at a multiple of 16 bytes, as drivers'
 * buffers do.  These functions call the driver and do not wait.
 * DPR_ERROR_INVALID_ARGUMENT: the handle is 0 or is not of that device or
 * context; a CUDA stream is being captured into a graph; or @size is 0 or
 * larger than the memory.
 * DPR_ERROR_UNSUPPORTED: the backend does not take such handles.
 * DPR_ERROR_PLUGIN: the backend gave the queue flags that do not exist; with
 * @own the handle has been released.
 */
DPR_API DPR_CHECK dpr_status dpr_queue_from_native(
	dpr_device *device, uintptr_t handle, int own, dpr_queue **out);
DPR_API DPR_CHECK dpr_status dpr_event_from_native(
	dpr_device *device, uintptr_t handle, int own, dpr_event **out);
DPR_API DPR_CHECK dpr_status dpr_usm_from_native(dpr_queue *queue,
	uintptr_t handle, size_t size, int own, dpr_usm **out);

/* A flag of dpr_usm_borrow(). */
typedef enum dpr_borrow_flags {
	DPR_BORROW_READ_ONLY = 1 /* nothing may write there */
} dpr_borrow_flags;

/*
 * Make an allocation over memory of another owner, as dpr_usm_from_native()
 * does with @own 0, and be told when the owner may have it back: @returned is
 * called with @user once, when the last reference is released and no submitted
 * work uses the memory any more.  It is called from any thread that calls the
 * library, or from a thread of the library, with no lock held.  It must not
 * wait for queued work or call dpr_finalize().  It is not called after a
 * failure of this function, nor in a process that exits without
 * dpr_finalize(). @returned NULL: the owner need not know.
 * With DPR_BORROW_READ_ONLY every submission that may write there is refused
 * with DPR_ERROR_INVALID_ARGUMENT.  A launch that takes the allocation as a
 * plain dpr_usm is refused, too (use DPR_USM_READ()).  Memory may be lent
 * twice, as two views of an array of another library: if it has an address
 * (dpr_usm_address()), array functions see where the elements overlap.  But
 * work is ordered by its uses of each allocation alone: let one in-order queue
 * do all work on such memory, or wait between.  Errors as
 * dpr_usm_from_native(), and
 * DPR_ERROR_INVALID_ARGUMENT: an unknown flag.
 */
DPR_API DPR_CHECK dpr_status dpr_usm_borrow(dpr_queue *queue, uintptr_t handle,
	size_t size, uint32_t flags, void (*returned)(void *user), void *user,
	dpr_usm **out);

/*
 * Wait for all work and close the plugins.  Optional, and once per process.  No
 * other thread may call another function of the library meanwhile; a call that
 * began earlier and is freeing something is waited for.  Later calls fail with
 * DPR_ERROR_SHUTDOWN; releases succeed.
 * DPR_ERROR_BUSY: objects are still alive (the text counts them), and nothing
 * was closed; or the call was made in an event's callback.
 * Any other status is that of the first asynchronous failure that the program
 * never checked.
 */
DPR_API DPR_CHECK dpr_status dpr_finalize(void);

DPR_END_DECLS

#endif
