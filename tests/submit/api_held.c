/* SPDX-License-Identifier: Apache-2.0 */
/* api_held.c - dependencies between backends: submissions that the core holds,
   and failures that cross from one backend to another. */
#include "tests/support/runtime_test.h"

#define N 256

START_TEST(waits_for_another_backend)
{
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q2, N, 2);
	dpr_event *first, *second;
	int seven = 7;

	mock->hold(1);
	CHECK_OK(dpr_usm_fill(q1, a, 0, &seven, 4, N * 4, NULL, &first));
	CHECK_OK(dpr_usm_fill(q2, b, 0, &seven, 4, N * 4, DPR_AFTER(first),
			      &second));
	ck_assert_int_eq(dpr_event_get_state(second), DPR_EVENT_HELD);
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(second, 20 * MS));
	ck_assert_int_eq(dpr_event_get_state(second), DPR_EVENT_HELD);
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_queue_wait_for(q2, 20 * MS));
	mock->hold(0);
	CHECK_OK(dpr_event_wait_for(second, 5 * SECOND));
	ck_assert_int_eq(dpr_event_get_state(first), DPR_EVENT_COMPLETE);
	ck_assert_int_eq(first_int(q2, b), 7);
	dpr_event_release(first);
	dpr_event_release(second);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(keeps_the_queues_order)
{
	dpr_kernel *plus = mock_kernel(q2, "add_one");
	dpr_usm *b = new_ints(q2, N, 0);
	dpr_event *gate;
	int ten = 10, i;

	CHECK_OK(dpr_queue_wait(q2));
	mock->hold(1);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &gate));
	CHECK_OK(dpr_usm_fill(q2, b, 0, &ten, 4, N * 4, DPR_AFTER(gate), NULL));
	/* These launches have no dependencies, and their memory is not tracked:
	   they must wait because the queue is in order. */
	for (i = 0; i < 5; i++) {
		dpr_arg args[2] = { DPR_USM_AT(b, 0), DPR_ARG((uint64_t)N) };

		CHECK_OK(dpr_kernel_launch_usm(q2, plus, DPR_RANGE1(N), NULL,
					       NULL, args, 2));
	}
	dpr_kernel_release(plus);
	pause_ns(20 * MS);
	ck_assert_uint_eq(mock2->calls(MOCK_queue_launch), 0);
	mock->hold(0);
	CHECK_OK(dpr_queue_wait(q2));
	ck_assert_uint_eq(mock2->calls(MOCK_queue_launch), 5);
	ck_assert_int_eq(first_int(q2, b), 15);
	dpr_event_release(gate);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(arguments_are_copied)
{
	dpr_kernel *store = mock_kernel(q2, "store");
	struct {
		int64_t index;
		int32_t value, pad;
	} s = { 3, 42, 0 };
	dpr_usm *b = new_ints(q2, N, 0);
	dpr_event *gate;
	int out[4];

	mock->hold(1);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &gate));
	{
		dpr_arg args[2] = { DPR_USM_READ_WRITE(b, 0), DPR_STRUCT(s) };

		CHECK_OK(dpr_kernel_launch_usm(q2, store, DPR_RANGE1(1),
					       DPR_AFTER(gate), NULL, args, 2));
		memset(args, 0xff, sizeof(args));
	}
	memset(&s, 0xff, sizeof(s));
	dpr_kernel_release(store);
	mock->hold(0);
	CHECK_OK(dpr_usm_read(q2, out, b, 0, sizeof(out), NULL, NULL));
	ck_assert_int_eq(out[3], 42);
	dpr_event_release(gate);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(chain_to_and_fro)
{
	dpr_kernel *plus[2] = { mock_kernel(q1, "add_one"),
				mock_kernel(q2, "add_one") };
	dpr_usm *x[2] = { new_ints(q1, N, 0), new_ints(q2, N, 0) };
	dpr_queue *queue[2] = { q1, q2 };
	dpr_event *last = NULL, *next;
	int i;

	mock->delay(MS);
	for (i = 0; i < 40; i++) {
		add_one(queue[i % 2], plus[i % 2], x[i % 2], N, DPR_AFTER(last),
			&next);
		dpr_event_release(last);
		last = next;
	}
	CHECK_OK(dpr_event_wait_for(last, 20 * SECOND));
	ck_assert_int_eq(first_int(q1, x[0]), 20);
	ck_assert_int_eq(first_int(q2, x[1]), 20);
	dpr_event_release(last);
	for (i = 0; i < 2; i++) {
		dpr_kernel_release(plus[i]);
		dpr_usm_release(x[i]);
	}
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A failure on one backend reaches dependent work on the other, with its status
   and text.  The other driver never gets that work. */
START_TEST(failure_crosses)
{
	dpr_kernel *bad = mock_kernel(q1, "fail");
	dpr_kernel *plus = mock_kernel(q2, "add_one");
	dpr_usm *b = new_ints(q2, N, 0);
	dpr_event *root, *one, *two, *three;
	dpr_status status;
	const char *text;

	CHECK_OK(dpr_queue_wait(q2));
	mock->hold(1);
	CHECK_OK(dpr_kernel_launch_usm(q1, bad, DPR_RANGE1(1), NULL, &root,
				       NULL, 0));
	add_one(q2, plus, b, N, DPR_AFTER(root), &one);
	add_one(q2, plus, b, N, DPR_AFTER(one), &two);
	CHECK_OK(dpr_queue_barrier(q1, DPR_AFTER(two), &three));
	mock->hold(0);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait_for(three, 5 * SECOND));
	CHECK_TEXT("fail on mock:");
	CHECK_TEXT("barrier on mock:");
	CHECK_TEXT("-42");
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait(one));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait_for(two, 0));
	dpr_event_error(two, &status, &text);
	ck_assert_int_eq(status, DPR_ERROR_DRIVER);
	ck_assert_ptr_nonnull(strstr(text, "fail on mock:"));
	ck_assert_uint_eq(mock2->calls(MOCK_queue_launch), 0);
	ck_assert_int_eq(dpr_event_get_state(two), DPR_EVENT_FAILED);
	/* Each queue reports the failure once, and stays usable. */
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q2));
	CHECK_TEXT("add_one on mock2:");
	CHECK_OK(dpr_queue_wait(q2));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	CHECK_OK(dpr_queue_wait(q1));
	set_ints(q2, b, N, 0);
	add_one(q2, plus, b, N, NULL, NULL);
	ck_assert_int_eq(first_int(q2, b), 1);
	dpr_event_release(root);
	dpr_event_release(one);
	dpr_event_release(two);
	dpr_event_release(three);
	dpr_kernel_release(bad);
	dpr_kernel_release(plus);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A dependency fails after the core has looked at it, so the driver refuses the
   call.  The event, or with no event the queue, reports the dependency's
   failure. */
