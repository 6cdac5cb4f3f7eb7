/* SPDX-License-Identifier: Apache-2.0 */
/* trace_events.h - reading the events of a trace file. */
#ifndef TOOLS_TRACE_EVENTS_H
#define TOOLS_TRACE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/shared/json_read.h"
#include "tools/shared/message.h"

/* An event, with the arguments that a summary needs.  Missing texts are empty,
   missing numbers 0. */
struct trace_event {
	char phase; /* 'X', 'M', 'b', 'e' and others */
	uint64_t process, thread, id;
	uint64_t start, duration; /* in nanoseconds */
	char name[512], category[32];
	/* Arguments.  label: the name in a naming event ('M'). */
	char label[256], queue[256], kernel[128];
	/* What is estimated: "position", "times" or "" (nothing). */
	char estimated[16];
	bool has_bytes, failed, unfinished;
	uint64_t bytes;
};

enum trace_events_state {
	TRACE_EVENTS_ONE, /* an event was read */
	TRACE_EVENTS_END,
	TRACE_EVENTS_CUT, /* the file ended within the list */
	TRACE_EVENTS_WRONG
};

struct trace_events {
	struct json_read json;
	bool begun, any;
};

void trace_events_begin(struct trace_events *events, FILE *from);

/* Read an event.  After TRACE_EVENTS_WRONG the message says why; the line is in
   events->json.line. */
enum trace_events_state trace_events_next(struct trace_events *events,
					  struct trace_event *event,
					  struct message *message);

#endif
