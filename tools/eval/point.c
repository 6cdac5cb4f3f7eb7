/* SPDX-License-Identifier: Apache-2.0 */
/* point.c - showing a column of an expression. */
#include "tools/eval/point.h"

#include <stdio.h>
#include <string.h>

char *point_at(const char *text, size_t column)
{
	const size_t before = 50, after = 24;
	size_t length = strlen(text);
	size_t from = column > before ? column - before : 0;
	size_t to = length - column > after ? column + after : length;
	char *out;
	int n, i;

	n = asprintf(&out, "  %s%.*s%s\n  %*s^", from ? "..." : "",
		     (int)(to - from), text + from, to < length ? "..." : "",
		     (int)(column - from + (from ? 3 : 0)), "");
	if (n < 0)
		return NULL;
	/* Replace control characters: a tab or a line break would move the
	   caret. */
	for (i = 0; i < (int)(to - from); i++) {
		char *c = out + 2 + (from ? 3 : 0) + i;

		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = ' ';
	}
	return out;
}
