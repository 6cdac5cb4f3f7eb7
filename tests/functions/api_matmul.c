/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_matmul.c - products of matrices beside loops in C: on all devices, and in
 * several threads.  On the host and OpenCL's CPU also without a library, with a
 * fake library, and with a missing library.
 */
#include <math.h>
#include <pthread.h>

#include <dpr/dpr.h>

#include "tests/functions/product_libraries.h"
#include "tests/functions/product_values.h"

/* --- Tests ---------------------------------------------------------------- */

/* m, k, n */
static const int64_t sizes[][3] = {
	{ 7, 3, 2 },   { 1, 1, 1 },    { 2, 3, 1 },    { 1, 7, 7 },
	{ 0, 3, 2 },   { 3, 0, 2 },    { 3, 2, 0 },    { 64, 64, 64 },
	{ 3, 100, 7 }, { 64, 2, 100 }, { 100, 64, 7 }, { 2, 513, 100 },
};
#define SIZES ((int)(sizeof(sizes) / sizeof(sizes[0])))

/* Every dtype in some sizes, and float32 in all. */
START_TEST(dtypes_and_sizes)
{
	const int64_t *extent = sizes[_i / DTYPES];
	const dpr_dtype dtype = dtypes[_i % DTYPES];
	const int before = fake ? fake->calls : 0;
	dpr_array *a, *b, *y;

	if (!computes(dtype) || dtype == DPR_BOOL || leaves_out(_i, 17) ||
	    (_i / DTYPES > 7 && dtype != DPR_FLOAT32))
		return;
	a = numbers(DPR_SHAPE(extent[0], extent[1]), dtype, 1);
	b = numbers(DPR_SHAPE(extent[1], extent[2]), dtype, 2);
	CHECK_OK(dpr_matmul(a, b, &y));
	ck_assert_int_eq(dpr_array_dtype(y), dtype);
	ck_assert_int_eq(dpr_array_rank(y), 2);
	ck_assert_int_eq(dpr_array_shape(y)[0], extent[0]);
	ck_assert_int_eq(dpr_array_shape(y)[1], extent[2]);
	check_product(y, a, b, extent, 1, 0, 0, "matmul");
	/* The library gets large matrices of 16-bit floats, too. */
	if (fake && extent[0] == 64 && extent[2] == 64)
		ck_assert_int_eq(fake->calls - before,
				 strchr("fc", dpr_dtype_kind(dtype)) != NULL);
	dpr_array_release(y);
	CHECK_OK(dpr_evaluate("(a + 0) @ b * 1", NULL, &y, "a", a, "b", b));
	check_product(y, a, b, extent, 1, 0, 0, "a @ b");
	dpr_array_release(y);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* A view whose elements are those of an array of this shape, in layout @way. */
static dpr_array *laid_out(int64_t rows, int64_t columns, dpr_dtype dtype,
			   int seed, int way)
{
	static const int last[] = { 1 };
	static const dpr_axes columns_axis = { .count = 1, .axis = last };
	dpr_array *x = numbers(DPR_SHAPE(rows, columns), dtype, seed);
	dpr_array *copy, *out = NULL;

	switch (way) {
	case 0: return x;
	case 1: /* columns are contiguous */
		CHECK_OK(dpr_matrix_transpose(x, &copy));
		dpr_array_release(x);
		CHECK_OK(dpr_copy(copy, &x));
		CHECK_OK(dpr_matrix_transpose(x, &out));
		break;
	case 2: /* reversed columns */
		CHECK_OK(dpr_flip(x, &columns_axis, &copy));
		dpr_array_release(x);
		CHECK_OK(dpr_copy(copy, &x));
		CHECK_OK(dpr_flip(x, &columns_axis, &out));
		break;
	case 3: /* every second element of each row */
		CHECK_OK(dpr_repeat(x, 2, 1, &copy));
		dpr_array_release(x);
		x = copy;
		copy = NULL;
		CHECK_OK(dpr_array_index(
			x,
			(dpr_index[]){ DPR_ALL,
				       DPR_SLICE(DPR_OPEN, DPR_OPEN, 2) },
			2, &out));
		break;
	default: /* rows with a gap, behind an offset */
		CHECK_OK(dpr_evaluate("concat((x, x), axis=1)", NULL, &copy,
				      "x", x));
		dpr_array_release(x);
		x = copy;
		copy = NULL;
		CHECK_OK(dpr_array_index(
			x,
			(dpr_index[]){ DPR_ALL,
				       DPR_SLICE(columns, DPR_OPEN, 1) },
			2, &out));
		break;
	}
	dpr_array_release(copy);
	dpr_array_release(x);
	return out;
}
#define WAYS 5

START_TEST(layouts)
{
	static const int64_t extent[] = { 5, 7, 6 };
	const int first = _i / WAYS, second = _i % WAYS;
	dpr_array *a, *b, *y, *out, *t;

	if (leaves_out(_i, 5))
		return;
	a = laid_out(5, 7, DPR_FLOAT32, 3, first);
	b = laid_out(7, 6, DPR_FLOAT32, 4, second);
	CHECK_OK(dpr_matmul(a, b, &y));
	check_product(y, a, b, extent, 1, 0, 0, "layouts");
	if (fake && first < 2 && second < 2) {
		ck_assert_int_eq(fake->a_transposed, first);
		ck_assert_int_eq(fake->b_transposed, second);
		ck_assert_int_eq(fake->lda, first ? 5 : 7);
		ck_assert_int_eq(fake->ldb, second ? 7 : 6);
	}
	dpr_array_release(y);
	/* Into a transposed array, and into every second column. */
	CHECK_OK(dpr_zeros(DPR_SHAPE(6, 5), DPR_FLOAT32, test_queue, &t));
	CHECK_OK(dpr_matrix_transpose(t, &out));
	CHECK_OK(dpr_matmul_into(a, b, out));
	check_product(out, a, b, extent, 1, 0, 0, "into transposed");
	dpr_array_release(out);
	dpr_array_release(t);
	CHECK_OK(dpr_zeros(DPR_SHAPE(5, 12), DPR_FLOAT32, test_queue, &t));
	CHECK_OK(dpr_array_index(
		t, (dpr_index[]){ DPR_ALL, DPR_SLICE(DPR_OPEN, DPR_OPEN, 2) },
		2, &out));
	CHECK_OK(dpr_matmul_into(a, b, out));
	check_product(out, a, b, extent, 1, 0, 0, "into gaps");
	dpr_array_release(out);
	dpr_array_release(t);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* Sizes around the edges of tiles, for dpr's own routine: m, k, n. */
static const int64_t edges[][3] = {
	{ 31, 33, 65 }, { 33, 127, 31 }, { 65, 129, 100 }, { 100, 63, 33 },
	{ 97, 257, 3 }, { 3, 300, 131 }, { 13, 1, 33 },    { 1, 40, 70 },
	{ 70, 5, 1 },   { 6, 128, 32 },  { 193, 20, 130 }, { 1, 70, 1 },
};
#define EDGES ((int)(sizeof(edges) / sizeof(edges[0])))

/* Every dtype in a third of these sizes, each in two of the layouts. */
START_TEST(tiles)
{
	const int64_t *extent = edges[_i / DTYPES];
	const dpr_dtype dtype = dtypes[_i % DTYPES];
	dpr_array *a, *b, *y;

	if (fake || !computes(dtype) || dtype == DPR_BOOL ||
	    (_i / DTYPES + _i) % 3 || leaves_out(_i, 11))
		return;
	a = laid_out(extent[0], extent[1], dtype, 1, _i % WAYS);
	b = laid_out(extent[1], extent[2], dtype, 2, _i / 3 % WAYS);
	CHECK_OK(dpr_matmul(a, b, &y));
	check_product(y, a, b, extent, 1, 0, 0, "tiles");
	dpr_array_release(y);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* The smallest tiles, in a dtype of each kind. */
static void check_part(int64_t m, int64_t k, int64_t n, dpr_dtype dtype)
{
	const int64_t extent[] = { m, k, n };
	dpr_array *a, *b, *y;

	if (fake || !computes(dtype))
		return;
	a = numbers(DPR_SHAPE(m, k), dtype, 1);
	b = numbers(DPR_SHAPE(k, n), dtype, 2);
	CHECK_OK(dpr_matmul(a, b, &y));
	check_product(y, a, b, extent, 1, 0, 0, "parts");
	dpr_array_release(y);
	dpr_array_release(a);
	dpr_array_release(b);
}

START_TEST(parts)
{
	static const dpr_dtype kinds[] = { DPR_INT8, DPR_UINT64, DPR_FLOAT16,
					   DPR_COMPLEX64 };

	check_part(18, 17, 33, kinds[_i]);
}
END_TEST

/* A whole small tile beside one of one row, and a larger tile. */
START_TEST(larger_part)
{
	check_part(33, 17, 32, DPR_FLOAT32);
	check_part(70, 5, 66, DPR_FLOAT32);
}
END_TEST

/* Integers wrap in all their bits. */
START_TEST(wide_integers)
{
	const uint64_t u = (UINT64_C(1) << 63) + 5;
	const int32_t i = INT32_MIN + 3;
	uint64_t have = 0;
	int32_t low = 0;
	dpr_array *x, *a, *b, *y;

	CHECK_OK(dpr_array_from_memory(&u, DPR_SHAPE(1, 1), NULL, DPR_UINT64,
				       test_queue, &x));
	CHECK_OK(dpr_broadcast_to(x, DPR_SHAPE(2, 3), &a));
	CHECK_OK(dpr_broadcast_to(x, DPR_SHAPE(3, 2), &b));
	CHECK_OK(dpr_evaluate("(a @ b)[1, 1]", NULL, &y, "a", a, "b", b));
	CHECK_OK(dpr_array_to_memory(y, &have, sizeof(have), NULL));
	ck_assert_uint_eq(have, u * u * 3);
	dpr_array_release(x);
	dpr_array_release(a);
	dpr_array_release(b);
	dpr_array_release(y);
	CHECK_OK(dpr_array_from_memory(&i, DPR_SHAPE(1, 1), NULL, DPR_INT32,
				       test_queue, &x));
	CHECK_OK(dpr_broadcast_to(x, DPR_SHAPE(2, 3), &a));
	CHECK_OK(dpr_broadcast_to(x, DPR_SHAPE(3, 2), &b));
	CHECK_OK(dpr_evaluate("(a @ b)[1, 1]", NULL, &y, "a", a, "b", b));
	CHECK_OK(dpr_array_to_memory(y, &low, sizeof(low), NULL));
	ck_assert_uint_eq((uint32_t)low, (uint32_t)i * (uint32_t)i * 3);
	dpr_array_release(x);
	dpr_array_release(a);
	dpr_array_release(b);
	dpr_array_release(y);
}
END_TEST

/* Check that @a and @b have the same shape and the same bits. */
static void expect_bits(const dpr_array *a, const dpr_array *b,
			const char *what)
{
	const size_t size = dpr_array_nbytes(a);
	void *x = malloc(size), *y = malloc(size);

	ck_assert(x && y);
	ck_assert_uint_eq(dpr_array_nbytes(b), size);
	CHECK_OK(dpr_array_to_memory(a, x, size, NULL));
	CHECK_OK(dpr_array_to_memory(b, y, size, NULL));
	ck_assert_msg(!memcmp(x, y, size), "%s: other bits", what);
	free(x);
	free(y);
}

/* A batch of _i axes that cannot be joined, since those of x1 are reversed. */
START_TEST(many_axes)
{
	const dpr_dtype dtype = _i % 2 ? DPR_INT16 : DPR_FLOAT32;
	int64_t two[DPR_MAX_RANK];
	int axes[DPR_MAX_RANK];
	dpr_array *x, *a, *b, *copy, *y, *want;

	for (int d = 0; d < _i + 2; d++) {
		axes[d] = d < _i ? _i - 1 - d : d;
		two[d] = 2;
	}
	x = numbers(dpr_shape_of(_i + 2, two), dtype, 1);
	b = numbers(dpr_shape_of(_i + 2, two), dtype, 2);
	CHECK_OK(dpr_permute_dims(x, axes, &a));
	CHECK_OK(dpr_copy(a, &copy));
	CHECK_OK(dpr_matmul(a, b, &y));
	CHECK_OK(dpr_matmul(copy, b, &want));
	expect_bits(y, want, "many axes");
	dpr_array_release(x);
	dpr_array_release(a);
	dpr_array_release(b);
	dpr_array_release(copy);
	dpr_array_release(y);
	dpr_array_release(want);
}
END_TEST

/* dpr's own routine: the bits of a result do not depend on strides, nor on
   where an element is in a tile.  The parts of complex numbers are added in
   another order where the operands are exchanged. */
START_TEST(order)
{
	const char *option = getenv("DPR_OPTION_HOST_BLAS");
	const dpr_dtype dtype = _i ? DPR_COMPLEX64 : DPR_FLOAT32;
	dpr_array *x, *a, *b, *y, *z, *part;

	if (!is_on("host") || !option || strcmp(option, "none") != 0)
		return;
	x = numbers(DPR_SHAPE(130, 300), dtype, 1);
	CHECK_OK(dpr_evaluate("x / 3", NULL, &a, "x", x));
	CHECK_OK(dpr_evaluate("matrix_transpose(x)[:, :101] / 7", NULL, &b, "x",
			      x));
	CHECK_OK(dpr_matmul(a, b, &y));
	CHECK_OK(dpr_evaluate("a[7:100, :] @ b[:, 3:64]", NULL, &z, "a", a, "b",
			      b));
	CHECK_OK(dpr_evaluate("y[7:100, 3:64]", NULL, &part, "y", y));
	expect_bits(z, part, "a part");
	dpr_array_release(part);
	dpr_array_release(z);
	CHECK_OK(dpr_evaluate(
		"matrix_transpose(matrix_transpose(b) @ (matrix_transpose(a) + 0))",
		NULL, &z, "a", a, "b", b));
	if (!_i)
		expect_bits(z, y, "transposed");
	dpr_array_release(z);
	dpr_array_release(y);
	dpr_array_release(b);
	dpr_array_release(a);
	dpr_array_release(x);
}
END_TEST

/* Vectors, and batches that are broadcast. */
START_TEST(vectors_and_batches)
{
	static const int64_t row[] = { 1, 3, 4 }, column[] = { 4, 3, 1 },
			     dot[] = { 1, 3, 1 }, one[] = { 4, 3, 4 };
	const dpr_dtype dtype = _i ? DPR_INT32 : DPR_FLOAT32;
	dpr_array *v, *a, *b, *batch, *y, *z, *w;

	v = numbers(DPR_SHAPE(3), dtype, 1);
	a = numbers(DPR_SHAPE(4, 3), dtype, 2);
	b = numbers(DPR_SHAPE(3, 4), dtype, 3);
	CHECK_OK(dpr_matmul(v, b, &y));
	ck_assert_int_eq(dpr_array_rank(y), 1);
	check_product(y, v, b, row, 1, 0, 0, "vector, matrix");
	dpr_array_release(y);
	CHECK_OK(dpr_matmul(a, v, &y));
	ck_assert_int_eq(dpr_array_rank(y), 1);
	check_product(y, a, v, column, 1, 0, 0, "matrix, vector");
	dpr_array_release(y);
	CHECK_OK(dpr_matmul(v, v, &y));
	ck_assert_int_eq(dpr_array_rank(y), 0);
	check_product(y, v, v, dot, 1, 0, 0, "vectors");
	dpr_array_release(y);
	batch = numbers(DPR_SHAPE(5, 2, 4, 3), dtype, 4);
	CHECK_OK(dpr_matmul(batch, b, &y));
	ck_assert_int_eq(dpr_array_rank(y), 4);
	check_product(y, batch, b, one, 10, 1, 0, "batch, matrix");
	dpr_array_release(y);
	CHECK_OK(dpr_matmul(batch, v, &y));
	ck_assert_int_eq(dpr_array_rank(y), 3);
	check_product(y, batch, v, column, 10, 1, 0, "batch, vector");
	dpr_array_release(y);
	CHECK_OK(dpr_matrix_transpose(batch, &w));
	CHECK_OK(dpr_matmul(a, w, &y));
	check_product(y, a, w, one, 10, 0, 1, "matrix, batch");
	dpr_array_release(y);
	dpr_array_release(w);
	/* (5, 1, 4, 3) and (2, 3, 4): each with each. */
	z = numbers(DPR_SHAPE(2, 3, 4), dtype, 5);
	CHECK_OK(dpr_evaluate("batch[:, 0:1] @ z", NULL, &y, "batch", batch,
			      "z", z));
	CHECK_OK(dpr_evaluate(
		"sum(batch[:, 0:1, :, :, None] * z[:, None, :, :], axis=-2)",
		NULL, &w, "batch", batch, "z", z));
	dpr_array_release(v);
	CHECK_OK(dpr_astype(w, dtype, &v));
	expect_same(y, v, "broadcast batches");
	dpr_array_release(w);
	dpr_array_release(z);
	dpr_array_release(batch);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* Compute @n products of matrices of extent @side, which the library does if
   @by_library is set and there is one. */
static void check_many(int64_t n, int64_t side, dpr_dtype dtype,
		       bool by_library)
{
	const int64_t extent[] = { side, side, side };
	const int before = fake ? fake->calls : 0;
	dpr_array *a, *b, *y;

	if (!computes(dtype))
		return;
	a = numbers(DPR_SHAPE(n, side, side), dtype, 1);
	b = numbers(DPR_SHAPE(n, side, side), dtype, 2);
	CHECK_OK(dpr_matmul(a, b, &y));
	check_product(y, a, b, extent, n, 1, 1, "many");
	if (fake)
		ck_assert_int_eq(fake->calls - before, by_library ? n : 0);
	if (fake && by_library)
		ck_assert_int_eq(fake->threads, 1);
	dpr_array_release(y);
	dpr_array_release(a);
	dpr_array_release(b);
}

/* Many small products are one launch, which the host divides.  On a GPU they
   are more than one dimension of a grid may have. */
START_TEST(many_small)
{
	const int64_t n = takes_few() ? 40 : is_on("cuda") ? 70000 : 3000;

	check_many(n, 4, DPR_FLOAT32, false);
	check_many(n, 8, DPR_FLOAT32, false);
	check_many(n, 9, DPR_FLOAT32, true);
	check_many(n, 4, DPR_FLOAT64, false);
	check_many(n, 5, DPR_FLOAT64, true);
	check_many(n, 4, DPR_COMPLEX64, true);
	/* A few of them are not worth a choice. */
	check_many(15, 4, DPR_FLOAT32, true);
}
END_TEST

/* Sums over several axes are one call of a library, which gets the operands as
   they are. */
START_TEST(joined_axes)
{
	static const int64_t extent[] = { 5, 6, 4 };
	const dpr_array *x[2];
	dpr_array *a, *b, *y;
	int calls;

	if (!fake)
		return;
	x[0] = a = numbers(DPR_SHAPE(5, 2, 3), DPR_FLOAT32, 1);
	x[1] = b = numbers(DPR_SHAPE(2, 3, 4), DPR_FLOAT32, 2);
	calls = fake->calls;
	CHECK_OK(dpr_tensordot(a, b, 2, &y));
	check_product(y, a, b, extent, 1, 0, 0, "tensordot");
	ck_assert_int_eq(fake->calls, calls + 1);
	ck_assert_int_eq(fake->lda, 6);
	ck_assert_int_eq(fake->ldb, 4);
	ck_assert(!fake->a_transposed && !fake->b_transposed);
	dpr_array_release(y);
	dpr_array_release(b);
	x[1] = b = numbers(DPR_SHAPE(4, 2, 3), DPR_FLOAT32, 2);
	CHECK_OK(dpr_einsum("iab,jab->ij", x, 2, &y));
	CHECK_OK(dpr_queue_wait(test_queue));
	dpr_array_release(y);
	ck_assert_int_eq(fake->calls, calls + 2);
	ck_assert_int_eq(fake->lda, 6);
	ck_assert_int_eq(fake->ldb, 6);
	ck_assert(!fake->a_transposed && fake->b_transposed);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

#define LARGE 513

/* Matrices that no block of a library or of a kernel divides; some rows are
   checked. */
START_TEST(large)
{
	float complex *va, *vb, *vy;
	dpr_array *a, *b, *y;
	int64_t wrong = -1;

	if (getenv("DPR_TEST_SMALL") || fake)
		return;
	a = numbers(DPR_SHAPE(LARGE, LARGE), DPR_FLOAT32, 1);
	b = numbers(DPR_SHAPE(LARGE, LARGE), DPR_FLOAT32, 2);
	CHECK_OK(dpr_matmul(a, b, &y));
	va = elements(a);
	vb = elements(b);
	vy = elements(y);
	for (int r = 0; r < LARGE; r += 64)
		for (int c = 0; c < LARGE; c++) {
			float sum = 0;

			for (int p = 0; p < LARGE; p++)
				sum += crealf(va[r * LARGE + p]) *
				       crealf(vb[p * LARGE + c]);
			if (crealf(vy[r * LARGE + c]) != sum)
				wrong = r * LARGE + c;
		}
	ck_assert_msg(wrong < 0, "element %lld", (long long)wrong);
	free(va);
	free(vb);
	free(vy);
	dpr_array_release(y);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* --- Threads -------------------------------------------------------------- */

/* A thread, which multiplies on two queues in turn. */
struct multiplier {
	dpr_queue *const *queues;
	int number, products;
	int wrong;         /* elements */
	dpr_status status; /* of the first failure */
};

#define SIDE 9

/* Multiply matrices of (m, SIDE) and (SIDE, SIDE) whose elements differ by
 * @turn.
 */
static dpr_status multiply_once(struct multiplier *t, int turn)
{
	const int m = 1 + turn % SIDE, seed = turn * 2 + t->number;
	dpr_queue *queue = t->queues[(turn + t->number) % 2];
	float va[SIDE * SIDE], vb[SIDE * SIDE], vy[SIDE * SIDE];
	dpr_array *a = NULL, *b = NULL, *y = NULL;
	dpr_status status;

	for (int i = 0; i < SIDE * SIDE; i++) {
		va[i] = (float)number(i, seed);
		vb[i] = (float)number(i, seed + 1);
	}
	status = dpr_array_from_memory(va, DPR_SHAPE(m, SIDE), NULL,
				       DPR_FLOAT32, queue, &a);
	if (!status)
		status = dpr_array_from_memory(vb, DPR_SHAPE(SIDE, SIDE), NULL,
					       DPR_FLOAT32, queue, &b);
	if (!status)
		status = dpr_matmul(a, b, &y);
	if (!status)
		status = dpr_array_to_memory(y, vy, dpr_array_nbytes(y), NULL);
	for (int i = 0; !status && i < m * SIDE; i++) {
		float sum = 0;

		for (int p = 0; p < SIDE; p++)
			sum += va[i / SIDE * SIDE + p] *
			       vb[p * SIDE + i % SIDE];
		t->wrong += vy[i] != sum;
	}
	dpr_array_release(a);
	dpr_array_release(b);
	dpr_array_release(y);
	return status;
}

static void *multiply_many(void *argument)
{
	struct multiplier *t = argument;

	for (int i = 0; !t->status && i < t->products; i++)
		t->status = multiply_once(t, i);
	return NULL;
}

/* Two threads use two queues of one device at once. */
START_TEST(threads_and_queues)
{
	dpr_queue *queues[2];
	struct multiplier t[2];
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		CHECK_OK(dpr_queue_create(test_device, 0, &queues[i]));
	for (int i = 0; i < 2; i++) {
		t[i] = (struct multiplier){ .queues = queues,
					    .number = i,
					    .products =
						    takes_few() ? 10 : 200 };
		ck_assert_int_eq(
			pthread_create(&thread[i], NULL, multiply_many, &t[i]),
			0);
	}
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
		ck_assert_int_eq(t[i].status, DPR_OK);
		ck_assert_int_eq(t[i].wrong, 0);
	}
	for (int i = 0; i < 2; i++)
		dpr_queue_release(queues[i]);
}
END_TEST

/* --- Values and errors ---------------------------------------------------- */

/* NaN reaches its row; infinity times 0 is NaN; dtypes are promoted; 16-bit
   floats are added in float32. */
START_TEST(special)
{
	dpr_array *a, *b, *y;

	a = array_in((double[]){ NAN, 0, 1, 2 }, DPR_SHAPE(2, 2), DPR_FLOAT32);
	b = array_in((double[]){ 0, 3, INFINITY, 4 }, DPR_SHAPE(2, 2),
		     DPR_FLOAT32);
	CHECK_OK(dpr_matmul(a, b, &y));
	expect_near(y, DPR_FLOAT32, (double[]){ NAN, NAN, INFINITY, 11 }, 4, 1,
		    0, "NaN");
	dpr_array_release(a);
	dpr_array_release(b);
	a = array_in((double[]){ 1, 2, 3, 4 }, DPR_SHAPE(2, 2), DPR_INT8);
	b = array_in((double[]){ 0.5, 1, 2, -1 }, DPR_SHAPE(2, 2), DPR_FLOAT32);
	CHECK_OK(dpr_matmul(a, b, &y));
	expect_near(y, DPR_FLOAT32, (double[]){ 4.5, -1, 9.5, -1 }, 4, 1, 0,
		    "promoted");
	dpr_array_release(a);
	dpr_array_release(b);
	a = array_in((double[]){ 0.5 }, DPR_SHAPE(1, 1), DPR_FLOAT16);
	CHECK_OK(dpr_broadcast_to(a, DPR_SHAPE(1, 20000), &b));
	CHECK_OK(dpr_evaluate("b @ b[0]", NULL, &y, "b", b));
	expect_near(y, DPR_FLOAT16, (double[]){ 5000 }, 1, 1, 0, "float16");
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* A result over its own operands. */
START_TEST(overlaps)
{
	static const int64_t extent[] = { 6, 6, 6 };
	dpr_array *a, *b, *before;

	a = numbers(DPR_SHAPE(6, 6), DPR_FLOAT32, 1);
	b = numbers(DPR_SHAPE(6, 6), DPR_FLOAT32, 2);
	CHECK_OK(dpr_copy(a, &before));
	CHECK_OK(dpr_matmul_into(a, b, a));
	check_product(a, before, b, extent, 1, 0, 0, "over x1");
	dpr_array_release(before);
	CHECK_OK(dpr_copy(b, &before));
	CHECK_OK(dpr_matmul_into(b, b, b));
	check_product(b, before, before, extent, 1, 0, 0, "over both");
	dpr_array_release(before);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

START_TEST(errors)
{
	dpr_array *a, *b, *c, *y = NULL;
	dpr_queue *other;

	a = numbers(DPR_SHAPE(2, 3), DPR_FLOAT32, 1);
	b = numbers(DPR_SHAPE(4, 5), DPR_FLOAT32, 1);
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_matmul(a, b, &y));
	expect_text("matmul: x1 of shape (2, 3) and x2 of shape (4, 5): the "
		    "last axis of x1 must be as long as the axis before the "
		    "last of x2");
	ck_assert_ptr_null(y);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_matmul(NULL, b, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_matmul(a, NULL, &y));
	expect_text("matmul: x2 is NULL");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_matmul(a, b, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_matmul_into(a, b, NULL));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_evaluate("a @ 2", NULL, &y, "a", a));
	c = numbers(DPR_SHAPE(2, 3, 2), DPR_FLOAT32, 1);
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_evaluate("c @ stack((a, a, a))", NULL,
						  &y, "a", a, "c", c));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "(2, 3, 2)"));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "(3, 2, 3)"));
	dpr_array_release(c);
	CHECK_OK(dpr_ones(DPR_SHAPE(3, 2), DPR_FLOAT32, test_queue, &c));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_matmul_into(a, c, b));
	dpr_array_release(c);
	CHECK_OK(dpr_ones(DPR_SHAPE(2, 2), DPR_BOOL, test_queue, &c));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_matmul(c, c, &y));
	dpr_array_release(c);
	CHECK_OK(dpr_queue_create(test_device, 0, &other));
	CHECK_OK(dpr_ones(DPR_SHAPE(3, 2), DPR_FLOAT32, other, &c));
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT, dpr_matmul(a, c, &y));
	dpr_array_release(c);
	dpr_queue_release(other);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* In a child process with a library, products come from it; otherwise none do.
   The name of a routine is one of the table. */
