/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.h - finds the known word that is nearest to an unknown word, for
   error texts. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stddef.h>

#include "core/base/text.h"

/*
 * A search for the known word that was probably meant by @word.  Call
 * suggest_start(), offer every known word, and read `best`, which is NULL if
 * nothing is near.  Then call suggest_end().  Upper and lower case are the
 * same.  The words are borrowed.
 */
struct suggestion {
	const char *word;
	size_t length;
	const char *best;
	unsigned distance;
	struct text known; /* the offered words: "a, b, c" */
};

struct suggestion suggest_start(const char *word, size_t length);
void suggest_offer(struct suggestion *suggestion, const char *known);

/* Add the offered words to @text, each once: "a, b, c" or "none".  @text fails
   if memory ran out for any word. */
void suggest_list(const struct suggestion *suggestion, struct text *text);

void suggest_end(struct suggestion *suggestion);

#endif
