/* SPDX-License-Identifier: Apache-2.0 */
/* message.h - the error text of a function of the tools. */
#ifndef TOOLS_MESSAGE_H
#define TOOLS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/base.h>

/*
 * A function that can fail takes a message.  If it fails, it sets the message
 * and returns false, or NULL. `column` is the place of the error in the
 * expression, counted from 0, or NO_COLUMN.  Initialize a message with
 * MESSAGE_NONE.
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

/* Replace the text, and evaluate to false.  This is a macro so that the
   compiler sees the value false where a function returns it. */
#define message_set(message, ...) (message_record(message, __VA_ARGS__), false)
/* Replace text and column, and evaluate to false. */
#define message_set_at(message, column, ...) \
	(message_record_at(message, column, __VA_ARGS__), false)

void message_record(struct message *message, const char *format, ...)
	DPR_PRINTF(2, 3);
void message_record_at(struct message *message, size_t column,
		       const char *format, ...) DPR_PRINTF(3, 4);

/* The text, or a fixed text if there was no memory for it. */
const char *message_text(const struct message *message);

void message_clear(struct message *message);

#endif
