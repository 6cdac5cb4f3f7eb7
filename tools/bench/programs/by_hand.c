/* SPDX-License-Identifier: Apache-2.0 */
/*
 * by_hand.c - expressions in one call on an OpenCL device, beside kernels that
 * a programmer would write for them, in turns, so that other load of the
 * machine affects both.
 *
 * usage: measure by_hand [SELECTOR [MEGABYTES [ROUNDS [QUANTILE]]]]
 *
 * Prints a line for each expression of float32 arrays of so many megabytes
 * each: which kernel is the fastest, its time, the time of the expression, and
 * the first time divided by the second.  Times are medians, or another
 * quantile, such as 0.1 on a machine with other load.  By default: opencl:cpu,
 * 64 MB, 21 rounds, 0.5.
 */
#include <stdio.h>
#include <stdlib.h>

#include <dpr/dpr.h>

#include "tools/bench/programs/measure.h"
#include "tools/bench/programs/rounds.h"
#include "tools/shared/seconds.h"

enum { OPERANDS = 5, MAX_ROUNDS = 1000, TRIES = 5, CHUNK = 4096, PARTS = 64 };

static const char *const names[] = { "a", "b", "c", "d", "e" };

static const struct row {
	const char *text,
		*by_hand; /* what dpr gets; what the kernels compute */
	int n;
	bool is_sum;
} rows[] = {
	{ "a + b", "a + b", 2, false },
	{ "a*b + c*d - e", "a*b + c*d - e", 5, false },
	{ "sqrt(a*a + b*b)", "sqrt(a*a + b*b)", 2, false },
	{ "where(a < b, a, c*d)", "a < b ? a : c*d", 4, false },
	{ "sin(a)*exp(b)", "sin(a)*exp(b)", 2, false },
	{ "tanh(a) + log(b)", "tanh(a) + log(b)", 2, false },
	{ "tanh(a)", "tanh(a)", 1, false },
	{ "log(a)", "log(a)", 1, false },
	{ "exp(a)", "exp(a)", 1, false },
	{ "sin(a)", "sin(a)", 1, false },
	{ "sum(a*b)", "a*b", 2, true },
	{ "sum((a - b)**2)", "(a - b)*(a - b)", 2, true },
};

/* --- Kernels ---------------------------------------------------------------
 */

#define PARAMETERS                                                       \
	"global const float *restrict x0, global const float *restrict " \
	"x1, global const float *restrict x2, global const float "       \
	"*restrict x3, global const float *restrict x4, global float "   \
	"*restrict out, ulong n"

/* A work-item computes a chunk: by elements, or in vectors, with plain stores
   or those that go past the caches. */
static const char maps[] =
	"#define AT(t, i) E(((global const t *)x0)[i], \\\n"
	"	((global const t *)x1)[i], ((global const t *)x2)[i], \\\n"
	"	((global const t *)x3)[i], ((global const t *)x4)[i])\n"
	"kernel void elements(" PARAMETERS ") {\n"
	"	const ulong at = get_global_id(0) * 4096;\n"
	"	for (ulong i = at; i < min(at + 4096, n); i++)\n"
	"		out[i] = AT(float, i);\n"
	"}\n"
	"#define VECTORS(name, t, w, STORE) \\\n"
	"kernel void name(" PARAMETERS ") { \\\n"
	"	const ulong at = get_global_id(0) * 4096 / w; \\\n"
	"	for (ulong i = at; i < min(at + 4096 / w, n / w); i++) \\\n"
	"		STORE(AT(t, i), (global t *)out + i); \\\n"
	"}\n"
	"#define PLAIN(v, p) (*(p) = (v))\n"
	"#ifdef __has_builtin\n"
	"#if __has_builtin(__builtin_nontemporal_store)\n"
	"#define PAST(v, p) __builtin_nontemporal_store((v), (p))\n"
	"#endif\n"
	"#endif\n"
	"#ifndef PAST\n"
	"#define PAST PLAIN\n"
	"#endif\n"
	"VECTORS(vectors8, float8, 8, PLAIN)\n"
	"VECTORS(vectors16, float16, 16, PLAIN)\n"
	"VECTORS(past8, float8, 8, PAST)\n"
	"VECTORS(past16, float16, 16, PAST)\n";
