/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_unbuilt.c - expressions on a device that cannot build kernels of several
 * steps: the functions are called one after the other, with the same results.
 * Other failures stay failures.  A kernel that can be built also casts its
 * result.
 */
#include "tests/support/runtime_test.h"

static void start_cpu_mock(void)
{
	/* Let array kernels run on the mock device as on the host. */
	setenv("DPR_OPTION_MOCK_FORMATS", DPRP_NATIVE_FORMAT, 1);
	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	setenv("DPR_OPTION_MOCK_HOST_MEMORY", "1", 1);
	start_mocks();
}

#define COUNT 6

/* The operands, and what the expressions have to give. */
static dpr_array *i, *x, *c;

static void make_operands(dpr_usm_kind kind)
{
	const int8_t ints[COUNT] = { 0, 1, 2, -3, 100, -128 };
	const float floats[COUNT] = { 0.5f, 2, -1, 7, 1e9f, -0.25f };

	CHECK_OK(dpr_array_from_memory_on(ints, DPR_SHAPE(COUNT), NULL,
					  DPR_INT8, q1, kind, &i));
	CHECK_OK(dpr_array_from_memory_on(floats, DPR_SHAPE(COUNT), NULL,
					  DPR_FLOAT32, q1, DPR_USM_SHARED, &x));
	CHECK_OK(dpr_greater(x, 0, &c));
}

static void drop_operands(void)
{
	dpr_array_release(i);
	dpr_array_release(x);
	dpr_array_release(c);
}

/* The expressions by the functions: each array that is made on the way is in
 *more, to be released. */
static dpr_array *by_functions(int which, dpr_array *more[3])
{
	dpr_array *out = NULL;

	memset(more, 0, 3 * sizeof(*more));
	switch (which) {
	case 0:
		CHECK_OK(dpr_add(i, x, &more[0]));
		CHECK_OK(dpr_sqrt(more[0], &out));
		break;
	case 1:
		CHECK_OK(dpr_abs(x, &more[0]));
		CHECK_OK(dpr_where(c, more[0], i, &out));
		break;
	case 2:
		CHECK_OK(dpr_astype(x, DPR_INT16, &more[0]));
		CHECK_OK(dpr_add(more[0], i, &more[1]));
		CHECK_OK(dpr_multiply(more[1], 2, &out));
		break;
	case 3:
		CHECK_OK(dpr_pow(i, 1.0, &more[0]));
		CHECK_OK(dpr_add(more[0], i, &out));
		break;
	}
	return out;
}

/* Release what by_functions() made, and the operands. */
static void drop_all(dpr_array *want, dpr_array *more[3])
{
	dpr_array_release(want);
	for (int k = 0; k < 3; k++)
		dpr_array_release(more[k]);
	drop_operands();
}

static const char *const expressions[] = {
	"sqrt(i + x)",
	"where(c, abs(x), i)",
	"(astype(x, int16) + i) * 2",
	"i**1.0 + i",
};
#define EXPRESSIONS ((int)(sizeof(expressions) / sizeof(expressions[0])))

static dpr_expression *expression_of(int which, dpr_binding *bindings,
				     size_t *n)
{
	const dpr_expression_operand *operands;
	dpr_expression *e;
	size_t all;

	CHECK_OK(dpr_expression_create(expressions[which], &e));
	operands = dpr_expression_operands(e, &all);
	*n = 0;
	for (size_t k = 0; k < all; k++) {
		const char *name = operands[k].name;

		if (operands[k].required)
			bindings[(*n)++] = (dpr_binding){
				name, dpr_operand_array(*name == 'i'   ? i
							: *name == 'x' ? x
								       : c)
			};
	}
	return e;
}

static void check_same(const dpr_array *have, const dpr_array *want)
{
	unsigned char a[COUNT * 16], b[COUNT * 16];

	ck_assert_str_eq(dpr_dtype_name(dpr_array_dtype(have)),
			 dpr_dtype_name(dpr_array_dtype(want)));
	ck_assert_int_eq(dpr_array_kind(have), dpr_array_kind(want));
	ck_assert_int_eq(dpr_array_size(have), dpr_array_size(want));
	CHECK_OK(dpr_array_to_memory(have, a, sizeof(a), NULL));
	CHECK_OK(dpr_array_to_memory(want, b, sizeof(b), NULL));
	ck_assert(!memcmp(a, b, COUNT * dpr_array_itemsize(want)));
}

/* Let the next build fail, which is that of a kernel of several steps: the
   functions' own kernels are built afterwards, if they are not there yet. */
static void fail_next_build(void)
{
	mock->reset();
	mock->fail(MOCK_module_create, 1, 1, DPR_RC_BUILD, 0);
}

/* Compute an expression into a new array, into one that exists, and with a
   text, while its kernel cannot be built. */