START_TEST(fails_while_it_is_submitted)
{
	dpr_kernel *bad = mock_kernel(q1, "fail");
	dpr_event *root, *done = NULL;
	dpr_queue *q3;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &q3));
	CHECK_OK(dpr_kernel_launch_usm(q1, bad, DPR_RANGE1(1), NULL, &root,
				       NULL, 0));
	EVENTUALLY(!mock->pending());
	/* Make the core's look find the dependency under way. */
	mock->fail(MOCK_event_status, 1, 1, DPR_RC_NATIVE, -1);
	mock->fail(MOCK_event_wait, 1, 1, DPR_RC_TIMEOUT, 0);
	mock->fail(MOCK_queue_barrier, 1, 1, DPR_RC_NATIVE, -58);
	CHECK_OK(dpr_queue_barrier(q3, DPR_AFTER(root), _i ? &done : NULL));
	ck_assert_uint_eq(mock->calls(MOCK_queue_barrier), 1);
	if (_i) {
		CHECK_FAILS(DPR_ERROR_DRIVER,
			    dpr_event_wait_for(done, 10 * SECOND));
		CHECK_TEXT("fail on mock");
	}
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q3));
	CHECK_TEXT("fail on mock");
	CHECK_TEXT("barrier on mock");
	/* Without a dependency that failed, the call itself fails. */
	mock->fail(MOCK_queue_barrier, 1, 1, DPR_RC_NATIVE, -58);
	dpr_event_release(root);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_barrier(q3, NULL, &root));
	dpr_event_release(done);
	dpr_kernel_release(bad);
	dpr_queue_release(q3);
}
END_TEST

