/* SPDX-License-Identifier: Apache-2.0 */
/* api_held_chains.c - long chains of submissions.  Each waits for the
   submission before, on another backend. */
#include "tests/support/runtime_test.h"

#define N 64
#define LONG_WAIT (60 * SECOND)

struct chain {
	dpr_queue *queue[2];
	dpr_usm *usm[2];
	dpr_event **events;
	int n;
};

static int chain_length(int n)
{
	return getenv("DPR_TEST_SMALL") ? n / 10 : n;
}

/* Links 0, 2, ... run on @one, the others on @two.  Link i fills a word of its
   queue's allocation with i. */
static void chain_open(struct chain *chain, dpr_queue *one, dpr_queue *two,
		       int n)
{
	int i;

	*chain = (struct chain){ .queue = { one, two }, .n = n };
	for (i = 0; i < 2; i++)
		chain->usm[i] = new_ints(chain->queue[i], N, -1);
	for (i = 0; i < 2; i++)
		CHECK_OK(dpr_queue_wait(chain->queue[i]));
	chain->events = calloc((size_t)n, sizeof(dpr_event *));
	ck_assert_ptr_nonnull(chain->events);
}

/* Submit all links.  The first one waits for @gate. */
static void chain_submit(struct chain *chain, dpr_event *gate)
{
	int i;

	for (i = 0; i < chain->n; i++)
		CHECK_OK(
			dpr_usm_fill(chain->queue[i % 2], chain->usm[i % 2],
				     (size_t)(i / 2 % N) * 4, &i, 4, 4,
				     DPR_AFTER(i ? chain->events[i - 1] : gate),
				     &chain->events[i]));
}

/* Check that each word has the last value written to it. */
static void chain_check(const struct chain *chain)
{
	int words[N], side, i, last[2][N];

	memset(last, 0xff, sizeof(last));
	for (i = 0; i < chain->n; i++)
		last[i % 2][i / 2 % N] = i;
	for (side = 0; side < 2; side++) {
		CHECK_OK(dpr_usm_read(chain->queue[side], words,
				      chain->usm[side], 0, sizeof(words), NULL,
				      NULL));
		for (i = 0; i < N; i++)
			ck_assert_int_eq(words[i], last[side][i]);
	}
}

static void chain_close(struct chain *chain)
{
	int i;

	for (i = 0; i < chain->n; i++)
		dpr_event_release(chain->events[i]);
	free(chain->events);
	dpr_usm_release(chain->usm[0]);
	dpr_usm_release(chain->usm[1]);
}

/* While the chain runs, check that no link is complete before the link ahead of
   it. */
static void watch_order(const struct chain *chain)
{
	dpr_event *last = chain->events[chain->n - 1];
	int at = 0, i;

	while (dpr_event_get_state(last) != DPR_EVENT_COMPLETE) {
		while (at < chain->n &&
		       dpr_event_get_state(chain->events[at]) ==
			       DPR_EVENT_COMPLETE)
			at++;
		for (i = at + 1; i < chain->n && i < at + 8; i++) {
			enum dpr_event_state state =
				dpr_event_get_state(chain->events[i]);

			if (state == DPR_EVENT_COMPLETE)
				ck_assert_int_eq(dpr_event_get_state(
							 chain->events[i - 1]),
						 DPR_EVENT_COMPLETE);
		}
		pause_ns(MS / 4);
	}
}

static dpr_queue *other_queue(dpr_queue *beside, uint32_t flags)
{
	dpr_queue *queue = NULL;

	CHECK_OK(dpr_queue_create(dpr_queue_device(beside), flags, &queue));
	return queue;
}

/* Submit all links before the first one can run. */
static void run_chain(uint32_t flags, int n)
{
	dpr_queue *one = other_queue(q1, flags), *two = other_queue(q2, flags);
	struct chain chain;
	dpr_event *gate;

	chain_open(&chain, one, two, n);
	mock->hold(1);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &gate));
	chain_submit(&chain, gate);
	ck_assert_int_eq(dpr_event_get_state(chain.events[n - 1]),
			 DPR_EVENT_HELD);
	mock->hold(0);
	watch_order(&chain);
	CHECK_OK(dpr_event_wait_for(chain.events[n - 1], LONG_WAIT));
	CHECK_OK(dpr_queue_wait(one));
	CHECK_OK(dpr_queue_wait(two));
	chain_check(&chain);
	chain_close(&chain);
	dpr_event_release(gate);
	dpr_queue_release(one);
	dpr_queue_release(two);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_EVENT), 0);
	ck_assert_uint_eq(mock2->live(MOCK_EVENT), 0);
}

START_TEST(thousand)
{
	run_chain(_i ? DPR_QUEUE_OUT_OF_ORDER : 0, 1000);
}
END_TEST

