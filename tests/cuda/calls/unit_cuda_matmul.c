/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_cuda_matmul.c - products of matrices by dpr's own routine in PTX, on the
 * mock of NVIDIA's driver: the words of a launch, and products that take
 * several launches.  The mock computes from the words (routine_matmul.h).  What
 * the kernels in PTX compute is tested on GPUs (tests/functions/api_matmul.c).
 */
#include "tests/cuda/cuda_api.h"

#include <dpr/dpr.h>

#include "core/array/products/product.h"
#include "kernels/images.h"
#include "kernels/routine_matmul.h"

#define NO_RESOURCES 701 /* CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES */
enum { BATCH = 3, ROWS = 40, STEPS = 5, COLUMNS = 33 };

static dpr_queue *queue;
static int64_t rows; /* of a tile of the last launch */

struct operands {
	void *x[3];
	struct routine_matmul w;
};

/* Compute element (@i, @j) of the result at index @batch. */
#define ELEMENT(name, T)                                                     \
	static void name(const struct operands *o, int64_t batch, int64_t i, \
			 int64_t j)                                          \
	{                                                                    \
		const struct routine_matmul *w = &o->w;                      \
		int64_t at[3];                                               \
		T sum = 0;                                                   \
                                                                             \
		memcpy(at, w->offset, sizeof(at));                           \
		for (int64_t d = w->axes - 1; d >= 0; d--) {                 \
			for (int x = 0; x < 3; x++)                          \
				at[x] += batch % w->extent[d] *              \
					 w->stride[x][d];                    \
			batch /= w->extent[d];                               \
		}                                                            \
		for (int64_t p = 0; p < w->k; p++)                           \
			sum = (T)(sum +                                      \
				  ((T *)o->x[0])[at[0] + i * w->row[0] +     \
						 p * w->column[0]] *         \
					  ((T *)o->x[1])[at[1] +             \
							 p * w->row[1] +     \
							 j * w->column[1]]); \
		((T *)o->x[2])[at[2] + i * w->row[2] + j * w->column[2]] =   \
			sum;                                                 \
	}
ELEMENT(element_of_4, uint32_t)
ELEMENT(element_of_1, uint8_t)

/* Do the work of all groups of a launch. */
static int run_groups(const struct cumock_run *run,
		      void (*element)(const struct operands *o, int64_t batch,
				      int64_t i, int64_t j))
{
	struct operands o;

	ck_assert_uint_eq(run->size, sizeof(o));
	ck_assert_uint_eq(run->block[0], ROUTINE_MATMUL_GROUP);
	memcpy(&o, run->params, sizeof(o));
	rows = o.w.rows;
	for (unsigned g = 0; g < run->grid[0]; g++) {
		const int64_t tile = o.w.first + g;
		const int64_t at = tile % (o.w.down * o.w.across);
		const int64_t row = at / o.w.across * o.w.rows;
		const int64_t column = at % o.w.across * o.w.columns;

		for (int64_t i = row; i < row + o.w.rows && i < o.w.m; i++)
			for (int64_t j = column;
			     j < column + o.w.columns && j < o.w.n; j++)
				element(&o, tile / (o.w.down * o.w.across), i,
					j);
	}
	return 0;
}

static int matmul_of_4(const struct cumock_run *run)
{
	return run_groups(run, element_of_4);
}

static int matmul_of_1(const struct cumock_run *run)
{
	return run_groups(run, element_of_1);
}

static void start(void)
{
	use_backends(NULL);
	mock->kernel("matmul_uint32", matmul_of_4);
	mock->kernel("matmul_uint8", matmul_of_1);
	CHECK_OK(dpr_device_queue(get_device("cuda:0"), &queue));
}

static int32_t number(int64_t i, int seed)
{
	return (int32_t)(i * 7 + seed) % 11 - 5;
}

/* An array (@batch, @m, @n) of whole numbers. */
static dpr_array *numbers(int64_t batch, int64_t m, int64_t n, int seed)
{
	static int32_t values[BATCH * ROWS * COLUMNS];
	dpr_array *x;

	for (int64_t i = 0; i < batch * m * n; i++)
		values[i] = number(i, seed);
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(batch, m, n), NULL,
				       DPR_INT32, queue, &x));
	return x;
}

