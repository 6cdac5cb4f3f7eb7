/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.h - operators between numbers of an expression, as Python has them.
 *
 * Integers are exact within 64 bits (INT64_MIN to UINT64_MAX) and an error
 * beyond; / of integers gives a float; // and % round down; division by zero is
 * an error; a negative number to a broken power is complex.
 */
#ifndef TOOLS_NUMBER_H
#define TOOLS_NUMBER_H

#include <dpr/operand.h>

#include "tools/eval/lexer.h"
#include "tools/shared/message.h"

/* None of the operands is an array. */
bool number_unary(enum token_kind op, dpr_operand a, dpr_operand *out,
		  struct message *message);
bool number_binary(enum token_kind op, dpr_operand a, dpr_operand b,
		   dpr_operand *out, struct message *message);

/* As Python's repr() writes it.  To be freed; NULL without memory. */
char *number_format(dpr_operand a);

#endif
