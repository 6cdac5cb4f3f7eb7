/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ocl.h - the objects of the OpenCL plugin and what its files share.
 *
 * Each ABI handle is one of the structs below.  It wraps one OpenCL object and
 * owns one reference to it.  Each file calls only those before it in this list:
 * error, driver, options, facts, trial, offers, info, device, context, queue,
 * event, submit, mem, copy, alias, kernel, turns, launch, module, work, cpu,
 * clblast, calls_cpu, calls_clblast, calls, native, plugin.
 *
 * Devices that are CPUs may run functions of this process: ocl_trial.c finds
 * out, and ocl_cpu.c has their modules, kernels and launches.  The folder calls
 * has routines of libraries.
 */
#ifndef OCL_H
#define OCL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <dpr/help-team.h>

#include "backends/library/library.h"
#include "ocl_driver.h"

/* The most bytes that the values of a native kernel take. */
#define OCL_CPU_PARAMETERS ((size_t)64 << 10)

/* Log levels of the host. */
enum { OCL_LOG_WARN = 2, OCL_LOG_INFO = 3, OCL_LOG_DEBUG = 4 };

/* How memory is allocated, best first. */
enum ocl_path {
	OCL_PATH_NONE,
	OCL_PATH_USM,        /* cl_intel_unified_shared_memory */
	OCL_PATH_SVM_FINE,   /* fine-grained SVM: the host may use it */
	OCL_PATH_SVM_COARSE, /* coarse-grained SVM: addresses, device only */
	OCL_PATH_BUFFER      /* a cl_mem: no addresses, device only */
};

/* Whether a buffer over memory that has an address is that memory. */
enum ocl_alias { OCL_ALIAS_UNTRIED, OCL_ALIAS_SAME, OCL_ALIAS_OTHER };

/* The entries of cl_intel_unified_shared_memory.  Unless noted, all are
   present, or the path is not used. */
struct ocl_usm {
	clHostMemAllocINTEL_fn host_alloc;
	clDeviceMemAllocINTEL_fn device_alloc;
	clSharedMemAllocINTEL_fn shared_alloc;
	clMemFreeINTEL_fn free;
	clSetKernelArgMemPointerINTEL_fn set_arg;
	clEnqueueMemcpyINTEL_fn copy;
	clEnqueueMemFillINTEL_fn fill;
	clEnqueueMigrateMemINTEL_fn migrate; /* may be NULL */
};

struct ocl_platform {
	cl_platform_id id;
	unsigned version; /* 120 is 1.2 */
	char *name, *version_text;
	struct ocl_usm usm;
	bool has_usm;
	/* The driver cannot run the optimised code of its own compiler, so
	   programs are built without optimisation. */
	bool unoptimised;
	uint64_t binaries; /* enum dpr_binaries */
	/* Some launches must not run at the same time: see ocl_turns.c. */
	bool takes_turns;
	/* A launch may make a thread of the driver compile the kernel. */
	bool compiles_late;
	/* A marker waits for all earlier commands, even if it has a wait
	   list. */
	bool marks_all;
	/* Commands run on threads of the driver, all of one kind, or all in the
	   threads that submit them or wait for them. */
	bool one_kind_of_thread;
};

struct dprp_instance {
	const dprp_host *host;
	struct ocl_api cl;
	enum ocl_path forced; /* OCL_PATH_NONE: the best one of each device */
	bool native; /* whether devices that can run native kernels take them */
	const uint64_t *binaries; /* enum dpr_binaries; NULL: each platform's */
	struct library_set libraries; /* of CPUs */
	struct ocl_platform *platforms;
	size_t n_platforms;
	dprp_device **devices; /* roots */
	uint32_t n_devices, room;
	atomic_uint_fast64_t serials;
	atomic_bool starved; /* host memory for a text of the driver ran out */
	/* Guards `clblast` and, of root devices, `alias`. */
	pthread_mutex_t clblast_lock;
	struct ocl_clblast *clblast;
	pthread_mutex_t lock;
	/* Guards the fields below. */
	dprp_device *subs; /* chained by next */
	struct ocl_turn *turns;
	size_t n_turns, turns_limit;
	struct ocl_work *works; /* of commands, by ocl_work.c */
};

