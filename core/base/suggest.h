/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.h - the known words and the nearest of them, for error texts. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stddef.h>

#include "core/base/text.h"

/*
 * Search for the known word that @word was probably meant to be: start with
 * suggest_start(), offer every known word, read `best`, which is NULL when
 * nothing is near, and call suggest_end().  Upper and lower case are the same.
 * The words are borrowed.
 */
struct suggestion {
	const char *word;
	size_t length;
	const char *best;
	unsigned distance;
	struct text known; /* the words offered: "a, b, c" */
};

struct suggestion suggest_start(const char *word, size_t length);
void suggest_offer(struct suggestion *suggestion, const char *known);

/* Add the words offered to @text, each once: "a, b, c" or "none".  @text fails
   if there was no memory for one. */
void suggest_list(const struct suggestion *suggestion, struct text *text);

void suggest_end(struct suggestion *suggestion);

#endif
