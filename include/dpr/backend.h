/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend.h - the plugin ABI: all that the core and a backend share.
 *
 * A backend is a shared object libdpr-<name>.so that exports one function,
 * dpr_plugin_abi1(), which returns its descriptor: constant data in the file
 * itself, with tables of functions, grouped by object.  The plugin links
 * nothing of dpr; what it needs from the core arrives in a struct dprp_host
 * when it is opened.  The file is loaded once (RTLD_NOW, RTLD_LOCAL) and stays.
 * backends/host/README.md says how to write one, and how to test it.
 *
 * Growth.  Tables and structs begin with struct_size and grow at their end
 * only.  Of a struct that it is given an entry reads min(its own size,
 * struct_size); bytes that it does not know must be zero, else
 * DPR_RC_UNSUPPORTED.  Of one that it fills it writes no more than that, and
 * leaves struct_size.  Tables, the descriptor and dprp_host may be longer than
 * the other side knows, which leaves the rest alone; a table shorter than in
 * version 1.0 is refused.  An entry beyond a table's size, or NULL, is missing:
 * entries marked R are required, or the file is rejected; for the others the
 * core has a fallback, named beside each.  Those marked N no core calls yet:
 * they may be missing.  Elements of arrays (dprp_arg, dprp_spec, dprp_param,
 * dprp_native_kernel) never change.  Unknown flags, kinds and chained
 * extensions are refused with DPR_RC_UNSUPPORTED, never ignored; reserved
 * fields are 0.
 *
 * Pointers.  What an entry is given is lent until it returns, structs, lists
 * and strings too, and is not NULL unless that is said.  Exceptions are host
 * memory of write and read, the data of a native image, and `host` of open.
 * After DPR_RC_OK every output is set, and a handle is not NULL (else it counts
 * as DPR_RC_INTERNAL); after a failure nothing was made or enqueued, and
 * outputs are not looked at.  A handle is the plugin's: the core does not look
 * behind it, and gives it back to the entry that destroys it, which accepts all
 * that was made and is never given NULL.
 *
 * Errors.  An entry returns DPR_RC_OK or a negative code, after it has told
 * host->set_error(), in the same thread, that code, the driver's and a
 * sentence; NO_PATH needs none.  Asynchronous errors live in the event.
 * Nothing is printed, no signal handler, environment variable, locale or
 * current context of the process changes.  No exception may leave an entry.
 * What the core makes of a code is said beside the code; where an entry says
 * nothing, any code fails the program's call with the words of set_error().
 *
 * Threads.  Entries are called by any thread of the program and by one of the
 * core's, which sends out what was held and looks after events.  open and close
 * are called by one thread at a time, and with no other entry of that instance.
 * Entries that submit to one queue (flush, barrier, write, read, copy, launch,
 * fill, prefetch, advise) are serialised by the core, per queue.
 * Everything else may be called at any time from any thread, also while a
 * submission is in progress, finish too; destroy never races another call on
 * the same handle.  A plugin may start threads in open or later, with all
 * signals blocked; close ends them.
 *
 * Waiting.  finish and event->wait wait for submitted work; no other entry
 * does.  Those that submit to a queue return soon, for the core holds a lock of
 * that queue over them, and so do event->status and notify, for one thread of
 * the core asks after all events.  Everything else may take as long as the
 * driver does: no lock is held.  No entry may call a function of the public
 * API.
 *
 * Lifetime.  The core counts references and destroys each handle once: kernels
 * before their module, and all that was made of a context before that; devices
 * are never destroyed.  Events and memory may outlive their queue.  A plugin
 * keeps what its driver needs for work in flight: the core may destroy an event
 * right after using it as a dependency, and a queue while its work runs (that
 * work and its events complete all the same).  The core keeps memory and
 * kernels until the work that uses them is done, and destroys all handles
 * before close, but for those in use by work that the plugin could not wait
 * for.  When the process ends without dpr_finalize() nothing is destroyed or
 * closed, and no entry is called by exit(), but event->status and wait for
 * launches of kernels that compile late (DPRP_KERNEL_COMPILES_LATE), for 5 s at
 * most.  In a child after fork() no entry of what was open before is called any
 * more.
 */
#ifndef DPR_BACKEND_H
#define DPR_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include <dpr/info.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DPRP_ABI_MAJOR 1 /* spelled in the entry symbol */
#define DPRP_ABI_MINOR 0 /* one more with each append */
#define DPRP_ENTRY_SYMBOL "dpr_plugin_abi1"
#define DPRP_MAGIC UINT64_C(0x31706c7072706472) /* "rdprplp1" in memory */

