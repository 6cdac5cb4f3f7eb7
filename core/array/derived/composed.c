/* SPDX-License-Identifier: Apache-2.0 */
/* composed.c - the C functions of kernels/composed.def. */
#include <dpr/derived.h>

#include <math.h>

#include "core/array/derived/derived.h"
#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* --- Arguments ------------------------------------------------------------ */

static struct value array_value(const dpr_array *x)
{
	return (struct value){ .kind = VALUE_ARRAY,
			       .array = (dpr_array *)(uintptr_t)x };
}

static struct value operand_value(dpr_operand x)
{
	return x.kind == DPR_OPERAND_ARRAY
		       ? array_value(x.as.array)
		       : (struct value){ .kind = VALUE_SCALAR, .scalar = x };
}

static struct value integer_value(int64_t number)
{
	return operand_value(dpr_operand_int(number));
}

/* DPR_DTYPE_DEFAULT becomes None. */
static struct value dtype_value(dpr_dtype dtype)
{
	return (struct value){ .kind = dtype ? VALUE_DTYPE : VALUE_NONE,
			       .dtype = dtype };
}

/* Check the arguments of the function with the number @f.  @out: an argument
   that must not be NULL. */
static dpr_status check_given(int f, const struct value *given, const void *out)
{
	const struct signature *s = &derived_table[f].signature;
	dpr_status status = process_check(s->name);

	if (status)
		return status;
	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: out is NULL",
			    s->name);
	for (int i = 0; i < s->n; i++) {
		if (given[i].kind == VALUE_ARRAY && !given[i].array)
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "%s: %s is NULL", s->name,
				    s->parameters[i]);
		if (given[i].kind == VALUE_SCALAR &&
		    given[i].scalar.kind > DPR_OPERAND_COMPLEX)
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "%s: %s is of an unknown kind", s->name,
				    s->parameters[i]);
		if (given[i].kind == VALUE_DTYPE &&
		    !dpr_dtype_size(given[i].dtype))
			return fail(DPR_ERROR_DTYPE, "%s: %d is not a dtype",
				    s->name, (int)given[i].dtype);
	}
	for (int i = s->n - 1; i >= 0; i--)
		if (given[i].kind == VALUE_ARRAY)
			array_trace(given[i].array->dtype, given[i].array->rank,
				    array_shape(given[i].array));
	call_stack_whole();
	return DPR_OK;
}

/* The number for derived_table_variant().  NaN: the function has no variant
   here. */
static double number_of(int f, const struct value *given)
{
	switch (f) {
	case DERIVED__isclose:
	case DERIVED__allclose: return (double)given[4].scalar.as.u;
	case DERIVED__average: return given[3].kind == VALUE_ARRAY;
	}
	return NAN;
}

/* Compute the function with the number @f into @into, or, if @into is NULL,
   into a new array *@out, or several at @out. */
static dpr_status compose(int f, const struct value *given, dpr_array *into,
			  dpr_array **out)
{
	return derived_compute(derived_table_variant(f, number_of(f, given)),
			       DERIVED_CALL_PLAIN,
			       derived_table[f].signature.name, given, into,
			       out);
}

static dpr_status compose_new(int f, const struct value *given, dpr_array **out)
{
	dpr_status status;

	if (out)
		*out = NULL;
	status = check_given(f, given, out);
	return status ? status : compose(f, given, NULL, out);
}

static dpr_status compose_into(int f, const struct value *given, dpr_array *out)
{
	const dpr_status status = check_given(f, given, out);

	return status ? status : compose(f, given, out, NULL);
}

/* Compute a function with two results: both are made, or both are NULL. */
static dpr_status compose_two(int f, const struct value *given,
			      dpr_array **first, dpr_array **second)
{
	dpr_array *both[2] = { NULL, NULL };
	dpr_status status;

	if (first)
		*first = NULL;
	if (second)
		*second = NULL;
	if (!first || !second)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: the place for a result is NULL",
			    derived_table[f].signature.name);
	status = check_given(f, given, first);
	if (!status)
		status = compose(f, given, NULL, both);
	if (status)
		return status;
	*first = both[0];
	*second = both[1];
	return DPR_OK;
}

