/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turns.c - heavy expressions of float32 arrays on one or more devices in
 * turns, so that other load of the machine affects all of them.
 *
 * usage: measure turns KILOBYTES ROUNDS [-ROW,...] [SELECTOR...]
 *
 * KILOBYTES is the size of each array, ROUNDS the number of turns.  Prints for
 * each expression and device the medians, in ns per element, of the time and of
 * the CPU time of all threads, and a hash of the bits of the result.  The first
 * device's CPU time divided by that of each device follows.  -0,4 takes rows 0
 * and 4 alone.  By default: host.
 *
 * One thread: DPR_OPTION_HOST_THREADS=1; PoCL: POCL_MAX_PTHREAD_COUNT=1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dpr/dpr.h>

#include "tools/bench/programs/measure.h"
#include "tools/bench/programs/rounds.h"
#include "tools/shared/seconds.h"

enum {
	MOST_ROUNDS = 1000,
	DEVICES = 4,
	ROW = 1024,
	LEAST = 1 << 22, /* elements of a turn */
	NAMES = 5
};

static const char *const names[NAMES] = { "x", "y", "z", "t", "out" };

static const struct row {
	const char *operands, *text;
} rows[] = {
	{ "xy", "exp(x)*sin(y)+cos(x)" },
	{ "xy", "where(x>y,exp(x),log(y+1))" },
	{ "xyz", "(x+y)*(y+z)*(x+z)*(x+1)*(y+2)*(z+3)" },
	{ "xy", "x*y+x*x-y/(x+2)+tanh(y)" },
	{ "x", "d=x-mean(x,axis=-1,keepdims=True);"
	       "d/sqrt(mean(d*d,axis=-1,keepdims=True)+0.125)" },
	{ "xy", "x**2.5+y**0.3" },
	{ "xyz", "x*x+y*y+z*z" },
	{ "xyz", "where(x>y,x,z)" },
	{ "xy", "x+y" },
	{ "xyz", "x*y+z" },
	{ "yt", "matrix_transpose(t)+y" },
	{ "x", "sqrt(x)" },
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

struct device {
	const char *selector;
	dpr_queue *queue;
	dpr_array *array[NAMES];
	double time[MOST_ROUNDS], cpu[MOST_ROUNDS];
};

struct turns {
	struct device device[DEVICES];
	int devices, rounds;
	size_t n;
	float *values;
	bool taken[ROWS];
};

static double cpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Compute a row as often as a turn wants, and store the ns per element. */
static dpr_status turn(const struct turns *t, struct device *d,
		       const struct row *row, const dpr_expression *e,
		       int round)
{
	const size_t times = (LEAST + t->n - 1) / t->n;
	const double begin = seconds_now(), cpu = cpu_now();
	const double scale = 1e9 / (double)times / (double)t->n;
	dpr_binding bindings[NAMES - 1];
	dpr_status status = DPR_OK;
	size_t n = 0;

	for (int k = 0; k < NAMES - 1; k++)
		if (strchr(row->operands, names[k][0]))
			bindings[n++] =
				(dpr_binding){ names[k],
					       dpr_operand_array(d->array[k]) };
	for (size_t i = 0; !status && i < times; i++)
		status = dpr_expression_apply_into(e, bindings, n,
						   &d->array[NAMES - 1], 1);
	if (!status)
		status = dpr_queue_wait(d->queue);
	d->time[round] = (seconds_now() - begin) * scale;
	d->cpu[round] = (cpu_now() - cpu) * scale;
	return status;
}

/* A hash of the bits of the result. */
static dpr_status hash_of(const struct turns *t, const struct device *d,
			  uint64_t *hash)
{
	const dpr_status status = dpr_array_to_memory(
		d->array[NAMES - 1], t->values,
		dpr_array_nbytes(d->array[NAMES - 1]), NULL);
	uint32_t bits;

	*hash = 0;
	for (size_t i = 0; !status && i < t->n; i++) {
		memcpy(&bits, &t->values[i], sizeof(bits));
		*hash = (*hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
	}
	return status;
}

static dpr_status run_row(struct turns *t, const struct row *row)
{
	dpr_expression *e;
	dpr_status status = dpr_expression_create(row->text, &e);
	double cpu[DEVICES];
	uint64_t hash = 0;

	/* The first two rounds are not counted. */
	for (int i = -2; !status && i < t->rounds; i++)
		for (int k = 0; !status && k < t->devices; k++)
			status = turn(t, &t->device[k], row, e, i < 0 ? 0 : i);
	if (!status)
		printf("%.36s", row->text);
	for (int k = 0; !status && k < t->devices; k++) {
		struct device *d = &t->device[k];

		cpu[k] = rounds_time(d->cpu, t->rounds, 0.5);
		status = hash_of(t, d, &hash);
		printf(" | %s %.3f cpu %.3f hash %08x ratio %.2f", d->selector,
		       rounds_time(d->time, t->rounds, 0.5), cpu[k],
		       (unsigned)(hash >> 32), cpu[0] / cpu[k]);
	}
	printf("\n");
	dpr_expression_release(e);
	return status;
}

static dpr_status make_operands(struct turns *t, struct device *d)
{
	const int64_t shape[] = { (int64_t)t->n / ROW, ROW };
	const int64_t turned[] = { ROW, (int64_t)t->n / ROW };
	dpr_status status = dpr_canonical_queue(d->selector, &d->queue);

	for (int k = 0; !status && k < NAMES; k++) {
		for (size_t i = 0; i < t->n; i++)
			t->values[i] = (float)((i * (size_t)(7 + 4 * k) +
						(size_t)k * 13) %
					       1021) *
				       0.01f;
		status = dpr_array_from_memory(
			t->values, dpr_shape_of(2, k == 3 ? turned : shape),
			NULL, DPR_FLOAT32, d->queue, &d->array[k]);
	}
	return status;
}

/* Set which rows are taken: all, or those of the list @text. */
static void take_rows(struct turns *t, const char *text)
{
	char *end;
	long row;

	for (int i = 0; i < ROWS; i++)
		t->taken[i] = !text;
	for (; text && *text; text = *end ? end + 1 : end) {
		row = strtol(text, &end, 10);
		if (end == text)
			return;
		if (row >= 0 && row < ROWS)
			t->taken[row] = true;
	}
}

int turns_main(int argc, char **argv)
{
	static struct turns t;
	int at = 3;
	dpr_status status = DPR_OK;

	if (argc > 2) {
		t.n = strtoul(argv[1], NULL, 10) * 256 / ROW * ROW;
		t.rounds = atoi(argv[2]);
	}
	if (!t.n || t.rounds < 1 || t.rounds > MOST_ROUNDS) {
		fprintf(stderr,
			"usage: measure turns KILOBYTES ROUNDS [-ROW,...] "
			"[SELECTOR...]\n");
		return 2;
	}
	take_rows(&t, at < argc && argv[at][0] == '-' ? argv[at++] + 1 : NULL);
	t.device[0].selector = "host";
	t.devices = at == argc;
	while (at < argc && t.devices < DEVICES)
		t.device[t.devices++].selector = argv[at++];
	t.values = malloc(t.n * sizeof(float));
	for (int k = 0; !status && t.values && k < t.devices; k++)
		status = make_operands(&t, &t.device[k]);
	for (int i = 0; !status && t.values && i < ROWS; i++)
		if (t.taken[i])
			status = run_row(&t, &rows[i]);
	if (status)
		fprintf(stderr, "turns: %s\n", dpr_last_error());
	for (int k = 0; k < t.devices; k++)
		for (int i = 0; i < NAMES; i++)
			dpr_array_release(t.device[k].array[i]);
	free(t.values);
	return status || !t.values;
}
