/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend.h - the plugin ABI: all that the core and a backend share.
 *
 * A backend is a shared object libdpr-<name>.so that exports one function,
 * dpr_plugin_abi1().  It returns the plugin's descriptor: constant data in the
 * file itself, with tables of functions, grouped by object.  The plugin links
 * nothing of dpr.  When it is opened, the core passes a struct dprp_host with
 * everything that a plugin needs.  The file is loaded once (RTLD_NOW,
 * RTLD_LOCAL) and is never unloaded. dpr-backend(7) says how to write a plugin.
 *
 * Numbers in brackets stand before rules that `dpr check-plugin` checks; its
 * findings name them.
 *
 * Growth.  Version 1.0 is frozen: what it has stays.  Tables and structs
 * begin with struct_size and grow at their end only.  An entry reads at most
 * struct_size bytes of a struct that it is given.  [G2] Bytes beyond the size
 * known to the entry must be zero, or it returns DPR_RC_UNSUPPORTED.  [G3] An
 * entry writes at most struct_size bytes of a struct that it fills, and leaves
 * struct_size unchanged.  [G4] Tables, the descriptor and dprp_host may be
 * longer than the other side knows; it ignores the rest.  [G5] A table shorter
 * than in version 1.0 is refused.  An entry is missing if it is NULL or lies
 * beyond its table's size.  [G6] Entries marked R are required: without them
 * the file is rejected.  For the other entries the core has a fallback, which
 * the comment of the entry's type describes.  The layouts of array elements
 * (dprp_arg, dprp_spec, dprp_param, dprp_native_kernel) never change.
 * [G7] Unknown flags, kinds and chained extensions are refused with
 * DPR_RC_UNSUPPORTED, never ignored.  Reserved fields are 0.
 *
 * Pointers.  An entry may use its arguments, including structs, lists and
 * strings, until it returns.  These pointers are not NULL unless their comment
 * says so.  Three things stay valid for longer: the host memory of write and
 * read, the data of a native image, and `host` of open.  [P1] After DPR_RC_OK
 * every output is set, and a handle is not NULL; a NULL handle counts as
 * DPR_RC_INTERNAL.  [P2] After a failure nothing was made or enqueued, and the
 * core does not read the outputs.  A handle is the plugin's own.  The core does
 * not look inside a handle, and passes it to the handle's destroy entry.  That
 * entry accepts every handle that was made and never gets NULL.
 *
 * Errors.  [E1] An entry returns DPR_RC_OK or a negative code.  [E2] Before it
 * returns a code it calls host->set_error() in the same thread, with the code,
 * the driver's own code and a sentence; NO_PATH, CANNOT_WAIT and HOST_MEMORY
 * need no such call.  Asynchronous errors are in the event.  [E3] A plugin prints nothing, [E4] and
 * changes no signal handler, environment variable, locale or current context of
 * the process.  No exception may leave an entry.  The list of codes says what
 * the core does about each; where an entry's comment says nothing else, any
 * code fails the program's call with the text of set_error().
 *
 * Threads.  Entries are called by any thread of the program, and by threads of
 * the core: one submits held work and watches events, one frees what was
 * released, one runs the program's callbacks. open and close are called by one
 * thread at a time, and never together with another entry of that instance.
 * The core serialises, per queue, the entries that submit to one queue: flush,
 * barrier, write, read, copy, launch, fill, prefetch, advise.  [T1] All other
 * entries, including finish, may be called at any time from any thread, also
 * during a submission. destroy never runs at the same time as another call on
 * the same handle.  [T2] A plugin may start threads in open or later, with all
 * signals blocked; [T3] close ends them.  [T4] A child process of a plugin has
 * neither the standard input nor the standard output of the program.
 *
 * Waiting. finish and event->wait wait for submitted work. mem->alloc and free,
 * and module->create, destroy, kernel and kernel_destroy may wait for work of
 * their device, if the driver does: the core calls them with no lock held, and
 * never in the thread that submits held work.  [W1] No other entry waits for
 * work, with any memory.  There are two exceptions.  If a submission fails
 * although the driver has taken its command, the entry waits for the command,
 * because the core takes the memory for unused.  And a launch of a routine of
 * LAPACK (calls-1) may wait if its library does.  [W2] Entries that submit to a
 * queue return soon, because the core holds a lock of that queue during the
 * call.  [W3] event->status and notify return soon too, because one thread of
 * the core polls all events.  All other entries may take as long as the driver
 * does: no lock is held.  No entry may call a function of the public API.
 *
 * Lifetime.  The core counts references and destroys each handle once: kernels
 * before their module, and everything made from a context before the context.
 * Devices are never destroyed.  [L1] Events and memory may outlive their queue.
 * [L2] A plugin keeps everything that its driver needs for work in flight.  The
 * core may destroy an event right after using it as a dependency, and a queue
 * while its work runs.  The work and its events still complete.  The core keeps
 * memory and kernels until the work that uses them is done.  The core destroys
 * all handles before close, except handles in use by work that the plugin could
 * not wait for.  [L3] When the process ends without dpr_finalize() nothing is
 * destroyed or closed, and exit() calls no entry, with one exception:
 * event->status and wait for the launches that exit() must wait for
 * (DPRP_KERNEL_COMPILES_LATE), for at most 5 s.  [L4] In a child process, no
 * entry is called of an instance that was open before fork().
 */
#ifndef DPR_BACKEND_H
#define DPR_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include <dpr/info.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The major version, which is part of the entry symbol's name. */
#define DPRP_ABI_MAJOR 1
/* The minor version, which is incremented with each addition. */
#define DPRP_ABI_MINOR 2
/* The name of the entry symbol. */
#define DPRP_ENTRY_SYMBOL "dpr_plugin_abi1"
/* The first number of a descriptor, "rdprplp1" in memory. */
#define DPRP_MAGIC UINT64_C(0x31706c7072706472)

/* The size of a struct up to and including a member. */
#define DPRP_SIZE_TO(T, last) (offsetof(T, last) + sizeof(((T *)0)->last))
/* Whether a table or struct from the other side has a member. */
#define DPRP_HAS(p, T, member) \
	((p) && (p)->struct_size >= DPRP_SIZE_TO(T, member) && (p)->member)

/* For the entry symbol: seen outside the plugin. */
#if defined(__GNUC__)
#define DPRP_EXPORT __attribute__((visibility("default")))
#else
#define DPRP_EXPORT
#endif

/*
 * What an entry returns: DPR_RC_*.
 *
 * What the core does with a code, apart from failing the program's call:
 *
 * - OOM_DEVICE and OOM_HOST of mem->alloc: the core takes back memory that is
 *   no longer used and asks again, a few times.  OOM_HOST of open, or while the
 *   core lists the devices: the next call that needs devices opens the plugin
 *   again.
 * - CANNOT_WAIT of a submission with dependencies: the core keeps the
 *   submission until they are complete, and submits it again without them.
 * - HOST_MEMORY of a write or read: the core keeps it until its dependencies
 *   are complete.  The bytes then go through HOST memory, as queue->write
 *   describes.
 * - NO_PATH of a submission.  Its meaning depends on the entry:
 *
 *	barrier    with dependencies: CANNOT_WAIT
 *	launch     with dependencies: CANNOT_WAIT
 *	write      with dependencies: CANNOT_WAIT; without: HOST_MEMORY
 *	read       as write
 *	copy       between root devices: they have no copy of their own, and
 *	           the bytes go through host memory
 *	           within a root device, with dependencies: CANNOT_WAIT
 *	fill       no such pattern: the core writes a block and copies it
 *	prefetch   no such prefetch: the core submits a barrier
 *	advise     no such advice: nothing happens
 *
 *   In all other cases the submission fails with DPR_ERROR_UNSUPPORTED.  So does
 *   a copy between root devices that the core has kept before.
 * - DEVICE_LOST of finish, status or in an event's state: nothing that was
 *   submitted to the queue before runs any more.  In an event's state the code
 *   says that some submission to the device has failed, not necessarily the
 *   event's own, because some drivers report a fault at every event.  The
 *   program's text names what was under way on all queues of the root device.
 *   To say that later calls will fail, call host->device_lost() first.
 * - DEP_FAILED in an event's state: the program's status is the status of the
 *   first dependency that failed, and the text names it.  From finish, or if
 *   the dependency is unknown, the status is DPR_ERROR_DEVICE_LOST if a device
 *   of the plugin is lost.
 *
 * A number that is not in this list counts as INTERNAL.  CANNOT_WAIT and
 * HOST_MEMORY are in the list since version 1.2.  A plugin answers them if its
 * abi_minor is 2 at least, and that of the host too; else it answers NO_PATH.
 */
