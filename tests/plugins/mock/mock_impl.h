/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mock_impl.h - the inside of the mock backend.
 *
 * One lock guards everything that changes, in all instances: in tests, simple
 * code matters more than speed.  While it is held, only alloc and free of the
 * host's services are called.
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

/* The minor version of the interface for which the plugin is built. */
#ifndef MOCK_MINOR
#define MOCK_MINOR DPRP_ABI_MINOR
#endif

#define MOCK_MAX_FORMATS 8
#define MOCK_MAX_ARGS 64
#define MOCK_ALIGN 64

extern pthread_mutex_t mock_lock;
/* Signalled whenever something changes for which a thread may wait. */
extern pthread_cond_t mock_changed;

enum { MOCK_IPC_NONE, MOCK_IPC_FD, MOCK_IPC_NAME };

struct mock_options {
	uint32_t devices, type, units, domains, peer;
	uint32_t kinds;           /* 1 << DPRP_MEM_* */
	uint64_t unit, groups[3]; /* 0: not told */
	uint64_t memory, max_alloc, offset_align, misalign, copy_threads;
	bool addresses, profiling, out_of_order, fp16, fp64, host_memory;
	bool notify, optional, deps, lazy, overlap, hasty, late, sizes, waits;
	bool pageable;
	uint32_t ipc;       /* MOCK_IPC_* */
	uint64_t build;     /* the DPRP_BUILD_* flags that have an effect */
	uint64_t single_fp; /* 0: not told */
	uint64_t cut;       /* a key of info.h; 0: none */
	uint64_t dlpack;    /* DLPack's device type of all memory; 0: none */
	bool has_uuid, has_pci;
	unsigned char uuid[16];
	uint32_t pci[4];
	const char *targets; /* separated by commas; NULL: not told */
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
	dprp_device *next; /* in the list of the instance's sub-devices */
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
	dprp_queue *queues;  /* all whose threads have not been joined */
	dprp_instance *next; /* in the list of all instances */
	dprp_mem *mems;      /* the memory that write and read accept */
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
	unsigned char *bytes; /* where commands read and write */
	void *address; /* the address that the core is told; unreadable for
			  DEVICE memory */
	void *block;   /* from host->alloc; NULL: not ours */
	void *mapping; /* the unreadable pages behind address, or NULL */
	uint64_t mapped;
	int file;     /* the file that is mapped at `shared` */
	void *shared; /* the mapping that contains `bytes`, or NULL */
	uint64_t shared_size;
	bool reserved; /* its size counts against the device's memory */

	/* Under mock_lock. */
	dprp_mem *next; /* in instance->mems */
	uint64_t users; /* commands that use it as their host memory */
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
	uint64_t number; /* the number of its command on its queue */
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
	dprp_rc fault; /* if set, the command fails with this instead of running
			*/
	int64_t fault_native;
	uint32_t n_deps;
	dprp_event **deps; /* with a reference each; stored after the struct */

	dprp_mem *host; /* the host memory, which counts this as a user; or NULL
			 */
	unsigned char *to;
	const unsigned char *from;
	uint64_t size;
	unsigned char pattern[128];
	uint64_t pattern_size;
	const struct mock_kernel *kernel;
	const dprp_native_kernel *native;
	uint64_t global[3], local[3];
	uint32_t n_args;
	void *args[MOCK_MAX_ARGS]; /* point into `values`, or to pointers[i] */
	void *pointers[MOCK_MAX_ARGS];
	unsigned char *values; /* stored after the struct */
};

struct dprp_queue {
	dprp_instance *instance;
	dprp_device *device;
	uint64_t flags, id;
	pthread_t threads[2];
	unsigned n_threads;

	/* Under mock_lock. */
	unsigned n_ended;   /* threads that have ended */
	unsigned n_running; /* commands that are running */
	struct mock_command *first, *last;
	uint64_t enqueued, completed, flushed;
	struct mock_command *running;
	unsigned handles; /* not destroyed yet: the first one and those wrapped
			   */
	bool destroyed, exited;
	dprp_queue *next; /* in the list of the instance's queues */
	dprp_rc error;    /* the first one since the last finish */
	int64_t error_native;
	char error_text[200];
};

/* A kernel that the mock knows. */
struct mock_kernel {
	const char *name;
	dprp_rc (*run)(const uint64_t global[3], void *const *args);
	uint32_t n_params;
	dprp_param params[5];
};

#define MOCK_MOST_KERNELS 192

struct dprp_module {
	dprp_instance *instance;
	const dprp_native_module *native; /* NULL: `known` has the kernels */
	bool known[MOCK_MOST_KERNELS];    /* for each one of mock_kernels[] */
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
/* The array kernels of mock_arrays.c. */
dprp_rc mock_flat_add(const uint64_t global[3], void *const *args);
dprp_rc mock_strided_add(const uint64_t global[3], void *const *args);
dprp_rc mock_strided_multiply(const uint64_t global[3], void *const *args);
dprp_rc mock_strided_equal(const uint64_t global[3], void *const *args);
dprp_rc mock_flat_square(const uint64_t global[3], void *const *args);
dprp_rc mock_flat_less(const uint64_t global[3], void *const *args);
/* clang-format off */
#define MOCK_STRIDED_MAP(X)                                             \
	X(cast_int32_float32) X(cast_int32_float64)                     \
	X(cast_int64_int32) X(cast_int64_uint64)                        \
	X(cast_float32_float16) X(cast_float32_bfloat16)                \
	X(cast_bfloat16_float32)                                        \
	X(copy_uint8) X(copy_uint16) X(copy_uint32) X(copy_uint64)      \
	X(copy_complex128)
#define MOCK_FLAT_MAP(X)                                                \
	X(add_float64) X(multiply_float64)                              \
	X(equal_int64) X(greater_equal_int64) X(less_int64)             \
	X(equal_uint64) X(less_uint64)                                  \
	X(bitwise_and_bool) X(bitwise_or_bool)                          \
	X(bitwise_and_int32) X(bitwise_xor_int32) X(less_int32)         \
	X(bitwise_or_int32) X(equal_int32) X(not_equal_bool)            \
	X(equal_float32) X(not_equal_float32)                           \
	X(minimum_float32) X(maximum_float32)                           \
	X(ldexp_float32) X(minimum_uint64)
#define MOCK_FLAT_1_MAP(X) X(bitwise_invert_int32) X(negative_int32)
#define MOCK_WHERE_MAP(X) X(where_uint32) X(where_uint64)
/* clang-format on */
#define MOCK_STRIDED__X(name)                                 \
	dprp_rc mock_strided_##name(const uint64_t global[3], \
				    void *const *args);
