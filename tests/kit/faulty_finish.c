/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_finish.c - faults of flush and finish. */
#include "tests/kit/faulty.h"
#include "tests/plugins/mock/mock_impl.h"

static dprp_rc no_finish_at_all(dprp_queue *queue)
{
	return faulty.mock->queue->flush(queue);
}

static void finish_early(void)
{
	faulty.queue.finish = no_finish_at_all;
}

static dprp_rc finish_ordered(dprp_queue *queue)
{
	return queue->flags & DPRP_QUEUE_OUT_OF_ORDER
		       ? faulty.mock->queue->flush(queue)
		       : faulty.mock->queue->finish(queue);
}

static void finish_in_order(void)
{
	faulty.queue.finish = finish_ordered;
}

static dprp_rc finish_alone(dprp_queue *queue)
{
	static int users;
	dprp_rc rc = DPR_RC_OK;

	if (!__atomic_fetch_add(&users, 1, __ATOMIC_SEQ_CST))
		rc = faulty.mock->queue->finish(queue);
	__atomic_fetch_sub(&users, 1, __ATOMIC_SEQ_CST);
	return rc;
}

static void finish_one(void)
{
	faulty.queue.finish = finish_alone;
}

static dprp_rc finish_some(dprp_queue *queue)
{
	return queue->enqueued ? faulty.mock->queue->finish(queue)
			       : faulty_fail(DPR_RC_INVALID);
}

static void finish_empty(void)
{
	faulty.queue.finish = finish_some;
}

static dprp_rc no_flush(dprp_queue *queue)
{
	(void)queue;
	return DPR_RC_OK;
}

static void flush_nothing(void)
{
	faulty_be_lazy();
	faulty.queue.flush = no_flush;
}

static dprp_rc finish_long(dprp_queue *queue)
{
	dprp_rc rc = faulty.mock->queue->finish(queue);

	while (queue->flags & DPRP_QUEUE_OUT_OF_ORDER)
		;
	return rc;
}

static void finish_hangs(void)
{
	faulty.queue.finish = finish_long;
}

const struct fault faulty_finish_faults[] = {
	{ "finish_early", finish_early },
	{ "finish_in_order", finish_in_order },
	{ "finish_one", finish_one },
	{ "finish_empty", finish_empty },
	{ "flush_nothing", flush_nothing },
	{ "finish_hangs", finish_hangs },
	{ NULL, NULL },
};
