/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.h - the host backend inside: the CPU, without any driver.
 *
 * Each file calls those before it in this list: util, cpu, copy, context,
 * device, info, event, mem, module, launch, work, here, queue, plugin.
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

#include "backends/library/library.h"

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

struct dprp_instance {
	dprp_host host;
	dprp_device root;
	uint64_t memory; /* of the machine, in bytes */
	char sys_root[256];
	struct library_set libraries;

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

/* The sizes of a launch. */
struct host_sizes {
	struct dprh_sizes native;
	struct library_plan plan; /* of a routine */
};

struct dprp_module {
	dprp_instance *instance;
	const dprp_native_module *native;
	struct library_call call;
};

struct dprp_kernel {
	dprp_instance *instance;
	const dprp_native_kernel *native;
	struct library_call call;
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

dprp_context_create_fn host_context_create;
dprp_context_destroy_fn host_context_destroy;

/* --- host_device.c --- */

/* Free what the device owns, but not the struct. */
void host_device_fini(dprp_device *device);
/* Get the team of @device, which is made on first use. */
dprp_rc host_device_team(dprp_device *device, struct dprh_team **out);
/* The number of NUMA nodes of @device. */
uint32_t host_device_nodes(dprp_device *device);
dprp_device_count_fn host_device_count;
dprp_device_get_fn host_device_get;
dprp_device_partition_fn host_device_partition;
dprp_device_peer_fn host_device_peer;
dprp_device_clocks_fn host_device_clocks;

/* --- host_info.c --- */

dprp_device_info_fn host_info_get;

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
dprp_event_status_fn host_event_status;
dprp_event_wait_fn host_event_wait;
dprp_event_destroy_fn host_event_destroy;
dprp_event_notify_fn host_event_notify;

/* --- host_mem.c --- */

dprp_mem_alloc_fn host_mem_alloc;
/* Make a dprp_mem for memory that stays the program's.  INVALID: the memory is
   not mapped. */
dprp_rc host_mem_wrap(dprp_context *context, uintptr_t address, uint64_t size,
		      dprp_mem **out);
dprp_mem_free_fn host_mem_free;
dprp_mem_info_fn host_mem_info;

/* --- host_module.c --- */

dprp_module_pick_fn host_module_pick;
dprp_module_create_fn host_module_create;
dprp_module_destroy_fn host_module_destroy;
dprp_module_kernel_fn host_module_kernel;
dprp_module_kernel_destroy_fn host_module_kernel_destroy;
dprp_module_kernel_info_fn host_module_kernel_info;

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
dprp_queue_create_fn host_queue_create;
dprp_queue_destroy_fn host_queue_destroy;
dprp_queue_flush_fn host_queue_flush;
dprp_queue_finish_fn host_queue_finish;
dprp_queue_barrier_fn host_queue_barrier;
dprp_queue_write_fn host_queue_write;
dprp_queue_read_fn host_queue_read;
dprp_queue_copy_fn host_queue_copy;
dprp_queue_launch_fn host_queue_launch;
dprp_queue_fill_fn host_queue_fill;
dprp_queue_prefetch_fn host_queue_prefetch;
dprp_queue_advise_fn host_queue_advise;

#endif
