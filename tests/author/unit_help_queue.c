/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_help_queue.c - the command queue of <dpr/backend-help.h>: order,
 * dependencies, failures, notices, and the ends of queues and events.
 */
#include "tests/author/help_steps.h"

/* --- Order --- */

#define LENGTH 200

START_TEST(a_queue_is_in_order)
{
	dprp_queue *queue = new_queue();
	dprp_event *events[LENGTH];
	dprp_event_state state;
	uint64_t before = dprh_now(), last = 0;
	int numbers[LENGTH], i;
	atomic_int counter = 0;

	for (i = 0; i < LENGTH; i++) {
		struct step step = { STEP_ADD, &counter, &numbers[i] };

		submit(queue, &step, 0, NULL, &events[i]);
	}
	ck_assert_int_eq(dprh_queue_flush(queue), DPR_RC_OK);
	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_OK);
	ck_assert_int_eq(atomic_load(&counter), LENGTH);
	for (i = 0; i < LENGTH; i++) {
		ck_assert_int_eq(numbers[i], i);
		state = state_of(events[i]);
		ck_assert_uint_eq(state.state, DPRP_EVENT_DONE);
		ck_assert_uint_le(before, state.t_queued);
		ck_assert_uint_le(state.t_queued, state.t_submit);
		ck_assert_uint_le(state.t_submit, state.t_start);
		ck_assert_uint_le(last, state.t_start);
		ck_assert_uint_le(state.t_start, state.t_end);
		ck_assert_uint_le(state.t_end, dprh_now());
		last = state.t_end;
		dprh_event_destroy(events[i]);
	}
	dprh_queue_destroy(queue);
}
END_TEST

/* One command depends on that of another queue before it, to and fro. */
START_TEST(chain_across_queues)
{
	dprp_queue *pair[2] = { new_queue(), new_queue() };
	dprp_event *event = NULL, *next;
	int numbers[LENGTH], i;
	atomic_int counter = 0;

	for (i = 0; i < LENGTH; i++) {
		struct step step = { STEP_ADD, &counter, &numbers[i] };

		submit(pair[i % 2], &step, event != NULL, &event, &next);
		/* The core may destroy it right after using it. */
		if (event)
			dprh_event_destroy(event);
		event = next;
	}
	assert_event(event, DPRP_EVENT_DONE, DPR_RC_OK);
	dprh_event_destroy(event);
	for (i = 0; i < LENGTH; i++)
		ck_assert_int_eq(numbers[i], i);
	dprh_queue_destroy(pair[0]);
	dprh_queue_destroy(pair[1]);
}
END_TEST

START_TEST(diamonds)
{
	dprp_queue *list[4] = { new_queue(), new_queue(), new_queue(),
				new_queue() };
	dprp_event *top, *sides[3], *bottom;
	int numbers[4], turn, i;

	for (turn = 0; turn < LENGTH; turn++) {
		atomic_int counter = 0;
		struct step step = { STEP_ADD, &counter, &numbers[0] };

		submit(list[0], &step, 0, NULL, &top);
		for (i = 1; i < 3; i++) {
			step.number = &numbers[i];
			submit(list[i], &step, 1, &top, &sides[i - 1]);
		}
		sides[2] = sides[0]; /* twice in the list */
		step.number = &numbers[3];
		submit(list[3], &step, 3, sides, &bottom);
		assert_event(bottom, DPRP_EVENT_DONE, DPR_RC_OK);
		ck_assert_int_eq(numbers[0], 0);
		ck_assert_int_eq(numbers[1] + numbers[2], 3);
		ck_assert_int_eq(numbers[3], 3);
		dprh_event_destroy(top);
		dprh_event_destroy(sides[0]);
		dprh_event_destroy(sides[1]);
		dprh_event_destroy(bottom);
	}
	for (i = 0; i < 4; i++)
		dprh_queue_destroy(list[i]);
}
END_TEST

/* A barrier with dependencies holds back all later work of its queue; one
   without is over when all earlier work is. */
