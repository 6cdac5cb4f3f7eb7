/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_expression.c - expressions have the results of the functions called one
 * by one.  Also wrong texts with the column of the fault, bounds, definitions,
 * and several threads.
 */
#include <check.h>
#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"
#include "tests/support/same_arrays.h"

#define ROWS 3
#define COLUMNS 4

static dpr_array *x, *row, *ints;

static void make_arrays(void)
{
	float values[ROWS * COLUMNS];

	for (int i = 0; i < ROWS * COLUMNS; i++)
		values[i] = (float)i * 0.5f - 2;
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(ROWS, COLUMNS), NULL,
				       DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(COLUMNS), NULL,
				       DPR_FLOAT32, test_queue, &row));
	CHECK_OK(dpr_arange(0, ROWS * COLUMNS, 1, DPR_INT8, test_queue, &ints));
}

static void drop_arrays(void)
{
	dpr_array_release(x);
	dpr_array_release(row);
	dpr_array_release(ints);
}

/* --- Meaning ------------------------------------------------------------- */

START_TEST(is_what_the_functions_give)
{
	dpr_array *a, *b, *c, *want, *have;

	CHECK_OK(dpr_multiply(x, x, &a));
	CHECK_OK(dpr_multiply(row, 2.5, &b));
	CHECK_OK(dpr_add(a, b, &c));
	CHECK_OK(dpr_sqrt(c, &want));
	CHECK_OK(dpr_evaluate("sqrt(x*x + row*y)", NULL, &have, "x", x, "row",
			      row, "y", 2.5));
	check_same(have, want);
	dpr_array_release(c);
	CHECK_OK(dpr_subtract(x, row, &c));
	dpr_array_release(a);
	CHECK_OK(dpr_pow(c, 2, &a));
	CHECK_OK(dpr_sum(a, DPR_AXES_KEPT(-1), &want));
	CHECK_OK(dpr_evaluate("sum((x - r)**2, axis=-1, keepdims=True)", NULL,
			      &have, "x", x, "r", row));
	check_same(have, want);
	dpr_array_release(a);
	dpr_array_release(b);
	dpr_array_release(c);
}
END_TEST

START_TEST(other_functions)
{
	dpr_array *a, *b, *want, *have;

	CHECK_OK(dpr_greater(x, 0, &a));
	CHECK_OK(dpr_where(a, x, -1, &want));
	CHECK_OK(dpr_evaluate("where(x > 0, x, -1)", NULL, &have, "x", x));
	check_same(have, want);
	CHECK_OK(dpr_astype(ints, DPR_FLOAT64, &b));
	CHECK_OK(dpr_max(b, NULL, &want));
	CHECK_OK(dpr_evaluate("max(astype(i, 'float64'))", NULL, &have, "i",
			      ints));
	check_same(have, want);
	dpr_array_release(a);
	CHECK_OK(dpr_matrix_transpose(x, &a));
	CHECK_OK(dpr_reshape(a, DPR_SHAPE(2, 6), &want));
	CHECK_OK(dpr_evaluate("reshape(matrix_transpose(x), (2, -1))", NULL,
			      &have, "x", x));
	check_same(have, want);
	CHECK_OK(dpr_sum_as(ints, NULL, DPR_INT8, &want));
	CHECK_OK(dpr_evaluate("sum(i, None, dtype=int8)", NULL, &have, "i",
			      ints));
	check_same(have, want);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* The result has the operands' kind of memory, and a plain number takes their
   dtype. */
START_TEST(kinds_and_weak_numbers)
{
	dpr_array *shared, *want, *have;

	CHECK_OK(dpr_full_on(DPR_SHAPE(5), 3, DPR_INT8, test_queue,
			     DPR_USM_SHARED, &shared));
	CHECK_OK(dpr_multiply(shared, 2, &want));
	CHECK_OK(dpr_evaluate("s * (5 - 3)", NULL, &have, "s", shared));
	ck_assert_int_eq(dpr_array_kind(have), DPR_USM_SHARED);
	check_same(have, want);
	CHECK_OK(dpr_evaluate("s * maximum(1, 2)", NULL, &have, "s", shared));
	CHECK_OK(dpr_multiply(shared, 2, &want));
	check_same(have, want);
	CHECK_FAILS(DPR_ERROR_OVERFLOW,
		    dpr_evaluate("s * (250 + 50)", NULL, &have, "s", shared));
	CHECK_OK(dpr_evaluate("s", NULL, &have, "s", shared));
	ck_assert_ptr_eq(have, shared);
	dpr_array_release(have);
	dpr_array_release(shared);
}
END_TEST

START_TEST(several_statements_and_results)
{
	const dpr_binding two[] = { { "x", DPR_OPERAND(x) },
				    { "k", DPR_OPERAND(3) } };
	dpr_array *results[3], *want;
	dpr_expression *e;
	size_t n;

	CHECK_OK(dpr_expression_create("a = x*k; b = a - 1;\n a + b, sum(b), k",
				       &e));
	ck_assert_uint_eq(dpr_expression_result_count(e), 3);
	ck_assert_str_eq(dpr_expression_operands(e, &n)[0].name, "x");
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(dpr_expression_operands(e, NULL)[1].column, 7);
	CHECK_OK(dpr_expression_apply(e, two, 2, NULL, results, 3));
	CHECK_OK(dpr_evaluate("x*3 + (x*3 - 1)", NULL, &want, "x", x));
	check_same(results[0], want);
	CHECK_OK(dpr_evaluate("sum(x*3 - 1)", NULL, &want, "x", x));
	check_same(results[1], want);
	CHECK_OK(dpr_full(DPR_SCALAR_SHAPE, 3, DPR_DTYPE_DEFAULT, test_queue,
			  &want));
	check_same(results[2], want);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_expression_apply(e, two, 2, NULL, results, 2));
	ck_assert_ptr_null(results[0]);
	dpr_expression_release(dpr_expression_retain(e));
	ck_assert_ptr_null(dpr_expression_keep(NULL));
	dpr_expression_release(e);
	/* A name that no result uses is not computed. */
	CHECK_OK(dpr_evaluate("bad = x & 1; x + 1", NULL, &want, "x", x));
	dpr_array_release(want);
}
END_TEST

