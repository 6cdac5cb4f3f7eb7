/* SPDX-License-Identifier: Apache-2.0 */
/* json_text.h - any text as the inside of a JSON string. */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include <stddef.h>

/*
 * Write @text to @to as the inside of a JSON string, and return the number of
 * bytes.  A text that does not fit in @room bytes is cut between characters and
 * ends with "...".  Bytes that are not UTF-8 become U+FFFD.
 */
size_t json_text_escape(char *to, size_t room, const char *text);

#endif
