/* SPDX-License-Identifier: Apache-2.0 */
/* lexer.c - the words of an expression. */
#include "tools/eval/lexer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const texts[] = {
#define TOKEN(kind, text) text,
	TOKEN_MAP(TOKEN)
#undef TOKEN
};

const char *lexer_token_text(enum token_kind kind)
{
	return texts[kind] ? texts[kind] : "";
}

/* The C library's depend on the locale. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* --- Numbers ------------------------------------------------------------- */

/* Digits with single underscores between them, as Python has them; returns
   where they end, @at if there is none. */
static size_t skip_digits(const char *text, size_t at, int base)
{
	size_t i = at;

	while (digit_value(text[i]) < base ||
	       (i > at && text[i] == '_' && digit_value(text[i + 1]) < base))
		i++;
	return i;
}

static dpr_operand integer_operand(uint64_t value)
{
	return value > INT64_MAX ? dpr_operand_uint(value)
				 : dpr_operand_int((int64_t)value);
}

static bool lex_integer(const char *text, size_t from, size_t to, int base,
			struct token *out, struct message *message)
{
	uint64_t value = 0;
	size_t i;

	for (i = from; i < to; i++) {
		if (text[i] == '_')
			continue;
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(
			    value, (uint64_t)digit_value(text[i]), &value))
			return message_set_at(message, out->column,
					      "this integer does not fit 64 "
					      "bits; write it with a point to "
					      "have a float");
	}
	if (base == 10 && text[from] == '0' && value)
		return message_set_at(message, out->column,
				      "an integer must not begin with 0");
	out->number = integer_operand(value);
	return true;
}

/* The characters without underscores; strtod reads them in the C locale, which
   the program never leaves. */
static bool lex_float(const char *text, size_t from, size_t to,
		      struct token *out, struct message *message)
{
	char *copy = malloc(to - from + 1);
	size_t i, n = 0;

	if (!copy)
		return message_set(message, "out of memory");
	for (i = from; i < to; i++)
		if (text[i] != '_')
			copy[n++] = text[i];
	copy[n] = 0;
	out->number = dpr_operand_float(strtod(copy, NULL));
	free(copy);
	return true;
}

static size_t skip_exponent(const char *text, size_t at)
{
	size_t digits = at + 1;

	if (text[at] != 'e' && text[at] != 'E')
		return at;
	if (text[digits] == '+' || text[digits] == '-')
		digits++;
	return is_digit(text[digits]) ? skip_digits(text, digits, 10) : at;
}

static bool lex_number(const char *text, struct token *out,
		       struct message *message)
{
	size_t from = out->column, at, whole;
	int base = 10;
	bool ok;

	if (text[from] == '0' && text[from + 1] &&
	    strchr("xXoObB", text[from + 1])) {
		base = strchr("xX", text[from + 1])   ? 16
		       : strchr("oO", text[from + 1]) ? 8
						      : 2;
		from += text[from + 2] == '_' ? 3 : 2;
	}
	whole = at = skip_digits(text, from, base);
	if (base == 10) {
		if (text[at] == '.')
			at = skip_digits(text, at + 1, 10);
		at = skip_exponent(text, at);
	} else if (at == from) {
		return message_set_at(message, out->column,
				      "there are no digits in this number");
	}
	if (at == whole && !(base == 10 && strchr("jJ", text[at]) && text[at]))
		ok = lex_integer(text, from, at, base, out, message);
	else
		ok = lex_float(text, from, at, out, message);
	if (ok && base == 10 && (text[at] == 'j' || text[at] == 'J')) {
		out->number = dpr_operand_complex_parts(0, out->number.as.f);
		at++;
	}
	if (ok && (is_name_start(text[at]) || is_digit(text[at])))
		return message_set_at(message, at,
				      "'%c' cannot follow a number", text[at]);
	out->length = at - out->column;
	return ok;
}

/* --- Others -------------------------------------------------------------- */

static bool lex_name(const char *text, struct token *out,
		     struct message *message)
{
	static const struct {
		const char *word, *advice;
	} reserved[] = {
		{ "and", "use & or logical_and(...)" },
		{ "or", "use | or logical_or(...)" },
		{ "not", "use ~ or logical_not(...)" },
		{ "if", "use where(condition, x1, x2)" },
		{ "else", "use where(condition, x1, x2)" },
		{ "is", "use ==" },
		{ "in", "it has no counterpart here" },
		{ "lambda", "it has no counterpart here" },
		{ "for", "it has no counterpart here" },
	};
	size_t at = out->column, i;

	while (is_name_start(text[at]) || is_digit(text[at]))
		at++;
	out->length = at - out->column;
	for (i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (strlen(reserved[i].word) == out->length &&
		    !strncmp(reserved[i].word, text + out->column, out->length))
			return message_set_at(message, out->column,
					      "'%s' does not work on arrays; "
					      "%s",
					      reserved[i].word,
					      reserved[i].advice);
	out->kind = TOKEN_NAME;
	return true;
}

static bool lex_string(const char *text, struct token *out,
		       struct message *message)
{
	const char *end = strchr(text + out->column + 1, text[out->column]);

	if (!end)
		return message_set_at(message, out->column,
				      "this string has no end");
	out->kind = TOKEN_STRING;
	out->column++;
	out->length = (size_t)(end - text) - out->column;
	return true;
}

/* What to say of characters that Python knows and dpr does not. */
static bool refuse_char(const char *text, size_t at, struct message *message)
{
	unsigned char c = (unsigned char)text[at];

	switch (c) {
	case '[':
	case ']':
		return message_set_at(message, at,
				      "indexing and lists are not available");
	case '.':
		return message_set_at(message, at,
				      "attributes and methods are not "
				      "available; write sum(x), not x.sum()");
	case '@':
		return message_set_at(message, at,
				      "matrix products are not available");
	case '!':
		return message_set_at(message, at,
				      "'!' is not an operator; use ~ or "
				      "logical_not(...)");
	}
	if (c < 0x20 || c >= 0x7f)
		return message_set_at(message, at,
				      "unexpected byte 0x%02x; expressions are "
				      "plain ASCII",
				      c);
	return message_set_at(message, at, "unexpected character '%c'", c);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool lexer_next(const char *text, size_t at, struct token *out,
		struct message *message)
{
	size_t i;

	while (is_space(text[at]))
		at++;
	memset(out, 0, sizeof(*out));
	out->column = at;
	if (!text[at]) {
		out->kind = TOKEN_END;
		return true;
	}
	if (is_digit(text[at]) || (text[at] == '.' && is_digit(text[at + 1]))) {
		out->kind = TOKEN_NUMBER;
		return lex_number(text, out, message);
	}
	if (is_name_start(text[at]))
		return lex_name(text, out, message);
	if (text[at] == '\'' || text[at] == '"')
		return lex_string(text, out, message);
	if (!strncmp(text + at, "<<", 2) || !strncmp(text + at, ">>", 2))
		return message_set_at(message, at,
				      "shifts are not available as operators");
	/* Longer operators stand before their beginnings in the table. */
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i] &&
		    !strncmp(text + at, texts[i], strlen(texts[i]))) {
			out->kind = (enum token_kind)i;
			out->length = strlen(texts[i]);
			return true;
		}
	return refuse_char(text, at, message);
}
