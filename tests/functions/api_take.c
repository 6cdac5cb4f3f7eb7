/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_take.c - functions that read by arrays of indices, on every device:
 * elements of each size in every layout, by a loop over the positions, and
 * their errors.
 */
#include <dpr/dpr.h>

#include "tests/support/random.h"
#include "tests/support/rearranged.h"

#define CASES (SOURCES_COUNT * SIZES_COUNT)
static const dpr_bounds all_bounds[] = { DPR_BOUNDS_CHECK, DPR_BOUNDS_WRAP,
					 DPR_BOUNDS_CLIP };
static const dpr_dtype integers[] = { DPR_INT8,   DPR_INT16, DPR_INT32,
				      DPR_INT64,  DPR_UINT8, DPR_UINT16,
				      DPR_UINT32, DPR_UINT64 };
#define INTEGERS 8

static struct random rng = { 20 };

static bool begin_case(int i, dpr_array **x)
{
	if (leaves_out(i, 11))
		return false;
	*x = sources_make(i % SOURCES_COUNT, sizes_dtype[i / SOURCES_COUNT]);
	return true;
}

/* --- Indices -------------------------------------------------------------- */

/* An array of indices, and the same numbers in C order. */
struct indices {
	dpr_array *array;
	int rank;
	int64_t dim[DPR_MAX_RANK];
	int64_t *list;
};

/* Bring an index into an axis of @n elements. */
static int64_t bounded(dpr_bounds bounds, int64_t i, int64_t n)
{
	if (bounds == DPR_BOUNDS_WRAP)
		return (i % n + n) % n;
	if (bounds == DPR_BOUNDS_CLIP)
		return i < 0 ? 0 : i < n ? i : n - 1;
	return i < 0 ? i + n : i;
}

/* Random indices of @dtype into an axis of @n elements; with bounds that allow
   it also beyond the axis. */
static struct indices indices_make(dpr_shape shape, dpr_dtype dtype,
				   dpr_bounds bounds, int64_t n)
{
	const bool has_sign = dpr_dtype_kind(dtype) == 'i';
	const int64_t far = bounds == DPR_BOUNDS_CHECK ? 0 : 2 * n + 1;
	struct indices x = { .rank = shape.rank };
	dpr_array *wide;
	int64_t count = 1;

	for (int k = 0; k < shape.rank; k++)
		count *= x.dim[k] = shape.dim[k];
	x.list = malloc((size_t)count * sizeof(*x.list) + 1);
	ck_assert(x.list != NULL);
	for (int64_t i = 0; i < count; i++)
		x.list[i] = random_between(&rng, has_sign ? -n - far : 0,
					   n - 1 + far);
	CHECK_OK(dpr_array_from_memory(x.list, shape, NULL, DPR_INT64,
				       test_queue, &wide));
	CHECK_OK(dpr_astype(wide, dtype, &x.array));
	dpr_array_release(wide);
	return x;
}

static void indices_free(struct indices *x)
{
	dpr_array_release(x->array);
	free(x->list);
}

/* The index at position @at of the shape to which indices broadcast, which has
   @rank axes. */
static int64_t index_at(const struct indices *x, int rank, const int64_t *at)
{
	int64_t flat = 0;

	for (int k = 0; k < x->rank; k++) {
		const int64_t i = at[rank - x->rank + k];

		flat = flat * x->dim[k] + (x->dim[k] == 1 ? 0 : i);
	}
	return x->list[flat];
}

/* --- take ----------------------------------------------------------------- */

struct taken {
	const struct indices *indices;
	int axis;
	dpr_bounds bounds;
};

static bool from_taken(const void *how, const struct plain *source,
		       const int64_t *at, int64_t *from)
{
	const struct taken *t = how;
	const int behind = t->axis + t->indices->rank;

	for (int k = 0; k < source->rank; k++)
		from[k] =
			k < t->axis ? at[k]
			: k > t->axis
				? at[behind + k - t->axis - 1]
				: bounded(t->bounds,
					  index_at(t->indices, t->indices->rank,
						   at + t->axis),
					  source->dim[k]);
	return true;
}

