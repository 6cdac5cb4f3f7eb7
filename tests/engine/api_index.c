/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_index.c - index() in expressions has the values of arrays of the same
 * positions, alone and inside of kernels.  Errors name the column.
 *
 * DPR_TEST_DEVICES is a selector (default: host,opencl).
 */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"
#include "tests/support/same_arrays.h"

#define ROWS 3
#define COLUMNS 4

static dpr_array *x, *row;

static void make_arrays(void)
{
	float values[ROWS * COLUMNS];

	for (int i = 0; i < ROWS * COLUMNS; i++)
		values[i] = (float)i * 0.5f - 2;
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(ROWS, COLUMNS), NULL,
				       DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(COLUMNS), NULL,
				       DPR_FLOAT32, test_queue, &row));
}

static void drop_arrays(void)
{
	dpr_array_release(x);
	dpr_array_release(row);
}

/* Apply @text.  Bind only the arrays that its operands name. */
static dpr_status apply_to(const char *text, dpr_array *i, dpr_array *j,
			   dpr_array *k, dpr_array **out)
{
	const dpr_binding all[] = { { "x", DPR_OPERAND(x) },
				    { "r", DPR_OPERAND(row) },
				    { "i", DPR_OPERAND(i) },
				    { "j", DPR_OPERAND(j) },
				    { "k", DPR_OPERAND(k) } };
	const dpr_expression_operand *operands;
	dpr_binding bindings[5];
	dpr_expression *e;
	dpr_status status;
	size_t n, bound = 0;

	CHECK_OK(dpr_expression_create(text, &e));
	operands = dpr_expression_operands(e, &n);
	for (size_t at = 0; at < n; at++)
		for (size_t from = 0; from < 5; from++)
			if (!strcmp(operands[at].name, all[from].name))
				bindings[bound++] = all[from];
	status = dpr_expression_apply(e, bindings, bound, NULL, out, 1);
	dpr_expression_release(e);
	return status;
}

START_TEST(positions_of_operands)
{
	int64_t have[ROWS * COLUMNS];
	dpr_array *out, *have_not;

	CHECK_OK(dpr_evaluate("index(0)*10 + index(-1) + astype(x*r, int64)*0",
			      NULL, &out, "x", x, "r", row));
	ck_assert_int_eq(dpr_array_dtype(out), DPR_INT64);
	CHECK_OK(dpr_array_to_memory(out, have, sizeof(have), NULL));
	for (int i = 0; i < ROWS * COLUMNS; i++)
		ck_assert_int_eq(have[i], i / COLUMNS * 10 + i % COLUMNS);
	dpr_array_release(out);
	CHECK_OK(dpr_evaluate("i = index(0, x); i*1", NULL, &out, "x", x));
	ck_assert_int_eq(dpr_array_size(out), ROWS * COLUMNS);
	dpr_array_release(out);
	CHECK_FAILS(DPR_ERROR_INDEX,
		    dpr_evaluate("index(2) + x", NULL, &out, "x", x));
	CHECK_OK(dpr_arange(0, 7, 1, DPR_INT8, test_queue, &out));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_evaluate("index(0) + sum(i)*x", NULL,
						  &have_not, "x", x, "i", out));
	dpr_array_release(out);
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "index(axis, x)"));
	CHECK_FAILS(DPR_ERROR_INDEX,
		    dpr_evaluate("x + index(-3)", NULL, &out, "x", x));
	ck_assert_uint_eq(dpr_expression_fault().column, 5);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("x + index(0.5)", NULL, &out, "x", x));
	ck_assert_uint_eq(dpr_expression_fault().column, 11);
}
END_TEST

/* The positions need no memory: kernels count them.  Each text, and the same
   with arrays in their place. */
static const struct {
	const char *text, *arrays;
} with_index[] = {
	{ "where(index(0) == index(1), 1.0, x)", "where(i == j, 1.0, x)" },
	{ "x * (index(1) + 0.5)", "x * (j + 0.5)" },
	{ "sum(x * (index(-1) + 0.5), axis=1)", "sum(x * (j + 0.5), axis=1)" },
	{ "sum(index(0, x) * index(1, x))", "sum(i * j)" },
	{ "max(index(-2, x), axis=0) + x", "max(i, axis=0) + x" },
	{ "x / sum(x + index(1), axis=1, keepdims=True) - index(0)",
	  "x / sum(x + j, axis=1, keepdims=True) - i" },
	{ "index(0, x)", "i + 0" },
	{ "index(0, r) + x*0 + index(0)", "k + x*0 + i" },
	{ "k = index(1); where(x > 0, k, -k) + reshape(k, (3, 4))",
	  "where(x > 0, j, -j) + j" },
};

START_TEST(positions_in_a_kernel)
{
	int64_t rows[ROWS * COLUMNS], columns[ROWS * COLUMNS];
	dpr_array *i, *j, *k, *have, *want;

	if (leaves_out(_i, 3))
		return;
	for (int at = 0; at < ROWS * COLUMNS; at++) {
		rows[at] = at / COLUMNS;
		columns[at] = at % COLUMNS;
	}
	CHECK_OK(dpr_array_from_memory(rows, DPR_SHAPE(ROWS, COLUMNS), NULL,
				       DPR_INT64, test_queue, &i));
	CHECK_OK(dpr_array_from_memory(columns, DPR_SHAPE(ROWS, COLUMNS), NULL,
				       DPR_INT64, test_queue, &j));
	CHECK_OK(dpr_array_from_memory(columns, DPR_SHAPE(COLUMNS), NULL,
				       DPR_INT64, test_queue, &k));
	CHECK_OK(apply_to(with_index[_i].text, i, j, k, &have));
	CHECK_OK(apply_to(with_index[_i].arrays, i, j, k, &want));
	check_same(have, want);
	dpr_array_release(i);
	dpr_array_release(j);
	dpr_array_release(k);
}
END_TEST

