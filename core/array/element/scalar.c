/* SPDX-License-Identifier: Apache-2.0 */
/* scalar.c - single elements on the host. */
#include "core/array/element/scalar.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/status.h"

double scalar_from_half(uint16_t bits)
{
	int exponent = bits >> 10 & 0x1f, mantissa = bits & 0x3ff;
	double value;

	if (exponent == 0x1f)
		value = mantissa ? NAN : INFINITY;
	else if (exponent)
		value = ldexp(mantissa + 0x400, exponent - 25);
	else
		value = ldexp(mantissa, -24);
	return bits & 0x8000 ? -value : value;
}

double scalar_from_bfloat16(uint16_t bits)
{
	uint32_t wide = (uint32_t)bits << 16;
	float value;

	memcpy(&value, &wide, sizeof(value));
	return value;
}

/* Round to a 16-bit float with @fraction bits after the point.  @least is the
   exponent of the smallest normal numbers, and 1 - @least is the exponent of
   the largest. */
static uint16_t to_short_float(double value, int fraction, int least)
{
	const int infinity = 0x8000 - (1 << fraction);
	const int sign = signbit(value) ? 0x8000 : 0;
	const double magnitude = fabs(value);
	const double limit = ldexp(2 - ldexp(1, -fraction - 1), 1 - least);
	int exponent;
	long steps;

	if (isnan(value))
		return (uint16_t)(sign | infinity | 1 << (fraction - 1));
	if (magnitude >= limit)
		return (uint16_t)(sign | infinity);
	/* subnormal numbers have equal steps */
	if (magnitude < ldexp(1, least))
		return (uint16_t)(sign |
				  lrint(ldexp(magnitude, fraction - least)));
	exponent = ilogb(magnitude);
	/* exponent - least is one less than the exponent field needs.  The
	   leading 1 of @steps adds the rest. */
	steps = lrint(ldexp(magnitude, fraction - exponent));
	return (uint16_t)(sign | (((exponent - least) << fraction) + steps));
}

uint16_t scalar_to_half(double value)
{
	return to_short_float(value, 10, -14);
}

uint16_t scalar_to_bfloat16(double value)
{
	return to_short_float(value, 7, -126);
}

#define LOAD(T)                                 \
	({                                      \
		T v_;                           \
		memcpy(&v_, bytes, sizeof(v_)); \
		v_;                             \
	})

dpr_operand scalar_load(const void *bytes, dpr_dtype dtype)
{
	switch (dtype) {
	case DPR_BOOL: return dpr_operand_bool(LOAD(uint8_t) != 0);
	case DPR_INT8: return dpr_operand_int(LOAD(int8_t));
	case DPR_INT16: return dpr_operand_int(LOAD(int16_t));
	case DPR_INT32: return dpr_operand_int(LOAD(int32_t));
	case DPR_INT64: return dpr_operand_int(LOAD(int64_t));
	case DPR_UINT8: return dpr_operand_uint(LOAD(uint8_t));
	case DPR_UINT16: return dpr_operand_uint(LOAD(uint16_t));
	case DPR_UINT32: return dpr_operand_uint(LOAD(uint32_t));
	case DPR_UINT64: return dpr_operand_uint(LOAD(uint64_t));
	case DPR_FLOAT16:
		return dpr_operand_float(scalar_from_half(LOAD(uint16_t)));
	case DPR_BFLOAT16:
		return dpr_operand_float(scalar_from_bfloat16(LOAD(uint16_t)));
	case DPR_FLOAT32: return dpr_operand_float((double)LOAD(float));
	case DPR_FLOAT64: return dpr_operand_float(LOAD(double));
	case DPR_COMPLEX64: {
		float parts[2];

		memcpy(parts, bytes, sizeof(parts));
		return dpr_operand_complex_parts((double)parts[0],
						 (double)parts[1]);
	}
	case DPR_COMPLEX128: {
		double parts[2];

		memcpy(parts, bytes, sizeof(parts));
		return dpr_operand_complex_parts(parts[0], parts[1]);
	}
	case DPR_DTYPE_DEFAULT:
	case DPR_DTYPE_FORCE_INT: break;
	}
	return dpr_operand_int(0);
}

/* A scalar as a float, and as an integer if it is an integer. */
struct number {
	bool is_integer, negative;
	uint64_t bits; /* the integer, in two's complement */
	double re, im;
};

static bool number_from(dpr_operand value, struct number *n)
{
	memset(n, 0, sizeof(*n));
	switch (value.kind) {
	case DPR_OPERAND_BOOL:
		value.as.u = value.as.u != 0;
		/* fall through */
	case DPR_OPERAND_UINT:
		n->is_integer = true;
		n->bits = value.as.u;
		n->re = (double)value.as.u;
		return true;
	case DPR_OPERAND_INT:
		n->is_integer = true;
		n->negative = value.as.i < 0;
		n->bits = (uint64_t)value.as.i;
		n->re = (double)value.as.i;
		return true;
	case DPR_OPERAND_FLOAT: n->re = value.as.f; return true;
	case DPR_OPERAND_COMPLEX:
		n->re = value.as.c[0];
		n->im = value.as.c[1];
		return true;
	}
	return false;
}

/* Truncate a float to an integer.  Returns false if it is out of range. */
static bool number_truncate(struct number *n)
{
	double t = trunc(n->re);

	if (n->is_integer)
		return true;
	if (!(t >= -0x1p63 && t < 0x1p64))
		return false;
	n->negative = t < 0;
	n->bits = t < 0 ? (uint64_t)(int64_t)t : (uint64_t)t;
	return true;
}

