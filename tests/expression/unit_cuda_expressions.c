/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_cuda_expressions.c - expressions on the mock of NVIDIA's driver: softmax
 * is a few launches; an overlap takes a second launch; each call of the driver
 * fails in turn, and each allocation of host memory; the device is lost while a
 * kernel is built.  The mock computes with a loop what the kernels would.
 */
#include "tests/cuda/cuda_api.h"

#include "core/array/engine/ptx/emit_ptx.h"
#include "tests/expression/expression_faults.h"
#include "tests/expression/softmax.h"

/* --- Softmax ---------------------------------------------------------------
 */

static int do_nothing(const struct cumock_run *run)
{
	(void)run;
	return 0;
}

START_TEST(softmax_is_few_launches)
{
	const int64_t *shape = softmax_shapes[_i / SOFTMAX_TEXTS];
	dpr_array *x;

	use_backends(NULL);
	mock->kernel(NULL, do_nothing);
	CHECK_OK(dpr_device_queue(get_device("cuda:0"), &queue));
	CHECK_OK(dpr_zeros(dpr_shape_of(2, shape), DPR_FLOAT32, queue, &x));
	CHECK_OK(dpr_queue_wait(queue));
	mock->forget_calls();
	softmax_check(_i % SOFTMAX_TEXTS, x);
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_uint_gt(mock->calls("cuLaunchKernel"), 0);
	ck_assert_uint_le(mock->calls("cuLaunchKernel"), SOFTMAX_LAUNCHES);
	dpr_array_release(x);
	finish_all();
}
END_TEST

/* --- Overlaps --------------------------------------------------------------
 */

#define HEAT "u[2:,1:-1] + u[:-2,1:-1] - 2*u[1:-1,1:-1]"

/* Check how many launches write the value of @text into @out. */
static void check_launches(uint64_t launches, const char *text, dpr_array *out,
			   dpr_array *u)
{
	CHECK_OK(dpr_queue_wait(queue));
	mock->forget_calls();
	CHECK_OK(dpr_evaluate_into(text, out, "u", u));
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_msg(mock->calls("cuLaunchKernel") == launches,
		      "%s: %u launches, not %u", text,
		      (unsigned)mock->calls("cuLaunchKernel"),
		      (unsigned)launches);
}

/* An array that is read at other elements than it is written takes a second
   kernel; a second array, or the same elements, do not. */
START_TEST(overlaps_take_a_second_launch)
{
	dpr_array *grid[2], *inside[2];

	use_backends(NULL);
	mock->kernel(NULL, do_nothing);
	CHECK_OK(dpr_device_queue(get_device("cuda:0"), &queue));
	for (int i = 0; i < 2; i++) {
		CHECK_OK(dpr_zeros(DPR_SHAPE(64, 64), DPR_FLOAT32, queue,
				   &grid[i]));
		CHECK_OK(dpr_array_view(grid[i], &inside[i],
					DPR_SLICE(1, -1, 1),
					DPR_SLICE(1, -1, 1)));
	}
	check_launches(1, HEAT, inside[1], grid[0]);
	check_launches(2, HEAT, inside[0], grid[0]);
	check_launches(1, "2*u*u + 1", grid[0], grid[0]);
	check_launches(1, "2*u[1:-1,1:-1] + 1", inside[0], grid[0]);
	check_launches(2, "2*u[-2:0:-1,1:-1] + 1", inside[0], grid[0]);
	for (int i = 0; i < 2; i++) {
		dpr_array_release(inside[i]);
		dpr_array_release(grid[i]);
	}
	finish_all();
}
END_TEST

/* --- Failures --------------------------------------------------------------
 */

/* A kernel of one step: out, x, y or none, then the number of elements, and the
   operand that is a number. */
static int compute_step(const struct cumock_run *run)
{
	const bool adds = !strcmp(run->name, "add_float32");
	const bool multiplies = !strcmp(run->name, "multiply_float32");
	uint64_t n;
	float *at[3], number;

	memcpy(at, run->params, sizeof(at));
	memcpy(&n, run->params + (multiplies ? 24 : 16), sizeof(n));
	if (!mock->reaches(run->device, at[0], n * sizeof(float)) ||
	    !mock->reaches(run->device, at[1], n * sizeof(float)) ||
	    (multiplies &&
	     !mock->reaches(run->device, at[2], n * sizeof(float))))
		return 700; /* CUDA_ERROR_ILLEGAL_ADDRESS */
	if (adds)
		memcpy(&number, run->params + 24, sizeof(number));
	for (uint64_t i = 0; i < n; i++)
		at[0][i] = multiplies ? at[1][i] * at[2][i]
			   : adds     ? at[1][i] + number
				      : sqrtf(at[1][i]);
	return 0;
}

/* The kernel of the text that is being computed: out, x, and words.  Other
   kernels do nothing. */