/* Code whose time grows with the square of the length would run into the time
   limit. */
START_TEST(twenty_thousand)
{
	run_chain(_i ? DPR_QUEUE_OUT_OF_ORDER : 0, chain_length(20000));
}
END_TEST

/* The first link fails: no other link reaches its driver, and all report the
   cause. */
START_TEST(failure_runs_through)
{
	dpr_kernel *bad = mock_kernel(q1, "fail");
	const char *text = NULL;
	struct chain chain;
	dpr_status status;
	dpr_event *root;
	int i;

	chain_open(&chain, q2, q1, 1000);
	mock->hold(1);
	CHECK_OK(dpr_kernel_launch_usm(q1, bad, DPR_RANGE1(1), NULL, &root,
				       NULL, 0));
	chain_submit(&chain, root);
	i = (int)(mock->calls(MOCK_queue_fill) + mock2->calls(MOCK_queue_fill));
	mock->hold(0);
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_event_wait_for(chain.events[chain.n - 1], LONG_WAIT));
	ck_assert_int_eq((int)(mock->calls(MOCK_queue_fill) +
			       mock2->calls(MOCK_queue_fill)),
			 i);
	for (i = 0; i < chain.n; i++) {
		dpr_event_error(chain.events[i], &status, &text);
		ck_assert_int_eq(status, DPR_ERROR_DRIVER);
		ck_assert_ptr_nonnull(strstr(text, "fail on mock:"));
		ck_assert_ptr_nonnull(strstr(text, "-42"));
		/* The cause is in the text once, and the text does not grow
		   with the chain. */
		ck_assert_uint_lt(strlen(text), 1000);
	}
	ck_assert_int_ne(dpr_queue_wait(q1), DPR_OK);
	ck_assert_int_ne(dpr_queue_wait(q2), DPR_OK);
	chain_close(&chain);
	dpr_event_release(root);
	dpr_kernel_release(bad);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A link in the middle fails: all links before it complete, all after it fail.
 */
