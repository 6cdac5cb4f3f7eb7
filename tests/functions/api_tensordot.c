/* SPDX-License-Identifier: Apache-2.0 */
/* api_tensordot.c - tensordot, kron, multi_dot, matrix_power, matvec and vecmat
   beside loops in C. */
#include "tests/functions/product_loops.h"

/* --- tensordot, kron and others ------------------------------------------- */

/* Axes that are summed, and the letters of a sum that does the same. */
static const struct {
	const char *first, *second, *result;
	int n, axes1[3], axes2[3];
} tensors[] = {
	{ "abc", "bcd", "ad", 2, { 1, 2 }, { 0, 1 } },
	{ "abc", "cd", "abd", 1, { -1 }, { -2 } },
	{ "abc", "def", "abcdef", 0, { 0 }, { 0 } },
	{ "abc", "abc", "", 3, { 0, 1, 2 }, { 0, 1, 2 } },
	{ "abc", "dcb", "ad", 2, { 2, 1 }, { 1, 2 } },
	{ "abc", "bda", "cd", 2, { 0, 1 }, { 2, 0 } },
	{ "ab", "abc", "c", 2, { 0, 1 }, { 0, 1 } },
	{ "a", "ab", "b", 1, { 0 }, { 0 } },
	{ "", "ab", "ab", 0, { 0 }, { 0 } },
};
#define TENSORS ((int)(sizeof(tensors) / sizeof(tensors[0])))

START_TEST(tensordots)
{
	static const int64_t extents[][LETTERS] = { { 2, 3, 4, 3, 2, 1 },
						    { 1, 3, 1, 2, 2, 2 },
						    { 0, 2, 3, 2, 1, 1 },
						    { 3, 0, 2, 2, 1, 0 } };
	const int at = _i % TENSORS, turn = _i / TENSORS;
	const int64_t *extent = extents[turn % 4];
	struct sum s = { .n = 2 };
	dpr_array *y;

	if (leaves_out(_i, 20))
		return;
	strcpy(s.letters[0], tensors[at].first);
	strcpy(s.letters[1], tensors[at].second);
	strcpy(s.result, tensors[at].result);
	for (int i = 0; i < 2; i++) {
		int64_t dim[LETTERS];

		for (int d = 0; s.letters[i][d]; d++)
			dim[d] = extent[s.letters[i][d] - 'a'];
		s.x[i] = laid_out(dim, (int)strlen(s.letters[i]), dtype_of(_i),
				  i, (turn >> i) % WAYS);
	}
	const dpr_axes first = { .count = tensors[at].n,
				 .axis = tensors[at].axes1 };
	const dpr_axes second = { .count = tensors[at].n,
				  .axis = tensors[at].axes2 };
	CHECK_OK(dpr_tensordot_axes(s.x[0], s.x[1], &first, &second, &y));
	check_sum(&s, y, dtype_of(_i), "axes");
	if (at < 4) {
		CHECK_OK(dpr_tensordot(s.x[0], s.x[1], tensors[at].n, &y));
		check_sum(&s, y, dtype_of(_i), "number of axes");
	}
	release(&s);
}
END_TEST

/* Shapes of the operands of kron; -1: no axis. */
static const int64_t krons[][2][3] = {
	{ { 2, 3, -1 }, { 3, 2, -1 } },   { { 2, -1, -1 }, { 3, 2, 2 } },
	{ { -1, -1, -1 }, { 2, 2, -1 } }, { { 2, 1, 3 }, { 2, -1, -1 } },
	{ { 2, 0, -1 }, { 2, 2, -1 } },   { { 1, 1, -1 }, { 1, 1, 1 } },
};
#define KRONS ((int)(sizeof(krons) / sizeof(krons[0])))

static int rank_of(const int64_t *dim)
{
	int rank = 0;

	while (rank < 3 && dim[rank] >= 0)
		rank++;
	return rank;
}

