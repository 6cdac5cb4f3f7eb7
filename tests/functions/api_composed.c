/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_composed.c - the functions of dpr/derived.h: of every layout and dtype,
 * from C and in expressions; isclose and allclose beside a loop in C; and the
 * texts of errors.
 */
#include "tests/support/real_arrays.h"

/* --- Views ---------------------------------------------------------------- */

/* A view of 9 axes, with elements in reverse order, with gaps, and with axes
   that are broadcast; a copy of it is *@copy. */
static dpr_array *view_of_nine(dpr_dtype dtype, dpr_array **copy)
{
	double v[MOST];
	dpr_array *x, *part, *view;

	for (int i = 0; i < 288; i++)
		v[i] = i * 7 % 11 % 3 + (i % 5 == 0);
	x = array_in(v, DPR_SHAPE(2, 1, 6, 1, 1, 2, 4, 1, 3), dtype);
	CHECK_OK(dpr_array_view(x, &part, DPR_SLICE(DPR_OPEN, DPR_OPEN, -1),
				DPR_ALL, DPR_SLICE(1, 6, 2), DPR_ALL, DPR_ALL,
				DPR_ALL, DPR_SLICE(DPR_OPEN, DPR_OPEN, -2)));
	CHECK_OK(dpr_broadcast_to(part, DPR_SHAPE(2, 2, 3, 1, 2, 2, 2, 1, 3),
				  &view));
	CHECK_OK(dpr_copy(view, copy));
	dpr_array_release(part);
	dpr_array_release(x);
	return view;
}

/* Calls of the C functions.  Functions of one array ignore @y. */
static dpr_status try_isclose(const dpr_array *x, const dpr_array *y,
			      dpr_array **out)
{
	return dpr_isclose(x, y, 0.3, 0.5, 0, out);
}

static dpr_status into_isclose(const dpr_array *x, const dpr_array *y,
			       dpr_array *out)
{
	return dpr_isclose_into(x, y, 0.3, 0.5, 0, out);
}

static dpr_status try_allclose(const dpr_array *x, const dpr_array *y,
			       dpr_array **out)
{
	return dpr_allclose(x, y, 0.3, 5, 1, out);
}

static dpr_status into_allclose(const dpr_array *x, const dpr_array *y,
				dpr_array *out)
{
	return dpr_allclose_into(x, y, 0.3, 5, 1, out);
}

static dpr_status try_vecdot(const dpr_array *x, const dpr_array *y,
			     dpr_array **out)
{
	return dpr_vecdot(x, y, 2, out);
}

static dpr_status into_vecdot(const dpr_array *x, const dpr_array *y,
			      dpr_array *out)
{
	return dpr_vecdot_into(x, y, 2, out);
}

static dpr_status try_cross(const dpr_array *x, const dpr_array *y,
			    dpr_array **out)
{
	return dpr_cross(x, y, 2, out);
}

static dpr_status into_cross(const dpr_array *x, const dpr_array *y,
			     dpr_array *out)
{
	return dpr_cross_into(x, y, 2, out);
}

static dpr_status try_norm(const dpr_array *x, const dpr_array *y,
			   dpr_array **out)
{
	(void)y;
	return dpr_vector_norm(x, DPR_AXES_KEPT(2, -1), INFINITY, out);
}

static dpr_status into_norm(const dpr_array *x, const dpr_array *y,
			    dpr_array *out)
{
	(void)y;
	return dpr_vector_norm_into(x, DPR_AXES_KEPT(2, -1), INFINITY, out);
}

static dpr_status try_trace(const dpr_array *x, const dpr_array *y,
			    dpr_array **out)
{
	(void)y;
	return dpr_trace(x, 1, DPR_DTYPE_DEFAULT, out);
}

static dpr_status into_trace(const dpr_array *x, const dpr_array *y,
			     dpr_array *out)
{
	(void)y;
	return dpr_trace_into(x, 1, DPR_DTYPE_DEFAULT, out);
}

static dpr_status try_average(const dpr_array *x, const dpr_array *y,
			      dpr_array **out)
{
	return dpr_average(x, DPR_AXES(0), y, out);
}

static dpr_status into_average(const dpr_array *x, const dpr_array *y,
			       dpr_array *out)
{
	return dpr_average_into(x, DPR_AXES(0), y, out);
}

static dpr_status try_one_hot(const dpr_array *x, const dpr_array *y,
			      dpr_array **out)
{
	(void)y;
	return dpr_one_hot(x, 2, DPR_INT16, out);
}

