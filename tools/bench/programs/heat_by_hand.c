/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heat_by_hand.c - a step of heat on a grid as one expression, beside a loop in
 * C by a thread per CPU and, where the device takes it, a kernel in OpenCL C,
 * in turns, so that other load of the machine affects all of them.
 *
 * usage: measure heat_by_hand [SELECTOR [MEGABYTES [ROUNDS [QUANTILE]]]]
 *
 * Prints the times of a step on a square grid of float32 that has so many
 * megabytes, and the times of the loop and the kernel divided by that of the
 * expression: the medians, or at another quantile, such as 0.1 on a machine
 * with other load.  By default: host, 64 MB, 21 rounds, 0.5.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <dpr/dpr.h>

#include "tools/bench/bench_team.h"
#include "tools/bench/programs/loops.h"
#include "tools/bench/programs/measure.h"
#include "tools/bench/programs/rounds.h"
#include "tools/shared/seconds.h"

enum { MAX_ROUNDS = 1000 };

enum side { LOOP, KERNEL, EXPRESSION, SIDES };

static const char text[] =
	"u[1:-1,1:-1] + k*(u[2:,1:-1] + u[:-2,1:-1] + u[1:-1,2:] "
	"+ u[1:-1,:-2] - 4*u[1:-1,1:-1])";

static const char source[] =
	"kernel void heat(global const float *restrict u,\n"
	"	global float *restrict out, float k, ulong n)\n"
	"{\n"
	"	const size_t i = (get_global_id(1) + 1) * n +\n"
	"		get_global_id(0) + 1;\n"
	"	out[i] = u[i] + k*(u[i + n] + u[i - n] + u[i + 1] + u[i - 1]\n"
	"		- 4*u[i]);\n"
	"}\n";

struct heat {
	struct bench_team *team;
	float *u, *out; /* of the loop */
	uint64_t n;     /* the side of the grid */
	dpr_array *grid, *other, *inside;
	dpr_kernel *kernel; /* NULL: the device takes no OpenCL C */
	dpr_expression *expression;
	double time[SIDES][MAX_ROUNDS];
};

/* Compute a part of the rows. */
LOOPS_CLONES static void loop(void *state, size_t part, size_t parts)
{
	const struct heat *h = state;
	const size_t n = h->n, rows = n - 2;
	const size_t end = rows * (part + 1) / parts;

	for (size_t row = rows * part / parts; row < end; row++) {
		const float *u = h->u + (row + 1) * n;
		float *restrict out = h->out + (row + 1) * n;

		for (size_t i = 1; i < n - 1; i++)
			out[i] = u[i] + 0.1f * (u[i + n] + u[i - (ptrdiff_t)n] +
						u[i + 1] + u[i - 1] - 4 * u[i]);
	}
}

static dpr_status run_expression(const struct heat *h)
{
	const dpr_binding bindings[] = { { "u", DPR_OPERAND(h->grid) },
					 { "k", DPR_OPERAND(0.1f) } };

	return dpr_expression_apply_into(h->expression, bindings, 2, &h->inside,
					 1);
}

static dpr_status run_kernel(const struct heat *h)
{
	const float k = 0.1f;
	const dpr_array *u = h->grid;

	return dpr_kernel_launch(dpr_array_queue(u), h->kernel,
				 DPR_RANGE2(h->n - 2, h->n - 2), NULL, NULL,
				 DPR_ARG(u), DPR_ARG(h->other), DPR_ARG(k),
				 DPR_ARG(h->n));
}

static dpr_status run_side(struct heat *h, enum side side, double *seconds)
{
	const double begin = seconds_now();
	dpr_status status = DPR_OK;

	if (side == LOOP)
		bench_team_run(h->team, loop, h);
	else
		status = side == KERNEL ? run_kernel(h) : run_expression(h);
	if (!status && side != LOOP)
		status = dpr_queue_wait(dpr_array_queue(h->grid));
	*seconds = seconds_now() - begin;
	return status;
}

