/* SPDX-License-Identifier: Apache-2.0 */
/*
 * by_indices.c - dpr_take() and dpr_put() on a CPU, beside loops in C, in
 * turns.
 *
 * usage: measure by_indices [SELECTOR [MEGABYTES [ROUNDS [QUANTILE]]]]
 *
 * MEGABYTES is the size of the indexed array of float32.  The indices are
 * int64. The loops run in as many threads as the machine has processors online,
 * over the memory of the same arrays, and bring indices into range as dpr does.
 * Prints for each row the times of the loop and of dpr in ns per element, and
 * the loop's time and CPU time as parts of dpr's.  By default: host, 64
 * megabytes, 21 rounds, the median.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <dpr/dpr.h>

#include "tools/bench/programs/measure.h"
#include "tools/bench/programs/rounds.h"
#include "tools/shared/seconds.h"

enum { MOST_ROUNDS = 1000, MOST_THREADS = 64, COLUMNS = 4096 };
enum order { RANDOM, SORTED };
enum work { TAKE, TAKE_ROWS, TAKE_COLUMNS, PUT, PUT_ROWS };

static const struct row {
	const char *name;
	enum work work;
	enum order order;
	dpr_bounds bounds;
} rows[] = {
	{ "take, random, clip", TAKE, RANDOM, DPR_BOUNDS_CLIP },
	{ "take, random, check", TAKE, RANDOM, DPR_BOUNDS_CHECK },
	{ "take, random, wrap", TAKE, RANDOM, DPR_BOUNDS_WRAP },
	{ "take, sorted, clip", TAKE, SORTED, DPR_BOUNDS_CLIP },
	{ "take, sorted, check", TAKE, SORTED, DPR_BOUNDS_CHECK },
	{ "take, sorted, wrap", TAKE, SORTED, DPR_BOUNDS_WRAP },
	{ "take axis 0, random, check", TAKE_ROWS, RANDOM, DPR_BOUNDS_CHECK },
	{ "take axis 0, sorted, check", TAKE_ROWS, SORTED, DPR_BOUNDS_CHECK },
	{ "take axis 1, random, check", TAKE_COLUMNS, RANDOM,
	  DPR_BOUNDS_CHECK },
	{ "take axis 1, sorted, check", TAKE_COLUMNS, SORTED,
	  DPR_BOUNDS_CHECK },
	{ "put, random, clip", PUT, RANDOM, DPR_BOUNDS_CLIP },
	{ "put, random, check", PUT, RANDOM, DPR_BOUNDS_CHECK },
	{ "put, random, wrap", PUT, RANDOM, DPR_BOUNDS_WRAP },
	{ "put, in order, clip", PUT, SORTED, DPR_BOUNDS_CLIP },
	{ "put, in order, check", PUT, SORTED, DPR_BOUNDS_CHECK },
	{ "put, in order, wrap", PUT, SORTED, DPR_BOUNDS_WRAP },
	{ "put axis 0, random, check", PUT_ROWS, RANDOM, DPR_BOUNDS_CHECK },
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* An array and its memory. */
struct memory {
	dpr_array *array;
	void *data;
};

/* numbers: all elements in a row.  table: the same memory in rows of COLUMNS.
   at: indices of the elements, of the rows and of the columns, for each
   order.  Other arrays have the elements at these indices. */
struct arrays {
	struct memory numbers, table, at[3][2], plain, wide, narrow;
	int64_t count;
};

/* --- Loops ---------------------------------------------------------------- */

/* The part of a loop that a thread runs. */
struct part {
	const struct arrays *a;
	const struct row *row;
	int64_t begin, end;
	bool failed;
	pthread_t thread;
};

/* Bring @i into range of @n elements.  Sets *@failed if this is an error. */
static inline int64_t in_range(dpr_bounds bounds, int64_t i, int64_t n,
			       bool *failed)
{
	if (bounds == DPR_BOUNDS_CLIP)
		return i < 0 ? 0 : i < n ? i : n - 1;
	if (bounds == DPR_BOUNDS_WRAP) {
		i %= n;
		return i < 0 ? i + n : i;
	}
	i += i < 0 ? n : 0;
	if ((uint64_t)i < (uint64_t)n)
		return i;
	*failed = true;
	return 0;
}

/* @bounds is a constant at each call. */
static inline void move_elements(struct part *p, dpr_bounds bounds)
{
	const struct arrays *a = p->a;
	const int64_t *at = a->at[0][p->row->order].data;
	float *x = a->numbers.data, *values = a->plain.data;

	if (p->row->work == TAKE)
		for (int64_t i = p->begin; i < p->end; i++)
			values[i] = x[in_range(bounds, at[i], a->count,
					       &p->failed)];
	else
		for (int64_t i = p->begin; i < p->end; i++)
			x[in_range(bounds, at[i], a->count, &p->failed)] =
				values[i];
}