static dpr_status into_one_hot(const dpr_array *x, const dpr_array *y,
			       dpr_array *out)
{
	(void)y;
	return dpr_one_hot_into(x, 2, DPR_INT16, out);
}

static dpr_status try_diff(const dpr_array *x, const dpr_array *y,
			   dpr_array **out)
{
	return dpr_diff(x, 2, 2, NULL, y, out);
}

static const struct {
	const char *text;
	dpr_status (*make)(const dpr_array *, const dpr_array *, dpr_array **);
	dpr_status (*write)(const dpr_array *, const dpr_array *, dpr_array *);
	const char *kinds; /* of the dtypes that the function takes */
} functions[] = {
	{ "isclose(x, y, 0.3, atol=0.5)", try_isclose, into_isclose, "biufc" },
	{ "allclose(x, y, 0.3, 5, equal_nan=True)", try_allclose, into_allclose,
	  "biufc" },
	{ "vecdot(x, y, axis=2)", try_vecdot, into_vecdot, "iufc" },
	{ "cross(x, y, 2)", try_cross, into_cross, "iufc" },
	{ "vector_norm(x, (2, -1), keepdims=True, ord=inf)", try_norm,
	  into_norm, "biufc" },
	{ "trace(x, 1)", try_trace, into_trace, "biufc" },
	{ "average(x, 0, weights=y)", try_average, into_average, "biufc" },
	{ "one_hot(x, 2, int16)", try_one_hot, into_one_hot, "iu" },
	{ "diff(x, n=2, axis=2, append=y)", try_diff, NULL, "biufc" },
};
#define FUNCTIONS ((int)(sizeof(functions) / sizeof(functions[0])))

/* A view gives what its copy gives, into a new array, into an existing array
   and in an expression. */
START_TEST(layouts)
{
	const int f = _i / DTYPES;
	const dpr_dtype dtype = dtypes[_i % DTYPES];
	const char kind = dpr_dtype_kind(dtype);
	dpr_array *view, *copy, *y, *z, *out;
	char text[200];

	if (!computes(dtype) || leaves_out(_i, 19))
		return;
	view = view_of_nine(dtype, &copy);
	if (!strchr(functions[f].kinds, kind)) {
		CHECK_FAILS(DPR_ERROR_DTYPE, functions[f].make(view, copy, &y));
		ck_assert_ptr_null(y);
	} else {
		CHECK_OK(functions[f].make(copy, copy, &y));
		CHECK_OK(functions[f].make(view, copy, &z));
		expect_same(y, z, functions[f].text);
		CHECK_OK(functions[f].make(copy, view, &y));
		snprintf(text, sizeof(text), "y = y0; x = x0; %s",
			 functions[f].text);
		CHECK_OK(dpr_evaluate(text, NULL, &z, "x0", view, "y0", copy));
		expect_same(y, z, functions[f].text);
		snprintf(text, sizeof(text), "y = y0; x = x0 + 0; %s",
			 functions[f].text);
		CHECK_OK(functions[f].make(view, copy, &y));
		if (kind != 'b') {
			CHECK_OK(dpr_evaluate(text, NULL, &z, "x0", view, "y0",
					      copy));
			dpr_array_retain(y);
			expect_same(y, z, text);
		}
		if (functions[f].write) {
			CHECK_OK(dpr_zeros_like(y, DPR_DTYPE_DEFAULT, &out));
			CHECK_OK(functions[f].write(view, copy, out));
			dpr_array_retain(y);
			expect_same(y, out, functions[f].text);
		}
		dpr_array_release(y);
	}
	dpr_array_release(view);
	dpr_array_release(copy);
}
END_TEST

/* --- Comparisons ---------------------------------------------------------- */

static bool close_to(double a, double b, double rtol, double atol, bool nan)
{
	if (isnan(a) || isnan(b))
		return nan && isnan(a) && isnan(b);
	if (isinf(a) || isinf(b))
		return a == b;
	return fabs(a - b) <= atol + rtol * fabs(b);
}

