/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_cast_copy_fill.c - casts, copies, fills and choices as the engine
 * computes them, compared with loops in C.  All bits must be equal, and the
 * memory between the elements of the result must stay unchanged.
 *
 * DPR_TEST_DEVICES is a selector (default: host,opencl, and OpenCL's CPUs with
 * the kernels of GPUs).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "core/array/element/scalar.h"
#include "core/array/engine/target.h"
#include "core/array/launch/cast_copy_fill.h"
#include "core/array/layout/layout.h"
#include "tests/engine/sweep.h"

#define ROWS 87
#define COLUMNS 92
#define ELEMENTS (ROWS * COLUMNS)

/* An array over a whole allocation, and its bytes. */
struct memory {
	dpr_array *whole;
	unsigned char bytes[ELEMENTS * 16];
};

static void make_memory(struct memory *m, dpr_dtype dtype)
{
	const int64_t n = ELEMENTS;

	for (size_t i = 0; i < sizeof(m->bytes); i++)
		m->bytes[i] = (unsigned char)random_next(&rng);
	if (dtype == DPR_BOOL)
		for (size_t i = 0; i < ELEMENTS; i++)
			m->bytes[i] &= 1;
	MUST(dpr_array_from_memory(m->bytes, DPR_SHAPE(n), NULL, dtype, queue,
				   &m->whole));
}

/* AHEAD begins a few packs of elements after the allocation.  LYING has the
   shape of TRANSPOSED, whose elements lie side by side along axis 0. */
enum {
	FLAT,
	SHIFTED,
	AHEAD,
	STEPS,
	BACKWARDS,
	SECONDS,
	REVERSED,
	MATRIX,
	TRANSPOSED,
	LYING,
	DEEP,
	LAYOUTS
};

static dpr_array *new_view(const struct memory *m, int layout)
{
	static const int transposed[] = { 1, 0 };
	static const int deep[] = { 9, 0, 8, 1, 7, 2, 6, 3, 5, 4 };
	dpr_array *a, *b, *out;

	switch (layout) {
	case FLAT: return dpr_array_retain(m->whole);
	case SHIFTED:
		MUST(dpr_array_view(m->whole, &out, DPR_SLICE(1, 1301, 1)));
		return out;
	case AHEAD:
		MUST(dpr_array_view(m->whole, &out, DPR_SLICE(4, 1304, 1)));
		return out;
	case STEPS:
		MUST(dpr_array_view(m->whole, &out, DPR_SLICE(2, 1900, 3)));
		return out;
	case BACKWARDS:
		MUST(dpr_array_view(m->whole, &out, DPR_SLICE(1000, 3, -2)));
		return out;
	case SECONDS:
		MUST(dpr_array_view(m->whole, &out, DPR_SLICE(1, 1901, 2)));
		return out;
	case REVERSED:
		MUST(dpr_array_view(m->whole, &out, DPR_SLICE(1200, 3, -1)));
		return out;
	case LYING:
		MUST(dpr_array_view(m->whole, &a, DPR_SLICE(0, 80 * ROWS, 1)));
		MUST(dpr_reshape(a, DPR_SHAPE(80, ROWS), &out));
		dpr_array_release(a);
		return out;
	case DEEP:
		MUST(dpr_array_view(m->whole, &a, DPR_SLICE(3, 1027, 1)));
		MUST(dpr_reshape(a, DPR_SHAPE(2, 2, 2, 2, 2, 2, 2, 2, 2, 2),
				 &b));
		MUST(dpr_permute_dims(b, deep, &out));
		break;
	default:
		MUST(dpr_reshape(m->whole, DPR_SHAPE(ROWS, COLUMNS), &a));
		MUST(dpr_array_view(a, &b, DPR_ALL, DPR_SLICE(4, 84, 1)));
		if (layout == MATRIX) {
			dpr_array_release(a);
			return b;
		}
		MUST(dpr_permute_dims(b, transposed, &out));
		break;
	}
	dpr_array_release(a);
	dpr_array_release(b);
	return out;
}

/* The element of @x at place @at in C order. */
static size_t place_of(const dpr_array *x, int64_t at)
{
	int64_t place = x->offset;

	for (int d = x->rank - 1; d >= 0; d--) {
		place += at % array_shape(x)[d] * array_strides(x)[d];
		at /= array_shape(x)[d];
	}
	return (size_t)place;
}

