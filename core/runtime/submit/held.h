/* SPDX-License-Identifier: Apache-2.0 */
/* held.h - submissions that are held in the core. */
#ifndef RUNTIME_HELD_H
#define RUNTIME_HELD_H

#include <stdbool.h>

#include "core/runtime/queue/event_list.h"
#include "core/runtime/queue/tickets.h"
#include "core/runtime/submit/operation.h"

/*
 * Keep a copy of @operation as submission @ticket, behind the queue's other
 * held submissions.  @complete_only: hold it until all of @deps are complete.
 * Called with `submit` held.  Retains @published->event, which must not be
 * NULL.  Takes over no reference.  Fails only if memory runs out.
 *
 * @carried NULL: the progress thread submits it.  Otherwise sets *@carried, and
 * the caller has it carried out, as follows.
 */
dpr_status held_push(dpr_queue *queue, const struct operation *operation,
		     uint64_t ticket, const struct published *published,
		     const struct event_list *deps, bool complete_only,
		     struct held **carried);

/*
 * A submission that the core carries out itself stays in its queue's list.  So
 * later work waits for it as for any held submission; on an in-order queue all
 * later work does.  Its dependencies are complete.  One thread at a time works
 * on it, and ends it with held_finish() or held_send_last().
 */

/* The queue and the operation of @held.  The caller gets no reference. */
dpr_queue *held_queue(const struct held *held);
const struct operation *held_operation(const struct held *held);

/* How a submission that was carried out has ended. */
struct held_end {
	/* the times, if the submission is complete */
	const dprp_event_state *times;
	dpr_status status;
	/* the text of the error, if the submission has failed */
	const char *text;
	const dpr_event *piece; /* the part that failed in the driver, with its
				   own status and text; or NULL */
};

/* End the submission as @end says.  None of its work may be under way.  Frees
   @held. */
void held_finish(struct held *held, const struct held_end *end);

/* The last operation of a submission, which ends when the driver completes
   this. */
struct held_last {
	struct operation operation;
	dpr_event *const *deps; /* events of the same queue */
	size_t n_deps;
	/* chunks that are kept until the operation is done */
	dpr_usm *const *chunks;
	size_t n_chunks;
};

/* Hand the submission's last operation to the driver; then later work can
   follow it there.  Frees @held, but not after a failure. */
dpr_status held_send_last(struct held *held, const struct held_last *last);

#endif
