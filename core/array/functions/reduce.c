/* SPDX-License-Identifier: Apache-2.0 */
/* reduce.c - the reductions of kernels/reductions.def over axes. */
#include "core/array/functions/reduce.h"

#include <math.h>
#include <string.h>

#include <dpr/creation.h>
#include <dpr/queue.h>

#include "core/array/engine/engine.h"
#include "core/array/launch/cast.h"
#include "core/array/launch/reduce_axes.h"
#include "core/array/object/axis_list.h"
#include "core/array/object/execution.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* A reduction in progress. */
struct reduce_request {
	const char *what;
	enum reduction function;
	const dpr_array *x; /* the argument */
	/* The computation of the argument, which then has no memory.  NULL: the
	   argument is an array. */
	const struct reduce_source *source;
	/* The dtype to which the kernel casts elements. */
	dpr_dtype as;
	/* the argument, cast to the dtype of the sum; NULL: it is not cast */
	dpr_array *cast;
	bool reduced[DPR_MAX_RANK];
	int64_t length;  /* the number of elements reduced to each result */
	dpr_dtype dtype; /* the dtype of the result, before a last cast */
	int rank;
	int64_t shape[DPR_MAX_RANK]; /* the shape of the result */
};

static dpr_status mark_axes(struct reduce_request *r, const dpr_axes *axes)
{
	const bool keep = axes && axes->keepdims;
	struct axis_list list;
	dpr_status status;

	status = axis_list_get(r->what, r->x, axes, &list);
	if (status)
		return status;
	for (int i = 0; i < list.n; i++)
		r->reduced[list.axis[i]] = true;
	r->length = 1;
	for (int d = 0; d < r->x->rank; d++) {
		const int64_t extent = array_shape(r->x)[d];

		/* The product can overflow only if some extent is 0.  Then it
		   only matters whether r->length is 0. */
		if (r->reduced[d] &&
		    __builtin_mul_overflow(r->length, extent, &r->length))
			r->length = INT64_MAX;
		if (!r->reduced[d] || keep)
			r->shape[r->rank++] = r->reduced[d] ? 1 : extent;
	}
	return DPR_OK;
}

/* Cast the argument to @dtype. */
static dpr_status cast_argument(struct reduce_request *r, dpr_dtype dtype)
{
	const bool loses = dpr_dtype_kind(r->x->dtype) == 'c' &&
			   dpr_dtype_kind(dtype) != 'c';
	dpr_status status;

	status = cast_check_computes(r->what, r->x, dtype);
	if (status)
		return status;
	if (!loses && engine_casts(dpr_queue_device(r->x->queue))) {
		r->as = dtype;
		return cast_check_computes(r->what, r->x, r->x->dtype);
	}
	if (r->source)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: no kernel reads by indices and casts",
			    r->what);
	status = dpr_astype(r->x, dtype, &r->cast);
	if (status)
		status_prefix("%s", r->what);
	return status;
}

/* Check the dtypes, and cast the argument if needed: r->cast is the cast
   argument, or NULL.  @as: the dtype of the sum, or DPR_DTYPE_DEFAULT. */
static dpr_status choose_dtypes(struct reduce_request *r, dpr_dtype as)
{
	const enum reduce_table_sum sum = reduce_table[r->function].sum;
	const dpr_dtype dtype = r->x->dtype;
	const char kind = dpr_dtype_kind(dtype);
	dpr_dtype elements;

	if (!as && sum == REDUCE_TABLE_FLOAT && kind != 'f' && kind != 'c')
		as = dpr_dtype_default(dpr_queue_device(r->x->queue), 'f');
	/* An argument that sums to this dtype anyway needs no cast. */
	if (as == reduce_table_dtype(r->function, dtype))
		as = DPR_DTYPE_DEFAULT;
	elements = as ? as : dtype;
	if (!reduce_table_takes(r->function, elements))
		return fail(DPR_ERROR_DTYPE, "%s: does not take %s", r->what,
			    dpr_dtype_name(elements));
	r->as = dtype;
	r->dtype = (dpr_dtype)reduce_table_dtype(r->function, elements);
	return as ? cast_argument(r, as)
		  : cast_check_computes(r->what, r->x, dtype);
}

/* Fill @out with the result of reducing no elements. */
static dpr_status fill_empty(const struct reduce_request *r, dpr_array *out)
{
	const struct reduce_table_entry *entry = &reduce_table[r->function];

	if (entry->finish == REDUCE_TABLE_DIVIDE)
		return cast_fill(out,
				 dpr_dtype_kind(r->dtype) == 'c'
					 ? dpr_operand_complex_parts(NAN, NAN)
					 : dpr_operand_float(NAN));
	switch (entry->first) {
	case REDUCE_TABLE_ZERO: return cast_fill(out, dpr_operand_int(0));
	case REDUCE_TABLE_ONE: return cast_fill(out, dpr_operand_int(1));
	case REDUCE_TABLE_HIGHEST:
	case REDUCE_TABLE_LOWEST: break;
	}
	return fail(DPR_ERROR_SHAPE,
		    "%s: undefined for an empty axis; the reduced axes have "
		    "extent 0",
		    r->what);
}

static dpr_status reduce_begin(struct reduce_request *r,
			       enum reduction function, const dpr_array *x,
			       const dpr_axes *axes, dpr_dtype as)
{
	dpr_status status;

	r->what = reduce_table[function].name;
	r->function = function;
	r->x = x;
	if (!x)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: the array is NULL",
			    r->what);
	array_trace(x->dtype, x->rank, array_shape(x));
	status = mark_axes(r, axes);
	return status ? status : choose_dtypes(r, as);
}

