/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_words.c - the texts of errors in expressions: the name that was probably
 * meant, functions that dpr lacks, missing parentheses.  A text has the column
 * once.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

#undef fail /* a macro of Check's */

#include "core/array/expression/foreign.h"
#include "core/array/expression/functions.h"
#include "core/array/expression/names.h"
#include "core/base/mem.h"

#define COUNT 4
#define CASES(list) (sizeof(list) / sizeof((list)[0]))

static dpr_array *x, *flags;

static void make_arrays(void)
{
	const float values[COUNT] = { 1, 2, 3, 4 };

	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(COUNT), NULL,
				       DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_greater(x, 2, &flags));
}

static void drop_arrays(void)
{
	dpr_array_release(x);
	dpr_array_release(flags);
}

/* --- Names --------------------------------------------------------------- */

/* A text with an unknown name; the whole error behind the column, and the name
   that is suggested. */
static const struct {
	const char *text, *error, *near;
} unknown[] = {
	{ "cumulative_sum(x)", "dpr has no cumulative_sum yet", NULL },
	{ "meshgrid(x, x)", "expressions have no meshgrid yet", NULL },
	{ "einsum(x, x)", "expressions have no einsum yet", NULL },
	{ "sort(x)", "dpr has no sort yet", NULL },
	{ "place(x, x, x)", "dpr has no place yet", NULL },
	{ "scatter_add(x, x)", "dpr has no scatter_add yet", NULL },
	{ "argsort(x)", "dpr has no argsort yet", NULL },
	{ "fft(x)", "dpr has no fft yet", NULL },
	{ "solve_sums(x)",
	  "unknown function 'solve_sums'; dpr_expression_function() and dpr "
	  "eval --help list the functions",
	  NULL },
	{ "tanhh(x)", "unknown function 'tanhh'; did you mean tanh?", "tanh" },
	{ "matrix_transpos(x)",
	  "unknown function 'matrix_transpos'; did you mean matrix_transpose?",
	  "matrix_transpose" },
	{ "transpose(x)",
	  "unknown function 'transpose'; did you mean matrix_transpose?",
	  "matrix_transpose" },
	{ "arctan2(x, x)", "unknown function 'arctan2'; did you mean atan2?",
	  "atan2" },
	{ "absolute(x)", "unknown function 'absolute'; did you mean abs?",
	  "abs" },
	{ "power(x, 2)", "unknown function 'power'; did you mean pow?", "pow" },
	{ "int(x)", "int is not a function; write astype(..., int64)", NULL },
	{ "float(x)", "float is not a function; write astype(..., float64)",
	  NULL },
	{ "astype(x, int)",
	  "unknown name 'int'; known are x (and the dtypes, pi, e, inf, nan, "
	  "True, False); did you mean int64?",
	  "int64" },
	{ "astype(x, 'float')", "unknown dtype 'float'; did you mean float64?",
	  "float64" },
	{ "x + y2",
	  "unknown name 'y2'; known are x (and the dtypes, pi, e, inf, nan, "
	  "True, False)",
	  NULL },
};

START_TEST(unknown_names)
{
	const char *near, *error;
	dpr_array *out;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate(unknown[_i].text, NULL, &out, "x", x));
	error = strstr(dpr_last_error(), ": ");
	ck_assert_ptr_nonnull(error);
	ck_assert_str_eq(error + 2, unknown[_i].error);
	near = dpr_expression_nearest();
	if (unknown[_i].near)
		ck_assert_str_eq(near, unknown[_i].near);
	else
		ck_assert_ptr_null(near);
}
END_TEST

/* A name that is reported as missing is missing, and a suggested name
   exists. */
START_TEST(suggestions_exist)
{
	static const char *const aliases[] = { "absolute",    "invert",
					       "left_shift",  "mod",
					       "right_shift", "transpose" };
	static const char *const dtypes[] = { "int", "half", "complex" };
	const struct function *function;
	size_t bad = 0;

	for (size_t i = 0; (function = functions_at(i)); i++) {
		const char *name = function->signature.name;

		bad += foreign_lack(name, strlen(name)) ||
		       foreign_function(name, strlen(name));
	}
	for (size_t i = 0; i < CASES(aliases); i++) {
		const char *here =
			foreign_function(aliases[i], strlen(aliases[i]));

		bad += !here || !functions_find(here, strlen(here));
	}
	for (size_t i = 0; i < CASES(dtypes); i++) {
		const char *here = foreign_dtype(dtypes[i], strlen(dtypes[i]));

		bad += !here || !names_find(here, strlen(here));
	}
	ck_assert_uint_eq(bad, 0);
}
END_TEST

/* --- Attributes ---------------------------------------------------------- */

#define NO_ATTRIBUTES ": attributes and methods are not available; write "

static const struct {
	const char *text, *advice;
} attributes[] = {
	{ "x.T + x", "matrix_transpose(x), not x.T" },
	{ "sum(x.mT)", "matrix_transpose(x), not x.T" },
	{ "x.Total", "sum(x), not x.sum()" },
	{ "x.T2", "sum(x), not x.sum()" },
	{ "x.max()", "sum(x), not x.sum()" },
	{ "x.", "sum(x), not x.sum()" },
};

