/* SPDX-License-Identifier: Apache-2.0 */
/* build_log.h - where in a source a compiler's log says that the error is. */
#ifndef RUNTIME_BUILD_LOG_H
#define RUNTIME_BUILD_LOG_H

#include <stddef.h>

#include "core/base/text.h"

/*
 * Append the place of the first error of @log in @source, which has @size
 * bytes: " in kernel blur, line 3: y[i] = z;".  Appends nothing if the log
 * names no line of the source: compilers agree only on "file:line:column:
 * error" and "file(line): error".
 */
void build_log_place(struct text *text, const char *log, const char *source,
		     size_t size);

#endif
