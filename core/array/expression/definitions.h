/* SPDX-License-Identifier: Apache-2.0 */
/* definitions.h - the functions that the program has defined, and the parsed
   texts of derived_table.c. */
#ifndef ARRAY_DEFINITIONS_H
#define ARRAY_DEFINITIONS_H

#include <stdatomic.h>

#include "core/array/expression/builtins.h"
#include "core/array/expression/parser.h"
#include "core/base/refs.h"
#include "core/base/suggest.h"

/* A function of the program, or a text of derived_table.c.  The body is
   substituted for each call.  Once a definition is in a list, only its
   reference count and `kept` change. */
struct definition {
	struct definition *next;
	struct refs refs;
	struct signature signature; /* owns its strings */
	struct tree tree;
	/* The functions of the program that the body calls, each with a
	   reference.  So the body still calls these functions after one of them
	   has been removed or replaced. */
	struct definition **uses;
	size_t n_uses;
	/* see definitions_keep() */
	_Atomic(void *) kept;
	void (*_Atomic free_kept)(void *kept);
};

/* The lists of the process: the functions of the program, and the texts of
   derived_table.c that were used. */
enum definitions_list {
	DEFINITIONS_PROGRAM,
	DEFINITIONS_DERIVED,
	DEFINITIONS_LISTS
};

/* Make a definition with one reference.  The definition owns @tree.  If memory
   runs out, returns NULL and frees @tree. */
struct definition *definitions_new(const struct parser_head *head,
				   struct tree *tree);
void definitions_release(struct definition *definition);

/* Find the function @name and take a reference.  Returns NULL if there is
   none. */
struct definition *definitions_find(enum definitions_list list,
				    const char *name, size_t length);

/* definitions_find_in(): find the function in the list that begins with @list.
   definitions_find_used(): find the function among the functions that the body
   of @user calls.  Both take a reference, and return NULL if there is no such
   function. */
struct definition *definitions_find_in(struct definition *list,
				       const char *name, size_t length);
struct definition *definitions_find_used(const struct definition *user,
					 const char *name, size_t length);

/* Let @definition keep the object @made, and free it with @drop in the end.  If
   another object is kept already, @made is freed now.  Returns the object that
   is kept.  @drop is the same in all calls. */
void *definitions_keep(struct definition *definition, void *made,
		       void (*drop)(void *));

/* The object that @definition keeps, or NULL. */
void *definitions_kept(struct definition *definition);

/* Record that the body of @user calls @used, and take a reference to @used.
   Returns false if memory runs out. */
bool definitions_use(struct definition *user, struct definition *used);

/* Release all definitions of the list that begins with @list. */
void definitions_release_list(struct definition *list);

/* Keep @definition in @list, with a new reference, until dpr_finalize().
   Returns false if the list has a function of this name. */
bool definitions_add(enum definitions_list list, struct definition *definition);

/* Remove the program's function @name.  Returns false if there is none. */
bool definitions_remove(const char *name);

/*
 * Offer the names of the program's functions to @suggestion.  If one of them
 * becomes the nearest name, set *@best to its definition, with a reference that
 * keeps the name valid.  Otherwise set *@best to NULL.
 */
void definitions_offer(struct suggestion *suggestion, struct definition **best);

#endif
