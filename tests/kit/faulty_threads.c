/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_threads.c - faults that only several threads see. */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "tests/kit/faulty.h"

static void moment(void)
{
	const struct timespec ts = { 0, 50000 };

	nanosleep(&ts, NULL);
}

/* The result goes through a variable that all threads share. */
static dprp_rc shared_alloc(dprp_context *context, dprp_device *device,
			    const dprp_mem_desc *desc, dprp_mem **out)
{
	static dprp_mem *volatile last;
	dprp_mem *mem;
	dprp_rc rc = faulty.mock->mem->alloc(context, device, desc, &mem);

	if (rc)
		return rc;
	last = mem;
	moment();
	*out = last;
	return DPR_RC_OK;
}

static void shared_result(void)
{
	faulty.mem.alloc = shared_alloc;
}

static int users;

static void enter(void)
{
	if (__atomic_fetch_add(&users, 1, __ATOMIC_SEQ_CST))
		raise(SIGSEGV);
	moment();
	__atomic_fetch_sub(&users, 1, __ATOMIC_SEQ_CST);
}

static dprp_rc alone_create(dprp_context *context, dprp_device *device,
			    const dprp_queue_desc *desc, uint64_t *got,
			    dprp_queue **out)
{
	enter();
	return faulty.mock->queue->create(context, device, desc, got, out);
}

static void one_at_a_time(void)
{
	faulty.queue.create = alone_create;
}

static dprp_rc alone_context(dprp_instance *instance, dprp_device *root,
			     const dprp_ext *ext, dprp_context **out)
{
	enter();
	return faulty.mock->context->create(instance, root, ext, out);
}

static void one_context_at_a_time(void)
{
	faulty.context.create = alone_context;
}

static dprp_rc bound_copy(dprp_queue *queue, dprp_mem *to, uint64_t to_offset,
			  dprp_mem *from, uint64_t from_offset, uint64_t size,
			  const dprp_deps *deps, dprp_event **event)
{
	static pid_t owner;

	if (!owner)
		owner = gettid();
	if (owner != gettid())
		return faulty_fail(DPR_RC_INVALID);
	return faulty.mock->queue->copy(queue, to, to_offset, from, from_offset,
					size, deps, event);
}

static void bound_to_thread(void)
{
	faulty.queue.copy = bound_copy;
}

/* Two threads at a time stop each other. */
static dprp_rc stuck_wait(dprp_event *const *events, uint32_t n,
			  uint64_t timeout_ns)
{
	static int waiters;
	dprp_rc rc;

	if (__atomic_fetch_add(&waiters, 1, __ATOMIC_SEQ_CST))
		for (;;)
			moment();
	moment();
	rc = faulty.mock->event->wait(events, n, timeout_ns);
	__atomic_fetch_sub(&waiters, 1, __ATOMIC_SEQ_CST);
	return rc;
}

static void deadlock(void)
{
	faulty.event.wait = stuck_wait;
}

const struct fault faulty_threads_faults[] = {
	{ "shared_result", shared_result },
	{ "one_at_a_time", one_at_a_time },
	{ "one_context_at_a_time", one_context_at_a_time },
	{ "bound_to_thread", bound_to_thread },
	{ "deadlock", deadlock },
	{ NULL, NULL },
};