START_TEST(barriers)
{
	dprp_queue *first = new_queue(), *second = new_queue();
	dprp_event *held, *behind, *after, *last;
	atomic_int counter = 0;
	int numbers[2] = { -1, -1 };
	struct step wait = { STEP_WAIT, &counter, &numbers[0] };
	struct step add = { STEP_ADD, &counter, &numbers[1] };

	submit(first, &wait, 0, NULL, &held);
	barrier(first, 0, NULL, &behind);
	barrier(second, 1, &held, NULL);
	submit(second, &add, 0, NULL, &after);
	barrier(second, 0, NULL, &last);
	ck_assert_int_eq(dprh_event_wait(&last, 1, 20000000), DPR_RC_TIMEOUT);
	ck_assert_uint_lt(state_of(behind).state, DPRP_EVENT_DONE);
	ck_assert_uint_lt(state_of(after).state, DPRP_EVENT_DONE);
	atomic_store(&gate, true);
	assert_event(last, DPRP_EVENT_DONE, DPR_RC_OK);
	assert_event(behind, DPRP_EVENT_DONE, DPR_RC_OK);
	ck_assert_int_eq(numbers[0], 0);
	ck_assert_int_eq(numbers[1], 1);
	dprh_event_destroy(held);
	dprh_event_destroy(behind);
	dprh_event_destroy(after);
	dprh_event_destroy(last);
	dprh_queue_destroy(first);
	dprh_queue_destroy(second);
}
END_TEST

/* --- Failures --- */

static void append(void *user, const char *bytes, size_t size)
{
	char *text = user;
	size_t at = strlen(text);

	ck_assert_uint_lt(at + size, 512);
	memcpy(text + at, bytes, size);
	text[at + size] = '\0';
}

START_TEST(failure_and_its_dependents)
{
	dprp_queue *pair[2] = { new_queue(), new_queue() };
	dprp_event *events[11], *other;
	dprp_event_state state = { .struct_size = sizeof(state) };
	char text[512] = "";
	atomic_int counter = 0, others = 0;
	struct step step = { STEP_FAIL, &counter, NULL };
	struct step add = { STEP_ADD, &others, NULL };
	int i;

	submit(pair[0], &step, 0, NULL, &events[0]);
	step.what = STEP_ADD;
	for (i = 1; i < 11; i++)
		submit(pair[i % 2], &step, 1, &events[i - 1], &events[i]);
	submit(pair[0], &add, 0, NULL, &other);
	assert_event(events[0], DPRP_EVENT_FAILED, DPR_RC_NATIVE);
	for (i = 1; i < 11; i++)
		assert_event(events[i], DPRP_EVENT_FAILED, DPR_RC_DEP_FAILED);
	assert_event(other, DPRP_EVENT_DONE, DPR_RC_OK);
	/* What depends on a failure was not done, all else was. */
	ck_assert_int_eq(atomic_load(&counter), 1);
	ck_assert_int_eq(atomic_load(&others), 1);
	ck_assert_int_eq(dprh_event_status(events[0], &state,
					   (dprp_sink){ append, text }),
			 DPR_RC_OK);
	ck_assert_str_eq(text, "test: number 0: BROKEN");
	ck_assert_int_eq(state.native, 77);
	*text = '\0';
	dprh_event_status(events[10], &state, (dprp_sink){ append, text });
	ck_assert_msg(strstr(text, "depends on has failed") != NULL, "%s",
		      text);
	for (i = 0; i < 11; i++)
		dprh_event_destroy(events[i]);
	dprh_event_destroy(other);
	/* Each queue reports its own first failure. */
	ck_assert_int_eq(dprh_queue_finish(pair[0]), DPR_RC_NATIVE);
	ck_assert_int_eq(dprh_queue_finish(pair[1]), DPR_RC_DEP_FAILED);
	dprh_queue_destroy(pair[0]);
	dprh_queue_destroy(pair[1]);
}
END_TEST

/* A barrier fails with its dependencies, and with nothing else. */
START_TEST(barrier_after_failure)
{
	dprp_queue *first = new_queue(), *second = new_queue();
	dprp_event *event, *behind, *depends;
	atomic_int counter = 0;
	struct step step = { STEP_FAIL, &counter, NULL };

	submit(first, &step, 0, NULL, &event);
	barrier(first, 0, NULL, &behind);
	barrier(second, 1, &event, &depends);
	assert_event(behind, DPRP_EVENT_DONE, DPR_RC_OK);
	assert_event(depends, DPRP_EVENT_FAILED, DPR_RC_DEP_FAILED);
	dprh_event_destroy(event);
	dprh_event_destroy(behind);
	dprh_event_destroy(depends);
	dprh_queue_destroy(first);
	dprh_queue_destroy(second);
}
END_TEST

