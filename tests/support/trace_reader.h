/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_reader.h - reading a trace in a test: parse it as strict JSON, take out
 * the events, and check the rules of every trace.
 */
#ifndef TESTS_TRACE_READER_H
#define TESTS_TRACE_READER_H

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An event, with times in nanoseconds.  Longer strings are cut off. */
struct trace_seen {
	char phase, name[80], category[24];
	uint64_t process, thread, start, duration, id;
	char args[600]; /* as in the file, including the braces */
};

struct trace_file {
	char *text;
	const char *at; /* how far it has been read */
	struct trace_seen *events;
	size_t n;
};

/* --- Strict JSON -------------------------------------------------------- */

static inline void json_bad(const struct trace_file *f, const char *what)
{
	ck_abort_msg("byte %ld: %s: %.60s", (long)(f->at - f->text), what,
		     f->at);
}

static inline void json_space(struct trace_file *f)
{
	f->at += strspn(f->at, " \t\r\n");
}

static inline int json_is(struct trace_file *f, char c)
{
	json_space(f);
	if (*f->at != c)
		return 0;
	f->at++;
	return 1;
}

static inline void json_want(struct trace_file *f, char c)
{
	if (!json_is(f, c))
		json_bad(f, "unexpected character");
}

/* The length of the UTF-8 character at f->at, which is not ASCII. */
static inline size_t json_utf8(struct trace_file *f)
{
	const unsigned char *s = (const unsigned char *)f->at;
	const size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	size_t i;

	if (s[0] < 0xc2 || s[0] > 0xf4)
		json_bad(f, "not UTF-8");
	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			json_bad(f, "not UTF-8");
	return n;
}

/* Read a string.  Copies it to @out, cut off, with escapes as they stand. */
static inline void json_string(struct trace_file *f, char *out, size_t room)
{
	const char *start;

	json_want(f, '"');
	start = f->at;
	while (*f->at != '"') {
		if ((unsigned char)*f->at < 0x20) {
			json_bad(f, "a control character");
		} else if ((unsigned char)*f->at >= 0x80) {
			f->at += json_utf8(f);
		} else if (*f->at != '\\') {
			f->at++;
		} else if (f->at[1] == 'u') {
			if (strspn(f->at + 2, "0123456789abcdefABCDEF") < 4)
				json_bad(f, "a bad \\u");
			f->at += 6;
		} else {
			if (!f->at[1] || !strchr("\"\\/bfnrt", f->at[1]))
				json_bad(f, "a bad escape");
			f->at += 2;
		}
	}
	if (out)
		snprintf(out, room, "%.*s", (int)(f->at - start), start);
	f->at++;
}

static inline size_t json_digits(struct trace_file *f)
{
	const size_t n = strspn(f->at, "0123456789");

	if (!n)
		json_bad(f, "a digit is missing");
	f->at += n;
	return n;
}

static inline void json_number(struct trace_file *f)
{
	const char *start;

	f->at += *f->at == '-';
	start = f->at;
	if (json_digits(f) > 1 && *start == '0')
		json_bad(f, "a leading zero");
	if (*f->at == '.') {
		f->at++;
		json_digits(f);
	}
	if (*f->at == 'e' || *f->at == 'E') {
		f->at++;
		f->at += *f->at == '-' || *f->at == '+';
		json_digits(f);
	}
}

static inline int json_word(struct trace_file *f, const char *word)
{
	if (strncmp(f->at, word, strlen(word)))
		return 0;
	f->at += strlen(word);
	return 1;
}

static inline void json_value(struct trace_file *f, int depth)
{
	const int is_object = *f->at == '{';

	json_space(f);
	if (depth > 8)
		json_bad(f, "nested too deeply");
	if (*f->at == '"') {
		json_string(f, NULL, 0);
	} else if (json_is(f, '{') || json_is(f, '[')) {
		if (json_is(f, is_object ? '}' : ']'))
			return;
		do {
			json_space(f);
			if (is_object) {
				json_string(f, NULL, 0);
				json_want(f, ':');
				json_space(f);
			}
			json_value(f, depth + 1);
		} while (json_is(f, ','));
		json_want(f, is_object ? '}' : ']');
	} else if (!json_word(f, "true") && !json_word(f, "false") &&
		   !json_word(f, "null")) {
		json_number(f);
	}
}

/* --- Events ----------------------------------------------------------------
 */

