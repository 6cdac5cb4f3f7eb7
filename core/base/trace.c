/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c - the file of the layer "trace", and the lines of it. */
#include "core/base/trace.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/env.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/output.h"
#include "core/base/quiet.h"
#include "core/base/status.h"
#include "core/base/text.h"

atomic_int trace_due;

/* Two of these: one fills while the other is written. */
#define ROOM ((size_t)256 << 10)
/* Written at the latest when so much is there or so long has passed. */
#define WRITE_BYTES ((size_t)64 << 10)
#define WRITE_AFTER UINT64_C(200000000)
/* The longest text of an argument, in bytes of the text. */
#define LONGEST 300
/* What trace_line_put() still has to add. */
#define RESERVE 8

atomic_int trace_state = TRACE_UNKNOWN;

static struct {
	pthread_mutex_t lock;
	/* Guards the fields below; not held while the file is written. */
	pthread_cond_t written;
	char *filling, *spare;
	size_t size; /* of what is in `filling` */
	int writing; /* a thread has `spare`, `at` and the file */
	int begun;   /* there is an event in the list */
	uint64_t last_write;
	int failed;

	int file; /* fixed while the layer is on */
	off_t at; /* where the closing bracket is */
} state = { .lock = PTHREAD_MUTEX_INITIALIZER,
	    .written = PTHREAD_COND_INITIALIZER,
	    .file = -1 };

/* What every block is followed by, until the next one overwrites it. */
static const char list_end[3] = { '\n', ']', '\n' };

/* --- The file --------------------------------------------------------------
 */

/* All of it, or an errno. */
static int write_at(off_t at, const char *bytes, size_t size)
{
	struct quiet quiet;
	int error = 0;

	quiet_begin(&quiet);
	while (size && !error) {
		const ssize_t n = pwrite(state.file, bytes, size, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			error = n < 0 ? errno : EIO;
			continue;
		}
		bytes += n;
		size -= (size_t)n;
		at += n;
	}
	quiet_end(&quiet);
	return error;
}

/* Write what is there and close the list behind it, in one call: between two
   the process may be killed.  The lock is held, and dropped meanwhile. */
static void write_locked(void)
{
	size_t size = state.size;
	char *bytes = state.filling;
	int error;

	state.filling = state.spare;
	state.spare = bytes;
	state.size = 0;
	state.writing = 1;
	pthread_mutex_unlock(&state.lock);
	memcpy(bytes + size, list_end, sizeof(list_end));
	error = write_at(state.at, bytes, size + sizeof(list_end));
	if (!error) {
		state.at += (off_t)size;
	} else {
		/* Where the bracket was there is room for it. */
		(void)!ftruncate(state.file, state.at);
		(void)!write_at(state.at, list_end, sizeof(list_end));
		log_post(DPR_LOG_ERROR,
			 "DPR_TRACE: the file cannot be written (%s): it ends "
			 "here",
			 strerrordesc_np(error));
	}
	pthread_mutex_lock(&state.lock);
	state.last_write = clock_now();
	state.writing = 0;
	if (error) {
		state.failed = 1;
		atomic_store_explicit(&trace_state, TRACE_OFF,
				      memory_order_relaxed);
	}
	pthread_cond_broadcast(&state.written);
}

static void write_all_locked(void)
{
	while (state.writing)
		pthread_cond_wait(&state.written, &state.lock);
	if (state.size && !state.failed)
		write_locked();
}

/* A program must not fail because its trace cannot be written. */
static void go_without(const char *value, const char *why, const char *advice)
{
	env_note("DPR_TRACE", why);
	log_post(DPR_LOG_WARN, "DPR_TRACE=\"%s\": %s: nothing is traced; %s",
		 text_quote(value).bytes, why, advice);
	trace_decline();
}

static const char give_another[] = "give a file that can be written";

/* The name with each "%p" replaced. */
static char *expand(const char *value)
{
	struct text text = { 0 };
	const char *at;

	while ((at = strstr(value, "%p"))) {
		text_add(&text, value, (size_t)(at - value));
		text_print(&text, "%ld", (long)getpid());
		value = at + 2;
	}
	text_add(&text, value, strlen(value));
	return text_take(&text);
}

/* Open the file without touching what is in it, for it may not be one of
   ours to write.  -1: go on without. */
