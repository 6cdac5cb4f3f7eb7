/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_two_results.c - dpr_divmod(), dpr_modf() and dpr_frexp() beside C, in
 * expressions and of functions of the program; clip with one bound, and
 * dpr_namespace_info().
 */
#include <dpr/namespace.h>

#include "tests/support/real_arrays.h"

/* --- Two results ---------------------------------------------------------- */

START_TEST(quotients_and_remainders)
{
	const dpr_dtype dtype = dtypes[_i];
	const char kind = dpr_dtype_kind(dtype);
	double v[40], q[40], r[40];
	dpr_array *x, *y, *first, *second;

	if (!computes(dtype) || leaves_out(_i, 5) || kind == 'b' || kind == 'c')
		return;
	for (int i = 0; i < 40; i++) {
		const double a = kind == 'u' ? i / 4 * 5 : i / 4 * 5 - 22;
		const double b = kind == 'u' ? i % 4 + 1 : i % 4 * 2 - 3;

		v[i] = a;
		q[i] = floor(a / b);
		r[i] = a - q[i] * b;
	}
	x = array_in(v, DPR_SHAPE(10, 4), dtype);
	CHECK_OK(dpr_array_view(x, &y, DPR_ALL, DPR_SLICE(0, 1, 1)));
	dpr_array_release(x);
	for (int i = 0; i < 4; i++)
		v[i] = kind == 'u' ? i + 1 : i * 2 - 3;
	x = array_in(v, DPR_SHAPE(4), dtype);
	CHECK_OK(dpr_divmod(y, x, &first, &second));
	expect_near(first, dtype, q, 40, 1, 0, "quotient");
	expect_near(second, dtype, r, 40, 1, 0, "remainder");
	CHECK_OK(dpr_divmod(x, 2, &first, &second));
	for (int i = 0; i < 4; i++) {
		q[i] = floor(v[i] / 2);
		r[i] = v[i] - 2 * q[i];
	}
	expect_near(first, dtype, q, 4, 1, 0, "quotient");
	expect_near(second, dtype, r, 4, 1, 0, "remainder");
	dpr_array_release(x);
	dpr_array_release(y);
}
END_TEST

/* Get the elements with their signs: of zero and of NaN alike. */
static void expect_signs(const dpr_array *x, const double *want, int n)
{
	double have[MOST];

	ck_assert_int_eq(read_real(x, have), n);
	for (int i = 0; i < n; i++)
		ck_assert_msg(isnan(have[i]) ||
				      !signbit(have[i]) == !signbit(want[i]),
			      "element %d, %g: another sign than %g", i,
			      have[i], want[i]);
}

static const double numbers[] = { 0,    -0.0,  1,        -1,        2.5, -2.5,
				  0.25, -0.75, INFINITY, -INFINITY, NAN, 1024,
				  3,    -7.5,  0.0625,   100 };
#define NUMBERS ((int)(sizeof(numbers) / sizeof(numbers[0])))

START_TEST(parts_of_floats)
{
	const dpr_dtype dtype = dtypes[_i];
	double v[NUMBERS], whole[NUMBERS], rest[NUMBERS];
	dpr_array *x, *first, *second;

	if (!computes(dtype) || leaves_out(_i, 3) ||
	    dpr_dtype_kind(dtype) != 'f')
		return;
	x = array_in(numbers, DPR_SHAPE(4, NUMBERS / 4), dtype);
	read_real(x, v);
	for (int i = 0; i < NUMBERS; i++)
		rest[i] = modf(v[i], &whole[i]);
	CHECK_OK(dpr_modf(x, &first, &second));
	ck_assert_int_eq(dpr_array_rank(first), 2);
	expect_signs(first, rest, NUMBERS);
	expect_signs(second, whole, NUMBERS);
	expect_near(first, dtype, rest, NUMBERS, 1, 0, "fractional");
	expect_near(second, dtype, whole, NUMBERS, 1, 0, "integral");
	dpr_array_release(x);
}
END_TEST

/* The smallest subnormal number, and the smallest normal one. */
static double smallest(dpr_dtype dtype, bool normal)
{
	dpr_float_limits limits;

	CHECK_OK(dpr_finfo(dtype, &limits));
	return normal ? limits.smallest_normal : limits.smallest_subnormal;
}

/* Also of numbers near the ends of the dtype's range.  A device may take
   subnormal numbers for zeros: so those are for the host. */
