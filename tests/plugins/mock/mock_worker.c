/* SPDX-License-Identifier: Apache-2.0 */
/* mock_worker.c - a queue's thread: it chooses the next command and runs it. */
#include "tests/plugins/mock/mock_impl.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void run_fill(const struct mock_command *command)
{
	uint64_t at;

	for (at = 0; at < command->size; at += command->pattern_size)
		memcpy(command->to + at, command->pattern,
		       command->pattern_size);
}

static void run_native(const struct mock_command *command)
{
	const uint64_t *global = command->global, *local = command->local;
	uint64_t group[3];

	for (group[2] = 0; group[2] < global[2] / local[2]; group[2]++)
		for (group[1] = 0; group[1] < global[1] / local[1]; group[1]++)
			for (group[0] = 0; group[0] < global[0] / local[0];
			     group[0]++)
				command->native->run(
					(const void *const *)command->args,
					global, local, group);
}

static dprp_rc run_command(const struct mock_command *command)
{
	switch (command->kind) {
	case MOCK_WRITE:
	case MOCK_READ:
	case MOCK_COPY:
		memcpy(command->to, command->from, command->size);
		break;
	case MOCK_FILL: run_fill(command); break;
	case MOCK_LAUNCH:
		if (!command->global[0] || !command->global[1] ||
		    !command->global[2])
			break;
		if (command->kernel)
			return command->kernel->run(command->global,
						    command->args);
		run_native(command);
		break;
	case MOCK_BARRIER:
	case MOCK_PREFETCH: break;
	}
	return DPR_RC_OK;
}

void mock_command_end(dprp_queue *queue, struct mock_command *command,
		      dprp_rc rc, int64_t native, const char *text,
		      struct mock_token **told)
{
	struct mock_record record = { queue->id, command->number, command->what,
				      rc };
	uint32_t i;

	mock_record(&record);
	mock_mem_unused(queue->instance, command->host);
	queue->completed++;
	if (rc && !queue->error) {
		queue->error = rc;
		queue->error_native = native;
		snprintf(queue->error_text, sizeof(queue->error_text), "%s",
			 text);
	}
	mock_event_complete(command->event, rc, native, text, told);
	mock_event_drop(command->event);
	for (i = 0; i < command->n_deps; i++)
		mock_event_drop(command->deps[i]);
	mock_free(queue->instance, command);
}

/* Whether a command may run. */
enum readiness { READY, WAITS, DEP_FAILED };

static enum readiness command_ready(dprp_queue *queue,
				    const struct mock_command *command,
				    uint64_t now, uint64_t *next)
{
	enum readiness ready = READY;
	uint32_t i;

	if (command->number > queue->flushed)
		return WAITS;
	for (i = 0; i < command->n_deps; i++) {
		if (!mock_event_over(command->deps[i]))
			return WAITS;
		if (command->deps[i]->state == DPRP_EVENT_FAILED)
			ready = DEP_FAILED;
	}
	if (command->stalled)
		return WAITS;
	if (command->not_before > now) {
		if (command->not_before < *next)
			*next = command->not_before;
		return WAITS;
	}
	return ready;
}

/* Whether @command fails at once, before its turn, because of HASTY=1. */
static bool fails_early(const struct mock_command *command)
{
	uint32_t i;

	for (i = 0; i < command->n_deps; i++)
		if (command->deps[i]->state == DPRP_EVENT_FAILED)
			return true;
	return false;
}

/*
 * Choose the command to run now; NULL: none.  The command stays in the list,
 * and *@at is the link to it.  *@next becomes the earliest time at which time
 * alone makes another command ready.
 */
static struct mock_command *queue_pick(dprp_queue *queue,
				       struct mock_command ***at,
				       enum readiness *ready, uint64_t *next)
{
	bool ooo = queue->flags & DPRP_QUEUE_OUT_OF_ORDER;
	struct mock_command *command, *found = NULL, **link;
	enum readiness r;
	uint64_t now = mock_now();

