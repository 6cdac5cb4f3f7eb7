/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend.h - the plugin ABI: all that the core and a backend share.
 *
 * A backend is a shared object libdpr-<name>.so that exports one function,
 * dpr_plugin_abi1(), which returns its descriptor: constant data in the file
 * itself, with tables of functions, grouped by object.  The plugin links
 * nothing of dpr; what it needs from the core arrives in a struct dprp_host
 * when it is opened.
 *
 * Growth.  Tables and structs begin with struct_size and grow at their end
 * only.  Who reads a struct reads min(its own size, struct_size); bytes that it
 * does not know must be zero, else DPR_RC_UNSUPPORTED.  An entry beyond a
 * table's size, or NULL, is missing: entries marked R are required, for the
 * others the core has a fallback.  Elements of arrays (dprp_arg, dprp_spec,
 * dprp_param) never change.  Unknown flags, kinds and chained extensions are
 * refused with DPR_RC_UNSUPPORTED, never ignored.
 *
 * Errors.  An entry returns DPR_RC_OK or a negative code, after it has told
 * host->set_error() the driver's code and a sentence.  Asynchronous errors live
 * in the event.  Nothing is printed, no signal handler, environment variable,
 * locale or current context of the process changes.  No exception may leave an
 * entry.
 *
 * Threads.  open and close are called alone.  Entries that submit to one queue
 * (flush, barrier, write, read, copy, launch, fill, copy_rect, prefetch,
 * advise) are serialised by the core, per queue.  Everything else may be called
 * at any time from any thread, also while a submission is in progress; destroy
 * never races another call on the same handle.  A plugin may start threads in
 * open or later, with all signals blocked.
 *
 * Lifetime.  The core counts references and destroys children first, each
 * handle once.  A plugin keeps what its driver needs for work in flight: the
 * core may destroy an event right after using it as a dependency, and a queue
 * while its work runs (that work and its events complete all the same).  The
 * core keeps memory and kernels until the work that uses them is done.
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

enum {
	DPR_RC_OK = 0,
	DPR_RC_INVALID = -1, /* an argument is wrong */
	DPR_RC_UNSUPPORTED = -2, /* the device or plugin cannot do this */
	DPR_RC_NO_DRIVER = -3, /* open: the driver is not installed */
	DPR_RC_NO_DEVICE = -4, /* open: the driver has no device */
	DPR_RC_OOM_HOST = -5,
	DPR_RC_OOM_DEVICE = -6,
	DPR_RC_BUILD = -7, /* a program did not build; the log has the reason */
	DPR_RC_TIMEOUT = -8,
	DPR_RC_DEP_FAILED = -9, /* a dependency failed */
	DPR_RC_DEVICE_LOST = -10,
	DPR_RC_NO_PATH = -11, /* nothing was enqueued; the core finds a way */
	DPR_RC_FORKED = -12,
	DPR_RC_SHUTDOWN = -13,
	DPR_RC_NATIVE = -14, /* the driver refused; set_error has its code */
	DPR_RC_ABI = -15, /* the other side broke this contract */
	DPR_RC_INTERNAL = -16 /* the plugin broke its own rules */
};

typedef struct dprp_host_instance dprp_host_instance;
typedef struct dprp_instance dprp_instance;
typedef struct dprp_device dprp_device;
typedef struct dprp_context dprp_context;
typedef struct dprp_queue dprp_queue;
typedef struct dprp_event dprp_event;
typedef struct dprp_mem dprp_mem;
typedef struct dprp_module dprp_module;
typedef struct dprp_kernel dprp_kernel;

/* Where text or data goes that the callee makes: write() may be called any
   number of times; the bytes are copied before it returns. */
typedef struct dprp_sink {
	void (*write)(void *user, const char *bytes, size_t size);
	void *user;
} dprp_sink;

/* An extension of a struct, chained; at most 16. */
typedef struct dprp_ext {
	size_t struct_size;
	const char *name;
	const struct dprp_ext *next;
} dprp_ext;

/*
 * Services of the core, for one plugin.  All may be called from any thread and
 * with a submission under way; none waits.
 */
