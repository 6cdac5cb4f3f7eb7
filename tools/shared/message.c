/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - the error text of a function of the tools. */
#include "tools/shared/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void replace_text(struct message *message, size_t column,
			 const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));

static void replace_text(struct message *message, size_t column,
			 const char *format, va_list args)
{
	/* Free the old text last: it may be one of the arguments. */
	char *old = message->text;

	if (vasprintf(&message->text, format, args) < 0)
		message->text = NULL;
	message->column = column;
	free(old);
}

void message_record(struct message *message, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	replace_text(message, NO_COLUMN, format, args);
	va_end(args);
}

void message_record_at(struct message *message, size_t column,
		       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	replace_text(message, column, format, args);
	va_end(args);
}

const char *message_text(const struct message *message)
{
	return message->text ? message->text : "out of memory";
}

void message_clear(struct message *message)
{
	free(message->text);
	message->text = NULL;
	message->column = NO_COLUMN;
}
