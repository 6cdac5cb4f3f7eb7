/* SPDX-License-Identifier: Apache-2.0 */
/* text.h - text that grows: logs, lists and explanations. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* A text.  It is empty if zeroed.  After a failed allocation the text stays
   unchanged and `failed` is set; further additions do nothing. */
struct text {
	char *bytes; /* zero-terminated; NULL while empty */
	size_t size, room;
	bool failed;
};

void text_add(struct text *text, const char *bytes, size_t size);
void text_print(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void text_print_args(struct text *text, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Format a text into a block for mem_free().  NULL: memory ran out. */
char *text_format(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
char *text_format_args(const char *format, va_list args)
	__attribute__((format(printf, 1, 0)));

/* text_add() in the form of a dprp_sink; @text is a struct text. */
void text_sink(void *text, const char *bytes, size_t size);

/* The text so far, or "" if empty.  Valid until the next addition. */
const char *text_get(const struct text *text);

/* Take the text as a block for mem_free(), and leave @text empty.  NULL only if
   memory runs out, now or in an earlier addition. */
char *text_take(struct text *text);

void text_fini(struct text *text);

/*
 * Shorten a user's text for a message.  TEXT_QUOTED bytes hold the whole text,
 * or its two ends with "..."  between them.  Use the value within one
 * expression: text_quote(name).bytes.
 */
#define TEXT_QUOTED 256
struct quoted {
	char bytes[TEXT_QUOTED];
};
struct quoted text_quote(const char *text);
struct quoted text_quote_part(const char *bytes, size_t size);

/*
 * Copy the @n structs of @size bytes at @list, followed by copies of their
 * strings, into one block for mem_free() or dpr_free().  @fields has the
 * offsets of the `const char *` members to copy; NULL stays NULL.  NULL: memory
 * ran out; no error is recorded.
 */
void *text_pack(const void *list, size_t n, size_t size, const size_t *fields,
		size_t n_fields);

/*
 * Write @text to @to as the inside of a JSON string, and return the number of
 * bytes.  A text that does not fit into @room bytes is cut between characters,
 * and ends with "...".  Bytes that are not UTF-8 become U+FFFD.
 */
size_t text_escape(char *to, size_t room, const char *text);

#endif
