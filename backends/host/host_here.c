/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_here.c - small work, in the thread that submits it.
 *
 * It takes less time than to wake a thread.  The results are those of the
 * queue's thread: so floats are computed as there, whatever the program has set
 * for its own thread since, and the thread's flags stay as they were.
 */
#include "host.h"

#if defined(__SSE2__)

#include <xmmintrin.h>

#define FLAGS 0x3fu /* which exceptions have been seen */

void host_here_floats(host_floats *floats)
{
	*floats = _mm_getcsr() & ~FLAGS;
}

static void set_floats(const host_floats *floats)
{
	_mm_setcsr(*floats);
}

static void keep_floats(host_floats *floats)
{
	*floats = _mm_getcsr();
}

#else

void host_here_floats(host_floats *floats)
{
	fegetenv(floats);
}

static void set_floats(const host_floats *floats)
{
	fesetenv(floats);
}

static void keep_floats(host_floats *floats)
{
	fegetenv(floats);
}

#endif

void host_here_run(const dprp_queue *queue, const struct host_command *command)
{
	const struct host_launch *launch = &command->u.launch;
	host_floats own;

	if (command->kind != HOST_LAUNCH) {
		host_work_run(command, queue->team);
		return;
	}
	keep_floats(&own);
	set_floats(&queue->floats);
	dprh_native_run(launch->run, launch->args, &launch->range);
	set_floats(&own);
}