/* The bytes of this element in @m, of which @x is a view. */
static unsigned char *element(struct memory *m, const dpr_array *x, int64_t at)
{
	return m->bytes + place_of(x, at) * dpr_dtype_size(x->dtype);
}

/* Check that the device has the bytes of @m. */
static void compare(const struct memory *m, const char *what, dpr_dtype dtype,
		    int layout)
{
	static unsigned char have[sizeof(m->bytes)];

	MUST(dpr_array_to_memory(m->whole, have, sizeof(have), NULL));
	checks++;
	if (!memcmp(have, m->bytes, ELEMENTS * dpr_dtype_size(m->whole->dtype)))
		return;
	if (wrong++ < 20)
		printf("%s: %s of %s, layout %d: other bytes\n",
		       dpr_queue_name(queue), what, dpr_dtype_name(dtype),
		       layout);
}

/* --- Bits --------------------------------------------------------------- */

/* Copy each layout into each of its shape. */
static void check_copies(dpr_dtype dtype)
{
	static struct memory from, to;

	for (int layout = 0; layout < LAYOUTS; layout++)
		for (int other = 0; other < LAYOUTS; other++) {
			dpr_array *x, *out;

			make_memory(&from, dtype);
			make_memory(&to, dtype);
			x = new_view(&from, layout);
			out = new_view(&to, other);
			if (array_same_shape(x, out) && !sweep_leaves_out()) {
				MUST(cast_copy_fill_copy(x, out));
				for (int64_t i = 0; i < out->size; i++)
					memcpy(element(&to, out, i),
					       element(&from, x, i),
					       dpr_dtype_size(dtype));
				compare(&to, "copy", dtype, other);
			}
			dpr_array_release(x);
			dpr_array_release(out);
			dpr_array_release(from.whole);
			dpr_array_release(to.whole);
		}
}

static void check_fills(dpr_dtype dtype)
{
	static struct memory to;
	struct engine_scalar bits;

	for (int layout = 0; layout < LAYOUTS; layout++) {
		dpr_array *out;

		if (sweep_leaves_out())
			continue;
		make_memory(&to, dtype);
		for (size_t i = 0; i < sizeof(bits.bytes); i++)
			bits.bytes[i] = (unsigned char)random_next(&rng);
		out = new_view(&to, layout);
		MUST(cast_copy_fill_fill(out, &bits));
		for (int64_t i = 0; i < out->size; i++)
			memcpy(element(&to, out, i), bits.bytes,
			       dpr_dtype_size(dtype));
		compare(&to, "fill", dtype, layout);
		dpr_array_release(out);
		dpr_array_release(to.whole);
	}
}

/* Choose between two arrays, or an array and the bits of a number. */
static void check_choices(dpr_dtype dtype)
{
	static struct memory truth, from[2], to;

	for (int layout = 0; layout < LAYOUTS; layout++) {
		struct apply_call call = { .what = "where", .n = 3 };
		dpr_array *condition, *x[2];
		const int number = layout % 3;

		if (sweep_leaves_out())
			continue;
		make_memory(&truth, DPR_BOOL);
		condition = new_view(&truth, layout);
		call.x[0] = condition;
		for (int k = 0; k < 2; k++) {
			make_memory(&from[k], dtype);
			x[k] = new_view(&from[k], layout);
			memcpy(call.value[k + 1].bytes, from[k].bytes, 16);
			call.x[k + 1] = k == number ? NULL : x[k];
		}
		make_memory(&to, dtype);
		call.out = new_view(&to, layout == TRANSPOSED ? LYING : layout);
		MUST(cast_copy_fill_where(&call, dtype));
		for (int64_t i = 0; i < call.out->size; i++) {
			const int k = !*element(&truth, condition, i);

			memcpy(element(&to, call.out, i),
			       call.x[k + 1] ? element(&from[k], x[k], i)
					     : from[k].bytes,
			       dpr_dtype_size(dtype));
		}
		compare(&to, "where", dtype, layout);
		dpr_array_release(condition);
		dpr_array_release(call.out);
		dpr_array_release(truth.whole);
		dpr_array_release(to.whole);
		for (int k = 0; k < 2; k++) {
			dpr_array_release(x[k]);
			dpr_array_release(from[k].whole);
		}
	}
}