/* The size of a struct up to and including a member. */
#define DPRP_SIZE_TO(T, last) (offsetof(T, last) + sizeof(((T *)0)->last))
/* Whether a table or struct that somebody else made has a member. */
#define DPRP_HAS(p, T, member) \
	((p) && (p)->struct_size >= DPRP_SIZE_TO(T, member) && (p)->member)

#if defined(__GNUC__)
#define DPRP_EXPORT __attribute__((visibility("default")))
#else
#define DPRP_EXPORT
#endif

typedef int32_t dprp_rc;

/*
 * What the core does with a code beyond failing the program's call:
 *
 * - OOM_DEVICE and OOM_HOST of mem->alloc: it takes back what is no longer used
 *   and asks again, some times.  OOM_HOST of open and of what lists the
 *   devices: the next call that needs devices opens once more.
 * - NO_PATH of a submission: fill becomes a write and copies, prefetch a
 *   barrier.  With dependencies it holds all others, and these if that answers
 *   NO_PATH too, until the dependencies are complete, then submits without
 *   them.  Without, all others are DPR_ERROR_UNSUPPORTED.  A copy between
 *   root devices goes through host memory in either case, unless the core has
 *   held it before: then it fails.
 * - DEVICE_LOST of finish, status or in an event's state: nothing that was
 *   submitted to the queue before runs any more.  That later calls will fail is
 *   said with host->device_lost().
 * - DEP_FAILED in an event's state: the text names the dependency that failed
 *   first, and the status is its status.  Of finish, or where the dependency is
 *   not known, it is DPR_ERROR_DEVICE_LOST if a device of the plugin is lost.
 *
 * A number that is none of these counts as INTERNAL.
 */
enum {
	DPR_RC_OK = 0,
	DPR_RC_INVALID = -1, /* an argument is wrong */
	DPR_RC_UNSUPPORTED = -2, /* the device or plugin cannot do this; of a
				    value: nobody tells */
	DPR_RC_NO_DRIVER = -3, /* open: the driver is not installed */
	DPR_RC_NO_DEVICE = -4, /* open: the driver has no device */
	DPR_RC_OOM_HOST = -5,
	DPR_RC_OOM_DEVICE = -6,
	DPR_RC_BUILD = -7, /* module->create: it did not build; the log says why
			    */
	DPR_RC_TIMEOUT = -8, /* event->wait: the time is over */
	DPR_RC_DEP_FAILED = -9, /* of an event: a dependency failed */
	DPR_RC_DEVICE_LOST = -10, /* the device does not answer any more */
	DPR_RC_NO_PATH = -11, /* nothing was enqueued; the core finds a way */
	DPR_RC_FORKED = -12, /* the driver was opened before fork() */
	DPR_RC_SHUTDOWN = -13, /* the driver has been closed */
	DPR_RC_NATIVE = -14, /* the driver refused; set_error has its code */
	DPR_RC_ABI = -15, /* the other side broke this contract */
	DPR_RC_INTERNAL = -16 /* the plugin broke its own rules */
};

/* The plugin defines these as it likes, but for the first, which is the core's.
 */
typedef struct dprp_host_instance dprp_host_instance;
typedef struct dprp_instance dprp_instance;
typedef struct dprp_device dprp_device;
typedef struct dprp_context dprp_context;
typedef struct dprp_queue dprp_queue;
typedef struct dprp_event dprp_event;
typedef struct dprp_mem dprp_mem;
typedef struct dprp_module dprp_module;
typedef struct dprp_kernel dprp_kernel;

/* Where text or data goes that the callee makes: write(user, ...) may be called
   any number of times until the entry returns; the bytes are copied before it
   returns.  write NULL: nobody listens. */
typedef struct dprp_sink {
	void (*write)(void *user, const char *bytes, size_t size);
	void *user;
} dprp_sink;

/* An extension of a struct, chained; at most 16.  NULL: none, which is all that
   the core gives yet. */
typedef struct dprp_ext {
	size_t struct_size;
	const char *name;
	const struct dprp_ext *next;
} dprp_ext;

/*
 * Services of the core, for one plugin.  All may be called from any thread, in
 * any entry and with a submission under way; none waits, but that driver_open
 * runs what a library does when it is loaded.
 */
