/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.h - a parsed expression and arrays to a result. */
#ifndef TOOLS_EVALUATE_H
#define TOOLS_EVALUATE_H

#include <dpr/array.h>
#include <dpr/queue.h>

#include "tools/eval/expression.h"
#include "tools/eval/value.h"
#include "tools/shared/message.h"

/* A name that the user gave, and its array. */
struct binding {
	const char *name;
	dpr_array *array; /* lent; NULL while only names are checked */
};

/* What names mean, and where numbers become arrays. */
struct scope {
	const struct binding *bindings;
	size_t count;
	dpr_queue *queue;
};

/*
 * Check all that can be known before any file is read: names, functions and
 * their numbers of arguments.  Sets used[i] for each binding that occurs.
 */
bool evaluate_check(const struct expression *expression,
		    const struct scope *scope, bool *used,
		    struct message *message);

/* Evaluate; *out becomes an array or a scalar.  The work may still be under way
   when it returns. */
bool evaluate(const struct expression *expression, const struct scope *scope,
	      struct value *out, struct message *message);

#endif
