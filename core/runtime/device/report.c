/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - the load report: every plugin file, how far it came, and why. */
#include "core/runtime/device/report.h"

#include <stddef.h>

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/device/registry.h"
#include "core/runtime/device/start.h"
#include "core/runtime/plugin/plugins.h"

/* Once the lines for an error's text have this many bytes, the rest is counted. */
#define MAX_EXPLAINED 2000

/* Whether a candidate no longer changes.  Another thread may be opening a
   loaded one. */
static bool is_settled(const struct candidate *c)
{
	return !c->plugin ||
	       atomic_load_explicit(&c->opened, memory_order_acquire);
}

/* Add the line of @c, if it did not start. */
static void explain_one(struct text *text, const struct candidate *c)
{
	if (!is_settled(c)) {
		text_print(text,
			   "\n  %s: not started, because the selector leaves "
			   "it out",
			   c->name);
		return;
	}
	if (!c->text || c->stage == DPR_PLUGIN_SHADOWED)
		return;
	text_print(text, "\n  %s: %s: %s%s%s",
		   text_quote(c->name ? c->name : c->file).bytes,
		   dpr_plugin_stage_name(c->stage), c->text,
		   c->advice ? "; " : "", c->advice ? c->advice : "");
}

void report_explain(struct text *text)
{
	const struct candidates *found = plugins_found();
	const size_t start = text->size;
	size_t i;

	for (i = 0; i < found->n && text->size - start < MAX_EXPLAINED; i++)
		explain_one(text, found->list[i]);
	if (i < found->n)
		text_print(text, "\n  ... and %zu more", found->n - i);
	if (!found->n)
		text_print(text, "\n  no plugin was found; searched: %s",
			   text_get(&found->places));
}

static const char *or_empty(const char *string)
{
	return string ? string : "";
}

static void fill_line(dpr_plugin_report *line, const struct candidate *c)
{
	bool settled = is_settled(c);

	line->file = c->file;
	line->name = or_empty(c->name);
	line->version = or_empty(c->plugin ? c->plugin->desc->version : NULL);
	line->origin = c->origin;
	line->stage = settled ? c->stage : DPR_PLUGIN_LOADED;
	line->devices = settled ? c->n_devices : 0;
	line->nanoseconds = settled ? c->nanoseconds : 0;
	line->text = or_empty(settled ? c->text : NULL);
	line->advice = or_empty(settled ? c->advice : NULL);
}

static dpr_plugin_report *make_list(const struct candidates *found)
{
	static const size_t strings[] = {
		offsetof(dpr_plugin_report, file),
		offsetof(dpr_plugin_report, name),
		offsetof(dpr_plugin_report, version),
		offsetof(dpr_plugin_report, text),
		offsetof(dpr_plugin_report, advice),
	};
	dpr_plugin_report *lines = mem_array(found->n, sizeof(*lines));
	dpr_plugin_report *list;
	size_t i;

	if (!lines)
		return NULL;
	for (i = 0; i < found->n; i++)
		fill_line(&lines[i], found->list[i]);
	list = text_pack(lines, found->n, sizeof(*lines), strings,
			 sizeof(strings) / sizeof(*strings));
	mem_free(lines);
	return list;
}

dpr_status dpr_plugins(int open, dpr_plugin_report **list, size_t *count)
{
	TRACE_CALL;
	const struct candidates *found = plugins_found();
	dpr_status status;

	if (list)
		*list = NULL;
	if (count)
		*count = 0;
	if (!list || !count)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "plugins: list and count must not be NULL");
	status = start_library("plugins");
	/* Go on: the report is needed most when a variable or a file is
	   wrong. */
	if (status && status != DPR_ERROR_ENVIRONMENT &&
	    status != DPR_ERROR_PLUGIN)
		return status;
	if (!status && open)
		status = registry_open("plugins", NULL, NULL);
	if (status && status != DPR_ERROR_ENVIRONMENT &&
	    status != DPR_ERROR_PLUGIN)
		return status;
	*list = make_list(found);
	if (!*list)
		return fail_memory("plugins");
	*count = found->n;
	return DPR_OK;
}
