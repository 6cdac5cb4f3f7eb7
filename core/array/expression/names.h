/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - the constants of expressions, such as pi, and the names of the
   dtypes. */
#ifndef ARRAY_NAMES_H
#define ARRAY_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/array/expression/value.h"
#include "core/base/suggest.h"

struct name_constant {
	const char *name;
	/* set for a reserved word: no statement can give a value to this
	   name */
	bool is_word;
	struct value value;
};

/* Find the constant or dtype @name.  Returns NULL if there is none. */
const struct name_constant *names_find(const char *name, size_t length);

/* Get the mode of take() that is called @name.  Returns false if there is
   none. */
bool names_bounds(const char *name, size_t length, dpr_bounds *out);

/* Get the other word that is called @name.  Returns false if there is none. */
bool names_word(const char *name, size_t length, enum value_word *out);
/* The string that @value is.  NULL for any other value. */
const char *names_string(const struct value *value);

/* Offer the names of the constants and the dtypes to @suggestion. */
void names_offer(struct suggestion *suggestion);
/* Offer the names of the dtypes to @suggestion. */
void names_offer_dtypes(struct suggestion *suggestion);

/* Set the name that dpr_expression_nearest() returns in this thread to a copy
   of @name.  NULL: no name is near. */
void names_note_nearest(const char *name);

#endif