START_TEST(finish_reports_once)
{
	dprp_queue *queue = new_queue();
	atomic_int counter = 0;
	struct step step = { STEP_FAIL, &counter, NULL };

	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_OK);
	/* The first of two counts, also if nobody wants an event. */
	submit(queue, &step, 0, NULL, NULL);
	submit(queue, &step, 0, NULL, NULL);
	host_table_clear();
	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_NATIVE);
	ck_assert_int_eq(host_table_error_rc(), DPR_RC_NATIVE);
	ck_assert_int_eq(host_table_error_native(), 77);
	ck_assert_str_eq(host_table_error(), "test: number 0: BROKEN");
	ck_assert_int_eq(atomic_load(&counter), 2);
	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_OK);
	submit(queue, &step, 0, NULL, NULL);
	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_NATIVE);
	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_OK);
	dprh_queue_destroy(queue);
}
END_TEST

/* --- Notices and waits --- */

START_TEST(told_once)
{
	dprp_queue *queue = new_queue();
	dprp_event *early, *failing, *late, *gone;
	atomic_int counter = 0;
	struct step wait = { STEP_WAIT, &counter, NULL };
	struct step fail = { STEP_FAIL, &counter, NULL };
	dprp_rc rc = 99;

	submit(queue, &wait, 0, NULL, &early);
	submit(queue, &fail, 0, NULL, &failing);
	submit(queue, &wait, 0, NULL, &gone);
	submit(queue, &wait, 0, NULL, &late);
	ck_assert_int_eq(dprh_event_notify(early, 1), DPR_RC_OK);
	ck_assert_int_eq(dprh_event_notify(failing, 2), DPR_RC_OK);
	ck_assert_int_eq(dprh_event_notify(gone, 4), DPR_RC_OK);
	dprh_event_destroy(gone);
	/* An event takes one token. */
	ck_assert_int_eq(dprh_event_notify(early, 5), DPR_RC_INVALID);
	ck_assert_uint_eq(host_table_done(table, 1, NULL), 0);
	atomic_store(&gate, true);
	ck_assert(host_table_wait_done(table, 1, 60000));
	ck_assert(host_table_wait_done(table, 2, 60000));
	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_NATIVE);
	/* At once, if it is over. */
	ck_assert_int_eq(dprh_event_notify(late, 3), DPR_RC_OK);
	ck_assert_uint_eq(host_table_done(table, 3, &rc), 1);
	ck_assert_int_eq(rc, DPR_RC_OK);
	ck_assert_uint_eq(host_table_done(table, 1, &rc), 1);
	ck_assert_int_eq(rc, DPR_RC_OK);
	ck_assert_uint_eq(host_table_done(table, 2, &rc), 1);
	ck_assert_int_eq(rc, DPR_RC_NATIVE);
	ck_assert_uint_eq(host_table_done(table, 4, NULL), 0);
	ck_assert_uint_eq(host_table_done(table, 5, NULL), 0);
	dprh_event_destroy(early);
	dprh_event_destroy(failing);
	dprh_event_destroy(late);
	dprh_queue_destroy(queue);
}
END_TEST

START_TEST(waits)
{
	dprp_queue *queue = new_queue();
	dprp_event *pair[2];
	atomic_int counter = 0;
	struct step add = { STEP_ADD, &counter, NULL };
	struct step wait = { STEP_WAIT, &counter, NULL };
	uint64_t device, host;

	submit(queue, &add, 0, NULL, &pair[0]);
	submit(queue, &wait, 0, NULL, &pair[1]);
	ck_assert_int_eq(dprh_event_wait(&pair[0], 1, UINT64_MAX), DPR_RC_OK);
	ck_assert_int_eq(dprh_event_wait(pair, 2, 0), DPR_RC_TIMEOUT);
	ck_assert_int_eq(host_table_error_rc(), DPR_RC_TIMEOUT);
	ck_assert_int_eq(dprh_event_wait(pair, 2, 5000000), DPR_RC_TIMEOUT);
	atomic_store(&gate, true);
	/* No limit, since the sum with the clock overflows. */
	ck_assert_int_eq(dprh_event_wait(pair, 2, UINT64_MAX - 1), DPR_RC_OK);
	ck_assert_int_eq(dprh_event_wait(pair, 2, 0), DPR_RC_OK);
	ck_assert_int_eq(dprh_event_wait(NULL, 0, 0), DPR_RC_OK);
	ck_assert_int_eq(dprh_clocks(NULL, &device, &host), DPR_RC_OK);
	ck_assert_uint_eq(device, host);
	dprh_event_destroy(pair[0]);
	dprh_event_destroy(pair[1]);
	dprh_queue_destroy(queue);
}
END_TEST

