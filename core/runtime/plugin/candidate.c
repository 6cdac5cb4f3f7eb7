/* SPDX-License-Identifier: Apache-2.0 */
/* candidate.c - plugin files that were found, and what became of them. */
#include "core/runtime/plugin/candidate.h"

#include <string.h>

#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/runtime/plugin/host_table.h"

void candidate_unload(struct candidate *candidate)
{
	if (!candidate->plugin)
		return;
	host_table_fini(candidate->plugin);
	mem_free(candidate->plugin);
	candidate->plugin = NULL;
}

static void candidate_drop(struct candidate *c)
{
	if (!c)
		return;
	candidate_unload(c);
	mem_free(c->file);
	mem_free(c->name);
	mem_free(c->text);
	mem_free(c->advice);
	mem_free(c);
}

void candidate_drop_all(struct candidates *found)
{
	size_t i;

	for (i = 0; i < found->n; i++)
		candidate_drop(found->list[i]);
	mem_free(found->list);
	mem_free(found->searched);
	text_fini(&found->places);
	*found = (struct candidates){ 0 };
}

/* The NAME of "libdpr-NAME.so", to be freed; NULL if the file is not called so,
   or without memory, which sets *@no_memory. */
static char *name_in(const char *file, bool *no_memory)
{
	const size_t prefix = strlen(CANDIDATE_PREFIX);
	const size_t suffix = strlen(CANDIDATE_SUFFIX);
	const char *base = strrchr(file, '/');
	size_t n;
	char *name;

	base = base ? base + 1 : file;
	n = strlen(base);
	*no_memory = false;
	if (n <= prefix + suffix || strncmp(base, CANDIDATE_PREFIX, prefix) ||
	    strcmp(base + n - suffix, CANDIDATE_SUFFIX))
		return NULL;
	name = mem_copy(base + prefix, n - prefix - suffix + 1);
	if (name)
		name[n - prefix - suffix] = '\0';
	else
		*no_memory = true;
	return name;
}

dpr_status candidate_add(struct candidates *found, const char *file,
			 const char *origin, struct candidate **out)
{
	struct candidate *c = mem_alloc(sizeof(*c)), **list;
	bool no_memory = false;

	list = mem_grow(found->list, found->n + 1, sizeof(*list));
	if (list)
		found->list = list;
	if (c) {
		c->file = mem_string(file);
		c->name = name_in(file, &no_memory);
	}
	if (!c || !list || no_memory || !c->file) {
		candidate_drop(c);
		return fail_memory("looking for plugins");
	}
	c->origin = origin;
	c->stage = DPR_PLUGIN_FOUND;
	found->list[found->n++] = c;
	if (out)
		*out = c;
	return DPR_OK;
}

dpr_status candidate_stop(struct candidate *candidate,
			  enum dpr_plugin_stage stage, const char *advice,
			  const char *format, ...)
{
	char *words, *hint = advice ? mem_string(advice) : NULL;
	struct text text = { 0 };
	va_list args;

	va_start(args, format);
	text_print_args(&text, format, args);
	va_end(args);
	words = text_take(&text);
	if (!words || (advice && !hint)) {
		mem_free(words);
		mem_free(hint);
		return fail_memory("loading plugins");
	}
	mem_free(candidate->text);
	mem_free(candidate->advice);
	candidate->text = words;
	candidate->advice = hint;
	candidate->stage = stage;
	log_post(stage == DPR_PLUGIN_REFUSED || stage == DPR_PLUGIN_BROKEN ||
				 stage == DPR_PLUGIN_REJECTED ||
				 stage == DPR_PLUGIN_FAILED
			 ? DPR_LOG_WARN
			 : DPR_LOG_INFO,
		 "plugin %s: %s: %s", text_quote(candidate->file).bytes,
		 dpr_plugin_stage_name(stage), words);
	return DPR_OK;
}

const char *candidate_distrust(const struct stat *st, bool secure,
			       const char **advice)
{
	if (st->st_mode & S_IWOTH) {
		*advice = "remove the write permission for others: chmod o-w";
		return "everyone may write to it";
	}
	if (secure && st->st_mode & S_IWGRP) {
		*advice = "remove the write permission for the group: "
			  "chmod g-w";
		return "its group may write to it, and this program is setuid";
	}
	if (secure && st->st_uid != 0) {
		*advice = "make root its owner: chown root";
		return "it is not root's, and this program is setuid";
	}
	return NULL;
}

const char *dpr_plugin_stage_name(enum dpr_plugin_stage stage)
{
	switch (stage) {
	case DPR_PLUGIN_FOUND: return "found";
	case DPR_PLUGIN_SHADOWED: return "shadowed";
	case DPR_PLUGIN_EXCLUDED: return "excluded";
	case DPR_PLUGIN_REFUSED: return "refused";
	case DPR_PLUGIN_BROKEN: return "broken";
	case DPR_PLUGIN_REJECTED: return "rejected";
	case DPR_PLUGIN_LOADED: return "loaded";
	case DPR_PLUGIN_ABSENT: return "absent";
	case DPR_PLUGIN_FAILED: return "failed";
	case DPR_PLUGIN_READY: return "ready";
	}
	return "unknown";
}
