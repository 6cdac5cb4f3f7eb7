/* SPDX-License-Identifier: Apache-2.0 */
/* api_memory.c - moving elements between host memory and devices: any strides,
   every dtype, bit for bit.  Also single elements as numbers, and the address
   of an array. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"
#include "tests/support/random.h"

#define MAX_BYTES (2 << 20)

/* Host memory, and where the elements of an array are in it. */
struct host_view {
	int rank;
	int64_t dim[6], stride[6], count;
	size_t size;
	unsigned char *first;
	unsigned char bytes[MAX_BYTES];
};

static void fill(struct random *r, dpr_dtype dtype, unsigned char *bytes,
		 size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(random_next(r) >> 32);
	for (size_t i = 0; dtype == DPR_BOOL && i < size; i++)
		bytes[i] &= 1;
}

/*
 * A random layout in host memory: positive and negative strides, axes in any
 * order, gaps and, with @repeats (for reading only), strides of 0.
 */
static void any_host_view(struct random *r, struct host_view *v, size_t item,
			  bool repeats)
{
	int order[6];
	int64_t step = random_between(r, 1, 3), low = 0, high = 0;

	v->count = 1;
	for (int k = 0; k < v->rank; k++) {
		int j = (int)random_between(r, 0, k);

		order[k] = order[j];
		order[j] = k;
		v->count *= v->dim[k];
	}
	for (int k = 0; k < v->rank; k++) {
		int axis = order[k];

		v->stride[axis] = random_between(r, 0, 1) ? step : -step;
		if (repeats && !random_between(r, 0, 4))
			v->stride[axis] = 0;
		else
			step *= v->dim[axis] + random_between(r, 0, 1);
		if (v->stride[axis] < 0)
			low += (v->dim[axis] - 1) * v->stride[axis];
		else
			high += (v->dim[axis] - 1) * v->stride[axis];
	}
	v->size = (size_t)(high - low + 1) * item;
	ck_assert_uint_lt(v->size, MAX_BYTES);
	v->first = v->bytes - low * (int64_t)item;
}

/* Copy the elements to @out in C order. */
static void gather(const struct host_view *v, size_t item, unsigned char *out)
{
	for (int64_t i = 0; i < v->count; i++) {
		int64_t rest = i, offset = 0;

		for (int k = v->rank - 1; k >= 0; k--) {
			offset += rest % v->dim[k] * v->stride[k];
			rest /= v->dim[k];
		}
		memcpy(out + (size_t)i * item,
		       v->first + offset * (int64_t)item, item);
	}
}

/* Memory that is a byte too small for the layout @to is refused, and left as it
   was. */
static void check_room(const dpr_array *x, struct host_view *to)
{
	char want[80];
	size_t i;

	memset(to->bytes, 0x5a, to->size);
	CHECK_FAILS(
		DPR_ERROR_INVALID_ARGUMENT,
		dpr_array_to_memory(x, to->first, to->size - 1, to->stride));
	for (i = 0; i < to->size && to->bytes[i] == 0x5a; i++)
		;
	ck_assert_uint_eq(i, to->size);
	snprintf(want, sizeof(want),
		 "has %zu bytes, but the elements with these strides span %zu;",
		 to->size - 1, to->size);
	ck_assert_msg(strstr(dpr_last_error(), want) != NULL, "%s",
		      dpr_last_error());
}

static void round_trip(struct random *r, dpr_dtype dtype, int64_t most)
{
	static struct host_view from, to;
	static unsigned char want[MAX_BYTES], have[MAX_BYTES];
	size_t item = dpr_dtype_size(dtype);
	dpr_array *x;

	from.rank = (int)random_between(r, 0, 4);
	for (int k = 0; k < from.rank; k++)
		from.dim[k] = random_between(r, 1, most);
	memcpy(to.dim, from.dim, sizeof(to.dim));
	to.rank = from.rank;
	any_host_view(r, &from, item, true);
	fill(r, dtype, from.bytes, from.size);
	CHECK_OK(dpr_array_from_memory(from.first,
				       dpr_shape_of(from.rank, from.dim),
				       from.stride, dtype, test_queue, &x));
	gather(&from, item, want);
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, want, (size_t)from.count * item);
	any_host_view(r, &to, item, false);
	check_room(x, &to);
	CHECK_OK(dpr_array_to_memory(x, to.first, to.size, to.stride));
	gather(&to, item, have);
	ck_assert_mem_eq(have, want, (size_t)from.count * item);
	dpr_array_release(x);
}

