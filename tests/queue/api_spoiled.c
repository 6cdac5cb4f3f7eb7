/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_spoiled.c - the results of failed work cannot be read: not later, not in
 * another thread, not on another device, until they have been written
 * completely.
 */
#include <pthread.h>
#include <stdlib.h>

#include "tests/support/runtime_test.h"

#define N 64

static dpr_array *ones(dpr_queue *queue)
{
	dpr_array *x;

	CHECK_OK(dpr_ones(DPR_SHAPE(N), DPR_FLOAT32, queue, &x));
	CHECK_OK(dpr_array_wait(x));
	return x;
}

static void check_values(const dpr_array *x, float want)
{
	float have[N];
	int i;

	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	for (i = 0; i < N && have[i] == want; i++)
		;
	ck_assert_int_eq(i, N);
}

/* Check that no operation accepts the contents, however often it is tried. */
static void check_bad(const dpr_array *x)
{
	dpr_array *y;
	float have[N];

	for (int i = 0; i < 3; i++) {
		CHECK_FAILS(DPR_ERROR_DRIVER,
			    dpr_array_to_memory(x, have, sizeof(have), NULL));
		CHECK_TEXT("-42");
		CHECK_FAILS(DPR_ERROR_DRIVER, dpr_array_wait(x));
		CHECK_TEXT("-42");
		CHECK_FAILS(DPR_ERROR_DRIVER, dpr_add(x, 1, &y));
		CHECK_TEXT("-42");
		ck_assert_ptr_null(y);
		CHECK_FAILS(DPR_ERROR_DRIVER,
			    dpr_array_to_device(x, dpr_queue_device(q2), &y));
		CHECK_TEXT("-42");
		ck_assert_ptr_null(y);
	}
}

/* y = x + 1 fails without an event, and z = y + 1 uses y. */
static void fail_silently(dpr_array *x, dpr_array **y, dpr_array **z)
{
	mock->fail_command(1, DPR_RC_NATIVE, -42);
	CHECK_OK(dpr_add(x, 1, y));
	CHECK_OK(dpr_add(*y, 1, z));
}

START_TEST(every_look_tells)
{
	dpr_array *x = ones(q1), *y, *z;

	fail_silently(x, &y, &z);
	check_bad(y);
	check_bad(z);
	/* x was known to be valid before. */
	check_values(x, 1);
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(z);
	/* The program has been told of the failure, though not by the queue. */
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The queue reports the failure once; later reads of the memory still fail. */
START_TEST(the_queue_does_not_use_it_up)
{
	dpr_array *x = ones(q1), *y, *z;

	fail_silently(x, &y, &z);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	CHECK_OK(dpr_queue_wait(q1));
	check_bad(z);
	check_bad(y);
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(z);
	CHECK_OK(dpr_finalize());
}
END_TEST

static pthread_barrier_t start;

static void *reads(void *array)
{
	float have[N];

	pthread_barrier_wait(&start);
	for (int i = 0; i < 3; i++) {
		CHECK_FAILS(
			DPR_ERROR_DRIVER,
			dpr_array_to_memory(array, have, sizeof(have), NULL));
		CHECK_TEXT("-42");
	}
	return NULL;
}

/* The driver reports the failure only once, but all threads must see it. */
START_TEST(every_thread_is_told)
{
	enum { THREADS = 8, ROUNDS = 50 };
	dpr_array *x = ones(q1), *y, *z;
	pthread_t threads[THREADS];

	pthread_barrier_init(&start, NULL, THREADS);
	for (int round = 0; round < ROUNDS; round++) {
		fail_silently(x, &y, &z);
		for (int i = 0; i < THREADS; i++)
			ck_assert_int_eq(pthread_create(&threads[i], NULL,
							reads, i % 2 ? y : z),
					 0);
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		dpr_array_release(y);
		dpr_array_release(z);
		CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	}
	pthread_barrier_destroy(&start);
	dpr_array_release(x);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(writing_all_makes_it_valid)
{
	dpr_array *x = ones(q1), *y, *z, *half;
	float values[N];

	fail_silently(x, &y, &z);
	check_bad(y);
	/* Writing a part is allowed, but does not make the whole valid. */
	CHECK_OK(dpr_array_view(y, &half, DPR_SLICE(0, N, 2)));
	CHECK_OK(dpr_copy_into(half, 3));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_array_wait(half));
	check_bad(y);
	/* An operation that also reads the array fails.  So the array does not
	   become valid. */
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_add_into(y, 1, y));
	check_bad(y);
	CHECK_OK(dpr_copy_into(y, 5));
	check_values(y, 5);
	CHECK_OK(dpr_add_into(x, 1, z));
	check_values(z, 2);
	/* An operation with a spoiled operand spoils its result. */
	mock->fail_command(1, DPR_RC_NATIVE, -42);
	CHECK_OK(dpr_add_into(x, 1, y));
	check_bad(y);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_add_into(y, 1, z));
	check_bad(z);
	for (int i = 0; i < N; i++)
		values[i] = 7;
	CHECK_OK(dpr_usm_write(q1, dpr_array_usm(z), 0, values, sizeof(values),
			       NULL, NULL));
	check_values(z, 7);
	dpr_array_release(half);
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(z);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* An operation takes several launches, each for a part of its result: there are
   more axes than a kernel takes, of which no two are neighbours in memory. */