/* Work that depends on an event that is already known to have failed fails in
   the same way. */
START_TEST(failed_before)
{
	dpr_kernel *bad = mock_kernel(q1, "fail");
	dpr_event *root, *here, *there;

	CHECK_OK(dpr_kernel_launch_usm(q1, bad, DPR_RANGE1(1), NULL, &root,
				       NULL, 0));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait(root));
	CHECK_OK(dpr_queue_barrier(q1, DPR_AFTER(root), &here));
	CHECK_OK(dpr_queue_barrier(q2, DPR_AFTER(root), &there));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait_for(here, SECOND));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait_for(there, SECOND));
	CHECK_TEXT("fail on mock:");
	dpr_event_release(root);
	dpr_event_release(here);
	dpr_event_release(there);
	dpr_kernel_release(bad);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q2));
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Data that a failed submission should have written is not read by later
   ones. */
START_TEST(failure_follows_the_data)
{
	dpr_kernel *bad = mock_kernel(q1, "fail");
	dpr_kernel *plus = mock_kernel(q2, "add_one");
	dpr_usm *b = new_ints(q2, N, 0), *c = new_ints(q2, N, 0);
	dpr_event *root, *reads, *other;
	dpr_queue *q3;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q2), 0, &q3));
	CHECK_OK(dpr_queue_wait(q2));
	mock->hold(1);
	CHECK_OK(dpr_kernel_launch_usm(q1, bad, DPR_RANGE1(1), NULL, &root,
				       NULL, 0));
	add_one(q2, plus, b, N, DPR_AFTER(root), NULL);
	/* On the same queue, on another queue, and one that does not use the
	   data. */
	add_one(q2, plus, b, N, NULL, &reads);
	add_one(q3, plus, b, N, NULL, NULL);
	add_one(q2, plus, c, N, NULL, &other);
	mock->hold(0);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait_for(reads, 5 * SECOND));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q3));
	CHECK_TEXT("fail on mock:");
	CHECK_OK(dpr_event_wait_for(other, 5 * SECOND));
	ck_assert_uint_eq(mock2->calls(MOCK_queue_launch), 1);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q2));
	check_spoiled(q2, b, DPR_ERROR_DRIVER);
	CHECK_TEXT("fail on mock:");
	ck_assert_int_eq(first_int(q2, c), 1);
	dpr_event_release(root);
	dpr_event_release(reads);
	dpr_event_release(other);
	dpr_kernel_release(bad);
	dpr_kernel_release(plus);
	dpr_usm_release(b);
	dpr_usm_release(c);
	dpr_queue_release(q3);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	CHECK_OK(dpr_finalize());
}
END_TEST

/* If a command never completes, waits for it end after their time limit, and
   nothing else hangs. */
START_TEST(never_completes)
{
	dpr_usm *b = new_ints(q2, N, 0);
	dpr_event *stuck, *held;
	int one = 1;

	CHECK_OK(dpr_queue_wait(q2));
	mock->stall_command(1);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &stuck));
	CHECK_OK(dpr_usm_fill(q2, b, 0, &one, 4, N * 4, DPR_AFTER(stuck),
			      &held));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(held, 30 * MS));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(stuck, 30 * MS));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_queue_wait_for(q1, 30 * MS));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_queue_wait_for(q2, 30 * MS));
	CHECK_FAILS(DPR_ERROR_TIMEOUT,
		    dpr_events_wait_for(DPR_AFTER(stuck, held), 30 * MS));
	ck_assert_int_eq(dpr_event_get_state(held), DPR_EVENT_HELD);
	/* Releasing does not wait. */
	dpr_event_release(stuck);
	dpr_event_release(held);
	dpr_usm_release(b);
}
END_TEST

