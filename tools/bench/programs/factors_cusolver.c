/* SPDX-License-Identifier: Apache-2.0 */
/*
 * factors_cusolver.c - solve, cholesky, eigh and svd on an NVIDIA GPU beside
 * cuSOLVER, called by hand on the stream of the same queue, in turns.  Batches
 * of small matrices follow, without another side.
 *
 * usage: measure factors_cusolver [LIBRARY [ROUNDS]]
 *
 * LIBRARY is by default libcusolver.so.12, and should be the one that "dpr
 * doctor" shows.  Prints the medians of the times of 5 rounds, and the first
 * divided by the second.  Both sides copy their operands, because the routines
 * overwrite them, and read whether there is a result.  Without the library or a
 * GPU, says so and exits with 77.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tools/bench/programs/measure.h"
#include "tools/bench/programs/rounds.h"
#include "tools/shared/seconds.h"

enum { MAX_ROUNDS = 1000 };
enum { LOWER = 0, VECTORS = 1 };

/* Arguments of several functions. */
#define HEAD void *handle, void *params
#define SIZES size_t *device_size, size_t *host_size
#define SPACE                                                           \
	void *device, size_t device_size, void *host, size_t host_size, \
		void *info
#define MATRIX int64_t n, int type, void *a, int64_t lda
#define SVD_ARGS                                                        \
	HEAD, signed char job_u, signed char job_vh, int64_t m, MATRIX, \
		int s_type, void *s, int u_type, void *u, int64_t ldu,  \
		int vh_type, void *vh, int64_t ldvh, int compute

static struct {
	int (*create)(void **handle);
	int (*destroy)(void *handle);
	int (*set_stream)(void *handle, void *stream);
	int (*create_params)(void **params);
	int (*getrf_sizes)(HEAD, int64_t m, MATRIX, int compute, SIZES);
	int (*getrf)(HEAD, int64_t m, MATRIX, void *pivots, int compute, SPACE);
	int (*getrs)(HEAD, int trans, int64_t n, int64_t k, int type,
		     const void *a, int64_t lda, const void *pivots, int b_type,
		     void *b, int64_t ldb, void *info);
	int (*potrf_sizes)(HEAD, int uplo, MATRIX, int compute, SIZES);
	int (*potrf)(HEAD, int uplo, MATRIX, int compute, SPACE);
	int (*syevd_sizes)(HEAD, int jobz, int uplo, MATRIX, int w_type,
			   void *w, int compute, SIZES);
	int (*syevd)(HEAD, int jobz, int uplo, MATRIX, int w_type, void *w,
		     int compute, SPACE);
	int (*gesvd_sizes)(SVD_ARGS, SIZES);
	int (*gesvd)(SVD_ARGS, SPACE);
} lib;
static struct {
	int (*push_context)(void *context);
	int (*alloc)(uintptr_t *out, size_t size);
	int (*free)(uintptr_t address);
	int (*copy)(uintptr_t to, uintptr_t from, size_t size, void *stream);
	int (*synchronize)(void *stream);
} cu;

enum function { SOLVE, CHOLESKY, EIGH, SVD };

/* @count matrices of @n rows. */
struct row {
	const char *name;
	enum function function;
	dpr_dtype dtype;
	int64_t n, count;
};

struct compared {
	const struct row *row;
	dpr_queue *queue;
	void *solver, *params, *stream;
	dpr_array *a, *b;
	uintptr_t at[2]; /* of a and b in the device's memory */
	/* By hand: copies of a and b, other results, and workspaces. */
	uintptr_t copy[2], more[3], pivots, info, device;
	size_t bytes[2], device_size, host_size;
	void *host;
	double time[2][MAX_ROUNDS]; /* by hand, ours */
};

