/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_definitions.c - functions of the program: of one expression and of the
 * process; undefined functions; named parts.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

#define CASES(list) (int)(sizeof(list) / sizeof((list)[0]))

/* The value of @text, an expression of x = 3; its own functions are @own. */
static double value_of(const char *text, const char *const *own, size_t n)
{
	const dpr_expression_options options = { sizeof(options), own, n };
	const dpr_binding x = { "x", DPR_OPERAND(3.0) };
	dpr_expression *e;
	dpr_array *out;
	dpr_operand item;

	CHECK_OK(dpr_expression_create_with(text, own ? &options : NULL, &e));
	CHECK_OK(dpr_expression_apply(e, &x, 1, test_queue, &out, 1));
	CHECK_OK(dpr_array_item(out, &item));
	dpr_array_release(out);
	dpr_expression_release(e);
	return item.kind == DPR_OPERAND_FLOAT ? item.as.f : (double)item.as.i;
}

/* Two libraries and the process have a function of one name. */
START_TEST(own_functions)
{
	static const char *const one[] = { "norm(a) = a + 1",
					   "twice(a) = norm(norm(a))" };
	static const char *const two[] = { "norm(a, b) = a * b" };
	static const char *const user[] = { "norm(a) = by_norm(a) + 1000" };

	CHECK_OK(dpr_expression_define("norm(a) = a + 100"));
	CHECK_OK(dpr_expression_define("by_norm(a) = norm(a) * 2"));
	ck_assert(value_of("norm(x)", one, 2) == 4);
	ck_assert(value_of("twice(x)", one, 2) == 5);
	ck_assert(value_of("norm(x, 5)", two, 1) == 15);
	ck_assert(value_of("norm(x)", NULL, 0) == 103);
	/* A function of the process calls what it was defined with. */
	ck_assert(value_of("by_norm(x) + norm(x)", one, 2) == 210);
	ck_assert(value_of("norm(x)", user, 1) == 1206);
	/* Nothing has been added to the process. */
	CHECK_FAILS(DPR_ERROR_NOT_FOUND, dpr_expression_undefine("twice"));
	CHECK_OK(dpr_expression_undefine("by_norm"));
	CHECK_OK(dpr_expression_undefine("norm"));
}
END_TEST

START_TEST(dropped_functions)
{
	const dpr_binding x = { "x", DPR_OPERAND(3.0) };
	dpr_expression *before, *after;
	dpr_array *out;
	dpr_operand item;

	CHECK_OK(dpr_expression_define("inner(a) = a + 1"));
	CHECK_OK(dpr_expression_define("twice(a) = inner(a) * 2"));
	CHECK_OK(dpr_expression_create("inner(x)", &before));
	CHECK_OK(dpr_expression_undefine("inner"));
	CHECK_FAILS(DPR_ERROR_NOT_FOUND, dpr_expression_undefine("inner"));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "'inner'"));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_expression_create("inner(x)", &after));
	ck_assert(value_of("twice(x)", NULL, 0) == 8);
	CHECK_OK(dpr_expression_define("inner(a, b) = a * b"));
	ck_assert(value_of("twice(x) + inner(x, 2)", NULL, 0) == 14);
	CHECK_OK(dpr_expression_apply(before, &x, 1, test_queue, &out, 1));
	CHECK_OK(dpr_array_item(out, &item));
	ck_assert(item.as.f == 4);
	dpr_array_release(out);
	dpr_expression_release(before);
	/* Built-in functions stay. */
	CHECK_FAILS(DPR_ERROR_NOT_FOUND, dpr_expression_undefine("sqrt"));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_expression_undefine(NULL));
	CHECK_OK(dpr_expression_undefine("twice"));
	CHECK_OK(dpr_expression_undefine("inner"));
}
END_TEST

START_TEST(named_parts)
{
	static const char *const own[] = {
		"square_of(a) = b = a + 1; c = b * b; c",
		"both(a) = b = square_of(a); d = b + a; d * square_of(d)",
	};

	ck_assert(value_of("square_of(x)", own, 2) == 16);
	/* d = 16 + 3 */
	ck_assert(value_of("both(x)", own, 2) == 19 * 400);
	/* The expression's parts of the same names are others. */
	ck_assert(value_of("b = 2; d = 7; both(x) + b + d", own, 2) ==
		  19 * 400 + 9);
	ck_assert(value_of("c = square_of(x); d = square_of(x); c + d", own,
			   2) == 32);
	CHECK_OK(dpr_expression_define("parted(a) = e = a - 1; e * e"));
	ck_assert(value_of("parted(x)", NULL, 0) == 4);
	CHECK_OK(dpr_expression_undefine("parted"));
}
END_TEST