START_TEST(any_strides_round_trip)
{
	struct random r = { 42 };

	for (int t = DPR_BOOL; t <= DPR_COMPLEX128; t++)
		for (int round = 0; round < 12; round++)
			round_trip(&r, (dpr_dtype)t, 5);
}
END_TEST

/* Strides so wide that the host itself copies the elements where it can. */
START_TEST(any_wide_strides_round_trip)
{
	struct random r = { 43 };

	for (int t = DPR_BOOL; t <= DPR_COMPLEX128; t++)
		for (int round = 0; round < 4; round++)
			round_trip(&r, (dpr_dtype)t, 12);
}
END_TEST

/* A random view of @x. */
static dpr_array *any_device_view(struct random *r, const dpr_array *x)
{
	dpr_index index[6];
	int axes[6], rank = dpr_array_rank(x);
	dpr_array *cut, *view;

	for (int k = 0; k < rank; k++) {
		int j = (int)random_between(r, 0, k);

		axes[k] = axes[j];
		axes[j] = k;
		index[k] = DPR_SLICE(DPR_OPEN, DPR_OPEN,
				     random_between(r, 0, 1) ? -1 : 2);
		if (!random_between(r, 0, 2))
			index[k] = DPR_ALL;
	}
	CHECK_OK(dpr_array_index(x, index, (size_t)rank, &cut));
	CHECK_OK(dpr_permute_dims(cut, axes, &view));
	dpr_array_release(cut);
	return view;
}

