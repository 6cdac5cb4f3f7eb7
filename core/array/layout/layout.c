/* SPDX-License-Identifier: Apache-2.0 */
/* layout.c - arithmetic on shapes and strides. */
#include "core/array/layout/layout.h"

#include <stdio.h>
#include <string.h>

#include "core/base/status.h"

bool layout_count(int rank, const int64_t *dim, int64_t *count)
{
	int64_t n = 1;

	/* With an extent of 0 the product is 0, for any other extents. */
	for (int k = 0; k < rank; k++)
		if (!dim[k]) {
			*count = 0;
			return true;
		}
	for (int k = 0; k < rank; k++)
		if (__builtin_mul_overflow(n, dim[k], &n))
			return false;
	*count = n;
	return true;
}

void layout_c_strides(int rank, const int64_t *dim, int64_t *stride)
{
	int64_t step = 1;

	for (int k = rank - 1; k >= 0; k--) {
		stride[k] = step;
		if (__builtin_mul_overflow(step, dim[k] ? dim[k] : 1, &step))
			step = 0; /* only possible if another extent is 0 */
	}
}

const char *layout_shape_text(char *text, size_t room, int rank,
			      const int64_t *dim)
{
	size_t at = 0;

	text[at++] = '(';
	for (int k = 0; k < rank && at + 24 < room; k++)
		at += (size_t)snprintf(text + at, room - at, "%s%lld",
				       k ? ", " : "", (long long)dim[k]);
	snprintf(text + at, room - at, rank == 1 ? ",)" : ")");
	return text;
}

bool layout_is_contiguous(int rank, const int64_t *dim, const int64_t *stride)
{
	int64_t step = 1;

	for (int k = 0; k < rank; k++)
		if (!dim[k])
			return true;
	for (int k = rank - 1; k >= 0; k--) {
		if (dim[k] == 1)
			continue;
		if (stride[k] != step)
			return false;
		step *= dim[k];
	}
	return true;
}

static void swap(int64_t *a, int64_t *b)
{
	const int64_t t = *a;

	*a = *b;
	*b = t;
}

void layout_swap(struct layout *layout, int axis1, int axis2)
{
	swap(&layout->dim[axis1], &layout->dim[axis2]);
	swap(&layout->stride[axis1], &layout->stride[axis2]);
}

bool layout_bounds(int rank, const int64_t *dim, const int64_t *stride,
		   int64_t *low, int64_t *high)
{
	int64_t span;

	*low = *high = 0;
	for (int k = 0; k < rank; k++)
		if (!dim[k]) {
			*high = -1;
			return true;
		}
	for (int k = 0; k < rank; k++) {
		int64_t *end = stride[k] < 0 ? low : high;

		if (__builtin_mul_overflow(dim[k] - 1, stride[k], &span) ||
		    __builtin_add_overflow(*end, span, end))
			return false;
	}
	return true;
}

/* Apply a slice to an axis of @n elements, as Python does.  Gets the first
   index, the step and the number of elements. */
static void slice_range(const dpr_index *index, int64_t n, int64_t *start,
			int64_t *step, int64_t *count)
{
	int64_t by = index->step == DPR_OPEN ? 1 : index->step;
	int64_t low = by < 0 ? -1 : 0, high = by < 0 ? n - 1 : n;
	int64_t from = index->start, to = index->stop;

	if (from == DPR_OPEN)
		from = by < 0 ? high : low;
	else if (from < 0)
		from = from + n < low ? low : from + n;
	else if (from > high)
		from = high;
	if (to == DPR_OPEN)
		to = by < 0 ? low : high;
	else if (to < 0)
		to = to + n < low ? low : to + n;
	else if (to > high)
		to = high;
	if (by > 0)
		*count = to > from ? (to - from - 1) / by + 1 : 0;
	else
		*count = from > to ? (from - to - 1) / -by + 1 : 0;
	*start = from;
	*step = by;
}