/* Results go into arrays that are also operands, even when they swap them. */
START_TEST(results_into_arrays)
{
	dpr_array *a, *b, *a2, *b2, *want;
	dpr_expression *e;

	CHECK_OK(dpr_copy(x, &a));
	CHECK_OK(dpr_evaluate_into("a + 1", a, "a", a));
	CHECK_OK(dpr_add(x, 1, &want));
	CHECK_OK(dpr_copy(a, &a2));
	check_same(a2, want);
	CHECK_OK(dpr_multiply(x, 2, &b));
	{
		const dpr_binding two[] = { { "a", DPR_OPERAND(a) },
					    { "b", DPR_OPERAND(b) } };
		dpr_array *const into[] = { a, b };

		CHECK_OK(dpr_expression_create("b, a", &e));
		CHECK_OK(dpr_expression_apply_into(e, two, 2, into, 2));
	}
	CHECK_OK(dpr_copy(a, &a2));
	CHECK_OK(dpr_multiply(x, 2, &want));
	check_same(a2, want);
	CHECK_OK(dpr_copy(b, &b2));
	CHECK_OK(dpr_add(x, 1, &want));
	check_same(b2, want);
	/* Into a higher dtype. */
	CHECK_OK(dpr_zeros_like(x, DPR_COMPLEX64, &a2));
	CHECK_OK(dpr_evaluate_into("x + 1", a2, "x", x));
	CHECK_OK(dpr_astype(b, DPR_COMPLEX64, &want));
	check_same(a2, want);
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_evaluate_into("sum(a)", b, "a", a));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(),
				     "shape of out is (3, 4), but that of the "
				     "result is ()"));
	CHECK_FAILS(DPR_ERROR_DTYPE,
		    dpr_evaluate_into("astype(i, float32)", ints, "i", ints));
	dpr_expression_release(e);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* An array that repeats elements takes no result, not even its own, and nothing
   is written. */
