/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - operators between numbers in an expression. */
#include "core/array/expression/number.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/array/element/decimal.h"
#include "core/array/element/dtype.h"
#include "core/base/status.h"

/* Any 64-bit integer, signed or unsigned, and the sum of two such integers fit
   into a `wide`. */
typedef __int128 wide;

static wide as_wide(dpr_operand a)
{
	return a.kind == DPR_OPERAND_INT ? (wide)a.as.i : (wide)a.as.u;
}

static double as_double(dpr_operand a)
{
	switch (a.kind) {
	case DPR_OPERAND_FLOAT: return a.as.f;
	case DPR_OPERAND_INT: return (double)a.as.i;
	default: return (double)a.as.u;
	}
}

static double _Complex as_complex(dpr_operand a)
{
	if (a.kind == DPR_OPERAND_COMPLEX)
		return CMPLX(a.as.c[0], a.as.c[1]);
	return CMPLX(as_double(a), 0);
}

static bool is_integer(dpr_operand a)
{
	return a.kind == DPR_OPERAND_INT || a.kind == DPR_OPERAND_UINT ||
	       a.kind == DPR_OPERAND_BOOL;
}

static dpr_status from_wide(wide value, dpr_operand *out)
{
	if (value < INT64_MIN || value > UINT64_MAX)
		return fail(DPR_ERROR_OVERFLOW,
			    "the result does not fit into 64 bits; write one "
			    "of the numbers with a decimal point to make it "
			    "a float");
	*out = value > INT64_MAX ? dpr_operand_uint((uint64_t)value)
				 : dpr_operand_int((int64_t)value);
	return DPR_OK;
}

static dpr_status from_complex(double _Complex value, dpr_operand *out)
{
	*out = dpr_operand_complex(value);
	return DPR_OK;
}

static dpr_status refuse_kind(enum token_kind op, const char *kind)
{
	return fail(DPR_ERROR_INVALID_ARGUMENT, "%s does not work on %s",
		    lexer_token_text(op), kind);
}

static dpr_status refuse_zero(enum token_kind op)
{
	return fail(DPR_ERROR_INVALID_ARGUMENT, "%s divides by zero",
		    lexer_token_text(op));
}

/* --- Integers ------------------------------------------------------------ */

static wide floor_quotient(wide a, wide b)
{
	wide q = a / b;

	return a % b && (a < 0) != (b < 0) ? q - 1 : q;
}

/* a ** b for b >= 0.  Stops as soon as the result does not fit into 64 bits. */
static dpr_status integer_power(wide a, wide b, dpr_operand *out)
{
	wide result = 1;

	if (a == 0 || a == 1)
		return from_wide(b == 0 ? 1 : a, out);
	if (a == -1)
		return from_wide(b % 2 ? -1 : 1, out);
	for (; b > 0; b--) {
		if (__builtin_mul_overflow(result, a, &result))
			result = (wide)UINT64_MAX + 1;
		if (result < INT64_MIN || result > UINT64_MAX)
			return from_wide(result, out);
	}
	return from_wide(result, out);
}

/* The product of two 64-bit integers.  If the product needs more than 127 bits,
   2^126 is returned, which does not fit into 64 bits even after a 64-bit
   integer is added. */
static wide multiply(wide a, wide b)
{
	wide product;

	return __builtin_mul_overflow(a, b, &product) ? (wide)1 << 126
						      : product;
}

/* a << b, or a >> b. */
static dpr_status integer_shift(enum token_kind op, wide a, wide b,
				dpr_operand *out)
{
	if (b < 0)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s shifts by a negative number",
			    lexer_token_text(op));
	if (op == TOKEN_RIGHT_SHIFT)
		return from_wide(b < 64 ? a >> (int)b : -(a < 0), out);
	/* If b is 64 or more, only a = 0 has a result that fits. */
	return from_wide(multiply(a, (wide)1 << (b < 64 ? (int)b : 64)), out);
}

