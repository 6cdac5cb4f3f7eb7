/* SPDX-License-Identifier: Apache-2.0 */
/* progress_line.c - how far a long run is, in a line of the terminal. */
#include "tools/shared/progress_line.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static bool is_shown;

void progress_line_show(const char *format, ...)
{
	va_list args;

	if (!isatty(STDERR_FILENO))
		return;
	is_shown = true;
	fputs("\r\033[K", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fflush(stderr);
}

void progress_line_end(void)
{
	if (is_shown)
		fputs("\r\033[K", stderr);
	is_shown = false;
}
