/* SPDX-License-Identifier: Apache-2.0 */
/* determinant.c - LU factors, and determinants from them. */
#include <dpr/linalg.h>

#include <string.h>

#include <dpr/creation.h>
#include <dpr/elementwise.h>
#include <dpr/shapes.h>

#include "core/array/functions/reduce.h"
#include "core/array/linalg/linalg.h"
#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* The arrays of a call in struct linalg.  ZEROS has the number of the first
   pivot that is 0 of each matrix, or 0. */
enum { FACTORS, PIVOTS, FIRST, SECOND, THIRD, FOURTH, ZEROS };

struct factors {
	const dpr_array *x;
	dpr_array **out[3]; /* the results */
};

/* Factorise the matrices of @x.  Without @transposed the routine gets a copy in C
   order.  A routine takes such a copy for the transposed matrices. */
static dpr_status factorise(struct linalg *l, const dpr_array *x,
			    bool transposed)
{
	struct lapack_call call = linalg_call(l, LAPACK_GETRF);
	dpr_status status = linalg_take(l, x, transposed, &l->kept[FACTORS]);

	if (!status)
		status = linalg_room(l, DPR_INT64, l->m < l->n ? l->m : l->n,
				     -1, &l->kept[PIVOTS]);
	if (status)
		return status;
	call.arrays[call.n_arrays++] = l->kept[FACTORS];
	call.arrays[call.n_arrays++] = l->kept[PIVOTS];
	call.info = &l->kept[ZEROS];
	return lapack_launch(&call);
}

/* Copy the pivots to host memory, which the caller frees. */
static dpr_status read_pivots(const struct linalg *l, int64_t **out)
{
	const dpr_array *pivots = l->kept[PIVOTS];
	const size_t n = (size_t)pivots->size;
	dpr_status status;

	*out = mem_array(n, sizeof(**out));
	if (!*out)
		return fail_memory(l->what);
	status = dpr_array_to_memory(pivots, *out, n * sizeof(**out), NULL);
	if (status) {
		mem_free(*out);
		*out = NULL;
	}
	return status;
}

/* --- Determinants --------------------------------------------------------- */

/* Make an array of the batch with the signs of the permutations: each pivot
   that is not its own row changes the sign. */
static dpr_status make_signs(const struct linalg *l, dpr_array **out)
{
	int64_t *pivots;
	dpr_array *made = NULL;
	int8_t *signs;
	dpr_status status = read_pivots(l, &pivots);

	if (status)
		return status;
	signs = mem_array((size_t)l->count, sizeof(*signs));
	for (int64_t i = 0; signs && i < l->count; i++) {
		signs[i] = 1;
		for (int64_t k = 0; k < l->n; k++)
			if (pivots[i * l->n + k] != k + 1)
				signs[i] = (int8_t)-signs[i];
	}
	mem_free(pivots);
	if (!signs)
		return fail_memory(l->what);
	status =
		dpr_array_from_memory(signs, dpr_shape_of(l->n_batch, l->batch),
				      NULL, DPR_INT8, l->queue, &made);
	mem_free(signs);
	if (!status)
		status = dpr_astype(made, l->real, out);
	dpr_array_release(made);
	return status;
}

/* Set kept[FIRST] to the diagonals of the factors, and kept[SECOND] to the
   signs. */
static dpr_status begin_determinant(struct linalg *l, const dpr_array *x)
{
	/* A transposed matrix has the same determinant. */
	dpr_status status = factorise(l, x, false);

	if (!status)
		status = dpr_diagonal(l->kept[FACTORS], 0, &l->kept[FIRST]);
	return status ? status : make_signs(l, &l->kept[SECOND]);
}

/* Multiply the elements of each row of @x, and multiply each product by the
   sign in kept[SECOND].  The result is 0 for a matrix with a pivot of 0, whose
   product may be -0, or NaN after an overflow. */
static dpr_status multiply_all(struct linalg *l, const dpr_array *x,
			       dpr_array **out)
{
	dpr_array *product, *all = NULL, *regular = NULL;
	dpr_status status = reduce_array(REDUCTION__prod, x, DPR_AXES(-1),
					 DPR_DTYPE_DEFAULT, &product);

	if (status)
		return status;
	status = dpr_multiply(product, l->kept[SECOND], &all);
	if (!status)
		status = dpr_equal(l->kept[ZEROS], 0, &regular);
	if (!status)
		status = dpr_where(regular, all, 0, out);
	dpr_array_release(product);
	dpr_array_release(all);
	dpr_array_release(regular);
	return status;
}

