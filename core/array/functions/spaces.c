/* SPDX-License-Identifier: Apache-2.0 */
/* spaces.c - dpr_logspace() and dpr_geomspace(): powers whose exponents are
   evenly spaced. */
#include <float.h>
#include <math.h>

#include <dpr/creation.h>
#include <dpr/device.h>
#include <dpr/queue.h>

#include "core/array/element/dtype.h"
#include "core/array/functions/elementwise.h"
#include "core/array/launch/cast.h"
#include "core/array/layout/layout.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* What a call makes. */
struct space {
	const char *what;
	int64_t num;
	bool endpoint;
	dpr_dtype dtype; /* the dtype of the result */
	dpr_dtype work;  /* the dtype in which the result is computed */
	dpr_queue *queue;
	dpr_usm_kind kind;
};

static bool is_number(dpr_operand x)
{
	return x.kind >= DPR_OPERAND_BOOL && x.kind <= DPR_OPERAND_COMPLEX;
}

/* A number as a complex number, in @c. */
static void as_complex(dpr_operand x, double c[2])
{
	c[1] = 0;
	switch (x.kind) {
	case DPR_OPERAND_COMPLEX:
		c[0] = x.as.c[0];
		c[1] = x.as.c[1];
		break;
	case DPR_OPERAND_FLOAT: c[0] = x.as.f; break;
	case DPR_OPERAND_INT: c[0] = (double)x.as.i; break;
	default: c[0] = (double)x.as.u;
	}
}

/* Check what all calls have, and choose the dtypes.  @numbers are the ends, and
   the base. */
static dpr_status begin(struct space *s, const dpr_operand *numbers, int n,
			dpr_array **out)
{
	bool is_complex = false;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: out is NULL",
			    s->what);
	*out = NULL;
	if (s->num < 0)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: num is %lld, but must be 0 or more", s->what,
			    (long long)s->num);
	for (int i = 0; i < n; i++) {
		if (!is_number(numbers[i]))
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "%s: start, stop and base must be numbers",
				    s->what);
		is_complex =
			is_complex || numbers[i].kind == DPR_OPERAND_COMPLEX;
	}
	if (!s->queue) {
		status = dpr_canonical_queue(NULL, &s->queue);
		if (status)
			return status;
	}
	if (s->dtype == DPR_DTYPE_DEFAULT)
		s->dtype = dpr_dtype_default(dpr_queue_device(s->queue),
					     is_complex ? 'c' : 'f');
	if (dpr_dtype_kind(s->dtype) != 'c' &&
	    (dpr_dtype_kind(s->dtype) != 'f' || is_complex))
		return fail(DPR_ERROR_DTYPE, "%s: the dtype must be %s, not %s",
			    s->what,
			    is_complex ? "complex, as a number is"
				       : "float or complex",
			    dpr_dtype_name(s->dtype));
	/* In float64, where the device has it: an error of the exponent grows
	   with the exponent. */
	s->work = dpr_dtype_default(dpr_queue_device(s->queue),
				    is_complex ? 'c' : 'f');
	return DPR_OK;
}

/* Make base to the power of exponents from @start to @stop. */
static dpr_status make_powers(const struct space *s, dpr_operand base,
			      dpr_operand start, dpr_operand stop,
			      dpr_array **out)
{
	dpr_operand both[2] = { base };
	dpr_status status;

	status = (dpr_linspace_on)(start, stop, s->num, s->endpoint, s->work,
				   s->queue, s->kind, out);
	if (status)
		return status;
	both[1] = dpr_operand_array(*out);
	return elementwise_run_into(OPERATION__pow, both, *out);
}

/* Make the result of @values, and release these. */
static dpr_status end(const struct space *s, dpr_status status,
		      dpr_array *values, dpr_array **out)
{
	if (!status && values->dtype != s->dtype) {
		status = cast_new(s->what, values, s->dtype, s->kind, out);
		dpr_array_release(values);
		return status;
	}
	if (status)
		status_rename(s->what);
	return array_finish(status, values, out);
}

dpr_status(dpr_logspace_on)(dpr_operand start, dpr_operand stop, int64_t num,
			    bool endpoint, dpr_operand base, dpr_dtype dtype,
			    dpr_queue *queue, dpr_usm_kind kind,
			    dpr_array **out)
{
	TRACE_CALL;
	HANDLES(start, stop, base, queue, out);
	const dpr_operand numbers[] = { start, stop, base };
	struct space s = { .what = "logspace",
			   .num = num,
			   .endpoint = endpoint,
			   .dtype = dtype,
			   .queue = queue,
			   .kind = kind };
	dpr_array *values = NULL;
	dpr_status status = begin(&s, numbers, 3, out);

	if (status)
		return status;
	status = make_powers(&s, base, start, stop, &values);
	return end(&s, status, values, out);
}

