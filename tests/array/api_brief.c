/* SPDX-License-Identifier: Apache-2.0 */
/* api_brief.c - small operations on the host, which the calling thread may do
   itself: with a small stack, and several threads on one queue. */
#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STACK (1 << 20)
#else
#define STACK (112 << 10) /* some C libraries give 128 KiB */
#endif

#define COUNT 16

static dpr_array *make(dpr_shape shape, dpr_dtype dtype)
{
	double values[COUNT];
	dpr_array *wide, *x;

	for (int i = 0; i < COUNT; i++)
		values[i] = i + 0.5;
	CHECK_OK(dpr_array_from_memory(values, shape, NULL, DPR_FLOAT64,
				       test_queue, &wide));
	CHECK_OK(dpr_astype(wide, dtype, &x));
	dpr_array_release(wide);
	return x;
}

#define FOLDS 9

/* Operands and results of the thread with a small stack. */
struct small {
	dpr_array *x, *y, *z, *m, *t, *h;
	dpr_array *fold[FOLDS];
	dpr_array *sum[2], *product, *power, *transposed, *whole, *cast, *matrix;
	dpr_status status;
};

/* Reduce the arrays in lines, in columns, in short rows, and in rows with more
   computation. */
static dpr_status reduce(struct small *s)
{
	dpr_array **fold = s->fold;
	dpr_status status = dpr_sum(s->x, NULL, &fold[0]);

	if (!status)
		status = dpr_sum(s->m, DPR_AXES(0), &fold[1]);
	if (!status)
		status = dpr_max(s->t, DPR_AXES(0), &fold[2]);
	if (!status)
		status = dpr_mean(s->h, NULL, &fold[3]);
	if (!status)
		status = dpr_any(s->z, NULL, &fold[4]);
	if (!status)
		status = dpr_sum(s->z, NULL, &fold[5]);
	if (!status)
		status = dpr_sum(s->m, DPR_AXES(1), &fold[6]);
	if (!status)
		status = dpr_evaluate("sum(x * y + x, axis=0)", NULL, &fold[7],
				      "x", s->m, "y", s->t);
	if (!status)
		status = dpr_evaluate("y = x - max(x, axis=1, keepdims=True); "
				      "y / sum(y, axis=1, keepdims=True)",
				      NULL, &fold[8], "x", s->m);
	return status;
}

static void release_folds(struct small *s)
{
	for (int i = 0; i < FOLDS; i++) {
		dpr_array_release(s->fold[i]);
		s->fold[i] = NULL;
	}
}

static void *compute(void *arg)
{
	struct small *s = arg;

	s->status = dpr_add(s->x, s->y, &s->sum[0]);
	if (!s->status) /* found without a lock from here on */
		s->status = dpr_add(s->x, s->y, &s->sum[1]);
	if (!s->status)
		s->status = dpr_multiply(s->z, s->z, &s->product);
	if (!s->status)
		s->status = dpr_pow(s->x, s->y, &s->power);
	if (!s->status)
		s->status = dpr_add(s->m, s->t, &s->transposed);
	if (!s->status)
		s->status = dpr_add(s->sum[0], 0.5, &s->whole);
	if (!s->status)
		s->status = dpr_astype(s->x, DPR_INT64, &s->cast);
	if (!s->status)
		s->status = dpr_copy(s->t, &s->matrix);
	if (!s->status)
		s->status = reduce(s);
	return NULL;
}

static double value_at(dpr_array *x, int i)
{
	double values[2 * COUNT];
	dpr_array *wide;

	if (dpr_dtype_kind(dpr_array_dtype(x)) == 'c')
		CHECK_OK(dpr_real(x, &wide));
	else
		CHECK_OK(dpr_astype(x, DPR_FLOAT64, &wide));
	if (dpr_array_dtype(wide) != DPR_FLOAT64) {
		dpr_array *more;

		CHECK_OK(dpr_astype(wide, DPR_FLOAT64, &more));
		dpr_array_release(wide);
		wide = more;
	}
	CHECK_OK(dpr_array_to_memory(wide, values, sizeof(values), NULL));
	dpr_array_release(wide);
	return values[i];
}