START_TEST(parts_of_one_operation_are_a_whole)
{
	const dpr_shape shape = DPR_SHAPE(2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2);
	const int axes[12] = { 11, 0, 10, 1, 9, 2, 8, 3, 7, 4, 6, 5 };
	enum { ALL = 1 << 12 };
	uint64_t before, launches;
	dpr_array *x, *y, *t, *bad;
	float have[ALL];
	int k;

	CHECK_OK(dpr_ones(shape, DPR_FLOAT32, q1, &x));
	CHECK_OK(dpr_array_wait(x));
	CHECK_OK(dpr_permute_dims(x, axes, &t));
	mock->fail_command(1, DPR_RC_NATIVE, -42);
	CHECK_OK(dpr_add(x, 1, &bad));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_array_wait(bad));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	CHECK_OK(dpr_add_into(t, x, bad));
	CHECK_OK(dpr_array_to_memory(bad, have, sizeof(have), NULL));
	for (k = 0; k < ALL && have[k] == 2; k++)
		;
	ck_assert_int_eq(k, ALL);
	/* Make each launch fail in turn. */
	before = mock->calls(MOCK_queue_launch);
	CHECK_OK(dpr_add_into(t, x, bad));
	launches = mock->calls(MOCK_queue_launch) - before;
	ck_assert_uint_gt(launches, 2);
	for (uint64_t i = 1; i <= launches; i++) {
		CHECK_OK(dpr_queue_wait(q1));
		mock->fail_command(i, DPR_RC_NATIVE, -42);
		CHECK_OK(dpr_add_into(t, x, bad));
		CHECK_FAILS(DPR_ERROR_DRIVER,
			    dpr_array_to_memory(bad, have, sizeof(have), NULL));
		CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	}
	/* A sum of many takes several passes, of which only the last writes the
	   result. */
	dpr_array_release(x);
	CHECK_OK(dpr_ones(DPR_SHAPE(1 << 20), DPR_FLOAT32, q1, &x));
	CHECK_OK(dpr_sum(x, NULL, &y));
	CHECK_OK(dpr_array_wait(y));
	mock->fail_command(1, DPR_RC_NATIVE, -42);
	CHECK_OK(dpr_sum_into(x, NULL, y));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_array_wait(y));
	CHECK_OK(dpr_sum_into(x, NULL, y));
	CHECK_OK(dpr_array_wait(y));
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(t);
	dpr_array_release(bad);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A put leaves other elements as they are.  Each of its launches fails in turn,
   and the array is invalid until it is written as a whole. */