/* Check @indices.  *@whole is the number of axes without an index. */
static dpr_status index_check(const struct layout *x, const dpr_index *indices,
			      size_t n_indices, int *whole)
{
	size_t taken = 0, made = 0, ellipses = 0;

	for (size_t i = 0; i < n_indices; i++) {
		switch (indices[i].kind) {
		case DPR_INDEX_INTEGER: taken++; continue;
		case DPR_INDEX_SLICE:
			if (!indices[i].step)
				return fail(DPR_ERROR_INDEX,
					    "index: the step of index %zu is 0",
					    i);
			taken++;
			made++;
			continue;
		case DPR_INDEX_NEW_AXIS: made++; continue;
		case DPR_INDEX_ELLIPSIS: ellipses++; continue;
		}
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "index: index %zu has an unknown kind (%u)", i,
			    indices[i].kind);
	}
	if (ellipses > 1)
		return fail(DPR_ERROR_INDEX, "index: more than one ellipsis");
	if (taken > (size_t)x->rank)
		return fail(DPR_ERROR_INDEX,
			    "index: there are %zu indices, but the array has "
			    "%d axes",
			    taken, x->rank);
	*whole = x->rank - (int)taken;
	if (made + (size_t)*whole > DPR_MAX_RANK)
		return fail(DPR_ERROR_SHAPE,
			    "index: the view would have %zu axes, more than %d",
			    made + (size_t)*whole, DPR_MAX_RANK);
	return DPR_OK;
}

static void take_whole(const struct layout *x, int *axis, int n,
		       struct layout *out)
{
	for (; n > 0; n--, (*axis)++) {
		out->dim[out->rank] = x->dim[*axis];
		out->stride[out->rank++] = x->stride[*axis];
	}
}

static void take_slice(const struct layout *x, int axis, const dpr_index *index,
		       struct layout *out)
{
	int64_t start, step, count, stride;

	slice_range(index, x->dim[axis], &start, &step, &count);
	/* Only a slice of at most one element can overflow here, and its stride
	   is never used. */
	if (__builtin_mul_overflow(x->stride[axis], step, &stride))
		stride = 0;
	if (count)
		out->offset += start * x->stride[axis];
	out->dim[out->rank] = count;
	out->stride[out->rank++] = stride;
}

static dpr_status take_integer(const struct layout *x, int axis, int64_t i,
			       struct layout *out)
{
	int64_t n = x->dim[axis];

	if (i < -n || i >= n)
		return fail(DPR_ERROR_INDEX,
			    "index: %lld is out of range for axis %d of extent "
			    "%lld",
			    (long long)i, axis, (long long)n);
	out->offset += (i < 0 ? i + n : i) * x->stride[axis];
	return DPR_OK;
}

dpr_status layout_index(const struct layout *x, const dpr_index *indices,
			size_t n_indices, struct layout *out)
{
	int axis = 0, whole = 0;
	dpr_status status;

	status = index_check(x, indices, n_indices, &whole);
	if (status)
		return status;
	out->rank = 0;
	out->offset = x->offset;
	for (size_t i = 0; i < n_indices; i++) {
		switch (indices[i].kind) {
		case DPR_INDEX_INTEGER:
			status = take_integer(x, axis++, indices[i].start, out);
			if (status)
				return status;
			break;
		case DPR_INDEX_SLICE:
			take_slice(x, axis++, &indices[i], out);
			break;
		case DPR_INDEX_NEW_AXIS:
			out->dim[out->rank] = 1;
			out->stride[out->rank++] = 0;
			break;
		case DPR_INDEX_ELLIPSIS:
			take_whole(x, &axis, whole, out);
			whole = 0;
			break;
		}
	}
	take_whole(x, &axis, whole, out);
	return DPR_OK;
}

bool layout_reshape(const struct layout *x, int rank, const int64_t *dim,
		    int64_t *stride)
{
	int64_t old_dim[DPR_MAX_RANK], old[1][DPR_MAX_RANK], offset = 0, left;
	int k, axis;

	for (k = 0; k < rank; k++)
		if (!dim[k]) {
			layout_c_strides(rank, dim, stride);
			return true;
		}
	memcpy(old_dim, x->dim, (size_t)x->rank * sizeof(old_dim[0]));
	memcpy(old[0], x->stride, (size_t)x->rank * sizeof(old[0][0]));
	axis = layout_collapse(1, x->rank, old_dim, old, &offset, false) - 1;
	/*
	 * The remaining old axes cannot be merged, so each new axis must lie
	 * within one old axis.  The loop goes from the innermost axis outwards.
	 * `left` is the part of the current old axis that is not used yet.
	 */
	left = axis >= 0 ? old_dim[axis] : 1;
	for (k = rank - 1; k >= 0; k--) {
		if (dim[k] == 1) {
			stride[k] = 0;
			continue;
		}
		if (left == 1 && axis > 0)
			left = old_dim[--axis];
		if (left % dim[k])
			return false;
		stride[k] = old[0][axis] * (old_dim[axis] / left);
		left /= dim[k];
	}
	return true;
}

