/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.h - the host backend inside: the CPU, without any driver.
 *
 * Each file calls those before it in this list: util, cpu, copy, context,
 * device, info, event, mem, library, blas, lapack_call, lapack, calls, module,
 * launch, work, here, queue, plugin.
 *
 * Every root or sub-device has a team of threads (dpr/help-team.h), made with
 * its first queue.
 * Every queue has a thread of its own, the dispatcher: it takes the queue's
 * commands in order, waits for what they depend on, and does their work as one
 * member of the team.  Small work of an idle queue needs no other thread: it is
 * done by the submitting thread.
 *
 * Locks: each mutex is declared above what it guards.  No two of them are held
 * together.
 */
#ifndef HOST_H
#define HOST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/backend.h>
#include <dpr/backend-help.h>
#include <dpr/help-team.h>

#define HOST_MAX_WORK_GROUP 4096u
#define HOST_LOCAL_MEMORY (256u << 10) /* of a work-group, bytes */
#define HOST_PARAMETER_BYTES (64u << 10)
#define HOST_ALIGN 128u /* of every allocation */

/* --- Structs of several files --- */

struct dprp_device {
	dprp_instance *instance;
	dprp_device *parent; /* NULL for the root */
	dprp_device *next;   /* of the instance's sub-devices */
	uint32_t index, how;
	uint32_t units;
	struct dprh_cpus cpus; /* a sub-device has `units` of them */

	/* Guards the field below. */
	pthread_mutex_t lock;
	struct dprh_team *team; /* made with the first queue */
};

/* The dtypes of routines. */
enum host_dtype {
	HOST_FLOAT32,
	HOST_FLOAT64,
	HOST_COMPLEX64,
	HOST_COMPLEX128,
	HOST_DTYPES
};

#define HOST_LIBRARY_TEXT 512

/* A library whose routines are kernels.  It never changes once it is open. */
struct host_library {
	bool is_wide; /* integers have 64 bits */
	/* Set the number of threads for the calls of this thread, and return
	   the number before.  NULL: the library has no such function. */
	int (*set_threads)(int n);
	int threads; /* that a call uses; 0: unknown */
	/* what was found, or why nothing was */
	char text[HOST_LIBRARY_TEXT];
};

/* A library in which functions are looked up. */
struct host_source {
	const dprp_host *host;
	void *library;
	const char *prefix, *suffix; /* of the functions' names */
};

/* A CBLAS. */
struct host_blas {
	struct host_library library;
	struct host_source source;
	/* cblas_sgemm(), and the same function for each other dtype; all NULL:
	   there is no CBLAS */
	void (*gemm[HOST_DTYPES])(void);
};

enum host_lapack_number {
	HOST_POTRF,
	HOST_GETRF,
	HOST_GESV,
	HOST_TRTRS,
	HOST_GEQRF,
	HOST_ORGQR,
	HOST_SYEVD,
	HOST_GEEV,
	HOST_GESDD,
	HOST_LAPACK_ROUTINES
};

/* A LAPACK.  What it does not have is NULL. */
struct host_lapack {
	struct host_library library;
	bool is_found;
	void (*function[HOST_LAPACK_ROUTINES][HOST_DTYPES])(void);
	void (*getrs[HOST_DTYPES])(void); /* the second half of gesv */
};

struct dprp_instance {
	dprp_host host;
	dprp_device root;
	uint64_t memory; /* of the machine, in bytes */
	char sys_root[256];
	/* DPR_OPTION_HOST_BLAS and DPR_OPTION_HOST_LAPACK, or NULL */
	const char *blas_option, *lapack_option;

	/* Guards `blas` until it is open.  A library is loaded under it. */
	pthread_mutex_t blas_lock;
	bool blas_is_open;
	struct host_blas blas;

	/* Guards `lapack` likewise. */
	pthread_mutex_t lapack_lock;
	bool lapack_is_open;
	struct host_lapack lapack;

	/* Guards the fields below. */
	pthread_mutex_t lock;
	dprp_device *subs;
	dprp_queue *queues; /* those whose threads are not joined yet */
};

struct dprp_context {
	dprp_instance *instance;
};

