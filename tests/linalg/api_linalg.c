/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_linalg.c - factors, solutions, eigenvalues, singular values and norms on
 * all devices: by residuals, in every size and dtype, in batches and layouts.
 */
#include "tests/linalg/linalg_checks.h"

/* Run a check with case @i of a list.  @test: see linalg_begin(). */
static void run(void (*check)(struct linalg_case *c), const int64_t (*sizes)[3],
		int i, int test)
{
	struct linalg_case c;

	if (!linalg_begin(&c, sizes, i, test))
		return;
	check(&c);
	free(c.x.v);
}

/* --- Square matrices ------------------------------------------------------ */

START_TEST(cholesky)
{
	run(linalg_check_cholesky, linalg_squares, _i, 0);
}
END_TEST

START_TEST(solutions)
{
	run(linalg_check_solutions, linalg_squares, _i, 1);
}
END_TEST

START_TEST(triangular)
{
	run(linalg_check_triangular, linalg_squares, _i, 2);
}
END_TEST

START_TEST(determinants)
{
	run(linalg_check_determinants, linalg_squares, _i, 3);
}
END_TEST

START_TEST(eigh)
{
	run(linalg_check_eigh, linalg_squares, _i, 4);
}
END_TEST

START_TEST(eig)
{
	run(linalg_check_eig, linalg_squares, _i, 5);
}
END_TEST

/* --- Matrices of all shapes ------------------------------------------------
 */

START_TEST(lu)
{
	run(linalg_check_lu, linalg_others, _i, 0);
}
END_TEST

START_TEST(qr)
{
	run(linalg_check_qr, linalg_others, _i, 1);
}
END_TEST

START_TEST(svd)
{
	run(linalg_check_svd, linalg_others, _i, 2);
}
END_TEST

START_TEST(norms)
{
	run(linalg_check_norms, linalg_others, _i, 3);
}
END_TEST

/* Matrices of full rank, and of the rank 2. */
START_TEST(pinv_and_lstsq)
{
	struct linalg_case c;

	if (!linalg_begin(&c, linalg_others, _i, 0))
		return;
	linalg_check_pinv_and_lstsq(
		&c, c.min > 2 && (c.min > 64 || _i % 2) ? 2 : c.min);
	free(c.x.v);
}
END_TEST

/* Explain an expression of x, and check that the text has @path or, with NULL,
   nothing about a LAPACK. */
static void check_path(const char *expression, const dpr_array *x,
		       const char *path)
{
	const dpr_binding binding = { "x", dpr_operand_array(x) };
	dpr_expression *e;
	char *text;

	CHECK_OK(dpr_expression_create(expression, &e));
	CHECK_OK(dpr_expression_explain(e, &binding, 1, NULL, &text));
	ck_assert_msg(path ? strstr(text, path) != NULL
			   : strstr(text, "LAPACK") == NULL,
		      "%s", text);
	dpr_free(text);
	dpr_expression_release(e);
}

/* An explanation says where the library computes: on the device, or in host
   memory if the device does not have the routine. */
START_TEST(explained)
{
	static const struct {
		const char *expression, *routine;
	} cases[] = { { "inv(x) * 2", "gesv float32" },
		      { "w, v = eigh(x); v + 1", "syevd float32" } };
	dpr_array *x;

	CHECK_OK(dpr_eye(3, 3, 0, DPR_FLOAT32, test_queue, &x));
	for (int i = 0; i < 2; i++) {
		const char *name = cases[i].routine;
		const dpr_image image = { "calls-1", NULL, name, strlen(name) };
		dpr_program *program = NULL;
		const bool away = dpr_program_build(test_queue, &image, 1, NULL,
						    &program);

		dpr_program_release(program);
		check_path(cases[i].expression, x,
			   away ? "eager, LAPACK through host memory\n"
				: "eager, LAPACK\n");
	}
	check_path("x @ x + 1", x, NULL);
	dpr_array_release(x);
}
END_TEST

static Suite *linear_algebra(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("linalg");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, cholesky, 0, LINALG_SQUARES);
	tcase_add_loop_test(tcase, solutions, 0, LINALG_SQUARES);
	tcase_add_loop_test(tcase, triangular, 0, LINALG_SQUARES);
	tcase_add_loop_test(tcase, determinants, 0, LINALG_SQUARES);
	tcase_add_loop_test(tcase, eigh, 0, LINALG_SQUARES);
	tcase_add_loop_test(tcase, eig, 0, LINALG_SQUARES);
	tcase_add_loop_test(tcase, lu, 0, LINALG_OTHERS);
	tcase_add_loop_test(tcase, qr, 0, LINALG_OTHERS);
	tcase_add_loop_test(tcase, svd, 0, LINALG_OTHERS);
	tcase_add_loop_test(tcase, norms, 0, LINALG_OTHERS);
	tcase_add_loop_test(tcase, pinv_and_lstsq, 0, LINALG_OTHERS);
	tcase_add_test(tcase, explained);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return linalg_run(linear_algebra);
}