static void device_view(struct random *r, dpr_dtype dtype)
{
	static struct host_view whole, to;
	static unsigned char want[MAX_BYTES], have[MAX_BYTES];
	size_t item = dpr_dtype_size(dtype);
	dpr_array *x, *view;

	whole.rank = (int)random_between(r, 1, 4);
	whole.size = item;
	for (int k = 0; k < whole.rank; k++) {
		whole.dim[k] = random_between(r, 1, 6);
		whole.size *= (size_t)whole.dim[k];
	}
	fill(r, dtype, whole.bytes, whole.size);
	CHECK_OK(dpr_array_from_memory(whole.bytes,
				       dpr_shape_of(whole.rank, whole.dim),
				       NULL, dtype, test_queue, &x));
	view = any_device_view(r, x);
	/* Describe the same view of the host's copy. */
	whole.count = dpr_array_size(view);
	memcpy(whole.dim, dpr_array_shape(view),
	       (size_t)whole.rank * sizeof(whole.dim[0]));
	memcpy(whole.stride, dpr_array_strides(view),
	       (size_t)whole.rank * sizeof(whole.dim[0]));
	whole.first = whole.bytes + dpr_array_offset(view) * (int64_t)item;
	gather(&whole, item, want);
	CHECK_OK(dpr_array_to_memory(view, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, want, (size_t)whole.count * item);
	to.rank = whole.rank;
	memcpy(to.dim, whole.dim, sizeof(to.dim));
	any_host_view(r, &to, item, false);
	check_room(view, &to);
	CHECK_OK(dpr_array_to_memory(view, to.first, to.size, to.stride));
	gather(&to, item, have);
	ck_assert_mem_eq(have, want, (size_t)whole.count * item);
	dpr_array_release(view);
	dpr_array_release(x);
}

/* Write a random view of an array from a random layout in host memory.  Compare
   all elements of the array, in the view and beside the view, with a loop. */
static void set_view(struct random *r, dpr_dtype dtype, int64_t most)
{
	static struct host_view whole, from;
	static unsigned char want[MAX_BYTES], have[MAX_BYTES];
	const size_t item = dpr_dtype_size(dtype);
	dpr_array *x, *view;

	whole.rank = (int)random_between(r, 1, 3);
	whole.size = item;
	for (int k = 0; k < whole.rank; k++) {
		whole.dim[k] = random_between(r, 1, most);
		whole.size *= (size_t)whole.dim[k];
	}
	fill(r, dtype, whole.bytes, whole.size);
	CHECK_OK(dpr_array_from_memory(whole.bytes,
				       dpr_shape_of(whole.rank, whole.dim),
				       NULL, dtype, test_queue, &x));
	view = any_device_view(r, x);
	from.rank = whole.rank;
	memcpy(from.dim, dpr_array_shape(view),
	       sizeof(from.dim[0]) * (size_t)from.rank);
	any_host_view(r, &from, item, true);
	fill(r, dtype, from.bytes, from.size);
	gather(&from, item, want);
	CHECK_OK(dpr_array_set_memory(view, from.first, from.stride));
	CHECK_OK(dpr_array_to_memory(view, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, want, (size_t)from.count * item);
	/* Set the same elements of the host's copy. */
	for (int64_t i = 0; i < from.count; i++) {
		int64_t rest = i, offset = dpr_array_offset(view);

		for (int k = whole.rank - 1; k >= 0; k--) {
			offset +=
				rest % from.dim[k] * dpr_array_strides(view)[k];
			rest /= from.dim[k];
		}
		memcpy(whole.bytes + (size_t)offset * item,
		       want + (size_t)i * item, item);
	}
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, whole.bytes, whole.size);
	dpr_array_release(view);
	dpr_array_release(x);
}

START_TEST(any_view_is_written)
{
	struct random r = { 77 };

	for (int i = 0; i < 20; i++) {
		set_view(&r, DPR_INT8, 30);
		set_view(&r, DPR_INT32, 30);
		set_view(&r, DPR_COMPLEX128, 12);
	}
	set_view(&r, DPR_INT64, 50);
}
END_TEST

START_TEST(only_arrays_that_may_be_written_are)
{
	const int32_t values[] = { 1, 2, 3 };
	dpr_array *x, *wide, *empty;

	CHECK_OK(dpr_zeros(DPR_SHAPE(3), DPR_INT32, test_queue, &x));
	CHECK_OK(dpr_broadcast_to(x, DPR_SHAPE(2, 3), &wide));
	CHECK_OK(dpr_array_view(x, &empty, DPR_SLICE(1, 1, 1)));
	CHECK_FAILS(DPR_ERROR_LAYOUT, dpr_array_set_memory(wide, values, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_set_memory(x, NULL, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_set_memory(NULL, values, NULL));
	CHECK_OK(dpr_array_set_memory(empty, NULL, NULL));
	dpr_array_release(empty);
	dpr_array_release(wide);
	dpr_array_release(x);
}
END_TEST

START_TEST(any_view_of_a_device_is_read)
{
	struct random r = { 43 };

	for (int t = DPR_BOOL; t <= DPR_COMPLEX128; t++)
		for (int round = 0; round < 12; round++)
			device_view(&r, (dpr_dtype)t);
}
END_TEST

/* Views spread over far more memory than their elements take are packed before
   they are read.  All bits are kept, even those of a signalling NaN. */
START_TEST(sparse_views_keep_their_bits)
{
	enum { ROWS = 300, COLUMNS = 400 };
	const size_t size = ROWS * COLUMNS * 16;
	unsigned char *data = malloc(size), *have = malloc(size);
	struct random r = { 44 };

	ck_assert(data && have);
	for (int t = DPR_BOOL; t <= DPR_COMPLEX128; t++) {
		size_t item = dpr_dtype_size((dpr_dtype)t);
		dpr_array *x, *view;

		fill(&r, (dpr_dtype)t, data, size);
		CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(ROWS, COLUMNS),
					       NULL, (dpr_dtype)t, test_queue,
					       &x));
		CHECK_OK(dpr_array_view(x, &view,
					DPR_SLICE(DPR_OPEN, DPR_OPEN, -1),
					DPR_SLICE(7, DPR_OPEN, 50)));
		CHECK_OK(dpr_array_to_memory(view, have, dpr_array_nbytes(view),
					     NULL));
		for (size_t i = 0; i < ROWS; i++)
			for (size_t j = 0; j < 8; j++)
				ck_assert_mem_eq(
					have + (i * 8 + j) * item,
					data + ((ROWS - 1 - i) * COLUMNS + 7 +
						50 * j) *
							item,
					item);
		dpr_array_release(view);
		dpr_array_release(x);
	}
	free(have);
	free(data);
}
END_TEST

/* Large enough to be sent in several chunks. */
START_TEST(large_transposed_memory)
{
	enum { N = 1500 };
	const int64_t transposed[] = { 1, N };
	int32_t *data = malloc(N * N * sizeof(*data));
	int32_t *have = malloc(N * N * sizeof(*have));
	dpr_array *x, *t;

	ck_assert(data && have);
	for (int i = 0; i < N * N; i++)
		data[i] = i;
	CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(N, N), transposed,
				       DPR_INT32, test_queue, &x));
	CHECK_OK(dpr_array_to_memory(x, have, dpr_array_nbytes(x), transposed));
	ck_assert_mem_eq(have, data, N * N * sizeof(*data));
	CHECK_OK(dpr_matrix_transpose(x, &t));
	CHECK_OK(dpr_array_to_memory(t, have, dpr_array_nbytes(t), NULL));
	ck_assert_mem_eq(have, data, N * N * sizeof(*data));
	dpr_array_release(t);
	dpr_array_release(x);
	free(have);
	free(data);
}
END_TEST

