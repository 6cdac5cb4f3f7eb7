/* SPDX-License-Identifier: Apache-2.0 */
/* execution.h - finds the queue on which an operation runs. */
#ifndef ARRAY_EXECUTION_H
#define ARRAY_EXECUTION_H

#include <stddef.h>

#include <dpr/array.h>

/*
 * Get the queue that all operands share, as dpr_execution_queue() does.  NULL
 * operands are skipped.  The text of an error begins with @what, and uses
 * @names for the operands (NULL: x1, x2, ...).
 *
 * The last @written operands are written.  Moving a written operand would write
 * to a copy, so the text suggests to move an input.
 */
dpr_status execution_queue(const char *what, const dpr_array *const *operands,
			   const char *const *names, size_t n, size_t written,
			   dpr_queue **out);

#endif
