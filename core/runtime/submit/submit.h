/* SPDX-License-Identifier: Apache-2.0 */
/* submit.h - submitting operations to the driver. */
#ifndef RUNTIME_SUBMIT_H
#define RUNTIME_SUBMIT_H

#include "core/runtime/submit/operation.h"

/*
 * Submit @operation to @queue after the events @after and after conflicting
 * earlier uses of its allocations.  Returns the event in *@done if @done is not
 * NULL.  Does not wait.
 */
dpr_status submit_operation(dpr_queue *queue, const struct operation *operation,
			    const dpr_events *after, dpr_event **done);

/*
 * As submit_operation(); but if the plugin has no path for @operation, nothing
 * is submitted, *@no_path is set, and the result is DPR_OK.
 */
dpr_status submit_path(dpr_queue *queue, const struct operation *operation,
		       const dpr_events *after, dpr_event **done,
		       bool *no_path);

#endif