START_TEST(mantissas)
{
	const dpr_dtype dtype = dtypes[_i];
	const bool host = !strcmp(dpr_device_backend(test_device), "host");
	double v[NUMBERS + 4], part[NUMBERS + 4], power[NUMBERS + 4];
	dpr_float_limits limits;
	dpr_array *x, *y, *first, *second;
	const int n = host ? NUMBERS + 4 : NUMBERS + 2;

	if (!computes(dtype) || leaves_out(_i, 3) ||
	    dpr_dtype_kind(dtype) != 'f')
		return;
	CHECK_OK(dpr_finfo(dtype, &limits));
	memcpy(v, numbers, sizeof(numbers));
	v[NUMBERS] = limits.max;
	v[NUMBERS + 1] = -smallest(dtype, true);
	v[NUMBERS + 2] = smallest(dtype, false);
	v[NUMBERS + 3] = -3 * smallest(dtype, false);
	for (int i = 0; i < n; i++) {
		int e = 0;

		part[i] = frexp(v[i], &e);
		power[i] = isfinite(v[i]) ? e : 0;
	}
	if (computes(DPR_FLOAT64)) {
		CHECK_OK(dpr_array_from_memory(v, DPR_SHAPE(n), NULL,
					       DPR_FLOAT64, test_queue, &y));
		x = cast(y, dtype);
	} else {
		x = array_in(v, DPR_SHAPE(n), dtype);
	}
	CHECK_OK(dpr_frexp(x, &first, &second));
	expect_signs(first, part, n);
	expect_near(first, dtype, part, n, 1, 0, "mantissa");
	expect_near(second, DPR_INT32, power, n, 1, 0, "exponent");
	dpr_array_release(x);
}
END_TEST

START_TEST(two_results_and_their_errors)
{
	dpr_array *x, *view, *many, *first, *second;
	const double v[] = { 5, -3, 8 };

	x = array_in(v, DPR_SHAPE(3), DPR_INT16);
	CHECK_OK(dpr_frexp(x, &first, &second));
	expect_near(first, default_float(), (double[]){ 0.625, -0.75, 0.5 }, 3,
		    1, 0, "integers");
	expect_near(second, DPR_INT32, (double[]){ 3, 2, 4 }, 3, 1, 0,
		    "integers");
	CHECK_OK(dpr_modf(x, &first, &second));
	expect_near(first, default_float(), (double[]){ 0, 0, 0 }, 3, 1, 0,
		    "integers");
	expect_near(second, default_float(), v, 3, 1, 0, "integers");
	dpr_array_release(x);
	/* Reversed, and broadcast. */
	x = array_in((double[]){ 0.5, -1.5, 6 }, DPR_SHAPE(3), DPR_FLOAT32);
	CHECK_OK(dpr_array_view(x, &view, DPR_SLICE(DPR_OPEN, DPR_OPEN, -1)));
	CHECK_OK(dpr_broadcast_to(view, DPR_SHAPE(2, 3), &many));
	CHECK_OK(dpr_frexp(many, &first, &second));
	expect_near(first, DPR_FLOAT32,
		    (double[]){ 0.75, -0.75, 0.5, 0.75, -0.75, 0.5 }, 6, 1, 0,
		    "a view");
	expect_near(second, DPR_INT32, (double[]){ 3, 1, 0, 3, 1, 0 }, 6, 1, 0,
		    "a view");
	CHECK_OK(dpr_modf(many, &first, &second));
	expect_near(first, DPR_FLOAT32,
		    (double[]){ 0, -0.5, 0.5, 0, -0.5, 0.5 }, 6, 1, 0,
		    "a view");
	dpr_array_release(second);
	dpr_array_release(many);
	dpr_array_release(view);
	CHECK_OK(dpr_array_view(x, &view, DPR_SLICE(0, 0, 1)));
	CHECK_OK(dpr_frexp(view, &first, &second));
	ck_assert_int_eq(dpr_array_size(second), 0);
	dpr_array_release(first);
	dpr_array_release(second);
	dpr_array_release(view);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_modf(NULL, &first, &second));
	expect_text("modf: x is NULL");
	ck_assert_ptr_null(first);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_frexp(x, &first, NULL));
	expect_text("frexp: the place for a result is NULL");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_divmod(3, 4, &first, &second));
	ck_assert(!strncmp(dpr_last_error(), "divmod: ", 8));
	CHECK_OK(dpr_zeros(DPR_SHAPE(2), DPR_COMPLEX64, test_queue, &many));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_frexp(many, &first, &second));
	expect_text("frexp: does not take complex64");
	dpr_array_release(many);
	CHECK_OK(dpr_zeros(DPR_SHAPE(2), DPR_FLOAT32, test_queue, &many));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_divmod(x, many, &first, &second));
	ck_assert(!strncmp(dpr_last_error(), "divmod: x1 of shape (3,) and x2",
			   31));
	ck_assert_ptr_null(second);
	dpr_array_release(many);
	dpr_array_release(x);
}
END_TEST