/* Read a time in microseconds with three decimals.  Returns nanoseconds. */
static inline uint64_t trace_ns(struct trace_file *f)
{
	const char *start = f->at;
	uint64_t whole;
	char *end;

	json_number(f);
	whole = strtoull(start, &end, 10);
	ck_assert_msg(*end == '.' && f->at == end + 4,
		      "a time without three decimals: %.40s", start);
	return whole * 1000 + strtoull(end + 1, NULL, 10);
}

static inline void trace_member(struct trace_file *f, struct trace_seen *e,
				const char *key)
{
	const char *start = f->at;
	char text[4];

	if (!strcmp(key, "ph")) {
		json_string(f, text, sizeof(text));
		e->phase = text[0];
	} else if (!strcmp(key, "name")) {
		json_string(f, e->name, sizeof(e->name));
	} else if (!strcmp(key, "cat")) {
		json_string(f, e->category, sizeof(e->category));
	} else if (!strcmp(key, "ts")) {
		e->start = trace_ns(f);
	} else if (!strcmp(key, "dur")) {
		e->duration = trace_ns(f);
	} else {
		json_value(f, 1);
		if (!strcmp(key, "pid"))
			e->process = strtoull(start, NULL, 10);
		if (!strcmp(key, "tid"))
			e->thread = strtoull(start, NULL, 10);
		if (!strcmp(key, "id"))
			e->id = strtoull(start, NULL, 10);
		if (!strcmp(key, "args"))
			snprintf(e->args, sizeof(e->args), "%.*s",
				 (int)(f->at - start), start);
	}
}

static inline void trace_event(struct trace_file *f)
{
	struct trace_seen *e;
	char key[24];

	/* The capacity is a power of two: the list is full if f->n is one. */
	if (!(f->n & (f->n - 1)))
		f->events =
			realloc(f->events, (f->n ? 2 * f->n : 1) * sizeof(*e));
	e = memset(&f->events[f->n++], 0, sizeof(*e));
	json_want(f, '{');
	do {
		json_space(f);
		json_string(f, key, sizeof(key));
		json_want(f, ':');
		json_space(f);
		trace_member(f, e, key);
	} while (json_is(f, ','));
	json_want(f, '}');
	ck_assert_msg(e->phase && e->process && strchr("XMsfbeC", e->phase),
		      "an event without a known phase or a process: %s",
		      e->name);
}

static inline void trace_load(struct trace_file *f, const char *name)
{
	FILE *file = fopen(name, "rb");
	long size;

	memset(f, 0, sizeof(*f));
	ck_assert_msg(file != NULL, "no file %s", name);
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	f->text = calloc(1, (size_t)size + 1);
	ck_assert_uint_eq(fread(f->text, 1, (size_t)size, file), (size_t)size);
	fclose(file);
	f->at = f->text;
	json_want(f, '[');
	if (!json_is(f, ']')) {
		do
			trace_event(f);
		while (json_is(f, ','));
		json_want(f, ']');
	}
	json_space(f);
	ck_assert_msg(f->at == f->text + size, "text after the list: %.40s",
		      f->at);
}

static inline void trace_drop(struct trace_file *f)
{
	free(f->text);
	free(f->events);
}

/* Find the @nth (from 0) event with this phase and name whose arguments contain
   @part.  Returns NULL if there are fewer. */
static inline const struct trace_seen *trace_find(const struct trace_file *f,
						  char phase, const char *name,
						  const char *part, size_t nth)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		const struct trace_seen *e = &f->events[i];

		if (e->phase == phase && (!name || !strcmp(e->name, name)) &&
		    (!part || strstr(e->args, part)) && !nth--)
			return e;
	}
	return NULL;
}

static inline size_t trace_count(const struct trace_file *f, char phase,
				 const char *name, const char *part)
{
	size_t n = 0;

	while (trace_find(f, phase, name, part, n))
		n++;
	return n;
}

static inline const struct trace_seen *trace_want(const struct trace_file *f,
						  char phase, const char *name,
						  const char *part)
{
	const struct trace_seen *e = trace_find(f, phase, name, part, 0);

	ck_assert_msg(e != NULL, "no event %c %s with %s", phase,
		      name ? name : "", part ? part : "anything");
	return e;
}

