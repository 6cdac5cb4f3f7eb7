/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_text.c - a text that grows. */
#include "cuda_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <dpr/backend-help.h>

/* Make room for @size more bytes and a zero. */
static bool text_reserve(struct cuda_text *text, size_t size)
{
	size_t need, room = text->room ? text->room : 1024;
	char *bytes;

	if (text->failed || __builtin_add_overflow(text->size, size, &need) ||
	    __builtin_add_overflow(need, 1, &need))
		return !(text->failed = true);
	if (need <= text->room)
		return true;
	while (room < need && room <= (size_t)-1 / 2)
		room *= 2;
	bytes = room < need ? NULL : text->host->alloc(text->host->self, room);
	if (!bytes)
		return !(text->failed = true);
	if (text->size)
		memcpy(bytes, text->bytes, text->size);
	dprh_free(text->host, text->bytes);
	text->bytes = bytes;
	text->room = room;
	return true;
}

void cuda_text_add(struct cuda_text *text, const char *bytes, size_t size)
{
	if (!text_reserve(text, size))
		return;
	if (size)
		memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	text->bytes[text->size] = '\0';
}

void cuda_text_format(struct cuda_text *text, const char *format, ...)
{
	va_list args, again;
	int length;

	va_start(args, format);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	if (length >= 0 && text_reserve(text, (size_t)length)) {
		vsnprintf(text->bytes + text->size, (size_t)length + 1, format,
			  again);
		text->size += (size_t)length;
	}
	va_end(again);
	va_end(args);
}

void cuda_text_free(struct cuda_text *text)
{
	dprh_free(text->host, text->bytes);
	text->bytes = NULL;
	text->size = text->room = 0;
}