START_TEST(failure_in_the_middle)
{
	enum { MIDDLE = 500 };
	struct chain chain;
	int words[N], i;
	uintptr_t native;
	size_t offset;

	chain_open(&chain, q1, q2, 1000);
	mock->fail_command(MIDDLE / 2 + 1, DPR_RC_NATIVE, -77);
	chain_submit(&chain, NULL);
	/* Wait on each queue.  A link fails also because of the previous link
	   on its own queue, which used the same memory, and perhaps earlier
	   than because of the other queue's. */
	for (i = 1; i <= 2; i++) {
		CHECK_FAILS(DPR_ERROR_DRIVER,
			    dpr_event_wait_for(chain.events[chain.n - i],
					       LONG_WAIT));
		CHECK_TEXT("fill on mock:");
		CHECK_TEXT("-77");
	}
	for (i = 0; i < chain.n; i++)
		ck_assert_int_eq(dpr_event_get_state(chain.events[i]),
				 i < MIDDLE ? DPR_EVENT_COMPLETE
					    : DPR_EVENT_FAILED);
	ck_assert_int_ne(dpr_queue_wait(q1), DPR_OK);
	ck_assert_int_ne(dpr_queue_wait(q2), DPR_OK);
	check_spoiled(q2, chain.usm[1], DPR_ERROR_DRIVER);
	/* The host can read the mock's memory directly. */
	CHECK_OK(dpr_usm_native(chain.usm[1], &native, &offset));
	memcpy(words, (char *)native + offset, sizeof(words));
	ck_assert_int_eq(words[(MIDDLE - 1) / 2 % N], MIDDLE - 1);
	chain_close(&chain);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Each link is submitted by the callback of the link before it. */
struct relay {
	dpr_usm *usm[2];
	int sent, wrong;
	int ended;
};

static void pass_on(dpr_event *event, dpr_status status, void *user)
{
	struct relay *relay = user;
	int i = relay->sent++;
	dpr_event *next = NULL;

	(void)event;
	if (!status)
		status = dpr_usm_fill(i % 2 ? q2 : q1, relay->usm[i % 2], 0, &i,
				      4, 4, NULL, &next);
	if (!status && i + 1 < 1000)
		status = dpr_event_on_end(next, pass_on, relay);
	dpr_event_release(next);
	if (status)
		relay->wrong = 1;
	if (status || i + 1 == 1000)
		__atomic_store_n(&relay->ended, 1, __ATOMIC_RELEASE);
}

START_TEST(callbacks_submit_on)
{
	struct relay relay = {
		{ new_ints(q1, 1, 0), new_ints(q2, 1, 0) }, 0, 0, 0
	};
	dpr_event *first;

	CHECK_OK(dpr_queue_barrier(q1, NULL, &first));
	CHECK_OK(dpr_event_on_end(first, pass_on, &relay));
	dpr_event_release(first);
	EVENTUALLY(__atomic_load_n(&relay.ended, __ATOMIC_ACQUIRE));
	ck_assert_int_eq(relay.wrong, 0);
	ck_assert_int_eq(first_int(q1, relay.usm[0]), 998);
	ck_assert_int_eq(first_int(q2, relay.usm[1]), 999);
	dpr_usm_release(relay.usm[0]);
	dpr_usm_release(relay.usm[1]);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Work that waits for one backend does not hold up other backends. */
START_TEST(slow_backend)
{
	dpr_event *gate, *held;
	struct chain chain;
	dpr_queue *bare;
	int value = 3;
	dpr_usm *x;

	CHECK_OK(dpr_canonical_queue("mock_bare", &bare));
	x = new_ints(bare, 1, 0);
	CHECK_OK(dpr_queue_wait(bare));
	mock2->hold(1);
	CHECK_OK(dpr_queue_barrier(q2, NULL, &gate));
	CHECK_OK(
		dpr_usm_fill(bare, x, 0, &value, 4, 4, DPR_AFTER(gate), &held));
	chain_open(&chain, q1, other_queue(bare, 0), 200);
	chain_submit(&chain, NULL);
	CHECK_OK(dpr_event_wait_for(chain.events[chain.n - 1], LONG_WAIT));
	chain_check(&chain);
	ck_assert_int_eq(dpr_event_get_state(held), DPR_EVENT_HELD);
	/* The backend runs again, but slowly. */
	mock2->delay(2 * MS);
	mock2->hold(0);
	CHECK_OK(dpr_event_wait_for(held, LONG_WAIT));
	ck_assert_int_eq(first_int(bare, x), 3);
	dpr_queue_release(chain.queue[1]);
	chain_close(&chain);
	dpr_event_release(gate);
	dpr_event_release(held);
	dpr_usm_release(x);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Many submissions at once, each waiting for an event of its own and not for
   the others. */
START_TEST(many_side_by_side)
{
	int n = chain_length(20000), i;
	dpr_queue *here = other_queue(q1, DPR_QUEUE_OUT_OF_ORDER);
	dpr_kernel *nothing = mock_kernel(q1, "sleep_ms");
	dpr_event **first = calloc((size_t)n, sizeof(dpr_event *));
	dpr_event **second = calloc((size_t)n, sizeof(dpr_event *));
	dpr_arg arg = DPR_ARG((uint32_t)0);

	ck_assert_ptr_nonnull(first);
	ck_assert_ptr_nonnull(second);
	mock2->hold(1);
	for (i = 0; i < n; i++) {
		CHECK_OK(dpr_queue_barrier(q2, NULL, &first[i]));
		CHECK_OK(dpr_kernel_launch_usm(here, nothing, DPR_RANGE1(1),
					       DPR_AFTER(first[i]), &second[i],
					       &arg, 1));
	}
	mock2->hold(0);
	for (i = 0; i < n; i++) {
		CHECK_OK(dpr_event_wait_for(second[i], LONG_WAIT));
		dpr_event_release(first[i]);
		dpr_event_release(second[i]);
	}
	free(first);
	free(second);
	dpr_kernel_release(nothing);
	dpr_queue_release(here);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_EVENT), 0);
	ck_assert_uint_eq(mock2->live(MOCK_EVENT), 0);
}
END_TEST

static void count_up(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	(void)status;
	__atomic_add_fetch((int *)user, 1, __ATOMIC_RELEASE);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* While other events complete, a driver that notifies is asked about each
   waiting event at most every 20 ms. */
START_TEST(many_wait_unasked)
{
	enum { N_STUCK = 500, N_PASS = 500 };
	static dpr_event *stuck[N_STUCK];
	uint64_t before, begin;
	dpr_event *event;
	int called = 0, i;

	mock2->hold(1);
	for (i = 0; i < N_STUCK; i++) {
		CHECK_OK(dpr_queue_barrier(q2, NULL, &stuck[i]));
		CHECK_OK(dpr_event_on_end(stuck[i], count_up, &called));
	}
	begin = now_ns();
	before = mock2->calls(MOCK_event_status);
	for (i = 0; i < N_PASS; i++) {
		CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
		CHECK_OK(dpr_event_on_end(event, count_up, &called));
		EVENTUALLY(__atomic_load_n(&called, __ATOMIC_ACQUIRE) > i);
		dpr_event_release(event);
	}
	/* Each is asked about once when it is new, perhaps after `before` was
	   taken. */
	ck_assert_uint_le(mock2->calls(MOCK_event_status) - before,
			  N_STUCK * (3 + (now_ns() - begin) / (20 * MS)));
	mock2->hold(0);
	EVENTUALLY(__atomic_load_n(&called, __ATOMIC_ACQUIRE) ==
		   N_STUCK + N_PASS);
	for (i = 0; i < N_STUCK; i++)
		dpr_event_release(stuck[i]);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A chain waits for a command that never ends: waits with a limit return, and
   the process ends. */
START_TEST(never_ends)
{
	struct chain chain;
	dpr_event *stuck;

	chain_open(&chain, q2, q1, 1000);
	mock->stall_command(1);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &stuck));
	chain_submit(&chain, stuck);
	CHECK_FAILS(DPR_ERROR_TIMEOUT,
		    dpr_event_wait_for(chain.events[chain.n - 1], 20 * MS));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(stuck, 20 * MS));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_queue_wait_for(q1, 20 * MS));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_queue_wait_for(q2, 20 * MS));
	chain_close(&chain);
	dpr_event_release(stuck);
}
END_TEST

