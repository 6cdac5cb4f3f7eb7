/* SPDX-License-Identifier: Apache-2.0 */
/* enqueue.h - handing one submission to the plugin. */
#ifndef RUNTIME_ENQUEUE_H
#define RUNTIME_ENQUEUE_H

#include <stdbool.h>

#include "core/runtime/queue/tickets.h"
#include "core/runtime/submit/operation.h"

/* Whether @rc says that nothing was enqueued, and that the core may find
   another way. */
static inline bool enqueue_finds_way(dprp_rc rc)
{
	return rc == DPR_RC_NO_PATH || rc == DPR_RC_CANNOT_WAIT ||
	       rc == DPR_RC_HOST_MEMORY;
}

/*
 * Hand @operation to the driver.  Called with `submit` held and after
 * tickets_reserve(); the caller publishes the ticket.
 *
 * CANNOT_WAIT: the driver may take the operation when its dependencies are
 * complete.  HOST_MEMORY: it does not take the host memory of a write, read or
 * fill.  NO_PATH: the driver cannot do this operation; or, if there are
 * dependencies, one of the other two.
 */
dprp_rc enqueue_operation(dpr_queue *queue, const struct operation *operation,
			  uint64_t ticket, dpr_event *const *deps,
			  size_t n_deps, dprp_event **handle);

/* A part of a write or read. */
struct piece {
	const char *name; /* for messages: "write (bytes 0 to 100 of 900)" */
	/* the offset in bytes from the start of the operation */
	uint64_t offset;
	uint64_t size;
	void *host; /* host memory that the plugin accepts */
};

/* Hand @piece of a write or read to the driver, without dependencies.  Returns
   its event in *@out; that event has no queue.  Takes `submit`. */
dpr_status enqueue_piece(dpr_queue *queue, const struct operation *operation,
			 const struct piece *piece, dpr_event **out);

/* The most bytes of `bounce` that a fill uses. */
#define ENQUEUE_FILL_BLOCK 65536

/* Record an error that names the operation that the driver refused with @rc;
   returns its status. */
dpr_status enqueue_status(const dpr_queue *queue,
			  const struct operation *operation, dprp_rc rc);

/* Whether the driver may compile in a thread of its own because of @operation.
   Called once, just before the operation is handed to the driver. */
bool enqueue_compiles(const struct operation *operation);

/* Pins that keep a kernel until its launches are done, or an allocation until
   submissions are done.  The pin of an allocation is for submissions that use
   the allocation without naming it in their uses. */
extern const struct pin_kind enqueue_kernel_pin, enqueue_usm_pin;

#endif
