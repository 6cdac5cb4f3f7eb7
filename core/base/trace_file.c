/* SPDX-License-Identifier: Apache-2.0 */
/* trace_file.c - the file of the layer "trace". */
#include "core/base/trace_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/call_stack.h"
#include "core/base/clock.h"
#include "core/base/env.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/files.h"
#include "core/base/status.h"
#include "core/base/text.h"

/* The size of each of two buffers: one fills while the other is written. */
#define ROOM ((size_t)256 << 10)
/* Write when the buffer has this many bytes, or after this many nanoseconds. */
#define WRITE_BYTES ((size_t)64 << 10)
#define WRITE_AFTER UINT64_C(200000000)

atomic_int trace_file_state = TRACE_UNKNOWN;

static struct {
	pthread_mutex_t lock;
	/* Guards the members below.  Not held while the file is written. */
	pthread_cond_t written;
	char *filling, *spare;
	size_t size; /* the number of bytes in `filling` */
	/* a thread is writing, and uses `spare`, `at` and the file */
	bool writing;
	bool begun; /* the list has an event */
	uint64_t last_write;
	bool failed;

	int file; /* fixed while the layer is on */
	off_t at; /* the position of the closing bracket */
} state = { .lock = PTHREAD_MUTEX_INITIALIZER,
	    .written = PTHREAD_COND_INITIALIZER,
	    .file = -1 };

/* Ends the list after every block.  The next block overwrites it. */
static const char list_end[3] = { '\n', ']', '\n' };

static void turn_off(void)
{
	atomic_store_explicit(&trace_file_state, TRACE_OFF,
			      memory_order_relaxed);
	call_stack_unwatch(CALL_STACK_TRACE);
}

/* Write the full buffer and the end of the list in one call, since the process
   may be killed between two calls.  The caller holds the lock, which is
   released in the meantime. */
static void write_locked(void)
{
	size_t size = state.size;
	char *bytes = state.filling;
	int error;

	state.filling = state.spare;
	state.spare = bytes;
	state.size = 0;
	state.writing = true;
	pthread_mutex_unlock(&state.lock);
	memcpy(bytes + size, list_end, sizeof(list_end));
	error = files_write(state.file, bytes, size + sizeof(list_end),
			    state.at);
	if (!error) {
		state.at += (off_t)size;
	} else {
		/* The bracket was written before, so there is space for it. */
		(void)!ftruncate(state.file, state.at);
		(void)files_write(state.file, list_end, sizeof(list_end),
				  state.at);
		log_post(DPR_LOG_ERROR,
			 "DPR_TRACE: the file cannot be written (%s): it ends "
			 "here",
			 strerrordesc_np(error));
	}
	pthread_mutex_lock(&state.lock);
	state.last_write = clock_now();
	state.writing = false;
	if (error) {
		state.failed = true;
		turn_off();
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

/* Leave the layer off with a warning: a program must not fail because its trace
   cannot be written. */
static void go_without(const char *value, const char *why, const char *advice)
{
	env_note("DPR_TRACE", why);
	log_post(DPR_LOG_WARN, "DPR_TRACE=\"%s\": %s: nothing is traced; %s",
		 text_quote(value).bytes, why, advice);
	trace_file_decline();
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

/* Open the file.  It is emptied only after all other processes have stopped
   writing to it.  -1: the layer stays off. */
static int open_file(const char *value, const char *name)
{
	char why[FILES_WHY];
	int fd = files_open(name, 0, FILES_REGULAR, why);

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

/* Begin the list in the open file @fd.  DPR_ERROR_OUT_OF_MEMORY. */
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

dpr_status trace_file_open(const char *value)
{
	int unknown = TRACE_UNKNOWN, fd;
	dpr_status status;
	char *name;

	/* The state is set once, except in tests; off stays off. */
	if (atomic_load_explicit(&trace_file_state, memory_order_relaxed) !=
	    TRACE_UNKNOWN)
		return DPR_OK;
	if (*value != '/')
		return env_refuse(
			"DPR_TRACE",
			"the file name is not absolute; give the "
			"absolute name of a file that can be written");
	name = expand(value);
	if (!name)
		return fail_memory("DPR_TRACE");
	fd = open_file(value, name);
	mem_free(name);
	if (fd < 0)
		return DPR_OK;
	status = begin_list(fd);
	/* A full disk may have turned the layer off. */
	if (status || !atomic_compare_exchange_strong(&trace_file_state,
						      &unknown, TRACE_ON))
		return status;
	trace_file_name("process_name", (uint64_t)getpid(), 0,
			program_invocation_short_name);
	return DPR_OK;
}

void trace_file_decline(void)
{
	int unknown = TRACE_UNKNOWN;

	if (atomic_compare_exchange_strong(&trace_file_state, &unknown,
					   TRACE_OFF))
		call_stack_unwatch(CALL_STACK_TRACE);
}

void trace_file_forked(void)
{
	int on = TRACE_ON;

	/* The lines in memory and the file belong to the parent.  The lock may
	   stay locked for ever, and is no longer needed. */
	if (!atomic_compare_exchange_strong(&trace_file_state, &on, TRACE_OFF))
		return;
	call_stack_unwatch(CALL_STACK_TRACE);
	close(state.file);
	state.file = -1;
}

void trace_file_finish(void)
{
	turn_off();
	pthread_mutex_lock(&state.lock);
	write_all_locked();
	state.failed = true;
	pthread_mutex_unlock(&state.lock);
	/* The file stays open: a late thread must not write into another file
	   that has the same number. */
}

void trace_file_put(struct trace_line *line)
{
	uint64_t now;
	size_t skip;

	trace_line_end(line);
	if (atomic_load_explicit(&trace_file_state, memory_order_relaxed) !=
	    TRACE_ON)
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
		/* The first line has no comma before it. */
		skip = !state.begun;
		state.begun = true;
		memcpy(state.filling + state.size, line->bytes + skip,
		       line->size - skip);
		state.size += line->size - skip;
		if (!state.writing && (state.size > WRITE_BYTES ||
				       now - state.last_write > WRITE_AFTER))
			write_locked();
	}
	pthread_mutex_unlock(&state.lock);
}

void trace_file_name(const char *what, uint64_t process, uint64_t thread,
		     const char *name)
{
	struct trace_line line;

	trace_line_begin(&line, 'M', process, thread, 0);
	trace_line_text(&line, "name", what);
	trace_line_args(&line, "name", name);
	trace_line_args_end(&line);
	trace_file_put(&line);
}