typedef int32_t dprp_rc;
enum {
	DPR_RC_OK = 0,
	DPR_RC_INVALID = -1, /* an argument is wrong */
	DPR_RC_UNSUPPORTED = -2, /* the device or plugin cannot do this; for a
				    value: it is not known */
	DPR_RC_NO_DRIVER = -3, /* open: the driver is not installed */
	DPR_RC_NO_DEVICE = -4, /* open: the driver has no device */
	DPR_RC_OOM_HOST = -5,
	DPR_RC_OOM_DEVICE = -6,
	DPR_RC_BUILD = -7, /* module->create: it did not build; the log says why
			    */
	DPR_RC_TIMEOUT = -8, /* event->wait: the time limit has passed */
	DPR_RC_DEP_FAILED = -9, /* of an event: a dependency failed */
	DPR_RC_DEVICE_LOST = -10, /* the device does not answer any more */
	DPR_RC_NO_PATH = -11, /* nothing was enqueued; the core finds another
				 way, as the table above says */
	DPR_RC_FORKED = -12, /* the driver was opened before fork() */
	DPR_RC_SHUTDOWN = -13, /* the driver has been closed */
	DPR_RC_NATIVE = -14, /* the driver refused; set_error has its code */
	DPR_RC_ABI = -15, /* the other side broke this contract */
	DPR_RC_INTERNAL = -16, /* the plugin broke its own rules */
	DPR_RC_CANNOT_WAIT = -17, /* since 1.2: the driver cannot wait for these
				     dependencies; nothing was enqueued */
	DPR_RC_HOST_MEMORY = -18 /* since 1.2: the driver would wait with this
				    host memory, or cannot use it; nothing was
				    enqueued */
};

/* The plugin defines these types, except for the first, which is the core's. */
typedef struct dprp_host_instance dprp_host_instance;
typedef struct dprp_instance dprp_instance;
typedef struct dprp_device dprp_device;
typedef struct dprp_context dprp_context;
typedef struct dprp_queue dprp_queue;
typedef struct dprp_event dprp_event;
typedef struct dprp_mem dprp_mem;
typedef struct dprp_module dprp_module;
typedef struct dprp_kernel dprp_kernel;

/* Receives text or data from the callee. write(user, ...) may be called any
   number of times until the entry returns; it copies the bytes. write NULL: the
   output is not wanted. */
typedef struct dprp_sink {
	/* Take some bytes. */
	void (*write)(void *user, const char *bytes, size_t size);
	void *user; /* the first argument of write */
} dprp_sink;

/* A chain of extensions of a struct, 16 at most.  NULL: none; the core gives
   none yet. */
typedef struct dprp_ext {
	size_t struct_size;
	const char *name; /* of the extension */
	const struct dprp_ext *next; /* another extension; or NULL */
} dprp_ext;

/*
 * Services of the core, for one plugin.  All may be called from any thread, in
 * any entry, and during a submission.  None waits; but driver_open runs the
 * constructors of the library that it loads.
 */
typedef struct dprp_host {
	size_t struct_size;
	uint32_t abi_minor; /* DPRP_ABI_MINOR of the core */
	uint32_t reserved; /* 0 */
	dprp_host_instance *self; /* first argument of every service */
	/* [H1] As malloc.  [H4] Returns NULL when memory is short. */
	void *(*alloc)(dprp_host_instance *self, size_t size);
	/* [H1] As free: free(NULL) does nothing. */
	void (*free)(dprp_host_instance *self, void *block);
	/* [H2] Write a line to the log; it is copied. level is enum
	   dpr_log_level (1 error ... 5 trace); lines of other levels are
	   dropped.  Errors and warnings (2) from before open() succeeds also go
	   to the load report. */
	void (*log)(dprp_host_instance *self, int32_t level, const char *line);
	/* Record an error, before the entry returns rc < 0, in the same thread
	   and with the same rc. native is the driver's own code (0: none). text
	   is copied; it is a sentence that names the call and the code's name.
	   The core takes NULL, too, and the program then gets no sentence; so
	   NULL is against [E2].  The last call counts, unless the entry returns
	   another rc: then all are ignored. */
	void (*set_error)(dprp_host_instance *self, dprp_rc rc, int64_t native,
		const char *text);
	/* The value of DPR_OPTION_<PLUGIN>_<KEY>, where KEY is key in upper
	   case, or NULL.  Lent until the process ends. open() asks for every
	   option that the plugin has: an option that is set but was not asked
	   for is the user's error. */
	const char *(*option)(dprp_host_instance *self, const char *key);
	/* Open the first of these driver libraries that loads.  Each is a name
	   with its version ("libcuda.so.1") or an absolute path; other forms
	   are skipped.  The library stays open.  NULL: none loaded; the load
	   report has the loader's messages. */
	void *(*driver_open)(dprp_host_instance *self,
		const char *const *sonames, size_t count);
	/* Look up a symbol.  NULL: the library does not have it, or library is
	   NULL. */
	void *(*driver_sym)(
		dprp_host_instance *self, void *library, const char *symbol);
	/* The event that was given to event->notify has completed or failed.
	   The core calls event->status to learn how the event ended, so the
	   event's state must be final by then; if not, the core polls it.
	   Stale tokens are ignored. */
	void (*event_done)(
		dprp_host_instance *self, uint64_t token, dprp_rc status);
	/* Report that device is lost: its root device does not respond any
	   more.  [H5] This call comes before any other sign of the loss: before
	   status gives an event of the device as FAILED with DEVICE_LOST, and
	   before an entry returns that code.  So a program that sees the
	   failure finds the device lost.  It may be called any number of times;
	   it is ignored until the devices have been listed.  From then on the
	   core requests no context, memory or sub-devices of it.  [H3] Other
	   calls still reach the plugin, which must fail them.  Pending events
	   must fail, and handles are destroyed as usual. why goes to the log;
	   NULL: none. */
	void (*device_lost)(
		dprp_host_instance *self, dprp_device *device, const char *why);
} dprp_host;

/*
 * What a submission waits for: events of this plugin's instance, of any queue,
 * context or device; their queue may have been destroyed.  The pointer to the
 * struct may be NULL, which is the same as count 0.  [Y3] On every queue the
 * submission starts when all of them are over.  [Y1] The list may contain an
 * event twice, and events that are over.  If the events are of other queues
 * than the submission, the core has flushed those.
 *
 * [Y2] When a dependency fails, the submission must fail too, with DEP_FAILED
 * if the driver lets the plugin know.  It must not end as DONE, or hang.  It
 * may fail at once or in its turn, and it may or may not have run.  If the
 * dependency has failed already, the entry may refuse the submission with
 * DEP_FAILED instead.
 */
typedef struct dprp_deps {
	size_t struct_size;
	uint32_t count; /* the number of events */
	uint32_t flags; /* 0 */
	dprp_event *const *events; /* the events */
} dprp_deps;

enum { /* dprp_queue_desc.flags; the plugin grants only supported flags */
	DPRP_QUEUE_OUT_OF_ORDER = 1, /* only dependencies and barriers order
					work */
	DPRP_QUEUE_PROFILING = 2 /* events have times */
};