/* --- Ends --- */

/* A queue is destroyed while its work runs: the work and its events complete,
   and the events outlive it. */
START_TEST(destroyed_while_busy)
{
	dprp_queue *queue = new_queue(), *next;
	dprp_event *event;
	atomic_int counter = 0;
	struct step wait = { STEP_WAIT, &counter, NULL };
	struct step add = { STEP_ADD, &counter, NULL };

	submit(queue, &wait, 0, NULL, NULL);
	submit(queue, &add, 0, NULL, &event);
	dprh_queue_destroy(queue);
	next = new_queue();
	ck_assert_uint_lt(state_of(event).state, DPRP_EVENT_DONE);
	atomic_store(&gate, true);
	assert_event(event, DPRP_EVENT_DONE, DPR_RC_OK);
	ck_assert_int_eq(atomic_load(&counter), 2);
	dprh_event_destroy(event);
	/* A later create frees what has ended. */
	dprh_queue_destroy(next);
	dprh_queue_destroy(new_queue());
}
END_TEST

/* Work left over when the instance closes is done.  This includes the work of
   queues that nobody has destroyed. */
START_TEST(closed_while_busy)
{
	dprp_queue *queue = new_queue(), *other = new_queue();
	dprp_event *event;
	static atomic_int counter;
	struct step add = { STEP_ADD, &counter, NULL };
	int i;

	atomic_store(&counter, 0);
	submit(queue, &add, 0, NULL, &event);
	for (i = 0; i < LENGTH; i++)
		submit(other, &add, 1, &event, NULL);
	dprh_event_destroy(event);
	dprh_queue_destroy(queue);
	restart();
	ck_assert_int_eq(atomic_load(&counter), LENGTH + 1);
}
END_TEST

/* Every signal is blocked in the thread of a queue. */
static dprp_rc check_signals(struct dprh_queue *queue, void *data,
			     struct dprh_why *why)
{
	sigset_t set;
	int i, open = 0;

	(void)queue, (void)data;
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	/* Those from 32 on belong to the threads' library. */
	for (i = 1; i < 32; i++)
		open += i != SIGKILL && i != SIGSTOP && !sigismember(&set, i);
	return open ? dprh_because(why, DPR_RC_INTERNAL, open, "signals")
		    : DPR_RC_OK;
}

START_TEST(signals_are_blocked)
{
	dprp_queue *queue = new_queue();
	sigset_t set;

	ck_assert_int_eq(dprh_queue_submit(&queue->base, NULL, check_signals,
					   NULL, 0, NULL),
			 DPR_RC_OK);
	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_OK);
	/* The caller's mask is as before. */
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	ck_assert_int_eq(sigismember(&set, SIGTERM), 0);
	dprh_queue_destroy(queue);
}
END_TEST

/* --- What is refused --- */

START_TEST(refused_queues)
{
	const dprp_ext ext = { .struct_size = sizeof(ext), .name = "x" };
	dprp_queue_desc desc = { .struct_size = sizeof(desc) };
	dprp_queue *queue = NULL;
	uint64_t got;
	int i;

	for (i = 0; i < 4; i++) {
		desc.flags = i == 0 ? 4 : 0;
		desc.priority = i == 1 ? 1 : i == 2 ? 2 : 0;
		desc.ext = i == 3 ? &ext : NULL;
		host_table_clear();
		ck_assert_int_eq(dprh_queue_create(&queues, &desc,
						   sizeof(*queue), &got,
						   &queue),
				 DPR_RC_UNSUPPORTED);
		ck_assert_int_eq(host_table_error_rc(), DPR_RC_UNSUPPORTED);
		ck_assert_ptr_null(queue);
	}
	desc.ext = NULL;
	host_table_fail_alloc(table, 1);
	ck_assert_int_eq(
		dprh_queue_create(&queues, &desc, sizeof(*queue), &got, &queue),
		DPR_RC_OOM_HOST);
	host_table_fail_alloc(table, 0);
#ifndef ON_POOL
	thread_error = 11;
	ck_assert_int_eq(
		dprh_queue_create(&queues, &desc, sizeof(*queue), &got, &queue),
		DPR_RC_OOM_HOST);
	ck_assert_int_eq(host_table_error_native(), 11);
#endif
	ck_assert_int_eq(host_table_blocks(table), own_blocks);
}
END_TEST

