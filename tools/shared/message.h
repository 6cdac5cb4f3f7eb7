/* SPDX-License-Identifier: Apache-2.0 */
/* message.h - the sentence that a failing function of the tools leaves. */
#ifndef TOOLS_MESSAGE_H
#define TOOLS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/base.h>

/*
 * Functions that can fail take a message, return false and set it.  @column is
 * where in the expression the fault is, counted from 0, or NO_COLUMN.  Begins
 * zeroed (MESSAGE_NONE).
 */
#define NO_COLUMN ((size_t)-1)
#define MESSAGE_NONE            \
	{                       \
		NULL, NO_COLUMN \
	}

struct message {
	char *text;
	size_t column;
};

/* Replace the text, and be false.  Macros, so that the compiler sees that a
   function that returns this has failed. */
#define message_set(message, ...) (message_record(message, __VA_ARGS__), false)
/* The same, at a column of the expression. */
#define message_set_at(message, column, ...) \
	(message_record_at(message, column, __VA_ARGS__), false)

void message_record(struct message *message, const char *format, ...)
	DPR_PRINTF(2, 3);
void message_record_at(struct message *message, size_t column,
		       const char *format, ...) DPR_PRINTF(3, 4);

/* The text; a fixed one when there was no memory for it. */
const char *message_text(const struct message *message);

void message_clear(struct message *message);

#endif