static void check_take(const dpr_array *x, const struct taken *t)
{
	struct plain source = plain_of(x);
	int64_t dim[DPR_MAX_RANK], turned[DPR_MAX_RANK];
	dpr_array *y, *z;
	int rank = 0;

	for (int k = 0; k < t->axis; k++)
		dim[rank++] = source.dim[k];
	for (int k = 0; k < t->indices->rank; k++)
		dim[rank++] = t->indices->dim[k];
	for (int k = t->axis + 1; k < source.rank; k++)
		dim[rank++] = source.dim[k];
	CHECK_OK(dpr_take(x, t->indices->array, t->axis, t->bounds, &y));
	ck_assert(dpr_array_is_contiguous(y));
	ck_assert_int_eq(dpr_array_dtype(y), dpr_array_dtype(x));
	check_rearranged(y, &source, rank, dim, from_taken, t);
	for (int k = 0; k < rank; k++)
		turned[k] = dim[rank - 1 - k];
	CHECK_OK(dpr_empty(dpr_shape_of(rank, turned), dpr_array_dtype(x),
			   test_queue, &z));
	CHECK_OK(dpr_permute_dims(z, NULL, &y));
	dpr_array_release(z);
	CHECK_OK(dpr_take_into(x, t->indices->array, t->axis - source.rank,
			       t->bounds, y));
	check_rearranged(y, &source, rank, dim, from_taken, t);
	plain_free(&source);
}

START_TEST(take_along_each_axis)
{
	static const int64_t shape[] = { 3, 2 };
	dpr_array *x;

	if (!begin_case(_i, &x))
		return;
	for (int axis = 0; axis < dpr_array_rank(x); axis++) {
		const int how = _i + axis;
		struct taken t = { .axis = axis,
				   .bounds = all_bounds[how % 3] };
		struct indices indices;

		/* Nothing can be taken from an axis without elements, and the
		   result of an array of 32 axes would have too many axes. */
		if (!dpr_array_shape(x)[axis] ||
		    (axis > 2 && axis % 3 != _i % 3) || dpr_array_rank(x) > 30)
			continue;
		indices = indices_make(dpr_shape_of(how / 3 % 3, shape),
				       integers[how % INTEGERS], t.bounds,
				       dpr_array_shape(x)[axis]);
		t.indices = &indices;
		check_take(x, &t);
		indices_free(&indices);
	}
	dpr_array_release(x);
}
END_TEST

/* Every dtype of indices with every kind of bounds. */
START_TEST(take_by_each_integer)
{
	const dpr_dtype dtype = integers[_i];
	dpr_array *x = numbered(DPR_SHAPE(11, 3), DPR_INT32);

	for (int b = 0; b < 3 && !leaves_out(_i + b, 4); b++) {
		struct indices indices =
			indices_make(DPR_SHAPE(70), dtype, all_bounds[b], 11);
		const struct taken t = { &indices, 0, all_bounds[b] };

		check_take(x, &t);
		indices_free(&indices);
	}
	dpr_array_release(x);
}
END_TEST

/* Elements of every dtype keep their bits. */
START_TEST(take_each_dtype)
{
	static const dpr_dtype dtypes[] = {
#define DTYPE(NAME, lower, value, size, kind) DPR_##NAME,
		DPR_DTYPE_MAP(DTYPE)
#undef DTYPE
	};

	for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++) {
		dpr_array *x = numbered(DPR_SHAPE(3, 40), dtypes[i]);
		struct indices indices = indices_make(DPR_SHAPE(45), DPR_INT16,
						      DPR_BOUNDS_WRAP, 40);
		const struct taken t = { &indices, 1, DPR_BOUNDS_WRAP };

		if (!leaves_out((int)i, 3))
			check_take(x, &t);
		indices_free(&indices);
		dpr_array_release(x);
	}
}
END_TEST

/* Many elements: sorted indices, whose neighbours are read together, and
   others. */