static int open_file(const char *value, const char *name)
{
	char why[OUTPUT_WHY];
	int fd = output_open(name, 0, OUTPUT_FILE, why);

	if (fd < 0) {
		go_without(value, why, give_another);
		return -1;
	}
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		go_without(value, "another process is writing this file",
			   "\"%p\" in the name becomes the number of the "
			   "process");
	} else if (ftruncate(fd, 0)) {
		snprintf(why, sizeof(why), "the file cannot be emptied (%s)",
			 strerrordesc_np(errno));
		go_without(value, why, give_another);
	} else {
		return fd;
	}
	close(fd);
	return -1;
}

/* The file is open: begin the list.  DPR_ERROR_OUT_OF_MEMORY. */
static dpr_status begin_list(int fd)
{
	dpr_status status = DPR_OK;

	pthread_mutex_lock(&state.lock);
	state.filling = mem_alloc(ROOM + sizeof(list_end));
	state.spare = mem_alloc(ROOM + sizeof(list_end));
	if (!state.filling || !state.spare) {
		mem_free(state.filling);
		mem_free(state.spare);
		state.filling = state.spare = NULL;
		close(fd);
		status = fail_memory("DPR_TRACE");
	} else {
		state.file = fd;
		state.at = 0;
		memcpy(state.filling, "[", 1);
		state.size = 1;
		write_locked();
	}
	pthread_mutex_unlock(&state.lock);
	return status;
}

dpr_status trace_start(const char *value)
{
	static const char relative[] = "the file name is not absolute";
	int unknown = TRACE_UNKNOWN, fd;
	dpr_status status;
	char *name;

	/* Nothing is read twice but in tests; and what is off stays off. */
	if (atomic_load_explicit(&trace_state, memory_order_relaxed) !=
	    TRACE_UNKNOWN)
		return DPR_OK;
	if (*value != '/') {
		env_note("DPR_TRACE", relative);
		return fail(DPR_ERROR_ENVIRONMENT,
			    "DPR_TRACE=\"%s\": %s; give the absolute name of a "
			    "file that can be written",
			    text_quote(value).bytes, relative);
	}
	name = expand(value);
	if (!name)
		return fail_memory("DPR_TRACE");
	fd = open_file(value, name);
	mem_free(name);
	if (fd < 0)
		return DPR_OK;
	status = begin_list(fd);
	/* A full disk has put it off. */
	if (status ||
	    !atomic_compare_exchange_strong(&trace_state, &unknown, TRACE_ON))
		return status;
	trace_name("process_name", (uint64_t)getpid(), 0,
		   program_invocation_short_name);
	(void)atexit(trace_stop);
	return DPR_OK;
}

void trace_decline(void)
{
	int unknown = TRACE_UNKNOWN;

	atomic_compare_exchange_strong(&trace_state, &unknown, TRACE_OFF);
}

void trace_forked(void)
{
	int on = TRACE_ON;

	/* What waits in memory is the parent's, and so is the file.  The lock
	   may be held for ever, and is not needed any more. */
	if (!atomic_compare_exchange_strong(&trace_state, &on, TRACE_OFF))
		return;
	close(state.file);
	state.file = -1;
}

void trace_file_finish(void)
{
	pthread_mutex_lock(&state.lock);
	write_all_locked();
	state.failed = 1;
	pthread_mutex_unlock(&state.lock);
	/* The file stays open: a thread that is late finds no other there. */
}

/* --- Lines -----------------------------------------------------------------
 */

/* Add @n bytes if they fit. */
static void add(struct trace_line *line, const char *bytes, size_t n)
{
	if (n > sizeof(line->bytes) - RESERVE - line->size)
		return;
	memcpy(line->bytes + line->size, bytes, n);
	line->size += n;
}

void trace_line_begin(struct trace_line *line, char phase, uint64_t process,
		      uint64_t thread, uint64_t time)
{
	char head[160];
	int n;

	n = snprintf(
		head, sizeof(head),
		",\n{\"ph\":\"%c\",\"pid\":%llu,\"tid\":%llu,"
		"\"ts\":%llu.%03u",
		phase, (unsigned long long)process, (unsigned long long)thread,
		(unsigned long long)(time / 1000), (unsigned)(time % 1000));
	line->size = 0;
	add(line, head, (size_t)n);
}

