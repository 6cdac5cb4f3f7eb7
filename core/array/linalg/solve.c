/* SPDX-License-Identifier: Apache-2.0 */
/* solve.c - solutions of systems of linear equations, and inverse matrices. */
#include "core/array/linalg/solve.h"

#include <dpr/linalg.h>

#include "core/array/linalg/linalg.h"
#include "core/base/handles/handles.h"
#include "core/base/trace.h"

/* A system: x1 y = x2, with k columns. */
struct system {
	const dpr_array *x1, *x2;
	int64_t k;
	bool upper, unit; /* the arguments of dpr_solve_triangular() */
	dpr_array **out;
};

/* --- Any matrices --------------------------------------------------------- */

/* Whether the columns of @x are contiguous, not the rows. */
static bool is_column_major(const dpr_array *x)
{
	return !x->contiguous && array_strides(x)[x->rank - 2] == 1;
}

/* The matrices are copied as they lie in memory.  The routine sees those in C order
   transposed. */
static dpr_status solve_any(struct linalg *l, void *user)
{
	const struct system *s = user;
	const bool transposed = is_column_major(s->x1);
	struct lapack_call call = linalg_call(l, LAPACK_GESV);
	dpr_status status =
		linalg_take(l, s->x1, transposed, &l->kept[0]);

	if (!status)
		status = linalg_take(l, s->x2, true, &l->kept[1]);
	if (status)
		return status;
	call.flags = transposed ? 0 : DPRP_LAPACK_TRANSPOSED;
	call.k = s->k;
	call.arrays[call.n_arrays++] = l->kept[0];
	call.arrays[call.n_arrays++] = l->kept[1];
	status = lapack_launch(&call);
	return status ? status
		      : linalg_give(l, l->kept[1], s->x2->rank > 1, s->out);
}

/* Solve by @function, with @routine. */
static dpr_status solve(const char *what, struct system *s,
			enum lapack_routine routine, linalg_function function)
{
	struct linalg l;
	dpr_status status = linalg_check_places(what, &s->out, 1);

	if (!status)
		status = linalg_begin_two(what, s->x1, s->x2, &l, &s->k);
	if (!status)
		status = linalg_check_square(&l, s->x1);
	if (status)
		return status;
	status = l.n && s->k && l.count
			 ? linalg_run(&l, &routine, 1, function, s)
			 : linalg_fill(&l, l.dtype, s->x2->rank > 1 ? 2 : 1,
				       (const int64_t[]){ l.n, s->k }, 0,
				       s->out);
	return linalg_finish(what, status, &s->out, 1);
}

dpr_status dpr_solve(const dpr_array *x1, const dpr_array *x2, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x1, x2, out);
	struct system s = { .x1 = x1, .x2 = x2, .out = out };

	return solve("solve", &s, LAPACK_GESV, solve_any);
}

/* --- Triangular matrices -------------------------------------------------- */

static dpr_status solve_triangle(struct linalg *l, void *user)
{
	const struct system *s = user;
	const bool transposed = is_column_major(s->x1);
	struct lapack_call call = linalg_call(l, LAPACK_TRTRS);
	dpr_status status = linalg_borrow(l, s->x1, transposed, &l->kept[0]);

	if (!status)
		status = linalg_take(l, s->x2, true, &l->kept[1]);
	if (status)
		return status;
	/* The routine sees a matrix in C order transposed, and so a lower
	   triangle as the upper one. */
	call.flags = (s->upper == transposed ? DPRP_LAPACK_UPPER : 0) |
		     (transposed ? 0 : DPRP_LAPACK_TRANSPOSED) |
		     (s->unit ? DPRP_LAPACK_UNIT : 0);
	call.k = s->k;
	call.arrays[call.n_arrays++] = l->kept[0];
	call.arrays[call.n_arrays++] = l->kept[1];
	call.n_read = 1;
	status = lapack_launch(&call);
	return status ? status
		      : linalg_give(l, l->kept[1], s->x2->rank > 1, s->out);
}

dpr_status dpr_solve_triangular(const dpr_array *x1, const dpr_array *x2,
				int upper, int unit, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x1, x2, out);
	struct system s = { .x1 = x1,
			    .x2 = x2,
			    .upper = upper != 0,
			    .unit = unit != 0,
			    .out = out };

	return solve("solve_triangular", &s, LAPACK_TRTRS, solve_triangle);
}

/* --- Inverse matrices ----------------------------------------------------- */

/* Invert the matrices of kept[0], which become the inverses, by their factors.
   The arrays of both routines are the same. */
static dpr_status invert_factors(struct linalg *l)
{
	struct lapack_call factors = linalg_call(l, LAPACK_GETRF), call;
	dpr_status status =
		linalg_room(l, DPR_INT64, l->n, -1, &l->kept[1]);

	if (status)
		return status;
	factors.arrays[factors.n_arrays++] = l->kept[0];
	factors.arrays[factors.n_arrays++] = l->kept[1];
	call = factors;
	call.routine = LAPACK_GETRI;
	status = lapack_launch(&factors);
	return status ? status : lapack_launch(&call);
}

/* Set kept[1] to the inverses of the matrices of kept[0], as solutions for ones
   on the right side. */
static dpr_status invert_by_solving(struct linalg *l)
{
	struct lapack_call call = linalg_call(l, LAPACK_GESV);
	const dpr_status status =
		linalg_identity(l, l->queue, l->n, l->n, &l->kept[1]);

	if (status)
		return status;
	call.k = l->n;
	call.arrays[call.n_arrays++] = l->kept[0];
	call.arrays[call.n_arrays++] = l->kept[1];
	return lapack_launch(&call);
}

/* The inverse of a transposed matrix is the transposed inverse.  So a copy in C
   order gives the inverse in C order. */
static dpr_status invert(struct linalg *l, void *user)
{
	const struct system *s = user;
	dpr_status status = linalg_take(l, s->x1, false, &l->kept[0]);
	bool by_factors = false;

	if (!status)
		status = lapack_find(l->queue, LAPACK_GETRI, l->dtype,
				     &by_factors);
	if (!status && by_factors)
		status = lapack_find(l->queue, LAPACK_GETRF, l->dtype,
				     &by_factors);
	if (!status)
		status = by_factors ? invert_factors(l) : invert_by_solving(l);
	return status ? status
		      : linalg_give(l, l->kept[by_factors ? 0 : 1], false,
				    s->out);
}

dpr_status solve_inv(const char *what, const dpr_array *x, dpr_array **out)
{
	static const enum lapack_routine routines[] = { LAPACK_GESV };
	struct system s = { .x1 = x, .out = out };
	struct linalg l;
	dpr_status status = linalg_check_places(what, &out, 1);

	if (!status)
		status = linalg_begin_square(what, x, &l);
	if (status)
		return status;
	status = x->size ? linalg_run(&l, routines, 1, invert, &s)
			 : linalg_fill(&l, l.dtype, 2, &x->dim[l.n_batch], 0,
				       out);
	return linalg_finish(what, status, &out, 1);
}

dpr_status dpr_inv(const dpr_array *x, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	return solve_inv("inv", x, out);
}