static void move_rows(struct part *p)
{
	const struct arrays *a = p->a;
	const int64_t n = a->count / COLUMNS;
	const int64_t *at = a->at[1][p->row->order].data;
	float *x = a->numbers.data, *values = a->wide.data;

	for (int64_t i = p->begin; i < p->end; i++) {
		float *row = x + COLUMNS * in_range(DPR_BOUNDS_CHECK, at[i], n,
						    &p->failed);
		float *value = values + COLUMNS * i;

		memcpy(p->row->work == PUT_ROWS ? row : value,
		       p->row->work == PUT_ROWS ? value : row,
		       COLUMNS * sizeof(*x));
	}
}

static void move_columns(struct part *p)
{
	const struct arrays *a = p->a;
	const int64_t *at = a->at[2][p->row->order].data;
	const float *x = a->numbers.data;
	float *values = a->narrow.data;

	for (int64_t r = p->begin; r < p->end; r++)
		for (int64_t i = 0; i < COLUMNS / 2; i++)
			values[r * (COLUMNS / 2) + i] =
				x[r * COLUMNS + in_range(DPR_BOUNDS_CHECK,
							 at[i], COLUMNS,
							 &p->failed)];
}

static void *run_part(void *context)
{
	struct part *p = context;

	if (p->row->work == TAKE_ROWS || p->row->work == PUT_ROWS)
		move_rows(p);
	else if (p->row->work == TAKE_COLUMNS)
		move_columns(p);
	else if (p->row->bounds == DPR_BOUNDS_CLIP)
		move_elements(p, DPR_BOUNDS_CLIP);
	else if (p->row->bounds == DPR_BOUNDS_WRAP)
		move_elements(p, DPR_BOUNDS_WRAP);
	else
		move_elements(p, DPR_BOUNDS_CHECK);
	return NULL;
}

static int64_t count_turns(const struct arrays *a, const struct row *row)
{
	switch (row->work) {
	case TAKE:
	case PUT: return a->count;
	case TAKE_ROWS:
	case PUT_ROWS: return a->count / COLUMNS / 2;
	case TAKE_COLUMNS: break;
	}
	return a->count / COLUMNS;
}

/* Returns whether all went well. */
static bool run_loop(const struct arrays *a, const struct row *row)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	const int n = online < 1              ? 1
		      : online > MOST_THREADS ? MOST_THREADS
					      : (int)online;
	const int64_t turns = count_turns(a, row);
	struct part part[MOST_THREADS];
	bool ok = true;
	int made = 1;

	for (int i = 0; i < n; i++)
		part[i] = (struct part){ .a = a,
					 .row = row,
					 .begin = turns * i / n,
					 .end = turns * (i + 1) / n };
	while (made < n &&
	       !pthread_create(&part[made].thread, NULL, run_part, &part[made]))
		made++;
	run_part(&part[0]);
	for (int i = 1; i < made; i++)
		pthread_join(part[i].thread, NULL);
	for (int i = 0; i < made; i++)
		ok &= !part[i].failed;
	return ok && made == n;
}

/* --- dpr ------------------------------------------------------------------ */

static dpr_status run_dpr(const struct arrays *a, const struct row *row)
{
	const int which = row->work == TAKE || row->work == PUT ? 0
			  : row->work == TAKE_COLUMNS           ? 2
								: 1;
	const dpr_array *at = a->at[which][row->order].array;
	const dpr_bounds bounds = row->bounds;
	dpr_status status = DPR_OK;

	switch (row->work) {
	case TAKE:
		status = dpr_take_into(a->numbers.array, at, 0, bounds,
				       a->plain.array);
		break;
	case TAKE_ROWS:
		status = dpr_take_into(a->table.array, at, 0, bounds,
				       a->wide.array);
		break;
	case TAKE_COLUMNS:
		status = dpr_take_into(a->table.array, at, 1, bounds,
				       a->narrow.array);
		break;
	case PUT:
		status = dpr_put(a->numbers.array, at, a->plain.array, 0,
				 bounds);
		break;
	case PUT_ROWS:
		status = dpr_put(a->table.array, at, a->wide.array, 0, bounds);
		break;
	}
	return status ? status
		      : dpr_queue_wait(dpr_array_queue(a->numbers.array));
}

/* --- Rounds --------------------------------------------------------------- */

