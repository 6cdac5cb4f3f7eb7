/* SPDX-License-Identifier: Apache-2.0 */
/* derived_table.h - the functions of kernels/derived.def, which expressions
   compute. */
#ifndef ARRAY_DERIVED_TABLE_H
#define ARRAY_DERIVED_TABLE_H

#include "core/array/expression/definitions.h"

enum derived_form { DERIVED_REDUCES, DERIVED_CORRECTS, DERIVED_ALONG };

struct derived {
	enum derived_form form;
	const char *definition; /* as for dpr_expression_define() */
	/* an expression that calls the function with all parameters; reduced
	   axes stay */
	const char *call;
};

/* The functions, each with its `derived`. */
extern const struct function derived_table[];
extern const size_t derived_table_count;

/* Get the parsed definition of @function, with a reference. */
dpr_status derived_table_definition(const struct function *function,
				    struct definition **out);

/* What an argument is if a call leaves it out. */
struct value derived_table_default(const char *parameter);

/* Find a function that only texts of kernels/derived.def call, or drop_axes(x,
   axis, keepdims), which removes the reduced axes from the result of such a
   text.  Returns NULL if there is none. */
const struct function *derived_table_inner(const char *name, size_t length);

/* Whether derived_table_inner() finds @function. */
bool derived_table_is_inner(const struct function *function);

#endif
