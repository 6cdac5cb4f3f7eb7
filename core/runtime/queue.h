/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - queues inside: tickets, held submissions, and how work goes out.
 *
 * Every submission has a ticket, a number that counts from 1 on its queue.  On
 * an in-order queue everything up to `done` is known complete.  A submission
 * that waits for an event which the backend cannot wait for itself is held in
 * the core: it and, on an in-order queue, everything after it go out later, in
 * order, from the progress thread.
 */
#ifndef RUNTIME_QUEUE_H
#define RUNTIME_QUEUE_H

#include <stdint.h>

#include <dpr/event.h>
#include <dpr/kernel.h>
#include <dpr/queue.h>
#include <dpr/usm.h>

#include "core/runtime/device.h"

/* What a submission does with an allocation. */
struct use {
	dpr_usm *usm;
	uint32_t access; /* enum dpr_access; DPR_NONE: pinned, but not ordered */
};

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
			const void *source; /* WRITE */
			void *target; /* READ */
			const void *pattern; /* FILL */
			size_t pattern_size;
		} move;
		struct {
			dpr_kernel *kernel;
			dprp_launch launch;
		} launch;
	} u;
};

/*
 * Submit @operation to @queue after @after and after every other tracked use of
 * its allocations.  Returns the event in *@done if @done is not NULL.  Does not
 * wait.
 */
dpr_status queue_submit(dpr_queue *queue, const struct operation *operation,
	const dpr_events *after, dpr_event **done);

#endif
