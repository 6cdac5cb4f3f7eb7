/* SPDX-License-Identifier: Apache-2.0 */
/* definitions.h - the functions that the program has defined. */
#ifndef ARRAY_DEFINITIONS_H
#define ARRAY_DEFINITIONS_H

#include <stdatomic.h>

#include "core/array/expression/builtins.h"
#include "core/array/expression/parser.h"
#include "core/base/suggest.h"

/* Immutable but for the reference count, once it is in a list. */
struct definition {
	struct definition *next;
	atomic_uint refs;
	struct signature signature; /* owns its texts */
	struct tree tree;           /* the last node is the value */
	/* The functions of the program that the body calls, each with a
	   reference.  So the body keeps its meaning when others are defined, or
	   these are dropped. */
	struct definition **uses;
	size_t n_uses;
};

/* Make a definition with one reference.  Takes over @tree.  NULL: out of
   memory, and @tree was freed. */
struct definition *definitions_new(const struct parser_head *head,
				   struct tree *tree);
void definitions_release(struct definition *definition);

/* Find the function @name and take a reference to it; NULL if there is none. */
struct definition *definitions_find(const char *name, size_t length);

/* Find the function @name in the list from @list on, or among those that the
   body of @user calls, and take a reference; NULL if there is none. */
struct definition *definitions_find_in(struct definition *list,
				       const char *name, size_t length);
struct definition *definitions_find_used(const struct definition *user,
					 const char *name, size_t length);

/* Record that the body of @user calls @used, which takes a reference.  False:
   out of memory. */
bool definitions_use(struct definition *user, struct definition *used);

/* Release all of the list from @list on. */
void definitions_release_list(struct definition *list);

/* Keep @definition, with a reference of its own, until dpr_finalize().  False:
   a function of this name is defined already. */
bool definitions_add(struct definition *definition);

/* Drop the function @name.  False: there is none. */
bool definitions_remove(const char *name);

/* Offer the names of all definitions to @suggestion.  If one of them is now the
   nearest, sets *@best to its definition, with a reference that keeps the name
   alive; else to NULL. */
void definitions_offer(struct suggestion *suggestion, struct definition **best);

#endif
