/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_no_lapack.c - linear algebra on CPUs without a library: the functions
 * that fail, the texts of these errors, and the functions that work.
 */
#include "tests/linalg/matrices.h"

/* The functions that need a library, in expressions. */
static const char *const needing[] = {
	"cholesky(x)",
	"cond(x)",
	"cond(x, 1)",
	"det(x)",
	"eig(x)",
	"eigh(x)",
	"eigvals(x)",
	"eigvalsh(x)",
	"inv(x)",
	"lstsq(x, x)",
	"lu(x)",
	"matrix_norm(x, 'nuc')",
	"matrix_norm(x, 2)",
	"matrix_norm(x, -2)",
	"matrix_power(x, -3)",
	"matrix_rank(x)",
	"pinv(x)",
	"qr(x)",
	"slogdet(x)",
	"solve(x, x)",
	"solve_triangular(x, x)",
	"svd(x)",
	"svdvals(x)",
};

/* The other functions of the linalg extension of the array API, and what they
   give for a 2 x 2 matrix of ones. */
static const struct {
	const char *text;
	double value;
} free_of_library[] = {
	{ "cross(ones(3)*x[0, 0], arange(3))[0]", 1 },
	{ "diagonal(x)[1]", 1 },
	{ "(x @ x)[0, 0]", 2 },
	{ "matrix_norm(x)", 2 },
	{ "matrix_norm(x, 1)", 2 },
	{ "matrix_norm(x, -inf)", 2 },
	{ "matrix_power(x, 3)[0, 1]", 4 },
	{ "matrix_transpose(x)[0, 0]", 1 },
	{ "outer(x[0], x[1])[0, 0]", 1 },
	{ "tensordot(x, x, 1)[0, 0]", 2 },
	{ "trace(x)", 2 },
	{ "vecdot(x, x)[0]", 2 },
	{ "vector_norm(x)", 2 },
};

/* Check that @text fails, with the name of its function and a package. */
static void expect_needs(const char *text, dpr_array *x)
{
	const dpr_binding binding = { "x", dpr_operand_array(x) };
	dpr_array *made[3] = { x, x, x };
	dpr_expression *expression;
	char begin[60];
	size_t n;

	CHECK_OK(dpr_expression_create(text, &expression));
	n = dpr_expression_result_count(expression);
	ck_assert_uint_le(n, 3);
	ck_assert_msg(dpr_expression_apply(expression, &binding, 1, NULL, made,
					   n) == DPR_ERROR_UNSUPPORTED,
		      "%s: %s", text, dpr_last_error());
	for (size_t i = 0; i < n; i++)
		ck_assert_ptr_null(made[i]);
	dpr_expression_release(expression);
	snprintf(begin, sizeof(begin), "column 1: %.*s: no library with ",
		 (int)strcspn(text, "("), text);
	expect_error(begin);
	expect_error("install OpenBLAS (Debian and Ubuntu: "
		     "libopenblas0-pthread; Fedora: ");
}

START_TEST(no_library)
{
	dpr_array *x, *y = NULL;
	double got;

	CHECK_OK(dpr_ones(DPR_SHAPE(2, 2), DPR_FLOAT32, test_queue, &x));
	for (size_t i = 0; i < sizeof(needing) / sizeof(needing[0]); i++)
		expect_needs(needing[i], x);
	for (size_t i = 0;
	     i < sizeof(free_of_library) / sizeof(free_of_library[0]); i++) {
		CHECK_OK(dpr_evaluate(free_of_library[i].text, NULL, &y, "x",
				      x));
		CHECK_OK(dpr_array_item_double(y, &got));
		dpr_array_release(y);
		ck_assert_msg(got == free_of_library[i].value, "%s: %g",
			      free_of_library[i].text, got);
	}
	y = NULL;
	dpr_array_release(x);
	CHECK_OK(dpr_ones(DPR_SHAPE(2, 2), DPR_FLOAT64, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_solve(x, x, &y));
	expect_error("solve: no library with LAPACK's gesv for float64");
	expect_error("libopenblas0");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_matrix_power(x, -1, &y));
	expect_error("matrix_power: no library with LAPACK's gesv for float64");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_evaluate("pinv(x)", NULL, &y, "x", x));
	ck_assert_ptr_null(y);
	dpr_array_release(x);
}
END_TEST

static Suite *suite(const char *name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("no library");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, no_library);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	int failed;

	setvbuf(stdout, NULL, _IONBF, 0);
	setenv("DPR_OPTION_HOST_LAPACK", "none", 1);
	setenv("DPR_OPTION_HOST_BLAS", "none", 1);
	setenv("DPR_OPTION_OPENCL_LAPACK", "none", 1);
	setenv("DPR_OPTION_OPENCL_BLAS", "none", 1);
	failed = run_on_selected(suite, "cpu");
	if (dpr_finalize()) {
		printf("finalize: %s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	return failed;
}
