/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ocl.h - the objects of the OpenCL plugin and what its files share.
 *
 * Each ABI handle is one struct below around one OpenCL object, of which it
 * owns one reference.  Each file calls those before it in this list: error,
 * util, driver, options, facts, info, device, context, queue, event, submit,
 * mem, copy, kernel, turns, launch, module, native, plugin.
 */
#ifndef OCL_H
#define OCL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "ocl_driver.h"

/* How memory is allocated, best first. */
enum ocl_path {
	OCL_PATH_NONE,
	OCL_PATH_USM,        /* cl_intel_unified_shared_memory */
	OCL_PATH_SVM_FINE,   /* fine-grained SVM: the host may touch it */
	OCL_PATH_SVM_COARSE, /* coarse-grained SVM: addresses, device only */
	OCL_PATH_BUFFER      /* cl_mem: no addresses, device only */
};

/* The entries of cl_intel_unified_shared_memory; all or none. */
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
	/* Its compiler's optimiser makes what the device cannot run. */
	bool unoptimised;
	uint64_t binaries; /* enum dpr_binaries */
	bool takes_turns;  /* its queues take turns: ocl_turns.c */
	/* A thread of the driver compiles a kernel when it is launched. */
	bool compiles_late;
	/* Markers wait for all earlier commands, whatever their list. */
	bool marks_all;
};

struct dprp_instance {
	const dprp_host *host;
	struct ocl_api cl;
	enum ocl_path forced;     /* OCL_PATH_NONE: the best of each device */
	const uint64_t *binaries; /* enum dpr_binaries; NULL: as it suits */
	struct ocl_platform *platforms;
	size_t n_platforms;
	dprp_device **devices; /* roots */
	uint32_t n_devices, room;
	atomic_uint_fast64_t serials;
	atomic_bool starved; /* a driver's text was not kept: no memory */
	pthread_mutex_t lock;
	/* Guards what is below. */
	dprp_device *subs; /* chained by next */
	struct ocl_turn *turns;
	size_t n_turns, turns_limit;
};

struct dprp_device {
	dprp_instance *instance;
	struct ocl_platform *platform;
	dprp_device *root, *parent, *next; /* a root's root is itself */
	cl_device_id id;
	unsigned version; /* of the device and its platform: the lower */
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
};

struct dprp_context {
	dprp_instance *instance;
	dprp_device *root;
	cl_context cl;
	cl_device_id *ids; /* the devices of cl, the root first */
	cl_uint n_ids;
	/* Held over clSVMAlloc and clSVMFree: NVIDIA's (R580) refuses some
	   allocations that several threads ask for at once. */
	pthread_mutex_t svm;
};

/* Events keep their queue: waiting for one flushes it. */
struct dprp_queue {
	dprp_instance *instance;
	dprp_context *context;
	dprp_device *device;
	cl_command_queue cl;
	bool profiling;
	bool in_order; /* known on platforms that take turns */
	atomic_uint refs;
};

struct dprp_event {
	dprp_instance *instance;
	cl_context context;
	dprp_queue *queue; /* NULL: it was made elsewhere */
	cl_event cl;
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
	uint64_t serial; /* never used twice, unlike an address */
	char *address;   /* all paths but OCL_PATH_BUFFER */
	void *base;      /* what to free: address, or before it */
	cl_mem cl;       /* OCL_PATH_BUFFER */
	pthread_mutex_t lock;
	cl_mem alias; /* over address, for native_get; guarded by lock */
	/* Sub-buffers of the offsets that kernels were given; the oldest goes
	   first.  Guarded by lock. */
	struct ocl_sub_buffer *subs;
	unsigned n_subs, oldest;
};

struct dprp_module {
	dprp_instance *instance;
	dprp_context *context;
	dprp_device *device;
	cl_program cl;
};

/* What an argument of a cl_kernel was last set to. */
struct ocl_arg {
	uint32_t kind; /* 0: not set, or unknown */
	uint64_t size, serial, offset;
	void *bytes; /* VALUE: room for `room` bytes */
	uint64_t room;
	cl_mem held;     /* a reference until the launch is enqueued */
	bool by_address; /* it has been an address */
};

