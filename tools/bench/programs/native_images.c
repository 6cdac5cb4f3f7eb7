/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_images.c - a program's own kernels as native images (dpr/native.h),
 * beside loops in C with OpenMP over the same memory, in turns, so that other
 * load of the machine affects both.
 *
 * usage: measure native_images [SELECTOR [MEGABYTES [ROUNDS [QUANTILE]]]]
 *
 * Prints for each kernel, on arrays of so many megabytes of float32, the times
 * of the loop and of the launch with the wait for it, and the first divided by
 * the second: the medians, or at another quantile, such as 0.1 on a machine
 * with other load.  By default: host, 64 MB, 21 rounds, 0.5.  The device must
 * be a CPU that takes native images, with memory that has an address.
 *
 * Compile with -O3: gcc vectorises both sides only then.  Set
 * OMP_WAIT_POLICY=passive: threads of OpenMP otherwise look for work for a few
 * milliseconds after each loop, and so take CPUs from the launches.
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <dpr/dpr.h>

#include "tools/bench/programs/measure.h"
#include "tools/bench/programs/rounds.h"
#include "tools/shared/seconds.h"

/* An image has lines of PITCH pixels; WIDTH of them, between two at the edges,
   are blurred, in groups of GROUP. */
enum {
	MAX_ROUNDS = 1000,
	WIDTH = 4096,
	PITCH = WIDTH + 2,
	LINES = 8,
	GROUP = 4096
};

/* --- Kernels -------------------------------------------------------------- */

static inline void axpy(dpr_native_item at, float a, const float *x, float *y)
{
	const uint64_t i = at.global_id[0];

	y[i] += a * x[i];
}
DPR_NATIVE_ITEMS(axpy_kernel, axpy, DPR_NATIVE_VALUE(float),
		 DPR_NATIVE_POINTER(const float), DPR_NATIVE_POINTER(float))

/* For padded ranges. */
static inline void axpy_within(dpr_native_group at, float a, const float *x,
			       float *y, uint64_t n)
{
	uint64_t i, end = at.first[0] + at.local_size[0];

	if (end > n)
		end = n;
	for (i = at.first[0]; i < end; i++)
		y[i] += a * x[i];
}
DPR_NATIVE_GROUPS(within_kernel, axpy_within, DPR_NATIVE_VALUE(float),
		  DPR_NATIVE_POINTER(const float), DPR_NATIVE_POINTER(float),
		  DPR_NATIVE_VALUE(uint64_t))

/* The mean of 3 x 3 pixels, the first of them at @p, of lines of PITCH. */
static inline float mean(const float *p)
{
	const float *q = p + PITCH, *r = q + PITCH;

	return (p[0] + p[1] + p[2] + q[0] + q[1] + q[2] + r[0] + r[1] + r[2]) *
	       (1.0f / 9);
}

/* The range leaves out the edges. */
static inline void blur(dpr_native_item at, const float *x, float *y)
{
	const uint64_t i = at.global_id[1] * PITCH + at.global_id[0];

	y[i + PITCH + 1] = mean(x + i);
}
DPR_NATIVE_ITEMS(blur_kernel, blur, DPR_NATIVE_POINTER(const float),
		 DPR_NATIVE_POINTER(float))

static const dpr_native_kernel kernels[] = {
	DPR_NATIVE_ENTRY("axpy", axpy_kernel),
	DPR_NATIVE_ENTRY("axpy_within", within_kernel),
	DPR_NATIVE_ENTRY("blur", blur_kernel),
};
static const dpr_native_module module = DPR_NATIVE_MODULE(kernels);

/* --- Loops ---------------------------------------------------------------- */

static void loop_axpy(float a, const float *restrict x, float *restrict y,
		      uint64_t n)
{
#pragma omp parallel for simd schedule(static)
	for (uint64_t i = 0; i < n; i++)
		y[i] += a * x[i];
}

static void loop_blur(const float *restrict x, float *restrict y,
		      uint64_t lines)
{
#pragma omp parallel for schedule(static)
	for (uint64_t j = 0; j < lines; j++)
#pragma omp simd
		for (uint64_t i = 0; i < WIDTH; i++)
			y[(j + 1) * PITCH + i + 1] = mean(x + j * PITCH + i);
}

/* --- Rows ----------------------------------------------------------------- */

struct state {
	dpr_queue *queue;
	dpr_kernel *kernel[3]; /* in the order of `kernels` */
	dpr_array *x, *y;
	const float *in; /* the memory of x and y */
	float *out;
	uint64_t n; /* floats of each */
};

static const struct row {
	const char *text;
	int kernel;
	uint64_t local; /* 0: dpr chooses */
	uint64_t less;  /* so many floats fewer than there are */
} rows[] = {
	{ "axpy", 0, 0, 0 },
	{ "axpy, groups of 4096", 0, GROUP, 0 },
	{ "axpy, padded", 1, 0, 11 },
	{ "blur", 2, 0, 0 },
};

