/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ze_objects.h - the objects of the Level Zero plugin and what its files share.
 * Modules and kernels are in ze_programs.h.
 *
 * Each file calls only those before it in this list: driver, error, clock,
 * device, part, event, list, submit, queue, context, mem, copy, spirv, compile,
 * module, kernel, launch, info, native, plugin.
 *
 * Locks: a thread that holds the lock of a queue may take the driver's
 * `pool_lock` or the lock of a clock, and no other.  A thread that holds the
 * driver's `context_lock` may take `leaving_lock`.  A thread that holds
 * `leaving_lock` may ask for the state of events and release them.  A thread
 * waits for work only if it holds no lock, or only `context_lock`.
 */
#ifndef ZE_OBJECTS_H
#define ZE_OBJECTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "ze_driver.h"

/* The number of events in a pool of the driver. */
#define ZE_POOL_EVENTS 64
/* Up to this many waits or pins need no allocated memory. */
#define ZE_FEW 6
/* The alignment of every allocation. */
#define ZE_ALIGN 256u

/* What an event can do. */
enum ze_event_kind {
	ZE_EVENT_PLAIN,
	ZE_EVENT_TIMED,   /* has the times of its command */
	ZE_EVENT_COUNTER, /* needs no reset; for in-order lists only */
	ZE_EVENT_KINDS
};

/* The engines of a device, by what they can do. */
enum ze_engine {
	ZE_ENGINE_COMPUTE, /* everything */
	ZE_ENGINE_COPY,    /* copies only */
	ZE_ENGINES
};

struct dprp_instance {
	const dprp_host *host;
	struct ze_api ze;
	struct ze_driver *drivers;
	uint32_t n_drivers;
	dprp_device **devices; /* the roots of all drivers */
	uint32_t n_devices;
	const char *ocloc, *llvm;    /* options: a file, a folder, or NULL */
	const char *compiler;        /* option: the only one to use, or NULL */
	atomic_uint_fast64_t n_mems; /* allocations made so far */
	/* While devices are looked for: the last call that failed, or NULL, and
	   its result. */
	bool starting;
	const char *failed;
	ze_result_t failed_with;
	pthread_mutex_t lock;
	/* Guards the fields below. */
	dprp_device *parts; /* linked by next */
};

/* One driver behind the loader.  All its devices share one ze_context. */
struct ze_driver {
	dprp_instance *instance;
	ze_driver_handle_t ze;
	uint32_t number;
	ze_api_version_t version;
	ze_driver_properties_t properties;
	char *extensions; /* names, each with its terminating zero */
	size_t extensions_size;
	/* These import memory of the program; NULL: the driver cannot. */
	ze_import_function import;
	ze_release_function release;
	ze_driver_handle_t behind; /* the driver's own handle */
	bool relaxed; /* allocations may be larger than maxMemAllocSize */
	bool ipc;
	bool kernel_group; /* it tells the largest work-group of a kernel */
	/* Whether the driver takes the in-order flag of lists, and has
	   counter-based events; true until it refuses them. */
	atomic_bool in_order, counters;
	/* Whether the driver compiles OpenCL C: 0: not tried yet, 1: yes, -1:
	   no. */
	atomic_int compiles;
	pthread_mutex_t context_lock;
	/* Guards the fields below. */
	ze_context_handle_t context; /* NULL: there is no dprp_context */
	uint32_t n_contexts;         /* dprp_contexts that share it */
	pthread_mutex_t leaving_lock;
	/* Guards the field below. */
	dprp_queue *leaving; /* leaving queues, linked by next */
	pthread_mutex_t pool_lock;
	/* Guards the fields below. */
	struct ze_pool *pools;
	struct ze_kept_list *kept;        /* lists without a queue */
	dprp_event *idle[ZE_EVENT_KINDS]; /* linked by next */
};

/* A group of equal engines. */
struct ze_group {
	uint32_t ordinal;
	uint32_t n_queues; /* 0: the device has no such engine */
	size_t max_fill;   /* bytes of a pattern */
};

