/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - a list of what is known about plugin files. */
#include "tools/inspect/findings.h"

#include <stdlib.h>
#include <string.h>

#include <dpr/device.h>

static char *copy_string(const char *string)
{
	return strdup(string ? string : "");
}

bool findings_add(struct findings *findings, const struct finding *finding)
{
	struct finding *list, *f;

	list = realloc(findings->list, (findings->n + 1) * sizeof(*list));
	if (!list)
		return false;
	findings->list = list;
	f = &list[findings->n++];
	*f = (struct finding){
		.file = copy_string(finding->file),
		.name = copy_string(finding->name),
		.version = copy_string(finding->version),
		.origin = copy_string(finding->origin),
		.stage = copy_string(finding->stage),
		.text = copy_string(finding->text),
		.advice = copy_string(finding->advice),
		.devices = finding->devices,
		.nanoseconds = finding->nanoseconds,
	};
	return f->file && f->name && f->version && f->origin && f->stage &&
	       f->text && f->advice;
}

void findings_drop(struct findings *findings)
{
	size_t i;

	for (i = 0; i < findings->n; i++) {
		struct finding *f = &findings->list[i];

		free(f->file);
		free(f->name);
		free(f->version);
		free(f->origin);
		free(f->stage);
		free(f->text);
		free(f->advice);
	}
	free(findings->list);
	free(findings->error);
	memset(findings, 0, sizeof(*findings));
}

/* Append a note to @text, which is taken over.  Returns the new text, to be
   freed; NULL: no memory. */
static char *add_note(char *text, const char *note)
{
	size_t size = (text ? strlen(text) : 0) + strlen(note) + 3;
	char *more = realloc(text, size);

	if (!more) {
		free(text);
		return NULL;
	}
	if (!text)
		*more = '\0';
	if (*more)
		strcat(more, "; ");
	return strcat(more, note);
}

char *findings_notes(const dpr_plugin_report *line)
{
	static const enum dpr_info keys[] = {
#define DPR__X(name, number, type, unit, text) DPR_INFO_##name,
		DPR_INFO_MAP(DPR__X)
#undef DPR__X
	};
	dpr_device *devices[64];
	char *text = copy_string(line->text);
	size_t n = 0, size, i, j;

	if (line->stage != DPR_PLUGIN_READY ||
	    dpr_device_enumerate(line->name, devices, 64, &n))
		return text;
	for (i = 0; text && i < n && i < 64; i++)
		for (j = 0; text && j < sizeof(keys) / sizeof(*keys); j++)
			if (dpr_device_info(devices[i], keys[j], NULL, 0,
					    &size) == DPR_ERROR_PLUGIN)
				text = add_note(text, dpr_last_error());
	return text;
}
