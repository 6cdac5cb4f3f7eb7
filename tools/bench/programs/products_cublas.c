/* SPDX-License-Identifier: Apache-2.0 */
/*
 * products_cublas.c - products of matrices on an NVIDIA GPU beside cuBLAS,
 * called by hand on the stream of the same queue, in turns.
 *
 * usage: measure products_cublas [LIBRARY [ROUNDS [own]]]
 *
 * With "own", dpr's own kernel computes the products, instead of the library.
 * LIBRARY is by default libcublas.so.13, and should be the one that "dpr
 * doctor" shows.  Prints the medians of the times of 11 rounds and the first
 * divided by the second.  A round submits a row's products and waits for them.
 * Without the library or a GPU, says so and exits with 77.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tools/bench/programs/measure.h"
#include "tools/bench/programs/rounds.h"
#include "tools/shared/seconds.h"

enum { MAX_ROUNDS = 1000, MAX_PIECES = 256 };
enum { PLAIN = 0, COMPUTE_32F = 68, COMPUTE_64F = 70, ALGO_DEFAULT = -1 };

static struct {
	int (*create)(void **handle);
	int (*destroy)(void *handle);
	int (*set_stream)(void *handle, void *stream);
	int (*gemm)(void *handle, int op_a, int op_b, int m, int n, int k,
		    const void *alpha, const void *a, int type_a, int lda,
		    const void *b, int type_b, int ldb, const void *beta,
		    void *c, int type_c, int ldc, int compute, int algo);
	int (*batched)(void *handle, int op_a, int op_b, int m, int n, int k,
		       const void *alpha, const void *a, int type_a, int lda,
		       long long stride_a, const void *b, int type_b, int ldb,
		       long long stride_b, const void *beta, void *c,
		       int type_c, int ldc, long long stride_c, int count,
		       int compute, int algo);
	int (*push_context)(void *context);
	int (*synchronize)(void *stream);
} lib;

/* A row: `pieces` calls, each for a batch of `batch` products of matrices of
   this extent; all that `turns` times. */
struct row {
	dpr_dtype dtype;
	int pieces, batch, extent, turns;
};

/* c = a b on both sides. */
struct compared {
	const struct row *row;
	dpr_queue *queue;
	void *cublas, *stream;
	char *at[3]; /* of the device's memory */
	dpr_array *x[3];
	dpr_array *piece[3][MAX_PIECES];
	double time[2][MAX_ROUNDS]; /* by hand, ours */
};

/* Find the functions.  Returns NULL, or the name of what is missing. */
static const char *open_libraries(const char *name)
{
	const struct {
		const char *name;
		void *slot;
	} entries[] = {
		{ "cublasCreate_v2", &lib.create },
		{ "cublasDestroy_v2", &lib.destroy },
		{ "cublasSetStream_v2", &lib.set_stream },
		{ "cublasGemmEx", &lib.gemm },
		{ "cublasGemmStridedBatchedEx", &lib.batched },
		{ "cuCtxPushCurrent_v2", &lib.push_context },
		{ "cuStreamSynchronize", &lib.synchronize },
	};
	void *cublas = dlopen(name, RTLD_NOW);
	void *cuda = dlopen("libcuda.so.1", RTLD_NOW);

	if (!cublas || !cuda)
		return cublas ? "libcuda.so.1" : name;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		void **slot = entries[i].slot;

		*slot = dlsym(i < 5 ? cublas : cuda, entries[i].name);
		if (!*slot)
			return entries[i].name;
	}
	return NULL;
}

/* The number that cuBLAS has for a dtype. */
static int type_of(dpr_dtype dtype)
{
	switch (dtype) {
	case DPR_FLOAT64: return 1;
	case DPR_FLOAT16: return 2;
	case DPR_BFLOAT16: return 14;
	default: return 0;
	}
}

/* Submit the products of a piece by hand.  cuBLAS reads rows as columns, and so
   gets b before a. */