/* The clock of a device, which counts ticks. */
struct ze_clock {
	uint64_t ns, per; /* `per` ticks take `ns` nanoseconds */
	uint32_t bits;    /* of a reading; it wraps */
	uint32_t event_bits;
	pthread_mutex_t lock;
	/* Guards the fields below: the last reading, extended so that it does
	   not wrap. */
	uint64_t ticks, host_ns;
	bool known;
};

struct dprp_device {
	dprp_instance *instance;
	struct ze_driver *driver;
	dprp_device *root, *parent, *next; /* a root's root is itself */
	ze_device_handle_t ze;
	uint32_t number; /* of the root among those of its driver */
	ze_device_properties_t properties;
	ze_device_compute_properties_t compute;
	ze_device_module_properties_t module;
	ze_device_memory_access_properties_t access;
	uint32_t units;  /* execution units */
	uint64_t memory; /* bytes */
	struct ze_group groups[ZE_ENGINES];
	ze_device_handle_t *tiles; /* the driver's sub-devices */
	uint32_t n_tiles;
	uint32_t tile_units;  /* of each tile; 0: no tiles, or unequal ones */
	uint32_t made_how;    /* of a part: enum dpr_partition_how */
	uint32_t made_domain; /* of a part: enum dpr_domain, or 0 */
	atomic_uint n_lists;  /* made so far; spreads them over equal engines */
	atomic_bool lost;     /* of a root: the driver said so */
	_Atomic uint64_t asked; /* of a root: when it was last asked whether it
				   is lost */
	struct ze_clock clock;
};

/* The context of a root device. */
struct dprp_context {
	dprp_instance *instance;
	struct ze_driver *driver;
	dprp_device *root;
	ze_context_handle_t ze; /* shared by all roots of the driver */
};

/* Events that were made together. */
struct ze_pool {
	struct ze_pool *next;
	ze_event_pool_handle_t ze;
	dprp_event *events; /* ZE_POOL_EVENTS */
};

/*
 * References to an event are held by: the core; its queue, until the command is
 * known to be complete; each command that waits for the event, until the
 * waiting command is known to be complete; and again its queue, while the event
 * is the newest.  Without references it is idle, and only then may it be reset
 * and used again.  Commands hold no reference to a counter-based event: they
 * keep the value that they wait for.
 */
struct dprp_event {
	dprp_event *next; /* idle, or in flight on its queue */
	struct ze_driver *driver;
	dprp_device *device; /* where its command runs */
	ze_event_handle_t ze;
	enum ze_event_kind kind;
	bool used;    /* signalled, or about to be: must be reset before the
			 next use */
	bool wrapped; /* not from a pool of the plugin */
	bool foreign; /* the program's: not destroyed */
	atomic_uint refs;
	atomic_uint result; /* ZE_RESULT_NOT_READY, or the final result */
	/* The events that this event's command waits for. */
	dprp_event **pins;
	uint32_t n_pins, max_pins;
	dprp_event *few[ZE_FEW];
	uint64_t queued; /* with times: ticks of the device's clock */
};

/* An immediate list. */
struct ze_list {
	ze_command_list_handle_t ze; /* NULL: not made yet */
	size_t max_fill;             /* bytes of a pattern */
	bool used;                   /* since the last barrier */
};

/* Commands go to the first list.  Large copies go to the second, if the device
   has engines that only copy. */
struct dprp_queue {
	dprp_instance *instance;
	struct ze_driver *driver;
	dprp_context *context;
	dprp_device *device;
	ze_context_handle_t ze_context; /* lives longer than `context` */
	dprp_queue *next; /* in the driver's list of leaving ones */
	int32_t priority;
	bool profiling, in_order;
	bool flagged; /* the driver itself keeps the order within a list */
	bool foreign; /* the program's list: not destroyed */
	/* The program has the list's handle, too, and may append to the
	   list. */
	atomic_bool shared;
	/* Guards the fields below, and every append to the lists. */
	pthread_mutex_t lock;
	struct ze_list lists[ZE_ENGINES];
	bool one_list; /* the second list cannot be made */
	/* Commands appended so far, and those of them that a finish has waited
	   for. */
	uint64_t n_appended, n_finished;
	ze_result_t unordered;       /* why the program's commands may overlap
					ours; reported once, by finish */
	struct ze_list *newest_list; /* of an in-order queue; NULL: none yet */
	dprp_event *newest;          /* event of its newest command, or NULL */
	dprp_event *barrier;         /* out of order: event of the last
					barrier */
	dprp_event *first, *last;    /* in flight, in order, linked by next */
	uint32_t n_flying, n_left;   /* the length of that list: now, and after
					the last ze_list_look() */
	dprp_event *end; /* of a leaving queue: an event that completes after
			    all its work */
};

