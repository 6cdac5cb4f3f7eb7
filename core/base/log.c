/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - messages to the program or to a file. */
#include "core/base/log.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "core/base/call_stack.h"
#include "core/base/env.h"
#include "core/base/mem.h"
#include "core/base/files.h"
#include "core/base/status.h"
#include "core/base/text.h"

/* The most messages that may wait for delivery.  Further messages are lost. */
#define MAX_QUEUED 4096

struct message {
	struct message *next;
	enum dpr_log_level level;
	char *text;
};

static const char *const level_names[] = { "",     "error", "warn",
					   "info", "debug", "trace" };

/* The most verbose level that is wanted, and whether messages wait.  Both are
   read relaxed, since they are only hints that save work. */
static atomic_int wanted;
static atomic_bool waiting;

static struct {
	pthread_mutex_t lock;
	/* Guards the members below. */
	dpr_log_sink sink;
	void *user;
	int sink_level; /* the level chosen by the program */
	int env_level;  /* the level chosen by DPR_LOG; 0: none */
	int file;       /* the file of DPR_LOG; -1: none */
	struct message *first, **last;
	size_t queued;
	/* a thread is delivering; only one does, to keep the order */
	bool delivering;
} state = { .lock = PTHREAD_MUTEX_INITIALIZER, .file = -1 };

/* The most verbose level for the program's sink.  0: none.  DPR_LOG without a
   file may raise it. */
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
			  "optionally followed by \":\" and an absolute "
			  "file name",
			  why);
}

static dpr_status open_file(const char *name, int *file)
{
	char why[FILES_WHY];

	if (*name != '/')
		return bad_value("the file name is not absolute");
	*file = files_open(name, O_APPEND, FILES_STREAM, why);
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

void dpr_log_set(enum dpr_log_level level, dpr_log_sink sink, void *user)
{
	pthread_mutex_lock(&state.lock);
	state.sink = sink;
	state.user = user;
	state.sink_level = (int)level;
	update_wanted();
	pthread_mutex_unlock(&state.lock);
}

/* Append @m to the queue.  The caller holds the lock. */
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
	struct message *m;
	va_list args;

	if (!log_wants(level))
		return;
	m = mem_alloc(sizeof(*m));
	if (!m)
		return;
	va_start(args, format);
	m->text = text_format_args(format, args);
	va_end(args);
	m->level = level;
	pthread_mutex_lock(&state.lock);
	if (m->text && state.queued < MAX_QUEUED) {
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

/* Write a line to the file.  If the write fails, the line is lost. */
static void write_line(int file, enum dpr_log_level level, const char *message)
{
	struct text line = { 0 };
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	text_print(&line, "%lld.%06ld dpr[%ld] %s: %s\n", (long long)now.tv_sec,
		   now.tv_nsec / 1000, (long)getpid(), level_names[level],
		   message);
	if (!line.failed)
		(void)files_write(file, line.bytes, line.size, FILES_HERE);
	text_fini(&line);
}

/* Deliver a message.  The caller holds the lock, which is released in the
   meantime. */
static void deliver(struct message *m)
{
	bool to_file = state.file >= 0 && (int)m->level <= state.env_level;
	bool to_sink = (int)m->level <= sink_level();
	int file = state.file;
	dpr_log_sink sink = state.sink;
	void *user = state.user;
	int depth;

	pthread_mutex_unlock(&state.lock);
	if (to_file)
		write_line(file, m->level, m->text);
	if (to_sink) {
		depth = call_stack_go_out();
		sink(user, m->level, m->text);
		call_stack_go_back(depth);
	}
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
