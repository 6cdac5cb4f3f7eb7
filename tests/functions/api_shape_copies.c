/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_shape_copies.c - the functions of shapes.h that copy, and dpr_concat()
 * without an axis, on every device: elements of each size, by a loop over the
 * positions, and their errors.
 */
#include <dpr/dpr.h>

#include "tests/support/rearranged.h"

/* Check that @y is a copy of an array like @x. */
static void is_copy(const dpr_array *x, const dpr_array *y)
{
	ck_assert(dpr_array_is_contiguous(y));
	if (dpr_array_size(x))
		ck_assert_ptr_ne(dpr_array_usm(y), dpr_array_usm(x));
	ck_assert_ptr_eq(dpr_array_queue(y), test_queue);
	ck_assert_int_eq(dpr_array_kind(y), dpr_array_kind(x));
	ck_assert_int_eq(dpr_array_dtype(y), dpr_array_dtype(x));
}

/* A test's loop goes over sources and sizes of elements.  Where drivers
   compile, some of them are left out. */
#define CASES (SOURCES_COUNT * SIZES_COUNT)

static bool begin_case(int i, dpr_array **x)
{
	if (leaves_out(i, 7))
		return false;
	*x = sources_make(i % SOURCES_COUNT, sizes_dtype[i / SOURCES_COUNT]);
	return true;
}

/* --- roll ---------------------------------------------------------------- */

struct rolled {
	const int64_t *shift; /* for each axis */
};

static int64_t remainder_of(int64_t x, int64_t n)
{
	return (x % n + n) % n;
}

static bool from_rolled(const void *how, const struct plain *source,
			const int64_t *at, int64_t *from)
{
	const struct rolled *r = how;

	for (int k = 0; k < source->rank; k++)
		from[k] = remainder_of(at[k] - r->shift[k] % source->dim[k],
				       source->dim[k]);
	return true;
}

/* Roll the first @n axes of @x. */
static void roll(const dpr_array *x, int n, const int64_t *shift)
{
	struct plain source = plain_of(x);
	int64_t all[DPR_MAX_RANK] = { 0 }, given[DPR_MAX_RANK];
	int axis[DPR_MAX_RANK];
	dpr_array *y;

	for (int i = 0; i < n; i++) {
		/* In reverse order, and counted from the end. */
		axis[i] = n - 1 - i - source.rank;
		given[i] = shift[n - 1 - i];
		all[i] = shift[i];
	}
	CHECK_OK(dpr_roll(x, given,
			  &(const dpr_axes){ .count = n, .axis = axis }, &y));
	is_copy(x, y);
	check_rearranged(y, &source, source.rank, source.dim, from_rolled,
			 &(struct rolled){ all });
	plain_free(&source);
}

/* Roll in C order. */
static void roll_flat(const dpr_array *x, int64_t shift)
{
	struct plain source = plain_of(x);
	struct plain flat = {
		1, { dpr_array_size(x) }, source.item, source.bytes
	};
	dpr_array *y, *line;

	CHECK_OK(dpr_roll(x, &shift, NULL, &y));
	is_copy(x, y);
	ck_assert_int_eq(dpr_array_rank(y), source.rank);
	for (int k = 0; k < source.rank; k++)
		ck_assert_int_eq(dpr_array_shape(y)[k], source.dim[k]);
	CHECK_OK(dpr_reshape(y, DPR_SHAPE(dpr_array_size(x)), &line));
	dpr_array_release(y);
	check_rearranged(line, &flat, 1, flat.dim, from_rolled,
			 &(struct rolled){ &shift });
	plain_free(&source);
}

START_TEST(elements_are_rolled)
{
	static const int64_t shift[DPR_MAX_RANK] = { -3, 2, 1,   0, INT64_MIN,
						     1,  3, 100, 1 };
	dpr_array *x;
	int rank;

	if (!begin_case(_i, &x))
		return;
	rank = dpr_array_rank(x);
	roll(x, 0, shift);
	for (int n = 1; n <= rank; n = n == rank ? n + 1 : rank)
		roll(x, n, shift);
	roll(x, rank, (const int64_t[DPR_MAX_RANK]){ 0 });
	roll_flat(x, -5);
	roll_flat(x, INT64_MAX);
	roll_flat(x, 0);
	dpr_array_release(x);
}
END_TEST