START_TEST(krons_of_shapes)
{
	const int at = _i % KRONS;
	const dpr_dtype dtype = dtype_of(_i);
	const int64_t *m = krons[at][0], *n = krons[at][1];
	const int rm = rank_of(m), rn = rank_of(n), rank = rm > rn ? rm : rn;
	float complex *va, *vb, *vy;
	dpr_array *a, *b, *y;
	int64_t wrong = -1;

	if (leaves_out(_i, 24))
		return;
	a = laid_out(m, rm, dtype, 1, _i % WAYS);
	b = laid_out(n, rn, dtype, 2, _i / WAYS % WAYS);
	va = elements(a);
	vb = elements(b);
	CHECK_OK(dpr_kron(a, b, &y));
	vy = elements(y);
	ck_assert_int_eq(dpr_array_rank(y), rank);
	ck_assert(dpr_array_is_contiguous(y));
	for (int64_t i = 0; i < dpr_array_size(y); i++) {
		int64_t left = i, pa = 0, pb = 0, sa = 1, sb = 1;

		for (int d = rank - 1; d >= 0; d--) {
			const int64_t em = d < rank - rm ? 1 : m[d - rank + rm];
			const int64_t en = d < rank - rn ? 1 : n[d - rank + rn];
			const int64_t x = left % (em * en);

			ck_assert_int_eq(dpr_array_shape(y)[d], em * en);
			pa += x / en * sa;
			pb += x % en * sb;
			sa *= em;
			sb *= en;
			left /= em * en;
		}
		if (vy[i] !=
		    wrapped((double complex)va[pa] * (double complex)vb[pb],
			    dtype))
			wrong = i;
	}
	ck_assert_msg(wrong < 0, "kron %d: element %lld", at, (long long)wrong);
	free(va);
	free(vb);
	free(vy);
	dpr_array_release(y);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* Chains with the best order from the left, from the right and from the middle;
   with vectors at none, one or both ends. */
START_TEST(multi_dots)
{
	static const int64_t extents[][5] = { { 1, 2, 3, 4, 5 },
					      { 5, 4, 3, 2, 1 },
					      { 3, 2, 5, 1, 4 },
					      { 2, 0, 3, 1, 2 } };
	const int64_t *e = extents[_i % 4];
	const int ends = _i / 4;
	struct sum s = { .n = 4,
			 .letters = { "ab", "bc", "cd", "de" },
			 .result = "ae" };
	const dpr_array *x[4];
	dpr_dtype dtype;
	dpr_array *y;

	if (leaves_out(_i, 5))
		return;
	CHECK_OK(dpr_dtype_promote(DPR_INT8, dtype_of(_i), &dtype));
	for (int i = 0; i < 4; i++) {
		s.x[i] = laid_out(e + i, 2, i ? dtype_of(_i) : DPR_INT8, i,
				  i % WAYS);
		x[i] = s.x[i];
	}
	if (ends & 1) {
		dpr_array_release(s.x[0]);
		x[0] = s.x[0] = numbers(DPR_SHAPE(e[1]), DPR_INT8, 1);
		strcpy(s.letters[0], "b");
		strcpy(s.result, "e");
	}
	if (ends & 2) {
		dpr_array_release(s.x[3]);
		x[3] = s.x[3] = numbers(DPR_SHAPE(e[3]), dtype_of(_i), 1);
		strcpy(s.letters[3], "d");
		s.result[strlen(s.result) - 1] = 0;
	}
	CHECK_OK(dpr_multi_dot(x, 4, &y));
	check_sum(&s, y, dtype, "multi_dot");
	CHECK_OK(dpr_multi_dot(x + 2, 2, &y));
	dpr_array_release(y);
	release(&s);
}
END_TEST

/* From the left, the first product alone would have 10^10 elements. */
START_TEST(cheapest_order)
{
	const dpr_array *x[3];
	dpr_array *row, *column, *y, *first;

	CHECK_OK(dpr_ones(DPR_SHAPE(1, 100000), DPR_INT64, test_queue, &row));
	CHECK_OK(dpr_reshape(row, DPR_SHAPE(100000, 1), &column));
	x[0] = column;
	x[1] = row;
	x[2] = column;
	CHECK_OK(dpr_multi_dot(x, 3, &y));
	CHECK_OK(dpr_array_index(y, (dpr_index[]){ DPR_AT(7) }, 1, &first));
	expect_near(first, DPR_INT64, (double[]){ 100000 }, 1, 1, 0, "order");
	dpr_array_release(y);
	dpr_array_release(row);
	dpr_array_release(column);
}
END_TEST

/* Powers of batches, beside products one after the other. */
START_TEST(powers)
{
	const dpr_dtype dtype = dtype_of(_i);
	dpr_array *x = laid_out((int64_t[]){ 2, 3, 3 }, 3, dtype, 1, _i % WAYS);
	dpr_array *want, *y;

	if (leaves_out(_i, DTYPES))
		goto out;
	CHECK_OK(dpr_evaluate("x*0 + eye(3)", NULL, &want, "x", x));
	want = cast(want, dtype);
	for (int n = 0; n < (dpr_dtype_size(dtype) == 2 ? 3 : 7); n++) {
		dpr_array *next;

		CHECK_OK(dpr_matrix_power(x, n, &y));
		ck_assert(dpr_array_is_contiguous(y));
		CHECK_OK(dpr_matmul(want, x, &next));
		expect_same(y, want, "power");
		want = next;
	}
	dpr_array_release(want);
out:
	dpr_array_release(x);
}
END_TEST

/* Batches of vectors, and vectors whose batch is broadcast. */
START_TEST(vectors)
{
	static const dpr_dtype some[] = { DPR_FLOAT32, DPR_COMPLEX64, DPR_INT8,
					  DPR_FLOAT16 };
	const dpr_dtype dtype = computes(some[_i]) ? some[_i] : DPR_FLOAT32;
	struct sum s = { .n = 2, .letters = { "abcd", "bd" }, .result = "abc" };
	dpr_array *y, *conj;

	if (leaves_out(_i, 2))
		return;
	s.x[0] = numbers(DPR_SHAPE(2, 3, 4, 5), dtype, 1);
	s.x[1] = numbers(DPR_SHAPE(3, 5), dtype, 2);
	CHECK_OK(dpr_matvec(s.x[0], s.x[1], &y));
	check_sum(&s, y, dtype, "matvec");
	CHECK_OK(dpr_zeros(DPR_SHAPE(2, 3, 4), dtype, test_queue, &y));
	CHECK_OK(dpr_matvec_into(s.x[0], s.x[1], y));
	check_sum(&s, y, dtype, "matvec_into");
	dpr_array_release(s.x[1]);
	s.x[1] = numbers(DPR_SHAPE(4), dtype, 2);
	strcpy(s.letters[1], "c");
	strcpy(s.result, "abd");
	CHECK_OK(dpr_vecmat(s.x[1], s.x[0], &y));
	CHECK_OK(dpr_conj(s.x[1], &conj));
	dpr_array_release(s.x[1]);
	s.x[1] = conj;
	check_sum(&s, y, dtype, "vecmat");
	CHECK_OK(dpr_zeros(DPR_SHAPE(2, 3, 5), dtype, test_queue, &y));
	CHECK_OK(dpr_conj(s.x[1], &conj));
	CHECK_OK(dpr_vecmat_into(conj, s.x[0], y));
	dpr_array_release(conj);
	check_sum(&s, y, dtype, "vecmat_into");
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_matvec(s.x[1], s.x[0], &y));
	expect_text("matvec: x1 of shape (4,) and x2 of shape (2, 3, 4, 5): x1 "
		    "has two axes at least");
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_vecmat(s.x[0], s.x[1], &y));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_matvec(s.x[0], s.x[0], &y));
	release(&s);
}
END_TEST

