/* SPDX-License-Identifier: Apache-2.0 */
/* json_text.c - any text as the inside of a JSON string. */
#include "core/base/json_text.h"

#include <stdio.h>
#include <string.h>

/* The length of the well-formed UTF-8 sequence at @s, 0 if there is none. */
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

size_t json_text_escape(char *to, size_t room, const char *text)
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
		/* Room for the dots that say that it is cut. */
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