bool layout_broadcast(int *rank, int64_t *shape, int dim_rank,
		      const int64_t *dim, int *axis)
{
	int shift = dim_rank - *rank;

	if (shift > 0) {
		memmove(shape + shift, shape, (size_t)*rank * sizeof(shape[0]));
		memcpy(shape, dim, (size_t)shift * sizeof(shape[0]));
		*rank = dim_rank;
	}
	shift = *rank - dim_rank;
	for (int k = 0; k < dim_rank; k++) {
		int64_t *extent = &shape[k + shift];

		if (*extent == 1) {
			*extent = dim[k];
		} else if (dim[k] != 1 && dim[k] != *extent) {
			*axis = k + shift;
			return false;
		}
	}
	return true;
}

bool layout_expand(const struct layout *x, int rank, const int64_t *dim,
		   int64_t *stride)
{
	int shift = rank - x->rank;

	if (shift < 0)
		return false;
	for (int k = 0; k < rank; k++) {
		if (k < shift || (x->dim[k - shift] == 1 && dim[k] != 1))
			stride[k] = 0;
		else if (x->dim[k - shift] == dim[k])
			stride[k] = x->stride[k - shift];
		else
			return false;
	}
	return true;
}

/* Whether axis @a belongs outside axis @b.  The first operand with different
   strides decides. */
static bool is_outer(int n, int64_t (*stride)[DPR_MAX_RANK], int a, int b)
{
	for (int i = 0; i < n; i++) {
		int64_t sa = layout_magnitude(stride[i][a]),
			sb = layout_magnitude(stride[i][b]);

		/* An axis with stride 0 may be anywhere. */
		if (sa != sb && sa && sb)
			return sa > sb;
	}
	return false;
}

static void move_axis(int n, int64_t *dim, int64_t (*stride)[DPR_MAX_RANK],
		      int to, int from)
{
	dim[to] = dim[from];
	for (int i = 0; i < n; i++)
		stride[i][to] = stride[i][from];
}

static void swap_axes(int n, int64_t *dim, int64_t (*stride)[DPR_MAX_RANK],
		      int a, int b)
{
	int64_t t = dim[a];

	dim[a] = dim[b];
	dim[b] = t;
	for (int i = 0; i < n; i++) {
		t = stride[i][a];
		stride[i][a] = stride[i][b];
		stride[i][b] = t;
	}
}

/* Reverse axis @k if an operand goes backwards along it, and none forwards. */
static void turn_axis(int n, const int64_t *dim,
		      int64_t (*stride)[DPR_MAX_RANK], int64_t *offset, int k)
{
	bool backwards = false;

	for (int i = 0; i < n; i++) {
		if (stride[i][k] > 0)
			return;
		backwards |= stride[i][k] < 0;
	}
	for (int i = 0; backwards && i < n; i++) {
		offset[i] += (dim[k] - 1) * stride[i][k];
		stride[i][k] = -stride[i][k];
	}
}

/* Sort the axes by insertion, since is_outer() is not a total order if there
   are strides of 0.  Axes that is_outer() does not order stay in their
   order. */
static void order_axes(int n, int rank, int64_t *dim,
		       int64_t (*stride)[DPR_MAX_RANK], int64_t *offset)
{
	for (int k = 0; k < rank; k++)
		turn_axis(n, dim, stride, offset, k);
	for (int k = 1; k < rank; k++)
		for (int j = k; j > 0 && is_outer(n, stride, j, j - 1); j--)
			swap_axes(n, dim, stride, j, j - 1);
}

static bool axes_merge(int n, const int64_t *dim,
		       int64_t (*stride)[DPR_MAX_RANK], int outer, int inner)
{
	for (int i = 0; i < n; i++) {
		int64_t step;

		if (__builtin_mul_overflow(stride[i][inner], dim[inner],
					   &step) ||
		    stride[i][outer] != step)
			return false;
	}
	return true;
}

int layout_collapse(int n, int rank, int64_t *dim,
		    int64_t (*stride)[DPR_MAX_RANK], int64_t *offset,
		    bool free_order)
{
	int kept = 0, last = 0;

	for (int k = 0; k < rank; k++) {
		if (!dim[k]) {
			dim[0] = 0;
			for (int i = 0; i < n; i++)
				stride[i][0] = 1;
			return 1;
		}
		if (dim[k] != 1)
			move_axis(n, dim, stride, kept++, k);
	}
	if (!kept)
		return 0;
	if (free_order)
		order_axes(n, kept, dim, stride, offset);
	for (int k = 1; k < kept; k++) {
		if (axes_merge(n, dim, stride, last, k)) {
			int64_t joined = dim[last] * dim[k];

			move_axis(n, dim, stride, last, k);
			dim[last] = joined;
		} else {
			move_axis(n, dim, stride, ++last, k);
		}
	}
	return last + 1;
}
