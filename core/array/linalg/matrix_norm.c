/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_norm.c - norms and condition numbers of matrices. */
#include <dpr/linalg.h>

#include <math.h>

#include <dpr/creation.h>
#include <dpr/elementwise.h>
#include <dpr/shapes.h>

#include "core/array/functions/reduce.h"
#include "core/array/linalg/linalg.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

static dpr_status check_order(const char *what, dpr_norm ord)
{
	if ((unsigned)ord <= DPR_NORM_MINUS_INF)
		return DPR_OK;
	return fail(DPR_ERROR_INVALID_ARGUMENT,
		    "%s: ord is %d, which is not a value of dpr_norm", what,
		    (int)ord);
}

static bool is_of_values(dpr_norm ord)
{
	return ord == DPR_NORM_NUC || ord == DPR_NORM_2 ||
	       ord == DPR_NORM_MINUS_2;
}

/* Whether the norm is the largest of some numbers, which is 0 without
   numbers. */
static bool is_largest(dpr_norm ord)
{
	return ord == DPR_NORM_1 || ord == DPR_NORM_2 || ord == DPR_NORM_INF;
}

/* --- Norms, with the last two axes as 1 ----------------------------------- */

/* Set *@out to a scale for each matrix of @a: its largest absolute value, or 1
   if this is 0, infinity or NaN.  After a division by the scale no square
   overflows. */
static dpr_status make_scale(const dpr_array *a, dpr_array **out)
{
	dpr_array *most, *finite = NULL, *positive = NULL, *usual = NULL;
	dpr_status status =
		reduce_array(REDUCTION__max, a, DPR_AXES_KEPT(-2, -1),
			     DPR_DTYPE_DEFAULT, &most);

	if (status)
		return status;
	status = dpr_isfinite(most, &finite);
	if (!status)
		status = dpr_greater(most, 0, &positive);
	if (!status)
		status = dpr_logical_and(finite, positive, &usual);
	if (!status)
		status = dpr_where(usual, most, 1, out);
	dpr_array_release(most);
	dpr_array_release(finite);
	dpr_array_release(positive);
	dpr_array_release(usual);
	return status;
}

/* The root of the sum of squares of the absolute values @a. */
static dpr_status frobenius(const dpr_array *a, dpr_array **out)
{
	dpr_array *scale = NULL, *x = NULL, *sum = NULL;
	dpr_status status;

	if (!a->size)
		return reduce_array(REDUCTION__sum, a, DPR_AXES_KEPT(-2, -1),
				    DPR_DTYPE_DEFAULT, out);
	status = make_scale(a, &scale);
	if (!status)
		status = dpr_divide(a, scale, &x);
	if (!status)
		status = dpr_multiply_into(x, x, x);
	if (!status)
		status = reduce_array(REDUCTION__sum, x, DPR_AXES_KEPT(-2, -1),
				      DPR_DTYPE_DEFAULT, &sum);
	if (!status)
		status = dpr_sqrt_into(sum, sum);
	if (!status)
		status = dpr_multiply(sum, scale, out);
	dpr_array_release(scale);
	dpr_array_release(x);
	dpr_array_release(sum);
	return status;
}

/* The largest, or the least, sum of @a along @axis. */
static dpr_status of_sums(const dpr_array *a, int axis, bool largest,
			  dpr_array **out)
{
	dpr_array *sums;
	dpr_status status = reduce_array(REDUCTION__sum, a, DPR_AXES_KEPT(axis),
					 DPR_DTYPE_DEFAULT, &sums);

	if (status)
		return status;
	status = largest ? reduce_array(REDUCTION__max, sums,
					DPR_AXES_KEPT(-2, -1),
					DPR_DTYPE_DEFAULT, out)
			 : reduce_array(REDUCTION__min, sums,
					DPR_AXES_KEPT(-2, -1),
					DPR_DTYPE_DEFAULT, out);
	dpr_array_release(sums);
	return status;
}

static dpr_status of_values(const dpr_array *x, dpr_norm ord, dpr_array **out)
{
	dpr_array *s, *column = NULL;
	dpr_status status = dpr_svdvals(x, &s);

	if (status)
		return status;
	status = dpr_expand_dims(s, -1, &column);
	if (!status)
		status = ord == DPR_NORM_NUC
				 ? reduce_array(REDUCTION__sum, column,
						DPR_AXES_KEPT(-2),
						DPR_DTYPE_DEFAULT, out)
			 : ord == DPR_NORM_2
				 ? reduce_array(REDUCTION__max, column,
						DPR_AXES_KEPT(-2),
						DPR_DTYPE_DEFAULT, out)
				 : reduce_array(REDUCTION__min, column,
						DPR_AXES_KEPT(-2),
						DPR_DTYPE_DEFAULT, out);
	dpr_array_release(s);
	dpr_array_release(column);
	return status;
}

