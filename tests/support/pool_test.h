/* SPDX-License-Identifier: Apache-2.0 */
/* pool_test.h - what the tests of memory pools share. */
#ifndef TESTS_POOL_TEST_H
#define TESTS_POOL_TEST_H

#include "tests/support/runtime_test.h"

#define N 1000
#define BYTES (N * sizeof(int))
#define SLOW 60 /* milliseconds */
#define MIB ((size_t)1 << 20)

static dpr_device *device;

static inline void start(void)
{
	start_mocks();
	device = dpr_queue_device(q1);
}

static inline dpr_pool_stats stats_of(dpr_device *of, dpr_usm_kind kind)
{
	dpr_pool_stats stats = { .struct_size = sizeof(stats) };

	CHECK_OK(dpr_pool_get_stats(of, kind, &stats));
	ck_assert_uint_eq(stats.held, stats.used + stats.pending + stats.free);
	return stats;
}

static inline dpr_queue *new_queue(uint32_t flags)
{
	dpr_queue *queue = NULL;

	CHECK_OK(dpr_queue_create(device, flags, &queue));
	return queue;
}

static inline void fill(dpr_queue *queue, dpr_usm *usm, int value)
{
	CHECK_OK(dpr_usm_fill(queue, usm, 0, &value, sizeof(value), BYTES, NULL,
			      NULL));
}

static inline void check_all(dpr_queue *queue, dpr_usm *usm, int value)
{
	int values[N], i, wrong = 0;

	CHECK_OK(dpr_usm_read(queue, values, usm, 0, BYTES, NULL, NULL));
	for (i = 0; i < N; i++)
		wrong += values[i] != value;
	ck_assert_int_eq(wrong, 0);
}

/* Keep @queue busy for @ms with a kernel that sleeps. */
static inline void busy(dpr_queue *queue, unsigned ms)
{
	dpr_kernel *kernel = mock_kernel(queue, "sleep_ms");
	dpr_arg arg = DPR_ARG(ms);

	CHECK_OK(dpr_kernel_launch_usm(queue, kernel, DPR_RANGE1(1), NULL, NULL,
				       &arg, 1));
	dpr_kernel_release(kernel);
}

/* End a test: all memory must go back to the driver. */
static inline void finish(void)
{
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
	ck_assert_uint_eq(mock->bytes(), 0);
	ck_assert_uint_eq(mock2->live(MOCK_MEM), 0);
}

static inline void start_without_addresses(void)
{
	setenv("DPR_OPTION_MOCK_ADDRESSES", "0", 1);
	start();
}

#endif
