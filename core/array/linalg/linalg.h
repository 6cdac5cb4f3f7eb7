/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linalg.h - the operands of linear algebra, and where a routine runs.
 *
 * A routine runs on the queue of the operands if its device has the routine,
 * else on the host backend.  linalg_take() and linalg_borrow() copy operands to
 * where the routine runs, and linalg_give() copies results back.
 *
 * LAPACK has matrices in column-major order: the elements of a column are
 * neighbours.  So a routine sees the matrices of a C-contiguous array
 * transposed.  Where it must see the matrices themselves, it gets a
 * C-contiguous array of the shape (..., columns, rows) instead (@transposed).
 */
#ifndef ARRAY_LINALG_H
#define ARRAY_LINALG_H

#include "core/array/linalg/lapack.h"
#include "core/array/object/array.h"

/* A call of a function, for a batch of matrices. */
struct linalg {
	const char *what;   /* the function's name, for errors */
	const char *name;   /* the operand's name, for errors: "x" or "x1" */
	const dpr_array *x; /* the operand of this name */
	dpr_dtype dtype;    /* the dtype in which routines compute */
	dpr_dtype real;     /* the real dtype of the same precision */
	int64_t m, n;       /* rows and columns of a matrix of the operand */
	int n_batch;
	int64_t count; /* the number of matrices */
	int64_t batch[DPR_MAX_RANK];
	dpr_queue *home;   /* the queue of the operands and the results */
	dpr_usm_kind kind; /* the kind of the results' memory */
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

/* Do the same as linalg_begin(), for a function of square matrices.
   DPR_ERROR_SHAPE: the matrices are not square. */
dpr_status linalg_begin_square(const char *what, const dpr_array *x,
			       struct linalg *out);

/* Begin a function with two operands.  @out gets the rows and columns of @x1,
   the dtype to which both operands are promoted, and the batch to which both
   are broadcast.  An @x2 with one axis is a vector; with more axes it has
   matrices.  *@k is the number of columns of @x2, or 1 for a vector.
   DPR_ERROR_SHAPE: also if @x1 and @x2 differ in their number of rows. */
dpr_status linalg_begin_two(const char *what, const dpr_array *x1,
			    const dpr_array *x2, struct linalg *out,
			    int64_t *k);

/* Fail because the matrices are not square. */
dpr_status linalg_check_square(const struct linalg *l, const dpr_array *x);

/* Set the places for results to NULL, and fail if one of them is NULL. */
dpr_status linalg_check_places(const char *what, dpr_array ***out, int n);

/* Computes a function, by routines that run on l->queue.  @user is the argument
   of linalg_run(). */
typedef dpr_status (*linalg_function)(struct linalg *l, void *user);

/*
 * Run @function on the queue of the operands if its device has all @n
 * @routines, else on the host backend.  If a routine does not take the numbers
 * of the call on that queue, @function runs again on the host backend.
 *
 * DPR_ERROR_UNSUPPORTED: no library has the routines; the text says which
 * library to install.
 */
dpr_status linalg_run(struct linalg *l, const enum lapack_routine *routines,
		      int n, linalg_function function, void *user);

/* How many functions of this thread linalg_run() has run with success: on the
   queue of the operands, and on the host backend instead. */
struct linalg_runs {
	uint64_t at_home, away;
};
struct linalg_runs linalg_runs(void);

/* Begin the description of a launch of @routine.  The caller sets k and the
   flags, and adds the arrays. */
static inline struct lapack_call linalg_call(const struct linalg *l,
					     enum lapack_routine routine)
{
	return (struct lapack_call){ .what = l->what,
				     .name = l->name,
				     .x = l->x,
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
 * The axes of @x before the last two are broadcast to the batch of the call.
 * If @x has one axis, it is a vector, which is broadcast to the batch.
 * @transposed: the copy is transposed, so that a routine sees the matrices of
 * @x themselves.
 */
dpr_status linalg_take(const struct linalg *l, const dpr_array *x,
		       bool transposed, dpr_array **out);

/* Do the same as linalg_take(), but return a view of @x if no copy is needed.
   The caller must not write to the result. */
dpr_status linalg_borrow(const struct linalg *l, const dpr_array *x,
			 bool transposed, dpr_array **out);

/* Make an array on l->queue with room for a matrix or, with @rows < 0, for a
   vector of @columns elements, for each matrix of the batch. */
dpr_status linalg_room(const struct linalg *l, dpr_dtype dtype, int64_t columns,
		       int64_t rows, dpr_array **out);

/* Give @x, an array on l->queue, to the caller: *@out becomes an array or a
   view on the queue of the operands.  @transposed: the matrices are transposed.
   If there is an array at @out, it is released, because linalg_run() may run a
   function twice. */
dpr_status linalg_give(const struct linalg *l, const dpr_array *x,
		       bool transposed, dpr_array **out);

/* Make an array of the batch's axes and @shape behind them, filled with
   @value.  It is on the queue of the operands. */
dpr_status linalg_fill(const struct linalg *l, dpr_dtype dtype, int rank,
		       const int64_t *shape, double value, dpr_array **out);

/* Make a matrix with ones on its diagonal for each index of the batch, on
   @queue: l->home or l->queue. */
dpr_status linalg_identity(const struct linalg *l, dpr_queue *queue,
			   int64_t rows, int64_t columns, dpr_array **out);

/* Compute the factors of dpr_svd() without full_matrices, for the function of
   @l.  Errors name this function and its operand. */
dpr_status svd_factors(const struct linalg *l, const dpr_array *x,
		       dpr_array **u, dpr_array **s, dpr_array **vh);

/* End a function with @n results at @out.  If @status is a failure, they are
   released and set to NULL, and the text gets the name of the function. */
dpr_status linalg_finish(const char *what, dpr_status status, dpr_array ***out,
			 int n);

#endif
