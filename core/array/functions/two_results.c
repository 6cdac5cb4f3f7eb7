/* SPDX-License-Identifier: Apache-2.0 */
/* two_results.c - dpr_divmod(), dpr_modf() and dpr_frexp(), which make two
   arrays. */
#include <math.h>

#include <dpr/creation.h>
#include <dpr/derived.h>
#include <dpr/queue.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/compound.h"
#include "core/array/functions/elementwise.h"
#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* The arrays that the steps of a call make, one array each.  All are released
   at the end of the call. */
struct parts {
	dpr_array *made[24];
	int n;
	dpr_status status; /* the status of the first step that failed */
};

/* Where the next step puts its array. */
static dpr_array **next_part(struct parts *p)
{
	return &p->made[p->n++];
}

/* Compute @op of some operands.  After a failure no step does anything. */
static dpr_operand compute(struct parts *p, int op, dpr_operand x1,
			   dpr_operand x2)
{
	dpr_array **out = next_part(p);

	if (!p->status)
		p->status = elementwise_run(op, (dpr_operand[]){ x1, x2 }, out);
	return dpr_operand_array(*out);
}

static dpr_operand choose(struct parts *p, dpr_operand condition,
			  dpr_operand x1, dpr_operand x2)
{
	dpr_array **out = next_part(p);

	if (!p->status)
		p->status = (dpr_where)(condition.as.array, x1, x2, out);
	return dpr_operand_array(*out);
}

/* The same elements in another dtype. */
static dpr_operand cast(struct parts *p, dpr_operand x, dpr_dtype dtype)
{
	dpr_array **out = next_part(p);

	if (!p->status)
		p->status = dpr_astype(x.as.array, dtype, out);
	return dpr_operand_array(*out);
}

/* The same bits in another dtype of this size. */
static dpr_operand bits(struct parts *p, dpr_operand x, dpr_dtype dtype)
{
	dpr_array **out = next_part(p);
	const dpr_array *from = x.as.array;

	if (!p->status)
		p->status = array_make(dtype, from->rank, array_shape(from),
				       array_strides(from), from->offset,
				       from->usm, from->queue, from->kind, out);
	return dpr_operand_array(*out);
}

/* End a call whose results are @first and @second. */
static dpr_status finish(struct parts *p, const char *what, dpr_operand first,
			 dpr_operand second, dpr_array **out1, dpr_array **out2)
{
	if (p->status) {
		status_rename(what);
	} else {
		*out1 = dpr_array_retain(
			(dpr_array *)(uintptr_t)first.as.array);
		*out2 = dpr_array_retain(
			(dpr_array *)(uintptr_t)second.as.array);
	}
	for (int i = 0; i < p->n; i++)
		dpr_array_release(p->made[i]);
	return p->status;
}

/* Begin a call: set the results to NULL. */
static dpr_status begin(const char *what, dpr_array **out1, dpr_array **out2)
{
	if (out1)
		*out1 = NULL;
	if (out2)
		*out2 = NULL;
	if (!out1 || !out2)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: the place for a result is NULL", what);
	return process_check(what);
}

dpr_status(dpr_divmod)(dpr_operand x1, dpr_operand x2, dpr_array **quotient,
		       dpr_array **remainder)
{
	TRACE_CALL;
	HANDLES(x1, x2, quotient, remainder);
	struct parts p = { .status = begin("divmod", quotient, remainder) };
	dpr_operand first, second;

	if (p.status)
		return p.status;
	call_stack_whole();
	first = compute(&p, OPERATION__floor_divide, x1, x2);
	second = compute(&p, OPERATION__remainder, x1, x2);
	return finish(&p, "divmod", first, second, quotient, remainder);
}

