/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_objects.h - the objects of the CUDA plugin and what its files share.
 *
 * Each file calls only those before it in this list: driver, error, device,
 * info, part, stream, event, notify, host, compile, submit, the files of calls/
 * (vendor, blas, solver, work, lapack_help, lapack_call, lapack, gemm, calls),
 * module, context, queue, mem, copy, kernel, launch, native, plugin.
 *
 * Each entry returns with the same CUcontext current as before.  Calls that
 * need a certain context are between cuda_context_enter() and
 * cuda_context_leave().  Launching, recording, waiting and asking need no
 * current context, because a stream belongs to one.
 */
#ifndef CUDA_OBJECTS_H
#define CUDA_OBJECTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "cuda_driver.h"

/* The most streams of an out-of-order queue. */
#define CUDA_MAX_STREAMS 4
/* Streams that run host functions, for notifications. */
#define CUDA_NOTICES 8

/* The libraries whose routines are kernels (calls/). */
enum cuda_vendor_id { CUDA_BLAS, CUDA_SOLVER, CUDA_VENDORS };

struct dprp_instance {
	const dprp_host *host;
	struct cuda_api cu;
	dprp_device *devices; /* roots */
	uint32_t n_devices;
	const char *nvrtc; /* DPR_OPTION_CUDA_NVRTC, or NULL */
	/* DPR_OPTION_CUDA_BLAS and DPR_OPTION_CUDA_LAPACK, or NULL. */
	const char *options[CUDA_VENDORS];
	atomic_uint_fast64_t streams; /* ids given to streams so far */
	pthread_mutex_t lock;
	/* Guards the fields below. */
	dprp_device *parts;             /* linked by next */
	struct cuda_compiler *compiler; /* NVRTC; NULL until it is needed */
	bool compiler_no_memory; /* the last try to open it lacked memory */
	pthread_mutex_t vendor_lock;
	/* Guarded by vendor_lock, which is held while a library is loaded. NULL
	   until the library is needed. */
	struct cuda_vendor_library *vendors[CUDA_VENDORS];
};

struct dprp_device {
	dprp_instance *instance;
	dprp_device *root, *parent, *next; /* a root's root is itself */
	CUdevice id;
	uint32_t number; /* of the root, in the driver's order */
	char name[256];
	char pci[16];
	CUuuid uuid;
	int major, minor; /* of the compute capability */
	uint32_t units;   /* multiprocessors */
	uint32_t unit; /* the number of units of a part is a multiple of this;
			  0: not known yet; guarded by the instance's lock */
	uint64_t memory;
	int max_threads, max_shared, max_shared_optin;
	int max_grid[3], max_block[3];
	bool managed; /* managed memory may be used by host and device at once
		       */
	bool prohibited;        /* the compute mode allows no context */
	uint32_t made_how;      /* of a part: enum dpr_partition_how */
	CUdevResourceDesc desc; /* of a part: its multiprocessors */
	/* Of a part; made on first use under the lock. */
	CUgreenCtx green;
	CUcontext green_cu;
};

/* A side stream, and the host function that was submitted to it. */
struct cuda_notice {
	const dprp_host *host;
	CUstream stream; /* NULL: not made yet */
	uint64_t token;
	atomic_bool taken;
};

/* A copy within host memory by a host function. */
struct cuda_host_copy {
	struct cuda_host_copy *next;
	void *to;
	const void *from;
	size_t size;
	atomic_bool taken;
};

/* The handles of a library. */
struct cuda_pool {
	struct cuda_handle *idle; /* those that no thread uses, the last used
				     one first, linked by next */
	unsigned n;               /* all of them */
};

/* One CUcontext and what was made in it: the primary context of a root device,
   or the green context of a part. */
struct cuda_scope {
	dprp_context *context;
	dprp_device *device;
	CUcontext cu;
	CUgreenCtx green; /* NULL: the primary context */
	struct cuda_scope *next;
	bool gone; /* set at the end: the program has reset the context, which
		      destroyed everything in it */
	struct cuda_notice notices[CUDA_NOTICES];
	pthread_mutex_t lock;
	/* Guards the fields below, and the making of `notices`. */
	dprp_event *idle[2];           /* linked by next; [1]: with times */
	struct cuda_anchor *anchor;    /* the newest, or NULL */
	CUstream clock;                /* for anchors; NULL: not made yet */
	struct cuda_host_copy *copies; /* all records, linked by next */
	struct cuda_pool pools[CUDA_VENDORS];
};

