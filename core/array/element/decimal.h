/* SPDX-License-Identifier: Apache-2.0 */
/* decimal.h - writes numbers as text, by NumPy's rules. */
#ifndef ARRAY_DECIMAL_H
#define ARRAY_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/dtype.h>

/* The size of any text written here. */
#define DECIMAL_ROOM 96

/*
 * The format of the floats of one array: all are written in the same width.  To
 * make a format, call decimal_begin(), decimal_choose() for every value,
 * decimal_measure_begin(), decimal_measure() for every value, and
 * decimal_measure_end().
 */
struct decimal_format {
	dpr_dtype type; /* the type of the values, a real float */
	bool sign;      /* positive numbers get a plus sign */
	bool exponent;  /* numbers get an exponent, as in 1.5e+10 */
	/* the most digits after the point; with `exponent`, exactly this many
	   digits */
	int precision;
	/* the number of characters before and after the point */
	int left, right;
	int exponent_digits;
	/* The members below are set by decimal_choose(). */
	bool any_other, any_minus_infinity;
	double least, most; /* the least and greatest magnitudes, except 0 */
};

/* Make a format in two rounds over the values.  The first round chooses the
   form, and the second measures the widths. */
void decimal_begin(struct decimal_format *f, dpr_dtype type, int precision,
		   bool sign);
void decimal_choose(struct decimal_format *f, double value);
void decimal_measure_begin(struct decimal_format *f);
void decimal_measure(struct decimal_format *f, double value);
void decimal_measure_end(struct decimal_format *f);

/* Write a value in this format to @text, which has room for DECIMAL_ROOM bytes.
   Returns the length. */
int decimal_write(const struct decimal_format *f, double value, char *text);

/*
 * Write a value by itself, with the fewest digits that identify it among the
 * numbers of @type: "0.5", "1e+20".  @point: write "1.0", not "1".  @sign:
 * write a plus before positive numbers.  Returns the length.
 */
int decimal_write_alone(dpr_dtype type, double value, bool point, bool sign,
			char *text);

#endif
