/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_stack.c - array functions on the host where threads have small stacks, as
 * with some C libraries.  The threads are the library's own, and threads that
 * call its functions.
 */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

/* Sanitizers make frames larger. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SMALL_STACK ((size_t)1 << 20)
#else
/* 128 KiB, and the program has frames of its own. */
#define SMALL_STACK ((size_t)112 << 10)
#endif

static void expect(const char *text, const dpr_array *x, const dpr_array *t)
{
	const dpr_binding bindings[] = { { "x", dpr_operand_array(x) },
					 { "t", dpr_operand_array(t) } };
	dpr_operand value;
	dpr_array *out;

	CHECK_OK(dpr_evaluate_with(text, bindings, 2, NULL, &out));
	CHECK_OK(dpr_array_item(out, &value));
	ck_assert_msg(value.as.u == 1, "%s: false", text);
	dpr_array_release(out);
}

/* Operands that are transposed, wide columns, and rows. */
static void run_size(dpr_queue *queue, int64_t n, dpr_dtype dtype)
{
	dpr_array *x, *t;

	CHECK_OK(dpr_full(DPR_SHAPE(n, n), 3, dtype, queue, &x));
	CHECK_OK(dpr_matrix_transpose(x, &t));
	expect("all(x + t == 6)", x, t);
	expect("y = t + t*t + x; all(y == 15)", x, t);
	expect("all(sum(x, axis=0) == sum(t, axis=0))", x, t);
	expect("all(sum(x*t, axis=0) == 3*sum(x, axis=1))", x, t);
	expect("all(max(abs(x), axis=1) / sum(abs(t), axis=1) < 1)", x, t);
	dpr_array_release(t);
	dpr_array_release(x);
}

/* Axes apart, which are reduced in two passes by the calling thread. */
static void run_axes(dpr_queue *queue)
{
	dpr_array *x;

	CHECK_OK(dpr_full(DPR_SHAPE(40, 4, 8), 3, DPR_FLOAT32, queue, &x));
	expect("all(sum(x, axis=(0, 2)) == sum(t, axis=(0, 2)))", x, x);
	expect("all(sum(where(x > t, x, 0) + astype(t, float64), axis=(0, 2)) "
	       "== 960)",
	       x, x);
	dpr_array_release(x);
}

static void *run_all(void *unused)
{
	dpr_queue *queue;

	CHECK_OK(dpr_canonical_queue("host", &queue));
	/* The calling thread does the work of the first one. */
	run_size(queue, 4, DPR_FLOAT32);
	run_axes(queue);
	run_size(queue, 512, DPR_FLOAT32);
	run_size(queue, 512, DPR_COMPLEX128);
	return unused;
}

START_TEST(small_stacks_are_enough)
{
	pthread_attr_t attr;
	pthread_t thread;

	ck_assert_int_eq(pthread_attr_init(&attr), 0);
	ck_assert_int_eq(pthread_attr_setstacksize(&attr, SMALL_STACK), 0);
#ifdef __GLIBC__
	/* Also of the threads that the library starts. */
	ck_assert_int_eq(pthread_setattr_default_np(&attr), 0);
#endif
	ck_assert_int_eq(pthread_create(&thread, &attr, run_all, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	pthread_attr_destroy(&attr);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack");
	TCase *tcase = tcase_create("stack");
	SRunner *runner;
	int failed;

	tcase_add_test(tcase, small_stacks_are_enough);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
