/* SPDX-License-Identifier: Apache-2.0 */
/* creation.c - new arrays: empty, filled with a value, evenly spaced, or with a
   diagonal of ones. */
#include <dpr/creation.h>

#include <math.h>
#include <string.h>

#include <dpr/device.h>
#include <dpr/queue.h>

#include "core/array/element/dtype.h"
#include "core/array/element/scalar.h"
#include "core/array/launch/cast.h"
#include "core/array/launch/iota.h"
#include "core/array/layout/layout.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* linspace multiplies the number of an element with a number less than the
   number of steps.  Up to this many steps, the product fits into int64. */
#define WHOLE_PARTS 3037000499

static dpr_status find_queue(const char *what, dpr_queue **queue,
			     dpr_array **out)
{
	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: out is NULL",
			    what);
	*out = NULL;
	return *queue ? DPR_OK : dpr_canonical_queue(NULL, queue);
}

dpr_status dpr_empty_on(dpr_shape shape, dpr_dtype dtype, dpr_queue *queue,
			dpr_usm_kind kind, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(queue, out);
	dpr_status status = find_queue("empty", &queue, out);

	if (status)
		return status;
	if (dtype == DPR_DTYPE_DEFAULT)
		dtype = dpr_dtype_default(dpr_queue_device(queue), 'f');
	return array_new("empty", dtype, shape.rank, shape.dim, queue, kind,
			 out);
}

dpr_status dpr_empty(dpr_shape shape, dpr_dtype dtype, dpr_queue *queue,
		     dpr_array **out)
{
	TRACE_CALL;
	HANDLES(queue, out);

	return dpr_empty_on(shape, dtype, queue, DPR_USM_DEVICE, out);
}

dpr_status dpr_empty_like(const dpr_array *x, dpr_dtype dtype, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	dpr_status status = array_check_call("empty like", x, out);

	if (status)
		return status;
	if (dtype == DPR_DTYPE_DEFAULT)
		dtype = x->dtype;
	return array_new("empty like", dtype, x->rank, array_shape(x), x->queue,
			 x->kind, out);
}

/* The dtype of an array made from @value on the device of @queue. */
static dpr_dtype dtype_of(dpr_operand value, const dpr_queue *queue)
{
	const dpr_device *device = dpr_queue_device(queue);

	switch (value.kind) {
	case DPR_OPERAND_BOOL: return DPR_BOOL;
	case DPR_OPERAND_INT: return DPR_INT64;
	case DPR_OPERAND_UINT:
		return value.as.u > INT64_MAX ? DPR_UINT64 : DPR_INT64;
	case DPR_OPERAND_COMPLEX: return dpr_dtype_default(device, 'c');
	}
	return dpr_dtype_default(device, 'f');
}

static dpr_status make_filled(const char *what, dpr_shape shape,
			      dpr_operand value, dpr_dtype dtype,
			      dpr_queue *queue, dpr_usm_kind kind,
			      dpr_array **out)
{
	dpr_array *made;
	dpr_status status;

	status = find_queue(what, &queue, out);
	if (status)
		return status;
	if (value.kind == DPR_OPERAND_ARRAY)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: the value is an array; make an empty array "
			    "and assign to it with dpr_copy_into()",
			    what);
	if (dtype == DPR_DTYPE_DEFAULT)
		dtype = dtype_of(value, queue);
	status = array_new(what, dtype, shape.rank, shape.dim, queue, kind,
			   &made);
	if (status)
		return status;
	status = cast_fill(made, value);
	if (status)
		status_prefix("%s", what);
	return array_finish(status, made, out);
}

dpr_status(dpr_full)(dpr_shape shape, dpr_operand fill_value, dpr_dtype dtype,
		     dpr_queue *queue, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(fill_value, queue, out);

	return make_filled("full", shape, fill_value, dtype, queue,
			   DPR_USM_DEVICE, out);
}

dpr_status(dpr_full_on)(dpr_shape shape, dpr_operand fill_value,
			dpr_dtype dtype, dpr_queue *queue, dpr_usm_kind kind,
			dpr_array **out)
{
	TRACE_CALL;
	HANDLES(fill_value, queue, out);

	return make_filled("full", shape, fill_value, dtype, queue, kind, out);
}

static dpr_status make_filled_like(const char *what, const dpr_array *x,
				   dpr_operand value, dpr_dtype dtype,
				   dpr_array **out)
{
	if (out)
		*out = NULL;
	if (!x)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: the array is NULL",
			    what);
	return make_filled(what, dpr_shape_of(x->rank, array_shape(x)), value,
			   dtype == DPR_DTYPE_DEFAULT ? x->dtype : dtype,
			   x->queue, x->kind, out);
}

