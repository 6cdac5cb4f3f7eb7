/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_cuda_blas.c - products of matrices by cuBLAS, with a library in place of
 * it, on the mock of NVIDIA's driver: values, calls, handles, order.
 */
#include "tests/cuda/calls/blas_test.h"

/* Products, and by how many calls they are computed: products, batches, and the
   extent of a batch.  Extents of the batch that are 0 here stand for 1. */
/* clang-format off */
static const struct {
	dprp_gemm v;
	int products, batches, count;
} cases[] = {
	{ { .m = 3, .n = 4, .k = 5, .lda = 5, .ldb = 4, .ldc = 4 }, 1, 0, 0 },
	{ { .m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1 }, 1, 0, 0 },
	{ { .m = 3, .n = 4, .k = 5, .lda = 3, .ldb = 4, .ldc = 4,
	    .flags = DPRP_GEMM_A_TRANSPOSED },
	  1, 0, 0 },
	{ { .m = 3, .n = 4, .k = 5, .lda = 5, .ldb = 5, .ldc = 4,
	    .flags = DPRP_GEMM_B_TRANSPOSED },
	  1, 0, 0 },
	/* Offsets, and gaps between rows. */
	{ { .m = 3, .n = 2, .k = 4, .lda = 9, .ldb = 7, .ldc = 6,
	    .flags = DPRP_GEMM_A_TRANSPOSED | DPRP_GEMM_B_TRANSPOSED,
	    .offset_a = 3, .offset_b = 17, .offset_c = 5 },
	  1, 0, 0 },
	/* One axis of a batch, in any place; b is the same for all. */
	{ { .m = 2, .n = 3, .k = 2, .lda = 2, .ldb = 3, .ldc = 3,
	    .batch = { 0, 0, 0, 7 }, .stride_a = { 0, 0, 0, 4 },
	    .stride_c = { 0, 0, 0, 6 } },
	  0, 1, 7 },
	{ { .m = 2, .n = 3, .k = 2, .lda = 2, .ldb = 3, .ldc = 3,
	    .offset_b = 1, .offset_c = 2, .batch = { 0, 6 },
	    .stride_a = { 9, 4, 9, 9 }, .stride_b = { 9, 7, 9, 9 },
	    .stride_c = { 9, 8, 9, 9 } },
	  0, 1, 6 },
	/* A batch that lies between the columns of c. */
	{ { .m = 2, .n = 3, .k = 2, .lda = 2, .ldb = 3, .ldc = 12,
	    .batch = { 0, 0, 0, 4 }, .stride_a = { 0, 0, 0, 4 },
	    .stride_b = { 0, 0, 0, 6 }, .stride_c = { 0, 0, 0, 3 } },
	  0, 1, 4 },
	/* One call for the longest axis, and as many as the others have. */
	{ { .m = 2, .n = 2, .k = 2, .lda = 2, .ldb = 2, .ldc = 2,
	    .batch = { 2, 5, 0, 3 }, .stride_a = { 60, 12, 0, 4 },
	    .stride_b = { 0, 4, 0, 20 }, .stride_c = { 4, 8, 0, 40 } },
	  0, 6, 5 },
	/* Backwards. */
	{ { .m = 2, .n = 3, .k = 2, .lda = 2, .ldb = 3, .ldc = 3,
	    .offset_a = 40, .batch = { 0, 0, 0, 4 },
	    .stride_a = { 0, 0, 0, -4 }, .stride_b = { 0, 0, 0, 6 },
	    .stride_c = { 0, 0, 0, 6 } },
	  4, 0, 0 },
	{ { .m = 2, .n = 3, .k = 2, .lda = 2, .ldb = 3, .ldc = 3,
	    .offset_b = 40, .batch = { 2, 0, 0, 4 },
	    .stride_a = { 16, 0, 0, 4 }, .stride_b = { 2, 0, 0, -6 },
	    .stride_c = { 24, 0, 0, 6 } },
	  0, 4, 2 },
	/* Numbers that need 64 bits.  Below a single row there is none. */
	{ { .m = 1, .n = 3, .k = 2, .lda = INT64_C(1) << 31, .ldb = 3,
	    .ldc = 3 },
	  1, 0, 0 },
	{ { .m = 1, .n = 3, .k = 2, .lda = 2, .ldb = 3,
	    .ldc = INT64_C(1) << 40, .batch = { 2 }, .stride_a = { 2 },
	    .stride_b = { 6 }, .stride_c = { 3 } },
	  0, 1, 2 },
};
/* clang-format on */
#define CASES (sizeof(cases) / sizeof(cases[0]))

