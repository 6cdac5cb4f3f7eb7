/* SPDX-License-Identifier: Apache-2.0 */
/* backends.c - DPR_BACKEND: which backends may be used, in which order. */
#include "core/runtime/plugin/backends.h"

#include <ctype.h>
#include <string.h>

#include "core/base/env.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/suggest.h"

#define ACCEPTED                                                              \
	"accepted: names of backends, separated by commas; ^name leaves one " \
	"out"

static dpr_status no_memory(void)
{
	return fail_memory("DPR_BACKEND");
}

void backends_drop(struct backend_choice *choice)
{
	size_t i;

	for (i = 0; i < choice->n; i++)
		mem_free(choice->list[i].name);
	mem_free(choice->list);
	*choice = (struct backend_choice){ 0 };
}

/* Add the entry of @length letters at @word. */
static dpr_status add_entry(struct backend_choice *choice, const char *word,
			    size_t length)
{
	struct backend_entry *entry = mem_append(&choice->list, &choice->n);
	char *c;

	if (!entry)
		return no_memory();
	entry->excluded = length && *word == '^';
	word += entry->excluded;
	length -= (size_t)entry->excluded;
	entry->name = mem_alloc(length + 1);
	if (!entry->name)
		return no_memory();
	memcpy(entry->name, word, length);
	for (c = entry->name; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (!length ||
	    strspn(entry->name, "abcdefghijklmnopqrstuvwxyz0123456789_") !=
		    length)
		return env_refuse(
			"DPR_BACKEND",
			"\"%s\" is not the name of a backend; " ACCEPTED,
			text_quote(entry->name).bytes);
	choice->n_included += !entry->excluded;
	return DPR_OK;
}

dpr_status backends_read(struct backend_choice *choice)
{
	const char *at = env_get("DPR_BACKEND"), *end;
	dpr_status status = DPR_OK;

	*choice = (struct backend_choice){ 0 };
	while (at && !status) {
		size_t n;

		at += strspn(at, " \t");
		end = strchrnul(at, ',');
		n = (size_t)(end - at);
		while (n && strchr(" \t", at[n - 1]))
			n--;
		status = add_entry(choice, at, n);
		at = *end ? end + 1 : NULL;
	}
	if (status)
		backends_drop(choice);
	return status;
}

bool backends_allow(const struct backend_choice *choice, const char *name)
{
	bool allowed = !choice->n_included;
	size_t i;

	for (i = 0; i < choice->n; i++) {
		if (!strcmp(choice->list[i].name, name)) {
			if (choice->list[i].excluded)
				return false;
			allowed = true;
		}
	}
	return allowed;
}

static bool has_candidate(const struct candidates *found, const char *name)
{
	size_t i;

	for (i = 0; i < found->n; i++) {
		if (found->list[i]->name && !strcmp(found->list[i]->name, name))
			return true;
	}
	return false;
}

static dpr_status refuse_unknown(const struct candidates *found,
				 const char *name)
{
	struct suggestion suggestion = suggest_start(name, strlen(name));
	struct text why = { 0 };
	dpr_status status;
	size_t i;

	for (i = 0; i < found->n; i++)
		if (found->list[i]->name)
			suggest_offer(&suggestion, found->list[i]->name);
	text_print(&why, "no plugin file was found for \"%s\"; found: ",
		   text_quote(name).bytes);
	suggest_list(&suggestion, &why);
	text_print(&why, "; searched: %s", text_get(&found->places));
	if (suggestion.best)
		text_print(&why, "; did you mean \"%s\"?", suggestion.best);
	suggest_end(&suggestion);
	status = why.failed ? no_memory()
			    : env_refuse("DPR_BACKEND", "%s", text_get(&why));
	text_fini(&why);
	return status;
}

dpr_status backends_check(const struct backend_choice *choice,
			  const struct candidates *found)
{
	size_t i;

	for (i = 0; i < choice->n; i++) {
		if (!choice->list[i].excluded &&
		    !has_candidate(found, choice->list[i].name))
			return refuse_unknown(found, choice->list[i].name);
	}
	return DPR_OK;
}

/* Whether @a comes before @b: by the ranks that plugins give themselves, then
   by name. */
static bool comes_before(const struct plugin *a, const struct plugin *b)
{
	if (a->desc->rank != b->desc->rank)
		return a->desc->rank < b->desc->rank;
	return strcmp(a->name, b->name) < 0;
}

static unsigned place_in_choice(const struct backend_choice *choice,
				const char *name)
{
	unsigned place = 0;

	while (place < choice->n && strcmp(choice->list[place].name, name))
		place++;
	return place;
}

void backends_rank(const struct backend_choice *choice,
		   const struct candidates *found)
{
	size_t i, j;

	for (i = 0; i < found->n; i++) {
		struct plugin *plugin = found->list[i]->plugin;

		if (!plugin)
			continue;
		plugin->rank = choice->n_included
				       ? place_in_choice(choice, plugin->name)
				       : 0;
		for (j = 0; j < found->n && !choice->n_included; j++) {
			const struct plugin *other = found->list[j]->plugin;

			plugin->rank += other && comes_before(other, plugin);
		}
	}
}