static int compute_text(const struct cumock_run *run)
{
	static float want[FAULTS_COUNT];
	float *at[2];
	size_t size;

	if (!strstr(run->name, "fused_"))
		return 0;
	memcpy(at, run->params, sizeof(at));
	if (!mock->reaches(run->device, at[1], FAULTS_COUNT * sizeof(float)))
		return 700; /* CUDA_ERROR_ILLEGAL_ADDRESS */
	size = (size_t)faults_want(faults_now, at[1], want) * sizeof(float);
	if (!mock->reaches(run->device, at[0], size))
		return 700;
	memcpy(at[0], want, size);
	return 0;
}

static void fail_call(uint64_t n, int code)
{
	if (n)
		faults_renew();
	mock->fail(NULL, n, code);
}

static const char *failed_call(void)
{
	return faults_note(mock->failed());
}

static const struct faulty_driver driver = {
	.near = "cuda:0",
	.far = "cuda:1",
	.codes = { 999, 2 }, /* UNKNOWN, OUT_OF_MEMORY */
	.fail = fail_call,
	.failed = failed_call,
	.again = true,
};

static void set_up(void)
{
	faults_call[FAULTS_BUILD] = "cuLibraryLoadData";
	faults_call[FAULTS_LAUNCH] = "cuLaunchKernel";
	use_backends(NULL);
	mock->kernel(NULL, compute_text);
	mock->kernel("add_float32", compute_step);
	mock->kernel("multiply_float32", compute_step);
	mock->kernel("sqrt_float32", compute_step);
	faults_begin(&driver);
	faults_renew();
}

static void tear_down(void)
{
	dpr_array_release(faults_x);
	faults_end();
	finish_all();
}

START_TEST(calls_fail)
{
	set_up();
	faults_of_calls(&driver, &faults_expressions[_i]);
	tear_down();
}
END_TEST

/* The driver does not build the kernel: the call fails.  If the driver does not
   take the code, the functions are called one after the other. */
START_TEST(builds_fail)
{
	static const struct {
		int code;
		dpr_status status;
	} builds[] = {
		{ 1, DPR_ERROR_DRIVER }, /* INVALID_VALUE */
		{ 2, DPR_ERROR_OUT_OF_DEVICE_MEMORY },
		{ 218, DPR_OK }, /* INVALID_PTX */
	};

	set_up();
	for (size_t i = 0; i < sizeof(builds) / sizeof(builds[0]); i++) {
		faults_renew();
		mock->forget_calls();
		mock->fail("cuLibraryLoadData", 1, builds[i].code);
		CHECK_FAILS(builds[i].status, faults_try_fused());
		ck_assert_str_eq(mock->failed(), "cuLibraryLoadData");
		ck_assert_uint_eq(mock->calls("cuLaunchKernel"),
				  builds[i].status ? 0 : 4);
		CHECK_OK(faults_try_fused());
	}
	tear_down();
}
END_TEST

START_TEST(allocations_fail)
{
	set_up();
	faults_of_memory(&faults_expressions[_i], 1);
	tear_down();
}
END_TEST

/* --- A lost device ---------------------------------------------------------
 */

/* A device is lost while a kernel is built.  The call fails with the loss, the
   kernel is not built again, and no function is tried instead.  With _i a
   function of one step is called. */
START_TEST(lost_while_building)
{
	dpr_array *out = NULL;
	dpr_status status;

	set_up();
	CHECK_OK(dpr_queue_wait(queue));
	mock->forget_calls();
	mock->fail("cuLibraryLoadData", 1, 719); /* LAUNCH_FAILED */
	status = _i ? dpr_exp(faults_x, &out)
		    : dpr_evaluate(faults_texts[FAULTS_FUSED], NULL, &out, "x",
				   faults_x);
	ck_assert_int_eq(status, DPR_ERROR_DEVICE_LOST);
	CHECK_TEXT("CUDA_ERROR_LAUNCH_FAILED");
	ck_assert_ptr_null(out);
	ck_assert_str_eq(mock->failed(), "cuLibraryLoadData");
	ck_assert_uint_eq(mock->calls("cuLibraryLoadData"), 1);
	ck_assert_uint_eq(mock->calls("cuLaunchKernel"), 0);
	tear_down();
}
END_TEST

int main(void)
{
	TCase *tcase;
	SRunner *runner;

	if (!emit_ptx_is_there()) {
		printf("needs the kernels in PTX, which were not built\n");
		return 77;
	}
	use_backends(NULL);
	runner = new_runner("unit_cuda_expressions", &tcase);
	tcase_add_loop_test(tcase, softmax_is_few_launches, 0,
			    SOFTMAX_TEXTS * SOFTMAX_SHAPES);
	tcase_add_test(tcase, overlaps_take_a_second_launch);
	tcase_add_loop_test(tcase, calls_fail, 0, FAULTS_TEXTS);
	tcase_add_test(tcase, builds_fail);
	tcase_add_loop_test(tcase, allocations_fail, 0, FAULTS_TEXTS);
	tcase_add_loop_test(tcase, lost_while_building, 0, 2);
	return run_all(runner);
}