/* --- In expressions --------------------------------------------------------
 */

/* Texts whose result is the same as that of another text. */
static const struct {
	const char *text, *same;
} texts[] = {
	{ "q, r = divmod(x, y); q*y + r", "x // y * y + x % y" },
	{ "m, k = frexp(x); ldexp(m, k)", "x + 0" },
	{ "f, w = modf(x); w + 100*f", "trunc(x) + 100*(x - trunc(x))" },
	{ "a = x; m, k = frexp(a*y); b, c = divmod(k, 2); sum(b, axis=0) + m",
	  "m, k = frexp(x*y); sum(k // 2, axis=0) + m" },
	{ "m, k = frexp(8.0); astype(k, float32)*x", "x*4" },
	{ "q, r = divmod(7, 2); x*q - r", "x*3 - 1" },
	{ "q, r = halves(x, 3); q - r", "x/3 - (x - x/3)" },
	{ "a, b, c = three(x); a + b*c", "z = 10*x; z + 2*z*(z + z/5)" },
	{ "a, b = turned(x, y); a - b", "x % y - x // y" },
	{ "lower(x, y)", "x // y" },
};

/* A call that has several results may also be the whole text. */
START_TEST(in_expressions)
{
	const double v[] = { 0.75, -2.5, 6, 9.125, -33, 1 };
	dpr_array *x, *y, *one, *other, *both[2], *first, *second;
	dpr_expression *e;

	/* The texts add exponents to floats, which gives float64. */
	if (!dpr_device_has(test_device, "fp64"))
		return;
	x = array_in(v, DPR_SHAPE(6), DPR_FLOAT32);
	y = array_in((double[]){ 2, 3, 4, 0.5, 5, 7 }, DPR_SHAPE(6),
		     DPR_FLOAT32);
	CHECK_OK(dpr_expression_define("halves(x, n) = x/n, x - x/n"));
	CHECK_OK(dpr_expression_define("three(x) = y = 10*x; y, 2*y, y + y/5"));
	CHECK_OK(dpr_expression_define(
		"turned(a, b) = q, r = divmod(a, b); r, q"));
	CHECK_OK(dpr_expression_define("same(a, b) = divmod(a, b)"));
	CHECK_OK(dpr_expression_define("lower(a, b) = q, r = same(a, b); q"));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const bool has_y = strstr(texts[i].text, "y)") != NULL;
		const dpr_binding list[] = {
			{ "x", dpr_operand_array(x) },
			{ "y", dpr_operand_array(y) },
		};

		CHECK_OK(dpr_evaluate_with(texts[i].text, list, 1 + has_y, NULL,
					   &one));
		CHECK_OK(dpr_evaluate_with(
			texts[i].same, list,
			1 + (strchr(texts[i].same, 'y') != NULL), NULL,
			&other));
		expect_same(one, other, texts[i].text);
	}
	CHECK_OK(dpr_expression_create("frexp(x)", &e));
	ck_assert_uint_eq(dpr_expression_result_count(e), 2);
	CHECK_OK(dpr_expression_apply(
		e, &(const dpr_binding){ "x", dpr_operand_array(x) }, 1, NULL,
		both, 2));
	dpr_expression_release(e);
	CHECK_OK(dpr_frexp(x, &first, &second));
	expect_same(both[0], first, "mantissa");
	expect_same(both[1], second, "exponent");
	CHECK_OK(dpr_expression_undefine("halves"));
	CHECK_OK(dpr_expression_undefine("three"));
	CHECK_OK(dpr_expression_undefine("turned"));
	CHECK_OK(dpr_expression_undefine("same"));
	CHECK_OK(dpr_expression_undefine("lower"));
	dpr_array_release(x);
	dpr_array_release(y);
}
END_TEST

