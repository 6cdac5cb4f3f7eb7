/* SPDX-License-Identifier: Apache-2.0 */
/* linalg.c - the operands of linear algebra, and where a routine runs. */
#include "core/array/linalg/linalg.h"

#include <string.h>

#include <dpr/creation.h>
#include <dpr/device.h>
#include <dpr/placement.h>

#include "core/array/data/host_memory.h"
#include "core/array/launch/cast.h"
#include "core/array/layout/layout.h"
#include "core/array/object/execution.h"
#include "core/base/process.h"
#include "core/base/status.h"

/* --- Operands ------------------------------------------------------------- */

static dpr_status check_dtype(const char *what, const char *name,
			      dpr_dtype dtype)
{
	if ((dpr_dtype_kind(dtype) == 'f' && dpr_dtype_size(dtype) > 2) ||
	    dpr_dtype_kind(dtype) == 'c')
		return DPR_OK;
	return fail(DPR_ERROR_DTYPE,
		    "%s: %s is of %s; linear algebra takes float32, float64, "
		    "complex64 and complex128: cast it with dpr_astype()",
		    what, name, dpr_dtype_name(dtype));
}

static dpr_status check_matrix(const char *what, const char *name,
			       const dpr_array *x)
{
	if (x->rank >= 2)
		return DPR_OK;
	return fail(DPR_ERROR_SHAPE, "%s: %s has %d ax%ss; a matrix has 2",
		    what, name, x->rank, x->rank == 1 ? "i" : "e");
}

static dpr_dtype real_of(dpr_dtype dtype)
{
	switch (dtype) {
	case DPR_COMPLEX64: return DPR_FLOAT32;
	case DPR_COMPLEX128: return DPR_FLOAT64;
	default: return dtype;
	}
}

/* Describe the matrices of @x, whose dtype and rank have been checked. */
static dpr_status describe(struct linalg *l, const dpr_array *x)
{
	l->m = x->dim[x->rank - 2];
	l->n = x->dim[x->rank - 1];
	l->n_batch = x->rank - 2;
	memcpy(l->batch, array_shape(x), (size_t)l->n_batch * sizeof(int64_t));
	l->real = real_of(l->dtype);
	return array_count(l->what, l->n_batch, l->batch, 16, &l->count);
}

dpr_status linalg_begin(const char *what, const dpr_array *x,
			struct linalg *out)
{
	const dpr_array *const operands[] = { x };
	dpr_status status = process_check(what);

	if (status)
		return status;
	if (!x)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: x is NULL", what);
	array_trace(x->dtype, x->rank, array_shape(x));
	*out = (struct linalg){ .what = what,
				.name = "x",
				.x = x,
				.dtype = x->dtype,
				.home = x->queue,
				.kind = array_result_kind(operands, 1) };
	status = check_matrix(what, "x", x);
	if (!status)
		status = check_dtype(what, "x", x->dtype);
	return status ? status : describe(out, x);
}

dpr_status linalg_check_square(const struct linalg *l, const dpr_array *x)
{
	char text[160];

	if (l->m == l->n)
		return DPR_OK;
	return fail(
		DPR_ERROR_SHAPE,
		"%s: %s has the shape %s; its matrices must be square", l->what,
		l->name,
		layout_shape_text(text, sizeof(text), x->rank, array_shape(x)));
}

dpr_status linalg_begin_square(const char *what, const dpr_array *x,
			       struct linalg *out)
{
	const dpr_status status = linalg_begin(what, x, out);

	return status ? status : linalg_check_square(out, x);
}

/* --- Two operands --------------------------------------------------------- */

static dpr_status fail_shapes(const struct linalg *l, const dpr_array *x1,
			      const dpr_array *x2, const char *why)
{
	char first[160], second[160];

	return fail(DPR_ERROR_SHAPE,
		    "%s: x1 of shape %s and x2 of shape %s: %s", l->what,
		    layout_shape_text(first, sizeof(first), x1->rank,
				      array_shape(x1)),
		    layout_shape_text(second, sizeof(second), x2->rank,
				      array_shape(x2)),
		    why);
}

