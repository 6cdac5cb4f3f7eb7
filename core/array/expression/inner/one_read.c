/* SPDX-License-Identifier: Apache-2.0 */
/*
 * one_read.c - what texts call so that a reduction reads its operand once.
 *
 * On a GPU one reduction finds an element and its place.  It reduces keys: a
 * key is an integer that holds a value and its place, and the smallest key is
 * found.  A variance of 32 or 16 bits is computed from the sums of d and d*d in
 * double precision, where d is the difference to the first element.  Both sums
 * are parts of a complex number.
 *
 * On a CPU keys would cost more than a second read, which leaves out most of
 * the elements.
 */
#include "core/array/expression/inner/one_read.h"

#include <dpr/queue.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/target.h"
#include "core/array/expression/calls/arguments.h"
#include "core/array/expression/derived_table.h"
#include "core/array/expression/inner/inner_arguments.h"
#include "core/array/expression/inner/inner.h"
#include "core/array/expression/slicing.h"
#include "core/array/layout/layout.h"
#include "core/array/object/array.h"

/* A key has room for this number of places below the 32 bits of the value. */
#define MOST_PLACES (INT64_C(1) << 32)

/* --- Choices -------------------------------------------------------------- */

/* Whether the kernels of the call's device are written for GPUs, and can
   compute what they reduce. */
static bool is_on_gpu(const struct function_call *call)
{
	const struct kernel_format *format =
		target_of(dpr_queue_device(call->queue))->format;

	return format->has_stages && !format->is_native;
}

static dpr_status set_choice(struct function_call *call, bool choice)
{
	call->result.kind = VALUE_SCALAR;
	call->result.scalar = dpr_operand_bool(choice);
	return DPR_OK;
}

static dpr_status run_by_keys(struct function_call *call)
{
	struct reduce_outcome outcome;
	const dpr_array *x;
	dpr_status status;

	if (!is_on_gpu(call))
		return set_choice(call, false);
	status = inner_arguments_reduced(call, &x, &outcome);
	if (status)
		return status;
	return set_choice(call, dpr_dtype_size(x->dtype) <= 4 &&
					outcome.length <= MOST_PLACES);
}

/* Whether a kernel can go over the reduced axes of @x as over one axis.
   Otherwise the complex numbers would be stored, 16 bytes for each element. */
static bool is_one_axis(const dpr_array *x, const bool *reduced)
{
	int64_t dim[DPR_MAX_RANK], stride[1][DPR_MAX_RANK], offset = 0;
	int rank = 0;

	for (int d = 0; d < x->rank; d++) {
		if (!reduced[d])
			continue;
		dim[rank] = array_shape(x)[d];
		stride[0][rank++] = array_strides(x)[d];
	}
	return layout_collapse(1, rank, dim, stride, &offset, false) <= 1;
}

static dpr_status run_in_doubles(struct function_call *call)
{
	dpr_device *device = dpr_queue_device(call->queue);
	struct reduce_outcome outcome;
	const dpr_array *x;
	dpr_status status;

	if (!is_on_gpu(call))
		return set_choice(call, false);
	status = inner_arguments_reduced(call, &x, &outcome);
	if (status)
		return status;
	return set_choice(call,
			  outcome.length && dtype_level(x->dtype) == 2 &&
				  dpr_dtype_size(x->dtype) <= 4 &&
				  is_one_axis(x, outcome.reduced) &&
				  dpr_dtype_computes(device, DPR_COMPLEX128));
}

static dpr_status run_is_float(struct function_call *call)
{
	const dpr_array *x;
	dpr_status status = inner_arguments_shape(call, 0, &x);

	return status ? status : set_choice(call, dtype_level(x->dtype) == 2);
}

static dpr_status run_above_zero(struct function_call *call)
{
	double number;

	if (!arguments_as_double(&call->arguments[0], &number))
		return arguments_fail(call, 0, "not a real number");
	return set_choice(call, number > 0);
}

/* The result is argument 1 or 2.  The other was not computed (struct
   plan_step). */
static dpr_status run_either(struct function_call *call)
{
	call->result =
		value_share(&call->arguments[call->arguments[1].kind ? 1 : 2]);
	return DPR_OK;
}

/* --- Values --------------------------------------------------------------- */

