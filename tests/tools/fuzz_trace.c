/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_trace.c - random input for the reader of trace files. */
#include <stdio.h>
#include <string.h>

#include "tests/tools/fuzz.h"
#include "tools/inspect/trace_events.h"
#include "tools/inspect/trace_tables.h"

static void check_event(const struct trace_event *event)
{
	CHECK(event->phase);
	CHECK(strlen(event->name) < sizeof(event->name));
	CHECK(strlen(event->category) < sizeof(event->category));
	CHECK(strlen(event->kernel) < sizeof(event->kernel));
	CHECK(event->start <= 1000000000000000000u);
	CHECK(event->duration <= 1000000000000000000u);
}

/* Each row must count at least one event, and its own time must not exceed its
   total.  The row with the longest own time comes first. */
static void check_tables(const struct trace_tables *tables, double events)
{
	for (int k = 0; k < TRACE_BY_N; k++) {
		const struct trace_table *table = &tables->by[k];
		double count = 0, own = 0;

		for (size_t i = 0; i < table->n; i++) {
			const struct trace_tally *row = table->rows[i];

			CHECK(row->count >= 1 && row->own >= 0);
			CHECK(row->own <= row->total);
			CHECK(!i || table->rows[i - 1]->own >= row->own);
			count += row->count;
			own += row->own;
		}
		CHECK(count <= events);
		CHECK(own <= table->own * 1.0001 && own >= table->own * 0.9999);
	}
	CHECK(tables->end >= tables->begin || !tables->end);
}

void fuzz_trace(char *text, size_t size)
{
	FILE *file = fmemopen(text, size ? size : 1, "r");
	struct message message = MESSAGE_NONE;
	struct trace_tables tables;
	struct trace_events events;
	struct trace_event event;
	enum trace_events_state state;
	double n = 0;

	CHECK(file != NULL);
	memset(&tables, 0, sizeof(tables));
	trace_events_begin(&events, file);
	while ((state = trace_events_next(&events, &event, &message)) ==
	       TRACE_EVENTS_ONE) {
		check_event(&event);
		CHECK(trace_tables_add(&tables, &event));
		n++;
	}
	CHECK((state == TRACE_EVENTS_WRONG) == (message.text != NULL));
	CHECK(events.json.line >= 1 && events.json.line <= size + 1);
	trace_tables_sort(&tables);
	check_tables(&tables, n);
	trace_tables_free(&tables);
	message_clear(&message);
	fclose(file);
}