static bool fits_integer(const struct number *n, dpr_dtype dtype)
{
	unsigned bits = 8 * (unsigned)dpr_dtype_size(dtype);

	if (dpr_dtype_kind(dtype) == 'u')
		return !n->negative &&
		       (bits == 64 || n->bits < (uint64_t)1 << bits);
	if (n->negative)
		return n->bits >= ~(uint64_t)0 << (bits - 1);
	return n->bits < (uint64_t)1 << (bits - 1);
}

bool scalar_is_outside(dpr_operand value, dpr_dtype dtype)
{
	const char kind = dpr_dtype_kind(dtype);
	struct number n;

	return (kind == 'i' || kind == 'u') && number_from(value, &n) &&
	       n.is_integer && !fits_integer(&n, dtype);
}

static dpr_status store_integer(const char *what, dpr_operand value,
				struct number *n, dpr_dtype dtype, void *bytes)
{
	char text[DBL_MAX_10_EXP + 8];
	uint16_t u2;
	uint32_t u4;
	uint8_t u1;

	if (!number_truncate(n) || !fits_integer(n, dtype)) {
		if (value.kind == DPR_OPERAND_INT)
			snprintf(text, sizeof(text), "%lld",
				 (long long)value.as.i);
		else if (value.kind == DPR_OPERAND_UINT)
			snprintf(text, sizeof(text), "%llu",
				 (unsigned long long)value.as.u);
		else
			/* "%.0f" writes no point, so the locale does not
			   matter. */
			snprintf(text, sizeof(text), "%.0f", trunc(n->re));
		return fail(DPR_ERROR_OVERFLOW,
			    "%s: %s is out of the range of %s", what, text,
			    dpr_dtype_name(dtype));
	}
	u1 = (uint8_t)n->bits;
	u2 = (uint16_t)n->bits;
	u4 = (uint32_t)n->bits;
	switch (dpr_dtype_size(dtype)) {
	case 1: memcpy(bytes, &u1, sizeof(u1)); break;
	case 2: memcpy(bytes, &u2, sizeof(u2)); break;
	case 4: memcpy(bytes, &u4, sizeof(u4)); break;
	default: memcpy(bytes, &n->bits, sizeof(n->bits));
	}
	return DPR_OK;
}

/* An integer as a double that rounds to the same bfloat16.  A double holds 53
   bits; the bits beyond are or-ed into the last bit. */
static double number_odd(const struct number *n)
{
	uint64_t size = n->negative ? 0 - n->bits : n->bits;
	double value = (double)size;

	if (!n->is_integer)
		return n->re;
	if (size >> 53)
		value = ldexp((double)(size >> 11 | ((size & 0x7ff) != 0)), 11);
	return n->negative ? -value : value;
}

static void store_float(const struct number *n, dpr_dtype dtype, void *bytes)
{
	float single[2] = { (float)n->re, (float)n->im };
	double parts[2] = { n->re, n->im };
	uint16_t bits;

	/* An integer is converted to float32 with a single rounding. */
	if (n->is_integer)
		single[0] =
			n->negative ? (float)(int64_t)n->bits : (float)n->bits;
	switch (dtype) {
	case DPR_FLOAT16:
		bits = scalar_to_half(n->re);
		memcpy(bytes, &bits, sizeof(bits));
		break;
	case DPR_BFLOAT16:
		bits = scalar_to_bfloat16(number_odd(n));
		memcpy(bytes, &bits, sizeof(bits));
		break;
	case DPR_FLOAT32: memcpy(bytes, single, sizeof(single[0])); break;
	case DPR_FLOAT64: memcpy(bytes, parts, sizeof(parts[0])); break;
	case DPR_COMPLEX64: memcpy(bytes, single, sizeof(single)); break;
	default: memcpy(bytes, parts, sizeof(parts));
	}
}

dpr_status scalar_store(const char *what, dpr_operand value, dpr_dtype dtype,
			void *bytes)
{
	char kind = dpr_dtype_kind(dtype);
	struct number n;
	uint8_t truth;

	if (!number_from(value, &n))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: the operand is not a scalar (kind %u)", what,
			    value.kind);
	if (value.kind == DPR_OPERAND_COMPLEX && kind != 'c')
		return fail(DPR_ERROR_DTYPE,
			    "%s: a complex number does not fit into %s", what,
			    dpr_dtype_name(dtype));
	switch (kind) {
	case 'b':
		truth = n.is_integer ? n.bits != 0 : n.re != 0;
		memcpy(bytes, &truth, sizeof(truth));
		return DPR_OK;
	case 'i':
	case 'u': return store_integer(what, value, &n, dtype, bytes);
	case 'f':
	case 'c': store_float(&n, dtype, bytes); return DPR_OK;
	}
	return fail(DPR_ERROR_DTYPE, "%s: %d is not a dtype", what, (int)dtype);
}

dpr_status scalar_store_computed(const char *what, dpr_operand value,
				 dpr_dtype dtype, unsigned char bytes[16])
{
	dpr_status status;

	memset(bytes, 0, 16);
	status = scalar_store(what, value, dtype, bytes);
	if (status || (dtype != DPR_FLOAT16 && dtype != DPR_BFLOAT16))
		return status;
	/* First round the value to 16 bits, like an element of an array. */
	return scalar_store(what, scalar_load(bytes, dtype), DPR_FLOAT32,
			    bytes);
}