START_TEST(parts_of_a_put_are_a_whole)
{
	const dpr_shape shape = DPR_SHAPE(2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2);
	const int axes[12] = { 11, 0, 10, 1, 9, 2, 8, 3, 7, 4, 6, 5 };
	enum { ALL = 1 << 12 };
	static const uint32_t place = 1;
	uint64_t before, launches;
	dpr_array *x, *t, *at, *values;
	float have[ALL];

	CHECK_OK(dpr_zeros(shape, DPR_FLOAT32, q1, &x));
	CHECK_OK(dpr_permute_dims(x, axes, &t));
	CHECK_OK(dpr_full(DPR_SHAPE(1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2), 3,
			  DPR_FLOAT32, q1, &values));
	CHECK_OK(dpr_array_from_memory(&place, DPR_SHAPE(1), NULL, DPR_UINT32,
				       q1, &at));
	before = mock->calls(MOCK_queue_launch);
	CHECK_OK(dpr_put(t, at, values, 0, DPR_BOUNDS_CLIP));
	launches = mock->calls(MOCK_queue_launch) - before;
	ck_assert_uint_gt(launches, 2);
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	/* Axis 0 of t is the last of x. */
	for (int i = 0; i < ALL; i++)
		ck_assert(have[i] == (i % 2 ? 3 : 0));
	for (uint64_t i = 1; i <= launches; i++) {
		mock->fail_command(i, DPR_RC_NATIVE, -42);
		CHECK_OK(dpr_put(t, at, values, 0, DPR_BOUNDS_CLIP));
		CHECK_FAILS(DPR_ERROR_DRIVER,
			    dpr_array_to_memory(x, have, sizeof(have), NULL));
		CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
		CHECK_FAILS(DPR_ERROR_DRIVER,
			    dpr_array_to_memory(x, have, sizeof(have), NULL));
		CHECK_OK(dpr_copy_into(x, 0));
		CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	}
	dpr_array_release(values);
	dpr_array_release(at);
	dpr_array_release(t);
	dpr_array_release(x);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* With events the core knows which commands failed and which did not. */
START_TEST(an_event_tells_which)
{
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q1, N, 1);
	dpr_usm *c = new_ints(q1, N, 1);
	dpr_event *failed, *good;
	dpr_arg args[3] = { DPR_USM_WRITE_ALL(c), DPR_USM_READ(a, 0),
			    DPR_ARG((uint64_t)N) };
	dpr_kernel *copy = mock_kernel(q1, "copy");

	CHECK_OK(dpr_queue_wait(q1));
	mock->hold(1);
	mock->fail_command(1, DPR_RC_NATIVE, -42);
	add_one(q1, plus, a, N, NULL, &failed);
	/* A command that uses spoiled data still runs, and spoils its own
	   result; other results stay good. */
	CHECK_OK(dpr_kernel_launch_usm(q1, copy, DPR_RANGE1(N), NULL, NULL,
				       args, 3));
	add_one(q1, plus, b, N, NULL, &good);
	mock->hold(0);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait(failed));
	CHECK_OK(dpr_event_wait(good));
	check_spoiled(q1, a, DPR_ERROR_DRIVER);
	check_spoiled(q1, c, DPR_ERROR_DRIVER);
	ck_assert_int_eq(first_int(q1, b), 2);
	/* Memory passed by a plain pointer might be read, so the launch is
	   refused, too. */
	args[1] = DPR_ARG(a);
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_kernel_launch_usm(q1, copy, DPR_RANGE1(N), NULL, NULL,
					  args, 3));
	args[1] = DPR_USM_READ(b, 0);
	CHECK_OK(dpr_kernel_launch_usm(q1, copy, DPR_RANGE1(N), NULL, NULL,
				       args, 3));
	ck_assert_int_eq(first_int(q1, c), 2);
	dpr_event_release(failed);
	dpr_event_release(good);
	dpr_kernel_release(plus);
	dpr_kernel_release(copy);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Two commands fail: an event reports one of them (with _i that of a barrier),
   and the queue reports only the first.  The second result is spoiled, too. */
