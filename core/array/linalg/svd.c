/* SPDX-License-Identifier: Apache-2.0 */
/* svd.c - singular values, and their vectors. */
#include <dpr/linalg.h>

#include "core/array/linalg/linalg.h"
#include "core/base/handles/handles.h"
#include "core/base/trace.h"

/* The arrays of a call in struct linalg. */
enum { MATRIX, U, S, VH };

struct svd_request {
	const dpr_array *x;
	const char *name; /* the name of x in errors */
	bool full;
	bool vectors;
	int64_t columns, rows; /* the columns of u, and the rows of vh */
	dpr_array **out[3];    /* u, s, vh, or s alone */
};

/*
 * The routine sees x transposed: x^T = conj(v) diag(s) u^T.  Its factors in
 * column-major order are, in C order, the factors of x: conj(v) is vh, and u^T
 * is u.  Without vectors the array of the values is passed in place of the
 * arrays of vectors, which the routine does not touch.
 */
static dpr_status decompose(struct linalg *l, void *user)
{
	const struct svd_request *d = user;
	const int64_t n = l->m < l->n ? l->m : l->n;
	struct lapack_call call = linalg_call(l, LAPACK_GESDD);
	dpr_status status = linalg_take(l, d->x, false, &l->kept[MATRIX]);

	if (!status)
		status = linalg_room(l, l->real, n, -1, &l->kept[S]);
	if (!status && d->vectors)
		status =
			linalg_room(l, l->dtype, l->m, d->columns, &l->kept[U]);
	if (!status && d->vectors)
		status = linalg_room(l, l->dtype, d->rows, l->n, &l->kept[VH]);
	if (status)
		return status;
	call.m = l->n;
	call.n = l->m;
	call.flags = (d->vectors ? DPRP_LAPACK_VECTORS : 0) |
		     (d->full ? DPRP_LAPACK_FULL : 0);
	call.arrays[call.n_arrays++] = l->kept[MATRIX];
	call.arrays[call.n_arrays++] = l->kept[S];
	call.arrays[call.n_arrays++] = l->kept[d->vectors ? VH : S];
	call.arrays[call.n_arrays++] = l->kept[d->vectors ? U : S];
	status = lapack_launch(&call);
	if (status || !d->vectors)
		return status ? status
			      : linalg_give(l, l->kept[S], false, d->out[0]);
	status = linalg_give(l, l->kept[U], false, d->out[0]);
	if (!status)
		status = linalg_give(l, l->kept[S], false, d->out[1]);
	return status ? status : linalg_give(l, l->kept[VH], false, d->out[2]);
}

/* Make the results for matrices without elements. */
static dpr_status decompose_nothing(const struct linalg *l,
				    const struct svd_request *d)
{
	const int64_t n = l->m < l->n ? l->m : l->n;
	dpr_status status =
		linalg_fill(l, l->real, 1, &n, 0, d->out[d->vectors ? 1 : 0]);

	if (status || !d->vectors)
		return status;
	status = linalg_identity(l, l->home, l->m, d->columns, d->out[0]);
	return status ? status
		      : linalg_identity(l, l->home, d->rows, l->n, d->out[2]);
}

static dpr_status run(const char *what, struct svd_request *d)
{
	static const enum lapack_routine routines[] = { LAPACK_GESDD };
	const int n_out = d->vectors ? 3 : 1;
	struct linalg l;
	dpr_status status = linalg_check_places(what, d->out, n_out);
	int64_t n;

	if (!status)
		status = linalg_begin(what, d->x, &l);
	if (status)
		return status;
	l.name = d->name;
	n = l.m < l.n ? l.m : l.n;
	d->columns = d->full ? l.m : n;
	d->rows = d->full ? l.n : n;
	status = d->x->size ? linalg_run(&l, routines, 1, decompose, d)
			    : decompose_nothing(&l, d);
	return linalg_finish(what, status, d->out, n_out);
}

dpr_status svd_factors(const struct linalg *l, const dpr_array *x,
		       dpr_array **u, dpr_array **s, dpr_array **vh)
{
	struct svd_request d = {
		.x = x, .name = l->name, .vectors = true, .out = { u, s, vh }
	};

	return run(l->what, &d);
}

dpr_status dpr_svd(const dpr_array *x, int full_matrices, dpr_array **u,
		   dpr_array **s, dpr_array **vh)
{
	TRACE_CALL;
	HANDLES(x, u, s, vh);
	struct svd_request d = { .x = x,
				 .name = "x",
				 .full = full_matrices != 0,
				 .vectors = true,
				 .out = { u, s, vh } };

	return run("svd", &d);
}

dpr_status dpr_svdvals(const dpr_array *x, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	struct svd_request d = { .x = x, .name = "x", .out = { out } };

	return run("svdvals", &d);
}