/* A queue to be made. */
typedef struct dprp_queue_desc {
	size_t struct_size;
	uint64_t flags; /* DPRP_QUEUE_* */
	int32_t priority; /* -1 low, 0 normal, 1 high; UNSUPPORTED if the driver
			     has no priorities */
	int32_t reserved; /* 0 */
	const dprp_ext *ext; /* extensions; NULL: none */
} dprp_queue_desc;

/* A division of a device.  Every count is at least 1.  The core rounds counts
   up to multiples of DPR_INFO_PARTITION_UNIT.  Their sum is at most
   DPR_INFO_COMPUTE_UNITS, if the plugin reports it.  If rounding would exceed
   this, the last count is the rest, and need not be a multiple.
   UNSUPPORTED: the driver cannot divide the device like that.  A part has as
   many compute units as its count, or more where the driver has no smaller
   piece left for it; its COMPUTE_UNITS says how many. */
typedef struct dprp_partition {
	size_t struct_size;
	uint32_t how; /* enum dpr_partition_how */
	uint32_t n_counts; /* DOMAIN: 0 */
	/* EQUALLY: one count, the compute units of each part; the driver makes
	   as many parts as it can. */
	const uint64_t *counts;
	uint32_t domain; /* enum dpr_domain; for DOMAIN only */
	uint32_t reserved; /* 0 */
} dprp_partition;

enum { /* dprp_mem_desc.kind; the first three are enum dpr_usm_kind */
	DPRP_MEM_DEVICE = 1,
	DPRP_MEM_SHARED = 2,
	DPRP_MEM_HOST = 3,
	/* [M8] The driver may use the program's memory at host_ptr until this
	   memory is freed.  The core imports host memory where write or read
	   answered HOST_MEMORY, in pieces of up to 4 MiB, a few at a time, each
	   freed when its transfer is over. host_ptr and size are multiples of
	   the page size.  The pages may be read-only.  UNSUPPORTED: the plugin
	   cannot do this, or it is not faster than copies through HOST memory;
	   the core does not ask this device again.  After another failure the
	   piece goes through HOST memory. */
	DPRP_MEM_IMPORT_HOST = 4
};

/* Memory to be allocated. */
typedef struct dprp_mem_desc {
	size_t struct_size;
	uint32_t kind; /* DPRP_MEM_* */
	uint32_t flags; /* 0 */
	uint64_t size; /* bytes */
	uint64_t align; /* bytes: a power of two up to 2 MiB; 0: enough for
			   every type and vector, 64 at least */
	void *host_ptr; /* IMPORT_HOST; else NULL */
	const dprp_ext *ext; /* extensions; NULL: none */
} dprp_mem_desc;

/* Code in one format; the formats of a device are DPR_INFO_FORMATS. */
typedef struct dprp_image {
	size_t struct_size;
	const char *format; /* the name of the format */
	const char *target; /* narrows the format ("sm_60"); NULL: any */
	const void *data; /* the code */
	uint64_t size; /* bytes, not 0; text need not end with a zero */
} dprp_image;

/* The value of a specialization constant. */
typedef struct dprp_spec {
	uint32_t id; /* of the constant */
	uint32_t size; /* bytes at value: 1, 2, 4 or 8 */
	const void *value; /* may be unaligned; of a bool, one byte: 0 or 1 */
} dprp_spec;

enum { /* dprp_module_desc.flags.  [K3] A flag that the format or the device
	  cannot heed is UNSUPPORTED.  Code that leaves nothing to a compiler,
	  such as native code, heeds ROUNDED by itself. */
	DPRP_BUILD_ROUNDED = 1, /* the compiler rounds division and square root
				   of float correctly */
	DPRP_BUILD_LARGE = 2 /* one allocation may have 4 GiB or more */
};

/* A module to be built. */
typedef struct dprp_module_desc {
	size_t struct_size;
	uint32_t n_images; /* 1 at least */
	uint32_t n_spec; /* values of constants; 0: none */
	const dprp_image *const *images; /* the first is the one that pick
					    chose */
	/* For the compiler, if the first image is source: a format whose name
	   ends in "-c".  NULL for other formats, and without options. */
	const char *options;
	/* Values for constants of the first image; NULL if there are none.  The
	   ids ascend.  If the format is "spirv", the core has checked that the
	   module has these constants, with these sizes.  [K10] UNSUPPORTED: the
	   format has no such constants, or the driver cannot set them. */
	const dprp_spec *spec;
	uint64_t flags; /* DPRP_BUILD_* */
	dprp_sink log; /* messages of the compiler, also on success */
	const dprp_ext *ext; /* extensions; NULL: none */
} dprp_module_desc;

enum { /* dprp_arg.kind, dprp_param.kind */
	DPRP_ARG_UNKNOWN = 0, /* parameters only: not reported by the driver */
	DPRP_ARG_VALUE = 1,
	DPRP_ARG_MEM = 2, /* a pointer to global or constant memory */
	DPRP_ARG_LOCAL = 3 /* size bytes of local memory */
};

/* An argument.  The core has checked it against the parameter, if that is
   known, and the sum of local memory against DPR_INFO_LOCAL_MEM_SIZE. */
