/* SPDX-License-Identifier: Apache-2.0 */
/* group_finish.c - flush and finish. */
#include <pthread.h>

#include "tools/kit/groups/groups.h"
#include "tools/kit/work.h"
#include "tools/shared/seconds.h"

static void must_be_over(struct kit *kit, dprp_event *event, const char *when)
{
	uint32_t state = work_state(kit, event, NULL);

	note_step("queue->finish", "%s", when);
	if (state < DPRP_EVENT_DONE)
		note_bad("Q4", "all earlier work over", "the state %u (%s)",
			 state, note_state_name(state));
}

static void waits(struct kit *kit)
{
	struct work_long work = work_long(kit);
	dprp_event *events[4];
	int i;

	for (i = 0; i < 4; i++) {
		work_long_begin(kit, &work, kit->queue, &events[i]);
		if (i % 2)
			continue;
		work_finish(kit, kit->queue);
		must_be_over(kit, events[i], "after long work");
	}
	work_finish(kit, kit->queue);
	for (i = 0; i < 4; i++) {
		must_be_over(kit, events[i], "after long work");
		work_destroy(kit, events[i]);
	}
	work_long_end(kit, &work);
}

/* The same for a queue that may run its work in any order. */
static void out_of_order(struct kit *kit)
{
	dprp_queue *queue = kit_queue(kit, DPRP_QUEUE_OUT_OF_ORDER, NULL);
	struct work_long work = work_long(kit);
	dprp_event *events[3];
	int i;

	for (i = 0; i < 3; i++)
		work_long_begin(kit, &work, queue, &events[i]);
	work_finish(kit, queue);
	for (i = 0; i < 3; i++) {
		must_be_over(kit, events[i], "on an out-of-order queue");
		work_destroy(kit, events[i]);
	}
	work_drop_queue(kit, queue);
	work_long_end(kit, &work);
}

static void empty(struct kit *kit)
{
	dprp_queue *queue = kit_queue(kit, 0, NULL);

	note_want("Q3",
		  NOTE_CALL(kit->plugin->queue->flush(queue), "queue->flush",
			    "an empty queue"),
		  DPR_RC_OK);
	note_want("Q4",
		  NOTE_CALL(kit->plugin->queue->finish(queue), "queue->finish",
			    "an empty queue"),
		  DPR_RC_OK);
	note_want("Q4",
		  NOTE_CALL(kit->plugin->queue->finish(queue), "queue->finish",
			    "once more"),
		  DPR_RC_OK);
	work_drop_queue(kit, queue);
}

/* After flush, work runs without a call that waits. */
static void flush(struct kit *kit)
{
	const double until = seconds_now() + kit->limit / 3;
	dprp_queue *queue = kit_queue(kit, 0, NULL);
	dprp_mem *mem = work_mem(kit, 64);
	dprp_event *event;

	work_copy(kit, queue, mem, 0, mem, 32, 32, NULL, 0, &event);
	work_flush(kit, queue);
	while (work_state(kit, event, NULL) < DPRP_EVENT_DONE &&
	       seconds_now() < until)
		kit_sleep_ms(1);
	note_step("queue->flush", "a copy of 32 bytes, then only status");
	if (work_state(kit, event, NULL) < DPRP_EVENT_DONE)
		note_bad("Q3", "work that runs by itself",
			 "it is not over after %.1f s", kit->limit / 3);
	work_done(kit, event);
	work_free(kit, mem);
	work_drop_queue(kit, queue);
}

/* --- Threads ----------------------------------------------------------------
 */

static void *finish_often(void *arg)
{
	struct kit *kit = arg;
	int i;

	for (i = 0; i < 50; i++)
		work_finish(kit, kit->queue);
	return NULL;
}

static void meanwhile(struct kit *kit)
{
	dprp_mem *mem = work_mem(kit, 4096);
	pthread_t thread;
	int i;

	work_set(kit, mem, 1, 5);
	work_set(kit, mem, 1, 6);
	if (pthread_create(&thread, NULL, finish_often, kit))
		note_skip("no thread could be made");
	for (i = 1; i < 500; i++)
		work_copy(kit, kit->queue, mem, (uint64_t)i * 4, mem,
			  (uint64_t)(i - 1) * 4, 4, NULL, 0, NULL);
	pthread_join(thread, NULL);
	work_check_cell(kit, mem, 499, 6, "T1",
			"all copies, in order, when another thread calls "
			"finish");
	work_free(kit, mem);
}

struct finisher {
	struct kit *kit;
	dprp_event *last;
};

static void *finish_and_look(void *arg)
{
	struct finisher *finisher = arg;

	work_finish(finisher->kit, finisher->kit->queue);
	must_be_over(finisher->kit, finisher->last,
		     "while another thread calls it");
	return NULL;
}

/* Each of two at a time waits for the work. */
static void two(struct kit *kit)
{
	struct finisher finisher = { kit, NULL };
	struct work_long work = work_long(kit);
	pthread_t threads[3];
	size_t i, made = 0;

	work_long_begin(kit, &work, kit->queue, &finisher.last);
	for (i = 0; i < KIT_COUNT(threads); i++)
		made += !pthread_create(&threads[made], NULL, finish_and_look,
					&finisher);
	for (i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	work_done(kit, finisher.last);
	work_long_end(kit, &work);
}

static const struct kit_check checks[] = {
	{ "waits", waits, 0 },         { "out_of_order", out_of_order, 0 },
	{ "empty", empty, 0 },         { "flush", flush, 0 },
	{ "meanwhile", meanwhile, 0 }, { "two", two, 0 },
};

const struct kit_group group_finish = { "finish", "flush and finish", checks,
					KIT_COUNT(checks) };
