/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group_loss.c - work that fails, and lost devices.
 *
 * No work fails because a check asks for it.  A plugin that has the extension
 * DPRP_TEST_FAULT is asked to let it fail; others are not checked.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "tools/kit/groups/groups.h"
#include "tools/kit/work.h"

static const dprp_test_fault *get_faults(struct kit *kit)
{
	const dprp_test_fault *faults = NULL;

	if (DPRP_HAS(kit->plugin, dprp_plugin, extension))
		faults = kit->plugin->extension(kit->instance, DPRP_TEST_FAULT,
						1);
	if (!faults || !DPRP_HAS(faults, dprp_test_fault, fail_next) ||
	    !DPRP_HAS(faults, dprp_test_fault, lose))
		note_skip("the plugin does not have the extension "
			  "\"" DPRP_TEST_FAULT "\"");
	return faults;
}

struct text {
	char bytes[400];
	size_t size;
};

static void collect(void *user, const char *bytes, size_t size)
{
	struct text *text = user;
	size_t room = sizeof(text->bytes) - 1 - text->size;

	size = size < room ? size : room;
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
}

/* Wait for an event that must fail, and check its error. */
static void must_fail(struct kit *kit, dprp_event *event, const char *rule,
		      const char *what)
{
	dprp_event_state state = { .struct_size = sizeof(state) };
	struct text text = { .size = 0 };

	note_want("N6",
		  NOTE_CALL(kit->plugin->event->wait(&event, 1, UINT64_MAX),
			    "event->wait", "%s, timeout=UINT64_MAX", what),
		  DPR_RC_OK);
	note_need("N5", NOTE_CALL(kit->plugin->event->status(
					  event, &state,
					  (dprp_sink){ collect, &text }),
				  "event->status", "%s", what));
	if (state.state != DPRP_EVENT_FAILED)
		note_bad(rule, "DPRP_EVENT_FAILED", "the state %u (%s)",
			 state.state, note_state_name(state.state));
	else if (state.rc >= 0 || state.rc < DPR_RC_INTERNAL)
		note_bad("N5", "a negative code of the list", "the code %d",
			 state.rc);
	else if (!text.size)
		note_bad("N5", "a sentence in text", "no text");
}

static dprp_event *failing_copy(struct kit *kit, dprp_queue *queue,
				dprp_mem *mem)
{
	const dprp_test_fault *faults = get_faults(kit);
	dprp_event *event;

	note_need("N5", NOTE_CALL(faults->fail_next(kit->instance), "extension",
				  "fail_next"));
	work_copy(kit, queue, mem, 0, mem, 32, 32, NULL, 0, &event);
	return event;
}

/* finish() returns the failure once, or leaves it to the events. */
static void finish_once(struct kit *kit, dprp_queue *queue)
{
	dprp_rc rc = NOTE_CALL(kit->plugin->queue->finish(queue),
			       "queue->finish", "after work that has failed");

	if (!rc)
		note_tell("only events report failures; finish returns OK");
	note_want("Q5",
		  NOTE_CALL(kit->plugin->queue->finish(queue), "queue->finish",
			    "once more after work that has failed"),
		  DPR_RC_OK);
}

static void failed(struct kit *kit)
{
	dprp_mem *mem = work_mem(kit, 64);
	dprp_event *event = failing_copy(kit, kit->queue, mem);
	dprp_queue *other;

	must_fail(kit, event, "N5", "of a copy that failed");
	finish_once(kit, kit->queue);
	work_destroy(kit, event);
	/* Others go on. */
	other = kit_queue(kit, 0, NULL);
	work_copy(kit, other, mem, 0, mem, 32, 32, NULL, 0, &event);
	work_done(kit, event);
	work_drop_queue(kit, other);
	work_free(kit, mem);
}

static void notified(struct kit *kit)
{
	dprp_mem *mem = work_mem(kit, 64);
	dprp_event *event;

	if (!DPRP_HAS(kit->plugin->event, dprp_event_ops, notify))
		note_skip("there is no entry event->notify: dpr polls");
	event = failing_copy(kit, kit->queue, mem);
	if (NOTE_CALL(kit->plugin->event->notify(event, 1), "event->notify",
		      "of a copy that fails"))
		note_skip("notify answers: %s", note_error_text());
	work_flush(kit, kit->queue);
	note_step("event->notify", "of a copy that fails");
	if (kit_host_told(&kit->host, 1, 1, kit->limit / 2) != 1)
		note_bad("N9", "one call of event_done()",
			 "none for an event that fails");
	must_fail(kit, event, "N5", "of a copy that failed");
	work_destroy(kit, event);
	NOTE_CALL(kit->plugin->queue->finish(kit->queue), "queue->finish",
		  "after work that has failed");
	work_free(kit, mem);
}

