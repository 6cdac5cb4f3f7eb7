/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector_functions.c - functions of float32 on the CPU beside those of glibc's
 * libmvec, called by a loop in each of as many threads as there are CPUs, in
 * turns.
 *
 * usage: measure vector_functions [SELECTOR [MEGABYTES [ROUNDS]]]
 *
 * Prints for each function the medians of the times of libmvec (the faster one
 * of plain stores and of stores past the caches) and of dpr, and the first
 * divided by the second.  By default: host, arrays of 64 MB, 21 rounds. Without
 * libmvec or AVX2, says so and exits with 77.
 */
#include <stdio.h>

#if defined(__x86_64__) && defined(__gnu_linux__)

#include <dlfcn.h>
#include <immintrin.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include <dpr/dpr.h>

#include "tools/bench/bench_team.h"
#include "tools/bench/programs/measure.h"
#include "tools/bench/programs/rounds.h"
#include "tools/shared/seconds.h"

enum { MAX_ROUNDS = 1000, LINE = 16 };

typedef __m256 (*vector_function)(__m256);

/* libmvec names its functions by instruction set, width and parameters. */
#define PREFIX "_ZGVdN8v_"

/* What a loop works on. */
struct work {
	float *x, *out;
	size_t n;
	vector_function function;
	bool past_caches;
};

__attribute__((target("avx2"))) static void loop(void *state, size_t part,
						 size_t parts)
{
	const struct work *w = state;
	const size_t end = w->n / LINE * (part + 1) / parts * LINE;
	size_t i = w->n / LINE * part / parts * LINE;

	for (; i < end; i += 8) {
		const __m256 y = w->function(_mm256_load_ps(w->x + i));

		if (w->past_caches)
			_mm256_stream_ps(w->out + i, y);
		else
			_mm256_store_ps(w->out + i, y);
	}
}

/* The operand is scale * x + shift, for x from 0.01 to 10.2. */
static const struct row {
	const char *text, *symbol;
	dpr_status (*ours)(dpr_operand x, dpr_array *out);
	float (*reference)(float x);
	float scale, shift;
} rows[] = {
	{ "acos", PREFIX "acosf", dpr_acos_into, acosf, 0.095f, 0 },
	{ "acosh", PREFIX "acoshf", dpr_acosh_into, acoshf, 1.0f, 1 },
	{ "asin", PREFIX "asinf", dpr_asin_into, asinf, 0.095f, 0 },
	{ "asinh", PREFIX "asinhf", dpr_asinh_into, asinhf, 1.0f, 0 },
	{ "atan", PREFIX "atanf", dpr_atan_into, atanf, 1.0f, 0 },
	{ "atanh", PREFIX "atanhf", dpr_atanh_into, atanhf, 0.095f, 0 },
	{ "cbrt", PREFIX "cbrtf", dpr_cbrt_into, cbrtf, 1.0f, 0 },
	{ "cos", PREFIX "cosf", dpr_cos_into, cosf, 1.0f, 0 },
	{ "cosh", PREFIX "coshf", dpr_cosh_into, coshf, 1.0f, 0 },
	{ "erf", PREFIX "erff", dpr_erf_into, erff, 0.4f, 0 },
	{ "erfc", PREFIX "erfcf", dpr_erfc_into, erfcf, 0.8f, 0 },
	{ "exp", PREFIX "expf", dpr_exp_into, expf, 1.0f, 0 },
	{ "exp2", PREFIX "exp2f", dpr_exp2_into, exp2f, 1.0f, 0 },
	{ "expm1", PREFIX "expm1f", dpr_expm1_into, expm1f, 1.0f, 0 },
	{ "log", PREFIX "logf", dpr_log_into, logf, 1.0f, 0 },
	{ "log10", PREFIX "log10f", dpr_log10_into, log10f, 1.0f, 0 },
	{ "log1p", PREFIX "log1pf", dpr_log1p_into, log1pf, 1.0f, 0 },
	{ "log2", PREFIX "log2f", dpr_log2_into, log2f, 1.0f, 0 },
	{ "sin", PREFIX "sinf", dpr_sin_into, sinf, 1.0f, 0 },
	{ "sinh", PREFIX "sinhf", dpr_sinh_into, sinhf, 1.0f, 0 },
	{ "tan", PREFIX "tanf", dpr_tan_into, tanf, 1.0f, 0 },
	{ "tanh", PREFIX "tanhf", dpr_tanh_into, tanhf, 1.0f, 0 },
};

struct compared {
	struct bench_team *team;
	struct work work;
	dpr_queue *queue;
	dpr_array *x, *out;
	int rounds;
	double time[3][MAX_ROUNDS]; /* loop, loop past the caches, ours */
};

static dpr_status run_side(struct compared *c, const struct row *row, int side,
			   double *seconds)
{
	const double begin = seconds_now();
	dpr_status status = DPR_OK;

	c->work.past_caches = side == 1;
	if (side < 2)
		bench_team_run(c->team, loop, &c->work);
	else
		status = row->ours(dpr_operand_array(c->x), c->out);
	if (!status && side == 2)
		status = dpr_queue_wait(dpr_array_queue(c->out));
	*seconds = seconds_now() - begin;
	return status;
}