static dprp_gemm case_of(size_t i)
{
	dprp_gemm v = cases[i].v;

	for (int d = 0; d < DPRP_GEMM_BATCHES; d++)
		v.batch[d] += !v.batch[d];
	return v;
}

START_TEST(values)
{
	struct operands o;
	dpr_kernel *kernel;
	dpr_queue *on;

	use_libraries(fake_path, NULL);
	on = queue_of(get_device("cuda:0"));
	/* cuBLAS is not used before the first product. */
	ck_assert_int_eq(fake->made, 0);
	kernel = new_gemm(on, routines[_i].name);
	for (size_t i = 0; i < CASES; i++) {
		const dprp_gemm v = case_of(i);

		make_operands(on, routines[_i].dtype, &o);
		fake->products = fake->batches = fake->wide = 0;
		CHECK_OK(try_gemm(on, kernel, o.x, &v, NULL));
		CHECK_OK(dpr_queue_wait(on));
		check_result(&o, &v);
		ck_assert_int_eq(fake->products, cases[i].products);
		ck_assert_int_eq(fake->batches, cases[i].batches);
		if (cases[i].batches)
			ck_assert_int_eq(fake->count, cases[i].count);
		ck_assert_int_eq(fake->wide,
				 v.lda > INT32_MAX || v.ldc > INT32_MAX);
		drop_operands(&o);
	}
	ck_assert_int_eq(fake->made, 1);
	dpr_kernel_release(kernel);
	stop();
}
END_TEST

/* The array function takes the routine of its dtype, with a transposed operand
   as it is. */
START_TEST(arrays)
{
	enum { M = 3, K = 4, N = 2 };
	const dpr_dtype dtype = routines[_i].dtype;
	const dprp_gemm v = { .m = M,
			      .n = N,
			      .k = K,
			      .flags = DPRP_GEMM_B_TRANSPOSED,
			      .lda = K,
			      .ldb = K,
			      .ldc = N };
	const int64_t from[3] = { 0 };
	unsigned char in[2][16 * M * K], have[16 * M * N], want[16 * M * N];
	dpr_array *a, *b, *bt, *y;
	dpr_queue *on;

	use_libraries(fake_path, NULL);
	on = queue_of(get_device("cuda:0"));
	for (int64_t i = 0; i < M * K; i++) {
		put(in[0], i, dtype, element(dtype, i, 0));
		put(in[1], i, dtype, element(dtype, i, 1));
	}
	CHECK_OK(dpr_array_from_memory(in[0], DPR_SHAPE(M, K), NULL, dtype, on,
				       &a));
	CHECK_OK(dpr_array_from_memory(in[1], DPR_SHAPE(N, K), NULL, dtype, on,
				       &b));
	CHECK_OK(dpr_matrix_transpose(b, &bt));
	CHECK_OK(dpr_matmul(a, bt, &y));
	ck_assert_int_eq(dpr_array_dtype(y), dtype);
	CHECK_OK(dpr_array_to_memory(y, have, sizeof(have), NULL));
	multiply(&v, from, dtype, want);
	ck_assert_mem_eq(have, want, dpr_array_nbytes(y));
	ck_assert_int_eq(fake->products, 1);
	dpr_array_release(y);
	dpr_array_release(bt);
	dpr_array_release(b);
	dpr_array_release(a);
	stop();
}
END_TEST

/* --- Handles -------------------------------------------------------------- */

/* Each queue has a handle until there are many; a released queue leaves its
   handle to the next. */
START_TEST(queues_keep_handles)
{
	enum { QUEUES = 12 };
	dpr_queue *list[QUEUES];
	dpr_kernel *kernel;
	dpr_device *device;

	use_libraries(fake_path, NULL);
	device = get_device("cuda:0");
	kernel = new_gemm(queue_of(device), "gemm float32");
	ck_assert_int_eq(fake->made, 1);
	for (int i = 0; i < 3; i++) {
		list[0] = new_queue(device, i ? DPR_QUEUE_PROFILING : 0);
		CHECK_OK(compute_on(list[0], kernel));
		CHECK_OK(compute_on(list[0], kernel));
		dpr_queue_release(list[0]);
	}
	ck_assert_int_eq(fake->made, 1);
	for (int i = 0; i < QUEUES; i++) {
		list[i] = new_queue(device, 0);
		CHECK_OK(compute_on(list[i], kernel));
		CHECK_OK(compute_on(list[0], kernel));
		ck_assert_int_eq(fake->made, i < 8 ? i + 1 : 8);
	}
	for (int i = 0; i < QUEUES; i++)
		dpr_queue_release(list[i]);
	dpr_kernel_release(kernel);
	stop();
}
END_TEST

static dpr_kernel *shared_kernel;
static atomic_int wrong;

