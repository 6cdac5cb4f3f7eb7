/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_array_faults.c - make every allocation of every array function fail
 * once. The status must be the right one, the output must be NULL, nothing may
 * leak (under a leak checker), and the next call must work.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "core/base/mem.h"
#include "tests/support/devices.h"

static dpr_array *matrix; /* (40, 50) of int32 */
static dpr_array *transposed; /* the transpose of `matrix` */
static int32_t numbers[2000];

static dpr_status keep(dpr_status status, dpr_array *const *x)
{
	ck_assert(!status == !!*x);
	dpr_array_release(*x);
	return status;
}

static dpr_status run_empty(void)
{
	dpr_array *x;

	return keep(dpr_empty(DPR_SHAPE(3, 4), DPR_INT8, test_queue, &x), &x);
}

static dpr_status run_from_memory(void)
{
	const int64_t strides[] = { 1, 40 };
	dpr_array *x;

	return keep(dpr_array_from_memory(numbers, DPR_SHAPE(40, 50), strides,
					  DPR_INT32, test_queue, &x),
		    &x);
}

static dpr_status run_to_memory(void)
{
	static int32_t have[2000];
	const int64_t strides[] = { 1, 40 };

	return dpr_array_to_memory(matrix, have, sizeof(have), strides);
}

static dpr_status run_over(void)
{
	dpr_array *x;

	return keep(dpr_array_over(dpr_array_usm(matrix), 3, DPR_SHAPE(5), NULL,
				   DPR_INT32, &x),
		    &x);
}

static dpr_status run_index(void)
{
	dpr_array *x;

	return keep(dpr_array_view(matrix, &x, DPR_AT(3), DPR_ALL), &x);
}

static dpr_status run_reshape(void)
{
	dpr_array *x;

	return keep(dpr_reshape(transposed, DPR_SHAPE(-1), &x), &x);
}

static dpr_status run_copy(void)
{
	dpr_array *x;

	return keep(dpr_copy(transposed, &x), &x);
}

static dpr_status run_astype(void)
{
	dpr_array *x;

	return keep(dpr_astype(transposed, DPR_INT64, &x), &x);
}

static dpr_status run_concat(void)
{
	const dpr_array *list[] = { matrix, matrix };
	dpr_array *x;

	return keep(dpr_concat(list, 2, 1, &x), &x);
}

/* Source and target overlap, so the copy goes through a temporary. */
static dpr_status run_copy_into(void)
{
	dpr_array *from = NULL, *to = NULL;
	dpr_status status;

	status = dpr_array_view(matrix, &from, DPR_SLICE(0, 39, 1));
	if (!status)
		status = dpr_array_view(matrix, &to, DPR_SLICE(1, 40, 1));
	if (!status)
		status = dpr_copy_into(to, from);
	dpr_array_release(to);
	dpr_array_release(from);
	return status;
}

static dpr_status run_format(void)
{
	char *text;
	dpr_status status = dpr_array_format(matrix, NULL, &text);

	ck_assert(!status == !!text);
	dpr_free(text);
	return status;
}

static dpr_status run_to_queue(void)
{
	dpr_queue *other = NULL;
	dpr_array *x = NULL;
	dpr_status status;

	status = dpr_queue_create(test_device, 0, &other);
	if (!status)
		status = keep(dpr_array_to_queue(matrix, other, &x), &x);
	dpr_queue_release(other);
	return status;
}

/* A refusal keeps its status, whether or not there is memory for its text. */
static dpr_status run_refusal(void)
{
	dpr_queue *other = NULL, *queue;
	const dpr_array *list[2];
	dpr_array *x = NULL;
	dpr_status status;

	status = dpr_queue_create(test_device, 0, &other);
	if (!status)
		status = dpr_array_to_queue(matrix, other, &x);
	if (!status) {
		list[0] = matrix;
		list[1] = x;
		ck_assert_int_eq(dpr_execution_queue(list, 2, &queue),
				 DPR_ERROR_EXECUTION_PLACEMENT);
	}
	dpr_array_release(x);
	dpr_queue_release(other);
	return status;
}

static const struct operation {
	const char *name;
	dpr_status (*run)(void);
} operations[] = {
	{ "empty", run_empty },         { "from memory", run_from_memory },
	{ "to memory", run_to_memory }, { "over", run_over },
	{ "index", run_index },         { "reshape", run_reshape },
	{ "copy", run_copy },           { "astype", run_astype },
	{ "concat", run_concat },       { "copy into", run_copy_into },
	{ "format", run_format },       { "to queue", run_to_queue },
	{ "refusal", run_refusal },
};

START_TEST(every_allocation_may_fail)
{
	const struct operation *o = &operations[_i];
	uint64_t n = 0;
	dpr_status status;

	CHECK_OK(dpr_array_from_memory(numbers, DPR_SHAPE(40, 50), NULL,
				       DPR_INT32, test_queue, &matrix));
	CHECK_OK(dpr_matrix_transpose(matrix, &transposed));
	CHECK_OK(o->run()); /* so that its kernels are built */
	do {
		CHECK_OK(dpr_queue_wait(test_queue));
		mem_fault_after(n);
		status = o->run();
		mem_fault_clear();
		ck_assert_msg(!status || status == DPR_ERROR_OUT_OF_MEMORY ||
				      status == DPR_ERROR_OUT_OF_DEVICE_MEMORY,
			      "%s, allocation %d: %s: %s", o->name, (int)n,
			      dpr_status_name(status), dpr_last_error());
		ck_assert_uint_lt(n, 1000);
		n++;
	} while (status);
	ck_assert_uint_gt(n, 1);
	CHECK_OK(o->run());
	dpr_array_release(transposed);
	dpr_array_release(matrix);
}
END_TEST

static Suite *fault_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("faults");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, every_allocation_may_fail, 0,
			    sizeof(operations) / sizeof(operations[0]));
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	for (int i = 0; i < 2000; i++)
		numbers[i] = i;
	return run_on_selected(fault_suite, NULL);
}