/* --- Large copies ------------------------------------------------------- */

/* Rows are whole cache lines, and more than one tile. */
#define WIDE 576
#define HIGH 133
enum { BY_COLUMNS, PADDED, EVERY_SECOND, LARGE_LAYOUTS };

/* A view of HIGH rows of WIDE elements, @step apart, over the @bytes of a
   larger array. */
static dpr_array *new_large(const unsigned char *bytes, dpr_dtype dtype,
			    int layout)
{
	const int64_t step[] = { layout == BY_COLUMNS ? 1 : 2 * WIDE + 3,
				 layout == BY_COLUMNS ? HIGH
				 : layout == PADDED   ? 1
						      : 2 };
	const int64_t n = HIGH * (2 * WIDE + 3);
	struct layout to = { .rank = 2,
			     .offset = 3,
			     .dim = { HIGH, WIDE },
			     .stride = { step[0], step[1] } };
	dpr_array *whole, *out;

	MUST(dpr_array_from_memory(bytes, DPR_SHAPE(n), NULL, dtype, queue,
				   &whole));
	MUST(array_view(whole, &to, &out));
	dpr_array_release(whole);
	return out;
}

/* Copy it into rows that may be stored past the caches. */
static void check_large(dpr_dtype dtype, int layout)
{
	static unsigned char bytes[16 * HIGH * (2 * WIDE + 3)];
	static unsigned char have[16 * HIGH * WIDE];
	const size_t size = dpr_dtype_size(dtype);
	dpr_array *x, *out;
	bool same = true;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)random_next(&rng);
	x = new_large(bytes, dtype, layout);
	MUST(dpr_copy(x, &out));
	MUST(dpr_array_to_memory(out, have, sizeof(have), NULL));
	for (int64_t i = 0; i < out->size; i++)
		same &= !memcmp(have + (size_t)i * size,
				bytes + place_of(x, i) * size, size);
	checks++;
	if (!same && wrong++ < 20)
		printf("%s: large copy of %s, layout %d: other bytes\n",
		       dpr_queue_name(queue), dpr_dtype_name(dtype), layout);
	dpr_array_release(x);
	dpr_array_release(out);
}

/* --- Casts -------------------------------------------------------------- */

static double whole_in(double v, double low, double high)
{
	return isnan(v) ? 0 : v < low ? low : v > high ? high : trunc(v);
}

/* Cast one element as dpr_astype() does. */
static void cast_one(const unsigned char *from, dpr_dtype from_dtype,
		     unsigned char *to, dpr_dtype dtype)
{
	const dpr_operand x = scalar_load(from, from_dtype);
	const double v = x.kind == DPR_OPERAND_FLOAT  ? x.as.f
			 : x.kind == DPR_OPERAND_UINT ? (double)x.as.u
						      : (double)x.as.i;
	const float f = (float)v;
	const uint16_t half = scalar_to_half(v);
	const int8_t small = (int8_t)whole_in(v, -128, 127);

	switch (dtype) {
	case DPR_BOOL: *to = v != 0; return;
	case DPR_INT8: memcpy(to, &small, 1); return;
	case DPR_FLOAT16: memcpy(to, &half, 2); return;
	case DPR_FLOAT32: memcpy(to, &f, 4); return;
	default: memcpy(to, &v, 8); return;
	}
}

static const dpr_dtype casts[][2] = {
	{ DPR_INT8, DPR_FLOAT32 },    { DPR_FLOAT32, DPR_INT8 },
	{ DPR_UINT8, DPR_FLOAT16 },   { DPR_INT32, DPR_FLOAT32 },
	{ DPR_INT16, DPR_FLOAT64 },   { DPR_FLOAT32, DPR_FLOAT64 },
	{ DPR_FLOAT64, DPR_FLOAT32 }, { DPR_FLOAT64, DPR_INT8 },
	{ DPR_INT32, DPR_BOOL },      { DPR_UINT16, DPR_FLOAT16 },
};