typedef struct dprp_host {
	size_t struct_size;
	uint32_t abi_minor, reserved; /* DPRP_ABI_MINOR of the core; 0 */
	dprp_host_instance *self; /* first argument of every service */
	/* Memory as from malloc, NULL when there is none; free takes NULL. */
	void *(*alloc)(dprp_host_instance *self, size_t size);
	void (*free)(dprp_host_instance *self, void *block);
	/* A line for the log, copied: level is enum dpr_log_level (1 error ...
	   5); others are dropped.  Errors and warnings (2) before open()
	   goes well are in the load report, too. */
	void (*log)(dprp_host_instance *self, int32_t level, const char *line);
	/* Called before an entry returns rc < 0, in the same thread and with
	   the same rc: the driver's own code (0: none) and a sentence that
	   names the call and that code's name, copied; NULL: none.  The last
	   one counts; after another rc it does not. */
	void (*set_error)(dprp_host_instance *self, dprp_rc rc, int64_t native,
		const char *text);
	/* The value of DPR_OPTION_<PLUGIN>_<KEY>, or NULL.  Lent until the
	   process ends.  open() asks for all there are: what is set and was not
	   asked for is an error of the user. */
	const char *(*option)(dprp_host_instance *self, const char *key);
	/* Open the first of the driver's libraries that loads: a name with its
	   version ("libcuda.so.1") or an absolute path, others are passed over.
	   It stays open.  NULL: none; the load report has the loader's words.
	 */
	void *(*driver_open)(dprp_host_instance *self,
		const char *const *sonames, size_t count);
	/* NULL: it has no such symbol, or library is NULL. */
	void *(*driver_sym)(
		dprp_host_instance *self, void *library, const char *symbol);
	/* The event that was given to event->notify has completed or failed.
	   The core asks event->status how it ended, so that has to know; told
	   too early it looks again from time to time.  Stale tokens are
	   ignored. */
	void (*event_done)(
		dprp_host_instance *self, uint64_t token, dprp_rc status);
	/* The root device that device is, or is a part of, will not answer any
	   more; as often as one likes, and ignored until the devices are
	   listed.  The core asks for no context, memory or sub-devices of it
	   from then on; all else reaches the plugin, which fails it.  Events
	   that are pending have to fail, and handles are destroyed as ever.
	   why goes to the log; NULL: none. */
	void (*device_lost)(
		dprp_host_instance *self, dprp_device *device, const char *why);
} dprp_host;

/*
 * What a submission waits for: events of this plugin's instance, of any queue,
 * context or device, also of a queue that is destroyed.  The pointer to the
 * struct may be NULL, like a count of 0.  The same event may be there twice,
 * and events that are over.  The core has flushed the queues of the events, if
 * they are others.
 *
 * When a dependency fails the submission fails too, with DEP_FAILED if the
 * driver lets the plugin know: it never ends as done, and never hangs.  It may
 * fail at once or in its turn; whether it has run is open.  If the dependency
 * has failed already the entry may refuse the submission instead.
 */
typedef struct dprp_deps {
	size_t struct_size;
	uint32_t count, flags; /* flags: 0 */
	dprp_event *const *events;
} dprp_deps;

enum { /* dprp_queue_desc.flags; what is not there is not granted */
	DPRP_QUEUE_OUT_OF_ORDER = 1, /* only dependencies and barriers order */
	DPRP_QUEUE_PROFILING = 2 /* events have times */
};

typedef struct dprp_queue_desc {
	size_t struct_size;
	uint64_t flags;
	int32_t priority; /* -1 low, 0 normal, 1 high; where there is none:
			     UNSUPPORTED */
	int32_t reserved;
	const dprp_ext *ext;
} dprp_queue_desc;

/* A division of a device.  No count is 0, and they are no more together than
   DPR_INFO_COMPUTE_UNITS, if that is told. */
typedef struct dprp_partition {
	size_t struct_size;
	uint32_t how; /* enum dpr_partition_how */
	uint32_t n_counts; /* DOMAIN: 0 */
	const uint64_t *counts; /* EQUALLY: one, the compute units of each */
	uint32_t domain; /* enum dpr_domain; for DOMAIN only */
	uint32_t reserved;
} dprp_partition;

enum { /* dprp_mem_desc.kind; the first three are enum dpr_usm_kind */
	DPRP_MEM_DEVICE = 1,
	DPRP_MEM_SHARED = 2,
	DPRP_MEM_HOST = 3,
	DPRP_MEM_IMPORT_HOST = 4 /* N.  host_ptr becomes visible to the device;
				    it stays until the memory is freed */
};

typedef struct dprp_mem_desc {
	size_t struct_size;
	uint32_t kind, flags; /* flags: 0 */
	uint64_t size; /* bytes */
	uint64_t align; /* bytes: a power of two up to 2 MiB; 0: as every type
			   and vector needs it */
	void *host_ptr; /* IMPORT_HOST; else NULL */
	const dprp_ext *ext;
} dprp_mem_desc;

/* Code in one format; the formats of a device are DPR_INFO_FORMATS. */
typedef struct dprp_image {
	size_t struct_size;
	const char *format, *target; /* target may be NULL */
	const void *data;
	uint64_t size; /* bytes, not 0; text need not end with a zero */
} dprp_image;

