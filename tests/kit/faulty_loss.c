/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_loss.c - faults of work that fails, and of lost devices. */
#include <string.h>

#include "tests/kit/faulty.h"
#include "tests/plugins/mock/mock_impl.h"

static dprp_rc done_status(dprp_event *event, dprp_event_state *state,
			   dprp_sink text)
{
	dprp_rc rc = faulty.mock->event->status(event, state, text);

	if (!rc && state->state == DPRP_EVENT_FAILED &&
	    state->rc == DPR_RC_DEP_FAILED)
		state->state = DPRP_EVENT_DONE;
	return rc;
}

static void dependents_done(void)
{
	faulty.event.status = done_status;
}

static dprp_rc copy_free(dprp_queue *queue, dprp_mem *to, uint64_t to_offset,
			 dprp_mem *from, uint64_t from_offset, uint64_t size,
			 const dprp_deps *deps, dprp_event **event)
{
	bool own = !deps || !deps->count || !deps->events[0]->queue ||
		   deps->events[0]->queue == queue;

	return faulty.mock->queue->copy(queue, to, to_offset, from, from_offset,
					size, own ? deps : NULL, event);
}

static void forgets_failure(void)
{
	faulty.queue.copy = copy_free;
}

/* Work that was submitted before its dependency failed does not learn of the
   failure. */
static dprp_event *unaware[32];
static unsigned n_unaware;

static dprp_rc copy_unaware(dprp_queue *queue, dprp_mem *to, uint64_t to_offset,
			    dprp_mem *from, uint64_t from_offset, uint64_t size,
			    const dprp_deps *deps, dprp_event **event)
{
	bool pending = deps && deps->count &&
		       deps->events[0]->state < DPRP_EVENT_DONE;
	dprp_rc rc = faulty.mock->queue->copy(queue, to, to_offset, from,
					      from_offset, size, deps, event);

	if (!rc && pending && event && n_unaware < 32)
		unaware[n_unaware++] = *event;
	return rc;
}

static dprp_rc unaware_status(dprp_event *event, dprp_event_state *state,
			      dprp_sink text)
{
	dprp_rc rc = faulty.mock->event->status(event, state, text);
	unsigned i;

	for (i = 0; i < n_unaware && unaware[i] != event; i++)
		;
	if (!rc && i < n_unaware && state->rc == DPR_RC_DEP_FAILED)
		state->state = DPRP_EVENT_DONE;
	return rc;
}

static void forgets_later(void)
{
	faulty.queue.copy = copy_unaware;
	faulty.event.status = unaware_status;
}

/* A copy has failed, and the plugin takes the device for lost. */
static dprp_rc alarmed_status(dprp_event *event, dprp_event_state *state,
			      dprp_sink text)
{
	dprp_rc rc = faulty.mock->event->status(event, state, text);

	if (!rc && state->state == DPRP_EVENT_FAILED)
		faulty.given->device_lost(faulty.given->self,
					  &event->instance->roots[0],
					  "a copy has failed");
	return rc;
}

static void cries_lost(void)
{
	faulty.event.status = alarmed_status;
}

static dprp_rc mute_status(dprp_event *event, dprp_event_state *state,
			   dprp_sink text)
{
	(void)text;
	return faulty.mock->event->status(event, state, (dprp_sink){ 0 });
}

static void no_sentence(void)
{
	faulty.event.status = mute_status;
}

static dprp_rc failed_wait(dprp_event *const *events, uint32_t n,
			   uint64_t timeout_ns)
{
	dprp_rc rc = faulty.mock->event->wait(events, n, timeout_ns);

	if (!rc && n && events[0]->state == DPRP_EVENT_FAILED)
		return faulty_fail(events[0]->rc);
	return rc;
}

static void wait_fails(void)
{
	faulty.event.wait = failed_wait;
}

static dprp_rc finish_keeps(dprp_queue *queue)
{
	static dprp_rc kept;
	dprp_rc rc = faulty.mock->queue->finish(queue);

	kept = rc ? rc : kept;
	return kept ? faulty_fail(kept) : DPR_RC_OK;
}

static void finish_repeats(void)
{
	faulty.queue.finish = finish_keeps;
}

static dprp_rc notify_done(dprp_event *event, uint64_t token)
{
	faulty.mock->event->wait(&event, 1, UINT64_MAX);
	return event->state == DPRP_EVENT_DONE
		       ? faulty.mock->event->notify(event, token)
		       : DPR_RC_OK;
}

static void failure_untold(void)
{
	faulty.event.notify = notify_done;
}

static dprp_rc lost_barrier(dprp_queue *queue, const dprp_deps *deps,
			    dprp_event **event)
{
	dprp_rc rc = faulty.mock->queue->barrier(queue, deps, event);

	return rc == DPR_RC_DEVICE_LOST ? DPR_RC_OK : rc;
}

static void lost_accepts(void)
{
	faulty.queue.barrier = lost_barrier;
}

static void keep_quiet(dprp_host_instance *self, dprp_device *device,
		       const char *why)
{
	(void)self, (void)device, (void)why;
}

static void loss_untold(void)
{
	faulty.device_lost = keep_quiet;
}

static const dprp_test_fault *mock_faults(void)
{
	return faulty.mock->extension(NULL, DPRP_TEST_FAULT, 1);
}

static dprp_rc lose_and_tell(dprp_instance *instance, dprp_device *device)
{
	dprp_rc rc = mock_faults()->lose(instance, device);

	faulty.given->device_lost(faulty.given->self, device, "told late");
	return rc;
}

static dprp_rc fail_as_mock(dprp_instance *instance)
{
	return mock_faults()->fail_next(instance);
}

static const void *late_extension(dprp_instance *instance, const char *name,
				  uint32_t version)
{
	static const dprp_test_fault late = { .struct_size = sizeof(late),
					      .fail_next = fail_as_mock,
					      .lose = lose_and_tell };

	return strcmp(name, DPRP_TEST_FAULT) != 0
		       ? faulty.mock->extension(instance, name, version)
		       : &late;
}

/* The host learns of the loss when events have failed already. */
static void loss_told_late(void)
{
	loss_untold();
	faulty.plugin.extension = late_extension;
}

const struct fault faulty_loss_faults[] = {
	{ "dependents_done", dependents_done },
	{ "forgets_failure", forgets_failure },
	{ "forgets_later", forgets_later },
	{ "cries_lost", cries_lost },
	{ "no_sentence", no_sentence },
	{ "wait_fails", wait_fails },
	{ "finish_repeats", finish_repeats },
	{ "failure_untold", failure_untold },
	{ "lost_accepts", lost_accepts },
	{ "loss_untold", loss_untold },
	{ "loss_told_late", loss_told_late },
	{ NULL, NULL },
};
