/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group_promptness.c - entries that wait for no work.
 *
 * Each entry is called while long work is under way.  It has waited if the work
 * is over when it returns, unless the thread was preempted meanwhile.  A machine
 * may be slow; so it has to happen each time.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/kit/groups/groups.h"
#include "tools/kit/samples.h"
#include "tools/kit/waited.h"
#include "tools/kit/work.h"
#include "tools/shared/seconds.h"

enum { TRIES = 3, SUBMISSIONS = 9 };

struct bench {
	struct kit *kit;
	struct work_long work;
	dprp_event *last; /* of the long work, which runs on kit->queue */
	dprp_queue *other, *victim;
	dprp_mem *mem;
	struct work_bytes bytes;
	void *own; /* the program's memory */
	dprp_kernel *kernel;
};

static dprp_rc call_barrier(struct bench *b)
{
	return NOTE_CALL(
		b->kit->plugin->queue->barrier(b->kit->queue, NULL, NULL),
		"queue->barrier", "after long work");
}

static dprp_rc call_barrier_deps(struct bench *b)
{
	const dprp_deps deps = work_deps(&b->last, 1);

	return NOTE_CALL(b->kit->plugin->queue->barrier(b->other, &deps, NULL),
			 "queue->barrier", "after long work of another queue");
}

static dprp_rc call_write(struct bench *b)
{
	return NOTE_CALL(b->kit->plugin->queue->write(b->kit->queue, b->mem, 0,
						      b->bytes.at, 4096, NULL,
						      NULL),
			 "queue->write", "after long work, size=4096");
}

static dprp_rc call_read(struct bench *b)
{
	return NOTE_CALL(b->kit->plugin->queue->read(b->kit->queue, b->mem, 0,
						     b->bytes.at, 4096, NULL,
						     NULL),
			 "queue->read", "after long work, size=4096");
}

static dprp_rc call_read_own(struct bench *b)
{
	return NOTE_CALL(b->kit->plugin->queue->read(b->kit->queue, b->mem, 0,
						     b->own, 65536, NULL, NULL),
			 "queue->read",
			 "after long work, the program's memory, size=65536");
}

static dprp_rc call_copy(struct bench *b)
{
	return NOTE_CALL(b->kit->plugin->queue->copy(b->kit->queue, b->mem, 0,
						     b->mem, 8192, 4096, NULL,
						     NULL),
			 "queue->copy", "after long work, size=4096");
}

static dprp_rc call_fill(struct bench *b)
{
	if (!DPRP_HAS(b->kit->plugin->queue, dprp_queue_ops, fill))
		return DPR_RC_NO_PATH;
	return NOTE_CALL(b->kit->plugin->queue->fill(b->kit->queue, b->mem, 0,
						     4096, "\1\2\3\4", 4, NULL,
						     NULL),
			 "queue->fill", "after long work, size=4096");
}

static dprp_rc call_launch(struct bench *b)
{
	if (!b->kernel)
		return DPR_RC_NO_PATH;
	samples_add_one(b->kit, b->kit->queue, b->kernel, b->mem, 64, NULL);
	note_step("queue->launch", "after long work");
	return DPR_RC_OK;
}

static dprp_rc call_flush(struct bench *b)
{
	return NOTE_CALL(b->kit->plugin->queue->flush(b->kit->queue),
			 "queue->flush", "after long work");
}

static dprp_rc call_destroy(struct bench *b)
{
	b->victim = kit_queue(b->kit, 0, NULL);
	work_barrier(b->kit, b->victim, NULL, 0, NULL);
	note_step("queue->create, destroy", "while long work runs elsewhere");
	b->kit->plugin->queue->destroy(b->victim);
	return DPR_RC_OK;
}

static dprp_rc call_status(struct bench *b)
{
	work_state(b->kit, b->last, NULL);
	note_step("event->status", "of long work");
	return DPR_RC_OK;
}

static dprp_rc call_notify(struct bench *b)
{
	if (!DPRP_HAS(b->kit->plugin->event, dprp_event_ops, notify))
		return DPR_RC_NO_PATH;
	return NOTE_CALL(b->kit->plugin->event->notify(b->last, 1000),
			 "event->notify", "of long work");
}

static dprp_rc call_timeout(struct bench *b)
{
	dprp_rc rc = NOTE_CALL(b->kit->plugin->event->wait(&b->last, 1, 0),
			       "event->wait", "of long work, timeout=0");

	return rc == DPR_RC_TIMEOUT ? DPR_RC_OK : rc;
}

static dprp_rc call_info(struct bench *b)
{
	kit_u64(b->kit, b->kit->device, DPR_INFO_TYPE, 0);
	work_address(b->kit, b->mem);
	note_step("device->info, mem->info", "while long work runs");
	return DPR_RC_OK;
}

static const struct {
	dprp_rc (*call)(struct bench *bench);
	const char *rule;
} entries[] = {
	{ call_barrier, "W2" },  { call_barrier_deps, "W2" },
	{ call_write, "W2" },    { call_read, "W2" },
	{ call_read_own, "W2" }, { call_copy, "W2" },
	{ call_fill, "W2" },     { call_launch, "W2" },
	{ call_flush, "W2" },    { call_destroy, "W1" },
	{ call_status, "W3" },   { call_notify, "W3" },
	{ call_timeout, "N7" },  { call_info, "W1" },
};

/* Whether the long work is under way; the last step stays. */
static bool is_under_way(struct bench *b)
{
	dprp_event_state state = { .struct_size = sizeof(state) };
	dprp_sink none = { 0 };

	return !b->kit->plugin->event->status(b->last, &state, none) &&
	       state.state < DPRP_EVENT_DONE;
}

