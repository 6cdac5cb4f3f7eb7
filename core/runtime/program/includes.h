/* SPDX-License-Identifier: Apache-2.0 */
/* includes.h - whether a source reads files, which may change. */
#ifndef RUNTIME_INCLUDES_H
#define RUNTIME_INCLUDES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the compiler may read files for this source of @size bytes: it has
 * #include, #import, #embed or __has_include, perhaps with trigraphs, digraphs,
 * comments or continued lines in between.  A plain word "include" does not
 * count.  Also true if memory runs out.
 */
bool includes_files(const char *source, size_t size);

/* The same for the compiler's @options; NULL: none. */
bool includes_by_options(const char *options);

#endif