struct dprp_mem {
	dprp_instance *instance;
	uint32_t kind;
	uint64_t size;
	unsigned char *address;
	void *block;   /* from host->alloc, or NULL */
	size_t mapped; /* bytes mapped at address, or 0 */
};

/* A token that was given to notify; event_done is called with it. */
struct host_token {
	struct host_token *next;
	uint64_t token;
};

struct dprp_event {
	dprp_instance *instance;
	bool profiling;
	atomic_uint refs;  /* handle, command, and dependent commands */
	atomic_uint state; /* DPRP_EVENT_*; DONE is stored under the lock */
	uint64_t t_queued, t_start, t_end; /* set before DONE */

	/* Guards the field below, and the change to DONE. */
	pthread_mutex_t lock;
	pthread_cond_t done;
	struct host_token *tokens;
};

enum host_command_kind {
	HOST_BARRIER, /* also prefetch: there is nothing to do */
	HOST_COPY,    /* also write and read */
	HOST_FILL,
	HOST_LAUNCH
};

struct host_fill {
	unsigned char *to;
	uint64_t size, pattern_size, pattern_run; /* in bytes; pattern_run: used
						     bytes of pattern[] */
	unsigned char
		pattern[2048]; /* the pattern, repeated as often as it fits */
};

struct host_command {
	struct host_command *next;
	enum host_command_kind kind;
	dprp_event *event; /* NULL: none was asked for */
	uint32_t n_deps;
	dprp_event **deps; /* a reference to each; behind the struct */
	union {
		struct {
			unsigned char *to;
			const unsigned char *from;
			uint64_t size;
		} copy;
		struct host_fill *fill; /* behind the struct */
		struct dprh_native_launch launch;
	} u;
};

struct dprp_queue {
	dprp_instance *instance;
	dprp_device *device;
	struct dprh_team *team;
	bool profiling;
	dprh_floats floats; /* of the queue's thread */
	pthread_t thread;
	dprp_queue *next;   /* of the instance's queues; guarded by the
			       instance's lock */
	atomic_bool exited; /* the thread is about to end */

	/* Guards the fields below. */
	pthread_mutex_t lock;
	pthread_cond_t more, done;
	struct host_command *first, *last;
	/* Written under the lock.  `submitted` is also read without it by the
	   thread that submits, since one does at a time. */
	uint64_t submitted;
	atomic_uint_fast64_t completed;
	bool destroyed;
	/* Changes with every submission.  Also read without the lock, to find
	   out whether it pays to take the lock. */
	atomic_uint news;
};

/* A routine of a library (DPRP_CALLS_FORMAT), for a dtype. */
struct host_call {
	const struct host_routine *routine; /* NULL: native code */
	const struct host_library *library;
	void (*function)(void); /* of the library */
	void (*getrs)(void);	/* of the library, for gesv */
	enum host_dtype dtype;
	int threads; /* to use; 0: as many as the library likes */
};

/* How the work of a launch of a routine is divided into parts, and the sizes of
   a part's workspaces, in bytes.  work: for elements of the routine's dtype.
   real: for real numbers.  integers: for integers of the library. */
struct host_plan {
	uint64_t parts;
	size_t work, real, integers;
	size_t part;  /* the bytes of all three */
	int64_t most; /* elements in `work` */
};

/* A routine. */
struct host_routine {
	const dprp_native_module *module; /* with its one kernel */
	/* Set the library and the function of @call, whose dtype is set. */
	dprp_rc (*get)(dprp_instance *instance, struct host_call *call);
	/* Check the values of a launch, and plan it: @out->parts is 1, and may
	   become more. */
	dprp_rc (*plan)(dprp_instance *instance, const struct host_call *call,
			const dprp_launch *launch, struct host_plan *out);
};

/* The first argument of a routine: what it calls, and how its work is
   divided. */
struct host_task {
	struct host_call call;
	struct host_plan plan;
	unsigned char *workspace; /* of part 0 */
};

/* An integer of a library. */
union host_integer {
	int32_t narrow;
	int64_t wide;
};

/* The arguments of a routine of LAPACK. */
struct host_problem {
	const struct host_call *call;
	const dprp_lapack *v;
	union host_integer m, n, k, leading[DPRP_LAPACK_ARGS];
	void *arg[DPRP_LAPACK_ARGS];
	void *work, *real, *integers;
	union host_integer work_size, real_size, integers_size, info;
	bool is_query; /* of the size of the work space */
};

