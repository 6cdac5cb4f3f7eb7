/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.c - expressions that reduce rows in their middle, beside a loop in C
 * with a thread per CPU.  The two run in turns, so that other load affects
 * both.
 *
 * usage: measure rows [SELECTOR [MEGABYTES [ROUNDS [QUANTILE]]]]
 *
 * Prints for each expression of float32 rows of several lengths, of so many
 * megabytes together, the times of the loop (the faster one of plain stores and
 * of stores past the caches) and of the expression, and the loop's time divided
 * by that: the medians, or at another quantile, such as 0.1 on a machine with
 * other load.  By default: host, 64 MB, 21 rounds, 0.5.
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

enum { MAX_ROUNDS = 1000, LANES = 32, LONGEST = 65536 };

static const int lengths[] = { 64, 512, 4096, LONGEST };
#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

/* What a loop works on.  A row is a multiple of LANES. */
struct work {
	const float *x;
	float *out;
	size_t rows, length;
	bool past_caches;
};

/* --- Loops ---------------------------------------------------------------- */

/* Four vectors at a time keep the adders busy. */
typedef float vec __attribute__((vector_size(32), aligned(4)));
enum { VECTOR = 8 };

#define TOTAL(a)                                   \
	((((a)[0] + (a)[1]) + ((a)[2] + (a)[3])) + \
	 (((a)[4] + (a)[5]) + ((a)[6] + (a)[7])))

/* A comparison is a mask. */
typedef int mask __attribute__((vector_size(32)));
#define LARGER(a, b)                                              \
	{                                                         \
		const vec v_ = (b);                               \
		const mask m_ = v_ > (a);                         \
                                                                  \
		(a) = (vec)((m_ & (mask)v_) | (~m_ & (mask)(a))); \
	}

static inline float row_max(const float *x, size_t n)
{
	const vec *v = (const vec *)x;
	vec a = v[0], b = v[1], c = v[2], d = v[3];
	float max;

	for (size_t i = 4; i < n / VECTOR; i += 4) {
		LARGER(a, v[i])
		LARGER(b, v[i + 1])
		LARGER(c, v[i + 2])
		LARGER(d, v[i + 3])
	}
	LARGER(a, b)
	LARGER(c, d)
	LARGER(a, c)
	max = a[0];
	for (int k = 1; k < VECTOR; k++)
		max = a[k] > max ? a[k] : max;
	return max;
}

static inline float row_sum(const float *x, size_t n)
{
	const vec *v = (const vec *)x;
	vec a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };

	for (size_t i = 0; i < n / VECTOR; i += 4) {
		a += v[i];
		b += v[i + 1];
		c += v[i + 2];
		d += v[i + 3];
	}
	a = (a + b) + (c + d);
	return TOTAL(a);
}

static inline float row_squares(const float *x, size_t n, float mean)
{
	const vec *v = (const vec *)x;
	vec a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };

	for (size_t i = 0; i < n / VECTOR; i += 4) {
		a += (v[i] - mean) * (v[i] - mean);
		b += (v[i + 1] - mean) * (v[i + 1] - mean);
		c += (v[i + 2] - mean) * (v[i + 2] - mean);
		d += (v[i + 3] - mean) * (v[i + 3] - mean);
	}
	a = (a + b) + (c + d);
	return TOTAL(a);
}

/* Store e**(x - max), and return the sum. */
static inline float row_exp(const float *x, size_t n, float max, float *to)
{
	const vec *v = (const vec *)to;
	vec a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };

	for (size_t i = 0; i < n; i += LANES, v += 4) {
		for (int k = 0; k < LANES; k++)
			to[i + k] = loops_exp(x[i + k] - max);
		a += v[0];
		b += v[1];
		c += v[2];
		d += v[3];
	}
	a = (a + b) + (c + d);
	return TOTAL(a);
}