/* Find the functions.  Returns NULL, or the name of what is missing. */
static const char *open_libraries(const char *name)
{
	const struct {
		const char *name;
		void *slot;
	} entries[] = {
		{ "cusolverDnCreate", &lib.create },
		{ "cusolverDnDestroy", &lib.destroy },
		{ "cusolverDnSetStream", &lib.set_stream },
		{ "cusolverDnCreateParams", &lib.create_params },
		{ "cusolverDnXgetrf_bufferSize", &lib.getrf_sizes },
		{ "cusolverDnXgetrf", &lib.getrf },
		{ "cusolverDnXgetrs", &lib.getrs },
		{ "cusolverDnXpotrf_bufferSize", &lib.potrf_sizes },
		{ "cusolverDnXpotrf", &lib.potrf },
		{ "cusolverDnXsyevd_bufferSize", &lib.syevd_sizes },
		{ "cusolverDnXsyevd", &lib.syevd },
		{ "cusolverDnXgesvd_bufferSize", &lib.gesvd_sizes },
		{ "cusolverDnXgesvd", &lib.gesvd },
		{ "cuCtxPushCurrent_v2", &cu.push_context },
		{ "cuMemAlloc_v2", &cu.alloc },
		{ "cuMemFree_v2", &cu.free },
		{ "cuMemcpyAsync", &cu.copy },
		{ "cuStreamSynchronize", &cu.synchronize },
	};
	void *solver = dlopen(name, RTLD_NOW);
	void *cuda = dlopen("libcuda.so.1", RTLD_NOW);

	if (!solver || !cuda)
		return solver ? "libcuda.so.1" : name;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		void **slot = entries[i].slot;

		*slot = dlsym(strncmp(entries[i].name, "cusolver", 8) ? cuda
								      : solver,
			      entries[i].name);
		if (!*slot)
			return entries[i].name;
	}
	return NULL;
}

/* --- By hand -------------------------------------------------------------- */

static void *memory(uintptr_t address)
{
	return (void *)address;
}

/* Ask for the sizes of the workspaces. */
static int ask(struct compared *c, int type)
{
	const int64_t n = c->row->n;
	size_t *device = &c->device_size, *host = &c->host_size;

	switch (c->row->function) {
	case SOLVE:
		return lib.getrf_sizes(c->solver, c->params, n, n, type,
				       memory(c->copy[0]), n, type, device,
				       host);
	case CHOLESKY:
		return lib.potrf_sizes(c->solver, c->params, LOWER, n, type,
				       memory(c->copy[0]), n, type, device,
				       host);
	case EIGH:
		return lib.syevd_sizes(c->solver, c->params, VECTORS, LOWER, n,
				       type, memory(c->copy[0]), n, type,
				       memory(c->more[0]), type, device, host);
	case SVD:
		return lib.gesvd_sizes(
			c->solver, c->params, 'S', 'S', n, n, type,
			memory(c->copy[0]), n, type, memory(c->more[0]), type,
			memory(c->more[1]), n, type, memory(c->more[2]), n,
			type, device, host);
	}
	return 0;
}

#define WORK                                                      \
	memory(c->device), c->device_size, c->host, c->host_size, \
		memory(c->info)

static int call(struct compared *c, int type)
{
	const int64_t n = c->row->n;
	void *a = memory(c->copy[0]);
	int error;

	switch (c->row->function) {
	case SOLVE:
		error = lib.getrf(c->solver, c->params, n, n, type, a, n,
				  memory(c->pivots), type, WORK);
		return error ? error
			     : lib.getrs(c->solver, c->params, 0, n, n, type, a,
					 n, memory(c->pivots), type,
					 memory(c->copy[1]), n,
					 memory(c->info + sizeof(int)));
	case CHOLESKY:
		return lib.potrf(c->solver, c->params, LOWER, n, type, a, n,
				 type, WORK);
	case EIGH:
		return lib.syevd(c->solver, c->params, VECTORS, LOWER, n, type,
				 a, n, type, memory(c->more[0]), type, WORK);
	case SVD:
		return lib.gesvd(c->solver, c->params, 'S', 'S', n, n, type, a,
				 n, type, memory(c->more[0]), type,
				 memory(c->more[1]), n, type,
				 memory(c->more[2]), n, type, WORK);
	}
	return 0;
}

