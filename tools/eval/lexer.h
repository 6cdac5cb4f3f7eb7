/* SPDX-License-Identifier: Apache-2.0 */
/* lexer.h - the words of an expression. */
#ifndef TOOLS_LEXER_H
#define TOOLS_LEXER_H

#include <dpr/operand.h>

#include "tools/shared/message.h"

/* clang-format off */
/* kind, how it is written (NULL: not one fixed text) */
#define TOKEN_MAP(X) \
	X(END, NULL) \
	X(NUMBER, NULL) \
	X(NAME, NULL) \
	X(STRING, NULL) \
	X(POWER, "**") \
	X(FLOOR_DIVIDE, "//") \
	X(EQUAL, "==") \
	X(NOT_EQUAL, "!=") \
	X(LESS_EQUAL, "<=") \
	X(GREATER_EQUAL, ">=") \
	X(LESS, "<") \
	X(GREATER, ">") \
	X(ADD, "+") \
	X(SUBTRACT, "-") \
	X(MULTIPLY, "*") \
	X(DIVIDE, "/") \
	X(REMAINDER, "%") \
	X(AND, "&") \
	X(OR, "|") \
	X(XOR, "^") \
	X(INVERT, "~") \
	X(OPEN, "(") \
	X(CLOSE, ")") \
	X(COMMA, ",") \
	X(ASSIGN, "=")
/* clang-format on */

enum token_kind {
#define TOKEN(kind, text) TOKEN_##kind,
	TOKEN_MAP(TOKEN)
#undef TOKEN
};

struct token {
	enum token_kind kind;
	size_t column, length; /* a string's are those inside its quotes */
	dpr_operand number;
};

/* How an operator is written; "" for the other kinds. */
const char *lexer_token_text(enum token_kind kind);

/* The token at or after column @at. */
bool lexer_next(const char *text, size_t at, struct token *out,
		struct message *message);

#endif
