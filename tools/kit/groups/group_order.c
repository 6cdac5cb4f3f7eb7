/* SPDX-License-Identifier: Apache-2.0 */
/* group_order.c - the order of work: queues, dependencies and barriers.  The
   work is copies alone, so that a plugin without kernels is checked, too. */
#include <stdlib.h>

#include "tools/kit/groups/groups.h"
#include "tools/kit/work.h"
#include "tools/shared/seconds.h"

enum { CELLS = 400, VALUE = 4711 };

/* Memory of CELLS numbers, all but the first of which are 0. */
static dprp_mem *make_cells(struct kit *kit)
{
	dprp_mem *cells = work_mem(kit, CELLS * 4);

	work_set(kit, cells, CELLS, 0);
	work_set(kit, cells, 1, VALUE);
	return cells;
}

/* Copy a cell to another one. */
static void move(struct kit *kit, dprp_queue *queue, dprp_mem *cells, int from,
		 int to, dprp_event *const *after, uint32_t n,
		 dprp_event **event)
{
	work_copy(kit, queue, cells, (uint64_t)to * 4, cells,
		  (uint64_t)from * 4, 4, after, n, event);
}

/* Check that the value has reached all cells up to @last, and free them. */
static void check_cells(struct kit *kit, dprp_mem *cells, int last,
			const char *rule, const char *what)
{
	int32_t got[CELLS];
	int i;

	work_read(kit, cells, 0, got, sizeof(got));
	for (i = 0; i <= last && got[i] == VALUE; i++)
		;
	note_step("queue->copy", "%s", what);
	if (i <= last)
		note_bad(rule, "each copy after the one that it needs",
			 "copy %d ran before what it needs: %d", i, got[i]);
	work_free(kit, cells);
}

/* Check that an event is over. */
static void must_be_over(struct kit *kit, dprp_event *event, const char *rule,
			 const char *when)
{
	uint32_t state = work_state(kit, event, NULL);

	note_step("event->status", "%s", when);
	if (state < DPRP_EVENT_DONE)
		note_bad(rule, "an event that is over", "the state %u (%s)",
			 state, note_state_name(state));
}

static void in_order(struct kit *kit)
{
	struct work_long work = work_long(kit);
	dprp_mem *cells = make_cells(kit);
	dprp_event *last;
	int i;

	work_long_begin(kit, &work, kit->queue, &last);
	for (i = 1; i < CELLS; i++)
		move(kit, kit->queue, cells, i - 1, i, NULL, 0, NULL);
	work_finish(kit, kit->queue);
	must_be_over(kit, last, "Q4", "after finish");
	check_cells(kit, cells, CELLS - 1, "S5",
		    "a chain on an in-order queue");
	work_destroy(kit, last);
	work_long_end(kit, &work);
}

/* A chain by dependencies, each event destroyed once it was given. */
static void chain(struct kit *kit)
{
	dprp_queue *queue = kit_queue(kit, DPRP_QUEUE_OUT_OF_ORDER, NULL);
	struct work_long work = work_long(kit);
	dprp_mem *cells = make_cells(kit);
	dprp_event *event, *next;
	int i;

	work_long_begin(kit, &work, queue, &event);
	for (i = 1; i < CELLS; i++) {
		move(kit, queue, cells, i - 1, i, &event, 1, &next);
		work_destroy(kit, event);
		event = next;
	}
	work_done(kit, event);
	work_finish(kit, queue); /* the memory is freed below */
	check_cells(kit, cells, CELLS - 1, "S6",
		    "a chain by deps on an out-of-order queue");
	work_drop_queue(kit, queue);
	work_long_end(kit, &work);
}

