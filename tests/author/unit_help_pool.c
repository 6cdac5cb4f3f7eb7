/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_help_pool.c - queues on a pool of threads, of <dpr/help-pool.h>: work in
 * order and out of order, and work that threads share.
 *
 * unit_help_queue.c and unit_help_faults.c run on a pool, too: what they say of
 * queues in order.
 */
#define ON_POOL
#include "tests/author/help_steps.h"

static void setup_free(void)
{
	setup();
	queue_flags = DPRP_QUEUE_OUT_OF_ORDER | DPRP_QUEUE_PROFILING;
}

/* Whether an event is over; it has some time to be. */
static bool is_over_soon(dprp_event *event)
{
	return dprh_event_wait(&event, 1, UINT64_C(30000000000)) == DPR_RC_OK;
}

/* Whether an event is not over, also not a little later. */
static bool stays_pending(dprp_event *event)
{
	return dprh_event_wait(&event, 1, 20000000) == DPR_RC_TIMEOUT;
}

static void drop(dprp_event **events, int n)
{
	int i;

	for (i = 0; i < n; i++)
		dprh_event_destroy(events[i]);
}

/* --- Order --- */

/* Later work passes work that waits, and finish waits for all. */
START_TEST(passes)
{
	dprp_queue *queue = new_queue();
	dprp_event *events[2];
	int numbers[2];
	atomic_int counter = 0;
	struct step wait = { STEP_WAIT, &counter, &numbers[0] };
	struct step add = { STEP_ADD, &counter, &numbers[1] };

	submit(queue, &wait, 0, NULL, &events[0]);
	submit(queue, &add, 0, NULL, &events[1]);
	ck_assert(is_over_soon(events[1]));
	ck_assert(stays_pending(events[0]));
	atomic_store(&gate, true);
	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_OK);
	ck_assert_uint_eq(state_of(events[0]).state, DPRP_EVENT_DONE);
	ck_assert_int_eq(numbers[0], 1);
	ck_assert_int_eq(numbers[1], 0);
	drop(events, 2);
	dprh_queue_destroy(queue);
}
END_TEST

static atomic_bool finished;

static void *finish_it(void *queue)
{
	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_OK);
	atomic_store(&finished, true);
	return NULL;
}

/* finish waits for what came before it, although as many later commands are
   over. */
START_TEST(finish_waits_for_the_oldest)
{
	struct timespec pause = { .tv_nsec = 30000000 };
	dprp_queue *queue = new_queue();
	dprp_event *events[2];
	atomic_int counter = 0;
	struct step wait = { STEP_WAIT, &counter, NULL };
	struct step add = { STEP_ADD, &counter, NULL };
	pthread_t thread;

	atomic_store(&finished, false);
	submit(queue, &wait, 0, NULL, &events[0]);
	ck_assert_int_eq(pthread_create(&thread, NULL, finish_it, queue), 0);
	nanosleep(&pause, NULL);
	submit(queue, &add, 0, NULL, &events[1]);
	ck_assert(is_over_soon(events[1]));
	nanosleep(&pause, NULL);
	ck_assert(!atomic_load(&finished));
	atomic_store(&gate, true);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(state_of(events[0]).state, DPRP_EVENT_DONE);
	drop(events, 2);
	dprh_queue_destroy(queue);
}
END_TEST

/* A barrier without dependencies ends after all earlier work, and later work
   starts after it. */
START_TEST(barrier_of_all)
{
	dprp_queue *queue = new_queue();
	dprp_event *events[5];
	int numbers[2], i;
	atomic_int counter = 0;
	struct step wait = { STEP_WAIT, &counter, &numbers[0] };
	struct step add = { STEP_ADD, &counter, NULL };

	submit(queue, &wait, 0, NULL, &events[0]);
	submit(queue, &add, 0, NULL, &events[1]);
	barrier(queue, 0, NULL, &events[2]);
	add.number = &numbers[1];
	submit(queue, &add, 1, &events[1], &events[3]);
	barrier(queue, 0, NULL, &events[4]);
	ck_assert(is_over_soon(events[1]));
	for (i = 2; i < 5; i++)
		ck_assert(stays_pending(events[i]));
	atomic_store(&gate, true);
	for (i = 0; i < 5; i++)
		assert_event(events[i], DPRP_EVENT_DONE, DPR_RC_OK);
	ck_assert_int_eq(numbers[0], 1);
	ck_assert_int_eq(numbers[1], 2);
	drop(events, 5);
	dprh_queue_destroy(queue);
}
END_TEST