/* --- tile and repeat ----------------------------------------------------- */

static bool from_tiled(const void *how, const struct plain *source,
		       const int64_t *at, int64_t *from)
{
	const int rank = *(const int *)how;

	for (int k = 0; k < source->rank; k++)
		from[k] = at[rank - source->rank + k] % source->dim[k];
	return true;
}

static void tile(const dpr_array *x, int n, const int64_t *times)
{
	struct plain source = plain_of(x);
	const int rank = n > source.rank ? n : source.rank;
	int64_t dim[DPR_MAX_RANK];
	dpr_array *y;

	for (int k = 0; k < rank; k++) {
		const int own = k - (rank - source.rank),
			  given = k - (rank - n);

		dim[k] = (own < 0 ? 1 : source.dim[own]) *
			 (given < 0 ? 1 : times[given]);
	}
	CHECK_OK(dpr_tile(x, dpr_shape_of(n, times), &y));
	is_copy(x, y);
	check_rearranged(y, &source, rank, dim, from_tiled, &rank);
	plain_free(&source);
}

START_TEST(arrays_are_tiled)
{
	int64_t many[DPR_MAX_RANK];
	dpr_array *x;

	if (!begin_case(_i, &x))
		return;
	for (int k = 0; k < DPR_MAX_RANK; k++)
		many[k] = k > 29 ? 2 : 1;
	tile(x, 0, NULL);
	tile(x, 1, (const int64_t[]){ 3 });
	tile(x, 2, (const int64_t[]){ 2, 0 });
	tile(x, 4, (const int64_t[]){ 2, 3, 1, 2 });
	tile(x, DPR_MAX_RANK, many);
	dpr_array_release(x);
}
END_TEST

/* Each element is repeated @times times along @axis. */
struct repeated {
	int axis;
	int64_t times;
};

static bool from_repeated(const void *how, const struct plain *source,
			  const int64_t *at, int64_t *from)
{
	const struct repeated *r = how;

	for (int k = 0; k < source->rank; k++)
		from[k] = k == r->axis ? at[k] / r->times : at[k];
	return true;
}

static void repeat(const dpr_array *x, int64_t times, int axis)
{
	struct plain source = plain_of(x);
	struct repeated r = { axis, times };
	dpr_array *y;

	if (axis == DPR_AXIS_NONE) {
		r.axis = 0;
		source.rank = 1;
		source.dim[0] = dpr_array_size(x);
	} else {
		axis -= source.rank;
	}
	source.dim[r.axis] *= times;
	CHECK_OK(dpr_repeat(x, times, axis, &y));
	is_copy(x, y);
	{
		int64_t dim[DPR_MAX_RANK];

		memcpy(dim, source.dim, sizeof(dim));
		source.dim[r.axis] = times ? source.dim[r.axis] / times : 0;
		check_rearranged(y, &source, source.rank, dim, from_repeated,
				 &r);
	}
	plain_free(&source);
}

START_TEST(elements_are_repeated)
{
	dpr_array *x;
	int rank;

	if (!begin_case(_i, &x))
		return;
	rank = dpr_array_rank(x);
	for (int k = 0; k<rank; k += rank> 9 ? 9 : 1)
		repeat(x, k % 2 + 2, k);
	if (rank) {
		repeat(x, 0, 0);
		repeat(x, 1, 0);
	}
	repeat(x, 3, DPR_AXIS_NONE);
	repeat(x, 0, DPR_AXIS_NONE);
	dpr_array_release(x);
}
END_TEST

/* --- pad ----------------------------------------------------------------- */

struct padded {
	dpr_pad_mode mode;
	const int64_t *width;
};

static bool from_padded(const void *how, const struct plain *source,
			const int64_t *at, int64_t *from)
{
	const struct padded *p = how;

	for (int k = 0; k < source->rank; k++) {
		const int64_t n = source->dim[k], i = at[k] - p->width[2 * k];
		const int64_t last = n - 1;

		from[k] = i;
		if (i >= 0 && i < n)
			continue;
		if (p->mode == DPR_PAD_CONSTANT)
			return false;
		if (p->mode == DPR_PAD_WRAP)
			from[k] = remainder_of(i, n);
		else if (p->mode == DPR_PAD_EDGE || n == 1)
			from[k] = i < 0 ? 0 : last;
		else if (remainder_of(i, 2 * last) < n)
			from[k] = remainder_of(i, 2 * last);
		else
			from[k] = 2 * last - remainder_of(i, 2 * last);
	}
	return true;
}