static const struct {
	const char *text, *says; /* behind "expression, " */
} faults[] = {
#define SEVERAL "divmod gives 2 results: write q, r = divmod(...)"
	{ "1 + divmod(x, 2)", "column 5: " SEVERAL },
	{ "-divmod(x, 2)", "column 2: " SEVERAL },
	{ "q = divmod(x, 2); q", "column 5: " SEVERAL },
	{ "divmod(x, 2), x", "column 1: " SEVERAL },
	{ "divmod(x, 2)[0]", "column 1: " SEVERAL },
	{ "concat((x, divmod(x, 2)))", "column 12: " SEVERAL },
	{ "sum(x, axis=divmod(x, 2))", "column 13: " SEVERAL },
	{ "a, b, c = divmod(x, 2); a",
	  "column 1: there are 3 names, but the value has 2 results" },
	{ "x + 1; a, b = sin(x); a",
	  "column 6: ';' can only follow an assignment: name = value; ..." },
	{ "a, b = sin(x); a",
	  "column 1: there are 2 names, but the value has 1 result" },
	{ "a, a = divmod(x, 2); a",
	  "column 4: 'a' has a value already; use another name" },
	{ "a, True = divmod(x, 2); a",
	  "column 4: 'True' is a reserved word and cannot be given a value" },
	{ "x, a = divmod(x, 2); a",
	  "column 1: 'x' was used before as an operand of the expression; use "
	  "another name" },
	{ "a, 3 = divmod(x, 2); a",
	  "column 6: '=' gives a value to a name, before a ';'; == compares" },
	{ "a, b = divmod(x, 2)",
	  "column 20: the expression ends where an operator or ';' and a "
	  "result should be" },
	{ "a, b = divmod(x); a", "column 8: divmod needs the argument x2" },
	{ "m, k = frexp(1j*x); m", "column 8: frexp: does not take complex" },
};

START_TEST(faults_in_expressions)
{
	dpr_array *x, *y;

	x = array_in((double[]){ 1, 2 }, DPR_SHAPE(2), DPR_FLOAT32);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		const dpr_status status =
			dpr_evaluate(faults[i].text, NULL, &y, "x", x);

		ck_assert_msg(status &&
				      !strncmp(dpr_last_error(), "expression, ",
					       12) &&
				      !strncmp(dpr_last_error() + 12,
					       faults[i].says,
					       strlen(faults[i].says)),
			      "%s: %s", faults[i].text, dpr_last_error());
	}
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("divmod(x, 2)", NULL, &y, "x", x));
	expect_text("evaluate: the expression has 2 results; use "
		    "dpr_expression_apply() for more than one");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_expression_define("two(a) = a; b"));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_expression_define("two(a) = divmod(a, 2) + 1"));
	expect_text("expression, column 10: " SEVERAL);
	dpr_array_release(x);
}
END_TEST

/* --- One bound ------------------------------------------------------------ */

START_TEST(one_bound)
{
	const dpr_dtype dtype = dtypes[_i];
	const char kind = dpr_dtype_kind(dtype);
	const double v[] = { 0,
			     3,
			     7,
			     120,
			     kind == 'f' ? NAN : 2,
			     kind == 'f' ? -INFINITY : 1,
			     5,
			     6 };
	double low[8], high[8];
	dpr_array *x, *y, *z;

	if (!computes(dtype) || leaves_out(_i, 4) || kind == 'c' || kind == 'b')
		return;
	x = array_in(v, DPR_SHAPE(8), dtype);
	for (int i = 0; i < 8; i++) {
		low[i] = v[i] < 5 ? 5 : v[i];
		high[i] = v[i] > 5 ? 5 : v[i];
	}
	CHECK_OK(dpr_clip(x, 5, dpr_operand_none(), &y));
	expect_near(y, dtype, low, 8, 1, 0, "from below");
	CHECK_OK(dpr_clip(x, dpr_operand_none(), 5, &y));
	expect_near(y, dtype, high, 8, 1, 0, "from above");
	CHECK_OK(dpr_clip(x, dpr_operand_none(), dpr_operand_none(), &y));
	expect_near(y, dtype, v, 8, 1, 0, "no bound");
	CHECK_OK(dpr_clip(x, dpr_operand_none(), x, &y));
	expect_near(y, dtype, v, 8, 1, 0, "its own bound");
	CHECK_OK(dpr_empty_like(x, DPR_DTYPE_DEFAULT, &y));
	CHECK_OK(dpr_clip_into(x, dpr_operand_none(), 5, y));
	expect_near(y, dtype, high, 8, 1, 0, "into");
	CHECK_OK(dpr_evaluate("clip(clip(x, max=5), 5) + clip(x + 0, None, 5)",
			      NULL, &y, "x", x));
	CHECK_OK(dpr_evaluate("minimum(maximum(minimum(x, 5), 5), 5) + "
			      "minimum(x, 5)",
			      NULL, &z, "x", x));
	if (kind == 'f') {
		dpr_array_release(y);
		dpr_array_release(z);
	} else {
		expect_same(y, z, "texts");
	}
	dpr_array_release(x);
}
END_TEST

