/* SPDX-License-Identifier: Apache-2.0 */
/* queue_failure.c - the failures of a queue's submissions. */
#include "core/runtime/queue/queue_failure.h"

#include "core/base/live.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/runtime/queue/suspects.h"

/* Make the results of submission @ticket invalid.  If `finish` has already
   reported a failure for this submission, only return a reference to this
   failure.  Otherwise return NULL. */
static struct failure *spoil_results_locked(dpr_queue *queue, uint64_t ticket,
					    unsigned flags,
					    struct failure *root)
{
	struct failure *told = NULL;

	if ((flags & FAILURE_DRIVER) && !(flags & FAILURE_OTHER))
		told = spoil_told(&queue->spoil, ticket);
	if (told)
		return failure_retain(told);
	if (flags & FAILURE_VAGUE)
		spoil_unproved(&queue->spoil, ticket, root);
	else if (!(flags & FAILURE_OTHER))
		spoil_ticket(&queue->spoil, queue->in_order, ticket, root);
	if ((flags & FAILURE_DRIVER) &&
	    ticket > atomic_load_explicit(&queue->spoil.sound,
					  memory_order_relaxed))
		spoil_heard(&queue->spoil, root);
	return NULL;
}

struct failure *queue_failure_note(dpr_queue *queue, uint64_t ticket,
				   unsigned flags, dpr_status status,
				   const char *text, struct failure *root)
{
	char *copy = text ? mem_string(text) : NULL;
	struct failure *told;
	bool closed;

	pthread_mutex_lock(&queue->lock);
	told = spoil_results_locked(queue, ticket, flags, root);
	if (told) {
		pthread_mutex_unlock(&queue->lock);
		mem_free(copy);
		failure_release(root);
		return told;
	}
	closed = queue->closed;
	if (!closed && !queue->failure.root) {
		queue->failure.status = status;
		queue->failure.root = failure_retain(root);
		queue->failure.text = copy;
		copy = NULL;
	}
	pthread_mutex_unlock(&queue->lock);
	if (closed)
		live_failure(text, root);
	mem_free(copy);
	return root;
}

void queue_failure_note_refused(dpr_queue *queue, uint64_t ticket,
				dpr_status status, const char *text)
{
	struct failure *root = failure_new(status, text);

	failure_tell(root);
	pthread_mutex_lock(&queue->lock);
	spoil_ticket(&queue->spoil, queue->in_order, ticket, root);
	pthread_mutex_unlock(&queue->lock);
	failure_release(root);
}

dpr_status queue_failure_take(dpr_queue *queue)
{
	struct failure *root;
	dpr_status status;
	char *text;

	pthread_mutex_lock(&queue->lock);
	status = queue->failure.status;
	text = queue->failure.text;
	root = queue->failure.root;
	queue->failure.status = DPR_OK;
	queue->failure.text = NULL;
	queue->failure.root = NULL;
	pthread_mutex_unlock(&queue->lock);
	if (root) {
		failure_tell(root);
		status_record("%s", text ? text : root->text);
	}
	mem_free(text);
	failure_release(root);
	return status;
}

void queue_failure_hand_over(dpr_queue *queue)
{
	if (queue->failure.root)
		live_failure(queue->failure.text, queue->failure.root);
}

/* Append the names of submissions after @from up to @to.  If there are many,
   name the newest and count the others. */
static void print_names(dpr_queue *queue, uint64_t from, uint64_t to,
			struct text *text)
{
	uint64_t ticket =
		to - from > QUEUE_NAMES ? to - QUEUE_NAMES + 1 : from + 1;
	const char *between = "";

	if (ticket > from + 1)
		text_print(text, "%llu others, ",
			   (unsigned long long)(ticket - from - 1));
	pthread_mutex_lock(&queue->lock);
	for (; ticket <= to; ticket++) {
		const struct queue_name *name =
			&queue->names[ticket % QUEUE_NAMES];

		if (name->ticket != ticket)
			continue;
		text_print(text, "%s%s", between, name->text);
		between = ", ";
	}
	pthread_mutex_unlock(&queue->lock);
}

void queue_failure_set_told(dpr_queue *queue, uint64_t last)
{
	pthread_mutex_lock(&queue->lock);
	spoil_sound(&queue->spoil, last);
	spoil_heard(&queue->spoil, NULL);
	pthread_mutex_unlock(&queue->lock);
}

/* Make and note a failure that may come from any submission after @sound up to
   @last.  Returns a reference. */
static struct failure *make_vague_failure(dpr_queue *queue, uint64_t sound,
					  uint64_t last, dprp_rc rc,
					  dpr_status status, const char *said)
{
	struct text text = { 0 };
	struct failure *root;

	text_print(&text, "%s", said);
	if (rc == DPR_RC_DEVICE_LOST) {
		suspects_print(queue->device, &text);
	} else if (last > sound) {
		text_print(&text, "; any of these submissions may have "
				  "failed, because none of them was known "
				  "to be complete: ");
		print_names(queue, sound, last, &text);
	}
	root = status == DPR_ERROR_DEVICE_LOST
		       ? device_loss(queue->device, text_get(&text))
		       : failure_new(status, text_get(&text));
	root = queue_failure_note(queue, last, FAILURE_VAGUE, status,
				  text_get(&text), root);
	text_fini(&text);
	return root;
}

/*
 * The driver reports a failure without naming the submission.  Any submission
 * since its last report may have failed.  An event may have reported the same
 * failure; then the program is not told twice.  But there may have been a
 * second failure of the same status, so everything else is spoiled, too.
 */
void queue_failure_note_vague(dpr_queue *queue, dprp_rc rc)
{
	char *before = status_keep();
	dpr_status status = plugin_status(queue->plugin, rc,
					  "queue wait for %s", queue->name);
	struct text said = { 0 };
	struct failure *heard;
	uint64_t sound, last;

	text_print(&said, "%s", dpr_last_error());
	status_restore(before);

	/* Take `submit`: a submission that another thread has not published yet
	   may have failed. */
	pthread_mutex_lock(&queue->submit);
	pthread_mutex_lock(&queue->lock);
	last = queue->last;
	sound = atomic_load_explicit(&queue->spoil.sound, memory_order_relaxed);
	heard = failure_retain(queue->spoil.heard);
	if (heard && heard->status == status) {
		spoil_unproved(&queue->spoil, last, heard);
	} else {
		failure_release(heard);
		heard = NULL;
	}
	pthread_mutex_unlock(&queue->lock);
	pthread_mutex_unlock(&queue->submit);
	if (!heard)
		heard = make_vague_failure(queue, sound, last, rc, status,
					   text_get(&said));
	failure_release(heard);
	text_fini(&said);
	queue_failure_set_told(queue, last);
}

struct failure *queue_failure_find(dpr_queue *queue, uint64_t first,
				   uint64_t last)
{
	struct failure *cause;

	if (!atomic_load_explicit(&queue->spoil.any, memory_order_acquire))
		return NULL;
	pthread_mutex_lock(&queue->lock);
	cause = failure_retain(spoil_cause(&queue->spoil, first, last));
	pthread_mutex_unlock(&queue->lock);
	return cause;
}
