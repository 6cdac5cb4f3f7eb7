/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.h - the nearest known word, for error texts. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stddef.h>

/*
 * Search for the known word that @word was probably meant to be: start with
 * suggest_start(), offer every known word, read `best`, which is NULL when
 * nothing is near.  Upper and lower case are the same.
 */
struct nearest {
	const char *word;
	size_t length;
	const char *best;
	unsigned distance;
};

struct nearest suggest_start(const char *word, size_t length);
void suggest_offer(struct nearest *nearest, const char *known);

#endif
