/* SPDX-License-Identifier: Apache-2.0 */
/* submit.h - submitting operations to the driver. */
#ifndef RUNTIME_SUBMIT_H
#define RUNTIME_SUBMIT_H

#include "core/runtime/submit/operation.h"

/*
 * Submit @operation to @queue after @after and after every other tracked use of
 * its allocations.  Returns the event in *@done if @done is not NULL.  Does not
 * wait.
 */
dpr_status submit_operation(dpr_queue *queue, const struct operation *operation,
			    const dpr_events *after, dpr_event **done);

/*
 * The same; but when the plugin has no path for it, *@no_path is true and
 * DPR_OK returned, with nothing submitted.
 */
dpr_status submit_path(dpr_queue *queue, const struct operation *operation,
		       const dpr_events *after, dpr_event **done,
		       bool *no_path);

#endif
