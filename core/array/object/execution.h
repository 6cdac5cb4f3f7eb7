/* SPDX-License-Identifier: Apache-2.0 */
/* execution.h - the queue on which an operation runs. */
#ifndef ARRAY_EXECUTION_H
#define ARRAY_EXECUTION_H

#include <stddef.h>

#include <dpr/array.h>

/*
 * The queue that the operands share (those that are NULL are left out), as
 * dpr_execution_queue(), for the operation @what and with the operands named by
 * @names (NULL: x1, x2, ...).
 */
dpr_status execution_queue(const char *what, const dpr_array *const *operands,
			   const char *const *names, size_t n, dpr_queue **out);

#endif