/* N.  A specialisation constant. */
typedef struct dprp_spec {
	uint32_t id, size;
	const void *value;
} dprp_spec;

typedef struct dprp_module_desc {
	size_t struct_size;
	uint32_t n_images, n_spec; /* 1 at least; 0 */
	const dprp_image *const *images; /* the first is the one picked */
	const char *options; /* for the compiler of a source format, or NULL */
	const dprp_spec *spec; /* NULL */
	dprp_sink log; /* what the compiler says, also on success */
	const dprp_ext *ext;
} dprp_module_desc;

enum { /* dprp_arg.kind, dprp_param.kind */
	DPRP_ARG_UNKNOWN = 0, /* parameters only: the driver does not tell */
	DPRP_ARG_VALUE = 1,
	DPRP_ARG_MEM = 2, /* a pointer to global or constant memory */
	DPRP_ARG_LOCAL = 3, /* size bytes of local memory */
	DPRP_ARG_POINTER = 4 /* N, and of arguments only: a raw address; needs
				ASPECT_USM_SYSTEM */
};

/* An argument.  The core has compared it with the parameter, if that is known,
   and all local memory with DPR_INFO_LOCAL_MEM_SIZE. */
typedef struct dprp_arg {
	uint32_t kind, reserved;
	uint64_t size; /* VALUE: bytes at value; LOCAL: bytes; not 0 */
	union {
		const void *value; /* perhaps not aligned for its type */
		const void *pointer;
		struct {
			dprp_mem *mem; /* of the queue's root device */
			/* Bytes; less than mem's size, and a multiple of
			   DPR_INFO_SUB_BUFFER_ALIGN. */
			uint64_t offset;
		} m;
	} u;
} dprp_arg;

/* A kernel's parameter, as kernel_info(DPRP_KERNEL_PARAMS) gives it. */
typedef struct dprp_param {
	uint32_t kind, reserved;
	uint64_t size; /* VALUE: bytes, 0 if the driver does not tell */
} dprp_param;

enum { /* keys of module->kernel_info; the type of each is given */
	DPRP_KERNEL_PARAMS = 1, /* dprp_param[], all; UNSUPPORTED: arguments are
				   not checked by the core */
	DPRP_KERNEL_MAX_WORK_GROUP = 2, /* uint64_t, work-items */
	DPRP_KERNEL_PREFERRED_MULTIPLE = 3, /* uint64_t, work-items */
	DPRP_KERNEL_PRIVATE_SIZE = 4, /* uint64_t, bytes per work-item */
	DPRP_KERNEL_LOCAL_SIZE = 5, /* uint64_t, bytes per work-group, without
				       arguments */
	DPRP_KERNEL_REQUIRED_LOCAL = 6, /* uint64_t[3], zeros: none */
	DPRP_KERNEL_MAX_SUB_GROUP = 7, /* uint64_t, work-items */
	DPRP_KERNEL_MAX_SUB_GROUPS = 8, /* uint64_t, of a work-group */
	DPRP_KERNEL_COMPILES_LATE = 9 /* uint64_t; 1: a launch with sizes that
					 are new to the kernel may have it
					 compiled in a thread of the driver */
};

typedef struct dprp_launch {
	size_t struct_size;
	uint32_t dims, n_args; /* dims: 1 to 3; beyond, global is 1 */
	/* In work-items.  local[0] == 0: the plugin chooses the local size and
	   rounds global up to a multiple; else local divides global.  With a 0
	   in global nothing runs, and it completes in its turn: on an
	   out-of-order queue after deps and barriers, without any at once. */
	uint64_t global[3], local[3];
	const dprp_arg *args;
	const dprp_ext *ext;
} dprp_launch;

enum { /* dprp_event_state.state; it never goes back */
	DPRP_EVENT_QUEUED = 1, /* in the driver */
	DPRP_EVENT_SUBMITTED = 2, /* handed to the device */
	DPRP_EVENT_RUNNING = 3,
	DPRP_EVENT_DONE = 4,
	DPRP_EVENT_FAILED = 5
};

typedef struct dprp_event_state {
	size_t struct_size;
	uint32_t state;
	dprp_rc rc; /* FAILED: why */
	int64_t native; /* FAILED: the driver's code, 0: none */
	/* Of DONE, and of FAILED where the driver tells: nanoseconds of the
	   device's clock, all zero without profiling.  An end before the start
	   is DPR_ERROR_PLUGIN when the program asks for times. */
	uint64_t t_queued, t_submit, t_start, t_end;
} dprp_event_state;

enum { /* bits of device->peer */
	DPRP_PEER_COPY = 1, /* queue->copy between memory of the two works, on
			       queues of either */
	DPRP_PEER_ACCESS = 2, /* N.  kernels of `from` reach memory of `to` */
	DPRP_PEER_ATOMICS = 4 /* N */
};

