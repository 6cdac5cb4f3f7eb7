/* SPDX-License-Identifier: Apache-2.0 */
/* trace_tables.c - the events of a trace, added up by call, kernel and queue.
 */
#include "tools/inspect/trace_tables.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call that has ended.  A call around it may end later. */
struct ended {
	uint64_t start, duration;
};

/* A thread of the program, or a lane of a queue. */
struct trace_track {
	struct trace_track *next;
	uint64_t process, thread;
	char *name, *process_name; /* NULL: unknown */
	struct ended *ended;
	size_t n, room;
};

/* --- Rows ------------------------------------------------------------------
 */

static int compare_rows(const void *a, const void *b)
{
	const struct trace_tally *x = a, *y = b;
	const int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->kernel, y->kernel);
}

static void free_row(struct trace_tally *row)
{
	if (!row)
		return;
	free(row->name);
	free(row->kernel);
	free(row);
}

static struct trace_tally *make_row(const char *name, const char *kernel)
{
	struct trace_tally *row = calloc(1, sizeof(*row));

	if (!row)
		return NULL;
	row->name = strdup(name);
	row->kernel = strdup(kernel);
	if (row->name && row->kernel)
		return row;
	free_row(row);
	return NULL;
}

/* Find or make a row.  NULL: no memory. */
static struct trace_tally *find_row(struct trace_table *table, const char *name,
				    const char *kernel)
{
	struct trace_tally key = { .name = (char *)(uintptr_t)name,
				   .kernel = (char *)(uintptr_t)kernel };
	struct trace_tally **found = tfind(&key, &table->index, compare_rows);
	struct trace_tally *row, **rows = table->rows;

	if (found)
		return *found;
	if (table->n == table->room) {
		table->room = table->room ? 2 * table->room : 64;
		rows = realloc(rows,
			       table->room * sizeof(struct trace_tally *));
		if (!rows)
			return NULL;
		table->rows = rows;
	}
	row = make_row(name, kernel);
	if (!row || !tsearch(row, &table->index, compare_rows)) {
		free_row(row);
		return NULL;
	}
	rows[table->n++] = row;
	return row;
}

/* Add a span, of which @within passed in other spans of the table. */
static bool add_span(struct trace_table *table, const char *name,
		     const char *kernel, const struct trace_event *event,
		     double within)
{
	const double duration = (double)event->duration;
	struct trace_tally *row = find_row(table, name, kernel);

	if (!row)
		return false;
	row->count++;
	row->total += duration;
	row->own += duration - within;
	table->own += duration - within;
	if (event->has_bytes) {
		row->bytes += (double)event->bytes;
		row->moving += duration;
	}
	return true;
}

/* --- Tracks ----------------------------------------------------------------
 */

/* Find or make a track.  NULL: no memory. */
static struct trace_track *find_track(struct trace_tables *tables,
				      uint64_t process, uint64_t thread)
{
	struct trace_track *track = tables->last;

	if (track && track->process == process && track->thread == thread)
		return track;
	for (track = tables->tracks; track; track = track->next)
		if (track->process == process && track->thread == thread)
			break;
	if (!track) {
		track = calloc(1, sizeof(*track));
		if (!track)
			return NULL;
		track->process = process;
		track->thread = thread;
		track->next = tables->tracks;
		tables->tracks = track;
	}
	tables->last = track;
	return track;
}

/* Keep the name of a thread or a process. */
static bool add_name(struct trace_tables *tables,
		     const struct trace_event *event)
{
	const bool is_process = !strcmp(event->name, "process_name");
	struct trace_track *track =
		find_track(tables, event->process, event->thread);
	char **to;

	if (!track)
		return false;
	to = is_process ? &track->process_name : &track->name;
	if (!is_process && strcmp(event->name, "thread_name") != 0)
		return true;
	free(*to);
	*to = strdup(event->label);
	return *to != NULL;
}

/* The name of a process, or "". */
static const char *process_name(const struct trace_tables *tables,
				uint64_t process)
{
	const struct trace_track *track;

	for (track = tables->tracks; track; track = track->next)
		if (track->process == process && track->process_name)
			return track->process_name;
	return "";
}

/* The bytes of @name without the number of a lane, as in "queue, 2". */
static size_t lane_length(const struct trace_tables *tables,
			  const struct trace_track *lane, const char *name)
{
	const char *comma = strrchr(name, ',');
	const struct trace_track *track;
	size_t n;

	if (!comma || comma[1] != ' ' || !comma[2] ||
	    comma[2 + strspn(comma + 2, "0123456789")])
		return strlen(name);
	n = (size_t)(comma - name);
	for (track = tables->tracks; track; track = track->next)
		if (track->process == lane->process && track->name &&
		    strlen(track->name) == n && !strncmp(track->name, name, n))
			return n;
	return strlen(name);
}