/* When the host itself copies the elements, it sees the result of all earlier
   work. */
START_TEST(large_strided_memory_comes_after_the_work)
{
	enum { N = 1 << 21 };
	const int64_t gaps[] = { 2 };
	static int32_t values[2 * N];
	dpr_array *x;
	int wrong = 0;

	memset(values, 0, sizeof(values));
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(N), gaps, DPR_INT32,
				       test_queue, &x));
	for (int32_t i = 1; i <= 20; i++)
		CHECK_OK(dpr_usm_fill(test_queue, dpr_array_usm(x), 0, &i,
				      sizeof(i), sizeof(values) / 2, NULL,
				      NULL));
	CHECK_OK(dpr_array_to_memory(x, values, sizeof(values), gaps));
	for (int i = 0; i < N; i++)
		wrong += values[2 * i] != 20 || values[2 * i + 1] != 0;
	ck_assert_int_eq(wrong, 0);
	dpr_array_release(x);
}
END_TEST

/* Memory that is lent twice is still one memory. */
START_TEST(lent_twice)
{
	enum { N = 1000 };
	static float memory[N + 1];
	dpr_usm *lent[2];
	dpr_array *a, *b;
	dpr_queue *queue;
	int wrong = 0;

	if (dpr_canonical_queue("host", &queue))
		return;
	for (int i = 0; i < 2; i++) {
		CHECK_OK(dpr_usm_borrow(queue, (uintptr_t)(memory + i),
					N * sizeof(float), 0, NULL, NULL,
					&lent[i]));
	}
	CHECK_OK(dpr_array_over(lent[0], 0, DPR_SHAPE(N), NULL, DPR_FLOAT32,
				&a));
	CHECK_OK(dpr_array_over(lent[1], 0, DPR_SHAPE(N), NULL, DPR_FLOAT32,
				&b));
	for (int way = 0; way < 4; way++) {
		CHECK_OK(dpr_queue_wait(queue));
		for (int i = 0; i <= N; i++)
			memory[i] = (float)i;
		switch (way) {
		case 0: CHECK_OK(dpr_multiply_into(a, 2, b)); break;
		case 1: CHECK_OK(dpr_copy_into(b, a)); break;
		case 2:
			CHECK_OK(dpr_evaluate_into("x*2 + 1", b, "x", a));
			break;
		default: CHECK_OK(dpr_evaluate_into("x + sum(x)", b, "x", a));
		}
		CHECK_OK(dpr_queue_wait(queue));
		for (int i = 0; i < N; i++) {
			const int want[] = { 2 * i, i, 2 * i + 1,
					     i + N * (N - 1) / 2 };

			wrong += memory[i + 1] != (float)want[way];
		}
	}
	ck_assert_int_eq(wrong, 0);
	dpr_array_release(a);
	dpr_array_release(b);
	for (int i = 0; i < 2; i++)
		dpr_usm_release(lent[i]);
}
END_TEST

