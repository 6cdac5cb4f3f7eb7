/* SPDX-License-Identifier: Apache-2.0 */
/* unit_hot.c - the cost of a launch that nothing waits for: one call of the
   plugin, and no allocation from the heap; an event only now and then. */
#include "tests/support/runtime_test.h"

#include "core/base/mem.h"
#include "core/base/stock.h"

#define N 64
#define LAUNCHES 1000
/* The core requests an event with every 256th submission. */
#define EVENTS (2 * LAUNCHES / 256 + 1)

/* Number of heap allocations at count_start(). */
static uint64_t allocated;

static void count_start(void)
{
	mock->reset();
	mock2->reset();
	allocated = mem_own_count();
}

/* Check that nothing was allocated since count_start(), and that there were no
   calls but @launches launches and a few calls for events. */
static void count_check(uint64_t launches)
{
	uint64_t own = mem_own_count() - allocated, all = 0;
	int i;

	for (i = 0; i < MOCK_N_ENTRIES; i++)
		all += mock->calls((enum mock_entry)i);
	ck_assert_uint_eq(mock->calls(MOCK_queue_launch), launches);
	ck_assert_uint_eq(mock->calls(MOCK_queue_barrier), 0);
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), 0);
	/* Handling the few events is the only other work allowed. */
	ck_assert_uint_le(all, launches + 4 * EVENTS);
	ck_assert_uint_le(mock->live(MOCK_EVENT), EVENTS);
	if (STOCK_KEEPS)
		ck_assert_uint_eq(own, 0);
}

typedef void (*launch_fn)(void);

static void launch_often(launch_fn launch, uint64_t each)
{
	int round, i;

	for (round = 0; round < 3; round++) {
		CHECK_OK(dpr_queue_wait(q1));
		count_start();
		/* The first round makes more launches, and so creates all
		   objects that later rounds use again. */
		for (i = 0; i < (round ? 1 : 2) * LAUNCHES; i++)
			launch();
		if (round)
			count_check(LAUNCHES * each);
	}
	CHECK_OK(dpr_queue_wait(q1));
}

static dpr_kernel *plus, *copy;
static dpr_usm *usm_a, *usm_b;

static void launch_plus(void)
{
	add_one(q1, plus, usm_a, N, NULL, NULL);
}

static void launch_two(void)
{
	dpr_arg args[3] = { DPR_USM_READ_WRITE(usm_b, 0),
			    DPR_USM_READ(usm_a, 0), DPR_ARG((uint64_t)N) };

	CHECK_OK(dpr_kernel_launch_usm(q1, copy, DPR_RANGE1(N), NULL, NULL,
				       args, 3));
	launch_plus();
}

START_TEST(user_kernels)
{
	plus = mock_kernel(q1, "add_one");
	copy = mock_kernel(q1, "copy");
	usm_a = new_ints(q1, N, 0);
	usm_b = new_ints(q1, N, 0);
	launch_often(launch_plus, 1);
	launch_often(launch_two, 2);
	ck_assert_int_eq(first_int(q1, usm_a), 8 * LAUNCHES);
	dpr_kernel_release(plus);
	dpr_kernel_release(copy);
	dpr_usm_release(usm_a);
	dpr_usm_release(usm_b);
	CHECK_OK(dpr_finalize());
}
END_TEST

static dpr_array *x, *y, *z;

static void add_into(void)
{
	CHECK_OK(dpr_add_into(x, y, z));
}

static void add_scalar_in_place(void)
{
	CHECK_OK(dpr_add_into(x, 1, x));
}

/* Make a new result each time, and keep the last two.  The pool and the stock
   of array objects can supply them. */
static dpr_array *results[2];

static void add_new(void)
{
	dpr_array_release(results[0]);
	results[0] = results[1];
	CHECK_OK(dpr_add(x, y, &results[1]));
}

