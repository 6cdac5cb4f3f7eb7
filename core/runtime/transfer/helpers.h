/* SPDX-License-Identifier: Apache-2.0 */
/*
 * helpers.h - threads for work whose end no caller awaits.
 *
 * Jobs of one queue run one after another.  Jobs of different queues run at the
 * same time, so that a device that hangs does not delay the others.  A thread
 * that has been idle for a while ends.
 */
#ifndef RUNTIME_HELPERS_H
#define RUNTIME_HELPERS_H

#include "core/runtime/queue/queue.h"

struct helper_job {
	struct helper_job *next;
	dpr_queue *queue;
	/* Called once, in a helper thread; may free the job. */
	void (*run)(struct helper_job *job);
};

/* Queue @job for a helper thread, which runs it after the earlier jobs of its
   queue.  Does not wait.  The queue is retained until the job is done.  Fails
   if there is no helper thread and none can be started; @what begins the text
   of that error. */
dpr_status helpers_add(struct helper_job *job, const char *what);

/* Wait until there are no jobs. */
void helpers_quiesce(void);

/* End the threads, and wait for their end.  Called by dpr_finalize(). */
void helpers_stop(void);

#endif
