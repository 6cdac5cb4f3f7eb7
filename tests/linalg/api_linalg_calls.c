/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_linalg_calls.c - linear algebra on all devices: norms beside loops, empty
 * matrices, vectors and broadcast batches, expressions, matrices without a
 * result, and bad arguments.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/linalg/matrices.h"

/* Set in a child process in which there is no LAPACK. */
static bool without;

/* An array of @dtype with the elements @v. */
static dpr_array *array_of(const float *v, dpr_shape shape, dpr_dtype dtype)
{
	dpr_array *x, *y;

	CHECK_OK(dpr_array_from_memory(v, shape, NULL, DPR_FLOAT32, test_queue,
				       &x));
	CHECK_OK(dpr_astype(x, dtype, &y));
	dpr_array_release(x);
	return y;
}

static dpr_array *empty(dpr_shape shape)
{
	dpr_array *x;

	CHECK_OK(dpr_zeros(shape, DPR_FLOAT32, test_queue, &x));
	return x;
}

/* Check the shape and the elements of a float32 array, and release it.  @v
   NULL: the shape alone. */
static void expect(dpr_array *x, dpr_shape shape, const float *v,
		   const char *what)
{
	const int64_t *have = dpr_array_shape(x);
	int64_t n = 1;
	dpr_array *all;
	float got[64];

	ck_assert_msg(dpr_array_rank(x) == shape.rank, "%s: %d axes", what,
		      dpr_array_rank(x));
	for (int d = 0; d < shape.rank; d++) {
		ck_assert_msg(have[d] == shape.dim[d], "%s: axis %d is %lld",
			      what, d, (long long)have[d]);
		n *= have[d];
	}
	CHECK_OK(dpr_astype(x, DPR_FLOAT32, &all));
	CHECK_OK(dpr_array_to_memory(all, got, sizeof(got), NULL));
	for (int64_t i = 0; v && i < n; i++)
		ck_assert_msg(got[i] == v[i] ||
				      (isfinite(v[i]) &&
				       fabsf(got[i] - v[i]) <=
					       2e-5f * (1 + fabsf(v[i]))),
			      "%s, element %lld: %g, not %g", what,
			      (long long)i, (double)got[i], (double)v[i]);
	dpr_array_release(all);
	dpr_array_release(x);
}

/* --- Norms ---------------------------------------------------------------- */

/* Norms of (1 -2; 3 4; 0 -5), in the order of dpr_norm.  0: see below. */
static const float six[] = { 1, -2, 3, 4, 0, -5 };
static const float norms[] = { 7.4161985f, 0, 11, 4, 0, 0, 7, 3 };

START_TEST(matrix_norms)
{
	dpr_array *x = array_of(six, DPR_SHAPE(3, 2), DPR_FLOAT32), *y, *z;
	dpr_array *big;

	for (int ord = DPR_NORM_FRO; ord <= DPR_NORM_MINUS_INF; ord++) {
		const bool svd = ord == DPR_NORM_NUC || ord == DPR_NORM_2 ||
				 ord == DPR_NORM_MINUS_2;
		float want = norms[ord];

		if (svd && without)
			continue;
		/* The singular values a and b: a^2 + b^2 = 55, and a^2 b^2 is
		   the determinant of x^T x. */
		if (svd) {
			const double a =
				sqrt((55 + sqrt(55 * 55 - 4 * 350)) / 2);
			const double b = sqrt(55 - a * a);

			want = (float)(ord == DPR_NORM_NUC ? a + b
				       : ord == DPR_NORM_2 ? a
							   : b);
		}
		CHECK_OK(dpr_matrix_norm(x, (dpr_norm)ord, 0, &y));
		expect(y, DPR_SCALAR_SHAPE, &want, "matrix_norm");
		CHECK_OK(dpr_matrix_norm(x, (dpr_norm)ord, 1, &y));
		expect(y, DPR_SHAPE(1, 1), &want, "matrix_norm, keepdims");
	}
	/* Squares would overflow; a batch with a matrix of zeros. */
	CHECK_OK(dpr_multiply(x, 1e30, &big));
	CHECK_OK(dpr_multiply(x, 0, &y));
	CHECK_OK(dpr_stack((const dpr_array *[]){ big, y }, 2, 0, &z));
	dpr_array_release(y);
	CHECK_OK(dpr_matrix_norm(z, DPR_NORM_FRO, 0, &y));
	expect(y, DPR_SHAPE(2), (float[]){ 7.4161985e30f, 0 }, "large");
	dpr_array_release(big);
	dpr_array_release(z);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_matrix_norm(x, (dpr_norm)8, 0, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_cond(x, (dpr_norm)-1, &y));
	dpr_array_release(x);
	x = empty(DPR_SHAPE(2, 0, 3));
	CHECK_OK(dpr_matrix_norm(x, DPR_NORM_FRO, 0, &y));
	expect(y, DPR_SHAPE(2), (float[]){ 0, 0 }, "of nothing");
	CHECK_OK(dpr_matrix_norm(x, DPR_NORM_NUC, 1, &y));
	expect(y, DPR_SHAPE(2, 1, 1), (float[]){ 0, 0 }, "of nothing");
	for (int ord = DPR_NORM_1; ord <= DPR_NORM_MINUS_INF; ord++) {
		/* There are columns, but no rows and no singular values. */
		if (ord == DPR_NORM_MINUS_2 || ord == DPR_NORM_MINUS_INF) {
			CHECK_FAILS(DPR_ERROR_SHAPE,
				    dpr_matrix_norm(x, (dpr_norm)ord, 0, &y));
			continue;
		}
		CHECK_OK(dpr_matrix_norm(x, (dpr_norm)ord, 0, &y));
		expect(y, DPR_SHAPE(2), (float[]){ 0, 0 }, "of nothing");
	}
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_cond(x, DPR_NORM_2, &y));
	dpr_array_release(x);
}
END_TEST

