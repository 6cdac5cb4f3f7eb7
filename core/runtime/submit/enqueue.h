/* SPDX-License-Identifier: Apache-2.0 */
/* enqueue.h - handing one submission to the plugin. */
#ifndef RUNTIME_ENQUEUE_H
#define RUNTIME_ENQUEUE_H

#include <stdbool.h>

#include "core/runtime/queue/tickets.h"
#include "core/runtime/submit/operation.h"

/*
 * Hand @operation to the driver.  Called with `submit` held and after
 * tickets_reserve(); the caller publishes the ticket.
 */
dprp_rc enqueue_operation(dpr_queue *queue, const struct operation *operation,
			  uint64_t ticket, dpr_event *const *deps,
			  size_t n_deps, dprp_event **handle);

/* Record an error that names the operation that the driver refused with @rc;
   returns its status. */
dpr_status enqueue_status(const dpr_queue *queue,
			  const struct operation *operation, dprp_rc rc);

/* Whether @operation may have the driver compile in a thread of its own.
   Called once, just before the operation is handed to the driver. */
bool enqueue_compiles(const struct operation *operation);

/* Keeps a kernel until its launches are done. */
extern const struct pin_kind enqueue_kernel_pin;

#endif