/* A barrier with dependencies waits for them alone, and later work waits for
   it. */
START_TEST(barrier_of_some)
{
	dprp_queue *queue = new_queue(), *other = new_queue();
	dprp_event *events[4];
	atomic_int counter = 0;
	struct step wait = { STEP_WAIT, &counter, NULL };
	struct step add = { STEP_ADD, &counter, NULL };

	submit(queue, &wait, 0, NULL, &events[0]);
	submit(other, &add, 0, NULL, &events[1]);
	barrier(queue, 1, &events[1], &events[2]);
	submit(queue, &add, 0, NULL, &events[3]);
	ck_assert(is_over_soon(events[3]));
	ck_assert_uint_eq(state_of(events[2]).state, DPRP_EVENT_DONE);
	ck_assert(stays_pending(events[0]));
	drop(events + 1, 3);
	/* Now a barrier that waits for the endless work. */
	barrier(queue, 1, events, &events[1]);
	submit(queue, &add, 0, NULL, &events[2]);
	ck_assert(stays_pending(events[1]));
	ck_assert(stays_pending(events[2]));
	atomic_store(&gate, true);
	ck_assert(is_over_soon(events[2]));
	drop(events, 3);
	dprh_queue_destroy(queue);
	dprh_queue_destroy(other);
}
END_TEST

/* A barrier that has nothing to wait for is over when its submission returns,
   and takes no thread. */
START_TEST(barriers_at_once)
{
	dprp_queue *queue = new_queue(), *other = new_queue();
	dprp_event *event, *waits;
	atomic_int counter = 0;
	struct step wait = { STEP_WAIT, &counter, NULL };
	int i;

	for (i = 0; i < POOL_THREADS; i++)
		submit(other, &wait, 0, NULL, i ? NULL : &waits);
	barrier(queue, 0, NULL, &event);
	ck_assert_uint_eq(state_of(event).state, DPRP_EVENT_DONE);
	/* Dependencies that are over count for nothing. */
	barrier(queue, 1, &event, NULL);
	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_OK);
	ck_assert_uint_lt(state_of(waits).state, DPRP_EVENT_DONE);
	atomic_store(&gate, true);
	/* The steps use a variable of this function. */
	ck_assert_int_eq(dprh_queue_finish(other), DPR_RC_OK);
	dprh_event_destroy(event);
	dprh_event_destroy(waits);
	dprh_queue_destroy(queue);
	dprh_queue_destroy(other);
}
END_TEST

/* Commands that wait take no thread: there are more of them than threads. */
START_TEST(waiting_takes_no_thread)
{
	enum { MANY = 10 * POOL_THREADS };
	dprp_queue *queue = new_queue();
	dprp_event *first, *free_one;
	atomic_int counter = 0, others = 0;
	struct step wait = { STEP_WAIT, &counter, NULL };
	struct step add = { STEP_ADD, &counter, NULL };
	struct step other = { STEP_ADD, &others, NULL };
	int i;

	submit(queue, &wait, 0, NULL, &first);
	for (i = 0; i < MANY; i++)
		submit(queue, &add, 1, &first, NULL);
	submit(queue, &other, 0, NULL, &free_one);
	ck_assert(is_over_soon(free_one));
	ck_assert_int_eq(atomic_load(&counter), 0);
	atomic_store(&gate, true);
	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_OK);
	ck_assert_int_eq(atomic_load(&counter), 1 + MANY);
	ck_assert_int_eq(atomic_load(&others), 1);
	dprh_event_destroy(first);
	dprh_event_destroy(free_one);
	dprh_queue_destroy(queue);
}
END_TEST

/* --- A model --- */

/* Commands of four queues, two of them in order, with random dependencies,
   barriers and failures.  When a command runs, all earlier work of its queue that it
   depends on is over.  A command fails if, and only if, it fails by itself or a
   dependency has failed. */
#define COMMANDS 3000
#define QUEUES 4

struct node {
	int queue;
	bool is_barrier, fails; /* fails: itself */
	bool must_fail; /* itself, or because of a dependency */
	int deps[4], n;
	/* The last barrier of the queue before it, and the last one without
	   dependencies; -1: none. */
	int wall, fence;
	atomic_bool over; /* it has run */
	dprp_event *event;
};
static struct node nodes[COMMANDS];
static atomic_int early;