/* From one cell to two, and on from both. */
static void diamonds(struct kit *kit)
{
	dprp_queue *queue = kit_queue(kit, DPRP_QUEUE_OUT_OF_ORDER, NULL);
	dprp_mem *cells = make_cells(kit);
	dprp_event *last = NULL, *both[2], *next;
	int i, at = 0;

	for (i = 0; i < 50; i++, at += 3) {
		move(kit, queue, cells, at, at + 1, &last, last != NULL,
		     &both[0]);
		move(kit, queue, cells, at, at + 2, &last, last != NULL,
		     &both[1]);
		work_barrier(kit, queue, both, 2, &next);
		work_destroy(kit, both[0]);
		work_destroy(kit, both[1]);
		if (last)
			work_destroy(kit, last);
		move(kit, queue, cells, at + 1 + i % 2, at + 3, &next, 1,
		     &last);
		work_destroy(kit, next);
	}
	work_done(kit, last);
	check_cells(kit, cells, at, "S6", "diamonds on an out-of-order queue");
	work_drop_queue(kit, queue);
}

/* A barrier without deps is after all earlier work, and later work after it. */
static void barrier(struct kit *kit)
{
	enum { N = 20 };
	dprp_queue *queue = kit_queue(kit, DPRP_QUEUE_OUT_OF_ORDER, NULL);
	struct work_long work = work_long(kit);
	dprp_mem *cells = make_cells(kit);
	dprp_event *events[N + 1], *event;
	int i;

	work_long_begin(kit, &work, queue, &events[N]);
	for (i = 0; i < N; i++)
		move(kit, queue, cells, 0, i + 1, NULL, 0, &events[i]);
	work_barrier(kit, queue, NULL, 0, &event);
	for (i = 0; i < N; i++)
		move(kit, queue, cells, i + 1, N + 1 + i, NULL, 0, NULL);
	work_wait(kit, event);
	for (i = 0; i < N + 1; i++)
		must_be_over(kit, events[i], "Q6",
			     "of work before a barrier that is done");
	work_finish(kit, queue);
	check_cells(kit, cells, 2 * N, "Q6", "copies after a barrier");
	for (i = 0; i < N + 1; i++)
		work_destroy(kit, events[i]);
	work_destroy(kit, event);
	work_drop_queue(kit, queue);
	work_long_end(kit, &work);
}

/* The work before a barrier waits for long work of another queue.  Meanwhile the
   queue is idle, and nothing but the barrier holds later work back. */
static void barrier_pending(struct kit *kit)
{
	dprp_queue *queue = kit_queue(kit, DPRP_QUEUE_OUT_OF_ORDER, NULL);
	struct work_long work = work_long(kit);
	dprp_mem *cells = make_cells(kit);
	dprp_event *last, *before, *event, *after;

	work_long_begin(kit, &work, kit->queue, &last);
	move(kit, queue, cells, 0, 1, &last, 1, &before);
	work_barrier(kit, queue, NULL, 0, &event);
	move(kit, queue, cells, 1, 2, NULL, 0, &after);
	work_flush(kit, queue);
	work_wait(kit, event);
	must_be_over(kit, before, "Q6",
		     "of work before a barrier, which waits for another queue");
	work_wait(kit, after);
	must_be_over(kit, event, "Q6", "of a barrier before work that is done");
	work_finish(kit, queue);
	check_cells(kit, cells, 2, "Q6",
		    "after a barrier, behind work that waits for another "
		    "queue");
	work_destroy(kit, last);
	work_destroy(kit, before);
	work_destroy(kit, event);
	work_destroy(kit, after);
	work_drop_queue(kit, queue);
	work_finish(kit, kit->queue);
	work_long_end(kit, &work);
}

/* A barrier that waits for work of another queue, and later work after it. */
static void barrier_deps(struct kit *kit)
{
	dprp_queue *other = kit_queue(kit, 0, NULL);
	struct work_long work = work_long(kit);
	dprp_mem *cells = make_cells(kit);
	dprp_event *event, *event2;

	work_long_begin(kit, &work, other, NULL);
	move(kit, other, cells, 0, 1, NULL, 0, &event);
	work_flush(kit, other);
	work_barrier(kit, kit->queue, &event, 1, &event2);
	move(kit, kit->queue, cells, 1, 2, NULL, 0, NULL);
	work_wait(kit, event2);
	must_be_over(kit, event, "Q6", "of a dependency of a barrier");
	work_finish(kit, kit->queue);
	check_cells(kit, cells, 2, "Q6", "a copy after a barrier with deps");
	work_destroy(kit, event);
	work_destroy(kit, event2);
	work_drop_queue(kit, other);
	work_long_end(kit, &work);
}