/* The condition of a matrix, of a singular one and of its batch. */
START_TEST(conditions)
{
	static const float two[] = { 2, 0, 0, 0.5f, 1, 2, 2, 4 };
	dpr_array *x = array_of(two, DPR_SHAPE(2, 2, 2), DPR_FLOAT32), *y;

	if (without)
		goto out;
	for (int ord = DPR_NORM_FRO; ord <= DPR_NORM_MINUS_INF; ord++) {
		const float want[] = { ord == DPR_NORM_FRO ||
						       ord == DPR_NORM_NUC
					       ? (ord ? 6.25f : 4.25f)
				       : ord % 2 ? 0.25f
						 : 4,
				       INFINITY };

		if (ord == DPR_NORM_2 || ord == DPR_NORM_MINUS_2)
			continue;
		CHECK_OK(dpr_cond(x, (dpr_norm)ord, &y));
		expect(y, DPR_SHAPE(2), want, "cond");
	}
	CHECK_OK(dpr_evaluate("cond(x[0]) + 0*cond(x[0], -2)", NULL, &y, "x",
			      x));
	expect(y, DPR_SCALAR_SHAPE, (float[]){ 4 }, "cond");
	CHECK_OK(dpr_evaluate("cond(x)[1] > 1e6", NULL, &y, "x", x));
	expect(y, DPR_SCALAR_SHAPE, (float[]){ 1 }, "cond, singular");
	dpr_array_release(x);
	x = array_of((float[]){ 0, 0, 0, 0, NAN, 0, 0, 1 }, DPR_SHAPE(2, 2, 2),
		     DPR_FLOAT32);
	CHECK_OK(dpr_evaluate("isnan(cond(x, 1))", NULL, &y, "x", x));
	expect(y, DPR_SHAPE(2), (float[]){ 0, 1 }, "cond, NaN");
	CHECK_OK(dpr_evaluate("cond(x[0]) + cond(x[0], -2)", NULL, &y, "x", x));
	expect(y, DPR_SCALAR_SHAPE, (float[]){ INFINITY }, "cond, zeros");
	dpr_array_release(x);
	/* The inverse of the first matrix overflows. */
	x = array_of((float[]){ 1e-39f, 0, 0, 1, 2, 0, 0, 2 },
		     DPR_SHAPE(2, 2, 2), DPR_FLOAT32);
	for (int ord = DPR_NORM_FRO; ord <= DPR_NORM_NUC; ord++) {
		CHECK_OK(dpr_cond(x, (dpr_norm)ord, &y));
		expect(y, DPR_SHAPE(2),
		       (float[]){ INFINITY, ord == DPR_NORM_NUC ? 4 : 2 },
		       "cond, overflow");
	}
	dpr_array_release(x);
	CHECK_OK(dpr_zeros(DPR_SHAPE(0, 3, 2), DPR_FLOAT32, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_cond(x, DPR_NORM_FRO, &y));
	dpr_array_release(x);
	x = array_of(six, DPR_SHAPE(3, 2), DPR_FLOAT32);
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_cond(x, DPR_NORM_1, &y));
out:
	dpr_array_release(x);
}
END_TEST

/* --- Shapes --------------------------------------------------------------- */

/* Matrices without elements, and batches without matrices.  No library is
   needed. */
