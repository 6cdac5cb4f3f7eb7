/* SPDX-License-Identifier: Apache-2.0 */
/* value.c - results and arguments of an expression. */
#include "tools/eval/value.h"

#include <stdlib.h>
#include <string.h>

#include <dpr/creation.h>

void value_clear(struct value *value)
{
	size_t i;

	dpr_array_release(value->array);
	/* Tuples nest no deeper than the parser allows. */
	for (i = 0; i < value->count; i++)
		value_clear(&value->items[i]);
	free(value->items);
	memset(value, 0, sizeof(*value));
}

bool value_to_array(struct value *value, dpr_queue *queue,
		    struct message *message)
{
	dpr_array *array;

	if (value->kind == VALUE_ARRAY)
		return true;
	if (dpr_full(DPR_SCALAR_SHAPE, value->scalar, DPR_DTYPE_DEFAULT, queue,
		     &array))
		return message_set(message, "%s", dpr_last_error());
	value->kind = VALUE_ARRAY;
	value->array = array;
	return true;
}
