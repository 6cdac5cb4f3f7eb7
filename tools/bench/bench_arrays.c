/* SPDX-License-Identifier: Apache-2.0 */
/* bench_arrays.c - dpr's side of the rows on large arrays. */
#include "tools/bench/bench_arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tools/bench/bench_values.h"

struct arrays {
	dpr_queue *queue;
	dpr_array *x, *y, *z, *out;
	int batch;       /* calls per run */
	int64_t columns; /* columns of a square matrix; 0: one axis */
};

static void close_arrays(void *state)
{
	struct arrays *a = state;

	if (!a)
		return;
	dpr_array_release(a->x);
	dpr_array_release(a->y);
	dpr_array_release(a->z);
	dpr_array_release(a->out);
	free(a);
}

static bool from_values(int64_t n, float (*value)(size_t), dpr_queue *queue,
			dpr_array **out, struct message *message)
{
	float *values = bench_values_new((size_t)n, value, message);
	dpr_status status;

	if (!values)
		return false;
	status = dpr_array_from_memory(values, DPR_SHAPE(n), NULL, DPR_FLOAT32,
				       queue, out);
	free(values);
	return status ? bench_side_failed(message) : true;
}

static bool add_run(void *state, struct message *message)
{
	struct arrays *a = state;

	for (int i = 0; i < a->batch; i++)
		if (dpr_add_into(a->x, a->y, a->out))
			return bench_side_failed(message);
	return dpr_queue_wait(a->queue) ? bench_side_failed(message) : true;
}

/* Add as most programs do: into a new array. */
static bool add_new_run(void *state, struct message *message)
{
	struct arrays *a = state;

	for (int i = 0; i < a->batch; i++) {
		dpr_array_release(a->out);
		a->out = NULL;
		if (dpr_add(a->x, a->y, &a->out))
			return bench_side_failed(message);
	}
	return dpr_queue_wait(a->queue) ? bench_side_failed(message) : true;
}

static bool add_check(void *state, struct message *message)
{
	struct arrays *a = state;
	size_t n = (size_t)dpr_array_size(a->out);
	float *sum = malloc(n * sizeof(*sum));
	bool ok;

	if (!sum)
		return message_set(message, "no memory for a result");
	ok = dpr_array_to_memory(a->out, sum, dpr_array_nbytes(a->out), NULL)
		     ? bench_side_failed(message)
		     : bench_values_check_add(sum, n, (size_t)a->columns,
					      "dpr_add", message);
	free(sum);
	return ok;
}

static bool open_arrays(struct bench *bench, int64_t n, struct bench_side *side,
			struct arrays **out, struct message *message)
{
	struct arrays *a = calloc(1, sizeof(*a));

	*out = a;
	if (!a)
		return message_set(message, "no memory for a row");
	side->state = a;
	side->close = close_arrays;
	a->queue = bench->queue;
	a->batch = bench->batch;
	return from_values(n, bench_values_x, a->queue, &a->x, message);
}

bool bench_arrays_add(struct bench *bench, struct bench_side *side,
		      struct message *message)
{
	int64_t n = (int64_t)(bench->bytes / sizeof(float));
	struct arrays *a;

	side->run = add_run;
	side->check = add_check;
	/* This side is also used as a baseline, which needs a name. */
	if (!*side->name)
		strcpy(side->name, "our x + y");
	side->work = 3.0 * (double)n * sizeof(float) * bench->batch;
	if (!open_arrays(bench, n, side, &a, message) ||
	    !from_values(n, bench_values_y, a->queue, &a->y, message))
		return false;
	if (dpr_empty(DPR_SHAPE(n), DPR_FLOAT32, a->queue, &a->out))
		return bench_side_failed(message);
	return true;
}

bool bench_arrays_add_new(struct bench *bench, struct bench_side *side,
			  struct message *message)
{
	bool ok = bench_arrays_add(bench, side, message);

	side->run = add_new_run;
	return ok;
}

/* Replace *@x by a view of it as a square matrix, transposed or not. */
static dpr_status make_square(dpr_array **x, int64_t columns, bool transposed)
{
	dpr_array *square, *view = NULL;
	dpr_status status;

	status = dpr_reshape(*x, DPR_SHAPE(columns, columns), &square);
	if (status)
		return status;
	if (transposed) {
		status = dpr_matrix_transpose(square, &view);
		dpr_array_release(square);
		square = view;
	}
	if (status)
		return status;
	dpr_array_release(*x);
	*x = square;
	return DPR_OK;
}

bool bench_arrays_add_transposed(struct bench *bench, struct bench_side *side,
				 struct message *message)
{
	int64_t columns = (int64_t)sqrt((double)bench->bytes / sizeof(float));
	struct bench square = *bench;
	struct arrays *a;

	square.bytes = (size_t)(columns * columns) * sizeof(float);
	if (!bench_arrays_add(&square, side, message))
		return false;
	a = side->state;
	a->columns = columns;
	if (make_square(&a->x, columns, false) ||
	    make_square(&a->y, columns, true) ||
	    make_square(&a->out, columns, false))
		return bench_side_failed(message);
	return true;
}

static bool multiply_add_run(void *state, struct message *message)
{
	struct arrays *a = state;

	for (int i = 0; i < a->batch; i++)
		if (dpr_multiply_add_into(a->x, a->y, a->z, a->out))
			return bench_side_failed(message);
	return dpr_queue_wait(a->queue) ? bench_side_failed(message) : true;
}

static bool multiply_add_check(void *state, struct message *message)
{
	struct arrays *a = state;
	size_t n = (size_t)dpr_array_size(a->out);
	float *out = malloc(n * sizeof(*out));
	bool ok;

	if (!out)
		return message_set(message, "no memory for a result");
	ok = dpr_array_to_memory(a->out, out, dpr_array_nbytes(a->out), NULL)
		     ? bench_side_failed(message)
		     : bench_values_check_multiply_add(
			       out, n, "dpr_multiply_add", message);
	free(out);
	return ok;
}

bool bench_arrays_multiply_add(struct bench *bench, struct bench_side *side,
			       struct message *message)
{
	int64_t n = (int64_t)(bench->bytes / sizeof(float));
	struct arrays *a;

	if (!bench_arrays_add(bench, side, message))
		return false;
	a = side->state;
	side->run = multiply_add_run;
	side->check = multiply_add_check;
	side->work = side->work / 3 * 4;
	return from_values(n, bench_values_y, a->queue, &a->z, message);
}

static bool sum_run(void *state, struct message *message)
{
	struct arrays *a = state;

	for (int i = 0; i < a->batch; i++)
		if (dpr_sum_into(a->x, NULL, a->out))
			return bench_side_failed(message);
	return dpr_queue_wait(a->queue) ? bench_side_failed(message) : true;
}

static bool sum_check(void *state, struct message *message)
{
	struct arrays *a = state;
	float sum;

	if (dpr_array_to_memory(a->out, &sum, sizeof(sum), NULL))
		return bench_side_failed(message);
	return bench_values_check_sum(sum, (size_t)dpr_array_size(a->x),
				      "dpr_sum", message);
}

bool bench_arrays_sum(struct bench *bench, struct bench_side *side,
		      struct message *message)
{
	int64_t n = (int64_t)(bench->bytes / sizeof(float));
	struct arrays *a;

	side->run = sum_run;
	side->check = sum_check;
	side->work = (double)n * sizeof(float) * bench->batch;
	if (!open_arrays(bench, n, side, &a, message))
		return false;
	if (dpr_empty(DPR_SCALAR_SHAPE, DPR_FLOAT32, a->queue, &a->out))
		return bench_side_failed(message);
	return true;
}