struct dprp_device {
	dprp_instance *instance;
	struct ocl_platform *platform;
	dprp_device *root, *parent, *next; /* a root's root is itself */
	cl_device_id id;
	unsigned version; /* the lower of the device's and its platform's */
	enum ocl_path path;
	uint32_t made_how, made_domain; /* sub-devices */
	char *extensions;               /* " a b c " */
	cl_device_svm_capabilities svm;
	cl_bitfield usm_device, usm_host, usm_shared, usm_system;
	cl_command_queue_properties queue_flags;
	cl_ulong max_alloc;
	size_t base_align; /* bytes */
	size_t max_work_group;
	size_t max_items[2]; /* of the first two dimensions */
	cl_ulong local_bytes; /* local memory of a work-group */
	enum ocl_alias alias; /* of a root; by ocl_alias.c */
	pthread_mutex_t lock;
	/* Guards the fields below.  The first four are those of the root. */
	bool tried;
	bool runs_here;    /* commands can be functions of this process, */
	bool caller_works; /* on threads with stacks of DPRH_STACK or more, */
	bool caller_calls; /* or even of DPRH_THREAD_STACK */
	/* Made by the first launch that needs it.  The second team is for
	   routines of libraries, and made where only these need more stack than
	   a thread of the driver has. */
	struct dprh_team *team, *deep_team;
};

struct dprp_context {
	dprp_instance *instance;
	dprp_device *root;
	cl_context cl;
	cl_device_id *ids; /* the devices of cl, the root first */
	cl_uint n_ids;
	/* Held while clSVMAlloc() or clSVMFree() runs: NVIDIA's driver (R580)
	   refuses some allocations if several threads call these at once. */
	pthread_mutex_t svm;
};

/* Events hold a reference to their queue, because waiting for an event flushes
   its queue. */
struct dprp_queue {
	dprp_instance *instance;
	dprp_context *context;
	dprp_device *device;
	cl_command_queue cl;
	bool profiling;
	bool in_order; /* set only where platform->takes_turns */
	dprh_floats floats; /* of the thread that made the queue */
	atomic_uint refs;
};

struct dprp_event {
	dprp_instance *instance;
	cl_context context;
	dprp_queue *queue; /* NULL: it was made elsewhere */
	cl_event cl;
	/* With profiling, a launch of several commands begins when this one
	   ends; NULL: there is one command. */
	cl_event begin;
	bool profiling;
	atomic_bool flushed;
};

struct ocl_sub_buffer {
	cl_mem cl;
	uint64_t offset, serial;
};

enum { OCL_MAX_SUB_BUFFERS = 64 };

struct dprp_mem {
	dprp_instance *instance;
	dprp_context *context;
	dprp_device *device;
	enum ocl_path path;
	uint32_t kind;
	uint64_t size;
	uint64_t serial; /* unlike an address, never used again */
	char *address;   /* all paths but OCL_PATH_BUFFER */
	void *base;      /* what to free; at or before `address` */
	cl_mem cl;       /* OCL_PATH_BUFFER */
	/* OCL_PATH_BUFFER, where the device runs native kernels: the address of
	   `cl` in this process. */
	char *here;
	pthread_mutex_t lock;
	cl_mem alias; /* a buffer over the memory, for native_get; guarded by
			 `lock` */
	/* Sub-buffers that begin where kernel arguments begin.  A new one
	   replaces the oldest.  Guarded by `lock`. */
	struct ocl_sub_buffer *subs;
	unsigned n_subs, oldest;
};

struct ocl_library;
struct ocl_routine;

/* A routine of a library (calls/ocl_calls.h). */
struct ocl_call {
	const struct ocl_library *library; /* NULL: an ordinary kernel */
	/* The name and the parameters of the module's one kernel. */
	const dprp_native_module *native;
	const char *text; /* which library it is; of the instance, or constant */
	bool is_here; /* it computes in threads of this process */
	union {
		struct library_call cpu;
		const struct ocl_routine *clblast;
	} u;
};

struct dprp_module {
	dprp_instance *instance;
	dprp_context *context;
	dprp_device *device;
	cl_program cl;
	char *options; /* that a binary of the program needs again, or NULL */
	const dprp_native_module *native; /* then `cl` is NULL */
	struct ocl_call call;
};

/* The value that an argument of a cl_kernel was last set to. */
struct ocl_arg {
	uint32_t kind; /* 0: not set, or unknown */
	uint64_t size, serial, offset;
	void *bytes; /* VALUE: room for `room` bytes */
	uint64_t room;
	cl_mem held;     /* a reference, until the launch is enqueued */
	bool by_address; /* it was last set to an address */
};

