/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_here.c - small work, in the thread that submits it.
 *
 * It takes less time than to wake a thread.  The results are those of the
 * queue's thread: so floats are computed as there, whatever the program has set
 * for its own thread since, and the thread's flags stay as they were.
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