static void *compute_often(void *number)
{
	const bool odd = (uintptr_t)number % 2;
	dpr_queue *on = new_queue(get_device("cuda:0"),
				  odd ? DPR_QUEUE_OUT_OF_ORDER : 0);

	for (int i = 0; i < 20; i++)
		wrong += compute_on(on, shared_kernel) != DPR_OK;
	dpr_queue_release(on);
	return NULL;
}

START_TEST(threads)
{
	use_libraries(fake_path, NULL);
	shared_kernel =
		new_gemm(queue_of(get_device("cuda:0")), "gemm float32");
	run_on_eight_threads(compute_often);
	ck_assert_int_eq(wrong, 0);
	dpr_kernel_release(shared_kernel);
	stop();
}
END_TEST

/* A product waits for earlier work, and later work waits for the product.  The
   product's queue is over a stream of the program: another queue's, or the
   default stream. */
START_TEST(order)
{
	const double one = 1;
	const dprp_gemm v = blas_plain;
	double complex sum = 0;
	struct operands o;
	dpr_kernel *kernel;
	dpr_queue *first, *second;
	uintptr_t stream = 1; /* CU_STREAM_LEGACY */
	double have[12];

	mock->settings->order = CUMOCK_NEWEST;
	use_libraries(fake_path, NULL);
	first = new_queue(get_device("cuda:0"), 0);
	if (_i)
		CHECK_OK(dpr_queue_native(first, &stream));
	CHECK_OK(dpr_queue_from_native(get_device("cuda:0"), stream, 0,
				       &second));
	kernel = new_gemm(first, "gemm float64");
	make_operands(first, DPR_FLOAT64, &o);
	mock->hold(true);
	CHECK_OK(dpr_usm_fill(first, o.x[0], 0, &one, sizeof(one),
			      ROOM * sizeof(one), NULL, NULL));
	CHECK_OK(try_gemm(second, kernel, o.x, &v, NULL));
	CHECK_OK(dpr_usm_copy(first, o.x[0], 0, o.x[2], 0, sizeof(have), NULL,
			      NULL));
	ck_assert_uint_ge(mock->pending(), 3);
	mock->hold(false);
	CHECK_OK(dpr_queue_wait(first));
	memcpy(have, dpr_usm_address(o.x[0]), sizeof(have));
	for (int64_t p = 0; p < v.k; p++)
		sum += element(DPR_FLOAT64, p * v.ldb, 1);
	for (int i = 0; i < 3; i++)
		ck_assert(have[i * v.n] == creal(sum));
	drop_operands(&o);
	dpr_kernel_release(kernel);
	dpr_queue_release(second);
	dpr_queue_release(first);
	ck_assert_uint_eq(mock->depth(), 0);
	stop();
}
END_TEST

/* While another library captures a graph, nothing that breaks it is called. */
START_TEST(during_a_capture)
{
	dpr_queue *on, *other;
	dpr_kernel *kernel;

	use_libraries(fake_path, NULL);
	on = new_queue(get_device("cuda:0"), 0);
	other = new_queue(get_device("cuda:0"), 0);
	kernel = new_gemm(on, "gemm float32");
	CHECK_OK(compute_on(on, kernel));
	mock->capture(true);
	CHECK_OK(compute_on(other, kernel));
	ck_assert_int_eq(fake->made, 2);
	dpr_queue_release(other);
	mock->capture(false);
	dpr_queue_release(on);
	dpr_kernel_release(kernel);
	stop();
}
END_TEST

/* If the program has reset the context, its handles are not touched. */
START_TEST(a_context_that_was_reset)
{
	dpr_kernel *kernel;
	dpr_queue *on;

	use_libraries(fake_path, NULL);
	on = new_queue(get_device("cuda:0"), 0);
	kernel = new_gemm(on, "gemm float32");
	CHECK_OK(compute_on(on, kernel));
	dpr_kernel_release(kernel);
	mock->reset_context(0);
	dpr_queue_release(on);
	CHECK_OK(dpr_finalize());
	check_faults();
	ck_assert_int_eq(fake->handles, 1);
}
END_TEST

int main(void)
{
	TCase *tcase;
	SRunner *runner = new_runner("unit_cuda_blas", &tcase);

	use_backends(NULL);
	tcase_add_checked_fixture(tcase, open_fake, NULL);
	tcase_add_loop_test(tcase, values, 0, ROUTINES);
	tcase_add_loop_test(tcase, arrays, 0, ROUTINES);
	tcase_add_test(tcase, queues_keep_handles);
	tcase_add_test(tcase, threads);
	tcase_add_loop_test(tcase, order, 0, 2);
	tcase_add_test(tcase, during_a_capture);
	tcase_add_test(tcase, a_context_that_was_reset);
	return run_all(runner);
}
