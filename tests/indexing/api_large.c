/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_large.c - reading and writing by indices that need more than 32 bits, in
 * an array of 2 GiB, on every device that has the memory.
 */
#include <unistd.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

#define SIZE ((INT64_C(1) << 31) + 7)
#define N 5

static const int8_t values[N] = { 11, -12, 13, -14, 15 };

/* Whether the machine has the memory for such an array. */
static bool has_memory(void)
{
	const long pages = sysconf(_SC_AVPHYS_PAGES);

	return sysconf(_SC_PAGESIZE) * (double)pages > 1.2 * SIZE;
}

/* Whether the device makes no such allocation. */
static bool is_left_out(void)
{
	uint64_t most = 0;

	return dpr_device_info_u64(test_device, DPR_INFO_MAX_ALLOC_SIZE,
				   &most) ||
	       (most && most < (uint64_t)SIZE);
}

static void check(const dpr_array *x, const dpr_array *at)
{
	int8_t have[N];
	dpr_array *y;

	CHECK_OK(dpr_take(x, at, 0, DPR_BOUNDS_CHECK, &y));
	CHECK_OK(dpr_array_to_memory(y, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, values, sizeof(have));
	dpr_array_release(y);
}

START_TEST(far_elements)
{
	const int64_t places[N] = { SIZE - 1, 0, INT64_C(1) << 31, -6, 5 };
	dpr_array *x, *at, *v, *view, *turned;
	dpr_status status;

	if (is_left_out())
		return;
	/* The pages that no element is read from are never touched. */
	status = dpr_empty(DPR_SHAPE(SIZE), DPR_INT8, test_queue, &x);
	if (status == DPR_ERROR_OUT_OF_MEMORY ||
	    status == DPR_ERROR_OUT_OF_DEVICE_MEMORY) {
		printf("%s: %s\n", dpr_device_selector(test_device),
		       dpr_last_error());
		return;
	}
	CHECK_OK(status);
	CHECK_OK(dpr_array_from_memory(places, DPR_SHAPE(N), NULL, DPR_INT64,
				       test_queue, &at));
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(N), NULL, DPR_INT8,
				       test_queue, &v));
	CHECK_OK(dpr_put(x, at, v, 0, DPR_BOUNDS_CHECK));
	check(x, at);
	/* The same elements, counted from the end. */
	CHECK_OK(dpr_array_view(x, &view, DPR_SLICE(DPR_OPEN, DPR_OPEN, -1)));
	CHECK_OK(dpr_subtract(SIZE - 1, at, &turned));
	CHECK_OK(dpr_remainder_into(turned, SIZE, turned));
	check(view, turned);
	dpr_array_release(turned);
	dpr_array_release(view);
	dpr_array_release(v);
	dpr_array_release(at);
	dpr_array_release(x);
}
END_TEST

static Suite *large_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("large");

	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, far_elements);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	if (getenv("DPR_TEST_SMALL") || !has_memory()) {
		printf("skipped: less than 2.5 GiB of memory is free, or small "
		       "tests are asked for\n");
		return 77;
	}
	return run_on_selected(large_suite, NULL);
}
