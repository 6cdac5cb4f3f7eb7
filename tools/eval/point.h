/* SPDX-License-Identifier: Apache-2.0 */
/* point.h - showing a column of an expression. */
#ifndef TOOLS_POINT_H
#define TOOLS_POINT_H

#include <stddef.h>

/* Return the expression and, below it, a line with a caret at @column (from 0).
   Of a long expression, only the part around the caret is shown.  Free the text
   with free().  NULL: no memory. */
char *point_at(const char *text, size_t column);

#endif