/* --- Comparisons ---------------------------------------------------------- */

#define CLOSE                                                            \
	((const struct value[]){ operand_value(x1), operand_value(x2),   \
				 operand_value(dpr_operand_float(rtol)), \
				 operand_value(dpr_operand_float(atol)), \
				 operand_value(dpr_operand_bool(equal_nan)) })

dpr_status(dpr_isclose)(dpr_operand x1, dpr_operand x2, double rtol,
			double atol, int equal_nan, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x1, x2, out);
	return compose_new(DERIVED__isclose, CLOSE, out);
}

dpr_status(dpr_isclose_into)(dpr_operand x1, dpr_operand x2, double rtol,
			     double atol, int equal_nan, dpr_array *out)
{
	TRACE_CALL;
	HANDLES(x1, x2, out);
	return compose_into(DERIVED__isclose, CLOSE, out);
}

dpr_status(dpr_allclose)(dpr_operand x1, dpr_operand x2, double rtol,
			 double atol, int equal_nan, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x1, x2, out);
	return compose_new(DERIVED__allclose, CLOSE, out);
}

dpr_status(dpr_allclose_into)(dpr_operand x1, dpr_operand x2, double rtol,
			      double atol, int equal_nan, dpr_array *out)
{
	TRACE_CALL;
	HANDLES(x1, x2, out);
	return compose_into(DERIVED__allclose, CLOSE, out);
}

/* --- Products ------------------------------------------------------------- */

#define PAIR                                                       \
	((const struct value[]){ array_value(x1), array_value(x2), \
				 integer_value(axis) })

dpr_status dpr_vecdot(const dpr_array *x1, const dpr_array *x2, int axis,
		      dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x1, x2, out);
	return compose_new(DERIVED__vecdot, PAIR, out);
}

dpr_status dpr_vecdot_into(const dpr_array *x1, const dpr_array *x2, int axis,
			   dpr_array *out)
{
	TRACE_CALL;
	HANDLES(x1, x2, out);
	return compose_into(DERIVED__vecdot, PAIR, out);
}

dpr_status dpr_cross(const dpr_array *x1, const dpr_array *x2, int axis,
		     dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x1, x2, out);
	return compose_new(DERIVED__cross, PAIR, out);
}

dpr_status dpr_cross_into(const dpr_array *x1, const dpr_array *x2, int axis,
			  dpr_array *out)
{
	TRACE_CALL;
	HANDLES(x1, x2, out);
	return compose_into(DERIVED__cross, PAIR, out);
}

#define BOTH ((const struct value[]){ array_value(x1), array_value(x2) })

dpr_status dpr_outer(const dpr_array *x1, const dpr_array *x2, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x1, x2, out);
	return compose_new(DERIVED__outer, BOTH, out);
}

dpr_status dpr_outer_into(const dpr_array *x1, const dpr_array *x2,
			  dpr_array *out)
{
	TRACE_CALL;
	HANDLES(x1, x2, out);
	return compose_into(DERIVED__outer, BOTH, out);
}

/* --- Sums ----------------------------------------------------------------- */

#define NORM                                                                  \
	(&(struct derived_call){                                              \
		.function = derived_table_variant(DERIVED__vector_norm, ord), \
		.name = "vector_norm",                                        \
		.x = x,                                                       \
		.axes = axis,                                                 \
		.number = ord })

dpr_status dpr_vector_norm(const dpr_array *x, const dpr_axes *axis, double ord,
			   dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	return derived_new(NORM, out);
}

dpr_status dpr_vector_norm_into(const dpr_array *x, const dpr_axes *axis,
				double ord, dpr_array *out)
{
	TRACE_CALL;
	HANDLES(x, out);
	return derived_into(NORM, out);
}

