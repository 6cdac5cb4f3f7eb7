/* SPDX-License-Identifier: Apache-2.0 */
/* lexer.c - splits an expression into tokens. */
#include "core/array/expression/lexer.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

static const char *const texts[] = {
#define TOKEN(kind, text) text,
	TOKEN_MAP(TOKEN)
#undef TOKEN
};

const char *lexer_token_text(enum token_kind kind)
{
	return texts[kind] ? texts[kind] : "";
}

/* isdigit() and isalpha() depend on the locale, so they are not used here. */
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

/* Skip digits with single underscores between them, as in Python.  Returns the
   end of the digits, which is @at if there are none. */
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

static dpr_status lex_integer(const char *text, size_t from, size_t to,
			      int base, struct token *out, struct place *place)
{
	uint64_t value = 0;
	size_t i;

	for (i = from; i < to; i++) {
		if (text[i] == '_')
			continue;
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(
			    value, (uint64_t)digit_value(text[i]), &value))
			return fail_at(place, out->column, to - out->column,
				       DPR_ERROR_OVERFLOW,
				       "this integer does not fit into 64 "
				       "bits; write it with a decimal point "
				       "to make it a float");
	}
	if (base == 10 && text[from] == '0' && value)
		return fail_at(place, out->column, 1,
			       DPR_ERROR_INVALID_ARGUMENT,
			       "an integer must not begin with 0");
	out->number = integer_operand(value);
	return DPR_OK;
}

/* Convert the characters to a float, without the underscores.  The decimal
   point is '.' in every locale. */
static dpr_status lex_float(const char *text, size_t from, size_t to,
			    struct token *out)
{
	char *copy = mem_alloc(to - from + 1);
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	size_t i, n = 0;

	if (!copy || !c) {
		mem_free(copy);
		if (c)
			freelocale(c);
		return fail_memory("expression");
	}
	for (i = from; i < to; i++)
		if (text[i] != '_')
			copy[n++] = text[i];
	copy[n] = 0;
	out->number = dpr_operand_float(strtod_l(copy, NULL, c));
	freelocale(c);
	mem_free(copy);
	return DPR_OK;
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

static dpr_status lex_number(const char *text, struct token *out,
			     struct place *place)
{
	size_t from = out->column, at, whole;
	int base = 10;
	dpr_status status;

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
		return fail_at(place, out->column, 1,
			       DPR_ERROR_INVALID_ARGUMENT,
			       "there are no digits in this number");
	}
	if (at == whole && !(base == 10 && strchr("jJ", text[at]) && text[at]))
		status = lex_integer(text, from, at, base, out, place);
	else
		status = lex_float(text, from, at, out);
	if (!status && base == 10 && (text[at] == 'j' || text[at] == 'J')) {
		out->number = dpr_operand_complex_parts(0, out->number.as.f);
		at++;
	}
	if (!status && (is_name_start(text[at]) || is_digit(text[at])))
		return fail_at(place, at, 1, DPR_ERROR_INVALID_ARGUMENT,
			       "'%c' cannot follow a number", text[at]);
	out->length = at - out->column;
	return status;
}

/* --- Other tokens -------------------------------------------------------- */

static dpr_status lex_name(const char *text, struct token *out,
			   struct place *place)
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
			return fail_at(place, out->column, out->length,
				       DPR_ERROR_INVALID_ARGUMENT,
				       "'%s' does not work on arrays; "
				       "%s",
				       reserved[i].word, reserved[i].advice);
	out->kind = TOKEN_NAME;
	return DPR_OK;
}

static dpr_status lex_string(const char *text, struct token *out,
			     struct place *place)
{
	const char *end = strchr(text + out->column + 1, text[out->column]);

	if (!end)
		return fail_at(place, out->column, 1,
			       DPR_ERROR_INVALID_ARGUMENT,
			       "this string has no closing quote");
	out->kind = TOKEN_STRING;
	out->column++;
	out->length = (size_t)(end - text) - out->column;
	return DPR_OK;
}

/* What to write instead of an attribute or a method, whose name is at @name. */
static const char *attribute_advice(const char *name)
{
	const char *end = name + (*name == 'm');

	if (*end++ == 'T' && !is_name_start(*end) && !is_digit(*end))
		return "matrix_transpose(x), not x.T";
	return "sum(x), not x.sum()";
}

/* Fail for a character that has a meaning in Python, but not here. */
static dpr_status refuse_char(const char *text, size_t at, struct place *place)
{
	unsigned char c = (unsigned char)text[at];

	switch (c) {
	case '.':
		return fail_at(place, at, 1, DPR_ERROR_INVALID_ARGUMENT,
			       "attributes and methods are not "
			       "available; write %s",
			       attribute_advice(text + at + 1));
	case '!':
		return fail_at(place, at, 1, DPR_ERROR_INVALID_ARGUMENT,
			       "'!' is not an operator; use ~ or "
			       "logical_not(...)");
	}
	if (c < 0x20 || c >= 0x7f)
		return fail_at(place, at, 1, DPR_ERROR_INVALID_ARGUMENT,
			       "unexpected byte 0x%02x; expressions are "
			       "plain ASCII",
			       c);
	return fail_at(place, at, 1, DPR_ERROR_INVALID_ARGUMENT,
		       "unexpected character '%c'", c);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

dpr_status lexer_next(const char *text, size_t at, struct token *out,
		      struct place *place)
{
	size_t i;

	while (is_space(text[at]))
		at++;
	memset(out, 0, sizeof(*out));
	out->column = at;
	if (!text[at]) {
		out->kind = TOKEN_END;
		return DPR_OK;
	}
	if (is_digit(text[at]) || (text[at] == '.' && is_digit(text[at + 1]))) {
		out->kind = TOKEN_NUMBER;
		return lex_number(text, out, place);
	}
	if (is_name_start(text[at]))
		return lex_name(text, out, place);
	if (text[at] == '\'' || text[at] == '"')
		return lex_string(text, out, place);
	/* Longer operators come first in the table: "**" before "*". */
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i] &&
		    !strncmp(text + at, texts[i], strlen(texts[i]))) {
			out->kind = (enum token_kind)i;
			out->length = strlen(texts[i]);
			return DPR_OK;
		}
	return refuse_char(text, at, place);
}