START_TEST(expressions)
{
	const dpr_array *list[3];
	dpr_array *x, *y, *z;

	x = numbers(DPR_SHAPE(3, 3), DPR_INT32, 1);
	list[0] = list[1] = list[2] = x;
	CHECK_OK(dpr_kron(x, x, &y));
	CHECK_OK(dpr_evaluate("kron(x + 0, x)", NULL, &z, "x", x));
	expect_same(y, z, "kron");
	CHECK_OK(dpr_multi_dot(list, 3, &y));
	CHECK_OK(dpr_evaluate("multi_dot((x, x*1, x))", NULL, &z, "x", x));
	expect_same(y, z, "multi_dot");
	CHECK_OK(dpr_matrix_power(x, 3, &y));
	CHECK_OK(dpr_evaluate("matrix_power(x, 3)", NULL, &z, "x", x));
	expect_same(y, z, "matrix_power");
	CHECK_OK(dpr_tensordot(x, x, 2, &y));
	CHECK_OK(dpr_evaluate("tensordot(x, x)", NULL, &z, "x", x));
	expect_same(y, z, "tensordot");
	CHECK_OK(dpr_tensordot(x, x, 1, &y));
	CHECK_OK(dpr_evaluate("tensordot(x, x, axes=1)", NULL, &z, "x", x));
	expect_same(y, z, "tensordot, 1");
	CHECK_OK(dpr_evaluate("matvec(x, x[0])", NULL, &y, "x", x));
	CHECK_OK(dpr_evaluate("vecmat(x[0], matrix_transpose(x))", NULL, &z,
			      "x", x));
	expect_same(y, z, "matvec");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("tensordot(x, x, -1)", NULL, &z, "x", x));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("multi_dot(x)", NULL, &z, "x", x));
	dpr_array_release(x);
}
END_TEST