enum { /* keys of mem->info */
	/* void *, not NULL (else the allocation fails as with INTERNAL);
	   UNSUPPORTED where DPR_INFO_ASPECT_ADDRESSES is 0.  The host
	   uses HOST and SHARED memory there whenever no submitted work does,
	   and hands it to other drivers as host memory; with
	   DPR_INFO_ASPECT_HOST_MEMORY that of DEVICE kind, too. */
	DPRP_MEM_INFO_ADDRESS = 1,
	DPRP_MEM_INFO_SIZE = 2, /* N.  uint64_t */
	/* uint64_t.  Asked of what native_wrap made; without an answer DEVICE
	   is assumed. */
	DPRP_MEM_INFO_KIND = 3
};

enum { /* what native_get and native_wrap speak of: enum dpr_native_what */
	DPRP_NATIVE_PLATFORM = 1, /* the handle given is a dprp_device */
	DPRP_NATIVE_DEVICE = 2,
	DPRP_NATIVE_CONTEXT = 3,
	DPRP_NATIVE_QUEUE = 4,
	DPRP_NATIVE_EVENT = 5,
	DPRP_NATIVE_MEMORY = 6,
	DPRP_NATIVE_PROGRAM = 7, /* a dprp_module */
	DPRP_NATIVE_KERNEL = 8
};

typedef struct dprp_device_ops {
	size_t struct_size;
	/* R.  Root devices, 65536 at most; the number and their order never
	   change.  0 counts as NO_DEVICE. */
	dprp_rc (*count)(dprp_instance *instance, uint32_t *n);
	/* R.  A handle that stays until close, the same each time. */
	dprp_rc (*get)(
		dprp_instance *instance, uint32_t index, dprp_device **out);
	/*
	 * R.  A key of info.h in the form given there, of a root device or a
	 * part of one.  *need is the size; buffer NULL asks for it; a short
	 * buffer is left alone and gives INVALID; an unknown key or silent
	 * driver gives UNSUPPORTED.  The program learns what is answered, and
	 * that an answer has no such form (DPR_ERROR_PLUGIN).  The core itself
	 * goes by these, and by what is in brackets where one is not answered,
	 * or not in its form: of root devices, once, when they are listed, NAME
	 * (the backend's), TYPE (CUSTOM), MAX_ALLOC_SIZE and LOCAL_MEM_SIZE (no
	 * limit), SUB_BUFFER_ALIGN (1), COPY_THREADS (1), PCI_ADDRESS, UUID
	 * (none; zeros are none, too), ASPECT_ADDRESSES, ASPECT_USM_HOST,
	 * ASPECT_HOST_MEMORY, ASPECT_FP64 (0); later COMPUTE_UNITS,
	 * PARTITION_PROPERTIES, PARTITION_MAX_SUB_DEVICES (partition decides),
	 * UNIFIED_MEMORY (0), GLOBAL_MEM_SIZE (no limit by percentage),
	 * BINARIES (FIRST); and the arrays by FORMATS (none of them) and
	 * SINGLE_FP_CONFIG (0).
	 */
	dprp_rc (*info)(dprp_device *device, uint32_t key, void *buffer,
		size_t capacity, size_t *need);
	/* Sub-devices in a fixed order, up to capacity into out, their number
	   into *n: if that is more, the core asks once more with room for it,
	   else once per division, unless it failed.  They stay until close.
	   One thread at a time divides a device.  UNSUPPORTED, 0 of them, or
	   missing: it cannot be divided so. */
	dprp_rc (*partition)(dprp_device *device, const dprp_partition *how,
		dprp_device **out, uint32_t capacity, uint32_t *n);
	/* What `from` can do with memory of `to`, another root device of the
	   same instance: DPRP_PEER_*.  Missing or a failure: nothing, and
	   copies go through host memory. */
	dprp_rc (*peer)(dprp_device *from, dprp_device *to, uint32_t *caps);
	/* The clock of a root device and CLOCK_MONOTONIC at the same moment, in
	   nanoseconds.  UNSUPPORTED or missing: so is dpr_event_times(). */
	dprp_rc (*clocks)(
		dprp_device *device, uint64_t *device_ns, uint64_t *host_ns);
} dprp_device_ops;

/* A context: one root device with its sub-devices, also those that are made
   later.  Made when it is first needed; of two that threads make at the same
   time one is destroyed again. */
typedef struct dprp_context_ops {
	size_t struct_size;
	dprp_rc (*create)(dprp_instance *instance, dprp_device *root,
		const dprp_ext *ext, dprp_context **out); /* R.  ext: NULL */
	void (*destroy)(dprp_context *context); /* R */
} dprp_context_ops;