START_TEST(nothing)
{
	static const float ones[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
	dpr_array *none = empty(DPR_SHAPE(0, 0)), *x, *y, *z, *w;
	dpr_array *wide = empty(DPR_SHAPE(0, 3)),
		  *tall = empty(DPR_SHAPE(3, 0));
	dpr_array *batch = empty(DPR_SHAPE(0, 2, 2));

	CHECK_OK(dpr_cholesky(none, 0, &x));
	expect(x, DPR_SHAPE(0, 0), NULL, "cholesky");
	CHECK_OK(dpr_inv(batch, &x));
	expect(x, DPR_SHAPE(0, 2, 2), NULL, "inv");
	CHECK_OK(dpr_det(none, &x));
	expect(x, DPR_SCALAR_SHAPE, ones, "det");
	CHECK_OK(dpr_det(batch, &x));
	expect(x, DPR_SHAPE(0), NULL, "det");
	CHECK_OK(dpr_slogdet(none, &x, &y));
	expect(x, DPR_SCALAR_SHAPE, ones, "sign");
	expect(y, DPR_SCALAR_SHAPE, ones + 1, "logabsdet");
	CHECK_OK(dpr_solve(none, wide, &x));
	expect(x, DPR_SHAPE(0, 3), NULL, "solve");
	CHECK_OK(dpr_solve_triangular(none, none, 0, 0, &x));
	expect(x, DPR_SHAPE(0, 0), NULL, "solve_triangular");
	CHECK_OK(dpr_lu(tall, &x, &y, &z));
	expect(x, DPR_SHAPE(3, 3), ones, "p");
	expect(y, DPR_SHAPE(3, 0), NULL, "l");
	expect(z, DPR_SHAPE(0, 0), NULL, "u");
	CHECK_OK(dpr_qr(tall, DPR_QR_COMPLETE, &x, &y));
	expect(x, DPR_SHAPE(3, 3), ones, "q");
	expect(y, DPR_SHAPE(3, 0), NULL, "r");
	CHECK_OK(dpr_qr(wide, DPR_QR_REDUCED, &x, &y));
	expect(x, DPR_SHAPE(0, 0), NULL, "q");
	expect(y, DPR_SHAPE(0, 3), NULL, "r");
	CHECK_OK(dpr_eigh(batch, 1, &x, &y));
	expect(x, DPR_SHAPE(0, 2), NULL, "values");
	expect(y, DPR_SHAPE(0, 2, 2), NULL, "vectors");
	CHECK_OK(dpr_eig(none, &x, &y));
	ck_assert_int_eq(dpr_array_dtype(x), DPR_COMPLEX64);
	dpr_array_release(x);
	dpr_array_release(y);
	CHECK_OK(dpr_svd(wide, 1, &x, &y, &z));
	expect(x, DPR_SHAPE(0, 0), NULL, "u");
	expect(y, DPR_SHAPE(0), NULL, "s");
	expect(z, DPR_SHAPE(3, 3), ones, "vh");
	CHECK_OK(dpr_svdvals(batch, &x));
	expect(x, DPR_SHAPE(0, 2), NULL, "svdvals");
	CHECK_OK(dpr_pinv(wide, dpr_operand_none(), &x));
	expect(x, DPR_SHAPE(3, 0), NULL, "pinv");
	CHECK_OK(dpr_matrix_rank(tall, 0.5, &x));
	expect(x, DPR_SCALAR_SHAPE, ones + 1, "matrix_rank");
	CHECK_OK(dpr_lstsq(wide, wide, dpr_operand_none(), &x, &y, &z));
	expect(x, DPR_SHAPE(3, 3), (float[9]){ 0 }, "lstsq");
	expect(y, DPR_SCALAR_SHAPE, ones + 1, "rank");
	expect(z, DPR_SHAPE(0), NULL, "values");
	CHECK_OK(dpr_zeros(DPR_SHAPE(0), DPR_FLOAT32, test_queue, &w));
	CHECK_OK(dpr_solve(none, w, &x));
	expect(x, DPR_SHAPE(0), NULL, "solve, vector");
	dpr_array_release(w);
	dpr_array_release(none);
	dpr_array_release(wide);
	dpr_array_release(tall);
	dpr_array_release(batch);
}
END_TEST

/* x2 is a vector only if it has one axis; batches broadcast, dtypes are
   promoted. */
START_TEST(vectors_and_batches)
{
	static const float a[] = { 2, 0, 0, 4, 1, 0, 0, 8 };
	static const float b[] = { 4, 8, 2, 16 };
	dpr_array *x = array_of(a, DPR_SHAPE(2, 2, 2), DPR_FLOAT32), *y, *z;
	dpr_array *v = array_of(b, DPR_SHAPE(2), DPR_FLOAT32);
	dpr_array *m = array_of(b, DPR_SHAPE(2, 2), DPR_COMPLEX64);
	dpr_array *first, *rtol;

	if (without)
		goto out;
	CHECK_OK(dpr_solve(x, v, &y));
	expect(y, DPR_SHAPE(2, 2), (float[]){ 2, 2, 4, 1 }, "vector");
	CHECK_OK(dpr_solve(x, m, &y));
	ck_assert_int_eq(dpr_array_dtype(y), DPR_COMPLEX64);
	CHECK_OK(dpr_real(y, &z));
	dpr_array_release(y);
	expect(z, DPR_SHAPE(2, 2, 2), (float[]){ 2, 4, .5f, 4, 4, 8, .25f, 2 },
	       "broadcast x2");
	CHECK_OK(dpr_array_view(x, &first, DPR_AT(0)));
	CHECK_OK(dpr_solve(first, x, &y));
	expect(y, DPR_SHAPE(2, 2, 2), (float[]){ 1, 0, 0, 1, .5f, 0, 0, 2 },
	       "broadcast x1");
	CHECK_OK(dpr_solve_triangular(x, v, 1, 0, &y));
	expect(y, DPR_SHAPE(2, 2), (float[]){ 2, 2, 4, 1 }, "triangular");
	CHECK_OK(dpr_lstsq(x, v, dpr_operand_none(), &y, NULL, NULL));
	expect(y, DPR_SHAPE(2, 2), (float[]){ 2, 2, 4, 1 }, "lstsq");
	/* With 0.3, the least value counts in the first matrix alone. */
	CHECK_OK(dpr_matrix_rank(x, 0.3, &y));
	ck_assert_int_eq(dpr_array_dtype(y), DPR_INT64);
	expect(y, DPR_SHAPE(2), (float[]){ 2, 1 }, "rank");
	rtol = array_of((float[]){ 0.6f, 0.01f }, DPR_SHAPE(2), DPR_FLOAT32);
	CHECK_OK(dpr_matrix_rank(x, rtol, &y));
	expect(y, DPR_SHAPE(2), (float[]){ 1, 2 }, "rank, rtol an array");
	CHECK_OK(dpr_pinv(x, rtol, &y));
	expect(y, DPR_SHAPE(2, 2, 2),
	       (float[]){ 0, 0, 0, .25f, 1, 0, 0, .125f }, "pinv");
	dpr_array_release(rtol);
	dpr_array_release(first);
out:
	dpr_array_release(x);
	dpr_array_release(v);
	dpr_array_release(m);
}
END_TEST

/* Negative powers: of a batch, of dtypes, and the least one. */
START_TEST(negative_powers)
{
	static const float v[] = { 2, 1, 1, 1, 1, 0, 2, -1 };
	static const float minus_3[] = { 5, -8, -8, 13, 1, 0, 2, -1 };
	static const dpr_dtype dtypes[] = { DPR_FLOAT32, DPR_FLOAT64,
					    DPR_COMPLEX64, DPR_COMPLEX128 };
	const dpr_shape shape = DPR_SHAPE(2, 1, 2, 2);
	dpr_array *x, *y, *z;

	for (int i = 0; !without && i < 4; i++) {
		if (leaves_out(i, 4) ||
		    !dpr_dtype_computes(test_device, dtypes[i]))
			continue;
		x = array_of(v, shape, dtypes[i]);
		CHECK_OK(dpr_matrix_power(x, -3, &y));
		ck_assert_int_eq(dpr_array_dtype(y), dtypes[i]);
		ck_assert(dpr_array_is_contiguous(y));
		if (dpr_dtype_kind(dtypes[i]) == 'c')
			CHECK_OK(dpr_real(y, &z));
		else
			z = dpr_array_retain(y);
		expect(z, shape, minus_3, "power -3");
		dpr_array_release(y);
		dpr_array_release(x);
	}
	x = empty(DPR_SHAPE(0, 0));
	CHECK_OK(dpr_matrix_power(x, -2, &y));
	expect(y, DPR_SHAPE(0, 0), NULL, "of nothing");
	dpr_array_release(x);
	if (without)
		return;
	x = array_of((float[]){ 1, 0, 2, -1 }, DPR_SHAPE(2, 2), DPR_FLOAT32);
	CHECK_OK(dpr_matrix_power(x, INT64_MIN, &y));
	expect(y, DPR_SHAPE(2, 2), (float[]){ 1, 0, 0, 1 }, "the least power");
	CHECK_OK(dpr_matrix_power(x, -1, &y));
	expect(y, DPR_SHAPE(2, 2), (float[]){ 1, 0, 2, -1 }, "power -1");
	dpr_array_release(x);
}
END_TEST

/* --- Expressions ---------------------------------------------------------- */

/* Each is True. */
static const char *const texts[] = {
	"all(abs(solve(a, b) - inv(a) @ b) < 1e-4)",
	"l = cholesky(h); all(abs(l @ matrix_transpose(l) - h) < 1e-4)",
	"u = cholesky(h, upper=True); all(abs(matrix_transpose(u) @ u - h) < 1e-4)",
	"y = solve_triangular(triu(a), b, upper=True); all(abs(triu(a)@y - b) < 1e-4)",
	"y = solve_triangular(a, b, unit=True);"
	"all(abs((tril(a, k=-1) + eye(2)) @ y - b) < 1e-4)",
	"q, r = qr(b); all(abs(q @ r - b) < 1e-4)",
	"q, r = qr(b, 'complete'); all(abs(q @ r - b) < 1e-4)",
	"q, r = qr(b, mode='reduced'); all(abs(q @ r - b) < 1e-4)",
	"u, s, vh = svd(b, False); all(abs(u*s @ vh - b) < 1e-4)",
	"u, s, vh = svd(b); all(abs(s - svdvals(b)) < 1e-4)",
	"w, v = eigh(h); all(abs(h @ v - v*w) < 1e-4)",
	"w, v = eigh(h, upper=True); all(abs(w - eigvalsh(h)) < 1e-4)",
	"w, v = eig(a); all(abs(a @ v - v*w) < 1e-4)",
	"abs(sum(eigvals(a)) - trace(a)) < 1e-4",
	"p, l, u = lu(a); all(abs(p @ l @ u - a) < 1e-4)",
	"s, l = slogdet(a); abs(s*exp(l) - det(a)) < 1e-4",
	"y, r, s = lstsq(a, b); all(abs(a@y - b) < 1e-4) & (r == 2)",
	"all(abs(matrix_power(a, -2) - inv(a) @ inv(a)) < 1e-3)",
	"all(abs(pinv(a) - inv(a)) < 1e-4) & (matrix_rank(a) == 2)",
	"matrix_rank(a, rtol=0.9) == 1",
	"abs(matrix_norm(a) - matrix_norm(a, 'fro')) < 1e-4",
	"abs(matrix_norm(a, 'nuc') - sum(svdvals(a))) < 1e-4",
	"abs(matrix_norm(a, ord=inf) - max(sum(abs(a), axis=1))) < 1e-4",
	"abs(matrix_norm(a, -1) - min(sum(abs(a), axis=0))) < 1e-4",
	"all(matrix_norm(a, keepdims=True)[0, 0] == matrix_norm(a))",
	"abs(cond(a, 1) - matrix_norm(a, 1)*matrix_norm(inv(a), 1)) < 1e-3",
};

/* Compute @text with the arrays @x that it names: a, b and h. */
static dpr_array *compute(const char *text, dpr_array *const x[3])
{
	static const char letters[] = "abh";
	const dpr_expression_operand *names;
	dpr_expression *expression;
	dpr_binding bindings[3];
	dpr_array *y = NULL;
	dpr_status status;
	size_t n, bound = 0;

	ck_assert_msg(!dpr_expression_create(text, &expression), "%s: %s", text,
		      dpr_last_error());
	names = dpr_expression_operands(expression, &n);
	/* inf is a name that need not be bound. */
	for (size_t i = 0; i < n; i++) {
		const char *at = strchr(letters, *names[i].name);

		if (!at)
			continue;
		bindings[bound].name = names[i].name;
		bindings[bound++].value = dpr_operand_array(x[at - letters]);
	}
	status = dpr_expression_apply(expression, bindings, bound, NULL, &y, 1);
	ck_assert_msg(!status, "%s: %s", text, dpr_last_error());
	dpr_expression_release(expression);
	return y;
}

/* A call that has two results is a result. */
static void two_results(dpr_array *h)
{
	const dpr_binding binding = { "h", dpr_operand_array(h) };
	dpr_expression *expression;
	dpr_array *both[2];
	char *text;

	CHECK_OK(dpr_expression_create("qr(h)", &expression));
	ck_assert_int_eq(dpr_expression_result_count(expression), 2);
	CHECK_OK(dpr_expression_apply(expression, &binding, 1, NULL, both, 2));
	dpr_array_release(both[0]);
	dpr_array_release(both[1]);
	dpr_expression_release(expression);
	CHECK_OK(dpr_expression_create("q, r = qr(h, 'complete'); q @ r",
				       &expression));
	CHECK_OK(dpr_expression_explain(expression, &binding, 1, NULL, &text));
	ck_assert_msg(strstr(text, "qr(h, \"complete\")") &&
			      strstr(text, "matmul(#1[0], #1[1])"),
		      "%s", text);
	dpr_free(text);
	dpr_expression_release(expression);
}

START_TEST(expressions)
{
	static const float two[] = { 2, 1, 1, 3 }, square[] = { 1, 2, 3, 5 };
	static const float right[] = { 1, 0.5f, 2.5f, 2 };
	const dpr_shape shape = DPR_SHAPE(2, 2);
	dpr_array *x[] = { array_of(square, shape, DPR_FLOAT32),
			   array_of(right, shape, DPR_FLOAT32),
			   array_of(two, shape, DPR_FLOAT32) };
	dpr_array *y = NULL;
	double is_true;

	for (size_t i = 0; !without && i < sizeof(texts) / sizeof(texts[0]);
	     i++) {
		if (leaves_out((int)i, 4))
			continue;
		y = compute(texts[i], x);
		CHECK_OK(dpr_array_item_double(y, &is_true));
		ck_assert_msg(is_true == 1, "%s", texts[i]);
		dpr_array_release(y);
	}
	if (!without)
		two_results(x[2]);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("qr(x) + 1", NULL, &y, "x", x[0]));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("q, r, s = qr(x); q", NULL, &y, "x", x[0]));
	expect_error("there are 3 names, but the value has 2 results");
	CHECK_FAILS(
		DPR_ERROR_INVALID_ARGUMENT,
		dpr_evaluate("q, r = qr(x, 'fro'); q", NULL, &y, "x", x[0]));
	expect_error("qr: mode is neither 'reduced' nor 'complete'");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("matrix_norm(x, 3)", NULL, &y, "x", x[0]));
	expect_error("matrix_norm: ord is none of 'fro'");
	for (int i = 0; i < 3; i++)
		dpr_array_release(x[i]);
}
END_TEST