START_TEST(no_bounds_elsewhere)
{
	dpr_array *x, *y;

	x = array_in((double[]){ 1, 2 }, DPR_SHAPE(2), DPR_FLOAT32);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_add(x, dpr_operand_none(), &y));
	expect_text("add: result type: operand x2 is None, which bounds of "
		    "dpr_clip() may be");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_clip(dpr_operand_none(), x, x, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_clip(1, dpr_operand_none(), 2, &y));
	ck_assert(!strncmp(dpr_last_error(), "clip: ", 6));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("minimum(x, None)", NULL, &y, "x", x));
	dpr_array_release(x);
}
END_TEST

/* --- The namespace -------------------------------------------------------- */

START_TEST(namespace_info)
{
	dpr_namespace all, some;
	dpr_device *usual;

	CHECK_OK(dpr_namespace_info(test_device, NULL, &all));
	ck_assert_int_eq(all.boolean_indexing, 0);
	ck_assert_int_eq(all.data_dependent_shapes, 0);
	ck_assert_int_eq(all.max_dimensions, DPR_MAX_RANK);
	ck_assert_int_eq(all.real_floating, default_float());
	ck_assert_int_eq(all.complex_floating,
			 dpr_dtype_default(test_device, 'c'));
	ck_assert_int_eq(all.integral, DPR_INT64);
	ck_assert_int_eq(all.indexing, DPR_INT64);
	ck_assert_int_eq(all.n_dtypes, computes(DPR_FLOAT64) ? 15 : 13);
	for (uint32_t i = 0; i < 32; i++)
		ck_assert(i < all.n_dtypes ? computes(all.dtypes[i])
					   : !all.dtypes[i]);
	CHECK_OK(dpr_namespace_info(test_device, "signed integer", &some));
	ck_assert_int_eq(some.n_dtypes, 4);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert(dpr_isdtype(some.dtypes[i], "signed integer"));
	CHECK_OK(dpr_namespace_info(test_device, "bool", &some));
	ck_assert_int_eq(some.n_dtypes, 1);
	ck_assert_int_eq(some.dtypes[0], DPR_BOOL);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_namespace_info(test_device, "float", &some));
	expect_text("namespace info: there is no kind 'float'; the words are "
		    "those of dpr_isdtype()");
	ck_assert_int_eq(some.n_dtypes, 0);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_namespace_info(test_device, NULL, NULL));
	CHECK_OK(dpr_device_select(NULL, &usual));
	CHECK_OK(dpr_namespace_info(usual, NULL, &all));
	CHECK_OK(dpr_namespace_info(NULL, NULL, &some));
	ck_assert(!memcmp(&all, &some, sizeof(all)));
}
END_TEST

static Suite *two_results(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("two_results");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, quotients_and_remainders, 0, DTYPES);
	tcase_add_loop_test(tcase, parts_of_floats, 0, DTYPES);
	tcase_add_loop_test(tcase, mantissas, 0, DTYPES);
	tcase_add_test(tcase, two_results_and_their_errors);
	tcase_add_test(tcase, in_expressions);
	tcase_add_test(tcase, faults_in_expressions);
	tcase_add_loop_test(tcase, one_bound, 0, DTYPES);
	tcase_add_test(tcase, no_bounds_elsewhere);
	tcase_add_test(tcase, namespace_info);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	const int failed = run_on_selected(two_results, NULL);

	if (dpr_finalize()) {
		printf("finalize: %s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	return failed;
}
