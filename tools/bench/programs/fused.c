/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fused.c - expressions in one call, beside one loop in C by a thread per CPU,
 * and beside calls of the functions one after the other, in turns, so that
 * other load of the machine affects all of them.
 *
 * usage: measure fused [SELECTOR [MEGABYTES [ROUNDS [QUANTILE]]]]
 *
 * Prints for each expression of float32 arrays of so many megabytes each the
 * times of the loop (the faster one of plain stores and of stores past the
 * caches), of the expression and of the calls, and the loop's time divided by
 * the other two: the medians, or at another quantile, such as 0.1 on a machine
 * with other load.  By default: host, 64 MB, 21 rounds, 0.5.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dpr/dpr.h>

#include "tools/bench/bench_team.h"
#include "tools/bench/programs/loops.h"
#include "tools/bench/programs/measure.h"
#include "tools/bench/programs/rounds.h"
#include "tools/shared/seconds.h"

enum { OPERANDS = 5, MAX_ROUNDS = 1000, LINE = 64 };

static const char *const names[] = { "a", "b", "c", "d", "e" };

/* What a loop works on. */
struct work {
	const float *x[OPERANDS];
	float *out;
	size_t n;
	bool past_caches;
};

/* --- Loops ---------------------------------------------------------------- */

#define LOOP(name, e)                                                         \
	LOOPS_CLONES static void name(void *state, size_t part, size_t parts) \
	{                                                                     \
		const struct work *w = state;                                 \
		const float *a = w->x[0], *b = w->x[1], *c = w->x[2];         \
		const float *d = w->x[3], *f = w->x[4];                       \
		const size_t end = w->n / LINE * (part + 1) / parts * LINE;   \
		size_t i = w->n / LINE * part / parts * LINE;                 \
		float *restrict out = w->out;                                 \
		_Alignas(64) float line[LINE];                                \
                                                                              \
		(void)c, (void)d, (void)f;                                    \
		for (; w->past_caches && i < end; i += LINE) {                \
			for (size_t k = 0, j = i; k < LINE; k++, j++)         \
				line[k] = (e);                                \
			loops_store(out + i, line, LINE);                     \
		}                                                             \
		for (size_t j = i; j < end; j++)                              \
			out[j] = (e);                                         \
	}
LOOP(loop_length, sqrtf(a[j] * a[j] + b[j] * b[j]))
LOOP(loop_product, loops_sin(a[j]) * loops_exp(b[j]))
LOOP(loop_sum, a[j] * b[j] + c[j] * d[j] - f[j])
LOOP(loop_add, a[j] + b[j])

/* --- Calls ---------------------------------------------------------------- */

/* The operands, and two arrays for what is between. */
struct arrays {
	dpr_array *x[OPERANDS], *out, *s, *t;
};

static dpr_status calls_length(const struct arrays *v)
{
	dpr_status status = dpr_multiply_into(v->x[0], v->x[0], v->s);

	if (!status)
		status = dpr_multiply_into(v->x[1], v->x[1], v->t);
	if (!status)
		status = dpr_add_into(v->s, v->t, v->s);
	return status ? status : dpr_sqrt_into(v->s, v->out);
}

static dpr_status calls_product(const struct arrays *v)
{
	dpr_status status = dpr_sin_into(v->x[0], v->s);

	if (!status)
		status = dpr_exp_into(v->x[1], v->t);
	return status ? status : dpr_multiply_into(v->s, v->t, v->out);
}

static dpr_status calls_sum(const struct arrays *v)
{
	dpr_status status = dpr_multiply_into(v->x[0], v->x[1], v->s);

	if (!status)
		status = dpr_multiply_into(v->x[2], v->x[3], v->t);
	if (!status)
		status = dpr_add_into(v->s, v->t, v->s);
	return status ? status : dpr_subtract_into(v->s, v->x[4], v->out);
}

static dpr_status calls_add(const struct arrays *v)
{
	return dpr_add_into(v->x[0], v->x[1], v->out);
}

/* --- Rows ----------------------------------------------------------------- */

static const struct row {
	const char *text;
	int n;
	bench_team_job loop;
	dpr_status (*calls)(const struct arrays *v);
} rows[] = {
	{ "sqrt(a*a + b*b)", 2, loop_length, calls_length },
	{ "sin(a)*exp(b)", 2, loop_product, calls_product },
	{ "a*b + c*d - e", 5, loop_sum, calls_sum },
	{ "a + b", 2, loop_add, calls_add },
};

struct fused {
	struct bench_team *team;
	struct arrays arrays;
	struct work work;
	int rounds;
	double quantile;
	double time[4][MAX_ROUNDS]; /* loop, loop past caches, expression,
				       calls */
};

