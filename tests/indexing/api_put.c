/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_put.c - the functions of indexing.h that write, on every device, compared
 * with loops over the positions: arrays in every layout, index arrays of every
 * integer dtype, and their errors.  An element that is named several times has
 * one of its values, and all other bytes of the allocation stay as they were.
 */
#include <dpr/dpr.h>

#include "tests/support/random.h"
#include "tests/support/rearranged.h"

static struct random rng = { 20261130 };

static int64_t below(int64_t n)
{
	return random_between(&rng, 0, n - 1);
}

/* --- The memory that is written ------------------------------------------- */

struct memory {
	const dpr_array *x;
	size_t item, n; /* bytes of an element; elements of the allocation */
	unsigned char *before, *after;
	bool *reached, *right;
};

static void read_memory(const dpr_array *x, size_t n, unsigned char *to)
{
	const int64_t bytes = (int64_t)n;
	dpr_array *all;

	CHECK_OK(dpr_array_over(dpr_array_usm(x), 0, DPR_SHAPE(bytes), NULL,
				DPR_UINT8, &all));
	CHECK_OK(dpr_array_to_memory(all, to, n, NULL));
	dpr_array_release(all);
}

static struct memory memory_of(const dpr_array *x)
{
	struct memory m = { .x = x, .item = dpr_array_itemsize(x) };

	if (!dpr_array_size(x))
		return m;
	m.n = dpr_usm_size(dpr_array_usm(x)) / m.item;
	m.before = malloc(m.n * m.item);
	m.after = malloc(m.n * m.item);
	m.reached = calloc(m.n, sizeof(bool));
	m.right = calloc(m.n, sizeof(bool));
	ck_assert(m.before && m.after && m.reached && m.right);
	read_memory(x, m.n * m.item, m.before);
	return m;
}

static void memory_written(struct memory *m)
{
	if (m->n)
		read_memory(m->x, m->n * m->item, m->after);
}

/* Note that @value was for the element at @at. */
static void memory_note(struct memory *m, const int64_t *at, const void *value)
{
	int64_t place = dpr_array_offset(m->x);

	for (int d = 0; d < dpr_array_rank(m->x); d++) {
		ck_assert(at[d] >= 0 && at[d] < dpr_array_shape(m->x)[d]);
		place += at[d] * dpr_array_strides(m->x)[d];
	}
	m->reached[place] = true;
	m->right[place] |=
		!memcmp(m->after + (size_t)place * m->item, value, m->item);
}

static void memory_end(struct memory *m)
{
	int64_t bad = -1;

	for (size_t i = 0; i < m->n && bad < 0; i++) {
		const size_t at = i * m->item;

		if (m->reached[i] ? !m->right[i]
				  : memcmp(m->before + at, m->after + at,
					   m->item) != 0)
			bad = (int64_t)i;
	}
	ck_assert_msg(bad < 0, "element %lld of the allocation is wrong",
		      (long long)bad);
	free(m->before);
	free(m->after);
	free(m->reached);
	free(m->right);
}

/* --- Indices -------------------------------------------------------------- */

static const dpr_dtype index_dtypes[] = {
	DPR_INT64, DPR_UINT8,  DPR_INT8,   DPR_UINT64,
	DPR_INT32, DPR_UINT16, DPR_UINT32, DPR_INT16,
};

#define MOST 4096

/* An array of indices, and their values. */
struct indices {
	dpr_array *array;
	int64_t list[MOST];
};

/* Indices of an axis of @n elements, which are in range with DPR_BOUNDS_CHECK,
   as far as they fit into @dtype. */