START_TEST(take_many)
{
	enum { N = 30011 };
	dpr_array *x = numbered(DPR_SHAPE(N), _i ? DPR_FLOAT32 : DPR_UINT8);
	struct indices indices =
		indices_make(DPR_SHAPE(2 * N), DPR_INT32, DPR_BOUNDS_CHECK, N);
	const struct taken t = { &indices, 0, DPR_BOUNDS_CHECK };
	dpr_array *part;

	check_take(x, &t);
	for (int i = 0; i < 2 * N; i++)
		indices.list[i] = i < N ? i : i % 777;
	indices.dim[0] = 2 * N - 5;
	dpr_array_release(indices.array);
	CHECK_OK(dpr_array_from_memory(indices.list, DPR_SHAPE(2 * N), NULL,
				       DPR_INT64, test_queue, &part));
	CHECK_OK(dpr_array_view(part, &indices.array,
				DPR_SLICE(0, 2 * N - 5, 1)));
	dpr_array_release(part);
	check_take(x, &t);
	indices_free(&indices);
	dpr_array_release(x);
}
END_TEST

/* Each index is used for many elements: it is brought into range once.  Rows
   of 32 elements are moved in larger pieces, rows of 33 are not. */
START_TEST(take_rows)
{
	static const struct {
		int64_t dim[3];
		int axis, flip; /* flip -1: no axis is reversed */
		int64_t n;
		dpr_dtype dtype, integers;
	} cases[] = {
		{ { 40, 7, 32 }, 0, -1, 151, DPR_UINT8, DPR_INT32 },
		{ { 40, 7, 33 }, 0, -1, 151, DPR_FLOAT32, DPR_UINT16 },
		{ { 5, 64, 8 }, 1, 2, 830, DPR_INT16, DPR_INT64 },
		{ { 3, 20, 96 }, 2, -1, 560, DPR_INT64, DPR_INT16 },
		{ { 3, 20, 96 }, 2, 1, 560, DPR_COMPLEX128, DPR_INT32 },
		/* Rows of 112, 128 and 8 units of 16 bytes. */
		{ { 40, 7, 64 }, 0, -1, 93, DPR_FLOAT32, DPR_INT32 },
		{ { 9, 1, 256 }, 0, -1, 5, DPR_FLOAT64, DPR_UINT32 },
		{ { 2, 30, 64 }, 1, -1, 400, DPR_FLOAT16, DPR_INT64 },
	};
	dpr_array *whole =
		numbered(dpr_shape_of(3, cases[_i].dim), cases[_i].dtype);
	dpr_array *x = dpr_array_retain(whole);
	struct indices indices;
	struct taken t = { &indices, cases[_i].axis, all_bounds[_i % 3] };

	if (cases[_i].flip >= 0) {
		dpr_array_release(x);
		CHECK_OK(dpr_flip(whole, DPR_AXES(cases[_i].flip), &x));
	}
	indices = indices_make(DPR_SHAPE(cases[_i].n), cases[_i].integers,
			       t.bounds, cases[_i].dim[t.axis]);
	check_take(x, &t);
	indices_free(&indices);
	dpr_array_release(x);
	dpr_array_release(whole);
}
END_TEST

START_TEST(take_nothing)
{
	dpr_array *x = numbered(DPR_SHAPE(4, 0, 3), DPR_INT16), *i, *y;

	CHECK_OK(dpr_zeros(DPR_SHAPE(2, 0), DPR_UINT8, test_queue, &i));
	CHECK_OK(dpr_take(x, i, 1, DPR_BOUNDS_CHECK, &y));
	ck_assert_int_eq(dpr_array_rank(y), 4);
	ck_assert_int_eq(dpr_array_size(y), 0);
	dpr_array_release(y);
	dpr_array_release(i);
	CHECK_OK(dpr_zeros(DPR_SHAPE(2), DPR_INT8, test_queue, &i));
	CHECK_OK(dpr_take(x, i, 0, DPR_BOUNDS_WRAP, &y));
	ck_assert_int_eq(dpr_array_shape(y)[0], 2);
	ck_assert_int_eq(dpr_array_size(y), 0);
	dpr_array_release(y);
	for (int b = 0; b < 3; b++) {
		CHECK_FAILS(DPR_ERROR_INDEX,
			    dpr_take(x, i, 1, all_bounds[b], &y));
		ck_assert_str_eq(dpr_last_error(),
				 "take: axis 1 has no elements, so no index is "
				 "in range; give no indices");
	}
	dpr_array_release(i);
	dpr_array_release(x);
}
END_TEST

