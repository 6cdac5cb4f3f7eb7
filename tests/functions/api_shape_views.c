/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_shape_views.c - the functions of shapes.h that make views, on every
 * device: the elements that they show, by a loop over the positions, and their
 * errors.
 */
#include <dpr/dpr.h>

#include "tests/support/rearranged.h"

/* Check that @y is a view of @x, and release @x. */
static void is_view(dpr_array *x, const dpr_array *y)
{
	if (dpr_array_size(y))
		ck_assert_ptr_eq(dpr_array_usm(y), dpr_array_usm(x));
	ck_assert_ptr_eq(dpr_array_queue(y), test_queue);
	dpr_array_release(x);
}

/* --- flip and rot90 ------------------------------------------------------ */

/* The axes that are reversed, as bits. */
static bool from_flipped(const void *how, const struct plain *source,
			 const int64_t *at, int64_t *from)
{
	const uint32_t reversed = *(const uint32_t *)how;

	for (int k = 0; k < source->rank; k++)
		from[k] =
			reversed >> k & 1 ? source->dim[k] - 1 - at[k] : at[k];
	return true;
}

static void flip(int which, const dpr_axes *axes, uint32_t reversed)
{
	dpr_array *x = sources_make(which, DPR_INT32), *y;
	struct plain source = plain_of(x);

	CHECK_OK(dpr_flip(x, axes, &y));
	is_view(x, y);
	check_rearranged(y, &source, source.rank, source.dim, from_flipped,
			 &reversed);
	plain_free(&source);
}

START_TEST(axes_are_flipped)
{
	dpr_array *x = sources_make(_i, DPR_INT32);
	const int rank = dpr_array_rank(x);

	dpr_array_release(x);
	flip(_i, NULL, UINT32_MAX);
	flip(_i, &(const dpr_axes){ .axis = (const int[]){ 0 } }, 0);
	for (int k = 0; k<rank; k += rank> 9 ? 9 : 1)
		flip(_i, DPR_AXES(k), UINT32_C(1) << k);
	if (rank > 1)
		flip(_i, DPR_AXES(-1, 0), 1 | UINT32_C(1) << (rank - 1));
}
END_TEST

/* An array that is turned @k times in the plane of two axes. */
struct turned {
	int k, a, b;
};

static bool from_turned(const void *how, const struct plain *source,
			const int64_t *at, int64_t *from)
{
	const struct turned *t = how;

	for (int k = 0; k < source->rank; k++)
		from[k] = at[k];
	/* Undo the turns, the last one first. */
	for (int i = t->k; i > 0; i--) {
		const int64_t before = source->dim[i % 2 ? t->b : t->a];
		const int64_t row = from[t->a];

		from[t->a] = from[t->b];
		from[t->b] = before - 1 - row;
	}
	return true;
}

START_TEST(planes_are_turned)
{
	for (int k = -5; k < 6; k++) {
		dpr_array *x = sources_make(_i, DPR_INT32), *y;
		const int rank = dpr_array_rank(x);
		struct plain source = plain_of(x);
		int64_t dim[DPR_MAX_RANK];
		struct turned t = { ((k % 4) + 4) % 4, rank - 1, 0 };

		if (rank < 2) {
			CHECK_FAILS(DPR_ERROR_SHAPE, dpr_rot90(x, k, NULL, &y));
			dpr_array_release(x);
			plain_free(&source);
			continue;
		}
		memcpy(dim, source.dim, sizeof(dim));
		if (t.k % 2) {
			dim[t.a] = source.dim[t.b];
			dim[t.b] = source.dim[t.a];
		}
		CHECK_OK(dpr_rot90(x, k, DPR_AXES(-1, 0), &y));
		is_view(x, y);
		check_rearranged(y, &source, rank, dim, from_turned, &t);
		plain_free(&source);
	}
}
END_TEST

/* --- Axes ---------------------------------------------------------------- */

/* Axis k of the result is axis @order[k] of the source. */
static bool from_ordered(const void *how, const struct plain *source,
			 const int64_t *at, int64_t *from)
{
	const int *order = how;

	for (int k = 0; k < source->rank; k++)
		from[order[k]] = at[k];
	return true;
}

/* Check that the axes of @y, a view of @x, have the order @order. */
static void check_order(dpr_array *x, dpr_array *y, const int *order)
{
	struct plain source = plain_of(x);
	int64_t dim[DPR_MAX_RANK];

	for (int k = 0; k < source.rank; k++)
		dim[k] = source.dim[order[k]];
	is_view(x, y);
	check_rearranged(y, &source, source.rank, dim, from_ordered, order);
	plain_free(&source);
}