typedef struct dprp_host {
	size_t struct_size;
	uint32_t abi_minor, reserved;
	dprp_host_instance *self; /* first argument of every service */
	/* Memory as from malloc, NULL when there is none. */
	void *(*alloc)(dprp_host_instance *self, size_t size);
	void (*free)(dprp_host_instance *self, void *block);
	/* A line for the log: level is enum dpr_log_level (1 error ... 5). */
	void (*log)(dprp_host_instance *self, int32_t level, const char *line);
	/* Called before an entry returns rc < 0: the driver's own code (0:
	   none) and a sentence that names the call and that code's name. */
	void (*set_error)(dprp_host_instance *self, dprp_rc rc, int64_t native,
		const char *text);
	/* The value of DPR_OPTION_<PLUGIN>_<KEY>, or NULL.  Lent.  open() asks
	   for all there are: what is set and was not asked for is an error of
	   the user. */
	const char *(*option)(dprp_host_instance *self, const char *key);
	/* Open the first of the driver's libraries that loads ("libcuda.so.1",
	   with its version); it stays open.  NULL: none; the load report has
	   the loader's words. */
	void *(*driver_open)(dprp_host_instance *self,
		const char *const *sonames, size_t count);
	void *(*driver_sym)(
		dprp_host_instance *self, void *library, const char *symbol);
	/* The event that was given to event->notify has completed.  Stale
	   tokens are ignored. */
	void (*event_done)(
		dprp_host_instance *self, uint64_t token, dprp_rc status);
	void (*device_lost)(
		dprp_host_instance *self, dprp_device *device, const char *why);
} dprp_host;

/* What a submission waits for: events of this plugin's instance, of any queue,
   context or device.  The pointer to the struct may be NULL. */
typedef struct dprp_deps {
	size_t struct_size;
	uint32_t count, flags;
	dprp_event *const *events;
	const uint64_t *values; /* NULL */
} dprp_deps;

enum { /* dprp_queue_desc.flags */
	DPRP_QUEUE_OUT_OF_ORDER = 1,
	DPRP_QUEUE_PROFILING = 2
};

typedef struct dprp_queue_desc {
	size_t struct_size;
	uint64_t flags;
	int32_t priority; /* -1 low, 0 normal, 1 high */
	int32_t reserved;
	const dprp_ext *ext;
} dprp_queue_desc;

typedef struct dprp_partition {
	size_t struct_size;
	uint32_t how; /* enum dpr_partition_how */
	uint32_t n_counts;
	const uint64_t *counts; /* EQUALLY: one, the compute units of each */
	uint32_t domain; /* enum dpr_domain */
	uint32_t reserved;
} dprp_partition;

enum { /* dprp_mem_desc.kind */
	DPRP_MEM_DEVICE = 1,
	DPRP_MEM_SHARED = 2,
	DPRP_MEM_HOST = 3,
	DPRP_MEM_IMPORT_HOST = 4 /* host_ptr becomes visible to the device */
};

typedef struct dprp_mem_desc {
	size_t struct_size;
	uint32_t kind, flags;
	uint64_t size, align; /* align: 0, or a power of two */
	void *host_ptr;
	const dprp_ext *ext;
} dprp_mem_desc;

/* Code in one format. */
typedef struct dprp_image {
	size_t struct_size;
	const char *format, *target; /* target may be NULL */
	const void *data;
	uint64_t size;
} dprp_image;

/* A specialisation constant. */
typedef struct dprp_spec {
	uint32_t id, size;
	const void *value;
} dprp_spec;

typedef struct dprp_module_desc {
	size_t struct_size;
	uint32_t n_images, n_spec;
	const dprp_image *const *images; /* the first is the one picked */
	const char *options; /* for the compiler of a source format */
	const dprp_spec *spec;
	dprp_sink log; /* what the compiler says, also on success */
	const dprp_ext *ext;
} dprp_module_desc;

enum { /* dprp_arg.kind, dprp_param.kind */
	DPRP_ARG_UNKNOWN = 0, /* parameters only: the driver does not tell */
	DPRP_ARG_VALUE = 1,
	DPRP_ARG_MEM = 2,
	DPRP_ARG_LOCAL = 3, /* size bytes of local memory */
	DPRP_ARG_POINTER = 4 /* a raw address; needs ASPECT_USM_SYSTEM */
};

