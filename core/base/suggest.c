/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.c - finds the known word that is nearest to an unknown word. */
#include "core/base/suggest.h"

#include <ctype.h>
#include <string.h>

/* Words longer than this get no suggestion. */
#define LONGEST_WORD 48

/* The number of insertions, deletions, replacements and swaps of neighbours
   that turn a into b. */
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

struct suggestion suggest_start(const char *word, size_t length)
{
	/* A third of the letters may be wrong: tanh is near tahn, but maximum
	   is not near matmul. */
	unsigned limit = (unsigned)(length < LONGEST_WORD ? length / 3 : 0);

	return (struct suggestion){ .word = word,
				    .length = length,
				    .distance = limit + 1 };
}

static bool is_listed(const struct text *list, const char *word)
{
	const char *at = text_get(list);
	size_t length = strlen(word), n;

	for (; *at; at += strspn(at, ", ")) {
		n = strcspn(at, ",");
		if (n == length && !memcmp(at, word, n))
			return true;
		at += n;
	}
	return false;
}

void suggest_offer(struct suggestion *suggestion, const char *known)
{
	size_t m = strlen(known);
	unsigned distance;

	if (!is_listed(&suggestion->known, known))
		text_print(&suggestion->known, "%s%s",
			   suggestion->known.size ? ", " : "", known);
	if (suggestion->length > LONGEST_WORD || m > LONGEST_WORD)
		return;
	distance =
		edit_distance(suggestion->word, suggestion->length, known, m);
	/* A word that shares no letter is not near. */
	if (distance < suggestion->distance && distance < m) {
		suggestion->distance = distance;
		suggestion->best = known;
	}
}

void suggest_list(const struct suggestion *suggestion, struct text *text)
{
	text->failed |= suggestion->known.failed;
	text_print(text, "%s",
		   suggestion->known.size ? text_get(&suggestion->known)
					  : "none");
}

void suggest_end(struct suggestion *suggestion)
{
	text_fini(&suggestion->known);
}