static dpr_status determinant(struct linalg *l, void *user)
{
	const struct factors *f = user;
	dpr_status status = begin_determinant(l, f->x);

	if (!status)
		status = multiply_all(l, l->kept[FIRST], &l->kept[THIRD]);
	return status ? status
		      : linalg_give(l, l->kept[THIRD], false, f->out[0]);
}

dpr_status dpr_det(const dpr_array *x, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	static const enum lapack_routine routines[] = { LAPACK_GETRF };
	struct factors f = { .x = x, .out = { out } };
	struct linalg l;
	dpr_status status = linalg_check_places("det", f.out, 1);

	if (!status)
		status = linalg_begin_square("det", x, &l);
	if (status)
		return status;
	/* The product of no elements is 1. */
	status = x->size ? linalg_run(&l, routines, 1, determinant, &f)
			 : linalg_fill(&l, l.dtype, 0, NULL, 1, out);
	return linalg_finish("det", status, f.out, 1);
}

/* Set *@out to the sums of the logarithms of the absolute values of @x. */
static dpr_status add_logarithms(struct linalg *l, const dpr_array *x,
				 dpr_array **out)
{
	dpr_status status = dpr_abs(x, &l->kept[FOURTH]);

	if (!status)
		status = dpr_log_into(l->kept[FOURTH], l->kept[FOURTH]);
	return status ? status
		      : reduce_array(REDUCTION__sum, l->kept[FOURTH],
				     DPR_AXES(-1), DPR_DTYPE_DEFAULT, out);
}

static dpr_status sign_and_logarithm(struct linalg *l, void *user)
{
	const struct factors *f = user;
	dpr_array *sign = NULL, *sum = NULL;
	dpr_status status = begin_determinant(l, f->x);

	if (!status)
		status = dpr_sign(l->kept[FIRST], &l->kept[THIRD]);
	if (!status)
		status = multiply_all(l, l->kept[THIRD], &sign);
	if (!status)
		status = add_logarithms(l, l->kept[FIRST], &sum);
	if (!status)
		status = linalg_give(l, sign, false, f->out[0]);
	if (!status)
		status = linalg_give(l, sum, false, f->out[1]);
	dpr_array_release(sign);
	dpr_array_release(sum);
	return status;
}

dpr_status dpr_slogdet(const dpr_array *x, dpr_array **sign,
		       dpr_array **logabsdet)
{
	TRACE_CALL;
	HANDLES(x, sign, logabsdet);
	static const enum lapack_routine routines[] = { LAPACK_GETRF };
	struct factors f = { .x = x, .out = { sign, logabsdet } };
	struct linalg l;
	dpr_status status = linalg_check_places("slogdet", f.out, 2);

	if (!status)
		status = linalg_begin_square("slogdet", x, &l);
	if (status)
		return status;
	if (x->size) {
		status = linalg_run(&l, routines, 1, sign_and_logarithm, &f);
	} else {
		status = linalg_fill(&l, l.dtype, 0, NULL, 1, sign);
		if (!status)
			status = linalg_fill(&l, l.real, 0, NULL, 0, logabsdet);
	}
	return linalg_finish("slogdet", status, f.out, 2);
}

/* --- LU ------------------------------------------------------------------- */

/* Make an array of the shape (..., 1, m).  Element i is the number of the row
   of x that is row i of the product of the triangles. */
static dpr_status make_rows(const struct linalg *l, dpr_array **out)
{
	const int64_t n = l->m < l->n ? l->m : l->n;
	int64_t *pivots, *rows, shape[DPR_MAX_RANK];
	int rank = l->n_batch;
	dpr_status status = read_pivots(l, &pivots);

	if (status)
		return status;
	rows = mem_array((size_t)(l->count * l->m), sizeof(*rows));
	for (int64_t i = 0; rows && i < l->count; i++) {
		int64_t *row = rows + i * l->m;

		for (int64_t k = 0; k < l->m; k++)
			row[k] = k;
		for (int64_t k = 0; k < n; k++) {
			const int64_t at = pivots[i * n + k] - 1;
			const int64_t before = row[k];

			row[k] = row[at];
			row[at] = before;
		}
	}
	mem_free(pivots);
	if (!rows)
		return fail_memory(l->what);
	memcpy(shape, l->batch, (size_t)rank * sizeof(int64_t));
	shape[rank++] = 1;
	shape[rank++] = l->m;
	status = dpr_array_from_memory(rows, dpr_shape_of(rank, shape), NULL,
				       DPR_INT64, l->queue, out);
	mem_free(rows);
	return status;
}