/* A chain that alternates between two queues, sometimes with many or repeated
   dependencies. */
static void across(struct kit *kit)
{
	enum { MANY = 1024 };
	dprp_queue *queues[2] = { kit->queue, kit_queue(kit, 0, NULL) };
	struct work_long work = work_long(kit);
	dprp_event **many = calloc(MANY, sizeof(dprp_event *));
	dprp_mem *cells = make_cells(kit);
	dprp_event *event, *next;
	int i, k, n;

	if (!many)
		note_skip("out of memory");
	work_long_begin(kit, &work, queues[0], &event);
	for (i = 1; i < 200; i++) {
		n = i == 100 ? MANY : i == 50 ? 2 : 1;
		for (k = 0; k < n; k++)
			many[k] = event;
		move(kit, queues[i % 2], cells, i - 1, i, many, (uint32_t)n,
		     &next);
		work_flush(kit, queues[i % 2]);
		work_destroy(kit, event);
		event = next;
	}
	work_done(kit, event);
	check_cells(kit, cells, 199, "Y3", "a chain across two queues");
	if (kit->no_path)
		note_tell("the plugin cannot wait for dependencies (%llu "
			  "times): dpr waits for them and submits without",
			  ULL(kit->no_path));
	work_drop_queue(kit, queues[1]);
	work_long_end(kit, &work);
	free(many);
}

/* Events that are over may be dependencies, also when their queue is gone. */
static void over(struct kit *kit)
{
	dprp_queue *other = kit_queue(kit, 0, NULL);
	dprp_mem *cells = make_cells(kit);
	dprp_event *event, *next;

	move(kit, other, cells, 0, 1, NULL, 0, &event);
	work_wait(kit, event);
	note_step("queue->destroy", "%s", "");
	kit->plugin->queue->destroy(other);
	move(kit, kit->queue, cells, 1, 2, &event, 1, &next);
	work_destroy(kit, event);
	work_done(kit, next);
	check_cells(kit, cells, 2, "Y1", "a dependency that is over");
}

/* A queue is destroyed while its work runs: the work and its events complete,
   without a flush. */
static void destroy_busy(struct kit *kit)
{
	dprp_queue *queue = kit_queue(kit, 0, NULL);
	struct work_long work = work_long(kit);
	dprp_mem *cells = make_cells(kit);
	dprp_event *event = NULL;
	int i;

	work_long_begin(kit, &work, queue, NULL);
	for (i = 1; i < 100; i++)
		move(kit, queue, cells, i - 1, i, NULL, 0,
		     i == 99 ? &event : NULL);
	note_step("queue->destroy", "while its work runs");
	kit->plugin->queue->destroy(queue);
	work_done(kit, event);
	check_cells(kit, cells, 99, "L2", "work of a queue that was destroyed");
	work_long_end(kit, &work);
}

/* finish, wait and destroy flush by themselves. */
static void unflushed(struct kit *kit)
{
	dprp_queue *queue = kit_queue(kit, 0, NULL);
	dprp_mem *cells = make_cells(kit);
	dprp_event *event[3];
	double until;
	int i;

	move(kit, queue, cells, 0, 1, NULL, 0, &event[0]);
	work_finish(kit, queue);
	must_be_over(kit, event[0], "Q4", "after finish, without flush");
	move(kit, queue, cells, 1, 2, NULL, 0, &event[1]);
	work_wait(kit, event[1]);
	move(kit, queue, cells, 2, 3, NULL, 0, &event[2]);
	note_step("queue->destroy", "with work that was not flushed");
	kit->plugin->queue->destroy(queue);
	until = seconds_now() + (kit->limit < 4 ? kit->limit / 2 : 2);
	while (work_state(kit, event[2], NULL) < DPRP_EVENT_DONE &&
	       seconds_now() < until)
		kit_sleep_ms(1);
	must_be_over(kit, event[2], "S7",
		     "2 s after destroy, without flush or wait");
	for (i = 0; i < 3; i++)
		work_destroy(kit, event[i]);
	check_cells(kit, cells, 3, "S7", "without flush");
}