/* How memory was made, and so how it is freed. */
enum ze_origin {
	ZE_ORIGIN_ALLOC,
	ZE_ORIGIN_IPC,     /* zeMemOpenIpcHandle */
	ZE_ORIGIN_IMPORT,  /* the driver's import */
	ZE_ORIGIN_FOREIGN, /* the program's own */
};

struct dprp_mem {
	dprp_context *context;
	enum ze_origin origin;
	uint32_t kind; /* DPRP_MEM_* */
	uint64_t size;
	uint64_t serial; /* from 1 on; unlike an address, never reused */
	char *address;
	void *base; /* what to free: at or before the address */
};

/* --- ze_error.c --- */

/* The ABI's code for a result of the driver. */
dprp_rc ze_error_rc(ze_result_t result);
/* "ZE_RESULT_ERROR_INVALID_SIZE", or "an unknown result". */
const char *ze_error_name(ze_result_t result);
/* Report the failure of @call to the host.  Returns the code of the ABI;
   DPR_RC_OK for ZE_RESULT_SUCCESS. */
dprp_rc ze_error_check(dprp_instance *instance, ze_result_t result,
		       const char *call);
/* Whether the driver says that the root of @device is lost.  If so, report it.
 */
bool ze_error_is_lost(dprp_device *device);
/* Like ze_error_check(), for a call on @device.  If the result says that the
   device is lost, records and reports that.  But if only another device of its
   driver is lost, returns DEP_FAILED. */
dprp_rc ze_error_check_device(dprp_device *device, ze_result_t result,
			      const char *call);