/* The name of the track that @e is on. */
static inline const char *trace_track(const struct trace_file *f,
				      const struct trace_seen *e)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->events[i].phase == 'M' &&
		    f->events[i].process == e->process &&
		    f->events[i].thread == e->thread &&
		    !strcmp(f->events[i].name, "thread_name"))
			return f->events[i].args;
	ck_abort_msg("the track of %s has no name", e->name);
	return NULL;
}

static inline uint64_t trace_end_of(const struct trace_seen *e)
{
	return e->start + e->duration;
}

/* Whether @time lies in a span of this process and thread. */
static inline int trace_within(const struct trace_file *f, uint64_t process,
			       uint64_t thread, uint64_t time)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		const struct trace_seen *e = &f->events[i];

		if (e->phase == 'X' && e->process == process &&
		    e->thread == thread && e->start <= time &&
		    time <= trace_end_of(e))
			return 1;
	}
	return 0;
}

/* Check that two spans of one track do not overlap.  Only spans of API calls
   may be nested. */
static inline void trace_check_pair(const struct trace_seen *a,
				    const struct trace_seen *b)
{
	const struct trace_seen *one = a->start <= b->start ? a : b;
	const struct trace_seen *two = one == a ? b : a;

	if (trace_end_of(one) <= two->start)
		return;
	if (!strcmp(a->category, "api")) {
		ck_assert_msg(trace_end_of(two) <= trace_end_of(one) ||
				      one->start == two->start,
			      "%s and %s cross", a->name, b->name);
		return;
	}
	ck_abort_msg("%s and %s overlap", a->name, b->name);
}

/* Check process and thread: viewers take numbers below 2^31, and show a process
   by its name. */
static inline void trace_check_place(const struct trace_file *f,
				     const struct trace_seen *e)
{
	size_t i;

	ck_assert_uint_lt(e->process, UINT64_C(1) << 31);
	ck_assert_uint_lt(e->thread, UINT64_C(1) << 31);
	for (i = 0; i < f->n; i++)
		if (f->events[i].phase == 'M' &&
		    f->events[i].process == e->process &&
		    !strcmp(f->events[i].name, "process_name"))
			return;
	ck_abort_msg("the process of %s has no name", e->name);
}

/* Check that an asynchronous span has one beginning and one end, in this
   order. */
static inline void trace_check_apart(const struct trace_file *f,
				     const struct trace_seen *begin)
{
	const struct trace_seen *end = NULL;
	size_t i;

	for (i = 0; i < f->n; i++) {
		const struct trace_seen *e = &f->events[i];

		if (e->id != begin->id || strcmp(e->category, begin->category))
			continue;
		ck_assert_msg(e == begin || e->phase != 'b', "%s begins twice",
			      e->name);
		if (e->phase != 'e')
			continue;
		ck_assert_msg(!end, "%s ends twice", e->name);
		end = e;
	}
	ck_assert_msg(end && end->start >= begin->start &&
			      !strcmp(end->name, begin->name) &&
			      end->process == begin->process,
		      "%s has no end", begin->name);
}

/* Check the rules that hold for every trace. */
static inline void trace_check(const struct trace_file *f)
{
	size_t i, j;

	for (i = 0; i < f->n; i++) {
		const struct trace_seen *e = &f->events[i], *other;

		if (e->phase != 'M')
			trace_check_place(f, e);
		if (e->phase == 'b')
			trace_check_apart(f, e);
		if (e->phase == 'X') {
			trace_track(f, e);
			for (j = 0; j < i; j++)
				if (f->events[j].phase == 'X' &&
				    f->events[j].process == e->process &&
				    f->events[j].thread == e->thread)
					trace_check_pair(&f->events[j], e);
		}
		if (e->phase != 's' && e->phase != 'f')
			continue;
		ck_assert_msg(trace_within(f, e->process, e->thread, e->start),
			      "arrow %llu begins or ends outside of any span",
			      (unsigned long long)e->id);
		for (j = 0, other = NULL; j < f->n; j++)
			if (f->events[j].phase ==
				    (e->phase == 's' ? 'f' : 's') &&
			    f->events[j].id == e->id) {
				ck_assert_msg(
					!other,
					"an arrow with more than two ends");
				other = &f->events[j];
			}
		ck_assert_msg(other != NULL, "an arrow with only one end");
		ck_assert(e->phase == 's' ? e->start <= other->start
					  : e->start >= other->start);
	}
}

#endif
