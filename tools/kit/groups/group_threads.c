/* SPDX-License-Identifier: Apache-2.0 */
/* group_threads.c - entries that several threads call at the same time. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tools/kit/groups/groups.h"
#include "tools/kit/samples.h"
#include "tools/kit/work.h"

enum { THREADS = 6 };

struct worker {
	struct kit *kit;
	dprp_queue *queue;
	unsigned number;
};

/* Run @call in some threads, each with a queue of its own. */
static void run(struct kit *kit, void *(*call)(void *worker))
{
	struct worker workers[THREADS];
	pthread_t threads[THREADS];
	unsigned i, made = 0;

	for (i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ kit, kit_queue(kit, 0, NULL), i };
		if (!pthread_create(&threads[made], NULL, call, &workers[i]))
			made++;
	}
	for (i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < THREADS; i++) {
		note_step("queue->destroy", "%s", "");
		kit->plugin->queue->destroy(workers[i].queue);
	}
}

/* Copy bytes through memory of the worker's own, and back. */
static void *move_bytes(void *arg)
{
	struct worker *w = arg;
	struct work_bytes data = work_bytes(w->kit, 4096);
	struct work_bytes back = work_bytes(w->kit, 4096);
	const dprp_queue_ops *ops = w->kit->plugin->queue;
	dprp_event *event;
	dprp_mem *mem;
	int i;

	for (i = 0; i < 60; i++) {
		work_noise(data.at, 4096, w->number * 1000 + (unsigned)i);
		mem = work_mem(w->kit, 4096 + 64 * (uint64_t)w->number);
		event = NOTE_POISON;
		note_need("T1", NOTE_CALL(ops->write(w->queue, mem, 0, data.at,
						     4096, NULL, NULL),
					  "queue->write", "by thread %u of %d",
					  w->number, THREADS));
		note_need("T1", NOTE_CALL(ops->read(w->queue, mem, 0, back.at,
						    4096, NULL, &event),
					  "queue->read", "by thread %u of %d",
					  w->number, THREADS));
		note_handle(event);
		work_done(w->kit, event);
		work_free(w->kit, mem);
		note_step("queue->read", "by thread %u of %d, of what it wrote",
			  w->number, THREADS);
		if (!note_bytes("T1", back.at, data.at, 4096))
			break;
	}
	work_bytes_free(w->kit, &data);
	work_bytes_free(w->kit, &back);
	return NULL;
}

static void bytes(struct kit *kit)
{
	run(kit, move_bytes);
}

/* Queues and events come and go. */
static void *make_queues(void *arg)
{
	struct worker *w = arg;
	dprp_queue *queue;
	dprp_event *event, *after;
	int i;

	for (i = 0; i < 40; i++) {
		queue = kit_queue(w->kit, i % 2 ? DPRP_QUEUE_OUT_OF_ORDER : 0,
				  NULL);
		work_barrier(w->kit, w->queue, NULL, 0, &event);
		work_flush(w->kit, w->queue);
		work_barrier(w->kit, queue, &event, 1, &after);
		work_destroy(w->kit, event);
		note_step("queue->destroy", "by thread %u of %d", w->number,
			  THREADS);
		w->kit->plugin->queue->destroy(queue);
		work_done(w->kit, after);
	}
	return NULL;
}

static void queues(struct kit *kit)
{
	unsigned before = kit_threads(), after;

	run(kit, make_queues);
	after = kit_threads_end(before + THREADS);
	if (after > before + 4 * THREADS)
		note_tell("%u threads more after %d queues were destroyed",
			  after - before, THREADS * 41);
}

static void *make_contexts(void *arg)
{
	struct worker *w = arg;
	dprp_context *context;
	int i;

	for (i = 0; i < 20; i++) {
		context = NOTE_POISON;
		note_need("C1",
			  NOTE_CALL(w->kit->plugin->context->create(
					    w->kit->instance, w->kit->device,
					    NULL, &context),
				    "context->create", "by thread %u of %d",
				    w->number, THREADS));
		note_handle(context);
		w->kit->plugin->context->destroy(context);
	}
	return NULL;
}

static void contexts(struct kit *kit)
{
	run(kit, make_contexts);
}

/* Modules and kernels of them. */
static void *make_modules(void *arg)
{
	struct worker *w = arg;
	/* Not all of it: other threads write to the host's services. */
	struct kit own = { .limit = w->kit->limit,
			   .plugin = w->kit->plugin,
			   .instance = w->kit->instance,
			   .n_devices = w->kit->n_devices,
			   .device = w->kit->device,
			   .context = w->kit->context,
			   .queue = w->queue,
			   .copies = w->kit->copies };
	dprp_kernel *kernel;
	dprp_mem *mem;
	int i;

	for (i = 0; i < 3; i++) {
		samples_open(&own);
		kernel = samples_kernel(&own, "add_one");
		mem = work_mem(&own, 400);
		work_set(&own, mem, 100, (int32_t)w->number);
		samples_add_one(&own, own.queue, kernel, mem, 100, NULL);
		work_check_cell(&own, mem, 99, (int32_t)w->number + 1, "T1",
				"this thread's number and 1");
		work_free(&own, mem);
		samples_drop(&own, kernel);
		note_step("module->destroy", "by thread %u of %d", w->number,
			  THREADS);
		own.plugin->module->destroy(own.module);
		own.module = NULL;
	}
	return NULL;
}

static void modules(struct kit *kit)
{
	samples_open(kit); /* skips where there are none */
	run(kit, make_modules);
}

/* One queue, used by one thread after the other. */
struct turn {
	struct kit *kit;
	dprp_mem *mem;
	int at;
};

static void *take_turn(void *arg)
{
	struct turn *turn = arg;

	work_copy(turn->kit, turn->kit->queue, turn->mem,
		  (uint64_t)(turn->at + 1) * 4, turn->mem,
		  (uint64_t)turn->at * 4, 4, NULL, 0, NULL);
	return NULL;
}

static void turns(struct kit *kit)
{
	struct turn turn = { kit, work_mem(kit, 256), 0 };
	pthread_t thread;

	work_set(kit, turn.mem, 64, 0);
	work_set(kit, turn.mem, 1, 99);
	for (turn.at = 0; turn.at < 40; turn.at++) {
		if (pthread_create(&thread, NULL, take_turn, &turn))
			note_skip("no thread could be made");
		pthread_join(thread, NULL);
	}
	work_check_cell(kit, turn.mem, 40, 99, "T1",
			"work of all threads, in order");
	work_free(kit, turn.mem);
}

static const struct kit_check checks[] = {
	{ "bytes", bytes, 0 },       { "queues", queues, 0 },
	{ "contexts", contexts, 0 }, { "modules", modules, 0 },
	{ "turns", turns, 0 },
};

const struct kit_group group_threads = {
	"threads", "entries that several threads call at the same time", checks,
	KIT_COUNT(checks)
};