/* What depends on a failed event fails, through a chain across queues. */
static void chain(struct kit *kit, uint64_t flags)
{
	enum { LENGTH = 8 };
	dprp_queue *queues[2] = { kit_queue(kit, flags, NULL),
				  kit_queue(kit, flags, NULL) };
	dprp_mem *mem = work_mem(kit, 64);
	dprp_event *events[LENGTH], *next;
	char what[80];
	dprp_deps deps;
	int i, n = 1;
	dprp_rc rc;

	events[0] = failing_copy(kit, queues[0], mem);
	for (i = 1; i < LENGTH; i++) {
		note_need("Q3", kit->plugin->queue->flush(queues[(i + 1) % 2]));
		deps = work_deps(&events[n - 1], 1);
		next = NOTE_POISON;
		rc = NOTE_CALL(kit->plugin->queue->copy(queues[i % 2], mem, 0,
							mem, 32, 32, &deps,
							&next),
			       "queue->copy", "dependency %d of a chain", i);
		/* It may refuse what cannot run. */
		if (rc)
			continue;
		note_handle(next);
		events[n++] = next;
	}
	must_fail(kit, events[0], "N5", "of a copy that failed");
	for (i = 1; i < n; i++) {
		snprintf(what, sizeof(what),
			 "of copy %d of a chain, whose "
			 "first copy failed",
			 i + 1);
		must_fail(kit, events[i], "Y2", what);
	}
	for (i = 0; i < n; i++)
		work_destroy(kit, events[i]);
	for (i = 0; i < 2; i++) {
		NOTE_CALL(kit->plugin->queue->finish(queues[i]),
			  "queue->finish", "after work that has failed");
		work_drop_queue(kit, queues[i]);
	}
	work_free(kit, mem);
}

static void dependents(struct kit *kit)
{
	chain(kit, 0);
}

static void out_of_order(struct kit *kit)
{
	chain(kit, DPRP_QUEUE_OUT_OF_ORDER);
}

/* Submit a copy that waits for long work of another queue and then fails, and
   two copies behind it.  Returns whether all were submitted before the failure.
 */
static bool fail_later(struct kit *kit, struct work_long *work)
{
	const dprp_test_fault *faults = get_faults(kit);
	dprp_queue *queues[2] = { kit_queue(kit, 0, NULL),
				  kit_queue(kit, 0, NULL) };
	dprp_mem *mem = work_mem(kit, 64);
	dprp_event *last, *events[3];
	bool pending;
	dprp_deps deps;
	int i;

	work_long_begin(kit, work, kit->queue, &last);
	note_need("N5", NOTE_CALL(faults->fail_next(kit->instance), "extension",
				  "fail_next"));
	work_copy(kit, queues[0], mem, 0, mem, 32, 32, &last, 1, &events[0]);
	work_flush(kit, queues[0]);
	deps = work_deps(events, 1);
	for (i = 1; i < 3; i++) {
		events[i] = NOTE_POISON;
		if (NOTE_CALL(kit->plugin->queue->copy(queues[2 - i], mem, 0,
						       mem, 32, 32, &deps,
						       &events[i]),
			      "queue->copy", "after a copy that fails later"))
			events[i] = NULL;
		else
			note_handle(events[i]);
	}
	pending = work_state(kit, events[0], NULL) < DPRP_EVENT_DONE;
	must_fail(kit, events[0], "N5", "of a copy that failed");
	for (i = 1; i < 3; i++)
		if (events[i])
			must_fail(kit, events[i], "Y2",
				  i == 1 ? "of a copy after another queue's, "
					   "which failed later"
					 : "of a copy after the same queue's, "
					   "which failed later");
	for (i = 0; i < 3; i++)
		if (events[i])
			work_destroy(kit, events[i]);
	for (i = 0; i < 2; i++) {
		NOTE_CALL(kit->plugin->queue->finish(queues[i]),
			  "queue->finish", "after work that has failed");
		work_drop_queue(kit, queues[i]);
	}
	work_destroy(kit, last);
	work_free(kit, mem);
	return pending;
}

static void later(struct kit *kit)
{
	struct work_long work = work_long(kit);
	int i;

	for (i = 0; i < 3; i++)
		if (fail_later(kit, &work))
			break;
	work_finish(kit, kit->queue);
	work_long_end(kit, &work);
	if (i == 3)
		note_tell("no dependency failed after its dependents were "
			  "submitted");
}