dpr_status(dpr_logspace)(dpr_operand start, dpr_operand stop, int64_t num,
			 dpr_operand base, dpr_dtype dtype, dpr_queue *queue,
			 dpr_array **out)
{
	TRACE_CALL;
	HANDLES(start, stop, base, queue, out);

	return (dpr_logspace_on)(start, stop, num, true, base, dtype, queue,
				 DPR_USM_DEVICE, out);
}

/* --- A constant ratio ------------------------------------------------------
 */

/* A complex number by its direction and the logarithm of its size. */
struct polar {
	double unit[2], log10;
};

static struct polar as_polar(const double c[2])
{
	double re = c[0], im = c[1], size = hypot(re, im);
	struct polar p;
	int shift = 0;

	/* Neither the size nor its parts may overflow or lose bits. */
	if ((isinf(size) && isfinite(re) && isfinite(im)) || size < DBL_MIN) {
		(void)frexp(fmax(fabs(re), fabs(im)), &shift);
		re = ldexp(re, -shift);
		im = ldexp(im, -shift);
		size = hypot(re, im);
	}
	p.unit[0] = re / size;
	p.unit[1] = im / size;
	p.log10 = log10(size) + shift * log10(2);
	return p;
}

/* Write @value to element @i of @x. */
static dpr_status put_element(dpr_array *x, int64_t i, dpr_operand value)
{
	struct layout layout;
	dpr_array *element;
	dpr_status status;

	array_layout(x, &layout);
	layout.offset += i;
	layout.dim[0] = 1;
	status = array_view(x, &layout, &element);
	if (status)
		return status;
	status = cast_fill(element, value);
	dpr_array_release(element);
	return status;
}

/* Make the numbers between the ends in the dtype `work`.  The numbers
   are computed for a positive start, and then multiplied by the direction of
   the real start.  So numbers on one line through 0 stay on this line. */
static dpr_status make_ratios(const struct space *s, struct polar from,
			      struct polar to, dpr_array **out)
{
	const double *a = from.unit, *b = to.unit;
	const double angle =
		atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
	const bool is_complex = dpr_dtype_kind(s->work) == 'c';
	const dpr_operand last =
		is_complex
			? dpr_operand_complex_parts(to.log10, angle / log(10.0))
			: dpr_operand_float(to.log10);
	dpr_operand both[2];
	dpr_status status;

	status = make_powers(s, dpr_operand_int(10),
			     dpr_operand_float(from.log10), last, out);
	if (status || (a[0] == 1 && a[1] == 0))
		return status;
	both[0] = dpr_operand_array(*out);
	both[1] = is_complex ? dpr_operand_complex_parts(a[0], a[1])
			     : dpr_operand_float(a[0]);
	return elementwise_run_into(OPERATION__multiply, both, *out);
}

dpr_status(dpr_geomspace_on)(dpr_operand start, dpr_operand stop, int64_t num,
			     bool endpoint, dpr_dtype dtype, dpr_queue *queue,
			     dpr_usm_kind kind, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(start, stop, queue, out);
	const dpr_operand numbers[] = { start, stop };
	struct space s = { .what = "geomspace",
			   .num = num,
			   .endpoint = endpoint,
			   .dtype = dtype,
			   .queue = queue,
			   .kind = kind };
	double first[2], last[2];
	dpr_array *values = NULL, *made = NULL;
	dpr_status status = begin(&s, numbers, 2, out);

	if (status)
		return status;
	as_complex(start, first);
	as_complex(stop, last);
	if ((first[0] == 0 && first[1] == 0) || (last[0] == 0 && last[1] == 0))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "geomspace: start or stop is 0, but neither can be "
			    "0; use dpr_linspace()");
	if (dpr_dtype_kind(s.dtype) == 'c')
		s.work = dpr_dtype_default(dpr_queue_device(s.queue), 'c');
	else if ((first[0] < 0) != (last[0] < 0))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "geomspace: the ends have different signs, which "
			    "needs a complex dtype");
	status = make_ratios(&s, as_polar(first), as_polar(last), &values);
	status = end(&s, status, values, &made);
	if (!status && num > 0)
		status = put_element(made, 0, start);
	if (!status && num > 1 && endpoint)
		status = put_element(made, num - 1, stop);
	return array_finish(status, made, out);
}

dpr_status(dpr_geomspace)(dpr_operand start, dpr_operand stop, int64_t num,
			  dpr_dtype dtype, dpr_queue *queue, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(start, stop, queue, out);

	return (dpr_geomspace_on)(start, stop, num, true, dtype, queue,
				  DPR_USM_DEVICE, out);
}