/* The driver refuses a held submission when the core submits it. */
START_TEST(refused_when_released)
{
	dpr_usm *b = new_ints(q2, N, 5);
	dpr_event *gate, *done;
	int one = 1;

	CHECK_OK(dpr_queue_wait(q2));
	mock->hold(1);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &gate));
	CHECK_OK(
		dpr_usm_fill(q2, b, 0, &one, 4, N * 4, DPR_AFTER(gate), &done));
	mock2->fail(MOCK_queue_fill, 1, 1, DPR_RC_NATIVE, -77);
	mock->hold(0);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait_for(done, 5 * SECOND));
	CHECK_TEXT("-77");
	CHECK_TEXT("fill on mock2:");
	check_spoiled(q2, b, DPR_ERROR_DRIVER);
	CHECK_TEXT("-77");
	dpr_event_release(gate);
	dpr_event_release(done);
	dpr_usm_release(b);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q2));
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The core looks at a dependency, which fails afterwards.  So the driver
   refuses the submission.  The event reports the failure of the dependency, and
   not the driver's error. */
START_TEST(fails_while_it_is_released)
{
	dpr_kernel *bad = mock_kernel(q1, "fail");
	dpr_event *gate, *root, *done;
	dpr_queue *q3;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &q3));
	mock2->hold(1);
	CHECK_OK(dpr_queue_barrier(q2, NULL, &gate));
	CHECK_OK(dpr_queue_barrier(q3, DPR_AFTER(gate), NULL));
	mock->hold(1);
	CHECK_OK(dpr_kernel_launch_usm(q1, bad, DPR_RANGE1(1), NULL, &root,
				       NULL, 0));
	/* The submission before this one is held, so the core does not look at
	   the dependency now. */
	CHECK_OK(dpr_queue_barrier(q3, DPR_AFTER(root), &done));
	ck_assert_int_eq(dpr_event_get_state(done), DPR_EVENT_HELD);
	mock->hold(0);
	EVENTUALLY(!mock->pending());
	/* Make the core's first look find the dependency under way. */
	mock->fail(MOCK_event_status, 1, 1, DPR_RC_NATIVE, -1);
	mock->fail(MOCK_event_wait, 1, 1, DPR_RC_TIMEOUT, 0);
	mock->fail(MOCK_queue_barrier, 2, 1, DPR_RC_NATIVE, -58);
	mock2->hold(0);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait_for(done, 10 * SECOND));
	CHECK_TEXT("fail on mock");
	CHECK_TEXT("barrier on mock");
	ck_assert_ptr_null(strstr(dpr_last_error(), "-58"));
	/* The driver was called, and refused. */
	ck_assert_uint_eq(mock->calls(MOCK_queue_barrier), 2);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait_for(root, 0));
	dpr_event_release(gate);
	dpr_event_release(root);
	dpr_event_release(done);
	dpr_kernel_release(bad);
	dpr_queue_release(q3);
	CHECK_OK(dpr_finalize());
}
END_TEST

static int called;
static dpr_status called_with;
static dpr_usm *callback_usm;

static void submits(dpr_event *event, dpr_status status, void *user)
{
	int nine = 9;

	called_with = dpr_event_wait(event) == DPR_ERROR_BUSY &&
				      dpr_queue_wait(q2) == DPR_ERROR_BUSY &&
				      dpr_event_wait_for(event, 0) == status
			      ? status
			      : DPR_ERROR_INTERNAL;
	if (dpr_usm_fill(q2, callback_usm, 0, &nine, 4, 4, NULL, user))
		called_with = DPR_ERROR_INTERNAL;
	__atomic_add_fetch(&called, 1, __ATOMIC_RELEASE);
}