static dpr_status run_by_hand(struct compared *c)
{
	const int type = c->row->dtype == DPR_FLOAT64;
	int error = cu.copy(c->copy[0], c->at[0], c->bytes[0], c->stream), info;

	if (!error && c->row->function == SOLVE)
		error = cu.copy(c->copy[1], c->at[1], c->bytes[1], c->stream);
	if (!error)
		error = call(c, type);
	if (!error)
		error = cu.copy((uintptr_t)&info, c->info, sizeof(info),
				c->stream);
	if (!error)
		error = cu.synchronize(c->stream);
	return error ? DPR_ERROR_DRIVER : DPR_OK;
}

/* Allocate what the calls by hand need. */
static dpr_status begin_by_hand(struct compared *c)
{
	const size_t n = (size_t)c->row->n;
	int error = cu.alloc(&c->copy[0], c->bytes[0]) ||
		    cu.alloc(&c->copy[1], c->bytes[1]) ||
		    cu.alloc(&c->pivots, n * 8) || cu.alloc(&c->info, 64);

	for (int i = 0; !error && i < 3; i++)
		error = cu.alloc(&c->more[i], c->bytes[0]);
	if (!error)
		error = ask(c, c->row->dtype == DPR_FLOAT64);
	if (!error)
		error = cu.alloc(&c->device, c->device_size + 1);
	c->host = malloc(c->host_size + 1);
	return error || !c->host ? DPR_ERROR_DRIVER : DPR_OK;
}

static void end_by_hand(struct compared *c)
{
	const uintptr_t all[] = { c->copy[0], c->copy[1], c->more[0],
				  c->more[1], c->more[2], c->pivots,
				  c->info,    c->device };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		(void)cu.free(all[i]);
	free(c->host);
	c->host = NULL;
	c->device = 0;
}

/* --- Ours ----------------------------------------------------------------- */

static dpr_status run_ours(struct compared *c)
{
	dpr_array *x = NULL, *y = NULL, *z = NULL;
	dpr_status status = DPR_OK;

	switch (c->row->function) {
	case SOLVE: status = dpr_solve(c->a, c->b, &x); break;
	case CHOLESKY: status = dpr_cholesky(c->a, 0, &x); break;
	case EIGH: status = dpr_eigh(c->a, 0, &x, &y); break;
	case SVD: status = dpr_svd(c->a, 0, &x, &y, &z); break;
	}
	if (!status)
		status = dpr_queue_wait(c->queue);
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(z);
	return status;
}

/* --- Rows ----------------------------------------------------------------- */

/* Make an operand: numbers, and @diagonal more on the diagonal. */
static dpr_status make_operand(struct compared *c, double diagonal,
			       dpr_array **out, int k)
{
	const struct row *row = c->row;
	uintptr_t base;
	size_t size;
	dpr_array *numbers = NULL, *flat = NULL, *unit = NULL;
	dpr_status status = dpr_arange(0, row->count * row->n * row->n, 1,
				       DPR_FLOAT64, c->queue, &numbers);

	if (!status)
		status = dpr_reshape(
			numbers, DPR_SHAPE(row->count, row->n, row->n), &flat);
	dpr_array_release(numbers);
	numbers = NULL;
	if (!status)
		status = dpr_eye(row->n, row->n, 0, DPR_FLOAT64, c->queue,
				 &unit);
	if (!status)
		status = dpr_evaluate("sin(x * 0.7) + i * d + "
				      "sin(matrix_transpose(x) * 0.7)",
				      NULL, &numbers, "x", flat, "i", unit, "d",
				      diagonal);
	if (!status)
		status = dpr_astype(numbers, row->dtype, out);
	dpr_array_release(numbers);
	dpr_array_release(flat);
	dpr_array_release(unit);
	if (!status)
		status = dpr_array_wait(*out);
	if (!status)
		status = dpr_usm_native(dpr_array_usm(*out), &base, &size);
	if (status)
		return status;
	c->bytes[k] = dpr_array_nbytes(*out);
	c->at[k] = base + size +
		   (size_t)dpr_array_offset(*out) * dpr_dtype_size(row->dtype);
	return DPR_OK;
}