/* Call what must fail once the device is lost. */
static void use_lost(struct kit *kit, dprp_mem *mem)
{
	dprp_queue_desc desc = { .struct_size = sizeof(desc) };
	dprp_queue *queue;
	uint64_t got;

	if (!NOTE_CALL(kit->plugin->queue->barrier(kit->queue, NULL, NULL),
		       "queue->barrier", "of a lost device"))
		note_bad("H3", "DEVICE_LOST", "OK");
	if (!NOTE_CALL(kit->plugin->queue->copy(kit->queue, mem, 0, mem, 32, 32,
						NULL, NULL),
		       "queue->copy", "of a lost device"))
		note_bad("H3", "DEVICE_LOST", "OK");
	if (!NOTE_CALL(kit->plugin->queue->create(kit->context, kit->device,
						  &desc, &got, &queue),
		       "queue->create", "on a lost device")) {
		note_bad("H3", "DEVICE_LOST", "OK");
		work_drop_queue(kit, queue);
	}
}

/* An event of a device that is to be lost. */
struct watched {
	struct kit *kit;
	dprp_event *event;
	atomic_bool early; /* it failed before device_lost() was called */
};

/* Look whether the event shows the loss that the host does not know of. */
static void look_early(struct watched *watched)
{
	struct kit *kit = watched->kit;
	dprp_event_state state = { .struct_size = sizeof(state) };

	if (!kit->plugin->event->status(watched->event, &state,
					(dprp_sink){ 0 }) &&
	    state.state == DPRP_EVENT_FAILED &&
	    state.rc == DPR_RC_DEVICE_LOST && !kit_host_lost(&kit->host))
		atomic_store(&watched->early, true);
}

/* In event_done(), as soon as the event is over. */
static void watched_done(void *user, uint64_t token)
{
	if (token == 1)
		look_early(user);
}

/* Lose the device, and wait for the event. */
static void lose(struct kit *kit, struct watched *watched)
{
	const dprp_test_fault *faults = get_faults(kit);
	bool told = DPRP_HAS(kit->plugin->event, dprp_event_ops, notify);

	kit->host.on_done = watched_done;
	kit->host.on_done_user = watched;
	told = told && !NOTE_CALL(kit->plugin->event->notify(watched->event, 1),
				  "event->notify", "token=1");
	note_need("N5", NOTE_CALL(faults->lose(kit->instance, kit->device),
				  "extension", "lose"));
	note_want("N6",
		  NOTE_CALL(kit->plugin->event->wait(&watched->event, 1,
						     UINT64_MAX),
			    "event->wait", "of work when the device is lost"),
		  DPR_RC_OK);
	if (told)
		kit_host_told(&kit->host, 1, 1, kit->limit / 2);
	note_step("event->status", "of work when the device is lost");
	look_early(watched);
	if (atomic_load(&watched->early))
		note_bad("H5", "host->device_lost() before an event fails",
			 "an event that has failed with DEVICE_LOST, and no "
			 "call of device_lost() yet");
}

static void lost(struct kit *kit)
{
	struct work_long work = work_long(kit);
	struct watched watched = { .kit = kit };
	dprp_event_state state;
	dprp_event *event;

	get_faults(kit);
	work_long_begin(kit, &work, kit->queue, &event);
	kit->loses = true;
	watched.event = event;
	lose(kit, &watched);
	if (work_state(kit, event, &state) < DPRP_EVENT_DONE)
		note_bad("H3", "an event that is over", "the state %u (%s)",
			 state.state, note_state_name(state.state));
	else if (state.state == DPRP_EVENT_FAILED &&
		 state.rc != DPR_RC_DEVICE_LOST &&
		 state.rc != DPR_RC_DEP_FAILED)
		note_bad("H3", "DEVICE_LOST", "%s", note_rc_name(state.rc));
	use_lost(kit, work.mem[0]);
	NOTE_CALL(kit->plugin->queue->finish(kit->queue), "queue->finish",
		  "of a lost device");
	work_destroy(kit, event);
	work_long_end(kit, &work);
}

static const struct kit_check checks[] = {
	{ "failed", failed, 0 },
	{ "notified", notified, 0 },
	{ "dependents", dependents, 0 },
	{ "out_of_order", out_of_order, 0 },
	{ "later", later, 0 },
	{ "lost", lost, 0 },
};

const struct kit_group group_loss = { "loss",
				      "work that fails, and lost devices",
				      checks, KIT_COUNT(checks) };
