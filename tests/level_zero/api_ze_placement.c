/* SPDX-License-Identifier: Apache-2.0 */
/* api_ze_placement.c - compute follows data, on the software Level Zero driver:
   operands on two tiles, two root devices, two drivers or two queues are
   refused before any driver call.  The advice in the error text works. */
#include "tests/level_zero/level_zero_test.h"
#include "tests/support/placement.h"

static const char *const pairs[][2] = {
	{ "level_zero:gpu:0", "level_zero:gpu:1" },
	{ "level_zero:gpu:0.0", "level_zero:gpu:0.1" },
	/* devices 2 and 3 belong to the second driver */
	{ "level_zero:gpu:0", "level_zero:gpu:2" },
	{ "level_zero:gpu:0.1", "level_zero:gpu:0" },
	{ "level_zero:gpu:0", "level_zero:gpu:0.0" },
	{ "level_zero:gpu:0.1", "level_zero:gpu:1" },
	{ "level_zero:gpu:3", "level_zero:gpu:1" },
	{ "level_zero:gpu:0.1", "level_zero:gpu:2.1" },
};

static void check_twos(const dpr_array *sum)
{
	float values[3];
	int i;

	CHECK_OK(dpr_array_to_memory(sum, values, sizeof(values), NULL));
	for (i = 0; i < 3; i++)
		ck_assert_float_eq(values[i], 2);
}

/* Make the call that the text of the last refusal names, and add again.  x[0]
   was to be written, so the call moves x[1]. */
static void follow_advice(dpr_array *const *x)
{
	const char *advice = strstr(dpr_last_error(), "move one with ");
	dpr_array *operands[2] = { x[0], x[1] }, *moved, *sum;
	char device[100];
	int from;

	ck_assert_ptr_nonnull(advice);
	if (sscanf(advice,
		   "move one with dpr_array_to_device(x%d, <%99[^>]>, &moved)",
		   &from, device) == 2) {
		CHECK_OK(dpr_array_to_device(x[from - 1], get_device(device),
					     &moved));
	} else {
		ck_assert_int_eq(sscanf(advice,
					"move one with dpr_array_to_queue(x%d, "
					"dpr_array_queue(out), &moved)",
					&from),
				 1);
		CHECK_OK(dpr_array_to_queue(x[from - 1], dpr_array_queue(x[0]),
					    &moved));
	}
	ck_assert_int_eq(from, 2);
	operands[from - 1] = moved;
	CHECK_OK(dpr_add(operands[0], operands[1], &sum));
	ck_assert_ptr_eq(dpr_array_queue(sum), dpr_array_queue(x[2 - from]));
	check_twos(sum);
	dpr_array_release(sum);
	dpr_array_release(moved);
}

/* Count the calls that a refusal must not make: they start work or allocate. */
static uint64_t count_work(void)
{
	static const char *const entries[] = {
		"zeCommandListAppendLaunchKernel",
		"zeCommandListAppendMemoryCopy",
		"zeCommandListAppendMemoryFill",
		"zeCommandListAppendBarrier",
		"zeCommandListAppendWaitOnEvents",
		"zeMemAllocDevice",
		"zeMemAllocHost",
		"zeModuleCreate",
	};
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		n += zecpu->calls(entries[i]) +
		     (zecpu2 ? zecpu2->calls(entries[i]) : 0);
	return n;
}

START_TEST(two_devices)
{
	const char *const *names = pairs[_i];
	dpr_array *x[2];
	uint64_t before;
	int i;

	open_second_driver();
	use_backends(NULL);
	for (i = 0; i < 2; i++)
		x[i] = ones(queue_of(get_device(names[i])));
	before = count_work();
	check_refusal(x[0], x[1],
		      "x1 on %s (canonical), x2 on %s (canonical); move one "
		      "with dpr_array_to_device(x1, <%s>, &moved)",
		      names[0], names[1], names[1]);
	check_refusal(x[1], x[0],
		      "x1 on %s (canonical), x2 on %s (canonical); move one "
		      "with dpr_array_to_device(x1, <%s>, &moved)",
		      names[1], names[0], names[0]);
	ck_assert_uint_eq(count_work(), before);
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_add_into(x[0], x[1], x[0]));
	CHECK_TEXT(names[1]);
	follow_advice(x);
	for (i = 0; i < 2; i++)
		dpr_array_release(x[i]);
	finish_all();
}
END_TEST