/* A submission with two dependencies fails with the first one that fails, even
   if the other never ends.  A submission with one good dependency runs. */
START_TEST(any_failure_is_enough)
{
	dpr_queue *here = other_queue(q1, DPR_QUEUE_OUT_OF_ORDER);
	dpr_queue *other = other_queue(q2, 0);
	dpr_kernel *bad = mock_kernel(q2, "fail");
	dpr_event *stuck, *root, *both, *late, *one;

	mock2->stall_command(1);
	CHECK_OK(dpr_queue_barrier(q2, NULL, &stuck));
	mock2->hold(1);
	CHECK_OK(dpr_kernel_launch_usm(other, bad, DPR_RANGE1(1), NULL, &root,
				       NULL, 0));
	CHECK_OK(dpr_queue_barrier(other, NULL, &late));
	{
		dpr_usm *x = new_ints(here, N, 0), *y = new_ints(here, N, 0);
		int value = 5;

		CHECK_OK(dpr_usm_fill(here, x, 0, &value, 4, 4,
				      DPR_AFTER(root, stuck), &both));
		CHECK_OK(dpr_usm_fill(here, y, 0, &value, 4, 4, DPR_AFTER(late),
				      &one));
		pause_ns(5 * MS);
		ck_assert_int_eq(dpr_event_get_state(both), DPR_EVENT_HELD);
		ck_assert_int_eq(dpr_event_get_state(one), DPR_EVENT_HELD);
		mock2->hold(0);
		CHECK_FAILS(DPR_ERROR_DRIVER,
			    dpr_event_wait_for(both, LONG_WAIT));
		CHECK_TEXT("fail on mock2:");
		CHECK_OK(dpr_event_wait_for(one, LONG_WAIT));
		dpr_usm_release(x);
		dpr_usm_release(y);
	}
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(stuck, 0));
	/* This ends the stuck command. */
	mock2->reset();
	ck_assert_int_ne(dpr_event_wait_for(stuck, LONG_WAIT),
			 DPR_ERROR_TIMEOUT);
	dpr_event_release(stuck);
	dpr_event_release(root);
	dpr_event_release(both);
	dpr_event_release(late);
	dpr_event_release(one);
	dpr_kernel_release(bad);
	dpr_queue_release(here);
	dpr_queue_release(other);
	ck_assert_int_ne(dpr_finalize(), DPR_ERROR_BUSY);
}
END_TEST

/* Each pair of the backends that are installed. */
START_TEST(real_backends)
{
	dpr_device *devices[MAX_DEVICES];
	size_t n, i, j;

	CHECK_OK(dpr_device_enumerate(NULL, devices, MAX_DEVICES, &n));
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++) {
			struct chain chain;

			if (!strcmp(dpr_device_backend(devices[i]),
				    dpr_device_backend(devices[j])))
				continue;
			chain_open(&chain, queue_of(devices[i]),
				   queue_of(devices[j]), chain_length(1000));
			chain_submit(&chain, NULL);
			CHECK_OK(dpr_event_wait_for(chain.events[chain.n - 1],
						    LONG_WAIT));
			chain_check(&chain);
			chain_close(&chain);
		}
	CHECK_OK(dpr_finalize());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("held chains");
	TCase *tcase = tcase_create("mocks"), *real = tcase_create("real");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, thousand, 0, 2);
	tcase_add_loop_test(tcase, twenty_thousand, 0, 2);
	tcase_add_test(tcase, failure_runs_through);
	tcase_add_test(tcase, failure_in_the_middle);
	tcase_add_test(tcase, callbacks_submit_on);
	tcase_add_test(tcase, slow_backend);
	tcase_add_test(tcase, many_side_by_side);
	tcase_add_test(tcase, many_wait_unasked);
	tcase_add_test(tcase, never_ends);
	tcase_add_test(tcase, any_failure_is_enough);
	suite_add_tcase(suite, tcase);
	tcase_set_timeout(real, 120);
	tcase_add_test(real, real_backends);
	suite_add_tcase(suite, real);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