#define CONSTANT(name, value)                                                  \
	dpr_status dpr_##name##_on(dpr_shape shape, dpr_dtype dtype,           \
				   dpr_queue *queue, dpr_usm_kind kind,        \
				   dpr_array **out)                            \
	{                                                                      \
		TRACE_CALL;                                                    \
		HANDLES(queue, out);                                           \
		return make_filled(#name, shape, dpr_operand_float(value),     \
				   dtype, queue, kind, out);                   \
	}                                                                      \
	dpr_status dpr_##name(dpr_shape shape, dpr_dtype dtype,                \
			      dpr_queue *queue, dpr_array **out)               \
	{                                                                      \
		TRACE_CALL;                                                    \
		HANDLES(queue, out);                                           \
		return make_filled(#name, shape, dpr_operand_float(value),     \
				   dtype, queue, DPR_USM_DEVICE, out);         \
	}                                                                      \
	dpr_status dpr_##name##_like(const dpr_array *x, dpr_dtype dtype,      \
				     dpr_array **out)                          \
	{                                                                      \
		TRACE_CALL;                                                    \
		HANDLES(x, out);                                               \
		return make_filled_like(#name " like", x,                      \
					dpr_operand_float(value), dtype, out); \
	}
CONSTANT(zeros, 0)
CONSTANT(ones, 1)

dpr_status(dpr_full_like)(const dpr_array *x, dpr_operand fill_value,
			  dpr_dtype dtype, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, fill_value, out);

	return make_filled_like("full like", x, fill_value, dtype, out);
}

static bool is_integer(dpr_dtype dtype)
{
	return dpr_dtype_kind(dtype) == 'i' || dpr_dtype_kind(dtype) == 'u';
}

/* Write @steps to the real or imaginary parts of @x, a complex array without
   an offset. */
static dpr_status put_part(const char *what, const dpr_array *x, int part,
			   const struct iota *steps)
{
	const int64_t stride = 2;
	dpr_array *view;
	dpr_status status;

	status = array_make(dtype_part(x->dtype), 1, array_shape(x), &stride,
			    part, x->usm, x->queue, x->kind, &view);
	if (status)
		return status;
	status = iota_launch(what, steps, view);
	dpr_array_release(view);
	return status;
}

/* Write @steps to @x.  If @imaginary is not NULL, these are the imaginary
   parts. */
static dpr_status put_steps(const char *what, dpr_array *x,
			    const struct iota *steps,
			    const struct iota *imaginary)
{
	dpr_status status = cast_check_computes(what, x, x->dtype);

	if (status || !imaginary)
		return status ? status : iota_launch(what, steps, x);
	status = put_part(what, x, 0, steps);
	return status ? status : put_part(what, x, 1, imaginary);
}

static dpr_status make_steps(const char *what, int64_t count, dpr_dtype dtype,
			     dpr_queue *queue, dpr_usm_kind kind,
			     const struct iota *steps,
			     const struct iota *imaginary, dpr_array **out)
{
	dpr_array *made;
	dpr_status status;

	if (dtype == DPR_BOOL)
		return fail(DPR_ERROR_DTYPE, "%s: bool is not supported", what);
	status = array_new(what, dtype, 1, &count, queue, kind, &made);
	if (!status)
		status = put_steps(what, made, steps, imaginary);
	return array_finish(status, made, out);
}

static bool is_whole(dpr_operand x)
{
	return x.kind == DPR_OPERAND_BOOL || x.kind == DPR_OPERAND_INT ||
	       x.kind == DPR_OPERAND_UINT;
}

static bool is_real(dpr_operand x)
{
	return is_whole(x) || x.kind == DPR_OPERAND_FLOAT;
}

static double as_double(dpr_operand x)
{
	return x.kind == DPR_OPERAND_FLOAT ? x.as.f
	       : x.kind == DPR_OPERAND_INT ? (double)x.as.i
					   : (double)x.as.u;
}

static __int128 as_whole(dpr_operand x)
{
	return x.kind == DPR_OPERAND_INT ? (__int128)x.as.i : x.as.u;
}

/* A real number as the sum of two doubles: an integer may need more than 53
   bits. */
struct creation_sum {
	double high, low;
};

static struct creation_sum as_sum(dpr_operand x)
{
	const double high = as_double(x);