/* NaNs that are made have no sign and payload that counts. */
static void drop_nans(struct memory *m, dpr_dtype dtype)
{
	const size_t size = dpr_dtype_size(dtype);
	const float zero[2] = { 0 };

	for (size_t i = 0; i < ELEMENTS; i++)
		if (isnan(scalar_load(m->bytes + i * size, dtype).as.f))
			memcpy(m->bytes + i * size, zero, size);
	dpr_array_release(m->whole);
	MUST(dpr_array_from_memory(m->bytes, DPR_SHAPE(ELEMENTS), NULL, dtype,
				   queue, &m->whole));
}

static void check_cast(dpr_dtype from_dtype, dpr_dtype dtype, int layout)
{
	static struct memory from, to;
	dpr_array *x, *out;

	make_memory(&from, from_dtype);
	if (dpr_dtype_kind(from_dtype) == 'f' && dpr_dtype_kind(dtype) == 'f')
		drop_nans(&from, from_dtype);
	make_memory(&to, dtype);
	x = new_view(&from, layout);
	out = new_view(&to, layout == TRANSPOSED ? LYING : layout);
	MUST(cast_copy_fill_cast(x, out));
	for (int64_t i = 0; i < out->size; i++)
		cast_one(element(&from, x, i), from_dtype, element(&to, out, i),
			 dtype);
	compare(&to, "cast", from_dtype, layout);
	dpr_array_release(x);
	dpr_array_release(out);
	dpr_array_release(from.whole);
	dpr_array_release(to.whole);
}

/* A choice of float16 between int8 and a number, as float32. */
static void check_cast_choice(int layout)
{
	static struct memory truth, from, to;
	struct apply_call call = { .what = "where", .n = 3 };
	const uint16_t half = scalar_to_half(-2.75);
	const float number = -2.75f;
	dpr_array *condition, *x;

	make_memory(&truth, DPR_BOOL);
	make_memory(&from, DPR_INT8);
	make_memory(&to, DPR_FLOAT32);
	call.x[0] = condition = new_view(&truth, layout);
	call.x[1] = x = new_view(&from, layout);
	memcpy(call.value[2].bytes, &half, sizeof(half));
	call.out = new_view(&to, layout);
	MUST(cast_copy_fill_where(&call, DPR_FLOAT16));
	for (int64_t i = 0; i < call.out->size; i++)
		if (*element(&truth, condition, i))
			cast_one(element(&from, x, i), DPR_INT8,
				 element(&to, call.out, i), DPR_FLOAT32);
		else
			memcpy(element(&to, call.out, i), &number, 4);
	compare(&to, "where", DPR_FLOAT16, layout);
	dpr_array_release(condition);
	dpr_array_release(x);
	dpr_array_release(call.out);
	dpr_array_release(truth.whole);
	dpr_array_release(from.whole);
	dpr_array_release(to.whole);
}

static void run_device(dpr_device *device)
{
	static const dpr_dtype sizes[] = { DPR_INT8, DPR_BFLOAT16, DPR_FLOAT32,
					   DPR_FLOAT64, DPR_COMPLEX128 };

	MUST(dpr_device_queue(device, &queue));
	sweep_thin(device, 49);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		check_copies(sizes[i]);
		check_fills(sizes[i]);
		check_choices(sizes[i]);
		for (int k = 0; k < 2 * LARGE_LAYOUTS; k++) {
			if (sweep_leaves_out())
				continue;
			target_stream_from(k % 2);
			check_large(sizes[i], k / 2);
		}
		target_stream_from(0);
	}
	for (size_t i = 0; i < sizeof(casts) / sizeof(casts[0]); i++)
		for (int layout = 0; layout < LAYOUTS; layout++)
			if (dpr_dtype_computes(device, casts[i][0]) &&
			    dpr_dtype_computes(device, casts[i][1]) &&
			    (layout == AHEAD || (layout + (int)i) % 3 == 0) &&
			    !sweep_leaves_out())
				check_cast(casts[i][0], casts[i][1], layout);
	for (int layout = 0; layout < LAYOUTS; layout++)
		if (!sweep_leaves_out())
			check_cast_choice(layout);
	printf("%s, %s: %ld comparisons so far, %ld wrong\n",
	       dpr_device_selector(device), engine_format(device), checks,
	       wrong);
}

static bool is_for(dpr_device *device)
{
	return engine_format(device) != NULL;
}

int main(void)
{
	return sweep_with_text("host,opencl", is_for, run_device,
			       "no device takes kernels of the engine");
}