/* Whether both sides are close to the C library. */
static bool is_right(const struct compared *c, const struct row *row)
{
	float value = 0;
	bool right = true;

	for (size_t i = 0; right && i < c->work.n; i += c->work.n / 97) {
		const float expected = row->reference(c->work.x[i]);
		const float most = 1e-5f * (fabsf(expected) + 0.01f);

		right = !dpr_usm_read(dpr_array_queue(c->out), &value,
				      dpr_array_usm(c->out), i * sizeof(value),
				      sizeof(value), NULL, NULL) &&
			fabsf(value - expected) <= most &&
			fabsf(c->work.out[i] - expected) <= most;
	}
	return right;
}

static dpr_status make_operand(struct compared *c, const struct row *row)
{
	const struct work *w = &c->work;

	for (size_t i = 0; i < w->n; i++)
		w->x[i] = ((float)(i * 7 % 1021) * 0.01f + 0.01f) * row->scale +
			  row->shift;
	dpr_array_release(c->x);
	c->x = NULL;
	return dpr_array_from_memory(w->x, DPR_SHAPE((int64_t)w->n), NULL,
				     DPR_FLOAT32, c->queue, &c->x);
}

static dpr_status run_row(struct compared *c, const struct row *row)
{
	dpr_status status = make_operand(c, row);
	double at[3], theirs;

	/* The first two rounds are not counted. */
	for (int i = -2; !status && i < c->rounds; i++)
		for (int side = 0; !status && side < 3; side++)
			status = run_side(c, row, side,
					  &c->time[side][i < 0 ? 0 : i]);
	if (status)
		return status;
	for (int side = 0; side < 3; side++) {
		at[side] = rounds_time(c->time[side], c->rounds, 0.5);
	}
	theirs = at[0] < at[1] ? at[0] : at[1];
	printf("%-6s %10.2f %8.2f ms %8.2f%s\n", row->text, theirs * 1e3,
	       at[2] * 1e3, theirs / at[2], is_right(c, row) ? "" : "  WRONG");
	return DPR_OK;
}

static dpr_status make_memory(struct compared *c, dpr_queue *queue, size_t n)
{
	c->queue = queue;
	c->work.x = aligned_alloc(64, n * sizeof(float));
	c->work.out = aligned_alloc(64, n * sizeof(float));
	c->work.n = n;
	if (!c->work.x || !c->work.out)
		return DPR_ERROR_OUT_OF_MEMORY;
	return dpr_empty(DPR_SHAPE((int64_t)n), DPR_FLOAT32, queue, &c->out);
}

static void release_operands(struct compared *c)
{
	dpr_array_release(c->x);
	dpr_array_release(c->out);
	free(c->work.x);
	free(c->work.out);
	bench_team_free(c->team);
}

static dpr_status run_rows(struct compared *c, void *library)
{
	dpr_status status = DPR_OK;

	printf("%-6s %10s %8s %11s\n", "", "libmvec", "dpr", "ratio");
	for (size_t i = 0; !status && i < sizeof(rows) / sizeof(rows[0]); i++) {
		c->work.function =
			(vector_function)dlsym(library, rows[i].symbol);
		if (c->work.function)
			status = run_row(c, &rows[i]);
		else
			printf("%-6s this libmvec does not have it\n",
			       rows[i].text);
	}
	return status;
}

int vector_functions_main(int argc, char **argv)
{
	static struct compared c;
	void *library = dlopen("libmvec.so.1", RTLD_NOW);
	const size_t megabytes =
		argc > 2 ? strtoul(argv[2], NULL, 10) : (size_t)64;
	struct message message = MESSAGE_NONE;
	dpr_queue *queue;
	dpr_status status;

	c.rounds = argc > 3 ? atoi(argv[3]) : 21;
	if (!megabytes || c.rounds < 1 || c.rounds > MAX_ROUNDS) {
		fprintf(stderr,
			"usage: measure vector_functions [SELECTOR [MEGABYTES "
			"[ROUNDS]]]\n");
		return 2;
	}
	if (!library || !__builtin_cpu_supports("avx2")) {
		printf("vector_functions: there is no libmvec, or no AVX2\n");
		return 77;
	}
	c.team = bench_team_new((unsigned)sysconf(_SC_NPROCESSORS_ONLN),
				&message);
	if (!c.team) {
		fprintf(stderr, "vector_functions: %s\n",
			message_text(&message));
		return 1;
	}
	status = dpr_canonical_queue(argc > 1 ? argv[1] : "host", &queue);
	if (!status)
		status = make_memory(&c, queue,
				     megabytes * 1000000 / 4 / LINE * LINE);
	if (!status)
		status = run_rows(&c, library);
	if (status)
		fprintf(stderr, "vector_functions: %s\n", dpr_last_error());
	message_clear(&message);
	release_operands(&c);
	return status != DPR_OK;
}

#else

int vector_functions_main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("vector_functions: libmvec is on x86-64 with glibc only\n");
	return 77;
}

#endif