START_TEST(no_attributes)
{
	dpr_array *out;
	const char *error;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate(attributes[_i].text, NULL, &out, "x", x));
	error = strstr(dpr_last_error(), NO_ATTRIBUTES);
	ck_assert_ptr_nonnull(error);
	ck_assert_str_eq(error + strlen(NO_ATTRIBUTES), attributes[_i].advice);
}
END_TEST

/* --- Parentheses --------------------------------------------------------- */

#define HINT "binds more tightly than comparisons"

static const struct {
	const char *text;
	dpr_status status;
	const char *part; /* NULL: no word about parentheses */
} loose[] = {
	{ "isnan(x) | x > 3", DPR_ERROR_DTYPE,
	  "bitwise_or: does not take float32; | " HINT
	  ": write (a < b) | (c < d)" },
	{ "x > x | isnan(x)", DPR_ERROR_DTYPE, HINT },
	{ "x != x ^ x", DPR_ERROR_DTYPE, "^ " HINT },
	{ "x > 1 & x < 3", DPR_ERROR_INVALID_ARGUMENT,
	  "& " HINT "; write (a < b) & (c < d)" },
	{ "x > (1.5 | 2)", DPR_ERROR_INVALID_ARGUMENT, NULL },
	{ "x > 1.5 | 2", DPR_ERROR_INVALID_ARGUMENT, HINT },
	{ "(isnan(x) | x) > 3", DPR_ERROR_DTYPE, NULL },
	{ "(x | x)", DPR_ERROR_DTYPE, NULL },
	{ "x | x", DPR_ERROR_DTYPE, NULL },
	{ "x < x < x", DPR_ERROR_INVALID_ARGUMENT, NULL },
	{ "x < (x | x) < x", DPR_ERROR_INVALID_ARGUMENT, NULL },
};

START_TEST(missing_parentheses)
{
	dpr_array *out;
	const char *error;

	CHECK_FAILS(loose[_i].status,
		    dpr_evaluate(loose[_i].text, NULL, &out, "x", x));
	error = dpr_last_error();
	ck_assert_msg(strstr(error, loose[_i].part ? loose[_i].part : HINT)
			      ? loose[_i].part != NULL
			      : !loose[_i].part,
		      "%s: %s", loose[_i].text, error);
}
END_TEST

/* Without a fault there is no hint, and the meaning is Python's. */
START_TEST(operators_that_bind_tightly)
{
	dpr_operand item;
	dpr_array *out;

	CHECK_OK(dpr_evaluate("all((f | f == f) == (f | f))", NULL, &out, "f",
			      flags));
	CHECK_OK(dpr_array_item(out, &item));
	dpr_array_release(out);
	ck_assert_int_eq(item.kind, DPR_OPERAND_BOOL);
}
END_TEST

/* --- The column ---------------------------------------------------------- */

START_TEST(one_prefix)
{
	static const char *const texts[] = { "x + 1", "x", "sum(x)" };
	dpr_array *wrong;
	size_t twice = 0;

	CHECK_OK(dpr_zeros(DPR_SHAPE(3), DPR_FLOAT32, test_queue, &wrong));
	for (size_t i = 0; i < CASES(texts); i++) {
		const char *error;

		CHECK_FAILS(DPR_ERROR_SHAPE,
			    dpr_evaluate_into(texts[i], wrong, "x", x));
		error = dpr_last_error();
		ck_assert_ptr_nonnull(
			strstr(error, ": result: the shape of out is (3,)"));
		twice += strstr(error + 1, "expression") != NULL;
	}
	ck_assert_uint_eq(twice, 0);
	dpr_array_release(wrong);
}
END_TEST

/* When memory runs out, no part of the text is at fault. */
START_TEST(no_column_without_memory)
{
	dpr_status status = DPR_ERROR_OUT_OF_MEMORY;
	size_t failures = 0, bad = 0;
	dpr_array *out = NULL;

	for (uint64_t n = 0; status && n < 1000; n++) {
		mem_fault_after(n);
		status = dpr_evaluate("sum((x, x), axis=0) | x", NULL, &out,
				      "x", x);
		mem_fault_clear();
		if (status != DPR_ERROR_OUT_OF_MEMORY)
			break;
		failures++;
		bad += strstr(dpr_last_error(), "column") ||
		       dpr_expression_fault().column;
	}
	ck_assert_uint_gt(failures, 5);
	ck_assert_uint_eq(bad, 0);
}
END_TEST

static Suite *words_suite(const char *device)
{
	Suite *suite = suite_create(device);
	TCase *tcase = tcase_create("words");

	tcase_add_checked_fixture(tcase, make_arrays, drop_arrays);
	tcase_add_loop_test(tcase, unknown_names, 0, CASES(unknown));
	tcase_add_test(tcase, suggestions_exist);
	tcase_add_loop_test(tcase, no_attributes, 0, CASES(attributes));
	tcase_add_loop_test(tcase, missing_parentheses, 0, CASES(loose));
	tcase_add_test(tcase, operators_that_bind_tightly);
	tcase_add_test(tcase, one_prefix);
	tcase_add_test(tcase, no_column_without_memory);
	suite_add_tcase(suite, tcase);
	return suite;
}

/* On host by default, as the texts are the same for every device.  Nothing may
   be left in the end. */
int main(void)
{
	const char *selector = getenv("DPR_TEST_DEVICES");
	int result = run_on_selected(words_suite, selector ? selector : "host");

	if (result == EXIT_SUCCESS && dpr_finalize()) {
		printf("%s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	return result;
}
