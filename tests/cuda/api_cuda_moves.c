/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_cuda_moves.c - what takes one launch on the mock of NVIDIA's driver:
 * calls with operands and results of other dtypes, casts, choices, strided
 * copies and fills.  Their values are compared elsewhere, on drivers that
 * compute them.
 */
#include "tests/cuda/cuda_api.h"

#include <dpr/dpr.h>

static dpr_queue *queue;
static dpr_array *small, *bytes, *floats, *doubles, *truth, *every;
static int runs;

static int count_run(const struct cumock_run *run)
{
	(void)run;
	runs++;
	return 0;
}

/* Start with these kernels and no others. */
static void start(void)
{
	static const char *const kernels[] = { "add_float32",   "sqrt_float32",
					       "cast_float32",  "where_uint32",
					       "where_float32", "copy_uint32",
					       "fill_uint32" };

	use_backends(NULL);
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		mock->kernel(kernels[i], count_run);
	CHECK_OK(dpr_device_queue(get_device("cuda:0"), &queue));
	CHECK_OK(dpr_zeros(DPR_SHAPE(64), DPR_INT8, queue, &bytes));
	CHECK_OK(dpr_zeros(DPR_SHAPE(64), DPR_FLOAT32, queue, &floats));
	CHECK_OK(dpr_zeros(DPR_SHAPE(64), DPR_FLOAT64, queue, &doubles));
	CHECK_OK(dpr_zeros(DPR_SHAPE(64), DPR_BOOL, queue, &truth));
	CHECK_OK(dpr_zeros(DPR_SHAPE(32), DPR_FLOAT32, queue, &small));
	CHECK_OK(dpr_array_view(floats, &every, DPR_SLICE(0, 64, 2)));
}

static void end(void)
{
	dpr_array_release(small);
	dpr_array_release(bytes);
	dpr_array_release(floats);
	dpr_array_release(doubles);
	dpr_array_release(truth);
	dpr_array_release(every);
	finish_all();
}

/* Check that @call is one launch. */
#define ONE(call)                                                        \
	do {                                                             \
		CHECK_OK(dpr_queue_wait(queue));                         \
		mock->forget_calls();                                    \
		runs = 0;                                                \
		CHECK_OK(call);                                          \
		CHECK_OK(dpr_queue_wait(queue));                         \
		ck_assert_msg(runs == 1, "%s: %d kernels", #call, runs); \
		ck_assert_uint_eq(mock->calls("cuLaunchKernel"), 1);     \
	} while (0)

START_TEST(casts_are_in_the_kernel)
{
	start();
	ONE(dpr_add_into(bytes, floats, floats));
	ONE(dpr_add_into(floats, 1, doubles));
	ONE(dpr_sqrt_into(floats, doubles));
	ONE(dpr_where_into(truth, floats, bytes, doubles));
	end();
}
END_TEST

START_TEST(moves_are_a_kernel)
{
	start();
	ONE(dpr_copy_into(doubles, floats));
	ONE(dpr_where_into(truth, floats, 2.5, floats));
	ONE(dpr_copy_into(small, every));
	ONE(dpr_copy_into(every, small));
	ONE(dpr_copy_into(every, 3));
	end();
}
END_TEST

/* An operand of smaller elements in the memory of the result would be
   overwritten before it is read, so it is not done in place. */
START_TEST(not_in_place)
{
	dpr_array *inside;

	start();
	CHECK_OK(dpr_array_over(dpr_array_usm(doubles), 0, DPR_SHAPE(64), NULL,
				DPR_FLOAT32, &inside));
	CHECK_OK(dpr_queue_wait(queue));
	runs = 0;
	CHECK_OK(dpr_add_into(inside, 1, doubles));
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_int_eq(runs, 2);
	dpr_array_release(inside);
	end();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { casts_are_in_the_kernel,
				       moves_are_a_kernel, not_in_place };

	return run_tests("api_cuda_moves", tests,
			 sizeof(tests) / sizeof(tests[0]));
}
