/* SPDX-License-Identifier: Apache-2.0 */
/*
 * programs.h - the programs that the API was designed from.  They are valid C
 * and C++: api_programs.c and api_programs_cxx.cc both include this file.
 */
#ifndef TESTS_PROGRAMS_H
#define TESTS_PROGRAMS_H

#include <stdio.h>

#include <dpr/dpr.h>

static const char axpy_source[] =
	"kernel void axpy(float a, global const float *x, global float *y,\n"
	"                 ulong n)\n"
	"{ ulong i = get_global_id(0); if (i < n) y[i] += a * x[i]; }\n";

static dpr_status hello(double *total)
{
	dpr_array *x = NULL, *y = NULL, *sum = NULL;
	dpr_operand item;
	dpr_status status;

	if ((status = dpr_linspace(0, 1, 1001, DPR_FLOAT32, NULL, &x)) ||
	    (status = dpr_multiply(x, 4, &y)) ||
	    (status = dpr_sum(y, NULL, &sum)) ||
	    (status = dpr_array_item(sum, &item)))
		goto out;
	*total = item.as.f;
out:
	dpr_array_release(sum);
	dpr_array_release(y);
	dpr_array_release(x);
	return status;
}

static dpr_status axpy(float a, const dpr_array *x, dpr_array *y,
		       const dpr_events *after, dpr_event **done)
{
	const dpr_array *operands[] = { x, y };
	uint64_t n = (uint64_t)dpr_array_size(x);
	dpr_kernel *kernel;
	dpr_queue *queue;
	dpr_status status;

	if ((status = dpr_execution_queue(operands, 2, &queue)) ||
	    (status = dpr_kernel_from_source(queue, axpy_source, "axpy",
					     &kernel)))
		return status;
	status = dpr_kernel_launch(queue, kernel, DPR_RANGE1(n), after, done,
				   DPR_ARG(a), DPR_ARG(x), DPR_ARG(y),
				   DPR_ARG(n));
	dpr_kernel_release(kernel);
	return status;
}

/* Arrays, scalars of every kind, views, axes; *@result must become 42. */
static dpr_status expressions(dpr_queue *queue, double *result)
{
	dpr_array *x = NULL, *y = NULL, *z = NULL, *row = NULL, *s = NULL;
	const dpr_array *constant;
	dpr_operand item;
	dpr_status status;

	if ((status = dpr_ones(DPR_SHAPE(2, 3), DPR_FLOAT32, queue, &x)) ||
	    (status = dpr_full(DPR_SHAPE(3), 2.5f, DPR_FLOAT32, queue, &y)))
		goto out;
	constant = y;
	if ((status = dpr_add(x, constant, &z)) ||
	    (status = dpr_copy_into(z, 0)) ||
	    (status = dpr_array_view(z, &row, DPR_AT(0), DPR_ALL)) ||
	    (status = dpr_copy_into(row, 14u)) ||
	    (status = dpr_sum(z, DPR_AXES(0, 1), &s)) ||
	    (status = dpr_array_item(s, &item)))
		goto out;
	*result = item.as.f;
	dpr_array_release(s);
	if ((status = dpr_sum(z, DPR_ALL_KEPT, &s)))
		goto out;
	if (dpr_array_rank(s) != 2 || dpr_array_size(s) != 1)
		status = DPR_ERROR_INTERNAL;
	/* Two rows do not fit into one. */
	if (dpr_copy_into(row, x) != DPR_ERROR_SHAPE)
		status = DPR_ERROR_INTERNAL;
out:
	dpr_array_release(s);
	dpr_array_release(row);
	dpr_array_release(z);
	dpr_array_release(y);
	dpr_array_release(x);
	return status;
}

/* y = 1 + 2 x on two launches that an event orders; *@last must become 5. */
static dpr_status events(dpr_queue *queue, float *last)
{
	const float values[] = { 0, 1 };
	dpr_event *first = NULL, *second = NULL;
	dpr_array *x = NULL, *y = NULL;
	dpr_status status;
	float result[2];

	if ((status = dpr_array_from_memory(values, DPR_SHAPE(2), NULL,
					    DPR_FLOAT32, queue, &x)) ||
	    (status = dpr_ones(DPR_SHAPE(2), DPR_FLOAT32, queue, &y)) ||
	    (status = axpy(2, x, y, NULL, &first)) ||
	    (status = axpy(2, x, y, DPR_AFTER(first), &second)) ||
	    (status = dpr_event_wait(second)) ||
	    (status = dpr_array_to_memory(y, result, sizeof(result), NULL)))
		goto out;
	*last = result[1];
out:
	dpr_event_release(second);
	dpr_event_release(first);
	dpr_array_release(y);
	dpr_array_release(x);
	return status;
}

static int failed(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, dpr_last_error());
	return 1;
}

static int run_programs(void)
{
	dpr_queue *queue;
	double total = 0, result = 0;
	float last = 0;

	if (dpr_canonical_queue(NULL, &queue)) {
		printf("skipped: %s\n", dpr_last_error());
		return 77;
	}
	if (hello(&total))
		return failed("hello");
	if (expressions(queue, &result))
		return failed("expressions");
	if (total < 2001.9 || total > 2002.1 || result != 42) {
		fprintf(stderr, "wrong: %g, %g\n", total, result);
		return 1;
	}
	if (!dpr_canonical_queue("+online_compiler", &queue)) {
		if (events(queue, &last))
			return failed("events");
		if (last != 5) {
			fprintf(stderr, "wrong: %g\n", (double)last);
			return 1;
		}
	}
	/* All objects are released, so dpr_finalize() must succeed. */
	return dpr_finalize() ? failed("finalize") : 0;
}

#endif
