/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.h - operators between numbers of an expression, as Python has them.
 *
 * Integers are exact; a result outside INT64_MIN to UINT64_MAX is an error; /
 * of integers gives a float; // and % round down; division by zero is an error;
 * a negative number to a power that is not whole is complex.
 */
#ifndef ARRAY_NUMBER_H
#define ARRAY_NUMBER_H

#include <stdbool.h>

#include <dpr/operand.h>

#include "core/array/expression/lexer.h"

/* Apply an operator to one number, or to two. */
dpr_status number_unary(enum token_kind op, dpr_operand a, dpr_operand *out);
dpr_status number_binary(enum token_kind op, dpr_operand a, dpr_operand b,
			 dpr_operand *out);

/* Whether all of @n numbers are integers, and not all of them bool. */
bool number_are_integers(const dpr_operand *x, int n);

/* Functions of integers.  Their results are refused as those of operators are.
 */
dpr_status number_absolute(dpr_operand a, dpr_operand *out);
dpr_status number_multiply_add(dpr_operand a, dpr_operand b, dpr_operand c,
			       dpr_operand *out);
dpr_status number_minimum(dpr_operand a, dpr_operand b, dpr_operand *out);
dpr_status number_maximum(dpr_operand a, dpr_operand b, dpr_operand *out);

#define NUMBER_TEXT 96 /* bytes of any number as text */

/* Write @a as Python's repr() does. */
void number_format(dpr_operand a, char text[NUMBER_TEXT]);

#endif