static void make_indices(struct indices *to, dpr_shape shape, int64_t n,
			 dpr_dtype dtype, dpr_bounds bounds)
{
	const size_t bits = 8 * dpr_dtype_size(dtype) - 1;
	const int64_t room = bits > 30 ? INT32_MAX : (INT64_C(1) << bits) - 1;
	const int64_t far = bounds == DPR_BOUNDS_CHECK ? n - 1 : 2 * n + 3;
	const int64_t most = far < room ? far : room;
	const bool has_sign = dpr_dtype_kind(dtype) == 'i';
	int64_t size = 1;
	dpr_array *wide;

	for (int d = 0; d < shape.rank; d++)
		size *= shape.dim[d];
	ck_assert_int_le(size, MOST);
	for (int64_t i = 0; i < size; i++)
		to->list[i] =
			random_between(&rng, has_sign ? -most - 1 : 0, most);
	CHECK_OK(dpr_array_from_memory(to->list, shape, NULL, DPR_INT64,
				       test_queue, &wide));
	CHECK_OK(dpr_astype(wide, dtype, &to->array));
	dpr_array_release(wide);
}

static int64_t resolve(int64_t i, int64_t n, dpr_bounds bounds)
{
	switch (bounds) {
	case DPR_BOUNDS_CHECK: return i < 0 ? i + n : i;
	case DPR_BOUNDS_WRAP: return (i % n + n) % n;
	case DPR_BOUNDS_CLIP: break;
	}
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* --- Values --------------------------------------------------------------- */

/* The values to assign.  `bytes`: the indexed elements afterwards, in C
   order. */
struct values {
	dpr_operand operand;
	dpr_array *array;
	unsigned char *bytes;
};

/* Make values by @kind.  0: an array of the whole shape.  1: the array lacks the
   first axis.  2: another dtype, and an extent of 1 at the end.  3: a number. */
#define VALUES 4
static void make_values(struct values *v, int kind, dpr_dtype dtype,
			dpr_shape shape)
{
	int64_t dim[DPR_MAX_RANK] = { 0 };
	int rank = shape.rank;
	dpr_array *made, *cast, *wide;

	memcpy(dim, shape.dim, (size_t)rank * sizeof(*dim));
	if (kind == 1 && rank)
		memmove(dim, dim + 1, (size_t)--rank * sizeof(*dim));
	if (kind == 2 && rank)
		dim[rank - 1] = 1;
	if (kind == 3)
		rank = 0;
	made = numbered(dpr_shape_of(rank, dim), kind == 2 ? DPR_INT8 : dtype);
	if (kind == 3) {
		dpr_array_release(made);
		CHECK_OK(dpr_full(dpr_shape_of(0, NULL), 1, dtype, test_queue,
				  &made));
	}
	CHECK_OK(dpr_astype(made, dtype, &cast));
	CHECK_OK(dpr_broadcast_to(cast, shape, &wide));
	v->bytes = malloc(dpr_array_nbytes(wide) + 1);
	ck_assert(v->bytes != NULL);
	CHECK_OK(dpr_array_to_memory(wide, v->bytes, dpr_array_nbytes(wide),
				     NULL));
	dpr_array_release(wide);
	dpr_array_release(cast);
	v->array = made;
	v->operand = kind == 3 ? dpr_operand_int(1) : dpr_operand_array(made);
}

static void free_values(struct values *v)
{
	free(v->bytes);
	dpr_array_release(v->array);
}

/* --- put ------------------------------------------------------------------ */

/* Cases go over sources and sizes of elements. */
#define CASES (SOURCES_COUNT * SIZES_COUNT)
#define BROADCAST 4 /* the source whose elements share memory */

static bool begin_case(int i, dpr_array **x)
{
	if (leaves_out(i, 23) || i % SOURCES_COUNT == BROADCAST)
		return false;
	*x = sources_make(i % SOURCES_COUNT, sizes_dtype[i / SOURCES_COUNT]);
	return true;
}

/* Put along @axis, with indices of shape @given, and compare. */
static void put(dpr_array *x, int axis, dpr_shape given, int turn)
{
	const dpr_bounds bounds = (dpr_bounds)(turn % 3);
	const int rank = dpr_array_rank(x), last = given.rank;
	const int64_t *dim = dpr_array_shape(x);
	static struct indices indices;
	int64_t shape[DPR_MAX_RANK], at[DPR_MAX_RANK] = { 0 }, size = 1;
	struct memory m = memory_of(x);
	struct values v;
	int n = 0;

	for (int d = 0; d < rank; d++) {
		for (int k = 0; d == axis && k < last; k++)
			shape[n++] = given.dim[k];
		if (d != axis)
			shape[n++] = dim[d];
	}
	for (int d = 0; d < n; d++)
		size *= shape[d];
	make_indices(&indices, given, dim[axis], index_dtypes[turn % 8],
		     bounds);
	make_values(&v, turn % VALUES, dpr_array_dtype(x),
		    dpr_shape_of(n, shape));
	CHECK_OK((dpr_put)(x, indices.array, v.operand,
			   turn % 2 ? axis : axis - rank, bounds));
	memory_written(&m);
	for (int64_t i = 0; i < size; i++) {
		int64_t to[DPR_MAX_RANK], flat = 0;

		for (int k = 0; k < last; k++)
			flat = flat * given.dim[k] + at[axis + k];
		for (int d = 0; d < rank; d++)
			to[d] = d == axis  ? resolve(indices.list[flat], dim[d],
						     bounds)
				: d < axis ? at[d]
					   : at[d + last - 1];
		memory_note(&m, to, v.bytes + (size_t)i * m.item);
		next_position(n, shape, at);
	}
	memory_end(&m);
	free_values(&v);
	dpr_array_release(indices.array);
}

START_TEST(elements_are_put)
{
	dpr_array *x;
	int rank;

	if (!begin_case(_i, &x))
		return;
	rank = dpr_array_rank(x);
	for (int axis = 0, turn = _i; axis < rank; axis++) {
		if (rank > 9 && axis % 7 != 2)
			continue;
		if (dpr_array_shape(x)[axis]) {
			put(x, axis, DPR_SHAPE(3), turn++);
			put(x, axis, dpr_shape_of(0, NULL), turn++);
			if (rank < DPR_MAX_RANK)
				put(x, axis, DPR_SHAPE(2, 2), turn++);
		}
		put(x, axis, DPR_SHAPE(0), turn++);
	}
	dpr_array_release(x);
}
END_TEST

/* Each dtype, with indices of each dtype, and values of each. */
START_TEST(all_dtypes)
{
	for (int i = 0; i < 8 * VALUES * 3; i++) {
		const dpr_dtype dtype = (dpr_dtype)(1 + _i);
		dpr_array *x;

		if (!dpr_dtype_computes(dpr_queue_device(test_queue), dtype) ||
		    leaves_out(_i * 7 + i, 199))
			continue;
		CHECK_OK(dpr_zeros(DPR_SHAPE(3, 40), dtype, test_queue, &x));
		put(x, 1, DPR_SHAPE(20), i);
		dpr_array_release(x);
	}
}
END_TEST

/* Rows that are long enough for several blocks, and many indices. */
START_TEST(large_arrays)
{
	dpr_array *x, *back;

	x = numbered(DPR_SHAPE(70, 1500), DPR_FLOAT32);
	put(x, 0, DPR_SHAPE(50), 0);
	put(x, 1, DPR_SHAPE(2000), 1);
	CHECK_OK(dpr_array_view(x, &back, DPR_SLICE(DPR_OPEN, DPR_OPEN, -1),
				DPR_SLICE(DPR_OPEN, DPR_OPEN, -1)));
	put(back, 0, DPR_SHAPE(50), 4);
	put(back, 1, DPR_SHAPE(2000), 0);
	dpr_array_release(back);
	dpr_array_release(x);
	x = numbered(DPR_SHAPE(30000), DPR_INT16);
	put(x, 0, DPR_SHAPE(4000), 0);
	put(x, 0, DPR_SHAPE(64, 64), 6);
	dpr_array_release(x);
}
END_TEST

/* --- put_along_axis ------------------------------------------------------- */

/* @ones: along which axes the indices have the extent 1. */
static void put_along(dpr_array *x, int axis, unsigned ones, int turn)
{
	const dpr_bounds bounds = (dpr_bounds)(turn % 3);
	const int rank = dpr_array_rank(x);
	const int64_t *dim = dpr_array_shape(x);
	static struct indices indices;
	int64_t given[DPR_MAX_RANK], shape[DPR_MAX_RANK], size = 1;
	int64_t at[DPR_MAX_RANK] = { 0 };
	struct memory m = memory_of(x);
	struct values v;

	for (int d = 0; d < rank; d++) {
		given[d] = ones >> d & 1 ? 1 : d == axis ? 3 : dim[d];
		shape[d] = d == axis ? given[d] : dim[d];
		size *= shape[d];
	}
	make_indices(&indices, dpr_shape_of(rank, given), dim[axis],
		     index_dtypes[turn % 8], bounds);
	make_values(&v, turn % VALUES, dpr_array_dtype(x),
		    dpr_shape_of(rank, shape));
	CHECK_OK((dpr_put_along_axis)(x, indices.array, v.operand, axis,
				      bounds));
	memory_written(&m);
	for (int64_t i = 0; i < size; i++) {
		int64_t to[DPR_MAX_RANK], flat = 0;

		for (int d = 0; d < rank; d++) {
			to[d] = at[d];
			flat = flat * given[d] + (given[d] == 1 ? 0 : at[d]);
		}
		to[axis] = resolve(indices.list[flat], dim[axis], bounds);
		memory_note(&m, to, v.bytes + (size_t)i * m.item);
		next_position(rank, shape, at);
	}
	memory_end(&m);
	free_values(&v);
	dpr_array_release(indices.array);
}

START_TEST(elements_are_put_along_an_axis)
{
	dpr_array *x;
	int rank;

	if (!begin_case(_i, &x))
		return;
	rank = dpr_array_rank(x);
	for (int axis = 0, turn = _i; axis < rank; axis++) {
		if ((rank > 9 && axis % 7 != 2) || !dpr_array_size(x))
			continue;
		put_along(x, axis, 0, turn++);
		put_along(x, axis, 0x15555555, turn++);
	}
	dpr_array_release(x);
}
END_TEST

/* --- Arrays and basic indices --------------------------------------------- */

/* x[i, 1:4, j] = v, with the arrays' axis first, x[:, i, j] = v, with the axis
   where the arrays stand, and x[2, :, i] = v. */
static void set_mixed(dpr_array *x, int which)
{
	const dpr_index slices[][3] = {
		{ DPR_ALL, DPR_SLICE(1, 4, 1), DPR_ALL },
		{ DPR_ALL, DPR_ALL, DPR_ALL },
		{ DPR_AT(2), DPR_ALL, DPR_ALL },
	};
	const int64_t shapes[][2] = { { 4, 3 }, { 4, 4 }, { 4, 5 } };
	static struct indices i, j;
	const dpr_array *arrays[3] = { NULL };
	int64_t at[2] = { 0 };
	struct memory m = memory_of(x);
	struct values v;

	make_indices(&i, DPR_SHAPE(4),
		     which == 2   ? 6
		     : which == 1 ? 5
				  : 4,
		     DPR_INT32, DPR_BOUNDS_CHECK);
	make_indices(&j, DPR_SHAPE(4), 6, DPR_UINT8, DPR_BOUNDS_CHECK);
	arrays[which] = i.array;
	if (which < 2)
		arrays[2] = j.array;
	make_values(&v, which, dpr_array_dtype(x),
		    dpr_shape_of(2, shapes[which]));
	CHECK_OK((dpr_array_set_index_arrays)(x, slices[which], arrays, 3,
					      v.operand, DPR_BOUNDS_CHECK));
	memory_written(&m);
	for (int64_t k = 0; k < 4 * shapes[which][1]; k++) {
		int64_t to[3] = { at[0], at[1], 0 };

		if (which == 0) {
			to[0] = resolve(i.list[at[0]], 4, DPR_BOUNDS_CHECK);
			to[1] = 1 + at[1];
			to[2] = j.list[at[0]];
		} else if (which == 1) {
			to[1] = resolve(i.list[at[1]], 5, DPR_BOUNDS_CHECK);
			to[2] = j.list[at[1]];
		} else {
			to[0] = 2;
			to[2] = resolve(i.list[at[0]], 6, DPR_BOUNDS_CHECK);
		}
		memory_note(&m, to, v.bytes + (size_t)k * m.item);
		next_position(2, shapes[which], at);
	}
	memory_end(&m);
	free_values(&v);
	dpr_array_release(i.array);
	dpr_array_release(j.array);
}

START_TEST(arrays_and_slices)
{
	for (int i = 0; i < 6; i++) {
		dpr_array *x, *y, *back;

		x = numbered(DPR_SHAPE(4, 5, 6), sizes_dtype[i % SIZES_COUNT]);
		CHECK_OK(dpr_array_view(
			x, &back, DPR_SLICE(DPR_OPEN, DPR_OPEN, -1), DPR_ALL,
			DPR_SLICE(DPR_OPEN, DPR_OPEN, -1)));
		y = i < 3 ? x : back;
		if (!leaves_out(i + 1, 4))
			set_mixed(y, i % 3);
		dpr_array_release(back);
		dpr_array_release(x);
	}
}
END_TEST

/* More index arrays than a kernel takes. */
START_TEST(many_arrays)
{
	dpr_array *x = numbered(DPR_SHAPE(2, 3, 4, 2, 3, 2, 2), DPR_INT32);
	const dpr_array *arrays[7];
	static struct indices indices[7];
	const dpr_index none[7] = { DPR_ALL, DPR_ALL, DPR_ALL, DPR_ALL,
				    DPR_ALL, DPR_ALL, DPR_ALL };
	struct memory m = memory_of(x);
	const int32_t value = 77;

	for (int d = 0; d < 7; d++) {
		make_indices(&indices[d], DPR_SHAPE(9), dpr_array_shape(x)[d],
			     DPR_INT16, DPR_BOUNDS_WRAP);
		arrays[d] = indices[d].array;
	}
	CHECK_OK(dpr_array_set_index_arrays(x, none, arrays, 7, value,
					    DPR_BOUNDS_WRAP));
	memory_written(&m);
	for (int i = 0; i < 9; i++) {
		int64_t to[7];

		for (int d = 0; d < 7; d++)
			to[d] = resolve(indices[d].list[i],
					dpr_array_shape(x)[d], DPR_BOUNDS_WRAP);
		memory_note(&m, to, &value);
	}
	memory_end(&m);
	for (int d = 0; d < 7; d++)
		dpr_array_release(indices[d].array);
	dpr_array_release(x);
}
END_TEST

/* --- Overlap -------------------------------------------------------------- */

/* Indices and values that are elements of the array itself. */
START_TEST(overlapping_arrays)
{
	static const int64_t list[] = { 5, 3, 1, 0, 4, 2, 9, 8, 7, 6 };
	int64_t have[10], before[10];
	dpr_array *x, *some, *back, *at;

	CHECK_OK(dpr_array_from_memory(list, DPR_SHAPE(10), NULL, DPR_INT64,
				       test_queue, &x));
	CHECK_OK(dpr_array_view(x, &back, DPR_SLICE(DPR_OPEN, DPR_OPEN, -1)));
	/* x[x] = x[::-1] */
	CHECK_OK(dpr_put(x, x, back, 0, DPR_BOUNDS_CHECK));
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(have[list[i]], list[9 - i]);
	/* x[[3, 4, 5]] = x[2:5] */
	CHECK_OK(dpr_array_view(x, &some, DPR_SLICE(2, 5, 1)));
	CHECK_OK(dpr_arange(3, 6, 1, DPR_INT64, test_queue, &at));
	CHECK_OK(dpr_put(x, at, some, 0, DPR_BOUNDS_CLIP));
	memcpy(before, have, sizeof(have));
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(have[i], before[i >= 3 && i < 6 ? i - 1 : i]);
	dpr_array_release(at);
	dpr_array_release(some);
	dpr_array_release(back);
	dpr_array_release(x);
}
END_TEST

/* --- Masks ---------------------------------------------------------------- */

/* A mask for the first @n axes of @x; *@bytes: its elements in C order. */
static dpr_array *make_mask(const dpr_array *x, int n, unsigned char **bytes)
{
	const dpr_shape shape = dpr_shape_of(n, dpr_array_shape(x));
	int64_t size = 1;
	dpr_array *mask;

	for (int d = 0; d < n; d++)
		size *= shape.dim[d];
	*bytes = malloc((size_t)size + 1);
	ck_assert(*bytes != NULL);
	for (int64_t i = 0; i < size; i++)
		(*bytes)[i] = (unsigned char)below(2);
	CHECK_OK(dpr_array_from_memory(*bytes, shape, NULL, DPR_BOOL,
				       test_queue, &mask));
	return mask;
}

static void set_mask(dpr_array *x, int n, int kind)
{
	const int rank = dpr_array_rank(x);
	const int64_t *dim = dpr_array_shape(x);
	int64_t at[DPR_MAX_RANK] = { 0 }, rest = 1;
	struct memory m = memory_of(x);
	unsigned char *bytes;
	dpr_array *mask = make_mask(x, n, &bytes);
	struct values v;

	for (int d = n; d < rank; d++)
		rest *= dim[d];
	make_values(&v, kind, dpr_array_dtype(x),
		    dpr_shape_of(rank - n, dim + n));
	CHECK_OK((dpr_array_set_mask)(x, mask, v.operand));
	memory_written(&m);
	for (int64_t i = 0; i < dpr_array_size(x); i++) {
		if (bytes[i / rest])
			memory_note(&m, at,
				    v.bytes + (size_t)(i % rest) * m.item);
		next_position(rank, dim, at);
	}
	memory_end(&m);
	free_values(&v);
	free(bytes);
	dpr_array_release(mask);
}

START_TEST(masks)
{
	dpr_array *x;
	int rank;

	if (!begin_case(_i, &x))
		return;
	rank = dpr_array_rank(x);
	for (int n = 0; n <= rank; n += rank > 9 ? 8 : 1)
		for (int kind = 0; kind < VALUES; kind++)
			set_mask(x, n, kind);
	dpr_array_release(x);
}
END_TEST

/* A bool array as its own mask and value. */
START_TEST(overlapping_masks)
{
	static const unsigned char list[] = { 1, 0, 1, 1, 0, 0 };
	unsigned char have[6];
	dpr_array *x, *back, *row;

	CHECK_OK(dpr_array_from_memory(list, DPR_SHAPE(2, 3), NULL, DPR_BOOL,
				       test_queue, &x));
	CHECK_OK(dpr_array_view(x, &back, DPR_SLICE(DPR_OPEN, DPR_OPEN, -1),
				DPR_SLICE(DPR_OPEN, DPR_OPEN, -1)));
	CHECK_OK(dpr_array_view(x, &row, DPR_AT(0), DPR_AT(1)));
	/* x[x[::-1, ::-1]] = x[0, 1] */
	CHECK_OK(dpr_array_set_mask(x, back, row));
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	for (int i = 0; i < 6; i++)
		ck_assert_int_eq(have[i], list[5 - i] ? 0 : list[i]);
	/* x[x] = x[0, 1] */
	CHECK_OK(dpr_array_set_mask(x, x, row));
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	for (int i = 0; i < 6; i++)
		ck_assert_int_eq(have[i], 0);
	dpr_array_release(row);
	dpr_array_release(back);
	dpr_array_release(x);
}
END_TEST

/* --- Errors --------------------------------------------------------------- */

/* The call fails with @status, and the error begins with @text. */
#define REFUSED(status, text, call)                                           \
	do {                                                                  \
		CHECK_FAILS(status, call);                                    \
		ck_assert_msg(!strncmp(dpr_last_error(), text, strlen(text)), \
			      "%s", dpr_last_error());                        \
	} while (0)

static dpr_array *integers(const int64_t *list, int64_t n)
{
	dpr_array *x;

	CHECK_OK(dpr_array_from_memory(list, DPR_SHAPE(n), NULL, DPR_INT64,
				       test_queue, &x));
	return x;
}

START_TEST(indices_out_of_range)
{
	static const int64_t list[] = { 0, 4, 3, -5, -4 };
	int64_t have[12];
	dpr_array *x = numbered(DPR_SHAPE(3, 4), DPR_INT64);
	dpr_array *at = integers(list, 5), *view, *columns;
	struct memory m = memory_of(x);

	REFUSED(DPR_ERROR_INDEX,
		"put: index 4, at (1,) of the indices, is out of range for "
		"axis 1 of extent 4",
		dpr_put(x, at, 1, 1, DPR_BOUNDS_CHECK));
	CHECK_OK(dpr_array_view(at, &view, DPR_SLICE(2, 5, 1)));
	REFUSED(DPR_ERROR_INDEX,
		"put: index -5, at (1,) of the indices, is out of range for "
		"axis 1 of extent 4",
		dpr_put(x, view, 1, -1, DPR_BOUNDS_CHECK));
	CHECK_OK(dpr_reshape(at, DPR_SHAPE(1, 5), &columns));
	REFUSED(DPR_ERROR_INDEX,
		"put along axis: index 4, at (0, 1) of the indices, is out of "
		"range for axis 1 of extent 4",
		dpr_put_along_axis(x, columns, 1, 1, DPR_BOUNDS_CHECK));
	REFUSED(DPR_ERROR_INDEX,
		"put: ", dpr_put(x, at, 1, 2, DPR_BOUNDS_WRAP));
	/* Nothing was written. */
	memory_written(&m);
	memory_end(&m);
	CHECK_OK(dpr_put(x, at, 9, 1, DPR_BOUNDS_CLIP));
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	for (int i = 0; i < 12; i++)
		ck_assert_int_eq(have[i] == 9, i % 4 == 0 || i % 4 == 3);
	dpr_array_release(columns);
	dpr_array_release(view);
	dpr_array_release(at);
	dpr_array_release(x);
}
END_TEST

START_TEST(bad_arguments)
{
	static const int64_t list[] = { 0, 1 };
	dpr_array *x = numbered(DPR_SHAPE(3, 4), DPR_INT32), *other;
	dpr_array *at = integers(list, 2);
	const dpr_index all[2] = { DPR_ALL, DPR_ALL };
	const dpr_array *none[2] = { NULL, NULL };

	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "put: x is NULL",
		dpr_put(NULL, at, 1, 0, DPR_BOUNDS_WRAP));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "put: the indices are NULL",
		dpr_put(x, NULL, 1, 0, DPR_BOUNDS_WRAP));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "put: the values are NULL",
		(dpr_put)(x, at, dpr_operand_array(NULL), 0, DPR_BOUNDS_WRAP));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT,
		"put: bounds is 7, which is not a value of dpr_bounds",
		dpr_put(x, at, 1, 0, (dpr_bounds)7));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT,
		"set index arrays: none of the indices is an array",
		dpr_array_set_index_arrays(x, all, none, 2, 1,
					   DPR_BOUNDS_WRAP));
	REFUSED(DPR_ERROR_OVERFLOW,
		"put: ", dpr_put(x, at, INT64_MAX, 0, DPR_BOUNDS_WRAP));
	REFUSED(DPR_ERROR_DTYPE, "put: ",
		(dpr_put)(x, at, dpr_operand_complex_parts(1, 1), 0,
			  DPR_BOUNDS_WRAP));
	REFUSED(DPR_ERROR_SHAPE,
		"put: values of shape (2,) do not broadcast to the shape "
		"(2, 4) of the indexed elements",
		dpr_put(x, at, at, 0, DPR_BOUNDS_WRAP));
	REFUSED(DPR_ERROR_SHAPE,
		"put along axis: the indices have 1 axes, but the array has 2",
		dpr_put_along_axis(x, at, 1, 0, DPR_BOUNDS_WRAP));
	CHECK_OK(dpr_astype(at, DPR_FLOAT32, &other));
	REFUSED(DPR_ERROR_DTYPE,
		"put: the indices are float32 but must be integers",
		dpr_put(x, other, 1, 0, DPR_BOUNDS_WRAP));
	dpr_array_release(other);
	CHECK_OK(dpr_broadcast_to(at, DPR_SHAPE(5, 2), &other));
	REFUSED(DPR_ERROR_LAYOUT,
		"put: ", dpr_put(other, at, 1, 0, DPR_BOUNDS_WRAP));
	dpr_array_release(other);
	dpr_array_release(x);
	dpr_array_release(at);
}
END_TEST

