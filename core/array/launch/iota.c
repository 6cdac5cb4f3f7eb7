/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iota.c - arrays whose elements increase in equal steps (arange, linspace).
 * Their graphs have an input without memory (GRAPH_INDEX), whose elements are
 * 0, 1, 2, ...
 *
 * If all values are whole numbers that a float holds exactly, start and step
 * become the offset and the stride of the input, and the elements of the input
 * are the values.
 */
#include "core/array/launch/iota.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/engine.h"
#include "core/array/engine/kernel_store.h"
#include "core/array/engine/operations.h"
#include "core/array/launch/step_by_step.h"
#include "core/array/layout/layout.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* Whole numbers up to WHOLE_FLOAT are exact in float32, and whole numbers up to
   WHOLE_DOUBLE in float64.  Numbers up to WHOLE_INT64 do not overflow an
   int64. */
#define WHOLE_FLOAT 0x1p24
#define WHOLE_DOUBLE 0x1p53
#define WHOLE_INT64 ((__int128)1 << 62)
/* Numbers less than 2^EXPONENT_FLOAT fit into a float32, and numbers less than
   2^EXPONENT_DOUBLE into a float64. */
#define EXPONENT_FLOAT 127
#define EXPONENT_DOUBLE 1023

/* In arrays with more elements than this, native code writes the last element
   in a launch of its own.  Comparing every position with the last position
   would take longer. */
#define MANY 4096

/* A graph under construction. */
struct iota_maker {
	const char *what;
	const struct iota *iota;
	dpr_array *out;
	/* set if the last element is written in a launch of its own */
	bool apart;
	struct graph graph;
	struct engine_scalar scalar[GRAPH_SCALARS];
	int64_t offset, stride; /* the offset and the stride of the input */
	unsigned dtype;         /* the dtype in which floats are computed */
	/* for floats: the numbers of `iota`, divided by 2^excess */
	double start, step, start_low, step_low;
	int excess;
	int i; /* the number of the graph's step that is the input */
};

/* --- Steps -------------------------------------------------------------- */

static int add_bytes(struct iota_maker *m, unsigned dtype, const void *bytes)
{
	const int at = m->graph.n_scalars;

	mem_zero(&m->scalar[at], sizeof(m->scalar[at]));
	memcpy(m->scalar[at].bytes, bytes, dpr_dtype_size((dpr_dtype)dtype));
	return graph_scalar(&m->graph, dtype);
}

static int add_whole(struct iota_maker *m, int64_t value)
{
	return add_bytes(m, DPR_INT64, &value);
}

static int add_number(struct iota_maker *m, double value)
{
	const float single = (float)value;

	return add_bytes(m, m->dtype,
			 m->dtype == DPR_FLOAT64 ? (const void *)&value
						 : (const void *)&single);
}

static int add_call(struct iota_maker *m, unsigned operation, unsigned dtype,
		    int a, int b)
{
	const int n = operations_table[operation].n;
	const int x[] = { a, b };

	return graph_operation(&m->graph, operation, dtype,
			       operations_dtype(operation, dtype), n, x);
}

/* Add an operation on floats. */
static int compute(struct iota_maker *m, unsigned operation, int a, int b)
{
	return add_call(m, operation, m->dtype, a, b);
}

/* Add the step a * b + c, which is rounded once. */
static int fused(struct iota_maker *m, int a, int b, int c)
{
	const int x[] = { a, b, c };

	return graph_operation(&m->graph, OPERATION__multiply_add, m->dtype,
			       m->dtype, 3, x);
}

static int cast(struct iota_maker *m, unsigned dtype, int x)
{
	return m->graph.step[x].dtype == dtype
		       ? x
		       : graph_cast(&m->graph, dtype, x);
}

/* Add a cast of @x to a float.  The values of @x are less than @most.  If they
   fit into 32 bits, they are cast to int32 first, which processors convert
   faster. */
static int as_float(struct iota_maker *m, int x, double most)
{
	return cast(m, m->dtype, most < INT32_MAX ? cast(m, DPR_INT32, x) : x);
}

/* Add steps that give @value for element @at, and the value of step @otherwise
   for all other elements. */
static int at_element(struct iota_maker *m, int64_t at, double value,
		      int otherwise)
{
	int x[3];

	x[0] = add_call(m, OPERATION__equal, DPR_INT64, m->i, add_whole(m, at));
	x[1] = add_number(m, value);
	x[2] = otherwise;
	return graph_where(&m->graph, m->dtype, x);
}

/* --- Values ------------------------------------------------------------- */

/* Add the input without memory.  Its element i is @offset + i * @stride. */
static int count(struct iota_maker *m, int64_t offset, int64_t stride)
{
	m->offset = offset;
	m->stride = stride;
	return graph_index(&m->graph);
}

static __int128 size_of(__int128 x)
{
	return x < 0 ? -x : x;
}