START_TEST(results_into_repeated)
{
	dpr_array *one, *want, *wide;
	dpr_expression *e;

	CHECK_OK(dpr_full(DPR_SHAPE(1), 7, DPR_FLOAT32, dpr_array_queue(x),
			  &one));
	CHECK_OK(dpr_copy(one, &want));
	CHECK_OK(dpr_broadcast_to(one, DPR_SHAPE(3), &wide));
	CHECK_FAILS(DPR_ERROR_LAYOUT, dpr_evaluate_into("w", wide, "w", wide));
	{
		const dpr_binding two[] = { { "o", DPR_OPERAND(one) },
					    { "w", DPR_OPERAND(wide) } };
		dpr_array *const into[] = { one, wide };

		CHECK_OK(dpr_expression_create("o + 1, w", &e));
		CHECK_FAILS(DPR_ERROR_LAYOUT,
			    dpr_expression_apply_into(e, two, 2, into, 2));
	}
	check_same(one, want);
	dpr_expression_release(e);
	dpr_array_release(wide);
}
END_TEST

/* The text and the place are those of the result that an array does not take.
 */
START_TEST(the_result_at_fault)
{
	const dpr_binding binding = { "x", DPR_OPERAND(x) };
	dpr_array *into[2];
	dpr_expression *e;

	CHECK_OK(dpr_copy(x, &into[0]));
	CHECK_OK(dpr_full(DPR_SHAPE(4), 7, DPR_FLOAT32, dpr_array_queue(x),
			  &into[1]));
	CHECK_OK(dpr_expression_create("x*2, x+1", &e));
	CHECK_FAILS(DPR_ERROR_SHAPE,
		    dpr_expression_apply_into(e, &binding, 1, into, 2));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "result 2: "));
	ck_assert_uint_eq(dpr_expression_fault().column, 7);
	dpr_expression_release(e);
	dpr_array_release(into[0]);
	dpr_array_release(into[1]);
}
END_TEST

START_TEST(numbers_need_a_queue)
{
	dpr_array *out, *want;
	dpr_expression *e;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("1 + 2", NULL, &out));
	ck_assert_ptr_nonnull(
		strstr(dpr_last_error(), "give the call a queue"));
	CHECK_OK(dpr_evaluate("linspace(0, 2, n)", test_queue, &out, "n", 5));
	ck_assert_ptr_eq(dpr_array_queue(out), test_queue);
	ck_assert_int_eq(dpr_array_size(out), 5);
	dpr_array_release(out);
	CHECK_OK(dpr_expression_create("arange(5) * 2", &e));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_expression_apply(e, NULL, 0, NULL, &out, 1));
	CHECK_OK(dpr_expression_apply(e, NULL, 0, test_queue, &out, 1));
	CHECK_OK(dpr_arange(0, 10, 2, DPR_DTYPE_DEFAULT, test_queue, &want));
	check_same(out, want);
	dpr_expression_release(e);
}
END_TEST

START_TEST(steps_as_text)
{
	const dpr_binding one[] = { { "x", DPR_OPERAND(x) } };
	dpr_expression *e;
	char *text;

	CHECK_OK(dpr_expression_create("d = x*(1 + 1); sum(d, axis=0), d", &e));
	CHECK_OK(dpr_expression_explain(e, one, 1, NULL, &text));
	ck_assert(strstr(text, "   1  multiply(x, 2)") &&
		  strstr(text, "   2  sum(#1, 0)") &&
		  strstr(text, "float32    (3, 4)") &&
		  strstr(text, "result 1 is #2\nresult 2 is #1\n2 launches, "
			       "0 bytes in between\n"));
	dpr_free(text);
	dpr_expression_release(e);
	/* The explanation lists the values stored between two kernels, and the
	   values inside each kernel. */
	CHECK_OK(dpr_expression_create("a = sqrt(sum(x*x + 1, axis=0)); a*a*2",
				       &e));
	CHECK_OK(dpr_expression_explain(e, one, 1, NULL, &text));
	ck_assert(strstr(text, "inside kernel 1\n"));
	ck_assert(strstr(text, "1 launch, 0 bytes in between\n") ||
		  strstr(text, "launches, 16 bytes in between\n"));
	dpr_free(text);
	dpr_expression_release(e);
}
END_TEST

/* Expressions that one kernel computes, with casts and choices inside. */
static const char *const one_kernel[] = {
	"where(x > 0, sqrt(abs(x)), 0)",
	"where(x > 0, x, i)",
	"astype(x, int32) * i",
	"astype(i, float64) / x + True",
	"astype(x > 0, int8) - astype(x, int8)",
	"where(astype(i, bool), x, 2.5) * where(x < 1, 1, astype(i, float16))",
	"reshape(i, (3, 4)) + x",
	"where(x > row, row, astype(row, float64)) + x",
	"where(index(0) == index(1), 1.0, x)",
	"x * (index(1) + index(-1))",
};