/* Index arrays that broadcast to no elements are not tested. */
START_TEST(broadcast_to_nothing)
{
	const dpr_index index[] = { DPR_ALL, DPR_ALL };
	dpr_array *x = numbered(DPR_SHAPE(3, 4), DPR_INT16), *none, *far, *y;

	CHECK_OK(dpr_zeros(DPR_SHAPE(0), DPR_INT64, test_queue, &none));
	CHECK_OK(dpr_full(DPR_SHAPE(1), 9, DPR_INT8, test_queue, &far));
	CHECK_OK(dpr_array_index_arrays(x, index,
		(const dpr_array *[]){ none, far }, 2, DPR_BOUNDS_CHECK, &y));
	ck_assert_int_eq(dpr_array_size(y), 0);
	for (int k = 0; k < 4; k++)
		dpr_array_release((dpr_array *[]){ y, far, none, x }[k]);
}
END_TEST

/* --- take_along_axis ------------------------------------------------------ */

static bool from_along(const void *how, const struct plain *source,
		       const int64_t *at, int64_t *from)
{
	const struct taken *t = how;

	for (int k = 0; k < source->rank; k++)
		from[k] = source->dim[k] == 1 ? 0 : at[k];
	from[t->axis] =
		bounded(t->bounds, index_at(t->indices, t->indices->rank, at),
			source->dim[t->axis]);
	return true;
}

START_TEST(along_each_axis)
{
	dpr_array *x;

	if (!begin_case(_i, &x))
		return;
	for (int axis = 0; axis < dpr_array_rank(x) && axis < 9; axis++) {
		struct plain source = plain_of(x);
		struct taken t = { .axis = axis,
				   .bounds = all_bounds[(_i + axis) % 3] };
		int64_t dim[DPR_MAX_RANK], shape[DPR_MAX_RANK];
		struct indices indices;
		dpr_array *y;

		for (int k = 0; k < source.rank; k++) {
			dim[k] = k == axis ? 4 : source.dim[k];
			/* Some axes are broadcast. */
			shape[k] = k != axis && (k + _i) % 3 == 0 ? 1 : dim[k];
		}
		if (!source.dim[axis]) {
			plain_free(&source);
			continue;
		}
		indices = indices_make(dpr_shape_of(source.rank, shape),
				       integers[(_i + axis) % INTEGERS],
				       t.bounds, source.dim[axis]);
		t.indices = &indices;
		CHECK_OK(dpr_take_along_axis(x, indices.array, axis, t.bounds,
					     &y));
		check_rearranged(y, &source, source.rank, dim, from_along, &t);
		CHECK_OK(dpr_empty(dpr_shape_of(source.rank, dim),
				   dpr_array_dtype(x), test_queue, &y));
		CHECK_OK(dpr_take_along_axis_into(
			x, indices.array, axis - source.rank, t.bounds, y));
		check_rearranged(y, &source, source.rank, dim, from_along, &t);
		indices_free(&indices);
		plain_free(&source);
	}
	dpr_array_release(x);
}
END_TEST

/* Indices have more elements along an axis where the array has one. */
START_TEST(along_a_repeated_axis)
{
	dpr_array *x = numbered(DPR_SHAPE(1, 6), DPR_INT32), *y;
	struct indices indices =
		indices_make(DPR_SHAPE(5, 3), DPR_INT64, DPR_BOUNDS_CHECK, 6);
	const struct taken t = { &indices, 1, DPR_BOUNDS_CHECK };
	struct plain source = plain_of(x);

	CHECK_OK(dpr_take_along_axis(x, indices.array, -1, DPR_BOUNDS_CHECK,
				     &y));
	check_rearranged(y, &source, 2, (const int64_t[]){ 5, 3 }, from_along,
			 &t);
	plain_free(&source);
	indices_free(&indices);
	dpr_array_release(x);
}
END_TEST