static int count_wrong(dpr_array *y)
{
	static int32_t have[BATCH * ROWS * COLUMNS];
	int wrong = 0;

	CHECK_OK(dpr_array_to_memory(y, have, sizeof(have), NULL));
	for (int b = 0; b < BATCH; b++)
		for (int i = 0; i < ROWS; i++)
			for (int j = 0; j < COLUMNS; j++) {
				int32_t sum = 0;

				for (int p = 0; p < STEPS; p++)
					sum += number((b * ROWS + i) * STEPS +
							      p,
						      1) *
					       number((b * STEPS + p) *
								      COLUMNS +
							      j,
						      2);
				wrong += have[(b * ROWS + i) * COLUMNS + j] !=
					 sum;
			}
	return wrong;
}

/* There are 2 x 2 tiles for each index of the batch. */
START_TEST(several_launches)
{
	static const struct {
		int64_t most;
		uint64_t launches;
	} cases[] = { { 0, 1 }, { 5, 3 }, { 6, 2 }, { 11, 2 }, { 12, 1 } };
	dpr_array *a, *b, *y;

	start();
	a = numbers(BATCH, ROWS, STEPS, 1);
	b = numbers(BATCH, STEPS, COLUMNS, 2);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		product_own_groups(cases[i].most);
		mock->forget_calls();
		CHECK_OK(dpr_matmul(a, b, &y));
		ck_assert_uint_eq(mock->calls("cuLaunchKernel"),
				  cases[i].launches);
		ck_assert_int_eq(count_wrong(y), 0);
		ck_assert_int_eq(rows, 32);
		dpr_array_release(y);
	}
	product_own_groups(0);
	dpr_array_release(a);
	dpr_array_release(b);
	finish_all();
}
END_TEST

/* If a later launch fails, the result has been written in part, and so cannot
   be read. */
START_TEST(a_later_launch_fails)
{
	static int32_t have[BATCH * ROWS * COLUMNS];
	dpr_array *a, *b, *y;

	start();
	a = numbers(BATCH, ROWS, STEPS, 1);
	b = numbers(BATCH, STEPS, COLUMNS, 2);
	CHECK_OK(dpr_zeros(DPR_SHAPE(BATCH, ROWS, COLUMNS), DPR_INT32, queue,
			   &y));
	CHECK_OK(dpr_matmul_into(a, b, y));
	product_own_groups(5);
	mock->fail("cuLaunchKernel", 2, NO_RESOURCES);
	ck_assert_int_ne(dpr_matmul_into(a, b, y), DPR_OK);
	mock->fail(NULL, 0, 0);
	product_own_groups(0);
	ck_assert_int_ne(dpr_array_to_memory(y, have, sizeof(have), NULL),
			 DPR_OK);
	dpr_array_release(a);
	dpr_array_release(b);
	dpr_array_release(y);
	finish_all();
}
END_TEST

/* Signed integers have the kernels of unsigned ones.  A matrix is read with any
   strides. */
START_TEST(signed_integers)
{
	static const int8_t values[] = { -7, 100, 3, 50, -128, 9 };
	int8_t have[9];
	dpr_array *x, *t, *y;
	int wrong = 0;

	start();
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(3, 2), NULL, DPR_INT8,
				       queue, &x));
	CHECK_OK(dpr_matrix_transpose(x, &t));
	CHECK_OK(dpr_matmul(x, t, &y));
	CHECK_OK(dpr_array_to_memory(y, have, sizeof(have), NULL));
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			wrong +=
				have[3 * i + j] !=
				(int8_t)(values[2 * i] * values[2 * j] +
					 values[2 * i + 1] * values[2 * j + 1]);
	ck_assert_int_eq(wrong, 0);
	dpr_array_release(x);
	dpr_array_release(t);
	dpr_array_release(y);
	finish_all();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		several_launches,
		a_later_launch_fails,
		signed_integers,
	};

	if (!images_have_spirv()) {
		printf("needs the kernels in PTX, which were not built\n");
		return 77;
	}
	return run_tests("unit_cuda_matmul", tests,
			 sizeof(tests) / sizeof(tests[0]));
}
