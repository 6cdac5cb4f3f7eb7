/* SPDX-License-Identifier: Apache-2.0 */
/*
 * two_backends.c - array operations on two devices, in turns, so that whatever
 * else the machine does falls on both.
 *
 * usage: two_backends [SELECTOR SELECTOR [MEGABYTES [ROUNDS]]]
 *
 * Prints the median of each in GB/s (bytes read and written), and the first as
 * a part of the second.  By default: host and opencl:cpu, 64 MB, 21 rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <dpr/dpr.h>

#define MAX_ROUNDS 1000

struct side {
	dpr_queue *queue;
	dpr_array *x, *y, *out, *small, *total;
	double seconds[MAX_ROUNDS];
};

struct task {
	const char *name;
	dpr_status (*run)(struct side *side);
	double arrays; /* how many times 64 MB it moves; 0: a time is printed */
};

static dpr_status run_add(struct side *side)
{
	return dpr_add_into(side->x, side->y, side->out);
}

/* As most programs do: the result is a new array. */
static dpr_status run_add_new(struct side *side)
{
	dpr_array *sum;
	dpr_status status = dpr_add(side->x, side->y, &sum);

	dpr_array_release(sum);
	return status;
}

static dpr_status run_copy(struct side *side)
{
	return dpr_copy_into(side->out, side->x);
}

static dpr_status run_sum(struct side *side)
{
	return dpr_sum_into(side->x, NULL, side->total);
}

static dpr_status run_small_add(struct side *side)
{
	return dpr_add_into(side->small, side->small, side->small);
}

static const struct task tasks[] = {
	{ "add", run_add, 3 },
	{ "add, new result", run_add_new, 3 },
	{ "sum", run_sum, 1 },
	{ "copy", run_copy, 2 },
	{ "add of 16 elements", run_small_add, 0 },
};

static double now(void)
{
	struct timespec ts;

	timespec_get(&ts, TIME_UTC);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static dpr_status side_open(struct side *side, const char *selector, int64_t n)
{
	dpr_status status;

	if ((status = dpr_canonical_queue(selector, &side->queue)) ||
	    (status = dpr_ones(DPR_SHAPE(n), DPR_FLOAT32, side->queue,
			       &side->x)) ||
	    (status = dpr_ones(DPR_SHAPE(n), DPR_FLOAT32, side->queue,
			       &side->y)) ||
	    (status = dpr_zeros(DPR_SHAPE(n), DPR_FLOAT32, side->queue,
				&side->out)) ||
	    (status = dpr_zeros(DPR_SHAPE(16), DPR_FLOAT32, side->queue,
				&side->small)) ||
	    (status = dpr_zeros(DPR_SCALAR_SHAPE, DPR_FLOAT32, side->queue,
				&side->total)))
		return status;
	return dpr_queue_wait(side->queue);
}

static void side_close(struct side *side)
{
	dpr_array_release(side->x);
	dpr_array_release(side->y);
	dpr_array_release(side->out);
	dpr_array_release(side->small);
	dpr_array_release(side->total);
}

static dpr_status time_task(const struct task *task, struct side *side,
			    int round)
{
	double start = now();
	dpr_status status = task->run(side);

	if (!status)
		status = dpr_queue_wait(side->queue);
	side->seconds[round] = now() - start;
	return status;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, int n)
{
	qsort(values, (size_t)n, sizeof(*values), compare);
	return values[n / 2];
}

static dpr_status compare_task(const struct task *task, struct side sides[2],
			       int rounds, double bytes)
{
	dpr_status status = DPR_OK;
	double m[2];
	int i, k;

	/* The first round builds kernels. */
	for (k = 0; k < 2 && !status; k++)
		status = time_task(task, &sides[k], 0);
	for (i = 0; i < rounds; i++)
		for (k = 0; k < 2 && !status; k++)
			status = time_task(task, &sides[(i + k) % 2], i);
	if (status)
		return status;
	for (k = 0; k < 2; k++)
		m[k] = median(sides[k].seconds, rounds);
	if (task->arrays > 0)
		printf("%-20s %8.1f %8.1f GB/s %6.2f\n", task->name,
		       task->arrays * bytes / m[0] * 1e-9,
		       task->arrays * bytes / m[1] * 1e-9, m[1] / m[0]);
	else
		printf("%-20s %8.1f %8.1f us   %6.2f\n", task->name, m[0] * 1e6,
		       m[1] * 1e6, m[1] / m[0]);
	return DPR_OK;
}

int main(int argc, char **argv)
{
	const char *first = argc > 2 ? argv[1] : "host";
	const char *second = argc > 2 ? argv[2] : "opencl:cpu";
	int64_t n = (argc > 3 ? atoi(argv[3]) : 64) * INT64_C(1000000) / 4;
	int rounds = argc > 4 ? atoi(argv[4]) : 21;
	static struct side sides[2];
	dpr_status status;
	size_t t;

	if (n < 1 || rounds < 1 || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: two_backends [SELECTOR SELECTOR "
				"[MEGABYTES [ROUNDS]]]\n");
		return 2;
	}
	status = side_open(&sides[0], first, n);
	if (!status)
		status = side_open(&sides[1], second, n);
	if (!status)
		printf("%-20s %8s %8s, medians of %d\n", "", first, second,
		       rounds);
	for (t = 0; t < sizeof(tasks) / sizeof(tasks[0]) && !status; t++)
		status = compare_task(&tasks[t], sides, rounds, (double)n * 4);
	if (status)
		fprintf(stderr, "two_backends: %s\n", dpr_last_error());
	side_close(&sides[0]);
	side_close(&sides[1]);
	return status != DPR_OK;
}