static dpr_status integer_binary(enum token_kind op, wide a, wide b,
				 dpr_operand *out)
{
	switch (op) {
	case TOKEN_ADD: return from_wide(a + b, out);
	case TOKEN_SUBTRACT: return from_wide(a - b, out);
	case TOKEN_MULTIPLY: return from_wide(multiply(a, b), out);
	case TOKEN_AND: return from_wide(a & b, out);
	case TOKEN_OR: return from_wide(a | b, out);
	case TOKEN_XOR: return from_wide(a ^ b, out);
	case TOKEN_LEFT_SHIFT:
	case TOKEN_RIGHT_SHIFT: return integer_shift(op, a, b, out);
	case TOKEN_FLOOR_DIVIDE:
		return b ? from_wide(floor_quotient(a, b), out)
			 : refuse_zero(op);
	case TOKEN_REMAINDER:
		return b ? from_wide(a - b * floor_quotient(a, b), out)
			 : refuse_zero(op);
	default: /* TOKEN_POWER; no other operator gives an integer */
		return integer_power(a, b, out);
	}
}

/* --- Floats -------------------------------------------------------------- */

static double float_remainder(double a, double b)
{
	double r = fmod(a, b);

	if (r == 0)
		return copysign(0, b);
	return (r < 0) != (b < 0) ? r + b : r;
}

static double float_quotient(double a, double b)
{
	double r = fmod(a, b), q = (a - r) / b, whole;

	if (r != 0 && (r < 0) != (b < 0))
		q -= 1;
	if (q == 0)
		return copysign(0, a / b);
	whole = floor(q);
	/* Without rounding, q is an integer.  If rounding made q a little
	   smaller, floor() is 1 too low. */
	return q - whole > 0.5 ? whole + 1 : whole;
}

static dpr_status complex_power(double _Complex a, double _Complex b,
				dpr_operand *out)
{
	double n = creal(b);
	double _Complex result = 1;
	int i;

	if (a == 0 && (n < 0 || cimag(b) != 0))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "0 to a negative or complex power");
	if (cimag(b) != 0 || n != floor(n) || fabs(n) > 100)
		return from_complex(a == 0 ? (b == 0) : cpow(a, b), out);
	/* Unlike cpow(), this loop gives an exact result if all products are
	   exact. */
	for (i = 0; i < (int)fabs(n); i++)
		result *= a;
	return from_complex(n < 0 ? 1 / result : result, out);
}

static dpr_status float_power(double a, double b, dpr_operand *out)
{
	double result;

	if (a == 0 && b < 0)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "0 to a negative power");
	if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b))
		return complex_power(a, b, out);
	result = pow(a, b);
	if (isinf(result) && isfinite(a) && isfinite(b))
		return fail(DPR_ERROR_OVERFLOW, "the power is too large for a "
						"float");
	*out = dpr_operand_float(result);
	return DPR_OK;
}

static dpr_status float_binary(enum token_kind op, double a, double b,
			       dpr_operand *out)
{
	double result;

	if (op == TOKEN_POWER)
		return float_power(a, b, out);
	if (b == 0 && (op == TOKEN_DIVIDE || op == TOKEN_FLOOR_DIVIDE ||
		       op == TOKEN_REMAINDER))
		return refuse_zero(op);
	switch (op) {
	case TOKEN_ADD: result = a + b; break;
	case TOKEN_SUBTRACT: result = a - b; break;
	case TOKEN_MULTIPLY: result = a * b; break;
	case TOKEN_DIVIDE: result = a / b; break;
	case TOKEN_FLOOR_DIVIDE: result = float_quotient(a, b); break;
	case TOKEN_REMAINDER: result = float_remainder(a, b); break;
	default: return refuse_kind(op, "floats");
	}
	*out = dpr_operand_float(result);
	return DPR_OK;
}

static dpr_status complex_binary(enum token_kind op, double _Complex a,
				 double _Complex b, dpr_operand *out)
{
	switch (op) {
	case TOKEN_ADD: return from_complex(a + b, out);
	case TOKEN_SUBTRACT: return from_complex(a - b, out);
	case TOKEN_MULTIPLY: return from_complex(a * b, out);
	case TOKEN_DIVIDE:
		return b == 0 ? refuse_zero(op) : from_complex(a / b, out);
	case TOKEN_POWER: return complex_power(a, b, out);
	default: return refuse_kind(op, "complex numbers");
	}
}

/* --- All kinds ----------------------------------------------------------- */

static bool is_comparison(enum token_kind op)
{
	return op == TOKEN_EQUAL || op == TOKEN_NOT_EQUAL || op == TOKEN_LESS ||
	       op == TOKEN_LESS_EQUAL || op == TOKEN_GREATER ||
	       op == TOKEN_GREATER_EQUAL;
}