START_TEST(close_numbers)
{
	static const double numbers[] = { 0,    -0.0,     1,        1.0625,
					  -1,   1.25,     INFINITY, -INFINITY,
					  NAN,  1024,     1088,     0.5,
					  3e-5, -3.25e-5, 20000,    40000 };
	static const double tolerances[][2] = { { 0, 0 },
						{ 0.1, 0 },
						{ 0, 0.1 },
						{ 0.05, 1e-6 },
						{ 0.01, INFINITY } };
	enum { N = sizeof(numbers) / sizeof(numbers[0]) };
	const dpr_dtype dtype = dtypes[_i];
	double v[N], want[N * N];
	dpr_array *x, *column, *y;

	if (!computes(dtype) || leaves_out(_i, 5))
		return;
	x = array_in(numbers, DPR_SHAPE(N), dtype);
	if (dpr_dtype_kind(dtype) == 'c')
		x = cast(x, dtype);
	if (dpr_dtype_kind(dtype) != 'f' && dpr_dtype_kind(dtype) != 'c') {
		dpr_array_release(x);
		x = array_in((double[N]){ 0, 1, 2, 20, 22, 100, 110 },
			     DPR_SHAPE(N), dtype);
	}
	CHECK_OK(dpr_real(x, &y));
	ck_assert_int_eq(read_real(y, v), N);
	dpr_array_release(y);
	CHECK_OK(dpr_reshape(x, DPR_SHAPE(N, 1), &column));
	for (int t = 0; t < 10; t++) {
		const double rtol = tolerances[t / 2][0];
		const double atol = tolerances[t / 2][1];

		for (int i = 0; i < N * N; i++)
			want[i] =
				close_to(v[i / N], v[i % N], rtol, atol, t % 2);
		CHECK_OK(dpr_isclose(column, x, rtol, atol, t % 2, &y));
		expect_near(y, DPR_BOOL, want, (int64_t)N * N, 1, 0,
			    dpr_dtype_name(dtype));
	}
	dpr_array_release(column);
	dpr_array_release(x);
}
END_TEST

/* For complex numbers the distance counts; an infinite number is close to
   itself. */
START_TEST(close_complex)
{
	const float data[] = { 3,        4, 3,   4.5f, INFINITY, 1,
			       INFINITY, 1, NAN, 1,    0,        0 };
	const float other[] = { 3, 4,        3.3f, 4.1f, INFINITY, 1,
				1, INFINITY, NAN,  1,    0,        0.6f };
	const double want[] = { 1, 1, 1, 0, 0, 0 };
	const double equal[] = { 1, 1, 1, 0, 1, 0 };
	dpr_array *x, *y, *z;

	CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(6), NULL, DPR_COMPLEX64,
				       test_queue, &x));
	CHECK_OK(dpr_array_from_memory(other, DPR_SHAPE(6), NULL, DPR_COMPLEX64,
				       test_queue, &y));
	CHECK_OK(dpr_isclose(x, y, 0, 0.55, 0, &z));
	expect_near(z, DPR_BOOL, want, 6, 1, 0, "complex");
	CHECK_OK(dpr_isclose(x, y, 0, 0.55, 1, &z));
	expect_near(z, DPR_BOOL, equal, 6, 1, 0, "complex, equal_nan");
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

START_TEST(close_numbers_and_none)
{
	const double v[] = { 1, 2, 1.00001 };
	dpr_array *x = array_in(v, DPR_SHAPE(3), DPR_FLOAT32), *y, *none;

	CHECK_OK(dpr_isclose(x, 1, 1e-4, 0, 0, &y));
	expect_near(y, DPR_BOOL, (double[]){ 1, 0, 1 }, 3, 1, 0, "a number");
	CHECK_OK(dpr_isclose(2.5f, x, 0, 0.5, 0, &y));
	expect_near(y, DPR_BOOL, (double[]){ 0, 1, 0 }, 3, 1, 0, "a number");
	CHECK_OK(dpr_allclose(x, x, 0, 0, 0, &y));
	ck_assert_int_eq(dpr_array_rank(y), 0);
	expect_near(y, DPR_BOOL, (double[]){ 1 }, 1, 1, 0, "all");
	CHECK_OK(dpr_allclose(x, 1, 1e-4, 0, 0, &y));
	expect_near(y, DPR_BOOL, (double[]){ 0 }, 1, 1, 0, "not all");
	CHECK_OK(dpr_zeros(DPR_SHAPE(0, 3), DPR_FLOAT32, test_queue, &none));
	CHECK_OK(dpr_allclose(none, x, 0, 0, 0, &y));
	expect_near(y, DPR_BOOL, (double[]){ 1 }, 1, 1, 0, "none");
	CHECK_OK(dpr_isclose(none, x, 0, 0, 1, &y));
	ck_assert_int_eq(dpr_array_size(y), 0);
	ck_assert_int_eq(dpr_array_rank(y), 2);
	dpr_array_release(y);
	CHECK_OK(dpr_evaluate("isclose(x, 2, atol=0.5) & isclose(1, 1 + 1e-9)",
			      NULL, &y, "x", x));
	expect_near(y, DPR_BOOL, (double[]){ 0, 1, 0 }, 3, 1, 0, "text");
	dpr_array_release(none);
	dpr_array_release(x);
}
END_TEST

