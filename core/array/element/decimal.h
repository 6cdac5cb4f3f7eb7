/* SPDX-License-Identifier: Apache-2.0 */
/* decimal.h - numbers as text, by NumPy's rules. */
#ifndef ARRAY_DECIMAL_H
#define ARRAY_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/dtype.h>

/* Room for any text made here. */
#define DECIMAL_ROOM 96

/*
 * How the floats of one array are written, all in the same width.  Made by
 * decimal_begin(), decimal_choose() for every value, decimal_measure_begin(),
 * decimal_measure() for every value, and decimal_measure_end().
 */
struct decimal_format {
	dpr_dtype type;  /* of the values: a real float */
	bool sign;       /* a plus before positive numbers */
	bool exponent;   /* 1.5e+10 rather than positional */
	int precision;   /* digits after the point: the most, or with `exponent`
			    exactly this many */
	int left, right; /* characters before the point, and after it */
	int exponent_digits;
	/* What decimal_choose() has seen: */
	bool any_other, any_minus_infinity;
	double least, most; /* of the magnitudes that are not 0 */
};

/* Two rounds over the values: the first chooses the form, the second measures
   the widths. */
void decimal_begin(struct decimal_format *f, dpr_dtype type, int precision,
		   bool sign);
void decimal_choose(struct decimal_format *f, double value);
void decimal_measure_begin(struct decimal_format *f);
void decimal_measure(struct decimal_format *f, double value);
void decimal_measure_end(struct decimal_format *f);

/* Write a value in that format to @text, which has room for DECIMAL_ROOM
   bytes.  Returns its length. */
int decimal_write(const struct decimal_format *f, double value, char *text);

/*
 * Write a value by itself, with the fewest digits that identify it among the
 * numbers of @type: "0.5", "1e+20".  @point: "1.0" rather than "1".  @sign as
 * above.
 */
int decimal_write_alone(dpr_dtype type, double value, bool point, bool sign,
			char *text);

#endif
