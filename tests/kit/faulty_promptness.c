/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_promptness.c - entries that wait for work. */
#include <time.h>

#include "tests/kit/faulty.h"
#include "tests/plugins/mock/mock_impl.h"

static void wait_for(dprp_event *event)
{
	faulty.mock->event->wait(&event, 1, UINT64_MAX);
}

static dprp_rc slow_barrier(dprp_queue *queue, const dprp_deps *deps,
			    dprp_event **event)
{
	dprp_rc rc = faulty.mock->queue->barrier(queue, deps, event);

	faulty.mock->queue->finish(queue);
	return rc;
}

static void barrier_waits(void)
{
	faulty.queue.barrier = slow_barrier;
}

static dprp_rc slow_write(dprp_queue *queue, dprp_mem *to, uint64_t offset,
			  const void *from, uint64_t size,
			  const dprp_deps *deps, dprp_event **event)
{
	faulty.mock->queue->finish(queue);
	return faulty.mock->queue->write(queue, to, offset, from, size, deps,
					 event);
}

static void write_waits(void)
{
	faulty.queue.write = slow_write;
}

static dprp_rc slow_launch(dprp_queue *queue, dprp_kernel *kernel,
			   const dprp_launch *launch, const dprp_deps *deps,
			   dprp_event **event)
{
	faulty.mock->queue->finish(queue);
	return faulty.mock->queue->launch(queue, kernel, launch, deps, event);
}

static void launch_waits(void)
{
	faulty.queue.launch = slow_launch;
}

/* The time of 20 ms goes by before each launch. */
static dprp_rc late_launch(dprp_queue *queue, dprp_kernel *kernel,
			   const dprp_launch *launch, const dprp_deps *deps,
			   dprp_event **event)
{
	const struct timespec pause = { 0, 20000000 };

	nanosleep(&pause, NULL);
	return faulty.mock->queue->launch(queue, kernel, launch, deps, event);
}

static void launch_takes_20_ms(void)
{
	faulty.queue.launch = late_launch;
}

static dprp_rc slow_notify(dprp_event *event, uint64_t token)
{
	wait_for(event);
	return faulty.mock->event->notify(event, token);
}

static void notify_waits(void)
{
	faulty.event.notify = slow_notify;
}

static dprp_rc slow_wait(dprp_event *const *events, uint32_t n,
			 uint64_t timeout_ns)
{
	(void)timeout_ns;
	return faulty.mock->event->wait(events, n, UINT64_MAX);
}

static void timeout_ignored(void)
{
	faulty.event.wait = slow_wait;
}

static void slow_destroy(dprp_queue *queue)
{
	faulty.mock->queue->finish(queue);
	faulty.mock->queue->destroy(queue);
}

static void destroy_waits(void)
{
	faulty.queue.destroy = slow_destroy;
}

const struct fault faulty_promptness_faults[] = {
	{ "barrier_waits", barrier_waits },
	{ "write_waits", write_waits },
	{ "launch_waits", launch_waits },
	{ "launch_takes_20_ms", launch_takes_20_ms },
	{ "notify_waits", notify_waits },
	{ "timeout_ignored", timeout_ignored },
	{ "destroy_waits", destroy_waits },
	{ NULL, NULL },
};
