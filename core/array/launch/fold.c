/* SPDX-License-Identifier: Apache-2.0 */
/* fold.c - reductions: by the engine, or where kernels come in files by modules
   in two passes. */
#include "core/array/launch/fold.h"

#include <string.h>

#include "core/array/engine/reduction.h"
#include "core/array/launch/cast.h"
#include "core/array/launch/modules.h"
#include "core/array/layout/layout.h"
#include "core/base/status.h"

#define FOLD_RANK 8
#define PART 16384  /* elements in one part of a row */
#define MIN_PART 64 /* the fewest elements in a part of a column */
/* work-items that all columns together are cut into */
#define COLUMN_ITEMS 32768
/* rows of this length or more get a work-group each */
#define LONG_ROW 256
#define GROUP 256
/* a work-group joins this many partial results or more */
#define MANY 32

/* The last parameter of each kernel in kernels/reduce.cl. */
struct fold {
	int32_t operation, rank;
	int64_t kept, length, step, parts, part, count, from, to;
	int64_t shape[FOLD_RANK], source[FOLD_RANK], result[FOLD_RANK];
};
_Static_assert(sizeof(struct fold) == 264, "kernels/reduce.cl has the same");

/* Axes of the source and of the result; axis 0 is the outermost. */
struct axes {
	int rank;
	int64_t dim[DPR_MAX_RANK];
	int64_t stride[2][DPR_MAX_RANK]; /* in the source, in the result */
	int64_t offset[2];
};

/* The array to read; the strides are in the order of the axes of the array that
   is reduced. */
struct source {
	const dpr_array *x;
	int64_t offset, stride[DPR_MAX_RANK];
};

/* Split the axes into those kept and those reduced, and collapse each group. */
static void split_axes(const struct source *source, const dpr_array *x,
		       const bool *reduced, const dpr_array *out,
		       struct axes *kept, struct axes *gone)
{
	const bool same_rank = out->rank == x->rank;
	int at = 0;

	memset(kept, 0, sizeof(*kept));
	memset(gone, 0, sizeof(*gone));
	for (int d = 0; d < x->rank; d++) {
		struct axes *to = reduced[d] ? gone : kept;

		to->dim[to->rank] = array_shape(x)[d];
		to->stride[0][to->rank] = source->stride[d];
		if (!reduced[d])
			to->stride[1][to->rank] =
				array_strides(out)[same_rank ? d : at++];
		to->rank++;
	}
	kept->offset[0] = source->offset;
	kept->offset[1] = out->offset;
	kept->rank = layout_collapse(2, kept->rank, kept->dim, kept->stride,
				     kept->offset, true);
	gone->rank = layout_collapse(1, gone->rank, gone->dim, gone->stride,
				     gone->offset, true);
	kept->offset[0] += gone->offset[0];
}

/* Copy @x with the kept axes first, so that the reduced elements form one
   axis. */
static dpr_status pack_axes(const char *what, struct source *source,
			    const bool *reduced, dpr_array **out)
{
	const dpr_array *x = source->x;
	struct layout layout = { .rank = x->rank, .offset = x->offset };
	dpr_array *view, *made;
	dpr_status status;
	int n = 0;

	for (int pass = 0; pass < 2; pass++)
		for (int d = 0; d < x->rank; d++)
			if (reduced[d] == (pass == 1)) {
				layout.dim[n] = array_shape(x)[d];
				layout.stride[n++] = array_strides(x)[d];
			}
	status = array_view(x, &layout, &view);
	if (status)
		return status;
	status = cast_new(what, view, x->dtype, DPR_USM_DEVICE, &made);
	dpr_array_release(view);
	if (status)
		return status;
	n = 0;
	for (int pass = 0; pass < 2; pass++)
		for (int d = 0; d < x->rank; d++)
			if (reduced[d] == (pass == 1))
				source->stride[d] = array_strides(made)[n++];
	source->offset = made->offset;
	source->x = made;
	*out = made;
	return DPR_OK;
}

static int64_t divide_up(int64_t a, int64_t b)
{
	return a / b + (a % b != 0);
}

