/* SPDX-License-Identifier: Apache-2.0 */
/* trace_summary.c - dpr trace-summary: a trace file as tables. */
#include "tools/inspect/trace_summary.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tools/inspect/trace_events.h"
#include "tools/inspect/trace_tables.h"
#include "tools/shared/json.h"

static const char *const words[TRACE_BY_N] = { "call", "kernel", "queue" };
static const char *const lists[TRACE_BY_N] = { "calls", "kernels", "queues" };

struct summary {
	const char *file;
	bool is_cut;
	uint64_t line; /* the last line of a file that was cut off */
	struct trace_tables tables;
};

static int usage(FILE *to, int status)
{
	fputs("usage: dpr trace-summary [--by call|kernel|queue] [--json] FILE\n"
	      "\n"
	      "Add up a trace, the file of DPR_LAYERS=trace and DPR_TRACE, in "
	      "tables:\nthe calls, what ran (kernels and copies), and the "
	      "queues.  - reads the trace\nfrom standard input.\n\n"
	      "  -b, --by=WORD   only this table: call, kernel or queue\n"
	      "  -j, --json      print JSON\n"
	      "  -h, --help      this text\n",
	      to);
	return status;
}

/* --- Reading ---------------------------------------------------------------
 */

/* Read all events.  Returns false after an error, which it has printed. */
static bool read_events(struct summary *s, FILE *from)
{
	struct message message = MESSAGE_NONE;
	struct trace_events events;
	struct trace_event event;
	enum trace_events_state state;
	bool ok = true;

	trace_events_begin(&events, from);
	while ((state = trace_events_next(&events, &event, &message)) ==
	       TRACE_EVENTS_ONE) {
		ok = trace_tables_add(&s->tables, &event);
		if (!ok) {
			fputs("dpr trace-summary: out of memory\n", stderr);
			return false;
		}
	}
	s->line = events.json.line;
	if (ferror(from)) {
		fprintf(stderr, "dpr trace-summary: %s: cannot read: %s\n",
			s->file, strerror(errno));
		ok = false;
	} else if (state == TRACE_EVENTS_WRONG) {
		fprintf(stderr, "dpr trace-summary: %s:%llu: %s\n", s->file,
			(unsigned long long)s->line, message_text(&message));
		ok = false;
	}
	s->is_cut = state == TRACE_EVENTS_CUT;
	message_clear(&message);
	return ok;
}

static bool read_file(struct summary *s)
{
	const bool is_input = !strcmp(s->file, "-");
	FILE *from = is_input ? stdin : fopen(s->file, "re");
	bool ok;

	if (!from) {
		fprintf(stderr, "dpr trace-summary: %s: cannot open: %s\n",
			s->file, strerror(errno));
		return false;
	}
	if (is_input)
		s->file = "standard input";
	ok = read_events(s, from);
	if (!is_input)
		fclose(from);
	return ok;
}

/* --- Printing --------------------------------------------------------------
 */

static double share_of(const struct trace_table *table,
		       const struct trace_tally *row)
{
	return table->own > 0 ? row->own / table->own : 0;
}

static void print_row(const struct trace_table *table,
		      const struct trace_tally *row, int by)
{
	char bytes[32] = "-", rate[32] = "-";

	if (row->moving > 0 || row->bytes > 0)
		snprintf(bytes, sizeof(bytes), "%.0f", row->bytes);
	if (row->moving > 0)
		snprintf(rate, sizeof(rate), "%.3f", row->bytes / row->moving);
	printf("%9.0f %12.3f", row->count, row->total * 1e-6);
	if (by == TRACE_BY_CALL)
		printf(" %12.3f", row->own * 1e-6);
	printf(" %12.3f %15s %9s %6.1f%%  %s", row->total / row->count * 1e-3,
	       bytes, rate, 100 * share_of(table, row), row->name);
	if (*row->kernel)
		printf("  [%s]", row->kernel);
	fputc('\n', stdout);
}

static void print_table(const struct trace_table *table, int by)
{
	printf("%9s %12s", "count", "total ms");
	if (by == TRACE_BY_CALL)
		printf(" %12s", "own ms");
	printf(" %12s %15s %9s %7s  %s\n", "mean us", "bytes", "GB/s", "share",
	       words[by]);
	for (size_t i = 0; i < table->n; i++)
		print_row(table, table->rows[i], by);
}

