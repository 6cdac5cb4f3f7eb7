/* SPDX-License-Identifier: Apache-2.0 */
/* derived_table.h - the functions of kernels/derived.def and
   kernels/composed.def, which expressions compute. */
#ifndef ARRAY_DERIVED_TABLE_H
#define ARRAY_DERIVED_TABLE_H

#include "core/array/expression/definitions.h"

/* The forms of functions.  kernels/derived.def describes the first four.  NORM:
   the function reduces axes, and has a text for each kind of order.  OWN: the
   result of the text is the result of the function: no axes are removed from
   it. */
enum derived_form {
	DERIVED_REDUCES,
	DERIVED_CHOOSES,
	DERIVED_CORRECTS,
	DERIVED_ALONG,
	DERIVED_NORM,
	DERIVED_OWN
};

/* Whether reduced axes stay in the results of texts of @form. */
static inline bool derived_keeps_axes(enum derived_form form)
{
	return form != DERIVED_ALONG && form != DERIVED_OWN;
}

struct plan;

struct derived {
	enum derived_form form;
	const char *definition; /* as for dpr_expression_define() */
	/* an expression that calls the function with all parameters; reduced
	   axes stay */
	const char *call;
};

/* The numbers of the functions. */
enum derived_function {
#define DERIVED(name, form, expression, text) DERIVED__##name,
#define COMPOSED(name, form, expression) DERIVED__##name,
#include "kernels/derived.def"
#include "kernels/composed.def"
#undef DERIVED
#undef COMPOSED
};

/* The functions, each with its `derived`. */
extern const struct function derived_table[];
extern const size_t derived_table_count;

/* The kinds of calls that have texts of their own.  MASKED: with `where`.
   INITIAL: from C, with `initial` and without `where`.  The reductions of
   builtins.c have no text for PLAIN calls. */
enum derived_call_kind {
	DERIVED_CALL_PLAIN,
	DERIVED_CALL_MASKED,
	DERIVED_CALL_INITIAL
};

/* Get the parsed definition that computes calls of this kind of @function, with
   a reference. */
dpr_status derived_table_definition(const struct function *function,
				    enum derived_call_kind kind,
				    struct definition **out);

/* The text of a call from C, with all parameters.  Reduced axes stay. */
const char *derived_table_call(const struct function *function,
			       enum derived_call_kind kind);

/* The default of argument @i of @function, for calls that do not pass it.
   Returns false if the argument has no default, and stays absent. */
bool derived_table_default(const struct function *function, int i,
			   struct value *out);

/* The variant of function number @function (enum derived_function) for @number.
   @number is the order of vector_norm(), equal_nan of isclose() and allclose(),
   or 0 for average() without weights.  If there is no variant for @number, the
   result is the function itself. */
const struct function *derived_table_variant(int function, double number);

/* The variant of @function for a call with @arguments, which are steps of
   @plan. */
const struct function *derived_table_planned(const struct function *function,
					     const struct plan *plan,
					     const size_t *arguments);

#endif
