/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduced.c - the rates of reductions of float32, beside a copy, in turns.
 *
 * usage: measure reduced [SELECTOR [ELEMENTS [ROUNDS]]]
 *
 * Prints for each expression the median of its GB/s read, and the ratio to the
 * GB/s that the copy reads and writes.  The operands are square matrices of so
 * many elements together.  By default: cuda, 2^28 elements, 11 rounds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <dpr/dpr.h>

#include "tools/bench/programs/measure.h"
#include "tools/bench/programs/rounds.h"
#include "tools/shared/seconds.h"

/* Calls before each wait. */
enum { BATCH = 8, MAX_ROUNDS = 1000 };

static const struct row {
	const char *text; /* NULL: a copy */
	int operands;
} rows[] = {
	{ NULL, 2 },
	{ "sum(x)", 1 },
	{ "sum(x, axis=0)", 1 },
	{ "sum(x, axis=1)", 1 },
	{ "mean(x, axis=1)", 1 },
	{ "max(x)", 1 },
	{ "max(x, axis=0)", 1 },
	{ "any(x)", 1 },
	{ "sum((x - y)**2)", 2 },
	{ "sum((x - y)**2, axis=0)", 2 },
	{ "sum((x - y)**2, axis=1)", 2 },
	{ "sum(sin(x))", 1 },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

struct arrays {
	dpr_array *x, *y, *copy;
	double time[ROWS][MAX_ROUNDS];
};

static dpr_status run_once(const struct arrays *a, const struct row *row,
			   const dpr_expression *expression)
{
	const dpr_binding bindings[] = { { "x", dpr_operand_array(a->x) },
					 { "y", dpr_operand_array(a->y) } };
	dpr_array *out;
	dpr_status status;

	if (!row->text)
		return dpr_copy_into(a->copy, a->x);
	status = dpr_expression_apply(expression, bindings,
				      (size_t)row->operands, NULL, &out, 1);
	if (!status)
		dpr_array_release(out);
	return status;
}

static dpr_status run_batch(const struct arrays *a, const struct row *row,
			    const dpr_expression *expression, double *seconds)
{
	const double begin = seconds_now();
	dpr_status status = DPR_OK;

	for (int i = 0; !status && i < BATCH; i++)
		status = run_once(a, row, expression);
	if (!status)
		status = dpr_queue_wait(dpr_array_queue(a->x));
	*seconds = (seconds_now() - begin) / BATCH;
	return status;
}

static dpr_status run_all(struct arrays *a, int rounds)
{
	const double bytes = 4.0 * (double)dpr_array_size(a->x);
	dpr_expression *made[ROWS] = { NULL };
	dpr_status status = DPR_OK;
	double copy = 0;

	for (size_t k = 0; !status && k < ROWS; k++)
		if (rows[k].text)
			status = dpr_expression_create(rows[k].text, &made[k]);
	/* The first two rounds are not counted. */
	for (int i = -2; !status && i < rounds; i++)
		for (size_t k = 0; !status && k < ROWS; k++)
			status = run_batch(a, &rows[k], made[k],
					   &a->time[k][i < 0 ? 0 : i]);
	for (size_t k = 0; !status && k < ROWS; k++) {
		const double median = rounds_time(a->time[k], rounds, 0.5);
		const double rate = rows[k].operands * bytes / median / 1e9;

		copy = k ? copy : rate;
		printf("%-28s %8.1f GB/s %6.3f of the copy\n",
		       rows[k].text ? rows[k].text : "copy", rate, rate / copy);
	}
	for (size_t k = 0; k < ROWS; k++)
		dpr_expression_release(made[k]);
	return status;
}

int reduced_main(int argc, char **argv)
{
	static struct arrays a;
	const long elements = argc > 2 ? atol(argv[2]) : 1L << 28;
	const int rounds = argc > 3 ? atoi(argv[3]) : 11;
	const int64_t side = (int64_t)sqrt((double)elements);
	dpr_queue *queue;
	dpr_status status;

	if (side < 1 || rounds < 1 || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: measure reduced [SELECTOR [ELEMENTS "
				"[ROUNDS]]]\n");
		return 2;
	}
	status = dpr_canonical_queue(argc > 1 ? argv[1] : "cuda", &queue);
	if (!status)
		status = dpr_full(DPR_SHAPE(side, side), 0.0, DPR_FLOAT32,
				  queue, &a.x);
	if (!status)
		status = dpr_full(DPR_SHAPE(side, side), 1.5, DPR_FLOAT32,
				  queue, &a.y);
	if (!status)
		status = dpr_full(DPR_SHAPE(side, side), 0.0, DPR_FLOAT32,
				  queue, &a.copy);
	if (!status)
		status = run_all(&a, rounds);
	if (status)
		fprintf(stderr, "reduced: %s\n", dpr_last_error());
	dpr_array_release(a.x);
	dpr_array_release(a.y);
	dpr_array_release(a.copy);
	return status != DPR_OK;
}
