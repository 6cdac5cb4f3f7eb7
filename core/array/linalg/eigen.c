/* SPDX-License-Identifier: Apache-2.0 */
/* eigen.c - eigenvalues and eigenvectors. */
#include <dpr/linalg.h>

#include "core/array/linalg/linalg.h"
#include "core/base/handles/handles.h"
#include "core/base/trace.h"

/* The arrays of a call in struct linalg. */
enum { MATRIX, VALUES, VECTORS };

struct eigen {
	const dpr_array *x;
	bool upper;
	dpr_array **out[2]; /* the values, and the vectors or NULL */
};

/* The complex dtype of the precision of the call. */
static dpr_dtype complex_of(const struct linalg *l)
{
	return l->real == DPR_FLOAT64 ? DPR_COMPLEX128 : DPR_COMPLEX64;
}

/* Give the values, and the vectors if they are wanted. */
static dpr_status give(struct linalg *l, const struct eigen *e,
		       const dpr_array *vectors)
{
	dpr_status status = linalg_give(l, l->kept[VALUES], false, e->out[0]);

	return status || !e->out[1] ? status
				    : linalg_give(l, vectors, true, e->out[1]);
}

/* Run @function; matrices without elements have no values. */
static dpr_status run(struct linalg *l, struct eigen *e,
		      enum lapack_routine routine, linalg_function function,
		      dpr_dtype values, dpr_dtype vectors)
{
	const int n = e->out[1] ? 2 : 1;
	dpr_status status;

	if (e->x->size) {
		status = linalg_run(l, &routine, 1, function, e);
		return linalg_finish(l->what, status, e->out, n);
	}
	status = linalg_fill(l, values, 1, &l->n, 0, e->out[0]);
	if (!status && n > 1)
		status = linalg_fill(l, vectors, 2, &e->x->dim[l->n_batch], 0,
				     e->out[1]);
	return linalg_finish(l->what, status, e->out, n);
}

/* --- Hermitian matrices --------------------------------------------------- */

/* The routine sees a matrix in C order transposed.  A real symmetric matrix is
   the same transposed, but its triangles have changed places. */
static dpr_status hermitian(struct linalg *l, void *user)
{
	const struct eigen *e = user;
	const bool transposed = l->dtype != l->real;
	struct lapack_call call = linalg_call(l, LAPACK_SYEVD);
	dpr_status status = linalg_take(l, e->x, transposed, &l->kept[MATRIX]);

	if (!status)
		status = linalg_room(l, l->real, l->n, -1, &l->kept[VALUES]);
	if (status)
		return status;
	call.flags = (e->upper == transposed ? DPRP_LAPACK_UPPER : 0) |
		     (e->out[1] ? DPRP_LAPACK_VECTORS : 0);
	call.arrays[call.n_arrays++] = l->kept[MATRIX];
	call.arrays[call.n_arrays++] = l->kept[VALUES];
	status = lapack_launch(&call);
	return status ? status : give(l, e, l->kept[MATRIX]);
}

static dpr_status run_hermitian(const char *what, struct eigen *e)
{
	struct linalg l;
	dpr_status status = linalg_begin_square(what, e->x, &l);

	return status ? status
		      : run(&l, e, LAPACK_SYEVD, hermitian, l.real, l.dtype);
}

dpr_status dpr_eigh(const dpr_array *x, int upper, dpr_array **eigenvalues,
		    dpr_array **eigenvectors)
{
	TRACE_CALL;
	HANDLES(x, eigenvalues, eigenvectors);
	struct eigen e = { .x = x,
			   .upper = upper != 0,
			   .out = { eigenvalues, eigenvectors } };
	const dpr_status status = linalg_check_places("eigh", e.out, 2);

	return status ? status : run_hermitian("eigh", &e);
}

dpr_status dpr_eigvalsh(const dpr_array *x, int upper, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	struct eigen e = { .x = x, .upper = upper != 0, .out = { out } };
	const dpr_status status = linalg_check_places("eigvalsh", e.out, 1);

	return status ? status : run_hermitian("eigvalsh", &e);
}

/* --- Any matrices --------------------------------------------------------- */

/* Without vectors the matrix is copied in C order, because it has the same
   values transposed.  The array of the values is then passed in place of an
   array of vectors, which the routine does not touch. */
static dpr_status general(struct linalg *l, void *user)
{
	const struct eigen *e = user;
	const bool vectors = e->out[1] != NULL;
	const dpr_dtype dtype = complex_of(l);
	struct lapack_call call = linalg_call(l, LAPACK_GEEV);
	dpr_status status = linalg_take(l, e->x, vectors, &l->kept[MATRIX]);

	if (!status)
		status = linalg_room(l, dtype, l->n, -1, &l->kept[VALUES]);
	if (!status && vectors)
		status = linalg_room(l, dtype, l->n, l->n, &l->kept[VECTORS]);
	if (status)
		return status;
	call.flags = vectors ? DPRP_LAPACK_VECTORS : 0;
	call.arrays[call.n_arrays++] = l->kept[MATRIX];
	call.arrays[call.n_arrays++] = l->kept[VALUES];
	call.arrays[call.n_arrays++] = l->kept[vectors ? VECTORS : VALUES];
	status = lapack_launch(&call);
	return status ? status : give(l, e, l->kept[VECTORS]);
}

static dpr_status run_general(const char *what, struct eigen *e)
{
	struct linalg l;
	dpr_status status = linalg_begin_square(what, e->x, &l);

	return status ? status
		      : run(&l, e, LAPACK_GEEV, general, complex_of(&l),
			    complex_of(&l));
}

dpr_status dpr_eig(const dpr_array *x, dpr_array **eigenvalues,
		   dpr_array **eigenvectors)
{
	TRACE_CALL;
	HANDLES(x, eigenvalues, eigenvectors);
	struct eigen e = { .x = x, .out = { eigenvalues, eigenvectors } };
	const dpr_status status = linalg_check_places("eig", e.out, 2);

	return status ? status : run_general("eig", &e);
}

dpr_status dpr_eigvals(const dpr_array *x, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	struct eigen e = { .x = x, .out = { out } };
	const dpr_status status = linalg_check_places("eigvals", e.out, 1);

	return status ? status : run_general("eigvals", &e);
}