/* As NumPy does: take the sources out, and insert them by rising
   destinations. */
static void move_axes(int rank, const dpr_axes *from, const dpr_axes *to,
		      int *order)
{
	int n = 0;

	for (int k = 0; k < rank; k++) {
		bool moved = false;

		for (int i = 0; i < from->count; i++)
			moved |= (from->axis[i] + rank) % rank == k;
		if (!moved)
			order[n++] = k;
	}
	for (int place = 0; place < rank; place++)
		for (int i = 0; i < from->count; i++) {
			if ((to->axis[i] + rank) % rank != place)
				continue;
			for (int k = n++; k > place; k--)
				order[k] = order[k - 1];
			order[place] = (from->axis[i] + rank) % rank;
		}
	ck_assert_int_eq(n, rank);
}

static void move(int which, const dpr_axes *from, const dpr_axes *to)
{
	dpr_array *x = sources_make(which, DPR_INT32), *y;
	int order[DPR_MAX_RANK];

	move_axes(dpr_array_rank(x), from, to, order);
	CHECK_OK(dpr_moveaxis(x, from, to, &y));
	check_order(x, y, order);
}

START_TEST(axes_are_moved)
{
	dpr_array *x = sources_make(_i, DPR_INT32), *y;
	const int rank = dpr_array_rank(x);
	const dpr_axes none = { .axis = (const int[]){ 0 } };

	dpr_array_release(x);
	move(_i, &none, &none);
	if (rank > 0) {
		move(_i, DPR_AXES(0), DPR_AXES(-1));
		move(_i, DPR_AXES(-1), DPR_AXES(0));
	}
	if (rank > 2) {
		move(_i, DPR_AXES(0, 1), DPR_AXES(-1, -2));
		move(_i, DPR_AXES(2, 0), DPR_AXES(1, 2));
		move(_i, DPR_AXES(0, -1, 1), DPR_AXES(0, 1, 2));
	}
	for (int a = 0; a<rank; a += rank> 9 ? 7 : 1) {
		const int b = rank / 2;
		int order[DPR_MAX_RANK];

		x = sources_make(_i, DPR_INT32);
		for (int k = 0; k < rank; k++)
			order[k] = k == a ? b : k == b ? a : k;
		CHECK_OK(dpr_swapaxes(x, a, b - rank, &y));
		check_order(x, y, order);
	}
}
END_TEST

/* Squeeze (3, 1, 2, 1, 1), and compare the shape. */
static void squeeze(const dpr_axes *axes, int rank, const int64_t *dim)
{
	dpr_array *x = numbered(DPR_SHAPE(3, 1, 2, 1, 1), DPR_INT32), *y;
	struct plain source = plain_of(x);

	CHECK_OK(dpr_squeeze(x, axes, &y));
	is_view(x, y);
	ck_assert_int_eq(dpr_array_rank(y), rank);
	for (int k = 0; k < rank; k++)
		ck_assert_int_eq(dpr_array_shape(y)[k], dim[k]);
	check_rearranged(
		y,
		&(struct plain){ rank,
				 { dim[0], dim[1], dim[2], dim[3], dim[4] },
				 source.item,
				 source.bytes },
		rank, dim, from_flipped, &(uint32_t){ 0 });
	plain_free(&source);
}