/* Reduce the values that the source computes into @out. */
static dpr_status compute_source(const struct reduce_request *r, dpr_array *out)
{
	const struct reduce_source *source = r->source;
	struct graph graph = *source->graph;
	const struct reduce_call call = { .what = r->what,
					  .reduction = r->function,
					  .graph = &graph,
					  .inputs = source->inputs,
					  .scalars = source->scalars,
					  .rank = r->x->rank,
					  .shape = array_shape(r->x),
					  .reduced = r->reduced,
					  .out = out };

	if (r->as != r->x->dtype) {
		const int step = graph_cast(&graph, r->as, graph.result[0]);

		if (step < 0)
			return fail(DPR_ERROR_UNSUPPORTED,
				    "%s: too many steps for one kernel",
				    r->what);
		graph.result[0] = (uint16_t)step;
	}
	return reduce_launch_run(&call);
}

/* Compute into @out, which is C-contiguous and has the dtype of the result. */
static dpr_status reduce_compute(const struct reduce_request *r, dpr_array *out)
{
	if (out->size == 0 && r->length)
		return DPR_OK;
	if (r->length == 0)
		return fill_empty(r, out);
	if (r->source)
		return compute_source(r, out);
	return reduce_axes_launch(
		r->what, r->function, r->cast ? r->cast : r->x,
		r->cast ? r->cast->dtype : r->as, r->reduced, out);
}

/* Whether the result must be cast to @as.  For example, a sum in int8 is
   computed in int64. */
static bool is_narrowed(const struct reduce_request *r, dpr_dtype as)
{
	return as && r->dtype != as;
}

/* Reduce @x into a new array.  @source: the computation of @x, or NULL. */
static dpr_status reduce_new(enum reduction function, const dpr_array *x,
			     const struct reduce_source *source,
			     const dpr_axes *axes, dpr_dtype as,
			     dpr_array **out)
{
	const char *what = reduce_table[function].name;
	dpr_array *made = NULL, *final = NULL;
	struct reduce_request r = { .source = source };
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: out is NULL",
			    what);
	*out = NULL;
	status = reduce_begin(&r, function, x, axes, as);
	if (!status)
		status = array_new(what, r.dtype, r.rank, r.shape, x->queue,
				   x->kind, &made);
	if (!status)
		status = reduce_compute(&r, made);
	if (!status && is_narrowed(&r, as)) {
		status = dpr_astype(made, as, &final);
		dpr_array_release(made);
		made = final;
	}
	dpr_array_release(r.cast);
	return array_finish(status, made, out);
}

static dpr_status check_out(const struct reduce_request *r,
			    const dpr_array *out)
{
	const dpr_array *operands[] = { r->x, out };
	static const char *const names[] = { "x", "out" };
	dpr_queue *queue;
	dpr_status status;

	status = execution_queue(r->what, operands, names, 2, 1, &queue);
	return status ? status
		      : array_check_result(r->what, out, r->rank, r->shape,
					   r->dtype);
}

dpr_status reduce_array_into(enum reduction function, const dpr_array *x,
			     const dpr_axes *axes, dpr_array *out)
{
	const char *what = reduce_table[function].name;
	dpr_array *apart = NULL;
	struct reduce_request r = { .source = NULL };
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: out is NULL",
			    what);
	status = reduce_begin(&r, function, x, axes, DPR_DTYPE_DEFAULT);
	if (!status)
		status = check_out(&r, out);
	if (status)
		goto out;
	/* @out may overlap the argument.  The last pass writes to @out, after
	   the first pass has read the argument. */
	if (out->dtype == r.dtype && out->contiguous) {
		status = reduce_compute(&r, out);
		goto out;
	}
	status = array_new(what, r.dtype, r.rank, r.shape, x->queue,
			   DPR_USM_DEVICE, &apart);
	if (!status)
		status = reduce_compute(&r, apart);
	if (!status)
		status = cast_into(apart, out);
out:
	dpr_array_release(apart);
	dpr_array_release(r.cast);
	return status;
}

static void set_shape(const struct reduce_request *r,
		      struct reduce_outcome *out)
{
	out->rank = r->rank;
	out->length = r->length;
	memcpy(out->shape, r->shape, sizeof(out->shape));
	memcpy(out->reduced, r->reduced, sizeof(out->reduced));
}

dpr_status reduce_shape(const char *what, const dpr_array *x,
			const dpr_axes *axes, struct reduce_outcome *out)
{
	struct reduce_request r = { .what = what, .x = x };
	dpr_status status = mark_axes(&r, axes);

	if (!status)
		set_shape(&r, out);
	return status;
}

dpr_status reduce_foresee(enum reduction reduction, const dpr_array *x,
			  const dpr_axes *axes, dpr_dtype as,
			  struct reduce_outcome *out)
{
	/* With a source, nothing is cast before the reduction. */
	const struct reduce_source source = { .like = x };
	struct reduce_request r = { .source = &source };
	dpr_status status = reduce_begin(&r, reduction, x, axes, as);

	if (status)
		return status;
	out->cast = r.as;
	out->sum = r.dtype;
	out->dtype = is_narrowed(&r, as) ? as : r.dtype;
	set_shape(&r, out);
	return DPR_OK;
}

dpr_status reduce_array(enum reduction reduction, const dpr_array *x,
			const dpr_axes *axes, dpr_dtype as, dpr_array **out)
{
	return reduce_new(reduction, x, NULL, axes, as, out);
}

dpr_status reduce_source(enum reduction reduction,
			 const struct reduce_source *source,
			 const dpr_axes *axes, dpr_dtype as, dpr_array **out)
{
	return reduce_new(reduction, source->like, source, axes, as, out);
}
