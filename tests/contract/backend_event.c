/* SPDX-License-Identifier: Apache-2.0 */
/* backend_event.c - events: states, times, waits and notifications. */
#include "tests/contract/backend_rig.h"

#include <stdlib.h>
#include <time.h>

#define CLOCK_ERROR_NS UINT64_C(100000000)
#define SIZE ((uint64_t)1 << 20)

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Enqueue a barrier and return its event. */
static dprp_event *barrier(struct rig *rig, dprp_queue *queue)
{
	dprp_event *event;

	rig_ok(rig, rig->plugin->queue->barrier(queue, NULL, &event));
	ck_assert_ptr_nonnull(event);
	return event;
}

static void told(struct rig *rig, uint64_t token, unsigned times)
{
	pthread_mutex_lock(&rig->lock);
	while (rig->told[token] < times)
		pthread_cond_wait(&rig->changed, &rig->lock);
	ck_assert_uint_eq(rig->told[token], times);
	pthread_mutex_unlock(&rig->lock);
}

START_TEST(test_state_and_times)
{
	dprp_event_state state, before;
	uint64_t start = now(), device_ns, host_ns;
	struct rig_bytes data;
	dprp_event *event;
	struct rig rig;
	dprp_mem *mem;
	uint32_t s, last = 0;

	rig_open(&rig, _i, NULL);
	mem = rig_mem(&rig, SIZE);
	data = rig_bytes(&rig, SIZE);
	rig_ok(&rig, rig.plugin->queue->write(rig.queue, mem, 0, data.at, SIZE,
					      NULL, &event));
	rig_ok(&rig, rig.plugin->queue->flush(rig.queue));
	do {
		s = rig_state(&rig, event, &state);
		ck_assert_uint_ge(s, last);
		last = s;
	} while (s < DPRP_EVENT_DONE);
	ck_assert_uint_eq(s, DPRP_EVENT_DONE);
	ck_assert_int_eq(state.rc, DPR_RC_OK);
	if (rig.queue_flags & DPRP_QUEUE_PROFILING) {
		ck_assert_uint_gt(state.t_queued, 0);
		ck_assert_uint_ge(state.t_submit, state.t_queued);
		ck_assert_uint_ge(state.t_start, state.t_submit);
		ck_assert_uint_ge(state.t_end, state.t_start);
		rig_state(&rig, event, &before);
		ck_assert_uint_eq(before.t_end, state.t_end);
	}
	if (rig.queue_flags & DPRP_QUEUE_PROFILING &&
	    DPRP_HAS(rig.plugin->device, dprp_device_ops, clocks) &&
	    rig.plugin->device->clocks(rig.device, &device_ns, &host_ns) !=
		    DPR_RC_UNSUPPORTED) {
		/* On the host's clock, the work ran between the start of the
		   test and now.  Two clocks are compared with an error, which
		   is larger on a busy machine. */
		ck_assert_uint_ge(state.t_queued - (device_ns - host_ns) +
					  CLOCK_ERROR_NS,
				  start);
		ck_assert_uint_le(state.t_end - (device_ns - host_ns),
				  now() + CLOCK_ERROR_NS);
	}
	rig.plugin->event->destroy(event);
	rig.plugin->mem->free(mem);
	rig_bytes_free(&rig, &data);
	rig_close(&rig);
}
END_TEST

START_TEST(test_no_profiling)
{
	dprp_event_state state;
	dprp_event *event;
	dprp_queue *queue;
	struct rig rig;

	rig_open(&rig, _i, NULL);
	queue = rig_queue(&rig, 0, NULL);
	event = barrier(&rig, queue);
	rig_ok(&rig, rig_wait(&rig, event, RIG_FOREVER));
	rig_state(&rig, event, &state);
	ck_assert_uint_eq(state.t_queued | state.t_submit | state.t_start |
				  state.t_end,
			  0);
	rig.plugin->event->destroy(event);
	rig.plugin->queue->destroy(queue);
	rig_close(&rig);
}
END_TEST

/* A caller's struct may be shorter or longer: bytes behind it are not
   written. */
START_TEST(test_state_size)
{
	struct {
		dprp_event_state state;
		uint64_t tail;
	} s = { .state = { .struct_size =
				   DPRP_SIZE_TO(dprp_event_state, rc) } };
	dprp_sink none = { 0 };
	dprp_event *event;
	struct rig rig;

	rig_open(&rig, _i, NULL);
	event = barrier(&rig, rig.queue);
	rig_ok(&rig, rig_wait(&rig, event, RIG_FOREVER));
	s.state.native = 0x5a5a;
	rig_ok(&rig, rig.plugin->event->status(event, &s.state, none));
	ck_assert_uint_eq(s.state.state, DPRP_EVENT_DONE);
	ck_assert_int_eq(s.state.native, 0x5a5a);
	s.state.struct_size = sizeof(s);
	s.tail = 0x5a5a;
	rig_ok(&rig, rig.plugin->event->status(event, &s.state, none));
	ck_assert_uint_eq(s.tail, 0x5a5a);
	rig.plugin->event->destroy(event);
	rig_close(&rig);
}
END_TEST

/* Enqueue work that takes so long that a test can look before it is done. */
static dprp_event *long_work(struct rig *rig, dprp_mem *a, dprp_mem *b,
			     uint64_t size, int copies)
{
	dprp_event *event = NULL;
	int i;

	for (i = 0; i < copies; i++)
		rig_ok(rig,
		       rig->plugin->queue->copy(
			       rig->queue, i % 2 ? a : b, 0, i % 2 ? b : a, 0,
			       size, NULL, i == copies - 1 ? &event : NULL));
	return event;
}