START_TEST(routines)
{
	static const char known[] = "gemm float32", unknown[] = "gemm int32";
	const char *variable = blas_option();
	const char *option = variable ? getenv(variable) : NULL;
	dpr_image image = { "calls-1", NULL, known, sizeof(known) - 1 };
	dpr_program *program;

	if (is_on("cuda")) {
		if (dpr_program_build(test_queue, &image, 1, NULL, &program)) {
			printf("a library was not tested: %s\n",
			       dpr_last_error());
			return;
		}
		ck_assert_ptr_nonnull(
			strstr(dpr_program_log(program), "cuBLAS "));
		dpr_program_release(program);
	}
	if (!variable)
		return;
	if (fake) {
		ck_assert_int_gt(fake->calls, 0);
		ck_assert_int_eq(fake->faults, 0);
		CHECK_OK(dpr_program_build(test_queue, &image, 1, NULL,
					   &program));
		ck_assert_ptr_nonnull(
			strstr(dpr_program_log(program), "a fake CBLAS"));
		ck_assert_ptr_nonnull(strstr(dpr_program_log(program),
					     "64-bit integers, 8 threads"));
		dpr_program_release(program);
		image.data = unknown;
		image.size = sizeof(unknown) - 1;
		CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
			    dpr_program_build(test_queue, &image, 1, NULL,
					      &program));
	} else if (option && (!strcmp(option, "none") ||
			      !strcmp(option, NO_LIBRARY))) {
		CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
			    dpr_program_build(test_queue, &image, 1, NULL,
					      &program));
		ck_assert_ptr_nonnull(strstr(dpr_last_error(), variable));
	} else if (dpr_program_build(test_queue, &image, 1, NULL, &program)) {
		ck_assert_ptr_nonnull(strstr(dpr_last_error(), "no CBLAS"));
		printf("a library was not tested: %s\n", dpr_last_error());
	} else {
		dpr_program_release(program);
	}
}
END_TEST