/* The first element of argument 0 along the reduced axes, which stay. */
static dpr_status run_first(struct function_call *call)
{
	struct fusion_node *node = call->arguments[0].node;
	dpr_index indices[DPR_MAX_RANK];
	struct reduce_outcome outcome;
	const dpr_array *x;
	size_t rank;
	dpr_status status = inner_arguments_reduced(call, &x, &outcome);

	if (status)
		return status;
	rank = (size_t)x->rank;
	for (int d = 0; d < x->rank; d++)
		indices[d] = outcome.reduced[d] ? DPR_SLICE(0, 1, 1) : DPR_ALL;
	if (node) {
		status = slicing_push(node, indices, rank, false,
				      &call->result.node);
		if (call->result.node)
			call->result.kind = VALUE_NODE;
		if (status || call->result.node)
			return status;
		status = fusion_make(call->fusion, &node, 1, NULL);
		if (status)
			return status;
		*call->fault = call->place;
		x = node->made;
	}
	return arguments_result(
		call, dpr_array_index(x, indices, rank, &call->result.array));
}

/* --- The list ------------------------------------------------------------- */

/* A function that is computed by a text. */
#define TEXT(name_, n_, parameters_, text_, ...)                          \
	{                                                                 \
		.signature = { .name = #name_,                            \
			       .required = n_,                            \
			       .positional = n_,                          \
			       .n = n_,                                   \
			       .parameters = INNER_LIST(__VA_ARGS__) },   \
		.derived = &(const struct derived)                        \
		{                                                         \
			.form = DERIVED_OWN,                              \
			.definition = #name_ "(" parameters_ ") = " text_ \
		}                                                         \
	}

const struct function one_read_parts[] = {
	INNER_FUNCTION(by_keys, 2, SHAPES, "x", "axis"),
	INNER_FUNCTION(above_zero, 1, ALL, "number"),
	{ .signature = { .name = "either",
			 .required = 3,
			 .positional = 3,
			 .n = 3,
			 .parameters = INNER_LIST("choice", "x1", "x2") },
	  .run = run_either,
	  .deferred = INNER_NEEDS_SHAPES,
	  .chooses = true },
	INNER_FUNCTION(first, 2, SHAPES, "x", "axis"),
	INNER_FUNCTION(in_doubles, 2, SHAPES, "x", "axis"),
	INNER_FUNCTION(is_float, 1, SHAPES, "x"),
	/* The first of the places @n where @x is @m or NaN. */
	TEXT(first_equal, 4, "n, x, m, axis",
	     "f = floats(x);"
	     "min(where((x == m) | (f != f), n, largest(n)), axis=axis,"
	     " keepdims=True)",
	     "n", "x", "m", "axis"),
	/* The place of the first smallest of @rank, which is of uint32. */
	TEXT(first_smallest, 2, "rank, axis",
	     "n = astype(places(rank, axis), uint64);"
	     "k = astype(rank, uint64) * 4294967296 + n;"
	     "astype(min(k, axis=axis, keepdims=True) & 4294967295, int64)",
	     "rank", "axis"),
	/* Numbers of uint32 in the order of @x, or in the opposite order.  NaN
	   comes first.  Integers wrap. */
	TEXT(rising, 1, "x",
	     "either(is_float(x), float_rising(work(x) + 0),"
	     " ~falling_integer(x))",
	     "x"),
	TEXT(falling, 1, "x",
	     "either(is_float(x), float_falling(work(x) + 0),"
	     " falling_integer(x))",
	     "x"),
	TEXT(falling_integer, 1, "x", "largest(x) - astype(x, uint32)", "x"),
	TEXT(float_rising, 1, "x", "where(x == x, ~falling_float(x), 0)", "x"),
	TEXT(float_falling, 1, "x", "where(x == x, falling_float(x), 0)", "x"),
	/* The bits of floats below 0 rise where the floats fall.  @x has no -0,
	   because 0 was added to its elements. */
	TEXT(falling_float, 1, "x",
	     "b = bits(x, uint32); where(x < 0, b, b ^ 2147483647)", "x"),
	/* The sum of abs(x - mean) ** 2.  With sums in double precision this is
	   the sum of d*d, less the square of the sum of d, divided by n.  One d
	   is 0, so the sum of d*d is at most n + 1 times the result. */
	TEXT(squares, 2, "x, axis",
	     "either(in_doubles(x, axis),"
	     " squares_of(sum_twice(x, axis), divisor(x, axis, 0)),"
	     " squares_about(work(x), axis))",
	     "x", "axis"),
	TEXT(squares_of, 2, "s, n", "maximum(imag(s) - real(s)*real(s)/n, 0)",
	     "s", "n"),
	TEXT(squares_about, 2, "w, axis",
	     "d = squared(w - mean(w, axis=axis, keepdims=True));"
	     "sum(d*d, axis=axis, keepdims=True)",
	     "w", "axis"),
	TEXT(sum_twice, 2, "x, axis",
	     "d = astype(x, float64) - astype(first(x, axis), float64);"
	     "sum(complex(d, d*d), axis=axis, keepdims=True)",
	     "x", "axis"),
};
const size_t one_read_count =
	sizeof(one_read_parts) / sizeof(one_read_parts[0]);