/* Add the steps for i * whole_rest / whole_parts. */
static int rest(struct iota_maker *m)
{
	const int product = add_call(m, OPERATION__multiply, DPR_INT64, m->i,
				     add_whole(m, m->iota->whole_rest));

	return add_call(m, OPERATION__floor_divide, DPR_INT64, product,
			add_whole(m, m->iota->whole_parts));
}

static int integers(struct iota_maker *m)
{
	const struct iota *iota = m->iota;
	const int64_t start = (int64_t)iota->whole_start;
	const int64_t step = (int64_t)iota->whole_step;
	int x;

	if (!iota->whole_rest &&
	    size_of(start) + size_of(step) * m->out->size < WHOLE_INT64)
		return count(m, start, step);
	m->i = count(m, 0, 1);
	x = add_call(m, OPERATION__multiply, DPR_INT64, m->i,
		     add_whole(m, step));
	x = add_call(m, OPERATION__add, DPR_INT64, x, add_whole(m, start));
	return iota->whole_rest
		       ? add_call(m, OPERATION__add, DPR_INT64, x, rest(m))
		       : x;
}

/* An upper bound for the absolute value of each number in the computation,
   except for rounding. */
static double largest(const struct iota_maker *m)
{
	return fabs(m->iota->start) +
	       fabs(m->iota->step) * (double)m->out->size;
}

static bool is_plain_zero(double x)
{
	return x != 0 || !signbit(x);
}

/* Whether all values are whole numbers that a float holds exactly. */
static bool is_whole(const struct iota_maker *m)
{
	const struct iota *iota = m->iota;
	const double most =
		m->dtype == DPR_FLOAT64 ? WHOLE_DOUBLE : WHOLE_FLOAT;
	const double last =
		iota->start + iota->step * (double)(m->out->size - 1);

	return largest(m) < most && trunc(iota->start) == iota->start &&
	       trunc(iota->step) == iota->step && is_plain_zero(iota->start) &&
	       (!iota->has_last ||
		(iota->last == last && is_plain_zero(iota->last)));
}

static int doubles(struct iota_maker *m)
{
	int x = as_float(m, m->i, (double)m->out->size);

	x = compute(m, OPERATION__multiply, x, add_number(m, m->step));
	return compute(m, OPERATION__add, add_number(m, m->start), x);
}

/* The difference between @x and the float nearest to @x.  In float64 there is
   none, and only @low remains, the bits that a double lacks. */
static double low_part(const struct iota_maker *m, double x, double low)
{
	const float high = (float)x;

	if (m->dtype == DPR_FLOAT64)
		return low;
	return isfinite(high) ? x - (double)high : 0;
}

/* Add the steps for the rounding error of @product, which is @high * @step.
   @high is the index, cast to a float. */
static int product_error(struct iota_maker *m, int high, int step, int product)
{
	const double low = low_part(m, m->step, m->step_low);
	int error, rest;

	error = fused(m, high, step,
		      compute(m, OPERATION__negative, product, 0));
	if (m->dtype == DPR_FLOAT32 && (double)m->out->size > WHOLE_FLOAT) {
		rest = add_call(m, OPERATION__subtract, DPR_INT64, m->i,
				cast(m, DPR_INT64, high));
		error = fused(m, cast(m, DPR_FLOAT32, rest), step, error);
	}
	return low != 0 ? fused(m, high, add_number(m, low), error) : error;
}

/* Add the steps for the rounding error of @sum, which is @start + @product. */
static int sum_error(struct iota_maker *m, int start, int product, int sum)
{
	const int back = compute(m, OPERATION__subtract, sum, start);
	const int first = compute(m, OPERATION__subtract, start,
				  compute(m, OPERATION__subtract, sum, back));

	return compute(m, OPERATION__add, first,
		       compute(m, OPERATION__subtract, product, back));
}

/* Add the steps for start + i * step.  The rounding errors are added at the
   end: the errors of i as a float, of i * step, and of the sum with start. */
static int compensated(struct iota_maker *m)
{
	const double start_low = low_part(m, m->start, m->start_low);
	const int high = as_float(m, m->i, (double)m->out->size);
	const int step = add_number(m, m->step);
	const int start = add_number(m, m->start);
	const int product = compute(m, OPERATION__multiply, high, step);
	const int sum = compute(m, OPERATION__add, start, product);
	int error;

	error = product_error(m, high, step, product);
	error = compute(m, OPERATION__add, error,
			sum_error(m, start, product, sum));
	if (start_low != 0)
		error = compute(m, OPERATION__add, error,
				add_number(m, start_low));
	return compute(m, OPERATION__add, sum, error);
}

/* Divide all numbers by 2^excess, so that nothing overflows before
   unscale().  The product of i and step can be twice as large as any value. */
static void scale(struct iota_maker *m)
{
	const int limit =
		m->dtype == DPR_FLOAT64 ? EXPONENT_DOUBLE : EXPONENT_FLOAT;
	int start, step, size;

	frexp(m->iota->start, &start);
	frexp(m->iota->step, &step);
	frexp((double)m->out->size, &size);
	m->excess = (start > step + size ? start : step + size) + 1 - limit;
	if (m->excess < 0)
		m->excess = 0;
	m->start = ldexp(m->iota->start, -m->excess);
	m->step = ldexp(m->iota->step, -m->excess);
	m->start_low = ldexp(m->iota->start_low, -m->excess);
	m->step_low = ldexp(m->iota->step_low, -m->excess);
}

