/* SPDX-License-Identifier: Apache-2.0 */
/* progress_line.h - how far a long run is, in a line of the terminal. */
#ifndef TOOLS_PROGRESS_LINE_H
#define TOOLS_PROGRESS_LINE_H

/* Show a line on the standard error, in place of the last one.  If that is no
   terminal, do nothing. */
void progress_line_show(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* Remove the line, before anything else is printed. */
void progress_line_end(void);

#endif