static bool depends(const struct node *node, int i)
{
	int d;

	for (d = 0; d < node->n && node->deps[d] != i; d++)
		;
	return d < node->n;
}

/* Whether node i, which is no barrier, has to be over before node k begins. */
static bool comes_before(int i, int k)
{
	const struct node *node = &nodes[k];

	if (depends(node, i) ||
	    (node->wall >= 0 && depends(&nodes[node->wall], i)))
		return true;
	return nodes[i].queue == node->queue &&
	       (node->queue < 2 || i < node->fence);
}

static dprp_rc run_node(struct dprh_queue *queue, void *data,
			struct dprh_why *why)
{
	const int k = *(const int *)data;
	struct node *node = &nodes[k];
	int i;

	(void)queue;
	/* Barriers run nothing: they show in what is before and behind. */
	for (i = k > 400 ? k - 400 : 0; i < k; i++)
		if (!nodes[i].is_barrier && !nodes[i].must_fail &&
		    comes_before(i, k) && !atomic_load(&nodes[i].over))
			atomic_fetch_add(&early, 1);
	if (node->fails)
		return dprh_because(why, DPR_RC_NATIVE, k, "node %d", k);
	atomic_store(&node->over, true);
	return DPR_RC_OK;
}

static void make_node(int k, unsigned *seed)
{
	static int walls[QUEUES], fences[QUEUES];
	struct node *node = &nodes[k];
	int d;

	for (d = 0; !k && d < QUEUES; d++)
		walls[d] = fences[d] = -1;

	memset(node, 0, sizeof(*node));
	node->queue = rand_r(seed) % QUEUES;
	node->is_barrier = rand_r(seed) % 12 == 0;
	node->fails = !node->is_barrier && rand_r(seed) % 40 == 0;
	node->must_fail = node->fails;
	node->n = k ? rand_r(seed) % 5 : 0;
	for (d = 0; d < node->n; d++) {
		const int back = 1 + rand_r(seed) % (k < 60 ? k : 60);

		node->deps[d] = k - back;
		node->must_fail |= nodes[k - back].must_fail;
	}
	node->wall = walls[node->queue];
	node->fence = fences[node->queue];
	if (node->is_barrier)
		walls[node->queue] = k;
	if (node->is_barrier && !node->n)
		fences[node->queue] = k;
}

static void submit_node(int k, dprp_queue *const *list)
{
	struct node *node = &nodes[k];
	dprp_event *deps[4];
	const dprp_deps after = { .struct_size = sizeof(after),
				  .count = (uint32_t)node->n,
				  .events = deps };
	struct dprh_queue *queue = &list[node->queue]->base;
	int d;

	for (d = 0; d < node->n; d++)
		deps[d] = nodes[node->deps[d]].event;
	ck_assert_int_eq(
		dprh_queue_submit(queue, &after,
				  node->is_barrier ? NULL : run_node,
				  node->is_barrier ? NULL : &k,
				  node->is_barrier ? 0 : sizeof(k),
				  &node->event),
		DPR_RC_OK);
}

START_TEST(random_graphs)
{
	unsigned seed = (unsigned)_i + 1;
	dprp_queue *list[QUEUES];
	int i, k, failures = 0;

	for (i = 0; i < QUEUES; i++) {
		queue_flags = i < 2 ? 0 : DPRP_QUEUE_OUT_OF_ORDER;
		list[i] = new_queue();
	}
	atomic_store(&early, 0);
	for (k = 0; k < COMMANDS; k++) {
		make_node(k, &seed);
		submit_node(k, list);
	}
	for (i = 0; i < QUEUES; i++)
		(void)dprh_queue_finish(list[i]);
	for (k = 0; k < COMMANDS; k++) {
		const dprp_event_state state = state_of(nodes[k].event);

		ck_assert_msg(state.state == (nodes[k].must_fail
						      ? DPRP_EVENT_FAILED
						      : DPRP_EVENT_DONE),
			      "seed %u: node %d: state %u", seed, k,
			      state.state);
		if (nodes[k].must_fail)
			ck_assert_int_eq(state.rc, nodes[k].fails
							   ? state.rc
							   : DPR_RC_DEP_FAILED);
		failures += nodes[k].must_fail;
	}
	ck_assert_int_eq(atomic_load(&early), 0);
	ck_assert_int_gt(failures, COMMANDS / 50);
	ck_assert_int_lt(failures, COMMANDS);
	for (k = 0; k < COMMANDS; k++)
		dprh_event_destroy(nodes[k].event);
	for (i = 0; i < QUEUES; i++)
		dprh_queue_destroy(list[i]);
}
END_TEST