/* Broadcast the batch with that of @x2. */
static dpr_status join_batches(struct linalg *l, const dpr_array *x1,
			       const dpr_array *x2, int64_t *k)
{
	const int n_batch = x2->rank > 2 ? x2->rank - 2 : 0;
	int axis;

	*k = x2->rank > 1 ? x2->dim[x2->rank - 1] : 1;
	if (x2->dim[x2->rank > 1 ? x2->rank - 2 : 0] != l->m)
		return fail_shapes(l, x1, x2,
				   x2->rank > 1
					   ? "x2 must have as many rows as x1"
					   : "x2 must have an element for each "
					     "row of x1");
	if (!layout_broadcast(&l->n_batch, l->batch, n_batch, array_shape(x2),
			      &axis))
		return fail_shapes(l, x1, x2,
				   "the axes before the last two do not "
				   "broadcast");
	return array_count(l->what, l->n_batch, l->batch, 16, &l->count);
}

dpr_status linalg_begin_two(const char *what, const dpr_array *x1,
			    const dpr_array *x2, struct linalg *out, int64_t *k)
{
	const dpr_array *const operands[] = { x1, x2 };
	dpr_status status = process_check(what);

	*out = (struct linalg){ .what = what, .name = "x1", .x = x1 };
	if (status)
		return status;
	if (!x1 || !x2)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", what,
			    x1 ? "x2" : "x1");
	array_trace(x1->dtype, x1->rank, array_shape(x1));
	out->kind = array_result_kind(operands, 2);
	status = execution_queue(what, operands, NULL, 2, 0, &out->home);
	if (!status)
		status = check_matrix(what, "x1", x1);
	if (!status && !x2->rank)
		status = fail_shapes(out, x1, x2, "x2 must have an axis");
	if (!status)
		status = check_dtype(what, "x1", x1->dtype);
	if (!status)
		status = check_dtype(what, "x2", x2->dtype);
	if (!status)
		status = dpr_dtype_promote(x1->dtype, x2->dtype, &out->dtype);
	if (!status)
		status = describe(out, x1);
	return status ? status : join_batches(out, x1, x2, k);
}

/* --- Where routines run --------------------------------------------------- */

/* Whether the device of @queue has all routines. */
static dpr_status has_all(const struct linalg *l, dpr_queue *queue,
			  const enum lapack_routine *routines, int n,
			  bool *found)
{
	dpr_status status = DPR_OK;

	*found = true;
	for (int i = 0; !status && *found && i < n; i++)
		status = lapack_find(queue, routines[i], l->dtype, found);
	return status;
}

/* Get the canonical queue of the host backend.  *@out is NULL if the backend is
   not there. */
static dpr_status host_queue(dpr_queue **out)
{
	char *text = status_keep();
	dpr_device *device;
	dpr_status status = dpr_device_select("host", &device);

	*out = NULL;
	if (!status)
		status = dpr_device_queue(device, out);
	if (status == DPR_ERROR_NOT_FOUND) {
		status_restore(text);
		return DPR_OK;
	}
	if (status)
		status_replace(text, status);
	else
		status_restore(text);
	return status;
}

static dpr_status fail_nowhere(const struct linalg *l,
			       enum lapack_routine routine,
			       const dpr_queue *host)
{
	return fail(DPR_ERROR_UNSUPPORTED,
		    "%s: no library with LAPACK's %s for %s: %s has none, and "
		    "%s; install OpenBLAS (Debian and Ubuntu: "
		    "libopenblas0-pthread; Fedora: openblas-threads; Arch and "
		    "Alpine: openblas), or name a file with "
		    "DPR_OPTION_HOST_LAPACK; 'dpr doctor' shows what was "
		    "found",
		    l->what, lapack_name(routine), dpr_dtype_name(l->dtype),
		    dpr_device_selector(dpr_queue_device(l->home)),
		    host ? "the host backend found none"
			 : "there is no host backend");
}

static _Thread_local struct linalg_runs runs;

struct linalg_runs linalg_runs(void)
{
	return runs;
}

static void drop_kept(struct linalg *l)
{
	for (size_t i = 0; i < sizeof(l->kept) / sizeof(l->kept[0]); i++) {
		dpr_array_release(l->kept[i]);
		l->kept[i] = NULL;
	}
}

