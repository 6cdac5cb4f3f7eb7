/* SPDX-License-Identifier: Apache-2.0 */
/* show.c - what dpr check-plugin prints, as text or as JSON. */
#include "tools/kit/show.h"

#include <stdio.h>
#include <string.h>

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
	json_string(json, "expected", f->expected);
	json_string(json, "got", f->got);
	json_number(json, "times", f->times);
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
	json_open(json, "notes", '[');
	for (i = 0; i < r->n_told && i < NOTE_TOLD; i++)
		json_string(json, NULL, r->told[i]);
	json_close(json, ']');
	json_string(json, "output", r->output[0] ? r->output : NULL);
	json_close(json, '}');
}

/* The finding as it was printed of another check; NULL: it is new. */
static struct show_seen *find_seen(struct show *show,
				   const struct note_finding *f)
{
	unsigned i;

	for (i = 0; i < show->n_seen; i++) {
		const struct note_finding *other = &show->seen[i].finding;

		if (!strcmp(other->rule, f->rule) &&
		    !strcmp(other->entry, f->entry) &&
		    !strcmp(other->expected, f->expected) &&
		    !strcmp(other->got, f->got))
			return &show->seen[i];
	}
	return NULL;
}

static void print_finding(struct show *show, const struct note_finding *f,
			  const char *check)
{
	struct show_seen *seen;

	if (f->rule[0])
		printf("    [%s] %s\n", f->rule, rules_text(f->rule));
	printf("    call:     %s(%s)\n    expected: %s\n    got:      %s",
	       f->entry, f->args, f->expected, f->got);
	if (f->times > 1)
		printf(" (%u times)", f->times);
	putchar('\n');
	if (show->n_seen == SHOW_SEEN)
		return;
	seen = &show->seen[show->n_seen++];
	seen->finding = *f;
	seen->checks = 1;
	snprintf(seen->check, sizeof(seen->check), "%s", check);
}

/* So many checks have a line of their own for the same finding. */
enum { MOST_ALIKE = 3 };

static void print_findings(struct show *show, const char *name,
			   const struct note_report *r)
{
	const uint32_t listed =
		r->n_findings < NOTE_FINDINGS ? r->n_findings : NOTE_FINDINGS;
	struct show_seen *seen[NOTE_FINDINGS];
	const char *as = NULL;
	uint32_t i, n = 0;

	for (i = 0; i < listed; i++) {
		seen[i] = find_seen(show, &r->findings[i]);
		if (seen[i]) {
			seen[i]->checks++;
			as = as ? as : seen[i]->check;
			n++;
		}
	}
	/* The end says how many there are. */
	if (n == r->n_findings && seen[0]->checks > MOST_ALIKE)
		return;
	printf("%-28s %u finding%s", name, r->n_findings,
	       r->n_findings == 1 ? "" : "s");
	if (as)
		printf(", %s%s", n < r->n_findings ? "some as in " : "as in ",
		       as);
	putchar('\n');
	for (i = 0; i < listed; i++)
		if (!seen[i])
			print_finding(show, &r->findings[i], name);
	if (listed < r->n_findings)
		printf("    ... and %u more\n", r->n_findings - listed);
}

/* Print what a check printed that did not end. */
static void print_output(const char *text)
{
	const char *line;
	size_t n;

	printf("    it printed:\n");
	for (line = text; *line; line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		printf("    | %.*s\n", (int)n, line);
	}
}

static void print_check(struct show *show, const char *name,
			const struct note_report *r)
{
	const unsigned before = show->n_seen;
	uint32_t i;

	if (r->n_findings)
		print_findings(show, name, r);
	else if (r->skip[0])
		printf("%-28s skipped: %s\n", name, r->skip);
	else
		printf("%-28s clean\n", name);
	for (i = 0; i < r->n_told && i < NOTE_TOLD; i++)
		printf("    note: %s\n", r->told[i]);
	if (r->output[0] && show->n_seen != before)
		print_output(r->output);
}

/* Count a check that ended before an entry that did not return. */
static void count_stopped(struct show *show, const struct note_report *r)
{
	uint32_t i;

	for (i = 0; i < r->n_stops; i++)
		if (!strcmp(r->stops[i], r->stopped)) {
			memcpy(show->stops[i], r->stopped,
			       sizeof(show->stops[i]));
			show->not_run[i]++;
		}
}

void show_check(struct show *show, const struct kit_group *group,
		const struct kit_check *check, const struct note_report *report)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.%s", group->name, check->name);
	show->checks++;
	show->bad += report->n_findings != 0;
	show->skipped += !report->n_findings && report->skip[0];
	show->findings += report->n_findings;
	if (report->stopped[0])
		count_stopped(show, report);
	if (show->as_json)
		json_check(&show->json, group, check, report);
	else if (!report->stopped[0] || report->n_findings)
		print_check(show, name, report);
	fflush(stdout);
}

/* Print what concerns several checks. */
static void print_common(const struct show *show)
{
	bool any = false;
	unsigned i;

	for (i = 0; i < NOTE_STOPS; i++)
		if (show->not_run[i])
			printf("\n%u further check%s call%s %s, which did not "
			       "return in two checks: not run\n",
			       show->not_run[i],
			       show->not_run[i] == 1 ? "" : "s",
			       show->not_run[i] == 1 ? "s" : "",
			       show->stops[i]);
	for (i = 0; i < show->n_seen; i++) {
		const struct show_seen *seen = &show->seen[i];

		if (seen->checks < 2)
			continue;
		if (!any)
			printf("\nIn several checks:\n");
		any = true;
		printf("    %s: %s: in %u checks, the first is %s\n",
		       seen->finding.entry, seen->finding.got, seen->checks,
		       seen->check);
	}
}

void show_end(struct show *show, const char *why)
{
	if (!show->as_json) {
		print_common(show);
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
	printf("start.probe comes first: it loads and opens the plugin\n");
}