START_TEST(casts_and_choices_in_a_kernel)
{
	const dpr_expression_operand *operands;
	dpr_binding bindings[3];
	dpr_array *matrix;
	dpr_expression *e;
	size_t n, cast = 0;
	char *text;

	CHECK_OK(dpr_reshape(ints, DPR_SHAPE(ROWS, COLUMNS), &matrix));
	CHECK_OK(dpr_expression_create(one_kernel[_i], &e));
	operands = dpr_expression_operands(e, &n);
	for (size_t k = 0; k < n; k++) {
		const char *name = operands[k].name;

		if (operands[k].required)
			bindings[cast++] = (dpr_binding){
				name, DPR_OPERAND(*name == 'x'   ? x
						  : *name == 'r' ? row
								 : matrix)
			};
	}
	CHECK_OK(dpr_expression_explain(e, bindings, cast, NULL, &text));
	ck_assert_msg(strstr(text, "kernels of several steps: 1\n") != NULL &&
			      strstr(text, "\n1 launch, 0 bytes") != NULL,
		      "%s", text);
	dpr_free(text);
	dpr_expression_release(e);
	dpr_array_release(matrix);
}
END_TEST

/* A single call is its function, and writes the caller's array itself. */
START_TEST(casts_and_choices_alone)
{
	const dpr_binding one[] = { { "x", DPR_OPERAND(x) } };
	dpr_array *positive, *want, *have;
	dpr_expression *e;
	char *text;

	CHECK_OK(dpr_expression_create("astype(x, int8)", &e));
	CHECK_OK(dpr_expression_explain(e, one, 1, NULL, &text));
	ck_assert_ptr_nonnull(strstr(text, "kernels of several steps: 0\n"));
	dpr_free(text);
	dpr_expression_release(e);
	CHECK_OK(dpr_evaluate("astype(x, float32)", NULL, &have, "x", x));
	ck_assert_ptr_ne(have, x);
	CHECK_OK(dpr_copy(x, &want));
	check_same(have, want);
	CHECK_OK(dpr_greater(x, 0, &positive));
	CHECK_OK(dpr_where(positive, x, 1, &want));
	CHECK_OK(dpr_copy(x, &have));
	CHECK_OK(dpr_evaluate_into("where(c, y, 1)", have, "c", positive, "y",
				   have));
	check_same(have, want);
	dpr_array_release(positive);
}
END_TEST

/* --- Refusals ------------------------------------------------------------ */