static void pad(const dpr_array *x, dpr_pad_mode mode, const int64_t *width)
{
	struct plain source = plain_of(x);
	const struct padded how = { mode, width };
	int64_t dim[DPR_MAX_RANK];
	dpr_array *y;

	for (int k = 0; k < source.rank; k++) {
		dim[k] = source.dim[k] + width[2 * k] + width[2 * k + 1];
		if (mode == DPR_PAD_CONSTANT || source.dim[k] ||
		    dim[k] == source.dim[k])
			continue;
		CHECK_FAILS(DPR_ERROR_SHAPE,
			    dpr_pad(x, dpr_shape_of(2 * source.rank, width),
				    mode, 0, &y));
		plain_free(&source);
		return;
	}
	CHECK_OK(dpr_pad(x, dpr_shape_of(2 * source.rank, width), mode, 0, &y));
	is_copy(x, y);
	check_rearranged(y, &source, source.rank, dim, from_padded, &how);
	plain_free(&source);
}

START_TEST(arrays_are_padded)
{
	int64_t width[2 * DPR_MAX_RANK] = { 2, 1, 0, 3, 1, 0 };
	int64_t wide[2 * DPR_MAX_RANK] = { 0 };
	dpr_array *x;
	int last;

	if (!begin_case(_i, &x))
		return;
	last = dpr_array_rank(x) - 1;
	if (last >= 0) {
		wide[2 * last] = 17;
		wide[2 * last + 1] = 23;
	}
	for (int mode = DPR_PAD_CONSTANT; mode <= DPR_PAD_WRAP; mode++) {
		pad(x, (dpr_pad_mode)mode, width);
		/* Wide margins are hundreds of small copies, so that each size
		   has them in one mode. */
		if (mode != _i / SOURCES_COUNT % 4)
			continue;
		pad(x, (dpr_pad_mode)mode, wide);
		pad(x, (dpr_pad_mode)mode,
		    (const int64_t[2 * DPR_MAX_RANK]){ 0 });
	}
	dpr_array_release(x);
}
END_TEST

/* The number around the array, in several dtypes. */
START_TEST(numbers_are_padded)
{
	const dpr_shape width = DPR_SHAPE(1, 2);
	dpr_array *x, *y;
	float have[5];
	uint8_t few[5];

	CHECK_OK(dpr_array_from_memory((const float[]){ 1, 2 }, DPR_SHAPE(2),
				       NULL, DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_pad(x, width, DPR_PAD_CONSTANT, -2.5, &y));
	CHECK_OK(dpr_array_to_memory(y, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, ((const float[]){ -2.5F, 1, 2, -2.5F, -2.5F }),
			 sizeof(have));
	dpr_array_release(y);
	dpr_array_release(x);
	CHECK_OK(dpr_array_from_memory((const uint8_t[]){ 1, 2 }, DPR_SHAPE(2),
				       NULL, DPR_UINT8, test_queue, &x));
	CHECK_OK(dpr_pad(x, width, DPR_PAD_CONSTANT, 255, &y));
	CHECK_OK(dpr_array_to_memory(y, few, sizeof(few), NULL));
	ck_assert_mem_eq(few, ((const uint8_t[]){ 255, 1, 2, 255, 255 }),
			 sizeof(few));
	dpr_array_release(y);
	y = x;
	CHECK_FAILS(DPR_ERROR_OVERFLOW,
		    dpr_pad(x, width, DPR_PAD_CONSTANT, 256, &y));
	ck_assert_ptr_null(y);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_pad(x, width, DPR_PAD_CONSTANT, x, &y));
	ck_assert_str_eq(dpr_last_error(),
			 "pad: the value is an array, but must be a number");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_pad(x, DPR_SHAPE(1, -1), DPR_PAD_WRAP, 0, &y));
	ck_assert_str_eq(dpr_last_error(),
			 "pad: the widths of axis 0 are 1 and -1; give 0 or "
			 "more");
	CHECK_FAILS(DPR_ERROR_OVERFLOW, dpr_pad(x, DPR_SHAPE(1, INT64_MAX - 2),
						DPR_PAD_WRAP, 0, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_pad(x, width, (dpr_pad_mode)9, 0, &y));
	ck_assert_str_eq(dpr_last_error(),
			 "pad: 9 is not a mode (DPR_PAD_CONSTANT, _EDGE, "
			 "_REFLECT, _WRAP)");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_pad(x, DPR_SHAPE(1), DPR_PAD_WRAP, 0, &y));
	ck_assert_str_eq(dpr_last_error(),
			 "pad: the list of widths is NULL, or has 1 numbers "
			 "for 1 axes; give two for each");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_pad(x, dpr_shape_of(2, NULL), DPR_PAD_WRAP, 0, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_pad(NULL, width, DPR_PAD_WRAP, 0, &y));
	dpr_array_release(x);
}
END_TEST

