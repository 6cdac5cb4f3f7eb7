/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - writing JSON to a stream. */
#include "tools/shared/json.h"

#include <math.h>
#include <string.h>

/* The length in bytes of the UTF-8 character at @s; 0: it is not valid. */
static int utf8_length(const unsigned char *s)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t c = s[0];
	int n = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : 4, i;

	if (n == 1)
		return 1;
	if (n == 4 && c >> 3 != 30)
		return 0;
	c &= 0xffu >> (n + 1);
	for (i = 1; i < n; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	return n;
}

static void write_string(FILE *to, const char *string)
{
	const unsigned char *s = (const unsigned char *)string;

	putc('"', to);
	while (*s) {
		int n = utf8_length(s);

		if (*s == '"' || *s == '\\')
			fprintf(to, "\\%c", *s);
		else if (*s < 0x20 || *s == 0x7f)
			fprintf(to, "\\u%04x", *s);
		else if (n)
			fwrite(s, 1, (size_t)n, to);
		else
			fputs("\\ufffd", to);
		s += n ? n : 1;
	}
	putc('"', to);
}

/* Write what comes before a value: a comma, a new line, the name. */
static void begin_value(struct json *json, const char *name)
{
	if (json->started)
		putc(',', json->to);
	if (json->depth)
		fprintf(json->to, "\n%*s", 2 * json->depth, "");
	if (name) {
		write_string(json->to, name);
		fputs(": ", json->to);
	}
	json->started = true;
}

void json_open(struct json *json, const char *name, char bracket)
{
	begin_value(json, name);
	putc(bracket, json->to);
	json->depth++;
	json->started = false;
}

void json_close(struct json *json, char bracket)
{
	json->depth--;
	if (json->started)
		fprintf(json->to, "\n%*s", 2 * json->depth, "");
	putc(bracket, json->to);
	json->started = true;
	if (!json->depth)
		putc('\n', json->to);
}

void json_string(struct json *json, const char *name, const char *value)
{
	begin_value(json, name);
	if (value)
		write_string(json->to, value);
	else
		fputs("null", json->to);
}

void json_number(struct json *json, const char *name, uint64_t value)
{
	begin_value(json, name);
	fprintf(json->to, "%llu", (unsigned long long)value);
}

void json_real(struct json *json, const char *name, double value)
{
	begin_value(json, name);
	if (isfinite(value))
		fprintf(json->to, "%.6g", value);
	else
		fputs("null", json->to);
}

void json_bool(struct json *json, const char *name, bool value)
{
	begin_value(json, name);
	fputs(value ? "true" : "false", json->to);
}
