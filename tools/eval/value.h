/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - results and arguments of an expression. */
#ifndef TOOLS_VALUE_H
#define TOOLS_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/array.h>
#include <dpr/queue.h>

#include "tools/shared/message.h"

/* A result or an argument. */
enum value_kind {
	VALUE_EMPTY,
	VALUE_ARRAY,
	VALUE_SCALAR,
	VALUE_DTYPE,
	VALUE_NONE, /* Python's None */
	VALUE_TUPLE
};

struct value {
	enum value_kind kind;
	dpr_dtype dtype;
	dpr_array *array; /* owned */
	dpr_operand scalar;
	struct value *items; /* owned */
	size_t count;
};

/* Drop what @value owns; it is empty after that. */
void value_clear(struct value *value);

/* Make a scalar @value a 0-d array on @queue; an array stays as it is. */
bool value_to_array(struct value *value, dpr_queue *queue,
		    struct message *message);

#endif