/* On the host one kernel goes over a row several times.  So neither the place
   of the greatest element nor a variance takes a second one. */
static const char *const of_rows[] = {
	"x / sum(x + index(1), axis=1, keepdims=True) - index(0)",
	"min(where(x == max(x, axis=1, keepdims=True), index(1), 4), axis=1)",
	"m = mean(x, axis=1, keepdims=True); mean((x - m)**2, axis=1)",
};

START_TEST(one_kernel_for_rows)
{
	const dpr_binding binding = { "x", DPR_OPERAND(x) };
	dpr_expression *e;
	char *plan;

	CHECK_OK(dpr_expression_create(of_rows[_i], &e));
	CHECK_OK(dpr_expression_explain(e, &binding, 1, NULL, &plan));
	if (!strncmp(dpr_device_selector(dpr_queue_device(test_queue)),
		     "host:", 5)) {
		ck_assert_ptr_nonnull(
			strstr(plan, "kernels of several steps: 1\n"));
		ck_assert_ptr_nonnull(strstr(plan, "\n1 launch,"));
	}
	dpr_free(plan);
	dpr_expression_release(e);
}
END_TEST

/* The first of equal elements counts. */
START_TEST(place_of_the_greatest)
{
	static const float values[ROWS * COLUMNS] = { 1, 7, 7, -2, 9, 0,
						      9, 9, 0, 1,  2, 3 };
	static const int64_t want[ROWS] = { 1, 0, 3 };
	int64_t have[ROWS];
	dpr_array *y, *out;

	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(ROWS, COLUMNS), NULL,
				       DPR_FLOAT32, test_queue, &y));
	CHECK_OK(dpr_evaluate(of_rows[1], NULL, &out, "x", y));
	CHECK_OK(dpr_array_to_memory(out, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, want, sizeof(want));
	dpr_array_release(out);
	dpr_array_release(y);
}
END_TEST

/* As a result they are an array like any other. */
START_TEST(positions_alone)
{
	int32_t have[ROWS * COLUMNS];
	dpr_array *out, *back;

	CHECK_OK(dpr_evaluate("index(1, x)", NULL, &out, "x", x));
	ck_assert_int_eq(dpr_array_strides(out)[0], COLUMNS);
	CHECK_OK(dpr_negative_into(out, out));
	dpr_array_release(out);
	CHECK_OK(dpr_empty(DPR_SHAPE(COLUMNS, ROWS), DPR_INT32, test_queue,
			   &out));
	CHECK_OK(dpr_matrix_transpose(out, &back));
	CHECK_OK(dpr_evaluate_into("index(0, x)", back, "x", x));
	CHECK_OK(dpr_array_to_memory(back, have, sizeof(have), NULL));
	for (int at = 0; at < ROWS * COLUMNS; at++)
		ck_assert_int_eq(have[at], at / COLUMNS);
	dpr_array_release(out);
	dpr_array_release(back);
	CHECK_OK(dpr_empty(DPR_SHAPE(0, 3), DPR_INT8, test_queue, &out));
	CHECK_OK(dpr_evaluate("index(1) + z", NULL, &back, "z", out));
	ck_assert_int_eq(dpr_array_size(back), 0);
	dpr_array_release(out);
	dpr_array_release(back);
}
END_TEST

/* A row that takes several rounds of a team, or of a work-item. */
START_TEST(positions_that_are_reduced)
{
	static const char *const texts[] = {
		"sum(index(0, z) + z)", "max(index(0, z) + z) * 333",
		"a = index(0, z) + z;"
		"max(a / sum(a)) * 333",
		"max(sum(index(0, z) + z, axis=0))"
	};
	static const double expected[] = { 499500, 332667, 0.666, 499500 };
	dpr_array *z, *t, *out;

	CHECK_OK(dpr_zeros(DPR_SHAPE(1000), DPR_FLOAT32, test_queue, &z));
	CHECK_OK(dpr_zeros(DPR_SHAPE(1000, 64), DPR_FLOAT32, test_queue, &t));
	for (int i = 0; i < 4; i++) {
		dpr_operand item;
		double have;

		CHECK_OK(dpr_evaluate(texts[i], NULL, &out, "z",
				      i == 3 ? t : z));
		CHECK_OK(dpr_array_item(out, &item));
		have = item.kind == DPR_OPERAND_FLOAT ? item.as.f
						      : (double)item.as.i;
		ck_assert_double_eq_tol(have, expected[i], expected[i] * 1e-6);
		dpr_array_release(out);
	}
	dpr_array_release(t);
	dpr_array_release(z);
}
END_TEST

static Suite *index_suite(const char *device)
{
	Suite *suite = suite_create(device);
	TCase *tcase = tcase_create("index");

	tcase_add_checked_fixture(tcase, make_arrays, drop_arrays);
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, positions_of_operands);
	tcase_add_loop_test(tcase, positions_in_a_kernel, 0,
			    sizeof(with_index) / sizeof(with_index[0]));
	tcase_add_loop_test(tcase, one_kernel_for_rows, 0,
			    sizeof(of_rows) / sizeof(of_rows[0]));
	tcase_add_test(tcase, place_of_the_greatest);
	tcase_add_test(tcase, positions_alone);
	tcase_add_test(tcase, positions_that_are_reduced);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	const char *selector = getenv("DPR_TEST_DEVICES");

	return run_on_selected(index_suite,
			       selector ? selector : "host,opencl");
}
