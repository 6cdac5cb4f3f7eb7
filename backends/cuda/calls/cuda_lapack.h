/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_lapack.h - a launch of a routine of LAPACK. */
#ifndef CUDA_LAPACK_H
#define CUDA_LAPACK_H

#include "backends/cuda/calls/cuda_calls.h"

struct cuda_lapack {
	const struct cuda_call *call;
	const struct cuda_dtype *dtype;
	dprp_lapack v;
	/* Of each argument: the address for the first problem, and the bytes
	   from one problem to the next. */
	uintptr_t arg[DPRP_LAPACK_ARGS];
	int64_t step[DPRP_LAPACK_ARGS];
	int infos;      /* the number of the argument info */
	bool is_narrow; /* all numbers fit into 32 bits */

	/* While the launch is submitted. */
	struct cuda_scope *scope;
	CUstream stream;
	struct cuda_handle *solver, *blas;
	struct cuda_solver_space space;
};

/* The place of problem @i in argument @arg. */
static inline void *cuda_lapack_at(const struct cuda_lapack *l, int arg,
				   int64_t i)
{
	/* Strides may be negative: the sum is right as an unsigned number. */
	return (void *)(l->arg[arg] + (uintptr_t)(l->step[arg] * i));
}

static inline bool cuda_lapack_has(const struct cuda_lapack *l, int64_t flag)
{
	return (l->v.flags & flag) != 0;
}

/* --- cuda_lapack_help.c: our own kernels --- */

/* Write the addresses base, base + step, ... of @n matrices to @to. */
dprp_rc cuda_lapack_help_addresses(const struct cuda_lapack *l, CUdeviceptr to,
				   uintptr_t base, int64_t step, int64_t n);
/* Copy @n pivots of each problem from packed int32 at @from to argument @arg,
   int64. */
dprp_rc cuda_lapack_help_widen(const struct cuda_lapack *l, int arg,
			       CUdeviceptr from, int64_t n);
/* Set the info of each problem: 0, or the number of the first element of the
   diagonal of argument 0 that is 0.  With UNIT no element counts. */
dprp_rc cuda_lapack_help_diagonal(const struct cuda_lapack *l);

/* A batch of matrices.  Strides are in bytes: from a matrix to the next, from a
   row and from a column to the next. */
struct cuda_matrices {
	uintptr_t at;
	int64_t step, row, column;
};
enum { CUDA_PART_ALL, CUDA_PART_LOWER, CUDA_PART_UPPER, CUDA_PART_CONJUGATED };
/* Copy matrices of @rows and @columns of the first @count problems.  @part: of
   triangles, only what is below or above the diagonal; or all, conjugated. */
dprp_rc cuda_lapack_help_copy(const struct cuda_lapack *l,
			      const struct cuda_matrices *to,
			      const struct cuda_matrices *from, int64_t rows,
			      int64_t columns, int64_t count, int part);
/* Make complex vectors, in argument 2 of problem @i, of the packed real ones at
   @from.  The values are in argument 1. */
dprp_rc cuda_lapack_help_spread(const struct cuda_lapack *l, CUdeviceptr from,
				int64_t i);

/* Set the int32 of each problem at @flags: 1 if its matrix has a NaN or, with
   @infinite, an infinite number, otherwise 0. */
dprp_rc cuda_lapack_help_mark(const struct cuda_lapack *l, CUdeviceptr flags,
			      bool infinite);
/* Set the info of each problem whose matrix is not finite to 1.  The infos must be
   packed, and argument 0 must still have the matrices. */
dprp_rc cuda_lapack_help_mark_infos(const struct cuda_lapack *l);
/* Make the diagonals of @count matrices NaN, from that of problem @i on, if their
   numbers at @flags are set. */
dprp_rc cuda_lapack_help_spoil(const struct cuda_lapack *l, CUdeviceptr flags,
			       int64_t i, int64_t count);

/* --- cuda_lapack_call.c --- */

/* Submit the calls for all problems. */
extern dprp_rc (*const cuda_lapack_call_list[LIBRARY_LAPACK_ROUTINES])(
	struct cuda_lapack *l);

#endif