#define TRACE                                                           \
	((const struct value[]){ array_value(x), integer_value(offset), \
				 dtype_value(dtype) })

dpr_status dpr_trace(const dpr_array *x, int64_t offset, dpr_dtype dtype,
		     dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	return compose_new(DERIVED__trace, TRACE, out);
}

dpr_status dpr_trace_into(const dpr_array *x, int64_t offset, dpr_dtype dtype,
			  dpr_array *out)
{
	TRACE_CALL;
	HANDLES(x, out);
	return compose_into(DERIVED__trace, TRACE, out);
}

/* Check the axes.  derived_begin() does this for other functions along axes,
   but average() has keepdims as an argument of its text. */
static dpr_status check_average(const dpr_array *x, const dpr_axes *axis)
{
	struct reduce_outcome shape;

	return x ? reduce_shape("average", x, axis, &shape) : DPR_OK;
}

/* The values are in the order of ARGUMENTS_AVERAGE in derived_table.c: the
   weights come last. */
#define AVERAGE                                                          \
	((const struct value[]){                                         \
		array_value(x),                                          \
		{ .kind = axis && axis->axis ? VALUE_AXES : VALUE_NONE,  \
		  .axes = axis },                                        \
		operand_value(dpr_operand_bool(axis && axis->keepdims)), \
		weights ? array_value(weights)                           \
			: (struct value){ .kind = VALUE_NONE } })

dpr_status dpr_average(const dpr_array *x, const dpr_axes *axis,
		       const dpr_array *weights, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, weights, out);
	dpr_status status;

	if (out)
		*out = NULL;
	status = check_average(x, axis);
	return status ? status : compose_new(DERIVED__average, AVERAGE, out);
}

dpr_status dpr_average_into(const dpr_array *x, const dpr_axes *axis,
			    const dpr_array *weights, dpr_array *out)
{
	TRACE_CALL;
	HANDLES(x, weights, out);
	const dpr_status status = check_average(x, axis);

	return status ? status : compose_into(DERIVED__average, AVERAGE, out);
}

/* --- Classes -------------------------------------------------------------- */

#define CLASSES                                              \
	((const struct value[]){ array_value(indices),       \
				 integer_value(num_classes), \
				 dtype_value(dtype) })

dpr_status dpr_one_hot(const dpr_array *indices, int64_t num_classes,
		       dpr_dtype dtype, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(indices, out);
	return compose_new(DERIVED__one_hot, CLASSES, out);
}

dpr_status dpr_one_hot_into(const dpr_array *indices, int64_t num_classes,
			    dpr_dtype dtype, dpr_array *out)
{
	TRACE_CALL;
	HANDLES(indices, out);
	return compose_into(DERIVED__one_hot, CLASSES, out);
}

/* --- Two results ---------------------------------------------------------- */

dpr_status(dpr_divmod)(dpr_operand x1, dpr_operand x2, dpr_array **quotient,
		       dpr_array **remainder)
{
	TRACE_CALL;
	HANDLES(x1, x2, quotient, remainder);
	const struct value given[] = { operand_value(x1), operand_value(x2) };

	return compose_two(DERIVED__divmod, given, quotient, remainder);
}

#define SPLIT ((const struct value[]){ array_value(x) })

dpr_status dpr_modf(const dpr_array *x, dpr_array **fractional,
		    dpr_array **integral)
{
	TRACE_CALL;
	HANDLES(x, fractional, integral);
	return compose_two(DERIVED__modf, SPLIT, fractional, integral);
}

dpr_status dpr_frexp(const dpr_array *x, dpr_array **mantissa,
		     dpr_array **exponent)
{
	TRACE_CALL;
	HANDLES(x, mantissa, exponent);
	return compose_two(DERIVED__frexp, SPLIT, mantissa, exponent);
}
