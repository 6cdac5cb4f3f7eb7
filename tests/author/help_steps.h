/* SPDX-License-Identifier: Apache-2.0 */
/*
 * help_steps.h - shared by the tests of the command queues of
 * <dpr/backend-help.h>: queues, commands that wait or fail on demand, and what
 * becomes of their events.  With ON_POOL a pool of threads runs the commands, as
 * <dpr/help-pool.h> has it; without, each queue has a thread.
 */
#ifndef TESTS_HELP_STEPS_H
#define TESTS_HELP_STEPS_H

#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Starting a thread fails with this error, unless it is 0. */
static int thread_error;
/* Starting a thread fails with 12 after so many threads; 0: it does not. */
static int thread_error_after;

static inline int start_thread(pthread_t *thread, const pthread_attr_t *attr,
			void *(*run)(void *), void *arg)
{
	if (thread_error)
		return thread_error;
	if (thread_error_after < 0)
		return 12;
	if (thread_error_after && !--thread_error_after)
		thread_error_after = -1;
	return pthread_create(thread, attr, run, arg);
}

#define pthread_create start_thread
#ifdef ON_POOL
#include <dpr/help-pool.h>
#else
#include <dpr/backend-help.h>
#endif
#undef pthread_create

#include "tests/support/backend_host_table.h"

static struct host_table *table;
static atomic_bool gate; /* commands that wait for it go on */
static long own_blocks;  /* of the host's memory, without a queue */

#ifdef ON_POOL
#define POOL_THREADS 4

/* A plugin's queue: its own members come after the helper's. */
struct dprp_queue {
	union {
		struct dprh_queue base;
		struct dprh_pool_queue pooled;
	};
	int own;
};

static struct dprh_pool pool;
#define queues (pool.queues)

/* What a queue is asked for and grants. */
static uint64_t queue_flags = DPRP_QUEUE_PROFILING;
#define GRANTED queue_flags

static inline void start_queues(void)
{
	ck_assert_int_eq(dprh_pool_init(&pool, host_table_host(table), NULL,
					POOL_THREADS, ""),
			 DPR_RC_OK);
}

static inline void end_queues(void)
{
	dprh_pool_fini(&pool);
}
#else
/* A plugin's queue: its own members come after the helper's. */
struct dprp_queue {
	struct dprh_queue base;
	int own;
};

static struct dprh_queues queues;

static uint64_t queue_flags = DPRP_QUEUE_OUT_OF_ORDER | DPRP_QUEUE_PROFILING;
#define GRANTED DPRP_QUEUE_PROFILING

static inline void start_queues(void)
{
	dprh_queues_init(&queues, host_table_host(table));
}

static inline void end_queues(void)
{
	dprh_queues_fini(&queues);
}
#endif

static inline void setup(void)
{
	table = host_table_new();
	start_queues();
	own_blocks = host_table_blocks(table);
	atomic_store(&gate, false);
	thread_error = thread_error_after = 0;
}

/* Aborts if something was not freed. */
static inline void teardown(void)
{
	atomic_store(&gate, true);
	end_queues();
	host_table_free(table);
}

/* Wait for all work, and free all queues. */
static inline void restart(void)
{
	end_queues();
	ck_assert_int_eq(host_table_blocks(table), 0);
	start_queues();
}

static inline dprp_queue *new_queue(void)
{
	const dprp_queue_desc desc = { .struct_size = sizeof(desc),
				       .flags = queue_flags };
	uint64_t got = 99;
	dprp_queue *queue;

	ck_assert_int_eq(
		dprh_queue_create(&queues, &desc, sizeof(*queue), &got, &queue),
		DPR_RC_OK);
	ck_assert_uint_eq(got, GRANTED);
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
