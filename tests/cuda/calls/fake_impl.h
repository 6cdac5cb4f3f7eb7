/* SPDX-License-Identifier: Apache-2.0 */
/* fake_impl.h - what the files of libfake_cublas.so share. */
#ifndef TESTS_CUDA_FAKE_IMPL_H
#define TESTS_CUDA_FAKE_IMPL_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

#include "tests/cuda/calls/fake_cublas.h"

#include "backends/cuda/calls/cuda_calls.h"

#define FAKE_EXPORT __attribute__((visibility("default")))

extern struct fake_cublas fake_cublas;

/* Count a misuse.  Returns @status. */
int fake_misuse(int status, const char *text);
/* The result of an entry. */
int fake_answer(const char *entry);

/* --- Handles (fake_handle.c) --- */

/* A handle of one of the two libraries. */
struct fake_handle {
	struct fake_handle *next; /* in the list of handles */
	uint32_t magic;
	atomic_bool busy; /* a thread is in a call with it */
	CUcontext context;
	CUstream stream;
	CUdeviceptr workspace;
	int mode;
};
#define FAKE_BLAS 0xb1a5u
#define FAKE_SOLVER 0x501bu

/* The statuses of a library. */
struct fake_statuses {
	int not_initialized, alloc_failed, invalid, execution_failed, internal;
};
extern const struct fake_statuses fake_blas_statuses, fake_solver_statuses;

/* The functions that create and destroy a handle, and set its stream. */
int fake_create(void **out, uint32_t magic, const char *entry);
int fake_destroy(void *out, uint32_t magic);
int fake_set_stream(void *out, CUstream stream, uint32_t magic,
		    const char *entry);
/* Begin a call with a handle: in its context, and by one thread at a time. */
int fake_begin(struct fake_handle *handle, uint32_t magic);
void fake_end(struct fake_handle *handle);
/* Run @run in the handle's stream, with a copy of @job, which is freed then. */
int fake_submit(void *handle, uint32_t magic, const char *entry,
		void (*run)(const void *job), const void *job, size_t size);

/* --- Numbers (fake_handle.c) --- */

/* Bytes of an element of a type. */
size_t fake_item(int type);
double complex fake_load(const void *at, int type);
void fake_store(void *at, int type, double complex z);

/* A matrix in the library's memory, and as complex numbers, packed. */
struct fake_matrix {
	unsigned char *at;
	int type;
	int64_t rows, columns, leading;
};
double complex *fake_take(const struct fake_matrix *x);
void fake_give(const struct fake_matrix *x, const double complex *from);

/* --- Linear algebra (fake_dense.c, fake_eigen.c) --- */

/* All matrices are packed, column by column.  The results are LAPACK's. */
int fake_potrf(double complex *a, int64_t n, bool upper);
int fake_getrf(double complex *a, int64_t m, int64_t n, int64_t *pivots);
void fake_getrs(const double complex *a, int64_t n, int op,
		const int64_t *pivots, double complex *b, int64_t k);
void fake_trsm(const double complex *a, int64_t n, bool upper, int op,
	       bool unit, double complex *b, int64_t k);
void fake_geqrf(double complex *a, int64_t m, int64_t n, double complex *tau);
void fake_orgqr(double complex *a, int64_t m, int64_t n, int64_t k,
		const double complex *tau);
/* Returns info. */
int fake_syev(double complex *a, int64_t n, bool upper, double *w);
/* m >= n.  u is m x m, and vh n x n. */
int fake_gesvd(const double complex *a, int64_t m, int64_t n, double *s,
	       double complex *u, double complex *vh);
/* For a real matrix, pairs of values are neighbours, and their vectors are
   conjugated. */
int fake_geev(const double complex *a, int64_t n, bool is_real,
	      double complex *w, double complex *v);

#endif