START_TEST(one_failure_hides_no_other)
{
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q1, N, 1);
	dpr_event *failed;
	int value = 5;

	CHECK_OK(dpr_queue_wait(q1));
	mock->hold(1);
	mock->fail_command(1, DPR_RC_NATIVE, -42);
	mock->fail_command(2, DPR_RC_NATIVE, -43);
	if (_i)
		CHECK_OK(dpr_queue_barrier(q1, NULL, &failed));
	else
		CHECK_OK(dpr_usm_fill(q1, a, 0, &value, 4, N * 4, NULL,
				      &failed));
	set_ints(q1, b, N, 2);
	mock->hold(0);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait(failed));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	check_spoiled(q1, b, DPR_ERROR_DRIVER);
	/* A failure that was reported is not reported again. */
	CHECK_OK(dpr_queue_wait(q1));
	set_ints(q1, b, N, 2);
	ck_assert_int_eq(first_int(q1, b), 2);
	dpr_event_release(failed);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* With more events than the queue looks at, the wait for the queue reports the
   failure before the event itself is asked. */
START_TEST(an_event_that_is_asked_late)
{
	enum { MANY = 300, BAD = 150 };
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q1, N, 1);
	dpr_usm *c = new_ints(q1, N, 1);
	dpr_event *events[MANY];
	int value = 5;

	CHECK_OK(dpr_queue_wait(q1));
	mock->hold(1);
	for (int i = 0; i < MANY; i++) {
		if (i == BAD)
			mock->fail_command(1, DPR_RC_NATIVE, -42);
		CHECK_OK(dpr_usm_fill(q1, i == BAD ? a : c, 0, &value, 4, N * 4,
				      NULL, &events[i]));
	}
	mock->hold(0);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait(events[BAD]));
	CHECK_TEXT("-42");
	CHECK_OK(dpr_queue_wait(q1));
	if (_i) {
		/* The old failure is not taken for the next one. */
		mock->fail_command(1, DPR_RC_NATIVE, -43);
		set_ints(q1, b, N, 2);
		CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
		CHECK_TEXT("-43");
		check_spoiled(q1, b, DPR_ERROR_DRIVER);
	}
	for (int i = 0; i < MANY; i++)
		dpr_event_release(events[i]);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A command that fails between the two times that one wait asks the driver. */
static void *fill_later(void *usm)
{
	pause_ns(450 * MS);
	mock->fail_command(1, DPR_RC_NATIVE, -43);
	set_ints(q1, usm, N, 7);
	return NULL;
}

START_TEST(between_two_answers)
{
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q1, N, 1);
	dpr_event *failed;
	pthread_t thread;
	int value = 5;

	CHECK_OK(dpr_queue_wait(q1));
	mock->fail_command(1, DPR_RC_NATIVE, -42);
	CHECK_OK(dpr_usm_fill(q1, a, 0, &value, 4, N * 4, NULL, &failed));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait(failed));
	mock->slow(MOCK_queue_finish, 300 * MS);
	ck_assert_int_eq(pthread_create(&thread, NULL, fill_later, b), 0);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	pthread_join(thread, NULL);
	mock->slow(MOCK_queue_finish, 0);
	(void)!dpr_queue_wait(q1);
	check_spoiled(q1, b, DPR_ERROR_DRIVER);
	dpr_event_release(failed);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A released queue is asked for failures before it is destroyed. */
START_TEST(a_closed_queue)
{
	dpr_usm *a = new_ints(q1, N, 1);
	uint64_t live;
	dpr_queue *q;

	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &q));
	live = mock->live(MOCK_QUEUE);
	mock->fail_command(1, DPR_RC_NATIVE, -42);
	set_ints(q, a, N, 2);
	dpr_queue_release(q);
	/* Any call may destroy it once its work is done. */
	while (mock->live(MOCK_QUEUE) == live) {
		CHECK_OK(dpr_queue_wait(q1));
		pause_ns(MS);
	}
	check_spoiled(q1, a, DPR_ERROR_DRIVER);
	CHECK_TEXT("-42");
	dpr_usm_release(a);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* With many failures, their record gets coarser.  But memory once found valid
   stays valid. */
