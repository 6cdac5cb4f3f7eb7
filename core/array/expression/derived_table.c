/* SPDX-License-Identifier: Apache-2.0 */
/*
 * derived_table.c - the table of the functions of kernels/derived.def.
 *
 * The text of a function is parsed when the function is first used, and kept
 * until dpr_finalize().
 */
#include "core/array/expression/derived_table.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/base/status.h"

#define PARAMETERS_REDUCES "x, axis, keepdims"
#define PARAMETERS_CORRECTS "x, axis, correction, keepdims"
#define PARAMETERS_ALONG "x, axis"
#define ARGUMENTS_REDUCES "x, axis, keepdims=True"
#define ARGUMENTS_CORRECTS "x, axis, correction=correction, keepdims=True"
#define ARGUMENTS_ALONG "x, axis"
#define LIST_REDUCES "x", "axis", "keepdims"
#define LIST_CORRECTS "x", "axis", "correction", "keepdims"
#define LIST_ALONG "x", "axis"
#define LIST(...) ((const char *const[]){ __VA_ARGS__ })
#define COUNT(list) ((int)(sizeof(list) / sizeof((list)[0])))

const struct function derived_table[] = {
#define DERIVED(name_, form_, expression_, text_)                           \
	{ .signature = { .name = #name_,                                    \
			 .required = 1,                                     \
			 .positional = 2,                                   \
			 .n = COUNT(LIST(LIST_##form_)),                    \
			 .parameters = LIST(LIST_##form_) },                \
	  .derived = &(const struct derived){                               \
		  .form = DERIVED_##form_,                                  \
		  .definition =                                             \
			  #name_ "(" PARAMETERS_##form_ ") = " expression_, \
		  .call = #name_ "(" ARGUMENTS_##form_ ")" } },
#include "kernels/derived.def"
#undef DERIVED
};
const size_t derived_table_count =
	sizeof(derived_table) / sizeof(derived_table[0]);

struct value derived_table_default(const char *parameter)
{
	struct value value = { .kind = VALUE_SCALAR,
			       .scalar = dpr_operand_int(0) };

	if (!strcmp(parameter, "axis"))
		value.kind = VALUE_NONE;
	else if (!strcmp(parameter, "keepdims"))
		value.scalar = dpr_operand_bool(0);
	return value;
}

/* --- Definitions --------------------------------------------------------- */

/* Parse the definition of @function. */
static dpr_status read_definition(const struct function *function,
				  struct definition **out)
{
	struct parser_head head;
	struct place fault;
	struct tree tree;
	dpr_status status = parser_definition(function->derived->definition,
					      &head, &tree, &fault);

	if (status)
		return status;
	*out = definitions_new(&head, &tree);
	mem_free(head.parameters);
	return *out ? DPR_OK : fail_memory(function->signature.name);
}

dpr_status derived_table_definition(const struct function *function,
				    struct definition **out)
{
	const char *name = function->signature.name;
	struct definition *made;
	dpr_status status;

	*out = definitions_find(DEFINITIONS_DERIVED, name, strlen(name));
	if (*out)
		return DPR_OK;
	status = read_definition(function, &made);
	if (status)
		return status;
	/* Another thread may have added the same one. */
	if (!definitions_add(DEFINITIONS_DERIVED, made)) {
		*out = definitions_find(DEFINITIONS_DERIVED, name,
					strlen(name));
		if (*out) {
			definitions_release(made);
			return DPR_OK;
		}
	}
	*out = made;
	return DPR_OK;
}
