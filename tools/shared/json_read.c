/* SPDX-License-Identifier: Apache-2.0 */
/* json_read.c - reading JSON from a stream, token by token. */
#include "tools/shared/json_read.h"

#include <stdlib.h>
#include <string.h>

/* Values may be nested this deep. */
enum { DEEPEST = 64 };

/* `ahead` if the next character was not read yet. */
#define NOT_READ (-2)

void json_read_begin(struct json_read *json, FILE *from)
{
	memset(json, 0, sizeof(*json));
	json->from = from;
	json->line = 1;
	json->ahead = NOT_READ;
}

static int peek(struct json_read *json)
{
	if (json->ahead == NOT_READ)
		json->ahead = getc_unlocked(json->from);
	return json->ahead;
}

static int take(struct json_read *json)
{
	const int c = peek(json);

	if (c != EOF)
		json->ahead = NOT_READ;
	json->line += c == '\n';
	return c;
}

static void add(struct json_read *json, unsigned c)
{
	if (json->size + 1 < sizeof(json->text))
		json->text[json->size++] = (char)c;
	json->text[json->size] = 0;
}

/* Add the character @c in UTF-8. */
static void add_character(struct json_read *json, uint32_t c)
{
	if (c < 0x80) {
		add(json, c < 0x20 || c == 0x7f ? ' ' : c);
		return;
	}
	if (c < 0x800) {
		add(json, 0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			add(json, 0xe0 | c >> 12);
		} else {
			add(json, 0xf0 | c >> 18);
			add(json, 0x80 | (c >> 12 & 0x3f));
		}
		add(json, 0x80 | (c >> 6 & 0x3f));
	}
	add(json, 0x80 | (c & 0x3f));
}

/* Read four hexadecimal digits.  Returns JSON_READ_STRING if they are there. */
static int read_digits(struct json_read *json, uint32_t *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++) {
		const int c = take(json);
		const int digit = c >= '0' && c <= '9'   ? c - '0'
				  : c >= 'a' && c <= 'f' ? c - 'a' + 10
				  : c >= 'A' && c <= 'F' ? c - 'A' + 10
							 : -1;

		if (digit < 0)
			return c == EOF ? JSON_READ_END : JSON_READ_WRONG;
		*out = *out << 4 | (uint32_t)digit;
	}
	return JSON_READ_STRING;
}

/* Read what follows \u.  Half of a surrogate pair becomes U+FFFD. */
static int read_unicode(struct json_read *json)
{
	uint32_t high, low = 0;
	int token = read_digits(json, &high);

	if (token != JSON_READ_STRING)
		return token;
	if (high >> 10 == 0xd800 >> 10 && peek(json) == '\\') {
		(void)take(json);
		if (peek(json) != 'u')
			return peek(json) == EOF ? JSON_READ_END
						 : JSON_READ_WRONG;
		(void)take(json);
		token = read_digits(json, &low);
		if (token != JSON_READ_STRING)
			return token;
	}
	if (low >> 10 == 0xdc00 >> 10)
		high = 0x10000 + ((high & 0x3ff) << 10 | (low & 0x3ff));
	else if (high >> 11 == 0xd800 >> 11)
		high = 0xfffd;
	add_character(json, high);
	return JSON_READ_STRING;
}

static int read_string(struct json_read *json)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/     ";

	for (;;) {
		const char *escape;
		int c = take(json);

		if (c == '"')
			return JSON_READ_STRING;
		if (c == EOF)
			return JSON_READ_END;
		if (c < 0x20)
			return JSON_READ_WRONG;
		if (c != '\\') {
			add(json, c == 0x7f ? ' ' : (unsigned)c);
			continue;
		}
		c = take(json);
		if (c == EOF)
			return JSON_READ_END;
		escape = c ? strchr(from, c) : NULL;
		if (escape) {
			add(json, (unsigned char)to[escape - from]);
			continue;
		}
		c = c == 'u' ? read_unicode(json) : JSON_READ_WRONG;
		if (c != JSON_READ_STRING)
			return c;
	}
}

/* Read the characters of @set that follow. */
static void read_run(struct json_read *json, const char *set)
{
	while (peek(json) > 0 && strchr(set, peek(json)))
		add(json, (unsigned)take(json));
}

static int read_number(struct json_read *json)
{
	char *end;

	read_run(json, "+-.0123456789Ee");
	json->number = strtod(json->text, &end);
	if (!*end && end > json->text)
		return JSON_READ_NUMBER;
	return peek(json) == EOF ? JSON_READ_END : JSON_READ_WRONG;
}

static int read_word(struct json_read *json)
{
	read_run(json, "abcdefghijklmnopqrstuvwxyz");
	if (!strcmp(json->text, "true") || !strcmp(json->text, "false") ||
	    !strcmp(json->text, "null"))
		return JSON_READ_WORD;
	return peek(json) == EOF ? JSON_READ_END : JSON_READ_WRONG;
}

int json_read_next(struct json_read *json)
{
	int c;

	while (peek(json) > 0 && strchr(" \t\r\n", peek(json)))
		(void)take(json);
	json->size = 0;
	json->text[0] = 0;
	c = peek(json);
	if (c == EOF)
		return JSON_READ_END;
	if (c == '-' || (c >= '0' && c <= '9'))
		return read_number(json);
	if (c >= 'a' && c <= 'z')
		return read_word(json);
	(void)take(json);
	if (c == '"')
		return read_string(json);
	return c && strchr("{}[],:", c) ? c : JSON_READ_WRONG;
}

int json_read_skip(struct json_read *json, int token)
{
	char closing[DEEPEST];
	int depth = 0;

	for (;;) {
		if (token == '{' || token == '[') {
			if (depth == DEEPEST)
				return JSON_READ_WRONG;
			closing[depth++] = token == '{' ? '}' : ']';
		} else if (token == '}' || token == ']') {
			if (!depth || closing[--depth] != token)
				return JSON_READ_WRONG;
		} else if (token == JSON_READ_END || token == JSON_READ_WRONG) {
			return token;
		}
		if (!depth)
			return token == ',' || token == ':' ? JSON_READ_WRONG
							    : token;
		token = json_read_next(json);
	}
}