/* --- Arrays and basic indices together ------------------------------------ */

/* A list of entries, and where the axes of the index arrays are in the
   result. */
struct mixed {
	size_t n;
	dpr_index index[12];
	struct indices arrays[12]; /* without list: index[] counts */
	int before, rank; /* the first of these axes, and their number */
	dpr_bounds bounds;
};

static bool from_mixed(const void *how, const struct plain *source,
		       const int64_t *at, int64_t *from)
{
	const struct mixed *m = how;
	int axis = 0, next = m->before ? 0 : m->rank;

	for (size_t i = 0; i < m->n; i++) {
		const dpr_index *index = &m->index[i];

		if (next == m->before && m->before)
			next += m->rank;
		if (m->arrays[i].list) {
			from[axis] = bounded(m->bounds,
					     index_at(&m->arrays[i], m->rank,
						      at + m->before),
					     source->dim[axis]);
			axis++;
		} else if (index->kind == DPR_INDEX_INTEGER) {
			from[axis++] = index->start;
		} else if (index->kind == DPR_INDEX_SLICE) {
			from[axis++] = index->start + at[next++] * index->step;
		} else {
			next++;
		}
	}
	return true;
}

/* Random entries: an entry for each axis of @x, and some new axes.  Follows the
   rule of NumPy for the axes of the arrays.  Returns the rank of the result,
   and its shape in @dim; -1: there is no array. */
static int make_mixed(struct mixed *m, const dpr_array *x, int64_t *dim)
{
	const int64_t shape[] = { 2, random_between(&rng, 1, 2), 3 };
	bool begun = false, behind = false, apart = false, any = false;
	int64_t rest[DPR_MAX_RANK];
	int n = 0, before = 0, axis = 0;

	m->rank = 0;
	while (axis < dpr_array_rank(x) && m->n < 12) {
		const int64_t extent = dpr_array_shape(x)[axis];
		const int what = (int)random_between(&rng, 0, 4);
		const int first = (int)random_between(&rng, 0, 3);
		const bool advanced = what < 3;

		if (advanced && behind)
			apart = true;
		if (advanced && !begun)
			before = n;
		begun |= advanced;
		behind |= begun && !advanced;
		axis += what < 4;
		if (what < 2) {
			m->arrays[m->n] = indices_make(
				dpr_shape_of(3 - first, shape + first),
				integers[random_between(&rng, 0, 7)], m->bounds,
				extent);
			m->rank = 3 - first > m->rank ? 3 - first : m->rank;
			any = true;
		} else if (what == 2) {
			m->index[m->n] =
				DPR_AT(random_between(&rng, 0, extent - 1));
		} else if (what == 3) {
			const int64_t low = random_between(&rng, 0, extent - 1);

			m->index[m->n] = DPR_SLICE(low, extent, 2);
			rest[n++] = (extent - low + 1) / 2;
		} else {
			m->index[m->n] = DPR_NEW_AXIS;
			rest[n++] = 1;
		}
		m->n++;
	}
	/* The loop ended before the last axis. */
	for (; axis < dpr_array_rank(x); axis++)
		rest[n++] = dpr_array_shape(x)[axis];
	if (!any)
		return -1;
	m->before = apart ? 0 : before;
	for (int k = 0; k < n + m->rank; k++)
		dim[k] = k < m->before ? rest[k]
			 : k < m->before + m->rank
				 ? shape[3 - m->rank + k - m->before]
				 : rest[k - m->rank];
	return n + m->rank;
}

static void check_mixed(const dpr_array *x, dpr_bounds bounds)
{
	struct mixed m = { .bounds = bounds };
	const dpr_array *arrays[12];
	int64_t dim[2 * DPR_MAX_RANK];
	const int rank = make_mixed(&m, x, dim);
	struct plain source = plain_of(x);
	dpr_array *y;

	for (size_t i = 0; i < m.n; i++)
		arrays[i] = m.arrays[i].array;
	if (rank < 0) {
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
			    dpr_array_index_arrays(x, m.index, arrays, m.n,
						   bounds, &y));
	} else {
		CHECK_OK(dpr_array_index_arrays(x, m.index, arrays, m.n, bounds,
						&y));
		check_rearranged(y, &source, rank, dim, from_mixed, &m);
		CHECK_OK(dpr_empty(dpr_shape_of(rank, dim), dpr_array_dtype(x),
				   test_queue, &y));
		CHECK_OK(dpr_array_index_arrays_into(x, m.index, arrays, m.n,
						     bounds, y));
		check_rearranged(y, &source, rank, dim, from_mixed, &m);
	}
	for (size_t i = 0; i < m.n; i++)
		if (m.arrays[i].list)
			indices_free(&m.arrays[i]);
	plain_free(&source);
}