START_TEST(callback_submits)
{
	dpr_event *gate, *done, *filled = NULL;

	callback_usm = new_ints(q2, 1, 0);
	mock->hold(1);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &gate));
	CHECK_OK(dpr_queue_barrier(q2, DPR_AFTER(gate), &done));
	CHECK_OK(dpr_event_on_end(done, submits, &filled));
	pause_ns(10 * MS);
	ck_assert_int_eq(__atomic_load_n(&called, __ATOMIC_ACQUIRE), 0);
	mock->hold(0);
	EVENTUALLY(__atomic_load_n(&called, __ATOMIC_ACQUIRE) == 1);
	ck_assert_int_eq(called_with, DPR_OK);
	CHECK_OK(dpr_event_wait_for(filled, 5 * SECOND));
	dpr_event_release(filled);
	filled = NULL;
	ck_assert_int_eq(first_int(q2, callback_usm), 9);
	/* A callback registered after completion is called, too. */
	CHECK_OK(dpr_event_on_end(done, submits, &filled));
	EVENTUALLY(__atomic_load_n(&called, __ATOMIC_ACQUIRE) == 2);
	CHECK_OK(dpr_event_wait_for(filled, 5 * SECOND));
	dpr_event_release(filled);
	dpr_event_release(gate);
	dpr_event_release(done);
	dpr_usm_release(callback_usm);
	CHECK_OK(dpr_finalize());
}
END_TEST

static void counts(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	(void)user;
	called_with = status;
	__atomic_add_fetch(&called, 1, __ATOMIC_RELEASE);
}

START_TEST(callback_of_a_failure)
{
	dpr_kernel *bad = mock_kernel(q1, "fail");
	dpr_event *root, *held;
	int i;

	mock->hold(1);
	CHECK_OK(dpr_kernel_launch_usm(q1, bad, DPR_RANGE1(1), NULL, &root,
				       NULL, 0));
	CHECK_OK(dpr_queue_barrier(q2, DPR_AFTER(root), &held));
	for (i = 0; i < 3; i++)
		CHECK_OK(dpr_event_on_end(i ? held : root, counts, NULL));
	dpr_event_release(root);
	dpr_event_release(held);
	mock->hold(0);
	EVENTUALLY(__atomic_load_n(&called, __ATOMIC_ACQUIRE) == 3);
	ck_assert_int_eq(called_with, DPR_ERROR_DRIVER);
	dpr_kernel_release(bad);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
}
END_TEST

/* If the backend does not notify, the core polls. */
START_TEST(backend_that_does_not_notify)
{
	dpr_queue *bare;
	dpr_event *gate, *done;

	CHECK_OK(dpr_canonical_queue("mock_bare", &bare));
	control_of("mock_bare")->hold(1);
	CHECK_OK(dpr_queue_barrier(bare, NULL, &gate));
	CHECK_OK(dpr_queue_barrier(q1, DPR_AFTER(gate), &done));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(done, 10 * MS));
	control_of("mock_bare")->hold(0);
	CHECK_OK(dpr_event_wait_for(done, 5 * SECOND));
	dpr_event_release(gate);
	dpr_event_release(done);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* On an out-of-order queue, only barriers wait for a held submission. */
START_TEST(out_of_order_overtakes)
{
	dpr_usm *a, *b;
	dpr_event *gate, *slow, *fast, *all, *after;
	dpr_queue *q3;
	int one = 1;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q2), DPR_QUEUE_OUT_OF_ORDER,
				  &q3));
	a = new_ints(q3, N, 0);
	b = new_ints(q3, N, 0);
	CHECK_OK(dpr_queue_wait(q3));
	mock->hold(1);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &gate));
	CHECK_OK(dpr_usm_fill(q3, a, 0, &one, 4, 4, DPR_AFTER(gate), &slow));
	CHECK_OK(dpr_usm_fill(q3, b, 0, &one, 4, 4, NULL, &fast));
	CHECK_OK(dpr_event_wait_for(fast, 5 * SECOND));
	CHECK_OK(dpr_queue_barrier(q3, NULL, &all));
	CHECK_OK(dpr_usm_fill(q3, b, 0, &one, 4, 4, NULL, &after));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(all, 10 * MS));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(after, 10 * MS));
	ck_assert_int_eq(dpr_event_get_state(slow), DPR_EVENT_HELD);
	mock->hold(0);
	CHECK_OK(dpr_events_wait_for(DPR_AFTER(slow, all, after), 5 * SECOND));
	dpr_event_release(gate);
	dpr_event_release(slow);
	dpr_event_release(fast);
	dpr_event_release(all);
	dpr_event_release(after);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_queue_release(q3);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Every pair of devices, whatever their drivers can wait for. */
