/* SPDX-License-Identifier: Apache-2.0 */
/* definitions.h - the functions that the program has defined. */
#ifndef ARRAY_DEFINITIONS_H
#define ARRAY_DEFINITIONS_H

#include <stdatomic.h>

#include "core/array/expression/builtins.h"
#include "core/array/expression/parser.h"
#include "core/base/suggest.h"

/* Immutable but for the reference count. */
struct definition {
	struct definition *next;
	atomic_uint refs;
	struct signature signature; /* owns its texts */
	struct tree tree;           /* the last node is the body */
};

/* Make a definition with one reference.  Takes over @tree.  NULL: out of
   memory, and @tree was freed. */
struct definition *definitions_new(const struct parser_head *head,
				   struct tree *tree);
void definitions_release(struct definition *definition);

/* Find the function @name and take a reference to it; NULL if there is none. */
struct definition *definitions_find(const char *name, size_t length);

/* Keep @definition, with a reference of its own, until dpr_finalize().  False:
   a function of this name is defined already. */
bool definitions_add(struct definition *definition);

/* Offer the names of all definitions to @suggestion.  If one of them is now the
   nearest, sets *@best to its definition, with a reference that keeps the name
   alive; else to NULL. */
void definitions_offer(struct suggestion *suggestion, struct definition **best);

#endif