static dpr_status norm(const dpr_array *x, dpr_norm ord, dpr_array **out)
{
	dpr_array *a;
	dpr_status status;

	if (is_of_values(ord))
		return of_values(x, ord, out);
	status = dpr_abs(x, &a);
	if (status)
		return status;
	switch (ord) {
	case DPR_NORM_1:
	case DPR_NORM_MINUS_1:
		status = of_sums(a, -2, ord == DPR_NORM_1, out);
		break;
	case DPR_NORM_INF:
	case DPR_NORM_MINUS_INF:
		status = of_sums(a, -1, ord == DPR_NORM_INF, out);
		break;
	default: status = frobenius(a, out); break;
	}
	dpr_array_release(a);
	return status;
}

dpr_status dpr_matrix_norm(const dpr_array *x, dpr_norm ord, int keepdims,
			   dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	dpr_array *kept = NULL;
	struct linalg l;
	dpr_status status = linalg_check_places("matrix_norm", &out, 1);

	if (!status)
		status = check_order("matrix_norm", ord);
	if (!status)
		status = linalg_begin("matrix_norm", x, &l);
	if (!status && (!l.m || !l.n) && is_largest(ord))
		status = linalg_fill(&l, l.real, 2, (const int64_t[]){ 1, 1 },
				     0, &kept);
	else if (!status)
		status = norm(x, ord, &kept);
	if (!status && keepdims)
		*out = dpr_array_retain(kept);
	else if (!status)
		status = dpr_squeeze(kept, DPR_AXES(-2, -1), out);
	dpr_array_release(kept);
	return linalg_finish("matrix_norm", status, &out, 1);
}

/* --- Condition numbers ---------------------------------------------------- */

/* Whether the condition number is a quotient of singular values. */
static bool is_ratio(dpr_norm ord)
{
	return ord == DPR_NORM_2 || ord == DPR_NORM_MINUS_2;
}

/* Divide the largest by the least singular value, or with DPR_NORM_MINUS_2 the
   other way round. */
static dpr_status divide_values(const dpr_array *x, dpr_norm ord,
				dpr_array **out)
{
	dpr_array *s, *most = NULL, *least = NULL;
	dpr_status status = dpr_svdvals(x, &s);

	if (status)
		return status;
	status = reduce_array(REDUCTION__max, s, DPR_AXES(-1),
			      DPR_DTYPE_DEFAULT, &most);
	if (!status)
		status = reduce_array(REDUCTION__min, s, DPR_AXES(-1),
				      DPR_DTYPE_DEFAULT, &least);
	if (!status)
		status = ord == DPR_NORM_MINUS_2 ? dpr_divide(least, most, out)
						 : dpr_divide(most, least, out);
	dpr_array_release(s);
	dpr_array_release(most);
	dpr_array_release(least);
	return status;
}

struct inverse {
	const dpr_array *x;
	dpr_array **out;      /* the inverse */
	dpr_array **singular; /* not 0: the matrix has none */
};

/* Compute what dpr_inv() computes, but accept singular matrices. */
static dpr_status invert(struct linalg *l, void *user)
{
	const struct inverse *v = user;
	struct lapack_call call = linalg_call(l, LAPACK_GESV);
	dpr_status status = linalg_take(l, v->x, false, &l->kept[0]);

	if (!status)
		status = linalg_identity(l, l->queue, l->n, l->n, &l->kept[1]);
	if (status)
		return status;
	call.k = l->n;
	call.arrays[call.n_arrays++] = l->kept[0];
	call.arrays[call.n_arrays++] = l->kept[1];
	call.info = &l->kept[2];
	status = lapack_launch(&call);
	if (!status)
		status = linalg_give(l, l->kept[1], false, v->out);
	return status ? status : linalg_give(l, l->kept[2], false, v->singular);
}

/* Set *@out to the nuclear norms of @x, or infinity for a matrix with an
   element that is not finite.  Such a matrix has no singular values. */
