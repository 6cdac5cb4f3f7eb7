/* SPDX-License-Identifier: Apache-2.0 */
/* trace_tables.h - the events of a trace, added up by call, kernel and queue.
 */
#ifndef TOOLS_TRACE_TABLES_H
#define TOOLS_TRACE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/inspect/trace_events.h"

/* A row of a table.  Times are in nanoseconds. */
struct trace_tally {
	char *name;
	char *kernel; /* the kernel's own name, or "" */
	double count, total;
	double own; /* the total without calls that were made within */
	double bytes, moving; /* bytes, and the time of the events that have
				 bytes */
};

struct trace_table {
	void *index; /* the rows in a tree, by name and kernel */
	struct trace_tally **rows;
	size_t n, room;
	double own; /* of all rows */
};

/* What the tables are by. */
enum trace_by { TRACE_BY_CALL, TRACE_BY_KERNEL, TRACE_BY_QUEUE, TRACE_BY_N };

struct trace_tables {
	struct trace_table by[TRACE_BY_N];
	struct trace_track *tracks;
	struct trace_track *last; /* the track that was found last */
	struct trace_event *open; /* a span that has begun, to be freed */
	uint64_t begin, end;      /* of the whole trace; end 0: no span */
	double failed_calls, failed_work, unfinished;
	/* Submissions whose place on the time axis is estimated, though the
	   driver measured the duration; and those without any measured time.
	 */
	double estimated_places, estimated_durations;
};

/* Add an event.  Zeroed tables are empty.  Returns false if memory ran out. */
bool trace_tables_add(struct trace_tables *tables,
		      const struct trace_event *event);

/* Sort each table: the row that took longest comes first. */
void trace_tables_sort(struct trace_tables *tables);

void trace_tables_free(struct trace_tables *tables);

#endif