START_TEST(many_failures)
{
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q1, N, 1);
	int value = 3;
	dpr_event *failed;

	for (int i = 0; i < 1100; i++) {
		mock->fail_command(1, DPR_RC_NATIVE, -42);
		CHECK_OK(dpr_usm_fill(q1, b, 0, &value, 4, N * 4, NULL,
				      &failed));
		CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait(failed));
		dpr_event_release(failed);
		CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
		if (i == 10) {
			set_ints(q1, a, N, 8);
			CHECK_OK(dpr_queue_wait(q1));
		}
		set_ints(q1, b, N, 4);
		CHECK_OK(dpr_queue_wait(q1));
		if (i >= 10)
			ck_assert_int_eq(first_int(q1, a), 8);
	}
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Without an event that tells which command failed, all results not known to be
   good are spoiled.  Good are those whose own event is complete, unless they
   were computed from a spoiled one. */
START_TEST(without_events_too_much)
{
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	dpr_kernel *copy = mock_kernel(q1, "copy");
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q1, N, 1);
	dpr_usm *c = new_ints(q1, N, 1), *d = new_ints(q1, N, 1);
	dpr_usm *before = new_ints(q1, N, 1);
	dpr_event *good, *of_bad;
	dpr_arg args[3] = { DPR_USM_WRITE_ALL(c), DPR_USM_READ(a, 0),
			    DPR_ARG((uint64_t)N) };

	CHECK_OK(dpr_queue_wait(q1));
	mock->fail_command(1, DPR_RC_NATIVE, -42);
	add_one(q1, plus, a, N, NULL, NULL);
	add_one(q1, plus, b, N, NULL, &good);
	CHECK_OK(dpr_kernel_launch_usm(q1, copy, DPR_RANGE1(N), NULL, &of_bad,
				       args, 3));
	add_one(q1, plus, d, N, NULL, NULL);
	CHECK_OK(dpr_event_wait(good));
	CHECK_OK(dpr_event_wait(of_bad));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	check_spoiled(q1, a, DPR_ERROR_DRIVER);
	check_spoiled(q1, c, DPR_ERROR_DRIVER);
	check_spoiled(q1, d, DPR_ERROR_DRIVER);
	ck_assert_int_eq(first_int(q1, b), 2);
	ck_assert_int_eq(first_int(q1, before), 1);
	dpr_event_release(good);
	dpr_event_release(of_bad);
	dpr_kernel_release(plus);
	dpr_kernel_release(copy);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	dpr_usm_release(d);
	dpr_usm_release(before);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The failure becomes known only after the contents have been copied to another
   device, and to a third queue. */
START_TEST(it_goes_where_the_contents_went)
{
	dpr_kernel *plus = mock_kernel(q2, "add_one");
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q2, N, 1);
	dpr_usm *c = new_ints(q2, N, 1), *other = new_ints(q2, N, 1);
	dpr_queue *q3;
	dpr_event *copied;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q2), 0, &q3));
	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_queue_wait(q2));
	mock->fail_command(1, DPR_RC_NATIVE, -42);
	set_ints(q1, a, N, 2);
	CHECK_OK(dpr_usm_copy(q2, b, 0, a, 0, N * 4, NULL, NULL));
	CHECK_OK(dpr_usm_copy(q3, c, 0, b, 0, N * 4, NULL, &copied));
	add_one(q2, plus, other, N, NULL, NULL);
	CHECK_OK(dpr_event_wait(copied));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	CHECK_OK(dpr_queue_wait(q2));
	check_spoiled(q2, b, DPR_ERROR_DRIVER);
	check_spoiled(q2, c, DPR_ERROR_DRIVER);
	CHECK_TEXT("mock:");
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_usm_wait(c));
	ck_assert_int_eq(first_int(q2, other), 2);
	CHECK_OK(dpr_usm_copy(q3, c, 0, other, 0, N * 4, NULL, NULL));
	CHECK_OK(dpr_usm_wait(c));
	dpr_event_release(copied);
	dpr_kernel_release(plus);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	dpr_usm_release(other);
	dpr_queue_release(q3);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Reading memory asks all queues from which its contents come. */