/* --- tril and triu ------------------------------------------------------- */

struct triangle {
	bool upper;
	int64_t k;
};

static bool from_triangle(const void *how, const struct plain *source,
			  const int64_t *at, int64_t *from)
{
	const struct triangle *t = how;
	const int last = source->rank - 1;
	const __int128 diagonal = (__int128)at[last] - at[last - 1];

	memcpy(from, at, (size_t)source->rank * sizeof(*at));
	return t->upper ? diagonal >= t->k : diagonal <= t->k;
}

static void triangles(const dpr_array *x, int64_t k)
{
	struct plain source = plain_of(x);
	dpr_array *y;

	CHECK_OK(dpr_tril(x, k, &y));
	is_copy(x, y);
	check_rearranged(y, &source, source.rank, source.dim, from_triangle,
			 &(struct triangle){ false, k });
	CHECK_OK(dpr_triu(x, k, &y));
	is_copy(x, y);
	check_rearranged(y, &source, source.rank, source.dim, from_triangle,
			 &(struct triangle){ true, k });
	plain_free(&source);
}

START_TEST(triangles_are_kept)
{
	dpr_array *x;

	if (!begin_case(_i, &x))
		return;
	if (dpr_array_rank(x) > 1) {
		for (int64_t k = -6; k <= 6; k++)
			triangles(x, k);
		triangles(x, INT64_MIN);
		triangles(x, INT64_MAX);
	}
	dpr_array_release(x);
}
END_TEST

/* --- stack and concat ---------------------------------------------------- */

static bool from_itself(const void *how, const struct plain *source,
			const int64_t *at, int64_t *from)
{
	(void)how;
	memcpy(from, at, (size_t)source->rank * sizeof(*at));
	return true;
}

static void stack(const dpr_array *x, const dpr_array *other, int axis)
{
	const dpr_array *list[] = { x, other, x };
	const int rank = dpr_array_rank(x) + 1;
	dpr_array *y, *part;

	CHECK_OK(dpr_stack(list, 3, axis - rank, &y));
	is_copy(x, y);
	ck_assert_int_eq(dpr_array_rank(y), rank);
	ck_assert_int_eq(dpr_array_shape(y)[axis], 3);
	for (int i = 0; i < 3; i++) {
		struct plain source = plain_of(list[i]);
		dpr_index at[DPR_MAX_RANK];

		for (int k = 0; k < rank; k++)
			at[k] = k == axis ? DPR_AT(i) : DPR_ALL;
		CHECK_OK(dpr_array_index(y, at, (size_t)rank, &part));
		check_rearranged(part, &source, source.rank, source.dim,
				 from_itself, NULL);
		plain_free(&source);
	}
	dpr_array_release(y);
}