static void check_folds(const struct small *s)
{
	ck_assert(value_at(s->fold[0], 0) == 128);
	ck_assert(value_at(s->fold[1], 1) == 30);
	ck_assert(value_at(s->fold[2], 3) == 15.5);
	ck_assert(value_at(s->fold[3], 0) == 8);
	ck_assert(value_at(s->fold[4], 0) == 1);
	ck_assert(value_at(s->fold[5], 0) == 128);
	ck_assert(value_at(s->fold[6], 3) == 56);
	/* 0.5 + 0.25, 4.5 (1 + 1.5), 8.5 (1 + 2.5), 12.5 (1 + 3.5) */
	ck_assert(value_at(s->fold[7], 0) == 98);
	ck_assert(value_at(s->fold[8], 12) == 0.5); /* -3 / -6 */
}

START_TEST(small_stack)
{
	struct small s = { .x = make(DPR_SHAPE(COUNT), DPR_FLOAT64),
			   .y = make(DPR_SHAPE(COUNT), DPR_FLOAT64),
			   .z = make(DPR_SHAPE(COUNT), DPR_COMPLEX128),
			   .m = make(DPR_SHAPE(4, 4), DPR_FLOAT64),
			   .h = make(DPR_SHAPE(COUNT), DPR_FLOAT16) };
	pthread_attr_t attr;
	pthread_t thread;

	CHECK_OK(dpr_matrix_transpose(s.m, &s.t));
	/* Kernels are made here, with this stack. */
	compute(&s);
	CHECK_OK(s.status);
	for (dpr_array **x = s.sum; x <= &s.matrix; x++) {
		dpr_array_release(*x);
		*x = NULL;
	}
	release_folds(&s);
	pthread_attr_init(&attr);
	ck_assert_int_eq(pthread_attr_setstacksize(&attr, STACK), 0);
	/* The guard is so large that no function can reach beyond it. */
	ck_assert_int_eq(pthread_attr_setguardsize(&attr, 1 << 20), 0);
	ck_assert_int_eq(pthread_create(&thread, &attr, compute, &s), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	CHECK_OK(s.status);
	ck_assert(value_at(s.sum[1], 3) == 7);
	ck_assert(value_at(s.product, 3) == 12.25);
	ck_assert(fabs(value_at(s.power, 1) - pow(1.5, 1.5)) < 1e-9);
	ck_assert(value_at(s.transposed, 1) == 1.5 + 4.5);
	ck_assert(value_at(s.whole, 15) == 31.5);
	ck_assert(value_at(s.cast, 15) == 15);
	ck_assert(value_at(s.matrix, 1) == 4.5);
	check_folds(&s);
	release_folds(&s);
	dpr_array_release(s.h);
	for (dpr_array **x = &s.x; x <= &s.t; x++)
		dpr_array_release(*x);
	for (dpr_array **x = s.sum; x <= &s.matrix; x++)
		dpr_array_release(*x);
}
END_TEST

/* Reductions of some elements are done when the call returns. */
START_TEST(done_at_once)
{
	struct small s = { .x = make(DPR_SHAPE(COUNT), DPR_FLOAT32),
			   .z = make(DPR_SHAPE(COUNT), DPR_COMPLEX64),
			   .m = make(DPR_SHAPE(4, 4), DPR_FLOAT32),
			   .h = make(DPR_SHAPE(COUNT), DPR_BFLOAT16) };
	int late = 0;

	CHECK_OK(dpr_matrix_transpose(s.m, &s.t));
	for (int i = 0; i < 20; i++) {
		CHECK_OK(dpr_queue_wait(test_queue));
		CHECK_OK(reduce(&s));
		late += dpr_queue_wait_for(test_queue, 0) != DPR_OK;
		release_folds(&s);
	}
	ck_assert_int_eq(late, 0);
	CHECK_OK(dpr_queue_wait(test_queue));
	for (dpr_array **x = &s.x; x <= &s.h; x++)
		dpr_array_release(*x);
}
END_TEST

/* Work of some microseconds is brief, too, whatever it computes. */
START_TEST(thousands_at_once)
{
	dpr_array *x, *y, *z, *sum;
	int late = 0;

	CHECK_OK(dpr_ones(DPR_SHAPE(16384), DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_ones(DPR_SHAPE(2048), DPR_FLOAT32, test_queue, &y));
	CHECK_OK(dpr_ones(DPR_SHAPE(256), DPR_COMPLEX64, test_queue, &z));
	for (int i = 0; i < 20; i++) {
		CHECK_OK(dpr_queue_wait(test_queue));
		CHECK_OK(dpr_add_into(x, x, x));
		late += dpr_queue_wait_for(test_queue, 0) != DPR_OK;
		CHECK_OK(dpr_sum(x, NULL, &sum));
		late += dpr_queue_wait_for(test_queue, 0) != DPR_OK;
		dpr_array_release(sum);
		CHECK_OK(dpr_exp_into(y, y));
		late += dpr_queue_wait_for(test_queue, 0) != DPR_OK;
		CHECK_OK(dpr_log_into(z, z));
		late += dpr_queue_wait_for(test_queue, 0) != DPR_OK;
	}
	ck_assert_int_eq(late, 0);
	CHECK_OK(dpr_queue_wait(test_queue));
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(z);
}
END_TEST

#define TURNS 2000

/* Add 1 so many times, and sum, with something large in between, on a queue
   that other threads use at the same time. */
static void *count(void *arg)
{
	dpr_array *x = arg, *large = NULL, *sum = NULL;
	dpr_status status =
		dpr_ones(DPR_SHAPE(1 << 18), DPR_FLOAT32, test_queue, &large);

	for (int i = 0; i < TURNS && !status; i++) {
		status = dpr_add_into(x, 1, x);
		dpr_array_release(sum);
		sum = NULL;
		if (!status)
			status = dpr_sum(x, NULL, &sum);
		if (!status && i % 16 == 0)
			status = dpr_add_into(large, large, large);
		if (!status && i % 128 == 0)
			status = dpr_queue_wait(test_queue);
	}
	dpr_array_release(large);
	if (status || value_at(sum, 0) != 3 * TURNS)
		x = NULL;
	dpr_array_release(sum);
	return x;
}

START_TEST(many_threads)
{
	dpr_array *x[4];
	pthread_t thread[4];
	int32_t values[4][3];

	for (int i = 0; i < 4; i++) {
		CHECK_OK(dpr_zeros(DPR_SHAPE(3), DPR_INT32, test_queue, &x[i]));
		ck_assert_int_eq(pthread_create(&thread[i], NULL, count, x[i]),
				 0);
	}
	for (int i = 0; i < 4; i++) {
		void *result;

		pthread_join(thread[i], &result);
		ck_assert_ptr_eq(result, x[i]);
		CHECK_OK(dpr_array_to_memory(x[i], values[i],
					     dpr_array_nbytes(x[i]), NULL));
		dpr_array_release(x[i]);
	}
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 3; k++)
			ck_assert_int_eq(values[i][k], TURNS);
}
END_TEST

static Suite *suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("brief");

	tcase_add_test(tcase, small_stack);
	tcase_add_test(tcase, done_at_once);
	tcase_add_test(tcase, thousands_at_once);
	tcase_add_test(tcase, many_threads);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	dpr_device *host;

	if (dpr_device_select("host", &host)) {
		printf("needs the host backend\n");
		return 77;
	}
	return run_on_devices(suite, &host, 1);
}