START_TEST(random_entries)
{
	dpr_array *x = numbered(DPR_SHAPE(3, 4, 2, 5), sizes_dtype[_i % 5]);

	for (int k = 0; k < (takes_few() ? 1 : 12); k++)
		check_mixed(x, all_bounds[k % 3]);
	dpr_array_release(x);
}
END_TEST

/* Nine index arrays are more than one kernel takes. */
START_TEST(nine_arrays)
{
	dpr_array *x =
		numbered(DPR_SHAPE(2, 3, 2, 1, 2, 3, 2, 2, 2), DPR_UINT16);
	struct mixed m = { .n = 9, .rank = 1, .bounds = all_bounds[_i] };
	struct plain source = plain_of(x);
	const dpr_array *arrays[9];
	dpr_array *y;

	for (int i = 0; i < 9; i++) {
		m.arrays[i] = indices_make(DPR_SHAPE(50), integers[i % 8],
					   m.bounds, source.dim[i]);
		arrays[i] = m.arrays[i].array;
	}
	CHECK_OK(dpr_array_index_arrays(x, m.index, arrays, 9, m.bounds, &y));
	check_rearranged(y, &source, 1, (const int64_t[]){ 50 }, from_mixed,
			 &m);
	for (int i = 0; i < 9; i++)
		indices_free(&m.arrays[i]);
	plain_free(&source);
	dpr_array_release(x);
}
END_TEST

/* An ellipsis between arrays that stands for no axis is treated as in NumPy. */
START_TEST(ellipsis_between)
{
	const int64_t zeros[] = { 0, 1, 1, 0, 1, 1 };
	dpr_array *x = numbered(DPR_SHAPE(4, 2, 2), DPR_UINT8), *i, *y;
	const dpr_index index[] = { DPR_ALL, DPR_ALL, DPR_ELLIPSIS, DPR_ALL };

	CHECK_OK(dpr_array_from_memory(zeros, DPR_SHAPE(3, 2), NULL, DPR_INT64,
				       test_queue, &i));
	const dpr_array *arrays[] = { NULL, i, NULL, i };

	CHECK_OK(dpr_array_index_arrays(x, index, arrays, 4, DPR_BOUNDS_CHECK,
					&y));
	ck_assert_int_eq(dpr_array_rank(y), 3);
	ck_assert_int_eq(dpr_array_shape(y)[0], 3);
	ck_assert_int_eq(dpr_array_shape(y)[2], 4);
	dpr_array_release(y);
	arrays[2] = i;
	CHECK_OK(dpr_array_index_arrays(x, index, arrays, 3, DPR_BOUNDS_CHECK,
					&y));
	ck_assert_int_eq(dpr_array_rank(y), 3);
	ck_assert_int_eq(dpr_array_shape(y)[0], 4);
	dpr_array_release(y);
	dpr_array_release(i);
	dpr_array_release(x);
}
END_TEST

/* --- Writing over what is read -------------------------------------------- */

