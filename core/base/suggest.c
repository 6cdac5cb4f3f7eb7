/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.c - the nearest known word. */
#include "core/base/suggest.h"

#include <ctype.h>
#include <string.h>

/* Longer words get no suggestion. */
#define LONGEST_WORD 48

/* Insertions, deletions, replacements and swaps of neighbours that turn a into
   b. */
static unsigned edit_distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned rows[3][LONGEST_WORD + 1];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2], *swap;
	size_t i, j;

	for (j = 0; j <= m; j++)
		above[j] = (unsigned)j;
	for (i = 1; i <= n; i++) {
		int c = tolower((unsigned char)a[i - 1]);

		row[0] = (unsigned)i;
		for (j = 1; j <= m; j++) {
			int d = tolower((unsigned char)b[j - 1]);
			unsigned best = above[j - 1] + (c != d);

			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 &&
			    c == tolower((unsigned char)b[j - 2]) &&
			    d == tolower((unsigned char)a[i - 2]) &&
			    before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			row[j] = best;
		}
		swap = before;
		before = above;
		above = row;
		row = swap;
	}
	return above[m];
}

struct nearest suggest_start(const char *word, size_t length)
{
	/* Half of the letters may be wrong, and one of a short word. */
	unsigned limit = (unsigned)(length < LONGEST_WORD ? length / 2 : 0);

	return (struct nearest){ .word = word,
				 .length = length,
				 .distance = (limit ? limit : 1) + 1 };
}

void suggest_offer(struct nearest *nearest, const char *known)
{
	size_t m = strlen(known);
	unsigned distance;

	if (nearest->length > LONGEST_WORD || m > LONGEST_WORD)
		return;
	distance = edit_distance(nearest->word, nearest->length, known, m);
	/* A word that shares no letter is not near. */
	if (distance < nearest->distance && distance < m) {
		nearest->distance = distance;
		nearest->best = known;
	}
}
