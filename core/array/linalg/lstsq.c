/* SPDX-License-Identifier: Apache-2.0 */
/* lstsq.c - what is computed from singular values, of which some count as 0:
   ranks, pseudo-inverses and least squares. */
#include <dpr/linalg.h>

#include <dpr/creation.h>
#include <dpr/elementwise.h>
#include <dpr/products.h>
#include <dpr/shapes.h>

#include "core/array/functions/reduce.h"
#include "core/array/layout/layout.h"
#include "core/array/linalg/linalg.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* --- Which singular values count ------------------------------------------ */

/* Check that the array @rtol broadcasts to the batch of @x. */
static dpr_status check_rtol_shape(const struct linalg *l, const dpr_array *x,
				   const dpr_array *rtol)
{
	const int n_batch = x->rank - 2;
	char text[160], shape[160];
	bool good = rtol->rank <= n_batch;

	for (int d = 1; good && d <= rtol->rank; d++)
		good = rtol->dim[rtol->rank - d] == 1 ||
		       rtol->dim[rtol->rank - d] == x->dim[n_batch - d];
	if (good)
		return DPR_OK;
	return fail(DPR_ERROR_SHAPE,
		    "%s: rtol has the shape %s, which does not broadcast to "
		    "%s, the axes of %s before the last two",
		    l->what,
		    layout_shape_text(text, sizeof(text), rtol->rank,
				      array_shape(rtol)),
		    layout_shape_text(shape, sizeof(shape), n_batch,
				      array_shape(x)),
		    l->name);
}

static dpr_status check_rtol(const char *what, dpr_operand rtol)
{
	const bool array = rtol.kind == DPR_OPERAND_ARRAY;

	if (array && !rtol.as.array)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: rtol is NULL",
			    what);
	if (rtol.kind == DPR_OPERAND_COMPLEX ||
	    (array && dpr_dtype_kind(rtol.as.array->dtype) == 'c'))
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: rtol is complex",
			    what);
	if (rtol.kind > DPR_OPERAND_NONE)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: rtol is of an unknown kind", what);
	return DPR_OK;
}

/* Check @rtol as check_rtol() does.  Also check that its shape fits the batch
   of @x. */
static dpr_status check_rtol_of(const struct linalg *l, const dpr_array *x,
				dpr_operand rtol)
{
	const dpr_status status = check_rtol(l->what, rtol);

	return status || rtol.kind != DPR_OPERAND_ARRAY
		       ? status
		       : check_rtol_shape(l, x, rtol.as.array);
}

/* Set *@out to the limits (..., 1): rtol times the largest value of @s. */
static dpr_status make_limits(const struct linalg *l, const dpr_array *s,
			      dpr_operand rtol, dpr_array **out)
{
	dpr_array *most, *column = NULL;
	dpr_float_limits limits;
	dpr_status status = dpr_finfo(l->dtype, &limits);

	if (!status)
		status = reduce_array(REDUCTION__max, s, DPR_AXES_KEPT(-1),
				      DPR_DTYPE_DEFAULT, &most);
	if (status)
		return status;
	if (rtol.kind == DPR_OPERAND_NONE) {
		rtol = dpr_operand_float(limits.eps *
					 (double)(l->m > l->n ? l->m : l->n));
	} else if (rtol.kind == DPR_OPERAND_ARRAY) {
		status = dpr_expand_dims(rtol.as.array, -1, &column);
		rtol = dpr_operand_array(column);
	}
	if (!status)
		status = dpr_multiply(most, rtol, out);
	dpr_array_release(column);
	dpr_array_release(most);
	return status;
}

/* Set *@out to whether each value of @s counts. */
static dpr_status choose(const struct linalg *l, const dpr_array *s,
			 dpr_operand rtol, dpr_array **out)
{
	dpr_array *limits;
	dpr_status status = make_limits(l, s, rtol, &limits);

	if (status)
		return status;
	status = dpr_greater(s, limits, out);
	dpr_array_release(limits);
	return status;
}