/* Store @n values past the caches, or not. */
#define STORE(w, to, n, e)                                                  \
	{                                                                   \
		_Alignas(64) float line_[LANES];                            \
		for (size_t j_ = 0; j_ < (n); j_ += LANES) {                \
			for (size_t k = 0, j = j_; k < LANES; k++, j++)     \
				((w)->past_caches ? line_ : (to) + j_)[k] = \
					(e);                                \
			if ((w)->past_caches)                               \
				loops_store((to) + j_, line_, LANES);       \
		}                                                           \
	}

/* A loop over rows: @row computes one of @n elements @x to @to. */
#define LOOP(name, row)                                                       \
	LOOPS_CLONES static void name(void *state, size_t part, size_t parts) \
	{                                                                     \
		const struct work *w = state;                                 \
		const size_t end = w->rows * (part + 1) / parts;              \
		const size_t n = w->length;                                   \
		static _Thread_local float held[LONGEST];                     \
                                                                              \
		for (size_t i = w->rows * part / parts; i < end; i++) {       \
			const float *x = w->x + i * n;                        \
			float *restrict to = w->out + i * n;                  \
                                                                              \
			(void)held;                                           \
			row                                                   \
		}                                                             \
	}
LOOP(loop_softmax, {
	const float s = row_exp(x, n, row_max(x, n), held);

	STORE(w, to, n, held[j] / s)
})
LOOP(loop_norm, {
	const float m = row_sum(x, n) / (float)n;
	const float v = row_squares(x, n, m) / (float)n;
	const float s = sqrtf(v + 0.125f);

	STORE(w, to, n, (x[j] - m) / s)
})
LOOP(loop_length, {
	const float s = sqrtf(row_squares(x, n, 0));

	STORE(w, to, n, x[j] / s)
})

/* --- Rows ----------------------------------------------------------------- */