/* Print a number on a line of its own, unless it is 0. */
static void print_note(double number, const char *text, const char *remark)
{
	if (number > 0)
		printf("%s: %.0f%s\n", text, number, remark);
}

static void print_tables(const struct summary *s, int by)
{
	const struct trace_tables *t = &s->tables;
	bool any = false;

	for (int k = 0; k < TRACE_BY_N; k++) {
		if (by != TRACE_BY_N && by != k)
			continue;
		if (any)
			fputc('\n', stdout);
		any = true;
		print_table(&t->by[k], k);
	}
	printf("\n%.3f ms from the first call to the end of the last\n",
	       (double)(t->end - t->begin) * 1e-6);
	print_note(t->failed_calls, "failed calls", "");
	print_note(t->failed_work, "failed submissions", "");
	print_note(t->unfinished, "not ended when the process did", "");
	print_note(t->estimated_places,
		   "submissions whose place on the time axis is estimated",
		   " (their durations are measured)");
	print_note(t->estimated_durations,
		   "submissions whose duration is estimated", "");
}

static void print_whole(struct json *json, const char *name, double value)
{
	json_number(json, name, value < 1e19 ? (uint64_t)value : UINT64_MAX);
}

static void print_json_row(struct json *json, const struct trace_table *table,
			   const struct trace_tally *row, int by)
{
	json_open(json, NULL, '{');
	json_string(json, "name", row->name);
	if (by == TRACE_BY_KERNEL)
		json_string(json, "kernel", *row->kernel ? row->kernel : NULL);
	print_whole(json, "count", row->count);
	print_whole(json, "total_ns", row->total);
	if (by == TRACE_BY_CALL)
		print_whole(json, "own_ns", row->own);
	print_whole(json, "bytes", row->bytes);
	if (row->moving > 0)
		json_real(json, "gbps", row->bytes / row->moving);
	else
		json_string(json, "gbps", NULL);
	json_real(json, "share", share_of(table, row));
	json_close(json, '}');
}

static void print_json(const struct summary *s, int by)
{
	const struct trace_tables *t = &s->tables;
	struct json json = { .to = stdout };

	json_open(&json, NULL, '{');
	json_bool(&json, "complete", !s->is_cut);
	json_number(&json, "span_ns", t->end - t->begin);
	print_whole(&json, "failed_calls", t->failed_calls);
	print_whole(&json, "failed_submissions", t->failed_work);
	print_whole(&json, "unfinished", t->unfinished);
	print_whole(&json, "estimated_places", t->estimated_places);
	print_whole(&json, "estimated_durations", t->estimated_durations);
	for (int k = 0; k < TRACE_BY_N; k++) {
		if (by != TRACE_BY_N && by != k)
			continue;
		json_open(&json, lists[k], '[');
		for (size_t i = 0; i < t->by[k].n; i++)
			print_json_row(&json, &t->by[k], t->by[k].rows[i], k);
		json_close(&json, ']');
	}
	json_close(&json, '}');
}

static int summarize(const char *file, int by, bool json)
{
	struct summary s = { .file = file };
	const bool ok = read_file(&s);

	if (ok) {
		trace_tables_sort(&s.tables);
		(json ? print_json : print_tables)(&s, by);
	}
	if (ok && s.is_cut)
		fprintf(stderr,
			"dpr trace-summary: %s:%llu: the file ends within its "
			"list, as after a crash; what is there was added up\n",
			s.file, (unsigned long long)s.line);
	trace_tables_free(&s.tables);
	return !ok;
}

int trace_summary_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "by", required_argument, NULL, 'b' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int by = TRACE_BY_N, c;
	bool json = false;

	while ((c = getopt_long(argc, argv, "b:jh", options, NULL)) != -1)
		switch (c) {
		case 'b':
			by = 0;
			while (by < TRACE_BY_N && strcmp(words[by], optarg))
				by++;
			if (by < TRACE_BY_N)
				break;
			fprintf(stderr,
				"dpr trace-summary: --by %s: not call, kernel "
				"or queue\n",
				optarg);
			return 2;
		case 'j': json = true; break;
		case 'h': return usage(stdout, 0);
		default: return usage(stderr, 2);
		}
	if (argc - optind != 1)
		return usage(stderr, 2);
	return summarize(argv[optind], by, json);
}
