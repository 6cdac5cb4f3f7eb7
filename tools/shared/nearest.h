/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.h - the known word that a misspelt one may have meant. */
#ifndef TOOLS_NEAREST_H
#define TOOLS_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* How many letters must change to make @word (of @length) into @known. */
unsigned nearest_distance(const char *word, size_t length, const char *known);

/* Whether that is near enough to be worth a suggestion. */
bool nearest_is_close(unsigned distance, size_t length);

#endif
