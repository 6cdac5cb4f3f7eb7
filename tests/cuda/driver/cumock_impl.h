/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cumock_impl.h - the objects of the mock of NVIDIA's driver.
 *
 * One lock guards everything.  Each entry begins with cumock_begin(), which
 * counts the call and may make it fail, and ends with cumock_end().  The memory
 * of handles is never freed, so that the use of a destroyed handle is found.
 */
#ifndef CUMOCK_IMPL_H
#define CUMOCK_IMPL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cumock_types.h"
#include "tests/cuda/cumock.h"

enum cumock_entry {
#define CUDA_ENTRY(since, name, version) CUMOCK_##name,
#include "backends/cuda/cuda_entries.def"
#undef CUDA_ENTRY
	CUMOCK_N_ENTRIES
};

#define CUDA_ENTRY(since, name, version) \
	__typeof__(*(PFN_##name##_v##version)NULL) cumock_##name;
#include "backends/cuda/cuda_entries.def"
#undef CUDA_ENTRY

/* The beginning of every object that a handle points to. */
struct handle {
	uint32_t magic;
	bool alive;
	struct handle *next; /* in the list of all that were made */
	struct context *context;
	uint64_t life; /* the context's id when this was made */
};

enum { /* handle.magic */
       MAGIC_CONTEXT = 0x43550001,
       MAGIC_STREAM,
       MAGIC_EVENT,
       MAGIC_LIBRARY,
       MAGIC_KERNEL,
       MAGIC_FUNCTION,
       MAGIC_LINK,
       MAGIC_GREEN,
       MAGIC_DESC
};

struct device {
	const struct cumock_device_settings *settings;
	int number;
	struct context *primary;
	unsigned retains;
	CUresult lost; /* the error of all calls after a fault, or 0 */
	uint64_t used; /* bytes of its memory in use */
	bool enabled[CUMOCK_DEVICES]; /* the peers whose memory it may use */
};

struct context {
	struct handle handle;
	struct device *device;
	bool active;
	uint64_t id; /* changes each time that the context becomes active */
	struct green *green;
	struct stream *legacy;
	pthread_t user; /* of a green context: the thread that uses it */
	unsigned users; /* how often the context is on that thread's stack */
};

/* A point in a stream. */
struct moment {
	unsigned refs;
	bool done;
	CUresult error;
	uint64_t ns;
};

struct stream {
	struct handle handle;
	struct stream *next; /* in the list of streams that may have work */
	unsigned flags;
	bool busy;
	struct operation *first, *last;
	struct moment *end; /* the end of the last operation; NULL: none yet */
	uint64_t host_functions; /* how many were enqueued */
};

struct event {
	struct handle handle;
	unsigned flags;
	struct moment *moment; /* NULL: never recorded */
};

struct kernel {
	struct handle handle;
	struct kernel *next; /* in its library's list */
	struct library *library;
	char *name;
	size_t n_params;
	size_t *sizes, *offsets;
	size_t bytes;              /* the size of all parameters */
	unsigned need[3];          /* .reqntid, or 0 */
	unsigned most;             /* .maxntid, or 0 */
	int shared;                /* MAX_DYNAMIC_SHARED_SIZE_BYTES */
	struct function *function; /* made on demand */
};

struct function {
	struct handle handle;
	struct kernel *kernel;
};

struct library {
	struct handle handle;
	struct kernel *kernels;
	uint64_t loaded[CUMOCK_DEVICES]; /* the id of the context it is loaded
					    in, or 0 */
};

/* An operation of a stream. */
struct operation {
	struct operation *next;
	struct stream *stream;
	uint64_t number;
	struct moment *moment;
	struct moment **after;
	unsigned n_after;
	/* Does the work, without the lock.  NULL: nothing to do. */
	CUresult (*run)(struct operation *op);
	bool always; /* it runs even after a fault */
	int delay;   /* how long it sleeps first, in microseconds */
	/* Arguments of run(). */
	unsigned char *to;
	const unsigned char *from;
	size_t size, unit;
	uint32_t value;
	CUhostFn host;
	void *user;
	cumock_function function;
	struct cumock_run launch;
	void *owned; /* memory that is freed with the operation */
};

extern struct cumock_state {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool started;
	int pid; /* the process that has called cuInit */
	struct device devices[CUMOCK_DEVICES];
	struct handle *handles;
	struct stream *streams;
	uint64_t submitted, pending, launched, ids, random;
	bool held;
	CUstream captured; /* NULL: none */
	int workers;
	int64_t live[CUMOCK_N_OBJECTS];
} cumock;

extern struct cumock_settings cumock_settings;
/* Exported. */
extern const struct cumock cumock_control;

/* --- cumock_entry.c --- */

/* Take the lock and count the call.  cumock_end() must be called afterwards,
   even if this returns an error. */
CUresult cumock_begin(enum cumock_entry entry);
/* Release the lock.  Returns @error. */
CUresult cumock_end(CUresult error);
/* The entry that this thread is in. */
const char *cumock_entry_name(void);
/* Count a misuse.  Returns @error. */
CUresult cumock_misuse(CUresult error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Record that this thread's call waits. */
void cumock_entry_waits(bool device);
uint64_t cumock_entry_ns(void);
/* Set while this thread runs a host function. */
extern _Thread_local bool cumock_in_host_function;

/* --- cumock_handle.c --- */

/* Make a zeroed object for a handle.  NULL: no memory. */
void *cumock_handle_new(size_t size, uint32_t magic, struct context *context);
/* Get the object of a handle.  If it is not alive, or *@error is an error
   already, returns NULL with *@error set. */
void *cumock_handle_get(void *pointer, uint32_t magic, CUresult *error);
/* Mark the object as destroyed.  Its memory stays. */
void cumock_handle_end(void *pointer);
/* Mark all objects of a context as destroyed. */
void cumock_handle_end_all(const struct context *context);
/* The error with which the handle's context has failed, or success. */
CUresult cumock_handle_state(const struct handle *handle);

/* --- cumock_context.c --- */

/* The current context of this thread, or NULL with *@error set. */
struct context *cumock_context_current(CUresult *error);
size_t cumock_context_depth(void);
struct context *cumock_context_primary(struct device *device);
/* The device of this number, or NULL with *@error set. */
struct device *cumock_context_device(CUdevice number, CUresult *error);
CUresult cumock_context_retain(struct device *device);
void cumock_context_release(struct device *device);
/* Destroy the primary context.  @forget: with the program's objects in it,
   which otherwise still count as live. */
void cumock_context_reset(struct device *device, bool forget);

/* --- cumock_stream.c --- */

struct stream *cumock_stream_new(struct context *context, unsigned flags);
/* Get the stream of a handle, which may be a special handle such as 0. */
struct stream *cumock_stream_get(CUstream handle, CUresult *error);
/* Add an operation to the end of a stream.  The lock is held, so the caller can
   complete the operation's members.  NULL: no memory. */
struct operation *cumock_stream_add(struct stream *stream);
bool cumock_stream_after(struct operation *op, struct moment *moment);
/* Wait for a moment, which may be NULL (sleep and await), a stream, or a
   device.  All but cumock_stream_sleep() record the wait if one is needed. */
CUresult cumock_stream_sleep(struct moment *moment);
CUresult cumock_stream_await(struct moment *moment);
CUresult cumock_stream_drain(struct stream *stream);
void cumock_stream_drain_device(struct device *device);
void cumock_stream_drop_moment(struct moment *moment);

/* --- cumock_memory.c --- */

enum memory_kind { MEMORY_DEVICE = 1, MEMORY_HOST, MEMORY_MANAGED, MEMORY_IPC };

struct memory {
	struct memory *next;
	enum memory_kind kind;
	unsigned char *start;
	size_t size, mapped; /* mapped: bytes from mmap, or 0 */
	int fd;
	bool freed; /* but its stream has not come to that yet */
	struct context *context;
	uint64_t life;
};

/* The memory that contains @address.  NULL: ordinary memory. */
struct memory *cumock_memory_find(const void *address);
/* Whether the device may use all of the range. */
bool cumock_memory_reaches(const struct device *device, const void *address,
			   size_t size);
/* Whether the range is within one allocation, or is ordinary memory. */
bool cumock_memory_holds(const void *address, size_t size);
/* Free all memory of a context. */
void cumock_memory_reset(struct context *context);

/* --- cumock_image.c --- */

/* Assemble PTX.  Returns its kernels as text, to be freed; after a failure,
   returns NULL and sets *@error and the log. */
char *cumock_image_assemble(const char *ptx, size_t size, CUresult *error,
			    char *log, size_t log_size);
/* Make a cubin file of such a text, to be freed. */
unsigned char *cumock_image_wrap(const char *text, size_t *size);
/* The text in a cubin file, or NULL. */
const char *cumock_image_text(const void *code);
/* Make the kernels that a text describes.  False: no memory. */
bool cumock_image_kernels(struct library *library, const char *text);

/* --- cumock_library.c --- */

/* Load code into a context, which waits for all work of the device.  This
   happens when the first kernel is asked for or launched there. */
void cumock_library_load(struct library *library, struct context *context);

/* --- cumock_kernels.c --- */

void cumock_kernels_set(const char *name, cumock_function function);

#endif