/* The mock is a CPU here, so that it can run the array kernels. */
START_TEST(new_results)
{
	float value;

	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	start_mocks();
	CHECK_OK(dpr_ones(DPR_SHAPE(4, 4), DPR_FLOAT32, q1, &x));
	CHECK_OK(dpr_ones(DPR_SHAPE(4, 4), DPR_FLOAT32, q1, &y));
	launch_often(add_new, 1);
	CHECK_OK(dpr_usm_read(q1, &value, dpr_array_usm(results[1]),
			      (size_t)dpr_array_offset(results[1]) * 4,
			      sizeof(value), NULL, NULL));
	ck_assert(value == 2);
	dpr_array_release(results[0]);
	dpr_array_release(results[1]);
	dpr_array_release(x);
	dpr_array_release(y);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The mock is a CPU here, so that it can run the array kernels. */
START_TEST(into_existing_arrays)
{
	float value;

	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	start_mocks();
	CHECK_OK(dpr_ones(DPR_SHAPE(4, 4), DPR_FLOAT32, q1, &x));
	CHECK_OK(dpr_ones(DPR_SHAPE(4, 4), DPR_FLOAT32, q1, &y));
	CHECK_OK(dpr_zeros(DPR_SHAPE(4, 4), DPR_FLOAT32, q1, &z));
	launch_often(add_scalar_in_place, 1);
	launch_often(add_into, 1);
	CHECK_OK(dpr_usm_read(q1, &value, dpr_array_usm(z), 0, sizeof(value),
			      NULL, NULL));
	ck_assert(value == 4 * LAUNCHES + 2);
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(z);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A view takes an array object and nothing else. */
static void make_views(void)
{
	dpr_array *views[8];
	int i;

	for (i = 0; i < 8; i++)
		CHECK_OK(dpr_permute_dims(x, NULL, &views[i]));
	for (i = 0; i < 8; i++)
		dpr_array_release(views[i]);
}

START_TEST(array_objects)
{
	const int64_t dims[] = { 1, 2, 1, 2, 1, 2, 1, 2 };
	int rank;

	for (rank = 1; rank <= 8; rank++) {

		CHECK_OK(dpr_ones(dpr_shape_of(rank, dims), DPR_FLOAT32, q1,
				  &x));
		launch_often(make_views, 0);
		dpr_array_release(x);
	}
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Launch with an event: the core's event objects are used again, too. */
static void with_event(void)
{
	dpr_event *done;

	add_one(q1, plus, usm_a, N, NULL, &done);
	CHECK_OK(dpr_event_wait(done));
	dpr_event_release(done);
}

START_TEST(event_objects)
{
	dpr_event *many[200];
	int i;

	plus = mock_kernel(q1, "add_one");
	usm_a = new_ints(q1, N, 0);
	with_event();
	/* Make more events at one time than are needed later on any machine. */
	for (i = 0; i < 200; i++)
		CHECK_OK(dpr_queue_barrier(q1, NULL, &many[i]));
	for (i = 0; i < 200; i++)
		dpr_event_release(many[i]);
	CHECK_OK(dpr_queue_wait(q1));
	count_start();
	for (i = 0; i < LAUNCHES; i++)
		with_event();
	ck_assert_uint_eq(mock->calls(MOCK_queue_launch), LAUNCHES);
	/* A thread that finds the stock locked by another thread allocates
	   instead. */
	if (STOCK_KEEPS)
		ck_assert_uint_le(mem_own_count() - allocated, LAUNCHES / 100);
	dpr_kernel_release(plus);
	dpr_usm_release(usm_a);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_EVENT), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hot");
	TCase *tcase = tcase_create("hot"), *arrays = tcase_create("arrays");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, user_kernels);
	tcase_add_test(tcase, array_objects);
	tcase_add_test(tcase, event_objects);
	suite_add_tcase(suite, tcase);
	tcase_set_timeout(arrays, 60);
	tcase_add_test(arrays, into_existing_arrays);
	tcase_add_test(arrays, new_results);
	suite_add_tcase(suite, arrays);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