START_TEST(host_memory_is_required)
{
	const int64_t most = INT64_MAX;
	signed char have[2];
	dpr_array *x, *wide;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_from_memory(NULL, DPR_SHAPE(2), NULL, DPR_INT8,
					  test_queue, &x));
	ck_assert_ptr_null(x);
	CHECK_OK(dpr_empty(DPR_SHAPE(2), DPR_INT8, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_to_memory(x, NULL, 0, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_to_memory(NULL, &x, sizeof(x), NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_to_memory(x, have, 1, NULL));
	ck_assert_msg(strstr(dpr_last_error(),
			     "has 1 bytes, but the elements need 2;") != NULL,
		      "%s", dpr_last_error());
	CHECK_OK(dpr_array_to_memory(x, have, 2, NULL));
	/* Strides that no memory spans, and an array that none holds. */
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_to_memory(x, have, 2, &most));
	CHECK_OK(dpr_broadcast_to(x, DPR_SHAPE(INT64_MAX / 2, 2), &wide));
	ck_assert_uint_eq(dpr_array_nbytes(wide), INT64_MAX - 1);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_to_memory(wide, have, 2, NULL));
	dpr_array_release(wide);
	dpr_array_release(x);
}
END_TEST

/* Make an array with one element, which is at @data. */
static dpr_array *one_of(const void *data, dpr_dtype dtype)
{
	dpr_array *x;

	CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(1, 1), NULL, dtype,
				       test_queue, &x));
	return x;
}

/* Check what the element at @data is as a double, and as an int64_t unless that
   fails with @refused. */
static void check_real(const void *data, dpr_dtype dtype, double real,
		       int64_t integer, dpr_status refused)
{
	dpr_array *x = one_of(data, dtype);
	double have = -1, parts[2] = { -1, -1 };
	int64_t whole = -1;

	CHECK_OK(dpr_array_item_double(x, &have));
	ck_assert(have == real || (isnan(have) && isnan(real)));
	CHECK_OK(dpr_array_item_complex(x, parts));
	ck_assert(parts[0] == real || (isnan(parts[0]) && isnan(real)));
	ck_assert(parts[1] == 0);
	CHECK_FAILS(refused, dpr_array_item_int64(x, &whole));
	ck_assert_int_eq(whole, refused ? 0 : integer);
	dpr_array_release(x);
}

START_TEST(real_items)
{
	const uint8_t yes = 1;
	const int64_t odd = (1LL << 53) + 3, least = INT64_MIN;
	const uint64_t most = UINT64_MAX;
	const uint16_t half = 0xc100; /* -2.5 */
	const float below = 0x1.fffffep62f, at = 0x1p63f, nan = NAN,
		    infinite = -INFINITY;

	check_real(&yes, DPR_BOOL, 1, 1, DPR_OK);
	check_real(&odd, DPR_INT64, 0x1p53 + 4, odd, DPR_OK);
	check_real(&least, DPR_INT64, -0x1p63, least, DPR_OK);
	check_real(&most, DPR_UINT64, 0x1p64, 0, DPR_ERROR_OVERFLOW);
	check_real(&half, DPR_FLOAT16, -2.5, -2, DPR_OK);
	check_real(&below, DPR_FLOAT32, 0x1.fffffep62, 0x7fffff8000000000,
		   DPR_OK);
	check_real(&at, DPR_FLOAT32, 0x1p63, 0, DPR_ERROR_OVERFLOW);
	check_real(&nan, DPR_FLOAT32, NAN, 0, DPR_ERROR_OVERFLOW);
	check_real(&infinite, DPR_FLOAT32, -INFINITY, 0, DPR_ERROR_OVERFLOW);
}
END_TEST

