/* SPDX-License-Identifier: Apache-2.0 */
/* trace_line.c - an event of the trace file under construction. */
#include "core/base/trace_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"

/* The most bytes of an argument's text. */
#define LONGEST 300
/* The bytes that are reserved for the brackets at the end of the line. */
#define RESERVE 8

/* Add @n bytes if they fit. */
static void line_add(struct trace_line *line, const char *bytes, size_t n)
{
	if (n > sizeof(line->bytes) - RESERVE - line->size)
		return;
	memcpy(line->bytes + line->size, bytes, n);
	line->size += n;
}

/* Add a short formatted text if it fits. */
static void line_print(struct trace_line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void line_print(struct trace_line *line, const char *format, ...)
{
	char text[160];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	line_add(line, text, (size_t)n);
}

void trace_line_begin(struct trace_line *line, char phase, uint64_t process,
		      uint64_t thread, uint64_t time)
{
	line->size = 0;
	line_print(line,
		   ",\n{\"ph\":\"%c\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64
		   ",\"ts\":%" PRIu64 ".%03u",
		   phase, process, thread, time / 1000,
		   (unsigned)(time % 1000));
}

/* The comma before the next key, or "". */
static const char *comma(const struct trace_line *line)
{
	return line->bytes[line->size - 1] == '{' ? "" : ",";
}

void trace_line_number(struct trace_line *line, const char *key, uint64_t n)
{
	line_print(line, "%s\"%s\":%" PRIu64, comma(line), key, n);
}

void trace_line_true(struct trace_line *line, const char *key)
{
	line_print(line, "%s\"%s\":true", comma(line), key);
}

void trace_line_time(struct trace_line *line, const char *key, uint64_t time)
{
	line_print(line, "%s\"%s\":%" PRIu64 ".%03u", comma(line), key,
		   time / 1000, (unsigned)(time % 1000));
}

void trace_line_text(struct trace_line *line, const char *key, const char *text)
{
	char value[LONGEST + 64];
	int size;

	size = snprintf(value, sizeof(value), "%s\"%.40s\":\"", comma(line),
			key);
	size += (int)text_escape(value + size, LONGEST, text);
	value[size++] = '"';
	line_add(line, value, (size_t)size);
}

void trace_line_args(struct trace_line *line, const char *key, const char *text)
{
	line_add(line, ",\"args\":{", 9);
	if (key)
		trace_line_text(line, key, text);
}

void trace_line_notes(struct trace_line *line, const char *notes, size_t size)
{
	/* The notes begin with a comma, which must not follow a '{'. */
	if (size && *comma(line))
		line_add(line, notes, size);
	else if (size)
		line_add(line, notes + 1, size - 1);
}

void trace_line_args_end(struct trace_line *line)
{
	/* There is always room for this bracket, and for the end of the
	   line. */
	line->bytes[line->size++] = '}';
}

void trace_line_end(struct trace_line *line)
{
	line->bytes[line->size++] = '}';
}