static const char *const map_names[] = { "elements", "vectors8", "vectors16",
					 "past8",    "past16",   NULL };

/* Each work-item adds its part, in 1, 2 or 4 vectors.  Then one work-item adds
   the sums of the parts. */
static const char sums[] =
	"#define AT(t, i) E(((global const t *)x0)[i], \\\n"
	"	((global const t *)x1)[i], 0, 0, 0)\n"
	"#define SUMS(name, count) \\\n"
	"kernel void name(" PARAMETERS ") { \\\n"
	"	const ulong each = n / 16 / get_global_size(0); \\\n"
	"	const ulong at = get_global_id(0) * each; \\\n"
	"	float16 s[count]; \\\n"
	"	for (int k = 0; k < count; k++) \\\n"
	"		s[k] = 0; \\\n"
	"	for (ulong i = at; i < at + each; i += count) \\\n"
	"		for (int k = 0; k < count; k++) \\\n"
	"			s[k] += AT(float16, i + k); \\\n"
	"	for (int k = 1; k < count; k++) \\\n"
	"		s[0] += s[k]; \\\n"
	"	const float8 u = s[0].lo + s[0].hi; \\\n"
	"	const float4 v = u.lo + u.hi; \\\n"
	"	out[1 + get_global_id(0)] = v.x + v.y + v.z + v.w; \\\n"
	"}\n"
	"SUMS(lanes16, 1) SUMS(lanes32, 2) SUMS(lanes64, 4)\n"
	"kernel void join(global float *out) {\n"
	"	float s = 0;\n"
	"	for (int i = 1; i <= 64; i++)\n"
	"		s += out[i];\n"
	"	out[0] = s;\n"
	"}\n";
static const char *const sum_names[] = { "lanes16", "lanes32", "lanes64",
					 NULL };

struct by_hand {
	dpr_queue *queue;
	dpr_array *x[OPERANDS], *out, *scalar;
	struct rounds_choice choice;
	uint64_t n;
	const struct row *row;
	dpr_expression *expression;
	dpr_kernel *kernel[8], *join;
	int best;
};

static dpr_status make_kernels(struct by_hand *b)
{
	const char *const *name = b->row->is_sum ? sum_names : map_names;
	char source[4096];
	dpr_program *program;
	dpr_status status;

	snprintf(source, sizeof(source), "#define E(a, b, c, d, e) (%s)\n%s",
		 b->row->by_hand, b->row->is_sum ? sums : maps);
	status = dpr_program_from_source(b->queue, source, NULL, &program);
	for (int i = 0; !status && name[i]; i++)
		status = dpr_kernel_create(program, name[i], &b->kernel[i]);
	if (!status && b->row->is_sum)
		status = dpr_kernel_create(program, "join", &b->join);
	dpr_program_release(program);
	return status;
}

static void release_kernels(struct by_hand *b)
{
	for (int i = 0; b->kernel[i]; i++) {
		dpr_kernel_release(b->kernel[i]);
		b->kernel[i] = NULL;
	}
	dpr_kernel_release(b->join);
	b->join = NULL;
	dpr_expression_release(b->expression);
	b->expression = NULL;
}

/* --- Rows ------------------------------------------------------------------
 */

static dpr_status run_kernel(struct by_hand *b, int which)
{
	const bool is_sum = b->row->is_sum;
	const uint64_t items = is_sum ? PARTS : (b->n + CHUNK - 1) / CHUNK;
	dpr_status status = dpr_kernel_launch(
		b->queue, b->kernel[which],
		dpr_range_local(dpr_range1(items), 1, 1, 1), NULL, NULL,
		DPR_ARG(b->x[0]), DPR_ARG(b->x[1]), DPR_ARG(b->x[2]),
		DPR_ARG(b->x[3]), DPR_ARG(b->x[4]), DPR_ARG(b->out),
		DPR_ARG(b->n));

	if (!status && is_sum)
		status = dpr_kernel_launch(b->queue, b->join, DPR_RANGE1(1),
					   NULL, NULL, DPR_ARG(b->out));
	return status;
}