START_TEST(complex_items)
{
	const float parts[] = { 1.5f, -2 };
	double have[2], real = 1;
	int64_t whole = 1;
	dpr_array *x = one_of(parts, DPR_COMPLEX64), *wide;

	CHECK_OK(dpr_array_item_complex(x, have));
	ck_assert(have[0] == 1.5 && have[1] == -2);
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_array_item_double(x, &real));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_array_item_int64(x, &whole));
	ck_assert(real == 0 && whole == 0);
	CHECK_OK(dpr_broadcast_to(x, DPR_SHAPE(2, 1), &wide));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_array_item_complex(wide, have));
	ck_assert(have[0] == 0 && have[1] == 0);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_item_complex(x, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_array_item_double(x, NULL));
	dpr_array_release(wide);
	dpr_array_release(x);
}
END_TEST

/* Check the address of @view, a view of @x from element @first on, and that the
   value @want is there. */
static void check_address(const dpr_array *x, const dpr_array *view,
			  int64_t first, int32_t want)
{
	char *all = dpr_array_data(x);
	int32_t have;

	ck_assert_ptr_nonnull(all);
	ck_assert_ptr_eq(all, dpr_usm_address(dpr_array_usm(x)));
	ck_assert_ptr_eq(dpr_array_data(view), all + first * 4);
	CHECK_OK(dpr_array_wait(view));
	memcpy(&have, dpr_array_data(view), sizeof(have));
	ck_assert_int_eq(have, want);
}

START_TEST(the_address_is_what_the_host_may_use)
{
	const dpr_usm_kind kinds[] = { DPR_USM_DEVICE, DPR_USM_SHARED,
				       DPR_USM_HOST };
	uint64_t is_host = 0;
	dpr_array *x, *view, *empty;

	CHECK_OK(dpr_device_info_u64(test_device, DPR_INFO_ASPECT_HOST_MEMORY,
				     &is_host));
	for (int k = 0; k < 3; k++) {
		const dpr_status status = dpr_arange_on(
			0, 60, 1, DPR_INT32, test_queue, kinds[k], &x);

		if (status == DPR_ERROR_UNSUPPORTED)
			continue;
		CHECK_OK(status);
		CHECK_OK(dpr_array_view(x, &view, DPR_SLICE(57, 30, -3)));
		if ((kinds[k] == DPR_USM_DEVICE && !is_host) ||
		    !dpr_usm_address(dpr_array_usm(x)))
			ck_assert_ptr_null(dpr_array_data(view));
		else
			check_address(x, view, 57, 57);
		ck_assert_uint_eq(dpr_array_nbytes(x), 240);
		ck_assert_uint_eq(dpr_array_nbytes(view), 36);
		CHECK_OK(dpr_array_view(x, &empty, DPR_SLICE(3, 3, 1)));
		ck_assert_ptr_null(dpr_array_data(empty));
		ck_assert_uint_eq(dpr_array_nbytes(empty), 0);
		dpr_array_release(empty);
		dpr_array_release(view);
		dpr_array_release(x);
	}
	ck_assert_ptr_null(dpr_array_data(NULL));
	ck_assert_uint_eq(dpr_array_nbytes(NULL), 0);
}
END_TEST

static Suite *memory_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("memory");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, any_strides_round_trip);
	tcase_add_test(tcase, any_wide_strides_round_trip);
	tcase_add_test(tcase, any_view_is_written);
	tcase_add_test(tcase, only_arrays_that_may_be_written_are);
	tcase_add_test(tcase, any_view_of_a_device_is_read);
	tcase_add_test(tcase, sparse_views_keep_their_bits);
	tcase_add_test(tcase, large_transposed_memory);
	tcase_add_test(tcase, large_strided_memory_comes_after_the_work);
	tcase_add_test(tcase, lent_twice);
	tcase_add_test(tcase, host_memory_is_required);
	tcase_add_test(tcase, real_items);
	tcase_add_test(tcase, complex_items);
	tcase_add_test(tcase, the_address_is_what_the_host_may_use);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	use_mock_devices();
	return run_on_selected(memory_suite, NULL);
}
