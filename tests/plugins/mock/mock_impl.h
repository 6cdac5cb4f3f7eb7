/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mock_impl.h - the mock backend inside.
 *
 * One lock guards everything that changes, in all instances: tests want plain
 * code more than speed.  Of the host services only alloc and free are called
 * with it held.
 */
#ifndef MOCK_IMPL_H
#define MOCK_IMPL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/plugins/mock.h"

#ifndef MOCK_NAME
#define MOCK_NAME "mock"
#endif

#define MOCK_MAX_FORMATS 8
#define MOCK_MAX_ARGS 64
#define MOCK_ALIGN 64

extern pthread_mutex_t mock_lock;
/* Signalled whenever something that anybody waits for has changed. */
extern pthread_cond_t mock_changed;

struct mock_options {
	uint32_t devices, type, units, domains, peer;
	uint32_t kinds; /* 1 << DPRP_MEM_* */
	uint64_t memory, max_alloc, offset_align, misalign, copy_threads;
	bool addresses, profiling, out_of_order, fp16, fp64, host_memory;
	bool notify, optional, deps, lazy, overlap, hasty, late;
	uint64_t cut; /* a key of info.h; 0: none */
	bool has_uuid, has_pci;
	unsigned char uuid[16];
	uint32_t pci[4];
	uint32_t n_formats;
	char formats[MOCK_MAX_FORMATS][32];
};

struct mock_token {
	struct mock_token *next;
	dprp_instance *instance;
	uint64_t token;
	dprp_rc rc;
};

struct dprp_device {
	dprp_instance *instance;
	dprp_device *root, *parent;
	dprp_device *next; /* of the instance's sub-devices */
	uint32_t index, units, how;
	bool lost;     /* roots only; under mock_lock */
	uint64_t used; /* roots only; bytes allocated; under mock_lock */
};

struct dprp_instance {
	dprp_host host;
	struct mock_options options;
	dprp_device *roots;

	/* Under mock_lock. */
	dprp_device *subs;
	dprp_queue *queues;  /* all whose thread has not been joined */
	dprp_instance *next; /* of all instances */
	bool closing;
};

struct dprp_context {
	dprp_instance *instance;
	dprp_device *root;
};

struct dprp_mem {
	dprp_instance *instance;
	dprp_device *root;
	uint32_t kind;
	uint64_t size;
	unsigned char *bytes; /* where commands work */
	void *address;        /* what is told: unreadable for DEVICE memory */
	void *block;          /* from host->alloc; NULL: not ours */
	void *mapping;        /* the unreadable pages behind address, or NULL */
	uint64_t mapped;
	bool reserved; /* counts as memory of the device */
};

struct dprp_event {
	dprp_instance *instance;
	bool profiling;

	/* Under mock_lock. */
	unsigned refs;
	dprp_queue *queue; /* NULL when complete */
	dprp_device *device;
	uint32_t state;
	dprp_rc rc;
	int64_t native;
	uint64_t number; /* of its command on its queue */
	uint64_t t_queued, t_submit, t_start, t_end;
	struct mock_token *tokens;
	char text[200];
};

enum mock_kind {
	MOCK_BARRIER,
	MOCK_WRITE,
	MOCK_READ,
	MOCK_COPY,
	MOCK_FILL,
	MOCK_PREFETCH,
	MOCK_LAUNCH
};

struct mock_command {
	struct mock_command *next;
	dprp_event *event;
	enum mock_kind kind;
	const char *what;
	uint64_t number, not_before;
	bool stalled;
	dprp_rc fault; /* it fails with this instead of running */
	int64_t fault_native;
	uint32_t n_deps;
	dprp_event **deps; /* a reference each; behind the struct */

	unsigned char *to;
	const unsigned char *from;
	uint64_t size;
	unsigned char pattern[128];
	uint64_t pattern_size;
	const struct mock_kernel *kernel;
	const dprp_native_kernel *native;
	uint64_t global[3], local[3];
	uint32_t n_args;
	void *args[MOCK_MAX_ARGS]; /* to values, or to pointers[i] */
	void *pointers[MOCK_MAX_ARGS];
	unsigned char *values; /* behind the struct */
};

struct dprp_queue {
	dprp_instance *instance;
	dprp_device *device;
	uint64_t flags, id;
	pthread_t threads[2];
	unsigned n_threads;

	/* Under mock_lock. */
	unsigned n_ended;   /* threads */
	unsigned n_running; /* commands */
	struct mock_command *first, *last;
	uint64_t enqueued, completed, flushed;
	struct mock_command *running;
	bool destroyed, exited;
	dprp_queue *next; /* of the instance's queues */
	dprp_rc error;    /* first since the last finish */
	int64_t error_native;
	char error_text[200];
};

