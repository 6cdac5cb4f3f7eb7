/* SPDX-License-Identifier: Apache-2.0 */
/*
 * derived_table.c - the table of the functions of kernels/derived.def and of
 * kernels/composed.def.
 *
 * The text of a function is parsed when the function is first used, and kept
 * until dpr_finalize().
 */
#include "core/array/expression/derived_table.h"

#include <math.h>
#include <string.h>

#include "core/array/expression/calls/arguments.h"
#include "core/array/expression/names.h"
#include "core/array/expression/plan.h"
#include "core/base/mem.h"
#include "core/base/status.h"

#define PARAMETERS_REDUCES "x, axis, keepdims"
#define PARAMETERS_CHOOSES PARAMETERS_REDUCES
#define PARAMETERS_CORRECTS "x, axis, correction, keepdims"
#define PARAMETERS_ALONG "x, axis"
#define ARGUMENTS_REDUCES "x, axis, keepdims=True"
#define ARGUMENTS_CHOOSES ARGUMENTS_REDUCES
#define ARGUMENTS_CORRECTS "x, axis, correction=correction, keepdims=True"
#define ARGUMENTS_ALONG "x, axis"
#define LIST_REDUCES "x", "axis", "keepdims"
#define LIST_CHOOSES "x", "axis", "keepdims", "where"
#define LIST_CORRECTS "x", "axis", "correction", "keepdims", "where"
#define LIST_ALONG "x", "axis"
/* The forms of kernels/composed.def. */
#define PARAMETERS_CLOSE "x1, x2, rtol, atol, equal_nan"
#define PARAMETERS_PAIR "x1, x2, axis"
#define PARAMETERS_NORM "x, axis, ord, keepdims"
#define PARAMETERS_TRACE "x, offset, dtype"
#define PARAMETERS_BOTH "x1, x2"
#define PARAMETERS_AVERAGE "x, axis, weights, keepdims"
#define PARAMETERS_CLASSES "indices, num_classes, dtype"
#define PARAMETERS_SPLIT "x"
#define LIST_SPLIT "x"
#define LIST_CLOSE "x1", "x2", "rtol", "atol", "equal_nan"
#define LIST_PAIR "x1", "x2", "axis"
#define LIST_NORM "x", "axis", "ord", "keepdims"
#define LIST_TRACE "x", "offset", "dtype"
#define LIST_BOTH "x1", "x2"
#define LIST_AVERAGE "x", "axis", "weights", "keepdims"
#define LIST_CLASSES "indices", "num_classes", "dtype"
#define GIVEN_CLOSE .required = 2, .positional = 5
#define GIVEN_PAIR .required = 2, .positional = 3
#define GIVEN_NORM .required = 1, .positional = 2
#define GIVEN_TRACE .required = 1, .positional = 3
#define GIVEN_BOTH .required = 2, .positional = 2
#define GIVEN_SPLIT .required = 1, .positional = 1
#define GIVEN_AVERAGE .required = 1, .positional = 3
#define GIVEN_CLASSES .required = 2, .positional = 3
#define ARGUMENTS_CLOSE PARAMETERS_CLOSE
#define ARGUMENTS_PAIR PARAMETERS_PAIR
#define ARGUMENTS_NORM "x, axis, ord=ord, keepdims=True"
#define ARGUMENTS_TRACE PARAMETERS_TRACE
#define ARGUMENTS_BOTH PARAMETERS_BOTH
#define ARGUMENTS_SPLIT PARAMETERS_SPLIT
#define ARGUMENTS_AVERAGE "x, axis, keepdims=keepdims, weights=weights"
#define ARGUMENTS_CLASSES PARAMETERS_CLASSES
#define FORM_CLOSE DERIVED_OWN
#define FORM_PAIR DERIVED_OWN
#define FORM_NORM DERIVED_NORM
#define FORM_TRACE DERIVED_OWN
#define FORM_BOTH DERIVED_OWN
#define FORM_SPLIT DERIVED_OWN
#define FORM_AVERAGE DERIVED_OWN
#define FORM_CLASSES DERIVED_OWN
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
#define COMPOSED(name_, form_, expression_)                                 \
	{ .signature = { .name = #name_,                                    \
			 GIVEN_##form_,                                     \
			 .n = COUNT(LIST(LIST_##form_)),                    \
			 .parameters = LIST(LIST_##form_) },                \
	  .derived = &(const struct derived){                               \
		  .form = FORM_##form_,                                     \
		  .definition =                                             \
			  #name_ "(" PARAMETERS_##form_ ") = " expression_, \
		  .call = #name_ "(" ARGUMENTS_##form_ ")" } },
#include "kernels/composed.def"
#undef COMPOSED
};
const size_t derived_table_count =
	sizeof(derived_table) / sizeof(derived_table[0]);

/* A variant of a function: another text, for calls that give a certain number,
   such as an order of vector_norm(). */
struct variant {
	double number;
	struct function function;
};

#define VARIANT(number_, name_, form_, text_, call_)                           \
	{                                                                      \
		.number = number_, .function = {                               \
			.signature = { .name = #name_,                         \
				       GIVEN_##form_,                          \
				       .n = COUNT(LIST(LIST_##form_)),         \
				       .parameters = LIST(LIST_##form_) },     \
			.derived =                                             \
				&(const struct derived){ .form = FORM_##form_, \
							 .definition = text_,  \
							 .call = call_ }       \
		}                                                              \
	}

/* The variants of vector_norm(), one for each order.  The text in `call` writes
   1e999 for infinity, because the name `inf` would be an operand in this text.
   */
#define NORM(ord_, text_, name_, expression_)                         \
	VARIANT(ord_, vector_norm, NORM,                              \
		"norm_" name_ "(" PARAMETERS_NORM ") = " expression_, \
		"vector_norm(x, axis, keepdims=True, ord=" text_ ")")

static const struct variant norms[] = {
	NORM(2, "2", "root",
	     "reduce_hypot(nonempty(x, axis), axis=axis, keepdims=True)"),
	NORM(1, "1", "sum",
	     "as_result(sum(abs(work(x)), axis=axis, keepdims=True), x)"),
	NORM(0, "0", "count",
	     "a = abs(work(x)); n = sum(a != 0, axis=axis, keepdims=True);"
	     "as_result(astype(n, dtype_of(a)), x)"),
	NORM(INFINITY, "1e999", "most",
	     "a = nonempty(abs(work(x)), axis);"
	     "as_result(max(a, axis=axis, keepdims=True), x)"),
	NORM(-INFINITY, "-1e999", "least",
	     "as_result(min(abs(work(x)), axis=axis, keepdims=True), x)"),
};

/* isclose() and allclose() for equal_nan = False, which needs fewer steps. */
static const struct variant isclose =
	VARIANT(0, isclose, CLOSE,
		"isclose_numbers(" PARAMETERS_CLOSE ") ="
		" a = beside(x1, x2); b = beside(x2, x1); d = abs(a - b);"
		"(a == b) | ((d <= atol + rtol*abs(b)) & (d < inf))",
		"isclose(x1, x2, rtol, atol)");
static const struct variant allclose =
	VARIANT(0, allclose, CLOSE,
		"allclose_numbers(" PARAMETERS_CLOSE ") ="
		" all(isclose(x1, x2, rtol=rtol, atol=atol))",
		"allclose(x1, x2, rtol, atol)");

static const struct variant average =
	VARIANT(0, average, AVERAGE,
		"average_equal(" PARAMETERS_AVERAGE ") ="
		" mean(x, axis=axis, keepdims=keepdims)",
		"average(x, axis, keepdims=keepdims)");

/* Find the variant of @function for @number. */
static const struct function *find_variant(const struct function *function,
					   double number)
{
	if (function == &derived_table[DERIVED__isclose] && !number)
		return &isclose.function;
	if (function == &derived_table[DERIVED__allclose] && !number)
		return &allclose.function;
	if (function == &derived_table[DERIVED__average] && !number)
		return &average.function;
	for (size_t i = 0; i < sizeof(norms) / sizeof(norms[0]); i++)
		if (function == &derived_table[DERIVED__vector_norm] &&
		    norms[i].number == number)
			return &norms[i].function;
	return function;
}

const struct function *derived_table_variant(int function, double number)
{
	return find_variant(&derived_table[function], number);
}

/* Get the number that step @at stands for: a number or a constant, perhaps with
   a minus.  Returns false for any other step. */
static bool number_of_step(const struct plan *plan, size_t at, double *out)
{
	const struct plan_step *step = &plan->steps[at];
	const struct name_constant *constant;
	const dpr_expression_operand *operand;

	if (step->kind == PLAN_VALUE)
		return arguments_as_double(&step->value, out);
	if (step->kind == PLAN_OPERAND) {
		operand = &plan->operands[step->operand];
		constant = names_find(operand->name, operand->length);
		return constant && arguments_as_double(&constant->value, out);
	}
	if (step->kind != PLAN_CALL || step->op != TOKEN_SUBTRACT ||
	    step->n != 1 ||
	    !number_of_step(plan, plan->arguments[step->first], out))
		return false;
	*out = -*out;
	return true;
}

const struct function *derived_table_planned(const struct function *function,
					     const struct plan *plan,
					     const size_t *arguments)
{
	const struct signature *s = &function->signature;
	double number;

	for (int i = 0; i < s->n; i++) {
		const struct plan_step *step;

		if (arguments[i] == PLAN_ABSENT)
			continue;
		step = &plan->steps[arguments[i]];
		if ((!strcmp(s->parameters[i], "ord") ||
		     !strcmp(s->parameters[i], "equal_nan")) &&
		    number_of_step(plan, arguments[i], &number))
			return find_variant(function, number);
		if (!strcmp(s->parameters[i], "weights") &&
		    step->kind == PLAN_VALUE && step->value.kind == VALUE_NONE)
			return find_variant(function, 0);
	}
	return function;
}

bool derived_table_default(const struct function *function, int i,
			   struct value *out)
{
	const char *const *parameters = function->signature.parameters;
	/* The default of `axis` is -1, the last axis, in functions of two
	   arrays (their first parameter is x1).  In other functions the default
	   is None. */
	const bool pair = !strcmp(parameters[0], "x1");
	const struct {
		const char *name;
		struct value value;
	} defaults[] = {
		{ "atol", { .scalar = dpr_operand_float(1e-8) } },
		{ "axis",
		  { .kind = pair ? VALUE_SCALAR : VALUE_NONE,
		    .scalar = dpr_operand_int(-1) } },
		{ "dtype", { .kind = VALUE_NONE } },
		{ "equal_nan", { .scalar = dpr_operand_bool(0) } },
		{ "keepdims", { .scalar = dpr_operand_bool(0) } },
		{ "ord", { .scalar = dpr_operand_int(2) } },
		{ "rtol", { .scalar = dpr_operand_float(1e-5) } },
		{ "weights", { .kind = VALUE_NONE } },
	};

	*out = (struct value){ .scalar = dpr_operand_int(0) };
	if (!strcmp(parameters[i], "where"))
		return false;
	for (size_t k = 0; k < sizeof(defaults) / sizeof(defaults[0]); k++)
		if (!strcmp(parameters[i], defaults[k].name))
			*out = defaults[k].value;
	if (out->kind == VALUE_EMPTY)
		out->kind = VALUE_SCALAR;
	return true;
}

/* --- Calls with `where` --------------------------------------------------- */

/* For each form of a function, the texts of a call with `where`.  PARAMETERS:
   the parameters of the function, in their order.  CALL: the arguments of a
   call from C; reduced axes stay. */
#define PARAMETERS_MASKED_BOOL "x, axis, keepdims, where"
#define PARAMETERS_MASKED_SAME "x, axis, keepdims, where, initial"
#define PARAMETERS_MASKED_WIDE "x, axis, keepdims, dtype, where, initial"
#define PARAMETERS_MASKED_FLOAT PARAMETERS_MASKED_BOOL
#define PARAMETERS_MASKED_CHOOSES PARAMETERS_MASKED_BOOL
#define PARAMETERS_MASKED_CORRECTS "x, axis, correction, keepdims, where"
#define CALL_MASKED_BOOL "x, axis, where=where, keepdims=True"
#define CALL_MASKED_SAME CALL_MASKED_BOOL ", initial=initial"
#define CALL_MASKED_WIDE CALL_MASKED_SAME ", dtype=dtype"
#define CALL_MASKED_FLOAT CALL_MASKED_BOOL
#define CALL_MASKED_CHOOSES CALL_MASKED_BOOL
#define CALL_MASKED_CORRECTS CALL_MASKED_BOOL ", correction=correction"
#define KEEP "axis=axis, keepdims=keepdims"
#define KEPT "axis=axis, keepdims=True"
#define FROM_INITIAL KEEP ", initial=initial"
#define INSIDE "m = inside(where, x);"
#define NUMBERS "m = inside(where, x) & (x == x);"
#define SPREAD(divisor)                                                \
	"w = work(x); real = real_dtype(w);"                           \
	"n = astype(sum(m, axis=axis, keepdims=True), real);"          \
	"u = sum(where(m, w, 0), axis=axis, keepdims=True) / n;"       \
	"d = where(m, squared(w - u), 0); k = n - amount(correction);" \
	"v = sum(d*d, axis=axis, keepdims=True) / " divisor ";"
#define FOR_ALL SPREAD("maximum(k, 0)")
#define FOR_NUMBERS SPREAD("where(k > 0, k, nan)")

/* MASKED__NAME for each text.  A function without a text does not compile. */
enum masked_function {
#define MASKED(name, form, text) MASKED__##name,
#include "core/array/expression/masked.def"
#undef MASKED
};
#define NEEDS_REDUCES(name)
#define NEEDS_ALONG(name)
#define NEEDS_CHOOSES(name) _Static_assert(MASKED__##name >= 0, #name);
#define NEEDS_CORRECTS(name) NEEDS_CHOOSES(name)
#define REDUCTION(name, combine, sum, first, finish, text) NEEDS_CHOOSES(name)
#define DERIVED(name, form, expression, text) NEEDS_##form(name)
#include "kernels/derived.def"
#include "kernels/reductions.def"
#undef REDUCTION
#undef DERIVED

/* The text of a function for a kind of call other than PLAIN (enum
   derived_call_kind). */
struct call_text {
	const char *definition, *call;
};

/* The texts of calls with `where`.  An argument that the call leaves out is
   also left out in the text. */
static const struct call_text masked_texts[] = {
#define MASKED(name_, form_, text_)                                        \
	{ .definition =                                                    \
		  #name_ "_where(" PARAMETERS_MASKED_##form_ ") = " text_, \
	  .call = #name_ "(" CALL_MASKED_##form_ ")" },
#include "core/array/expression/masked.def"
#undef MASKED
};

/* The texts of calls from C with `initial` and without `where`.  In these texts
   the reduction itself takes the number `initial`. */
#define PARAMETERS_INITIAL_SAME "x, axis, initial"
#define PARAMETERS_INITIAL_WIDE PARAMETERS_INITIAL_SAME ", dtype"
#define CALL_INITIAL_SAME "x, axis, initial=initial, keepdims=True"
#define CALL_INITIAL_WIDE CALL_INITIAL_SAME ", dtype=dtype"
#define INITIAL_TEXT(name_, form_)                                    \
	{ .definition = #name_ "_initial(" PARAMETERS_INITIAL_##form_ \
	  ") = " #name_ "(" CALL_INITIAL_##form_ ")",                 \
	  .call = #name_ "(" CALL_INITIAL_##form_ ")" },
#define INITIAL_BOOL(name)
#define INITIAL_FLOAT(name)
#define INITIAL_SAME(name) INITIAL_TEXT(name, SAME)
#define INITIAL_WIDE(name) INITIAL_TEXT(name, WIDE)

static const struct call_text initial_texts[] = {
#define REDUCTION(name, combine, sum, first, finish, text) INITIAL_##sum(name)
#include "kernels/reductions.def"
#undef REDUCTION
};

/* Find the text of @function.  @texts must have a text for the function. */
static const struct call_text *find_text(const struct call_text *texts,
					 const struct function *function)
{
	const char *name = function->signature.name;
	const size_t length = strlen(name);

	while (strncmp(texts->call, name, length) != 0 ||
	       texts->call[length] != '(')
		texts++;
	return texts;
}

static struct call_text text_of(const struct function *function,
				enum derived_call_kind kind)
{
	switch (kind) {
	case DERIVED_CALL_MASKED: return *find_text(masked_texts, function);
	case DERIVED_CALL_INITIAL: return *find_text(initial_texts, function);
	case DERIVED_CALL_PLAIN: break;
	}
	return (struct call_text){ function->derived->definition,
				   function->derived->call };
}

/* --- Definitions --------------------------------------------------------- */

/* Parse @text. */
static dpr_status read_definition(const struct function *function,
				  const char *text, struct definition **out)
{
	struct parser_head head;
	struct place fault;
	struct tree tree;
	dpr_status status = parser_definition(text, &head, &tree, &fault);

	if (status)
		return status;
	*out = definitions_new(&head, &tree);
	mem_free(head.parameters);
	return *out ? DPR_OK : fail_memory(function->signature.name);
}

const char *derived_table_call(const struct function *function,
			       enum derived_call_kind kind)
{
	return text_of(function, kind).call;
}

dpr_status derived_table_definition(const struct function *function,
				    enum derived_call_kind kind,
				    struct definition **out)
{
	/* A variant has a name of its own in its text. */
	const char *text = text_of(function, kind).definition;
	const size_t length = strcspn(text, "(");
	struct definition *made;
	dpr_status status;

	*out = definitions_find(DEFINITIONS_DERIVED, text, length);
	if (*out)
		return DPR_OK;
	status = read_definition(function, text, &made);
	if (status)
		return status;
	/* This fails if another thread has added the definition meanwhile. */
	if (!definitions_add(DEFINITIONS_DERIVED, made)) {
		*out = definitions_find(DEFINITIONS_DERIVED, text, length);
		if (*out) {
			definitions_release(made);
			return DPR_OK;
		}
	}
	*out = made;
	return DPR_OK;
}