static dpr_status time_row(struct compared *c, int rounds)
{
	dpr_status status = DPR_OK;

	/* The first round is not counted. */
	for (int i = -1; !status && i < rounds; i++)
		for (int side = c->row->count > 1; !status && side < 2;
		     side++) {
			const double begin = seconds_now();

			status = side ? run_ours(c) : run_by_hand(c);
			c->time[side][i < 0 ? 0 : i] = seconds_now() - begin;
		}
	return status;
}

static dpr_status run_row(struct compared *c, int rounds)
{
	const struct row *row = c->row;
	const bool alone = row->count > 1;
	dpr_status status = make_operand(c, 2. * (double)row->n, &c->a, 0);
	double hand, ours;

	if (!status)
		status = make_operand(c, 0, &c->b, 1);
	if (!status && !alone)
		status = begin_by_hand(c);
	if (!status)
		status = time_row(c, rounds);
	if (!alone)
		end_by_hand(c);
	dpr_array_release(c->a);
	dpr_array_release(c->b);
	c->a = c->b = NULL;
	if (status)
		return status;
	hand = alone ? 0 : rounds_time(c->time[0], rounds, 0.5);
	ours = rounds_time(c->time[1], rounds, 0.5);
	printf("%-9s %5lld x %4lld %-8s", row->name, (long long)row->count,
	       (long long)row->n, dpr_dtype_name(row->dtype));
	if (alone)
		printf(" %10s %10.3f ms\n", "", ours * 1e3);
	else
		printf(" %10.3f %10.3f ms %8.3f\n", hand * 1e3, ours * 1e3,
		       hand / ours);
	return DPR_OK;
}

/* Make a handle for the queue's stream. */
static dpr_status open_cusolver(struct compared *c)
{
	uintptr_t context, stream;
	dpr_status status = dpr_device_native(dpr_queue_device(c->queue),
					      DPR_NATIVE_CONTEXT, &context);

	if (!status)
		status = dpr_queue_native(c->queue, &stream);
	if (status)
		return status;
	c->stream = (void *)stream;
	return cu.push_context((void *)context) || lib.create(&c->solver) ||
			       lib.set_stream(c->solver, c->stream) ||
			       lib.create_params(&c->params)
		       ? DPR_ERROR_DRIVER
		       : DPR_OK;
}

#define BOTH(name, function, n, count)                \
	{ name, function, DPR_FLOAT32, n, count },    \
	{                                             \
		name, function, DPR_FLOAT64, n, count \
	}

int factors_cusolver_main(int argc, char **argv)
{
	static const struct row rows[] = {
		BOTH("solve", SOLVE, 2048, 1),
		BOTH("cholesky", CHOLESKY, 2048, 1),
		BOTH("eigh", EIGH, 2048, 1),
		BOTH("svd", SVD, 2048, 1),
		BOTH("solve", SOLVE, 8, 4096),
		BOTH("cholesky", CHOLESKY, 8, 4096),
		BOTH("eigh", EIGH, 8, 4096),
		BOTH("svd", SVD, 8, 128),
	};
	static struct compared c;
	const char *name = argc > 1 ? argv[1] : "libcusolver.so.12";
	const int rounds = argc > 2 ? atoi(argv[2]) : 5;
	const char *missing;
	dpr_status status;

	if (rounds < 1 || rounds > MAX_ROUNDS) {
		fprintf(stderr,
			"usage: measure factors_cusolver [LIBRARY [ROUNDS]]\n");
		return 2;
	}
	missing = open_libraries(name);
	if (missing || dpr_canonical_queue("cuda", &c.queue)) {
		printf("factors_cusolver: %s is not here\n",
		       missing ? missing : "an NVIDIA GPU");
		return 77;
	}
	status = open_cusolver(&c);
	printf("%-32s %10s %10s %11s\n", "", "by hand", "dpr", "ratio");
	for (size_t i = 0; !status && i < sizeof(rows) / sizeof(rows[0]); i++) {
		c.row = &rows[i];
		status = run_row(&c, rounds);
		fflush(stdout);
	}
	if (c.solver)
		(void)lib.destroy(c.solver);
	if (!status)
		status = dpr_finalize();
	if (status)
		fprintf(stderr, "factors_cusolver: %s: %s\n",
			dpr_status_text(status), dpr_last_error());
	return status != DPR_OK;
}