	return (struct creation_sum){
		high,
		is_whole(x) ? (double)(as_whole(x) - (__int128)high) : 0,
	};
}

/* (@stop - @start) / @by.  The difference may exceed the largest double; half
   of it cannot. */
static double divide_way(double start, double stop, double by)
{
	const double way = stop - start;

	return isinf(way) ? (stop / 2 - start / 2) / by * 2 : way / by;
}

/* The step that leads from @start to @stop in @n steps.  With an infinite
   start, every value before the stop is infinite. */
static struct creation_sum choose_step(struct creation_sum start,
				       struct creation_sum stop, double n)
{
	const double a = stop.high, b = -start.high, way = a + b;
	struct creation_sum step = { 0, 0 };
	double rest;

	if (start.high == stop.high && start.low == stop.low)
		return step;
	if (isinf(start.high) && isfinite(stop.high))
		return step;
	step.high = divide_way(start.high, stop.high, n);
	if ((start.low == 0 && stop.low == 0) || !isfinite(way))
		return step;
	/* what the rounding of the difference has lost */
	rest = (a - (way - (way - a))) + (b - (way - a)) + stop.low - start.low;
	step.low = (fma(-step.high, n, way) + rest) / n;
	return step;
}

/* Count the steps from start up to, but not including, stop. */
static dpr_status count_steps(const dpr_operand x[3], bool whole,
			      int64_t *count)
{
	if (whole) {
		const __int128 step = as_whole(x[2]);
		const __int128 way = as_whole(x[1]) - as_whole(x[0]);
		const __int128 n = step > 0 ? (way + step - 1) / step
					    : (-way - step - 1) / -step;

		if (n > INT64_MAX)
			return fail(DPR_ERROR_OVERFLOW,
				    "arange: too many elements");
		*count = (way > 0) == (step > 0) && way != 0 ? (int64_t)n : 0;
	} else {
		const double start = as_double(x[0]), stop = as_double(x[1]);
		const double way = divide_way(start, stop, as_double(x[2]));
		/* A quotient that is too small for a double counts, too. */
		const double n = way == 0 && !signbit(way) && start != stop
					 ? 1
					 : ceil(way);

		if (isnan(n))
			return fail(
				DPR_ERROR_INVALID_ARGUMENT,
				"arange: start, stop or step is NaN, or all "
				"are infinite");
		if (n >= 0x1p62)
			return fail(DPR_ERROR_OVERFLOW,
				    "arange: the array would have 2^62 "
				    "elements or more; pass a larger step");
		*count = n > 0 ? (int64_t)n : 0;
	}
	return DPR_OK;
}

/* The dtype that has @count integers: int64, or uint64 for larger ones. DEFAULT
   if neither has all of them. */
static dpr_dtype whole_dtype(const dpr_operand x[3], int64_t count)
{
	const __int128 first = as_whole(x[0]);
	const __int128 last = first + as_whole(x[2]) * (count - 1);
	const __int128 low = first < last ? first : last;
	const __int128 high = first < last ? last : first;

	if (count == 0 || (low >= INT64_MIN && high <= INT64_MAX))
		return DPR_INT64;
	return low >= 0 && high <= UINT64_MAX ? DPR_UINT64 : DPR_DTYPE_DEFAULT;
}

static uint64_t to_whole(double x)
{
	if (!(x > -0x1p63))
		return (uint64_t)INT64_MIN;
	if (x < 0x1p63)
		return (uint64_t)(int64_t)x;
	return x < 0x1p64 ? (uint64_t)x : UINT64_MAX;
}

static struct iota whole_steps(dpr_operand start, dpr_operand step)
{
	const struct creation_sum first = as_sum(start), by = as_sum(step);

	return (struct iota){ .start = first.high,
			      .start_low = first.low,
			      .step = by.high,
			      .step_low = by.low,
			      .whole_start = (uint64_t)as_whole(start),
			      .whole_step = (uint64_t)as_whole(step) };
}

/* The step is the difference of the first two elements, after rounding. */
static struct iota float_steps(double start, double step)
{
	const uint64_t first = to_whole(start);

	return (struct iota){ .start = start,
			      .step = start + step - start,
			      .whole_start = first,
			      .whole_step = to_whole(start + step) - first };
}