static const struct {
	const char *text;
	dpr_status status;
	size_t column, length;
	const char *part;
} faults[] = {
	{ "x + ", DPR_ERROR_INVALID_ARGUMENT, 5, 0, "column 5: " },
	{ "x + zed", DPR_ERROR_INVALID_ARGUMENT, 5, 3, "known are x, row" },
	{ "roww + x", DPR_ERROR_INVALID_ARGUMENT, 1, 4, "did you mean row?" },
	{ "1 + sqr(x)", DPR_ERROR_INVALID_ARGUMENT, 5, 3,
	  "did you mean sqrt?" },
	{ "astype(x, flaot64)", DPR_ERROR_INVALID_ARGUMENT, 11, 7,
	  "did you mean float64?" },
	{ "astype(x, 'flaot64')", DPR_ERROR_INVALID_ARGUMENT, 12, 7,
	  "did you mean float64?" },
	{ "x + x(1)", DPR_ERROR_INVALID_ARGUMENT, 5, 1, "x is an operand" },
	{ "mini = x; mini(3)", DPR_ERROR_INVALID_ARGUMENT, 11, 4, "not a" },
	{ "pi(1)", DPR_ERROR_INVALID_ARGUMENT, 1, 2, "pi is not a function" },
	{ "sqrt + x", DPR_ERROR_INVALID_ARGUMENT, 1, 4, "write sqrt(...)" },
	{ "add(x)", DPR_ERROR_INVALID_ARGUMENT, 1, 3,
	  "add needs the argument x2" },
	{ "sqrt(x, x)", DPR_ERROR_INVALID_ARGUMENT, 1, 4,
	  "takes at most 1 argument" },
	{ "sum(x, axes=0)", DPR_ERROR_INVALID_ARGUMENT, 8, 4,
	  "sum has no argument 'axes'; its arguments: x, axis, keepdims, "
	  "dtype, where, initial; did you mean axis?" },
	{ "x << 1", DPR_ERROR_DTYPE, 3, 2, "bitwise_left_shift" },
	{ "x + (1 << -1)", DPR_ERROR_INVALID_ARGUMENT, 8, 2, "negative" },
	{ "x + (1 << 64)", DPR_ERROR_OVERFLOW, 8, 2, "64 bits" },
	{ "sum(x, 0, axis=0)", DPR_ERROR_INVALID_ARGUMENT, 11, 4, "twice" },
	{ "sum(x, axis=1.5)", DPR_ERROR_INVALID_ARGUMENT, 13, 3, "axis is" },
	{ "x + row & 1", DPR_ERROR_DTYPE, 9, 1, "bitwise_and" },
	{ "x + reshape(x, 12)", DPR_ERROR_SHAPE, 3, 1, "broadcast" },
	{ "sum(x, axis=7)", DPR_ERROR_INDEX, 1, 3, "axis 7" },
	{ "x + 2**70", DPR_ERROR_OVERFLOW, 6, 2, "64 bits" },
	{ "(astype(x, 'int8') + 300) * 2", DPR_ERROR_OVERFLOW, 20, 1, "add" },
	{ "x // (1 // 0)", DPR_ERROR_INVALID_ARGUMENT, 9, 2, "by zero" },
	{ "x + where(x, 1, x)", DPR_ERROR_DTYPE, 5, 5, "condition is float32" },
	{ "1 + where(x > 0, astype(x, int8), 300)", DPR_ERROR_OVERFLOW, 5, 5,
	  "where: 300" },
	{ "where(x > 0, reshape(x, 12), 0) + 1", DPR_ERROR_SHAPE, 1, 5,
	  "where" },
	{ "astype(x + 1j, float32) * 2", DPR_ERROR_DTYPE, 1, 6, "dpr_real()" },
	{ "astype(x, 'single')", DPR_ERROR_INVALID_ARGUMENT, 12, 6, "dtype" },
	{ "x + float32", DPR_ERROR_INVALID_ARGUMENT, 3, 1, "works only on" },
	{ "(x, row)", DPR_ERROR_INVALID_ARGUMENT, 1, 1, "the result is" },
	{ "concat(((x, x), x))", DPR_ERROR_INVALID_ARGUMENT, 9, 1, "tuple" },
	{ "a = 1; a = 2; x", DPR_ERROR_INVALID_ARGUMENT, 8, 1, "already" },
	{ "a = x; x = 2; a", DPR_ERROR_INVALID_ARGUMENT, 8, 1, "operand" },
	{ "True = 2; x", DPR_ERROR_INVALID_ARGUMENT, 1, 4, "reserved word" },
	{ "x, row", DPR_ERROR_INVALID_ARGUMENT, 0, 0, "2 results" },
	{ "x + 1", DPR_ERROR_INVALID_ARGUMENT, 0, 0, "no operand 'row'" },
};

START_TEST(refused_at_a_column)
{
	const dpr_binding two[] = { { "x", DPR_OPERAND(x) },
				    { "row", DPR_OPERAND(row) } };
	/* Bind "row" only for texts that use it.  One more text gets the
	   binding, and is refused because it has no such operand. */
	const bool both = strstr(faults[_i].text, "ro") ||
			  strstr(faults[_i].text, "zed") ||
			  strstr(faults[_i].part, "row");
	dpr_array *out = x;
	dpr_text_place place;
	const char *near;

	CHECK_FAILS(faults[_i].status,
		    dpr_evaluate_with(faults[_i].text, two, both ? 2 : 1, NULL,
				      &out));
	ck_assert_ptr_null(out);
	place = dpr_expression_fault();
	ck_assert_msg(place.column == faults[_i].column &&
			      place.length == faults[_i].length,
		      "%s: column %zu, %zu bytes: %s", faults[_i].text,
		      place.column, place.length, dpr_last_error());
	ck_assert_msg(strstr(dpr_last_error(), faults[_i].part), "%s: %s",
		      faults[_i].text, dpr_last_error());
	near = strstr(dpr_last_error(), "did you mean ");
	ck_assert(!near == !dpr_expression_nearest());
	if (near)
		ck_assert_ptr_nonnull(strstr(near, dpr_expression_nearest()));
	CHECK_OK(dpr_evaluate("x + 1", NULL, &out, "x", x));
	ck_assert_uint_eq(dpr_expression_fault().column, 0);
	dpr_array_release(out);
}
END_TEST