/* The context of a root device.  The first scope is that of the root. */
struct dprp_context {
	dprp_instance *instance;
	dprp_device *root;
	struct cuda_scope scope;
	unsigned long long id; /* of the primary context, from cuCtxGetId */
	pthread_mutex_t lock;
	/* Guards the fields below, and the list of scopes. */
	struct cuda_library *libraries; /* loaded code, linked by next */
	struct cuda_library *help; /* the kernels of calls.ptx, once loaded */
};

struct cuda_stream {
	CUstream cu;
	uint64_t id;   /* never used twice, unlike a handle */
	uint64_t seen; /* number of the last barrier that it waits for */
	bool used;     /* used since the last barrier */
};

/* A submission goes to one stream.  An in-order queue has one stream; other
   queues have several, which barriers join. */
struct dprp_queue {
	dprp_instance *instance;
	dprp_context *context;
	dprp_device *device;
	struct cuda_scope *scope;
	bool profiling, in_order;
	bool foreign; /* the program's stream: not destroyed */
	bool special; /* CU_STREAM_LEGACY, which means a stream of the current
			 context */
	uint32_t n_streams, next;
	struct cuda_stream streams[CUDA_MAX_STREAMS];
	uint64_t barriers;   /* made so far */
	dprp_event *barrier; /* event of the last barrier; NULL with one
				stream */
};

/* A moment whose time is known on the host's and on the device's clock. */
struct cuda_anchor {
	CUevent cu;
	uint64_t host_ns; /* CLOCK_MONOTONIC */
	atomic_uint refs;
};

struct dprp_event {
	dprp_event *next; /* in a list of idle events */
	struct cuda_scope *scope;
	CUevent cu;
	CUevent start;     /* with times; else NULL */
	uint64_t stream;   /* the id of the stream that recorded it; 0: not a
			      stream of the plugin */
	bool wrapped;      /* not from a pool */
	bool foreign;      /* the program's event: not destroyed */
	atomic_int result; /* CUDA_ERROR_NOT_READY, or the final result */
	/* Only with times. */
	uint64_t queued_ns;
	struct cuda_anchor *anchor;
};

/* How memory was made, and so how it is freed. */
enum cuda_origin {
	CUDA_ORIGIN_ALLOC,   /* cuMemAlloc or cuMemAllocManaged */
	CUDA_ORIGIN_HOST,    /* cuMemHostAlloc */
	CUDA_ORIGIN_IPC,     /* cuIpcOpenMemHandle */
	CUDA_ORIGIN_FOREIGN, /* the program's own */
};

struct dprp_mem {
	dprp_context *context;
	enum cuda_origin origin;
	uint32_t kind; /* DPRP_MEM_* */
	uint64_t size;
	CUdeviceptr address; /* for the device */
	CUdeviceptr base;    /* what to free: at or before the address */
};

/* Code, loaded once for a root device and all its parts. */
struct cuda_library {
	struct cuda_library *next;
	dprp_context *context;
	CUlibrary cu;
	uint64_t hash;
	void *code; /* the cubin, kept for `binary` and to compare */
	size_t size;
	unsigned refs; /* guarded by the context's lock */
};

/* --- cuda_error.c --- */

/* The ABI's code for an error of the driver. */
dprp_rc cuda_error_rc(CUresult error);
/* "CUDA_ERROR_INVALID_VALUE", or "an unknown error". */
const char *cuda_error_name(const dprp_instance *instance, CUresult error);
/* Report the failure of @call to the host.  Returns the code of the ABI;
   DPR_RC_OK for CUDA_SUCCESS. */
dprp_rc cuda_error_check(dprp_instance *instance, CUresult error,
			 const char *call);
/* Like cuda_error_check(), for a call on @device.  Also tells the host if the
   device is lost. */
dprp_rc cuda_error_check_device(dprp_device *device, CUresult error,
				const char *call);
