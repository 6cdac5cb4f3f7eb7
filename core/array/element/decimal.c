/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decimal.c - writes numbers as text.
 *
 * The C library makes the digits.  Only the digits of its text are used, so the
 * locale's decimal point does not matter.
 */
#include "core/array/element/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array/element/scalar.h"

/* The number 0.d0d1d2...  * 10^point: the point comes before digit[point]. */
struct decimal {
	bool negative;
	int n, point;
	char digit[40];
};

/* @value rounded to @type. */
static double round_to(dpr_dtype type, double value)
{
	switch (type) {
	case DPR_FLOAT16: return scalar_from_half(scalar_to_half(value));
	case DPR_BFLOAT16:
		return scalar_from_bfloat16(scalar_to_bfloat16(value));
	case DPR_FLOAT32: return (double)(float)value;
	default: return value;
	}
}

/* The number of decimal digits that @type keeps for every number. */
static int type_digits(dpr_dtype type)
{
	switch (type) {
	case DPR_FLOAT16: return 3;
	case DPR_BFLOAT16: return 2;
	case DPR_FLOAT32: return 6;
	default: return 15;
	}
}

/* From this magnitude on, a number by itself is written with an exponent. */
static double alone_limit(dpr_dtype type)
{
	return type == DPR_FLOAT64 ? 1e16 : pow(10, type_digits(type));
}

