/* SPDX-License-Identifier: Apache-2.0 */
/* unit_ze_hot.c - the cost of launches on Level Zero between two waits: calls
   of the driver, and allocations from the heap, in the core and in the
   plugin. */
#include "tests/level_zero/level_zero_test.h"
#include "tests/support/no_heap.h"
#include "tests/support/spirv_constants.h"

/* Launches in one batch.  With more, the plugin would look which ones are
   done. */
#define LAUNCHES 24
#define BATCHES 40

static dpr_queue *queue;
static dpr_kernel *kernel;
static dpr_usm *usm[2];

static void begin(bool flag)
{
	const dpr_image image = { "spirv", NULL, spirv_constants,
				  sizeof(spirv_constants) };
	dpr_program *program;
	int i;

	ck_assert(zecpu->set("IN_ORDER", flag) && zecpu->set("COUNTER", flag));
	use_backends(NULL);
	queue = new_queue(get_device("level_zero:0"), 0);
	CHECK_OK(dpr_program_from_images(queue, &image, 1, NULL, &program));
	CHECK_OK(dpr_kernel_create(program, "add_one", &kernel));
	dpr_program_release(program);
	for (i = 0; i < 2; i++)
		usm[i] = new_ints(queue, DPR_USM_DEVICE, 4, 0);
}

static void end(void)
{
	ck_assert_int_eq(get_int(queue, usm[0], 0), 5);
	dpr_usm_release(usm[0]);
	dpr_usm_release(usm[1]);
	dpr_kernel_release(kernel);
	dpr_queue_release(queue);
	finish_all();
}

static void launch(dpr_usm *to)
{
	const dpr_arg arg = dpr_arg_usm_use(to, 0, DPR_WRITE);

	CHECK_OK(dpr_kernel_launch_usm(queue, kernel, dpr_range1(1), NULL, NULL,
				       &arg, 1));
}

/* Check the calls that a batch of launches made.  Without the in-order flag
   each launch resets a used event, and may ask once whether an earlier launch
   is done. */
static void check_calls(uint64_t sets, bool flag)
{
	const uint64_t asks = zecpu->calls("zeEventHostSynchronize") +
			      zecpu->calls("zeEventHostReset") +
			      zecpu->calls("zeDeviceGetStatus");

	ck_assert_uint_le(asks, flag ? 0 : 2 * LAUNCHES);
	ck_assert_uint_eq(zecpu->calls("zeCommandListAppendLaunchKernel"),
			  LAUNCHES);
	ck_assert_uint_eq(zecpu->calls("zeKernelSetArgumentValue"), sets);
	ck_assert_uint_eq(zecpu->calls(NULL), LAUNCHES + sets + asks);
}

/* Run batches in which the argument changes, or does not.  Objects that are
   used again, such as events, are made in the first half of the batches. */
static void run(bool changes, bool flag)
{
	uint64_t before;
	int batch, i;

	for (batch = -BATCHES; batch < BATCHES; batch++) {
		CHECK_OK(dpr_queue_wait(queue));
		if (!changes)
			launch(usm[0]);
		zecpu->forget_calls();
		before = mem_fault_count();
		for (i = 0; i < LAUNCHES; i++)
			launch(usm[changes && i % 2 == 0]);
		if (batch < 0)
			continue;
		CHECK_NO_HEAP(before);
		check_calls(changes ? LAUNCHES : 0, flag);
	}
}

START_TEST(a_launch_is_one_call)
{
	begin(_i);
	run(false, _i);
	end();
}
END_TEST

START_TEST(a_changed_argument_is_one_more)
{
	begin(_i);
	run(true, _i);
	end();
}
END_TEST

/* _i 0: without the in-order flag and counter-based events; 1: with both. */
int main(void)
{
	const struct test_times tests[] = {
		{ a_launch_is_one_call, 2 },
		{ a_changed_argument_is_one_more, 2 },
	};

	if (!is_able())
		return 77;
	return run_tests_times("unit_ze_hot", tests,
			       sizeof(tests) / sizeof(tests[0]));
}
