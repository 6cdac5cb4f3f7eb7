/* SPDX-License-Identifier: Apache-2.0 */
/* unit_exec_faults.c - queues, events and memory with each allocation of host
   memory failing in turn.  Each call either succeeds or gives a clear error;
   nothing is lost, and nothing hangs. */
#include "tests/support/runtime_test.h"

#include "core/base/mem.h"
#include "core/runtime/queue/queue.h"

#define N 64
#define MOST 200

/* One attempt; returns 0 if it succeeded. */
typedef dpr_status (*attempt_fn)(void);

/* Make the first allocation fail, then the second, and so on, until @attempt
   succeeds. */
static void all_fail(attempt_fn attempt)
{
	dpr_status status = DPR_ERROR_OUT_OF_MEMORY;
	uint64_t n;

	for (n = 0; n < MOST && status; n++) {
		mem_fault_after(n);
		status = attempt();
		mem_fault_clear();
		ck_assert_msg(!status || status == DPR_ERROR_OUT_OF_MEMORY,
			      "%s: %s", dpr_status_name(status),
			      dpr_last_error());
		if (status)
			ck_assert_str_ne(dpr_last_error(), "");
	}
	ck_assert_int_eq(status, DPR_OK);
	ck_assert_uint_gt(n, 1);
}

static dpr_usm *usm_a, *usm_b;
static dpr_queue *q3;
static dpr_event *gate, *event;
static dpr_kernel *plus;

static dpr_status try_queue(void)
{
	dpr_queue *queue;
	dpr_status status = dpr_queue_create(dpr_queue_device(q1), 0, &queue);

	ck_assert_int_eq(!queue, !!status);
	dpr_queue_release(queue);
	return status;
}

START_TEST(queues)
{
	all_fail(try_queue);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_QUEUE), 0);
}
END_TEST

static dpr_status try_usm(void)
{
	dpr_usm *usm;
	dpr_status status = dpr_usm_alloc(q1, DPR_USM_HOST, 100, &usm);

	ck_assert_int_eq(!usm, !!status);
	dpr_usm_release(usm);
	return status;
}

START_TEST(allocations)
{
	all_fail(try_usm);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
}
END_TEST

/* If wrapping fails, the handle still belongs to the caller: the plugin must
   not have freed it. */
static dpr_status try_native(void)
{
	static char memory[100];
	dpr_usm *usm;
	dpr_status status;

	mock->reset();
	status = dpr_usm_from_native(q1, (uintptr_t)memory, sizeof(memory), 0,
				     &usm);
	ck_assert_int_eq(!usm, !!status);
	if (status)
		ck_assert_uint_eq(mock->calls(MOCK_mem_free), 0);
	dpr_usm_release(usm);
	return status;
}

START_TEST(native_handles)
{
	all_fail(try_native);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
}
END_TEST

static dpr_status try_barrier(void)
{
	dpr_event *list[20];
	dpr_events after = { 20, list };
	dpr_event *done;
	dpr_status status = DPR_OK;
	int i;

	for (i = 0; i < 20; i++)
		list[i] = event;
	list[7] = gate;
	status = dpr_queue_barrier(q1, &after, &done);
	ck_assert_int_eq(!done, !!status);
	dpr_event_release(done);
	return status;
}

/* The other queue's use of the memory becomes a marker to wait for. */
static dpr_status try_crossing(void)
{
	dpr_arg args[2] = { DPR_USM_READ_WRITE(usm_a, 0),
			    DPR_ARG((uint64_t)N) };
	dpr_event *done;
	dpr_status status;

	status = dpr_kernel_launch_usm(q3, plus, DPR_RANGE1(N), NULL, &done,
				       args, 2);
	ck_assert_int_eq(!done, !!status);
	dpr_event_release(done);
	return status;
}

static dpr_status try_host_memory(void)
{
	int value = 1, back = 0;
	dpr_status status;

	status = dpr_usm_write(q1, usm_a, 0, &value, 4, NULL, NULL);
	if (!status)
		status = dpr_usm_read(q1, &back, usm_a, 0, 4, NULL, NULL);
	if (!status)
		ck_assert_int_eq(back, 1);
	return status;
}