static void check_one(int which)
{
	dpr_array *more[3], *want = by_functions(which, more), *have, *into;
	dpr_binding bindings[3];
	size_t n;
	dpr_expression *e = expression_of(which, bindings, &n);
	char *text;

	CHECK_OK(dpr_copy(want, &into));
	CHECK_OK(dpr_copy_into(into, 0));
	fail_next_build();
	CHECK_OK(dpr_expression_apply(e, bindings, n, NULL, &have, 1));
	fail_next_build();
	CHECK_OK(dpr_expression_apply_into(e, bindings, n, &into, 1));
	fail_next_build();
	CHECK_OK(dpr_expression_explain(e, bindings, n, NULL, &text));
	ck_assert_uint_gt(mock->calls(MOCK_module_create), 0);
	mock->reset();
	ck_assert_msg(strstr(text, "kernels of several steps: 0\n") != NULL,
		      "%s", text);
	ck_assert_msg(strstr(text, "inside kernel") == NULL, "%s", text);
	dpr_free(text);
	check_same(have, want);
	check_same(into, want);
	dpr_array_release(have);
	/* When they can be built, they are. */
	CHECK_OK(dpr_expression_explain(e, bindings, n, NULL, &text));
	ck_assert_msg(strstr(text, "kernels of several steps: 1\n") != NULL,
		      "%s", text);
	dpr_free(text);
	for (int k = 0; k < 3; k++)
		dpr_array_release(more[k]);
	dpr_array_release(want);
	dpr_array_release(into);
	dpr_expression_release(e);
}

START_TEST(no_kernel_can_be_built)
{
	make_operands(_i ? DPR_USM_SHARED : DPR_USM_DEVICE);
	for (int which = 0; which < EXPRESSIONS; which++)
		check_one(which);
	drop_operands();
}
END_TEST

/* A result that goes into an array of a higher dtype is cast by its kernel. */
START_TEST(one_kernel_casts_the_result)
{
	double have[COUNT], twice[COUNT];
	dpr_array *sum, *want, *out;

	make_operands(DPR_USM_DEVICE);
	CHECK_OK(dpr_add(x, x, &sum));
	CHECK_OK(dpr_sqrt(sum, &want));
	CHECK_OK(dpr_zeros(DPR_SHAPE(COUNT), DPR_FLOAT64, q1, &out));
	mock->reset();
	CHECK_OK(dpr_evaluate_into("sqrt(x + x)", out, "x", x));
	ck_assert_uint_eq(mock->calls(MOCK_queue_launch), 1);
	dpr_array_release(sum);
	CHECK_OK(dpr_astype(want, DPR_FLOAT64, &sum));
	CHECK_OK(dpr_array_to_memory(out, have, sizeof(have), NULL));
	CHECK_OK(dpr_array_to_memory(sum, twice, sizeof(twice), NULL));
	ck_assert(!memcmp(have, twice, sizeof(have)));
	dpr_array_release(sum);
	dpr_array_release(want);
	dpr_array_release(out);
	drop_operands();
}
END_TEST

/* Only a refusal to build has the functions called instead. */
START_TEST(other_failures_stay)
{
	dpr_array *more[3], *want, *have = NULL;

	make_operands(DPR_USM_DEVICE);
	want = by_functions(0, more);
	mock->fail(MOCK_module_create, 1, 1000, DPR_RC_OOM_DEVICE, 0);
	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_evaluate(expressions[0], NULL, &have, "i", i, "x", x));
	ck_assert_ptr_null(have);
	mock->reset();
	CHECK_OK(dpr_evaluate(expressions[0], NULL, &have, "i", i, "x", x));
	check_same(have, want);
	dpr_array_release(have);
	drop_all(want, more);
}
END_TEST

/* A device that is lost while a kernel is built is what the call fails with: no
   function is tried instead, and nothing is remembered as impossible. */
START_TEST(lost_while_building)
{
	dpr_array *more[3], *want, *have = NULL;
	dpr_status status;

	make_operands(DPR_USM_DEVICE);
	want = by_functions(0, more);
	CHECK_OK(dpr_queue_wait(q1));
	mock->reset();
	mock->fail(MOCK_module_create, 1, 1, DPR_RC_DEVICE_LOST, 0);
	status = _i ? dpr_exp(x, &have)
		    : dpr_evaluate(expressions[0], NULL, &have, "i", i, "x", x);
	ck_assert_int_eq(status, DPR_ERROR_DEVICE_LOST);
	ck_assert_ptr_null(have);
	ck_assert_uint_eq(mock->calls(MOCK_module_create), 1);
	ck_assert_uint_eq(mock->calls(MOCK_queue_launch), 0);
	mock->reset();
	if (_i)
		CHECK_OK(dpr_exp(x, &have));
	else
		CHECK_OK(dpr_evaluate(expressions[0], NULL, &have, "i", i, "x",
				      x));
	ck_assert_uint_eq(mock->calls(MOCK_module_create), 1);
	ck_assert_uint_eq(mock->calls(MOCK_queue_launch), 1);
	if (!_i)
		check_same(have, want);
	dpr_array_release(have);
	drop_all(want, more);
}
END_TEST

/* A function that fails while the functions are called is what the expression
   fails with, and where. */
START_TEST(failures_of_a_function)
{
	dpr_array *more[3], *want, *have = NULL;

	make_operands(DPR_USM_DEVICE);
	want = by_functions(0, more);
	fail_next_build();
	mock->fail(MOCK_queue_launch, 2, 1, DPR_RC_OOM_DEVICE, 0);
	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_evaluate(expressions[0], NULL, &have, "i", i, "x", x));
	ck_assert_ptr_null(have);
	ck_assert_uint_eq(dpr_expression_fault().column, 8);
	mock->reset();
	drop_all(want, more);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("expressions without kernels");
	TCase *t = tcase_create("expressions without kernels");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(t, start_cpu_mock, NULL);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, no_kernel_can_be_built, 0, 2);
	tcase_add_test(t, one_kernel_casts_the_result);
	tcase_add_test(t, other_failures_stay);
	tcase_add_loop_test(t, lost_while_building, 0, 2);
	tcase_add_test(t, failures_of_a_function);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