/* Make the permutation matrix. */
static dpr_status permutation(struct linalg *l, dpr_array **out)
{
	dpr_array *index = NULL, *column = NULL, *equal = NULL;
	dpr_status status = make_rows(l, &l->kept[FIRST]);

	if (!status)
		status = dpr_arange(0, l->m, 1, DPR_INT64, l->queue, &index);
	if (!status)
		status = dpr_expand_dims(index, -1, &column);
	if (!status)
		status = dpr_equal(l->kept[FIRST], column, &equal);
	if (!status)
		status = dpr_astype(equal, l->dtype, &l->kept[SECOND]);
	if (!status)
		status = linalg_give(l, l->kept[SECOND], false, out);
	dpr_array_release(index);
	dpr_array_release(column);
	dpr_array_release(equal);
	return status;
}

/* Set kept[@at] to the factors: all rows and the first columns, or with
   @upper the first rows and all columns. */
static dpr_status take_part(struct linalg *l, bool upper, int at)
{
	const int64_t n = l->m < l->n ? l->m : l->n;
	const dpr_index part = DPR_SLICE(DPR_OPEN, n, 1);
	dpr_array *whole;
	dpr_status status = dpr_matrix_transpose(l->kept[FACTORS], &whole);

	if (status)
		return status;
	status = dpr_array_view(whole, &l->kept[at], DPR_ELLIPSIS,
				upper ? part : DPR_ALL, upper ? DPR_ALL : part);
	dpr_array_release(whole);
	return status;
}

/* Make the lower triangle, with ones on its diagonal. */
static dpr_status lower_triangle(struct linalg *l, dpr_array **out)
{
	dpr_array *below = NULL, *one = NULL, *sum = NULL;
	dpr_status status = take_part(l, false, THIRD);

	if (!status)
		status = dpr_tril(l->kept[THIRD], -1, &below);
	if (!status)
		status = dpr_eye(l->m, l->m < l->n ? l->m : l->n, 0, l->dtype,
				 l->queue, &one);
	if (!status)
		status = dpr_add(below, one, &sum);
	if (!status)
		status = linalg_give(l, sum, false, out);
	dpr_array_release(below);
	dpr_array_release(one);
	dpr_array_release(sum);
	return status;
}

static dpr_status upper_triangle(struct linalg *l, dpr_array **out)
{
	dpr_array *upper = NULL;
	dpr_status status = take_part(l, true, FOURTH);

	if (!status)
		status = dpr_triu(l->kept[FOURTH], 0, &upper);
	if (!status)
		status = linalg_give(l, upper, false, out);
	dpr_array_release(upper);
	return status;
}

static dpr_status lu_factors(struct linalg *l, void *user)
{
	const struct factors *f = user;
	dpr_status status = factorise(l, f->x, true);

	if (!status)
		status = permutation(l, f->out[0]);
	if (!status)
		status = lower_triangle(l, f->out[1]);
	return status ? status : upper_triangle(l, f->out[2]);
}

/* Make the factors of matrices without elements. */
static dpr_status lu_of_nothing(const struct linalg *l, const struct factors *f)
{
	const int64_t n = l->m < l->n ? l->m : l->n;
	dpr_status status = linalg_identity(l, l->home, l->m, l->m, f->out[0]);

	if (!status)
		status =
			linalg_fill(l, l->dtype, 2,
				    (const int64_t[]){ l->m, n }, 0, f->out[1]);
	return status ? status
		      : linalg_fill(l, l->dtype, 2,
				    (const int64_t[]){ n, l->n }, 0, f->out[2]);
}

dpr_status dpr_lu(const dpr_array *x, dpr_array **p, dpr_array **l,
		  dpr_array **u)
{
	TRACE_CALL;
	HANDLES(x, p, l, u);
	static const enum lapack_routine routines[] = { LAPACK_GETRF };
	struct factors f = { .x = x, .out = { p, l, u } };
	struct linalg call;
	dpr_status status = linalg_check_places("lu", f.out, 3);

	if (!status)
		status = linalg_begin("lu", x, &call);
	if (status)
		return status;
	status = x->size ? linalg_run(&call, routines, 1, lu_factors, &f)
			 : lu_of_nothing(&call, &f);
	return linalg_finish("lu", status, f.out, 3);
}