/* The sizes of a launch. */
struct host_sizes {
	struct dprh_sizes native;
	struct host_plan plan; /* of a routine */
};

struct dprp_module {
	dprp_instance *instance;
	const dprp_native_module *native;
	struct host_call call;
};

struct dprp_kernel {
	dprp_instance *instance;
	const dprp_native_kernel *native;
	struct host_call call;
};

/* --- host_util.c: memory, waiting --- */

/* Allocate zeroed memory.  NULL: no memory, and the core has the error. */
void *host_util_alloc(dprp_instance *instance, size_t size);
/* Initialise a condition variable for timed waits by CLOCK_MONOTONIC. */
void host_util_cond_init(pthread_cond_t *cond);
/* Spin for a short time.  End early if *@value equals @what; if @equal is
   false, end early if they differ. */
void host_util_spin(const atomic_uint *value, unsigned what, bool equal);
/* Spin for a short time.  End early if *@count is @upto or more. */
void host_util_spin_upto(const atomic_uint_fast64_t *count, uint64_t upto);

/* --- host_cpu.c: what the system tells of its CPUs and memory --- */

/* Read the first bytes of a file below the instance's system root, and
   terminate them.  Returns false if it cannot be read. */
bool host_cpu_read_file(dprp_instance *instance, char *text, size_t capacity,
			const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Number the NUMA nodes of @cpus from 0, and put the number of each CPU's node
   into @node.  Returns the number of nodes; 1 if the system does not report
   any. */
uint32_t host_cpu_nodes(dprp_instance *instance, const struct dprh_cpus *cpus,
			uint32_t *node);

/* --- host_copy.c --- */

/* Copy bytes past the caches.  For a part of a range that the caches cannot
   hold. */
void host_copy_stream(unsigned char *to, const unsigned char *from,
		      size_t size);

/* --- host_context.c --- */

dprp_rc host_context_create(dprp_instance *instance, dprp_device *root,
			    const dprp_ext *ext, dprp_context **out);
void host_context_destroy(dprp_context *context);

/* --- host_device.c --- */

/* Free what the device owns, but not the struct. */
void host_device_fini(dprp_device *device);
/* Get the team of @device, which is made on first use. */
dprp_rc host_device_team(dprp_device *device, struct dprh_team **out);
/* The number of NUMA nodes of @device. */
uint32_t host_device_nodes(dprp_device *device);
dprp_rc host_device_count(dprp_instance *instance, uint32_t *n);
dprp_rc host_device_get(dprp_instance *instance, uint32_t index,
			dprp_device **out);
dprp_rc host_device_partition(dprp_device *device,
			      const dprp_partition *partition,
			      dprp_device **out, uint32_t capacity,
			      uint32_t *n);
dprp_rc host_device_peer(dprp_device *from, dprp_device *to, uint32_t *caps);
dprp_rc host_device_clocks(dprp_device *device, uint64_t *device_ns,
			   uint64_t *host_ns);

/* --- host_info.c --- */

/* The entry device->info. */
dprp_rc host_info_get(dprp_device *device, uint32_t key, void *buffer,
		      size_t capacity, size_t *need);

/* --- host_event.c --- */

/* Make an event with one reference; NULL if memory runs out. */
dprp_event *host_event_create(dprp_instance *instance, bool profiling);
/* Release one reference; @event may be NULL. */
void host_event_drop(dprp_event *event);
/* Make @event DONE, wake the threads that wait for it, and call event_done. */
void host_event_complete(dprp_event *event);
/* Wait until @event is done or the clock shows @deadline (UINT64_MAX: no
   limit).  Returns whether @event is done. */
bool host_event_await(dprp_event *event, uint64_t deadline);
dprp_rc host_event_status(dprp_event *event, dprp_event_state *state,
			  dprp_sink text);
dprp_rc host_event_wait(dprp_event *const *events, uint32_t n,
			uint64_t timeout_ns);
void host_event_destroy(dprp_event *event);
dprp_rc host_event_notify(dprp_event *event, uint64_t number);

/* --- host_mem.c --- */

dprp_rc host_mem_alloc(dprp_context *context, dprp_device *device,
		       const dprp_mem_desc *theirs, dprp_mem **out);
/* Make a dprp_mem for memory that stays the program's.  INVALID: the memory is
   not mapped. */
dprp_rc host_mem_wrap(dprp_context *context, uintptr_t address, uint64_t size,
		      dprp_mem **out);
void host_mem_free(dprp_mem *mem);
dprp_rc host_mem_info(dprp_mem *mem, uint32_t key, void *buffer,
		      size_t capacity, size_t *need);

/* --- host_library.c: libraries whose routines are kernels --- */

/* A pointer to a function, as POSIX allows to make one from dlsym(). */
union host_symbol {
	void *address;
	void (*function)(void);
	int (*set_threads)(int n);
	int (*get_threads)(void);
	const char *(*get_text)(void);
	void (*get_mkl_text)(char *text, int size);
	float (*dot)(int64_t n, const float *x, int64_t x_step, const float *y,
		     int64_t y_step);
};

/* A problem of about this number of multiplications, or fewer, is computed by
   one thread, and the team divides a batch of such problems.  A larger problem
   is left to the library's threads. */
#define HOST_SMALL (64 * 64 * 64)

/* What library to open. */
struct host_search {
	const char *option, *value; /* DPR_OPTION_HOST_<option>, and its value
				       or NULL */
	const char *const *files;   /* to try, the best first */
	size_t n_files;
	const char *const *names; /* functions that it must have */
	size_t n_names;
	const char *missing; /* what to say if there is none */
};

/* The problems of a part of a launch. */
struct host_share {
	int64_t from, to;
	int (*set_threads)(int n); /* NULL: not called */
	int before;
};

/* Bytes of an element. */
extern const int64_t host_library_item[HOST_DTYPES];

/* Find the function @name in its spelling. */
union host_symbol host_library_find(const struct host_source *source,
				    const char *name);
/* Find the spelling in which the library has all of these functions.  Returns
   false if there is none. */
bool host_library_spell(struct host_source *source, const char *const *names,
			size_t n);
/* Open a library.  If there is none, @text says why. */
bool host_library_open(const dprp_host *host, const struct host_search *search,
		       struct host_source *source,
		       char text[HOST_LIBRARY_TEXT]);
/* Whether an option's value asks for no library. */
bool host_library_is_none(const char *value);
/* Describe a library: its version or else its kind, file, size of integers, and
   threads.  @function is any function of the library. */
void host_library_describe(const struct host_source *source, const char *kind,
			   void (*function)(void),
			   struct host_library *library);
/* Whether the library's integers have room for a number. */
bool host_library_fits(const struct host_library *library, int64_t number);
/* Get the share of @count problems that part @group of @groups computes, and
   set the library's threads for it. */
struct host_share host_library_begin(const struct host_call *call,
				     int64_t count, uint64_t groups,
				     uint64_t group);
/* Set the threads as they were. */
void host_library_end(const struct host_share *share);

/* --- host_blas.c: a CBLAS of the system, and its products --- */

/* Get the CBLAS, which is opened on first use. */
const struct host_blas *host_blas_open(dprp_instance *instance);

extern const struct host_routine host_blas_gemm;

/* --- host_lapack_call.c: calls of LAPACK's routines --- */

union host_integer host_lapack_call_integer(const struct host_library *library,
					    int64_t n);
int64_t host_lapack_call_value(const struct host_library *library,
			       union host_integer n);
extern void (*const host_lapack_call_list[HOST_LAPACK_ROUTINES])(
	struct host_problem *p);
/* Whether the first matrix has no NaN and no infinity; has_triangle: only the
   triangle that the flags name is looked at. */
bool host_lapack_call_is_finite(const struct host_problem *p, int64_t rows,
				int64_t columns, bool has_triangle);

/* --- host_lapack.c: a LAPACK of the system --- */

/* Fill in the extents and leading dimensions of @v.  @out keeps a pointer to
   @v. */
void host_lapack_problem(const struct host_call *call, const dprp_lapack *v,
			 struct host_problem *out);

/* Get routine @i. */
const struct host_routine *host_lapack_routine(unsigned i);

/* --- host_calls.c: routines of libraries as kernels --- */

/* Find the routine that @image names, for @device. */
dprp_rc host_calls_find(dprp_device *device, const dprp_image *image,
			struct host_call *out);
/* Check the values of a launch of @call, and plan it. */
dprp_rc host_calls_plan(dprp_queue *queue, const struct host_call *call,
			const dprp_launch *launch, struct host_plan *out);
/* The bytes that host_calls_init() needs. */
size_t host_calls_size(const dprp_launch *launch, const struct host_plan *plan);
/* Divide the work of a launch, and give its task to the kernel.  @memory is
   aligned to DPRH_ALIGN. */
void host_calls_init(const struct host_call *call, const dprp_launch *launch,
		     const struct host_plan *plan, void *memory,
		     struct dprh_native_launch *out);

/* --- host_module.c --- */

dprp_rc host_module_pick(dprp_device *device, const dprp_image *const *images,
			 uint32_t n, uint32_t *best);
dprp_rc host_module_create(dprp_context *context, dprp_device *device,
			   const dprp_module_desc *theirs, dprp_module **out);
void host_module_destroy(dprp_module *module);
dprp_rc host_module_kernel(dprp_module *module, const char *name,
			   dprp_kernel **out);
void host_module_kernel_destroy(dprp_kernel *kernel);
dprp_rc host_module_kernel_info(dprp_kernel *kernel, dprp_device *device,
				uint32_t key, void *buffer, size_t capacity,
				size_t *need);

/* --- host_launch.c --- */

/* Check the arguments of a launch, get their sizes, and the number of bytes
   that it needs behind its command. */
dprp_rc host_launch_size(dprp_queue *queue, const dprp_kernel *kernel,
			 const dprp_launch *launch, struct host_sizes *sizes,
			 size_t *size);
/* Fill @out, and the bytes behind the command, which begin at @memory. */
dprp_rc host_launch_init(dprp_queue *queue, const dprp_kernel *kernel,
			 const dprp_launch *launch,
			 const struct host_sizes *sizes, void *memory,
			 struct dprh_native_launch *out);

/* --- host_work.c --- */

/* Do the work of @command with @team. */
void host_work_run(const struct host_command *command, struct dprh_team *team);

/* --- host_here.c: work of the thread that submits it --- */

/* Do the work of @command, which is small, in this thread. */
void host_here_run(const dprp_queue *queue, const struct host_command *command);

/* --- host_queue.c --- */

/* Wait for the work that is left on queues that the core has destroyed, and
   free the queues. */
void host_queue_reap(dprp_instance *instance);
dprp_rc host_queue_create(dprp_context *context, dprp_device *device,
			  const dprp_queue_desc *theirs, uint64_t *got,
			  dprp_queue **out);
void host_queue_destroy(dprp_queue *queue);
dprp_rc host_queue_flush(dprp_queue *queue);
dprp_rc host_queue_finish(dprp_queue *queue);
dprp_rc host_queue_barrier(dprp_queue *queue, const dprp_deps *deps,
			   dprp_event **event);
dprp_rc host_queue_write(dprp_queue *queue, dprp_mem *to, uint64_t offset,
			 const void *from, uint64_t size, const dprp_deps *deps,
			 dprp_event **event);
dprp_rc host_queue_read(dprp_queue *queue, dprp_mem *from, uint64_t offset,
			void *to, uint64_t size, const dprp_deps *deps,
			dprp_event **event);
dprp_rc host_queue_copy(dprp_queue *queue, dprp_mem *to, uint64_t to_offset,
			dprp_mem *from, uint64_t from_offset, uint64_t size,
			const dprp_deps *deps, dprp_event **event);
dprp_rc host_queue_launch(dprp_queue *queue, dprp_kernel *kernel,
			  const dprp_launch *theirs, const dprp_deps *deps,
			  dprp_event **event);
dprp_rc host_queue_fill(dprp_queue *queue, dprp_mem *to, uint64_t offset,
			uint64_t size, const void *pattern, size_t pattern_size,
			const dprp_deps *deps, dprp_event **event);
dprp_rc host_queue_prefetch(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
			    uint64_t size, const dprp_deps *deps,
			    dprp_event **event);
dprp_rc host_queue_advise(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
			  uint64_t size, uint32_t advice);

#endif