START_TEST(bad_masks)
{
	dpr_array *x = numbered(DPR_SHAPE(3, 4), DPR_INT32), *mask, *value;
	unsigned char *bytes;

	mask = make_mask(x, 2, &bytes);
	free(bytes);
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "set mask: the mask is NULL",
		dpr_array_set_mask(x, NULL, 1));
	REFUSED(DPR_ERROR_DTYPE, "set mask: the mask is int32 but must be bool",
		dpr_array_set_mask(x, x, 1));
	REFUSED(DPR_ERROR_OVERFLOW,
		"set mask: ", dpr_array_set_mask(x, mask, 1e300));
	CHECK_OK(dpr_array_view(x, &value, DPR_AT(0)));
	REFUSED(DPR_ERROR_UNSUPPORTED,
		"set mask: a value for each element of the mask that is true, "
		"as numpy.place() takes, is not supported yet; choose with "
		"dpr_where_into()",
		dpr_array_set_mask(x, mask, value));
	REFUSED(DPR_ERROR_SHAPE,
		"set mask: the axes of a mask are the first axes of the array, "
		"but the mask has the shape (3, 4) and the array (4,)",
		dpr_array_set_mask(value, mask, 1));
	dpr_array_release(value);
	REFUSED(DPR_ERROR_SHAPE,
		"set mask: a value of shape (3, 4) does not broadcast to ()",
		dpr_array_set_mask(x, mask, x));
	dpr_array_release(mask);
	dpr_array_release(x);
}
END_TEST

