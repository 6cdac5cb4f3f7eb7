/* SPDX-License-Identifier: Apache-2.0 */
/* includes.c - whether a source reads files, which may change. */
#include "core/runtime/program/includes.h"

#include <string.h>

#include "core/base/mem.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

/* What may stand between '#' and the word.  Clang also takes zero bytes and
   Unicode's spaces there. */
static bool is_blank(char c)
{
	return is_space(c) || c == '\n' || !c || (unsigned char)c >= 0x80;
}

/* The length of a continued line's end at @at, from the backslash to the
   newline, or 0.  Compilers allow spaces between the two. */
static size_t splice(const char *at, const char *end)
{
	const char *c = at;

	if (*c != '\\')
		return 0;
	for (c++; c < end && is_space(*c); c++)
		if (*c == '\r' && (c + 1 == end || c[1] != '\n'))
			break;
	return c < end && (*c == '\n' || *c == '\r') ? (size_t)(c + 1 - at) : 0;
}

/* Replace the two trigraphs that matter, in place.  Returns the new size. */
static size_t replace_trigraphs(char *text, size_t size)
{
	size_t from, to = 0;

	for (from = 0; from < size; from++) {
		text[to] = text[from];
		if (size - from > 2 && !memcmp(text + from, "?\?=", 3)) {
			text[to] = '#';
			from += 2;
		} else if (size - from > 2 && !memcmp(text + from, "?\?/", 3)) {
			text[to] = '\\';
			from += 2;
		}
		to++;
	}
	return to;
}

/* Join continued lines, in place.  Returns the new size. */
static size_t join_lines(char *text, size_t size)
{
	size_t from, to = 0, skipped;

	for (from = 0; from < size; from++) {
		skipped = splice(text + from, text + size);
		if (skipped)
			from += skipped - 1;
		else
			text[to++] = text[from];
	}
	return to;
}

/* The end of the string or character at @at, at most the end of its line. */
static size_t literal_end(const char *text, size_t size, size_t at)
{
	const char quote = text[at++];

	while (at < size && text[at] != quote && text[at] != '\n')
		at += text[at] == '\\' ? 2 : 1;
	return at < size ? at + 1 : size;
}

/* The end of the comment at @at. */
static size_t comment_end(const char *text, size_t size, size_t at)
{
	const bool line = text[at + 1] == '/';
	const char *end = line ? memchr(text + at, '\n', size - at)
			       : memmem(text + at + 2, size - at - 2, "*/", 2);

	return end ? (size_t)(end - text) + (line ? 0 : 2) : size;
}

/* Replace comments by spaces, in place.  Returns the new size.  Raw strings of
   C++ may hold what looks like a comment, so a source with these stays as it
   is. */
static size_t drop_comments(char *text, size_t size)
{
	size_t from = 0, to = 0, end;

	if (memmem(text, size, "R\"", 2))
		return size;
	while (from < size) {
		end = from + 1;
		if (text[from] == '"' || text[from] == '\'')
			end = literal_end(text, size, from);
		if (text[from] == '/' && end < size &&
		    (text[end] == '/' || text[end] == '*')) {
			from = comment_end(text, size, from);
			text[to++] = ' ';
			continue;
		}
		memmove(text + to, text + from, end - from);
		to += end - from;
		from = end;
	}
	return to;
}

/* Whether the word at @at ends a directive or an operator that reads a file:
   "#include", "%: import", "__has_include".  A comment that was not dropped may
   hide the '#'. */
static bool reads_file(const char *text, const char *at)
{
	while (at > text && is_blank(at[-1]))
		at--;
	return at > text && strchr("#:/_", at[-1]);
}

bool includes_files(const char *source, size_t size)
{
	static const char *const words[] = { "include", "import", "embed" };
	char *text = mem_alloc(size + 1), *at;
	bool found = false;
	size_t i;

	if (!text)
		return true;
	memcpy(text, source, size);
	size = join_lines(text, replace_trigraphs(text, size));
	size = drop_comments(text, size);
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		for (at = text;
		     !found && (at = memmem(at, (size_t)(text + size - at),
					    words[i], strlen(words[i])));
		     at++)
			found = reads_file(text, at);
	mem_free(text);
	return found;
}

bool includes_by_options(const char *options)
{
	return options &&
	       (strstr(options, "-include") || strstr(options, "-imacros"));
}
