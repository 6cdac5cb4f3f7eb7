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

/* @seen: the finding is the layer's, in these checks; NULL: it is not. */
static void json_finding(struct json *json, const struct note_finding *f,
			 const struct show_seen *seen)
{
	json_open(json, NULL, '{');
	json_string(json, "rule", f->rule[0] ? f->rule : NULL);
	json_string(json, "text", rules_text(f->rule));
	json_string(json, "entry", f->entry);
	json_string(json, "arguments", f->args);
	json_string(json, "expected", f->expected);
	json_string(json, "got", f->got);
	json_number(json, "times", f->times);
	if (seen) {
		json_string(json, "check", seen->check);
		json_number(json, "checks", seen->checks);
	}
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
		json_finding(json, &r->findings[i], NULL);
	json_close(json, ']');
	json_open(json, "notes", '[');
	for (i = 0; i < r->n_told && i < NOTE_TOLD; i++)
		json_string(json, NULL, r->told[i]);
	json_close(json, ']');
	json_string(json, "output", r->output[0] ? r->output : NULL);
	json_close(json, '}');
}

/* The finding of another check that is the same; NULL: it is new. */
static struct show_seen *find_alike(struct show_seen *list, unsigned n,
				    const struct note_finding *f)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		const struct note_finding *other = &list[i].finding;

		if (!strcmp(other->rule, f->rule) &&
		    !strcmp(other->entry, f->entry) &&
		    !strcmp(other->expected, f->expected) &&
		    !strcmp(other->got, f->got))
			return &list[i];
	}
	return NULL;
}

/* Keep a finding.  Without room for it, it is not kept. */
static void keep(struct show_seen *list, unsigned *n,
		 const struct note_finding *f, const char *check)
{
	struct show_seen *seen;

	if (*n == SHOW_SEEN)
		return;
	seen = &list[(*n)++];
	seen->finding = *f;
	seen->checks = 1;
	snprintf(seen->check, sizeof(seen->check), "%s", check);
}

static void print_finding(const struct note_finding *f)
{
	if (f->rule[0])
		printf("    [%s] %s\n", f->rule, rules_text(f->rule));
	printf("    call:     %s(%s)\n    expected: %s\n    got:      %s",
	       f->entry, f->args, f->expected, f->got);
	if (f->times > 1)
		printf(" (%u times)", f->times);
	putchar('\n');
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
		seen[i] = find_alike(show->seen, show->n_seen, &r->findings[i]);
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
	for (i = 0; i < listed; i++) {
		if (seen[i])
			continue;
		print_finding(&r->findings[i]);
		keep(show->seen, &show->n_seen, &r->findings[i], name);
	}
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

/* Whether a rule is about the answer of every entry. */
static bool is_of_all(const char *rule)
{
	return !strcmp(rule, "P1") || !strcmp(rule, "E1") ||
	       !strcmp(rule, "E2");
}

/* Whether a check has named the rule; one that is about all entries, for this
   entry. */
static bool is_named(const struct show *show, const struct note_finding *f)
{
	unsigned i;

	for (i = 0; i < show->n_named; i++)
		if (!strcmp(show->named[i].rule, f->rule) &&
		    (!is_of_all(f->rule) ||
		     !strcmp(show->named[i].entry, f->entry)))
			return true;
	return false;
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

/* Keep the rules that the check has named. */
static void note_named(struct show *show, const struct note_report *r)
{
	uint32_t i;

	for (i = 0; i < r->n_findings && i < NOTE_FINDINGS; i++) {
		const struct note_finding *f = &r->findings[i];

		if (is_named(show, f) || show->n_named == SHOW_NAMED)
			continue;
		memcpy(show->named[show->n_named].rule, f->rule,
		       sizeof(f->rule));
		memcpy(show->named[show->n_named].entry, f->entry,
		       sizeof(f->entry));
		show->n_named++;
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
	note_named(show, report);
	if (report->stopped[0])
		count_stopped(show, report);
	if (show->as_json)
		json_check(&show->json, group, check, report);
	else if (!report->stopped[0] || report->n_findings)
		print_check(show, name, report);
	fflush(stdout);
}

/* The finding of the layer that @f is counted with; NULL: it is new.  Of those
   with the same rule and entry a few are listed. */
static struct show_seen *find_behind(struct show *show,
				     const struct note_finding *f)
{
	struct show_seen *seen = find_alike(show->behind, show->n_behind, f);
	struct show_seen *last = NULL;
	unsigned i, n = 0;

	for (i = 0; i < show->n_behind; i++) {
		const struct note_finding *other = &show->behind[i].finding;

		if (strcmp(other->rule, f->rule) != 0 ||
		    strcmp(other->entry, f->entry) != 0)
			continue;
		last = &show->behind[i];
		n++;
	}
	return seen || n < MOST_ALIKE ? seen : last;
}

void show_behind(struct show *show, const struct kit_group *group,
		 const struct kit_check *check,
		 const struct note_report *report)
{
	char name[64];
	uint32_t i;

	snprintf(name, sizeof(name), "%s.%s", group->name, check->name);
	for (i = 0; i < report->n_findings && i < NOTE_FINDINGS; i++) {
		const struct note_finding *f = &report->findings[i];
		struct show_seen *seen = find_behind(show, f);

		if (seen) {
			seen->checks++;
			seen->finding.times += f->times;
		} else {
			keep(show->behind, &show->n_behind, f, name);
		}
	}
}

static void print_behind(struct show *show, const struct show_seen *seen)
{
	char name[64 + 20];

	if (show->as_json) {
		json_finding(&show->json, &seen->finding, seen);
		return;
	}
	snprintf(name, sizeof(name), "%s, layer check", seen->check);
	printf("%-28s 1 finding", name);
	if (seen->checks > 1)
		printf(", as in %u further checks", seen->checks - 1);
	putchar('\n');
	print_finding(&seen->finding);
}

/* Print what the layer has found and no check has named.  Returns how many
   findings that are. */
static unsigned print_all_behind(struct show *show)
{
	unsigned i, n = 0;

	for (i = 0; i < show->n_behind; i++) {
		if (is_named(show, &show->behind[i].finding))
			continue;
		print_behind(show, &show->behind[i]);
		n++;
	}
	return n;
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
	unsigned n;

	if (!show->as_json) {
		n = print_all_behind(show);
		print_common(show);
		if (why)
			printf("\nNot all was checked: %s\n", why);
		printf("\n%u checks: %u clean, %u skipped, %u with findings",
		       show->checks, show->checks - show->bad - show->skipped,
		       show->skipped, show->bad);
		if (n)
			printf("; %u finding%s of the layer check", n,
			       n == 1 ? "" : "s");
		putchar('\n');
		show->findings += n;
		return;
	}
	json_close(&show->json, ']');
	json_open(&show->json, "layer", '[');
	show->findings += print_all_behind(show);
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
