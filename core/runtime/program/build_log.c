/* SPDX-License-Identifier: Apache-2.0 */
/* build_log.c - where in a source a compiler's log says that the error is. */
#include "core/runtime/program/build_log.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/program/includes.h"

/* Bytes of the source or of the log. */
struct log_span {
	const char *at, *end;
};

static struct log_span line_at(const char *at, const char *end)
{
	const char *stop = memchr(at, '\n', (size_t)(end - at));

	return (struct log_span){ at, stop ? stop : end };
}

static struct log_span trim(struct log_span s)
{
	while (s.at < s.end && isspace((unsigned char)*s.at))
		s.at++;
	while (s.end > s.at && isspace((unsigned char)s.end[-1]))
		s.end--;
	return s;
}

/* Line @number of @source, counted from 1; empty if there is none. */
static struct log_span find_line(struct log_span source, unsigned long number)
{
	struct log_span line = line_at(source.at, source.end);

	for (; number > 1 && line.end < source.end; number--)
		line = line_at(line.end + 1, source.end);
	return number == 1 ? line : (struct log_span){ source.end, source.end };
}

/* --- The log ---------------------------------------------------------------
 */

/* Read the place in "file:3:14: error", "error: file:3:14" or "file(3): error",
   a line of the log.  @column is 0 if the log has none. */
static bool read_place(struct log_span line, unsigned long *number,
		       unsigned long *column)
{
	const char *c;
	char *end;

	*column = 0;
	if (!memmem(line.at, (size_t)(line.end - line.at), "error", 5))
		return false;
	for (c = line.at; c < line.end; c++) {
		if ((*c != ':' && *c != '(') || c == line.at ||
		    isspace((unsigned char)c[-1]) ||
		    !isdigit((unsigned char)c[1]))
			continue;
		*number = strtoul(c + 1, &end, 10);
		if (*c == '(' && end[0] == ')' && end[1] == ':')
			return true;
		if (*c == '(' || *end != ':')
			continue;
		if (isdigit((unsigned char)end[1]))
			*column = strtoul(end + 1, NULL, 10);
		return true;
	}
	return false;
}

/* Whether the log shows line @line of the source.  A compiler that means a line
   of another file shows another line. */
static bool is_same(struct log_span line, const char *next,
		    struct log_span source)
{
	const struct log_span shown = line_at(next, next + strlen(next));
	const size_t size = (size_t)(source.end - source.at);

	if (memmem(shown.at, (size_t)(shown.end - shown.at), line.at,
		   (size_t)(line.end - line.at)))
		return true;
	return !includes_files(source.at, size) &&
	       !memmem(source.at, size, "#line", 5);
}

/* --- The kernel ------------------------------------------------------------
 */

/* A walk through a source, with the kernel that the walk is in. */
struct walk {
	struct log_span
		name; /* the name of the kernel; empty outside of kernels */
	struct log_span word; /* the last word */
	int braces;
	bool kernel; /* the word "kernel" comes before the function */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool span_is(struct log_span s, const char *word)
{
	const size_t size = strlen(word);

	return (size_t)(s.end - s.at) == size && !memcmp(s.at, word, size);
}

/* The end of the list in parentheses behind @at. */
static const char *skip_list(const char *at, const char *end)
{
	int open = 0;

	for (; at < end; at++) {
		open += (*at == '(') - (*at == ')');
		if (*at == ')' && open <= 0)
			return at + 1;
		if (!open && !isspace((unsigned char)*at))
			return at;
	}
	return end;
}

/* The end of the comment, text or directive at @at; NULL: there is none. */
static const char *skip_other(const char *at, const char *end)
{
	const char *stop;
	char quote = *at;

	if (*at == '/' && end - at > 1 && at[1] == '*') {
		stop = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
		return stop ? stop + 2 : end;
	}
	if (*at == '#' || (*at == '/' && end - at > 1 && at[1] == '/')) {
		do
			at = line_at(at, end).end;
		while (at < end && at[-1] == '\\' && ++at < end);
		return at;
	}
	if (quote != '"' && quote != '\'')
		return NULL;
	for (at++; at < end && *at != quote && *at != '\n'; at++)
		if (*at == '\\' && end - at > 1)
			at++;
	return at < end ? at + 1 : end;
}

/* Take the word at @at.  Returns its end. */
static const char *take_word(struct walk *walk, const char *at, const char *end)
{
	walk->word.at = at;
	while (at < end && is_word(*at))
		at++;
	walk->word.end = at;
	if (span_is(walk->word, "__attribute__"))
		return skip_list(at, end);
	if (!walk->braces &&
	    (span_is(walk->word, "kernel") || span_is(walk->word, "__kernel")))
		walk->kernel = true;
	return at;
}

static void take_sign(struct walk *walk, char c)
{
	walk->braces += (c == '{') - (c == '}');
	if (c == '(' && walk->kernel && !walk->name.at)
		walk->name = walk->word;
	if (walk->braces <= 0 && (c == '}' || c == ';')) {
		walk->name = (struct log_span){ NULL, NULL };
		walk->kernel = false;
		walk->braces = 0;
	}
}

/* The kernel in which @stop is; empty: in none. */
static struct log_span find_kernel(struct log_span source, const char *stop)
{
	struct walk walk = { 0 };
	const char *at = source.at, *next;

	while (at < stop) {
		next = skip_other(at, source.end);
		if (next) {
			at = next;
		} else if (is_word(*at)) {
			at = take_word(&walk, at, source.end);
		} else {
			take_sign(&walk, *at++);
		}
	}
	return walk.name;
}

/* --- Both ------------------------------------------------------------------
 */

void build_log_place(struct text *text, const char *log, const char *source,
		     size_t size)
{
	const struct log_span all = { source, source + size };
	const char *end = log + strlen(log), *at, *stop;
	struct log_span line = { log, log }, kernel, code;
	unsigned long number, column;
	bool found = false;

	for (at = log; at < end && !found; at = line.end + 1) {
		line = line_at(at, end);
		found = read_place(line, &number, &column);
	}
	if (!found)
		return;
	line = find_line(all, number);
	code = trim(line);
	if (code.at == code.end || !is_same(code, at < end ? at : "", all))
		return;
	stop = column && column < (size_t)(line.end - line.at)
		       ? line.at + column
		       : line.end;
	kernel = find_kernel(all, stop);
	if (kernel.at)
		text_print(text, " in kernel %s",
			   text_quote_part(kernel.at,
					   (size_t)(kernel.end - kernel.at))
				   .bytes);
	text_print(
		text, "%s line %lu: %s", kernel.at ? "," : " in", number,
		text_quote_part(code.at, (size_t)(code.end - code.at)).bytes);
}
