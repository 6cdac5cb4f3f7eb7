/* SPDX-License-Identifier: Apache-2.0 */
/* explain.h - describes an expression's steps as text. */
#ifndef ARRAY_EXPLAIN_H
#define ARRAY_EXPLAIN_H

#include "core/array/expression/evaluate.h"

/* Run @evaluation, drop its results, and describe its steps in *@text.  The
   caller frees the text with mem_free(). */
dpr_status explain_run(struct evaluation *evaluation, char **text);

#endif