START_TEST(bad_bindings)
{
	const dpr_binding none[] = { { "x", dpr_operand_array(NULL) } };
	const dpr_binding nameless[] = { { NULL, dpr_operand_int(1) } };
	dpr_operand strange = dpr_operand_int(1);
	dpr_array *out;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate_with("x", none, 1, NULL, &out));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "'x' is bound to NULL"));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate_with("x", nameless, 1, NULL, &out));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("x", NULL, &out, "x", 1, "x", 2));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "bound twice"));
	strange.kind = 99;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("x", NULL, &out, "x", strange));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "unknown kind"));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate_with(NULL, NULL, 0, NULL, &out));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate_with("x", NULL, 1, NULL, &out));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_expression_create("x", NULL));
	/* The name of a constant may be bound; a word of the language may
	   not. */
	CHECK_OK(dpr_evaluate("e + 1", NULL, &out, "e", x));
	dpr_array_release(out);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("True + x", NULL, &out, "True", 1, "x", x));
}
END_TEST

/* --- Bounds -------------------------------------------------------------- */

/* @count times @part, then @end. */
static char *repeat(const char *part, size_t count, const char *end)
{
	char *text = malloc(strlen(part) * count + strlen(end) + 1), *to = text;

	for (size_t i = 0; i < count; i++)
		to = stpcpy(to, part);
	strcpy(to, end);
	return text;
}

static void check_bound(char *text, const char *part)
{
	dpr_expression *e = NULL;

	if (!part) {
		CHECK_OK(dpr_expression_create(text, &e));
	} else {
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
			    dpr_expression_create(text, &e));
		ck_assert_msg(strstr(dpr_last_error(), part), "%s",
			      dpr_last_error());
		ck_assert_ptr_null(e);
	}
	dpr_expression_release(e);
	free(text);
}

START_TEST(bounds)
{
	char *text = calloc(1, 65537 * 3), *to = text;

	check_bound(repeat("x+", 32767, "x"), NULL);
	check_bound(repeat("x+", 32768, "x"), "65537 characters");
	check_bound(repeat("-", 200, "x"), NULL);
	check_bound(repeat("-", 201, "x"), "nested deeper than 200");
	for (int i = 0; i < 257; i++)
		to += sprintf(to, "%sv%d", i ? "+" : "", i);
	check_bound(strdup(text), "more than 256 operands");
	to = text;
	for (int i = 0; i < 257; i++)
		to += sprintf(to, "v%d=1;", i);
	strcpy(to, "x");
	check_bound(text, "more than 256 names");
}
END_TEST

/* Each function calls the previous one twice, so the steps double each time,
   even if the body is just the argument. */
START_TEST(substitution_is_bounded)
{
	static const char *const first[] = { "grow0(a) = a + a",
					     "same0(a) = a" };
	static const char *const names[] = { "grow", "same" };
	char text[100];
	dpr_status status = DPR_OK;
	int i;

	for (int k = 0; k < 2; k++) {
		CHECK_OK(dpr_expression_define(first[k]));
		for (i = 1; i < 40; i++) {
			snprintf(text, sizeof(text), "%s%d(a) = %s%d(%s%d(a))",
				 names[k], i, names[k], i - 1, names[k], i - 1);
			status = dpr_expression_define(text);
			if (status)
				break;
		}
		ck_assert_int_lt(i, 20);
		ck_assert_int_eq(status, DPR_ERROR_INVALID_ARGUMENT);
		ck_assert_ptr_nonnull(
			strstr(dpr_last_error(), "more than 65536 steps"));
	}
	CHECK_OK(dpr_expression_define("deep0(a) = -a"));
	for (i = 1; i < 100; i++) {
		snprintf(text, sizeof(text), "deep%d(a) = deep%d(a)", i, i - 1);
		if (dpr_expression_define(text))
			break;
	}
	ck_assert_int_eq(i, 65);
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "more than 64 deep"));
}
END_TEST

