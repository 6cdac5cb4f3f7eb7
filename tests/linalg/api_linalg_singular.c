/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_linalg_singular.c - each function of linear algebra on all devices, in
 * all dtypes: singular matrices, and matrices with NaN and infinity.
 */
#include "tests/linalg/linalg_cases.h"

/* --- Functions ------------------------------------------------------------ */

/* Calls with one array as all operands. */
#define CALL(name, call)                                          \
	static dpr_status name(const dpr_array *x, dpr_array **y, \
			       dpr_array **z, dpr_array **w)      \
	{                                                         \
		(void)z;                                          \
		(void)w;                                          \
		return call;                                      \
	}

CALL(cholesky, dpr_cholesky(x, 0, y))
CALL(solve, dpr_solve(x, x, y))
CALL(solve_triangular, dpr_solve_triangular(x, x, 1, 0, y))
CALL(inv, dpr_inv(x, y))
CALL(matrix_power, dpr_matrix_power(x, -1, y))
CALL(det, dpr_det(x, y))
CALL(slogdet, dpr_slogdet(x, y, z))
CALL(lu, dpr_lu(x, y, z, w))
CALL(qr, dpr_qr(x, DPR_QR_COMPLETE, y, z))
CALL(eigh, dpr_eigh(x, 1, y, z))
CALL(eigvalsh, dpr_eigvalsh(x, 0, y))
CALL(eig, dpr_eig(x, y, z))
CALL(eigvals, dpr_eigvals(x, y))
CALL(svd, dpr_svd(x, 1, y, z, w))
CALL(svdvals, dpr_svdvals(x, y))
CALL(pinv, dpr_pinv(x, dpr_operand_none(), y))
CALL(matrix_rank, dpr_matrix_rank(x, dpr_operand_none(), y))
CALL(nuclear_norm, dpr_matrix_norm(x, DPR_NORM_NUC, 0, y))
CALL(condition, dpr_cond(x, DPR_NORM_2, y))
CALL(condition_1, dpr_cond(x, DPR_NORM_1, y))
CALL(lstsq, dpr_lstsq(x, x, dpr_operand_none(), y, z, w))

static const struct {
	const char *name;
	dpr_status (*call)(const dpr_array *x, dpr_array **y, dpr_array **z,
			   dpr_array **w);
	bool is_refused; /* a singular matrix has no result */
} names[] = {
	{ "cholesky", cholesky, true },
	{ "solve", solve, true },
	{ "solve_triangular", solve_triangular, true },
	{ "inv", inv, true },
	{ "matrix_power", matrix_power, true },
	{ "det", det, false },
	{ "slogdet", slogdet, false },
	{ "lu", lu, false },
	{ "qr", qr, false },
	{ "eigh", eigh, false },
	{ "eigvalsh", eigvalsh, false },
	{ "eig", eig, false },
	{ "eigvals", eigvals, false },
	{ "svd", svd, false },
	{ "svdvals", svdvals, false },
	{ "pinv", pinv, false },
	{ "matrix_rank", matrix_rank, false },
	{ "matrix_norm", nuclear_norm, false },
	{ "cond", condition, false },
	{ "cond, norm 1", condition_1, false },
	{ "lstsq", lstsq, false },
};
#define NAMES ((int)(sizeof(names) / sizeof(names[0])))

static const int64_t sizes[] = { 1, 2, 3, 7, 64 };
#define SIZES ((int)(sizeof(sizes) / sizeof(sizes[0])))

/* Three Hermitian positive definite matrices.  Row and column @k of the second
   one get the number @bad. */
static bool begin(struct linalg_case *c, int i, double bad)
{
	const int64_t n = sizes[i / 4], size[1][3] = { { 3, n, n } };

	if (!linalg_begin(c, size, i % 4, 0) || leaves_out(i, 7))
		return false;
	c->layout = i % LAYOUTS;
	linalg_hermitian(&c->x, true);
	for (int64_t p = 0; p < n; p++)
		matrix_at(&c->x, 1)[n / 2 * n + p] =
			matrix_at(&c->x, 1)[p * n + n / 2] = bad;
	c->a = linalg_array(c, &c->x);
	return true;
}

/* Check a number of the second matrix, and release the array. */
static void expect_second(dpr_array *y, dpr_dtype dtype, double want,
			  const char *what)
{
	struct matrices x = matrices_take(y, dtype, 0, what);

	ck_assert_msg(x.v[1] == want, "%s: %g", what, creal(x.v[1]));
	ck_assert_msg(x.v[0] != want && x.v[2] != want, "%s: %g, %g", what,
		      creal(x.v[0]), creal(x.v[2]));
	free(x.v);
}

/* The values that say that the second matrix is singular. */
static void expect_singular(const struct linalg_case *c)
{
	dpr_array *y, *z;

	CHECK_OK(dpr_det(c->a, &y));
	expect_second(y, c->dtype, 0, "det");
	CHECK_OK(dpr_slogdet(c->a, &y, &z));
	expect_second(y, c->dtype, 0, "sign");
	expect_second(z, linalg_real(c->dtype), -INFINITY, "logabsdet");
	CHECK_OK(dpr_matrix_rank(c->a, dpr_operand_none(), &y));
	expect_second(y, DPR_INT64, (double)(c->n - 1), "rank");
	CHECK_OK(dpr_cond(c->a, DPR_NORM_1, &y));
	expect_second(y, linalg_real(c->dtype), INFINITY, "cond");
}

START_TEST(singular)
{
	struct linalg_case c;

	if (!begin(&c, _i, 0))
		return;
	for (int k = 0; k < NAMES; k++) {
		dpr_array *y = c.a, *z = c.a, *w = c.a;
		const dpr_status status = names[k].call(c.a, &y, &z, &w);

		ck_assert_msg(status == (names[k].is_refused ? DPR_ERROR_LINALG
							     : DPR_OK),
			      "%s: %s: %s", names[k].name,
			      dpr_status_name(status), dpr_last_error());
		if (status) {
			ck_assert_msg(strstr(dpr_last_error(), "[1] is"), "%s",
				      dpr_last_error());
			ck_assert_ptr_null(y);
			continue;
		}
		dpr_array_release(y);
		if (z != c.a)
			dpr_array_release(z);
		if (w != c.a)
			dpr_array_release(w);
	}
	expect_singular(&c);
	dpr_array_release(c.a);
	free(c.x.v);
}
END_TEST

/* Each function succeeds, or says that there is no result. */
START_TEST(not_finite)
{
	static const double bad[] = { NAN, INFINITY, -INFINITY };
	struct linalg_case c;

	if (!begin(&c, _i / 3, bad[_i % 3]))
		return;
	for (int k = 0; k < NAMES; k++) {
		dpr_array *y = NULL, *z = NULL, *w = NULL;
		const dpr_status status = names[k].call(c.a, &y, &z, &w);

		ck_assert_msg(!status || status == DPR_ERROR_LINALG,
			      "%s: %s: %s", names[k].name,
			      dpr_status_name(status), dpr_last_error());
		ck_assert(!status == (y != NULL));
		dpr_array_release(y);
		dpr_array_release(z);
		dpr_array_release(w);
	}
	dpr_array_release(c.a);
	free(c.x.v);
}
END_TEST

static Suite *bad_matrices(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("singular");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, singular, 0, 4 * SIZES);
	tcase_add_loop_test(tcase, not_finite, 0, 12 * SIZES);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return linalg_run(bad_matrices);
}