typedef struct dprp_arg {
	uint32_t kind; /* DPRP_ARG_* */
	uint32_t reserved; /* 0 */
	uint64_t size; /* VALUE: bytes at value; LOCAL: bytes; not 0 */
	/* The argument itself, as its kind says. */
	union {
		const void *value; /* may be unaligned for its type */
		/* a place in memory */
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
	uint32_t kind; /* DPRP_ARG_* */
	uint32_t reserved; /* 0 */
	/* Bytes, for every kind; 0 if the driver does not report them, and for
	   LOCAL.  MEM takes an address, so its size is sizeof(void *).  UNKNOWN
	   with a size takes a VALUE of that size, or a MEM if that is the size
	   of an address.  The core refuses arguments of another size. */
	uint64_t size;
} dprp_param;

enum { /* keys of module->kernel_info; the type of each is given */
	DPRP_KERNEL_PARAMS = 1, /* dprp_param[], one per parameter; UNSUPPORTED:
				   the core does not check arguments */
	DPRP_KERNEL_MAX_WORK_GROUP = 2, /* uint64_t, work-items; the core
					   chooses local sizes within it */
	DPRP_KERNEL_PREFERRED_MULTIPLE = 3, /* uint64_t, work-items */
	DPRP_KERNEL_PRIVATE_SIZE = 4, /* uint64_t, bytes per work-item */
	DPRP_KERNEL_LOCAL_SIZE = 5, /* uint64_t, bytes per work-group, without
				       LOCAL arguments */
	DPRP_KERNEL_REQUIRED_LOCAL = 6, /* uint64_t[3], zeros: none; the core
					   chooses this local size */
	DPRP_KERNEL_MAX_SUB_GROUP = 7, /* uint64_t, work-items */
	DPRP_KERNEL_MAX_SUB_GROUPS = 8, /* uint64_t, of a work-group */
	DPRP_KERNEL_COMPILES_LATE = 9 /* uint64_t.  1: a launch with sizes that
					 are new to the kernel may have it
					 compiled in a thread of the driver.
					 2: each launch runs a library, and
					 exit() must let it finish. */
};

enum { /* dprp_launch.flags */
	/* The work-items only compute, need little stack and wait for nothing;
	   all of them together take a few microseconds.  So if nothing comes
	   before the launch, the plugin may do the work before the entry
	   returns. */
	DPRP_LAUNCH_BRIEF = 1
};

/* A launch. */
typedef struct dprp_launch {
	size_t struct_size;
	uint32_t dims; /* 1 to 3; beyond them global is 1 */
	uint32_t n_args; /* the number of arguments */
	/* In work-items. local[0] == 0: the kernel checks its bounds, so the
	   plugin chooses the local size and rounds global up to a multiple of
	   it; otherwise local divides global, and the number of groups is
	   within DPR_INFO_MAX_WORK_GROUPS.  The core chooses a local size where
	   the program gives none and does not say that the kernel checks its
	   bounds.
	   [K9] With a 0 in global nothing runs, and the launch completes in its
	   turn: on an out-of-order queue after its deps and earlier barriers,
	   or at once if there are none. */
	uint64_t global[3];
	uint64_t local[3]; /* work-items in a group */
	const dprp_arg *args; /* the arguments */
	const dprp_ext *ext; /* extensions; NULL: none */
	uint64_t flags; /* since 1.1, and for a plugin of 1.1: DPRP_LAUNCH_* */
} dprp_launch;

enum { /* [N1] dprp_event_state.state; it never decreases */
	DPRP_EVENT_QUEUED = 1, /* in the driver */
	DPRP_EVENT_SUBMITTED = 2, /* handed to the device */
	DPRP_EVENT_RUNNING = 3,
	DPRP_EVENT_DONE = 4,
	DPRP_EVENT_FAILED = 5
};

/* How far an event has got. */
typedef struct dprp_event_state {
	size_t struct_size;
	uint32_t state; /* DPRP_EVENT_* */
	dprp_rc rc; /* FAILED: why */
	int64_t native; /* FAILED: the driver's code, 0: none */
	/* [N2] For DONE, and for FAILED if the driver has them: nanoseconds of
	   the device's clock; [N3] all zero without profiling.  If the end is
	   before the start, the program gets DPR_ERROR_PLUGIN when it asks for
	   times. */
	uint64_t t_queued; /* handed to the driver */
	uint64_t t_submit; /* handed to the device */
	uint64_t t_start; /* begun */
	uint64_t t_end; /* over */
} dprp_event_state;

enum { /* bits of device->peer; the core ignores others */
	DPRP_PEER_COPY = 1 /* queue->copy works between memory of the two
			      devices, on queues of either */
};

enum { /* keys of mem->info */
	/* [M5] void *, not NULL, or the allocation fails as with INTERNAL.
	   UNSUPPORTED where DPR_INFO_ASPECT_ADDRESSES is 0.  [M7] The host uses
	   HOST and SHARED memory at this address whenever no submitted work
	   does, and passes it to other drivers as host memory.  With
	   DPR_INFO_ASPECT_HOST_MEMORY it does so with DEVICE memory too. */
	DPRP_MEM_INFO_ADDRESS = 1,
	/* uint64_t.  Asked only for memory from native_wrap; if it is not
	   answered, DEVICE is assumed. */
	DPRP_MEM_INFO_KIND = 2
};

enum { /* kinds of handles for native_get and native_wrap: enum
	  dpr_native_what */
	DPRP_NATIVE_PLATFORM = 1, /* the handle given is a dprp_device */
	DPRP_NATIVE_DEVICE = 2,
	DPRP_NATIVE_CONTEXT = 3,
	DPRP_NATIVE_QUEUE = 4,
	DPRP_NATIVE_EVENT = 5,
	DPRP_NATIVE_MEMORY = 6,
	DPRP_NATIVE_PROGRAM = 7, /* a dprp_module */
	DPRP_NATIVE_KERNEL = 8
};

/* --- The entries ---------------------------------------------------------- */

/*
 * The types of the entries.  dprp_queue_write_fn is the type of the entry
 * `write` in struct dprp_queue_ops, which comments call queue->write.  The
 * other types are named in the same way; those of struct dprp_plugin have no
 * table in their names, as dprp_open_fn.  A plugin declares an entry by its
 * type: `static dprp_queue_write_fn my_write;`.  The tables say which entries
 * are required.
 */

/* --- Devices -------------------------------------------------------------- */

/* Count the root devices.  [V1] There are 65536 at most.  The number and the
   order never change. 0 counts as NO_DEVICE. */
typedef dprp_rc dprp_device_count_fn(dprp_instance *instance, uint32_t *n);

/* Get a root device by its index.  [V2] It is a handle that is valid until
   close, the same each time. */
typedef dprp_rc dprp_device_get_fn(
	dprp_instance *instance, uint32_t index, dprp_device **out);

/*
 * Get the value of a key of info.h, in the form given there, for a root device
 * or a sub-device.  [V3] *need is its size; buffer NULL asks only for that.
 * [V4] If the buffer is too small, leave it unchanged and return INVALID.  [V5]
 * If the key is unknown or the driver does not report the value, return
 * UNSUPPORTED.  [V6] The program gets the answer as it is, or DPR_ERROR_PLUGIN
 * if it does not have the key's form.
 *
 * The core itself uses the keys below.  The value in brackets is assumed if a
 * key is not answered, or not in its form.  Of root devices, once, when they
 * are listed: NAME (the backend's), TYPE (CUSTOM), MAX_ALLOC_SIZE and
 * LOCAL_MEM_SIZE (no limit), SUB_BUFFER_ALIGN (1), COPY_THREADS (1),
 * PCI_ADDRESS and UUID (none; zeros are none too), ASPECT_ADDRESSES,
 * ASPECT_USM_HOST, ASPECT_HOST_MEMORY and ASPECT_FP64 (0), MAX_WORK_GROUPS and
 * MAX_WORK_ITEM_SIZES, which have three numbers each (no limit; 0 is none too),
 * with MAX_WORK_GROUP_SIZE (no limit), and PARTITION_UNIT (1).  A sub-device
 * has these values of its root device.  Later, of any device: COMPUTE_UNITS,
 * PARTITION_PROPERTIES and PARTITION_MAX_SUB_DEVICES (partition decides),
 * UNIFIED_MEMORY (0), GLOBAL_MEM_SIZE (no limit by percentage), BINARIES
 * (FIRST), BINARY_TARGET (NAME and UUID instead).
 *
 * The array functions use FORMATS (none of them; they have kernels in
 * "opencl-c", "spirv", "ptx" and DPRP_NATIVE_FORMAT, whatever the type of the
 * device), SINGLE_FP_CONFIG (0; the bit CORRECTLY_ROUNDED_DIVIDE_SQRT promises
 * that modules can be made with DPRP_BUILD_ROUNDED) and MAX_ALLOC_SIZE (4 GiB
 * and more promises the same for DPRP_BUILD_LARGE).
 */
typedef dprp_rc dprp_device_info_fn(dprp_device *device, uint32_t key,
	void *buffer, size_t capacity, size_t *need);

/*
 * Divide a device.  [V7] Write the sub-devices into out, in a fixed order, and
 * their number into *n.  If *n is larger than capacity, out need not be
 * written: the core calls again with enough room.  Otherwise it does not ask
 * for the same division again, unless the call failed.  Sub-devices are valid
 * until close.  One thread at a time divides a device.  UNSUPPORTED, *n 0, or
 * missing: it cannot be divided that way.
 */
typedef dprp_rc dprp_device_partition_fn(dprp_device *device,
	const dprp_partition *how, dprp_device **out, uint32_t capacity,
	uint32_t *n);

/*
 * Tell what `from` can do with memory of `to`, another root device of the same
 * instance.  [V8] *caps gets DPRP_PEER_*.  The entry may also enable it in the
 * driver: the core asks before the first copy from `to` to `from` or back, once
 * for each direction, and remembers the answer; threads may ask for the same
 * pair at the same time.  Missing or a failure: nothing, and copies go through
 * host memory.  After a failure other than UNSUPPORTED the core asks again at
 * the next copy.
 */
typedef dprp_rc dprp_device_peer_fn(
	dprp_device *from, dprp_device *to, uint32_t *caps);

/* Read the clock of a root device and CLOCK_MONOTONIC.  [V9] Both are read at
   the same moment, in nanoseconds.  UNSUPPORTED or missing: dpr_event_times()
   is unsupported too. */
typedef dprp_rc dprp_device_clocks_fn(
	dprp_device *device, uint64_t *device_ns, uint64_t *host_ns);

/* Entries for devices.  R: required. */
typedef struct dprp_device_ops {
	size_t struct_size;
	dprp_device_count_fn *count; /* R */
	dprp_device_get_fn *get; /* R */
	dprp_device_info_fn *info; /* R */
	dprp_device_partition_fn *partition; /* optional */
	dprp_device_peer_fn *peer; /* optional */
	dprp_device_clocks_fn *clocks; /* optional */
} dprp_device_ops;

/* --- Contexts ------------------------------------------------------------- */

/*
 * A context is one root device with all its sub-devices, including those made
 * later.  It is made when it is first needed.  If two threads make one at the
 * same time, one of the two is destroyed.  Contexts of several roots may share
 * one driver context, so that work on one root can wait for events of another.
 */

/* Make a context.  [C1] It is for any root.  It may be the handle of an
   existing context, if destroy counts, or does nothing. ext: NULL. */
typedef dprp_rc dprp_context_create_fn(dprp_instance *instance,
	dprp_device *root, const dprp_ext *ext, dprp_context **out);

/* Destroy a context, once for each create. */
typedef void dprp_context_destroy_fn(dprp_context *context);

/* Entries for contexts.  R: required. */
typedef struct dprp_context_ops {
	size_t struct_size;
	dprp_context_create_fn *create; /* R */
	dprp_context_destroy_fn *destroy; /* R */
} dprp_context_ops;

/* --- Queues --------------------------------------------------------------- */

/* Make a queue.  [Q1] *got is the subset of desc->flags that was granted.  If
   OUT_OF_ORDER is not granted, the core accepts the queue; if PROFILING is not,
   it destroys the queue. */
typedef dprp_rc dprp_queue_create_fn(dprp_context *context, dprp_device *device,
	const dprp_queue_desc *desc, uint64_t *got, dprp_queue **out);

/* Destroy a queue.  [Q2] The entry waits for nothing. */
typedef void dprp_queue_destroy_fn(dprp_queue *queue);

/* Flush a queue.  [Q3] Make all submitted work run without a further call. */
typedef dprp_rc dprp_queue_flush_fn(dprp_queue *queue);

/*
 * Wait for a queue.  [Q4] Wait until everything submitted before the call is
 * over.  [Q5] Returns the first failure since the last call that returned one,
 * or OK if only events report failures.  After a failure other than DEVICE_LOST
 * the core calls finish again, unless it knows that nothing runs.  If the
 * second call fails too, the core waits for the event of a barrier.
 */
typedef dprp_rc dprp_queue_finish_fn(dprp_queue *queue);

/* Advise the driver how memory is used.  advice: enum dpr_usm_advice.  Not a
   submission.  UNSUPPORTED, NO_PATH or missing: the advice is ignored. */
typedef dprp_rc dprp_queue_advise_fn(dprp_queue *queue, dprp_mem *mem,
	uint64_t offset, uint64_t size, uint32_t advice);

/*
 * The functions below are submissions.  [S1] deps may be NULL: no dependencies.
 * [S2] event may be NULL: no event is wanted; otherwise *event gets a new one.
 * [S8] If the driver cannot wait for a dependency the entry returns CANNOT_WAIT,
 * never without one.  Memory is of the queue's root device, except for a copy
 * between two devices; ranges lie inside it.  [S3] The host memory of write and
 * read is valid and unchanged until the submission is over, so write may read it
 * at once, before its deps are over; everything else is copied.  [S4] A
 * submission of size 0 moves nothing and is ordered like any other.
 *
 * [S5] On an in-order queue a submission starts when all earlier ones are over;
 * after one that has failed, later ones may fail or run.  [S6] On an
 * out-of-order queue it starts after its deps and earlier barriers.  [S7] The
 * plugin may delay work until it is flushed; finish, event->wait and destroy
 * flush by themselves.
 */

/* Submit a barrier.  [Q6] It completes after deps, or without deps after all
   earlier work; later work starts after it.  It fails if a dependency fails,
   and may fail if earlier work failed. */
typedef dprp_rc dprp_queue_barrier_fn(
	dprp_queue *queue, const dprp_deps *deps, dprp_event **event);

/*
 * Move bytes from host memory to the device's.  [Q8] read moves them back.
 * HOST_MEMORY: the driver would wait with this host memory, or cannot use it.
 * [S9] No entry but these two answers so.  Then the core moves the bytes in
 * pieces: through HOST memory of the queue's root device, or in place after
 * mem->alloc has imported the piece (DPRP_MEM_IMPORT_HOST).  The pieces take the
 * submission's place in the queue.  [Q7] Never answer so for host memory within
 * HOST or imported memory of the device: the submission would fail.
 */
typedef dprp_rc dprp_queue_write_fn(dprp_queue *queue, dprp_mem *to,
	uint64_t offset, const void *from, uint64_t size, const dprp_deps *deps,
	dprp_event **event);

/* Move bytes from the device's memory to the host's.  All that
   dprp_queue_write_fn says holds for read, too. */
typedef dprp_rc dprp_queue_read_fn(dprp_queue *queue, dprp_mem *from,
	uint64_t offset, void *to, uint64_t size, const dprp_deps *deps,
	dprp_event **event);

/* Copy bytes.  [Q9] The ranges do not overlap.  NO_PATH, with dependencies or
   without: the driver cannot copy between the two.  Within one root device the
   program then gets DPR_ERROR_UNSUPPORTED; between two the core asks peer
   first. */
typedef dprp_rc dprp_queue_copy_fn(dprp_queue *queue, dprp_mem *to,
	uint64_t to_offset, dprp_mem *from, uint64_t from_offset, uint64_t size,
	const dprp_deps *deps, dprp_event **event);

/* Launch a kernel.  [Q10] Run each work-item of the range once, with these
   arguments.  The kernel was made for the queue's device.  [Q11] Several
   threads may launch it on several queues at the same time. */
typedef dprp_rc dprp_queue_launch_fn(dprp_queue *queue, dprp_kernel *kernel,
	const dprp_launch *launch, const dprp_deps *deps, dprp_event **event);

/* Fill memory.  [Q12] Repeat the pattern.  It has 1 to 128 bytes; size is a
   multiple of pattern_size.  NO_PATH, for some patterns or all, or missing: the
   core writes a block of the pattern and copies it. */
typedef dprp_rc dprp_queue_fill_fn(dprp_queue *queue, dprp_mem *to,
	uint64_t offset, uint64_t size, const void *pattern,
	size_t pattern_size, const dprp_deps *deps, dprp_event **event);

/* Move memory to where it is needed next.  [Q13] Changes no bytes.  NO_PATH or
   missing: a barrier instead. */
typedef dprp_rc dprp_queue_prefetch_fn(dprp_queue *queue, dprp_mem *mem,
	uint64_t offset, uint64_t size, const dprp_deps *deps,
	dprp_event **event);

/* Entries for queues.  R: required. */
typedef struct dprp_queue_ops {
	size_t struct_size;
	dprp_queue_create_fn *create; /* R */
	dprp_queue_destroy_fn *destroy; /* R */
	dprp_queue_flush_fn *flush; /* R */
	dprp_queue_finish_fn *finish; /* R */
	dprp_queue_barrier_fn *barrier; /* R */
	dprp_queue_write_fn *write; /* R */
	dprp_queue_read_fn *read; /* R */
	dprp_queue_copy_fn *copy; /* R */
	dprp_queue_launch_fn *launch; /* R if the plugin has modules */
	dprp_queue_fill_fn *fill; /* optional */
	dprp_queue_prefetch_fn *prefetch; /* optional */
	dprp_queue_advise_fn *advise; /* optional */
} dprp_queue_ops;

/* --- Events --------------------------------------------------------------- */

/* The functions below, except destroy, may be called by several threads for one
   event at the same time. */

/*
 * Get the state of an event.  [N5] text gets a sentence if the event has
 * failed.  A code other than OK is not the event's own failure: the core calls
 * wait with timeout 0 to see whether the event is over, and if so, status
 * again.  If either fails, the event counts as failed with that code.  An
 * undefined state counts as a failure with INTERNAL.
 */
typedef dprp_rc dprp_event_status_fn(
	dprp_event *event, dprp_event_state *state, dprp_sink text);

/* Wait for all the events.  [N6] Returns OK, even if some have failed (status
   tells), or TIMEOUT. [N7] timeout_ns 0: do not wait; UINT64_MAX: no limit.
   After any other code the core calls status, and waits again 0.1 ms later.
   The core waits for one event at a time. */
typedef dprp_rc dprp_event_wait_fn(
	dprp_event *const *events, uint32_t n, uint64_t timeout_ns);

/* Destroy an event.  [N8] It may be called before the event is over, and before
   host->event_done() was called for it. */
typedef void dprp_event_destroy_fn(dprp_event *event);

/*
 * Ask for a call at the end of an event.  [N9] Call host->event_done(token)
 * once when the event completes or fails; at once if it is over.  [N10] From
 * any thread, with no lock of the plugin held.  If the event is destroyed
 * first, the call may be left out.  The core asks once per event.  If notify
 * fails or is missing, the core polls status.
 */
typedef dprp_rc dprp_event_notify_fn(dprp_event *event, uint64_t token);

/* Entries for events.  R: required. */
typedef struct dprp_event_ops {
	size_t struct_size;
	dprp_event_status_fn *status; /* R */
	dprp_event_wait_fn *wait; /* R */
	dprp_event_destroy_fn *destroy; /* R */
	dprp_event_notify_fn *notify; /* optional */
} dprp_event_ops;

/* --- Memory --------------------------------------------------------------- */

/* Memory for another process. */
typedef struct dprp_ipc {
	size_t struct_size;
	uint32_t type; /* the form of `bytes`, as a number of the plugin's */
	int32_t fd; /* -1: none */
	uint64_t size; /* bytes of this memory */
	uint64_t offset; /* where it begins in the memory handed over */
	unsigned char bytes[64]; /* the driver's; unused ones are 0 */
} dprp_ipc;

/*
 * Allocate memory.  Contents are undefined.  [M2] UNSUPPORTED: the device lacks
 * the kind or the alignment.  [M1] INVALID: size 0.  [M4] OOM_DEVICE: too large
 * for the device.  Where memory has addresses and SUB_BUFFER_ALIGN is 1, the
 * core requests large pieces and divides them.  [M3] If a piece is not aligned
 * as requested, the program gets DPR_ERROR_INTERNAL.
 */
typedef dprp_rc dprp_mem_alloc_fn(dprp_context *context, dprp_device *device,
	const dprp_mem_desc *desc, dprp_mem **out);

/* Free memory.  The core calls this when no submitted work uses the memory, or
   the device is lost.  May wait for other work of the device, as may alloc. */
typedef void dprp_mem_free_fn(dprp_mem *mem);

/* Get the value of a DPRP_MEM_INFO_* key.  [M6] It is as device->info. */
typedef dprp_rc dprp_mem_info_fn(dprp_mem *mem, uint32_t key, void *buffer,
	size_t capacity, size_t *need);

/* Describe memory from alloc for another process.  A file descriptor is new and
   the caller's to close.  UNSUPPORTED: this memory cannot be handed over.
   ASPECT_IPC_MEMORY is 0 where the entry is missing, or where the plugin knows
   that no memory of the device can be handed over. */
typedef dprp_rc dprp_mem_ipc_export_fn(dprp_mem *mem, dprp_ipc *out);

/*
 * Make memory over a part, or all, of what another process exported from the
 * same device.  It is `size` bytes from `offset` on.  The caller keeps the
 * descriptor; free does not touch the exporter's memory.  INVALID: the
 * description is not of this driver, or the range is not inside the exported
 * memory.
 */
typedef dprp_rc dprp_mem_ipc_import_fn(dprp_context *context,
	dprp_device *device, const dprp_ipc *from, dprp_mem **out);

/* Entries for memory.  R: required. */
typedef struct dprp_mem_ops {
	size_t struct_size;
	dprp_mem_alloc_fn *alloc; /* R */
	dprp_mem_free_fn *free; /* R */
	dprp_mem_info_fn *info; /* R */
	dprp_mem_ipc_export_fn *ipc_export; /* optional */
	dprp_mem_ipc_import_fn *ipc_import; /* optional */
} dprp_mem_ops;

/* --- Programs ------------------------------------------------------------- */

/* Choose an image.  [K1] Set *best to the index of the best of the n images (at
   least 1).  One of them may have the format "<plugin>-binary".  UNSUPPORTED:
   none can be used. */
typedef dprp_rc dprp_module_pick_fn(dprp_device *device,
	const dprp_image *const *images, uint32_t n, uint32_t *best);

/* Build a module, for this device only.  [K2] BUILD: desc->log has the reason.
   The program gets no other text. */
typedef dprp_rc dprp_module_create_fn(dprp_context *context,
	dprp_device *device, const dprp_module_desc *desc, dprp_module **out);

/* Destroy a module.  Its kernels have been destroyed. */
typedef void dprp_module_destroy_fn(dprp_module *module);

/*
 * Write the driver's binary of a module.  [K11] It is to be used as an image of
 * format "<plugin>-binary".  The core keeps it on disk, as DPR_INFO_BINARIES
 * says.  In another process the core gives the binary to create, without pick,
 * with the same flags but without options or values of constants: if loading
 * depends on them, the plugin writes them into the binary.  If create refuses
 * the binary, the program is built anew.  It is used only with the same
 * dprp_plugin.version and driver, and for the same device, or any device with
 * the same DPR_INFO_BINARY_TARGET.  All that create needs, such as the kinds of
 * parameters, has to be inside.  A failure, or no bytes: this binary is not
 * kept.  Missing: no binary is kept.
 */
typedef dprp_rc dprp_module_binary_fn(dprp_module *module, dprp_sink out);

/* Get a kernel by name.  [K4] It is a new handle each time.  INVALID: the
   module has no kernel of that name. */
typedef dprp_rc dprp_module_kernel_fn(
	dprp_module *module, const char *name, dprp_kernel **out);

/* Destroy a kernel. */
typedef void dprp_module_kernel_destroy_fn(dprp_kernel *kernel);

/* Get the value of a DPRP_KERNEL_* key.  [K5] It is as device->info; device is
   the module's.  A key that is not answered is 0 to the program. */
typedef dprp_rc dprp_module_kernel_info_fn(dprp_kernel *kernel,
	dprp_device *device, uint32_t key, void *buffer, size_t capacity,
	size_t *need);

/* Entries for programs.  R: required.  A plugin without this table can only
   copy. create, destroy, kernel and kernel_destroy may wait for work of the
   device. */
typedef struct dprp_module_ops {
	size_t struct_size;
	dprp_module_pick_fn *pick; /* R */
	dprp_module_create_fn *create; /* R */
	dprp_module_destroy_fn *destroy; /* R */
	dprp_module_binary_fn *binary; /* optional */
	dprp_module_kernel_fn *kernel; /* R */
	dprp_module_kernel_destroy_fn *kernel_destroy; /* R */
	dprp_module_kernel_info_fn *kernel_info; /* R */
} dprp_module_ops;

/* --- The plugin ----------------------------------------------------------- */

enum { /* reasons of close */
	DPRP_CLOSE_FINALIZE = 1, /* dpr_finalize() */
	DPRP_CLOSE_FAILED = 2 /* the core could not use the instance: count, get
				 or info failed, or it has no device */
};

enum { /* dprp_plugin.rank: the kind of driver that the backend uses */
	DPRP_RANK_NATIVE = 1, /* the vendor's own driver */
	DPRP_RANK_PORTABLE = 2, /* a portable standard, such as OpenCL */
	DPRP_RANK_HOST = 3 /* the host's CPU, without a driver */
};

/*
 * Start the driver. host stays valid until the process ends, so that late
 * callbacks of the driver may use it.  [O1] NO_DRIVER and NO_DEVICE are normal
 * answers.  [O2] INVALID: of the options that are asked for and set, the last
 * has a bad value; set_error() names the possible values.  After any other
 * failure the backend has no devices and is not tried again; other backends go
 * on. [O3] open may be called again after OOM_HOST or close, and tests open two
 * instances at a time: a plugin keeps all its state in the instance.
 */
typedef dprp_rc dprp_open_fn(const dprp_host *host, dprp_instance **out);

/* Close an instance. reason: DPRP_CLOSE_*.  [O5] Everything that was made has
   been destroyed, except devices, and handles in use by work that could not be
   waited for.  Free these with the instance, and end its threads and child
   processes. */
typedef void dprp_close_fn(dprp_instance *instance, uint32_t reason);

/* Get a sized struct of functions beyond this ABI, in this version of it.
   NULL: there is none.  The core asks for none, `dpr check-plugin` for
   DPRP_TEST_FAULT.  May be missing. */
typedef const void *dprp_extension_fn(
	dprp_instance *instance, const char *name, uint32_t version);

/* Get the driver's handle of a handle, for the program.  The plugin still owns
   it. what: DPRP_NATIVE_*. type 0: the usual one; the core asks for no other.
   UNSUPPORTED or missing: there is no such handle. */
typedef dprp_rc dprp_native_get_fn(dprp_instance *instance, uint32_t what,
	void *handle, uint32_t type, uintptr_t *out);

/*
 * Make a handle over the driver's handle `in`, which is not 0.  It is a queue,
 * an event or memory; the core asks for no other. parent: the context of the
 * root device. device: the queue's device, or that of the memory's queue. size:
 * bytes of memory that are used, from its start; not 0.  own 1: destroy
 * releases the driver's handle.  With own 0, and after a failure, the program
 * keeps it.  INVALID: `in` is not a handle of that kind, of parent and device.
 * UNSUPPORTED or missing: the plugin cannot wrap this kind.
 *
 * *flags, of a queue: the DPRP_QUEUE_* that the handle has; OUT_OF_ORDER if the
 * plugin cannot know its order.  The core relies on them as on the flags that
 * queue->create grants, and refuses unknown flags.  For the other kinds *flags
 * is 0.
 */
typedef dprp_rc dprp_native_wrap_fn(dprp_instance *instance, uint32_t what,
	dprp_context *parent, dprp_device *device, uintptr_t in, uint64_t size,
	uint32_t own, uint64_t *flags, void **out);

/* [D1] The descriptor: static const.  [D5] Everything that it points to is
   inside the file, and entries are in its code.  [D2] Strings end within 4096
   bytes, and are not NULL unless their comment says so. */
typedef struct dprp_plugin {
	uint64_t magic; /* DPRP_MAGIC */
	size_t struct_size;
	uint32_t abi_major; /* of the header that it was compiled with */
	uint32_t abi_minor; /* of the header that it was compiled with */
	uint32_t min_host_minor; /* the oldest core that it works with */
	uint32_t flags; /* 0 */
	const char *name; /* [D3] [a-z][a-z0-9_]{1,31}, as in the file's name */
	const char *version; /* of the plugin; binaries of another version are
				not used */
	const char *description; /* for people; may be "" */
	const char *license; /* for people; may be "" */
	dprp_open_fn *open; /* R */
	dprp_close_fn *close; /* R */
	const dprp_device_ops *device; /* R */
	const dprp_context_ops *context; /* R */
	const dprp_queue_ops *queue; /* R */
	const dprp_event_ops *event; /* R */
	const dprp_mem_ops *mem; /* R */
	const dprp_module_ops *module; /* NULL: no kernels can be built */
	dprp_extension_fn *extension; /* optional */
	dprp_native_get_fn *native_get; /* optional */
	dprp_native_wrap_fn *native_wrap; /* optional */
	/* The order of backends, where DPR_BACKEND does not give one: a smaller
	   rank comes first, and backends of the same rank are sorted by name.
	   It decides the default device: the first GPU, else the first
	   accelerator, CPU, custom device, of the backend that comes first. */
	uint32_t rank; /* DPRP_RANK_* */
	uint32_t reserved; /* 0 */
	/* [D4] What the user can do if open returned NO_DRIVER or NO_DEVICE:
	   "install ...", without a full stop.  The load report and `dpr doctor`
	   show it.  NULL: no advice. */
	const char *advice_no_driver;
	const char *advice_no_device; /* as advice_no_driver */
} dprp_plugin;

/*
 * The extension DPRP_TEST_FAULT, version 1, for tests alone: how `dpr
 * check-plugin` gets to see work that fails.  A plugin need not have it.
 */
#define DPRP_TEST_FAULT "dpr.test.fault"

/* Faults on request, for tests. */
typedef struct dprp_test_fault {
	size_t struct_size;
	/* Let the next submission to a queue of the instance fail when it
	   runs. */
	dprp_rc (*fail_next)(dprp_instance *instance);
	/* Lose a root device until the instance is closed, with all that
	   host->device_lost() asks for. */
	dprp_rc (*lose)(dprp_instance *instance, dprp_device *device);
} dprp_test_fault;

/* [D6] The entry symbol.  It has no side effects: it starts no driver,
   allocates nothing and uses no thread-local data. host_minor: DPRP_ABI_MINOR
   of the core.  NULL: the plugin does not support this core. */
typedef const dprp_plugin *(*dprp_entry_fn)(uint32_t host_minor);

/*
 * The image format "native-<target>". data is a struct dprp_native_module:
 * functions compiled for this machine's CPU, unchanged as long as the module
 * lives. run() executes one work-group. args[i] points to the value of a VALUE
 * argument; for a MEM or LOCAL argument it points to a void * with the address.
 * [K12] Values are aligned to 16 bytes, and local memory to 64.  Groups that run
 * side by side have local memory of their own.  global is the
 * range, rounded up to a multiple of local; group is the index of the
 * work-group. run() may be called from any thread, and for several groups at
 * the same time.  All pointers, also to functions, are valid in this process
 * only.  A device in another process runs native kernels in the plugin, over
 * memory shared with the other process, or takes another format.
 * DPRP_NATIVE_FORMAT is the format of the machine that the including file is
 * compiled for.  Programs make such images, too: <dpr/native.h> has the same
 * structs under public names, and says what the functions may do.
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

/* Compute a work-group, as dpr_native_run of dpr/native.h. */
typedef void (*dprp_native_run)(const void *const *args,
	const uint64_t global[3], const uint64_t local[3],
	const uint64_t group[3]);

/* A kernel of a native module. */
typedef struct dprp_native_kernel {
	const char *name; /* of the kernel */
	dprp_native_run run; /* computes a group */
	uint32_t n_params; /* the number of parameters */
	uint32_t reserved; /* 0 */
	const dprp_param *params; /* the parameters, in their order */
} dprp_native_kernel;

/* The data of a native image. */
typedef struct dprp_native_module {
	size_t struct_size;
	uint32_t n_kernels; /* the number of kernels */
	uint32_t reserved; /* 0 */
	const dprp_native_kernel *kernels; /* the kernels */
} dprp_native_module;

/*
 * The image format "calls-1", which is optional: routines that a library has,
 * such as a BLAS.  A plugin that offers some lists the format in FORMATS, behind
 * its formats of kernels.  data is a name without a terminating 0, a routine
 * and a dtype: "gemm float32".  [X1] create finds the routine, and opens the
 * library then, not earlier.  UNSUPPORTED: the plugin does not have this routine,
 * or there is no library; the text says what to install.  create writes a line
 * to desc->log: the library, its version, its file and its threads.
 *
 * The module has one kernel, which is named like the routine.  A launch has one
 * work-item: the plugin divides the work.  Order, events and failures are those
 * of any launch.  DPRP_LAUNCH_BRIEF has its usual meaning.  If the library
 * cannot take the values of a launch, the launch is UNSUPPORTED, and nothing is
 * written.
 *
 * | name | dtypes | arguments |
 * |---|---|---|
 * | gemm | floats, complex numbers | MEM a, MEM b, MEM c, VALUE dprp_gemm |
 * | a routine of LAPACK | float32, float64, complex64, complex128 | MEM ..., VALUE dprp_lapack |
 *
 * [X2] A routine computes what is said here, and writes no other bytes.
 *
 * gemm writes matrix products c = a b, and does not read c.  All three have one
 * dtype: float16, bfloat16, float32, float64, complex64 or complex128.  16-bit
 * floats are multiplied and added in float32, and rounded once.  float32 is not
 * rounded to fewer bits.  Whether the bits of a result depend on the number of
 * threads, or on addresses, is up to the library.  A plugin need not have each
 * dtype: without those of 16 bits the core goes on with float32.
 */
#define DPRP_CALLS_FORMAT "calls-1"

/* The number of axes of a batch of gemm. */
#define DPRP_GEMM_BATCHES 4

enum { /* dprp_gemm.flags */
	DPRP_GEMM_A_TRANSPOSED = 1, /* element (i, p) of a is at i + p * lda */
	DPRP_GEMM_B_TRANSPOSED = 2 /* element (p, j) of b is at p + j * ldb */
};

/*
 * The VALUE of gemm.  c has m rows and n columns, and k products are added for
 * each element.  All three are 1 at least.  Element (i, p) of a is at
 * i * lda + p, element (p, j) of b at p * ldb + j, and (i, j) of c at
 * i * ldc + j, unless flags say otherwise.  Offsets, strides and leading
 * dimensions are counted in elements.  Leading dimensions are not less than the
 * extent that they step over.
 *
 * There is a product for each index of the batch, whose extents are 1 at least.
 * The strides are from one matrix to the next, and may be negative; those of a
 * and b may be 0.  Matrices of c do not overlap, and share no memory with a and
 * b.
 */
typedef struct dprp_gemm {
	int64_t m; /* rows of c */
	int64_t n; /* columns of c */
	int64_t k; /* products for each element of c */
	int64_t flags; /* DPRP_GEMM_* */
	int64_t offset_a; /* of the first matrix a */
	int64_t offset_b; /* of the first matrix b */
	int64_t offset_c; /* of the first matrix c */
	int64_t lda; /* the leading dimension of a */
	int64_t ldb; /* the leading dimension of b */
	int64_t ldc; /* the leading dimension of c */
	int64_t batch[DPRP_GEMM_BATCHES]; /* the extents of the batch */
	int64_t stride_a[DPRP_GEMM_BATCHES]; /* between matrices a */
	int64_t stride_b[DPRP_GEMM_BATCHES]; /* between matrices b */
	int64_t stride_c[DPRP_GEMM_BATCHES]; /* between matrices c */
} dprp_gemm;

/* The most MEM arguments of a routine of LAPACK. */
#define DPRP_LAPACK_ARGS 5

enum { /* dprp_lapack.flags */
	DPRP_LAPACK_UPPER = 1,	/* the upper triangle, or else the lower one */
	DPRP_LAPACK_VECTORS = 2, /* vectors too, not only values */
	DPRP_LAPACK_FULL = 4,	 /* all columns of u and rows of vh */
	DPRP_LAPACK_TRANSPOSED = 8,
	DPRP_LAPACK_CONJUGATED = 16, /* and transposed */
	DPRP_LAPACK_UNIT = 32	     /* the diagonal is 1 and is not read */
};

/*
 * The VALUE of the routines of LAPACK.  They do what LAPACK says of the routine
 * of this name.  Complex dtypes have the same names: orgqr is ungqr, and syevd
 * is heevd.  "real" is the dtype of real parts, "complex" the complex dtype of
 * these.  min is the smaller one of m and n.
 *
 * potrf(a, info).  a, n x n, becomes its Cholesky factor, in the triangle named
 * by UPPER.  The other triangle is not touched.
 *
 * getrf(a, pivots, info).  a, m x n, becomes its L and U, with an info above 0,
 * too.  pivots: int64, min of them, counted from 1.
 *
 * getri(a, pivots, info).  a, n x n, the L and U of getrf, becomes the inverse
 * matrix.  pivots: int64, n of them, those of getrf.
 *
 * gesv(a, b, info).  b, n x k, becomes the solution of a x = b, or with
 * TRANSPOSED of a' x = b.  a, n x n, becomes its L and U.
 *
 * trtrs(a, b, info).  b, n x k, becomes the solution of a x = b for a triangle
 * of a, n x n.  UPPER names the triangle.  TRANSPOSED, CONJUGATED: of a', not a.
 * UNIT.
 *
 * geqrf(a, tau, info).  a, m x n, becomes its R, with the reflectors below.
 * tau: min of them.
 *
 * orgqr(a, tau, info).  a, m x n, becomes n columns of Q.  m >= n >= k: the k
 * first columns of a, and tau, are those of geqrf.
 *
 * syevd(a, w, info).  w, real, n of them, ascending, are the eigenvalues of a,
 * n x n, symmetric or Hermitian.  UPPER names the triangle of a to read.
 * VECTORS: a becomes the vectors.  Otherwise a is destroyed.
 *
 * geev(a, w, v, info).  w, complex, n of them, are the eigenvalues of a, n x n,
 * which is destroyed.  VECTORS: v, complex, n x n, becomes the right vectors, of
 * norm 1.
 *
 * gesdd(a, s, u, vh, info).  s, real, min of them, descending, are the singular
 * values of a, m x n, which is destroyed.  VECTORS: u, m x min, and vh, min x n,
 * become the vectors.  FULL: u is m x m, and vh is n x n.
 *
 * Values and vectors of geev are complex for real matrices, too.  Without
 * VECTORS the memory of v, u and vh is not touched; it may be any.  VECTORS is a
 * flag of syevd, geev and gesdd, FULL one of gesdd.  [X3] A flag that a routine
 * does not have is INVALID, and so is TRANSPOSED with CONJUGATED.
 *
 * Matrices are stored column by column: element (i, j) of argument x is at
 * offset[x] + i + j * leading[x], where x is the place of the MEM argument.
 * Vectors are contiguous and have no leading dimension.  Offsets, strides and
 * leading dimensions are counted in elements of the argument's own dtype.  A
 * leading dimension is not less than the rows of its matrix.
 *
 * There are `count` problems, 1 at least.  The strides are from the matrix or
 * vector of one to that of the next, and may be negative.  What is written does
 * not overlap.  Strides of what is only read may be 0: a of trtrs, tau of orgqr,
 * pivots of getri.
 * Extents that the routine has are 1 at least, and others are not looked at.
 *
 * [X4] info is MEM, int32, one number for each problem: LAPACK's info.  0: good.
 * More than 0: there is no such result, for the reason that LAPACK gives for
 * this number; the launch itself does not fail.  The numbers of this problem may
 * then be any, in all arguments but info; those of getrf are its factors, in any
 * case.  info is never less than 0.  NaN and
 * infinity in a matrix end with any info, and mostly with NaN in the results;
 * the routine must return, and must not end the process.  syevd, geev and gesdd
 * may have an info above 0 at once for such a matrix.
 */
typedef struct dprp_lapack {
	int64_t m; /* rows */
	int64_t n; /* columns, or the order of a square matrix */
	int64_t k; /* the other extent, if the routine has one */
	int64_t count; /* the number of problems */
	int64_t flags; /* DPRP_LAPACK_* */
	/* The next three are of each MEM argument, in their order, with info. */
	int64_t offset[DPRP_LAPACK_ARGS]; /* of the first problem */
	int64_t stride[DPRP_LAPACK_ARGS]; /* from a problem to the next */
	int64_t leading[DPRP_LAPACK_ARGS]; /* leading dimensions */
} dprp_lapack;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
