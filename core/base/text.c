/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - text that grows. */
#include "core/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

void text_add(struct text *text, const char *bytes, size_t size)
{
	size_t need, room;
	char *grown;

	if (text->failed)
		return;
	if (__builtin_add_overflow(text->size, size, &need) ||
	    __builtin_add_overflow(need, 1, &need)) {
		text->failed = true;
		return;
	}
	if (need > text->room) {
		room = text->room < 64 ? 128 : text->room;
		while (room < need && !__builtin_mul_overflow(room, 2, &room))
			;
		grown = mem_grow(text->bytes, room < need ? need : room, 1);
		if (!grown) {
			text->failed = true;
			return;
		}
		text->bytes = grown;
		text->room = room < need ? need : room;
	}
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	text->bytes[text->size] = 0;
}

void text_sink(void *text, const char *bytes, size_t size)
{
	text_add(text, bytes, size);
}

void text_print_args(struct text *text, const char *format, va_list args)
{
	char *line;
	int n;

	n = vasprintf(&line, format, args);
	if (n < 0) {
		text->failed = true;
		return;
	}
	text_add(text, line, (size_t)n);
	free(line);
}

void text_print(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_print_args(text, format, args);
	va_end(args);
}

const char *text_get(const struct text *text)
{
	return text->bytes ? text->bytes : "";
}

char *text_take(struct text *text)
{
	char *bytes = text->bytes;

	if (text->failed) {
		text_fini(text);
		return NULL;
	}
	memset(text, 0, sizeof(*text));
	return bytes ? bytes : mem_string("");
}

char *text_format_args(const char *format, va_list args)
{
	struct text text = { 0 };

	text_print_args(&text, format, args);
	return text_take(&text);
}

char *text_format(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = text_format_args(format, args);
	va_end(args);
	return text;
}

/* Whether this byte of UTF-8 continues a character. */
static bool is_continuation(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

struct quoted text_quote_part(const char *bytes, size_t size)
{
	static const char gap[] = "...";
	const size_t room = TEXT_QUOTED - sizeof(gap);
	size_t head = size, tail = 0, i;
	struct quoted q;

	if (size >= TEXT_QUOTED) {
		head = room - room / 3;
		tail = room / 3;
		for (i = 0; i < 3 && is_continuation(bytes[head]); i++)
			head--;
		for (i = 0; i < 3 && is_continuation(bytes[size - tail]); i++)
			tail--;
	}
	memcpy(q.bytes, bytes, head);
	if (tail) {
		memcpy(q.bytes + head, gap, strlen(gap));
		head += strlen(gap);
		memcpy(q.bytes + head, bytes + size - tail, tail);
	}
	q.bytes[head + tail] = '\0';
	return q;
}

struct quoted text_quote(const char *text)
{
	return text_quote_part(text, strlen(text));
}

void text_fini(struct text *text)
{
	mem_free(text->bytes);
	memset(text, 0, sizeof(*text));
}

void *text_pack(const void *list, size_t n, size_t size, const size_t *fields,
		size_t n_fields)
{
	const size_t n_strings = n * n_fields;
	size_t bytes = n * size, i;
	const char *string;
	char *block, *end;

	for (i = 0; i < n_strings; i++) {
		memcpy(&string,
		       (const char *)list + i / n_fields * size +
			       fields[i % n_fields],
		       sizeof(string));
		bytes += string ? strlen(string) + 1 : 0;
	}
	block = mem_alloc(bytes);
	if (!block)
		return NULL;
	if (n)
		memcpy(block, list, n * size);
	end = block + n * size;
	for (i = 0; i < n_strings; i++) {
		char *at = block + i / n_fields * size + fields[i % n_fields];

		memcpy(&string, at, sizeof(string));
		if (!string)
			continue;
		memcpy(at, &end, sizeof(end));
		end = stpcpy(end, string) + 1;
	}
	return block;
}

/* The length of the well-formed UTF-8 sequence at @s, or 0. */
static size_t utf8_length(const unsigned char *s)
{
	const size_t n = s[0] < 0x80                    ? 1
			 : s[0] >= 0xc2 && s[0] <= 0xdf ? 2
			 : s[0] >= 0xe0 && s[0] <= 0xef ? 3
			 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
							: 0;
	size_t i;

	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

size_t text_escape(char *to, size_t room, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t used = 0, n, piece;
	char escaped[8];
	const char *from;

	for (n = 0; *s; s += n) {
		n = utf8_length(s);
		piece = n;
		from = (const char *)s;
		if (!n || *s < 0x20 || *s == '"' || *s == '\\') {
			piece = (size_t)snprintf(escaped, sizeof(escaped),
						 "\\u%04x", n ? *s : 0xfffdu);
			from = escaped;
			n = 1;
		}
		/* Leave room for the dots that mark a cut. */
		if (used + piece + 3 > room)
			break;
		memcpy(to + used, from, piece);
		used += piece;
	}
	if (*s && room >= 3) {
		memcpy(to + used, "...", 3);
		used += 3;
	}
	return used;
}
