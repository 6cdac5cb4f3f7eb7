/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.c - the known word that a misspelt one may have meant. */
#include "tools/shared/nearest.h"

#include <limits.h>
#include <string.h>

#define LONGEST 40

unsigned nearest_distance(const char *word, size_t length, const char *known)
{
	unsigned row[LONGEST + 1];
	size_t n = strlen(known), i, j;

	if (n > LONGEST || length > LONGEST)
		return UINT_MAX;
	for (j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (i = 1; i <= length; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (j = 1; j <= n; j++) {
			unsigned best =
				diagonal + (word[i - 1] != known[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

bool nearest_is_close(unsigned distance, size_t length)
{
	return distance <= 1 + length / 4 && distance < length;
}
