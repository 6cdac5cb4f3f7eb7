/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.h - operators between numbers in an expression, by the rules of
 * Python.
 *
 * Integers are exact, and a result outside INT64_MIN to UINT64_MAX is an error.
 * The operator / gives a float for integers, and // and % round down.  Division
 * by zero is an error.  A negative number to a power that is not whole is
 * complex.
 */
#ifndef ARRAY_NUMBER_H
#define ARRAY_NUMBER_H

#include <stdbool.h>

#include <dpr/dtype.h>
#include <dpr/operand.h>

#include "core/array/expression/lexer.h"

/* Apply an operator to a number, or to two numbers. */
dpr_status number_unary(enum token_kind op, dpr_operand a, dpr_operand *out);
dpr_status number_binary(enum token_kind op, dpr_operand a, dpr_operand b,
			 dpr_operand *out);

/* Whether all @n numbers are integers, and at least one of them is not bool. */
bool number_are_integers(const dpr_operand *x, int n);

/* Whether @number can become @dtype without a change of its kind: an integer
   becomes a float, but a float becomes no integer. */
bool number_is_kind_of(dpr_operand number, dpr_dtype dtype);

/* Functions of integers on the host.  As for the operators, a result that does
   not fit into 64 bits is an error. */
dpr_status number_absolute(dpr_operand a, dpr_operand *out);
dpr_status number_multiply_add(dpr_operand a, dpr_operand b, dpr_operand c,
			       dpr_operand *out);
dpr_status number_minimum(dpr_operand a, dpr_operand b, dpr_operand *out);
dpr_status number_maximum(dpr_operand a, dpr_operand b, dpr_operand *out);
dpr_status number_gcd(dpr_operand a, dpr_operand b, dpr_operand *out);
dpr_status number_lcm(dpr_operand a, dpr_operand b, dpr_operand *out);

#define NUMBER_TEXT 96 /* the size of any number's text, in bytes */

/* Write @a as Python's repr() does. */
void number_format(dpr_operand a, char text[NUMBER_TEXT]);

#endif