static double parse_as(dpr_dtype type, const char *text)
{
	if (type == DPR_FLOAT32)
		return (double)strtof(text, NULL);
	return round_to(type, strtod(text, NULL));
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Read the digits of "%e" output. */
static void take_scientific(struct decimal *d, const char *text)
{
	d->n = 0;
	for (; *text && *text != 'e'; text++)
		if (is_digit(*text))
			d->digit[d->n++] = *text;
	d->point = *text ? atoi(text + 1) + 1 : 1;
}

static void trim_zeros(struct decimal *d, int least)
{
	while (d->n > least && d->n > 1 && d->digit[d->n - 1] == '0')
		d->n--;
}

/* Add one to the last digit of "%e" output.  Digits that are all nines are left
   alone: the next number has fewer digits, and was already tried. */
static void raise_last(char *text)
{
	char *end = strchr(text, 'e'), *p = end;

	while (p > text && (p[-1] == '9' || !is_digit(p[-1])))
		p--;
	if (p == text)
		return;
	++p[-1];
	for (; p < end; p++)
		if (is_digit(*p))
			*p = '0';
}

/*
 * Find the fewest digits that identify @value among the numbers of its type.  A
 * power of two is twice as far from the next number above as from the next
 * number below.  So digits that are rounded up may identify the power of two
 * where the nearest digits do not.
 */
static void decimal_shortest(struct decimal *d, dpr_dtype type, double value)
{
	char text[DECIMAL_ROOM];

	for (int digits = 0; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*e", digits, fabs(value));
		if (parse_as(type, text) == fabs(value))
			break;
		raise_last(text);
		if (parse_as(type, text) == fabs(value))
			break;
	}
	take_scientific(d, text);
	trim_zeros(d, 1);
	d->negative = signbit(value);
}

/* Write @value in the form 1.234e+05, with @digits digits after the point.  The
   digits are rounded from the exact value. */
static void decimal_scientific(struct decimal *d, double value, int digits)
{
	char text[DECIMAL_ROOM];

	snprintf(text, sizeof(text), "%.*e", digits, fabs(value));
	take_scientific(d, text);
	d->negative = signbit(value);
}

/* Write @value, which is less than 10^8, with @digits digits after the
   point. */
static void decimal_positional(struct decimal *d, double value, int digits)
{
	char text[DECIMAL_ROOM], *first = text;

	snprintf(text, sizeof(text), "%.*f", digits, fabs(value));
	d->n = 0;
	while (*first == '0')
		first++;
	for (; *first; first++)
		if (is_digit(*first))
			d->digit[d->n++] = *first;
	d->point = d->n - digits;
	d->negative = signbit(value);
	if (!d->n)
		d->digit[d->n++] = '0';
}

static bool is_zero(const struct decimal *d)
{
	for (int i = 0; i < d->n; i++)
		if (d->digit[i] != '0')
			return false;
	return true;
}

/* Write @value in positional form, with at most @precision digits after the
   point. */
static void cut_positional(struct decimal *d, dpr_dtype type, double value,
			   int precision)
{
	decimal_shortest(d, type, value);
	if (d->n - d->point > precision)
		decimal_positional(d, value, precision);
	if (is_zero(d)) {
		d->n = 1;
		d->point = 1;
		d->digit[0] = '0';
	}
	/* Remove zeros after the point, but not zeros before it. */
	trim_zeros(d, d->point > 0 ? d->point : 0);
}

static void cut_scientific(struct decimal *d, dpr_dtype type, double value,
			   int precision)
{
	decimal_shortest(d, type, value);
	if (d->n - 1 > precision)
		decimal_scientific(d, value, precision);
	trim_zeros(d, 1);
}

static int digits_before(const struct decimal *d)
{
	return d->point > 0 ? d->point : 1;
}

static int digits_after(const struct decimal *d)
{
	return d->n > d->point ? d->n - d->point : 0;
}

/* Digit number @i.  Digits before the first and after the last are zeros. */
static char digit_at(const struct decimal *d, int i)
{
	return i >= 0 && i < d->n ? d->digit[i] : '0';
}

static char *put_sign(char *p, bool negative, bool sign)
{
	if (negative)
		*p++ = '-';
	else if (sign)
		*p++ = '+';
	return p;
}

static char *put_positional(char *p, const struct decimal *d, bool sign)
{
	int before = digits_before(d), after = digits_after(d);

	p = put_sign(p, d->negative, sign);
	for (int i = 0; i < before; i++)
		*p++ = digit_at(d, d->point - before + i);
	*p++ = '.';
	for (int i = 0; i < after; i++)
		*p++ = digit_at(d, d->point + i);
	return p;
}

static int exponent_of(const struct decimal *d)
{
	return is_zero(d) ? 0 : d->point - 1;
}

static int exponent_width(int exponent)
{
	return abs(exponent) >= 100 ? 3 : 2;
}

static char *put_exponent(char *p, const struct decimal *d, int width)
{
	int exponent = exponent_of(d), left = abs(exponent);

	*p++ = 'e';
	*p++ = exponent < 0 ? '-' : '+';
	for (int k = width - 1; k >= 0; k--) {
		p[k] = (char)('0' + left % 10);
		left /= 10;
	}
	return p + width;
}

/* Write a number such as "1.5e+10".  A point without digits after it is written
   only if @point is set. */
static char *put_scientific(char *p, const struct decimal *d, bool point,
			    bool sign, int width)
{
	p = put_sign(p, d->negative, sign);
	*p++ = d->digit[0];
	if (point || d->n > 1)
		*p++ = '.';
	memcpy(p, d->digit + 1, (size_t)d->n - 1);
	return put_exponent(p + d->n - 1, d, width);
}

void decimal_begin(struct decimal_format *f, dpr_dtype type, int precision,
		   bool sign)
{
	memset(f, 0, sizeof(*f));
	f->type = type;
	f->precision = precision;
	f->sign = sign;
	f->least = INFINITY;
}

void decimal_choose(struct decimal_format *f, double value)
{
	double magnitude = fabs(value);

	if (!isfinite(value)) {
		f->any_other = true;
		f->any_minus_infinity |= isinf(value) && value < 0;
		return;
	}
	if (!magnitude)
		return;
	f->least = magnitude < f->least ? magnitude : f->least;
	f->most = magnitude > f->most ? magnitude : f->most;
}

void decimal_measure_begin(struct decimal_format *f)
{
	int digits = type_digits(f->type);
	double limit = pow(10, digits < 8 ? digits : 8);

	f->exponent =
		f->most > 0 &&
		(f->most >= limit || f->least < round_to(f->type, 0.0001) ||
		 round_to(f->type, f->most / f->least) > 1000);
}

void decimal_measure(struct decimal_format *f, double value)
{
	struct decimal d;
	int left, after;

	if (!isfinite(value))
		return;
	if (f->exponent) {
		cut_scientific(&d, f->type, value, f->precision);
		left = 1;
		after = d.n - 1;
		if (exponent_width(exponent_of(&d)) > f->exponent_digits)
			f->exponent_digits = exponent_width(exponent_of(&d));
	} else {
		cut_positional(&d, f->type, value, f->precision);
		left = digits_before(&d);
		after = digits_after(&d);
	}
	left += d.negative || f->sign;
	f->left = left > f->left ? left : f->left;
	f->right = after > f->right ? after : f->right;
}

void decimal_measure_end(struct decimal_format *f)
{
	int room;

	if (f->exponent) {
		/* All values get an exponent and the same number of digits. */
		f->precision = f->right;
		f->right += f->exponent_digits + 2;
	}
	if (!f->any_other)
		return;
	room = f->right + 1;
	if (f->left < 3 - room)
		f->left = 3 - room;
	if (f->left < 3 + (f->sign || f->any_minus_infinity) - room)
		f->left = 3 + (f->sign || f->any_minus_infinity) - room;
}

static int write_special(double value, bool sign, char *text)
{
	char *p = text;

	p = put_sign(p, !isnan(value) && value < 0, sign);
	memcpy(p, isnan(value) ? "nan" : "inf", 4);
	return (int)(p - text) + 3;
}

int decimal_write(const struct decimal_format *f, double value, char *text)
{
	char plain[DECIMAL_ROOM], *p = plain, *point;
	int width = f->left + f->right + 1, pad;
	struct decimal d;

	if (!isfinite(value)) {
		int n = write_special(value, f->sign, plain);

		return sprintf(text, "%*s", width > n ? width : n, plain);
	}
	if (f->exponent) {
		decimal_shortest(&d, f->type, value);
		if (d.n - 1 != f->precision)
			decimal_scientific(&d, value, f->precision);
		p = put_scientific(p, &d, true, f->sign, f->exponent_digits);
	} else {
		cut_positional(&d, f->type, value, f->precision);
		p = put_positional(p, &d, f->sign);
	}
	*p = '\0';
	point = strchr(plain, '.');
	pad = f->left - (int)(point - plain);
	if (pad < 0)
		pad = 0;
	return sprintf(text, "%*s%-*s", pad, "", width - pad, plain);
}

int decimal_write_alone(dpr_dtype type, double value, bool point, bool sign,
			char *text)
{
	double magnitude = fabs(value);
	struct decimal d;
	char *p = text;

	if (!isfinite(value))
		return write_special(value, sign, text);
	decimal_shortest(&d, type, value);
	if (!magnitude ||
	    (magnitude >= 1e-4 && magnitude < alone_limit(type))) {
		p = put_positional(p, &d, sign);
		if (point && p[-1] == '.')
			*p++ = '0';
		else if (p[-1] == '.')
			p--;
	} else {
		p = put_scientific(p, &d, false, sign,
				   exponent_width(exponent_of(&d)));
	}
	*p = '\0';
	return (int)(p - text);
}