/* Axes that are refused. */
START_TEST(axes_are_refused)
{
	const int far[] = { 2 }, twice[] = { 0, 0 }, both[] = { 0, 1 };
	const dpr_axes no_axis = { .count = 1, .axis = far };
	const dpr_axes same = { .count = 2, .axis = twice };
	const dpr_axes two = { .count = 2, .axis = both };
	const dpr_axes one = { .count = 1, .axis = both };
	dpr_array *a, *b, *y = NULL;

	a = numbers(DPR_SHAPE(2, 3), DPR_FLOAT32, 1);
	b = numbers(DPR_SHAPE(4, 3), DPR_FLOAT32, 1);
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_tensordot(a, b, 1, &y));
	expect_text("tensordot: axis 1 of x1 has the extent 3, and axis 0 of "
		    "x2, which goes with it, 4; they must be equally long");
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_tensordot(a, b, 3, &y));
	expect_text("tensordot: x1 has 2 axes and x2 has 2, so that axes "
		    "cannot be 3; pass a number from 0 to 2");
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_tensordot(a, b, -1, &y));
	CHECK_FAILS(DPR_ERROR_INDEX,
		    dpr_tensordot_axes(a, b, &one, &no_axis, &y));
	expect_text("tensordot: x2: there is no axis 2 in an array of 2 axes");
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_tensordot_axes(a, b, &same, &two, &y));
	expect_text("tensordot: x1: axis 0 is named twice");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_tensordot_axes(a, b, &one, &two, &y));
	expect_text("tensordot: axes1 names 1 axes, and axes2 names 2; name "
		    "equally many");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_tensordot(a, NULL, 1, &y));
	expect_text("tensordot: x2 is NULL");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_tensordot(a, b, 1, NULL));
	ck_assert_ptr_null(y);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* Arrays that the other functions refuse. */
START_TEST(arrays_are_refused)
{
	const dpr_array *x[3];
	dpr_array *a, *b, *flags, *y = NULL;

	x[0] = a = numbers(DPR_SHAPE(2, 3), DPR_FLOAT32, 1);
	x[1] = b = numbers(DPR_SHAPE(4, 3), DPR_FLOAT32, 1);
	x[2] = NULL;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_kron(NULL, b, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_kron(a, b, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_multi_dot(x, 1, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_multi_dot(NULL, 2, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_multi_dot(x, 257, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_multi_dot(x, 3, &y));
	expect_text("multi_dot: x3 is NULL");
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_multi_dot(x, 2, &y));
	expect_text("multi_dot: x1 of shape (2, 3) and x2 of shape (4, 3): the "
		    "last axis of one must be as long as the first of the "
		    "next");
	CHECK_OK(dpr_array_index(a, (dpr_index[]){ DPR_AT(0) }, 1, &flags));
	x[1] = flags;
	x[2] = a;
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_multi_dot(x, 3, &y));
	expect_text("multi_dot: x2 has 1 axes; the arrays between the first "
		    "and the last are matrices, of 2");
	dpr_array_release(flags);
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_matrix_power(a, 2, &y));
	expect_text("matrix_power: the shape of x is (2, 3); its last two axes "
		    "must be equally long");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_matrix_power(NULL, 2, &y));
	CHECK_OK(dpr_ones(DPR_SHAPE(2, 2), DPR_BOOL, test_queue, &flags));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_kron(flags, flags, &y));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_tensordot(flags, flags, 1, &y));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_matrix_power(flags, 2, &y));
	ck_assert_ptr_null(y);
	dpr_array_release(flags);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* Axes that are too many. */
START_TEST(too_many_axes)
{
	int64_t dim[20];
	dpr_array *one, *x, *y = NULL;

	for (int d = 0; d < 20; d++)
		dim[d] = 2;
	one = numbers(DPR_SCALAR_SHAPE, DPR_FLOAT32, 1);
	CHECK_OK(dpr_broadcast_to(one, dpr_shape_of(17, dim), &x));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_kron(x, x, &y));
	expect_text("kron: the operands have more than 32 axes that are longer "
		    "than 1; join some with dpr_reshape()");
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_tensordot(x, x, 0, &y));
	expect_text("tensordot: the result has 34 axes, but an array has at "
		    "most 32; join some with dpr_reshape()");
	ck_assert_ptr_null(y);
	dpr_array_release(x);
	dpr_array_release(one);
}
END_TEST

static Suite *suite(const char *name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("tensordot");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, axes_are_refused);
	tcase_add_test(t, arrays_are_refused);
	tcase_add_test(t, too_many_axes);
	tcase_add_loop_test(t, tensordots, 0, TENSORS * 16);
	tcase_add_loop_test(t, krons_of_shapes, 0, KRONS * 16);
	tcase_add_loop_test(t, multi_dots, 0, 16);
	tcase_add_test(t, cheapest_order);
	tcase_add_loop_test(t, powers, 0, DTYPES);
	tcase_add_loop_test(t, vectors, 0, 4);
	tcase_add_test(t, expressions);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	return run_on_all(suite);
}
