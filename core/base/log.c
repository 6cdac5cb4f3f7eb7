/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - messages to the program or a file. */
#include "core/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "core/base/env.h"
#include "core/base/mem.h"
#include "core/base/output.h"
#include "core/base/quiet.h"
#include "core/base/status.h"
#include "core/base/text.h"

/* The most messages that wait to be delivered; further ones are lost. */
#define MAX_QUEUED 4096

struct message {
	struct message *next;
	enum dpr_log_level level;
	char *text;
};

static const char *const level_names[] = { "",     "error", "warn",
					   "info", "debug", "trace" };

/* The most verbose level that is wanted, and whether messages wait; relaxed:
   they only save work. */
static atomic_int wanted;
static atomic_bool waiting;

static struct {
	pthread_mutex_t lock;
	/* Guards the fields below. */
	dpr_log_sink sink;
	void *user;
	int sink_level; /* as the program chose */
	int env_level;  /* as DPR_LOG chose, 0: it did not */
	int file;       /* of DPR_LOG, -1: none */
	struct message *first, **last;
	size_t queued;
	bool delivering; /* a thread delivers: order is kept */
} state = { .lock = PTHREAD_MUTEX_INITIALIZER, .file = -1 };

/* The level of messages to the program's sink: DPR_LOG without a file raises
   it. */
static int sink_level(void)
{
	int level = state.sink_level;

	if (!state.sink)
		return 0;
	if (state.file < 0 && state.env_level > level)
		level = state.env_level;
	return level;
}

static void update_wanted(void)
{
	int level = sink_level();

	if (state.file >= 0 && state.env_level > level)
		level = state.env_level;
	atomic_store_explicit(&wanted, level, memory_order_relaxed);
}

bool log_wants(enum dpr_log_level level)
{
	return (int)level <=
	       atomic_load_explicit(&wanted, memory_order_relaxed);
}

enum dpr_log_level log_level_of(const char *name, size_t length)
{
	size_t i;

	for (i = 1; i < sizeof(level_names) / sizeof(*level_names); i++) {
		if (strlen(level_names[i]) == length &&
		    !strncasecmp(level_names[i], name, length))
			return (enum dpr_log_level)i;
	}
	return 0;
}

static dpr_status bad_value(const char *why)
{
	return env_refuse("DPR_LOG",
			  "%s; accepted: error, warn, info, debug or trace, "
			  "and after it, if wanted, \":\" and an absolute "
			  "file name",
			  why);
}

static dpr_status open_file(const char *name, int *file)
{
	char why[OUTPUT_WHY];

	if (*name != '/')
		return bad_value("the file name is not absolute");
	*file = output_open(name, O_APPEND, OUTPUT_STREAM, why);
	return *file < 0 ? bad_value(why) : DPR_OK;
}

dpr_status log_start(void)
{
	const char *value = env_get("DPR_LOG"), *colon;
	enum dpr_log_level level;
	dpr_status status;
	int file = -1;

	if (!value)
		return DPR_OK;
	colon = strchrnul(value, ':');
	level = log_level_of(value, (size_t)(colon - value));
	if (!level)
		return bad_value("the level is unknown");
	if (*colon) {
		status = open_file(colon + 1, &file);
		if (status)
			return status;
	}
	pthread_mutex_lock(&state.lock);
	state.env_level = (int)level;
	if (state.file < 0)
		state.file = file;
	else if (file >= 0)
		close(file);
	update_wanted();
	pthread_mutex_unlock(&state.lock);
	return DPR_OK;
}

void dpr_log_set(dpr_log_sink sink, void *user, enum dpr_log_level level)
{
	pthread_mutex_lock(&state.lock);
	state.sink = sink;
	state.user = user;
	state.sink_level = (int)level;
	update_wanted();
	pthread_mutex_unlock(&state.lock);
}

/* Append.  The caller holds the lock. */
static void enqueue(struct message *m)
{
	if (!state.last)
		state.last = &state.first;
	*state.last = m;
	state.last = &m->next;
	state.queued++;
	atomic_store_explicit(&waiting, true, memory_order_relaxed);
}

static void free_message(struct message *m)
{
	mem_free(m->text);
	mem_free(m);
}

void log_post(enum dpr_log_level level, const char *format, ...)
{
	struct text text = { 0 };
	struct message *m;
	va_list args;

	if (!log_wants(level))
		return;
	va_start(args, format);
	text_print_args(&text, format, args);
	va_end(args);
	m = mem_alloc(sizeof(*m));
	if (m)
		m->text = text_take(&text);
	else
		text_fini(&text);
	if (m && !m->text) {
		mem_free(m);
		m = NULL;
	}
	pthread_mutex_lock(&state.lock);
	if (m && state.queued < MAX_QUEUED) {
		m->level = level;
		enqueue(m);
		m = NULL;
	}
	pthread_mutex_unlock(&state.lock);
	if (m)
		free_message(m);
}

/* Take the first message.  The caller holds the lock. */
static struct message *dequeue(void)
{
	struct message *m = state.first;

	if (!m)
		return NULL;
	state.first = m->next;
	if (!state.first)
		state.last = &state.first;
	state.queued--;
	return m;
}

/* Write a line to the file.  What cannot be written is lost. */
static void write_line(int file, enum dpr_log_level level, const char *message)
{
	struct text line = { 0 };
	struct timespec now;
	size_t n, done = 0;
	struct quiet quiet;
	ssize_t written;
	char *s;

	clock_gettime(CLOCK_REALTIME, &now);
	text_print(&line, "%lld.%06ld dpr[%ld] %s: %s\n", (long long)now.tv_sec,
		   now.tv_nsec / 1000, (long)getpid(), level_names[level],
		   message);
	n = line.size;
	s = text_take(&line);
	if (!s)
		return;
	quiet_begin(&quiet);
	while (done < n) {
		written = write(file, s + done, n - done);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			break;
		done += (size_t)written;
	}
	quiet_end(&quiet);
	mem_free(s);
}

/* Deliver one message.  The caller holds the lock, which is released
   meanwhile. */
static void deliver(struct message *m)
{
	bool to_file = state.file >= 0 && (int)m->level <= state.env_level;
	bool to_sink = (int)m->level <= sink_level();
	int file = state.file;
	dpr_log_sink sink = state.sink;
	void *user = state.user;

	pthread_mutex_unlock(&state.lock);
	if (to_file)
		write_line(file, m->level, m->text);
	if (to_sink)
		sink(user, m->level, m->text);
	free_message(m);
	pthread_mutex_lock(&state.lock);
}

void log_flush(void)
{
	struct message *m;

	if (!atomic_load_explicit(&waiting, memory_order_relaxed))
		return;
	pthread_mutex_lock(&state.lock);
	if (!state.delivering) {
		state.delivering = true;
		while ((m = dequeue()))
			deliver(m);
		atomic_store_explicit(&waiting, false, memory_order_relaxed);
		state.delivering = false;
	}
	pthread_mutex_unlock(&state.lock);
}

void log_lock(void)
{
	pthread_mutex_lock(&state.lock);
}

void log_unlock(bool child)
{
	if (child)
		state.delivering = false;
	pthread_mutex_unlock(&state.lock);
}