START_TEST(refused_commands)
{
	struct {
		dprp_deps deps;
		uint64_t tail;
	} newer = { .deps.struct_size = sizeof(newer), .tail = 1 };
	dprp_deps deps = { .struct_size = sizeof(deps), .flags = 1 };
	dprp_queue *queue = new_queue();
	atomic_int counter = 0;
	struct step step = { STEP_ADD, &counter, NULL };
	dprp_event *held, *event = NULL;
	long blocks;
	int i;

	ck_assert_int_eq(dprh_queue_barrier(queue, &deps, &event),
			 DPR_RC_UNSUPPORTED);
	ck_assert_int_eq(dprh_queue_barrier(queue, &newer.deps, &event),
			 DPR_RC_UNSUPPORTED);
	ck_assert_int_eq(host_table_error_rc(), DPR_RC_UNSUPPORTED);
	ck_assert_ptr_null(event);
	submit(queue, &step, 0, NULL, &held);
	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_OK);
	blocks = host_table_blocks(table);
	deps = (dprp_deps){ .struct_size = sizeof(deps),
			    .count = 1,
			    .events = &held };
	for (i = 1; i < 3; i++) { /* the command, then the event */
		host_table_fail_alloc(table, (unsigned long)i);
		ck_assert_int_eq(dprh_queue_submit(&queue->base, &deps, do_step,
						   &step, sizeof(step), &event),
				 DPR_RC_OOM_HOST);
		ck_assert_int_eq(host_table_error_rc(), DPR_RC_OOM_HOST);
		ck_assert_ptr_null(event);
		ck_assert_int_eq(host_table_blocks(table), blocks);
	}
	host_table_fail_alloc(table, 0);
	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_OK);
	ck_assert_int_eq(atomic_load(&counter), 1);
	dprh_event_destroy(held);
	dprh_queue_destroy(queue);
}
END_TEST

/* --- Launches --- */

static void *no_memory(dprp_mem *mem)
{
	(void)mem;
	return NULL;
}

/* Count the work-items. */
static void run_count(const void *const *args, const uint64_t global[3],
		      const uint64_t local[3], const uint64_t group[3])
{
	atomic_int *sum;

	(void)global, (void)group;
	memcpy(&sum, args[0], sizeof(sum));
	atomic_fetch_add(sum, (int)local[0]);
}

START_TEST(native_launches)
{
	static const struct dprh_sizes most = { 64, 0 };
	static const dprp_param param = { DPRP_ARG_VALUE, 0, sizeof(void *) };
	const dprp_native_kernel kernel = { "count", run_count, 1, 0, &param };
	atomic_int sum = 0, *address = &sum;
	const dprp_arg arg = { .kind = DPRP_ARG_VALUE,
			       .size = sizeof(address),
			       .u.value = &address };
	dprp_launch launch = { .struct_size = sizeof(launch),
			       .dims = 1,
			       .n_args = 1,
			       .global = { 20 },
			       .args = &arg };
	dprp_queue *queue = new_queue();
	int i;

	for (i = 0; i < 3; i++) {
		launch.global[0] = i == 1 ? 0 : 20; /* nothing runs */
		launch.local[0] = i == 2 ? 6 : 0;   /* does not divide 20 */
		ck_assert_int_eq(dprh_queue_launch(&queue->base, &kernel,
						   &launch, &most, 8, no_memory,
						   NULL, NULL),
				 i == 2 ? DPR_RC_INVALID : DPR_RC_OK);
	}
	address = NULL; /* the arguments were copied */
	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_OK);
	ck_assert_int_eq(atomic_load(&sum), 24);
	launch.n_args = 0;
	ck_assert_int_eq(dprh_queue_launch(&queue->base, &kernel, &launch,
					   &most, 8, no_memory, NULL, NULL),
			 DPR_RC_INVALID);
	dprh_queue_destroy(queue);
	restart();
}
END_TEST