/* The size of a partial result in bytes. */
static int64_t partial_size(enum fold_operation operation, dpr_dtype dtype)
{
	const int64_t size = (int64_t)dpr_dtype_size(dtype);
	const bool is_float = strchr("fc", dpr_dtype_kind(dtype)) != NULL;

	if (operation == FOLD_ANY || operation == FOLD_ALL)
		return 1;
	if (operation == FOLD_SUM && !is_float)
		return 8;
	return is_float && size < 4 ? 4 : size;
}

/* The kernel and the work-items of the first pass. */
struct pass {
	enum modules_kernel kernel;
	uint64_t items;
};

static void cut_length(struct fold *f, int64_t parts)
{
	f->part = divide_up(f->length, parts);
	f->parts = divide_up(f->length, f->part);
}

static int64_t clamp_parts(int64_t parts, int64_t length)
{
	const int64_t most = divide_up(length, MIN_PART);

	return parts < 1 ? 1 : parts > most ? most : parts;
}

/* Choose the kernel, the parts and the range of the first pass. */
static void plan_pass(struct fold *f, struct pass *pass)
{
	const bool is_columns = f->source[0] == 1 && f->shape[0] >= 8 &&
				f->step != 1 && f->length > 1;

	if (is_columns || f->length < LONG_ROW) {
		pass->kernel = MODULES_fold_columns;
		cut_length(f, clamp_parts(divide_up(COLUMN_ITEMS, f->kept),
					  f->length));
		pass->items = (uint64_t)(f->kept * f->parts);
	} else {
		pass->kernel = MODULES_fold_rows;
		cut_length(f, divide_up(f->length, PART));
		pass->items = (uint64_t)(f->kept * f->parts) * GROUP;
	}
}

static dpr_status launch_pass(dpr_dtype dtype, enum modules_kernel kernel,
			      uint64_t items, dpr_array *to,
			      const dpr_array *from, const struct fold *f)
{
	const dpr_arg args[] = {
		dpr_arg_of_array(to, DPR_ARG_BASE,
				 array_write_access(to, to->size)),
		dpr_arg_base_r(from), dpr_arg_bytes(f, sizeof(*f))
	};
	dpr_range range = dpr_range1((items + GROUP - 1) / GROUP * GROUP);
	dpr_kernel *handle;
	dpr_status status;

	status = modules_kernel(to->queue, IMAGES_REDUCE, dtype, kernel,
				&handle);
	if (status)
		return status;
	range = dpr_range_local(range, GROUP, 1, 1);
	return dpr_kernel_launch_args(to->queue, handle, range, NULL, NULL,
				      args, 3);
}

static dpr_status run_passes(const char *what, const dpr_array *x,
			     struct fold *f, dpr_array *out)
{
	struct pass pass;
	dpr_array *partial;
	dpr_status status;
	int64_t bytes;

	plan_pass(f, &pass);
	if (__builtin_mul_overflow(f->kept * f->parts,
				   partial_size(f->operation, x->dtype),
				   &bytes))
		return fail(DPR_ERROR_OVERFLOW, "%s: too many elements", what);
	status = array_new(what, DPR_UINT8, 1, &bytes, x->queue, DPR_USM_DEVICE,
			   &partial);
	if (status)
		return status;
	status = launch_pass(x->dtype, pass.kernel, pass.items, partial, x, f);
	if (!status && f->parts >= MANY)
		status =
			launch_pass(x->dtype, MODULES_fold_many,
				    (uint64_t)f->kept * GROUP, out, partial, f);
	else if (!status)
		status = launch_pass(x->dtype, MODULES_fold_last,
				     (uint64_t)f->kept, out, partial, f);
	dpr_array_release(partial);
	return status;
}

