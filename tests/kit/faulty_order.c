/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_order.c - faults of the order of work. */
#include <string.h>

#include "tests/kit/faulty.h"
#include "tests/plugins/mock/mock_impl.h"

#define COPY_ARGS                                                            \
	dprp_queue *queue, dprp_mem *to, uint64_t to_offset, dprp_mem *from, \
		uint64_t from_offset, uint64_t size, const dprp_deps *deps,  \
		dprp_event **event

/* Make all queues out of order, and start the last work first. */
static dprp_rc loose_create(dprp_context *context, dprp_device *device,
			    const dprp_queue_desc *desc, uint64_t *got,
			    dprp_queue **out)
{
	dprp_queue_desc loose = *desc;
	dprp_rc rc;

	if (desc->struct_size > sizeof(loose))
		return faulty.mock->queue->create(context, device, desc, got,
						  out);
	loose.flags |= DPRP_QUEUE_OUT_OF_ORDER;
	rc = faulty.mock->queue->create(context, device, &loose, got, out);
	*got &= desc->flags;
	return rc;
}

static void unordered(void)
{
	faulty.control->reorder(1);
	faulty.queue.create = loose_create;
}

static dprp_rc copy_without(COPY_ARGS)
{
	(void)deps;
	return faulty.mock->queue->copy(queue, to, to_offset, from, from_offset,
					size, NULL, event);
}

static void drops_deps(void)
{
	faulty.control->reorder(1);
	faulty.queue.copy = copy_without;
}

static dprp_rc barrier_last(dprp_queue *queue, const dprp_deps *deps,
			    dprp_event **event)
{
	dprp_deps last;

	if (!deps || deps->count < 2)
		return faulty.mock->queue->barrier(queue, deps, event);
	last = *deps;
	last.events += last.count - 1;
	last.count = 1;
	return faulty.mock->queue->barrier(queue, &last, event);
}

static void last_dep_only(void)
{
	faulty.control->reorder(1);
	faulty.queue.barrier = barrier_last;
}

static dprp_mem *some_mem;

static dprp_rc keep_alloc(dprp_context *context, dprp_device *device,
			  const dprp_mem_desc *desc, dprp_mem **out)
{
	dprp_rc rc = faulty.mock->mem->alloc(context, device, desc, out);

	if (!rc && !some_mem)
		some_mem = *out;
	return rc;
}

static dprp_rc barrier_of_nothing(dprp_queue *queue, const dprp_deps *deps,
				  dprp_event **event)
{
	return faulty.mock->queue->prefetch(queue, some_mem, 0, 0, deps, event);
}

static void open_barrier(void)
{
	faulty.control->reorder(1);
	faulty.mem.alloc = keep_alloc;
	faulty.queue.barrier = barrier_of_nothing;
}

/* A barrier without dependencies does not wait, and work that can begin does
   so. */
static void thin_barrier(void)
{
	faulty.mem.alloc = keep_alloc;
	faulty.queue.barrier = barrier_of_nothing;
}

/* Nothing is moved, so nothing is waited for. */
static dprp_rc copy_something(COPY_ARGS)
{
	return faulty.mock->queue->copy(queue, to, to_offset, from, from_offset,
					size, size ? deps : NULL, event);
}

static void nothing_at_once(void)
{
	faulty.queue.copy = copy_something;
}

static dprp_rc copy_own(COPY_ARGS)
{
	bool foreign = deps && deps->count && deps->events[0]->queue &&
		       deps->events[0]->queue != queue;

	return faulty.mock->queue->copy(queue, to, to_offset, from, from_offset,
					size, foreign ? NULL : deps, event);
}

static void drops_foreign(void)
{
	faulty.queue.copy = copy_own;
}

static void destroy_and_stop(dprp_queue *queue)
{
	faulty.control->hold(1);
	faulty.mock->queue->destroy(queue);
}

static void destroy_stops(void)
{
	faulty.queue.destroy = destroy_and_stop;
}

static const char *lazy_option(dprp_host_instance *self, const char *key)
{
	return strcmp(key, "LAZY") ? faulty.given->option(self, key) : "1";
}

void faulty_be_lazy(void)
{
	faulty.option = lazy_option;
}

static void no_destroy(dprp_queue *queue)
{
	(void)queue;
}

static void unflushed_destroy(void)
{
	faulty_be_lazy();
	faulty.queue.destroy = no_destroy;
}

static dprp_rc copy_once(COPY_ARGS)
{
	if (deps && deps->count > 1)
		return faulty_fail(DPR_RC_INVALID);
	return faulty.mock->queue->copy(queue, to, to_offset, from, from_offset,
					size, deps, event);
}

static void one_dep(void)
{
	faulty.queue.copy = copy_once;
}

static dprp_rc copy_pending(COPY_ARGS)
{
	if (deps && deps->count && deps->events[0]->state >= DPRP_EVENT_DONE)
		return faulty_fail(DPR_RC_INVALID);
	return faulty.mock->queue->copy(queue, to, to_offset, from, from_offset,
					size, deps, event);
}

static void refuses_over(void)
{
	faulty.queue.copy = copy_pending;
}

static dprp_rc cannot_wait(dprp_queue *queue, const dprp_deps *deps,
			   dprp_event **event)
{
	return deps ? faulty.mock->queue->barrier(queue, deps, event)
		    : DPR_RC_CANNOT_WAIT;
}

static void waits_for_nothing(void)
{
	faulty.queue.barrier = cannot_wait;
}

const struct fault faulty_order_faults[] = {
	{ "waits_for_nothing", waits_for_nothing },
	{ "unordered", unordered },
	{ "drops_deps", drops_deps },
	{ "last_dep_only", last_dep_only },
	{ "open_barrier", open_barrier },
	{ "thin_barrier", thin_barrier },
	{ "nothing_at_once", nothing_at_once },
	{ "drops_foreign", drops_foreign },
	{ "destroy_stops", destroy_stops },
	{ "unflushed_destroy", unflushed_destroy },
	{ "one_dep", one_dep },
	{ "refuses_over", refuses_over },
	{ NULL, NULL },
};