START_TEST(overlaps)
{
	const int64_t list[] = { 3, 2, 1, 0 };
	const int32_t values[] = { 10, 11, 12, 13 };
	const int32_t want[] = { 13, 12, 11, 10 };
	const int64_t places[] = { 0, 1, 2, 3 };
	int32_t have[4];
	int64_t wide[4];
	dpr_array *x, *i, *half;

	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(4), NULL, DPR_INT32,
				       test_queue, &x));
	CHECK_OK(dpr_array_from_memory(list, DPR_SHAPE(4), NULL, DPR_INT64,
				       test_queue, &i));
	CHECK_OK(dpr_take_into(x, i, 0, DPR_BOUNDS_CHECK, x));
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, want, sizeof(want));
	/* The result is cast, and has the memory of the indices. */
	CHECK_OK(dpr_take_into(i, i, 0, DPR_BOUNDS_CLIP, i));
	CHECK_OK(dpr_array_to_memory(i, wide, sizeof(wide), NULL));
	ck_assert_mem_eq(wide, places, sizeof(wide));
	CHECK_OK(dpr_array_view(x, &half, DPR_SLICE(1, 4, 2)));
	dpr_array_release(i);
	CHECK_OK(dpr_array_from_memory((const int64_t[]){ 0, -1 }, DPR_SHAPE(2),
				       NULL, DPR_INT64, test_queue, &i));
	CHECK_OK(dpr_take_into(x, i, 0, DPR_BOUNDS_CHECK, half));
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	ck_assert_int_eq(have[1], 13);
	ck_assert_int_eq(have[3], 10);
	dpr_array_release(half);
	dpr_array_release(i);
	dpr_array_release(x);
}
END_TEST

START_TEST(casts)
{
	const int32_t values[] = { 7, -8, 9 };
	float have[2];
	dpr_array *x, *i, *y;

	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(3), NULL, DPR_INT32,
				       test_queue, &x));
	CHECK_OK(dpr_array_from_memory((const int8_t[]){ -2, 2 }, DPR_SHAPE(2),
				       NULL, DPR_INT8, test_queue, &i));
	CHECK_OK(dpr_zeros(DPR_SHAPE(2), DPR_FLOAT32, test_queue, &y));
	CHECK_OK(dpr_take_into(x, i, 0, DPR_BOUNDS_CHECK, y));
	CHECK_OK(dpr_array_to_memory(y, have, sizeof(have), NULL));
	ck_assert(have[0] == -8 && have[1] == 9);
	dpr_array_release(x);
	CHECK_OK(dpr_zeros(DPR_SHAPE(2), DPR_INT32, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_DTYPE,
		    dpr_take_into(y, i, 0, DPR_BOUNDS_CHECK, x));
	dpr_array_release(y);
	dpr_array_release(i);
	dpr_array_release(x);
}
END_TEST

/* --- Errors --------------------------------------------------------------- */

static void fails_with(dpr_status status, dpr_status got, const char *text)
{
	ck_assert_msg(got == status, "%s (%s), not %s", dpr_status_name(got),
		      dpr_last_error(), dpr_status_name(status));
	ck_assert_str_eq(dpr_last_error(), text);
}

START_TEST(out_of_range)
{
	const int16_t list[] = { 0, 4, -6, 1, 2, 3 };
	const uint64_t large[] = { UINT64_MAX, 1 };
	dpr_array *x = numbered(DPR_SHAPE(2, 4), DPR_FLOAT32), *i, *row, *y;

	CHECK_OK(dpr_array_from_memory(list, DPR_SHAPE(2, 3), NULL, DPR_INT16,
				       test_queue, &i));
	fails_with(DPR_ERROR_INDEX, dpr_take(x, i, -1, DPR_BOUNDS_CHECK, &y),
		   "take: index 4, at (0, 1) of the indices, is out of range "
		   "for axis 1 of extent 4");
	ck_assert_ptr_null(y);
	CHECK_OK(dpr_array_view(i, &row, DPR_AT(0), DPR_SLICE(2, 3, 1)));
	fails_with(DPR_ERROR_INDEX, dpr_take(x, row, 1, DPR_BOUNDS_CHECK, &y),
		   "take: index -6, at (0,) of the indices, is out of range "
		   "for axis 1 of extent 4");
	dpr_array_release(row);
	dpr_array_release(i);
	CHECK_OK(dpr_array_from_memory(large, DPR_SHAPE(2), NULL, DPR_UINT64,
				       test_queue, &i));
	fails_with(DPR_ERROR_INDEX, dpr_take(x, i, 0, DPR_BOUNDS_CHECK, &y),
		   "take: index 18446744073709551615, at (0,) of the indices, "
		   "is out of range for axis 0 of extent 2");
	CHECK_OK(dpr_take(x, i, 0, DPR_BOUNDS_CLIP, &y));
	dpr_array_release(y);
	dpr_array_release(i);
	dpr_array_release(x);
}
END_TEST