MOCK_STRIDED_MAP(MOCK_STRIDED__X)
#undef MOCK_STRIDED__X
dprp_rc mock_strided_fill(const uint64_t global[3], void *const *args);
#define MOCK_FLAT__X(name) \
	dprp_rc mock_flat_##name(const uint64_t global[3], void *const *args);
MOCK_FLAT_MAP(MOCK_FLAT__X)
MOCK_FLAT_1_MAP(MOCK_FLAT__X)
MOCK_WHERE_MAP(MOCK_FLAT__X)
#undef MOCK_FLAT__X
dprp_rc mock_matmul(const uint64_t global[3], void *const *args);
dprp_rc mock_strided_index(const uint64_t global[3], void *const *args);
dprp_rc mock_strided_put(const uint64_t global[3], void *const *args);
dprp_rc mock_strided_gather(const uint64_t global[3], void *const *args);

extern const struct mock_kernel mock_kernels[];
extern const size_t mock_n_kernels;

/* mock_plugin.c */
void *mock_alloc(dprp_instance *instance, size_t size); /* zeroed */
void mock_free(dprp_instance *instance, void *block);
/* Report an error to the host.  Returns @rc. */
dprp_rc mock_fail(dprp_instance *instance, dprp_rc rc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* UNSUPPORTED if a struct has bytes beyond @size, what the mock knows, that are
   not zero.  Structs of older cores, which are shorter, do not occur. */
dprp_rc mock_known(dprp_instance *instance, const void *from, size_t size);
uint64_t mock_now(void); /* CLOCK_MONOTONIC, nanoseconds */

/* mock_control.c */
/* Count a call of @entry.  Returns the fault that was ordered for it, or OK. */
dprp_rc mock_enter(dprp_instance *instance, enum mock_entry entry);
void mock_count(enum mock_entry entry); /* for entries without a status */
/* Record that this thread submits held work, because it has called
   event->notify. */
void mock_is_sender(void);
/* With WAITS=1, wait until nothing runs on @root or, if that is NULL, on any
   device. */
void mock_wait_idle(const dprp_instance *instance, const dprp_device *root);
/* The value ordered by lie(); 0: none. */
uint64_t mock_lie(enum mock_lie what);
void mock_born(enum mock_object what, int by); /* takes the lock */
void mock_bytes_add(int64_t by);               /* under the lock */
/* Apply the orders of tests from the control table.  Call these under the
   lock. */
void mock_command_orders(struct mock_command *command);
bool mock_may_start(void);
void mock_started(void); /* uses up a step */
bool mock_reorders(void);
void mock_record(const struct mock_record *record);
void mock_note_create(const dprp_module_desc *desc); /* takes the lock */
void mock_refused(void);                             /* under the lock */
void mock_violation(void);                           /* under the lock */
/* Begin and end a read or a write.  Release the lock while they wait. */
void mock_move_begin(bool write);
void mock_move_end(bool write);
extern dprp_instance *mock_instances;

/* mock_event.c */
dprp_event *mock_event_new(dprp_instance *instance);
void mock_event_drop(dprp_event *event); /* under the lock */
/* Under the lock: complete @event, and add the tokens to notify to *@told. */
void mock_event_complete(dprp_event *event, dprp_rc rc, int64_t native,
			 const char *text, struct mock_token **told);
/* Without the lock: notify the host of these tokens, and free them. */
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
/* Under the lock: let everything that is pending on @queue fail. */
void mock_queue_abort(dprp_queue *queue, dprp_rc rc, const char *text,
		      struct mock_token **told);
void mock_queue_flushed(dprp_queue *queue); /* under the lock */
/* Make another handle of the queue whose native handle is @in. */
dprp_rc mock_queue_wrap(dprp_instance *instance, dprp_device *device,
			uintptr_t in, uint64_t *flags, dprp_queue **out);
/* Join the threads that have ended, and free their queues.  With @all, wait for
   all threads first. */
void mock_queues_reap(dprp_instance *instance, bool all);

/* mock_mem.c */
/* Under the lock: find the memory that contains these bytes and was allocated
   for the host or imported; NULL: none. */
dprp_mem *mock_mem_find(const dprp_instance *instance, const void *host,
			uint64_t size);
/* Under the lock: record that a command no longer uses @mem, which may be NULL
   or already freed. */
void mock_mem_unused(const dprp_instance *instance, const dprp_mem *mem);

/* mock_module.c */
dprp_rc mock_launch_fill(struct mock_command *command, dprp_device *device,
			 dprp_kernel *kernel, const dprp_launch *launch);
uint64_t mock_launch_bytes(const dprp_launch *launch);

/* Answer an info request with the @size bytes at @value. */
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