/* --- Ends --- */

/* The instance closes while work waits for work, and queues are not
   destroyed. */
START_TEST(closed_while_waiting)
{
	dprp_queue *queue = new_queue(), *other = new_queue();
	static atomic_int counter;
	struct step add = { STEP_ADD, &counter, NULL };
	dprp_event *event, *next;
	int i;

	atomic_store(&counter, 0);
	submit(queue, &add, 0, NULL, &event);
	for (i = 0; i < 500; i++) {
		submit(i % 2 ? queue : other, &add, 1, &event, &next);
		dprh_event_destroy(event);
		event = next;
		if (i % 50 == 0)
			barrier(queue, 0, NULL, NULL);
	}
	dprh_event_destroy(event);
	dprh_queue_destroy(queue);
	restart();
	ck_assert_int_eq(atomic_load(&counter), 501);
}
END_TEST

/* No thread, or too few: the instance does not open, and nothing is left. */
START_TEST(threads_that_do_not_start)
{
	end_queues();
	thread_error = 11;
	ck_assert_int_eq(dprh_pool_init(&pool, host_table_host(table), NULL, 2,
					"; ask for fewer"),
			 DPR_RC_OOM_HOST);
	ck_assert_int_eq(host_table_error_native(), 11);
	ck_assert_str_eq(host_table_error(),
			 "thread 1 of 2 cannot be started (errno 11); ask for "
			 "fewer");
	thread_error = 0;
	thread_error_after = 2;
	ck_assert_int_eq(
		dprh_pool_init(&pool, host_table_host(table), NULL, 4, ""),
		DPR_RC_OOM_HOST);
	ck_assert_str_eq(host_table_error(),
			 "thread 3 of 4 cannot be started (errno 12)");
	thread_error_after = 0;
	ck_assert_int_eq(host_table_blocks(table), 0);
	host_table_fail_alloc(table, 1);
	ck_assert_int_eq(
		dprh_pool_init(&pool, host_table_host(table), NULL, 4, ""),
		DPR_RC_OOM_HOST);
	host_table_fail_alloc(table, 0);
	start_queues();
}
END_TEST

/* --- Shared work --- */

#define PIECES 5000

static struct {
	atomic_int times[PIECES];
	atomic_int members; /* that have come to the first piece */
	atomic_int inside[POOL_THREADS];
	atomic_int wrong;
} shared;

static void do_piece(void *context, uint32_t member, uint64_t piece)
{
	struct timespec pause = { .tv_nsec = 3000000 };

	ck_assert_ptr_eq(context, &shared);
	if (member >= POOL_THREADS ||
	    atomic_fetch_add(&shared.inside[member], 1))
		atomic_fetch_add(&shared.wrong, 1);
	/* Helpers meet each other, and are behind the first member. */
	if (member && piece % 16 == 1)
		nanosleep(&pause, NULL);
	atomic_fetch_add(&shared.times[piece], 1);
	/* Nobody goes on before another thread has come. */
	if (piece < 2) {
		atomic_fetch_add(&shared.members, 1);
		while (atomic_load(&shared.members) < 2)
			sched_yield();
	}
	atomic_fetch_sub(&shared.inside[member], 1);
}

static dprp_rc run_shared(struct dprh_queue *queue, void *data,
			  struct dprh_why *why)
{
	const uint64_t pieces = *(const uint64_t *)data;

	(void)why;
	dprh_pool_do(queue, pieces, do_piece, &shared);
	return DPR_RC_OK;
}

START_TEST(pieces_are_shared)
{
	dprp_queue *queue = new_queue();
	const uint64_t sizes[] = { PIECES, 0 };
	struct timespec pause = { .tv_nsec = 20000000 };
	int i;

	memset(&shared, 0, sizeof(shared));
	nanosleep(&pause, NULL); /* all threads sleep */
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(dprh_queue_submit(&queue->base, NULL,
						   run_shared, &sizes[i],
						   sizeof(sizes[i]), NULL),
				 DPR_RC_OK);
		ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_OK);
	}
	for (i = 0; i < PIECES; i++)
		if (atomic_load(&shared.times[i]) != 1)
			atomic_fetch_add(&shared.wrong, 1);
	ck_assert_int_eq(atomic_load(&shared.wrong), 0);
	dprh_queue_destroy(queue);
}
END_TEST

