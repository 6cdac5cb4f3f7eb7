/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - writing JSON to a stream, two blanks per level. */
#ifndef TOOLS_JSON_H
#define TOOLS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *to;
	int depth;
	bool started; /* this level has a value already */
};

/* Begin and end an object ("{", "}") or a list.  Names are NULL inside a list
   and for the outermost value.  After the outermost value, the line is
   ended. */
void json_open(struct json *json, const char *name, char bracket);
void json_close(struct json *json, char bracket);

/* Write a string.  NULL becomes null; bytes that are not UTF-8 become U+FFFD.
 */
void json_string(struct json *json, const char *name, const char *value);

/* Write an integer. */
void json_number(struct json *json, const char *name, uint64_t value);

/* Write a number with six digits.  NaN and infinity become null. */
void json_real(struct json *json, const char *name, double value);

/* Write true or false. */
void json_bool(struct json *json, const char *name, bool value);

#endif
