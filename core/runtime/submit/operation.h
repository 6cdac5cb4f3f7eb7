/* SPDX-License-Identifier: Apache-2.0 */
/* operation.h - what a queue is asked to do. */
#ifndef RUNTIME_OPERATION_H
#define RUNTIME_OPERATION_H

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

/*
 * A submission, borrowed for the call: submit() copies what it has to keep.
 * For a launch, `launch.args` hold values by pointer and memory by handle, and
 * `uses` names the allocations behind those handles.
 */
struct operation {
	enum operation_kind kind;
	const char *name; /* for messages: "copy", the kernel's name */
	const struct use *uses;
	size_t n_uses;
	union {
		struct {
			dpr_usm *to, *from;
			uint64_t to_offset, from_offset, size;
			const void *source;  /* WRITE */
			void *target;        /* READ */
			const void *pattern; /* FILL */
			size_t pattern_size;
		} move;
		struct {
			dpr_kernel *kernel;
			dprp_launch launch;
		} launch;
	} u;
};

/* The kernel that must be kept until it is done, or NULL. */
static inline dpr_kernel *operation_kernel(const struct operation *operation)
{
	return operation->kind == OPERATION_LAUNCH ? operation->u.launch.kernel
						   : NULL;
}

#endif
