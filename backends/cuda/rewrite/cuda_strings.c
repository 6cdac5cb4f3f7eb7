/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_strings.c - small strings and other memory that is freed together. */
#include "cuda_strings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <dpr/backend-help.h>

#define BLOCK 8192

struct cuda_string_block {
	struct cuda_string_block *next;
	size_t used, room;
	max_align_t bytes[];
};

void *cuda_strings_get(struct cuda_strings *strings, size_t size)
{
	struct cuda_string_block *block = strings->blocks;
	size_t room;
	char *at;

	if (__builtin_add_overflow(size, sizeof(max_align_t) - 1, &room)) {
		strings->failed = true;
		return NULL;
	}
	size = room / sizeof(max_align_t) * sizeof(max_align_t);
	if (!block || block->room - block->used < size) {
		room = size > BLOCK ? size : BLOCK;
		block = dprh_alloc(strings->host, 1, sizeof(*block) + room);
		if (!block) {
			strings->failed = true;
			return NULL;
		}
		block->room = room;
		block->next = strings->blocks;
		strings->blocks = block;
	}
	at = (char *)block->bytes + block->used;
	block->used += size;
	return at;
}

const char *cuda_strings_copy(struct cuda_strings *strings, const char *text,
			      size_t size)
{
	char *copy = cuda_strings_get(strings, size + 1);

	if (!copy)
		return "";
	memcpy(copy, text, size);
	copy[size] = '\0';
	return copy;
}

const char *cuda_strings_format(struct cuda_strings *strings,
				const char *format, ...)
{
	va_list args, again;
	char *text = NULL;
	int length;

	va_start(args, format);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	if (length >= 0)
		text = cuda_strings_get(strings, (size_t)length + 1);
	if (text)
		vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	va_end(args);
	return text ? text : "";
}

void cuda_strings_free(struct cuda_strings *strings)
{
	struct cuda_string_block *block;

	while ((block = strings->blocks)) {
		strings->blocks = block->next;
		dprh_free(strings->host, block);
	}
}