START_TEST(test_wait)
{
	const uint64_t size = 16 * SIZE;
	dprp_event *events[2];
	struct rig rig;
	dprp_mem *a, *b;
	int copies = 40;
	dprp_rc rc;

	rig_open(&rig, _i, NULL);
	a = rig_mem(&rig, size);
	b = rig_mem(&rig, size);
	events[0] = long_work(&rig, a, b, size, copies);
	/* A fast device may have done it already: give it more. */
	while ((rc = rig_wait(&rig, events[0], 0)) == DPR_RC_OK &&
	       copies < 10000) {
		rig.plugin->event->destroy(events[0]);
		copies *= 4;
		events[0] = long_work(&rig, a, b, size, copies);
	}
	ck_assert_int_eq(rc, DPR_RC_TIMEOUT);
	events[1] = barrier(&rig, rig.queue);
	rc = rig_wait(&rig, events[0], 1000);
	ck_assert(rc == DPR_RC_TIMEOUT || rc == DPR_RC_OK);
	rig_ok(&rig, rig.plugin->event->wait(events, 2, UINT64_C(60000000000)));
	ck_assert_uint_eq(rig_state(&rig, events[0], NULL), DPRP_EVENT_DONE);
	ck_assert_uint_eq(rig_state(&rig, events[1], NULL), DPRP_EVENT_DONE);
	rig_ok(&rig, rig_wait(&rig, events[0], 0));
	rig_ok(&rig, rig.plugin->event->wait(events, 0, RIG_FOREVER));
	rig.plugin->event->destroy(events[0]);
	rig.plugin->event->destroy(events[1]);
	rig.plugin->mem->free(a);
	rig.plugin->mem->free(b);
	rig_close(&rig);
}
END_TEST

START_TEST(test_notify)
{
	const uint64_t size = 4 * SIZE;
	dprp_event *event;
	struct rig rig;
	dprp_mem *a, *b;

	rig_open(&rig, _i, NULL);
	if (!DPRP_HAS(rig.plugin->event, dprp_event_ops, notify)) {
		rig_close(&rig);
		return;
	}
	a = rig_mem(&rig, size);
	b = rig_mem(&rig, size);
	event = long_work(&rig, a, b, size, 40);
	rig_ok(&rig, rig.plugin->event->notify(event, 1));
	rig_ok(&rig, rig.plugin->queue->flush(rig.queue));
	told(&rig, 1, 1);
	rig_ok(&rig, rig_wait(&rig, event, RIG_FOREVER));
	/* notify() also works for an event that is already complete. */
	rig_ok(&rig, rig.plugin->event->notify(event, 2));
	told(&rig, 2, 1);
	rig.plugin->event->destroy(event);
	/* notify() also works if the event is destroyed before it completes. */
	event = long_work(&rig, a, b, size, 40);
	rig_ok(&rig, rig.plugin->event->notify(event, 3));
	rig_ok(&rig, rig.plugin->queue->flush(rig.queue));
	rig.plugin->event->destroy(event);
	told(&rig, 3, 1);
	rig_ok(&rig, rig.plugin->queue->finish(rig.queue));
	ck_assert_uint_eq(rig.told[1], 1);
	ck_assert_int_eq(rig.told_rc[1], DPR_RC_OK);
	rig.plugin->mem->free(a);
	rig.plugin->mem->free(b);
	rig_close(&rig);
}
END_TEST

/* Events outlive their queue. */
START_TEST(test_outlives_queue)
{
	dprp_event *event;
	dprp_queue *queue;
	struct rig rig;

	rig_open(&rig, _i, NULL);
	queue = rig_queue(&rig, 0, NULL);
	event = barrier(&rig, queue);
	rig.plugin->queue->destroy(queue);
	rig_ok(&rig, rig_wait(&rig, event, RIG_FOREVER));
	queue = rig_queue(&rig, 0, NULL);
	ck_assert_uint_eq(rig_state(&rig, event, NULL), DPRP_EVENT_DONE);
	rig.plugin->event->destroy(event);
	rig.plugin->queue->destroy(queue);
	rig_close(&rig);
}
END_TEST

static void *waiter(void *arg)
{
	struct {
		struct rig *rig;
		dprp_event *event;
	} *w = arg;

	return rig_wait(w->rig, w->event, RIG_FOREVER) ? arg : NULL;
}

START_TEST(test_many_waiters)
{
	struct {
		struct rig *rig;
		dprp_event *event;
	} w;
	const uint64_t size = 4 * SIZE;
	pthread_t threads[8];
	struct rig rig;
	dprp_mem *a, *b;
	void *failed;
	int i;

	rig_open(&rig, _i, NULL);
	a = rig_mem(&rig, size);
	b = rig_mem(&rig, size);
	w.rig = &rig;
	w.event = long_work(&rig, a, b, size, 40);
	for (i = 0; i < 8; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, waiter, &w),
				 0);
	for (i = 0; i < 8; i++) {
		pthread_join(threads[i], &failed);
		ck_assert_ptr_null(failed);
	}
	rig_done(&rig, w.event);
	rig.plugin->mem->free(a);
	rig.plugin->mem->free(b);
	rig_close(&rig);
}
END_TEST

static void add(Suite *suite)
{
	rig_add(suite, "state and times", test_state_and_times);
	rig_add(suite, "no profiling", test_no_profiling);
	rig_add(suite, "state size", test_state_size);
	rig_add(suite, "wait", test_wait);
	rig_add(suite, "notify", test_notify);
	rig_add(suite, "outlives queue", test_outlives_queue);
	rig_add(suite, "many waiters", test_many_waiters);
}

int main(void)
{
	return rig_main("backend_event", add);
}
