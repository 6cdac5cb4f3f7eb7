/* SPDX-License-Identifier: Apache-2.0 */
/* cholesky.c - dpr_cholesky(). */
#include <dpr/linalg.h>

#include <dpr/shapes.h>

#include "core/array/linalg/linalg.h"
#include "core/base/handles/handles.h"
#include "core/base/trace.h"

struct cholesky {
	const dpr_array *x;
	bool upper;
	dpr_array **out;
};

/* The routine sees x transposed.  The lower factor of this matrix is the upper
   factor of x, transposed.  Read in C order, it is the upper factor of x. */
static dpr_status factor(struct linalg *l, void *user)
{
	const struct cholesky *c = user;
	struct lapack_call call = linalg_call(l, LAPACK_POTRF);
	dpr_status status = linalg_take(l, c->x, false, &l->kept[0]);

	if (status)
		return status;
	call.flags = c->upper ? 0 : DPRP_LAPACK_UPPER;
	call.arrays[call.n_arrays++] = l->kept[0];
	status = lapack_launch(&call);
	if (!status)
		status = c->upper ? dpr_triu(l->kept[0], 0, &l->kept[1])
				  : dpr_tril(l->kept[0], 0, &l->kept[1]);
	return status ? status : linalg_give(l, l->kept[1], false, c->out);
}

dpr_status dpr_cholesky(const dpr_array *x, int upper, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	static const enum lapack_routine routines[] = { LAPACK_POTRF };
	struct cholesky c = { x, upper != 0, out };
	struct linalg l;
	dpr_status status = linalg_check_places("cholesky", &out, 1);

	if (!status)
		status = linalg_begin_square("cholesky", x, &l);
	if (status)
		return status;
	status = x->size ? linalg_run(&l, routines, 1, factor, &c)
			 : linalg_fill(&l, l.dtype, 2, &x->dim[l.n_batch], 0,
				       out);
	return linalg_finish("cholesky", status, &out, 1);
}
