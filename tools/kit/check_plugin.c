/* SPDX-License-Identifier: Apache-2.0 */
/* check_plugin.c - dpr check-plugin: whether a plugin keeps the contract of
   <dpr/backend.h>. */
#include "tools/kit/check_plugin.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/kit/child.h"
#include "tools/kit/groups/groups.h"
#include "tools/kit/show.h"

#define DEFAULT_SECONDS 60

static const struct kit_group *const groups[] = {
	&group_descriptor, &group_open,       &group_outputs, &group_info,
	&group_devices,    &group_memory,     &group_copies,  &group_order,
	&group_events,     &group_finish,     &group_modules, &group_kernels,
	&group_calls,      &group_promptness, &group_loss,    &group_host_alloc,
	&group_threads,    &group_exit,       &group_arrays,
};

enum { MOST_WANTED = 64 };

struct options {
	const char *wanted[MOST_WANTED]; /* groups, and GROUP.CHECK */
	size_t n_wanted;                 /* 0: all */
	bool json, list, no_fork, behind, once;
	unsigned seconds;
	const char *selector;
};

static int usage(FILE *to, int status)
{
	fputs("usage: dpr check-plugin [--group=GROUP]... [--selector=DEVICE]\n"
	      "                        [--timeout=SECONDS] [--once] [--json] FILE|NAME\n"
	      "       dpr check-plugin --no-fork [--behind] --group=GROUP.CHECK FILE|NAME\n"
	      "       dpr check-plugin --list\n\n"
	      "Check whether a plugin, given as a file or by its name, keeps "
	      "the contract of\n<dpr/backend.h>.\n\n"
	      "  -g, --group=GROUP      only this group, or this check as "
	      "GROUP.CHECK; may be\n                         repeated\n"
	      "  -s, --selector=DEVICE  the device: a type, a number, or both "
	      "(gpu:1)\n"
	      "  -t, --timeout=SECONDS  how long one check may take (60)\n"
	      "  -o, --once             no second run of each check, behind the "
	      "layer check\n"
	      "  -j, --json             print JSON\n"
	      "  -n, --no-fork          run one check in this process, for gdb "
	      "and valgrind\n"
	      "  -b, --behind           with --no-fork: behind the layer "
	      "check, whose findings\n                         alone count\n"
	      "  -l, --list             print the groups and their checks\n"
	      "  -h, --help             this text\n\n"
	      "Exit status: 0 no finding, 1 findings, 2 it could not be "
	      "checked.\n",
	      to);
	return status;
}

/* Whether @name is this group, or this check of it as GROUP.CHECK. */
static bool names(const char *name, const struct kit_group *group,
		  const struct kit_check *check)
{
	size_t n = strlen(group->name);

	return !strncmp(name, group->name, n) &&
	       (!name[n] ||
		(name[n] == '.' && !strcmp(name + n + 1, check->name)));
}

static bool is_wanted(const struct options *options,
		      const struct kit_group *group,
		      const struct kit_check *check)
{
	size_t i;

	for (i = 0; i < options->n_wanted; i++)
		if (names(options->wanted[i], group, check))
			return true;
	return !options->n_wanted;
}

static bool add_group(struct options *options, const char *name)
{
	size_t i, k;

	for (i = 0; i < KIT_COUNT(groups); i++)
		for (k = 0; k < groups[i]->n_checks; k++)
			if (names(name, groups[i], &groups[i]->checks[k]) &&
			    options->n_wanted < MOST_WANTED) {
				options->wanted[options->n_wanted++] = name;
				return true;
			}
	fprintf(stderr,
		"dpr check-plugin: there is no group \"%.60s\"; --list shows "
		"them\n",
		name);
	return false;
}

static bool parse_seconds(const char *text, unsigned *seconds)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end || n < 1 || n > 3600) {
		fputs("dpr check-plugin: --timeout takes 1 to 3600 seconds\n",
		      stderr);
		return false;
	}
	*seconds = (unsigned)n;
	return true;
}

/* The path of what the user has named, to be freed.  NULL, with a message:
   there is no such file. */
static char *find_file(const char *what)
{
	bool is_path = strchr(what, '/') || strstr(what, ".so");
	char *path = is_path ? realpath(what, NULL) : child_find(what);

	if (path && !access(path, R_OK))
		return path;
	if (!is_path && !access(what, F_OK))
		fprintf(stderr,
			"dpr check-plugin: %s is not a shared library: give "
			"the file libdpr-NAME.so\n",
			what);
	else if (is_path)
		fprintf(stderr,
			"dpr check-plugin: %s: there is no such file, or it "
			"cannot be read\n",
			what);
	else
		fprintf(stderr,
			"dpr check-plugin: there is no plugin of the name "
			"\"%s\": give its file, or its directory in "
			"DPR_PLUGIN_PATH\n",
			what);
	free(path);
	return NULL;
}

/* Entries that did not return: after two times, further checks stop before
   them. */
struct deaths {
	char entries[16][40];
	unsigned n_entries, times[16];
	struct note_report report; /* of the last check */
};

static void count_death(struct deaths *deaths)
{
	struct note_report *r = &deaths->report;
	unsigned i;

	if (!r->died || r->ended || !r->entry[0])
		return;
	for (i = 0; i < deaths->n_entries; i++)
		if (!strcmp(deaths->entries[i], r->entry))
			break;
	if (i == KIT_COUNT(deaths->entries))
		return;
	if (i == deaths->n_entries)
		memcpy(deaths->entries[deaths->n_entries++], r->entry,
		       sizeof(r->entry));
	if (++deaths->times[i] == 2 && r->n_stops < NOTE_STOPS)
		memcpy(r->stops[r->n_stops++], r->entry, sizeof(r->entry));
}

