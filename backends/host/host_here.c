/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_here.c - small work, in the thread that submits it.
 *
 * Small work takes less time than waking a thread.  Its results are the same as
 * in the queue's thread.  So floats are computed with the settings of the
 * queue's thread, whatever the program has set for its own thread.  Afterwards
 * the program's thread has its own settings and flags again.
 */
#include "host.h"

void host_here_run(const dprp_queue *queue, const struct host_command *command)
{
	const struct dprh_native_launch *launch = &command->u.launch;
	dprh_floats own;

	if (command->kind != HOST_LAUNCH) {
		host_work_run(command, queue->team);
		return;
	}
	dprh_floats_get(&own);
	dprh_floats_set(&queue->floats);
	dprh_native_run(launch->run, launch->args, &launch->range);
	dprh_floats_set(&own);
}
