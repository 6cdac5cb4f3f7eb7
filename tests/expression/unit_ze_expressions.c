/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_ze_expressions.c - expressions on the software Level Zero driver: each
 * call of the driver fails in turn, and each allocation of host memory; the
 * device is lost while a kernel is built.
 */
#include "tests/level_zero/level_zero_test.h"

#include "core/array/engine/spirv/emit_spirv.h"
#include "tests/expression/expression_faults.h"

static void fail_call(uint64_t n, int code)
{
	if (n)
		faults_renew();
	ck_assert(zecpu->fail(NULL, n, code));
}

static const char *failed_call(void)
{
	return faults_note(zecpu->failed());
}

static const struct faulty_driver driver = {
	.near = "level_zero:0",
	.far = "level_zero:1",
	.codes = { 0x7ffffffe, 0x70000003 }, /* UNKNOWN, OUT_OF_DEVICE_MEMORY */
	.fail = fail_call,
	.failed = failed_call,
	.again = true,
};

static void set_up(void)
{
	faults_call[FAULTS_BUILD] = "zeModuleCreate";
	faults_call[FAULTS_LAUNCH] = "zeCommandListAppendLaunchKernel";
	use_backends(NULL);
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
		{ 0x78000004, DPR_ERROR_DRIVER }, /* INVALID_ARGUMENT */
		{ 0x70000003, DPR_ERROR_OUT_OF_DEVICE_MEMORY },
		{ 0x70000004, DPR_OK }, /* MODULE_BUILD_FAILURE */
	};

	set_up();
	for (size_t i = 0; i < sizeof(builds) / sizeof(builds[0]); i++) {
		uint64_t launches;

		faults_renew();
		zecpu->forget_calls();
		ck_assert(zecpu->fail("zeModuleCreate", 1, builds[i].code));
		CHECK_FAILS(builds[i].status, faults_try_fused());
		ck_assert_str_eq(zecpu->failed(), "zeModuleCreate");
		launches = zecpu->calls("zeCommandListAppendLaunchKernel");
		ck_assert_uint_eq(launches, builds[i].status ? 0 : 4);
		CHECK_OK(faults_try_fused());
	}
	tear_down();
}
END_TEST

START_TEST(allocations_fail)
{
	set_up();
	/* The writer of SPIR-V makes a hundred for each kernel. */
	faults_of_memory(&faults_expressions[_i], _i == FAULTS_FUSED ? 1 : 7);
	tear_down();
}
END_TEST

/* --- Reductions that read once -------------------------------------------- */

/* Compute a text of rows, and compare the results with @want. */
static dpr_status compute_rows(const char *text, const float *want)
{
	float have[FAULTS_ROWS] = { 0 };
	dpr_array *out;
	dpr_status status = dpr_evaluate(text, NULL, &out, "x", faults_x);

	if (!status)
		status = dpr_array_to_memory(out, have, sizeof(have), NULL);
	for (int r = 0; !status && r < FAULTS_ROWS; r++)
		ck_assert_msg(fabsf(have[r] - want[r]) <= 1e-5f * want[r],
			      "%s: %g, not %g", text, (double)have[r],
			      (double)want[r]);
	dpr_array_release(out);
	return status;
}

static dpr_status try_place(void)
{
	float want[FAULTS_ROWS];

	for (int r = 0; r < FAULTS_ROWS; r++) {
		int at = 0;

		for (int c = 1; c < FAULTS_COLUMNS; c++)
			if (faults_value(r * FAULTS_COLUMNS + c) >
			    faults_value(r * FAULTS_COLUMNS + at))
				at = c;
		want[r] = (float)at;
	}
	return compute_rows("astype(argmax(x, axis=1), float32)", want);
}

static dpr_status try_spread(void)
{
	float want[FAULTS_ROWS];

	for (int r = 0; r < FAULTS_ROWS; r++) {
		double sum = 0, squares = 0;

		for (int c = 0; c < FAULTS_COLUMNS; c++) {
			const float v = faults_value(r * FAULTS_COLUMNS + c);

			sum += (double)v;
			squares += (double)(v * v);
		}
		sum /= FAULTS_COLUMNS;
		want[r] = (float)(4 * (squares / FAULTS_COLUMNS - sum * sum));
	}
	return compute_rows("var(x + x, axis=1)", want);
}

static const struct attempt one_reads[] = { { "argmax", try_place },
					    { "var", try_spread } };

/* If the driver does not build the kernel, the functions are called one after
   the other. */
START_TEST(one_read_fails)
{
	set_up();
	faults_of_memory(&one_reads[_i], 7);
	faults_renew();
	zecpu->forget_calls();
	ck_assert(zecpu->fail("zeModuleCreate", 1, 0x70000004));
	CHECK_OK(one_reads[_i].run());
	ck_assert_str_eq(zecpu->failed(), "zeModuleCreate");
	tear_down();
}
END_TEST

/* A device is lost while a kernel is built.  The call fails with the loss, the
   kernel is not built again, and no function is tried instead.  With _i a
   function of one step is called. */
START_TEST(lost_while_building)
{
	dpr_array *out = NULL;
	dpr_status status;

	set_up();
	CHECK_OK(dpr_queue_wait(queue));
	zecpu->forget_calls();
	ck_assert(zecpu->fail("zeModuleCreate", 1, 0x70000001));
	status = _i ? dpr_exp(faults_x, &out)
		    : dpr_evaluate(faults_texts[FAULTS_FUSED], NULL, &out, "x",
				   faults_x);
	ck_assert_int_eq(status, DPR_ERROR_DEVICE_LOST);
	CHECK_TEXT("ZE_RESULT_ERROR_DEVICE_LOST");
	ck_assert_ptr_null(out);
	ck_assert_str_eq(zecpu->failed(), "zeModuleCreate");
	ck_assert_uint_eq(zecpu->calls("zeModuleCreate"), 1);
	ck_assert_uint_eq(zecpu->calls("zeCommandListAppendLaunchKernel"), 0);
	dpr_array_release(faults_x);
	faults_end();
	(void)!dpr_finalize();
	check_driver(zecpu);
}
END_TEST

/* A driver may run a kernel in groups that are smaller than a team: then it is
   refused, with the reason. */
START_TEST(small_groups)
{
	const float numbers[6] = { 1, 2, 3, 4, 5, 6 };
	dpr_array *x, *out = NULL;

	setenv("ZECPU_KERNEL_GROUP", "64", 1);
	use_backends(NULL);
	queue = new_queue(get_device("level_zero:0"), 0);
	CHECK_OK(dpr_array_from_memory(numbers, DPR_SHAPE(2, 3), NULL,
				       DPR_FLOAT32, queue, &x));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_evaluate("sum(x, axis=1)", NULL, &out, "x", x));
	CHECK_TEXT("runs it in groups of 64 work-items, not of 256");
	dpr_array_release(x);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

int main(void)
{
	const struct test_times tests[] = {
		{ calls_fail, FAULTS_TEXTS },       { builds_fail, 1 },
		{ allocations_fail, FAULTS_TEXTS }, { one_read_fails, 2 },
		{ lost_while_building, 2 },         { small_groups, 1 },
	};

	if (!emit_spirv_is_there()) {
		printf("needs the kernels in SPIR-V, which were not built\n");
		return 77;
	}
	if (!is_able())
		return 77;
	return run_tests_times("unit_ze_expressions", tests,
			       sizeof(tests) / sizeof(tests[0]));
}
