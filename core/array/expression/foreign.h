/* SPDX-License-Identifier: Apache-2.0 */
/* foreign.h - names of Python, NumPy and the array API standard that
   expressions do not have. */
#ifndef ARRAY_FOREIGN_H
#define ARRAY_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

/* The dtype of dpr that replaces the dtype @name of Python or NumPy, such as
   "int64" for int.  Returns NULL if there is none. */
const char *foreign_dtype(const char *name, size_t length);

/* The function of dpr that replaces the function @name of NumPy, such as "abs"
   for absolute.  Returns NULL if there is none. */
const char *foreign_function(const char *name, size_t length);

/* The first words of an error about the function @name: "dpr has no" if dpr
   lacks the function, or "expressions have no" if only expressions lack it.
   Returns NULL for any other name. */
const char *foreign_lack(const char *name, size_t length);

#endif