/* --- Definitions --------------------------------------------------------- */

START_TEST(definitions)
{
	dpr_array *have, *want;

	CHECK_OK(dpr_expression_define("l2(a, b) = sum((a - b)**2, axis=-1)"));
	CHECK_OK(dpr_expression_define("rms(a, b) = sqrt(l2(a, b) / e)"));
	CHECK_OK(dpr_evaluate("sum((x - r)**2, axis=-1)", NULL, &want, "x", x,
			      "r", row));
	CHECK_OK(dpr_evaluate("l2(x, b=r)", NULL, &have, "x", x, "r", row));
	check_same(have, want);
	/* The body of a function does not see the names of the expression. */
	CHECK_OK(dpr_evaluate(
		"sqrt(sum((e - r)**2, axis=-1) / 2.718281828459045)", NULL,
		&want, "e", x, "r", row));
	CHECK_OK(dpr_evaluate("rms(e, r)", NULL, &have, "e", x, "r", row));
	check_same(have, want);
	CHECK_OK(dpr_expression_define("box(s) = zeros(s) + ones(s)"));
	/* A fault inside a function is reported at the call. */
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_evaluate("x*0 + (x + box((2, 7)))*0",
						  NULL, &have, "x", x));
	ck_assert_uint_eq(dpr_expression_fault().column, 10);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("x + box(1.5)", NULL, &have, "x", x));
	ck_assert_uint_eq(dpr_expression_fault().column, 9);
	ck_assert_uint_eq(dpr_expression_fault().length, 3);
	CHECK_OK(dpr_evaluate("box((3, 1)) + x*0", NULL, &have, "x", x));
	dpr_array_release(have);
}
END_TEST

static const struct {
	const char *text, *part;
	size_t column;
} bad_definitions[] = {
	{ "twice(a) = a + a", "defined already", 1 },
	{ "sqrt(a) = a", "built-in", 1 },
	{ "where(a) = a", "built-in", 1 },
	{ "pi(a) = a", "constant", 1 },
	{ "float32(a) = a", "constant", 1 },
	{ "again(a) = again(a - 1)", "cannot call itself", 12 },
	{ "early(a) = later(a)", "unknown function 'later'", 12 },
	{ "near(a) = twise(a)", "did you mean twice?", 11 },
	{ "free(a) = a + b", "unknown name 'b'", 15 },
	{ "same(a, a) = a", "two parameters", 9 },
	{ "word(True) = 1", "reserved word", 6 },
	{ "many(a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q) = a", "at most 16", 38 },
	{ "half(a) = a; a", "follow an assignment", 12 },
	{ "half(a) = twice(a, a)", "takes at most 1 argument", 11 },
};

START_TEST(refused_definitions)
{
	dpr_text_place place;

	(void)!dpr_expression_define("twice(a) = a*2");
	CHECK_FAILS(_i ? DPR_ERROR_INVALID_ARGUMENT : DPR_ERROR_EXISTS,
		    dpr_expression_define(bad_definitions[_i].text));
	place = dpr_expression_fault();
	ck_assert_msg(strstr(dpr_last_error(), bad_definitions[_i].part), "%s",
		      dpr_last_error());
	ck_assert_msg(place.column == bad_definitions[_i].column,
		      "%s: column %zu", bad_definitions[_i].text, place.column);
}
END_TEST

/* --- The process --------------------------------------------------------- */

#define THREADS 8
#define ROUNDS 200

static dpr_expression *shared;

/* Apply the shared expression, and define functions that all threads try to
   define.  Only one thread may succeed with each. */
static void *apply_and_define(void *user)
{
	const dpr_binding two[] = { { "x", DPR_OPERAND(x) },
				    { "k", DPR_OPERAND(2) } };
	intptr_t defined = 0;
	char text[100];

	(void)user;
	for (int i = 0; i < ROUNDS; i++) {
		dpr_array *out[2], *same;

		snprintf(text, sizeof(text), "race%d(a) = a*%d + a", i, i);
		defined += !dpr_expression_define(text);
		snprintf(text, sizeof(text), "race%d(x) - x", i);
		if (dpr_expression_apply(shared, two, 2, NULL, out, 2) ||
		    dpr_evaluate(text, NULL, &same, "x", x))
			return (void *)(intptr_t)-1;
		dpr_array_release(out[0]);
		dpr_array_release(out[1]);
		dpr_array_release(same);
		if (!dpr_evaluate("x + nothing", NULL, &same, "x", x) ||
		    dpr_expression_fault().column != 5)
			return (void *)(intptr_t)-1;
	}
	return (void *)defined;
}