dpr_status(dpr_arange_on)(dpr_operand start, dpr_operand stop, dpr_operand step,
			  dpr_dtype dtype, dpr_queue *queue, dpr_usm_kind kind,
			  dpr_array **out)
{
	TRACE_CALL;
	HANDLES(start, stop, step, queue, out);
	const dpr_operand x[3] = { start, stop, step };
	struct iota steps;
	bool whole = true;
	int64_t count = 0;
	dpr_status status;

	status = find_queue("arange", &queue, out);
	if (status)
		return status;
	for (int i = 0; i < 3; i++) {
		if (!is_real(x[i]))
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "arange: start, stop and step must be real "
				    "numbers");
		whole = whole && is_whole(x[i]);
	}
	if (as_double(step) == 0)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "arange: the step is 0");
	status = count_steps(x, whole, &count);
	if (status)
		return status;
	if (dtype == DPR_DTYPE_DEFAULT)
		dtype = whole ? whole_dtype(x, count)
			      : dpr_dtype_default(dpr_queue_device(queue), 'f');
	if (dtype == DPR_DTYPE_DEFAULT)
		return fail(DPR_ERROR_OVERFLOW,
			    "arange: neither int64 nor uint64 holds all the "
			    "numbers; pass a dtype such as DPR_FLOAT64");
	steps = whole ? whole_steps(start, step)
		      : float_steps(as_double(start), as_double(step));
	return make_steps("arange", count, dtype, queue, kind, &steps, NULL,
			  out);
}

dpr_status(dpr_arange)(dpr_operand start, dpr_operand stop, dpr_operand step,
		       dpr_dtype dtype, dpr_queue *queue, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(start, stop, step, queue, out);

	return (dpr_arange_on)(start, stop, step, dtype, queue, DPR_USM_DEVICE,
			       out);
}

/* Part @part of a number: 0 is real, 1 imaginary. */
static dpr_operand part_of(dpr_operand x, int part)
{
	if (x.kind == DPR_OPERAND_COMPLEX)
		return dpr_operand_float(x.as.c[part]);
	return part ? dpr_operand_int(0) : x;
}

/* @x as an element of @dtype, a float or complex dtype, has it. */
static double rounded(dpr_operand x, dpr_dtype dtype)
{
	unsigned char bytes[8];

	dtype = dtype_part(dtype);
	return scalar_store("linspace", x, dtype, bytes)
		       ? NAN
		       : scalar_load(bytes, dtype).as.f;
}

/* The numbers of @dtype from @start to @stop in @n steps. */
static struct iota float_line(dpr_operand start, dpr_operand stop, int64_t n,
			      bool endpoint, dpr_dtype dtype)
{
	const struct creation_sum first = as_sum(start), last = as_sum(stop);
	struct iota line = { .start = first.high,
			     .start_low = first.low,
			     .last = last.low != 0 ? rounded(stop, dtype)
						   : last.high,
			     .has_last = endpoint && n > 0 };
	struct creation_sum step;

	if (n > 0) {
		step = choose_step(first, last, (double)n);
		line.step = step.high;
		line.step_low = step.low;
	}
	return line;
}

/* Describe the numbers of linspace() between two integers. */
static struct iota whole_line(dpr_operand start, dpr_operand stop, int64_t n)
{
	const __int128 way = as_whole(stop) - as_whole(start);
	struct iota line = { .whole_start = (uint64_t)as_whole(start) };
	__int128 step;

	if (n > 0) {
		/* rounded down, also for negative numbers */
		step = way / n - (way % n < 0);
		line.whole_step = (uint64_t)step;
		line.whole_rest = (int64_t)(way - step * n);
		line.whole_parts = n;
	}
	return line;
}

/* Check the ends of linspace, and get the dtype that suits them if *@dtype is
   DEFAULT. */
static dpr_status check_ends(const dpr_operand ends[2], const dpr_queue *queue,
			     dpr_dtype *dtype)
{
	bool whole = true, is_complex = false;
	unsigned char bytes[16];
	dpr_status status;

	for (int i = 0; i < 2; i++) {
		if (!is_real(ends[i]) && ends[i].kind != DPR_OPERAND_COMPLEX)
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "linspace: start and stop must be numbers");
		whole = whole && is_whole(ends[i]);
		is_complex = is_complex || ends[i].kind == DPR_OPERAND_COMPLEX;
	}
	if (*dtype == DPR_DTYPE_DEFAULT)
		*dtype = dpr_dtype_default(dpr_queue_device(queue),
					   is_complex ? 'c' : 'f');
	if (!is_integer(*dtype)) {
		if (is_complex && dpr_dtype_kind(*dtype) == 'f')
			return fail(DPR_ERROR_DTYPE,
				    "linspace: an end is complex, so the dtype "
				    "must be complex, not %s",
				    dpr_dtype_name(*dtype));
		return DPR_OK;
	}
	if (!whole)
		return fail(DPR_ERROR_DTYPE,
			    "linspace: for %s the ends must be integers; make "
			    "floats, and cast them",
			    dpr_dtype_name(*dtype));
	status = scalar_store("linspace", ends[0], *dtype, bytes);
	return status ? status
		      : scalar_store("linspace", ends[1], *dtype, bytes);
}

