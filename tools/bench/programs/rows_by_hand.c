/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows_by_hand.c - expressions that reduce rows in their middle, on an OpenCL
 * device, beside kernels that a programmer would write for rows of a known
 * length.  The two run in turns, so that other load of the machine affects
 * both.
 *
 * usage: measure rows_by_hand [SELECTOR [MEGABYTES [ROUNDS [QUANTILE]]]]
 *
 * Prints for each expression of float32 rows of several lengths, of so many
 * megabytes together: which kernel is the fastest, its time, the time of the
 * expression, and the first time divided by the second.  Times are medians, or
 * another quantile, such as 0.1 on a machine with other load.  By default:
 * opencl:cpu, 64 MB, 21 rounds, 0.5.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <dpr/dpr.h>

#include "tools/bench/programs/measure.h"
#include "tools/bench/programs/rounds.h"
#include "tools/shared/seconds.h"

enum { MAX_ROUNDS = 1000, TRIES = 5, ITEM = 16384, LONGEST = 65536 };

static const int lengths[] = { 64, 512, 4096, LONGEST };
#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

/* The macro BODY computes the row x of vectors, or elements, T to `to`: N of
   them.  REDUCE combines values, in four accumulators. */
static const struct form {
	const char *name, *text, *body;
} forms[] = {
	{ "softmax",
	  "e = exp(x - max(x, axis=-1, keepdims=True));"
	  "e / sum(e, axis=-1, keepdims=True)",
	  "#define BODY(T, W, N, STORE) \\\n"
	  "	T held[N]; \\\n"
	  "	REDUCE(m, T, W, N, max, x[i]) \\\n"
	  "	REDUCE(s, T, W, N, PLUS, held[i] = exp(x[i] - m)) \\\n"
	  "	for (int i = 0; i < N; i++) \\\n"
	  "		STORE(held[i] / s, to + i);\n" },
	{ "norm",
	  "d = x - mean(x, axis=-1, keepdims=True);"
	  "d / sqrt(mean(d*d, axis=-1, keepdims=True) + 0.125)",
	  "#define BODY(T, W, N, STORE) \\\n"
	  "	REDUCE(s, T, W, N, PLUS, x[i]) \\\n"
	  "	const float m = s / LENGTH; \\\n"
	  "	REDUCE(q, T, W, N, PLUS, (x[i] - m) * (x[i] - m)) \\\n"
	  "	const float r = sqrt(q / LENGTH + 0.125f); \\\n"
	  "	for (int i = 0; i < N; i++) \\\n"
	  "		STORE((x[i] - m) / r, to + i);\n" },
	{ "length", "x / sqrt(sum(x*x, axis=-1, keepdims=True))",
	  "#define BODY(T, W, N, STORE) \\\n"
	  "	REDUCE(q, T, W, N, PLUS, x[i] * x[i]) \\\n"
	  "	const float r = sqrt(q); \\\n"
	  "	for (int i = 0; i < N; i++) \\\n"
	  "		STORE(x[i] / r, to + i);\n" },
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

/* --- Kernels ---------------------------------------------------------------
 */

/* By elements, or in vectors, with plain stores or those that go past the
   caches.  A work-item computes EACH rows. */
static const char kernels[] =
	"#define PLUS(a, b) ((a) + (b))\n"
	"#define ALL1(op, v) (v)\n"
	"#define ALL8(op, v) ALL4(op, op(v.lo, v.hi))\n"
	"#define ALL4(op, v) op(op(v.x, v.z), op(v.y, v.w))\n"
	"#define ALL16(op, v) ALL8(op, op(v.lo, v.hi))\n"
	"#define REDUCE(name, T, W, N, op, e) \\\n"
	"	float name; \\\n"
	"	{ \\\n"
	"		T part[4]; \\\n"
	"		for (int i = 0; i < 4; i++) \\\n"
	"			part[i] = e; \\\n"
	"		for (int k = 4; k < N; k += 4) \\\n"
	"			for (int i = k; i < k + 4; i++) \\\n"
	"				part[i - k] = op(part[i - k], e); \\\n"
	"		const T all = op(op(part[0], part[1]), \\\n"
	"			op(part[2], part[3])); \\\n"
	"		name = ALL##W(op, all); \\\n"
	"	}\n"
	"#define PLAIN(v, p) (*(p) = (v))\n"
	"#ifdef __has_builtin\n"
	"#if __has_builtin(__builtin_nontemporal_store)\n"
	"#define PAST(v, p) __builtin_nontemporal_store((v), (p))\n"
	"#endif\n"
	"#endif\n"
	"#ifndef PAST\n"
	"#define PAST PLAIN\n"
	"#endif\n"
	"#define ROWS(name, T, W, STORE) \\\n"
	"kernel void name(global const float *restrict in, \\\n"
	"	global float *restrict out) { \\\n"
	"	for (int k = 0; k < EACH; k++) { \\\n"
	"		const ulong at = (get_global_id(0) * EACH + k) * LENGTH; \\\n"
	"		global const T *x = (global const T *)(in + at); \\\n"
	"		global T *to = (global T *)(out + at); \\\n"
	"		BODY(T, W, (LENGTH / W), STORE) \\\n"
	"	} \\\n"
	"}\n"
	"ROWS(elements, float, 1, PLAIN)\n"
	"ROWS(vectors8, float8, 8, PLAIN)\n"
	"ROWS(vectors16, float16, 16, PLAIN)\n"
	"ROWS(past8, float8, 8, PAST)\n"
	"ROWS(past16, float16, 16, PAST)\n";
static const char *const names[] = { "elements", "vectors8", "vectors16",
				     "past8", "past16" };
#define KERNELS (sizeof(names) / sizeof(names[0]))

struct by_hand {
	dpr_queue *queue;
	dpr_array *x, *out;
	float *values[2]; /* of the expression, and of the kernel */
	struct rounds_choice choice;
	size_t n, length;
	const struct form *form;
	dpr_expression *expression;
	dpr_kernel *kernel[KERNELS];
	int best;
};

static size_t rows_each(const struct by_hand *b)
{
	return b->length < ITEM ? ITEM / b->length : 1;
}

static dpr_status make_kernels(struct by_hand *b)
{
	char source[4096];
	dpr_program *program = NULL;
	dpr_status status;

	snprintf(source, sizeof(source),
		 "#define LENGTH %zu\n#define EACH %zu\n%s%s", b->length,
		 rows_each(b), b->form->body, kernels);
	status = dpr_program_from_source(b->queue, source, NULL, &program);
	for (size_t i = 0; !status && i < KERNELS; i++)
		status = dpr_kernel_create(program, names[i], &b->kernel[i]);
	dpr_program_release(program);
	return status;
}

static void release_kernels(struct by_hand *b)
{
	for (size_t i = 0; i < KERNELS; i++) {
		dpr_kernel_release(b->kernel[i]);
		b->kernel[i] = NULL;
	}
	dpr_expression_release(b->expression);
	b->expression = NULL;
}

/* --- Rows ------------------------------------------------------------------
 */

/* Run kernel @which, or the expression if that is negative. */
static int run(void *context, int which, double *seconds)
{
	struct by_hand *b = context;
	const dpr_binding binding = { "x", dpr_operand_array(b->x) };
	const uint64_t items = b->n / b->length / rows_each(b);
	const double begin = seconds_now();
	dpr_status status;

	if (which >= 0)
		status = dpr_kernel_launch(
			b->queue, b->kernel[which],
			dpr_range_local(dpr_range1(items), 1, 1, 1), NULL, NULL,
			DPR_ARG(b->x), DPR_ARG(b->out));
	else
		status = dpr_expression_apply_into(b->expression, &binding, 1,
						   &b->out, 1);
	if (!status)
		status = dpr_queue_wait(b->queue);
	*seconds = seconds_now() - begin;
	return (int)status;
}

/* Compare the values of the expression with those of the kernel. */
static dpr_status check(struct by_hand *b)
{
	dpr_status status = DPR_OK;
	double seconds;

	for (int side = 0; !status && side < 2; side++) {
		status = (dpr_status)run(b, side ? b->best : -1, &seconds);
		if (!status)
			status = dpr_array_to_memory(b->out, b->values[side],
						     dpr_array_nbytes(b->out),
						     NULL);
	}
	for (size_t i = 0; !status && i < b->n; i++) {
		const float x = b->values[0][i], y = b->values[1][i];

		if (!(fabsf(x - y) <= 1e-4f * fabsf(y) + 1e-6f)) {
			fprintf(stderr,
				"rows_by_hand: %s: element %zu is %g, "
				"not %g\n",
				b->form->name, i, (double)x, (double)y);
			exit(1);
		}
	}
	return status;
}

static dpr_status run_form(struct by_hand *b)
{
	static double time[2][MAX_ROUNDS];
	double at[2];
	dpr_status status = make_kernels(b);
	int failed;

	if (!status)
		status = dpr_expression_create(b->form->text, &b->expression);
	failed = (int)status;
	b->best = rounds_fastest(run, b, KERNELS, TRIES, &failed);
	if (!failed)
		failed = (int)check(b);
	for (int i = 0; !failed && i < b->choice.rounds; i++)
		for (int side = 0; !failed && side < 2; side++)
			failed = run(b, side ? -1 : b->best, &time[side][i]);
	status = (dpr_status)failed;
	for (int side = 0; side < 2; side++)
		at[side] = rounds_time(time[side], b->choice.rounds,
				       b->choice.quantile);
	if (!status)
		printf("%-8s %7zu %-10s %8.2f %10.2f ms %8.2f\n", b->form->name,
		       b->length, names[b->best], at[0] * 1e3, at[1] * 1e3,
		       at[0] / at[1]);
	release_kernels(b);
	return status;
}

/* Give the arrays rows of one length. */
static dpr_status run_length(struct by_hand *b, int length)
{
	const int64_t shape[] = { (int64_t)b->n / length, length };
	dpr_array *x = b->x, *out = b->out;
	dpr_status status;

	b->length = (size_t)length;
	status = dpr_reshape(x, dpr_shape_of(2, shape), &b->x);
	if (!status)
		status = dpr_reshape(out, dpr_shape_of(2, shape), &b->out);
	for (size_t i = 0; !status && i < FORMS; i++) {
		b->form = &forms[i];
		status = run_form(b);
	}
	dpr_array_release(b->x);
	dpr_array_release(b->out);
	b->x = x;
	b->out = out;
	return status;
}

static dpr_status make_operands(struct by_hand *b)
{
	dpr_status status;

	for (int side = 0; side < 2; side++)
		if (!(b->values[side] = malloc(b->n * sizeof(float))))
			return DPR_ERROR_OUT_OF_MEMORY;
	for (size_t i = 0; i < b->n; i++)
		b->values[0][i] = (float)(i * 7 % 1021) * 0.01f;
	status = dpr_array_from_memory(b->values[0], DPR_SHAPE((int64_t)b->n),
				       NULL, DPR_FLOAT32, b->queue, &b->x);
	return status ? status
		      : dpr_zeros(DPR_SHAPE((int64_t)b->n), DPR_FLOAT32,
				  b->queue, &b->out);
}

static void release_operands(struct by_hand *b)
{
	dpr_array_release(b->x);
	dpr_array_release(b->out);
	free(b->values[0]);
	free(b->values[1]);
}

int rows_by_hand_main(int argc, char **argv)
{
	static struct by_hand b;
	dpr_status status;

	b.choice.selector = "opencl:cpu";
	/* Whole work-items of rows of each length. */
	if (!rounds_choose(argc, argv, "rows_by_hand", LONGEST, MAX_ROUNDS,
			   &b.choice))
		return 2;
	b.n = b.choice.numbers;
	status = dpr_canonical_queue(b.choice.selector, &b.queue);
	if (!status)
		status = make_operands(&b);
	printf("%-8s %7s %-10s %8s %13s %8s\n", "", "length", "by hand", "",
	       "expression", "ratio");
	for (size_t i = 0; !status && i < LENGTHS; i++)
		status = run_length(&b, lengths[i]);
	if (status)
		fprintf(stderr, "rows_by_hand: %s\n", dpr_last_error());
	release_operands(&b);
	return status != DPR_OK;
}