/* Compare an integer with a float without rounding.  Returns a number less
   than, equal to or greater than 0.  @b is not NaN. */
static int compare_mixed(wide a, double b)
{
	double whole = trunc(b);

	if (fabs(b) > 0x1p64)
		return b < 0 ? 1 : -1;
	if (a != (wide)whole)
		return a < (wide)whole ? -1 : 1;
	return b > whole ? -1 : b < whole;
}

/* Like compare_mixed(), for any two real numbers that are not NaN. */
static int compare_real(dpr_operand a, dpr_operand b)
{
	double x, y;

	if (is_integer(a) && is_integer(b))
		return as_wide(a) < as_wide(b) ? -1 : as_wide(a) > as_wide(b);
	if (is_integer(a))
		return compare_mixed(as_wide(a), b.as.f);
	if (is_integer(b))
		return -compare_mixed(as_wide(b), a.as.f);
	x = a.as.f;
	y = b.as.f;
	return x < y ? -1 : x > y;
}

static bool equal_complex(dpr_operand a, dpr_operand b)
{
	double _Complex x = as_complex(a), y = as_complex(b);

	if (x != y || cimag(x) != 0)
		return x == y;
	/* as_complex() may have rounded an integer.  So compare the numbers
	   exactly. */
	if (a.kind == DPR_OPERAND_COMPLEX)
		a = dpr_operand_float(creal(x));
	if (b.kind == DPR_OPERAND_COMPLEX)
		b = dpr_operand_float(creal(y));
	return compare_real(a, b) == 0;
}

static bool is_nan(dpr_operand a)
{
	return a.kind == DPR_OPERAND_FLOAT && isnan(a.as.f);
}

static dpr_status compare_numbers(enum token_kind op, dpr_operand a,
				  dpr_operand b, dpr_operand *out)
{
	bool equal;
	int order;

	if (a.kind == DPR_OPERAND_COMPLEX || b.kind == DPR_OPERAND_COMPLEX) {
		if (op != TOKEN_EQUAL && op != TOKEN_NOT_EQUAL)
			return refuse_kind(op, "complex numbers");
		equal = equal_complex(a, b);
		*out = dpr_operand_bool(equal == (op == TOKEN_EQUAL));
		return DPR_OK;
	}
	/* NaN is not equal to anything. */
	if (is_nan(a) || is_nan(b)) {
		*out = dpr_operand_bool(op == TOKEN_NOT_EQUAL);
		return DPR_OK;
	}
	order = compare_real(a, b);
	switch (op) {
	case TOKEN_EQUAL: *out = dpr_operand_bool(order == 0); break;
	case TOKEN_NOT_EQUAL: *out = dpr_operand_bool(order != 0); break;
	case TOKEN_LESS: *out = dpr_operand_bool(order < 0); break;
	case TOKEN_LESS_EQUAL: *out = dpr_operand_bool(order <= 0); break;
	case TOKEN_GREATER: *out = dpr_operand_bool(order > 0); break;
	default: *out = dpr_operand_bool(order >= 0); break;
	}
	return DPR_OK;
}

dpr_status number_binary(enum token_kind op, dpr_operand a, dpr_operand b,
			 dpr_operand *out)
{
	dpr_status status;

	if (is_comparison(op))
		return compare_numbers(op, a, b, out);
	if (a.kind == DPR_OPERAND_COMPLEX || b.kind == DPR_OPERAND_COMPLEX)
		return complex_binary(op, as_complex(a), as_complex(b), out);
	if (!is_integer(a) || !is_integer(b) || op == TOKEN_DIVIDE ||
	    (op == TOKEN_POWER && as_wide(b) < 0))
		return float_binary(op, as_double(a), as_double(b), out);
	status = integer_binary(op, as_wide(a), as_wide(b), out);
	if (status)
		return status;
	if (a.kind == DPR_OPERAND_BOOL && b.kind == DPR_OPERAND_BOOL &&
	    (op == TOKEN_AND || op == TOKEN_OR || op == TOKEN_XOR))
		*out = dpr_operand_bool(out->as.i != 0);
	return DPR_OK;
}