static int submit_piece(const struct compared *c, int piece)
{
	const struct row *row = c->row;
	const int n = row->extent, type = type_of(row->dtype);
	const long long stride = (long long)n * n;
	const size_t from = (size_t)piece * (size_t)row->batch *
			    (size_t)stride * dpr_dtype_size(row->dtype);
	const bool is_double = row->dtype == DPR_FLOAT64;
	const float one = 1, zero = 0;
	const double one_64 = 1, zero_64 = 0;
	const void *alpha = is_double ? (const void *)&one_64 : &one;
	const void *beta = is_double ? (const void *)&zero_64 : &zero;
	const int compute = is_double ? COMPUTE_64F : COMPUTE_32F;

	if (row->batch == 1)
		return lib.gemm(c->cublas, PLAIN, PLAIN, n, n, n, alpha,
				c->at[1] + from, type, n, c->at[0] + from, type,
				n, beta, c->at[2] + from, type, n, compute,
				ALGO_DEFAULT);
	return lib.batched(c->cublas, PLAIN, PLAIN, n, n, n, alpha,
			   c->at[1] + from, type, n, stride, c->at[0] + from,
			   type, n, stride, beta, c->at[2] + from, type, n,
			   stride, row->batch, compute, ALGO_DEFAULT);
}

static dpr_status run_by_hand(const struct compared *c)
{
	int error = 0;

	for (int turn = 0; turn < c->row->turns; turn++)
		for (int i = 0; !error && i < c->row->pieces; i++)
			error = submit_piece(c, i);
	if (!error)
		error = lib.synchronize(c->stream);
	return error ? DPR_ERROR_DRIVER : DPR_OK;
}

static dpr_status run_ours(const struct compared *c)
{
	dpr_status status = DPR_OK;

	for (int turn = 0; turn < c->row->turns; turn++)
		for (int i = 0; !status && i < c->row->pieces; i++)
			status = dpr_matmul_into(c->piece[0][i], c->piece[1][i],
						 c->piece[2][i]);
	return status ? status : dpr_queue_wait(c->queue);
}

/* Make operand @k, and get its address and its pieces. */
static dpr_status make_operand(struct compared *c, int k)
{
	const struct row *row = c->row;
	const int64_t n = row->extent, all = (int64_t)row->pieces * row->batch;
	uintptr_t base;
	size_t bytes;
	dpr_array *numbers = NULL, *flat = NULL, *wide = NULL;
	dpr_status status;

	status = dpr_arange(0, all * n * n, 1, DPR_FLOAT32, c->queue, &numbers);
	if (!status)
		status =
			dpr_evaluate("sin(x * 0.7)", NULL, &flat, "x", numbers);
	if (!status)
		status = dpr_reshape(flat, DPR_SHAPE(all, n, n), &wide);
	if (!status)
		status = dpr_astype(wide, row->dtype, &c->x[k]);
	dpr_array_release(numbers);
	dpr_array_release(flat);
	dpr_array_release(wide);
	if (!status)
		status = dpr_array_wait(c->x[k]);
	if (!status)
		status = dpr_usm_native(dpr_array_usm(c->x[k]), &base, &bytes);
	if (status)
		return status;
	c->at[k] =
		(char *)base + bytes +
		(size_t)dpr_array_offset(c->x[k]) * dpr_dtype_size(row->dtype);
	for (int i = 0; !status && i < row->pieces; i++)
		status = dpr_array_view(
			c->x[k], &c->piece[k][i],
			DPR_SLICE(i * row->batch, (i + 1) * row->batch, 1));
	return status;
}

static void release_operands(struct compared *c)
{
	for (int k = 0; k < 3; k++) {
		for (int i = 0; i < MAX_PIECES; i++) {
			dpr_array_release(c->piece[k][i]);
			c->piece[k][i] = NULL;
		}
		dpr_array_release(c->x[k]);
		c->x[k] = NULL;
	}
}