static dpr_status run_expression(const struct fused *f, const struct row *row,
				 const dpr_expression *x)
{
	dpr_binding bindings[OPERANDS];

	for (int k = 0; k < row->n; k++)
		bindings[k] =
			(dpr_binding){ names[k],
				       dpr_operand_array(f->arrays.x[k]) };
	return dpr_expression_apply_into(x, bindings, (size_t)row->n,
					 &f->arrays.out, 1);
}

/* Run side @side of a row once. */
static dpr_status run_side(struct fused *f, const struct row *row,
			   const dpr_expression *x, int side, double *seconds)
{
	const double begin = seconds_now();
	dpr_status status = DPR_OK;

	f->work.past_caches = side == 1;
	if (side < 2)
		bench_team_run(f->team, row->loop, &f->work);
	else
		status = side == 2 ? run_expression(f, row, x)
				   : row->calls(&f->arrays);
	if (!status && side >= 2)
		status = dpr_queue_wait(dpr_array_queue(f->arrays.out));
	*seconds = seconds_now() - begin;
	return status;
}

static dpr_status run_row(struct fused *f, const struct row *row)
{
	double at[4], loop;
	dpr_expression *x;
	dpr_status status = dpr_expression_create(row->text, &x);

	/* The first two rounds are not counted. */
	for (int i = -2; !status && i < f->rounds; i++)
		for (int side = 0; !status && side < 4; side++)
			status = run_side(f, row, x, side,
					  &f->time[side][i < 0 ? 0 : i]);
	for (int side = 0; !status && side < 4; side++) {
		at[side] = rounds_time(f->time[side], f->rounds, f->quantile);
	}
	dpr_expression_release(x);
	if (status)
		return status;
	loop = at[0] < at[1] ? at[0] : at[1];
	printf("%-16s %8.2f %10.2f %8.2f ms %10.2f %8.2f\n", row->text,
	       loop * 1e3, at[2] * 1e3, at[3] * 1e3, loop / at[2],
	       loop / at[3]);
	return DPR_OK;
}

/* --- Operands ------------------------------------------------------------- */

static dpr_status make_array(dpr_queue *queue, const float *values, size_t n,
			     dpr_array **out)
{
	return dpr_array_from_memory(values, DPR_SHAPE((int64_t)n), NULL,
				     DPR_FLOAT32, queue, out);
}

static dpr_status make_operands(struct fused *f, dpr_queue *queue, size_t n)
{
	dpr_status status = DPR_OK;

	f->work.n = n;
	f->work.out = aligned_alloc(64, n * sizeof(float));
	for (int k = 0; k < OPERANDS; k++) {
		float *x = aligned_alloc(64, n * sizeof(float));

		f->work.x[k] = x;
		for (size_t i = 0; x && i < n; i++)
			x[i] = (float)((i * 7 + (size_t)k * 13) % 1021) * 0.01f;
		if (!x || !f->work.out)
			return DPR_ERROR_OUT_OF_MEMORY;
		if (!status)
			status = make_array(queue, x, n, &f->arrays.x[k]);
	}
	memset(f->work.out, 0, n * sizeof(float));
	if (!status)
		status = make_array(queue, f->work.out, n, &f->arrays.out);
	if (!status)
		status = make_array(queue, f->work.out, n, &f->arrays.s);
	if (!status)
		status = make_array(queue, f->work.out, n, &f->arrays.t);
	return status;
}

static void release_operands(struct fused *f)
{
	for (int k = 0; k < OPERANDS; k++) {
		dpr_array_release(f->arrays.x[k]);
		free((void *)f->work.x[k]);
	}
	dpr_array_release(f->arrays.out);
	dpr_array_release(f->arrays.s);
	dpr_array_release(f->arrays.t);
	free(f->work.out);
	bench_team_free(f->team);
}

int fused_main(int argc, char **argv)
{
	static struct fused f;
	struct rounds_choice choice = { .selector = "host" };
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct message message = MESSAGE_NONE;
	dpr_queue *queue;
	dpr_status status;

	if (!rounds_choose(argc, argv, "fused", LINE, MAX_ROUNDS, &choice))
		return 2;
	f.rounds = choice.rounds;
	f.quantile = choice.quantile;
	f.team = bench_team_new((unsigned)cpus, &message);
	if (!f.team) {
		fprintf(stderr, "fused: %s\n", message_text(&message));
		return 1;
	}
	status = dpr_canonical_queue(choice.selector, &queue);
	if (!status)
		status = make_operands(&f, queue, choice.numbers);
	printf("%-16s %8s %10s %8s %13s %8s\n", "", "loop", "expression",
	       "calls", "expression", "calls");
	for (size_t i = 0; !status && i < sizeof(rows) / sizeof(rows[0]); i++)
		status = run_row(&f, &rows[i]);
	if (status)
		fprintf(stderr, "fused: %s\n", dpr_last_error());
	message_clear(&message);
	release_operands(&f);
	return status != DPR_OK;
}
