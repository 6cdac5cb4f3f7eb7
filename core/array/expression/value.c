/* SPDX-License-Identifier: Apache-2.0 */
/* value.c - the values that an expression's steps use and make. */
#include "core/array/expression/value.h"

#include <string.h>

#include "core/base/mem.h"

void value_clear(struct value *value)
{
	if (value->kind == VALUE_EMPTY)
		return;
	for (size_t i = 0; i < value->count; i++) {
		dpr_array_release(value->items[i].array);
		node_release(value->items[i].node);
	}
	mem_free(value->items);
	if (value->array)
		dpr_array_release(value->array);
	if (value->node)
		node_release(value->node);
	memset(value, 0, sizeof(*value));
}

struct value value_share(const struct value *value)
{
	struct value same = *value;

	if (same.array)
		dpr_array_retain(same.array);
	if (same.node)
		node_retain(same.node);
	return same;
}

void value_settle(struct value *value)
{
	struct fusion_node *node = value->node;

	if (value->kind != VALUE_NODE || !node->made)
		return;
	value->kind = VALUE_ARRAY;
	value->array = dpr_array_retain(node->made);
	value->node = NULL;
	node_release(node);
}

bool value_operand(const struct value *value, dpr_operand *out)
{
	if (value->kind == VALUE_ARRAY)
		*out = dpr_operand_array(value->array);
	else if (value->kind == VALUE_NODE)
		*out = dpr_operand_array(value->node->header);
	else if (value->kind == VALUE_SCALAR)
		*out = value->scalar;
	else
		return false;
	return true;
}
