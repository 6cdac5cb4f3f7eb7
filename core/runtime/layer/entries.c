/* SPDX-License-Identifier: Apache-2.0 */
/* entries.c - the entries of a plugin: their names, and how long they may
   take. */
#include "core/runtime/layer/entries.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *table, *name, *prompt;
	int fails;
} entries[] = {
#define ENTRIES__X(table, name, fails, prompt) { #table, #name, prompt, fails },
	ENTRIES_MAP(ENTRIES__X)
#undef ENTRIES__X
};

static struct entries_name join(enum entry entry, const char *between)
{
	struct entries_name name;

	if (strcmp(entries[entry].table, "plugin") == 0)
		snprintf(name.bytes, sizeof(name.bytes), "%s",
			 entries[entry].name);
	else
		snprintf(name.bytes, sizeof(name.bytes), "%s%s%s",
			 entries[entry].table, between, entries[entry].name);
	return name;
}

struct entries_name entries_name(enum entry entry)
{
	return join(entry, "->");
}

struct entries_name entries_word(enum entry entry)
{
	return join(entry, ".");
}

enum entry entries_find(const char *word, size_t size)
{
	int i;

	for (i = 0; i < ENTRY_N; i++) {
		struct entries_name name = entries_word((enum entry)i);

		if (entries[i].fails && strlen(name.bytes) == size &&
		    !memcmp(name.bytes, word, size))
			return (enum entry)i;
	}
	return ENTRY_N;
}

int entries_can_fail(enum entry entry)
{
	return entries[entry].fails;
}

const char *entries_prompt(enum entry entry)
{
	return entries[entry].prompt;
}
