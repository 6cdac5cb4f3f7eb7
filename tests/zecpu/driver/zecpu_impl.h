/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zecpu_impl.h - the objects of the software Level Zero driver.
 *
 * One lock, zecpu.lock, guards everything that changes after an object is made.
 * An entry begins with zecpu_enter(), which counts the call and may make it
 * fail.  The memory of objects is never freed, so that the use of a destroyed
 * handle is noticed.
 */
#ifndef ZECPU_IMPL_H
#define ZECPU_IMPL_H

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/zecpu/zecpu.h"
#include "zecpu_entries.h"

enum zecpu_entry {
	ENTRY_zeInit,
#define X(table, function) ENTRY_ze##table##function,
	ZECPU_ENTRIES(X)
#undef X
#define X(name) ENTRY_##name,
		ZECPU_EXTENSIONS(X)
#undef X
			ZECPU_N_ENTRIES
};

#define X(table, function) \
	__typeof__(ze##table##function) zecpu_ze##table##function;
ZECPU_ENTRIES(X)
#undef X
__typeof__(zeInit) zecpu_zeInit;
ze_result_t ZE_APICALL
	zecpu_zeCommandListHostSynchronize(ze_command_list_handle_t, uint64_t);
ze_result_t ZE_APICALL zecpu_zexDriverImportExternalPointer(ze_driver_handle_t,
							    void *, size_t);
ze_result_t ZE_APICALL zecpu_zexDriverReleaseImportedPointer(ze_driver_handle_t,
							     void *);

#define ZECPU_PAGE ((size_t)4096)
#define ZECPU_MAX_DEVICES 8
#define ZECPU_MAX_TILES 4
#define ZECPU_KERNEL_TIMESTAMP_BITS 32
#define ZECPU_MAX_ARGUMENTS 2048 /* bytes: maxArgumentsSize */

/* --- knobs --- */

/* X(name, its default value, its meaning) */
#define ZECPU_KNOBS(X)                                                      \
	X(STRICT, 0, "1: abort at the first misuse")                        \
	X(QUIET, 0, "1: misuses are counted, but not printed")              \
	X(REVERSE, 0,                                                       \
	  "the last ready command starts first; n > 1: after n us")         \
	X(SEED, 0, "not 0: ready commands start in random order")           \
	X(DELAY_US, 0, "each command sleeps before it does its work")       \
	X(SLOW_US, 0, "a call sleeps while it uses a list or a kernel")     \
	X(PROTECT, 0, "1: the host cannot touch device memory")             \
	X(GUARD, 0, "1: an allocation ends at a page without access")       \
	X(TYPE, ZE_DEVICE_TYPE_GPU, "ze_device_type_t of the devices")      \
	X(DEVICES, 2, "root devices, 0 to 8")                               \
	X(SUBDEVICES, 2, "tiles of the first device, 0 to 4")               \
	X(SUBDEVICES_REST, 0, "tiles of each other device")                 \
	X(FLAT, 0, "1: tiles are devices of their own")                     \
	X(SOURCE, 0, "1: zeModuleCreate accepts OpenCL C")                  \
	X(FP64, 1, "bit n: device n has fp64")                              \
	X(MEMORY_MB, 4096, "memory of a device, divided among its tiles")   \
	X(COPY_GROUPS, 2, "queue groups that only copy: 0 to 2")            \
	X(WORKERS, 3, "threads that execute commands")                      \
	X(PEER, 1, "1: devices can use the memory of each other")           \
	X(SYSTEM_COPY, 1, "0: copies accept only USM pointers")             \
	X(LOST_QUIET, 0, "1: a wait with timeout 0 never reports a loss")   \
	X(QUERY_STUCK, 0, "1: zeEventQueryStatus always answers NOT_READY") \
	X(TICKS, 1000000, "where the clock of the devices starts")          \
	X(IN_ORDER, 0, "1: lists accept the in-order flag")                 \
	X(COUNTER, 0, "1: event pools can be counter-based")                \
	X(HOST_SYNC, 0, "1: zeCommandListHostSynchronize exists")           \
	X(IMPORT, 0, "1: memory of the program can be imported")            \
	X(KERNEL_GROUP, 0, "not 0: the largest work-group of each kernel")  \
	X(INT64_ATOMICS, 1, "1: devices have 64-bit atomics")               \
	X(MAX_ARGUMENTS, 2048, "the maxArgumentsSize of the devices")       \
	X(LOCAL, 65536, "bytes of local memory of a work-group")            \
	X(VERSION, 1, "the lowest part of the driver's version")            \
	X(INIT, 0, "what zeInit returns")

enum zecpu_knob {
#define X(name, value, meaning) KNOB_##name,
	ZECPU_KNOBS(X)
#undef X
		ZECPU_N_KNOBS
};

/* --- objects --- */

enum kind {
	KIND_DRIVER = 1,
	KIND_DEVICE,
	KIND_CONTEXT,
	KIND_POOL,
	KIND_EVENT,
	KIND_QUEUE,
	KIND_LIST,
	KIND_FENCE,
	KIND_MODULE,
	KIND_KERNEL,
	KIND_LOG
};

/* The beginning of every object that a handle points to. */
struct object {
	uint64_t magic;
	const void *home; /* differs between two copies of this library */
	atomic_bool alive;
	atomic_int inside;   /* threads that are using it */
	struct object *next; /* in the list of all objects that were made */
};

struct driver {
	struct object object;
};

struct device {
	struct object object;
	unsigned number; /* the number of the root device */
	int tile;        /* -1: the root */
	struct device *root;
	unsigned n_tiles;
	struct device *tiles[ZECPU_MAX_TILES];
	bool fp64;
	atomic_bool lost;
	uint64_t memory; /* bytes */
	uint64_t used;   /* root only: bytes allocated on it and its tiles */
};

struct context {
	struct object object;
	int64_t live; /* objects made in it that still exist */
	unsigned n_devices;
	struct device *devices[ZECPU_MAX_DEVICES * (ZECPU_MAX_TILES + 1)];
};

/* An allocation, or memory that was imported or opened. */
struct memory {
	struct memory *deferred; /* the next in the list of memory to free when
				    unused */
	unsigned char *start;
	size_t size;
	unsigned char *map; /* the mapping; NULL: the program's own memory */
	size_t map_size;
	ze_memory_type_t type;
	struct device *device; /* NULL: host memory */
	struct context *context;
	bool opened;  /* it was opened with zeMemOpenIpcHandle */
	bool guarded; /* protected by ZECPU_PROTECT */
	int fd;       /* the file that shares it with other processes, or -1 */
	uint64_t id;
	unsigned users;   /* commands that use it and are not over */
	unsigned running; /* commands that use it and are running */
};

struct pool {
	struct object object;
	struct context *context;
	uint32_t count;
	bool timestamps, host_visible;
	bool counter; /* its events are counter-based */
	int64_t live; /* events that still exist */
	struct event **events;
};

struct event {
	struct object object;
	struct pool *pool;
	uint32_t index;
	bool signaled; /* for waits, unless it is counter-based */
	bool lost;     /* the command that would have signalled it was lost */
	bool timed;    /* it has timestamps */
	bool has_start;
	uint64_t start, end;      /* ticks of the device */
	unsigned waiters;         /* commands that wait for it */
	unsigned signals;         /* commands that will signal it */
	uint64_t submitted, done; /* signals of a counter-based event */
};

struct wait {
	struct event *event;
	uint64_t target; /* the signals to wait for, if it is counter-based */
};

/* A sequence of commands from which the workers take what they run. */
struct queue {
	struct device *device;
	unsigned group;
	bool in_order, synchronous;
	struct command *first, *last;
	uint64_t length;
	struct queue *next; /* in the list of queues that have commands */
	bool active;
	bool lost; /* some of its commands were lost */
};

struct list {
	struct object object;
	struct context *context;
	struct queue queue; /* where an immediate list puts its commands */
	bool immediate;
	bool closed;
	bool in_order;
	struct device *device;
	unsigned group;
	struct command *first, *last; /* recorded commands of a regular list */
	unsigned in_flight; /* commands of its executions that are not over */
};

struct command_queue {
	struct object object;
	struct context *context;
	struct queue queue;
	int64_t fences;
};

struct fence {
	struct object object;
	struct command_queue *queue;
	bool signaled, lost;
	unsigned left; /* commands that must end before it is signalled */
	bool submitted;
};

struct launch {
	struct image *image;
	const struct kernel_info *info;
	uint32_t groups[3], size[3], offset[3];
	unsigned char *values; /* the arguments' values, one after the other */
	size_t used, room;     /* bytes of `values` */
};

struct copy {
	unsigned char *to;
	const unsigned char *from;
	size_t width, rows, slices;
	size_t to_pitch, to_slice, from_pitch, from_slice;
};

struct fill {
	unsigned char *to;
	size_t size, pattern_size;
	unsigned char pattern[128];
};

enum command_type {
	COMMAND_NOTHING, /* a barrier, a wait or a signal */
	COMMAND_COPY,
	COMMAND_FILL,
	COMMAND_KERNEL,
	COMMAND_RESET,
	COMMAND_CLOCK,
	COMMAND_TIMESTAMPS
};

#define ZECPU_FEW 4

struct command {
	struct command *next, *prev; /* in its queue, or in its list */
	struct queue *queue;
	const struct context *context; /* it may use memory of this context */
	enum command_type type;
	const char *name; /* the entry that appended it */
	uint64_t number;
	bool running;
	bool after_all;  /* it starts when all commands before it are over */
	bool before_all; /* later commands start when it is over */
	unsigned n_waits, room_for_waits;
	struct wait few[ZECPU_FEW], *waits;
	struct event *signal;
	uint64_t signal_target;
	struct list *list;   /* the regular list that it was recorded in */
	struct fence *fence; /* the fence that counts it */
	unsigned n_memory, room_for_memory;
	struct memory **memory; /* the memory that it uses */
	uint32_t indirect;      /* ze_kernel_indirect_access_flags_t */
	uint64_t start;
	union {
		struct copy copy;
		struct fill fill;
		struct event *reset;
		struct {
			uint64_t *to;
		} clock;
		struct {
			unsigned n; /* events; these and then offsets are in
				       launch.values */
			unsigned char *to;
		} timestamps;
	};
	struct launch launch;
	struct kernel *kernel; /* the kernel that is launched */
};

extern struct zecpu_state {
	pthread_mutex_t lock;
	pthread_cond_t work; /* there may be a command to run */
	pthread_cond_t over; /* a command is over, or an event has changed */
	bool started;
	struct driver *driver;
	unsigned n_devices;
	struct device *devices[ZECPU_MAX_DEVICES * ZECPU_MAX_TILES];
	struct object *objects;
	_Atomic int64_t live[ZECPU_N_OBJECTS];
} zecpu;

/* --- zecpu_check.c: calls, misuse, failures on demand --- */

/* Count a call.  The entry must at once return a result other than
   ZE_RESULT_SUCCESS. */
ze_result_t zecpu_enter(enum zecpu_entry entry);
/* The entry that this thread is in. */
const char *zecpu_entry_name(void);
/* Count a misuse, and keep its text.  Returns @result. */
ze_result_t zecpu_misuse(ze_result_t result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Make a zeroed object for a handle.  NULL: no memory. */
void *zecpu_object_new(size_t size, enum kind kind);
/* Whether the handle is valid, alive and of this kind.  If not, records a
   misuse and sets *@result to what the entry must return. */
bool zecpu_object_is(const void *handle, enum kind kind, ze_result_t *result);
/* Mark the object as destroyed; its memory stays. */
void zecpu_object_end(void *handle);
/* Begin and end the use of an object that only one thread may use at a time. */
void zecpu_object_hold(void *handle);
void zecpu_object_drop(void *handle);
/* Whether a structure has the right type.  If not, records a misuse. */
bool zecpu_check_type(const void *structure, ze_structure_type_t type,
		      ze_result_t *result);
bool zecpu_check_pointer(const void *pointer, const char *what,
			 ze_result_t *result);
/* Find the structure of this type in the pNext chain of @structure; NULL:
   none. */
const void *zecpu_check_next(const void *structure, int type);
int64_t zecpu_knob(enum zecpu_knob knob);
/* Read the environment, once. */
void zecpu_check_start(void);
uint64_t zecpu_now_ns(void);
/* Sleep for @us microseconds. */
void zecpu_sleep_us(int64_t us);

/* Entries of the table in zecpu_control.c. */
uint64_t zecpu_check_violations(void);
const char *zecpu_check_violation(uint64_t n);
void zecpu_check_forget(void);
uint64_t zecpu_check_calls(const char *entry);
void zecpu_check_forget_calls(void);
bool zecpu_check_fail(const char *entry, uint64_t n, int result);
const char *zecpu_check_failed(void);
bool zecpu_check_set(const char *knob, int64_t value);
int64_t zecpu_check_get(const char *knob);

/* --- zecpu_device.c --- */

/* Make the devices.  False: no memory. */
bool zecpu_device_start(void);
/* Ticks of the devices' clock, all bits. */
uint64_t zecpu_device_ticks(void);
/* Whether the group exists; if so, sets *@properties. */
bool zecpu_device_group(unsigned group,
			ze_command_queue_group_properties_t *properties);
uint64_t zecpu_device_largest(const struct device *device);
void zecpu_device_lose(unsigned number);

/* --- zecpu_memory.c --- */

/* The memory that contains @address, or NULL if the driver does not know it.
   The lock is held. */
struct memory *zecpu_memory_find(const void *address);
struct memory *zecpu_memory_new(struct context *context, struct device *device,
				ze_memory_type_t type, size_t size);
/* Add @memory to the table of all memory.  False: no memory for that.  The lock
   is held. */
bool zecpu_memory_enter(struct memory *memory);
/* The memory that starts at @pointer.  If there is none, records a misuse and
   returns NULL. */
struct memory *zecpu_memory_at(void *context, void *pointer,
			       ze_result_t *result);
/* Free the memory, now or when no command uses it any more.  The lock is held,
   and released while this waits. */
ze_result_t zecpu_memory_free(struct memory *memory,
			      ze_driver_memory_free_policy_ext_flags_t policy);
size_t zecpu_memory_round_up(size_t size, size_t to);
/* With ZECPU_PROTECT, let the process access the memory if @open is set, else
   forbid it. */
void zecpu_memory_guard(const struct memory *memory, bool open);
bool zecpu_memory_is_open(const struct memory *memory);
/* Whether a command of @device may use this range.  If not, records a misuse.
   Records the memory as used.  @system: any host memory is allowed.  The lock
   is held. */
bool zecpu_memory_use(struct command *command, struct device *device,
		      const void *address, size_t size, bool system,
		      const char *what);
bool zecpu_memory_note(struct command *command, struct memory *memory);
/* Keep account of a command's memory when the command is submitted, begins and
   ends.  The lock is held. */
void zecpu_memory_submit(struct command *command);
void zecpu_memory_begin(struct command *command);
void zecpu_memory_end(struct command *command);

/* --- zecpu_event.c --- */

/* Whether a command that waits for the event may go on.  The lock is held. */
bool zecpu_event_done(const struct event *event, uint64_t target);
/* Record in the command the events that it waits for and signals.  If that is
   not allowed, records a misuse.  The lock is held. */
ze_result_t zecpu_event_note(struct command *command,
			     const struct context *context,
			     ze_event_handle_t signal, uint32_t n_waits,
			     ze_event_handle_t *waits);
/* Update a command's events when the command is submitted, begins, and is over.
   @lost: it did not run.  The lock is held. */
void zecpu_event_submit(struct command *command);
void zecpu_event_begin(struct command *command);
void zecpu_event_end(struct command *command, bool lost);
/* The timestamps of an event as a program sees them; the lock is held. */
ze_kernel_timestamp_result_t zecpu_event_times(const struct event *event);

/* --- zecpu_engine.c --- */

/* Make a command that is not in a queue yet.  NULL: no memory.  The lock is
   held. */
struct command *zecpu_engine_new(enum command_type type);
struct command *zecpu_engine_clone(const struct command *command);
void zecpu_engine_free(struct command *command);
/* Append the command to the queue.  The lock is held. */
void zecpu_engine_submit(struct queue *queue, struct command *command);
/* Wait until @done returns true; false if the time runs out.  The lock is
   held. */
bool zecpu_engine_wait(bool (*done)(const void *what), const void *what,
		       uint64_t timeout);
/* Wake the workers and waiters, after the host has signalled an event or a
   device was lost. */
void zecpu_engine_wake(void);
/* Let no command start until zecpu_engine_resume().  The lock is held. */
void zecpu_engine_pause(void);
void zecpu_engine_resume(void);
/* Discard the commands of lost devices, which are never executed. */
void zecpu_engine_discard(void);
/* Whether a command is running on the root device or on one of its tiles. */
bool zecpu_engine_runs(const struct device *root);
void zecpu_engine_hold(bool on);
uint64_t zecpu_engine_step(uint64_t n);
uint64_t zecpu_engine_pending(void);
uint64_t zecpu_engine_executed(void);
/* Numbers of commands that are over. */
struct engine_counts {
	uint64_t executed; /* all */
	uint64_t kernels;  /* launches */
	uint64_t overtook; /* commands that started before an older, ready
			      command */
};
struct engine_counts zecpu_engine_counts(void);

/* --- zecpu_report.c --- */

/* The process uses the driver: report when it ends. */
void zecpu_report_start(void);

/* --- zecpu_spirv.c: what a SPIR-V module says about its kernels --- */

enum argument_kind { ARGUMENT_VALUE, ARGUMENT_GLOBAL, ARGUMENT_LOCAL };

struct argument {
	enum argument_kind kind;
	size_t size, align; /* if it is a value */
	char type[24];      /* in LLVM's notation; "": a structure by value */
	const char *extend; /* "signext ", "zeroext " or "" */
};

struct kernel_info {
	char *name;
	uint32_t n_arguments;
	struct argument *arguments;
	uint32_t required[3]; /* the size that a work-group must have; 0: any */
	bool barriers;        /* it has barriers */
	uint32_t local;       /* bytes of its own local variables */
};

struct constant_info {
	uint32_t id;   /* SpecId */
	uint32_t size; /* bytes; 0: a bool */
	bool is_float;
};

struct spirv {
	uint32_t n_kernels, n_constants;
	struct kernel_info *kernels;
	struct constant_info *constants;
	bool fp64, fp16, int64_atomics, images;
	uint32_t version;
};

/* Read a module.  NULL, with the reason in @log, if the driver cannot execute
   it. */
struct spirv *zecpu_spirv_read(const void *code, size_t size, char *log,
			       size_t log_size);
void zecpu_spirv_free(struct spirv *spirv);

/* --- zecpu_exec.c: LLVM's tools --- */

/* A module as code for the host.  Modules with the same SPIR-V and options
   share one. */
struct image {
	struct image *next;
	unsigned references;
	char name[33]; /* the hash of its input */
	void *library;
	/* Held during a launch, whose ids are in the library's variables.  The
	   lock itself is one of them, since two copies of this driver share the
	   library. */
	pthread_mutex_t *lock;
	uint64_t *local_id[3], *group_id[3], *local_size[3], *n_groups[3],
		*offset[3];
	uint32_t *work_dim;
	void (**hook)(void);
};

/* Compile the module, or find it in the cache.  @options are llvm-spirv's for
   the specialization constants.  NULL after a failure, with a text in @log. */
struct image *zecpu_exec_open(const void *code, size_t size,
			      const struct spirv *spirv, const char *options,
			      char *log, size_t log_size);
void zecpu_exec_close(struct image *image);
const char *zecpu_exec_unable(void);
/* Compile OpenCL C to SPIR-V, to be freed.  NULL after a failure, with a text
   in @log. */
unsigned char *zecpu_exec_source(const void *text, size_t size,
				 size_t *out_size, char *log, size_t log_size);
uint64_t zecpu_exec_compiled(void);
/* Make two different 64-bit hashes of these bytes. */
void zecpu_exec_hash(const void *data, size_t size, uint64_t hash[2]);

/* --- zecpu_run.c --- */

/* Run a kernel, on this thread. */
void zecpu_run(const struct launch *launch);

/* --- zecpu_module.c --- */

struct module {
	struct object object;
	struct context *context;
	struct device *device;
	struct spirv *spirv;
	struct image *image;
	char *options; /* llvm-spirv's options for the specialization constants
			*/
	unsigned char *code;
	size_t size;
	int64_t live; /* kernels that still exist */
};

/* Write the flags of the last zeModuleCreate to @out; returns their length. */
size_t zecpu_module_flags(char *out, size_t size);
uint64_t zecpu_module_count(int format);

struct build_log {
	struct object object;
	char *text;
};

/* --- zecpu_kernel.c --- */

struct kernel {
	struct object object;
	struct module *module;
	const struct kernel_info *info;
	uint32_t size[3], offset[3];
	bool sized; /* zeKernelSetGroupSize was called */
	uint32_t indirect;
	bool *given;           /* whether each argument was set */
	size_t *offsets;       /* the place of each argument in `values` */
	unsigned char *values; /* the arguments' values */
	size_t values_size;
	unsigned users; /* launches that are not over */
};

/* Check a launch and copy the kernel's arguments into the command.  The lock is
   held. */
ze_result_t zecpu_kernel_note(struct command *command, struct device *device,
			      struct kernel *kernel,
			      const ze_group_count_t *groups);

/* --- zecpu_context.c --- */

bool zecpu_context_has(const struct context *context,
		       const struct device *device);

/* --- zecpu_list.c --- */

/* Check the flags of a new list or queue, and set *@out to whether it is
   in-order.  If a flag is not allowed, returns false and sets *@result to what
   the entry must return. */
bool zecpu_list_flags(uint32_t flags, uint32_t known, uint32_t in_order,
		      bool *out, ze_result_t *result);
/* Whether a list or a queue can be made on this device and engine. */
bool zecpu_list_place(const void *context, const void *device, unsigned group,
		      unsigned index, ze_result_t *result);
/* How many immediate lists were made with this priority. */
uint64_t zecpu_list_count(int priority);

/* --- zecpu_control.c --- */

const struct zecpu_control *zecpuControl(void);

#endif