static dpr_status run_rounds(struct heat *h, const struct rounds_choice *choice)
{
	double at[SIDES] = { 0 };
	dpr_status status = DPR_OK;

	/* The first two rounds are not counted. */
	for (int i = -2; !status && i < choice->rounds; i++)
		for (int side = 0; !status && side < SIDES; side++)
			if (side != KERNEL || h->kernel)
				status =
					run_side(h, (enum side)side,
						 &h->time[side][i < 0 ? 0 : i]);
	if (status)
		return status;
	for (int side = 0; side < SIDES; side++)
		at[side] = rounds_time(h->time[side], choice->rounds,
				       choice->quantile);
	printf("loop %.2f ms, expression %.2f ms: loop/expression %.2f\n",
	       at[LOOP] * 1e3, at[EXPRESSION] * 1e3, at[LOOP] / at[EXPRESSION]);
	if (h->kernel)
		printf("kernel %.2f ms: kernel/expression %.2f\n",
		       at[KERNEL] * 1e3, at[KERNEL] / at[EXPRESSION]);
	return DPR_OK;
}

static dpr_status make_kernel(dpr_queue *queue, dpr_kernel **out)
{
	const dpr_image image = { "opencl-c", NULL, source,
				  sizeof(source) - 1 };
	dpr_program *program = NULL;
	dpr_status status = dpr_program_build(queue, &image, 1, NULL, &program);

	if (!status)
		status = dpr_kernel_create(program, "heat", out);
	dpr_program_release(program);
	return status == DPR_ERROR_UNSUPPORTED ? DPR_OK : status;
}

static dpr_status make_grids(struct heat *h, const char *selector)
{
	const dpr_shape shape = DPR_SHAPE((int64_t)h->n, (int64_t)h->n);
	dpr_queue *queue;
	dpr_status status = dpr_canonical_queue(selector, &queue);

	h->u = malloc(h->n * h->n * sizeof(float));
	h->out = calloc(h->n * h->n, sizeof(float));
	if (!h->u || !h->out)
		return DPR_ERROR_OUT_OF_MEMORY;
	for (size_t i = 0; i < h->n * h->n; i++)
		h->u[i] = (float)(i * 7 % 1021) * 0.01f;
	if (!status)
		status = dpr_array_from_memory(h->u, shape, NULL, DPR_FLOAT32,
					       queue, &h->grid);
	if (!status)
		status = dpr_copy(h->grid, &h->other);
	if (!status)
		status = dpr_array_view(h->other, &h->inside,
					DPR_SLICE(1, -1, 1),
					DPR_SLICE(1, -1, 1));
	if (!status)
		status = make_kernel(queue, &h->kernel);
	return status ? status : dpr_expression_create(text, &h->expression);
}

/* Check the last results of the loop and of the expression. */
static dpr_status check(struct heat *h)
{
	dpr_status status = dpr_array_to_memory(
		h->other, h->u, h->n * h->n * sizeof(float), NULL);
	double most = 0;

	for (size_t i = 1; !status && i < h->n - 1; i++)
		for (size_t j = 1; j < h->n - 1; j++)
			most = fmax(most, fabs((double)h->u[i * h->n + j] -
					       (double)h->out[i * h->n + j]));
	if (!status)
		printf("the largest difference is %g\n", most);
	return status;
}

static void release(struct heat *h)
{
	dpr_expression_release(h->expression);
	dpr_kernel_release(h->kernel);
	dpr_array_release(h->inside);
	dpr_array_release(h->other);
	dpr_array_release(h->grid);
	free(h->u);
	free(h->out);
	bench_team_free(h->team);
}

int heat_by_hand_main(int argc, char **argv)
{
	static struct heat h;
	struct rounds_choice choice = { .selector = "host" };
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct message message = MESSAGE_NONE;
	dpr_status status;

	if (!rounds_choose(argc, argv, "heat_by_hand", 1, MAX_ROUNDS, &choice))
		return 2;
	h.n = (uint64_t)sqrt((double)choice.numbers);
	h.team = bench_team_new((unsigned)cpus, &message);
	if (!h.team) {
		fprintf(stderr, "heat_by_hand: %s\n", message_text(&message));
		return 1;
	}
	status = make_grids(&h, choice.selector);
	if (!status)
		status = run_rounds(&h, &choice);
	if (!status)
		status = check(&h);
	if (status)
		fprintf(stderr, "heat_by_hand: %s\n", dpr_last_error());
	message_clear(&message);
	release(&h);
	return status != DPR_OK;
}
