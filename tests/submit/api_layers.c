/* SPDX-License-Identifier: Apache-2.0 */
/* api_layers.c - the layer "sync": a call whose submission fails returns the
   error, whatever kind of call it is. */
#include "tests/support/runtime_test.h"

#include <pthread.h>

#define N 64

static void start_sync(void)
{
	static char formats[64];

	/* A CPU, for which libdpr has built-in kernels. */
	snprintf(formats, sizeof(formats), "%s,mock", DPRP_NATIVE_FORMAT);
	setenv("DPR_OPTION_MOCK_FORMATS", formats, 1);
	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	setenv("DPR_LAYERS", "sync", 1);
	start_mocks();
}

static dpr_usm *a, *b, *c; /* on q1, q1, q2 */
static char bytes[N * 4];

static dpr_status do_fill(dpr_event **done)
{
	return dpr_usm_fill(q1, a, 0, "abcd", 4, N * 4, NULL, done);
}

static dpr_status do_write(dpr_event **done)
{
	return dpr_usm_write(q1, a, 0, bytes, N * 4, NULL, done);
}

static dpr_status do_read(dpr_event **done)
{
	return dpr_usm_read(q1, bytes, a, 0, N * 4, NULL, done);
}

static dpr_status do_copy(dpr_event **done)
{
	return dpr_usm_copy(q1, b, 0, a, 0, N * 4, NULL, done);
}

static dpr_status do_prefetch(dpr_event **done)
{
	return dpr_usm_prefetch(q1, a, 0, N * 4, NULL, done);
}

static dpr_status do_barrier(dpr_event **done)
{
	return dpr_queue_barrier(q1, NULL, done);
}

/* A copy through host memory: the last part is a write by the target's
   backend. */
static dpr_status do_transfer(dpr_event **done)
{
	return dpr_usm_copy(q1, a, 0, c, 0, N * 4, NULL, done);
}

static const struct {
	const char *name;
	dpr_status (*run)(dpr_event **done);
} calls[] = {
	{ "fill", do_fill },         { "write", do_write },
	{ "read", do_read },         { "copy", do_copy },
	{ "prefetch", do_prefetch }, { "barrier", do_barrier },
	{ "copy", do_transfer },
};
#define N_CALLS (int)(sizeof(calls) / sizeof(*calls))

/* The command fails when it runs, with and without an event. */
START_TEST(every_kind_of_call)
{
	dpr_event *done = (dpr_event *)&done;

	a = new_ints(q1, N, 1);
	b = new_ints(q1, N, 2);
	c = new_ints(q2, N, 3);
	mock->delay(5 * MS);
	mock->fail_command(1, DPR_RC_NATIVE, -55);
	CHECK_FAILS(DPR_ERROR_DRIVER, calls[_i].run(&done));
	ck_assert_ptr_null(done);
	CHECK_TEXT(calls[_i].name);
	CHECK_TEXT("-55");
	ck_assert_uint_eq(mock->pending(), 0);
	/* On an in-order queue, a barrier without an event does nothing. */
	if (calls[_i].run != do_barrier) {
		mock->fail_command(1, DPR_RC_NATIVE, -56);
		CHECK_FAILS(DPR_ERROR_DRIVER, calls[_i].run(NULL));
		CHECK_TEXT("-56");
	}
	/* A later call does not report the old failure. */
	CHECK_OK(calls[_i].run(&done));
	ck_assert_int_eq(dpr_event_get_state(done), DPR_EVENT_COMPLETE);
	ck_assert_uint_eq(mock->pending(), 0);
	dpr_event_release(done);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(array_functions)
{
	dpr_array *x, *y = NULL;

	CHECK_OK(dpr_ones(DPR_SHAPE(N), DPR_INT32, q1, &x));
	mock->fail_command(1, DPR_RC_NATIVE, -57);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_add(x, 1, &y));
	CHECK_TEXT("-57");
	ck_assert_ptr_null(y);
	mock->fail_command(1, DPR_RC_NATIVE, -58);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_sum(x, NULL, &y));
	CHECK_TEXT("-58");
	ck_assert_ptr_null(y);
	mock->fail_command(1, DPR_RC_NATIVE, -59);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_copy_into(x, 7));
	CHECK_TEXT("-59");
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_add(x, 1, &y));
	CHECK_TEXT("-59");
	CHECK_OK(dpr_copy_into(x, 7));
	mock->delay(5 * MS);
	CHECK_OK(dpr_add(x, 1, &y));
	ck_assert_uint_eq(mock->pending(), 0);
	dpr_array_release(x);
	dpr_array_release(y);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* --- Held submissions ------------------------------------------------------
 */

static dpr_event *gate;
static int gate_there;

/* The layer does not wait on the thread of callbacks, so the gate stays
   shut. */
static void make_gate(dpr_event *event, dpr_status status, void *user)
{
	(void)event, (void)status, (void)user;
	if (dpr_usm_fill(q1, a, 0, "gate", 4, 4, NULL, &gate))
		gate = NULL;
	__atomic_store_n(&gate_there, 1, __ATOMIC_RELEASE);
}

/* Wait first, so that the submission gets held, and wrong code has time to go
   on. */
static void *open_gate(void *sent)
{
	pause_ns(50 * MS);
	*(uint64_t *)sent = mock2->calls(MOCK_queue_fill);
	mock->hold(0);
	return NULL;
}

/* A submission waits for another backend.  Then its driver refuses it (_i 0),
   its command fails (1), or the awaited command fails (2). */
START_TEST(held_submissions)
{
	dpr_event *first, *done = (dpr_event *)&done;
	uint64_t sent = 1;
	pthread_t thread;

	a = new_ints(q1, N, 1);
	c = new_ints(q2, N, 3);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &first));
	mock2->reset();
	mock->hold(1);
	if (_i == 0)
		mock2->fail(MOCK_queue_fill, 1, 1, DPR_RC_NATIVE, -61);
	else
		(_i == 1 ? mock2 : mock)->fail_command(1, DPR_RC_NATIVE, -61);
	CHECK_OK(dpr_event_on_end(first, make_gate, NULL));
	EVENTUALLY(__atomic_load_n(&gate_there, __ATOMIC_ACQUIRE));
	ck_assert_ptr_nonnull(gate);
	ck_assert_int_lt(dpr_event_get_state(gate), DPR_EVENT_COMPLETE);
	ck_assert_int_eq(pthread_create(&thread, NULL, open_gate, &sent), 0);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_usm_fill(q2, c, 0, "late", 4, 4,
						   DPR_AFTER(gate), &done));
	CHECK_TEXT("-61");
	ck_assert_ptr_null(done);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(sent, 0);
	ck_assert_uint_eq(mock2->calls(MOCK_queue_fill), _i < 2);
	dpr_event_release(first);
	dpr_event_release(gate);
	dpr_usm_release(a);
	dpr_usm_release(c);
	/* Nothing waited for the gate, so dpr_finalize() may report its
	   failure. */
	(void)!dpr_finalize();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("layers");
	TCase *tcase = tcase_create("sync");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start_sync, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, every_kind_of_call, 0, N_CALLS);
	tcase_add_test(tcase, array_functions);
	tcase_add_loop_test(tcase, held_submissions, 0, 3);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