/* Add a span to the row of its queue.  The row names the device, too. */
static bool add_to_queue(struct trace_tables *tables,
			 const struct trace_event *event)
{
	const struct trace_track *track =
		find_track(tables, event->process, event->thread);
	const char *device = process_name(tables, event->process);
	const char *name = event->queue;
	char text[640];
	int n;

	if (!track)
		return false;
	if (!*name && track->name)
		name = track->name;
	n = (int)lane_length(tables, track, name);
	if (!*name)
		snprintf(text, sizeof(text), "thread %llu of process %llu",
			 (unsigned long long)event->thread,
			 (unsigned long long)event->process);
	else if (!*device || strstr(name, device))
		snprintf(text, sizeof(text), "%.*s", n, name);
	else
		snprintf(text, sizeof(text), "%.*s on %s", n, name, device);
	return add_span(&tables->by[TRACE_BY_QUEUE], text, "", event, 0);
}

/* --- Events ----------------------------------------------------------------
 */

/* Replace the calls within @event in the list of its thread by @event, and
   store their time in @within. */
static bool nest_call(struct trace_track *track,
		      const struct trace_event *event, double *within)
{
	struct ended *list = track->ended;

	*within = 0;
	while (track->n && list[track->n - 1].start >= event->start)
		*within += (double)list[--track->n].duration;
	if (track->n == track->room) {
		track->room = track->room ? 2 * track->room : 64;
		list = realloc(list, track->room * sizeof(*list));
		if (!list)
			return false;
		track->ended = list;
	}
	list[track->n++] = (struct ended){ event->start, event->duration };
	return true;
}

static void count_marks(struct trace_tables *tables,
			const struct trace_event *event, double *failed)
{
	const uint64_t end = event->start + event->duration;

	*failed += event->failed;
	tables->unfinished += event->unfinished;
	if (!strcmp(event->estimated, "position"))
		tables->estimated_places++;
	else if (*event->estimated)
		tables->estimated_durations++;
	if (!tables->end || event->start < tables->begin)
		tables->begin = event->start;
	if (end > tables->end)
		tables->end = end;
}

static bool add_call(struct trace_tables *tables,
		     const struct trace_event *event)
{
	struct trace_track *track =
		find_track(tables, event->process, event->thread);
	double within;

	count_marks(tables, event, &tables->failed_calls);
	if (!track || !nest_call(track, event, &within))
		return false;
	if (within > (double)event->duration)
		within = (double)event->duration;
	return add_span(&tables->by[TRACE_BY_CALL], event->name, "", event,
			within);
}

static bool is_work(const char *category)
{
	static const char *const all[] = { "kernel", "write", "read",
					   "copy",   "fill",  "prefetch",
					   "barrier" };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(all[i], category))
			return true;
	return false;
}

static bool add_work(struct trace_tables *tables,
		     const struct trace_event *event)
{
	count_marks(tables, event, &tables->failed_work);
	return add_span(&tables->by[TRACE_BY_KERNEL], event->name,
			event->kernel, event, 0) &&
	       add_to_queue(tables, event);
}

/* Keep the first half of a span, and add the span with its second half.  The
   file has the halves one after the other. */
static bool add_half(struct trace_tables *tables,
		     const struct trace_event *event)
{
	struct trace_event *open = tables->open;

	if (event->phase == 'b') {
		if (!open)
			open = tables->open = malloc(sizeof(*open));
		if (open)
			*open = *event;
		return open != NULL;
	}
	if (!open || open->id != event->id || !open->phase ||
	    event->start < open->start)
		return true;
	open->phase = 0;
	open->duration = event->start - open->start;
	return add_work(tables, open);
}

bool trace_tables_add(struct trace_tables *tables,
		      const struct trace_event *event)
{
	if (event->phase == 'M')
		return add_name(tables, event);
	if (event->phase == 'X' && !strcmp(event->category, "api"))
		return add_call(tables, event);
	if (!is_work(event->category))
		return true;
	if (event->phase == 'X')
		return add_work(tables, event);
	if (event->phase == 'b' || event->phase == 'e')
		return add_half(tables, event);
	return true;
}

static int compare_totals(const void *a, const void *b)
{
	const struct trace_tally *x = *(struct trace_tally *const *)a;
	const struct trace_tally *y = *(struct trace_tally *const *)b;

	if (x->own != y->own)
		return x->own < y->own ? 1 : -1;
	return compare_rows(x, y);
}

void trace_tables_sort(struct trace_tables *tables)
{
	for (int k = 0; k < TRACE_BY_N; k++)
		if (tables->by[k].n)
			qsort(tables->by[k].rows, tables->by[k].n,
			      sizeof(*tables->by[k].rows), compare_totals);
}

static void keep_row(void *row)
{
	(void)row;
}

void trace_tables_free(struct trace_tables *tables)
{
	struct trace_track *track;

	for (int k = 0; k < TRACE_BY_N; k++) {
		struct trace_table *table = &tables->by[k];

		tdestroy(table->index, keep_row);
		while (table->n)
			free_row(table->rows[--table->n]);
		free(table->rows);
	}
	while ((track = tables->tracks)) {
		tables->tracks = track->next;
		free(track->name);
		free(track->process_name);
		free(track->ended);
		free(track);
	}
	free(tables->open);
	memset(tables, 0, sizeof(*tables));
}