/* --- Errors --------------------------------------------------------------- */

/* Matrices without a result. */
START_TEST(no_result)
{
	static const float bad[] = { 4, 0, 0, 4, 4, 2, 2, 1 };
	dpr_array *x, *y, *z, *w, *one;

	if (without)
		return;
	x = array_of(bad, DPR_SHAPE(2, 1, 2, 2), DPR_FLOAT32);
	y = z = w = NULL;
	CHECK_FAILS(DPR_ERROR_LINALG, dpr_inv(x, &y));
	expect_error("inv: x[1, 0] is singular: pivot 2 is 0");
	ck_assert_ptr_null(y);
	CHECK_FAILS(DPR_ERROR_LINALG, dpr_matrix_power(x, -2, &y));
	expect_error("matrix_power: x[1, 0] is singular: pivot 2 is 0");
	ck_assert_ptr_null(y);
	CHECK_FAILS(DPR_ERROR_LINALG, dpr_solve(x, x, &y));
	expect_error("solve: x1[1, 0] is singular: pivot 2 is 0");
	/* x2 gives the batch more matrices than x1 has. */
	CHECK_OK(dpr_tile(x, DPR_SHAPE(3, 1, 5, 1, 1), &one));
	CHECK_FAILS(DPR_ERROR_LINALG, dpr_solve(x, one, &y));
	expect_error("solve: x1[1, 0] is singular: pivot 2 is 0");
	dpr_array_release(one);
	CHECK_OK(dpr_det(x, &y));
	expect(y, DPR_SHAPE(2, 1), (float[]){ 16, 0 }, "det");
	CHECK_OK(dpr_slogdet(x, &y, &z));
	expect(y, DPR_SHAPE(2, 1), (float[]){ 1, 0 }, "sign");
	expect(z, DPR_SHAPE(2, 1), (float[]){ 2.7725887f, -INFINITY },
	       "logabsdet");
	CHECK_OK(dpr_array_view(x, &one, DPR_AT(1), DPR_AT(0)));
	CHECK_FAILS(DPR_ERROR_LINALG, dpr_inv(one, &y));
	expect_error("inv: x is singular");
	CHECK_FAILS(DPR_ERROR_LINALG, dpr_solve(one, x, &y));
	expect_error("solve: x1 is singular: pivot 2 is 0");
	CHECK_OK(dpr_lu(one, &y, &z, &w));
	dpr_array_release(y);
	dpr_array_release(z);
	dpr_array_release(w);
	dpr_array_release(one);
	dpr_array_release(x);
	x = array_of((float[]){ 1, 0, 0, 0, 2, 0, 0, 0, -1 }, DPR_SHAPE(3, 3),
		     DPR_FLOAT32);
	CHECK_FAILS(DPR_ERROR_LINALG, dpr_cholesky(x, 0, &y));
	expect_error("cholesky: x is not positive definite: its leading minor "
		     "3 is not");
	CHECK_FAILS(DPR_ERROR_LINALG,
		    dpr_evaluate("cholesky(x)", NULL, &y, "x", x));
	dpr_array_release(x);
	/* The product of the first two pivots overflows. */
	x = array_of((float[]){ 1e30f, 0, 0, 0, 1e30f, 0, 0, 0, 0 },
		     DPR_SHAPE(1, 3, 3), DPR_FLOAT32);
	CHECK_OK(dpr_tile(x, DPR_SHAPE(5, 1, 1), &one));
	CHECK_OK(dpr_det(one, &y));
	expect(y, DPR_SHAPE(5), (float[]){ 0, 0, 0, 0, 0 }, "det, overflow");
	dpr_array_release(one);
	dpr_array_release(x);
	x = array_of((float[]){ 1, 0, 2, 0 }, DPR_SHAPE(2, 2), DPR_FLOAT32);
	CHECK_FAILS(DPR_ERROR_LINALG, dpr_solve_triangular(x, x, 0, 0, &y));
	expect_error("x1 is singular: element 2 of its diagonal is 0");
	dpr_array_release(x);
}
END_TEST