/* One cl_kernel with the arguments that are set in it; used by one thread at a
   time, as clSetKernelArg asks. */
struct ocl_kernel_copy {
	struct ocl_kernel_copy *next;
	cl_kernel cl;
	dprp_device *device; /* whose limits the next two are; or NULL */
	size_t max_work_group;
	size_t required[3];
	struct ocl_arg args[];
};

struct dprp_kernel {
	dprp_instance *instance;
	dprp_context *context;
	char *name;
	cl_kernel cl; /* for questions; never launched */
	cl_program program;
	cl_uint n_args;
	/* One idle copy, taken and given back without the lock: enough for one
	   thread. */
	_Atomic(struct ocl_kernel_copy *) spare;
	pthread_mutex_t lock;
	struct ocl_kernel_copy *idle; /* guarded by lock */
};

/* --- ocl_error.c --- */

/* "CL_INVALID_VALUE", or "an unknown error". */
const char *ocl_error_name(cl_int error);
/* What the ABI calls this error. */
dprp_rc ocl_error_rc(cl_int error);

/* --- ocl_util.c --- */

/* Zeroed memory of the host, NULL when there is none or the size overflows. */
void *ocl_util_alloc(const dprp_host *host, size_t count, size_t size);
void ocl_util_free(const dprp_host *host, void *block);
/* Tell the host of a failure: @rc comes back. */
dprp_rc ocl_util_fail(const dprp_host *host, dprp_rc rc, cl_int error,
		      const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A line for the log. */
void ocl_util_log(const dprp_host *host, int32_t level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The failure of one OpenCL call, or DPR_RC_OK for CL_SUCCESS. */
dprp_rc ocl_util_check(const dprp_host *host, cl_int error, const char *call);
/* OOM_HOST, with a text that names what was wanted. */
dprp_rc ocl_util_no_memory(const dprp_host *host, const char *what);
/* Call an entry of libOpenCL that returns a code. */
#define OCL_TRY(instance, call, ...)                                       \
	ocl_util_check((instance)->host, (instance)->cl.call(__VA_ARGS__), \
		       #call)

/* --- ocl_options.c --- */

/* The word for a path, as in the option MEMORY. */
const char *ocl_options_path_name(enum ocl_path path);
/* Read all options.  INVALID: a value is not one that is known. */
dprp_rc ocl_options_read(dprp_instance *instance);

/* --- ocl_facts.c --- */

/* Whether the device and its platform are of this version. */
static inline bool ocl_device_has(const dprp_device *device, unsigned version)
{
	return device->version >= version;
}

/* A string of clGetDeviceInfo in memory of the host, without the blanks around
   it; NULL if there is none. */
char *ocl_facts_string(dprp_instance *instance, cl_device_id id,
		       cl_device_info key);
/* The same of clGetPlatformInfo. */
char *ocl_facts_platform_string(dprp_instance *instance, cl_platform_id id,
				cl_platform_info key);
/* Whether the device names the extension. */
bool ocl_facts_extension(const dprp_device *device, const char *name);
/* Whether the device has allocations of this DPRP_MEM_ kind. */
bool ocl_facts_kind(const dprp_device *device, uint32_t kind);
/* An enum dpr_device_type. */
uint64_t ocl_facts_type(const dprp_device *device);
/* Whether the host may use all of its allocations by address. */
bool ocl_facts_on_host(const dprp_device *device);
/* Whether the driver takes SPIR-V. */
bool ocl_facts_spirv(const dprp_device *device);
/* The kernel formats that the device takes, best first, ended by NULL. */
const char *const *ocl_facts_formats(const dprp_device *device);

/* --- ocl_info.c --- */

/* The entry device->info. */
dprp_rc ocl_info_get(dprp_device *device, uint32_t key, void *buffer,
		     size_t capacity, size_t *need);

/* --- ocl_device.c --- */

/* Find every platform's devices.  A platform or device that fails is logged
   and left out; NO_DRIVER or NO_DEVICE, with every reason, if none is left. */
dprp_rc ocl_device_find_all(dprp_instance *instance);
void ocl_device_free_all(dprp_instance *instance);
dprp_rc ocl_device_count(dprp_instance *instance, uint32_t *n);
dprp_rc ocl_device_get(dprp_instance *instance, uint32_t index,
		       dprp_device **out);
dprp_rc ocl_device_partition(dprp_device *device, const dprp_partition *theirs,
			     dprp_device **out, uint32_t capacity, uint32_t *n);
dprp_rc ocl_device_peer(dprp_device *from, dprp_device *to, uint32_t *caps);
dprp_rc ocl_device_clocks(dprp_device *device, uint64_t *device_ns,
			  uint64_t *host_ns);

/* --- ocl_context.c --- */

void ocl_context_destroy(dprp_context *context);
dprp_rc ocl_context_create(dprp_instance *instance, dprp_device *root,
			   const dprp_ext *ext, dprp_context **out);
/* A context over one that exists; takes over a reference of @cl. */
dprp_rc ocl_context_over(dprp_device *root, cl_context cl, dprp_context **out);
/* The device's id if @context was made for it, else its root's. */
cl_device_id ocl_context_device(const dprp_context *context,
				const dprp_device *device);

/* --- ocl_queue.c --- */

/* A queue over a cl_command_queue, whose reference it takes over. */
dprp_rc ocl_queue_over(dprp_context *context, dprp_device *device,
		       cl_command_queue cl, bool profiling, dprp_queue **out);
/* Release one reference; @queue may be NULL. */
void ocl_queue_unref(dprp_queue *queue);
dprp_rc ocl_queue_create(dprp_context *context, dprp_device *device,
			 const dprp_queue_desc *theirs, uint64_t *got,
			 dprp_queue **out);
void ocl_queue_destroy(dprp_queue *queue);
dprp_rc ocl_queue_flush(dprp_queue *queue);
dprp_rc ocl_queue_finish(dprp_queue *queue);

/* --- ocl_event.c --- */

/* An event without a cl_event yet; @queue may be NULL. */
dprp_event *ocl_event_new(dprp_instance *instance, cl_context context,
			  dprp_queue *queue);
/* @event may be NULL. */
void ocl_event_destroy(dprp_event *event);
/* Flush the event's queue, so that it completes without a further call. */
void ocl_event_flush(dprp_event *event);
dprp_rc ocl_event_status(dprp_event *event, dprp_event_state *state,
			 dprp_sink text);
dprp_rc ocl_event_wait(dprp_event *const *events, uint32_t n,
		       uint64_t timeout_ns);
dprp_rc ocl_event_notify(dprp_event *event, uint64_t token);

/* --- ocl_submit.c --- */

/* One submission: the wait list and where the driver puts the event. */
struct ocl_submit {
	dprp_queue *queue;
	cl_uint n; /* the three to hand to clEnqueue... */
	const cl_event *list;
	cl_event *event;
	dprp_event *made;
	dprp_event **out;
	cl_event few[16], *many;
};

/*
 * Make ready what clEnqueue... needs.  After DPR_RC_OK ocl_submit_end() is due
 * with what the call has answered; it gives the event out or drops it.
 * NO_PATH: an event of another cl_context.
 */
dprp_rc ocl_submit_begin(struct ocl_submit *submit, dprp_queue *queue,
			 const dprp_deps *deps, dprp_event **event);
dprp_rc ocl_submit_end(struct ocl_submit *submit, cl_int error,
		       const char *call);
/* A submission that moves or runs nothing: it is over when @deps are.  NO_PATH
   with @deps where a marker waits for more. */
dprp_rc ocl_submit_nothing(dprp_queue *queue, const dprp_deps *deps,
			   dprp_event **event);
dprp_rc ocl_submit_barrier(dprp_queue *queue, const dprp_deps *deps,
			   dprp_event **event);

/* --- ocl_mem.c --- */

void ocl_mem_free(dprp_mem *mem);
dprp_rc ocl_mem_alloc(dprp_context *context, dprp_device *device,
		      const dprp_mem_desc *theirs, dprp_mem **out);
dprp_rc ocl_mem_info(dprp_mem *mem, uint32_t key, void *buffer, size_t capacity,
		     size_t *need);
/* Whether the host may use the memory's address. */
bool ocl_mem_on_host(const dprp_mem *mem);
/* A cl_mem that begins at @offset of buffer memory, which the caller releases,
   and its serial.  INVALID, naming MEM_BASE_ALIGN, if the device cannot begin
   there. */
dprp_rc ocl_mem_at(dprp_mem *mem, uint64_t offset, cl_mem *out,
		   uint64_t *serial);
/* Memory over a cl_mem, whose reference it takes over. */
dprp_rc ocl_mem_over(dprp_context *context, dprp_device *device, cl_mem cl,
		     uint64_t size, dprp_mem **out);
/* The cl_mem of any memory; lent. */
dprp_rc ocl_mem_native(dprp_mem *mem, cl_mem *out);

/* --- ocl_copy.c --- */

dprp_rc ocl_copy_write(dprp_queue *queue, dprp_mem *to, uint64_t offset,
		       const void *from, uint64_t size, const dprp_deps *deps,
		       dprp_event **event);
dprp_rc ocl_copy_read(dprp_queue *queue, dprp_mem *from, uint64_t offset,
		      void *to, uint64_t size, const dprp_deps *deps,
		      dprp_event **event);
dprp_rc ocl_copy_copy(dprp_queue *queue, dprp_mem *to, uint64_t to_offset,
		      dprp_mem *from, uint64_t from_offset, uint64_t size,
		      const dprp_deps *deps, dprp_event **event);
dprp_rc ocl_copy_fill(dprp_queue *queue, dprp_mem *to, uint64_t offset,
		      uint64_t size, const void *pattern, size_t pattern_size,
		      const dprp_deps *deps, dprp_event **event);
dprp_rc ocl_copy_prefetch(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
			  uint64_t size, const dprp_deps *deps,
			  dprp_event **event);
dprp_rc ocl_copy_advise(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
			uint64_t size, uint32_t advice);

/* --- ocl_kernel.c --- */

/* A kernel over a cl_kernel, whose reference it takes over. */
dprp_rc ocl_kernel_over(dprp_context *context, cl_kernel cl, dprp_kernel **out);
dprp_rc ocl_kernel_create(dprp_module *module, const char *name,
			  dprp_kernel **out);
/* Release a cl_kernel and what is remembered of it. */
void ocl_kernel_copy_free(dprp_kernel *kernel, struct ocl_kernel_copy *copy);
void ocl_kernel_destroy(dprp_kernel *kernel);
dprp_rc ocl_kernel_info(dprp_kernel *kernel, dprp_device *device, uint32_t key,
			void *buffer, size_t capacity, size_t *need);

/* --- ocl_turns.c --- */

void ocl_turns_free(dprp_instance *instance);
/* clEnqueueNDRangeKernel between ocl_submit_begin() and _end(), after the
   launches that it must not run beside. */
cl_int ocl_turns_launch(struct ocl_submit *s, const dprp_kernel *kernel,
			cl_kernel cl_kernel, cl_uint dims, const size_t *global,
			const size_t *local);

/* --- ocl_launch.c --- */

dprp_rc ocl_launch(dprp_queue *queue, dprp_kernel *kernel,
		   const dprp_launch *theirs, const dprp_deps *deps,
		   dprp_event **event);

/* --- ocl_module.c --- */

dprp_rc ocl_module_pick(dprp_device *device, const dprp_image *const *images,
			uint32_t n, uint32_t *best);
/* A module over a cl_program, whose reference it takes over. */
dprp_rc ocl_module_over(dprp_context *context, dprp_device *device,
			cl_program cl, dprp_module **out);
void ocl_module_destroy(dprp_module *module);
dprp_rc ocl_module_create(dprp_context *context, dprp_device *device,
			  const dprp_module_desc *theirs, dprp_module **out);
dprp_rc ocl_module_binary(dprp_module *module, dprp_sink out);

/* --- ocl_native.c --- */

dprp_rc ocl_native_get(dprp_instance *instance, uint32_t what, void *handle,
		       uint32_t type, uintptr_t *out);
dprp_rc ocl_native_wrap(dprp_instance *instance, uint32_t what,
			dprp_context *parent, dprp_device *device, uintptr_t in,
			uint64_t size, uint32_t own, void **out);

#endif
