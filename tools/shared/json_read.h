/* SPDX-License-Identifier: Apache-2.0 */
/* json_read.h - reading JSON from a stream, token by token. */
#ifndef TOOLS_JSON_READ_H
#define TOOLS_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Tokens.  A bracket, a comma and a colon are tokens of their own character. */
enum json_read_token {
	JSON_READ_END = 0, /* the input ended, perhaps within a token */
	JSON_READ_WRONG = '?',
	JSON_READ_STRING = '"',
	JSON_READ_NUMBER = '0',
	JSON_READ_WORD = 'w' /* true, false or null */
};

struct json_read {
	FILE *from;
	uint64_t line; /* the line of the last token, from 1 on */
	int ahead;     /* the next character, if it was read */
	size_t size;
	char text[512]; /* of the last string, number or word */
	double number;
};

void json_read_begin(struct json_read *json, FILE *from);

/* Read the next token, an enum json_read_token or a character.  Strings are
   decoded to UTF-8, with a blank in place of each control character.  What does
   not fit into `text` is left out. */
int json_read_next(struct json_read *json);

/* Skip the value that begins with @token.  Returns the value's last token, or
   JSON_READ_END or JSON_READ_WRONG. */
int json_read_skip(struct json_read *json, int token);

#endif