/* One of the kernels that the mock knows. */
struct mock_kernel {
	const char *name;
	dprp_rc (*run)(const uint64_t global[3], void *const *args);
	uint32_t n_params;
	dprp_param params[4];
};

struct dprp_module {
	dprp_instance *instance;
	const dprp_native_module *native; /* NULL: the names below */
	uint64_t known;                   /* bit per kernel of mock_kernels[] */
};

struct dprp_kernel {
	dprp_instance *instance;
	const struct mock_kernel *kernel;
	const dprp_native_kernel *native;
};

extern const dprp_device_ops mock_device_ops;
extern const dprp_context_ops mock_context_ops;
extern const dprp_queue_ops mock_queue_ops;
extern const dprp_event_ops mock_event_ops;
extern const dprp_mem_ops mock_mem_ops;
extern const dprp_module_ops mock_module_ops;
extern const struct mock_control mock_control;
extern const struct mock_kernel mock_kernels[];
extern const size_t mock_n_kernels;

/* mock_plugin.c */
void *mock_alloc(dprp_instance *instance, size_t size); /* zeroed */
void mock_free(dprp_instance *instance, void *block);
/* Tell the host and return @rc. */
dprp_rc mock_fail(dprp_instance *instance, dprp_rc rc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* UNSUPPORTED if a struct has more than @size bytes of which some are not
   zero.  (The mock knows no older core: a shorter one is none of its.) */
dprp_rc mock_known(dprp_instance *instance, const void *from, size_t size);
uint64_t mock_now(void); /* CLOCK_MONOTONIC, nanoseconds */

/* mock_control.c */
/* Count a call of @entry; the fault that was ordered for it, or OK. */
dprp_rc mock_enter(dprp_instance *instance, enum mock_entry entry);
void mock_count(enum mock_entry entry); /* for those without a status */
/* What was ordered with lie(); 0: nothing. */
uint64_t mock_lie(enum mock_lie what);
void mock_born(enum mock_object what, int by); /* takes the lock */
void mock_bytes_add(int64_t by);               /* under the lock */
/* What the control table says, under the lock. */
void mock_command_orders(struct mock_command *command);
bool mock_may_start(void);
void mock_started(void); /* takes a step */
bool mock_reorders(void);
void mock_record(const struct mock_record *record);
/* A read or a write begins, and is over; lets the lock go while it waits. */
void mock_move_begin(bool write);
void mock_move_end(bool write);
extern dprp_instance *mock_instances;

/* mock_event.c */
dprp_event *mock_event_new(dprp_instance *instance);
void mock_event_drop(dprp_event *event); /* under the lock */
/* Under the lock: complete @event; who asked to be told goes to *@told. */
void mock_event_complete(dprp_event *event, dprp_rc rc, int64_t native,
			 const char *text, struct mock_token **told);
/* Without the lock: tell them. */
void mock_tell(struct mock_token *told);
static inline bool mock_event_over(const dprp_event *event)
{
	return event->state >= DPRP_EVENT_DONE;
}

/* mock_queue.c, mock_worker.c */
dprp_rc mock_device_check(dprp_device *device, const char *what);
void *mock_queue_run(void *queue);
/* Under the lock: complete and free @command. */
void mock_command_end(dprp_queue *queue, struct mock_command *command,
		      dprp_rc rc, int64_t native, const char *text,
		      struct mock_token **told);
/* Under the lock: everything pending on @queue fails. */
void mock_queue_abort(dprp_queue *queue, dprp_rc rc, const char *text,
		      struct mock_token **told);
void mock_queue_flushed(dprp_queue *queue); /* under the lock */
/* Join the threads that have ended, and free their queues; @all: wait. */
void mock_queues_reap(dprp_instance *instance, bool all);

/* mock_module.c */
dprp_rc mock_launch_fill(struct mock_command *command, dprp_device *device,
			 dprp_kernel *kernel, const dprp_launch *launch);
uint64_t mock_launch_bytes(const dprp_launch *launch);

/* Answer an info request of @size bytes at @value. */
dprp_rc mock_answer(dprp_instance *instance, const void *value, size_t size,
		    void *buffer, size_t capacity, size_t *need);

#define MOCK_ENTER(instance, entry)                                 \
	do {                                                        \
		dprp_rc enter_rc = mock_enter((instance), (entry)); \
		if (enter_rc)                                       \
			return enter_rc == MOCK_NOTHING ? DPR_RC_OK \
							: enter_rc; \
	} while (0)
#define MOCK_KNOWN(instance, from)                                       \
	do {                                                             \
		dprp_rc known_rc =                                       \
			mock_known((instance), (from), sizeof(*(from))); \
		if (known_rc)                                            \
			return known_rc;                                 \
	} while (0)

#endif
