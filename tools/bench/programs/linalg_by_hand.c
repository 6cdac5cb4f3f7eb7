/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linalg_by_hand.c - linear algebra of float64 on the host beside routines of
 * LAPACK, called by hand, in turns.
 *
 * usage: measure linalg_by_hand [LIBRARY [ROUNDS [EXTENT]]]
 *
 * LIBRARY has integers of 32 bits (by default libopenblas.so.0), and should be
 * the one that "dpr doctor" shows.  EXTENT is that of the large matrices.  By
 * hand means: copy a matrix, because the routine overwrites it, and call the
 * routine with a workspace that exists already.  Prints the medians of the
 * times of 11 rounds and the first divided by the second.  Without the library,
 * says so and exits with 77.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tools/bench/programs/measure.h"
#include "tools/bench/programs/rounds.h"
#include "tools/shared/seconds.h"

enum { MAX_ROUNDS = 1000, MOST = 4096 };
enum function { SOLVE, DET, INV, EIGH, SVD, FUNCTIONS };

static const char *const names[FUNCTIONS] = { "solve", "det", "inv", "eigh",
					      "svd" };

typedef void (*gesv)(const int *n, const int *k, double *a, const int *lda,
		     int *pivots, double *b, const int *ldb, int *info);
typedef void (*getrf)(const int *m, const int *n, double *a, const int *lda,
		      int *pivots, int *info);
typedef void (*getri)(const int *n, double *a, const int *lda,
		      const int *pivots, double *work, const int *lwork,
		      int *info);
typedef void (*syevd)(const char *job, const char *uplo, const int *n,
		      double *a, const int *lda, double *w, double *work,
		      const int *lwork, int *iwork, const int *liwork,
		      int *info, size_t job_size, size_t uplo_size);
typedef void (*gesdd)(const char *job, const int *m, const int *n, double *a,
		      const int *lda, double *s, double *u, const int *ldu,
		      double *vt, const int *ldvt, double *work,
		      const int *lwork, int *iwork, int *info, size_t job_size);

struct compared {
	enum function function;
	int64_t count;
	int n;
	int rounds;
	void *gesv, *getrf, *getri, *syevd, *gesdd;
	double *a, *b;               /* the operands: matrices, vectors */
	double *copy, *u, *vt, *out; /* of the call by hand */
	double *work;
	int *integers;
	int work_size, integers_size;
	dpr_array *x, *y;
	double time[2][MAX_ROUNDS]; /* by hand, ours */
};

/* --- By hand -------------------------------------------------------------- */

static double det_by_hand(const struct compared *c)
{
	const int n = c->n;
	double det = 1;
	int info;

	((getrf)c->getrf)(&n, &n, c->copy, &n, c->integers, &info);
	for (int i = 0; i < n; i++)
		det *= c->integers[i] == i + 1 ? c->copy[i * n + i]
					       : -c->copy[i * n + i];
	return det;
}

/* Compute one matrix. */
static int by_hand(const struct compared *c, int64_t i)
{
	const int n = c->n, one = 1;
	const size_t size = (size_t)n * (size_t)n;
	double *out = c->out + (size_t)i * (size_t)n;
	int info = 0;

	memcpy(c->copy, c->a + (size_t)i * size, size * sizeof(double));
	switch (c->function) {
	case SOLVE:
		memcpy(out, c->b + (size_t)i * (size_t)n,
		       (size_t)n * sizeof(double));
		((gesv)c->gesv)(&n, &one, c->copy, &n, c->integers, out, &n,
				&info);
		break;
	case DET: *out = det_by_hand(c); break;
	case INV:
		((getrf)c->getrf)(&n, &n, c->copy, &n, c->integers, &info);
		((getri)c->getri)(&n, c->copy, &n, c->integers, c->work,
				  &c->work_size, &info);
		break;
	case EIGH:
		((syevd)c->syevd)("V", "L", &n, c->copy, &n, out, c->work,
				  &c->work_size, c->integers, &c->integers_size,
				  &info, 1, 1);
		break;
	default:
		((gesdd)c->gesdd)("S", &n, &n, c->copy, &n, out, c->u, &n,
				  c->vt, &n, c->work, &c->work_size,
				  c->integers, &info, 1);
		break;
	}
	return info;
}

/* --- By dpr --------------------------------------------------------------- */

static dpr_status by_dpr(const struct compared *c)
{
	dpr_array *made[3] = { NULL, NULL, NULL };
	dpr_status status = DPR_OK;

	switch (c->function) {
	case SOLVE: status = dpr_solve(c->x, c->y, &made[0]); break;
	case DET: status = dpr_det(c->x, &made[0]); break;
	case INV: status = dpr_inv(c->x, &made[0]); break;
	case EIGH: status = dpr_eigh(c->x, 0, &made[0], &made[1]); break;
	default: status = dpr_svd(c->x, 0, &made[0], &made[1], &made[2]); break;
	}
	if (!status)
		status = dpr_queue_wait(dpr_array_queue(c->x));
	for (int i = 0; i < 3; i++)
		dpr_array_release(made[i]);
	return status;
}

/* --- Rounds --------------------------------------------------------------- */