/* One cl_kernel with the arguments that are set in it.  Used by one thread at a
   time, as clSetKernelArg() requires. */
struct ocl_kernel_copy {
	struct ocl_kernel_copy *next;
	cl_kernel cl;
	dprp_device *device; /* the device of the next two limits; NULL: they
				are not known yet */
	size_t max_work_group;
	size_t required[3];
	struct ocl_arg args[];
};

struct dprp_kernel {
	dprp_instance *instance;
	dprp_context *context;
	char *name;
	const dprp_native_kernel *native; /* then `cl` is NULL */
	struct ocl_call call;
	cl_kernel cl; /* only to ask for properties; never launched */
	cl_program program;
	cl_uint n_args;
	/* One idle copy, taken and given back without the lock.  A single
	   thread needs no other. */
	_Atomic(struct ocl_kernel_copy *) spare;
	pthread_mutex_t lock;
	struct ocl_kernel_copy *idle; /* guarded by lock */
};

/* --- ocl_error.c --- */

/* If the error of a call or of a command of the queue says that the device is
   lost, tell the core. */
void ocl_error_lost(dprp_queue *queue, cl_int error);
/* Report the failure of a call on the queue, and a loss. */
dprp_rc ocl_error_check_queue(dprp_queue *queue, cl_int error, const char *call);
/* "CL_INVALID_VALUE", or "an unknown error". */
const char *ocl_error_name(cl_int error);
/* The ABI's code for this error. */
dprp_rc ocl_error_rc(cl_int error);
/* Report the failure of @call to the host.  Returns the code of the ABI;
   DPR_RC_OK for CL_SUCCESS. */