/* The sign 0 of a determinant has no sign bit, also after an odd permutation,
   and with a pivot below 0. */
START_TEST(sign_of_singular)
{
	dpr_array *x, *y, *z;

	if (without)
		return;
	x = array_of((float[]){ 0, 1, 0, 0, -1, 0, 0, 0 }, DPR_SHAPE(2, 2, 2),
		     DPR_FLOAT32);
	CHECK_OK(dpr_slogdet(x, &y, &z));
	dpr_array_release(z);
	CHECK_OK(dpr_signbit(y, &z));
	expect(z, DPR_SHAPE(2), (float[]){ 0, 0 }, "sign bit");
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

/* Call a function, which succeeds or says that there is no result, and release
   its results. */
#define ENDS(call)                                                             \
	do {                                                                   \
		dpr_array *y = NULL, *z = NULL, *w = NULL;                     \
		const dpr_status status = call;                                \
                                                                               \
		ck_assert_msg(!status || status == DPR_ERROR_LINALG, "%s: %s", \
			      #call, dpr_last_error());                        \
		dpr_array_release(y);                                          \
		dpr_array_release(z);                                          \
		dpr_array_release(w);                                          \
		y = z = w = NULL;                                              \
	} while (0)

/* NaN and infinity give NaN, or an error, and always an end. */
START_TEST(not_finite)
{
	for (int i = 0; !without && i < 2; i++) {
		const float v = i ? INFINITY : NAN;
		dpr_array *x = array_of((float[]){ v, 1, 1, 2 },
					DPR_SHAPE(2, 2), DPR_FLOAT32);
		dpr_array *det;

		ENDS(dpr_cholesky(x, 0, &y));
		ENDS(dpr_solve(x, x, &y));
		ENDS(dpr_qr(x, DPR_QR_REDUCED, &y, &z));
		ENDS(dpr_eigh(x, 0, &y, &z));
		ENDS(dpr_eig(x, &y, &z));
		ENDS(dpr_svd(x, 0, &y, &z, &w));
		ENDS(dpr_svdvals(x, &y));
		ENDS(dpr_lstsq(x, x, dpr_operand_none(), &y, &z, &w));
		expect_error("lstsq: x1 has no result");
		CHECK_OK(dpr_det(x, &det));
		dpr_array_release(x);
		CHECK_OK(dpr_isfinite(det, &x));
		dpr_array_release(det);
		expect(x, DPR_SCALAR_SHAPE, (float[]){ 0 }, "finite");
	}
}
END_TEST

START_TEST(errors)
{
	dpr_array *x = empty(DPR_SHAPE(2, 3)), *v = empty(DPR_SHAPE(2));
	dpr_array *square = empty(DPR_SHAPE(2, 2)), *i, *h, *other;
	dpr_array *y = x, *z = x, *w = x;
	dpr_queue *queue;

	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_inv(x, &y));
	expect_error(
		"inv: x has the shape (2, 3); its matrices must be square");
	ck_assert_ptr_null(y);
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_svd(v, 1, &y, &z, &w));
	expect_error("svd: x has 1 axis; a matrix has 2");
	ck_assert(!y && !z && !w);
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_solve(x, x, &y));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_solve(v, x, &y));
	CHECK_OK(dpr_zeros(DPR_SHAPE(3, 2), DPR_FLOAT32, test_queue, &h));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_solve(square, h, &y));
	expect_error("x1 of shape (2, 2) and x2 of shape (3, 2): x2 must have "
		     "as many rows as x1");
	dpr_array_release(h);
	CHECK_OK(dpr_zeros(DPR_SHAPE(2, 2), DPR_INT32, test_queue, &i));
	CHECK_OK(dpr_zeros(DPR_SHAPE(2, 2), DPR_FLOAT16, test_queue, &h));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_det(i, &y));
	expect_error("det: x is of int32; linear algebra takes float32, ");
	expect_error("cast it with dpr_astype()");
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_matrix_power(i, -1, &y));
	expect_error("matrix_power: x is of int32; linear algebra takes ");
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_solve(square, h, &y));
	expect_error("solve: x2 is of float16");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_eigh(NULL, 0, &y, &z));
	expect_error("eigh: x is NULL");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_eigh(square, 0, &y, NULL));
	expect_error("eigh: the place for a result is NULL");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_inv(square, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_solve(square, NULL, &y));
	expect_error("solve: x2 is NULL");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_qr(square, (dpr_qr_mode)2, &y, &z));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    (dpr_pinv)(square, dpr_operand_complex_parts(1, 2), &y));
	expect_error("pinv: rtol is complex");
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_pinv(square, square, &y));
	expect_error("pinv: rtol has the shape (2, 2), which does not "
		     "broadcast to (), the axes of x before the last two");
	CHECK_OK(dpr_queue_create(test_device, 0, &queue));
	CHECK_OK(dpr_zeros(DPR_SHAPE(2, 2), DPR_FLOAT32, queue, &other));
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_solve(square, other, &y));
	dpr_array_release(other);
	dpr_queue_release(queue);
	dpr_array_release(i);
	dpr_array_release(h);
	dpr_array_release(x);
	dpr_array_release(v);
	dpr_array_release(square);
}
END_TEST