static dpr_status run_side(const struct compared *c, int side, double *seconds)
{
	const double begin = seconds_now();
	dpr_status status = DPR_OK;
	int info = 0;

	if (side)
		status = by_dpr(c);
	else
		for (int64_t i = 0; i < c->count; i++)
			info |= by_hand(c, i);
	*seconds = seconds_now() - begin;
	if (info)
		printf("%s: LAPACK's info is %d\n", names[c->function], info);
	return status;
}

static double *new_numbers(size_t n)
{
	double *v = aligned_alloc(128, (n * sizeof(*v) + 127) / 128 * 128);

	for (size_t i = 0; v && i < n; i++)
		v[i] = 0;
	return v;
}

/* Fill with numbers from -1 to 1; matrices are symmetric. */
static void fill(const struct compared *c)
{
	const int64_t n = c->n;
	uint64_t state = 88172645463325252u;

	for (int64_t i = 0; i < c->count; i++) {
		double *a = c->a + i * n * n;

		for (int64_t k = 0; k < n * n; k++) {
			state = state * 6364136223846793005u + 1;
			a[k] = (double)(state >> 11) / (double)(1ull << 52) - 1;
		}
		for (int64_t k = 0; k < n * n; k++)
			if (k % n > k / n)
				a[k] = a[k % n * n + k / n];
		for (int64_t k = 0; k < n; k++)
			c->b[i * n + k] = (double)(k % 7) - 3;
	}
}

static dpr_status make_operands(struct compared *c, dpr_queue *queue)
{
	const size_t n = (size_t)c->n, size = n * n;
	const dpr_shape one = DPR_SHAPE(c->n, c->n);
	const dpr_shape many = DPR_SHAPE(c->count, c->n, c->n);
	dpr_status status;

	c->work_size = (int)(1 + 6 * n + 4 * size + 64 * n);
	c->integers_size = (int)(3 + 8 * n);
	c->a = new_numbers((size_t)c->count * size);
	c->b = new_numbers((size_t)c->count * n);
	c->out = new_numbers((size_t)c->count * n);
	c->copy = new_numbers(size);
	c->u = new_numbers(size);
	c->vt = new_numbers(size);
	c->work = new_numbers((size_t)c->work_size);
	c->integers = malloc((size_t)c->integers_size * sizeof(int));
	if (!c->a || !c->b || !c->out || !c->copy || !c->u || !c->vt ||
	    !c->work || !c->integers)
		return DPR_ERROR_OUT_OF_MEMORY;
	fill(c);
	status = dpr_array_from_memory(c->a, c->count == 1 ? one : many, NULL,
				       DPR_FLOAT64, queue, &c->x);
	if (status)
		return status;
	return dpr_array_from_memory(
		c->b,
		c->count == 1 ? DPR_SHAPE(c->n) : DPR_SHAPE(c->count, c->n, 1),
		NULL, DPR_FLOAT64, queue, &c->y);
}

static void release_operands(struct compared *c)
{
	double *const numbers[] = { c->a, c->b,  c->out, c->copy,
				    c->u, c->vt, c->work };

	dpr_array_release(c->x);
	dpr_array_release(c->y);
	c->x = c->y = NULL;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		free(numbers[i]);
	free(c->integers);
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
	printf("%7lld x %4d %-8s %10.2f %8.2f ms %8.3f\n", (long long)c->count,
	       c->n, names[c->function], hand * 1e3, ours * 1e3, hand / ours);
	fflush(stdout);
	return DPR_OK;
}

/* Find the routines.  Returns false if one is missing. */
static bool find_routines(const char *name, struct compared *c)
{
	void *library = dlopen(name, RTLD_NOW);

	if (!library)
		return false;
	c->gesv = dlsym(library, "dgesv_");
	c->getrf = dlsym(library, "dgetrf_");
	c->getri = dlsym(library, "dgetri_");
	c->syevd = dlsym(library, "dsyevd_");
	c->gesdd = dlsym(library, "dgesdd_");
	return c->gesv && c->getrf && c->getri && c->syevd && c->gesdd;
}

int linalg_by_hand_main(int argc, char **argv)
{
	static struct compared c;
	const char *name = argc > 1 ? argv[1] : "libopenblas.so.0";
	const int extent = argc > 3 ? atoi(argv[3]) : 500;
	dpr_status status = DPR_OK;
	dpr_queue *queue;

	c.rounds = argc > 2 ? atoi(argv[2]) : 11;
	if (c.rounds < 1 || c.rounds > MAX_ROUNDS || extent < 1 ||
	    extent > MOST) {
		fprintf(stderr,
			"usage: measure linalg_by_hand [LIBRARY [ROUNDS "
			"[EXTENT]]]\n");
		return 2;
	}
	if (!find_routines(name, &c)) {
		printf("linalg_by_hand: %s is not here, or no LAPACK\n", name);
		return 77;
	}
	status = dpr_canonical_queue("host", &queue);
	printf("%-24s %9s %8s %11s\n", "", "by hand", "dpr", "ratio");
	for (int i = 0; !status && i < 2 * FUNCTIONS - 1; i++) {
		c.function = (enum function)(i % FUNCTIONS);
		c.count = i < FUNCTIONS ? 1 : 100000;
		c.n = i < FUNCTIONS ? extent : 8;
		status = run_row(&c, queue);
	}
	if (!status)
		status = dpr_finalize();
	if (status)
		fprintf(stderr, "linalg_by_hand: %s\n", dpr_last_error());
	return status != DPR_OK;
}