typedef struct dprp_arg {
	uint32_t kind, reserved;
	uint64_t size; /* VALUE: bytes at value; LOCAL: bytes */
	union {
		const void *value;
		const void *pointer;
		struct {
			dprp_mem *mem;
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
	DPRP_KERNEL_PARAMS = 1, /* dprp_param[] */
	DPRP_KERNEL_MAX_WORK_GROUP = 2, /* uint64_t */
	DPRP_KERNEL_PREFERRED_MULTIPLE = 3, /* uint64_t */
	DPRP_KERNEL_PRIVATE_SIZE = 4, /* uint64_t, bytes */
	DPRP_KERNEL_LOCAL_SIZE = 5, /* uint64_t, bytes */
	DPRP_KERNEL_REQUIRED_LOCAL = 6, /* uint64_t[3], zeros: none */
	DPRP_KERNEL_MAX_SUB_GROUP = 7, /* uint64_t */
	DPRP_KERNEL_MAX_SUB_GROUPS = 8 /* uint64_t */
};

typedef struct dprp_launch {
	size_t struct_size;
	uint32_t dims, n_args;
	/* In work-items.  local[0] == 0: the plugin chooses the local size and
	   rounds global up to a multiple; else local divides global.  With a 0
	   in global nothing runs, and it completes in its turn: on an
	   out-of-order queue after deps and barriers, without any at once. */
	uint64_t global[3], local[3];
	const dprp_arg *args;
	const dprp_ext *ext;
} dprp_launch;

/* A 2-d or 3-d copy; extent and pitches in bytes (the first extent), rows and
   slices. */
typedef struct dprp_rect {
	size_t struct_size;
	dprp_mem *d, *s;
	uint64_t doff, soff, extent[3], d_pitch[2], s_pitch[2];
} dprp_rect;

enum { /* dprp_event_state.state; it never goes back */
	DPRP_EVENT_QUEUED = 1,
	DPRP_EVENT_SUBMITTED = 2,
	DPRP_EVENT_RUNNING = 3,
	DPRP_EVENT_DONE = 4,
	DPRP_EVENT_FAILED = 5
};

typedef struct dprp_event_state {
	size_t struct_size;
	uint32_t state;
	dprp_rc rc; /* FAILED: why */
	int64_t native; /* FAILED: the driver's code */
	/* Nanoseconds of the device's clock, all zero without profiling. */
	uint64_t t_queued, t_submit, t_start, t_end;
} dprp_event_state;

enum { /* bits of device->peer */
	DPRP_PEER_COPY = 1, /* queue->copy between the two works */
	DPRP_PEER_ACCESS = 2, /* kernels of `from` reach memory of `to` */
	DPRP_PEER_ATOMICS = 4
};

enum { /* keys of mem->info */
	DPRP_MEM_INFO_ADDRESS = 1, /* void *, if the kind has addresses */
	DPRP_MEM_INFO_SIZE = 2, /* uint64_t */
	DPRP_MEM_INFO_KIND = 3 /* uint64_t */
};

enum { /* what native_get and native_wrap speak of: enum dpr_native_what */
	DPRP_NATIVE_PLATFORM = 1,
	DPRP_NATIVE_DEVICE = 2,
	DPRP_NATIVE_CONTEXT = 3,
	DPRP_NATIVE_QUEUE = 4,
	DPRP_NATIVE_EVENT = 5,
	DPRP_NATIVE_MEMORY = 6,
	DPRP_NATIVE_PROGRAM = 7,
	DPRP_NATIVE_KERNEL = 8
};

typedef struct dprp_device_ops {
	size_t struct_size;
	/* R.  Root devices; the number and their order never change. */
	dprp_rc (*count)(dprp_instance *instance, uint32_t *n);
	/* R.  A borrowed handle, the same each time. */
	dprp_rc (*get)(
		dprp_instance *instance, uint32_t index, dprp_device **out);
	/* R.  A key of info.h in the form given there.  *need is the size;
	   buffer NULL asks for it; a short buffer is left alone and gives
	   INVALID; an unknown key or silent driver gives UNSUPPORTED. */
	dprp_rc (*info)(dprp_device *device, uint32_t key, void *buffer,
		size_t capacity, size_t *need);
	/* Sub-devices in a fixed order, up to capacity into out, their number
	   into *n.  Never released; called once per division. */
	dprp_rc (*partition)(dprp_device *device, const dprp_partition *how,
		dprp_device **out, uint32_t capacity, uint32_t *n);
	/* What `from` can do with memory of `to`, a root device of the same
	   instance. */
	dprp_rc (*peer)(dprp_device *from, dprp_device *to, uint32_t *caps);
	/* The device's clock and CLOCK_MONOTONIC at the same moment. */
	dprp_rc (*clocks)(
		dprp_device *device, uint64_t *device_ns, uint64_t *host_ns);
} dprp_device_ops;

/* A context: one root device with its sub-devices. */
typedef struct dprp_context_ops {
	size_t struct_size;
	dprp_rc (*create)(dprp_instance *instance, dprp_device *root,
		const dprp_ext *ext, dprp_context **out); /* R */
	void (*destroy)(dprp_context *context); /* R */
} dprp_context_ops;

/*
 * Submissions.  deps may be NULL; event may be NULL: nobody asks.  If a wait
 * cannot be expressed the entry returns NO_PATH and has enqueued nothing.  Host
 * memory of write and read stays valid until the submission completes.  One of
 * size 0 moves nothing and is ordered like any other.
 */
typedef struct dprp_queue_ops {
	size_t struct_size;
	/* R.  *got is the subset of desc->flags that was granted. */
	dprp_rc (*create)(dprp_context *context, dprp_device *device,
		const dprp_queue_desc *desc, uint64_t *got, dprp_queue **out);
	void (*destroy)(dprp_queue *queue); /* R.  Waits for nothing. */
	dprp_rc (*flush)(dprp_queue *queue); /* R */
	/* R.  Waits; the first asynchronous error since the last call. */
	dprp_rc (*finish)(dprp_queue *queue);
	/* R.  Completes after deps, without any after all earlier work; later
	   work starts after it. */
	dprp_rc (*barrier)(
		dprp_queue *queue, const dprp_deps *deps, dprp_event **event);
	dprp_rc (*write)(dprp_queue *queue, dprp_mem *to, uint64_t offset,
		const void *from, uint64_t size, const dprp_deps *deps,
		dprp_event **event); /* R */
	dprp_rc (*read)(dprp_queue *queue, dprp_mem *from, uint64_t offset,
		void *to, uint64_t size, const dprp_deps *deps,
		dprp_event **event); /* R */
	/* R.  NO_PATH where the driver cannot copy between the two. */
	dprp_rc (*copy)(dprp_queue *queue, dprp_mem *to, uint64_t to_offset,
		dprp_mem *from, uint64_t from_offset, uint64_t size,
		const dprp_deps *deps, dprp_event **event);
	/* R if the plugin has modules.  Arguments are copied. */
	dprp_rc (*launch)(dprp_queue *queue, dprp_kernel *kernel,
		const dprp_launch *launch, const dprp_deps *deps,
		dprp_event **event);
	/* The pattern (1 to 128 bytes) is copied; size is a multiple. */
	dprp_rc (*fill)(dprp_queue *queue, dprp_mem *to, uint64_t offset,
		uint64_t size, const void *pattern, size_t pattern_size,
		const dprp_deps *deps, dprp_event **event);
	dprp_rc (*copy_rect)(dprp_queue *queue, const dprp_rect *rect,
		const dprp_deps *deps, dprp_event **event);
	dprp_rc (*prefetch)(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
		uint64_t size, const dprp_deps *deps, dprp_event **event);
	/* advice: enum dpr_usm_advice. */
	dprp_rc (*advise)(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
		uint64_t size, uint32_t advice);
	/* How many submissions have completed, where the driver counts. */
	dprp_rc (*completed)(dprp_queue *queue, uint64_t *submissions);
} dprp_queue_ops;

typedef struct dprp_event_ops {
	size_t struct_size;
	/* R.  Does not wait.  text gets a sentence for a failed one. */
	dprp_rc (*status)(
		dprp_event *event, dprp_event_state *state, dprp_sink text);
	/* R.  All of them; OK also when some have failed (status tells), or
	   TIMEOUT.  timeout_ns 0: only look, UINT64_MAX: no limit. */
	dprp_rc (*wait)(
		dprp_event *const *events, uint32_t n, uint64_t timeout_ns);
	void (*destroy)(dprp_event *event); /* R */
	/* Have host->event_done(token) called once, from any thread with no
	   lock of the plugin held, when it completes or fails. */
	dprp_rc (*notify)(dprp_event *event, uint64_t token);
	/* An event that the host signals, with success only. */
	dprp_rc (*gate_create)(dprp_context *context, dprp_event **out);
	dprp_rc (*gate_signal)(dprp_event *event);
} dprp_event_ops;

typedef struct dprp_mem_ops {
	size_t struct_size;
	/* R.  A kind that the device lacks is UNSUPPORTED; size 0 is INVALID.
	 */
	dprp_rc (*alloc)(dprp_context *context, dprp_device *device,
		const dprp_mem_desc *desc, dprp_mem **out);
	void (*free)(dprp_mem *mem); /* R */
	dprp_rc (*info)(dprp_mem *mem, uint32_t key, void *buffer,
		size_t capacity, size_t *need); /* R */
	dprp_rc (*map)(dprp_mem *mem, uint64_t offset, uint64_t size,
		uint32_t flags, void **out);
	dprp_rc (*unmap)(dprp_mem *mem, void *pointer);
	dprp_rc (*export_fd)(
		dprp_mem *mem, uint32_t type, int *fd, uint64_t *size);
	dprp_rc (*import_fd)(dprp_context *context, dprp_device *device,
		uint32_t type, int fd, uint64_t size, dprp_mem **out);
} dprp_mem_ops;

/* Programs.  No table: a device that only copies. */
typedef struct dprp_module_ops {
	size_t struct_size;
	/* R.  Which of the images to use, or UNSUPPORTED. */
	dprp_rc (*pick)(dprp_device *device, const dprp_image *const *images,
		uint32_t n, uint32_t *best);
	/* R.  May take long. */
	dprp_rc (*create)(dprp_context *context, dprp_device *device,
		const dprp_module_desc *desc, dprp_module **out);
	void (*destroy)(dprp_module *module); /* R */
	/* The driver's binary; an image of format "<plugin>-binary".  The core
	   keeps it on disk, as DPR_INFO_BINARIES says, and gives it to create
	   in another process, with the same options; a binary that create
	   refuses is built anew. */
	dprp_rc (*binary)(dprp_module *module, dprp_sink out);
	/* R.  INVALID: there is none of that name. */
	dprp_rc (*kernel)(
		dprp_module *module, const char *name, dprp_kernel **out);
	void (*kernel_destroy)(dprp_kernel *kernel); /* R */
	dprp_rc (*kernel_info)(dprp_kernel *kernel, dprp_device *device,
		uint32_t key, void *buffer, size_t capacity,
		size_t *need); /* R */
} dprp_module_ops;

enum { /* reasons of close */
	DPRP_CLOSE_FINALIZE = 1,
	DPRP_CLOSE_FAILED = 2 /* the core could not use the instance */
};

/* The descriptor: static const, with all that it points to inside the file. */
typedef struct dprp_plugin {
	uint64_t magic;
	size_t struct_size;
	uint32_t abi_major, abi_minor, min_host_minor, flags;
	const char *name; /* [a-z][a-z0-9_]{1,31} */
	const char *version, *description, *license;
	/* R.  Start the driver.  NO_DRIVER and NO_DEVICE are normal answers.
	   INVALID: the option asked for last has a value that it does not take;
	   set_error() says what it takes. */
	dprp_rc (*open)(const dprp_host *host, dprp_instance **out);
	void (*close)(dprp_instance *instance, uint32_t reason); /* R */
	const dprp_device_ops *device; /* R */
	const dprp_context_ops *context; /* R */
	const dprp_queue_ops *queue; /* R */
	const dprp_event_ops *event; /* R */
	const dprp_mem_ops *mem; /* R */
	const dprp_module_ops *module;
	/* A sized struct of functions beyond this ABI, or NULL. */
	const void *(*extension)(
		dprp_instance *instance, const char *name, uint32_t version);
	/* The driver's handle of a handle; type 0: the usual one. */
	dprp_rc (*native_get)(dprp_instance *instance, uint32_t what,
		void *handle, uint32_t type, uintptr_t *out);
	/* A handle over the driver's.  parent: the dprp_context of a queue or
	   event or memory; size: of memory. */
	dprp_rc (*native_wrap)(dprp_instance *instance, uint32_t what,
		dprp_context *parent, dprp_device *device, uintptr_t in,
		uint64_t size, uint32_t own, void **out);
} dprp_plugin;

/* The entry symbol: pure; no driver, no allocation, no thread-local data. */
typedef const dprp_plugin *(*dprp_entry_fn)(uint32_t host_minor);

/*
 * The image format "native-<target>": data is a struct dprp_native_module,
 * functions compiled for this machine's CPU.  run() executes one work-group:
 * args[i] points to the value of a VALUE argument, and to a void * with the
 * address for a MEM or LOCAL argument; group is the work-group's
 * index.  It may be called from any thread.  DPRP_NATIVE_FORMAT is the format
 * of the machine that the including file is compiled for.
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