/* Begin the work; true if it is under way when the calls have returned. */
static bool begin(struct bench *b)
{
	work_long_begin(b->kit, &b->work, b->kit->queue, &b->last);
	return is_under_way(b);
}

static void end(struct bench *b)
{
	work_finish(b->kit, b->kit->queue);
	work_finish(b->kit, b->other);
	work_destroy(b->kit, b->last);
}

/* Whether the plugin returns from submissions before their work is over. */
static bool is_asynchronous(struct bench *b)
{
	bool asynchronous = false;
	int i;

	for (i = 0; i < TRIES && !asynchronous; i++) {
		asynchronous = begin(b);
		end(b);
	}
	return asynchronous;
}

static void try_entry(struct bench *b, size_t at)
{
	struct waited before, after;
	bool prompt = false;
	dprp_rc rc = DPR_RC_OK;
	int i;

	for (i = 0; i < TRIES && !prompt && !rc; i++) {
		if (!begin(b)) {
			end(b);
			continue;
		}
		before = waited_now();
		rc = entries[at].call(b);
		after = waited_now();
		prompt = rc || is_under_way(b) ||
			 !waited_between(&before, &after);
		if (!prompt && i + 1 == TRIES)
			note_bad(entries[at].rule,
				 "a return while the work is under way",
				 "each time, it returned after the work");
		end(b);
	}
}

static struct bench bench_open(struct kit *kit)
{
	struct bench bench = { .kit = kit };

	bench.work = work_long(kit);
	/* So long that a busy machine comes to the call in time. */
	bench.work.copies.count *= 3;
	bench.other = kit_queue(kit, 0, NULL);
	bench.mem = work_mem(kit, 65536);
	bench.bytes = work_bytes(kit, 4096);
	bench.own = calloc(1, 65536);
	if (!bench.own)
		note_skip("out of memory");
	if (!is_asynchronous(&bench)) {
		note_tell("the plugin is synchronous: submissions return when "
			  "their work is over.  That is allowed, but dpr holds "
			  "a lock of the queue meanwhile, and other work of "
			  "the program is late");
		note_skip("the plugin is synchronous");
	}
	bench.kernel = samples_try(kit, "add_one");
	return bench;
}

static void bench_close(struct bench *b)
{
	if (b->kernel)
		samples_drop(b->kit, b->kernel);
	free(b->own);
	work_bytes_free(b->kit, &b->bytes);
	work_free(b->kit, b->mem);
	work_drop_queue(b->kit, b->other);
	work_long_end(b->kit, &b->work);
}

/* Try the entries from @first on, up to @end. */
static void entries_return(struct kit *kit, size_t first, size_t end)
{
	struct bench bench = bench_open(kit);
	size_t i;

	for (i = first; i < end; i++)
		try_entry(&bench, i);
	bench_close(&bench);
}

/* What a small submission to an idle queue may take, in seconds.  A machine may
   be slow, and a driver may compile; so the fastest of some calls counts. */
#define SOON 0.01

static void try_idle(struct bench *b, dprp_rc (*call)(struct bench *bench))
{
	double begin, took, best = 1e9;
	struct note_call last;
	dprp_rc rc = DPR_RC_OK;
	int i;

	for (i = 0; i < 8 && !rc && best > SOON; i++) {
		begin = seconds_now();
		rc = call(b);
		took = seconds_now() - begin;
		best = took < best ? took : best;
		last = note_last();
		work_finish(b->kit, b->kit->queue);
	}
	note_step(last.entry, "on an idle queue");
	if (!rc && best > SOON)
		note_bad("W2", "a return soon, in one of 8 calls",
			 "a return after %.0f ms, at best", best * 1000);
}

/* The same entries, when there is nothing to wait for. */
static void idle(struct kit *kit)
{
	struct bench bench = bench_open(kit);
	dprp_rc (*const calls[])(struct bench *) = { call_barrier, call_write,
						     call_copy, call_launch,
						     call_flush };
	size_t i;

	for (i = 0; i < KIT_COUNT(calls); i++)
		try_idle(&bench, calls[i]);
	bench_close(&bench);
}

static void submissions(struct kit *kit)
{
	entries_return(kit, 0, SUBMISSIONS);
}

static void others(struct kit *kit)
{
	entries_return(kit, SUBMISSIONS, KIT_COUNT(entries));
}

/* destroy of the queue on which the work runs. */
static void destroy(struct kit *kit)
{
	struct bench b = { .kit = kit };
	dprp_queue *first = kit->queue;
	struct waited before, after;
	bool prompt = false, under_way;
	int i, tries = 0;

	b.work = work_long(kit);
	b.work.copies.count *= 4;
	for (i = 0; i < TRIES && !prompt; i++) {
		kit->queue = kit_queue(kit, 0, NULL);
		under_way = begin(&b);
		note_step("queue->destroy", "while its work runs");
		before = waited_now();
		kit->plugin->queue->destroy(kit->queue);
		after = waited_now();
		tries += under_way;
		prompt = under_way &&
			 (work_state(kit, b.last, NULL) < DPRP_EVENT_DONE ||
			  !waited_between(&before, &after));
		work_done(kit, b.last);
	}
	kit->queue = first;
	note_step("queue->destroy", "while its work runs");
	if (!tries)
		note_skip("the plugin is synchronous");
	if (!prompt)
		note_bad("Q2", "a return while the work is under way",
			 "each time, it returned after the work");
	work_long_end(kit, &b.work);
}

static const struct kit_check checks[] = {
	{ "submissions", submissions, 0 },
	{ "others", others, 0 },
	{ "idle", idle, 0 },
	{ "destroy", destroy, 0 },
};

const struct kit_group group_promptness = { "promptness",
					    "entries that wait for no work",
					    checks, KIT_COUNT(checks) };
