/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linalg.h - the operands of linear algebra, and where a routine runs.
 *
 * A routine runs on the queue of the operands, if its device has the routine,
 * else on the host backend.  linalg_take() and its like copy operands to where
 * the routine runs, linalg_give() copies results back.
 *
 * LAPACK has matrices in column-major order.  A C-contiguous array of the shape
 * (..., columns, rows) is such a matrix: this is how arrays are passed to a
 * routine.  So a C-contiguous matrix that is passed as it is counts as its
 * transposed.
 */
#ifndef ARRAY_LINALG_H
#define ARRAY_LINALG_H

#include "core/array/linalg/lapack.h"
#include "core/array/object/array.h"

/* A call of a function, for a batch of matrices. */
struct linalg {
	const char *what; /* the function's name, for errors */
	const char *name; /* the operand's name, for errors: "x" or "x1" */
	dpr_dtype dtype;  /* in which routines compute */
	dpr_dtype real;   /* the real dtype of the same precision */
	int64_t m, n;     /* rows and columns of a matrix of the operand */
	int n_batch;
	int64_t count; /* the number of matrices */
	int64_t batch[DPR_MAX_RANK];
	dpr_queue *home;   /* the queue of the operands and the results */
	dpr_usm_kind kind; /* of memory, for results */
	dpr_queue *queue;  /* where routines run */
	/* Arrays of the call; linalg_run() releases them.  Functions get NULLs,
	   and use them as they like. */
	dpr_array *kept[8];
};

/*
 * Begin the function @what with one operand: check @x, and describe it.
 * DPR_ERROR_INVALID_ARGUMENT: @x is NULL.  DPR_ERROR_SHAPE: fewer than two
 * axes.  DPR_ERROR_DTYPE: another dtype than float32, float64, complex64 and
 * complex128.
 */
dpr_status linalg_begin(const char *what, const dpr_array *x,
			struct linalg *out);

/* As linalg_begin(), and the matrices must be square.  DPR_ERROR_SHAPE: they
   are not. */
dpr_status linalg_begin_square(const char *what, const dpr_array *x,
			       struct linalg *out);

/* Begin a function with two operands.  @x1 is described.  The dtype is that to
   which both are promoted, and the batch is broadcast.  If @x2 has one axis, it
   is one vector, else it has matrices.  *@k is their number of columns, or 1.
   DPR_ERROR_SHAPE: also if @x2 does not have as many rows as @x1. */
dpr_status linalg_begin_two(const char *what, const dpr_array *x1,
			    const dpr_array *x2, struct linalg *out,
			    int64_t *k);

/* Fail because the matrices are not square. */
dpr_status linalg_check_square(const struct linalg *l, const dpr_array *x);

/* Set the places for results to NULL, and fail if one of them is NULL. */
dpr_status linalg_check_places(const char *what, dpr_array ***out, int n);

/* What a function computes, with routines that run on l->queue.  @user is that
   of linalg_run(). */
typedef dpr_status (*linalg_function)(struct linalg *l, void *user);

/*
 * Run @function where all @n @routines are.  If a routine does not take the
 * numbers of the call there, @function runs again on the host backend.
 * DPR_ERROR_UNSUPPORTED: no library has the routines; the text says which one
 * to install.
 */
dpr_status linalg_run(struct linalg *l, const enum lapack_routine *routines,
		      int n, linalg_function function, void *user);

/* A launch of @routine for the call, without numbers and arrays. */
static inline struct lapack_call linalg_call(const struct linalg *l,
					     enum lapack_routine routine)
{
	return (struct lapack_call){ .what = l->what,
				     .name = l->name,
				     .queue = l->queue,
				     .dtype = l->dtype,
				     .n_batch = l->n_batch,
				     .batch = l->batch,
				     .routine = routine,
				     .m = l->m,
				     .n = l->n };
}

/*
 * Copy @x to a new C-contiguous array on l->queue, in the dtype of the call.
 * Its axes before the last two are broadcast to those of the call.  One axis is
 * a vector, which is broadcast, too.  @turned: the matrices are transposed, so
 * that a routine gets them as they are.
 */
dpr_status linalg_take(const struct linalg *l, const dpr_array *x, bool turned,
		       dpr_array **out);

/* As linalg_take(), but if possible the result is @x itself, which must not be
   written. */
dpr_status linalg_borrow(const struct linalg *l, const dpr_array *x,
			 bool turned, dpr_array **out);

/* Make an array on l->queue with room for a matrix or, with @rows < 0, for a
   vector of @columns elements, for each matrix of the batch. */
dpr_status linalg_room(const struct linalg *l, dpr_dtype dtype, int64_t columns,
		       int64_t rows, dpr_array **out);

/* Give @x, an array on l->queue, to the caller: *@out is an array or view on
   the queue of the operands.  @turned: the matrices are transposed.  An array
   that was at @out is released: linalg_run() may run a function twice. */
dpr_status linalg_give(const struct linalg *l, const dpr_array *x, bool turned,
		       dpr_array **out);

/* Make an array of the batch's axes and @shape behind them, filled with
   @value.  It is on the queue of the operands. */
dpr_status linalg_fill(const struct linalg *l, dpr_dtype dtype, int rank,
		       const int64_t *shape, double value, dpr_array **out);

/* Make a matrix with ones on its diagonal for each index of the batch, on
   @queue: l->home or l->queue. */
dpr_status linalg_identity(const struct linalg *l, dpr_queue *queue,
			   int64_t rows, int64_t columns, dpr_array **out);

/* End a function with @n results at @out.  If @status is a failure, they are
   released and set to NULL, and the text gets the name of the function. */
dpr_status linalg_finish(const char *what, dpr_status status, dpr_array ***out,
			 int n);

#endif