/* Set *@out to 1 / s where @chosen, else to 0. */
static dpr_status reciprocals(const dpr_array *s, const dpr_array *chosen,
			      dpr_array **out)
{
	dpr_array *quotient;
	dpr_status status = dpr_divide(1, s, &quotient);

	if (status)
		return status;
	status = dpr_where(chosen, quotient, 0, out);
	dpr_array_release(quotient);
	return status;
}

/* --- Factors -------------------------------------------------------------- */

/* The factors of matrices, and which singular values count. */
struct lstsq_parts {
	dpr_array *u, *s, *vh, *chosen;
};

static void drop_parts(struct lstsq_parts *p)
{
	dpr_array_release(p->u);
	dpr_array_release(p->s);
	dpr_array_release(p->vh);
	dpr_array_release(p->chosen);
}

static dpr_status make_parts(const struct linalg *l, const dpr_array *x,
			     dpr_operand rtol, struct lstsq_parts *out)
{
	dpr_status status = svd_factors(l, x, &out->u, &out->s, &out->vh);

	return status ? status : choose(l, out->s, rtol, &out->chosen);
}

/* Set *@out to the conjugate transposed of @x. */
static dpr_status adjoint(const dpr_array *x, dpr_array **out)
{
	dpr_array *conjugate;
	dpr_status status;

	if (dpr_dtype_kind(x->dtype) != 'c')
		return dpr_matrix_transpose(x, out);
	status = dpr_conj(x, &conjugate);
	if (status)
		return status;
	status = dpr_matrix_transpose(conjugate, out);
	dpr_array_release(conjugate);
	return status;
}

/* Set *@out to vh^H diag(1 / s) @y.  Each singular value has a row of @y.  For
   a value that does not count, 1 / s is 0. */
static dpr_status expand(const struct lstsq_parts *p, const dpr_array *y,
			 dpr_array **out)
{
	dpr_array *r = NULL, *column = NULL, *scaled = NULL, *v = NULL;
	dpr_status status = reciprocals(p->s, p->chosen, &r);

	if (!status)
		status = dpr_expand_dims(r, -1, &column);
	if (!status)
		status = dpr_multiply(column, y, &scaled);
	if (!status)
		status = adjoint(p->vh, &v);
	if (!status)
		status = dpr_matmul(v, scaled, out);
	dpr_array_release(r);
	dpr_array_release(column);
	dpr_array_release(scaled);
	dpr_array_release(v);
	return status;
}

/* --- Ranks ---------------------------------------------------------------- */

dpr_status(dpr_matrix_rank)(const dpr_array *x, dpr_operand rtol,
			    dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, rtol, out);
	dpr_array *s = NULL, *chosen = NULL;
	struct linalg l;
	dpr_status status = linalg_check_places("matrix_rank", &out, 1);

	if (!status)
		status = linalg_begin("matrix_rank", x, &l);
	if (!status)
		status = check_rtol_of(&l, x, rtol);
	if (status)
		return status;
	if (!l.m || !l.n || !l.count)
		return linalg_fill(&l, DPR_INT64, 0, NULL, 0, out);
	status = dpr_svdvals(x, &s);
	if (!status)
		status = choose(&l, s, rtol, &chosen);
	if (!status)
		status = reduce_array(REDUCTION__sum, chosen, DPR_AXES(-1),
				      DPR_DTYPE_DEFAULT, out);
	dpr_array_release(s);
	dpr_array_release(chosen);
	return linalg_finish("matrix_rank", status, &out, 1);
}

/* --- Pseudo-inverses ------------------------------------------------------ */

dpr_status(dpr_pinv)(const dpr_array *x, dpr_operand rtol, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, rtol, out);
	struct lstsq_parts p = { NULL, NULL, NULL, NULL };
	dpr_array *uh = NULL;
	struct linalg l;
	dpr_status status = linalg_check_places("pinv", &out, 1);

	if (!status)
		status = linalg_begin("pinv", x, &l);
	if (!status)
		status = check_rtol_of(&l, x, rtol);
	if (status)
		return status;
	if (!x->size)
		return linalg_fill(&l, l.dtype, 2,
				   (const int64_t[]){ l.n, l.m }, 0, out);
	status = make_parts(&l, x, rtol, &p);
	if (!status)
		status = adjoint(p.u, &uh);
	if (!status)
		status = expand(&p, uh, out);
	dpr_array_release(uh);
	drop_parts(&p);
	return linalg_finish("pinv", status, &out, 1);
}