	*next = UINT64_MAX;
	if (!mock_may_start())
		return NULL;
	link = &queue->first;
	for (; queue->instance->options.hasty && (command = *link);
	     link = &command->next)
		if (fails_early(command)) {
			*at = link;
			*ready = DEP_FAILED;
			return command;
		}
	for (link = &queue->first; (command = *link); link = &command->next) {
		/* A barrier without dependencies waits for all commands before
		   it. */
		r = WAITS;
		if (command->kind != MOCK_BARRIER || command->n_deps ||
		    (command == queue->first && !queue->n_running))
			r = command_ready(queue, command, now, next);
		if (r != WAITS) {
			found = command;
			*at = link;
			*ready = r;
			if (!ooo || !mock_reorders())
				break;
		}
		if (!ooo || command->kind == MOCK_BARRIER)
			break;
	}
	return found;
}

static void queue_unlink(dprp_queue *queue, struct mock_command **at)
{
	struct mock_command *command = *at;

	*at = command->next;
	if (queue->last != command)
		return;
	for (queue->last = queue->first; queue->last && queue->last->next;)
		queue->last = queue->last->next;
}

/* Get the error text of a command that did not run because a dependency
   failed. */
static int64_t dep_text(const struct mock_command *command, char *text,
			size_t capacity)
{
	const dprp_event *dep;
	uint32_t i;

	for (i = 0; i < command->n_deps; i++) {
		dep = command->deps[i];
		if (dep->state != DPRP_EVENT_FAILED)
			continue;
		/* It failed because of its own dependency: keep that text. */
		if (dep->rc == DPR_RC_DEP_FAILED)
			snprintf(text, capacity, "%.190s", dep->text);
		else
			snprintf(text, capacity,
				 MOCK_NAME
				 ": a dependency failed (%d, %lld): %.120s",
				 dep->rc, (long long)dep->native, dep->text);
		return dep->native;
	}
	return 0;
}

/* Run a command.  Called under the lock, which is released during the work. */
static void queue_run_one(dprp_queue *queue, struct mock_command *command,
			  enum readiness ready)
{
	struct mock_token *told = NULL;
	char text[200] = "";
	int64_t native = command->fault_native;
	bool write = command->kind == MOCK_WRITE;
	bool move = write || command->kind == MOCK_READ;
	dprp_rc rc = command->fault;

	mock_started();
	queue->n_running++;
	command->event->state = DPRP_EVENT_RUNNING;
	command->event->t_submit = mock_now();
	command->event->t_start = command->event->t_submit;
	if (ready == DEP_FAILED) {
		rc = DPR_RC_DEP_FAILED;
		native = dep_text(command, text, sizeof(text));
	} else if (!rc) {
		if (move)
			mock_move_begin(write);
		pthread_mutex_unlock(&mock_lock);
		rc = run_command(command);
		pthread_mutex_lock(&mock_lock);
		if (move)
			mock_move_end(write);
		if (rc)
			native = -42;
	}
	if (queue->device->root->lost && ready != DEP_FAILED) {
		rc = DPR_RC_DEVICE_LOST;
		native = 0;
	}
	if (rc && !*text)
		snprintf(text, sizeof(text), MOCK_NAME ": %s: failed with %lld",
			 command->what, (long long)native);
	queue->n_running--;
	mock_command_end(queue, command, rc, native, text, &told);
	pthread_mutex_unlock(&mock_lock);
	mock_tell(told);
	pthread_mutex_lock(&mock_lock);
}

void *mock_queue_run(void *arg)
{
	struct mock_command *command, **at = NULL;
	enum readiness ready = READY;
	dprp_queue *queue = arg;
	struct timespec ts;
	uint64_t next;

	pthread_mutex_lock(&mock_lock);
	while (queue->first || !queue->destroyed) {
		command = queue_pick(queue, &at, &ready, &next);
		if (command) {
			queue_unlink(queue, at);
			queue_run_one(queue, command, ready);
		} else if (next == UINT64_MAX) {
			pthread_cond_wait(&mock_changed, &mock_lock);
		} else {
			ts.tv_sec = (time_t)(next / 1000000000u);
			ts.tv_nsec = (long)(next % 1000000000u);
			pthread_cond_clockwait(&mock_changed, &mock_lock,
					       CLOCK_MONOTONIC, &ts);
		}
	}
	queue->exited = ++queue->n_ended == queue->n_threads;
	pthread_mutex_unlock(&mock_lock);
	return NULL;
}

void mock_queue_abort(dprp_queue *queue, dprp_rc rc, const char *text,
		      struct mock_token **told)
{
	struct mock_command *command;

	while ((command = queue->first)) {
		queue->first = command->next;
		if (!queue->first)
			queue->last = NULL;
		mock_command_end(queue, command, rc, 0, text, told);
	}
}