/*
 * Submissions.  deps may be NULL: there are none.  event may be NULL: nobody
 * asks; else it gets an event of its own.  If a wait cannot be expressed the
 * entry returns NO_PATH.  Memory is of the queue's root device, but for a copy
 * between two; ranges lie inside.  Host memory of write and read stays valid
 * and is left alone until the submission is over; all else is copied.  One of
 * size 0 moves nothing and is ordered like any other.
 *
 * On an in-order queue a submission starts when all earlier ones are over; what
 * comes after one that has failed may fail for that or run.  On an out-of-order
 * queue it starts after its deps and earlier barriers.  What has not been
 * flushed may be kept back; finish, event->wait and destroy flush themselves.
 */
typedef struct dprp_queue_ops {
	size_t struct_size;
	/* R.  *got is the subset of desc->flags that was granted: a queue that
	   is not OUT_OF_ORDER will do, one without PROFILING is destroyed if
	   the program has asked for that. */
	dprp_rc (*create)(dprp_context *context, dprp_device *device,
		const dprp_queue_desc *desc, uint64_t *got, dprp_queue **out);
	void (*destroy)(dprp_queue *queue); /* R.  Waits for nothing. */
	/* R.  Have all that was submitted run without a further call. */
	dprp_rc (*flush)(dprp_queue *queue);
	/* R.  Wait until all that was submitted before the call is over, and
	   tell the first failure of it since the last call that told one; OK
	   where only events tell.  After any other answer but DEVICE_LOST the
	   core, unless it knows that nothing runs, calls again to be sure, and
	   when that fails too goes by the event of a barrier. */
	dprp_rc (*finish)(dprp_queue *queue);
	/* R.  Completes after deps, without any after all earlier work; later
	   work starts after it.  Fails with its deps, and may with earlier
	   work. */
	dprp_rc (*barrier)(
		dprp_queue *queue, const dprp_deps *deps, dprp_event **event);
	dprp_rc (*write)(dprp_queue *queue, dprp_mem *to, uint64_t offset,
		const void *from, uint64_t size, const dprp_deps *deps,
		dprp_event **event); /* R */
	dprp_rc (*read)(dprp_queue *queue, dprp_mem *from, uint64_t offset,
		void *to, uint64_t size, const dprp_deps *deps,
		dprp_event **event); /* R */
	/* R.  The ranges do not overlap.  NO_PATH where the driver cannot copy
	   between the two: of one root device that is DPR_ERROR_UNSUPPORTED; of
	   two the core asks peer before. */
	dprp_rc (*copy)(dprp_queue *queue, dprp_mem *to, uint64_t to_offset,
		dprp_mem *from, uint64_t from_offset, uint64_t size,
		const dprp_deps *deps, dprp_event **event);
	/* R if the plugin has modules.  The kernel was made for the queue's
	   device.  It may be launched on several queues, by several threads, at
	   the same time. */
	dprp_rc (*launch)(dprp_queue *queue, dprp_kernel *kernel,
		const dprp_launch *launch, const dprp_deps *deps,
		dprp_event **event);
	/* The pattern has 1 to 128 bytes; size is a multiple.  NO_PATH, for
	   some patterns or all, or missing: the core writes once and copies. */
	dprp_rc (*fill)(dprp_queue *queue, dprp_mem *to, uint64_t offset,
		uint64_t size, const void *pattern, size_t pattern_size,
		const dprp_deps *deps, dprp_event **event);
	/* NO_PATH or missing: a barrier instead. */
	dprp_rc (*prefetch)(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
		uint64_t size, const dprp_deps *deps, dprp_event **event);
	/* advice: enum dpr_usm_advice; no submission.  UNSUPPORTED, NO_PATH or
	   missing: it is ignored. */
	dprp_rc (*advise)(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
		uint64_t size, uint32_t advice);
} dprp_queue_ops;

/* Any of these but destroy may be called by several threads for one event at
   the same time. */
typedef struct dprp_event_ops {
	size_t struct_size;
	/* R.  text gets a sentence for a failed one.  A failure is not that of
	   the event: the core asks wait with timeout 0 whether it is over, and
	   if so, status again; if that fails too, or wait does, the event
	   counts as failed with the code.  A state that does not exist is such
	   a failure, of code INTERNAL. */
	dprp_rc (*status)(
		dprp_event *event, dprp_event_state *state, dprp_sink text);
	/* R.  All of them; OK also when some have failed (status tells), or
	   TIMEOUT.  timeout_ns 0: only look, UINT64_MAX: no limit.  After any
	   other answer the core asks status, and waits again 0.1 ms later.  The
	   core waits for one at a time. */
	dprp_rc (*wait)(
		dprp_event *const *events, uint32_t n, uint64_t timeout_ns);
	/* R.  Also before it is over, and before host->event_done() was called
	   for it. */
	void (*destroy)(dprp_event *event);
	/* Have host->event_done(token) called once, from any thread with no
	   lock of the plugin held, when it completes or fails; at once if it is
	   over.  Not necessarily if it is destroyed before.  The core asks for
	   that once.  A failure, or missing: it asks status from time to time.
	 */
	dprp_rc (*notify)(dprp_event *event, uint64_t token);
} dprp_event_ops;

