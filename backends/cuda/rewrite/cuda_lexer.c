/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_lexer.c - OpenCL C as a list of tokens. */
#include "cuda_lexer.h"

#include <string.h>

struct lexer {
	const char *at, *end;
	uint32_t line, directive, directives;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The byte @i bytes ahead; 0 beyond the end. */
static char peek(const struct lexer *lexer, size_t i)
{
	return (size_t)(lexer->end - lexer->at) > i ? lexer->at[i] : '\0';
}

static void take(struct lexer *lexer)
{
	if (*lexer->at++ == '\n')
		lexer->line++;
}

/* Bytes of a backslash and the end of line after it, or 0. */
static size_t splice(const struct lexer *lexer)
{
	if (peek(lexer, 0) != '\\')
		return 0;
	if (peek(lexer, 1) == '\n')
		return 2;
	return peek(lexer, 1) == '\r' && peek(lexer, 2) == '\n' ? 3 : 0;
}

/* Skip blanks, comments and ends of lines.  Returns whether one of these ends a
   preprocessor line. */
static bool take_space(struct lexer *lexer)
{
	bool ended = false;
	size_t n;

	while (lexer->at < lexer->end) {
		if ((n = splice(lexer))) {
			while (n--)
				take(lexer);
		} else if (peek(lexer, 0) == '/' && peek(lexer, 1) == '*') {
			lexer->at += 2;
			while (lexer->at < lexer->end &&
			       !(peek(lexer, 0) == '*' &&
				 peek(lexer, 1) == '/'))
				take(lexer);
			lexer->at = lexer->end - lexer->at < 2 ? lexer->end
							       : lexer->at + 2;
		} else if (peek(lexer, 0) == '/' && peek(lexer, 1) == '/') {
			while (lexer->at < lexer->end && *lexer->at != '\n') {
				for (n = splice(lexer); n > 1; n--)
					take(lexer);
				take(lexer);
			}
		} else if (strchr(" \t\r\v\f\n", *lexer->at)) {
			ended = ended || *lexer->at == '\n';
			take(lexer);
		} else {
			break;
		}
	}
	return ended;
}

static void take_string(struct lexer *lexer)
{
	const char quote = *lexer->at++;

	while (lexer->at < lexer->end && *lexer->at != '\n') {
		if (*lexer->at == '\\' && lexer->end - lexer->at > 1)
			take(lexer);
		else if (*lexer->at == quote) {
			lexer->at++;
			return;
		}
		take(lexer);
	}
}

static void take_number(struct lexer *lexer)
{
	char c;

	while (lexer->at < lexer->end) {
		c = *lexer->at;
		if (strchr("eEpP", c) &&
		    (peek(lexer, 1) == '+' || peek(lexer, 1) == '-'))
			lexer->at++;
		else if (!is_word(c) && c != '.')
			return;
		lexer->at++;
	}
}

static void take_punct(struct lexer *lexer)
{
	static const char all[][4] = { "<<=", ">>=", "...", "->", "++", "--",
				       "<<",  ">>",  "<=",  ">=", "==", "!=",
				       "&&",  "||",  "*=",  "/=", "%=", "+=",
				       "-=",  "&=",  "^=",  "|=", "##" };
	size_t i, size;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		size = strlen(all[i]);
		if ((size_t)(lexer->end - lexer->at) >= size &&
		    memcmp(lexer->at, all[i], size) == 0) {
			lexer->at += size;
			return;
		}
	}
	lexer->at++;
}

static void take_token(struct lexer *lexer, struct cuda_token *token,
		       bool first)
{
	const char c = *lexer->at;

	token->line = lexer->line;
	token->text = lexer->at;
	if (first && c == '#')
		lexer->directive = ++lexer->directives;
	token->directive = lexer->directive;
	if (c == '"' || c == '\'') {
		token->kind = CUDA_TOKEN_STRING;
		take_string(lexer);
	} else if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1)))) {
		token->kind = CUDA_TOKEN_NUMBER;
		take_number(lexer);
	} else if (is_word(c)) {
		token->kind = CUDA_TOKEN_WORD;
		while (lexer->at < lexer->end && is_word(*lexer->at))
			lexer->at++;
	} else {
		token->kind = CUDA_TOKEN_PUNCT;
		take_punct(lexer);
	}
	token->size = (size_t)(lexer->at - token->text);
}

/* Fill @list, or only count if it is NULL.  Returns the number of tokens. */
static size_t split(const char *source, size_t size, struct cuda_token *list)
{
	struct lexer lexer = { source, source + size, 1, 0, 0 };
	struct cuda_token token;
	bool first = true;
	size_t n = 0;

	for (;;) {
		memset(&token, 0, sizeof(token));
		token.space = lexer.at;
		if (take_space(&lexer)) {
			lexer.directive = 0;
			first = true;
		}
		token.space_size = (size_t)(lexer.at - token.space);
		if (lexer.at == lexer.end)
			break;
		take_token(&lexer, &token, first);
		first = false;
		if (list)
			list[n] = token;
		n++;
	}
	token.kind = CUDA_TOKEN_END;
	token.line = lexer.line;
	token.text = lexer.at;
	if (list)
		list[n] = token;
	return n;
}

bool cuda_lexer_split(struct cuda_strings *strings, const char *source,
		      size_t size, struct cuda_tokens *out)
{
	size_t bytes;

	out->n = split(source, size, NULL);
	if (__builtin_mul_overflow(out->n + 1, sizeof(*out->list), &bytes))
		return false;
	out->list = cuda_strings_get(strings, bytes);
	if (!out->list)
		return false;
	split(source, size, out->list);
	return true;
}

bool cuda_lexer_is(const struct cuda_token *token, const char *text)
{
	return token->size == strlen(text) &&
	       memcmp(token->text, text, token->size) == 0;
}

size_t cuda_lexer_close(const struct cuda_tokens *tokens, size_t open)
{
	const uint32_t directive = tokens->list[open].directive;
	size_t i, depth = 0;

	for (i = open; i < tokens->n; i++) {
		const struct cuda_token *token = &tokens->list[i];

		if (token->directive != directive) {
			if (directive)
				break;
			continue;
		}
		if (token->kind != CUDA_TOKEN_PUNCT || token->size != 1)
			continue;
		if (strchr("([{", *token->text))
			depth++;
		else if (strchr(")]}", *token->text) && !--depth)
			return i;
	}
	return tokens->n;
}

void cuda_lexer_drop(struct cuda_strings *strings, struct cuda_token *token)
{
	size_t i;

	token->to = "";
	for (i = 0; i < token->size; i++)
		if (token->text[i] == '\n')
			token->to = cuda_strings_format(strings, "%s\\\n",
							token->to);
}

void cuda_lexer_write(const struct cuda_tokens *tokens, size_t from, size_t to,
		      struct cuda_text *out)
{
	size_t i;

	for (i = from; i < to; i++) {
		const struct cuda_token *token = &tokens->list[i];

		if (i > from)
			cuda_text_add(out, token->space, token->space_size);
		if (token->to)
			cuda_text_add(out, token->to, strlen(token->to));
		else
			cuda_text_add(out, token->text, token->size);
	}
}