START_TEST(submissions)
{
	usm_a = new_ints(q1, N, 1);
	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &q3));
	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	CHECK_OK(dpr_queue_barrier(q3, NULL, &gate));
	plus = mock_kernel(q1, "add_one");
	mock->hold(1);
	CHECK_OK(dpr_usm_fill(q1, usm_a, 0, "abcd", 4, 4, NULL, NULL));
	all_fail(try_barrier);
	all_fail(try_crossing);
	mock->hold(0);
	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_queue_wait(q3));
	all_fail(try_host_memory);
	dpr_event_release(event);
	dpr_event_release(gate);
	dpr_usm_release(usm_a);
	dpr_queue_release(q3);
	dpr_kernel_release(plus);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
	ck_assert_uint_eq(mock->live(MOCK_EVENT), 0);
	ck_assert_uint_eq(mock->live(MOCK_KERNEL), 0);
}
END_TEST

static dpr_status try_held(void)
{
	dpr_arg args[2] = { DPR_USM_READ_WRITE(usm_b, 0),
			    DPR_ARG((uint64_t)N) };
	dpr_event *done;
	dpr_status status;

	status = dpr_kernel_launch_usm(q2, plus, DPR_RANGE1(N), DPR_AFTER(gate),
				       &done, args, 2);
	ck_assert_int_eq(!done, !!status);
	dpr_event_release(done);
	return status;
}

static dpr_status try_held_fill(void)
{
	return dpr_usm_fill(q2, usm_b, 0, "abcd", 4, 4, DPR_AFTER(gate), NULL);
}

static void nothing(dpr_event *done, dpr_status status, void *user)
{
	(void)done;
	(void)status;
	__atomic_add_fetch((int *)user, 1, __ATOMIC_RELEASE);
}

static int called;

static dpr_status try_callback(void)
{
	return dpr_event_on_end(gate, nothing, &called);
}

START_TEST(held)
{
	usm_b = new_ints(q2, N, 1);
	plus = mock_kernel(q2, "add_one");
	CHECK_OK(dpr_queue_wait(q2));
	mock->hold(1);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &gate));
	all_fail(try_held);
	all_fail(try_held_fill);
	all_fail(try_callback);
	mock->hold(0);
	/* Accepted commands run; refused commands do not. */
	EVENTUALLY(__atomic_load_n(&called, __ATOMIC_ACQUIRE) == 1);
	CHECK_OK(dpr_queue_wait(q2));
	ck_assert_uint_eq(mock2->calls(MOCK_queue_launch), 1);
	dpr_event_release(gate);
	dpr_usm_release(usm_b);
	dpr_kernel_release(plus);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_EVENT), 0);
	ck_assert_uint_eq(mock2->live(MOCK_EVENT), 0);
	ck_assert_uint_eq(mock2->live(MOCK_MEM), 0);
}
END_TEST

static dpr_status try_transfer(void)
{
	dpr_event *done;
	dpr_status status =
		dpr_usm_copy(q2, usm_b, 0, usm_a, 0, 5 << 20, NULL, &done);

	ck_assert_int_eq(!done, !!status);
	dpr_event_release(done);
	return status;
}

START_TEST(transfers)
{
	usm_a = new_usm(q1, DPR_USM_DEVICE, 5 << 20);
	usm_b = new_usm(q2, DPR_USM_DEVICE, 5 << 20);
	all_fail(try_transfer);
	/* The driver's threads have no memory either.  Their failures are
	   reported by the queues, so take these reports. */
	(void)!dpr_queue_wait(q1);
	(void)!dpr_queue_wait(q2);
	dpr_usm_release(usm_a);
	dpr_usm_release(usm_b);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
	ck_assert_uint_eq(mock2->live(MOCK_MEM), 0);
}
END_TEST

static dpr_queue *bare;

static dpr_status try_fill(void)
{
	return dpr_usm_fill(bare, usm_a, 0, "abc", 3, 300000, NULL, NULL);
}

/* A fill made by the core, for a plugin without a fill. */
START_TEST(fills)
{
	CHECK_OK(dpr_canonical_queue("mock_bare", &bare));
	usm_a = new_usm(bare, DPR_USM_DEVICE, 300000);
	all_fail(try_fill);
	dpr_usm_release(usm_a);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(control_of("mock_bare")->live(MOCK_MEM), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("faults");
	TCase *tcase = tcase_create("faults");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, queues);
	tcase_add_test(tcase, allocations);
	tcase_add_test(tcase, native_handles);
	tcase_add_test(tcase, submissions);
	tcase_add_test(tcase, held);
	tcase_add_test(tcase, transfers);
	tcase_add_test(tcase, fills);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