typedef struct dprp_mem_ops {
	size_t struct_size;
	/* R.  Contents are undefined.  A kind or an alignment that the device
	   lacks is UNSUPPORTED; size 0 is INVALID; too large for the device is
	   OOM_DEVICE.  The core asks for large pieces and cuts them up, where
	   memory has addresses and SUB_BUFFER_ALIGN is 1; a piece that is not
	   aligned as asked for is DPR_ERROR_INTERNAL. */
	dprp_rc (*alloc)(dprp_context *context, dprp_device *device,
		const dprp_mem_desc *desc, dprp_mem **out);
	/* R.  No submitted work uses it, unless the device is lost. */
	void (*free)(dprp_mem *mem);
	/* R.  A DPRP_MEM_INFO_*, as device->info. */
	dprp_rc (*info)(dprp_mem *mem, uint32_t key, void *buffer,
		size_t capacity, size_t *need);
	/* N.  A descriptor for another device or process, which is the
	   caller's; type is the driver's number for its form. */
	dprp_rc (*export_fd)(
		dprp_mem *mem, uint32_t type, int *fd, uint64_t *size);
	/* N.  Memory behind one, which stays the caller's. */
	dprp_rc (*import_fd)(dprp_context *context, dprp_device *device,
		uint32_t type, int fd, uint64_t size, dprp_mem **out);
} dprp_mem_ops;

/* Programs.  No table: a device that only copies. */
typedef struct dprp_module_ops {
	size_t struct_size;
	/* R.  Which of the images (1 at least) to use, an image of format
	   "<plugin>-binary" too, or UNSUPPORTED. */
	dprp_rc (*pick)(dprp_device *device, const dprp_image *const *images,
		uint32_t n, uint32_t *best);
	/* R.  The module is for device alone.  BUILD: desc->log has the reason,
	   which is all that the program is told. */
	dprp_rc (*create)(dprp_context *context, dprp_device *device,
		const dprp_module_desc *desc, dprp_module **out);
	void (*destroy)(dprp_module *module); /* R.  Its kernels are gone. */
	/* The driver's binary; an image of format "<plugin>-binary".  The core
	   keeps it on disk, as DPR_INFO_BINARIES says, and gives it to create
	   in another process, without pick, with the same options; a binary
	   that create refuses is built anew.  What is kept counts for the same
	   dprp_plugin.version, device and driver only.  A failure, or no byte
	   written: nothing is kept.  Missing: nothing ever is. */
	dprp_rc (*binary)(dprp_module *module, dprp_sink out);
	/* R.  Another handle each time.  INVALID: there is none of that name.
	 */
	dprp_rc (*kernel)(
		dprp_module *module, const char *name, dprp_kernel **out);
	void (*kernel_destroy)(dprp_kernel *kernel); /* R */
	/* R.  A DPRP_KERNEL_*, as device->info; device is the module's.  What
	   is not told is 0 to the program. */
	dprp_rc (*kernel_info)(dprp_kernel *kernel, dprp_device *device,
		uint32_t key, void *buffer, size_t capacity, size_t *need);
} dprp_module_ops;

enum { /* reasons of close */
	DPRP_CLOSE_FINALIZE = 1, /* dpr_finalize() */
	DPRP_CLOSE_FAILED = 2 /* the core could not use the instance: count, get
				 or info failed, or there is no device */
};

enum { /* dprp_plugin.rank: what the backend stands on */
	DPRP_RANK_NATIVE = 1, /* the driver of the devices' maker */
	DPRP_RANK_PORTABLE = 2, /* a portable standard, such as OpenCL */
	DPRP_RANK_HOST = 3 /* the host's CPU, without a driver */
};

/* The descriptor: static const, with all that it points to inside the file, and
   entries in its code.  Strings end within 4096 bytes, and are not NULL unless
   that is said. */
