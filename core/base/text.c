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
