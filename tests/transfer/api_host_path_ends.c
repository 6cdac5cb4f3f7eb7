/* SPDX-License-Identifier: Apache-2.0 */
/* api_host_path_ends.c - how transfers end if the plugin does not accept the
   host memory: reported failures, lost devices, dpr_finalize(). */
#include <stdatomic.h>

#include "tests/support/host_path_test.h"

/* The third piece fails, when it is submitted or, with @later, when it runs. */
START_TEST(a_piece_fails)
{
	bool read = _i & 1, later = _i & 2, event = _i & 4;
	dpr_event *done = NULL;
	dpr_status status;
	const char *text;
	dpr_usm *usm;

	start(0);
	usm = new_usm(q1, DPR_USM_DEVICE, LARGE);
	put(q1, usm, 0, bytes, LARGE, 0);
	CHECK_OK(dpr_queue_wait(q1));
	mock->reset();
	if (later)
		mock->fail_command(3, DPR_RC_NATIVE, -5);
	else /* The first call is always refused. */
		mock->fail(read ? MOCK_queue_read : MOCK_queue_write, 4, 1,
			   DPR_RC_NATIVE, -5);
	if (read)
		status = dpr_usm_read(q1, back, usm, 0, LARGE, NULL,
				      event ? &done : NULL);
	else
		status = dpr_usm_write(q1, usm, 0, bytes, LARGE, NULL,
				       event ? &done : NULL);
	if (event) {
		ck_assert_int_eq(status, DPR_OK);
		CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait(done));
		dpr_event_error(done, &status, &text);
		ck_assert_ptr_nonnull(strstr(text, " of 25178169)"));
		dpr_event_release(done);
	}
	ck_assert_int_eq(status, DPR_ERROR_DRIVER);
	CHECK_TEXT(read ? "read (bytes " : "write (bytes ");
	CHECK_TEXT("-5");
	ck_assert_uint_eq(mock->pending(), 0);
	mock->reset();
	/* The failure is reported only once. */
	(void)!dpr_queue_wait(q1);
	CHECK_OK(dpr_queue_wait(q1));
	if (!read)
		check_spoiled(q1, usm, DPR_ERROR_DRIVER);
	put(q1, usm, 0, bytes, LARGE, 0);
	get(q1, back, usm, 0, LARGE, 0);
	ck_assert_int_eq(memcmp(back, bytes, LARGE), 0);
	dpr_usm_release(usm);
	finish();
}
END_TEST

/* Work that depends on a failed transfer does not run. */
START_TEST(failures_go_on)
{
	dpr_event *done, *after;
	dpr_usm *usm, *other;

	start(_i);
	usm = new_usm(q1, DPR_USM_DEVICE, LARGE);
	other = new_usm(q2, DPR_USM_DEVICE, 16);
	put(q1, usm, 0, bytes, 10, 0);
	CHECK_OK(dpr_queue_wait(q1));
	mock->fail_command(2, DPR_RC_NATIVE, -5);
	CHECK_OK(dpr_usm_write(q1, usm, 0, bytes, LARGE, NULL, &done));
	CHECK_OK(dpr_usm_fill(q2, other, 0, "f", 1, 16, DPR_AFTER(done),
			      &after));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait(after));
	CHECK_TEXT("-5");
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait(done));
	dpr_event_release(done);
	dpr_event_release(after);
	(void)!dpr_queue_wait(q1);
	(void)!dpr_queue_wait(q2);
	dpr_usm_release(usm);
	dpr_usm_release(other);
	finish();
}
END_TEST

/* The device has no HOST memory (_i 1), or none left (0): a clear error. */
START_TEST(no_host_memory)
{
	dpr_usm *usm;
	int value = 1;

	if (_i) {
		setenv("DPR_OPTION_MOCK_PAGEABLE", "0", 1);
		setenv("DPR_OPTION_MOCK_KINDS", "device", 1);
		start_mocks();
		bytes = back = NULL;
	} else {
		start(0);
	}
	usm = new_usm(q1, DPR_USM_DEVICE, 4);
	CHECK_OK(dpr_queue_wait(q1));
	if (!_i)
		mock->fail(MOCK_mem_alloc, 1, 1000, DPR_RC_OOM_DEVICE, 0);
	CHECK_FAILS(_i ? DPR_ERROR_UNSUPPORTED : DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_usm_write(q1, usm, 0, &value, 4, NULL, NULL));
	CHECK_TEXT(_i ? "no HOST memory to copy" : "4 bytes of HOST memory");
	if (!_i)
		CHECK_TEXT("ordered to fail: mem_alloc");
	(void)!dpr_queue_wait(q1);
	mock->reset();
	if (!_i) {
		put(q1, usm, 0, &value, 4, 0);
		ck_assert_int_eq(first_int(q1, usm), 1);
	}
	dpr_usm_release(usm);
	finish();
}
END_TEST