START_TEST(reading_asks_the_source)
{
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q2, N, 1);

	CHECK_OK(dpr_queue_wait(q1));
	mock->fail_command(1, DPR_RC_NATIVE, -42);
	set_ints(q1, a, N, 2);
	CHECK_OK(dpr_usm_copy(q2, b, 0, a, 0, N * 4, NULL, NULL));
	check_spoiled(q2, b, DPR_ERROR_DRIVER);
	check_spoiled(q1, a, DPR_ERROR_DRIVER);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(new_memory_is_clean)
{
	dpr_usm *a = new_ints(q1, N, 1), *b;
	void *address = dpr_usm_address(a);
	int value;

	CHECK_OK(dpr_queue_wait(q1));
	mock->fail_command(1, DPR_RC_NATIVE, -42);
	set_ints(q1, a, N, 2);
	check_spoiled(q1, a, DPR_ERROR_DRIVER);
	dpr_usm_release(a);
	b = new_usm(q1, DPR_USM_DEVICE, N * 4);
	ck_assert_ptr_eq(dpr_usm_address(b), address);
	CHECK_OK(dpr_usm_read(q1, &value, b, 0, sizeof(value), NULL, NULL));
	CHECK_OK(dpr_usm_wait(b));
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A launch that the driver refuses leaves the memory as it was: the call has
   reported the failure. */
START_TEST(refused_work_leaves_what_it_was_to_change)
{
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	dpr_usm *a = new_ints(q1, N, 1);
	dpr_arg args[2] = { DPR_USM_READ_WRITE(a, 0), DPR_ARG((uint64_t)N) };
	int value = 5;

	mock->fail(MOCK_queue_launch, 1, 1, DPR_RC_NATIVE, -42);
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_kernel_launch_usm(q1, plus, DPR_RANGE1(N), NULL, NULL,
					  args, 2));
	ck_assert_int_eq(first_int(q1, a), 1);
	/* But memory that the refused call was to overwrite completely is
	   undefined. */
	mock->fail(MOCK_queue_fill, 1, 1, DPR_RC_NATIVE, -42);
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_usm_fill(q1, a, 0, &value, 4, N * 4, NULL, NULL));
	check_spoiled(q1, a, DPR_ERROR_DRIVER);
	set_ints(q1, a, N, 3);
	ck_assert_int_eq(first_int(q1, a), 3);
	dpr_kernel_release(plus);
	dpr_usm_release(a);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Failures after the first one since the last wait of the queue count as
   well. */
START_TEST(later_failures_count_as_well)
{
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q1, N, 1);

	CHECK_OK(dpr_queue_wait(q1));
	mock->fail_command(1, DPR_RC_NATIVE, -42);
	set_ints(q1, a, N, 2);
	check_spoiled(q1, a, DPR_ERROR_DRIVER);
	ck_assert_int_eq(first_int(q1, b), 1);
	mock->fail_command(1, DPR_RC_NATIVE, -43);
	set_ints(q1, b, N, 2);
	check_spoiled(q1, b, DPR_ERROR_DRIVER);
	CHECK_TEXT("-43");
	check_spoiled(q1, a, DPR_ERROR_DRIVER);
	CHECK_TEXT("-42");
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	CHECK_TEXT("-42");
	CHECK_OK(dpr_queue_wait(q1));
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The driver's wait for a queue does not report these failures.  They must not
   be taken for the failure that it does report. */
