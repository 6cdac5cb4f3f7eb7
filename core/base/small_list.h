/* SPDX-License-Identifier: Apache-2.0 */
/*
 * small_list.h - lists with room for a few entries in the struct itself: a
 * short list allocates no memory.
 *
 * The entries are list[0] to list[count - 1].  The struct must not be copied or
 * moved, because `list` may point into it.
 */
#ifndef BASE_SMALL_LIST_H
#define BASE_SMALL_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/base/mem.h"

/* The members of a list with room for @n entries.  All zero is an empty
   list. */
#define SMALL_LIST(type, n) \
	type few[n];        \
	type *list;         \
	size_t count, room

#define SMALL_LIST_FEW(l) (sizeof((l)->few) / sizeof((l)->few[0]))

/* Grow a list so that it has room for @need entries, and set *@room.  Returns
   the entries.  If memory runs out, returns @list. */
static inline void *small_list_grow(void *list, size_t *room, void *few,
				    size_t n_few, size_t need, size_t size)
{
	size_t more;
	void *grown;

	if (!list) {
		list = few;
		*room = n_few;
	}
	if (need <= *room)
		return list;
	more = need > *room * 2 ? need : *room * 2;
	grown = mem_array(more, size);
	if (!grown)
		return list;
	memcpy(grown, list, *room * size);
	if (list != few)
		mem_free(list);
	*room = more;
	return grown;
}

/* The macros below take entries of any type.  They evaluate @l more than
   once. */

/* Make an empty list of a struct that is not zeroed. */
#define small_list_init(l)                                           \
	((void)((l)->list = (l)->few, (l)->room = SMALL_LIST_FEW(l), \
		(l)->count = 0))

/* Make room for @n more entries.  False: no memory. */
#define small_list_reserve(l, n)                                           \
	((l)->room - (l)->count >= (n) ||                                  \
	 ((l)->list = small_list_grow((l)->list, &(l)->room, (l)->few,     \
				      SMALL_LIST_FEW(l), (l)->count + (n), \
				      sizeof((l)->few[0])),                \
	  (l)->room - (l)->count >= (n)))

/* Free the list's memory and make it empty. */
#define small_list_fini(l)                                                     \
	((void)((l)->room > SMALL_LIST_FEW(l) ? mem_free((l)->list) : (void)0, \
		(l)->list = NULL, (l)->count = (l)->room = 0))

#endif