START_TEST(other_queues)
{
	static const int64_t list[] = { 0, 1 };
	dpr_array *x = numbered(DPR_SHAPE(2), DPR_INT32), *mask, *other;
	dpr_array *at = integers(list, 2);
	unsigned char *bytes;
	dpr_queue *queue;

	mask = make_mask(x, 1, &bytes);
	free(bytes);
	CHECK_OK(dpr_queue_create(test_device, 0, &queue));
	CHECK_OK(dpr_array_to_queue(at, queue, &other));
	REFUSED(DPR_ERROR_EXECUTION_PLACEMENT,
		"put: operands are on different queues: indices on ",
		dpr_put(x, other, 1, 0, DPR_BOUNDS_CHECK));
	ck_assert(strstr(dpr_last_error(), "x stays where it is, because the "
					   "call writes it; move one with "));
	REFUSED(DPR_ERROR_EXECUTION_PLACEMENT,
		"put: operands are on different queues: indices on ",
		dpr_put(x, at, other, 0, DPR_BOUNDS_CHECK));
	REFUSED(DPR_ERROR_EXECUTION_PLACEMENT,
		"set mask: operands are on different queues: mask on ",
		dpr_array_set_mask(x, mask, other));
	dpr_array_release(other);
	dpr_queue_release(queue);
	dpr_array_release(mask);
	dpr_array_release(at);
	dpr_array_release(x);
}
END_TEST

static Suite *put_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("put");

	tcase_set_timeout(tcase, 600);
	tcase_add_loop_test(tcase, elements_are_put, 0, CASES);
	tcase_add_loop_test(tcase, all_dtypes, 0, DPR_COMPLEX128);
	tcase_add_test(tcase, large_arrays);
	tcase_add_loop_test(tcase, elements_are_put_along_an_axis, 0, CASES);
	tcase_add_test(tcase, arrays_and_slices);
	tcase_add_test(tcase, many_arrays);
	tcase_add_test(tcase, overlapping_arrays);
	tcase_add_loop_test(tcase, masks, 0, CASES);
	tcase_add_test(tcase, overlapping_masks);
	tcase_add_test(tcase, indices_out_of_range);
	tcase_add_test(tcase, bad_arguments);
	tcase_add_test(tcase, bad_masks);
	tcase_add_test(tcase, other_queues);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(put_suite, NULL);
}