/* Fill in the axes for the kernel, where axis 0 is the innermost. */
static void put_axes(struct fold *f, const struct axes *kept,
		     const struct axes *gone)
{
	f->rank = kept->rank;
	f->kept = 1;
	f->shape[0] = 1;
	for (int i = 0; i < kept->rank; i++) {
		const int d = kept->rank - 1 - i;

		f->shape[i] = kept->dim[d];
		f->source[i] = kept->stride[0][d];
		f->result[i] = kept->stride[1][d];
		f->kept *= kept->dim[d];
	}
	f->from = kept->offset[0];
	f->to = kept->offset[1];
	f->length = gone->rank ? gone->dim[0] : 1;
	f->step = gone->rank ? gone->stride[0][0] : 1;
}

/* --- With the engine -------------------------------------------------------
 */

static enum reduction reduction_of(enum fold_operation operation, int64_t count)
{
	switch (operation) {
	case FOLD_SUM: return count ? REDUCTION__mean : REDUCTION__sum;
	case FOLD_MIN: return REDUCTION__min;
	case FOLD_MAX: return REDUCTION__max;
	case FOLD_ANY: return REDUCTION__any;
	case FOLD_ALL: break;
	}
	return REDUCTION__all;
}

/* Reduce a copy with the reduced axes last. */
static dpr_status run_packed(struct reduction_call *call, const dpr_array *x)
{
	const bool same_rank = call->out->rank == x->rank;
	struct source source = { .x = x };
	struct layout layout = { .offset = call->out->offset };
	bool reduced[DPR_MAX_RANK];
	dpr_array *packed, *out;
	dpr_status status;
	int at = 0;

	for (int d = 0; d < x->rank; d++) {
		if (!call->reduced[d]) {
			layout.dim[layout.rank] = array_shape(x)[d];
			layout.stride[layout.rank++] =
				array_strides(call->out)[same_rank ? d : at++];
		}
	}
	for (int d = 0; d < x->rank; d++)
		reduced[d] = d >= layout.rank;
	status = pack_axes(call->what, &source, call->reduced, &packed);
	if (status)
		return status;
	status = array_view(call->out, &layout, &out);
	if (!status) {
		call->inputs = (const dpr_array *const[]){ packed };
		call->shape = array_shape(packed);
		call->reduced = reduced;
		call->out = out;
		status = reduction_run(call);
		dpr_array_release(out);
	}
	dpr_array_release(packed);
	return status;
}

static dpr_status run_engine(const char *what, enum reduction reduction,
			     const dpr_array *x, dpr_dtype as,
			     const bool *reduced, dpr_array *out)
{
	struct graph graph = { 0 };
	struct reduction_call call = { .what = what,
				       .reduction = reduction,
				       .graph = &graph,
				       .inputs = &x,
				       .rank = x->rank,
				       .shape = array_shape(x),
				       .reduced = reduced,
				       .out = out };
	dpr_status status;
	int step;

	step = graph_input(&graph, x->dtype);
	if (as != x->dtype)
		step = graph_cast(&graph, as, step);
	graph_result(&graph, step);
	status = reduction_run(&call);
	return status == DPR_ERROR_UNSUPPORTED ? run_packed(&call, x) : status;
}

bool fold_casts(dpr_device *device)
{
	return reduction_is_there(device);
}

dpr_status fold_launch(const char *what, enum fold_operation operation,
		       const dpr_array *x, dpr_dtype as, const bool *reduced,
		       int64_t count, dpr_array *out)
{
	struct fold f = { .operation = (int)operation, .count = count };
	struct source source = { .x = x, .offset = x->offset };
	dpr_array *packed = NULL;
	struct axes kept, gone;
	dpr_status status;

	if (out->size == 0)
		return DPR_OK;
	if (reduction_is_there(dpr_queue_device(x->queue)))
		return run_engine(what, reduction_of(operation, count), x, as,
				  reduced, out);
	for (int d = 0; d < x->rank; d++)
		source.stride[d] = array_strides(x)[d];
	split_axes(&source, x, reduced, out, &kept, &gone);
	if (gone.rank > 1 || kept.rank > FOLD_RANK) {
		status = pack_axes(what, &source, reduced, &packed);
		if (status)
			return status;
		split_axes(&source, x, reduced, out, &kept, &gone);
	}
	put_axes(&f, &kept, &gone);
	status = run_passes(what, source.x, &f, out);
	dpr_array_release(packed);
	return status;
}