/* --- Refusals ------------------------------------------------------------ */

static const struct {
	const char *first, *second; /* definitions */
	dpr_status status;
	size_t column;
	const char *part;
} refused[] = {
	{ "f(a) = a", " f(b) = b + 1", DPR_ERROR_EXISTS, 2,
	  "definition 2, column 2: f() is defined already" },
	{ "f(a) = g(a)", "g(a) = a", DPR_ERROR_INVALID_ARGUMENT, 8,
	  "definition 1, column 8: unknown function 'g'" },
	{ "f(a) = a", "taken(a) = taken(a)", DPR_ERROR_INVALID_ARGUMENT, 12,
	  "taken cannot call itself" },
	{ "f(a) = a", "g(a) = b = a; b = 2; b", DPR_ERROR_INVALID_ARGUMENT, 15,
	  "'b' has a value already" },
	{ "f(a) = a", "g(a) = a = 1; a", DPR_ERROR_INVALID_ARGUMENT, 8,
	  "'a' has a value already" },
	{ "f(a) = b = a; b", "g(a) = f(a) + b", DPR_ERROR_INVALID_ARGUMENT, 15,
	  "unknown name 'b'" },
	{ "f(a) = a", "g(a) = b = a", DPR_ERROR_INVALID_ARGUMENT, 13,
	  "an operator or ';'" },
	{ "f(a) = a", "sqrt(a) = a", DPR_ERROR_INVALID_ARGUMENT, 1,
	  "built-in" },
	{ "f(a) = a", "sum_of(a) = fff(a)", DPR_ERROR_INVALID_ARGUMENT, 13,
	  "unknown function 'fff'" },
	{ "f(a) = a", NULL, DPR_ERROR_INVALID_ARGUMENT, 0,
	  "definition 2 is NULL" },
};

START_TEST(refused_functions)
{
	const char *const own[] = { refused[_i].first, refused[_i].second };
	const dpr_expression_options options = { sizeof(options), own, 2 };
	dpr_expression *e = (void *)&e;

	(void)!dpr_expression_define("taken(a) = a");
	CHECK_FAILS(refused[_i].status,
		    dpr_expression_create_with("f(1)", &options, &e));
	ck_assert_ptr_null(e);
	ck_assert_msg(strstr(dpr_last_error(), refused[_i].part) != NULL, "%s",
		      dpr_last_error());
	ck_assert_uint_eq(dpr_expression_fault().column, refused[_i].column);
}
END_TEST

START_TEST(refused_options)
{
	const dpr_expression_options unset = { 0, NULL, 0 };
	const dpr_expression_options none = { sizeof(none), NULL, 1 };
	dpr_expression *e;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_expression_create_with("1", &unset, &e));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_expression_create_with("1", &none, &e));
	CHECK_OK(dpr_expression_define("once(a) = a"));
	CHECK_FAILS(DPR_ERROR_EXISTS, dpr_expression_define("once(b) = b"));
	CHECK_OK(dpr_expression_undefine("once"));
	CHECK_OK(dpr_expression_define("once(b) = b"));
}
END_TEST

static Suite *definitions_suite(const char *device)
{
	Suite *suite = suite_create(device);
	TCase *tcase = tcase_create("definitions");

	tcase_add_test(tcase, own_functions);
	tcase_add_test(tcase, dropped_functions);
	tcase_add_test(tcase, named_parts);
	tcase_add_loop_test(tcase, refused_functions, 0, CASES(refused));
	tcase_add_test(tcase, refused_options);
	suite_add_tcase(suite, tcase);
	return suite;
}

/* On host by default, as names mean the same on every device.  Nothing may be
   left in the end. */
int main(void)
{
	const char *selector = getenv("DPR_TEST_DEVICES");
	int result = run_on_selected(definitions_suite,
				     selector ? selector : "host");

	if (result == EXIT_SUCCESS && dpr_finalize()) {
		printf("%s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	return result;
}