/* Operands on two queues and on the canonical queue, of a device or of a tile,
   in order or out of order. */
START_TEST(two_queues)
{
	const char *selector =
		_i & 1 ? "level_zero:gpu:0.1" : "level_zero:gpu:0";
	const uint32_t flags = _i & 2 ? DPR_QUEUE_OUT_OF_ORDER : 0;
	dpr_queue *queues[2];
	dpr_array *x[3];
	int i;

	use_backends(NULL);
	for (i = 0; i < 2; i++) {
		queues[i] = new_queue(get_device(selector), flags);
		x[i] = ones(queues[i]);
	}
	x[2] = ones(queue_of(get_device(selector)));
	check_refusal(x[1], x[2],
		      "x1 on %s, x2 on %s (canonical); move one with "
		      "dpr_array_to_device(x1, <%s>, &moved)",
		      dpr_queue_name(queues[1]), selector, selector);
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_add_into(x[1], x[2], x[1]));
	follow_advice(x + 1);
	check_refusal(x[0], x[1],
		      "x1 on %s, x2 on %s; move one with "
		      "dpr_array_to_queue(x1, dpr_array_queue(x2), &moved)",
		      dpr_queue_name(queues[0]), dpr_queue_name(queues[1]));
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_add_into(x[0], x[1], x[0]));
	follow_advice(x);
	for (i = 0; i < 3; i++)
		dpr_array_release(x[i]);
	for (i = 0; i < 2; i++)
		dpr_queue_release(queues[i]);
	finish_all();
}
END_TEST

/* A kernel of the program: with an array on another device, with memory of
   another device, and on a device that it was not built for. */
START_TEST(kernels_of_ones_own)
{
	static const char source[] = "kernel void add_one(global float *x)\n"
				     "{ x[get_global_id(0)] += 1; }\n";
	const char *const *names = pairs[_i];
	dpr_array *here, *there, *moved;
	dpr_queue *queue;
	dpr_kernel *kernel;
	uint64_t before;

	open_second_driver();
	use_backends(NULL);
	queue = queue_of(get_device(names[0]));
	here = ones(queue);
	there = ones(queue_of(get_device(names[1])));
	CHECK_OK(dpr_kernel_from_source(queue, source, "add_one", &kernel));
	before = count_work();
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_kernel_launch(queue, kernel, dpr_range1(3), NULL, NULL,
				      DPR_ARG(there)));
	CHECK_TEXT(names[1]);
	CHECK_TEXT(names[0]);
	CHECK_TEXT("dpr_array_to_");
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_kernel_launch(dpr_array_queue(there), kernel,
				      dpr_range1(3), NULL, NULL,
				      DPR_ARG(there)));
	CHECK_TEXT(names[1]);
	CHECK_TEXT("build it for the queue's device");
	if (_i != 1) {
		CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
			    dpr_kernel_launch(queue, kernel, dpr_range1(3),
					      NULL, NULL,
					      DPR_ARG(dpr_array_usm(there))));
		CHECK_TEXT(names[1]);
		CHECK_TEXT("dpr_usm_copy()");
	}
	ck_assert_uint_eq(count_work(), before);
	CHECK_OK(dpr_array_to_device(there, get_device(names[0]), &moved));
	CHECK_OK(dpr_kernel_launch(queue, kernel, dpr_range1(3), NULL, NULL,
				   DPR_ARG(moved)));
	check_twos(moved);
	CHECK_OK(dpr_kernel_launch(queue, kernel, dpr_range1(3), NULL, NULL,
				   DPR_ARG(here)));
	check_twos(here);
	dpr_array_release(moved);
	dpr_array_release(there);
	dpr_array_release(here);
	dpr_kernel_release(kernel);
	finish_all();
}
END_TEST

int main(void)
{
	const size_t n = sizeof(pairs) / sizeof(pairs[0]);
	const struct test_times tests[] = {
		{ two_devices, n },
		{ two_queues, 4 },
		{ kernels_of_ones_own, 3 },
	};
	const int missing = find_missing();

	if (missing)
		return missing;
	return run_tests_times("api_ze_placement", tests,
			       sizeof(tests) / sizeof(tests[0]));
}
