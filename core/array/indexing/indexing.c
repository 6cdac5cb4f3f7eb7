/* SPDX-License-Identifier: Apache-2.0 */
/* indexing.c - finds the elements that arrays of indices name. */
#include "core/array/indexing/indexing.h"

#include <string.h>

#include "core/array/object/broadcast.h"
#include "core/array/object/execution.h"
#include "core/base/status.h"

/* --- Arguments ------------------------------------------------------------ */

static dpr_status check_array(const char *what, const dpr_array *x)
{
	const char kind = dpr_dtype_kind(x->dtype);

	if (kind == 'i' || kind == 'u')
		return DPR_OK;
	if (kind == 'b')
		return fail(
			DPR_ERROR_DTYPE,
			"%s: the indices are bool: to read the elements "
			"where a mask is true, as x[mask], is not supported "
			"yet; use dpr_where(), or dpr_array_set_mask() to "
			"assign there",
			what);
	return fail(DPR_ERROR_DTYPE,
		    "%s: the indices are %s but must be integers; cast them "
		    "with dpr_astype()",
		    what, dpr_dtype_name(x->dtype));
}

/* Begin to index @x by @n arrays.  NULL arrays are skipped. */
static dpr_status begin(struct indexing *ix, const char *what,
			const dpr_array *x, const dpr_array *const *arrays,
			size_t n, dpr_bounds bounds)
{
	static const char *const names[DPR_MAX_RANK + 1] = { "x", "indices" };
	const dpr_array *operands[DPR_MAX_RANK + 1] = { x };
	size_t count = 1;

	memset(ix, 0, sizeof(*ix));
	ix->what = what;
	ix->bounds = bounds;
	if (bounds != DPR_BOUNDS_CHECK && bounds != DPR_BOUNDS_WRAP &&
	    bounds != DPR_BOUNDS_CLIP)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: bounds is %d, which is not a value of "
			    "dpr_bounds",
			    what, (int)bounds);
	for (size_t i = 0; i < n; i++) {
		dpr_status status;

		if (!arrays[i])
			continue;
		status = check_array(what, arrays[i]);
		if (status)
			return status;
		if (count > (size_t)x->rank)
			return fail(DPR_ERROR_INDEX,
				    "%s: there are more index arrays than the "
				    "%d axes of the array",
				    what, x->rank);
		operands[count++] = arrays[i];
	}
	return execution_queue(what, operands, count <= 2 ? names : NULL, count,
			       0, &ix->queue);
}

static dpr_status fail_null(const char *what)
{
	return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: the indices are NULL",
		    what);
}

/* Add an index array for axis @axis, with the extent and stride of axis @at of
   @layout. */
static void add_array(struct indexing *ix, const dpr_array *array, int axis,
		      const struct layout *layout, int at)
{
	ix->array[ix->n++] = (struct indexing_array){
		.array = dpr_array_retain((dpr_array *)(uintptr_t)array),
		.axis = axis,
		.length = layout->dim[at],
		.stride = layout->stride[at]
	};
}

void indexing_end(struct indexing *indexing)
{
	for (int i = 0; i < indexing->n; i++)
		dpr_array_release(indexing->array[i].array);
	indexing->n = 0;
}

/* --- Shapes --------------------------------------------------------------- */

/* Refuse to take elements from an axis that has none.  The index arrays
   broadcast to @rank axes @dim. */
static dpr_status check_lengths(const struct indexing *ix, int rank,
				const int64_t *dim)
{
	int64_t taken = 1;

	for (int d = 0; d < rank; d++)
		taken = dim[d] && taken ? 1 : 0;
	for (int i = 0; taken && i < ix->n; i++)
		if (!ix->array[i].length)
			return fail(DPR_ERROR_INDEX,
				    "%s: axis %d has no elements, so no index "
				    "is in range; give no indices",
				    ix->what, ix->array[i].axis);
	return DPR_OK;
}

static dpr_status add_axis(struct indexing *ix, int64_t dim, int64_t stride)
{
	struct layout *place = &ix->place;

	if (place->rank == DPR_MAX_RANK)
		return fail(DPR_ERROR_SHAPE,
			    "%s: the result would have more than %d axes",
			    ix->what, DPR_MAX_RANK);
	place->dim[place->rank] = dim;
	place->stride[place->rank++] = stride;
	return DPR_OK;
}