/* Between a key and what is before it. */
static const char *comma(const struct trace_line *line)
{
	return line->bytes[line->size - 1] == '{' ? "" : ",";
}

void trace_line_number(struct trace_line *line, const char *key, uint64_t n)
{
	char text[96];
	int size;

	size = snprintf(text, sizeof(text), "%s\"%s\":%llu", comma(line), key,
			(unsigned long long)n);
	add(line, text, (size_t)size);
}

void trace_line_true(struct trace_line *line, const char *key)
{
	char text[64];
	int size;

	size = snprintf(text, sizeof(text), "%s\"%s\":true", comma(line), key);
	add(line, text, (size_t)size);
}

void trace_line_time(struct trace_line *line, const char *key, uint64_t time)
{
	char text[96];
	int size;

	size = snprintf(text, sizeof(text), "%s\"%s\":%llu.%03u", comma(line),
			key, (unsigned long long)(time / 1000),
			(unsigned)(time % 1000));
	add(line, text, (size_t)size);
}

/* The length of the well-formed UTF-8 sequence at @s, 0 if there is none. */
static size_t sequence(const unsigned char *s)
{
	const size_t n = s[0] < 0x80                    ? 1
			 : s[0] >= 0xc2 && s[0] <= 0xdf ? 2
			 : s[0] >= 0xe0 && s[0] <= 0xef ? 3
			 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
							: 0;
	size_t i;

	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

size_t trace_escape(char *to, size_t room, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t used = 0, n, piece;
	char escaped[8];
	const char *from;

	for (n = 0; *s; s += n) {
		n = sequence(s);
		piece = n;
		from = (const char *)s;
		if (!n || *s < 0x20 || *s == '"' || *s == '\\') {
			piece = (size_t)snprintf(escaped, sizeof(escaped),
						 "\\u%04x", n ? *s : 0xfffdu);
			from = escaped;
			n = 1;
		}
		/* Room for the dots that say that it is cut. */
		if (used + piece + 3 > room)
			break;
		memcpy(to + used, from, piece);
		used += piece;
	}
	if (*s && room >= 3) {
		memcpy(to + used, "...", 3);
		used += 3;
	}
	return used;
}

void trace_line_text(struct trace_line *line, const char *key, const char *text)
{
	char value[LONGEST + 64];
	int size;

	size = snprintf(value, sizeof(value), "%s\"%.40s\":\"", comma(line),
			key);
	size += (int)trace_escape(value + size, LONGEST, text);
	value[size++] = '"';
	add(line, value, (size_t)size);
}

void trace_line_args(struct trace_line *line, const char *key, const char *text)
{
	add(line, ",\"args\":{", 9);
	if (key)
		trace_line_text(line, key, text);
}

void trace_line_notes(struct trace_line *line, const char *notes, size_t size)
{
	/* They begin with a comma. */
	if (size && *comma(line))
		add(line, notes, size);
	else if (size)
		add(line, notes + 1, size - 1);
}

void trace_line_args_end(struct trace_line *line)
{
	/* There is always room for this, and for the end of the line. */
	line->bytes[line->size++] = '}';
}

void trace_line_put(struct trace_line *line)
{
	uint64_t now;
	size_t skip;

	line->bytes[line->size++] = '}';
	if (!trace_on())
		return;
	now = clock_now();
	pthread_mutex_lock(&state.lock);
	while (state.size + line->size > ROOM && !state.failed) {
		if (state.writing)
			pthread_cond_wait(&state.written, &state.lock);
		else
			write_locked();
	}
	if (!state.failed) {
		/* The first has no comma before it. */
		skip = !state.begun;
		state.begun = 1;
		memcpy(state.filling + state.size, line->bytes + skip,
		       line->size - skip);
		state.size += line->size - skip;
		if (!state.writing && (state.size > WRITE_BYTES ||
				       now - state.last_write > WRITE_AFTER))
			write_locked();
	}
	pthread_mutex_unlock(&state.lock);
}

void trace_name(const char *what, uint64_t process, uint64_t thread,
		const char *name)
{
	struct trace_line line;

	trace_line_begin(&line, 'M', process, thread, 0);
	trace_line_text(&line, "name", what);
	trace_line_args(&line, "name", name);
	trace_line_args_end(&line);
	trace_line_put(&line);
}