/* Call an entry of the loader for an instance, or for a device. */
#define ZE_TRY(instance, call, ...) \
	ze_error_check((instance), (instance)->ze.call(__VA_ARGS__), #call)
#define ZE_TRY_ON(device, call, ...)    \
	ze_error_check_device((device), \
			      (device)->instance->ze.call(__VA_ARGS__), #call)

/* --- ze_clock.c --- */

/* Set up the clock of a device whose properties are known. */
void ze_clock_init(dprp_device *device);
void ze_clock_fini(dprp_device *device);
/* The device's clock now, in ticks that do not wrap.  The driver is asked only
   if the last reading is too old.  0: the clock cannot be read. */
uint64_t ze_clock_now(dprp_device *device);
/* Extend the time stamp of an event: the first moment not before @least that
   the stamp can mean. */
uint64_t ze_clock_unwrap(const dprp_device *device, uint64_t stamp,
			 uint64_t least);
/* A moment that is certainly before @ticks, even if @ticks was computed from
   the host's clock. */
uint64_t ze_clock_before(const dprp_device *device, uint64_t ticks);
uint64_t ze_clock_to_ns(const dprp_device *device, uint64_t ticks);
dprp_device_clocks_fn ze_clock_both;

/* --- ze_device.c --- */

/* Start the drivers and find their devices.  NO_DRIVER or NO_DEVICE, with the
   reason, if there is no driver or no device. */
dprp_rc ze_device_find_all(dprp_instance *instance);
/* Free all drivers, devices and parts. */
void ze_device_free_all(dprp_instance *instance);
/* Make the description of a device or tile.  @parent: NULL for a root. */
dprp_rc ze_device_make(struct ze_driver *driver, dprp_device *parent,
		       ze_device_handle_t ze, dprp_device **out);
void ze_device_free(dprp_device *device);
dprp_device_count_fn ze_device_count;
dprp_device_get_fn ze_device_get;
dprp_device_peer_fn ze_device_peer;

/* --- ze_part.c --- */

dprp_device_partition_fn ze_part_divide;

/* --- ze_info.c --- */

dprp_device_info_fn ze_info_get;

/* --- ze_event.c --- */

/* Take an idle event, making more if there is none.  It has one reference and
   is not signalled.  If the driver refuses to make counter-based events, the
   event is a plain one.  *@out is NULL after a failure. */
dprp_rc ze_event_take(dprp_device *device, ze_context_handle_t context,
		      enum ze_event_kind kind, dprp_event **out);
static inline dprp_event *ze_event_retain(dprp_event *event)
{
	atomic_fetch_add_explicit(&event->refs, 1, memory_order_relaxed);
	return event;
}
/* Drop a reference; @event may be NULL.  After the last one the event is idle,
   or destroyed if it was wrapped. */
void ze_event_release(dprp_event *event);
/* Let @event hold a reference to @pin until its command is complete. */
dprp_rc ze_event_pin(dprp_event *event, dprp_event *pin);
/* Unpin all events that the command of @event waited for. */
void ze_event_unpin(dprp_event *event);
/* Wrap an event of the program; destroy it later if @own. */
dprp_rc ze_event_over(dprp_context *context, ze_event_handle_t ze, bool own,
		      dprp_event **out);
/* The result of the event, or ZE_RESULT_NOT_READY.  Does not wait. */
ze_result_t ze_event_ask(dprp_event *event);
/* Wait for an event: poll for a while, then sleep. */
ze_result_t ze_event_await(dprp_event *event, uint64_t timeout_ns);
dprp_event_status_fn ze_event_status;
dprp_event_wait_fn ze_event_wait;
dprp_event_destroy_fn ze_event_destroy;
/* Destroy the pools of a driver. */
void ze_event_free_all(struct ze_driver *driver);

/* --- ze_list.c --- */

/* Get the queue's list for an engine.  The list for copies is made on first
   use; if it cannot be used, *@out is the other list.  The queue must be
   locked. */
dprp_rc ze_list_get(dprp_queue *queue, enum ze_engine engine,
		    struct ze_list **out);
/* Give up the lists of a queue; their work is over.  They are kept for other
   queues. */
void ze_list_drop_all(dprp_queue *queue);
/* Take a list whose commands are complete when their calls return, and give it
   back. */
dprp_rc ze_list_take_waiting(dprp_queue *queue, ze_command_list_handle_t *out);
void ze_list_give_waiting(dprp_queue *queue, ze_command_list_handle_t ze);
/* Destroy the lists that are kept. */
void ze_list_free_kept(struct ze_driver *driver);
/* The kind of event that a command of this queue signals. */
enum ze_event_kind ze_list_event_kind(const dprp_queue *queue, bool timed);
/* Keep @event, and the events that its command waits for, until the command is
   known to be complete.  The queue must be locked. */
void ze_list_keep(dprp_queue *queue, dprp_event *event);
/* Check which commands are complete, if many are in flight or @always is set.
   The queue must be locked. */
void ze_list_look(dprp_queue *queue, bool always);
/* Drop all commands and events.  Each must be complete or unable to
   complete. */
void ze_list_forget(dprp_queue *queue);

/* --- ze_queue.c --- */

dprp_queue_create_fn ze_queue_create;
dprp_queue_destroy_fn ze_queue_destroy;
/* Wrap an immediate list of the program; destroy it later if @own. */
dprp_rc ze_queue_over(dprp_context *context, dprp_device *device,
		      ze_command_list_handle_t list, bool own,
		      dprp_queue **out);
dprp_queue_flush_fn ze_queue_flush;
dprp_queue_finish_fn ze_queue_finish;
/* Destroy the driver's leaving queues whose work is complete.  If @all, destroy
   every leaving queue after waiting for its work. */
void ze_queue_sweep(struct ze_driver *driver, bool all);

/* --- ze_context.c --- */

dprp_context_create_fn ze_context_create;
dprp_context_destroy_fn ze_context_destroy;

/* --- ze_submit.c --- */

/*
 * One submission.  Between ze_submit_begin() and ze_submit_end() the queue is
 * locked, and one command is appended to `list`, which signals `signal` and
 * waits for `waits`:
 *
 *	rc = ze_submit_begin(&s, queue, ZE_ENGINE_COMPUTE, deps, event);
 *	if (rc)
 *		return rc;
 *	result = ze->zeCommandListAppendX(s.list, ..., s.signal, s.n_waits,
 *					  s.waits);
 *	return ze_submit_end(&s, result, "zeCommandListAppendX");
 *
 * Between the two calls, call no function of the driver that may wait.
 */
struct ze_submit {
	ze_command_list_handle_t list;
	ze_event_handle_t signal; /* NULL: nothing to signal */
	uint32_t n_waits;
	ze_event_handle_t *waits; /* NULL: nothing to wait for */
	/* The other fields are for ze_submit.c only. */
	dprp_queue *queue;
	struct ze_list *on;
	dprp_event *event;
	dprp_event **out;
	bool always;         /* take an event even if none is wanted */
	bool finishes;       /* all work is complete after it */
	uint64_t now;        /* with times: ticks */
	dprp_event **events; /* the events whose handles are in `waits` */
	uint32_t max_waits;
	void *more; /* memory for more than ZE_FEW waits, or NULL */
	dprp_event *few_events[ZE_FEW];
	ze_event_handle_t few[ZE_FEW];
};

/* Lock the queue; choose the list, the waits and the event.  CANNOT_WAIT: a
   dependency is an event of another driver, or the list cannot wait for it.
   After a failure the queue is not locked, and *@event is NULL. */
dprp_rc ze_submit_begin(struct ze_submit *submit, dprp_queue *queue,
			enum ze_engine engine, const dprp_deps *deps,
			dprp_event **event);
/* Handle the driver's result of the append, and unlock the queue. */
dprp_rc ze_submit_end(struct ze_submit *submit, ze_result_t result,
		      const char *call);
/* Handle a failure after the list has taken a command: the call that was to
   make the end of that command known has returned @result.  Unlocks the queue,
   and waits for the command, because the core takes its memory for unused. */
dprp_rc ze_submit_end_late(struct ze_submit *submit, ze_result_t result,
			   const char *call);
/* Submit work that runs nothing, and is complete when another submission with
   these @deps could start. */
dprp_queue_barrier_fn ze_submit_nothing;
/* Get an event that completes after all work that was submitted before. */
dprp_rc ze_submit_mark(dprp_queue *queue, dprp_event **event);
dprp_queue_barrier_fn ze_submit_barrier;

/* --- ze_mem.c --- */

dprp_mem_alloc_fn ze_mem_alloc;
dprp_mem_free_fn ze_mem_free;
dprp_mem_info_fn ze_mem_info;
dprp_mem_ipc_export_fn ze_mem_ipc_export;
dprp_mem_ipc_import_fn ze_mem_ipc_import;
/* Wrap memory of the program. */
dprp_rc ze_mem_over(dprp_context *context, uintptr_t at, uint64_t size,
		    bool own, dprp_mem **out);
/* Find out whether the driver knows this host memory.  If so, a copy from or to
   it does not wait for the list.  HOST_MEMORY: the driver does not know it. */
dprp_rc ze_mem_check_known(dprp_context *context, const void *address,
			   uint64_t size);

/* --- ze_copy.c --- */

dprp_queue_write_fn ze_copy_write;
dprp_queue_read_fn ze_copy_read;
dprp_queue_copy_fn ze_copy_copy;
dprp_queue_fill_fn ze_copy_fill;
dprp_queue_prefetch_fn ze_copy_prefetch;
dprp_queue_advise_fn ze_copy_advise;

/* --- ze_native.c --- */

dprp_native_get_fn ze_native_get;
dprp_native_wrap_fn ze_native_wrap;

#endif