static dpr_status time_row(struct compared *c, int rounds)
{
	dpr_status status = DPR_OK;

	/* The first two rounds are not counted. */
	for (int i = -2; !status && i < rounds; i++)
		for (int side = 0; !status && side < 2; side++) {
			const double begin = seconds_now();

			status = side ? run_ours(c) : run_by_hand(c);
			c->time[side][i < 0 ? 0 : i] = seconds_now() - begin;
		}
	return status;
}

static dpr_status run_row(struct compared *c, int rounds)
{
	const struct row *row = c->row;
	const double n = row->extent;
	const double work =
		2 * n * n * n * row->batch * row->pieces * row->turns;
	dpr_status status = DPR_OK;
	double hand, ours;

	for (int k = 0; !status && k < 3; k++)
		status = make_operand(c, k);
	if (!status)
		status = time_row(c, rounds);
	release_operands(c);
	if (status)
		return status;
	hand = rounds_time(c->time[0], rounds, 0.5);
	ours = rounds_time(c->time[1], rounds, 0.5);
	printf("%4d x %4d x %4d %-8s %10.3f %10.3f ms %8.3f %8.1f TFLOP/s\n",
	       row->pieces, row->batch, row->extent, dpr_dtype_name(row->dtype),
	       hand * 1e3 / row->turns, ours * 1e3 / row->turns, hand / ours,
	       work / ours * 1e-12);
	return DPR_OK;
}

/* Make a handle for the queue's stream. */
static dpr_status open_cublas(struct compared *c)
{
	uintptr_t context, stream;
	dpr_status status = dpr_device_native(dpr_queue_device(c->queue),
					      DPR_NATIVE_CONTEXT, &context);

	if (!status)
		status = dpr_queue_native(c->queue, &stream);
	if (status)
		return status;
	c->stream = (void *)stream;
	return lib.push_context((void *)context) || lib.create(&c->cublas) ||
			       lib.set_stream(c->cublas, c->stream)
		       ? DPR_ERROR_DRIVER
		       : DPR_OK;
}

int products_cublas_main(int argc, char **argv)
{
	static const struct row rows[] = {
		{ DPR_FLOAT32, 1, 1, 8192, 2 },
		{ DPR_FLOAT64, 1, 1, 8192, 2 },
		{ DPR_BFLOAT16, 1, 1, 8192, 10 },
		{ DPR_FLOAT16, 1, 1, 8192, 10 },
		{ DPR_FLOAT32, 1, 4096, 64, 100 },
		{ DPR_FLOAT32, 256, 1, 64, 4 },
	};
	static struct compared c;
	const char *name = argc > 1 ? argv[1] : "libcublas.so.13";
	const int rounds = argc > 2 ? atoi(argv[2]) : 11;
	const bool own = argc > 3 && !strcmp(argv[3], "own");
	const char *missing;
	dpr_status status;

	if (rounds < 1 || rounds > MAX_ROUNDS || (argc > 3 && !own)) {
		fprintf(stderr,
			"usage: measure products_cublas [LIBRARY [ROUNDS [own]]]\n");
		return 2;
	}
	if (own && setenv("DPR_OPTION_CUDA_BLAS", "none", 1))
		return 2;
	missing = open_libraries(name);
	if (missing || dpr_canonical_queue("cuda", &c.queue)) {
		printf("products_cublas: %s is not here\n",
		       missing ? missing : "an NVIDIA GPU");
		return 77;
	}
	status = open_cublas(&c);
	printf("%-25s %10s %10s %11s\n", "", "by hand", "dpr", "ratio");
	for (size_t i = 0; !status && i < sizeof(rows) / sizeof(rows[0]); i++) {
		c.row = &rows[i];
		status = run_row(&c, rounds);
	}
	if (c.cublas)
		(void)lib.destroy(c.cublas);
	if (!status)
		status = dpr_finalize();
	if (status)
		fprintf(stderr, "products_cublas: %s: %s\n",
			dpr_status_text(status), dpr_last_error());
	return status != DPR_OK;
}