START_TEST(axes_are_squeezed)
{
	const dpr_axes none = { .axis = (const int[]){ 0 } };
	dpr_array *x, *y;

	squeeze(NULL, 2, (const int64_t[5]){ 3, 2 });
	squeeze(&none, 5, (const int64_t[5]){ 3, 1, 2, 1, 1 });
	squeeze(DPR_AXES(1), 4, (const int64_t[5]){ 3, 2, 1, 1 });
	squeeze(DPR_AXES(-1, 1), 3, (const int64_t[5]){ 3, 2, 1 });
	squeeze(DPR_AXES(3, 4, 1), 2, (const int64_t[5]){ 3, 2 });
	x = sources_make(LAYOUTS_COUNT + 1, DPR_INT32);
	CHECK_OK(dpr_squeeze(x, NULL, &y));
	ck_assert_int_eq(dpr_array_rank(y), 5);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

/* Check the shapes of the three functions. */
static void atleast(dpr_shape shape, int given[3], const int64_t dim[3][3])
{
	static dpr_status (*const functions[])(const dpr_array *,
					       dpr_array **) = {
		dpr_atleast_1d, dpr_atleast_2d, dpr_atleast_3d
	};

	for (int i = 0; i < 3; i++) {
		dpr_array *x = numbered(shape, DPR_INT32), *y;
		struct plain source = plain_of(x);

		CHECK_OK(functions[i](x, &y));
		is_view(x, y);
		source.rank = given[i];
		memcpy(source.dim, dim[i], sizeof(dim[i]));
		check_rearranged(y, &source, given[i], dim[i], from_flipped,
				 &(uint32_t){ 0 });
		plain_free(&source);
	}
}

START_TEST(axes_are_added)
{
	dpr_array *x = sources_make(LAYOUTS_COUNT, DPR_INT32), *y;
	int order[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };

	atleast(DPR_SCALAR_SHAPE, (int[]){ 1, 2, 3 },
		(const int64_t[3][3]){ { 1 }, { 1, 1 }, { 1, 1, 1 } });
	atleast(DPR_SHAPE(4), (int[]){ 1, 2, 3 },
		(const int64_t[3][3]){ { 4 }, { 1, 4 }, { 1, 4, 1 } });
	atleast(DPR_SHAPE(3, 4), (int[]){ 2, 2, 3 },
		(const int64_t[3][3]){ { 3, 4 }, { 3, 4 }, { 3, 4, 1 } });
	atleast(DPR_SHAPE(2, 0, 4), (int[]){ 3, 3, 3 },
		(const int64_t[3][3]){ { 2, 0, 4 }, { 2, 0, 4 }, { 2, 0, 4 } });
	CHECK_OK(dpr_atleast_3d(x, &y));
	check_order(x, y, order);
}
END_TEST

/* --- Diagonals ----------------------------------------------------------- */

static bool from_diagonal(const void *how, const struct plain *source,
			  const int64_t *at, int64_t *from)
{
	const int64_t offset = *(const int64_t *)how;
	const int last = source->rank - 1;

	for (int k = 0; k < last - 1; k++)
		from[k] = at[k];
	from[last - 1] = at[last - 1] - (offset < 0 ? offset : 0);
	from[last] = at[last - 1] + (offset > 0 ? offset : 0);
	return true;
}

static void diagonal(int which, int64_t offset)
{
	dpr_array *x = sources_make(which, DPR_INT32), *y;
	struct plain source = plain_of(x);
	const int last = source.rank - 1;
	int64_t dim[DPR_MAX_RANK], n = 0;

	for (int64_t row = 0; row < source.dim[last - 1]; row++)
		n += offset > -1000 && offset < 1000 && row + offset >= 0 &&
		     row + offset < source.dim[last];
	memcpy(dim, source.dim, sizeof(dim));
	dim[last - 1] = n;
	CHECK_OK(dpr_diagonal(x, offset, &y));
	is_view(x, y);
	check_rearranged(y, &source, last, dim, from_diagonal, &offset);
	plain_free(&source);
}

START_TEST(diagonals_are_views)
{
	dpr_array *x = sources_make(_i, DPR_INT32);
	const int rank = dpr_array_rank(x);

	dpr_array_release(x);
	for (int64_t offset = -7; rank > 1 && offset <= 7; offset++)
		diagonal(_i, offset);
	if (rank > 1) {
		diagonal(_i, INT64_MIN);
		diagonal(_i, INT64_MAX);
	}
}
END_TEST

/* --- Parts --------------------------------------------------------------- */

/* The part of an array that begins at @begin along axis @axis.  With @drops the
   part lacks this axis. */
struct part {
	int axis;
	bool drops;
	int64_t begin;
};

static bool from_part(const void *how, const struct plain *source,
		      const int64_t *at, int64_t *from)
{
	const struct part *p = how;

	for (int k = 0; k < source->rank; k++)
		from[k] = k < p->axis   ? at[k]
			  : k > p->axis ? at[k - p->drops]
			  : p->drops    ? p->begin
					: p->begin + at[k];
	return true;
}

static void unstack(int which, int axis)
{
	dpr_array *x = sources_make(which, DPR_INT32), *out[6];
	struct plain source = plain_of(x);
	const size_t n = (size_t)source.dim[axis];
	struct part part = { axis, true, 0 };
	int64_t dim[DPR_MAX_RANK];

	for (int k = 0; k < source.rank - 1; k++)
		dim[k] = source.dim[k + (k >= axis)];
	CHECK_OK(dpr_unstack(x, axis - source.rank, out, n));
	for (size_t i = 0; i < n; i++, part.begin++) {
		is_view(dpr_array_retain(x), out[i]);
		check_rearranged(out[i], &source, source.rank - 1, dim,
				 from_part, &part);
	}
	dpr_array_release(x);
	plain_free(&source);
}

static void split(int which, int axis, const int64_t *at, size_t n,
		  const int64_t *begin)
{
	dpr_array *x = sources_make(which, DPR_INT32), *out[6];
	struct plain source = plain_of(x);
	struct part part = { axis, false, 0 };
	int64_t dim[DPR_MAX_RANK];

	memcpy(dim, source.dim, sizeof(dim));
	CHECK_OK(dpr_split(x, axis, at, out, n));
	for (size_t i = 0; i < n; i++) {
		part.begin = begin[i];
		dim[axis] = begin[i + 1] - begin[i];
		is_view(dpr_array_retain(x), out[i]);
		check_rearranged(out[i], &source, source.rank, dim, from_part,
				 &part);
	}
	dpr_array_release(x);
	plain_free(&source);
}

START_TEST(arrays_are_divided)
{
	dpr_array *x = sources_make(_i, DPR_INT32);
	const int rank = dpr_array_rank(x);
	int64_t dim[DPR_MAX_RANK];

	for (int k = 0; k < rank; k++)
		dim[k] = dpr_array_shape(x)[k];
	dpr_array_release(x);
	for (int k = 0; k<rank; k += rank> 9 ? 9 : 1) {
		const int64_t n = dim[k], half = n / 2;

		unstack(_i, k);
		split(_i, k, NULL, 1, (const int64_t[]){ 0, n });
		split(_i, k, (const int64_t[]){ 0, half, half, n }, 5,
		      (const int64_t[]){ 0, 0, half, half, n, n });
		if (n % 2 == 0)
			split(_i, k, NULL, 2, (const int64_t[]){ 0, half, n });
	}
}
END_TEST

/* --- Common shapes ------------------------------------------------------- */

/* The source has one axis, which is axis @axis of the result. */
static bool from_line(const void *how, const struct plain *source,
		      const int64_t *at, int64_t *from)
{
	if (source->rank)
		from[0] = at[*(const int *)how];
	return true;
}

static void check_grid(dpr_indexing indexing, const int64_t *dim,
		       const int *axis)
{
	dpr_array *whole = numbered(DPR_SHAPE(4, 5, 6), DPR_INT32), *x[3];
	dpr_array *out[3];

	CHECK_OK(dpr_array_view(whole, &x[0], DPR_AT(1),
				DPR_SLICE(4, DPR_OPEN, -2), DPR_AT(3)));
	CHECK_OK(dpr_array_view(whole, &x[1], DPR_AT(0), DPR_AT(1)));
	CHECK_OK(dpr_array_view(whole, &x[2], DPR_AT(0), DPR_AT(1), DPR_AT(2)));
	dpr_array_release(whole);
	CHECK_OK(dpr_meshgrid((const dpr_array *const *)x, 3, indexing, out));
	for (int i = 0; i < 3; i++) {
		struct plain source = plain_of(x[i]);

		is_view(x[i], out[i]);
		check_rearranged(out[i], &source, 3, dim, from_line, &axis[i]);
		plain_free(&source);
	}
}

START_TEST(grids_are_views)
{
	dpr_array *line = numbered(DPR_SHAPE(3), DPR_INT8), *out[32];
	dpr_array *none = numbered(DPR_SHAPE(0), DPR_INT8);
	const dpr_array *lines[32] = { line, none };

	check_grid(DPR_INDEXING_IJ, (const int64_t[]){ 3, 6, 1 },
		   (const int[]){ 0, 1, 2 });
	check_grid(DPR_INDEXING_XY, (const int64_t[]){ 6, 3, 1 },
		   (const int[]){ 1, 0, 2 });
	CHECK_OK(dpr_meshgrid(lines, 1, DPR_INDEXING_XY, out));
	ck_assert_int_eq(dpr_array_rank(out[0]), 1);
	dpr_array_release(out[0]);
	CHECK_OK(dpr_meshgrid(lines, 2, DPR_INDEXING_XY, out));
	ck_assert_int_eq(dpr_array_shape(out[0])[0], 0);
	ck_assert_int_eq(dpr_array_shape(out[1])[1], 3);
	dpr_array_release(out[0]);
	dpr_array_release(out[1]);
	CHECK_OK(dpr_meshgrid(NULL, 0, DPR_INDEXING_XY, NULL));
	dpr_array_release(line);
	line = numbered(DPR_SHAPE(1), DPR_INT8);
	for (int i = 0; i < 32; i++)
		lines[i] = line;
	CHECK_OK(dpr_meshgrid(lines, 32, DPR_INDEXING_IJ, out));
	for (int i = 0; i < 32; i++) {
		ck_assert_int_eq(dpr_array_rank(out[i]), 32);
		dpr_array_release(out[i]);
	}
	dpr_array_release(line);
	dpr_array_release(none);
}
END_TEST

static bool from_broadcast(const void *how, const struct plain *source,
			   const int64_t *at, int64_t *from)
{
	const int rank = *(const int *)how;

	for (int k = 0; k < source->rank; k++) {
		from[k] = at[rank - source->rank + k];
		if (source->dim[k] == 1)
			from[k] = 0;
	}
	return true;
}

START_TEST(arrays_are_broadcast)
{
	dpr_array *x[] = { numbered(DPR_SHAPE(3, 1), DPR_INT16),
			   numbered(DPR_SHAPE(2, 1, 4), DPR_INT64),
			   numbered(DPR_SCALAR_SHAPE, DPR_UINT8) };
	dpr_array *out[3];
	const int rank = 3;

	CHECK_OK(dpr_broadcast_arrays((const dpr_array *const *)x, 3, out));
	for (int i = 0; i < 3; i++) {
		struct plain source = plain_of(x[i]);

		is_view(x[i], out[i]);
		check_rearranged(out[i], &source, 3,
				 (const int64_t[]){ 2, 3, 4 }, from_broadcast,
				 &rank);
		plain_free(&source);
	}
	CHECK_OK(dpr_broadcast_arrays(NULL, 0, NULL));
}
END_TEST

/* --- Errors -------------------------------------------------------------- */

#define REFUSED(status, text, call)                       \
	do {                                              \
		CHECK_FAILS(status, call);                \
		ck_assert_str_eq(dpr_last_error(), text); \
		ck_assert_ptr_null(y);                    \
		y = x;                                    \
	} while (0)

START_TEST(bad_axes_are_refused)
{
	dpr_array *x = numbered(DPR_SHAPE(2, 3), DPR_INT32), *y = x, *line;
	const dpr_axes list = { .count = 2 };

	REFUSED(DPR_ERROR_INDEX,
		"flip: there is no axis 2 in an array of 2 axes",
		dpr_flip(x, DPR_AXES(2), &y));
	REFUSED(DPR_ERROR_INDEX, "flip: axis -1 is named twice",
		dpr_flip(x, DPR_AXES(1, -1), &y));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT,
		"flip: the list of axes is NULL or has a negative count",
		dpr_flip(x, &list, &y));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "flip: the array is NULL",
		dpr_flip(NULL, NULL, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_flip(x, NULL, NULL));
	REFUSED(DPR_ERROR_INDEX,
		"moveaxis: source: there is no axis 2 in an array of 2 axes",
		dpr_moveaxis(x, DPR_AXES(2), DPR_AXES(0), &y));
	REFUSED(DPR_ERROR_INDEX, "moveaxis: destination: axis 0 is named twice",
		dpr_moveaxis(x, DPR_AXES(1, 0), DPR_AXES(0, 0), &y));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT,
		"moveaxis: the source names 1 axes, and the destination 2; "
		"name equally many",
		dpr_moveaxis(x, DPR_AXES(1), DPR_AXES(0, 1), &y));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "moveaxis: the destination is NULL",
		dpr_moveaxis(x, DPR_AXES(1), NULL, &y));
	REFUSED(DPR_ERROR_INDEX,
		"swapaxes: there is no axis -3 in an array of 2 axes",
		dpr_swapaxes(x, 0, -3, &y));
	REFUSED(DPR_ERROR_SHAPE, "squeeze: axis -1 has the extent 3, not 1",
		dpr_squeeze(x, DPR_AXES(-1), &y));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT,
		"rot90: 1 axes are named; a plane has 2",
		dpr_rot90(x, 1, DPR_AXES(1), &y));
	CHECK_OK(dpr_array_view(x, &line, DPR_AT(0)));
	dpr_array_release(x);
	x = y = line;
	REFUSED(DPR_ERROR_SHAPE, "rot90: the array has 1 axes; a plane has 2",
		dpr_rot90(x, 1, NULL, &y));
	REFUSED(DPR_ERROR_SHAPE,
		"diagonal: the array has 1 axes; a matrix has 2",
		dpr_diagonal(x, 0, &y));
	dpr_array_release(x);
}
END_TEST