static dpr_status finite_nuclear(const dpr_array *x, dpr_array **out)
{
	dpr_array *finite, *all = NULL, *one = NULL, *cleared = NULL;
	dpr_array *norms = NULL;
	dpr_status status = dpr_isfinite(x, &finite);

	if (status)
		return status;
	status = reduce_array(REDUCTION__all, finite, DPR_AXES_KEPT(-2, -1),
			      DPR_DTYPE_DEFAULT, &all);
	if (!status)
		status = dpr_where(all, x, 0, &cleared);
	if (!status)
		status = dpr_matrix_norm(cleared, DPR_NORM_NUC, 0, &norms);
	if (!status)
		status = dpr_squeeze(all, DPR_AXES(-2, -1), &one);
	if (!status)
		status = dpr_where(one, norms, INFINITY, out);
	dpr_array_release(finite);
	dpr_array_release(all);
	dpr_array_release(one);
	dpr_array_release(cleared);
	dpr_array_release(norms);
	return status;
}

/* Multiply the norms of @x and of its inverse. */
static dpr_status multiply_norms(const dpr_array *x, const dpr_array *inverse,
				 dpr_norm ord, dpr_array **out)
{
	dpr_array *first, *second = NULL;
	dpr_status status = dpr_matrix_norm(x, ord, 0, &first);

	if (status)
		return status;
	status = ord == DPR_NORM_NUC
			 ? finite_nuclear(inverse, &second)
			 : dpr_matrix_norm(inverse, ord, 0, &second);
	if (!status)
		status = dpr_multiply(first, second, out);
	dpr_array_release(first);
	dpr_array_release(second);
	return status;
}

static dpr_status by_inverse(struct linalg *l, const dpr_array *x, dpr_norm ord,
			     dpr_array **out)
{
	static const enum lapack_routine routines[] = { LAPACK_GESV };
	dpr_array *inverse = NULL, *singular = NULL, *product = NULL;
	dpr_array *mask = NULL;
	struct inverse v = { x, &inverse, &singular };
	dpr_status status = linalg_run(l, routines, 1, invert, &v);

	if (!status)
		status = multiply_norms(x, inverse, ord, &product);
	if (!status)
		status = dpr_not_equal(singular, 0, &mask);
	if (!status)
		status = dpr_where(mask, INFINITY, product, out);
	dpr_array_release(inverse);
	dpr_array_release(singular);
	dpr_array_release(product);
	dpr_array_release(mask);
	return status;
}

/* Copy @numbers to *@out.  A NaN becomes infinity if the matrix of @x has no
   NaN: it came from 0 / 0 of a matrix of zeros, or from an inverse that
   overflowed. */
static dpr_status mend_nan(const dpr_array *x, const dpr_array *numbers,
			   dpr_array **out)
{
	dpr_array *given = NULL, *any = NULL, *none = NULL, *nan = NULL;
	dpr_status status = dpr_isnan(x, &given);

	if (!status)
		status = reduce_array(REDUCTION__any, given, DPR_AXES(-2, -1),
				      DPR_DTYPE_DEFAULT, &any);
	if (!status)
		status = dpr_logical_not(any, &none);
	if (!status)
		status = dpr_isnan(numbers, &nan);
	if (!status)
		status = dpr_logical_and_into(nan, none, nan);
	if (!status)
		status = dpr_where(nan, INFINITY, numbers, out);
	dpr_array_release(given);
	dpr_array_release(any);
	dpr_array_release(none);
	dpr_array_release(nan);
	return status;
}

dpr_status dpr_cond(const dpr_array *x, dpr_norm ord, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	dpr_array *made = NULL;
	struct linalg l;
	dpr_status status = linalg_check_places("cond", &out, 1);

	if (!status)
		status = check_order("cond", ord);
	if (!status)
		status = linalg_begin("cond", x, &l);
	if (status)
		return status;
	if (!l.m || !l.n)
		status = fail(DPR_ERROR_SHAPE,
			      "cond: the matrices have no elements");
	else if (!is_ratio(ord))
		status = linalg_check_square(&l, x);
	if (!status && !x->size)
		status = linalg_fill(&l, l.real, 0, NULL, 0, out);
	else if (!status)
		status = is_ratio(ord) ? divide_values(x, ord, &made)
				       : by_inverse(&l, x, ord, &made);
	if (!status && made)
		status = mend_nan(x, made, out);
	dpr_array_release(made);
	return linalg_finish("cond", status, &out, 1);
}
