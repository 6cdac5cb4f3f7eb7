/* SPDX-License-Identifier: Apache-2.0 */
/* creation.c - new arrays: empty, filled with a value, evenly spaced, or with a
   diagonal of ones. */
#include <dpr/creation.h>

#include <math.h>
#include <string.h>

#include <dpr/device.h>
#include <dpr/queue.h>

#include "core/array/launch/cast.h"
#include "core/array/launch/iota.h"
#include "core/array/layout/layout.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

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

static dpr_status put_steps(const char *what, dpr_array *x,
			    const struct iota *steps)
{
	dpr_status status = cast_check_computes(what, x, x->dtype);

	return status ? status : iota_launch(what, steps, x);
}

static dpr_status make_steps(const char *what, int64_t count, dpr_dtype dtype,
			     dpr_queue *queue, dpr_usm_kind kind,
			     const struct iota *steps, dpr_array **out)
{
	dpr_array *made;
	dpr_status status;

	if (dtype == DPR_BOOL)
		return fail(DPR_ERROR_DTYPE, "%s: bool is not supported", what);
	status = array_new(what, dtype, 1, &count, queue, kind, &made);
	if (!status)
		status = put_steps(what, made, steps);
	return array_finish(status, made, out);
}

static bool is_whole(dpr_operand x)
{
	return x.kind == DPR_OPERAND_BOOL || x.kind == DPR_OPERAND_INT ||
	       x.kind == DPR_OPERAND_UINT;
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

/* (@stop - @start) / @by.  The difference may exceed the largest double; half
   of it cannot. */
static double divide_way(double start, double stop, double by)
{
	const double way = stop - start;

	return isinf(way) ? (stop / 2 - start / 2) / by * 2 : way / by;
}

/* The step that leads from @start to @stop in @n steps.  With an infinite
   start, every value before the stop is infinite. */
static double choose_step(double start, double stop, double n)
{
	if (start == stop || (isinf(start) && isfinite(stop)))
		return 0;
	return divide_way(start, stop, n);
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
		const double n = ceil(divide_way(
			as_double(x[0]), as_double(x[1]), as_double(x[2])));

		if (isnan(n))
			return fail(
				DPR_ERROR_INVALID_ARGUMENT,
				"arange: start, stop or step is NaN, or all "
				"are infinite");
		if (n >= 0x1p62)
			return fail(DPR_ERROR_OVERFLOW,
				    "arange: 2^62 elements or more are too "
				    "many");
		*count = n > 0 ? (int64_t)n : 0;
	}
	return DPR_OK;
}

/* Whether @count whole steps fit into int64, the default. */
static bool fits_default(const dpr_operand x[3], int64_t count)
{
	const __int128 first = as_whole(x[0]);
	const __int128 way = count ? as_whole(x[2]) * (count - 1) : 0;

	return count == 0 || (first <= INT64_MAX && first + way <= INT64_MAX &&
			      first + way >= INT64_MIN);
}

static uint64_t to_whole(double x)
{
	if (!(x > -0x1p63))
		return (uint64_t)INT64_MIN;
	if (x < 0x1p63)
		return (uint64_t)(int64_t)x;
	return x < 0x1p64 ? (uint64_t)x : UINT64_MAX;
}

dpr_status(dpr_arange_on)(dpr_operand start, dpr_operand stop, dpr_operand step,
			  dpr_dtype dtype, dpr_queue *queue, dpr_usm_kind kind,
			  dpr_array **out)
{
	TRACE_CALL;
	HANDLES(start, stop, step, queue, out);
	const dpr_operand x[3] = { start, stop, step };
	struct iota steps = { 0 };
	bool whole = true;
	int64_t count = 0;
	dpr_status status;

	status = find_queue("arange", &queue, out);
	if (status)
		return status;
	for (int i = 0; i < 3; i++) {
		if (!is_whole(x[i]) && x[i].kind != DPR_OPERAND_FLOAT)
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
	if (dtype == DPR_DTYPE_DEFAULT) {
		if (whole && !fits_default(x, count))
			return fail(DPR_ERROR_OVERFLOW,
				    "arange: the numbers are too large for "
				    "int64, the default; give a dtype");
		dtype = dpr_dtype_default(dpr_queue_device(queue),
					  whole ? 'i' : 'f');
	}
	steps.start = as_double(start);
	/* The step is the difference of the first two elements, after
	   rounding. */
	steps.step = whole ? as_double(step)
			   : steps.start + as_double(step) - steps.start;
	steps.whole_start =
		whole ? (uint64_t)as_whole(start) : to_whole(steps.start);
	steps.whole_step = whole ? (uint64_t)as_whole(step)
				 : to_whole(steps.start + as_double(step)) -
					   steps.whole_start;
	return make_steps("arange", count, dtype, queue, kind, &steps, out);
}

dpr_status(dpr_arange)(dpr_operand start, dpr_operand stop, dpr_operand step,
		       dpr_dtype dtype, dpr_queue *queue, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(start, stop, step, queue, out);

	return (dpr_arange_on)(start, stop, step, dtype, queue, DPR_USM_DEVICE,
			       out);
}

dpr_status dpr_linspace_on(double start, double stop, int64_t num,
			   dpr_dtype dtype, dpr_queue *queue, dpr_usm_kind kind,
			   dpr_array **out)
{
	TRACE_CALL;
	HANDLES(queue, out);
	struct iota steps = { .start = start, .last = stop };
	dpr_status status;

	status = find_queue("linspace", &queue, out);
	if (status)
		return status;
	if (num < 0)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "linspace: the num %lld is negative",
			    (long long)num);
	if (dtype == DPR_DTYPE_DEFAULT)
		dtype = dpr_dtype_default(dpr_queue_device(queue), 'f');
	if (dpr_dtype_size(dtype) && dpr_dtype_kind(dtype) != 'f' &&
	    dpr_dtype_kind(dtype) != 'c')
		return fail(
			DPR_ERROR_DTYPE,
			"linspace: the dtype must be float or complex, not %s",
			dpr_dtype_name(dtype));
	if (num > 1) {
		steps.step = choose_step(start, stop, (double)(num - 1));
		steps.has_last = true;
	}
	return make_steps("linspace", num, dtype, queue, kind, &steps, out);
}

dpr_status dpr_linspace(double start, double stop, int64_t num, dpr_dtype dtype,
			dpr_queue *queue, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(queue, out);

	return dpr_linspace_on(start, stop, num, dtype, queue, DPR_USM_DEVICE,
			       out);
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
