/* SPDX-License-Identifier: Apache-2.0 */
/* qr.c - dpr_qr(). */
#include <dpr/linalg.h>

#include <dpr/creation.h>
#include <dpr/shapes.h>

#include "core/array/linalg/linalg.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* The arrays of a call in struct linalg. */
enum { MATRIX, TAU, VIEW, PART, TRIANGLE, Q };

struct qr {
	const dpr_array *x;
	int64_t columns; /* the columns of q, which are the rows of r */
	dpr_array **out[2];
};

/* Give the upper triangle to the caller. */
static dpr_status give_r(struct linalg *l, const struct qr *qr)
{
	dpr_status status =
		dpr_matrix_transpose(l->kept[MATRIX], &l->kept[VIEW]);

	if (!status)
		status = dpr_array_view(
			l->kept[VIEW], &l->kept[PART], DPR_ELLIPSIS,
			DPR_SLICE(DPR_OPEN, qr->columns, 1), DPR_ALL);
	if (!status)
		status = dpr_triu(l->kept[PART], 0, &l->kept[TRIANGLE]);
	return status ? status
		      : linalg_give(l, l->kept[TRIANGLE], false, qr->out[1]);
}

/* Set kept[Q] to an array (..., columns, m) that has the reflectors.  If q has
   more columns than the matrix, the reflectors are copied to a new array with
   more columns. */
static dpr_status take_reflectors(struct linalg *l, const struct qr *qr)
{
	const dpr_index first =
		DPR_SLICE(DPR_OPEN, l->n < qr->columns ? l->n : qr->columns, 1);
	dpr_array *to, *from;
	dpr_status status;

	if (qr->columns <= l->n)
		return dpr_array_view(l->kept[MATRIX], &l->kept[Q],
				      DPR_ELLIPSIS, first, DPR_ALL);
	status = linalg_room(l, l->dtype, qr->columns, l->m, &l->kept[Q]);
	if (status)
		return status;
	/* The routine does not read the other columns.  They get a value, so
	   that no memory is read before it is written. */
	status = dpr_copy_into(l->kept[Q], dpr_operand_int(0));
	if (!status)
		status = dpr_array_view(l->kept[Q], &to, DPR_ELLIPSIS, first,
					DPR_ALL);
	if (status)
		return status;
	from = l->kept[MATRIX];
	status = dpr_copy_into(to, dpr_operand_array(from));
	dpr_array_release(to);
	return status;
}

static dpr_status give_q(struct linalg *l, const struct qr *qr)
{
	struct lapack_call call = linalg_call(l, LAPACK_ORGQR);
	dpr_status status = take_reflectors(l, qr);

	if (status)
		return status;
	call.n = qr->columns;
	call.k = l->m < l->n ? l->m : l->n;
	call.arrays[call.n_arrays++] = l->kept[Q];
	call.arrays[call.n_arrays++] = l->kept[TAU];
	status = lapack_launch(&call);
	return status ? status : linalg_give(l, l->kept[Q], true, qr->out[0]);
}

static dpr_status factor(struct linalg *l, void *user)
{
	const struct qr *qr = user;
	struct lapack_call call = linalg_call(l, LAPACK_GEQRF);
	dpr_status status = linalg_take(l, qr->x, true, &l->kept[MATRIX]);

	if (!status)
		status = linalg_room(l, l->dtype, l->m < l->n ? l->m : l->n, -1,
				     &l->kept[TAU]);
	if (status)
		return status;
	call.arrays[call.n_arrays++] = l->kept[MATRIX];
	call.arrays[call.n_arrays++] = l->kept[TAU];
	status = lapack_launch(&call);
	if (!status)
		status = give_r(l, qr);
	return status ? status : give_q(l, qr);
}

/* Make the factors of matrices without elements. */
static dpr_status factor_nothing(const struct linalg *l, const struct qr *qr)
{
	dpr_status status =
		linalg_identity(l, l->home, l->m, qr->columns, qr->out[0]);

	return status ? status
		      : linalg_fill(l, l->dtype, 2,
				    (const int64_t[]){ qr->columns, l->n }, 0,
				    qr->out[1]);
}

dpr_status dpr_qr(const dpr_array *x, dpr_qr_mode mode, dpr_array **q,
		  dpr_array **r)
{
	TRACE_CALL;
	HANDLES(x, q, r);
	static const enum lapack_routine routines[] = { LAPACK_GEQRF,
							LAPACK_ORGQR };
	struct qr qr = { .x = x, .out = { q, r } };
	struct linalg l;
	dpr_status status = linalg_check_places("qr", qr.out, 2);

	if (!status && (unsigned)mode > DPR_QR_COMPLETE)
		status = fail(DPR_ERROR_INVALID_ARGUMENT,
			      "qr: mode is %d, which is not a value of "
			      "dpr_qr_mode",
			      (int)mode);
	if (!status)
		status = linalg_begin("qr", x, &l);
	if (status)
		return status;
	qr.columns = mode == DPR_QR_COMPLETE || l.m < l.n ? l.m : l.n;
	status = x->size ? linalg_run(&l, routines, 2, factor, &qr)
			 : factor_nothing(&l, &qr);
	return linalg_finish("qr", status, qr.out, 2);
}
