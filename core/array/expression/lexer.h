/* SPDX-License-Identifier: Apache-2.0 */
/* lexer.h - splits an expression into tokens. */
#ifndef ARRAY_LEXER_H
#define ARRAY_LEXER_H

#include <dpr/operand.h>
#include <dpr/status.h>

#include "core/array/expression/place.h"

/* clang-format off */
/* Kind and text of each token.  NULL if the text varies. */
#define TOKEN_MAP(X) \
	X(END, NULL) \
	X(NUMBER, NULL) \
	X(NAME, NULL) \
	X(STRING, NULL) \
	X(POWER, "**") \
	X(FLOOR_DIVIDE, "//") \
	X(EQUAL, "==") \
	X(NOT_EQUAL, "!=") \
	X(LEFT_SHIFT, "<<") \
	X(RIGHT_SHIFT, ">>") \
	X(LESS_EQUAL, "<=") \
	X(GREATER_EQUAL, ">=") \
	X(LESS, "<") \
	X(GREATER, ">") \
	X(ADD, "+") \
	X(SUBTRACT, "-") \
	X(MULTIPLY, "*") \
	X(DIVIDE, "/") \
	X(MATMUL, "@") \
	X(REMAINDER, "%") \
	X(AND, "&") \
	X(OR, "|") \
	X(XOR, "^") \
	X(INVERT, "~") \
	X(OPEN, "(") \
	X(CLOSE, ")") \
	X(OPEN_INDEX, "[") \
	X(CLOSE_INDEX, "]") \
	X(COLON, ":") \
	X(ELLIPSIS, "...") \
	X(COMMA, ",") \
	X(SEMICOLON, ";") \
	X(ASSIGN, "=")
/* clang-format on */

enum token_kind {
#define TOKEN(kind, text) TOKEN_##kind,
	TOKEN_MAP(TOKEN)
#undef TOKEN
};

struct token {
	enum token_kind kind;
	/* the place in the text; for a string, the place of the part between
	   the quotes */
	size_t column, length;
	dpr_operand number;
};

/* The text of an operator.  "" for other kinds. */
const char *lexer_token_text(enum token_kind kind);

/* Read the token at or after column @at.  Failures set @place.
   DPR_ERROR_INVALID_ARGUMENT: there is no valid token.  DPR_ERROR_OVERFLOW: an
   integer has more than 64 bits. */
dpr_status lexer_next(const char *text, size_t at, struct token *out,
		      struct place *place);

#endif