typedef struct dprp_plugin {
	uint64_t magic; /* DPRP_MAGIC */
	size_t struct_size;
	uint32_t abi_major, abi_minor; /* that it was compiled with */
	uint32_t min_host_minor; /* of the oldest core that it works with */
	uint32_t flags; /* 0 */
	const char *name; /* [a-z][a-z0-9_]{1,31}, as in the file's name */
	const char *version; /* of the plugin: another one, other binaries */
	const char *description, *license; /* for people; may be "" */
	/* R.  Start the driver.  host stays until the process ends, so that a
	   driver's late callback may use it.  NO_DRIVER and NO_DEVICE are
	   normal answers.  INVALID: the option asked for last
	   that is set has a value that it does not take; set_error() says what
	   it takes.  After any other failure the backend has no devices and is
	   not tried again, and the others go on.  It may be called again after
	   OOM_HOST or close, and tests open two at a time: a plugin has no
	   state beside the instance. */
	dprp_rc (*open)(const dprp_host *host, dprp_instance **out);
	/* R.  Everything that was made is destroyed but devices, and what work
	   uses that could not be waited for; these go with the instance, and
	   so do its threads.  reason: DPRP_CLOSE_*. */
	void (*close)(dprp_instance *instance, uint32_t reason);
	const dprp_device_ops *device; /* R */
	const dprp_context_ops *context; /* R */
	const dprp_queue_ops *queue; /* R */
	const dprp_event_ops *event; /* R */
	const dprp_mem_ops *mem; /* R */
	const dprp_module_ops *module;
	/* N.  A sized struct of functions beyond this ABI, or NULL. */
	const void *(*extension)(
		dprp_instance *instance, const char *name, uint32_t version);
	/* The driver's handle of a handle, for the program, and still the
	   plugin's.  what: DPRP_NATIVE_*; type 0, which is all that the core
	   asks for: the usual one.  UNSUPPORTED or missing: there is none. */
	dprp_rc (*native_get)(dprp_instance *instance, uint32_t what,
		void *handle, uint32_t type, uintptr_t *out);
	/* A handle over the driver's, which is not 0: of a queue, an event or
	   memory (others N).  parent: the context of the root device, device:
	   the queue's, or that of the queue of the memory; size: bytes of
	   memory from its start that are used, not 0.  own 1: destroy releases
	   the driver's handle; own 0, and after a failure: it stays the
	   program's.  INVALID: it is no such handle of parent and device.
	   UNSUPPORTED or missing: there is no such thing.  A queue is taken to
	   have no order. */
	dprp_rc (*native_wrap)(dprp_instance *instance, uint32_t what,
		dprp_context *parent, dprp_device *device, uintptr_t in,
		uint64_t size, uint32_t own, void **out);
	/* The order of backends, where DPR_BACKEND does not give one: a smaller
	   rank comes first, and backends of the same rank are sorted by name.
	 */
	uint32_t rank; /* DPRP_RANK_* */
	uint32_t reserved; /* 0 */
	/* What the user can do after open has answered NO_DRIVER, or NO_DEVICE:
	   "install ...", without a full stop.  The load report and `dpr doctor`
	   show it.  NULL: there is no advice. */
	const char *advice_no_driver, *advice_no_device;
} dprp_plugin;

/* The entry symbol: pure; no driver, no allocation, no thread-local data.
   host_minor: DPRP_ABI_MINOR of the core; NULL: the plugin does not want it. */
typedef const dprp_plugin *(*dprp_entry_fn)(uint32_t host_minor);

/*
 * The image format "native-<target>": data is a struct dprp_native_module,
 * functions compiled for this machine's CPU, which stays as it is as long as
 * the module.  run() executes one work-group: args[i] points to the value of a
 * VALUE argument, aligned to 16 bytes, and to a void * with the address for a
 * MEM or LOCAL argument; global is the range, rounded up to a multiple of
 * local; group is the work-group's index.  It may be called from any thread,
 * and for several groups at the same time.  DPRP_NATIVE_FORMAT is the format of
 * the machine that the including file is compiled for.
 */
#if defined(__x86_64__)
#define DPRP_NATIVE_FORMAT "native-x86_64"
#elif defined(__aarch64__)
#define DPRP_NATIVE_FORMAT "native-aarch64"
#elif defined(__riscv) && __riscv_xlen == 64
#define DPRP_NATIVE_FORMAT "native-riscv64"
#elif defined(__powerpc64__)
#define DPRP_NATIVE_FORMAT "native-powerpc64"
#else
#define DPRP_NATIVE_FORMAT "native-cpu"
#endif

typedef void (*dprp_native_run)(const void *const *args,
	const uint64_t global[3], const uint64_t local[3],
	const uint64_t group[3]);

typedef struct dprp_native_kernel {
	const char *name;
	dprp_native_run run;
	uint32_t n_params, reserved;
	const dprp_param *params;
} dprp_native_kernel;

typedef struct dprp_native_module {
	size_t struct_size;
	uint32_t n_kernels, reserved;
	const dprp_native_kernel *kernels;
} dprp_native_module;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