/* Join two arrays of any shape in C order. */
static void concat_flat(const dpr_array *x, const dpr_array *other)
{
	const dpr_array *list[] = { x, other, x };
	int64_t begin = 0, end;
	dpr_array *y, *part;

	CHECK_OK(dpr_concat(list, 3, DPR_AXIS_NONE, &y));
	is_copy(x, y);
	ck_assert_int_eq(dpr_array_rank(y), 1);
	for (int i = 0; i < 3; i++, begin = end) {
		struct plain source = plain_of(list[i]);

		source.rank = 1;
		source.dim[0] = dpr_array_size(list[i]);
		end = begin + source.dim[0];
		CHECK_OK(dpr_array_view(y, &part, DPR_SLICE(begin, end, 1)));
		check_rearranged(part, &source, 1, source.dim, from_itself,
				 NULL);
		plain_free(&source);
	}
	ck_assert_int_eq(dpr_array_size(y), end);
	dpr_array_release(y);
}

START_TEST(arrays_are_joined)
{
	dpr_array *x, *other, *line;
	int rank;

	if (!begin_case(_i, &x))
		return;
	rank = dpr_array_rank(x);
	CHECK_OK(dpr_flip(x, NULL, &other));
	for (int axis = 0; rank < DPR_MAX_RANK && axis <= rank; axis++)
		stack(x, other, axis);
	line = numbered(DPR_SHAPE(7), dpr_array_dtype(x));
	concat_flat(x, other);
	concat_flat(x, line);
	concat_flat(line, x);
	dpr_array_release(line);
	dpr_array_release(other);
	dpr_array_release(x);
}
END_TEST

/* Arrays of different dtypes are promoted. */
START_TEST(joined_arrays_are_promoted)
{
	const int8_t small[] = { -1, 2 };
	const int16_t large[] = { 300, -400 };
	int16_t have[4];
	dpr_array *x, *y, *z;

	CHECK_OK(dpr_array_from_memory(small, DPR_SHAPE(2), NULL, DPR_INT8,
				       test_queue, &x));
	CHECK_OK(dpr_array_from_memory(large, DPR_SHAPE(2), NULL, DPR_INT16,
				       test_queue, &y));
	CHECK_OK(dpr_stack((const dpr_array *[]){ x, y }, 2, -1, &z));
	ck_assert_int_eq(dpr_array_dtype(z), DPR_INT16);
	CHECK_OK(dpr_array_to_memory(z, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, ((const int16_t[]){ -1, 300, 2, -400 }),
			 sizeof(have));
	dpr_array_release(z);
	CHECK_OK(dpr_concat((const dpr_array *[]){ y, x }, 2, DPR_AXIS_NONE,
			    &z));
	ck_assert_int_eq(dpr_array_dtype(z), DPR_INT16);
	CHECK_OK(dpr_array_to_memory(z, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, ((const int16_t[]){ 300, -400, -1, 2 }),
			 sizeof(have));
	dpr_array_release(z);
	dpr_array_release(y);
	dpr_array_release(x);
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

START_TEST(bad_repetitions_are_refused)
{
	dpr_array *x = numbered(DPR_SHAPE(2, 3), DPR_INT32), *y = x, *wide;
	const int64_t one[] = { 1, 1 };
	int64_t many[DPR_MAX_RANK];

	REFUSED(DPR_ERROR_INDEX,
		"roll: there is no axis 2 in an array of 2 axes",
		dpr_roll(x, one, DPR_AXES(2), &y));
	REFUSED(DPR_ERROR_INDEX, "roll: axis -2 is named twice",
		dpr_roll(x, one, DPR_AXES(0, -2), &y));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "roll: the shift is NULL",
		dpr_roll(x, NULL, NULL, &y));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "roll: the array is NULL",
		dpr_roll(NULL, one, NULL, &y));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT,
		"tile: -1 repetitions are asked for; give 0 or more",
		dpr_tile(x, DPR_SHAPE(2, -1), &y));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT,
		"tile: the list of repetitions is NULL, or is for 33 axes; "
		"there may be 0 to 32",
		dpr_tile(x, dpr_shape_of(33, NULL), &y));
	REFUSED(DPR_ERROR_OVERFLOW,
		"tile: the size of the array does not fit in 64 bits",
		dpr_tile(x, DPR_SHAPE(INT64_MAX), &y));
	REFUSED(DPR_ERROR_OVERFLOW,
		"tile: the size of the array does not fit in 64 bits",
		dpr_tile(x, DPR_SHAPE(INT64_MAX / 2, 1), &y));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT,
		"repeat: -2 repetitions are asked for; give 0 or more",
		dpr_repeat(x, -2, 0, &y));
	REFUSED(DPR_ERROR_INDEX,
		"repeat: there is no axis -3 in an array of 2 axes",
		dpr_repeat(x, 2, -3, &y));
	REFUSED(DPR_ERROR_OVERFLOW,
		"repeat: the size of the array does not fit in 64 bits",
		dpr_repeat(x, INT64_MAX / 3, DPR_AXIS_NONE, &y));
	for (int k = 0; k < DPR_MAX_RANK; k++)
		many[k] = 2;
	dpr_array_release(x);
	x = numbered(DPR_SCALAR_SHAPE, DPR_INT8);
	CHECK_OK(dpr_broadcast_to(x, dpr_shape_of(DPR_MAX_RANK, many), &wide));
	dpr_array_release(x);
	x = y = wide;
	REFUSED(DPR_ERROR_SHAPE,
		"tile: more than 32 axes are longer than 1, counting repeated "
		"axes twice; join some with dpr_reshape()",
		dpr_tile(x, DPR_SHAPE(2), &y));
	REFUSED(DPR_ERROR_SHAPE,
		"repeat: more than 32 axes are longer than 1, counting repeated "
		"axes twice; join some with dpr_reshape()",
		dpr_repeat(x, 2, 5, &y));
	dpr_array_release(x);
}
END_TEST