START_TEST(every_pair)
{
	dpr_device *devices[MAX_DEVICES];
	size_t n, i, j;
	int k, value;

	use_mock_devices();
	CHECK_OK(dpr_device_enumerate(NULL, devices, MAX_DEVICES, &n));
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++) {
			dpr_queue *qa = queue_of(devices[i]);
			dpr_queue *qb = queue_of(devices[j]);
			dpr_usm *a = new_ints(qa, N, -1);
			dpr_usm *b = new_ints(qb, N, -1);
			dpr_event *there, *back = NULL;
			int got[10];

			for (k = 0; k < 10; k++) {
				CHECK_OK(dpr_usm_fill(qa, a, 0, &k, 4, 4 * N,
						      DPR_AFTER(back), &there));
				dpr_event_release(back);
				CHECK_OK(dpr_usm_copy(qb, b, 4 * (size_t)k, a,
						      4, 4, DPR_AFTER(there),
						      &back));
				dpr_event_release(there);
			}
			CHECK_OK(dpr_event_wait_for(back, 20 * SECOND));
			dpr_event_release(back);
			CHECK_OK(dpr_usm_read(qb, got, b, 0, sizeof(got), NULL,
					      NULL));
			for (k = 0; k < 10; k++)
				ck_assert_int_eq(got[k], k);
			/* A chain of barriers that alternates between the two
			   queues. */
			back = NULL;
			for (k = 0; k < 10; k++) {
				CHECK_OK(dpr_queue_barrier(k & 1 ? qa : qb,
							   DPR_AFTER(back),
							   &there));
				dpr_event_release(back);
				back = there;
			}
			CHECK_OK(dpr_event_wait_for(back, 20 * SECOND));
			dpr_event_release(back);
			value = 5;
			CHECK_OK(dpr_usm_fill(qa, a, 0, &value, 4, 4, NULL,
					      NULL));
			ck_assert_int_eq(first_int(qa, a), 5);
			dpr_usm_release(a);
			dpr_usm_release(b);
		}
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A slow write on q1.  A submission to another queue then fails before it runs,
   and a later one must still wait for the write. */
static void slow_write(dpr_usm *x)
{
	int seven = 7;

	mock->delay(50 * MS);
	CHECK_OK(dpr_usm_fill(q1, x, 0, &seven, 4, N * 4, NULL, NULL));
	mock->delay(0);
}

START_TEST(a_refused_use_hides_nothing)
{
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	dpr_usm *a = new_ints(q1, N, 1);
	dpr_arg args[2] = { DPR_USM_READ_WRITE(a, 0), DPR_ARG((uint64_t)N) };
	dpr_queue *other;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &other));
	slow_write(a);
	mock->fail(MOCK_queue_launch, 1, 1, DPR_RC_INVALID, -5);
	ck_assert_int_ne(dpr_kernel_launch_usm(other, plus, DPR_RANGE1(N), NULL,
					       NULL, args, 2),
			 DPR_OK);
	add_one(other, plus, a, N, NULL, NULL);
	ck_assert_int_eq(first_int(other, a), 8);
	dpr_kernel_release(plus);
	dpr_usm_release(a);
	dpr_queue_release(other);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(a_failed_use_hides_nothing)
{
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q2, N, 1);
	dpr_event *failed, *done;
	dpr_queue *other;
	int one = 1;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &other));
	CHECK_OK(dpr_queue_wait(q2));
	slow_write(a);
	/* This one is held, and fails with its dependency. */
	mock2->fail_command(1, DPR_RC_NATIVE, -5);
	CHECK_OK(dpr_usm_fill(q2, b, 0, &one, 4, 4, NULL, &failed));
	CHECK_OK(dpr_usm_fill(other, a, 0, &one, 4, N * 4, DPR_AFTER(failed),
			      &done));
	ck_assert_int_ne(dpr_event_wait_for(done, 5 * SECOND), DPR_OK);
	ck_assert_int_ne(dpr_queue_wait(other), DPR_OK);
	set_ints(other, a, N, 9);
	ck_assert_int_eq(first_int(other, a), 9);
	dpr_event_release(failed);
	dpr_event_release(done);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_queue_release(other);
	ck_assert_int_ne(dpr_finalize(), DPR_ERROR_BUSY);
}
END_TEST