/* Run @function on @queue. */
static dpr_status run_on(struct linalg *l, dpr_queue *queue,
			 linalg_function function, void *user)
{
	dpr_status status;

	l->queue = queue;
	status = function(l, user);
	drop_kept(l);
	if (!status && queue == l->home)
		runs.at_home++;
	else if (!status)
		runs.away++;
	return status;
}

dpr_status linalg_run(struct linalg *l, const enum lapack_routine *routines,
		      int n, linalg_function function, void *user)
{
	dpr_queue *host;
	dpr_status status;
	bool found;

	status = has_all(l, l->home, routines, n, &found);
	if (!status && found)
		status = run_on(l, l->home, function, user);
	if ((status && status != DPR_ERROR_UNSUPPORTED) || (!status && found))
		return status;
	status = host_queue(&host);
	found = false;
	if (!status && host)
		status = has_all(l, host, routines, n, &found);
	if (status)
		return status;
	if (!found)
		return fail_nowhere(l, routines[0], host);
	return run_on(l, host, function, user);
}

/* --- Copies --------------------------------------------------------------- */

/* Make a view of @x, broadcast to the batch of the call.  If @transposed is
   set, the matrices of the view are transposed; vectors stay as they are. */
static dpr_status make_view(const struct linalg *l, const dpr_array *x,
			    bool transposed, dpr_array **out)
{
	const int own = x->rank < 2 ? x->rank : 2;
	struct layout layout, batch = { .rank = x->rank - own };
	struct layout wide = { .rank = l->n_batch + own, .offset = x->offset };

	array_layout(x, &layout);
	memcpy(batch.dim, layout.dim, sizeof(batch.dim));
	memcpy(batch.stride, layout.stride, sizeof(batch.stride));
	memcpy(wide.dim, l->batch, (size_t)l->n_batch * sizeof(int64_t));
	(void)layout_expand(&batch, l->n_batch, l->batch, wide.stride);
	for (int i = 0; i < own; i++) {
		wide.dim[l->n_batch + i] = layout.dim[batch.rank + i];
		wide.stride[l->n_batch + i] = layout.stride[batch.rank + i];
	}
	if (transposed && own == 2)
		layout_swap(&wide, l->n_batch, l->n_batch + 1);
	return array_view(x, &wide, out);
}

/* The kind of memory for arrays on l->queue. */
static dpr_usm_kind kind_there(const struct linalg *l)
{
	return l->queue == l->home ? l->kind : DPR_USM_DEVICE;
}

/* A view that is not contiguous is packed by a kernel if it has at least this
   number of elements. */
#define WORTH_PACKING 4096

/* Set *@out to @view in the dtype of the call, on the queue of @view.  A large
   view that is not contiguous is packed first, because a kernel exchanges axes
   faster than a copy to another queue does. */
static dpr_status prepare(const struct linalg *l, const dpr_array *view,
			  dpr_array **out)
{
	dpr_status status;

	*out = NULL;
	if (view->dtype != l->dtype)
		return cast_new(l->what, view, l->dtype, view->kind, out);
	if (!view->contiguous && view->size >= WORTH_PACKING) {
		status = host_memory_pack(view, out);
		if (!host_memory_cannot_pack(status))
			return status;
	}
	*out = dpr_array_retain((dpr_array *)(uintptr_t)view);
	return DPR_OK;
}

/* Move @view to l->queue, in new memory. */
static dpr_status move(const struct linalg *l, const dpr_array *view,
		       dpr_array **out)
{
	dpr_array *ready, *made;
	dpr_status status = prepare(l, view, &ready);

	*out = NULL;
	if (status)
		return status;
	status = array_new(l->what, l->dtype, view->rank, array_shape(view),
			   l->queue, DPR_USM_DEVICE, &made);
	if (!status) {
		status = dpr_array_copy_to(made, ready);
		status = array_finish(status, made, out);
	}
	dpr_array_release(ready);
	return status;
}

dpr_status linalg_take(const struct linalg *l, const dpr_array *x,
		       bool transposed, dpr_array **out)
{
	dpr_array *view;
	dpr_status status = make_view(l, x, transposed, &view);

	if (status)
		return status;
	status = l->queue == l->home
			 ? cast_new(l->what, view, l->dtype, kind_there(l), out)
			 : move(l, view, out);
	dpr_array_release(view);
	return status;
}