/* The lines that are blurred: a multiple of LINES. */
static uint64_t lines_of(const struct state *s)
{
	return (s->n / PITCH - 2) / LINES * LINES;
}

static void run_loop(const struct state *s, const struct row *row)
{
	if (row->kernel == 2)
		loop_blur(s->in, s->out, lines_of(s));
	else
		loop_axpy(0.5f, s->in, s->out, s->n - row->less);
}

static dpr_status run_launch(const struct state *s, const struct row *row)
{
	const uint64_t n = s->n - row->less;
	const dpr_arg axpy[] = { DPR_ARG(0.5f), dpr_arg_array_r(s->x),
				 DPR_ARG(s->y), DPR_ARG(n) };
	const dpr_arg *args = axpy;
	dpr_range range = DPR_RANGE1(n);
	size_t n_args = 3;
	dpr_status status;

	if (row->kernel == 1) {
		range = dpr_range_padded(range);
		n_args = 4;
	} else if (row->kernel == 2) {
		range = DPR_RANGE2(WIDTH, lines_of(s));
		args = &axpy[1];
		n_args = 2;
	}
	if (row->local)
		range = dpr_range_local(range, row->local, 1, 1);
	status = dpr_kernel_launch_args(s->queue, s->kernel[row->kernel], range,
					NULL, NULL, args, n_args);
	return status ? status : dpr_queue_wait(s->queue);
}

static dpr_status run_row(const struct state *s, const struct row *row,
			  const struct rounds_choice *choice)
{
	static double time[2][MAX_ROUNDS];
	dpr_status status = DPR_OK;
	double begin, at[2];

	/* The first two rounds are not counted. */
	for (int i = -2; !status && i < choice->rounds; i++)
		for (int side = 0; !status && side < 2; side++) {
			begin = seconds_now();
			if (side)
				status = run_launch(s, row);
			else
				run_loop(s, row);
			time[side][i < 0 ? 0 : i] = seconds_now() - begin;
		}
	for (int side = 0; side < 2; side++)
		at[side] = rounds_time(time[side], choice->rounds,
				       choice->quantile);
	if (!status)
		printf("%-22s %8.2f %8.2f ms %8.2f\n", row->text, at[0] * 1e3,
		       at[1] * 1e3, at[0] / at[1]);
	return status;
}

/* --- Start ---------------------------------------------------------------- */

static dpr_status make_kernels(struct state *s)
{
	const dpr_image image = DPR_NATIVE_IMAGE(module);
	dpr_program *program = NULL;
	dpr_status status =
		dpr_program_build(s->queue, &image, 1, NULL, &program);

	for (int i = 0; !status && i < 3; i++)
		status = dpr_kernel_create(program, kernels[i].name,
					   &s->kernel[i]);
	dpr_program_release(program);
	return status;
}

static dpr_status make_arrays(struct state *s)
{
	const dpr_shape shape = DPR_SHAPE((int64_t)s->n);
	dpr_status status = dpr_full(shape, 1.5, DPR_FLOAT32, s->queue, &s->x);

	if (!status)
		status = dpr_full(shape, 0, DPR_FLOAT32, s->queue, &s->y);
	if (!status)
		status = dpr_queue_wait(s->queue);
	if (status)
		return status;
	s->in = dpr_usm_address(dpr_array_usm(s->x));
	s->out = dpr_usm_address(dpr_array_usm(s->y));
	return DPR_OK;
}

int native_images_main(int argc, char **argv)
{
	struct rounds_choice choice = { .selector = "host" };
	struct state s = { .queue = NULL };
	int threads = 1;
	dpr_status status;

	if (!rounds_choose(argc, argv, "native_images", 4 * LINES * WIDTH,
			   MAX_ROUNDS, &choice))
		return 2;
#ifdef _OPENMP
	threads = omp_get_max_threads();
#endif
	s.n = choice.numbers;
	status = dpr_canonical_queue(choice.selector, &s.queue);
	if (!status)
		status = make_kernels(&s);
	if (!status)
		status = make_arrays(&s);
	printf("%-22s %8s %8s    %8s   (a loop of %d threads)\n", "", "loop",
	       "launch", "ratio", threads);
	for (size_t i = 0; !status && i < sizeof(rows) / sizeof(rows[0]); i++)
		status = run_row(&s, &rows[i], &choice);
	if (status)
		fprintf(stderr, "native_images: %s\n", dpr_last_error());
	for (int i = 0; i < 3; i++)
		dpr_kernel_release(s.kernel[i]);
	dpr_array_release(s.x);
	dpr_array_release(s.y);
	return status != DPR_OK;
}
