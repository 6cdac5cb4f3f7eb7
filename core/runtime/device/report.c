/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - the load report: every plugin file, how far it came, and why. */
#include "core/runtime/device/report.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/device/registry.h"
#include "core/runtime/device/start.h"
#include "core/runtime/plugin/plugins.h"

/* Whether a candidate does not change any more: another thread may be opening
   one that is loaded. */
static bool is_settled(const struct candidate *c)
{
	return !c->plugin ||
	       atomic_load_explicit(&c->opened, memory_order_acquire);
}

void report_explain(struct text *text)
{
	const struct candidates *found = plugins_found();
	size_t i;

	for (i = 0; i < found->n; i++) {
		const struct candidate *c = found->list[i];

		if (!is_settled(c)) {
			text_print(text,
				   "\n  %s: not started, since the selector "
				   "leaves it out",
				   c->name);
			continue;
		}
		if (!c->text || c->stage == DPR_PLUGIN_SHADOWED)
			continue;
		text_print(text, "\n  %s: %s: %s%s%s",
			   c->name ? c->name : c->file,
			   dpr_plugin_stage_name(c->stage), c->text,
			   c->advice ? "; " : "", c->advice ? c->advice : "");
	}
	if (!found->n)
		text_print(text, "\n  no plugin was found; searched: %s",
			   text_get(&found->places));
}

/* Copy @from, or "", to *@at and move *@at behind it. */
static const char *put_string(char **at, const char *from)
{
	char *start = *at;
	size_t n;

	from = from ? from : "";
	n = strlen(from) + 1;
	memcpy(start, from, n);
	*at += n;
	return start;
}

static size_t size_of_string(const char *string)
{
	return string ? strlen(string) + 1 : 1;
}

static const char *version_of(const struct candidate *c)
{
	return c->plugin ? c->plugin->desc->version : NULL;
}

static void fill_line(dpr_plugin_report *line, const struct candidate *c,
		      bool settled, char **at)
{
	line->file = put_string(at, c->file);
	line->name = put_string(at, c->name);
	line->version = put_string(at, version_of(c));
	line->origin = c->origin;
	line->stage = settled ? c->stage : DPR_PLUGIN_LOADED;
	line->devices = settled ? c->n_devices : 0;
	line->nanoseconds = settled ? c->nanoseconds : 0;
	line->text = put_string(at, settled ? c->text : NULL);
	line->advice = put_string(at, settled ? c->advice : NULL);
}

/* One block: the list, then its strings.  @settled remembers which candidates
   were final when their strings were measured. */
static dpr_plugin_report *make_list(const struct candidates *found,
				    bool *settled)
{
	size_t i, bytes = found->n * sizeof(dpr_plugin_report) + 1;
	dpr_plugin_report *list;
	char *at;

	for (i = 0; i < found->n; i++) {
		const struct candidate *c = found->list[i];

		settled[i] = is_settled(c);
		bytes += size_of_string(c->file) + size_of_string(c->name) +
			 size_of_string(version_of(c));
		bytes += settled[i] ? size_of_string(c->text) +
					      size_of_string(c->advice)
				    : 2;
	}
	list = mem_alloc(bytes);
	if (!list)
		return NULL;
	at = (char *)(list + found->n);
	for (i = 0; i < found->n; i++)
		fill_line(&list[i], found->list[i], settled[i], &at);
	return list;
}

dpr_status dpr_plugins(int open, dpr_plugin_report **list, size_t *count)
{
	TRACE_CALL;
	const struct candidates *found = plugins_found();
	bool *settled;
	dpr_status status;

	if (!list || !count)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "plugins: list and count must not be NULL");
	*list = NULL;
	*count = 0;
	status = start_library("plugins");
	/* The report is most wanted when a variable or a file is wrong. */
	if (status && status != DPR_ERROR_ENVIRONMENT &&
	    status != DPR_ERROR_PLUGIN)
		return status;
	if (!status && open)
		status = registry_open("plugins", NULL, NULL);
	if (status && status != DPR_ERROR_ENVIRONMENT &&
	    status != DPR_ERROR_PLUGIN)
		return status;
	settled = mem_array(found->n, sizeof(*settled));
	if (settled)
		*list = make_list(found, settled);
	mem_free(settled);
	if (!*list)
		return fail_memory("plugins");
	*count = found->n;
	return DPR_OK;
}
