/* SPDX-License-Identifier: Apache-2.0 */
/* unit_cuda_hot.c - the cost of launches and allocations on CUDA between two
   waits: calls of the driver, and allocations from the heap, in the core and in
   the plugin. */
#include "tests/cuda/cuda_api.h"

#include "tests/support/no_heap.h"

/* On an in-order queue, a launch is one call of the driver and nothing else. */
START_TEST(a_launch_is_one_call)
{
	enum { LAUNCHES = 1000 };
	uint64_t events, allocated;
	dpr_kernel *mix;
	dpr_queue *queue;
	dpr_usm *usm;
	int i;

	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), 0);
	mix = new_kernel(queue, "mix");
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 0);
	for (i = 0; i < 2 * LAUNCHES; i++)
		launch(queue, mix, usm, 1);
	CHECK_OK(dpr_queue_wait(queue));
	mock->forget_calls();
	mock->waits(NULL, 0);
	allocated = mem_fault_count();
	for (i = 0; i < LAUNCHES; i++)
		launch(queue, mix, usm, 1);
	ck_assert_uint_eq(mock->calls("cuLaunchKernel"), LAUNCHES);
	ck_assert_uint_eq(mock->calls("cuCtxPushCurrent"), 0);
	ck_assert_uint_eq(mock->calls("cuCtxGetCurrent"), 0);
	ck_assert_uint_eq(mock->calls("cuEventCreate"), 0);
	ck_assert_uint_eq(mock->calls("cuStreamWaitEvent"), 0);
	/* The core needs an event for every 256th submission. */
	events = mock->calls("cuEventRecord");
	ck_assert_uint_le(events, LAUNCHES / 256 + 1);
	ck_assert_uint_eq(mock->waits(NULL, 0), 0);
	/* This counts the plugin, too, which allocates through the core. */
	CHECK_NO_HEAP(allocated);
	CHECK_OK(dpr_queue_wait(queue));
	dpr_kernel_release(mix);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

/* An allocation from the pool makes no call of the driver. */
START_TEST(memory_is_no_call)
{
	enum { ROUNDS = 1000 };
	const size_t size = (size_t)64 << 20;
	uint64_t allocated;
	dpr_queue *queue;
	dpr_usm *usm;
	int i;

	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), 0);
	/* Let the pool allocate its slab. */
	CHECK_OK(dpr_usm_alloc(queue, DPR_USM_DEVICE, size, &usm));
	dpr_usm_release(usm);
	mock->forget_calls();
	allocated = mem_fault_count();
	for (i = 0; i < ROUNDS; i++) {
		CHECK_OK(dpr_usm_alloc(queue, DPR_USM_DEVICE, size, &usm));
		dpr_usm_release(usm);
	}
	ck_assert_uint_eq(mock->calls(NULL), 0);
	CHECK_NO_HEAP(allocated);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_launch_is_one_call,
		memory_is_no_call,
	};

	return run_tests("unit_cuda_hot", tests,
			 sizeof(tests) / sizeof(tests[0]));
}