/* --- Errors --------------------------------------------------------------- */

static void try_products(dpr_array *x, dpr_array *out, dpr_array *flags,
			 dpr_array *number)
{
	dpr_array *y;

	CHECK_FAILS(DPR_ERROR_INDEX, dpr_vecdot(x, x, 2, &y));
	expect_text("vecdot: there is no axis 2 in x1, an array of 2 axes");
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_vecdot(x, number, -1, &y));
	expect_text("vecdot: there is no axis -1 in x2, an array of 0 axes");
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_vecdot(x, out, 0, &y));
	expect_text("vecdot: x1 has 2 axes and x2 has 1; count axis 0 from the "
		    "end, as a negative number");
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_vecdot(x, out, -1, &y));
	expect_text("vecdot: the axis has the extent 4 in x1 and 3 in x2");
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_vecdot(flags, flags, -1, &y));
	expect_text("vecdot: does not take bool");
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_cross(out, x, -1, &y));
	expect_text("cross: the axis has the extent 4 in x2, but vectors have "
		    "3 elements");
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_outer(out, x, &y));
	expect_text("outer: x2 has 2 axes, not one; dpr_reshape() gives it "
		    "one");
}

START_TEST(errors)
{
	dpr_array *x, *y, *flags, *number, *out;

	CHECK_OK(dpr_zeros(DPR_SHAPE(2, 4), DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_zeros(DPR_SHAPE(4), DPR_BOOL, test_queue, &flags));
	CHECK_OK(dpr_zeros(DPR_SCALAR_SHAPE, DPR_FLOAT32, test_queue, &number));
	CHECK_OK(dpr_zeros(DPR_SHAPE(3), DPR_FLOAT32, test_queue, &out));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_isclose(x, out, 0, 0, 0, &y));
	expect_text("isclose: x1 of shape (2, 4) and x2 of shape (3,) do not "
		    "broadcast (axis 1 of the result)");
	ck_assert_ptr_null(y);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_isclose((dpr_array *)NULL, x, 0, 0, 0, &y));
	expect_text("isclose: x1 is NULL");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_allclose(x, x, 0, 0, 0, NULL));
	expect_text("allclose: out is NULL");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_isclose(1, 2, 0, 0, 0, &y));
	ck_assert(!strncmp(dpr_last_error(), "isclose: ", 9));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_isclose_into(x, x, 0, 0, 0, flags));
	ck_assert(!strncmp(dpr_last_error(), "isclose: ", 9));
	try_products(x, out, flags, number);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_vector_norm(x, NULL, NAN, &y));
	expect_text("vector_norm: ord is nan; it is a finite number other than "
		    "0, or written as 0, inf or -inf");
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_vector_norm(x, DPR_AXES(3), 1, &y));
	expect_text("vector_norm: there is no axis 3 in an array of 2 axes");
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_trace(out, 0, DPR_DTYPE_DEFAULT, &y));
	expect_text("trace: the array has 1 axes; a matrix has 2");
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_trace(x, 0, (dpr_dtype)99, &y));
	expect_text("trace: 99 is not a dtype");
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_average(x, DPR_AXES(2), x, &y));
	expect_text("average: there is no axis 2 in an array of 2 axes");
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_one_hot(x, 2, DPR_INT8, &y));
	expect_text("one_hot: the indices are float32 but must be integers");
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_diff(x, 2, 1, NULL, NULL, &y));
	expect_text("diff: there is no axis 2 in an array of 2 axes");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_diff(x, 0, -1, NULL, NULL, &y));
	expect_text("diff: n is -1, but must be 0 or more");
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_diff(x, 0, 1, NULL, out, &y));
	expect_text("diff: append has 1 axes, but x has 2");
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_diff(x, 0, 1, out, x, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("vector_norm(x, ord=p)", NULL, &y, "x", x, "p",
				 0));
	dpr_array_release(out);
	dpr_array_release(number);
	dpr_array_release(flags);
	dpr_array_release(x);
}
END_TEST

static Suite *composed(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("composed");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, layouts, 0, FUNCTIONS * DTYPES);
	tcase_add_loop_test(tcase, close_numbers, 0, DTYPES);
	tcase_add_test(tcase, close_complex);
	tcase_add_test(tcase, close_numbers_and_none);
	tcase_add_test(tcase, errors);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	const int failed = run_on_selected(composed, NULL);

	if (dpr_finalize()) {
		printf("finalize: %s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	return failed;
}
