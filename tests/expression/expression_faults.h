/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expression_faults.h - attempts for driver_faults.h that compute expressions:
 * fused steps, a reduction with steps before and after it, several reductions
 * of rows, and elements read by indices.  All their kernels are built anew when
 * a call is to fail.  Allocations of host memory fail, too.
 */
#ifndef TESTS_EXPRESSION_FAULTS_H
#define TESTS_EXPRESSION_FAULTS_H

#include <math.h>

#include "core/array/engine/kernel_store.h"
#include "core/base/mem.h"
#include "tests/support/driver_faults.h"

#define FAULTS_ROWS 5
#define FAULTS_COLUMNS 64
#define FAULTS_COUNT (FAULTS_ROWS * FAULTS_COLUMNS)
/* More allocations than an expression makes. */
#define FAULTS_ALLOCATIONS 2000

enum faults_text {
	FAULTS_FUSED,
	FAULTS_TAIL,
	FAULTS_STAGES,
	FAULTS_GATHER,
	FAULTS_TEXTS
};

static const char *const faults_texts[FAULTS_TEXTS] = {
	"sqrt(x*x + 1) * x",
	"sqrt(sum(x*x, axis=1, keepdims=True)) * 2",
	"e = exp(x - max(x, axis=1, keepdims=True)); "
	"e / sum(e, axis=1, keepdims=True)",
	"take(x, index(0, x[0])*5, axis=1) * 2",
};

/* The calls that build and launch a kernel.  They must be among the calls that
   fail: a test sets their names. */
enum { FAULTS_BUILD, FAULTS_LAUNCH, FAULTS_CALLS };
static const char *faults_call[FAULTS_CALLS];
static int faults_met[FAULTS_CALLS];

static dpr_array *faults_x;
static enum faults_text faults_now; /* which one is being computed */

static inline float faults_value(int i)
{
	return (float)(i * 7 % 31) / 8 - 2;
}

/* Compute the results for @x by a loop.  Returns the number of results. */
static inline int faults_want(enum faults_text text, const float *x, float *out)
{
	double sum, largest;

	for (int i = 0; text == FAULTS_FUSED && i < FAULTS_COUNT; i++)
		out[i] = sqrtf(x[i] * x[i] + 1) * x[i];
	for (int i = 0; text == FAULTS_GATHER && i < FAULTS_COUNT; i++)
		out[i] = 2 * x[i / FAULTS_COLUMNS * FAULTS_COLUMNS +
			       i % FAULTS_COLUMNS * 5 % FAULTS_COLUMNS];
	for (int r = 0;
	     (text == FAULTS_TAIL || text == FAULTS_STAGES) && r < FAULTS_ROWS;
	     r++) {
		const float *row = x + r * FAULTS_COLUMNS;

		sum = largest = 0;
		for (int c = 0; c < FAULTS_COLUMNS; c++)
			largest = fmax(largest, (double)row[c]);
		for (int c = 0; c < FAULTS_COLUMNS; c++)
			sum += text == FAULTS_TAIL
				       ? (double)(row[c] * row[c])
				       : exp((double)row[c] - largest);
		if (text == FAULTS_TAIL)
			out[r] = (float)(sqrt(sum) * 2);
		for (int c = 0; text == FAULTS_STAGES && c < FAULTS_COLUMNS;
		     c++)
			out[r * FAULTS_COLUMNS + c] =
				(float)(exp((double)row[c] - largest) / sum);
	}
	return text == FAULTS_TAIL ? FAULTS_ROWS : FAULTS_COUNT;
}

static inline void faults_compare(const float *have)
{
	float x[FAULTS_COUNT], want[FAULTS_COUNT];
	int n, wrong = 0;

	for (int i = 0; i < FAULTS_COUNT; i++)
		x[i] = faults_value(i);
	n = faults_want(faults_now, x, want);
	for (int i = 0; i < n; i++)
		wrong += !(fabsf(have[i] - want[i]) <= 1e-5f * fabsf(want[i]));
	ck_assert_msg(!wrong, "%s: %d wrong values", faults_texts[faults_now],
		      wrong);
}