static void start_hasty(void)
{
	setenv("DPR_OPTION_MOCK_HASTY", "1", 1);
	start_mocks();
}

/* A driver may let a command fail early, with its dependency, while earlier
   commands still run.  This does not mean that those have ended. */
START_TEST(fails_before_its_turn)
{
	dpr_kernel *bad = mock_kernel(q1, "fail");
	dpr_usm *a = new_ints(q1, N, 1);
	dpr_event *root, *early, *next;
	dpr_queue *other;
	int value = 7;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &other));
	CHECK_OK(dpr_queue_wait(q1));
	mock->hold(1);
	mock->stall_command(1);
	CHECK_OK(dpr_usm_fill(q1, a, 0, &value, 4, N * 4, NULL, NULL));
	CHECK_OK(dpr_kernel_launch_usm(other, bad, DPR_RANGE1(1), NULL, &root,
				       NULL, 0));
	CHECK_OK(dpr_queue_barrier(q1, DPR_AFTER(root), &early));
	mock->hold(0);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait_for(root, 5 * SECOND));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait_for(early, 5 * SECOND));
	/* With a time limit, the core must not use the driver's wait, which has
	   none. */
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_queue_wait_for(q1, 20 * MS));
	value = 9;
	CHECK_OK(dpr_usm_fill(other, a, 0, &value, 4, N * 4, NULL, &next));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(next, 20 * MS));
	mock->reset();
	CHECK_OK(dpr_event_wait_for(next, 5 * SECOND));
	ck_assert_int_eq(first_int(other, a), 9);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait_for(q1, 5 * SECOND));
	dpr_event_release(root);
	dpr_event_release(early);
	dpr_event_release(next);
	dpr_kernel_release(bad);
	dpr_usm_release(a);
	dpr_queue_release(other);
	CHECK_OK(dpr_finalize());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("held");
	TCase *tcase = tcase_create("held"), *pairs = tcase_create("pairs");
	TCase *hasty = tcase_create("hasty");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, waits_for_another_backend);
	tcase_add_test(tcase, keeps_the_queues_order);
	tcase_add_test(tcase, arguments_are_copied);
	tcase_add_test(tcase, chain_to_and_fro);
	tcase_add_test(tcase, failure_crosses);
	tcase_add_loop_test(tcase, fails_while_it_is_submitted, 0, 2);
	tcase_add_test(tcase, failed_before);
	tcase_add_test(tcase, failure_follows_the_data);
	tcase_add_test(tcase, never_completes);
	tcase_add_test(tcase, refused_when_released);
	tcase_add_test(tcase, fails_while_it_is_released);
	tcase_add_test(tcase, callback_submits);
	tcase_add_test(tcase, callback_of_a_failure);
	tcase_add_test(tcase, backend_that_does_not_notify);
	tcase_add_test(tcase, out_of_order_overtakes);
	tcase_add_test(tcase, a_refused_use_hides_nothing);
	tcase_add_test(tcase, a_failed_use_hides_nothing);
	suite_add_tcase(suite, tcase);
	tcase_set_timeout(pairs, 60);
	tcase_add_test(pairs, every_pair);
	suite_add_tcase(suite, pairs);
	tcase_add_checked_fixture(hasty, start_hasty, NULL);
	tcase_set_timeout(hasty, 20);
	tcase_add_test(hasty, fails_before_its_turn);
	suite_add_tcase(suite, hasty);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