/* --- Threads -------------------------------------------------------------- */

#define THREADS 3
#define TURNS 10

/* Solve systems on a queue of this thread's own.  Returns NULL, or the text of
   a failure. */
static void *solve_many(void *user)
{
	char why[200];
	const float factor = (float)(1 << *(const int *)user);
	float v[4] = { 2 * factor, 0, 0, 4 * factor }, got[4] = { 0 };
	dpr_queue *queue;
	dpr_status status = dpr_queue_create(test_device, 0, &queue);

	for (int i = 0; !status && i < TURNS; i++) {
		dpr_array *x = NULL, *y = NULL, *z = NULL;

		status = dpr_array_from_memory(v, DPR_SHAPE(2, 2), NULL,
					       DPR_FLOAT32, queue, &x);
		if (!status)
			status = dpr_inv(x, &y);
		if (!status)
			status = dpr_solve(y, x, &z);
		if (!status)
			status = dpr_array_to_memory(z, got, sizeof(got), NULL);
		if (!status && (got[0] != v[0] * v[0] || got[3] != v[3] * v[3]))
			status = DPR_ERROR_INTERNAL;
		dpr_array_release(x);
		dpr_array_release(y);
		dpr_array_release(z);
	}
	if (!status) {
		dpr_queue_release(queue);
		return NULL;
	}
	snprintf(why, sizeof(why), "%s: %g, %g: %s", dpr_status_name(status),
		 (double)got[0], (double)got[3], dpr_last_error());
	return strdup(why);
}

