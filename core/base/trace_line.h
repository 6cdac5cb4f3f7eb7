/* SPDX-License-Identifier: Apache-2.0 */
/* trace_line.h - an event of the trace file under construction. */
#ifndef BASE_TRACE_LINE_H
#define BASE_TRACE_LINE_H

#include <stddef.h>
#include <stdint.h>

/* The line of an event.  A part that does not fit is left out, and the line
   stays complete JSON. */
struct trace_line {
	size_t size;
	char bytes[1536];
};

/* Begin an event with its phase, its process and thread, and its time in
   nanoseconds. */
void trace_line_begin(struct trace_line *line, char phase, uint64_t process,
		      uint64_t thread, uint64_t time);

/* Add `"key":` and a number, a text, true, or a time in microseconds. */
void trace_line_number(struct trace_line *line, const char *key, uint64_t n);
void trace_line_text(struct trace_line *line, const char *key,
		     const char *text);
void trace_line_true(struct trace_line *line, const char *key);
void trace_line_time(struct trace_line *line, const char *key, uint64_t time);

/* trace_line_args() opens the object of arguments, with `"key":"text"` unless
   @key is NULL; trace_line_args_end() closes it. */
void trace_line_args(struct trace_line *line, const char *key,
		     const char *text);
void trace_line_args_end(struct trace_line *line);

/* Add the notes of a call to its arguments: `,"key":value...`. */
void trace_line_notes(struct trace_line *line, const char *notes, size_t size);

/* Close the event.  trace_file_put() does this. */
void trace_line_end(struct trace_line *line);

#endif