/* --- Launches --- */

static void *no_memory(dprp_mem *mem)
{
	(void)mem;
	return NULL;
}

/* Each group marks its local memory, which no other group may do meanwhile, and
   adds its items. */
static void run_group(const void *const *args, const uint64_t global[3],
		      const uint64_t local[3], const uint64_t group[3])
{
	atomic_int *sum = *(atomic_int *const *)args[0];
	uint64_t *own = *(uint64_t *const *)args[1];
	const uint64_t mark = 1 + group[0] + 1000 * group[1];
	struct timespec pause = { .tv_nsec = 50000 };

	(void)global;
	own[7] = own[0] = mark;
	if (group[0] % 8 == 0)
		nanosleep(&pause, NULL);
	if (own[0] != mark || own[7] != mark)
		atomic_fetch_add(&shared.wrong, 1);
	atomic_fetch_add(sum, (int)(local[0] * local[1]));
}

START_TEST(launches)
{
	static const struct dprh_sizes most = { 64, 64 };
	static const dprp_param params[] = { { DPRP_ARG_VALUE, 0,
					       sizeof(void *) },
					     { DPRP_ARG_LOCAL, 0, 0 } };
	const dprp_native_kernel kernel = { "group", run_group, 2, 0, params };
	static atomic_int sum;
	atomic_int *address = &sum;
	dprp_arg args[] = { { .kind = DPRP_ARG_VALUE,
			      .size = sizeof(address),
			      .u.value = &address },
			    { .kind = DPRP_ARG_LOCAL, .size = 64 } };
	dprp_launch launch = { .struct_size = sizeof(launch),
			       .dims = 2,
			       .n_args = 2,
			       .global = { 600, 20 },
			       .local = { 4, 2 },
			       .args = args };
	dprp_queue *queue = new_queue();
	dprp_event *held, *empty;
	atomic_int counter = 0;
	struct step wait = { STEP_WAIT, &counter, NULL };

	memset(&shared, 0, sizeof(shared));
	atomic_store(&sum, 0);
	submit(queue, &wait, 0, NULL, &held);
	ck_assert_int_eq(dprh_pool_launch(&queue->base, &kernel, &launch, &most,
					  8, no_memory, NULL, NULL),
			 DPR_RC_OK);
	/* An empty one waits for nothing, and nothing waits for it. */
	launch.global[0] = 0;
	ck_assert_int_eq(dprh_pool_launch(&queue->base, &kernel, &launch, &most,
					  8, no_memory, NULL, &empty),
			 DPR_RC_OK);
	ck_assert(is_over_soon(empty));
	ck_assert(stays_pending(held));
	launch.global[0] = 601; /* 4 does not divide it */
	ck_assert_int_eq(dprh_pool_launch(&queue->base, &kernel, &launch, &most,
					  8, no_memory, NULL, NULL),
			 DPR_RC_INVALID);
	args[1].size = 65;
	launch.global[0] = 600;
	ck_assert_int_eq(dprh_pool_launch(&queue->base, &kernel, &launch, &most,
					  8, no_memory, NULL, NULL),
			 DPR_RC_INVALID);
	atomic_store(&gate, true);
	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_OK);
	ck_assert_int_eq(atomic_load(&sum), 600 * 20);
	ck_assert_int_eq(atomic_load(&shared.wrong), 0);
	dprh_event_destroy(held);
	dprh_event_destroy(empty);
	dprh_queue_destroy(queue);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("queues on a pool of threads");
	TCase *tcase = tcase_create("pool");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, setup_free, teardown);
	tcase_add_test(tcase, passes);
	tcase_add_test(tcase, finish_waits_for_the_oldest);
	tcase_add_test(tcase, barrier_of_all);
	tcase_add_test(tcase, barrier_of_some);
	tcase_add_test(tcase, barriers_at_once);
	tcase_add_test(tcase, waiting_takes_no_thread);
	tcase_add_loop_test(tcase, random_graphs, 0, 10);
	tcase_add_test(tcase, closed_while_waiting);
	tcase_add_test(tcase, threads_that_do_not_start);
	tcase_add_test(tcase, pieces_are_shared);
	tcase_add_test(tcase, launches);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
