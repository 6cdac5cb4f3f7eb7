/* SPDX-License-Identifier: Apache-2.0 */
/* operation.h - what a queue is asked to do. */
#ifndef RUNTIME_OPERATION_H
#define RUNTIME_OPERATION_H

#include <stdbool.h>

#include <dpr/backend.h>

#include "core/runtime/queue/queue.h"
#include "core/runtime/queue/use.h"

enum operation_kind {
	OPERATION_BARRIER,
	OPERATION_WRITE,
	OPERATION_READ,
	OPERATION_COPY,
	OPERATION_FILL,
	OPERATION_PREFETCH,
	OPERATION_LAUNCH
};

struct held;

/* Memory that the plugin takes instead of ordinary host memory.  It has to stay
   until the submission is over. */
struct bounce {
	void *data;   /* HOST memory of the queue's device; for FILL it has
			 ENQUEUE_FILL_BLOCK bytes */
	dpr_usm *usm; /* the allocation of `data`; a FILL keeps it until the
			 FILL is done */
	bool used;    /* set if the plugin was given `data` */
};

/*
 * What a submission does.  Borrowed for the call: submit_operation() copies
 * what it has to keep.  For a launch, `launch.args` hold values by pointer and
 * memory by handle, and `uses` names the allocations behind those handles.
 */
struct operation {
	enum operation_kind kind;
	const char *name; /* for messages: "copy", the kernel's name */
	const struct use *uses;
	size_t n_uses;
	/*
	 * Called if the plugin has no path for the operation's host memory:
	 * carries out @held, in this thread if @here, else in another one
	 * without waiting.  NULL: the submission fails then.
	 */
	void (*carry)(struct held *held, bool here);
	/* The caller waits for the end of the operation, so its thread may
	   carry it out. */
	bool waits;
	union {
		struct {
			dpr_usm *to, *from;
			uint64_t to_offset, from_offset, size;
			const void *source;  /* WRITE */
			void *target;        /* READ */
			const void *pattern; /* FILL */
			size_t pattern_size;
			/* May be NULL.  The copy in a held submission has
			   none. */
			struct bounce *bounce;
		} move;
		struct {
			dpr_kernel *kernel;
			dprp_launch launch;
		} launch;
	} u;
};

/* The kernel that must be kept until the operation is done, or NULL. */
static inline dpr_kernel *operation_kernel(const struct operation *operation)
{
	return operation->kind == OPERATION_LAUNCH ? operation->u.launch.kernel
						   : NULL;
}

#endif
