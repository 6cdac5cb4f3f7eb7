/* SPDX-License-Identifier: Apache-2.0 */
/* api_times.c - times by the device's clock, of array functions on two queues
   of each device. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

#define N 100000

static bool make_queues(dpr_queue *queue[2])
{
	int i;

	for (i = 0; i < 2; i++)
		if (dpr_queue_create(test_device, DPR_QUEUE_PROFILING,
				     &queue[i])) {
			printf("%s: %s\n", dpr_device_selector(test_device),
			       dpr_last_error());
			if (i)
				dpr_queue_release(queue[0]);
			return false;
		}
	return true;
}

/* Get the times of the work that writes @x last.  Returns false if the driver
   keeps none. */
static bool times_of(const dpr_array *x, const char *name, dpr_times *times)
{
	uint64_t duration;
	dpr_event *event, *again;
	dpr_status status;

	CHECK_OK(dpr_array_event(x, &event));
	ck_assert_str_eq(dpr_event_name(event), name);
	status = dpr_event_device_times(event, times);
	if (status != DPR_ERROR_UNSUPPORTED) {
		CHECK_OK(status);
		CHECK_OK(dpr_event_duration(event, &duration));
		ck_assert_uint_eq(times->ended - times->started, duration);
		ck_assert_uint_gt(times->queued, 0);
		ck_assert_uint_le(times->queued, times->submitted);
		ck_assert_uint_le(times->submitted, times->started);
		/* The array keeps its event when the work is over. */
		CHECK_OK(dpr_array_event(x, &again));
		ck_assert_ptr_eq(again, event);
		dpr_event_release(again);
	}
	dpr_event_release(event);
	return !status;
}

START_TEST(between_queues)
{
	dpr_array *x, *sum, *there, *product;
	dpr_times first, second;
	dpr_queue *queue[2];

	if (!make_queues(queue))
		return;
	CHECK_OK(dpr_ones(DPR_SHAPE(N), DPR_FLOAT32, queue[0], &x));
	CHECK_OK(dpr_add(x, x, &sum));
	CHECK_OK(dpr_array_to_queue(sum, queue[1], &there));
	CHECK_OK(dpr_multiply(there, there, &product));
	if (times_of(sum, "add", &first) &&
	    times_of(product, "multiply", &second))
		ck_assert_uint_ge(second.started, first.ended);
	CHECK_OK(dpr_add_into(x, x, x));
	if (times_of(x, "add", &second))
		ck_assert_uint_ge(second.started, first.ended);
	dpr_array_release(x);
	dpr_array_release(sum);
	dpr_array_release(there);
	dpr_array_release(product);
	dpr_queue_release(queue[0]);
	dpr_queue_release(queue[1]);
}
END_TEST

START_TEST(without_profiling)
{
	dpr_event *event;
	dpr_times times;
	dpr_array *x;

	CHECK_OK(dpr_ones(DPR_SHAPE(N), DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_array_event(x, &event));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_event_device_times(event, &times));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(),
				     "was made without DPR_QUEUE_PROFILING"));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_event_device_times(event, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_event_device_times(NULL, &times));
	CHECK_OK(dpr_event_wait(event));
	dpr_event_release(event);
	dpr_array_release(x);
}
END_TEST

static Suite *times_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("times");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, between_queues);
	tcase_add_test(tcase, without_profiling);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_all(times_suite);
}