/* --- Threads --- */

#define THREADS 8
#define TURNS 300
#define SLOTS 32

/* Events that threads share: each is used and destroyed under the lock. */
static struct {
	pthread_mutex_t lock;
	dprp_event *event[SLOTS];
	bool fails[SLOTS]; /* it must end as failed */
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER };
static dprp_queue *common[2];
static atomic_int wrong, expected;

/* Put an event into a slot, and check that the old event of the slot ends as it
   must. */
static void exchange(unsigned slot, dprp_event *event, bool fails)
{
	dprp_event *old = shared.event[slot];
	bool failed = shared.fails[slot];

	shared.event[slot] = event;
	shared.fails[slot] = fails;
	pthread_mutex_unlock(&shared.lock);
	if (!old)
		return;
	if (dprh_event_wait(&old, 1, UINT64_MAX) ||
	    state_of(old).state !=
		    (failed ? DPRP_EVENT_FAILED : DPRP_EVENT_DONE))
		atomic_fetch_add(&wrong, 1);
	dprh_event_destroy(old);
}

static void *work(void *arg)
{
	unsigned seed = (unsigned)(uintptr_t)arg, turn, i, slot;
	dprp_queue *own = new_queue(), *queue;
	static atomic_int counter;

	for (turn = 0; turn < TURNS; turn++) {
		struct step step = { rand_r(&seed) % 16 ? STEP_ADD : STEP_FAIL,
				     &counter, NULL };
		bool fails = step.what == STEP_FAIL;
		dprp_event *deps[3], *event;
		uint32_t n = 0;

		queue = rand_r(&seed) % 2 ? own : common[rand_r(&seed) % 2];
		pthread_mutex_lock(&shared.lock);
		for (i = 0; i < 3; i++) {
			slot = (unsigned)rand_r(&seed) % SLOTS;
			if (!shared.event[slot])
				continue;
			deps[n++] = shared.event[slot];
			fails = fails || shared.fails[slot];
		}
		submit(queue, &step, n, deps, &event);
		if (rand_r(&seed) % 4 == 0) {
			atomic_fetch_add(&expected, 1);
			if (dprh_event_notify(event, 1))
				atomic_fetch_add(&wrong, 1);
		}
		exchange((unsigned)rand_r(&seed) % SLOTS, event, fails);
		if (turn % 64 == 63) {
			dprh_queue_destroy(own);
			own = new_queue();
		}
	}
	(void)dprh_queue_finish(own);
	dprh_queue_destroy(own);
	return NULL;
}

START_TEST(eight_threads)
{
	pthread_t threads[THREADS];
	unsigned i;

	common[0] = new_queue();
	common[1] = new_queue();
	for (i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work,
						(void *)(uintptr_t)(i + 1)),
				 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < SLOTS; i++) {
		pthread_mutex_lock(&shared.lock);
		exchange(i, NULL, false);
	}
	dprh_queue_destroy(common[0]);
	dprh_queue_destroy(common[1]);
	restart();
	ck_assert_int_eq(atomic_load(&wrong), 0);
	ck_assert_int_gt(atomic_load(&expected), THREADS);
	/* An event is destroyed only after it is over, but perhaps before its
	   thread has seen that the core wants to know. */
	ck_assert_uint_le(host_table_done(table, 1, NULL),
			  (unsigned)atomic_load(&expected));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("command queue for plugins");
	TCase *tcase = tcase_create("queue");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_queue_is_in_order);
	tcase_add_test(tcase, chain_across_queues);
	tcase_add_test(tcase, diamonds);
	tcase_add_test(tcase, barriers);
	tcase_add_test(tcase, failure_and_its_dependents);
	tcase_add_test(tcase, barrier_after_failure);
	tcase_add_test(tcase, finish_reports_once);
	tcase_add_test(tcase, told_once);
	tcase_add_test(tcase, waits);
	tcase_add_test(tcase, destroyed_while_busy);
	tcase_add_test(tcase, closed_while_busy);
	tcase_add_test(tcase, signals_are_blocked);
	tcase_add_test(tcase, refused_queues);
	tcase_add_test(tcase, refused_commands);
	tcase_add_test(tcase, native_launches);
	tcase_add_test(tcase, eight_threads);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