/* --- Suites --------------------------------------------------------------- */

static Suite *products(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("matmul");

	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, errors);
	tcase_add_loop_test(tcase, dtypes_and_sizes, 0, SIZES * DTYPES);
	tcase_add_loop_test(tcase, layouts, 0, WAYS * WAYS);
	tcase_add_loop_test(tcase, tiles, 0, EDGES * DTYPES);
	tcase_add_test(tcase, wide_integers);
	tcase_add_loop_test(tcase, many_axes, 7, 10);
	tcase_add_loop_test(tcase, order, 0, 2);
	tcase_add_loop_test(tcase, vectors_and_batches, 0, 2);
	tcase_add_test(tcase, many_small);
	tcase_add_test(tcase, joined_axes);
	tcase_add_test(tcase, large);
	tcase_add_test(tcase, threads_and_queues);
	tcase_add_test(tcase, special);
	tcase_add_test(tcase, overlaps);
	tcase_add_test(tcase, routines);
	suite_add_tcase(suite, tcase);
	/* For Oclgrind, which is slow. */
	tcase = tcase_create("parts");
	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, parts, 0, 4);
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("part");
	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, larger_part);
	suite_add_tcase(suite, tcase);
	return suite;
}

static int run(const char *selector)
{
	const int failed = run_on_selected(products, selector);

	if (dpr_finalize()) {
		printf("finalize: %s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	return failed;
}

int main(void)
{
	bool failed;

	setvbuf(stdout, NULL, _IONBF, 0);
	failed = libraries_failed(run);
	return run(NULL) || failed;
}
