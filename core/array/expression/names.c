/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - the constants of expressions, such as pi, and the names of the
   dtypes. */
#include "core/array/expression/names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <dpr/expression.h>

/* clang-format off */
#define FLOAT(x) \
	{ .kind = VALUE_SCALAR, \
	  .scalar = { .kind = DPR_OPERAND_FLOAT, .as.f = (x) } }
#define BOOL(x) \
	{ .kind = VALUE_SCALAR, \
	  .scalar = { .kind = DPR_OPERAND_BOOL, .as.u = (x) } }
#define DTYPE_NAME(name, lower, number, size, kind_) \
	{ #lower, false, { .kind = VALUE_DTYPE, .dtype = DPR_##name } },

static const struct name_constant constants[] = {
	{ "True", true, BOOL(1) },
	{ "False", true, BOOL(0) },
	{ "None", true, { .kind = VALUE_NONE } },
	{ "pi", false, FLOAT(M_PI) },
	{ "e", false, FLOAT(M_E) },
	{ "inf", false, FLOAT(INFINITY) },
	{ "nan", false, FLOAT(NAN) },
	DPR_DTYPE_MAP(DTYPE_NAME)
};
/* clang-format on */

#define N_CONSTANTS (sizeof(constants) / sizeof(constants[0]))

const struct name_constant *names_find(const char *name, size_t length)
{
	for (size_t i = 0; i < N_CONSTANTS; i++)
		if (strlen(constants[i].name) == length &&
		    !memcmp(constants[i].name, name, length))
			return &constants[i];
	return NULL;
}

static const char *const modes[] = { [DPR_BOUNDS_CHECK] = "check",
				     [DPR_BOUNDS_WRAP] = "wrap",
				     [DPR_BOUNDS_CLIP] = "clip" };
static const char *const words[] = {
	[VALUE_WORD_REDUCED] = "reduced",
	[VALUE_WORD_COMPLETE] = "complete",
	[VALUE_WORD_FRO] = "fro",
	[VALUE_WORD_NUC] = "nuc",
};

/* Find @name in a list of @n names.  Returns @n if it is not there. */
static size_t find_in(const char *const *list, size_t n, const char *name,
		      size_t length)
{
	size_t i = 0;

	while (i < n && (strlen(list[i]) != length ||
			 memcmp(list[i], name, length) != 0))
		i++;
	return i;
}

bool names_bounds(const char *name, size_t length, dpr_bounds *out)
{
	const size_t n = sizeof(modes) / sizeof(modes[0]);
	const size_t i = find_in(modes, n, name, length);

	if (i < n)
		*out = (dpr_bounds)i;
	return i < n;
}

bool names_word(const char *name, size_t length, enum value_word *out)
{
	const size_t n = sizeof(words) / sizeof(words[0]);
	const size_t i = find_in(words, n, name, length);

	if (i < n)
		*out = (enum value_word)i;
	return i < n;
}

const char *names_string(const struct value *value)
{
	return value->kind == VALUE_BOUNDS ? modes[value->bounds]
	       : value->kind == VALUE_WORD ? words[value->word]
					   : NULL;
}

void names_offer_dtypes(struct suggestion *suggestion)
{
	for (size_t i = 0; i < N_CONSTANTS; i++)
		if (constants[i].value.kind == VALUE_DTYPE)
			suggest_offer(suggestion, constants[i].name);
}

void names_offer(struct suggestion *suggestion)
{
	for (size_t i = 0; i < N_CONSTANTS; i++)
		if (constants[i].value.kind != VALUE_DTYPE)
			suggest_offer(suggestion, constants[i].name);
	names_offer_dtypes(suggestion);
}

/* The array is long enough: suggest.c never suggests a name of more than 48
   letters. */
static _Thread_local char nearest[64];

void names_note_nearest(const char *name)
{
	snprintf(nearest, sizeof(nearest), "%s", name ? name : "");
}

const char *dpr_expression_nearest(void)
{
	return *nearest ? nearest : NULL;
}
