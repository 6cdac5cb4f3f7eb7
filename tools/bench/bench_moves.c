/* SPDX-License-Identifier: Apache-2.0 */
/* bench_moves.c - our side of the rows on casts, choices and puts. */
#include "tools/bench/bench_moves.h"

#include <stdlib.h>

#include <dpr/dpr.h>

struct moves {
	dpr_queue *queue;
	dpr_array *x, *y, *condition, *indices, *out;
	int batch; /* calls per run */
};

static void close_moves(void *state)
{
	struct moves *m = state;

	if (!m)
		return;
	dpr_array_release(m->x);
	dpr_array_release(m->y);
	dpr_array_release(m->condition);
	dpr_array_release(m->indices);
	dpr_array_release(m->out);
	free(m);
}

static bool cast_run(void *state, struct message *message)
{
	struct moves *m = state;

	for (int i = 0; i < m->batch; i++)
		if (dpr_copy_into(m->out, m->x))
			return bench_side_failed(message);
	return dpr_queue_wait(m->queue) ? bench_side_failed(message) : true;
}

static bool where_run(void *state, struct message *message)
{
	struct moves *m = state;

	for (int i = 0; i < m->batch; i++)
		if (dpr_where_into(m->condition, m->x, m->y, m->out))
			return bench_side_failed(message);
	return dpr_queue_wait(m->queue) ? bench_side_failed(message) : true;
}

static bool put_run(void *state, struct message *message)
{
	struct moves *m = state;

	for (int i = 0; i < m->batch; i++)
		if (dpr_put(m->out, m->indices, m->x, 0, DPR_BOUNDS_CLIP))
			return bench_side_failed(message);
	return dpr_queue_wait(m->queue) ? bench_side_failed(message) : true;
}

/* Check that each element of the result is equal to that of @want. */
static bool check_equal(const struct moves *m, const dpr_array *want,
			const char *what, struct message *message)
{
	dpr_array *equal = NULL, *all = NULL;
	dpr_operand truth = { 0 };
	bool failed = dpr_equal(m->out, want, &equal) ||
		      dpr_all(equal, NULL, &all) || dpr_array_item(all, &truth);

	dpr_array_release(equal);
	dpr_array_release(all);
	if (failed)
		return bench_side_failed(message);
	return truth.as.u ? true : message_set(message, "%s: wrong", what);
}

static bool cast_check(void *state, struct message *message)
{
	struct moves *m = state;

	return check_equal(m, m->x, "dpr_copy_into", message);
}

/* y is -x, and is chosen where x is negative. */
static bool where_check(void *state, struct message *message)
{
	struct moves *m = state;
	dpr_array *want = NULL;
	bool ok = dpr_abs(m->x, &want)
			  ? bench_side_failed(message)
			  : check_equal(m, want, "dpr_where_into", message);

	dpr_array_release(want);
	return ok;
}

/* What is at the indices must be x. */
static bool put_check(void *state, struct message *message)
{
	struct moves *m = state;
	dpr_array *found = NULL, *out = m->out;
	bool ok;

	if (dpr_take(out, m->indices, 0, DPR_BOUNDS_CLIP, &found))
		return bench_side_failed(message);
	m->out = found;
	ok = check_equal(m, m->x, "dpr_put", message);
	m->out = out;
	dpr_array_release(found);
	return ok;
}

/* Open a side whose operand x has the numbers from -100 to 100 as @dtype. */
static bool open_moves(struct bench *bench, struct bench_side *side,
		       dpr_dtype dtype, struct message *message)
{
	const int64_t n = (int64_t)(bench->bytes / sizeof(double));
	struct moves *m = calloc(1, sizeof(*m));
	dpr_array *numbers = NULL;
	bool failed;

	if (!m)
		return message_set(message, "no memory for a row");
	side->state = m;
	side->close = close_moves;
	m->queue = bench->queue;
	m->batch = bench->batch;
	failed = dpr_arange(0, n, 1, DPR_INT32, m->queue, &numbers) ||
		 dpr_remainder_into(numbers, 201, numbers) ||
		 dpr_subtract_into(numbers, 100, numbers) ||
		 dpr_astype(numbers, dtype, &m->x);
	dpr_array_release(numbers);
	return failed ? bench_side_failed(message) : true;
}

static bool open_cast(struct bench *bench, struct bench_side *side,
		      dpr_dtype from, dpr_dtype to, struct message *message)
{
	struct moves *m;

	side->run = cast_run;
	side->check = cast_check;
	if (!open_moves(bench, side, from, message))
		return false;
	m = side->state;
	side->work = (double)dpr_array_size(m->x) * m->batch *
		     (double)(dpr_dtype_size(from) + dpr_dtype_size(to));
	if (dpr_empty_like(m->x, to, &m->out))
		return bench_side_failed(message);
	return true;
}

bool bench_moves_cast_int8(struct bench *bench, struct bench_side *side,
			   struct message *message)
{
	return open_cast(bench, side, DPR_INT8, DPR_FLOAT32, message);
}

bool bench_moves_cast_float64(struct bench *bench, struct bench_side *side,
			      struct message *message)
{
	return open_cast(bench, side, DPR_FLOAT32, DPR_FLOAT64, message);
}

bool bench_moves_where(struct bench *bench, struct bench_side *side,
		       struct message *message)
{
	struct moves *m;

	side->run = where_run;
	side->check = where_check;
	if (!open_moves(bench, side, DPR_FLOAT32, message))
		return false;
	m = side->state;
	side->work = (double)dpr_array_size(m->x) * m->batch *
		     (3 * sizeof(float) + 1);
	if (dpr_negative(m->x, &m->y) || dpr_greater(m->x, 0, &m->condition) ||
	    dpr_empty_like(m->x, DPR_FLOAT32, &m->out))
		return bench_side_failed(message);
	return true;
}

/* Neighbours among the indices are this far apart.  It is a prime number, so
   that all indices differ. */
#define APART 7919

bool bench_moves_put(struct bench *bench, struct bench_side *side,
		     struct message *message)
{
	struct moves *m;
	int64_t n;

	side->run = put_run;
	side->check = put_check;
	if (!open_moves(bench, side, DPR_FLOAT32, message))
		return false;
	m = side->state;
	n = dpr_array_size(m->x);
	side->work = (double)n * m->batch *
		     (double)(2 * sizeof(float) + sizeof(int64_t));
	if (dpr_arange(0, n, 1, DPR_INT64, m->queue, &m->indices) ||
	    dpr_multiply_into(m->indices, APART, m->indices) ||
	    dpr_remainder_into(m->indices, n, m->indices) ||
	    dpr_zeros_like(m->x, DPR_FLOAT32, &m->out))
		return bench_side_failed(message);
	return true;
}
