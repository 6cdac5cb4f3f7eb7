/* SPDX-License-Identifier: Apache-2.0 */
/* foreign.h - names that expressions do not have, but Python, NumPy or the
   array API standard do. */
#ifndef ARRAY_FOREIGN_H
#define ARRAY_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

/* What dpr calls the dtype that Python or NumPy call @name: "int64" for int.
   NULL: there is none. */
const char *foreign_dtype(const char *name, size_t length);

/* What dpr calls the function that NumPy calls @name: "abs" for absolute. NULL:
   there is none. */
const char *foreign_function(const char *name, size_t length);

/* Whether @name is a function of the array API standard that dpr lacks. */
bool foreign_is_missing(const char *name, size_t length);

#endif
