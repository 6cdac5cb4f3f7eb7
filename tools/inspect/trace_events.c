/* SPDX-License-Identifier: Apache-2.0 */
/* trace_events.c - reading the events of a trace file. */
#include "tools/inspect/trace_events.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Larger numbers are no times, bytes or thread numbers. */
#define MOST 1e18

/* The members of an event, and of its arguments, that are read. */
static const struct member {
	const char *name;
	bool in_args;
	enum { TEXT, PHASE, NUMBER, TIME, FLAG } kind;
	size_t at, room;
} members[] = {
#define MEMBER(name, in_args, kind, field)                                \
	{                                                                 \
		name, in_args, kind, offsetof(struct trace_event, field), \
			sizeof(((struct trace_event *)NULL)->field)       \
	}
	MEMBER("ph", false, PHASE, phase),
	MEMBER("pid", false, NUMBER, process),
	MEMBER("tid", false, NUMBER, thread),
	MEMBER("id", false, NUMBER, id),
	MEMBER("ts", false, TIME, start),
	MEMBER("dur", false, TIME, duration),
	MEMBER("name", false, TEXT, name),
	MEMBER("cat", false, TEXT, category),
	MEMBER("name", true, TEXT, label),
	MEMBER("queue", true, TEXT, queue),
	MEMBER("kernel", true, TEXT, kernel),
	MEMBER("bytes", true, NUMBER, bytes),
	MEMBER("error", true, FLAG, failed),
	MEMBER("unfinished", true, FLAG, unfinished),
	MEMBER("estimated", true, TEXT, estimated),
};
#define N_MEMBERS (sizeof(members) / sizeof(*members))

void trace_events_begin(struct trace_events *events, FILE *from)
{
	json_read_begin(&events->json, from);
	events->begun = events->any = false;
}

static enum trace_events_state wrong(struct message *message, const char *what)
{
	message_record(message, "%s", what);
	return TRACE_EVENTS_WRONG;
}

/* Say that @token is not what is expected. */
static enum trace_events_state unexpected(struct message *message, int token,
					  const char *expected)
{
	if (token == JSON_READ_END)
		return TRACE_EVENTS_CUT;
	message_record(message, "no valid JSON: %s expected", expected);
	return TRACE_EVENTS_WRONG;
}

static const struct member *find_member(const char *name, bool in_args)
{
	for (size_t i = 0; i < N_MEMBERS; i++)
		if (members[i].in_args == in_args &&
		    !strcmp(members[i].name, name))
			return &members[i];
	return NULL;
}

static enum trace_events_state keep_number(struct trace_event *event,
					   const struct member *member,
					   double value,
					   struct message *message)
{
	uint64_t number;

	/* Times are in microseconds. */
	if (member->kind == TIME)
		value = round(value * 1e3);
	if (!(value >= 0 && value <= MOST)) {
		message_record(message, "\"%s\" is out of range", member->name);
		return TRACE_EVENTS_WRONG;
	}
	number = (uint64_t)value;
	memcpy((char *)event + member->at, &number, sizeof(number));
	if (member->at == offsetof(struct trace_event, bytes))
		event->has_bytes = true;
	return TRACE_EVENTS_ONE;
}

/* Keep the value @token of a member. */
static enum trace_events_state keep_value(struct trace_event *event,
					  const struct member *member,
					  const struct json_read *json,
					  int token, struct message *message)
{
	char *at = (char *)event + member->at;

	if (member->kind == FLAG) {
		*(bool *)at = true;
		return TRACE_EVENTS_ONE;
	}
	if (member->kind == NUMBER || member->kind == TIME) {
		if (token == JSON_READ_NUMBER)
			return keep_number(event, member, json->number,
					   message);
		message_record(message, "\"%s\" is no number", member->name);
		return TRACE_EVENTS_WRONG;
	}
	if (token != JSON_READ_STRING) {
		message_record(message, "\"%s\" is no text", member->name);
		return TRACE_EVENTS_WRONG;
	}
	if (member->kind == PHASE)
		event->phase = json->text[0];
	else
		snprintf(at, member->room, "%s", json->text);
	return TRACE_EVENTS_ONE;
}

/* Read the members of an event after its '{', and those of "args" in it. */
static enum trace_events_state read_event(struct json_read *json,
					  struct trace_event *event,
					  struct message *message)
{
	bool in_args = false, first = true;

	for (;;) {
		const struct member *member;
		enum trace_events_state state;
		bool opens;
		int token = json_read_next(json);

		if (token == '}') {
			if (!in_args)
				return TRACE_EVENTS_ONE;
			in_args = first = false;
			continue;
		}
		if (!first && token != ',')
			return unexpected(message, token, "a comma or }");
		if (!first)
			token = json_read_next(json);
		first = false;
		if (token != JSON_READ_STRING)
			return unexpected(message, token, "a name");
		member = find_member(json->text, in_args);
		opens = !in_args && !strcmp(json->text, "args");
		token = json_read_next(json);
		if (token != ':')
			return unexpected(message, token, "a colon");
		token = json_read_next(json);
		if (opens && token == '{') {
			in_args = first = true;
			continue;
		}
		state = TRACE_EVENTS_ONE;
		if (member && token != JSON_READ_END &&
		    token != JSON_READ_WRONG)
			state = keep_value(event, member, json, token, message);
		if (state != TRACE_EVENTS_ONE)
			return state;
		token = json_read_skip(json, token);
		if (token == JSON_READ_END || token == JSON_READ_WRONG)
			return unexpected(message, token, "a value");
	}
}

enum trace_events_state trace_events_next(struct trace_events *events,
					  struct trace_event *event,
					  struct message *message)
{
	struct json_read *json = &events->json;
	int token = json_read_next(json);
	enum trace_events_state state;

	if (!events->begun) {
		if (token == JSON_READ_END)
			return wrong(message, "the file is empty");
		if (token != '[')
			return wrong(message, "not a trace: the list of events "
					      "begins with [");
		events->begun = true;
		token = json_read_next(json);
	}
	if (token == ']') {
		token = json_read_next(json);
		if (token == JSON_READ_END)
			return TRACE_EVENTS_END;
		return wrong(message, "the file goes on after its list");
	}
	if (events->any) {
		if (token != ',')
			return unexpected(message, token, "a comma or ]");
		token = json_read_next(json);
	}
	events->any = true;
	if (token != '{')
		return unexpected(message, token, "an event");
	memset(event, 0, sizeof(*event));
	state = read_event(json, event, message);
	if (state == TRACE_EVENTS_ONE && !event->phase)
		return wrong(message, "an event without \"ph\"");
	return state;
}
