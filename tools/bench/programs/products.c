/* SPDX-License-Identifier: Apache-2.0 */
/*
 * products.c - products of matrices on the host beside cblas_sgemm() and
 * cblas_dgemm(), called by hand, in turns.
 *
 * usage: measure products [LIBRARY [ROUNDS [own]]]
 *
 * With "own", dpr's own kernel computes the products, instead of the library.
 * LIBRARY has integers of 32 bits (by default libopenblas.so.0), and should be
 * the one that "dpr doctor" shows.  Prints the medians of the times of 11
 * rounds and the first divided by the second.  Without the library, says so and
 * exits with 77.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tools/bench/programs/measure.h"
#include "tools/bench/programs/rounds.h"
#include "tools/shared/seconds.h"

enum { MAX_ROUNDS = 1000, ROW_MAJOR = 101, PLAIN = 111 };

typedef void (*sgemm)(int, int, int, int, int, int, float, const void *, int,
		      const void *, int, float, void *, int);
typedef void (*dgemm)(int, int, int, int, int, int, double, const void *, int,
		      const void *, int, double, void *, int);

struct compared {
	void *gemm;
	dpr_dtype dtype;
	int64_t batch;
	int extent;
	int rounds;
	void *memory[3]; /* of the call by hand */
	dpr_array *a, *b, *c;
	double time[2][MAX_ROUNDS]; /* by hand, ours */
};

/* Both sides compute batch products of extent x extent matrices. */
static void by_hand(const struct compared *c)
{
	const size_t step = (size_t)c->extent * (size_t)c->extent *
			    dpr_dtype_size(c->dtype);
	const int n = c->extent;

	for (size_t i = 0; i < (size_t)c->batch; i++) {
		const char *a = (const char *)c->memory[0] + i * step;
		const char *b = (const char *)c->memory[1] + i * step;
		char *to = (char *)c->memory[2] + i * step;

		if (c->dtype == DPR_FLOAT32)
			((sgemm)c->gemm)(ROW_MAJOR, PLAIN, PLAIN, n, n, n, 1, a,
					 n, b, n, 0, to, n);
		else
			((dgemm)c->gemm)(ROW_MAJOR, PLAIN, PLAIN, n, n, n, 1, a,
					 n, b, n, 0, to, n);
	}
}

static dpr_status run_side(const struct compared *c, int side, double *seconds)
{
	const double begin = seconds_now();
	dpr_status status = DPR_OK;

	if (!side) {
		by_hand(c);
	} else {
		status = dpr_matmul_into(c->a, c->b, c->c);
		if (!status)
			status = dpr_queue_wait(dpr_array_queue(c->c));
	}
	*seconds = seconds_now() - begin;
	return status;
}

static dpr_status make_operands(struct compared *c, dpr_queue *queue)
{
	const dpr_shape shape = DPR_SHAPE(c->batch, c->extent, c->extent);
	dpr_status status = dpr_ones(shape, c->dtype, queue, &c->a);

	if (!status)
		status = dpr_ones(shape, c->dtype, queue, &c->b);
	if (!status)
		status = dpr_ones(shape, c->dtype, queue, &c->c);
	for (int i = 0; !status && i < 3; i++) {
		c->memory[i] = aligned_alloc(128, dpr_array_nbytes(c->a));
		if (!c->memory[i])
			return DPR_ERROR_OUT_OF_MEMORY;
		status = dpr_array_to_memory(c->a, c->memory[i],
					     dpr_array_nbytes(c->a), NULL);
	}
	return status;
}

static void release_operands(struct compared *c)
{
	dpr_array_release(c->a);
	dpr_array_release(c->b);
	dpr_array_release(c->c);
	c->a = c->b = c->c = NULL;
	for (int i = 0; i < 3; i++) {
		free(c->memory[i]);
		c->memory[i] = NULL;
	}
}

static dpr_status run_row(struct compared *c, dpr_queue *queue)
{
	dpr_status status = make_operands(c, queue);
	double hand, ours;

	/* The first two rounds are not counted. */
	for (int i = -2; !status && i < c->rounds; i++)
		for (int side = 0; !status && side < 2; side++)
			status = run_side(c, side,
					  &c->time[side][i < 0 ? 0 : i]);
	release_operands(c);
	if (status)
		return status;
	hand = rounds_time(c->time[0], c->rounds, 0.5);
	ours = rounds_time(c->time[1], c->rounds, 0.5);
	printf("%7lld x %4d %-8s %10.2f %8.2f ms %8.3f\n", (long long)c->batch,
	       c->extent, dpr_dtype_name(c->dtype), hand * 1e3, ours * 1e3,
	       hand / ours);
	return DPR_OK;
}

int products_main(int argc, char **argv)
{
	static const struct {
		int64_t batch;
		int extent;
		dpr_dtype dtype;
	} rows[] = {
		{ 1, 1024, DPR_FLOAT32 },
		{ 1, 1024, DPR_FLOAT64 },
		{ 100000, 8, DPR_FLOAT32 },
		{ 1000, 64, DPR_FLOAT32 },
	};
	static struct compared c;
	const char *name = argc > 1 ? argv[1] : "libopenblas.so.0";
	void *library = dlopen(name, RTLD_NOW);
	dpr_status status = DPR_OK;
	dpr_queue *queue;

	c.rounds = argc > 2 ? atoi(argv[2]) : 11;
	if (c.rounds < 1 || c.rounds > MAX_ROUNDS ||
	    (argc > 3 && strcmp(argv[3], "own") != 0)) {
		fprintf(stderr,
			"usage: measure products [LIBRARY [ROUNDS [own]]]\n");
		return 2;
	}
	if (argc > 3)
		setenv("DPR_OPTION_HOST_BLAS", "none", 1);
	if (!library || !dlsym(library, "cblas_sgemm")) {
		printf("products: %s is not here, or no CBLAS\n", name);
		return 77;
	}
	status = dpr_canonical_queue("host", &queue);
	printf("%-24s %9s %8s %11s\n", "", "by hand", "dpr", "ratio");
	for (size_t i = 0; !status && i < sizeof(rows) / sizeof(rows[0]); i++) {
		c.batch = rows[i].batch;
		c.extent = rows[i].extent;
		c.dtype = rows[i].dtype;
		c.gemm = dlsym(library, c.dtype == DPR_FLOAT32 ? "cblas_sgemm"
							       : "cblas_dgemm");
		status = run_row(&c, queue);
	}
	if (!status)
		status = dpr_finalize();
	if (status)
		fprintf(stderr, "products: %s\n", dpr_last_error());
	return status != DPR_OK;
}