/*
 * Set the shape.  @rest: the layout of x, or of a view of x.  Its axes that
 * @indexed marks are replaced by the axes to which the index arrays broadcast.
 * These come before axis @before of @rest.
 */
static dpr_status set_place(struct indexing *ix, const struct layout *rest,
			    const bool *indexed, int before)
{
	const dpr_array *arrays[DPR_MAX_RANK];
	int64_t dim[DPR_MAX_RANK];
	dpr_status status;
	int rank;

	for (int i = 0; i < ix->n; i++)
		arrays[i] = ix->array[i].array;
	status = broadcast_shapes(ix->what, arrays, (size_t)ix->n, &rank, dim);
	if (!status)
		status = check_lengths(ix, rank, dim);
	for (int d = 0; !status && d <= rest->rank; d++) {
		for (int k = 0; !status && d == before && k < rank; k++)
			status = add_axis(ix, dim[k], 0);
		if (d == before)
			ix->behind = -ix->place.rank;
		if (!status && d < rest->rank && !indexed[d])
			status = add_axis(ix, rest->dim[d], rest->stride[d]);
	}
	ix->behind += ix->place.rank;
	return status;
}

/* Begin to index @x by one array along @axis.  *@at: the number of the axis,
   counted from the first one. */
static dpr_status begin_axis(struct indexing *ix, const char *what,
			     const dpr_array *x, const dpr_array *indices,
			     int axis, dpr_bounds bounds, int *at)
{
	dpr_status status;

	ix->n = 0;
	if (!indices)
		return fail_null(what);
	status = array_axis(what, x, axis, at);
	return status ? status : begin(ix, what, x, &indices, 1, bounds);
}

dpr_status indexing_line(const dpr_array *x, int *axis, dpr_array **out)
{
	if (*axis == DPR_AXIS_NONE) {
		*axis = 0;
		return dpr_reshape(x, DPR_SHAPE(x->size), out);
	}
	*out = dpr_array_retain((dpr_array *)(uintptr_t)x);
	return DPR_OK;
}

dpr_status indexing_take(const char *what, const dpr_array *x,
			 const dpr_array *indices, int axis, dpr_bounds bounds,
			 struct indexing *out)
{
	bool indexed[DPR_MAX_RANK] = { false };
	struct layout layout;
	dpr_status status;
	int at;

	status = begin_axis(out, what, x, indices, axis, bounds, &at);
	if (status)
		return status;
	array_layout(x, &layout);
	add_array(out, indices, at, &layout, at);
	indexed[at] = true;
	return set_place(out, &layout, indexed, at);
}

dpr_status indexing_along(const char *what, const dpr_array *x,
			  const dpr_array *indices, int axis, dpr_bounds bounds,
			  struct indexing *out)
{
	struct layout layout;
	dpr_status status;
	int at;

	status = begin_axis(out, what, x, indices, axis, bounds, &at);
	if (status)
		return status;
	if (indices->rank != x->rank)
		return fail(DPR_ERROR_SHAPE,
			    "%s: the indices have %d axes, but the array has "
			    "%d",
			    what, indices->rank, x->rank);
	array_layout(x, &layout);
	add_array(out, indices, at, &layout, at);
	status = check_lengths(out, 1, &array_shape(indices)[at]);
	for (int d = 0; !status && d < x->rank; d++) {
		const int64_t n = array_shape(indices)[d];
		const bool repeats = d == at || layout.dim[d] == 1;

		if (!repeats && n != 1 && n != layout.dim[d])
			return fail(DPR_ERROR_SHAPE,
				    "%s: axis %d has the extent %lld in the "
				    "array and %lld in the indices",
				    what, d, (long long)layout.dim[d],
				    (long long)n);
		status = add_axis(out, repeats ? n : layout.dim[d],
				  repeats ? 0 : layout.stride[d]);
	}
	return status;
}

/* --- Arrays and basic indices together ------------------------------------ */

/* Where arrays and basic indices stand, as far as they have been read. */
struct indexing_reading {
	int axis;    /* the next axis of x */
	int at;      /* the next axis of the view */
	int before;  /* the axis of the view before which the arrays' axes come
		      */
	bool begun;  /* an array or an integer has come */
	bool behind; /* another kind of index has come after these */
	bool apart;  /* arrays and integers are not side by side */
};

