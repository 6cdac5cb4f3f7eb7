/* SPDX-License-Identifier: Apache-2.0 */
/* queue_failure.h - the failures of a queue's submissions. */
#ifndef RUNTIME_QUEUE_FAILURE_H
#define RUNTIME_QUEUE_FAILURE_H

#include "core/base/failure.h"
#include "core/runtime/queue/queue.h"

/* What is known of a failure, ORed. */
enum failure_flags {
	FAILURE_DRIVER = 1, /* the driver has reported it, and may report it
			       again */
	FAILURE_VAGUE = 2,  /* any submission up to this one may have failed */
	FAILURE_OTHER = 4   /* no submission with results has failed */
};

/*
 * Note that submission @ticket has failed: spoil its results, and keep the
 * failure for the next wait unless an earlier one is kept.  @text NULL: the
 * text of @root.  Takes over the reference to @root.  Returns a reference to
 * the failure of the ticket: @root, or the one that `finish` has reported for
 * it already, which is not reported again.
 */
struct failure *queue_failure_note(dpr_queue *queue, uint64_t ticket,
				   unsigned flags, dpr_status status,
				   const char *text, struct failure *root);

/* The same for a submission that was refused: the caller reports it at once. */
void queue_failure_note_refused(dpr_queue *queue, uint64_t ticket,
				dpr_status status, const char *text);

/* Note that `finish` has failed with @rc, which may come from any submission
   since the last answer.  Takes `submit` for a moment. */
void queue_failure_note_vague(dpr_queue *queue, dprp_rc rc);

/* Note that the driver has reported all failures up to submission @last. */
void queue_failure_set_told(dpr_queue *queue, uint64_t last);

/* Take the kept failure as this thread's error, and return its status. */
dpr_status queue_failure_take(dpr_queue *queue);

/* Give the kept failure to dpr_finalize(): the queue will not be asked again.
 */
void queue_failure_hand_over(dpr_queue *queue);

/* Returns why results of submissions @first to @last are spoiled, with a
   reference; NULL if they are not known to be.  Takes `lock` only after a
   failure. */
struct failure *queue_failure_find(dpr_queue *queue, uint64_t first,
				   uint64_t last);

#endif