static const struct form {
	const char *name, *text;
	bench_team_job loop;
} forms[] = {
	{ "softmax",
	  "e = exp(x - max(x, axis=-1, keepdims=True));"
	  "e / sum(e, axis=-1, keepdims=True)",
	  loop_softmax },
	{ "norm",
	  "d = x - mean(x, axis=-1, keepdims=True);"
	  "d / sqrt(mean(d*d, axis=-1, keepdims=True) + 0.125)",
	  loop_norm },
	{ "length", "x / sqrt(sum(x*x, axis=-1, keepdims=True))", loop_length },
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

enum { PLAIN, PAST_CACHES, EXPRESSION, SIDES };

struct bench_rows {
	struct bench_team *team;
	dpr_array *x, *out;
	float *values;
	struct work work;
	int rounds;
	double quantile, time[SIDES][MAX_ROUNDS];
};

/* Run side @side once. */
static dpr_status run_side(struct bench_rows *b, const struct form *form,
			   const dpr_expression *expression, int side,
			   double *seconds)
{
	const dpr_binding binding = { "x", dpr_operand_array(b->x) };
	const double begin = seconds_now();
	dpr_status status = DPR_OK;

	b->work.past_caches = side == PAST_CACHES;
	if (side < EXPRESSION)
		bench_team_run(b->team, form->loop, &b->work);
	else
		status = dpr_expression_apply_into(expression, &binding, 1,
						   &b->out, 1);
	if (!status)
		status = dpr_queue_wait(dpr_array_queue(b->out));
	*seconds = seconds_now() - begin;
	return status;
}

/* Compare the expression's values with the loop's. */
static dpr_status check(const struct bench_rows *b, const struct form *form)
{
	const size_t n = b->work.rows * b->work.length;
	const dpr_status status = dpr_array_to_memory(
		b->out, b->values, dpr_array_nbytes(b->out), NULL);

	for (size_t i = 0; !status && i < n; i++)
		if (!(fabsf(b->values[i] - b->work.out[i]) <=
		      1e-4f * fabsf(b->work.out[i]) + 1e-6f)) {
			fprintf(stderr, "rows: %s: element %zu is %g, not %g\n",
				form->name, i, (double)b->values[i],
				(double)b->work.out[i]);
			exit(1);
		}
	return status;
}

static dpr_status run_form(struct bench_rows *b, const struct form *form)
{
	double at[SIDES], loop;
	dpr_expression *expression;
	dpr_status status = dpr_expression_create(form->text, &expression);

	/* The first two rounds are not counted. */
	for (int i = -2; !status && i < b->rounds; i++)
		for (int side = 0; !status && side < SIDES; side++)
			status = run_side(b, form, expression, side,
					  &b->time[side][i < 0 ? 0 : i]);
	for (int side = 0; !status && side < SIDES; side++) {
		at[side] = rounds_time(b->time[side], b->rounds, b->quantile);
	}
	dpr_expression_release(expression);
	if (!status)
		status = check(b, form);
	if (status)
		return status;
	loop = at[PLAIN] < at[PAST_CACHES] ? at[PLAIN] : at[PAST_CACHES];
	printf("%-8s %7zu %8.2f %10.2f ms %8.2f\n", form->name, b->work.length,
	       loop * 1e3, at[EXPRESSION] * 1e3, loop / at[EXPRESSION]);
	return DPR_OK;
}

/* Give the arrays rows of @length elements. */
static dpr_status run_length(struct bench_rows *b, size_t n, size_t length)
{
	const int64_t shape[] = { (int64_t)(n / length), (int64_t)length };
	dpr_array *x = b->x, *out = b->out;
	dpr_status status;

	b->work.rows = n / length;
	b->work.length = length;
	status = dpr_reshape(x, dpr_shape_of(2, shape), &b->x);
	if (!status)
		status = dpr_reshape(out, dpr_shape_of(2, shape), &b->out);
	for (size_t i = 0; !status && i < FORMS; i++)
		status = run_form(b, &forms[i]);
	dpr_array_release(b->x);
	dpr_array_release(b->out);
	b->x = x;
	b->out = out;
	return status;
}

static dpr_status make_operands(struct bench_rows *b, dpr_queue *queue,
				size_t n)
{
	float *x = aligned_alloc(64, n * sizeof(float));
	dpr_status status;

	b->work.x = x;
	b->work.out = aligned_alloc(64, n * sizeof(float));
	b->values = malloc(n * sizeof(float));
	if (!x || !b->work.out || !b->values)
		return DPR_ERROR_OUT_OF_MEMORY;
	for (size_t i = 0; i < n; i++)
		x[i] = (float)(i * 7 % 1021) * 0.01f;
	memset(b->work.out, 0, n * sizeof(float));
	status = dpr_array_from_memory(x, DPR_SHAPE((int64_t)n), NULL,
				       DPR_FLOAT32, queue, &b->x);
	return status ? status
		      : dpr_zeros(DPR_SHAPE((int64_t)n), DPR_FLOAT32, queue,
				  &b->out);
}

static void release_operands(struct bench_rows *b)
{
	dpr_array_release(b->x);
	dpr_array_release(b->out);
	free((void *)b->work.x);
	free(b->work.out);
	free(b->values);
	bench_team_free(b->team);
}

int rows_main(int argc, char **argv)
{
	static struct bench_rows b;
	struct rounds_choice choice = { .selector = "host" };
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct message message = MESSAGE_NONE;
	dpr_queue *queue;
	dpr_status status;

	if (!rounds_choose(argc, argv, "rows", LONGEST, MAX_ROUNDS, &choice))
		return 2;
	b.rounds = choice.rounds;
	b.quantile = choice.quantile;
	b.team = bench_team_new((unsigned)cpus, &message);
	if (!b.team) {
		fprintf(stderr, "rows: %s\n", message_text(&message));
		return 1;
	}
	status = dpr_canonical_queue(choice.selector, &queue);
	if (!status)
		status = make_operands(&b, queue, choice.numbers);
	printf("%-8s %7s %8s %10s\n", "", "length", "loop", "expression");
	for (size_t i = 0; !status && i < LENGTHS; i++)
		status = run_length(&b, choice.numbers, (size_t)lengths[i]);
	if (status)
		fprintf(stderr, "rows: %s\n", dpr_last_error());
	message_clear(&message);
	release_operands(&b);
	return status != DPR_OK;
}
