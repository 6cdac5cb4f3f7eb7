/* SPDX-License-Identifier: Apache-2.0 */
/* lapack.h - launches of LAPACK's routines (the image format "calls-1", which
   <dpr/backend.h> describes). */
#ifndef ARRAY_LAPACK_H
#define ARRAY_LAPACK_H

#include <stdbool.h>

#include <dpr/array.h>
#include <dpr/queue.h>

#include "kernels/libraries.h"

enum lapack_routine {
	LAPACK_POTRF,
	LAPACK_GETRF,
	LAPACK_GETRI,
	LAPACK_GESV,
	LAPACK_TRTRS,
	LAPACK_GEQRF,
	LAPACK_ORGQR,
	LAPACK_SYEVD,
	LAPACK_GEEV,
	LAPACK_GESDD
};

/* The name of a routine in LAPACK, such as "potrf". */
const char *lapack_name(enum lapack_routine routine);

/* Whether the device of @queue has @routine for @dtype.  The first call may
   load a library. */
dpr_status lapack_find(dpr_queue *queue, enum lapack_routine routine,
		       dpr_dtype dtype, bool *found);

/* A launch.  The arrays are as linalg.h says.  Each has @n_batch axes, along
   which it is C-contiguous, and then the axes of a matrix or a vector. */
struct lapack_call {
	const char *what; /* the function's name, for errors */
	/* The operand with the matrices, and its name, for errors.  Its own
	   batch may be smaller than that of the launch. */
	const char *name;
	const dpr_array *x;
	dpr_queue *queue;
	dpr_dtype dtype;
	int n_batch;
	const int64_t *batch;
	enum lapack_routine routine;
	int64_t m, n, k, flags; /* see dprp_lapack */
	const dpr_array *arrays[DPRP_LAPACK_ARGS];
	int n_arrays;
	int n_read; /* the first n_read arrays are only read */
	/* If not NULL, a matrix without a result is no failure.  *@info then
	   becomes an array of the numbers that the routine stores: 0 for each
	   matrix that has a result. */
	dpr_array **info;
};

/*
 * Launch a routine for each matrix of the batch, and wait for it.
 * DPR_ERROR_LINALG: a matrix has no such result; the text names the matrix and
 * says why.
 * DPR_ERROR_UNSUPPORTED: the routine does not take these numbers, and has
 * written nothing.
 */
dpr_status lapack_launch(const struct lapack_call *call);

#endif