/* Note an array or an integer.  Integers count as index arrays where both
   occur, as in NumPy. */
static void note_advanced(struct indexing_reading *r)
{
	r->apart |= r->behind;
	if (!r->begun)
		r->before = r->at;
	r->begun = true;
}

static void note_index(struct indexing_reading *r, const dpr_index *index,
		       int whole)
{
	switch (index->kind) {
	case DPR_INDEX_INTEGER:
		note_advanced(r);
		r->axis++;
		return;
	case DPR_INDEX_SLICE:
		r->axis++;
		r->at++;
		break;
	case DPR_INDEX_NEW_AXIS: r->at++; break;
	case DPR_INDEX_ELLIPSIS:
		r->axis += whole;
		r->at += whole;
		break;
	}
	r->behind = r->begun;
}

/* Let a whole axis stand in place of each index array. */
static dpr_index index_of(const dpr_index *indices,
			  const dpr_array *const *arrays, size_t i)
{
	return arrays[i] ? DPR_ALL : indices[i];
}

/* Get the view of @x by the basic indices, and the number of axes that an
   ellipsis stands for. */
static dpr_status index_basic(const dpr_array *x, const dpr_index *indices,
			      const dpr_array *const *arrays, size_t n,
			      struct layout *view, int *whole)
{
	dpr_index basic[3 * DPR_MAX_RANK];
	struct layout layout;

	*whole = x->rank;
	for (size_t i = 0; i < n; i++) {
		basic[i] = index_of(indices, arrays, i);
		*whole -= basic[i].kind == DPR_INDEX_INTEGER ||
			  basic[i].kind == DPR_INDEX_SLICE;
	}
	array_layout(x, &layout);
	return layout_index(&layout, basic, n, view);
}

dpr_status indexing_mixed(const char *what, const dpr_array *x,
			  const dpr_index *indices,
			  const dpr_array *const *arrays, size_t n,
			  dpr_bounds bounds, struct indexing *out)
{
	bool indexed[DPR_MAX_RANK] = { false };
	struct indexing_reading r = { 0 };
	struct layout view;
	dpr_status status;
	int whole;

	out->n = 0;
	if (n && (!arrays || !indices))
		return fail_null(what);
	/* No list is longer: all axes of an array, all new axes of a view, and
	   an ellipsis. */
	if (n > 2 * DPR_MAX_RANK + 1)
		return fail(DPR_ERROR_INDEX, "%s: there are too many indices",
			    what);
	status = begin(out, what, x, arrays, n, bounds);
	if (!status)
		status = index_basic(x, indices, arrays, n, &view, &whole);
	if (status)
		return status;
	out->place.offset = view.offset - x->offset;
	for (size_t i = 0; i < n; i++) {
		if (!arrays[i]) {
			note_index(&r, &indices[i], whole);
			continue;
		}
		note_advanced(&r);
		add_array(out, arrays[i], r.axis++, &view, r.at);
		indexed[r.at++] = true;
	}
	if (!out->n)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: none of the indices is an array; use "
			    "dpr_array_index()",
			    what);
	return set_place(out, &view, indexed, r.apart ? 0 : r.before);
}

bool indexing_has_rows(const struct indexing *indexing)
{
	if (indexing->behind)
		return true;
	for (int i = 0; i < indexing->n; i++) {
		const dpr_array *array = indexing->array[i].array;

		if (array->rank && array->dim[array->rank - 1] != 1)
			return false;
	}
	return indexing->place.rank > 0;
}

dpr_status indexing_view(const struct indexing *indexing, int i,
			 dpr_array **out)
{
	const dpr_array *array = indexing->array[i].array;
	struct layout layout;

	if (!indexing->behind) {
		*out = dpr_array_retain((dpr_array *)(uintptr_t)array);
		return DPR_OK;
	}
	array_layout(array, &layout);
	for (int d = 0; d < indexing->behind; d++) {
		layout.dim[layout.rank] = 1;
		layout.stride[layout.rank++] = 0;
	}
	return array_view(array, &layout, out);
}