dprp_rc ocl_error_check(const dprp_host *host, cl_int error, const char *call);
/* Call an entry of libOpenCL that returns a code. */
#define OCL_TRY(instance, call, ...)                                        \
	ocl_error_check((instance)->host, (instance)->cl.call(__VA_ARGS__), \
			#call)

/* --- ocl_options.c --- */

/* The value of the option MEMORY that means this path. */
const char *ocl_options_path_name(enum ocl_path path);
/* Read all options.  INVALID: a value is unknown. */
dprp_rc ocl_options_read(dprp_instance *instance);

/* --- ocl_facts.c --- */

/* Whether the device and its platform have at least this version. */
static inline bool ocl_device_has(const dprp_device *device, unsigned version)
{
	return device->version >= version;
}

/* Get a string of clGetDeviceInfo() without the blanks around it; NULL if there
   is none.  The caller frees it with dprh_free(). */
char *ocl_facts_string(dprp_instance *instance, cl_device_id id,
		       cl_device_info key);
/* Like ocl_facts_string(), for clGetPlatformInfo(). */
char *ocl_facts_platform_string(dprp_instance *instance, cl_platform_id id,
				cl_platform_info key);
/* Whether the device lists this extension. */
bool ocl_facts_extension(const dprp_device *device, const char *name);
/* Whether the device has allocations of this DPRP_MEM_ kind. */
bool ocl_facts_kind(const dprp_device *device, uint32_t kind);
/* The type of the device, from enum dpr_device_type. */
uint64_t ocl_facts_type(const dprp_device *device);
/* The number of compute units; 0: unknown. */
cl_uint ocl_facts_units(const dprp_device *device);
/* Whether the host may use the device's allocations of every kind by
   address. */
bool ocl_facts_on_host(const dprp_device *device);
/* Whether the driver takes SPIR-V. */
bool ocl_facts_spirv(const dprp_device *device);

/* --- ocl_trial.c --- */

/* Whether the device runs functions of this process as commands.  The first
   call tries. */
bool ocl_trial_runs_here(dprp_device *device);

/* Find the address of a buffer of @context in this process: NULL, unless the
   device runs functions of this process.  @id is that of the device in @context.
   Waits for a thread of the driver, and so perhaps for other work. */
cl_int ocl_trial_address(dprp_device *device, cl_context context,
			 cl_device_id id, cl_mem mem, char **out);

/* --- calls/ocl_offers.c --- */

/* Whether the device can run routines of a CPU's libraries, and the options do
   not ask for none. */
bool ocl_offers_cpu(dprp_device *device);
/* Whether the device can run routines of CLBlast, and the option does not ask
   for none. */
bool ocl_offers_clblast(dprp_device *device);

enum { OCL_FORMATS = 6 };
/* Get the kernel formats that the device takes, best first, ended by NULL. */
void ocl_offers_formats(dprp_device *device, const char *formats[OCL_FORMATS]);

/* --- ocl_info.c --- */

dprp_device_info_fn ocl_info_get;

/* --- ocl_device.c --- */

/* Find the devices of every platform.  Platforms and devices that fail are
   logged and left out.  If no device is left, returns NO_DRIVER or NO_DEVICE,
   with all reasons. */
dprp_rc ocl_device_find_all(dprp_instance *instance);
void ocl_device_free_all(dprp_instance *instance);
dprp_device_count_fn ocl_device_count;
dprp_device_get_fn ocl_device_get;
dprp_device_partition_fn ocl_device_partition;
dprp_device_peer_fn ocl_device_peer;
dprp_device_clocks_fn ocl_device_clocks;

/* --- ocl_context.c --- */

dprp_context_destroy_fn ocl_context_destroy;
dprp_context_create_fn ocl_context_create;
/* Make a context around @cl, and take over a reference to it. */
dprp_rc ocl_context_over(dprp_device *root, cl_context cl, dprp_context **out);
/* The id of @device if @context includes it, else the id of its root. */
cl_device_id ocl_context_device(const dprp_context *context,
				const dprp_device *device);

/* --- ocl_queue.c --- */

/* The DPRP_QUEUE_* flags of a cl_command_queue with these properties. */
uint64_t ocl_queue_flags(cl_command_queue_properties flags);
/* Make a queue around a cl_command_queue, and take over a reference to it. */
dprp_rc ocl_queue_over(dprp_context *context, dprp_device *device,
		       cl_command_queue cl, bool profiling, dprp_queue **out);
/* Release one reference; @queue may be NULL. */
void ocl_queue_unref(dprp_queue *queue);
dprp_queue_create_fn ocl_queue_create;
dprp_queue_destroy_fn ocl_queue_destroy;
dprp_queue_flush_fn ocl_queue_flush;
dprp_queue_finish_fn ocl_queue_finish;

/* --- ocl_event.c --- */

/* Make an event that has no cl_event yet; @queue may be NULL. */
dprp_event *ocl_event_new(dprp_instance *instance, cl_context context,
			  dprp_queue *queue);
/* @event may be NULL. */
dprp_event_destroy_fn ocl_event_destroy;
/* Flush the event's queue, so that the event completes without a further
   call. */
void ocl_event_flush(dprp_event *event);
dprp_event_status_fn ocl_event_status;
dprp_event_wait_fn ocl_event_wait;
dprp_event_notify_fn ocl_event_notify;

/* --- ocl_submit.c --- */

/* One submission: the wait list and where the driver puts the event. */
struct ocl_submit {
	dprp_queue *queue;
	cl_uint n; /* this and the next two are arguments of clEnqueue...() */
	const cl_event *list;
	cl_event *event;
	dprp_event *made;
	dprp_event **out;
	cl_event few[16], *many;
};

/*
 * Prepare the wait list and the event for a clEnqueue...() call.  After
 * DPR_RC_OK the caller must call ocl_submit_end() with the error of that call.
 * ocl_submit_end() hands out the event, or drops it.  CANNOT_WAIT: an event
 * belongs to another cl_context.
 */
dprp_rc ocl_submit_begin(struct ocl_submit *submit, dprp_queue *queue,
			 const dprp_deps *deps, dprp_event **event);
dprp_rc ocl_submit_end(struct ocl_submit *submit, cl_int error,
		       const char *call);
/* Submit work that runs nothing and is complete when @deps are.  CANNOT_WAIT: there
   are @deps, and a marker of this platform waits for other commands too. */
dprp_queue_barrier_fn ocl_submit_nothing;
dprp_queue_barrier_fn ocl_submit_barrier;

/* --- ocl_mem.c --- */

dprp_mem_free_fn ocl_mem_free;
dprp_mem_alloc_fn ocl_mem_alloc;
dprp_mem_info_fn ocl_mem_info;
/* Whether the host may read and write the memory at its address. */
bool ocl_mem_on_host(const dprp_mem *mem);
/* Get a cl_mem that begins at @offset of buffer memory, and its serial number.
   The caller releases it.  INVALID, with a text that names MEM_BASE_ALIGN: no
   cl_mem can begin there. */
dprp_rc ocl_mem_at(dprp_mem *mem, uint64_t offset, cl_mem *out,
		   uint64_t *serial);
/* Make memory around a cl_mem, and take over a reference to it. */
dprp_rc ocl_mem_over(dprp_context *context, dprp_device *device, cl_mem cl,
		     uint64_t size, dprp_mem **out);
/* Get a cl_mem for memory of any path.  It is lent: the caller does not release
   it. */
dprp_rc ocl_mem_native(dprp_mem *mem, cl_mem *out);

/* --- ocl_copy.c --- */

dprp_queue_write_fn ocl_copy_write;
dprp_queue_read_fn ocl_copy_read;
dprp_queue_copy_fn ocl_copy_copy;
dprp_queue_fill_fn ocl_copy_fill;
dprp_queue_prefetch_fn ocl_copy_prefetch;
dprp_queue_advise_fn ocl_copy_advise;

/* --- ocl_kernel.c --- */

/* Make a kernel that has no cl_kernel yet, with room for a name of @length. */
dprp_rc ocl_kernel_new(dprp_context *context, size_t length, dprp_kernel **out);
/* Make a kernel around a cl_kernel, and take over a reference to it. */
dprp_rc ocl_kernel_over(dprp_context *context, cl_kernel cl, dprp_kernel **out);
dprp_module_kernel_fn ocl_kernel_create;
/* Release the cl_kernel of @copy, and free @copy with its record of
   arguments. */
void ocl_kernel_copy_free(dprp_kernel *kernel, struct ocl_kernel_copy *copy);
dprp_module_kernel_destroy_fn ocl_kernel_destroy;
/* Refuse memory that argument @index of @kernel cannot be. */
dprp_rc ocl_kernel_takes(const dprp_kernel *kernel, cl_uint index,
			 const dprp_arg *arg);
dprp_module_kernel_info_fn ocl_kernel_info;

/* --- ocl_turns.c --- */

void ocl_turns_free(dprp_instance *instance);
/* Wait for the launches that must not run at the same time as this one, and
   call clEnqueueNDRangeKernel().  To be called between ocl_submit_begin() and
   ocl_submit_end(). */
cl_int ocl_turns_launch(struct ocl_submit *s, const dprp_kernel *kernel,
			cl_kernel cl_kernel, cl_uint dims, const size_t *global,
			const size_t *local);

/* --- ocl_launch.c --- */

dprp_queue_launch_fn ocl_launch;

/* --- ocl_module.c --- */

dprp_module_pick_fn ocl_module_pick;
/* Make a module around a cl_program, and take over a reference to it. */
dprp_rc ocl_module_over(dprp_context *context, dprp_device *device,
			cl_program cl, dprp_module **out);
dprp_module_destroy_fn ocl_module_destroy;
dprp_module_create_fn ocl_module_create;
dprp_module_binary_fn ocl_module_binary;

/* --- calls/ocl_work.c: memory of a command --- */

struct ocl_work;

/* Allocate @size bytes for a command that is to be submitted. */
dprp_rc ocl_work_make(dprp_instance *instance, size_t size,
		      struct ocl_work **out);
/* The memory, which is aligned to DPRH_ALIGN. */
void *ocl_work_memory(struct ocl_work *work);
/* Free the memory, at the end of the command. */
void ocl_work_end(const dprp_host *host, struct ocl_work *work);
/* Free all of @work, which was not submitted; NULL is allowed. */
void ocl_work_drop(dprp_instance *instance, struct ocl_work *work);
/* Keep @work until the command is over, whose event this is.  Takes over a
   reference to the event. */
void ocl_work_keep(dprp_instance *instance, struct ocl_work *work,
		   cl_event event);
void ocl_work_free_all(dprp_instance *instance);

/* --- ocl_cpu.c: native kernels on CPU devices --- */

/* Entries of the plugin.  Whatever is not of native code goes to the driver, by
   ocl_module_create(), ocl_kernel_create(), ocl_kernel_info() or ocl_launch().
 */
dprp_module_create_fn ocl_cpu_module;
dprp_module_kernel_fn ocl_cpu_kernel;
dprp_module_kernel_info_fn ocl_cpu_kernel_info;
dprp_queue_launch_fn ocl_cpu_launch;
/* Submit a launch of native code, or of a routine of a CPU's library. */
dprp_queue_launch_fn ocl_cpu_send;

/* --- ocl_native.c --- */

dprp_native_get_fn ocl_native_get;
dprp_native_wrap_fn ocl_native_wrap;

#endif