/* Multiply @x by 2^excess.  If 2^excess is no finite float, this takes several
   multiplications.  Three multiplications make even the smallest float
   infinite, so more would change nothing. */
static int unscale(struct iota_maker *m, int x)
{
	const int limit =
		m->dtype == DPR_FLOAT64 ? EXPONENT_DOUBLE : EXPONENT_FLOAT;
	int left = m->excess;

	for (int k = 0; k < 3 && left > 0; k++, left -= limit)
		x = compute(
			m, OPERATION__multiply, x,
			add_number(m, ldexp(1, left < limit ? left : limit)));
	return x;
}

/* Add the steps for the values start + i * step. */
static int steps(struct iota_maker *m)
{
	const struct iota *iota = m->iota;
	int x;

	/* All values but the first are equal: infinite, or NaN. */
	if (!isfinite(iota->start) || !isfinite(iota->step))
		return at_element(m, 0, iota->start,
				  add_number(m, iota->start + iota->step));
	scale(m);
	x = m->dtype == DPR_FLOAT64 && iota->start_low == 0 &&
			    iota->step_low == 0
		    ? doubles(m)
		    : compensated(m);
	/* The first value is set separately: start / 2^excess may be 0, and a
	   sum loses the sign of -0. */
	return m->excess || !is_plain_zero(iota->start)
		       ? at_element(m, 0, iota->start, unscale(m, x))
		       : x;
}

static bool is_native(const dpr_array *x)
{
	return target_of(dpr_queue_device(x->queue))->format->is_native;
}

static int floats(struct iota_maker *m)
{
	const struct iota *iota = m->iota;
	int x;

	if (is_whole(m))
		return as_float(
			m, count(m, (int64_t)iota->start, (int64_t)iota->step),
			largest(m));
	m->i = count(m, 0, 1);
	x = steps(m);
	m->apart = iota->has_last && m->out->size > MANY && is_native(m->out);
	return iota->has_last && !m->apart
		       ? at_element(m, m->out->size - 1, iota->last, x)
		       : x;
}

static void begin_graph(struct iota_maker *m)
{
	const dpr_dtype part = (dpr_dtype)dtype_part(m->out->dtype);

	mem_zero(&m->graph, offsetof(struct graph, step));
	m->dtype = part == DPR_FLOAT64 ? DPR_FLOAT64 : DPR_FLOAT32;
}

static void make_graph(struct iota_maker *m)
{
	const char kind = dpr_dtype_kind(m->out->dtype);

	begin_graph(m);
	m->apart = false;
	graph_result(&m->graph, cast(m, m->out->dtype,
				     kind == 'i' || kind == 'u' ? integers(m)
								: floats(m)));
}

/* --- Launches ----------------------------------------------------------- */

static dpr_status run_graph(struct iota_maker *m, dpr_array *out)
{
	const dpr_array *input;
	const struct engine_call call = { .what = m->what,
					  .graph = &m->graph,
					  .results = &out,
					  .inputs = &input,
					  .scalars = m->scalar };
	dpr_array *index;
	dpr_status status;

	status = array_make(DPR_INT64, 1, array_shape(out), &m->stride,
			    m->offset, NULL, out->queue, out->kind, &index);
	if (status)
		return status;
	input = index;
	status = step_by_step_run(&call);
	dpr_array_release(index);
	return status;
}

/* Write the last element of the array. */
static dpr_status put_last(struct iota_maker *m)
{
	struct layout layout;
	dpr_array *last;
	dpr_status status;

	begin_graph(m);
	graph_result(&m->graph,
		     cast(m, m->out->dtype, add_number(m, m->iota->last)));
	array_layout(m->out, &layout);
	layout.offset += (m->out->size - 1) * layout.stride[0];
	layout.dim[0] = 1;
	status = array_view(m->out, &layout, &last);
	if (status)
		return status;
	status = run_graph(m, last);
	dpr_array_release(last);
	return status;
}

dpr_status iota_launch(const char *what, const struct iota *iota,
		       dpr_array *out)
{
	struct iota_maker m;
	dpr_status status;

	if (out->size == 0)
		return DPR_OK;
	m.what = what;
	m.iota = iota;
	m.out = out;
	make_graph(&m);
	status = run_graph(&m, out);
	return !status && m.apart ? put_last(&m) : status;
}

dpr_status iota_index(const char *what, const dpr_array *index, dpr_array *out)
{
	struct graph graph;
	const struct engine_call call = {
		.what = what, .graph = &graph, .results = &out, .inputs = &index
	};

	mem_zero(&graph, offsetof(struct graph, step));
	graph_result(&graph, graph_index(&graph));
	return engine_run(&call);
}