START_TEST(bad_matrices_and_lists_are_refused)
{
	dpr_array *x = numbered(DPR_SHAPE(3), DPR_INT32), *y = x, *other;
	const dpr_array *list[] = { x, NULL };
	dpr_queue *queue;

	REFUSED(DPR_ERROR_SHAPE, "tril: the array has 1 axes; a matrix has 2",
		dpr_tril(x, 0, &y));
	REFUSED(DPR_ERROR_SHAPE, "triu: the array has 1 axes; a matrix has 2",
		dpr_triu(x, 0, &y));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "triu: the array is NULL",
		dpr_triu(NULL, 0, &y));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "stack: there are no arrays",
		dpr_stack(list, 0, 0, &y));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "stack: x2 is NULL",
		dpr_stack(list, 2, 0, &y));
	REFUSED(DPR_ERROR_INDEX,
		"stack: axis 2 is out of range for a result of 2 axes",
		dpr_stack(list, 1, 2, &y));
	list[1] = other = numbered(DPR_SHAPE(1, 3), DPR_INT32);
	REFUSED(DPR_ERROR_SHAPE,
		"stack: x1 has the shape (3,) and x2 (1, 3); all must have the "
		"same",
		dpr_stack(list, 2, 0, &y));
	dpr_array_release(other);
	list[1] = other = sources_make(LAYOUTS_COUNT + 1, DPR_INT32);
	REFUSED(DPR_ERROR_SHAPE, "stack: the arrays have 32 axes already",
		dpr_stack(&list[1], 1, 0, &y));
	dpr_array_release(other);
	CHECK_OK(dpr_queue_create(test_device, 0, &queue));
	CHECK_OK(dpr_array_to_queue(x, queue, &other));
	list[1] = other;
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT, dpr_stack(list, 2, 0, &y));
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_concat(list, 2, DPR_AXIS_NONE, &y));
	dpr_array_release(other);
	dpr_queue_release(queue);
	dpr_array_release(x);
}
END_TEST

static Suite *copies_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("copies");

	tcase_set_timeout(tcase, 600);
	tcase_add_loop_test(tcase, elements_are_rolled, 0, CASES);
	tcase_add_loop_test(tcase, arrays_are_tiled, 0, CASES);
	tcase_add_loop_test(tcase, elements_are_repeated, 0, CASES);
	tcase_add_loop_test(tcase, arrays_are_padded, 0, CASES);
	tcase_add_test(tcase, numbers_are_padded);
	tcase_add_loop_test(tcase, triangles_are_kept, 0, CASES);
	tcase_add_loop_test(tcase, arrays_are_joined, 0, CASES);
	tcase_add_test(tcase, joined_arrays_are_promoted);
	tcase_add_test(tcase, bad_repetitions_are_refused);
	tcase_add_test(tcase, bad_matrices_and_lists_are_refused);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(copies_suite, NULL);
}