dpr_status number_unary(enum token_kind op, dpr_operand a, dpr_operand *out)
{
	if (op == TOKEN_INVERT) {
		if (a.kind == DPR_OPERAND_BOOL)
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "~True is -2 and ~False is -1 in Python; "
				    "write False or True instead");
		if (!is_integer(a))
			return refuse_kind(op, "floats and complex numbers");
		return from_wide(~as_wide(a), out);
	}
	if (is_integer(a))
		return from_wide(
			op == TOKEN_SUBTRACT ? -as_wide(a) : as_wide(a), out);
	*out = a;
	if (op == TOKEN_SUBTRACT && a.kind == DPR_OPERAND_FLOAT)
		out->as.f = -a.as.f;
	else if (op == TOKEN_SUBTRACT)
		*out = dpr_operand_complex_parts(-a.as.c[0], -a.as.c[1]);
	return DPR_OK;
}

bool number_is_kind_of(dpr_operand number, dpr_dtype dtype)
{
	const int level = number.kind == DPR_OPERAND_BOOL      ? 0
			  : number.kind == DPR_OPERAND_FLOAT   ? 2
			  : number.kind == DPR_OPERAND_COMPLEX ? 3
							       : 1;

	return level <= dtype_level(dtype);
}

/* --- Functions of integers ------------------------------------------------ */

bool number_are_integers(const dpr_operand *x, int n)
{
	bool all = true, numbers = false;

	for (int i = 0; i < n; i++) {
		all = all && is_integer(x[i]);
		numbers = numbers || x[i].kind != DPR_OPERAND_BOOL;
	}
	return all && numbers;
}

dpr_status number_absolute(dpr_operand a, dpr_operand *out)
{
	return from_wide(as_wide(a) < 0 ? -as_wide(a) : as_wide(a), out);
}

dpr_status number_multiply_add(dpr_operand a, dpr_operand b, dpr_operand c,
			       dpr_operand *out)
{
	return from_wide(multiply(as_wide(a), as_wide(b)) + as_wide(c), out);
}

dpr_status number_minimum(dpr_operand a, dpr_operand b, dpr_operand *out)
{
	return from_wide(as_wide(a) < as_wide(b) ? as_wide(a) : as_wide(b),
			 out);
}

dpr_status number_maximum(dpr_operand a, dpr_operand b, dpr_operand *out)
{
	return from_wide(as_wide(a) > as_wide(b) ? as_wide(a) : as_wide(b),
			 out);
}

static wide common_divisor(dpr_operand a, dpr_operand b)
{
	wide x = as_wide(a), y = as_wide(b), rest;

	while (y) {
		rest = x % y;
		x = y;
		y = rest;
	}
	return x < 0 ? -x : x;
}

dpr_status number_gcd(dpr_operand a, dpr_operand b, dpr_operand *out)
{
	return from_wide(common_divisor(a, b), out);
}

dpr_status number_lcm(dpr_operand a, dpr_operand b, dpr_operand *out)
{
	const wide divisor = common_divisor(a, b);
	wide multiple = 0;

	if (divisor)
		multiple = multiply(as_wide(a) / divisor, as_wide(b));
	return from_wide(multiple < 0 ? -multiple : multiple, out);
}

/* --- Text ---------------------------------------------------------------- */

void number_format(dpr_operand a, char text[NUMBER_TEXT])
{
	char re[DECIMAL_ROOM], im[DECIMAL_ROOM];

	switch (a.kind) {
	case DPR_OPERAND_BOOL: strcpy(text, a.as.u ? "True" : "False"); return;
	case DPR_OPERAND_INT:
		snprintf(text, NUMBER_TEXT, "%lld", (long long)a.as.i);
		return;
	case DPR_OPERAND_UINT:
		snprintf(text, NUMBER_TEXT, "%llu", (unsigned long long)a.as.u);
		return;
	case DPR_OPERAND_FLOAT:
		decimal_write_alone(DPR_FLOAT64, a.as.f, true, false, text);
		return;
	}
	decimal_write_alone(DPR_FLOAT64, a.as.c[0], false, false, re);
	decimal_write_alone(DPR_FLOAT64, a.as.c[1], false, false, im);
	if (a.as.c[0] == 0 && !signbit(a.as.c[0]))
		snprintf(text, NUMBER_TEXT, "%.60sj", im);
	else
		snprintf(text, NUMBER_TEXT, "(%.40s%s%.40sj)", re,
			 *im == '-' ? "" : "+", im);
}