static dpr_status run_expression(struct by_hand *b)
{
	dpr_array *out = b->row->is_sum ? b->scalar : b->out;
	dpr_binding bindings[OPERANDS];

	for (int k = 0; k < b->row->n; k++)
		bindings[k] =
			(dpr_binding){ names[k], dpr_operand_array(b->x[k]) };
	return dpr_expression_apply_into(b->expression, bindings,
					 (size_t)b->row->n, &out, 1);
}

/* Run kernel @which, or the expression if that is negative. */
static int run(void *context, int which, double *seconds)
{
	struct by_hand *b = context;
	const double begin = seconds_now();
	dpr_status status =
		which < 0 ? run_expression(b) : run_kernel(b, which);

	if (!status)
		status = dpr_queue_wait(b->queue);
	*seconds = seconds_now() - begin;
	return (int)status;
}

static dpr_status run_row(struct by_hand *b)
{
	static double time[2][MAX_ROUNDS];
	double at[2];
	const char *const *name = b->row->is_sum ? sum_names : map_names;
	dpr_status status = make_kernels(b);
	int n = 0, failed;

	if (!status)
		status = dpr_expression_create(b->row->text, &b->expression);
	while (b->kernel[n])
		n++;
	failed = (int)status;
	b->best = rounds_fastest(run, b, n, TRIES, &failed);
	/* The first two rounds are not counted. */
	for (int i = -2; !failed && i < b->choice.rounds; i++)
		for (int side = 0; !failed && side < 2; side++)
			failed = run(b, side ? -1 : b->best,
				     &time[side][i < 0 ? 0 : i]);
	status = (dpr_status)failed;
	for (int side = 0; side < 2; side++)
		at[side] = rounds_time(time[side], b->choice.rounds,
				       b->choice.quantile);
	if (!status)
		printf("%-22s %-10s %8.2f %10.2f ms %8.2f\n", b->row->text,
		       name[b->best], at[0] * 1e3, at[1] * 1e3, at[0] / at[1]);
	release_kernels(b);
	return status;
}

/* --- Operands --------------------------------------------------------------
 */

static dpr_status make_operands(struct by_hand *b)
{
	static const size_t steps[OPERANDS + 1] = { 7, 11, 13, 17, 19, 23 };
	float *values = malloc(b->n * sizeof(float));
	dpr_status status = values ? DPR_OK : DPR_ERROR_OUT_OF_MEMORY;

	for (int k = 0; !status && k <= OPERANDS; k++) {
		for (size_t i = 0; i < b->n; i++)
			values[i] = (float)((i * steps[k]) % 1021 + 1) * 0.01f;
		status = dpr_array_from_memory(
			values, DPR_SHAPE((int64_t)b->n), NULL, DPR_FLOAT32,
			b->queue, k < OPERANDS ? &b->x[k] : &b->out);
	}
	free(values);
	if (!status)
		status = dpr_zeros(dpr_shape_of(0, NULL), DPR_FLOAT32, b->queue,
				   &b->scalar);
	return status;
}

static void release_operands(struct by_hand *b)
{
	for (int k = 0; k < OPERANDS; k++)
		dpr_array_release(b->x[k]);
	dpr_array_release(b->out);
	dpr_array_release(b->scalar);
}

int by_hand_main(int argc, char **argv)
{
	static struct by_hand b;
	dpr_status status;

	b.choice.selector = "opencl:cpu";
	/* Whole chunks of each part of a sum. */
	if (!rounds_choose(argc, argv, "by_hand", CHUNK * PARTS, MAX_ROUNDS,
			   &b.choice))
		return 2;
	b.n = b.choice.numbers;
	status = dpr_canonical_queue(b.choice.selector, &b.queue);
	if (!status)
		status = make_operands(&b);
	printf("%-22s %-10s %8s %13s %8s\n", "", "by hand", "", "expression",
	       "ratio");
	for (size_t i = 0; !status && i < sizeof(rows) / sizeof(rows[0]); i++) {
		b.row = &rows[i];
		status = run_row(&b);
	}
	if (status)
		fprintf(stderr, "by_hand: %s\n", dpr_last_error());
	release_operands(&b);
	return status != DPR_OK;
}