/* If the plugin refuses even its own HOST memory, the call fails. */
START_TEST(breaks_its_word)
{
	dpr_usm *usm;

	start(0);
	usm = new_usm(q1, DPR_USM_DEVICE, MIB);
	put(q1, usm, 0, bytes, MIB, 0);
	CHECK_OK(dpr_queue_wait(q1));
	mock->fail(MOCK_queue_write, 1, 100,
		   _i & 2 ? DPR_RC_HOST_MEMORY : DPR_RC_NO_PATH, 0);
	ck_assert_int_ne(
		dpr_usm_write(q1, usm, 0, bytes, _i & 1 ? MIB : 4, NULL, NULL),
		DPR_OK);
	if (_i & 1)
		CHECK_TEXT(
			_i & 2 ? "gave HOST_MEMORY for memory that the plugin itself"
			       : "gave NO_PATH for memory that the plugin itself");
	CHECK_TEXT(_i & 1 ? "rule Q7" : "does not support this operation");
	mock->reset();
	(void)!dpr_queue_wait(q1);
	dpr_usm_release(usm);
	finish();
}
END_TEST

/* Transfers on a queue with profiling have times. */
START_TEST(has_times)
{
	dpr_event *done;
	dpr_queue *queue;
	uint64_t ns;
	dpr_usm *usm;

	start(_i);
	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), DPR_QUEUE_PROFILING,
				  &queue));
	usm = new_usm(queue, DPR_USM_DEVICE, LARGE);
	put(queue, usm, 0, bytes, LARGE, 0);
	CHECK_OK(dpr_usm_read(queue, back, usm, 0, LARGE, NULL, &done));
	CHECK_OK(dpr_event_wait(done));
	CHECK_OK(dpr_event_duration(done, &ns));
	ck_assert_uint_gt(ns, 0);
	dpr_event_release(done);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish();
}
END_TEST

/* The times of a write in several pieces cover all pieces: the last piece is
   submitted only after the first one is done. */
START_TEST(has_times_of_all_pieces)
{
	const uint64_t delay = 20 * MS;
	const size_t size = 15 * CHUNK;
	unsigned char *source;
	dpr_event *done;
	dpr_queue *queue;
	uint64_t ns;
	dpr_usm *usm;

	start(_i);
	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), DPR_QUEUE_PROFILING,
				  &queue));
	usm = new_usm(queue, DPR_USM_DEVICE, size);
	source = calloc(1, size);
	ck_assert_ptr_nonnull(source);
	mock->delay(delay);
	CHECK_OK(dpr_usm_write(queue, usm, 0, source, size, NULL, &done));
	CHECK_OK(dpr_event_wait(done));
	mock->delay(0);
	CHECK_OK(dpr_event_duration(done, &ns));
	ck_assert_uint_ge(ns, delay);
	dpr_event_release(done);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	free(source);
	finish();
}
END_TEST

START_TEST(loses_the_device)
{
	dpr_event *done;
	dpr_usm *usm;

	start(0);
	usm = new_usm(q1, DPR_USM_DEVICE, LARGE);
	put(q1, usm, 0, bytes, LARGE, 0);
	CHECK_OK(dpr_queue_wait(q1));
	mock->hold(1);
	CHECK_OK(dpr_usm_read(q1, back, usm, 0, LARGE, NULL, &done));
	EVENTUALLY(mock->pending() > 0);
	mock->lose(0);
	mock->hold(0);
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST, dpr_event_wait(done));
	dpr_event_release(done);
	dpr_usm_release(usm);
	(void)!dpr_finalize();
	free(bytes);
	free(back);
}
END_TEST

