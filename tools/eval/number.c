/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - operators between numbers of an expression. */
#include "tools/eval/number.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sums and products of two 64-bit integers fit. */
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

static bool from_wide(wide value, dpr_operand *out, struct message *message)
{
	if (value < INT64_MIN || value > UINT64_MAX)
		return message_set(
			message, "the result does not fit 64 bits; write one "
				 "of the numbers with a point to have a float");
	*out = value > INT64_MAX ? dpr_operand_uint((uint64_t)value)
				 : dpr_operand_int((int64_t)value);
	return true;
}

static bool from_complex(double _Complex value, dpr_operand *out)
{
	*out = dpr_operand_complex(value);
	return true;
}

static bool refuse_kind(enum token_kind op, const char *kind,
			struct message *message)
{
	return message_set(message, "%s does not work on %s",
			   lexer_token_text(op), kind);
}

static bool refuse_zero(enum token_kind op, struct message *message)
{
	return message_set(message, "%s by zero", lexer_token_text(op));
}

/* --- Integers ------------------------------------------------------------ */

static wide floor_quotient(wide a, wide b)
{
	wide q = a / b;

	return a % b && (a < 0) != (b < 0) ? q - 1 : q;
}

/* a ** b for b >= 0: squares of a wide number are never taken beyond 64 bits.
 */
static bool integer_power(wide a, wide b, dpr_operand *out,
			  struct message *message)
{
	wide result = 1;

	if (a == 0 || a == 1)
		return from_wide(b == 0 ? 1 : a, out, message);
	if (a == -1)
		return from_wide(b % 2 ? -1 : 1, out, message);
	for (; b > 0; b--) {
		if (__builtin_mul_overflow(result, a, &result))
			result = (wide)UINT64_MAX + 1;
		if (result < INT64_MIN || result > UINT64_MAX)
			return from_wide(result, out, message);
	}
	return from_wide(result, out, message);
}

static bool integer_binary(enum token_kind op, wide a, wide b, dpr_operand *out,
			   struct message *message)
{
	switch (op) {
	case TOKEN_ADD: return from_wide(a + b, out, message);
	case TOKEN_SUBTRACT: return from_wide(a - b, out, message);
	case TOKEN_MULTIPLY: {
		wide product;

		/* Two unsigned numbers can pass 127 bits. */
		if (__builtin_mul_overflow(a, b, &product))
			product = (wide)UINT64_MAX + 1;
		return from_wide(product, out, message);
	}
	case TOKEN_AND: return from_wide(a & b, out, message);
	case TOKEN_OR: return from_wide(a | b, out, message);
	case TOKEN_XOR: return from_wide(a ^ b, out, message);
	case TOKEN_FLOOR_DIVIDE:
		return b ? from_wide(floor_quotient(a, b), out, message)
			 : refuse_zero(op, message);
	case TOKEN_REMAINDER:
		return b ? from_wide(a - b * floor_quotient(a, b), out, message)
			 : refuse_zero(op, message);
	default: /* TOKEN_POWER; the other results are not integers */
		return integer_power(a, b, out, message);
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
	/* The division may have been rounded down past an integer. */
	return q - whole > 0.5 ? whole + 1 : whole;
}

static bool complex_power(double _Complex a, double _Complex b,
			  dpr_operand *out, struct message *message)
{
	double n = creal(b);
	double _Complex result = 1;
	int i;

	if (a == 0 && (n < 0 || cimag(b) != 0))
		return message_set(message, "0 to a negative or complex power");
	if (cimag(b) != 0 || n != floor(n) || fabs(n) > 100)
		return from_complex(a == 0 ? (b == 0) : cpow(a, b), out);
	/* Small whole powers are exact where products are. */
	for (i = 0; i < (int)fabs(n); i++)
		result *= a;
	return from_complex(n < 0 ? 1 / result : result, out);
}

static bool float_power(double a, double b, dpr_operand *out,
			struct message *message)
{
	double result;

	if (a == 0 && b < 0)
		return message_set(message, "0 to a negative power");
	if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b))
		return complex_power(a, b, out, message);
	result = pow(a, b);
	if (isinf(result) && isfinite(a) && isfinite(b))
		return message_set(message, "the power is too large for a "
					    "float");
	*out = dpr_operand_float(result);
	return true;
}

static bool float_binary(enum token_kind op, double a, double b,
			 dpr_operand *out, struct message *message)
{
	double result;

	if (op == TOKEN_POWER)
		return float_power(a, b, out, message);
	if (b == 0 && (op == TOKEN_DIVIDE || op == TOKEN_FLOOR_DIVIDE ||
		       op == TOKEN_REMAINDER))
		return refuse_zero(op, message);
	switch (op) {
	case TOKEN_ADD: result = a + b; break;
	case TOKEN_SUBTRACT: result = a - b; break;
	case TOKEN_MULTIPLY: result = a * b; break;
	case TOKEN_DIVIDE: result = a / b; break;
	case TOKEN_FLOOR_DIVIDE: result = float_quotient(a, b); break;
	case TOKEN_REMAINDER: result = float_remainder(a, b); break;
	default: return refuse_kind(op, "floats", message);
	}
	*out = dpr_operand_float(result);
	return true;
}

static bool complex_binary(enum token_kind op, double _Complex a,
			   double _Complex b, dpr_operand *out,
			   struct message *message)
{
	switch (op) {
	case TOKEN_ADD: return from_complex(a + b, out);
	case TOKEN_SUBTRACT: return from_complex(a - b, out);
	case TOKEN_MULTIPLY: return from_complex(a * b, out);
	case TOKEN_DIVIDE:
		return b == 0 ? refuse_zero(op, message)
			      : from_complex(a / b, out);
	case TOKEN_POWER: return complex_power(a, b, out, message);
	default: return refuse_kind(op, "complex numbers", message);
	}
}

