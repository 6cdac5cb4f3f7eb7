/* SPDX-License-Identifier: Apache-2.0 */
/* foreign.h - names of Python, NumPy and the array API standard that
   expressions do not have. */
#ifndef ARRAY_FOREIGN_H
#define ARRAY_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

/* The dtype of dpr for a dtype of Python or NumPy called @name: "int64" for
   int.  NULL: there is none. */
const char *foreign_dtype(const char *name, size_t length);

/* The function of dpr for a function of NumPy called @name: "abs" for absolute.
   NULL: there is none. */
const char *foreign_function(const char *name, size_t length);

/* Whether @name is a function of the array API standard that dpr lacks. */
bool foreign_is_missing(const char *name, size_t length);

#endif
