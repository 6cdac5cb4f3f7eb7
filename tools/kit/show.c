/* SPDX-License-Identifier: Apache-2.0 */
/* show.c - what dpr check-plugin prints, as text or as JSON. */
#include "tools/kit/show.h"

#include <stdio.h>

#include "tools/kit/rules.h"

void show_begin(struct show *show, const struct kit *kit,
		const struct note_report *probe)
{
	show->json.to = stdout;
	if (!show->as_json) {
		printf("%s\nplugin %s %s, device: %s\n\n", kit->file,
		       probe->name[0] ? probe->name : "?", probe->version,
		       probe->device[0] ? probe->device : "none");
		return;
	}
	json_open(&show->json, NULL, '{');
	json_string(&show->json, "file", kit->file);
	json_string(&show->json, "plugin", probe->name);
	json_string(&show->json, "version", probe->version);
	json_string(&show->json, "device", probe->device);
	json_open(&show->json, "checks", '[');
}

static void json_finding(struct json *json, const struct note_finding *f)
{
	json_open(json, NULL, '{');
	json_string(json, "rule", f->rule[0] ? f->rule : NULL);
	json_string(json, "text", rules_text(f->rule));
	json_string(json, "entry", f->entry);
	json_string(json, "arguments", f->args);
	json_string(json, "came", f->came);
	json_string(json, "may_come", f->may);
	json_close(json, '}');
}

static void json_check(struct json *json, const struct kit_group *group,
		       const struct kit_check *check,
		       const struct note_report *r)
{
	uint32_t i;

	json_open(json, NULL, '{');
	json_string(json, "group", group->name);
	json_string(json, "check", check->name);
	json_string(json, "result",
		    r->n_findings ? "finding"
		    : r->skip[0]  ? "skipped"
				  : "clean");
	json_string(json, "reason", r->skip[0] ? r->skip : NULL);
	json_open(json, "findings", '[');
	for (i = 0; i < r->n_findings && i < NOTE_FINDINGS; i++)
		json_finding(json, &r->findings[i]);
	json_close(json, ']');
	json_open(json, "told", '[');
	for (i = 0; i < r->n_told && i < NOTE_TOLD; i++)
		json_string(json, NULL, r->told[i]);
	json_close(json, ']');
	json_close(json, '}');
}

static void print_finding(const struct note_finding *f)
{
	if (f->rule[0])
		printf("    [%s] %s\n", f->rule, rules_text(f->rule));
	printf("    call:     %s(%s)\n    came:     %s\n    may come: %s\n",
	       f->entry, f->args, f->came, f->may);
}

static void print_check(const struct kit_group *group,
			const struct kit_check *check,
			const struct note_report *r)
{
	char name[64];
	uint32_t i;

	snprintf(name, sizeof(name), "%s.%s", group->name, check->name);
	if (r->n_findings)
		printf("%-28s %u finding%s\n", name, r->n_findings,
		       r->n_findings == 1 ? "" : "s");
	else if (r->skip[0])
		printf("%-28s skipped: %s\n", name, r->skip);
	else
		printf("%-28s clean\n", name);
	for (i = 0; i < r->n_findings && i < NOTE_FINDINGS; i++)
		print_finding(&r->findings[i]);
	for (i = 0; i < r->n_told && i < NOTE_TOLD; i++)
		printf("    note: %s\n", r->told[i]);
}

void show_check(struct show *show, const struct kit_group *group,
		const struct kit_check *check, const struct note_report *report)
{
	show->checks++;
	show->bad += report->n_findings != 0;
	show->skipped += !report->n_findings && report->skip[0];
	show->findings += report->n_findings;
	if (show->as_json)
		json_check(&show->json, group, check, report);
	else
		print_check(group, check, report);
	fflush(stdout);
}

void show_end(struct show *show, const char *why)
{
	if (!show->as_json) {
		if (why)
			printf("\nNot all was checked: %s\n", why);
		printf("\n%u checks: %u clean, %u skipped, %u with findings\n",
		       show->checks, show->checks - show->bad - show->skipped,
		       show->skipped, show->bad);
		return;
	}
	json_close(&show->json, ']');
	json_string(&show->json, "error", why);
	json_number(&show->json, "findings", show->findings);
	json_close(&show->json, '}');
}

void show_list(const struct kit_group *const *groups, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		printf("%s: %s\n", groups[i]->name, groups[i]->about);
		for (k = 0; k < groups[i]->n_checks; k++)
			printf("    %s.%s\n", groups[i]->name,
			       groups[i]->checks[k].name);
	}
}