dpr_status linalg_borrow(const struct linalg *l, const dpr_array *x,
			 bool transposed, dpr_array **out)
{
	dpr_array *view;
	dpr_status status = make_view(l, x, transposed, &view);

	if (status)
		return status;
	if (l->queue == l->home && view->contiguous &&
	    view->dtype == l->dtype) {
		*out = view;
		return DPR_OK;
	}
	dpr_array_release(view);
	return linalg_take(l, x, transposed, out);
}

dpr_status linalg_room(const struct linalg *l, dpr_dtype dtype, int64_t columns,
		       int64_t rows, dpr_array **out)
{
	int64_t shape[DPR_MAX_RANK];
	int rank = l->n_batch;

	memcpy(shape, l->batch, (size_t)rank * sizeof(int64_t));
	shape[rank++] = columns;
	if (rows >= 0)
		shape[rank++] = rows;
	return array_new(l->what, dtype, rank, shape, l->queue, kind_there(l),
			 out);
}

/* --- Results -------------------------------------------------------------- */

/* Copy @x to the queue of the operands. */
static dpr_status bring_home(const struct linalg *l, const dpr_array *x,
			     dpr_array **out)
{
	dpr_array *made;
	dpr_status status = array_new(l->what, x->dtype, x->rank,
				      array_shape(x), l->home, l->kind, &made);

	if (status)
		return status;
	return array_finish(dpr_array_copy_to(made, x), made, out);
}

dpr_status linalg_give(const struct linalg *l, const dpr_array *x,
		       bool transposed, dpr_array **out)
{
	dpr_array *home, *given;
	dpr_status status = DPR_OK;

	if (l->queue == l->home)
		home = dpr_array_retain((dpr_array *)(uintptr_t)x);
	else
		status = bring_home(l, x, &home);
	if (status)
		return status;
	given = home;
	if (transposed) {
		status = dpr_matrix_transpose(home, &given);
		dpr_array_release(home);
	}
	if (status)
		return status;
	dpr_array_release(*out);
	*out = given;
	return DPR_OK;
}

dpr_status linalg_fill(const struct linalg *l, dpr_dtype dtype, int rank,
		       const int64_t *shape, double value, dpr_array **out)
{
	int64_t all[DPR_MAX_RANK];

	memcpy(all, l->batch, (size_t)l->n_batch * sizeof(int64_t));
	for (int i = 0; i < rank; i++)
		all[l->n_batch + i] = shape[i];
	return dpr_full_on(dpr_shape_of(l->n_batch + rank, all),
			   dpr_operand_float(value), dtype, l->home, l->kind,
			   out);
}

dpr_status linalg_identity(const struct linalg *l, dpr_queue *queue,
			   int64_t rows, int64_t columns, dpr_array **out)
{
	const dpr_usm_kind kind = queue == l->home ? l->kind : DPR_USM_DEVICE;
	int64_t shape[DPR_MAX_RANK];
	int rank = l->n_batch;
	dpr_array *one, *made = NULL;
	dpr_status status =
		dpr_eye_on(rows, columns, 0, l->dtype, queue, kind, &one);

	if (status || !rank)
		return array_finish(status, one, out);
	memcpy(shape, l->batch, (size_t)rank * sizeof(int64_t));
	shape[rank++] = rows;
	shape[rank++] = columns;
	status = array_new(l->what, l->dtype, rank, shape, queue, kind, &made);
	if (!status)
		status = dpr_copy_into(made, dpr_operand_array(one));
	dpr_array_release(one);
	return array_finish(status, made, out);
}

dpr_status linalg_check_places(const char *what, dpr_array ***out, int n)
{
	bool missing = false;

	for (int i = 0; i < n; i++) {
		missing |= !out[i];
		if (out[i])
			*out[i] = NULL;
	}
	if (!missing)
		return DPR_OK;
	return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", what,
		    n == 1 ? "out" : "the place for a result");
}

dpr_status linalg_finish(const char *what, dpr_status status, dpr_array ***out,
			 int n)
{
	for (int i = 0; status && i < n; i++) {
		dpr_array_release(*out[i]);
		*out[i] = NULL;
	}
	if (status)
		status_rename(what);
	return status;
}