/* --- All kinds ----------------------------------------------------------- */

static bool is_comparison(enum token_kind op)
{
	return op == TOKEN_EQUAL || op == TOKEN_NOT_EQUAL || op == TOKEN_LESS ||
	       op == TOKEN_LESS_EQUAL || op == TOKEN_GREATER ||
	       op == TOKEN_GREATER_EQUAL;
}

/* Below 0, 0 or above: how an integer compares with a float, without rounding
   either.  @b is not NaN. */
static int compare_mixed(wide a, double b)
{
	double whole = trunc(b);

	if (fabs(b) > 0x1p64)
		return b < 0 ? 1 : -1;
	if (a != (wide)whole)
		return a < (wide)whole ? -1 : 1;
	return b > whole ? -1 : b < whole;
}

/* The same of any two real numbers, neither NaN. */
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
	/* An integer was rounded. */
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

static bool compare_numbers(enum token_kind op, dpr_operand a, dpr_operand b,
			    dpr_operand *out, struct message *message)
{
	bool equal;
	int order;

	if (a.kind == DPR_OPERAND_COMPLEX || b.kind == DPR_OPERAND_COMPLEX) {
		if (op != TOKEN_EQUAL && op != TOKEN_NOT_EQUAL)
			return refuse_kind(op, "complex numbers", message);
		equal = equal_complex(a, b);
		*out = dpr_operand_bool(equal == (op == TOKEN_EQUAL));
		return true;
	}
	/* NaN differs from everything. */
	if (is_nan(a) || is_nan(b)) {
		*out = dpr_operand_bool(op == TOKEN_NOT_EQUAL);
		return true;
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
	return true;
}

bool number_binary(enum token_kind op, dpr_operand a, dpr_operand b,
		   dpr_operand *out, struct message *message)
{
	if (is_comparison(op))
		return compare_numbers(op, a, b, out, message);
	if (a.kind == DPR_OPERAND_COMPLEX || b.kind == DPR_OPERAND_COMPLEX)
		return complex_binary(op, as_complex(a), as_complex(b), out,
				      message);
	if (!is_integer(a) || !is_integer(b) || op == TOKEN_DIVIDE ||
	    (op == TOKEN_POWER && as_wide(b) < 0))
		return float_binary(op, as_double(a), as_double(b), out,
				    message);
	if (!integer_binary(op, as_wide(a), as_wide(b), out, message))
		return false;
	if (a.kind == DPR_OPERAND_BOOL && b.kind == DPR_OPERAND_BOOL &&
	    (op == TOKEN_AND || op == TOKEN_OR || op == TOKEN_XOR))
		*out = dpr_operand_bool(out->as.i != 0);
	return true;
}

bool number_unary(enum token_kind op, dpr_operand a, dpr_operand *out,
		  struct message *message)
{
	if (op == TOKEN_INVERT) {
		if (a.kind == DPR_OPERAND_BOOL)
			return message_set(message, "~ of True or False is -2 "
						    "or -1 in Python; write "
						    "the other one");
		if (!is_integer(a))
			return refuse_kind(op, "floats and complex numbers",
					   message);
		return from_wide(~as_wide(a), out, message);
	}
	if (is_integer(a))
		return from_wide(op == TOKEN_SUBTRACT ? -as_wide(a)
						      : as_wide(a),
				 out, message);
	*out = a;
	if (op == TOKEN_SUBTRACT && a.kind == DPR_OPERAND_FLOAT)
		out->as.f = -a.as.f;
	else if (op == TOKEN_SUBTRACT)
		*out = dpr_operand_complex_parts(-a.as.c[0], -a.as.c[1]);
	return true;
}

/* --- Text ---------------------------------------------------------------- */

/* The fewest digits that read back as the same number, always with a point or
   an exponent.  Exponents, infinity and NaN are spelled as in Python. */
static void format_double(double value, bool part, char out[40])
{
	int digits, exponent;

	if (isnan(value) || isinf(value)) {
		strcpy(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
		return;
	}
	for (digits = 1; digits < 17; digits++) {
		snprintf(out, 40, "%.*e", digits - 1, value);
		if (strtod(out, NULL) == value)
			break;
	}
	snprintf(out, 40, "%.*e", digits - 1, value);
	exponent = atoi(strchr(out, 'e') + 1);
	if (exponent >= 16 || exponent < -4)
		return;
	digits -= exponent + 1;
	snprintf(out, 40, "%.*f", digits > 0 ? digits : !part, value);
}

char *number_format(dpr_operand a)
{
	char re[40], im[40], *out;
	int n;

	switch (a.kind) {
	case DPR_OPERAND_BOOL: return strdup(a.as.u ? "True" : "False");
	case DPR_OPERAND_INT:
		n = asprintf(&out, "%lld", (long long)a.as.i);
		break;
	case DPR_OPERAND_UINT:
		n = asprintf(&out, "%llu", (unsigned long long)a.as.u);
		break;
	case DPR_OPERAND_FLOAT:
		format_double(a.as.f, false, re);
		return strdup(re);
	default:
		format_double(a.as.c[0], true, re);
		format_double(a.as.c[1], true, im);
		if (a.as.c[0] == 0 && !signbit(a.as.c[0]))
			n = asprintf(&out, "%sj", im);
		else
			n = asprintf(&out, "(%s%s%sj)", re,
				     *im == '-' ? "" : "+", im);
		break;
	}
	return n < 0 ? NULL : out;
}
