/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - writing JSON to a stream, two blanks per level. */
#ifndef TOOLS_JSON_H
#define TOOLS_JSON_H

#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *to;
	int depth, started; /* something is already at this level */
};

/* Names are NULL inside a list and for the outermost value. */
void json_open(struct json *json, const char *name, char bracket);
void json_close(struct json *json, char bracket);
/* NULL is written as null; bytes that are no UTF-8 become U+FFFD. */
void json_string(struct json *json, const char *name, const char *value);
void json_number(struct json *json, const char *name, uint64_t value);
/* Six digits; what is no number is written as null. */
void json_real(struct json *json, const char *name, double value);
void json_bool(struct json *json, const char *name, int value);

#endif