dpr_status(dpr_linspace_on)(dpr_operand start, dpr_operand stop, int64_t num,
			    bool endpoint, dpr_dtype dtype, dpr_queue *queue,
			    dpr_usm_kind kind, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(start, stop, queue, out);
	const dpr_operand ends[2] = { start, stop };
	struct iota line, imaginary = { 0 };
	int64_t n = endpoint ? num - 1 : num;
	dpr_status status;

	status = find_queue("linspace", &queue, out);
	if (status)
		return status;
	if (num < 0)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "linspace: num is %lld, but must be 0 or more",
			    (long long)num);
	status = check_ends(ends, queue, &dtype);
	if (status)
		return status;
	if (!is_integer(dtype)) {
		line = float_line(part_of(start, 0), part_of(stop, 0), n,
				  endpoint, dtype);
		imaginary = float_line(part_of(start, 1), part_of(stop, 1), n,
				       endpoint, dtype);
	} else {
		line = whole_line(start, stop, n);
		if (line.whole_rest && n > WHOLE_PARTS)
			return fail(DPR_ERROR_OVERFLOW,
				    "linspace: %lld are too many integers if "
				    "their step is not an integer; make floats "
				    "and cast them",
				    (long long)num);
	}
	return make_steps("linspace", num, dtype, queue, kind, &line,
			  start.kind == DPR_OPERAND_COMPLEX ||
					  stop.kind == DPR_OPERAND_COMPLEX
				  ? &imaginary
				  : NULL,
			  out);
}

dpr_status(dpr_linspace)(dpr_operand start, dpr_operand stop, int64_t num,
			 dpr_dtype dtype, dpr_queue *queue, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(start, stop, queue, out);

	return (dpr_linspace_on)(start, stop, num, true, dtype, queue,
				 DPR_USM_DEVICE, out);
}

/* Write ones to diagonal @k of @x, which has only zeros. */
static dpr_status put_diagonal(dpr_array *x, int64_t k)
{
	const int64_t rows = array_shape(x)[0], columns = array_shape(x)[1];
	int64_t first_row, first_column;
	struct layout diagonal = { .rank = 1, .offset = x->offset };
	dpr_array *view;
	dpr_status status;

	/* Any @k is valid.  Checking it first avoids overflows below. */
	if (k <= -rows || k >= columns)
		return DPR_OK;
	first_row = k < 0 ? -k : 0;
	first_column = k > 0 ? k : 0;
	diagonal.dim[0] = rows - first_row < columns - first_column
				  ? rows - first_row
				  : columns - first_column;
	diagonal.stride[0] = columns + 1;
	diagonal.offset += first_row * columns + first_column;
	status = array_view(x, &diagonal, &view);
	if (status)
		return status;
	status = cast_fill(view, dpr_operand_int(1));
	dpr_array_release(view);
	return status;
}

dpr_status dpr_eye_on(int64_t n_rows, int64_t n_cols, int64_t k,
		      dpr_dtype dtype, dpr_queue *queue, dpr_usm_kind kind,
		      dpr_array **out)
{
	TRACE_CALL;
	HANDLES(queue, out);
	const int64_t shape[] = { n_rows, n_cols };
	dpr_array *made;
	dpr_status status;

	status =
		make_filled("eye", dpr_shape_of(2, shape), dpr_operand_float(0),
			    dtype, queue, kind, out ? &made : NULL);
	if (out)
		*out = NULL;
	if (status)
		return status;
	status = made->size ? put_diagonal(made, k) : DPR_OK;
	if (status)
		status_prefix("eye");
	return array_finish(status, made, out);
}

dpr_status dpr_eye(int64_t n_rows, int64_t n_cols, int64_t k, dpr_dtype dtype,
		   dpr_queue *queue, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(queue, out);

	return dpr_eye_on(n_rows, n_cols, k, dtype, queue, DPR_USM_DEVICE, out);
}