START_TEST(bad_parts_are_refused)
{
	dpr_array *x = numbered(DPR_SHAPE(2, 3), DPR_INT32), *out[40] = { x };
	dpr_array *y = NULL, *other;
	const dpr_array *two[40] = { x, x };
	dpr_queue *queue;

	REFUSED(DPR_ERROR_SHAPE,
		"unstack: axis 1 has the extent 3, and out has room for 2 "
		"arrays; give as many",
		(y = NULL, dpr_unstack(x, 1, out, 2)));
	ck_assert_ptr_null(out[0]);
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_unstack(x, 2, out, 2));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_unstack(x, 0, NULL, 2));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_unstack(NULL, 0, out, 2));
	REFUSED(DPR_ERROR_SHAPE,
		"split: axis -1 has the extent 3, which does not divide into 2 "
		"equal parts; pass positions",
		(y = NULL, dpr_split(x, -1, NULL, out, 2)));
	REFUSED(DPR_ERROR_INDEX, "split: position 1 is 1, but must be 2 to 3",
		(y = NULL, dpr_split(x, 1, (const int64_t[]){ 2, 1 }, out, 3)));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "split: the number of parts is 0",
		(y = NULL, dpr_split(x, 1, NULL, out, 0)));
	REFUSED(DPR_ERROR_SHAPE,
		"meshgrid: x1 has 2 axes, but must have 1; give its elements "
		"one axis with dpr_reshape()",
		(y = NULL, dpr_meshgrid(two, 2, DPR_INDEXING_XY, out)));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT,
		"meshgrid: 7 is not an indexing (DPR_INDEXING_XY, _IJ)",
		(y = NULL, dpr_meshgrid(two, 2, (dpr_indexing)7, out)));
	two[1] = NULL;
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "meshgrid: x2 is NULL",
		(y = NULL, dpr_meshgrid(two, 2, DPR_INDEXING_XY, out)));
	for (int i = 0; i < 40; i++)
		two[i] = x;
	REFUSED(DPR_ERROR_SHAPE,
		"meshgrid: the grid of 40 arrays would have an axis for each; "
		"an array has at most 32 axes",
		(y = NULL, dpr_meshgrid(two, 40, DPR_INDEXING_XY, out)));
	other = numbered(DPR_SHAPE(2, 2), DPR_INT32);
	two[1] = other;
	REFUSED(DPR_ERROR_SHAPE,
		"broadcast arrays: x1 of shape (2, 3) and x2 of shape (2, 2) do "
		"not broadcast (axis 1 of the result)",
		(y = NULL, dpr_broadcast_arrays(two, 2, out)));
	dpr_array_release(other);
	CHECK_OK(dpr_queue_create(test_device, 0, &queue));
	CHECK_OK(dpr_array_to_queue(x, queue, &other));
	two[1] = other;
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_broadcast_arrays(two, 2, out));
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_meshgrid(two, 2, DPR_INDEXING_XY, out));
	dpr_array_release(other);
	dpr_queue_release(queue);
	dpr_array_release(x);
}
END_TEST

static Suite *views_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("views");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, axes_are_flipped, 0, SOURCES_COUNT);
	tcase_add_loop_test(tcase, planes_are_turned, 0, SOURCES_COUNT);
	tcase_add_loop_test(tcase, axes_are_moved, 0, SOURCES_COUNT);
	tcase_add_test(tcase, axes_are_squeezed);
	tcase_add_test(tcase, axes_are_added);
	tcase_add_loop_test(tcase, diagonals_are_views, 0, SOURCES_COUNT);
	tcase_add_loop_test(tcase, arrays_are_divided, 0, SOURCES_COUNT);
	tcase_add_test(tcase, grids_are_views);
	tcase_add_test(tcase, arrays_are_broadcast);
	tcase_add_test(tcase, bad_axes_are_refused);
	tcase_add_test(tcase, bad_parts_are_refused);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(views_suite, NULL);
}