/* Call an entry of the driver for an instance, or for a device. */
#define CUDA_TRY(instance, call, ...) \
	cuda_error_check((instance), (instance)->cu.call(__VA_ARGS__), #call)
#define CUDA_TRY_ON(device, call, ...) \
	cuda_error_check_device(       \
		(device), (device)->instance->cu.call(__VA_ARGS__), #call)

/* --- cuda_device.c --- */

/* Start the driver and find its devices.  NO_DRIVER or NO_DEVICE, with the
   reason, if there is no driver or no device. */
dprp_rc cuda_device_find_all(dprp_instance *instance);
/* Free all devices and parts. */
void cuda_device_free_all(dprp_instance *instance);
dprp_device_count_fn cuda_device_count;
dprp_device_get_fn cuda_device_get;
dprp_device_clocks_fn cuda_device_clocks;

/* --- cuda_info.c --- */

dprp_device_info_fn cuda_info_get;

/* --- cuda_part.c --- */

/* The number of units of a part is a multiple of this; 0: the device cannot be
   divided. */
uint32_t cuda_part_unit(dprp_device *device);
dprp_device_partition_fn cuda_part_divide;
/* Get the green context of a part, which is made on first use. */
dprp_rc cuda_part_open(dprp_device *device, CUgreenCtx *green, CUcontext *cu);
void cuda_part_free(dprp_device *part);

/* --- cuda_stream.c --- */

/* Make a stream of a scope; @priority as in dprp_queue_desc. */
dprp_rc cuda_stream_make(struct cuda_scope *scope, int32_t priority,
			 CUstream *out);
/* Wait for a stream: it has taken a command whose submission fails, and the
   core takes the memory of such a submission for unused. */
void cuda_stream_settle(const struct cuda_api *cu, CUstream stream);

/* --- cuda_context.c --- */

/*
 * While another library captures a graph, the driver refuses calls that do not
 * submit work to a stream, such as asking about an event or allocating memory.
 * It does so on all threads, and the capture fails.  Between these two
 * functions such calls are safe.  The first returns the mode that the second
 * restores.
 */
static inline CUstreamCaptureMode cuda_capture_ignore(
	const struct cuda_api *api)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

	if (api->cuThreadExchangeStreamCaptureMode(&mode))
		return CU_STREAM_CAPTURE_MODE_GLOBAL;
	return mode;
}

static inline void cuda_capture_heed(const struct cuda_api *api,
				     CUstreamCaptureMode mode)
{
	api->cuThreadExchangeStreamCaptureMode(&mode);
}

/* Make @cu current.  If *@entered is set, cuda_context_leave() must undo that.
   After a failure another context may be current, even one of another
   device. */
static inline CUresult cuda_context_enter(const struct cuda_api *api,
					  CUcontext cu, bool *entered)
{
	CUcontext now = NULL;
	CUresult error = CUDA_SUCCESS;

	if (api->cuCtxGetCurrent(&now) || now != cu) {
		error = api->cuCtxPushCurrent(cu);
		*entered = !error;
	} else {
		*entered = false;
	}
	return error;
}

static inline void cuda_context_leave(const struct cuda_api *api, bool entered)
{
	CUcontext was;

	if (entered)
		api->cuCtxPopCurrent(&was);
}

/* Whether the primary context is still the one that was retained.  If the
   program resets it, everything in it is destroyed, and the same handles may
   then mean another context and objects of other libraries. */
bool cuda_context_is_ours(const dprp_context *context);
dprp_context_create_fn cuda_context_create;
dprp_context_destroy_fn cuda_context_destroy;
/* Get the scope of a device within @context; it is made on first use. */
dprp_rc cuda_context_scope(dprp_context *context, dprp_device *device,
			   struct cuda_scope **out);
/* Also enables access. */
dprp_device_peer_fn cuda_context_peer;

/* --- cuda_queue.c --- */

dprp_queue_create_fn cuda_queue_create;
dprp_queue_destroy_fn cuda_queue_destroy;
/* Make the queue's context current if its stream is CU_STREAM_LEGACY, which
   means a stream of the current context.  Any other stream belongs to a
   context. */
static inline CUresult cuda_queue_enter(const dprp_queue *queue, bool *entered)
{
	*entered = false;
	if (!queue->special)
		return CUDA_SUCCESS;
	return cuda_context_enter(&queue->instance->cu, queue->scope->cu,
				  entered);
}

/* Wrap a stream of the program; destroy it later if @own. */
dprp_rc cuda_queue_over(dprp_context *context, dprp_device *device,
			CUstream stream, bool own, dprp_queue **out);
dprp_queue_flush_fn cuda_queue_flush;
dprp_queue_finish_fn cuda_queue_finish;

/* --- cuda_event.c --- */

/* Take an event out of the scope's pool, or make one; it is not recorded yet.
 *@out is NULL after a failure. */
dprp_rc cuda_event_take(struct cuda_scope *scope, bool timed, dprp_event **out);
/* Put an event back into its pool.  A wrapped one is freed instead; its CUevent
   is destroyed unless it is the program's. */
dprp_event_destroy_fn cuda_event_destroy;
/* Destroy the pool of a scope. */
void cuda_event_free_all(struct cuda_scope *scope);
/* Wrap an event of the program; destroy it later if @own. */
dprp_rc cuda_event_over(dprp_context *context, CUevent cu, bool own,
			dprp_event **out);
/* Compare the host's and the device's clocks, which event times need. */
void cuda_event_set_clock(struct cuda_scope *scope);
/* Wait for a CUevent: poll for a while, then sleep. */
CUresult cuda_event_await(const struct cuda_api *api, CUevent cu,
			  uint64_t timeout_ns);
dprp_event_status_fn cuda_event_status;
dprp_event_wait_fn cuda_event_wait;

/* --- cuda_notify.c --- */

dprp_event_notify_fn cuda_notify_ask;
/* Wait for the notices of a scope, and destroy their streams. */
void cuda_notify_free_all(struct cuda_scope *scope);

/* --- cuda_host.c --- */

/* Let a host function copy within host memory, in the order of a stream.  The
   scope's context must be current if the stream needs that. */
CUresult cuda_host_copy(struct cuda_scope *scope, CUstream stream, void *to,
			const void *from, size_t size);
/* Free the records of the copies.  No copy may be in progress. */
void cuda_host_free_all(struct cuda_scope *scope);

/* --- cuda_submit.c --- */

/* One submission: its stream and its event. */
struct cuda_submit {
	dprp_queue *queue;
	struct cuda_stream *stream;
	dprp_event *event;
	dprp_event **out;
	bool entered; /* the queue's context was made current */
};

/* Choose the stream, let it wait for @deps and earlier barriers, and take an
   event.  After DPR_RC_OK the caller must call cuda_submit_end() with the
   driver's result. */
dprp_rc cuda_submit_begin(struct cuda_submit *submit, dprp_queue *queue,
			  const dprp_deps *deps, dprp_event **event);
dprp_rc cuda_submit_end(struct cuda_submit *submit, CUresult error,
			const char *call);
/* In place of cuda_submit_end(): end a submission that fails, and of which no
   work is left in the stream. */
void cuda_submit_drop(struct cuda_submit *submit);
dprp_queue_barrier_fn cuda_submit_barrier;

/* --- cuda_mem.c --- */

dprp_mem_alloc_fn cuda_mem_alloc;
dprp_mem_free_fn cuda_mem_free;
dprp_mem_info_fn cuda_mem_info;
dprp_mem_ipc_export_fn cuda_mem_ipc_export;
dprp_mem_ipc_import_fn cuda_mem_ipc_import;
/* Wrap memory of the program. */
dprp_rc cuda_mem_over(dprp_context *context, uintptr_t address, uint64_t size,
		      bool own, dprp_mem **out);
/* Whether the driver knows this host memory.  If so, a copy from or to it does
   not wait for the stream. */
bool cuda_mem_is_pinned(dprp_context *context, const void *address,
			uint64_t size);
/* Whether @mem is host memory that the device can access. */
static inline bool cuda_mem_is_pinned_kind(const dprp_mem *mem)
{
	return mem->kind == DPRP_MEM_HOST;
}

/* --- cuda_copy.c --- */

dprp_queue_write_fn cuda_copy_write;
dprp_queue_read_fn cuda_copy_read;
dprp_queue_copy_fn cuda_copy_copy;
dprp_queue_fill_fn cuda_copy_fill;
dprp_queue_prefetch_fn cuda_copy_prefetch;
dprp_queue_advise_fn cuda_copy_advise;

/* --- cuda_native.c --- */

dprp_native_get_fn cuda_native_get;
dprp_native_wrap_fn cuda_native_wrap;

#endif
