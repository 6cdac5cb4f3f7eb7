/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - the values that an expression's steps use and make. */
#ifndef ARRAY_VALUE_H
#define ARRAY_VALUE_H

#include <dpr/array.h>
#include <dpr/indexing.h>
#include <dpr/reduce.h>

#include "core/array/expression/fusion.h"

enum value_kind {
	VALUE_EMPTY, /* an argument that was left out */
	VALUE_ARRAY,
	VALUE_NODE, /* an array that is not computed yet */
	VALUE_SCALAR,
	VALUE_DTYPE,
	VALUE_NONE, /* Python's None */
	VALUE_TUPLE,
	VALUE_AXES,  /* axes that a C function was given */
	VALUE_BOUNDS, /* "wrap", "clip" or "check" */
	VALUE_WORD    /* another string */
};

enum value_word {
	VALUE_WORD_REDUCED,
	VALUE_WORD_COMPLETE,
	VALUE_WORD_FRO,
	VALUE_WORD_NUC
};

struct value {
	enum value_kind kind;
	dpr_dtype dtype;
	dpr_array *array; /* owned */
	/* for an array: the number of the kernel that computed it together
	   with other steps; 0 if no such kernel did */
	size_t kernel;
	struct fusion_node *node; /* owned */
	dpr_operand scalar;
	struct value *items; /* owned; no item is a tuple */
	size_t count;
	const dpr_axes *axes; /* borrowed */
	dpr_bounds bounds;
	enum value_word word;
};

/* Release what @value owns, and make it empty. */
void value_clear(struct value *value);

/* Copy @value, which must not be a tuple.  The copy owns its content. */
struct value value_share(const struct value *value);

/* If @value is a node that is computed, turn it into a value of the node's
   array. */
void value_settle(struct value *value);

/* Get @value as an operand.  The operand borrows the array of @value, or the
   header of its node.  Returns false if @value is neither an array nor a
   number. */
bool value_operand(const struct value *value, dpr_operand *out);

#endif