/* Run a check, and once more behind the layer "check" if it has no finding: of
   the same fault the layer would have one, too.  Returns false if a process
   could not be made. */
static bool run_check(struct show *show, const struct kit *kit,
		      const struct kit_group *group,
		      const struct kit_check *check, struct deaths *deaths)
{
	struct note_report *report = &deaths->report;
	struct kit behind = *kit;

	if (!child_run(kit, check, report))
		return false;
	show_check(show, group, check, report);
	count_death(deaths);
	if (report->n_findings || kit->once)
		return true;
	behind.behind = true;
	if (!child_run(&behind, check, report))
		return false;
	show_behind(show, group, check, report);
	count_death(deaths);
	return true;
}

/* Run the checks of one group.  Returns false if a process could not be
   made. */
static bool run_group(struct show *show, const struct kit *kit,
		      const struct options *options,
		      const struct kit_group *group, bool has_device,
		      struct deaths *deaths)
{
	size_t i;

	for (i = 0; i < group->n_checks; i++) {
		const struct kit_check *check = &group->checks[i];

		if (!is_wanted(options, group, check) ||
		    (!has_device && !(check->flags & KIT_NO_DEVICE)))
			continue;
		if (!run_check(show, kit, group, check, deaths))
			return false;
	}
	return true;
}

static const struct kit_check probe_check = { "probe", NULL, 0 };
static const struct kit_group probe_group = { "start", "", &probe_check, 1 };

static int run(const struct kit *kit, const struct options *options)
{
	struct show show = { .as_json = options->json };
	struct note_report probe = { .n_stops = 0 };
	struct deaths deaths = { .n_entries = 0 };
	bool ok, ready;
	size_t i;

	ok = child_run(kit, NULL, &probe);
	if (ok && probe.probe == KIT_PROBE_NO_PLUGIN && !probe.n_findings) {
		fprintf(stderr, "dpr check-plugin: %s is no plugin: %s\n",
			kit->file, probe.skip);
		return 2;
	}
	ready = probe.probe == KIT_PROBE_READY;
	if (ok)
		show_begin(&show, kit, &probe);
	if (ok && probe.n_findings && (!ready || !options->n_wanted))
		show_check(&show, &probe_group, &probe_check, &probe);
	for (i = 0; ok && i < KIT_COUNT(groups); i++)
		ok = run_group(&show, kit, options, groups[i], ready, &deaths);
	if (!ok) {
		fputs("dpr check-plugin: no process could be made\n", stderr);
		return 2;
	}
	show_end(&show, probe.skip[0] ? probe.skip : NULL);
	if (!ready && !show.findings) {
		if (!options->json)
			fprintf(stderr, "dpr check-plugin: %s\n", probe.skip);
		return 2;
	}
	return show.findings ? 1 : 0;
}

/* The check that runs in this process. */
static struct {
	const struct kit_group *group;
	const struct kit_check *check;
	struct show show;
} here;

static int end_here(const struct note_report *report)
{
	show_check(&here.show, here.group, here.check, report);
	return report->n_findings ? 1 : 0;
}

/* Run the one check that is wanted in this process.  Returns only if that is
   not one. */
static int run_here(const struct kit *kit, const struct options *options)
{
	unsigned n = 0;
	size_t i, k;

	for (i = 0; i < KIT_COUNT(groups); i++)
		for (k = 0; k < groups[i]->n_checks; k++)
			if (is_wanted(options, groups[i],
				      &groups[i]->checks[k])) {
				here.group = groups[i];
				here.check = &groups[i]->checks[k];
				n++;
			}
	if (n == 1)
		child_run_here(kit, here.check, end_here);
	fputs("dpr check-plugin: --no-fork takes one check: "
	      "--group=GROUP.CHECK\n",
	      stderr);
	return 2;
}

/* Read the options.  Returns the exit status, or -1 to go on. */
static int parse(int argc, char **argv, struct options *options)
{
	static const struct option longs[] = {
		{ "group", required_argument, NULL, 'g' },
		{ "selector", required_argument, NULL, 's' },
		{ "timeout", required_argument, NULL, 't' },
		{ "once", no_argument, NULL, 'o' },
		{ "json", no_argument, NULL, 'j' },
		{ "no-fork", no_argument, NULL, 'n' },
		{ "behind", no_argument, NULL, 'b' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "g:s:t:bjnolh", longs, NULL)) !=
	       -1) {
		switch (option) {
		case 'g':
			if (!add_group(options, optarg))
				return 2;
			break;
		case 's': options->selector = optarg; break;
		case 't':
			if (!parse_seconds(optarg, &options->seconds))
				return 2;
			break;
		case 'o': options->once = true; break;
		case 'j': options->json = true; break;
		case 'n': options->no_fork = true; break;
		case 'b': options->behind = true; break;
		case 'l': options->list = true; break;
		case 'h': return usage(stdout, 0);
		default: return usage(stderr, 2);
		}
	}
	return optind + !options->list == argc ? -1 : usage(stderr, 2);
}

int check_plugin_main(int argc, char **argv)
{
	struct options options = { .seconds = DEFAULT_SECONDS };
	struct kit kit = { 0 };
	int status = parse(argc, argv, &options);
	char *path;

	if (status >= 0)
		return status;
	if (options.list) {
		show_list(groups, KIT_COUNT(groups));
		return 0;
	}
	path = find_file(argv[optind]);
	if (!path)
		return 2;
	kit.file = path;
	kit.selector = options.selector;
	kit.limit = options.seconds;
	kit.behind = options.behind && options.no_fork;
	kit.once = options.once;
	status = options.no_fork ? run_here(&kit, &options)
				 : run(&kit, &options);
	free(path);
	return status;
}
