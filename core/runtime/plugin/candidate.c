/* SPDX-License-Identifier: Apache-2.0 */
/* candidate.c - the plugin files that were found, and how far each came. */
#include "core/runtime/plugin/candidate.h"

#include <string.h>

#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/runtime/plugin/host_table.h"

/* The name of a plugin file: libdpr-NAME.so. */
#define CANDIDATE_PREFIX "libdpr-"
#define CANDIDATE_SUFFIX ".so"

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

const char *candidate_name(const char *file, size_t *length)
{
	const size_t prefix = strlen(CANDIDATE_PREFIX);
	const size_t suffix = strlen(CANDIDATE_SUFFIX);
	const size_t n = strlen(file);

	if (n <= prefix + suffix || strncmp(file, CANDIDATE_PREFIX, prefix) ||
	    strcmp(file + n - suffix, CANDIDATE_SUFFIX))
		return NULL;
	*length = n - prefix - suffix;
	return file + prefix;
}

/* Set the file and, if it is called "libdpr-NAME.so", the name.  False: no
   memory. */
static bool set_file(struct candidate *c, const char *file)
{
	const char *base = strrchr(file, '/'), *name;
	size_t n;

	c->file = mem_string(file);
	name = candidate_name(base ? base + 1 : file, &n);
	if (name)
		c->name = text_format("%.*s", (int)n, name);
	return c->file && (c->name || !name);
}

dpr_status candidate_add(struct candidates *found, const char *file,
			 const char *origin, struct candidate **out)
{
	struct candidate *c = mem_alloc(sizeof(*c)), **slot = NULL;

	if (c && set_file(c, file))
		slot = mem_append(&found->list, &found->n);
	if (!slot) {
		candidate_drop(c);
		return fail_memory("looking for plugins");
	}
	c->origin = origin;
	c->stage = DPR_PLUGIN_FOUND;
	*slot = *out = c;
	return DPR_OK;
}

dpr_status candidate_stop(struct candidate *candidate,
			  enum dpr_plugin_stage stage, const char *advice,
			  const char *format, ...)
{
	char *words, *hint = advice ? mem_string(advice) : NULL;
	va_list args;

	va_start(args, format);
	words = text_format_args(format, args);
	va_end(args);
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
		return "its owner is not root, and this program is setuid";
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
