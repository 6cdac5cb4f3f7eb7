/* SPDX-License-Identifier: Apache-2.0 */
/* show_cache.c - dpr cache: the built programs that are kept on disk. */
#include "tools/inspect/show_cache.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <dpr/cache.h>
#include <dpr/device.h>

#include "tools/shared/json.h"

static int usage(FILE *to, int status)
{
	fputs("usage: dpr cache [--json] [clear]\n\n"
	      "Show where built programs are kept, how many and how large; "
	      "clear: remove them\nall.\n\n"
	      "  -j, --json   print JSON\n"
	      "  -h, --help   this text\n",
	      to);
	return status;
}

static int failed(void)
{
	fprintf(stderr, "dpr cache: %s\n", dpr_last_error());
	return 1;
}

static void print_json(const dpr_cache_report *report, const uint64_t *removed)
{
	struct json json = { .to = stdout };

	json_open(&json, NULL, '{');
	json_string(&json, "directory",
		    *report->directory ? report->directory : NULL);
	json_string(&json, "problem",
		    *report->problem ? report->problem : NULL);
	json_number(&json, "limit", report->limit);
	json_number(&json, "bytes", report->bytes);
	json_number(&json, "files", report->files);
	if (removed)
		json_number(&json, "removed", *removed);
	json_close(&json, '}');
}

static void print_text(const dpr_cache_report *report, const uint64_t *removed)
{
	if (*report->directory)
		printf("directory: %s\n", report->directory);
	if (*report->problem)
		printf("not used: %s\n", report->problem);
	else
		printf("files: %" PRIu64 ", %" PRIu64 " KiB of %" PRIu64
		       " KiB\n",
		       report->files, report->bytes / 1024,
		       report->limit / 1024);
	if (removed)
		printf("removed: %" PRIu64 "\n", *removed);
}

int show_cache_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool json = false, clear = false;
	dpr_cache_report *report;
	uint64_t removed = 0;
	int c;

	while ((c = getopt_long(argc, argv, "jh", options, NULL)) != -1)
		switch (c) {
		case 'j': json = true; break;
		case 'h': return usage(stdout, 0);
		default: return usage(stderr, 2);
		}
	if (optind < argc && !strcmp(argv[optind], "clear")) {
		clear = true;
		optind++;
	}
	if (optind < argc)
		return usage(stderr, 2);
	if (clear && dpr_cache_clear(&removed))
		return failed();
	if (dpr_cache_stats(&report))
		return failed();
	(json ? print_json : print_text)(report, clear ? &removed : NULL);
	dpr_free(report);
	return 0;
}