/* --- Least squares -------------------------------------------------------- */

struct squares {
	const dpr_array *x1, *x2;
	dpr_operand rtol;
	int64_t k;
	dpr_array **out[3]; /* the solution, the rank and the values */
};

/* Set *@out to the solution, for x2 with columns. */
static dpr_status project(const struct lstsq_parts *p, const dpr_array *x2,
			  dpr_array **out)
{
	dpr_array *uh, *y = NULL;
	dpr_status status = adjoint(p->u, &uh);

	if (!status)
		status = dpr_matmul(uh, x2, &y);
	if (!status)
		status = expand(p, y, out);
	dpr_array_release(uh);
	dpr_array_release(y);
	return status;
}

/* Do the same as project(), for any @x2. */
static dpr_status solve(const struct lstsq_parts *p, const dpr_array *x2,
			dpr_array **out)
{
	dpr_array *column, *y = NULL;
	dpr_status status;

	if (x2->rank > 1)
		return project(p, x2, out);
	status = dpr_expand_dims(x2, -1, &column);
	if (!status)
		status = project(p, column, &y);
	if (!status)
		status = dpr_squeeze(y, DPR_AXES(-1), out);
	dpr_array_release(column);
	dpr_array_release(y);
	return status;
}

static dpr_status least_squares(const struct linalg *l, struct squares *s)
{
	struct lstsq_parts p = { NULL, NULL, NULL, NULL };
	dpr_array *x1;
	dpr_status status =
		dpr_asarray(s->x1, l->dtype, DPR_COPY_IF_NEEDED, &x1);

	if (!status)
		status = make_parts(l, x1, s->rtol, &p);
	if (!status)
		status = solve(&p, s->x2, s->out[0]);
	if (!status && s->out[1])
		status = reduce_array(REDUCTION__sum, p.chosen, DPR_AXES(-1),
				      DPR_DTYPE_DEFAULT, s->out[1]);
	if (!status && s->out[2])
		*s->out[2] = dpr_array_retain(p.s);
	dpr_array_release(x1);
	drop_parts(&p);
	return status;
}

/* Make the results where no singular value or no solution has elements.  The
   rank and the values have the batch of x1. */
static dpr_status solve_nothing(const struct linalg *l, struct squares *s)
{
	const bool matrix = s->x2->rank > 1;
	dpr_status status =
		linalg_fill(l, l->dtype, matrix ? 2 : 1,
			    (const int64_t[]){ l->n, s->k }, 0, s->out[0]);
	dpr_array *x1;

	if (status || (!s->out[1] && !s->out[2]))
		return status;
	status = dpr_asarray(s->x1, l->dtype, DPR_COPY_IF_NEEDED, &x1);
	if (!status && s->out[1])
		status = (dpr_matrix_rank)(x1, s->rtol, s->out[1]);
	if (!status && s->out[2])
		status = dpr_svdvals(x1, s->out[2]);
	dpr_array_release(x1);
	return status;
}

dpr_status(dpr_lstsq)(const dpr_array *x1, const dpr_array *x2,
		      dpr_operand rtol, dpr_array **out, dpr_array **rank,
		      dpr_array **values)
{
	TRACE_CALL;
	HANDLES(x1, x2, rtol, out, rank, values);
	struct squares s = {
		.x1 = x1, .x2 = x2, .rtol = rtol, .out = { out, rank, values }
	};
	dpr_array *unused[2] = { NULL, NULL };
	dpr_array **all[] = { out, rank ? rank : &unused[0],
			      values ? values : &unused[1] };
	struct linalg l;
	dpr_status status = linalg_check_places("lstsq", all, 3);

	if (!status)
		status = linalg_begin_two("lstsq", x1, x2, &l, &s.k);
	if (!status)
		status = check_rtol_of(&l, x1, rtol);
	if (status)
		return status;
	status = x1->size && x2->size ? least_squares(&l, &s)
				      : solve_nothing(&l, &s);
	return linalg_finish("lstsq", status, all, 3);
}
