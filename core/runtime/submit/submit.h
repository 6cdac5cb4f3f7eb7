/* SPDX-License-Identifier: Apache-2.0 */
/* submit.h - the way of a submission to the driver. */
#ifndef RUNTIME_SUBMIT_H
#define RUNTIME_SUBMIT_H

#include "core/runtime/queue/tickets.h"
#include "core/runtime/submit/operation.h"

/*
 * Submit @operation to @queue after @after and after every other tracked use of
 * its allocations.  Returns the event in *@done if @done is not NULL.  Does not
 * wait.
 */
dpr_status queue_submit(dpr_queue *queue, const struct operation *operation,
			const dpr_events *after, dpr_event **done);

/*
 * The same; but when the plugin has no way for it although it waits for
 * nothing, *no_path is set and DPR_OK returned, with nothing submitted.
 */
dpr_status queue_submit_path(dpr_queue *queue,
			     const struct operation *operation,
			     const dpr_events *after, dpr_event **done,
			     int *no_path);

/*
 * Hand @operation to the driver.  Called with `submit` held and after
 * tickets_reserve(); the caller publishes the ticket.
 */
dprp_rc submit_enqueue(dpr_queue *queue, const struct operation *operation,
		       uint64_t ticket, dpr_event *const *deps, size_t n_deps,
		       dprp_event **handle);

/* What a submission that failed in the driver's hands is called in a text. */
dpr_status submit_status(const dpr_queue *queue,
			 const struct operation *operation, dprp_rc rc);

/* Whether @operation may have the driver compile in a thread of its own: called
   once, just before it goes out. */
int submit_compiles(const struct operation *operation);

/* Kernels stay until the launches of them are done. */
extern const struct pin_kind submit_kernel_pin;

#endif