/* Get the argument of modf() or frexp() as real floats. */
static dpr_operand take_floats(struct parts *p, const char *what,
			       const dpr_array *x)
{
	const dpr_operand v = dpr_operand_array(x);

	if (!p->status && !x)
		p->status =
			fail(DPR_ERROR_INVALID_ARGUMENT, "%s: x is NULL", what);
	else if (!p->status && dpr_dtype_kind(x->dtype) == 'c')
		p->status = fail(DPR_ERROR_DTYPE, "%s: does not take %s", what,
				 dpr_dtype_name(x->dtype));
	if (p->status)
		return v;
	array_trace(x->dtype, x->rank, array_shape(x));
	call_stack_whole();
	return dtype_level(x->dtype) < 2
		       ? cast(p, v,
			      dpr_dtype_default(dpr_queue_device(x->queue),
						'f'))
		       : v;
}

dpr_status dpr_modf(const dpr_array *x, dpr_array **fractional,
		    dpr_array **integral)
{
	TRACE_CALL;
	HANDLES(x, fractional, integral);
	struct parts p = { .status = begin("modf", fractional, integral) };
	const dpr_operand v = take_floats(&p, "modf", x);
	dpr_operand whole, rest;

	whole = compute(&p, OPERATION__trunc, v, v);
	rest = compute(&p, OPERATION__subtract, v, whole);
	/* Infinities have no rest, and zeros have the sign of x. */
	rest = choose(&p, compute(&p, OPERATION__isinf, v, v),
		      dpr_operand_float(0), rest);
	rest = compute(&p, OPERATION__copysign, rest, v);
	return finish(&p, "modf", rest, whole, fractional, integral);
}

dpr_status dpr_frexp(const dpr_array *x, dpr_array **mantissa,
		     dpr_array **exponent)
{
	TRACE_CALL;
	HANDLES(x, mantissa, exponent);
	struct parts p = { .status = begin("frexp", mantissa, exponent) };
	const dpr_operand v = take_floats(&p, "frexp", x);
	dpr_operand small, bias, i, e, m, odd;
	dpr_float_limits limits;
	int fraction, scale;
	int64_t most;
	dpr_dtype dtype;

	if (!p.status)
		p.status = dpr_finfo(v.as.array->dtype, &limits);
	if (p.status)
		return finish(&p, "frexp", v, v, mantissa, exponent);
	dtype = v.as.array->dtype;
	/* The number of bits of the fraction, the largest exponent as it is
	   stored, and a power of 2 that makes subnormal numbers normal. */
	fraction = -ilogb(limits.eps);
	most = (INT64_C(1) << (limits.bits - 1 - (uint32_t)fraction)) - 1;
	scale = fraction + 2;
	small = compute(&p, OPERATION__abs, v, v);
	small = compute(&p, OPERATION__less, small,
			dpr_operand_float(limits.smallest_normal));
	i = compute(&p, OPERATION__multiply, v,
		    dpr_operand_float(ldexp(1, scale)));
	i = choose(&p, small, i, v);
	i = bits(&p, i, compound_integer(dtype));
	e = compute(&p, OPERATION__bitwise_right_shift, i,
		    dpr_operand_int(fraction));
	e = compute(&p, OPERATION__bitwise_and, e, dpr_operand_int(most));
	/* Give m the exponent of the numbers from 0.5 on, below 1. */
	m = compute(&p, OPERATION__bitwise_and, i,
		    dpr_operand_int(~(most << fraction)));
	m = compute(&p, OPERATION__bitwise_or, m,
		    dpr_operand_int((most / 2 - 1) << fraction));
	m = bits(&p, m, dtype);
	/* Zeros, infinities and NaN stay; their exponent is 0. */
	odd = compute(&p, OPERATION__add, e, dpr_operand_int(1));
	odd = compute(&p, OPERATION__bitwise_and, odd, dpr_operand_int(most));
	odd = compute(&p, OPERATION__less, odd, dpr_operand_int(2));
	m = choose(&p, odd, v, m);
	e = cast(&p, e, DPR_INT32);
	bias = choose(&p, small, dpr_operand_int(most / 2 - 1 + scale),
		      dpr_operand_int(most / 2 - 1));
	e = compute(&p, OPERATION__subtract, e, cast(&p, bias, DPR_INT32));
	e = choose(&p, odd, dpr_operand_int(0), e);
	return finish(&p, "frexp", m, e, mantissa, exponent);
}