/* Release everything while transfers are under way: dpr_finalize() waits for
   them. */
START_TEST(finalize_waits)
{
	dpr_event *done[4];
	dpr_usm *usm;
	int i;

	start(_i);
	usm = new_usm(q1, DPR_USM_DEVICE, LARGE);
	put(q1, usm, 0, bytes, LARGE, 0);
	mock->delay(2 * MS);
	CHECK_OK(dpr_usm_read(q1, back, usm, 0, LARGE, NULL, &done[0]));
	CHECK_OK(dpr_usm_write(q1, usm, 0, bytes, LARGE, NULL, &done[1]));
	CHECK_OK(dpr_usm_write(q1, usm, 9, bytes, 9, NULL, &done[2]));
	CHECK_OK(dpr_usm_read(q1, back, usm, 0, MIB, NULL, &done[3]));
	for (i = 0; i < 4; i++)
		dpr_event_release(done[i]);
	dpr_usm_release(usm);
	CHECK_OK(dpr_finalize());
	ck_assert_int_eq(memcmp(back, bytes, 9), 0);
	ck_assert_int_eq(memcmp(back + 9, bytes, 9), 0);
	ck_assert_int_eq(memcmp(back + 18, bytes + 18, LARGE - 18), 0);
	ck_assert_uint_eq(mock->bytes(), 0);
	ck_assert_uint_eq(mock->live(MOCK_EVENT), 0);
	free(bytes);
	free(back);
}
END_TEST

/* Release the last reference to a queue while a transfer is under way. */
START_TEST(queue_is_released)
{
	dpr_event *done;
	dpr_queue *queue;
	dpr_usm *usm;

	start(_i);
	queue = new_queue(_i);
	usm = new_usm(queue, DPR_USM_DEVICE, LARGE);
	put(queue, usm, 0, bytes, LARGE, 0);
	mock->delay(2 * MS);
	CHECK_OK(dpr_usm_read(queue, back, usm, 0, LARGE, NULL, &done));
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	end(done);
	ck_assert_int_eq(memcmp(back, bytes, LARGE), 0);
	finish();
}
END_TEST

struct callback {
	dpr_usm *usm;
	_Atomic(dpr_event *) done;
};

static void submit_from_callback(dpr_event *event, dpr_status status,
				 void *user)
{
	struct callback *c = user;
	dpr_event *done;

	(void)event;
	ck_assert_int_eq(status, DPR_OK);
	CHECK_OK(dpr_usm_read(q1, back, c->usm, 0, MIB, NULL, &done));
	atomic_store(&c->done, done);
}

/*
 * A callback may submit a transfer if it asks for an event: without one, the
 * call would wait.
 */
START_TEST(callbacks_submit)
{
	struct callback user = { .usm = NULL };
	dpr_event *gate;
	dpr_usm *usm;

	start(_i);
	usm = new_usm(q1, DPR_USM_DEVICE, MIB);
	put(q1, usm, 0, bytes, MIB, 0);
	user.usm = usm;
	mock->hold(1);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &gate));
	CHECK_OK(dpr_event_on_end(gate, submit_from_callback, &user));
	mock->hold(0);
	CHECK_OK(dpr_event_wait(gate));
	EVENTUALLY(atomic_load(&user.done) != NULL);
	end(atomic_load(&user.done));
	ck_assert_int_eq(memcmp(back, bytes, MIB), 0);
	dpr_event_release(gate);
	dpr_usm_release(usm);
	finish();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("host path ends");
	TCase *tcase = tcase_create("host path ends");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, a_piece_fails, 0, 8);
	tcase_add_loop_test(tcase, failures_go_on, 0, 2);
	tcase_add_loop_test(tcase, no_host_memory, 0, 2);
	tcase_add_loop_test(tcase, breaks_its_word, 0, 4);
	tcase_add_loop_test(tcase, has_times, 0, 2);
	tcase_add_loop_test(tcase, has_times_of_all_pieces, 0, 2);
	tcase_add_test(tcase, loses_the_device);
	tcase_add_loop_test(tcase, finalize_waits, 0, 2);
	tcase_add_loop_test(tcase, queue_is_released, 0, 4);
	tcase_add_loop_test(tcase, callbacks_submit, 0, 2);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