/* Compute a text, and read the result. */
static inline dpr_status faults_compute(enum faults_text text)
{
	float have[FAULTS_COUNT] = { 0 };
	dpr_array *out;
	dpr_status status;

	faults_now = text;
	status = dpr_evaluate(faults_texts[text], NULL, &out, "x", faults_x);
	ck_assert_msg(!status == (out != NULL), "%s but the result is %p",
		      dpr_status_name(status), (void *)out);
	if (!status)
		status = dpr_array_to_memory(out, have, sizeof(have), NULL);
	if (!status)
		faults_compare(have);
	dpr_array_release(out);
	return status;
}

static inline dpr_status faults_try_fused(void)
{
	return faults_compute(FAULTS_FUSED);
}

static inline dpr_status faults_try_tail(void)
{
	return faults_compute(FAULTS_TAIL);
}

static inline dpr_status faults_try_stages(void)
{
	return faults_compute(FAULTS_STAGES);
}

static inline dpr_status faults_try_gather(void)
{
	return faults_compute(FAULTS_GATHER);
}

static const struct attempt faults_expressions[FAULTS_TEXTS] = {
	{ "fused", faults_try_fused },
	{ "tail", faults_try_tail },
	{ "stages", faults_try_stages },
	{ "gather", faults_try_gather },
};

/* Have no kernel but one of another graph, and a new operand: work with the old
   one may have failed. */
static inline void faults_renew(void)
{
	float values[FAULTS_COUNT];
	dpr_array *other;

	for (int i = 0; i < FAULTS_COUNT; i++)
		values[i] = faults_value(i);
	dpr_array_release(faults_x);
	CHECK_OK(dpr_array_from_memory(values,
				       DPR_SHAPE(FAULTS_ROWS, FAULTS_COLUMNS),
				       NULL, DPR_FLOAT32, queue, &faults_x));
	kernel_store_keep(1);
	CHECK_OK(dpr_evaluate("x * 3 - 1", NULL, &other, "x", faults_x));
	kernel_store_keep(0);
	CHECK_OK(dpr_queue_wait(queue));
	dpr_array_release(other);
}

/* Note that a call has failed; NULL: none has.  Returns it. */
static inline const char *faults_note(const char *call)
{
	for (int i = 0; call && i < FAULTS_CALLS; i++)
		faults_met[i] += !strcmp(call, faults_call[i]);
	return call;
}

/* Let each call fail in turn while a text is computed. */
static inline void faults_of_calls(const struct faulty_driver *driver,
				   const struct attempt *attempt)
{
	faults_succeed(attempt);
	faults_try_all(driver, attempt);
	for (int i = 0; i < FAULTS_CALLS; i++)
		ck_assert_msg(faults_met[i] >= 2, "%s: %s has failed %d times",
			      attempt->name, faults_call[i], faults_met[i]);
}

/* Compute a text with an allocation of host memory failing, each @step-th in
   turn, or each with DPR_TEST_ALL, while its kernels are made.  The text must
   be computed after that. */
static inline void faults_of_memory(const struct attempt *attempt,
				    uint64_t step)
{
	dpr_status status = DPR_OK;
	uint64_t n, used;

	for (n = 0; n < FAULTS_ALLOCATIONS;
	     n += getenv("DPR_TEST_ALL") ? 1 : step) {
		faults_renew();
		used = mem_fault_count();
		mem_fault_once(n);
		status = attempt->run();
		mem_fault_clear();
		used = mem_fault_count() - used;
		if (status)
			ck_assert_msg(
				status == DPR_ERROR_OUT_OF_MEMORY ||
					status ==
						DPR_ERROR_OUT_OF_DEVICE_MEMORY,
				"%s, allocation %d: %s: %s", attempt->name,
				(int)n, dpr_status_name(status),
				dpr_last_error());
		(void)!dpr_queue_wait(queue);
		faults_succeed(attempt);
		if (used <= n)
			break;
	}
	ck_assert_uint_lt(n, FAULTS_ALLOCATIONS);
	ck_assert_int_eq(status, DPR_OK);
}

#endif