/* Threads on queues of their own, which share the host's queue where the device
   has no LAPACK. */
START_TEST(threads)
{
	int number[THREADS];
	pthread_t thread[THREADS];
	void *why;

	for (int i = 0; !without && i < THREADS; i++) {
		number[i] = i;
		ck_assert(!pthread_create(&thread[i], NULL, solve_many,
					  &number[i]));
	}
	for (int i = 0; !without && i < THREADS; i++) {
		pthread_join(thread[i], &why);
		ck_assert_msg(!why, "%s", (const char *)why);
	}
}
END_TEST

static Suite *calls(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("calls");

	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, matrix_norms);
	tcase_add_test(tcase, conditions);
	tcase_add_test(tcase, nothing);
	tcase_add_test(tcase, vectors_and_batches);
	tcase_add_test(tcase, negative_powers);
	tcase_add_test(tcase, expressions);
	tcase_add_test(tcase, no_result);
	tcase_add_test(tcase, sign_of_singular);
	tcase_add_test(tcase, not_finite);
	tcase_add_test(tcase, errors);
	tcase_add_test(tcase, threads);
	suite_add_tcase(suite, tcase);
	return suite;
}

static int run(const char *selector)
{
	const int failed = run_on_selected(calls, selector);

	if (dpr_finalize()) {
		printf("finalize: %s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	return failed;
}

/* Run the tests of the CPUs without a library, before a driver is open. */
static bool failed_without(void)
{
	const pid_t child = fork();
	int status;

	if (child < 0)
		return true;
	if (child > 0)
		return waitpid(child, &status, 0) != child ||
		       !WIFEXITED(status) ||
		       (WEXITSTATUS(status) && WEXITSTATUS(status) != 77);
	printf("DPR_OPTION_HOST_LAPACK=none DPR_OPTION_OPENCL_LAPACK=none\n");
	setenv("DPR_OPTION_HOST_LAPACK", "none", 1);
	setenv("DPR_OPTION_OPENCL_LAPACK", "none", 1);
	without = true;
	exit(run("host:cpu:0,opencl:cpu:0"));
}

/* Whether the host has a LAPACK, which a child process finds out. */
static bool has_lapack(void)
{
	const pid_t child = fork();
	dpr_queue *queue;
	dpr_array *one = NULL, *y = NULL;
	dpr_status status;
	int code;

	if (child > 0)
		return waitpid(child, &code, 0) == child && WIFEXITED(code) &&
		       !WEXITSTATUS(code);
	status = dpr_canonical_queue(NULL, &queue);
	if (!status)
		status = dpr_ones(DPR_SHAPE(1, 1), DPR_FLOAT32, queue, &one);
	if (!status)
		status = dpr_inv(one, &y);
	dpr_array_release(one);
	dpr_array_release(y);
	if (status)
		printf("no LAPACK was tested: %s\n", dpr_last_error());
	if (dpr_finalize())
		printf("finalize: %s\n", dpr_last_error());
	exit(status == DPR_ERROR_UNSUPPORTED ? EXIT_FAILURE : EXIT_SUCCESS);
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	if (failed_without())
		return EXIT_FAILURE;
	without = !has_lapack();
	return run(NULL);
}