START_TEST(other_failures_hide_none)
{
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q2, N, 1);
	dpr_event *failed, *held;
	int value = 5;

	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_queue_wait(q2));
	/* A command that was refused. */
	mock->fail(MOCK_queue_fill, 1, 1, DPR_RC_NATIVE, -42);
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_usm_fill(q1, a, 0, &value, 4, 4, NULL, NULL));
	mock->fail_command(1, DPR_RC_NATIVE, -43);
	set_ints(q1, a, N, 2);
	check_spoiled(q1, a, DPR_ERROR_DRIVER);
	CHECK_TEXT("-43");
	/* A command that never left the core. */
	mock->hold(1);
	mock->fail_command(1, DPR_RC_NATIVE, -44);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &failed));
	CHECK_OK(dpr_queue_barrier(q2, DPR_AFTER(failed), &held));
	mock->hold(0);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait(held));
	mock2->fail_command(1, DPR_RC_NATIVE, -45);
	set_ints(q2, b, N, 2);
	check_spoiled(q2, b, DPR_ERROR_DRIVER);
	CHECK_TEXT("-45");
	dpr_event_release(failed);
	dpr_event_release(held);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* dpr_finalize() reports only failures that nothing has reported before. */
START_TEST(the_end_tells_what_is_new)
{
	dpr_usm *a = new_ints(q1, N, 1);
	dpr_queue *q3;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &q3));
	CHECK_OK(dpr_queue_wait(q1));
	mock->fail_command(1, DPR_RC_NATIVE, -42);
	set_ints(q3, a, N, 2);
	if (_i)
		check_spoiled(q3, a, DPR_ERROR_DRIVER);
	dpr_usm_release(a);
	dpr_queue_release(q3);
	if (_i)
		CHECK_OK(dpr_finalize());
	else
		CHECK_FAILS(DPR_ERROR_DRIVER, dpr_finalize());
}
END_TEST

/* Once the loss of a device has been reported, the program can go on and end
   without an error. */
START_TEST(a_lost_device_that_was_told_of)
{
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q2, N, 1);
	dpr_queue *q3;
	int value;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &q3));
	CHECK_OK(dpr_queue_wait(q1));
	mock->hold(1);
	set_ints(q1, a, N, 2);
	mock->lose(0);
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST,
		    dpr_usm_read(q1, &value, a, 0, sizeof(value), NULL, NULL));
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST, dpr_usm_wait(a));
	ck_assert_int_eq(first_int(q2, b), 1);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_queue_release(q3);
	CHECK_OK(dpr_finalize());
}
END_TEST

static void start_cpu(void)
{
	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	start_mocks();
}

int main(void)
{
	Suite *suite = suite_create("spoiled");
	TCase *tcase = tcase_create("arrays");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start_cpu, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, every_look_tells);
	tcase_add_test(tcase, the_queue_does_not_use_it_up);
	tcase_add_test(tcase, every_thread_is_told);
	tcase_add_test(tcase, writing_all_makes_it_valid);
	tcase_add_test(tcase, parts_of_one_operation_are_a_whole);
	tcase_add_test(tcase, parts_of_a_put_are_a_whole);
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("allocations");
	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, an_event_tells_which);
	tcase_add_loop_test(tcase, one_failure_hides_no_other, 0, 2);
	tcase_add_loop_test(tcase, an_event_that_is_asked_late, 0, 2);
	tcase_add_test(tcase, between_two_answers);
	tcase_add_test(tcase, a_closed_queue);
	tcase_add_test(tcase, many_failures);
	tcase_add_test(tcase, without_events_too_much);
	tcase_add_test(tcase, it_goes_where_the_contents_went);
	tcase_add_test(tcase, reading_asks_the_source);
	tcase_add_test(tcase, new_memory_is_clean);
	tcase_add_test(tcase, refused_work_leaves_what_it_was_to_change);
	tcase_add_test(tcase, later_failures_count_as_well);
	tcase_add_test(tcase, other_failures_hide_none);
	tcase_add_loop_test(tcase, the_end_tells_what_is_new, 0, 2);
	tcase_add_test(tcase, a_lost_device_that_was_told_of);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