/* A command of size 0 has its turn. */
static void nothing(struct kit *kit)
{
	struct work_long work = work_long(kit);
	struct work_bytes bytes = work_bytes(kit, 64);
	dprp_event *last, *event = NOTE_POISON;

	work_long_begin(kit, &work, kit->queue, &last);
	note_need("S4", NOTE_CALL(kit->plugin->queue->write(
					  kit->queue, work.mem[0], 0, bytes.at,
					  0, NULL, &event),
				  "queue->write", "size=0, after long work"));
	note_handle(event);
	work_wait(kit, event);
	must_be_over(kit, last, "S4",
		     "of work before a write of size 0 that is done");
	work_destroy(kit, event);
	work_destroy(kit, last);
	work_bytes_free(kit, &bytes);
	work_long_end(kit, &work);
}

/* A copy of size 0 waits for its dependencies. */
static void nothing_deps(struct kit *kit)
{
	dprp_queue *other = kit_queue(kit, 0, NULL);
	struct work_long work = work_long(kit);
	dprp_mem *mem = work_mem(kit, 64);
	dprp_event *last, *event;

	work_long_begin(kit, &work, kit->queue, &last);
	work_copy(kit, other, mem, 0, mem, 32, 0, &last, 1, &event);
	work_wait(kit, event);
	must_be_over(kit, last, "S4",
		     "of a dependency of a copy of size 0 that is done");
	work_finish(kit, kit->queue);
	work_destroy(kit, event);
	work_destroy(kit, last);
	work_free(kit, mem);
	work_drop_queue(kit, other);
	work_long_end(kit, &work);
}

/* Work of a queue waits for an event of another root device. */
static void other_device(struct kit *kit)
{
	struct note_copies copies = { 0 }; /* of the second device */
	struct kit second = *kit;
	dprp_event *event, *after;
	struct work_long work;
	uint32_t i;

	if (kit->n_devices < 2)
		note_skip("there is one device only");
	for (i = 0; i < kit->n_devices; i++)
		if (!kit->plugin->device->get(kit->instance, i,
					      &second.device) &&
		    second.device != kit->device)
			break;
	note_need("C1", NOTE_CALL(kit->plugin->context->create(
					  kit->instance, second.device, NULL,
					  &second.context),
				  "context->create", "another root device"));
	second.queue = kit_queue(&second, 0, NULL);
	second.copies = &copies;
	work = work_long(&second);
	work_long_begin(&second, &work, second.queue, &event);
	work_barrier(kit, kit->queue, &event, 1, &after);
	work_wait(kit, after);
	must_be_over(kit, event, "Q6", "of a dependency of another device");
	work_destroy(kit, event);
	work_destroy(kit, after);
	work_long_end(&second, &work);
	work_drop_queue(kit, second.queue);
	kit->plugin->context->destroy(second.context);
}

static const struct kit_check checks[] = {
	{ "in_order", in_order, 0 },
	{ "chain", chain, 0 },
	{ "diamonds", diamonds, 0 },
	{ "barrier", barrier, 0 },
	{ "barrier_pending", barrier_pending, 0 },
	{ "barrier_deps", barrier_deps, 0 },
	{ "across", across, 0 },
	{ "over", over, 0 },
	{ "destroy_busy", destroy_busy, 0 },
	{ "unflushed", unflushed, 0 },
	{ "nothing", nothing, 0 },
	{ "nothing_deps", nothing_deps, 0 },
	{ "other_device", other_device, 0 },
};

const struct kit_group group_order = {
	"order", "the order of work: queues, dependencies and barriers", checks,
	KIT_COUNT(checks)
};