START_TEST(threads_apply_and_define)
{
	pthread_t threads[THREADS];
	intptr_t defined = 0;
	void *result;

	CHECK_OK(dpr_expression_create("a = x*k + x; sqrt(a*a), sum(a)",
				       &shared));
	for (intptr_t i = 0; i < THREADS; i++)
		ck_assert(!pthread_create(&threads[i], NULL, apply_and_define,
					  NULL));
	for (int i = 0; i < THREADS; i++) {
		ck_assert(!pthread_join(threads[i], &result));
		ck_assert_int_ge((intptr_t)result, 0);
		defined += (intptr_t)result;
	}
	ck_assert_int_eq(defined, ROUNDS);
	dpr_expression_release(shared);
}
END_TEST

/* The program's locale may have another decimal point. */
START_TEST(numbers_of_another_locale)
{
	dpr_array *out;
	dpr_operand item;
	locale_t comma = newlocale(LC_NUMERIC_MASK, "de_DE.UTF-8", NULL);

	if (!comma) {
		printf("not tried: there is no locale de_DE.UTF-8\n");
		return;
	}
	uselocale(comma);
	CHECK_OK(dpr_evaluate("sum(x)*0 + 1.5", NULL, &out, "x", x));
	uselocale(LC_GLOBAL_LOCALE);
	freelocale(comma);
	CHECK_OK(dpr_array_item(out, &item));
	ck_assert(item.as.f == 1.5);
	dpr_array_release(out);
}
END_TEST

static Suite *expression_suite(const char *device)
{
	Suite *suite = suite_create(device);
	TCase *tcase = tcase_create("expression");

	tcase_add_checked_fixture(tcase, make_arrays, drop_arrays);
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, is_what_the_functions_give);
	tcase_add_test(tcase, other_functions);
	tcase_add_test(tcase, kinds_and_weak_numbers);
	tcase_add_test(tcase, several_statements_and_results);
	tcase_add_test(tcase, results_into_arrays);
	tcase_add_test(tcase, results_into_repeated);
	tcase_add_test(tcase, the_result_at_fault);
	tcase_add_test(tcase, numbers_need_a_queue);
	tcase_add_test(tcase, steps_as_text);
	tcase_add_loop_test(tcase, casts_and_choices_in_a_kernel, 0,
			    sizeof(one_kernel) / sizeof(one_kernel[0]));
	tcase_add_test(tcase, casts_and_choices_alone);
	tcase_add_loop_test(tcase, refused_at_a_column, 0,
			    sizeof(faults) / sizeof(faults[0]));
	tcase_add_test(tcase, bad_bindings);
	tcase_add_test(tcase, bounds);
	tcase_add_test(tcase, substitution_is_bounded);
	tcase_add_test(tcase, definitions);
	tcase_add_loop_test(tcase, refused_definitions, 0,
			    sizeof(bad_definitions) /
				    sizeof(bad_definitions[0]));
	tcase_add_test(tcase, threads_apply_and_define);
	tcase_add_test(tcase, numbers_of_another_locale);
	suite_add_tcase(suite, tcase);
	return suite;
}

/* On host by default, as an expression means the same on every device.
   Afterwards, dpr_finalize() must have dropped the definitions, and nothing may
   be left. */
int main(void)
{
	const char *selector = getenv("DPR_TEST_DEVICES");
	int result =
		run_on_selected(expression_suite, selector ? selector : "host");
	dpr_expression *e;

	if (result == EXIT_SUCCESS &&
	    (dpr_finalize() ||
	     dpr_expression_define("late(a) = a") != DPR_ERROR_SHUTDOWN ||
	     dpr_expression_create("x", &e) != DPR_ERROR_SHUTDOWN)) {
		printf("after dpr_finalize(): %s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	return result;
}