static double cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static dpr_status run_row(const struct arrays *a, const struct row *row,
			  const struct rounds_choice *choice)
{
	static double time[2][MOST_ROUNDS], cpu[2][MOST_ROUNDS];
	const double n = row->work == TAKE || row->work == PUT
				 ? (double)a->count
				 : (double)a->count / 2;
	double median[2], busy[2];

	/* The first round is not counted. */
	for (int i = -1; i < choice->rounds; i++)
		for (int side = 0; side < 2; side++) {
			const double begin = seconds_now(), used = cpu_now();
			dpr_status status = DPR_OK;

			if (side)
				status = run_dpr(a, row);
			else if (!run_loop(a, row))
				fprintf(stderr,
					"by_indices: the loop failed\n");
			if (status)
				return status;
			time[side][i < 0 ? 0 : i] = seconds_now() - begin;
			cpu[side][i < 0 ? 0 : i] = cpu_now() - used;
		}
	for (int side = 0; side < 2; side++) {
		median[side] = rounds_time(time[side], choice->rounds,
					   choice->quantile);
		busy[side] = rounds_time(cpu[side], choice->rounds,
					 choice->quantile);
	}
	printf("%-28s %7.3f %7.3f ns %6.2f %6.2f of CPU\n", row->name,
	       median[0] / n * 1e9, median[1] / n * 1e9, median[0] / median[1],
	       busy[0] / busy[1]);
	fflush(stdout);
	return DPR_OK;
}

/* --- Arrays --------------------------------------------------------------- */

static dpr_status make(dpr_queue *queue, dpr_shape shape, dpr_dtype dtype,
		       struct memory *out)
{
	dpr_status status = dpr_zeros(shape, dtype, queue, &out->array);

	if (!status)
		status = dpr_queue_wait(queue);
	if (!status)
		out->data = dpr_usm_address(dpr_array_usm(out->array));
	return status;
}

static uint64_t next_random(void)
{
	static uint64_t state = 20261130;

	state = state * UINT64_C(6364136223846793005) + 1;
	return state >> 24;
}

/* Fill in @count different indices, from 0 to @n - 1. */
static void fill_indices(int64_t *at, int64_t count, int64_t n,
			 enum order order)
{
	for (int64_t i = 0; i < count; i++)
		at[i] = i * (n / count);
	for (int64_t i = count - 1; order == RANDOM && i > 0; i--) {
		const int64_t other =
			(int64_t)(next_random() % (uint64_t)(i + 1));
		const int64_t value = at[i];

		at[i] = at[other];
		at[other] = value;
	}
}

static dpr_status make_all(dpr_queue *queue, struct arrays *a)
{
	const int64_t height = a->count / COLUMNS;
	const int64_t extents[] = { a->count, height, COLUMNS };
	dpr_status status =
		make(queue, DPR_SHAPE(a->count), DPR_FLOAT32, &a->numbers);

	if (!status)
		status = dpr_reshape(a->numbers.array,
				     DPR_SHAPE(height, COLUMNS),
				     &a->table.array);
	if (!status)
		status = make(queue, DPR_SHAPE(a->count), DPR_FLOAT32,
			      &a->plain);
	if (!status)
		status = make(queue, DPR_SHAPE(height / 2, COLUMNS),
			      DPR_FLOAT32, &a->wide);
	if (!status)
		status = make(queue, DPR_SHAPE(height, COLUMNS / 2),
			      DPR_FLOAT32, &a->narrow);
	for (int which = 0; which < 3; which++)
		for (int order = 0; !status && order < 2; order++) {
			const int64_t count = extents[which] / (which ? 2 : 1);
			struct memory *at = &a->at[which][order];

			status = make(queue, DPR_SHAPE(count), DPR_INT64, at);
			if (!status)
				fill_indices(at->data, count, extents[which],
					     (enum order)order);
		}
	return status;
}

static void free_all(struct arrays *a)
{
	struct memory *const list[] = { &a->table, &a->numbers, &a->plain,
					&a->wide, &a->narrow };

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		dpr_array_release(list[i]->array);
	for (int which = 0; which < 3; which++)
		for (int order = 0; order < 2; order++)
			dpr_array_release(a->at[which][order].array);
}

int by_indices_main(int argc, char **argv)
{
	struct rounds_choice choice = { .selector = "host" };
	struct arrays a = { .count = 0 };
	dpr_queue *queue;
	dpr_status status;

	if (!rounds_choose(argc, argv, "by_indices", 2 * COLUMNS, MOST_ROUNDS,
			   &choice))
		return 2;
	a.count = (int64_t)choice.numbers;
	status = dpr_canonical_queue(choice.selector, &queue);
	if (!status)
		status = make_all(queue, &a);
	for (int i = 0; !status && i < ROWS; i++)
		status = run_row(&a, &rows[i], &choice);
	if (status)
		fprintf(stderr, "by_indices: %s\n", dpr_last_error());
	free_all(&a);
	return status != DPR_OK;
}