START_TEST(wrong_arguments)
{
	dpr_array *x = numbered(DPR_SHAPE(2, 4), DPR_FLOAT32), *i, *f, *y;

	CHECK_OK(dpr_zeros(DPR_SHAPE(3), DPR_INT32, test_queue, &i));
	CHECK_OK(dpr_zeros(DPR_SHAPE(3), DPR_FLOAT32, test_queue, &f));
	fails_with(DPR_ERROR_DTYPE, dpr_take(x, f, 0, DPR_BOUNDS_WRAP, &y),
		   "take: the indices are float32 but must be integers; cast "
		   "them with dpr_astype()");
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_take(x, i, 2, DPR_BOUNDS_WRAP, &y));
	fails_with(DPR_ERROR_INVALID_ARGUMENT,
		   dpr_take(x, i, 0, (dpr_bounds)7, &y),
		   "take: bounds is 7, which is not a value of dpr_bounds");
	fails_with(DPR_ERROR_INVALID_ARGUMENT,
		   dpr_take(x, NULL, 0, DPR_BOUNDS_WRAP, &y),
		   "take: the indices are NULL");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_take(NULL, i, 0, DPR_BOUNDS_WRAP, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_take(x, i, 0, DPR_BOUNDS_WRAP, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_take_into(x, i, 0, DPR_BOUNDS_WRAP, NULL));
	CHECK_FAILS(DPR_ERROR_SHAPE,
		    dpr_take_into(x, i, 0, DPR_BOUNDS_WRAP, x));
	fails_with(DPR_ERROR_SHAPE,
		   dpr_take_along_axis(x, i, 0, DPR_BOUNDS_WRAP, &y),
		   "take along axis: the indices have 1 axes, but the array "
		   "has 2");
	dpr_array_release(i);
	CHECK_OK(dpr_zeros(DPR_SHAPE(2, 3), DPR_INT32, test_queue, &i));
	fails_with(DPR_ERROR_SHAPE,
		   dpr_take_along_axis(x, i, 0, DPR_BOUNDS_WRAP, &y),
		   "take along axis: axis 1 has the extent 4 in the array and "
		   "3 in the indices");
	const dpr_array *arrays[] = { i, i, i };
	const dpr_index index[] = { DPR_ALL, DPR_ALL, DPR_ALL };

	fails_with(DPR_ERROR_INDEX,
		   dpr_array_index_arrays(x, index, arrays, 3, DPR_BOUNDS_WRAP,
					  &y),
		   "index arrays: there are more index arrays than the 2 axes "
		   "of the array");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_index_arrays(x, NULL, arrays, 1, DPR_BOUNDS_WRAP,
					   &y));
	dpr_array_release(i);
	dpr_array_release(f);
	dpr_array_release(x);
}
END_TEST

static Suite *take_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("take");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, take_along_each_axis, 0, CASES);
	tcase_add_loop_test(tcase, take_by_each_integer, 0, INTEGERS);
	tcase_add_test(tcase, take_each_dtype);
	tcase_add_loop_test(tcase, take_many, 0, 2);
	tcase_add_loop_test(tcase, take_rows, 0, 8);
	tcase_add_test(tcase, take_nothing);
	tcase_add_test(tcase, broadcast_to_nothing);
	tcase_add_loop_test(tcase, along_each_axis, 0, CASES);
	tcase_add_test(tcase, along_a_repeated_axis);
	tcase_add_loop_test(tcase, random_entries, 0, 10);
	tcase_add_loop_test(tcase, nine_arrays, 0, 3);
	tcase_add_test(tcase, ellipsis_between);
	tcase_add_test(tcase, overlaps);
	tcase_add_test(tcase, casts);
	tcase_add_test(tcase, out_of_range);
	tcase_add_test(tcase, wrong_arguments);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_all(take_suite);
}
