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
	FAILURE_OTHER = 4   /* what has failed has no results to spoil */
};

/*
 * Record that submission @ticket has failed: spoil its results, and keep the
 * failure for the next wait unless an earlier one is kept.  @text NULL: the
 * text of @root.  Takes over the reference to @root.  Returns a reference to
 * the failure of the ticket: @root, or the failure that `finish` has reported
 * for the ticket before.  That one is not reported again.
 */
struct failure *queue_failure_note(dpr_queue *queue, uint64_t ticket,
				   unsigned flags, dpr_status status,
				   const char *text, struct failure *root);

/* Record that submission @ticket was refused: spoil its results.  The failure
   is not kept, because the caller reports it at once. */
void queue_failure_note_refused(dpr_queue *queue, uint64_t ticket,
				dpr_status status, const char *text);

/* Record that `finish` has failed with @rc, which may come from any submission
   since its last answer.  Takes `submit` for a moment. */
void queue_failure_note_vague(dpr_queue *queue, dprp_rc rc);

/* Record that the driver has reported all failures up to submission @last. */
void queue_failure_set_told(dpr_queue *queue, uint64_t last);

/* Make the kept failure this thread's last error, and keep it no longer.
   Returns its status; DPR_OK: there was none. */
dpr_status queue_failure_take(dpr_queue *queue);

/* Give the kept failure to dpr_finalize(), because the program cannot wait for
   the queue any more. */
void queue_failure_hand_over(dpr_queue *queue);

/* Returns the failure that has spoiled results of submissions @first to @last,
   with a reference; NULL if none are known to be spoiled.  Takes `lock` only
   after a failure. */
struct failure *queue_failure_find(dpr_queue *queue, uint64_t first,
				   uint64_t last);

#endif
