/* SPDX-License-Identifier: Apache-2.0 */
/*
 * help_steps.h - shared by the tests of the command queues of
 * <dpr/backend-help.h>: queues, commands that wait or fail on demand, and what
 * becomes of their events.
 */
#ifndef TESTS_HELP_STEPS_H
#define TESTS_HELP_STEPS_H

#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Starting a thread fails while this is set. */
static int thread_error;

static inline int start_thread(pthread_t *thread, const pthread_attr_t *attr,
			void *(*run)(void *), void *arg)
{
	if (thread_error)
		return thread_error;
	return pthread_create(thread, attr, run, arg);
}

#define pthread_create start_thread
#include <dpr/backend-help.h>
#undef pthread_create

#include "tests/support/backend_host_table.h"

/* A plugin's queue: its own members come after the helper's. */
struct dprp_queue {
	struct dprh_queue base;
	int own;
};

static struct host_table *table;
static struct dprh_queues queues;
static atomic_bool gate; /* commands that wait for it go on */

static inline void setup(void)
{
	table = host_table_new();
	dprh_queues_init(&queues, host_table_host(table));
	atomic_store(&gate, false);
	thread_error = 0;
}

/* Aborts if something was not freed. */
static inline void teardown(void)
{
	atomic_store(&gate, true);
	dprh_queues_fini(&queues);
	host_table_free(table);
}

static inline dprp_queue *new_queue(void)
{
	const dprp_queue_desc desc = { .struct_size = sizeof(desc),
				       .flags = DPRP_QUEUE_OUT_OF_ORDER |
						DPRP_QUEUE_PROFILING };
	uint64_t got = 99;
	dprp_queue *queue;

	ck_assert_int_eq(
		dprh_queue_create(&queues, &desc, sizeof(*queue), &got, &queue),
		DPR_RC_OK);
	ck_assert_uint_eq(got, DPRP_QUEUE_PROFILING);
	ck_assert_int_eq(queue->own, 0);
	return queue;
}

/* --- Commands --- */

enum { STEP_ADD, STEP_WAIT, STEP_FAIL };

/* What a command does: it takes the next number, and may wait or fail. */
struct step {
	int what;
	atomic_int *counter;
	int *number; /* gets the counter's value before; NULL: not wanted */
};

static inline dprp_rc do_step(struct dprh_queue *queue, void *data,
		       struct dprh_why *why)
{
	struct step *step = data;
	int number;

	ck_assert_ptr_eq(queue->all, &queues);
	ck_assert_uint_eq((uintptr_t)data % DPRH_ALIGN, 0);
	while (step->what == STEP_WAIT && !atomic_load(&gate))
		sched_yield();
	number = atomic_fetch_add(step->counter, 1);
	if (step->number)
		*step->number = number;
	if (step->what == STEP_FAIL)
		return dprh_because(why, DPR_RC_NATIVE, 77 + number,
				    "test: number %d: BROKEN", number);
	return DPR_RC_OK;
}

/* Submit a step that depends on the @n events @deps; event NULL: none. */
static inline void submit(dprp_queue *queue, const struct step *step, uint32_t n,
		   dprp_event *const *deps, dprp_event **event)
{
	const dprp_deps list = { .struct_size = sizeof(list),
				 .count = n,
				 .events = deps };

	ck_assert_int_eq(dprh_queue_submit(&queue->base, n ? &list : NULL,
					   do_step, step, sizeof(*step), event),
			 DPR_RC_OK);
}

static inline void barrier(dprp_queue *queue, uint32_t n, dprp_event *const *deps,
		    dprp_event **event)
{
	const dprp_deps list = { .struct_size = sizeof(list),
				 .count = n,
				 .events = deps };

	ck_assert_int_eq(dprh_queue_barrier(queue, n ? &list : NULL, event),
			 DPR_RC_OK);
}

static inline dprp_event_state state_of(dprp_event *event)
{
	dprp_event_state state = { .struct_size = sizeof(state) };

	ck_assert_int_eq(dprh_event_status(event, &state, (dprp_sink){ 0 }),
			 DPR_RC_OK);
	ck_assert_uint_eq(state.struct_size, sizeof(state));
	return state;
}

static inline void assert_event(dprp_event *event, uint32_t state, dprp_rc rc)
{
	dprp_event_state got;

	ck_assert_int_eq(dprh_event_wait(&event, 1, UINT64_MAX), DPR_RC_OK);
	got = state_of(event);
	ck_assert_uint_eq(got.state, state);
	ck_assert_int_eq(got.rc, rc);
}

#endif
